//! The scenario that runs, as the page needs it: the program of the core, its text, and where it
//! stands in the list of lessons.

use std::rc::Rc;

use lockstep_core::ids::Ms;
use lockstep_core::scenario::{self, Lang, Problem, Program};

use crate::i18n::Locale;

/// The scenario that a page opens with; its text is part of the program, so nothing is waited for.
pub const FIRST: &str = "05-1-poison-message";

/// The text of [`FIRST`].
pub const FIRST_TEXT: &str = include_str!("../../www/lessons/05-1-poison-message.scn");

/// A scenario that could be read.
pub struct Scenario {
    /// Its id: the name of its file without the ending; empty for a text of one's own.
    pub id: Rc<str>,
    /// Its text as it was read.
    pub text: Rc<str>,
    /// What runs.
    pub program: Program,
}

impl std::fmt::Debug for Scenario {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scenario").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Scenario {
    /// Reads a text.
    ///
    /// # Errors
    /// Everything that is wrong with it, in the order of its lines.
    pub fn read(id: &str, text: &str) -> Result<Self, Vec<Problem>> {
        let program = scenario::load(text)?;
        Ok(Self { id: id.into(), text: text.into(), program })
    }

    /// Its title in a language.
    pub fn title(&self, locale: Locale) -> &str {
        self.program.title.get(lang(locale))
    }

    /// The beat that an instant belongs to, counted from 0.
    pub fn beat_at(&self, now_ms: Ms) -> Option<usize> {
        self.program.beats.iter().take_while(|beat| beat.at_ms <= now_ms).count().checked_sub(1)
    }
}

/// The language of scenario texts.
pub fn lang(locale: Locale) -> Lang {
    locale.pick(Lang::En, Lang::Zh)
}
