//! More queues than lanes fit: one strip for each, over the last minute, darker where more
//! messages waited. A selected strip is opened as a lane.

use lockstep_core::view::history::STEPS;
use lockstep_core::view::stage::{LaneView, LockView, StageView, STRIP_MS};
use lockstep_core::view::Subject;
use yew::prelude::*;

use super::lane::{Columns, Lane};
use super::layout::{Layout, Rect, StripColumn, FIRST_STRIP_Y, GUTTER};
use super::svg::{subject_id, Path};
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
pub fn strips(draw: &mut Draw, view: &StageView, layout: &Layout, text: StageText) {
    let stored: i64 = view.lanes.iter().map(|lane| lane.max - lane.min).sum();
    let topic = view.topic.as_ref().map(|topic| {
        let kind = super::shelf::kind_name(topic.kind);
        let (queues, stored) =
            (text.queues(topic.write_queues), text.messages(&i18n::number(stored)));
        format!("{} · {kind} · {queues} · {stored}", topic.name)
    });
    let note = ("heading-note", topic.unwrap_or_default());
    draw.text_with_note("heading", "heading", (GUTTER, 28.0), text.broker(), note);
    scale(draw, layout, text);
    for column in &layout.strips {
        let mut inner = Draw::new();
        strip_column(&mut inner, column, view, text);
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

/// What the darkness means.
fn scale(draw: &mut Draw, layout: &Layout, text: StageText) {
    let left = layout.width - GUTTER - 310.0;
    if left < 390.0 {
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

fn strip_column(draw: &mut Draw, column: &StripColumn, view: &StageView, text: StageText) {
    let Some(first) = column.strips.first() else { return };
    let y = FIRST_STRIP_Y - 9.0;
    for (key, seconds) in [("60", 60.0), ("45", 45.0), ("30", 30.0), ("15", 15.0)] {
        let x = first.right() - first.w * seconds / 60.0;
        draw.text(key, "tick-left", (x, y), format!("\u{2212}{key} s"));
    }
    draw.text("now", "strip-lag", (first.right(), y), text.now());
    draw.text("lag", "strip-lag", (first.right() + 36.0, y), text.lag_word());
    let lanes = || view.lanes.iter().skip(column.first).zip(&column.strips);
    for (lane, rect) in lanes() {
        let still = lane.stands.is_some();
        let mut inner = Draw::new();
        strip(&mut inner, lane, rect, view.now_ms);
        let (id, class) =
            (Subject::Queue(lane.queue), classes("strip", &[(still, "stands-still")]));
        draw.thing(subject_id(id), class, (0.0, 0.0), Some(id), inner);
    }
    owners(draw, lanes(), column.x, text);
}

fn strip(draw: &mut Draw, lane: &LaneView, rect: &Rect, now_ms: i64) {
    let x_of =
        |ms: i64| rect.right() - rect.w * ((now_ms - ms) as f64 / STRIP_MS as f64).clamp(0.0, 1.0);
    let part = |from: f64, until: f64| Rect { x: from, w: until - from, ..*rect };
    let lag = lane.lag();
    let (base, middle) = (rect.middle() + 4.0, rect.middle());
    draw.text("name", "strip-name", (rect.x - 8.0, base), lane.name.to_string());
    draw.rect("ground", "strip-ground", *rect, 0.0);
    for run in &lane.history {
        let mut inner = Draw::new();
        inner.rect("shade", SHADES[run.step], part(x_of(run.from_ms), x_of(run.until_ms)), 0.0);
        draw.group(run.from_ms, "", (0.0, 0.0), inner);
    }
    if lane.stands.is_some() {
        let class = classes("strip-hatch", &[(lag >= STEPS[1], "is-light")]);
        draw.rect("still", class, part(x_of(lane.since_ms.unwrap_or(now_ms)), rect.right()), 0.0);
    }
    draw.text("lag", "strip-lag", (rect.right() + 36.0, base), i18n::number(lag));
    let bar = Rect {
        x: rect.right() + 45.0,
        y: middle - 4.0,
        w: (lag as f64 / BAR.0).min(BAR.1),
        h: 8.0,
    };
    draw.rect("bar", "strip-bar", bar, 0.0);
}

/// Brackets around neighbouring strips of one owner: on the left, or on the right when it is gone.
fn owners<'a>(
    draw: &mut Draw,
    strips: impl Iterator<Item = (&'a LaneView, &'a Rect)>,
    x: f64,
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
        let (at, ear) = if gone { (around.right() + 98.0, -5.0) } else { (x + 40.0, 5.0) };
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
