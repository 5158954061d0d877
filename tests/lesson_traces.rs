//! What happens in each lesson, fact by fact, is what happened when its text was written: the
//! figures in its beats were read off these traces.
//!
//! `LOCKSTEP_BLESS=1 cargo test --test lesson_traces` writes them anew.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use lockstep_core::fact::{Fact, FactRecord};
use lockstep_core::scenario::{load, play, tell};
use lockstep_core::session::Session;

/// Lines of a trace that are written out; the digest covers all of them.
const LINES_MAX: usize = 60;

/// Facts that somebody who reads a trace wants to see: what moved a message, a lock or an offset.
const KINDS: &[&str] = &[
    "MessageStored",
    "MessageScheduled",
    "MessagePutBack",
    "SendFailed",
    "TransactionPrepared",
    "ConsumerStarted",
    "ConsumerStopped",
    "MemberLeft",
    "LockReleased",
    "LockMissing",
    "ReleasePostponed",
    "QueueDropped",
    "OffsetCorrected",
    "HandlingStarted",
    "ResultDiscarded",
    "QueueSuspended",
    "SentBack",
    "DeadLettered",
    "BrokerStopped",
    "BrokerStarted",
    "OffsetReset",
    "ResetConsumed",
    "MessageDeleted",
    "Pop(Received ",
    "Pop(ReceivedNothing",
    "Pop(ActFailed",
    "Pop(HandleExpired",
    "Pop(InvisibleChanged",
    "Pop(AttemptFailed",
    "Pop(DeadOnReceive",
    "Pop(ForwardedToDeadLetter",
    "Pop(Revived",
];

fn root(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn told(record: &FactRecord) -> bool {
    if let Fact::LockGranted { how, .. } = record.fact {
        return format!("{how:?}") != "Renewed";
    }
    let name = format!("{:?}", record.fact);
    KINDS.iter().any(|kind| name.starts_with(kind))
}

/// FNV-1a, 64 bits: small, and the same everywhere.
fn digest(text: &str) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    text.as_bytes().iter().fold(0xcbf2_9ce4_8422_2325, step)
}

fn trace(session: &Session) -> String {
    let world = session.world();
    let mut whole = String::new();
    let mut lines = Vec::new();
    for record in session.facts() {
        let text = tell(&record.fact, world);
        writeln!(whole, "{} {} {text}", record.at_ms, record.event).unwrap();
        if told(record) {
            lines.push(format!("{:>9} {text}", record.at_ms));
        }
    }
    let mut trace = format!(
        "{} events, {} facts, digest {:016x}, state {:016x}\n",
        session.event(),
        session.facts().len(),
        digest(&whole),
        session.hash(),
    );
    for line in lines.iter().take(LINES_MAX) {
        writeln!(trace, "{line}").unwrap();
    }
    if lines.len() > LINES_MAX {
        writeln!(trace, "          ... and {} more", lines.len() - LINES_MAX).unwrap();
    }
    trace
}

/// Names of the files of a folder with an ending, without it.
fn names(folder: &Path, ending: &str) -> BTreeSet<String> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.extension().is_some_and(|e| e == ending))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn every_lesson_has_its_golden_trace() {
    let golden = root("tests/golden/lessons");
    let bless = std::env::var_os("LOCKSTEP_BLESS").is_some();
    if bless {
        std::fs::create_dir_all(&golden).unwrap();
    }
    let lessons = names(&root("www/lessons"), "scn");
    let mut faults = Vec::new();
    for name in &lessons {
        let text = std::fs::read_to_string(root(&format!("www/lessons/{name}.scn"))).unwrap();
        let program = load(&text).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        let found = trace(&play(&program));
        let path = golden.join(format!("{name}.txt"));
        if bless {
            std::fs::write(&path, &found).unwrap();
        }
        let wanted = std::fs::read_to_string(&path).unwrap_or_default();
        let differs = found.lines().zip(wanted.lines()).skip(1).find(|(found, was)| found != was);
        match differs {
            Some((found, was)) => faults.push(format!("{name}: now `{found}`, was `{was}`")),
            None if found != wanted => faults.push(format!("{name}: behind the written lines")),
            None => {}
        }
    }
    let stale = names(&golden, "txt");
    faults.extend(stale.difference(&lessons).map(|name| format!("{name}: a trace of no lesson")));
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
