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

const A: MessageGroupId = MessageGroupId(0);
const B: MessageGroupId = MessageGroupId(1);

/// Two queues: group A (messages below 100) fails once in the first, group B runs in both.
fn two_queues() -> Vec<FactRecord> {
    let q1 = MessageQueue { id: 1, ..Q0 };
    let call = |client, queue, offset, msg| Fact::HandlingStarted {
        client,
        queue,
        offset,
        msg: MsgId(msg),
        attempt: 1,
    };
    let end = |client, queue, offset, msg, outcome| Fact::HandlingEnded {
        client,
        queue,
        offset,
        msg: MsgId(msg),
        outcome,
    };
    facts(&[
        (0, Fact::ConsumerStarted { client: C1 }),
        (0, Fact::ConsumerStarted { client: C2 }),
        (1_000, call(C1, Q0, 0, 1)),
        (1_200, call(C2, q1, 0, 101)),
        (1_600, end(C1, Q0, 0, 1, Outcome::Exception)),
        (1_600, suspended(1, 1, 2_600)),
        (2_000, end(C2, q1, 0, 101, Outcome::Success)),
        (2_600, call(C1, Q0, 0, 1)),
        (3_000, end(C1, Q0, 0, 1, Outcome::Success)),
        (3_000, call(C1, Q0, 1, 102)),
        (3_500, Fact::ConsumerStopped { client: C1, how: StopKind::Crash }),
    ])
}

#[test]
fn rows_by_message_group_hold_the_calls_of_all_queues_and_their_own_pauses() {
    let facts = two_queues();
    let mut timeline = Timeline::new();
    timeline.update(&facts, 0);
    let keys = [RowKey::MessageGroup(A), RowKey::MessageGroup(B)];
    let rows = timeline.rows_by(&keys, &window(11, 4_000));
    let shades = |row: &RowView| row.bars.iter().map(|b| (b.msg.0, b.shade)).collect::<Vec<_>>();
    assert_eq!(shades(&rows[0]), [(1, Shade::Failed), (1, Shade::Handled)]);
    assert_eq!(shades(&rows[1]), [(101, Shade::Handled), (102, Shade::Cut)]);
    assert_eq!((rows[0].pauses.len(), rows[1].pauses.len()), (1, 0));
    assert!(rows[0].bands.is_empty());
    // At an earlier present the second group has begun one call and no more.
    let rows = timeline.rows_by(&keys, &window(5, 1_600));
    assert_eq!(shades(&rows[1]), [(101, Shade::Running)]);
    assert_eq!(shades(&rows[0]), [(1, Shade::Failed)]);
}

#[test]
fn rows_by_consumer_show_its_process_and_what_it_did_in_all_its_queues() {
    let facts = two_queues();
    let mut timeline = Timeline::new();
    timeline.update(&facts, 0);
    let keys = [RowKey::Consumer(C1), RowKey::Consumer(C2)];
    let rows = timeline.rows_by(&keys, &window(11, 4_000));
    assert_eq!(rows[0].bars.len(), 3);
    assert_eq!(rows[0].bands, [BandView { from_ms: 0, to_ms: 3_500, client: C1 }]);
    assert_eq!(rows[1].bands, [BandView { from_ms: 0, to_ms: OPEN_MS, client: C2 }]);
    assert_eq!(rows[1].bars.len(), 1);
    let hidden = Window { shows: &|client| client == C2, ..window(11, 4_000) };
    let rows = timeline.rows_by(&keys, &hidden);
    assert!(rows[0].bars.is_empty() && rows[0].bands.is_empty());
}

#[test]
fn calls_of_the_same_time_stand_one_above_the_other_and_never_higher_than_the_row() {
    let call = |at_ms, offset| {
        let queue = MessageQueue { id: offset as u16, ..Q0 };
        (at_ms, Fact::HandlingStarted { client: C1, queue, offset, msg: MsgId(offset), attempt: 1 })
    };
    let list: Vec<_> = (0..6).map(|n| call(1_000 + Ms::from(n), n)).collect();
    let mut timeline = Timeline::new();
    timeline.update(&facts(&list), 0);
    let rows = timeline.rows_by(&[RowKey::Consumer(C1)], &window(6, 2_000));
    let lanes: Vec<u8> = rows[0].bars.iter().map(|b| b.lane).collect();
    assert_eq!(lanes, [0, 1, 2, 3, 3, 3]);
    assert_eq!(rows[0].lanes, MAX_LANES);
}

#[test]
fn activity_counts_the_calls_of_each_piece_up_to_the_present() {
    let facts = two_queues();
    let mut timeline = Timeline::new();
    timeline.update(&facts, 0);
    assert_eq!(timeline.activity(4, 4_000, 4_000), [0, 2, 1, 1]);
    assert_eq!(timeline.activity(4, 4_000, 2_000), [0, 2, 0, 0]);
    assert_eq!(timeline.activity(2, 0, 4_000), [0, 0]);
}
