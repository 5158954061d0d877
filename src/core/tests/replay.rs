//! The journal is the truth: a live run, its replay, and every way of seeking give the same state.

use lockstep_core::bench::load;
use lockstep_core::command::{Command, GroupSetting};
use lockstep_core::fact::StopKind;
use lockstep_core::session::Session;

/// A busy run with a crash, a cut and a changed setting, given live.
fn live_run() -> (Session, Vec<(u64, u64)>) {
    let mut session = load(400);
    let mut hashes = Vec::new();
    let live = [
        (400, Command::StopConsumer { name: "c2".into(), how: StopKind::Crash }),
        (900, Command::Cut { a: "c3".into(), b: "broker".into() }),
        (1_500, Command::SetGroup { group: "billing".into(), setting: GroupSetting::BatchMax(4) }),
        (2_400, Command::Heal { a: "c3".into(), b: "broker".into() }),
        (3_000, Command::StopConsumer { name: "c1".into(), how: StopKind::Clean }),
    ];
    let mut live = live.into_iter().peekable();
    while session.event() < 4_000 {
        if live.peek().is_some_and(|(event, _)| *event == session.event()) {
            if let Some((_, command)) = live.next() {
                session.inject(command);
            }
        } else if !session.step() {
            break;
        }
        hashes.push((session.hash(), session.world().digest()));
    }
    (session, hashes)
}

#[test]
fn a_replay_of_the_journal_gives_the_same_hashes_at_every_event() {
    let (live, hashes) = live_run();
    let mut replay = Session::replay(
        live.seed(),
        live.model().clone(),
        live.journal().to_vec(),
        live.injected().to_vec(),
    );
    for (event, expected) in hashes.iter().enumerate() {
        assert!(replay.step());
        assert_eq!((replay.hash(), replay.world().digest()), *expected, "event {}", event + 1);
    }
    assert_eq!(replay.facts(), live.facts());
    assert_eq!(replay.violations(), live.violations());
}

#[test]
fn seeking_gives_the_state_that_was_there() {
    let (mut session, hashes) = live_run();
    let last = hashes.len() as u32;
    for target in [1, 2, 511, 512, 513, 2_000, 1_999, 1_998, 3_500, last, 20, 400, 401, 402] {
        session.seek_event(target);
        let expected = hashes[target as usize - 1];
        assert_eq!((session.hash(), session.world().digest()), expected, "event {target}");
        assert!(session.facts().iter().all(|fact| fact.event <= target));
    }
    session.seek_event(0);
    assert_eq!((session.event(), session.facts().len()), (0, 0));
    assert!(!session.back());
}

#[test]
fn a_step_back_undoes_exactly_one_event() {
    let (mut session, hashes) = live_run();
    for expected in hashes.iter().rev().skip(1).take(700) {
        assert!(session.back());
        assert_eq!(session.hash(), expected.0);
    }
    for expected in hashes.iter().skip(hashes.len() - 700) {
        assert!(session.step());
        assert_eq!(session.hash(), expected.0);
    }
}

#[test]
fn seeking_by_time_stops_behind_the_last_event_of_the_instant() {
    let (mut session, _) = live_run();
    for at_ms in [0, 1, 1_000, 1_499, 1_500, 60] {
        session.seek_time(at_ms);
        assert!(session.world().now_ms() <= at_ms);
        assert!(session.next_event_at().is_none_or(|next| next > at_ms));
    }
}

#[test]
fn a_command_in_the_past_replaces_the_future() {
    let (mut session, hashes) = live_run();
    session.seek_event(2_000);
    let generation = session.generation();
    session.inject(Command::StopConsumer { name: "c4".into(), how: StopKind::Hang });
    assert_eq!(session.generation(), generation + 1);
    assert_eq!(session.recorded_events(), 2_001);
    session.seek_event(2_500);
    assert_ne!(session.hash(), hashes[2_499].0);
    let branch = session.hash();
    session.seek_event(1_000);
    assert_eq!(session.hash(), hashes[999].0);
    session.seek_event(2_500);
    assert_eq!(session.hash(), branch);
    let journal = session.journal().to_vec();
    let injected = session.injected().to_vec();
    let mut replay = Session::replay(session.seed(), session.model().clone(), journal, injected);
    replay.seek_event(2_500);
    assert_eq!(replay.hash(), branch);
}

#[test]
fn a_refused_command_is_a_value_and_changes_nothing() {
    let mut session = load(10);
    session.run_until(1_000);
    let before = session.world().brokers[0].store.record_count();
    session.inject(Command::StopConsumer { name: "nobody".into(), how: StopKind::Clean });
    let index = session.journal().len() as u32 - 1;
    assert!(session.world().refusal(index).is_some());
    assert_eq!(session.world().brokers[0].store.record_count(), before);
}

#[test]
fn a_run_without_room_for_all_its_events_says_so() {
    let whole = live_run().0;
    let until_ms = whole.world().now_ms();
    let play = |most| {
        let journal = whole.journal().to_vec();
        let mut run = Session::new(whole.seed(), whole.model().clone(), journal).with_room(most);
        run.run_until(until_ms);
        run
    };
    let short = play(100);
    assert_eq!(short.event(), 100);
    assert!(short.is_cut_short(until_ms));
    // What comes later than one wants to know is not missed.
    assert!(!short.is_cut_short(short.world().now_ms() - 1));
    assert!(!play(u32::MAX).is_cut_short(until_ms));
}
