//! The release build of the page, and what it weighs.

use crate::job::{Job, Said};
use crate::toolchain::Wasm;
use crate::{paths, setup, Failure, Outcome};

/// Measures with Node.js, which the build needs anyway and whose gzip and Brotli are the
/// usual ones.
const SIZES_SCRIPT: &str = include_str!("sizes.mjs");

/// Sets up, builds the page into `dist/` and prints its sizes.
pub fn build() -> Outcome {
    let wasm = setup::for_page()?;
    if !page(wasm)?.ok {
        return Err(Failure::from("the page did not build"));
    }
    sizes()?;
    println!("\nThe folder dist/ can be hosted anywhere, under any path.");
    Ok(())
}

/// Builds the page into `dist/`.
pub fn page(wasm: Wasm) -> Outcome<Said> {
    let job = Job::new("trunk")?
        .args(["build", "--release"])
        .env("TRUNK_SKIP_VERSION_CHECK", "true")
        .env("RUST_BACKTRACE", "0");
    wasm.applied(job).aloud()
}

/// Prints what the built page weighs.
pub fn sizes() -> Outcome {
    let answer = Job::new("node")?
        .args(["--input-type=module", "--eval", SIZES_SCRIPT])
        .args([paths::dist()])
        .ask();
    if !answer.ok || answer.text.is_empty() {
        return Err(Failure::from("dist/ cannot be measured: is the page built?"));
    }
    println!("\n{}", answer.text);
    Ok(())
}
