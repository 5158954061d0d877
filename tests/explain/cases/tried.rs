//! What is offered, tried at the instant that is asked about.

use lockstep::i18n::sentence::Speaker;
use lockstep::i18n::Locale;
use lockstep_core::command::Command;
use lockstep_core::explain::{
    named, offers, offers_at, why, with_change, Change, PassedBy, Reason, Run,
};
use lockstep_core::fact::{Fact, StopKind};
use lockstep_core::pop::{PopCommand, PopFact};

use super::{explain, offered, reason, run_to};

const FILTERED: &str = "\
group    billing reads orders tagged b orderly, handles in 100ms
consumer c1 in billing
at 3s    p1 sends A1, tag a
at 3s    p1 sends A2, tag b
run      until 20s
";

#[test]
fn what_a_filter_passes_over_is_delivered_without_the_filter() {
    let reason = reason(FILTERED, 10_000, "A1");
    assert_eq!(reason, Reason::Passed { by: PassedBy::Filter });
    let changes = offered(FILTERED, 10_000, "A1");
    let [Change::Instead(others)] = &changes[..] else { panic!("{changes:?}") };
    let (_, Command::CreateGroup { subscriptions, .. }) = &others[0] else { panic!("{others:?}") };
    assert!(subscriptions.iter().all(|s| s.tags.is_empty()), "{subscriptions:?}");
}

#[test]
fn a_silent_member_comes_back_or_had_ended_cleanly() {
    let text = "\
topic    orders FIFO 2 queues
group    billing reads orders orderly, handles in 100ms
producer p1
consumer c1 in billing
consumer c2 in billing
at 3s    p1 sends A1 B1
at 10s   c1 vanishes
at 12s   p1 sends A2 B2 C1 D1
run      until 200s
";
    assert!(matches!(reason(text, 90_000, "B2"), Reason::OfAbsentMember { .. }));
    let changes = offered(text, 90_000, "B2");
    let starts =
        |c: &Change| matches!(c, Change::Now(c) if matches!(c[0], Command::StartConsumer { .. }));
    let clean = |c: &Change| {
        matches!(c, Change::Instead(others)
            if matches!(others[0].1, Command::StopConsumer { how: StopKind::Clean, .. }))
    };
    assert!(changes.iter().any(starts) && changes.iter().any(clean), "{changes:?}");
}

const BY_HAND: &str = "\
group    billing reads orders fifo
consumer s1 in billing simple
at 3s    p1 sends A1
at 5s    s1 receives invisible-duration 30s
run      until 60s
";

#[test]
fn an_act_is_tried_at_the_instant_that_is_asked_about() {
    for at_ms in [4_500, 15_000] {
        let (session, ledger) = run_to(BY_HAND, at_ms);
        assert!(session.world().now_ms() < at_ms, "an event stands at {at_ms}");
        let mut world = session.world().clone();
        world.wait_until(at_ms);
        let run = Run { world: &world, ..Run::of(&session, &ledger) };
        let about = named(&run, &["A1"], None).unwrap()[0];
        let a1 = why(&run, about).unwrap();
        let offered = offers_at(&session, &world, &a1.counterfactuals);
        let now = |c: &Change| matches!(c, Change::Now(_));
        let tried = offered.iter().find(|(one, _)| now(&one.change)).map(|(_, tried)| tried);
        assert_eq!(tried.and_then(|t| t.with_ms), Some(at_ms), "{offered:?}");
    }
}

#[test]
fn without_the_change_it_comes_after_the_instant_that_is_asked_about() {
    let push = "\
group    billing reads orders fifo, handles in 300ms, retry-max-times 2
consumer c1 in billing grpc push
at 4s    A2 fails twice
at 5s    p1 sends A1 A2 B1
run      until 60s
";
    let (session, ledger) = run_to(push, 5_500);
    let b1 = explain(&session, &ledger, "B1");
    let offered = offers(&session, &b1);
    assert!(offered.iter().any(|(one, _)| matches!(one.change, Change::Blocking(_))));
    for (one, tried) in offered {
        assert!(tried.without_ms.is_none_or(|ms| ms > 5_500), "{one:?}: {tried:?}");
    }
}

#[test]
fn a_long_handler_is_not_shortened_by_success() {
    let text = "\
topic    orders FIFO 2 queues
group    billing reads orders fifo, handles in 100ms
producer p1
consumer c1 in billing grpc push
consumer c2 in billing grpc push
at 2s    A1 takes 30s once
at 3s    p1 sends A1 A2 A3
at 5s    c1 vanishes
at 5s    c2 vanishes
run      until 300s
";
    let changes = offered(text, 40_000, "A1");
    let scripts = changes.iter().filter_map(|change| match change {
        Change::From { commands, .. } => match &commands[0] {
            Command::Handle(rule) => Some((rule.outcome, rule.handle_ms)),
            _ => None,
        },
        _ => None,
    });
    assert_eq!(scripts.collect::<Vec<_>>(), [(None, Some(0))], "{changes:?}");
}

#[test]
fn time_does_not_go_on_over_an_event() {
    let (session, _) = run_to(BY_HAND, 4_500);
    let mut world = session.world().clone();
    let now_ms = world.now_ms();
    for at_ms in [0, 5_000, 1_000_000] {
        world.wait_until(at_ms);
        assert_eq!(world.now_ms(), now_ms);
    }
}

/// A receive by hand at an instant without events, and nothing that cannot be so: an acknowledgement of
/// the same instant comes before the answer.
#[test]
fn what_is_pasted_and_what_is_done_now_come_to_what_was_offered() {
    let scenario = BY_HAND.replace("at 5s    s1 receives invisible-duration 30s\n", "");
    let at_ms = 15_749;
    let (mut session, ledger) = run_to(&scenario, at_ms);
    assert!(session.world().now_ms() < at_ms);
    let mut world = session.world().clone();
    world.wait_until(at_ms);
    let run = Run { world: &world, ..Run::of(&session, &ledger) };
    let about = named(&run, &["A1"], None).unwrap()[0];
    let a1 = why(&run, about).unwrap();
    let offered = offers_at(&session, &world, &a1.counterfactuals);
    let [(one, tried)] = &offered[..] else { panic!("{offered:?}") };
    let Change::Now(commands) = &one.change else { panic!("{one:?}") };
    let [Command::Pop(PopCommand::Receive { .. })] = &commands[..] else { panic!("{commands:?}") };
    assert_eq!(tried.with_ms, Some(at_ms));
    for locale in Locale::ALL {
        let said = Speaker { world: &world, locale }.effect(one, tried);
        assert!(
            said.contains(locale.pick("is given A1 at 00:15.749", "00:15.749 收到 A1")),
            "{said}"
        );
    }
    let beside = with_change(&session, &one.change, at_ms);
    session.inject_at(at_ms, commands[0].clone());
    let pasted = format!("{scenario}at {at_ms}ms s1 receives max-message-num 32, invisible-duration 30s, await-duration 5s\n");
    let (pasted, _) = run_to(&pasted, 60_000);
    for mut run in [session, beside, pasted] {
        run.run_until(60_000);
        let facts = run.facts().iter();
        let is = |f: &Fact| matches!(f, Fact::Pop(PopFact::Received { .. }));
        let received: Vec<_> = facts.filter(|r| is(&r.fact)).map(|r| r.at_ms).collect();
        assert_eq!(received, [at_ms]);
    }
}
