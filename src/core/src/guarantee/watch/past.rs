//! What a watch had seen by an event.

use super::{Block, Breach, Duplicates, Watch};
use crate::guarantee::Guarantee;
use crate::ids::{BrokerId, GroupId, MessageQueue, Ms, MsgId, TopicId};

/// What was seen of the guarantees up to an event; nothing that came later.
#[derive(Clone, Copy, Debug)]
pub struct Watched<'a> {
    watch: &'a Watch,
    event: u32,
}

impl<'a> Watched<'a> {
    pub(super) fn new(watch: &'a Watch, event: u32) -> Self {
        Self { watch, event }
    }

    /// Breaches of a guarantee, the first one first.
    pub fn breaches(
        self,
        guarantee: Guarantee,
        group: Option<GroupId>,
    ) -> impl Iterator<Item = &'a Breach> + 'a {
        let past = self.watch.breaches.iter().take_while(move |b| b.event <= self.event);
        past.filter(move |b| b.guarantee == guarantee && b.group == group)
    }

    /// Deliveries of a group that were not the first.
    pub fn duplicates(self, group: GroupId) -> Duplicates {
        let past = self.watch.duplicates.get(group.index()).map_or(&[][..], Vec::as_slice);
        let count = past.partition_point(|(event, _)| *event <= self.event);
        past[..count].last().map(|(_, counts)| *counts).unwrap_or_default()
    }

    /// A group's first delivery that was not the first one of its message.
    pub fn first_duplicate(self, group: GroupId) -> Option<Breach> {
        let first = self.watch.first_duplicates.get(group.index()).copied().flatten();
        first.filter(|first| first.event <= self.event)
    }

    /// Whether a command, by its place in the journal, was refused.
    pub fn is_refused(self, index: u32) -> bool {
        self.watch.refused.iter().any(|(event, of)| *of == index && *event <= self.event)
    }

    /// The longest time that a queue of a group stood still, up to `now_ms`. `first` names the message
    /// that stands first in a queue, and its offset; where none does, what is left there was passed over
    /// or put elsewhere, and nothing waits.
    pub fn longest(
        self,
        group: GroupId,
        now_ms: Ms,
        first: impl Fn(MessageQueue) -> Option<(MsgId, i64)>,
    ) -> Option<Block> {
        let past = self.watch.longest.get(group.index()).map_or(&[][..], Vec::as_slice);
        let count = past.partition_point(|(event, _)| *event <= self.event);
        let over = past[..count].last().map(|(_, block)| *block);
        let standing = self.running(group, now_ms).filter_map(|(block, of)| {
            let (msg, offset) = first(block.queue)?;
            let stored = of.stored_at(self.event);
            let stored = usize::try_from(offset).ok().and_then(|place| stored.get(place));
            let from_ms = stored.map_or(block.from_ms, |(_, at_ms)| block.from_ms.max(*at_ms));
            Some(Block { by: Some(msg), from_ms, ..block })
        });
        over.into_iter().chain(standing).max_by_key(|block| block.until_ms - block.from_ms)
    }

    /// Queues in which something waits for a group, each since when.
    fn running(
        self,
        group: GroupId,
        now_ms: Ms,
    ) -> impl Iterator<Item = (Block, &'a super::state::Queue)> + 'a {
        let event = self.event;
        self.queues().filter_map(move |(queue, of)| {
            let own = of.groups.iter().find(|g| g.group == group)?;
            let count = own.past.partition_point(|standing| standing.event <= event);
            let standing = own.past[..count].last()?;
            let stored = of.stored_at(event).len() as u32;
            let block = Block {
                queue,
                from_ms: standing.since_ms,
                until_ms: now_ms,
                by: None,
                lasts: true,
            };
            (standing.done < stored).then_some((block, of))
        })
    }

    fn queues(self) -> impl Iterator<Item = (MessageQueue, &'a super::state::Queue)> + 'a {
        self.watch.queues.iter().enumerate().flat_map(|(topic, brokers)| {
            brokers.iter().enumerate().flat_map(move |(broker, ids)| {
                ids.iter().enumerate().map(move |(id, of)| {
                    let (topic, broker) = (TopicId(topic as u16), BrokerId(broker as u8));
                    (MessageQueue { topic, broker, id: id as u16 }, of)
                })
            })
        })
    }
}
