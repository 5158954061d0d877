//! The fuzzing that every test run does: the corpus of `tests/fuzz/scenario` and
//! `tests/fuzz/session`, the lessons, and a bounded number of mutations of them. The fuzzer itself
//! (`fuzz/`) looks further; what it finds is added to the corpus.
//!
//! `LOCKSTEP_FUZZ_RUNS` sets the number of mutations for each target.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod commands;
mod targets;

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};

/// Mutations of each target.
const RUNS: u64 = 1_500;

/// A small generator, so that a fault found here is found again.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}

fn files(folder: &str) -> Vec<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} is empty", folder.display());
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// One of the corpus with some bytes changed, and pieces of others put in.
fn mutated(corpus: &[Vec<u8>], chance: &mut Chance) -> Vec<u8> {
    let mut data = corpus[chance.below(corpus.len())].clone();
    for _ in 0..=chance.below(8) {
        let at = chance.below(data.len() + 1);
        match chance.below(5) {
            0 if at < data.len() => data[at] = chance.below(256) as u8,
            1 => data.insert(at, chance.below(256) as u8),
            2 if at < data.len() => drop(data.remove(at)),
            3 => data.truncate(at.max(1)),
            _ => {
                let other = &corpus[chance.below(corpus.len())];
                let from = chance.below(other.len());
                let to = (from + chance.below(40)).min(other.len());
                data.splice(at..at, other[from..to].iter().copied()).for_each(drop);
            }
        }
    }
    data
}

/// Calls a target; what it does not survive is kept as a file.
fn call(name: &str, target: fn(&[u8]), data: &[u8]) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| target(data))) {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.fuzz"));
        let kept = std::fs::write(&path, data);
        let kept = kept.map(|()| path.display().to_string()).unwrap_or_default();
        std::panic::resume_unwind(Box::new(format!("{name}: {panic:?}, input in {kept}")));
    }
}

fn fuzz(name: &str, target: fn(&[u8]), corpus: &[Vec<u8>]) {
    corpus.iter().for_each(|data| call(name, target, data));
    let runs = std::env::var("LOCKSTEP_FUZZ_RUNS").ok().and_then(|n| n.parse().ok());
    let mut chance = Chance(42);
    for _ in 0..runs.unwrap_or(RUNS) {
        call(name, target, &mutated(corpus, &mut chance));
    }
}

#[test]
fn scenario_texts() {
    let mut corpus = files("tests/fuzz/scenario");
    corpus.extend(files("www/lessons").into_iter().filter(|text| text.len() < 3_000));
    fuzz("scenario", targets::scenario, &corpus);
}

#[test]
fn sessions() {
    fuzz("session", targets::session, &files("tests/fuzz/session"));
}
