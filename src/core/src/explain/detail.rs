//! What a reason is told with: what refuses, what the message in front does, what may come before an end.

use crate::client::Thread;
use crate::ids::{BrokerId, ClientId, Ms, Party, ProxyId};

/// What refuses the requests of a consumer again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refusing {
    /// A proxy that answers receives with an error.
    Proxy(ProxyId),
    /// What a proxy remembers of the topic's route.
    OldRoute {
        /// Which proxy.
        proxy: ProxyId,
        /// Until when that is not old enough to be asked for anew, in ms; None = the next request does.
        until_ms: Option<Ms>,
    },
    /// A broker that does not know what the consumer subscribes to (SUBSCRIPTION_NOT_EXIST).
    Unregistered {
        /// Which broker.
        broker: BrokerId,
        /// It knows the consumer, and the heartbeat of another member has taken the topic out of the
        /// group's table; otherwise it has started, or given the consumer up, since the last heartbeat.
        replaced: bool,
        /// The member whose heartbeat takes the topic out again, and when it does next behind that of the
        /// consumer, in ms.
        again: Option<(ClientId, Ms)>,
        /// The consumer's next heartbeat, in ms, where it is due.
        at_ms: Option<Ms>,
    },
    /// A broker whose table has an older subscription of the topic than the consumer's
    /// (SUBSCRIPTION_NOT_LATEST).
    Outdated {
        /// Which broker.
        broker: BrokerId,
        /// The consumer's next heartbeat, in ms, where it is due.
        at_ms: Option<Ms>,
    },
}

/// What the message in front does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each variant's sentence names its fields")]
#[rustfmt::skip]
pub enum Doing {
    /// A listener call runs.
    Handled { until_ms: Ms },
    /// It failed and pauses.
    Suspended { failures: u32, until_ms: Ms },
    /// It is being sent back or made a dead letter.
    SendingBack,
    /// Its consumer lost the lock of the queue, or (`expired`) no longer trusts it.
    LockMissing { expired: bool },
    /// The broker's lock of the queue is another's until `until_ms`.
    LockHeld { owner: ClientId, gone: bool, until_ms: Ms },
    /// Its consumer needs a lock that it trusts, and is cut off from the broker that gives it.
    CutOff { from: Party },
    /// Its consumer needs a lock that it trusts, and the broker that gives it is down.
    BrokerDown { broker: BrokerId },
    /// All threads of its consumer are taken.
    NoThread { threads: u16 },
    /// A listener of an earlier hold of the same queue is still running.
    OldListener,
    /// A thread of its consumer waits for an answer of a broker, and the next step of its queue comes after it.
    ThreadWaits { thread: Thread },
    /// It failed; a push consumer waits before it handles it again.
    BackOff { until_ms: Ms },
    /// It is being acknowledged.
    Acting,
    /// It is about to be handled.
    Waits,
}

impl Doing {
    /// True when the message in front stands still itself: what keeps it, and what moves it, holds for all that
    /// waits behind it.
    pub(super) fn stands_still(self) -> bool {
        match self {
            Self::LockMissing { .. }
            | Self::LockHeld { .. }
            | Self::CutOff { .. }
            | Self::BrokerDown { .. }
            | Self::NoThread { .. }
            | Self::OldListener
            | Self::ThreadWaits { .. } => true,
            Self::Handled { .. }
            | Self::Suspended { .. }
            | Self::SendingBack
            | Self::BackOff { .. }
            | Self::Acting
            | Self::Waits => false,
        }
    }
}

/// What may change the end of an invisible time before it comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Longer {
    /// Nothing but the consumer's own request.
    No,
    /// A proxy renews it as long as it counts the consumer as its client.
    Renewed,
    /// Nobody got the answer that delivered it, and no repeat of that receive gets it earlier.
    Unheard,
    /// Nobody got the answer that delivered it: a repeat of that receive by this consumer, with the same
    /// attempt id, gets it before (`ConsumerOrderInfoManager.checkBlock`).
    Repeatable {
        /// Whose receive it was.
        client: ClientId,
    },
    /// The answer that delivered it has come to a consumer that stands still, which takes it when it goes on.
    Standing {
        /// Who.
        client: ClientId,
    },
}

/// Why the result of a listener call counts for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Void {
    /// Its consumer has parted with the queue since the call began.
    Parted,
    /// The queue is another's, and its consumer does not know it yet.
    Unaware,
    /// The message was delivered anew since.
    OldHandle,
}

/// How the group's offset went past a message that it never delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PassedBy {
    /// The subscription does not want its tag.
    Filter,
    /// A reset.
    Reset,
    /// The group began to read behind it.
    Start,
    /// The offset was corrected.
    Correction,
    /// The machine of the broker lost power and with it the end of the queue: what was stored there
    /// afterwards lies before the group's offset.
    PowerLoss,
    /// Another consumer of the group read past it (or delivered it and lost the result).
    Other,
}
