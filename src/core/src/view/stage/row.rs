//! What a consumer shows, and what it does with each queue that it has.

use std::rc::Rc;

use super::{ConsumerKind, HoldView, Named};
use crate::ids::{ClientId, Ms};

/// A consumer process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsumerView {
    /// Id.
    pub id: ClientId,
    /// Name.
    pub name: Rc<str>,
    /// What it is doing.
    pub state: ConsumerState,
    /// The next renewal of its locks.
    pub renews_ms: Option<Ms>,
    /// Lanes that it has a row in, by their place in [`StageView::lanes`](super::StageView::lanes).
    pub lanes: Vec<usize>,
    /// Which client it is.
    pub kind: ConsumerKind,
    /// gRPC: what it holds, one entry for what it handles one after the other.
    pub holds: Vec<HoldView>,
    /// gRPC: how many entries a card has room for at least, so that it keeps its height.
    pub rows: u32,
    /// gRPC: messages that it received and has not finished.
    pub cached: u32,
    /// gRPC: its receives that wait at a broker, and when the first of them is answered at the latest.
    pub polls: (u32, Ms),
}

/// What a consumer process is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsumerState {
    /// It runs.
    Running,
    /// It stands still.
    Hanging,
    /// It is gone.
    Gone,
}

/// What a consumer does with a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowView {
    /// The consumer.
    pub client: ClientId,
    /// Messages in its cache.
    pub cached: u32,
    /// What it does.
    pub state: RowState,
}

/// What a consumer does with a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowState {
    /// A listener call runs; the messages are tokens at this row.
    Handling {
        /// The messages.
        names: Vec<Named>,
        /// When the call began.
        from_ms: Ms,
        /// When it ends, as the simulation knows.
        until_ms: Ms,
    },
    /// Suspended until the message is handled again.
    Suspended {
        /// The message.
        name: Named,
        /// When it began.
        from_ms: Ms,
        /// When it ends.
        until_ms: Ms,
    },
    /// The lock is asked for again at an instant.
    Relock {
        /// When.
        at_ms: Ms,
    },
    /// Nothing to do, for a reason.
    Idle(Idle),
}

/// Why a consumer has nothing to do with a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idle {
    /// Everything is consumed.
    NothingToPull,
    /// The first pull or the next pull has not come yet.
    NotPulledYet,
    /// It does not hold the lock.
    NoLock,
    /// With autoCommit off: all that it pulled is handled, and the listener has not said COMMIT.
    NotCommitted,
    /// Every thread is busy.
    NoThread,
    /// The queue was given away and the listener is waited for.
    Leaving,
    /// Consumption is paused.
    Paused,
    /// The process stands still or is gone.
    Still,
}
