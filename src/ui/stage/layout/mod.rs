//! Where everything stands on the stage, in CSS pixels. Computed from the size of the stage and
//! from how many things there are, so that the same view can be drawn at any width.

mod lower;
mod phone;
mod plan;
mod side;
mod strips;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

use lockstep_core::view::stage::StageView;

use lower::Lower;
use plan::{ports, producers, Plan};
pub use side::{GrpcCard, OtherGroup, Side, WAITING_PITCH};
pub use strips::{StripColumn, FIRST_STRIP_Y};

/// How lanes are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Density {
    /// 72 high, with offsets: up to five lanes.
    Full,
    /// 44 high: up to twelve.
    Compact,
    /// One strip for each queue.
    Strips,
    /// As wide as the screen, with the lock in the lane's head.
    Phone,
}

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
}

impl Rect {
    /// Right edge.
    pub fn right(&self) -> f64 {
        self.x + self.w
    }

    /// Lower edge.
    pub fn bottom(&self) -> f64 {
        self.y + self.h
    }

    /// The rectangle with so much more on each side.
    pub fn grown(&self, by: f64) -> Self {
        Self { x: self.x - by, y: self.y - by, w: self.w + 2.0 * by, h: self.h + 2.0 * by }
    }

    /// Middle of the height.
    pub fn middle(&self) -> f64 {
        self.y + self.h / 2.0
    }
}

/// Distance from one slot to the next.
pub const SLOT_PITCH: f64 = 42.0;
/// Width of a token in a lane.
pub const TOKEN_W: f64 = 36.0;
/// Left edge of the stage's things.
pub const GUTTER: f64 = 20.0;
/// Height of the band of one folded topic.
const FOLD_H: f64 = 26.0;

/// Height of the heading of the routing below the lanes.
pub const ROUTING_HEAD_H: f64 = 24.0;
/// From one row of it to the next.
pub const ROUTING_PITCH: f64 = 34.0;

/// Room at the right end of a compact lane for its lag; a narrow stage leaves it to the timeline.
pub const LAG_PX: f64 = 58.0;

/// The measures inside a lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaneStyle {
    /// Height.
    pub h: f64,
    /// Distance to the next lane's top.
    pub pitch: f64,
    /// Left edge of the first slot.
    pub slot_x: f64,
    /// Upper edge of the slots.
    pub slot_y: f64,
    /// Height of a token.
    pub token_h: f64,
    /// The write rail.
    pub write_y: f64,
    /// The read rail.
    pub read_y: f64,
    /// Radius of the frame.
    pub radius: f64,
    /// Room at the right end for the lag; 0 where it stands elsewhere.
    pub lag_w: f64,
}

const FULL: LaneStyle = LaneStyle {
    h: 72.0,
    pitch: 80.0,
    slot_x: 56.0,
    slot_y: 13.0,
    token_h: 30.0,
    write_y: 7.0,
    read_y: 51.0,
    radius: 10.0,
    lag_w: 0.0,
};
const COMPACT: LaneStyle = LaneStyle {
    h: 44.0,
    pitch: 50.0,
    slot_x: 48.0,
    slot_y: 9.0,
    token_h: 24.0,
    write_y: 5.0,
    read_y: 37.0,
    radius: 8.0,
    lag_w: LAG_PX,
};
const PHONE: LaneStyle = LaneStyle {
    h: 94.0,
    pitch: 102.0,
    slot_x: 12.0,
    slot_y: 33.0,
    token_h: 30.0,
    write_y: 28.0,
    read_y: 71.0,
    radius: 10.0,
    lag_w: 0.0,
};

/// Where everything stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// How lanes are drawn.
    pub density: Density,
    /// Width of the drawing.
    pub width: f64,
    /// Height of the drawing; the stage scrolls when it is higher than the stage.
    pub height: f64,
    /// Measures inside a lane.
    pub style: LaneStyle,
    /// Lanes.
    pub lanes: Vec<Rect>,
    /// Producers.
    pub producers: Vec<Rect>,
    /// False where producers show only their name and what is next.
    pub wide_producers: bool,
    /// Left upper corners of the ports.
    pub ports: Vec<(f64, f64)>,
    /// True where ports show their key and hash.
    pub port_texts: bool,
    /// Where the wires from ports to lanes begin.
    pub port_exit: f64,
    /// Middle of the lock gates.
    pub gate_x: f64,
    /// The column of the consumers.
    pub cards: Rect,
    /// What stands in that column without belonging to a lane.
    pub side: Side,
    /// Where the brokers' names stand, where there are several brokers.
    pub broker_names: Vec<(f64, f64)>,
    /// The proxies' bar before the lanes, and the one behind them.
    pub proxies: [Option<Rect>; 2],
    /// The routing of message groups, where it stands below the lanes.
    pub routing: Option<Rect>,
    /// Folded topics.
    pub folded: Vec<Rect>,
    /// Half messages.
    pub halves: Option<Rect>,
    /// Where the delay shelf stands; its lower edge is the axis. None when there is no room.
    pub shelf: Option<Rect>,
    /// Baseline of the line that stands for the shelf where there is no room for it.
    pub shelf_line: Option<f64>,
    /// True where consumers have a row without a card, and producers are not drawn.
    pub narrow: bool,
    /// The tray of dead letters.
    pub tray: Option<Rect>,
    /// Columns of strips, where lanes are strips.
    pub strips: Vec<StripColumn>,
}

/// Height of the line with a broker's name, where there are several.
const BROKER_H: f64 = 22.0;
/// Width of a bar that stands for proxies.
const PROXY_W: f64 = 12.0;
/// Height of the head over the lanes.
const TOP: f64 = 42.0;
/// Most lanes that are drawn in full.
const MAX_FULL: usize = 5;
/// Most lanes that are drawn at all; more are strips.
pub const MAX_LANES: usize = 12;
/// Below this width producers are left out and message groups are letters.
const NARROW_WIDTH: f64 = 840.0;
/// Below this width the stage is drawn for a phone.
pub const PHONE_WIDTH: f64 = 600.0;

impl Layout {
    /// The layout of a view in a stage of a size.
    pub fn new(view: &StageView, width: f64, height: f64) -> Self {
        let lanes_h = height - Self::broker_names_h(view.brokers.len());
        let density = density(view.lanes.len(), width, lanes_h);
        match density {
            Density::Phone => phone::layout(view, width),
            Density::Strips => strips::layout(view, width, height),
            _ => desk(view, width, height, density),
        }
    }

    /// What the brokers' names take of the height of the lanes.
    pub fn broker_names_h(brokers: usize) -> f64 {
        if brokers > 1 {
            BROKER_H * brokers as f64
        } else {
            0.0
        }
    }

    /// Where messages that are put back go up, left of the lanes.
    pub fn put_back_x(&self) -> f64 {
        let lane_x = self.lanes.first().map_or(0.0, |lane| lane.x);
        self.proxies[0].map_or(lane_x - 16.0, |bar| bar.x - 7.0)
    }

    /// How many slots fit into a lane of a stage with so many lanes, the place of the next record
    /// included.
    pub fn columns(width: f64, height: f64, lanes: usize) -> usize {
        let (room, style) = match density(lanes, width, height) {
            Density::Phone => (width - 24.0, PHONE),
            density => {
                let plan = Plan::of(width);
                let style = style_of(density, plan.narrow);
                (plan.lane_right - plan.lane_x - style.lag_w, style)
            }
        };
        // At least: two before the offset, the head, the pill (two), the last.
        ((room - style.slot_x + 6.0) / SLOT_PITCH).max(6.0) as usize
    }

    /// Left edge of a slot, relative to its lane. `column` counts from the window's first record;
    /// with a gap after so many records, what lies behind it counts from the last record.
    pub fn column_x(slot_x: f64, column: i64, gap: Option<(i64, i64)>) -> f64 {
        let column = match gap {
            // The gap takes two columns.
            Some((shown, behind)) if column >= shown => shown + 2 + behind.max(0),
            _ => column.max(0),
        };
        slot_x + SLOT_PITCH * column as f64
    }
}

fn density(lanes: usize, width: f64, height: f64) -> Density {
    // What lies below the lanes may scroll out of sight; the lanes themselves should not.
    let fit = ((height - TOP + 8.0) / FULL.pitch) as usize;
    let with_shelf = ((height - TOP - 180.0) / FULL.pitch) as usize;
    if width < PHONE_WIDTH {
        Density::Phone
    } else if lanes > MAX_LANES {
        Density::Strips
    } else if lanes <= with_shelf.max(fit.min(MAX_FULL)) {
        Density::Full
    } else {
        Density::Compact
    }
}

fn style_of(density: Density, narrow: bool) -> LaneStyle {
    match density {
        Density::Compact if narrow => LaneStyle { lag_w: 0.0, ..COMPACT },
        Density::Compact => COMPACT,
        _ => FULL,
    }
}

fn desk(view: &StageView, width: f64, height: f64, density: Density) -> Layout {
    let mut plan = Plan::of(width);
    let style = style_of(density, plan.narrow);
    if plan.narrow {
        plan.top += choice_h(view);
    }
    let (lane_x, lane_w) = (plan.lane_x, plan.lane_right - plan.lane_x);
    let (ys, broker_names) = lane_ys(view, (lane_x, plan.top), |_| style.pitch);
    let lane = |y: f64| Rect { x: lane_x, y, w: lane_w, h: style.h };
    let lanes: Vec<Rect> = ys.into_iter().map(lane).collect();
    let lanes_end = lanes.last().map_or(plan.top + 72.0, Rect::bottom);
    let fold = |i: usize| {
        let y = lanes_end + 8.0 + (FOLD_H + 4.0) * i as f64;
        Rect { x: lane_x, y, w: lane_w, h: FOLD_H }
    };
    let folded: Vec<Rect> = (0..view.folded.len()).map(fold).collect();
    let halves = (view.halves > 0).then(|| fold(folded.len()));
    let below = halves.or(folded.last().copied()).map_or(lanes_end + 8.0, |r| r.bottom());
    let side = Side::of(view, &plan, height, lanes_end);
    let proxies = proxies(view, &plan, lanes_end, side.cards_end);
    let ports = ports(view, &lanes, &plan);
    let producers = producers(view, &ports, &plan, lanes_end);
    let producers_end = producers.last().map_or(0.0, |r| r.bottom() + 8.0);
    // The shelf begins below the producers.
    let below = below.max(producers_end);
    let lower = Lower::of(view, &plan, height, (lanes_end.max(side.end), below));
    Layout {
        density,
        width,
        height: lower.end.max(producers_end).max(height),
        style,
        producers,
        wide_producers: plan.producer_w > 100.0,
        ports,
        port_texts: plan.port_texts,
        port_exit: plan.port_exit,
        gate_x: plan.gate_x,
        cards: Rect { x: plan.card_x, y: plan.top, w: plan.card_w, h: lanes_end - plan.top },
        side,
        broker_names,
        proxies,
        lanes,
        routing: None,
        folded,
        halves,
        shelf: lower.shelf,
        shelf_line: lower.shelf_line,
        narrow: plan.narrow,
        tray: lower.tray,
        strips: Vec::new(),
    }
}

/// Upper edges of lanes that follow each other from `top` on, and the places of the brokers'
/// names between them, where there are several brokers.
fn lane_ys(
    view: &StageView,
    (x, top): (f64, f64),
    pitch: impl Fn(usize) -> f64,
) -> (Vec<f64>, Vec<(f64, f64)>) {
    let (mut ys, mut names, mut y) = (Vec::new(), Vec::new(), top);
    for lane in 0..view.lanes.len() {
        let begins = view.brokers.iter().any(|broker| broker.first_lane == lane);
        if begins && view.brokers.len() > 1 {
            names.push((x, y + 13.0));
            y += BROKER_H;
        }
        ys.push(y);
        y += pitch(lane);
    }
    (ys, names)
}

/// The bars of proxies: between the ports and the lanes, between the gates and the consumers.
fn proxies(view: &StageView, plan: &Plan, lanes_end: f64, cards_end: f64) -> [Option<Rect>; 2] {
    let bar = |x: f64, end: f64| Rect { x, y: plan.top, w: PROXY_W, h: end - plan.top };
    let sends = view.proxies.iter().any(|proxy| proxy.sends) && plan.port_texts;
    let receives = view.proxies.iter().any(|proxy| proxy.receives);
    let left = sends.then(|| bar(plan.lane_x - 17.0, lanes_end));
    let before = if plan.narrow { 3.0 } else { 16.0 };
    let right = receives.then(|| bar(plan.card_x - before, lanes_end.max(cards_end)));
    [left, right]
}

/// What the list of consumer groups takes where it has no place in a heading.
fn choice_h(view: &StageView) -> f64 {
    if view.other_groups.is_empty() {
        0.0
    } else {
        30.0
    }
}
