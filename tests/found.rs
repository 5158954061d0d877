//! Faults that were found, each as a scenario that plays it: the files of `tests/found` are
//! canonical and do what they expect.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::path::PathBuf;

use lockstep_core::scenario::{check, format, load, play, Evidence, State};

/// What is wrong with a file.
fn faults(name: &str, text: &str) -> Vec<String> {
    let program = match load(text) {
        Ok(program) => program,
        Err(problems) => {
            let told = problems.iter().map(|p| format!("{name}:{}: {p}", p.span.line));
            return told.collect();
        }
    };
    let mut faults = Vec::new();
    if format(text) != text {
        faults.push(format!("{name}: not canonical, run `lockstep fmt`"));
    }
    if program.expectations.is_empty() {
        faults.push(format!("{name}: expects nothing"));
    }
    let session = play(&program);
    let evidence = Evidence::of(&session, program.until_ms, true);
    let wrong = check(&program, &evidence)
        .into_iter()
        .filter(|verdict| verdict.finding.state != State::Holds)
        .map(|v| format!("{name}:{}: {}", v.line, v.describe(&program, &evidence)));
    faults.extend(wrong);
    faults
}

#[test]
fn what_was_found_stays_mended() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/found");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let faults: Vec<String> = files
        .iter()
        .flat_map(|path| {
            let name = path.file_name().unwrap().to_string_lossy();
            faults(&name, &std::fs::read_to_string(path).unwrap())
        })
        .collect();
    assert!(files.len() > 2 && faults.is_empty(), "\n{}", faults.join("\n"));
}
