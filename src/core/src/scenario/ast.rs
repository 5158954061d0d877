//! What the lines of a scenario say.

use super::action::Action;
use super::condition::Condition;
use super::span::{Eol, Name, Spanned};
use crate::ids::Ms;
use crate::model::Blocking;

/// A scenario: its lines, in order. Every character of the text is kept.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Scenario {
    /// The lines.
    pub lines: Vec<Line>,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Line number, from 1.
    pub number: u32,
    /// The line without its end.
    pub text: String,
    /// Its end.
    pub eol: Eol,
    /// What it is.
    pub kind: LineKind,
}

/// What a line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// Nothing but white space.
    Blank,
    /// Nothing but a comment.
    Comment,
    /// The rest of the text that begins in an earlier line.
    Continuation,
    /// A statement.
    Statement(Box<Statement>),
    /// A line that could not be read.
    Unreadable,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// `title`
    Title(String),
    /// `about`
    About(String),
    /// `zh`: the text above in Chinese.
    Chinese(Spanned<String>),
    /// `note`: what a presenter reads with the beat above.
    Note(String),
    /// `seed`
    Seed(u64),
    /// `model`
    Model(String),
    /// `blocking`
    Blocking(Blocking),
    /// `set`: a constant of the model, from the start.
    Set(Name, Spanned<i64>),
    /// `run until`
    RunUntil(Ms),
    /// Something is declared (at 0) or done at an instant.
    Do(Ms, Box<Action>),
    /// `expect`
    Expect(Spanned<Condition>),
    /// `beat`
    Beat(Ms, String),
    /// `ask`
    Ask(Ms, Question),
    /// `goal`
    Goal(String, Condition),
    /// `hint`: a step towards the goal above.
    Hint(String),
    /// `question`: what the lesson answers, as people ask it.
    Question(String),
    /// `source`: where somebody asked it in public.
    Source(String),
    /// `watch`: what to look at.
    Watch(String),
    /// `twist`: one setting to change.
    Twist(String),
    /// `repaired`: the lesson in which nothing breaks.
    Repaired(String),
    /// `see`: where the rule can be read.
    See(String),
}

/// A question with its answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The question, with its question mark.
    pub question: String,
    /// The answers; true for the right ones.
    pub answers: Vec<(String, bool)>,
}

impl Scenario {
    /// The text that was read, byte for byte.
    pub fn print(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            text.push_str(&line.text);
            text.push_str(line.eol.text());
        }
        text
    }

    /// The statements with their lines.
    pub fn statements(&self) -> impl Iterator<Item = (&Line, &Statement)> {
        self.lines.iter().filter_map(|line| match &line.kind {
            LineKind::Statement(statement) => Some((line, &**statement)),
            _ => None,
        })
    }
}
