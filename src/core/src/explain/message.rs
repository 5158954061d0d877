//! Where a message is for a consumer group, and why it is there.

use std::rc::Rc;

use super::{calls, classic, disk, finished, grpc, owner, sending, timers, Bound, Reason, Run};
use crate::command::ListenerKind;
use crate::fact::Fact;
use crate::ids::{BrokerId, ClientId, GroupId, MessageQueue, Ms, MsgId, TopicId};
use crate::message::Record;
use crate::process::Process;
use crate::retry::limit_makes_dead_letters;
use crate::shared::{TopicUse, SCHEDULE_TOPIC};
use crate::world::World;

/// Where the copy of a message lies that counts for a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In no store.
    Nowhere,
    /// In a queue that the group can read.
    Queue(MessageQueue, i64),
    /// Under a delay level; `before` messages stand before it.
    Level { broker: BrokerId, level: u8, due_ms: Ms, before: u32, head_due_ms: Ms, bound: Bound },
    /// Under a delay level that its broker's table of `levels` levels does not have.
    Stranded { broker: BrokerId, level: u8, levels: u8, bound: Bound },
    /// In the timer wheel.
    Wheel { broker: BrokerId, due_ms: Ms },
    /// In the group's dead-letter queue.
    Dead,
}

/// Messages that were built, each with every consumer group that reads its topic; a message that
/// nobody reads has None.
pub fn waiting<'a>(run: &Run<'a>) -> impl Iterator<Item = (MsgId, Option<GroupId>)> + use<'a> {
    let world = run.world;
    let count = world.shared.messages.len() as u32;
    let readers: Vec<Rc<[GroupId]>> = (0..world.shared.names.topics.len() as u16)
        .map(|topic| owner::readers(world, TopicId(topic)).into())
        .collect();
    (0..count).map(MsgId).flat_map(move |msg| {
        let groups = Rc::clone(&readers[world.shared.message(msg).topic.index()]);
        (0..groups.len().max(1)).map(move |place| (msg, groups.get(place).copied()))
    })
}

/// Why a message is where it is, for a consumer group; without a group, as far as the broker.
pub fn reason(run: &Run<'_>, msg: MsgId, group: Option<GroupId>) -> Reason {
    let reason = where_it_is(run, msg, group);
    group.map_or(reason, |group| disk::not_taken(run, msg, group, reason))
}

fn where_it_is(run: &Run<'_>, msg: MsgId, group: Option<GroupId>) -> Reason {
    if let Some(reason) = group.and_then(|group| in_hands(run, msg, group)) {
        return reason;
    }
    match place(run, msg, group) {
        Place::Nowhere => sending::nowhere(run, msg, group),
        Place::Level { broker, level, due_ms, before, head_due_ms, bound } => {
            let round = group.is_some_and(|group| goes_round(run.world, group));
            let bound = if bound == Bound::Retry && round { Bound::Round } else { bound };
            let waits = Reason::Scheduled { level, due_ms, before, head_due_ms, bound };
            disk::keeps(run, broker, due_ms).unwrap_or(waits)
        }
        Place::Stranded { broker, level, levels, bound } => {
            Reason::Stranded { broker, level, levels, bound }
        }
        Place::Wheel { broker, due_ms } => {
            disk::keeps(run, broker, due_ms).unwrap_or(Reason::Wheel { due_ms })
        }
        Place::Dead => Reason::Dead,
        Place::Queue(queue, offset) => match group {
            Some(group) => in_queue(run, msg, group, (queue, offset)),
            None => Reason::NotSubscribed,
        },
    }
}

/// Whether a failed message of a group comes to its retry topic only because the limit takes it there,
/// and again each time that it fails (an orderly listener, 5.0.0 to 5.1.0).
pub(super) fn goes_round(world: &World, group: GroupId) -> bool {
    !owner::is_grpc(world, group)
        && world.shared.group(group).listener == ListenerKind::Orderly
        && !limit_makes_dead_letters(world.shared.model.version)
}

/// Whether a message waits under a delay level to become a dead letter of a group.
pub(super) fn dies(run: &Run<'_>, msg: MsgId, group: GroupId) -> bool {
    let place = place(run, msg, Some(group));
    matches!(
        place,
        Place::Level { bound: Bound::DeadLetters, .. }
            | Place::Stranded { bound: Bound::DeadLetters, .. }
    )
}

/// The queue in which the copy of a message lies that counts for a consumer group.
pub fn lies_in(run: &Run<'_>, msg: MsgId, group: GroupId) -> Option<MessageQueue> {
    lies_at(run, msg, group).map(|(queue, _)| queue)
}

/// The same, with the offset of that copy.
pub fn lies_at(run: &Run<'_>, msg: MsgId, group: GroupId) -> Option<(MessageQueue, i64)> {
    match place(run, msg, Some(group)) {
        Place::Queue(queue, offset) => Some((queue, offset)),
        _ => None,
    }
}

/// A consumer has it: it is handled, held, or somewhere in a client's cache.
fn in_hands(run: &Run<'_>, msg: MsgId, group: GroupId) -> Option<Reason> {
    let own = |process: &Process| {
        let reason = match process {
            Process::Classic(client) => classic::in_hands(run, client, msg),
            Process::Grpc(client) => grpc::in_hands(run, client, msg),
        };
        reason.filter(|reason| match reason {
            Reason::Hangs { .. } => still_holds(run, process, msg, group),
            _ => true,
        })
    };
    let mut all = owner::processes(run.world, group).filter_map(|p| Some((p.id(), own(p)?)));
    let first = all.next()?;
    let others: Vec<(ClientId, Reason)> = all.collect();
    if others.is_empty() {
        return Some(first.1);
    }
    // Of several calls the one counts whose result will.
    let counts = calls::counting(run, group, msg);
    let counting = others.into_iter().find(|(client, _)| Some(*client) == counts);
    Some(counting.map_or(first.1, |(_, reason)| reason))
}

/// Whether what a standing process has in hand still waits for it: nobody has taken the queue over,
/// was given the message, or finished it.
fn still_holds(run: &Run<'_>, process: &Process, msg: MsgId, group: GroupId) -> bool {
    let at = match process {
        Process::Classic(client) => {
            let call = client.calls.iter().find_map(|call| {
                let own = call.batch.iter().find(|m| m.msg == msg)?;
                Some((call.queue, own.offset))
            });
            let holder = call.and_then(|(queue, _)| owner::holder(run.world, group, queue));
            call.filter(|_| holder.is_none_or(|(holder, _)| holder.id == client.id))
        }
        Process::Grpc(client) => grpc::holds(run, client, msg),
    };
    at.is_some_and(|copy| !finished::is_acknowledged(run, msg, group, copy))
}

/// Topics that hold copies of a message for a group.
fn belongs(run: &Run<'_>, msg: MsgId, group: Option<GroupId>, topic: TopicId) -> bool {
    let own = run.world.shared.message(msg).topic;
    match run.world.shared.names.topics[topic.index()].usage {
        TopicUse::Retry(of) | TopicUse::PopRetry(of, _) | TopicUse::DeadLetter(of) => {
            Some(of) == group
        }
        _ => topic == own,
    }
}

/// Where the copy lies that counts for the group: the newest one, or after a reset an older one that
/// a consumer has in hand.
pub(super) fn place(run: &Run<'_>, msg: MsgId, group: Option<GroupId>) -> Place {
    let mut put_aside = false;
    let mut newest = None;
    for index in run.ledger.places_of(msg, run.facts.len()) {
        match run.facts[index as usize].fact {
            Fact::DeadLettered { group: of, .. } if newest.is_none() && Some(of) == group => {
                return Place::Dead;
            }
            Fact::MessageScheduled { .. } if newest.is_none() && !put_aside => {
                put_aside = true;
                if let Some(place) = aside(run, msg, group) {
                    return place;
                }
            }
            Fact::MessageStored { queue, offset, .. } if belongs(run, msg, group, queue.topic) => {
                let copy = (queue, i64::from(offset));
                if newest.is_some() && group.is_some_and(|g| owner::has_in_hand(run.world, g, copy))
                {
                    return Place::Queue(copy.0, copy.1);
                }
                newest = newest.or(Some(copy));
            }
            _ => {}
        }
    }
    newest.map_or(Place::Nowhere, |(queue, offset)| Place::Queue(queue, offset))
}

/// Whether it waits under a delay level or in the wheel, to come back to a topic of the group.
fn aside(run: &Run<'_>, msg: MsgId, group: Option<GroupId>) -> Option<Place> {
    let is_it = |r: &Record| r.msg == msg && belongs(run, msg, group, r.real.0);
    for broker in &run.world.brokers {
        let levels = timers::levels(broker);
        for level in 1..=u8::MAX {
            let mut waiting = broker.waiting_under(level).enumerate();
            let Some((before, (record, due_ms))) = waiting.find(|(_, (r, _))| is_it(r)) else {
                continue;
            };
            let bound = match run.world.shared.names.topics[record.real.0.index()].usage {
                TopicUse::User => Bound::Queue,
                TopicUse::DeadLetter(_) => Bound::DeadLetters,
                _ => Bound::Retry,
            };
            if level > levels {
                return Some(Place::Stranded { broker: broker.id, level, levels, bound });
            }
            let head_due_ms = broker.head_due_ms(level).unwrap_or(due_ms);
            let (due_ms, head_due_ms) =
                (due_ms - broker.clock_ahead_ms, head_due_ms - broker.clock_ahead_ms);
            let before = before as u32;
            let broker = broker.id;
            return Some(Place::Level { broker, level, due_ms, before, head_due_ms, bound });
        }
        let in_wheel = broker.delay.wheel.iter().find(|(_, records)| {
            records.iter().any(|id| broker.store.record(*id).is_some_and(is_it))
        });
        if let Some((slot_ms, _)) = in_wheel {
            let due_ms = *slot_ms - broker.clock_ahead_ms;
            return Some(Place::Wheel { broker: broker.id, due_ms });
        }
    }
    None
}

fn in_queue(
    run: &Run<'_>,
    msg: MsgId,
    group: GroupId,
    (queue, offset): (MessageQueue, i64),
) -> Reason {
    let names = &run.world.shared.names;
    let topic = &names.topics[queue.topic.index()];
    if topic.usage == TopicUse::User && !owner::reads(run.world, group, queue.topic) {
        return Reason::NotSubscribed;
    }
    if let Some(reason) = finished::reason(run, msg, group, (queue, offset)) {
        return reason;
    }
    // A consumer that has the queue handles what it has of it; nothing more is read, and it gives it away.
    let in_hand = owner::holding(run.world, group, (msg, queue, offset));
    let is_read = queue.id < topic.read_queues || queue.topic == SCHEDULE_TOPIC;
    if !is_read && in_hand.is_none() {
        return Reason::NotReadable { queue, read_queues: topic.read_queues };
    }
    let Some(broker) = run.world.brokers.get(queue.broker.index()) else {
        return Reason::Lost;
    };
    // What a classic consumer has in its cache it goes on with, whatever became of the broker.
    if !broker.up && in_hand.and_then(Process::classic).is_none() {
        return Reason::BrokerDown { broker: queue.broker, due_ms: None };
    }
    let reason = match owner::is_grpc(run.world, group) {
        true => grpc::in_queue(run, msg, group, (queue, offset)),
        false => classic::in_queue(run, group, (queue, offset)),
    };
    match reason {
        Reason::NotFetchedYet { client, .. }
        | Reason::PullFailed { client }
        | Reason::PollSleeps { client, .. }
            if owner::passes_over(run.world, group, queue, msg) =>
        {
            Reason::Unwanted { client }
        }
        reason => reason,
    }
}
