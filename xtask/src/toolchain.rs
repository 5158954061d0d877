//! Which Rust compiler builds for wasm32: rustup's own, or Debian's beside it.

use std::fs;
use std::path::Path;

use crate::job::Job;
use crate::Outcome;

/// The target of the page.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// What rustup calls the system's compiler once it is linked.
pub const DEBIAN: &str = "debian";

/// Where Debian's compiler looks for the libraries of the target.
pub const DEBIAN_LIBRARIES: &str = "/usr/lib/rustlib/wasm32-unknown-unknown/lib";

/// The file beside a library built by us that says for which compiler it was.
pub const BUILT_FOR: &str = "built-for.txt";

/// The compiler for the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wasm {
    /// The compiler that also builds natively has the target.
    Same,
    /// Only Debian's has it.
    Debian,
}

impl Wasm {
    /// The compiler that is ready now, if any is.
    pub fn ready() -> Outcome<Option<Self>> {
        if native_has_target()? {
            return Ok(Some(Self::Same));
        }
        Ok(debian_is_ready()?.then_some(Self::Debian))
    }

    /// Lets a job build with this compiler.
    #[must_use]
    pub fn applied(self, job: Job) -> Job {
        match self.toolchain() {
            None => job,
            Some(name) => job.env("RUSTUP_TOOLCHAIN", name).without_env("RUSTC"),
        }
    }

    /// What `RUSTUP_TOOLCHAIN` has to be, if it has to be set.
    pub fn toolchain(self) -> Option<&'static str> {
        match self {
            Self::Same => None,
            Self::Debian => Some(DEBIAN),
        }
    }
}

/// The full version of Debian's compiler; empty if there is none.
pub fn debian_version() -> Outcome<String> {
    Ok(Job::new("/usr/bin/rustc")?.args(["-vV"]).ask().text)
}

fn native_has_target() -> Outcome<bool> {
    let answer = Job::new("rustc")?.args(["--print", "target-libdir", "--target", TARGET]).ask();
    Ok(answer.ok && has_std(Path::new(&answer.text)))
}

fn debian_is_ready() -> Outcome<bool> {
    let folder = Path::new(DEBIAN_LIBRARIES);
    let built_for = fs::read_to_string(folder.join(BUILT_FOR)).unwrap_or_default();
    if built_for.is_empty() || !has_std(folder) || built_for != debian_version()? {
        return Ok(false);
    }
    let linked = Job::new("rustup")?.args(["toolchain", "list"]).ask().text;
    Ok(linked.lines().any(|line| line.split_whitespace().next() == Some(DEBIAN)))
}

fn has_std(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else {
        return false;
    };
    entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("libstd-"))
}
