//! The search of a queue by time, in the two forms that RocketMQ had. Pure functions over store
//! times.

use crate::ids::Ms;

/// Entries of one consume-queue file (`mappedFileSizeConsumeQueue` / 20).
pub const ENTRIES_PER_FILE: i64 = 300_000;

/// Which search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeSearch {
    /// 5.1.1+: the first message stored at or after the instant; behind the last one the maximum.
    LowerBound,
    /// Up to 5.1.0: the nearest message, the earlier one of two; never behind the last one.
    Nearest,
}

/// The offset that a search finds. `min` and `max` are the queue's offsets, `store_ms` gives the
/// store time of an offset from `min` on. A queue without messages gives 0.
///
/// Source: `ConsumeQueue.getOffsetInQueueByTime`, since 5.1.1 `binarySearchInQueueByTime`.
pub fn offset_by_time(
    rule: TimeSearch,
    (min, max): (i64, i64),
    time_ms: Ms,
    store_ms: impl Fn(i64) -> Ms,
) -> i64 {
    if max <= 0 || min >= max {
        return 0;
    }
    match rule {
        TimeSearch::LowerBound => lower_bound((min, max), time_ms, store_ms),
        TimeSearch::Nearest => nearest((min, max), time_ms, store_ms),
    }
}

fn lower_bound((min, max): (i64, i64), time_ms: Ms, store_ms: impl Fn(i64) -> Ms) -> i64 {
    if store_ms(max - 1) < time_ms {
        return max;
    }
    if store_ms(min) > time_ms {
        // The beginning of the index file, even where its first entries are gone.
        return min / ENTRIES_PER_FILE * ENTRIES_PER_FILE;
    }
    let (mut low, mut high) = (min, max - 1);
    while low < high {
        let middle = low + (high - low) / 2;
        if store_ms(middle) < time_ms {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// The bisection decides which of several equal times is met, so it is kept step by step.
fn nearest((min, max): (i64, i64), time_ms: Ms, store_ms: impl Fn(i64) -> Ms) -> i64 {
    let (mut low, mut high) = (min, max - 1);
    let (mut before, mut after) = (None, None);
    while low <= high {
        let middle = (low + high) / 2;
        let at_ms = store_ms(middle);
        match at_ms.cmp(&time_ms) {
            std::cmp::Ordering::Equal => return middle,
            std::cmp::Ordering::Less => {
                before = Some((middle, at_ms));
                low = middle + 1;
            }
            std::cmp::Ordering::Greater => {
                after = Some((middle, at_ms));
                high = middle - 1;
            }
        }
    }
    match (before, after) {
        (Some((left, left_ms)), Some((right, right_ms))) => {
            if time_ms - left_ms > right_ms - time_ms {
                right
            } else {
                left
            }
        }
        (Some((only, _)), None) | (None, Some((only, _))) => only,
        (None, None) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: [Ms; 6] = [1_000, 1_000, 1_000, 3_000, 3_000, 5_000];
    const ASKED: [Ms; 11] =
        [0, 1_000, 1_500, 2_000, 2_001, 3_000, 3_001, 4_000, 4_001, 5_000, 5_001];

    fn all(rule: TimeSearch) -> [i64; 11] {
        ASKED.map(|t| offset_by_time(rule, (0, 6), t, |offset| TIMES[offset as usize]))
    }

    #[test]
    fn since_5_1_1_the_lower_bound() {
        assert_eq!(all(TimeSearch::LowerBound), [0, 0, 3, 3, 3, 3, 5, 5, 5, 5, 6]);
    }

    #[test]
    fn before_the_nearest() {
        assert_eq!(all(TimeSearch::Nearest), [0, 2, 2, 2, 3, 4, 4, 4, 5, 5, 5]);
    }

    #[test]
    fn a_skewed_time_finds_the_message_behind_it() {
        let at = |offset: i64| 1_000 + offset * 10;
        for i in 0..10 {
            for skew in [0, 2] {
                let t = at(i) - skew;
                assert_eq!(offset_by_time(TimeSearch::LowerBound, (0, 10), t, at), i);
            }
        }
        assert_eq!(offset_by_time(TimeSearch::LowerBound, (0, 10), at(5) - 20_000, at), 0);
    }

    #[test]
    fn a_missing_queue_and_a_lost_beginning() {
        assert_eq!(offset_by_time(TimeSearch::LowerBound, (0, 0), 5, |_| 0), 0);
        assert_eq!(offset_by_time(TimeSearch::LowerBound, (4, 6), 5, |o| o * 100), 0);
        assert_eq!(offset_by_time(TimeSearch::Nearest, (4, 6), 5, |o| o * 100), 4);
    }
}
