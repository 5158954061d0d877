//! `lockstep check`

use std::io::Write;

use lockstep_core::scenario::{check as judge, play, Evidence, Judged, Program, State, Verdict};

use crate::{open, Outcome, Written};

/// Plays each file and writes what is not as expected.
pub(crate) fn check(files: &[&str], out: &mut dyn Write, err: &mut dyn Write) -> Written {
    let mut worst = Outcome::Good;
    for file in files {
        worst = worst.max(one(file, out, err)?);
    }
    Ok(worst)
}

fn one(file: &str, out: &mut dyn Write, err: &mut dyn Write) -> Written {
    let Some((text, program)) = open(file, err)? else { return Ok(Outcome::Unable) };
    let session = play(&program);
    let evidence = Evidence::of(&session, program.until_ms, true);
    let verdicts = judge(&program, &evidence);
    let failed: Vec<&Verdict> =
        verdicts.iter().filter(|v| v.finding.state != State::Holds).collect();
    for verdict in &failed {
        let said = said(&text, &program, verdict);
        writeln!(out, "{file}:{}: {said}", verdict.line)?;
        writeln!(out, "    happened: {}", verdict.describe(&program, &evidence))?;
    }
    let count = program.expectations.len();
    let expectations = if count == 1 { "expectation" } else { "expectations" };
    if failed.is_empty() {
        writeln!(out, "ok    {file}: {count} {expectations}, {} events", session.event())?;
        return Ok(Outcome::Good);
    }
    writeln!(
        out,
        "FAIL  {file}: {} failed, of {count} {expectations} and all statements",
        failed.len()
    )?;
    Ok(Outcome::Found)
}

/// What the line says.
fn said(text: &str, program: &Program, verdict: &Verdict) -> String {
    match &verdict.judged {
        Judged::Expectation(index) => {
            let expected = program.expectations.get(*index).map(|e| e.text.as_str());
            format!("expected {}", expected.unwrap_or_default())
        }
        Judged::Refusal(..) => {
            let line = text.lines().nth(verdict.line as usize - 1).unwrap_or_default();
            format!("statement refused: {}", line.trim())
        }
    }
}
