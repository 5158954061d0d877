//! Views that may lag a little behind the run: they are drawn a few times a second while it plays,
//! and at once when it stands.

use std::rc::Rc;

use gloo_timers::callback::Timeout;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, ResizeObserver};
use yew::prelude::*;

use crate::app::frame::Frame;

/// Least time between two drawings while the run plays, in real milliseconds.
const CALM_MS: u32 = 400;

/// What was let through last, and when.
struct Last {
    frame: Rc<Frame>,
    at_ms: f64,
}

fn now_ms() -> f64 {
    web_sys::window().and_then(|window| window.performance()).map_or(0.0, |p| p.now())
}

fn group(frame: &Frame) -> Option<usize> {
    frame.stage.group.as_ref().map(|group| group.index)
}

/// The frame to draw: the present one, or while the run plays one that is not much older.
#[hook]
pub fn use_calm(frame: &Rc<Frame>) -> Rc<Frame> {
    let last = use_mut_ref(|| None::<Last>);
    let pending = use_mut_ref(|| None::<Timeout>);
    let redraw = use_force_update();
    let mut last = last.borrow_mut();
    let now_ms = now_ms();
    if let Some(Last { frame: shown, at_ms }) = &*last {
        // Whatever people did themselves is answered at once.
        let same = shown.playing == frame.playing
            && shown.generation == frame.generation
            && shown.selection == frame.selection
            && shown.locale == frame.locale
            && group(shown) == group(frame)
            && shown.now_ms <= frame.now_ms;
        if frame.playing && same && now_ms - at_ms < f64::from(CALM_MS) {
            let mut pending = pending.borrow_mut();
            if pending.is_none() {
                *pending = Some(Timeout::new(CALM_MS, move || redraw.force_update()));
            }
            return shown.clone();
        }
    }
    *pending.borrow_mut() = None;
    *last = Some(Last { frame: frame.clone(), at_ms: now_ms });
    frame.clone()
}

/// The width of an element in CSS pixels, kept up to date; 0 before it is known.
#[hook]
pub fn use_width(node: &NodeRef) -> u32 {
    let width = use_state(|| 0_u32);
    {
        let (node, width) = (node.clone(), width.clone());
        use_effect_with((), move |()| {
            let element = node.cast::<HtmlElement>();
            let measured = element.clone();
            let measure = move || {
                if let Some(element) = &measured {
                    width.set(u32::try_from(element.client_width()).unwrap_or(0));
                }
            };
            measure();
            let changed = Closure::<dyn Fn()>::new(measure);
            let observer = ResizeObserver::new(changed.as_ref().unchecked_ref()).ok();
            if let (Some(observer), Some(element)) = (&observer, &element) {
                observer.observe(element);
            }
            move || {
                if let Some(observer) = observer {
                    observer.disconnect();
                }
                drop(changed);
            }
        });
    }
    *width
}
