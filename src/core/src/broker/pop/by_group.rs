//! The articles' model of ordered POP: an unfinished message holds back only its own message group.
//! No release of the open-source broker works like this; it stands beside [`super::order_info`] so
//! that both models can be run on the same input.
//!
//! The precise rule, for one queue of one consumer group:
//! - A POP walks the queue upwards from the consumer offset. It skips acknowledged messages. A
//!   message in flight that is not visible yet closes its message group for the rest of the walk;
//!   messages of a closed group are skipped. Everything else is delivered, up to the batch size.
//! - Messages without message group hold nothing back and are held back by nothing.
//! - A receive that repeats an attempt gets the messages of that attempt again, uncounted.
//! - An acknowledged message is never delivered again. The consumer offset is the lowest offset
//!   that is not acknowledged.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::order_info::{AckNext, AttemptId, Block, RecordKey};
use crate::ids::{MessageGroupId, Ms};

/// A message in flight, or acknowledged while an earlier one is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Flight {
    /// Message group; None = none.
    pub series: Option<MessageGroupId>,
    /// Pop time.
    pub pop_ms: Ms,
    /// When it is visible again.
    pub visible_ms: Ms,
    /// Attempt of the receive.
    pub attempt: Option<AttemptId>,
    /// Earlier deliveries.
    pub count: u32,
    /// Acknowledged.
    pub acked: bool,
}

/// What is in flight, by queue and offset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FlightTable(BTreeMap<RecordKey, Rc<BTreeMap<i64, Flight>>>);

/// A walk over a queue.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    closed: BTreeSet<MessageGroupId>,
    /// The first message that was held back: the offset in flight that closed its group.
    pub held: Option<Block>,
}

impl FlightTable {
    /// Messages in flight of a queue.
    pub fn get(&self, key: RecordKey) -> Option<&BTreeMap<i64, Flight>> {
        self.0.get(&key).map(|flights| &**flights)
    }

    /// True when a walk delivers the message at an offset; it must be asked for ascending offsets.
    pub fn delivers(
        &self,
        walk: &mut Walk,
        key: RecordKey,
        (offset, series): (i64, Option<MessageGroupId>),
        attempt: Option<AttemptId>,
        now_ms: Ms,
    ) -> bool {
        if let Some(flight) = self.get(key).and_then(|flights| flights.get(&offset)) {
            let again = flight.attempt.is_some() && flight.attempt == attempt;
            if flight.acked {
                return false;
            }
            if now_ms < flight.visible_ms && !again {
                walk.held.get_or_insert(Block { offset, until_ms: flight.visible_ms });
                walk.closed.extend(flight.series);
                return false;
            }
        }
        series.is_none_or(|series| !walk.closed.contains(&series))
    }

    /// Registers a delivered message; returns its earlier deliveries.
    pub fn take(&mut self, key: RecordKey, offset: i64, flight: Flight) -> u32 {
        let flights = Rc::make_mut(self.0.entry(key).or_default());
        let count = flights.get(&offset).map_or(0, |before| {
            let same = before.attempt.is_some() && before.attempt == flight.attempt;
            before.count + u32::from(!same)
        });
        flights.insert(offset, Flight { count, ..flight });
        count
    }

    /// An acknowledgement; `committed` is the consumer offset so far.
    pub fn ack(&mut self, key: RecordKey, offset: i64, pop_ms: Ms, committed: i64) -> AckNext {
        let Some(flights) = self.0.get_mut(&key) else { return AckNext::Illegal };
        let flights = Rc::make_mut(flights);
        match flights.get_mut(&offset) {
            None => return AckNext::Illegal,
            Some(flight) if flight.pop_ms != pop_ms => return AckNext::Nothing,
            Some(flight) => flight.acked = true,
        }
        AckNext::Commit(self.advance(key, committed))
    }

    /// The consumer offset from `committed` on: behind everything that is acknowledged.
    pub fn advance(&mut self, key: RecordKey, committed: i64) -> i64 {
        let mut next = committed;
        let Some(flights) = self.0.get_mut(&key) else { return next };
        while flights.get(&next).is_some_and(|flight| flight.acked) {
            Rc::make_mut(flights).remove(&next);
            next += 1;
        }
        next
    }

    /// Offsets from `committed` on that no walk has to deliver any more (a filter skipped them).
    pub fn skip(&mut self, key: RecordKey, offset: i64, series: Option<MessageGroupId>) {
        let gone =
            Flight { series, pop_ms: 0, visible_ms: 0, attempt: None, count: 0, acked: true };
        Rc::make_mut(self.0.entry(key).or_default()).insert(offset, gone);
    }

    /// Sets when a message is visible again; false when it was popped anew meanwhile.
    pub fn change(&mut self, key: RecordKey, offset: i64, pop_ms: Ms, visible_ms: Ms) -> bool {
        let Some(flights) = self.0.get_mut(&key) else { return false };
        match Rc::make_mut(flights).get_mut(&offset) {
            Some(flight) if flight.pop_ms == pop_ms && !flight.acked => {
                flight.visible_ms = visible_ms;
                true
            }
            _ => false,
        }
    }

    /// First instant at which a message in flight becomes visible.
    pub fn next_visible_ms(&self, key: RecordKey, now_ms: Ms) -> Option<Ms> {
        let flights = self.get(key)?.values();
        flights.filter(|f| !f.acked && f.visible_ms > now_ms).map(|f| f.visible_ms).min()
    }

    /// Makes what is invisible visible earlier (negative) or later: the broker's clock was set.
    pub fn shift(&mut self, by_ms: Ms) {
        let queues = self.0.values_mut().map(Rc::make_mut);
        queues.flat_map(BTreeMap::values_mut).for_each(|flight| flight.visible_ms += by_ms);
    }

    /// Forgets a queue.
    pub fn clear(&mut self, key: RecordKey) -> bool {
        self.0.remove(&key).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{BrokerId, GroupId, MessageQueue, TopicId};

    fn key() -> RecordKey {
        (GroupId(0), MessageQueue { topic: TopicId(2), broker: BrokerId(0), id: 0 })
    }

    fn flight(series: u16, visible_ms: Ms) -> Flight {
        let series = Some(MessageGroupId(series));
        Flight { series, pop_ms: 0, visible_ms, attempt: None, count: 0, acked: false }
    }

    #[test]
    fn only_the_own_group_is_held_back() {
        let mut table = FlightTable::default();
        table.take(key(), 0, flight(1, 10_000));
        let mut walk = Walk::default();
        let queue = [(0, 1), (1, 4), (2, 1), (3, 4)];
        let delivered: Vec<i64> = queue
            .into_iter()
            .filter(|(o, s)| {
                table.delivers(&mut walk, key(), (*o, Some(MessageGroupId(*s))), None, 5)
            })
            .map(|(o, _)| o)
            .collect();
        assert_eq!(delivered, [1, 3]);
        assert_eq!(walk.held, Some(Block { offset: 0, until_ms: 10_000 }));
    }

    #[test]
    fn the_offset_passes_only_acknowledged_messages() {
        let mut table = FlightTable::default();
        for (offset, series) in [(0, 1), (1, 4), (2, 5)] {
            table.take(key(), offset, flight(series, 10));
        }
        assert_eq!(table.ack(key(), 1, 0, 0), AckNext::Commit(0));
        assert_eq!(table.ack(key(), 0, 0, 0), AckNext::Commit(2));
        assert_eq!(table.ack(key(), 2, 7, 2), AckNext::Nothing);
        assert_eq!(table.ack(key(), 9, 0, 2), AckNext::Illegal);
    }

    #[test]
    fn deliveries_are_counted() {
        let mut table = FlightTable::default();
        let counts = [0, 0].map(|_| table.take(key(), 0, flight(1, 10)));
        assert_eq!(counts, [0, 1]);
    }
}
