//! Disturbances of a run: cuts, stops, refusals and full disks, each with the commands that begin and end
//! it. Whoever leaves one out has to leave out all of its commands: a broker that was not stopped cannot
//! be started.

use super::Run;
use crate::command::Command;
use crate::fact::{Fact, RequestKind};
use crate::ids::{BrokerId, Ms, MsgId, Party};
use crate::pop::{PopCommand, PopFact};

/// A disturbance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Numbers of its commands in the journal: the one that begins it, then the one that ends it.
    pub(super) commands: Vec<u32>,
    /// When it begins.
    pub(super) from_ms: Ms,
    /// When it is over; None = it lasts.
    pub(super) until_ms: Option<Ms>,
}

impl Fault {
    /// The command that begins it.
    pub(super) fn begin<'a>(&self, run: &Run<'a>) -> Option<&'a Command> {
        let index = *self.commands.first()?;
        run.journal.get(index as usize).map(|(_, command)| command)
    }

    /// Whether it was there at any instant of a time.
    pub(super) fn overlaps(&self, (from_ms, until_ms): (Ms, Ms)) -> bool {
        self.from_ms <= until_ms && self.until_ms.is_none_or(|end_ms| end_ms >= from_ms)
    }
}

/// All disturbances that were carried out so far, in the order of their beginnings.
pub(super) fn faults(run: &Run<'_>) -> Vec<Fault> {
    let done = |index: u32| {
        let fact = run.ledger.command(index, run.facts.len())?;
        let record = run.facts.get(fact as usize)?;
        matches!(record.fact, Fact::CommandApplied { .. }).then_some((fact, record.at_ms))
    };
    let all = (0..).zip(run.journal).filter_map(|(index, (_, c))| Some((done(index)?, index, c)));
    let mut all: Vec<((u32, Ms), u32, &Command)> = all.collect();
    all.sort_unstable_by_key(|((fact, _), index, _)| (*fact, *index));
    let begins = all.iter().enumerate().filter(|(_, (_, _, c))| begins(run, c));
    begins
        .map(|(place, ((_, from_ms), index, command))| {
            let end = all[place + 1..].iter().find(|(_, _, c)| ends(run, command, c));
            let commands = [*index].into_iter().chain(end.map(|(_, index, _)| *index)).collect();
            Fault { commands, from_ms: *from_ms, until_ms: end.map(|((_, at_ms), ..)| *at_ms) }
        })
        .collect()
}

/// Whether a broker with so much of its disk in use refuses writes.
pub(super) fn is_too_full(run: &Run<'_>, used_percent: u8) -> bool {
    i64::from(used_percent) > run.world.shared.model.disk_space_warning_level_ratio_percent
}

fn begins(run: &Run<'_>, command: &Command) -> bool {
    match command {
        Command::SetDisk { used_percent, .. } => is_too_full(run, *used_percent),
        Command::Cut { .. }
        | Command::DropNext { .. }
        | Command::StopBroker { .. }
        | Command::SetLatency { .. }
        | Command::Pop(
            PopCommand::RunProxy { up: false, .. } | PopCommand::FailRequests { code: Some(_), .. },
        ) => true,
        _ => false,
    }
}

/// Whether a command ends what another one began.
fn ends(run: &Run<'_>, begin: &Command, end: &Command) -> bool {
    match (begin, end) {
        (Command::Cut { a, b }, Command::Heal { a: x, b: y }) => {
            (a, b) == (x, y) || (a, b) == (y, x)
        }
        (Command::StopBroker { broker, .. }, Command::StartBroker { broker: of }) => {
            named(run, broker) == named(run, of)
        }
        (Command::SetDisk { broker, .. }, Command::SetDisk { broker: of, used_percent }) => {
            !is_too_full(run, *used_percent) && (of.is_none() || of == broker)
        }
        (
            Command::Pop(PopCommand::RunProxy { proxy, .. }),
            Command::Pop(PopCommand::RunProxy { proxy: of, up: true }),
        ) => proxy == of,
        (
            Command::Pop(PopCommand::FailRequests { proxy, request, .. }),
            Command::Pop(PopCommand::FailRequests { proxy: of, request: what, code: None }),
        ) => (proxy, request) == (of, what),
        _ => false,
    }
}

/// The broker of a command about brokers; None is the first.
fn named<'a>(run: &Run<'a>, broker: &'a Option<String>) -> Option<&'a str> {
    let first = run.world.shared.names.brokers.first().map(String::as_str);
    broker.as_deref().or(first)
}

/// Whether a command about a broker, or about all of them, is about this one.
pub(super) fn is_of_broker(run: &Run<'_>, of: &Option<String>, broker: BrokerId) -> bool {
    named(run, of) == run.world.shared.names.brokers.get(broker.index()).map(String::as_str)
}

/// Whether a command, which begins a disturbance, stands in the way of requests of a kind between some
/// parties.
pub(super) fn disturbs(
    run: &Run<'_>,
    command: &Command,
    path: &[Party],
    kind: RequestKind,
) -> bool {
    let names = &run.world.shared.names;
    let on_path = |name: &str| path.iter().any(|party| names.party_name(*party) == name);
    let any = |name: &Option<String>| name.as_deref().is_none_or(on_path);
    match command {
        Command::Cut { a, b } => on_path(a) && on_path(b),
        Command::DropNext { from, to, .. } | Command::SetLatency { from, to, .. } => {
            any(from) && any(to)
        }
        Command::StopBroker { broker, .. } => named(run, broker).is_some_and(on_path),
        Command::SetDisk { broker, .. } => any(broker),
        Command::Pop(PopCommand::RunProxy { proxy, .. }) => on_path(proxy),
        Command::Pop(PopCommand::FailRequests { proxy, request, .. }) => {
            on_path(proxy) && *request == kind
        }
        _ => false,
    }
}

/// What stood in the way of requests of a kind between some parties at any instant of a time.
pub(super) fn between(
    run: &Run<'_>,
    path: &[Party],
    kind: RequestKind,
    time: (Ms, Ms),
) -> Vec<Fault> {
    let all = faults(run).into_iter().filter(|fault| fault.overlaps(time));
    let concerns = |fault: &Fault| fault.begin(run).is_some_and(|c| disturbs(run, c, path, kind));
    all.filter(concerns).collect()
}

/// Parties that a message passes on its way to be stored: its producer, the proxy that this one speaks
/// to, and the brokers that it was sent to; all brokers while that is not known.
pub(super) fn way_of(run: &Run<'_>, msg: MsgId) -> Vec<Party> {
    let shared = &run.world.shared;
    let producer = shared.message(msg).producer;
    let mut way = vec![Party::Producer(producer)];
    let sender = run.world.producers.get(producer.index());
    way.extend(sender.and_then(|p| p.speaks_to(shared)).map(Party::Proxy));
    let sent = run.ledger.newest_of(msg, run.facts.len()).filter_map(|i| {
        match run.facts.get(i as usize)?.fact {
            Fact::SendStarted { queue, .. } | Fact::Pop(PopFact::EndpointChosen { queue, .. }) => {
                Some(Party::Broker(queue.broker))
            }
            _ => None,
        }
    });
    let mut brokers: Vec<Party> = sent.collect();
    brokers.sort_unstable();
    brokers.dedup();
    if brokers.is_empty() {
        brokers = run.world.brokers.iter().map(|broker| Party::Broker(broker.id)).collect();
    }
    way.extend(brokers);
    way
}

/// What stood in the way of a message from when it was built until an instant.
pub(super) fn on_the_way(run: &Run<'_>, msg: MsgId, until_ms: Ms) -> Vec<Fault> {
    let built_ms = run.world.shared.message(msg).built_ms;
    // What was lost before may be on its way again; a rule for packets to come lasts until it is used.
    between(run, &way_of(run, msg), RequestKind::Send, (built_ms, until_ms))
}

/// The broker with a disk that was too full for writes when a fact happened, among those that a message
/// was sent to before it.
pub(super) fn full_for(run: &Run<'_>, msg: MsgId, fact: u32) -> Option<BrokerId> {
    let at_ms = run.facts.get(fact as usize)?.at_ms;
    let before = run.ledger.newest_of(msg, fact as usize);
    let mut sent = before.filter_map(|i| match run.facts.get(i as usize)?.fact {
        Fact::SendStarted { queue, .. } => Some(queue.broker),
        _ => None,
    });
    let last = sent.next()?;
    disks(run, last).iter().any(|fault| fault.overlaps((at_ms, at_ms))).then_some(last)
}

/// Parties that what a consumer reads passes: the consumer, its proxy, the brokers.
pub(super) fn way_of_consumer(run: &Run<'_>, client: crate::ids::ClientId) -> Vec<Party> {
    let process = run.world.clients.get(client.index());
    let proxy =
        process.and_then(crate::process::Process::grpc).map(|grpc| Party::Proxy(grpc.proxy));
    let brokers = run.world.brokers.iter().map(|broker| Party::Broker(broker.id));
    [Party::Client(client)].into_iter().chain(proxy).chain(brokers).collect()
}

/// The times in which the disk of a broker was too full for writes.
pub(super) fn disks(run: &Run<'_>, broker: BrokerId) -> Vec<Fault> {
    let is_it = |fault: &Fault| match fault.begin(run) {
        Some(Command::SetDisk { broker: of, .. }) => of.is_none() || is_of_broker(run, of, broker),
        _ => false,
    };
    faults(run).into_iter().filter(is_it).collect()
}
