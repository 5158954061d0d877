//! The charts: what the core projects, drawn by [`crate::ui::plot`], each with a text alternative and
//! a table. Drawn anew a few times a second while the run plays.

use std::rc::Rc;

use lockstep_core::ids::{GroupId, Ms};
use lockstep_core::view::charts::{Charts, ChartsView};
use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

use super::calm::{use_calm, use_width};
use super::files::save;
use super::views::{card, is_two, table, TableCell};
use crate::app::frame::Frame;
use crate::app::msg::Msg;
use crate::i18n::views::{ChartsText, ViewsText};
use crate::i18n::{clock, number, Locale};
use crate::ui::plot::{csv, svg_file, Drawn, Margins};

mod draw;
mod range;
mod rows;

use draw::Chart;
pub use range::Range;

/// Around the values of all charts over time: one cursor fits them all.
pub const OVER_TIME: Margins = Margins { left: 48, top: 12, right: 60, bottom: 26 };

/// Space between cards and inside them, in pixels.
const GAP_PX: u32 = 14;
const PADDING_PX: u32 = 16;

/// Properties of [`ChartsTab`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What to show.
    pub frame: Rc<Frame>,
    /// Which stretch of the run.
    pub range: Range,
    /// Where requests go.
    pub on: Callback<Msg>,
}

/// What was drawn, and for what.
struct Shown {
    of: (u64, u32, Locale, Range),
    view: Rc<ChartsView>,
    charts: Rc<Vec<Chart>>,
}

/// The charts.
#[component]
pub fn ChartsTab(props: &Props) -> Html {
    let frame = use_calm(&props.frame);
    let node = use_node_ref();
    let width = use_width(&node);
    let data = use_mut_ref(Charts::default);
    let shown = use_mut_ref(|| None::<Shown>);
    let tables = use_state(|| 0_u8);
    let cursor = use_state(|| None::<Ms>);
    let texts = ChartsText(frame.locale);
    let of = (frame.revision, width, frame.locale, props.range);
    let mut shown = shown.borrow_mut();
    let shown = match shown.take() {
        Some(last) if last.of == of => shown.insert(last),
        _ => shown.insert(draw(&frame, width, props.range, &mut data.borrow_mut())),
    };
    let (view, charts) = (shown.view.clone(), shown.charts.clone());
    let empty = charts.is_empty();
    html! {<>
        <p key="nothing" class="muted" hidden={!empty || width == 0}>{ texts.nothing() }</p>
        <div key="grid" class={classes!("view-grid", is_two(width).then_some("is-two"))} ref={node}>
            { for charts.iter().enumerate().map(|(place, chart)| {
                chart_card(place, chart, &frame, &view, &props.on, &tables, &cursor)
            }) }
        </div>
        <div key="foot" class="view-foot" hidden={empty}>
            <p class="small" aria-live="off" title={texts.cursor()}>{ readout(&frame, &view, *cursor, texts) }</p>
            { save_button("csv", "CSV", texts.save_csv(), { let view = view.clone(); Callback::from(move |_: MouseEvent| { save("lockstep.csv", &csv(&view)); }) }) }
            { save_button("svg", "SVG", texts.save_svg(), { let charts = charts.clone(); Callback::from(move |_: MouseEvent| { save("lockstep.svg", &drawing(&charts)); }) }) }
        </div>
    </>}
}

fn save_button(
    key: &'static str,
    name: &'static str,
    title: &'static str,
    onclick: Callback<MouseEvent>,
) -> Html {
    html! { <button {key} class="button small" {title} {onclick}>{ name }</button> }
}

/// Projects and draws the present.
fn draw(frame: &Frame, width: u32, range: Range, data: &mut Charts) -> Shown {
    if width == 0 {
        // The first rendering only finds out how much room there is.
        return Shown {
            of: (0, 0, frame.locale, range),
            view: Rc::default(),
            charts: Rc::default(),
        };
    }
    let core = frame.core.read();
    let group = GroupId(frame.stage.group.as_ref().map_or(0, |group| group.index) as u16);
    let world = core.session.world();
    let (from_ms, end_ms) = range.span(frame.now_ms, core.timeline.last_ms());
    data.update(core.session.facts(), frame.generation, world, group, from_ms);
    let queues: Vec<_> = frame.stage.lanes.iter().map(|lane| lane.queue).collect();
    let view = data.view(world, &queues, frame.now_ms);
    let columns = if is_two(width) { 2 } else { 1 };
    let inner = ((width - GAP_PX * (columns - 1)) / columns).saturating_sub(2 * PADDING_PX + 2);
    let charts = draw::charts(frame, &view, inner, end_ms);
    Shown {
        of: (frame.revision, width, frame.locale, range),
        view: Rc::new(view),
        charts: Rc::new(charts),
    }
}

fn chart_card(
    place: usize,
    chart: &Chart,
    frame: &Frame,
    view: &ChartsView,
    on: &Callback<Msg>,
    tables: &UseStateHandle<u8>,
    cursor: &UseStateHandle<Option<Ms>>,
) -> Html {
    let words = ViewsText(frame.locale);
    let as_table = **tables >> place & 1 == 1;
    let toggle = {
        let tables = tables.clone();
        Callback::from(move |_: MouseEvent| tables.set(*tables ^ 1 << place))
    };
    let name = match as_table {
        true => words.chart_of(&chart.title),
        false => words.table_of(&chart.title),
    };
    let side = html! {
        <button class="link small" aria-label={name} aria-pressed={as_table.to_string()} onclick={toggle}>
            { if as_table { words.as_chart() } else { words.as_table() } }
        </button>
    };
    let body = if as_table {
        let (head, rows) = rows::rows(chart.key, frame, view, on);
        table(&words.table_of(&chart.title), head, rows)
    } else {
        html! {<>{ plot(chart, on, cursor) }{ legend(chart.key, frame.locale) }</>}
    };
    card(chart.key, &chart.title, &chart.note, side, body)
}

/// What the parts of the rows are.
fn legend(key: &str, locale: Locale) -> Html {
    let texts = ChartsText(locale);
    if key == "lag" || key == "group-lag" {
        let lines = [
            ("p-line p-first", texts.line_first()),
            ("p-line p-second", texts.line_second()),
            ("p-line p-rest", texts.line_rest()),
        ];
        return html! {
            <ul class="plot-legend small muted">
                { for lines.into_iter().map(|(class, name)| html! {
                    <li key={name}><svg class="plot" width="24" height="12" viewBox="0 0 24 12" aria-hidden="true" focusable="false"><path {class} d="M0 6h24" /></svg>{ name }</li>
                }) }
            </ul>
        };
    }
    let parts = [
        ("p-dark", texts.handling()),
        ("p-wait", texts.suspended()),
        ("p-strong", texts.unowned()),
        ("p-empty", texts.idle()),
    ];
    html! {
        <ul class="plot-legend small muted" hidden={key != "time"}>
            { for parts.into_iter().map(|(class, name)| html! {
                <li key={name}><svg width="18" height="12" viewBox="0 0 18 12" aria-hidden="true" focusable="false"><rect {class} x=".5" y=".5" width="17" height="11" /></svg>{ name }</li>
            }) }
        </ul>
    }
}

/// The drawing, with a cursor over it where it has a time axis.
fn plot(chart: &Chart, on: &Callback<Msg>, cursor: &UseStateHandle<Option<Ms>>) -> Html {
    let (width, height) = chart.size;
    let svg = format!(
        "<svg class=\"plot\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" aria-hidden=\"true\" focusable=\"false\">{}</svg>",
        chart.svg
    );
    let drawing = Html::from_html_unchecked(AttrValue::from(svg));
    let Some((from_ms, end_ms, now_ms)) = chart.over_time else {
        return html! { <div class="plot-box" role="img" aria-label={chart.alt.clone()}>{ drawing }</div> };
    };
    let (left, right) =
        (f64::from(OVER_TIME.left), f64::from(width.saturating_sub(OVER_TIME.right)));
    let at = move |event: &MouseEvent| -> Option<Ms> {
        // The page's one listener sits at its root, so that is what the event calls current.
        let target = event.target()?.dyn_into::<Element>().ok()?;
        let rect = target.closest(".plot-box").ok()??.get_bounding_client_rect();
        let x = (f64::from(event.client_x()) - rect.left()) / rect.width() * f64::from(width);
        let part = (x - left) / (right - left);
        let ms = from_ms + (part * (end_ms - from_ms) as f64).round() as Ms;
        (part >= 0.0).then(|| ms.min(now_ms))
    };
    let onpointermove = {
        let cursor = cursor.clone();
        Callback::from(move |event: PointerEvent| cursor.set(at(&event)))
    };
    let onpointerleave = {
        let cursor = cursor.clone();
        Callback::from(move |_: PointerEvent| cursor.set(None))
    };
    let onclick = {
        let on = on.clone();
        Callback::from(move |event: MouseEvent| {
            if let Some(at_ms) = at(&event) {
                on.emit(Msg::SeekTime(at_ms));
            }
        })
    };
    let line = cursor.filter(|at_ms| (from_ms..=end_ms).contains(at_ms)).map(|at_ms| {
        let part = (at_ms - from_ms) as f64 / (end_ms - from_ms).max(1) as f64;
        let x = left + (right - left) * part;
        format!("left:{}%", x / f64::from(width) * 100.0)
    });
    let hidden = line.is_none();
    html! {
        <div class="plot-box is-over-time" role="img" aria-label={chart.alt.clone()} {onpointermove} {onpointerleave} {onclick}>
            { drawing }
            <span class="plot-cursor" {hidden} style={line.unwrap_or_default()}></span>
        </div>
    }
}

/// What the lines say at the cursor, or now.
fn readout(frame: &Frame, view: &ChartsView, cursor: Option<Ms>, texts: ChartsText) -> String {
    let at_ms = cursor.unwrap_or(view.now_ms).clamp(view.from_ms, view.now_ms);
    let value = |place: &usize| {
        let points = &view.lag[*place].points;
        let next = points.partition_point(|(at, _)| *at <= at_ms);
        points.get(next.saturating_sub(1)).map_or(0, |(_, value)| *value)
    };
    let ranked = view.ranked(rows::selected_queue(frame));
    let (first, rest) = ranked.split_at(ranked.len().min(2));
    let mut parts: Vec<String> =
        first.iter().map(|p| texts.waits(&view.lag[*p].name, &number(value(p)))).collect();
    if !rest.is_empty() {
        parts.push(texts.others_wait(&number(rest.iter().map(value).sum())));
    }
    let comma = frame.locale.pick(", ", "，");
    format!(
        "{} {}{}",
        texts.at_instant(&clock(at_ms)),
        parts.join(comma),
        frame.locale.pick(".", "。")
    )
}

/// All charts as one file, in the colours of the moment.
fn drawing(charts: &[Chart]) -> String {
    let drawings: Vec<Drawn> = charts
        .iter()
        .map(|chart| Drawn { title: chart.title.clone(), size: chart.size, svg: chart.svg.clone() })
        .collect();
    let style = web_sys::window().and_then(|window| {
        let root = window.document()?.document_element()?;
        window.get_computed_style(&root).ok()?
    });
    let value = |name: &str| {
        let value = style.as_ref().and_then(|style| style.get_property_value(name).ok());
        value.unwrap_or_default().trim().to_owned()
    };
    svg_file(&drawings, &value)
}

/// A button in a table that goes to an instant.
pub fn instant(at_ms: Ms, on: &Callback<Msg>) -> TableCell {
    let on = on.clone();
    TableCell::Press(clock(at_ms), Callback::from(move |_| on.emit(Msg::SeekTime(at_ms))))
}
