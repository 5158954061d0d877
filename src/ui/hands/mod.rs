//! What people can do to the run by hand: menus on things, faults, the form for a message. All of it is
//! one dialog; the run stands while it is open.

mod done;
mod form;
mod menu;
mod pointer;

use std::rc::Rc;

use lockstep_core::deeds::On;
use lockstep_core::explain::Run;
use lockstep_core::ids::{GroupId, Ms};
use lockstep_core::view::compare::Side;
use lockstep_core::view::Subject;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use crate::app::core::Core;
use crate::app::frame::Frame;
use crate::app::hands::{Choice, Hands};
use crate::app::msg::Msg;
use crate::i18n::deed::DeedText;
use crate::i18n::sentence::Speaker;
use crate::ui::dialog::{use_cancel, use_dialog};
use crate::ui::focus;
use crate::ui::icon::{icon, Icon};

pub use done::DoneNote;
pub use pointer::{asked, by_key, on_thing, run_of};

/// Properties of [`HandsDialog`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// What to show.
    pub frame: Rc<Frame>,
    /// Where requests go.
    pub on: Callback<Msg>,
    /// The same, for what is meant for the second run.
    pub on_second: Callback<Msg>,
}

/// The dialog.
#[component]
pub fn HandsDialog(props: &Props) -> Html {
    let Props { frame, on, on_second } = props;
    let dialog = use_dialog(frame.hands.is_some());
    use_focus_behind(frame.hands.is_some());
    let oncancel = use_cancel(on, Msg::Hands(None));
    let close = use_callback(on.clone(), |_: MouseEvent, on| on.emit(Msg::Hands(None)));
    // What surrounds the dialog is the dialog's own element.
    let beside = use_callback(on.clone(), |event: MouseEvent, on| {
        let target = event.target_dyn_into::<Element>();
        if target.is_some_and(|target| target.tag_name() == "DIALOG") {
            on.emit(Msg::Hands(None));
        }
    });
    let oncontextmenu = use_callback((), |event: MouseEvent, ()| event.prevent_default());
    let onkeydown = use_callback((), |event: KeyboardEvent, ()| walk(&event));
    let text = DeedText(frame.locale);
    let Some(hands) = frame.hands else {
        return html! { <dialog class="hands" ref={dialog} {oncancel} /> };
    };
    let (of, on) = match (hands.side, &frame.pair) {
        (Side::Second, Some(pair)) => (&pair.second, on_second),
        _ => (frame, on),
    };
    let title = title(of, &hands, text);
    let body = match hands.what {
        Choice::Send(about) => {
            html! { <form::SendForm key="send" frame={of.clone()} {about} on={on.clone()} /> }
        }
        _ => html! { <menu::Menu key="menu" frame={of.clone()} {hands} on={on.clone()} /> },
    };
    let (class, style) = place(&hands);
    html! {
        <dialog {class} {style} ref={dialog} aria-label={title.clone()} {oncancel} onclick={beside} {oncontextmenu} {onkeydown} data-testid="hands">
            <div class="hands-inner">
                <header key="head"><h2>{ title }</h2><button class="icon-button" aria-label={text.close()} onclick={close}>{ icon(Icon::Cross) }</button></header>
                { body }
            </div>
        </dialog>
    }
}

/// When the dialog closes, the browser gives the focus back to what had it; where nothing had it, the
/// stage has it then.
#[hook]
fn use_focus_behind(open: bool) {
    let was_open = use_mut_ref(|| false);
    use_effect_with(open, move |open| {
        if was_open.replace(*open) && !*open {
            focus::if_nowhere(&["#stage"]);
        }
    });
}

/// At the pointer, or in the middle.
fn place(hands: &Hands) -> (Classes, Option<String>) {
    let height = web_sys::window().and_then(|window| window.inner_height().ok()?.as_f64());
    let Some((x, y)) = hands.at else { return (classes!("hands"), None) };
    // In the lower half there is more room above.
    let above = height.is_some_and(|height| f64::from(y) > height / 2.0);
    let class = classes!("hands", "is-at", above.then_some("is-above"));
    (class, Some(format!("--x:{x}px;--y:{y}px")))
}

fn title(frame: &Frame, hands: &Hands, text: DeedText) -> String {
    match hands.what {
        Choice::Send(_) => text.send().to_owned(),
        Choice::Faults(_) => text.fault().to_owned(),
        Choice::All => text.act().to_owned(),
        Choice::To(on) => {
            let core = frame.core.read();
            let speaker = Speaker { world: core.session.world(), locale: frame.locale };
            text.title(&name(&speaker, on))
        }
    }
}

/// What a thing is called.
fn name(speaker: &Speaker<'_>, on: On) -> String {
    let names = &speaker.world.shared.names;
    match on {
        On::Broker(id) => names.brokers.get(id.index()).cloned().unwrap_or_default(),
        On::Proxy(id) => names.proxies.get(id.index()).cloned().unwrap_or_default(),
        On::Subject(subject) if !subject.is_in(speaker.world) => String::new(),
        On::Subject(subject) => match subject {
            Subject::Message(msg) => speaker.msg(msg),
            Subject::Queue(queue) | Subject::Lock(queue) => speaker.queue(queue),
            Subject::Client(client) => speaker.client(client).to_owned(),
            Subject::Producer(producer) => speaker.producer(producer).to_owned(),
            Subject::MessageGroup(series) => names.series[series.index()].name.clone(),
            Subject::Level(level) => DeedText(speaker.locale).level(level),
        },
    }
}

/// The run as people look at it: at the instant of the clock.
fn with_run<T>(frame: &Frame, look: impl FnOnce(&Run<'_>, &Core, Ms) -> T) -> T {
    let core = frame.core.read();
    let now_ms = core.now_ms.get();
    let world = core.world_at(now_ms);
    let ledger = core.ledger();
    let run = Run { world: &world, ..Run::of(&core.session, &ledger) };
    look(&run, &core, core.session.free_instant(now_ms))
}

/// The consumer group that is looked at.
fn group(frame: &Frame) -> Option<GroupId> {
    frame.stage.group.as_ref().map(|group| GroupId(group.index as u16))
}

/// Up and down, to the first and to the last line of a menu.
fn walk(event: &KeyboardEvent) {
    let Some(target) = event.target_dyn_into::<Element>() else { return };
    if !matches!(target.get_attribute("role").as_deref(), Some("menuitem")) {
        return;
    }
    let Ok(Some(menu)) = target.closest("[role=menu]") else { return };
    let Ok(all) = menu.query_selector_all("[role=menuitem]") else { return };
    let items: Vec<HtmlElement> =
        (0..all.length()).filter_map(|i| all.item(i)?.dyn_into().ok()).collect();
    let place = items.iter().position(|item| **item == target).unwrap_or(0);
    let next = match event.key().as_str() {
        "ArrowDown" => (place + 1) % items.len(),
        "ArrowUp" => (place + items.len() - 1) % items.len(),
        "Home" => 0,
        "End" => items.len() - 1,
        _ => return,
    };
    event.prevent_default();
    focus::focus(&items[next]);
}
