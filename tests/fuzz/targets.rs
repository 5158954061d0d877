//! What is fuzzed. The same functions are called by the fuzzer (`fuzz/`) and, over the corpus and
//! mutations of it, by an ordinary test (`main.rs`). They panic when something is wrong.

use lockstep_core::scenario::{compile, completions, format, load, marks, parse};

use super::commands::{drive, Bytes};

/// Longest scenario text, in bytes.
const LONGEST_TEXT: usize = 4_096;

/// A scenario text: nothing panics, printing what was parsed gives the text back, every problem has
/// a place in it, the canonical form is stable, and what it says can be said again.
pub fn scenario(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(&data[..data.len().min(LONGEST_TEXT)]) else { return };
    let parsed = parse(text);
    assert_eq!(parsed.scenario.print(), text, "printing loses something");
    let _ = compile(&parsed.scenario);
    for problem in load(text).err().into_iter().flatten() {
        assert!(text.get(problem.span.start..problem.span.end).is_some(), "{problem:?}");
        let _ = (problem.code(), problem.to_string());
    }
    let canonical = format(text);
    assert_eq!(format(&canonical), canonical, "the canonical form is not stable");
    let _ = (marks(text), completions(text, 1, 1));
}

/// Commands, seeks and steps back on a session: nothing panics, and a replay of what the session
/// kept has the same hash and the same state, at the end and on the way.
pub fn session(data: &[u8]) {
    let mut bytes = Bytes::of(data);
    let (live, middle) = drive(&mut bytes);
    let (model, journal, injected) =
        (live.model().clone(), live.journal().to_vec(), live.injected().to_vec());
    let mut replay = lockstep_core::session::Session::replay(live.seed(), model, journal, injected);
    for (event, expected) in [middle, (live.event(), (live.hash(), live.world().digest()))] {
        replay.seek_event(event);
        assert_eq!(replay.event(), event, "the replay ends early");
        assert_eq!((replay.hash(), replay.world().digest()), expected, "at event {event}");
    }
}
