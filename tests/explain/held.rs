//! What held a queue for a minute and is over at the end of the run: found, with what takes it away.

use lockstep::i18n::sentence::Speaker;
use lockstep::i18n::Locale;
use lockstep_core::explain::diagnose::{diagnose, Finding, Held, Problem};
use lockstep_core::explain::Ledger;
use lockstep_core::ids::Ms;
use lockstep_core::scenario::{load, play, Program};
use lockstep_core::session::Session;

use super::changes::changed;
use super::fifo;
use super::words::fault;

fn found(session: &Session, until_ms: Ms) -> Vec<Finding> {
    diagnose(session, &Ledger::of(session.facts()), until_ms)
}

/// A kind of problem, without its names and figures.
fn kind(problem: &Problem) -> &'static str {
    match problem {
        Problem::Held { by: Held::Dead { .. }, .. } => "dead",
        Problem::Held { by: Held::Cut { .. }, .. } => "cut",
        Problem::Held { by: Held::Down { .. }, .. } => "down",
        Problem::Held { by: Held::Refused { .. }, .. } => "refused",
        Problem::AcksFail { again: true, .. } => "acks fail, again",
        Problem::AcksFail { again: false, .. } => "acks fail",
        Problem::NeverAcknowledged { dead: true, .. } => "never acked, dead",
        Problem::NeverAcknowledged { dead: false, .. } => "never acked",
        Problem::Undecided { .. } => "undecided",
        Problem::Hung { .. } => "hung",
        Problem::SendsFailed { .. } => "sends failed",
        Problem::GivenUp { .. } => "given up",
        _ => "another",
    }
}

/// Lines of a run, what they hide, and how long somebody waited at least (0: nobody is said to wait).
const HIDDEN: &[(&str, &str, Ms)] = &[
    (
        "group billing reads orders fifo, handles in 5s
consumer c1 in billing grpc push
at 10s p1 sends A1 A2 A3
at 12s c1 crashes
at 13s c2 joins billing grpc push
run until 300s",
        "dead",
        100_000,
    ),
    (
        "group billing reads orders fifo, handles in 5s
consumer c1 in billing grpc push
at 10s p1 sends A1
at 12s c1 vanishes
at 13s c2 joins billing grpc push
run until 300s",
        "dead",
        100_000,
    ),
    (
        "group billing reads orders fifo
consumer c1 in billing grpc push
consumer c2 in billing grpc push
at 5s c1 vanishes
at 6s p1 sends A1 A2 A3
run until 300s",
        "dead",
        60_000,
    ),
    (
        "group billing reads orders fifo
consumer c1 in billing simple
at 10s p1 sends A1 A2 A3
at 11s c1 receives invisible-duration 120s
at 12s c1 crashes
at 13s c2 joins billing simple in a loop
run until 300s",
        "dead",
        100_000,
    ),
    (
        "group billing reads orders orderly, handles in 10ms
consumer c1 in billing
at 10s cut c1 from broker
at 11s p1 sends A1 A2 A3
at 80s heal c1 and broker
run until 200s",
        "cut",
        60_000,
    ),
    (
        "group billing reads orders concurrent, handles in 10ms
consumer c1 in billing
at 10s cut broker from c1
at 11s p1 sends A1
at 80s heal c1 and broker
run until 200s",
        "cut",
        60_000,
    ),
    (
        "group billing reads orders fifo, handles in 10ms
consumer c1 in billing grpc push
at 10s cut c1 from proxy
at 11s p1 sends A1 A2 A3
at 80s heal c1 and proxy
run until 200s",
        "cut",
        60_000,
    ),
    (
        "group billing reads orders fifo, handles in 5s
consumer c1 in billing grpc push
at 10s p1 sends A1 A2 A3
at 11s cut c1 from proxy
at 80s heal c1 and proxy
run until 200s",
        "cut",
        50_000,
    ),
    (
        "group billing reads orders fifo, handles in 5s
consumer c1 in billing grpc push
at 10s p1 sends A1 A2 A3
at 11s cut proxy from broker
at 80s heal proxy and broker
run until 200s",
        "cut",
        50_000,
    ),
    (
        "group billing reads orders orderly, handles in 1s
consumer c1 in billing
at 9s p1 sends A1..A9
at 10s broker stops
at 80s broker starts
at 100s p1 sends A10
run until 200s",
        "",
        0,
    ),
    (
        "group billing reads orders fifo, handles in 1s
consumer c1 in billing grpc push
at 9s p1 sends A1..A9
at 10s proxy stops
at 80s proxy starts
run until 200s",
        "down",
        60_000,
    ),
    (
        "group billing reads orders fifo, handles in 10ms
consumer c1 in billing grpc push
at 9s proxy answers receive with TOO_MANY_REQUESTS
at 11s p1 sends A1 A2 A3
at 80s proxy serves receive
run until 200s",
        "refused",
        60_000,
    ),
    (
        "group billing reads orders fifo, handles in 10ms
consumer c1 in billing simple in a loop
at 9s proxy answers receive with INTERNAL_SERVER_ERROR
at 11s p1 sends A1 A2 A3
at 80s proxy serves receive
run until 200s",
        "refused",
        60_000,
    ),
    (
        "group billing reads orders fifo, handles in 10ms
consumer c1 in billing grpc push
at 11s c1 hangs
at 12s p1 sends A1 A2 A3
at 81s c1 resumes
run until 200s",
        "hung",
        60_000,
    ),
    (
        "group billing reads orders fifo, handles in 10ms
consumer c1 in billing simple in a loop invisible-duration 10s
at 9s proxy answers ack with INTERNAL_SERVER_ERROR
at 11s p1 sends A1 A2 A3
at 80s proxy serves ack
run until 200s",
        "acks fail, again",
        0,
    ),
    (
        "group billing reads orders fifo, handles in 10ms
consumer c1 in billing grpc push
at 9s proxy answers ack with INTERNAL_SERVER_ERROR
at 11s p1 sends A1 A2 A3
at 80s proxy serves ack
run until 200s",
        "acks fail",
        0,
    ),
    (
        "group billing reads orders fifo, retry-max-times 16
consumer c1 in billing simple
at 10s p1 sends A1 A2
at 11s c1 receives max-message-num 1 invisible-duration 10s
at 22s c1 receives max-message-num 1 invisible-duration 10s
at 33s c1 receives max-message-num 1 invisible-duration 10s
run until 40s",
        "never acked",
        0,
    ),
    (
        "group billing reads orders fifo, retry-max-times 3
consumer c1 in billing simple
at 10s p1 sends A1 A2
at 11s c1 receives max-message-num 1 invisible-duration 10s
at 22s c1 receives max-message-num 1 invisible-duration 10s
at 33s c1 receives max-message-num 1 invisible-duration 10s
at 44s c1 receives max-message-num 1 invisible-duration 10s
at 55s c1 receives max-message-num 1 invisible-duration 10s
run until 62s",
        "never acked, dead",
        0,
    ),
    (
        "group billing reads orders fifo
consumer c1 in billing grpc push
at 9s proxy answers send with TOO_MANY_REQUESTS
at 11s p1 sends A1 A2 A3
at 80s proxy serves send
run until 100s",
        "sends failed",
        0,
    ),
    (
        "group billing reads orders fifo
consumer c1 in billing grpc push
at 10s cut proxy from broker
at 11s p1 sends A1 A2 A3
at 80s heal proxy and broker
run until 100s",
        "sends failed",
        0,
    ),
    (
        "series A without message-group
group billing reads orders orderly
consumer c1 in billing
at 10s p1 sends A1 in a transaction that stays open
run until 900s",
        "undecided",
        0,
    ),
];

fn program(lines: &str) -> Program {
    let text = fifo(lines)
        .replace("FIFO", if lines.contains("transaction") { "TRANSACTION" } else { "FIFO" });
    load(&text).unwrap_or_else(|mistakes| panic!("{text}: {mistakes:?}"))
}

#[test]
fn what_held_a_queue_and_is_over_is_found_with_what_takes_it_away() {
    let mut faults = Vec::new();
    for (lines, wanted, least_ms) in HIDDEN {
        let program = program(lines);
        let session = play(&program);
        let findings = found(&session, program.until_ms);
        let said: Vec<_> = findings.iter().map(|f| kind(&f.problem)).collect();
        let wanted: Vec<_> = Some(*wanted).into_iter().filter(|w| !w.is_empty()).collect();
        if said != wanted {
            faults.push(format!("{lines}: {findings:?}"));
        }
        for finding in &findings {
            if let Problem::Held { waited_ms, .. } | Problem::Hung { waited_ms, .. } =
                finding.problem
            {
                if !(*least_ms..=140_000).contains(&waited_ms) {
                    faults.push(format!("{lines}: waited {waited_ms}"));
                }
            }
            let mut facts = finding.evidence.iter().map(|i| session.facts().get(*i as usize));
            if finding.evidence.len() < 2 || facts.any(|f| f.is_none()) || finding.repair.is_empty()
            {
                faults.push(format!("{lines}: {finding:?}"));
            }
            for locale in Locale::ALL {
                let speaker = Speaker { world: session.world(), locale };
                faults.extend(fault(locale, &speaker.problem(&finding.problem)));
            }
            for change in &finding.repair {
                let again = found(&changed(&program, change), program.until_ms);
                if again.iter().any(|f| kind(&f.problem) == kind(&finding.problem)) {
                    faults.push(format!("{lines}: {change:?} leaves {again:?}"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n\n"));
}

/// Runs that look alike and in which nobody waited for long, or for what somebody asked for.
const HEALTHY: &[&str] = &[
    "group billing reads orders fifo, handles in 5s
consumer c1 in billing grpc push
at 10s p1 sends A1 A2 A3
at 12s c1 stops
at 13s c2 joins billing grpc push
run until 300s",
    "group billing reads orders orderly, handles in 10ms
consumer c1 in billing
at 10s cut c1 from broker
at 15s p1 sends A1 A2 A3
at 20s heal c1 and broker
run until 200s",
    // A cut from which nobody suffers.
    "group billing reads orders orderly, handles in 70s
consumer c1 in billing
at 9s p1 sends A1 A2
at 10s cut c1 from p1
at 75s heal c1 and p1
run until 200s",
    "group billing reads orders fifo, handles in 70s
consumer c1 in billing grpc push
at 9s p1 sends A1 A2
run until 200s",
    "group billing reads orders fifo, retry-policy customized 60s
consumer c1 in billing grpc push
at 9s p1 sends A1 A2
at 9s A1 fails once
run until 200s",
    "group billing reads orders fifo
consumer c1 in billing simple
at 10s p1 sends A1 A2
at 11s c1 receives max-message-num 1 invisible-duration 60s
at 50s c1 acks A1
at 51s c1 receives max-message-num 1 invisible-duration 60s
at 52s c1 acks A2
run until 60s",
    "series A without message-group
group billing reads orders orderly
consumer c1 in billing
at 10s p1 sends A1 in a transaction that stays open, checks answered unknown commit
run until 300s",
];

#[test]
fn what_only_looks_alike_is_not_found() {
    for lines in HEALTHY {
        let program = program(lines);
        let findings = found(&play(&program), program.until_ms);
        assert!(findings.is_empty(), "{lines}: {findings:?}");
    }
}
