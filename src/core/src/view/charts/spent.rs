//! Where the time of a queue went: a listener ran, it was suspended, nobody owned it, or nothing
//! was to do.

use std::collections::BTreeSet;

use crate::ids::{ClientId, Ms};

/// The time of a queue, in ms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// At least one listener call ran.
    pub handling_ms: Ms,
    /// It stood still after a failure, or behind a message that is not acknowledged (ordered POP).
    pub suspended_ms: Ms,
    /// No consumer owned it. Always 0 where consumers take messages by POP.
    pub unowned_ms: Ms,
    /// An owner had nothing to handle, or was not handling it.
    pub idle_ms: Ms,
}

/// What a queue is doing.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch {
    since_ms: Ms,
    spent: Spent,
    running: BTreeSet<(ClientId, u32)>,
    owners: BTreeSet<ClientId>,
    blocked_until_ms: Ms,
    stood: Vec<(Ms, Ms)>,
}

impl Watch {
    pub fn begin(&mut self, at_ms: Ms, client: ClientId, offset: u32) {
        self.settle(at_ms);
        self.running.insert((client, offset));
        self.blocked_until_ms = 0;
    }

    pub fn end(&mut self, at_ms: Ms, client: ClientId, offset: u32) {
        self.settle(at_ms);
        self.running.remove(&(client, offset));
    }

    pub fn block(&mut self, at_ms: Ms, until_ms: Ms) {
        self.settle(at_ms);
        self.blocked_until_ms = until_ms;
    }

    pub fn own(&mut self, at_ms: Ms, client: ClientId, owns: bool) {
        self.settle(at_ms);
        if owns {
            self.owners.insert(client);
        } else {
            self.owners.remove(&client);
        }
    }

    /// A process is gone; after a clean stop its calls go on until they return.
    pub fn lose(&mut self, at_ms: Ms, client: ClientId, clean: bool) {
        self.own(at_ms, client, false);
        if !clean {
            self.running.retain(|(c, _)| *c != client);
        }
    }

    fn settle(&mut self, at_ms: Ms) {
        while self.since_ms < at_ms {
            let until_ms = if self.running.is_empty() && self.blocked_until_ms > self.since_ms {
                at_ms.min(self.blocked_until_ms)
            } else {
                at_ms
            };
            let took_ms = until_ms - self.since_ms;
            let spent = &mut self.spent;
            if !self.running.is_empty() {
                spent.handling_ms += took_ms;
            } else if self.blocked_until_ms > self.since_ms {
                spent.suspended_ms += took_ms;
                self.stood.push((self.since_ms, until_ms));
            } else if self.owners.is_empty() {
                spent.unowned_ms += took_ms;
            } else {
                spent.idle_ms += took_ms;
            }
            self.since_ms = until_ms;
        }
    }

    /// Joins stretches that are nearer to each other than `gap_ms`, so that there are never more than
    /// can be seen.
    pub fn join(&mut self, gap_ms: Ms) {
        let mut joined: Vec<(Ms, Ms)> = Vec::new();
        for (from_ms, to_ms) in std::mem::take(&mut self.stood) {
            match joined.last_mut() {
                Some(last) if from_ms - last.1 < gap_ms => last.1 = to_ms,
                _ => joined.push((from_ms, to_ms)),
            }
        }
        self.stood = joined;
    }

    /// Counts from an instant on; what the queue is doing then goes on.
    pub fn begin_at(&mut self, from_ms: Ms) {
        self.settle(from_ms);
        self.spent = Spent::default();
        self.stood.clear();
    }

    pub fn stretches(&self) -> usize {
        self.stood.len()
    }

    /// The parts and the stretches in which it stood still, up to the present.
    pub fn until(&self, now_ms: Ms, by_pop: bool) -> (Spent, Vec<(Ms, Ms)>) {
        let mut watch = self.clone();
        watch.settle(now_ms);
        let spent = &mut watch.spent;
        if by_pop {
            spent.idle_ms += std::mem::take(&mut spent.unowned_ms);
        }
        (watch.spent, watch.stood)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_add_up() {
        let (mut watch, c1) = (Watch::default(), ClientId(1));
        watch.own(100, c1, true);
        watch.begin(300, c1, 0);
        watch.end(600, c1, 0);
        watch.block(600, 1_600);
        let expected = Spent { handling_ms: 300, suspended_ms: 400, unowned_ms: 100, idle_ms: 200 };
        assert_eq!(watch.until(1_000, false), (expected, vec![(600, 1_000)]));
        // The pause runs out by itself; a crash leaves the queue to nobody.
        watch.lose(2_000, c1, false);
        let (spent, stood) = watch.until(2_500, false);
        assert_eq!((spent.suspended_ms, spent.idle_ms, spent.unowned_ms), (1_000, 600, 600));
        assert_eq!(stood, [(600, 1_600)]);
        assert_eq!(watch.until(2_500, true).0.idle_ms, 1_200);
    }

    #[test]
    fn what_lasts_at_the_beginning_of_a_range_counts_from_there() {
        let (mut watch, c1) = (Watch::default(), ClientId(1));
        watch.own(100, c1, true);
        watch.begin(300, c1, 0);
        watch.begin_at(500);
        watch.end(600, c1, 0);
        watch.block(600, 1_600);
        let expected = Spent { handling_ms: 100, suspended_ms: 400, ..Spent::default() };
        assert_eq!(watch.until(1_000, false), (expected, vec![(600, 1_000)]));
    }

    #[test]
    fn near_stretches_are_joined() {
        let mut watch = Watch::default();
        for at_ms in [0, 150, 300, 5_000] {
            watch.block(at_ms, at_ms + 100);
        }
        watch.settle(9_000);
        watch.join(100);
        assert_eq!(watch.until(9_000, false).1, [(0, 400), (5_000, 5_100)]);
    }
}
