//! Texts, beats, questions, goals and expectations.

use super::conditions::Resolver;
use super::head_span;
use super::scope::Scope;
use crate::ids::Ms;
use crate::scenario::ast::{Scenario, Statement};
use crate::scenario::problem::{Problem, ProblemKind};
use crate::scenario::program::{Ask, Beat, Choice, Expectation, Goal, Text};
use crate::scenario::prose::question;

/// What belongs to the lesson and not to the run.
#[derive(Default)]
pub(super) struct Lesson {
    pub title: Text,
    pub about: Text,
    pub beats: Vec<Beat>,
    pub asks: Vec<Ask>,
    pub goals: Vec<Goal>,
    pub expectations: Vec<Expectation>,
    /// The last instant that it names.
    pub last_ms: Ms,
}

/// The text that a `zh` or `note` line belongs to.
#[derive(Clone, Copy)]
enum Above {
    Nothing,
    Title,
    About,
    Beat,
    Ask,
    Goal,
}

impl Lesson {
    /// The text that was added last under a heading; None for questions and when there is none.
    fn text(&mut self, above: Above) -> Option<&mut Text> {
        match above {
            Above::Title => Some(&mut self.title),
            Above::About => Some(&mut self.about),
            Above::Beat => self.beats.last_mut().map(|beat| &mut beat.text),
            Above::Goal => self.goals.last_mut().map(|goal| &mut goal.text),
            Above::Nothing | Above::Ask => None,
        }
    }

    fn notes(&mut self, above: Above) -> Option<&mut Vec<Text>> {
        match above {
            Above::Beat => self.beats.last_mut().map(|beat| &mut beat.notes),
            Above::Ask => self.asks.last_mut().map(|ask| &mut ask.notes),
            Above::Goal => self.goals.last_mut().map(|goal| &mut goal.notes),
            Above::Nothing | Above::Title | Above::About => None,
        }
    }
}

/// Collects the lesson of a scenario.
pub(super) fn collect(scenario: &Scenario, scope: &Scope, problems: &mut Vec<Problem>) -> Lesson {
    let mut lesson = Lesson::default();
    let mut above = Above::Nothing;
    let mut on_note = false;
    let plain = |text: &String| Text { en: text.clone(), zh: None };
    for (line, statement) in scenario.statements() {
        let number = line.number;
        let mut resolver = Resolver { scope, problems, strict: true, last_ms: 0 };
        let was_note = std::mem::replace(&mut on_note, false);
        match statement {
            Statement::Title(text) => (lesson.title, above) = (plain(text), Above::Title),
            Statement::About(text) => (lesson.about, above) = (plain(text), Above::About),
            Statement::Beat(at_ms, text) => {
                resolver.last_ms = *at_ms;
                lesson.beats.push(Beat {
                    line: number,
                    at_ms: *at_ms,
                    text: plain(text),
                    notes: Vec::new(),
                });
                above = Above::Beat;
            }
            Statement::Ask(at_ms, asked) => {
                resolver.last_ms = *at_ms;
                let choice =
                    |(text, right): &(String, bool)| Choice { text: plain(text), right: *right };
                let choices = asked.answers.iter().map(choice).collect();
                let question = plain(&asked.question);
                lesson.asks.push(Ask {
                    line: number,
                    at_ms: *at_ms,
                    question,
                    choices,
                    notes: Vec::new(),
                });
                above = Above::Ask;
            }
            Statement::Goal(text, condition) => {
                resolver.strict = false;
                let when = resolver.condition(condition);
                lesson.goals.push(Goal {
                    line: number,
                    text: plain(text),
                    when,
                    notes: Vec::new(),
                });
                above = Above::Goal;
            }
            Statement::Note(text) => match lesson.notes(above) {
                Some(notes) => {
                    notes.push(plain(text));
                    on_note = true;
                }
                None => {
                    let span = head_span(scenario, number, "note");
                    resolver
                        .problems
                        .push(Problem::new(span, ProblemKind::NothingAbove { word: "note" }));
                }
            },
            Statement::Chinese(text) => {
                if was_note {
                    if let Some(note) = lesson.notes(above).and_then(|notes| notes.last_mut()) {
                        note.zh = Some(text.value.clone());
                    }
                } else if matches!(above, Above::Ask) {
                    translate_question(&mut lesson, &text.value);
                } else if let Some(plain) = lesson.text(above) {
                    plain.zh = Some(text.value.clone());
                }
            }
            Statement::Expect(condition) => {
                let resolved = resolver.condition(&condition.value);
                let span = condition.span;
                let start = span.column as usize - 1;
                let text = line.text.chars().skip(start).take(span.width as usize).collect();
                lesson.expectations.push(Expectation {
                    line: number,
                    span,
                    text,
                    condition: resolved,
                });
                above = Above::Nothing;
            }
            _ => above = Above::Nothing,
        }
        lesson.last_ms = lesson.last_ms.max(resolver.last_ms);
    }
    lesson
}

fn translate_question(lesson: &mut Lesson, text: &str) {
    let (Some(ask), Some(translated)) = (lesson.asks.last_mut(), question(text)) else { return };
    ask.question.zh = Some(translated.question);
    for (choice, (text, _)) in ask.choices.iter_mut().zip(translated.answers) {
        choice.text.zh = Some(text);
    }
}

/// The texts of a scenario that are missing in one of the page's languages.
pub fn missing_translations(scenario: &Scenario) -> Vec<Problem> {
    let mut missing = Vec::new();
    let mut statements = scenario.statements().peekable();
    while let Some((line, statement)) = statements.next() {
        let word = match statement {
            Statement::Title(_) => "title",
            Statement::About(_) => "about",
            Statement::Beat(..) => "beat",
            Statement::Ask(..) => "ask",
            Statement::Goal(..) => "goal",
            Statement::Note(_) => "note",
            _ => continue,
        };
        if !matches!(statements.peek(), Some((_, Statement::Chinese(_)))) {
            let span = head_span(scenario, line.number, word);
            missing
                .push(Problem::new(span, ProblemKind::MissingTranslation { word, language: "zh" }));
        }
    }
    missing
}
