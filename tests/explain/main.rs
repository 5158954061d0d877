//! Explanations over every scenario of the repository: lessons and reports.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod cases;
mod counter;
mod diagnosis;
mod guarantees;
mod reasons;
mod violations;
mod words;

use std::path::{Path, PathBuf};

use lockstep_core::scenario::{load, Program};

/// Name and program of each scenario of a folder, by name.
pub fn scenarios(folder: &str) -> Vec<(String, Program)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "scn"))
        .collect();
    files.sort();
    let name = |path: &PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
    let read = |path: &PathBuf| load(&std::fs::read_to_string(path).unwrap()).unwrap();
    files.iter().map(|path| (name(path), read(path))).collect()
}

/// All scenarios: lessons, then reports.
pub fn all() -> Vec<(String, Program)> {
    let mut all = scenarios("www/lessons");
    all.extend(scenarios("tests/reports"));
    assert!(all.len() > 100, "the scenarios are missing");
    all
}

/// True when the whole, slow run was asked for: every event instead of every decision.
pub fn whole() -> bool {
    std::env::var_os("LOCKSTEP_WHOLE").is_some()
}
