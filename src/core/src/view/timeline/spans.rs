//! Spans of virtual time that are appended as they begin and closed when they end, with quick
//! access to those that touch a window however many there are.

use crate::ids::Ms;

/// The end of a span that has not ended.
pub const OPEN_MS: Ms = Ms::MAX;

/// Spans per entry of the index.
const BLOCK: usize = 64;

/// When something lasted, by the clock and by the numbers of the facts that began and ended it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Life {
    /// First instant.
    pub from_ms: Ms,
    /// Last instant, or [`OPEN_MS`].
    pub to_ms: Ms,
    /// Index of the fact that began it.
    pub from_fact: u32,
    /// Index of the fact that ended it, or `u32::MAX`.
    pub to_fact: u32,
}

impl Life {
    /// Whether it had begun when `facts` facts had happened.
    pub fn begun(&self, facts: u32) -> bool {
        self.from_fact < facts
    }

    /// Its end as known when `facts` facts had happened.
    pub fn end_ms(&self, facts: u32) -> Ms {
        if self.to_fact < facts {
            self.to_ms
        } else {
            OPEN_MS
        }
    }
}

/// One span and what it is about.
#[derive(Clone, Copy, Debug)]
pub struct Span<T> {
    /// When.
    pub life: Life,
    /// What.
    pub what: T,
}

/// Spans in the order of their beginnings.
#[derive(Clone, Debug)]
pub struct Spans<T> {
    items: Vec<Span<T>>,
    /// Latest end within each block of [`BLOCK`] spans.
    block_ends_ms: Vec<Ms>,
}

impl<T> Default for Spans<T> {
    fn default() -> Self {
        Self { items: Vec::new(), block_ends_ms: Vec::new() }
    }
}

impl<T> Spans<T> {
    /// Begins a span; the result names it until it is closed.
    pub fn open(&mut self, from_ms: Ms, from_fact: u32, what: T) -> usize {
        let index = self.items.len();
        if index.is_multiple_of(BLOCK) {
            self.block_ends_ms.push(OPEN_MS);
        }
        self.block_ends_ms[index / BLOCK] = OPEN_MS;
        let life = Life { from_ms, to_ms: OPEN_MS, from_fact, to_fact: u32::MAX };
        self.items.push(Span { life, what });
        index
    }

    /// Ends a span.
    pub fn close(&mut self, index: usize, to_ms: Ms, to_fact: u32) {
        let life = &mut self.items[index].life;
        life.to_ms = to_ms;
        life.to_fact = to_fact;
        let block = index / BLOCK;
        let members = &self.items[block * BLOCK..self.items.len().min((block + 1) * BLOCK)];
        self.block_ends_ms[block] = members.iter().map(|s| s.life.to_ms).max().unwrap_or(OPEN_MS);
    }

    /// What a span is about.
    pub fn what_mut(&mut self, index: usize) -> &mut T {
        &mut self.items[index].what
    }

    /// The span of this index.
    pub fn get(&self, index: usize) -> Option<&Span<T>> {
        self.items.get(index)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The spans that touch the closed window, in the order of their beginnings.
    pub fn touching(&self, from_ms: Ms, to_ms: Ms) -> impl Iterator<Item = &Span<T>> {
        let end = self.items.partition_point(|s| s.life.from_ms <= to_ms);
        self.items[..end]
            .chunks(BLOCK)
            .zip(&self.block_ends_ms)
            .filter(move |(_, block_end_ms)| **block_end_ms >= from_ms)
            .flat_map(|(members, _)| members)
            .filter(move |s| s.life.to_ms >= from_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_finds_what_touches_it_and_nothing_else() {
        let mut spans = Spans::default();
        for i in 0..1_000_i64 {
            let index = spans.open(i * 10, i as u32, i);
            if i != 3 {
                spans.close(index, i * 10 + 4, i as u32 + 1);
            }
        }
        let hits: Vec<i64> = spans.touching(5_000, 5_020).map(|s| s.what).collect();
        assert_eq!(hits, [3, 500, 501, 502]);
        assert_eq!(spans.touching(-5, -1).count(), 0);
    }

    #[test]
    fn what_ends_later_than_the_present_is_open() {
        let life = Life { from_ms: 1, to_ms: 9, from_fact: 2, to_fact: 7 };
        assert!(!life.begun(2));
        assert!(life.begun(3));
        assert_eq!(life.end_ms(7), OPEN_MS);
        assert_eq!(life.end_ms(8), 9);
    }
}
