//! The rule behind a reason is that of the class which decides it.

use lockstep_core::explain::{Reason, Rule};

use super::{at, fifo};

const FAILS: &str = "\
series A message-group order-1
group billing reads orders orderly, handles in 5s, max-reconsume-times 1
consumer c1 in billing
at 2s A1 fails always
at 3s p1 sends A1 A2
run until 200s
";

fn rule(text: &str, at_ms: i64, label: &str) -> (Option<Reason>, Rule) {
    let one = at(text, at_ms, label).1;
    (one.headline.reason(), one.rule)
}

#[test]
fn a_message_that_is_given_up_is_so_by_the_rule_of_its_stack() {
    let (reason, of) = rule(FAILS, 100_000, "A1");
    assert_eq!((reason, of), (Some(Reason::Dead), Rule::Attempts));
    let concurrent = FAILS.replace("orderly", "concurrent");
    let (reason, of) = rule(&concurrent, 190_000, "A1");
    assert_eq!((reason, of), (Some(Reason::Dead), Rule::SendBackAttempts));
    let push = FAILS.replace(
        "orderly, handles in 5s, max-reconsume-times 1",
        "fifo, handles in 1s, retry-max-times 1",
    );
    let push = push.replace("c1 in billing", "c1 in billing grpc push");
    let (reason, of) = rule(&push, 190_000, "A1");
    assert_eq!((reason, of), (Some(Reason::Dead), Rule::PopAttempts));
    let by_hand = "\
series A message-group order-1
group billing reads orders fifo, retry-max-times 1
consumer c1 in billing simple by hand
at 2s c1 receives invisible-duration 10s, await-duration 5s
at 3s p1 sends A1
at 20s c1 receives invisible-duration 10s
at 40s c1 receives invisible-duration 10s
at 60s c1 receives invisible-duration 10s
run until 100s
";
    let (reason, of) = rule(by_hand, 90_000, "A1");
    assert_eq!((reason, of), (Some(Reason::Dead), Rule::ReceiveAttempts));
    assert!(Rule::ReceiveAttempts.source().contains("proxy"));
}

#[test]
fn a_call_needs_a_thread_of_its_service() {
    assert_eq!(rule(FAILS, 4_000, "A1").1, Rule::Threads);
    let concurrent = FAILS.replace("orderly", "concurrent");
    assert_eq!(rule(&concurrent, 4_000, "A1").1, Rule::ConcurrentThreads);
    assert_eq!(at(&concurrent, 4_000, "c1").1.rule, Rule::ConcurrentThreads);
    assert!(Rule::ConcurrentThreads.source().contains("Concurrently"));
}

#[test]
fn what_the_message_builder_refuses_is_not_told_by_the_rule_of_attempts() {
    let text = "\
topic orders FIFO 1 queue
series A message-group order-1
group billing reads orders fifo
producer p1
consumer c1 in billing grpc push
at 3s p1 sends A1, delay 5s
run until 30s
";
    let transaction = text.replace("A1, delay 5s", "A1 in a transaction that commits");
    for text in [text, &transaction] {
        assert!(!fifo(text).is_empty());
        assert_eq!(rule(text, 10_000, "A1").1, Rule::OneKind, "{text}");
    }
}
