//! Listener calls that run for one message at once: of which the result will count.
//!
//! A classic consumer looks at its queue when a call returns, and forgets the result when it has dropped the queue
//! meanwhile (`ConsumeMessageOrderlyService.processConsumeResult`, `ConsumeMessageConcurrentlyService.ConsumeRequest`).
//! A gRPC consumer acknowledges with the receipt handle of the delivery that began the call.

use super::{owner, Reason, Run, Void};
use crate::client::{Call, Client, Status};
use crate::command::ListenerKind;
use crate::grpc::{GrpcCall, GrpcClient};
use crate::ids::{ClientId, GroupId, Ms, MsgId};
use crate::process::Process;
use crate::world::World;

/// A running call for a message. Of several, the highest is the one whose result counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Running {
    /// Its consumer has the queue as it had it when the call began; the receipt handle is alive.
    counts: bool,
    /// The queue is its consumer's for the broker too.
    owned: bool,
    since_ms: Ms,
    until_ms: Ms,
    client: ClientId,
    classic: bool,
}

/// Whether the result of a call will count for a message, and since when it runs.
pub(super) fn counts(client: &Client, call: &Call, msg: MsgId) -> (bool, Ms) {
    let entry = client.queues.get(&call.queue);
    let entry = entry.filter(|entry| entry.serial == call.serial && !entry.dropped);
    let is_it = |offset: i64| {
        entry.is_some_and(|e| e.contains(offset) || e.taken().iter().any(|m| m.offset == offset))
    };
    let has = call.batch.iter().any(|m| m.msg == msg && is_it(m.offset));
    (has, call.since_ms)
}

fn of_classic<'a>(
    world: &'a World,
    client: &'a Client,
    msg: MsgId,
) -> impl Iterator<Item = Running> + 'a {
    let own = client.calls.iter().filter(move |call| call.batch.iter().any(|m| m.msg == msg));
    own.filter(|call| call.running).map(move |call| {
        let (counts, since_ms) = counts(client, call, msg);
        let broker = world.brokers.get(call.queue.broker.index());
        let lock = broker.and_then(|b| b.locks.get(client.group, call.queue));
        let owned = client.listener == ListenerKind::Concurrent
            || lock.is_none_or(|lock| lock.owner == client.id);
        let (until_ms, client) = (call.until_ms, client.id);
        Running { counts, owned, since_ms, until_ms, client, classic: true }
    })
}

fn of_grpc(world: &World, client: ClientId, call: &GrpcCall) -> Running {
    let counts = call.delivery.handle.visible_ms() > world.now_ms();
    let (since_ms, until_ms) = (call.since_ms, call.until_ms);
    Running { counts, owned: true, since_ms, until_ms, client, classic: false }
}

/// When the receipt handle of a call is over, where that is before the call ends and nobody renews it.
/// Source: common `ReceiptHandle.isExpired`, proxy `DefaultReceiptHandleManager`.
pub(super) fn over_before_end(world: &World, client: &GrpcClient, call: &GrpcCall) -> Option<Ms> {
    let (handle, proxy) = (&call.delivery.handle, world.proxies.get(client.proxy.index())?);
    let over_ms = handle.over_ms(proxy.clock_ahead_ms);
    let renewed = world.proxies.iter().flat_map(|proxy| &proxy.tracked).any(|(key, _)| {
        (key.group, key.queue, key.offset) == (client.group, handle.queue, handle.offset)
    });
    (over_ms <= call.until_ms && !renewed).then_some(over_ms)
}

/// Calls for a message that run in the processes of a group which do not stand still.
fn running(run: &Run<'_>, group: GroupId, msg: MsgId) -> Vec<Running> {
    let mut found = Vec::new();
    for process in owner::processes(run.world, group) {
        match process {
            _ if process.status() == Status::Hanging => {}
            Process::Classic(client) => found.extend(of_classic(run.world, client, msg)),
            Process::Grpc(client) => {
                let own = client.calls.iter().filter(|call| call.delivery.handle.msg == msg);
                let own = own.filter(|call| call.running);
                found.extend(own.map(|call| of_grpc(run.world, client.id, call)));
            }
        }
    }
    found
}

/// The consumer with the call for a message whose result counts.
pub(super) fn counting(run: &Run<'_>, group: GroupId, msg: MsgId) -> Option<ClientId> {
    running(run, group, msg).into_iter().max().map(|best| best.client)
}

/// Calls for a message whose results count for nothing.
pub(super) fn void(run: &Run<'_>, group: GroupId, msg: MsgId) -> Vec<Reason> {
    let all = running(run, group, msg);
    let Some(best) = all.iter().max().copied() else { return Vec::new() };
    let why = |call: &Running| match call.classic {
        true if call.counts => Void::Unaware,
        true => Void::Parted,
        false => Void::OldHandle,
    };
    let void = all.iter().filter(|call| **call != best || call.classic && !call.counts);
    let told = void.map(|call| {
        let until_ms = call.until_ms.max(run.now_ms());
        Reason::VoidCall { client: call.client, until_ms, why: why(call) }
    });
    told.collect()
}
