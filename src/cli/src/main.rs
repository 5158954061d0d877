//! `lockstep`: checks, traces, explains and formats scenario files.

mod asked;
mod check;
mod compare;
mod console;
mod explain;
mod facts;
mod facts_pop;
mod facts_store;
mod fmt;
mod problems;
mod trace;

use std::io::{self, Write};
use std::process::ExitCode;

use console::Console;
use lockstep_i18n::cli::CliText;
use lockstep_i18n::Locale;
use trace::Shown;

/// The commands, for those who misspell one.
const COMMANDS: [&str; 7] =
    ["check", "trace", "explain", "diagnose", "compare", "fmt", "reference"];

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// As it should be.
    Good,
    /// Something was found.
    Found,
    /// It could not be done.
    Unable,
}

/// Why nothing more can be written.
pub(crate) type Written<T = Outcome> = io::Result<T>;

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned()).collect();
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut err = io::stderr().lock();
    let outcome =
        run(&arguments, &mut out, &mut err).and_then(|outcome| out.flush().map(|()| outcome));
    match outcome {
        Ok(Outcome::Good) => ExitCode::SUCCESS,
        Ok(Outcome::Found) => ExitCode::from(1),
        Ok(Outcome::Unable) => ExitCode::from(2),
        // Whoever reads has gone away (`lockstep trace x | head`); there is nobody to tell.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(2),
    }
}

fn run(arguments: &[String], out: &mut dyn Write, err: &mut dyn Write) -> Written {
    let mut words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let language = take_language(&mut words);
    let locale = *language.as_ref().unwrap_or(&Locale::En);
    let mut console = Console { out, err, locale };
    if let Err(why) = language {
        return console.usage(&why);
    }
    let text = console.text();
    if words.iter().any(|w| matches!(*w, "--help" | "-h")) || words == ["help"] {
        console.out.write_all(text.help().as_bytes())?;
        return Ok(Outcome::Good);
    }
    let Some((command, rest)) = words.split_first() else { return console.usage(text.empty()) };
    match *command {
        "explain" => explain::explain(rest, &mut console),
        "diagnose" => explain::diagnose(rest, &mut console),
        "compare" => compare::compare(rest, &mut console),
        _ => on_files(command, rest, &mut console),
    }
}

/// Takes `--lang LANGUAGE` out of the words, wherever it stands: what is wrong with the rest is said in
/// that language. The last one counts.
fn take_language(words: &mut Vec<&str>) -> Result<Locale, String> {
    let text = CliText(Locale::En);
    let mut locale = Locale::En;
    while let Some(place) = words.iter().position(|word| *word == "--lang") {
        words.remove(place);
        if place == words.len() {
            return Err(text.needs_value("--lang"));
        }
        locale = match words.remove(place) {
            "en" => Locale::En,
            "zh" | "zh-CN" => Locale::Zh,
            other => return Err(text.languages(other)),
        };
    }
    Ok(locale)
}

/// The commands that take files and switches.
fn on_files(command: &str, rest: &[&str], console: &mut Console<'_>) -> Written {
    let text = console.text();
    let (flags, files): (Vec<&str>, Vec<&str>) = rest.iter().partition(|w| w.starts_with("--"));
    let known: &[&str] = match command {
        "trace" => &["--json", "--client-log"],
        "fmt" => &["--check"],
        _ => &[],
    };
    let unknown = flags.iter().find(|flag| !known.contains(flag));
    if let Some(flag) = unknown.filter(|_| COMMANDS.contains(&command)) {
        return console.usage(&asked::no_option(text, command, flag, known));
    }
    match (command, files.as_slice()) {
        ("check" | "trace" | "fmt", []) => console.usage(&text.needs_file(command)),
        ("check", files) => check::check(files, console),
        ("trace", [file]) => trace::trace(file, Shown::of(&flags), console),
        ("trace", _) => console.usage(&text.one_file(command)),
        ("fmt", files) => fmt::fmt(files, flags.contains(&"--check"), console),
        ("reference", []) => {
            console.out.write_all(lockstep_core::scenario::reference().as_bytes())?;
            Ok(Outcome::Good)
        }
        ("reference", _) => console.usage(&text.no_file(command)),
        (other, _) => {
            let near = lockstep_core::scenario::nearest(other, COMMANDS.into_iter());
            console.usage(&match near {
                Some(near) => text.no_command_near(other, near),
                None => text.no_command(other),
            })
        }
    }
}
