//! Consumers: a card for each run of neighbouring lanes, a row for each lane on the lane's own
//! line.

use lockstep_core::view::stage::{
    ConsumerKind, ConsumerState, ConsumerView, Idle, LaneView, RowState, RowView, StageView,
};
use lockstep_core::view::Subject;

use super::layout::{Density, Layout, Rect, WAITING_PITCH};
use super::room;
use super::route::IN_ROW;
use crate::i18n;
use crate::i18n::stage::StageText;
use crate::ui::draw::{classes, Draw, Timed};

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
pub fn cards(draw: &mut Draw, view: &StageView, layout: &Layout, text: StageText) {
    let mut waiting = 0;
    for consumer in view.consumers.iter().filter(|c| c.kind == ConsumerKind::Classic) {
        let key = format!("c{}", consumer.id.0);
        let subject = Some(Subject::Client(consumer.id));
        let mut inner = Draw::new();
        if !consumer.lanes.is_empty() {
            card(&mut inner, consumer, view, layout, text);
            draw.thing(key, class("card", consumer), (0.0, 0.0), subject, inner);
        } else if consumer.state != ConsumerState::Gone {
            let at = (layout.cards.x, free_y(view, layout, waiting));
            waiting += 1;
            waiting_card(&mut inner, consumer, layout, text);
            draw.thing(key, class("card is-waiting", consumer), at, subject, inner);
        }
    }
}

fn class(base: &'static str, consumer: &ConsumerView) -> std::borrow::Cow<'static, str> {
    let (hangs, gone) =
        (consumer.state == ConsumerState::Hanging, consumer.state == ConsumerState::Gone);
    classes(base, &[(hangs, "is-hanging"), (gone, "is-gone")])
}

fn card(
    draw: &mut Draw,
    consumer: &ConsumerView,
    view: &StageView,
    layout: &Layout,
    text: StageText,
) {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &lane in &consumer.lanes {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == lane => *last = lane,
            _ => runs.push((lane, lane)),
        }
    }
    for &(first, last) in runs.iter().filter(|_| !layout.narrow) {
        let (Some(top), Some(end)) = (layout.lanes.get(first), layout.lanes.get(last)) else {
            continue;
        };
        let rect = Rect { x: layout.cards.x, y: top.y, w: layout.cards.w, h: end.bottom() - top.y };
        let mut run = Draw::new();
        run.rect("frame", "card-frame", rect, 10.0);
        // Where several consumers share the first lane, their rows stand in the place of the head, and
        // each says whose it is.
        let shared = view.lanes.get(first).is_some_and(|lane| lane.rows.len() > 1);
        if layout.density == Density::Full && !shared {
            head(&mut run, consumer, &rect, text);
        }
        draw.group(format!("run{first}"), "", (0.0, 0.0), run);
    }
    for &index in &consumer.lanes {
        let Some(lane) = view.lanes.get(index) else { continue };
        let Some(row) = lane.rows.iter().find(|row| row.client == consumer.id) else { continue };
        let Some(rect) = row_rect(layout, view, index, consumer.id) else { continue };
        let first = runs.iter().any(|(first, _)| *first == index);
        let mut inner = Draw::new();
        let words = Words::of(layout, lane);
        captions(&mut inner, consumer, lane, row, &rect, (words, first), text);
        let owner = (words == Words::Compact && (first || lane.rows.len() > 1))
            .then(|| room::width(&consumer.name) + 8.0);
        let room = rect.w - 21.0 - owner.unwrap_or(0.0);
        row_state(&mut inner, lane, row, &rect, (words, room, view.withheld), text);
        let of = Subject::Queue(lane.queue);
        draw.part(format!("row{index}"), row_class(row), (rect.x, rect.y), of, inner);
    }
}

fn row_class(row: &RowView) -> &'static str {
    match row.state {
        RowState::Idle(_) | RowState::Relock { .. } => "row is-idle",
        _ => "row",
    }
}

fn head(draw: &mut Draw, consumer: &ConsumerView, rect: &Rect, text: StageText) {
    draw.text("name", "card-name", (rect.x + 12.0, rect.y + 21.0), consumer.name.to_string());
    let at = (rect.right() - 10.0, rect.y + 21.0);
    match (consumer.state, consumer.renews_ms) {
        (ConsumerState::Hanging, _) => draw.text("hangs", "card-note", at, text.hanging()),
        (ConsumerState::Gone, _) => draw.text("gone", "card-note", at, text.gone()),
        (ConsumerState::Running, Some(until_ms)) => {
            let renews = Timed { before: text.renews().into(), until_ms, ..Timed::default() };
            draw.timed("renews", "card-note", at, renews);
        }
        (ConsumerState::Running, None) => {}
    }
}

/// Where the n-th consumer without a queue stands: in a lane that nobody has, or below the lanes.
fn free_y(view: &StageView, layout: &Layout, nth: usize) -> f64 {
    let free = view.lanes.iter().zip(&layout.lanes).filter(|(lane, _)| lane.rows.is_empty());
    let free: Vec<f64> = free.map(|(_, rect)| rect.y + (rect.h - 32.0) / 2.0).collect();
    let below = || {
        let behind = nth.saturating_sub(free.len()) as f64;
        layout.cards.bottom() + 8.0 + WAITING_PITCH * behind
    };
    free.get(nth).copied().unwrap_or_else(below)
}

fn waiting_card(draw: &mut Draw, consumer: &ConsumerView, layout: &Layout, text: StageText) {
    let hangs = consumer.state == ConsumerState::Hanging;
    let rect = Rect { x: 0.0, y: 0.0, w: layout.cards.w, h: 32.0 };
    draw.rect("frame", "card-frame", rect, 10.0);
    draw.text("name", "card-name", (12.0, 21.0), consumer.name.to_string());
    let notes = match hangs {
        true => [text.hanging(), text.hanging()],
        false => [text.no_queue(), text.no_queue_brief()],
    };
    // The name is larger than the notes.
    let room = rect.w - 30.0 - 1.3 * room::width(&consumer.name);
    let note = room::fitting(&notes, room).unwrap_or_default();
    draw.text("note", "card-note", (rect.w - 10.0, 21.0), note);
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

/// The row's frame, and whose it is.
fn captions(
    draw: &mut Draw,
    consumer: &ConsumerView,
    lane: &LaneView,
    row: &RowView,
    rect: &Rect,
    (words, first): (Words, bool),
    text: StageText,
) {
    draw.rect("frame", "row-frame", Rect { x: 0.0, y: 0.0, ..*rect }, 8.0);
    let name = || consumer.name.to_string();
    match words {
        Words::Full if !first => {
            let cached = text.cached(text.lane(lane), &i18n::number(i64::from(row.cached)));
            draw.text("cached", "row-caption", (2.0, -10.0), cached);
        }
        Words::Narrow => draw.text("name", "row-name", (2.0, -10.0), name()),
        Words::Compact if first || lane.rows.len() > 1 => {
            draw.text("name", "row-owner", (rect.w - 9.0, rect.h / 2.0 + 4.5), name());
        }
        _ => {}
    }
}

/// Room that a bare countdown and the consumer's name take, in px.
const ROOM_FOR_TIME: f64 = 56.0;

/// Narrowest row of a compact lane that has room for a message's name beside its countdown, in px.
const ROOM_FOR_NAME: f64 = 150.0;

fn row_state(
    draw: &mut Draw,
    lane: &LaneView,
    row: &RowView,
    rect: &Rect,
    (words, room, withheld): (Words, f64, bool),
    text: StageText,
) {
    let middle = rect.h / 2.0 + 4.0;
    match &row.state {
        RowState::Handling { names, until_ms, .. } => {
            let shown = names.len().clamp(1, IN_ROW);
            let x = 54.0 + 40.0 * (shown as f64 - 1.0);
            let left = match (names.len().saturating_sub(IN_ROW), words) {
                // The bare time beside how many more there are.
                (more @ 1.., Words::Full) => Timed {
                    until_ms: *until_ms,
                    after: format!(" · +{more}").into(),
                    ..Timed::default()
                },
                _ => {
                    let alone = shown == 1 && words == Words::Full;
                    let of = alone.then(|| format!(" · {}", text.lane(lane)));
                    let after = text.left_after().to_owned() + &of.unwrap_or_default();
                    Timed {
                        before: text.left_before().into(),
                        until_ms: *until_ms,
                        after: after.into(),
                        ..Timed::default()
                    }
                }
            };
            match words {
                Words::Full => {
                    draw.text("word", "row-word", (x, 17.0), text.handling());
                    draw.timed("left", "row-note", (x, 32.0), left);
                }
                // The bare time, or none, where the consumer's name has the rest of the row.
                Words::Compact if rect.w < ROOM_FOR_NAME => {
                    if x + ROOM_FOR_TIME <= rect.w {
                        let bare = Timed { until_ms: *until_ms, ..Timed::default() };
                        draw.timed("left", "row-note", (x, middle), bare);
                    }
                }
                Words::Compact | Words::Narrow => draw.timed("left", "row-note", (x, middle), left),
            }
        }
        RowState::Suspended { name, from_ms, until_ms } => {
            let ring = (26.0, rect.h / 2.0);
            draw.circle("track", "ring-track", ring, 11.0);
            draw.ring("ring", "ring-left", ring, 11.0, (*from_ms, *until_ms));
            let mut bars = Draw::new();
            bars.path("bars", "ring-bars", "M-2.5 -4v8M2.5 -4v8");
            draw.group("bars", "", ring, bars);
            let label = (!withheld).then_some(&*name.label);
            let again = again(label, *until_ms, text);
            match words {
                Words::Full => {
                    draw.text("word", "row-word", (54.0, 17.0), text.suspended());
                    draw.timed("again", "row-note", (54.0, 32.0), again);
                }
                // Of which message is seen in its lane, where there is no room for its name.
                Words::Compact if rect.w < ROOM_FOR_NAME => {
                    draw.timed("again", "row-note", (46.0, middle), in_a_while(again, text));
                }
                Words::Compact => draw.timed("again", "row-note", (46.0, middle), again),
                Words::Narrow => {
                    let word = label.map_or(text.suspended().to_owned(), |name| text.again(name));
                    draw.text("word", "row-word", (46.0, 17.0), word);
                    draw.timed("again", "row-note", (46.0, 32.0), in_a_while(again, text));
                }
            }
        }
        RowState::Relock { at_ms } => {
            let whole = relock(*at_ms, text);
            let words = format!("{}00.0 s{}", whole.before, whole.after);
            let timed = match room::width(&words) <= room {
                true => whole,
                false => in_a_while(whole, text),
            };
            draw.timed("relock", "row-idle", (12.0, middle), timed);
        }
        RowState::Idle(idle) => {
            let ways = [idle_text(*idle, words == Words::Full, text), idle_brief(*idle, text)];
            let said = room::fitting(&ways, room).unwrap_or_default();
            draw.text("idle", "row-idle", (12.0, middle), said);
        }
    }
}

/// The same without the message's name.
fn in_a_while(again: Timed, text: StageText) -> Timed {
    Timed { before: text.in_before().into(), after: text.in_after().into(), ..again }
}

/// When a message is handled again; without its name while a question is open, which it may answer.
pub fn again(label: Option<&str>, until_ms: i64, text: StageText) -> Timed {
    let whole = Timed {
        before: label.map(|label| text.again_before(label)).unwrap_or_default().into(),
        until_ms,
        after: text.again_after().into(),
        ..Timed::default()
    };
    match label {
        Some(_) => whole,
        None => in_a_while(whole, text),
    }
}

/// When a lock is asked for again.
pub fn relock(until_ms: i64, text: StageText) -> Timed {
    Timed {
        before: text.relock_before().into(),
        until_ms,
        after: text.relock_after().into(),
        ..Timed::default()
    }
}

/// The same in a word, where a name stands beside it.
fn idle_brief(idle: Idle, text: StageText) -> &'static str {
    match idle {
        Idle::NothingToPull => text.idle_short(),
        Idle::NotPulledYet => text.not_pulled_brief(),
        Idle::NotCommitted => text.not_committed_brief(),
        Idle::NoLock => text.waits_lock_brief(),
        Idle::NoThread => text.no_thread_brief(),
        Idle::Leaving => text.leaving_brief(),
        Idle::Paused => text.paused(),
        Idle::Still => text.still(),
    }
}

/// Why a row is idle, in words; short where rows are narrow.
pub fn idle_text(idle: Idle, full: bool, text: StageText) -> &'static str {
    match idle {
        Idle::NothingToPull if full => text.idle(),
        Idle::NothingToPull => text.idle_short(),
        Idle::NotPulledYet => text.not_pulled(),
        Idle::NotCommitted if full => text.not_committed(),
        Idle::NotCommitted => text.not_committed_short(),
        Idle::NoLock => text.waits_lock(),
        Idle::NoThread => text.no_thread(),
        Idle::Leaving => text.leaving(),
        Idle::Paused => text.paused(),
        Idle::Still => text.still(),
    }
}
