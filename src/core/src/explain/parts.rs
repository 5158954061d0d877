//! In which state everything is that is not a message.

use super::{classic, clocks, grpc, handover, message, owner, resets, Reason, Run};
use super::{GroupState, LockState, QueueState, WorkState};
use crate::client::Status;
use crate::command::ListenerKind;
use crate::grpc::GrpcClient;
use crate::ids::{ClientId, GroupId, MessageGroupId, MessageQueue, Ms, MsgId, Party, TopicId};
use crate::process::Process;
use crate::shared::TopicUse;

/// The first unfinished record of a queue for a group, with its reason.
pub(super) fn head(run: &Run<'_>, queue: MessageQueue, group: GroupId) -> Option<(MsgId, Reason)> {
    unfinished(run, queue, group, |_| true).map(|(msg, _, reason)| (msg, reason))
}

/// The first unfinished record of a queue for a group whose reason is of a kind, with its offset.
fn unfinished(
    run: &Run<'_>,
    queue: MessageQueue,
    group: GroupId,
    is_wanted: impl Fn(&Reason) -> bool,
) -> Option<(MsgId, i64, Reason)> {
    let broker = run.world.brokers.get(queue.broker.index())?;
    let (min, max) = broker.store.range(queue);
    let recorded = broker.offsets.get(&(group, queue)).copied();
    let next = owner::next_offset(run.world, group, queue).or(recorded).unwrap_or(min);
    // Without order the offset is already past what is in flight, and a reset past what is in hand.
    let open = grpc::lowest_open(run.world, group, queue).into_iter();
    // What a reset that is under way goes back to waits again.
    let back = resets::awaited(run, group, queue).map(|awaited| awaited.offset);
    let before = open.chain(owner::lowest_in_hands(run.world, group, queue)).chain(back);
    let next = before.fold(next, i64::min);
    (next.max(min)..max).find_map(|offset| {
        let msg = broker.store.at(queue, offset)?.msg;
        let place = message::place(run, msg, Some(group));
        // Another copy of it counts: this one is finished.
        if place != message::Place::Queue(queue, offset) {
            return None;
        }
        let reason = message::reason(run, msg, Some(group));
        (!reason.is_over() && is_wanted(&reason)).then_some((msg, offset, reason))
    })
}

/// The first record of a queue that is not finished and that a gRPC consumer has, or that it waits for: not
/// what another one has in its hands. Its reason is this consumer's.
fn head_for(run: &Run<'_>, client: &GrpcClient, queue: MessageQueue) -> Option<(MsgId, Reason)> {
    let not_of_another = |reason: &Reason| reason.in_hands_of().is_none_or(|of| of == client.id);
    let (msg, offset, reason) = unfinished(run, queue, client.group, not_of_another)?;
    if let Some(own) = grpc::unreachable(run.world, client, queue.broker) {
        return Some((msg, own));
    }
    let is_fetched = matches!(
        reason,
        Reason::NotFetchedYet { .. }
            | Reason::PollSleeps { .. }
            | Reason::AnswerLost { .. }
            | Reason::OwnTime { .. }
            | Reason::CacheFull { .. }
            | Reason::PullFailed { .. }
            | Reason::Unassigned { .. }
            | Reason::NotAsked { .. }
            | Reason::OfOtherReader { .. }
            | Reason::ProxyDown { .. }
            | Reason::CutOff { .. }
    );
    Some((msg, if is_fetched { grpc::fetches(run, client, queue, offset) } else { reason }))
}

pub(super) fn queue(run: &Run<'_>, queue: MessageQueue, group: GroupId) -> QueueState {
    match head(run, queue, group) {
        None => QueueState::Empty,
        Some((msg, reason)) if reason.is_working() => QueueState::Moves { msg, reason },
        Some((msg, reason)) => QueueState::Waits { msg, reason },
    }
}

pub(super) fn lock(run: &Run<'_>, queue: MessageQueue, group: GroupId) -> Option<LockState> {
    let world = run.world;
    let broker = world.brokers.get(queue.broker.index())?;
    if owner::is_grpc(world, group) {
        let blocked = grpc::blocked(run, group, queue);
        return Some(blocked.map_or(LockState::Unused { pop: true }, |(head, until_ms)| {
            LockState::Blocked { head, until_ms }
        }));
    }
    if world.shared.group(group).listener == ListenerKind::Concurrent {
        return Some(LockState::Unused { pop: false });
    }
    if !broker.up {
        return Some(LockState::Down { broker: queue.broker });
    }
    let Some(lock) = broker.locks.get(group, queue) else { return Some(LockState::Free) };
    let owner = lock.owner;
    let until_ms = lock.last_update_ms + world.shared.model.rebalance_lock_max_live_time_ms;
    let status = world.clients.get(owner.index()).map(|p| p.status());
    let gone = status.is_none_or(|s| matches!(s, Status::Ended(_)));
    Some(match clocks::over_since(run, Party::Broker(queue.broker), until_ms) {
        Some(since_ms) => LockState::Expired { owner, since_ms },
        None => {
            let holder = owner::holder(world, group, queue);
            let dropped = holder.filter(|(client, _)| client.id == owner);
            let gives =
                || dropped.and_then(|(c, entry)| handover::gives_ms(run, c, (queue, entry)));
            let gives_ms = classic::gives_back_ms(world, owner, queue).or_else(gives);
            LockState::Held { owner, gone, until_ms, gives_ms }
        }
    })
}

/// Calls that run in a process: message and end, in the order in which they began.
fn calls(process: &Process) -> Vec<(MsgId, Ms)> {
    match process {
        Process::Classic(client) => {
            let running = client.calls.iter().filter(|c| c.running);
            running.filter_map(|c| Some((c.batch.first()?.msg, c.until_ms))).collect()
        }
        Process::Grpc(client) => {
            let running = client.calls.iter().filter(|c| c.running);
            running.map(|c| (c.delivery.handle.msg, c.until_ms)).collect()
        }
    }
}

/// Queues that a process works on.
pub(super) fn queues_of(run: &Run<'_>, process: &Process) -> Vec<MessageQueue> {
    match process {
        Process::Classic(client) => client.queues.keys().copied().collect(),
        Process::Grpc(client) => {
            let names = &run.world.shared.names;
            let mut queues = Vec::new();
            for sub in owner::subscriptions(run.world, process).iter() {
                queues.extend(names.read_queues(sub.topic));
                let copies = names.pop_retry_topic(client.group, sub.topic);
                queues.extend(copies.map(|t| names.read_queues(t)).into_iter().flatten());
            }
            queues
        }
    }
}

/// Queues that the allocation gives to a classic consumer, whether it has them or not.
fn allocated_to(run: &Run<'_>, process: &Process) -> Vec<MessageQueue> {
    if process.classic().is_none() {
        return Vec::new();
    }
    let topics = owner::subscriptions(run.world, process);
    let queues = topics.iter().flat_map(|s| run.world.shared.names.read_queues(s.topic));
    let mine =
        |q: &MessageQueue| owner::allocated(run.world, process.group(), *q) == Some(process.id());
    queues.filter(mine).collect()
}

pub(super) fn consumer(run: &Run<'_>, client: ClientId) -> Option<WorkState> {
    let process = run.world.clients.get(client.index())?;
    Some(match process.status() {
        Status::Ended(how) => WorkState::Ended { how },
        Status::Hanging => WorkState::Hangs,
        Status::Stopping { .. } => WorkState::Stopping { call: calls(process).first().copied() },
        Status::Running => match calls(process).first() {
            Some(call) => handles(run, process, *call),
            None => not_handling(run, process),
        },
    })
}

/// A call of a process, and whether its result will count.
fn handles(run: &Run<'_>, process: &Process, (msg, until_ms): (MsgId, Ms)) -> WorkState {
    let own = match process {
        Process::Classic(client) => classic::in_hands(run, client, msg),
        Process::Grpc(client) => grpc::in_hands(run, client, msg),
    };
    match own.filter(Reason::is_in_vain) {
        Some(reason) => WorkState::InVain { msg, reason },
        None => WorkState::Handles { msg, until_ms },
    }
}

fn not_handling(run: &Run<'_>, process: &Process) -> WorkState {
    let group = process.group();
    let queues = queues_of(run, process);
    // An orderly consumer has no queue whose lock it was refused, but it is to have it.
    let missing = allocated_to(run, process).into_iter().filter(|q| !queues.contains(q));
    let head = |queue: MessageQueue| {
        match process {
        Process::Classic(client) => head(run, queue, group).filter(|(_, reason)| {
            let of_another = |of: ClientId| of != client.id && client.queues.contains_key(&queue);
            !matches!(*reason, Reason::Handled { client: of, .. } | Reason::Behind { client: of, .. } if of_another(of))
        }),
        Process::Grpc(client) => head_for(run, client, queue),
    }
    };
    let mut heads = queues.iter().copied().chain(missing).filter_map(head);
    if let Some((msg, reason)) = heads.next() {
        return WorkState::Waits { msg, reason };
    }
    if !queues.is_empty() {
        return WorkState::Idle;
    }
    without_queues(run, process)
}

/// Why a process has no queue at all.
fn without_queues(run: &Run<'_>, process: &Process) -> WorkState {
    let names = &run.world.shared.names;
    let topics = owner::subscriptions(run.world, process);
    let of_user = |t: TopicId| names.topics[t.index()].usage == TopicUse::User;
    let user = topics.iter().map(|s| s.topic).filter(|t| of_user(*t));
    let queues: Vec<MessageQueue> = user.flat_map(|t| names.read_queues(t)).collect();
    let unknown = queues.iter().find_map(|queue| {
        let broker = run.world.brokers.get(queue.broker.index())?;
        let members = broker.members(process.group());
        let known = members.is_some_and(|m| m.0.iter().any(|m| m.client == process.id()));
        (!known).then_some(WorkState::NotMember { broker: queue.broker, down: !broker.up })
    });
    if let Some(state) = unknown.filter(|_| process.classic().is_some()) {
        return state;
    }
    if allocated_to(run, process).iter().any(|queue| of_user(queue.topic)) {
        return WorkState::TakesQueues;
    }
    WorkState::NoQueue { others: queues.len().min(usize::from(u16::MAX)) as u16 }
}

/// The `number`-th thread of a consumer, from 0: busy threads come first.
pub(super) fn thread(run: &Run<'_>, client: ClientId, number: u16) -> Option<WorkState> {
    let process = run.world.clients.get(client.index())?;
    let threads = match process {
        Process::Classic(c) => c.threads,
        Process::Grpc(c) => c.threads,
    };
    if number >= threads {
        return None;
    }
    match (process.status(), calls(process).get(usize::from(number))) {
        (Status::Running | Status::Stopping { .. }, Some((msg, until_ms))) => {
            Some(handles(run, process, (*msg, *until_ms)))
        }
        (Status::Running, None) => Some(not_handling(run, process)),
        _ => consumer(run, client),
    }
}

/// The state of messages that were built, of one message group or of all.
pub(super) fn group(run: &Run<'_>, series: Option<MessageGroupId>, group: GroupId) -> GroupState {
    let shared = &run.world.shared;
    let mut first = None;
    let mut waiting = 0;
    for msg in (0..shared.messages.len() as u32).map(MsgId) {
        let message = shared.message(msg);
        if series.is_some_and(|s| s != message.series) {
            continue;
        }
        let reason = message::reason(run, msg, Some(group));
        if !reason.is_over() {
            waiting += 1;
            first = first.or(Some((msg, reason)));
        }
    }
    match first {
        None => GroupState::Quiet,
        Some((msg, reason)) if reason.is_working() => GroupState::Moves { msg, reason, waiting },
        Some((msg, reason)) => GroupState::Waits { msg, reason, waiting },
    }
}
