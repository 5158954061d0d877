//! How people ask what can be done to a thing: by the pointer's other button, a long press, or the menu key.

use lockstep_core::deeds::On;
use lockstep_core::ids::{BrokerId, ProxyId};
use lockstep_core::view::compare::Side;
use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

use crate::app::frame::Frame;
use crate::app::hands::{Choice, Hands};
use crate::app::msg::Msg;
use crate::ui::stage::svg::{subject_id, subject_of};

/// What the nearest element that stands for something stands for.
pub fn on_thing(element: &Element) -> Option<On> {
    let near = element.closest("[data-subject], [data-machine]").ok()??;
    if let Some(subject) = near.get_attribute("data-subject") {
        return subject_of(&subject).map(On::Subject);
    }
    let machine = near.get_attribute("data-machine")?;
    let (kind, id) = machine.split_at_checked(1)?;
    let id: u8 = id.parse().ok()?;
    Some(if kind == "b" { On::Broker(BrokerId(id)) } else { On::Proxy(ProxyId(id)) })
}

/// A press on the stage or its list that asks for the menu of what is under it.
pub fn asked(event: &MouseEvent, on: &Callback<Msg>) {
    event.prevent_default();
    let thing = event.target_dyn_into::<Element>().and_then(|element| on_thing(&element));
    if let Some(On::Subject(subject)) = thing {
        on.emit(Msg::Select(Some(subject)));
    }
    let at = Some((event.client_x(), event.client_y()));
    let what = thing.map_or(Choice::All, Choice::To);
    on.emit(Msg::Hands(Some(Hands { what, at, side: Side::First })));
}

/// The menu of the line of the list that has the focus, else of what is selected: what the menu key asks
/// for. None where the browser's own menu is wanted.
pub fn by_key(target: Option<&Element>, frame: &Frame) -> Option<Hands> {
    let stage = target.is_none_or(|target| {
        target.tag_name() == "BODY" || target.closest(".stage-region").is_ok_and(|e| e.is_some())
    });
    let focused = target.and_then(on_thing).zip(target.cloned());
    let document = web_sys::window()?.document()?;
    let selected = || {
        let subject = frame.selection?;
        let drawn = format!(".stage-svg [data-subject=\"{}\"]", subject_id(subject));
        let element = document.query_selector(&drawn).ok()?;
        Some((On::Subject(subject), element))
    };
    let found = focused.map(|(on, element)| (on, Some(element))).or_else(selected);
    let at = found.as_ref().and_then(|(_, element)| {
        let rect = element.as_ref()?.unchecked_ref::<Element>().get_bounding_client_rect();
        Some((rect.left() as i32 + 8, rect.bottom() as i32))
    });
    let what = found.map_or(Choice::All, |(on, _)| Choice::To(on));
    stage.then_some(Hands { what, at, side: Side::First })
}
