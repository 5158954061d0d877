//! What explanations and diagnoses once said falsely, left out or offered in vain, each with its kind.

mod also;
mod behind;
mod causes;
mod clocks;
mod diagnosed;
mod disk;
mod down;
mod halves;
mod handed_over;
mod hung;
mod in_hand;
mod in_vain;
mod instants;
mod lag;
mod leases;
mod limits;
mod lines;
mod losses;
mod lost;
mod ordered;
mod quoted;
mod receives;
mod refused;
mod repairs;
mod resets;
mod retries;
mod rules;
mod senders;
mod simple;
mod standing;
mod told_wrong;
mod transactions;
mod waited;
mod words;

use lockstep_core::command::Command;
use lockstep_core::explain::diagnose::Finding;
use lockstep_core::explain::{offers_at, Change, Counterfactual, Explanation};
use lockstep_core::ids::Ms;
use lockstep_core::scenario::{load, play};
use lockstep_core::session::Session;

use super::changes::changed;
use super::truths::{at, at_in, commands, findings, has_cause, reason_at};
use super::{fifo, on_all};

/// What an explanation offers and does what it says.
fn offered((session, explanation): &(Session, Explanation)) -> Vec<Counterfactual> {
    let kept = offers_at(session, session.world(), &explanation.counterfactuals);
    kept.into_iter().map(|(one, _)| one).collect()
}

/// What an explanation offers, tried or not.
fn possible((_, explanation): &(Session, Explanation)) -> Vec<Counterfactual> {
    explanation.counterfactuals.clone()
}

/// Whether one of some changes gives a command now that is of a kind.
fn now(offers: &[Counterfactual], is_it: impl Fn(&Command) -> bool) -> bool {
    offers.iter().any(|one| match &one.change {
        Change::Now(commands) => commands.iter().any(&is_it),
        _ => false,
    })
}

/// The commands that a change leaves out.
fn left_out(session: &Session, change: &Change) -> Vec<Command> {
    let Change::Without(gone) = change else { panic!("{change:?}") };
    gone.iter().map(|index| session.journal()[*index as usize].1.clone()).collect()
}

/// The run of a text to its end.
fn played(text: &str) -> Session {
    play(&load(&fifo(text)).unwrap_or_else(|found| panic!("{text}{}", found[0])))
}

/// The same with a change.
fn with(text: &str, change: &Change) -> Session {
    changed(&load(&fifo(text)).unwrap(), change)
}

/// The finding of a kind.
fn find(text: &str, is_it: impl Fn(&Finding) -> bool) -> Finding {
    let all = findings(text);
    let found = all.iter().find(|f| is_it(f)).cloned();
    found.unwrap_or_else(|| panic!("{text}{all:?}"))
}

/// When a message of a label was first handled by a session.
fn handled_at(session: &Session, label: &str) -> Option<Ms> {
    use lockstep_core::fact::Fact;
    let of = |msg| session.world().shared.label(msg).to_string();
    let all = session.facts().iter();
    let mut calls =
        all.filter(|r| matches!(r.fact, Fact::HandlingStarted { msg, .. } if of(msg) == label));
    calls.next().map(|r| r.at_ms)
}
