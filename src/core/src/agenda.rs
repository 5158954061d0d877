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

/// An event with its place in time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// Instant.
    pub at_ms: Ms,
    pass: u32,
    place: Place,
    seq: u64,
    /// What will happen.
    pub event: Event,
}

impl Entry {
    fn key(&self) -> (Ms, u32, Place, u64) {
        (self.at_ms, self.pass, self.place, self.seq)
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    /// Reversed, because the heap gives the greatest first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

/// The agenda.
#[derive(Clone, Debug, Default)]
pub struct Agenda {
    heap: BinaryHeap<Entry>,
    seq: u64,
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
        self.heap.push(Entry { at_ms, pass, place, seq: self.seq, event });
    }

    /// Takes the next event and moves the present to its instant.
    pub fn pop(&mut self) -> Option<Entry> {
        let entry = self.heap.pop()?;
        self.now_ms = entry.at_ms;
        self.pass = entry.pass;
        self.class = entry.place.class();
        Some(entry)
    }

    /// Instant of the next event.
    pub fn next_at(&self) -> Option<Ms> {
        self.heap.peek().map(|e| e.at_ms)
    }

    /// The next event.
    pub fn peek(&self) -> Option<&Entry> {
        self.heap.peek()
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
    pub fn unsorted(&self) -> impl Iterator<Item = &Entry> {
        self.heap.iter()
    }
}

impl std::hash::Hash for Agenda {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        let mut entries: Vec<_> = self.heap.iter().collect();
        entries.sort_by_key(|e| e.key());
        entries.hash(state);
        (self.seq, self.now_ms, self.pass, self.class).hash(state);
    }
}
