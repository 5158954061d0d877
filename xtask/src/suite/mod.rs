//! Every check and test there is, one after the other, and one line that counts them.

mod counts;
mod steps;

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::job::seconds;
use crate::{setup, Outcome};
use counts::Counts;

/// Sets up and runs everything.
pub fn all() -> Outcome<ExitCode> {
    let mut report = Report::default();
    let mut wasm = None;
    report.step("set-up", || {
        wasm = Some(setup::for_tests()?);
        Ok(Counts::default())
    });
    native(&mut report);
    report.step("documentation", steps::documentation);
    let mut built = false;
    if let Some(wasm) = wasm {
        report.step("lints, wasm32", || steps::lints_wasm(wasm));
        report.step("wasm tests in Chromium", || steps::wasm_tests(wasm));
        report.step("release build", || steps::release_build(wasm, &mut built));
    } else {
        for title in ["lints, wasm32", "wasm tests in Chromium", "release build"] {
            report.step(title, || Err("cannot run: the set-up failed".into()));
        }
    }
    report.step("browser tests", || match built {
        true => steps::browser_tests(&[]),
        false => Err("cannot run: there is no page to test, since the release build failed".into()),
    });
    report.close()
}

/// Runs the native checks and tests, setting nothing up.
pub fn quick() -> Outcome<ExitCode> {
    let mut report = Report::default();
    native(&mut report);
    report.close()
}

/// Runs the browser tests against what is built, with arguments of theirs.
pub fn browser_only(args: &[&str]) -> Outcome<ExitCode> {
    setup::for_tests()?;
    let mut report = Report::default();
    report.step("browser tests", || steps::browser_tests(args));
    report.close()
}

fn native(report: &mut Report) {
    report.step("formatting", steps::formatting);
    report.step("lints, native", steps::lints_native);
    report.step("tests, native", steps::native_tests);
}

/// What the steps so far came to.
#[derive(Default)]
struct Report {
    steps: Vec<(String, Counts, Duration)>,
}

impl Report {
    /// Runs a step. One that could not do its work counts as one failure.
    fn step(&mut self, title: &str, work: impl FnOnce() -> Outcome<Counts>) {
        println!("\n== {title}");
        let began = Instant::now();
        let counts = work().unwrap_or_else(|why| {
            println!("{why}");
            Counts { passed: 0, failed: 1 }
        });
        let elapsed = began.elapsed();
        println!("-- {title}: {}", verdict(counts, elapsed));
        self.steps.push((title.to_owned(), counts, elapsed));
    }

    /// Prints the whole and says by the exit code whether all is well.
    fn close(self) -> Outcome<ExitCode> {
        println!("\n== all together");
        let mut sum = Counts::default();
        for (title, counts, elapsed) in &self.steps {
            println!("{title:<24} {}", verdict(*counts, *elapsed));
            sum += *counts;
        }
        println!("{} passed, {} failed", sum.passed, sum.failed);
        io::stdout().flush()?;
        let well = sum.failed == 0 && sum.passed > 0;
        Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn verdict(counts: Counts, elapsed: Duration) -> String {
    let Counts { passed, failed } = counts;
    let mark = if failed == 0 { "ok    " } else { "FAILED" };
    format!("{mark} {passed:>5} passed {failed:>3} failed  {:>12}", seconds(elapsed))
}
