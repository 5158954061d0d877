//! Timers of the second stack.

use crate::ids::{GroupId, MessageQueue};

/// Timers of a broker for POP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PopTimer {
    /// The lock-free timer of a queue of a group.
    LockFree(GroupId, MessageQueue),
    /// The scan of waiting receives.
    PollScan,
    /// The revive service looks at checkpoints.
    Revive,
    /// Records of ordered POP go to disk.
    Flush,
}

impl PopTimer {
    /// Rank among the timers of a broker.
    pub fn rank(self) -> u32 {
        match self {
            Self::LockFree(..) => 0x101,
            Self::PollScan => 0x103,
            Self::Revive => 0x101,
            Self::Flush => 0x106,
        }
    }
}

/// Timers of a gRPC consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GrpcTimer {
    /// Assignments are asked for.
    Assignments,
    /// A heartbeat is sent.
    Heartbeat,
    /// Settings are asked for.
    Settings,
    /// The session with a proxy that is back is open again: settings are exchanged.
    Reconnect,
    /// Settings are asked for again after a request for the first ones failed.
    AskAgain,
    /// A receive is sent, by the number of its loop.
    Receive(u32),
    /// A lane goes on after its wait.
    Lane(u32),
    /// A clean stop looks whether it may go on.
    Close,
    /// A listener call begins.
    ListenerStart(u32),
    /// A listener call ends.
    ListenerEnd(u32),
}

impl GrpcTimer {
    /// Rank among the timers of a client, below 16.
    pub fn rank(self) -> u32 {
        match self {
            Self::Assignments | Self::Settings | Self::Reconnect | Self::AskAgain => 0,
            Self::Receive(_) => 3,
            Self::Lane(_) => 4,
            Self::Heartbeat => 6,
            Self::Close => 8,
            Self::ListenerStart(_) | Self::ListenerEnd(_) => 9,
        }
    }
}

/// Timers of a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProxyTimer {
    /// The scan of tracked handles.
    Renew,
    /// The scan for silent clients.
    ClientScan,
}
