//! Where the focus goes when the thing that had it is no more.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// Focuses the first of some elements that people can see.
pub fn first_seen(selectors: &[&str]) {
    let Some(document) = web_sys::window().and_then(|window| window.document()) else { return };
    let find = |selector: &&str| document.query_selector(selector).ok().flatten();
    if let Some(element) = selectors.iter().filter_map(find).find(is_seen) {
        focus(&element);
    }
}

/// Focuses what the panel tells, or the stage where the panel is closed.
pub fn panel() {
    first_seen(&["#panel-body", "#stage"]);
}

/// Focuses an element.
pub fn focus(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        // Focus can only be refused by an element that is gone.
        let _ = element.focus();
    }
}

/// Whether an element lies in the window, at least with a line of text.
fn is_seen(element: &Element) -> bool {
    const LINE_PX: f64 = 20.0;
    let height = web_sys::window().and_then(|window| window.inner_height().ok()?.as_f64());
    let width = web_sys::window().and_then(|window| window.inner_width().ok()?.as_f64());
    let (Some(height), Some(width)) = (height, width) else { return false };
    let rect = element.get_bounding_client_rect();
    let seen_px = rect.bottom().min(height) - rect.top().max(0.0);
    seen_px >= LINE_PX && rect.right() > 0.0 && rect.left() < width && rect.width() > 0.0
}
