//! `lockstep fmt`

use std::io::Write;

use lockstep_core::scenario::{format, parse};

use crate::{problems, read, Outcome, Written};

/// Brings each file into its canonical form, or only says which are not. Lines that cannot be
/// read stay as they are and are reported.
pub(crate) fn fmt(
    files: &[&str],
    only_check: bool,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Written {
    let mut worst = Outcome::Good;
    for file in files {
        let Some(text) = read(file, err)? else {
            worst = Outcome::Unable;
            continue;
        };
        let found = parse(&text).problems;
        if !found.is_empty() {
            problems::write(file, &text, &found, err)?;
            worst = Outcome::Unable;
        }
        let canonical = format(&text);
        if canonical == text {
            continue;
        }
        if only_check {
            let differs = text.lines().zip(canonical.lines()).position(|(a, b)| a != b);
            let line = differs.map_or(text.lines().count(), |index| index + 1);
            writeln!(out, "{file}:{line}: not in its canonical form (`lockstep fmt` writes it)")?;
            worst = worst.max(Outcome::Found);
        } else if let Err(error) = std::fs::write(file, canonical) {
            writeln!(err, "error: cannot write {file}: {error}")?;
            worst = Outcome::Unable;
        } else {
            writeln!(out, "formatted {file}")?;
        }
    }
    Ok(worst)
}
