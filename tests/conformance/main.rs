//! The collection of cases that pins what Lockstep's core has to do, run against the core.
//!
//! A case says what is given, when, and what is expected. It is understood by its form, never by its
//! name: by the keys of `given` and `expect` and by the words of `when`. Every expected key is
//! compared with a value that the core computed, every given key has to be used. What nobody
//! understands fails as unsupported; what belongs to a later part of the product is counted as
//! pending, with its area.
//!
//! `conformance.json` is the collection as it came; the `conformance-more` files add cases that
//! follow from the same rules. `LOCKSTEP_CASES` names further files of the same form, separated by
//! `:` or `,`. Arguments that do not begin with `-` keep only the cases whose id contains one of
//! them. The whole collection has to pass with the counts of `golden/conformance.txt`, here and in
//! wasm (`wasm_conformance.rs`); `LOCKSTEP_BLESS=1` writes them anew.

#[path = "suite.rs"]
mod suite;

use std::io::Write;
use std::process::ExitCode;

use suite::{Case, Report};

/// The cases of the files that the environment names.
fn add_further_files(report: &mut Report, wanted: &impl Fn(&Case) -> bool) {
    let further = std::env::var("LOCKSTEP_CASES").unwrap_or_default();
    for path in further.split([':', ',']).filter(|path| !path.is_empty()) {
        let read = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"));
        report.add_file(read.and_then(|text| suite::parse(path, &text)), wanted);
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let wanted =
        |case: &Case| words.is_empty() || words.iter().any(|part| case.id.contains(part.as_str()));
    let mut report = suite::run(wanted);
    if words.is_empty() && std::env::var_os("LOCKSTEP_BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/conformance.txt");
        if let Err(error) = std::fs::write(path, report.passed()) {
            report.broken(format!("{path}: {error}"));
        }
    } else if words.is_empty() && report.passed() != suite::PASSED {
        report.broken(format!("golden/conformance.txt says otherwise:\n{}", suite::PASSED));
    }
    add_further_files(&mut report, &wanted);
    // An output that is closed is nobody's loss.
    let _ = std::io::stdout().lock().write_all(report.text().as_bytes());
    match report.is_good() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
