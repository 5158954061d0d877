//! What can be explained, and in which state it is.

use super::{
    classic, handover, message, owner, parts, timers, Bound, Core, Explanation, Reason, Run,
};
use super::{GroupState, LevelState, LockState, Part, QueueState, TimerState, WorkState};
use crate::fact::Fact;
use crate::ids::{ClientId, GroupId, MessageGroupId, MessageQueue, MsgId};
use crate::process::Process;

/// What is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the fields are what their names say")]
#[rustfmt::skip]
pub enum About {
    /// A message, for a consumer group; None: as far as the broker.
    Message { msg: MsgId, group: Option<GroupId> },
    /// A queue, for a consumer group.
    Queue { queue: MessageQueue, group: GroupId },
    /// The lock of a queue; for ordered POP what blocks it.
    Lock { queue: MessageQueue, group: GroupId },
    /// A consumer process.
    Consumer(ClientId),
    /// A thread of a consumer, from 0.
    Thread { client: ClientId, number: u16 },
    /// A message group, for a consumer group.
    MessageGroup { series: MessageGroupId, group: GroupId },
    /// A consumer group.
    ConsumerGroup(GroupId),
    /// A delay level, from 1.
    Level(u8),
    /// A timer.
    Timer(Part),
    /// A command, by its number in the journal.
    Command(u32),
}

/// The state of what is explained: the sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the fields are what their names say")]
#[rustfmt::skip]
pub enum Headline {
    Message { msg: MsgId, group: Option<GroupId>, reason: Reason },
    Queue { queue: MessageQueue, group: GroupId, state: QueueState },
    Lock { queue: MessageQueue, group: GroupId, state: LockState },
    Consumer { client: ClientId, state: WorkState },
    Thread { client: ClientId, number: u16, state: WorkState },
    MessageGroup { series: MessageGroupId, group: GroupId, state: GroupState },
    ConsumerGroup { group: GroupId, state: GroupState },
    Level { level: u8, state: LevelState },
    Timer { part: Part, state: TimerState },
    /// A command was carried out.
    Applied { index: u32 },
    /// A command was refused; the refusal is in [`crate::shared::Shared::refusals`].
    Refused { index: u32 },
    /// A command whose instant has not come.
    Ahead { index: u32 },
    /// A consumer does not own a queue.
    NotOwner { queue: MessageQueue, group: GroupId, client: ClientId, reason: Reason },
}

/// What somebody wants to be so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// The message is being handled, or was.
    Handled,
    /// The group is done with it.
    Finished,
    /// It is stored where the group can read it.
    Stored,
    /// This consumer owns the queue.
    Owner(ClientId),
}

/// Why something wanted is not so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhyNot {
    /// It is so.
    ItIs,
    /// This stands in its way.
    Because(Box<Explanation>),
}

/// The state of a thing and the message that it comes down to. None when there is no such thing.
pub(super) fn state(run: &Run<'_>, about: About) -> Option<(Headline, Core)> {
    let shared = &run.world.shared;
    Some(match about {
        About::Message { msg, group } => {
            shared.messages.get(msg.index())?;
            let reason = message::reason(run, msg, group);
            (Headline::Message { msg, group, reason }, Some((msg, group)))
        }
        About::Queue { queue, group } => {
            shared.names.groups.get(group.index())?;
            run.world.brokers.get(queue.broker.index())?;
            let state = parts::queue(run, queue, group);
            let msg = match state {
                QueueState::Moves { msg, .. } | QueueState::Waits { msg, .. } => Some(msg),
                QueueState::Empty => None,
            };
            (Headline::Queue { queue, group, state }, msg.map(|m| (m, Some(group))))
        }
        About::Lock { queue, group } => {
            shared.names.groups.get(group.index())?;
            let state = parts::lock(run, queue, group)?;
            // A lock that nobody uses keeps nothing.
            let head = match state {
                LockState::Unused { .. } => None,
                _ => parts::head(run, queue, group).map(|(msg, _)| (msg, Some(group))),
            };
            (Headline::Lock { queue, group, state }, head)
        }
        About::Consumer(client) => {
            let state = parts::consumer(run, client)?;
            (Headline::Consumer { client, state }, of_work(run, client, state))
        }
        About::Thread { client, number } => {
            let state = parts::thread(run, client, number)?;
            (Headline::Thread { client, number, state }, of_work(run, client, state))
        }
        About::MessageGroup { series, group } => {
            shared.names.series.get(series.index())?;
            shared.names.groups.get(group.index())?;
            let state = parts::group(run, Some(series), group);
            (Headline::MessageGroup { series, group, state }, of_group(group, state))
        }
        About::ConsumerGroup(group) => {
            shared.names.groups.get(group.index())?;
            let state = parts::group(run, None, group);
            (Headline::ConsumerGroup { group, state }, of_group(group, state))
        }
        About::Level(level) => {
            let state = timers::level(run, level)?;
            let core = match state {
                LevelState::NotDue { head, .. }
                | LevelState::Full { head, .. }
                | LevelState::Down { head, .. }
                | LevelState::Gone { head, .. } => Some((head, None)),
                LevelState::Empty => None,
            };
            (Headline::Level { level, state }, core)
        }
        About::Timer(part) => {
            let state = timers::timer(run, part);
            (Headline::Timer { part, state }, of_part(run, part))
        }
        About::Command(index) => {
            run.journal.get(index as usize)?;
            let fact = run.ledger.command(index, run.facts.len());
            let headline = match fact.and_then(|i| run.facts.get(i as usize)).map(|r| r.fact) {
                Some(Fact::CommandApplied { .. }) => Headline::Applied { index },
                Some(Fact::CommandRefused { .. }) => Headline::Refused { index },
                _ => Headline::Ahead { index },
            };
            (headline, None)
        }
    })
}

fn of_work(run: &Run<'_>, client: ClientId, state: WorkState) -> Core {
    let group = run.world.clients.get(client.index()).map(Process::group);
    match state {
        WorkState::Handles { msg, .. }
        | WorkState::Waits { msg, .. }
        | WorkState::InVain { msg, .. }
        | WorkState::Stopping { call: Some((msg, _)) } => Some((msg, group)),
        _ => None,
    }
}

fn of_group(group: GroupId, state: GroupState) -> Core {
    match state {
        GroupState::Quiet => None,
        GroupState::Moves { msg, .. } | GroupState::Waits { msg, .. } => Some((msg, Some(group))),
    }
}

fn of_part(run: &Run<'_>, part: Part) -> Core {
    match part {
        Part::Lease { queue, group }
        | Part::ClientLock { queue, group }
        | Part::Suspend { queue, group } => {
            parts::head(run, queue, group).map(|(msg, _)| (msg, Some(group)))
        }
        Part::Invisible { msg, group } | Part::Handler { msg, group } => Some((msg, Some(group))),
        Part::Due(msg) => Some((msg, None)),
        Part::Round(_) => None,
    }
}

/// See [`super::why_not`].
pub(super) fn why_not(run: &Run<'_>, about: About, wanted: Wanted) -> Option<WhyNot> {
    if let (About::Queue { queue, group } | About::Lock { queue, group }, Wanted::Owner(client)) =
        (about, wanted)
    {
        return not_owner(run, queue, group, client);
    }
    let explanation = super::why(run, about)?;
    let reason = explanation.headline.reason();
    let so = match (wanted, reason) {
        (
            Wanted::Handled,
            Some(
                Reason::Handled { .. }
                | Reason::InVain { .. }
                | Reason::TooLong { .. }
                | Reason::Done
                | Reason::DoneBehind { .. }
                | Reason::DoneLost,
            ),
        ) => true,
        (Wanted::Finished, Some(reason)) => {
            matches!(
                reason,
                Reason::Done | Reason::DoneBehind { .. } | Reason::DoneLost | Reason::Dead
            )
        }
        (Wanted::Stored, Some(reason)) => !matches!(
            reason,
            Reason::AtProducer { .. }
                | Reason::Travels { .. }
                | Reason::SendFailed { .. }
                | Reason::Late { .. }
                | Reason::SendLost { .. }
                | Reason::HalfOpen { .. }
                | Reason::NeverVisible { .. }
                | Reason::Scheduled { bound: Bound::Queue, .. }
                | Reason::Stranded { bound: Bound::Queue, .. }
                | Reason::Wheel { .. }
                | Reason::NoRoom { .. }
                | Reason::Lost
                | Reason::WheelGaveUp
        ),
        (_, None) => true,
        _ => false,
    };
    Some(match so {
        true => WhyNot::ItIs,
        false => WhyNot::Because(Box::new(explanation)),
    })
}

fn not_owner(
    run: &Run<'_>,
    queue: MessageQueue,
    group: GroupId,
    client: ClientId,
) -> Option<WhyNot> {
    let process = run.world.clients.get(client.index())?;
    let holder = owner::holder(run.world, group, queue);
    if holder.is_some_and(|(owner, entry)| owner.id == client && !entry.dropped) {
        return Some(WhyNot::ItIs);
    }
    let reads = owner::subscriptions(run.world, process).iter().any(|s| s.topic == queue.topic);
    let allocated = owner::allocated(run.world, group, queue);
    let reason = match process.status() {
        crate::client::Status::Ended(how) => Reason::NoConsumer { last: Some((client, how)) },
        crate::client::Status::Hanging => Reason::Hangs { client },
        _ if process.group() != group || !reads => Reason::OfOtherReader { client },
        _ => match allocated.filter(|owner| *owner != client) {
            Some(other) => Reason::AllocatedTo { client: other },
            None => match holder {
                Some((owner, entry)) => handover::leaving(run, owner, (queue, entry)),
                None => classic::without_owner(run, group, queue),
            },
        },
    };
    let about = About::Queue { queue, group };
    let mut explanation = super::why(run, about)?;
    explanation.headline = Headline::NotOwner { queue, group, client, reason };
    explanation.rule = explanation.headline.rule(run);
    explanation.constants = explanation.rule.constants(run, Some(group), None);
    Some(WhyNot::Because(Box::new(explanation)))
}
