//! Gates on the line from a lane to its consumers: a ring that drains with the lease of the lock, or
//! with the invisible time of the message that holds the queue back.

use lockstep_core::view::stage::{LaneView, LockView, Stands};

use super::layout::{Density, Layout, Rect};
use super::svg::Path;
use crate::i18n;
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
    let x = layout.gate_x;
    // A consumer's row stands a little inside its card; without one the line ends before the column.
    let inside = if lane.rows.is_empty() { -4.0 } else { 10.0 };
    let end = layout.proxies[1].map_or(layout.cards.x + inside, |bar| bar.x);
    // Narrow stages have less room behind the gate than before it.
    let shift = if layout.narrow { 5.0 } else { 0.0 };
    reset(draw, lane, (x - shift, y + 27.0), text);
    let waits = matches!(lane.stands, Some(Stands::Suspended { .. } | Stands::BackOff { .. }));
    let from = Path::at(rect.right(), y);
    let (span, gone) = match &lane.lock {
        // Where nobody reads, no line leads on.
        LockView::None if lane.rows.is_empty() && layout.proxies[1].is_none() => return,
        LockView::None => return draw.path("line", "rail", from.h(end).done()),
        LockView::Free | LockView::Open => {
            draw.path("line", "rail is-cut", from.h(x - HALF).m(x + HALF, y).h(end).done());
            draw.circle("ring", "gate-free", (x, y), RADIUS);
            if lane.lock == LockView::Free {
                lock(draw, (x, y), true, "lock is-open");
            }
            return;
        }
        LockView::Held { gone, from_ms, until_ms, .. } => ((*from_ms, *until_ms), *gone),
        LockView::Block { from_ms, until_ms, .. } => ((*from_ms, *until_ms), false),
    };
    let unacknowledged = matches!(lane.stands, Some(Stands::Unacknowledged { .. }));
    let cut = classes("rail", &[(waits || unacknowledged || gone, "is-cut")]);
    draw.path("line", cut, from.h(x - HALF).m(x + HALF, y).h(end).done());
    if waits {
        let bars = rect.right() + if layout.narrow { 5.0 } else { 13.0 };
        draw.path(
            "bars",
            "bars",
            Path::at(bars, y - 8.0).dv(16.0).m(bars + 5.0, y - 8.0).dv(16.0).done(),
        );
    }
    draw.circle("track", "gate-track", (x, y), RADIUS);
    draw.ring("left", "gate-ring", (x, y), RADIUS, span);
    let left = Timed { until_ms: span.1, ..Timed::default() };
    match &lane.lock {
        LockView::Held { name, .. } => {
            lock(draw, (x, y), false, "lock");
            if named || !compact {
                let before = if layout.narrow { "" } else { text.lease_before() };
                let lease = Timed { before: before.into(), seconds: true, ..left };
                draw.timed("lease", "lease", (x, y - 22.0), lease);
            }
            if gone && lane.reset.is_none() {
                draw.text("gone", "gone", (x, y + 27.0), name.to_string());
            }
        }
        LockView::Block { name, .. } => {
            // The message that the queue waits for.
            draw.label("label", "gate-label", (x, y), &name.label, None, fit(&name.label));
            if !compact {
                draw.timed("lease", "lease", (x - shift, y - 22.0), left);
            }
        }
        _ => {}
    }
}

/// Room for a label in a ring.
const LABEL_W: f64 = 19.0;

/// The width that a label has to be squeezed into.
fn fit(label: &str) -> Option<f64> {
    (label.chars().count() > 2).then_some(LABEL_W)
}

/// A reset that waits for the queue to be read.
fn reset(draw: &mut Draw, lane: &LaneView, at: (f64, f64), text: StageText) {
    if let Some(offset) = lane.reset {
        draw.text("reset", "reset", at, text.reset(&i18n::number(offset)));
    }
}
