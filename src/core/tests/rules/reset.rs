//! Resets of consumer offsets, server side and legacy.

use crate::play::Play;
use lockstep_core::command::{Command, ListenerKind, Refusal, ResetTarget, Selector, SendMode};
use lockstep_core::fact::{Fact, ResetHow, StopKind};
use lockstep_core::model::Version;

/// Ten messages before the start of an orderly consumer whose first pull is made at 2 000 (5.2.0+).
fn play(version: Version) -> Play {
    let mut play = Play::new(version, 1, ListenerKind::Orderly);
    play.producer(0, "p", Selector::Queue(0), SendMode::Sync);
    play.send(100, "p", 0..10);
    play.start(500, "c");
    play
}

fn again(play: &Play, from_ms: i64) -> Vec<(i64, u32)> {
    play.handled().into_iter().filter(|(at, _)| *at >= from_ms).collect()
}

#[test]
fn an_idle_queue_takes_a_reset_up_when_its_held_pull_ends() {
    let mut play = play(Version(5, 3, 3));
    play.reset(6_000, Some(0), ResetTarget::Offset(7));
    play.until(30_000);
    assert_eq!(play.when(|f| matches!(f, Fact::ResetConsumed { offset: 7, .. })), [20_000]);
    assert_eq!(play.when(|f| matches!(f, Fact::OffsetCorrected { corrected: 7, .. })), [20_000]);
    assert_eq!(again(&play, 6_000), [(20_500, 7), (20_500, 8), (20_500, 9)]);
    // The client pushes its offset every five seconds, but that counts only after the reset.
    let ignored = play.when(|f| matches!(f, Fact::OffsetUpdateIgnored { .. }));
    assert_eq!(ignored, [10_500, 15_500]);
    assert_eq!(play.offset(play.queue(0)), Some(10));
}

#[test]
fn a_message_that_arrives_takes_a_reset_up_at_once() {
    let mut play = play(Version(5, 3, 3));
    play.reset(6_000, None, ResetTarget::Time(0));
    play.send(7_000, "p", 10..11);
    play.until(20_000);
    assert_eq!(play.when(|f| matches!(f, Fact::ResetConsumed { offset: 0, .. })), [7_000]);
    assert_eq!(again(&play, 6_000).len(), 11);
}

#[test]
fn the_broker_refuses_with_its_own_texts() {
    let mut play = play(Version(5, 3, 3));
    play.reset(6_000, Some(0), ResetTarget::Offset(12));
    for (group, topic) in [("billing", "nothing"), ("nobody", "orders")] {
        let (group, topic) = (group.to_owned(), topic.to_owned());
        let (broker, queue, target) = (None, None, ResetTarget::Latest);
        play.at(6_000, Command::ResetOffset { group, topic, broker, queue, target, force: true });
    }
    play.reset(6_000, None, ResetTarget::Offset(1));
    play.until(6_000);
    let text = |code, text: &str| Refusal::Broker { code, text: text.to_owned() };
    assert_eq!(
        play.refusals(),
        [
            text(1, "Target offset 12 not in consume queue range [0-10]"),
            text(17, "Topic nothing does not exist"),
            text(26, "Group nobody does not exist"),
            Refusal::OutOfRange { what: "queue", value: -1, min: 0, max: 0 },
        ]
    );
}

#[test]
fn a_broker_that_restarts_forgets_a_pending_reset() {
    let mut play = play(Version(5, 3, 3));
    play.at(5_900, Command::StopConsumer { name: "c".to_owned(), how: StopKind::Clean });
    play.reset(6_000, None, ResetTarget::Time(0));
    let how = lockstep_core::fact::BrokerStop::Crash;
    play.at(9_000, Command::StopBroker { broker: None, how });
    play.at(9_100, Command::StartBroker { broker: None });
    play.until(9_200);
    assert!(play.world.brokers[0].pending_resets.is_empty());
    assert_eq!(play.offset(play.queue(0)), None, "the offsets had never been written");
}

#[test]
fn the_legacy_reset_pauses_the_clients_for_ten_seconds() {
    for (version, pull_ms) in [(Version(4, 9, 8), 40_000), (Version(5, 1, 4), 40_500)] {
        let mut play = play(version);
        play.reset(30_000, None, ResetTarget::Time(0));
        play.until(60_000);
        let how = ResetHow::Clients;
        let set = |f: &Fact| matches!(f, Fact::OffsetReset { how: h, offset: 0, .. } if *h == how);
        assert_eq!(play.when(set), [30_000]);
        assert_eq!(
            play.when(|f| matches!(f, Fact::ResetReceived { until_ms: 40_000, .. })),
            [30_000]
        );
        let second = again(&play, 30_000);
        assert_eq!(second.first(), Some(&(pull_ms, 0)), "{version}");
        assert_eq!(second.len(), 10);
    }
}

#[test]
fn the_legacy_reset_writes_itself_when_nobody_is_online() {
    let mut play = play(Version(5, 1, 4));
    play.at(20_000, Command::StopConsumer { name: "c".to_owned(), how: StopKind::Clean });
    play.reset(30_000, None, ResetTarget::Time(0));
    play.reset(31_000, Some(0), ResetTarget::Time(0));
    play.reset(32_000, Some(0), ResetTarget::Latest);
    play.until(33_000);
    let how = |f: &Fact| match f {
        Fact::OffsetReset { how: ResetHow::Direct, offset, .. } => Some(*offset),
        _ => None,
    };
    assert_eq!(play.pick(how), [(30_000, 0), (32_000, 10)]);
    assert_eq!(play.refusals(), [Refusal::SkippedByTool]);
}

#[test]
fn the_legacy_reset_needs_an_offset_of_every_write_queue() {
    let mut play = Play::new(Version(4, 9, 8), 2, ListenerKind::Orderly);
    play.reset(1_000, None, ResetTarget::Time(0));
    play.reset(1_000, Some(0), ResetTarget::Offset(0));
    play.until(1_000);
    let text = "THe consumer group <billing> not exist".to_owned();
    let newer = Refusal::NotInThisVersion {
        what: "resets of one queue to an offset",
        since: Some(Version(5, 1, 0)),
    };
    let expected = [Refusal::Broker { code: 1, text }, newer];
    assert_eq!(play.refusals(), expected);
}
