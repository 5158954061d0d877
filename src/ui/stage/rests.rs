//! Where each token of a view belongs. Tokens that rest in a lane are drawn inside the lane's
//! carrier, at a place that their offset alone decides: when the window of the lane goes on, only
//! the carrier is moved. All others are drawn where they rest on the stage.
//!
//! A token at rest has no `transform` of its own: a drawing with hundreds of them takes the browser
//! several times as long to prepare for the screen.

use std::collections::HashMap;

use lockstep_core::ids::{MessageQueue, MsgId};
use lockstep_core::view::stage::{LaneView, Place, TokenView};
use yew::NodeRef;

use super::layout::SLOT_PITCH;
use super::route::{Point, Routes};

/// A token's key: the message and the number of its copy.
pub type Key = (MsgId, u32);

/// From so many records on a carrier is begun anew: a browser's coordinates are not exact at
/// hundred thousands of pixels.
const FAR: i64 = 1_000;

/// Where a token belongs.
#[derive(Clone, Debug, PartialEq)]
pub struct Rest {
    /// The token.
    pub key: Key,
    /// Its place.
    pub place: Place,
    /// The lane whose carrier holds it.
    pub carrier: Option<MessageQueue>,
    /// Where its middle rests on the stage.
    pub at: Point,
    /// Where its middle is drawn: on the stage, or on its carrier.
    pub own: Point,
    /// Its size.
    pub size: (f64, f64),
    /// Its element.
    pub node: NodeRef,
}

impl Rest {
    /// Left upper corner of the drawing.
    pub fn corner(&self) -> Point {
        (self.own.0 - self.size.0 / 2.0, self.own.1 - self.size.1 / 2.0)
    }
}

/// What holds the tokens of a lane.
#[derive(Clone, Debug, PartialEq)]
pub struct Carrier {
    /// The lane's queue.
    pub queue: MessageQueue,
    /// The offset for which it stands where it was drawn.
    pub base: i64,
    /// How far it has to be to the right.
    pub shift: f64,
    /// Its element.
    pub node: NodeRef,
}

/// Everything that moves, as one rendering places it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rests {
    /// One for each lane with slots.
    pub carriers: Vec<Carrier>,
    /// Tokens on the stage, in the order in which they are drawn, each with its place in the view.
    pub tokens: Vec<(usize, Rest)>,
}

/// The elements of tokens and carriers, kept from one rendering to the next.
#[derive(Default)]
pub struct Nodes {
    tokens: HashMap<Key, NodeRef>,
    carriers: HashMap<MessageQueue, (i64, NodeRef)>,
}

impl Nodes {
    /// Where everything belongs.
    pub fn rests(&mut self, routes: &Routes<'_>) -> Rests {
        let lanes = routes.view.lanes.iter().filter(|lane| !lane.slots.is_empty());
        let carriers: Vec<Carrier> = lanes.map(|lane| self.carrier(lane)).collect();
        let mut known = std::mem::take(&mut self.tokens);
        let mut tokens = Vec::with_capacity(routes.view.tokens.len());
        for (index, token) in routes.view.tokens.iter().enumerate() {
            let Some(at) = routes.rest(&token.place) else { continue };
            let key = (token.name.msg, token.copy);
            let node = known.remove(&key).unwrap_or_default();
            self.tokens.insert(key, node.clone());
            let carrier = carried(token, routes)
                .and_then(|queue| carriers.iter().find(|carrier| carrier.queue == queue));
            let own = (at.0 - carrier.map_or(0.0, |carrier| carrier.shift), at.1);
            let (place, size) = (token.place, routes.size(&token.place));
            let carrier = carrier.map(|carrier| carrier.queue);
            tokens.push((index, Rest { key, place, carrier, at, own, size, node }));
        }
        Rests { carriers, tokens }
    }

    fn carrier(&mut self, lane: &LaneView) -> Carrier {
        let (base, node) =
            self.carriers.entry(lane.queue).or_insert_with(|| (lane.first, NodeRef::default()));
        if (lane.first - *base).abs() > FAR {
            *base = lane.first;
        }
        let shift = -SLOT_PITCH * (lane.first - *base) as f64;
        Carrier { queue: lane.queue, base: *base, shift, node: node.clone() }
    }
}

/// The queue of the lane that a token rests in. The last record behind a gap does not go with the
/// window.
fn carried(token: &TokenView, routes: &Routes<'_>) -> Option<MessageQueue> {
    let Place::Slot { lane, offset } = token.place else { return None };
    let lane = routes.view.lanes.get(lane)?;
    let behind_gap = lane.hidden > 0 && offset - lane.first >= lane.shown();
    (!behind_gap).then_some(lane.queue)
}
