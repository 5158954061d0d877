//! A lane on a phone: as wide as the screen, with the lock in its head.

use lockstep_core::view::stage::{ConsumerView, LaneView, LockView, RowState, Stands};
use lockstep_core::view::Subject;
use yew::prelude::*;

use super::consumer::{idle_text, timed};
use super::lane::Columns;
use super::layout::{LaneStyle, Rect};
use super::svg::{num, subject_id, translate};
use crate::i18n::stage::StageText;
use crate::i18n::{self, Locale};
use crate::ui::token::{shape, Hue, Look, TokenState};
use lockstep_core::view::stage::SlotState;

/// Properties of [`PhoneLane`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The queue.
    pub lane: LaneView,
    /// Where it stands.
    pub rect: Rect,
    /// Measures inside it.
    pub style: LaneStyle,
    /// Left edges of its slots.
    pub columns: Columns,
    /// True when it is selected.
    pub selected: bool,
    /// The language.
    pub locale: Locale,
    /// Consumers, for the name of the owner.
    pub consumers: Vec<ConsumerView>,
}

/// A lane of the phone's stage.
#[component]
pub fn PhoneLane(props: &Props) -> Html {
    let Props { lane, rect, style, columns, selected, locale, consumers } = props;
    let text = StageText(*locale);
    let lag = lane.lag();
    let empty = lane.max == lane.min && lane.arriving == 0;
    let name_w = 14.0 + 9.0 * lane.name.chars().count() as f64;
    let blocked = lane.stands.is_some();
    // The head's baseline: in the middle of a lane that is only a head.
    let head = if empty { 25.0 } else { 22.0 };
    html! {
        <g class={classes!("lane", blocked.then_some("is-blocked"), selected.then_some("is-selected"))}
            transform={translate(rect.x, rect.y)} data-subject={subject_id(Subject::Queue(lane.queue))}>
            <rect class="lane-frame" key="frame" width={num(rect.w)} height={num(rect.h)} rx="10" />
            <text class="lane-name" key="name" x="12" y={num(head)}>{ lane.name.to_string() }</text>
            <text class="small" key="lag" x={num(12.0 + name_w)} y={num(head)}>{ text.lag(&i18n::number(lag)) }</text>
            if empty { <text class="small" key="empty" x={num(70.0 + name_w)} y={num(head)}>{ text.nothing_stored() }</text> }
            <g key="owner" transform={translate(0.0, head - 22.0)}>{ owner(lane, rect, consumers, text) }</g>
            <g key="slots">{ slots(lane, style, columns) }</g>
            <g key="marker">{ marker(lane, style, columns, blocked) }</g>
            <rect class="ring" key="ring" x="-3" y="-3" width={num(rect.w + 6.0)} height={num(rect.h + 6.0)} rx="13" />
        </g>
    }
}

fn owner(lane: &LaneView, rect: &Rect, consumers: &[ConsumerView], text: StageText) -> Html {
    let reader = lane.rows.first().and_then(|row| consumers.iter().find(|c| c.id == row.client));
    let (name, span, gone) = match &lane.lock {
        LockView::Held { name, from_ms, until_ms, gone, .. } => {
            (name.to_string(), Some((*from_ms, *until_ms)), *gone)
        }
        LockView::Free => (text.nobody().to_owned(), None, false),
        LockView::None => (reader.map(|c| c.name.to_string()).unwrap_or_default(), None, false),
    };
    let right = rect.w - 14.0;
    let ring_x = right - 17.0 - 7.5 * name.chars().count() as f64;
    html! {<>
        <text class="phone-note" x={num(ring_x - 18.0)} y="22">{ state(lane, consumers, text) }</text>
        <g transform={translate(ring_x, 17.0)}>
            <circle class="ring-track" r="8.5" />
            if let Some((from, until)) = span {
                <circle class="ring-left" r="8.5" pathLength="100" transform="rotate(-90)"
                    data-ring-from={from.to_string()} data-ring-until={until.to_string()} />
            }
            <g class="lock" transform="scale(.62)"><path class="lock-line" d="M-2.5 -1v-1.8a2.5 2.5 0 0 1 5 0v1.8" />
                <path class="lock-body" d="M-3.4 -0.9h6.8a.9 .9 0 0 1 .9 .9v4.1a.9 .9 0 0 1-.9 .9h-6.8a.9 .9 0 0 1-.9-.9v-4.1a.9 .9 0 0 1 .9-.9z" /></g>
        </g>
        <text class={classes!("phone-owner", gone.then_some("is-gone"))} x={num(right)} y="22">{ name }</text>
    </>}
}

fn state(lane: &LaneView, consumers: &[ConsumerView], text: StageText) -> Html {
    if let Some(Stands::Suspended { name, until_ms, .. }) = &lane.stands {
        return timed(&text.again_before(&name.label), *until_ms, text.again_after());
    }
    match lane.rows.first().map(|row| &row.state) {
        Some(RowState::Handling { names, until_ms, .. }) => {
            let label = names.first().map(|n| n.label.to_string()).unwrap_or_default();
            let client =
                lane.rows.first().and_then(|row| consumers.iter().find(|c| c.id == row.client));
            let client = client.map(|c| c.name.to_string()).unwrap_or_default();
            timed(&text.handled_by(&label, &client), *until_ms, "")
        }
        Some(RowState::Relock { at_ms }) => {
            timed(text.relock_before(), *at_ms, text.relock_after())
        }
        Some(RowState::Idle(idle)) if lane.lag() > 0 => {
            html! { <tspan key="idle">{ idle_text(*idle, false, text) }</tspan> }
        }
        _ => html! { <tspan key="none"></tspan> },
    }
}

fn slots(lane: &LaneView, style: &LaneStyle, columns: &Columns) -> Html {
    let records = lane.slots.iter().map(|s| {
        let look = (s.state == SlotState::Done).then(|| Look {
            label: AttrValue::from(s.name.label.clone()),
            hue: Hue(s.name.hue),
            state: TokenState::Acknowledged,
            size: (super::layout::TOKEN_W, style.token_h),
            again: false,
        });
        html! {
            <g key={s.offset.to_string()} transform={translate(columns.at(s.offset), style.slot_y)}>
                <g key="look">{ look.as_ref().map(shape) }</g>
                if lane.stands.is_some() {
                    <text class="offset" key="offset" x="18" y={num(104.0 - style.slot_y)}>{ i18n::number(s.offset) }</text>
                }
            </g>
        }
    });
    let pill = columns.gap.map(|shown| {
        let x = columns.x + super::layout::SLOT_PITCH * shown as f64;
        html! {
            <g key="pill" class="pill" transform={translate(x, style.slot_y)}>
                <rect width="76" height={num(style.token_h)} rx={num(style.token_h / 2.0)} />
                <text x="38" y={num(style.token_h / 2.0 + 4.5)}>{ format!("+{}", i18n::number(lane.hidden)) }</text>
            </g>
        }
    });
    records.chain(pill).collect()
}

fn marker(lane: &LaneView, style: &LaneStyle, columns: &Columns, blocked: bool) -> Html {
    if lane.max == lane.min {
        return Html::default();
    }
    let x = columns.at(lane.next) - 3.0;
    let top = style.slot_y - 3.0;
    let line = format!("M{} {}V{}", num(x), num(top), num(style.slot_y + style.token_h + 3.0));
    if !blocked {
        return html! { <path class="offset-line" d={line} /> };
    }
    let y = style.read_y;
    let lag = format!("M{} {}H{}", num(x), num(y), num(columns.at(lane.max) - 6.0));
    html! {<>
        <path class="offset-line" d={format!("M{} {}V{}", num(x), num(top), num(y))} />
        <path class="offset-mark" d={format!("M{} {}l5 8.5h-10z", num(x), num(y + 1.0))} />
        <path class="lag-rail" d={lag} />
    </>}
}
