//! Where strips stand: in one or two columns, with the opened lane between them.

use lockstep_core::view::stage::StageView;

use super::{Density, Layout, Rect, Side, BROKER_H, FULL, GUTTER};

/// Upper edge of the first strip.
pub const FIRST_STRIP_Y: f64 = 77.0;
/// Most strips in a column while there is room for a second one.
const ROWS: usize = 32;
/// What the numbers of stored messages take, and the width of a column from which on they have it.
const STORED_W: f64 = 52.0;
const STORED_FROM_W: f64 = 420.0;
/// Height that an opened lane takes.
const OPENED_H: f64 = 94.0;

/// A column of strips: which lanes it holds and where their strips are.
#[derive(Clone, Debug, PartialEq)]
pub struct StripColumn {
    /// The first lane of the column.
    pub first: usize,
    /// Left edge of the column.
    pub x: f64,
    /// The strips, one for each lane.
    pub strips: Vec<Rect>,
    /// What the numbers of stored messages take behind the strips; 0 where there is no room for them.
    pub stored_w: f64,
}

/// The layout with strips. `lanes` holds the opened lane's rectangle at its place, and the strips'
/// own rectangles otherwise.
pub(super) fn layout(view: &StageView, width: f64, height: f64) -> Layout {
    let count = view.lanes.len();
    let columns = if count > ROWS / 2 && width >= 840.0 { 2 } else { 1 };
    let rows = count.div_ceil(columns).max(1);
    let named = view.brokers.len() > 1;
    let names_h = Layout::broker_names_h(view.brokers.len());
    let pitch = ((height - FIRST_STRIP_Y - 8.0 - names_h) / rows as f64).clamp(15.0, 48.0).floor();
    let column_w = (width - 2.0 * GUTTER - 12.0 * (columns as f64 - 1.0)) / columns as f64;
    let stored_w = if column_w >= STORED_FROM_W { STORED_W } else { 0.0 };
    let mut lanes = Vec::with_capacity(count);
    let (mut strips, mut broker_names) = (Vec::new(), Vec::new());
    let mut end = 0.0_f64;
    for c in 0..columns {
        let x = GUTTER + (column_w + 12.0) * c as f64;
        let mut y = FIRST_STRIP_Y;
        let mut column = StripColumn { first: c * rows, x, strips: Vec::new(), stored_w };
        for (index, lane) in view.lanes.iter().enumerate().skip(c * rows).take(rows) {
            if named && view.brokers.iter().any(|broker| broker.first_lane == index) {
                broker_names.push((x, y + 15.0));
                y += BROKER_H;
            }
            let (w, h) = (column_w - 200.0 - stored_w, (pitch - 2.5).min(40.0));
            let strip = Rect { x: x + 86.0, y, w, h };
            column.strips.push(strip);
            y += pitch;
            if lane.slots.is_empty() {
                lanes.push(strip);
            } else {
                lanes.push(Rect {
                    x: x + 8.0,
                    y: y + 8.0,
                    w: (column_w - 12.0).min(500.0),
                    h: FULL.h,
                });
                y += OPENED_H;
            }
        }
        end = end.max(y);
        strips.push(column);
    }
    Layout {
        density: Density::Strips,
        width,
        height: (end + 8.0).max(height),
        style: FULL,
        lanes,
        producers: Vec::new(),
        wide_producers: false,
        ports: Vec::new(),
        port_texts: false,
        port_exit: 0.0,
        gate_x: 0.0,
        cards: Rect::default(),
        side: Side::default(),
        broker_names,
        proxies: [None; 2],
        routing: None,
        folded: Vec::new(),
        halves: None,
        shelf: None,
        shelf_line: None,
        narrow: false,
        tray: None,
        strips,
    }
}
