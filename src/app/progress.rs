//! Which lessons somebody has begun and done. Remembered in this browser only.

use std::collections::BTreeMap;

use super::settings::{read, write};

const PROGRESS: &str = "lockstep.progress";

/// How far somebody came with a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// A beat of it was seen.
    Begun,
    /// Its last beat was seen and its questions are answered.
    Done,
}

/// The marks of all lessons, by id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress(BTreeMap<String, Mark>);

impl Progress {
    /// What this browser remembers; nothing where it stores nothing.
    pub fn load() -> Self {
        Self::parse(&read(PROGRESS).unwrap_or_default())
    }

    /// Whether no lesson was ever begun here but the one that the page opens with.
    pub fn is_new(&self) -> bool {
        self.0.keys().all(|id| id == super::scenario::FIRST)
    }

    /// The mark of a lesson; None when it was never begun.
    pub fn of(&self, id: &str) -> Option<Mark> {
        self.0.get(id).copied()
    }

    /// Remembers a mark. What is done stays done.
    pub fn remember(id: &str, mark: Mark) {
        let mut progress = Self::load();
        if progress.of(id) < Some(mark) {
            progress.0.insert(id.to_owned(), mark);
            write(PROGRESS, &progress.print());
        }
    }

    /// `05-1-poison-message=done 05-2-max-reconsume=begun`; what is not understood is left out.
    fn parse(text: &str) -> Self {
        let pair = |part: &str| {
            let (id, word) = part.split_once('=')?;
            let mark = match word {
                "begun" => Mark::Begun,
                "done" => Mark::Done,
                _ => return None,
            };
            Some((id.to_owned(), mark))
        };
        Self(text.split_whitespace().filter_map(pair).collect())
    }

    fn print(&self) -> String {
        let word = |mark: &Mark| match mark {
            Mark::Begun => "begun",
            Mark::Done => "done",
        };
        let parts: Vec<String> =
            self.0.iter().map(|(id, mark)| format!("{id}={}", word(mark))).collect();
        parts.join(" ")
    }
}
