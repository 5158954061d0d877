//! Hashes that are equal natively and in wasm, at every optimisation level.

use std::hash::{Hash, Hasher};

/// A small word-at-a-time hasher. Unlike the standard one its result does not depend on the width
/// of `usize`, so that a state hash can be compared between a 64-bit test and a 32-bit page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StableHasher(u64);

impl StableHasher {
    /// Begins from an earlier hash; 0 for a new one.
    pub fn from(state: u64) -> Self {
        Self(state ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// Hash of one value.
    pub fn of(value: &impl Hash) -> u64 {
        let mut hasher = Self::from(0);
        value.hash(&mut hasher);
        hasher.finish()
    }

    fn mix(&mut self, word: u64) {
        let x = (self.0.rotate_left(23) ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        self.0 = x ^ (x >> 29);
    }
}

impl Hasher for StableHasher {
    fn finish(&self) -> u64 {
        let x = (self.0 ^ (self.0 >> 32)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        x ^ (x >> 33)
    }
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
    }
    fn write_u8(&mut self, i: u8) {
        self.mix(u64::from(i));
    }
    fn write_u16(&mut self, i: u16) {
        self.mix(u64::from(i));
    }
    fn write_u32(&mut self, i: u32) {
        self.mix(u64::from(i));
    }
    fn write_u64(&mut self, i: u64) {
        self.mix(i);
    }
    fn write_usize(&mut self, i: usize) {
        self.mix(i as u64);
    }
    fn write_i8(&mut self, i: i8) {
        self.mix(i64::from(i) as u64);
    }
    fn write_i16(&mut self, i: i16) {
        self.mix(i64::from(i) as u64);
    }
    fn write_i32(&mut self, i: i32) {
        self.mix(i64::from(i) as u64);
    }
    fn write_i64(&mut self, i: i64) {
        self.mix(i as u64);
    }
    fn write_isize(&mut self, i: isize) {
        self.mix(i as i64 as u64);
    }
}
