//! Queues of which a POP is known to find nothing. A receive of the whole broker goes through all of
//! them, and a topic may have 1 024: what is known need not be found out again.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use super::{Broker, OrderInfo, RecordKey};
use crate::grpc::PopRequest;
use crate::ids::{GroupId, MessageQueue, TopicId};
use crate::model::Blocking;
use crate::shared::Shared;

/// Offset of a queue that is not known to be idle.
const UNKNOWN: i64 = -1;

/// By consumer group and topic, for each queue the consumer offset at which a POP found nothing and
/// changed nothing: the queue's end, with no message on its way. It is the same as long as the offset
/// and the end stay. A memory of what the rest of the broker says anyway, and so no part of its state.
#[derive(Clone, Debug, Default)]
pub struct IdleQueues(BTreeMap<(GroupId, TopicId), Vec<i64>>);

impl IdleQueues {
    /// The offset at which a queue was found idle.
    pub fn at(&self, group: GroupId, queue: MessageQueue) -> Option<i64> {
        let of = self.0.get(&(group, queue.topic))?;
        of.get(usize::from(queue.id)).copied().filter(|offset| *offset != UNKNOWN)
    }

    /// A POP found nothing at this offset.
    pub fn note(&mut self, group: GroupId, queue: MessageQueue, offset: i64) {
        let of = self.0.entry((group, queue.topic)).or_default();
        let place = usize::from(queue.id);
        if of.len() <= place {
            of.resize(place + 1, UNKNOWN);
        }
        of[place] = offset;
    }

    /// The consumer offset of a queue changes.
    pub fn forget(&mut self, group: GroupId, queue: MessageQueue) {
        let of = self.0.get_mut(&(group, queue.topic));
        if let Some(offset) = of.and_then(|of| of.get_mut(usize::from(queue.id))) {
            *offset = UNKNOWN;
        }
    }

    /// The broker starts from its files.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl PartialEq for IdleQueues {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for IdleQueues {}

impl Hash for IdleQueues {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl Broker {
    /// Whether a POP of a queue is known to find nothing and to change nothing. (The articles' model
    /// arms its timer with every look.)
    pub(super) fn is_idle(
        &self,
        shared: &Shared,
        request: &PopRequest,
        queue: MessageQueue,
    ) -> bool {
        if !self.pending_resets.is_empty() || shared.model.blocking != Blocking::Queue {
            return false;
        }
        let (_, end) = self.store.range(queue);
        self.pop.idle.at(request.group, queue) == Some(end)
    }

    /// Notes a queue that a POP has read at its end, where nothing of it is on its way.
    pub(super) fn note_idle(&mut self, key: RecordKey) {
        let end = self.store.range(key.1).1;
        let rests = self.pop.order.get(key).is_none_or(OrderInfo::is_done);
        if rests && self.offsets.get(&key) == Some(&end) {
            self.pop.idle.note(key.0, key.1, end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::BrokerId;

    #[test]
    fn what_is_noted_is_known_until_it_is_forgotten() {
        let queue = |id| MessageQueue { topic: TopicId(2), broker: BrokerId(0), id };
        let (group, other) = (GroupId(0), GroupId(1));
        let mut idle = IdleQueues::default();
        assert_eq!(idle.at(group, queue(3)), None);
        idle.note(group, queue(3), 0);
        assert_eq!((idle.at(group, queue(3)), idle.at(group, queue(2))), (Some(0), None));
        assert_eq!((idle.at(other, queue(3)), idle.at(group, queue(9))), (None, None));
        idle.note(group, queue(2), 7);
        idle.forget(group, queue(3));
        assert_eq!((idle.at(group, queue(3)), idle.at(group, queue(2))), (None, Some(7)));
        idle.clear();
        assert_eq!(idle.at(group, queue(2)), None);
    }
}
