//! Random topologies, loads and faults on both stacks: whatever happens, what the setting promises
//! is kept. After every event the shadow model (`shadow.rs`), the owners of queues (`owners.rs`) and
//! the recorded offsets are checked, and now and then where every message is (`census.rs`). A failure
//! shrinks and is printed, and written, as a scenario.
//!
//! `LOCKSTEP_RANDOM_RUNS` sets the number of runs, `LOCKSTEP_RANDOM_SEED` draws others, and with
//! `LOCKSTEP_SOAK_MINUTES` fresh ones follow each other for so long (`cargo xtask soak`).
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test may fail, and tell")]

mod census;
mod deliveries;
mod habits;
mod journal;
mod judge;
mod owners;
mod plan;
mod shadow;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use lockstep_core::scenario::{load, say_all};
use plan::{plan, Plan, Stack};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

/// Runs of `cargo test`, all tests together.
const RUNS: u32 = 1_000;
/// Runs of a soak between two looks at the clock.
const ROUND: u32 = 50;

/// The run as a scenario.
fn scenario(plan: &Plan) -> String {
    format!(
        "seed {}\nmodel {}\nrun until {}s\n{}",
        plan.seed,
        plan.model,
        judge::END_MS / 1_000,
        say_all(&journal::journal(plan))
    )
}

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Runs plans that are drawn from a seed; the failure is the shrunken plan with what is wrong.
fn round(stacks: &'static [Stack], runs: u32, seed: u64) {
    let config = Config { cases: runs, failure_persistence: None, ..Config::default() };
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let stories = RefCell::new(Vec::new());
    let result = runner.run(&plan(stacks), |plan| {
        let story = judge::judge(&plan).map_err(TestCaseError::fail)?;
        stories.borrow_mut().push(story);
        Ok(())
    });
    let Err(error) = result else { return tell(&stories.into_inner()) };
    let TestError::Fail(reason, plan) = error else { panic!("seed {seed}: {error}") };
    let text = format!("# {reason}\n{}", scenario(&plan));
    let name = format!("random-{seed}-{:?}.scn", stacks[0]).to_lowercase();
    let path = format!("{}/{name}", env!("CARGO_TARGET_TMPDIR"));
    let written = std::fs::write(&path, &text).is_ok();
    let place = if written { path.as_str() } else { "nowhere" };
    panic!("LOCKSTEP_RANDOM_SEED={seed}: {reason}\n{plan:#?}\n--- {place} ---\n{text}");
}

/// Tells how often the reference's exceptions were needed.
fn tell(stories: &[judge::Story]) {
    let mut windows = BTreeMap::new();
    for (window, count) in stories.iter().flat_map(|story| &story.windows) {
        *windows.entry(*window).or_insert(0) += count;
    }
    let strict = stories.iter().filter(|story| **story == judge::Story::default()).count();
    let stale: u32 = stories.iter().map(|story| story.stale_starts).sum();
    let unrecorded: u32 = stories.iter().map(|story| story.unrecorded).sum();
    eprintln!(
        "{} runs, {strict} of them without any exception; overlaps {windows:?}, starts of overtaken \
         deliveries {stale}, acknowledgements without a record {unrecorded}",
        stories.len()
    );
}

/// A quarter of the runs, or rounds until a soak is over.
fn explore(stacks: &'static [Stack]) {
    let runs = variable("LOCKSTEP_RANDOM_RUNS").map_or(RUNS, |n| n.min(1 << 30) as u32);
    let Some(minutes) = variable("LOCKSTEP_SOAK_MINUTES") else {
        let seed = variable("LOCKSTEP_RANDOM_SEED").unwrap_or(0);
        return round(stacks, runs.div_ceil(4), seed);
    };
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos() as u64);
    let first = variable("LOCKSTEP_RANDOM_SEED").unwrap_or(clock >> 8);
    let (begin, length) = (Instant::now(), Duration::from_secs(minutes * 60));
    for (done, seed) in (1..).zip(first..) {
        round(stacks, ROUND, seed);
        let elapsed = begin.elapsed();
        let left = length.saturating_sub(elapsed).as_secs();
        eprintln!("{stacks:?}: {} runs, seed {seed} was the last, {left} s left", done * ROUND);
        if elapsed >= length {
            return;
        }
    }
}

#[test]
fn classic_ordered_consumers_keep_their_promises() {
    explore(&[Stack::Orderly]);
}

#[test]
fn ordered_grpc_consumers_keep_their_promises() {
    explore(&[Stack::FifoPush, Stack::Accelerated, Stack::SimpleLoop, Stack::SimpleByHand]);
}

#[test]
fn consumers_without_order_lose_nothing() {
    explore(&[Stack::Concurrent, Stack::FreePush]);
}

#[test]
fn all_kinds_of_consumers_live_together() {
    explore(&[
        Stack::Orderly,
        Stack::Concurrent,
        Stack::FifoPush,
        Stack::Accelerated,
        Stack::FreePush,
        Stack::SimpleLoop,
        Stack::SimpleByHand,
    ]);
}

proptest! {
    #![proptest_config(Config { cases: 200, failure_persistence: None, ..Config::default() })]

    /// What a failure prints plays the very run that failed.
    #[test]
    fn a_printed_run_is_the_run(plan in plan(&[Stack::Orderly, Stack::FreePush, Stack::SimpleByHand])) {
        let text = scenario(&plan);
        let program = load(&text).map_err(|e| TestCaseError::fail(format!("{e:?}\n{text}")))?;
        prop_assert_eq!(program.seed, plan.seed);
        prop_assert_eq!(program.journal(), journal::journal(&plan));
    }
}
