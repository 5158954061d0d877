//! Rollbacks: with autocommit off a message that is rolled back takes back all that was taken since the last
//! commit, and no count says that any of it failed.

use super::{message, Run};
use crate::fact::{Fact, Outcome};
use crate::ids::{ClientId, GroupId, MsgId};

/// The message that suspended the queue of another one last, or that one itself, and the fact by which it
/// did.
pub(super) fn suspended_by(run: &Run<'_>, msg: MsgId, group: GroupId) -> Option<(MsgId, u32)> {
    let of = |client: ClientId| run.world.clients.get(client.index()).map(|p| p.group());
    let suspends = |index: u32| match run.facts.get(index as usize)?.fact {
        Fact::QueueSuspended { client, msg, .. } => {
            (of(client) == Some(group)).then_some((msg, index))
        }
        _ => None,
    };
    match message::lies_in(run, msg, group) {
        Some(queue) => run.ledger.newest_of_queue(queue, run.facts.len()).find_map(suspends),
        None => run.ledger.newest_of(msg, run.facts.len()).find_map(suspends),
    }
}

/// The message whose rollback suspended the queue of a message.
pub(super) fn rolled_back_by(run: &Run<'_>, msg: MsgId, group: GroupId) -> Option<MsgId> {
    let (by, suspended) = suspended_by(run, msg, group)?;
    let ended = run.ledger.newest_of(by, suspended as usize).find_map(|index| {
        match run.facts.get(index as usize)?.fact {
            Fact::HandlingEnded { outcome, .. } => Some(outcome),
            _ => None,
        }
    });
    (ended == Some(Outcome::Rollback)).then_some(by)
}
