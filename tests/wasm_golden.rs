//! The same lesson has the same hash everywhere: this file is compiled and run natively and in a
//! browser against the same list. A hash covers every event and fact before it.
//!
//! `LOCKSTEP_BLESS=1 cargo test --test wasm_golden` writes the list anew.
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use lockstep_core::bench;
use lockstep_core::scenario;
use lockstep_core::session::Session;

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;
#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

const LESSONS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/lesson_texts.rs"));
const GOLDEN: &str = include_str!("golden/hashes.txt");

/// One line for each lesson and for the load of the bench: name, events, hash.
fn hashes() -> String {
    let mut lines = String::new();
    let mut line = |name: &str, session: &Session| {
        lines += &format!("{name} {} {:016x}\n", session.event(), session.hash());
    };
    for (name, text) in LESSONS {
        let program = scenario::load(text).unwrap();
        let mut session = Session::new(program.seed, program.model.clone(), program.journal());
        session.run_until(program.until_ms);
        line(name, &session);
        // There and back again gives the same state.
        let (last, hash, digest) = (session.event(), session.hash(), session.world().digest());
        session.seek_event(last / 2);
        session.seek_event(last);
        assert_eq!((session.hash(), session.world().digest()), (hash, digest), "{name}");
    }
    let mut session = bench::load(2_000);
    session.run_until(5_000);
    line("load of 2000 messages", &session);
    lines
}

#[test]
fn every_lesson_has_the_hash_that_it_has_everywhere() {
    let found = hashes();
    #[cfg(not(target_arch = "wasm32"))]
    if std::env::var_os("LOCKSTEP_BLESS").is_some() {
        std::fs::write("tests/golden/hashes.txt", &found).unwrap();
        return;
    }
    assert_eq!(found, GOLDEN);
}
