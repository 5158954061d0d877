//! The tools that cargo builds: trunk, and wasm-bindgen with its test runner.

use super::{bring, ready};
use crate::job::Job;
use crate::{paths, versions, Outcome};

/// Makes sure that trunk is there in our version.
pub fn trunk() -> Outcome {
    ensure(&Tool {
        name: "trunk",
        package: "trunk",
        version: versions::TRUNK,
        locked: true,
        expected: "3 to 11 minutes",
    })
}

/// Makes sure that wasm-bindgen and its test runner are there in our version.
pub fn wasm_bindgen() -> Outcome {
    // Its own lock file may name versions that have been taken back, so it is not used.
    ensure(&Tool {
        name: "wasm-bindgen",
        package: "wasm-bindgen-cli",
        version: versions::WASM_BINDGEN,
        locked: false,
        expected: "1 to 4 minutes",
    })
}

struct Tool {
    name: &'static str,
    package: &'static str,
    version: &'static str,
    locked: bool,
    expected: &'static str,
}

fn ensure(tool: &Tool) -> Outcome {
    let Tool { name, version, .. } = tool;
    if version_of(name)? == Some((*version).to_owned()) {
        ready(&format!("{name} {version}"));
        return Ok(());
    }
    bring(&format!("{name} {version} by cargo"), tool.expected, || install(tool))
}

fn install(tool: &Tool) -> Outcome {
    let mut job =
        Job::new("cargo")?.args(["install", tool.package, "--version", tool.version, "--force"]);
    if tool.locked {
        job = job.args(["--locked"]);
    }
    if paths::which(tool.name)?.is_some() {
        // The user has another version: that stays what they get when they type its name.
        job = job.args(["--root".as_ref(), paths::own_cargo_tools()?.as_os_str()]);
    }
    // They run for seconds and would be built for minutes: less optimising is more.
    job.env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
        .without_env("RUSTFLAGS")
        .dir(&paths::cache()?)
        .quietly(tool.name, None)
}

/// The version that a tool says it has, if it is there.
fn version_of(name: &str) -> Outcome<Option<String>> {
    let answer = Job::new(name)?.args(["--version"]).ask();
    Ok(answer.text.split_whitespace().nth(1).map(str::to_owned))
}
