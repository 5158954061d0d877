//! The reference of the scenario language is current.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::path::PathBuf;

/// With this variable set, the reference is written anew.
const UPDATE: &str = "LOCKSTEP_UPDATE";

#[test]
fn the_reference_is_current() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/scenario-language.md");
    let current = lockstep_core::scenario::reference();
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&path, &current).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = current.lines().zip(written.lines()).position(|(a, b)| a != b);
    assert!(
        written == current,
        "docs/scenario-language.md is not current (first difference in line {}): \
         `{UPDATE}=1 cargo test --test scenario` or `lockstep reference > docs/scenario-language.md`",
        differs.map_or(written.lines().count().min(current.lines().count()), |index| index) + 1
    );
}
