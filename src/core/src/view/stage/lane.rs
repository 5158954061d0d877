//! What a lane shows: offsets, records, the lock or the order block, why it stands still.

use std::rc::Rc;

use super::{Named, RowView};
use crate::ids::{ClientId, MessageQueue, Ms};
use crate::view::history::Run;

/// A queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneView {
    /// The queue.
    pub queue: MessageQueue,
    /// Its short name, such as `q1`.
    pub name: Rc<str>,
    /// True for the queue of a retry topic.
    pub retry: bool,
    /// Whether consumers are given it: its id is below `readQueueNums`.
    pub readable: bool,
    /// Whether producers may choose it: its id is below `writeQueueNums`.
    pub writable: bool,
    /// Whether its broker runs.
    pub up: bool,
    /// Minimum offset.
    pub min: i64,
    /// Offsets below the minimum that can be seen, from [`Self::first`] on: deleted records.
    pub deleted: i64,
    /// Next offset that the group consumes; below the minimum when retention was faster.
    pub next: i64,
    /// Offset that the broker has recorded for the group.
    pub recorded: i64,
    /// Offset of a reset that waits for the next pull or POP of the queue.
    pub reset: Option<i64>,
    /// Maximum offset: the next to be written.
    pub max: i64,
    /// The next offset of each other consumer group, with the group's mark
    /// ([`GroupView::mark`](super::GroupView::mark)). It is counted as [`Self::next`] is: by the
    /// consumer that holds the queue, else by the broker.
    pub others: Vec<(char, i64)>,
    /// The first offset that can be seen.
    pub first: i64,
    /// Records that can be seen: from the first on, and the last one if others are hidden between.
    pub slots: Vec<SlotView>,
    /// Number of records between the last two of [`Self::slots`] that cannot be seen.
    pub hidden: i64,
    /// Messages on their way to it.
    pub arriving: u32,
    /// The lock, for orderly groups; the order block, where POP gives messages in order.
    pub lock: LockView,
    /// Why the lane stands still.
    pub stands: Option<Stands>,
    /// Since when it does.
    pub since_ms: Option<Ms>,
    /// How many messages waited in the last [`STRIP_MS`](super::STRIP_MS); empty where lanes are drawn.
    pub history: Vec<Run>,
    /// Rows of the consumers that have the queue.
    pub rows: Vec<RowView>,
}

impl LaneView {
    /// Maximum minus next: what waits, messages in flight included.
    pub fn lag(&self) -> i64 {
        (self.max - self.next).max(0)
    }

    /// How many offsets from the first on can be seen without a gap.
    pub fn shown(&self) -> i64 {
        self.deleted + self.slots.len() as i64 - i64::from(self.hidden > 0)
    }
}

/// A record's place in its lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotView {
    /// Offset.
    pub offset: i64,
    /// The message.
    pub name: Named,
    /// What the record is to the group.
    pub state: SlotState,
}

/// What a record is to the consumer group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotState {
    /// Can be delivered; its token lies in the slot.
    Ready,
    /// With a consumer; its token is away.
    Away,
    /// Waiting for retry after so many failures.
    Retry(u32),
    /// Held back by another message.
    Blocked,
    /// Delivered by POP, not acknowledged, and with no consumer: nobody is given it before the
    /// second instant.
    Invisible {
        /// Its delivery.
        from_ms: Ms,
        /// When it is visible again.
        until_ms: Ms,
    },
    /// Acknowledged.
    Done,
    /// A dead letter of the group: it was given up, and its offset passed.
    Dead,
    /// The group's offset went past it, and it was never delivered to the group.
    Passed,
}

impl SlotState {
    /// Whether the group is through with the record.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Dead | Self::Passed)
    }
}

/// Why a lane stands still.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stands {
    /// A failed message suspended it until an instant.
    Suspended {
        /// The message.
        name: Named,
        /// When it began.
        from_ms: Ms,
        /// When the message is handled again.
        until_ms: Ms,
    },
    /// A failed message that holds others back is being handled again.
    Retrying {
        /// The message.
        name: Named,
    },
    /// POP: a consumer waits before it tries a failed message again; the queue yields nothing
    /// meanwhile.
    BackOff {
        /// The message.
        name: Named,
        /// When the attempt before ended.
        from_ms: Ms,
        /// When the next attempt starts.
        until_ms: Ms,
    },
    /// POP: nobody works on a delivered message; the queue yields nothing before it is acknowledged
    /// or visible again.
    Unacknowledged {
        /// The message.
        name: Named,
        /// Its delivery.
        from_ms: Ms,
        /// When it is visible again.
        until_ms: Ms,
    },
    /// Its owner is gone; its lock lives on.
    OwnerGone,
    /// Nobody holds its lock though somebody should.
    NoOwner,
}

/// A queue lock at the broker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LockView {
    /// The group takes no locks.
    #[default]
    None,
    /// Nobody holds it.
    Free,
    /// Somebody holds it.
    Held {
        /// Who.
        owner: ClientId,
        /// Its name.
        name: Rc<str>,
        /// True when that process is gone.
        gone: bool,
        /// Last grant or renewal.
        from_ms: Ms,
        /// The first instant at which the lease is not over yet is before this one.
        until_ms: Ms,
    },
    /// Messages are given in order by POP, and nothing holds the queue back.
    Open,
    /// Messages are given in order by POP; the queue yields nothing before this one is acknowledged
    /// or visible again (in the articles' model: nothing of its message group).
    Block {
        /// The first message that is neither.
        name: Named,
        /// Its delivery.
        from_ms: Ms,
        /// When it is visible again.
        until_ms: Ms,
    },
}
