//! What gRPC clients, proxies and brokers send each other on the second consumption stack.

use std::rc::Rc;

use crate::broker::pop::AttemptId;
use crate::command::TopicType;
use crate::event::{PacketKind, Rpc};
use crate::fact::RequestKind;
use crate::ids::{BrokerId, GroupId, MessageQueue, Ms, MsgId, Party, TopicId};

/// A receipt handle: names one delivery of one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle {
    /// Where the message is stored; a retry topic's queue for a copy there.
    pub queue: MessageQueue,
    /// Its offset.
    pub offset: i64,
    /// Pop time.
    pub pop_ms: Ms,
    /// Invisible time, counted from the pop time.
    pub invisible_ms: Ms,
    /// First offset of its checkpoint (not ordered).
    pub start_offset: i64,
    /// The message.
    pub msg: MsgId,
    /// Popped in order.
    pub ordered: bool,
    /// How far the broker's clock was ahead when it gave the handle.
    pub ahead_ms: Ms,
}

impl Handle {
    /// When the message is visible again, unless the broker's clock is set meanwhile.
    pub fn visible_ms(&self) -> Ms {
        self.pop_ms + self.invisible_ms
    }

    /// When it is over for somebody whose clock is ahead by so much (`nextVisibleTime`, which is an
    /// instant of the broker's clock).
    pub fn over_ms(&self, clock_ahead_ms: Ms) -> Ms {
        self.visible_ms() + self.ahead_ms - clock_ahead_ms
    }
}

/// A message that a POP delivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Delivery {
    /// Handle.
    pub handle: Handle,
    /// Earlier deliveries as the broker counts them for this offset.
    pub reconsume_times: u32,
    /// The same for the whole queue: what a proxy in local mode hands on.
    pub queue_count: u32,
    /// Record size in bytes.
    pub bytes: u32,
    /// When it was stored.
    pub store_ms: Ms,
}

impl Delivery {
    /// `deliveryAttempt` of a gRPC message, from 1.
    pub fn attempt(&self) -> u32 {
        self.reconsume_times + 1
    }
}

/// Where the POP of a new group begins (`ConsumeInitMode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InitMode {
    /// 0: at the minimum.
    Min,
    /// 1: at the newest message, or at 0 while the queue is young.
    Max,
}

/// A POP.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PopRequest {
    /// Who asks.
    pub from: Party,
    /// How to answer.
    pub rpc: Rpc,
    /// Consumer group.
    pub group: GroupId,
    /// Topic.
    pub topic: TopicId,
    /// Queue id; None = -1, the whole broker.
    pub queue: Option<u16>,
    /// Most messages, at most 32.
    pub max: u32,
    /// Invisible time.
    pub invisible_ms: Ms,
    /// When the request was made.
    pub born_ms: Ms,
    /// How long it may wait.
    pub poll_ms: Ms,
    /// In order.
    pub ordered: bool,
    /// Attempt.
    pub attempt: Option<AttemptId>,
    /// Where a new group begins.
    pub init: InitMode,
    /// Tags; empty = all.
    pub tags: Rc<[u16]>,
}

/// A ReceiveMessage.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReceiveRequest {
    /// How to answer.
    pub rpc: Rpc,
    /// Consumer group.
    pub group: GroupId,
    /// The queue that was assigned.
    pub from: Assignment,
    /// Most messages.
    pub max: u32,
    /// Invisible time; None = the proxy renews (`autoRenew`).
    pub invisible_ms: Option<Ms>,
    /// How long it may wait.
    pub poll_ms: Ms,
    /// Attempt.
    pub attempt: Option<AttemptId>,
    /// Tags that it asks for; empty = all.
    pub tags: Rc<[u16]>,
}

/// How a POP was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PopStatus {
    /// Messages were found.
    Found,
    /// Nothing came in time (POLLING_TIMEOUT 210).
    PollingTimeout,
    /// Too many requests wait (POLLING_FULL 209).
    PollingFull,
    /// More than 32 messages, or a queue that cannot be read (29, 1 before 5.3.2).
    Illegal,
}

/// How a broker answered an acknowledgement or a change of the invisible time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AckCode {
    /// SUCCESS (0), also where nothing changed.
    Success,
    /// MESSAGE_ILLEGAL (13): the offset was not popped, or the queue cannot be read.
    MessageIllegal,
    /// NO_MESSAGE (208): the offset is outside the queue.
    NoMessage,
    /// SYSTEM_ERROR (1): the disk is too full for a new checkpoint.
    SystemError,
}

impl AckCode {
    /// RocketMQ's number.
    pub fn number(self) -> i32 {
        match self {
            Self::Success => 0,
            Self::MessageIllegal => 13,
            Self::NoMessage => 208,
            Self::SystemError => 1,
        }
    }
}

/// Codes of the gRPC protocol that the proxy answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GrpcCode {
    /// OK
    Ok,
    /// ILLEGAL_MESSAGE_GROUP
    IllegalMessageGroup,
    /// ILLEGAL_INVISIBLE_TIME
    IllegalInvisibleTime,
    /// ILLEGAL_DELIVERY_TIME
    IllegalDeliveryTime,
    /// INVALID_RECEIPT_HANDLE
    InvalidReceiptHandle,
    /// MESSAGE_PROPERTY_CONFLICT_WITH_TYPE
    MessagePropertyConflictWithType,
    /// ILLEGAL_POLLING_TIME
    IllegalPollingTime,
    /// MESSAGE_CORRUPTED
    MessageCorrupted,
    /// MESSAGE_NOT_FOUND
    MessageNotFound,
    /// TOO_MANY_REQUESTS
    TooManyRequests,
    /// INTERNAL_SERVER_ERROR
    InternalServerError,
    /// PROXY_TIMEOUT
    ProxyTimeout,
    /// FORBIDDEN: no queue of the topic can be read, or written
    Forbidden,
    /// TOPIC_NOT_FOUND: no broker of the topic is in the route
    TopicNotFound,
}

impl GrpcCode {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Ok,
        Self::IllegalMessageGroup,
        Self::IllegalInvisibleTime,
        Self::IllegalDeliveryTime,
        Self::InvalidReceiptHandle,
        Self::MessagePropertyConflictWithType,
        Self::IllegalPollingTime,
        Self::MessageCorrupted,
        Self::Forbidden,
        Self::MessageNotFound,
        Self::TopicNotFound,
        Self::TooManyRequests,
        Self::InternalServerError,
        Self::ProxyTimeout,
    ];

    /// Number and name in the protocol.
    pub fn named(self) -> (u32, &'static str) {
        match self {
            Self::Ok => (20_000, "OK"),
            Self::IllegalMessageGroup => (40_006, "ILLEGAL_MESSAGE_GROUP"),
            Self::IllegalInvisibleTime => (40_011, "ILLEGAL_INVISIBLE_TIME"),
            Self::IllegalDeliveryTime => (40_012, "ILLEGAL_DELIVERY_TIME"),
            Self::InvalidReceiptHandle => (40_013, "INVALID_RECEIPT_HANDLE"),
            Self::MessagePropertyConflictWithType => {
                (40_014, "MESSAGE_PROPERTY_CONFLICT_WITH_TYPE")
            }
            Self::MessageCorrupted => (40_016, "MESSAGE_CORRUPTED"),
            Self::IllegalPollingTime => (40_018, "ILLEGAL_POLLING_TIME"),
            Self::Forbidden => (40_300, "FORBIDDEN"),
            Self::MessageNotFound => (40_401, "MESSAGE_NOT_FOUND"),
            Self::TopicNotFound => (40_402, "TOPIC_NOT_FOUND"),
            Self::TooManyRequests => (42_900, "TOO_MANY_REQUESTS"),
            Self::InternalServerError => (50_001, "INTERNAL_SERVER_ERROR"),
            Self::ProxyTimeout => (50_400, "PROXY_TIMEOUT"),
        }
    }

    /// Number in the protocol.
    pub fn number(self) -> u32 {
        self.named().0
    }
}

/// Why a proxy refused a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SendRefusal {
    /// Code on the gRPC port.
    pub code: GrpcCode,
    /// With a type conflict: the topic's type (None = unknown topic) and the message's.
    pub types: Option<(Option<TopicType>, TopicType)>,
}

/// An assignment of a gRPC push consumer: one queue, or a whole broker (queue id -1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Assignment {
    /// Topic.
    pub topic: TopicId,
    /// Broker.
    pub broker: BrokerId,
    /// Queue id; None = -1.
    pub queue: Option<u16>,
}

/// Settings that a proxy gives a consumer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConsumerSettings {
    /// `fifo`: the group attribute consumeMessageOrderly.
    pub fifo: bool,
    /// Attempts in all.
    pub max_attempts: u32,
    /// Back-off.
    pub backoff: crate::pop::Backoff,
}

/// What a client does with a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Act {
    /// Acknowledge.
    Ack,
    /// Change the invisible time, from now on.
    Change(Ms),
    /// Forward to the dead-letter queue.
    Dead,
}

/// A packet of the second stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each variant's sentence names its fields")]
#[rustfmt::skip]
pub enum PopPacket {
    /// A producer's SendMessage with one message, to the endpoint of a broker.
    Submit { rpc: Rpc, msg: MsgId, endpoint: BrokerId, attempt: u8 },
    /// A producer's SendMessage with any number of messages.
    SubmitMany { rpc: Rpc, msgs: Rc<[MsgId]>, endpoint: BrokerId, attempt: u8 },
    /// A classic client's send through the proxy's remoting port, to the queue that it chose.
    SubmitTo { rpc: Rpc, msg: MsgId, queue: MessageQueue, attempt: u8 },
    /// Answer to a SendMessage: for which queue it was stored, and under which offset (of a half message
    /// the one in the half topic).
    Submitted { token: u32, result: Result<(MessageQueue, i64), SendRefusal> },

    /// A consumer asks for its settings.
    Settings { rpc: Rpc, group: GroupId },
    /// Answer.
    SettingsAre { token: u32, settings: Rc<ConsumerSettings> },
    /// A consumer says that it is alive (one-way).
    Heartbeat { group: GroupId },
    /// NotifyClientTermination (one-way).
    Terminate { group: GroupId },
    /// A push consumer asks for its assignments.
    QueryAssignment { rpc: Rpc, group: GroupId, topic: TopicId },
    /// Answer.
    Assigned { token: u32, topic: TopicId, result: Result<Rc<[Assignment]>, GrpcCode> },
    /// ReceiveMessage.
    Receive(Rc<ReceiveRequest>),
    /// Answer: messages, or a code.
    Received { token: u32, result: Result<Rc<[Delivery]>, GrpcCode> },
    /// A consumer acts on a delivery; None = with an empty handle.
    Act { rpc: Rpc, group: GroupId, handle: Option<Rc<Handle>>, act: Act },
    /// Answer: the handle from now on, or a code.
    Acted { token: u32, result: Result<Rc<Handle>, GrpcCode> },

    /// POP_MESSAGE.
    Pop(Rc<PopRequest>),
    /// Answer to a POP.
    Popped { token: u32, status: PopStatus, deliveries: Rc<[Delivery]> },
    /// ACK_MESSAGE, or CHANGE_MESSAGE_INVISIBLETIME when a time is given.
    Settle { rpc: Rpc, group: GroupId, handle: Rc<Handle>, change_ms: Option<Ms> },
    /// Answer: the code, and the handle from now on.
    Settled { token: u32, code: AckCode, handle: Rc<Handle> },
    /// A batch for one queue.
    SendBatch { rpc: Rpc, msgs: Rc<[MsgId]>, queue: MessageQueue },
}

impl PopPacket {
    /// Rank at the receiver, as in [`crate::event::Packet`]: append, ack, heartbeat, pop.
    pub fn rank(&self) -> u32 {
        match self {
            Self::Submit { .. } | Self::SubmitMany { .. } | Self::SubmitTo { .. } => 1,
            Self::SendBatch { .. } => 1,
            Self::Act { .. } | Self::Settle { .. } => 2,
            Self::Heartbeat { .. } | Self::Terminate { .. } => 5,
            Self::Settings { .. } | Self::QueryAssignment { .. } => 7,
            Self::Receive(_) | Self::Pop(_) => 8,
            _ => 0,
        }
    }

    /// For an answer: the number and the kind of the request.
    pub fn answered(&self) -> Option<(u32, RequestKind)> {
        match self {
            Self::Submitted { token, .. } => Some((*token, RequestKind::Send)),
            Self::SettingsAre { token, .. } => Some((*token, RequestKind::Settings)),
            Self::Assigned { token, .. } => Some((*token, RequestKind::Assignment)),
            Self::Received { token, .. } | Self::Popped { token, .. } => {
                Some((*token, RequestKind::Receive))
            }
            Self::Acted { token, .. } | Self::Settled { token, .. } => {
                Some((*token, RequestKind::Ack))
            }
            _ => None,
        }
    }

    /// For a request with an answer: its number, its deadline and its kind.
    pub fn request(&self) -> Option<(Rpc, RequestKind)> {
        match self {
            Self::Submit { rpc, .. }
            | Self::SubmitMany { rpc, .. }
            | Self::SubmitTo { rpc, .. }
            | Self::SendBatch { rpc, .. } => Some((*rpc, RequestKind::Send)),
            Self::Settings { rpc, .. } => Some((*rpc, RequestKind::Settings)),
            Self::QueryAssignment { rpc, .. } => Some((*rpc, RequestKind::Assignment)),
            Self::Receive(request) => Some((request.rpc, RequestKind::Receive)),
            Self::Pop(request) => Some((request.rpc, RequestKind::Receive)),
            Self::Act { rpc, .. } | Self::Settle { rpc, .. } => Some((*rpc, RequestKind::Ack)),
            _ => None,
        }
    }
}

impl PopPacket {
    /// Kind, for losing packets.
    pub fn kind(&self) -> PacketKind {
        match self {
            Self::Submit { .. } | Self::SubmitMany { .. } | Self::SubmitTo { .. } => {
                PacketKind::Send
            }
            Self::SendBatch { .. } => PacketKind::Send,
            Self::Submitted { .. } => PacketKind::SendAnswer,
            Self::Settings { .. } | Self::QueryAssignment { .. } => PacketKind::Settings,
            Self::SettingsAre { .. } | Self::Assigned { .. } => PacketKind::SettingsAnswer,
            Self::Heartbeat { .. } => PacketKind::Heartbeat,
            Self::Terminate { .. } => PacketKind::Unregister,
            Self::Receive(_) | Self::Pop(_) => PacketKind::Receive,
            Self::Received { .. } | Self::Popped { .. } => PacketKind::ReceiveAnswer,
            Self::Act { .. } | Self::Settle { .. } => PacketKind::Ack,
            Self::Acted { .. } | Self::Settled { .. } => PacketKind::AckAnswer,
        }
    }
}
