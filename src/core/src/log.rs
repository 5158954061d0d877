//! An append-only list in shared chunks, so that a snapshot shares what was there before it.

use std::rc::Rc;

const CHUNK: usize = 256;

/// Append-only list. Cloning copies one pointer for each 256 items.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Log<T: Clone> {
    full: Vec<Rc<[T]>>,
    tail: Vec<T>,
}

impl<T: Clone> Default for Log<T> {
    fn default() -> Self {
        Self { full: Vec::new(), tail: Vec::new() }
    }
}

impl<T: Clone> Log<T> {
    /// Number of items.
    pub fn len(&self) -> usize {
        self.full.len() * CHUNK + self.tail.len()
    }

    /// True when nothing was appended yet.
    pub fn is_empty(&self) -> bool {
        self.full.is_empty() && self.tail.is_empty()
    }

    /// Appends an item.
    pub fn push(&mut self, item: T) {
        self.tail.push(item);
        if self.tail.len() == CHUNK {
            self.full.push(std::mem::take(&mut self.tail).into());
        }
    }

    /// Forgets all items from a place on.
    pub fn truncate(&mut self, len: usize) {
        if len >= self.len() {
            return;
        }
        if len < self.full.len() * CHUNK {
            let cut = self.full.split_off(len / CHUNK);
            self.tail = cut.first().map_or_else(Vec::new, |chunk| chunk.to_vec());
        }
        self.tail.truncate(len - self.full.len() * CHUNK);
    }

    /// The item at a place; None behind the end.
    pub fn get(&self, index: usize) -> Option<&T> {
        match self.full.get(index / CHUNK) {
            Some(chunk) => chunk.get(index % CHUNK),
            None if index / CHUNK == self.full.len() => self.tail.get(index % CHUNK),
            None => None,
        }
    }

    /// All items from the first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.full.iter().flat_map(|chunk| chunk.iter()).chain(self.tail.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_keep_their_places_over_chunks_and_clones() {
        let mut log = Log::default();
        for i in 0..600 {
            log.push(i);
        }
        let copy = log.clone();
        log.push(600);
        assert_eq!((log.len(), copy.len()), (601, 600));
        assert!(log.iter().copied().eq(0..601));
        let mut cut = log.clone();
        cut.truncate(300);
        assert_eq!((cut.len(), cut.get(299), cut.get(300)), (300, Some(&299), None));
        cut.truncate(256);
        assert_eq!((cut.len(), cut.get(255)), (256, Some(&255)));
        assert_eq!((log.get(255), log.get(256), copy.get(600)), (Some(&255), Some(&256), None));
    }
}
