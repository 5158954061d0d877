//! Batches and explicit commits of the orderly client.

use crate::play::Play;
use lockstep_core::command::{
    Attempts, Command, GroupSetting, HandlerRule, Label, ListenerKind, Selector, SendMode,
};
use lockstep_core::fact::{Fact, Outcome};
use lockstep_core::model::Version;

fn play() -> Play {
    let mut play = Play::new(Version(5, 3, 3), 1, ListenerKind::Orderly);
    play.producer(0, "p", Selector::Queue(0), SendMode::Sync);
    play.start(500, "c");
    play
}

fn outcome(play: &mut Play, number: Option<u32>, attempts: Attempts, outcome: Outcome) {
    let label = number.map(|number| Label { series: "m".to_owned(), number });
    let (group, client, outcome, handle_ms) = (None, None, Some(outcome), None);
    play.at(0, Command::Handle(HandlerRule { group, client, label, attempts, outcome, handle_ms }));
}

/// Attempts of each message that was handled, in order.
fn attempts(play: &Play) -> Vec<(u32, u32)> {
    play.pick(|fact| match fact {
        Fact::HandlingStarted { offset, attempt, .. } => Some((*offset, *attempt)),
        _ => None,
    })
    .into_iter()
    .map(|(_, call)| call)
    .collect()
}

#[test]
fn a_batch_is_put_back_whole_with_members_that_are_dead_letters_already() {
    let mut play = play();
    play.set(0, GroupSetting::BatchMax(2));
    play.set(0, GroupSetting::MaxReconsumeTimes(1));
    outcome(&mut play, Some(0), Attempts::All, Outcome::Later);
    play.send(5_000, "p", 0..1);
    play.send(5_500, "p", 1..2);
    play.until(9_000);
    // m0 fails alone, then with m1: m0 is exhausted and becomes a dead letter, m1 is retryable, so
    // both come again, and m0 becomes a dead letter a second time.
    assert_eq!(attempts(&play), [(0, 1), (0, 2), (1, 1), (0, 2), (1, 2)]);
    assert_eq!(play.when(|f| matches!(f, Fact::DeadLettered { .. })), [6_000, 7_000, 7_000]);
}

#[test]
fn without_autocommit_success_takes_more_and_commit_covers_it() {
    let mut play = play();
    play.set(0, GroupSetting::AutoCommit(false));
    outcome(&mut play, Some(2), Attempts::All, Outcome::Commit);
    play.send(5_000, "p", 0..4);
    play.until(30_000);
    assert_eq!(play.handled().len(), 4, "each once");
    let acknowledged = play.when(|f| matches!(f, Fact::MessageAcknowledged { .. })).len();
    assert_eq!((acknowledged, play.offset(play.queue(0))), (3, Some(3)));
}

#[test]
fn a_rollback_puts_everything_back_and_raises_no_count() {
    let mut play = play();
    play.set(0, GroupSetting::AutoCommit(false));
    play.set(0, GroupSetting::MaxReconsumeTimes(1));
    outcome(&mut play, Some(1), Attempts::All, Outcome::Rollback);
    play.send(5_000, "p", 0..2);
    play.until(8_500);
    let expected = [(0, 1), (1, 1), (0, 1), (1, 1), (0, 1), (1, 1), (0, 1), (1, 1)];
    assert_eq!(attempts(&play), expected);
    assert!(play.when(|f| matches!(f, Fact::DeadLettered { .. })).is_empty());
}

#[test]
fn without_autocommit_a_failure_puts_only_its_batch_back() {
    let mut play = play();
    play.set(0, GroupSetting::AutoCommit(false));
    play.set(0, GroupSetting::MaxReconsumeTimes(1));
    outcome(&mut play, Some(1), Attempts::All, Outcome::Later);
    play.send(5_000, "p", 0..3);
    play.until(20_000);
    assert_eq!(attempts(&play), [(0, 1), (1, 1), (1, 2), (2, 1)]);
    assert_eq!(play.when(|f| matches!(f, Fact::DeadLettered { .. })).len(), 1);
    assert_eq!(play.offset(play.queue(0)), None, "nothing was ever committed");
}
