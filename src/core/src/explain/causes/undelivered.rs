//! Answers that came to nobody, and requests that a proxy answered with an error.

use super::Chain;
use crate::command::Command;
use crate::explain::Refusing;
use crate::fact::{Fact, RequestKind, SendFailure};
use crate::ids::{BrokerId, ClientId, GroupId, MessageQueue, MsgId, Party};
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

    /// The receive of a group that found nothing and went to sleep last.
    pub(super) fn last_poll(&mut self, group: Option<GroupId>) {
        let slept = self.run.facts.iter().rposition(|record| {
            matches!(record.fact, Fact::Pop(PopFact::PollParked { group: of, .. }) if Some(of) == group)
        });
        self.facts.extend(slept.map(|index| index as u32));
    }

    /// The command by which a proxy answers a kind of request with an error.
    pub(super) fn refused_by_proxy(&mut self, kind: RequestKind) {
        self.last_command(|c| {
            matches!(c, Command::Pop(PopCommand::FailRequests { request, code: Some(_), .. }) if *request == kind)
        });
    }

    /// What refuses the requests of a consumer: the proxy's order, or the broker that went and came, and
    /// with it what others knew of it.
    pub(super) fn refusing(&mut self, client: ClientId, by: Refusing, queue: Option<MessageQueue>) {
        let nothing = |f: &Fact| matches!(f, Fact::Pop(PopFact::ReceivedNothing { .. }));
        let pull = |f: &Fact| matches!(f, Fact::PullRefused { client: of, .. } if *of == client);
        match (by, queue) {
            (Refusing::Unregistered { .. } | Refusing::Outdated { .. }, Some(queue)) => {
                self.last_of_queue(queue, pull)
            }
            (Refusing::Unregistered { .. } | Refusing::Outdated { .. }, None) => {
                self.last_of_client(client, pull)
            }
            _ => self.last_of_client(client, nothing),
        };
        match by {
            Refusing::Proxy(_) => self.refused_by_proxy(RequestKind::Receive),
            Refusing::Unregistered { replaced: true, .. } => self.replaced_by(client),
            Refusing::Unregistered { broker, .. } => self.forgotten(broker, client),
            Refusing::Outdated { broker, .. } if self.is_member(broker, client) => {
                // Its subscription is younger, and the heartbeat that was to tell of it did not come.
                let fails = |f: &Fact| {
                    matches!(
                        f,
                        Fact::RequestTimedOut { request: RequestKind::Heartbeat, .. }
                            | Fact::RequestFailed { request: RequestKind::Heartbeat, .. }
                    )
                };
                self.last_of_client(client, fails);
                let of = self.run.world.clients.get(client.index()).map(|p| p.group());
                self.subscribed(client, of);
            }
            Refusing::Outdated { broker, .. } => self.forgotten(broker, client),
            Refusing::OldRoute { .. } => {
                if let Some(queue) = queue {
                    self.broker_gone(queue.broker, None);
                }
            }
        }
    }

    /// Whether a broker counts a consumer among its group.
    fn is_member(&self, broker: BrokerId, client: ClientId) -> bool {
        let world = self.run.world;
        let group = world.clients.get(client.index()).map(|p| p.group());
        let members = world.brokers.get(broker.index()).zip(group);
        let members = members.and_then(|(broker, group)| broker.members(group));
        members.is_some_and(|members| members.0.iter().any(|m| m.client == client))
    }

    /// The last heartbeat by which another member replaced what a consumer subscribes to.
    fn replaced_by(&mut self, client: ClientId) {
        let of = self.run.world.clients.get(client.index()).map(|p| p.group());
        let other = |f: &Fact| {
            matches!(f, Fact::SubscriptionReplaced { group, client: by, .. }
                if Some(*group) == of && *by != client)
        };
        let Some(fact) = self.run.facts.iter().rposition(|r| other(&r.fact)) else { return };
        self.facts.push(fact as u32);
        if let Fact::SubscriptionReplaced { client: by, .. } = self.run.facts[fact].fact {
            self.subscribed(by, of);
        }
    }

    /// Why a broker does not know a consumer: it gave it up, or it went and came.
    fn forgotten(&mut self, broker: BrokerId, client: ClientId) {
        let facts = self.run.facts;
        let left = facts
            .iter()
            .rposition(|r| matches!(r.fact, Fact::MemberLeft { client: of, .. } if of == client));
        let stopped = facts.iter().rposition(
            |r| matches!(r.fact, Fact::BrokerStopped { broker: of, .. } if of == broker),
        );
        match left.filter(|left| stopped.is_none_or(|stopped| stopped < *left)) {
            Some(left) => self.facts.push(left as u32),
            None => self.broker_gone(broker, None),
        }
    }

    /// The subscription that a consumer reads by.
    pub(super) fn subscribed(&mut self, client: ClientId, group: Option<GroupId>) {
        let name = self.name(client).to_owned();
        let own = self.last_command(
            |c| matches!(c, Command::Subscribe { consumer, .. } if *consumer == name),
        );
        let group = group.map(|g| self.run.world.shared.group(g).name.clone());
        if own.is_none() {
            self.last_command(
                |c| matches!(c, Command::CreateGroup { name, .. } if Some(name) == group.as_ref()),
            );
        }
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
