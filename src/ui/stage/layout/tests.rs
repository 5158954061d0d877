//! Nothing lies over anything else and nothing leaves the drawing, at any width.

use lockstep_core::scenario;
use lockstep_core::session::Session;
use lockstep_core::view::history::History;
use lockstep_core::view::stage::{project, Options, StageView};

use super::*;

/// The stage of a run with so many queues, two producers, four message groups and delayed messages.
fn view(queues: usize) -> StageView {
    let text = format!(
        "\
topic orders FIFO {queues} queues
topic timeouts DELAY 1 queue
series T without message-group
group billing reads orders orderly, handles in 600ms
producer p1 to orders, selects by hash
producer p2 to orders, selects by hash, 2 threads
consumer c1 in billing
consumer c2 in billing
at 1s p1 sends T1 to timeouts delay level 3
at 3s A2 fails always
at 3s p1 sends A1 B1 D1 A2 B2 A3
at 3s p2 sends C1..C40
run until 20s
"
    );
    projected(&text, 0)
}

/// The second stack: gRPC consumers, two other groups, two brokers, a half message.
fn second_stack(queues: usize, consumers: usize) -> StageView {
    let mut text = format!(
        "\
topic orders MIXED {queues} queues
group billing reads orders fifo, handles in 600ms
group audit reads orders orderly, handles in 600ms
group search reads orders concurrent
add broker b2
producer p1
producer p2 selects by hash
consumer a1 in audit
consumer a2 in audit
consumer s1 in search grpc push
at 2s A2 fails always
at 2s p1 sends A1 B1 C1 D1 A2 B2
at 2s p2 sends E1 in a transaction that stays open
run until 20s
"
    );
    for i in 0..consumers {
        text.push_str(&format!("consumer c{i} in billing grpc push\n"));
    }
    projected(&text, 0)
}

fn projected(text: &str, group: usize) -> StageView {
    let program = scenario::load(text).expect("the text is right");
    let mut session = Session::new(program.seed, program.model.clone(), program.journal());
    session.run_until(6_000);
    let history = History::default();
    let journal = session.journal();
    let columns = |lanes| if lanes > MAX_LANES { 0 } else { 10 };
    let options =
        Options { group, topic: None, journal, columns: &columns, opened: None, history: &history };
    project(session.world(), &options)
}

fn apart(rects: &[Rect]) -> bool {
    rects.windows(2).all(|pair| pair[1].y >= pair[0].bottom())
}

const SIZES: [(f64, f64); 8] = [
    (390.0, 560.0),
    (600.0, 400.0),
    (760.0, 520.0),
    (860.0, 440.0),
    (1_064.0, 528.0),
    (1_100.0, 420.0),
    (1_500.0, 700.0),
    (1_740.0, 870.0),
];

#[test]
fn lanes_producers_and_ports_never_overlap_and_stay_inside() {
    for queues in [1, 2, 4, 5, 8, 12] {
        let view = view(queues);
        for (width, height) in SIZES {
            let layout = Layout::new(&view, width, height);
            let at = format!("{queues} queues at {width} x {height}");
            assert_eq!(layout.lanes.len(), queues, "{at}");
            assert!(apart(&layout.lanes), "{at}: {:?}", layout.lanes);
            assert!(apart(&layout.producers), "{at}: {:?}", layout.producers);
            assert!(
                layout.ports.windows(2).all(|p| p[1].1 - p[0].1 >= 26.0),
                "{at}: {:?}",
                layout.ports
            );
            for rect in
                layout.lanes.iter().chain(&layout.folded).chain(&layout.shelf).chain(&layout.tray)
            {
                assert!(rect.x >= 0.0 && rect.right() <= width, "{at}: {rect:?}");
                assert!(rect.bottom() <= layout.height, "{at}: {rect:?}");
                assert!(rect.w >= 200.0 || layout.tray == Some(*rect), "{at}: {rect:?}");
            }
            if layout.density != Density::Phone {
                let lane = layout.lanes[0];
                assert!(
                    lane.right() < layout.gate_x - 13.0
                        && layout.gate_x + 13.0 < layout.cards.x + 10.0,
                    "{at}"
                );
                assert!(layout.port_exit < lane.x, "{at}");
            }
        }
    }
}

#[test]
fn cards_groups_brokers_and_the_tray_never_overlap_and_stay_inside() {
    for (queues, consumers) in [(1, 1), (1, 2), (2, 3), (3, 4), (4, 7), (6, 12)] {
        let view = second_stack(queues, consumers);
        assert_eq!((view.lanes.len(), view.consumers.len()), (2 * queues, consumers));
        for (width, height) in SIZES {
            let layout = Layout::new(&view, width, height);
            let at = format!("{queues} queues, {consumers} consumers at {width} x {height}");
            assert!(apart(&layout.lanes), "{at}: {:?}", layout.lanes);
            // A broker's name stands above its first lane and below the one before.
            for (broker, (x, y)) in view.brokers.iter().zip(&layout.broker_names) {
                let first = broker.first_lane;
                let floor = first.checked_sub(1).map_or(0.0, |i| layout.lanes[i].bottom());
                assert!(y - 11.0 >= floor && y + 3.0 <= layout.lanes[first].y, "{at}: {y}");
                assert_eq!(*x, layout.lanes[first].x, "{at}");
            }
            if layout.density == Density::Phone {
                continue;
            }
            let cards: Vec<&GrpcCard> = layout.side.cards.iter().flatten().collect();
            assert_eq!(cards.len(), consumers, "{at}");
            let mut column: Vec<Rect> = cards.iter().map(|card| card.rect).collect();
            column.extend(layout.side.others.iter().flat_map(|other| other.members.clone()));
            column.extend(layout.tray);
            assert!(apart(&column), "{at}: {column:?}");
            assert!(column.iter().all(|r| r.bottom() <= layout.height), "{at}: {column:?}");
            for card in cards {
                let inside = |r: &Rect| r.y >= card.rect.y && r.bottom() <= card.rect.bottom();
                assert!(apart(&card.rows) && card.rows.iter().all(inside), "{at}: {card:?}");
                assert!(!card.rows.is_empty(), "{at}");
            }
            let topics: Vec<Rect> =
                layout.folded.iter().chain(&layout.halves).chain(&layout.shelf).copied().collect();
            assert!(apart(&topics), "{at}: {topics:?}");
            let below_producers =
                |shelf: &Rect| layout.producers.iter().all(|p| p.bottom() <= shelf.y - 12.0);
            assert!(layout.shelf.iter().all(below_producers), "{at}");
            if let Some(bar) = layout.proxies[1] {
                let clear = bar.x > layout.gate_x + 13.0 && bar.right() <= layout.cards.x + 10.0;
                assert!(clear, "{at}: {bar:?}");
            }
            let lane = layout.lanes[0];
            let before = |bar: &Rect| bar.x > layout.port_exit && bar.right() < lane.x;
            assert!(layout.proxies[0].iter().all(before), "{at}");
        }
    }
}

#[test]
fn consumers_without_a_queue_push_the_rest_of_the_column_down() {
    let text = "\
topic orders FIFO 2 queues
group billing reads orders orderly
group audit reads orders orderly
producer p1 selects by hash
consumer c1 in billing
consumer c2 in billing
consumer c3 in billing
consumer c4 in billing
consumer a1 in audit
run until 9s
";
    let view = projected(text, 0);
    let idle = view.consumers.iter().filter(|consumer| consumer.lanes.is_empty()).count();
    assert_eq!(idle, 2);
    let layout = Layout::new(&view, 1_064.0, 528.0);
    let end = layout.cards.bottom() + 8.0 + WAITING_PITCH * 2.0;
    assert!(layout.side.others[0].name_y - 11.0 >= end - 8.0);
    assert!(layout.tray.is_none_or(|tray| tray.y >= end));
}

#[test]
fn a_card_has_rows_for_what_its_consumer_holds_as_long_as_there_is_room() {
    let text = "\
topic orders FIFO 4 queues
series A message-group A
series B message-group B
series C message-group C
series D message-group D
group billing reads orders fifo, handles in 9s
producer p1
producer p2
consumer c1 in billing grpc push
consumer c2 in billing grpc push
at 3s p1 sends A1 B1
at 3s p2 sends C1 D1
run until 20s
";
    let view = projected(text, 0);
    let layout = Layout::new(&view, 1_064.0, 528.0);
    let held: usize = view.consumers.iter().map(|consumer| consumer.holds.len()).sum();
    assert!(held >= 2);
    for (consumer, card) in view.consumers.iter().zip(&layout.side.cards) {
        let rows = card.as_ref().map_or(0, |card| card.rows.len());
        assert!(rows >= consumer.holds.len().max(1), "{consumer:?}");
    }
}

#[test]
fn the_reference_is_the_design() {
    let layout = Layout::new(&view(4), 1_064.0, 528.0);
    assert_eq!(layout.lanes[0], Rect { x: 372.0, y: 42.0, w: 412.0, h: 72.0 });
    assert_eq!(layout.lanes[3].y, 282.0);
    assert_eq!(layout.gate_x, 824.0);
    assert_eq!((layout.cards.x, layout.cards.w), (864.0, 180.0));
    assert_eq!((layout.producers[0].x, layout.producers[0].w), (20.0, 120.0));
    assert_eq!(layout.folded[0], Rect { x: 372.0, y: 362.0, w: 412.0, h: 26.0 });
    assert_eq!(layout.shelf.map(|shelf| (shelf.y, shelf.bottom())), Some((414.0, 484.0)));
    assert_eq!(Layout::columns(1_064.0, 528.0, 4), 8);
}

#[test]
fn the_lag_of_a_compact_lane_has_its_place_beside_the_last_slot() {
    for width in [600.0, 700.0, 800.0, 900.0, 1_000.0, 1_064.0, 1_300.0, 1_600.0, 2_400.0] {
        let layout = Layout::new(&view(10), width, 528.0);
        assert_eq!(layout.density, Density::Compact);
        let slots = Layout::columns(width, 528.0, 10) as f64;
        let end = layout.style.slot_x + slots * SLOT_PITCH - 6.0;
        let lag_w = if layout.narrow { 0.0 } else { LAG_PX };
        assert_eq!(layout.style.lag_w, lag_w, "{width}");
        assert!(end + lag_w <= layout.lanes[0].w, "{width}: {end} of {}", layout.lanes[0].w);
    }
}

#[test]
fn many_queues_are_strips_in_columns_and_the_opened_one_has_room() {
    let mut view = view(64);
    let layout = Layout::new(&view, 1_064.0, 528.0);
    assert_eq!(layout.density, Density::Strips);
    let strips: Vec<usize> = layout.strips.iter().map(|column| column.strips.len()).collect();
    assert_eq!(strips, [32, 32]);
    let slots = super::tests::view(4).lanes[1].slots.clone();
    view.lanes[5].slots = slots;
    let opened = Layout::new(&view, 1_064.0, 528.0);
    let (lane, next) = (opened.lanes[5], opened.strips[0].strips[6]);
    assert!(lane.y >= opened.strips[0].strips[5].bottom() && lane.bottom() <= next.y);
}

#[test]
fn strips_stand_below_the_names_of_their_brokers() {
    let view = second_stack(10, 1);
    for (width, height) in [(1_064.0, 528.0), (700.0, 420.0)] {
        let layout = Layout::new(&view, width, height);
        assert_eq!(layout.density, Density::Strips);
        assert!(layout.strips.iter().all(|column| apart(&column.strips)));
        assert_eq!(layout.broker_names.len(), 2);
        for (broker, (x, y)) in view.brokers.iter().zip(&layout.broker_names) {
            let strip = layout.lanes[broker.first_lane];
            assert!(*x < strip.x && y + 3.0 <= strip.y && strip.y - y < 12.0, "{y} {strip:?}");
            let clear =
                |lane: &&Rect| lane.x != strip.x || lane.bottom() <= y - 11.0 || lane.y >= strip.y;
            assert_eq!(layout.lanes.iter().filter(|lane| !clear(lane)).count(), 0);
        }
        assert!(layout.lanes.iter().all(|lane| lane.bottom() <= layout.height));
    }
}

#[test]
fn a_gap_takes_two_columns() {
    let x = |column, gap| Layout::column_x(56.0, column, gap);
    assert_eq!([x(0, None), x(7, None)], [56.0, 350.0]);
    assert_eq!(x(4, Some((5, -30))), 224.0);
    assert_eq!(x(39, Some((5, 0))), 56.0 + 7.0 * SLOT_PITCH);
}

#[test]
fn producers_end_with_the_lanes_where_they_have_the_room() {
    let text = "\
topic orders FIFO 4 queues
topic notices NORMAL 4 queues
topic timeouts DELAY 4 queues
topic payments TRANSACTION 4 queues
topic everything MIXED 4 queues
producer app to orders, type-check off
producer sdk to orders
producer old to orders, selects queue 2
at 1s app sends A1
at 7s sdk sends A2
at 8s old sends A3
";
    let view = projected(text, 0);
    let layout = Layout::new(&view, 1_064.0, 528.0);
    assert_eq!(layout.producers.len(), 3);
    assert!(apart(&layout.producers), "{:?}", layout.producers);
    let end = layout.lanes.last().map_or(0.0, Rect::bottom);
    let last = layout.producers.last().map_or(f64::MAX, Rect::bottom);
    assert!(last <= end + 8.0, "{last} {end}");
    assert!(layout.producers[0].y >= TOP, "{:?}", layout.producers);
}

#[test]
fn a_phone_has_topics_delay_levels_and_dead_letters_below_its_lanes() {
    let text = "\
topic orders MIXED 2 queues
topic other NORMAL 2 queues
series A message-group k
group billing reads orders orderly, handles in 100ms, max-reconsume-times 0
group audit reads orders orderly, handles in 100ms
producer p1 to orders, selects by hash
consumer c1 in billing
at 1s A1 fails always
at 1s p1 sends A1
at 2s p1 sends A2, delay level 5
";
    // billing has the dead letter; seen from audit it is the other group's.
    for group in [0, 1] {
        let view = projected(text, group);
        let elsewhere: u32 = view.tray.elsewhere.iter().map(|(_, count)| count).sum();
        assert_eq!((view.tray.count, elsewhere), if group == 0 { (1, 0) } else { (0, 1) });
        let layout = Layout::new(&view, 390.0, 560.0);
        assert_eq!(layout.density, Density::Phone);
        assert_eq!(layout.folded.len(), 1);
        let parts: Vec<Rect> = layout
            .lanes
            .iter()
            .chain(&layout.folded)
            .chain(&layout.shelf)
            .chain(&layout.tray)
            .copied()
            .collect();
        assert_eq!(parts.len(), 5, "{parts:?}");
        assert!(apart(&parts), "{parts:?}");
        assert!(parts.iter().all(|r| r.x >= 0.0 && r.right() <= 390.0), "{parts:?}");
        assert!(parts.iter().all(|r| r.bottom() < layout.height), "{parts:?}");
    }
    // A stage on which nothing of it is used is as it was.
    let plain = "topic orders FIFO 2 queues\ngroup billing reads orders orderly\n";
    let layout = Layout::new(&projected(plain, 0), 390.0, 560.0);
    assert!(layout.shelf.is_none() && layout.tray.is_none() && layout.folded.is_empty());
}
