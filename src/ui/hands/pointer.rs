//! How people ask what can be done to a thing: by the pointer's other button, a long press, or the menu key.

use std::rc::Rc;

use lockstep_core::deeds::On;
use lockstep_core::ids::{BrokerId, MsgId, ProxyId};
use lockstep_core::view::compare::Side;
use lockstep_core::view::Subject;
use web_sys::Element;
use yew::prelude::*;

use crate::app::frame::Frame;
use crate::app::hands::{Choice, Hands};
use crate::app::msg::Msg;
use crate::ui::stage::svg::{subject_id, subject_of};

/// What the nearest element that stands for something stands for.
pub fn on_thing(element: &Element) -> Option<On> {
    let near = element.closest("[data-subject], [data-machine], [data-msg]").ok()??;
    // A call on the timeline stands for its message.
    if let Some(msg) = near.get_attribute("data-msg") {
        return msg.parse().ok().map(|msg| On::Subject(Subject::Message(MsgId(msg))));
    }
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

/// What shows the second of two runs: its stage, and its rows of the timeline. The body has an attribute
/// of that name too, for something else.
const OF_SECOND: &str =
    ".pair-run[data-run=\"2\"], .tl-row[data-run=\"2\"], .tl-name[data-run=\"2\"]";

/// The run that an element shows.
pub fn run_of(element: &Element) -> Side {
    match element.closest(OF_SECOND) {
        Ok(Some(_)) => Side::Second,
        _ => Side::First,
    }
}

/// The menu of what has the focus, in the list or in the timeline, else of what is selected: what the
/// menu key asks for. None where the browser's own menu is wanted.
pub fn by_key(target: Option<&Element>, frame: &Rc<Frame>) -> Option<Hands> {
    let ours = target.is_none_or(|target| {
        let region = target.closest(".stage-region, .timeline-region");
        target.tag_name() == "BODY" || region.is_ok_and(|e| e.is_some())
    });
    if !ours {
        return None;
    }
    let focused =
        target.and_then(|target| Some((on_thing(target)?, run_of(target), Some(target.clone()))));
    let selected = || {
        let told = frame.focused();
        let subject = told.selection?;
        let side = told.side.unwrap_or(Side::First);
        Some((On::Subject(subject), side, drawn(subject, told.side)))
    };
    let found = focused.or_else(selected);
    let at = found.as_ref().and_then(|(_, _, element)| {
        let rect = element.as_ref()?.get_bounding_client_rect();
        Some((rect.left() as i32 + 8, rect.bottom() as i32))
    });
    let (what, side) =
        found.map_or((Choice::All, Side::First), |(on, side, _)| (Choice::To(on), side));
    Some(Hands { what, at, side })
}

/// Where the stage draws something.
fn drawn(subject: Subject, side: Option<Side>) -> Option<Element> {
    let run = side.map(|side| format!(".pair-run[data-run=\"{}\"] ", side.index() + 1));
    let subject = subject_id(subject);
    let selector = format!("{}.stage-svg [data-subject=\"{subject}\"]", run.unwrap_or_default());
    web_sys::window()?.document()?.query_selector(&selector).ok()?
}
