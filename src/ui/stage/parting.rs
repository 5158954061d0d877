//! Where two runs part, among more queues than the stage has room for.

use lockstep_core::view::stage::LaneView;
use web_sys::Element;
use yew::prelude::*;

use super::layout::{Density, Layout};
use crate::app::frame::Frame;

/// Brings the first queue in which two runs part into view, once it is known.
#[hook]
pub fn use_parting_in_view(frame: &Frame, layout: &Layout, host: &NodeRef) {
    let parts = |lane: &LaneView| frame.parting.contains(&lane.queue);
    let index = frame.stage.lanes.iter().position(parts);
    let strips = layout.strips.iter().flat_map(|column| {
        column.strips.iter().enumerate().map(move |(nth, rect)| (column.first + nth, rect))
    });
    let rect = index.and_then(|index| match layout.density {
        Density::Strips => strips.into_iter().find(|(at, _)| *at == index).map(|(_, rect)| *rect),
        _ => layout.lanes.get(index).copied(),
    });
    let (host, lines) = (host.clone(), layout.density == Density::Strips);
    let of = (index, frame.parting.len(), frame.size);
    use_effect_with(of, move |_| {
        let Some((rect, host)) = rect.zip(host.cast::<Element>()) else { return };
        let height = f64::from(host.client_height());
        // The numbers above the strips scroll with them; a lane is seen whole.
        let above = if lines { height / 3.0 } else { 12.0 };
        if rect.bottom() > height {
            host.set_scroll_top((rect.y - above).max(0.0) as i32);
        }
    });
}
