//! The single steps of the suite.

use std::path::Path;

use super::counts::{Counts, Runner};
use crate::job::Job;
use crate::toolchain::{Wasm, TARGET};
use crate::{build, paths, site, Outcome};

/// Tests that are meant for a browser are in files with this beginning.
const WASM_TESTS: &str = "wasm_";

/// Whether everything is formatted as rustfmt does it.
pub fn formatting() -> Outcome<Counts> {
    cargo(&["fmt", "--all", "--check"], Runner::Whole)
}

/// Clippy on everything that is built natively.
pub fn lints_native() -> Outcome<Counts> {
    cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], Runner::Whole)
}

/// Clippy on the page as it is built for the browser.
pub fn lints_wasm(wasm: Wasm) -> Outcome<Counts> {
    let job = Job::new("cargo")?.args([
        "clippy",
        "--package",
        "lockstep",
        "--target",
        TARGET,
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ]);
    run(wasm.applied(job), Runner::Whole)
}

/// The native tests, those in the documentation too. By plain `cargo test`, so that the
/// same runs everywhere, and test programs with a harness of their own take part.
pub fn native_tests() -> Outcome<Counts> {
    cargo(&["test", "--workspace", "--no-fail-fast"], Runner::Libtest)
}

/// Whether the documentation builds without a warning.
pub fn documentation() -> Outcome<Counts> {
    let job = Job::new("cargo")?
        .args(["doc", "--workspace", "--lib", "--no-deps"])
        .env("RUSTDOCFLAGS", "-D warnings");
    run(job, Runner::Whole)
}

/// The tests that run as wasm in Chromium: those of the page, and those of the core.
pub fn wasm_tests(wasm: Wasm) -> Outcome<Counts> {
    let mut counts = wasm_tests_of("lockstep", &["--lib"], &paths::root().join("tests"), wasm)?;
    counts += wasm_tests_of("lockstep-core", &[], &paths::root().join("src/core/tests"), wasm)?;
    Ok(counts)
}

fn wasm_tests_of(package: &str, targets: &[&str], folder: &Path, wasm: Wasm) -> Outcome<Counts> {
    let mut targets = targets.to_vec();
    let pattern = format!("{WASM_TESTS}*");
    if has_wasm_tests(folder) {
        targets.extend(["--test", &pattern]);
    }
    if targets.is_empty() {
        println!("{package} has no tests for wasm");
        return Ok(Counts::default());
    }
    let job = Job::new("cargo")?
        .args(["test", "--package", package, "--target", TARGET, "--no-fail-fast"])
        .args(targets)
        // The counts of the conformance cases are told by the browser's console.
        .args(["--", "--nocapture"])
        .env("CHROMEDRIVER", paths::chromedriver()?.unwrap_or_default())
        .env("WASM_BINDGEN_USE_BROWSER", "1")
        .env("WASM_BINDGEN_TEST_TIMEOUT", "300");
    run(wasm.applied(job), Runner::Libtest)
}

/// Builds the page as for release; `built` says whether there is one now.
pub fn release_build(wasm: Wasm, built: &mut bool) -> Outcome<Counts> {
    let said = build::page(wasm)?;
    *built = said.ok;
    if said.ok {
        build::sizes()?;
    }
    Ok(Runner::Whole.count(said.ok, &said.text))
}

/// The browser tests of `tests/e2e` against `dist/`.
pub fn browser_tests(args: &[&str]) -> Outcome<Counts> {
    let job = Job::new("node")?
        .args(["tests/e2e/node_modules/@playwright/test/cli.js", "test"])
        .args(["--config", "tests/e2e/playwright.config.mjs"])
        .args(args)
        .env("BASE_URL", site::start(paths::dist())?)
        .env("CHROMIUM", paths::chromium()?.unwrap_or_default());
    run(job, Runner::Playwright)
}

fn cargo(words: &[&str], runner: Runner) -> Outcome<Counts> {
    run(Job::new("cargo")?.args(words), runner)
}

fn run(job: Job, runner: Runner) -> Outcome<Counts> {
    let said = job.aloud()?;
    Ok(runner.count(said.ok, &said.text))
}

fn has_wasm_tests(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return false;
    };
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with(WASM_TESTS) && name.ends_with(".rs")
    })
}
