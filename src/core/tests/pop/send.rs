//! The 5.x send path.

use crate::stage::{command, Stage, TOPIC};
use lockstep_core::command::{Command, MessageSpec, Selector, SendMode, TopicType};
use lockstep_core::fact::{Fact, RequestKind, SendFailure, TypeCheck};
use lockstep_core::grpc::GrpcCode;
use lockstep_core::pop::{PopCommand, PopFact, ProducerSetting};
use lockstep_core::routing::Sdk;

fn producer() -> (i64, Command) {
    let create = Command::CreateProducer {
        name: "p".into(),
        topic: Some(TOPIC.into()),
        selector: Selector::MessageGroup,
        mode: SendMode::Sync,
        threads: 1,
    };
    (0, create)
}

fn send(at_ms: i64, messages: Vec<MessageSpec>) -> (i64, Command) {
    (at_ms, Command::Send { producer: "p".into(), topic: None, thread: 0, messages, every_ms: 0 })
}

fn set(setting: ProducerSetting) -> (i64, Command) {
    command(0, PopCommand::SetProducer { producer: "p".into(), setting })
}

fn named(series: &str, key: Option<&str>) -> (i64, Command) {
    let key = key.map(str::to_owned);
    (0, Command::NameMessageGroup { series: series.into(), key })
}

fn failures(stage: &Stage) -> Vec<SendFailure> {
    let of = |(_, fact): &(i64, Fact)| match fact {
        Fact::SendFailed { reason, .. } => Some(*reason),
        _ => None,
    };
    stage.facts.iter().filter_map(of).collect()
}

#[test]
fn the_sdk_picks_an_endpoint_and_the_proxy_the_queue() {
    let more = |sdk| {
        let message = MessageSpec::new("A", 1);
        let key = named("A", Some("order-1003"));
        vec![producer(), set(ProducerSetting::Sdk(sdk)), key, send(10, vec![message])]
    };
    let chosen = |sdk| {
        let mut stage = Stage::newest(4, more(sdk));
        stage.until(100);
        let endpoint = stage.facts.iter().find_map(|(_, fact)| match fact {
            Fact::Pop(PopFact::EndpointChosen { queue, .. }) => Some(queue.id),
            _ => None,
        });
        let stored = stage.facts.iter().find_map(|(_, fact)| match fact {
            Fact::MessageStored { queue, .. } => Some(queue.id),
            _ => None,
        });
        (endpoint, stored)
    };
    // SipHash says 2 of 4, the proxy's consistent hash 0.
    assert_eq!(chosen(Sdk::Java), (Some(2), Some(0)));
    assert_eq!(chosen(Sdk::Node).1, Some(0));
}

#[test]
fn the_sdk_refuses_a_wrong_type_before_the_proxy_does() {
    let message = MessageSpec::new("n", 1);
    let plain = vec![producer(), named("n", None), send(10, vec![message.clone()])];
    let mut stage = Stage::newest(4, plain.clone());
    stage.until(100);
    let expected = Some(TopicType::Fifo);
    let actual = TopicType::Normal;
    let by = TypeCheck::Sdk;
    assert_eq!(failures(&stage), [SendFailure::TypeConflict { expected, actual, by }]);
    let mut unchecked = plain;
    unchecked.push(set(ProducerSetting::ChecksTypes(false)));
    // A stable order of commands: settings stand before the send.
    let mut stage = Stage::newest(4, unchecked);
    stage.until(100);
    let by = TypeCheck::Proxy;
    assert_eq!(failures(&stage), [SendFailure::TypeConflict { expected, actual, by }]);
    let attempts = stage.when(|f| matches!(f, PopFact::EndpointChosen { .. }));
    assert_eq!(attempts, [10, 10, 10]);
}

#[test]
fn the_remoting_port_checks_types_and_the_broker_does_not() {
    let classic = |through_proxy: bool| {
        let mut more = Stage::messages(10, 0, &[("n", 1)]);
        more.push(named("n", None));
        if through_proxy {
            let (party, proxy) = ("to-0-10".to_owned(), "proxy".to_owned());
            more.push(command(0, PopCommand::UseProxy { party, proxy }));
        }
        let mut stage = Stage::newest(1, more);
        stage.until(100);
        failures(&stage)
    };
    assert_eq!(classic(false), []);
    let (expected, actual) = (Some(TopicType::Fifo), TopicType::Normal);
    let by = TypeCheck::RemotingProxy;
    assert_eq!(classic(true), [SendFailure::TypeConflict { expected, actual, by }]);
}

#[test]
fn a_group_and_a_delay_do_not_go_together() {
    let message = MessageSpec { timer_delay_ms: 5_000, ..MessageSpec::new("A", 1) };
    let mut stage = Stage::newest(4, vec![producer(), send(10, vec![message])]);
    stage.until(100);
    assert_eq!(failures(&stage), [SendFailure::GroupWithDelay]);
}

#[test]
fn groups_of_64_bytes_are_refused() {
    let long = "x".repeat(64);
    let more = vec![producer(), named("A", Some(&long)), send(10, vec![MessageSpec::new("A", 1)])];
    let mut stage = Stage::newest(4, more);
    stage.until(100);
    assert_eq!(failures(&stage), [SendFailure::Grpc(GrpcCode::IllegalMessageGroup)]);
}

#[test]
fn two_messages_in_one_request_lose_the_groups_queue() {
    let stored = |keeps: i64| {
        let messages = vec![MessageSpec::new("A", 1), MessageSpec::new("A", 2)];
        let together = |at_ms| {
            let (producer, messages) = ("p".to_owned(), messages.clone());
            command(at_ms, PopCommand::SendTogether { producer, topic: None, thread: 0, messages })
        };
        let name = "multiMessageKeepsGroup".to_owned();
        let more = vec![
            producer(),
            (0, Command::SetConstant { name, value: keeps }),
            together(10),
            together(20),
            together(30),
        ];
        let mut stage = Stage::newest(4, more);
        stage.until(100);
        let of = |(_, fact): &(i64, Fact)| match fact {
            Fact::MessageStored { queue, .. } => Some(queue.id),
            _ => None,
        };
        stage.facts.iter().filter_map(of).collect::<Vec<u16>>()
    };
    let legacy = stored(0);
    assert_eq!(legacy.len(), 6);
    assert_eq!((legacy[0], legacy[2], legacy[4]), (legacy[1], legacy[3], legacy[5]));
    assert!(legacy[0] != legacy[2] && legacy[2] != legacy[4]);
    let fixed = stored(1);
    assert!(fixed.iter().all(|q| *q == fixed[0]));
}

#[test]
fn a_throttled_send_waits_longer_each_time() {
    let fail = PopCommand::FailRequests {
        proxy: "proxy".into(),
        request: RequestKind::Send,
        code: Some(GrpcCode::TooManyRequests),
    };
    let more = vec![producer(), command(0, fail), send(10, vec![MessageSpec::new("A", 1)])];
    let mut stage = Stage::newest(4, more);
    stage.until(1_000);
    assert_eq!(stage.when(|f| matches!(f, PopFact::EndpointChosen { .. })), [10, 30, 70]);
    assert_eq!(failures(&stage), [SendFailure::Grpc(GrpcCode::TooManyRequests)]);
}

#[test]
fn the_proxys_route_is_stale_for_one_touch() {
    let update = Command::UpdateTopic { name: TOPIC.into(), read_queues: 8, write_queues: 8 };
    let one = |n| vec![MessageSpec::new("G", n)];
    // G1 is stored in queue 0 of 4 and in queue 5 of 8.
    let more = vec![
        producer(),
        named("G", Some("G1")),
        send(10, one(1)),
        (20, update),
        send(20_011, one(2)),
        send(20_012, one(3)),
    ];
    let mut stage = Stage::newest(4, more);
    stage.until(30_000);
    let of = |(_, fact): &(i64, Fact)| match fact {
        Fact::MessageStored { queue, .. } => Some(queue.id),
        _ => None,
    };
    assert_eq!(stage.facts.iter().filter_map(of).collect::<Vec<_>>(), [0, 0, 5]);
}

#[test]
fn attempts_without_message_group_go_to_one_broker_after_the_other() {
    let fail = PopCommand::FailRequests {
        proxy: "proxy".into(),
        request: RequestKind::Send,
        code: Some(GrpcCode::InternalServerError),
    };
    let more = vec![
        (0, Command::AddBroker { name: "b2".into() }),
        producer(),
        named("A", None),
        set(ProducerSetting::ChecksTypes(false)),
        command(0, fail),
        send(10, vec![MessageSpec::new("A", 1), MessageSpec::new("B", 1)]),
    ];
    let mut stage = Stage::newest(2, more);
    stage.until(100);
    let of = |(_, fact): &(i64, Fact)| match fact {
        Fact::Pop(PopFact::EndpointChosen { queue, .. }) => Some(*queue),
        _ => None,
    };
    let chosen: Vec<_> = stage.facts.iter().filter_map(of).collect();
    let (unkeyed, keyed) = chosen.split_at(3);
    assert!(unkeyed[0] == unkeyed[2] && unkeyed[0].broker != unkeyed[1].broker);
    assert_eq!(keyed, [keyed[0]; 3]);
}
