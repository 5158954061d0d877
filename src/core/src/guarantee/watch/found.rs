//! What a watch finds.

use crate::guarantee::Guarantee;
use crate::ids::{GroupId, MessageQueue, Ms, MsgId};

/// Most breaches that are kept; more are counted in none of the verdicts.
pub const MOST_BREACHES: usize = 10_000;

/// A broken guarantee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Breach {
    /// Which guarantee.
    pub guarantee: Guarantee,
    /// When.
    pub at_ms: Ms,
    /// In which event.
    pub event: u32,
    /// For which consumer group; None = on the way to the broker.
    pub group: Option<GroupId>,
    /// The message that should have come first, where two are involved.
    pub earlier: Option<MsgId>,
    /// The message that it happened to.
    pub msg: MsgId,
}

/// Deliveries that were not the first, by what caused them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Duplicates {
    /// After a failure: repeats that are meant.
    pub retries: u32,
    /// After a hand-over, a crash or a lost result: the offset was not recorded.
    pub hand_overs: u32,
    /// After a reset back.
    pub resets: u32,
    /// Because the invisible time was over before the acknowledgement.
    pub expiries: u32,
}

impl Duplicates {
    /// All deliveries that were not the first.
    pub fn all(&self) -> u32 {
        self.retries + self.hand_overs + self.resets + self.expiries
    }
}

/// A time in which a queue stood still although something waited in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    /// Queue.
    pub queue: MessageQueue,
    /// Since when.
    pub from_ms: Ms,
    /// Until when; the present while it lasts.
    pub until_ms: Ms,
    /// The message that ended it by being finished, or that stands first while it lasts.
    pub by: Option<MsgId>,
    /// True while it lasts.
    pub lasts: bool,
}
