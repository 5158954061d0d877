//! Lines between regions that can be dragged: the panel's width and the timeline's height. Both
//! are remembered.

use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

use crate::app::settings;

/// Which line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// Left edge of the panel.
    Panel,
    /// Upper edge of the timeline.
    Timeline,
}

impl Line {
    /// The custom property that the style sheet reads, and the key under which it is remembered.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Panel => ("--panel-chosen", "lockstep.panel"),
            Self::Timeline => ("--timeline-chosen", "lockstep.timeline"),
        }
    }

    fn least_px(self) -> f64 {
        match self {
            Self::Panel => 320.0,
            Self::Timeline => 96.0,
        }
    }

    /// The size of the region behind the line when the pointer is at a place in a window of a size.
    fn size(self, at: (f64, f64), window: (f64, f64)) -> f64 {
        let (from_end, all) = match self {
            Self::Panel => (window.0 - at.0, window.0),
            Self::Timeline => (window.1 - at.1, window.1),
        };
        from_end.clamp(self.least_px(), all * 0.6)
    }
}

/// Gives regions their remembered sizes.
pub fn restore() {
    for line in [Line::Panel, Line::Timeline] {
        let size = settings::read(line.names().1).and_then(|size| size.parse::<u32>().ok());
        set(line, size);
    }
}

fn set(line: Line, px: Option<u32>) {
    let root = web_sys::window()
        .and_then(|w| w.document()?.document_element()?.dyn_into::<HtmlElement>().ok());
    let Some(style) = root.map(|root| root.style()) else { return };
    let name = line.names().0;
    // A failure could only mean that the name is not a name.
    let _ = match px {
        Some(px) => style.set_property(name, &format!("{px}px")),
        None => style.remove_property(name).map(|_| ()),
    };
}

/// The size under the pointer, in the page's own pixels.
fn size_at(line: Line, event: &PointerEvent) -> Option<u32> {
    let window = web_sys::window()?;
    let all = (window.inner_width().ok()?.as_f64()?, window.inner_height().ok()?.as_f64()?);
    let at = (f64::from(event.client_x()), f64::from(event.client_y()));
    let body: HtmlElement = window.document()?.body()?;
    // Wide screens are zoomed as a whole.
    let scale = all.0 / f64::from(body.client_width()).max(1.0);
    Some((line.size(at, all) / scale.max(1.0)).round() as u32)
}

/// The line before a region.
pub fn splitter(line: Line, label: &'static str) -> Html {
    let down = Callback::from(|event: PointerEvent| {
        if let Some(element) = event.target_dyn_into::<HtmlElement>() {
            // Without capture the drag only ends earlier.
            let _ = element.set_pointer_capture(event.pointer_id());
        }
    });
    let moved = Callback::from(move |event: PointerEvent| {
        let held = event
            .target_dyn_into::<HtmlElement>()
            .is_some_and(|e| e.has_pointer_capture(event.pointer_id()));
        if held {
            set(line, size_at(line, &event));
        }
    });
    let up = Callback::from(move |event: PointerEvent| {
        if let Some(px) = size_at(line, &event) {
            settings::write(line.names().1, &px.to_string());
        }
    });
    let reset = Callback::from(move |_: MouseEvent| {
        settings::write(line.names().1, "");
        set(line, None);
    });
    let class = match line {
        Line::Panel => "splitter is-panel",
        Line::Timeline => "splitter is-timeline",
    };
    html! {
        <div {class} title={label} aria-hidden="true" onpointerdown={down} onpointermove={moved} onpointerup={up} ondblclick={reset}></div>
    }
}
