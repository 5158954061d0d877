//! Explanations of single scenes, held against what the scenes are about.

mod blocked;
mod clocks;
mod groups;
mod levels;
mod mixed;
mod naming;
mod passed;
mod threads;
mod tried;

use lockstep_core::explain::{named, offers, why, Change, Explanation, Ledger, Reason, Run};
use lockstep_core::ids::Ms;
use lockstep_core::scenario::load;
use lockstep_core::session::Session;

use super::fifo;

/// A run up to an instant, and its facts by what they are about.
fn run_to(text: &str, at_ms: Ms) -> (Session, Ledger) {
    let program = load(&fifo(text)).unwrap();
    let mut session = Session::new(program.seed, program.model.clone(), program.journal());
    session.run_until(at_ms);
    let ledger = Ledger::of(session.facts());
    (session, ledger)
}

/// The explanation of the first thing of a name.
fn explain(session: &Session, ledger: &Ledger, words: &str) -> Explanation {
    let run = Run::of(session, ledger);
    let words: Vec<&str> = words.split(' ').collect();
    let about = named(&run, &words, None).unwrap()[0];
    why(&run, about).unwrap()
}

fn reason(text: &str, at_ms: Ms, words: &str) -> Reason {
    let (session, ledger) = run_to(text, at_ms);
    let explanation = explain(&session, &ledger, words);
    explanation.headline.reason().unwrap_or_else(|| panic!("{:?}", explanation.headline))
}

/// What is offered that does what it says.
fn offered(text: &str, at_ms: Ms, words: &str) -> Vec<Change> {
    let (session, ledger) = run_to(text, at_ms);
    let explanation = explain(&session, &ledger, words);
    offers(&session, &explanation).into_iter().map(|(one, _)| one.change).collect()
}

const POISON: &str = "\
topic    orders FIFO 1 queue
series   A message-group order-1
series   B message-group order-2
group    billing reads orders orderly, handles in 400ms
producer p1
consumer c1 in billing
at 2s    A2 fails always
at 3s    p1 sends A1 A2 A3 B1 B2
run      until 60s
";
