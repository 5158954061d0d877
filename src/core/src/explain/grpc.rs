//! Reasons of the second stack: what POP has in flight, and what its consumers do.

use super::{owner, Doing, Longer, Reason, Run};
use crate::broker::pop::order_info::OrderRules;
use crate::broker::pop::PollKey;
use crate::broker::Broker;
use crate::client::Status;
use crate::fact::{Fact, PullPause};
use crate::grpc::{GrpcClient, Lane, LaneState};
use crate::ids::{ClientId, GroupId, MessageQueue, Ms, MsgId, Party};
use crate::model::Blocking;
use crate::pop::{GrpcKind, PopFact, SimpleMode};
use crate::process::Process;
use crate::world::World;

/// A consumer has it: in a call, in a lane, or in the hands of its application.
pub(super) fn in_hands(run: &Run<'_>, client: &GrpcClient, msg: MsgId) -> Option<Reason> {
    let id = client.id;
    let call = client.calls.iter().find(|c| c.delivery.handle.msg == msg);
    let lane = client.lanes.iter().find(|l| l.messages.iter().any(|d| d.handle.msg == msg));
    let held = client.held(msg).filter(|d| {
        let queue = d.handle.queue;
        let broker = &run.world.brokers[queue.broker.index()];
        d.handle.visible_ms() > run.now_ms()
            && awaits_reset(broker, run.world, client.group, queue).is_none()
    });
    if client.status == Status::Hanging && (call.is_some() || lane.is_some()) {
        return Some(Reason::Hangs { client: id });
    }
    if let Some(call) = call {
        return Some(match call.running {
            true => Reason::Handled {
                client: id,
                from_ms: call.since_ms,
                until_ms: call.until_ms.max(run.now_ms()),
                attempt: call.attempt,
            },
            false => Reason::Next { client: id },
        });
    }
    if let Some(lane) = lane {
        return in_lane(run, client, lane, msg);
    }
    held.map(|d| Reason::Held { client: id, until_ms: d.handle.visible_ms() })
}

/// Queue and offset of a message that a consumer has in a call or a lane, while the broker holds it
/// back for that consumer.
pub(super) fn holds(run: &Run<'_>, client: &GrpcClient, msg: MsgId) -> Option<(MessageQueue, i64)> {
    let calls = client.calls.iter().map(|c| &c.delivery);
    let lanes = client.lanes.iter().flat_map(|l| &l.messages);
    let handle = calls.chain(lanes).map(|d| d.handle).find(|h| h.msg == msg)?;
    let (queue, offset, group) = (handle.queue, handle.offset, client.group);
    let broker = run.world.brokers.get(queue.broker.index())?;
    let until_ms = in_flight(broker, run.world, group, queue, offset)?;
    let is_held =
        until_ms > run.now_ms() && receiver(run, group, msg, queue, offset) == Some(client.id);
    is_held.then_some((queue, offset))
}

fn in_lane(run: &Run<'_>, client: &GrpcClient, lane: &Lane, msg: MsgId) -> Option<Reason> {
    let id = client.id;
    let place = lane.messages.iter().position(|d| d.handle.msg == msg)?;
    let front = lane.messages.front()?.handle.msg;
    if place > 0 {
        let between = place as u32 - 1;
        let same_group = same_group(run.world, front, msg);
        let doing = doing(client, lane, run.now_ms());
        return Some(Reason::Behind { client: id, head: front, doing, between, same_group });
    }
    Some(match lane.state {
        LaneState::Ready if client.pool_waiting.contains(&lane.number) => {
            Reason::NoThread { client: id, threads: client.threads }
        }
        LaneState::Ready | LaneState::Calling => Reason::Next { client: id },
        LaneState::BackOff { until_ms } => {
            // A lane in its back-off already counts the attempt that it waits for.
            let attempt = lane.attempt.saturating_sub(1);
            Reason::BackOff { client: id, attempt, until_ms }
        }
        LaneState::Acting { act } => Reason::Acting { client: id, act, again_ms: None },
        LaneState::ActAgain { act, at_ms } => {
            Reason::Acting { client: id, act, again_ms: Some(at_ms) }
        }
    })
}

fn doing(client: &GrpcClient, lane: &Lane, now_ms: Ms) -> Doing {
    match lane.state {
        LaneState::BackOff { until_ms } => Doing::BackOff { until_ms },
        LaneState::Acting { .. } | LaneState::ActAgain { .. } => Doing::Acting,
        LaneState::Ready | LaneState::Calling => {
            let call = client.calls.iter().find(|c| c.lane == lane.number && c.running);
            call.map_or(Doing::Waits, |c| Doing::Handled { until_ms: c.until_ms.max(now_ms) })
        }
    }
}

fn same_group(world: &World, a: MsgId, b: MsgId) -> bool {
    world.shared.same_message_group(a, b)
}

/// Why a record of a queue is not finished.
pub(super) fn in_queue(
    run: &Run<'_>,
    msg: MsgId,
    group: GroupId,
    (queue, offset): (MessageQueue, i64),
) -> Reason {
    let world = run.world;
    let broker = &world.brokers[queue.broker.index()];
    let now_ms = world.now_ms();
    if let Some(offset) = awaits_reset(broker, world, group, queue) {
        return Reason::ResetPending { offset };
    }
    if let Some(until_ms) = in_flight(broker, world, group, queue, offset) {
        let holder = receiver(run, group, msg, queue, offset);
        return match until_ms > now_ms {
            true => {
                let longer = longer(world, (group, queue), offset, (holder, until_ms));
                Reason::Invisible { holder, until_ms, longer }
            }
            false => Reason::Revives { at_ms: until_ms + world.shared.model.revive_wait_ms },
        };
    }
    if let Some((head, until_ms)) = block(broker, world, (group, queue), (offset, msg)) {
        let head_offset = head;
        if let Some(record) = broker.store.at(queue, head_offset) {
            let holder = receiver(run, group, record.msg, queue, head_offset);
            let same_group = same_group(world, record.msg, msg);
            let longer = longer(world, (group, queue), head_offset, (holder, until_ms));
            let head = record.msg;
            return Reason::BehindInvisible { head, holder, until_ms, same_group, longer };
        }
    }
    if let Some(offset) = broker.pending_resets.get(&(group, queue)) {
        return Reason::ResetPending { offset: *offset };
    }
    fetching(run, group, queue, offset)
}

/// What may happen to an invisible time before it is over.
fn longer(
    world: &World,
    (group, queue): (GroupId, MessageQueue),
    offset: i64,
    (holder, until_ms): (Option<ClientId>, Ms),
) -> Longer {
    if holder.is_none() && world.shared.group(group).pop.orderly {
        return Longer::Repeatable;
    }
    let renewed = world.proxies.iter().filter(|proxy| proxy.up).any(|proxy| {
        proxy.tracked.iter().any(|(key, tracked)| {
            (key.group, key.queue, key.offset) == (group, queue, offset)
                && tracked.handle.visible_ms() >= until_ms
        })
    });
    match renewed {
        true => Longer::Renewed,
        false => Longer::No,
    }
}

/// Where the next receive of an ordered group begins by a pending reset. It forgets what is in flight:
/// nothing blocks the queue any more.
fn awaits_reset(
    broker: &Broker,
    world: &World,
    group: GroupId,
    queue: MessageQueue,
) -> Option<i64> {
    let orderly = world.shared.group(group).pop.orderly;
    broker.pending_resets.get(&(group, queue)).copied().filter(|_| orderly)
}

/// Until when a delivered record is invisible, if it was delivered and not acknowledged. Without
/// order an instant that is over means that the revive service has not copied it yet.
fn in_flight(
    broker: &Broker,
    world: &World,
    group: GroupId,
    queue: MessageQueue,
    offset: i64,
) -> Option<Ms> {
    let key = (group, queue);
    let now_ms = world.now_ms();
    if let Some(flight) = broker.pop.flights.get(key).and_then(|flights| flights.get(&offset)) {
        return (!flight.acked && flight.visible_ms > now_ms).then_some(flight.visible_ms);
    }
    if let Some(info) = broker.pop.order.get(key) {
        let place = info.offsets().iter().position(|o| *o == offset);
        let open = place.is_some_and(|place| !info.is_acked(place));
        if open && info.visible_ms(offset) > now_ms {
            return Some(info.visible_ms(offset));
        }
    }
    let mut points = broker.pop.checkpoints.iter();
    let point = points
        .find(|(k, point)| k.group == group && k.queue == queue && point.open.contains(&offset));
    point.map(|(key, point)| point.revive_ms(*key))
}

/// The offset in flight that holds a record back, and until when.
fn block(
    broker: &Broker,
    world: &World,
    (group, queue): (GroupId, MessageQueue),
    (offset, msg): (i64, MsgId),
) -> Option<(i64, Ms)> {
    if !world.shared.group(group).pop.orderly {
        return None;
    }
    let key = (group, queue);
    let now_ms = world.now_ms();
    if world.shared.model.blocking == Blocking::MessageGroup {
        let series = world.shared.message_group(msg)?;
        let flights = broker.pop.flights.get(key)?;
        let mut ahead = flights.range(..offset);
        return ahead
            .find(|(_, f)| f.series == Some(series) && !f.acked && f.visible_ms > now_ms)
            .map(|(o, f)| (*o, f.visible_ms));
    }
    let info = broker.pop.order.get(key)?;
    let open = info.offsets().iter().enumerate().filter(|(place, _)| !info.is_acked(*place));
    let hidden = open.map(|(_, o)| *o).find(|o| info.visible_ms(*o) > now_ms);
    hidden.filter(|o| *o != offset).map(|o| (o, info.visible_ms(o)))
}

/// What a queue of an ordered group is blocked by, as the broker's records say, whatever its consumer does
/// with it: the message, and until when it is invisible. In the articles' model it holds back its own
/// message group only.
pub(super) fn blocked(world: &World, group: GroupId, queue: MessageQueue) -> Option<(MsgId, Ms)> {
    let broker = world.brokers.get(queue.broker.index())?;
    let orderly = world.shared.group(group).pop.orderly;
    if !orderly || broker.pending_resets.contains_key(&(group, queue)) {
        return None;
    }
    let (key, now_ms) = ((group, queue), world.now_ms());
    let (offset, until_ms) = match world.shared.model.blocking {
        Blocking::Queue => {
            let rules = OrderRules::of(world.shared.model.version);
            let block = broker.pop.order.get(key)?.block(rules, now_ms)?;
            (block.offset, block.until_ms)
        }
        Blocking::MessageGroup => {
            let mut flights = broker.pop.flights.get(key)?.iter();
            let (offset, flight) =
                flights.find(|(_, f)| f.series.is_some() && !f.acked && f.visible_ms > now_ms)?;
            (*offset, flight.visible_ms)
        }
    };
    Some((broker.store.at(queue, offset)?.msg, until_ms))
}

/// The message of the lowest open record before an acknowledged one.
pub(super) fn open_before(
    run: &Run<'_>,
    group: GroupId,
    queue: MessageQueue,
    offset: i64,
) -> Option<MsgId> {
    let broker = run.world.brokers.get(queue.broker.index())?;
    if awaits_reset(broker, run.world, group, queue).is_some() {
        return None;
    }
    let info = broker.pop.order.get((group, queue))?;
    let place = info.offsets().iter().position(|o| *o == offset)?;
    let before = (0..place).find(|p| !info.is_acked(*p)).filter(|_| info.is_acked(place))?;
    broker.store.at(queue, info.offsets()[before]).map(|record| record.msg)
}

/// Whether a record that the consumer offset has passed was delivered and is still open.
pub(super) fn is_open(run: &Run<'_>, group: GroupId, queue: MessageQueue, offset: i64) -> bool {
    let broker = &run.world.brokers[queue.broker.index()];
    let mut points = broker.pop.checkpoints.iter();
    points.any(|(k, p)| k.group == group && k.queue == queue && p.open.contains(&offset))
}

/// The lowest record that POP without order has delivered and that is still open.
pub(super) fn lowest_open(world: &World, group: GroupId, queue: MessageQueue) -> Option<i64> {
    let points = world.brokers.get(queue.broker.index())?.pop.checkpoints.iter();
    let own = points.filter(|(k, _)| k.group == group && k.queue == queue);
    own.flat_map(|(_, point)| point.open.iter().copied()).min()
}

/// Who got the record last.
fn receiver(
    run: &Run<'_>,
    group: GroupId,
    msg: MsgId,
    queue: MessageQueue,
    offset: i64,
) -> Option<ClientId> {
    let history = run.ledger.newest_of(msg, run.facts.len());
    let mut touched =
        history.filter_map(|i| run.facts.get(i as usize)).filter_map(|r| match r.fact {
            Fact::Pop(PopFact::Received { client, queue: q, offset: o, .. }) => {
                let mine =
                    run.world.clients.get(client.index()).is_some_and(|c| c.group() == group);
                (mine && q == queue && i64::from(o) == offset).then_some(Some(client))
            }
            // It was delivered anew, and that answer is lost or under way.
            Fact::Pop(PopFact::Popped { group: of, queue: q, offset: o, .. }) => {
                (of == group && q == queue && i64::from(o) == offset).then_some(None)
            }
            _ => None,
        });
    touched.next().flatten()
}

/// Nothing is in its way: why no consumer has fetched it yet.
fn fetching(run: &Run<'_>, group: GroupId, queue: MessageQueue, offset: i64) -> Reason {
    let world = run.world;
    let all: Vec<&GrpcClient> = owner::processes(world, group).filter_map(Process::grpc).collect();
    let Some(first) = all.first() else {
        let last = world.clients.iter().rfind(|p| p.group() == group);
        let last = last.and_then(|p| match p.status() {
            Status::Ended(how) => Some((p.id(), how)),
            _ => None,
        });
        return Reason::NoConsumer { last };
    };
    let awake: Vec<&&GrpcClient> = all.iter().filter(|c| c.status == Status::Running).collect();
    if awake.is_empty() {
        return match first.status {
            Status::Hanging => Reason::Hangs { client: first.id },
            _ => Reason::Leaving { client: first.id },
        };
    }
    // The best placed consumer says why: one that fetches, else one that would.
    let reasons = awake.iter().map(|client| fetches(run, client, queue, offset));
    let rank = |reason: &Reason| match reason {
        Reason::NotFetchedYet { .. } | Reason::PollSleeps { .. } => 0,
        Reason::NoThread { .. } | Reason::CacheFull { .. } => 1,
        Reason::PullFailed { .. } => 2,
        Reason::Unassigned { .. } | Reason::NotAsked { .. } => 3,
        _ => 4,
    };
    reasons.min_by_key(rank).unwrap_or(Reason::NotAsked { client: first.id })
}

fn fetches(run: &Run<'_>, client: &GrpcClient, queue: MessageQueue, offset: i64) -> Reason {
    let world = run.world;
    let id = client.id;
    let (me, proxy) = (Party::Client(id), Party::Proxy(client.proxy));
    let broker = Party::Broker(queue.broker);
    if world.proxies.get(client.proxy.index()).is_none_or(|p| !p.up) {
        return Reason::ProxyDown { client: id, proxy: client.proxy };
    }
    if world.shared.net.is_cut(me, proxy) {
        return Reason::CutOff { client: id, from: proxy };
    }
    if world.shared.net.is_cut(proxy, broker) {
        return Reason::CutOff { client: id, from: broker };
    }
    let next = world.brokers[queue.broker.index()].offsets.get(&(client.group, queue));
    let fetched = match sleeps_until(world, client.group, queue) {
        Some(until_ms) => Reason::PollSleeps { client: id, until_ms },
        None => Reason::NotFetchedYet { client: id, offset: next.copied().unwrap_or(offset) },
    };
    match client.kind {
        GrpcKind::Push => push(world, client, queue).unwrap_or(fetched),
        GrpcKind::Simple(_) if client.receives() > 0 => fetched,
        GrpcKind::Simple(SimpleMode::Scripted) => Reason::NotAsked { client: id },
        GrpcKind::Simple(SimpleMode::Loops { loops, .. }) => match client.calls.is_empty() {
            true => fetched,
            false => Reason::NoThread { client: id, threads: loops },
        },
    }
}

/// When the time of a waiting receive of an ordered group is over, the first of them, if no timer of the
/// broker is set to wake it before.
fn sleeps_until(world: &World, group: GroupId, queue: MessageQueue) -> Option<Ms> {
    let pop = &world.brokers.get(queue.broker.index())?.pop;
    if !world.shared.group(group).pop.orderly || pop.wheel.armed_ms((group, queue)).is_some() {
        return None;
    }
    let of_queue = |id: i32| PollKey { topic: queue.topic, group, queue: id };
    let waiting = [of_queue(-1), of_queue(queue.id.into())].map(|key| pop.polls.first(key));
    let ends = waiting.into_iter().flatten().map(|request| request.born_ms + request.poll_ms);
    ends.min().filter(|end_ms| *end_ms > world.now_ms())
}

/// What keeps a push consumer from receiving; None when a request is under way.
fn push(world: &World, client: &GrpcClient, queue: MessageQueue) -> Option<Reason> {
    let id = client.id;
    let is_for = |l: &&crate::grpc::ReceiveLoop| {
        let topic = world.shared.names.topics[queue.topic.index()].usage;
        let same_topic = match topic {
            crate::shared::TopicUse::PopRetry(_, of) => l.from.topic == of,
            _ => l.from.topic == queue.topic,
        };
        let same_queue = topic != crate::shared::TopicUse::User
            || l.from.queue.is_none_or(|one| one == queue.id);
        same_topic && l.from.broker == queue.broker && same_queue && !l.dropped
    };
    let Some(own) = client.loops.iter().find(is_for) else {
        return Some(Reason::Unassigned { client: id });
    };
    if own.receiving {
        return None;
    }
    own.pause_until_ms?;
    let live = client.loops.iter().filter(|l| !l.dropped).count().max(1) as i64;
    let full = i64::from(own.cached) >= (world.shared.model.grpc_max_cache_count / live).max(1);
    let cached = own.cached;
    Some(match full {
        true => Reason::CacheFull { client: id, pause: PullPause::CachedCount, cached },
        false => Reason::PullFailed { client: id },
    })
}
