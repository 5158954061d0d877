//! `lockstep`: checks, traces and formats scenario files.

mod check;
mod compare;
mod explain;
mod facts;
mod facts_pop;
mod facts_store;
mod fmt;
mod problems;
mod trace;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use lockstep_core::scenario::{load, Program};
use trace::Shown;

const HELP: &str = "\
lockstep: ordered messages as Apache RocketMQ does them, from scenario files

usage:
  lockstep check FILE...          play the files and check what they expect
  lockstep trace [--json] [--client-log] FILE
                                  play a file and write what happens, one line for each fact,
                                  and what the clients would write to their own log files
  lockstep explain FILE --at TIME THING [--in GROUP] [--lang zh]
                                  say why a thing is as it is at an instant, and what would move it
                                  THING: A2, q1, lock q1, c1, thread 1 of c1, message-group A,
                                  group NAME, level 3, command 4
  lockstep diagnose [--guarantees] [--lang zh] FILE...
                                  say what is wrong with a run, with the evidence and the repair
  lockstep compare [--lang zh] FILE FILE
  lockstep compare [--lang zh] FILE --with VARIANT
                                  play two runs, say where they first part and what becomes of their
                                  messages; VARIANT: concurrent, orderly, blocking-queue,
                                  blocking-message-group, model-4.9, model-5.1, model-5.3, documents
  lockstep fmt [--check] FILE...  bring the files into their canonical form
  lockstep reference              write the reference of the scenario language (Markdown)
  lockstep --help                 write this

exit status:
  0  everything is as it should be
  1  an expectation failed, `diagnose` found something, `compare` found that the runs
     part, or `fmt --check` found a file that is not canonical
  2  a file could not be read, or the command line makes no sense
";

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
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if words.iter().any(|w| matches!(*w, "--help" | "-h")) || words == ["help"] {
        out.write_all(HELP.as_bytes())?;
        return Ok(Outcome::Good);
    }
    let Some((command, rest)) = words.split_first() else {
        err.write_all(HELP.as_bytes())?;
        return Ok(Outcome::Unable);
    };
    match *command {
        "explain" => return explain::explain(rest, out, err),
        "diagnose" => return explain::diagnose(rest, out, err),
        "compare" => return compare::compare(rest, out, err),
        _ => {}
    }
    let (flags, files): (Vec<&str>, Vec<&str>) = rest.iter().partition(|w| w.starts_with("--"));
    let known: &[&str] = match *command {
        "trace" => &["--json", "--client-log"],
        "fmt" => &["--check"],
        _ => &[],
    };
    if let Some(flag) = flags.iter().find(|flag| !known.contains(flag)) {
        return usage(err, &format!("`{command}` has no option `{flag}`"));
    }
    match (*command, files.as_slice()) {
        ("check" | "trace" | "fmt", []) => usage(err, &format!("`{command}` needs a file")),
        ("check", files) => check::check(files, out, err),
        ("trace", [file]) => trace::trace(file, Shown::of(&flags), out, err),
        ("trace", _) => usage(err, "`trace` takes one file"),
        ("fmt", files) => fmt::fmt(files, flags.contains(&"--check"), out, err),
        ("reference", []) => {
            out.write_all(lockstep_core::scenario::reference().as_bytes())?;
            Ok(Outcome::Good)
        }
        ("reference", _) => usage(err, "`reference` takes no file"),
        (other, _) => {
            let near = lockstep_core::scenario::nearest(other, COMMANDS.into_iter());
            let meant = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            usage(err, &format!("there is no command `{other}`{meant}"))
        }
    }
}

pub(crate) fn usage(err: &mut dyn Write, message: &str) -> Written {
    writeln!(err, "error: {message}\n\n{HELP}")?;
    Ok(Outcome::Unable)
}

/// Reads a file; says why when that is not possible.
pub(crate) fn read(file: &str, err: &mut dyn Write) -> Written<Option<String>> {
    let why = match std::fs::read(Path::new(file)) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => return Ok(Some(text)),
            Err(_) => "it is not text in UTF-8".to_owned(),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => "there is no such file".to_owned(),
        Err(error) => error.to_string(),
    };
    writeln!(err, "error: cannot read {file}: {why}")?;
    Ok(None)
}

/// Reads a scenario file; what keeps it from being played is written.
pub(crate) fn open(file: &str, err: &mut dyn Write) -> Written<Option<(String, Program)>> {
    let Some(text) = read(file, err)? else { return Ok(None) };
    match load(&text) {
        Ok(program) => Ok(Some((text, program))),
        Err(found) => {
            problems::write(file, &text, &found, err)?;
            Ok(None)
        }
    }
}
