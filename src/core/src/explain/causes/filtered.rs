//! What passed over a message whose tag somebody does not want.

use super::Chain;
use crate::command::Command;
use crate::explain::owner;
use crate::fact::{Fact, FilterSide};
use crate::ids::{ClientId, GroupId, MessageQueue};
use crate::pop::{PopCommand, PopFact};

impl Chain<'_, '_> {
    /// The read that went past a place of a queue, and the subscription that it read by. By POP it is
    /// the receiver's own; a classic pull is filtered by the broker's table of the group, which a
    /// member's heartbeat wrote (the reference, 11.10).
    pub(super) fn filtered(&mut self, group: GroupId, (queue, offset): (MessageQueue, i64)) {
        let by = match owner::is_grpc(self.run.world, group) {
            true => self.received_past(group, (queue, offset)),
            false => self.pulled_past(group, (queue, offset)),
        };
        let subscribed = by.and_then(|client| {
            let name = self.name(client).to_owned();
            let is_its =
                |c: &Command| matches!(c, Command::Subscribe { consumer, .. } if *consumer == name);
            self.last_command(is_its)
        });
        if subscribed.is_none() {
            let name = self.run.world.shared.group(group).name.clone();
            self.last_command(
                |c| matches!(c, Command::CreateGroup { name: of, .. } if *of == name),
            );
        }
    }

    /// The first POP of a later place: what it delivered, to whom, and the call that asked for it.
    fn received_past(
        &mut self,
        group: GroupId,
        (queue, offset): (MessageQueue, i64),
    ) -> Option<ClientId> {
        let facts = self.run.facts;
        let past = |f: &Fact| matches!(*f, Fact::Pop(PopFact::Popped { group: of, queue: q, offset: o, .. }) if of == group && q == queue && i64::from(o) > offset);
        let popped = facts.iter().position(|r| past(&r.fact))?;
        let Fact::Pop(PopFact::Popped { offset: of, .. }) = facts[popped].fact else { return None };
        let world = self.run.world;
        let receiver = facts[popped..].iter().find_map(|record| match record.fact {
            Fact::Pop(PopFact::Received { client, queue: q, offset: o, .. }) => {
                let is_its = world.clients.get(client.index()).map(|p| p.group()) == Some(group);
                (is_its && q == queue && o == of).then_some(client)
            }
            _ => None,
        });
        self.facts.push(popped as u32);
        let name = self.name(receiver?).to_owned();
        let asked = facts[..popped].iter().rposition(|record| match record.fact {
            Fact::CommandApplied { index } => {
                let command = self.run.journal.get(index as usize).map(|(_, c)| c);
                matches!(command, Some(Command::Pop(PopCommand::Receive { consumer, .. })) if *consumer == name)
            }
            _ => false,
        });
        self.facts.extend(asked.map(|index| index as u32));
        receiver
    }

    /// The pull that passed the place over, and the member whose subscription it was filtered by.
    fn pulled_past(
        &mut self,
        group: GroupId,
        (queue, offset): (MessageQueue, i64),
    ) -> Option<ClientId> {
        let facts = self.run.facts;
        let past = |f: &Fact| match *f {
            Fact::MessagesFiltered { offset: from, count, .. } => {
                let from = i64::from(from);
                (from..from + i64::from(count)).contains(&offset)
            }
            _ => false,
        };
        let pulled = self.last_of_queue(queue, past)? as usize;
        let Fact::MessagesFiltered { client, by, .. } = facts[pulled].fact else { return None };
        if by == FilterSide::Client {
            return Some(client);
        }
        let written = facts[..pulled].iter().rposition(
            |r| matches!(r.fact, Fact::SubscriptionReplaced { group: of, .. } if of == group),
        )?;
        self.facts.push(written as u32);
        match facts[written].fact {
            Fact::SubscriptionReplaced { client, .. } => Some(client),
            _ => None,
        }
    }
}
