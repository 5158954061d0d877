//! Every lesson is read, is canonical, speaks both languages, and does what it expects.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::path::PathBuf;

use lockstep_core::scenario::{
    check, format, load, missing_translations, parse, play, Evidence, Lang, Program, State,
};

/// Name and text of each lesson, by name.
fn lessons() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("www/lessons");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "scn"))
        .collect();
    files.sort();
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    files.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

fn program(name: &str, text: &str) -> Program {
    load(text).unwrap_or_else(|problems| {
        let told: Vec<String> = problems
            .iter()
            .map(|p| format!("{name}:{}:{}: {p}", p.span.line, p.span.column))
            .collect();
        panic!("{}", told.join("\n"))
    })
}

/// Runs a test over all lessons and reports every fault, not only the first.
fn each(test: impl Fn(&str, &str) -> Vec<String>) {
    let lessons = lessons();
    assert!(lessons.len() >= 11, "the lessons are missing");
    let faults: Vec<String> = lessons.iter().flat_map(|(name, text)| test(name, text)).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn names_sort_by_chapter_and_lesson() {
    each(|name, _| {
        let bytes = name.as_bytes();
        let digit = |index: usize| bytes.get(index).is_some_and(u8::is_ascii_digit);
        let fits = digit(0)
            && digit(1)
            && bytes.get(2) == Some(&b'-')
            && digit(3)
            && bytes.get(4) == Some(&b'-');
        if fits {
            Vec::new()
        } else {
            vec![format!("{name}: not `chapter-lesson-name.scn`")]
        }
    });
}

#[test]
fn printing_gives_the_same_bytes_and_the_form_is_canonical() {
    each(|name, text| {
        let mut faults = Vec::new();
        if parse(text).scenario.print() != text {
            faults.push(format!("{name}: printing loses something"));
        }
        if format(text) != text {
            faults.push(format!("{name}: not canonical, run `lockstep fmt`"));
        }
        faults
    });
}

#[test]
fn texts_are_complete_in_both_languages() {
    each(|name, text| {
        let program = program(name, text);
        let mut faults: Vec<String> = missing_translations(&parse(text).scenario)
            .iter()
            .map(|p| format!("{name}:{}: {p}", p.span.line))
            .collect();
        for (word, missing) in [
            ("title", program.title.en.is_empty()),
            ("about", program.about.en.is_empty()),
            ("beat", program.beats.is_empty()),
            ("ask", program.asks.is_empty()),
            ("expect", program.expectations.is_empty()),
        ] {
            if missing {
                faults.push(format!("{name}: no `{word}`"));
            }
        }
        let headings =
            program.beats.iter().flat_map(|b| [b.heading(Lang::En), b.heading(Lang::Zh)]);
        faults.extend(
            headings
                .filter(|h| h.chars().count() > 60)
                .map(|h| format!("{name}: long heading: {h}")),
        );
        faults
    });
}

#[test]
fn lessons_do_what_they_expect() {
    each(|name, text| {
        let program = program(name, text);
        let session = play(&program);
        let evidence = Evidence::of(&session, program.until_ms, true);
        check(&program, &evidence)
            .iter()
            .filter(|verdict| verdict.finding.state != State::Holds)
            .map(|v| format!("{name}:{}: {}", v.line, v.describe(&program, &evidence)))
            .collect()
    });
}

#[test]
fn a_lesson_tells_of_nothing_that_comes_after_its_end() {
    each(|name, text| {
        let program = program(name, text);
        let beats = program.beats.iter().map(|b| (b.line, b.at_ms));
        let asks = program.asks.iter().map(|a| (a.line, a.at_ms));
        let late = beats.chain(asks).filter(|(_, at_ms)| *at_ms > program.until_ms);
        late.map(|(line, _)| format!("{name}:{line}: after the end of the run")).collect()
    });
}

#[test]
fn a_lesson_that_is_half_played_has_no_false_verdicts() {
    each(|name, text| {
        let program = program(name, text);
        let whole = play(&program);
        let end = Evidence::of(&whole, program.until_ms, true);
        let last = check(&program, &end);
        let mut faults = Vec::new();
        for part in 1..4 {
            let now_ms = program.until_ms * part / 4;
            let mut session = lockstep_core::session::Session::new(
                program.seed,
                program.model.clone(),
                program.journal(),
            );
            session.run_until(now_ms);
            let evidence = Evidence::of(&session, now_ms, false);
            for (verdict, last) in check(&program, &evidence).iter().zip(&last) {
                let state = verdict.finding.state;
                if state != State::Open && state != last.finding.state {
                    faults.push(format!("{name}:{}: {state:?} at {now_ms} ms", verdict.line));
                }
            }
        }
        faults
    });
}
