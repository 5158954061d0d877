//! What is wrong with a scenario's text.

use std::fmt;

use super::slot::{NameKind, SlotRow};
use super::span::Span;

/// A mistake: where, what, and how it could be mended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub span: Span,
    /// What.
    pub kind: ProblemKind,
    /// A replacement that is probably meant.
    pub fix: Option<Fix>,
}

/// A replacement for a piece of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it replaces.
    pub span: Span,
    /// By what.
    pub replacement: String,
}

/// Something that may stand at a place.
#[derive(Clone, Copy, Debug)]
pub enum Expected {
    /// A word.
    Word(&'static str),
    /// A comma.
    Comma,
    /// A value.
    Value(&'static SlotRow),
    /// The end of the line.
    End,
}

impl PartialEq for Expected {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Expected::Word(a), Expected::Word(b)) => a == b,
            (Expected::Value(a), Expected::Value(b)) => a.kind == b.kind,
            (Expected::End, Expected::End) | (Expected::Comma, Expected::Comma) => true,
            _ => false,
        }
    }
}
impl Eq for Expected {}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// Something else may stand here.
    Expected {
        /// What may stand here; never empty.
        expected: Vec<Expected>,
        /// What stands here; None at the end of the line.
        found: Option<String>,
        /// What the sentence is about, when its first word is a declared name.
        subject: Option<(NameKind, String)>,
    },
    /// A quote is never closed.
    UnclosedQuote,
    /// Nothing has this name.
    UnknownName {
        /// What was looked for.
        kind: NameKind,
        /// The name.
        name: String,
        /// What has the name instead.
        instead: Option<NameKind>,
    },
    /// Two things have one name.
    NameTaken {
        /// The name.
        name: String,
        /// Line of the first.
        line: u32,
    },
    /// A message that no `sends` sends.
    NeverSent {
        /// Its label.
        label: String,
    },
    /// A queue that the topic never has.
    NoSuchQueue {
        /// Topic.
        topic: String,
        /// Queue id.
        id: u16,
        /// How many queues the topic has at most.
        queues: u16,
    },
    /// A reset of a queue that the topic has never had by that instant.
    QueueNeverWas {
        /// Topic.
        topic: String,
        /// Queue id.
        id: u16,
        /// How many queues the topic had at most.
        queues: u16,
    },
    /// It is not clear which one is meant: there are several, or none.
    WhichOne {
        /// What has to be named.
        kind: NameKind,
        /// How many there are.
        count: usize,
        /// How it is named, with the kind of name in capitals.
        form: &'static str,
    },
    /// A reset to an offset that does not say of which queue.
    OffsetOfNoQueue,
    /// A statement that may stand only once.
    Twice {
        /// Its word.
        word: &'static str,
        /// Line of the first.
        line: u32,
    },
    /// A translation, note or continuation without a text that it belongs to.
    NothingAbove {
        /// Its word.
        word: &'static str,
    },
    /// A question needs a question mark, at least two answers and one that is right.
    BadQuestion,
    /// A translated question with another number of answers.
    AnswerCount {
        /// Answers of the original.
        expected: usize,
        /// Answers of the translation.
        found: usize,
    },
    /// Something is said of an event that it does not have.
    DoesNotApply {
        /// What is said.
        word: &'static str,
        /// The event.
        event: &'static str,
    },
    /// A goal without condition.
    GoalWithoutWhen,
    /// A statement stands earlier in time than what it needs.
    TooEarly {
        /// The name that does not exist yet.
        name: String,
        /// When it begins, in ms.
        from_ms: i64,
    },
    /// A constant that cannot have this value.
    OutOfRange {
        /// Its name.
        name: &'static str,
        /// Smallest legal value; -1 where it may be `never`.
        least: i64,
        /// Greatest legal value.
        most: i64,
    },
    /// A statement that the run does not live to see.
    AfterTheRun {
        /// When the run ends, in ms.
        until_ms: i64,
    },
    /// A character that cannot be shown, as files have that are no text.
    ControlCharacter {
        /// Its number in Unicode.
        code: u32,
    },
    /// More lines than a scenario may have.
    TooManyLines {
        /// How many there are.
        lines: usize,
        /// How many there may be.
        most: usize,
    },
    /// A line that is longer than one may be.
    LineTooLong {
        /// Its length, in bytes of UTF-8.
        bytes: usize,
        /// How many bytes there may be.
        most: usize,
    },
    /// A text that has to exist in every language of the page.
    MissingTranslation {
        /// The statement's word.
        word: &'static str,
        /// The language.
        language: &'static str,
    },
}

impl Problem {
    pub(crate) fn new(span: Span, kind: ProblemKind) -> Self {
        Self { span, kind, fix: None }
    }

    /// Boxed, for results that are passed on.
    pub(crate) fn boxed(span: Span, kind: ProblemKind) -> Box<Self> {
        Box::new(Self::new(span, kind))
    }

    pub(crate) fn with_fix(mut self, replacement: Option<String>) -> Self {
        self.fix = replacement.map(|replacement| Fix { span: self.span, replacement });
        self
    }

    /// A stable name of the kind of mistake.
    pub fn code(&self) -> &'static str {
        match &self.kind {
            ProblemKind::Expected { found: Some(_), .. } => "expected",
            ProblemKind::Expected { found: None, .. } => "unfinished",
            ProblemKind::UnclosedQuote => "unclosed-quote",
            ProblemKind::UnknownName { .. } => "unknown-name",
            ProblemKind::NameTaken { .. } => "name-taken",
            ProblemKind::NeverSent { .. } => "never-sent",
            ProblemKind::NoSuchQueue { .. } => "no-such-queue",
            ProblemKind::QueueNeverWas { .. } => "queue-never-was",
            ProblemKind::WhichOne { .. } => "which-one",
            ProblemKind::OffsetOfNoQueue => "offset-of-no-queue",
            ProblemKind::Twice { .. } => "twice",
            ProblemKind::NothingAbove { .. } => "nothing-above",
            ProblemKind::BadQuestion => "bad-question",
            ProblemKind::AnswerCount { .. } => "answer-count",
            ProblemKind::DoesNotApply { .. } => "does-not-apply",
            ProblemKind::GoalWithoutWhen => "goal-without-when",
            ProblemKind::TooEarly { .. } => "too-early",
            ProblemKind::OutOfRange { .. } => "out-of-range",
            ProblemKind::AfterTheRun { .. } => "after-the-run",
            ProblemKind::ControlCharacter { .. } => "control-character",
            ProblemKind::TooManyLines { .. } => "too-many-lines",
            ProblemKind::LineTooLong { .. } => "line-too-long",
            ProblemKind::MissingTranslation { .. } => "missing-translation",
        }
    }
}

/// For logs of programs: the stable name and the typed mistake. People read the sentence that
/// `lockstep-i18n` makes of it, in their language.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:?}", self.code(), self.kind)?;
        match &self.fix {
            Some(fix) => write!(f, ", perhaps `{}`", fix.replacement),
            None => Ok(()),
        }
    }
}
