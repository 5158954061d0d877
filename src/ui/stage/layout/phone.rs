//! The stage of a phone: lanes below each other, as wide as the screen, and below them what a desk's
//! stage has beside them and below.

use lockstep_core::view::stage::StageView;

use super::{
    choice_h, lane_ys, Density, Layout, Rect, Side, FOLD_H, PHONE, ROUTING_HEAD_H, ROUTING_PITCH,
};

/// The layout.
pub(super) fn layout(view: &StageView, width: f64) -> Layout {
    let height = |lane: usize| {
        let lane = &view.lanes[lane];
        if lane.max <= lane.min && lane.arriving == 0 {
            40.0
        } else {
            PHONE.h
        }
    };
    let (ys, broker_names) =
        lane_ys(view, (12.0, 10.0 + choice_h(view)), |lane| height(lane) + 8.0);
    let lane = |(i, y): (usize, f64)| Rect { x: 12.0, y, w: width - 24.0, h: height(i) };
    let lanes: Vec<Rect> = ys.into_iter().enumerate().map(lane).collect();
    let lanes_end = lanes.last().map_or(10.0, Rect::bottom);
    let below = Below::of(view, width, lanes_end);
    Layout {
        density: Density::Phone,
        width,
        height: below.end + 16.0,
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
        routing: below.routing,
        folded: below.folded,
        halves: below.halves,
        shelf: below.shelf,
        shelf_line: None,
        narrow: true,
        tray: below.tray,
        strips: Vec::new(),
    }
}

/// What follows below the lanes.
struct Below {
    routing: Option<Rect>,
    folded: Vec<Rect>,
    halves: Option<Rect>,
    shelf: Option<Rect>,
    tray: Option<Rect>,
    end: f64,
}

impl Below {
    /// The routing of message groups, other topics, half messages, the delay levels while they hold something, dead letters while
    /// any group has some.
    fn of(view: &StageView, width: f64, lanes_end: f64) -> Self {
        let mut end = lanes_end;
        let mut next = |gap: f64, h: f64| {
            let rect = Rect { x: 12.0, y: end + gap, w: width - 24.0, h };
            end = rect.bottom();
            rect
        };
        let rows = view.ports.len().div_ceil(2) as f64;
        let routing = (rows > 0.0).then(|| next(12.0, ROUTING_HEAD_H + ROUTING_PITCH * rows));
        let folded: Vec<Rect> = view.folded.iter().map(|_| next(8.0, FOLD_H)).collect();
        let halves = (view.halves > 0).then(|| next(8.0, FOLD_H));
        let held = view.shelf.levels.iter().any(|level| level.count > 0);
        // A heading above it, two lines of figures below it.
        let shelf = held.then(|| next(30.0, 70.0));
        let rows = view.tray.count.min(8).div_ceil(4);
        let dead = view.tray.count > 0 || !view.tray.elsewhere.is_empty();
        let gap = if held { 48.0 } else { 8.0 };
        let tray_h = if rows > 0 { 60.0 + 26.0 * f64::from(rows) } else { 112.0 };
        let tray = (dead && view.group.is_some()).then(|| next(gap, tray_h));
        if held && tray.is_none() {
            end += 32.0;
        }
        Self { routing, folded, halves, shelf, tray, end }
    }
}
