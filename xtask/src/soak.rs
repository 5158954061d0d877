//! Random runs with fresh seeds, for as long as one likes.

use std::process::ExitCode;

use crate::job::Job;
use crate::{Failure, Outcome};

/// Minutes unless told.
pub const DEFAULT_MINUTES: u32 = 10;

/// Plays random runs for so many minutes. A failure names its seed and the scenario file that the
/// run was written to.
pub fn soak(minutes: u32) -> Outcome<ExitCode> {
    println!("random runs for {minutes} min; the tests say how far they are");
    let said = Job::new("cargo")?
        .args(["test", "--profile", "soak", "--test", "random", "--", "--nocapture"])
        .env("LOCKSTEP_SOAK_MINUTES", minutes.to_string())
        .aloud()?;
    Ok(if said.ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The minutes of `--minutes N`.
pub fn minutes(words: &[&str]) -> Outcome<u32> {
    match words {
        [] => Ok(DEFAULT_MINUTES),
        ["--minutes", number] => match number.parse() {
            Ok(minutes @ 1..=100_000) => Ok(minutes),
            _ => Err(Failure(format!("`{number}` is no number of minutes: 1 to 100000 is"))),
        },
        _ => Err(Failure::from("usage: cargo xtask soak [--minutes N]")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_are_a_whole_number_from_one() {
        assert_eq!(minutes(&[]).ok(), Some(DEFAULT_MINUTES));
        assert_eq!(minutes(&["--minutes", "3"]).ok(), Some(3));
        for words in [&["--minutes", "0"][..], &["--minutes", "x"], &["--minutes"], &["3"]] {
            assert!(minutes(words).is_err(), "{words:?}");
        }
    }
}
