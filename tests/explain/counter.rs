//! Whatever an explanation offers does what it says, tried again by another way.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_core::explain::{
    offers, reason, waiting, why, About, Attempt, Change, Counterfactual, Effect, Ledger, Run,
};
use lockstep_core::fact::{Fact, FactRecord};
use lockstep_core::ids::Ms;
use lockstep_core::pop::{GrpcKind, PopFact, SimpleMode};
use lockstep_core::scenario::Program;
use lockstep_core::session::Session;
use lockstep_core::view::log::is_decision;

use super::changes::applied;
use super::offered::misread;
use super::on_all;

/// Kinds of reasons for which something that works has to be offered somewhere.
const MOVABLE: &[&str] = &[
    "AtProducer",
    "BackOff",
    "Behind",
    "BehindInvisible",
    "BrokerDown",
    "CacheFull",
    "CutOff",
    "Handled",
    "Hangs",
    "Held",
    "Invisible",
    "LockHeld",
    "NoConsumer",
    "NoThread",
    "NotAsked",
    "NotReadable",
    "Passed",
    "Rebalancing",
    "Scheduled",
    "SendFailed",
    "Suspended",
    "Travels",
];

/// Whether a message that its client counts as consumed has been put under a delay level since its last
/// call: it comes back.
fn is_put_aside(session: &Session, acknowledged: &FactRecord) -> bool {
    let Fact::MessageAcknowledged { msg, .. } = acknowledged.fact else { return false };
    let before = session.recorded_facts().iter().take_while(|r| *r != acknowledged);
    let mut aside = false;
    for record in before {
        match record.fact {
            Fact::HandlingEnded { msg: of, .. } if of == msg => aside = false,
            Fact::MessageScheduled { msg: of, .. } if of == msg => aside = true,
            _ => {}
        }
    }
    aside
}

/// The instants at which the effect shows in a session's facts.
fn shows(session: &Session, facts: &[FactRecord], effect: &Effect, original: &Session) -> Vec<Ms> {
    let label = |msg| original.world().shared.label(msg);
    let name = |group| original.world().shared.group(group).name.clone();
    let world = session.world();
    let group_of = |client: lockstep_core::ids::ClientId| {
        world.shared.group(world.clients[client.index()].group()).name.clone()
    };
    let is = |wanted, msg| world.shared.label(msg) == label(wanted);
    // What a consumer that is called by hand is given its application handles.
    let by_hand = |client: lockstep_core::ids::ClientId| {
        let client = world.clients[client.index()].grpc();
        client.is_some_and(|c| c.kind == GrpcKind::Simple(SimpleMode::Scripted))
    };
    let found = facts.iter().filter(|record| match (*effect, record.fact) {
        (Effect::Handled { msg, group }, Fact::HandlingStarted { client, msg: of, .. }) => {
            is(msg, of) && group_of(client) == name(group)
        }
        (Effect::Handled { msg, group }, Fact::Pop(PopFact::Received { client, msg: of, .. })) => {
            is(msg, of) && group_of(client) == name(group) && by_hand(client)
        }
        (Effect::Finished { msg, group }, Fact::MessageAcknowledged { client, msg: of, .. }) => {
            is(msg, of) && group_of(client) == name(group) && !is_put_aside(session, record)
        }
        (Effect::Finished { msg, group }, Fact::DeadLettered { group: g, msg: of, .. }) => {
            is(msg, of) && world.shared.group(g).name == name(group)
        }
        (Effect::SentBack { msg, group }, Fact::SentBack { client, msg: of, .. }) => {
            is(msg, of) && group_of(client) == name(group)
        }
        (Effect::Stored { msg }, Fact::MessageStored { msg: of, queue, .. }) => {
            is(msg, of) && world.shared.message(of).topic == queue.topic
        }
        (Effect::Applied { index }, Fact::CommandApplied { index: of }) => index == of,
        _ => false,
    });
    found.map(|record| record.at_ms).collect()
}

/// Carries a change out as a person would and looks when the effect comes. What is given now is a line below
/// the scenario.
fn carry_out(program: &Program, at_event: u32, one: &Counterfactual, until_ms: Ms) -> Option<Ms> {
    let original = {
        let mut session = Session::new(program.seed, program.model.clone(), program.journal());
        session.seek_event(at_event);
        session
    };
    let (mut journal, model) = applied(&one.change, program);
    if let Change::Now(commands) = &one.change {
        let line_ms = original.world().line_ms();
        journal.extend(commands.iter().map(|command| (line_ms, command.clone())));
        let mut session = Session::new(program.seed, model, journal);
        session.seek_event(at_event);
        let before = session.facts().len();
        session.run_until(until_ms);
        let facts = session.recorded_facts()[before..].to_vec();
        return shows(&session, &facts, &one.effect, &original).first().copied();
    }
    let mut session = Session::new(program.seed, model, journal);
    session.run_until(until_ms);
    // What was there before the present is still wanted at the present: it has to come once more.
    let past = shows(&original, original.facts(), &one.effect, &original).len();
    shows(&session, session.facts(), &one.effect, &original).get(past).copied()
}

/// When the effect comes in the run as it is, from the present on.
fn as_it_is(program: &Program, at_event: u32, one: &Counterfactual, until_ms: Ms) -> Option<Ms> {
    let mut session = Session::new(program.seed, program.model.clone(), program.journal());
    session.seek_event(at_event);
    let from = session.facts().len();
    session.run_until(until_ms);
    shows(&session, &session.facts()[from..], &one.effect, &session).first().copied()
}

/// Tries everything that is offered at an event; `told` is what the explanation said.
fn tried(
    name: &str,
    program: &Program,
    at_event: u32,
    (one, told): &(Counterfactual, Attempt),
) -> Option<String> {
    let until_ms = told.with_ms.into_iter().chain(told.without_ms).max()?;
    let with_ms = carry_out(program, at_event, one, until_ms);
    let without_ms = as_it_is(program, at_event, one, until_ms);
    let works = match (with_ms, without_ms) {
        (Some(with_ms), Some(without_ms)) => with_ms < without_ms,
        (with_ms, None) => with_ms.is_some(),
        _ => false,
    };
    let same =
        with_ms == told.with_ms && (without_ms == told.without_ms || told.without_ms.is_none());
    (!works || !same).then(|| {
        format!("{name}, event {at_event}: {one:?}: told {told:?}, got {with_ms:?}, {without_ms:?}")
    })
}

/// Of each kind of reason: how many changes are thought of, and how many of them do what they say.
type Offered = BTreeMap<String, (u32, u32)>;

/// Tries what is offered for each kind of reason of a scenario, where it is given first.
fn all_of(name: &str, program: &Program) -> (Offered, Vec<String>) {
    let (mut offered, mut faults) = (Offered::new(), Vec::new());
    let mut session = Session::new(program.seed, program.model.clone(), program.journal());
    let mut ledger = Ledger::default();
    let mut seen = BTreeSet::new();
    while session.next_event_at().is_some_and(|at| at <= program.until_ms) && session.step() {
        let facts = session.facts_of(session.event());
        if !facts.iter().any(|r| is_decision(&r.fact)) {
            continue;
        }
        ledger.update(session.facts(), session.generation());
        let run = Run::of(&session, &ledger);
        for (msg, group) in waiting(&run) {
            let reason = reason(&run, msg, group);
            let word = format!("{reason:?}");
            let word = word.split([' ', '{', '(']).next().unwrap().to_owned();
            if !seen.insert(word.clone()) {
                continue;
            }
            let explanation = why(&run, About::Message { msg, group }).unwrap();
            let entry = offered.entry(word).or_default();
            entry.0 += explanation.counterfactuals.len() as u32;
            for one in &explanation.counterfactuals {
                let wrong = misread(session.world(), &one.change, &session);
                faults.extend(wrong.into_iter().map(|fault| format!("{name}: {fault}")));
            }
            for offer in offers(&session, &explanation) {
                entry.1 += 1;
                faults.extend(tried(name, program, session.event(), &offer));
            }
        }
    }
    (offered, faults)
}

#[test]
fn everything_that_is_offered_does_what_it_says() {
    let (mut offered, mut faults) = (Offered::new(), Vec::new());
    for (of_run, wrong) in on_all(all_of) {
        faults.extend(wrong);
        for (word, (thought, works)) in of_run {
            let entry = offered.entry(word).or_default();
            *entry = (entry.0 + thought, entry.1 + works);
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    let total: u32 = offered.values().map(|(_, works)| works).sum();
    assert!(total > 400, "only {total} counterfactuals were offered");
    for word in MOVABLE {
        let works = offered.get(*word).map_or(0, |(_, works)| *works);
        assert!(works > 0, "{word}: nothing that is offered works: {offered:?}");
    }
}
