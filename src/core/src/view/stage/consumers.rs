//! Consumers and their rows.

use super::project::Scene;
use super::{ConsumerKind, ConsumerState, ConsumerView, Idle, LaneView, RowState, RowView};
use crate::client::{Client, ProcessQueue, Status, Task};
use crate::command::ListenerKind;
use crate::ids::{MessageQueue, Ms};
use crate::process::Process;

/// What each consumer of the group does with a queue. A process that has ended has a row only
/// while one of its listener calls still runs.
pub(super) fn rows(scene: &Scene<'_>, queue: MessageQueue) -> Vec<RowView> {
    scene.clients().filter_map(|client| row(scene, client, queue)).collect()
}

fn row(scene: &Scene<'_>, client: &Client, queue: MessageQueue) -> Option<RowView> {
    let handling = handling(scene, client, queue);
    let ended = matches!(client.status, Status::Ended(_));
    let entry = client.queues.get(&queue).filter(|_| !ended);
    if handling.is_none() && entry.is_none() {
        return None;
    }
    let cached = entry.map_or(0, |pq| pq.count() as u32);
    let state = handling.unwrap_or_else(|| match entry {
        Some(pq) => waiting(scene, client, queue, pq),
        None => RowState::Idle(Idle::Still),
    });
    Some(RowView { client: client.id, cached, state })
}

fn handling(scene: &Scene<'_>, client: &Client, queue: MessageQueue) -> Option<RowState> {
    let calls = || client.calls.iter().filter(|call| call.running && call.queue == queue);
    Some(RowState::Handling {
        names: calls().flat_map(|call| &call.batch).map(|m| scene.name(m.msg)).collect(),
        from_ms: calls().map(|call| call.since_ms).min()?,
        until_ms: calls().map(|call| call.until_ms).min()?,
    })
}

fn waiting(scene: &Scene<'_>, client: &Client, queue: MessageQueue, pq: &ProcessQueue) -> RowState {
    let world = scene.world;
    match pq.task {
        Task::Suspended { until_ms } => {
            if let Some(head) = pq.waiting().next() {
                let from_ms = until_ms - suspend_ms(scene, client);
                return RowState::Suspended { name: scene.name(head.msg), from_ms, until_ms };
            }
        }
        Task::Relock { at_ms } => return RowState::Relock { at_ms },
        _ => {}
    }
    let max = world.brokers[queue.broker.index()].store.range(queue).1;
    let orderly = client.listener == ListenerKind::Orderly;
    RowState::Idle(if client.status == Status::Hanging {
        Idle::Still
    } else if pq.dropped {
        Idle::Leaving
    } else if orderly && !pq.locked {
        Idle::NoLock
    } else if pq.task == Task::Queued || (!orderly && pq.has_waiting()) {
        Idle::NoThread
    } else if client.suspended {
        Idle::Paused
    } else if orderly && !pq.taken().is_empty() && !pq.has_waiting() {
        Idle::NotCommitted
    } else if pq.next_offset >= max && pq.count() == 0 {
        Idle::NothingToPull
    } else {
        Idle::NotPulledYet
    })
}

/// The pause after a failure, as `submitConsumeRequestLater` bounds it.
fn suspend_ms(scene: &Scene<'_>, client: &Client) -> Ms {
    let model = &scene.world.shared.model;
    let own = scene.world.shared.group(client.group).suspend_ms;
    let wanted = if own < 0 { model.suspend_current_queue_time_ms } else { own };
    wanted.clamp(model.suspend_min_ms, model.suspend_max_ms)
}

/// Consumers that run or stand still, or that still have a row.
pub(super) fn consumers(scene: &Scene<'_>, lanes: &[LaneView]) -> Vec<ConsumerView> {
    let of_group = |process: &&Process| Some(process.group()) == scene.group;
    let view = |process: &Process| match process {
        Process::Classic(client) => classic(scene, client, lanes),
        Process::Grpc(client) => super::holds::consumer(scene, client),
    };
    scene.world.clients.iter().filter(of_group).filter_map(view).collect()
}

fn classic(scene: &Scene<'_>, client: &Client, lanes: &[LaneView]) -> Option<ConsumerView> {
    let state = match client.status {
        Status::Running | Status::Stopping { .. } => ConsumerState::Running,
        Status::Hanging => ConsumerState::Hanging,
        Status::Ended(_) => ConsumerState::Gone,
    };
    let has_row = |lane: &LaneView| lane.rows.iter().any(|row| row.client == client.id);
    let lanes: Vec<usize> =
        lanes.iter().enumerate().filter(|(_, lane)| has_row(lane)).map(|(i, _)| i).collect();
    if state == ConsumerState::Gone && lanes.is_empty() {
        return None;
    }
    let orderly = client.listener == ListenerKind::Orderly;
    Some(ConsumerView {
        id: client.id,
        name: scene.world.shared.names.clients[client.id.index()].as_str().into(),
        state,
        renews_ms: (orderly && client.renew_at_ms > scene.world.now_ms())
            .then_some(client.renew_at_ms),
        lanes,
        kind: ConsumerKind::Classic,
        holds: Vec::new(),
        rows: 0,
        cached: 0,
        polls: (0, 0),
    })
}
