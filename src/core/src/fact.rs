//! What happened, in the past tense. A fact is small and copyable; names are looked up in
//! [`crate::shared::Shared`]. Facts are the only thing that checks, projections, the log and
//! explanations read about the past.

use crate::command::TopicType;
use crate::grpc::GrpcCode;
use crate::ids::{
    BrokerId, ClientId, GroupId, MessageQueue, Ms, MsgId, Party, ProducerId, TopicId,
};
use crate::pop::PopFact;

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
    /// Something on the second stack: proxy, POP, gRPC clients.
    Pop(PopFact),
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
    /// The broker put a message aside under a delay level (`level` from 1; 0 = timer wheel), until an
    /// instant of the run's clock, as long as the broker's is not set meanwhile. `dead_for`: it becomes a
    /// dead letter of this group then, and nothing else.
    MessageScheduled { msg: MsgId, level: u8, due_ms: Ms, dead_for: Option<GroupId> },
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
    /// A result came too late: the queue had been dropped, or the SimpleConsumer was closed. Nothing
    /// is recorded.
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
    BrokerStopped { broker: BrokerId, how: BrokerStop },
    /// A broker came up (again).
    BrokerStarted { broker: BrokerId },
    /// The name server put a broker into the routes.
    BrokerRegistered { broker: BrokerId },
    /// The name server took a broker out of all routes.
    BrokerUnregistered { broker: BrokerId, reason: RouteLoss },
    /// A client read a route of a topic that differs from the one it knew; it counts `queues` now.
    RouteChanged { party: Party, topic: TopicId, queues: u16 },
    /// The wall clock of a party was set; it is `ahead_ms` ahead of the run's clock from now on.
    ClockJumped { party: Party, ahead_ms: Ms },

    /// A heartbeat changed the group's subscription table at the broker: topics that came or whose
    /// tags changed, and topics that went because this member does not have them.
    SubscriptionReplaced { broker: BrokerId, group: GroupId, client: ClientId, added: u8, removed: u8 },
    /// The broker refused a pull.
    PullRefused { client: ClientId, queue: MessageQueue, reason: PullRefusal },
    /// A read passed over `count` messages from `offset` on that the subscription does not want.
    MessagesFiltered { client: ClientId, queue: MessageQueue, offset: u32, count: u16, by: FilterSide },

    /// A reset was set for a consumer group on a queue.
    OffsetReset { group: GroupId, queue: MessageQueue, offset: u32, how: ResetHow },
    /// A pull or a POP took a pending reset up; from now on offset updates count again.
    ResetConsumed { group: GroupId, queue: MessageQueue, offset: u32 },
    /// The broker ignored an offset update because a reset is pending.
    OffsetUpdateIgnored { group: GroupId, queue: MessageQueue, offset: u32 },
    /// A client suspended its pulls and cleared queues of a topic for a legacy reset.
    ResetReceived { client: ClientId, topic: TopicId, until_ms: Ms },

    /// Retention deleted a message for good.
    MessageDeleted { msg: MsgId, queue: MessageQueue, offset: u32 },
    /// A broker's machine died before this message was on disk.
    MessageLost { msg: MsgId, queue: MessageQueue, offset: u32 },
    /// Retention deleted the oldest commit-log segment.
    SegmentDeleted { broker: BrokerId, messages: u32, reason: DeleteReason },
    /// The minimum offset of a queue rose behind deleted messages.
    MinOffsetRaised { queue: MessageQueue, min: u32 },

    /// A half message was stored; its queue is the one it will be visible in after a commit.
    TransactionPrepared { msg: MsgId, queue: MessageQueue },
    /// A transaction was decided.
    TransactionEnded { msg: MsgId, decision: Decision },
    /// The broker asked the producer about an unanswered transaction for the `count`-th time.
    TransactionChecked { msg: MsgId, count: u8 },
    /// The broker set an unanswered transaction aside after its last check.
    TransactionGivenUp { msg: MsgId },
    /// The timer wheel could not put a due message into its queue and dropped it.
    WheelGaveUp { msg: MsgId, queue: MessageQueue },
    /// The broker took a failed message of a group without retry queues and stored it nowhere.
    SentNowhere { group: GroupId, msg: MsgId },
    /// A concurrent listener held a message for longer than the consume time-out.
    ConsumeTimedOut { client: ClientId, queue: MessageQueue, offset: u32, msg: MsgId },
    /// A request failed because the connection that it was sent over closed, or none could be made.
    RequestFailed { party: Party, request: RequestKind },
    /// A connection to a broker closed. What its process still waited for on it fails at once, and the
    /// broker forgets the member that came over it.
    ConnectionClosed { party: Party, broker: BrokerId, cause: CloseCause },
}

/// How a broker goes down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BrokerStop {
    /// `shutdown()`: files are written, the routes lose it at once.
    Clean,
    /// The process dies; its connections close, what the operating system holds of its files stays.
    Crash,
    /// The machine loses power: nobody is told, and what was not flushed to the disk is lost.
    PowerLoss,
}

/// Why a connection closed while both of its ends were up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CloseCause {
    /// A request that its thread waits for got no answer in time: the client closes it
    /// (`clientCloseSocketIfTimeout`).
    TimedOut(RequestKind),
    /// The broker's scan found no heartbeat for longer than the channel expiry.
    Silent,
}

/// Why the name server took a broker out of the routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RouteLoss {
    /// It said so.
    Unregistered,
    /// Its connection closed.
    ConnectionClosed,
    /// It did not register for longer than the expiry.
    Silent,
}

/// Why a broker refused a pull.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PullRefusal {
    /// The topic is not in the group's subscription table at the moment (code 24).
    SubscriptionMissing,
    /// The table's subscription of the topic is older than the consumer's (code 25).
    SubscriptionNotLatest,
    /// The queue id is not readable.
    QueueId,
}

/// Who leaves out what a subscription does not want.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FilterSide {
    /// The broker, by the hash of the tag.
    Broker,
    /// The client, by the exact tag.
    Client,
}

/// How a reset reaches the consumers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResetHow {
    /// The broker keeps it until the next pull or POP (5.1.0+).
    Pending,
    /// The broker sends it to every online consumer (legacy).
    Clients,
    /// The tool writes the offset itself: nobody is online, or one queue was named (legacy).
    Direct,
}

/// Why a segment was deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeleteReason {
    /// It is old enough, and it is the hour for it.
    Expired,
    /// It is old enough, and the disk is filling.
    DiskFilling,
    /// The disk is nearly full: its age does not matter.
    DiskFull,
}

/// How a transaction ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// The message becomes visible.
    Commit,
    /// It never does.
    Rollback,
    /// Not yet known: the broker will ask again.
    Unknown,
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
    /// "The broker[..] not exist": an order conf names it, but no route has its address.
    BrokerUnknown,
    /// The broker or proxy could not be reached.
    ConnectionFailed,
    /// The broker's disk is full (code 14).
    DiskFull,
    /// The 5.x message builder refuses a message group together with a delivery time.
    GroupWithDelay,
    /// The SDK or the proxy refused the message's type.
    TypeConflict {
        /// The topic's type; None = the proxy does not know the topic (UNSPECIFIED).
        expected: Option<TopicType>,
        /// The message's.
        actual: TopicType,
        /// Who checked.
        by: TypeCheck,
    },
    /// The proxy refused with another code.
    Grpc(GrpcCode),
}

impl SendFailure {
    /// Whether a proxy refused the message; else its own client, the broker, or nobody did.
    pub fn is_by_proxy(self) -> bool {
        match self {
            Self::TypeConflict { by, .. } => by != TypeCheck::Sdk,
            Self::Grpc(_) => true,
            _ => false,
        }
    }
}

/// Who checks the type of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeCheck {
    /// The SDK itself: IllegalArgumentException.
    Sdk,
    /// The proxy on its gRPC port: 40014.
    Proxy,
    /// The proxy on its remoting port: 13.
    RemotingProxy,
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
    /// A committed transaction.
    Committed,
}

/// How a consumer process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StopKind {
    /// `shutdown()`: unlock, offsets, unregister. Of a gRPC consumer `close()`: the proxy is told.
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
    /// The round before left the client without all of its queues: a lock was refused, or a dropped queue stands in its table.
    Unbalanced,
    /// An offset was corrected.
    OffsetCorrected,
    /// A legacy reset was carried out.
    Reset,
    /// The consumer was paused and goes on.
    Resume,
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
    /// A legacy reset cleared it.
    Reset,
    /// The client no longer subscribes to its topic.
    Unsubscribed,
    /// The client stopped.
    Shutdown,
    /// The route has it no more: the topic has fewer read queues, or its broker is gone.
    Unrouted,
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
    /// The client no longer subscribes to the topic.
    NotSubscribed,
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
    /// A consumer leaves its group.
    Unregister,
    /// Send-back.
    SendBack,
    /// Settings of a gRPC consumer.
    Settings,
    /// Assignments of a gRPC push consumer.
    Assignment,
    /// ReceiveMessage or POP.
    Receive,
    /// Acknowledgement, change of the invisible time or forward to the dead-letter queue.
    Ack,
}
