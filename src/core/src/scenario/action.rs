//! What the sentences of a scenario declare and do.

use super::condition::QueueName;
use super::span::{Name, Spanned};
use crate::command::{
    Attempts, GroupSetting, Label, ListenerKind, ResetTarget, Selector, SendMode, TopicType,
    TransactionScript,
};
use crate::event::PacketKind;
use crate::fact::{BrokerStop, Outcome, RequestKind, StopKind};
use crate::ids::Ms;
use crate::pop::{GrpcCode, ProducerSetting};

/// Which queue counts a statement gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct QueueCounts {
    /// `readQueueNums`
    pub read: Option<u16>,
    /// `writeQueueNums`
    pub write: Option<u16>,
}

/// What a group or a consumer reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reads {
    /// Topic.
    pub topic: Name,
    /// Tags; empty = all.
    pub tags: Vec<String>,
}

/// What a sentence says about messages that it sends.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct MessageOptions {
    /// Tag.
    pub tag: Option<String>,
    /// Key; `{n}` stands for the message's number.
    pub key: Option<String>,
    /// Delay level.
    pub delay_level: Option<u8>,
    /// Arbitrary delay in ms.
    pub timer_delay_ms: Option<Ms>,
    /// Extra time on the way in ms.
    pub travel_ms: Option<Ms>,
    /// Body size in bytes.
    pub body_bytes: Option<u32>,
}

/// What one `sends` says about its messages and the way they are sent.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct SendOptions {
    /// Topic.
    pub topic: Option<Name>,
    /// Thread, from 0.
    pub thread: u8,
    /// Distance of the messages in ms.
    pub every_ms: Ms,
    /// What holds for all of the messages.
    pub message: MessageOptions,
}

/// Messages of a request that have something in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestPart {
    /// Messages.
    pub labels: Vec<Spanned<Label>>,
    /// What is said about them.
    pub options: MessageOptions,
}

/// Which client a consumer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ConsumerKind {
    /// The 4.x push consumer.
    #[default]
    Push,
    /// The gRPC `PushConsumer`.
    GrpcPush,
    /// A `SimpleConsumer` that only sentences call.
    SimpleByHand,
    /// A `SimpleConsumer` whose application receives, handles and acknowledges in a loop.
    SimpleLoop,
}

/// What is said about a receive.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ReceiveOptions {
    /// `maxMessageNum`
    pub max: Option<Spanned<u32>>,
    /// `invisibleDuration` in ms.
    pub invisible_ms: Option<Spanned<Ms>>,
    /// `awaitDuration` in ms.
    pub await_ms: Option<Spanned<Ms>>,
}

/// The only key that a consumer handles, and what it returns for messages with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnKey {
    /// The key.
    pub key: String,
    /// What is returned for the others.
    pub foreign: Outcome,
}

/// What is said about a consumer.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ConsumerOptions {
    /// Kind.
    pub kind: ConsumerKind,
    /// Threads.
    pub threads: Option<Spanned<u16>>,
    /// Receives of a loop.
    pub receive: ReceiveOptions,
    /// The proxy that it speaks to.
    pub proxy: Option<Name>,
    /// What it reads, other than its group.
    pub reads: Option<Vec<Reads>>,
    /// The only key that it handles.
    pub own_key: Option<OwnKey>,
}

/// What is said about a producer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProducerOptions {
    /// The topic it sends to.
    pub topic: Option<Name>,
    /// Queue choice.
    pub selector: Selector,
    /// Mode.
    pub mode: SendMode,
    /// Sending threads.
    pub threads: u8,
    /// The proxy that it speaks to.
    pub proxy: Option<Name>,
    /// Settings of its SDK.
    pub settings: Vec<ProducerSetting>,
}

/// What a reset of consumer offsets covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResetScope {
    /// Group.
    pub group: Name,
    /// Topic; None = the queue's, or the only one.
    pub topic: Option<Name>,
    /// One queue.
    pub queue: Option<QueueName>,
    /// One broker.
    pub broker: Option<Name>,
}

/// A consumer group's setting with its place.
pub type Setting = Spanned<GroupSetting>;

/// What is declared or done.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of the command of the same name")]
pub enum Action {
    /// `topic`
    Topic { name: Name, kind: TopicType, queues: QueueCounts },
    /// `orders 8 queues`
    Queues { topic: Name, queues: QueueCounts },
    /// `series`
    Series { series: Name, key: Option<String> },
    /// `group`
    Group { name: Name, reads: Vec<Reads>, listener: ListenerKind, settings: Vec<Setting> },
    /// `billing max-reconsume-times 3`
    Settings { group: Name, settings: Vec<Setting> },
    /// `producer`
    Producer { name: Name, options: ProducerOptions },
    /// `p1 sdk node`
    ProducerSettings { producer: Name, settings: Vec<ProducerSetting> },
    /// `p1 sends A1 A2`
    Send { producer: Name, labels: Vec<Spanned<Label>>, options: SendOptions },
    /// `p1 sends A1 A2 in one request`
    SendTogether { producer: Name, parts: Vec<RequestPart>, options: SendOptions },
    /// `p1 sends A1 in a transaction that commits`
    Transaction {
        producer: Name,
        label: Spanned<Label>,
        script: TransactionScript,
        options: SendOptions,
    },
    /// `p1 sends 1000 messages`
    Load {
        producer: Name,
        topic: Option<Name>,
        count: u32,
        groups: u32,
        per_second: u32,
        skew_percent: u32,
    },
    /// `consumer c1 in billing`, `c1 joins billing`
    Consumer { name: Name, group: Name, options: ConsumerOptions },
    /// `c1 starts`, as before or as something else
    Start { name: Name, anew: Option<(Name, ConsumerOptions)> },
    /// `c1 stops`, `crashes`, `vanishes`, `hangs`
    Stop { name: Name, how: StopKind },
    /// `c1 resumes`, `billing resumes`
    Resume { name: Name },
    /// `billing pauses`
    Pause { group: Name },
    /// `c1 reads orders tagged paid`
    Subscribe { consumer: Name, reads: Vec<Reads> },
    /// `c1 handles only key k1`
    OwnKey { consumer: Name, own: OwnKey },
    /// `c1 receives`
    Receive { consumer: Name, options: ReceiveOptions },
    /// `c1 acks A1`, `c1 acks everything`
    Ack { consumer: Name, labels: Option<Vec<Spanned<Label>>> },
    /// `c1 changes invisible-duration of A1 to 60s`
    ChangeInvisible { consumer: Name, label: Spanned<Label>, invisible_ms: Ms },
    /// `A2 fails always`; without labels: every message
    Handle {
        labels: Option<Vec<Spanned<Label>>>,
        attempts: Attempts,
        outcome: Option<Outcome>,
        handle_ms: Option<Ms>,
        group: Option<Name>,
        client: Option<Name>,
    },
    /// `cut c1 from broker`
    Cut { a: Name, b: Name },
    /// `heal c1 and broker`
    Heal { a: Name, b: Name },
    /// `lose next 2 ack-answer`
    DropNext { from: Option<Name>, to: Option<Name>, packet: PacketKind, count: u32, noticed: bool },
    /// `latency`
    Latency { from: Option<Name>, to: Option<Name>, ms: Ms },
    /// `clock of c1 30s ahead`
    Clock { party: Name, ahead_ms: Ms },
    /// `delay-levels`
    DelayLevels { table: String },
    /// `add broker b`
    AddBroker { name: Name },
    /// `broker stops`, `crashes`, `loses power`
    StopBroker { broker: Name, how: BrokerStop },
    /// `broker starts`
    StartBroker { broker: Name },
    /// `disk of broker 92% full`
    Disk { broker: Option<Name>, used_percent: u8 },
    /// `order-conf of orders is broker:4`
    OrderConf { topic: Name, conf: Option<String> },
    /// `reset billing to latest`
    Reset { scope: ResetScope, target: ResetTarget, force: bool },
    /// `add proxy p`
    AddProxy { name: Name },
    /// `proxy stops`, `proxy starts`
    RunProxy { proxy: Name, up: bool },
    /// `c1 uses p`
    UseProxy { party: Name, proxy: Name },
    /// `proxy answers receive with TOO_MANY_REQUESTS`, `proxy serves receive`
    FailRequests { proxy: Name, request: RequestKind, code: Option<GrpcCode> },
    /// `set` during the run
    Set { constant: Name, value: Spanned<i64> },
}

impl Action {
    /// The messages that a sentence sends by their labels.
    pub fn sent(&self) -> Vec<&Spanned<Label>> {
        match self {
            Action::Send { labels, .. } => labels.iter().collect(),
            Action::SendTogether { parts, .. } => parts.iter().flat_map(|p| &p.labels).collect(),
            Action::Transaction { label, .. } => vec![label],
            _ => Vec::new(),
        }
    }
}
