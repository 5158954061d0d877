//! The symptoms of the checklist and the reports, by their causes.

use lockstep_core::explain::diagnose::Symptom;
use lockstep_core::scenario::{check, play, Evidence, State};

use super::{found, word};
use crate::scenarios;

#[test]
fn the_four_symptoms_of_the_checklist_are_traced_to_their_causes() {
    let expected = [
        ("1-producers", Symptom::OutOfOrder, "SeveralProducers"),
        ("1-threads", Symptom::OutOfOrder, "SeveralThreads"),
        ("2-hand-off", Symptom::HandledOutOfOrder, "AnswersEarly"),
        ("3-retry-policy", Symptom::PassedAfterFailure, "GivenUp"),
        ("4-one-queue", Symptom::WaitForEachOther, "OneQueue"),
    ];
    let files = scenarios("tests/symptoms");
    assert_eq!(files.len(), expected.len());
    for ((name, program), (file, symptom, problem)) in files.iter().zip(expected) {
        assert_eq!(name, file);
        let session = play(program);
        let evidence = Evidence::of(&session, program.until_ms, true);
        for verdict in check(program, &evidence) {
            assert_eq!(verdict.finding.state, State::Holds, "{name}:{}", verdict.line);
        }
        let findings = found(&session, program.until_ms);
        let said: Vec<_> = findings.iter().map(|f| (f.symptom, word(&f.problem))).collect();
        assert_eq!(said, [(symptom, problem.to_owned())], "{name}");
        let one = &findings[0];
        assert!(!one.evidence.is_empty() && !one.repair.is_empty(), "{name}: {one:?}");
    }
}

#[test]
fn reports_are_traced_to_their_causes() {
    let expected = [
        ("R01-not-orderly", "UnorderedGroup"),
        ("R02-not-orderly", "UnorderedGroup"),
        ("R04", "TypeMismatch"),
        ("R07", "ConcurrentListener"),
        ("R08-round-robin", "RoundRobin"),
        ("R09-affected", "ManyInRequest"),
        ("R10-in-flight", "AsyncSends"),
        ("R11", "SeveralProducers"),
        ("R12-in-flight", "AsyncSends"),
        ("R13-pinned", "SendsFailed"),
        ("R13-unpinned", "BrokersChanged"),
        ("R16-big-group", "HotGroup"),
        ("R16-common-factor", "FewQueues"),
        ("R17-hash", "QueuesChanged"),
        ("R19-both-at-once", "WriteAboveRead"),
        ("R20-sixteen", "Stands"),
        ("R22-blocked", "Poison"),
        ("R23-queue", "OneQueue"),
        ("R25-5.0", "ToRetryTopic"),
        ("R25-5.0-max-2", "ToRetryTopic"),
        ("R25-modern", "GivenUp"),
        ("R30-batch-10", "BatchFails"),
        ("R33", "InvisibleTooShort"),
        ("R43", "DeadOwner"),
        ("R49-concurrent", "ConcurrentListener"),
        ("R50-success", "Stands"),
        ("R53-push", "Subscriptions"),
        ("R54", "Subscriptions"),
        ("R56-on-disk", "BeginsBehind"),
        ("R66", "Delays"),
        ("R72-retry-topic", "SentBack"),
        ("R74-slips", "SentLate"),
        ("R79-no-wait", "TwoOwners"),
    ];
    let mut faults = Vec::new();
    for (name, program) in scenarios("tests/reports") {
        let Some((_, wanted)) = expected.iter().find(|(file, _)| *file == name) else { continue };
        let findings = found(&play(&program), program.until_ms);
        if !findings.iter().any(|f| word(&f.problem) == *wanted) {
            faults.push(format!("{name}: {findings:?}"));
        }
        for one in findings.iter().filter(|f| f.evidence.is_empty()) {
            faults.push(format!("{name}: no evidence for {one:?}"));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
