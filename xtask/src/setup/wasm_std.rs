//! The standard library for wasm32: from rustup, or built once for Debian's compiler.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::{bring, ready, system};
use crate::job::{quoted, Job};
use crate::toolchain::{debian_version, Wasm, BUILT_FOR, DEBIAN, DEBIAN_LIBRARIES, TARGET};
use crate::{paths, Failure, Outcome};

/// How long rustup may take in all.
const RUSTUP_LIMIT: Duration = Duration::from_secs(300);

/// For how many seconds rustup's servers may say nothing.
const RUSTUP_SILENCE_SECS: &str = "30";

const COMPILER_PACKAGES: [&str; 6] =
    ["rustc-web", "cargo-web", "rust-web-src", "rust-web-llvm", "lld-22", "rust-web-clippy"];

/// Makes sure that some compiler can build for wasm32, and says which.
pub fn ensure() -> Outcome<Wasm> {
    match Wasm::ready()? {
        Some(Wasm::Same) => ready("standard library for wasm32"),
        Some(Wasm::Debian) => ready("standard library for wasm32, for Debian's compiler"),
        None => {
            if let Err(why) = by_rustup() {
                println!("     rustup cannot bring it: {}", first_error(&why.0));
                by_debian(&why)?;
            }
        }
    }
    Wasm::ready()?.ok_or_else(|| {
        Failure(format!("no compiler has a standard library for {TARGET} after all"))
    })
}

fn by_rustup() -> Outcome {
    bring("standard library for wasm32 by rustup", "seconds", || {
        let job = Job::new("rustup")?
            .args(["target", "add", TARGET])
            .env("RUSTUP_MAX_RETRIES", "1")
            .env("RUSTUP_DOWNLOAD_TIMEOUT", RUSTUP_SILENCE_SECS);
        job.quietly("rustup", Some(RUSTUP_LIMIT))
    })
}

/// What went wrong, out of all that rustup said: the beginning of its line of error.
fn first_error(said: &str) -> String {
    const LONGEST: usize = 100;
    let mut lines = said.lines().map(str::trim);
    let error = lines.find(|line| line.starts_with("error:"));
    error.or_else(|| said.lines().next()).unwrap_or_default().chars().take(LONGEST).collect()
}

fn by_debian(rustup_said: &Failure) -> Outcome {
    if paths::which("rustup")?.is_none() || !system::has_packages(&COMPILER_PACKAGES)? {
        return Err(Failure(format!(
            "building the page needs Rust's standard library for {TARGET}. rustup could not bring it, and \
             this system has no package of a compiler that could stand in (Debian's rustc-web). With a \
             network that reaches rustup's servers, run\n\n  rustup target add {TARGET}\n\nWhat was said:\n\
             {rustup_said}"
        )));
    }
    println!("     So Debian's compiler builds the page instead, with a library that it builds itself once.");
    let version = debian_version()?;
    if version.is_empty()
        || !Path::new("/usr/bin/cargo").exists()
        || !Path::new("/usr/bin/cargo-clippy").exists()
    {
        bring("Debian's Rust compiler by apt", "about a minute", || {
            let why =
                format!("building the page needs a compiler with a standard library for {TARGET}");
            system::install("compiler", &COMPILER_PACKAGES, &why)
        })?;
    }
    bring("standard library for wasm32 from source", "1 to 3 minutes", build_std)?;
    let link = Job::new("rustup")?.args(["toolchain", "link", DEBIAN, "/usr"]);
    link.quietly("rustup-link", Some(RUSTUP_LIMIT))
}

/// Builds the library as a by-product of an empty crate, and puts it where the compiler
/// looks. With bitcode, or link-time optimisation could not use it.
fn build_std() -> Outcome {
    let folder = paths::cache()?.join("wasm-std");
    let library = folder.join("lib");
    let version = debian_version()?;
    // Built before, but by someone who was not root and has yet to hand it over?
    if fs::read_to_string(library.join(BUILT_FOR)).unwrap_or_default() != version {
        fs::create_dir_all(folder.join("src"))?;
        fs::write(
            folder.join("Cargo.toml"),
            "[package]\nname = \"nothing\"\nedition = \"2021\"\n[workspace]\n",
        )?;
        fs::write(folder.join("src/lib.rs"), "#![no_std]\n")?;
        let target = folder.join("target");
        Job::new("/usr/bin/cargo")?
            .args(["build", "--release", "-Zbuild-std=std,panic_abort,test", "--target", TARGET])
            .dir(&folder)
            .env("RUSTC", "/usr/bin/rustc")
            .env("RUSTC_BOOTSTRAP", "1")
            .env("RUSTFLAGS", "-Cembed-bitcode=yes")
            .env("CARGO_TARGET_DIR", &target)
            .quietly("wasm-std", None)?;
        collect(&target.join(TARGET).join("release/deps"), &library)?;
        fs::write(library.join(BUILT_FOR), version)?;
        fs::remove_dir_all(&target)?;
    }
    hand_over(&library)
}

/// Copies what the empty crate was linked with, and not the crate itself.
fn collect(built: &Path, library: &Path) -> Outcome {
    if library.exists() {
        fs::remove_dir_all(library)?;
    }
    fs::create_dir_all(library)?;
    for entry in fs::read_dir(built)?.flatten() {
        let name = entry.file_name();
        let shown = name.to_string_lossy();
        if shown.ends_with(".rlib") && !shown.starts_with("libnothing-") {
            fs::copy(entry.path(), library.join(&name))?;
        }
    }
    Ok(())
}

/// Puts the library where the compiler looks. An older one goes: two versions side by
/// side would be ambiguous.
fn hand_over(library: &Path) -> Outcome {
    let place = Path::new(DEBIAN_LIBRARIES).parent().map(Path::to_string_lossy).unwrap_or_default();
    let from = quoted(&library.to_string_lossy());
    let script = format!("rm -rf {place} && mkdir -p {place} && cp -r {from} {place}/");
    match system::as_root(&["sh", "-c", &script])? {
        Some(job) => job.quietly("wasm-std-copy", None),
        None => Err(Failure(format!(
            "the library is built, but only root may put it where the compiler looks; please run\n\n  \
             sudo sh -c {}\n\nthen run this again",
            quoted(&script)
        ))),
    }
}
