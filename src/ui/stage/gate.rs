//! Lock gates: a ring that drains with the lease, on the line from a lane to its owner.

use lockstep_core::view::stage::{LaneView, LockView, Stands};

use super::layout::{Density, Layout, Rect};
use super::svg::Path;
use crate::i18n::stage::StageText;
use crate::ui::draw::{classes, lock, Draw, Timed};

/// Half of what a gate takes of its line: the ring, its stroke and a gap.
const HALF: f64 = 19.0;
/// The ring.
const RADIUS: f64 = 13.0;

/// The gate of a lane, and the line through it from the lane to the consumer. All queues of one
/// consumer are renewed together, so that where lanes are close only the first of them is `named`
/// with what is left of the lease.
pub fn gate(
    draw: &mut Draw,
    lane: &LaneView,
    rect: &Rect,
    layout: &Layout,
    named: bool,
    text: StageText,
) {
    let compact = layout.density == Density::Compact;
    let y = if compact { rect.middle() } else { rect.y + layout.style.read_y };
    let (x, end) = (layout.gate_x, layout.cards.x + 10.0);
    let suspended = matches!(lane.stands, Some(Stands::Suspended { .. }));
    let from = Path::at(rect.right(), y);
    let LockView::Held { name, gone, from_ms, until_ms, .. } = &lane.lock else {
        if lane.lock == LockView::None {
            return draw.path("line", "rail", from.h(end).done());
        }
        draw.path("line", "rail is-cut", from.h(x - HALF).m(x + HALF, y).h(end).done());
        draw.circle("ring", "gate-free", (x, y), RADIUS);
        return lock(draw, (x, y), true, "lock is-open");
    };
    let cut = classes("rail", &[(suspended || *gone, "is-cut")]);
    draw.path("line", cut, from.h(x - HALF).m(x + HALF, y).h(end).done());
    if suspended {
        let bars = rect.right() + if layout.narrow { 5.0 } else { 13.0 };
        draw.path(
            "bars",
            "bars",
            Path::at(bars, y - 8.0).dv(16.0).m(bars + 5.0, y - 8.0).dv(16.0).done(),
        );
    }
    draw.circle("track", "gate-track", (x, y), RADIUS);
    draw.ring("left", "gate-ring", (x, y), RADIUS, (*from_ms, *until_ms));
    lock(draw, (x, y), false, "lock");
    if named || !compact {
        let before = if layout.narrow { "" } else { text.lease_before() };
        let lease =
            Timed { before: before.into(), until_ms: *until_ms, seconds: true, ..Timed::default() };
        draw.timed("lease", "lease", (x, y - 22.0), lease);
    }
    if *gone {
        draw.text("gone", "gone", (x, y + 27.0), name.to_string());
    }
}
