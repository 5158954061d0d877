//! `lockstep explain` and `lockstep diagnose`

use std::io::Write;

use lockstep_core::explain::{named, named_later, why, Ledger, Run, Unnamed};
use lockstep_core::guarantee::verdicts_at;
use lockstep_core::ids::Ms;
use lockstep_core::scenario::{parse_time, play, Program};
use lockstep_core::session::Session;
use lockstep_i18n::explain::{unnamed, PageText};
use lockstep_i18n::sentence::Speaker;
use lockstep_i18n::Locale;

use crate::{open, usage, Outcome, Written};

/// What a command line asks for.
#[derive(Default)]
pub(crate) struct Asked<'a> {
    /// `--at`
    pub(crate) at: Option<&'a str>,
    /// `--in`
    pub(crate) group: Option<&'a str>,
    /// `--lang`
    pub(crate) lang: Option<&'a str>,
    /// `--with`
    pub(crate) with: Option<&'a str>,
    /// `--guarantees`
    pub(crate) guarantees: bool,
    /// Words that belong to no option; the first one is the file.
    pub(crate) words: Vec<&'a str>,
}

impl<'a> Asked<'a> {
    /// Reads options with values. The error is the option that makes no sense.
    pub(crate) fn read(words: &[&'a str], known: &[&str]) -> Result<Self, String> {
        let mut asked = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if !word.starts_with("--") {
                asked.words.push(word);
                continue;
            }
            if !known.contains(word) {
                return Err(format!("there is no option `{word}`"));
            }
            if *word == "--guarantees" {
                asked.guarantees = true;
                continue;
            }
            let Some(value) = words.next() else {
                return Err(format!("`{word}` needs a value"));
            };
            match *word {
                "--at" => asked.at = Some(value),
                "--in" => asked.group = Some(value),
                "--with" => asked.with = Some(value),
                _ => asked.lang = Some(value),
            }
        }
        Ok(asked)
    }

    /// The language; English unless another one is asked for.
    pub(crate) fn locale(&self) -> Result<Locale, String> {
        match self.lang {
            None | Some("en") => Ok(Locale::En),
            Some("zh" | "zh-CN") => Ok(Locale::Zh),
            Some(other) => Err(format!("`--lang {other}`: the languages are en and zh")),
        }
    }
}

/// Plays a file up to an instant and explains a thing.
pub(crate) fn explain(words: &[&str], out: &mut dyn Write, err: &mut dyn Write) -> Written {
    let asked = match Asked::read(words, &["--at", "--in", "--lang"]) {
        Ok(asked) => asked,
        Err(message) => return usage(err, &message),
    };
    let locale = match asked.locale() {
        Ok(locale) => locale,
        Err(message) => return usage(err, &message),
    };
    let Some((file, thing)) = asked.words.split_first() else {
        return usage(err, "`explain` needs a file");
    };
    if thing.is_empty() {
        return usage(err, "`explain` needs a thing, such as A2 or q1");
    }
    let Some((_, program)) = open(file, err)? else { return Ok(Outcome::Unable) };
    let at_ms = match asked.at {
        None => program.until_ms,
        Some(word) => match parse_time(word) {
            Some(at_ms) => at_ms,
            None => {
                return usage(err, &format!("`--at {word}`: a time is 400ms, 12s, 1m30s or 00:12"))
            }
        },
    };
    tell(&program, at_ms, (thing, asked.group), locale, out, err)
}

fn tell(
    program: &Program,
    at_ms: Ms,
    (thing, group): (&[&str], Option<&str>),
    locale: Locale,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Written {
    let mut session = Session::new(program.seed, program.model.clone(), program.journal());
    session.run_until(at_ms);
    let ledger = Ledger::of(session.facts());
    let things = match named(&Run::of(&session, &ledger), thing, group) {
        Ok(things) => things,
        Err(why) => {
            let why = comes_later(&mut session, program.until_ms, (thing, group)).unwrap_or(why);
            writeln!(err, "error: {}", unnamed(locale, &why))?;
            return Ok(Outcome::Unable);
        }
    };
    // Whoever asks stands at the instant of `--at`, not at the last event before it.
    let mut world = session.world().clone();
    world.wait_until(at_ms);
    let run = Run { world: &world, ..Run::of(&session, &ledger) };
    let speaker = Speaker { world: &world, locale };
    for (place, explanation) in things.into_iter().filter_map(|t| why(&run, t)).enumerate() {
        if place > 0 {
            writeln!(out)?;
        }
        for line in speaker.explanation(&session, &run, &explanation) {
            writeln!(out, "{line}")?;
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
    let at_ms = named_later(session, &ledger, thing, group)?;
    Some(Unnamed::Later { word: thing.join(" "), at_ms })
}

/// Plays files to their ends and says what is wrong with them.
pub(crate) fn diagnose(words: &[&str], out: &mut dyn Write, err: &mut dyn Write) -> Written {
    let asked = match Asked::read(words, &["--guarantees", "--lang"]) {
        Ok(asked) => asked,
        Err(message) => return usage(err, &message),
    };
    let locale = match asked.locale() {
        Ok(locale) => locale,
        Err(message) => return usage(err, &message),
    };
    if asked.words.is_empty() {
        return usage(err, "`diagnose` needs a file");
    }
    let mut worst = Outcome::Good;
    for file in &asked.words {
        if asked.words.len() > 1 {
            writeln!(out, "{file}")?;
        }
        worst = worst.max(one(file, asked.guarantees, locale, out, err)?);
    }
    Ok(worst)
}

fn one(
    file: &str,
    guarantees: bool,
    locale: Locale,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Written {
    let Some((_, program)) = open(file, err)? else { return Ok(Outcome::Unable) };
    let session = play(&program);
    let ledger = Ledger::of(session.facts());
    let speaker = Speaker { world: session.world(), locale };
    let found = lockstep_core::explain::diagnose::diagnose(&session, &ledger, program.until_ms);
    for line in speaker.diagnosis(&session, &found) {
        writeln!(out, "{line}")?;
    }
    if guarantees {
        let page = PageText(locale);
        writeln!(out)?;
        for verdict in verdicts_at(&session, program.until_ms) {
            let name = speaker.guarantee(verdict.guarantee);
            let mut line = page.labelled(name, &speaker.verdict(&verdict));
            if let Some(group) = verdict.group {
                line = page.labelled(speaker.group(group), &line);
            }
            writeln!(out, "{line}")?;
        }
    }
    Ok(if found.is_empty() { Outcome::Good } else { Outcome::Found })
}
