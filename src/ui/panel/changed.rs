//! A lesson whose text somebody has changed: what is still told of this run, and the way back.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::frame::Frame;
use crate::app::msg::Msg;
use crate::app::scenario::{Changed, Scenario};
use crate::i18n::clock;
use crate::i18n::panel::PanelText;
use crate::i18n::Locale;
use crate::ui::focus;
use crate::ui::icon::{sized, Icon};
use crate::ui::picker::lessons::next_of;

/// What became of the lesson, and the way back to its text; nothing for a lesson as it is.
pub fn changed_card(frame: &Frame, texts: PanelText, on: &Callback<Msg>) -> Html {
    let Some(changed) = frame.changed() else { return Html::default() };
    let words = match changed.parts_ms {
        Some(at_ms) if frame.scenario.changed.is_none() => texts.hand_parts(&clock(at_ms)),
        Some(at_ms) => texts.change_parts(&clock(at_ms)),
        None => texts.change_nothing().to_owned(),
    };
    html! {
        <div key="changed" class="changed-card" data-testid="changed">
            <p class="small">{ sized(Icon::Pencil, 14) }{ words }</p>
            { back(&changed, texts, on) }
        </div>
    }
}

/// The button that runs the lesson's own text again.
fn back(changed: &Changed, texts: PanelText, on: &Callback<Msg>) -> Html {
    let (on, id) = (on.clone(), Rc::clone(&changed.id));
    let onclick = Callback::from(move |_: MouseEvent| {
        focus::panel();
        on.emit(Msg::OpenScenario(Rc::clone(&id)));
    });
    html! {
        <button class="button small" {onclick} data-testid="back-to-lesson">{ sized(Icon::Left, 14) }{ texts.back_to_lesson() }</button>
    }
}

/// That the goals are reached, and the way on. `runs` is false for a text that is only written.
pub fn reached_card(scenario: &Scenario, runs: bool, locale: Locale, on: &Callback<Msg>) -> Html {
    let texts = PanelText(locale);
    let next = scenario.lesson_id().and_then(next_of).filter(|_| runs);
    let words = match (runs, &scenario.changed) {
        (false, _) => Some(texts.run_to_see()),
        (true, Some(_)) => Some(texts.goal_by_change()),
        (true, None) => None,
    };
    html! {
        <div class="reached-card" data-testid="reached">
            <p key="head" class="reached-head">{ sized(Icon::Flag, 16) }<b>{ texts.goal_reached() }</b></p>
            <p key="words" class="small" hidden={words.is_none()}>{ words }</p>
            { next.map(|place| {
                let (on, id) = (on.clone(), place.lesson.id);
                let onclick = Callback::from(move |_: MouseEvent| {
                    focus::panel();
                    on.emit(Msg::OpenScenario(id.into()));
                });
                html! {
                    <button key="next" class="button" {onclick} data-opens={id}>
                        { format!("{}: {}", texts.next_lesson(), place.lesson.title(locale)) }{ sized(Icon::Right, 14) }
                    </button>
                }
            }) }
        </div>
    }
}
