//! The list of lessons: chapters in their order; titles come from the lessons' own files.

use std::sync::OnceLock;

use lockstep_core::ids::Ms;

use crate::app::scenario::Scenario;
use crate::i18n::picker::{Chapter, PickerText};
use crate::i18n::Locale;

/// A lesson, as its file's head has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lesson {
    /// Name of its file without the ending.
    pub id: &'static str,
    /// Title, English and Chinese.
    pub title: (&'static str, &'static str),
    /// What it shows.
    pub about: (&'static str, &'static str),
    /// What it answers, as people ask it; empty for a repaired version.
    pub question: (&'static str, &'static str),
    /// How long its run is, in virtual ms.
    pub until_ms: Ms,
    /// How many beats it has.
    pub beats: usize,
    /// How long somebody needs for it, in minutes.
    pub minutes: usize,
}

impl Lesson {
    /// Title in a language.
    pub fn title(&self, locale: Locale) -> &'static str {
        locale.pick(self.title.0, self.title.1)
    }

    /// What it answers, in a language.
    pub fn question(&self, locale: Locale) -> &'static str {
        locale.pick(self.question.0, self.question.1)
    }

    /// Whether it is the repaired version of the lesson with its number.
    pub fn is_repaired(&self) -> bool {
        self.id.ends_with("-repaired")
    }

    /// What it shows, in a language.
    pub fn about(&self, locale: Locale) -> &'static str {
        locale.pick(self.about.0, self.about.1)
    }
}

/// All lessons, sorted by their ids. An id begins with the numbers of its chapter and of the
/// lesson in it: `05-1-poison-message`. A repaired version has the number of its lesson.
pub const LESSONS: &[Lesson] = include!(concat!(env!("OUT_DIR"), "/lessons.rs"));

/// Where a lesson stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Its chapter.
    pub chapter: Chapter,
    /// Number of the chapter.
    pub chapter_number: usize,
    /// Number in the chapter, as its id has it.
    pub number: usize,
    /// Place in the chapter, from 1.
    pub nth: usize,
    /// Lessons of the chapter.
    pub count: usize,
    /// The lesson.
    pub lesson: &'static Lesson,
}

impl Place {
    /// The place of a lesson; None for a text of one's own.
    pub fn of(id: &str) -> Option<Self> {
        let at = LESSONS.iter().position(|lesson| lesson.id == id)?;
        places().get(at).copied()
    }

    /// The place of the lesson that a scenario is, changed or not.
    pub fn of_scenario(scenario: &Scenario) -> Option<Self> {
        scenario.lesson_id().and_then(Self::of)
    }

    /// `Failure and retry · lesson 1 of 4 · 4 min`.
    pub fn text(&self, locale: Locale) -> String {
        let texts = PickerText(locale);
        let lesson = texts.lesson_of(self.nth, self.count);
        let last = match self.lesson.is_repaired() {
            true => texts.repaired().to_owned(),
            false => texts.minutes(self.lesson.minutes),
        };
        format!("{} · {lesson} · {last}", self.chapter.name(locale))
    }

    /// Whether all words that somebody looks for are words of the lesson, in any language. A number
    /// is the lesson's (`5.1`, `05-1`, `5-1`, `5.`) or its chapter's (`5`), from its beginning.
    pub fn is_found(&self, locale: Locale, words: &str) -> bool {
        let lesson = self.lesson;
        let pairs = [lesson.title, lesson.question, lesson.about];
        let texts = pairs.into_iter().flat_map(|(en, zh)| [en, zh]);
        let text: Vec<&str> = texts.chain([lesson.id, self.chapter.name(locale)]).collect();
        let text = text.join(" ").to_lowercase();
        let words = words.to_lowercase();
        words.split_whitespace().all(|word| self.is_number(word) || text.contains(word))
    }

    /// Whether a word is the number of the lesson, or the beginning of it.
    fn is_number(&self, word: &str) -> bool {
        let mut parts = word.splitn(2, ['.', '-', '．', '。']);
        let chapter = parts.next().and_then(|part| part.parse().ok());
        chapter == Some(self.chapter_number)
            && parts.next().is_none_or(|part| part.is_empty() || part.parse() == Ok(self.number))
    }

    /// `5.1`.
    pub fn number_text(&self) -> String {
        format!("{}.{}", self.chapter_number, self.number)
    }
}

/// Chapter and number of an id; 0 where there is none.
fn numbers(id: &str) -> (usize, usize) {
    let mut parts = id.split('-').map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}

/// The places of all lessons, in the order of [`LESSONS`]. Found once: views ask for them whenever
/// they are drawn.
fn places() -> &'static [Place] {
    static PLACES: OnceLock<Vec<Place>> = OnceLock::new();
    PLACES.get_or_init(|| {
        let known: Vec<_> = LESSONS.iter().map(|l| (l, numbers(l.id), l.is_repaired())).collect();
        let place = |&(lesson, (chapter_number, number), _): &(&'static Lesson, _, _)| {
            let same =
                || known.iter().filter(|(_, n, repaired)| !repaired && n.0 == chapter_number);
            // A repaired version stands where its lesson does.
            let nth = same().position(|(_, n, _)| n.1 == number).unwrap_or(0) + 1;
            let chapter = Chapter::of(chapter_number);
            Place { chapter, chapter_number, number, nth, count: same().count(), lesson }
        };
        known.iter().map(place).collect()
    })
}

/// All lessons in their order; repaired versions are reached from the lessons that break.
pub fn all() -> impl Iterator<Item = Place> {
    places().iter().filter(|place| !place.lesson.is_repaired()).copied()
}

/// The id of the lesson with an English title; None when no lesson is called so.
pub fn titled(title: &str) -> Option<&'static str> {
    LESSONS.iter().find(|lesson| lesson.title.0 == title).map(|lesson| lesson.id)
}

/// The lessons that words find, those whose number they are first.
pub fn find(locale: Locale, words: &str) -> Vec<Place> {
    let mut found: Vec<Place> = all().filter(|place| place.is_found(locale, words)).collect();
    found.sort_by_key(|place| !words.split_whitespace().any(|word| place.is_number(word)));
    found
}

/// The lesson after a lesson, or after a repaired version; None behind the last one.
pub fn next_of(id: &str) -> Option<Place> {
    let here = numbers(id);
    all().skip_while(|place| (place.chapter_number, place.number) != here).nth(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lesson_is_numbered_once() {
        let mut numbers: Vec<String> = all().map(|place| place.number_text()).collect();
        let count = LESSONS.iter().filter(|lesson| !lesson.is_repaired()).count();
        assert_eq!(numbers.len(), count);
        numbers.sort();
        numbers.dedup();
        assert_eq!(numbers.len(), count, "two lessons have the same number");
    }

    #[test]
    fn a_title_is_the_title_of_one_lesson() {
        for lesson in LESSONS {
            assert_eq!(titled(lesson.title.0), Some(lesson.id));
        }
        assert_eq!(titled(""), None);
    }

    #[test]
    fn every_lesson_has_both_languages() {
        for lesson in LESSONS {
            assert!(!lesson.title.0.is_empty(), "{}", lesson.id);
            assert_ne!(lesson.title.0, lesson.title.1, "{} has no Chinese title", lesson.id);
        }
    }

    #[test]
    fn a_repaired_version_stands_where_its_lesson_stands() {
        for lesson in LESSONS.iter().filter(|lesson| lesson.is_repaired()) {
            let place =
                Place::of(lesson.id).unwrap_or_else(|| panic!("{} has no place", lesson.id));
            assert!(place.nth >= 1 && place.nth <= place.count, "{}", lesson.id);
        }
    }

    #[test]
    fn a_lesson_is_found_by_its_number() {
        let found = |words: &str| {
            let places = find(Locale::En, words);
            places.iter().map(Place::number_text).collect::<Vec<_>>()
        };
        for place in all() {
            let (chapter, number) = (place.chapter_number, place.number);
            for words in [place.number_text(), format!("{chapter:02}-{number}")] {
                assert_eq!(found(&words).first(), Some(&place.number_text()), "{words}");
            }
        }
        let fifth = |number: &&String| number.starts_with("5.");
        assert!(found("5.").iter().take_while(fifth).count() > 4);
        assert!(found("5.99").is_empty());
    }

    #[test]
    fn the_next_lesson_of_a_repaired_version_is_that_of_its_lesson() {
        let next = |id: &str| next_of(id).map(|place| place.lesson.id);
        assert_eq!(next("05-5-neighbour-pays-repaired"), next("05-5-neighbour-pays"));
        assert!(next("05-5-neighbour-pays").is_some());
        assert_eq!(all().last().and_then(|last| next_of(last.lesson.id)), None);
    }

    #[test]
    fn a_lesson_takes_three_to_six_minutes() {
        for place in all() {
            let minutes = place.lesson.minutes;
            assert!((3..=6).contains(&minutes), "{}: {minutes} minutes", place.lesson.id);
        }
    }
}
