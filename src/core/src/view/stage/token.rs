//! Where the tokens of a stage are, and in which state.

use super::Named;
use crate::ids::{ClientId, Ms};

/// A token: the delivery of one message to the group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenView {
    /// The message.
    pub name: Named,
    /// Where it is.
    pub place: Place,
    /// Its state.
    pub state: TokenState,
    /// 0, or the number of the copy where a message is in several places at once.
    pub copy: u32,
    /// Which producer it came from, by its place in [`StageView::producers`](super::StageView::producers).
    pub producer: usize,
}

/// Where a token is. Numbers are places in the lists of [`StageView`](super::StageView).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// On the wire to a lane, as the n-th of those that are under way to it.
    Wire {
        /// Port; None without a message group.
        port: Option<usize>,
        /// Lane; None when the topic is folded.
        lane: Option<usize>,
        /// N-th.
        nth: u32,
    },
    /// In its slot.
    Slot {
        /// Lane.
        lane: usize,
        /// Offset.
        offset: i64,
    },
    /// With a consumer, as the n-th message of its call.
    Row {
        /// Lane.
        lane: usize,
        /// Consumer.
        client: ClientId,
        /// N-th.
        nth: u32,
    },
    /// Under a delay level.
    Shelf {
        /// Level from 1; 0 = the timer wheel.
        level: u8,
        /// N-th from the head.
        nth: u32,
    },
    /// With a gRPC consumer.
    Hold {
        /// Consumer.
        client: ClientId,
        /// Place in its [`ConsumerView::holds`](super::ConsumerView::holds).
        hold: usize,
        /// N-th message of it.
        nth: u32,
    },
    /// A half message.
    Half {
        /// N-th.
        nth: u32,
    },
    /// A dead letter.
    Tray {
        /// N-th.
        nth: u32,
    },
}

/// State of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenState {
    /// Built and on its way to the broker, which has not stored it. RocketMQ's state *initialized*.
    Initialised,
    /// Deliverable.
    Ready,
    /// With a consumer, between two instants.
    InFlight {
        /// Beginning of the listener call.
        from_ms: Ms,
        /// Its end.
        until_ms: Ms,
        /// True when it was handled before.
        again: bool,
    },
    /// With a consumer that does not handle it at the moment.
    Held,
    /// Delivered by POP, not acknowledged, and with no consumer, between two instants.
    Invisible {
        /// Its delivery.
        from_ms: Ms,
        /// When it is visible again.
        until_ms: Ms,
    },
    /// Waiting for retry after so many failures.
    Retry(u32),
    /// Held back by another message.
    Blocked,
    /// Under a delay level.
    Scheduled,
    /// A dead letter.
    Dead,
}
