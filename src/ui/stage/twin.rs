//! The stage as a list: queues with their owners, offsets and messages. It says what the drawing
//! shows; choosing something in it selects it on the stage.

use std::rc::Rc;

use lockstep_core::view::stage::{
    ConsumerKind, ConsumerView, FoldedView, HoldView, LaneView, LevelView, LockView,
    OtherGroupView, Place, SlotState, StageView,
};
use lockstep_core::view::Subject;
use yew::prelude::*;

use super::shelf::fold_note;
use super::svg::{subject_id, subject_of};
use crate::app::frame::Frame;
use crate::app::msg::Msg;
use crate::i18n;
use crate::i18n::compare::CompareText;
use crate::i18n::stage::StageText;
use crate::ui::hands::asked;
use crate::ui::late::use_late;

/// Properties of [`Twin`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What to show.
    pub frame: Rc<Frame>,
    /// Where requests go.
    pub on: Callback<Msg>,
}

/// The stage as a list; on the screen while something in it has the focus. It comes after the
/// picture, so that neither a step nor a playing run waits for it.
#[component]
pub fn Twin(props: &Props) -> Html {
    let frame = use_late(&props.frame);
    frame.map(|frame| html! { <List {frame} on={props.on.clone()} /> }).unwrap_or_default()
}

#[component]
fn List(props: &Props) -> Html {
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
    let menu = use_callback(on.clone(), |event: MouseEvent, on| asked(&event, on));
    // Of two runs each has its own list.
    let name = match frame.side {
        Some(side) => {
            let texts = CompareText(frame.locale);
            texts.run(side.index() + 1, text.as_list())
        }
        None => text.as_list().to_owned(),
    };
    html! {
        <section class="twin" aria-label={name.clone()} onclick={choose} oncontextmenu={menu}>
            <h2>{ name }</h2>
            <ul>{ for view.lanes.iter().map(|lane| queue(lane, &view.consumers, text)) }</ul>
            <ul>{ for view.consumers.iter().filter(|c| c.kind != ConsumerKind::Classic).map(|c| consumer(c, text)) }</ul>
            <ul>{ for view.other_groups.iter().map(|other| group(other, text)) }</ul>
            <ul>{ for view.folded.iter().map(|topic| folded(topic, text, on)) }</ul>
            <ul>
                { levels(view, text) }
                { dead_letters(view, text) }
            </ul>
        </section>
    }
}

/// The queue's own line: what holds it, its offsets, why it stands still.
fn queue_words(lane: &LaneView, consumers: &[ConsumerView], text: StageText) -> String {
    let owner = match &lane.lock {
        LockView::Held { name, gone: false, .. } => text.owned_by(name),
        LockView::Held { name, gone: true, .. } => text.owned_by_gone(name),
        LockView::Free => text.owned_by_nobody().to_owned(),
        LockView::Open => text.not_held_back().to_owned(),
        LockView::Block { name, until_ms, .. } => {
            text.held_back_by(&name.label, &i18n::clock(*until_ms))
        }
        LockView::None => {
            let names =
                lane.rows.iter().filter_map(|row| consumers.iter().find(|c| c.id == row.client));
            let names: Vec<&str> = names.map(|c| &*c.name).collect();
            text.read_by(&names.join(", "))
        }
    };
    let [next, max, lag] = [lane.next, lane.max, lane.lag()].map(i18n::number);
    let mut words = vec![format!("{}: {owner}", lane.name), text.offsets(&next, &max, &lag)];
    words.extend((lane.min > 0).then(|| text.first_stored(&i18n::number(lane.min))));
    words.extend(lane.reset.map(|offset| text.reset_waits(&i18n::number(offset))));
    let others = lane.others.iter();
    words.extend(others.map(|(letter, offset)| text.other_at(*letter, &i18n::number(*offset))));
    words.extend(text.limits(lane).map(str::to_owned));
    words.extend(lane.stands.as_ref().map(|stands| text.stands(stands)));
    words.join(", ")
}

fn queue(lane: &LaneView, consumers: &[ConsumerView], text: StageText) -> Html {
    let id = subject_id(Subject::Queue(lane.queue));
    html! {
        <li key={id.clone()}>
            { line(id, queue_words(lane, consumers, text)) }
            <ol>
                { for lane.slots.iter().map(|slot| {
                    let id = subject_id(Subject::Message(slot.name.msg));
                    let state = match slot.state {
                        SlotState::Ready => text.ready().to_owned(),
                        SlotState::Away => text.in_flight().to_owned(),
                        SlotState::Retry(n) => text.retry_count(n),
                        SlotState::Blocked => text.blocked().to_owned(),
                        SlotState::Invisible { until_ms, .. } => text.invisible_until(&i18n::clock(until_ms)),
                        SlotState::Done => text.acknowledged().to_owned(),
                        SlotState::Dead => text.dead_letter().to_owned(),
                        SlotState::Passed => text.passed_over().to_owned(),
                    };
                    html! { <li key={slot.offset.to_string()}>{ line(id, format!("{} {}: {state}", slot.offset, slot.name.label)) }</li> }
                }) }
            </ol>
        </li>
    }
}

fn line(subject: String, words: String) -> Html {
    html! { <button data-subject={subject}>{ words }</button> }
}

/// A gRPC consumer and what it holds.
fn consumer(consumer: &ConsumerView, text: StageText) -> Html {
    let id = subject_id(Subject::Client(consumer.id));
    let cached = text.cached_in_all(&i18n::number(i64::from(consumer.cached)));
    let held = |hold: &HoldView| {
        let first = hold.messages.first()?;
        let words = [
            first.name.label.to_string(),
            text.attempt(hold.attempt),
            text.doing(hold.state).to_owned(),
            text.invisible_until(&i18n::clock(first.until_ms)),
        ];
        let id = subject_id(Subject::Message(first.name.msg));
        Some(html! { <li key={id.clone()}>{ line(id, words.join(", ")) }</li> })
    };
    html! {
        <li key={id.clone()}>
            { line(id, format!("{}, {}, {cached}", consumer.name, text.kind(consumer.kind))) }
            <ol>{ for consumer.holds.iter().filter_map(held) }</ol>
        </li>
    }
}

/// The delay levels that hold something.
fn levels(view: &StageView, text: StageText) -> Html {
    let held = view.shelf.levels.iter().filter(|level| level.count > 0);
    let level = |level: &LevelView| {
        let id = subject_id(Subject::Level(level.level));
        let name = if level.level == 0 { text.wheel() } else { &level.text };
        html! { <li key={id.clone()}>{ line(id, format!("{name}: {}", i18n::number(i64::from(level.count)))) }</li> }
    };
    let held: Vec<Html> = held.map(level).collect();
    match held.is_empty() {
        true => Html::default(),
        false => html! { <li key="levels">{ text.delay_levels() }<ol>{ held }</ol></li> },
    }
}

/// The dead letters of the chosen group, and who else has some.
fn dead_letters(view: &StageView, text: StageText) -> Html {
    let tray = &view.tray;
    if tray.count == 0 && tray.elsewhere.is_empty() {
        return Html::default();
    }
    let number = i18n::number(i64::from(tray.count));
    let mut words = vec![format!("{}: {number}, {}", text.dead_letters(), tray.topic)];
    words.extend(tray.elsewhere.iter().map(|(group, n)| text.tray_elsewhere(group, *n, 0)));
    let shown = view.tokens.iter().filter(|token| matches!(token.place, Place::Tray { .. }));
    html! {
        <li key="dead-letters">
            { words.join(", ") }
            <ol>
                { for shown.map(|token| {
                    let id = subject_id(Subject::Message(token.name.msg));
                    html! { <li key={id.clone()}>{ line(id, token.name.label.to_string()) }</li> }
                }) }
            </ol>
        </li>
    }
}

/// A topic whose queues are not shown; choosing it shows them.
fn folded(topic: &FoldedView, text: StageText, on: &Callback<Msg>) -> Html {
    let (on, id) = (on.clone(), topic.id);
    let onclick = Callback::from(move |_: MouseEvent| on.emit(Msg::ChooseTopic(id)));
    let words = format!("{}: {}", topic.name, fold_note(topic, text));
    html! { <li key={&*topic.name}><button {onclick}>{ words }</button></li> }
}

/// Another consumer group and its members.
fn group(other: &OtherGroupView, text: StageText) -> Html {
    html! {
        <li key={other.group.index}>
            { text.group(&other.group) }
            <ol>
                { for other.members.iter().map(|member| {
                    let id = subject_id(Subject::Client(member.id));
                    let cached = text.cached_in_all(&i18n::number(i64::from(member.cached)));
                    html! { <li key={id.clone()}>{ line(id, format!("{}, {cached}", member.name)) }</li> }
                }) }
            </ol>
        </li>
    }
}
