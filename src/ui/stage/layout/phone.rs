//! The stage of a phone: lanes below each other, as wide as the screen.

use lockstep_core::view::stage::StageView;

use super::{choice_h, lane_ys, Density, Layout, Rect, Side, PHONE};

/// The layout.
pub(super) fn layout(view: &StageView, width: f64) -> Layout {
    let height = |lane: usize| {
        let lane = &view.lanes[lane];
        if lane.max <= lane.min && lane.arriving == 0 {
            40.0
        } else if lane.stands.is_some() {
            116.0
        } else {
            72.0
        }
    };
    let (ys, broker_names) = lane_ys(view, 10.0 + choice_h(view), |lane| height(lane) + 8.0);
    let lane = |(i, y): (usize, f64)| Rect { x: 12.0, y, w: width - 24.0, h: height(i) };
    let lanes: Vec<Rect> = ys.into_iter().enumerate().map(lane).collect();
    Layout {
        density: Density::Phone,
        width,
        height: lanes.last().map_or(10.0, Rect::bottom) + 16.0,
        style: PHONE,
        lanes,
        producers: Vec::new(),
        wide_producers: false,
        ports: Vec::new(),
        port_texts: false,
        port_exit: 0.0,
        gate_x: width - 62.0,
        cards: Rect::default(),
        side: Side::default(),
        broker_names,
        proxies: [None; 2],
        folded: Vec::new(),
        halves: None,
        shelf: None,
        shelf_line: None,
        narrow: true,
        tray: None,
        strips: Vec::new(),
    }
}
