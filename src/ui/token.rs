//! The token: colour and letter say the message group, shape says the state.

use yew::prelude::*;

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
    /// Built, not sent.
    Initialised,
    /// Can be delivered.
    Ready,
    /// With a consumer. The band fills from the first to the second instant in ms; None = full.
    InFlight(Option<(i64, i64)>),
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

/// The token as a group of shapes with its left upper corner at 0, 0.
pub fn shape(look: &Look) -> Html {
    let (width, height) = look.size;
    let r = radius(height);
    let class = classes!("token", look.hue.class(), state_class(look.state));
    let body = |inset: f64| {
        let (w, h) = (width - 2.0 * inset, height - 2.0 * inset);
        (inset.to_string(), w.to_string(), h.to_string(), (r - inset).max(1.0).to_string())
    };
    let (x, w, h, rx) = body(half_line(look.state));
    // A style, because the style sheet's own fill would win over an attribute.
    let fill = matches!(look.state, TokenState::Retry(_)).then(|| look.hue.stripes());
    html! {
        <g {class}>
            <rect class="token-ground" key="ground" x={x.clone()} y={x.clone()} width={w.clone()} height={h.clone()} rx={rx.clone()} />
            <g key="inside">{ inside(look) }</g>
            <rect class="token-body" key="body" x={x.clone()} y={x} width={w} height={h} {rx} style={fill} />
            <g key="plate">{ plate(look) }</g>
            { label(look) }
            <g key="badge">{ badge(look) }</g>
        </g>
    }
}

/// The label; smaller where it is long, and squeezed where even that does not fit.
fn label(look: &Look) -> Html {
    let (width, height) = look.size;
    let text = if look.state == TokenState::Arriving { "" } else { &look.label };
    let room = width - 6.0;
    let full = font_px(height);
    let wide = |px: f64| label_width(text, height) * px / full > room;
    let px = if wide(full) { LEAST_FONT_PX } else { full };
    let squeezed = wide(px).then(|| room.to_string());
    html! {
        <text class="token-label" key="label" x={(width / 2.0).to_string()} y={(height / 2.0).to_string()} dy="0.36em"
            style={(px != 13.0).then(|| format!("font-size:{px}px"))}
            lengthAdjust={squeezed.is_some().then_some("spacingAndGlyphs")} textLength={squeezed}>
            { text.to_owned() }
        </text>
    }
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
        TokenState::Away => "is-away",
        TokenState::Retry(_) => "is-retry",
        TokenState::Blocked => "is-blocked",
        TokenState::Scheduled => "is-scheduled",
        TokenState::Acknowledged => "is-acknowledged",
        TokenState::Dead => "is-dead",
        TokenState::Arriving => "is-arriving",
    }
}

/// What lies between ground and outline: the band, the hatching, the diagonals.
fn inside(look: &Look) -> Html {
    let (width, height) = look.size;
    match look.state {
        TokenState::InFlight(span) => {
            let scale = height / 30.0;
            let (band, inset) = (3.2 * scale.max(0.75), 2.6 * scale.max(0.75));
            let d = ring_path(width, height, inset + band / 2.0);
            let line = format!("stroke-width:{band:.2}");
            let (from, until) = span.unzip();
            // Without a span a part of the band is drawn, so that it can be told from a frame.
            let part = span.is_none().then_some("60 200");
            html! {<>
                <path class="band-track" d={d.clone()} style={line.clone()} />
                <path class="band" {d} style={line} pathLength="100" stroke-dasharray={part} data-run-from={text(from)} data-run-until={text(until)} />
            </>}
        }
        TokenState::Blocked => html! {
            <rect class="token-hatch" x="1" y="1" width={(width - 2.0).to_string()} height={(height - 2.0).to_string()}
                rx={(radius(height) - 1.0).to_string()} />
        },
        TokenState::Dead => {
            let (r, b) = (width - 3.0, height - 3.0);
            html! { <path class="token-cross" d={format!("M3 3L{r} {b}M{r} 3L3 {b}")} /> }
        }
        _ => Html::default(),
    }
}

fn text(value: Option<i64>) -> Option<AttrValue> {
    value.map(|v| AttrValue::from(v.to_string()))
}

/// A rounded rectangle that starts at the top centre and runs clockwise.
fn ring_path(width: f64, height: f64, inset: f64) -> String {
    let r = (radius(height) - inset).max(1.5);
    let (left, right) = (inset + r, width - inset - r);
    let side = height - 2.0 * (inset + r);
    let arc = |x: f64, y: f64| format!("a{r:.2} {r:.2} 0 0 1 {x:.2} {y:.2}");
    format!(
        "M{:.2} {inset:.2}H{right:.2}{}v{side:.2}{}H{left:.2}{}v{:.2}{}z",
        width / 2.0,
        arc(r, r),
        arc(-r, r),
        arc(-r, -r),
        -side,
        arc(r, -r),
    )
}

/// The plate under a label that stands on stripes or hatching.
fn plate(look: &Look) -> Html {
    if !matches!(look.state, TokenState::Retry(_) | TokenState::Blocked) {
        return Html::default();
    }
    let (width, height) = look.size;
    let h = 17.0 * (height / 30.0).max(0.72);
    let w = label_width(&look.label, height) + 6.0;
    html! {
        <rect class="token-plate" x={((width - w) / 2.0).to_string()} y={((height - h) / 2.0).to_string()}
            width={w.to_string()} height={h.to_string()} rx="4" />
    }
}

/// The count of failures, or "2nd".
fn badge(look: &Look) -> Html {
    let (width, _) = look.size;
    let (label, class) = match (look.state, look.again) {
        (TokenState::Retry(failures), _) if failures > 0 => (format!("×{failures}"), "badge"),
        (TokenState::InFlight(_), true) => ("2nd".to_owned(), "badge badge-again"),
        _ => return Html::default(),
    };
    let w = label.chars().count() as f64 * 7.0 + 9.0;
    let right = width + width * 0.26;
    html! {
        <g {class} transform={format!("translate({:.2} -8)", right - w)}>
            <rect width={w.to_string()} height="16" rx="8" />
            <text x={(w / 2.0).to_string()} y="12">{ label }</text>
        </g>
    }
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
            { shape(&props.look) }
        </svg>
    }
}

/// The patterns that tokens and lanes refer to; once in the page.
#[component]
pub fn Patterns() -> Html {
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
                <pattern key="hatch-lane" id="hatch-lane" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
                    <rect class="hatch-lane-line" width="1" height="5" />
                </pattern>
            </defs>
        </svg>
    }
}
