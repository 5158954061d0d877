//! Each symptom of the checklist, and the reports, by their causes; nothing about healthy runs.

use lockstep_core::explain::diagnose::{diagnose, Finding, Problem, Symptom};
use lockstep_core::explain::{attempt, Change, Counterfactual, Effect, Ledger};
use lockstep_core::scenario::{check, load, play, Evidence, State};
use lockstep_core::session::Session;

use super::changes::changed;
use super::{all, scenarios};

/// The first word of a problem; of a broken order that of its guilt.
fn word(problem: &Problem) -> String {
    let debug = match problem {
        Problem::Broken { guilt, .. } => format!("{guilt:?}"),
        other => format!("{other:?}"),
    };
    debug.split([' ', '{']).next().unwrap().to_owned()
}

fn found(session: &Session, until_ms: lockstep_core::ids::Ms) -> Vec<Finding> {
    let ledger = Ledger::of(session.facts());
    diagnose(session, &ledger, until_ms)
}

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

/// A handler that outlives the invisible time, of a consumer that is closed meanwhile.
const OVERLAP: &str = "\
topic    orders FIFO 1 queue
group    billing reads orders fifo, handles in 20s
producer p1
consumer c1 in billing simple in a loop invisible-duration 10s
at 1s    p1 sends A1
at 2s    c1 stops
at 5s    A1 takes 1s
at 12s   c2 joins billing simple in a loop
run      until 60s
";

#[test]
fn an_overlap_by_pop_is_repaired_by_a_longer_invisible_duration() {
    let program = load(OVERLAP).unwrap();
    let session = play(&program);
    let findings = found(&session, program.until_ms);
    let one = findings.iter().find(|f| f.symptom == Symptom::TwoOwners).unwrap();
    let [change @ Change::Instead(_)] = &one.repair[..] else { panic!("{:?}", one.repair) };
    let repaired = changed(&program, change);
    assert_eq!(session.violations().len(), 1);
    assert!(repaired.violations().is_empty(), "{:?}", repaired.violations());
}

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
at 4s disk 95% full
at 5s p1 sends A1
at 8s disk 10% full
run until 60s
",
        "SendsFailed",
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

/// The message that fails in a finding, and its group.
fn fails(finding: &Finding) -> Option<(lockstep_core::ids::MsgId, lockstep_core::ids::GroupId)> {
    match finding.problem {
        Problem::GivenUp { msg, group, .. } | Problem::Poison { msg, group, .. } => {
            Some((msg, group))
        }
        _ => None,
    }
}

#[test]
fn a_failing_message_is_never_given_contrary_advice() {
    let limits = |change: &Change| match change {
        Change::From { commands, .. } => {
            commands.iter().any(|c| matches!(c, lockstep_core::command::Command::SetGroup { .. }))
        }
        _ => false,
    };
    let (mut mended, mut limited) = (0, 0);
    for (name, program) in all() {
        for finding in found(&play(&program), program.until_ms) {
            let Some(of) = fails(&finding) else { continue };
            for change in &finding.repair {
                let again = found(&changed(&program, change), program.until_ms);
                let again = again.iter().find(|f| fails(f) == Some(of));
                if limits(change) && matches!(finding.problem, Problem::Poison { .. }) {
                    // The price of a limit is told, and nobody advises to take it back.
                    let back = again.is_some_and(|f| f.repair.iter().any(limits));
                    assert!(!back, "{name}: {change:?}, then {again:?}");
                    limited += 1;
                } else {
                    assert!(again.is_none(), "{name}: {change:?} leaves {again:?}");
                    mended += 1;
                }
            }
        }
    }
    assert!(mended > 10 && limited > 3, "{mended} {limited}");
}

#[test]
fn a_repair_of_a_broken_order_repairs_it() {
    for (name, program) in all() {
        let session = play(&program);
        for finding in found(&session, program.until_ms) {
            let Problem::Broken { series, .. } = finding.problem else { continue };
            let group = session.violations().iter().find_map(|v| match v.broken {
                lockstep_core::check::Broken::Order { series: of, .. } if of == series => {
                    Some(v.group)
                }
                _ => None,
            });
            let effect = Effect::OrderKept { series, group: group.unwrap() };
            for change in finding.repair {
                let one = Counterfactual { change, effect };
                assert!(attempt(&session, &one).works, "{name}: {one:?}");
            }
        }
    }
}
