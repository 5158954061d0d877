//! Bringing the tools: what stops a set-up comes first, what takes long comes last.

mod cargo_tools;
mod npm_tools;
mod system;
mod wasm_std;

use std::time::Instant;

use crate::job::{quoted, seconds};
use crate::toolchain::Wasm;
use crate::{paths, Failure, Outcome};

/// Brings everything that any command needs.
pub fn everything() -> Outcome {
    let began = Instant::now();
    for_tests()?;
    println!("All tools are there ({}).", seconds(began.elapsed()));
    Ok(())
}

/// Brings what building the page needs, and says which compiler builds it.
pub fn for_page() -> Outcome<Wasm> {
    system::node()?;
    let wasm = wasm_std::ensure()?;
    npm_tools::ensure()?;
    cargo_tools::trunk()?;
    cargo_tools::wasm_bindgen()?;
    Ok(wasm)
}

/// Brings what the tests need: what the page needs, and a browser.
pub fn for_tests() -> Outcome<Wasm> {
    system::browser()?;
    for_page()
}

/// Prints the shell lines that let plain trunk and cargo build the page.
pub fn print_env() -> Outcome {
    let wasm = Wasm::ready()?.ok_or_else(|| {
        Failure::from("the tools are not there yet: run `cargo xtask setup` first")
    })?;
    if let Some(name) = wasm.toolchain() {
        println!("export RUSTUP_TOOLCHAIN={name}");
    }
    println!("export PATH={}", quoted(&paths::search_path()?.to_string_lossy()));
    Ok(())
}

/// Says that something is there.
fn ready(what: &str) {
    println!("  ok {what}");
}

/// Does something that takes a while, saying what it is and how long it took.
fn bring(what: &str, expected: &str, work: impl FnOnce() -> Outcome) -> Outcome {
    println!("  .. {what} ({expected})");
    let began = Instant::now();
    work()?;
    println!("  ok {what} (took {})", seconds(began.elapsed()));
    Ok(())
}
