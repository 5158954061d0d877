//! A lane: offset ruler, rails, the consumer offset, and the slots of its records.

use lockstep_core::ids::MsgId;
use lockstep_core::view::stage::{LaneView, SlotState, Stands};
use lockstep_core::view::Subject;
use yew::prelude::*;

use super::layout::{Density, LaneStyle, Layout, Rect, SLOT_PITCH, TOKEN_W};
use super::room;
use super::svg::Path;
use crate::i18n::stage::StageText;
use crate::i18n::{self, Locale};
use crate::ui::draw::{classes, triangle, Draw};
use crate::ui::token::{radius, shape_at, Hue, Look, TokenState};

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
    /// A record of the lane that is selected.
    pub marked: Option<MsgId>,
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
    let Props { lane, rect, style, columns, compact, selected, marked, locale } = props;
    let text = StageText(*locale);
    let mut draw = Draw::new();
    let frame = Rect { x: 0.0, y: 0.0, ..*rect };
    draw.rect("frame", "lane-frame", frame, style.radius);
    hatch(&mut draw, lane, style, columns);
    names(&mut draw, lane, rect, (*compact, style.lag_w > 0.0), text);
    rails(&mut draw, lane, rect, style, columns);
    slots(&mut draw, lane, style, columns, *compact, *marked);
    marker(&mut draw, lane, style, columns);
    reset(&mut draw, lane, style, columns);
    others(&mut draw, lane, style, columns);
    draw.rect("ring", "ring", frame.grown(3.0), style.radius + 3.0);
    let mut outer = Draw::new();
    outer.thing(
        "lane",
        class(lane, *selected),
        (rect.x, rect.y),
        Some(Subject::Queue(lane.queue)),
        draw,
    );
    outer.finish()
}

/// The class of a lane.
pub fn class(lane: &LaneView, selected: bool) -> std::borrow::Cow<'static, str> {
    classes("lane", &[(lane.stands.is_some(), "is-blocked"), (selected, "is-selected")])
}

/// Room for the lag before the first slot.
const LAG_W: f64 = 43.0;

fn names(
    draw: &mut Draw,
    lane: &LaneView,
    rect: &Rect,
    (compact, has_lag): (bool, bool),
    text: StageText,
) {
    let lag = lane.lag();
    let lag_class = classes("lag-text", &[(lag <= 0, "is-zero"), (compact, "is-compact")]);
    let lag_text = text.lag(&i18n::number(lag));
    let name = text.lane(lane).to_owned();
    if compact {
        draw.text("name", "lane-name-compact", (12.0, 27.0), name);
        if has_lag {
            draw.text("lag", lag_class, (rect.w - 10.0, 16.0), lag_text);
        }
        return;
    }
    draw.text("name", "lane-name", (12.0, 31.0), name);
    let is_short = room::width(&lag_text) <= LAG_W;
    if is_short {
        draw.text("lag", lag_class, (12.0, 49.0), lag_text);
    } else {
        // A long figure stands below its word.
        draw.text("lag-word", "lag-text is-long", (12.0, 47.0), text.lag("").trim().to_owned());
        draw.text("lag", "lag-text is-long", (12.0, 61.0), i18n::number(lag));
    }
    if lane.max == lane.min && lane.arriving == 0 {
        let empty = if lane.min > 0 { text.all_deleted() } else { text.nothing_stored() };
        let x = 56.0 + (SLOT_PITCH + 3.0) * lane.deleted as f64;
        draw.text("empty", "lane-empty", (x, 34.0), empty);
    }
    if let Some(limits) = text.limits(lane).filter(|_| is_short) {
        draw.text("limits", "tick-left", (12.0, 64.0), limits);
    }
}

/// Hatching over what is held back.
pub(super) fn hatch(draw: &mut Draw, lane: &LaneView, style: &LaneStyle, columns: &Columns) {
    let head = match &lane.stands {
        None => return,
        Some(
            Stands::Suspended { .. }
            | Stands::Retrying { .. }
            | Stands::BackOff { .. }
            | Stands::Unacknowledged { .. },
        ) => 1,
        Some(_) => 0,
    };
    let (from, to) = (columns.at(lane.next + head) - 4.0, columns.at(lane.max) - 6.0);
    if to > from {
        let rect = Rect { x: from, y: style.slot_y - 4.0, w: to - from, h: style.token_h + 8.0 };
        draw.rect("hatch", "lane-hatch", rect, 8.0);
    }
}

pub(super) fn rails(
    draw: &mut Draw,
    lane: &LaneView,
    rect: &Rect,
    style: &LaneStyle,
    columns: &Columns,
) {
    let lit = [(lane.arriving > 0, "is-lit"), (!lane.writable, "is-cut")];
    let write_end = columns.at(lane.max + i64::from(lane.arriving)) + 15.0;
    let (drop, arrow) = if style.h > 60.0 { (5.0, 5.5) } else { (4.0, 4.5) };
    if lane.hidden == 0 {
        let write = Path::at(0.0, style.write_y).h(write_end).dv(drop).done();
        draw.path("write", classes("rail", &lit), write);
        let head = Path::at(write_end - 4.0, style.write_y + drop).dh(8.0).l(-4.0, arrow).z();
        draw.path("arrow", classes("rail-arrow", &lit), head);
    }
    let from = columns.at(lane.next) - 3.0;
    let lag_end = columns.at(lane.max) - 6.0;
    let waits = lane.max > lane.next;
    let stands = lane.stands.as_ref().is_some_and(|s| !matches!(s, Stands::Retrying { .. }));
    let cut = stands || !lane.readable;
    let read = Path::at(if waits { lag_end } else { from }, style.read_y).h(rect.w).done();
    draw.path("read", classes("rail", &[(cut, "is-cut")]), read);
    if waits {
        draw.path("lag-rail", "lag-rail", Path::at(from, style.read_y).h(lag_end).done());
    }
}

/// The consumer offset.
pub(super) fn marker(draw: &mut Draw, lane: &LaneView, style: &LaneStyle, columns: &Columns) {
    let x = columns.at(lane.next) - 3.0;
    let (half, height) = if style.h > 60.0 { (5.0, 8.5) } else { (4.0, 6.0) };
    if lane.max > lane.min {
        draw.path(
            "offset-line",
            "offset-line",
            Path::at(x, style.slot_y - 3.0).v(style.read_y).done(),
        );
    }
    draw.path("offset-mark", "offset-mark", triangle((x, style.read_y + 1.0), half, height));
}

/// Where a reset that waits for the queue to be read will go on: a dashed line with a hollow mark.
pub(super) fn reset(draw: &mut Draw, lane: &LaneView, style: &LaneStyle, columns: &Columns) {
    let Some(offset) = lane.reset else { return };
    let x = columns.at(offset.clamp(lane.first, lane.max)) - 3.0;
    let line = Path::at(x, style.slot_y - 3.0).v(style.read_y).done();
    draw.path("reset-line", "reset-line", line);
    let mark = triangle((x, style.read_y + 1.0), 5.0, 8.5);
    draw.path("reset-mark", "offset-other is-reset", mark);
}

/// Offsets of other consumer groups: hollow triangles with the group's first letter. Groups at one
/// offset share a mark, and so do those at the chosen group's offset.
pub(super) fn others(draw: &mut Draw, lane: &LaneView, style: &LaneStyle, columns: &Columns) {
    let mut offsets: Vec<i64> = lane.others.iter().map(|(_, offset)| *offset).collect();
    offsets.sort_unstable();
    offsets.dedup();
    for offset in offsets {
        let mut letters = lane.others.iter().filter(|(_, o)| *o == offset).map(|(l, _)| *l);
        let mut mark = Draw::new();
        if offset != lane.next {
            mark.path("mark", "offset-other", triangle((0.0, 2.0), 4.0, 7.0));
        }
        // A letter on each side; below a slot stands its number.
        if let Some(letter) = letters.next() {
            mark.text("letter", "tick-left", (6.0, 11.0), letter.to_string());
        }
        if let Some(letter) = letters.next() {
            let more = letters.count();
            let second = if more > 0 { format!("+{}", more + 1) } else { letter.to_string() };
            mark.text("second", "tick-left end", (-6.0, 11.0), second);
        }
        let x = columns.at(offset.max(lane.first)) - 3.0;
        draw.group(format!("other{offset}"), "", (x, style.read_y), mark);
    }
}

/// Whether so many groups share a mark that their number takes the place of the offset before it.
fn is_crowded(lane: &LaneView, offset: i64) -> bool {
    lane.others.iter().filter(|(_, other)| *other == offset).count() > 2
}

/// What stays in the lane: outlines of records that are away or done, places of messages that are
/// on their way, offsets.
pub(super) fn slots(
    draw: &mut Draw,
    lane: &LaneView,
    style: &LaneStyle,
    columns: &Columns,
    compact: bool,
    marked: Option<MsgId>,
) {
    let size = (TOKEN_W, style.token_h);
    // The baseline of offsets.
    let offset_y = style.read_y + 15.0;
    let look = |label: AttrValue, hue: u8, state: TokenState| Look {
        label,
        hue: Hue(hue),
        state,
        size,
        again: false,
    };
    let mut slot = |offset: i64, look: Option<Look>, msg: Option<MsgId>| {
        if compact && look.is_none() {
            return;
        }
        let at = (columns.at(offset), style.slot_y);
        let mut inner = Draw::new();
        if let Some(look) = &look {
            shape_at(&mut inner, look, at);
        }
        if !compact && !is_crowded(lane, offset + 1) {
            inner.text("offset", "offset", (at.0 + 18.0, offset_y), i18n::number(offset));
        }
        let is_marked = msg.is_some() && msg == marked;
        if is_marked {
            ring(&mut inner, at, size);
        }
        let class = classes("slot", &[(is_marked, "is-selected")]);
        draw.thing(offset, class, (0.0, 0.0), msg.map(Subject::Message), inner);
    };
    for s in &lane.slots {
        let state = resting(s.state);
        let msg = state.map(|_| s.name.msg);
        slot(
            s.offset,
            state.map(|state| look(s.name.label.clone().into(), s.name.hue, state)),
            msg,
        );
    }
    let next = lane.max + i64::from(lane.arriving);
    for offset in lane.max..next {
        slot(offset, Some(look(AttrValue::default(), u8::MAX, TokenState::Arriving)), None);
    }
    if lane.hidden == 0 && !compact {
        slot(next, None, None);
    }
    pill(draw, lane, style, columns);
    if lane.min > 0 && lane.first <= lane.min {
        let minimum = Path::at(columns.at(lane.min) - 3.0, style.slot_y).dv(style.token_h).done();
        draw.path("min", "minimum", minimum);
    }
    for offset in lane.first..lane.first + lane.deleted {
        let mut inner = Draw::new();
        inner.circle("dot", "deleted", (18.0, style.token_h - 4.0), 2.0);
        if !compact {
            inner.text("offset", "offset", (18.0, offset_y - style.slot_y), i18n::number(offset));
        }
        draw.group(offset, "", (columns.at(offset), style.slot_y), inner);
    }
}

/// The look of a record whose token does not lie in its slot; a token there says everything itself.
pub fn resting(state: SlotState) -> Option<TokenState> {
    match state {
        SlotState::Done => Some(TokenState::Acknowledged),
        SlotState::Dead => Some(TokenState::Dead),
        SlotState::Passed => Some(TokenState::Passed),
        SlotState::Away => Some(TokenState::Away),
        _ => None,
    }
}

/// The ring around a token or a slot that is selected or hovered.
pub fn ring(draw: &mut Draw, (x, y): (f64, f64), (w, h): (f64, f64)) {
    let rect = Rect { x, y, w, h }.grown(3.0);
    draw.rect("ring", "ring", rect, radius(h) + 3.5);
}

/// The count of records between the last two that can be seen.
pub fn pill(draw: &mut Draw, lane: &LaneView, style: &LaneStyle, columns: &Columns) {
    let Some(shown) = columns.gap else { return };
    let mut pill = Draw::new();
    let rect = Rect { x: 0.0, y: 0.0, w: 76.0, h: style.token_h };
    pill.rect("ground", "pill-ground", rect, style.token_h / 2.0);
    let count = format!("+{}", i18n::number(lane.hidden));
    pill.text("count", "pill-count", (38.0, style.token_h / 2.0 + 4.5), count);
    draw.group("pill", "", (columns.x + SLOT_PITCH * shown as f64, style.slot_y), pill);
}

/// Whether a density draws offsets.
pub fn is_compact(density: Density) -> bool {
    density == Density::Compact
}
