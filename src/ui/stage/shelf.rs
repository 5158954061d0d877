//! The delay shelf, folded topics and the tray of dead letters.

use lockstep_core::command::TopicType;
use lockstep_core::view::stage::{FoldedView, LevelView, ShelfView, StageView};
use lockstep_core::view::Subject;

use super::layout::{Density, Layout, Rect};
use super::room;
use super::shows::Shows;
use super::svg::Path;
use crate::i18n;
use crate::i18n::stage::StageText;
use crate::ui::draw::{Draw, Timed};

/// Width of a level that holds something.
const USED_W: f64 = 104.0;
/// Least width of an empty level.
const LEAST_W: f64 = 28.0;
/// A narrower shelf gives its empty levels no more than their ticks.
const NARROW_W: f64 = 420.0;
/// Width of a tick with room beside it.
const TICK_W: f64 = 8.0;
/// What the words about what is due next take, with room before them.
const DUE_W: f64 = 200.0;
/// From so many levels on only every second duration is written.
const MANY_LEVELS: usize = 28;

/// Left edge and width of each level on the shelf.
pub fn columns(shelf: &ShelfView, rect: &Rect) -> Vec<(f64, f64)> {
    let used = shelf.levels.iter().filter(|level| level.count > 0).count() as f64;
    let empty = shelf.levels.len() as f64 - used;
    let least = if rect.w < NARROW_W { TICK_W } else { LEAST_W };
    // When everything does not fit, boxes give up what they have more than the least.
    let used_w =
        if used > 0.0 { ((rect.w - empty * least) / used).clamp(60.0, USED_W) } else { USED_W };
    let empty_w =
        if empty > 0.0 { ((rect.w - used * used_w) / empty).max(least.min(12.0)) } else { 0.0 };
    let mut x = rect.x;
    let column = |level: &LevelView| {
        let w = if level.count > 0 { used_w } else { empty_w };
        let left = x;
        x += w;
        (left, w)
    };
    shelf.levels.iter().map(column).collect()
}

/// The shelf.
pub fn shelf(draw: &mut Draw, view: &StageView, layout: &Layout, text: StageText) {
    let Some(rect) = layout.shelf else { return line(draw, view, layout, text) };
    if layout.density == Density::Phone {
        // The topic's name would stand in the way of what is due next.
        draw.text("heading", "heading", (rect.x, rect.y), text.delay_levels());
    } else {
        let note = ("mono heading-note", "SCHEDULE_TOPIC_XXXX".to_owned());
        draw.text_with_note("heading", "heading", (rect.x, rect.y), text.delay_levels(), note);
    }
    next_due(draw, view, (rect.right(), rect.y), text);
    draw.path("axis", "axis", Path::at(rect.x, rect.bottom()).h(rect.right()).done());
    let columns = columns(&view.shelf, &rect);
    let written = written(&view.shelf, &columns);
    for ((level, &(x, w)), written) in view.shelf.levels.iter().zip(&columns).zip(written) {
        let mut inner = Draw::new();
        level_parts(&mut inner, level, w, written, text);
        let class = if level.count > 0 { "level is-used" } else { "level" };
        draw.thing(
            format!("l{}", level.level),
            class,
            (x, rect.bottom()),
            Some(Subject::Level(level.level)),
            inner,
        );
    }
    // A phone has no room beside its lanes.
    if layout.density != Density::Phone {
        put_back(draw, view, layout, &rect, text);
    }
}

/// Which levels are written out: those that hold something, and of the others as many as do not run
/// into each other.
fn written(shelf: &ShelfView, columns: &[(f64, f64)]) -> Vec<bool> {
    let every = if shelf.levels.len() >= MANY_LEVELS { 2 } else { 1 };
    let taken = |level: &LevelView, (x, w): (f64, f64)| {
        let half = room::width(&level.text) / 2.0 + 3.0;
        (x + w / 2.0 - half, x + w / 2.0 + half)
    };
    let all = || shelf.levels.iter().zip(columns).map(|(level, column)| (level, *column));
    let held = all().filter(|(level, _)| level.count > 0);
    let mut rooms: Vec<(f64, f64)> = held.map(|(level, column)| taken(level, column)).collect();
    let write = |(i, (level, column)): (usize, (&LevelView, (f64, f64)))| {
        if level.count > 0 {
            return true;
        }
        let room = taken(level, column);
        let free = i % every == 0 && rooms.iter().all(|r| room.1 <= r.0 || room.0 >= r.1);
        if free {
            rooms.push(room);
        }
        free
    };
    all().enumerate().map(write).collect()
}

/// What is due next, and when.
fn next_due(draw: &mut Draw, view: &StageView, at: (f64, f64), text: StageText) {
    match &view.shelf.next {
        Some((name, until_ms)) => {
            let before = match view.withheld {
                true => text.next_due().to_owned(),
                false => text.next_due_before(&name.label),
            };
            let after = text.next_due_after();
            let due = Timed {
                before: before.into(),
                until_ms: *until_ms,
                after: after.into(),
                ..Timed::default()
            };
            draw.timed("due", "small end", at, due);
        }
        None => draw.text("no-due", "small end", at, text.nothing_scheduled()),
    }
}

/// The shelf in one line of counts, where there is no room for it.
fn line(draw: &mut Draw, view: &StageView, layout: &Layout, text: StageText) {
    let Some(y) = layout.shelf_line else { return };
    let held = view.shelf.levels.iter().filter(|level| level.count > 0);
    let name = |level: &LevelView| match level.level {
        0 => text.wheel().to_owned(),
        _ => level.text.to_string(),
    };
    let held: Vec<String> = held.map(|level| format!("{} ×{}", name(level), level.count)).collect();
    // Beside it, below the consumers, the tray may stand.
    let (x, right) = layout.lanes.first().map_or((20.0, 412.0), |lane| (lane.x, lane.right()));
    let room = right - x - room::width(text.delay_levels()) - DUE_W;
    let mut note = text.held_levels(&held.join(", "));
    if room::width(&note) > room {
        let all: u32 = view.shelf.levels.iter().map(|level| level.count).sum();
        note = format!("×{all}");
    }
    draw.text_with_note("heading", "heading", (x, y), text.delay_levels(), ("heading-note", note));
    next_due(draw, view, (right, y), text);
}

/// A level, seen from the left end of its piece of the axis.
fn level_parts(draw: &mut Draw, level: &LevelView, w: f64, written: bool, text: StageText) {
    let middle = w / 2.0;
    draw.rect("hit", "level-hit", Rect { x: 0.0, y: -4.0, w, h: 36.0 }, 0.0);
    draw.path("tick", "tick-mark", Path::at(middle, 0.0).dv(4.0).done());
    if written {
        // The timer wheel has no number.
        let wheel = level.level == 0;
        let name = if wheel { text.wheel().to_owned() } else { level.text.to_string() };
        let number = if wheel { "\u{2013}".to_owned() } else { level.level.to_string() };
        draw.text("text", "level-text", (middle, 17.0), name);
        draw.text("number", "level-number", (middle, 32.0), number);
    }
    let Some(due_ms) = level.due_ms.filter(|_| level.count > 0) else { return };
    let box_w = (w - 3.0).min(101.0);
    let mut inner = Draw::new();
    inner.rect("frame", "box-frame", Rect { x: 0.0, y: 0.0, w: box_w, h: 58.5 }, 8.0);
    inner.circle("track", "ring-track", (16.0, 14.0), 5.5);
    inner.ring("ring", "ring-left", (16.0, 14.0), 5.5, (due_ms - level.delay_ms, due_ms));
    inner.timed("left", "box-left", (27.0, 18.0), Timed { until_ms: due_ms, ..Timed::default() });
    if level.count > 2 {
        inner.text("more", "tick-left end", (box_w - 8.0, 18.0), format!("+{}", level.count - 2));
    }
    draw.group("box", "", ((w - box_w) / 2.0, -60.0), inner);
}

/// The dashed path from the shelf to where messages are put back.
fn put_back(draw: &mut Draw, view: &StageView, layout: &Layout, rect: &Rect, text: StageText) {
    let Some(last) = layout.lanes.last() else { return };
    if view.shelf.levels.iter().all(|level| level.count == 0) {
        return;
    }
    let x = layout.put_back_x();
    // What is due next goes back into its own queue, or into a topic whose queues are not drawn.
    let own = view.shelf.lane.and_then(|lane| layout.lanes.get(lane));
    let lane = own.or(layout.folded.first()).unwrap_or(last);
    let target = match own {
        Some(lane) => lane.y + layout.style.write_y,
        None => layout.folded.first().map_or(lane.bottom() - 12.0, Rect::middle),
    };
    let dashes =
        Path::at(x, rect.y + 52.0).v(target + 6.0).arc(6.0, 6.0, -6.0).h(lane.x - 7.0).done();
    draw.path("put-back", "put-back", dashes);
    draw.path(
        "put-back-arrow",
        "put-back-arrow",
        Path::at(lane.x - 7.0, target - 4.0).l(5.0, 4.0).l(-5.0, 4.0).done(),
    );
    if !text_collides(view, rect, x) {
        draw.text("put-back-text", "small", (x + 10.0, rect.y + 43.0), text.put_back());
    }
}

/// True when a box of the shelf stands where the words of the path would.
fn text_collides(view: &StageView, rect: &Rect, x: f64) -> bool {
    let columns = columns(&view.shelf, rect);
    view.shelf
        .levels
        .iter()
        .zip(&columns)
        .any(|(level, &(left, w))| level.count > 0 && left < x + 130.0 && left + w > x)
}

/// Folded topics.
pub fn folded(draw: &mut Draw, view: &StageView, layout: &Layout, text: StageText) {
    for (topic, rect) in view.folded.iter().zip(&layout.folded) {
        let mut inner = Draw::new();
        inner.rect("frame", "lane-frame", Rect { x: 0.0, y: 0.0, ..*rect }, 8.0);
        inner.path("mark", "fold-mark", "M13 9l4 4-4 4");
        let note = ("heading-note", fold_note(topic, text));
        inner.text_with_note("text", "heading", (28.0, 17.5), &topic.name, note);
        draw.choice(&*topic.name, "folded", (rect.x, rect.y), Shows::Topic(topic.id), inner);
    }
    if let Some(rect) = layout.halves {
        let mut inner = Draw::new();
        inner.rect("frame", "tray-frame", Rect { x: 0.0, y: 0.0, ..rect }, 8.0);
        let note = ("heading-note", i18n::number(i64::from(view.halves)));
        inner.text_with_note("text", "heading", (12.0, 17.5), text.half_messages(), note);
        draw.group("halves", "folded", (rect.x, rect.y), inner);
    }
}

/// What is said of a folded topic beside its name.
pub fn fold_note(topic: &FoldedView, text: StageText) -> String {
    let kind = kind_name(topic.kind);
    let queues = text.queues(topic.queues);
    let number = |count: u32| i18n::number(i64::from(count));
    let state = match (topic.stored, topic.waiting) {
        (0, _) if topic.scheduled + topic.halves > 0 => None,
        (0, _) => Some(text.empty_topic().to_owned()),
        (_, Some(waiting)) => Some(text.waiting(&number(waiting))),
        (stored, None) => Some(text.stored(&number(stored))),
    };
    // What nobody can read yet lies in no queue, and is the topic's all the same.
    let scheduled = (topic.scheduled > 0).then(|| text.on_time(&number(topic.scheduled)));
    let halves = (topic.halves > 0).then(|| text.half(topic.halves));
    let parts = [Some(kind.to_owned()), Some(queues), state, scheduled, halves];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// A topic type as RocketMQ writes it.
pub fn kind_name(kind: TopicType) -> &'static str {
    match kind {
        TopicType::Normal => "NORMAL",
        TopicType::Fifo => "FIFO",
        TopicType::Delay => "DELAY",
        TopicType::Transaction => "TRANSACTION",
        TopicType::Mixed => "MIXED",
    }
}

/// The tray of dead letters; its tokens are drawn with all others.
pub fn tray(draw: &mut Draw, view: &StageView, layout: &Layout, text: StageText) {
    let Some(rect) = layout.tray else { return };
    let tray = &view.tray;
    let mut inner = Draw::new();
    inner.rect("frame", "tray-frame", Rect { x: 0.0, y: 0.0, ..rect }, 10.0);
    let count = if tray.count > 0 { tray.count.to_string() } else { String::new() };
    inner.text_with_note(
        "heading",
        "heading",
        (12.0, 21.0),
        text.dead_letters(),
        ("heading-note", count),
    );
    inner.text("topic", "mono", (12.0, 39.0), tray.topic.to_string());
    if tray.count == 0 {
        let empty = match tray.limit.is_some() || !tray.elsewhere.is_empty() {
            true => text.tray_empty(),
            false => text.tray_unlimited(),
        };
        let limit = tray.limit.map(|limit| text.tray_limit(limit)).unwrap_or_default();
        let mut y = 67.0;
        for (key, line) in ["line-0", "line-1", "line-2"].into_iter().zip(empty) {
            if !line.is_empty() {
                inner.text(key, "small", (12.0, y), line);
                y += 16.0;
            }
        }
        inner.text("limit", "small", (12.0, y), limit);
        if let Some((group, count)) = tray.elsewhere.first() {
            let more = tray.elsewhere.len() - 1;
            let y = y + if tray.limit.is_some() { 20.0 } else { 4.0 };
            inner.text("elsewhere", "small", (12.0, y), text.tray_elsewhere(group, *count, more));
        }
    } else if tray.count > 8 {
        inner.text("more", "tick-left", (12.0, rect.h - 10.0), format!("+{}", tray.count - 8));
    }
    draw.group("tray", "", (rect.x, rect.y), inner);
}
