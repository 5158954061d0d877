//! Which queue is shown of more than the stage has room for: the one that matters now, and where two
//! runs part.

use std::rc::Rc;

use lockstep_core::ids::MessageQueue;
use lockstep_core::view::stage::LaneView;
use web_sys::Element;
use yew::prelude::*;

use super::layout::{Density, Layout, Rect};
use crate::app::frame::Frame;
use crate::ui::concern::{bring, use_concern};

/// Brings the first queue in which two runs part into view, once it is known.
#[hook]
pub fn use_parting_in_view(frame: &Frame, layout: &Layout, host: &NodeRef) {
    let parts = |lane: &LaneView| frame.parting.contains(&lane.queue);
    let index = frame.stage.lanes.iter().position(parts);
    let rect = index.and_then(|index| rect_of(layout, index));
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

/// Where a lane stands, as a lane or as a strip.
fn rect_of(layout: &Layout, index: usize) -> Option<Rect> {
    if layout.density != Density::Strips {
        return layout.lanes.get(index).copied();
    }
    let mut strips = layout.strips.iter().flat_map(|column| {
        column.strips.iter().enumerate().map(move |(nth, rect)| (column.first + nth, rect))
    });
    strips.find(|(at, _)| *at == index).map(|(_, rect)| *rect)
}

/// Brings the queue that matters now into view. Of two runs the queue in which they part is shown.
#[hook]
pub fn use_concern_in_view(frame: &Rc<Frame>, layout: &Rc<Layout>, host: &NodeRef) {
    let (host, layout, stage) = (host.clone(), Rc::clone(layout), Rc::clone(&frame.stage));
    let alone = frame.side.is_none();
    use_concern(frame, move |queue: MessageQueue| {
        let index = stage.lanes.iter().position(|lane| lane.queue == queue);
        let rect = index.and_then(|index| rect_of(&layout, index)).filter(|_| alone);
        if let Some((rect, host)) = rect.zip(host.cast::<Element>()) {
            bring(&host, (rect.y, rect.bottom()), 12.0);
        }
    });
}
