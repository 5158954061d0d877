//! Where a command writes, and in which language.

use std::io::{self, Write};
use std::path::Path;

use lockstep_core::ids::Ms;
use lockstep_core::scenario::{load, Program};
use lockstep_core::session::Session;
use lockstep_i18n::cli::CliText;
use lockstep_i18n::{clock, number, Locale};

use crate::{problems, Outcome, Written};

/// The two streams and the language of everything that people read there.
pub(crate) struct Console<'w> {
    /// What was asked for.
    pub(crate) out: &'w mut dyn Write,
    /// What is wrong.
    pub(crate) err: &'w mut dyn Write,
    /// The language.
    pub(crate) locale: Locale,
}

impl Console<'_> {
    /// The sentences.
    pub(crate) fn text(&self) -> CliText {
        CliText(self.locale)
    }

    /// Writes what cannot be done.
    pub(crate) fn error(&mut self, what: &str) -> Written<()> {
        let line = self.text().error(what);
        writeln!(self.err, "{line}")
    }

    /// The command line makes no sense: why, and how it is used.
    pub(crate) fn usage(&mut self, what: &str) -> Written {
        self.error(what)?;
        let help = self.text().help();
        writeln!(self.err, "\n{help}")?;
        Ok(Outcome::Unable)
    }

    /// Reads a file; says why when that is not possible.
    pub(crate) fn read(&mut self, file: &str) -> Written<Option<String>> {
        let text = self.text();
        let why = match std::fs::read(Path::new(file)) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => return Ok(Some(text)),
                Err(_) => text.not_text().to_owned(),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => text.no_such_file().to_owned(),
            Err(error) => error.to_string(),
        };
        self.error(&text.cannot_read(file, &why))?;
        Ok(None)
    }

    /// Warns of a run that has no room for all its events; true when it is cut short.
    pub(crate) fn cut_short(
        &mut self,
        file: &str,
        session: &Session,
        until_ms: Ms,
    ) -> Written<bool> {
        if !session.is_cut_short(until_ms) {
            return Ok(false);
        }
        let (events, at) = (number(i64::from(session.event())), clock(session.world().now_ms()));
        let what = self.text().cut_short(file, &events, &at, &clock(until_ms));
        self.error(&what)?;
        Ok(true)
    }

    /// Reads a scenario file; what keeps it from being played is written.
    pub(crate) fn open(&mut self, file: &str) -> Written<Option<(String, Program)>> {
        let Some(text) = self.read(file)? else { return Ok(None) };
        match load(&text) {
            Ok(program) => Ok(Some((text, program))),
            Err(found) => {
                problems::write(file, &text, &found, self)?;
                Ok(None)
            }
        }
    }
}
