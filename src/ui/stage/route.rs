//! Where a token is at rest, and the way from one place to another: along the rails and wires, so
//! that nothing passes through a waiting message.

use lockstep_core::ids::ClientId;
use lockstep_core::view::stage::{HoldState, HoldView, Place, StageView};

use super::layout::{Density, GrpcCard, Layout, Rect};

/// Messages in hand that a consumer's row has room for; the others lie below the last of them.
pub const IN_ROW: usize = 2;

/// A point: the middle of a token.
pub type Point = (f64, f64);

/// Geometry of one view.
pub struct Routes<'a> {
    /// The view.
    pub view: &'a StageView,
    /// Its layout.
    pub layout: &'a Layout,
    /// Where rows of consumers stand.
    pub row: &'a dyn Fn(usize, lockstep_core::ids::ClientId) -> Option<Rect>,
    /// Left edge and width of the shelf's levels.
    pub levels: &'a [(f64, f64)],
}

impl Routes<'_> {
    /// Size of a token at a place.
    pub fn size(&self, place: &Place) -> (f64, f64) {
        match place {
            Place::Shelf { .. } => (36.0, 26.0),
            Place::Half { .. } => (22.0, 18.0),
            Place::Hold { .. } if self.layout.density == Density::Phone => {
                (36.0, self.layout.style.token_h)
            }
            Place::Hold { client, hold, .. } => match self.hold(*client, *hold) {
                Some((card, _)) if card.is_line() => (22.0, 18.0),
                _ => (36.0, 26.0),
            },
            Place::Tray { .. } => (36.0, 22.0),
            Place::Row { .. } if self.layout.density == Density::Phone => {
                (36.0, self.layout.style.token_h)
            }
            Place::Row { lane, client, .. } => {
                let h = (self.row)(*lane, *client).map_or(40.0, |r| r.h);
                (36.0, self.layout.style.token_h.min(h - 6.0).max(18.0))
            }
            _ => (36.0, self.layout.style.token_h),
        }
    }

    /// Where a token at a place has its middle; None when the place is not on the stage.
    pub fn rest(&self, place: &Place) -> Option<Point> {
        let layout = self.layout;
        Some(match *place {
            Place::Wire { port, lane, nth } => self.on_wire(port, lane, nth)?,
            Place::Slot { lane, offset } => {
                let rect = layout.lanes.get(lane)?;
                let view = self.view.lanes.get(lane)?;
                if view.slots.is_empty() {
                    return None;
                }
                let gap = (view.hidden > 0).then(|| (view.shown(), offset - (view.max - 1)));
                let x = Layout::column_x(layout.style.slot_x, offset - view.first, gap);
                (rect.x + x + 18.0, rect.y + layout.style.slot_y + layout.style.token_h / 2.0)
            }
            Place::Row { lane, client, nth } => {
                if layout.density == Density::Phone {
                    let offset = self.view.lanes.get(lane)?.next + i64::from(nth);
                    return self.rest(&Place::Slot { lane, offset });
                }
                let rect = (self.row)(lane, client)?;
                let place = (nth as usize).min(IN_ROW - 1) as f64;
                (rect.x + 26.0 + 40.0 * place, rect.middle())
            }
            Place::Shelf { level, nth } => {
                let rect = layout.shelf?;
                let place = self.view.shelf.levels.iter().position(|l| l.level == level)?;
                let (x, w) = *self.levels.get(place)?;
                let pitch = ((w - 20.0) / 2.0).min(42.0);
                let left = x + (w - (w - 3.0).min(101.0)) / 2.0 + 8.0;
                (left + 18.0 + pitch * f64::from(nth), rect.bottom() - 22.0)
            }
            Place::Hold { client, hold, nth } => self.in_hold(client, hold, nth as usize)?,
            Place::Half { nth } => {
                let rect = layout.halves?;
                (rect.right() - 20.0 - 26.0 * f64::from(nth), rect.middle())
            }
            Place::Tray { nth } => {
                let rect = layout.tray?;
                let (x, y) = super::tray_place(nth);
                (rect.x + x + 18.0, rect.y + y + 11.0)
            }
        })
    }

    /// The card of a gRPC consumer, and the row of one of its holds.
    fn hold(&self, client: ClientId, hold: usize) -> Option<(&GrpcCard, Rect)> {
        let index = self.view.consumers.iter().position(|consumer| consumer.id == client)?;
        let card = self.layout.side.cards.get(index)?.as_ref()?;
        Some((card, *card.rows.get(hold)?))
    }

    /// The first message of a hold stands alone, what it received with it behind it as a pile;
    /// what an application has in its hands stands side by side.
    fn in_hold(&self, client: ClientId, hold: usize, nth: usize) -> Option<Point> {
        let consumer = self.view.consumers.iter().find(|consumer| consumer.id == client)?;
        let view = consumer.holds.get(hold)?;
        if self.layout.density == Density::Phone {
            let held = view.messages.get(nth)?;
            let (lane, offset) = (held.lane?, held.offset);
            let in_sight = self.view.lanes.get(lane)?.slots.iter().any(|s| s.offset == offset);
            return in_sight.then(|| self.rest(&Place::Slot { lane, offset }))?;
        }
        if nth >= PILE {
            return None;
        }
        let (card, rect) = self.hold(client, hold)?;
        if card.is_line() {
            return Some((rect.x + 9.0 + 2.0 * nth.min(2) as f64, rect.middle()));
        }
        let shown = hold_tokens(view, self.layout);
        match view.state {
            HoldState::InHand if nth >= shown => None,
            HoldState::InHand => Some((rect.x + 26.0 + 40.0 * nth as f64, rect.y + 17.0)),
            _ => Some((rect.x + 26.0 + 2.0 * nth.min(2) as f64, rect.y + 17.0)),
        }
    }

    /// A message on its way rests in the middle of the wire from its port to its lane.
    fn on_wire(&self, port: Option<usize>, lane: Option<usize>, nth: u32) -> Option<Point> {
        let layout = self.layout;
        if layout.density == Density::Strips {
            return None;
        }
        let end = match lane.and_then(|l| layout.lanes.get(l)) {
            Some(rect) => (rect.x, rect.y + layout.style.write_y),
            // Which queue it will be is known behind the proxy.
            None => match (layout.folded.first(), layout.proxies[0]) {
                (Some(r), _) => (r.x, r.middle()),
                (None, Some(bar)) => (bar.x, port.and_then(|p| layout.ports.get(p))?.1 + 13.0),
                (None, None) => return None,
            },
        };
        if layout.density == Density::Phone {
            let rect = layout.lanes.get(lane?)?;
            let view = self.view.lanes.get(lane?)?;
            let slot =
                self.rest(&Place::Slot { lane: lane?, offset: view.max + i64::from(nth) })?;
            return Some((slot.0.min(rect.right() - 24.0), slot.1));
        }
        let start = port
            .and_then(|p| layout.ports.get(p))
            .map_or((layout.port_exit, end.1), |&(_, y)| (layout.port_exit, y + 13.0));
        let shift = 14.0 * f64::from(nth);
        Some(((start.0 + end.0) / 2.0 - shift, (start.1 + end.1) / 2.0))
    }

    /// The way of a token that was not on the stage: from its producer through its port.
    pub fn entry(&self, producer: usize, port: Option<usize>) -> Vec<Point> {
        let mut way = Vec::new();
        if let Some(rect) = self.layout.producers.get(producer) {
            way.push((rect.right() - 20.0, rect.middle()));
        }
        if let Some(&(x, y)) = port.and_then(|p| self.layout.ports.get(p)) {
            way.push((x + 15.0, y + 13.0));
            way.push((self.layout.port_exit, y + 13.0));
        }
        way
    }

    /// The points between two places, ends excluded.
    pub fn between(&self, from: &Place, to: &Place) -> Vec<Point> {
        if self.layout.density == Density::Phone {
            return Vec::new();
        }
        match (from, to) {
            (Place::Wire { .. }, Place::Slot { lane, .. }) => self.way_into_slot(*lane, to),
            (Place::Slot { lane, .. }, Place::Row { .. }) => self.way_out_of_slot(*lane, from, to),
            (Place::Row { .. }, Place::Slot { lane, .. }) => {
                let mut way = self.way_out_of_slot(*lane, to, from);
                way.reverse();
                way
            }
            (Place::Slot { lane, .. }, Place::Hold { .. }) => self.way_to_hold(*lane, from, to),
            (Place::Hold { .. }, Place::Slot { lane, .. }) => {
                let mut way = self.way_to_hold(*lane, to, from);
                way.reverse();
                way
            }
            (Place::Shelf { .. }, Place::Slot { lane, .. }) => {
                let mut way = self.up_the_dashes(from);
                way.extend(self.way_into_slot(*lane, to));
                way
            }
            (Place::Row { .. }, Place::Tray { .. }) => Vec::new(),
            (Place::Row { .. } | Place::Slot { .. }, Place::Shelf { .. }) => {
                let y = self.rest(to).map_or(0.0, |p| p.1);
                vec![
                    (self.layout.gate_x, self.rest(from).map_or(y, |p| p.1)),
                    (self.layout.gate_x, y),
                ]
            }
            _ => Vec::new(),
        }
    }

    /// Along the write rail and down.
    fn way_into_slot(&self, lane: usize, slot: &Place) -> Vec<Point> {
        let (Some(rect), Some(end)) = (self.layout.lanes.get(lane), self.rest(slot)) else {
            return Vec::new();
        };
        let y = rect.y + self.layout.style.write_y;
        vec![(rect.x, y), (end.0, y)]
    }

    /// Down to the read rail, along it and through the gate.
    fn way_out_of_slot(&self, lane: usize, slot: &Place, row: &Place) -> Vec<Point> {
        let (Some(rect), Some(start)) = (self.layout.lanes.get(lane), self.rest(slot)) else {
            return Vec::new();
        };
        let y = rect.y + self.layout.style.read_y;
        let end = self.rest(row).map_or(y, |p| p.1);
        let gate_y = if self.layout.density == Density::Compact { rect.middle() } else { y };
        vec![
            (start.0, y),
            (rect.right(), y),
            (self.layout.gate_x, gate_y),
            (self.layout.cards.x, (gate_y + end) / 2.0),
        ]
    }

    /// Down to the read rail, through the gate, and along the proxies' bar.
    fn way_to_hold(&self, lane: usize, slot: &Place, hold: &Place) -> Vec<Point> {
        let mut way = self.way_out_of_slot(lane, slot, hold);
        let end = self.rest(hold);
        way.pop();
        if let (Some(bar), Some(&(_, y)), Some(end)) = (self.layout.proxies[1], way.last(), end) {
            let x = bar.x + bar.w / 2.0;
            way.extend([(x, y), (x, end.1)]);
        }
        way
    }

    /// From the shelf to the left edge of the lanes.
    fn up_the_dashes(&self, from: &Place) -> Vec<Point> {
        let Some(start) = self.rest(from) else { return Vec::new() };
        vec![(self.layout.put_back_x(), start.1)]
    }
}

/// Messages of a hold that have a token: as many as come out of the window of a lane.
const PILE: usize = 8;

/// How many messages of a hold stand side by side; the rest is a count.
pub fn hold_tokens(view: &HoldView, layout: &Layout) -> usize {
    match view.state {
        HoldState::InHand if !layout.narrow => 2,
        _ => 1,
    }
}

/// Length of a way.
pub fn length(way: &[Point]) -> f64 {
    way.windows(2).map(|w| (w[1].0 - w[0].0).hypot(w[1].1 - w[0].1)).sum()
}

/// The point at a share of a way, and the index of the leg that it lies on.
pub fn along(way: &[Point], share: f64) -> (Point, usize) {
    let mut left = length(way) * share.clamp(0.0, 1.0);
    for (leg, w) in way.windows(2).enumerate() {
        let step = (w[1].0 - w[0].0).hypot(w[1].1 - w[0].1);
        if left <= step && step > 0.0 {
            let t = left / step;
            return ((w[0].0 + (w[1].0 - w[0].0) * t, w[0].1 + (w[1].1 - w[0].1) * t), leg);
        }
        left -= step;
    }
    (way.last().copied().unwrap_or_default(), way.len().saturating_sub(2))
}

/// Screen time of a travel in ms: longer ways take longer, within bounds; fast play is shorter.
pub fn travel_ms(length: f64, speed: f64) -> f64 {
    let base = (260.0 + 0.35 * length).clamp(300.0, 600.0);
    (base / speed.max(1.0).sqrt()).max(120.0)
}

/// Speed from which on tokens do not travel.
pub const NO_TRAVEL_SPEED: f64 = 20.0;

/// The easing of travels, `cubic-bezier(.22, .61, .24, 1)`.
pub fn ease(t: f64) -> f64 {
    bezier(t, 0.22, 0.61, 0.24, 1.0)
}

fn bezier(x: f64, x1: f64, y1: f64, x2: f64, y2: f64) -> f64 {
    let at = |t: f64, a: f64, b: f64| {
        let u = 1.0 - t;
        3.0 * u * u * t * a + 3.0 * u * t * t * b + t * t * t
    };
    let (mut low, mut high) = (0.0, 1.0);
    // Twelve halvings are finer than a pixel of the longest way.
    for _ in 0..12 {
        let middle = (low + high) / 2.0;
        if at(middle, x1, x2) < x {
            low = middle;
        } else {
            high = middle;
        }
    }
    at((low + high) / 2.0, y1, y2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_walked_by_its_length() {
        let way = [(0.0, 0.0), (10.0, 0.0), (10.0, 30.0)];
        assert_eq!(length(&way), 40.0);
        assert_eq!(along(&way, 0.0), ((0.0, 0.0), 0));
        assert_eq!(along(&way, 0.25), ((10.0, 0.0), 0));
        assert_eq!(along(&way, 0.5), ((10.0, 10.0), 1));
        assert_eq!(along(&way, 1.0), ((10.0, 30.0), 1));
        assert_eq!(along(&[], 0.5), ((0.0, 0.0), 0));
    }

    #[test]
    fn travels_take_300_to_600_ms_and_less_when_fast() {
        assert_eq!(travel_ms(0.0, 1.0), 300.0);
        assert_eq!(travel_ms(400.0, 1.0), 400.0);
        assert_eq!(travel_ms(4_000.0, 0.1), 600.0);
        assert_eq!(travel_ms(4_000.0, 4.0), 300.0);
        assert_eq!(travel_ms(100.0, 1_000.0), 120.0);
    }

    #[test]
    fn the_easing_runs_from_0_to_1_and_slows_down() {
        assert!(ease(0.0).abs() < 0.01);
        assert!((ease(1.0) - 1.0).abs() < 0.01);
        assert!(ease(0.5) > 0.7);
    }
}
