//! Packets that were lost: whoever waits for an answer that will not come.

use lockstep_core::command::Command;
use lockstep_core::explain::{Headline, LockState, Reason, Rule};
use lockstep_core::fact::Fact;
use lockstep_core::ids::Ms;

use super::{at, commands, has_cause, offered, reason_at};

fn until(reason: &Reason) -> Option<Ms> {
    match *reason {
        Reason::AnswerLost { until_ms, .. } | Reason::SendLost { until_ms, .. } => Some(until_ms),
        _ => None,
    }
}

#[test]
fn a_receive_that_was_lost_is_told_with_the_end_of_its_time() {
    let dropped = "\
series A message-group order-1
group billing reads orders fifo, handles in 100ms
consumer c1 in billing grpc push
at 3s p1 sends A1
at 5s lose next 1 receive from c1
at 30s p1 sends A2
run until 90s
";
    let behind = dropped.replace("receive from c1", "receive from proxy");
    for (text, at_ms) in [(dropped, 31_000), (&behind, 31_000)] {
        let one = at(text, at_ms, "A2");
        let reason = one.1.headline.reason().unwrap();
        let until_ms = until(&reason).unwrap_or_else(|| panic!("{text}{reason:?}"));
        assert_eq!(one.1.rule, Rule::GrpcAnswerAwaited);
        assert!(has_cause(&one, |f| matches!(f, Fact::PacketLost { .. })), "{text}");
        assert!(!offered(&one).is_empty(), "{text}");
        // Just that long, and not much longer.
        assert!(until(&reason_at(text, until_ms - 1, "A2")).is_some(), "{text}");
        assert!(until(&reason_at(text, until_ms, "A2")).is_none(), "{text}");
        assert_eq!(reason_at(text, until_ms + 1_500, "A2"), Reason::Done, "{text}");
    }
}

#[test]
fn a_pull_that_was_lost_is_told_as_lost() {
    let text = "\
series A message-group order-1
group billing reads orders orderly, handles in 100ms
consumer c1 in billing
at 3s p1 sends A1
at 4s lose next 1 pull-answer to c1
at 5s p1 sends A2
at 6s p1 sends A3
run until 90s
";
    let one = at(text, 7_000, "A3");
    let reason = one.1.headline.reason().unwrap();
    assert!(until(&reason).is_some(), "{reason:?}");
    assert_eq!(one.1.rule, Rule::AnswerAwaited);
    // One that waits at the broker is not lost.
    let waits = text.replace("at 4s lose next 1 pull-answer to c1\n", "");
    assert_eq!(reason_at(&waits, 7_000, "A3"), Reason::Done);
}

#[test]
fn a_send_that_was_lost_is_not_on_its_way() {
    let grpc = "\
series A message-group order-1
group billing reads orders fifo, handles in 100ms
consumer c1 in billing grpc push
at 2s cut p1 from proxy
at 3s p1 sends A1
at 20s heal p1 and proxy
run until 60s
";
    let inner = grpc
        .replace("p1 from proxy", "proxy from broker")
        .replace("p1 and proxy", "proxy and broker");
    let classic = "\
topic orders FIFO 1 queue
series A message-group order-1
group billing reads orders orderly, handles in 100ms
producer p1 selects by hash
consumer c1 in billing
at 2s lose next 1 send from p1
at 3s p1 sends A1
run until 60s
";
    for text in [grpc, &inner, classic] {
        let one = at(text, 4_000, "A1");
        let reason = one.1.headline.reason().unwrap();
        assert!(until(&reason).is_some(), "{text}{reason:?}");
        assert!(has_cause(&one, |f| matches!(f, Fact::PacketLost { .. })), "{text}");
        let faults = |c: &Command| matches!(c, Command::Cut { .. } | Command::DropNext { .. });
        assert!(commands(&one).iter().any(faults), "{text}");
    }
    let slow = classic.replace("at 2s lose next 1 send from p1", "latency from p1 to broker 2s");
    assert!(matches!(reason_at(&slow, 4_000, "A1"), Reason::Travels { .. }));
}

#[test]
fn a_lock_that_is_given_back_later_is_told_with_that_instant() {
    let text = "\
model 5.1.0
topic orders FIFO 2 queues
series A message-group order-1
group billing reads orders orderly, handles in 3s
producer p1 selects queue 1
consumer c1 in billing
at 3s p1 sends A1..A20
at 10s c2 joins billing
run until 90s
";
    let one = at(text, 40_000, "A10").1;
    let Some(Reason::LockHeld { gives_ms: Some(at_ms), .. }) = one.headline.reason() else {
        panic!("{:?}", one.headline)
    };
    assert_eq!(at_ms, 51_000);
    assert_eq!(one.rule, Rule::HandOver);
    let names: Vec<&str> = one.constants.iter().map(|c| c.name).collect();
    assert!(names.contains(&"rocketmq.client.unlockDelayTimeMills"), "{names:?}");
    assert!(!names.contains(&"UNLOCK_DELAY_TIME_MILLS"), "{names:?}");
    let lock = at(text, 40_000, "lock q1").1.headline;
    let Headline::Lock { state: LockState::Held { gives_ms: Some(51_000), .. }, .. } = lock else {
        panic!("{lock:?}")
    };
    let lock = at(text, 40_000, "lock q0").1.headline;
    let Headline::Lock { state: LockState::Held { gives_ms: None, .. }, .. } = lock else {
        panic!("{lock:?}")
    };
    // It is given back then, long before its lease is over.
    let lock = at(text, 51_600, "lock q1").1.headline;
    assert!(!matches!(
        lock,
        Headline::Lock { state: LockState::Held { gives_ms: Some(_), .. }, .. }
    ));
    let modern = text.replace("5.1.0", "5.3");
    let names: Vec<&str> = Rule::HandOver.source().split('.').collect();
    assert!(!names.is_empty());
    let one = at(&modern, 15_000, "A10").1;
    assert!(one.constants.iter().all(|c| c.amount != lockstep_core::explain::Amount::Ms(-1)));
}
