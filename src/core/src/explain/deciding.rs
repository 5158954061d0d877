//! Which rule decides: what stands behind each reason, in the release and the stack of the run.

use super::{owner, Bound, Doing, PassedBy, Reason, Refusing, Rule, Run};
use crate::command::{ListenerKind, Selector, SendMode};
use crate::fact::SendFailure;
use crate::ids::{ClientId, GroupId, ProducerId};
use crate::model::Blocking;
use crate::pop::GrpcKind;
use crate::process::Process;

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
pub(super) fn threads_of(run: &Run<'_>, group: GroupId, client: Option<ClientId>) -> Rule {
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

/// What lets a failed message wait before it is handled again.
pub(super) fn suspend_rule(run: &Run<'_>) -> Rule {
    match run.world.shared.model.blocking {
        Blocking::Queue => Rule::Suspend,
        Blocking::MessageGroup => Rule::GroupSuspend,
    }
}

/// What an unfinished message of an ordered group holds back by POP.
pub(super) fn pop_rule(run: &Run<'_>) -> Rule {
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
pub(super) fn rule_of(run: &Run<'_>, reason: &Reason, group: Option<GroupId>) -> Rule {
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
        Reason::Returned { .. } => Rule::PullIdle,
        Reason::InVain { client, heir, .. } if *heir == Some(*client) => Rule::PullIdle,
        Reason::InVain { .. } => Rule::HandOver,
        Reason::TooLong { .. } => Rule::Invisible,
        Reason::VoidCall { .. } => by(Rule::HandOver, Rule::Acknowledge),
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
