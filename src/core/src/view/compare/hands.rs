//! Who has a message in hand. Two consumers may have it at once: where two readers of a queue
//! overlap, and where a result came too late to be waited for.

use super::strand::{Item, Key, What};
use super::{Comparison, Side};
use crate::fact::StopKind;
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
    attempt: u32,
}

impl Hands {
    /// What an event changes; `client` is the process that it is about.
    pub fn follow(&mut self, item: &Item, client: Option<ClientId>) {
        let Some(client) = client else { return };
        let had = self.0.iter().position(|hand| hand.client == client);
        let since_ms = item.at_ms;
        let (name, attempt, begun) = match item.what {
            What::Begun { client: name, attempt } => (name, attempt, true),
            What::Received { client: name, attempt } => (name, attempt.into(), false),
            _ => return self.0.retain(|hand| hand.client != client),
        };
        let hand = Hand { client, name, since_ms, attempt };
        match had.and_then(|place| self.0.get_mut(place)).filter(|_| begun) {
            // Its call begins with what it has; whoever took it since is still the last one.
            Some(old) => *old = hand,
            None => {
                self.0.retain(|hand| hand.client != client);
                self.0.push(hand);
            }
        }
    }

    /// The names of the consumers that have it, in the numbering of both runs.
    pub fn names(&self) -> Vec<u32> {
        let mut names: Vec<u32> = self.0.iter().map(|hand| hand.name).collect();
        names.sort_unstable();
        names
    }

    /// The consumer that took it last, and when, in ms.
    pub fn last(&self) -> Option<(ClientId, Ms)> {
        self.0.last().map(|hand| (hand.client, hand.since_ms))
    }

    /// Which attempt that is. It is the last one that is begun, and not the highest: a reset makes a
    /// consumer count anew.
    pub fn attempt(&self) -> Option<u32> {
        self.0.last().map(|hand| hand.attempt)
    }

    /// A consumer that has it besides another one.
    pub fn besides(&self, client: ClientId) -> Option<ClientId> {
        self.0.iter().map(|hand| hand.client).rfind(|other| *other != client)
    }
}

impl Comparison {
    /// Who has a message of a run in hand behind an event; `items` is what its consumer group did
    /// with it.
    pub(super) fn hands(&self, side: Side, items: &[Item], event: u32) -> Hands {
        let mut hands = Hands::default();
        for item in items {
            hands.follow(item, self.actor(side, item));
        }
        // Whoever stops has nothing any more.
        hands.0.retain(|hand| self.stopped(side, hand.name, hand.since_ms, event).is_none());
        hands
    }

    /// The consumer that an item is about.
    pub(super) fn actor(&self, side: Side, item: &Item) -> Option<ClientId> {
        self.record(side, item.fact).and_then(|fact| named(&fact.fact).client)
    }

    /// When a process ended, in ms: from an instant on, up to an event. One that stands still keeps
    /// what it has.
    pub(super) fn stopped(&self, side: Side, name: u32, from_ms: Ms, event: u32) -> Option<Ms> {
        let strand = self.strands.get(&Key::Party(name));
        let items = strand.map_or(&[][..], |strand| strand.until(side, event));
        let ended = |item: &&Item| match item.what {
            What::Stopped(how) => how != StopKind::Hang && item.at_ms >= from_ms,
            _ => false,
        };
        items.iter().find(ended).map(|item| item.at_ms)
    }
}
