//! Faults that were found, each as a scenario that plays it: the files of `tests/found` are
//! canonical and do what they expect.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod folder;

/// What is wrong with a file.
fn faults(name: &str, text: &str) -> Vec<String> {
    let program = match folder::program(name, text) {
        Ok(program) => program,
        Err(mistakes) => return mistakes,
    };
    let mut faults = folder::ill_formed(name, text);
    if program.expectations.is_empty() {
        faults.push(format!("{name}: expects nothing"));
    }
    faults.extend(folder::broken_expectations(name, &program));
    faults
}

#[test]
fn what_was_found_stays_mended() {
    folder::each("tests/found", 40, faults);
}
