//! gRPC consumers at run time.

use crate::stage::{command, group, handle, Stage, GROUP, TOPIC};
use lockstep_core::command::{Attempts, Command, MessageSpec, Selector, SendMode};
use lockstep_core::fact::{Fact, Outcome, RequestKind, StopKind};
use lockstep_core::grpc::GrpcCode;
use lockstep_core::ids::Ms;
use lockstep_core::model::{Blocking, Model, Version};
use lockstep_core::pop::{Backoff, GrpcKind, PopCommand, PopFact, PopSetting, SimpleMode};

fn start(at_ms: Ms, name: &str, kind: GrpcKind) -> (Ms, Command) {
    let (name, group) = (name.to_owned(), GROUP.to_owned());
    command(at_ms, PopCommand::Start { name, group, kind, threads: None })
}

fn push(at_ms: Ms) -> (Ms, Command) {
    start(at_ms, "c1", GrpcKind::Push)
}

fn called(stage: &Stage) -> Vec<(Ms, String)> {
    stage.calls().into_iter().map(|(at_ms, label, _)| (at_ms, label)).collect()
}

fn own(calls: &[(Ms, &str)]) -> Vec<(Ms, String)> {
    calls.iter().map(|(at_ms, label)| (*at_ms, (*label).to_owned())).collect()
}

/// a1 in queue 0 and b1 in queue 1; a1 fails once.
fn one_failure(model: Model, accelerator: bool) -> Stage {
    let mut more = Stage::messages(0, 0, &[("a", 1)]);
    more.extend(Stage::messages(0, 1, &[("b", 1)]));
    more.push(group(PopSetting::Accelerator(accelerator)));
    more.push(handle("a", 1, Attempts::First(1), Outcome::Later));
    more.push(push(1_000));
    let mut stage = Stage::new(Model { pop_start_random: 0, ..model }, 2, more);
    stage.until(10_000);
    stage
}

#[test]
fn a_failure_holds_back_other_queues_of_the_same_batch() {
    let stage = one_failure(Model::of(Version(5, 3, 3)), false);
    assert_eq!(called(&stage), own(&[(2_000, "a1"), (3_000, "a1"), (3_000, "b1")]));
}

#[test]
fn the_accelerator_runs_message_groups_side_by_side() {
    let expected = own(&[(2_000, "a1"), (2_000, "b1"), (3_000, "a1")]);
    assert_eq!(called(&one_failure(Model::of(Version(5, 3, 3)), true)), expected);
    let blocking = Blocking::MessageGroup;
    let documents = Model { blocking, ..Model::of(Version(5, 3, 3)) };
    assert_eq!(called(&one_failure(documents, false)), expected);
}

#[test]
fn seventeen_attempts_then_the_dead_letter_queue() {
    let mut more = Stage::messages(0, 0, &[("a", 1), ("a", 2)]);
    more.push(handle("a", 1, Attempts::All, Outcome::Exception));
    more.push(push(1_000));
    let mut stage = Stage::newest(1, more);
    stage.until(7_000_000);
    let times: Vec<Ms> = stage
        .calls()
        .into_iter()
        .filter(|(_, label, _)| label == "a1")
        .map(|(at_ms, ..)| (at_ms - 2_000) / 1_000)
        .collect();
    let expected =
        [0, 1, 6, 16, 46, 106, 226, 406, 646, 946, 1_306, 1_726, 2_206, 2_746, 3_346, 4_546, 6_346];
    assert_eq!(times, expected);
    let dead = stage.facts.iter().find(|(_, f)| matches!(f, Fact::DeadLettered { .. }));
    assert_eq!(dead.map(|(at_ms, _)| *at_ms), Some(6_348_000));
    assert_eq!(called(&stage).last(), Some(&(6_348_000, "a2".to_owned())));
    assert_eq!(stage.committed(0), Some(2));
    // The proxy kept the batch invisible for all that time, except after its three hours.
    let renewed = stage.when(|f| matches!(f, PopFact::Renewed { .. }));
    assert!(!renewed.is_empty());
}

/// The retry count of the copy among the dead letters, after a message that always fails used up three
/// attempts at a push consumer.
fn count_of_the_dead_letter(orderly: bool) -> Option<u16> {
    let mut more = Stage::messages(0, 0, &[("a", 1)]);
    more.push(group(PopSetting::Orderly(orderly)));
    more.push(group(PopSetting::RetryMaxTimes(2)));
    more.push(handle("a", 1, Attempts::All, Outcome::Later));
    more.push(push(1_000));
    let mut stage = Stage::newest(1, more);
    stage.until(600_000);
    assert_eq!(stage.calls().len(), 3);
    let (queue, offset) = stage.facts.iter().find_map(|(_, fact)| match fact {
        Fact::DeadLettered { queue, offset, .. } => Some((*queue, i64::from(*offset))),
        _ => None,
    })?;
    stage.world.brokers[0].store.at(queue, offset).map(|record| record.reconsume_times)
}

/// The broker adds one to the count of the message as it is stored, whatever the proxy counted
/// (`consumerSendMsgBack`): the attempts of an ordered one are in its client's memory alone; each of
/// another's three failures made a copy that counts one more, and the third copy is given up on receipt.
#[test]
fn a_dead_letter_counts_by_the_stored_message() {
    assert_eq!(count_of_the_dead_letter(true), Some(1));
    assert_eq!(count_of_the_dead_letter(false), Some(3 + 1));
}

#[test]
fn a_dead_letter_that_cannot_be_forwarded_is_tried_each_second() {
    let mut more = Stage::messages(0, 0, &[("a", 1)]);
    more.push(group(PopSetting::RetryMaxTimes(0)));
    more.push(handle("a", 1, Attempts::All, Outcome::Later));
    let fail = |at_ms, code| {
        let (proxy, request) = ("proxy".to_owned(), RequestKind::SendBack);
        command(at_ms, PopCommand::FailRequests { proxy, request, code })
    };
    more.push(fail(0, Some(GrpcCode::ProxyTimeout)));
    more.push(fail(5_500, None));
    more.push(push(1_000));
    let mut stage = Stage::newest(1, more);
    stage.until(20_000);
    let forwards = stage.when(|f| matches!(f, PopFact::ForwardedToDeadLetter { .. }));
    assert_eq!(forwards, [2_000, 3_000, 4_000, 5_000, 6_000]);
    assert!(stage.facts.iter().any(|(_, f)| matches!(f, Fact::DeadLettered { .. })));
}

#[test]
fn renewals_grow_while_a_listener_works() {
    let mut more = Stage::messages(10_000, 0, &[("a", 1)]);
    let slow = lockstep_core::command::HandlerRule {
        group: None,
        client: None,
        label: None,
        attempts: Attempts::All,
        outcome: None,
        handle_ms: Some(500_000),
    };
    more.push((0, Command::Handle(slow)));
    more.push(push(1_000));
    let mut stage = Stage::newest(1, more);
    stage.until(600_000);
    let renewals: Vec<(Ms, Ms)> = stage
        .facts
        .iter()
        .filter_map(|(at_ms, fact)| match fact {
            Fact::Pop(PopFact::Renewed { until_ms, .. }) => Some((*at_ms, *until_ms)),
            _ => None,
        })
        .collect();
    let expected = [(60_000, 120_000), (110_000, 290_000), (280_000, 580_000)];
    assert_eq!(renewals, expected);
    assert_eq!(stage.committed(0), Some(1));
}

#[test]
fn a_crashed_push_consumer_blocks_its_queue_for_two_minutes() {
    let mut more = Stage::messages(0, 0, &[("a", 1)]);
    let slow = lockstep_core::command::HandlerRule {
        group: None,
        client: Some("c1".into()),
        label: None,
        attempts: Attempts::All,
        outcome: None,
        handle_ms: Some(900_000),
    };
    more.push((0, Command::Handle(slow)));
    // Heartbeats at 8 000, 18 000 …
    more.push(push(7_000));
    more.push((12_000, Command::StopConsumer { name: "c1".into(), how: StopKind::Crash }));
    more.push(start(12_500, "c2", GrpcKind::Push));
    let mut stage = Stage::newest(1, more);
    stage.until(200_000);
    assert_eq!(stage.when(|f| matches!(f, PopFact::ClientDropped { silent: true, .. })), [130_000]);
    let visible = |f: &PopFact| matches!(f, PopFact::InvisibleChanged { until_ms: 131_000, .. });
    assert_eq!(stage.when(visible), [130_000]);
    assert_eq!(called(&stage).last(), Some(&(131_100, "a1".to_owned())));
}

#[test]
fn a_clean_stop_gives_its_messages_back() {
    let mut more = Stage::messages(0, 0, &[("a", 1), ("a", 2)]);
    let backoff = Backoff::Customized([50_000].into());
    more.push(group(PopSetting::Backoff(backoff)));
    more.push(handle("a", 1, Attempts::All, Outcome::Later));
    more.push(push(1_000));
    more.push((4_000, Command::StopConsumer { name: "c1".into(), how: StopKind::Clean }));
    let mut stage = Stage::newest(1, more);
    stage.until(60_000);
    // The receive under way ends at 21 960 (long poll from 2 000); the next check is at 22 000.
    assert_eq!(stage.when(|f| matches!(f, PopFact::ClientDropped { silent: false, .. })), [23_000]);
    let visible = |f: &PopFact| matches!(f, PopFact::InvisibleChanged { until_ms: 24_000, .. });
    assert_eq!(stage.when(visible).len(), 2);
}

fn scripted(at_ms: Ms, command_: PopCommand) -> (Ms, Command) {
    command(at_ms, command_)
}

fn receive(at_ms: Ms, max: u32, invisible_ms: Ms) -> (Ms, Command) {
    let consumer = "s".to_owned();
    scripted(at_ms, PopCommand::Receive { consumer, max, invisible_ms, await_ms: 20_000 })
}

#[test]
fn a_simple_consumer_gets_the_same_offsets_again_and_a_late_handle_is_refused() {
    let mut more = Stage::messages(0, 0, &[("a", 1), ("a", 2)]);
    more.push(start(500, "s", GrpcKind::Simple(SimpleMode::Scripted)));
    more.push(receive(1_000, 2, 10_000));
    let ack = |at_ms| {
        let message = Some(lockstep_core::command::MessageSpec::new("a", 1).label);
        scripted(at_ms, PopCommand::Ack { consumer: "s".into(), message })
    };
    more.push(ack(11_000));
    more.push(receive(12_000, 2, 10_000));
    more.push(ack(12_500));
    let mut stage = Stage::newest(1, more);
    stage.until(20_000);
    assert_eq!(stage.when(|f| matches!(f, PopFact::HandleExpired { .. })), [11_000]);
    let attempts: Vec<(Ms, u16)> =
        stage.popped().into_iter().map(|(at_ms, _, attempt)| (at_ms, attempt)).collect();
    assert_eq!(attempts, [(1_000, 1), (1_000, 1), (12_000, 2), (12_000, 2)]);
    assert_eq!(stage.committed(0), Some(1));
}

#[test]
fn illegal_invisible_times_are_refused() {
    let more = vec![
        start(0, "s", GrpcKind::Simple(SimpleMode::Scripted)),
        receive(1_000, 1, 0),
        receive(2_000, 1, 604_800_000),
    ];
    let mut stage = Stage::newest(1, more);
    stage.until(5_000);
    let code = GrpcCode::IllegalInvisibleTime;
    let refused = |f: &PopFact| matches!(f, PopFact::ReceivedNothing { code: c, .. } if *c == code);
    assert_eq!(stage.when(refused), [1_000, 2_000]);
}

#[test]
fn used_up_attempts_end_in_the_dead_letter_queue_on_receive() {
    let mut more = Stage::messages(0, 0, &[("a", 1), ("a", 2)]);
    more.push(group(PopSetting::RetryMaxTimes(1)));
    more.push(start(500, "s", GrpcKind::Simple(SimpleMode::Scripted)));
    for at_ms in [1_000, 12_000, 23_000, 24_000] {
        more.push(receive(at_ms, 1, 10_000));
    }
    let mut stage = Stage::newest(1, more);
    stage.until(23_500);
    // Two attempts; the third delivery carries reconsumeTimes 2.
    assert_eq!(stage.when(|f| matches!(f, PopFact::DeadOnReceive { .. })), [23_000]);
    stage.until(30_000);
    assert_eq!(stage.labels().last().map(String::as_str), Some("a2"));
}

#[test]
fn loops_of_a_simple_consumer_keep_the_order() {
    let labels: Vec<(&str, u32)> = (1..6).map(|n| ("a", n)).collect();
    let mut more = Stage::messages(0, 0, &labels);
    more.push(handle("a", 2, Attempts::First(1), Outcome::Later));
    let mode = SimpleMode::Loops { max: 2, invisible_ms: 10_000, await_ms: 20_000, loops: 3 };
    more.push(start(1_000, "s", GrpcKind::Simple(mode)));
    let mut stage = Stage::newest(1, more);
    stage.until(60_000);
    let order: Vec<String> = called(&stage).into_iter().map(|(_, label)| label).collect();
    assert_eq!(order, ["a1", "a2", "a2", "a3", "a4", "a5"]);
    assert_eq!(stage.committed(0), Some(5));
}

#[test]
fn an_unordered_group_handles_side_by_side_and_retries_through_the_broker() {
    let mut more = Stage::messages(0, 0, &[("a", 1), ("a", 2)]);
    more.push(group(PopSetting::Orderly(false)));
    more.push(handle("a", 1, Attempts::First(1), Outcome::Later));
    more.push(push(1_000));
    let mut stage = Stage::newest(1, more);
    stage.until(60_000);
    let calls = stage.calls();
    let first: Vec<&str> = calls.iter().take(2).map(|(_, label, _)| label.as_str()).collect();
    assert_eq!(first, ["a1", "a2"]);
    assert_eq!(calls.iter().filter(|(_, label, _)| label == "a1").count(), 2);
    // nack makes it visible after 1 s; the copy follows after 2 s more.
    let revived = stage.when(|f| matches!(f, PopFact::Revived { .. }));
    assert_eq!(revived, [5_100]);
}

#[test]
fn a_simple_consumer_takes_the_queues_in_turn_and_so_a_broker_several_times() {
    let mode = SimpleMode::Loops { max: 1, invisible_ms: 30_000, await_ms: 5_000, loops: 1 };
    let create = Command::CreateProducer {
        name: "p".into(),
        topic: Some(TOPIC.into()),
        selector: Selector::RoundRobin,
        mode: SendMode::Sync,
        threads: 1,
    };
    let messages = (1..=32).map(|n| MessageSpec::new("A", n)).collect();
    let send =
        Command::Send { producer: "p".into(), topic: None, thread: 0, messages, every_ms: 0 };
    let more = vec![
        (0, Command::AddBroker { name: "b2".into() }),
        (0, create),
        (10, send),
        start(1_000, "c", GrpcKind::Simple(mode)),
    ];
    let mut stage = Stage::newest(4, more);
    stage.until(2_000);
    let of = |(_, fact): &(i64, Fact)| match fact {
        Fact::Pop(PopFact::Popped { queue, .. }) => Some(queue.broker.0),
        _ => None,
    };
    let brokers: Vec<u8> = stage.facts.iter().filter_map(of).take(12).collect();
    // By name b2 comes first.
    assert_eq!(brokers, [1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1]);
}
