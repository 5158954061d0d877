//! Queues that no consumer has, or whose lock it lacks.

use crate::client::{Client, ProcessQueue, Status};
use crate::command::ListenerKind;
use crate::event::{ClientTimer, Event};
use crate::explain::{owner, Reason, Refusing, Run};
use crate::ids::{ClientId, GroupId, MessageQueue, Ms, Party};
use crate::model::NEVER;
use crate::world::World;

pub(super) fn lock_missing(
    world: &World,
    client: &Client,
    (queue, entry): (MessageQueue, &ProcessQueue),
    at_ms: Option<Ms>,
) -> Reason {
    if let Some(reason) = cut_off(world, client, queue) {
        return reason;
    }
    if world.brokers.get(queue.broker.index()).is_some_and(|broker| !broker.up) {
        return Reason::BrokerDown { broker: queue.broker, due_ms: None };
    }
    let group = client.group;
    if let Some(reason) = lock_of_another(world, group, queue, Some(client.id)) {
        return reason;
    }
    let live_ms = world.shared.model.client_lock_max_live_time_ms;
    let expired = entry.locked && entry.is_lock_expired(world.now_ms(), live_ms);
    Reason::LockMissing { client: client.id, expired, at_ms }
}

/// The broker's lock belongs to somebody else and is alive.
pub(super) fn lock_of_another(
    world: &World,
    group: GroupId,
    queue: MessageQueue,
    asks: Option<ClientId>,
) -> Option<Reason> {
    let lock = world.brokers.get(queue.broker.index())?.locks.get(group, queue)?;
    let until_ms = lock.last_update_ms + world.shared.model.rebalance_lock_max_live_time_ms;
    if asks == Some(lock.owner) || until_ms < world.now_ms() {
        return None;
    }
    let owner = lock.owner;
    let (gone, gives_ms) = (is_gone(world, owner), gives_back_ms(world, owner, queue));
    Some(Reason::LockHeld { owner, gone, until_ms, gives_ms })
}

/// When a consumer that has parted with a queue gives its lock back: up to 5.1.4 it waits for a while where
/// messages were cached. Source: `RebalancePushImpl.unlockDelay`.
pub(in crate::explain) fn gives_back_ms(
    world: &World,
    owner: ClientId,
    queue: MessageQueue,
) -> Option<Ms> {
    let process = world.clients.get(owner.index()).filter(|p| p.status() == Status::Running)?;
    let client = process.classic().filter(|client| !client.queues.contains_key(&queue))?;
    let unlocks = world.shared.agenda.unsorted().filter_map(|(at_ms, event)| match event {
        Event::Client(of, ClientTimer::DelayedUnlock { queue: its }) => {
            ((*of, *its) == (client.id, queue)).then_some(at_ms)
        }
        _ => None,
    });
    unlocks.min()
}

pub(super) fn is_gone(world: &World, client: ClientId) -> bool {
    world.clients.get(client.index()).is_none_or(|p| matches!(p.status(), Status::Ended(_)))
}

pub(super) fn cut_off(world: &World, client: &Client, queue: MessageQueue) -> Option<Reason> {
    let (me, broker) = (Party::Client(client.id), Party::Broker(queue.broker));
    let cut = world.shared.net.is_cut(me, broker);
    cut.then_some(Reason::CutOff { client: client.id, from: broker })
}

/// A broker that does not know what a consumer subscribes to refuses its pulls.
pub(super) fn unregistered(
    world: &World,
    client: &Client,
    queue: MessageQueue,
) -> Option<Refusing> {
    let broker = world.brokers.get(queue.broker.index())?;
    let known = broker.subscribed(client.group, queue).map(|known| known.version_ms);
    if known.is_some_and(|version_ms| Some(version_ms) >= client.sub_version_ms(queue.topic)) {
        return None;
    }
    let at_ms = next_beat_ms(world, client.id);
    if known.is_some() {
        return Some(Refusing::Outdated { broker: broker.id, at_ms });
    }
    let members = broker.members(client.group);
    let replaced = members.is_some_and(|m| m.0.iter().any(|m| m.client == client.id));
    let again =
        at_ms.filter(|_| replaced).and_then(|at_ms| taken_again(world, client, (queue, at_ms)));
    Some(Refusing::Unregistered { broker: broker.id, replaced, again, at_ms })
}

/// When a consumer sends its next heartbeat, where it is due.
fn next_beat_ms(world: &World, client: ClientId) -> Option<Ms> {
    let beats = world.shared.agenda.unsorted().filter_map(|(at_ms, event)| match event {
        Event::Client(of, ClientTimer::Heartbeat) => (*of == client).then_some(at_ms),
        _ => None,
    });
    beats.min()
}

/// The first member that takes a queue's topic out of the group's table after a consumer's heartbeat at an
/// instant: one that does not subscribe to it, with its own heartbeat.
fn taken_again(
    world: &World,
    client: &Client,
    (queue, beat_ms): (MessageQueue, Ms),
) -> Option<(ClientId, Ms)> {
    let period_ms = world.shared.model.heartbeat_broker_interval_ms.max(1);
    let unlike = |other: &&Client| {
        other.id != client.id
            && other.status == Status::Running
            && !other.subscriptions.iter().any(|s| s.topic == queue.topic)
    };
    let others = owner::processes(world, client.group).filter_map(|p| p.classic());
    let again = others.filter(unlike).filter_map(|other| {
        let mut at_ms = next_beat_ms(world, other.id)?;
        // At one instant the older process comes first.
        while (at_ms, other.id) < (beat_ms, client.id) {
            at_ms += period_ms;
        }
        Some((at_ms, other.id))
    });
    again.min().map(|(at_ms, other)| (other, at_ms))
}

/// No process of the group has the queue.
pub(in crate::explain) fn without_owner(
    run: &Run<'_>,
    group: GroupId,
    queue: MessageQueue,
) -> Reason {
    let world = run.world;
    let orderly = world.shared.group(group).listener == ListenerKind::Orderly;
    let lock = |asks: Option<ClientId>| match orderly {
        true => lock_of_another(world, group, queue, asks),
        false => None,
    };
    let alive: Vec<&Client> = owner::processes(world, group).filter_map(|p| p.classic()).collect();
    let Some(first) = alive.first() else {
        return Reason::NoConsumer { last: owner::last_gone(run, group) };
    };
    // A standing process keeps what it had; the queue was never its own, so others count first.
    let awake: Vec<&&Client> = alive.iter().filter(|c| c.status == Status::Running).collect();
    let Some(candidate) = awake.first() else {
        return Reason::Hangs { client: first.id };
    };
    let allocated = owner::allocated(world, group, queue);
    let mine = allocated.and_then(|id| alive.iter().find(|c| c.id == id));
    match (allocated, mine) {
        (_, Some(client)) => allocated_to(world, client, (group, queue), lock(Some(client.id))),
        (Some(absent), None) => {
            let until_ms = absent_until(world, group, queue, absent);
            let absent = Reason::OfAbsentMember { client: absent, until_ms };
            // What lasts longer is what holds the queue.
            let outlasts = |lock: &Reason| match *lock {
                Reason::LockHeld { until_ms: lease_ms, gives_ms, .. } => {
                    gives_ms.unwrap_or(lease_ms) >= until_ms
                }
                _ => true,
            };
            lock(None).filter(outlasts).unwrap_or(absent)
        }
        (None, None) => allocated_to(world, candidate, (group, queue), lock(Some(candidate.id))),
    }
}

/// The queue falls to a live consumer that has not taken it yet.
pub(super) fn allocated_to(
    world: &World,
    client: &Client,
    (_, queue): (GroupId, MessageQueue),
    lock: Option<Reason>,
) -> Reason {
    let id = client.id;
    if client.status == Status::Hanging {
        return Reason::Hangs { client: id };
    }
    if let Some(reason) = cut_off(world, client, queue) {
        return reason;
    }
    if !client.subscriptions.iter().any(|s| s.topic == queue.topic) {
        return Reason::OfOtherReader { client: id };
    }
    if let Some(reason) = lock {
        return reason;
    }
    if let Some(until_ms) = client.suspended.then(|| client.reset_end_ms(world)).flatten() {
        return Reason::ResetPause { client: id, until_ms };
    }
    if client.suspended && !client.round.running {
        return Reason::Paused;
    }
    let at_ms = client.round.due_ms.filter(|_| !client.round.running);
    let first_ms = client.created_ms + world.shared.model.rebalance_min_interval_ms.max(0);
    match at_ms {
        Some(at_ms) if client.round.last_ms == client.created_ms && at_ms <= first_ms => {
            Reason::Starting { client: id, at_ms }
        }
        at_ms => Reason::Rebalancing { client: id, at_ms },
    }
}

/// When the broker removes a member that is silent, at the earliest.
pub(super) fn absent_until(
    world: &World,
    group: GroupId,
    queue: MessageQueue,
    client: ClientId,
) -> Ms {
    let broker = &world.brokers[queue.broker.index()];
    let member = broker.members(group).and_then(|m| m.0.iter().find(|m| m.client == client));
    let limit_ms = world.shared.model.channel_expired_timeout_ms;
    let clean_ms = member.map_or(world.now_ms(), |m| m.heartbeat_ms) + limit_ms;
    debug_assert_ne!(limit_ms, NEVER);
    clean_ms
}
