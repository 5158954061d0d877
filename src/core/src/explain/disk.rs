//! What a full disk keeps where it is: a broker that may not write takes no message back and puts none
//! back from its delay.
//! Source: `DefaultMessageStore.CleanCommitLogService.isSpaceFull`, `RunningFlags.isWriteable`.

use super::{clocks, message, Reason, Run};
use crate::fact::Fact;
use crate::grpc::Act;
use crate::ids::{BrokerId, GroupId, Ms, MsgId, Party};
use crate::pop::PopFact;
use crate::world::World;

/// Whether a broker runs and has found its disk too full for writes.
pub(super) fn is_full(world: &World, broker: BrokerId) -> bool {
    let broker = world.brokers.get(broker.index());
    broker.is_some_and(|broker| broker.up && broker.refuses_writes())
}

/// Why something under a delay is still there, or would be, if its broker is what keeps it.
pub(super) fn keeps(run: &Run<'_>, broker: BrokerId, due_ms: Ms) -> Option<Reason> {
    let is_due = due_ms <= run.now_ms();
    let since_ms = clocks::over_since(run, Party::Broker(broker), due_ms).filter(|_| is_due);
    let due_ms = since_ms.unwrap_or(due_ms);
    let runs = run.world.brokers.get(broker.index()).is_some_and(|broker| broker.up);
    match runs {
        false => Some(Reason::BrokerDown { broker, due_ms: Some(due_ms) }),
        true if !is_due => None,
        true => is_full(run.world, broker).then_some(Reason::NoRoom { broker, due_ms }),
    }
}

/// A failed message that its consumer could not send away, because the broker does not take it.
pub(super) fn not_taken(run: &Run<'_>, msg: MsgId, group: GroupId, reason: Reason) -> Reason {
    let (client, until_ms) = match reason {
        Reason::Suspended { client, until_ms, .. } if came_back(run, msg, group) => {
            (Some(client), Some(until_ms))
        }
        Reason::LocalRetry { client } => (Some(client), None),
        Reason::Acting { client, act: Act::Dead, again_ms: Some(at_ms) } => {
            (Some(client), Some(at_ms))
        }
        Reason::Invisible { holder: None, until_ms, .. } if dies(run, msg, group) => {
            (None, Some(until_ms))
        }
        Reason::Revives { at_ms } if at_ms <= run.now_ms() => (None, None),
        Reason::Invisible { .. } if was_put_off(run, msg, group) => (None, None),
        _ => return reason,
    };
    let broker = message::lies_in(run, msg, group).map(|queue| queue.broker);
    match broker.filter(|broker| is_full(run.world, *broker)) {
        Some(broker) => Reason::NotTaken { client, broker, until_ms },
        None => reason,
    }
}

/// Whether the last receive of a message was to make it a dead letter.
fn dies(run: &Run<'_>, msg: MsgId, group: GroupId) -> bool {
    let mut newest = run.ledger.newest_of(msg, run.facts.len());
    let last = newest.find_map(|index| match run.facts.get(index as usize)?.fact {
        Fact::Pop(PopFact::DeadOnReceive { group: of, .. }) if of == group => Some(true),
        Fact::Pop(PopFact::Popped { group: of, .. }) if of == group => Some(false),
        _ => None,
    });
    last.unwrap_or_default()
}

/// Whether the revive service could not copy a message and looks at it again later (`rePutCK`).
fn was_put_off(run: &Run<'_>, msg: MsgId, group: GroupId) -> bool {
    let message::Place::Queue(queue, offset) = message::place(run, msg, Some(group)) else {
        return false;
    };
    let Some(broker) = run.world.brokers.get(queue.broker.index()) else { return false };
    broker.pop.checkpoints.iter().any(|(key, point)| {
        (key.group, key.queue) == (group, queue)
            && point.rewritten > 0
            && point.open.contains(&offset)
    })
}

/// Whether the newest call of a message failed, and sending it away failed after that.
fn came_back(run: &Run<'_>, msg: MsgId, group: GroupId) -> bool {
    let mut newest = run.ledger.newest_of(msg, run.facts.len());
    let last = newest.find_map(|index| match run.facts.get(index as usize)?.fact {
        Fact::SendBackFailed { client, .. } => Some((client, true)),
        Fact::HandlingEnded { client, .. } => Some((client, false)),
        _ => None,
    });
    let of =
        |client: crate::ids::ClientId| run.world.clients.get(client.index()).map(|p| p.group());
    last.is_some_and(|(client, failed)| failed && of(client) == Some(group))
}
