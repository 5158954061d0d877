//! A lane: offset ruler, rails, the consumer offset, and the slots of its records.

use lockstep_core::view::stage::{LaneView, SlotState, Stands};
use yew::prelude::*;

use super::layout::{Density, LaneStyle, Layout, Rect, TOKEN_W};
use super::svg::{num, subject_id, translate};
use crate::i18n::stage::StageText;
use crate::i18n::{self, Locale};
use crate::ui::token::{shape, Hue, Look, TokenState};
use lockstep_core::view::Subject;

/// Properties of [`Lane`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The queue.
    pub lane: LaneView,
    /// Where it stands.
    pub rect: Rect,
    /// Measures inside it.
    pub style: LaneStyle,
    /// Left edge of the first slot after the window's gap and all others, see [`Layout::slot_x`].
    pub columns: Columns,
    /// True for lanes without offsets.
    pub compact: bool,
    /// True when it is selected.
    pub selected: bool,
    /// The language.
    pub locale: Locale,
}

/// Left edges of slots in one lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Columns {
    /// First slot.
    pub x: f64,
    /// Offset of the first slot.
    pub first: i64,
    /// Records before the gap, when there is one.
    pub gap: Option<i64>,
    /// The next offset to be written.
    pub max: i64,
}

impl Columns {
    /// The columns of a lane.
    pub fn of(lane: &LaneView, style: &LaneStyle) -> Self {
        let gap = (lane.hidden > 0).then(|| lane.shown());
        Self { x: style.slot_x, first: lane.first, gap, max: lane.max }
    }

    /// Left edge of an offset's slot, relative to the lane.
    pub fn at(&self, offset: i64) -> f64 {
        let gap = self.gap.map(|shown| (shown, offset - (self.max - 1)));
        Layout::column_x(self.x, offset - self.first, gap)
    }
}

/// A lane of the desk's stage.
#[component]
pub fn Lane(props: &Props) -> Html {
    let Props { lane, rect, style, columns, compact, selected, locale } = props;
    let blocked = lane.stands.is_some();
    let text = StageText(*locale);
    html! {
        <g class={classes!("lane", blocked.then_some("is-blocked"), selected.then_some("is-selected"))}
            transform={translate(rect.x, rect.y)} data-subject={subject_id(Subject::Queue(lane.queue))}>
            <rect class="lane-frame" key="frame" width={num(rect.w)} height={num(rect.h)} rx={num(style.radius)} />
            <g key="blocked">{ hatch(lane, style, columns) }</g>
            <g key="names">{ names(lane, rect, *compact, text) }</g>
            <g key="rails">{ rails(lane, rect, style, columns) }</g>
            <g key="slots">{ slots(lane, style, columns, *compact) }</g>
            <g key="marker">{ marker(lane, style, columns) }</g>
            <g key="others">{ others(lane, style, columns) }</g>
            <rect class="ring" key="ring" x="-3" y="-3" width={num(rect.w + 6.0)} height={num(rect.h + 6.0)}
                rx={num(style.radius + 3.0)} />
        </g>
    }
}

fn names(lane: &LaneView, rect: &Rect, compact: bool, text: StageText) -> Html {
    let lag = lane.lag();
    let lag_class = if lag > 0 { "lag-text" } else { "lag-text is-zero" };
    let lag_text = text.lag(&i18n::number(lag));
    let name = text.lane(lane).to_owned();
    if compact {
        return html! {<>
            <text class="lane-name-compact" x="12" y="27">{ name }</text>
            <text class={classes!(lag_class, "is-compact")} x={num(rect.w - 10.0)} y="16">{ lag_text }</text>
        </>};
    }
    let empty = lane.max == lane.min && lane.arriving == 0;
    html! {<>
        <text class="lane-name" x="12" y="31">{ name }</text>
        <text class={lag_class} x="12" y="49">{ lag_text }</text>
        if empty { <text class="lane-empty" x="56" y="34">{ text.nothing_stored() }</text> }
    </>}
}

fn hatch(lane: &LaneView, style: &LaneStyle, columns: &Columns) -> Html {
    if lane.stands.is_none() {
        return Html::default();
    }
    let head =
        i64::from(matches!(lane.stands, Some(Stands::Suspended { .. } | Stands::Retrying { .. })));
    let from = columns.at(lane.next + head) - 4.0;
    let to = columns.at(lane.max) - 6.0;
    if to <= from {
        return Html::default();
    }
    html! {
        <rect class="lane-hatch" x={num(from)} y={num(style.slot_y - 4.0)} width={num(to - from)}
            height={num(style.token_h + 8.0)} rx="8" />
    }
}

fn rails(lane: &LaneView, rect: &Rect, style: &LaneStyle, columns: &Columns) -> Html {
    let lit = lane.arriving > 0;
    let write_end = columns.at(lane.max + i64::from(lane.arriving)) + 15.0;
    let (drop, arrow) = if style.h > 60.0 { (5.0, 5.5) } else { (4.0, 4.5) };
    let tip = style.write_y + drop;
    let write = format!("M0 {}H{}v{drop}", num(style.write_y), num(write_end));
    let head = format!("M{} {}h8l-4 {arrow}z", num(write_end - 4.0), num(tip));
    let from = columns.at(lane.next) - 3.0;
    let lag_end = columns.at(lane.max) - 6.0;
    let lag = (lane.max > lane.next)
        .then(|| format!("M{} {}H{}", num(from), num(style.read_y), num(lag_end)));
    let rest = if lag.is_some() { lag_end } else { from };
    let read = format!("M{} {}H{}", num(rest), num(style.read_y), num(rect.w));
    let cut = lane.stands.as_ref().is_some_and(|s| !matches!(s, Stands::Retrying { .. }));
    let class = if cut { "rail is-cut" } else { "rail" };
    html! {<>
        if lane.hidden == 0 {
            <path class={classes!("rail", lit.then_some("is-lit"))} d={write} />
            <path class={classes!("rail-arrow", lit.then_some("is-lit"))} d={head} />
        }
        <path {class} d={read} />
        if let Some(d) = lag { <path class="lag-rail" {d} /> }
    </>}
}

fn marker(lane: &LaneView, style: &LaneStyle, columns: &Columns) -> Html {
    let x = columns.at(lane.next) - 3.0;
    let (w, h) = if style.h > 60.0 { (5.0, 8.5) } else { (4.0, 6.0) };
    let (y, top) = (style.read_y, style.slot_y - 3.0);
    let triangle = format!("M{} {}l{w} {h}h-{}z", num(x), num(y + 1.0), 2.0 * w);
    let stored = lane.max > lane.min;
    html! {<>
        if stored { <path class="offset-line" d={format!("M{} {}V{}", num(x), num(top), num(y))} /> }
        <path class="offset-mark" d={triangle} />
    </>}
}

/// Offsets of other consumer groups: hollow triangles with the group's first letter.
fn others(lane: &LaneView, style: &LaneStyle, columns: &Columns) -> Html {
    let mark = |(i, (letter, offset)): (usize, &(char, i64))| {
        let x = columns.at((*offset).max(lane.first)) - 3.0 + 10.0 * i as f64;
        let d = format!("M{} {}l4 7h-8z", num(x), num(style.read_y + 2.0));
        html! {
            <g key={i}>
                <path class="offset-other" {d} />
                <text class="tick" x={num(x + 6.0)} y={num(style.read_y + 11.0)}>{ *letter }</text>
            </g>
        }
    };
    lane.others.iter().enumerate().map(mark).collect()
}

/// What stays in the lane: outlines of records that are away or done, places of messages that are
/// on their way, offsets.
fn slots(lane: &LaneView, style: &LaneStyle, columns: &Columns, compact: bool) -> Html {
    let slot = |offset: i64, look: Option<Look>| {
        html! {
            <g key={offset.to_string()} transform={translate(columns.at(offset), style.slot_y)}>
                <g key="look">{ look.as_ref().map(shape) }</g>
                if !compact {
                    <text class="offset" key="offset" x="18" y={num(66.0 - style.slot_y)}>{ i18n::number(offset) }</text>
                }
            </g>
        }
    };
    let records = lane.slots.iter().map(|s| {
        let state = match s.state {
            SlotState::Done => Some(TokenState::Acknowledged),
            SlotState::Away => Some(TokenState::Away),
            _ => None,
        };
        let look = state.map(|state| Look {
            label: AttrValue::from(s.name.label.clone()),
            hue: Hue(s.name.hue),
            state,
            size: (TOKEN_W, style.token_h),
            again: false,
        });
        slot(s.offset, look)
    });
    let arriving = (0..i64::from(lane.arriving)).map(|i| {
        let look = Look {
            label: AttrValue::default(),
            hue: Hue::NONE,
            state: TokenState::Arriving,
            size: (TOKEN_W, style.token_h),
            again: false,
        };
        slot(lane.max + i, Some(look))
    });
    let next = lane.max + i64::from(lane.arriving);
    let next = (lane.hidden == 0 && !compact).then(|| slot(next, None));
    let pill = columns.gap.map(|shown| {
        let x = columns.x + super::layout::SLOT_PITCH * shown as f64;
        html! {
            <g key="pill" class="pill" transform={translate(x, style.slot_y)}>
                <rect width="76" height={num(style.token_h)} rx={num(style.token_h / 2.0)} />
                <text x="38" y={num(style.token_h / 2.0 + 4.5)}>{ format!("+{}", i18n::number(lane.hidden)) }</text>
            </g>
        }
    });
    let minimum = (lane.min > 0 && lane.first == lane.min).then(|| {
        let x = columns.x - 3.0;
        html! { <path key="min" class="minimum" d={format!("M{} {}v{}", num(x), num(style.slot_y), num(style.token_h))} /> }
    });
    records.chain(arriving).chain(next).chain(pill).chain(minimum).collect()
}

/// Whether a density draws offsets.
pub fn is_compact(density: Density) -> bool {
    density == Density::Compact
}
