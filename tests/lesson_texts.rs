//! What the lessons' questions say, apart from the run: the same in both languages, and more than a
//! figure.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::path::PathBuf;

use lockstep_core::scenario::{load, Ask, Lang};

/// Each question of each lesson, with where it stands.
fn asks() -> Vec<(String, Ask)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("www/lessons");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let lessons = paths.filter(|path| path.extension().is_some_and(|e| e == "scn"));
    let asked = lessons.flat_map(|path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let program = load(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let place = move |ask: Ask| (format!("{name}:{}", ask.line), ask);
        program.asks.into_iter().map(place).collect::<Vec<_>>()
    });
    let asked: Vec<_> = asked.collect();
    assert!(asked.len() >= 50, "the questions are missing");
    asked
}

/// The message that an answer begins with: letters, then figures.
fn label(answer: &str) -> Option<&str> {
    let end = answer.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(answer.len());
    let word = &answer[..end];
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_series = (1..=2).contains(&letters.len())
        && letters.chars().all(|c| c.is_ascii_uppercase())
        && letters.len() < word.len();
    is_series.then_some(word)
}

#[test]
fn an_answer_begins_with_the_same_message_in_both_languages() {
    let faults: Vec<String> = asks()
        .iter()
        .flat_map(|(place, ask)| {
            let texts =
                ask.choices.iter().map(|choice| [Lang::En, Lang::Zh].map(|l| choice.text.get(l)));
            texts
                .filter(|[en, zh]| label(en) != label(zh))
                .map(|[en, zh]| format!("{place}: `{en}` and `{zh}`"))
                .collect::<Vec<_>>()
        })
        .collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn answers_say_more_than_a_figure() {
    let is_bare = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    let faults: Vec<String> = asks()
        .iter()
        .filter(|(_, ask)| ask.choices.iter().all(|choice| is_bare(choice.text.get(Lang::En))))
        .map(|(place, ask)| format!("{place}: {}", ask.question.get(Lang::En)))
        .collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
