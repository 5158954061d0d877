//! Every lesson is read, is canonical, speaks both languages, and does what it expects.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod folder;

use std::collections::BTreeSet;
use std::path::PathBuf;

use lockstep_core::check::{Broken, Violation};
use lockstep_core::scenario::{
    check, missing_translations, parse, play, Evidence, Lang, Program, State,
};
use lockstep_core::session::Session;
use lockstep_core::shared::TopicUse;

const LESSONS: &str = "www/lessons";

fn program(name: &str, text: &str) -> Program {
    folder::program(name, text).unwrap_or_else(|told| panic!("{}", told.join("\n")))
}

fn each(test: impl FnMut(&str, &str) -> Vec<String>) {
    folder::each(LESSONS, 30, test);
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
    each(folder::ill_formed);
}

#[test]
fn texts_are_complete_in_both_languages() {
    each(|name, text| {
        let program = program(name, text);
        let mut faults: Vec<String> = missing_translations(&parse(text).scenario)
            .iter()
            .map(|p| format!("{name}:{}: {p}", p.span.line))
            .collect();
        for (beat, lang) in program.beats.iter().flat_map(|b| [(b, Lang::En), (b, Lang::Zh)]) {
            let long = beat.too_long(lang).map(|_| beat.heading(lang));
            faults.extend(long.map(|h| format!("{name}: long heading: {h}")));
        }
        faults
    });
}

/// Whether a file is the repaired version of a lesson: it need not ask and wants nothing.
fn is_repaired(name: &str) -> bool {
    name.ends_with("-repaired.scn")
}

#[test]
fn lessons_have_their_whole_form() {
    each(|name, text| {
        let program = program(name, text);
        let framing = &program.framing;
        let whole = !is_repaired(name);
        let last_beat = program.beats.last().map_or(0, |beat| beat.at_ms);
        let addresses = framing.sources.iter().all(|source| source.starts_with("https://"));
        let wrong = [
            ("no title", program.title.en.is_empty()),
            ("no about", program.about.en.is_empty()),
            ("no expect", program.expectations.is_empty()),
            ("no beat", program.beats.is_empty()),
            ("more than eight beats", program.beats.len() > 8),
            ("no see", framing.see.is_empty()),
            ("one beat only", whole && program.beats.len() < 2),
            ("no question", whole && framing.question.en.is_empty()),
            ("no source", whole && framing.sources.is_empty()),
            ("a source that is no address", !addresses),
            ("no watch", whole && framing.watch.en.is_empty()),
            ("no ask", whole && program.asks.is_empty()),
            ("an ask that nothing answers", program.asks.iter().any(|a| a.at_ms >= last_beat)),
            ("no goal", whole && program.goals.is_empty()),
            ("a goal without three hints", program.goals.iter().any(|g| g.hints.len() != 3)),
            ("no twist", whole && framing.twists.is_empty()),
        ];
        wrong
            .iter()
            .filter(|(_, wrong)| *wrong)
            .map(|(what, _)| format!("{name}: {what}"))
            .collect()
    });
}

#[test]
fn what_breaks_is_repaired_in_another_lesson() {
    let lessons = folder::texts(LESSONS);
    let mut linked = BTreeSet::new();
    each(|name, text| {
        let program = program(name, text);
        let breaks = !play(&program).violations().is_empty();
        let repaired = program.framing.repaired.as_ref().map(|id| format!("{id}.scn"));
        let target = repaired.as_ref().and_then(|id| lessons.iter().find(|(name, _)| name == id));
        linked.extend(repaired.clone());
        match (&repaired, target) {
            (Some(id), None) => vec![format!("{name}: no lesson {id}")],
            (None, _) if breaks => vec![format!("{name}: a guarantee breaks, and no `repaired`")],
            (Some(_), Some((id, text)))
                if !play(&self::program(id, text)).violations().is_empty() =>
            {
                vec![format!("{name}: {id} breaks a guarantee as well")]
            }
            _ => Vec::new(),
        }
    });
    let alone = lessons.iter().filter(|(name, _)| is_repaired(name) && !linked.contains(name));
    let alone: Vec<&str> = alone.map(|(name, _)| name.as_str()).collect();
    assert!(alone.is_empty(), "repaired versions of no lesson: {}", alone.join(", "));
}

/// The topics and consumers of a run, by their names.
fn things(program: &Program) -> BTreeSet<String> {
    let session = play(program);
    let names = &session.world().shared.names;
    let topics = names.topics.iter().filter(|topic| topic.usage == TopicUse::User);
    let topics = topics.map(|topic| format!("topic {}", topic.name));
    topics.chain(names.clients.iter().map(|name| format!("consumer {name}"))).collect()
}

#[test]
fn a_repaired_version_has_the_topics_and_consumers_of_what_breaks() {
    let lessons = folder::texts(LESSONS);
    each(|name, text| {
        let broken = program(name, text);
        let Some(id) = broken.framing.repaired.clone() else { return Vec::new() };
        let file = format!("{id}.scn");
        let Some((_, text)) = lessons.iter().find(|(name, _)| *name == file) else {
            return vec![format!("{name}: no lesson {id}")];
        };
        // Runs are compared by names. A repair may add something or take it away; where each run has
        // what the other lacks, they are different stories.
        let (here, there) = (things(&broken), things(&program(&file, text)));
        let only: Vec<String> = here.symmetric_difference(&there).cloned().collect();
        match here.is_subset(&there) || here.is_superset(&there) {
            true => Vec::new(),
            false => vec![format!("{name}: {id} is another story: {}", only.join(", "))],
        }
    });
}

/// What a lesson with this violation has to expect, to the very message.
fn expected(violation: &Violation, session: &Session) -> String {
    let shared = &session.world().shared;
    match violation.broken {
        Broken::Order { later, .. } => {
            let label = shared.label(later).to_string();
            let series = label.trim_end_matches(|c: char| c.is_ascii_digit());
            format!("order broken in {series} at {label}")
        }
        Broken::TwoOwners { .. } => "not one owner per queue".to_owned(),
    }
}

#[test]
fn a_broken_guarantee_is_expected_at_its_event() {
    each(|name, text| {
        let program = program(name, text);
        let session = play(&program);
        let mut seen = BTreeSet::new();
        let mut faults = Vec::new();
        for violation in session.violations() {
            let wanted = expected(violation, &session);
            let kind = wanted.split(" at ").next().unwrap_or_default().to_owned();
            // What follows from the first one in the same group needs no line of its own.
            let first = seen.insert((violation.group, kind));
            let said = program.expectations.iter().any(|e| e.text.starts_with(&wanted));
            if first && !said {
                faults.push(format!("{name}: does not expect `{wanted}` ({} ms)", violation.at_ms));
            }
        }
        faults
    });
}

#[test]
fn lessons_do_what_they_expect() {
    each(|name, text| folder::broken_expectations(name, &program(name, text)));
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
            let mut session = Session::new(program.seed, program.model.clone(), program.journal());
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

/// The numbers of a table's rows that name a lesson, `1` of `| 1 | ... | [1.1](01-1-....scn) |`.
fn covered(table: &str) -> BTreeSet<u32> {
    let row = |line: &str| {
        let number = line.strip_prefix("| ")?.split(' ').next()?.parse().ok()?;
        line.contains(".scn)").then_some(number)
    };
    table.lines().filter_map(row).collect()
}

#[test]
fn the_readme_leaves_no_capability_and_no_scenario_uncovered() {
    let readme = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("www/lessons/README.md");
    let text = std::fs::read_to_string(readme).unwrap();
    let (rest, scenarios) = text.split_once("## What users need").unwrap();
    let (_, capabilities) = rest.split_once("## What the documents ask for").unwrap();
    assert_eq!(covered(capabilities), (1..=30).collect());
    assert_eq!(covered(scenarios), (1..=15).collect());
    let names = folder::texts(LESSONS).into_iter().map(|(name, _)| name).collect();
    let linked: BTreeSet<String> = text
        .split("](")
        .filter_map(|part| part.split(')').next())
        .filter(|link| link.ends_with(".scn"))
        .map(str::to_owned)
        .collect();
    assert_eq!(linked, names, "the README links other files than there are");
}

#[test]
fn the_lesson_that_grows_in_the_guide_does_what_it_expects() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/writing-lessons.md");
    let guide = std::fs::read_to_string(path).unwrap();
    let steps: Vec<&str> = guide
        .split("```scenario\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap_or_default())
        .collect();
    assert_eq!(steps.len(), 4);
    for text in &steps {
        let program = program("docs/writing-lessons.md", text);
        assert_eq!(folder::broken_expectations("a step", &program), Vec::<String>::new(), "{text}");
    }
    let whole = program("docs/writing-lessons.md", steps[2]);
    assert_eq!((whole.goals[0].hints.len(), whole.asks.len(), whole.expectations.len()), (3, 1, 3));
    // At last the same in both languages.
    let english = |text: &str| -> String {
        text.split_inclusive('\n').filter(|line| !line.starts_with("zh ")).collect()
    };
    assert_eq!(english(steps[3]), steps[2]);
    assert_eq!(missing_translations(&parse(steps[3]).scenario), []);
}
