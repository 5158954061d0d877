//! Receives and what blocks them: 5.0.0, attempts of applications that call by hand.

use lockstep_core::explain::diagnose::{Held, Problem};
use lockstep_core::explain::{Amount, Change, Longer, Reason, ValueName};

use super::{at, find, handled_at, played, reason_at, with};

/// c1 lets A1 become visible again; c2 asks with a longer invisible time.
const OWN: &str = "\
model 5.0.0
series A message-group order-1
group billing reads orders fifo, handles in 100ms
consumer c1 in billing simple by hand
consumer c2 in billing simple by hand
at 3s c1 receives max-message-num 1, invisible-duration 10s
at 4s p1 sends A1 A2
at 6s c2 receives max-message-num 2, invisible-duration 60s, await-duration 30s
run until 120s
";

#[test]
fn in_5_0_0_a_queue_is_not_free_for_whoever_asks_with_a_longer_time() {
    for label in ["A1", "A2"] {
        let reason = reason_at(OWN, 16_000, label);
        assert!(matches!(reason, Reason::OwnTime { until_ms: 64_000, .. }), "{label}: {reason:?}");
    }
    let client = |reason| match reason {
        Reason::OwnTime { client, .. } => client,
        other => panic!("{other:?}"),
    };
    let c2 = played(OWN).world().shared.names.client("c2");
    assert_eq!(Some(client(reason_at(OWN, 16_000, "A1"))), c2, "whoever asks");
    // Later releases count with the time of the delivery.
    let modern = OWN.replace("model 5.0.0", "model 5.3");
    let reason = reason_at(&modern, 16_000, "A1");
    assert!(!matches!(reason, Reason::OwnTime { .. }), "{reason:?}");
}

#[test]
fn in_5_0_0_what_is_acknowledged_of_an_open_batch_is_not_consumed() {
    let text = "\
model 5.0.0
series A message-group order-1
group billing reads orders fifo
consumer c1 in billing simple by hand
at 1s c1 receives max-message-num 4, invisible-duration 10s, await-duration 10s
at 1.1s p1 sends A0
at 1.2s c1 acks A0
at 4s p1 sends A1 A2
at 5s c1 receives max-message-num 4, invisible-duration 20s
at 6s c1 acks A1
run until 70s
";
    let reason = reason_at(text, 8_000, "A1");
    assert!(matches!(reason, Reason::DoneBehind { batch: true, .. }), "{reason:?}");
    assert_eq!(reason_at(text, 8_000, "A0"), Reason::Done);
    let all = text.replace("c1 acks A1", "c1 acks everything");
    assert_eq!(reason_at(&all, 8_000, "A1"), Reason::Done);
    let modern = text.replace("model 5.0.0", "model 5.3");
    assert_eq!(reason_at(&modern, 8_000, "A1"), Reason::Done);
}

/// The answer with A2 is lost.
const LOST: &str = "\
model 5.0.0
series A message-group order-1
group billing reads orders fifo, handles in 100ms
consumer c1 in billing grpc push
at 3s p1 sends A1
at 20s lose next 1 receive-answer to c1
at 20.5s p1 sends A2 A3
run until 150s
";

#[test]
fn a_lost_answer_without_attempt_ids_is_told_and_found() {
    let longer = |text: &str, label| match reason_at(text, 24_000, label) {
        Reason::Invisible { longer, .. } | Reason::BehindInvisible { longer, .. } => longer,
        other => panic!("{other:?}"),
    };
    assert_eq!(longer(LOST, "A2"), Longer::Unheard);
    assert_eq!(longer(LOST, "A3"), Longer::Unheard);
    let modern = LOST.replace("model 5.0.0", "model 5.3");
    assert!(matches!(longer(&modern, "A2"), Longer::Repeatable { .. }));
    let one = find(LOST, |f| matches!(f.problem, Problem::Held { by: Held::Lost { .. }, .. }));
    let [change @ Change::Without(_)] = &one.repair[..] else { panic!("{:?}", one.repair) };
    assert!(handled_at(&with(LOST, change), "A2") < handled_at(&played(LOST), "A2"));
}

#[test]
fn attempts_of_an_application_that_calls_by_hand_are_what_it_received() {
    let text = "\
series A message-group order-1
group billing reads orders fifo
consumer c1 in billing simple by hand
at 2s c1 receives invisible-duration 10s, await-duration 5s
at 3s p1 sends A1
at 20s c1 receives invisible-duration 10s
at 40s c1 receives invisible-duration 10s
run until 60s
";
    let attempts = |at_ms| {
        let values = at(text, at_ms, "A1").1.values;
        let of = values.iter().find(|v| v.name == ValueName::Attempts);
        of.map(|v| v.amount)
    };
    assert_eq!(attempts(10_000), Some(Amount::Count(1)));
    assert_eq!(attempts(50_000), Some(Amount::Count(3)));
}
