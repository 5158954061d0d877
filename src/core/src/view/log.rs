//! The log: which kind of thing a fact is, which facts are decisions, and which lines a filter
//! leaves. The sentences themselves belong to the page, one per fact and language.

use crate::fact::{DropReason, Fact, FactRecord, GrantKind, PullPause};
use crate::ids::{ClientId, GroupId, MessageQueue, MsgId, Party, ProducerId};
use crate::view::Subject;

/// Kinds that a log is filtered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogKind {
    /// Messages on their way into a queue.
    Send,
    /// Delay levels.
    Delay,
    /// Listener calls and their results.
    Handle,
    /// Failures, pauses, repeats, dead letters.
    Retry,
    /// Queue locks.
    Lock,
    /// Membership and rebalance.
    Rebalance,
    /// Pulls and consumer offsets.
    Pull,
    /// Commands and faults.
    Fault,
    /// What clients write to their own log files: see [`super::client_log`]. No fact is of this kind;
    /// a fact may have such a line beside its own.
    Client,
}

impl LogKind {
    /// All kinds, in the order of the filter.
    pub const ALL: [Self; 9] = [
        Self::Send,
        Self::Delay,
        Self::Handle,
        Self::Retry,
        Self::Lock,
        Self::Rebalance,
        Self::Pull,
        Self::Fault,
        Self::Client,
    ];

    /// The kind of a fact.
    pub fn of(fact: &Fact) -> Self {
        match fact {
            Fact::Pop(fact) => super::log_pop::kind(fact),
            Fact::MessageBuilt { .. }
            | Fact::SendStarted { .. }
            | Fact::SendCompleted { .. }
            | Fact::SendFailed { .. }
            | Fact::MessageStored { .. } => Self::Send,
            Fact::MessageScheduled { .. } | Fact::MessagePutBack { .. } => Self::Delay,
            Fact::HandlingStarted { .. }
            | Fact::HandlingEnded { .. }
            | Fact::MessageAcknowledged { .. }
            | Fact::ResultDiscarded { .. }
            | Fact::TaskYielded { .. } => Self::Handle,
            Fact::QueueSuspended { .. }
            | Fact::SentBack { .. }
            | Fact::SendBackFailed { .. }
            | Fact::DeadLettered { .. } => Self::Retry,
            Fact::LockGranted { .. }
            | Fact::LockRefused { .. }
            | Fact::LockReleased { .. }
            | Fact::LockMissing { .. }
            | Fact::RelockScheduled { .. } => Self::Lock,
            Fact::ConsumerStarted { .. }
            | Fact::MemberJoined { .. }
            | Fact::MemberLeft { .. }
            | Fact::MemberNotified { .. }
            | Fact::RebalanceStarted { .. }
            | Fact::RebalanceFinished { .. }
            | Fact::QueueAdded { .. }
            | Fact::QueueDropped { .. }
            | Fact::ReleasePostponed { .. }
            | Fact::QueueRemoved { .. } => Self::Rebalance,
            Fact::MessagesPulled { .. }
            | Fact::PullHeld { .. }
            | Fact::PullPostponed { .. }
            | Fact::OffsetCorrected { .. }
            | Fact::OffsetCommitted { .. } => Self::Pull,
            Fact::CommandApplied { .. }
            | Fact::CommandRefused { .. }
            | Fact::ConsumerStopped { .. }
            | Fact::ConsumerResumed { .. }
            | Fact::PacketLost { .. }
            | Fact::RequestTimedOut { .. }
            | Fact::RequestFailed { .. }
            | Fact::ConnectionClosed { .. }
            | Fact::BrokerStopped { .. }
            | Fact::BrokerStarted { .. }
            | Fact::BrokerRegistered { .. }
            | Fact::BrokerUnregistered { .. }
            | Fact::RouteChanged { .. }
            | Fact::ClockJumped { .. }
            | Fact::MessageLost { .. }
            | Fact::WheelGaveUp { .. }
            | Fact::MessageDeleted { .. }
            | Fact::SegmentDeleted { .. } => Self::Fault,
            Fact::SubscriptionReplaced { .. } => Self::Rebalance,
            Fact::PullRefused { .. }
            | Fact::MessagesFiltered { .. }
            | Fact::OffsetReset { .. }
            | Fact::ResetConsumed { .. }
            | Fact::OffsetUpdateIgnored { .. }
            | Fact::ResetReceived { .. }
            | Fact::MinOffsetRaised { .. } => Self::Pull,
            Fact::TransactionPrepared { .. }
            | Fact::TransactionEnded { .. }
            | Fact::TransactionChecked { .. }
            | Fact::TransactionGivenUp { .. } => Self::Send,
            Fact::ConsumeTimedOut { .. } | Fact::SentNowhere { .. } => Self::Retry,
        }
    }

    /// The bit of this kind in a set of kinds.
    pub fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// Whether a fact is part of the machinery's steady hum, which a reader rarely wants to see.
pub fn is_routine(fact: &Fact) -> bool {
    if let Fact::Pop(fact) = fact {
        return super::log_pop::is_routine(fact);
    }
    matches!(
        fact,
        Fact::LockGranted { how: GrantKind::Renewed, .. }
            | Fact::PullHeld { .. }
            | Fact::MessagesFiltered { .. }
            | Fact::PullPostponed { reason: PullPause::CachedCount | PullPause::CachedSize, .. }
            | Fact::OffsetCommitted { .. }
            | Fact::SendStarted { .. }
            | Fact::SendCompleted { .. }
            | Fact::MemberNotified { .. }
            | Fact::RebalanceStarted { .. }
            | Fact::RebalanceFinished { .. }
            | Fact::QueueRemoved { forced: false, .. }
            | Fact::TaskYielded { .. }
    )
}

/// Whether a fact decides something about order or ownership: delivered, locked, refused,
/// retried, skipped, put back. The middle one of the three step sizes stops here.
pub fn is_decision(fact: &Fact) -> bool {
    match fact {
        Fact::Pop(fact) => super::log_pop::is_decision(fact),
        Fact::LockGranted { how, .. } => *how != GrantKind::Renewed,
        Fact::QueueDropped { reason, .. } => *reason != DropReason::Shutdown,
        Fact::HandlingStarted { .. }
        | Fact::LockRefused { .. }
        | Fact::LockReleased { .. }
        | Fact::LockMissing { .. }
        | Fact::QueueSuspended { .. }
        | Fact::SentBack { .. }
        | Fact::DeadLettered { .. }
        | Fact::ResultDiscarded { .. }
        | Fact::MessagePutBack { .. }
        | Fact::OffsetCorrected { .. }
        | Fact::OffsetReset { .. }
        | Fact::ResetConsumed { .. }
        | Fact::TransactionEnded { .. }
        | Fact::ConsumeTimedOut { .. }
        | Fact::QueueRemoved { forced: true, .. }
        | Fact::SendFailed { .. }
        | Fact::ConsumerStopped { .. }
        | Fact::BrokerStopped { .. } => true,
        _ => false,
    }
}

/// Whom and what a fact names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Message.
    pub msg: Option<MsgId>,
    /// Queue.
    pub queue: Option<MessageQueue>,
    /// Consumer process.
    pub client: Option<ClientId>,
    /// Producer.
    pub producer: Option<ProducerId>,
    /// Consumer group.
    pub group: Option<GroupId>,
}

impl Named {
    /// Whether the fact is about `subject`. Message groups and levels are not named by facts.
    pub fn holds(&self, subject: Subject) -> bool {
        match subject {
            Subject::Message(msg) => self.msg == Some(msg),
            Subject::Queue(queue) | Subject::Lock(queue) => self.queue == Some(queue),
            Subject::Client(client) => self.client == Some(client),
            Subject::Producer(producer) => self.producer == Some(producer),
            Subject::MessageGroup(_) | Subject::Level(_) => false,
        }
    }

    /// The most particular thing that the fact is about.
    pub fn subject(&self) -> Option<Subject> {
        let msg = self.msg.map(Subject::Message);
        let queue = self.queue.map(Subject::Queue);
        let client = self.client.map(Subject::Client);
        msg.or(queue).or(client).or(self.producer.map(Subject::Producer))
    }
}

/// Whom and what a fact names.
#[rustfmt::skip]
pub fn named(fact: &Fact) -> Named {
    let none = Named::default();
    match *fact {
        Fact::Pop(ref fact) => super::log_pop::names(fact),
        Fact::CommandApplied { .. } | Fact::CommandRefused { .. } | Fact::BrokerStopped { .. }
        | Fact::BrokerStarted { .. } | Fact::BrokerRegistered { .. } | Fact::BrokerUnregistered { .. }
        | Fact::SegmentDeleted { .. } => none,
        Fact::RouteChanged { party, .. } | Fact::ClockJumped { party, .. } => of_party(party),
        Fact::SubscriptionReplaced { group, client, .. } =>
            Named { group: Some(group), client: Some(client), ..none },
        Fact::PullRefused { client, queue, .. } | Fact::MessagesFiltered { client, queue, .. } =>
            Named { client: Some(client), queue: Some(queue), ..none },
        Fact::OffsetReset { group, queue, .. } | Fact::ResetConsumed { group, queue, .. }
        | Fact::OffsetUpdateIgnored { group, queue, .. } =>
            Named { group: Some(group), queue: Some(queue), ..none },
        Fact::ResetReceived { client, .. } => Named { client: Some(client), ..none },
        Fact::MinOffsetRaised { queue, .. } => Named { queue: Some(queue), ..none },
        Fact::MessageDeleted { msg, queue, .. } | Fact::MessageLost { msg, queue, .. }
        | Fact::TransactionPrepared { msg, queue } | Fact::WheelGaveUp { msg, queue } =>
            Named { msg: Some(msg), queue: Some(queue), ..none },
        Fact::TransactionEnded { msg, .. } | Fact::TransactionChecked { msg, .. }
        | Fact::TransactionGivenUp { msg } => Named { msg: Some(msg), ..none },
        Fact::SentNowhere { group, msg } => Named { group: Some(group), msg: Some(msg), ..none },
        Fact::ConsumeTimedOut { client, queue, msg, .. } =>
            Named { client: Some(client), queue: Some(queue), msg: Some(msg), ..none },
        Fact::MessageBuilt { producer, msg } | Fact::SendFailed { producer, msg, .. } =>
            Named { producer: Some(producer), msg: Some(msg), ..none },
        Fact::SendStarted { producer, msg, queue, .. } | Fact::SendCompleted { producer, msg, queue } =>
            Named { producer: Some(producer), msg: Some(msg), queue: Some(queue), ..none },
        Fact::MessageStored { msg, queue, .. } => Named { msg: Some(msg), queue: Some(queue), ..none },
        Fact::MessageScheduled { msg, .. } | Fact::MessagePutBack { msg, .. } =>
            Named { msg: Some(msg), ..none },
        Fact::ConsumerStarted { client } | Fact::ConsumerStopped { client, .. }
        | Fact::ConsumerResumed { client } | Fact::MemberNotified { client }
        | Fact::RebalanceStarted { client, .. } | Fact::RebalanceFinished { client, .. } =>
            Named { client: Some(client), ..none },
        Fact::MemberJoined { group, client } | Fact::MemberLeft { group, client, .. } =>
            Named { group: Some(group), client: Some(client), ..none },
        Fact::LockGranted { group, client, queue, .. } | Fact::LockRefused { group, client, queue, .. }
        | Fact::LockReleased { group, client, queue } =>
            Named { group: Some(group), client: Some(client), queue: Some(queue), ..none },
        Fact::LockMissing { client, queue, .. } | Fact::RelockScheduled { client, queue, .. }
        | Fact::QueueAdded { client, queue, .. } | Fact::QueueDropped { client, queue, .. }
        | Fact::ReleasePostponed { client, queue } | Fact::QueueRemoved { client, queue, .. }
        | Fact::MessagesPulled { client, queue, .. } | Fact::PullHeld { client, queue, .. }
        | Fact::PullPostponed { client, queue, .. } | Fact::OffsetCorrected { client, queue, .. }
        | Fact::TaskYielded { client, queue } =>
            Named { client: Some(client), queue: Some(queue), ..none },
        Fact::HandlingStarted { client, queue, msg, .. } | Fact::HandlingEnded { client, queue, msg, .. }
        | Fact::MessageAcknowledged { client, queue, msg, .. }
        | Fact::ResultDiscarded { client, queue, msg, .. }
        | Fact::QueueSuspended { client, queue, msg, .. } =>
            Named { client: Some(client), queue: Some(queue), msg: Some(msg), ..none },
        Fact::SentBack { client, msg, .. } | Fact::SendBackFailed { client, msg } =>
            Named { client: Some(client), msg: Some(msg), ..none },
        Fact::DeadLettered { group, msg, queue, .. } =>
            Named { group: Some(group), msg: Some(msg), queue: Some(queue), ..none },
        Fact::OffsetCommitted { group, queue, .. } =>
            Named { group: Some(group), queue: Some(queue), ..none },
        Fact::PacketLost { from, to } => {
            let both = [from, to];
            Named {
                client: both.iter().find_map(|p| if let Party::Client(c) = p { Some(*c) } else { None }),
                producer: both.iter().find_map(|p| if let Party::Producer(p) = p { Some(*p) } else { None }),
                ..none
            }
        }
        Fact::RequestTimedOut { party, .. } | Fact::RequestFailed { party, .. }
        | Fact::ConnectionClosed { party, .. } => of_party(party),
    }
}

fn of_party(party: Party) -> Named {
    let none = Named::default();
    match party {
        Party::Client(client) => Named { client: Some(client), ..none },
        Party::Producer(producer) => Named { producer: Some(producer), ..none },
        Party::Broker(_) | Party::Proxy(_) => none,
    }
}

/// The facts that a filter lets through, found once and extended as facts come.
#[derive(Clone, Debug, Default)]
pub struct Hits {
    seen: usize,
    indexes: Vec<u32>,
}

impl Hits {
    /// Looks at no more than `budget` facts that it has not seen; true when it has seen them all.
    pub fn update(
        &mut self,
        facts: &[FactRecord],
        budget: usize,
        lets: &dyn Fn(&FactRecord) -> bool,
    ) -> bool {
        let end = facts.len().min(self.seen.saturating_add(budget));
        let seen = self.seen.min(end);
        for (index, record) in facts[..end].iter().enumerate().skip(seen) {
            if lets(record) {
                self.indexes.push(index as u32);
            }
        }
        self.seen = self.seen.max(end);
        self.seen >= facts.len()
    }

    /// The indexes of the facts let through, of those that had happened when there were `facts`.
    pub fn until(&self, facts: usize) -> &[u32] {
        &self.indexes[..self.indexes.partition_point(|i| (*i as usize) < facts)]
    }
}
