//! Where the focus goes when the thing that had it is no more: a button that what it asked for has
//! taken away, an answer that is given, a list that is closed. The browser would leave it nowhere,
//! and whoever works by keyboard would begin anew at the top of the page.

use std::cell::RefCell;
use std::rc::Rc;

use gloo_events::{EventListener, EventListenerOptions};
use gloo_timers::callback::Timeout;
use wasm_bindgen::JsCast;
use web_sys::{Document, Element, HtmlElement};

/// Wait after a press until what it changed is drawn.
const DRAWN_AFTER_MS: u32 = 60;

/// Focuses the first of some elements that people can see.
pub fn first_seen(selectors: &[&str]) {
    let Some(document) = document() else { return };
    let find = |selector: &&str| document.query_selector(selector).ok().flatten();
    // One that is not shown takes no focus.
    let _ = selectors.iter().filter_map(find).any(|element| is_seen(&element) && focus(&element));
}

/// The same, unless something has the focus.
pub fn if_nowhere(selectors: &[&str]) {
    let active = document().and_then(|document| document.active_element());
    if active.is_none_or(|element| element.tag_name() == "BODY") {
        first_seen(selectors);
    }
}

/// Focuses what the panel tells, or the stage where the panel is closed.
pub fn panel() {
    first_seen(&["#panel-body", "#stage"]);
}

/// Focuses an element; false when it takes no focus.
pub fn focus(element: &Element) -> bool {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        // Whether it took it is looked at.
        let _ = element.focus();
    }
    document().and_then(|document| document.active_element()).as_ref() == Some(element)
}

/// Focuses an element, wherever it is scrolled to, when what was asked for is drawn.
pub fn when_drawn(selector: &'static str) {
    let look = move || {
        let found = document().and_then(|document| document.query_selector(selector).ok()?);
        // Whatever is not there, or takes no focus, leaves it where it was.
        found.is_some_and(|element| focus(&element))
    };
    Timeout::new(DRAWN_AFTER_MS, move || {
        look();
    })
    .forget();
}

/// Presses a button when it is drawn, as if people had.
pub fn press_when_drawn(selector: &'static str) {
    let press = move || {
        let found = document().and_then(|document| document.query_selector(selector).ok()?);
        if let Some(button) = found.and_then(|found| found.dyn_into::<HtmlElement>().ok()) {
            button.click();
        }
    };
    Timeout::new(DRAWN_AFTER_MS, press).forget();
}

fn document() -> Option<Document> {
    web_sys::window()?.document()
}

/// Whether people see an element: it lies in the window, and its panel is not scrolled away from it.
pub fn is_in_view(element: &Element) -> bool {
    // A selector of our own can always be read.
    let body = element.closest(".panel-body").ok().flatten();
    let middle = |rect: &web_sys::DomRect| (rect.top() + rect.bottom()) / 2.0;
    let shown = body.is_none_or(|body| {
        let (body, own) = (body.get_bounding_client_rect(), element.get_bounding_client_rect());
        (body.top()..=body.bottom()).contains(&middle(&own))
    });
    shown && is_seen(element)
}

/// Whether an element lies in the window, at least with a line of text.
fn is_seen(element: &Element) -> bool {
    const LINE_PX: f64 = 20.0;
    let size = web_sys::window().and_then(|window| {
        Some((window.inner_width().ok()?.as_f64()?, window.inner_height().ok()?.as_f64()?))
    });
    let Some((width, height)) = size else { return false };
    let rect = element.get_bounding_client_rect();
    let seen_px = rect.bottom().min(height) - rect.top().max(0.0);
    seen_px >= LINE_PX && rect.right() > 0.0 && rect.left() < width && rect.width() > 0.0
}

/// Whether an element cannot have the focus any more.
fn is_lost(element: &Element) -> bool {
    // A selector of our own can always be read.
    let hidden = element.closest("[hidden], :disabled").is_ok_and(|found| found.is_some());
    !element.is_connected() || hidden
}

/// Keeps the focus near where it was.
#[derive(Clone, Default)]
pub struct Keeper(Rc<RefCell<Last>>);

/// The element that had the focus last, and what stood around it, from the inside out.
#[derive(Default)]
struct Last {
    element: Option<Element>,
    around: Vec<Element>,
    listeners: Vec<EventListener>,
    check: Option<Timeout>,
}

impl Keeper {
    /// Begins to watch. Once for a page.
    pub fn watch(&self) {
        let Some(document) = document() else { return };
        let options = EventListenerOptions::run_in_capture_phase();
        let (seen, left, pressed) = (self.clone(), self.clone(), self.clone());
        let focused =
            EventListener::new_with_options(&document, "focusin", options, move |event| {
                let element = event.target().and_then(|target| target.dyn_into::<Element>().ok());
                seen.remember(element);
            });
        // Who presses beside everything wants the focus nowhere; what takes it says so right after.
        let aside = EventListener::new_with_options(&document, "pointerdown", options, move |_| {
            left.remember(None);
        });
        let clicked = EventListener::new_with_options(&document, "click", options, move |_| {
            pressed.soon();
        });
        self.0.borrow_mut().listeners = vec![focused, aside, clicked];
    }

    fn remember(&self, element: Option<Element>) {
        let mut last = self.0.borrow_mut();
        let parent = |element: &Element| element.parent_element();
        let around = std::iter::successors(element.as_ref().and_then(parent), parent);
        last.around = around.filter(|element| element.has_attribute("tabindex")).collect();
        last.element = element;
    }

    /// Looks after the focus when what was asked for is drawn.
    pub fn soon(&self) {
        let keeper = self.clone();
        let check = Timeout::new(DRAWN_AFTER_MS, move || keeper.keep());
        self.0.borrow_mut().check = Some(check);
    }

    /// Puts the focus back near where it was, when its element is gone or takes none any more.
    fn keep(&self) {
        let around = {
            let mut last = self.0.borrow_mut();
            if !last.element.as_ref().is_some_and(is_lost) {
                return;
            }
            last.element = None;
            std::mem::take(&mut last.around)
        };
        let takes =
            |element: &Element| element.is_connected() && is_seen(element) && focus(element);
        if !around.iter().any(takes) {
            panel();
        }
    }
}
