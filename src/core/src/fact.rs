//! What happened, in the past tense. A fact is small and copyable; names are looked up in
//! [`crate::shared::Shared`]. Facts are the only thing that checks, projections, the log and
//! explanations read about the past.

use crate::ids::{ClientId, GroupId, MessageQueue, Ms, MsgId, Party, ProducerId};

/// A fact with its instant and the event that caused it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FactRecord {
    /// When, in virtual milliseconds.
    pub at_ms: Ms,
    /// Number of the event (1 = first event of the run) in which it happened.
    pub event: u32,
    /// What.
    pub fact: Fact,
}

/// One thing that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each variant's sentence names its fields")]
#[rustfmt::skip]
pub enum Fact {
    /// A command of the scenario or of a person took effect; `index` counts the journal.
    CommandApplied { index: u32 },
    /// A command was refused; the reason is in [`crate::world::World::refusal`].
    CommandRefused { index: u32 },

    /// The application handed a message to a producer's thread.
    MessageBuilt { producer: ProducerId, msg: MsgId },
    /// A send request left the producer for a queue.
    SendStarted { producer: ProducerId, msg: MsgId, queue: MessageQueue, attempt: u8 },
    /// The producer got the broker's answer for a stored message.
    SendCompleted { producer: ProducerId, msg: MsgId, queue: MessageQueue },
    /// A send ended without success.
    SendFailed { producer: ProducerId, msg: MsgId, reason: SendFailure },

    /// The broker appended a message to a queue; it is readable from now on.
    MessageStored { msg: MsgId, queue: MessageQueue, offset: u32, kind: StoredKind },
    /// The broker put a message aside under a delay level (`level` from 1; 0 = timer wheel).
    MessageScheduled { msg: MsgId, level: u8, due_ms: Ms },
    /// A due message left its delay level; the append to its own queue follows as `MessageStored`.
    MessagePutBack { msg: MsgId, level: u8 },

    /// A consumer process started.
    ConsumerStarted { client: ClientId },
    /// A consumer process ended or stood still.
    ConsumerStopped { client: ClientId, how: StopKind },
    /// A consumer process that stood still went on.
    ConsumerResumed { client: ClientId },
    /// The broker took a new member into a consumer group.
    MemberJoined { group: GroupId, client: ClientId },
    /// The broker removed a member.
    MemberLeft { group: GroupId, client: ClientId, reason: LeaveReason },
    /// A member learnt that its group changed.
    MemberNotified { client: ClientId },
    /// A rebalance round began.
    RebalanceStarted { client: ClientId, cause: RoundCause },
    /// A rebalance round ended.
    RebalanceFinished { client: ClientId, balanced: bool },

    /// The broker granted a queue lock (a first lock or a re-entry).
    LockGranted { group: GroupId, client: ClientId, queue: MessageQueue, how: GrantKind },
    /// The broker refused a queue lock that `owner` holds for another `left_ms`.
    LockRefused { group: GroupId, client: ClientId, queue: MessageQueue, owner: ClientId, left_ms: u32 },
    /// The broker removed a queue lock at its owner's request.
    LockReleased { group: GroupId, client: ClientId, queue: MessageQueue },
    /// A client found that it does not hold the lock it needs.
    LockMissing { client: ClientId, queue: MessageQueue, reason: LockMissing },
    /// A client will ask for the lock again at `at_ms`.
    RelockScheduled { client: ClientId, queue: MessageQueue, at_ms: Ms },

    /// A client took a queue into its process-queue table and will read from `offset`.
    QueueAdded { client: ClientId, queue: MessageQueue, offset: u32 },
    /// A client stopped working on a queue.
    QueueDropped { client: ClientId, queue: MessageQueue, reason: DropReason },
    /// A client could not give a queue away yet: its listener was running.
    ReleasePostponed { client: ClientId, queue: MessageQueue },
    /// A client forgot a queue; `forced` when its listener was still running.
    QueueRemoved { client: ClientId, queue: MessageQueue, forced: bool },

    /// A pull brought `count` messages from `offset` into the client's cache.
    MessagesPulled { client: ClientId, queue: MessageQueue, offset: u32, count: u16 },
    /// A pull found nothing and is held by the broker.
    PullHeld { client: ClientId, queue: MessageQueue, offset: u32 },
    /// The client did not pull because of its own limits.
    PullPostponed { client: ClientId, queue: MessageQueue, reason: PullPause },
    /// The broker refused the offset of a pull; the client will go on at `corrected`.
    OffsetCorrected { client: ClientId, queue: MessageQueue, offset: u32, corrected: u32 },

    /// A listener call began for a message (one fact for each message of a batch).
    HandlingStarted { client: ClientId, queue: MessageQueue, offset: u32, msg: MsgId, attempt: u32 },
    /// A listener call ended.
    HandlingEnded { client: ClientId, queue: MessageQueue, offset: u32, msg: MsgId, outcome: Outcome },
    /// The client counted a message as consumed.
    MessageAcknowledged { client: ClientId, queue: MessageQueue, offset: u32, msg: MsgId },
    /// A result came too late: the queue had been dropped, nothing is recorded.
    ResultDiscarded { client: ClientId, queue: MessageQueue, offset: u32, msg: MsgId },
    /// A failed ordered message suspended its queue; `failures` so far.
    QueueSuspended { client: ClientId, queue: MessageQueue, msg: MsgId, failures: u32, until_ms: Ms },
    /// A consume task gave its thread back after its longest run.
    TaskYielded { client: ClientId, queue: MessageQueue },
    /// A failed message went back to the broker, to be delivered again under a delay level.
    SentBack { client: ClientId, msg: MsgId, level: u8, reconsume_times: u16 },
    /// Sending a failed message back did not work.
    SendBackFailed { client: ClientId, msg: MsgId },
    /// The broker stored a message as a dead letter of a consumer group.
    DeadLettered { group: GroupId, msg: MsgId, queue: MessageQueue, offset: u32 },

    /// The broker recorded a consumer offset.
    OffsetCommitted { group: GroupId, queue: MessageQueue, offset: u32 },
    /// A message between two parties was lost.
    PacketLost { from: Party, to: Party },
    /// A request got no answer in time.
    RequestTimedOut { party: Party, request: RequestKind },
    /// A broker went down.
    BrokerStopped { clean: bool },
    /// A broker came up again.
    BrokerStarted,
}

/// Why a send failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SendFailure {
    /// The selector returned an index outside the queue list: "select message queue threw exception."
    SelectorThrew,
    /// No answer within the time-out.
    TimedOut,
    /// The broker refused the queue id.
    IllegalQueueId,
    /// The topic has no writable queue.
    NoWritableQueue,
    /// The broker refused an arbitrary-time message too far ahead (code 13).
    TimerIllegal,
}

/// What kind of copy was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StoredKind {
    /// As sent.
    Sent,
    /// Put back from a delay level or the timer wheel.
    PutBack,
    /// A copy in a retry topic.
    Retry,
    /// A dead letter.
    DeadLetter,
}

/// How a consumer process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StopKind {
    /// `shutdown()`: unlock, offsets, unregister.
    Clean,
    /// The process died and its connection closed.
    Crash,
    /// The machine vanished: nobody is told.
    Silent,
    /// The process stands still and may go on.
    Hang,
}

/// Why a member left its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LeaveReason {
    /// It said so.
    Unregistered,
    /// Its connection closed.
    ConnectionClosed,
    /// It was silent for longer than the channel expiry.
    Silent,
    /// The broker lost its memory.
    BrokerRestart,
}

/// What made a rebalance round run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RoundCause {
    /// The client's own start.
    Start,
    /// The period was over.
    Period,
    /// The broker's notification.
    Notification,
    /// A lock was refused in the round before.
    LockRefused,
    /// An offset was corrected.
    OffsetCorrected,
}

/// How a lock came to be granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GrantKind {
    /// Nobody held it.
    Free,
    /// The asker held it already; the lease starts anew.
    Renewed,
    /// The lease of another client was over.
    Expired {
        /// The former owner.
        from: ClientId,
    },
}

/// Why a client does not trust its lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LockMissing {
    /// The broker refused the last renewal.
    NotLocked,
    /// The client's own clock ran out.
    Expired,
}

/// Why a client dropped a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DropReason {
    /// The allocation gave it to somebody else.
    Reallocated,
    /// It was not pulled for longer than the idle limit.
    PullIdle,
    /// The offset was corrected.
    OffsetIllegal,
    /// The client stopped.
    Shutdown,
}

/// Why a client did not pull.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PullPause {
    /// Too many messages cached.
    CachedCount,
    /// Too many bytes cached.
    CachedSize,
    /// Cached offsets too far apart (concurrent mode).
    Span,
    /// The queue is not locked.
    NotLocked,
    /// The consumer is paused.
    Paused,
    /// The request failed.
    Failed,
}

/// What a listener returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// `SUCCESS` / `CONSUME_SUCCESS`.
    Success,
    /// `SUSPEND_CURRENT_QUEUE_A_MOMENT` / `RECONSUME_LATER`.
    Later,
    /// `COMMIT` (orderly, autocommit off).
    Commit,
    /// `ROLLBACK` (orderly, autocommit off).
    Rollback,
    /// The listener returned null.
    Null,
    /// The listener threw.
    Exception,
}

/// Which request timed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RequestKind {
    /// Send.
    Send,
    /// Lock or unlock.
    Lock,
    /// Pull.
    Pull,
    /// Read of a consumer offset.
    QueryOffset,
    /// Read of a maximum offset.
    MaxOffset,
    /// Member list.
    Members,
    /// Heartbeat.
    Heartbeat,
    /// Send-back.
    SendBack,
}
