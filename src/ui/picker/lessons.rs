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

/// All lessons, sorted by their ids.
pub const LESSONS: &[Lesson] = include!(concat!(env!("OUT_DIR"), "/lessons.rs"));

/// The chapters and the lessons of each, in their order. A lesson that stands in none is listed
/// in the last one.
const CHAPTERS: &[(Chapter, &[&str])] = &[
    (Chapter::Basics, &["one-group-one-queue", "life-of-a-message", "offsets-lag"]),
    (Chapter::Producing, &["two-threads", "sent-again", "async-sends"]),
    (Chapter::Consuming, &["unordered-group", "early-answer", "four-combinations"]),
    (Chapter::Locks, &["who-owns-a-queue", "kill-9", "second-consumer"]),
    (Chapter::Failure, &["poison-message", "neighbour-pays", "retry-limit", "batch-fails"]),
    (Chapter::Delay, &["eighteen-levels", "unpaid-order", "ordered-and-delayed"]),
    (Chapter::Scaling, &["hot-group", "more-queues", "global-order"]),
    (Chapter::More, &[]),
];

/// Where a lesson stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Its chapter.
    pub chapter: Chapter,
    /// Number of the chapter, from 1.
    pub chapter_number: usize,
    /// Number in the chapter, from 1.
    pub number: usize,
    /// Lessons of the chapter.
    pub count: usize,
    /// The lesson.
    pub lesson: &'static Lesson,
}

impl Place {
    /// The place of a lesson; None for a text of one's own.
    pub fn of(id: &str) -> Option<Self> {
        all().into_iter().find(|place| place.lesson.id == id)
    }

    /// `Failure and retry · lesson 1 of 4`.
    pub fn text(&self, locale: Locale) -> String {
        let texts = PickerText(locale);
        format!(
            "{} · {}",
            self.chapter.name(locale),
            texts.lesson_of(self.number, self.count),
        )
    }

    /// `5.1`.
    pub fn number_text(&self) -> String {
        format!("{}.{}", self.chapter_number, self.number)
    }
}

/// All lessons in their order. Chapters without a lesson are left out and not counted.
pub fn all() -> Vec<Place> {
    let known = |id: &str| CHAPTERS.iter().any(|(_, ids)| ids.contains(&id));
    let mut places = Vec::with_capacity(LESSONS.len());
    let mut chapter_number = 0;
    for (chapter, ids) in CHAPTERS {
        let lessons: Vec<&'static Lesson> = match chapter {
            Chapter::More => LESSONS.iter().filter(|lesson| !known(lesson.id)).collect(),
            _ => ids.iter().filter_map(|id| LESSONS.iter().find(|l| l.id == *id)).collect(),
        };
        if lessons.is_empty() {
            continue;
        }
        chapter_number += 1;
        let count = lessons.len();
        places.extend(lessons.into_iter().enumerate().map(|(index, lesson)| Place {
            chapter: *chapter,
            chapter_number,
            number: index + 1,
            count,
            lesson,
        }));
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lesson_stands_in_the_list_once() {
        let places = all();
        assert_eq!(places.len(), LESSONS.len());
        for lesson in LESSONS {
            assert!(Place::of(lesson.id).is_some(), "{}", lesson.id);
        }
    }

    #[test]
    fn every_lesson_has_both_languages() {
        for lesson in LESSONS {
            assert!(!lesson.title.0.is_empty(), "{}", lesson.id);
            assert_ne!(lesson.title.0, lesson.title.1, "{} has no Chinese title", lesson.id);
        }
    }
}
