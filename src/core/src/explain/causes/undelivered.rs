//! Answers that came to nobody, and requests that a proxy answered with an error.

use super::Chain;
use crate::command::Command;
use crate::fact::{Fact, RequestKind, SendFailure};
use crate::ids::{GroupId, MsgId, Party};
use crate::pop::{PopCommand, PopFact};

impl Chain<'_, '_> {
    /// The packet in which a delivered message was lost on its way to a consumer of the group, and the
    /// cut that it was lost in.
    pub(super) fn lost_answer(&mut self, msg: MsgId, group: Option<GroupId>) {
        let facts = self.run.facts;
        let popped = self.run.ledger.newest_of(msg, facts.len()).find(|index| {
            matches!(facts[*index as usize].fact, Fact::Pop(PopFact::Popped { group: of, .. }) if Some(of) == group)
        });
        let Some(popped) = popped.map(|index| index as usize) else { return };
        let clients = &self.run.world.clients;
        let lost = facts[popped..].iter().position(|record| match record.fact {
            Fact::PacketLost { from, to: Party::Client(to) } => {
                let is_mine = clients.get(to.index()).map(|p| p.group()) == group;
                is_mine && !matches!(from, Party::Client(_))
            }
            Fact::PacketLost { from: Party::Broker(_), to: Party::Proxy(_) } => true,
            _ => false,
        });
        let Some(lost) = lost.map(|place| popped + place) else { return };
        let Fact::PacketLost { from, to } = facts[lost].fact else { return };
        self.facts.push(lost as u32);
        let names = &self.run.world.shared.names;
        let (one, other) = (names.party_name(from), names.party_name(to));
        let cuts = facts[..lost].iter().rposition(|record| match record.fact {
            Fact::CommandApplied { index } => {
                match self.run.journal.get(index as usize).map(|(_, c)| c) {
                    Some(Command::Cut { a, b }) => {
                        (a == one && b == other) || (a == other && b == one)
                    }
                    _ => false,
                }
            }
            _ => false,
        });
        self.facts.extend(cuts.map(|index| index as u32));
    }

    /// The command by which a proxy answers a kind of request with an error.
    pub(super) fn refused_by_proxy(&mut self, kind: RequestKind) {
        self.last_command(|c| {
            matches!(c, Command::Pop(PopCommand::FailRequests { request, code: Some(_), .. }) if *request == kind)
        });
    }

    /// The same for a send that failed by such an answer.
    pub(super) fn refused_send(&mut self, msg: MsgId) {
        let facts = self.run.facts;
        let failed = self.run.ledger.newest_of(msg, facts.len()).any(|index| {
            matches!(
                facts[index as usize].fact,
                Fact::SendFailed { reason: SendFailure::Grpc(_), .. }
            )
        });
        if failed {
            self.refused_by_proxy(RequestKind::Send);
        }
    }
}
