//! Measures the engine natively; `cargo xtask bench` runs it and then the same in Chromium.
#![allow(clippy::print_stdout, reason = "a measurement prints")]
#![allow(clippy::disallowed_types, reason = "the clock is the caller's, not the core's")]

use std::time::Instant;

fn main() {
    let begin = Instant::now();
    let now_ms = || begin.elapsed().as_secs_f64() * 1e3;
    println!("{}", lockstep_core::bench::run(&now_ms));
}
