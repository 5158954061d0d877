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
    let program = scenario::load(&text).expect("the text is right");
    let mut session = Session::new(program.seed, program.model.clone(), program.journal());
    session.run_until(6_000);
    let history = History::default();
    let journal = session.journal();
    let columns = |lanes| if lanes > MAX_LANES { 0 } else { 10 };
    let options = Options { group: 0, journal, columns: &columns, opened: None, history: &history };
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
fn a_gap_takes_two_columns() {
    let x = |column, gap| Layout::column_x(56.0, column, gap);
    assert_eq!([x(0, None), x(7, None)], [56.0, 350.0]);
    assert_eq!(x(4, Some((5, -30))), 224.0);
    assert_eq!(x(39, Some((5, 0))), 56.0 + 7.0 * SLOT_PITCH);
}
