//! Texts, beats, questions, goals and expectations.

use super::conditions::Resolver;
use super::head_span;
use super::scope::Scope;
use crate::ids::Ms;
use crate::scenario::ast::{Scenario, Statement};
use crate::scenario::problem::{Problem, ProblemKind};
use crate::scenario::program::{Ask, Beat, Choice, Expectation, Framing, Goal, Text};
use crate::scenario::prose::question;

/// What belongs to the lesson and not to the run.
#[derive(Default)]
pub(super) struct Lesson {
    pub title: Text,
    pub about: Text,
    pub framing: Framing,
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
    Question,
    Watch,
    Beat,
    Ask,
    Goal,
    Twist,
}

/// What stands between a text and its `zh` line.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Below {
    /// Nothing: the line translates the text itself.
    #[default]
    Text,
    Note,
    Hint,
}

impl Lesson {
    /// The text that was added last under a heading; None for questions and when there is none.
    fn text(&mut self, above: Above) -> Option<&mut Text> {
        match above {
            Above::Title => Some(&mut self.title),
            Above::About => Some(&mut self.about),
            Above::Question => Some(&mut self.framing.question),
            Above::Watch => Some(&mut self.framing.watch),
            Above::Twist => self.framing.twists.last_mut(),
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
            _ => None,
        }
    }

    fn hints(&mut self, above: Above) -> Option<&mut Vec<Text>> {
        match above {
            Above::Goal => self.goals.last_mut().map(|goal| &mut goal.hints),
            _ => None,
        }
    }

    /// Adds a note or hint to what stands above it.
    fn add_below(&mut self, below: Below, above: Above, text: &str) -> Result<(), &'static str> {
        let (list, word) = match below {
            Below::Hint => (self.hints(above), "hint"),
            _ => (self.notes(above), "note"),
        };
        list.ok_or(word)?.push(plain(text));
        Ok(())
    }

    /// Takes the Chinese text of what stands above it.
    fn translate(&mut self, below: Below, above: Above, text: &str) {
        let place = match below {
            Below::Note => self.notes(above).and_then(|notes| notes.last_mut()),
            Below::Hint => self.hints(above).and_then(|hints| hints.last_mut()),
            Below::Text if matches!(above, Above::Ask) => return self.translate_question(text),
            Below::Text => self.text(above),
        };
        if let Some(place) = place {
            place.zh = Some(text.to_owned());
        }
    }

    fn translate_question(&mut self, text: &str) {
        let (Some(ask), Some(translated)) = (self.asks.last_mut(), question(text)) else { return };
        ask.question.zh = Some(translated.question);
        for (choice, (text, _)) in ask.choices.iter_mut().zip(translated.answers) {
            choice.text.zh = Some(text);
        }
    }

    /// Takes what frames the lesson; None for any other statement.
    fn frame(&mut self, statement: &Statement) -> Option<Above> {
        let framing = &mut self.framing;
        match statement {
            Statement::Question(text) => framing.question = plain(text),
            Statement::Source(text) => framing.sources.push(text.clone()),
            Statement::Watch(text) => framing.watch = plain(text),
            Statement::Twist(text) => framing.twists.push(plain(text)),
            Statement::Repaired(lesson) => framing.repaired = Some(lesson.clone()),
            Statement::See(text) => framing.see.push(text.clone()),
            _ => return None,
        }
        Some(match statement {
            Statement::Question(_) => Above::Question,
            Statement::Watch(_) => Above::Watch,
            Statement::Twist(_) => Above::Twist,
            _ => Above::Nothing,
        })
    }
}

/// Collects the lesson of a scenario.
pub(super) fn collect(scenario: &Scenario, scope: &Scope, problems: &mut Vec<Problem>) -> Lesson {
    let mut lesson = Lesson::default();
    let mut above = Above::Nothing;
    let mut below = Below::Text;
    for (line, statement) in scenario.statements() {
        let number = line.number;
        let mut resolver = Resolver { scope, problems, strict: true, last_ms: 0 };
        let was_below = std::mem::take(&mut below);
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
                    hints: Vec::new(),
                    notes: Vec::new(),
                });
                above = Above::Goal;
            }
            Statement::Note(text) | Statement::Hint(text) => {
                let kind = match statement {
                    Statement::Hint(_) => Below::Hint,
                    _ => Below::Note,
                };
                match lesson.add_below(kind, above, text) {
                    Ok(()) => below = kind,
                    Err(word) => {
                        let span = head_span(scenario, number, word);
                        let kind = ProblemKind::NothingAbove { word };
                        resolver.problems.push(Problem::new(span, kind));
                    }
                }
            }
            Statement::Chinese(text) => lesson.translate(was_below, above, &text.value),
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
            other => above = lesson.frame(other).unwrap_or(Above::Nothing),
        }
        lesson.last_ms = lesson.last_ms.max(resolver.last_ms);
    }
    lesson
}

fn plain(text: &str) -> Text {
    Text { en: text.to_owned(), zh: None }
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
            Statement::Hint(_) => "hint",
            Statement::Question(_) => "question",
            Statement::Watch(_) => "watch",
            Statement::Twist(_) => "twist",
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
