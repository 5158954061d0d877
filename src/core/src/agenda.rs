//! What will happen, ordered by instant and, within an instant, by the classes of semantics 11.12.
//!
//! Within one instant all events of class 1 run, then those of class 2, and so on; an event that
//! is scheduled for the present instant in a class that has passed already runs in the next pass.
//! Equal places run in the order in which they were scheduled.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::event::Event;
use crate::ids::Ms;

/// A place within an instant: class first, then rank. See [`crate::event::Event::place`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place(pub u32);

impl Place {
    /// Class 0 to 7, rank below 2^28.
    pub fn new(class: u8, rank: u32) -> Self {
        Self((u32::from(class) << 28) | (rank & 0x0fff_ffff))
    }

    fn class(self) -> u32 {
        self.0 >> 28
    }
}

/// An event with its instant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// Instant.
    pub at_ms: Ms,
    /// What will happen.
    pub event: Event,
}

/// What the heap compares and moves: small, with the event in a slot beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    at_ms: Ms,
    /// Pass in the upper half, place in the lower.
    order: u64,
    seq: u32,
    slot: u32,
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    /// Reversed, because the heap gives the greatest first.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at_ms, other.order, other.seq).cmp(&(self.at_ms, self.order, self.seq))
    }
}

/// The agenda.
#[derive(Clone, Debug, Default)]
pub struct Agenda {
    heap: BinaryHeap<Key>,
    slots: Vec<Option<Event>>,
    free: Vec<u32>,
    seq: u32,
    now_ms: Ms,
    pass: u32,
    class: u32,
}

impl Agenda {
    /// Schedules an event. An instant in the past counts as the present one.
    pub fn schedule(&mut self, at_ms: Ms, event: Event) {
        let place = event.place();
        let at_ms = at_ms.max(self.now_ms);
        let pass = match at_ms == self.now_ms {
            true if place.class() < self.class => self.pass + 1,
            true => self.pass,
            false => 0,
        };
        self.seq += 1;
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = Some(event);
                slot
            }
            None => {
                self.slots.push(Some(event));
                self.slots.len() as u32 - 1
            }
        };
        let order = (u64::from(pass) << 32) | u64::from(place.0);
        self.heap.push(Key { at_ms, order, seq: self.seq, slot });
    }

    /// Takes the next event and moves the present to its instant.
    pub fn pop(&mut self) -> Option<Entry> {
        let key = self.heap.pop()?;
        self.now_ms = key.at_ms;
        self.pass = (key.order >> 32) as u32;
        self.class = Place(key.order as u32).class();
        self.free.push(key.slot);
        let event = self.slots[key.slot as usize].take()?;
        Some(Entry { at_ms: key.at_ms, event })
    }

    /// Instant of the next event.
    pub fn next_at(&self) -> Option<Ms> {
        self.heap.peek().map(|key| key.at_ms)
    }

    /// The next event.
    pub fn peek(&self) -> Option<(Ms, &Event)> {
        let key = self.heap.peek()?;
        Some((key.at_ms, self.slots[key.slot as usize].as_ref()?))
    }

    /// Number of events that wait.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// True when nothing waits.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// All that waits, in no particular order; sort before use.
    pub fn unsorted(&self) -> impl Iterator<Item = (Ms, &Event)> {
        self.heap
            .iter()
            .filter_map(|key| Some((key.at_ms, self.slots[key.slot as usize].as_ref()?)))
    }
}

impl std::hash::Hash for Agenda {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        let mut keys: Vec<_> = self.heap.iter().collect();
        keys.sort_by(|a, b| b.cmp(a));
        for key in keys {
            (key.at_ms, key.order, key.seq).hash(state);
            self.slots[key.slot as usize].hash(state);
        }
        (self.seq, self.now_ms, self.pass, self.class).hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{BrokerTimer, ClientTimer};
    use crate::ids::{BrokerId, ClientId};

    fn broker(timer: BrokerTimer) -> Event {
        Event::Broker(BrokerId(0), timer)
    }

    fn client(id: u16, timer: ClientTimer) -> Event {
        Event::Client(ClientId(id), timer)
    }

    fn drain(agenda: &mut Agenda) -> Vec<Event> {
        std::iter::from_fn(|| agenda.pop()).map(|entry| entry.event).collect()
    }

    #[test]
    fn one_instant_runs_by_class_then_rank_then_order_of_scheduling() {
        let mut agenda = Agenda::default();
        let expected = [
            broker(BrokerTimer::DelayLevel(3)),
            broker(BrokerTimer::DelayLevel(5)),
            broker(BrokerTimer::HoldCheck),
            client(0, ClientTimer::Rebalance),
            client(0, ClientTimer::PushOffsets),
            client(1, ClientTimer::Rebalance),
            client(1, ClientTimer::ListenerEnd { call: 9 }),
            client(0, ClientTimer::ListenerStart { call: 1 }),
        ];
        for event in expected.iter().rev() {
            agenda.schedule(5, event.clone());
        }
        assert_eq!(drain(&mut agenda), expected);
    }

    #[test]
    fn an_event_of_a_passed_class_waits_for_the_next_pass() {
        let mut agenda = Agenda::default();
        agenda.schedule(5, client(0, ClientTimer::Rebalance));
        agenda.schedule(5, client(1, ClientTimer::Rebalance));
        assert!(agenda.pop().is_some());
        agenda.schedule(5, broker(BrokerTimer::HoldCheck));
        agenda.schedule(5, client(0, ClientTimer::ListenerEnd { call: 1 }));
        let rest = [
            client(1, ClientTimer::Rebalance),
            client(0, ClientTimer::ListenerEnd { call: 1 }),
            broker(BrokerTimer::HoldCheck),
        ];
        assert_eq!(drain(&mut agenda), rest);
    }
}
