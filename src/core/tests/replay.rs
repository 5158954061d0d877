//! The journal is the truth: a live run, its replay, and every way of seeking give the same state.

use lockstep_core::bench::load;
use lockstep_core::command::{Command, GroupSetting, TopicType, MAX_TIME_MS};
use lockstep_core::fact::StopKind;
use lockstep_core::model::Model;
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

/// The same run, played anew from its journal to the same event.
fn again(live: &Session) -> Session {
    let journal = live.journal().to_vec();
    let injected = live.injected().to_vec();
    let mut replay = Session::replay(live.seed(), live.model().clone(), journal, injected);
    replay.seek_event(live.event());
    replay
}

/// The instants in the middle between an event of the run and the next one.
fn quiet(session: &Session) -> i64 {
    let now_ms = session.world().now_ms();
    session.next_event_at().map_or(now_ms + 7, |next_ms| now_ms + (next_ms - now_ms) / 2)
}

#[test]
fn a_command_between_two_events_is_carried_out_at_its_instant() {
    let mut session = load(10);
    while session.next_event_at().is_some_and(|next| next < session.world().now_ms() + 10) {
        assert!(session.step());
    }
    let (event, before_ms) = (session.event(), session.world().now_ms());
    let at_ms = quiet(&session);
    assert!(before_ms < at_ms);
    session.inject_at(at_ms, Command::StopConsumer { name: "c1".into(), how: StopKind::Clean });
    assert_eq!((session.event(), session.world().now_ms()), (event + 1, at_ms));
    assert_eq!(session.journal().last().map(|(at, _)| *at), Some(at_ms));
    assert!(session.facts_of(event + 1).iter().all(|fact| fact.at_ms == at_ms));
    session.run_until(at_ms + 20_000);
    let mut replay = again(&session);
    assert_eq!((replay.hash(), replay.facts()), (session.hash(), session.facts()));
    assert_eq!(replay.world().digest(), session.world().digest());
    // The command is a part of the past: before its instant it has not been given.
    for run in [&mut session, &mut replay] {
        run.seek_time(at_ms - 1);
        assert_eq!((run.event(), run.next_event_at()), (event, Some(at_ms)));
        run.seek_time(at_ms);
        assert!(run.event() > event);
    }
}

#[test]
fn a_command_is_given_neither_in_the_past_nor_behind_what_comes_next() {
    for (wanted, given) in [(-5_i64, 0_i64), (i64::MAX, i64::MAX)] {
        let mut session = load(10);
        session.run_until(1_000);
        let (now_ms, next_ms) = (session.world().now_ms(), session.next_event_at().unwrap());
        let at_ms = now_ms.saturating_add(wanted);
        let given = if given == 0 { now_ms } else { next_ms };
        session.inject_at(at_ms, Command::StopConsumer { name: "c1".into(), how: StopKind::Hang });
        assert_eq!(session.world().now_ms(), given);
        session.run_until(60_000);
        assert_eq!(again(&session).world().digest(), session.world().digest());
    }
}

/// Where nothing comes next, time ends with what a command may name: sums of times stay sums.
#[test]
fn a_command_is_given_at_the_latest_instant_at_most() {
    let mut session = Session::new(1, Model::named("5.3").unwrap(), Vec::new());
    session.inject(Command::CreateTopic {
        name: "orders".into(),
        kind: TopicType::Normal,
        read_queues: 1,
        write_queues: 1,
    });
    assert_eq!(session.next_event_at(), None);
    session.inject_at(i64::MAX, Command::StopConsumer { name: "c1".into(), how: StopKind::Hang });
    assert_eq!(session.world().now_ms(), MAX_TIME_MS);
}

/// Whatever instants somebody gives commands at, going back and forth, the journal is the truth.
#[test]
fn commands_between_events_keep_replay_and_seeking_true() {
    let mut session = load(200);
    let names = ["c1", "c2", "c3", "c4"];
    for (place, name) in names.iter().cycle().take(24).enumerate() {
        session.seek_event(session.event().saturating_sub(40));
        session.run_until(session.world().now_ms() + 300 * place as i64);
        let at_ms = quiet(&session);
        let command = match place % 3 {
            0 => Command::StopConsumer { name: (*name).into(), how: StopKind::Hang },
            1 => Command::ResumeConsumer { name: (*name).into() },
            _ => Command::SetGroup {
                group: "billing".into(),
                setting: GroupSetting::BatchMax(place as u16),
            },
        };
        session.inject_at(at_ms, command);
        assert_eq!(session.world().now_ms(), at_ms);
        session.run_until(at_ms + 500);
        let replay = again(&session);
        assert_eq!(replay.hash(), session.hash(), "command {place}");
        assert_eq!(replay.world().digest(), session.world().digest(), "command {place}");
        assert_eq!(replay.facts(), session.facts(), "command {place}");
    }
    let instants: Vec<_> = session.recorded_facts().iter().map(|fact| fact.at_ms).collect();
    assert!(instants.is_sorted());
}
