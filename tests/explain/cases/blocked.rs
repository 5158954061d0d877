//! What blocks, and for how long.

use lockstep_core::command::{Command, GroupSetting};
use lockstep_core::explain::{
    named, offers, why_not, Bound, Change, Collateral, Doing, Effect, Headline, LockState, Reason,
    Rule, Run, Wanted, WhyNot,
};
use lockstep_core::fact::{Fact, StopKind};

use super::{explain, reason, run_to, POISON};

#[test]
fn a_poison_message_is_told_with_its_chain_its_collateral_and_its_ways_out() {
    let (session, ledger) = run_to(POISON, 6_000);
    let b1 = explain(&session, &ledger, "B1");
    match b1.headline.reason() {
        Some(Reason::Behind {
            doing: Doing::Suspended { failures: 2, .. },
            same_group,
            between,
            ..
        }) => {
            assert!(!same_group);
            assert_eq!(between, 1);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(b1.rule, Rule::Suspend);
    let facts: Vec<Fact> =
        b1.causes.iter().map(|c| session.facts()[c.fact as usize].fact).collect();
    assert!(matches!(facts[0], Fact::QueueSuspended { failures: 2, .. }), "{facts:?}");
    assert!(matches!(facts[1], Fact::HandlingEnded { .. }), "{facts:?}");
    // The roots: the sends, and the script that makes A2 fail.
    let commands: Vec<u32> = b1.causes.iter().filter_map(|c| c.command).collect();
    assert_eq!(commands.len(), 2, "{commands:?}");
    assert!(matches!(session.journal()[commands[1] as usize].1, Command::Handle(_)));
    // A3 of the same message group, B2 of another one; B1 itself and A2 are not counted.
    let behind = b1.causes.iter().find_map(|c| match session.facts()[c.fact as usize].fact {
        Fact::HandlingEnded { msg, .. } => Some(msg),
        _ => None,
    });
    let with = Collateral { behind, same_group: 1, others: 1, other_groups: 1, more: false };
    assert_eq!(b1.collateral, with);
    let offered = offers(&session, &b1);
    let has = |wanted: &dyn Fn(&Change) -> bool| offered.iter().any(|(one, _)| wanted(&one.change));
    let limit = |c: &Change| {
        matches!(c, Change::Now(commands) if matches!(commands[0],
            Command::SetGroup { setting: GroupSetting::MaxReconsumeTimes(2), .. }))
    };
    let succeeds = |c: &Change| matches!(c, Change::Now(c) if matches!(c[0], Command::Handle(_)));
    let skips =
        |c: &Change| matches!(c, Change::Now(c) if matches!(c[0], Command::ResetOffset { .. }));
    assert!(has(&limit) && has(&succeeds) && has(&skips), "{offered:#?}");
    assert!(has(&|c| matches!(c, Change::Blocking(_))));
    for (one, tried) in &offered {
        assert!(matches!(one.effect, Effect::Handled { .. }));
        assert!(tried.works && tried.without_ms.is_none(), "{tried:?}");
    }
}

#[test]
fn in_the_articles_model_only_the_message_group_waits() {
    let text = format!("model documents\n{POISON}");
    match reason(&text, 6_000, "A3") {
        Reason::Behind { same_group: true, doing: Doing::Suspended { .. }, .. } => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(reason(&text, 9_000, "B2"), Reason::Done);
}

#[test]
fn a_dead_owner_is_named_with_its_lease() {
    let text = format!("{POISON}at 5s c1 crashes\nat 6s c2 joins billing\n");
    let (session, ledger) = run_to(&text, 10_000);
    let a2 = explain(&session, &ledger, "A2");
    match a2.headline.reason() {
        Some(Reason::LockHeld { gone: true, until_ms, .. }) => assert_eq!(until_ms, 61_000),
        other => panic!("{other:?}"),
    }
    assert_eq!(a2.rule, Rule::Lease);
    let facts: Vec<Fact> =
        a2.causes.iter().map(|c| session.facts()[c.fact as usize].fact).collect();
    assert!(facts.iter().any(|f| matches!(f, Fact::ConsumerStopped { how: StopKind::Crash, .. })));
    assert!(facts.iter().any(|f| matches!(f, Fact::LockRefused { .. })));
    let lock = explain(&session, &ledger, "lock q0");
    assert!(matches!(
        lock.headline,
        Headline::Lock { state: LockState::Held { gone: true, .. }, .. }
    ));
    let run = Run::of(&session, &ledger);
    let queue = named(&run, &["q0"], None).unwrap()[0];
    let c2 = session.world().shared.names.client("c2").unwrap();
    match why_not(&run, queue, Wanted::Owner(c2)).unwrap() {
        WhyNot::Because(because) => {
            let reason = because.headline.reason();
            assert!(matches!(reason, Some(Reason::LockHeld { gone: true, .. })), "{reason:?}");
        }
        WhyNot::ItIs => panic!("c2 has it"),
    }
}

#[test]
fn what_is_in_the_way_of_a_standing_group_is_told() {
    let base = POISON.replace("at 2s    A2 fails always\n", "");
    let with = |line: &str| format!("{base}{line}\n");
    let at = |text: &str, at_ms, words| reason(text, at_ms, words);
    assert_eq!(at(&with("at 1s billing pauses"), 30_000, "A1"), Reason::Paused);
    let text = with("at 2s c1 hangs");
    assert!(matches!(at(&text, 10_000, "A1"), Reason::Hangs { .. }));
    let text = with("at 2s cut c1 from broker");
    assert!(matches!(at(&text, 10_000, "A1"), Reason::CutOff { .. }));
    let text = with("at 3.5s broker stops").replace("consumer c1 in billing\n", "");
    assert!(matches!(at(&text, 10_000, "A1"), Reason::BrokerDown { .. }));
    let text = with("at 2s c1 stops");
    assert!(matches!(
        at(&text, 10_000, "A1"),
        Reason::NoConsumer { last: Some((_, StopKind::Clean)) }
    ));
    let text = base.replace("consumer c1 in billing\n", "");
    assert_eq!(at(&text, 10_000, "A1"), Reason::NoConsumer { last: None });
    let text = base.replace("consumer c1 in billing\n", "at 4s c1 joins billing\n");
    assert!(matches!(at(&text, 4_500, "A1"), Reason::Starting { at_ms: 5_000, .. }));
    let text = base.replace("reads orders orderly", "reads nothing orderly");
    let (session, ledger) = run_to(&text, 10_000);
    let a1 = explain(&session, &ledger, "A1");
    assert!(matches!(
        a1.headline,
        Headline::Message { group: None, reason: Reason::NotSubscribed, .. }
    ));
}

#[test]
fn delays_and_types_are_told() {
    let text = "\
topic    orders DELAY 2 queues
group    billing reads orders orderly
producer p1 selects by hash
consumer c1 in billing
at 3s    p1 sends A1, delay level 3
at 4s    p1 sends A2, delay level 3
";
    match reason(text, 5_000, "A2") {
        Reason::Scheduled { level: 3, before: 1, bound: Bound::Queue, .. } => {}
        other => panic!("{other:?}"),
    }
    let (session, ledger) = run_to(text, 5_000);
    let level = explain(&session, &ledger, "level 3");
    assert_eq!(level.rule, Rule::DelayLevel);
    let text = "\
topic    orders FIFO 2 queues
series   N without message-group
group    billing reads orders fifo
producer p1
at 3s    p1 sends N1
";
    let (session, ledger) = run_to(text, 4_000);
    let refused = explain(&session, &ledger, "N1");
    assert!(matches!(refused.headline.reason(), Some(Reason::SendFailed { .. })));
    assert_eq!(refused.rule, Rule::MessageType);
    assert_eq!(offers(&session, &refused).len(), 1);
}

#[test]
fn a_consumer_that_is_refused_the_lock_of_a_queue_waits() {
    let text = format!("{POISON}at 5s c1 crashes\nat 6s c2 joins billing\n");
    let (session, ledger) = run_to(&text, 10_000);
    let c2 = explain(&session, &ledger, "c2");
    assert!(matches!(c2.headline.reason(), Some(Reason::LockHeld { gone: true, .. })), "{c2:?}");
}

#[test]
fn a_rollback_suspends_its_queue_without_a_failure() {
    let text = "\
group    g reads orders orderly, autocommit off, handles in 100ms
consumer c1 in g
at 3s    p1 sends A1 A2 A3
at 3s    A2 returns rollback once
run      until 30s
";
    assert!(matches!(reason(text, 3_950, "A1"), Reason::Suspended { failures: 0, .. }));
    match reason(text, 3_950, "A2") {
        Reason::Behind { doing: Doing::Suspended { failures: 0, .. }, .. } => {}
        other => panic!("{other:?}"),
    }
}
