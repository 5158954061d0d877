//! Reasons of the second stack: what is in a consumer's hands, and what holds a queue.

mod fetching;
mod flight;

pub(super) use flight::{blocked, comes_again, is_open, lowest_open, open_before};

pub(super) use fetching::{fetches, unreachable};

use fetching::{fetching, receiver};
use flight::{block, delivered, in_flight, longer};

use super::{calls, Doing, Reason, Run};
use crate::broker::Broker;
use crate::client::Status;
use crate::grpc::{Act, GrpcClient, Lane, LaneState};
use crate::ids::{ClientId, GroupId, MessageQueue, Ms, MsgId};
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
        let over = calls::over_before_end(run.world, client, call);
        return Some(match (call.running, over) {
            (true, Some(over_ms)) => Reason::TooLong {
                client: id,
                from_ms: call.since_ms,
                until_ms: call.until_ms.max(run.now_ms()),
                over_ms,
            },
            (true, None) => Reason::Handled {
                client: id,
                from_ms: call.since_ms,
                until_ms: call.until_ms.max(run.now_ms()),
                attempt: call.attempt,
            },
            (false, _) => Reason::Next { client: id },
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
        LaneState::Acting { act } => acting(run.world, id, lane, (act, None)),
        LaneState::ActAgain { act, at_ms } => acting(run.world, id, lane, (act, Some(at_ms))),
    })
}

/// A request about a message that was handled. No acknowledgement in a queue that is not read any more is
/// taken, however often it is asked for.
fn acting(
    world: &World,
    client: ClientId,
    lane: &Lane,
    (act, again_ms): (Act, Option<Ms>),
) -> Reason {
    let queue = lane.messages.front().map(|delivered| delivered.handle.queue);
    let read_queues = |q: MessageQueue| world.shared.names.topics[q.topic.index()].read_queues;
    match queue.filter(|q| act == Act::Ack && q.id >= read_queues(*q)) {
        Some(queue) => Reason::NotReadable { queue, read_queues: read_queues(queue) },
        None => Reason::Acting { client, act, again_ms },
    }
}

fn doing(client: &GrpcClient, lane: &Lane, now_ms: Ms) -> Doing {
    match lane.state {
        LaneState::BackOff { until_ms } => Doing::BackOff { until_ms },
        LaneState::Acting { act: Act::Dead } | LaneState::ActAgain { act: Act::Dead, .. } => {
            Doing::SendingBack
        }
        LaneState::Acting { .. } | LaneState::ActAgain { .. } => Doing::Acting,
        LaneState::Ready | LaneState::Calling => {
            let call = client.calls.iter().find(|c| c.lane == lane.number && c.running);
            let waiting = match client.pool_waiting.contains(&lane.number) {
                true => Doing::NoThread { threads: client.threads },
                false => Doing::Waits,
            };
            call.map_or(waiting, |c| Doing::Handled { until_ms: c.until_ms.max(now_ms) })
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
        return Reason::ResetPending { offset, drops: None };
    }
    if let Some(until_ms) = in_flight(broker, world, group, queue, offset) {
        let holder = receiver(run, group, msg, queue, offset);
        return match until_ms > now_ms {
            true => {
                let longer = longer(run, (group, queue), offset, (holder, until_ms));
                Reason::Invisible { holder, until_ms, longer }
            }
            false => Reason::Revives { at_ms: until_ms + world.shared.model.revive_wait_ms },
        };
    }
    if let Some((head, until_ms)) = block(broker, world, (group, queue), (offset, msg)) {
        let head_offset = head;
        if let Some(head) = delivered(run, (group, queue), head_offset) {
            let holder = receiver(run, group, head, queue, head_offset);
            let same_group = same_group(world, head, msg);
            let longer = longer(run, (group, queue), head_offset, (holder, until_ms));
            return Reason::BehindInvisible { head, holder, until_ms, same_group, longer };
        }
    }
    if let Some(offset) = broker.pending_resets.get(&(group, queue)) {
        return Reason::ResetPending { offset: *offset, drops: None };
    }
    fetching(run, group, queue, offset)
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
