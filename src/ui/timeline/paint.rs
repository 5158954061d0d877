//! What of the timeline changes with every animation frame: the place of the sheets, the
//! playhead, the cover, the few labels that depend on them. Written only where it differs.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::geometry::{label_px, Px};
use super::marks::MARGIN_PX;
use super::SharedView;
use crate::app::paint::{Instant, Painter};

/// Tick labels this close to the playhead give way to its knob.
const KNOB_PX: f64 = 34.0;
/// What of the line of marks stands right of the tracks, at the least.
const END_PX: f64 = 12.0;
/// Room between the zoom control and the tracks.
const ZOOM_GAP_PX: f64 = 14.0;

/// Adds the timeline to what is painted, for as long as the component lives.
#[hook]
pub fn use_paint(painter: &Painter, root: &NodeRef, view: &SharedView, again: &Callback<()>) {
    let (painter, root, view, again) = (painter.clone(), root.clone(), view.clone(), again.clone());
    // Counts the renderings, so that the elements are looked up once after each.
    let renderings: Rc<Cell<u64>> = use_memo((), |()| Cell::new(1));
    {
        let (renderings, painter) = (renderings.clone(), painter.clone());
        use_effect(move || {
            renderings.set(renderings.get() + 1);
            // The window may have been moved while the clock stands, when nothing else paints.
            painter.wake();
        });
    }
    use_effect_with((), move |()| {
        let mut parts: Option<Parts> = None;
        let handle = painter.add(move |at: &Instant| {
            let Some(element) = root.cast::<Element>() else { return false };
            let rendering = renderings.get();
            if parts.as_ref().is_none_or(|p| p.rendering != rendering) {
                parts = Parts::of(element, rendering);
            }
            if let Some(parts) = &mut parts {
                parts.paint(at, &view, &again);
            }
            false
        });
        move || drop(handle)
    });
}

/// What was written last, in tenths of a pixel.
#[derive(Clone, Copy, Default, PartialEq)]
struct Written {
    head: i64,
    shift: i64,
    width: i64,
}

/// A label of the ruler: its place on the sheet, half its width, and whether it is hidden.
struct Tick {
    element: HtmlElement,
    x: f64,
    half: f64,
    hidden: Option<bool>,
}

/// An owner's name: where its band begins, the room that it needs, and where there is room.
struct Owner {
    element: HtmlElement,
    from: f64,
    need: f64,
    free: Vec<(f64, f64)>,
    /// Its place in the band as it was written last, in tenths of a pixel; None when it is hidden.
    written: Option<Option<i64>>,
}

impl Owner {
    fn of(element: Element) -> Option<Self> {
        let value = element.get_attribute("data-band")?;
        let mut numbers = value.split(' ').filter_map(|number| number.parse().ok());
        let (from, need) = (numbers.next()?, numbers.next()?);
        let mut free = Vec::new();
        while let Some(pair) = numbers.next().zip(numbers.next()) {
            free.push(pair);
        }
        Some(Self { element: element.dyn_into().ok()?, from, need, free, written: None })
    }

    /// Stands at the left edge of the window, or where the next room is; the future has none.
    fn paint(&mut self, left: f64, head: f64) {
        let fits = |&(from, to): &(f64, f64)| {
            let x = left.max(from);
            (to.min(head) - x >= self.need).then_some(x)
        };
        let place = self.free.iter().find_map(fits).map(|x| x - self.from);
        let next = place.map(tenths);
        let last = self.written.replace(next);
        if last == Some(next) {
            return;
        }
        if last.is_none_or(|last| last.is_none() != next.is_none()) {
            self.element.set_hidden(next.is_none());
        }
        if let Some(x) = place {
            move_to(&self.element, x);
        }
    }
}

/// A mark: its place on the sheet, half its width, and whether an end of the line would cut it.
struct Mark {
    element: Element,
    x: f64,
    half: f64,
    out: Option<bool>,
}

impl Mark {
    fn paint(&mut self, shift: f64, width: f64) {
        let (left, right) = (self.x + shift - self.half, self.x + shift + self.half);
        let out = left < -MARGIN_PX || right > width + END_PX;
        if self.out.replace(out) != Some(out) {
            // A failure could only mean that the class is not a class.
            let _ = self.element.class_list().toggle_with_force("is-out", out);
        }
    }
}

/// A bar that runs: its place on the sheet, the width from which its label fits inside, and
/// whether it does.
struct Growing {
    element: Element,
    x: f64,
    wide_px: f64,
    is_wide: Option<bool>,
}

struct Parts {
    rendering: u64,
    head: HtmlElement,
    cover: HtmlElement,
    future: HtmlElement,
    sheets: Vec<HtmlElement>,
    ticks: Vec<Tick>,
    owners: Vec<Owner>,
    marks: Vec<Mark>,
    growing: Vec<Growing>,
    map: Option<Map>,
    written: Written,
    gone: Option<bool>,
}

/// The strip of the whole run: its length in time, and what moves in it.
struct Map {
    end_ms: f64,
    lens: HtmlElement,
    head: HtmlElement,
    /// Places of the two as they were written last, in tenths of a pixel.
    written: (i64, i64),
}

impl Map {
    fn of(root: &Element) -> Option<Self> {
        let strip = one(root, ".tl-map:not([hidden])")?;
        let end_ms = strip.get_attribute("data-end")?.parse().ok()?;
        let (lens, head) = (one(root, ".tl-lens")?, one(root, ".tl-map-head")?);
        Some(Self { end_ms, lens, head, written: (i64::MIN, i64::MIN) })
    }

    /// Puts the window and the present where they are.
    fn paint(&mut self, from_ms: f64, now_ms: f64, width_px: f64) {
        let x = |ms: f64| (ms / self.end_ms.max(1.0)).clamp(0.0, 1.0) * width_px;
        let (lens, head) = (x(from_ms), x(now_ms));
        let last = std::mem::replace(&mut self.written, (tenths(lens), tenths(head)));
        if last.0 != self.written.0 {
            move_to(&self.lens, lens);
        }
        if last.1 != self.written.1 {
            move_to(&self.head, head);
        }
    }
}

/// The elements that a selector finds below another.
fn elements_in(root: &Element, selector: &str) -> impl Iterator<Item = Element> {
    let list = root.query_selector_all(selector).ok();
    let count = list.as_ref().map_or(0, web_sys::NodeList::length);
    (0..count).filter_map(move |index| list.as_ref()?.item(index)?.dyn_into().ok())
}

fn one(root: &Element, selector: &str) -> Option<HtmlElement> {
    root.query_selector(selector).ok()??.dyn_into().ok()
}

/// The numbers of an attribute.
fn numbers(element: &Element, name: &str) -> Option<(f64, f64)> {
    let value = element.get_attribute(name)?;
    let (a, b) = value.split_once(' ')?;
    Some((a.parse().ok()?, b.parse().ok()?))
}

fn tenths(x: f64) -> i64 {
    (x * 10.0).round() as i64
}

fn move_to(element: &HtmlElement, x: f64) {
    // A failure could only mean that the property is not a property.
    let _ = element.style().set_property("transform", &format!("translateX({}px)", Px(x)));
}

impl Parts {
    fn of(root: Element, rendering: u64) -> Option<Self> {
        let head = one(&root, ".tl-head")?;
        let cover = one(&root, ".tl-cover")?;
        let future = one(&root, ".tl-future")?;
        let sheets = elements_in(&root, ".tl-sheet:not(.tl-future)")
            .filter_map(|e| e.dyn_into().ok())
            .collect();
        let ticks = elements_in(&root, ".tl-tick")
            .filter_map(|e| {
                let x = e.get_attribute("data-x")?.parse().ok()?;
                let half = label_px(&e.text_content()?) / 2.0;
                Some(Tick { element: e.dyn_into().ok()?, x, half, hidden: None })
            })
            .collect();
        let owners = elements_in(&root, "[data-band]").filter_map(Owner::of).collect();
        let marks = elements_in(&root, "[data-mark]")
            .filter_map(|e| {
                let (x, half) = numbers(&e, "data-mark")?;
                Some(Mark { element: e, x, half, out: None })
            })
            .collect();
        let growing = elements_in(&root, "[data-grows]")
            .filter_map(|e| {
                let (x, wide_px) = numbers(&e, "data-grows")?;
                Some(Growing { element: e, x, wide_px, is_wide: None })
            })
            .collect();
        let written = Written { head: i64::MIN, ..Written::default() };
        Some(Self {
            rendering,
            head,
            cover,
            future,
            sheets,
            ticks,
            owners,
            marks,
            growing,
            map: Map::of(&root),
            written,
            gone: None,
        })
    }

    fn paint(&mut self, at: &Instant, view: &SharedView, again: &Callback<()>) {
        let mut view = view.borrow_mut();
        let renewed = view.follow(at.now_ms);
        let (head, shift, width) = (view.screen_x(at.now_ms), view.shift_px(), view.width_px);
        let from_ms = view.from_ms;
        drop(view);
        if renewed {
            again.emit(());
        }
        let next = Written { head: tenths(head), shift: tenths(shift), width: tenths(width) };
        if next == self.written {
            return;
        }
        let last = std::mem::replace(&mut self.written, next);
        // Beyond the edges nothing is drawn; the playhead is put where the overflow hides it.
        let seen = head.clamp(-20.0, width + 20.0);
        move_to(&self.head, seen);
        let gone = head < -1.0 || head > width + 1.0;
        if self.gone.replace(gone) != Some(gone) {
            self.head.set_hidden(gone);
        }
        move_to(&self.cover, seen.max(0.0));
        move_to(&self.future, shift - seen.max(0.0));
        if next.shift != last.shift || next.width != last.width || last.head == i64::MIN {
            for sheet in &self.sheets {
                move_to(sheet, shift);
            }
            for mark in &mut self.marks {
                mark.paint(shift, width);
            }
        }
        for owner in &mut self.owners {
            owner.paint(-shift, head - shift);
        }
        if let Some(map) = &mut self.map {
            map.paint(from_ms, at.now_ms, width);
        }
        for tick in &mut self.ticks {
            let x = tick.x + shift;
            let hidden = (x - head).abs() < KNOB_PX || beyond(x, tick.half, width);
            if tick.hidden.replace(hidden) != Some(hidden) {
                tick.element.set_hidden(hidden);
            }
        }
        for bar in &mut self.growing {
            let is_wide = head - shift - bar.x >= bar.wide_px;
            if bar.is_wide.replace(is_wide) != Some(is_wide) {
                // A failure could only mean that the class is not a class.
                let _ = bar.element.class_list().toggle_with_force("is-wide", is_wide);
            }
        }
    }
}

/// Whether a label would reach into the zoom control at the left or beyond the right edge.
fn beyond(x: f64, half: f64, width: f64) -> bool {
    x < -2.0 || x - half < -ZOOM_GAP_PX || x > width + 2.0
}
