//! What decides beside the first reason: resets over what is in hand, calls whose results count for nothing,
//! and what keeps a repeated request from being served.

use lockstep_core::command::Command;
use lockstep_core::explain::diagnose::{Finding, Problem};
use lockstep_core::explain::{Doing, Explanation, Headline, Reason, Rule, Void, WorkState};
use lockstep_core::fact::Fact;
use lockstep_core::pop::{AckResult, PopFact};
use lockstep_core::session::Session;

use super::{at, commands, find, findings, has_cause, now, offered, played, reason_at, with};

fn also((_, told): &(Session, Explanation), is_it: impl Fn(&Reason) -> bool) -> bool {
    told.also.iter().any(|also| is_it(&also.reason))
}

/// c1 has A1..A6 in its cache when the group is reset behind them; its pull is held until 35 s.
const RESET: &str = "\
series A message-group order-1
group billing reads orders orderly, handles in 10s, from first
consumer c1 in billing
at 1s p1 sends A1..A6
at 25s reset billing in q0 to latest
run until 60s
";

#[test]
fn a_reset_over_what_is_cached_is_told_of_each_thing_that_waits_for_it() {
    let concurrent = RESET.replace("orderly", "concurrent, threads 1");
    for text in [RESET, &concurrent] {
        for thing in ["A3", "A5", "q0", "lock q0", "message-group A", "c1", "group billing"] {
            if thing == "lock q0" && text != RESET {
                continue;
            }
            let told = at(text, 26_000, thing);
            let drops = |reason: &Reason| {
                matches!(reason, Reason::ResetPending { offset: 6, drops: Some(_) })
            };
            assert!(also(&told, drops), "{text}{thing}: {:?}", told.1.also);
            let rules: Vec<Rule> = told.1.other_rules().map(|also| also.rule).collect();
            assert_eq!(rules, [Rule::PendingReset], "{thing}");
            assert!(has_cause(&told, |f| matches!(f, Fact::OffsetReset { .. })), "{thing}");
            let reset = |c: &Command| matches!(c, Command::ResetOffset { .. });
            assert!(commands(&told).iter().any(reset), "{thing}");
        }
        // Before it there is none, and behind it nothing of the queue is left.
        assert_eq!(at(text, 24_000, "A5").1.also, []);
        assert_eq!(at(text, 50_000, "A5").1.also, []);
    }
}

/// c1 is cut off with A1 in a long call; the broker gives the queue to c2, which begins A1 anew.
const TWICE: &str = "\
series A message-group order-1
group billing reads orders orderly, handles in 200s, from first
consumer c1 in billing
at 1s p1 sends A1 A2
at 5s cut c1 from broker
at 10s c2 joins billing
run until 300s
";

fn name(told: &(Session, Explanation), client: lockstep_core::ids::ClientId) -> &str {
    &told.0.world().shared.names.clients[client.index()]
}

#[test]
fn of_two_calls_for_one_message_the_one_that_counts_is_told_and_the_other_as_void() {
    for thing in ["A1", "q0", "A2", "message-group A"] {
        let told = at(TWICE, 190_000, thing);
        let by = match told.1.headline.reason() {
            Some(Reason::Handled { client, .. }) => client,
            Some(Reason::Behind { client, doing: Doing::Handled { until_ms }, .. }) => {
                assert!(until_ms > 300_000, "the end is that of the second call");
                client
            }
            other => panic!("{thing}: {other:?}"),
        };
        assert_eq!(name(&told, by), "c2", "{thing}");
        let void = told.1.also.iter().find_map(|also| match also.reason {
            Reason::VoidCall { client, why, .. } => Some((name(&told, client), why)),
            _ => None,
        });
        assert_eq!(void, Some(("c1", Void::Unaware)), "{thing}");
        let took = |f: &Fact| matches!(*f, Fact::HandlingStarted { client, .. } if client == by);
        assert!(has_cause(&told, took), "{thing}: {:?}", told.1.causes);
    }
}

#[test]
fn a_call_of_a_queue_that_was_given_away_is_told_as_void() {
    // The reset takes the queue from c1, which takes it anew and begins A1 again.
    let text = "\
series A message-group order-1
group billing reads orders concurrent, handles in 60s, from first
consumer c1 in billing
at 1s p1 sends A1 A2
at 5s reset billing in q0 to offset 0
run until 100s
";
    let told = at(text, 40_000, "A1");
    let Some(Reason::Handled { from_ms, .. }) = told.1.headline.reason() else {
        panic!("{:?}", told.1.headline);
    };
    assert!(from_ms > 5_000, "the newer call counts: {from_ms}");
    let parted = |reason: &Reason| matches!(reason, Reason::VoidCall { why: Void::Parted, .. });
    assert!(also(&told, parted), "{:?}", told.1.also);
}

/// The broker dies while A4 is handled: no acknowledgement gets through.
const CRASH: &str = "\
group billing reads orders fifo, handles in 1s, from first
consumer c1 in billing grpc push
at 1s p1 sends A1..A4 every 1s
at 4.5s broker crashes
run until 100s
";

#[test]
fn an_acknowledgement_that_no_broker_takes_is_told_with_the_crash_and_a_start() {
    for thing in ["A4", "q0", "c1"] {
        let told = at(CRASH, 20_000, thing);
        assert!(matches!(told.1.headline.reason(), Some(Reason::Acting { .. })), "{thing}");
        assert!(also(&told, |r| matches!(r, Reason::BrokerDown { .. })), "{thing}");
        let crash = |c: &Command| matches!(c, Command::StopBroker { .. });
        assert!(commands(&told).iter().any(crash), "{thing}");
        assert!(now(&offered(&told), |c| matches!(c, Command::StartBroker { .. })), "{thing}");
    }
    let cut = CRASH.replace("broker crashes", "cut proxy from broker");
    let told = at(&cut, 20_000, "A4");
    assert!(also(&told, |r| matches!(r, Reason::CutOff { .. })), "{:?}", told.1);
    assert!(now(&offered(&told), |c| matches!(c, Command::Heal { .. })));
}

#[test]
fn what_waits_behind_a_deleted_message_in_flight_waits_for_that() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/found/a-deleted-message-becomes-no-dead-letter.scn"
    );
    let text = std::fs::read_to_string(path).unwrap();
    let behind = reason_at(&text, 110_000, "B17");
    assert!(matches!(behind, Reason::BehindInvisible { .. }), "{behind:?}");
    let told = at(&text, 150_000, "A1");
    assert!(also(&told, |r| *r == Reason::Deleted), "{:?}", told.1.also);
    assert!(has_cause(&told, |f| matches!(f, Fact::MessageDeleted { .. })));
    // The disk as it was when the record was deleted, not as it is.
    for thing in ["A1", "B1"] {
        let disks: Vec<u8> = commands(&at(&text, 150_000, thing))
            .iter()
            .filter_map(|c| match c {
                Command::SetDisk { used_percent, .. } => Some(*used_percent),
                _ => None,
            })
            .collect();
        assert_eq!(disks, [86], "{thing}");
    }
}

#[test]
fn a_consumer_that_stops_and_still_handles_is_told_as_at_work() {
    let text = "\
group billing reads orders orderly, handles in 20s, await-termination 30s, from first
consumer c1 in billing
at 1s p1 sends A1..A3
at 10s c1 stops
run until 60s
";
    let told = at(text, 12_000, "c1");
    let Headline::Consumer { state: WorkState::Stopping { call: Some((msg, _)) }, .. } =
        told.1.headline
    else {
        panic!("{:?}", told.1.headline);
    };
    assert_eq!(told.0.world().shared.label(msg).to_string(), "A1");
    assert!(commands(&told).iter().any(|c| matches!(c, Command::StopConsumer { .. })));
}

#[test]
fn an_acknowledgement_that_a_full_disk_did_not_keep_is_told_with_the_disk() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/found/an-ack-on-a-full-disk.scn");
    let text = std::fs::read_to_string(path).unwrap();
    for thing in ["A1", "q0", "c1", "group G"] {
        let told = at(&text, 76_000, thing);
        assert!(matches!(told.1.headline.reason(), Some(Reason::Invisible { .. })), "{thing}");
        let unwritten =
            |f: &Fact| matches!(f, Fact::Pop(PopFact::Acked { result: AckResult::Unwritten, .. }));
        assert!(has_cause(&told, unwritten), "{thing}: {:?}", told.1.causes);
        let full = |c: &Command| matches!(c, Command::SetDisk { used_percent: 95, .. });
        assert!(commands(&told).iter().any(full), "{thing}");
    }
    // Before it was handled, nothing was acknowledged.
    assert!(!has_cause(&at(&text, 70_000, "A1"), |f| matches!(
        f,
        Fact::Pop(PopFact::Acked { .. })
    )));
}

#[test]
fn an_application_that_acknowledges_nothing_is_found_after_its_first_receive() {
    let text = "\
group billing reads orders fifo, from first
consumer c1 in billing simple by hand
at 1s p1 sends A1..A3
at 2s c1 receives max-message-num 1, invisible-duration 60s
at 40s c1 receives
run until 50s
";
    let never = |f: &Finding| matches!(f.problem, Problem::NeverAcknowledged { times: 1, .. });
    let found = find(text, never);
    let after = with(text, &found.repair[0]);
    let acked =
        |r: &lockstep_core::fact::FactRecord| matches!(r.fact, Fact::MessageAcknowledged { .. });
    assert!(after.facts().iter().any(acked), "{found:?}");
    // Whoever acknowledges, or asks for more time, is at work on it.
    for works in ["at 20s c1 acks A1", "at 20s c1 changes invisible-duration of A1 to 90s"] {
        let text = text.replace("at 40s c1 receives", works);
        assert!(!findings(&text).iter().any(never), "{text}");
    }
}

#[test]
fn dead_letters_of_one_batch_are_one_finding_about_the_message_that_failed() {
    let text = "\
series A message-group order-1
group billing reads orders orderly, batch 5, max-reconsume-times 2, handles in 100ms, from first
consumer c1 in billing
at 0 A3 fails always
at 1s p1 sends A1..A12
run until 60s
";
    let given_up = |f: &Finding| matches!(f.problem, Problem::GivenUp { .. });
    let all: Vec<Finding> = findings(text).into_iter().filter(given_up).collect();
    let [Finding { problem: Problem::GivenUp { msg, with: 4, .. }, repair, .. }] = &all[..] else {
        panic!("{all:?}");
    };
    assert_eq!(played(text).world().shared.label(*msg).to_string(), "A3");
    let after = with(text, &repair[0]);
    let dead = |r: &lockstep_core::fact::FactRecord| matches!(r.fact, Fact::DeadLettered { .. });
    assert!(!after.facts().iter().any(dead));
}
