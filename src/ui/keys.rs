//! The keyboard: one listener for the page, never while somebody types, and its legend.

use std::rc::Rc;

use gloo_events::EventListener;
use lockstep_core::view::compare::Side;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};
use yew::prelude::*;

use crate::app::frame::Frame;
use crate::app::hands::{Choice, Hands};
use crate::app::msg::{Msg, StepSize, Tab};
use crate::i18n::keys::KeysText;
use crate::ui::dialog::{use_cancel, use_dialog};
use crate::ui::focus;
use crate::ui::glossary::{self, Reader};
use crate::ui::hands::by_key;
use crate::ui::icon::{icon, Icon};
use crate::ui::panel::ask::answer_by_key;

/// Properties of [`Keys`] and [`Legend`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// What to show.
    pub frame: Rc<Frame>,
    /// Where requests go.
    pub on: Callback<Msg>,
}

/// Listens to the keyboard. Mounted once.
#[component]
pub fn Keys(props: &Props) -> Html {
    let Props { frame, on } = props;
    let latest = use_mut_ref(|| frame.clone());
    *latest.borrow_mut() = frame.clone();
    let on = on.clone();
    use_effect_with((), move |()| {
        let listener = web_sys::window().and_then(|w| w.document()).map(|document| {
            let options = gloo_events::EventListenerOptions::enable_prevent_default();
            EventListener::new_with_options(&document, "keydown", options, move |event| {
                let event = event.unchecked_ref::<KeyboardEvent>();
                if event.default_prevented() || is_typing(event) {
                    return;
                }
                let frame = latest.borrow().clone();
                let plain = !(event.ctrl_key() || event.meta_key() || event.alt_key());
                let target = event.target().and_then(|t| t.dyn_into::<Element>().ok());
                if let Some(own) = target.as_ref().and_then(|t| t.closest("dialog").ok()?) {
                    // A menu or a form has its own keys; Escape closes it.
                    if own.class_list().contains("hands") && event.key() != "Escape" {
                        return;
                    }
                }
                let asks_menu =
                    event.key() == "ContextMenu" || (event.key() == "F10" && event.shift_key());
                if asks_menu && frame.hands.is_none() {
                    if let Some(hands) = by_key(target.as_ref(), &frame) {
                        event.prevent_default();
                        on.emit(Msg::Hands(Some(hands)));
                    }
                    return;
                }
                let asked = frame.asked.is_some() && !frame.help_open && plain;
                if asked && !is_popover_open() && answer_by_key(&event.key()) {
                    return event.prevent_default();
                }
                if let Some(msg) = message(event, &frame) {
                    event.prevent_default();
                    on.emit(msg);
                }
            })
        });
        move || drop(listener)
    });
    html! { <span hidden=true></span> }
}

/// Whether a key belongs to a field or list that has the focus.
fn is_typing(event: &KeyboardEvent) -> bool {
    let Some(target) = event.target().and_then(|t| t.dyn_into::<Element>().ok()) else {
        return false;
    };
    let tag = target.tag_name();
    match tag.as_str() {
        "TEXTAREA" | "SELECT" => true,
        "INPUT" => {
            // A slider has its own arrows and nothing to type.
            target.get_attribute("type").as_deref() != Some("range")
                || event.key().starts_with("Arrow")
        }
        _ => target.closest("[contenteditable]").ok().flatten().is_some(),
    }
}

/// Whether the key presses a button or link that has the focus.
fn presses(event: &KeyboardEvent) -> bool {
    let target = event.target().and_then(|t| t.dyn_into::<Element>().ok());
    target.and_then(|t| t.closest("button, a, summary, [role=tab]").ok().flatten()).is_some()
}

/// Whether a list is open that the browser closes by itself.
fn is_popover_open() -> bool {
    let document = web_sys::window().and_then(|window| window.document());
    document.is_some_and(|d| matches!(d.query_selector(":popover-open"), Ok(Some(_))))
}

/// What a key asks for.
fn message(event: &KeyboardEvent, frame: &Rc<Frame>) -> Option<Msg> {
    if event.ctrl_key() || event.meta_key() {
        let undoes = event.key().eq_ignore_ascii_case("z") && !event.shift_key();
        return undoes.then(|| in_told(frame, Msg::TakeBack));
    }
    let size = match (event.shift_key(), event.alt_key()) {
        (true, _) => StepSize::Decision,
        (_, true) => StepSize::Beat,
        _ => frame.step,
    };
    let key = event.key();
    match key.as_str() {
        "ArrowRight" => return Some(Msg::StepForward(size)),
        "ArrowLeft" => return Some(Msg::StepBack(size)),
        _ if event.alt_key() => return None,
        _ => {}
    }
    Some(match key.as_str() {
        " " if !presses(event) => Msg::Toggle,
        "Home" => Msg::SeekEvent(0),
        "End" => Msg::SeekTime(frame.until_ms),
        "n" | "N" => Msg::NextDue,
        "[" => Msg::StepBack(StepSize::Beat),
        "]" => Msg::StepForward(StepSize::Beat),
        "m" | "M" => Msg::Bookmark,
        "," | "<" => Msg::SeekBookmark(false),
        "." | ">" => Msg::SeekBookmark(true),
        "1" => Msg::OpenTab(Tab::Lesson),
        "2" | "w" | "W" => Msg::OpenTab(Tab::Why),
        "3" => Msg::OpenTab(Tab::Inspect),
        "4" => Msg::OpenTab(Tab::Log),
        "5" => Msg::OpenTab(Tab::Charts),
        "6" => Msg::OpenTab(Tab::Scenario),
        "g" | "G" if frame.stage.groups.len() > 1 => {
            let chosen = frame.stage.group.as_ref().map_or(0, |group| group.index);
            Msg::ChooseGroup((chosen + 1) % frame.stage.groups.len())
        }
        "s" | "S" => open(Choice::Send(None)),
        "f" | "F" => open(Choice::Faults(None)),
        "b" | "B" if frame.selection.is_some() => {
            focus::press_when_drawn("[data-testid=try]");
            Msg::OpenTab(Tab::Why)
        }
        "l" | "L" => Msg::ToggleLegend,
        "z" | "Z" => in_told(frame, Msg::Zoom(frame.focused().selection?)),
        "c" | "C" if frame.pair.is_some() => Msg::EndCompare,
        "c" | "C" => Msg::ToggleCompare,
        "/" if !frame.picker_open => Msg::TogglePicker,
        "?" => Msg::ToggleHelp,
        // The browser closes what it opened.
        "Escape" if is_popover_open() => return None,
        "Escape" if frame.hands.is_some() => return None,
        "Escape" if frame.help_open => Msg::ToggleHelp,
        "Escape" if frame.picker_open => return None,
        "Escape" if frame.compare_open => return None,
        "Escape" if frame.selection.is_some() || frame.told.is_some() => Msg::Select(None),
        _ => return None,
    })
}

/// Asks it of the run that the panel tells of.
fn in_told(frame: &Rc<Frame>, msg: Msg) -> Msg {
    match frame.focused().side {
        Some(Side::Second) => Msg::InSecond(Box::new(msg)),
        _ => msg,
    }
}

/// Opens what can be done by hand.
fn open(what: Choice) -> Msg {
    Msg::Hands(Some(Hands::of(what)))
}

/// The legend of keys: a dialog.
#[component]
pub fn Legend(props: &Props) -> Html {
    let Props { frame, on } = props;
    let texts = KeysText(frame.locale);
    let dialog = use_dialog(frame.help_open);
    let oncancel = use_cancel(on, Msg::ToggleHelp);
    let close = {
        let on = on.clone();
        Callback::from(move |_: MouseEvent| on.emit(Msg::ToggleHelp))
    };
    let rows: [(&[&str], &'static str); 27] = [
        (&["Space"], texts.play()),
        (&["←", "→"], texts.step()),
        (&["Shift ←", "Shift →"], texts.decision()),
        (&["Alt ←", "Alt →"], texts.beat()),
        (&["Home", "End"], texts.ends()),
        (&["N"], texts.next_due()),
        (&["[", "]"], texts.beats()),
        (&["M"], texts.bookmark()),
        (&[",", "."], texts.bookmarks()),
        (&["+", "−"], texts.zoom()),
        (&["1", "…", "6"], texts.tabs()),
        (&["1", "…", "a", "…"], texts.answer()),
        (&["W"], texts.why()),
        (&["G"], texts.group()),
        (&["S"], texts.send()),
        (&["F"], texts.fault()),
        (&["Menu", "Shift F10"], texts.menu()),
        (&["Ctrl Z"], texts.take_back()),
        (&["B"], texts.branch()),
        (&["Z"], texts.zoom_to()),
        (&["L"], texts.legend()),
        (&["C"], texts.compare()),
        (&["/"], texts.search()),
        (&["F8"], texts.next_problem()),
        (&["Ctrl Enter"], texts.run_text()),
        (&["Esc"], texts.escape()),
        (&["?"], texts.this()),
    ];
    html! {
        <dialog class="legend-dialog" ref={dialog} aria-label={texts.title()} {oncancel}>
            <header><h2>{ texts.title() }</h2><button class="icon-button" aria-label={texts.close()} onclick={close}>{ icon(Icon::Cross) }</button></header>
            <dl>
                // Nothing is made of it before somebody asks.
                { for rows.into_iter().filter(|_| frame.help_open).map(|(keys, text)| html! {
                    <div key={text}>
                        <dt>{ for keys.iter().enumerate().map(|(i, key)| html! { <kbd key={i} class="keycap">{ *key }</kbd> }) }</dt>
                        <dd>{ text }</dd>
                    </div>
                }) }
            </dl>
            <p class="small muted">{ texts.note() }</p>
            { frame.help_open.then(|| glossary::list(&Reader { locale: frame.locale, lesson: None, on: on.clone() })) }
        </dialog>
    }
}
