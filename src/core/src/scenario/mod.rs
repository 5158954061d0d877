//! The scenario language: one text format for what the page plays, a link carries, the command
//! line checks, a lesson is and a test is.
//!
//! [`parse`] reads a text without losing a character, [`compile`] turns it into a [`Program`]
//! (seed, model, commands with their lines), [`check`] compares a run with what the text expects.

mod ast;
mod caps;
mod compile;
mod complete;
mod condition;
mod form;
mod grammar;
mod judge;
mod layout;
mod lex;
mod matcher;
mod names;
mod nearest;
mod problem;
mod program;
mod prose;
mod read;
mod reference;
mod say;
mod sentence;
mod slot;
mod span;
mod taking;
mod value;

pub use ast::{
    Action, Line, LineKind, Question, QueueCounts, Reads, Scenario, SendOptions, Setting, Statement,
};
pub use compile::{compile, load, missing_translations, DEFAULT_SEED, MARGIN_MS};
pub use complete::{completions, marks, Completion, Mark, MarkKind};
pub use condition::{
    ClientEvent, Condition, EventRow, Filter, MessageEvent, Moment, OffsetKind, QueueEvent,
    QueueName, Term, Times, When, Who, CLIENT_EVENTS, MESSAGE_EVENTS, QUEUE_EVENTS, REASONS,
};
pub use grammar::{Form, Section, GRAMMAR};
pub use judge::{
    achieved, check, evaluate, play, tell, Evidence, Finding, Instead, Judged, State, Verdict,
};
pub use layout::format;
pub use problem::{Expected, Fix, Problem, ProblemKind};
pub use program::{Ask, Beat, Choice, Expectation, Goal, Lang, Planned, Program, Text};
pub use read::{parse, Parsed};
pub use reference::reference;
pub use say::{say, say_all};
pub use slot::{NameKind, SlotRow, SLOTS};
pub use span::{Eol, Name, Span, Spanned};

#[cfg(test)]
mod tests;
