//! The engine beside the engine of an earlier commit, in one run: what a figure is worth depends on
//! the machine, a ratio hardly.

use std::fs;
use std::path::{Path, PathBuf};

use crate::job::Job;
use crate::{paths, Failure, Outcome};

/// How often both are measured, in turn; the best of each counts.
const TURNS: u32 = 6;

const BUILD: [&str; 6] = ["build", "--release", "-p", "lockstep-core", "--example", "bench"];

/// Measures this tree and a commit in turn and prints how they compare.
pub fn against(commit: &str) -> Outcome {
    let hash = resolve(commit)?;
    let folder = checked_out(&hash)?;
    let (own, before) = (built(paths::root())?, built(&folder)?);
    let mut best = (0.0_f64, 0.0_f64);
    for turn in 1..=TURNS {
        let rates = (measure(&own)?, measure(&before)?);
        println!("{turn} of {TURNS}: {:.2} here, {:.2} there (million events/s)", rates.0, rates.1);
        best = (best.0.max(rates.0), best.1.max(rates.1));
    }
    let percent = best.0 / best.1 * 100.0;
    println!("engine   {:.2} million events/s, {percent:.0} % of {commit}'s {:.2}", best.0, best.1);
    Ok(())
}

fn resolve(commit: &str) -> Outcome<String> {
    let named = format!("{commit}^{{commit}}");
    let said = Job::new("git")?.args(["rev-parse", "--verify", "--quiet", &named]).ask();
    match said.ok {
        true => Ok(said.text),
        false => Err(Failure(format!("`{commit}` is no commit of this clone: git log lists them"))),
    }
}

/// A clone of its own at the commit; made once and kept, for its build takes longer than a look at it.
fn checked_out(hash: &str) -> Outcome<PathBuf> {
    let folder = paths::root().join("target/against").join(hash);
    if folder.join("Cargo.toml").exists() {
        return Ok(folder);
    }
    fs::create_dir_all(&folder)?;
    let clone = Job::new("git")?.args(["clone", "--quiet", "--shared", "--no-checkout"]);
    let clone = clone.args([paths::root(), &folder]).aloud()?;
    let checkout = Job::new("git")?.args(["checkout", "--quiet", hash]).dir(&folder).aloud()?;
    match clone.ok && checkout.ok {
        true => Ok(folder),
        false => Err(Failure(format!("{hash} could not be checked out to {}", folder.display()))),
    }
}

/// Builds the measurement of a tree, in the tree's own target folder.
fn built(tree: &Path) -> Outcome<PathBuf> {
    let target = tree.join("target");
    let job = Job::new("cargo")?.args(BUILD).env("CARGO_TARGET_DIR", &target).dir(tree);
    match job.aloud()?.ok {
        true => Ok(target.join("release/examples/bench")),
        false => Err(Failure(format!("the measurement of {} does not build", tree.display()))),
    }
}

fn measure(program: &Path) -> Outcome<f64> {
    let said = Job::new(program)?.ask();
    rate(&said.text).ok_or_else(|| Failure(format!("{} told no rate", program.display())))
}

/// The rate in what a measurement prints: `engine  2.10 million events/s …`.
fn rate(text: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix("engine"))?;
    line.split_whitespace().next()?.parse().ok().filter(|rate| *rate > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_the_engines() {
        let text = "checks 9.00 million\nengine     2.10 million events/s   (852003 events)\n";
        assert_eq!(rate(text), Some(2.10));
        assert_eq!(rate("engine fails"), None);
        assert_eq!(rate("engine 0 million"), None);
    }

    #[test]
    fn a_commit_that_is_not_there_is_told_of() {
        let why = resolve("no-such-commit").unwrap_err().0;
        assert!(why.contains("`no-such-commit` is no commit"), "{why}");
    }
}
