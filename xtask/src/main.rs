//! The commands of the README: set up, serve, build, test and measure.
//!
//! This program starts other programs and reads what they say. It knows nothing
//! of the product, and the product nothing of it.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this program's whole purpose is to talk to a terminal"
)]

mod against;
mod bench;
mod build;
mod help;
mod job;
mod paths;
mod serve;
mod setup;
mod site;
mod soak;
mod suite;
mod toolchain;
mod versions;

use std::fmt;
use std::num::NonZeroU16;
use std::process::ExitCode;

/// Why a command could not do what it was asked: a sentence for a person.
#[derive(Debug)]
pub struct Failure(pub String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<String> for Failure {
    fn from(why: String) -> Self {
        Self(why)
    }
}

impl From<&str> for Failure {
    fn from(why: &str) -> Self {
        Self(why.to_owned())
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self(error.to_string())
    }
}

/// What every step of this program answers.
pub type Outcome<T = ()> = Result<T, Failure>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(code) => code,
        Err(why) => {
            eprintln!("xtask: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[&str]) -> Outcome<ExitCode> {
    let (command, rest) = match words {
        [] => ("help", words),
        [command, rest @ ..] => (*command, rest),
    };
    // What follows `e2e` is the browser tests' own, their `--help` too.
    if command != "e2e" && rest.iter().any(|word| is_help(word)) {
        println!("{}", help::of(command)?);
        return Ok(ExitCode::SUCCESS);
    }
    match (command, rest) {
        ("setup", []) => setup::everything()?,
        ("env", []) => setup::print_env()?,
        ("serve", rest) => serve::serve(port(rest)?)?,
        ("build", []) => build::build()?,
        ("test", []) => return suite::all(),
        ("test", ["--quick"]) => return suite::quick(),
        ("e2e", rest) => return suite::browser_only(rest),
        ("bench", []) => bench::bench()?,
        ("bench", ["--against", commit]) => against::against(commit)?,
        ("animation", []) => bench::animation()?,
        ("soak", rest) => return soak::soak(soak::minutes(rest)?),
        ("help", _) => println!("{}", help::GENERAL),
        (word, []) if is_help(word) => println!("{}", help::GENERAL),
        _ => {
            return Err(Failure(format!(
                "`{}` is not understood; `cargo xtask --help` lists the commands",
                words.join(" ")
            )))
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn is_help(word: &str) -> bool {
    matches!(word, "--help" | "-h")
}

fn port(words: &[&str]) -> Outcome<u16> {
    match words {
        [] => Ok(serve::DEFAULT_PORT),
        // Port 0 would be any free one, and nobody would know which.
        ["--port", number] => match number.parse::<NonZeroU16>() {
            Ok(port) => Ok(port.get()),
            Err(_) => Err(Failure(format!("`{number}` is no port: 1 to 65535 is"))),
        },
        _ => Err(Failure::from("usage: cargo xtask serve [--port N]")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_a_number_that_a_browser_can_be_sent_to() {
        assert_eq!(port(&[]).unwrap(), serve::DEFAULT_PORT);
        assert_eq!(port(&["--port", "9000"]).unwrap(), 9000);
        for wrong in ["0", "-1", "65536", "abc", ""] {
            let why = port(&["--port", wrong]).unwrap_err().0;
            assert!(why.contains("is no port: 1 to 65535 is"), "{why}");
        }
        assert!(port(&["--port"]).unwrap_err().0.contains("usage"));
    }
}
