//! What went past a record that a group never finished: a reset, a start, a filter, a loss.

use super::finished::last_touch;
use super::{owner, resets, PassedBy, Run};
use crate::command::Command;
use crate::fact::{BrokerStop, Fact};
use crate::ids::{ClientId, GroupId, MessageQueue, MsgId};
use crate::pop::PopFact;

/// How the offset of a group went past a record.
pub(super) fn passed_by(
    run: &Run<'_>,
    msg: MsgId,
    group: GroupId,
    queue: MessageQueue,
    offset: i64,
) -> PassedBy {
    let mut by = PassedBy::Other;
    let stored = stored_by(run, msg, (queue, offset));
    // What was decided before it came is told of what lay there before.
    let since = |index: u32| stored.is_none_or(|stored| index > stored);
    for index in run.ledger.newest_of_queue(queue, run.facts.len()) {
        let Some(record) = run.facts.get(index as usize) else { continue };
        let mine = |client: ClientId| {
            run.world.clients.get(client.index()).is_some_and(|c| c.group() == group)
        };
        match record.fact {
            Fact::OffsetReset { group: of, offset: to, .. }
                if of == group
                    && i64::from(to) > offset
                    && since(index)
                    && !resets::is_lost(run, index) =>
            {
                return PassedBy::Reset;
            }
            Fact::OffsetCorrected { client, offset: from, corrected, .. }
                if mine(client)
                    && since(index)
                    && i64::from(from) <= offset
                    && offset < i64::from(corrected) =>
            {
                return match moved_by_reset(run, group, queue, (index, corrected)) {
                    true => PassedBy::Reset,
                    false => PassedBy::Correction,
                };
            }
            Fact::QueueAdded { client, .. }
                if mine(client)
                    && first_read(run, index)
                        .is_some_and(|(read, to)| to > offset && since(read)) =>
            {
                by = PassedBy::Start;
            }
            Fact::Pop(PopFact::PopOffsetChosen { group: of, offset: to, .. })
                if of == group && since(index) && i64::from(to) > offset =>
            {
                by = PassedBy::Start;
            }
            _ => {}
        }
    }
    match owner::wants(run.world, group, queue, msg) {
        true if stored.is_some_and(|fact| lay_before(run, group, (queue, offset), fact)) => {
            PassedBy::PowerLoss
        }
        true => by,
        false => PassedBy::Filter,
    }
}

/// Whether a correction is a reset's: the broker answers the first pull behind a reset with the offset that it was
/// made to (PULL_OFFSET_MOVED), and the client corrects its own to that.
/// Source: `PullMessageProcessor.processRequest`, `ConsumerOffsetManager.queryThenEraseResetOffset`.
fn moved_by_reset(
    run: &Run<'_>,
    group: GroupId,
    queue: MessageQueue,
    (correction, corrected): (u32, u32),
) -> bool {
    let mine = |client: ClientId| {
        run.world.clients.get(client.index()).is_some_and(|c| c.group() == group)
    };
    let mut before = run.ledger.newest_of_queue(queue, correction as usize);
    let last = before.find_map(|index| match run.facts.get(index as usize)?.fact {
        Fact::OffsetReset { group: of, offset, .. } if of == group => Some(offset == corrected),
        Fact::OffsetCorrected { client, .. } | Fact::MessagesPulled { client, .. }
            if mine(client) =>
        {
            Some(false)
        }
        _ => None,
    });
    last == Some(true)
}

/// The fact by which a copy was stored.
fn stored_by(run: &Run<'_>, msg: MsgId, (queue, offset): (MessageQueue, i64)) -> Option<u32> {
    run.ledger.places_of(msg, run.facts.len()).find(|index| {
        run.facts.get(*index as usize).is_some_and(|r| match r.fact {
            Fact::MessageStored { queue: q, offset: o, .. } => q == queue && i64::from(o) == offset,
            _ => false,
        })
    })
}

/// Whether a place in a queue lay before the offset of a group when a record came there, as fact `stored`
/// says: the end of the queue had been lost with the machine, and the offset had not.
fn lay_before(
    run: &Run<'_>,
    group: GroupId,
    (queue, offset): (MessageQueue, i64),
    stored: u32,
) -> bool {
    let cut = |c: &Command| matches!(c, Command::StopBroker { how: BrokerStop::PowerLoss, .. });
    if !run.journal.iter().any(|(_, command)| cut(command)) {
        return false;
    }
    let before = run.facts.get(..stored as usize).unwrap_or_default();
    let is_at = |q: MessageQueue, o: u32| q == queue && i64::from(o) == offset;
    let lost = before.iter().rposition(
        |r| matches!(r.fact, Fact::MessageLost { queue: q, offset: o, .. } if is_at(q, o)),
    );
    let Some(lost) = lost else { return false };
    let mine = |client: ClientId| {
        run.world.clients.get(client.index()).is_some_and(|c| c.group() == group)
    };
    let beyond = |to: u32| i64::from(to) > offset;
    before[..lost].iter().any(|r| match r.fact {
        Fact::OffsetCommitted { group: of, queue: q, offset: to } => {
            of == group && q == queue && beyond(to)
        }
        Fact::MessageAcknowledged { client, queue: q, offset: o, .. } => {
            q == queue && i64::from(o) >= offset && mine(client)
        }
        Fact::QueueAdded { client, queue: q, offset: to } => {
            q == queue && beyond(to) && mine(client)
        }
        Fact::Pop(PopFact::PopOffsetChosen { group: of, queue: q, offset: to }) => {
            of == group && q == queue && beyond(to)
        }
        _ => false,
    })
}

/// Whether a group began to read a queue behind a record before retention deleted it: it never waited for
/// that.
pub(super) fn began_behind(
    run: &Run<'_>,
    msg: MsgId,
    group: GroupId,
    (queue, offset): (MessageQueue, i64),
) -> bool {
    let deleted = run.ledger.newest_of(msg, run.facts.len()).find(|index| {
        run.facts.get(*index as usize).is_some_and(|r| match r.fact {
            Fact::MessageDeleted { queue: q, offset: o, .. } => {
                q == queue && i64::from(o) == offset
            }
            _ => false,
        })
    });
    let Some(deleted) = deleted else { return false };
    let mine = |client: ClientId| {
        run.world.clients.get(client.index()).is_some_and(|c| c.group() == group)
    };
    let mut behind = None;
    for index in run.ledger.newest_of_queue(queue, deleted as usize) {
        let Some(record) = run.facts.get(index as usize) else { continue };
        let to = match record.fact {
            Fact::QueueAdded { client, .. } if mine(client) => {
                first_read(run, index).map(|(_, to)| to)
            }
            Fact::Pop(PopFact::PopOffsetChosen { group: of, offset: to, .. }) if of == group => {
                Some(i64::from(to))
            }
            Fact::OffsetReset { group: of, offset: to, .. } if of == group => Some(i64::from(to)),
            _ => None,
        };
        if let Some(to) = to {
            behind = Some(behind.unwrap_or(true) && to > offset);
        }
    }
    behind == Some(true) && last_touch(run, msg, group, (queue, offset)).is_none()
}

/// Where a consumer that took a queue, as fact `added` says, began to read: by the first answer to it, or
/// as long as there is none where it took the queue. An orderly client asks for its start once more when
/// it pulls for the first time, and by then the end of the queue may have moved. The fact, and the
/// offset. Source: `DefaultMQPushConsumerImpl.pullMessage`.
pub(super) fn first_read(run: &Run<'_>, added: u32) -> Option<(u32, i64)> {
    let Fact::QueueAdded { client, queue, offset, .. } = run.facts.get(added as usize)?.fact else {
        return None;
    };
    let mut later = (added..).zip(run.facts.get(added as usize..)?).skip(1);
    let found = later.find_map(|(index, record)| match record.fact {
        Fact::MessagesPulled { client: c, queue: q, offset, .. }
        | Fact::MessagesFiltered { client: c, queue: q, offset, .. }
        | Fact::PullHeld { client: c, queue: q, offset }
            if c == client && q == queue =>
        {
            Some(Some((index, i64::from(offset))))
        }
        Fact::OffsetCorrected { client: c, queue: q, .. }
        | Fact::QueueDropped { client: c, queue: q, .. }
        | Fact::QueueRemoved { client: c, queue: q, .. }
            if c == client && q == queue =>
        {
            Some(None)
        }
        _ => None,
    });
    found.flatten().or(Some((added, i64::from(offset))))
}
