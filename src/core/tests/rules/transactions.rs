//! Transactions: what becomes visible, and when.

use crate::play::Play;
use lockstep_core::command::{
    Command, ListenerKind, MessageSpec, Selector, SendMode, TransactionScript,
};
use lockstep_core::fact::{Decision, Fact, StoredKind};
use lockstep_core::ids::Ms;
use lockstep_core::model::Version;

fn play() -> Play {
    let mut play = Play::new(Version(5, 3, 3), 1, ListenerKind::Orderly);
    play.producer(0, "p", Selector::Queue(0), SendMode::Async);
    play.start(0, "c");
    play
}

fn send(play: &mut Play, at_ms: Ms, number: u32, after_ms: Ms, decisions: &[Decision]) {
    let script =
        TransactionScript { after_ms, decision: decisions[0], checks: decisions[1..].to_vec() };
    let message = MessageSpec { delay_level: 3, ..MessageSpec::new("m", number) };
    let (producer, topic, thread) = ("p".to_owned(), None, 0);
    play.at(at_ms, Command::SendTransaction { producer, topic, thread, message, script });
}

fn stored(play: &Play) -> Vec<(Ms, u32)> {
    play.pick(|f| match f {
        Fact::MessageStored { msg, kind: StoredKind::Committed, .. } => {
            Some(play.world.shared.message(*msg).number)
        }
        _ => None,
    })
}

#[test]
fn the_order_in_the_queue_is_the_order_of_the_commits() {
    let mut play = play();
    send(&mut play, 5_000, 1, 30, &[Decision::Commit]);
    send(&mut play, 5_010, 2, 10, &[Decision::Commit]);
    send(&mut play, 5_015, 3, 10, &[Decision::Rollback]);
    play.until(9_000);
    assert_eq!(stored(&play), [(5_020, 2), (5_030, 1)]);
    assert_eq!(play.handled().len(), 2);
    assert_eq!(play.world.brokers[0].store.range(play.queue(0)), (0, 2));
}

#[test]
fn an_unanswered_transaction_is_checked_every_thirty_seconds_once_it_is_old_enough() {
    let mut play = play();
    let unknown = Decision::Unknown;
    send(&mut play, 25_000, 1, 10, &[unknown, unknown, Decision::Commit]);
    send(&mut play, 20_000, 2, 10, &[unknown, Decision::Rollback]);
    play.until(200_000);
    let checked = |f: &Fact| match f {
        Fact::TransactionChecked { msg, count } => {
            Some((play.world.shared.message(*msg).number, *count))
        }
        _ => None,
    };
    // At 30 000 the first is 5 s old, the second 10 s. The pass at 60 000 reads the note of the second's
    // rollback, finds no more notes behind it and sleeps for 1 s; the next begins 30 s after its end.
    assert_eq!(play.pick(checked), [(30_000, (2, 1)), (61_000, (1, 1)), (91_000, (1, 2))]);
    assert_eq!(stored(&play), [(91_000, 1)]);
}

#[test]
fn fifteen_checks_and_then_it_is_set_aside() {
    let mut play = play();
    send(&mut play, 1_000, 1, 10, &[Decision::Unknown]);
    play.until(1_000_000);
    assert_eq!(play.when(|f| matches!(f, Fact::TransactionChecked { .. })).len(), 15);
    assert_eq!(play.when(|f| matches!(f, Fact::TransactionGivenUp { .. })), [480_000]);
    assert!(play.world.brokers[0].halves.is_empty());
}
