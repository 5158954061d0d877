//! Reasons of the classic consumer: orderly and concurrent, with both models of blocking.

mod owners;

pub(super) use owners::{gives_back_ms, without_owner};

use owners::{cut_off, lock_missing, unregistered};

use super::{calls, handover, lost, owner, Doing, Reason, Run};
use crate::client::{Client, Held, PoolTask, ProcessQueue, Status, Task, Thread};
use crate::command::ListenerKind;
use crate::event::Cached;
use crate::fact::PullPause;
use crate::ids::{GroupId, MessageQueue, MsgId, Party};
use crate::model::Blocking;
use crate::world::World;

/// A listener call runs for it, or a failed call sends it back. A call whose end fell into a time in
/// which its process stood still ends when that goes on.
pub(super) fn in_hands(run: &Run<'_>, client: &Client, msg: MsgId) -> Option<Reason> {
    let (id, now_ms) = (client.id, run.now_ms());
    let own = client.calls.iter().filter(|c| c.batch.iter().any(|m| m.msg == msg));
    if let Some(call) = own.max_by_key(|c| calls::counts(client, c, msg)) {
        if client.status == Status::Hanging {
            return Some(Reason::Hangs { client: id });
        }
        let message = call.batch.iter().find(|m| m.msg == msg);
        let attempt = message.map_or(0, |m| m.reconsume_times) + 1;
        return Some(match call.running {
            true if !calls::counts(client, call, msg).0 => handover::in_vain(run, client, call),
            true => Reason::Handled {
                client: id,
                from_ms: call.since_ms,
                until_ms: call.until_ms.max(now_ms),
                attempt,
            },
            false => Reason::Next { client: id },
        });
    }
    client.sends_back(msg).then_some(Reason::SendingBack { client: id })
}

/// Why a record of a queue is not finished.
pub(super) fn in_queue(
    run: &Run<'_>,
    group: GroupId,
    (queue, offset): (MessageQueue, i64),
) -> Reason {
    let world = run.world;
    let Some((client, entry)) = owner::holder(world, group, queue) else {
        return without_owner(run, group, queue);
    };
    let id = client.id;
    if client.status == Status::Hanging {
        return Reason::Hangs { client: id };
    }
    if entry.dropped {
        return match client.reset_until_ms(world, queue) {
            Some(until_ms) => Reason::ResetPause { client: id, until_ms },
            None => handover::leaving(run, client, (queue, entry)),
        };
    }
    if matches!(client.status, Status::Stopping { .. }) && !client.works_on(queue) {
        return handover::leaving(run, client, (queue, entry));
    }
    let cached = entry.contains(offset) || entry.taken().iter().any(|m| m.offset == offset);
    match cached {
        false => not_cached(world, client, (group, queue), entry),
        true if client.listener == ListenerKind::Concurrent => {
            waits_for_thread(client, queue, offset)
        }
        true => orderly(world, client, (queue, entry), offset),
    }
}

/// It is in the cache of an orderly consumer.
fn orderly(
    world: &World,
    client: &Client,
    (queue, entry): (MessageQueue, &ProcessQueue),
    offset: i64,
) -> Reason {
    let id = client.id;
    let in_calls = client.calls.iter().filter(|c| c.queue == queue && c.serial == entry.serial);
    let called = || in_calls.clone().flat_map(|c| &c.batch);
    let is_called = |m: &&Cached| called().any(|c| c.offset == m.offset);
    // Nobody waits for what was handled and is not committed.
    let is_at_work = |m: &&Cached| is_called(m) || entry.task == Task::SendingBack;
    // What waits is sorted: only its first can be the first of all.
    let ahead = entry.waiting().take(1).chain(entry.taken().iter().filter(is_at_work));
    let ahead = ahead.chain(called());
    let ahead = ahead.filter(|m| m.offset < offset).min_by_key(|m| m.offset).copied();
    let own = || entry.taken().iter().find(|m| m.offset == offset);
    let own = entry.at(offset).or_else(own).copied();
    let Some(own) = own else { return Reason::Next { client: id } };
    let taken = entry.taken().iter().any(|m| m.offset == offset);
    if taken && !called().any(|m| m.offset == offset) && entry.task != Task::SendingBack {
        return Reason::Uncommitted { client: id };
    }
    let by_group = world.shared.model.blocking == Blocking::MessageGroup;
    if by_group {
        if let Some(reason) = held_by_group(world, client, entry, &own) {
            return reason;
        }
    }
    let head = match by_group {
        // The running call has to end first, then the lowest message whose group is free is taken.
        true => called().min_by_key(|m| m.offset).copied().or(ahead),
        false => ahead,
    };
    if let Some(head) = head.filter(|h| h.offset != offset) {
        let doing = doing(world, client, (queue, entry), &head);
        let same_group = same_group(world, head.msg, own.msg);
        let between = (offset - head.offset - 1).max(0) as u32;
        return Reason::Behind { client: id, head: head.msg, doing, between, same_group };
    }
    at_head(world, client, (queue, entry), &own)
}

/// The articles' model: its message group pauses.
fn held_by_group(
    world: &World,
    client: &Client,
    entry: &ProcessQueue,
    own: &Cached,
) -> Option<Reason> {
    let series = world.shared.message_group(own.msg);
    let is_mine = |held: &Held| match held {
        Held::Group(group) => Some(*group) == series,
        Held::Message(msg) => *msg == own.msg,
    };
    let now_ms = world.now_ms();
    let (_, until_ms) = entry.held.iter().find(|(h, until)| is_mine(h) && *until > now_ms)?;
    let of_group = |m: &&Cached| match series {
        Some(_) => world.shared.message_group(m.msg) == series,
        None => m.msg == own.msg,
    };
    let head = entry.waiting().filter(of_group).min_by_key(|m| m.offset)?;
    let (id, until_ms, failures) = (client.id, *until_ms, head.reconsume_times);
    if head.offset >= own.offset {
        return Some(Reason::Suspended { client: id, failures: own.reconsume_times, until_ms });
    }
    let between = (own.offset - head.offset - 1).max(0) as u32;
    let doing = Doing::Suspended { failures, until_ms };
    Some(Reason::Behind { client: id, head: head.msg, doing, between, same_group: true })
}

fn same_group(world: &World, a: MsgId, b: MsgId) -> bool {
    world.shared.same_message_group(a, b)
}

/// What the first message of a queue does.
fn doing(
    world: &World,
    client: &Client,
    (queue, entry): (MessageQueue, &ProcessQueue),
    head: &Cached,
) -> Doing {
    let call = client
        .calls
        .iter()
        .find(|c| c.queue == queue && c.batch.iter().any(|m| m.offset == head.offset) && c.running);
    if let Some(call) = call {
        return Doing::Handled { until_ms: call.until_ms.max(world.now_ms()) };
    }
    match at_head(world, client, (queue, entry), head) {
        Reason::Suspended { failures, until_ms, .. } => Doing::Suspended { failures, until_ms },
        Reason::SendingBack { .. } => Doing::SendingBack,
        Reason::LockMissing { expired, .. } => Doing::LockMissing { expired },
        Reason::LockHeld { owner, gone, until_ms, .. } => Doing::LockHeld { owner, gone, until_ms },
        Reason::CutOff { from, .. } => Doing::CutOff { from },
        Reason::BrokerDown { broker, .. } => Doing::BrokerDown { broker },
        Reason::OldListener { .. } => Doing::OldListener,
        Reason::ThreadWaits { thread, .. } => Doing::ThreadWaits { thread },
        Reason::NoThread { threads, .. } => Doing::NoThread { threads },
        _ => Doing::Waits,
    }
}

/// It is the first of its queue, and no call runs for it.
fn at_head(
    world: &World,
    client: &Client,
    (queue, entry): (MessageQueue, &ProcessQueue),
    own: &Cached,
) -> Reason {
    let id = client.id;
    match entry.task {
        Task::Suspended { until_ms } => {
            return Reason::Suspended { client: id, failures: own.reconsume_times, until_ms };
        }
        Task::SendingBack => return Reason::SendingBack { client: id },
        Task::Relock { at_ms } => {
            let at_ms = Some(at_ms).filter(|at_ms| *at_ms >= world.now_ms());
            return lock_missing(world, client, (queue, entry), at_ms);
        }
        Task::Queued | Task::Running { .. } | Task::Idle => {}
    }
    if client.waits_for_listener(queue) {
        return Reason::OldListener { client: id };
    }
    if let Some(thread @ Thread::OrderlyTimers) = client.waits_for(queue) {
        return thread_waits(world, client, queue, thread);
    }
    let is_mine = |t: &PoolTask| matches!(t, PoolTask::Orderly(q, _) if *q == queue);
    if client.pool_waiting.iter().any(is_mine) {
        return Reason::NoThread { client: id, threads: client.threads };
    }
    Reason::Next { client: id }
}

/// A thread waits for an answer before it comes to the queue. No answer of the queue's own broker comes through
/// a cut; what else is in the way is told beside it.
fn thread_waits(world: &World, client: &Client, queue: MessageQueue, thread: Thread) -> Reason {
    let is_own = client.asked_by(thread) == Some(queue.broker);
    let cut = cut_off(world, client, queue).filter(|_| is_own);
    cut.unwrap_or(Reason::ThreadWaits { client: client.id, thread })
}

/// What keeps the answer from coming that a thread of a consumer waits for: a cut, or a broker that is down.
pub(super) fn unanswered(world: &World, client: &Client, thread: Thread) -> Option<Reason> {
    let broker = client.asked_by(thread)?;
    let (me, asked) = (Party::Client(client.id), Party::Broker(broker));
    if world.shared.net.is_cut(me, asked) {
        return Some(Reason::CutOff { client: client.id, from: asked });
    }
    let down = world.brokers.get(broker.index()).is_some_and(|broker| !broker.up);
    down.then_some(Reason::BrokerDown { broker, due_ms: None })
}

/// It is in the cache of a concurrent consumer.
fn waits_for_thread(client: &Client, queue: MessageQueue, offset: i64) -> Reason {
    let is_mine = |t: &PoolTask| match t {
        PoolTask::Concurrent(q, _, batch) => {
            *q == queue && batch.iter().any(|m| m.offset == offset)
        }
        PoolTask::Orderly(..) => false,
    };
    match client.pool_waiting.iter().any(is_mine) {
        true => Reason::NoThread { client: client.id, threads: client.threads },
        // Only a failed send-back leaves a message in the cache that no task holds.
        false => Reason::LocalRetry { client: client.id },
    }
}

/// Its owner has not pulled it.
fn not_cached(
    world: &World,
    client: &Client,
    (group, queue): (GroupId, MessageQueue),
    entry: &ProcessQueue,
) -> Reason {
    let id = client.id;
    if let Some(reason) = cut_off(world, client, queue) {
        return reason;
    }
    let pending = world.brokers.get(queue.broker.index());
    if let Some(offset) = pending.and_then(|b| b.pending_resets.get(&(group, queue))) {
        return Reason::ResetPending { offset: *offset, drops: None };
    }
    if let Some(until_ms) = client.suspended.then(|| client.reset_end_ms(world)).flatten() {
        return Reason::ResetPause { client: id, until_ms };
    }
    let orderly = client.listener == ListenerKind::Orderly;
    let cached = entry.count() as u32;
    let waits = client.waits_for(queue).filter(|thread| *thread != Thread::OrderlyTimers);
    if let Some(thread) = waits.filter(|_| !client.suspended) {
        return thread_waits(world, client, queue, thread);
    }
    match entry.pause {
        _ if client.suspended && !entry.pulling => Reason::Paused,
        Some(PullPause::Paused) => Reason::Paused,
        Some(pause @ (PullPause::CachedCount | PullPause::CachedSize | PullPause::Span)) => {
            Reason::CacheFull { client: id, pause, cached }
        }
        Some(PullPause::NotLocked) => lock_missing(world, client, (queue, entry), None),
        Some(PullPause::Failed) => match unregistered(world, client, queue) {
            Some(by) => Reason::Refused { client: id, by },
            None => Reason::PullFailed { client: id },
        },
        Some(PullPause::NotSubscribed) => Reason::OfOtherReader { client: id },
        None if orderly && !entry.locked => lock_missing(world, client, (queue, entry), None),
        None => match (lost::pull(world, client, queue), unregistered(world, client, queue)) {
            (Some(until_ms), _) => Reason::AnswerLost { client: id, until_ms },
            (None, Some(by)) => Reason::Refused { client: id, by },
            (None, None) => Reason::NotFetchedYet { client: id, offset: entry.next_offset },
        },
    }
}
