//! Turns the lines of a scenario into a program, and finds what is wrong with their meaning.

mod applies;
mod commands;
mod conditions;
mod consumers;
mod faults;
mod lesson;
mod queues;
mod scope;
mod sends;

use super::ast::{Scenario, Statement};
use super::names::Declared;
use super::problem::{Problem, ProblemKind};
use super::program::Program;
use super::prose::first_word;
use super::read::parse;
use super::span::{split, Name, Span};
use crate::ids::Ms;
use crate::model::{Model, NotSet};
use commands::Commands;
pub use lesson::missing_translations;
use scope::Scope;

/// How long a run goes on after the last instant that the scenario names.
pub const MARGIN_MS: Ms = 10_000;

/// The seed of a scenario that names none.
pub const DEFAULT_SEED: u64 = 1;

/// Reads and compiles a text.
///
/// # Errors
/// All mistakes of the text, in the order of its lines.
pub fn load(text: &str) -> Result<Program, Vec<Problem>> {
    let parsed = parse(text);
    let mut problems = parsed.problems;
    match compile(&parsed.scenario) {
        Ok(program) if problems.is_empty() => return Ok(program),
        Ok(_) => {}
        Err(more) if problems.is_empty() => problems = more,
        Err(more) => {
            let declared = Declared::collect(split(text).iter().map(|(place, _)| *place));
            problems.extend(more.into_iter().filter(|problem| !follows(problem, &declared)));
        }
    }
    problems.sort_by_key(|p| (p.span.line, p.span.column));
    Err(problems)
}

/// Whether a problem is there only because the line that declares its name cannot be read: that
/// line has a problem of its own.
fn follows(problem: &Problem, declared: &Declared) -> bool {
    match &problem.kind {
        ProblemKind::UnknownName { kind, name, .. } => declared.is(name, *kind),
        ProblemKind::WhichOne { kind, count: 0, .. } => declared.of(*kind).next().is_some(),
        ProblemKind::NeverSent { label } => declared.is_label(label),
        _ => false,
    }
}

/// Compiles the lines that could be read.
///
/// # Errors
/// Everything that is wrong with their meaning, in the order of the lines.
pub fn compile(scenario: &Scenario) -> Result<Program, Vec<Problem>> {
    let mut problems = Vec::new();
    let scope = Scope::collect(scenario, &mut problems);
    once(scenario, &mut problems);
    let (seed, model, until) = settings(scenario, &mut problems);
    let mut commands = Commands::new(&scope);
    for (line, statement) in scenario.statements() {
        if let Statement::Do(at_ms, action) = statement {
            if let Some(until_ms) = until.filter(|until| at_ms > until) {
                let span = head_span(scenario, line.number, "at");
                problems.push(Problem::new(span, ProblemKind::AfterTheRun { until_ms }));
            }
            let timed = first_word(&line.text) == "at";
            commands.action(line.number, *at_ms, timed, action, &mut problems);
        }
    }
    let mut lesson = lesson::collect(scenario, &scope, &mut problems);
    lesson.beats.sort_by_key(|beat| beat.at_ms);
    lesson.asks.sort_by_key(|ask| ask.at_ms);
    let (commands, last_ms) = commands.finish(&mut problems);
    let until_ms = until.unwrap_or_else(|| {
        let told = lesson.last_ms.max(last_ms);
        told.saturating_add(MARGIN_MS)
    });
    problems.sort_by_key(|p| (p.span.line, p.span.column));
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(Program {
        seed,
        model,
        commands,
        until_ms,
        title: lesson.title,
        about: lesson.about,
        framing: lesson.framing,
        beats: lesson.beats,
        asks: lesson.asks,
        goals: lesson.goals,
        expectations: lesson.expectations,
    })
}

/// Seed, model and horizon of the run.
fn settings(scenario: &Scenario, problems: &mut Vec<Problem>) -> (u64, Model, Option<Ms>) {
    let mut seed = DEFAULT_SEED;
    let mut until = None;
    let mut model =
        Model::named("5.3").unwrap_or_else(|| Model::of(crate::model::Version(5, 3, 3)));
    for (_, statement) in scenario.statements() {
        match statement {
            Statement::Seed(number) => seed = *number,
            Statement::Model(name) => model = Model::named(name).unwrap_or(model),
            Statement::RunUntil(ms) => until = Some(*ms),
            _ => {}
        }
    }
    // The model's own constants come first, wherever its line stands.
    for (_, statement) in scenario.statements() {
        match statement {
            Statement::Blocking(blocking) => model.blocking = *blocking,
            Statement::Set(name, value) => {
                problems.extend(set(&mut model, name, value));
            }
            _ => {}
        }
    }
    (seed, model, until)
}

/// Sets a constant of a model, or says what it can be.
fn set(model: &mut Model, name: &Name, value: &super::span::Spanned<i64>) -> Option<Problem> {
    match model.set_constant(&name.value, value.value) {
        // The grammar lets only names of constants through.
        Ok(()) | Err(NotSet::Unknown) => None,
        Err(NotSet::OutOfRange { name: constant, least, most }) => {
            let kind = ProblemKind::OutOfRange { name: constant, least, most };
            Some(Problem::new(value.span, kind))
        }
    }
}

/// Statements that may stand only once.
fn once(scenario: &Scenario, problems: &mut Vec<Problem>) {
    let mut seen: Vec<(&'static str, u32)> = Vec::new();
    for (line, statement) in scenario.statements() {
        let word = match statement {
            Statement::Title(_) => "title",
            Statement::About(_) => "about",
            Statement::Question(_) => "question",
            Statement::Watch(_) => "watch",
            Statement::Repaired(_) => "repaired",
            Statement::Seed(_) => "seed",
            Statement::Model(_) => "model",
            Statement::Blocking(_) => "blocking",
            Statement::RunUntil(_) => "run",
            _ => continue,
        };
        match seen.iter().find(|(other, _)| *other == word) {
            Some((_, first)) => {
                let span = head_span(scenario, line.number, word);
                problems.push(Problem::new(span, ProblemKind::Twice { word, line: *first }));
            }
            None => seen.push((word, line.number)),
        }
    }
}

/// The span of a line's first word.
pub(super) fn head_span(scenario: &Scenario, number: u32, word: &str) -> Span {
    let mut base = 0;
    for line in &scenario.lines {
        if line.number == number {
            let place = super::span::Place { text: &line.text, line: number, base };
            let start = line.text.find(word).unwrap_or(0);
            return place.span(start, (start + word.len()).min(line.text.len()));
        }
        base += line.text.len() + line.eol.text().len();
    }
    Span::default()
}
