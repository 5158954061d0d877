//! `lockstep check`

use lockstep_core::scenario::{
    check as judge, play, Beat, Evidence, Judged, Lang, Program, State, Verdict,
};
use lockstep_i18n::cli::CliText;
use lockstep_i18n::sentence::Speaker;
use lockstep_i18n::{clock, judged, Locale};

use crate::console::Console;
use crate::{Outcome, Written};

/// Plays each file and writes what is not as expected.
pub(crate) fn check(files: &[&str], console: &mut Console<'_>) -> Written {
    let mut worst = Outcome::Good;
    for file in files {
        worst = worst.max(one(file, console)?);
    }
    Ok(worst)
}

fn one(file: &str, console: &mut Console<'_>) -> Written {
    let Some((text, program)) = console.open(file)? else { return Ok(Outcome::Unable) };
    let (texts, locale) = (console.text(), console.locale);
    headings(file, &program, console)?;
    let session = play(&program);
    if console.cut_short(file, &session, program.until_ms)? {
        return Ok(Outcome::Unable);
    }
    let evidence = Evidence::of(&session, program.until_ms, true);
    let verdicts = judge(&program, &evidence);
    let failed: Vec<&Verdict> =
        verdicts.iter().filter(|v| v.finding.state != State::Holds).collect();
    for verdict in &failed {
        let said = said(&text, &program, verdict, texts);
        writeln!(console.out, "{file}:{}: {said}", verdict.line)?;
        let happened = happened(verdict, &evidence, locale);
        writeln!(console.out, "    {}", texts.happened(&happened))?;
    }
    let expectations = texts.expectations(program.expectations.len());
    if failed.is_empty() {
        writeln!(console.out, "{}", texts.good(file, &expectations, session.event()))?;
        return Ok(Outcome::Good);
    }
    writeln!(console.out, "{}", texts.failed(file, failed.len(), &expectations))?;
    Ok(Outcome::Found)
}

/// Mentions headings that a lesson may not have. Whoever writes for themselves may leave them.
fn headings(file: &str, program: &Program, console: &mut Console<'_>) -> std::io::Result<()> {
    let texts = console.text();
    for beat in &program.beats {
        let both = [Some(Lang::En), beat.text.zh.as_ref().map(|_| Lang::Zh)];
        for lang in both.into_iter().flatten() {
            let Some(count) = beat.too_long(lang) else { continue };
            let heading = beat.heading(lang);
            let most = Beat::HEADING_MAX;
            let said = texts.long_heading(file, beat.line, count, most, heading);
            writeln!(console.out, "{said}")?;
        }
    }
    Ok(())
}

/// What the line says.
fn said(text: &str, program: &Program, verdict: &Verdict, texts: CliText) -> String {
    match &verdict.judged {
        Judged::Expectation(index) => {
            let expected = program.expectations.get(*index).map(|e| e.text.as_str());
            texts.expected(expected.unwrap_or_default())
        }
        Judged::Refusal(..) => {
            let line = text.lines().nth(verdict.line as usize - 1).unwrap_or_default();
            texts.refused(line.trim())
        }
    }
}

/// What happened instead, with the facts and their instants.
fn happened(verdict: &Verdict, evidence: &Evidence<'_>, locale: Locale) -> String {
    let speaker = Speaker { world: evidence.world, locale };
    if let Judged::Refusal(_, refusal) = &verdict.judged {
        return speaker.refusal(refusal);
    }
    let finding = &verdict.finding;
    let count = finding.facts.len();
    let instead = judged::instead(&speaker, &finding.instead, count, evidence.violations);
    let facts = finding.facts.iter().filter_map(|index| evidence.facts.get(*index));
    let facts = facts.map(|r| format!("{} {}", clock(r.at_ms), speaker.fact(&r.fact, None)));
    instead.into_iter().chain(facts).collect::<Vec<_>>().join(" ")
}
