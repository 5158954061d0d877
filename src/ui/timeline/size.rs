//! How wide the tracks are, how much of the rows can be seen, and how far they are scrolled. Asking
//! for it in every frame would make the browser lay the page out in every frame.

use wasm_bindgen::closure::Closure;
use wasm_bindgen::JsCast;
use web_sys::{Element, ResizeObserver};
use yew::prelude::*;

use super::SharedView;

/// Follows the width of the tracks and the height of what can be seen of the rows.
#[hook]
pub fn use_size(tracks: &NodeRef, body: &NodeRef, view: &SharedView, again: &Callback<()>) {
    let (tracks, body) = (tracks.clone(), body.clone());
    let (view, again) = (view.clone(), again.clone());
    use_effect_with((), move |()| {
        let elements = [tracks.cast::<Element>(), body.cast::<Element>()];
        let [tracks, body] = elements.clone();
        let measure = Closure::<dyn FnMut()>::new(move || {
            let width = tracks.as_ref().map_or(0.0, |e| f64::from(e.client_width()));
            let height = body.as_ref().map_or(0.0, |e| f64::from(e.client_height()));
            let mut view = view.borrow_mut();
            let changed =
                (width - view.width_px).abs() > 0.5 || (height - view.height_px).abs() > 0.5;
            if width > 0.0 && changed {
                (view.width_px, view.height_px) = (width, height);
                drop(view);
                again.emit(());
            }
        });
        let observer = ResizeObserver::new(measure.as_ref().unchecked_ref()).ok();
        if let Some(observer) = &observer {
            elements.iter().flatten().for_each(|element| observer.observe(element));
        }
        move || {
            if let Some(observer) = observer {
                observer.disconnect();
            }
            drop(measure);
        }
    });
}

/// Follows the scrolling of the rows; draws others when they come into sight.
#[hook]
pub fn use_scroll(body: &NodeRef, view: &SharedView, again: &Callback<()>) -> Callback<Event> {
    let (body, view, again) = (body.clone(), view.clone(), again.clone());
    use_callback((), move |_: Event, ()| {
        let Some(body) = body.cast::<Element>() else { return };
        let mut view = view.borrow_mut();
        let before = view.rows(usize::MAX);
        view.top_px = f64::from(body.scroll_top().max(0));
        let changed = before != view.rows(usize::MAX);
        drop(view);
        if changed {
            again.emit(());
        }
    })
}
