//! How fast the core is, natively and in a browser, and what the page weighs; the README's
//! animation, which the same browser records.

use crate::job::Job;
use crate::{build, paths, setup, site, Failure, Outcome};

/// Runs the measurements one after the other, so that none disturbs another.
pub fn bench() -> Outcome {
    let wasm = setup::for_tests()?;
    println!("\n== the core, natively");
    let native = Job::new("cargo")?
        .args(["run", "--release", "-p", "lockstep-core", "--example", "bench"])
        .aloud()?;
    println!("\n== the same in Chromium, on the page built as for release");
    let browser = build::page(wasm)?.ok && in_browser()?;
    build::sizes()?;
    match (native.ok, browser) {
        (true, true) => Ok(()),
        (false, _) => Err(Failure::from("the native measurement failed")),
        (true, false) => Err(Failure::from("the measurement in Chromium failed")),
    }
}

/// Makes the README's animation anew from the page in `dist/`.
pub fn animation() -> Outcome {
    setup::for_tests()?;
    match on_page(&site::start(paths::dist())?, "tests/e2e/animation.mjs")? {
        true => Ok(()),
        false => Err(Failure::from("the animation was not made")),
    }
}

fn in_browser() -> Outcome<bool> {
    let address = site::start(paths::dist())?;
    let core = on_page(&address, "tests/e2e/bench.mjs")?;
    println!("\n== the page in Chromium");
    let page = on_page(&address, "tests/e2e/bench-page.mjs")?;
    Ok(core && page)
}

/// Runs a script that steers the browser; false when it failed.
fn on_page(address: &str, script: &str) -> Outcome<bool> {
    let chromium = paths::chromium()?.unwrap_or_default();
    let job = Job::new("node")?.args([script]).env("BASE_URL", address).env("CHROMIUM", chromium);
    Ok(job.aloud()?.ok)
}
