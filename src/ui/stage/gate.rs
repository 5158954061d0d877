//! Lock gates: a ring that drains with the lease, on the line from a lane to its owner.

use lockstep_core::view::stage::{LaneView, LockView, Stands};
use yew::prelude::*;

use super::layout::{Density, Layout, Rect};
use super::svg::{num, translate};
use crate::i18n::stage::StageText;

/// Paths of the lock glyph, 16 wide around its middle.
const BODY: &str = "M-3.4 -0.9h6.8a.9 .9 0 0 1 .9 .9v4.1a.9 .9 0 0 1-.9 .9h-6.8a.9 .9 0 0 1-.9-.9v-4.1a.9 .9 0 0 1 .9-.9z";
const SHACKLE: &str = "M-2.5 -1v-1.8a2.5 2.5 0 0 1 5 0v1.8";
const OPEN_SHACKLE: &str = "M-2.5 -1v-2.4a2.5 2.5 0 0 1 4.9 -.8";

/// The gate of a lane, and the line through it from the lane to the consumer. All queues of one
/// consumer are renewed together, so that where lanes are close only the first of them is `named`
/// with what is left of the lease.
pub fn gate(lane: &LaneView, rect: &Rect, layout: &Layout, named: bool, text: StageText) -> Html {
    let compact = layout.density == Density::Compact;
    let y = if compact { rect.middle() } else { rect.y + layout.style.read_y };
    let (x, end) = (layout.gate_x, layout.cards.x + 10.0);
    let (left, right) = (rect.right(), x);
    let bars = if layout.narrow { 5.0 } else { 13.0 };
    match &lane.lock {
        LockView::None => {
            html! { <path class="rail" d={format!("M{} {}H{}", num(left), num(y), num(end))} /> }
        }
        LockView::Free => html! {<>
            <path class="rail is-cut" d={format!("M{} {}H{}M{} {}H{}", num(left), num(y), num(right - 19.0), num(right + 19.0), num(y), num(end))} />
            <circle class="gate-free" cx={num(x)} cy={num(y)} r="13" />
            <g class="lock is-open" transform={translate(x, y)}><path class="lock-line" d={OPEN_SHACKLE} /><path class="lock-line" d={BODY} /></g>
        </>},
        LockView::Held { name, gone, from_ms, until_ms, .. } => {
            let cut = matches!(lane.stands, Some(Stands::Suspended { .. })) || *gone;
            let line = format!(
                "M{} {}H{}M{} {}H{}",
                num(left),
                num(y),
                num(x - 19.0),
                num(x + 19.0),
                num(y),
                num(end)
            );
            html! {<>
                            <path class={classes!("rail", cut.then_some("is-cut"))} d={line} />
                            if let Some(Stands::Suspended { .. }) = lane.stands {
                                <path class="bars" d={format!("M{} {}v16M{} {}v16", num(left + bars), num(y - 8.0), num(left + bars + 5.0), num(y - 8.0))} />
                            }
                            <g class={classes!("gate", gone.then_some("is-gone"))} transform={translate(x, y)}>
                                <circle class="gate-track" r="13" />
                                <circle class="gate-ring" r="13" pathLength="100" transform="rotate(-90)"
                                    data-ring-from={from_ms.to_string()} data-ring-until={until_ms.to_string()} />
                                <g class="lock"><path class="lock-line" d={SHACKLE} /><path class="lock-body" d={BODY} /></g>
            if named || !compact {
                                    <text class="lease" y="-22">
                                        if !layout.narrow { <tspan key="word">{ text.lease() }</tspan> }
                                        <tspan key="left" dx="3" data-left={until_ms.to_string()} data-left-unit="s"></tspan>
                                    </text>
                                }
                                if *gone { <text class="gone" y="27">{ name.to_string() }</text> }
                            </g>
                        </>}
        }
    }
}
