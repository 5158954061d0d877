//! Who reads what: groups of a topic, processes of a group, the consumer that has a queue, the one
//! that it is allocated to.

use std::rc::Rc;

use super::Run;
use crate::allocate::averagely;
use crate::client::{Client, ProcessQueue, Status};
use crate::event::Cached;
use crate::fact::{Fact, StopKind};
use crate::grpc::Handle;
use crate::ids::{ClientId, GroupId, MessageQueue, MsgId, TopicId};
use crate::process::Process;
use crate::shared::{Subscribed, TopicUse};
use crate::world::World;

/// Consumer groups that subscribe to a topic, or of which a member does.
pub(super) fn readers(world: &World, topic: TopicId) -> Vec<GroupId> {
    let groups = (0..world.shared.names.groups.len() as u16).map(GroupId);
    groups.filter(|group| reads(world, *group, topic)).collect()
}

/// Whether a consumer group subscribes to a topic, or a member of it does.
pub(super) fn reads(world: &World, group: GroupId, topic: TopicId) -> bool {
    let names = &world.shared.names;
    let has = |list: &[Subscribed]| list.iter().any(|s| s.topic == topic);
    has(&names.groups[group.index()].subscriptions)
        || !names.own_subscriptions.is_empty()
            && processes(world, group).any(|p| has(&subscriptions(world, p)))
}

/// What a process subscribes to now.
pub(super) fn subscriptions(world: &World, process: &Process) -> Rc<[Subscribed]> {
    match process {
        Process::Classic(client) => Rc::clone(&client.subscriptions),
        Process::Grpc(client) => client.reads(&world.shared),
    }
}

/// Processes of a group that have not ended, standing ones included, in order of their start.
pub(super) fn processes(world: &World, group: GroupId) -> impl Iterator<Item = &Process> {
    let alive = |p: &&Process| !matches!(p.status(), Status::Ended(_));
    world.clients.iter().filter(move |p| p.group() == group).filter(alive)
}

/// The process of a group that went last, of those that have ended, and how it ended.
pub(super) fn last_gone(run: &Run<'_>, group: GroupId) -> Option<(ClientId, StopKind)> {
    let ended = run.world.clients.iter().filter_map(|process| match process.status() {
        Status::Ended(how) if process.group() == group => Some((process.id(), how)),
        _ => None,
    });
    let went = |client: ClientId| {
        let is_end = |index: &u32| match run.facts.get(*index as usize).map(|r| r.fact) {
            Some(Fact::ConsumerStopped { client: of, .. }) => of == client,
            _ => false,
        };
        run.ledger.newest_of_client(client, run.facts.len()).find(is_end)
    };
    ended.max_by_key(|(client, _)| (went(*client), *client))
}

/// Whether a group consumes by POP: as its newest process does, a live one first.
pub(super) fn is_grpc(world: &World, group: GroupId) -> bool {
    let newest = processes(world, group).last();
    let ended = || world.clients.iter().rfind(|p| p.group() == group);
    newest.or_else(ended).is_some_and(|p| p.grpc().is_some())
}

/// The classic consumer that has a queue in its table, one that still counts first. Of two that think
/// so the one that stands still, or to which the broker's lock does not belong, was overtaken.
pub(super) fn holder(
    world: &World,
    group: GroupId,
    queue: MessageQueue,
) -> Option<(&Client, &ProcessQueue)> {
    let locks = world.brokers.get(queue.broker.index()).map(|broker| &broker.locks);
    let lock = locks.and_then(|locks| locks.get(group, queue)).map(|lock| lock.owner);
    processes(world, group)
        .filter_map(Process::classic)
        .filter_map(|client| Some((client, &**client.queues.get(&queue)?)))
        .min_by_key(|(client, entry)| {
            let stands = client.status == Status::Hanging;
            (entry.dropped, stands, lock.is_some_and(|owner| owner != client.id), client.id)
        })
}

/// The next offset of a group on a queue: as its owner knows it, else as the broker does.
pub(super) fn next_offset(world: &World, group: GroupId, queue: MessageQueue) -> Option<i64> {
    let recorded =
        || world.brokers.get(queue.broker.index())?.offsets.get(&(group, queue)).copied();
    holder(world, group, queue)
        .filter(|(_, entry)| !entry.dropped)
        .and_then(|(client, entry)| {
            let own = client.offsets.get(&queue).copied();
            let own = own.filter(|_| {
                entry.offset_confirmed || client.listener != crate::command::ListenerKind::Orderly
            });
            // Others may have gone on while it stands still.
            match client.status {
                Status::Hanging => own.max(recorded()),
                _ => own,
            }
        })
        .or_else(recorded)
}

/// The message that stands first for a group in a queue, and its offset: of all that it wants and has
/// not finished the lowest.
pub(crate) fn first_unfinished(
    world: &World,
    group: GroupId,
    queue: MessageQueue,
) -> Option<(MsgId, i64)> {
    let store = &world.brokers.get(queue.broker.index())?.store;
    let next = next_offset(world, group, queue).unwrap_or(store.range(queue).0);
    if let Some(open) = super::grpc::lowest_open(world, group, queue).filter(|open| *open < next) {
        return store.at(queue, open).map(|record| (record.msg, open));
    }
    let ahead = next..store.range(queue).1;
    let mut ahead = ahead.filter_map(|offset| Some((store.at(queue, offset)?.msg, offset)));
    ahead.find(|(msg, _)| wants(world, group, queue, *msg))
}

/// Whether a consumer of the group has the record at an offset: in its cache, or at work on it.
pub(super) fn has_in_hand(
    world: &World,
    group: GroupId,
    (queue, offset): (MessageQueue, i64),
) -> bool {
    let has = |process: &Process| match process {
        Process::Classic(client) => {
            let entry = client.queues.get(&queue);
            let mut calls = client.calls.iter().filter(|c| c.queue == queue);
            entry.is_some_and(|entry| entry.contains(offset))
                || calls.any(|c| c.batch.iter().any(|m| m.offset == offset))
        }
        // What it had in hand when it came to stand still is given to others when it is visible again.
        Process::Grpc(client) => {
            let awake = client.status != Status::Hanging;
            let mut calls = client.calls.iter().map(|c| c.delivery.handle);
            awake && calls.any(|h| h.queue == queue && h.offset == offset)
        }
    };
    processes(world, group).any(has)
}

/// A process of the group, which has not ended, that has a message as the copy at an offset: in a call, in
/// its cache, or in the hands of its application. What stands in its queue's store has no part in it.
pub(crate) fn holding(
    world: &World,
    group: GroupId,
    (msg, queue, offset): (MsgId, MessageQueue, i64),
) -> Option<&Process> {
    let is_it = |m: &Cached| m.offset == offset && m.msg == msg;
    let is_handle = |h: &Handle| (h.msg, h.queue, h.offset) == (msg, queue, offset);
    processes(world, group).find(|process| match process {
        Process::Classic(client) => {
            let entry = client.queues.get(&queue).filter(|entry| !entry.dropped);
            let mut calls = client.calls.iter().filter(|call| call.queue == queue);
            calls.any(|call| call.batch.iter().any(is_it))
                || entry
                    .is_some_and(|e| e.at(offset).is_some_and(is_it) || e.taken().iter().any(is_it))
        }
        Process::Grpc(client) => {
            let calls = client.calls.iter().map(|c| &c.delivery);
            let lanes = client.lanes.iter().flat_map(|lane| &lane.messages);
            calls.chain(lanes).chain(&client.held).any(|d| is_handle(&d.handle))
        }
    })
}

/// The lowest record of a queue that a consumer of the group handles or holds.
pub(super) fn lowest_in_hands(world: &World, group: GroupId, queue: MessageQueue) -> Option<i64> {
    let of = |process: &Process| match process {
        Process::Classic(client) => {
            let calls = client.calls.iter().filter(|c| c.queue == queue);
            calls.flat_map(|c| c.batch.iter().map(|m| m.offset)).min()
        }
        Process::Grpc(client) => {
            let calls = client.calls.iter().map(|c| c.delivery.handle);
            let lanes = client.lanes.iter().flat_map(|l| l.messages.iter().map(|d| d.handle));
            let held = client.held.iter().map(|d| d.handle);
            let all = calls.chain(lanes).chain(held).filter(|h| h.queue == queue);
            all.map(|h| h.offset).min()
        }
    };
    processes(world, group).filter_map(of).min()
}

/// The member that the allocation of a queue falls to, by the broker's member list.
pub(super) fn allocated(world: &World, group: GroupId, queue: MessageQueue) -> Option<ClientId> {
    let broker = world.brokers.get(queue.broker.index())?;
    let names = &world.shared.names;
    let mut members: Vec<ClientId> =
        broker.members(group)?.0.iter().map(|member| member.client).collect();
    members.sort_by_key(|c| (&names.clients[c.index()], *c));
    let queues = world.shared.name_server.route(names, queue.topic).read_list(queue.topic);
    let count = members.len();
    (0..count).find(|i| averagely(&queues, count, *i).contains(&queue)).map(|i| members[i])
}

/// Whether a group wants a message by its tag, as the broker's table has it now, or else as the
/// group is configured.
pub(super) fn wants(world: &World, group: GroupId, queue: MessageQueue, msg: MsgId) -> bool {
    let usage = world.shared.names.topics[queue.topic.index()].usage;
    if usage != TopicUse::User {
        return true;
    }
    let tag = world.shared.message(msg).tag;
    let lets = |tags: &[u16]| tags.is_empty() || tags.contains(&tag);
    let broker = world.brokers.get(queue.broker.index());
    let by_table = broker.and_then(|b| b.subscribed(group, queue));
    let by_members = processes(world, group).all(|process| {
        let all = subscriptions(world, process);
        all.iter().find(|s| s.topic == queue.topic).is_none_or(|s| lets(&s.tags))
    });
    let of_group = world.shared.group(group).subscriptions.iter().find(|s| s.topic == queue.topic);
    by_table.is_none_or(|known| lets(&known.tags))
        && by_members
        && of_group.is_none_or(|s| lets(&s.tags))
}

/// Whether the next read of a queue passes over a message for its tag: the broker filters by the group's
/// table and the classic consumer that has the queue by its own subscription; by POP whoever reads.
pub(super) fn passes_over(world: &World, group: GroupId, queue: MessageQueue, msg: MsgId) -> bool {
    if world.shared.names.topics[queue.topic.index()].usage != TopicUse::User {
        return false;
    }
    let tag = world.shared.message(msg).tag;
    let lets = |tags: &[u16]| tags.is_empty() || tags.contains(&tag);
    let wants = |process: &Process| {
        let all = subscriptions(world, process);
        all.iter().find(|s| s.topic == queue.topic).is_none_or(|s| lets(&s.tags))
    };
    if is_grpc(world, group) {
        let mut all = processes(world, group).peekable();
        return all.peek().is_some() && !all.any(wants);
    }
    let broker = world.brokers.get(queue.broker.index());
    let holder = holder(world, group, queue).map(|(client, _)| client);
    let version_ms = holder.and_then(|client| client.sub_version_ms(queue.topic));
    // By a table that is older than the subscription nothing is read.
    let by_table = broker.and_then(|b| b.subscribed(group, queue));
    let by_table = by_table.filter(|known| Some(known.version_ms) >= version_ms);
    let own = holder.and_then(|client| world.clients.get(client.id.index()));
    by_table.is_some_and(|known| !lets(&known.tags)) || own.is_some_and(|own| !wants(own))
}
