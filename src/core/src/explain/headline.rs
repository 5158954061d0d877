//! What a state comes down to: its reason, the rule that decides it, whom it is about.

use super::deciding::{pop_rule, rule_of, suspend_rule, threads_of};
use super::{causes, owner, Headline, Part, Reason, Rule, Run};
use super::{GroupState, LevelState, LockState, QueueState, WorkState};
use crate::ids::{ClientId, GroupId};
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
            | Self::Thread { state: WorkState::Waits { reason, .. }, .. }
            | Self::Consumer { state: WorkState::InVain { reason, .. }, .. }
            | Self::Thread { state: WorkState::InVain { reason, .. }, .. } => Some(reason),
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
                WorkState::Stopping { .. } if self.is_grpc(run) => Rule::GrpcStop,
                WorkState::Stopping { .. } => Rule::HandOver,
                WorkState::Ended { .. } => Rule::Members,
                WorkState::NoQueue { .. }
                | WorkState::TakesQueues
                | WorkState::Waits { .. }
                | WorkState::InVain { .. } => Rule::Allocation,
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
                    | Reason::InVain { client, .. }
                    | Reason::TooLong { client, .. }
                    | Reason::Returned { client, .. }
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
