//! Which queue a message goes to: the hashes of the clients and of the proxy, the selectors that
//! applications write, and what a changed queue count does to them. Pure functions.
//!
//! Throughout, `n` counts queues and is at least 1; with 0 the answer is queue 0.

mod effect;
mod round_robin;
mod sdk;
mod view;

pub use effect::{moved, Moved};
pub use round_robin::RoundRobin;
pub use sdk::{node_hash, node_queue, python_queue, rust_queue, sip_floor_mod, Sdk};
pub use view::{grpc_route, Permission, RouteEntry};

use crate::ids::Ms;
use std::hash::Hasher;

/// First half of the key of Guava's parameterless `sipHash24()`.
pub const GUAVA_SIP_K0: u64 = 0x0706_0504_0302_0100;
/// Second half of the key of Guava's parameterless `sipHash24()`.
pub const GUAVA_SIP_K1: u64 = 0x0f0e_0d0c_0b0a_0908;

/// What the classic client reports when a selector's index lies outside the queue list (as an
/// `MQClientException`). Source: `DefaultMQProducerImpl.invokeMessageQueueSelector`.
pub const SELECTOR_THREW: &str = "select message queue threw exception.";

/// Java's `String.hashCode()`: over UTF-16 units, 32 bits, wrapping.
pub fn java_hash(text: &str) -> i32 {
    text.encode_utf16()
        .fold(0_i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

/// SipHash-2-4 of `bytes` under the key (`k0`, `k1`).
pub fn sip_hash24(bytes: &[u8], k0: u64, k1: u64) -> u64 {
    let mut hasher = siphasher::sip::SipHasher24::new_with_keys(k0, k1);
    hasher.write(bytes);
    hasher.finish()
}

/// Guava's `Hashing.consistentHash` (Lamping and Veach's jump hash), bit for bit.
///
/// The generator adds 1 to a 31-bit value in 32-bit arithmetic. For the one value 2^31 - 1 the sum
/// is negative, the jump leaves the range and the loop ends with the current candidate.
pub fn consistent_hash(key: i64, buckets: u32) -> u32 {
    let mut state = key as u64;
    let mut candidate: u32 = 0;
    loop {
        let (next_state, fraction) = jump(state);
        state = next_state;
        let next = f64::from(candidate + 1) / fraction;
        // A Java cast to int: towards zero, saturating. Outside 0..buckets the search is over.
        let next = next as i32;
        match u32::try_from(next) {
            Ok(next) if next < buckets => candidate = next,
            _ => return candidate,
        }
    }
}

/// One step of the jump hash's generator: the new state and the fraction that divides the jump.
fn jump(state: u64) -> (u64, f64) {
    const TWO_POW_31: f64 = 2_147_483_648.0;
    let state = state.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(1);
    let numerator = ((state >> 33) as i32).wrapping_add(1);
    (state, f64::from(numerator) / TWO_POW_31)
}

/// The queue that the open-source proxy stores a message of a message group in, as an index into
/// its sorted list of `n` writable queues. Source: proxy `SendMessageActivity.SendMessageQueueSelector`.
pub fn proxy_queue(group: &str, n: u32) -> u32 {
    consistent_hash(i64::from(java_hash(group)), n)
}

/// Whether a gRPC send of `messages` messages is routed by its message group. With more than one
/// message, or without a group, the proxy takes the next queue in turn.
/// Source: proxy `SendMessageActivity.SendMessageQueueSelector`.
pub fn proxy_routes_by_group(messages: usize, group: &str) -> bool {
    messages == 1 && !group.is_empty()
}

/// The classic client's `SelectMessageQueueByHash`: remainder first, then the absolute value. Never
/// fails.
pub fn select_by_hash(hash: i32, n: u32) -> i32 {
    abs_remainder(i64::from(hash), n).abs()
}

/// The remainder that [`select_by_hash`] starts from, with the sign of the hash.
pub fn hash_remainder(hash: i32, n: u32) -> i32 {
    abs_remainder(i64::from(hash), n)
}

/// The hand-written `Math.abs(hash) % n`. Negative for `i32::MIN` unless `n` divides 2^31: such an
/// index makes the selector throw.
pub fn abs_hash(hash: i32, n: u32) -> i32 {
    abs_remainder(i64::from(hash.wrapping_abs()), n)
}

/// The hand-written `id % n`. Negative for negative ids: such an index makes the selector throw.
pub fn modulo(id: i64, n: u32) -> i64 {
    id.checked_rem(i64::from(n)).unwrap_or(0)
}

fn abs_remainder(value: i64, n: u32) -> i32 {
    // Less than n in amount, and no topic has 2^31 queues.
    modulo(value, n) as i32
}

/// What happens when a selector's index is used: `None` when it lies outside the queue list and the
/// client reports [`SELECTOR_THREW`].
pub fn selected(index: i64, n: u32) -> Option<u32> {
    u32::try_from(index).ok().filter(|&index| index < n)
}

/// The wait before attempt `attempt` of a gRPC send (2 = the second attempt) when the last one was
/// throttled, in ms: 10 * 2^(attempt - 1), at most 1 s. Without throttling there is no wait.
/// Source: clients java `ProducerImpl.send0`, proxy `ProxyConfig.grpcClientProducerBackoff*`.
pub fn throttled_wait_ms(attempt: u32) -> Ms {
    const INITIAL_MS: Ms = 10;
    const MAX_MS: Ms = 1_000;
    match attempt.checked_sub(1) {
        None => 0,
        Some(doublings) => INITIAL_MS.checked_shl(doublings.min(20)).unwrap_or(MAX_MS).min(MAX_MS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn java_hash_counts_utf16_units() {
        assert_eq!(java_hash("order-1001"), 708_180_863);
        assert_eq!(java_hash("订单-1001"), -1_313_446_406);
        for text in ["polygenelubricants", "GydZG_", "DESIGNING WORKHOUSES"] {
            assert_eq!(java_hash(text), i32::MIN, "{text}");
        }
        assert_eq!(java_hash("😄"), 0xd83d * 31 + 0xde04);
    }

    #[test]
    fn sip_hash_reference_vector() {
        let data: Vec<u8> = (0..15).collect();
        assert_eq!(sip_hash24(&data, GUAVA_SIP_K0, GUAVA_SIP_K1), 0xa129_ca61_49be_45e5);
    }

    #[test]
    fn the_proxy_stores_by_consistent_hash() {
        for (group, at_4, at_8, at_5) in [
            ("order-1001", 2, 2, 2),
            ("G1", 0, 5, 0),
            ("G3", 2, 7, 2),
            ("B", 0, 6, 4),
            ("user-7", 3, 3, 3),
        ] {
            assert_eq!([4, 8, 5].map(|n| proxy_queue(group, n)), [at_4, at_8, at_5], "{group}");
        }
    }

    /// The keys whose first draw is the largest possible: the sum wraps and the search ends at 0.
    #[test]
    fn the_jump_hash_wraps_at_31_bits() {
        // 2_862_933_555_777_941_757 is odd, so it can be inverted modulo 2^64.
        let factor = 2_862_933_555_777_941_757_u64;
        let mut inverse = 1_u64;
        for _ in 0..6 {
            inverse = inverse.wrapping_mul(2_u64.wrapping_sub(factor.wrapping_mul(inverse)));
        }
        let key = (0x7fff_ffff_u64 << 33).wrapping_sub(1).wrapping_mul(inverse) as i64;
        assert_eq!(jump(key as u64).1, -1.0);
        assert_eq!(consistent_hash(key, 1_000), 0);
    }

    #[test]
    fn only_the_smallest_hash_breaks_the_naive_selector() {
        let cases = [
            (1, 0),
            (2, 0),
            (3, -2),
            (4, 0),
            (5, -3),
            (6, -2),
            (7, -2),
            (8, 0),
            (10, -8),
            (12, -8),
            (16, 0),
        ];
        for (n, index) in cases {
            assert_eq!(abs_hash(i32::MIN, n), index, "n={n}");
            assert_eq!(select_by_hash(i32::MIN, n), index.abs(), "n={n}");
            assert_eq!(selected(i64::from(index), n).is_none(), index < 0);
        }
        assert_eq!(hash_remainder(java_hash("order-1"), 4), -2);
        assert_eq!(modulo(-3, 4), -3);
        assert_eq!(modulo(5, 0), 0);
    }

    #[test]
    fn throttled_sends_back_off() {
        assert_eq!([1, 2, 3, 7, 8, 40].map(throttled_wait_ms), [10, 20, 40, 640, 1_000, 1_000]);
    }
}
