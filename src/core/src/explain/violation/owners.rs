//! What would have kept two consumers of a group from working on one queue at once.

use super::repairs::{at_creation, longer_invisible, orderly_listener, without_hangs};
use crate::command::{Attempts, Command, GroupSetting, HandlerRule, ListenerKind};
use crate::explain::faults::{self, Fault};
use crate::explain::{Change, Run};
use crate::fact::{Fact, RequestKind, StopKind};
use crate::guarantee::Missing;
use crate::ids::{ClientId, MessageQueue, Ms, MsgId, Party};

/// How long a stop waits for its listeners, ms: longer than the work of any scenario here.
const AWAIT_MS: Ms = 60_000;

/// What keeps `by` from a queue while `from` is still at work on it: the setting, and the change of this
/// run. It depends on how the queue came from the one to the other.
pub(in crate::explain) fn apart(
    run: &Run<'_>,
    from: ClientId,
    by: ClientId,
) -> (Option<Missing>, Option<Change>) {
    let Some(process) = run.world.clients.get(from.index()) else { return (None, None) };
    let group = process.group();
    // Of different stacks nothing keeps the one from what the other has: the lock binds one of them only.
    let other = run.world.clients.get(by.index());
    if other.is_some_and(|other| other.grpc().is_some() != process.grpc().is_some()) {
        return (None, None);
    }
    if process.grpc().is_some() {
        return (None, longer_invisible(run, from));
    }
    let Some(overlap) = overlap(run, from, by) else { return (None, None) };
    let hung = [from, by].into_iter().find(|c| stopped(run, *c, StopKind::Hang, overlap.begun));
    if let Some(hung) = hung {
        let name = &run.world.shared.names.clients[hung.index()];
        return (None, without_hangs(run, name));
    }
    if stopped(run, from, StopKind::Clean, overlap.begun) {
        let waits = at_creation(run, group, GroupSetting::AwaitTerminationMs(AWAIT_MS));
        return (Some(Missing::AwaitTermination(group)), waits);
    }
    // Nobody stopped: the queue moved by a rebalance. A concurrent listener is not waited for, and there
    // is no lock that the other one would have to get.
    let concurrent = run.world.shared.group(group).listener == ListenerKind::Concurrent;
    if concurrent && !overlap.is_long(run, from) {
        return (Some(Missing::OrderlyListener(group)), orderly_listener(run, group));
    }
    // An orderly one is waited for in one round, then its lock is given back by force, or runs out
    // unrenewed.
    (None, connected(run, [from, by], overlap.begun).or_else(|| Some(shorter(run, overlap.msg))))
}

/// What kept two consumers from their brokers before a fact, for as long as a lock lives, left out.
fn connected(run: &Run<'_>, both: [ClientId; 2], begun: u32) -> Option<Change> {
    let at_ms = run.facts.get(begun as usize)?.at_ms;
    let live_ms = run.world.shared.model.rebalance_lock_max_live_time_ms;
    let way: Vec<Party> = both.iter().flat_map(|c| faults::way_of_consumer(run, *c)).collect();
    let all = faults::between(run, &way, RequestKind::Lock, (at_ms - live_ms, at_ms));
    let stops = |fault: &Fault| {
        matches!(fault.begin(run), Some(Command::Cut { .. } | Command::StopBroker { .. }))
    };
    let commands: Vec<u32> = all.into_iter().filter(stops).flat_map(|f| f.commands).collect();
    (!commands.is_empty()).then_some(Change::Without(commands))
}

/// Two calls at once.
struct Overlap {
    /// The message that the first consumer was still handling.
    msg: MsgId,
    /// The fact by which the second one began.
    begun: u32,
}

impl Overlap {
    /// Whether the call of the first consumer outlasts a round, for which an orderly listener waits.
    fn is_long(&self, run: &Run<'_>, from: ClientId) -> bool {
        let of = |i: u32| run.facts.get(i as usize);
        let ends = |f: &Fact| matches!(f, Fact::HandlingEnded { client, .. } if *client == from);
        let began = |f: &Fact| matches!(f, Fact::HandlingStarted { client, .. } if *client == from);
        let list = run.ledger.message(self.msg, run.facts.len());
        let ended =
            list.iter().find(|i| **i > self.begun && of(**i).is_some_and(|r| ends(&r.fact)));
        let start =
            list.iter().rev().find(|i| **i < self.begun && of(**i).is_some_and(|r| began(&r.fact)));
        let at = |i: Option<&u32>| i.and_then(|i| of(*i)).map(|r| r.at_ms);
        let round_ms = run.world.shared.model.rebalance_wait_interval_ms;
        let until_ms = at(ended).unwrap_or(Ms::MAX);
        until_ms.saturating_sub(at(start).unwrap_or(0)) >= round_ms
    }
}

/// The first time that `by` began a message of a queue while `from` was at work on it.
fn overlap(run: &Run<'_>, from: ClientId, by: ClientId) -> Option<Overlap> {
    let mut open: Vec<(MessageQueue, MsgId)> = Vec::new();
    for (index, record) in run.facts.iter().enumerate() {
        match record.fact {
            Fact::HandlingStarted { client, queue, msg, .. } if client == from => {
                open.push((queue, msg));
            }
            Fact::HandlingEnded { client, queue, msg, .. } if client == from => {
                open.retain(|call| *call != (queue, msg));
            }
            Fact::HandlingStarted { client, queue, .. } if client == by => {
                if let Some((_, msg)) = open.iter().find(|(of, _)| *of == queue) {
                    return Some(Overlap { msg: *msg, begun: index as u32 });
                }
            }
            // Who goes on after a standstill is at work again, on what it had.
            Fact::ConsumerResumed { client } if client == by => {
                if let Some((_, msg)) = open.first() {
                    return Some(Overlap { msg: *msg, begun: index as u32 });
                }
            }
            _ => {}
        }
    }
    None
}

/// The fact by which a consumer began the message of a queue that it was handling at a fact.
pub(super) fn open_call(
    run: &Run<'_>,
    (client, queue): (ClientId, MessageQueue),
    before: u32,
) -> Option<u32> {
    let mut open: Vec<(u32, MsgId)> = Vec::new();
    for (index, record) in (0..before).zip(run.facts) {
        match record.fact {
            Fact::HandlingStarted { client: of, queue: from, msg, .. }
                if (of, from) == (client, queue) =>
            {
                open.push((index, msg));
            }
            Fact::HandlingEnded { client: of, msg, .. } if of == client => {
                open.retain(|(_, call)| *call != msg);
            }
            _ => {}
        }
    }
    open.first().map(|(index, _)| *index)
}

/// Whether a process ended, or came to stand still, in a way before a fact.
fn stopped(run: &Run<'_>, client: ClientId, wanted: StopKind, before: u32) -> bool {
    let mut facts = run.ledger.newest_of_client(client, before as usize);
    facts.any(|i| {
        let fact = run.facts.get(i as usize).map(|record| record.fact);
        matches!(fact, Some(Fact::ConsumerStopped { how, .. }) if how == wanted)
    })
}

/// The work for a message takes no time.
fn shorter(run: &Run<'_>, msg: MsgId) -> Change {
    let shared = &run.world.shared;
    let rule = HandlerRule {
        group: None,
        client: None,
        label: Some(shared.label(msg)),
        attempts: Attempts::All,
        outcome: None,
        handle_ms: Some(0),
    };
    Change::From { at_ms: shared.message(msg).built_ms, commands: vec![Command::Handle(rule)] }
}
