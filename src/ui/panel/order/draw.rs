//! Strips as a drawing.

use lockstep_core::view::order::{Cell, GroupStrips, Link, Strip};
use lockstep_core::view::Subject;
use yew::prelude::*;

use super::{strip_name, strip_note};
use crate::app::frame::Frame;
use crate::i18n::views::OrderText;
use crate::ui::draw::{classes, Draw};
use crate::ui::stage::layout::Rect;
use crate::ui::stage::svg::fall;
use crate::ui::token::{radius, shape, size, Hue, Look, TokenState};

/// Width of a card's frame and padding, in pixels.
const FRAME_PX: u32 = 34;
/// Space between two messages of a strip.
const SPACE: f64 = 10.0;
/// Room that a caption beside a message needs.
const CAPTION: f64 = 74.0;

/// A drawing with its size.
pub struct Drawn {
    /// Width and height in pixels.
    pub size: (f64, f64),
    /// Its shapes.
    pub shapes: Html,
}

/// How many messages of a group find room; none before the width is known.
pub fn messages(width: u32) -> usize {
    if width == 0 {
        return 0;
    }
    let room = f64::from(width.saturating_sub(FRAME_PX)) - label_width(width);
    // At least some; a card scrolls sideways when there is less room.
    ((room / (size::SHELF.0 + SPACE)) as usize).clamp(6, 40)
}

fn label_width(width: u32) -> f64 {
    if width < 480 {
        106.0
    } else {
        124.0
    }
}

/// Where everything lies.
struct Layout {
    label: f64,
    notes: bool,
    cell: (f64, f64),
    pitch: f64,
    captions: bool,
    /// Upper edge of each strip.
    y: [f64; 5],
}

impl Layout {
    fn of(group: &GroupStrips, width: u32) -> Self {
        let label = label_width(width);
        let room = f64::from(width.saturating_sub(FRAME_PX)) - label;
        let count = group.strips.iter().map(Vec::len).max().unwrap_or(0).max(1) as f64;
        let large = group.broken && room / count >= 58.0;
        let cell = if large { size::HEAD } else { size::SHELF };
        let captions = room / count >= cell.0 + CAPTION;
        let pitch = if captions {
            cell.0 + CAPTION + 8.0
        } else if large {
            cell.0 + SPACE + 2.0
        } else {
            cell.0 + SPACE
        };
        let mut y = [8.0; 5];
        for strip in 1..5 {
            let links = &group.links[strip - 1];
            let busy =
                links.iter().any(|link| link.from != link.to || link.again || link.failures > 0);
            let gap = match (busy, large) {
                (true, true) => 62.0,
                (true, false) => 38.0,
                (false, true) => 28.0,
                (false, false) => 12.0,
            };
            y[strip] = y[strip - 1] + cell.1 + gap;
        }
        Self { label, notes: width >= 480 && large, cell, pitch, captions, y }
    }

    fn x(&self, place: usize) -> f64 {
        self.label + self.pitch * place as f64
    }

    /// The middle of a cell's upper or lower edge.
    fn end(&self, strip: usize, place: usize, lower: bool) -> (f64, f64) {
        let y = self.y[strip] + if lower { self.cell.1 + 2.0 } else { -2.0 };
        (self.x(place) + self.cell.0 / 2.0, y)
    }
}

/// The strips of a group in a card of this width.
pub fn strips(frame: &Frame, group: &GroupStrips, width: u32) -> Drawn {
    let layout = Layout::of(group, width);
    let texts = OrderText(frame.locale);
    let mut draw = Draw::new();
    for strip in Strip::ALL {
        let y = layout.y[strip as usize];
        let mut names = Draw::new();
        let middle = y + layout.cell.1 / 2.0;
        let base = if layout.notes { middle - 2.0 } else { middle + 4.5 };
        names.text("name", "order-name", (0.0, base), strip_name(strip, texts));
        if layout.notes {
            names.text("note", "order-note", (0.0, base + 16.0), strip_note(strip, texts));
        }
        draw.group(strip as usize, "", (0.0, 0.0), names);
    }
    for (upper, links) in group.links.iter().enumerate() {
        let mut inner = Draw::new();
        link_lines(&mut inner, &layout, upper, links);
        draw.group(10 + upper, "", (0.0, 0.0), inner);
    }
    let selected = match frame.selection.or(frame.hover) {
        Some(Subject::Message(msg)) => Some(msg),
        _ => None,
    };
    for (strip, cells) in Strip::ALL.into_iter().zip(&group.strips) {
        let mut inner = Draw::new();
        for (place, cell) in cells.iter().enumerate() {
            let marked = selected == Some(cell.name.msg);
            let next = group.strips.get(strip as usize + 1);
            let retries = strip == Strip::Delivered
                && !next.is_some_and(|next| next.iter().any(|c| c.name.msg == cell.name.msg));
            one(&mut inner, &layout, (strip, place), cell, marked, retries);
        }
        draw.group(20 + strip as usize, "", (0.0, 0.0), inner);
    }
    for (upper, links) in group.links.iter().enumerate() {
        let mut inner = Draw::new();
        link_marks(&mut inner, &layout, upper, links);
        draw.group(30 + upper, "", (0.0, 0.0), inner);
    }
    let count = group.strips.iter().map(Vec::len).max().unwrap_or(0);
    let right = layout.x(count) + 4.0;
    Drawn { size: (right, layout.y[4] + layout.cell.1 + 8.0), shapes: draw.finish() }
}

/// A message in a strip.
fn one(
    draw: &mut Draw,
    layout: &Layout,
    (strip, place): (Strip, usize),
    cell: &Cell,
    marked: bool,
    retries: bool,
) {
    let state = match strip {
        Strip::Sent => TokenState::Initialised,
        Strip::Stored | Strip::Handled => TokenState::Ready,
        Strip::Delivered if retries && cell.failures > 0 => TokenState::Retry(cell.failures),
        // The whole band: it says that the message came, not how far its call is.
        Strip::Delivered => TokenState::InFlight(Some((0, 0))),
        Strip::Acknowledged if cell.dead => TokenState::Dead,
        Strip::Acknowledged => TokenState::Acknowledged,
    };
    let look = Look {
        label: AttrValue::from(&*cell.name.label),
        hue: Hue(cell.name.hue),
        state,
        size: layout.cell,
        again: false,
    };
    let mut inner = Draw::new();
    shape(&mut inner, &look);
    let whole = Rect { x: 0.0, y: 0.0, w: layout.cell.0, h: layout.cell.1 };
    let around = radius(layout.cell.1) + 3.0;
    if cell.late {
        inner.rect("late", "late-ring", whole.grown(4.0), around);
    }
    if marked {
        inner.rect(
            "marked",
            "order-marked",
            whole.grown(if cell.late { 7.0 } else { 3.0 }),
            around,
        );
    }
    if layout.captions {
        let seconds = format!("{}.{} s", cell.at_ms / 1_000, cell.at_ms % 1_000 / 100);
        let text = match strip {
            Strip::Stored => cell.place.to_string(),
            Strip::Delivered => format!("{} · {seconds}", cell.place),
            _ => seconds,
        };
        let at = (layout.cell.0 + 7.0, layout.cell.1 / 2.0 + 4.0);
        inner.text("caption", "order-caption", at, text);
    }
    let at = (layout.x(place), layout.y[strip as usize]);
    let key = format!("{}.{}", cell.name.msg.0, cell.nth);
    let subject = Subject::Message(cell.name.msg);
    draw.moment(key, "order-cell", at, (subject, cell.event), inner);
}

fn link_lines(draw: &mut Draw, layout: &Layout, upper: usize, links: &[Link]) {
    // Broken ones lie above the others.
    let mut order: Vec<&Link> = links.iter().collect();
    order.sort_by_key(|link| link.broken);
    for link in order {
        let (from, to) =
            (layout.end(upper, link.from, true), layout.end(upper + 1, link.to, false));
        let class = classes(
            "order-link",
            &[
                (link.broken, "is-broken"),
                (link.again, "is-again"),
                (link.from != link.to, "is-moved"),
            ],
        );
        let mut inner = Draw::new();
        inner.path("link", class, fall(from, to));
        draw.group(link.to, "", (0.0, 0.0), inner);
    }
}

/// Octagons where a broken link crosses another one, counts of failures, and what came again.
fn link_marks(draw: &mut Draw, layout: &Layout, upper: usize, links: &[Link]) {
    let ends =
        |link: &Link| (layout.end(upper, link.from, true), layout.end(upper + 1, link.to, false));
    for (place, link) in links.iter().enumerate() {
        let (from, to) = ends(link);
        let middle = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
        let label = match (link.failures, link.again) {
            (failures, _) if failures > 0 => Some((format!("×{failures}"), "badge")),
            (0, true) => Some(("2nd".to_owned(), "badge badge-again")),
            _ => None,
        };
        if let Some((label, class)) = label {
            let w = label.chars().count() as f64 * 7.0 + 9.0;
            let mut pill = Draw::new();
            pill.rect("pill", "badge-pill", Rect { x: 0.0, y: 0.0, w, h: 16.0 }, 8.0);
            pill.text("count", "badge-text", (w / 2.0, 12.0), label);
            draw.group(place, class, (middle.0 - w / 2.0, middle.1 - 8.0), pill);
        }
        if !link.broken {
            continue;
        }
        for (other, over) in links.iter().enumerate() {
            let crosses = !over.again && over.from > link.from && over.to < link.to;
            if crosses {
                let at = crossing((from, to), ends(over));
                draw.group(format!("{place}x{other}"), "order-octagon", at, octagon());
            }
        }
    }
}

/// Where two links cross. Both are cubics with vertical ends between the same heights, so each has
/// gone the same part `s` of its way to the side at the same height.
fn crossing(
    ((a1, y1), (a2, y2)): ((f64, f64), (f64, f64)),
    ((b1, _), (b2, _)): ((f64, f64), (f64, f64)),
) -> (f64, f64) {
    let s = (b1 - a1) / ((b1 - a1) + (a2 - b2));
    // s = 3 t² − 2 t³ rises from 0 to 1: halving finds t.
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    for _ in 0..24 {
        let t = (low + high) / 2.0;
        if t * t * (3.0 - 2.0 * t) < s {
            low = t;
        } else {
            high = t;
        }
    }
    let t = low;
    // The height's control points lie at half the distance.
    let down = 1.5 * t * (1.0 - t) + t * t * t;
    (a1 + (a2 - a1) * s, y1 + (y2 - y1) * down)
}

/// The mark of a broken guarantee around a point.
fn octagon() -> Draw {
    let mut draw = Draw::new();
    draw.path("octagon", "octagon", "M-3.6 -9h7.2L9 -3.6v7.2L3.6 9h-7.2L-9 3.6v-7.2z");
    draw.path("line", "octagon-line", "M-6 .4h2.6l1.6 -3.4 2.6 6 1.7 -3.6.7 1h2.6");
    draw
}
