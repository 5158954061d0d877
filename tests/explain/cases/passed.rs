//! What a group has gone past: by its start, by a reset that is under way, by a loss.

use lockstep_core::command::{Command, FromWhere, GroupSetting};
use lockstep_core::explain::diagnose::{diagnose, Problem};
use lockstep_core::explain::{Change, Headline, Ledger, LockState, PassedBy, Reason, Rule};
use lockstep_core::fact::Fact;
use lockstep_core::scenario::load;

use super::{explain, reason, run_to};
use crate::fifo;

/// A scenario of the lessons or the reports.
fn text(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Facts of the chain of causes of a thing.
fn causes(text: &str, at_ms: i64, words: &str) -> Vec<Fact> {
    let (session, ledger) = run_to(text, at_ms);
    let explanation = explain(&session, &ledger, words);
    explanation.causes.iter().map(|cause| session.facts()[cause.fact as usize].fact).collect()
}

/// The repair of a group that began behind what was there.
fn repair_of_start(text: &str) -> Vec<(String, Vec<Change>)> {
    let program = load(&fifo(text)).unwrap();
    let (session, ledger) = run_to(text, program.until_ms);
    let found = diagnose(&session, &ledger, program.until_ms);
    let behind = found.into_iter().filter_map(|finding| match finding.problem {
        Problem::BeginsBehind { group, .. } => {
            Some((session.world().shared.group(group).name.clone(), finding.repair))
        }
        _ => None,
    });
    behind.collect()
}

#[test]
fn a_group_that_begins_by_pop_is_not_told_to_begin_elsewhere_by_the_classic_rule() {
    let report = text("tests/reports/R56-pop.scn");
    let (session, ledger) = run_to(&report, 20_000);
    let group = session.world().shared.names.group("cold");
    let run = lockstep_core::explain::Run::of(&session, &ledger);
    let about = lockstep_core::explain::named(&run, &["A5"], Some("cold")).unwrap()[0];
    let a5 = lockstep_core::explain::why(&run, about).unwrap();
    assert_eq!(a5.headline.reason(), Some(Reason::Passed { by: PassedBy::Start }), "{group:?}");
    assert_eq!(a5.rule, Rule::PopStartOffset);
    let lesson = text("www/lessons/08-1-where-a-group-begins.scn");
    let all = [repair_of_start(&report), repair_of_start(&lesson)].concat();
    let mut seen = [0, 0];
    for (group, repair) in &all {
        let [change] = &repair[..] else { panic!("{group}: {repair:?}") };
        let first = GroupSetting::FromWhere(FromWhere::First);
        let is_start = matches!(change, Change::From { commands, .. }
            if matches!(&commands[..], [Command::SetGroup { setting, .. }] if *setting == first));
        let is_reset = matches!(change, Change::Now(commands)
            if matches!(&commands[..], [Command::ResetOffset { .. }]));
        let by_pop = ["cold", "popper"].contains(&group.as_str());
        assert!(if by_pop { is_reset } else { is_start }, "{group}: {change:?}");
        seen[usize::from(by_pop)] += 1;
    }
    assert_eq!(seen, [1, 2]);
}

/// What is in flight blocks a queue of an ordered group, whatever its consumer does with it meanwhile.
#[test]
fn a_queue_by_pop_is_blocked_while_its_listener_runs_fails_or_waits() {
    let push = "\
series   A message-group order-1
group    audit reads orders fifo, handles in 5s
consumer c1 in audit grpc push
at 2s    A2 fails once
at 3s    p1 sends A1 A2 A3
run      until 60s
";
    let state = |text: &str, at_ms| {
        let (session, ledger) = run_to(text, at_ms);
        match explain(&session, &ledger, "lock q0").headline {
            Headline::Lock { state, .. } => state,
            other => panic!("{other:?}"),
        }
    };
    for at_ms in [4_000, 7_900, 9_000, 13_500, 14_000, 16_000] {
        let now = state(push, at_ms);
        assert!(matches!(now, LockState::Blocked { .. }), "{at_ms}: {now:?}");
        let facts = causes(push, at_ms, "lock q0");
        let delivered =
            |f: &Fact| matches!(f, Fact::Pop(lockstep_core::pop::PopFact::Popped { .. }));
        assert!(facts.iter().any(delivered), "{at_ms}: {facts:?}");
    }
    // Acknowledged all, or without order: nothing blocks.
    assert_eq!(state(push, 59_000), LockState::Unused { pop: true });
    let free = push.replace("fifo,", "concurrent,");
    assert_eq!(state(&free, 4_000), LockState::Unused { pop: true });
}

/// What was consumed waits again while a reset to before it is under way, and the reset is named.
#[test]
fn what_a_reset_goes_back_to_waits_for_the_reset() {
    let lesson = text("www/lessons/08-3-reset-while-it-runs.scn");
    assert_eq!(reason(&lesson, 16_000, "A7"), Reason::ResetPending { offset: 4, drops: None });
    assert_eq!(reason(&lesson, 16_000, "A4"), Reason::Done);
    assert_eq!(reason(&lesson, 30_000, "A7"), Reason::Done);
    let report = text("tests/reports/R61-handler-15s.scn");
    for at_ms in [21_500, 26_100, 30_900] {
        let why = reason(&report, at_ms, "A7");
        let Reason::ResetPause { until_ms: 31_000, .. } = why else { panic!("{at_ms}: {why:?}") };
        assert_eq!(reason(&report, at_ms, "A3"), Reason::Done);
    }
    for (text, at_ms) in [(&lesson, 16_000), (&report, 26_100)] {
        let facts = causes(text, at_ms, "A7");
        assert!(facts.iter().any(|f| matches!(f, Fact::OffsetReset { .. })), "{facts:?}");
    }
}

/// An orderly client works its start out once more at its first pull; what came in between is skipped.
#[test]
fn what_the_second_computation_of_the_start_skips_was_passed_over_by_the_start() {
    let lesson = text("www/lessons/08-2-skipped-at-the-start.scn");
    for at_ms in [71_500, 75_000, 90_000] {
        let why = reason(&lesson, at_ms, "A10");
        assert_eq!(why, Reason::Passed { by: PassedBy::Start }, "at {at_ms}");
        let facts = causes(&lesson, at_ms, "A10");
        assert!(facts.iter().any(|f| matches!(f, Fact::PullHeld { offset: 10, .. })), "{facts:?}");
    }
    // Before that pull nothing is decided.
    assert!(!matches!(reason(&lesson, 71_300, "A10"), Reason::Passed { .. }));
    let repairs = repair_of_start(&lesson);
    assert!(matches!(&repairs[..], [(_, repair)] if repair.len() == 1), "{repairs:?}");
    // What is read and filtered was not skipped by the start.
    let filtered = "\
group    billing reads orders tagged b orderly
consumer c1 in billing
at 3s    p1 sends A1, tag a
run      until 20s
";
    assert_eq!(reason(filtered, 10_000, "A1"), Reason::Passed { by: PassedBy::Filter });
}

#[test]
fn what_was_lost_stays_lost_when_its_offset_is_given_to_another() {
    let lost = "\
series   A message-group order-1
group    billing reads orders orderly, handles in 100ms
at 3s    p1 sends A1 A2
at 3.1s  broker loses power
at 5s    broker starts
at 9s    c1 joins billing
at 12s   p1 sends A3
run      until 60s
";
    for at_ms in [4_000, 8_000, 11_000, 12_050, 60_000] {
        for name in ["A1", "A2"] {
            assert_eq!(reason(lost, at_ms, name), Reason::Lost, "{name} at {at_ms}");
        }
    }
    assert_eq!(reason(lost, 60_000, "A3"), Reason::Done);
    // What another message at its offset is stored at is not told of it.
    let (session, ledger) = run_to(lost, 60_000);
    let stored = |name| {
        let values = explain(&session, &ledger, name).values;
        values.into_iter().find(|v| v.name == lockstep_core::explain::ValueName::Stored)
    };
    assert!(stored("A1").is_none() && stored("A2").is_none(), "{:?}", stored("A1"));
    assert!(stored("A3").is_some());
    let found = diagnose(&session, &Ledger::of(session.facts()), 60_000);
    let lost = found.iter().any(|f| matches!(f.problem, Problem::Lost { messages: 2, .. }));
    assert!(lost, "{found:?}");
}

/// A group that went on by its cache: what comes at the offsets of lost messages breaks no order, and it
/// stands still from where its own message was stored.
#[test]
fn an_offset_that_is_given_again_breaks_no_order_and_begins_no_standstill() {
    use lockstep_core::guarantee::Guarantee;
    let text = "\
series   A message-group order-1
group    billing reads orders orderly, handles in 1s
consumer c1 in billing
at 9s    p1 sends A9
at 19.9s p1 sends A1 A2 A3
at 20s   broker loses power
at 25s   broker starts
at 60s   p1 sends A4 A5
run      until 90s
";
    let (mut session, _) = run_to(text, 90_000);
    let group = session.world().shared.names.group("billing");
    let stored: Vec<_> = session
        .facts()
        .iter()
        .filter_map(|r| match r.fact {
            Fact::MessageStored { msg, offset, .. } => Some((msg, offset)),
            _ => None,
        })
        .collect();
    let reused = |offset| stored.iter().filter(|(_, o)| *o == offset).count() == 2;
    assert!(reused(1) && reused(2), "{stored:?}");
    let watch = session.watch();
    assert_eq!(watch.breaches(Guarantee::QueueOrder, group).count(), 0);
    // c1 had all of them in its cache, and handled them before the broker was back.
    assert_eq!(watch.breaches(Guarantee::NothingLost, group).count(), 0);
    let longest = watch.longest(group.unwrap(), 90_000, |_| None).unwrap();
    assert!(longest.until_ms - longest.from_ms <= 3_100, "{longest:?}");
    // The past is what it was: before the loss three messages wait, behind it nothing.
    let running = |session: &lockstep_core::session::Session| {
        let first = |_| Some((lockstep_core::ids::MsgId(1), 1));
        let longest = session.watch().longest(group.unwrap(), 60_000, first);
        longest.filter(|block| block.lasts).map(|block| block.from_ms)
    };
    for (at_ms, since_ms) in [(19_950, Some(19_900)), (24_000, None)] {
        session.seek_time(at_ms);
        assert_eq!(running(&session), since_ms, "{at_ms}");
    }
}
