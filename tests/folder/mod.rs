//! The scenario files of a folder, and what each of them has to be: tests over lessons, reports and
//! found faults share it.
#![allow(dead_code, reason = "each test takes what it needs")]

use std::path::{Path, PathBuf};

use lockstep_core::scenario::{check, format, load, parse, play, Evidence, Program, State};

/// The scenario files of a folder of the repository, by name.
pub fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "scn"))
        .collect();
    files.sort();
    files
}

/// File name and text of each scenario of a folder, by name.
pub fn texts(folder: &str) -> Vec<(String, String)> {
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    files(folder).iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

/// A program, or its mistakes with their places.
pub fn program(name: &str, text: &str) -> Result<Program, Vec<String>> {
    load(text).map_err(|problems| {
        problems.iter().map(|p| format!("{name}:{}:{}: {p}", p.span.line, p.span.column)).collect()
    })
}

/// What a text lacks to be printed as it stands and to be written as `lockstep fmt` writes it.
pub fn ill_formed(name: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if parse(text).scenario.print() != text {
        faults.push(format!("{name}: printing loses something"));
    }
    if format(text) != text {
        faults.push(format!("{name}: not canonical, run `lockstep fmt`"));
    }
    faults
}

/// Expectations of a whole run that do not hold.
pub fn broken_expectations(name: &str, program: &Program) -> Vec<String> {
    let session = play(program);
    let evidence = Evidence::of(&session, program.until_ms, true);
    check(program, &evidence)
        .iter()
        .filter(|verdict| verdict.finding.state != State::Holds)
        .map(|v| format!("{name}:{}: {}", v.line, v.describe(program, &evidence)))
        .collect()
}

/// Runs a test over all scenarios of a folder, of which there are at least so many, and tells every
/// fault, not only the first.
pub fn each(folder: &str, least: usize, mut test: impl FnMut(&str, &str) -> Vec<String>) {
    let texts = texts(folder);
    assert!(texts.len() >= least, "{folder}: only {} scenarios", texts.len());
    let faults: Vec<String> = texts.iter().flat_map(|(name, text)| test(name, text)).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
