//! `lockstep fmt`

use lockstep_core::scenario::{format, parse};

use crate::console::Console;
use crate::{problems, Outcome, Written};

/// Brings each file into its canonical form, or only says which are not. Lines that cannot be
/// read stay as they are and are reported.
pub(crate) fn fmt(files: &[&str], only_check: bool, console: &mut Console<'_>) -> Written {
    let said = console.text();
    let mut worst = Outcome::Good;
    for file in files {
        let Some(text) = console.read(file)? else {
            worst = Outcome::Unable;
            continue;
        };
        let found = parse(&text).problems;
        if !found.is_empty() {
            problems::write(file, &text, &found, console)?;
            worst = Outcome::Unable;
        }
        let canonical = format(&text);
        if canonical == text {
            continue;
        }
        if only_check {
            let differs = text.lines().zip(canonical.lines()).position(|(a, b)| a != b);
            let line = differs.map_or(text.lines().count(), |index| index + 1);
            writeln!(console.out, "{}", said.not_canonical(file, line))?;
            worst = worst.max(Outcome::Found);
        } else if let Err(error) = std::fs::write(file, canonical) {
            console.error(&said.cannot_write(file, &error.to_string()))?;
            worst = Outcome::Unable;
        } else {
            writeln!(console.out, "{}", said.formatted(file))?;
        }
    }
    Ok(worst)
}
