//! The component [`Timeline`].

use std::rc::Rc;

use lockstep_core::ids::Ms;
use lockstep_core::view::compare::Side;
use lockstep_core::view::timeline::RowKey;
use web_sys::Element;
use yew::prelude::*;

use crate::app::frame::Frame;
use crate::app::msg::Msg;
use crate::app::paint::use_painter;
use crate::app::settings;
use crate::i18n::timeline::TimelineText;
use crate::i18n::{clock, number};
use crate::ui::concern::{bring, use_concern};
use crate::ui::icon::{broken_mark, icon, Icon};
use crate::ui::menu::{Choice, Select};
use crate::ui::stage::svg::subject_id;

use super::geometry::{label_px, span_text, tick_text, Px, View, PITCH};
use super::map::map;
use super::marks::{marks, row_timers};
use super::pair::{self, PairRow};
use super::row::{Row, Sheet};
use super::rows::{Arrangement, Projection};
use super::{paint, pointer, size};

/// What the browser remembers the arrangement under.
const ROWS: &str = "lockstep.rows";

/// The arrangements, in the order of their list.
const ARRANGEMENTS: [Arrangement; 3] =
    [Arrangement::Queues, Arrangement::MessageGroups, Arrangement::Consumers];

/// Properties of [`Timeline`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// What to show.
    pub frame: Rc<Frame>,
    /// Where requests go.
    pub on: Callback<Msg>,
    /// The same, for what is meant for the second run.
    pub on_second: Callback<Msg>,
}

/// The timeline.
#[component]
pub fn Timeline(props: &Props) -> Html {
    let Props { frame, on, on_second } = props;
    let texts = TimelineText(frame.locale);
    let (root, body, tracks) = (use_node_ref(), use_node_ref(), use_node_ref());
    let view = use_mut_ref(View::default);
    let redraw = use_force_update();
    let again: Callback<()> = {
        let redraw = redraw.clone();
        use_callback((), move |(), ()| redraw.force_update())
    };
    let painter = use_painter();
    paint::use_paint(&painter, &root, &view, &again);
    size::use_size(&tracks, &body, &view, &again);
    let onscroll = size::use_scroll(&body, &view, &again);
    let cache = use_mut_ref(Projection::default);
    let other = use_mut_ref(Projection::default);
    let window = *view.borrow();
    let sheet = Sheet::from(window);
    let (arrangement, arrange) = use_arrangement();
    let (projection, second) = {
        let (mut cache, mut other) = (cache.borrow_mut(), other.borrow_mut());
        cache.update(frame, &view.borrow(), arrangement);
        if let Some(pair) = &frame.pair {
            other.update(&pair.second, &view.borrow(), arrangement);
        }
        (cache.clone(), other.clone())
    };
    let rows = pair::rows(frame, &projection, &second);
    let timers = pair::timers(&rows, &projection, &second);
    let count = if frame.pair.is_some() { rows.len() } else { projection.count };
    let height = format!("height:{}px", count.max(1) as f64 * PITCH);
    // Rows above those that are drawn leave their room.
    let top = projection.first as f64 * PITCH;
    let hands = pointer::use_handlers(&root, &tracks, &view, &again, (on, on_second));
    let end_ms = frame.until_ms;
    {
        // The row of the queue that matters is seen, where there is no room for all.
        let (body, stage) = (body.clone(), frame.stage.clone());
        let alone = frame.pair.is_none() && arrangement == Arrangement::Queues;
        use_concern(frame, move |queue| {
            let row = stage.lanes.iter().position(|lane| lane.queue == queue).filter(|_| alone);
            if let Some((row, body)) = row.zip(body.cast::<Element>()) {
                let top = row as f64 * PITCH;
                bring(&body, (top, top + PITCH), 0.0);
            }
        });
    }
    {
        let (view, again) = (view.clone(), again.clone());
        use_effect_with(frame.zoom, move |zoom| {
            if let Some((_, span)) = *zoom {
                view.borrow_mut().show(span);
                again.emit(());
            }
        });
    }
    html! {
        <div class="timeline" ref={root}>
            <div class="tl-area">
                { zoom(window.span_ms as Ms, texts, &hands.zoom) }
                <div class="tl-ruler" aria-hidden="true">
                    { ruler(&sheet, &window, pair::parting_x(frame, &sheet)) }
                </div>
                <div class="tl-body" ref={body} {onscroll} ondblclick={hands.twice.clone()} oncontextmenu={hands.menu.clone()}>
                    <div class="tl-labels" style={format!("{height};padding-top:{top}px")}>
                        { for rows.iter().map(|row| {
                            name(row, if row.side == Some(Side::Second) { on_second } else { on })
                        }) }
                    </div>
                    <div class="tl-tracks" ref={tracks} style={height} tabindex="0" role="slider" aria-label={texts.label()}
                        aria-valuemin="0" aria-valuemax={end_ms.to_string()} aria-valuenow={steady(frame).to_string()}
                        aria-valuetext={texts.value(&clock(steady(frame)), &number(i64::from(frame.event)))}
                        onpointerdown={hands.down.clone()} onpointermove={hands.go.clone()} onpointerup={hands.up.clone()} onpointercancel={hands.up.clone()}
                        onpointerover={hands.over.clone()} onpointerleave={hands.leave.clone()} onkeydown={hands.key.clone()}
                        onfocus={hands.focus.clone()} onblur={hands.blur.clone()}>
                        <div key="past" class="tl-sheet">
                            { lines(&sheet, &window) }
                            <div key="rows" class="tl-rows" style={format!("top:{top}px")}>
                                { for rows.iter().map(|row| html! {
                                    <Row key={key(row)} side={row.side} named={row.named.clone()} view={sheet} marked={row.marked} />
                                }) }
                            </div>
                        </div>
                        <div key="cover" class="tl-cover">
                            <div class="tl-sheet tl-future">
                                { lines(&sheet, &window) }
                                <div key="timers" class="tl-timers">{ row_timers(&timers, &sheet) }</div>
                            </div>
                        </div>
                        <p key="empty" class="tl-empty" hidden={count > 0}>{ texts.no_rows() }</p>
                    </div>
                </div>
                <div class="tl-head" aria-hidden="true"><i></i></div>
                <div class="tl-broken" aria-hidden="true">
                    <div class="tl-sheet">
                        { pair::parting(frame, &sheet) }
                        { for projection.broken.iter().map(|at_ms| html! {
                            <span key={*at_ms} style={format!("left:{}px", Px(sheet.x(*at_ms)))}>{ broken_mark(18) }</span>
                        }) }
                    </div>
                </div>
            </div>
            <div class="tl-foot">
                { marks(&sheet, &projection.marks, frame.bookmarks.contains(&frame.now_ms), texts, (on, &hands.reveal)) }
                { arrangements(arrangement, texts, &arrange) }
                { map(frame, &window, &projection, &hands.map) }
            </div>
        </div>
    }
}

/// How the rows are told apart, remembered in the browser, and how to change it.
#[hook]
fn use_arrangement() -> (Arrangement, Callback<usize>) {
    let chosen = use_state(|| {
        let index = settings::read(ROWS).and_then(|index| index.parse().ok()).unwrap_or(0);
        ARRANGEMENTS.get::<usize>(index).copied().unwrap_or_default()
    });
    let arrangement = *chosen;
    let choose = use_callback((), move |index: usize, ()| {
        if let Some(arrangement) = ARRANGEMENTS.get(index) {
            settings::write(ROWS, &index.to_string());
            chosen.set(*arrangement);
        }
    });
    (arrangement, choose)
}

/// The list of arrangements.
fn arrangements(chosen: Arrangement, texts: TimelineText, onchoose: &Callback<usize>) -> Html {
    let names = [texts.by_queue(), texts.by_group(), texts.by_consumer()];
    let choices: Vec<Choice> = ARRANGEMENTS
        .iter()
        .zip(names)
        .map(|(arrangement, text)| Choice { text: text.into(), chosen: *arrangement == chosen })
        .collect();
    html! { <Select class="tl-rows-select" label={texts.rows()} {choices} onchoose={onchoose.clone()} /> }
}

/// The key of a row among its siblings.
fn key(row: &PairRow) -> String {
    let run = if row.side == Some(Side::Second) { "b" } else { "" };
    match row.named.row.key {
        RowKey::Queue(queue) => format!("{run}{}-{}-{}", queue.topic.0, queue.broker.0, queue.id),
        RowKey::MessageGroup(group) => format!("{run}g{}", group.0),
        RowKey::Consumer(client) => format!("{run}c{}", client.0),
    }
}

/// The name of a row; choosing it selects what it is about.
fn name(row: &PairRow, on: &Callback<Msg>) -> Html {
    let (on, label) = (on.clone(), &row.label);
    let subject = Some(label.subject);
    let class = classes!(
        "tl-name",
        row.selected.then_some("is-selected"),
        row.side.map(|_| "of-pair"),
        row.both.then_some("of-both"),
        (!label.broker.is_empty()).then_some("of-broker"),
    );
    html! {
        <button key={key(row)} {class} data-subject={subject_id(label.subject)} data-run={(row.side == Some(Side::Second)).then_some("2")}
            title={label.full.clone()} tabindex="-1" onclick={Callback::from(move |_: MouseEvent| on.emit(Msg::Select(subject)))}>
            <b>{ label.name.clone() }</b>
            { pair::signs(row) }
            <span class={classes!(label.lags.then_some("lags"))}>{ label.lag.clone() }</span>
            { (!label.broker.is_empty()).then(|| html! { <small class="tl-broker">{ label.broker.clone() }</small> }) }
        </button>
    }
}

/// The present as readers are told it: while the clock runs only once a second.
fn steady(frame: &Frame) -> Ms {
    if frame.playing {
        frame.now_ms / 1_000 * 1_000
    } else {
        frame.now_ms
    }
}

/// Half of the sign of the parting, with room beside it, in px.
const PARTING_PX: f64 = 12.0;

/// The labels of the ruler, without those that the sign of the parting would lie on.
fn ruler(sheet: &Sheet, view: &View, parting_x: Option<f64>) -> Html {
    let step_ms = view.tick_ms();
    let is_free = |at_ms: &Ms| {
        let half = PARTING_PX + label_px(&tick_text(*at_ms, step_ms)) / 2.0;
        parting_x.is_none_or(|x| (sheet.x(*at_ms) - x).abs() >= half)
    };
    html! {
        <div class="tl-sheet">
            { for view.ticks().filter(is_free).map(|at_ms| html! {
                <span key={at_ms} class="tl-tick" data-x={Px(sheet.x(at_ms)).to_string()} style={format!("left:{}px", Px(sheet.x(at_ms)))}>
                    { tick_text(at_ms, step_ms) }
                </span>
            }) }
        </div>
    }
}

/// The lines of the ruler, through all rows.
fn lines(sheet: &Sheet, view: &View) -> Html {
    html! {
        <div key="lines" class="tl-lines">
            { for view.ticks().map(|at_ms| html! {
                <i key={at_ms} style={format!("left:{}px", Px(sheet.x(at_ms)))}></i>
            }) }
        </div>
    }
}

/// How much time the screen shows.
fn zoom(span_ms: Ms, texts: TimelineText, onzoom: &Callback<bool>) -> Html {
    let button = |closer: bool, name: &'static str, sign: Icon| {
        let onzoom = onzoom.clone();
        let onclick = Callback::from(move |_: MouseEvent| onzoom.emit(closer));
        html! { <button aria-label={name} title={name} {onclick}>{ icon(sign) }</button> }
    };
    html! {
        <div class="tl-zoom" role="group" aria-label={texts.zoom()}>
            { button(true, texts.zoom_in(), Icon::Minus) }
            <span>{ span_text(span_ms) }</span>
            { button(false, texts.zoom_out(), Icon::Plus) }
        </div>
    }
}
