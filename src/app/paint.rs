//! What changes with every animation frame is written here, straight through web-sys and only
//! where it differs: remaining times, rings, clocks, and whatever components add.
//!
//! Yew owns the structure. An element that carries one of the data attributes below gets its text
//! or its dashes from here and no children from Yew.
//!
//! * `data-left="12205"`: the time left until that instant, as text. With `data-left-unit="s"`
//!   whole seconds, with `data-left-past="now"` that word when it is over.
//! * `data-since="4805"`: the time passed since that instant.
//! * `data-ring-from`, `data-ring-until`: the share of that span that is left, as the dash of a
//!   path with `pathLength="100"`.
//! * `data-run-from`, `data-run-until`: the share that is over, likewise.
//! * `data-clock`: the clock.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Document, Element};
use yew::prelude::*;

use crate::i18n;

/// Least real time between two paintings of rings.
const RINGS_MS: f64 = 30.0;

/// One moment to paint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instant {
    /// Virtual time, with its fraction.
    pub now_ms: f64,
    /// Real time of the frame, from the same origin as `performance.now()`.
    pub real_ms: f64,
    /// True while the clock runs.
    pub playing: bool,
    /// Virtual milliseconds in a real one.
    pub speed: f64,
    /// Revision of the frame that is on the screen.
    pub revision: u64,
}

/// Paints; true when it has to paint again in the next animation frame even if the clock stands.
pub type Paint = Box<dyn FnMut(&Instant) -> bool>;

/// The list of everything that is painted. Clones share it.
#[derive(Clone, Default)]
pub struct Painter {
    shared: Rc<Shared>,
}

#[derive(Default)]
struct Shared {
    next_id: Cell<u32>,
    paints: RefCell<Vec<(u32, Paint)>>,
    timers: RefCell<Vec<Timer>>,
    stale: Cell<bool>,
    waker: RefCell<Option<Box<dyn Fn()>>>,
    rings_ms: Cell<f64>,
}

impl PartialEq for Painter {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.shared, &other.shared)
    }
}

/// Keeps a paint in the list for as long as it lives.
pub struct Handle {
    painter: Painter,
    id: u32,
}

impl Drop for Handle {
    fn drop(&mut self) {
        // While the list is in use (a paint that drops a handle), the entry stays until it is free.
        if let Ok(mut paints) = self.painter.shared.paints.try_borrow_mut() {
            paints.retain(|(id, _)| *id != self.id);
        }
    }
}

impl Painter {
    /// Adds a paint. It is called once per animation frame and after each rendering of the page.
    pub fn add(&self, paint: impl FnMut(&Instant) -> bool + 'static) -> Handle {
        let id = self.shared.next_id.get();
        self.shared.next_id.set(id + 1);
        self.shared.paints.borrow_mut().push((id, Box::new(paint)));
        Handle { painter: self.clone(), id }
    }

    /// Says that elements with data attributes came or went. Rendering of the whole page says so
    /// by itself; a component that renders by its own state has to.
    pub fn renew(&self) {
        self.shared.stale.set(true);
    }

    /// Asks for an animation frame, for a paint that has something to do though the clock stands.
    pub fn wake(&self) {
        if let Some(waker) = &*self.shared.waker.borrow() {
            waker();
        }
    }

    /// Sets what asks for an animation frame.
    pub(super) fn set_waker(&self, waker: impl Fn() + 'static) {
        *self.shared.waker.borrow_mut() = Some(Box::new(waker));
    }

    /// Paints everything; true when something has to be painted again in the next frame.
    pub(super) fn paint(&self, at: &Instant) -> bool {
        let stale = self.shared.stale.replace(false);
        if stale {
            *self.shared.timers.borrow_mut() = collect();
        }
        // All rings in the same frames, so that the frames between them have nothing to paint.
        let rings = stale || !at.playing || at.real_ms - self.shared.rings_ms.get() >= RINGS_MS;
        if rings {
            self.shared.rings_ms.set(at.real_ms);
        }
        for timer in self.shared.timers.borrow_mut().iter_mut() {
            if rings || !matches!(timer.kind, Kind::Ring { .. }) {
                timer.paint(at.now_ms);
            }
        }
        let mut again = false;
        for (_, paint) in self.shared.paints.borrow_mut().iter_mut() {
            again |= paint(at);
        }
        again
    }
}

/// The painter of the page.
#[hook]
pub fn use_painter() -> Painter {
    use_context::<Painter>().unwrap_or_default()
}

enum Kind {
    Left { until: i64, seconds: bool, past: Option<String> },
    Ring { from: i64, until: i64, fills: bool },
    Since { from: i64 },
    Clock,
}

struct Timer {
    element: Element,
    kind: Kind,
    last: String,
}

impl Timer {
    fn paint(&mut self, exact: f64) {
        let now = exact as i64;
        // All figures in tenths change in the same frame, whenever their spans end.
        let tenth = now - now.rem_euclid(100);
        let value = match &self.kind {
            Kind::Left { until, past: Some(past), .. } if *until <= now => past.clone(),
            Kind::Left { until, seconds: true, .. } => i18n::left_seconds(until - now),
            // Rounded up from where it will be at the end of the tenth.
            Kind::Left { until, .. } => i18n::left(until - tenth - 99),
            Kind::Since { from } => i18n::left(tenth - from),
            Kind::Clock => i18n::clock(now),
            Kind::Ring { from, until, fills } => {
                let (from, until) = (*from as f64, *until as f64);
                let share = ((exact - from) / (until - from).max(1.0)).clamp(0.0, 1.0);
                // A tenth of a percent is finer than a pixel.
                let share = (if *fills { share } else { 1.0 - share } * 1_000.0).round() as u32;
                format!("{}.{} 200", share / 10, share % 10)
            }
        };
        if value == self.last {
            return;
        }
        if matches!(self.kind, Kind::Ring { .. }) {
            // A failure could only mean that the name is not a name.
            let _ = self.element.set_attribute("stroke-dasharray", &value);
        } else {
            self.element.set_text_content(Some(&value));
        }
        self.last = value;
    }
}

fn collect() -> Vec<Timer> {
    let Some(document) = web_sys::window().and_then(|window| window.document()) else {
        return Vec::new();
    };
    elements(&document, "[data-left],[data-since],[data-ring-until],[data-run-until],[data-clock]")
        .filter_map(|element| {
            let kind = kind_of(&element)?;
            let last = match kind {
                Kind::Ring { .. } => element.get_attribute("stroke-dasharray"),
                _ => element.text_content(),
            };
            Some(Timer { element, kind, last: last.unwrap_or_default() })
        })
        .collect()
}

fn kind_of(element: &Element) -> Option<Kind> {
    let number = |name: &str| element.get_attribute(name)?.parse::<i64>().ok();
    if let Some(until) = number("data-left") {
        let seconds = element.has_attribute("data-left-unit");
        return Some(Kind::Left { until, seconds, past: element.get_attribute("data-left-past") });
    }
    if let Some(from) = number("data-since") {
        return Some(Kind::Since { from });
    }
    if let Some(until) = number("data-ring-until") {
        return Some(Kind::Ring { from: number("data-ring-from")?, until, fills: false });
    }
    if let Some(until) = number("data-run-until") {
        return Some(Kind::Ring { from: number("data-run-from")?, until, fills: true });
    }
    Some(Kind::Clock)
}

/// The elements that a selector finds.
pub fn elements(document: &Document, selector: &str) -> impl Iterator<Item = Element> {
    let list = document.query_selector_all(selector).ok();
    let count = list.as_ref().map_or(0, web_sys::NodeList::length);
    (0..count).filter_map(move |index| list.as_ref()?.item(index)?.dyn_into().ok())
}
