//! One read of a queue (`DefaultMessageStore.getMessage`): the store's status, where to go on, and
//! how many messages come back.

use super::Broker;
use crate::event::{Cached, PullStatus};
use crate::ids::MessageQueue;
use crate::model::{Model, Version};
use crate::shared::Shared;

const MIB: i64 = 1024 * 1024;
/// Bytes of an index entry (`CQ_STORE_UNIT_SIZE`).
const INDEX_ENTRY_BYTES: i64 = 20;

/// The store's own answer (`GetMessageStatus`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GetStatus {
    /// FOUND
    Found,
    /// NO_MATCHED_MESSAGE: nothing passes the filter.
    NoMatchedMessage,
    /// MESSAGE_WAS_REMOVING: the index still knows messages that retention deleted.
    MessageWasRemoving,
    /// OFFSET_OVERFLOW_BADLY: beyond the maximum.
    OffsetOverflowBadly,
    /// OFFSET_OVERFLOW_ONE: the maximum itself.
    OffsetOverflowOne,
    /// OFFSET_TOO_SMALL: below the minimum.
    OffsetTooSmall,
    /// NO_MATCHED_LOGIC_QUEUE: nothing was ever written to the queue.
    NoMatchedLogicQueue,
    /// NO_MESSAGE_IN_QUEUE: the queue holds nothing.
    NoMessageInQueue,
    /// OFFSET_RESET: a pending reset was taken up.
    OffsetReset,
}

impl GetStatus {
    /// RocketMQ's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Found => "FOUND",
            Self::NoMatchedMessage => "NO_MATCHED_MESSAGE",
            Self::MessageWasRemoving => "MESSAGE_WAS_REMOVING",
            Self::OffsetOverflowBadly => "OFFSET_OVERFLOW_BADLY",
            Self::OffsetOverflowOne => "OFFSET_OVERFLOW_ONE",
            Self::OffsetTooSmall => "OFFSET_TOO_SMALL",
            Self::NoMatchedLogicQueue => "NO_MATCHED_LOGIC_QUEUE",
            Self::NoMessageInQueue => "NO_MESSAGE_IN_QUEUE",
            Self::OffsetReset => "OFFSET_RESET",
        }
    }

    /// What a classic pull that asked for `offset` is answered.
    /// Source: `PullMessageProcessor.composeResponseHeader`.
    pub fn response(self, offset: i64) -> PullStatus {
        match self {
            Self::Found => PullStatus::Found,
            Self::NoMatchedMessage | Self::MessageWasRemoving => PullStatus::RetryImmediately,
            Self::OffsetOverflowOne => PullStatus::NotFound,
            Self::NoMatchedLogicQueue | Self::NoMessageInQueue if offset == 0 => {
                PullStatus::NotFound
            }
            Self::NoMatchedLogicQueue
            | Self::NoMessageInQueue
            | Self::OffsetOverflowBadly
            | Self::OffsetTooSmall
            | Self::OffsetReset => PullStatus::OffsetMoved,
        }
    }
}

impl PullStatus {
    /// RocketMQ's name and response code.
    pub fn name(self) -> (&'static str, i32) {
        match self {
            Self::Found => ("SUCCESS", 0),
            Self::NotFound => ("PULL_NOT_FOUND", 19),
            Self::RetryImmediately => ("PULL_RETRY_IMMEDIATELY", 20),
            Self::OffsetMoved => ("PULL_OFFSET_MOVED", 21),
            Self::IllegalQueue => ("INVALID_PARAMETER", 29),
            Self::SubscriptionNotExist => ("SUBSCRIPTION_NOT_EXIST", 24),
            Self::SubscriptionNotLatest => ("SUBSCRIPTION_NOT_LATEST", 25),
        }
    }
}

/// The status of a request that the offsets alone decide, with the offset to go on from; None when
/// the index has entries for it. `range` is minimum and maximum, None for an unknown queue. Up to
/// 4.9.3 what is beyond the end of a queue that has lost nothing goes on at its beginning.
/// Source: `DefaultMessageStore.getMessage`.
pub fn status_by_range(
    version: Version,
    offset: i64,
    range: Option<(i64, i64)>,
) -> Option<(GetStatus, i64)> {
    let Some((min, max)) = range else { return Some((GetStatus::NoMatchedLogicQueue, 0)) };
    if max == 0 {
        return Some((GetStatus::NoMessageInQueue, 0));
    }
    if offset < min {
        return Some((GetStatus::OffsetTooSmall, min));
    }
    match offset.cmp(&max) {
        std::cmp::Ordering::Less => None,
        std::cmp::Ordering::Equal => Some((GetStatus::OffsetOverflowOne, max)),
        std::cmp::Ordering::Greater => {
            let begins_anew = min == 0 && version < Version(4, 9, 4);
            Some((GetStatus::OffsetOverflowBadly, if begins_anew { 0 } else { max }))
        }
    }
}

/// Bytes of newest log that count as being in memory.
pub fn memory_bytes(model: &Model) -> i64 {
    model.total_physical_memory_mib * MIB / 100 * model.access_message_in_memory_max_ratio_percent
}

/// Whether a read is full before a further record. Source: `DefaultMessageStore.isTheBatchFull`.
#[derive(Clone, Copy, Debug)]
pub struct Batch {
    /// Messages asked for.
    pub requested: usize,
    /// Messages so far.
    pub count: usize,
    /// Bytes so far.
    pub bytes: i64,
}

impl Batch {
    /// True when a record of `size` bytes does not fit any more; the first one always does.
    pub fn is_full(&self, model: &Model, size: i64, in_memory: bool) -> bool {
        if self.count == 0 {
            return false;
        }
        let (bytes, count) = if in_memory {
            (
                model.max_transfer_bytes_on_message_in_memory,
                model.max_transfer_count_on_message_in_memory,
            )
        } else {
            (
                model.max_transfer_bytes_on_message_in_disk,
                model.max_transfer_count_on_message_in_disk,
            )
        };
        self.count >= self.requested || self.bytes + size > bytes || self.count as i64 >= count
    }
}

/// Most index entries that one read walks over.
pub fn filter_entries(model: &Model, requested: usize) -> i64 {
    model.max_filter_message_size_bytes.max(requested as i64 * INDEX_ENTRY_BYTES)
        / INDEX_ENTRY_BYTES
}

/// A read of a queue.
pub struct Read {
    /// What the answer to a pull will say; `NotFound` asks for a hold.
    pub status: PullStatus,
    /// The store's own status.
    pub store: GetStatus,
    /// Where to go on.
    pub next_offset: i64,
    /// Messages that the filter left out.
    pub skipped: u16,
    /// What was found.
    pub messages: Vec<Cached>,
}

impl Read {
    /// A read that found nothing.
    pub fn nothing(offset: i64, store: GetStatus, next_offset: i64) -> Self {
        let status = store.response(offset);
        Self { status, store, next_offset, skipped: 0, messages: Vec::new() }
    }
}

impl Broker {
    /// Reads up to `max` messages from an offset. `tags` empty = all; they are compared by hash.
    pub fn read(
        &self,
        shared: &Shared,
        queue: MessageQueue,
        offset: i64,
        max: usize,
        tags: &[u16],
    ) -> Read {
        let found = self.store.queue(queue);
        let range = found.map(|q| (q.min_offset, q.max_offset()));
        if let Some((status, next)) = status_by_range(shared.model.version, offset, range) {
            return Read::nothing(offset, status, next);
        }
        let Some(index) = found else {
            return Read::nothing(offset, GetStatus::NoMatchedLogicQueue, 0);
        };
        let model = &*shared.model;
        let top = index.max_offset().min(offset + filter_entries(model, max));
        let memory_from = self.store.end_position() - memory_bytes(model);
        let mut batch = Batch { requested: max, count: 0, bytes: 0 };
        let mut read = Read::nothing(offset, GetStatus::NoMatchedMessage, offset);
        while read.next_offset < top {
            let Some(entry) = index.get(read.next_offset) else { break };
            if tags.is_empty() || tags.iter().any(|t| shared.names.tag_hash(*t) == entry.tags_code)
            {
                match self.store.record(entry.record) {
                    None if batch.count == 0 => read.store = GetStatus::MessageWasRemoving,
                    None => {}
                    Some(record) => {
                        let size = i64::from(record.bytes);
                        if batch.is_full(model, size, record.position >= memory_from) {
                            break;
                        }
                        batch.count += 1;
                        batch.bytes += size;
                        read.messages.push(Cached {
                            offset: read.next_offset,
                            msg: record.msg,
                            reconsume_times: u32::from(record.reconsume_times),
                            bytes: shared.message(record.msg).body_bytes,
                            store_ms: record.store_ms,
                        });
                    }
                }
            } else {
                read.skipped += 1;
            }
            read.next_offset += 1;
        }
        if batch.count > 0 {
            read.store = GetStatus::Found;
        }
        read.status = read.store.response(offset);
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_offsets_decide_in_this_order() {
        let cases = [
            (0, None, GetStatus::NoMatchedLogicQueue, 0, 19),
            (7, None, GetStatus::NoMatchedLogicQueue, 0, 21),
            (0, Some((0, 0)), GetStatus::NoMessageInQueue, 0, 19),
            (5, Some((0, 0)), GetStatus::NoMessageInQueue, 0, 21),
            (5, Some((10, 20)), GetStatus::OffsetTooSmall, 10, 21),
            (20, Some((10, 20)), GetStatus::OffsetOverflowOne, 20, 19),
            (21, Some((10, 20)), GetStatus::OffsetOverflowBadly, 20, 21),
        ];
        for (offset, range, status, next, code) in cases {
            let found = status_by_range(Version(5, 3, 3), offset, range);
            assert_eq!(found, Some((status, next)), "{offset} {range:?}");
            assert_eq!(status.response(offset).name().1, code);
        }
        assert_eq!(status_by_range(Version(5, 3, 3), 15, Some((10, 20))), None);
        for (version, min, next) in [((4, 9, 3), 0, 0), ((4, 9, 3), 10, 20), ((4, 9, 4), 0, 20)] {
            let version = Version(version.0, version.1, version.2);
            let found = status_by_range(version, 21, Some((min, 20)));
            assert_eq!(found, Some((GetStatus::OffsetOverflowBadly, next)), "{version:?} {min}");
        }
        assert_eq!(GetStatus::MessageWasRemoving.response(3).name().1, 20);
        assert_eq!(GetStatus::OffsetReset.response(3).name().1, 21);
    }

    fn returned(sizes: &[i64], in_memory: bool) -> usize {
        let model = Model::of(Version(5, 3, 3));
        let mut batch = Batch { requested: 32, count: 0, bytes: 0 };
        for size in sizes {
            if batch.is_full(&model, *size, in_memory) {
                break;
            }
            batch.count += 1;
            batch.bytes += size;
        }
        batch.count
    }

    #[test]
    fn a_read_is_full_by_bytes_and_count_and_earlier_from_disk() {
        assert_eq!(returned(&[102_400; 3], true), 2);
        assert_eq!(returned(&[102_400; 2], false), 1);
        assert_eq!(returned(&[200; 40], true), 32);
        assert_eq!(returned(&[200; 40], false), 8);
        assert_eq!(returned(&[1_000_000], false), 1);
    }

    #[test]
    fn a_filtered_read_walks_800_entries() {
        let model = Model::of(Version(5, 3, 3));
        assert_eq!((filter_entries(&model, 32), filter_entries(&model, 1_000)), (800, 1_000));
    }
}
