//! Consumers: a card for each run of neighbouring lanes, a row for each lane on the lane's own
//! line.

use lockstep_core::view::stage::{
    ConsumerState, ConsumerView, Idle, LaneView, RowState, RowView, StageView,
};
use lockstep_core::view::Subject;
use yew::prelude::*;

use super::layout::{Density, Layout, Rect};
use super::svg::{num, subject_id, translate};
use crate::i18n;
use crate::i18n::stage::StageText;

/// Where the row of a consumer stands. Rows share the height of a lane when several consumers
/// have it at once.
pub fn row_rect(
    layout: &Layout,
    view: &StageView,
    lane: usize,
    client: lockstep_core::ids::ClientId,
) -> Option<Rect> {
    if layout.cards.w == 0.0 {
        return None;
    }
    let rect = layout.lanes.get(lane)?;
    let rows = &view.lanes.get(lane)?.rows;
    let nth = rows.iter().position(|row| row.client == client)? as f64;
    let (x, w) = (layout.cards.x + 10.0, layout.cards.w - 20.0);
    if rows.len() > 1 {
        let h = ((rect.h - 4.0) / rows.len() as f64).min(40.0) - 2.0;
        return Some(Rect { x, y: rect.y + 3.0 + (h + 2.0) * nth, w, h });
    }
    Some(match layout.density {
        Density::Full => Rect { x, y: rect.y + layout.style.read_y - 20.0, w, h: 40.0 },
        _ => Rect { x, y: rect.y + 6.0, w, h: 32.0 },
    })
}

/// All cards, with the rows in them.
pub fn cards(view: &StageView, layout: &Layout, text: StageText) -> Html {
    let idle =
        view.consumers.iter().filter(|c| c.lanes.is_empty() && c.state != ConsumerState::Gone);
    let with_rows = view.consumers.iter().filter(|c| !c.lanes.is_empty());
    with_rows
        .map(|consumer| card(consumer, view, layout, text))
        .chain(
            idle.enumerate().map(|(nth, consumer)| waiting_card(consumer, nth, view, layout, text)),
        )
        .collect()
}

fn card(consumer: &ConsumerView, view: &StageView, layout: &Layout, text: StageText) -> Html {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &lane in &consumer.lanes {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == lane => *last = lane,
            _ => runs.push((lane, lane)),
        }
    }
    let frames = runs.iter().filter_map(|&(first, last)| {
        let top = layout.lanes.get(first)?;
        let bottom = layout.lanes.get(last)?.bottom();
        let rect = Rect { x: layout.cards.x, y: top.y, w: layout.cards.w, h: bottom - top.y };
        if layout.narrow {
            return None;
        }
        Some(html! {
            <g key={format!("run{first}")}>
                <rect class="card-frame" x={num(rect.x)} y={num(rect.y)} width={num(rect.w)} height={num(rect.h)} rx="10" />
                { head(consumer, &rect, layout, text) }
            </g>
        })
    });
    let rows = consumer.lanes.iter().filter_map(|&index| {
        let lane = view.lanes.get(index)?;
        let row = lane.rows.iter().find(|row| row.client == consumer.id)?;
        let rect = row_rect(layout, view, index, consumer.id)?;
        let first = runs.iter().any(|(first, _)| *first == index);
        Some(html! { <g key={format!("row{index}")}>{ row_html(consumer, lane, row, &rect, first, layout, text) }</g> })
    });
    html! {
        <g key={format!("c{}", consumer.id.0)} class={classes!("card", state_class(consumer.state))}
            data-subject={subject_id(Subject::Client(consumer.id))}>
            <g key="frames">{ for frames }</g>
            <g key="rows">{ for rows }</g>
        </g>
    }
}

fn state_class(state: ConsumerState) -> Option<&'static str> {
    match state {
        ConsumerState::Running => None,
        ConsumerState::Hanging => Some("is-hanging"),
        ConsumerState::Gone => Some("is-gone"),
    }
}

fn head(consumer: &ConsumerView, rect: &Rect, layout: &Layout, text: StageText) -> Html {
    if layout.density != Density::Full {
        return Html::default();
    }
    let right = num(rect.right() - 10.0);
    html! {<>
        <text class="card-name" x={num(rect.x + 12.0)} y={num(rect.y + 21.0)}>{ consumer.name.to_string() }</text>
        <text class="card-note" x={right} y={num(rect.y + 21.0)}>
            {
                match (consumer.state, consumer.renews_ms) {
                    (ConsumerState::Hanging, _) => html! { <tspan key="still">{ text.hanging() }</tspan> },
                    (ConsumerState::Gone, _) => html! { <tspan key="gone">{ text.gone() }</tspan> },
                    (ConsumerState::Running, Some(at)) => timed(text.renews(), at, ""),
                    (ConsumerState::Running, None) => html! { <tspan key="none"></tspan> },
                }
            }
        </text>
    </>}
}

/// A word, a remaining time, a word: as tspans, so that only the time is painted.
pub fn timed(before: &str, until_ms: i64, after: &str) -> Html {
    html! {<>
        <tspan key="before">{ before.to_owned() }</tspan>
        <tspan key="left" data-left={until_ms.to_string()}></tspan>
        <tspan key="after">{ after.to_owned() }</tspan>
    </>}
}

/// A consumer without a queue: a row in a lane that has none, or below the lanes.
fn waiting_card(
    consumer: &ConsumerView,
    nth: usize,
    view: &StageView,
    layout: &Layout,
    text: StageText,
) -> Html {
    let free =
        view.lanes.iter().enumerate().filter(|(_, lane)| lane.rows.is_empty()).map(|(i, _)| i);
    let y = free
        .into_iter()
        .filter_map(|lane| layout.lanes.get(lane))
        .map(|rect| rect.y + (rect.h - 32.0) / 2.0)
        .nth(nth)
        .unwrap_or(layout.cards.bottom() + 8.0 + 36.0 * nth as f64);
    let note =
        if consumer.state == ConsumerState::Hanging { text.hanging() } else { text.no_queue() };
    html! {
        <g key={format!("c{}", consumer.id.0)} class={classes!("card", "is-waiting", state_class(consumer.state))}
            transform={translate(layout.cards.x, y)} data-subject={subject_id(Subject::Client(consumer.id))}>
            <rect class="card-frame" width={num(layout.cards.w)} height="32" rx="10" />
            <text class="card-name" x="12" y="21">{ consumer.name.to_string() }</text>
            <text class="card-note" x={num(layout.cards.w - 10.0)} y="21">{ note }</text>
        </g>
    }
}

/// How much a row says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    /// Two lines.
    Full,
    /// One line, and the consumer's name where its run of lanes begins.
    Compact,
    /// A short line under the consumer's name.
    Narrow,
}

impl Words {
    fn of(layout: &Layout, lane: &LaneView) -> Self {
        match layout.density {
            Density::Full if layout.narrow => Self::Narrow,
            Density::Full if lane.rows.len() == 1 => Self::Full,
            _ => Self::Compact,
        }
    }
}

fn row_html(
    consumer: &ConsumerView,
    lane: &LaneView,
    row: &RowView,
    rect: &Rect,
    first: bool,
    layout: &Layout,
    text: StageText,
) -> Html {
    let words = Words::of(layout, lane);
    let class = match row.state {
        RowState::Idle(_) | RowState::Relock { .. } => "row is-idle",
        _ => "row",
    };
    let cached = || text.cached(text.lane(lane), &i18n::number(i64::from(row.cached)));
    let caption = match words {
        Words::Full if !first => Some((cached(), "row-caption")),
        Words::Narrow => Some((consumer.name.to_string(), "row-name")),
        _ => None,
    };
    let inside = words == Words::Compact && (first || lane.rows.len() > 1);
    html! {<>
        if let Some((caption, class)) = caption {
            <text {class} x={num(rect.x + 2.0)} y={num(rect.y - 10.0)}>{ caption }</text>
        }
        <g {class} transform={translate(rect.x, rect.y)}>
            <rect class="row-frame" width={num(rect.w)} height={num(rect.h)} rx="8" />
            { row_state(lane, row, rect, words, text) }
            if inside {
                <text class="row-owner" x={num(rect.w - 9.0)} y={num(rect.h / 2.0 + 4.5)}>{ consumer.name.to_string() }</text>
            }
        </g>
    </>}
}

fn row_state(lane: &LaneView, row: &RowView, rect: &Rect, words: Words, text: StageText) -> Html {
    let middle = num(rect.h / 2.0 + 4.0);
    match &row.state {
        RowState::Handling { names, until_ms, .. } => {
            let x = num(54.0 + 40.0 * (names.len().clamp(1, 3) as f64 - 1.0));
            let more = names.len().saturating_sub(3);
            let left = |tail: &str| {
                timed(text.left_before(), *until_ms, &format!("{}{tail}", text.left_after()))
            };
            if words != Words::Full {
                return html! { <text class="row-note" {x} y={middle}>{ left("") }</text> };
            }
            let tail = match (names.len(), more) {
                (_, 1..) => format!(" · +{more}"),
                (0 | 1, _) => format!(" · {}", text.lane(lane)),
                _ => String::new(),
            };
            html! {<>
                <text class="row-word" x={x.clone()} y="17">{ text.handling() }</text>
                <text class="row-note" {x} y="32">{ left(&tail) }</text>
            </>}
        }
        RowState::Suspended { name, from_ms, until_ms } => {
            let again = timed(&text.again_before(&name.label), *until_ms, text.again_after());
            html! {<>
                <g transform={translate(26.0, rect.h / 2.0)}>
                    <circle class="ring-track" r="11" />
                    <circle class="ring-left" r="11" pathLength="100" transform="rotate(-90)"
                        data-ring-from={from_ms.to_string()} data-ring-until={until_ms.to_string()} />
                    <path class="ring-bars" d="M-2.5 -4v8M2.5 -4v8" />
                </g>
                {
                    match words {
                        Words::Full => html! {<>
                            <text class="row-word" x="54" y="17">{ text.suspended() }</text>
                            <text class="row-note" x="54" y="32">{ again }</text>
                        </>},
                        Words::Compact => html! { <text class="row-note" x="46" y={middle}>{ again }</text> },
                        Words::Narrow => html! {<>
                            <text class="row-word" x="46" y="17">{ text.again(&name.label) }</text>
                            <text class="row-note" x="46" y="32">{ timed(text.in_before(), *until_ms, text.in_after()) }</text>
                        </>},
                    }
                }
            </>}
        }
        RowState::Relock { at_ms } => html! {
            <text class="row-idle" x="12" y={middle}>{ timed(text.relock_before(), *at_ms, text.relock_after()) }</text>
        },
        RowState::Idle(idle) => {
            html! { <text class="row-idle" x="12" y={middle}>{ idle_text(*idle, words == Words::Full, text) }</text> }
        }
    }
}

/// Why a row is idle, in words; short where rows are narrow.
pub fn idle_text(idle: Idle, full: bool, text: StageText) -> &'static str {
    match idle {
        Idle::NothingToPull if full => text.idle(),
        Idle::NothingToPull => text.idle_short(),
        Idle::NotPulledYet => text.not_pulled(),
        Idle::NoLock => text.waits_lock(),
        Idle::NoThread => text.no_thread(),
        Idle::Leaving => text.leaving(),
        Idle::Paused => text.paused(),
        Idle::Still => text.still(),
    }
}
