//! What commands, settings and facts of the second consumption stack (proxy, POP, gRPC clients)
//! say. They stand together here; the shared enums carry each of them in one variant.

use std::rc::Rc;

use crate::command::{Label, MessageSpec};
use crate::ids::{
    BrokerId, ClientId, GroupId, MessageQueue, Ms, MsgId, Party, ProducerId, ProxyId,
};
use crate::retry::{CustomizedRetryPolicy, ExponentialRetryPolicy, RetryPolicy};
use crate::routing::Sdk;

pub use crate::grpc::{AckCode, GrpcCode};

/// Back-off of a consumer group (`groupRetryPolicy`), with whole numbers only.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Backoff {
    /// A list of waits in ms, not empty.
    Customized(Rc<[Ms]>),
    /// Growing waits.
    Exponential {
        /// First wait in ms.
        initial_ms: Ms,
        /// Longest wait in ms.
        max_ms: Ms,
        /// Factor, a whole number (`ExponentialRetryPolicy.multiplier`).
        multiplier: u32,
    },
}

impl Default for Backoff {
    fn default() -> Self {
        Self::Customized(CustomizedRetryPolicy::default().waits_ms().into())
    }
}

impl Backoff {
    /// As the retry rules read it.
    pub fn policy(&self) -> RetryPolicy {
        match self {
            Self::Customized(waits_ms) => RetryPolicy::Customized(
                CustomizedRetryPolicy::new(waits_ms.to_vec()).unwrap_or_default(),
            ),
            Self::Exponential { initial_ms, max_ms, multiplier } => {
                RetryPolicy::Exponential(ExponentialRetryPolicy {
                    initial_ms: *initial_ms,
                    max_ms: *max_ms,
                    multiplier: f64::from(*multiplier),
                })
            }
        }
    }
}

/// What the second stack reads of a consumer group, and what its gRPC clients are built with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PopAttributes {
    /// `consumeMessageOrderly`.
    pub orderly: bool,
    /// `retryMaxTimes`; -1 = the model's.
    pub retry_max_times: i32,
    /// `groupRetryPolicy`.
    pub backoff: Backoff,
    /// The push consumers' FIFO accelerator.
    pub accelerator: bool,
}

impl Default for PopAttributes {
    fn default() -> Self {
        Self {
            orderly: false,
            retry_max_times: -1,
            backoff: Backoff::default(),
            accelerator: false,
        }
    }
}

/// A setting of the second stack for a consumer group.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PopSetting {
    /// `consumeMessageOrderly`.
    Orderly(bool),
    /// `retryMaxTimes`, 0 or more.
    RetryMaxTimes(i32),
    /// `groupRetryPolicy`.
    Backoff(Backoff),
    /// The push consumers' FIFO accelerator; clients started later have it.
    Accelerator(bool),
}

/// What kind of gRPC consumer a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GrpcKind {
    /// `PushConsumer`.
    Push,
    /// `SimpleConsumer`.
    Simple(SimpleMode),
}

/// Who calls a `SimpleConsumer`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SimpleMode {
    /// Only the commands [`PopCommand::Receive`], [`PopCommand::Ack`] and
    /// [`PopCommand::ChangeInvisible`].
    Scripted,
    /// The application's own loops: receive, handle one after the other, acknowledge what
    /// succeeded. A failed message is left alone until it is visible again.
    Loops {
        /// Messages of a receive, 1 to 32.
        max: u32,
        /// Invisible time in ms.
        invisible_ms: Ms,
        /// `awaitDuration` in ms.
        await_ms: Ms,
        /// Loops side by side, at least 1.
        loops: u16,
    },
}

/// A setting of a producer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProducerSetting {
    /// The SDK, which decides the endpoint of a message group.
    Sdk(Sdk),
    /// Whether the SDK checks message types itself, if the proxy's settings tell it to.
    ChecksTypes(bool),
}

/// Commands of the second stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PopCommand {
    /// Starts a gRPC consumer.
    Start {
        /// Name.
        name: String,
        /// Group name.
        group: String,
        /// Kind.
        kind: GrpcKind,
        /// Consumption threads of a push consumer; None = the group's setting, else the model's.
        threads: Option<u16>,
    },
    /// A scripted `SimpleConsumer` receives.
    Receive {
        /// Consumer name.
        consumer: String,
        /// Messages, 1 to 32.
        max: u32,
        /// Invisible time in ms.
        invisible_ms: Ms,
        /// `awaitDuration` in ms.
        await_ms: Ms,
    },
    /// A scripted `SimpleConsumer` acknowledges.
    Ack {
        /// Consumer name.
        consumer: String,
        /// The message it holds; None = all, in order of receipt.
        message: Option<Label>,
    },
    /// A scripted `SimpleConsumer` changes the invisible duration.
    ChangeInvisible {
        /// Consumer name.
        consumer: String,
        /// The message it holds.
        message: Label,
        /// From now on, in ms.
        invisible_ms: Ms,
    },
    /// Adds a proxy.
    AddProxy {
        /// Name.
        name: String,
    },
    /// Sends a producer or a consumer, running or started later, to another proxy; a classic
    /// producer then uses the proxy's remoting port.
    UseProxy {
        /// Name of the producer or consumer.
        party: String,
        /// Proxy name.
        proxy: String,
    },
    /// Stops a proxy, or starts it again.
    RunProxy {
        /// Proxy name.
        proxy: String,
        /// True: it runs.
        up: bool,
    },
    /// Lets a proxy answer some requests with an error instead of serving them.
    FailRequests {
        /// Proxy name.
        proxy: String,
        /// Which.
        request: crate::fact::RequestKind,
        /// With which code; None = no longer.
        code: Option<GrpcCode>,
    },
    /// Changes a setting of a producer.
    SetProducer {
        /// Producer name.
        producer: String,
        /// New value.
        setting: ProducerSetting,
    },
    /// Sends several messages in one request (5.x path only).
    SendTogether {
        /// Producer name.
        producer: String,
        /// Topic; None = the producer's own.
        topic: Option<String>,
        /// Thread, from 0.
        thread: u8,
        /// Messages.
        messages: Vec<MessageSpec>,
    },
}

/// Facts of the second stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each variant's sentence names its fields")]
#[rustfmt::skip]
pub enum PopFact {
    /// The SDK chose the endpoint of a send: the one of this queue's broker. The proxy chooses the queue.
    EndpointChosen { producer: ProducerId, msg: MsgId, queue: MessageQueue, attempt: u8 },
    /// An attempt to send failed and another follows at `next_ms`.
    SendAttemptFailed { producer: ProducerId, msg: MsgId, attempt: u8, code: Option<GrpcCode>, next_ms: Ms },

    /// A gRPC consumer registered with a proxy.
    ClientRegistered { proxy: ProxyId, client: ClientId },
    /// A proxy dropped a gRPC consumer.
    ClientDropped { proxy: ProxyId, client: ClientId, silent: bool },
    /// A proxy used an entry of its cache that is due for reload; the next use sees the new one.
    CacheStale { proxy: ProxyId, what: Cache },

    /// The broker delivered a message; it is invisible until `until_ms`.
    Popped { group: GroupId, queue: MessageQueue, offset: u32, msg: MsgId, attempt: u16, until_ms: Ms },
    /// A POP skipped a queue because of an unfinished offset.
    PopBlocked { group: GroupId, queue: MessageQueue, offset: u32, until_ms: Ms },
    /// A receive found nothing and waits at the broker until `until_ms`.
    PollParked { group: GroupId, from: Party, queue: Option<u16>, until_ms: Ms },
    /// A waiting receive was woken and runs once more.
    PollWoken { group: GroupId, from: Party, queue: Option<u16>, why: Wake },
    /// The broker answered an acknowledgement.
    Acked { group: GroupId, queue: MessageQueue, offset: u32, msg: MsgId, result: AckResult },
    /// The broker changed when a message is visible.
    InvisibleChanged { group: GroupId, queue: MessageQueue, offset: u32, msg: MsgId, until_ms: Ms },
    /// A new group begins to read a queue.
    PopOffsetChosen { group: GroupId, queue: MessageQueue, offset: u32 },
    /// An unacknowledged message was copied to the retry topic.
    Revived { group: GroupId, queue: MessageQueue, offset: u32, msg: MsgId },
    /// The broker wrote its records of ordered POP to disk.
    OrderInfoSaved,

    /// A consumer got a message.
    Received { client: ClientId, queue: MessageQueue, offset: u32, msg: MsgId, attempt: u16 },
    /// A receive brought nothing, or failed with a code.
    ReceivedNothing { client: ClientId, code: GrpcCode },
    /// A proxy extended the invisible time of a message.
    Renewed { proxy: ProxyId, client: ClientId, msg: MsgId, times: u16, until_ms: Ms },
    /// A proxy stopped renewing a message.
    RenewalEnded { proxy: ProxyId, client: ClientId, msg: MsgId, why: RenewalEnd, until_ms: Ms },
    /// A proxy refused a handle that is worth nothing any more.
    HandleExpired { client: ClientId, queue: MessageQueue, offset: u32, msg: MsgId },
    /// A request of a consumer about a message failed; None = it is not repeated.
    ActFailed { client: ClientId, msg: MsgId, act: ActKind, code: Option<GrpcCode>, next_ms: Option<Ms> },
    /// A listener failed; the next attempt starts at `next_ms`.
    AttemptFailed { client: ClientId, queue: MessageQueue, msg: MsgId, attempt: u16, next_ms: Ms },
    /// A push consumer asked the proxy to make a message a dead letter.
    ForwardedToDeadLetter { client: ClientId, msg: MsgId, attempt: u16 },
    /// A proxy made a message a dead letter while it was received: its attempts are used up.
    DeadOnReceive { proxy: ProxyId, group: GroupId, msg: MsgId, attempt: u16 },
    /// A proxy acknowledged a message that does not match the filter.
    FilteredOnReceive { proxy: ProxyId, group: GroupId, msg: MsgId },
    /// A proxy has no address for the broker of a handle: it refuses the request about the message.
    BrokerUnknown { proxy: ProxyId, broker: BrokerId, client: ClientId, msg: MsgId },
    /// A producer ended a transaction of which its proxy does not know where the half message is.
    TransactionUnknown { proxy: ProxyId, msg: MsgId },
}

/// What a proxy caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "they are what their names say")]
pub enum Cache {
    Route(crate::ids::TopicId),
    Type(crate::ids::TopicId),
    Group(GroupId),
    Broker(BrokerId),
}

/// Why a waiting receive runs again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wake {
    /// A message came.
    Arrival,
    /// An acknowledgement freed the queue.
    Acked,
    /// The lock-free timer.
    LockFree,
    /// Another receive left messages behind.
    Chain,
    /// Its time is nearly over.
    Expiry,
}

/// What an acknowledgement did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AckResult {
    /// The consumer offset is this one now.
    Next(u32),
    /// Nothing (-2): the message was popped again since, or the batch is not complete (5.0.0).
    Nothing,
    /// Nothing: the consumer offset is behind it already.
    Below,
    /// A checkpoint noted it (not ordered).
    Noted,
    /// Nothing, and nobody is told: the disk is too full for the note (not ordered).
    Unwritten,
    /// Refused (-1): the offset was not popped.
    Illegal,
    /// Refused: the topic has fewer read queues now, and the queue is none of them.
    Unreadable,
    /// Refused: the offset is outside the queue.
    NoMessage,
}

/// Why a proxy stopped renewing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RenewalEnd {
    /// Three hours are over.
    TooLong,
    /// The client is gone.
    ClientGone,
    /// The broker did not answer or refused.
    Failed,
}

/// What a consumer asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "they are what their names say")]
pub enum ActKind {
    Ack,
    Change,
    DeadLetter,
}

#[cfg(test)]
mod tests {
    use crate::fact::Fact;

    /// Millions of facts are kept; the second stack must not make each of them larger.
    #[test]
    fn facts_stay_small() {
        assert!(std::mem::size_of::<Fact>() <= 32, "{}", std::mem::size_of::<Fact>());
        assert!(std::mem::size_of::<crate::event::Event>() <= 72);
    }
}
