//! What the lines of a scenario say.

use super::condition::Condition;
use super::span::{Eol, Name, Spanned};
use crate::command::{Attempts, GroupSetting, Label, ListenerKind, Selector, SendMode, TopicType};
use crate::fact::{Outcome, StopKind};
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
    Set(Name, i64),
    /// `run until`
    RunUntil(Ms),
    /// Something is declared (at 0) or done at an instant.
    Do(Ms, Action),
    /// `expect`
    Expect(Spanned<Condition>),
    /// `beat`
    Beat(Ms, String),
    /// `ask`
    Ask(Ms, Question),
    /// `goal`
    Goal(String, Condition),
}

/// A question with its answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The question, with its question mark.
    pub question: String,
    /// The answers; true for the right ones.
    pub answers: Vec<(String, bool)>,
}

/// Which queue counts a statement gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct QueueCounts {
    /// `readQueueNums`
    pub read: Option<u16>,
    /// `writeQueueNums`
    pub write: Option<u16>,
}

/// What a group reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reads {
    /// Topic.
    pub topic: Name,
    /// Tags; empty = all.
    pub tags: Vec<String>,
}

/// What one `sends` says about its messages.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct SendOptions {
    /// Topic.
    pub topic: Option<Name>,
    /// Thread, from 0.
    pub thread: u8,
    /// Distance of the messages in ms.
    pub every_ms: Ms,
    /// Tag.
    pub tag: Option<String>,
    /// Key; `{n}` stands for the message's number.
    pub key: Option<String>,
    /// Delay level; 0 = none.
    pub delay_level: u8,
    /// Arbitrary delay in ms; 0 = none.
    pub timer_delay_ms: Ms,
    /// Extra time on the way in ms.
    pub travel_ms: Ms,
    /// Body size in bytes.
    pub body_bytes: Option<u32>,
}

/// A consumer group's setting with its place.
pub type Setting = Spanned<GroupSetting>;

/// What is declared or done.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of the command of the same name")]
pub enum Action {
    /// `topic`
    Topic { name: Name, kind: TopicType, queues: QueueCounts },
    /// `orders 8 queues`
    Queues { topic: Name, queues: QueueCounts },
    /// `series`
    Series { series: Name, key: Option<String> },
    /// `group`
    Group { name: Name, reads: Vec<Reads>, listener: ListenerKind, settings: Vec<Setting> },
    /// `billing max-reconsume-times 3`
    Settings { group: Name, settings: Vec<Setting> },
    /// `producer`
    Producer { name: Name, topic: Option<Name>, selector: Selector, mode: SendMode, threads: u8 },
    /// `p1 sends A1 A2`
    Send { producer: Name, labels: Vec<Spanned<Label>>, options: SendOptions },
    /// `p1 sends 1000 messages`
    Load {
        producer: Name,
        topic: Option<Name>,
        count: u32,
        groups: u32,
        per_second: u32,
        skew_percent: u32,
    },
    /// `consumer c1 in billing`, `c1 joins billing`
    Consumer { name: Name, group: Name, threads: Option<u16> },
    /// `c1 starts`
    Start { name: Name },
    /// `c1 stops`, `crashes`, `vanishes`, `hangs`
    Stop { name: Name, how: StopKind },
    /// `c1 resumes`, `billing resumes`
    Resume { name: Name },
    /// `billing pauses`
    Pause { group: Name },
    /// `A2 fails always`; without labels: every message
    Handle {
        labels: Option<Vec<Spanned<Label>>>,
        attempts: Attempts,
        outcome: Option<Outcome>,
        handle_ms: Option<Ms>,
        group: Option<Name>,
        client: Option<Name>,
    },
    /// `cut c1 from broker`
    Cut { a: Name, b: Name },
    /// `heal c1 and broker`
    Heal { a: Name, b: Name },
    /// `latency`
    Latency { from: Option<Name>, to: Option<Name>, ms: Ms },
    /// `delay-levels`
    DelayLevels { table: String },
    /// `broker stops`, `broker crashes`
    StopBroker { clean: bool },
    /// `broker starts`
    StartBroker,
    /// `set` during the run
    Set { constant: Name, value: i64 },
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
