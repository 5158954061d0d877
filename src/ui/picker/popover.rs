//! The popover: chapters and lessons, found by typing, chosen by arrows or pointer.

use std::rc::Rc;

use gloo_events::EventListener;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement, Node};
use yew::prelude::*;

use super::lessons::{all, find, Place};
use crate::app::frame::Frame;
use crate::app::msg::{Msg, Tab};
use crate::app::progress::{Mark, Progress};
use crate::i18n::picker::PickerText;
use crate::i18n::Locale;
use crate::ui::focus;
use crate::ui::icon::{icon, sized, Icon};

/// Properties of [`Picker`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// What to show.
    pub frame: Rc<Frame>,
    /// Where requests go.
    pub on: Callback<Msg>,
}

/// The list of scenarios; empty while it is closed.
#[component]
pub fn Picker(props: &Props) -> Html {
    let Props { frame, on } = props;
    let root = use_node_ref();
    use_dismiss(&root, frame.picker_open, on);
    html! {
        <div class="picker-holder" ref={root}>
            { frame.picker_open.then(|| html! {
                <List locale={frame.locale} playing={frame.scenario.lesson_id().map(Rc::<str>::from).unwrap_or_default()} on={on.clone()} />
            }) }
        </div>
    }
}

/// Closes the list on Escape and on a press outside; gives the focus back.
#[hook]
fn use_dismiss(root: &NodeRef, open: bool, on: &Callback<Msg>) {
    let (root, on) = (root.clone(), on.clone());
    use_effect_with(open, move |open| {
        let listeners = (*open).then(|| {
            let Some(document) = web_sys::window().and_then(|w| w.document()) else {
                return Vec::new();
            };
            let (close, beside) = (on.clone(), root.clone());
            // The button that opened the list stands beside it and closes it by itself.
            let outside = EventListener::new(&document, "pointerdown", move |event| {
                let target = event.target().and_then(|t| t.dyn_into::<Node>().ok());
                let area = root.cast::<Element>().and_then(|e| e.parent_element());
                if area.is_some_and(|area| !area.contains(target.as_ref())) {
                    close.emit(Msg::TogglePicker);
                }
            });
            let escape = EventListener::new(&document, "keydown", move |event| {
                let event = event.unchecked_ref::<web_sys::KeyboardEvent>();
                if event.key() == "Escape" {
                    on.emit(Msg::TogglePicker);
                    give_focus_back(&beside);
                }
            });
            vec![outside, escape]
        });
        move || drop(listeners)
    });
}

/// Focuses the button that opened the list: the first one of the element they share.
fn give_focus_back(root: &NodeRef) {
    let area = root.cast::<Element>().and_then(|e| e.parent_element());
    let button = area.and_then(|area| area.query_selector("button").ok().flatten());
    if let Some(button) = button {
        focus::focus(&button);
    }
}

#[derive(Clone, PartialEq, Properties)]
struct ListProps {
    locale: Locale,
    playing: Rc<str>,
    on: Callback<Msg>,
}

#[component]
fn List(props: &ListProps) -> Html {
    let ListProps { locale, playing, on } = props.clone();
    let texts = PickerText(locale);
    let words = use_state(String::new);
    let input = use_node_ref();
    let list = use_node_ref();
    {
        let input = input.clone();
        use_effect_with((), move |()| {
            if let Some(input) = input.cast::<Element>() {
                focus::focus(&input);
            }
        });
    }
    let oninput = {
        let words = words.clone();
        Callback::from(move |event: InputEvent| {
            words.set(event.target_unchecked_into::<HtmlInputElement>().value());
        })
    };
    let shown = find(locale, &words);
    // What was looked for is opened by Enter; the field alone, without a word, opens nothing.
    let best = shown.first().filter(|_| !words.trim().is_empty()).map(|place| place.lesson.id);
    let onenter = {
        let on = on.clone();
        Callback::from(move |event: KeyboardEvent| {
            // Enter may also end the writing of a Chinese word.
            if let Some(id) = best.filter(|_| event.key() == "Enter" && !event.is_composing()) {
                event.prevent_default();
                focus::panel();
                on.emit(Msg::OpenScenario(id.into()));
            }
        })
    };
    let onkeydown = {
        let list = list.clone();
        Callback::from(move |event: KeyboardEvent| {
            let by = match event.key().as_str() {
                "ArrowDown" => 1,
                "ArrowUp" => -1,
                _ => return,
            };
            event.prevent_default();
            move_focus(&list, by);
        })
    };
    let progress = use_memo((), |()| Progress::load());
    let lessons: Vec<Place> = all().collect();
    let done = |chapter: Option<usize>| {
        let of = lessons.iter().filter(|p| chapter.is_none_or(|number| p.chapter_number == number));
        let done = of.clone().filter(|p| progress.of(p.lesson.id) == Some(Mark::Done)).count();
        (done, of.count())
    };
    let (all_done, all_count) = done(None);
    let edit = {
        let on = on.clone();
        Callback::from(move |_: MouseEvent| {
            focus::panel();
            on.emit(Msg::TogglePicker);
            on.emit(Msg::OpenTab(Tab::Scenario));
        })
    };
    let new = {
        let on = on.clone();
        Callback::from(move |_: MouseEvent| {
            focus::panel();
            on.emit(Msg::New);
        })
    };
    html! {
        <div class="picker" role="dialog" aria-label={texts.title()} {onkeydown}>
            <label key="find" class="search-field">
                { sized(Icon::Search, 14) }
                <span class="visually-hidden">{ texts.find() }</span>
                <input ref={input} type="search" placeholder={texts.find()} {oninput} onkeydown={onenter} />
            </label>
            <div key="list" class="picker-list" ref={list}>
                { for shown.iter().enumerate().map(|(index, place)| {
                    let first = index == 0 || shown[index - 1].chapter != place.chapter;
                    html! {
                        <div key={place.lesson.id}>
                            <h3 class="picker-chapter" hidden={!first}>
                                <span>{ place.chapter_number }{ " " }{ place.chapter.name(locale) }</span>
                                <span class="picker-done">{ if first { let (done, count) = done(Some(place.chapter_number)); texts.done_of(done, count) } else { String::new() } }</span>
                            </h3>
                            { item(place, best == Some(place.lesson.id), locale, *playing == *place.lesson.id, progress.of(place.lesson.id), &on) }
                        </div>
                    }
                }) }
                <p key="nothing" class="muted picker-nothing" hidden={!shown.is_empty()}>{ texts.nothing() }</p>
            </div>
            <p key="progress" class="small muted picker-progress">{ texts.lessons_done(all_done, all_count) }</p>
            <div key="own" class="picker-own">
                <button key="new" class="picker-item picker-new" onclick={new}>
                    { icon(Icon::Plus) }
                    <span class="picker-text"><b>{ texts.make_new() }</b><span class="small muted">{ texts.new_hint() }</span></span>
                </button>
                <button key="edit" class="picker-item picker-edit" onclick={edit}>
                    { icon(Icon::Pencil) }
                    <span class="picker-text"><b>{ texts.edit() }</b><span class="small muted">{ texts.edit_hint() }</span></span>
                </button>
            </div>
        </div>
    }
}

/// Moves the focus among the entries of the list; from the field to the first or last one.
fn move_focus(list: &NodeRef, by: i32) {
    let Some(list) = list.cast::<Element>() else { return };
    let Ok(items) = list.query_selector_all("button") else { return };
    let active = web_sys::window().and_then(|w| w.document()?.active_element());
    let count = items.length() as i32;
    let at = (0..count)
        .find(|i| items.item(*i as u32).and_then(|n| n.dyn_into::<Element>().ok()) == active);
    let to = match at {
        Some(at) => (at + by).clamp(0, count - 1),
        None if by > 0 => 0,
        None => count - 1,
    };
    if let Some(item) = items.item(to as u32).and_then(|n| n.dyn_into::<Element>().ok()) {
        focus::focus(&item);
    }
}

/// A lesson of the list.
fn item(
    place: &Place,
    enters: bool,
    locale: Locale,
    playing: bool,
    mark: Option<Mark>,
    on: &Callback<Msg>,
) -> Html {
    let on = on.clone();
    let texts = PickerText(locale);
    let lesson = place.lesson;
    let onclick = Callback::from(move |_: MouseEvent| {
        // The list closes, and what was chosen is read in the panel.
        focus::panel();
        on.emit(Msg::OpenScenario(lesson.id.into()));
    });
    let (state, told) = match mark {
        None => ("", ""),
        Some(Mark::Begun) => ("is-begun", texts.begun()),
        Some(Mark::Done) => ("is-done", texts.done()),
    };
    html! {
        <button class={classes!("picker-item", enters.then_some("is-first"))} {onclick} aria-current={playing.then_some("true")} data-lesson={lesson.id}>
            <span class={classes!("picker-mark", state)} aria-hidden="true">{ sized(Icon::Check, 10) }</span>
            <span class="picker-number">{ place.number_text() }</span>
            <span class="picker-text">
                <b>{ lesson.title(locale) }</b>
                <span class="small muted">{ lesson.question(locale) }</span>
                <span class="visually-hidden">{ told }</span>
            </span>
            <kbd class="keycap" hidden={!enters} aria-hidden="true">{ "Enter" }</kbd>
            <span class="small muted picker-time">{ if playing { texts.playing().to_owned() } else { texts.minutes(lesson.minutes) } }</span>
        </button>
    }
}
