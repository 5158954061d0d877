//! The stage of the second stack: order blocks, what gRPC consumers hold, minimum offsets, resets,
//! several groups and brokers.

use super::*;

const FIFO: &str = "\
topic orders FIFO 1 queue
group billing reads orders fifo, handles in 600ms, retry-policy customized 2s 4s
producer p1
consumer c1 in billing grpc push
at 3s A2 fails once
at 3s p1 sends A1 B1 A2 B2
run until 60s
";

fn hold(view: &StageView, consumer: usize) -> &HoldView {
    view.consumers[consumer].holds.first().expect("it holds something")
}

fn place_of(view: &StageView, label: &str) -> Vec<(Place, TokenState)> {
    let of = view.tokens.iter().filter(|token| &*token.name.label == label);
    of.map(|token| (token.place, token.state)).collect()
}

#[test]
fn a_delivered_batch_is_with_its_consumer_and_blocks_the_queue() {
    // A1 came alone, to the receive that was waiting; the rest is the next batch.
    let view = stage(FIFO, 3_800, 8);
    assert!(view.group.as_ref().is_some_and(|group| group.pop && group.pop_orderly));
    let lane = &view.lanes[0];
    let expected = [
        ("A1", SlotState::Done),
        ("B1", SlotState::Away),
        ("A2", SlotState::Away),
        ("B2", SlotState::Away),
    ];
    assert_eq!(states(lane), named(&expected));
    match &lane.lock {
        LockView::Block { name, from_ms, until_ms } => {
            assert_eq!((&*name.label, *from_ms, *until_ms), ("B1", 3_700, 63_700));
        }
        other => panic!("{other:?}"),
    }
    // Nothing has failed: the lane does not stand still.
    assert_eq!(lane.stands, None);
    let consumer = &view.consumers[0];
    assert_eq!((consumer.kind, consumer.cached, consumer.rows), (ConsumerKind::Push, 3, 1));
    let hold = hold(&view, 0);
    assert_eq!(hold.state, HoldState::Handling { from_ms: 3_700, until_ms: 4_300 });
    let spans: Vec<_> = hold.messages.iter().map(|m| (m.offset, m.from_ms, m.until_ms)).collect();
    assert_eq!(spans[0], (1, 3_700, 63_700));
    let place = |nth| Place::Hold { client: consumer.id, hold: 0, nth };
    let in_flight = TokenState::InFlight { from_ms: 3_700, until_ms: 4_300, again: false };
    assert_eq!(place_of(&view, "B1"), [(place(0), in_flight)]);
    assert_eq!(place_of(&view, "A2"), [(place(1), TokenState::Ready)]);
    assert_eq!(view.proxies.len(), 1);
    assert!(view.proxies[0].sends && view.proxies[0].receives);
}

#[test]
fn a_failed_message_backs_off_in_its_client_and_holds_the_queue_back() {
    let view = stage(FIFO, 5_000, 8);
    let lane = &view.lanes[0];
    let expected = [
        ("A1", SlotState::Done),
        ("B1", SlotState::Done),
        ("A2", SlotState::Away),
        ("B2", SlotState::Away),
    ];
    assert_eq!(states(lane), named(&expected));
    match &lane.stands {
        Some(Stands::BackOff { name, from_ms, until_ms }) => {
            assert_eq!((&*name.label, *from_ms, *until_ms), ("A2", 4_900, 6_900));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(lane.since_ms, Some(4_900));
    let hold = hold(&view, 0);
    assert_eq!((hold.attempt, hold.messages.len()), (2, 2));
    assert_eq!(hold.state, HoldState::BackOff { from_ms: 4_900, until_ms: 6_900 });
    assert_eq!(place_of(&view, "A2")[0].1, TokenState::Retry(1));
    let again = stage(FIFO, 7_000, 8);
    assert!(matches!(&again.lanes[0].stands, Some(Stands::Retrying { .. })));
    assert_eq!(stage(FIFO, 20_000, 8).lanes[0].lock, LockView::Open);
}

#[test]
fn what_nobody_works_on_is_invisible_in_its_slot_and_then_waits_for_retry() {
    let text = "\
topic orders FIFO 1 queue
group billing reads orders fifo
producer p1
consumer c1 in billing simple
at 1s p1 sends A1 A2 A3
at 2s c1 receives max-message-num 1, invisible-duration 10s
at 4s c1 crashes
run until 30s
";
    let view = stage(text, 3_000, 8);
    assert_eq!(hold(&view, 0).state, HoldState::InHand);
    assert_eq!(place_of(&view, "A1")[0].1, TokenState::Held);
    assert!(matches!(&view.lanes[0].stands, Some(Stands::Unacknowledged { .. })));
    let view = stage(text, 5_000, 8);
    let hidden = SlotState::Invisible { from_ms: 2_000, until_ms: 12_000 };
    let expected = [("A1", hidden), ("A2", SlotState::Blocked), ("A3", SlotState::Blocked)];
    assert_eq!(states(&view.lanes[0]), named(&expected));
    assert_eq!(view.lanes[0].since_ms, Some(2_000));
    assert!(view.consumers.is_empty());
    // The lock-free timer has fired.
    let view = stage(text, 13_000, 8);
    let expected =
        [("A1", SlotState::Retry(1)), ("A2", SlotState::Ready), ("A3", SlotState::Ready)];
    assert_eq!(states(&view.lanes[0]), named(&expected));
    assert_eq!((view.lanes[0].lock.clone(), view.lanes[0].stands.clone()), (LockView::Open, None));
}

#[test]
fn a_simple_consumer_holds_what_it_received_and_waits_at_the_broker() {
    let text = "\
topic orders FIFO 2 queues
series A message-group A
series B message-group order-4
group billing reads orders fifo
producer p1
consumer c1 in billing simple
at 1s p1 sends A1 A2 B1
at 2s c1 receives invisible-duration 20s
at 3s c1 changes invisible-duration of A1 to 60s
at 4s c1 acks B1
at 5s c1 receives await-duration 20s
run until 30s
";
    let view = stage(text, 6_000, 8);
    let consumer = &view.consumers[0];
    let held: Vec<_> =
        hold(&view, 0).messages.iter().map(|m| (&*m.name.label, m.until_ms)).collect();
    assert_eq!(held, [("A1", 63_000), ("A2", 22_000)]);
    assert_eq!((consumer.kind, consumer.cached), (ConsumerKind::Simple, 2));
    assert_eq!(consumer.polls, (1, 25_000));
    assert_eq!(view.proxies[0].polls, 1);
    // The second queue has nothing in flight any more.
    assert_eq!(view.lanes[1].lock, LockView::Open);
    assert!(matches!(&view.lanes[0].lock, LockView::Block { until_ms: 63_000, .. }));
}

#[test]
fn the_documents_model_holds_back_one_message_group() {
    let text = "\
model documents
topic orders FIFO 1 queue
group billing reads orders fifo
producer p1
consumer c1 in billing simple
at 1s p1 sends A1 A2 B1
at 2s c1 receives max-message-num 1, invisible-duration 20s
run until 30s
";
    let view = stage(text, 3_000, 8);
    let expected = [("A1", SlotState::Away), ("A2", SlotState::Blocked), ("B1", SlotState::Ready)];
    assert_eq!(states(&view.lanes[0]), named(&expected));
}

#[test]
fn pop_without_order_has_no_block_and_shows_what_is_in_flight_below_the_offset() {
    let text = "\
topic orders 1 queue
series A without message-group
group billing reads orders concurrent
producer p1
consumer c1 in billing simple
at 1s p1 sends A1 A2 A3
at 2s c1 receives max-message-num 2, invisible-duration 10s
at 3s c1 acks A2
at 4s c1 crashes
run until 30s
";
    let view = stage(text, 5_000, 8);
    let lane = &view.lanes[0];
    assert_eq!((lane.lock.clone(), lane.next), (LockView::None, 2));
    let hidden = SlotState::Invisible { from_ms: 2_000, until_ms: 12_000 };
    let expected = [("A1", hidden), ("A2", SlotState::Done), ("A3", SlotState::Ready)];
    assert_eq!(states(lane), named(&expected));
    // Revived: the copy has a lane of its own.
    let view = stage(text, 20_000, 8);
    let retry = view.lanes.iter().find(|lane| lane.retry).expect("the retry topic is a lane");
    assert_eq!(states(retry), named(&[("A1", SlotState::Ready)]));
}

#[test]
fn a_pending_reset_stays_until_the_queue_is_read() {
    let text = "\
topic orders FIFO 1 queue
group billing reads orders fifo, handles in 30s
producer p1
consumer c1 in billing grpc push
at 1s p1 sends A1..A5
at 3s reset billing in q0 to offset 4
run until 60s
";
    let view = stage(text, 4_000, 8);
    assert_eq!(view.lanes[0].reset, Some(4));
    assert_eq!(view.lanes[0].next, 4);
    let later = stage(text, 60_000, 8);
    assert_eq!(later.lanes[0].reset, None);
}

#[test]
fn a_pending_reset_leaves_no_block_and_nothing_in_flight_in_order() {
    let text = "\
topic orders FIFO 1 queue
group billing reads orders fifo, from first
producer p1
consumer c1 in billing simple
at 1s p1 sends A1..A4
at 2s c1 receives max-message-num 2, invisible-duration 30s
at 4s c1 crashes
at 6s reset billing in q0 to offset 0
run until 60s
";
    let view = stage(text, 5_000, 8);
    assert!(matches!(&view.lanes[0].lock, LockView::Block { until_ms: 32_000, .. }));
    // The next receive forgets the block and reads from the beginning.
    let view = stage(text, 7_000, 8);
    let lane = &view.lanes[0];
    assert_eq!(
        (lane.lock.clone(), lane.stands.clone(), lane.reset),
        (LockView::Open, None, Some(0))
    );
    let ready = ["A1", "A2", "A3", "A4"].map(|label| (label, SlotState::Ready));
    assert_eq!(states(lane), named(&ready));
}

#[test]
fn deleted_records_leave_a_gap_before_the_minimum() {
    let text = "\
topic orders 1 queue
set mappedFileSizeCommitLog 1000
group billing reads orders orderly
producer p1 selects by hash
at 1s p1 sends A1..A8
at 2s disk 90% full
run until 3m
";
    let view = stage(text, 120_000, 8);
    let lane = &view.lanes[0];
    assert!(lane.min > 0 && lane.min < lane.max, "{} {}", lane.min, lane.max);
    assert_eq!((lane.first, lane.deleted), (lane.min - 2.min(lane.min), 2.min(lane.min)));
    assert_eq!(lane.slots.first().map(|slot| slot.offset), Some(lane.min));
    assert_eq!(lane.shown(), lane.deleted + lane.slots.len() as i64);
}

#[test]
fn every_group_is_there_and_one_colours_the_lanes() {
    let text = "\
topic orders FIFO 2 queues
group billing reads orders orderly, handles in 5s
group audit reads orders fifo, handles in 5s
producer p1
consumer c1 in billing
consumer a1 in audit grpc push
at 3s p1 sends A1 A2
run until 60s
";
    let view = stage(text, 4_000, 8);
    assert_eq!(view.other_groups.len(), 1);
    let other = &view.other_groups[0];
    assert_eq!((&*other.group.name, other.group.pop), ("audit", true));
    let member = &other.members[0];
    assert_eq!((&*member.name, member.cached), ("a1", 1));
    assert_eq!(member.names.iter().map(|(n, _)| &*n.label).collect::<Vec<_>>(), ["A1"]);
    assert!(view.lanes.iter().any(|lane| lane.others == [('a', 0)]));
    // One token for each message: the other group adds none.
    assert!(view.tokens.iter().all(|token| token.copy == 0));
}

#[test]
fn lanes_of_one_broker_stand_together_and_say_what_cannot_be_read_or_written() {
    let text = "\
topic orders FIFO 2 queues
group billing reads orders orderly
producer p1 selects by hash
add broker b2
at 5s orders 1 write queue 2 read queues
at 6s b2 stops
run until 20s
";
    let view = stage(text, 10_000, 8);
    let brokers: Vec<_> = view.brokers.iter().map(|b| (&*b.name, b.up, b.first_lane)).collect();
    assert_eq!(brokers, [("broker", true, 0), ("b2", false, 2)]);
    let lanes: Vec<_> = view.lanes.iter().map(|l| (&*l.name, l.readable, l.writable)).collect();
    assert_eq!(
        lanes,
        [("q0", true, true), ("q1", true, false), ("q0", true, true), ("q1", true, false)]
    );
    assert_eq!(view.lanes.iter().map(|l| l.up).collect::<Vec<_>>(), [true, true, false, false]);
}

#[test]
fn the_wheel_and_half_messages_are_shown() {
    let text = "\
topic orders MIXED 1 queue
group billing reads orders orderly
producer p1 selects by hash
at 1s p1 sends A1 delay 20s
at 2s p1 sends B1 in a transaction that stays open
run until 30s
";
    let view = stage(text, 5_000, 8);
    let wheel = &view.shelf.levels[0];
    assert_eq!((wheel.level, wheel.count, wheel.due_ms), (0, 1, Some(21_000)));
    assert_eq!(view.shelf.levels.len(), 19);
    assert_eq!(place_of(&view, "A1")[0].0, Place::Shelf { level: 0, nth: 0 });
    assert_eq!(view.halves, 1);
    assert_eq!(place_of(&view, "B1"), [(Place::Half { nth: 0 }, TokenState::Scheduled)]);
}
