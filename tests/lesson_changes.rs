//! What a lesson's last hint and its twist ask for is done to its text: the goals are reached then,
//! and not before nor by a detour, and the twist shows what it is meant to show.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::collections::BTreeSet;
use std::path::PathBuf;

use lockstep_core::scenario::{achieved, check, load, play, Evidence, Program, State};

/// A section of `tests/lessons/changes.txt`.
struct Change {
    lesson: String,
    kind: String,
    out: Vec<String>,
    put_in: Vec<String>,
    expected: Vec<String>,
}

impl Change {
    fn name(&self) -> String {
        format!("{} {}", self.lesson, self.kind)
    }

    /// The lesson's text with the change, its own expectations replaced by those of the change.
    ///
    /// # Errors
    /// A line that is to be taken out and is not there.
    fn apply(&self, text: &str) -> Result<String, String> {
        let mut lines: Vec<&str> =
            text.lines().filter(|line| !line.starts_with("expect ")).collect();
        for out in &self.out {
            let place = lines.iter().position(|line| bare(line) == bare(out));
            lines.remove(place.ok_or_else(|| format!("{}: no line `{out}`", self.name()))?);
        }
        let changed = lines.into_iter().chain(self.put_in.iter().map(String::as_str));
        let changed = changed.chain(self.expected.iter().map(String::as_str));
        Ok(changed.map(|line| format!("{line}\n")).collect())
    }
}

/// A line without comment and without alignment.
fn bare(line: &str) -> String {
    let code = line.split(" #").next().unwrap_or_default();
    code.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn root(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn changes() -> Vec<Change> {
    let text = std::fs::read_to_string(root("tests/lessons/changes.txt")).unwrap();
    let mut changes: Vec<Change> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(head) = line.strip_prefix("== ") {
            let (lesson, kind) = head.split_once(' ').unwrap();
            changes.push(Change {
                lesson: lesson.to_owned(),
                kind: kind.to_owned(),
                out: Vec::new(),
                put_in: Vec::new(),
                expected: Vec::new(),
            });
            continue;
        }
        let change = changes.last_mut().unwrap();
        match line.split_at(2) {
            ("- ", out) => change.out.push(out.to_owned()),
            ("+ ", line) => change.put_in.push(line.to_owned()),
            ("ex", _) => change.expected.push(line.to_owned()),
            _ => panic!("{}: `{line}` is neither - nor + nor expect", change.name()),
        }
    }
    changes
}

fn text(lesson: &str) -> String {
    std::fs::read_to_string(root(&format!("www/lessons/{lesson}.scn")))
        .unwrap_or_else(|error| panic!("{lesson}: {error}"))
}

fn program(change: &Change) -> Result<Program, String> {
    let text = change.apply(&text(&change.lesson))?;
    load(&text).map_err(|problems| {
        let told: Vec<String> = problems
            .iter()
            .map(|p| {
                let line = text.lines().nth(p.span.line as usize - 1).unwrap_or_default();
                format!("{}: {p} In: {line}", change.name())
            })
            .collect();
        told.join("\n")
    })
}

/// What is wrong with a change.
fn faults(change: &Change) -> Vec<String> {
    let name = change.name();
    let program = match program(change) {
        Ok(program) => program,
        Err(problem) => return vec![problem],
    };
    let session = play(&program);
    let evidence = Evidence::of(&session, program.until_ms, true);
    let mut faults: Vec<String> = check(&program, &evidence)
        .iter()
        .filter(|verdict| verdict.finding.state != State::Holds)
        .map(|v| {
            let line = v.line as usize;
            let expected = program.expectations.iter().find(|e| e.line as usize == line);
            let said = expected.map(|e| e.text.as_str()).unwrap_or("a statement");
            format!("{name}: {said}: {}", v.describe(&program, &evidence))
        })
        // A change may have the broker or proxy refuse what it refuses in the lesson too.
        .filter(|_| !change.expected.is_empty())
        .collect();
    match change.kind.as_str() {
        "goal" => faults.extend(
            program
                .goals
                .iter()
                .filter(|goal| !achieved(goal, &evidence))
                .map(|goal| format!("{name}: not reached: {}", goal.text.en)),
        ),
        // A way that looks like one and misses what the goal is about.
        "detour" => faults.extend(
            program
                .goals
                .iter()
                .filter(|goal| achieved(goal, &evidence))
                .map(|goal| format!("{name}: reached: {}", goal.text.en)),
        ),
        "twist" if change.expected.is_empty() => faults.push(format!("{name}: expects nothing")),
        "twist" => {}
        other => faults.push(format!("{name}: `{other}` is neither goal, detour nor twist")),
    }
    faults
}

#[test]
fn hints_lead_to_the_goal_and_twists_show_something() {
    let faults: Vec<String> = changes().iter().flat_map(faults).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn goals_and_twists_of_all_lessons_are_tried() {
    let tried: BTreeSet<String> = changes().iter().map(Change::name).collect();
    let mut missing = Vec::new();
    for entry in std::fs::read_dir(root("www/lessons")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if path.extension().is_none_or(|e| e != "scn") || name.ends_with("-repaired") {
            continue;
        }
        let wanted = ["goal", "twist"].map(|kind| format!("{name} {kind}"));
        missing.extend(wanted.into_iter().filter(|name| !tried.contains(name)));
    }
    missing.sort();
    assert!(missing.is_empty(), "not in tests/lessons/changes.txt: {}", missing.join(", "));
}

#[test]
fn goals_are_not_reached_without_doing_anything() {
    let mut faults = Vec::new();
    for change in changes().iter().filter(|change| change.kind == "goal") {
        let program = load(&text(&change.lesson)).unwrap_or_else(|_| panic!("{}", change.lesson));
        let session = play(&program);
        let evidence = Evidence::of(&session, program.until_ms, true);
        let reached = program.goals.iter().filter(|goal| achieved(goal, &evidence));
        faults.extend(reached.map(|goal| format!("{}: {}", change.lesson, goal.text.en)));
    }
    assert!(faults.is_empty(), "reached by the lesson itself:\n{}", faults.join("\n"));
}
