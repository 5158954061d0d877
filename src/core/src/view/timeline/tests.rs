use super::*;
use crate::fact::{DropReason, Fact};
use crate::ids::{BrokerId, TopicId};

const Q0: MessageQueue = MessageQueue { topic: TopicId(0), broker: BrokerId(0), id: 0 };
const C1: ClientId = ClientId(1);
const C2: ClientId = ClientId(2);

fn facts(list: &[(Ms, Fact)]) -> Vec<FactRecord> {
    list.iter()
        .enumerate()
        .map(|(i, (at_ms, fact))| FactRecord { at_ms: *at_ms, event: i as u32 + 1, fact: *fact })
        .collect()
}

fn started(msg: u32, offset: u32) -> Fact {
    Fact::HandlingStarted { client: C1, queue: Q0, offset, msg: MsgId(msg), attempt: 1 }
}

fn ended(msg: u32, offset: u32, outcome: Outcome) -> Fact {
    Fact::HandlingEnded { client: C1, queue: Q0, offset, msg: MsgId(msg), outcome }
}

fn suspended(msg: u32, failures: u32, until_ms: Ms) -> Fact {
    Fact::QueueSuspended { client: C1, queue: Q0, msg: MsgId(msg), failures, until_ms }
}

fn window(facts: u32, now_ms: Ms) -> Window<'static> {
    Window {
        from_ms: 0,
        to_ms: 16_000,
        now_ms,
        facts,
        ms_per_px: 10.0,
        shows: &|_| true,
        series: &|msg| (msg.0 / 100) as u16,
    }
}

fn poison() -> Vec<FactRecord> {
    facts(&[
        (500, Fact::QueueAdded { client: C1, queue: Q0, offset: 0 }),
        (1_000, started(1, 0)),
        (1_600, ended(1, 0, Outcome::Success)),
        (1_600, started(2, 1)),
        (2_200, ended(2, 1, Outcome::Exception)),
        (2_200, suspended(2, 1, 3_200)),
        (3_200, started(2, 1)),
        (3_800, ended(2, 1, Outcome::Exception)),
        (3_800, suspended(2, 2, 4_800)),
    ])
}

#[test]
fn bars_pauses_and_the_timer_of_the_present() {
    let facts = poison();
    let mut timeline = Timeline::new();
    timeline.update(&facts, 0);
    let row = timeline.row_view(Q0, &window(9, 4_000)).unwrap();
    let shades: Vec<Shade> = row.bars.iter().map(|b| b.shade).collect();
    assert_eq!(shades, [Shade::Handled, Shade::Failed, Shade::Failed]);
    assert_eq!(row.pauses.len(), 2);
    assert_eq!((row.pauses[0].from_ms, row.pauses[0].to_ms), (2_200, 3_200));
    assert_eq!(row.pauses[1].to_ms, OPEN_MS);
    let timers = timeline.timers(4_000, 9, 10);
    let what = TimerKind::Again { queue: Q0, msg: MsgId(2), client: C1 };
    assert_eq!(timers, [Timer { due_ms: 4_800, what }]);
}

#[test]
fn a_step_back_shows_what_was_known_then() {
    let facts = poison();
    let mut timeline = Timeline::new();
    timeline.update(&facts, 0);
    timeline.update(&facts[..4], 0);
    let row = timeline.row_view(Q0, &window(4, 1_600)).unwrap();
    assert_eq!(row.bars.len(), 2);
    assert_eq!(row.bars[1].shade, Shade::Running);
    assert!(row.pauses.is_empty());
    assert!(timeline.timers(1_600, 4, 10).is_empty());
    // Five facts have happened: the failure of the second call is known, its pause is not.
    let row = timeline.row_view(Q0, &window(5, 2_200)).unwrap();
    assert_eq!(row.bars[1].shade, Shade::Failed);
    assert!(row.pauses.is_empty());
}

#[test]
fn replaced_facts_replace_the_rows() {
    let mut timeline = Timeline::new();
    timeline.update(&poison(), 0);
    let other = facts(&[(0, Fact::QueueAdded { client: C2, queue: Q0, offset: 0 })]);
    timeline.update(&other, 1);
    let row = timeline.row_view(Q0, &window(1, 10)).unwrap();
    assert!(row.bars.is_empty());
    assert_eq!(row.bands, [BandView { from_ms: 0, to_ms: OPEN_MS, client: C2 }]);
}

#[test]
fn a_handover_leaves_a_gap_between_two_bands() {
    let dropped = Fact::QueueDropped { client: C1, queue: Q0, reason: DropReason::Reallocated };
    let list = facts(&[
        (0, Fact::QueueAdded { client: C1, queue: Q0, offset: 0 }),
        (2_000, dropped),
        (2_500, Fact::QueueAdded { client: C2, queue: Q0, offset: 0 }),
    ]);
    let mut timeline = Timeline::new();
    timeline.update(&list, 0);
    let row = timeline.row_view(Q0, &window(2, 2_100)).unwrap();
    assert_eq!(row.gaps, [GapView { from_ms: 2_000, to_ms: OPEN_MS }]);
    let row = timeline.row_view(Q0, &window(3, 2_600)).unwrap();
    assert_eq!(row.bands.len(), 2);
    assert_eq!(row.gaps, [GapView { from_ms: 2_000, to_ms: 2_500 }]);
}

#[test]
fn a_crash_cuts_the_call_and_clears_the_timers() {
    let mut list = poison();
    let at_ms = 4_000;
    let crash = Fact::ConsumerStopped { client: C1, how: StopKind::Crash };
    list.push(FactRecord { at_ms, event: 10, fact: crash });
    let mut timeline = Timeline::new();
    timeline.update(&list, 0);
    assert!(timeline.timers(4_100, 10, 10).is_empty());
    assert_eq!(timeline.timers(3_900, 9, 10).len(), 1);
    let row = timeline.row_view(Q0, &window(10, 4_100)).unwrap();
    assert_eq!(row.pauses[1].to_ms, 4_000);
    assert_eq!(row.gaps, [GapView { from_ms: 4_000, to_ms: OPEN_MS }]);
    let marks = timeline.marks(0, 5_000, 10);
    assert_eq!(marks.len(), 1);
    assert_eq!(marks[0].what, MarkKind::Stopped(C1, StopKind::Crash));
}

#[test]
fn calls_at_the_same_time_stand_one_above_the_other() {
    let list = facts(&[
        (0, started(1, 0)),
        (0, started(2, 1)),
        (300, ended(1, 0, Outcome::Success)),
        (300, started(3, 2)),
    ]);
    let mut timeline = Timeline::new();
    timeline.update(&list, 0);
    let row = timeline.row_view(Q0, &window(4, 400)).unwrap();
    assert_eq!(row.lanes, 2);
    let lanes: Vec<u8> = row.bars.iter().map(|b| b.lane).collect();
    assert_eq!(lanes, [0, 1, 0]);
}

#[test]
fn a_long_run_never_makes_more_pieces_than_pixels() {
    let mut list = Vec::new();
    for i in 0..50_000_u32 {
        let at_ms = i64::from(i) * 20;
        list.push((at_ms, started(i, i)));
        list.push((at_ms + 15, ended(i, i, Outcome::Success)));
    }
    let list = facts(&list);
    let mut timeline = Timeline::new();
    timeline.update(&list, 0);
    let all = Window { to_ms: 1_000_000, ms_per_px: 1_000.0, ..window(100_000, 1_000_000) };
    let row = timeline.row_view(Q0, &all).unwrap();
    assert!(row.bars.is_empty());
    assert!(row.bits.len() <= 1_000, "{} pieces", row.bits.len());
    assert_eq!(row.bits.iter().map(|b| b.count).sum::<u32>(), 50_000);
    let near = Window { from_ms: 500_000, to_ms: 500_940, ms_per_px: 1.0, ..all };
    assert_eq!(timeline.row_view(Q0, &near).unwrap().bars.len(), 48);
}
