//! More queues than lanes fit: one strip for each, over the last minute, darker where more
//! messages waited. A selected strip is opened as a lane.

use lockstep_core::view::history::STEPS;
use lockstep_core::view::stage::{LaneView, LockView, StageView, STRIP_MS};
use lockstep_core::view::Subject;
use yew::prelude::*;

use super::lane::{Columns, Lane};
use super::layout::{Layout, Rect, StripColumn, FIRST_STRIP_Y, GUTTER};
use super::svg::{num, subject_id};
use crate::i18n;
use crate::i18n::stage::StageText;

/// Slots of a strip that is opened as a lane.
pub const OPENED_COLUMNS: usize = 10;

/// How dark each of the steps is, as opacity of ink.
const SHADES: [&str; 6] = ["0", "0.16", "0.32", "0.5", "0.7", "0.92"];

/// Waiting messages for one pixel of the bar behind a strip, and its longest.
const BAR: (f64, f64) = (23.0, 44.0);

/// All queues as strips.
pub fn strips(view: &StageView, layout: &Layout, text: StageText) -> Html {
    let stored: i64 = view.lanes.iter().map(|lane| lane.max - lane.min).sum();
    let topic = view.topic.as_ref().map(|topic| {
        let kind = super::shelf::kind_name(topic.kind);
        let (queues, stored) =
            (text.queues(topic.write_queues), text.messages(&i18n::number(stored)));
        format!("{} · {kind} · {queues} · {stored}", topic.name)
    });
    html! {<>
        <text key="heading" class="heading" x={num(GUTTER)} y="28">
            <tspan key="name">{ text.broker() }</tspan>
            <tspan key="note" class="heading-note" dx="8">{ topic.unwrap_or_default() }</tspan>
        </text>
        <g key="scale">{ scale(layout, text) }</g>
        <g key="columns">
            { for layout.strips.iter().map(|column| html! { <g key={column.first}>{ strip_column(column, view, text) }</g> }) }
        </g>
        <g key="opened">
            { for view.lanes.iter().zip(&layout.lanes).filter(|(lane, _)| !lane.slots.is_empty()).map(|(lane, rect)| html! {
                <Lane key={subject_id(Subject::Queue(lane.queue))} lane={lane.clone()} rect={*rect} style={layout.style}
                    columns={Columns::of(lane, &layout.style)} compact={false} selected={true} locale={text.0} />
            }) }
        </g>
    </>}
}

/// What the darkness means.
fn scale(layout: &Layout, text: StageText) -> Html {
    let right = layout.width - GUTTER;
    if right < 700.0 {
        return Html::default();
    }
    let left = right - 310.0;
    html! {<>
        <text key="word" class="small end" x={num(left - 8.0)} y="28">{ text.waiting_word() }</text>
        { for STEPS.iter().zip(SHADES).enumerate().map(|(i, (from, shade))| {
            let x = left + 32.0 * i as f64;
            html! {
                <g key={*from}>
                    <rect class="strip-ground" x={num(x)} y="17" width="30" height="14" />
                    <rect class="strip-shade" x={num(x)} y="17" width="30" height="14" opacity={shade} />
                    <text class="tick" x={num(x + 15.0)} y="45">{ *from }</text>
                </g>
            }
        }) }
        <rect key="hatch" class="strip-hatch" x={num(left + 206.0)} y="17" width="30" height="14" />
        <text key="still" class="small" x={num(left + 242.0)} y="28">{ text.stands_still() }</text>
    </>}
}

fn strip_column(column: &StripColumn, view: &StageView, text: StageText) -> Html {
    let lanes = view.lanes.iter().skip(column.first);
    let Some(first) = column.strips.first() else { return Html::default() };
    let ticks = [60, 45, 30, 15].into_iter().map(|seconds| {
        let x = first.right() - first.w * f64::from(seconds) / 60.0;
        html! { <text key={seconds} class="tick-left" x={num(x)} y={num(FIRST_STRIP_Y - 9.0)}>{ format!("\u{2212}{seconds} s") }</text> }
    });
    html! {<>
        <g key="ticks">
            { for ticks }
            <text key="now" class="strip-lag" x={num(first.right())} y={num(FIRST_STRIP_Y - 9.0)}>{ text.now() }</text>
            <text key="lag" class="strip-lag" x={num(first.right() + 36.0)} y={num(FIRST_STRIP_Y - 9.0)}>{ text.lag_word() }</text>
        </g>
        <g key="strips">{ for lanes.clone().zip(&column.strips).map(|(lane, rect)| strip(lane, rect, view.now_ms)) }</g>
        <g key="owners">{ for owners(lanes.zip(&column.strips), column.x, text) }</g>
    </>}
}

fn strip(lane: &LaneView, rect: &Rect, now_ms: i64) -> Html {
    let x_of =
        |ms: i64| rect.right() - rect.w * ((now_ms - ms) as f64 / STRIP_MS as f64).clamp(0.0, 1.0);
    let (y, h) = (rect.y, rect.h);
    let runs = lane.history.iter().map(|run| {
        let (from, until) = (x_of(run.from_ms), x_of(run.until_ms));
        html! { <rect key={run.from_ms.to_string()} class="strip-shade" x={num(from)} y={num(y)} width={num(until - from)} height={num(h)} opacity={SHADES[run.step]} /> }
    });
    let still = lane.stands.is_some().then(|| x_of(lane.since_ms.unwrap_or(now_ms)));
    let lag = lane.lag();
    let base = num(y + h / 2.0 + 4.0);
    html! {
        <g key={subject_id(Subject::Queue(lane.queue))} class={classes!("strip", still.map(|_| "stands-still"))}
            data-subject={subject_id(Subject::Queue(lane.queue))}>
            <text key="name" class="strip-name" x={num(rect.x - 8.0)} y={base.clone()}>{ lane.name.to_string() }</text>
            <rect key="ground" class="strip-ground" x={num(rect.x)} y={num(y)} width={num(rect.w)} height={num(h)} />
            <g key="runs">{ for runs }</g>
            if let Some(from) = still {
                <rect key="still" class={if lag >= STEPS[1] { "strip-hatch is-light" } else { "strip-hatch" }} x={num(from)} y={num(y)} width={num(rect.right() - from)} height={num(h)} />
            }
            <text key="lag" class="strip-lag" x={num(rect.right() + 36.0)} y={base}>{ i18n::number(lag) }</text>
            <rect key="bar" class="strip-bar" x={num(rect.right() + 45.0)} y={num(y + h / 2.0 - 4.0)} width={num((lag as f64 / BAR.0).min(BAR.1))} height="8" />
        </g>
    }
}

/// Brackets around neighbouring strips of one owner: on the left, or on the right and struck
/// through when it is gone.
fn owners<'a>(
    strips: impl Iterator<Item = (&'a LaneView, &'a Rect)>,
    x: f64,
    text: StageText,
) -> Vec<Html> {
    let mut brackets: Vec<(String, bool, Rect)> = Vec::new();
    for (lane, rect) in strips {
        let (name, gone) = match &lane.lock {
            LockView::Held { name, gone, .. } => (name.to_string(), *gone),
            _ => continue,
        };
        match brackets.last_mut() {
            Some((last, was, around))
                if *last == name && *was == gone && rect.y - around.bottom() < 8.0 =>
            {
                around.h = rect.bottom() - around.y;
            }
            _ => brackets.push((name, gone, *rect)),
        }
    }
    let bracket = |(name, gone, around): (String, bool, Rect)| {
        let (top, bottom, middle) = (around.y + 1.0, around.bottom() - 1.0, around.middle());
        let (at, ear) = if gone { (around.right() + 98.0, -5.0) } else { (x + 40.0, 5.0) };
        let d =
            format!("M{} {}h{}V{}h{}", num(at + ear), num(top), num(-ear), num(bottom), num(ear));
        html! {
            <g key={format!("{name}{gone}{}", around.y)} class={classes!("owner", gone.then_some("is-gone"))}>
                <path class="bracket" {d} />
                if gone {
                    <text class="owner-name" x={num(at + 6.0)} y={num(middle - 2.0)}>{ name }</text>
                    <text class="tick-left" x={num(at + 6.0)} y={num(middle + 12.0)}>{ text.gone() }</text>
                } else {
                    <text class="owner-name" text-anchor="end" x={num(at - 7.0)} y={num(middle + 4.0)}>{ name }</text>
                }
            </g>
        }
    };
    brackets.into_iter().map(bracket).collect()
}
