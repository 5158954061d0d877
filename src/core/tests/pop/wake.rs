//! Long polling: who is woken, by what, when.

use crate::stage::Stage;
use lockstep_core::ids::GroupId;
use lockstep_core::model::{Model, Version};
use lockstep_core::pop::{PopFact, Wake};

fn woken(stage: &Stage, wanted: Wake) -> Vec<i64> {
    stage.when(|f| matches!(f, PopFact::PollWoken { why, .. } if *why == wanted))
}

#[test]
fn an_idle_poll_runs_once_more_before_its_time_is_over() {
    let mut stage = Stage::newest(1, Vec::new());
    stage.until(0);
    stage.pop_at(0, |p| p.poll_ms = 20_000);
    stage.until(30_000);
    assert_eq!(woken(&stage, Wake::Expiry), [19_960]);
}

/// One queue with two messages, both popped at `pop_ms`; acknowledged at the given instants.
fn acked(pop_ms: i64, origin_ms: i64, acks: [i64; 2], version: Version) -> Stage {
    let more = Stage::messages(0, 0, &[("a", 0), ("a", 1), ("a", 2)]);
    let mut stage = Stage::new(Model::of(version), 1, more);
    stage.until(0);
    let queue = stage.queue(0);
    let broker = std::rc::Rc::make_mut(&mut stage.world.brokers[0]);
    broker.pop.wheel.origin_ms = Some(origin_ms);
    // 5.0.0 would begin with the newest message.
    broker.offsets.insert((GroupId(0), queue), 0);
    stage.pop_at(pop_ms, |p| p.max = 2);
    stage.until(pop_ms);
    stage.pop_at(pop_ms + 1, |p| p.poll_ms = 20_000);
    for (offset, at_ms) in (0..).zip(acks) {
        let handle = stage.handle(0, offset);
        stage.settle_at(at_ms, handle, None);
    }
    stage.until(60_000);
    stage
}

#[test]
fn the_last_acknowledgement_wakes_a_broker_wide_poll_by_the_timer() {
    assert_eq!(woken(&acked(500, 0, [1_000, 1_234], Version(5, 3, 3)), Wake::LockFree), [1_300]);
    assert_eq!(woken(&acked(500, 0, [1_000, 1_300], Version(5, 3, 3)), Wake::LockFree), [1_400]);
}

#[test]
fn without_the_timer_it_sleeps_on() {
    let stage = acked(500, 0, [1_000, 1_234], Version(5, 0, 0));
    assert!(woken(&stage, Wake::LockFree).is_empty() && woken(&stage, Wake::Acked).is_empty());
    // Its time is over at 20 501.
    assert_eq!(woken(&stage, Wake::Expiry), [20_460]);
}

#[test]
fn a_poll_of_the_very_queue_is_woken_at_once() {
    let more = Stage::messages(0, 0, &[("a", 0), ("a", 1)]);
    let mut stage = Stage::newest(1, more);
    stage.until(0);
    stage.pop_at(500, |p| p.max = 1);
    stage.until(500);
    stage.pop_at(501, |p| (p.queue, p.poll_ms) = (Some(0), 20_000));
    let handle = stage.handle(0, 0);
    stage.settle_at(1_234, handle, None);
    stage.until(2_000);
    assert_eq!(woken(&stage, Wake::Acked), [1_234]);
    assert_eq!(stage.popped().last().map(|(at_ms, ..)| *at_ms), Some(1_234));
}

#[test]
fn a_block_that_runs_out_wakes_within_a_tick() {
    let more = Stage::messages(0, 0, &[("a", 0)]);
    let mut stage = Stage::newest(1, more);
    stage.until(0);
    stage.pop_at(1_000, |p| (p.max, p.invisible_ms) = (1, 30_000));
    stage.pop_at(20_000, |p| p.poll_ms = 20_000);
    stage.until(60_000);
    assert_eq!(woken(&stage, Wake::LockFree), [31_100]);
    assert_eq!(stage.popped()[1].0, 31_100);
}

#[test]
fn a_later_offset_that_is_hidden_longer_gets_no_second_wake_up() {
    let labels: Vec<(&str, u32)> = (0..7).map(|n| ("a", n)).collect();
    let mut stage = Stage::newest(1, Stage::messages(0, 0, &labels));
    stage.until(0);
    let queue = stage.queue(0);
    let broker = std::rc::Rc::make_mut(&mut stage.world.brokers[0]);
    broker.offsets.insert((GroupId(0), queue), 5);
    stage.pop_at(0, |p| (p.max, p.invisible_ms) = (2, 10_000));
    stage.until(0);
    let fifth = stage.handle(0, 5);
    stage.settle_at(0, fifth, Some(3_000));
    stage.pop_at(0, |p| p.poll_ms = 20_000);
    stage.until(60_000);
    assert_eq!(woken(&stage, Wake::LockFree), [3_100]);
    assert_eq!(stage.popped().last().map(|(at_ms, ..)| *at_ms), Some(19_960));
}

#[test]
fn the_earliest_expiry_is_woken_first_then_the_earliest_arrival() {
    let mut stage = Stage::newest(1, Stage::messages(1_000, 0, &[("a", 0)]));
    stage.until(0);
    for (poll_ms, token) in [(30_000, 7), (25_000, 8), (25_000, 9)] {
        stage.pop_at(10, |p| (p.poll_ms, p.rpc.token) = (poll_ms, token));
    }
    stage.until(1_000);
    assert_eq!(woken(&stage, Wake::Arrival), [1_000]);
    let left: Vec<u32> = stage.world.brokers[0].pop.polls.iter().map(|p| p.rpc.token).collect();
    assert_eq!(left, [9, 7]);
}
