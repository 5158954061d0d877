//! Where a new group begins.

use crate::play::Play;
use lockstep_core::command::{FromWhere, GroupSetting, ListenerKind, Selector, SendMode};
use lockstep_core::model::Version;

const NEW: Version = Version(5, 3, 3);

fn first_handled(hot: i64, from: FromWhere, version: Version) -> Option<u32> {
    let mut play = Play::new(version, 1, ListenerKind::Concurrent);
    play.constant("checkInMemByConsumeOffset", hot);
    play.set(0, GroupSetting::FromWhere(from));
    play.producer(0, "p", Selector::Queue(0), SendMode::Sync);
    play.send(1_000_000, "p", 0..3);
    play.send(1_500_000, "p", 3..5);
    play.start(3_000_000, "c");
    play.send(3_050_000, "p", 5..6);
    play.until(3_100_000);
    play.handled().first().map(|(_, offset)| *offset)
}

#[test]
fn a_hot_head_wins_over_every_rule() {
    for from in [FromWhere::Last, FromWhere::First, FromWhere::Timestamp(None)] {
        assert_eq!(first_handled(1, from, NEW), Some(0));
        assert_eq!(first_handled(-1, from, NEW), Some(0));
    }
}

#[test]
fn a_cold_head_leaves_it_to_the_consumer() {
    assert_eq!(first_handled(0, FromWhere::Last, NEW), Some(5));
    assert_eq!(first_handled(0, FromWhere::First, NEW), Some(0));
    // Half an hour before 3 000 000 is 1 200 000: the first message stored after it.
    assert_eq!(first_handled(0, FromWhere::Timestamp(None), NEW), Some(3));
    assert_eq!(first_handled(0, FromWhere::Timestamp(Some(1_000_001)), NEW), Some(3));
    assert_eq!(first_handled(0, FromWhere::Timestamp(Some(1_000_000)), NEW), Some(0));
    // The old search takes the nearest message.
    let old = Version(5, 1, 0);
    assert_eq!(first_handled(0, FromWhere::Timestamp(Some(1_200_000)), old), Some(2));
}
