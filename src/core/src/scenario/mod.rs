//! The scenario language: one text format for what the page plays, a link carries, the command
//! line checks, a lesson is and a test is.
//!
//! [`parse`] reads a text without losing a character, [`compile`] turns it into a [`Program`]
//! (seed, model, commands with their lines), [`check`] compares a run with what the text expects.

mod action;
mod ast;
mod caps;
mod compile;
mod complete;
mod condition;
mod events;
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
mod quote;
mod read;
mod reference;
mod say;
mod sentence;
mod slot;
mod span;
mod taking;
mod value;
mod vary;
mod words;
mod written;

pub use action::{
    Action, ConsumerKind, ConsumerOptions, MessageOptions, OwnKey, ProducerOptions, QueueCounts,
    Reads, ReceiveOptions, RequestPart, ResetScope, SendOptions, Setting,
};
pub use ast::{Line, LineKind, Question, Scenario, Statement};
pub use compile::{compile, load, missing_translations, DEFAULT_SEED, MARGIN_MS};
pub use complete::{completions, marks, Completion, Mark, MarkKind};
pub use condition::{Condition, Filter, Moment, OffsetKind, QueueName, Term, Times, When, Who};
pub use events::{
    ClientEvent, EventRow, MessageEvent, PartyEvent, QueueEvent, Reason, RefusalKind,
    CLIENT_EVENTS, MESSAGE_EVENTS, PARTY_EVENTS, QUEUE_EVENTS, REASONS, REFUSALS,
};
pub use grammar::{Form, Section, GRAMMAR};
pub use judge::{
    achieved, check, evaluate, play, tell, Evidence, Finding, Instead, Judged, State, Verdict,
};
pub use layout::format;
pub use lex::quote;
pub use nearest::nearest;
pub use problem::{Expected, Fix, Problem, ProblemKind};
pub use program::{Ask, Beat, Choice, Expectation, Framing, Goal, Lang, Planned, Program, Text};
pub use quote::Quote;
pub use read::{parse, Parsed};
pub use reference::reference;
pub use say::{say, say_all, say_behind, say_setting};
pub use slot::{NameKind, SlotRow, SLOTS};
pub use span::{Eol, Name, Span, Spanned};
pub use value::{label as parse_label, time as parse_time, write_time};
pub use vary::{vary, Variant};
pub use written::written;

#[cfg(test)]
mod tests;
