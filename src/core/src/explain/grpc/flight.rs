//! What POP has in flight, as the broker's records have it.

use super::awaits_reset;
use crate::broker::pop::order_info::OrderRules;
use crate::broker::Broker;
use crate::client::Status;
use crate::explain::{owner, Longer, Run};
use crate::fact::Fact;
use crate::grpc::GrpcClient;
use crate::ids::{ClientId, GroupId, MessageQueue, Ms, MsgId};
use crate::model::Blocking;
use crate::pop::PopFact;
use crate::process::Process;
use crate::world::World;

/// What may happen to an invisible time before it is over.
pub(super) fn longer(
    run: &Run<'_>,
    (group, queue): (GroupId, MessageQueue),
    offset: i64,
    (holder, until_ms): (Option<ClientId>, Ms),
) -> Longer {
    let world = run.world;
    if holder.is_none() {
        let standing = stands_with(run, (group, queue), offset);
        let repeats = || asker(world, (group, queue), offset);
        return match standing {
            Some(client) => Longer::Standing { client },
            None => repeats().map_or(Longer::Unheard, |client| Longer::Repeatable { client }),
        };
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

/// The message that was delivered to a group from a place of a queue. Retention may have deleted it since: what
/// is in flight blocks the queue all the same.
pub(super) fn delivered(
    run: &Run<'_>,
    (group, queue): (GroupId, MessageQueue),
    offset: i64,
) -> Option<MsgId> {
    let broker = run.world.brokers.get(queue.broker.index())?;
    let stored = broker.store.at(queue, offset).map(|record| record.msg);
    stored.or_else(|| {
        run.facts.iter().rev().find_map(|record| match record.fact {
            Fact::Pop(PopFact::Popped { group: of, queue: q, offset: at, msg, .. })
                if (of, q, i64::from(at)) == (group, queue, offset) =>
            {
                Some(msg)
            }
            _ => None,
        })
    })
}

/// The consumer that stands still and has got the last delivery of a record meanwhile.
fn stands_with(run: &Run<'_>, key: (GroupId, MessageQueue), offset: i64) -> Option<ClientId> {
    let msg = delivered(run, key, offset)?;
    let is_it = |fact: &Fact| matches!(*fact, Fact::Pop(PopFact::Popped { group, queue, offset: of, .. }) if (group, queue) == key && i64::from(of) == offset);
    let mut newest = run.ledger.newest_of(msg, run.facts.len());
    let popped_ms = newest.find_map(|index| {
        let record = run.facts.get(index as usize)?;
        is_it(&record.fact).then_some(record.at_ms)
    })?;
    let members = owner::processes(run.world, key.0).filter_map(Process::grpc);
    let mut hanging = members.filter(|client| client.status == Status::Hanging);
    let has = |client: &&GrpcClient| {
        let mut all = client.received_standing().map(|delivery| delivery.handle);
        all.any(|h| (h.queue, h.offset, h.pop_ms) == (key.1, offset, popped_ms))
    };
    hanging.find(has).map(|client| client.id)
}

/// The consumer that may repeat the receive which delivered a record with its attempt id, and gets it again.
fn asker(world: &World, key: (GroupId, MessageQueue), offset: i64) -> Option<ClientId> {
    let model = &world.shared.model;
    let orderly = world.shared.group(key.0).pop.orderly;
    let broker = world.brokers.get(key.1.broker.index()).filter(|_| orderly)?;
    let attempt = match model.blocking {
        Blocking::Queue if OrderRules::of(model.version) != OrderRules::Attempts => None,
        Blocking::Queue => {
            let info = broker.pop.order.get(key).filter(|info| info.offsets().contains(&offset));
            info.and_then(|info| info.attempt)
        }
        Blocking::MessageGroup => broker.pop.flights.get(key)?.get(&offset)?.attempt,
    }?;
    // Whoever has ended, or asks with a new id, does not repeat it.
    let repeats = |client: &&GrpcClient| {
        client.loops.iter().any(|one| !one.dropped && one.attempt == attempt)
    };
    let mut members = owner::processes(world, key.0).filter_map(Process::grpc);
    members.find(repeats).map(|client| client.id)
}

/// Until when a delivered record is invisible, if it was delivered and not acknowledged. Without
/// order an instant that is over means that the revive service has not copied it yet.
pub(super) fn in_flight(
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
pub(super) fn block(
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
pub(in crate::explain) fn blocked(
    run: &Run<'_>,
    group: GroupId,
    queue: MessageQueue,
) -> Option<(MsgId, Ms)> {
    let world = run.world;
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
    Some((delivered(run, key, offset)?, until_ms))
}

/// The message of the lowest open record that keeps the consumer offset before an acknowledged one, and
/// whether it does because a receive counts as a whole.
pub(in crate::explain) fn open_before(
    run: &Run<'_>,
    group: GroupId,
    queue: MessageQueue,
    offset: i64,
) -> Option<(MsgId, bool)> {
    let broker = run.world.brokers.get(queue.broker.index())?;
    if awaits_reset(broker, run.world, group, queue).is_some() {
        return None;
    }
    let info = broker.pop.order.get((group, queue))?;
    let place = info.offsets().iter().position(|o| *o == offset)?;
    // 5.0.0 moves the consumer offset only when all of a receive is acknowledged.
    let whole = OrderRules::of(run.world.shared.model.version) == OrderRules::WholeBatch;
    let many = if whole { info.offsets().len() } else { place };
    let open = (0..many).find(|p| !info.is_acked(*p)).filter(|_| info.is_acked(place))?;
    delivered(run, (group, queue), info.offsets()[open]).map(|msg| (msg, whole))
}

/// Whether the broker gives out a record again although a consumer acknowledged it: the acknowledgement was
/// about an earlier delivery, which a reset and another POP had replaced, or a reset waits that goes back
/// before it. Source: `ConsumerOrderInfoManager.commitAndNext`, `PopMessageProcessor.getPopOffset`.
pub(in crate::explain) fn comes_again(
    world: &World,
    group: GroupId,
    (queue, offset): (MessageQueue, i64),
) -> bool {
    let Some(broker) = world.brokers.get(queue.broker.index()) else { return false };
    let key = (group, queue);
    if broker.pending_resets.get(&key).is_some_and(|target| *target <= offset) {
        return true;
    }
    if let Some(flight) = broker.pop.flights.get(key).and_then(|flights| flights.get(&offset)) {
        return !flight.acked;
    }
    let info = broker.pop.order.get(key);
    let place = info.and_then(|info| info.offsets().iter().position(|o| *o == offset));
    if let Some((info, place)) = info.zip(place) {
        return !info.is_acked(place);
    }
    let mut points = broker.pop.checkpoints.iter();
    points.any(|(k, p)| k.group == group && k.queue == queue && p.open.contains(&offset))
}

/// Whether a record that the consumer offset has passed was delivered and is still open.
pub(in crate::explain) fn is_open(
    run: &Run<'_>,
    group: GroupId,
    queue: MessageQueue,
    offset: i64,
) -> bool {
    let broker = &run.world.brokers[queue.broker.index()];
    let mut points = broker.pop.checkpoints.iter();
    points.any(|(k, p)| k.group == group && k.queue == queue && p.open.contains(&offset))
}

/// The lowest record that POP without order has delivered and that is still open.
pub(in crate::explain) fn lowest_open(
    world: &World,
    group: GroupId,
    queue: MessageQueue,
) -> Option<i64> {
    let points = world.brokers.get(queue.broker.index())?.pop.checkpoints.iter();
    let own = points.filter(|(k, _)| k.group == group && k.queue == queue);
    own.flat_map(|(_, point)| point.open.iter().copied()).min()
}
