//! `lockstep explain` and `lockstep diagnose`

use lockstep_core::explain::{named, named_later, why, Ledger, Run, Unnamed};
use lockstep_core::guarantee::verdicts_at;
use lockstep_core::ids::Ms;
use lockstep_core::scenario::{parse_time, play, Program};
use lockstep_core::session::Session;
use lockstep_i18n::explain::{unnamed, PageText};
use lockstep_i18n::sentence::Speaker;

use crate::asked::Asked;
use crate::console::Console;
use crate::{Outcome, Written};

/// Plays a file up to an instant and explains a thing.
pub(crate) fn explain(words: &[&str], console: &mut Console<'_>) -> Written {
    let text = console.text();
    let asked = match Asked::read("explain", words, &["--at", "--in"], text) {
        Ok(asked) => asked,
        Err(message) => return console.usage(&message),
    };
    let Some((file, thing)) = asked.words.split_first() else {
        return console.usage(text.explain_file());
    };
    if thing.is_empty() {
        return console.usage(text.explain_thing());
    }
    let at_ms = match asked.at.map(|word| parse_time(word).ok_or(word)) {
        None => None,
        Some(Ok(at_ms)) => Some(at_ms),
        Some(Err(word)) => return console.usage(&text.time(word)),
    };
    let Some((text, program)) = console.open(file)? else { return Ok(Outcome::Unable) };
    tell((file, &text, &program), at_ms.unwrap_or(program.until_ms), (thing, asked.group), console)
}

fn tell(
    (file, text, program): (&str, &str, &Program),
    at_ms: Ms,
    (thing, group): (&[&str], Option<&str>),
    console: &mut Console<'_>,
) -> Written {
    let mut session = Session::new(program.seed, program.model.clone(), program.journal());
    session.run_until(at_ms);
    if console.cut_short(file, &session, at_ms)? {
        return Ok(Outcome::Unable);
    }
    let ledger = Ledger::of(session.facts());
    let things = match named(&Run::of(&session, &ledger), thing, group) {
        Ok(things) => things,
        Err(why) => {
            let why = comes_later(&mut session, program.until_ms, (thing, group)).unwrap_or(why);
            console.error(&unnamed(console.locale, &why))?;
            return Ok(Outcome::Unable);
        }
    };
    // Whoever asks stands at the instant of `--at`, not at the last event before it.
    let mut world = session.world().clone();
    world.wait_until(at_ms);
    let run = Run { world: &world, ..Run::of(&session, &ledger) };
    let speaker = Speaker { world: &world, locale: console.locale };
    for (place, explanation) in things.into_iter().filter_map(|t| why(&run, t)).enumerate() {
        if place > 0 {
            writeln!(console.out)?;
        }
        let quoted = |index| program.quote(text, index);
        for line in speaker.explanation_of(&session, &run, &explanation, &quoted) {
            writeln!(console.out, "{line}")?;
        }
    }
    Ok(Outcome::Good)
}

/// What is named only by something behind the session's present.
fn comes_later(
    session: &mut Session,
    until_ms: Ms,
    (thing, group): (&[&str], Option<&str>),
) -> Option<Unnamed> {
    let present = session.event();
    session.run_until(until_ms);
    let ledger = Ledger::of(session.facts());
    session.seek_event(present);
    named_later(session, &ledger, thing, group)
}

/// Plays files to their ends and says what is wrong with them.
pub(crate) fn diagnose(words: &[&str], console: &mut Console<'_>) -> Written {
    let asked = match Asked::read("diagnose", words, &["--guarantees"], console.text()) {
        Ok(asked) => asked,
        Err(message) => return console.usage(&message),
    };
    if asked.words.is_empty() {
        return console.usage(&console.text().needs_file("diagnose"));
    }
    let mut worst = Outcome::Good;
    for file in &asked.words {
        if asked.words.len() > 1 {
            writeln!(console.out, "{file}")?;
        }
        worst = worst.max(one(file, asked.guarantees, console)?);
    }
    Ok(worst)
}

fn one(file: &str, guarantees: bool, console: &mut Console<'_>) -> Written {
    let Some((text, program)) = console.open(file)? else { return Ok(Outcome::Unable) };
    let (session, locale) = (play(&program), console.locale);
    if console.cut_short(file, &session, program.until_ms)? {
        return Ok(Outcome::Unable);
    }
    let ledger = Ledger::of(session.facts());
    let speaker = Speaker { world: session.world(), locale };
    let found = lockstep_core::explain::diagnose::diagnose(&session, &ledger, program.until_ms);
    let quoted = |index| program.quote(&text, index);
    for line in speaker.diagnosis(&session, &found, &quoted) {
        writeln!(console.out, "{line}")?;
    }
    if guarantees {
        let page = PageText(locale);
        writeln!(console.out)?;
        for verdict in verdicts_at(&session, program.until_ms) {
            let name = speaker.guarantee(verdict.guarantee);
            let mut line = page.labelled(name, &speaker.verdict(&verdict));
            if let Some(group) = verdict.group {
                line = page.labelled(speaker.group(group), &line);
            }
            writeln!(console.out, "{line}")?;
        }
    }
    Ok(if found.is_empty() { Outcome::Good } else { Outcome::Found })
}
