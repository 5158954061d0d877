//! Each symptom of the checklist, and the reports, by their causes; nothing about healthy runs.

use lockstep_core::explain::diagnose::{diagnose, Finding, Problem, Symptom};
use lockstep_core::explain::{attempt, Change, Counterfactual, Effect, Ledger};
use lockstep_core::scenario::{check, load, play, Evidence, State};
use lockstep_core::session::Session;

use super::{all, scenarios};

/// The first word of a problem; of a broken order that of its guilt.
fn word(problem: &Problem) -> String {
    let debug = match problem {
        Problem::Broken { guilt, .. } => format!("{guilt:?}"),
        other => format!("{other:?}"),
    };
    debug.split([' ', '{']).next().unwrap().to_owned()
}

fn found(session: &Session) -> Vec<Finding> {
    let ledger = Ledger::of(session.facts());
    diagnose(session, &ledger)
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
        let findings = found(&session);
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
    let findings = found(&session);
    let one = findings.iter().find(|f| f.symptom == Symptom::TwoOwners).unwrap();
    let [Change::Instead(changed)] = &one.repair[..] else { panic!("{:?}", one.repair) };
    let mut journal: Vec<_> = session.journal().to_vec();
    for (index, command) in changed {
        journal[*index as usize].1 = command.clone();
    }
    let mut repaired = Session::new(program.seed, program.model.clone(), journal);
    repaired.run_until(program.until_ms);
    assert_eq!(session.violations().len(), 1);
    assert!(repaired.violations().is_empty(), "{:?}", repaired.violations());
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
        ("R13-unpinned", "BrokersChanged"),
        ("R16-big-group", "HotGroup"),
        ("R16-common-factor", "FewQueues"),
        ("R17-hash", "QueuesChanged"),
        ("R19-both-at-once", "WriteAboveRead"),
        ("R22-blocked", "Poison"),
        ("R23-queue", "OneQueue"),
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
        let findings = found(&play(&program));
        if !findings.iter().any(|f| word(&f.problem) == *wanted) {
            faults.push(format!("{name}: {findings:?}"));
        }
        for one in findings.iter().filter(|f| f.evidence.is_empty()) {
            faults.push(format!("{name}: no evidence for {one:?}"));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn healthy_runs_have_no_findings() {
    let healthy = [
        "01-1-orders-on-four-queues",
        "01-3-offsets-and-lag",
        "02-1-two-services-repaired",
        "02-2-sends-in-flight-repaired",
        "02-3-round-robin-repaired",
        "02-4-two-in-one-request-repaired",
        "02-6-broker-lost-repaired",
        "02-7-schema-change-repaired",
        "03-2-demo-orderly",
        "03-3-unordered-group-repaired",
        "03-4-four-combinations-repaired",
        "03-7-two-tag-filters-repaired",
        "03-8-not-my-key-repaired",
        "04-2-clean-stop",
        "04-5-hand-over",
        "04-6-long-handler-repaired",
        "04-7-idle-consumers",
        "04-8-slow-start",
        "05-5-neighbour-pays-repaired",
        "05-7-batch-of-ten-repaired",
        "07-1-unpaid-order-30m",
        "07-2-ticket-45m",
        "R01-orderly",
        "R08-keyed",
        "R09-single",
        "R10-awaited",
        "R12-one-at-a-time",
        "R13-pinned",
        "R17-drained",
        "R20-sixteen",
        "R21-one-key",
        "R43-clean",
        "R44-5.3",
        "R49-orderly",
        "R65-stop",
        "R66-equal",
    ];
    let mut seen = 0;
    for (name, program) in all() {
        if !healthy.contains(&&*name) {
            continue;
        }
        seen += 1;
        let findings = found(&play(&program));
        assert!(findings.is_empty(), "{name}: {findings:?}");
    }
    assert_eq!(seen, healthy.len());
}

#[test]
fn a_repair_of_a_broken_order_repairs_it() {
    for (name, program) in all() {
        let session = play(&program);
        for finding in found(&session) {
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
