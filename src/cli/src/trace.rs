//! `lockstep trace`

use std::io::Write;

use lockstep_core::check::Violation;
use lockstep_core::fact::Fact;
use lockstep_core::scenario::play;
use lockstep_core::view::client_log::{self, ClientLine};
use lockstep_core::world::World;
use lockstep_i18n::cli::CliText;
use lockstep_i18n::sentence::Speaker;
use lockstep_i18n::{clock, judged, Locale};

use crate::console::Console;
use crate::facts;
use crate::{Outcome, Written};

/// What a trace shows.
#[derive(Clone, Copy)]
pub(crate) struct Shown {
    /// One JSON object for each fact.
    json: bool,
    /// What the clients would write to their own log files, too.
    client_log: bool,
}

impl Shown {
    /// As the options say.
    pub(crate) fn of(flags: &[&str]) -> Self {
        Self { json: flags.contains(&"--json"), client_log: flags.contains(&"--client-log") }
    }
}

/// Plays a file and writes what happens: one line for each fact.
pub(crate) fn trace(file: &str, shown: Shown, console: &mut Console<'_>) -> Written {
    let Shown { json, client_log } = shown;
    let Some((text, program)) = console.open(file)? else { return Ok(Outcome::Unable) };
    let (texts, locale) = (console.text(), console.locale);
    let session = play(&program);
    let is_cut = console.cut_short(file, &session, program.until_ms)?;
    let out = &mut *console.out;
    let world = session.world();
    let mut violations = session.violations().iter().peekable();
    let mut event = 0;
    for record in session.facts() {
        while let Some(violation) = violations.next_if(|v| v.event < record.event) {
            violated(violation, world, (json, locale), out)?;
        }
        if json {
            let mut line = facts::json(record, &session, &program);
            let written = client_log.then(|| client_log::line(world, record)).flatten();
            if let (Some(written), Some(fields)) = (written, line.as_object_mut()) {
                fields.insert("client_log".to_owned(), logged(&written, world).into());
            }
            writeln!(out, "{line}")?;
            continue;
        }
        let number = if event == record.event { String::new() } else { record.event.to_string() };
        event = record.event;
        let told = match record.fact {
            Fact::CommandApplied { index } => {
                program.line_of(index).map(|line| statement(&text, line, texts))
            }
            Fact::CommandRefused { index } => {
                let line = program.line_of(index);
                let speaker = Speaker { world, locale };
                let why = world.refusal(index).map(|refusal| speaker.refusal(refusal));
                let why = why.unwrap_or_default();
                line.map(|line| texts.refused_line(&statement(&text, line, texts), &why))
            }
            _ => None,
        };
        let told = told.unwrap_or_else(|| Speaker { world, locale }.fact(&record.fact, None));
        writeln!(out, "{} {number:>7}  {told}", clock(record.at_ms))?;
        if let Some(written) = client_log.then(|| client_log::line(world, record)).flatten() {
            writeln!(out, "                   | {}", logged(&written, world))?;
        }
    }
    for violation in violations {
        violated(violation, world, (json, locale), out)?;
    }
    Ok(if is_cut { Outcome::Unable } else { Outcome::Good })
}

/// A line of a client's log file, with whose file it is.
fn logged(line: &ClientLine, world: &World) -> String {
    let client = &world.shared.names.clients[line.client.index()];
    format!("{client}: {} {} - {}", line.level.name(), line.class, line.text)
}

/// A line of the scenario, with its number.
fn statement(text: &str, line: u32, texts: CliText) -> String {
    let said = text.lines().nth(line as usize - 1).unwrap_or_default();
    texts.line(line, &said.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn violated(
    violation: &Violation,
    world: &World,
    (json, locale): (bool, Locale),
    out: &mut dyn Write,
) -> Written<()> {
    if json {
        return writeln!(out, "{}", facts::violation_json(violation, world));
    }
    let what = judged::broken(&Speaker { world, locale }, violation);
    writeln!(out, "{}          {}", clock(violation.at_ms), CliText(locale).broken(&what))
}
