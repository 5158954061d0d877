//! A group that does not keep up: its lag is found with the rates, and what makes it keep up.

use lockstep_core::explain::diagnose::Problem;
use lockstep_core::explain::{Effect, Reason};
use lockstep_core::fact::Fact;
use lockstep_core::ids::Ms;

use super::{at, find, findings, offered, played, with};

/// Two messages a second come, and one is handled.
const SLOW: &str = "\
topic orders FIFO 1 queue
group billing reads orders orderly, handles in 1s, from first
producer p1
consumer c1 in billing
at 1s p1 sends 400 messages over 10 groups, 2 a second
run until 150s
";

fn is_lag(problem: &Problem) -> bool {
    matches!(problem, Problem::FallsBehind { .. })
}

/// Messages that are stored and were never begun.
fn waiting(session: &lockstep_core::session::Session) -> usize {
    let of = |is_it: fn(&Fact) -> bool| session.facts().iter().filter(|r| is_it(&r.fact)).count();
    of(|f| matches!(f, Fact::MessageStored { .. }))
        - of(|f| matches!(f, Fact::HandlingStarted { .. }))
}

#[test]
fn a_lag_that_grows_is_found_with_the_rates_and_repaired() {
    let grpc = SLOW.replace("orderly", "fifo").replace("c1 in billing", "c1 in billing grpc push");
    let one = SLOW.replace("over 10 groups", "over 1 groups");
    let threads =
        SLOW.replace("1 queue", "4 queues").replace("c1 in billing", "c1 in billing 1 thread");
    for text in [SLOW, &grpc, &one.replace("1 groups", "1 group"), &threads] {
        let found = find(text, |f| is_lag(&f.problem));
        let Problem::FallsBehind { came, handled, waiting: lag, .. } = found.problem else {
            panic!("{found:?}");
        };
        assert_eq!(came, 120, "{text}");
        assert!((55..=65).contains(&handled), "{text}{handled}");
        assert_eq!(lag as usize, waiting(&played(text)), "{text}");
        assert!(!found.repair.is_empty(), "{text}{found:?}");
        for change in &found.repair {
            let left = waiting(&with(text, change));
            assert!(left * 4 <= lag as usize, "{text}{change:?} leaves {left} of {lag}");
        }
    }
}

#[test]
fn what_is_worked_off_or_stands_is_no_lag_that_grows() {
    let fast = SLOW.replace("handles in 1s", "handles in 400ms");
    let burst = SLOW.replace("400 messages", "100 messages").replace("2 a second", "50 a second");
    let stands = SLOW.replace("run until", "at 60s c1 hangs\nrun until");
    let stops = SLOW.replace("run until", "at 20s cut c1 from broker\nrun until");
    for text in [&fast, &burst, &stands, &stops] {
        assert!(!findings(text).iter().any(|f| is_lag(&f.problem)), "{text}");
    }
}

#[test]
fn behind_many_others_their_number_is_told_and_nothing_that_hardly_helps() {
    let told = at(SLOW, 100_000, "message-group H");
    assert!(told.1.headline.reason().is_some());
    for (label, many) in [("E12", true), ("G12", false)] {
        let told = at(SLOW, 95_000, label);
        let Some(Reason::Behind { between, .. }) = told.1.headline.reason() else { continue };
        assert_eq!(between > 20, many, "{label}");
        let present_ms = told.0.world().now_ms();
        for one in offered(&told) {
            let Effect::Handled { .. } = one.effect else { continue };
            let attempt = lockstep_core::explain::attempt(&told.0, &one);
            let (Some(with_ms), Some(without_ms)) = (attempt.with_ms, attempt.without_ms) else {
                continue;
            };
            let saved: Ms = without_ms - with_ms;
            assert!(saved * 20 > without_ms - present_ms, "{label}: {one:?} {attempt:?}");
        }
    }
}
