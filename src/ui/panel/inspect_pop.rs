//! Values of the second stack, as broker, proxy and client hold them, under RocketMQ's names.

use lockstep_core::broker::pop::{AttemptId, OrderInfo};
use lockstep_core::broker::Broker;
use lockstep_core::grpc::{Delivery, GrpcClient, Handle};
use lockstep_core::ids::{GroupId, MessageQueue, MsgId};
use lockstep_core::pop::{Backoff, GrpcKind};
use lockstep_core::proxy::TrackKey;
use lockstep_core::world::World;

use super::fields::Line;
use super::inspect::ms;
use crate::i18n::sentence::queue_name;
use crate::i18n::{clock, number};

/// What a broker holds of a queue for a group that POP serves.
pub fn queue(world: &World, broker: &Broker, group: GroupId, queue: MessageQueue) -> Vec<Line> {
    let key = (group, queue);
    let mut lines = Vec::new();
    if let Some(offset) = broker.pending_resets.get(&key) {
        lines.push(Line::new("resetOffset", number(*offset)));
    }
    if let Some(info) = broker.pop.order.get(key) {
        lines.extend(order_info(world, info));
    }
    if let Some(free_ms) = broker.pop.wheel.armed_ms(key) {
        lines.push(Line::new("lockFreeTimestamp", clock(free_ms)));
    }
    for (offset, flight) in broker.pop.flights.get(key).into_iter().flatten() {
        let state = if flight.acked { "ack".to_owned() } else { clock(flight.visible_ms) };
        lines.push(Line::new("inFlight", format!("{} → {state}", number(*offset))));
    }
    let of = |(k, _): &(&lockstep_core::broker::pop::CheckpointKey, _)| (k.group, k.queue) == key;
    for (point, open) in broker.pop.checkpoints.iter().filter(of) {
        lines.push(Line::new("PopCheckPoint.startOffset", number(point.start_offset)));
        lines.push(Line::new("PopCheckPoint.popTime", clock(point.pop_ms)));
        lines.push(Line::new("PopCheckPoint.invisibleTime", ms(open.invisible_ms)));
        lines.push(Line::new("PopCheckPoint.unacked", offsets(open.open.iter().copied())));
    }
    let polls = broker.pop.polls.iter();
    let polls = polls.filter(|r| (r.group, r.topic) == (group, queue.topic)).count();
    if polls > 0 {
        lines.push(Line::new("pollingNum", polls.to_string()));
    }
    lines
}

fn offsets(list: impl Iterator<Item = i64>) -> String {
    let list: Vec<String> = list.map(number).collect();
    if list.is_empty() {
        "\u{2013}".to_owned()
    } else {
        list.join(", ")
    }
}

/// The fields of `ConsumerOrderInfoManager.OrderInfo`.
fn order_info(world: &World, info: &OrderInfo) -> Vec<Line> {
    let list = info.offsets();
    let acked = (0..list.len()).filter(|place| info.is_acked(*place));
    let bits: u64 = acked.map(|place| 1 << (place % 64)).sum();
    let usual_ms = info.pop_ms + info.invisible_ms.unwrap_or(0);
    let own = list.iter().filter(|offset| info.visible_ms(**offset) != usual_ms);
    let own = own.map(|offset| format!("{}: {}", number(*offset), clock(info.visible_ms(*offset))));
    let counts = list.iter().filter(|offset| info.count(**offset) > 0);
    let counts = counts.map(|offset| format!("{}: {}", number(*offset), info.count(*offset)));
    let (own, counts): (Vec<String>, Vec<String>) = (own.collect(), counts.collect());
    let mut lines = vec![
        Line::new("popTime", clock(info.pop_ms)),
        Line::new("invisibleTime", info.invisible_ms.map_or("null".to_owned(), ms)),
        Line::new("attemptId", attempt(world, info.attempt)),
        Line::new("offsetList", offsets(list.iter().copied())),
        Line::new("commitOffsetBit", format!("{bits:b}")),
    ];
    if !own.is_empty() {
        lines.push(Line::new("offsetNextVisibleTime", own.join(", ")));
    }
    if !counts.is_empty() {
        lines.push(Line::new("offsetConsumedCount", counts.join(", ")));
    }
    lines.push(Line::new("lastConsumeTimestamp", clock(info.last_consume_ms)));
    lines
}

/// An attempt id: whose it is, and its number there.
fn attempt(world: &World, id: Option<AttemptId>) -> String {
    let Some(AttemptId(id)) = id else { return "null".to_owned() };
    let (client, number) = ((id >> 32) as usize, id & u64::from(u32::MAX));
    let name = world.shared.names.clients.get(client).map_or("", String::as_str);
    format!("{name}-{number}")
}

/// A gRPC consumer: its settings, its receives, what it has.
pub fn client(world: &World, client: &GrpcClient) -> Vec<Line> {
    let names = &world.shared.names;
    let kind = match client.kind {
        GrpcKind::Push => "PUSH_CONSUMER",
        GrpcKind::Simple(_) => "SIMPLE_CONSUMER",
    };
    let mut lines = vec![
        Line::new("group", world.shared.group(client.group).name.clone()),
        Line::new("clientType", kind),
        Line::new("endpoints", names.proxies[client.proxy.index()].clone()),
        Line::new("status", format!("{:?}", client.status)),
        Line::new("created", clock(client.created_ms)),
    ];
    if let Some(fifo) = client.fifo {
        lines.push(Line::new("fifo", fifo.to_string()));
    }
    if let Some(settings) = &client.settings {
        lines.push(Line::new("maxAttempts", settings.max_attempts.to_string()));
        lines.push(Line::new("backoffPolicy", backoff(&settings.backoff)));
    }
    if client.kind == GrpcKind::Push {
        lines.push(Line::new("consumptionThreadCount", client.threads.to_string()));
        lines.push(Line::new("busyThreads", client.busy.to_string()));
        lines.push(Line::new("fifoConsumeAccelerator", client.accelerator.to_string()));
    }
    for own in &client.loops {
        let queue = own.from.queue.map_or("\u{2212}1".to_owned(), |id| id.to_string());
        let place = format!("{} {queue}", names.brokers[own.from.broker.index()]);
        lines.push(Line::new("processQueue", place));
        lines.push(Line::new("attemptId", attempt(world, Some(own.attempt))));
        lines.push(Line::new("cachedMessagesCount", own.cached.to_string()));
        let state = match (own.dropped, own.pause_until_ms) {
            (true, _) => "dropped".to_owned(),
            (false, Some(until_ms)) => clock(until_ms),
            (false, None) => own.receiving.to_string(),
        };
        lines.push(Line::new("receiving", state));
    }
    for delivery in client.lanes.iter().flat_map(|lane| &lane.messages).chain(&client.held) {
        let Handle { queue, msg, .. } = delivery.handle;
        let label = world.shared.label(msg);
        let place = format!("{label} {}", queue_name(&world.shared, queue));
        lines.push(Line::new("message", place));
    }
    lines
}

fn backoff(backoff: &Backoff) -> String {
    match backoff {
        Backoff::Customized(waits) => {
            waits.iter().map(|wait| ms(*wait)).collect::<Vec<_>>().join(", ")
        }
        Backoff::Exponential { initial_ms, max_ms, multiplier } => {
            format!("{} × {multiplier}, max {}", ms(*initial_ms), ms(*max_ms))
        }
    }
}

/// The deliveries of a message that gRPC consumers have, with the proxy's record of each.
pub fn message(world: &World, msg: MsgId) -> Vec<Line> {
    let mut lines = Vec::new();
    for client in world.clients.iter().filter_map(|process| process.grpc()) {
        let all = client.lanes.iter().flat_map(|lane| &lane.messages).chain(&client.held);
        for delivery in all.filter(|delivery| delivery.handle.msg == msg) {
            lines.extend(handle(world, client, delivery));
        }
    }
    lines
}

/// The fields of a receipt handle.
fn handle(world: &World, client: &GrpcClient, delivery: &Delivery) -> Vec<Line> {
    let handle = delivery.handle;
    let Handle { queue, offset, pop_ms, .. } = handle;
    let names = &world.shared.names;
    let mut lines = vec![
        Line::new("consumer", names.clients[client.id.index()].clone()),
        Line::new("deliveryAttempt", delivery.attempt().to_string()),
        Line::new("receiptHandle.queueId", queue.id.to_string()),
        Line::new("receiptHandle.offset", number(offset)),
        Line::new("receiptHandle.retrieveTime", clock(pop_ms)),
        Line::new("receiptHandle.invisibleTime", ms(handle.invisible_ms)),
        Line::new("receiptHandle.nextVisibleTime", clock(handle.visible_ms())),
    ];
    if !handle.ordered {
        lines.push(Line::new("receiptHandle.startOffset", number(handle.start_offset)));
    }
    let key = TrackKey::of(&world.shared.model, client.id, client.group, &handle);
    for tracked in world.proxies.iter().filter_map(|proxy| proxy.tracked.get(&key)) {
        lines.push(Line::new("renewTimes", tracked.renewals.to_string()));
        lines.push(Line::new("renewRetryTimes", tracked.retries.to_string()));
        lines.push(Line::new("consumeTimestamp", clock(tracked.since_ms)));
        lines.push(Line::new("renewed.nextVisibleTime", clock(tracked.handle.visible_ms())));
    }
    lines
}
