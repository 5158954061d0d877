//! Who has a message in hand. Two consumers may have it at once: where two readers of a queue
//! overlap, and where a result came too late to be waited for.

use super::strand::{Item, Key, What};
use super::{Comparison, Side};
use crate::ids::{ClientId, Ms};
use crate::view::log::named;

/// The consumers that have a message, in the order in which they took it.
#[derive(Debug, Default)]
pub(super) struct Hands(Vec<Hand>);

#[derive(Debug)]
struct Hand {
    client: ClientId,
    /// Its name, in the numbering of both runs.
    name: u32,
    since_ms: Ms,
}

impl Hands {
    /// What an event changes; `client` is the process that it is about.
    fn follow(&mut self, item: &Item, client: Option<ClientId>) {
        let Some(client) = client else { return };
        self.0.retain(|hand| hand.client != client);
        if let What::Begun { client: name, .. } | What::Received { client: name, .. } = item.what {
            self.0.push(Hand { client, name, since_ms: item.at_ms });
        }
    }

    /// The names of the consumers that have it, in the numbering of both runs.
    pub fn names(&self) -> Vec<u32> {
        let mut names: Vec<u32> = self.0.iter().map(|hand| hand.name).collect();
        names.sort_unstable();
        names
    }

    /// A consumer that has it besides the last one that took it.
    pub fn besides_last(&self) -> Option<ClientId> {
        let (_, others) = self.0.split_last()?;
        others.last().map(|hand| hand.client)
    }
}

impl Comparison {
    /// Who has a message of a run in hand behind an event; `items` is what its consumer group did
    /// with it.
    pub(super) fn hands(&self, side: Side, items: &[Item], event: u32) -> Hands {
        let mut hands = Hands::default();
        for item in items {
            let client = self.record(side, item.fact).and_then(|fact| named(&fact.fact).client);
            hands.follow(item, client);
        }
        // Whoever stops has nothing any more.
        hands.0.retain(|hand| {
            let strand = self.strands.get(&Key::Party(hand.name));
            let items = strand.map_or(&[][..], |strand| strand.until(side, event));
            let stopped =
                |item: &Item| matches!(item.what, What::Stopped(_)) && item.at_ms >= hand.since_ms;
            !items.iter().any(stopped)
        });
        hands
    }
}
