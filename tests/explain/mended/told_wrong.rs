//! Sentences that named the wrong one: who went last, what passed a message over, who has the thread.

use lockstep_core::command::Command;
use lockstep_core::explain::diagnose::{Held, Problem};
use lockstep_core::explain::{named, Change, Ledger, PassedBy, Reason, Run, Unnamed, WorkState};
use lockstep_core::explain::{Headline, Rule};
use lockstep_core::fact::{Fact, StopKind};

use super::in_vain::SHORT;
use super::{at, commands, find, findings, has_cause, offered, played, reason_at, with};

const GOES: &str = "\
topic orders FIFO 2 queues
series A message-group order-1001
producer p1 selects by hash
group billing reads orders orderly, suspend 30s
consumer c1 in billing
consumer c2 in billing
at 3s p1 sends A1
at 5s c2 stops
at 6s c1 crashes
at 7s p1 sends A2
run until 30s
";

#[test]
fn of_several_that_are_gone_the_last_to_go_is_named() {
    let stops = GOES.replace("c1 crashes", "c1 stops");
    let grpc = GOES.replace("orderly, suspend 30s", "fifo");
    let grpc = grpc.replace(" in billing\n", " in billing grpc push\n");
    // No receive of theirs is held any more.
    let grpc = grpc.replace("at 7s", "at 70s").replace("until 30s", "until 90s");
    let grpc = grpc.replace("c2 stops", "c2 crashes");
    for (text, at_ms, wanted) in [
        (GOES, 25_000, StopKind::Crash),
        (&stops, 25_000, StopKind::Clean),
        (&grpc, 80_000, StopKind::Crash),
    ] {
        for thing in ["A2", "group billing"] {
            let one = at(text, at_ms, thing);
            let Some(Reason::NoConsumer { last: Some((client, how)) }) = one.1.headline.reason()
            else {
                panic!("{text}{thing}: {:?}", one.1.headline)
            };
            let name = &one.0.world().shared.names.clients[client.index()];
            assert_eq!((name.as_str(), how), ("c1", wanted), "{text}{thing}");
            let ends =
                |f: &Fact| matches!(*f, Fact::ConsumerStopped { client: of, .. } if of == client);
            assert!(has_cause(&one, ends), "{thing}");
        }
    }
}

#[test]
fn what_a_pending_reset_went_past_was_passed_by_the_reset() {
    let text = "\
series A message-group order-1
group billing reads orders orderly, from first
consumer c1 in billing
set pullThresholdForQueue 20
at 2s A1 takes 40s once
at 3s p1 sends A1..A100
at 20s reset billing to latest
run until 60s
";
    let one = at(text, 50_000, "A50");
    assert_eq!(one.1.headline.reason(), Some(Reason::Passed { by: PassedBy::Reset }));
    assert_eq!(one.1.rule, Rule::Reset);
    assert!(commands(&one).iter().any(|c| matches!(c, Command::ResetOffset { .. })));
}

/// One thread, and A has it for a minute at a time.
const STARVES: &str = "\
topic orders FIFO 4 queues
series A message-group order-1001
series B message-group order-1003
producer p1 selects by hash
group billing reads orders orderly, threads 1, handles in 1s
consumer c1 in billing
at 3s p1 sends A1..A100
at 4s p1 sends B1
run until 200s
";

#[test]
fn who_has_the_thread_is_told_and_how_long_it_may_have_it() {
    let one = at(STARVES, 30_000, "B1");
    assert!(matches!(one.1.headline.reason(), Some(Reason::NoThread { .. })));
    let has = |f: &Fact| match *f {
        Fact::HandlingStarted { msg, .. } => {
            one.0.world().shared.label(msg).to_string().starts_with('A')
        }
        _ => false,
    };
    assert!(has_cause(&one, has), "{:?}", one.1.causes);
    let limit = "rocketmq.client.maxTimeConsumeContinuously";
    assert!(one.1.constants.iter().any(|c| c.name == limit));
}

#[test]
fn a_queue_that_no_thread_came_to_is_found_with_more_threads() {
    let starved = |p: &Problem| {
        matches!(p, Problem::Held { by: Held::Threads { threads: 1, .. }, waited_ms: 55_000.., .. })
    };
    let one = find(STARVES, |f| starved(&f.problem));
    let [repair] = &one.repair[..] else { panic!("{one:?}") };
    assert!(super::handled_at(&with(STARVES, repair), "B1").unwrap() < 5_000);
    let enough = STARVES.replace("threads 1", "threads 2");
    assert!(!findings(&enough).iter().any(|f| starved(&f.problem)));
}

#[test]
fn a_half_message_that_the_power_took_is_found() {
    let text = "\
topic orders 2 queues
series A message-group order-1001
producer p1 selects by hash
group billing reads orders orderly, from first
consumer c1 in billing
at 3s p1 sends A1 in a transaction that commits after 50s
at 5s broker loses power
at 20s broker starts
run until 150s
";
    let one = find(text, |f| matches!(f.problem, Problem::HalfLost { messages: 1, .. }));
    let [repair] = &one.repair[..] else { panic!("{one:?}") };
    assert!(super::handled_at(&with(text, repair), "A1").is_some());
    let early = text.replace("after 50s", "after 500ms");
    assert!(!findings(&early).iter().any(|f| matches!(f.problem, Problem::HalfLost { .. })));
}

#[test]
fn a_late_unlock_is_part_of_what_a_hand_over_costs() {
    let text = "\
model 5.1
topic orders FIFO 4 queues
series A message-group order-1001
series B message-group order-1003
producer p1 selects by hash
group billing reads orders orderly, handles in 3s
consumer c1 in billing
at 3s p1 sends A1..A10 B1..B10
at 10s c2 joins billing
run until 100s
";
    let one = find(text, |f| {
        matches!(f.problem, Problem::Held { by: Held::HandOver { delayed_ms: 20_000, .. }, .. })
    });
    let unlocks = |change: &Change| {
        match change {
        Change::From { commands, .. } => commands.iter().any(|c| {
            matches!(c, Command::SetConstant { name, .. } if name.ends_with("unlockDelayTimeMills"))
        }),
        _ => false,
    }
    };
    assert!(one.repair.iter().any(unlocks), "{one:?}");
}

#[test]
fn a_hand_over_is_not_charged_with_what_nobody_may_read_any_more() {
    let text = "\
topic orders FIFO 4 queues
series A message-group order-1001
series B message-group order-1003
series C message-group order-42
producer p1 selects by hash
group billing reads orders orderly, handles in 2s
consumer c1 in billing
consumer c2 in billing
at 3s p1 sends A1..A20 B1..B20 C1..C20 every 200ms
at 5s orders 8 queues
at 60s orders 2 queues
run until 200s
";
    for found in findings(text) {
        if let Problem::Held { by: Held::HandOver { .. }, waited_ms, .. } = found.problem {
            assert!(waited_ms < 30_000, "{found:?}");
        }
    }
}

#[test]
fn a_call_that_still_runs_is_not_told_as_over() {
    let text = "\
series A message-group order-1
group billing reads orders orderly
consumer c1 in billing
at 2s A1 takes 300s once
at 3s p1 sends A1 A2
run until 200s
";
    let runs = |wanted: bool| move |f: &lockstep_core::explain::diagnose::Finding| matches!(f.problem, Problem::Slow { runs, .. } if runs == wanted);
    find(text, runs(true));
    find(&text.replace("until 200s", "until 400s"), runs(false));
}

#[test]
fn a_rolled_back_message_has_an_offer_of_its_own() {
    let text = "\
series A message-group order-1
group billing reads orders orderly, autocommit off
consumer c1 in billing
at 2s A2 returns rollback always
at 3s p1 sends A1 A2 A3
run until 60s
";
    let one = at(text, 10_000, "A2");
    let commits = |c: &Command| matches!(c, Command::Handle(_));
    assert!(super::now(&offered(&one), commits), "{:?}", one.1.headline);
}

#[test]
fn a_consumer_does_not_wait_for_what_another_handles_in_a_queue_of_its_own() {
    let text = "\
topic orders FIFO 2 queues
series A message-group order-1001
series B message-group order-1003
producer p1 selects by hash
group billing reads orders orderly, handles in 3s
consumer c1 in billing
at 3s p1 sends A1..A10 B1..B3
at 10s clock of c1 40s ahead
at 30s clock of broker 70s ahead
at 35s c2 joins billing
run until 100s
";
    let c1 = at(text, 40_000, "c1");
    let Headline::Consumer { client, state } = c1.1.headline else { panic!() };
    if let WorkState::Waits { reason, .. } = state {
        assert!(
            !matches!(reason, Reason::Handled { client: of, .. } if of != client),
            "{reason:?}"
        );
    }
}

#[test]
fn the_nearest_name_is_never_the_word_itself() {
    let session = played(GOES);
    let ledger = Ledger::of(session.facts());
    let run = Run::of(&session, &ledger);
    let found = named(&run, &["broker"], None);
    let word = "broker".to_owned();
    assert_eq!(found, Err(Unnamed::Nothing { word, nearest: None }));
    assert!(matches!(reason_at(GOES, 25_000, "A2"), Reason::NoConsumer { .. }));
}

#[test]
fn no_limit_is_offered_to_what_comes_too_late_each_time() {
    let one = find(SHORT, |f| matches!(f.problem, Problem::GivenUp { .. }));
    let [repair] = &one.repair[..] else { panic!("{one:?}") };
    let after = with(SHORT, repair);
    assert!(!after.facts().iter().any(|r| matches!(r.fact, Fact::DeadLettered { .. })));
}
