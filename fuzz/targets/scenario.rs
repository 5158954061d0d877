//! The fuzzer's way into `tests/fuzz/targets.rs`.
#![no_main]

#[path = "../../tests/fuzz/commands.rs"]
mod commands;
#[path = "../../tests/fuzz/targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| targets::scenario(data));
