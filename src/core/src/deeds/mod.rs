//! What people can do by hand to a run that stands or plays: for each thing the commands that make sense
//! at the present instant. Each of them is a statement of the scenario language, and none would be
//! refused: it is tried on a copy of the world before it is offered.

mod consumers;
mod goes;
mod machines;
mod messages;
mod send;

pub use send::{next_of, Delay, Draft, Field, Wrong, MOST_AT_ONCE};

use crate::command::Command;
use crate::explain::Run;
use crate::ids::{BrokerId, GroupId, Party, ProxyId};
use crate::process::Process;
use crate::view::Subject;

/// What something can be done to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum On {
    /// A thing of the stage.
    Subject(Subject),
    /// A broker.
    Broker(BrokerId),
    /// A proxy.
    Proxy(ProxyId),
}

/// What kind of deed it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// A message is sent.
    Send,
    /// Something goes on again, or gets better.
    Mend,
    /// Something fails.
    Fault,
    /// Operators or applications do what they do in a healthy system too.
    Change,
}

/// Something that can be done now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deed {
    /// Its kind.
    pub sort: Sort,
    /// What does it.
    pub command: Command,
}

/// What can be done to a thing at the instant of the run's world. `group` is the consumer group that is
/// looked at.
pub fn deeds(run: &Run<'_>, on: On, group: Option<GroupId>) -> Vec<Deed> {
    let mut making = Making { run, found: Vec::new() };
    match on {
        On::Broker(broker) => making.broker(broker),
        On::Proxy(proxy) => making.proxy(proxy),
        On::Subject(subject) if !subject.is_in(run.world) => {}
        On::Subject(subject) => match subject {
            Subject::Message(msg) => making.message(msg, group),
            Subject::MessageGroup(series) => making.send_next(series),
            Subject::Queue(queue) | Subject::Lock(queue) => making.queue(queue, group),
            Subject::Client(client) => making.consumer(client),
            Subject::Producer(producer) => making.producer(producer),
            Subject::Level(_) => {}
        },
    }
    let mut found = making.found;
    found.retain(|deed| is_taken(run, &deed.command));
    found
}

/// The machinery behind a thing, whose deeds are listed with its own: the brokers of a queue or a delay
/// level, the owner of a lock.
pub fn behind(run: &Run<'_>, on: On, group: Option<GroupId>) -> Vec<On> {
    let world = run.world;
    match on {
        On::Subject(Subject::Queue(queue)) => vec![On::Broker(queue.broker)],
        On::Subject(Subject::Lock(queue)) => {
            let locks = world.brokers.get(queue.broker.index()).map(|broker| &broker.locks);
            let held = group.and_then(|group| locks?.get(group, queue));
            let owner = held.map(|entry| On::Subject(Subject::Client(entry.owner)));
            owner.into_iter().chain([On::Broker(queue.broker)]).collect()
        }
        On::Subject(Subject::Level(_)) => {
            world.brokers.iter().map(|broker| On::Broker(broker.id)).collect()
        }
        _ => Vec::new(),
    }
}

/// Everything that a fault can be caused to: brokers, proxies that somebody speaks to, consumers by their
/// latest process, producers.
pub fn machinery(run: &Run<'_>) -> Vec<On> {
    let (world, names) = (run.world, &run.world.shared.names);
    let latest = |process: &&Process| {
        names.client(&names.clients[process.id().index()]) == Some(process.id())
    };
    let consumers = world.clients.iter().filter(latest).map(|p| Subject::Client(p.id()));
    let producers = world.producers.iter().map(|producer| Subject::Producer(producer.id));
    let brokers = world.brokers.iter().map(|broker| On::Broker(broker.id));
    let proxies = world.proxies.iter().map(|proxy| proxy.id).filter(|id| is_used(run, *id));
    brokers
        .chain(consumers.map(On::Subject))
        .chain(proxies.map(On::Proxy))
        .chain(producers.map(On::Subject))
        .collect()
}

/// Whether a consumer or a producer speaks to a proxy.
fn is_used(run: &Run<'_>, proxy: ProxyId) -> bool {
    let world = run.world;
    let by_consumer = world.clients.iter().any(|p| p.grpc().is_some_and(|c| c.proxy == proxy));
    by_consumer || world.producers.iter().any(|p| p.speaks_to(&world.shared) == Some(proxy))
}

/// Whether a world carries a command out. It is tried on a copy.
fn is_taken(run: &Run<'_>, command: &Command) -> bool {
    let mut world = run.world.clone();
    let index = run.journal.len() as u32;
    world.apply_now(index, command);
    !world.shared.refusals.contains_key(&index)
}

/// Collects what can be done.
struct Making<'r, 'a> {
    run: &'r Run<'a>,
    found: Vec<Deed>,
}

impl Making<'_, '_> {
    fn add(&mut self, sort: Sort, command: Command) {
        self.found.push(Deed { sort, command });
    }

    fn party_name(&self, party: Party) -> String {
        self.run.world.shared.names.party_name(party).to_owned()
    }

    /// Cuts two parties off from each other, or heals that.
    fn cut(&mut self, a: Party, b: Party) {
        let (a_name, b_name) = (self.party_name(a), self.party_name(b));
        match self.run.world.shared.net.is_cut(a, b) {
            true => self.add(Sort::Mend, Command::Heal { a: a_name, b: b_name }),
            false => self.add(Sort::Fault, Command::Cut { a: a_name, b: b_name }),
        }
    }

    /// Sets a wall clock ahead, or right again.
    fn clock(&mut self, party: String, ahead_ms: i64) {
        // More than the 30 s after which a client no longer trusts its lock.
        const AHEAD_MS: i64 = 40_000;
        match ahead_ms {
            0 => self.add(Sort::Fault, Command::SetClock { party, ahead_ms: AHEAD_MS }),
            _ => self.add(Sort::Mend, Command::SetClock { party, ahead_ms: 0 }),
        }
    }

    /// Loses the next packet of a kind, unless one is about to be lost already.
    fn lose(&mut self, kind: crate::event::PacketKind, from: Party, to: Party) {
        let drops = self.run.world.shared.net.drops();
        let waits = |rule: &crate::net::DropRule| {
            rule.kind == kind && rule.left > 0 && (rule.from, rule.to) == (Some(from), Some(to))
        };
        if !drops.iter().any(waits) {
            let (from, to) = (Some(self.party_name(from)), Some(self.party_name(to)));
            let command = Command::DropNext { from, to, kind, count: 1, noticed: false };
            self.add(Sort::Fault, command);
        }
    }
}
