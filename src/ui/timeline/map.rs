//! The whole run in one thin strip, where the screen shows less: how much was handled when, broken
//! guarantees, bookmarks, and the window, which can be dragged.

use std::fmt::Write;

use lockstep_core::ids::Ms;
use yew::prelude::*;

use super::geometry::{Px, View};
use super::pointer::MapHands;
use super::rows::Projection;
use crate::app::frame::Frame;
use crate::i18n::timeline::TimelineText;

/// Height of the strip in pixels.
const HEIGHT: f64 = 10.0;
/// Width of a column of the activity in pixels.
const COLUMN_PX: f64 = 3.0;
/// The strip is there when the run is longer than the screen by this factor.
const LONGER: f64 = 1.2;

/// The strip; hidden where the screen shows the whole run. The animation frame moves the window
/// and the present in it.
pub fn map(frame: &Frame, view: &View, projection: &Projection, hands: &MapHands) -> Html {
    let end_ms = frame.until_ms;
    let texts = TimelineText(frame.locale);
    let hidden = !is_longer(end_ms, view);
    let x = |at_ms: Ms| at_ms as f64 / end_ms.max(1) as f64 * view.width_px;
    html! {
        <div class="tl-map" {hidden} data-end={end_ms.to_string()} title={texts.whole_run()} aria-hidden="true"
            onpointerdown={hands.down.clone()} onpointermove={hands.go.clone()} onpointerup={hands.up.clone()} onpointercancel={hands.up.clone()}>
            <svg width={view.width_px.to_string()} height={HEIGHT.to_string()}>
                <path d={projection.activity.clone()} />
                <path class="is-broken" d={ticks(frame.violations.iter().map(|violation| x(violation.at_ms)))} />
                <path class="is-bookmark" d={ticks(frame.bookmarks.iter().map(|at_ms| x(*at_ms)))} />
            </svg>
            <i class="tl-map-head"></i>
            <i class="tl-lens" style={format!("width:{}px", Px((view.span_ms / end_ms.max(1) as f64 * view.width_px).max(4.0)))}></i>
        </div>
    }
}

/// Whether a run is so much longer than the screen that the strip is worth its place.
pub fn is_longer(end_ms: Ms, view: &View) -> bool {
    end_ms as f64 >= view.span_ms * LONGER
}

/// A tick at each place, one where several would lie on each other.
fn ticks(places: impl Iterator<Item = f64>) -> String {
    let (mut d, mut last) = (String::new(), f64::MIN);
    for x in places.filter(|x| x.is_finite()) {
        if x - last >= 1.0 {
            // Writing to a string cannot fail.
            let _ = write!(d, "M{} 0h2v{HEIGHT}h-2z", Px(x - 1.0));
            last = x;
        }
    }
    d
}

/// How many columns the activity has on a strip of this width.
pub fn columns(width_px: f64) -> usize {
    (width_px / COLUMN_PX).max(1.0) as usize
}

/// The activity as a path: columns as high as the share of the busiest, at least one pixel where
/// anything happened.
pub fn activity_path(counts: &[u32]) -> String {
    let most = f64::from(counts.iter().copied().max().unwrap_or(0).max(1));
    let mut d = String::new();
    for (index, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let height = (f64::from(*count) / most * HEIGHT).max(1.0);
        let (x, top) = (index as f64 * COLUMN_PX, HEIGHT - height);
        // Writing to a string cannot fail.
        let _ = write!(d, "M{} {}h2v{}h-2z", Px(x), Px(top), Px(height));
    }
    d
}
