//! A lane on a phone: as wide as the screen, with the lock in its head; and the routing of message
//! groups, which stands below the lanes.

use lockstep_core::ids::MsgId;
use lockstep_core::view::stage::{
    ConsumerView, HoldState, HoldView, LaneView, LockView, PortView, RowState, StageView, Stands,
};
use lockstep_core::view::Subject;

use super::consumer::{again, idle_text, relock};
use super::lane::{class, hatch, marker, others, rails, reset, slots, Columns};
use super::layout::{LaneStyle, Layout, Rect, ROUTING_HEAD_H, ROUTING_PITCH};
use super::producer::{self, rule_text, PORT};
use super::room;
use super::svg::subject_id;
use crate::i18n;
use crate::i18n::stage::StageText;
use crate::ui::draw::{classes, lock, Draw, Timed};
use crate::ui::token::{shape, Hue, Look, TokenState};

/// A lane of the phone's stage.
pub fn lane(
    draw: &mut Draw,
    lane: &LaneView,
    rect: &Rect,
    style: &LaneStyle,
    (selected, marked, withheld): (bool, Option<MsgId>, bool),
    consumers: &[ConsumerView],
    text: StageText,
) {
    let columns = Columns::of(lane, style);
    let empty = lane.max == lane.min && lane.arriving == 0;
    // The head's baseline: in the middle of a lane that is only a head.
    let head = if empty { 25.0 } else { 22.0 };
    let lag_x = 26.0 + 9.0 * lane.name.chars().count() as f64;
    let frame = Rect { x: 0.0, y: 0.0, ..*rect };
    let mut inner = Draw::new();
    inner.rect("frame", "lane-frame", frame, style.radius);
    inner.text("name", "lane-name", (12.0, head), text.lane(lane).to_owned());
    inner.text("lag", "small", (lag_x, head), text.lag(&i18n::number(lane.lag())));
    if empty {
        inner.text("empty", "small", (lag_x + 58.0, head), text.nothing_stored());
    }
    let mut owned = Draw::new();
    owner(&mut owned, lane, rect, (consumers, withheld), text);
    inner.group("owner", "", (0.0, head), owned);
    if !empty {
        hatch(&mut inner, lane, style, &columns);
        rails(&mut inner, lane, rect, style, &columns);
        slots(&mut inner, lane, style, &columns, false, marked);
        marker(&mut inner, lane, style, &columns);
        reset(&mut inner, lane, style, &columns);
        others(&mut inner, lane, style, &columns);
    }
    inner.rect("ring", "ring", frame.grown(3.0), style.radius + 3.0);
    let subject = Subject::Queue(lane.queue);
    draw.thing(subject_id(subject), class(lane, selected), (rect.x, rect.y), Some(subject), inner);
}

/// The lock and its owner at the right end of the head, and what the owner does before it.
fn owner(
    draw: &mut Draw,
    lane: &LaneView,
    rect: &Rect,
    (consumers, withheld): (&[ConsumerView], bool),
    text: StageText,
) {
    let holder = lane.rows.first().map(|row| row.client).or_else(|| {
        let holds = |c: &&ConsumerView| holds_of(c, lane).next().is_some();
        consumers.iter().find(holds).map(|c| c.id)
    });
    let reader = holder.and_then(|id| consumers.iter().find(|c| c.id == id));
    let reader = reader.map(|consumer| consumer.name.to_string()).unwrap_or_default();
    let (name, span, gone) = match &lane.lock {
        LockView::Held { name, from_ms, until_ms, gone, .. } => {
            (name.to_string(), Some((*from_ms, *until_ms)), *gone)
        }
        LockView::Free => (text.nobody().to_owned(), None, false),
        LockView::Block { from_ms, until_ms, .. } => {
            (reader.clone(), Some((*from_ms, *until_ms)), false)
        }
        LockView::None | LockView::Open => (reader.clone(), None, false),
    };
    let right = rect.w - 14.0;
    let ring = (right - 17.0 - 7.5 * name.chars().count() as f64, -5.0);
    let told = Told { consumers, reader: &reader, withheld };
    state(draw, lane, &told, (ring.0 - 18.0, 0.0), text);
    if let LockView::Block { name: label, .. } = &lane.lock {
        draw.label("label", "gate-label", ring, &label.label, None, Some(13.0));
    }
    draw.circle("track", "ring-track", ring, 8.5);
    if let Some(span) = span {
        draw.ring("left", "ring-left", ring, 8.5, span);
    }
    if !matches!(lane.lock, LockView::Block { .. } | LockView::Open) {
        let mut glyph = Draw::new();
        lock(&mut glyph, (0.0, 0.0), span.is_none(), "lock is-small");
        draw.group("lock", "", ring, glyph);
    }
    draw.text("name", classes("phone-owner", &[(gone, "is-gone")]), (right, 0.0), name);
}

/// What a consumer holds of a lane.
fn holds_of<'a>(
    consumer: &'a ConsumerView,
    lane: &'a LaneView,
) -> impl Iterator<Item = &'a HoldView> {
    let of = |hold: &&HoldView| hold.messages.iter().any(|m| m.queue == lane.queue);
    consumer.holds.iter().filter(of)
}

/// Of whom a lane's head tells, and how much.
struct Told<'a> {
    consumers: &'a [ConsumerView],
    /// Who reads the queue.
    reader: &'a str,
    /// Whether what is to come is told without its message.
    withheld: bool,
}

fn state(draw: &mut Draw, lane: &LaneView, told: &Told<'_>, at: (f64, f64), text: StageText) {
    let Told { consumers, reader, withheld } = *told;
    match &lane.stands {
        Some(Stands::Suspended { name, until_ms, .. } | Stands::BackOff { name, until_ms, .. }) => {
            let label = (!withheld).then_some(&*name.label);
            return draw.timed("again", "phone-note", at, again(label, *until_ms, text));
        }
        Some(Stands::Unacknowledged { until_ms, .. }) => {
            let before = text.invisible_before().into();
            let left = Timed { before, until_ms: *until_ms, ..Timed::default() };
            return draw.timed("invisible", "phone-note", at, left);
        }
        _ => {}
    }
    for hold in consumers.iter().flat_map(|consumer| holds_of(consumer, lane)) {
        let (Some(first), HoldState::Handling { until_ms, .. }) =
            (hold.messages.first(), hold.state)
        else {
            continue;
        };
        let before = text.handled_by(&first.name.label, reader).into();
        let left = Timed { before, until_ms, ..Timed::default() };
        return draw.timed("handled", "phone-note", at, left);
    }
    match lane.rows.first().map(|row| &row.state) {
        Some(RowState::Handling { names, until_ms, .. }) => {
            let label = names.first().map(|name| name.label.to_string()).unwrap_or_default();
            let before = text.handled_by(&label, reader).into();
            draw.timed(
                "handled",
                "phone-note",
                at,
                Timed { before, until_ms: *until_ms, ..Timed::default() },
            );
        }
        Some(RowState::Relock { at_ms }) => {
            draw.timed("relock", "phone-note", at, relock(*at_ms, text))
        }
        Some(RowState::Idle(idle)) if lane.lag() > 0 => {
            draw.text("idle", "phone-note", at, idle_text(*idle, false, text));
        }
        _ => {}
    }
}

/// Where each message group goes, and by which rule: two beside each other.
pub fn routing(draw: &mut Draw, view: &StageView, layout: &Layout, text: StageText) {
    let Some(rect) = layout.routing else { return };
    let note = ("heading-note", text.short_rule(view));
    draw.text_with_note("routing", "heading", (rect.x, rect.y + 14.0), text.routing(), note);
    let width = rect.w / 2.0;
    for (index, port) in view.ports.iter().enumerate() {
        let x = rect.x + width * (index % 2) as f64;
        let y = rect.y + ROUTING_HEAD_H + ROUTING_PITCH * (index / 2) as f64;
        let mut inner = Draw::new();
        let key = producer::whole_key(port, producer::is_twice(view, port), text);
        route(&mut inner, port, (key, width - 8.0), text);
        let subject = port.group.map(Subject::MessageGroup);
        draw.thing(format!("port-{}{index}", port.letter), "port", (x, y), subject, inner);
    }
}

/// A message group with its key and its rule.
fn route(draw: &mut Draw, port: &PortView, (key, width): (String, f64), text: StageText) {
    let (letter, hue) = (port.letter.clone().into(), Hue(port.hue));
    let look = Look { label: letter, hue, state: TokenState::Ready, size: PORT, again: false };
    shape(draw, &look);
    let left = PORT.0 + 8.0;
    draw.text("key", "port-key", (left, 11.0), room::cut(&key, width - left, 7.6));
    draw.text("rule", "tick-left", (left, 25.0), rule_text(port.rule, port, text));
}
