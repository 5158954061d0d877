//! Messages as the application built them, and their copies in the store.

use crate::ids::{MessageGroupId, Ms, MsgId, ProducerId, TopicId};

/// A message as the application built it. It never changes; copies of it refer to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// Who sends it.
    pub producer: ProducerId,
    /// Where to.
    pub topic: TopicId,
    /// Its series: a message group, or a series without one.
    pub series: MessageGroupId,
    /// Its number in the series.
    pub number: u32,
    /// Tag, by number in the table of tags; 0 = none.
    pub tag: u16,
    /// Key (`KEYS`), by number in the table of keys; 0 = none.
    pub key: u16,
    /// Delay level; 0 = none.
    pub delay_level: u8,
    /// Arbitrary delay in ms; 0 = none.
    pub timer_delay_ms: Ms,
    /// Sent in a transaction (`TRAN_MSG`).
    pub transaction: bool,
    /// Extra time on its way to the broker in ms.
    pub travel_ms: Ms,
    /// Body size.
    pub body_bytes: u32,
    /// When the application built it.
    pub built_ms: Ms,
}

/// A record of the commit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    /// The message it is a copy of.
    pub msg: MsgId,
    /// Topic it is stored under.
    pub topic: TopicId,
    /// Queue id it is stored under.
    pub queue: u16,
    /// Its offset in that queue.
    pub offset: i64,
    /// Where it begins in the commit log, in bytes from the log's beginning.
    pub position: i64,
    /// When it was stored, by the broker's wall clock.
    pub store_ms: Ms,
    /// `reconsumeTimes`.
    pub reconsume_times: u16,
    /// Delay level that it waits under (property `DELAY`); 0 = none.
    pub delay_level: u8,
    /// Real topic and queue while it waits (properties `REAL_TOPIC`, `REAL_QID`).
    pub real: (TopicId, u16),
    /// Record size in bytes.
    pub bytes: u32,
}

/// An entry of a consume queue: 20 bytes in the real store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IndexEntry {
    /// Place in the commit log.
    pub record: crate::ids::RecordId,
    /// Hash of the tag; for a scheduled message the instant when it is due.
    pub tags_code: i64,
}
