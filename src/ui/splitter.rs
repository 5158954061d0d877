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

    /// A size that the window has room for.
    fn within(self, px: f64) -> u32 {
        let all = page().map_or(f64::MAX, |page| match self {
            Self::Panel => page.0,
            Self::Timeline => page.1,
        });
        px.clamp(self.least_px(), (all * 0.6).max(self.least_px())).round() as u32
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

/// Width and height of the page, in its own pixels: wide screens are zoomed as a whole.
fn page() -> Option<(f64, f64)> {
    let body: HtmlElement = web_sys::window()?.document()?.body()?;
    Some((f64::from(body.client_width()), f64::from(body.client_height())))
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

/// Properties of [`Splitter`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// Which line.
    pub line: Line,
    /// What it does, for readers and for a pointer that rests on it.
    pub label: &'static str,
}

/// The line before a region: dragged, or moved by arrow keys; a double click or Home gives the
/// region its own size back.
#[component]
pub fn Splitter(props: &Props) -> Html {
    let Props { line, label } = *props;
    let node = use_node_ref();
    let told = node.clone();
    // The region's size is the browser's to say, once it is laid out.
    use_effect_with((), move |()| tell(line, &told));
    let down = use_callback((), |event: PointerEvent, ()| {
        if let Some(element) = event.target_dyn_into::<HtmlElement>() {
            // Without capture the drag only ends earlier.
            let _ = element.set_pointer_capture(event.pointer_id());
        }
    });
    let moved = use_callback(line, |event: PointerEvent, line| {
        let held = event
            .target_dyn_into::<HtmlElement>()
            .is_some_and(|e| e.has_pointer_capture(event.pointer_id()));
        if held {
            set(*line, size_at(*line, &event));
        }
    });
    let up = use_callback((line, node.clone()), |event: PointerEvent, (line, node)| {
        if let Some(px) = size_at(*line, &event) {
            settings::write(line.names().1, &px.to_string());
            tell(*line, node);
        }
    });
    let reset = use_callback((line, node.clone()), |_: MouseEvent, (line, node)| {
        choose(*line, None);
        tell(*line, node);
    });
    let key = use_callback((line, node.clone()), |event: KeyboardEvent, (line, node)| {
        let by = match (line, event.key().as_str()) {
            (Line::Panel, "ArrowLeft") | (Line::Timeline, "ArrowUp") => STEP_PX,
            (Line::Panel, "ArrowRight") | (Line::Timeline, "ArrowDown") => -STEP_PX,
            (_, "Home") => 0.0,
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        let next = region_px(*line, node).filter(|_| by != 0.0).map(|px| line.within(px + by));
        choose(*line, next);
        tell(*line, node);
    });
    let (class, orientation) = match line {
        Line::Panel => ("splitter is-panel", "vertical"),
        Line::Timeline => ("splitter is-timeline", "horizontal"),
    };
    html! {
        <div ref={node} {class} title={label} role="separator" tabindex="0" aria-label={label} aria-orientation={orientation}
            aria-valuemin={line.least_px().to_string()} onpointerdown={down} onpointermove={moved} onpointerup={up} ondblclick={reset} onkeydown={key}></div>
    }
}

/// How far an arrow key moves a line.
const STEP_PX: f64 = 16.0;

/// Gives the region behind a line a size, or its own, and remembers it.
fn choose(line: Line, px: Option<u32>) {
    settings::write(line.names().1, &px.map(|px| px.to_string()).unwrap_or_default());
    set(line, px);
}

/// The size of the region behind a line.
fn region_px(line: Line, node: &NodeRef) -> Option<f64> {
    let region = node.cast::<HtmlElement>()?.parent_element()?;
    Some(f64::from(match line {
        Line::Panel => region.client_width(),
        Line::Timeline => region.client_height(),
    }))
}

/// Tells readers the size of the region behind a line.
fn tell(line: Line, node: &NodeRef) {
    if let Some((px, element)) = region_px(line, node).zip(node.cast::<HtmlElement>()) {
        // A failure could only mean that the name is not a name.
        let _ = element.set_attribute("aria-valuenow", &px.round().to_string());
    }
}
