//! What this run can be compared with: a dialog.

use std::rc::Rc;

use lockstep_core::scenario::{vary, Variant};
use yew::prelude::*;

use crate::app::frame::Frame;
use crate::app::msg::{Against, Msg};
use crate::i18n::compare::CompareText;
use crate::ui::dialog::{use_cancel, use_dialog};
use crate::ui::icon::{icon, Icon};
use crate::ui::picker::lessons::Place;

/// Properties of [`CompareMenu`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// What to show.
    pub frame: Rc<Frame>,
    /// Where requests go.
    pub on: Callback<Msg>,
}

/// What this run can be compared with.
#[component]
pub fn CompareMenu(props: &Props) -> Html {
    let Props { frame, on } = props;
    let texts = CompareText(frame.locale);
    let dialog = use_dialog(frame.compare_open);
    let oncancel = use_cancel(on, Msg::ToggleCompare);
    // Which changes change anything is looked at when somebody asks.
    let scenario = (Rc::as_ptr(&frame.scenario) as usize, frame.compare_open);
    let choices = {
        let frame = frame.clone();
        use_memo(scenario, move |(_, open)| if *open { choices(&frame) } else { Vec::new() })
    };
    let close = use_callback(on.clone(), |_: MouseEvent, on| on.emit(Msg::ToggleCompare));
    html! {
        <dialog class="legend-dialog compare-dialog" ref={dialog} aria-label={texts.choose()} {oncancel}>
            <header key="head"><h2>{ texts.open() }</h2><button class="icon-button" aria-label={texts.close_menu()} onclick={close}>{ icon(Icon::Cross) }</button></header>
            <ul key="choices">
                { for choices.iter().enumerate().map(|(index, (against, name, text))| {
                    let (on, against) = (on.clone(), against.clone());
                    let onclick = Callback::from(move |_: MouseEvent| {
                        on.emit(Msg::ToggleCompare);
                        on.emit(Msg::Compare(against.clone()));
                    });
                    html! { <li key={index}><button class="menu-item" data-against={*name} {onclick}>{ text.clone() }</button></li> }
                }) }
            </ul>
        </dialog>
    }
}

/// What can be chosen: what it is, its name, its text.
fn choices(frame: &Frame) -> Vec<(Against, &'static str, String)> {
    let texts = CompareText(frame.locale);
    let mut choices = Vec::new();
    if let Some(lesson) = counterpart(frame) {
        let title = Place::of(lesson).map_or(lesson, |place| place.lesson.title(frame.locale));
        let text = texts.repaired(title);
        choices.push((Against::Lesson(lesson.into()), "lesson", text));
    }
    if has_before(frame) {
        choices.push((Against::Before, "before", texts.before().to_owned()));
    }
    let changes = |variant: &Variant| matches!(vary(&frame.scenario.text, *variant), Ok(Some(_)));
    let variants = Variant::ALL.into_iter().filter(changes);
    choices.extend(
        variants.map(|variant| (Against::Variant(variant), variant.name(), texts.variant(variant))),
    );
    choices
}

/// Whether another text ran before.
pub fn has_before(frame: &Frame) -> bool {
    frame.previous_text.as_ref().is_some_and(|text| *text != frame.scenario.text)
}

/// The repaired version of a lesson, or the lesson of a repaired version.
pub fn counterpart(frame: &Frame) -> Option<&str> {
    let id = &*frame.scenario.id;
    let repaired = frame.scenario.program.framing.repaired.as_deref();
    let broken = id.strip_suffix("-repaired");
    broken.or(repaired).filter(|id| Place::of(id).is_some())
}
