//! From one number of queues to another: each listed group in its queue before and after, and a link
//! between the two, bold where it moves.

use lockstep_core::view::routing::{Landing, Row};
use yew::prelude::*;

use super::super::views;
use super::View;
use crate::ui::draw::{classes, Draw};
use crate::ui::stage::layout::Rect;
use crate::ui::stage::svg::wire;
use crate::ui::token::{shape, Hue, Look, TokenState};

/// Up to so many queues all are drawn; of more only those that a listed group lies in.
const MAX_BOXES: u32 = 16;
/// A token, and what it takes with the space around it.
const TOKEN: (f64, f64) = (30.0, 24.0);
const ROW: f64 = 30.0;
const GAP: f64 = 8.0;

/// A queue, or the place of those on which the selector throws.
struct Lane<'a> {
    landing: Landing,
    rows: Vec<&'a Row>,
    y: f64,
}

impl Lane<'_> {
    fn height(&self) -> f64 {
        ROW * self.rows.len().max(1) as f64 + 4.0
    }
}

/// The queues of a side from the top.
fn lanes<'a>(rows: &'a [Row], n: u32, of: fn(&Row) -> Landing) -> Vec<Lane<'a>> {
    let mut landings: Vec<Landing> = match n {
        0..=MAX_BOXES => (0..n).map(Landing::Queue).collect(),
        _ => Vec::new(),
    };
    for row in rows {
        // Whatever index it is: nothing is stored.
        let landing = match of(row) {
            Landing::Throws(_) => Landing::Throws(-1),
            landing => landing,
        };
        if !landings.contains(&landing) {
            landings.push(landing);
        }
    }
    landings.sort_by_key(|landing| landing.queue().unwrap_or(u32::MAX));
    let same = |a: Landing, b: Landing| match (a, b) {
        (Landing::Throws(_), Landing::Throws(_)) => true,
        (a, b) => a == b,
    };
    let mut y = 22.0;
    let mut lanes = Vec::new();
    for landing in landings {
        let lane =
            Lane { landing, rows: rows.iter().filter(|row| same(of(row), landing)).collect(), y };
        y += lane.height() + GAP;
        lanes.push(lane);
    }
    lanes
}

/// The card.
pub fn card(view: &View<'_>) -> Html {
    let (looked, texts) = (view.looked, view.texts);
    let width = f64::from(view.inner());
    let sides = [
        lanes(&looked.rows, looked.from, |row| row.from),
        lanes(&looked.rows, looked.to, |row| row.to),
    ];
    let end = |lanes: &[Lane<'_>]| lanes.last().map_or(0.0, |lane| lane.y + lane.height());
    let height = sides.iter().map(|lanes| end(lanes)).fold(40.0, f64::max) + 4.0;
    let box_w = (width * 0.34).clamp(84.0, 150.0);
    let mut draw = Draw::new();
    draw.text("from", "routing-count", (0.0, 13.0), texts.n_only(looked.from));
    draw.text("to", "routing-count end", (width, 13.0), texts.n_only(looked.to));
    let ends = [box_w - 10.0, width - box_w + 10.0];
    for (side, lanes) in sides.iter().enumerate() {
        let mut inner = Draw::new();
        for (place, lane) in lanes.iter().enumerate() {
            let mut shapes = Draw::new();
            queue_box(&mut shapes, view, side, lane, (width, box_w));
            inner.group(place, "", (0.0, 0.0), shapes);
        }
        draw.group(side, "", (0.0, 0.0), inner);
    }
    let y_of = |side: usize, row: &Row| {
        sides[side].iter().find_map(|lane| {
            let place = lane.rows.iter().position(|other| other.place == row.place)?;
            Some(lane.y + 2.0 + ROW * (place as f64 + 0.5))
        })
    };
    let mut inner = Draw::new();
    // What moves lies above what stays.
    let mut rows: Vec<&Row> = looked.rows.iter().collect();
    rows.sort_by_key(|row| row.moves());
    for row in rows {
        if let (Some(from), Some(to)) = (y_of(0, row), y_of(1, row)) {
            let class = classes("routing-link", &[(row.moves(), "moves")]);
            let mut link = Draw::new();
            link.path("link", class, wire((ends[0], from), (ends[1], to)));
            inner.group(row.place as usize, "", (0.0, 0.0), link);
        }
    }
    draw.group("links", "", (0.0, 0.0), inner);
    let moved = looked.rows.iter().filter(|row| row.moves()).count() as u32;
    let alt = texts.row_alt(moved, looked.rows.len(), looked.from, looked.to);
    let side = html! { <span class="small muted">{ texts.moves_bold() }</span> };
    let hidden = |lanes: &[Lane<'_>], n: u32| {
        n - lanes.iter().filter(|lane| lane.landing.queue().is_some()).count() as u32
    };
    let empty = hidden(&sides[0], looked.from).max(hidden(&sides[1], looked.to));
    let body = html! {<>
        <svg key="drawing" class="routing-svg" role="img" aria-label={alt} width={width.to_string()} height={height.to_string()}
            viewBox={format!("0 0 {width} {height}")}>{ draw.finish() }</svg>
        <p key="empty" class="small muted" hidden={empty == 0}>{ texts.empty(empty) }</p>
    </>};
    views::card("links", &texts.change_of(looked.from, looked.to), "", side, body)
}

fn queue_box(
    draw: &mut Draw,
    view: &View<'_>,
    side: usize,
    lane: &Lane<'_>,
    (width, box_w): (f64, f64),
) {
    let x = if side == 0 { 0.0 } else { width - box_w };
    let rect = Rect { x, y: lane.y, w: box_w, h: lane.height() };
    draw.rect("box", "routing-box", rect, 8.0);
    let name = match lane.landing {
        Landing::Queue(queue) => format!("q{queue}"),
        Landing::Throws(_) => view.texts.nowhere().to_owned(),
        Landing::Platform => "–".to_owned(),
    };
    let (at, class) = if side == 0 {
        ((x + 10.0, lane.y + 21.0), "routing-queue")
    } else {
        ((x + box_w - 10.0, lane.y + 21.0), "routing-queue end")
    };
    draw.text("name", class, at, name);
    for (place, row) in lane.rows.iter().enumerate() {
        let Some((letter, hue)) = view.looked.looks.get(row.place as usize) else { continue };
        let look = Look {
            label: AttrValue::from(letter.clone()),
            hue: Hue(*hue),
            state: TokenState::Ready,
            size: TOKEN,
            again: false,
        };
        let mut inner = Draw::new();
        shape(&mut inner, &look);
        let x = if side == 0 { x + box_w - TOKEN.0 - 10.0 } else { x + 10.0 };
        let y = lane.y + 2.0 + ROW * place as f64 + (ROW - TOKEN.1) / 2.0;
        draw.group(place, "", (x, y), inner);
    }
}
