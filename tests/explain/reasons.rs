//! Every waiting message has a reason at every event, and the reason is true.

use std::collections::BTreeMap;

use lockstep_core::explain::{
    lies_in, reason, waiting, why, About, Headline, Ledger, QueueState, Reason, Run,
};
use lockstep_core::fact::Fact;
use lockstep_core::ids::{GroupId, MessageQueue, Ms, MsgId};
use lockstep_core::scenario::Program;
use lockstep_core::session::Session;
use lockstep_core::view::log::is_decision;

use super::{all, whole};

/// Reasons of one scenario that are asked for at every decision in the short run; after that many
/// only every so manieth event is looked at.
const BUDGET: u32 = 20_000;
const RARELY: u32 = 97;

/// How long a reason may last that promises to end by itself; None = as long as it likes.
fn longest_ms(reason: &Reason) -> Option<Ms> {
    Some(match reason {
        // A long poll, and the check of held pulls behind it.
        Reason::NotFetchedYet { .. } => 46_000,
        Reason::Next { .. } => 1_000,
        Reason::Starting { .. } => 2_000,
        Reason::Rebalancing { .. } => 41_000,
        Reason::Unassigned { .. } => 11_000,
        Reason::PullFailed { .. } => 31_000,
        Reason::Acting { .. } => 10_000,
        _ => return None,
    })
}

/// An instant that the reason names, and that must not be over.
fn instant_ms(reason: &Reason) -> Option<Ms> {
    Some(match *reason {
        Reason::Handled { until_ms, .. }
        | Reason::Suspended { until_ms, .. }
        | Reason::LockHeld { until_ms, .. }
        | Reason::ResetPause { until_ms, .. }
        | Reason::Invisible { until_ms, .. }
        | Reason::BehindInvisible { until_ms, .. }
        | Reason::Held { until_ms, .. }
        | Reason::BackOff { until_ms, .. } => until_ms,
        Reason::Starting { at_ms, .. } => at_ms,
        _ => return None,
    })
}

type Key = (MsgId, Option<GroupId>);

fn check(name: &str, program: &Program, counts: &mut BTreeMap<String, u32>) -> Vec<String> {
    let mut session = Session::new(program.seed, program.model.clone(), program.journal());
    let mut ledger = Ledger::default();
    let mut since: BTreeMap<Key, (std::mem::Discriminant<Reason>, Ms)> = BTreeMap::new();
    let mut faults = Vec::new();
    let mut asked = 0;
    while session.next_event_at().is_some_and(|at_ms| at_ms <= program.until_ms) && session.step() {
        ledger.update(session.facts(), session.generation());
        let facts = session.facts_of(session.event());
        let decides = facts.iter().any(|r| is_decision(&r.fact));
        let often = asked < BUDGET || session.event().is_multiple_of(RARELY);
        if !(whole() || decides && often) {
            continue;
        }
        if asked >= BUDGET && !whole() {
            // What happened between two looks is not known any more.
            since.clear();
        }
        let run = Run::of(&session, &ledger);
        let now_ms = session.world().now_ms();
        let mut waits = BTreeMap::new();
        for (msg, group) in waiting(&run) {
            let reason = reason(&run, msg, group);
            asked += 1;
            let word = format!("{reason:?}");
            let word = word.split([' ', '{', '(']).next().unwrap().to_owned();
            *counts.entry(word).or_default() += 1;
            let kind = std::mem::discriminant(&reason);
            let entry = since.entry((msg, group)).or_insert((kind, now_ms));
            if entry.0 != kind {
                *entry = (kind, now_ms);
            }
            if let (false, Some(group)) = (reason.is_over(), group) {
                if let Some(queue) = lies_in(&run, msg, group) {
                    waits.entry((queue, group)).or_insert(msg);
                }
            }
            let label = session.world().shared.label(msg);
            let lasts_ms = now_ms - entry.1;
            if longest_ms(&reason).is_some_and(|most| lasts_ms > most) {
                faults.push(format!("{name}: {label} at {now_ms}: {reason:?} lasts {lasts_ms} ms"));
            }
            if instant_ms(&reason).is_some_and(|at_ms| at_ms < now_ms) {
                faults.push(format!("{name}: {label} at {now_ms}: {reason:?} is over"));
            }
        }
        faults.extend(held_queues(&run, &waits).iter().map(|f| format!("{name} at {now_ms}: {f}")));
    }
    faults.extend(refused(&session, &ledger));
    faults.truncate(3);
    faults
}

/// Every queue in which something waits says what, for whom, and why.
fn held_queues(run: &Run<'_>, waits: &BTreeMap<(MessageQueue, GroupId), MsgId>) -> Vec<String> {
    let mut faults = Vec::new();
    for ((queue, group), msg) in waits {
        let explanation = why(run, About::Queue { queue: *queue, group: *group }).unwrap();
        let state = match explanation.headline {
            Headline::Queue { state, .. } => state,
            other => panic!("{other:?}"),
        };
        if state == QueueState::Empty {
            faults.push(format!("{queue:?} for {group:?}: empty, and {msg:?} waits in it"));
        }
        if explanation.causes.is_empty() {
            faults.push(format!("{queue:?} for {group:?}: {state:?} has no cause"));
        }
    }
    faults
}

/// Every refused command says why.
fn refused(session: &Session, ledger: &Ledger) -> Vec<String> {
    let run = Run::of(session, ledger);
    let mut faults = Vec::new();
    for record in session.facts() {
        let Fact::CommandRefused { index } = record.fact else { continue };
        let explanation = why(&run, About::Command(index)).unwrap();
        let known = session.world().shared.refusals.contains_key(&index);
        let said = explanation.headline == Headline::Refused { index };
        if !known || !said || explanation.causes.len() != 1 {
            faults.push(format!("command {index}: {explanation:?}"));
        }
    }
    faults
}

#[test]
fn every_waiting_message_has_a_true_reason() {
    let mut counts = BTreeMap::new();
    let mut faults = Vec::new();
    for (name, program) in all() {
        let start = std::time::Instant::now();
        let before = counts.values().sum::<u32>();
        faults.extend(check(&name, &program, &mut counts));
        eprintln!("TIME {:8.2} {name} {}", start.elapsed().as_secs_f64(), counts.values().sum::<u32>() - before);
    }
    assert!(
        counts.len() >= 30,
        "only {} kinds of reasons are ever given: {counts:#?}",
        counts.len()
    );
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
