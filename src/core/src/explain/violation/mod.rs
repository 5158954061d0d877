//! Why an order was broken: the pair, the first guilty step, the two chains that met.

mod guilt;
mod owners;
mod repairs;
mod story;

pub use story::{story, Story};

use guilt::guilt;
pub(super) use guilt::scattered;
pub(super) use owners::apart;
pub(super) use repairs::{
    at_creation, instead, longer_invisible, repairs, without, without_hangs, WITH_DEAD_LETTERS,
};

use super::causes::Chain;
use super::{Cause, Counterfactual, Rule, Run};
use crate::check::{Broken, Violation};
use crate::command::Command;
use crate::fact::Fact;
use crate::ids::{BrokerId, ClientId, GroupId, MessageQueue, MsgId, Party, ProducerId, TopicId};
use crate::pop::PopFact;

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
    /// An ordered message reached the limit, and the broker of this release put it into the retry topic.
    ToRetryTopic { group: GroupId, msg: MsgId },
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
    let end = until(run, violation);
    let before = Run { facts: &run.facts[..end], ..*run };
    // What a group did with it after it was begun too early is another story.
    let too_early = started(run, violation).map_or(end, |begun| begun as usize + 1);
    let begun = Run { facts: &run.facts[..too_early], ..*run };
    Broke {
        violation: *violation,
        earlier,
        later,
        guilt,
        step,
        rule: guilt.rule(),
        earlier_causes: earlier.map(|msg| chain(&before, msg, group, step)).unwrap_or_default(),
        later_causes: with_root(&before, chain(&begun, later, group, step), &guilt),
        would_keep: repairs::keeps(run, violation, &guilt),
    }
}

/// Number of facts up to the end of the violation's event.
fn until(run: &Run<'_>, violation: &Violation) -> usize {
    run.facts.partition_point(|r| r.event <= violation.event)
}

/// The fact by which a group first began a message.
fn first_begun(run: &Run<'_>, msg: MsgId, group: GroupId) -> Option<u32> {
    let mine = |c: ClientId| run.world.clients.get(c.index()).is_some_and(|p| p.group() == group);
    let list = run.ledger.message(msg, run.facts.len());
    list.into_iter().find(|i| {
        let record = run.facts.get(*i as usize);
        record
            .is_some_and(|r| matches!(r.fact, Fact::HandlingStarted { client, .. } if mine(client)))
    })
}

/// The fact by which the later message was begun too early: that of the violation, or an earlier one
/// where the violation is the late beginning of the message that should have come first.
fn started(run: &Run<'_>, violation: &Violation) -> Option<u32> {
    let from = run.facts.partition_point(|r| r.event < violation.event);
    let in_event = |of: Option<MsgId>| {
        let mut event = run.facts[from..until(run, violation)].iter();
        let found = event.position(|r| match r.fact {
            Fact::HandlingStarted { msg, .. } => of.is_none_or(|of| of == msg),
            _ => false,
        });
        found.map(|place| (from + place) as u32)
    };
    match violation.broken {
        Broken::TwoOwners { .. } => in_event(None),
        Broken::Order { later, .. } => in_event(Some(later)).or_else(|| {
            let first = first_begun(run, later, violation.group);
            first.filter(|first| (*first as usize) < from).or_else(|| in_event(None))
        }),
    }
}

/// The facts that show a violation: where the two messages were stored, when they lie in two queues, how
/// the later one was begun too early, and what the earlier one was at then: its last call before it, or
/// its first one where that came afterwards. For two owners the two calls that overlap.
pub(super) fn evidence(run: &Run<'_>, broke: &Broke) -> Vec<u32> {
    let violation = &broke.violation;
    let Some(begun) = started(run, violation) else { return vec![broke.step] };
    let mut evidence = vec![broke.step, begun];
    if let Broken::TwoOwners { queue, first, .. } = violation.broken {
        evidence.extend(owners::open_call(run, (first, queue), begun));
        return evidence;
    }
    let Some(earlier) = broke.earlier else { return evidence };
    let end = until(run, violation);
    let mine = |c: ClientId| {
        run.world.clients.get(c.index()).is_some_and(|p| p.group() == violation.group)
    };
    let is_call = |f: &Fact| matches!(f, Fact::HandlingStarted { client, .. } if mine(*client));
    let calls = run.ledger.message(earlier, end);
    let before = calls.iter().rev().find(|i| **i < begun && is_call(&run.facts[**i as usize].fact));
    let after = || calls.iter().find(|i| **i > begun && is_call(&run.facts[**i as usize].fact));
    evidence.extend(before.or_else(after));
    let (first, second) = (stored(run, earlier, end), stored(run, broke.later, end));
    if let (Some((first, of_first)), Some((second, of_second))) = (first, second) {
        if of_first != of_second || before.or_else(after).is_none() {
            evidence.extend([first, second]);
        }
    }
    evidence
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
    // What the producer learned before it sent the message.
    let producer = Party::Producer(run.world.shared.message(msg).producer);
    let sent = stored(run, msg, run.facts.len()).map_or(0, |(fact, _)| fact as usize);
    let route = run.facts[..sent]
        .iter()
        .rposition(|r| matches!(r.fact, Fact::RouteChanged { party, .. } if party == producer));
    chain.facts.extend(route.map(|i| i as u32));
    chain.origin(msg, Some(group));
    chain.facts.push(step);
    chain.finish()
}

/// A chain with the command behind what made the violation possible, where there is one.
fn with_root(run: &Run<'_>, causes: Vec<Cause>, guilt: &Guilt) -> Vec<Cause> {
    let mut chain = Chain { run, facts: causes.iter().map(|cause| cause.fact).collect() };
    let names = &run.world.shared.names;
    match *guilt {
        Guilt::QueuesChanged { topic } => {
            let of = &names.topics[topic.index()].name;
            chain.last_command(|c| matches!(c, Command::UpdateTopic { name, .. } if name == of));
        }
        Guilt::BrokersChanged { .. } => {
            chain.last_command(|c| {
                matches!(
                    c,
                    Command::StopBroker { .. }
                        | Command::StartBroker { .. }
                        | Command::AddBroker { .. }
                )
            });
        }
        Guilt::Reset { group } => {
            let of = &run.world.shared.group(group).name;
            chain.last_command(
                |c| matches!(c, Command::ResetOffset { group: name, .. } if name == of),
            );
        }
        Guilt::TakenOver { from, by } => {
            let (from, by) = (&names.clients[from.index()], &names.clients[by.index()]);
            chain.last_command(|c| matches!(c, Command::StopConsumer { name, .. } if name == from));
            chain.last_command(|c| super::causes::starts(c, by));
        }
        _ => {}
    }
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
            Self::ToRetryTopic { .. } => Rule::LimitGoesRound,
            Self::UnorderedGroup { .. } => Rule::OrderedPop,
            Self::CameBack { .. } => Rule::Revive,
            Self::Reset { .. } => Rule::Reset,
            Self::TakenOver { .. } => Rule::HandOver,
            Self::Application { .. } => Rule::SimpleLoop,
        }
    }
}
