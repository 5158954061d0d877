//! Instants of a run that people marked. Those of a lesson are remembered in this browser.

use std::collections::BTreeSet;
use std::rc::Rc;

use lockstep_core::ids::Ms;

use super::settings::{read, write};

/// Most bookmarks of one run; the next one is refused.
const MOST: usize = 200;

/// The bookmarks of the run that is played.
#[derive(Clone, Debug, Default)]
pub struct Bookmarks {
    /// The lesson they are remembered for; empty = none.
    lesson: Rc<str>,
    at_ms: BTreeSet<Ms>,
}

impl Bookmarks {
    /// Those of a lesson. A text that has no name keeps the present ones: it is mostly the same
    /// scenario with a change.
    pub fn open(&mut self, lesson: &Rc<str>) {
        self.lesson = Rc::clone(lesson);
        if !lesson.is_empty() {
            self.at_ms = parse(&read(&self.name()).unwrap_or_default());
        }
    }

    /// Marks an instant, or takes its mark away.
    pub fn toggle(&mut self, at_ms: Ms) {
        if !self.at_ms.remove(&at_ms) && self.at_ms.len() < MOST {
            self.at_ms.insert(at_ms);
        }
        if !self.lesson.is_empty() {
            write(&self.name(), &print(&self.at_ms));
        }
    }

    /// The first one after an instant.
    pub fn after(&self, at_ms: Ms) -> Option<Ms> {
        self.at_ms.range(at_ms + 1..).next().copied()
    }

    /// The last one before an instant.
    pub fn before(&self, at_ms: Ms) -> Option<Ms> {
        self.at_ms.range(..at_ms).next_back().copied()
    }

    /// All of them, in order.
    pub fn all(&self) -> Rc<[Ms]> {
        self.at_ms.iter().copied().collect()
    }

    fn name(&self) -> String {
        format!("lockstep.bookmarks.{}", self.lesson)
    }
}

/// `5000 12000`; what is no instant is left out.
fn parse(text: &str) -> BTreeSet<Ms> {
    let instants = text.split_whitespace().filter_map(|word| word.parse().ok());
    instants.filter(|at_ms| *at_ms >= 0).take(MOST).collect()
}

fn print(instants: &BTreeSet<Ms>) -> String {
    let words: Vec<String> = instants.iter().map(Ms::to_string).collect();
    words.join(" ")
}
