//! Causes that are another's: another party's cut, another broker's stop, another group's reset.

use lockstep_core::command::{Command, HandlerRule};
use lockstep_core::explain::{PassedBy, Reason};
use lockstep_core::fact::Fact;

use super::{at, at_in, commands, has_cause, reason_at};

#[test]
fn the_cut_that_is_named_is_that_of_the_parties() {
    let text = "\
series A message-group order-1
group audit reads orders orderly
group billing reads orders orderly, handles in 100ms
consumer a1 in audit
consumer c1 in billing
at 4s cut c1 from broker
at 5s cut a1 from broker
at 6s p1 sends A1
run until 40s
";
    let grpc = text.replace("c1 in billing", "c1 in billing grpc push");
    let grpc =
        grpc.replace("orderly, handles", "fifo, handles").replace("cut c1 from", "cut proxy from");
    let grpc = grpc.replace("producer p1", "producer p1 selects by hash");
    let grpc = format!(
        "topic orders FIFO 1 queue\n{}",
        grpc.replace("consumer a1", "producer p1 selects by hash\nconsumer a1")
    );
    for (text, party) in [(text, "c1"), (&grpc, "proxy")] {
        let one = at_in(text, 20_000, "A1", Some("billing"));
        let reason = one.1.headline.reason().unwrap();
        // The answer to the receive that waits is lost in the cut.
        let told = matches!(reason, Reason::CutOff { .. } | Reason::Invisible { holder: None, .. });
        assert!(told, "{text}{reason:?}");
        let cuts: Vec<Command> = commands(&one);
        let cuts: Vec<&Command> =
            cuts.iter().filter(|c| matches!(c, Command::Cut { .. })).collect();
        assert!(matches!(cuts[..], [Command::Cut { a, .. }] if a == party), "{text}{cuts:?}");
    }
}

#[test]
fn the_broker_that_is_down_is_the_one_that_is_named() {
    let text = "\
add broker a
topic orders FIFO 1 queue
series A message-group order-1
group billing reads orders orderly, handles in 100ms
producer p1 selects by hash
consumer c1 in billing
at 3s p1 sends A1..A4
at 3.01s broker crashes
at 3.02s a crashes
run until 20s
";
    for label in ["A1", "A3", "A4"] {
        let one = at(text, 10_000, label);
        let Some(Reason::BrokerDown { broker, .. }) = one.1.headline.reason() else { continue };
        let name = one.0.world().shared.names.brokers[broker.index()].clone();
        let stops = commands(&one).into_iter().filter_map(|c| match c {
            Command::StopBroker { broker, .. } => Some(broker.unwrap_or("broker".to_owned())),
            _ => None,
        });
        assert_eq!(stops.collect::<Vec<_>>(), [name], "{label}");
    }
}

#[test]
fn a_reset_and_a_start_of_another_group_are_no_cause() {
    let text = "\
series A message-group order-1
group billing reads orders orderly, handles in 100ms
consumer c1 in billing
at 2s c1 stops
at 3s p1 sends A1 A2 A3
at 4s reset billing to latest
at 5s c1 starts
at 20s p1 sends A4
run until 60s
";
    let other = text.replace("group billing", "group audit reads orders orderly\ngroup billing");
    let other =
        other.replace("at 20s", "at 8s a1 joins audit\nat 9s reset audit to time 0\nat 20s");
    for text in [text, &other] {
        let one = at_in(text, 60_000, "A2", Some("billing"));
        let by = one.1.headline.reason();
        assert_eq!(by, Some(Reason::Passed { by: PassedBy::Reset }), "{text}");
        let billing = one.0.world().shared.names.group("billing").unwrap();
        let foreign = |f: &Fact| matches!(f, Fact::OffsetReset { group, .. } if *group != billing);
        assert!(!has_cause(&one, foreign), "{text}");
        let resets = commands(&one).into_iter().filter_map(|c| match c {
            Command::ResetOffset { group, .. } => Some(group),
            _ => None,
        });
        assert_eq!(resets.collect::<Vec<_>>(), ["billing"], "{text}");
    }
}

#[test]
fn a_rule_about_another_consumer_is_no_cause_of_a_failure() {
    let text = "\
series A message-group order-1
group billing reads orders orderly, handles in 100ms
consumer c1 in billing
consumer c2 in billing
at 1s A1 fails always, at c1
at 2s A1 fails always, at c2
at 3s p1 sends A1 A2
run until 20s
";
    let one = at(text, 10_500, "A1");
    let of = commands(&one).into_iter().filter_map(|c| match c {
        Command::Handle(HandlerRule { client, .. }) => client,
        _ => None,
    });
    assert_eq!(of.collect::<Vec<_>>(), ["c1"]);
}

#[test]
fn a_stop_that_has_nothing_to_do_with_it_is_no_cause() {
    let text = "\
topic orders NORMAL 1 queue
series A without message-group
group billing reads orders orderly, handles in 100ms
producer p1
consumer c1 in billing
at 1s broker crashes
at 2s broker starts
at 30s p1 sends A1, delay level 3
run until 60s
";
    let one = at(text, 40_000, "A1");
    assert!(matches!(one.1.headline.reason(), Some(Reason::SendFailed { .. })), "{:?}", one.1);
    let said = commands(&one);
    assert!(!said.iter().any(|c| matches!(c, Command::StopBroker { .. })), "{said:?}");
    assert!(said.iter().any(|c| matches!(c, Command::CreateTopic { .. })), "{said:?}");
    let reason = reason_at(&text.replace("NORMAL", "DELAY"), 35_000, "A1");
    assert!(matches!(reason, Reason::Scheduled { .. }), "{reason:?}");
}
