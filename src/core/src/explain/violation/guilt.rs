//! What made it possible that a message came before one that was stored earlier, and which step did.

use super::{last, place_in_queue, started, stored, until, Guilt};
use crate::check::Violation;
use crate::command::{Command, ListenerKind, Selector};
use crate::explain::{resets, Run};
use crate::fact::{Fact, Outcome};
use crate::ids::{BrokerId, ClientId, GroupId, MsgId};
use crate::pop::{GrpcKind, PopCommand, PopFact, SimpleMode};

/// What made it possible that `later` began before `earlier` was finished, and the guilty step.
pub(super) fn guilt(
    run: &Run<'_>,
    violation: &Violation,
    group: GroupId,
    earlier: MsgId,
    later: MsgId,
) -> Option<(Guilt, u32)> {
    let count = until(run, violation);
    let started = started(run, violation)?;
    let (first, queue) = stored(run, earlier, count)?;
    let (second, other) = stored(run, later, count)?;
    if queue != other {
        return Some((scattered(run, (earlier, later), (first, second)), first.max(second)));
    }
    let mine = |c: ClientId| run.world.clients.get(c.index()).is_some_and(|p| p.group() == group);
    let offset = place_in_queue(run, first);
    let skips = |fact: &Fact| matches!(fact, Fact::OffsetReset { group: of, offset: to, .. } if *of == group && *to > offset);
    let mut of_queue = run.ledger.newest_of_queue(queue, count);
    let reset = of_queue.find(|i| skips(&run.facts[*i as usize].fact) && !resets::is_lost(run, *i));
    let of_earlier = run.ledger.message(earlier, count);
    let begun = last(
        run,
        &of_earlier,
        |f| matches!(f, Fact::HandlingStarted { client, .. } if mine(*client)),
    );
    if let Some(reset) = reset.filter(|reset| *reset < started) {
        return Some((Guilt::Reset { group }, reset));
    }
    let of_group = run.world.shared.group(group);
    let client = match run.facts[started as usize].fact {
        Fact::HandlingStarted { client, .. } => client,
        _ => return None,
    };
    let grpc = run.world.clients.get(client.index()).is_some_and(|p| p.grpc().is_some());
    if grpc && in_one_receive(run, client, (earlier, later), count) {
        return Some((Guilt::Application { client }, started));
    }
    if grpc && !of_group.pop.orderly {
        let is_pop = |i: &&u32| {
            let record = run.facts.get(**i as usize);
            record.is_some_and(
                |r| matches!(r.fact, Fact::Pop(PopFact::Popped { group: of, .. }) if of == group),
            )
        };
        let popped = run.ledger.message(later, count).iter().find(is_pop).copied();
        let back = last(
            run,
            &of_earlier,
            |f| matches!(f, Fact::Pop(PopFact::Revived { group: of, .. }) if *of == group),
        );
        // It failed before the other one was begun, and was left to the retry topic.
        let failed = last(run, &of_earlier, |f| {
            matches!(f, Fact::HandlingStarted { .. } | Fact::Pop(PopFact::AttemptFailed { .. }))
        });
        let failed = failed.filter(|fact| {
            *fact < started && matches!(run.facts[*fact as usize].fact, Fact::Pop(PopFact::AttemptFailed { client, .. }) if mine(client))
        });
        if let Some(failed) = failed {
            return Some((Guilt::CameBack { group }, failed));
        }
        let step = popped.unwrap_or(started);
        // It came back before the other one was even handed out: the retry topic lost the order.
        return Some(match back.filter(|back| *back < step) {
            Some(back) => (Guilt::CameBack { group }, back),
            None => (Guilt::UnorderedGroup { group }, step),
        });
    }
    if !grpc && of_group.listener == ListenerKind::Concurrent {
        let back =
            last(run, &of_earlier, |f| matches!(f, Fact::SentBack { client, .. } if mine(*client)));
        return Some(match back.filter(|back| *back < started) {
            Some(back) => (Guilt::SentBack { group }, back),
            None => (Guilt::ConcurrentListener { group }, started),
        });
    }
    if let Some(back) = to_retry_topic(run, group, earlier, started) {
        return Some((Guilt::ToRetryTopic { group, msg: earlier }, back));
    }
    let other_owner = begun.and_then(|begun| match run.facts[begun as usize].fact {
        Fact::HandlingStarted { client: first, .. } if first != client => Some(first),
        _ => None,
    });
    if let Some(from) = other_owner {
        let added = last(
            run,
            &run.ledger.queue(queue, started as usize),
            |f| matches!(f, Fact::QueueAdded { client: c, .. } if *c == client),
        );
        return Some((Guilt::TakenOver { from, by: client }, added.unwrap_or(started)));
    }
    Some((Guilt::Application { client }, started))
}

/// The fact by which a message came into the retry topic after its last call by a classic consumer of
/// the group had failed, and which its queue then went on without; `before`: a fact before which it was.
fn to_retry_topic(run: &Run<'_>, group: GroupId, msg: MsgId, before: u32) -> Option<u32> {
    let mine = |c: ClientId| run.world.clients.get(c.index()).is_some_and(|p| p.group() == group);
    let retry = run.world.shared.group(group).retry_topic;
    let mut list = run.ledger.message(msg, before as usize);
    list.reverse();
    let fact = |i: &u32| run.facts.get(*i as usize).map(|r| r.fact);
    let mut back = None;
    // Without autocommit what is taken waits for a COMMIT, and the next one follows all the same.
    let mut counted = !run.world.shared.group(group).auto_commit;
    for index in list {
        match fact(&index)? {
            Fact::MessageAcknowledged { client, .. } if mine(client) => counted = true,
            Fact::MessageScheduled { dead_for: None, .. } => back = back.or(Some(index)),
            Fact::MessageStored { queue, .. } if queue.topic == retry => {
                back = back.or(Some(index))
            }
            Fact::DeadLettered { group: of, .. }
            | Fact::MessageScheduled { dead_for: Some(of), .. }
                if of == group =>
            {
                return None;
            }
            Fact::HandlingEnded { client, outcome, .. } if mine(client) => {
                let failed = matches!(outcome, Outcome::Later | Outcome::Null | Outcome::Exception);
                return back.filter(|_| counted && failed);
            }
            _ => {}
        }
    }
    None
}

/// True when a SimpleConsumer got both messages by one receive: what comes first is then its
/// application's business.
fn in_one_receive(run: &Run<'_>, client: ClientId, pair: (MsgId, MsgId), count: usize) -> bool {
    let process = run.world.clients.get(client.index()).and_then(|p| p.grpc());
    // A loop handles what it has one by one.
    let by_hand = process.is_some_and(|c| matches!(c.kind, GrpcKind::Simple(SimpleMode::Scripted)));
    let event = |msg: MsgId| {
        let list = run.ledger.message(msg, count);
        let received =
            |f: &Fact| matches!(f, Fact::Pop(PopFact::Received { client: c, .. }) if *c == client);
        last(run, &list, received).and_then(|i| run.facts.get(i as usize)).map(|r| r.event)
    };
    by_hand && event(pair.0).is_some() && event(pair.0) == event(pair.1)
}

/// Why two messages lie in two queues; `stores` are the facts by which they came there.
pub(in crate::explain) fn scattered(
    run: &Run<'_>,
    pair: (MsgId, MsgId),
    stores: (u32, u32),
) -> Guilt {
    let shared = &run.world.shared;
    let by = |msg: MsgId| shared.message(msg).producer;
    let (first, second) = match stores.0 < stores.1 {
        true => (pair.0, pair.1),
        false => (pair.1, pair.0),
    };
    let end = stores.0.max(stores.1);
    let together = |msg: MsgId| {
        let label = shared.label(msg);
        run.journal.iter().any(|(_, c)| {
            matches!(c, Command::Pop(PopCommand::SendTogether { messages, .. })
                if messages.len() > 1 && messages.iter().any(|m| m.label == label))
        })
    };
    if let Some(msg) = [first, second].into_iter().find(|m| together(*m)) {
        return Guilt::ManyInRequest { producer: by(msg) };
    }
    let round_robin =
        |msg: MsgId| run.world.producers[by(msg).index()].selector == Selector::RoundRobin;
    if let Some(msg) = [first, second].into_iter().find(|m| round_robin(*m)) {
        return Guilt::RoundRobin { producer: by(msg) };
    }
    let topic = shared.message(first).topic;
    let name = &shared.names.topics[topic.index()].name;
    let between = |index: u32| {
        let fact = run.ledger.command(index, run.facts.len());
        fact.is_some_and(|fact| fact < end)
    };
    for (index, (_, command)) in run.journal.iter().enumerate().rev() {
        if !between(index as u32) {
            continue;
        }
        match command {
            Command::UpdateTopic { name: of, .. } if of == name => {
                return Guilt::QueuesChanged { topic };
            }
            Command::StopBroker { broker, .. } | Command::StartBroker { broker } => {
                let id = broker.as_deref().map_or(Some(BrokerId(0)), |b| shared.names.broker(b));
                return Guilt::BrokersChanged { broker: id.unwrap_or(BrokerId(0)) };
            }
            Command::AddBroker { name } => {
                let id = shared.names.broker(name).unwrap_or(BrokerId(0));
                return Guilt::BrokersChanged { broker: id };
            }
            _ => {}
        }
    }
    Guilt::DifferentChoice { first: by(first), second: by(second) }
}
