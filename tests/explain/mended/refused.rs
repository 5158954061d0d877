//! Requests that are refused for what lasts, acknowledgements that changed nothing, and what the next read
//! passes over.

use lockstep_core::command::Command;
use lockstep_core::explain::{Change, Reason, Refusing, Rule};
use lockstep_core::fact::Fact;
use lockstep_core::ids::Ms;
use lockstep_core::pop::PopFact;

use super::{at, commands, has_cause, now, offered, reason_at};

/// The proxy goes on with a route that it loaded while the broker was down.
const ROUTE: &str = "\
topic orders FIFO 1 queue
series A message-group order-1
group billing reads orders fifo, handles in 1s
producer p1 selects by hash
consumer c1 in billing grpc push
at 5s broker crashes
at 60s broker starts
at 61s p1 sends A1
run until 140s
";

fn stops(command: &Command) -> bool {
    matches!(command, Command::StopBroker { .. })
}

fn refusing(reason: Reason) -> Option<Refusing> {
    match reason {
        Reason::Refused { by, .. } => Some(by),
        _ => None,
    }
}

#[test]
fn an_old_route_of_the_proxy_is_told_with_the_instant_at_which_it_is_old() {
    let simple = ROUTE.replace("grpc push", "simple in a loop");
    for text in [ROUTE, &simple] {
        let one = at(text, 61_100, "A1");
        let by = one.1.headline.reason().and_then(refusing);
        let Some(Refusing::OldRoute { until_ms: Some(until_ms), .. }) = by else {
            panic!("{text}{:?}", one.1)
        };
        assert_eq!(one.1.rule, Rule::ProxyRoute);
        assert_eq!(one.1.constants.len(), 2);
        assert!(commands(&one).iter().any(stops), "{text}");
        let said = |f: &Fact| matches!(f, Fact::Pop(PopFact::ReceivedNothing { .. }));
        assert!(has_cause(&one, said), "{text}");
        let without = |change: &Change| matches!(change, Change::Without(_));
        assert!(offered(&one).iter().any(|one| without(&one.change)), "{text}");
        // As long as it is not old it is refused, and once more.
        let by = refusing(reason_at(text, until_ms, "A1"));
        assert!(matches!(by, Some(Refusing::OldRoute { until_ms: Some(_), .. })), "{text}{by:?}");
        let by = refusing(reason_at(text, until_ms + 1, "A1"));
        assert!(matches!(by, Some(Refusing::OldRoute { until_ms: None, .. })), "{text}{by:?}");
        assert_eq!(reason_at(text, until_ms + 20_000, "A1"), Reason::Done, "{text}");
    }
}

/// A 4.9 client says what it subscribes to in its heartbeats only.
const RESTART: &str = "\
model 4.9
series A message-group order-1
group billing reads orders orderly, handles in 100ms
consumer c1 in billing
at 5s broker crashes
at 8s broker starts
at 9s p1 sends A1
run until 100s
";

#[test]
fn a_broker_that_does_not_know_the_subscription_is_told_with_the_next_heartbeat() {
    let concurrent = RESTART.replace("orderly", "concurrent");
    for text in [RESTART, &concurrent] {
        for at_ms in [10_000, 10_500, 25_000] {
            let one = at(text, at_ms, "A1");
            let by = one.1.headline.reason().and_then(refusing);
            let until: Option<Ms> = match by {
                Some(Refusing::Unregistered { replaced: false, at_ms, .. }) => at_ms,
                _ => None,
            };
            assert_eq!(until, Some(31_000), "{text}{:?}", one.1.headline);
            assert_eq!(one.1.rule, Rule::Registration);
            assert!(has_cause(
                &one,
                |f| matches!(f, Fact::PullRefused { queue, .. } if queue.id == 0)
            ));
            assert!(commands(&one).iter().any(stops), "{text}");
            assert!(!offered(&one).is_empty(), "{text}");
        }
        assert_eq!(reason_at(text, 32_000, "A1"), Reason::Done, "{text}");
    }
}

#[test]
fn a_subscription_that_another_member_replaced_is_told_with_its_heartbeat() {
    let text = "\
topic orders FIFO 1 queue
topic other FIFO 1 queue
model 4.9
series A message-group order-1
group billing reads orders orderly, handles in 100ms
producer p1 to orders
consumer c1 in billing
consumer c2 in billing reads other
at 40s p1 sends A1
run until 200s
";
    let one = at(text, 50_500, "A1");
    let by = one.1.headline.reason().and_then(refusing);
    assert!(matches!(by, Some(Refusing::Unregistered { replaced: true, .. })), "{:?}", one.1);
    assert!(has_cause(&one, |f| matches!(f, Fact::SubscriptionReplaced { .. })));
    let leaves = |c: &Command| matches!(c, Command::StopConsumer { name, .. } if name == "c2");
    assert!(now(&offered(&one), leaves));
}

#[test]
fn a_proxy_that_is_told_to_refuse_is_told_between_two_receives_too() {
    let text = "\
series A message-group order-1
group billing reads orders fifo, handles in 1s
consumer c1 in billing grpc push
at 5s proxy answers receive with TOO_MANY_REQUESTS
at 40s p1 sends A1
run until 140s
";
    for at_ms in [40_000, 40_007, 40_500, 100_000] {
        let one = at(text, at_ms, "A1");
        let by = one.1.headline.reason().and_then(refusing);
        assert!(matches!(by, Some(Refusing::Proxy(_))), "{at_ms}: {:?}", one.1.headline);
        assert!(!offered(&one).is_empty());
    }
}

#[test]
fn a_queue_that_was_taken_away_is_not_read_before_the_next_round_either() {
    let text = "\
topic orders FIFO 2 queues
series A message-group order-1
group billing reads orders orderly, handles in 5s
producer p1 selects queue 1
consumer c1 in billing
at 9s p1 sends A1 A2
at 11s orders 1 read queue
at 12s p1 sends A3
run until 100s
";
    // What c1 has of it is handled.
    assert!(matches!(reason_at(text, 13_000, "A2"), Reason::Behind { .. }));
    assert_eq!(reason_at(text, 60_000, "A2"), Reason::Done);
    for at_ms in [12_000, 13_500, 60_000] {
        let one = at(text, at_ms, "A3");
        let reason = one.1.headline.reason();
        assert!(matches!(reason, Some(Reason::NotReadable { read_queues: 1, .. })), "{reason:?}");
        let wider = |c: &Command| matches!(c, Command::UpdateTopic { read_queues: 2, .. });
        assert!(now(&offered(&one), wider), "{at_ms}");
    }
}

#[test]
fn what_the_next_read_passes_over_is_told_before_it_does() {
    let classic = "\
series A message-group order-1
group billing reads orders tagged b orderly, handles in 100ms
consumer c1 in billing
at 3s p1 sends A1, tag a
at 9s p1 sends A2, tag b
run until 20s
";
    let slow = "\
series A message-group order-1
latency from proxy to broker 1s
group billing reads orders tagged b fifo, handles in 100ms
consumer c1 in billing grpc push
at 30s p1 sends A1, tag a
at 39s p1 sends A2, tag b
run until 90s
";
    let mut seen = 0;
    for (text, from_ms) in [(classic, 3_000), (slow, 30_000)] {
        for at_ms in (from_ms..from_ms + 5_000).step_by(500) {
            let one = at(text, at_ms, "A1");
            match one.1.headline.reason().unwrap() {
                Reason::Unwanted { .. } => {
                    seen += 1;
                    let asks = |c: &Command| matches!(c, Command::CreateGroup { .. });
                    assert!(commands(&one).iter().any(asks), "{at_ms}");
                    let all = |one: &Change| matches!(one, Change::Instead(_));
                    assert!(offered(&one).iter().any(|one| all(&one.change)), "{at_ms}");
                }
                Reason::NotFetchedYet { .. } | Reason::PollSleeps { .. } => {
                    panic!("{at_ms}: {:?}", one.1.headline)
                }
                _ => {}
            }
        }
        // A wanted one is fetched.
        assert!(!matches!(reason_at(text, from_ms + 9_000, "A2"), Reason::Unwanted { .. }));
    }
    assert!(seen >= 4, "{seen}");
}

/// s1 acknowledges what a reset had taken back and s2 was given since.
const OLD: &str = "\
series A message-group order-1
group billing reads orders fifo, handles in 1s
consumer s1 in billing simple
consumer s2 in billing simple
at 3s p1 sends A1 A2
at 4s s1 receives invisible-duration 60s
at 6s reset billing in orders q0 to offset 0
at 7s s2 receives invisible-duration 60s
at 8s s1 acks A1
at 9s s2 crashes
run until 40s
";

#[test]
fn an_acknowledgement_of_an_earlier_delivery_finishes_nothing() {
    let unordered = OLD.replace("fifo,", "concurrent,");
    for text in [OLD, &unordered] {
        let one = at(text, 10_000, "A1");
        let reason = one.1.headline.reason();
        let Some(Reason::Invisible { until_ms: 67_000.., .. }) = reason else {
            panic!("{text}{reason:?}")
        };
        assert!(has_cause(&one, |f| matches!(f, Fact::Pop(PopFact::Popped { .. }))), "{text}");
    }
    // It is acknowledged after the reset, and will be given out again.
    let pending = OLD.replace("at 7s s2 receives invisible-duration 60s\n", "");
    for text in [pending.as_str(), &pending.replace("fifo,", "concurrent,")] {
        let reason = reason_at(text, 10_000, "A1");
        assert!(matches!(reason, Reason::ResetPending { .. }), "{text}{reason:?}");
    }
    // So is what a classic consumer was handling when the reset came.
    let classic = "\
series A message-group order-1
group billing reads orders orderly, handles in 3s
consumer c1 in billing
at 3s p1 sends A1 A2
at 4s reset billing in orders q0 to offset 0
run until 60s
";
    for text in [classic, &classic.replace("orderly,", "concurrent,")] {
        for at_ms in [7_000, 10_000, 19_000] {
            let reason = reason_at(text, at_ms, "A1");
            assert!(matches!(reason, Reason::ResetPending { .. }), "{text}{at_ms}: {reason:?}");
        }
        assert_eq!(reason_at(text, 59_000, "A1"), Reason::Done, "{text}");
    }
    // One that counts finishes it.
    let counts = OLD.replace("at 6s reset billing in orders q0 to offset 0\n", "");
    assert_eq!(reason_at(&counts, 10_000, "A1"), Reason::Done);
}
