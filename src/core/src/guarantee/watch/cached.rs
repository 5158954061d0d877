//! What consumers have in hand, by the facts: what is gone from the store while a consumer has it is lost
//! only when that one drops it.

use super::state::queue_of;
use super::Watch;
use crate::fact::{FactRecord, FilterSide};
use crate::guarantee::Guarantee;
use crate::ids::{ClientId, GroupId, MessageQueue, MsgId};

/// What a classic consumer has read of a queue since it took it: `from..until`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader {
    client: ClientId,
    from: u32,
    until: u32,
    /// Records that the broker's filter left out of the answer that begins at this offset.
    skipped: (u32, u32),
}

/// A message that is gone from the store and that a consumer has in hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct InHand {
    group: GroupId,
    client: ClientId,
    queue: MessageQueue,
    msg: MsgId,
}

impl Watch {
    /// An answer to a pull came, or the broker's filter left something out of one.
    pub(super) fn on_read(
        &mut self,
        (group, client): (GroupId, ClientId),
        queue: MessageQueue,
        (offset, count): (u32, u32),
        by: Option<FilterSide>,
    ) {
        let groups = &mut queue_of(&mut self.queues, queue).groups;
        let Some(own) = groups.iter_mut().find(|g| g.group == group) else { return };
        let place = own.readers.iter().position(|r| r.client == client).unwrap_or_else(|| {
            let (until, skipped) = (offset, (offset, 0));
            own.readers.push(Reader { client, from: offset, until, skipped });
            own.readers.len() - 1
        });
        let reader = &mut own.readers[place];
        match by {
            // The client's own filter looks at what it has read.
            Some(FilterSide::Client) => {}
            Some(FilterSide::Broker) => reader.skipped = (offset, count),
            None => {
                let (at, skipped) = reader.skipped;
                let all = if at == offset { skipped + count } else { count };
                reader.until = reader.until.max(offset + all);
            }
        }
    }

    /// The consumer of a group that has a record in hand.
    pub(super) fn has_in_hand(
        &mut self,
        group: GroupId,
        msg: MsgId,
        (queue, offset): (MessageQueue, u32),
    ) -> Option<ClientId> {
        let given = self.seen(group, msg).given.filter(|client| !self.ended.contains(client));
        let of = queue_of(&mut self.queues, queue).groups.iter().find(|g| g.group == group);
        let mut readers = of.map_or(&[][..], |own| &own.readers).iter();
        let reader = readers.find(|r| (r.from..r.until).contains(&offset)).map(|r| r.client);
        reader.or(given)
    }

    /// A message that a consumer has in hand is gone from the store.
    pub(super) fn keep(
        &mut self,
        (group, client): (GroupId, ClientId),
        queue: MessageQueue,
        msg: MsgId,
    ) {
        self.in_hand.push(InHand { group, client, queue, msg });
    }

    /// A consumer has sent a message back: it lies elsewhere now.
    pub(super) fn on_sent_back(&mut self, group: GroupId, msg: MsgId) {
        self.seen(group, msg).apart = true;
        self.in_hand.retain(|of| (of.group, of.msg) != (group, msg));
    }

    /// A consumer drops a queue (None: it ends): what it had of it, is not done with, and lies nowhere any
    /// more is lost.
    pub(super) fn on_dropped(
        &mut self,
        record: &FactRecord,
        group: GroupId,
        client: ClientId,
        queue: Option<MessageQueue>,
    ) {
        match queue {
            Some(queue) => {
                let of = queue_of(&mut self.queues, queue);
                let own = of.groups.iter_mut().filter(|own| own.group == group);
                own.for_each(|own| own.readers.retain(|r| r.client != client));
            }
            None => {
                self.ended.push(client);
                let queues = self.queues.iter_mut().flatten().flatten();
                for own in queues.flat_map(|of| &mut of.groups) {
                    own.readers.retain(|r| r.client != client);
                }
            }
        }
        let is_its = |of: &InHand| of.client == client && queue.is_none_or(|q| q == of.queue);
        let dropped: Vec<InHand> = self.in_hand.extract_if(.., |of| is_its(of)).collect();
        for InHand { group, msg, .. } in dropped {
            let seen = *self.seen(group, msg);
            if !(seen.done || seen.dead || seen.nowhere || seen.apart) {
                self.breach(record, Guarantee::NothingLost, (Some(group), None, msg));
            }
        }
    }
}
