//! Commit log and consume queues of one broker.

use std::collections::VecDeque;
use std::rc::Rc;

use crate::ids::{MessageQueue, Ms, RecordId, TopicId};
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

    /// First offset whose record is not before `record`; the maximum when there is none.
    fn first_from(&self, record: u32) -> i64 {
        let (mut low, mut high) = (self.min_offset, self.max_offset());
        while low < high {
            let middle = (low + high) / 2;
            if self.entries.get(middle as usize).is_some_and(|e| e.record.0 < record) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// A segment of the commit log (`MappedFile`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Segment {
    /// Its first record.
    pub first: RecordId,
    /// Number of records.
    pub records: u32,
    /// Bytes written.
    pub bytes: i64,
    /// Last write, by the broker's wall clock (`lastModifiedTimestamp`).
    pub modified_ms: Ms,
}

/// The store of one broker.
#[derive(Clone, Debug, Hash)]
pub struct Store {
    log: Log<Record>,
    queues: Vec<Vec<Rc<ConsumeQueue>>>,
    segments: VecDeque<Segment>,
    first_record: u32,
    end_position: i64,
    /// Size at which the next segment begins, in bytes (`mappedFileSizeCommitLog`).
    pub segment_bytes: i64,
}

impl Default for Store {
    fn default() -> Self {
        Self {
            log: Log::default(),
            queues: Vec::new(),
            segments: VecDeque::new(),
            first_record: 0,
            end_position: 0,
            segment_bytes: 1 << 30,
        }
    }
}

impl Store {
    /// Appends a record to its queue, which is created on first use, and returns the record's place
    /// and queue offset. `tags_code` is the tag hash, or the due time of a scheduled message.
    pub fn append(&mut self, mut record: Record, tags_code: i64) -> (RecordId, i64) {
        let id = RecordId(self.log.len() as u32);
        let queue = self.queue_mut(record.topic.index(), usize::from(record.queue));
        record.offset = queue.max_offset();
        queue.entries.push(IndexEntry { record: id, tags_code });
        record.position = self.end_position;
        self.grow_segment(id, i64::from(record.bytes), record.store_ms);
        self.log.push(record);
        (id, record.offset)
    }

    fn grow_segment(&mut self, id: RecordId, bytes: i64, now_ms: Ms) {
        self.end_position += bytes;
        match self.segments.back_mut() {
            Some(active) if active.bytes + bytes <= self.segment_bytes => {
                active.records += 1;
                active.bytes += bytes;
                active.modified_ms = now_ms;
            }
            _ => self.segments.push_back(Segment {
                first: id,
                records: 1,
                bytes,
                modified_ms: now_ms,
            }),
        }
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
        let found = self.queues.get(queue.topic.index())?.get(usize::from(queue.id))?;
        // A neighbour's first write makes room for this one; it exists once it was written to.
        (found.max_offset() > 0).then_some(&**found)
    }

    /// A record by its place; None when retention deleted it.
    pub fn record(&self, id: RecordId) -> Option<&Record> {
        if id.0 < self.first_record {
            return None;
        }
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

    /// Number of records that were ever appended and not lost.
    pub fn record_count(&self) -> usize {
        self.log.len()
    }

    /// Where the next record will begin, in bytes from the beginning of the log.
    pub fn end_position(&self) -> i64 {
        self.end_position
    }

    /// Records that still exist, oldest first.
    pub fn records(&self) -> impl Iterator<Item = (RecordId, &Record)> {
        (self.first_record..self.log.len() as u32)
            .filter_map(|id| Some((RecordId(id), self.log.get(id as usize)?)))
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

    /// Segments of the commit log, oldest first; the last one is the active one.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &Segment> + ExactSizeIterator {
        self.segments.iter()
    }

    /// Deletes the oldest segment unless it is the active one. The minimum offsets of the queues
    /// still have to be corrected.
    pub fn delete_oldest_segment(&mut self) -> Option<Segment> {
        if self.segments.len() < 2 {
            return None;
        }
        let gone = self.segments.pop_front()?;
        self.first_record = gone.first.0 + gone.records;
        Some(gone)
    }

    /// Moves every queue's minimum to its first entry that still has a record; without one the
    /// minimum becomes the maximum. Returns what moved, by queue, with the old and new minimum.
    /// Source: `ConsumeQueue.correctMinOffset`.
    pub fn correct_min_offsets(&mut self) -> Vec<(TopicId, u16, i64, i64)> {
        let first = self.first_record;
        let mut moved = Vec::new();
        for (topic, queues) in self.queues.iter_mut().enumerate() {
            for (id, queue) in queues.iter_mut().enumerate() {
                let (old, new) = (queue.min_offset, queue.first_from(first));
                if new > old {
                    Rc::make_mut(queue).min_offset = new;
                    moved.push((TopicId(topic as u16), id as u16, old, new));
                }
            }
        }
        moved
    }

    /// Forgets all records from `first` on, as a machine does that lost power before they were on
    /// its disk. Returns them.
    pub fn truncate(&mut self, first: RecordId) -> Vec<Record> {
        let keep = first.index().min(self.log.len());
        let lost: Vec<Record> =
            (keep..self.log.len()).filter_map(|i| self.log.get(i)).copied().collect();
        for record in lost.iter().rev() {
            let queue = self.queue_mut(record.topic.index(), usize::from(record.queue));
            queue.entries.truncate(record.offset.max(0) as usize);
            queue.min_offset = queue.min_offset.min(queue.max_offset());
        }
        self.end_position -= lost.iter().map(|r| i64::from(r.bytes)).sum::<i64>();
        self.log.truncate(keep);
        while let Some(last) = self.segments.back_mut() {
            if last.first.index() >= keep {
                self.segments.pop_back();
                continue;
            }
            let begin = last.first.index();
            last.records = (keep - begin) as u32;
            last.bytes =
                (begin..keep).filter_map(|i| self.log.get(i)).map(|r| i64::from(r.bytes)).sum();
            break;
        }
        lost
    }
}

/// The minimum offset that a queue of equally large entries has after the log lost everything
/// before `min_position`: `entries` records of `size` bytes each.
pub fn corrected_min_offset(entries: i64, size: i64, min_position: i64) -> i64 {
    let size = size.max(1);
    ((min_position + size - 1) / size).clamp(0, entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{BrokerId, MsgId};

    fn record(queue: u16, bytes: u32, store_ms: Ms) -> Record {
        let topic = TopicId(5);
        Record {
            msg: MsgId(0),
            topic,
            queue,
            offset: 0,
            position: 0,
            store_ms,
            reconsume_times: 0,
            delay_level: 0,
            real: (topic, queue),
            bytes,
        }
    }

    fn queue(id: u16) -> MessageQueue {
        MessageQueue { topic: TopicId(5), broker: BrokerId(0), id }
    }

    #[test]
    fn the_minimum_moves_to_the_first_entry_that_still_has_a_record() {
        let mut store = Store { segment_bytes: 200, ..Store::default() };
        for i in 0..5 {
            store.append(record(0, 100, i), 0);
            if i < 2 {
                store.append(record(1, 100, i), 0);
            }
        }
        assert_eq!(store.segments().len(), 4);
        assert_eq!(store.delete_oldest_segment().map(|s| s.records), Some(2));
        assert_eq!(store.at(queue(0), 0), None, "gone before the index knows it");
        assert_eq!(store.range(queue(0)), (0, 5));
        assert_eq!(store.correct_min_offsets().len(), 2);
        assert_eq!((store.range(queue(0)), store.range(queue(1))), ((1, 5), (1, 2)));
        assert!(store.delete_oldest_segment().is_some());
        store.correct_min_offsets();
        assert_eq!(store.range(queue(1)), (2, 2), "nothing remains: minimum is maximum");
        assert!(store.delete_oldest_segment().is_some());
        assert_eq!(store.delete_oldest_segment(), None, "never the active one");
        assert_eq!(store.append(record(1, 100, 9), 0).1, 2, "the queue goes on counting");
    }

    #[test]
    fn the_rule_in_numbers() {
        assert_eq!(corrected_min_offset(10_000, 100, 2_000), 20);
        assert_eq!(corrected_min_offset(10_000, 100, 1_000_000), 10_000);
    }

    #[test]
    fn an_unflushed_tail_disappears_from_log_and_queues() {
        let mut store = Store { segment_bytes: 200, ..Store::default() };
        for i in 0..5 {
            store.append(record((i % 2) as u16, 100, i), 0);
        }
        assert_eq!(store.truncate(RecordId(3)).len(), 2);
        assert_eq!((store.range(queue(0)), store.range(queue(1))), ((0, 2), (0, 1)));
        assert_eq!((store.record_count(), store.segments().len()), (3, 2));
        assert_eq!(store.append(record(0, 100, 9), 0), (RecordId(3), 2));
        assert_eq!(store.at(queue(0), 2).map(|r| r.position), Some(300));
    }
}
