//! The values that a rule looks at, now, under RocketMQ's names.

use super::branch::is_by_hand;
use super::{message, owner, About, Core, Run};
use crate::fact::Fact;
use crate::ids::{ClientId, GroupId, MessageQueue, Ms, MsgId};
use crate::pop::PopFact;
use crate::process::Process;

/// An amount with its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Amount {
    /// A span in ms.
    Ms(Ms),
    /// An instant.
    Instant(Ms),
    /// What is left of a time, in ms.
    Left(Ms),
    /// A number of things.
    Count(i64),
    /// A place in a queue.
    Offset(i64),
    /// Hours.
    Hours(i64),
    /// Percent.
    Percent(i64),
    /// On or off.
    Switch(bool),
    /// No limit.
    Unlimited,
    /// None.
    Nothing,
    /// A consumer.
    Client(ClientId),
    /// A message.
    Message(MsgId),
}

/// Names of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "they are RocketMQ's names in the catalogue")]
pub enum ValueName {
    MinOffset,
    MaxOffset,
    ConsumerOffset,
    QueueOffset,
    Stored,
    LockOwner,
    LockLeft,
    ClientLockLeft,
    Cached,
    Attempts,
    BusyThreads,
    Threads,
    Members,
    Ordered,
    WaitingUnderLevel,
    HeadDue,
    Queues,
}

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Name.
    pub name: ValueName,
    /// Amount.
    pub amount: Amount,
}

fn value(name: ValueName, amount: Amount) -> Value {
    Value { name, amount }
}

/// The values of what is explained.
pub(super) fn of(run: &Run<'_>, about: About, core: Core) -> Vec<Value> {
    match about {
        About::Message { msg, group } => {
            let mut values = Vec::new();
            if let message::Place::Queue(queue, offset) = message::place(run, msg, group) {
                let store = &run.world.brokers[queue.broker.index()].store;
                // What was lost is not there any more, though its offset may be another's.
                let is_there = store.at(queue, offset).is_some_and(|record| record.msg == msg);
                // By the run's clock: the broker's may be another.
                let stored_ms = stored_ms(run, msg, (queue, offset)).filter(|_| is_there);
                values.extend(stored_ms.map(|ms| value(ValueName::Stored, Amount::Instant(ms))));
                values.push(value(ValueName::QueueOffset, Amount::Offset(offset)));
                values.extend(of_queue(run, group, queue));
            }
            let own = |client: ClientId| Some(run.world.clients[client.index()].group()) == group;
            // What an application gets that calls by hand it has in its hands.
            let attempts = run.ledger.newest_of(msg, run.facts.len()).filter(|i| {
                match run.facts[*i as usize].fact {
                    // Their calls are told when they acknowledge it.
                    Fact::HandlingStarted { client, .. } => {
                        own(client) && !is_by_hand(run.world, client)
                    }
                    Fact::Pop(PopFact::Received { client, .. }) => {
                        own(client) && is_by_hand(run.world, client)
                    }
                    _ => false,
                }
            });
            values.push(value(ValueName::Attempts, Amount::Count(attempts.count() as i64)));
            values
        }
        About::Queue { queue, group } | About::Lock { queue, group } => {
            of_queue(run, Some(group), queue)
        }
        About::Consumer(client) | About::Thread { client, .. } => of_client(run, client),
        About::ConsumerGroup(group) => {
            let members = owner::processes(run.world, group).count() as i64;
            vec![value(ValueName::Members, Amount::Count(members))]
        }
        About::Level(level) => {
            let brokers = &run.world.brokers;
            let count: usize = brokers.iter().map(|b| b.waiting_under(level).count()).sum();
            let due = brokers.iter().filter_map(|b| Some(b.head_due_ms(level)? - b.clock_ahead_ms));
            vec![
                value(ValueName::WaitingUnderLevel, Amount::Count(count as i64)),
                value(ValueName::HeadDue, due.min().map_or(Amount::Nothing, Amount::Instant)),
            ]
        }
        About::MessageGroup { .. } | About::Timer(_) => match core {
            Some((msg, Some(group))) => of(run, About::Message { msg, group: Some(group) }, core),
            _ => Vec::new(),
        },
        About::Command(_) => Vec::new(),
    }
}

/// When a record was stored.
fn stored_ms(run: &Run<'_>, msg: MsgId, (queue, offset): (MessageQueue, i64)) -> Option<Ms> {
    let mut places = run.ledger.places_of(msg, run.facts.len());
    let is_it = |fact: Fact| match fact {
        Fact::MessageStored { queue: of, offset: at, .. }
        | Fact::DeadLettered { queue: of, offset: at, .. } => {
            (of, i64::from(at)) == (queue, offset)
        }
        _ => false,
    };
    places.find_map(|i| Some(run.facts.get(i as usize)?).filter(|r| is_it(r.fact)).map(|r| r.at_ms))
}

fn of_queue(run: &Run<'_>, group: Option<GroupId>, queue: MessageQueue) -> Vec<Value> {
    let world = run.world;
    let Some(broker) = world.brokers.get(queue.broker.index()) else { return Vec::new() };
    let (min, max) = broker.store.range(queue);
    let mut values = vec![
        value(ValueName::MinOffset, Amount::Offset(min)),
        value(ValueName::MaxOffset, Amount::Offset(max)),
    ];
    let Some(group) = group else { return values };
    let recorded = broker.offsets.get(&(group, queue)).copied();
    let consumer = recorded.map_or(Amount::Nothing, Amount::Offset);
    values.push(value(ValueName::ConsumerOffset, consumer));
    if owner::is_grpc(world, group) {
        values
            .push(value(ValueName::Ordered, Amount::Switch(world.shared.group(group).pop.orderly)));
        return values;
    }
    if let Some(lock) = broker.locks.get(group, queue) {
        let live_ms = world.shared.model.rebalance_lock_max_live_time_ms;
        let left_ms = lock.last_update_ms + live_ms - world.now_ms();
        // When it is over, nobody has it.
        if left_ms >= 0 {
            values.push(value(ValueName::LockOwner, Amount::Client(lock.owner)));
            values.push(value(ValueName::LockLeft, Amount::Left(left_ms)));
        }
    }
    if let Some((_, entry)) = owner::holder(world, group, queue) {
        values.push(value(ValueName::Cached, Amount::Count(entry.count() as i64)));
        if entry.locked {
            let live_ms = world.shared.model.client_lock_max_live_time_ms;
            let left_ms = (entry.last_lock_ms + live_ms - world.now_ms()).max(0);
            values.push(value(ValueName::ClientLockLeft, Amount::Left(left_ms)));
        }
    }
    values
}

fn of_client(run: &Run<'_>, client: ClientId) -> Vec<Value> {
    let (busy, threads, queues) = match run.world.clients.get(client.index()) {
        Some(Process::Classic(c)) => (c.busy, c.threads, c.queues.len()),
        Some(Process::Grpc(c)) => {
            (c.busy, c.threads, c.loops.iter().filter(|l| !l.dropped).count())
        }
        None => return Vec::new(),
    };
    vec![
        value(ValueName::BusyThreads, Amount::Count(i64::from(busy))),
        value(ValueName::Threads, Amount::Count(i64::from(threads))),
        value(ValueName::Queues, Amount::Count(queues as i64)),
    ]
}
