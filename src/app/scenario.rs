//! The scenario that runs, as the page needs it: the program of the core, its text, and where it
//! stands in the list of lessons.

use std::rc::Rc;

use lockstep_core::command::Command;
use lockstep_core::ids::Ms;
use lockstep_core::scenario::{self, Lang, Problem, Program, Quote};
use lockstep_core::session::Session;
use lockstep_core::view::compare::Comparison;

use crate::i18n::Locale;
use crate::ui::picker::lessons::titled;

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
    /// The lesson that the text is a changed version of.
    pub changed: Option<Changed>,
    /// The id and the text of the last lesson that was open, for the way back to it.
    behind: Option<(Rc<str>, Rc<str>)>,
    /// Whether it came by a link, and nobody has read its lesson before.
    came: bool,
}

/// What is known of the lesson that somebody has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Its id.
    pub id: Rc<str>,
    /// Its own text; None when the changed text came without it, by a link.
    pub text: Option<Rc<str>>,
    /// From when on the run is another one than the lesson's, in ms: what the lesson says of later
    /// instants was written before the change. None when the runs do not part.
    pub parts_ms: Option<Ms>,
}

impl std::fmt::Debug for Scenario {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scenario").field("id", &self.id).finish_non_exhaustive()
    }
}

impl PartialEq for Scenario {
    fn eq(&self, other: &Self) -> bool {
        // Everything else follows from these.
        (&self.id, &self.text, &self.changed) == (&other.id, &other.text, &other.changed)
    }
}

impl Scenario {
    /// Reads a text.
    ///
    /// # Errors
    /// Everything that is wrong with it, in the order of its lines.
    pub fn read(id: &str, text: &str) -> Result<Self, Vec<Problem>> {
        let program = scenario::load(text)?;
        Ok(Self {
            id: id.into(),
            text: text.into(),
            program,
            changed: None,
            behind: None,
            came: false,
        })
    }

    /// The line of the text that a command of a run's journal comes from; None for one that the text does not
    /// make, as by hand or in a run that somebody changed.
    pub fn quote(&self, journal: &[(Ms, Command)], index: u32) -> Option<Quote> {
        let quote = self.program.quote(&self.text, index)?;
        let is_its = |index: &u32| {
            let planned = self.program.commands.get(*index as usize);
            let given = journal.get(*index as usize);
            planned.zip(given).is_some_and(|(planned, (at_ms, command))| {
                (planned.at_ms, &planned.command) == (*at_ms, command)
            })
        };
        quote.commands.iter().all(is_its).then_some(quote)
    }

    /// Reads a text of somebody's own, who had `open` before. A text with the title of a lesson is
    /// that lesson, changed; with the very text of the lesson it is the lesson again.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn of_own(text: &str, open: &Self) -> Result<Self, Vec<Problem>> {
        let own = Self { behind: open.last_lesson(), ..Self::read("", text)? };
        let Some(id) = titled(own.program.title.get(Lang::En)) else { return Ok(own) };
        let lesson = own.behind.clone().filter(|(last, _)| **last == *id).map(|(_, text)| text);
        if lesson.as_deref() == Some(text) {
            return Ok(Self { id: id.into(), ..own });
        }
        let parts_ms = match &lesson {
            Some(lesson) => parting(lesson, &own.program),
            None => Some(0),
        };
        Ok(Self { changed: Some(Changed { id: id.into(), text: lesson, parts_ms }), ..own })
    }

    /// Reads a text that came by a link, and the lesson that it is a changed version of.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn of_link(text: &str, id: &str, lesson: &str) -> Result<Self, Vec<Problem>> {
        Ok(Self { came: true, ..Self::of_own(text, &Self::read(id, lesson)?)? })
    }

    /// The lesson that a text is a changed version of, unless that is the one that is open, or was before.
    pub fn lesson_behind(&self, text: &str) -> Option<&'static str> {
        let title = scenario::load(text).ok()?.title;
        let known = self.last_lesson().map(|(id, _)| id);
        titled(title.get(Lang::En)).filter(|id| known.as_deref() != Some(id))
    }

    /// The lesson that is open, or that was before.
    fn last_lesson(&self) -> Option<(Rc<str>, Rc<str>)> {
        let own = (!self.id.is_empty()).then(|| (Rc::clone(&self.id), Rc::clone(&self.text)));
        own.or_else(|| self.behind.clone())
    }

    /// Whether people go on with the lesson that was open: they ran its text from the editor, changed or
    /// not. What they have answered and were told in it is not asked and told again.
    pub fn goes_on(&self) -> bool {
        let goes_on = |(id, _): &(Rc<str>, Rc<str>)| Some(&**id) == self.lesson_id();
        !self.came && self.behind.as_ref().is_some_and(goes_on)
    }

    /// The lesson that it is, changed or not.
    pub fn lesson_id(&self) -> Option<&str> {
        match &self.changed {
            Some(changed) => Some(&changed.id),
            None => Some(&*self.id).filter(|id| !id.is_empty()),
        }
    }

    /// The text of that lesson as it is in the library, where it is known.
    pub fn lesson_text(&self) -> Option<Rc<str>> {
        match &self.changed {
            Some(changed) => changed.text.clone(),
            None => Some(Rc::clone(&self.text)),
        }
    }

    /// Whether what the lesson says of an instant was written for another run than this one.
    pub fn told_before(&self, at_ms: Ms) -> bool {
        let parts_ms = self.changed.as_ref().and_then(|changed| changed.parts_ms);
        parts_ms.is_some_and(|parts_ms| at_ms >= parts_ms)
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

/// Most events that two runs are played for, to find where they part. Every lesson has fewer.
const MAX_EVENTS: usize = 120_000;

/// When a changed run parts from that of its lesson, in ms; the beginning when that takes too long
/// to find.
fn parting(lesson: &str, changed: &Program) -> Option<Ms> {
    let Ok(lesson) = scenario::load(lesson) else { return Some(0) };
    let run =
        |program: &Program| Session::new(program.seed, program.model.clone(), program.journal());
    // A run that ends earlier is played on: what happens behind its end may be what was changed.
    let until_ms = lesson.until_ms.max(changed.until_ms);
    let mut compared = Comparison::new([&run(&lesson), &run(changed)], until_ms);
    match compared.advance(MAX_EVENTS) {
        true => compared.first().map(|first| first.at_ms),
        false => Some(0),
    }
}

/// The language of scenario texts.
pub fn lang(locale: Locale) -> Lang {
    locale.pick(Lang::En, Lang::Zh)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

    use super::*;

    fn lesson() -> Scenario {
        Scenario::read(FIRST, FIRST_TEXT).unwrap()
    }

    #[test]
    fn a_changed_lesson_stays_the_lesson() {
        let text = FIRST_TEXT.replace("A2 throws always", "A2 throws 2 times");
        assert_ne!(text, FIRST_TEXT);
        let changed = Scenario::of_own(&text, &lesson()).unwrap();
        assert_eq!((&*changed.id, changed.lesson_id()), ("", Some(FIRST)));
        // The first failure is the same in both, and the second attempt is not.
        let parts_ms = changed.changed.as_ref().unwrap().parts_ms.unwrap();
        assert!(changed.told_before(parts_ms) && !changed.told_before(parts_ms - 1));
        assert!(parts_ms > 3_000, "{parts_ms}");
        // Changed a second time it is the same lesson, and with its own text it is itself again.
        let again = Scenario::of_own(&format!("{text}\n# more\n"), &changed).unwrap();
        assert_eq!(again.lesson_id(), Some(FIRST));
        let back = Scenario::of_own(FIRST_TEXT, &again).unwrap();
        assert_eq!((&*back.id, back.changed), (FIRST, None));
    }

    #[test]
    fn a_change_that_changes_nothing_leaves_what_is_told_true() {
        let text = format!("{FIRST_TEXT}\n# a word\n");
        let changed = Scenario::of_own(&text, &lesson()).unwrap();
        assert_eq!(changed.changed.as_ref().unwrap().parts_ms, None);
        assert!(!changed.told_before(0) && !changed.told_before(60_000));
    }

    #[test]
    fn a_change_that_shows_behind_the_lessons_end_is_seen() {
        let text = std::fs::read_to_string("www/lessons/01-3-offsets-and-lag.scn").unwrap();
        let open = Scenario::read("01-3-offsets-and-lag", &text).unwrap();
        let reset = "at 18s      r1 joins report\nat 70s reset billing in q0 to offset 0";
        let reset = text.replace("at 18s      r1 joins report", reset).replace("75s", "95s");
        assert_ne!(reset, text);
        let changed = Scenario::of_own(&reset, &open).unwrap();
        let parts_ms = changed.changed.as_ref().unwrap().parts_ms;
        assert!(parts_ms.is_some_and(|ms| ms > 75_000), "{parts_ms:?}");
    }

    #[test]
    fn another_lesson_by_a_link_is_told_of_as_changed_throughout() {
        let other = FIRST_TEXT.replace("series", "series ").replace("  ", " ");
        let open = Scenario::read("01-3-offsets-and-lag", FIRST_TEXT).unwrap();
        let changed = Scenario::of_own(&other, &open).unwrap();
        let known = changed.changed.as_ref().unwrap();
        assert_eq!((&*known.id, &known.text, known.parts_ms), (FIRST, &None, Some(0)));
    }

    #[test]
    fn a_changed_lesson_by_a_link_parts_where_it_does_and_is_read_anew() {
        let text = FIRST_TEXT.replace("throws always", "throws once");
        let other = Scenario::read("01-3-offsets-and-lag", FIRST_TEXT).unwrap();
        assert_eq!(other.lesson_behind(&text), Some(FIRST));
        assert_eq!(lesson().lesson_behind(&text), None);
        let came = Scenario::of_link(&text, FIRST, FIRST_TEXT).unwrap();
        let parts_ms = came.changed.as_ref().unwrap().parts_ms;
        assert!(parts_ms.is_some_and(|ms| ms > 0), "{parts_ms:?}");
        assert!(!came.goes_on());
        // What is run from the editor then goes on with it.
        assert!(Scenario::of_own(FIRST_TEXT, &came).unwrap().goes_on());
    }

    #[test]
    fn a_scenario_to_begin_with_runs_and_does_what_it_expects() {
        for locale in [Locale::En, Locale::Zh] {
            let text = crate::i18n::panel::new_scenario(locale);
            assert_eq!(scenario::format(text), text);
            let new = Scenario::of_own(text, &lesson()).unwrap();
            assert_eq!((new.lesson_id(), new.title(locale).is_empty()), (None, false));
            let mut session = Session::new(1, new.program.model.clone(), new.program.journal());
            session.seek_time(new.program.until_ms);
            let evidence = scenario::Evidence::of(&session, new.program.until_ms, true);
            let verdicts = scenario::check(&new.program, &evidence);
            assert!(!verdicts.is_empty());
            assert!(verdicts.iter().all(|verdict| verdict.finding.state == scenario::State::Holds));
        }
    }

    #[test]
    fn a_text_without_a_lessons_title_is_of_ones_own() {
        let text: String = FIRST_TEXT.lines().skip(2).map(|line| format!("{line}\n")).collect();
        let own = Scenario::of_own(&text, &lesson()).unwrap();
        assert_eq!((own.lesson_id(), &own.changed), (None, &None));
        // The text before is the lesson again.
        let back = Scenario::of_own(FIRST_TEXT, &own).unwrap();
        assert_eq!((&*back.id, back.changed), (FIRST, None));
    }
}
