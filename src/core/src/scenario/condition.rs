//! What can be expected of a run, and what a goal waits for.

use super::events::{ClientEvent, MessageEvent, PartyEvent, QueueEvent, Reason, RefusalKind};
use super::span::{Name, Spanned};
use crate::command::Label;
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
        /// With this code of the gRPC protocol (receives that brought nothing).
        code: Option<i64>,
        /// When.
        when: When,
        /// How often; None = at least once.
        times: Option<Times>,
    },
    /// Something happened to a party of any kind.
    Party {
        /// Which party.
        party: Name,
        /// `not`.
        negated: bool,
        /// What.
        event: PartyEvent,
        /// When.
        when: When,
        /// How often; None = at least once.
        times: Option<Times>,
    },
    /// These messages are invisible at an instant: popped, not acknowledged, their time not over.
    Invisible {
        /// The messages.
        labels: Vec<Spanned<Label>>,
        /// `not`.
        negated: bool,
        /// When.
        at_ms: Ms,
        /// For this group; None = for any.
        group: Option<Name>,
    },
    /// These messages have a message group, or have none.
    Grouped {
        /// The messages.
        labels: Vec<Spanned<Label>>,
        /// `without`.
        negated: bool,
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
        /// Why; None = for any reason.
        kind: Option<RefusalKind>,
        /// With this code of the broker.
        code: Option<i64>,
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
    /// On this broker.
    pub broker: Option<Name>,
    /// In this consumer group.
    pub group: Option<Name>,
    /// By this consumer.
    pub client: Option<Name>,
    /// With this reason (refused sends).
    pub reason: Option<Reason>,
    /// With this code.
    pub code: Option<i64>,
    /// Until this instant (invisible times, blocked queues).
    pub until_ms: Option<Ms>,
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
    /// Broker; None = the first one.
    pub broker: Option<Name>,
}

/// Which offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffsetKind {
    /// The consumer offset that the broker has recorded; 0 before the first record.
    Consumer,
    /// The first one that is still stored.
    Min,
    /// Where the next message will be stored.
    Max,
    /// Maximum minus consumer offset.
    Lag,
}
