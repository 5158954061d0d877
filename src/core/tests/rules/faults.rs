//! Lost packets, duplicates, clocks.

use crate::play::Play;
use lockstep_core::command::{
    Attempts, Command, GroupSetting, HandlerRule, ListenerKind, MessageSpec, Selector, SendMode,
};
use lockstep_core::event::PacketKind;
use lockstep_core::fact::{Fact, LockMissing, Outcome, RequestKind};
use lockstep_core::model::Version;

const NEW: Version = Version(5, 3, 3);

fn play(listener: ListenerKind) -> Play {
    let mut play = Play::new(NEW, 1, listener);
    play.producer(0, "p", Selector::RoundRobin, SendMode::Sync);
    play.start(500, "c");
    play
}

fn lose(play: &mut Play, at_ms: i64, kind: PacketKind, count: u32, noticed: bool) {
    play.at(at_ms, Command::DropNext { from: None, to: None, kind, count, noticed });
}

fn fail_always(play: &mut Play) {
    let (group, client, label, handle_ms) = (None, None, None, None);
    let (attempts, outcome) = (Attempts::All, Some(Outcome::Later));
    let rule = HandlerRule { group, client, label, attempts, outcome, handle_ms };
    play.at(0, Command::Handle(rule));
}

#[test]
fn an_answer_lost_with_its_connection_stores_a_message_twice() {
    let mut play = play(ListenerKind::Orderly);
    lose(&mut play, 5_000, PacketKind::SendAnswer, 1, true);
    play.send(5_000, "p", 0..1);
    play.until(9_000);
    assert_eq!(play.when(|f| matches!(f, Fact::MessageStored { .. })), [5_000, 5_000]);
    assert_eq!(play.when(|f| matches!(f, Fact::SendCompleted { .. })), [5_000]);
    assert_eq!(play.handled().len(), 2);
}

#[test]
fn an_answer_lost_silently_uses_up_the_time_of_all_attempts() {
    let mut play = play(ListenerKind::Orderly);
    lose(&mut play, 5_000, PacketKind::SendAnswer, 1, false);
    play.send(5_000, "p", 0..1);
    play.until(9_000);
    assert_eq!(play.when(|f| matches!(f, Fact::SendFailed { .. })), [8_000]);
    assert_eq!(play.handled().len(), 1, "it was stored all the same");
}

#[test]
fn a_lost_pull_is_repeated_after_its_time_out() {
    let mut play = play(ListenerKind::Orderly);
    // The pulls of the queue and of the retry topic.
    lose(&mut play, 1_900, PacketKind::Pull, 2, false);
    play.send(5_000, "p", 0..1);
    play.until(60_000);
    let lost = |f: &Fact| matches!(f, Fact::RequestTimedOut { request: RequestKind::Pull, .. });
    let at = play.when(lost);
    assert_eq!(play.handled(), [(at[0] + 1_000, 0)]);
}

#[test]
fn a_clock_that_jumps_ahead_ends_the_clients_trust_in_its_lock() {
    let mut play = play(ListenerKind::Orderly);
    play.at(3_000, Command::SetClock { party: "c".to_owned(), ahead_ms: 31_000 });
    play.send(5_000, "p", 0..1);
    play.until(9_000);
    let expired = |f: &Fact| matches!(f, Fact::LockMissing { reason: LockMissing::Expired, .. });
    assert_eq!(play.when(expired), [5_000]);
    assert_eq!(play.handled(), [(5_110, 0)], "re-lock after 100 ms, then 10 ms");
}

fn scheduled(ahead_ms: i64) -> Vec<i64> {
    let mut play = play(ListenerKind::Orderly);
    let spec = MessageSpec { delay_level: 3, ..MessageSpec::new("m", 0) };
    play.send_specs(10_000, "p", vec![spec]);
    play.at(15_000, Command::SetClock { party: "broker".to_owned(), ahead_ms });
    play.until(60_000);
    play.when(|f| matches!(f, Fact::MessagePutBack { .. }))
}

#[test]
fn delay_levels_follow_the_brokers_clock() {
    assert_eq!(scheduled(0), [20_000]);
    assert_eq!(scheduled(3_000), [17_000], "ahead: due earlier");
    assert_eq!(scheduled(-3_000), [23_000], "behind: due later");
    // Due 20 000 lies more than the level's 10 s ahead of 9 900: it is due now.
    assert_eq!(scheduled(-5_100), [15_000]);
    assert_eq!(scheduled(10_000), [15_000]);
}

#[test]
fn a_dead_letter_is_sent_three_times_before_it_counts_as_failed() {
    for (lost, failed) in [(2, 0), (3, 1)] {
        let mut play = play(ListenerKind::Orderly);
        play.set(0, GroupSetting::MaxReconsumeTimes(0));
        fail_always(&mut play);
        lose(&mut play, 3_000, PacketKind::SendBack, lost, true);
        play.send(5_000, "p", 0..1);
        play.until(5_500);
        let dead = play.when(|f| matches!(f, Fact::DeadLettered { .. })).len();
        assert_eq!(dead as u32, 1 - failed);
        let back = play.when(|f| matches!(f, Fact::SendBackFailed { .. })).len();
        assert_eq!(back as u32, failed);
        let suspended = play.when(|f| matches!(f, Fact::QueueSuspended { .. })).len();
        assert_eq!(suspended as u32, failed);
    }
}

#[test]
fn a_failed_send_back_becomes_a_normal_message() {
    let mut play = play(ListenerKind::Concurrent);
    fail_always(&mut play);
    lose(&mut play, 3_000, PacketKind::SendBack, 1, false);
    play.send(5_000, "p", 0..1);
    play.until(11_000);
    let sent = play.when(|f| matches!(f, Fact::SentBack { level: 3, .. }));
    assert_eq!(sent, [10_000], "after the time-out of five seconds");
    assert!(play.when(|f| matches!(f, Fact::SendBackFailed { .. })).is_empty());
}
