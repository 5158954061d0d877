//! What `cargo xtask bench` opens instead of the page: with `?bench=1` the core is measured, with
//! `?floor=300` so many SVG groups move and nothing else, as the least that a moving picture costs.

use std::rc::Rc;

use wasm_bindgen::JsValue;
use web_sys::{Document, Element};

use crate::app::Frames;

/// Name of the window's property that takes the report.
const REPORT: &str = "__lockstepBench";

/// Where SVG elements come from.
const SVG: &str = "http://www.w3.org/2000/svg";

/// What an address asks to be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The core.
    Core,
    /// The floor of drawing, with so many groups.
    Floor(u32),
}

/// What the address asks for, if it asks for a measurement instead of the page.
pub fn asked() -> Option<Asked> {
    let search = web_sys::window()?.location().search().ok()?;
    search.trim_start_matches('?').split('&').find_map(|part| match part.split_once('=')? {
        ("bench", "1") => Some(Asked::Core),
        ("floor", count) => count.parse().ok().map(Asked::Floor),
        _ => None,
    })
}

/// Measures.
pub fn run(asked: Asked) {
    match asked {
        Asked::Core => core(),
        // Without a document there is nothing to move.
        Asked::Floor(count) => drop(floor(count)),
    }
}

/// Runs the core's measurements and leaves the report on the window.
fn core() {
    let Some(window) = web_sys::window() else { return };
    let Some(performance) = window.performance() else { return };
    let report = lockstep_core::bench::run(&|| performance.now());
    let text = JsValue::from_str(&report.to_string());
    // The property is the only way out of here; a window that refuses it shows no report.
    let _set = js_sys::Reflect::set(&window, &JsValue::from_str(REPORT), &text);
}

/// Groups like tokens, a rectangle with a letter, each moved in every frame by one attribute.
fn floor(count: u32) -> Option<()> {
    let document = web_sys::window()?.document()?;
    let body = document.body()?;
    body.set_inner_html("");
    let stage = element(&document, &body, "svg", &[("width", "100%"), ("height", "1000")])?;
    let groups = (0..count)
        .map(|_| {
            let group = element(&document, &stage, "g", &[])?;
            element(&document, &group, "rect", &[("width", "36"), ("height", "30"), ("rx", "6")])?;
            let text = element(&document, &group, "text", &[("x", "8"), ("y", "20")])?;
            text.set_text_content(Some("A1"));
            Some(group)
        })
        .collect::<Option<Vec<Element>>>()?;
    let frames: Rc<std::cell::OnceCell<Frames>> = Rc::default();
    let next = Rc::clone(&frames);
    let first = frames.get_or_init(move || {
        Frames::new(move |real_ms| {
            for (index, group) in groups.iter().enumerate() {
                let place = index as f64;
                let x = (place * 37.0 + real_ms * 0.1) % 1_200.0;
                let y = (place * 53.0) % 900.0;
                // A failure could only mean that the name is not a name.
                let _ = group.set_attribute("transform", &format!("translate({x:.1} {y})"));
            }
            if let Some(frames) = next.get() {
                frames.request();
            }
        })
    });
    first.request();
    Some(())
}

fn element(
    document: &Document,
    parent: &Element,
    name: &str,
    attributes: &[(&str, &str)],
) -> Option<Element> {
    let made = document.create_element_ns(Some(SVG), name).ok()?;
    for (name, value) in attributes {
        made.set_attribute(name, value).ok()?;
    }
    parent.append_child(&made).ok()?;
    Some(made)
}
