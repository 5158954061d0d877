//! Explanations over every scenario of the repository: lessons and reports.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod cases;
mod changes;
mod counter;
mod deeds;
mod diagnosis;
#[path = "../folder/mod.rs"]
mod folder;
mod guarantees;
mod held;
mod mended;
mod offered;
mod own_group;
mod reasons;
mod told;
mod touched;
mod truths;
mod violations;
mod words;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

use folder::files;
use lockstep_core::scenario::{load, Program};

/// Name and program of a scenario.
fn read(path: &Path) -> (String, Program) {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    (name, load(&std::fs::read_to_string(path).unwrap()).unwrap())
}

/// Name and program of each scenario of a folder, by name.
pub fn scenarios(folder: &str) -> Vec<(String, Program)> {
    files(folder).iter().map(|path| read(path)).collect()
}

/// All scenarios: lessons, then reports.
pub fn all() -> Vec<(String, Program)> {
    let mut all = scenarios("www/lessons");
    all.extend(scenarios("tests/reports"));
    assert!(all.len() > 100, "the scenarios are missing");
    all
}

/// What comes of looking at every scenario of the repository, on all processors.
pub fn on_all<T: Send>(look: impl Fn(&str, &Program) -> T + Sync) -> Vec<T> {
    let folders = ["tests/reports", "www/lessons", "tests/found", "tests/symptoms"];
    let files: Vec<PathBuf> = folders.into_iter().flat_map(files).collect();
    assert!(files.len() > 200, "the scenarios are missing");
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    let work = || {
        while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (name, program) = read(path);
            let one = look(&name, &program);
            found.lock().unwrap().push(one);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    found.into_inner().unwrap()
}

/// True when the whole, slow run was asked for.
pub fn whole() -> bool {
    std::env::var_os("LOCKSTEP_WHOLE").is_some()
}

/// A small scenario: the lines of a text in a run with one FIFO topic of one queue, `orders`, and the
/// producer p1, which come before its first consumer. A text with a topic of its own stays as it is.
pub fn fifo(text: &str) -> String {
    let word = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
    if text.lines().any(|line| word(line) == "topic") {
        return text.to_owned();
    }
    let head = ["", "model", "seed", "set", "series", "group"];
    let first: Vec<&str> =
        text.lines().take_while(|line| head.contains(&word(line).as_str())).collect();
    let rest = text.lines().skip(first.len());
    let all = ["topic orders FIFO 1 queue"].into_iter().chain(first).chain(["producer p1"]);
    all.chain(rest).flat_map(|line| [line, "\n"]).collect()
}
