//! `lockstep trace`

use std::io::Write;

use lockstep_core::check::Broken;
use lockstep_core::fact::Fact;
use lockstep_core::scenario::{play, tell};
use lockstep_core::view::client_log::{self, ClientLine};

use crate::facts;
use crate::{open, Outcome, Written};

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
pub(crate) fn trace(file: &str, shown: Shown, out: &mut dyn Write, err: &mut dyn Write) -> Written {
    let Shown { json, client_log } = shown;
    let Some((text, program)) = open(file, err)? else { return Ok(Outcome::Unable) };
    let session = play(&program);
    let world = session.world();
    let mut violations = session.violations().iter().peekable();
    let mut event = 0;
    for record in session.facts() {
        while let Some(violation) = violations.next_if(|v| v.event < record.event) {
            violated(violation.at_ms, &violation.broken, world, json, out)?;
        }
        if json {
            let mut line = facts::json(record, world, &program);
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
                program.line_of(index).map(|line| statement(&text, line))
            }
            Fact::CommandRefused { index } => {
                let why = tell(&record.fact, world);
                let why = why.split_once(": ").map_or("", |(_, why)| why);
                let line = program.line_of(index);
                line.map(|line| format!("REFUSED {} ({why})", statement(&text, line)))
            }
            _ => None,
        };
        let told = told.unwrap_or_else(|| tell(&record.fact, world));
        writeln!(out, "{} {number:>7}  {told}", facts::clock(record.at_ms))?;
        if let Some(written) = client_log.then(|| client_log::line(world, record)).flatten() {
            writeln!(out, "                   | {}", logged(&written, world))?;
        }
    }
    for violation in violations {
        violated(violation.at_ms, &violation.broken, world, json, out)?;
    }
    Ok(Outcome::Good)
}

/// A line of a client's log file, with whose file it is.
fn logged(line: &ClientLine, world: &lockstep_core::world::World) -> String {
    let client = &world.shared.names.clients[line.client.index()];
    format!("{client}: {} {} - {}", line.level.name(), line.class, line.text)
}

/// A line of the scenario, with its number.
fn statement(text: &str, line: u32) -> String {
    let said = text.lines().nth(line as usize - 1).unwrap_or_default();
    format!("line {line}: {}", said.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn violated(
    at_ms: i64,
    broken: &Broken,
    world: &lockstep_core::world::World,
    json: bool,
    out: &mut dyn Write,
) -> Written<()> {
    if json {
        return writeln!(out, "{}", facts::violation_json(at_ms, broken, world));
    }
    writeln!(out, "{}          BROKEN: {}", facts::clock(at_ms), facts::violation(broken, world))
}
