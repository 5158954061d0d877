//! What a watch remembers of messages, message groups and queues.

use super::cached::Reader;
use crate::ids::{ClientId, GroupId, MessageGroupId, MessageQueue, Ms, MsgId};

/// Of a message: where it was stored first, and its rank in its message group by storing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    pub(super) queue: MessageQueue,
    pub(super) offset: u32,
    /// The order that it is in.
    pub(super) of: MessageGroupId,
    pub(super) rank: u32,
    /// It is not on disk any more, though a consumer may have it in its cache.
    pub(super) lost: bool,
}

/// What a group did with a message.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    pub(super) begun: bool,
    pub(super) failed: bool,
    pub(super) done: bool,
    /// What becomes of it no longer hangs on its record: a listener of a gRPC consumer succeeded with it, or
    /// it was sent back.
    pub(super) apart: bool,
    /// The gRPC consumer that received it last.
    pub(super) given: Option<ClientId>,
    /// Its newest listener call failed, or was taken back by a rollback behind it.
    pub(super) failed_last: bool,
    pub(super) dead: bool,
    /// It was sent back to a group without retry queues: it is stored nowhere.
    pub(super) nowhere: bool,
    /// The newest attempt.
    pub(super) attempt: u32,
    /// The attempt that failed as the last one that the limit allowed; 0 = none.
    pub(super) used_up: u32,
}

/// Of a message group: the message that was stored last in its order, its queue, and how many are stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Series {
    pub(super) msg: MsgId,
    pub(super) queue: MessageQueue,
    pub(super) count: u32,
}

/// Highest ranks of a consumer group in a message group, with their messages.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Track {
    pub(super) delivered: Option<(u32, MsgId)>,
    pub(super) acknowledged: Option<(u32, MsgId)>,
}

/// A queue and what groups did in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    /// The event and the instant of each record.
    pub(super) stored: Vec<(u32, Ms)>,
    pub(super) groups: Vec<OfGroup>,
    /// What was stored until an event by which the end of the queue was lost, by these events.
    before: Vec<(u32, Vec<(u32, Ms)>)>,
}

impl Queue {
    /// The records behind an event of the past.
    pub(super) fn stored_at(&self, event: u32) -> &[(u32, Ms)] {
        let later = self.before.iter().find(|(lost, _)| *lost > event);
        let stored = later.map_or(&self.stored, |(_, stored)| stored);
        &stored[..stored.partition_point(|(of, _)| *of <= event)]
    }

    /// The record at an offset and all behind it are lost: their offsets are given to others.
    pub(super) fn lose(&mut self, event: u32, offset: u32) {
        if self.before.last().is_none_or(|(lost, _)| *lost != event) {
            self.before.push((event, self.stored.clone()));
        }
        self.stored.truncate(offset as usize);
        for own in &mut self.groups {
            own.lose(event, offset);
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct OfGroup {
    pub(super) group: GroupId,
    /// How far it was, by events; never empty.
    pub(super) past: Vec<Standing>,
    pub(super) highest: Option<(u32, MsgId)>,
    /// The lowest offset at which it ever began to read.
    pub(super) begins: Option<u32>,
    /// Records that nobody of the group waits for, as ranges of offsets `from..until`.
    passed: Vec<(u32, u32)>,
    /// Its classic consumers that have the queue.
    pub(super) readers: Vec<Reader>,
}

/// How far a group is in a queue since an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    pub(super) event: u32,
    pub(super) done: u32,
    pub(super) since_ms: Ms,
}

impl OfGroup {
    pub(super) fn new(group: GroupId, first: Standing) -> Self {
        let (passed, readers) = (Vec::new(), Vec::new());
        Self { group, past: vec![first], highest: None, begins: None, passed, readers }
    }

    /// These records are filtered, or were passed over: nobody waits for them.
    pub(super) fn pass(&mut self, from: u32, until: u32) {
        if !self.passed.contains(&(from, until)) {
            self.passed.push((from, until));
        }
    }

    /// The record at an offset and all behind it are lost.
    fn lose(&mut self, event: u32, offset: u32) {
        let now = self.now();
        if now.done > offset {
            self.set(Standing { event, done: offset, ..now });
        }
        self.passed.retain_mut(|(from, until)| {
            *until = (*until).min(offset);
            from < until
        });
    }

    /// Goes over what nobody waits for. The queue has then waited since the next record was stored, at
    /// the earliest.
    pub(super) fn skip(&mut self, event: u32, stored: &[(u32, Ms)]) {
        let Standing { mut done, mut since_ms, .. } = self.now();
        let here = |done: u32, range: &(u32, u32)| (range.0..range.1).contains(&done);
        let before = done;
        while let Some(place) = self.passed.iter().position(|range| here(done, range)) {
            done = self.passed.swap_remove(place).1;
        }
        if done > before {
            let next = stored.get(done as usize);
            since_ms = next.map_or(since_ms, |(_, at_ms)| since_ms.max(*at_ms));
            self.set(Standing { event, done, since_ms });
        }
    }

    pub(super) fn now(&self) -> Standing {
        self.past.last().copied().unwrap_or(Standing { event: 0, done: 0, since_ms: 0 })
    }

    pub(super) fn set(&mut self, standing: Standing) {
        match self.past.last_mut().filter(|last| last.event == standing.event) {
            Some(last) => *last = standing,
            None => self.past.push(standing),
        }
    }
}

/// The entry of a place, made when it is new.
pub(super) fn entry<T: Default>(table: &mut Vec<T>, place: usize) -> &mut T {
    if table.len() <= place {
        table.resize_with(place + 1, T::default);
    }
    &mut table[place]
}

/// The entry of a queue, made when it is new.
pub(super) fn queue_of(queues: &mut Vec<Vec<Vec<Queue>>>, queue: MessageQueue) -> &mut Queue {
    let of_broker = entry(entry(queues, queue.topic.index()), queue.broker.index());
    entry(of_broker, usize::from(queue.id))
}
