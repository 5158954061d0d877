//! Healthy runs have no findings, and a lesson has exactly those that are listed for it.

use lockstep_core::scenario::play;

use super::{found, word};
use crate::scenarios;

/// The lessons in which something goes wrong, each with what a diagnosis finds. All others are healthy.
const UNHEALTHY: &[(&str, &[&str])] = &[
    ("01-2-life-of-a-message", &["GivenUp"]),
    ("01-4-topic-types", &["TypeMismatch", "TypeMismatch", "TypeMismatch"]),
    ("02-1-two-services", &["SeveralProducers"]),
    ("02-2-sends-in-flight", &["AsyncSends"]),
    ("02-3-round-robin", &["RoundRobin"]),
    ("02-4-two-in-one-request", &["ManyInRequest"]),
    ("02-5-negative-key", &["NegativeKey", "NegativeKey"]),
    ("02-6-broker-lost", &["BrokersChanged"]),
    ("03-1-demo-concurrent", &["ConcurrentListener"]),
    ("03-3-unordered-group", &["UnorderedGroup"]),
    ("03-4-four-combinations", &["ConcurrentListener"]),
    ("03-5-answers-early", &["AnswersEarly"]),
    ("03-6-batch-of-two", &["BatchFails"]),
    ("03-7-two-tag-filters", &["Subscriptions"]),
    ("04-1-kill-minus-nine", &["DeadOwner"]),
    ("04-4-two-readers", &["TwoOwners"]),
    ("04-6-long-handler", &["TwoOwners"]),
    ("05-1-poison-message", &["Poison"]),
    ("05-2-max-reconsume", &["GivenUp", "GivenUp"]),
    ("05-3-max-reconsume-5.0", &["ToRetryTopic", "GoesRound"]),
    ("05-3-max-reconsume-5.0-repaired", &["GivenUp"]),
    ("05-4-three-ways-out", &["Reset", "GivenUp", "Poison", "Poison"]),
    ("05-4-three-ways-out-repaired", &["GivenUp", "GivenUp", "Poison"]),
    ("05-5-neighbour-pays", &["OneQueue"]),
    ("05-6-dead-letter-again", &["GivenUp", "TypeMismatch"]),
    ("05-7-batch-of-ten", &["BatchFails"]),
    ("05-8-wrong-answer", &["Stands"]),
    ("06-2-invisible-time", &["InvisibleTooShort"]),
    ("06-3-gap-in-the-acks", &["Application"]),
    ("06-4-push-runs-out", &["GivenUp"]),
    ("06-6-first-is-missing", &["UnorderedGroup"]),
    ("06-7-attempts-used-up", &["GivenUp"]),
    ("06-7-attempts-used-up-repaired", &["GivenUp"]),
    ("07-4-ordered-and-delayed", &["Delays", "TypeMismatch", "SendsFailed"]),
    ("07-5-table-changed", &["CommandsRefused"]),
    ("08-1-where-a-group-begins", &["BeginsBehind", "BeginsBehind"]),
    ("08-2-skipped-at-the-start", &["BeginsBehind"]),
    ("08-4-reset-that-does-nothing", &["Reset", "Poison"]),
    ("08-4-reset-that-does-nothing-repaired", &["Poison"]),
    ("08-5-old-messages-leave", &["Lost"]),
    ("08-6-reset-to-now", &["Reset", "Poison"]),
    ("08-6-reset-to-now-repaired", &["Poison"]),
    ("09-1-hot-group", &["HotGroup"]),
    ("09-2-common-factor", &["FewQueues"]),
    ("09-3-four-to-eight", &["QueuesChanged"]),
    ("09-4-global-order", &["OneQueue"]),
    ("09-6-queues-taken-away", &["WriteAboveRead"]),
    ("09-7-half-the-cluster", &["FewQueues"]),
    ("10-1-key-shared", &["SentBack"]),
    ("10-2-sqs-message-groups", &["OneQueue"]),
    ("10-3-sessions", &["SentBack"]),
    ("10-4-failed-send", &["SentLate"]),
    ("10-5-active-consumer-stops", &["TwoOwners"]),
];

#[test]
fn healthy_lessons_have_no_findings_and_the_others_have_just_theirs() {
    let lessons = scenarios("www/lessons");
    let mut faults = Vec::new();
    for (name, program) in &lessons {
        let expected = UNHEALTHY.iter().find(|(lesson, _)| lesson == name).map_or(&[][..], |l| l.1);
        let said: Vec<String> =
            found(&play(program), program.until_ms).iter().map(|f| word(&f.problem)).collect();
        if said != expected {
            faults.push(format!("(\"{name}\", &{said:?}),"));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    assert!(lessons.len() - UNHEALTHY.len() > 40, "hardly any lesson is healthy");
}

#[test]
fn healthy_runs_of_reports_have_no_findings() {
    let healthy = [
        "R01-orderly",
        "R08-keyed",
        "R09-single",
        "R10-awaited",
        "R12-one-at-a-time",
        "R17-drained",
        "R21-one-key",
        "R43-clean",
        "R44-5.3",
        "R49-orderly",
        "R65-stop",
        "R66-equal",
    ];
    let mut seen = 0;
    for (name, program) in scenarios("tests/reports") {
        if !healthy.contains(&&*name) {
            continue;
        }
        seen += 1;
        let findings = found(&play(&program), program.until_ms);
        assert!(findings.is_empty(), "{name}: {findings:?}");
    }
    assert_eq!(seen, healthy.len());
}
