//! More queues than lanes fit: one strip for each, darker where more messages wait.

use lockstep_core::view::stage::{LaneView, LockView, StageView};
use lockstep_core::view::Subject;
use yew::prelude::*;

use super::layout::{Layout, GUTTER};
use super::svg::{num, subject_id, translate};
use crate::i18n;
use crate::i18n::stage::StageText;

/// Messages waiting from which on a strip is darker, and how dark it is then, in percent of ink.
pub const SHADES: [(i64, u32); 6] = [(0, 0), (10, 16), (50, 32), (100, 50), (200, 70), (500, 92)];

/// Most rows in a column; more queues scroll.
const ROWS: usize = 32;

/// How dark so many waiting messages are, in percent of ink.
pub fn shade(waiting: i64) -> u32 {
    SHADES.iter().rev().find(|(from, _)| waiting >= *from).map_or(0, |(_, shade)| *shade)
}

/// All queues as strips, in two columns when one does not hold them.
pub fn strips(view: &StageView, layout: &Layout, text: StageText) -> Html {
    let count = view.lanes.len();
    let columns = if count > ROWS && layout.width > 800.0 { 2 } else { 1 };
    let rows = count.div_ceil(columns);
    let room = layout.height - 80.0;
    let pitch = (room / rows.max(1) as f64).clamp(15.0, 48.0);
    let width = (layout.width - 2.0 * GUTTER) / columns as f64;
    let topic = view.topic.as_ref().map(|t| {
        format!(
            "{} · {} · {}",
            t.name,
            super::shelf::kind_name(t.kind),
            text.queues(t.write_queues)
        )
    });
    html! {<>
        <text key="heading" class="heading" x={num(GUTTER)} y="28">
            <tspan key="name">{ text.broker() }</tspan>
            <tspan key="note" class="heading-note" dx="8">{ topic.unwrap_or_default() }</tspan>
        </text>
        <g key="rows">
            { for view.lanes.iter().enumerate().map(|(i, lane)| {
                let (x, y) = (GUTTER + width * (i / rows) as f64, 52.0 + pitch * (i % rows) as f64);
                strip(lane, x, y, width - 24.0, pitch, text)
            }) }
        </g>
    </>}
}

fn strip(lane: &LaneView, x: f64, y: f64, width: f64, pitch: f64, text: StageText) -> Html {
    let lag = lane.lag();
    let (owner, gone) = match &lane.lock {
        LockView::Held { name, gone, .. } => (name.to_string(), *gone),
        LockView::Free => (text.nobody().to_owned(), true),
        LockView::None => (String::new(), false),
    };
    let h = (pitch - 3.0).max(12.0);
    let bar = (lag as f64 / 23.0).min(44.0);
    let w = width - 82.0 - 108.0;
    html! {
        <g key={subject_id(Subject::Queue(lane.queue))} class={classes!("strip", lane.stands.is_some().then_some("stands-still"))}
            transform={translate(x, y)} data-subject={subject_id(Subject::Queue(lane.queue))}>
            <text class={classes!("strip-owner", gone.then_some("is-gone"))} x="0" y={num(h / 2.0 + 4.0)}>{ owner }</text>
            <text class="strip-name" x="76" y={num(h / 2.0 + 4.0)}>{ lane.name.to_string() }</text>
            <rect class="strip-ground" x="82" width={num(w)} height={num(h)} />
            <rect class="strip-shade" x="82" width={num(w)} height={num(h)} opacity={format!("{}", f64::from(shade(lag)) / 100.0)} />
            if lane.stands.is_some() { <rect class="strip-hatch" x="82" width={num(w)} height={num(h)} /> }
            <text class="strip-lag" x={num(82.0 + w + 40.0)} y={num(h / 2.0 + 4.0)}>{ i18n::number(lag) }</text>
            <rect class="strip-bar" x={num(82.0 + w + 50.0)} y={num(h / 2.0 - 3.5)} width={num(bar)} height="7" />
        </g>
    }
}
