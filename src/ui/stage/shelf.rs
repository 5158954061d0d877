//! The delay shelf, folded topics and the tray of dead letters.

use lockstep_core::command::TopicType;
use lockstep_core::view::stage::{FoldedView, LevelView, ShelfView, StageView};
use lockstep_core::view::Subject;
use yew::prelude::*;

use super::consumer::timed;
use super::layout::{Layout, Rect};
use super::svg::{num, subject_id, translate};
use crate::i18n;
use crate::i18n::stage::StageText;

/// Width of a level that holds something.
const USED_W: f64 = 104.0;
/// Least width of an empty level.
const LEAST_W: f64 = 28.0;
/// From so many levels on only every second duration is written.
const MANY_LEVELS: usize = 28;

/// Left edge and width of each level on the shelf.
pub fn columns(shelf: &ShelfView, rect: &Rect) -> Vec<(f64, f64)> {
    let used = shelf.levels.iter().filter(|level| level.count > 0).count() as f64;
    let empty = shelf.levels.len() as f64 - used;
    // When everything does not fit, boxes give up what they have more than the least.
    let used_w =
        if used > 0.0 { ((rect.w - empty * LEAST_W) / used).clamp(60.0, USED_W) } else { USED_W };
    let empty_w = if empty > 0.0 { ((rect.w - used * used_w) / empty).max(12.0) } else { 0.0 };
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
pub fn shelf(view: &StageView, layout: &Layout, text: StageText) -> Html {
    let Some(rect) = layout.shelf else { return line(view, layout, text) };
    let axis = rect.bottom();
    let columns = columns(&view.shelf, &rect);
    let every = if view.shelf.levels.len() >= MANY_LEVELS { 2 } else { 1 };
    let levels = view.shelf.levels.iter().zip(&columns).enumerate().map(|(i, (level, &(x, w)))| {
        level_html(level, x, w, axis, (i % every == 0) || level.count > 0)
    });
    html! {
        <g class="shelf">
            <text class="heading" key="heading" x={num(rect.x)} y={num(rect.y)}>
                <tspan key="name">{ text.delay_levels() }</tspan>
                <tspan key="topic" class="mono heading-note" dx="8">{ "SCHEDULE_TOPIC_XXXX" }</tspan>
            </text>
            <text class="small end" key="next" x={num(rect.right())} y={num(rect.y)}>
                {
                    match &view.shelf.next {
                        Some((name, due)) => timed(&text.next_due_before(&name.label), *due, text.next_due_after()),
                        None => html! { <tspan key="none">{ text.nothing_scheduled() }</tspan> },
                    }
                }
            </text>
            <path class="axis" key="axis" d={format!("M{} {}H{}", num(rect.x), num(axis), num(rect.right()))} />
            <g key="levels">{ for levels }</g>
            <g key="path">{ put_back(view, layout, &rect, text) }</g>
        </g>
    }
}

/// The shelf in one line of counts, where there is no room for it.
fn line(view: &StageView, layout: &Layout, text: StageText) -> Html {
    let Some(y) = layout.shelf_line else { return Html::default() };
    let held = view.shelf.levels.iter().filter(|level| level.count > 0);
    let held: Vec<String> = held.map(|level| format!("{} ×{}", level.text, level.count)).collect();
    let x = layout.lanes.first().map_or(20.0, |lane| lane.x);
    html! {
        <g class="shelf">
            <text class="heading" x={num(x)} y={num(y)}>
                <tspan key="name">{ text.delay_levels() }</tspan>
                <tspan key="held" class="heading-note" dx="8">{ text.held_levels(&held.join(", ")) }</tspan>
            </text>
            if let Some((name, due)) = &view.shelf.next {
                <text class="small end" x={num(layout.cards.right())} y={num(y)}>{ timed(&text.next_due_before(&name.label), *due, text.next_due_after()) }</text>
            }
        </g>
    }
}

fn level_html(level: &LevelView, x: f64, w: f64, axis: f64, written: bool) -> Html {
    let middle = x + w / 2.0;
    let used = level.count > 0;
    let more = level.count.saturating_sub(2);
    let box_w = (w - 3.0).min(101.0);
    html! {
        <g key={level.level.to_string()} class={classes!("level", used.then_some("is-used"))}
            data-subject={subject_id(Subject::Level(level.level))}>
            <rect class="level-hit" x={num(x)} y={num(axis - 4.0)} width={num(w)} height="36" />
            <path class="tick-mark" d={format!("M{} {}v4", num(middle), num(axis))} />
            if written {
                <text class="level-text" x={num(middle)} y={num(axis + 17.0)}>{ level.text.to_string() }</text>
                <text class="level-number" x={num(middle)} y={num(axis + 32.0)}>{ level.level }</text>
            }
            if let (true, Some(due)) = (used, level.due_ms) {
                <g class="level-box" transform={translate(x + (w - box_w) / 2.0, axis - 60.0)}>
                    <rect class="box-frame" width={num(box_w)} height="58.5" rx="8" />
                    <circle class="ring-track" cx="16" cy="14" r="5.5" />
                    <circle class="ring-left" r="5.5" pathLength="100" transform="translate(16 14) rotate(-90)"
                        data-ring-from={(due - level.delay_ms).to_string()} data-ring-until={due.to_string()} />
                    <text class="box-left" x="27" y="18" data-left={due.to_string()}></text>
                    if more > 0 { <text class="tick end" x={num(box_w - 8.0)} y="18">{ format!("+{more}") }</text> }
                </g>
            }
        </g>
    }
}

/// The dashed path from the shelf to where messages are put back.
fn put_back(view: &StageView, layout: &Layout, rect: &Rect, text: StageText) -> Html {
    let Some(lane) = layout.lanes.last() else { return Html::default() };
    let used = view.shelf.levels.iter().any(|level| level.count > 0);
    if !used {
        return Html::default();
    }
    let x = lane.x - 16.0;
    let target = layout.folded.first().map_or(lane.bottom() - 12.0, Rect::middle);
    let d = format!("M{} {}V{}a6 6 0 0 1 6-6h3", num(x), num(rect.y + 52.0), num(target + 6.0));
    let arrow = format!("M{} {}l5 4l-5 4", num(x + 9.0), num(target - 4.0));
    html! {<>
        <path class="put-back" {d} />
        <path class="put-back-arrow" d={arrow} />
        if !text_collides(view, rect, x) { <text class="small" x={num(x + 10.0)} y={num(rect.y + 43.0)}>{ text.put_back() }</text> }
    </>}
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
pub fn folded(view: &StageView, layout: &Layout, text: StageText) -> Html {
    view.folded
        .iter()
        .zip(&layout.folded)
        .map(|(topic, rect)| {
            html! {
                <g key={topic.name.to_string()} class="folded" transform={translate(rect.x, rect.y)}>
                    <rect class="lane-frame" width={num(rect.w)} height={num(rect.h)} rx="8" />
                    <path class="fold-mark" d="M13 9l4 4-4 4" />
                    <text class="fold-text" x="28" y="17.5">
                        <tspan key="name" class="fold-name">{ topic.name.to_string() }</tspan>
                        <tspan key="note" dx="7">{ fold_note(topic, text) }</tspan>
                    </text>
                </g>
            }
        })
        .collect()
}

fn fold_note(topic: &FoldedView, text: StageText) -> String {
    let kind = kind_name(topic.kind);
    let queues = text.queues(topic.queues);
    let state = match (topic.stored, topic.waiting) {
        (0, _) => text.empty_topic().to_owned(),
        (_, Some(waiting)) => text.waiting(&i18n::number(i64::from(waiting))),
        (stored, None) => text.stored(&i18n::number(i64::from(stored))),
    };
    format!("{kind} · {queues} · {state}")
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
pub fn tray(view: &StageView, layout: &Layout, text: StageText) -> Html {
    let Some(rect) = layout.tray else { return Html::default() };
    let lines: [&str; 3] = match (view.tray.count, view.tray.limit) {
        (0, None) => text.tray_unlimited(),
        (0, Some(_)) => text.tray_empty(),
        _ => ["", "", ""],
    };
    let limit =
        view.tray.limit.filter(|_| view.tray.count == 0).map(|limit| text.tray_limit(limit));
    let lines = lines.into_iter().map(str::to_owned).chain(limit).filter(|line| !line.is_empty());
    let more = view.tray.count.saturating_sub(8);
    html! {
        <g class="tray" transform={translate(rect.x, rect.y)}>
            <rect class="tray-frame" key="frame" width={num(rect.w)} height={num(rect.h)} rx="10" />
            <text class="heading" key="heading" x="12" y="21">
                { text.dead_letters() }
                if view.tray.count > 0 { <tspan class="heading-note" dx="6">{ view.tray.count }</tspan> }
            </text>
            <text class="mono tick-left" key="topic" x="12" y="39">{ view.tray.topic.to_string() }</text>
            { for lines.enumerate().map(|(i, line)| html! { <text key={i} class="small" x="12" y={num(67.0 + 16.0 * i as f64)}>{ line }</text> }) }
            if more > 0 { <text class="tick-left" key="more" x="12" y={num(rect.h - 10.0)}>{ format!("+{more}") }</text> }
        </g>
    }
}
