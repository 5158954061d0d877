//! How a classic consumer parts with a queue: when its listener has returned, or in its next round.
//! Source: `RebalancePushImpl.tryRemoveOrderMessageQueue`, `RebalanceService.run`.

use super::{owner, Reason, Run};
use crate::client::{Call, Client, ProcessQueue, Status};
use crate::fact::{DropReason, Fact};
use crate::ids::{ClientId, MessageQueue, Ms};
use crate::model::NEVER;

/// Rounds that are looked ahead.
const MOST_ROUNDS: u32 = 100;

/// A queue that a consumer is to give away.
pub(super) struct Parting {
    /// The fact by which the listener call began that runs, or ran, when it tried.
    pub(super) call: Option<u32>,
    /// The fact of the last try that failed.
    pub(super) postponed: Option<u32>,
}

/// Why something waits in a queue that its consumer is leaving.
pub(super) fn leaving(
    run: &Run<'_>,
    client: &Client,
    (queue, entry): (MessageQueue, &ProcessQueue),
) -> Reason {
    if let Some(returned) = returned(run, client, (queue, entry)) {
        return returned;
    }
    let call_ms = call_ms(client, (queue, entry)).map(|end_ms| end_ms.max(run.now_ms()));
    let round = &client.round;
    let tries = client.status == Status::Running && last(run, client.id, queue).is_some();
    let round_ms = round.due_ms.filter(|_| tries && !round.running);
    Reason::Leaving { client: client.id, call_ms, round_ms }
}

/// The end of the listener call of a queue that a consumer has had since it took it last.
fn call_ms(client: &Client, (queue, entry): (MessageQueue, &ProcessQueue)) -> Option<Ms> {
    let calls = client.calls.iter().filter(|c| c.queue == queue && c.serial == entry.serial);
    calls.filter(|c| c.running).map(|c| c.until_ms).max()
}

/// When a consumer parts with a queue that a round has dropped, if nothing happens meanwhile: in its first round in
/// which the listener has returned or is waited for no longer. A queue that it is allocated again is looked at only
/// when it was not pulled for too long.
/// Source: `RebalanceImpl.updateProcessQueueTableInRebalance`.
pub(super) fn gives_ms(
    run: &Run<'_>,
    client: &Client,
    (queue, entry): (MessageQueue, &ProcessQueue),
) -> Option<Ms> {
    last(run, client.id, queue).filter(|_| entry.dropped && client.status == Status::Running)?;
    let (now_ms, model) = (run.now_ms(), &run.world.shared.model);
    let call_ms = call_ms(client, (queue, entry)).map_or(now_ms, |end_ms| end_ms.max(now_ms));
    if client.round.waits_until_ms(queue).is_some_and(|until_ms| call_ms < until_ms) {
        return Some(call_ms);
    }
    let own = owner::allocated(run.world, client.group, queue) == Some(client.id);
    let idle_ms = entry.last_pull_ms + model.pull_max_idle_time_ms;
    let pause_ms = client.round.pause_ms(model).max(1);
    let running = client.round.running;
    let mut round_ms =
        if running { now_ms } else { client.round.due_ms.filter(|_| !client.suspended)? };
    if own && round_ms <= idle_ms {
        round_ms += (idle_ms - round_ms) / pause_ms * pause_ms + pause_ms;
    } else if running {
        round_ms += pause_ms;
    }
    let forced_ms = match model.force_unlock_after_ms {
        NEVER => None,
        after_ms => Some(entry.last_lock_ms + after_ms),
    };
    for _ in 0..MOST_ROUNDS {
        if forced_ms.is_some_and(|forced_ms| forced_ms < round_ms) {
            return Some(round_ms);
        }
        if call_ms < round_ms + model.release_wait_ms {
            return Some(round_ms.max(call_ms));
        }
        round_ms += model.release_wait_ms + pause_ms;
    }
    None
}

/// Why something waits in a queue that its consumer dropped and is allocated again.
pub(super) fn returned(
    run: &Run<'_>,
    client: &Client,
    (queue, entry): (MessageQueue, &ProcessQueue),
) -> Option<Reason> {
    if owner::allocated(run.world, client.group, queue) != Some(client.id) {
        return None;
    }
    let at_ms = gives_ms(run, client, (queue, entry))?;
    let call_ms = call_ms(client, (queue, entry)).map(|end_ms| end_ms.max(run.now_ms()));
    Some(Reason::Returned { client: client.id, call_ms, at_ms })
}

/// A listener call whose consumer has dropped the queue since: what becomes of the message.
pub(super) fn in_vain(run: &Run<'_>, client: &Client, call: &Call) -> Reason {
    let entry = client.queues.get(&call.queue).filter(|entry| entry.serial == call.serial);
    Reason::InVain {
        client: client.id,
        from_ms: call.since_ms,
        until_ms: call.until_ms.max(run.now_ms()),
        heir: owner::allocated(run.world, client.group, call.queue),
        gives_ms: entry.and_then(|entry| gives_ms(run, client, (call.queue, entry))),
    }
}

/// What stands in the way of giving a queue away that a rebalance round has dropped; None = no round has.
pub(super) fn last(run: &Run<'_>, client: ClientId, queue: MessageQueue) -> Option<Parting> {
    let mut postponed = None;
    let mut newest = run.ledger.newest_of_client(client, run.facts.len());
    let dropped = newest.find_map(|index| match run.facts.get(index as usize)?.fact {
        Fact::ReleasePostponed { queue: of, .. } if of == queue => {
            postponed = postponed.or(Some(index));
            None
        }
        Fact::QueueDropped { queue: of, reason, .. } if of == queue => Some((index, reason)),
        _ => None,
    });
    let (dropped, reason) = dropped?;
    let by_round =
        matches!(reason, DropReason::Reallocated | DropReason::PullIdle | DropReason::Unrouted);
    let before = postponed.unwrap_or(dropped) as usize;
    let call = run.facts[..before].iter().rposition(|r| {
        matches!(r.fact, Fact::HandlingStarted { client: by, queue: of, .. }
            if (by, of) == (client, queue))
    });
    by_round.then_some(Parting { call: call.map(|fact| fact as u32), postponed })
}
