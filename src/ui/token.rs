//! The token: colour and letter say the message group, shape says the state.

use yew::prelude::*;

use super::draw::Draw;
use super::stage::layout::Rect;
use super::stage::svg::Path;

/// A colour of the palette: 0 to 7, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hue(pub u8);

impl Hue {
    /// No message group.
    pub const NONE: Self = Self(u8::MAX);

    /// The CSS class that sets `--fill`, `--edge` and `--on-fill`.
    pub fn class(self) -> &'static str {
        const CLASSES: [&str; 8] = ["g0", "g1", "g2", "g3", "g4", "g5", "g6", "g7"];
        CLASSES.get(usize::from(self.0)).copied().unwrap_or("gn")
    }

    /// The style that fills with its stripes.
    fn stripes(self) -> &'static str {
        const STRIPES: [&str; 8] = [
            "fill:url(#stripes-g0)",
            "fill:url(#stripes-g1)",
            "fill:url(#stripes-g2)",
            "fill:url(#stripes-g3)",
            "fill:url(#stripes-g4)",
            "fill:url(#stripes-g5)",
            "fill:url(#stripes-g6)",
            "fill:url(#stripes-g7)",
        ];
        STRIPES.get(usize::from(self.0)).copied().unwrap_or("fill:url(#stripes-gn)")
    }
}

/// The state of a message, as its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenState {
    /// Built, and not stored yet.
    Initialised,
    /// Can be delivered.
    Ready,
    /// With a consumer. The band fills from the first to the second instant in ms; None = full.
    InFlight(Option<(i64, i64)>),
    /// Delivered, and with nobody. The band drains from the first to the second instant in ms;
    /// None = a part of it.
    Invisible(Option<(i64, i64)>),
    /// The place in the lane of one that is with a consumer.
    Away,
    /// Waiting for retry after this many failures.
    Retry(u32),
    /// Held back by another message.
    Blocked,
    /// Under a delay level.
    Scheduled,
    /// Consumed.
    Acknowledged,
    /// A dead letter.
    Dead,
    /// Passed over by the group's offset, and never delivered.
    Passed,
    /// A place that is reserved for a message on its way.
    Arriving,
}

/// Everything about the look of a token.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Label, such as `A2`.
    pub label: AttrValue,
    /// Colour.
    pub hue: Hue,
    /// State.
    pub state: TokenState,
    /// Width and height.
    pub size: (f64, f64),
    /// Delivered before to somebody whose result did not count.
    pub again: bool,
}

/// Sizes that the design names.
pub mod size {
    /// In a full lane.
    pub const STANDARD: (f64, f64) = (36.0, 30.0);
    /// In a compact lane.
    pub const COMPACT: (f64, f64) = (36.0, 24.0);
    /// On the shelf.
    pub const SHELF: (f64, f64) = (36.0, 26.0);
    /// In a producer.
    pub const SMALL: (f64, f64) = (28.0, 23.0);
    /// In the legend and the trays.
    pub const LEGEND: (f64, f64) = (22.0, 18.0);
    /// In the head of the panel.
    pub const HEAD: (f64, f64) = (46.0, 38.0);
}

/// Radius of a token of a height.
pub fn radius(height: f64) -> f64 {
    (height * 0.24).min(7.0)
}

/// Width of a label at 13 px and weight 650, scaled to the token's height.
fn label_width(label: &str, height: f64) -> f64 {
    label.chars().map(|c| if c.is_ascii() { 8.7 } else { 13.0 }).sum::<f64>() * font_px(height)
        / 13.0
}

/// No text is smaller.
const LEAST_FONT_PX: f64 = 11.0;

/// Size of the label: 13 at the standard height, never below 11.
fn font_px(height: f64) -> f64 {
    (13.0 * (height / 30.0)).clamp(11.0, 22.0).max(if height >= 23.0 {
        13.0_f64.min(height * 0.5)
    } else {
        11.0
    })
}

/// Adds the token as a group of shapes with its left upper corner at 0, 0.
pub fn shape(draw: &mut Draw, look: &Look) {
    shape_at(draw, look, (0.0, 0.0));
}

/// Adds the token as a group of shapes with its left upper corner at a place. The place is in the
/// shapes themselves: each `transform` costs the browser time in every frame. Only stripes and
/// hatching need one, they begin at the corner.
pub fn shape_at(draw: &mut Draw, look: &Look, at: (f64, f64)) {
    let patterned = matches!(look.state, TokenState::Retry(_) | TokenState::Blocked);
    let (group_at, at) = if patterned { (at, (0.0, 0.0)) } else { ((0.0, 0.0), at) };
    let (w, h) = look.size;
    let r = radius(h);
    let mut inner = Draw::new();
    let inset = half_line(look.state);
    let whole = Rect { x: at.0, y: at.1, w, h };
    let (body, rx) = (whole.grown(-inset), (r - inset).max(1.0));
    if has_ground(look.state) {
        inner.rect("ground", "token-ground", body, rx);
    }
    inside(&mut inner, look, &whole);
    // A style, because the style sheet's own fill would win over an attribute.
    let stripes = matches!(look.state, TokenState::Retry(_)).then(|| look.hue.stripes());
    inner.styled_rect("body", "token-body", body, rx, stripes);
    plate(&mut inner, look, &whole);
    label(&mut inner, look, &whole);
    badge(&mut inner, look, at);
    let class = format!("token {} {}", look.hue.class(), state_class(look.state));
    draw.group("token", class, group_at, inner);
}

/// Whether what lies below is covered by a ground of its own: a full token covers it anyway, an
/// outline shows it.
fn has_ground(state: TokenState) -> bool {
    !matches!(
        state,
        TokenState::Ready
            | TokenState::Away
            | TokenState::Acknowledged
            | TokenState::Passed
            | TokenState::Arriving
    )
}

/// The label; smaller where it is long, and squeezed where even that does not fit.
fn label(draw: &mut Draw, look: &Look, whole: &Rect) {
    let (width, height) = look.size;
    if look.state == TokenState::Arriving {
        return;
    }
    let room = width - 6.0;
    let full = font_px(height);
    let wide = |px: f64| label_width(&look.label, height) * px / full > room;
    let px = if wide(full) { LEAST_FONT_PX } else { full };
    let font = (px != 13.0).then_some(px);
    let middle = (whole.x + width / 2.0, whole.middle());
    draw.label("label", "token-label", middle, &look.label, font, wide(px).then_some(room));
}

fn half_line(state: TokenState) -> f64 {
    match state {
        TokenState::Away | TokenState::Dead => 0.75,
        TokenState::Retry(_) | TokenState::Scheduled => 0.875,
        TokenState::Blocked | TokenState::Arriving => 0.625,
        _ => 0.5,
    }
}

fn state_class(state: TokenState) -> &'static str {
    match state {
        TokenState::Initialised => "is-initialised",
        TokenState::Ready => "is-ready",
        TokenState::InFlight(_) => "is-in-flight",
        TokenState::Invisible(_) => "is-invisible",
        TokenState::Away => "is-away",
        TokenState::Retry(_) => "is-retry",
        TokenState::Blocked => "is-blocked",
        TokenState::Scheduled => "is-scheduled",
        TokenState::Acknowledged => "is-acknowledged",
        TokenState::Dead => "is-dead",
        TokenState::Passed => "is-passed",
        TokenState::Arriving => "is-arriving",
    }
}

/// What lies between ground and outline: the band, the hatching, the diagonals.
fn inside(draw: &mut Draw, look: &Look, whole: &Rect) {
    let height = whole.h;
    match look.state {
        TokenState::InFlight(span) | TokenState::Invisible(span) => {
            let drains = matches!(look.state, TokenState::Invisible(_));
            let scale = (height / 30.0).max(0.75);
            let (band, inset) = (3.2 * scale, 2.6 * scale);
            let d = ring_path(whole, inset + band / 2.0);
            draw.band("track", "band-track", d.clone(), band, (Some((0, 0)), false));
            draw.band("band", "band", d, band, (span, drains));
        }
        TokenState::Blocked => {
            draw.rect("hatch", "token-hatch", whole.grown(-1.0), radius(height) - 1.0);
        }
        TokenState::Dead => {
            let (x, y) = (whole.x + 3.0, whole.y + 3.0);
            let (w, h) = (whole.w - 6.0, height - 6.0);
            let cross = Path::at(x, y).l(w, h).m(x + w, y).l(-w, h);
            draw.path("cross", "token-cross", cross.done());
        }
        _ => {}
    }
}

/// A rounded rectangle that starts at the top centre and runs clockwise.
fn ring_path(whole: &Rect, inset: f64) -> String {
    let r = (radius(whole.h) - inset).max(1.5);
    let (left, right) = (whole.x + inset + r, whole.right() - inset - r);
    let side = whole.h - 2.0 * (inset + r);
    let path = Path::at(whole.x + whole.w / 2.0, whole.y + inset).h(right);
    let path = path.arc(r, r, r).dv(side).arc(r, -r, r);
    path.h(left).arc(r, -r, -r).dv(-side).arc(r, r, -r).z()
}

/// The plate under a label that stands on stripes or hatching.
fn plate(draw: &mut Draw, look: &Look, whole: &Rect) {
    if !matches!(look.state, TokenState::Retry(_) | TokenState::Blocked) {
        return;
    }
    let h = 17.0 * (whole.h / 30.0).max(0.72);
    let w = (label_width(&look.label, whole.h) + 6.0).min(whole.w - 4.0);
    let (x, y) = (whole.x + (whole.w - w) / 2.0, whole.y + (whole.h - h) / 2.0);
    draw.rect("plate", "token-plate", Rect { x, y, w, h }, 4.0);
}

/// The count of failures, or "2nd".
fn badge(draw: &mut Draw, look: &Look, at: (f64, f64)) {
    let (label, class) = match (look.state, look.again) {
        (TokenState::Retry(failures), _) if failures > 0 => (format!("×{failures}"), "badge"),
        (TokenState::InFlight(_), true) => ("2nd".to_owned(), "badge badge-again"),
        _ => return,
    };
    let w = label.chars().count() as f64 * 7.0 + 9.0;
    let right = look.size.0 * 1.26;
    let mut inner = Draw::new();
    inner.rect("pill", "badge-pill", Rect { x: 0.0, y: 0.0, w, h: 16.0 }, 8.0);
    inner.text("count", "badge-text", (w / 2.0, 12.0), label);
    draw.group("badge", class, (at.0 + right - w, at.1 - 8.0), inner);
}

/// Properties of [`Token`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct Props {
    /// Its look.
    pub look: Look,
}

/// A token in running text, in a list, in a heading.
#[component]
pub fn Token(props: &Props) -> Html {
    let (width, height) = props.look.size;
    // Room for the badge and for lines on the edge.
    let badge = matches!(props.look.state, TokenState::Retry(1..)) || props.look.again;
    let (over, right) = if badge { (9.0, width * 0.26 + 2.0) } else { (1.0, 1.0) };
    let (w, h) = (width + 1.0 + right, height + 1.0 + over);
    html! {
        <svg class="token-svg" width={w.to_string()} height={h.to_string()} viewBox={format!("-1 -{over} {w} {h}")} aria-hidden="true" focusable="false">
            { token_html(&props.look) }
        </svg>
    }
}

fn token_html(look: &Look) -> Html {
    let mut draw = Draw::new();
    shape(&mut draw, look);
    draw.finish()
}

/// The patterns that tokens and lanes refer to; once in the page.
pub fn patterns() -> Html {
    const HUES: [u8; 9] = [0, 1, 2, 3, 4, 5, 6, 7, u8::MAX];
    html! {
        <svg class="patterns" width="0" height="0" aria-hidden="true" focusable="false">
            <defs>
                { for HUES.into_iter().map(|hue| {
                    let class = Hue(hue).class();
                    html! {
                        <pattern key={class} id={format!("stripes-{class}")} {class} width="7.8" height="7.8"
                            patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                            <rect class="stripe" width="4.2" height="7.8" />
                        </pattern>
                    }
                }) }
                <pattern key="hatch" id="hatch" width="3.4" height="3.4" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
                    <rect class="hatch-line" width="1.05" height="3.4" />
                </pattern>
                <pattern key="hatch-light" id="hatch-light" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
                    <rect class="hatch-light-line" width="1.2" height="4" />
                </pattern>
                <pattern key="hatch-plot" id="hatch-plot" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
                    <rect class="hatch-plot-line" width="1.4" height="5" />
                </pattern>
                <pattern key="hatch-lane" id="hatch-lane" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
                    <rect class="hatch-lane-line" width="1" height="5" />
                </pattern>
            </defs>
        </svg>
    }
}
