//! What a state comes down to: its reason, the rule that decides it, whom it is about.

use super::{causes, owner, Bound, Headline, Part, Reason, Rule, Run};
use super::{GroupState, LevelState, LockState, QueueState, WorkState};
use crate::command::{ListenerKind, Selector, SendMode};
use crate::fact::SendFailure;
use crate::ids::{ClientId, GroupId, ProducerId};
use crate::model::Blocking;
use crate::pop::GrpcKind;
use crate::process::Process;

impl Headline {
    /// The reason that the state comes down to, if it comes down to a message's.
    pub fn reason(&self) -> Option<Reason> {
        match *self {
            Self::Message { reason, .. } | Self::NotOwner { reason, .. } => Some(reason),
            Self::Queue { state, .. } => match state {
                QueueState::Moves { reason, .. } | QueueState::Waits { reason, .. } => Some(reason),
                QueueState::Empty => None,
            },
            Self::Consumer { state: WorkState::Waits { reason, .. }, .. }
            | Self::Thread { state: WorkState::Waits { reason, .. }, .. } => Some(reason),
            Self::MessageGroup { state, .. } | Self::ConsumerGroup { state, .. } => match state {
                GroupState::Moves { reason, .. } | GroupState::Waits { reason, .. } => Some(reason),
                GroupState::Quiet => None,
            },
            _ => None,
        }
    }

    /// The rule that decides the state.
    pub(super) fn rule(&self, run: &Run<'_>) -> Rule {
        if let Some(reason) = self.reason() {
            if let (Self::Message { msg, group: Some(group), .. }, Reason::Dead) = (self, reason) {
                if causes::died_on_receive(run, *msg, *group) {
                    return Rule::ReceiveAttempts;
                }
            }
            return rule_of(run, &reason, self.group(run));
        }
        match self {
            Self::Queue { .. } | Self::MessageGroup { .. } | Self::ConsumerGroup { .. } => {
                Rule::Consumed
            }
            Self::Lock { state, .. } => match state {
                LockState::Unused { pop: true } => Rule::Receive,
                LockState::Unused { pop: false } => Rule::AnyOrder,
                LockState::Blocked { .. } => pop_rule(run),
                LockState::Free => Rule::Lease,
                LockState::Down { .. } => Rule::BrokerRuns,
                LockState::Held { gives_ms: Some(_), .. } => Rule::HandOver,
                LockState::Held { .. } | LockState::Expired { .. } => Rule::Lease,
            },
            Self::Consumer { state, .. } | Self::Thread { state, .. } => match state {
                WorkState::Handles { .. } => self.threads(run),
                WorkState::Hangs if self.is_grpc(run) => Rule::GrpcStandingProcess,
                WorkState::Hangs => Rule::StandingProcess,
                WorkState::Stopping if self.is_grpc(run) => Rule::GrpcStop,
                WorkState::Stopping => Rule::HandOver,
                WorkState::Ended { .. } => Rule::Members,
                WorkState::NoQueue { .. } | WorkState::TakesQueues | WorkState::Waits { .. } => {
                    Rule::Allocation
                }
                WorkState::NotMember { down: true, .. } => Rule::BrokerRuns,
                WorkState::NotMember { down: false, .. } => Rule::Registration,
                WorkState::Idle if self.is_grpc(run) => Rule::Receive,
                WorkState::Idle => Rule::Pull,
            },
            Self::Level { state: LevelState::Gone { .. }, .. } => Rule::LevelTable,
            Self::Level { state: LevelState::Down { .. }, .. } => Rule::BrokerRuns,
            Self::Level { state: LevelState::Full { .. }, .. } => Rule::DiskFull,
            Self::Level { .. } => Rule::DelayLevel,
            Self::Timer { part, .. } => match part {
                Part::Lease { .. } => Rule::Lease,
                Part::ClientLock { .. } => Rule::ClientLock,
                Part::Suspend { .. } => suspend_rule(run),
                Part::Invisible { .. } => Rule::Invisible,
                Part::Due(_) => Rule::DelayLevel,
                Part::Handler { .. } => self.threads(run),
                Part::Round(_) => Rule::Allocation,
            },
            Self::Message { .. }
            | Self::NotOwner { .. }
            | Self::Applied { .. }
            | Self::Refused { .. }
            | Self::Ahead { .. } => Rule::Refusal,
        }
    }

    /// What a listener call needs, in the client that makes it.
    fn threads(&self, run: &Run<'_>) -> Rule {
        self.group(run).map_or(Rule::Threads, |group| threads_of(run, group, self.client()))
    }

    /// Whether it is about a gRPC consumer, or a group that consumes by POP.
    fn is_grpc(&self, run: &Run<'_>) -> bool {
        let process = self.client().and_then(|client| run.world.clients.get(client.index()));
        match process {
            Some(process) => process.grpc().is_some(),
            None => self.group(run).is_some_and(|group| owner::is_grpc(run.world, group)),
        }
    }

    /// The consumer that it is about: whose state it is, or who works on what waits.
    pub(super) fn client(&self) -> Option<ClientId> {
        match (*self, self.reason()) {
            (Self::Consumer { client, .. } | Self::Thread { client, .. }, _) => Some(client),
            (
                _,
                Some(
                    Reason::Handled { client, .. }
                    | Reason::Next { client }
                    | Reason::NoThread { client, .. }
                    | Reason::Behind { client, .. }
                    | Reason::Hangs { client }
                    | Reason::Leaving { client, .. },
                ),
            ) => Some(client),
            _ => None,
        }
    }

    /// The consumer group that the state is about.
    pub fn group(&self, run: &Run<'_>) -> Option<GroupId> {
        let of_client =
            |client: ClientId| run.world.clients.get(client.index()).map(Process::group);
        match *self {
            Self::Message { group, .. } => group,
            Self::Queue { group, .. }
            | Self::Lock { group, .. }
            | Self::MessageGroup { group, .. }
            | Self::ConsumerGroup { group, .. }
            | Self::NotOwner { group, .. } => Some(group),
            Self::Consumer { client, .. } | Self::Thread { client, .. } => of_client(client),
            Self::Timer { part, .. } => match part {
                Part::Lease { group, .. }
                | Part::ClientLock { group, .. }
                | Part::Suspend { group, .. }
                | Part::Invisible { group, .. }
                | Part::Handler { group, .. } => Some(group),
                Part::Due(_) => None,
                Part::Round(client) => of_client(client),
            },
            Self::Level { .. }
            | Self::Applied { .. }
            | Self::Refused { .. }
            | Self::Ahead { .. } => None,
        }
    }
}

/// What decides about what a gRPC consumer has in its hands: a rule of the push consumer's, or the loop of
/// an application.
fn in_hands_of(run: &Run<'_>, client: ClientId, pushed: Rule) -> Rule {
    let process = run.world.clients.get(client.index()).and_then(Process::grpc);
    match process.map(|client| client.kind) {
        Some(GrpcKind::Simple(_)) => Rule::SimpleLoop,
        _ => pushed,
    }
}

/// What a listener call of a consumer of a group needs.
fn threads_of(run: &Run<'_>, group: GroupId, client: Option<ClientId>) -> Rule {
    match owner::is_grpc(run.world, group) {
        true => client.map_or(Rule::GrpcThreads, |of| in_hands_of(run, of, Rule::GrpcThreads)),
        false if is_concurrent(run, group) => Rule::ConcurrentThreads,
        false => Rule::Threads,
    }
}

/// Whether the classic consumers of a group have a concurrent listener.
fn is_concurrent(run: &Run<'_>, group: GroupId) -> bool {
    run.world.shared.group(group).listener == ListenerKind::Concurrent
}

/// How often a group tries a message before it becomes a dead letter.
fn attempts_of_group(run: &Run<'_>, group: Option<GroupId>) -> Rule {
    match group {
        Some(group) if owner::is_grpc(run.world, group) => Rule::PopAttempts,
        Some(group) if is_concurrent(run, group) => Rule::SendBackAttempts,
        _ => Rule::Attempts,
    }
}

fn suspend_rule(run: &Run<'_>) -> Rule {
    match run.world.shared.model.blocking {
        Blocking::Queue => Rule::Suspend,
        Blocking::MessageGroup => Rule::GroupSuspend,
    }
}

fn pop_rule(run: &Run<'_>) -> Rule {
    match run.world.shared.model.blocking {
        Blocking::Queue => Rule::OrderedPop,
        Blocking::MessageGroup => Rule::GroupPop,
    }
}

/// How often a producer tries a send: by its SDK, its mode and its selector (the reference, 2.4 and 11.8).
fn attempts_of(run: &Run<'_>, producer: ProducerId) -> Rule {
    let Some(of) = run.world.producers.get(producer.index()) else { return Rule::SendAttempts };
    match (&of.selector, of.mode) {
        (Selector::MessageGroup, _) if run.world.shared.model.version.0 >= 5 => Rule::GrpcSends,
        (_, SendMode::Async) => Rule::AsyncSends,
        (Selector::RoundRobin, SendMode::Sync) => Rule::SendAttempts,
        (_, SendMode::Sync) => Rule::SelectorSends,
    }
}

/// The rule behind a reason.
fn rule_of(run: &Run<'_>, reason: &Reason, group: Option<GroupId>) -> Rule {
    use super::{Doing, PassedBy, Refusing};
    let pop = group.is_some_and(|g| owner::is_grpc(run.world, g));
    let by = |classic: Rule, grpc: Rule| if pop { grpc } else { classic };
    match reason {
        Reason::AtProducer { .. } => Rule::SendInTurn,
        Reason::Travels { .. } | Reason::Late { .. } => Rule::StoreFirst,
        Reason::SendFailed { failure: SendFailure::TypeConflict { .. }, .. } => Rule::MessageType,
        Reason::SendFailed { failure: SendFailure::GroupWithDelay, .. } => Rule::OneKind,
        Reason::SendFailed { full: Some(_), .. } => Rule::DiskFull,
        Reason::SendFailed { producer, .. } | Reason::SendLost { producer, .. } => {
            attempts_of(run, *producer)
        }
        Reason::HalfOpen { .. } | Reason::NeverVisible { .. } => Rule::HalfMessage,
        Reason::Scheduled { bound: Bound::Round, .. } => Rule::LimitGoesRound,
        Reason::Scheduled { .. } => Rule::DelayLevel,
        Reason::Stranded { .. } => Rule::LevelTable,
        Reason::Wheel { .. } => Rule::TimerWheel,
        Reason::NoRoom { .. } | Reason::NotTaken { .. } => Rule::DiskFull,
        Reason::Lost | Reason::DoneLost | Reason::Passed { by: PassedBy::PowerLoss } => Rule::Flush,
        Reason::WheelGaveUp => Rule::TimerWheel,
        Reason::Deleted => Rule::Retention,
        Reason::NotReadable { .. } => Rule::ReadQueues,
        Reason::NotSubscribed => Rule::Subscription,
        Reason::OfOtherReader { .. } => by(Rule::Subscription, Rule::SimpleAsks),
        Reason::Passed { by: PassedBy::Start } => by(Rule::StartOffset, Rule::PopStartOffset),
        Reason::Passed { by: PassedBy::Filter } => by(Rule::TagFilter, Rule::ReceiveFilter),
        Reason::Passed { by: PassedBy::Reset } => Rule::Reset,
        Reason::Passed { by: PassedBy::Correction } => Rule::OffsetCorrection,
        Reason::Passed { by: PassedBy::Other } | Reason::Done => Rule::Consumed,
        Reason::DoneBehind { .. } => pop_rule(run),
        Reason::Dead => attempts_of_group(run, group),
        Reason::SentNowhere => Rule::RetryQueues,
        Reason::NoConsumer { .. } => Rule::Members,
        Reason::Starting { .. } => Rule::FirstRound,
        Reason::Rebalancing { .. } | Reason::AllocatedTo { .. } => Rule::Allocation,
        Reason::LockHeld { gives_ms: Some(_), .. } => Rule::HandOver,
        Reason::LockHeld { .. } => Rule::Lease,
        Reason::OfAbsentMember { .. } => Rule::SilentMember,
        Reason::Hangs { .. } => by(Rule::StandingProcess, Rule::GrpcStandingProcess),
        Reason::CutOff { .. } => by(Rule::Network, Rule::GrpcNetwork),
        Reason::BrokerDown { .. } => Rule::BrokerRuns,
        Reason::ProxyDown { .. } => Rule::ProxyRuns,
        Reason::Leaving { .. } => by(Rule::HandOver, Rule::GrpcStop),
        Reason::LockMissing { .. } => Rule::ClientLock,
        Reason::Paused => Rule::Pause,
        Reason::ResetPause { .. } => Rule::LegacyReset,
        Reason::ResetPending { .. } => Rule::PendingReset,
        Reason::CacheFull { .. } => by(Rule::FlowControl, Rule::GrpcFlowControl),
        Reason::PullFailed { .. } => by(Rule::RequestAgain, Rule::GrpcRequestAgain),
        Reason::NotFetchedYet { .. } => by(Rule::Pull, Rule::Receive),
        Reason::Refused { by: Refusing::Proxy(_), .. } => Rule::GrpcRequestAgain,
        Reason::Refused { by: Refusing::OldRoute { .. }, .. } => Rule::ProxyRoute,
        Reason::Refused { by: Refusing::Unregistered { replaced: true, .. }, .. } => {
            Rule::TagFilter
        }
        Reason::Refused {
            by: Refusing::Unregistered { .. } | Refusing::Outdated { .. }, ..
        } => Rule::Registration,
        Reason::Unwanted { .. } => by(Rule::TagFilter, Rule::ReceiveFilter),
        Reason::AnswerLost { .. } => by(Rule::AnswerAwaited, Rule::GrpcAnswerAwaited),
        Reason::NoThread { client, .. }
        | Reason::Next { client }
        | Reason::Handled { client, .. } => {
            group.map_or(Rule::Threads, |group| threads_of(run, group, Some(*client)))
        }
        Reason::PollSleeps { .. } => Rule::Poll,
        Reason::OldListener { .. } => Rule::QueueMutex,
        Reason::ThreadWaits { .. } => Rule::OneThread,
        Reason::Uncommitted { .. } => Rule::AutoCommit,
        Reason::Suspended { .. } => suspend_rule(run),
        Reason::SendingBack { .. } => attempts_of_group(run, group),
        Reason::LocalRetry { .. } => Rule::SendBack,
        Reason::Behind { client, .. } if pop => in_hands_of(run, *client, Rule::FifoLane),
        Reason::Behind { doing, .. } => match doing {
            Doing::Suspended { .. } => suspend_rule(run),
            Doing::LockMissing { .. } => Rule::ClientLock,
            Doing::LockHeld { .. } => Rule::Lease,
            Doing::CutOff { .. } => Rule::Network,
            Doing::BrokerDown { .. } => Rule::BrokerRuns,
            Doing::NoThread { .. } => Rule::Threads,
            Doing::OldListener => Rule::QueueMutex,
            Doing::ThreadWaits { .. } => Rule::OneThread,
            _ => Rule::OneAtATime,
        },
        Reason::Invisible { .. } | Reason::Held { .. } => Rule::Invisible,
        Reason::OwnTime { .. } => Rule::OrderedPop,
        Reason::BehindInvisible { .. } => pop_rule(run),
        Reason::BackOff { .. } => Rule::RetryPolicy,
        Reason::Acting { .. } => Rule::Acknowledge,
        Reason::Revives { .. } => Rule::Revive,
        Reason::NotAsked { .. } => Rule::SimpleAsks,
        Reason::Unassigned { .. } => Rule::Assignment,
    }
}
