//! The stage as a list: queues with their owners, offsets and messages. It says what the drawing
//! shows; choosing something in it selects it on the stage.

use std::rc::Rc;

use lockstep_core::view::stage::{ConsumerView, LaneView, LockView, SlotState};
use lockstep_core::view::Subject;
use yew::prelude::*;

use super::svg::{subject_id, subject_of};
use crate::app::frame::Frame;
use crate::app::msg::Msg;
use crate::i18n;
use crate::i18n::stage::StageText;

/// Properties of [`Twin`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What to show.
    pub frame: Rc<Frame>,
    /// Where requests go.
    pub on: Callback<Msg>,
}

/// The stage as a list; on the screen while something in it has the focus.
#[component]
pub fn Twin(props: &Props) -> Html {
    let Props { frame, on } = props;
    let (view, text) = (&frame.stage, StageText(frame.locale));
    let choose = use_callback(on.clone(), |event: MouseEvent, on| {
        let id = event
            .target_dyn_into::<web_sys::Element>()
            .and_then(|t| t.get_attribute("data-subject"));
        if let Some(subject) = id.and_then(|id| subject_of(&id)) {
            on.emit(Msg::Select(Some(subject)));
        }
    });
    html! {
        <section class="twin" aria-label={text.as_list()} onclick={choose}>
            <h2>{ text.as_list() }</h2>
            <ul>{ for view.lanes.iter().map(|lane| queue(lane, &view.consumers, text)) }</ul>
        </section>
    }
}

fn queue(lane: &LaneView, consumers: &[ConsumerView], text: StageText) -> Html {
    let owner = match &lane.lock {
        LockView::Held { name, gone: false, .. } => text.owned_by(name),
        LockView::Held { name, gone: true, .. } => text.owned_by_gone(name),
        LockView::Free => text.owned_by_nobody().to_owned(),
        LockView::None => {
            let names =
                lane.rows.iter().filter_map(|row| consumers.iter().find(|c| c.id == row.client));
            let names: Vec<&str> = names.map(|c| &*c.name).collect();
            text.read_by(&names.join(", "))
        }
    };
    let offsets =
        text.offsets(&i18n::number(lane.next), &i18n::number(lane.max), &i18n::number(lane.lag()));
    let stands = lane.stands.as_ref().map(|stands| text.stands(stands));
    html! {
        <li key={subject_id(Subject::Queue(lane.queue))}>
            <button data-subject={subject_id(Subject::Queue(lane.queue))}>
                { format!("{}: {owner}, {offsets}", lane.name) }
                { stands.map(|s| format!(", {s}")).unwrap_or_default() }
            </button>
            <ol>
                { for lane.slots.iter().map(|slot| {
                    let id = subject_id(Subject::Message(slot.name.msg));
                    let state = match slot.state {
                        SlotState::Ready => text.ready().to_owned(),
                        SlotState::Away => text.in_flight().to_owned(),
                        SlotState::Retry(n) => text.retry_count(n),
                        SlotState::Blocked => text.blocked().to_owned(),
                        SlotState::Done => text.acknowledged().to_owned(),
                    };
                    html! { <li key={slot.offset.to_string()}><button data-subject={id}>{ format!("{} {}: {state}", slot.offset, slot.name.label) }</button></li> }
                }) }
            </ol>
        </li>
    }
}
