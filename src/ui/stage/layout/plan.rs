//! The columns of a desk's stage, and what stands in the left ones.

use lockstep_core::view::stage::StageView;

use super::{Rect, GUTTER, NARROW_WIDTH, TOP};

/// The columns of a desk's stage, from left to right.
pub(super) struct Plan {
    pub top: f64,
    pub producer_w: f64,
    pub port_x: f64,
    pub port_texts: bool,
    pub port_exit: f64,
    pub lane_x: f64,
    pub lane_right: f64,
    pub gate_x: f64,
    pub card_x: f64,
    pub card_w: f64,
    pub narrow: bool,
}

impl Plan {
    /// The widest columns that leave room for lanes.
    pub fn of(width: f64) -> Self {
        if width < NARROW_WIDTH {
            let card_x = width - 12.0 - 114.0;
            return Self {
                top: 10.0,
                producer_w: 0.0,
                port_x: 12.0,
                port_texts: false,
                port_exit: 44.0,
                lane_x: 66.0,
                lane_right: card_x - 56.0,
                gate_x: card_x - 28.0,
                card_x: card_x - 10.0,
                card_w: 134.0,
                narrow: true,
            };
        }
        let wide = width >= 1_040.0;
        let producer_w = if wide { 120.0 } else { 72.0 };
        let port_x = GUTTER + producer_w + if wide { 48.0 } else { 36.0 };
        let port_texts = width >= 940.0;
        let port_exit = port_x + if port_texts { 134.0 } else { 36.0 };
        let card_x = width - GUTTER - 180.0;
        Self {
            top: TOP,
            producer_w,
            port_x,
            port_texts,
            port_exit,
            lane_x: port_exit + if port_texts { 50.0 } else { 40.0 },
            lane_right: card_x - 80.0,
            gate_x: card_x - 40.0,
            card_x,
            card_w: 180.0,
            narrow: false,
        }
    }
}

/// Ports stand near their lanes, in the order of the lanes, and never closer than they are high.
pub(super) fn ports(view: &StageView, lanes: &[Rect], plan: &Plan) -> Vec<(f64, f64)> {
    let count = view.ports.len();
    if count == 0 {
        return Vec::new();
    }
    let first = plan.top + 2.0;
    let last = lanes.last().map_or(plan.top + 72.0, Rect::bottom) - 28.0;
    let gap = ((last - first) / (count.max(2) - 1) as f64).clamp(28.0, 42.0);
    // Where each would like to stand: around the middle of its lane.
    let mut wanted: Vec<f64> = Vec::with_capacity(count);
    for (i, port) in view.ports.iter().enumerate() {
        let of_lane = |p: usize| view.ports.get(p).and_then(|other| other.lane) == port.lane;
        let before = (0..i).rev().take_while(|&p| of_lane(p)).count();
        let all = before + (i..count).take_while(|&p| of_lane(p)).count();
        let middle =
            port.lane.and_then(|l| lanes.get(l)).map_or((first + last) / 2.0, Rect::middle);
        wanted.push(middle - 21.0 + gap * (before as f64 - (all as f64 - 1.0) / 2.0));
    }
    // Down, then up: the order stays and nothing overlaps.
    let mut floor = first;
    for y in &mut wanted {
        *y = y.max(floor);
        floor = *y + gap;
    }
    let mut ceiling = last.max(first + gap * (count as f64 - 1.0));
    for y in wanted.iter_mut().rev() {
        *y = y.min(ceiling);
        ceiling = *y - gap;
    }
    wanted.into_iter().map(|y| (plan.port_x, y.round())).collect()
}

/// Producers stand at the middle of their ports.
pub(super) fn producers(
    view: &StageView,
    ports: &[(f64, f64)],
    plan: &Plan,
    lanes_end: f64,
) -> Vec<Rect> {
    if plan.narrow {
        return Vec::new();
    }
    let mut floor = plan.top + 8.0;
    let mut rects: Vec<Rect> = Vec::new();
    let count = view.producers.len();
    for (i, producer) in view.producers.iter().enumerate() {
        let h = 92.0 + 28.0 * (producer.threads.len().max(1) - 1) as f64;
        let ys: Vec<f64> =
            producer.wires.iter().filter_map(|&(p, _)| ports.get(p)).map(|p| p.1 + 13.0).collect();
        let share = (lanes_end - plan.top) / count.max(1) as f64;
        let middle =
            match (ys.iter().copied().reduce(f64::min), ys.iter().copied().reduce(f64::max)) {
                (Some(low), Some(high)) => (low + high) / 2.0,
                _ => plan.top + share * (i as f64 + 0.5),
            };
        let y = (middle - h / 2.0).round().max(floor);
        floor = y + h + 16.0;
        rects.push(Rect { x: GUTTER, y, w: plan.producer_w, h });
    }
    // As far up as they have to be to end with the lanes, when they have the room for it.
    let gaps = 16.0 * (count.max(1) - 1) as f64;
    let whole = plan.top + 8.0 + rects.iter().map(|rect| rect.h).sum::<f64>() + gaps;
    let mut ceiling = lanes_end.max(whole);
    for rect in rects.iter_mut().rev() {
        rect.y = rect.y.min(ceiling - rect.h);
        ceiling = rect.y - 16.0;
    }
    rects
}
