//! What stands below the lanes of a desk's stage: the delay shelf and the tray of dead letters.

use lockstep_core::view::stage::StageView;

use super::plan::Plan;
use super::{Rect, GUTTER};

/// What stands below the lanes.
pub(super) struct Lower {
    pub shelf: Option<Rect>,
    pub shelf_line: Option<f64>,
    pub tray: Option<Rect>,
    pub end: f64,
}

impl Lower {
    /// `side_end`: where the lanes and the consumers' column end; `below`: where the topics end.
    pub fn of(view: &StageView, plan: &Plan, height: f64, (side_end, below): (f64, f64)) -> Self {
        let x = if plan.narrow { plan.port_x } else { GUTTER };
        // Heading, boxes, axis; two lines of figures below it.
        let shelf = Rect { x, y: below + 26.0, w: plan.lane_right - x, h: 70.0 };
        let room = shelf.bottom() + 40.0 <= height && !view.shelf.levels.is_empty();
        let used = view.shelf.levels.iter().any(|level| level.count > 0);
        let shelf_line = (!room && used).then_some(below + 20.0);
        let shelf = room.then_some(shelf);
        let y = side_end + 8.0;
        // Words, or up to two rows of dead letters.
        let rows = view.tray.count.min(8).div_ceil(4);
        let least = if rows > 0 { 60.0 + 26.0 * f64::from(rows) } else { 112.0 };
        let bottom = shelf.map_or(0.0, |s| s.bottom()).max(y + least);
        let dead = view.tray.count > 0 || !view.tray.elsewhere.is_empty();
        let shown = !plan.narrow && view.group.is_some() && (bottom + 8.0 <= height || dead);
        let tray = shown.then_some(Rect { x: plan.card_x, y, w: plan.card_w, h: bottom - y });
        let ends = [
            below,
            side_end + 8.0,
            shelf.map_or(0.0, |s| s.bottom() + 40.0),
            shelf_line.map_or(0.0, |y| y + 10.0),
            tray.map_or(0.0, |t| t.bottom() + 8.0),
        ];
        Self { shelf, shelf_line, tray, end: ends.into_iter().fold(0.0, f64::max) }
    }
}
