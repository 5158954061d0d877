//! More queues than lanes fit: one strip for each, over the last minute, darker where more
//! messages waited. A selected strip is opened as a lane.

use std::collections::BTreeSet;
use std::rc::Rc;

use lockstep_core::ids::{MessageQueue, Ms};
use lockstep_core::view::history::{Run, STEPS};
use lockstep_core::view::stage::{LaneView, LockView, StageView, STRIP_MS};
use lockstep_core::view::Subject;
use yew::prelude::*;

use super::lane::{Columns, Lane};
use super::layout::{Layout, Rect, StripColumn, FIRST_STRIP_Y, GUTTER};
use super::room;
use super::svg::{num, subject_id, Path};
use crate::i18n;
use crate::i18n::stage::StageText;
use crate::ui::draw::{classes, Draw};

/// Slots of a strip that is opened as a lane.
pub const OPENED_COLUMNS: usize = 10;

/// The class of each of the steps of darkness.
const SHADES: [&str; 6] = ["shade-0", "shade-1", "shade-2", "shade-3", "shade-4", "shade-5"];

/// Waiting messages for one pixel of the bar behind a strip, and its longest.
const BAR: (f64, f64) = (23.0, 44.0);

/// All queues as strips.
pub fn strips(
    draw: &mut Draw,
    view: &StageView,
    parting: &BTreeSet<MessageQueue>,
    layout: &Layout,
    text: StageText,
) {
    let stored: i64 = view.lanes.iter().map(|lane| lane.max - lane.min).sum();
    let topic = view.topic.as_ref().map(|topic| {
        let kind = super::shelf::kind_name(topic.kind);
        let (queues, stored) =
            (text.queues(topic.write_queues), text.messages(&i18n::number(stored)));
        format!("{} · {kind} · {queues} · {stored}", topic.name)
    });
    let topic = topic.unwrap_or_default();
    let end = GUTTER + room::width(text.broker()) + room::width(&topic) + 20.0;
    draw.text_with_note(
        "heading",
        "heading",
        (GUTTER, 28.0),
        text.broker(),
        ("heading-note", topic),
    );
    scale(draw, layout, end, text);
    for column in &layout.strips {
        let mut inner = Draw::new();
        strip_column(&mut inner, column, (view, parting), text);
        draw.group(column.first, "", (0.0, 0.0), inner);
    }
    for (lane, rect) in
        view.lanes.iter().zip(&layout.lanes).filter(|(lane, _)| !lane.slots.is_empty())
    {
        let key = subject_id(Subject::Queue(lane.queue));
        draw.node(html! {
            <Lane {key} lane={lane.clone()} rect={*rect} style={layout.style} columns={Columns::of(lane, &layout.style)}
                compact={false} selected={true} marked={None::<lockstep_core::ids::MsgId>} locale={text.0} />
        });
    }
}

/// What the darkness means, where there is room behind the heading's end.
fn scale(draw: &mut Draw, layout: &Layout, end: f64, text: StageText) {
    let left = layout.width - GUTTER - 310.0;
    if left - room::width(text.waiting_word()) - 16.0 < end {
        return;
    }
    let mut inner = Draw::new();
    inner.text("word", "small end", (-8.0, 28.0), text.waiting_word());
    for (i, (from, shade)) in STEPS.iter().zip(SHADES).enumerate() {
        let mut step = Draw::new();
        let rect = Rect { x: 0.0, y: 17.0, w: 30.0, h: 14.0 };
        step.rect("ground", "strip-ground", rect, 0.0);
        step.rect("shade", shade, rect, 0.0);
        step.text("from", "tick", (15.0, 45.0), from.to_string());
        inner.group(i, "", (32.0 * i as f64, 0.0), step);
    }
    inner.rect("hatch", "strip-hatch", Rect { x: 206.0, y: 17.0, w: 30.0, h: 14.0 }, 0.0);
    inner.text("still", "small", (242.0, 28.0), text.stands_still());
    draw.group("scale", "", (left, 0.0), inner);
}

fn strip_column(
    draw: &mut Draw,
    column: &StripColumn,
    (view, parting): (&StageView, &BTreeSet<MessageQueue>),
    text: StageText,
) {
    let Some(first) = column.strips.first() else { return };
    let y = FIRST_STRIP_Y - 9.0;
    for (key, seconds) in [("60", 60.0), ("45", 45.0), ("30", 30.0), ("15", 15.0)] {
        let x = first.right() - first.w * seconds / 60.0;
        draw.text(key, "tick-left", (x, y), format!("\u{2212}{key} s"));
    }
    draw.text("now", "strip-lag", (first.right(), y), text.now());
    if column.stored_w > 0.0 {
        draw.text(
            "stored",
            "strip-lag",
            (first.right() + column.stored_w - 4.0, y),
            text.stored_word(),
        );
    }
    let stored_w = column.stored_w;
    draw.text("lag", "strip-lag", (first.right() + stored_w + 36.0, y), text.lag_word());
    let lanes = || view.lanes.iter().skip(column.first).zip(&column.strips);
    for (lane, rect) in lanes() {
        let (queue, name, lag) = (lane.queue, Rc::clone(&lane.name), lane.lag());
        let (still, rect, stored) = (lane.stands.is_some(), *rect, lane.max - lane.min);
        let (key, parts) = (subject_id(Subject::Queue(queue)), parting.contains(&queue));
        draw.node(html! { <Strip {key} {queue} {name} {lag} {stored} {stored_w} {still} {parts} {rect} /> });
    }
    shades(draw, &column.strips, lanes(), view.now_ms);
    for (lane, rect) in lanes().filter(|(lane, _)| lane.stands.is_some()) {
        let since = lane.since_ms.unwrap_or(view.now_ms);
        let share = ((view.now_ms - since) as f64 / STRIP_MS as f64).clamp(0.0, 1.0);
        let class = classes("strip-hatch", &[(lane.lag() >= STEPS[1], "is-light")]);
        let mut inner = Draw::new();
        let still = Rect { x: rect.right() - rect.w * share, w: rect.w * share, ..*rect };
        inner.rect("still", class, still, 0.0);
        let key = format!("still-{}", subject_id(Subject::Queue(lane.queue)));
        draw.group(key, "", (0.0, 0.0), inner);
    }
    owners(draw, lanes(), (column.x, stored_w), text);
}

/// Properties of [`Strip`].
#[derive(Clone, PartialEq, Properties)]
struct StripProps {
    queue: MessageQueue,
    name: Rc<str>,
    lag: i64,
    stored: i64,
    stored_w: f64,
    still: bool,
    parts: bool,
    rect: Rect,
}

/// What of a strip does not go with time.
#[component]
fn Strip(props: &StripProps) -> Html {
    let StripProps { queue, name, lag, stored, stored_w, still, parts, rect } = props;
    let (base, middle) = (rect.middle() + 4.0, rect.middle());
    let mut inner = Draw::new();
    inner.text("name", "strip-name", (rect.x - 8.0, base), name.to_string());
    inner.rect("ground", "strip-ground", *rect, 0.0);
    let behind = rect.right() + stored_w;
    if *stored_w > 0.0 {
        inner.text("stored", "strip-lag", (behind - 4.0, base), i18n::number(*stored));
    }
    inner.text("lag", "strip-lag", (behind + 36.0, base), i18n::number(*lag));
    let bar =
        Rect { x: behind + 45.0, y: middle - 4.0, w: (*lag as f64 / BAR.0).min(BAR.1), h: 8.0 };
    inner.rect("bar", "strip-bar", bar, 0.0);
    if *parts {
        inner.path("differs", "differs", Path::at(rect.x - 3.0, rect.y).v(rect.bottom()).done());
    }
    let states = [(*still, "stands-still"), (*parts, "is-different")];
    let (id, class) = (Subject::Queue(*queue), classes("strip", &states));
    let mut outer = Draw::new();
    outer.thing("strip", class, (0.0, 0.0), Some(id), inner);
    outer.finish()
}

/// The darkness of all strips of a column. It goes to the left with time as one group behind a
/// window, so that a strip is drawn anew only when it grows darker or lighter.
fn shades<'a>(
    draw: &mut Draw,
    strips: &[Rect],
    lanes: impl Iterator<Item = (&'a LaneView, &'a Rect)>,
    now_ms: Ms,
) {
    let (Some(first), Some(last)) = (strips.first(), strips.last()) else { return };
    let base_ms = now_ms - now_ms.rem_euclid(STRIP_MS);
    let mut all = Draw::new();
    for (lane, rect) in lanes {
        let runs = open_ended(&lane.history, now_ms);
        let (y, w, h) = (rect.y - first.y, rect.w, rect.h);
        let key = subject_id(Subject::Queue(lane.queue));
        all.node(html! { <Shades {key} {runs} {base_ms} {y} {w} {h} /> });
    }
    let mut moved = Draw::new();
    let passed = (now_ms - base_ms) as f64 / STRIP_MS as f64;
    moved.group("moved", "", (first.w * (1.0 - passed), 0.0), all);
    draw.node(html! {
        <svg key="shades" class="strip-window" x={num(first.x)} y={num(first.y)} width={num(first.w)} height={num(last.bottom() - first.y)}>
            { moved.finish() }
        </svg>
    });
}

/// Runs whose ends at the edges of the strip are left open, so that time alone does not change them.
fn open_ended(runs: &[Run], now_ms: Ms) -> Vec<Run> {
    let open = |run: &Run| Run {
        from_ms: if run.from_ms <= now_ms - STRIP_MS { Ms::MIN } else { run.from_ms },
        until_ms: if run.until_ms >= now_ms { Ms::MAX } else { run.until_ms },
        step: run.step,
    };
    runs.iter().map(open).collect()
}

/// Properties of [`Shades`].
#[derive(Clone, PartialEq, Properties)]
struct ShadesProps {
    runs: Vec<Run>,
    base_ms: Ms,
    y: f64,
    w: f64,
    h: f64,
}

/// The darkness of one strip: a path for each step.
#[component]
fn Shades(props: &ShadesProps) -> Html {
    let ShadesProps { runs, base_ms, y, w, h } = props;
    // What is open ends beyond the window, wherever it is within a strip's time.
    let x = |ms: Ms| match ms {
        Ms::MIN => -2.0 * w,
        Ms::MAX => 2.0 * w,
        ms => w * (ms - base_ms) as f64 / STRIP_MS as f64,
    };
    let mut draw = Draw::new();
    for (step, shade) in SHADES.into_iter().enumerate() {
        let mut path: Option<Path> = None;
        for run in runs.iter().filter(|run| run.step == step) {
            let (from, until) = (x(run.from_ms), x(run.until_ms));
            let begun = match path {
                Some(path) => path.m(from, *y),
                None => Path::at(from, *y),
            };
            path = Some(begun.h(until).v(y + h).h(from));
        }
        if let Some(path) = path {
            draw.path(shade, shade, path.z());
        }
    }
    draw.finish()
}

/// Brackets around neighbouring strips of one owner: on the left, or on the right when it is gone.
fn owners<'a>(
    draw: &mut Draw,
    strips: impl Iterator<Item = (&'a LaneView, &'a Rect)>,
    (x, stored_w): (f64, f64),
    text: StageText,
) {
    let mut brackets: Vec<(&str, bool, Rect)> = Vec::new();
    for (lane, rect) in strips {
        let LockView::Held { name, gone, .. } = &lane.lock else { continue };
        match brackets.last_mut() {
            Some((last, was, around))
                if *last == &**name && was == gone && rect.y - around.bottom() < 8.0 =>
            {
                around.h = rect.bottom() - around.y;
            }
            _ => brackets.push((name, *gone, *rect)),
        }
    }
    for (i, (name, gone, around)) in brackets.into_iter().enumerate() {
        let (top, bottom, middle) = (around.y + 1.0, around.bottom() - 1.0, around.middle());
        let (at, ear) =
            if gone { (around.right() + stored_w + 98.0, -5.0) } else { (x + 40.0, 5.0) };
        let mut inner = Draw::new();
        inner.path("bracket", "bracket", Path::at(at + ear, top).dh(-ear).v(bottom).dh(ear).done());
        if gone {
            inner.text("name", "owner-name", (at + 6.0, middle - 2.0), name.to_owned());
            inner.text("gone", "tick-left", (at + 6.0, middle + 12.0), text.gone());
        } else {
            inner.text("name", "owner-name end", (at - 7.0, middle + 4.0), name.to_owned());
        }
        draw.group(format!("owner{i}"), classes("owner", &[(gone, "is-gone")]), (0.0, 0.0), inner);
    }
}
