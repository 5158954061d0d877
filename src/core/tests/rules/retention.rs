//! What leaves the store.

use crate::play::Play;
use lockstep_core::broker::GetStatus;
use lockstep_core::command::{Command, ListenerKind, Selector, SendMode};
use lockstep_core::fact::{BrokerStop, DeleteReason, Fact, SendFailure};
use lockstep_core::ids::Ms;
use lockstep_core::model::Version;
use std::rc::Rc;

const HOUR_MS: Ms = 3_600_000;

/// Twelve records of 191 bytes in segments of 1 000: three segments, the last one active.
fn play() -> Play {
    let mut play = Play::new(Version(5, 3, 3), 1, ListenerKind::Concurrent);
    play.constant("mappedFileSizeCommitLog", 1_000);
    play.producer(0, "p", Selector::Queue(0), SendMode::Sync);
    play.send(1_000, "p", 0..12);
    play
}

fn segments(play: &Play) -> Vec<(Ms, (u32, DeleteReason))> {
    play.pick(|f| match f {
        Fact::SegmentDeleted { messages, reason, .. } => Some((*messages, *reason)),
        _ => None,
    })
}

#[test]
fn expired_segments_go_at_four_in_the_morning() {
    let mut play = play();
    play.until(76 * HOUR_MS - 1);
    assert!(segments(&play).is_empty(), "72 hours are over, but it is not the hour");
    play.until(100 * HOUR_MS);
    let expired = (76 * HOUR_MS, (5, DeleteReason::Expired));
    assert_eq!(segments(&play), [expired, expired]);
    let queue = play.queue(0);
    assert_eq!(play.world.brokers[0].store.range(queue), (10, 12));
    assert_eq!(play.when(|f| matches!(f, Fact::MessageDeleted { .. })).len(), 10);
    let raised = |f: &Fact| matches!(f, Fact::MinOffsetRaised { min: 10, .. });
    assert_eq!(play.when(raised), [76 * HOUR_MS]);
}

#[test]
fn a_disk_that_fills_deletes_at_any_hour_and_a_full_one_anything() {
    let mut filling = play();
    filling.at(73 * HOUR_MS + 5, Command::SetDisk { broker: None, used_percent: 76 });
    filling.until(75 * HOUR_MS);
    let tick = 73 * HOUR_MS + 10_000;
    assert_eq!(segments(&filling)[0], (tick, (5, DeleteReason::DiskFilling)));
    let mut full = play();
    full.at(2_000, Command::SetDisk { broker: None, used_percent: 86 });
    full.until(80_000);
    assert_eq!(segments(&full), [(60_000, (5, DeleteReason::DiskFull)); 2]);
}

#[test]
fn a_disk_above_ninety_percent_refuses_writes() {
    let mut play = play();
    play.at(2_000, Command::SetDisk { broker: None, used_percent: 91 });
    // The cleaner looks a minute after the broker's start and each 10 s.
    play.send(59_000, "p", 12..13);
    play.send(61_000, "p", 13..14);
    play.until(62_000);
    let failed = |f: &Fact| matches!(f, Fact::SendFailed { reason: SendFailure::DiskFull, .. });
    assert_eq!(play.when(failed), [61_000]);
}

#[test]
fn the_cleaner_calls_a_disk_good_only_below_what_it_deletes_by_force() {
    for (used, writes) in [(85, true), (86, false)] {
        let mut play = play();
        play.at(2_000, Command::SetDisk { broker: None, used_percent: 91 });
        play.at(65_000, Command::SetDisk { broker: None, used_percent: used });
        // The cleaner runs at 60 s and 70 s.
        play.send(70_500, "p", 12..13);
        play.send(71_500, "p", 13..14);
        play.until(72_000);
        let failed = |f: &Fact| matches!(f, Fact::SendFailed { reason: SendFailure::DiskFull, .. });
        assert_eq!(play.when(failed).is_empty(), writes, "{used}");
    }
}

#[test]
fn an_index_that_is_not_corrected_yet_answers_was_removing() {
    let mut play = play();
    play.until(1_000);
    let queue = play.queue(0);
    let world = &mut play.world;
    Rc::make_mut(&mut world.brokers[0]).store.delete_oldest_segment();
    let read = world.brokers[0].read(&world.shared, queue, 0, 5, &[]);
    assert_eq!((read.store, read.next_offset), (GetStatus::Found, 10), "skips what is gone");
    Rc::make_mut(&mut world.brokers[0]).store.delete_oldest_segment();
    let broker = Rc::make_mut(&mut world.brokers[0]);
    broker.store.truncate(lockstep_core::ids::RecordId(10));
    let read = world.brokers[0].read(&world.shared, queue, 0, 5, &[]);
    assert_eq!((read.store, read.next_offset), (GetStatus::MessageWasRemoving, 10));
}

#[test]
fn a_dead_machine_loses_what_was_not_flushed() {
    for (how, left) in [(BrokerStop::Crash, 15), (BrokerStop::PowerLoss, 12)] {
        let mut play = play();
        play.constant("mappedFileSizeCommitLog", 1 << 30);
        // Twelve records are flushed by the thorough flush at 10 500, three more are not.
        play.send(11_000, "p", 12..15);
        play.at(12_000, Command::StopBroker { broker: None, how });
        play.at(13_000, Command::StartBroker { broker: None });
        play.until(14_000);
        assert_eq!(play.world.brokers[0].store.range(play.queue(0)).1, left);
        let lost = play.when(|f| matches!(f, Fact::MessageLost { .. }));
        assert_eq!(lost.len() as i64, 15 - left);
    }
}
