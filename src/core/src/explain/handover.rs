//! How a classic consumer parts with a queue: when its listener has returned, or in its next round.
//! Source: `RebalancePushImpl.tryRemoveOrderMessageQueue`, `RebalanceService.run`.

use super::{Reason, Run};
use crate::client::{Client, ProcessQueue, Status};
use crate::fact::{DropReason, Fact};
use crate::ids::{ClientId, MessageQueue};

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
    let calls = client.calls.iter().filter(|c| c.queue == queue && c.serial == entry.serial);
    let call = calls.filter(|c| c.running).max_by_key(|c| c.until_ms);
    let call_ms = call.map(|c| c.until_ms.max(run.now_ms()));
    let round = &client.round;
    let tries = client.status == Status::Running && last(run, client.id, queue).is_some();
    let round_ms = round.due_ms.filter(|_| tries && !round.running);
    Reason::Leaving { client: client.id, call_ms, round_ms }
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
