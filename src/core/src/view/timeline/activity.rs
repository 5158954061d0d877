//! How much was handled when, over the whole run: the ground of the minimap.

use super::Timeline;
use crate::ids::Ms;

/// Virtual time over which calls are counted together.
pub const BUCKET_MS: Ms = 250;

/// Most buckets that are kept: 6 hours. What begins later is counted in the last one.
const MAX_BUCKETS: usize = 86_400;

impl Timeline {
    pub(super) fn count_call(&mut self, at_ms: Ms) {
        let bucket = ((at_ms.max(0) / BUCKET_MS) as usize).min(MAX_BUCKETS - 1);
        if self.begun.len() <= bucket {
            self.begun.resize(bucket + 1, 0);
        }
        self.begun[bucket] += 1;
    }

    /// Listener calls that began in each of `pieces` equal pieces of the time up to `end_ms`,
    /// as far as they were before `now_ms`, to 250 ms exact.
    pub fn activity(&self, pieces: usize, end_ms: Ms, now_ms: Ms) -> Vec<u32> {
        let mut counts = vec![0; pieces];
        let end_ms = end_ms.max(1);
        for (bucket, calls) in self.begun.iter().enumerate() {
            let at_ms = bucket as Ms * BUCKET_MS;
            if at_ms > now_ms || at_ms >= end_ms {
                break;
            }
            counts[(at_ms as i128 * pieces as i128 / end_ms as i128) as usize] += calls;
        }
        counts
    }
}
