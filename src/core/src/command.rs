//! What people and scenarios ask for. A command is imperative and may be refused; a refusal is a
//! value. Commands carry names, not ids, so that a journal can be read and survives edits.

use crate::fact::{Outcome, StopKind};
use crate::ids::Ms;

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
    /// Stops a broker.
    StopBroker {
        /// True: files are written first.
        clean: bool,
    },
    /// Starts a stopped broker.
    StartBroker,
    /// Overrides a constant of the model by name.
    SetConstant {
        /// Name, see [`crate::model::CONSTANTS`].
        name: String,
        /// Value in the constant's unit.
        value: i64,
    },
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
    /// The consumer is not in a state that allows it (stopped, or running already).
    WrongState {
        /// Name of the thing.
        name: String,
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
    /// A bound of the model was reached.
    LimitReached {
        /// Its name.
        limit: &'static str,
    },
}
