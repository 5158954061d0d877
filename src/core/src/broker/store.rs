//! Commit log and consume queues of one broker.

use std::rc::Rc;

use crate::ids::{MessageQueue, Ms, RecordId};
use crate::log::Log;
use crate::message::{IndexEntry, Record};

/// Bytes that a record needs beside its body: header and properties, rounded.
pub const RECORD_OVERHEAD_BYTES: u32 = 91;

/// A consume queue: the index of one queue of one topic.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ConsumeQueue {
    entries: Log<IndexEntry>,
    /// First offset that can still be read.
    pub min_offset: i64,
}

impl ConsumeQueue {
    /// Next offset to be assigned.
    pub fn max_offset(&self) -> i64 {
        self.entries.len() as i64
    }

    /// The entry at an offset; None outside minimum and maximum.
    pub fn get(&self, offset: i64) -> Option<&IndexEntry> {
        if offset < self.min_offset {
            return None;
        }
        self.entries.get(usize::try_from(offset).ok()?)
    }
}

/// The store of one broker.
#[derive(Clone, Debug, Default, Hash)]
pub struct Store {
    log: Log<Record>,
    queues: Vec<Vec<Rc<ConsumeQueue>>>,
}

impl Store {
    /// Appends a record to its queue, which is created on first use, and returns the record's place
    /// and queue offset. `tags_code` is the tag hash, or the due time of a scheduled message.
    pub fn append(&mut self, mut record: Record, tags_code: i64) -> (RecordId, i64) {
        let id = RecordId(self.log.len() as u32);
        let queue = self.queue_mut(record.topic.index(), usize::from(record.queue));
        record.offset = queue.max_offset();
        queue.entries.push(IndexEntry { record: id, tags_code });
        self.log.push(record);
        (id, record.offset)
    }

    fn queue_mut(&mut self, topic: usize, queue: usize) -> &mut ConsumeQueue {
        if self.queues.len() <= topic {
            self.queues.resize_with(topic + 1, Vec::new);
        }
        let queues = &mut self.queues[topic];
        if queues.len() <= queue {
            queues.resize_with(queue + 1, Rc::default);
        }
        Rc::make_mut(&mut queues[queue])
    }

    /// A queue; None when nothing was ever written to it.
    pub fn queue(&self, queue: MessageQueue) -> Option<&ConsumeQueue> {
        self.queues.get(queue.topic.index())?.get(usize::from(queue.id)).map(|q| &**q)
    }

    /// A record by its place.
    pub fn record(&self, id: RecordId) -> Option<&Record> {
        self.log.get(id.index())
    }

    /// A record by queue and offset.
    pub fn at(&self, queue: MessageQueue, offset: i64) -> Option<&Record> {
        self.record(self.queue(queue)?.get(offset)?.record)
    }

    /// Minimum and maximum offset of a queue; 0 and 0 when it does not exist.
    pub fn range(&self, queue: MessageQueue) -> (i64, i64) {
        self.queue(queue).map_or((0, 0), |q| (q.min_offset, q.max_offset()))
    }

    /// Number of records in the commit log.
    pub fn record_count(&self) -> usize {
        self.log.len()
    }

    /// Moves a queue's minimum up, as retention does.
    pub fn set_min_offset(&mut self, queue: MessageQueue, min_offset: i64) {
        let q = self.queue_mut(queue.topic.index(), usize::from(queue.id));
        q.min_offset = min_offset.clamp(q.min_offset, q.max_offset());
    }

    /// Store time of the record at an offset.
    pub fn store_ms(&self, queue: MessageQueue, offset: i64) -> Option<Ms> {
        self.at(queue, offset).map(|r| r.store_ms)
    }
}
