//! Why an order was broken: the pair, the first guilty step, the two chains that met.

mod repairs;

pub(super) use repairs::{at_creation, hand_over, instead, longer_invisible, repairs, without};

use super::causes::Chain;
use super::{Cause, Counterfactual, Rule, Run};
use crate::check::{Broken, Violation};
use crate::command::{Command, ListenerKind, Selector};
use crate::fact::Fact;
use crate::ids::{BrokerId, ClientId, GroupId, MessageQueue, MsgId, ProducerId, TopicId};
use crate::pop::{GrpcKind, PopCommand, PopFact};

/// An explained violation of the order of a message group, or of the one owner of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broke {
    /// The violation.
    pub violation: Violation,
    /// The message that should have been finished first; None for two owners.
    pub earlier: Option<MsgId>,
    /// The message that was begun too early.
    pub later: MsgId,
    /// What made it possible.
    pub guilt: Guilt,
    /// The first guilty step: index of a fact.
    pub step: u32,
    /// The rule that says what would have kept it.
    pub rule: Rule,
    /// What led to the earlier message being unfinished, the newest first.
    pub earlier_causes: Vec<Cause>,
    /// What led to the later one being begun, the newest first.
    pub later_causes: Vec<Cause>,
    /// What might have kept it, not yet tried.
    pub would_keep: Vec<Counterfactual>,
}

/// What made a violation possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub enum Guilt {
    /// The pair lies in two queues: the producer goes round robin.
    RoundRobin { producer: ProducerId },
    /// The pair lies in two queues: several messages were sent in one request.
    ManyInRequest { producer: ProducerId },
    /// The pair lies in two queues: the number of queues changed between the sends.
    QueuesChanged { topic: TopicId },
    /// The pair lies in two queues: a broker came or went between the sends.
    BrokersChanged { broker: BrokerId },
    /// The pair lies in two queues: two producers choose differently.
    DifferentChoice { first: ProducerId, second: ProducerId },
    /// A concurrent listener takes what it gets.
    ConcurrentListener { group: GroupId },
    /// A concurrent listener sent the failed message back, and it comes again later.
    SentBack { group: GroupId },
    /// The consumer group is not ordered (`consumeMessageOrderly`).
    UnorderedGroup { group: GroupId },
    /// The same, and the message came back by the retry topic.
    CameBack { group: GroupId },
    /// A reset of the offset skipped the unfinished message.
    Reset { group: GroupId },
    /// Another consumer took the queue over while a listener was running.
    TakenOver { from: ClientId, by: ClientId },
    /// The application held several messages and did not handle them one by one.
    Application { client: ClientId },
}

/// Explains a violation of a run.
pub fn explain(run: &Run<'_>, violation: &Violation) -> Option<Broke> {
    let group = violation.group;
    match violation.broken {
        Broken::Order { earlier, later, .. } => {
            let (guilt, step) = guilt(run, violation, group, earlier, later)?;
            Some(broke(run, violation, Some(earlier), later, guilt, step))
        }
        Broken::TwoOwners { queue, first, second } => {
            let started = started(run, violation)?;
            let Fact::HandlingStarted { msg, .. } = run.facts.get(started as usize)?.fact else {
                return None;
            };
            let added = last(
                run,
                &run.ledger.queue(queue, started as usize),
                |f| matches!(f, Fact::QueueAdded { client, .. } if *client == second),
            );
            let guilt = Guilt::TakenOver { from: first, by: second };
            Some(broke(run, violation, None, msg, guilt, added.unwrap_or(started)))
        }
    }
}

fn broke(
    run: &Run<'_>,
    violation: &Violation,
    earlier: Option<MsgId>,
    later: MsgId,
    guilt: Guilt,
    step: u32,
) -> Broke {
    let group = violation.group;
    let before = Run { facts: &run.facts[..until(run, violation)], ..*run };
    Broke {
        violation: *violation,
        earlier,
        later,
        guilt,
        step,
        rule: guilt.rule(),
        earlier_causes: earlier.map(|msg| chain(&before, msg, group, step)).unwrap_or_default(),
        later_causes: chain(&before, later, group, step),
        would_keep: repairs::keeps(run, violation, &guilt),
    }
}

/// Number of facts up to the end of the violation's event.
fn until(run: &Run<'_>, violation: &Violation) -> usize {
    run.facts.partition_point(|r| r.event <= violation.event)
}

/// The fact of the violation: the later message is begun.
fn started(run: &Run<'_>, violation: &Violation) -> Option<u32> {
    let from = run.facts.partition_point(|r| r.event < violation.event);
    let later = match violation.broken {
        Broken::Order { later, .. } => Some(later),
        Broken::TwoOwners { .. } => None,
    };
    let end = until(run, violation);
    (from..end)
        .find_map(|index| match run.facts[index].fact {
            Fact::HandlingStarted { msg, .. } if later.is_none_or(|l| l == msg) => {
                Some(index as u32)
            }
            _ => None,
        })
        // A message that is overtaken by its own repeat: the violation is that of its call.
        .or_else(|| {
            (from..end).find_map(|i| match run.facts[i].fact {
                Fact::HandlingStarted { .. } => Some(i as u32),
                _ => None,
            })
        })
}

fn last(run: &Run<'_>, list: &[u32], is_it: impl Fn(&Fact) -> bool) -> Option<u32> {
    list.iter().rev().copied().find(|i| run.facts.get(*i as usize).is_some_and(|r| is_it(&r.fact)))
}

/// Where a message was first stored under its own topic, and by which fact.
fn stored(run: &Run<'_>, msg: MsgId, count: usize) -> Option<(u32, MessageQueue)> {
    let topic = run.world.shared.message(msg).topic;
    run.ledger.message(msg, count).iter().find_map(|i| match run.facts.get(*i as usize)?.fact {
        Fact::MessageStored { queue, .. } if queue.topic == topic => Some((*i, queue)),
        _ => None,
    })
}

/// The offset of a stored message.
fn place_in_queue(run: &Run<'_>, stored: u32) -> u32 {
    match run.facts.get(stored as usize).map(|r| r.fact) {
        Some(Fact::MessageStored { offset, .. }) => offset,
        _ => 0,
    }
}

/// What made it possible that `later` began before `earlier` was finished, and the guilty step.
fn guilt(
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
    let reset = last(
        run,
        &run.ledger.queue(queue, count),
        |f| matches!(f, Fact::OffsetReset { group: of, offset: to, .. } if *of == group && *to > offset),
    );
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

/// True when a SimpleConsumer got both messages by one receive: what comes first is then its
/// application's business.
fn in_one_receive(run: &Run<'_>, client: ClientId, pair: (MsgId, MsgId), count: usize) -> bool {
    let process = run.world.clients.get(client.index()).and_then(|p| p.grpc());
    let simple = process.is_some_and(|c| matches!(c.kind, GrpcKind::Simple(_)));
    let event = |msg: MsgId| {
        let list = run.ledger.message(msg, count);
        let received =
            |f: &Fact| matches!(f, Fact::Pop(PopFact::Received { client: c, .. }) if *c == client);
        last(run, &list, received).and_then(|i| run.facts.get(i as usize)).map(|r| r.event)
    };
    simple && event(pair.0).is_some() && event(pair.0) == event(pair.1)
}

/// Why the two messages lie in two queues.
fn scattered(run: &Run<'_>, pair: (MsgId, MsgId), stores: (u32, u32)) -> Guilt {
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

/// What led to a message's place in a violation.
fn chain(run: &Run<'_>, msg: MsgId, group: GroupId, step: u32) -> Vec<Cause> {
    let mut chain = Chain { run, facts: Vec::new() };
    let mine = |c: ClientId| run.world.clients.get(c.index()).is_some_and(|p| p.group() == group);
    chain.last_of_message(msg, |f| match f {
        Fact::HandlingStarted { client, .. } | Fact::HandlingEnded { client, .. } => mine(*client),
        _ => false,
    });
    chain.last_of_message(msg, |f| {
        matches!(
            f,
            Fact::SentBack { .. }
                | Fact::QueueSuspended { .. }
                | Fact::Pop(PopFact::Popped { .. } | PopFact::Revived { .. })
        )
    });
    if let Some((_, queue)) = stored(run, msg, run.facts.len()) {
        chain.last_of_queue(
            queue,
            |f| matches!(f, Fact::QueueAdded { client, .. } if mine(*client)),
        );
    }
    let producer = run.world.shared.message(msg).producer;
    let route = run.facts.iter().rposition(|r| {
        matches!(r.fact, Fact::RouteChanged { party: crate::ids::Party::Producer(p), .. } if p == producer)
    });
    chain.facts.extend(route.map(|i| i as u32));
    chain.origin(msg, Some(group));
    chain.facts.push(step);
    chain.finish()
}

impl Guilt {
    /// The rule that was left.
    pub fn rule(&self) -> Rule {
        match self {
            Self::RoundRobin { .. }
            | Self::ManyInRequest { .. }
            | Self::QueuesChanged { .. }
            | Self::BrokersChanged { .. }
            | Self::DifferentChoice { .. } => Rule::Routing,
            Self::ConcurrentListener { .. } => Rule::AnyOrder,
            Self::SentBack { .. } => Rule::SendBack,
            Self::UnorderedGroup { .. } => Rule::OrderedPop,
            Self::CameBack { .. } => Rule::Revive,
            Self::Reset { .. } => Rule::Reset,
            Self::TakenOver { .. } => Rule::HandOver,
            Self::Application { .. } => Rule::FifoLane,
        }
    }
}
