//! What happens to one thing in two runs, side by side.

use super::names::Queue;
use super::{Side, TOLERANCE_MS};
use crate::fact::{Decision, Outcome, StopKind, StoredKind};
use crate::ids::Ms;

/// A thing, by the common numbers of its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    /// A process or a broker.
    Party(u32),
    /// A message on its way into its queue, and in the store.
    Message(u32),
    /// A message in a consumer group.
    Work { msg: u32, group: u32 },
    /// A message group in a consumer group: the order in which its messages are begun.
    Order { topic: u32, series: u32, group: u32 },
}

/// What happened to it. Equal when it is the same to people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Stored {
        queue: Queue,
        offset: u32,
        kind: StoredKind,
    },
    Scheduled {
        level: u8,
    },
    PutBack,
    SendFailed,
    Gone,
    Decided(Decision),
    Received {
        client: u32,
        attempt: u16,
    },
    Begun {
        client: u32,
        attempt: u32,
    },
    Ended(Outcome),
    Done,
    Discarded,
    Suspended,
    SentBack,
    Expired,
    Revived,
    Dead,
    Next {
        msg: u32,
    },
    Started,
    /// Its start was refused.
    Refused,
    Stopped(StopKind),
    Down,
}

/// One thing that happened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub at_ms: Ms,
    pub event: u32,
    /// Index among the facts of its run.
    pub fact: u32,
    pub what: What,
}

/// What happened to one thing in each run.
#[derive(Debug, Default)]
pub(super) struct Strand {
    pub sides: [Vec<Item>; 2],
    /// How many things are the same in both.
    agreed: usize,
    parted: bool,
}

impl Strand {
    /// Adds what happened next in a run.
    pub fn add(&mut self, key: Key, side: Side, item: Item) {
        self.sides[side.index()].push(item);
        let timeless = matches!(key, Key::Order { .. });
        while !self.parted {
            let (Some(a), Some(b)) =
                (self.sides[0].get(self.agreed), self.sides[1].get(self.agreed))
            else {
                return;
            };
            let near = timeless || (a.at_ms - b.at_ms).abs() < TOLERANCE_MS;
            if a.what == b.what && near {
                self.agreed += 1;
            } else {
                self.parted = true;
            }
        }
    }

    /// What each run does where they part, when both were played up to `horizon_ms`; None while they
    /// do the same.
    pub fn parting(&self, horizon_ms: Ms) -> Option<[Option<&Item>; 2]> {
        let items = [self.sides[0].get(self.agreed), self.sides[1].get(self.agreed)];
        // The other run may be a moment later with the same.
        let judged = |item: &&Item| item.at_ms + TOLERANCE_MS <= horizon_ms;
        let parts = self.parted || items.iter().flatten().any(judged);
        parts.then_some(items)
    }

    /// The same thing as `item`, later in a run.
    pub fn later(&self, side: Side, item: &Item) -> Option<&Item> {
        self.sides[side.index()].get(self.agreed..)?.iter().find(|other| other.what == item.what)
    }

    /// What had happened in a run up to an event.
    pub fn until(&self, side: Side, event: u32) -> &[Item] {
        let items = &self.sides[side.index()];
        &items[..items.partition_point(|item| item.event <= event)]
    }
}
