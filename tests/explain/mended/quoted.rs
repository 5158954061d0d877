//! What is offered in place of a line names the line as the text has it, stands for the whole of it, and does
//! what it says when somebody puts it there.

use lockstep_core::command::Command;
use lockstep_core::explain::Change;
use lockstep_core::ids::Ms;
use lockstep_core::scenario::{load, Program};
use lockstep_core::session::Session;
use lockstep_i18n::sentence::Speaker;
use lockstep_i18n::Locale;

use super::super::changes::applied;
use super::super::folder::files;
use super::{findings, offered, with};

/// A change in words, as of a text.
fn said(text: &str, program: &Program, change: &Change) -> String {
    let journal = program.journal();
    let session = Session::new(program.seed, program.model.clone(), journal.clone());
    let speaker = Speaker { world: session.world(), locale: Locale::ALL[0] };
    speaker.change_of(change, &journal, &|index| program.quote(text, index))
}

/// What stands between backticks.
fn ticked(said: &str) -> Vec<&str> {
    said.split('`').skip(1).step_by(2).collect()
}

/// The text with the lines that the words replace or leave out.
fn carried_out(text: &str, said: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let place = |lines: &[String], wanted: &str| {
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_it = |line: &String| {
            words(line) == wanted || words(line).starts_with(&format!("{wanted} #"))
        };
        lines.iter().position(is_it).unwrap_or_else(|| panic!("{wanted} is no line of\n{text}"))
    };
    let (instead, gone) = match said.split_once("; Without ") {
        Some((instead, gone)) => (instead, gone),
        None if said.starts_with("Without ") => ("", said),
        None => (said, ""),
    };
    if let Some((after, before)) = instead.split_once(" instead of ") {
        let first = place(&lines, ticked(before)[0]);
        for line in ticked(before) {
            let at = place(&lines, line);
            lines[at] = String::new();
        }
        lines.splice(first..=first, ticked(after).into_iter().map(str::to_owned));
    }
    for line in ticked(gone) {
        let at = place(&lines, line);
        lines[at] = String::new();
    }
    lines.join("\n") + "\n"
}

/// The journal, what happens at one instant in any order.
fn sorted(mut journal: Vec<(Ms, Command)>) -> Vec<String> {
    journal.sort_by_key(|(at_ms, _)| *at_ms);
    let mut all: Vec<String> = journal.iter().map(|one| format!("{one:?}")).collect();
    all.sort_unstable();
    all
}

#[test]
fn what_comes_in_place_of_a_line_of_any_lesson_is_that_line_without_the_command() {
    let mut tried = 0;
    for path in ["www/lessons", "tests/reports", "tests/found"].into_iter().flat_map(files) {
        let text = std::fs::read_to_string(&path).unwrap();
        let program = load(&text).unwrap();
        for (index, planned) in (0..).zip(&program.commands) {
            let is_part = matches!(
                planned.command,
                Command::Subscribe { .. }
                    | Command::OwnKey { .. }
                    | Command::Handle(_)
                    | Command::SetGroup { .. }
            );
            if !is_part {
                continue;
            }
            let change = Change::Without(vec![index]);
            let said = said(&text, &program, &change);
            let healed = carried_out(&text, &said);
            let new =
                load(&healed).unwrap_or_else(|found| panic!("{path:?}: {said}: {}", found[0]));
            assert_eq!(
                sorted(new.journal()),
                sorted(applied(&change, &program).0),
                "{path:?}: {said}"
            );
            tried += 1;
        }
    }
    assert!(tried > 300, "{tried}");
}

/// c1 wants another tag than its group, in one line with its start; comments stand behind.
const TAGS: &str = "\
topic orders NORMAL 1 queue
series A without message-group
group billing reads orders tagged x concurrent, handles in 1s # as in the example
producer p1
at 1s c1 joins billing reads orders tagged y   # another one
at 3s p1 sends A1 A2 tag x
run until 50s
";

#[test]
fn an_offer_names_the_lines_of_the_text_and_the_lines_in_their_place_do_what_it_says() {
    let program = load(TAGS).unwrap();
    let told = super::at(TAGS, 40_000, "A1");
    let offer = offered(&told).into_iter().find(|one| matches!(one.change, Change::Instead(_)));
    let change = offer.expect("another subscription").change;
    let said = said(TAGS, &program, &change);
    assert!(said.contains("`at 1s c1 joins billing reads orders tagged y`"), "{said}");
    let healed = carried_out(TAGS, &said);
    let run = with(TAGS, &change);
    assert_eq!(
        sorted(load(&healed).unwrap().journal()),
        sorted(run.journal().to_vec()),
        "{healed}"
    );
    assert_eq!(super::handled_at(&super::played(&healed), "A1"), Some(3_000));
}

#[test]
fn the_repair_of_two_tag_filters_can_be_put_in_place_of_its_lines() {
    let text = std::fs::read_to_string(
        files("www/lessons")
            .into_iter()
            .find(|path| path.ends_with("03-7-two-tag-filters.scn"))
            .unwrap(),
    )
    .unwrap();
    let program = load(&text).unwrap();
    let found = findings(&text);
    let repair = found.iter().flat_map(|f| &f.repair).next().unwrap();
    let healed = carried_out(&text, &said(&text, &program, repair));
    let run = super::played(&healed);
    for label in ["A1", "A4", "B1", "B4"] {
        assert!(super::handled_at(&run, label).is_some(), "{label}: {healed}");
    }
}
