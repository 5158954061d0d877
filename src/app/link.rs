//! Links: a scenario and an instant in the part of the address that no server sees.
//!
//! `#s=05-1-poison-message&t=11900` names a lesson, `#x=…&t=11900` holds a whole text; `&b=3` in
//! the place of an instant names the third beat. `&c=05-5-neighbour-pays-repaired` puts the run of a
//! lesson beside it, `&c=concurrent` the same scenario with one thing changed, `&y=…` another text.
//! `#k=…` stands for what is too long for an address and lies in the entry of the browser's history.

use std::rc::Rc;

use lockstep_core::hash::StableHasher;
use lockstep_core::ids::Ms;
use lockstep_core::scenario::Variant;
use wasm_bindgen::JsValue;

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
    /// A text that lies in the history of another tab.
    Elsewhere,
    /// Nothing: the page as it opens.
    Nothing,
}

/// Which entry of the browser's history an address is written into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A new one: the way back leads to what was open before.
    New,
    /// The present one.
    Same,
}

/// Longest part of an address, in bytes, that is written behind its `#`. Browsers take more, but each
/// has a bound of its own, and what shows or stores addresses has lower ones.
const LONGEST: usize = 32 * 1024;

impl Link {
    /// The link in the page's address.
    pub fn of_page() -> Option<Self> {
        let window = web_sys::window()?;
        let hash = window.location().hash().ok()?;
        if !hash.starts_with("#k=") {
            return Self::parse(&hash);
        }
        let kept = window.history().ok()?.state().ok()?.as_string();
        let elsewhere = Self { what: What::Elsewhere, at: None, with: None };
        Some(kept.and_then(|kept| Self::parse(&kept)).unwrap_or(elsewhere))
    }

    fn parse(hash: &str) -> Option<Self> {
        if hash.is_empty() {
            return Some(Self { what: What::Nothing, at: None, with: None });
        }
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
        write(Entry::New, &format!("s={id}"));
    }

    /// Writes into the page's address what plays, unless it stands there.
    pub fn keep(&self, entry: Entry) {
        if Self::of_page().as_ref() != Some(self) {
            write(entry, &self.print());
        }
    }

    /// Makes a new entry of the history of the address as it is.
    pub fn again() {
        let Some(history) = web_sys::window().and_then(|window| window.history().ok()) else {
            return;
        };
        let state = history.state().unwrap_or(JsValue::NULL);
        let _ = history.push_state_with_url(&state, "", None);
    }

    /// The link to a scenario, or to its text that has what was done by hand.
    pub fn of(
        scenario: &Scenario,
        written: Option<&str>,
        at: Option<Ms>,
        with: Option<Against>,
    ) -> Self {
        let own = Some(&*scenario.text).filter(|_| scenario.id.is_empty());
        let what = match written.or(own) {
            Some(text) => What::Text(text.into()),
            None => What::Lesson(Rc::clone(&scenario.id)),
        };
        Self { what, at: at.map(Start::Instant), with: with.map(With::Run) }
    }

    /// The whole address of this page with it.
    pub fn address(&self) -> Option<String> {
        let page = web_sys::window()?.location().href().ok()?;
        Some(format!("{}#{}", page.split('#').next().unwrap_or_default(), self.print()))
    }

    /// What stands behind the `#`.
    fn print(&self) -> String {
        let what = match &self.what {
            What::Text(text) => format!("x={}", js_sys::encode_uri_component(text)),
            What::Lesson(id) => format!("s={id}"),
            What::Damaged | What::Elsewhere | What::Nothing => String::new(),
        };
        let at = match self.at {
            Some(Start::Instant(at_ms)) => format!("&t={at_ms}"),
            Some(Start::Beat(beat)) => format!("&b={}", beat + 1),
            None => String::new(),
        };
        let with = match &self.with {
            Some(With::Run(Against::Lesson(id))) => format!("&c={id}"),
            Some(With::Run(Against::Variant(variant))) => format!("&c={}", variant.name()),
            Some(With::Run(Against::Text(text))) => {
                format!("&y={}", js_sys::encode_uri_component(text))
            }
            // A change that was tried has no text.
            Some(With::Run(Against::Before | Against::Tried(_)) | With::Damaged) | None => {
                String::new()
            }
        };
        format!("{what}{at}{with}")
    }
}

/// Writes what stands behind the `#` of the page's address. What is too long for it is put into the
/// history's entry, which a reload and the way back find again; the address then has a number of it,
/// so that no two of them are the same.
fn write(entry: Entry, link: &str) {
    let Some(history) = web_sys::window().and_then(|window| window.history().ok()) else { return };
    let (state, address) = match link.len() > LONGEST {
        true => (JsValue::from_str(link), format!("#k={:016x}", StableHasher::of(&link))),
        false => (JsValue::NULL, format!("#{link}")),
    };
    // Refused only in documents without an address of their own; nothing is lost then.
    let _ = match entry {
        Entry::New => history.push_state_with_url(&state, "", Some(&address)),
        Entry::Same => history.replace_state_with_url(&state, "", Some(&address)),
    };
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
