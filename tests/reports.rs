//! Public reports, replayed: every file of `tests/reports` is canonical and does what it expects,
//! and every report has a file or a reason why it has none.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod folder;

use std::path::PathBuf;

const REPORTS: &str = "tests/reports";

/// A file beside the reports.
fn beside(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(REPORTS);
    std::fs::read_to_string(folder.join(name)).unwrap()
}

/// The reports' ids.
fn ids() -> Vec<String> {
    beside("ids.txt").lines().map(str::to_owned).collect()
}

/// The report a file belongs to: `R25` of `R25.scn` and of `R25-5.0.scn`.
fn report(name: &str) -> &str {
    let stem = name.strip_suffix(".scn").unwrap_or(name);
    stem.split('-').next().unwrap_or(stem)
}

/// Ids in the first column of the README's tables.
fn rows() -> Vec<String> {
    let text = beside("README.md");
    let first = |line: &str| line.strip_prefix('|')?.split('|').next().map(|c| c.trim().to_owned());
    text.lines().filter_map(first).collect()
}

fn each(test: impl FnMut(&str, &str) -> Vec<String>) {
    folder::each(REPORTS, 140, test);
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
    let reports = folder::texts(REPORTS);
    let rows = rows();
    let has_file = |id: &str| reports.iter().any(|(name, _)| report(name) == id);
    let missing: Vec<String> =
        ids().into_iter().filter(|id| !has_file(id) && !rows.contains(id)).collect();
    assert!(missing.is_empty(), "neither a file nor a row in README.md: {}", missing.join(" "));
}

#[test]
fn files_are_canonical() {
    each(folder::ill_formed);
}

#[test]
fn files_say_what_they_are_and_where_they_come_from() {
    each(|name, text| {
        let program = match folder::program(name, text) {
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
    each(|name, text| match folder::program(name, text) {
        Ok(program) => folder::broken_expectations(name, &program),
        Err(mistakes) => mistakes,
    });
}
