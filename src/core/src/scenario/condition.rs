//! What can be expected of a run, and what a goal waits for.

use super::span::{Name, Spanned};
use crate::command::Label;
use crate::fact::SendFailure;
use crate::ids::Ms;

/// A condition over what happened in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// One statement.
    Term(Box<Spanned<Term>>),
    /// The opposite.
    Not(Box<Condition>),
    /// All of them.
    All(Vec<Condition>),
    /// At least one of them.
    Any(Vec<Condition>),
}

/// One statement about a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// `order kept` or `order broken`, see [`crate::check::Broken::Order`].
    Order {
        /// `kept`, as opposed to `broken`.
        kept: bool,
        /// The series; empty means all.
        series: Vec<Name>,
        /// The message that overtook, for `broken`.
        at: Option<Spanned<Label>>,
        /// One consumer group only.
        group: Option<Name>,
    },
    /// Something happened to messages.
    Messages {
        /// Which messages.
        who: Who,
        /// `not`.
        negated: bool,
        /// What.
        event: MessageEvent,
        /// Where and by whom.
        filter: Filter,
        /// When.
        when: When,
        /// How often; None = at least once.
        times: Option<Times>,
    },
    /// It happened to these messages in this order (first times).
    InOrder {
        /// The messages.
        labels: Vec<Spanned<Label>>,
        /// What.
        event: MessageEvent,
        /// Where and by whom.
        filter: Filter,
        /// When.
        when: When,
    },
    /// It happened to exactly these messages, in exactly this order.
    Exactly {
        /// What.
        event: MessageEvent,
        /// The messages, repeats included.
        labels: Vec<Spanned<Label>>,
        /// Where and by whom.
        filter: Filter,
        /// When.
        when: When,
    },
    /// Something happened to a queue.
    Queue {
        /// Which queue.
        queue: QueueName,
        /// `not`.
        negated: bool,
        /// What.
        event: QueueEvent,
        /// For which group and client.
        filter: Filter,
        /// When.
        when: When,
        /// How often; None = at least once.
        times: Option<Times>,
    },
    /// Something happened to a consumer.
    Client {
        /// Which consumer.
        client: Name,
        /// `not`.
        negated: bool,
        /// What.
        event: ClientEvent,
        /// When.
        when: When,
        /// How often; None = at least once.
        times: Option<Times>,
    },
    /// Who holds a queue at an instant: its broker lock (orderly) or the queue itself (concurrent).
    Owner {
        /// Which queue.
        queue: QueueName,
        /// The consumer; None = nobody.
        owner: Option<Name>,
        /// When.
        at_ms: Ms,
        /// Which group; None = the owner's, or the only one.
        group: Option<Name>,
    },
    /// An offset as the broker has it.
    Offset {
        /// Which.
        kind: OffsetKind,
        /// Of which queue.
        queue: QueueName,
        /// Its value.
        value: i64,
        /// When; None = at the end of the run.
        at_ms: Option<Ms>,
        /// Which group; None = the only one.
        group: Option<Name>,
    },
    /// No two consumers of a group were inside a listener call for one queue at the same time.
    OneOwner {
        /// One consumer group only.
        group: Option<Name>,
    },
    /// A statement of the scenario at this instant was refused.
    Refused {
        /// When.
        at_ms: Ms,
    },
}

/// The messages that a statement is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    /// Each of these.
    Each(Vec<Spanned<Label>>),
    /// Every message that was sent.
    Every,
    /// None at all.
    None,
    /// So many different messages.
    Count(Times),
}

/// How often something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// At least.
    pub min: u32,
    /// At most; None = without limit.
    pub max: Option<u32>,
}

/// Where, by whom, and how something happened.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Filter {
    /// In this queue.
    pub queue: Option<QueueName>,
    /// In this consumer group.
    pub group: Option<Name>,
    /// By this consumer.
    pub client: Option<Name>,
    /// With this reason (refused sends).
    pub reason: Option<SendFailure>,
    /// On this attempt, from 1 (deliveries).
    pub attempt: Option<u32>,
    /// At this offset.
    pub offset: Option<u32>,
    /// Under this delay level.
    pub level: Option<u8>,
}

/// When something happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// At any time.
    Ever,
    /// Strictly before.
    Before(Moment),
    /// Strictly after.
    After(Moment),
    /// At exactly this instant.
    At(Ms),
    /// From one instant to another, both included.
    Between(Ms, Ms),
}

/// An instant, or the first time something happened to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moment {
    /// An instant.
    Time(Ms),
    /// The first time.
    Event(Spanned<Label>, MessageEvent),
}

/// A queue as a scenario names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueName {
    /// Topic; None = the only one.
    pub topic: Option<Name>,
    /// Queue id.
    pub id: Spanned<u16>,
}

/// Which offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffsetKind {
    /// The consumer offset that the broker has recorded; 0 before the first record.
    Consumer,
    /// Where the next message will be stored.
    Max,
    /// Maximum minus consumer offset.
    Lag,
}

/// A keyword of the expectations with its meaning.
pub struct EventRow<T: 'static> {
    /// The word.
    pub word: &'static str,
    /// What it means, and what RocketMQ calls it.
    pub meaning: &'static str,
    pub(crate) event: T,
}

macro_rules! events {
    ($(#[$doc:meta])* $name:ident in $table:ident { $($variant:ident $word:literal $meaning:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $(#[doc = $meaning] $variant,)* }

        impl $name {
            /// The word in the scenario's text.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }

        $(#[$doc])*
        pub const $table: &[EventRow<$name>] = &[
            $(EventRow { word: $word, meaning: $meaning, event: $name::$variant },)*
        ];
    };
}

events! {
    /// What can happen to a message.
    MessageEvent in MESSAGE_EVENTS {
        Built "built" "the application handed it to a producer's thread";
        Sent "sent" "the producer got the broker's answer for it";
        Refused "refused" "its send ended without success";
        Stored "stored" "the broker appended it to a queue of its topic, as sent or put back";
        Scheduled "scheduled" "the broker put it aside under a delay level";
        PutBack "put-back" "it left its delay level";
        Delivered "delivered" "a listener call began for it";
        Handled "handled" "a listener call ended with success";
        Failed "failed" "a listener call ended without success";
        Acknowledged "acknowledged" "the client counted it as consumed";
        Discarded "discarded" "a result came too late: its queue had been dropped";
        SentBack "sent-back" "it went back to the broker, to come again under a delay level";
        DeadLettered "dead-lettered" "the broker stored it as a dead letter";
    }
}

events! {
    /// What can happen to a queue.
    QueueEvent in QUEUE_EVENTS {
        Locked "locked" "the broker granted its lock to a new owner";
        Renewed "renewed" "the broker renewed its owner's lock";
        LockRefused "lock-refused" "the broker refused its lock";
        Released "released" "its owner gave the lock back";
        LockMissing "lock-missing" "a client found that it does not hold the lock";
        Added "added" "a client began to work on it";
        Dropped "dropped" "a client stopped working on it";
        ReleasePostponed "release-postponed" "a client could not give it away: its listener was running";
        Removed "removed" "a client forgot it";
        Pulled "pulled" "a pull brought messages";
        Corrected "corrected" "the broker refused the offset of a pull";
        Suspended "suspended" "a failed ordered message suspended it";
        Committed "committed" "the broker recorded a consumer offset";
    }
}

events! {
    /// What can happen to a consumer.
    ClientEvent in CLIENT_EVENTS {
        Started "started" "its process started";
        Stopped "stopped" "its process ended or stood still";
        Resumed "resumed" "its process went on after standing still";
        Joined "joined" "the broker took it into its group";
        Left "left" "the broker removed it from its group";
        Notified "notified" "it learnt that its group changed";
        Rebalanced "rebalanced" "a rebalance round began";
    }
}

/// The words for the reasons of refused sends.
pub const REASONS: &[EventRow<SendFailure>] = &[
    EventRow {
        word: "selector-threw",
        meaning: "the selector returned an index outside the queue list",
        event: SendFailure::SelectorThrew,
    },
    EventRow {
        word: "timed-out",
        meaning: "no answer within sendMsgTimeout",
        event: SendFailure::TimedOut,
    },
    EventRow {
        word: "illegal-queue-id",
        meaning: "the broker refused the queue id",
        event: SendFailure::IllegalQueueId,
    },
    EventRow {
        word: "no-writable-queue",
        meaning: "the topic has no writable queue",
        event: SendFailure::NoWritableQueue,
    },
    EventRow {
        word: "timer-illegal",
        meaning: "the delivery time is too far ahead",
        event: SendFailure::TimerIllegal,
    },
];
