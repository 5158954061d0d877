//! Consumers of both stacks in one consumer group, and the circle of an orderly message by the retry topic.

use lockstep_core::command::Command;
use lockstep_core::explain::diagnose::{diagnose, Finding, Problem};
use lockstep_core::explain::{Bound, Change, Reason};

use super::{explain, offered, reason, run_to};

/// A classic consumer handles A1 under its lock while a push consumer is handed the same queue by POP.
const MIXED: &str = "\
group    billing reads orders fifo, handles in 5s
consumer c1 in billing
consumer c2 in billing grpc push
at 3s    p1 sends A1 A2 A3
run      until 60s
";

fn findings(text: &str, until_ms: i64) -> Vec<Finding> {
    let (session, ledger) = run_to(text, until_ms);
    diagnose(&session, &ledger, until_ms)
}

#[test]
fn two_stacks_in_one_group_are_named_as_what_is_wrong() {
    let all = findings(MIXED, 60_000);
    let mixed = |f: &&Finding| matches!(f.problem, Problem::MixedStacks { .. });
    let one = all.iter().find(mixed).unwrap_or_else(|| panic!("{all:?}"));
    assert!(one.evidence.len() >= 2 && !one.repair.is_empty(), "{one:?}");
    // That another call were shorter mends nothing: the next overlap comes.
    let shorter = |c: &Change| matches!(c, Change::From { commands, .. } if commands.iter().any(|c| matches!(c, Command::Handle(r) if r.handle_ms.is_some())));
    for finding in &all {
        assert!(!finding.repair.iter().any(shorter), "{finding:?}");
        assert!(!matches!(finding.problem, Problem::TwoOwners { .. }), "{finding:?}");
    }
}

#[test]
fn each_stack_alone_is_not_mixed() {
    for text in [MIXED.replace(" grpc push", ""), MIXED.replace("consumer c1 in billing\n", "")] {
        let all = findings(&text, 60_000);
        assert!(all.is_empty(), "{all:?}");
    }
}

/// A2 fails always: up to 5.1.0 its limit takes it to the retry topic, again and again.
const CIRCLE: &str = "\
model    5.0.0
topic    orders FIFO 1 queue
group    billing reads orders orderly, handles in 100ms, max-reconsume-times 1
producer p1
consumer c1 in billing
at 3s    p1 sends A1 A2 B1
at 3s    A2 fails always
run      until 600s
";

#[test]
fn the_circle_of_an_orderly_message_is_named() {
    let goes_round = |r: Reason| matches!(r, Reason::Scheduled { bound: Bound::Round, .. });
    let (session, ledger) = run_to(CIRCLE, 300_000);
    let a2 = explain(&session, &ledger, "A2");
    assert!(goes_round(a2.headline.reason().unwrap()), "{:?}", a2.headline);
    assert_eq!(a2.rule, lockstep_core::explain::Rule::LimitGoesRound);
    assert!(offered(CIRCLE, 300_000, "A2").iter().any(|c| matches!(c, Change::Release(_))));
    // Whoever listens concurrently is meant to go that way.
    let concurrent = CIRCLE.replace("orderly", "concurrent").replace("times 1", "times 20");
    assert!(!goes_round(reason(&concurrent, 300_000, "A2")));
}

#[test]
fn the_circle_is_diagnosed_where_nothing_else_of_its_group_follows() {
    let alone = CIRCLE.replace("A1 A2 B1", "A2");
    for text in [CIRCLE, &alone] {
        let all = findings(text, 600_000);
        let round = |f: &&Finding| matches!(f.problem, Problem::GoesRound { times: 2.., .. });
        let one = all.iter().find(round).unwrap_or_else(|| panic!("{all:?}"));
        assert!(one.evidence.len() >= 2, "{one:?}");
        assert!(one.repair.iter().any(|c| matches!(c, Change::Release(_))), "{one:?}");
    }
    let newer = alone.replace("5.0.0", "5.1.4");
    let round = |f: &Finding| matches!(f.problem, Problem::GoesRound { .. });
    assert!(!findings(&newer, 600_000).iter().any(round));
}
