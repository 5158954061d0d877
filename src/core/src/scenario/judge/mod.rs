//! Compares a run with what a scenario expects of it.

mod describe;
mod events;
mod events_pop;
mod evidence;
mod messages;
mod queues;
mod tell;
mod tell_clients;
mod tell_pop;
mod tell_store;
mod window;

pub use evidence::Evidence;
pub use tell::tell;

use super::condition::{Condition, Term};
use super::events::RefusalKind;
use super::program::{Goal, Program};
use crate::command::Refusal;
use crate::fact::Fact;
use crate::ids::ClientId;
use crate::session::Session;

/// Whether a condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It holds, and will go on to hold.
    Holds,
    /// It does not, and never will.
    Fails,
    /// It can still go either way.
    Open,
}

impl State {
    fn of(holds: bool) -> Self {
        if holds {
            State::Holds
        } else {
            State::Fails
        }
    }

    /// The state of the opposite.
    fn turned(self) -> Self {
        match self {
            State::Holds => State::Fails,
            State::Fails => State::Holds,
            State::Open => State::Open,
        }
    }
}

/// What happened instead of, or as, what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instead {
    /// The facts speak for themselves.
    Facts,
    /// It never happened; the facts are the last ones about the same subject.
    Never,
    /// It happened so often.
    Times(u32),
    /// It happened to so many messages.
    Messages(u32),
    /// It happened to messages in this order (labels of the messages).
    Sequence(Vec<String>),
    /// These consumers held the queue.
    Owners(Vec<ClientId>),
    /// The offset was this.
    Offset(i64),
    /// The violations speak for themselves (indices into them).
    Violations(Vec<usize>),
    /// They have a message group (or none, as it is).
    MessageGroup(bool),
    /// Nothing of the kind was broken.
    NotBroken,
}

/// The judgement of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Whether it holds.
    pub state: State,
    /// What happened.
    pub instead: Instead,
    /// The facts that it comes from, or the nearest ones: indices into the evidence's facts.
    pub facts: Vec<usize>,
}

impl Finding {
    fn new(state: State, instead: Instead, facts: Vec<usize>) -> Self {
        Self { state, instead, facts }
    }
}

/// Judges a condition by what happened so far, or by the whole run when that has ended.
pub fn evaluate(condition: &Condition, evidence: &Evidence<'_>) -> Finding {
    decide(condition, evidence).0
}

/// The judgement of a condition, and the statement in it that it comes from.
fn decide<'c>(condition: &'c Condition, evidence: &Evidence<'_>) -> (Finding, Option<&'c Term>) {
    match condition {
        Condition::Term(term) => (judge_term(&term.value, evidence), Some(&term.value)),
        Condition::Not(inner) => {
            let (finding, term) = decide(inner, evidence);
            (Finding { state: finding.state.turned(), ..finding }, term)
        }
        Condition::All(parts) => combine(parts, evidence, State::Fails),
        Condition::Any(parts) => combine(parts, evidence, State::Holds),
    }
}

/// `deciding` is the state of one part that decides the whole.
fn combine<'c>(
    parts: &'c [Condition],
    evidence: &Evidence<'_>,
    deciding: State,
) -> (Finding, Option<&'c Term>) {
    let mut open = None;
    let mut last = None;
    for part in parts {
        let decided = decide(part, evidence);
        match decided.0.state {
            state if state == deciding => return decided,
            State::Open => open = open.or(Some(decided)),
            _ => last = Some(decided),
        }
    }
    let nothing = Finding::new(deciding.turned(), Instead::Facts, Vec::new());
    open.or(last).unwrap_or((nothing, None))
}

fn judge_term(term: &Term, evidence: &Evidence<'_>) -> Finding {
    match term {
        Term::Messages { who, negated, event, filter, when, times } => {
            messages::messages(evidence, who, *negated, (*event, filter), (when, *times))
        }
        Term::InOrder { labels, event, filter, when } => {
            messages::in_order(evidence, labels, (*event, filter), when)
        }
        Term::Exactly { event, labels, filter, when } => {
            messages::exactly(evidence, labels, (*event, filter), when)
        }
        Term::Queue { queue, negated, event, filter, when, times } => {
            queues::queue(evidence, queue, *negated, (*event, filter), (when, *times))
        }
        Term::Client { client, negated, event, code, when, times } => {
            queues::client(evidence, client, *negated, (*event, *code), (when, *times))
        }
        Term::Party { party, negated, event, when, times } => {
            queues::party(evidence, party, *negated, *event, (when, *times))
        }
        Term::Invisible { labels, negated, at_ms, group } => {
            messages::invisible(evidence, labels, *negated, *at_ms, group.as_ref())
        }
        Term::Grouped { labels, negated } => messages::grouped(evidence, labels, *negated),
        Term::Owner { queue, owner, at_ms, group } => {
            queues::owner(evidence, queue, owner.as_ref(), *at_ms, group.as_ref())
        }
        Term::Offset { kind, queue, value, at_ms, group } => {
            queues::offset(evidence, *kind, queue, *value, (*at_ms, group.as_ref()))
        }
        Term::Order { kept, series, at, group } => {
            queues::order(evidence, *kept, series, at.as_ref(), group.as_ref())
        }
        Term::OneOwner { group } => queues::one_owner(evidence, group.as_ref()),
        Term::Refused { at_ms, kind, code } => refused(evidence, *at_ms, *kind, *code),
    }
}

fn refused(
    evidence: &Evidence<'_>,
    at_ms: i64,
    kind: Option<RefusalKind>,
    code: Option<i64>,
) -> Finding {
    let is_refusal = |record: &crate::fact::FactRecord| {
        let Fact::CommandRefused { index } = record.fact else { return false };
        let why = evidence.world.refusal(index).map(RefusalKind::of);
        record.at_ms == at_ms
            && kind.is_none_or(|kind| why.is_some_and(|(of, _)| of == kind))
            && code.is_none_or(|code| why.is_some_and(|(_, of)| of == Some(code)))
    };
    let found = evidence.facts.iter().position(is_refusal);
    match found {
        Some(index) => Finding::new(State::Holds, Instead::Facts, vec![index]),
        None if evidence.past(at_ms) => Finding::new(State::Fails, Instead::Never, Vec::new()),
        None => Finding::new(State::Open, Instead::Never, Vec::new()),
    }
}

/// Whether a goal is achieved at the present: what has not happened by now has not happened.
pub fn achieved(goal: &Goal, evidence: &Evidence<'_>) -> bool {
    let now = Evidence { ended: true, ..*evidence };
    evaluate(&goal.when, &now).state == State::Holds
}

/// What a line of a scenario was judged by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judged {
    /// An expectation; its index in the program.
    Expectation(usize),
    /// A statement that was refused although nothing expects it; its index in the journal.
    Refusal(u32, Refusal),
}

/// The judgement of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Line, from 1.
    pub line: u32,
    /// What was judged.
    pub judged: Judged,
    /// The judgement; a refusal that nothing expects fails.
    pub finding: Finding,
}

impl Verdict {
    /// What happened, in an English sentence without full stop.
    pub fn describe(&self, program: &Program, evidence: &Evidence<'_>) -> String {
        match &self.judged {
            Judged::Refusal(_, refusal) => describe::refusal(refusal),
            Judged::Expectation(index) => match program.expectations.get(*index) {
                Some(expectation) => {
                    describe::finding(&expectation.condition, &self.finding, evidence)
                }
                None => String::new(),
            },
        }
    }
}

/// Plays a program from its beginning to its end.
pub fn play(program: &Program) -> Session {
    let mut session = Session::new(program.seed, program.model.clone(), program.journal());
    session.run_until(program.until_ms);
    session
}

/// Judges all expectations of a program, and refusals that nothing expects.
pub fn check(program: &Program, evidence: &Evidence<'_>) -> Vec<Verdict> {
    let mut verdicts: Vec<Verdict> = program
        .expectations
        .iter()
        .enumerate()
        .map(|(index, expectation)| Verdict {
            line: expectation.line,
            judged: Judged::Expectation(index),
            finding: evaluate(&expectation.condition, evidence),
        })
        .collect();
    let expected: Vec<i64> = program
        .expectations
        .iter()
        .flat_map(|e| e.condition.terms())
        .filter_map(|term| match term.value {
            Term::Refused { at_ms, .. } => Some(at_ms),
            _ => None,
        })
        .collect();
    for (place, record) in evidence.facts.iter().enumerate() {
        let Fact::CommandRefused { index } = record.fact else { continue };
        let (Some(line), Some(refusal)) = (program.line_of(index), evidence.world.refusal(index))
        else {
            continue;
        };
        if !expected.contains(&record.at_ms) {
            let judged = Judged::Refusal(index, refusal.clone());
            let finding = Finding::new(State::Fails, Instead::Facts, vec![place]);
            verdicts.push(Verdict { line, judged, finding });
        }
    }
    verdicts.sort_by_key(|verdict| verdict.line);
    verdicts
}
