//! The list of lessons: chapters in their order; titles come from the lessons' own files.

use lockstep_core::ids::Ms;

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
    /// How long its run is, in virtual ms.
    pub until_ms: Ms,
    /// How many beats it has.
    pub beats: usize,
}

impl Lesson {
    /// Title in a language.
    pub fn title(&self, locale: Locale) -> &'static str {
        locale.pick(self.title.0, self.title.1)
    }

    /// What it shows, in a language.
    pub fn about(&self, locale: Locale) -> &'static str {
        locale.pick(self.about.0, self.about.1)
    }
}

/// All lessons, sorted by their ids. An id begins with the numbers of its chapter and of the
/// lesson in it: `05-1-poison-message`.
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
        let lesson = LESSONS.iter().find(|lesson| lesson.id == id)?;
        let (chapter_number, number) = numbers(id);
        let same = LESSONS.iter().filter(|l| numbers(l.id).0 == chapter_number);
        let nth = same.clone().position(|l| l.id == id)? + 1;
        let chapter = Chapter::of(chapter_number);
        Some(Self { chapter, chapter_number, number, nth, count: same.count(), lesson })
    }

    /// `Failure and retry · lesson 1 of 4`.
    pub fn text(&self, locale: Locale) -> String {
        let lesson = PickerText(locale).lesson_of(self.nth, self.count);
        format!("{} · {lesson}", self.chapter.name(locale))
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

/// All lessons in their order.
pub fn all() -> Vec<Place> {
    LESSONS.iter().filter_map(|lesson| Place::of(lesson.id)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lesson_is_numbered_once() {
        let mut numbers: Vec<String> = all().iter().map(Place::number_text).collect();
        assert_eq!(numbers.len(), LESSONS.len());
        numbers.sort();
        numbers.dedup();
        assert_eq!(numbers.len(), LESSONS.len(), "two lessons have the same number");
    }

    #[test]
    fn every_lesson_has_both_languages() {
        for lesson in LESSONS {
            assert!(!lesson.title.0.is_empty(), "{}", lesson.id);
            assert_ne!(lesson.title.0, lesson.title.1, "{} has no Chinese title", lesson.id);
        }
    }
}
