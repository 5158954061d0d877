//! What a scenario expects and what became of it, and the goals of a lesson.

use std::rc::Rc;

use lockstep_core::ids::Ms;
use lockstep_core::scenario::{self, Evidence, Judged, Problem, Program, State};
use lockstep_core::session::Session;
use yew::prelude::*;

use crate::app::frame::Frame;
use crate::app::scenario::Scenario;
use crate::i18n::panel::EditorText;
use crate::i18n::sentence::Speaker;
use crate::i18n::{clock, judged, Locale};
use crate::ui::icon::{sized, Icon};

/// Most events that a check runs while somebody types.
const MAX_EVENTS: usize = 60_000;
/// Most facts that are listed below an expectation.
const MAX_FACTS: usize = 4;

/// A text that was read, and what its run showed.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The text.
    pub text: Rc<str>,
    /// What is wrong with it.
    pub problems: Rc<Vec<Problem>>,
    /// What became of its expectations; None when it cannot be read or runs too long.
    pub verdicts: Option<Rc<Vec<VerdictView>>>,
    /// Whether its run ends with every goal reached.
    pub reached: bool,
}

/// An expectation and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct VerdictView {
    /// Its line.
    pub line: u32,
    /// Its text.
    pub text: String,
    /// Whether it holds; None when the run could not decide.
    pub holds: Option<bool>,
    /// Whether the lesson expects it of its own text, which somebody has changed.
    pub was: bool,
    /// What happened instead, in a sentence.
    pub instead: Option<String>,
    /// The facts that it comes from, or the nearest ones, as sentences with their instants.
    pub facts: Vec<(Ms, String)>,
}

/// Reads a text, runs it aside from the run on the stage, and checks what it expects. `open` is the
/// scenario on the stage.
pub fn check(text: Rc<str>, open: &Scenario, locale: Locale) -> Checked {
    match scenario::load(&text) {
        Err(problems) => {
            Checked { text, problems: Rc::new(problems), verdicts: None, reached: false }
        }
        Ok(program) => {
            let lesson = open.lesson_text().filter(|lesson| *lesson != text);
            let ran = run(&program, &expected(lesson.as_deref()), locale);
            let reached = ran.as_ref().is_some_and(|ran| ran.1);
            let verdicts = ran.map(|(verdicts, _)| Rc::new(verdicts));
            Checked { text, problems: Rc::default(), verdicts, reached }
        }
    }
}

/// What a lesson expects.
fn expected(lesson: Option<&str>) -> Vec<String> {
    let lesson = lesson.and_then(|text| scenario::load(text).ok());
    let expectations = lesson.map(|lesson| lesson.expectations).unwrap_or_default();
    expectations.into_iter().map(|expectation| expectation.text).collect()
}

/// What became of the expectations, and whether all goals are reached; `before` are expectations of
/// the text before it was changed.
fn run(program: &Program, before: &[String], locale: Locale) -> Option<(Vec<VerdictView>, bool)> {
    if program.expectations.is_empty() && program.goals.is_empty() {
        return Some((Vec::new(), false));
    }
    let mut session = Session::new(program.seed, program.model.clone(), program.journal());
    let mut budget = MAX_EVENTS;
    while session.next_event_at().is_some_and(|at_ms| at_ms <= program.until_ms) {
        budget = budget.checked_sub(1)?;
        session.step();
    }
    let evidence = Evidence::of(&session, program.until_ms, true);
    let speaker = Speaker { world: session.world(), locale };
    let views = scenario::check(program, &evidence).into_iter().map(|verdict| {
        let finding = &verdict.finding;
        let facts = finding.facts.iter().filter_map(|index| session.facts().get(*index));
        let text = match &verdict.judged {
            Judged::Expectation(index) => program.expectations[*index].text.clone(),
            Judged::Refusal(_, refusal) => speaker.refusal(refusal),
        };
        VerdictView {
            line: verdict.line,
            was: finding.state == State::Fails && before.contains(&text),
            text,
            holds: match finding.state {
                State::Holds => Some(true),
                State::Fails => Some(false),
                State::Open => None,
            },
            instead: judged::instead(
                &speaker,
                &finding.instead,
                finding.facts.len(),
                session.violations(),
            ),
            facts: facts.map(|r| (r.at_ms, speaker.fact(&r.fact, None))).take(MAX_FACTS).collect(),
        }
    });
    let reached = !program.goals.is_empty()
        && program.goals.iter().all(|goal| scenario::achieved(goal, &evidence));
    Some((views.collect(), reached))
}

/// State of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalState {
    /// Its condition holds.
    Reached,
    /// It does not, or not yet.
    Open,
}

/// The goals of a scenario at the present.
pub fn goal_states(frame: &Frame) -> Vec<GoalState> {
    let core = frame.core.read();
    let program = &frame.scenario.program;
    let evidence = Evidence::of(&core.session, frame.now_ms, frame.now_ms >= program.until_ms);
    let state = |goal: &scenario::Goal| match scenario::achieved(goal, &evidence) {
        true => GoalState::Reached,
        false => GoalState::Open,
    };
    program.goals.iter().map(state).collect()
}

/// The list of expectations. `checked` is None before the first check; `onseek` while the run on
/// the stage is another one.
pub fn verdict_list(
    checked: Option<&Checked>,
    locale: Locale,
    online: &Callback<u32>,
    onseek: Option<&Callback<Ms>>,
) -> Html {
    let texts = EditorText(locale);
    let verdicts = checked.as_ref().and_then(|c| c.verdicts.clone());
    let count = verdicts.as_ref().map(|all| {
        let holding = all.iter().filter(|v| v.holds == Some(true)).count();
        match all.iter().filter(|v| v.was).count() {
            0 => texts.hold(holding, all.len()),
            before => texts.hold_changed(holding, all.len(), before),
        }
    });
    let empty = verdicts.as_ref().is_some_and(|all| all.is_empty());
    let too_long = checked.as_ref().is_some_and(|c| c.problems.is_empty() && c.verdicts.is_none());
    html! {
        <section class="verdict-list" hidden={checked.is_none()} aria-label={texts.expectations()}>
            <header key="head">
                <h3>{ texts.expectations() }</h3>
                <span class="chip waiting" hidden={count.is_none() || empty}>{ count }</span>
                <span class="small muted">{ if too_long { texts.too_long() } else { texts.checked() } }</span>
            </header>
            <p key="none" class="small muted" hidden={!empty}>
                { texts.no_expectations() }{ " " }<code>{ "expect order kept in A" }</code>{ " " }{ texts.checks_it() }
            </p>
            <ul key="list">
                { for verdicts.iter().flat_map(|all| all.iter()).enumerate().map(|(index, verdict)| html! {
                    <li key={index}>{ one(verdict, texts, online, onseek) }</li>
                }) }
            </ul>
        </section>
    }
}

fn one(
    verdict: &VerdictView,
    texts: EditorText,
    online: &Callback<u32>,
    onseek: Option<&Callback<Ms>>,
) -> Html {
    let (icon, word, class) = match verdict.holds {
        Some(false) if verdict.was => (Icon::Clock, texts.was_so(), "was"),
        Some(true) => (Icon::Check, texts.holds(), "holds"),
        Some(false) => (Icon::Cross, texts.fails(), "fails"),
        None => (Icon::Hourglass, texts.open_state(), "open"),
    };
    let (online, line) = (online.clone(), verdict.line);
    let failed = verdict.holds == Some(false) && !verdict.was;
    html! {
        <div class={classes!("verdict", class)} data-holds={verdict.holds.map(|h| h.to_string())}>
            <span key="icon" role="img" aria-label={word}>{ sized(icon, 14) }</span>
            <span key="text"><code>{ verdict.text.clone() }</code>{ verdict.was.then(|| html! { <span class="beat-before">{ texts.was_so() }</span> }) }</span>
            <button key="line" class="link small" onclick={Callback::from(move |_: MouseEvent| online.emit(line))}>{ texts.line(line) }</button>
            <div key="happened" class="verdict-happened" hidden={!failed}>
                <p key="instead" class="small" hidden={verdict.instead.is_none()}>{ verdict.instead.clone() }</p>
                <ul key="facts">
                    { for verdict.facts.iter().enumerate().map(|(index, (at_ms, sentence))| {
                        let at_ms = *at_ms;
                        let seek = onseek.cloned().map(|on| Callback::from(move |_: MouseEvent| on.emit(at_ms)));
                        html! {
                            <li key={index}>
                                { match seek {
                                    Some(onclick) => html! { <button class="link tick-link" {onclick}>{ clock(at_ms) }</button> },
                                    None => html! { <span class="tick-link">{ clock(at_ms) }</span> },
                                } }
                                <span>{ sentence.clone() }</span>
                            </li>
                        }
                    }) }
                </ul>
            </div>
        </div>
    }
}
