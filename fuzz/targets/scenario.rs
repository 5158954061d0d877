//! The fuzzer's way into `tests/fuzz/targets.rs`.
#![no_main]

#[allow(dead_code, reason = "each target uses a part")]
#[path = "../../tests/fuzz/commands.rs"]
mod commands;
#[allow(dead_code, reason = "each target uses a part")]
#[path = "../../tests/fuzz/targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| targets::scenario(data));
