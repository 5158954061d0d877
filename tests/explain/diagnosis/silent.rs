//! What was once passed over in silence.

use lockstep_core::explain::diagnose::Problem;
use lockstep_core::scenario::{load, play};

use super::{fails, found, word};
use crate::changes::changed;

/// What a run without any finding hid: a scenario, and the problem that it shows.
const SILENT: &[(&str, &str)] = &[
    (
        "topic orders FIFO 2 queues
group billing reads orders orderly
producer p1
consumer c1 in billing
at 10s broker crashes
at 11s p1 sends A1 A2
at 13s broker starts
run until 150s
",
        "SendsFailed",
    ),
    (
        "topic orders FIFO 2 queues
group billing reads orders orderly
producer p1
consumer c1 in billing
at 54s disk 95% full
at 62s p1 sends A1
at 68s disk 10% full
run until 110s
",
        "SendsFailed",
    ),
    (
        "topic orders DELAY 1 queue
series A without message-group
group billing reads orders orderly
producer p1
consumer c1 in billing
at 53s p1 sends A1 delay 30s
at 54s disk 95% full
at 110s disk 10% full
run until 140s
",
        "Lost",
    ),
    (
        "model 4.9
topic orders FIFO 2 queues
group billing reads orders fifo
producer p1
consumer c1 in billing grpc push
at 5s p1 sends A1
run until 60s
",
        "CommandsRefused",
    ),
    (
        "topic orders FIFO 1 queue
group billing reads orders orderly
producer p1
at 3s p1 sends A1 A2
run until 300s
",
        "Stands",
    ),
    (
        "topic orders FIFO 1 queue
group billing reads orders orderly, autocommit off, handles in 100ms
producer p1
consumer c1 in billing
at 3s p1 sends A1 A2 A3
at 3s A2 returns rollback once
run until 30s
",
        "RollsBack",
    ),
    (
        "topic orders FIFO 2 queues
group billing reads orders orderly, handles in 10ms
producer p1
consumer c1 in billing
consumer c2 in billing
at 3s p1 sends A1..A9 B1..B9 C1..C9 D1..D9
at 20s c1 hangs
at 30s p1 sends A10 B10 C10 D10
at 200s c1 resumes
run until 300s
",
        "Hung",
    ),
    (
        "topic orders FIFO 1 queue
group billing reads orders fifo, handles in 10s
producer p1
consumer c1 in billing grpc push
at 10s p1 sends A1 A2
at 12s c1 hangs
at 100s c1 resumes
run until 200s
",
        "Hung",
    ),
];

#[test]
fn nothing_that_goes_wrong_is_passed_over_in_silence() {
    for (text, wanted) in SILENT {
        let program = load(text).unwrap();
        let findings = found(&play(&program), program.until_ms);
        let one = findings.iter().find(|f| word(&f.problem) == *wanted);
        let one = one.unwrap_or_else(|| panic!("{text}: {findings:?}"));
        assert!(!one.evidence.is_empty(), "{one:?}");
    }
}

#[test]
fn a_dead_owner_is_held_by_its_membership_and_a_batch_is_repaired_by_its_size() {
    let text = "topic orders FIFO 2 queues
group billing reads orders orderly, handles in 10ms
producer p1
consumer c1 in billing
consumer c2 in billing
at 3s p1 sends A1..A9 B1..B9 C1..C9 D1..D9
at 20s c1 HOW
at 30s p1 sends A10 B10 C10 D10
run until 300s
";
    for (how, expected) in [("vanishes", true), ("crashes", false)] {
        let program = load(&text.replace("HOW", how)).unwrap();
        let findings = found(&play(&program), program.until_ms);
        let held = findings.iter().find_map(|f| match f.problem {
            Problem::DeadOwner { member, .. } => Some(member),
            _ => None,
        });
        assert_eq!(held, Some(expected), "{how}: {findings:?}");
    }
    let text = "topic orders FIFO 1 queue
group billing reads orders orderly, max-reconsume-times 2, batch 4
producer p1
consumer c1 in billing
at 3s p1 sends A1 A2 A3 A4 A5 A6 A7 A8
at 3s A2 fails always
run until 130s
";
    let program = load(text).unwrap();
    for finding in found(&play(&program), program.until_ms) {
        let Some((msg, group)) = fails(&finding) else { continue };
        for change in &finding.repair {
            let again = found(&changed(&program, change), program.until_ms);
            assert!(again.iter().all(|f| fails(f) != Some((msg, group))), "{finding:?}: {again:?}");
        }
    }
}
