//! One queue of the timeline: who owned it, what was handled, when it stood still.

use std::rc::Rc;

use lockstep_core::ids::{ClientId, Ms, MsgId};
use lockstep_core::view::compare::Side;
use lockstep_core::view::timeline::{
    BandView, BarView, Bit, GapView, PauseView, RowKey, RowView, Shade, OPEN_MS,
};
use lockstep_core::view::Subject;
use yew::prelude::*;

use super::geometry::{free, label_px, Px, View};
use crate::ui::stage::svg::subject_id;
use crate::ui::token::Hue;

/// Height of a row.
const HEIGHT: f64 = 28.0;
/// Height of a bar when no other stands above it.
const BAR: f64 = 16.0;
/// Narrowest band that carries its owner's name, narrowest pause that carries its count.
const NAMED_PX: f64 = 26.0;
/// Room around an owner's name.
const NAME_GAP_PX: f64 = 10.0;

/// Names of what a row shows, made once for each row.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// What is shown.
    pub row: RowView,
    /// Label and colour of each bar's message, in the order of the bars.
    pub bars: Vec<(AttrValue, Hue)>,
    /// Colour of each piece.
    pub bits: Vec<Hue>,
    /// Name of each band's owner.
    pub owners: Vec<AttrValue>,
}

/// Properties of [`Row`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Which of two runs it belongs to.
    pub side: Option<Side>,
    /// What to show.
    pub named: Rc<Named>,
    /// Which sheet it is drawn on.
    pub view: Sheet,
    /// The selected and the hovered message.
    pub marked: (Option<MsgId>, Option<MsgId>),
}

/// What of a view decides the places on a sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sheet {
    /// First instant.
    pub base_ms: f64,
    /// Time on the screen.
    pub span_ms: f64,
    /// Width of the screen in pixels.
    pub width_px: f64,
}

impl From<View> for Sheet {
    fn from(view: View) -> Self {
        Self { base_ms: view.base_ms, span_ms: view.span_ms, width_px: view.width_px }
    }
}

impl Sheet {
    /// Place of an instant; what lies outside the sheet is put a little beyond its edge.
    pub fn x(&self, at_ms: Ms) -> f64 {
        let x = (at_ms.min(1 << 52) as f64 - self.base_ms) * self.width_px / self.span_ms;
        x.clamp(-40.0, self.end() + 40.0)
    }

    /// Width of the sheet.
    pub fn end(&self) -> f64 {
        2.0 * self.width_px
    }

    /// Place and width of a span.
    fn span(&self, from_ms: Ms, to_ms: Ms) -> (f64, f64) {
        let (from, to) = (self.x(from_ms), self.x(to_ms));
        (from, (to - from).max(0.0))
    }
}

/// One queue.
#[component]
pub fn Row(props: &Props) -> Html {
    let Props { side, named, view, marked } = props;
    let run = (*side == Some(Side::Second)).then_some("2");
    let row = &named.row;
    html! {
        <div class="tl-row" data-run={run} data-subject={subject_id(subject(row.key))}>
            <div key="ground" class="tl-ground">
                { for row.bands.iter().zip(&named.owners).map(|(b, name)| band(view, b, name, named)) }
                { for row.gaps.iter().map(|g| gap(view, g)) }
                { for row.renewals.iter().map(|at_ms| html! {
                    <i key={*at_ms} class="tl-renewal" style={format!("left:{}px", Px(view.x(*at_ms) - 1.0))}></i>
                }) }
            </div>
            <div key="pauses" class="tl-pauses">
                { for row.pauses.iter().map(|p| pause(view, p)) }
            </div>
            <div key="bits" class="tl-bits">{ bits(view, named) }</div>
            <div key="bars" class="tl-bars">
                { for row.bars.iter().enumerate().map(|(i, b)| {
                    let free = if b.shade == Shade::Running { free_px(view, row, i) } else { 0.0 };
                    bar(view, b, &named.bars[i], row.lanes, free, *marked)
                }) }
            </div>
        </div>
    }
}

/// What a row is about.
fn subject(key: RowKey) -> Subject {
    match key {
        RowKey::Queue(queue) => Subject::Queue(queue),
        RowKey::MessageGroup(series) => Subject::MessageGroup(series),
        RowKey::Consumer(client) => Subject::Client(client),
    }
}

/// Place and width as a style.
fn across(x: f64, width: f64) -> String {
    format!("left:{}px;width:{}px", Px(x), Px(width))
}

fn band(view: &Sheet, band: &BandView, name: &AttrValue, named: &Named) -> Html {
    let (x, width) = view.span(band.from_ms, band.to_ms);
    let ClientId(client) = band.client;
    let need = (label_px(name) + NAME_GAP_PX).max(NAMED_PX);
    let mut places = format!("{} {}", Px(x), Px(need));
    for (from, to) in free((x, x + width), need, busy(view, named)) {
        places.push_str(&format!(" {} {}", Px(from), Px(to)));
    }
    html! {
        <div key={format!("o{}-{client}", band.from_ms)} class="tl-band" data-subject={subject_id(Subject::Client(band.client))} style={across(x, width)}>
            <span class="tl-owner" data-band={places}>{ name.clone() }</span>
        </div>
    }
}

/// Where a row's calls and pauses stand, from left to right as they begin.
fn busy(view: &Sheet, named: &Named) -> Vec<(f64, f64)> {
    let row = &named.row;
    let bars = row.bars.iter().zip(&named.bars).map(|(bar, (label, _))| {
        // The label of a call that has only begun stands before it.
        let before = if bar.shade == Shade::Running { label_px(label) + 8.0 } else { 0.0 };
        (view.x(bar.from_ms) - before, view.x(bar.to_ms))
    });
    let bits = row
        .bits
        .iter()
        .map(|bit| (view.x(bit.from_ms), view.x(bit.to_ms).max(view.x(bit.from_ms) + 1.0)));
    let pauses = row.pauses.iter().map(|pause| (view.x(pause.from_ms), view.x(pause.to_ms)));
    let mut busy: Vec<(f64, f64)> = bars.chain(bits).chain(pauses).collect();
    busy.sort_by(|a, b| a.0.total_cmp(&b.0));
    busy
}

fn gap(view: &Sheet, gap: &GapView) -> Html {
    let (x, width) = view.span(gap.from_ms, gap.to_ms);
    html! { <div key={format!("g{}", gap.from_ms)} class="tl-gap" style={across(x, width)}></div> }
}

/// The count stands in the middle of the whole pause, which is known as soon as it begins; what
/// has not happened yet is covered.
fn pause(view: &Sheet, pause: &PauseView) -> Html {
    let (x, width) = view.span(pause.from_ms, pause.to_ms);
    let count = format!("×{}", pause.failures);
    let known = if pause.to_ms == OPEN_MS { pause.until_ms } else { pause.to_ms };
    let (_, whole) = view.span(pause.from_ms, known);
    html! {
        <div key={pause.from_ms} class="tl-pause" style={across(x, width)}>
            <span class="tl-count" style={format!("left:{}px", Px(whole / 2.0))} hidden={whole < NAMED_PX.max(label_px(&count) + 8.0)}>{ count }</span>
        </div>
    }
}

/// Where a bar stands: top and height.
fn place(lane: u8, lanes: u8) -> (f64, f64) {
    if lanes <= 1 {
        return ((HEIGHT - BAR) / 2.0, BAR);
    }
    let each = (HEIGHT - 2.0) / f64::from(lanes);
    (1.0 + f64::from(lane.min(lanes - 1)) * each, each - 1.0)
}

/// Free room left of a bar, for the label of one that has only begun.
fn free_px(view: &Sheet, row: &RowView, index: usize) -> f64 {
    let bar = &row.bars[index];
    let before = row.bars[..index].iter().filter(|b| b.lane == bar.lane).map(|b| b.to_ms).max();
    let pause = row.pauses.iter().map(|p| p.to_ms).filter(|ms| *ms <= bar.from_ms).max();
    let bit = row.bits.iter().map(|b| b.to_ms).filter(|ms| *ms <= bar.from_ms).max();
    let busy = before.max(pause).max(bit).map_or(-1e9, |ms| view.x(ms.min(bar.from_ms)));
    view.x(bar.from_ms) - busy
}

fn bar(
    view: &Sheet,
    bar: &BarView,
    (label, hue): &(AttrValue, Hue),
    lanes: u8,
    free: f64,
    (selected, hovered): (Option<MsgId>, Option<MsgId>),
) -> Html {
    let (x, width) = view.span(bar.from_ms, bar.to_ms);
    let (top, height) = place(bar.lane, lanes);
    let text_px = label_px(label);
    let shade = match bar.shade {
        Shade::Handled => "is-handled",
        Shade::Failed => "is-failed",
        Shade::Running => "is-running",
        Shade::Cut => "is-cut",
    };
    let outside = bar.shade == Shade::Running && free >= text_px + 8.0;
    let class = classes!(
        "tl-bar",
        hue.class(),
        shade,
        outside.then_some("label-outside"),
        (selected == Some(bar.msg)).then_some("is-selected"),
        (hovered == Some(bar.msg)).then_some("is-hovered"),
    );
    let shown = height >= 11.0 && (width >= text_px + 4.0 || bar.shade == Shade::Running);
    html! {
        <div key={format!("{}-{}-{}", bar.from_ms, bar.msg.0, bar.lane)} {class} data-msg={bar.msg.0.to_string()}
            data-grows={(bar.shade == Shade::Running).then(|| format!("{} {}", Px(x), Px(text_px + 12.0)))}
            style={format!("{};top:{}px;height:{}px", across(x, width), Px(top), Px(height))}>
            <span class="tl-label" hidden={!shown}>{ label.clone() }</span>
        </div>
    }
}

/// Narrow calls: one path for each colour and look.
fn bits(view: &Sheet, named: &Named) -> Html {
    let mut paths: Vec<((Hue, Shade), String)> = Vec::new();
    for (bit, hue) in named.row.bits.iter().zip(&named.bits) {
        let hue = if bit.mixed { Hue::NONE } else { *hue };
        let d = piece(view, bit, named.row.lanes);
        match paths.iter_mut().find(|(key, _)| *key == (hue, bit.shade)) {
            Some((_, all)) => all.push_str(&d),
            None => paths.push(((hue, bit.shade), d)),
        }
    }
    html! {
        <svg class="tl-bits-svg" width={view.end().to_string()} height={HEIGHT.to_string()} hidden={paths.is_empty()} aria-hidden="true">
            { for paths.into_iter().map(|((hue, shade), d)| {
                let look = if shade == Shade::Handled { "is-handled" } else { "is-failed" };
                html! { <path key={format!("{}{shade:?}", hue.class())} class={classes!(hue.class(), look)} {d} /> }
            }) }
        </svg>
    }
}

fn piece(view: &Sheet, bit: &Bit, lanes: u8) -> String {
    let (x, width) = view.span(bit.from_ms, bit.to_ms);
    let (top, height) = place(bit.lane, lanes);
    let (x, top, height) = (Px(x), Px(top), Px(height));
    format!("M{x} {top}h{}v{height}H{x}z", Px(width.max(1.0)))
}
