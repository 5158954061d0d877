//! Reading from what a test runner says how many tests passed and failed.

use std::ops::AddAssign;

/// How many tests passed and how many did not.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Tests that ran and succeeded.
    pub passed: u32,
    /// Tests that failed, were broken off or could not run.
    pub failed: u32,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

/// Whose words are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Runner {
    /// A check that passes or fails as a whole.
    Whole,
    /// `cargo test`, and wasm-bindgen's runner, which speaks like it.
    Libtest,
    /// `playwright test` with the list reporter.
    Playwright,
}

impl Runner {
    /// The counts in what this runner said. A runner that failed without naming a failed
    /// test, because something did not build, say, counts as one failure.
    pub fn count(self, ok: bool, text: &str) -> Counts {
        let mut counts = Counts::default();
        match self {
            Self::Whole => counts.passed = u32::from(ok),
            Self::Libtest => text.lines().filter_map(libtest_line).for_each(|line| counts += line),
            Self::Playwright => {
                text.lines().filter_map(playwright_line).for_each(|line| counts += line)
            }
        }
        if !ok && counts.failed == 0 {
            counts.failed = 1;
        }
        counts
    }
}

/// `test result: ok. 3 passed; 0 failed; 0 ignored; …`
fn libtest_line(line: &str) -> Option<Counts> {
    let (_, result) = line.trim().strip_prefix("test result:")?.split_once(". ")?;
    Some(sum(result.split(';')))
}

/// `  3 failed`, `  1 did not run`, `  12 passed (4.5s)`, each on a line of its own.
fn playwright_line(line: &str) -> Option<Counts> {
    let line = line.trim();
    let ends_as_expected = line.ends_with(')') || line.split_whitespace().count() <= 4;
    (line.starts_with(|c: char| c.is_ascii_digit()) && ends_as_expected)
        .then(|| sum([line].into_iter()))
}

/// Adds up phrases like `3 passed`; those that are neither good nor bad count for nothing.
fn sum<'a>(phrases: impl Iterator<Item = &'a str>) -> Counts {
    let mut counts = Counts::default();
    for phrase in phrases {
        let Some((number, what)) = phrase.trim().split_once(' ') else {
            continue;
        };
        let Ok(number) = number.parse::<u32>() else {
            continue;
        };
        let what = what.split(" (").next().unwrap_or_default().trim();
        match what {
            "passed" => counts.passed += number,
            "failed" | "interrupted" | "flaky" | "did not run" => {
                counts.failed += number;
            }
            _ => {}
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(passed: u32, failed: u32) -> Counts {
        Counts { passed, failed }
    }

    #[test]
    fn a_check_is_one() {
        assert_eq!(Runner::Whole.count(true, ""), counts(1, 0));
        assert_eq!(Runner::Whole.count(false, "3 passed"), counts(0, 1));
    }

    #[test]
    fn every_binary_of_cargo_test_adds_to_the_count() {
        let text = "running 3 tests\ntest result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n\
                    test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out\n";
        assert_eq!(Runner::Libtest.count(false, text), counts(4, 2));
    }

    #[test]
    fn playwright_says_it_in_several() {
        let text = "Running 9 tests using 2 workers\n  2 failed\n    [chromium] › a.spec.mjs:1:1 › 3 passed\n  \
                    1 flaky\n  1 skipped\n  1 did not run\n  4 passed (4.5s)\n";
        assert_eq!(Runner::Playwright.count(false, text), counts(4, 4));
    }

    #[test]
    fn what_does_not_even_build_is_one_failure() {
        for runner in [Runner::Libtest, Runner::Playwright] {
            assert_eq!(runner.count(false, "error: could not compile"), counts(0, 1));
        }
    }
}
