//! Releases as cases write them.

use super::case::{Case, Trouble};
use lockstep_core::model::Version;

/// A given release: `4.9.8`, or `>=5.2.0` for that one and everything after it (the newest known
/// release stands for it).
pub fn version_of(case: &Case, key: &str) -> Result<Version, Trouble> {
    let text = case.text(key)?;
    parse(text).ok_or_else(|| Trouble::Unsupported(format!("release `{text}`")))
}

/// The release that a case is about, under any of the usual keys; the newest when it names none.
pub fn release_of(case: &Case) -> Result<Version, Trouble> {
    for key in ["client", "version", "broker"] {
        if case.has(key) {
            return version_of(case, key);
        }
    }
    Ok(Version(5, 3, 3))
}

/// Reads a release.
pub fn parse(text: &str) -> Option<Version> {
    let text = text.trim();
    if let Some(from) = text.strip_prefix(">=") {
        let from = parse(from)?;
        return Some(from.max(Version(5, 3, 3)));
    }
    let exact = text.strip_prefix("<=").unwrap_or(text);
    let mut parts = exact.trim().split('.').map(|part| part.parse().ok());
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(Some(a)), Some(Some(b)), Some(Some(c)), None) => Some(Version(a, b, c)),
        _ => None,
    }
}
