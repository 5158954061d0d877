//! What the agenda holds: packets that arrive and timers that fire, each with its place within an
//! instant (semantics 11.12).

use std::rc::Rc;

use crate::agenda::Place;
use crate::fact::{Decision, RequestKind};
use crate::grpc::{GrpcTimer, PopPacket, PopTimer, ProxyTimer};
use crate::ids::{
    BrokerId, ClientId, GroupId, MessageQueue, Ms, MsgId, Party, ProducerId, ProxyId, TopicId,
};
use crate::shared::Subscribed;

/// Something that will happen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// A command of the journal, by its number.
    Command(u32),
    /// A packet arrives.
    Arrival {
        /// Sender.
        from: Party,
        /// Receiver.
        to: Party,
        /// Contents.
        packet: Packet,
    },
    /// A request got no answer in time.
    TimedOut {
        /// Who asked.
        party: Party,
        /// The request.
        token: u32,
        /// What it asked for.
        request: RequestKind,
    },
    /// A timer of a broker.
    Broker(BrokerId, BrokerTimer),
    /// A timer of a consumer process.
    Client(ClientId, ClientTimer),
    /// A timer of a producer process.
    Producer(ProducerId, ProducerTimer),
    /// A timer of a proxy.
    Proxy(ProxyId, ProxyTimer),
}

/// A request that wants an answer: its number at the asker and the last instant for the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rpc {
    /// Number of the request at the asker.
    pub token: u32,
    /// The asker gives up at this instant.
    pub deadline_ms: Ms,
    /// Number of the connection that it came over, as the asker counts its own; 0 where no connection
    /// matters.
    pub connection: u32,
}

/// A message as a consumer holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cached {
    /// Queue offset.
    pub offset: i64,
    /// The message.
    pub msg: MsgId,
    /// `reconsumeTimes` in the consumer's memory.
    pub reconsume_times: u32,
    /// Body size in bytes, which is what the client's cache counts (`ProcessQueue.msgSize`).
    pub bytes: u32,
    /// When it was stored.
    pub store_ms: Ms,
}

/// What parties send each other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each variant's sentence names its fields")]
#[rustfmt::skip]
pub enum Packet {
    /// A packet of the second stack.
    Pop(PopPacket),
    /// A producer sends a message to a queue.
    Send { rpc: Rpc, msg: MsgId, queue: MessageQueue },
    /// An orderly consumer sends an exhausted message to its retry topic; the broker decides where it lands.
    SendRetry { rpc: Rpc, group: GroupId, msg: MsgId, reconsume_times: u32, max: i32, delay_level: u8 },
    /// A concurrent consumer sends a failed message back, or a proxy one that becomes a dead letter: it
    /// names the place where the message is stored, and the broker looks at what lies there.
    SendBack { rpc: Rpc, group: GroupId, msg: MsgId, at: (MessageQueue, i64), delay_level: i8, max: i32 },
    /// A consumer asks for locks.
    Lock { rpc: Rpc, group: GroupId, queues: Rc<[MessageQueue]> },
    /// A consumer gives locks back.
    Unlock { rpc: Option<Rpc>, group: GroupId, queues: Rc<[MessageQueue]> },
    /// A consumer pushes its offsets (one-way).
    PushOffsets { group: GroupId, offsets: Rc<[(MessageQueue, i64)]> },
    /// A consumer reads the broker's consumer offset.
    QueryOffset { rpc: Rpc, group: GroupId, queue: MessageQueue },
    /// A consumer reads the maximum offset.
    QueryMaxOffset { rpc: Rpc, queue: MessageQueue },
    /// A consumer searches a queue by time; answered like a query of the maximum offset.
    SearchOffset { rpc: Rpc, queue: MessageQueue, time_ms: Ms },
    /// A producer tells how its transaction ends (one-way); `half` is the offset in the half topic of
    /// the copy that it decides about (`tranStateTableOffset`).
    EndTransaction { msg: MsgId, half: i64, decision: Decision },
    /// A consumer reads the member list of its group.
    QueryMembers { rpc: Rpc, group: GroupId },
    /// A consumer says that it is alive and what it reads.
    Heartbeat { rpc: Rpc, group: GroupId, versions: Rc<[Ms]>, subscriptions: Rc<[Subscribed]> },
    /// A consumer leaves.
    Unregister { rpc: Rpc, group: GroupId },
    /// A consumer's end of a connection closed.
    Closed { connection: u32 },
    /// A broker's end of a connection closed.
    Hung { connection: u32 },
    /// A consumer pulls; `commit` is its in-memory offset if above 0.
    Pull { rpc: Rpc, group: GroupId, queue: MessageQueue, offset: i64, commit: i64, version_ms: Ms },

    /// Answer to a send: accepted under this offset, or refused.
    Sent { token: u32, result: Result<i64, Refused> },
    /// Answer to a send-back: None when it was not taken. The retry count of what was stored is for the
    /// facts alone; a real answer does not tell it.
    BackTaken { token: u32, taken: Option<u16> },
    /// Answer to a lock request: the granted subset.
    Locked { token: u32, granted: Rc<[MessageQueue]> },
    /// Answer to an unlock.
    Unlocked { token: u32 },
    /// Answer to a heartbeat.
    HeartbeatTaken { token: u32 },
    /// Answer to a consumer that leaves.
    Unregistered { token: u32 },
    /// Answer to a query of the consumer offset; None = not found.
    Offset { token: u32, offset: Option<i64> },
    /// Answer to a query of the maximum offset.
    MaxOffset { token: u32, offset: i64 },
    /// Answer to a query of the members.
    Members { token: u32, members: Rc<[ClientId]> },
    /// Answer to a pull.
    Pulled { token: u32, queue: MessageQueue, status: PullStatus, next_offset: i64, messages: Vec<Cached> },
    /// The broker tells a member that its group changed (one-way); `joiner` when it is the one that joined.
    MembersChanged { group: GroupId, joiner: bool, connection: u32 },
    /// The broker tells a member to reset its offsets (legacy, one-way).
    ResetOffsets { topic: TopicId, offsets: Rc<[(MessageQueue, i64)]> },
    /// The broker asks a producer about a transaction (one-way); `half` is the newest copy's offset.
    CheckTransaction { msg: MsgId, half: i64, count: u8 },
}

/// Kinds of packets, for losing some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "named after the packets")]
pub enum PacketKind {
    Any,
    Send,
    SendAnswer,
    Pull,
    PullAnswer,
    Lock,
    LockAnswer,
    Unlock,
    Offsets,
    Query,
    QueryAnswer,
    SendBack,
    SendBackAnswer,
    Heartbeat,
    Unregister,
    Notification,
    EndTransaction,
    CheckTransaction,
    Reset,
    Receive,
    ReceiveAnswer,
    Ack,
    AckAnswer,
    Settings,
    SettingsAnswer,
    Other,
}

/// Why a broker refused a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refused {
    /// The queue id is illegal.
    QueueId,
    /// The delivery time is too far ahead (code 13).
    TimerIllegal,
    /// The disk is full (SERVICE_NOT_AVAILABLE 14).
    DiskFull,
}

/// How a pull was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PullStatus {
    /// FOUND (0).
    Found,
    /// PULL_NOT_FOUND (19).
    NotFound,
    /// PULL_RETRY_IMMEDIATELY (20).
    RetryImmediately,
    /// PULL_OFFSET_MOVED (21).
    OffsetMoved,
    /// The queue id is not readable.
    IllegalQueue,
    /// SUBSCRIPTION_NOT_EXIST (24).
    SubscriptionNotExist,
    /// SUBSCRIPTION_NOT_LATEST (25).
    SubscriptionNotLatest,
}

/// Timers of a broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BrokerTimer {
    /// A timer of POP.
    Pop(PopTimer),
    /// The task of a delay level (from 1).
    DelayLevel(u8),
    /// A slot of the timer wheel, by its delivery instant.
    Wheel,
    /// A check of held pulls.
    HoldCheck,
    /// A scan for silent members.
    MemberScan,
    /// Consumer offsets and cursors go to disk.
    FlushOffsets,
    /// Delay cursors go to disk.
    FlushDelayOffsets,
    /// The broker finds its disk full, or good again.
    DiskLook,
    /// The cleaner deletes segments.
    Clean,
    /// Notes about decided transactions are written.
    TransactionOps,
    /// Unanswered transactions are checked.
    TransactionCheck,
    /// The name server finds this broker silent.
    RouteExpiry,
}

/// Timers of a consumer process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "fields: a queue and the number of its process queue")]
pub enum ClientTimer {
    /// A timer of a gRPC consumer.
    Grpc(GrpcTimer),
    /// The rebalance thread looks whether a round may run.
    Rebalance,
    /// The rebalance thread stops waiting for a listener.
    ReleaseWait { wait: u32 },
    /// The wait for the listener of a queue whose offset was corrected is over.
    CorrectionWait { queue: MessageQueue, serial: u32 },
    /// Locks are renewed.
    RenewLocks,
    /// A lock is asked for again.
    Relock { queue: MessageQueue, serial: u32 },
    /// A delayed unlock is sent (up to 5.1.4).
    DelayedUnlock { queue: MessageQueue },
    /// A pull request has its turn.
    Pull { queue: MessageQueue, serial: u32 },
    /// The pause of a pull request is over.
    PullLater { queue: MessageQueue, serial: u32 },
    /// An orderly consume task is submitted.
    Consume { queue: MessageQueue, serial: u32 },
    /// The pause of an orderly consume task is over.
    ConsumeLater { queue: MessageQueue, serial: u32 },
    /// A suspended message group is free (articles' model).
    GroupFree { queue: MessageQueue, serial: u32 },
    /// A failed concurrent message is submitted again.
    Resubmit { queue: MessageQueue, serial: u32, message: Cached },
    /// A corrected offset takes effect (up to 5.1.4).
    CorrectOffset { queue: MessageQueue, serial: u32 },
    /// Offsets are pushed.
    PushOffsets,
    /// A heartbeat is sent.
    Heartbeat,
    /// The route is read.
    RoutePoll,
    /// A clean stop has waited long enough for running listeners.
    ShutdownWait,
    /// Messages that are handled for too long are looked for (concurrent).
    CleanExpired,
    /// The pause of a legacy reset is over.
    ResetDone { reset: u32 },
    /// A listener call begins.
    ListenerStart { call: u32 },
    /// A listener call ends.
    ListenerEnd { call: u32 },
}

/// Timers of a producer process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProducerTimer {
    /// A throttled send is repeated.
    Again {
        /// Number of the send.
        token: u32,
    },
    /// The application hands the next message of a plan to its thread.
    Hand {
        /// Number of the plan.
        plan: u32,
    },
    /// A load makes its next message.
    Load {
        /// Number of the load.
        load: u32,
    },
    /// A thread sends its next message.
    Thread(u8),
    /// The route is read; scheduled only when it has changed.
    RoutePoll,
    /// A local transaction ends.
    Decide {
        /// The message.
        msg: MsgId,
    },
}

impl Event {
    /// Class and rank within an instant.
    pub fn place(&self) -> Place {
        match self {
            Self::Command(_) => Place::new(0, 0),
            Self::Arrival { to, packet: Packet::MembersChanged { joiner, .. }, .. } => {
                let member = match to {
                    Party::Client(c) => u32::from(c.0),
                    _ => 0,
                };
                Place::new(3, member | (u32::from(*joiner) << 16))
            }
            Self::Arrival { packet, .. } => Place::new(1, packet.rank()),
            Self::TimedOut { .. } => Place::new(1, 0),
            Self::Broker(_, timer) => Place::new(2, timer.rank()),
            Self::Client(client, timer) => match timer {
                ClientTimer::ListenerEnd { .. } | ClientTimer::Grpc(GrpcTimer::ListenerEnd(_)) => {
                    Place::new(5, u32::from(client.0))
                }
                ClientTimer::ListenerStart { .. }
                | ClientTimer::Grpc(GrpcTimer::ListenerStart(_)) => {
                    Place::new(5, 0x2_0000 | u32::from(client.0))
                }
                _ => Place::new(4, (u32::from(client.0) << 4) | timer.rank()),
            },
            Self::Proxy(proxy, timer) => {
                Place::new(2, 0x1000 + (u32::from(proxy.0) << 1) + *timer as u32)
            }
            Self::Producer(producer, ProducerTimer::RoutePoll) => {
                Place::new(4, 0x0fff_0000 | u32::from(producer.0))
            }
            Self::Producer(producer, _) => Place::new(5, 0x4_0000 | u32::from(producer.0)),
        }
    }
}

impl Packet {
    /// Broker side: append, ack, unlock, offset push, heartbeat or unregister, lock, pull.
    fn rank(&self) -> u32 {
        match self {
            Self::Pop(packet) => packet.rank(),
            Self::Send { .. }
            | Self::SendRetry { .. }
            | Self::SendBack { .. }
            | Self::EndTransaction { .. } => 1,
            Self::Unlock { .. } => 3,
            Self::PushOffsets { .. } => 4,
            Self::Heartbeat { .. } | Self::Unregister { .. } | Self::Closed { .. } => 5,
            Self::Lock { .. } => 6,
            Self::QueryMembers { .. }
            | Self::QueryOffset { .. }
            | Self::QueryMaxOffset { .. }
            | Self::SearchOffset { .. } => 7,
            Self::Pull { .. } => 8,
            _ => 0,
        }
    }

    /// For an answer: the number and the kind of the request.
    pub fn answered(&self) -> Option<(u32, RequestKind)> {
        match self {
            Self::Pop(packet) => packet.answered(),
            Self::Sent { token, .. } => Some((*token, RequestKind::Send)),
            Self::BackTaken { token, .. } => Some((*token, RequestKind::SendBack)),
            Self::Locked { token, .. } | Self::Unlocked { token } => {
                Some((*token, RequestKind::Lock))
            }
            Self::HeartbeatTaken { token } => Some((*token, RequestKind::Heartbeat)),
            Self::Unregistered { token } => Some((*token, RequestKind::Unregister)),
            Self::Offset { token, .. } => Some((*token, RequestKind::QueryOffset)),
            Self::MaxOffset { token, .. } => Some((*token, RequestKind::MaxOffset)),
            Self::Members { token, .. } => Some((*token, RequestKind::Members)),
            Self::Pulled { token, .. } => Some((*token, RequestKind::Pull)),
            _ => None,
        }
    }

    /// For a request with an answer: its number, its deadline and its kind.
    pub fn request(&self) -> Option<(Rpc, RequestKind)> {
        match self {
            Self::Pop(packet) => packet.request(),
            Self::Send { rpc, .. } => Some((*rpc, RequestKind::Send)),
            Self::SendRetry { rpc, .. } | Self::SendBack { rpc, .. } => {
                Some((*rpc, RequestKind::SendBack))
            }
            Self::Lock { rpc, .. } => Some((*rpc, RequestKind::Lock)),
            Self::Unlock { rpc, .. } => rpc.map(|rpc| (rpc, RequestKind::Lock)),
            Self::Heartbeat { rpc, .. } => Some((*rpc, RequestKind::Heartbeat)),
            Self::Unregister { rpc, .. } => Some((*rpc, RequestKind::Unregister)),
            Self::QueryOffset { rpc, .. } => Some((*rpc, RequestKind::QueryOffset)),
            Self::QueryMaxOffset { rpc, .. } | Self::SearchOffset { rpc, .. } => {
                Some((*rpc, RequestKind::MaxOffset))
            }
            Self::QueryMembers { rpc, .. } => Some((*rpc, RequestKind::Members)),
            Self::Pull { rpc, .. } => Some((*rpc, RequestKind::Pull)),
            _ => None,
        }
    }
}

impl Packet {
    /// The kind of a packet.
    pub fn kind(&self) -> PacketKind {
        match self {
            Self::Pop(packet) => packet.kind(),
            Self::Send { .. } => PacketKind::Send,
            Self::Sent { .. } => PacketKind::SendAnswer,
            Self::Pull { .. } => PacketKind::Pull,
            Self::Pulled { .. } => PacketKind::PullAnswer,
            Self::Lock { .. } => PacketKind::Lock,
            Self::Locked { .. } => PacketKind::LockAnswer,
            Self::Unlock { .. } => PacketKind::Unlock,
            Self::PushOffsets { .. } => PacketKind::Offsets,
            Self::QueryOffset { .. }
            | Self::QueryMaxOffset { .. }
            | Self::SearchOffset { .. }
            | Self::QueryMembers { .. } => PacketKind::Query,
            Self::Offset { .. } | Self::MaxOffset { .. } | Self::Members { .. } => {
                PacketKind::QueryAnswer
            }
            Self::SendRetry { .. } | Self::SendBack { .. } => PacketKind::SendBack,
            Self::BackTaken { .. } => PacketKind::SendBackAnswer,
            Self::Heartbeat { .. } => PacketKind::Heartbeat,
            Self::Unregister { .. } => PacketKind::Unregister,
            Self::MembersChanged { .. } => PacketKind::Notification,
            Self::EndTransaction { .. } => PacketKind::EndTransaction,
            Self::CheckTransaction { .. } => PacketKind::CheckTransaction,
            Self::ResetOffsets { .. } => PacketKind::Reset,
            _ => PacketKind::Other,
        }
    }
}

impl BrokerTimer {
    fn rank(self) -> u32 {
        match self {
            Self::Pop(timer) => timer.rank(),
            Self::DelayLevel(level) => u32::from(level),
            Self::Wheel => 0x100,
            Self::HoldCheck => 0x102,
            Self::MemberScan => 0x104,
            Self::FlushOffsets => 0x105,
            Self::FlushDelayOffsets => 0x106,
            Self::DiskLook => 0x107,
            Self::Clean => 0x108,
            Self::TransactionOps => 0x109,
            Self::TransactionCheck => 0x10a,
            Self::RouteExpiry => 0x10b,
        }
    }
}

impl ClientTimer {
    fn rank(self) -> u32 {
        match self {
            Self::Grpc(timer) => timer.rank(),
            Self::Rebalance | Self::ReleaseWait { .. } | Self::CorrectionWait { .. } => 0,
            Self::RenewLocks => 1,
            Self::Relock { .. } | Self::DelayedUnlock { .. } => 2,
            Self::Pull { .. } | Self::PullLater { .. } | Self::CorrectOffset { .. } => 3,
            Self::GroupFree { .. }
            | Self::Consume { .. }
            | Self::ConsumeLater { .. }
            | Self::Resubmit { .. } => 4,
            Self::PushOffsets => 5,
            Self::Heartbeat => 6,
            Self::RoutePoll => 7,
            Self::ShutdownWait | Self::CleanExpired | Self::ResetDone { .. } => 8,
            Self::ListenerStart { .. } | Self::ListenerEnd { .. } => 9,
        }
    }
}
