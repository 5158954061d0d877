//! Where every stored message is, counted from the world: the offsets that brokers have recorded,
//! what consumers hold, copies on their way. What is finished comes from the shadow model.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_core::broker::Broker;
use lockstep_core::ids::{BrokerId, GroupId, MessageQueue, MsgId, TopicId};
use lockstep_core::message::Record;
use lockstep_core::shared::{TopicUse, SCHEDULE_TOPIC};
use lockstep_core::world::World;

use super::shadow::Shadow;

/// How many messages of a consumer group are where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub stored: usize,
    pub acknowledged: usize,
    pub dead: usize,
    /// Never to be seen: deleted, reset over, before the group's beginning.
    pub passed: usize,
    pub in_flight: usize,
    pub waiting: usize,
}

fn user(world: &World, queue: MessageQueue) -> bool {
    world.shared.names.topics[queue.topic.index()].usage == TopicUse::User
}

fn committed(world: &World, group: GroupId, queue: MessageQueue) -> i64 {
    let broker = &world.brokers[queue.broker.index()];
    broker.offsets.get(&(group, queue)).copied().unwrap_or(0)
}

/// Whether a topic brings messages back to a group.
fn returns(world: &World, group: GroupId, topic: TopicId) -> bool {
    match world.shared.names.topics[topic.index()].usage {
        TopicUse::Retry(of) | TopicUse::PopRetry(of, _) => of == group,
        _ => false,
    }
}

/// Whether a record waits under a delay level.
fn is_scheduled(broker: &Broker, topic: TopicId, id: u16, offset: i64) -> bool {
    let level = u8::try_from(id + 1).unwrap_or(u8::MAX);
    let cursor = broker.delay.cursors.get(&level).copied().unwrap_or(0);
    topic == SCHEDULE_TOPIC && offset >= cursor
}

/// How many messages wait under delay levels and in the timer wheel.
pub fn scheduled(broker: &Broker) -> usize {
    let waits = |r: &Record| is_scheduled(broker, r.topic, r.queue, r.offset);
    let under_levels = broker.store.records().filter(|(_, record)| waits(record)).count();
    under_levels + broker.delay.wheel.values().map(Vec::len).sum::<usize>()
}

/// Whether a copy of a message is on its way back to a group, or an open checkpoint will make one.
fn comes_back(world: &World, group: GroupId, msg: MsgId) -> bool {
    world.brokers.iter().any(|broker| {
        let here = |topic, id| MessageQueue { topic, broker: broker.id, id };
        let copy = broker.store.records().any(|(_, record)| {
            let queue = here(record.topic, record.queue);
            record.msg == msg
                && (returns(world, group, record.topic)
                    && record.offset >= committed(world, group, queue)
                    || returns(world, group, record.real.0)
                        && is_scheduled(broker, record.topic, record.queue, record.offset))
        });
        copy || broker.pop.checkpoints.iter().any(|(key, point)| {
            let of = |offset: &i64| broker.store.at(key.queue, *offset).map(|r| r.msg);
            key.group == group && point.open.iter().any(|offset| of(offset) == Some(msg))
        })
    })
}

/// Whether a copy that was to come back to a group is gone without a trace in its offsets: it was lost
/// with the power or with its segment, or it stands in a queue of the retry topic whose tail was lost,
/// where consumers that stay up go on behind it (§11.4, §3.2).
fn copy_is_lost(world: &World, shadow: &Shadow, group: GroupId, msg: MsgId) -> bool {
    let stands = |queue: &MessageQueue| {
        let list = shadow.queues.get(queue);
        returns(world, group, queue.topic) && list.is_some_and(|list| list.contains(&msg))
    };
    let copies = shadow.habits[group.index()].copies;
    copies && (shadow.lost.contains(&msg) || shadow.shaken.iter().any(stands))
}

/// Offsets of a queue that consumers of a group hold, or that an ordered POP has in flight.
fn held(world: &World, group: GroupId, queue: MessageQueue) -> BTreeSet<i64> {
    let mut held = BTreeSet::new();
    for process in world.clients.iter().filter(|p| p.group() == group) {
        if let Some(client) = process.classic().filter(|client| client.is_running()) {
            let entry = client.process_queue(queue).filter(|entry| !entry.dropped);
            held.extend(entry.iter().flat_map(|e| e.waiting().chain(e.taken())).map(|m| m.offset));
        }
        if let Some(client) = process.grpc() {
            let lanes = client.lanes.iter().flat_map(|lane| &lane.messages);
            let mine = lanes.chain(&client.held).filter(|d| d.handle.queue == queue);
            held.extend(mine.map(|d| d.handle.offset));
        }
    }
    if let Some(info) = world.brokers[queue.broker.index()].pop.order.get((group, queue)) {
        let open = info.offsets().iter().enumerate().filter(|(at, _)| !info.is_acked(*at));
        held.extend(open.map(|(_, offset)| *offset));
    }
    held
}

/// Counts the messages of a group, queue by queue.
///
/// # Errors
/// A message that is nowhere.
pub fn count(world: &World, shadow: &Shadow, group: GroupId) -> Result<Count, String> {
    let mut count = Count::default();
    for (queue, list) in shadow.queues.iter().filter(|(queue, _)| user(world, **queue)) {
        let (_, max) = world.brokers[queue.broker.index()].store.range(*queue);
        count.stored += max as usize;
        let held = held(world, group, *queue);
        for (offset, msg) in list.iter().enumerate() {
            let shaken = shadow.shaken.contains(queue);
            match offset as i64 {
                _ if shadow.dead.contains(&(group, *msg)) => count.dead += 1,
                _ if shadow.finished.contains(&(group, *msg)) => count.acknowledged += 1,
                _ if shadow.is_done(group, *queue, offset as u32) => count.passed += 1,
                at if at >= committed(world, group, *queue) && held.contains(&at) => {
                    count.in_flight += 1;
                }
                at if at >= committed(world, group, *queue) => count.waiting += 1,
                _ if comes_back(world, group, *msg) => count.waiting += 1,
                _ if shaken || copy_is_lost(world, shadow, group, *msg) => count.passed += 1,
                at => return Err(format!("{msg:?}, offset {at} of {queue:?}, is nowhere")),
            }
        }
    }
    let parts = [count.acknowledged, count.dead, count.passed, count.in_flight, count.waiting];
    match parts.iter().sum::<usize>() == count.stored {
        true => Ok(count),
        false => Err(format!("what is stored is not what there is: {count:?}")),
    }
}

/// What a POP passes over has nothing for it: it would begin at the queue's end, and no message of the
/// queue is on its way.
fn passes_over(
    broker: &Broker,
    group: GroupId,
    queue: MessageQueue,
    offset: i64,
) -> Result<(), String> {
    let (_, end) = broker.store.range(queue);
    let idle = broker.up && broker.pop.idle.at(group, queue) == Some(end);
    let record = broker.pop.order.get((group, queue));
    match idle && (offset != end || record.is_some_and(|record| !record.is_done())) {
        false => Ok(()),
        true => Err(format!("{queue:?} is not idle: offset {offset} of {end}, {record:?}")),
    }
}

/// Recorded offsets as they were after the last event.
#[derive(Default)]
pub struct Offsets(BTreeMap<(BrokerId, GroupId, MessageQueue), i64>);

impl Offsets {
    /// Offsets that were recorded since never pass a message that is neither finished nor on its way
    /// back. Two exceptions have names: the copy that was to bring it back is lost, and the consumer
    /// goes on as if it were there (`copy_is_lost`); an acknowledgement that finds no record of its
    /// delivery commits the offset behind its own (§6.4), which `unrecorded` counts.
    pub fn check(
        &mut self,
        world: &World,
        shadow: &mut Shadow,
        unrecorded: &mut u32,
    ) -> Result<(), String> {
        for broker in &world.brokers {
            for ((group, queue), offset) in &broker.offsets {
                passes_over(broker, *group, *queue, *offset)?;
                let known = self.0.entry((broker.id, *group, *queue)).or_insert(0);
                let before = std::mem::replace(known, *offset);
                let length = shadow.queues.get(queue).map_or(0, Vec::len) as i64;
                for at in before..(*offset).min(length) {
                    let msg = shadow.queues[queue][at as usize];
                    if shadow.is_done(*group, *queue, at as u32)
                        || shadow.shaken.contains(queue)
                        || copy_is_lost(world, shadow, *group, msg)
                        || comes_back(world, *group, msg)
                    {
                        continue;
                    }
                    let by_pop = shadow.habits[group.index()].by_pop;
                    if by_pop && broker.pop.order.get((*group, *queue)).is_none() {
                        shadow.pass(*group, *queue, at as u32 + 1);
                        *unrecorded += 1;
                        continue;
                    }
                    return Err(format!("offset {offset} of {queue:?} passes {at} ({msg:?})"));
                }
            }
        }
        Ok(())
    }
}
