//! Links: a scenario and an instant in the part of the address that no server sees.
//!
//! `#s=05-1-poison-message&t=11900` names a lesson, `#x=…&t=11900` holds a whole text; `&b=3` in
//! the place of an instant names the third beat. `&c=05-5-neighbour-pays-repaired` puts the run of a
//! lesson beside it, `&c=concurrent` the same scenario with one thing changed, `&y=…` another text.

use std::rc::Rc;

use lockstep_core::ids::Ms;
use lockstep_core::scenario::Variant;

use super::msg::{Against, Start, With};
use super::scenario::Scenario;

/// What an address asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The scenario.
    pub what: What,
    /// Where to stand; None = play from the beginning.
    pub at: Option<Start>,
    /// What to put beside it.
    pub with: Option<With>,
}

/// Which scenario a link holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A lesson, by its id.
    Lesson(Rc<str>),
    /// A text.
    Text(Rc<str>),
    /// A link that was cut off or changed on its way.
    Damaged,
}

impl Link {
    /// The link in the page's address.
    pub fn of_page() -> Option<Self> {
        Self::parse(&web_sys::window()?.location().hash().ok()?)
    }

    fn parse(hash: &str) -> Option<Self> {
        let (mut what, mut at, mut with) = (None, None, None);
        for part in hash.trim_start_matches('#').split('&') {
            match part.split_once('=') {
                Some(("s", id)) if !id.is_empty() && id.bytes().all(is_id) => {
                    what = Some(What::Lesson(id.into()));
                }
                Some(("x", text)) if !text.is_empty() => {
                    what = Some(decode(text).map_or(What::Damaged, |text| What::Text(text.into())));
                }
                Some(("s" | "x", _)) => what = Some(What::Damaged),
                Some(("c", name)) => with = Some(beside(name)),
                Some(("y", text)) => {
                    let text = decode(text).filter(|text| !text.is_empty());
                    with = Some(
                        text.map_or(With::Damaged, |text| With::Run(Against::Text(text.into()))),
                    );
                }
                Some(("t", ms)) => at = ms.parse().ok().map(Start::Instant),
                // Beats are counted from 1, as people see them.
                Some(("b", beat)) => {
                    at = beat.parse().ok().and_then(|n: usize| n.checked_sub(1)).map(Start::Beat);
                }
                _ => {}
            }
        }
        what.map(|what| Self { what, at, with })
    }

    /// Writes into the page's address which lesson was chosen, as a new entry of the history: a
    /// reload shows it again, and the browser's way back leads to what was open before.
    pub fn show(id: &str) {
        let history = web_sys::window().and_then(|window| window.history().ok());
        if let Some(history) = history {
            // Refused only in documents without an address of their own; nothing is lost then.
            let address = format!("#s={id}");
            let _ = history.push_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&address));
        }
    }

    /// The address of this page with a scenario, or with its text that has what was done by hand, an
    /// instant, and the run beside it.
    pub fn address(
        scenario: &Scenario,
        written: Option<&str>,
        at_ms: Ms,
        with: Option<&Against>,
    ) -> Option<String> {
        let location = web_sys::window()?.location();
        let page = location.href().ok()?;
        let page = page.split('#').next().unwrap_or_default();
        let own = Some(&*scenario.text).filter(|_| scenario.id.is_empty());
        let what = match written.or(own) {
            Some(text) => format!("x={}", js_sys::encode_uri_component(text)),
            None => format!("s={}", scenario.id),
        };
        let with = match with {
            Some(Against::Lesson(id)) => format!("&c={id}"),
            Some(Against::Variant(variant)) => format!("&c={}", variant.name()),
            Some(Against::Text(text)) => format!("&y={}", js_sys::encode_uri_component(text)),
            // A change that was tried has no text.
            Some(Against::Before | Against::Tried(_)) | None => String::new(),
        };
        Some(format!("{page}#{what}&t={at_ms}{with}"))
    }
}

/// What a name asks to put beside a scenario: a variant, or a lesson.
fn beside(name: &str) -> With {
    match Variant::of_name(name) {
        Some(variant) => With::Run(Against::Variant(variant)),
        None if name.starts_with(|c: char| c.is_ascii_digit()) && name.bytes().all(is_id) => {
            With::Run(Against::Lesson(name.into()))
        }
        None => With::Damaged,
    }
}

/// Ids become a part of a path, so nothing else is let through.
fn is_id(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.'
}

fn decode(text: &str) -> Option<String> {
    js_sys::decode_uri_component(text).ok()?.as_string()
}
