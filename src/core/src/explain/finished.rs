//! What says that a consumer group is done with a message, or never will be.

use super::passed::{began_behind, passed_by};
use super::{grpc, owner, resets, PassedBy, Reason, Run};
use crate::fact::{Fact, FactRecord, Outcome};
use crate::ids::{GroupId, MessageQueue, MsgId};
use crate::process::Process;

/// What says that the group is done with it, or never will be.
pub(super) fn reason(
    run: &Run<'_>,
    msg: MsgId,
    group: GroupId,
    (queue, offset): (MessageQueue, i64),
) -> Option<Reason> {
    let broker = run.world.brokers.get(queue.broker.index())?;
    if is_lost(run, msg, (queue, offset)) {
        // What a gRPC consumer has in hand was told already.
        let holder = owner::holding(run.world, group, (msg, queue, offset));
        return match holder.and_then(Process::classic) {
            Some(_) => None,
            None if was_handled(run, msg, group, (queue, offset)) => Some(Reason::DoneLost),
            None => Some(Reason::Lost),
        };
    }
    let grpc = owner::is_grpc(run.world, group);
    let next = owner::next_offset(run.world, group, queue);
    let cached = cached(run, group, (msg, queue, offset));
    // A reset or a hand-over may have put the offset back before what was done.
    if cached && next.is_some_and(|next| offset >= next) {
        return None;
    }
    let last = last_touch(run, msg, group, (queue, offset));
    let nowhere = last.is_some_and(|(index, _)| stored_nowhere(run, msg, group, index));
    match last.map(|(_, record)| record.fact) {
        Some(Fact::MessageAcknowledged { .. }) => {
            let moved_back = last
                .is_some_and(|(index, _)| went_back(run, group, queue, offset, index))
                || grpc && grpc::comes_again(run.world, group, (queue, offset))
                // It was finished after the reset, which nobody has taken up.
                || resets::awaited(run, group, queue).is_some_and(|reset| reset.offset <= offset);
            if !moved_back && nowhere {
                return Some(Reason::SentNowhere);
            }
            if !moved_back {
                return Some(match grpc.then(|| grpc::open_before(run, group, queue, offset)) {
                    Some(Some((head, batch))) => Reason::DoneBehind { head, batch },
                    _ => Reason::Done,
                });
            }
        }
        Some(Fact::SentBack { .. }) if nowhere => return Some(Reason::SentNowhere),
        Some(Fact::SentBack { .. }) => return Some(Reason::Done),
        _ => {}
    }
    if offset < broker.store.range(queue).0 || broker.store.at(queue, offset).is_none() {
        return Some(match began_behind(run, msg, group, (queue, offset)) {
            true => Reason::Passed { by: PassedBy::Start },
            false => Reason::Deleted,
        });
    }
    // Nobody reads what lies before the place to which a reset takes the group.
    let awaited = resets::awaited(run, group, queue).filter(|_| !grpc && !cached);
    if awaited.is_some_and(|awaited| offset < awaited.offset) {
        return Some(Reason::Passed { by: PassedBy::Reset });
    }
    // What its owner pulls behind does not come any more, even while no offset says so.
    let read = owner::holder(run.world, group, queue);
    let read = read.filter(|(_, entry)| !entry.dropped && !cached).map(|(_, e)| e.next_offset);
    next.max(read).filter(|next| offset < *next)?;
    if grpc && grpc::is_open(run, group, queue, offset) {
        return None;
    }
    if stored_nowhere(run, msg, group, u32::MAX) {
        return Some(Reason::SentNowhere);
    }
    // A reset that has yet to take effect has it read again.
    if let Some(awaited) = resets::awaited(run, group, queue) {
        if awaited.offset <= offset && owner::wants(run.world, group, queue, msg) {
            return awaited.pause();
        }
    }
    Some(Reason::Passed { by: passed_by(run, msg, group, queue, offset) })
}

/// Whether the last that a consumer of the group did with the copy at an offset was to finish it.
pub(super) fn is_acknowledged(
    run: &Run<'_>,
    msg: MsgId,
    group: GroupId,
    copy: (MessageQueue, i64),
) -> bool {
    let last = last_touch(run, msg, group, copy).map(|(_, record)| record.fact);
    matches!(last, Some(Fact::MessageAcknowledged { .. }))
}

/// True when the copy at an offset is not on disk any more, whatever was stored there later.
fn is_lost(run: &Run<'_>, msg: MsgId, (queue, offset): (MessageQueue, i64)) -> bool {
    let broker = &run.world.brokers[queue.broker.index()];
    if broker.store.range(queue).1 <= offset {
        return true;
    }
    if broker.store.at(queue, offset).is_some_and(|record| record.msg == msg) {
        return false;
    }
    let mut history = run.ledger.newest_of(msg, run.facts.len());
    let of_copy = history.find_map(|index| match run.facts.get(index as usize)?.fact {
        Fact::MessageLost { queue: q, offset: o, .. } if q == queue && i64::from(o) == offset => {
            Some(true)
        }
        Fact::MessageStored { queue: q, offset: o, .. } if q == queue && i64::from(o) == offset => {
            Some(false)
        }
        _ => None,
    });
    of_copy.unwrap_or_default()
}

/// Whether a consumer of the group acknowledged a copy, or its listener succeeded with it: where the record
/// is gone, no acknowledgement is taken any more.
fn was_handled(run: &Run<'_>, msg: MsgId, group: GroupId, copy: (MessageQueue, i64)) -> bool {
    let of_group = |client: crate::ids::ClientId| {
        run.world.clients.get(client.index()).is_some_and(|c| c.group() == group)
    };
    let history = run.ledger.newest_of(msg, run.facts.len());
    let mut facts = history.filter_map(|index| run.facts.get(index as usize)).map(|r| r.fact);
    let last = facts.find_map(|fact| match fact {
        Fact::HandlingStarted { client, .. } if of_group(client) => Some(false),
        Fact::HandlingEnded { client, queue, outcome, .. }
            if of_group(client) && queue == copy.0 =>
        {
            Some(matches!(outcome, Outcome::Success | Outcome::Commit))
        }
        _ => None,
    });
    last == Some(true) || is_acknowledged(run, msg, group, copy)
}

/// True when a live consumer of the group has a copy in its cache.
fn cached(run: &Run<'_>, group: GroupId, (msg, queue, offset): (MsgId, MessageQueue, i64)) -> bool {
    let holder = owner::holding(run.world, group, (msg, queue, offset));
    holder.and_then(Process::classic).is_some_and(|client| {
        let entry = client.queues.get(&queue).filter(|entry| !entry.dropped);
        entry.is_some_and(|e| e.contains(offset) || e.taken().iter().any(|m| m.offset == offset))
    })
}

/// The last fact that says what a consumer of the group did with the copy at an offset.
pub(super) fn last_touch<'a>(
    run: &Run<'a>,
    msg: MsgId,
    group: GroupId,
    (queue, offset): (MessageQueue, i64),
) -> Option<(u32, &'a FactRecord)> {
    let at = offset as u32;
    let mine = |client: crate::ids::ClientId| {
        run.world.clients.get(client.index()).is_some_and(|c| c.group() == group)
    };
    // What was done before the copy was stored was done to an earlier copy.
    let is_birth = |record: &FactRecord| matches!(record.fact, Fact::MessageStored { queue: q, offset: o, .. } if q == queue && o == at);
    let history = run.ledger.newest_of(msg, run.facts.len());
    let mut since = history.map_while(|index| {
        let record = run.facts.get(index as usize)?;
        (!is_birth(record)).then_some((index, record))
    });
    since.find_map(|(index, record)| {
        let touches = match record.fact {
            Fact::MessageAcknowledged { client, queue: q, offset: o, .. } => {
                mine(client) && q == queue && o == at
            }
            Fact::SentBack { client, .. } => mine(client),
            // What is delivered again is not done any more.
            Fact::HandlingStarted { client, queue: q, offset: o, .. } => {
                mine(client) && q == queue && o == at
            }
            Fact::Pop(crate::pop::PopFact::Popped { group: of, queue: q, offset: o, .. }) => {
                of == group && q == queue && o == at
            }
            _ => false,
        };
        touches.then_some((index, record))
    })
}

/// True when, after a fact, the group's reading of the queue began anew at or before an offset.
fn went_back(run: &Run<'_>, group: GroupId, queue: MessageQueue, offset: i64, since: u32) -> bool {
    let history = run.ledger.newest_of_queue(queue, run.facts.len());
    let mut after = history.take_while(|index| *index > since);
    let fact = |index: u32| run.facts.get(index as usize).map(|r| (index, r.fact));
    after.by_ref().filter_map(fact).any(|(index, fact)| match fact {
        Fact::OffsetReset { group: of, offset: to, .. } => {
            of == group && i64::from(to) <= offset && !resets::is_lost(run, index)
        }
        Fact::QueueAdded { client, offset: to, .. } => {
            let mine = run.world.clients.get(client.index()).is_some_and(|c| c.group() == group);
            mine && i64::from(to) <= offset
        }
        _ => false,
    })
}

/// Whether what ended the handling of a message, the fact `end`, came of a broker that took it back and
/// stored it nowhere.
fn stored_nowhere(run: &Run<'_>, msg: MsgId, group: GroupId, end: u32) -> bool {
    let before = run.ledger.newest_of(msg, run.facts.len()).filter(|index| *index < end);
    let mut facts = before.filter_map(|index| run.facts.get(index as usize)).map(|r| r.fact);
    let of_group = |client: crate::ids::ClientId| {
        run.world.clients.get(client.index()).is_some_and(|c| c.group() == group)
    };
    let last = facts.find(|fact| match fact {
        Fact::SentNowhere { group: of, .. } => *of == group,
        Fact::HandlingStarted { client, .. } => of_group(*client),
        _ => false,
    });
    matches!(last, Some(Fact::SentNowhere { .. }))
}
