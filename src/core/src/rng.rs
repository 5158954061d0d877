//! Seeded randomness in independent streams: a draw in one never shifts the draws of another.

use std::hash::{Hash, Hasher};

/// What a random number is for. Each purpose has a stream of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Round-robin start of a producer thread.
    RoundRobinStart,
    /// Message groups of a load.
    Load,
    /// Handling times.
    Handling,
    /// Latencies.
    Latency,
    /// The broker that is asked for a member list.
    MemberList,
    /// The queue that a POP begins with.
    PopStart,
    /// Round-robin start of a gRPC client or proxy.
    GrpcRoundRobin,
    /// The queue of a retry topic that a failed message goes to.
    RetryQueue,
}

const SALTS: [u64; 8] = [
    0x5bd1_e995_97f4_a7c1,
    0x2545_f491_4f6c_dd1d,
    0x9fb2_1c65_1e98_df25,
    0xd6e8_feb8_6659_fd93,
    0xa076_1d64_78bd_642f,
    0xe703_7ed1_a0b4_28db,
    0x8ebc_6af0_9c88_c6e3,
    0x5899_65cc_7537_4cc3,
];

/// All streams of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Streams([fastrand::Rng; 8]);

impl Streams {
    /// The streams of a seed.
    pub fn new(seed: u64) -> Self {
        Self(
            SALTS.map(|salt| {
                fastrand::Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ salt)
            }),
        )
    }

    /// A number from `low` to `high`, both included; `low` when the range is empty.
    pub fn between(&mut self, stream: Stream, low: i64, high: i64) -> i64 {
        if high <= low {
            return low;
        }
        self.0[stream as usize].i64(low..=high)
    }
}

impl Hash for Streams {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for rng in &self.0 {
            rng.get_seed().hash(state);
        }
    }
}
