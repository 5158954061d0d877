//! What a scenario is made of once its lines are understood: a run and a lesson.

use super::condition::Condition;
use super::span::Span;
use crate::command::Command;
use crate::ids::Ms;
use crate::model::Model;

/// A language of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Chinese.
    Zh,
}

/// A text in the languages of the page.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Text {
    /// English.
    pub en: String,
    /// Chinese, if there is one.
    pub zh: Option<String>,
}

impl Text {
    /// The text in a language; in English when that is missing.
    pub fn get(&self, lang: Lang) -> &str {
        match (lang, &self.zh) {
            (Lang::Zh, Some(zh)) => zh,
            _ => &self.en,
        }
    }

    /// The text up to its last question mark, and what follows: the answer. No answer without a
    /// question.
    pub fn answered(&self, lang: Lang) -> (&str, &str) {
        let text = self.get(lang);
        let end =
            text.rfind(['?', '？']).and_then(|at| Some(at + text[at..].chars().next()?.len_utf8()));
        let (question, answer) = text.split_at(end.unwrap_or(text.len()));
        (question, answer.trim_start())
    }
}

/// A command with its instant and the line that it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// Instant, in ms.
    pub at_ms: Ms,
    /// The command.
    pub command: Command,
    /// Line, from 1.
    pub line: u32,
}

/// A step of a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beat {
    /// Line, from 1.
    pub line: u32,
    /// Instant, in ms.
    pub at_ms: Ms,
    /// What is said.
    pub text: Text,
    /// What only the presenter sees.
    pub notes: Vec<Text>,
}

impl Beat {
    /// Most characters of a heading: what fits into one line of the list of beats.
    pub const HEADING_MAX: usize = 60;

    /// The first sentence without its full stop: the beat's name in lists.
    pub fn heading(&self, lang: Lang) -> &str {
        let text = self.text.get(lang);
        sentence_end(text).map_or(text, |(end, _)| &text[..end])
    }

    /// How many characters the heading has, where that is more than [`Self::HEADING_MAX`].
    pub fn too_long(&self, lang: Lang) -> Option<usize> {
        Some(self.heading(lang).chars().count()).filter(|count| *count > Self::HEADING_MAX)
    }

    /// What follows the first sentence.
    pub fn rest(&self, lang: Lang) -> &str {
        let text = self.text.get(lang);
        sentence_end(text).map_or("", |(_, next)| text[next..].trim_start())
    }
}

/// Bytes before and after the full stop of the first sentence. A dot inside a number or name is
/// none.
fn sentence_end(text: &str) -> Option<(usize, usize)> {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let last = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        if c == '。' || (c == '.' && last) {
            return Some((at, at + c.len_utf8()));
        }
    }
    None
}

/// A question to predict what comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Line, from 1.
    pub line: u32,
    /// Instant, in ms.
    pub at_ms: Ms,
    /// The question.
    pub question: Text,
    /// The answers.
    pub choices: Vec<Choice>,
    /// What only the presenter sees.
    pub notes: Vec<Text>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The answer.
    pub text: Text,
    /// Whether it is right.
    pub right: bool,
}

/// Something to achieve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    /// Line, from 1.
    pub line: u32,
    /// What.
    pub text: Text,
    /// When it is achieved.
    pub when: Condition,
    /// Steps towards it, each of them telling more than the one before.
    pub hints: Vec<Text>,
    /// What only the presenter sees.
    pub notes: Vec<Text>,
}

/// What frames a lesson: where its question comes from, and where one may go from it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Framing {
    /// What the lesson answers, as people ask it; empty if there is none.
    pub question: Text,
    /// Where somebody asked it in public: addresses or titles.
    pub sources: Vec<String>,
    /// What to look at while it runs; empty if nothing is said.
    pub watch: Text,
    /// Settings to change one at a time, with what to look for then.
    pub twists: Vec<Text>,
    /// The lesson in which nothing breaks: the name of its file without the ending.
    pub repaired: Option<String>,
    /// Where the rule can be read: addresses or places in RocketMQ's source.
    pub see: Vec<String>,
}

/// Something that has to hold at the end of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// Line, from 1.
    pub line: u32,
    /// Where the condition stands.
    pub span: Span,
    /// The condition as the text has it.
    pub text: String,
    /// The condition, its names resolved.
    pub condition: Condition,
}

/// A run and a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Seed.
    pub seed: u64,
    /// The modelled RocketMQ, constants of the text included.
    pub model: Model,
    /// Commands in the order in which they take effect; the index is that of the journal.
    pub commands: Vec<Planned>,
    /// When the run ends, in ms.
    pub until_ms: Ms,
    /// Title.
    pub title: Text,
    /// What it shows.
    pub about: Text,
    /// Where it comes from and where it leads.
    pub framing: Framing,
    /// Steps, by instant.
    pub beats: Vec<Beat>,
    /// Questions, by instant.
    pub asks: Vec<Ask>,
    /// Goals.
    pub goals: Vec<Goal>,
    /// Expectations.
    pub expectations: Vec<Expectation>,
}

impl Program {
    /// The commands as a session takes them.
    pub fn journal(&self) -> Vec<(Ms, Command)> {
        self.commands.iter().map(|planned| (planned.at_ms, planned.command.clone())).collect()
    }

    /// The line that a command of the journal comes from; None for commands of other origin.
    pub fn line_of(&self, index: u32) -> Option<u32> {
        self.commands.get(index as usize).map(|planned| planned.line)
    }
}
