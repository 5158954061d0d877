//! Where things are: this clone, the user's cache, and programs on the search path.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{Failure, Outcome};

/// The folder of this clone.
pub fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask)
}

/// Where trunk puts the built page.
pub fn dist() -> PathBuf {
    root().join("dist")
}

/// The browser tests.
pub fn e2e() -> PathBuf {
    root().join("tests/e2e")
}

/// The user's cache folder, as the system has it: `$XDG_CACHE_HOME`, or the usual place.
pub fn user_cache() -> Outcome<PathBuf> {
    if let Some(path) = env::var_os("XDG_CACHE_HOME").filter(|path| Path::new(path).is_absolute()) {
        return Ok(path.into());
    }
    let home = home()?;
    Ok(if cfg!(target_os = "macos") { home.join("Library/Caches") } else { home.join(".cache") })
}

/// Our part of the user's cache, the same for every clone.
pub fn cache() -> Outcome<PathBuf> {
    let path = user_cache()?.join("lockstep");
    fs::create_dir_all(&path)?;
    Ok(path)
}

/// Where the tools from npm are for this clone's list of them. The name holds a
/// hash of the list: clones that agree share a folder, others do not disturb it.
pub fn npm_tools() -> Outcome<PathBuf> {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64; // FNV-1a
    for file in ["package.json", "package-lock.json"] {
        for byte in fs::read(e2e().join(file))? {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    Ok(cache()?.join(format!("npm-{hash:016x}")))
}

/// Where tools go that would push out another version of the user's own.
pub fn own_cargo_tools() -> Outcome<PathBuf> {
    Ok(cache()?.join("cargo"))
}

/// The search path with our tools in front of the user's.
pub fn search_path() -> Outcome<OsString> {
    let mut folders = vec![own_cargo_tools()?.join("bin"), npm_tools()?.join("node_modules/.bin")];
    // rustup's stand-ins for cargo and rustc have to come before the system's,
    // or the choice of a tool chain would be ignored.
    folders.push(cargo_home()?.join("bin"));
    folders.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    env::join_paths(folders).map_err(|error| Failure(format!("PATH cannot be extended: {error}")))
}

/// Where a program is that a command of ours would start.
pub fn which(program: &str) -> Outcome<Option<PathBuf>> {
    Ok(env::split_paths(&search_path()?)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file()))
}

/// The system's Chromium, or the one that `CHROMIUM` names.
pub fn chromium() -> Outcome<Option<PathBuf>> {
    const MAC: &str = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
    if let Some(named) = named_by("CHROMIUM")? {
        return Ok(Some(named));
    }
    for name in ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"] {
        if let Some(path) = which(name)? {
            return Ok(Some(path));
        }
    }
    Ok(Some(PathBuf::from(MAC)).filter(|path| path.is_file()))
}

/// The system's ChromeDriver, or the one that `CHROMEDRIVER` names.
pub fn chromedriver() -> Outcome<Option<PathBuf>> {
    match named_by("CHROMEDRIVER")? {
        Some(named) => Ok(Some(named)),
        None => which("chromedriver"),
    }
}

/// The program that a variable names, if it is set; a wrong name is told of here and not by
/// whoever would start it.
fn named_by(variable: &str) -> Outcome<Option<PathBuf>> {
    match env::var_os(variable).map(PathBuf::from) {
        Some(named) if !named.is_file() => Err(Failure(format!(
            "{variable} names {}, and there is no such program: correct the variable or unset it",
            named.display()
        ))),
        named => Ok(named),
    }
}

fn cargo_home() -> Outcome<PathBuf> {
    match env::var_os("CARGO_HOME") {
        Some(path) => Ok(path.into()),
        None => Ok(home()?.join(".cargo")),
    }
}

fn home() -> Outcome<PathBuf> {
    env::var_os("HOME")
        .map(PathBuf::from)
        .ok_or_else(|| Failure::from("HOME is not set: there is no place for the tools"))
}
