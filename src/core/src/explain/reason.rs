//! Why a message is where it is, for one consumer group.

use super::{Doing, Longer, PassedBy, Refusing, Undone, Void};
use crate::client::Thread;
use crate::fact::{PullPause, SendFailure, StopKind};
use crate::grpc::Act;
use crate::ids::{BrokerId, ClientId, MessageQueue, Ms, MsgId, Party, ProducerId, ProxyId};

/// Where a message that waits under a delay level comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// The queue that it was sent to.
    Queue,
    /// The retry topic, to be handled again.
    Retry,
    /// The same, with an ordered message that reached its limit in a release that knows no better place
    /// for it (5.0.0 to 5.1.0): it fails there and comes back without end.
    Round,
    /// The dead letters of its group: it used up its attempts (up to 4.9.8).
    DeadLetters,
}

/// The reason, with what its sentence needs. There is none that says "unknown".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each variant's sentence names its fields")]
#[rustfmt::skip]
pub enum Reason {
    /// The producer's thread waits for the answer to the send of another message before it.
    AtProducer { producer: ProducerId, before: Option<MsgId> },
    /// It is on its way to the broker, or an attempt is about to be repeated.
    Travels { producer: ProducerId, attempt: u8 },
    /// The send ended without success; nothing was stored.
    /// `full`: the broker that refused it, whose disk was too full for writes.
    SendFailed { producer: ProducerId, failure: SendFailure, full: Option<BrokerId> },
    /// The packet with it was lost, and its producer waits for an answer until `until_ms`.
    SendLost { producer: ProducerId, attempt: u8, until_ms: Ms },
    /// The application was told that the send failed, but its packet reaches the broker at `at_ms`.
    Late { producer: ProducerId, failure: SendFailure, at_ms: Ms },
    /// The timer wheel found no room on the disk when it was due, and dropped it.
    WheelGaveUp,
    /// A half message: its transaction is open after so many checks. `undone`: what was decided, and came to
    /// nothing, or what keeps a decision from counting now.
    HalfOpen { checks: u8, undone: Option<Undone> },
    /// Its transaction was rolled back, or given up after the last check.
    NeverVisible { given_up: bool, undone: Option<Undone> },
    /// It waits under a delay level with `before` messages before it; the head is due at `head_due_ms`.
    Scheduled { level: u8, due_ms: Ms, before: u32, head_due_ms: Ms, bound: Bound },
    /// It waits under a delay level that the running table of its broker, of `levels` levels, does not have:
    /// no task looks at it.
    Stranded { broker: BrokerId, level: u8, levels: u8, bound: Bound },
    /// It waits in the timer wheel.
    Wheel { due_ms: Ms },
    /// It was due, and its broker puts nothing back: its disk is too full for writes.
    NoRoom { broker: BrokerId, due_ms: Ms },
    /// The broker's machine died before it was on disk.
    Lost,
    /// Retention deleted it before the group had consumed it.
    Deleted,
    /// It lies in a queue that nobody may read: the topic has only `read_queues` read queues.
    NotReadable { queue: MessageQueue, read_queues: u16 },
    /// The group does not subscribe to its topic.
    NotSubscribed,
    /// The group's offset went past it without delivering it.
    Passed { by: PassedBy },
    /// The group has consumed it.
    Done,
    /// Acknowledged, but the consumer offset stays before an earlier open message: after a hand-over or
    /// an expiry it comes again.
    /// `batch`: `head` was delivered with it, and the release (5.0.0) counts a receive as a whole.
    DoneBehind { head: MsgId, batch: bool },
    /// The group has consumed it, and its record is gone: the machine of its broker lost power.
    DoneLost,
    /// It is a dead letter of the group.
    Dead,
    /// Its broker took it as failed and stored it nowhere: the group has no retry queues.
    SentNowhere,

    /// No consumer of the group runs; the last one ended like this.
    NoConsumer { last: Option<(ClientId, StopKind)> },
    /// The consumer has just started; it begins to ask for queues at `at_ms`.
    Starting { client: ClientId, at_ms: Ms },
    /// Nobody owns the queue until a rebalance round of `client` at `at_ms` (None: one runs).
    Rebalancing { client: ClientId, at_ms: Option<Ms> },
    /// The broker lock of the queue is another's until `until_ms`. `gives_ms`: it has parted with the queue
    /// and gives the lock back then.
    LockHeld { owner: ClientId, gone: bool, until_ms: Ms, gives_ms: Option<Ms> },
    /// The queue is allocated to a member that is gone or cannot be reached; the broker removes it from
    /// the group at `until_ms` at the earliest.
    OfAbsentMember { client: ClientId, until_ms: Ms },
    /// The queue is allocated to a member that does not subscribe to the topic; or a SimpleConsumer does not
    /// ask for what it does not subscribe to.
    OfOtherReader { client: ClientId },
    /// The allocation gives the queue to another consumer, which has it or will take it.
    AllocatedTo { client: ClientId },
    /// Its consumer stands still.
    Hangs { client: ClientId },
    /// Its consumer and a party that it needs are cut off from each other.
    CutOff { client: ClientId, from: Party },
    /// Its broker is down. `due_ms`: it waits there under a delay, until then.
    BrokerDown { broker: BrokerId, due_ms: Option<Ms> },
    /// The proxy of its consumer is down.
    ProxyDown { client: ClientId, proxy: ProxyId },
    /// Its consumer gives the queue away or clears it. `call_ms`: the end of its listener call for the queue, before
    /// which it cannot part with it; `round_ms`: the rebalance round in which it tries again.
    Leaving { client: ClientId, call_ms: Option<Ms>, round_ms: Option<Ms> },
    /// Its consumer dropped the queue, could not give it away, and has been allocated it again. A queue that stands in
    /// its table, dropped or not, is not taken anew; it goes at `at_ms`, when it was not pulled for too long.
    /// `call_ms`: the end of the listener call that still runs for the queue.
    Returned { client: ClientId, call_ms: Option<Ms>, at_ms: Ms },
    /// Its consumer lost the lock of the queue, or no longer trusts it, and asks again at `at_ms`.
    LockMissing { client: ClientId, expired: bool, at_ms: Option<Ms> },
    /// Consumption of the group is paused.
    Paused,
    /// A legacy reset holds its consumer still until `until_ms`.
    ResetPause { client: ClientId, until_ms: Ms },
    /// A reset waits at the broker for the next pull or POP of the queue. `drops`: the consumer that then drops
    /// what it has of the queue.
    ResetPending { offset: i64, drops: Option<ClientId> },
    /// The consumer does not pull because of its own limits.
    CacheFull { client: ClientId, pause: PullPause, cached: u32 },
    /// The last request of its consumer failed; the next one follows.
    PullFailed { client: ClientId },
    /// Each request of its consumer is refused, or does not come to its broker, for what does not pass with
    /// the next request.
    Refused { client: ClientId, by: Refusing },
    /// Nobody wants its tag: the next read passes over it.
    Unwanted { client: ClientId },
    /// The last request of its consumer, or the answer to it, was lost. The consumer waits for it until
    /// `until_ms` and then asks again.
    AnswerLost { client: ClientId, until_ms: Ms },
    /// The next pull or receive has not brought it yet.
    NotFetchedYet { client: ClientId, offset: i64 },
    /// The receive of its consumer waits at the broker, and nothing but a new message wakes it before its
    /// time is over at `until_ms` (the reference, 11.5).
    PollSleeps { client: ClientId, until_ms: Ms },
    /// All threads of its consumer are taken.
    NoThread { client: ClientId, threads: u16 },
    /// A thread of its consumer waits for an answer of a broker, and the next step of its queue comes
    /// after it.
    ThreadWaits { client: ClientId, thread: Thread },
    /// A listener of an earlier hold of the same queue is still running.
    OldListener { client: ClientId },
    /// It is next: its listener call is about to begin.
    Next { client: ClientId },

    /// A listener call runs.
    Handled { client: ClientId, from_ms: Ms, until_ms: Ms, attempt: u32 },
    /// A listener call runs whose result will count for nothing: its consumer has dropped the queue since it began.
    /// `gives_ms`: when it gives the queue away; `heir`: whoever the queue is allocated to, who handles it again.
    InVain { client: ClientId, from_ms: Ms, until_ms: Ms, heir: Option<ClientId>, gives_ms: Option<Ms> },
    /// A call runs for which its receipt handle does not last: it is over at `over_ms`, before the call is, and its
    /// acknowledgement will be refused.
    TooLong { client: ClientId, from_ms: Ms, until_ms: Ms, over_ms: Ms },
    /// Another listener call runs for it, whose result counts for nothing.
    VoidCall { client: ClientId, until_ms: Ms, why: Void },
    /// It failed and its queue (or message group) pauses before it is handled again.
    Suspended { client: ClientId, failures: u32, until_ms: Ms },
    /// It failed in a batch and is being sent back to the broker.
    SendingBack { client: ClientId },
    /// Sending it back failed; the client handles it again by itself.
    LocalRetry { client: ClientId },
    /// It failed and was to go back to its broker, which does not take it: its disk is too full for writes.
    /// The consumer keeps it and tries again (at `until_ms`, where that is known). Without one it is the proxy
    /// that was to make it a dead letter on receipt (`until_ms`: it is visible again), or the revive service.
    NotTaken { client: Option<ClientId>, broker: BrokerId, until_ms: Option<Ms> },
    /// The listener said SUCCESS with autoCommit off: it is finished only by a COMMIT.
    Uncommitted { client: ClientId },
    /// Something before it in its queue or message group has to end first.
    Behind { client: ClientId, head: MsgId, doing: Doing, between: u32, same_group: bool },

    /// Delivered, not acknowledged, and its invisible time is not over. Nobody works on it.
    Invisible { holder: Option<ClientId>, until_ms: Ms, longer: Longer },
    /// A message before it was delivered and not acknowledged: its queue is blocked until `until_ms`.
    BehindInvisible { head: MsgId, holder: Option<ClientId>, until_ms: Ms, same_group: bool, longer: Longer },
    /// The broker of this release (5.0.0) counts with the invisible time of whoever asks: for this consumer
    /// what was delivered last blocks the queue until `until_ms`.
    OwnTime { client: ClientId, until_ms: Ms },
    /// A consumer that is called by hand holds it.
    Held { client: ClientId, until_ms: Ms },
    /// Attempt `attempt` failed; the push consumer handles it again at `until_ms`.
    BackOff { client: ClientId, attempt: u32, until_ms: Ms },
    /// Its consumer asks the proxy to acknowledge it, to make it visible later, or to make it a dead letter.
    Acting { client: ClientId, act: Act, again_ms: Option<Ms> },
    /// Not acknowledged in time: it is copied to the retry topic after `at_ms`.
    Revives { at_ms: Ms },
    /// No consumer of the group asks for messages: a SimpleConsumer is called by its application.
    NotAsked { client: ClientId },
    /// A push consumer has no receive loop for its queue yet; it looks for assignments.
    Unassigned { client: ClientId },
}

impl Reason {
    /// True when nothing more happens to the message in this group.
    pub fn is_over(&self) -> bool {
        matches!(
            self,
            Self::Done
                | Self::DoneBehind { .. }
                | Self::DoneLost
                | Self::Dead
                | Self::SentNowhere
                | Self::Lost
                | Self::Deleted
                | Self::Passed { .. }
                | Self::NotSubscribed
                | Self::NeverVisible { .. }
                | Self::SendFailed { .. }
        )
    }

    /// The gRPC consumer that has it in its hands, or that its delivery was meant for: nobody else is given it.
    pub(super) fn in_hands_of(&self) -> Option<ClientId> {
        match *self {
            Self::Handled { client, .. }
            | Self::TooLong { client, .. }
            | Self::Next { client }
            | Self::NoThread { client, .. }
            | Self::Behind { client, .. }
            | Self::BackOff { client, .. }
            | Self::Acting { client, .. }
            | Self::Held { client, .. }
            | Self::Hangs { client }
            | Self::Invisible {
                longer: Longer::Standing { client } | Longer::Repeatable { client },
                ..
            } => Some(client),
            Self::Invisible { holder, .. } => holder,
            Self::NotTaken { client, .. } => client,
            _ => None,
        }
    }

    /// True while a consumer works on it, and what it does will count for nothing; or when it has returned to one that
    /// does not take it.
    pub(super) fn is_in_vain(&self) -> bool {
        matches!(self, Self::InVain { .. } | Self::TooLong { .. } | Self::Returned { .. })
    }

    /// The consumer of a call.
    pub(super) fn client(&self) -> Option<ClientId> {
        match *self {
            Self::InVain { client, .. }
            | Self::TooLong { client, .. }
            | Self::VoidCall { client, .. } => Some(client),
            _ => None,
        }
    }

    /// True while a consumer works on it.
    pub fn is_working(&self) -> bool {
        matches!(self, Self::Handled { .. } | Self::Acting { .. } | Self::SendingBack { .. })
    }
}
