//! What only the system's own package manager can bring: a browser, a compiler.

use super::{bring, ready};
use crate::job::Job;
use crate::{paths, versions, Failure, Outcome};

const BROWSER_PACKAGES: [&str; 3] = ["chromium", "chromium-driver", "fonts-noto-cjk"];

/// Makes sure that Node.js and npm are there and new enough; nothing here installs them.
pub fn node() -> Outcome {
    let min = versions::NODE_MAJOR_MIN;
    let missing = |what: &str| {
        Failure(format!("{what}: install Node.js {min} or newer with npm, then run this again"))
    };
    let version = Job::new("node")?.args(["--version"]).ask().text;
    let major = version
        .trim_start_matches('v')
        .split('.')
        .next()
        .and_then(|major| major.parse::<u32>().ok());
    match major {
        None => return Err(missing("Node.js is missing")),
        Some(major) if major < min => {
            return Err(missing(&format!("Node.js {version} is too old")))
        }
        Some(_) => {}
    }
    if paths::which("npm")?.is_none() {
        return Err(missing("npm is missing"));
    }
    ready(&format!("Node.js {version}"));
    Ok(())
}

/// Makes sure that a Chromium and its driver are there.
pub fn browser() -> Outcome {
    let (chromium, driver) = (paths::chromium()?, paths::chromedriver()?);
    if let (Some(chromium), Some(driver)) = (&chromium, &driver) {
        ready(&format!("{} and {}", chromium.display(), driver.display()));
        return Ok(());
    }
    let why =
        "the tests drive a browser: Chromium (or Chrome) and ChromeDriver of the same version";
    if !has_packages(&BROWSER_PACKAGES)? {
        return Err(Failure(format!(
            "{why}. Install both with this system's package manager, or name them by the variables \
             CHROMIUM and CHROMEDRIVER, then run this again"
        )));
    }
    bring("Chromium and ChromeDriver by apt", "about a minute", || {
        install("chromium", &BROWSER_PACKAGES, why)
    })
}

/// Installs Debian packages, or says how a person can.
pub fn install(name: &str, packages: &[&str], why: &str) -> Outcome {
    let mut words = vec!["apt-get", "install", "-y", "--no-install-recommends", "--no-remove"];
    words.extend(packages);
    if as_root(&["true"])?.is_none() {
        return Err(Failure(format!(
            "{why}. Only root may install it and this user is not; please run\n\n  \
             sudo apt-get update && sudo {}\n\nthen run this again",
            words.join(" ")
        )));
    }
    for (step, words) in [("update", vec!["apt-get", "update"]), ("install", words)] {
        let job = as_root(&words)?.ok_or_else(|| Failure::from("root was there a moment ago"))?;
        job.env("DEBIAN_FRONTEND", "noninteractive")
            .quietly(&format!("apt-{step}-{name}"), None)?;
    }
    Ok(())
}

/// Whether apt is here and knows all the packages.
pub fn has_packages(packages: &[&str]) -> Outcome<bool> {
    if paths::which("apt-get")?.is_none() || paths::which("apt-cache")?.is_none() {
        return Ok(false);
    }
    let known = |packages: &[&str]| -> Outcome<bool> {
        let answer =
            Job::new("apt-cache")?.args(["policy"]).args(packages).env("LC_ALL", "C").ask();
        let candidates = answer.text.lines().filter(|line| {
            line.trim().strip_prefix("Candidate:").is_some_and(|version| version.trim() != "(none)")
        });
        Ok(candidates.count() >= packages.len())
    };
    if known(packages)? {
        return Ok(true);
    }
    // A new machine has no package lists yet, and without them knows nothing.
    if let Some(job) = as_root(&["apt-get", "update"])? {
        job.quietly("apt-update", None)?;
    }
    known(packages)
}

/// A job that runs as root, if this user is root or may be without being asked.
pub fn as_root(words: &[&str]) -> Outcome<Option<Job>> {
    let [program, args @ ..] = words else {
        return Ok(None);
    };
    if Job::new("id")?.args(["-u"]).ask().text == "0" {
        return Ok(Some(Job::new(program)?.args(args)));
    }
    if Job::new("sudo")?.args(["-n", "true"]).ask().ok {
        return Ok(Some(Job::new("sudo")?.args(["-n"]).args(words)));
    }
    Ok(None)
}
