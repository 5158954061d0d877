//! What people and scenarios ask for. A command is imperative and may be refused; a refusal is a
//! value. Commands carry names, not ids, so that a journal can be read and survives edits.

use crate::event::PacketKind;
use crate::fact::{BrokerStop, Decision, Outcome, StopKind};
use crate::ids::Ms;
use crate::model::Version;
use crate::pop::{PopCommand, PopSetting};

/// Longest time that a command may name, and latest instant: 1 000 days, in ms.
pub const MAX_TIME_MS: Ms = 86_400_000_000;
/// Largest message body in bytes. Source: `DefaultMQProducer.maxMessageSize`.
pub const MAX_BODY_BYTES: u32 = 4 * 1024 * 1024;

/// A message's label: the series (a message group's short name, or the series of messages
/// without one) and its number in it, as in `A2`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label {
    /// Series name, such as `A`.
    pub series: String,
    /// Number in the series, from 0.
    pub number: u32,
}

impl std::fmt::Display for Label {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.series, self.number)
    }
}

/// Type of a topic (attribute `message.type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TopicType {
    /// NORMAL
    Normal,
    /// FIFO
    Fifo,
    /// DELAY
    Delay,
    /// TRANSACTION
    Transaction,
    /// MIXED
    Mixed,
}

/// How a producer chooses the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Selector {
    /// 5.x path: the proxy's consistent hash of the message group; round robin without a group.
    MessageGroup,
    /// 4.x `SelectMessageQueueByHash` over the group's key.
    Hash,
    /// 4.x hand-written `Math.abs(hash) % n`.
    AbsHash,
    /// 4.x hand-written `id % n`; the id is the number in the group's key (or the key's hash).
    Modulo,
    /// No selector.
    RoundRobin,
    /// Always the queue with this id.
    Queue(u16),
}

/// How a producer waits for the broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SendMode {
    /// Each thread waits for the answer before it sends its next message.
    Sync,
    /// A thread sends on at once.
    Async,
}

/// Which listener a consumer group registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ListenerKind {
    /// `MessageListenerOrderly`
    Orderly,
    /// `MessageListenerConcurrently`
    Concurrent,
}

/// Where a new group begins (classic client).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FromWhere {
    /// `CONSUME_FROM_LAST_OFFSET`
    Last,
    /// `CONSUME_FROM_FIRST_OFFSET`
    First,
    /// `CONSUME_FROM_TIMESTAMP`: at this instant; None = half an hour before the consumer's start,
    /// to the second.
    Timestamp(Option<Ms>),
}

/// Where a reset goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResetTarget {
    /// Behind the newest message (timestamp -1).
    Latest,
    /// The first message stored at or after this instant.
    Time(Ms),
    /// An offset; only together with a queue.
    Offset(i64),
}

/// What a producer's transaction does: the local transaction, then the answers to checks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TransactionScript {
    /// How long the local transaction takes after the half message was stored, in ms.
    pub after_ms: Ms,
    /// Its decision.
    pub decision: Decision,
    /// Answers to the broker's checks, in order; the last one is repeated, none means unknown.
    pub checks: Vec<Decision>,
}

/// A subscription of a consumer group.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Subscription {
    /// Topic name.
    pub topic: String,
    /// Tags; empty means all.
    pub tags: Vec<String>,
}

/// A setting of a consumer group that may change during the run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GroupSetting {
    /// A setting of the second stack.
    Pop(PopSetting),
    /// `maxReconsumeTimes`: -1 = the default of the listener kind.
    MaxReconsumeTimes(i32),
    /// `suspendCurrentQueueTimeMillis`.
    SuspendMs(Ms),
    /// `consumeMessageBatchMaxSize`, 1 to 1024.
    BatchMax(u16),
    /// `consumeThreadMax` of each client started later.
    Threads(u16),
    /// `autoCommit` of the orderly context.
    AutoCommit(bool),
    /// How long a listener call takes (from, to: drawn uniformly when they differ).
    HandleMs(Ms, Ms),
    /// `consumeFromWhere`.
    FromWhere(FromWhere),
    /// `awaitTerminationMillisWhenShutdown`.
    AwaitTerminationMs(Ms),
    /// Pull on or off (`suspend()` / `resume()` of the consumer).
    Paused(bool),
    /// `retryQueueNums`; with 0 the broker takes failed messages and stores them nowhere.
    RetryQueueNums(u16),
}

/// One message of a send.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MessageSpec {
    /// Label.
    pub label: Label,
    /// Tag.
    pub tag: Option<String>,
    /// Key (`KEYS`).
    pub key: Option<String>,
    /// Delay level; 0 = none.
    pub delay_level: u8,
    /// Arbitrary delivery delay in ms (`TIMER_DELAY_MS`); 0 = none.
    pub timer_delay_ms: Ms,
    /// Extra time on the way to the broker, in ms.
    pub travel_ms: Ms,
    /// Body size in bytes.
    pub body_bytes: u32,
}

impl MessageSpec {
    /// A plain message.
    pub fn new(series: &str, number: u32) -> Self {
        Self {
            label: Label { series: series.to_owned(), number },
            tag: None,
            key: None,
            delay_level: 0,
            timer_delay_ms: 0,
            travel_ms: 0,
            body_bytes: 100,
        }
    }
}

/// When a rule of the listener script applies to an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Attempts {
    /// Every attempt.
    All,
    /// The first n attempts.
    First(u32),
    /// Only attempt n (from 1).
    Only(u32),
}

/// What the listener does with a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HandlerRule {
    /// For this consumer group only.
    pub group: Option<String>,
    /// For this consumer only.
    pub client: Option<String>,
    /// The message; None = every message.
    pub label: Option<Label>,
    /// Which attempts.
    pub attempts: Attempts,
    /// The outcome; None leaves it to other rules.
    pub outcome: Option<Outcome>,
    /// The time of the call in ms; None leaves it to other rules.
    pub handle_ms: Option<Ms>,
}

/// A load: messages made by the producer itself, seeded.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Load {
    /// How many messages.
    pub count: u32,
    /// Over how many message groups; 0 = without message group.
    pub groups: u32,
    /// Per second of virtual time.
    pub per_second: u32,
    /// Skew: with 0 all groups are equally likely; with s the k-th group is k^-s as likely (in hundredths).
    pub skew_percent: u32,
    /// Series that are somebody else's at any time of the run: the load's message groups are others, so
    /// that no two messages have one label. Sorted. Those that exist already when it starts are left out anyway.
    pub beside: Vec<String>,
}

/// A command.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    /// Creates a topic on all brokers.
    CreateTopic {
        /// Name.
        name: String,
        /// Type.
        kind: TopicType,
        /// `readQueueNums`, 1 to 1024.
        read_queues: u16,
        /// `writeQueueNums`, 1 to 1024.
        write_queues: u16,
    },
    /// Changes the queue counts of a topic.
    UpdateTopic {
        /// Name.
        name: String,
        /// `readQueueNums`.
        read_queues: u16,
        /// `writeQueueNums`.
        write_queues: u16,
    },
    /// Declares the key of a message group; without it the key is the group's short name.
    /// `None` declares a series without message group.
    NameMessageGroup {
        /// Short name, as in labels.
        series: String,
        /// The message group (sharding key) that is hashed.
        key: Option<String>,
    },
    /// Creates a consumer group.
    CreateGroup {
        /// Name.
        name: String,
        /// What it reads.
        subscriptions: Vec<Subscription>,
        /// Listener kind.
        listener: ListenerKind,
    },
    /// Changes a setting of a consumer group; running clients see it at their next look.
    SetGroup {
        /// Group name.
        group: String,
        /// New value.
        setting: GroupSetting,
    },
    /// Creates a producer.
    CreateProducer {
        /// Name.
        name: String,
        /// The topic it sends to when a send names none.
        topic: Option<String>,
        /// Queue choice.
        selector: Selector,
        /// Mode.
        mode: SendMode,
        /// Sending threads, at least 1.
        threads: u8,
    },
    /// Hands messages to a producer's thread, in this order.
    Send {
        /// Producer name.
        producer: String,
        /// Topic; None = the producer's own.
        topic: Option<String>,
        /// Thread, from 0.
        thread: u8,
        /// Messages.
        messages: Vec<MessageSpec>,
        /// Distance between two of them in ms; 0 = all at once.
        every_ms: Ms,
    },
    /// Starts a load.
    SendLoad {
        /// Producer name.
        producer: String,
        /// Topic; None = the producer's own.
        topic: Option<String>,
        /// The load.
        load: Load,
    },
    /// Starts a consumer process in a group.
    StartConsumer {
        /// Name.
        name: String,
        /// Group name.
        group: String,
        /// Consume threads; None = the group's setting.
        threads: Option<u16>,
    },
    /// Ends a consumer process, or lets it stand still.
    StopConsumer {
        /// Name.
        name: String,
        /// How.
        how: StopKind,
    },
    /// Lets a hanging consumer go on.
    ResumeConsumer {
        /// Name.
        name: String,
    },
    /// Adds a rule to the listener script; later rules win.
    Handle(HandlerRule),
    /// Cuts two parties off from each other; messages on the way are lost. `broker` names the broker.
    Cut {
        /// One side.
        a: String,
        /// The other side.
        b: String,
    },
    /// Ends a cut.
    Heal {
        /// One side.
        a: String,
        /// The other side.
        b: String,
    },
    /// Sets the latency from one party to another (None = any), in ms.
    SetLatency {
        /// Sender.
        from: Option<String>,
        /// Receiver.
        to: Option<String>,
        /// One-way latency.
        ms: Ms,
    },
    /// Sets the delay-level table (`messageDelayLevel`); takes effect at once before the broker has
    /// run (instant 0) and at its next start otherwise.
    SetDelayLevels {
        /// The table as the broker's configuration has it.
        table: String,
    },
    /// Adds a broker that starts now, with all topics.
    AddBroker {
        /// Name; brokers sort by it in routes.
        name: String,
    },
    /// Stops a broker.
    StopBroker {
        /// Name; None = the first broker.
        broker: Option<String>,
        /// How.
        how: BrokerStop,
    },
    /// Starts a stopped broker.
    StartBroker {
        /// Name; None = the first broker.
        broker: Option<String>,
    },
    /// Sets or removes the order conf of a topic in the name server: producers then take their
    /// queues from it, whether the brokers live or not.
    SetOrderConf {
        /// Topic name.
        topic: String,
        /// `brokerA:4;brokerB:4`; None removes it.
        conf: Option<String>,
    },
    /// Resets the consumer offsets of a group.
    ResetOffset {
        /// Group name.
        group: String,
        /// Topic name.
        topic: String,
        /// Broker name; None = all brokers (with a queue: the first broker).
        broker: Option<String>,
        /// Queue id; None = all queues.
        queue: Option<u16>,
        /// Where to.
        target: ResetTarget,
        /// Legacy way only: false moves offsets only backwards.
        force: bool,
    },
    /// Declares that a consumer, running or started later, subscribes to other topics or tags than
    /// its group.
    Subscribe {
        /// Consumer name.
        consumer: String,
        /// Its subscriptions.
        subscriptions: Vec<Subscription>,
    },
    /// Declares that a consumer's listener handles only messages with this key and returns
    /// `foreign` for all others at once.
    OwnKey {
        /// Consumer name.
        consumer: String,
        /// The key.
        key: String,
        /// What it returns for the others.
        foreign: Outcome,
    },
    /// Sends a message in a transaction.
    SendTransaction {
        /// Producer name.
        producer: String,
        /// Topic; None = the producer's own.
        topic: Option<String>,
        /// Thread, from 0.
        thread: u8,
        /// Message.
        message: MessageSpec,
        /// What the producer decides.
        script: TransactionScript,
    },
    /// Loses the next packets of a kind between two parties.
    DropNext {
        /// Sender; None = any.
        from: Option<String>,
        /// Receiver; None = any.
        to: Option<String>,
        /// Which packets.
        kind: PacketKind,
        /// How many.
        count: u32,
        /// True: the connection breaks, and the asker notices at once; false: it waits for its
        /// time-out.
        noticed: bool,
    },
    /// Sets the wall clock of a broker or a consumer.
    SetClock {
        /// Party name.
        party: String,
        /// How far it is ahead of the run's clock, in ms; negative = behind.
        ahead_ms: Ms,
    },
    /// Sets how full a broker's disk is.
    SetDisk {
        /// Broker name; None = all.
        broker: Option<String>,
        /// Use in percent, 0 to 100.
        used_percent: u8,
    },
    /// A command of the second stack: gRPC consumers, proxies, the 5.x send path.
    Pop(PopCommand),
    /// Overrides a constant of the model by name.
    SetConstant {
        /// Name, see [`crate::model::CONSTANTS`].
        name: String,
        /// Value in the constant's unit.
        value: i64,
    },
}

/// Why somebody cannot do what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unfit {
    /// A consumer that runs cannot start.
    Running,
    /// A consumer that has ended, is stopping or stands still cannot stop.
    NotRunning,
    /// Only a consumer that stands still resumes.
    NotStanding,
    /// Only a running SimpleConsumer that is called by hand does what commands say.
    NotByHand,
    /// Only a gRPC producer, which selects by the message group, sends several in one request.
    NotGrpc,
    /// A 4.x consumer speaks to no proxy.
    Classic,
    /// A broker or a proxy is up already.
    Up,
    /// A broker or a proxy is down.
    Down,
}

/// Why a command was refused.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// Nothing has this name.
    Unknown {
        /// What was looked for: `topic`, `group`, `producer`, `consumer`, `party`, `constant`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// The name is taken.
    Exists {
        /// The name.
        name: String,
    },
    /// A number is outside its range.
    OutOfRange {
        /// Which number.
        what: &'static str,
        /// The value given.
        value: i64,
        /// Smallest legal value.
        min: i64,
        /// Largest legal value.
        max: i64,
    },
    /// Somebody is not in a state that allows it.
    WrongState {
        /// Name of the thing.
        name: String,
        /// What it is instead.
        is: Unfit,
    },
    /// A delay-level table that the broker cannot start with.
    BadDelayTable {
        /// The token that could not be read.
        token: String,
    },
    /// No topic was named and the producer has none.
    NoTopic {
        /// Producer name.
        producer: String,
    },
    /// The broker answered with an error.
    Broker {
        /// RocketMQ's response code.
        code: i32,
        /// RocketMQ's text.
        text: String,
    },
    /// The tool does not do this (a reset to offset 0 of one queue in the legacy way).
    SkippedByTool,
    /// No process of the group has `suspend()` and `resume()`: none runs, or only gRPC clients do.
    NobodyToPause {
        /// Group name.
        group: String,
    },
    /// The modelled release does not have it.
    NotInThisVersion {
        /// What it does not have.
        what: &'static str,
        /// Since which release RocketMQ has it; None = no longer.
        since: Option<Version>,
    },
    /// An order conf could not be read.
    BadOrderConf {
        /// The part that could not be read.
        part: String,
    },
    /// The consumer does not hold this message.
    NotHeld {
        /// Consumer name.
        consumer: String,
        /// Label of the message.
        message: String,
    },
    /// A bound of the model was reached.
    LimitReached {
        /// Its name.
        limit: &'static str,
    },
}
