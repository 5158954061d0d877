//! SimpleConsumers are told as what they are: an application that receives, handles and acknowledges.

use lockstep_core::explain::{Amount, Reason, Rule, ValueName};

use super::{at, reason_at};

/// One receive brings three messages to a loop.
const LOOP: &str = "\
topic orders NORMAL 1 queue
series A without message-group
producer p1
group billing reads orders concurrent, handles in 8s
at 3s p1 sends A1 A2 A3
at 5s c1 joins billing simple in a loop
at 5s reset billing to time 0
run until 100s
";

#[test]
fn what_a_loop_has_in_its_hands_is_not_told_by_the_rules_of_a_push_consumer() {
    let behind = at(LOOP, 6_000, "A2");
    assert!(matches!(behind.1.headline.reason(), Some(Reason::Behind { .. })));
    assert_eq!(behind.1.rule, Rule::SimpleLoop);
    for thing in ["A1", "c1", "thread 1 of c1"] {
        assert_eq!(at(LOOP, 6_000, thing).1.rule, Rule::SimpleLoop, "{thing}");
    }
    let push = LOOP.replace("simple in a loop", "grpc push");
    assert_eq!(at(&push, 7_000, "c1").1.rule, Rule::GrpcThreads);
}

#[test]
fn a_loop_that_is_busy_is_told_as_a_loop() {
    let text = LOOP
        .replace("at 5s c1 joins", "consumer c1 in")
        .replace("consumer c1 in billing simple", "at 1s c1 joins billing simple")
        .replace("at 5s reset billing to time 0\n", "");
    let reason = reason_at(&text, 6_000, "A2");
    assert!(matches!(reason, Reason::NoThread { threads: 1, .. }), "{reason:?}");
    assert_eq!(at(&text, 6_000, "A2").1.rule, Rule::SimpleLoop);
}

#[test]
fn an_unused_lock_keeps_nothing_and_offers_nothing() {
    let text = LOOP.replace("simple in a loop", "");
    let (_, one) = at(&text, 10_000, "lock q0");
    assert_eq!(one.rule, Rule::AnyOrder);
    assert!(one.counterfactuals.is_empty(), "{:?}", one.counterfactuals);
}

#[test]
fn what_is_acknowledged_by_hand_was_handled_once() {
    let text = "\
series A message-group order-1
group billing reads orders fifo, handles in 1s
consumer c1 in billing simple by hand
at 3s p1 sends A1 A2
at 4s c1 receives
at 5s c1 acks A1
run until 30s
";
    let attempts = |at_ms, label| {
        let values = at(text, at_ms, label).1.values;
        values.iter().find(|v| v.name == ValueName::Attempts).map(|v| v.amount)
    };
    for (at_ms, label) in [(4_500, "A1"), (10_000, "A1"), (10_000, "A2")] {
        assert_eq!(attempts(at_ms, label), Some(Amount::Count(1)), "{label} at {at_ms}");
    }
}
