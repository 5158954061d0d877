//! A queue that its owner gives away while its listener runs.

use lockstep_core::command::Command;
use lockstep_core::explain::diagnose::{Held, Problem};
use lockstep_core::explain::{Change, Reason};
use lockstep_core::fact::Fact;

use super::{at, find, findings, handled_at, has_cause, offered, reason_at, with};

/// c0 comes before c1 and is given the only queue, whose listener runs when c1 tries to part with it.
const JOINS: &str = "\
series A message-group order-1
group billing reads orders orderly, handles in 3s
consumer c1 in billing
at 2s p1 sends A1..A4
at 3s c0 joins billing
run until 120s
";

#[test]
fn a_queue_that_could_not_be_given_away_is_told_with_the_call_and_the_next_try() {
    let called = reason_at(JOINS, 4_000, "A2");
    let Reason::Leaving { call_ms: Some(5_000), round_ms: Some(round_ms), .. } = called else {
        panic!("{called:?}")
    };
    let one = at(JOINS, 12_000, "A2");
    let told = one.1.headline.reason().unwrap();
    assert!(
        matches!(told, Reason::Leaving { call_ms: None, round_ms: Some(at), .. } if at == round_ms),
        "{told:?}"
    );
    assert!(has_cause(&one, |f| matches!(f, Fact::ReleasePostponed { .. })));
    assert!(has_cause(&one, |f| matches!(f, Fact::HandlingStarted { .. })));
    let session = super::played(JOINS);
    let postponed = session.facts().iter().find_map(|r| match r.fact {
        Fact::ReleasePostponed { queue, .. } => Some(queue),
        _ => None,
    });
    let removed = session
        .facts()
        .iter()
        .find(|r| matches!(r.fact, Fact::QueueRemoved { queue, .. } if Some(queue) == postponed));
    assert_eq!(removed.map(|r| r.at_ms), Some(round_ms));
}

#[test]
fn what_moves_a_queue_that_could_not_be_given_away_is_offered() {
    let one = at(JOINS, 12_000, "A2");
    let offers = offered(&one);
    let shorter = |change: &Change| matches!(change, Change::From { commands, .. } if matches!(commands[..], [Command::Handle(_)]));
    let sooner = |change: &Change| matches!(change, Change::From { commands, .. } if matches!(commands[..], [Command::SetConstant { .. }]));
    assert!(offers.iter().any(|one| shorter(&one.change)), "{offers:?}");
    assert!(offers.iter().any(|one| sooner(&one.change)), "{offers:?}");
}

#[test]
fn a_standstill_by_a_hand_over_is_found() {
    let old = format!("model 4.9\n{JOINS}");
    for (text, least_ms) in [(JOINS, 15_000), (&old, 30_000)] {
        let one = find(
            text,
            |f| matches!(f.problem, Problem::Held { by: Held::HandOver { .. }, waited_ms, .. } if waited_ms >= least_ms),
        );
        assert!(!one.repair.is_empty(), "{text}");
        let began = handled_at(&super::played(text), "A2").unwrap();
        for change in &one.repair {
            assert!(handled_at(&with(text, change), "A2").unwrap() < began, "{change:?}");
        }
    }
    // A call that ends while the round waits for it makes nobody wait.
    let short = JOINS.replace("handles in 3s", "handles in 300ms");
    assert!(findings(&short).is_empty(), "{:?}", findings(&short));
}
