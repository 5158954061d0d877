//! Ordered POP: visit order, block, counts, offsets.

use crate::stage::{command, group, Stage};
use lockstep_core::broker::pop::AttemptId;
use lockstep_core::ids::GroupId;
use lockstep_core::model::{Blocking, Model, Version};
use lockstep_core::pop::{AckResult, PopCommand, PopFact, PopSetting};

fn two_queues() -> Vec<(i64, lockstep_core::command::Command)> {
    let mut more = Stage::messages(0, 0, &[("a", 1), ("a", 2)]);
    more.extend(Stage::messages(0, 1, &[("b", 1), ("b", 2), ("b", 3)]));
    more
}

fn pops_from(r: i64) -> (Vec<String>, usize) {
    let mut model = Model::of(Version(5, 3, 3));
    model.pop_start_random = r;
    let mut stage = Stage::new(model, 2, two_queues());
    stage.until(10);
    stage.pop_at(20, |p| p.max = 4);
    stage.until(20);
    let first = stage.labels();
    stage.pop_at(30, |p| p.max = 4);
    stage.until(30);
    (first.clone(), stage.labels().len() - first.len())
}

#[test]
fn one_answer_collects_queue_by_queue_and_blocks_each() {
    let own = |labels: &[&str]| labels.iter().map(|l| (*l).to_owned()).collect::<Vec<_>>();
    assert_eq!(pops_from(0), (own(&["a1", "a2", "b1", "b2"]), 0));
    assert_eq!(pops_from(1), (own(&["b1", "b2", "b3", "a1"]), 0));
}

#[test]
fn an_unfinished_message_blocks_the_whole_queue() {
    let more = Stage::messages(0, 0, &[("a", 1), ("d", 1), ("a", 2)]);
    let mut stage = Stage::newest(1, more);
    stage.until(10);
    stage.pop_at(20, |p| p.max = 1);
    stage.pop_at(30, |p| p.max = 1);
    stage.until(40);
    assert_eq!(stage.labels(), ["a1"]);
    let blocked =
        |f: &PopFact| matches!(f, PopFact::PopBlocked { offset: 0, until_ms: 30_020, .. });
    assert_eq!(stage.when(blocked), [30]);
}

#[test]
fn in_the_articles_model_only_the_own_group_waits() {
    let model = Model { blocking: Blocking::MessageGroup, ..Model::of(Version(5, 3, 3)) };
    let more = Stage::messages(0, 0, &[("a", 1), ("d", 1), ("a", 2), ("d", 2)]);
    let mut stage = Stage::new(model, 1, more);
    stage.until(10);
    stage.pop_at(20, |p| p.max = 1);
    stage.pop_at(30, |p| p.max = 32);
    stage.until(40);
    assert_eq!(stage.labels(), ["a1", "d1", "d2"]);
    let d1 = stage.handle(0, 1);
    stage.settle_at(50, d1, None);
    stage.until(50);
    assert_eq!(stage.committed(0), Some(0));
    let a1 = stage.handle(0, 0);
    stage.settle_at(60, a1, None);
    stage.pop_at(60, |p| p.max = 32);
    stage.until(60);
    assert_eq!((stage.committed(0), stage.labels().last().unwrap().as_str()), (Some(2), "a2"));
}

#[test]
fn an_acknowledged_message_behind_an_open_one_comes_again() {
    let more = Stage::messages(0, 0, &[("a", 0), ("a", 1), ("a", 2), ("a", 3)]);
    let mut stage = Stage::newest(1, more);
    stage.until(10);
    stage.pop_at(100, |p| (p.max, p.invisible_ms) = (3, 10_000));
    stage.until(100);
    let (first, third) = (stage.handle(0, 0), stage.handle(0, 2));
    stage.settle_at(200, first, None);
    stage.settle_at(210, third, None);
    stage.pop_at(10_099, |p| p.max = 3);
    stage.pop_at(10_100, |p| p.max = 3);
    stage.until(10_100);
    let again: Vec<(String, u16)> =
        stage.popped().into_iter().skip(3).map(|(_, label, attempt)| (label, attempt)).collect();
    assert_eq!(again, [("a1".to_owned(), 2), ("a2".to_owned(), 2), ("a3".to_owned(), 1)]);
    // A late acknowledgement of the first delivery changes nothing.
    stage.settle_at(10_200, third, None);
    stage.until(10_200);
    let late = |f: &PopFact| matches!(f, PopFact::Acked { result: AckResult::Nothing, .. });
    assert_eq!(stage.when(late), [10_200]);
}

#[test]
fn the_same_attempt_is_served_again_uncounted() {
    let mut stage = Stage::newest(1, Stage::messages(0, 0, &[("a", 0)]));
    stage.until(10);
    let pops = [(0, None), (10_000, Some(1)), (10_001, Some(1)), (20_001, Some(2))];
    let more = [(20_002, Some(2)), (30_002, None)];
    for (t, attempt) in pops.into_iter().chain(more) {
        stage.pop_at(1_000 + t, |p| {
            (p.max, p.invisible_ms, p.attempt) = (1, 10_000, attempt.map(AttemptId));
        });
    }
    stage.until(50_000);
    let counts: Vec<u16> = stage.popped().into_iter().map(|(_, _, attempt)| attempt - 1).collect();
    assert_eq!(counts, [0, 1, 1, 2, 2, 3]);
}

#[test]
fn a_corrected_start_is_written_back_until_the_first_acknowledgement() {
    let labels: Vec<(&str, u32)> = (0..20).map(|n| ("a", n)).collect();
    let mut stage = Stage::newest(1, Stage::messages(0, 0, &labels));
    stage.until(10);
    let queue = stage.queue(0);
    let broker = std::rc::Rc::make_mut(&mut stage.world.brokers[0]);
    broker.store.set_min_offset(queue, 10);
    broker.offsets.insert((GroupId(0), queue), 5);
    stage.pop_at(20, |p| p.max = 3);
    stage.until(20);
    assert_eq!(stage.labels(), ["a10", "a11", "a12"]);
    assert_eq!(stage.committed(0), Some(5));
    let first = stage.handle(0, 10);
    stage.settle_at(30, first, None);
    stage.until(30);
    assert_eq!(stage.committed(0), Some(11));
}

#[test]
fn illegal_acknowledgements_are_told_apart() {
    let labels: Vec<(&str, u32)> = (0..20).map(|n| ("a", n)).collect();
    let mut stage = Stage::newest(1, Stage::messages(0, 0, &labels));
    stage.until(10);
    stage.pop_at(20, |p| p.max = 2);
    stage.until(20);
    let popped = stage.handle(0, 0);
    let at = |offset| lockstep_core::grpc::Handle { offset, ..popped };
    stage.settle_at(30, at(15), None);
    stage.settle_at(31, at(21), None);
    stage.settle_at(32, at(0), None);
    stage.settle_at(33, at(0), None);
    let queue = lockstep_core::ids::MessageQueue { id: 1, ..popped.queue };
    stage.settle_at(34, lockstep_core::grpc::Handle { queue, ..popped }, None);
    stage.until(40);
    let results: Vec<AckResult> = stage
        .facts
        .iter()
        .filter_map(|(_, fact)| match fact {
            lockstep_core::fact::Fact::Pop(PopFact::Acked { result, .. }) => Some(*result),
            _ => None,
        })
        .collect();
    let expected = [
        AckResult::Illegal,
        AckResult::NoMessage,
        AckResult::Next(1),
        AckResult::Below,
        AckResult::Unreadable,
    ];
    assert_eq!(results, expected);
}

#[test]
fn without_order_the_next_message_comes_before_the_first_is_done_and_copies_follow() {
    let mut more = Stage::messages(0, 0, &[("a", 0), ("a", 1)]);
    more.push(group(PopSetting::Orderly(false)));
    let mut stage = Stage::newest(1, more);
    stage.until(10);
    stage.pop_at(1_000, |p| (p.max, p.ordered, p.invisible_ms) = (1, false, 20_000));
    stage.pop_at(1_001, |p| (p.max, p.ordered, p.invisible_ms) = (1, false, 90_000));
    stage.until(30_000);
    assert_eq!(stage.labels(), ["a0", "a1"]);
    let revived = stage.when(|f| matches!(f, PopFact::Revived { .. }));
    assert_eq!(revived, [23_100]);
    stage.pop_at(40_000, |p| p.ordered = false);
    stage.until(40_000);
    assert_eq!(
        stage.popped().last().map(|(_, label, n)| (label.clone(), *n)),
        Some(("a0".into(), 2))
    );
}

#[test]
fn records_survive_a_crash_as_they_were_written() {
    use lockstep_core::command::Command;
    use lockstep_core::fact::BrokerStop;
    let mut more = Stage::messages(0, 0, &[("a", 0), ("a", 1)]);
    more.push((15_000, Command::StopBroker { broker: None, how: BrokerStop::Crash }));
    more.push((16_000, Command::StartBroker { broker: None }));
    let mut stage = Stage::newest(1, more);
    stage.until(10);
    stage.pop_at(1_000, |p| (p.max, p.invisible_ms) = (1, 30_000));
    stage.until(1_000);
    let first = stage.handle(0, 0);
    stage.settle_at(12_000, first, None);
    stage.until(17_000);
    // The file of 10 000 does not know the acknowledgement of 12 000; the offset's file of 15 000
    // was not written.
    stage.pop_at(18_000, |p| p.max = 1);
    stage.until(18_000);
    assert_eq!(stage.labels(), ["a0"]);
    stage.pop_at(31_000, |p| p.max = 1);
    stage.until(31_000);
    assert_eq!(stage.labels(), ["a0", "a0"]);
}

#[test]
fn commands_of_the_second_stack_are_refused_in_4_x() {
    let kind = lockstep_core::pop::GrpcKind::Push;
    let (name, threads) = ("c".to_owned(), None);
    let start = PopCommand::Start { name, group: "G".into(), kind, threads };
    let mut stage = Stage::new(Model::of(Version(4, 9, 8)), 1, vec![command(5, start)]);
    while stage.world.step(&stage.journal) {}
    let refused = stage.world.refusal(3);
    assert_eq!(refused, Some(&lockstep_core::command::Refusal::NotInThisVersion));
}

/// A classic orderly consumer on one queue with messages of two groups; a1 fails twice.
fn classic(blocking: Blocking) -> Stage {
    use lockstep_core::command::{Attempts, Command};
    let model = Model { blocking, ..Model::of(Version(5, 3, 3)) };
    let mut more = Stage::messages(0, 0, &[("a", 1), ("d", 1), ("a", 2), ("d", 2)]);
    let later = lockstep_core::fact::Outcome::Later;
    more.push(crate::stage::handle("a", 1, Attempts::First(2), later));
    let (name, threads) = ("c1".to_owned(), None);
    more.push((1_000, Command::StartConsumer { name, group: "G".into(), threads }));
    more.extend(Stage::messages(3_000, 0, &[("a", 3), ("d", 3)]));
    let mut stage = Stage::new(model, 1, more);
    stage.until(20_000);
    stage
}

#[test]
fn the_classic_client_suspends_the_queue_or_only_the_group() {
    let of = |stage: &Stage| -> Vec<(i64, String)> {
        stage.calls().into_iter().map(|(at_ms, label, _)| (at_ms, label)).collect()
    };
    let own = |calls: &[(i64, &str)]| -> Vec<(i64, String)> {
        calls.iter().map(|(at_ms, label)| (*at_ms, (*label).to_owned())).collect()
    };
    let queue = classic(Blocking::Queue);
    let expected = [
        (2_500, "a1"),
        (3_500, "a1"),
        (4_500, "a1"),
        (4_500, "d1"),
        (4_500, "a2"),
        (4_500, "d2"),
        (4_500, "a3"),
        (4_500, "d3"),
    ];
    assert_eq!(of(&queue), own(&expected));
    let group = classic(Blocking::MessageGroup);
    let expected = [
        (2_500, "a1"),
        (2_500, "d1"),
        (2_500, "d2"),
        (3_000, "d3"),
        (3_500, "a1"),
        (4_500, "a1"),
        (4_500, "a2"),
        (4_500, "a3"),
    ];
    assert_eq!(of(&group), own(&expected));
    for stage in [queue, group] {
        let client = stage.world.clients[0].classic().unwrap();
        assert_eq!(client.offsets.values().copied().collect::<Vec<_>>(), [6, 0]);
    }
}
