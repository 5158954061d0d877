//! Starting other programs: quietly with a sign of life, aloud with a copy of what
//! they say, or for their answer alone.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use crate::{paths, Failure, Outcome};

/// How often a long quiet job shows that it lives.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

/// How many lines of its log a failed quiet job shows.
const LINES_OF_FAILURE: usize = 30;

/// How a program ended and what it said, on both streams.
pub struct Said {
    /// Whether it ended with success.
    pub ok: bool,
    /// What it said, in the order in which it came.
    pub text: String,
}

/// A program about to be started.
pub struct Job {
    command: Command,
}

impl Job {
    /// A program to be run in this clone's folder, found on our search path, without
    /// the variables that `cargo run` made for xtask itself.
    pub fn new(program: impl AsRef<OsStr>) -> Outcome<Self> {
        let path = paths::search_path()?;
        let mut command = Command::new(program);
        command.current_dir(paths::root()).env("PATH", path).stdin(Stdio::null());
        for (name, _) in std::env::vars_os() {
            let shown = name.to_string_lossy();
            if shown.starts_with("CARGO_PKG_")
                || shown.starts_with("CARGO_MANIFEST_")
                || shown == "CARGO"
            {
                command.env_remove(&name);
            }
        }
        Ok(Self { command })
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.command.args(args);
        self
    }

    /// Sets a variable of its environment.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Takes a variable out of its environment.
    #[must_use]
    pub fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Starts it in another folder.
    #[must_use]
    pub fn dir(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Runs it for its answer, showing nothing. A program that is not there has
    /// failed and said nothing.
    pub fn ask(mut self) -> Said {
        match self.command.output() {
            Ok(output) => Said {
                ok: output.status.success(),
                text: String::from_utf8_lossy(&output.stdout).trim().to_owned(),
            },
            Err(_) => Said { ok: false, text: String::new() },
        }
    }

    /// Runs it showing what it says, and keeps a copy.
    pub fn aloud(mut self) -> Outcome<Said> {
        println!("$ {}", self.line());
        self.command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.spawn()?;
        let copy = Mutex::new(String::new());
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        thread::scope(|scope| {
            scope.spawn(|| pass_on(stdout, &copy));
            scope.spawn(|| pass_on(stderr, &copy));
        });
        let ok = child.wait()?.success();
        let text = copy.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        Ok(Said { ok, text })
    }

    /// Runs it with this terminal as its own, for as long as it likes. Where the
    /// system can, it takes this program's place, and Ctrl-C is its own affair.
    pub fn instead_of_us(mut self) -> Outcome {
        self.command.stdin(Stdio::inherit());
        let line = self.line();
        #[cfg(unix)]
        let error = std::os::unix::process::CommandExt::exec(&mut self.command);
        #[cfg(not(unix))]
        let error = match self.command.status() {
            Ok(status) if status.success() => return Ok(()),
            Ok(status) => return Err(Failure(format!("`{line}` ended with {status}"))),
            Err(error) => error,
        };
        Err(Failure(format!("`{line}` cannot be started: {error}")))
    }

    /// Runs it with its output in a log file, showing now and then how long it has
    /// run and its latest line. Past `limit` it is ended and has failed.
    pub fn quietly(mut self, name: &str, limit: Option<Duration>) -> Outcome {
        let folder = paths::cache()?.join("logs");
        fs::create_dir_all(&folder)?;
        let log = folder.join(format!("{name}.log"));
        let file = File::create(&log)?;
        // Where inside a tool it failed would hide what failed.
        self.command.env("RUST_BACKTRACE", "0");
        self.command.stdout(file.try_clone()?).stderr(file);
        let began = Instant::now();
        let mut child = self.spawn()?;
        let status = wait_showing_life(&mut child, name, &log, began, limit)?;
        match status {
            Some(status) if status.success() => Ok(()),
            ended => {
                let how = ended.map_or_else(
                    || format!("did not end within {}", seconds(began.elapsed())),
                    |status| format!("failed ({status})"),
                );
                let shown = last_lines(&log, LINES_OF_FAILURE).join("\n  ");
                Err(Failure(format!(
                    "`{}` {how}:\n  {shown}\nAll of it: {}",
                    self.line(),
                    log.display()
                )))
            }
        }
    }

    /// The command as a person would type it.
    pub fn line(&self) -> String {
        let words = std::iter::once(self.command.get_program()).chain(self.command.get_args());
        words.map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
    }

    fn spawn(&mut self) -> Outcome<Child> {
        let line = self.line();
        self.command
            .spawn()
            .map_err(|error| Failure(format!("`{line}` cannot be started: {error}")))
    }
}

/// A time span for people: tenths of seconds, then minutes.
pub fn seconds(span: Duration) -> String {
    let secs = span.as_secs();
    if secs < 60 {
        format!("{:.1} s", span.as_secs_f64())
    } else {
        format!("{} min {:02} s", secs / 60, secs % 60)
    }
}

/// A word as a shell would have to read it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,@+%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn pass_on(stream: Option<impl Read>, copy: &Mutex<String>) {
    let Some(stream) = stream else { return };
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    while matches!(reader.read_until(b'\n', &mut line), Ok(1..)) {
        let text = String::from_utf8_lossy(&line);
        print!("{text}");
        if let Ok(mut copy) = copy.lock() {
            copy.push_str(&text);
        }
        line.clear();
    }
}

/// Waits for the end; `None` if it had to be ended at the limit.
fn wait_showing_life(
    child: &mut Child,
    name: &str,
    log: &Path,
    began: Instant,
    limit: Option<Duration>,
) -> Outcome<Option<ExitStatus>> {
    let mut next_sign = SIGN_OF_LIFE;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let elapsed = began.elapsed();
        if limit.is_some_and(|limit| elapsed > limit) {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        if elapsed >= next_sign {
            next_sign += SIGN_OF_LIFE;
            let latest = last_lines(log, 1).pop().unwrap_or_default();
            println!("     {name}: {}  {}", seconds(elapsed), latest.trim());
        }
        thread::sleep(Duration::from_millis(50));
    }
}

fn last_lines(log: &Path, count: usize) -> Vec<String> {
    let bytes = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    // A progress bar redraws its line after a carriage return.
    let lines: Vec<&str> =
        text.split(['\n', '\r']).filter(|line| !line.trim().is_empty()).collect();
    let first = lines.len().saturating_sub(count);
    lines[first..].iter().map(|line| (*line).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_only_where_a_shell_needs_it() {
        assert_eq!(quoted("--port=8080"), "--port=8080");
        assert_eq!(quoted("two words"), "'two words'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn spans_are_said_as_people_say_them() {
        assert_eq!(seconds(Duration::from_millis(1_240)), "1.2 s");
        assert_eq!(seconds(Duration::from_secs(125)), "2 min 05 s");
    }

    #[test]
    fn what_a_program_says_on_both_streams_is_kept() {
        let said = Job::new("sh")
            .and_then(|job| job.args(["-c", "echo one; echo two >&2; exit 3"]).aloud());
        let said = said.unwrap();
        assert!(!said.ok);
        assert!(said.text.contains("one\n") && said.text.contains("two\n"));
    }

    #[test]
    fn a_program_that_is_not_there_has_failed() {
        assert!(!Job::new("no-such-program-at-all").unwrap().ask().ok);
    }
}
