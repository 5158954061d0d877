//! Public reports, replayed: every file of `tests/reports` is canonical and does what it expects,
//! and every report has a file or a reason why it has none.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::path::PathBuf;

use lockstep_core::scenario::{check, format, load, parse, play, Evidence, Program, State};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/reports")
}

/// Name and text of each report's scenario, by name.
fn reports() -> Vec<(String, String)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "scn"))
        .collect();
    files.sort();
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    files.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

/// The reports' ids.
fn ids() -> Vec<String> {
    let text = std::fs::read_to_string(folder().join("ids.txt")).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// The report a file belongs to: `R25` of `R25.scn` and of `R25-5.0.scn`.
fn report(name: &str) -> &str {
    let stem = name.strip_suffix(".scn").unwrap_or(name);
    stem.split('-').next().unwrap_or(stem)
}

/// Ids in the first column of the README's tables.
fn rows() -> Vec<String> {
    let text = std::fs::read_to_string(folder().join("README.md")).unwrap();
    let first = |line: &str| line.strip_prefix('|')?.split('|').next().map(|c| c.trim().to_owned());
    text.lines().filter_map(first).collect()
}

/// A program, or its problems.
fn program(name: &str, text: &str) -> Result<Program, Vec<String>> {
    load(text).map_err(|problems| {
        problems.iter().map(|p| format!("{name}:{}:{}: {p}", p.span.line, p.span.column)).collect()
    })
}

/// Runs a test over all reports and tells every fault, not only the first.
fn each(test: impl Fn(&str, &str) -> Vec<String>) {
    let reports = reports();
    assert!(!reports.is_empty(), "the reports are missing");
    let faults: Vec<String> = reports.iter().flat_map(|(name, text)| test(name, text)).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn every_file_belongs_to_a_report() {
    let ids = ids();
    each(|name, _| {
        if ids.iter().any(|id| id == report(name)) {
            Vec::new()
        } else {
            vec![format!("{name}: not `id.scn` or `id-variant.scn`")]
        }
    });
}

#[test]
fn every_report_has_a_file_or_a_reason() {
    let reports = reports();
    let rows = rows();
    let has_file = |id: &str| reports.iter().any(|(name, _)| report(name) == id);
    let missing: Vec<String> =
        ids().into_iter().filter(|id| !has_file(id) && !rows.contains(id)).collect();
    assert!(missing.is_empty(), "neither a file nor a row in README.md: {}", missing.join(" "));
}

#[test]
fn files_are_canonical() {
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
fn files_say_what_they_are_and_where_they_come_from() {
    each(|name, text| {
        let program = match program(name, text) {
            Ok(program) => program,
            Err(problems) => return problems,
        };
        let faults = [
            ("title", program.title.en.is_empty()),
            ("about", program.about.en.is_empty()),
            ("expect", program.expectations.is_empty()),
            ("source", !text.lines().any(|l| l.starts_with("# ") && l.contains("https://"))),
        ];
        let missing = faults.iter().filter(|(_, missing)| *missing);
        missing.map(|(word, _)| format!("{name}: no `{word}`")).collect()
    });
}

#[test]
fn reports_end_as_expected() {
    each(|name, text| {
        let program = match program(name, text) {
            Ok(program) => program,
            Err(problems) => return problems,
        };
        let session = play(&program);
        let evidence = Evidence::of(&session, program.until_ms, true);
        check(&program, &evidence)
            .iter()
            .filter(|verdict| verdict.finding.state != State::Holds)
            .map(|v| format!("{name}:{}: {}", v.line, v.describe(&program, &evidence)))
            .collect()
    });
}
