//! What changes with every animation frame is written here, straight through web-sys and only
//! where it differs: remaining times, rings, clocks, and whatever components add.
//!
//! Yew owns the structure. An element that carries the attribute `data-timed` gets its text or its
//! dashes from here and no children from Yew. The attribute's value is made by [`Timed`].
//!
//! The list of these elements is made anew after each rendering, so it has to be cheap: one selector,
//! one attribute, and what an element showed last is kept under a number on the element itself.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use lockstep_core::ids::Ms;
use wasm_bindgen::{JsCast, JsValue};
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
            let mut timers = self.shared.timers.borrow_mut();
            *timers = collect(std::mem::take(&mut *timers));
        }
        // All rings in the same frames, so that the frames between them have nothing to paint.
        let rings = stale || !at.playing || at.real_ms - self.shared.rings_ms.get() >= RINGS_MS;
        if rings {
            self.shared.rings_ms.set(at.real_ms);
        }
        for timer in self.shared.timers.borrow_mut().iter_mut() {
            timer.paint(at.now_ms, rings);
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

/// What an element shows of the time, as the value of its attribute `data-timed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timed<'a> {
    /// The time left, as text.
    Left {
        /// Until when.
        until_ms: Ms,
        /// In whole seconds, or finer.
        seconds: bool,
        /// A word for when it is over.
        past: Option<&'a str>,
    },
    /// The time passed, as text.
    Since {
        /// Since when.
        from_ms: Ms,
    },
    /// The share of a span that is left, as the dash of a path with `pathLength="100"`.
    Drains {
        /// Beginning.
        from_ms: Ms,
        /// End.
        until_ms: Ms,
    },
    /// The share of a span that is over, likewise.
    Fills {
        /// Beginning.
        from_ms: Ms,
        /// End.
        until_ms: Ms,
    },
    /// The clock.
    Clock,
}

impl Timed<'_> {
    /// The attribute.
    pub const ATTRIBUTE: &'static str = "data-timed";

    /// The attribute's value.
    pub fn value(self) -> String {
        match self {
            Self::Left { until_ms, seconds, past } => {
                let unit = if seconds { 's' } else { '-' };
                format!("left {until_ms} {unit} {}", past.unwrap_or_default())
            }
            Self::Since { from_ms } => format!("since {from_ms}"),
            Self::Drains { from_ms, until_ms } => format!("drains {from_ms} {until_ms}"),
            Self::Fills { from_ms, until_ms } => format!("fills {from_ms} {until_ms}"),
            Self::Clock => "clock".to_owned(),
        }
    }

    fn of(value: &str) -> Option<Timed<'_>> {
        let mut words = value.splitn(4, ' ');
        let kind = words.next()?;
        let mut instant = || words.next()?.parse().ok();
        Some(match kind {
            "left" => {
                let until_ms = instant()?;
                let seconds = words.next()? == "s";
                Timed::Left { until_ms, seconds, past: words.next().filter(|p| !p.is_empty()) }
            }
            "since" => Timed::Since { from_ms: instant()? },
            "drains" => Timed::Drains { from_ms: instant()?, until_ms: instant()? },
            "fills" => Timed::Fills { from_ms: instant()?, until_ms: instant()? },
            _ => Timed::Clock,
        })
    }

    fn is_ring(self) -> bool {
        matches!(self, Self::Drains { .. } | Self::Fills { .. })
    }

    /// What it shows.
    fn shown(self, exact: f64) -> String {
        let now = exact as i64;
        // All figures in tenths change in the same frame, whenever their spans end.
        let tenth = now - now.rem_euclid(100);
        match self {
            Self::Left { until_ms, past: Some(past), .. } if until_ms <= now => past.to_owned(),
            Self::Left { until_ms, seconds: true, .. } => i18n::left_seconds(until_ms - now),
            // Rounded up from where it will be at the end of the tenth.
            Self::Left { until_ms, .. } => i18n::left(until_ms - tenth - 99),
            Self::Since { from_ms } => i18n::left(tenth - from_ms),
            Self::Clock => i18n::clock(now),
            Self::Drains { from_ms, until_ms } => dash(1.0 - share((from_ms, until_ms), exact)),
            Self::Fills { from_ms, until_ms } => dash(share((from_ms, until_ms), exact)),
        }
    }
}

fn share((from_ms, until_ms): (Ms, Ms), exact: f64) -> f64 {
    let (from, until) = (from_ms as f64, until_ms as f64);
    ((exact - from) / (until - from).max(1.0)).clamp(0.0, 1.0)
}

/// A tenth of a percent is finer than a pixel.
fn dash(share: f64) -> String {
    let share = (share * 1_000.0).round() as u32;
    format!("{}.{} 200", share / 10, share % 10)
}

struct Timer {
    element: Element,
    value: String,
    last: String,
}

impl Timer {
    fn paint(&mut self, exact: f64, rings: bool) {
        let Some(timed) = Timed::of(&self.value) else { return };
        if timed.is_ring() && !rings {
            return;
        }
        let shown = timed.shown(exact);
        if shown == self.last {
            return;
        }
        if timed.is_ring() {
            // A failure could only mean that the name is not a name.
            let _ = self.element.set_attribute("stroke-dasharray", &shown);
        } else {
            self.element.set_text_content(Some(&shown));
        }
        self.last = shown;
    }
}

/// Name of the property that holds an element's number in the list.
const NUMBER: &str = "__timed";

/// The list after a rendering. What is known of an element from the list before is kept, so that
/// nothing is read back from the page.
fn collect(before: Vec<Timer>) -> Vec<Timer> {
    let Some(document) = web_sys::window().and_then(|window| window.document()) else {
        return Vec::new();
    };
    let name = JsValue::from_str(NUMBER);
    let mut before: Vec<Option<Timer>> = before.into_iter().map(Some).collect();
    let mut list = Vec::with_capacity(before.len());
    for element in elements(&document, "[data-timed]") {
        let Some(value) = element.get_attribute(Timed::ATTRIBUTE) else { continue };
        let number = js_sys::Reflect::get(&element, &name).ok().and_then(|n| n.as_f64());
        // One that was out of the list for a while has another one's number.
        let known =
            number.and_then(|n| before.get_mut(n as usize)?.take_if(|t| t.element == element));
        let number = JsValue::from_f64(list.len() as f64);
        // An element takes any property.
        let _ = js_sys::Reflect::set(&element, &name, &number);
        let last = known.map(|timer| timer.last).unwrap_or_default();
        list.push(Timer { element, value, last });
    }
    list
}

/// The elements that a selector finds.
pub fn elements(document: &Document, selector: &str) -> impl Iterator<Item = Element> {
    let list = document.query_selector_all(selector).ok();
    let count = list.as_ref().map_or(0, web_sys::NodeList::length);
    (0..count).filter_map(move |index| list.as_ref()?.item(index)?.dyn_into().ok())
}
