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
    /// A reset of a queue that the topic's consumers cannot read at that instant.
    NoReadQueue {
        /// Topic.
        topic: String,
        /// Queue id.
        id: u16,
        /// How many read queues the topic has then.
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
            ProblemKind::NoReadQueue { .. } => "no-read-queue",
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

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expected::Word(word) => write!(f, "`{word}`"),
            Expected::Comma => write!(f, "a comma"),
            Expected::Value(row) => write!(f, "{} ({})", row.meaning, row.example),
            Expected::End => write!(f, "the end of the line"),
        }
    }
}

/// Most alternatives that a message lists; the editor's completion lists all.
const LISTED_MAX: usize = 8;

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)?;
        match &self.fix {
            Some(fix) => write!(f, ". Did you mean `{}`?", fix.replacement),
            None => write!(f, "."),
        }
    }
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProblemKind::Expected { expected, found, subject } => {
                match found {
                    Some(word) => write!(f, "`{word}` cannot stand here")?,
                    None => write!(f, "The line ends too early")?,
                }
                if let Some((kind, name)) = subject {
                    write!(f, " (`{name}` is a {})", kind.word())?;
                }
                write!(f, ": expected ")?;
                list(f, expected)
            }
            ProblemKind::UnclosedQuote => write!(f, "This quote is never closed"),
            ProblemKind::UnknownName { kind, name, instead } => {
                write!(f, "No {} is called `{name}`", kind.word())?;
                match instead {
                    Some(other) => write!(f, "; that is a {}", other.word()),
                    None => Ok(()),
                }
            }
            ProblemKind::NameTaken { name, line: 0 } => {
                write!(f, "`{name}` is the name of something that is always there")
            }
            ProblemKind::NameTaken { name, line } => write!(f, "`{name}` is already declared in line {line}"),
            ProblemKind::NeverSent { label } => write!(f, "No line sends {label}"),
            ProblemKind::NoSuchQueue { topic, id, queues } => {
                write!(f, "`{topic}` has no q{id}: it has {queues} {}", if *queues == 1 { "queue" } else { "queues" })
            }
            ProblemKind::NoReadQueue { topic, id, queues: 1 } => {
                write!(f, "`{topic}` has no q{id} to read at this instant: its only read queue is q0")
            }
            ProblemKind::NoReadQueue { topic, id, queues } => {
                write!(f, "`{topic}` has no q{id} to read at this instant: its read queues are q0 to q{}", queues.saturating_sub(1))
            }
            ProblemKind::WhichOne { kind, count: 0, .. } => write!(f, "There is no {}", kind.word()),
            ProblemKind::WhichOne { kind, count, form } => {
                write!(f, "There are {count} of them: say which {} is meant (`{form}`)", kind.word())
            }
            ProblemKind::OffsetOfNoQueue => {
                write!(f, "An offset is the offset of one queue: say of which, as in `reset GROUP in q0 to offset 5`")
            }
            ProblemKind::Twice { word, line } => write!(f, "`{word}` stands in line {line} already"),
            ProblemKind::NothingAbove { word } => write!(f, "`{word}` has no text above it that it could belong to"),
            ProblemKind::BadQuestion => write!(
                f,
                "A question ends in a question mark and is followed by two answers or more with | between them, the right one marked with *"
            ),
            ProblemKind::AnswerCount { expected, found } => {
                write!(f, "The question has {expected} answers, its translation has {found}")
            }
            ProblemKind::DoesNotApply { word, event } => write!(f, "`{word}` cannot be said of `{event}`"),
            ProblemKind::GoalWithoutWhen => write!(f, "A goal ends in `when` and a condition"),
            ProblemKind::TooEarly { name, from_ms } => {
                write!(f, "`{name}` does not exist before {}", super::value::write_time(*from_ms))
            }
            ProblemKind::OutOfRange { name, least: ..=-1, most } => {
                write!(f, "`{name}` is `never`, or a value from 0 to {most}")
            }
            ProblemKind::OutOfRange { name, least, most } => {
                write!(f, "`{name}` is a value from {least} to {most}")
            }
            ProblemKind::AfterTheRun { until_ms } => {
                write!(f, "This never happens: the run ends at {}", super::value::write_time(*until_ms))
            }
            ProblemKind::ControlCharacter { code } => {
                write!(f, "A control character (U+{code:04X}) cannot stand in a scenario: remove it")
            }
            ProblemKind::TooManyLines { lines, most } => {
                write!(f, "The text has {lines} lines, a scenario has {most} at most: `p1 sends 10000 messages` is a load in one line")
            }
            ProblemKind::LineTooLong { bytes, most } => {
                write!(f, "The line has {bytes} bytes, {most} are the most: split it")
            }
            ProblemKind::MissingTranslation { word, language } => {
                write!(f, "This `{word}` has no text in {language}: add a line `{language}` below it")
            }
        }
    }
}

/// `a`, `b` or `c`.
fn list(f: &mut fmt::Formatter<'_>, expected: &[Expected]) -> fmt::Result {
    let most = if expected.len() == LISTED_MAX + 1 { LISTED_MAX + 1 } else { LISTED_MAX };
    let shown = &expected[..expected.len().min(most)];
    for (index, one) in shown.iter().enumerate() {
        let last = index + 1 == expected.len();
        match index {
            0 => {}
            _ if last => write!(f, " or ")?,
            _ => write!(f, ", ")?,
        }
        write!(f, "{one}")?;
    }
    match expected.len() - shown.len() {
        0 => Ok(()),
        more => write!(f, " or {more} other things"),
    }
}
