//! Equal stretches of time with what happened in them. When there are too many, each two become
//! one and the width doubles.

use crate::ids::Ms;

/// Most points of a line.
pub const MAX_POINTS: usize = 256;

/// Width of a bucket while there are few.
const FIRST_MS: Ms = 100;

/// Some of a sorted list of durations, in ms. Nearest rank: `p95` is a duration that occurred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantiles {
    /// How many there are.
    pub count: u32,
    /// The median.
    pub p50: u32,
    /// 95 of 100 are no longer.
    pub p95: u32,
    /// The longest.
    pub max: u32,
}

/// What happened in a stretch of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// Its beginning.
    pub from_ms: Ms,
    /// Its end.
    pub to_ms: Ms,
    /// Messages stored in their own topics.
    pub stored: u32,
    /// Messages handled for the first time.
    pub handled: u32,
    /// From stored to handled, of the messages that were handled in it.
    pub latency: Option<Quantiles>,
    /// How long listener calls took that ended in it.
    pub calls: Option<Quantiles>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub stored: u32,
    pub handled: u32,
    /// Sorted.
    latency: Vec<u32>,
    calls: Vec<u32>,
}

impl Counts {
    pub fn add_latency(&mut self, ms: Ms) {
        insert(&mut self.latency, ms);
    }

    pub fn add_call(&mut self, ms: Ms) {
        insert(&mut self.calls, ms);
    }

    fn take(&mut self, later: Self) {
        self.stored += later.stored;
        self.handled += later.handled;
        for (list, more) in [(&mut self.latency, later.latency), (&mut self.calls, later.calls)] {
            list.extend(more);
            list.sort_unstable();
        }
    }
}

fn insert(list: &mut Vec<u32>, ms: Ms) {
    let ms = u32::try_from(ms).unwrap_or(0);
    list.insert(list.partition_point(|other| *other <= ms), ms);
}

fn quantiles(sorted: &[u32]) -> Option<Quantiles> {
    let rank = |per_cent: usize| sorted[(sorted.len() * per_cent).div_ceil(100).max(1) - 1];
    let max = *sorted.last()?;
    Some(Quantiles { count: sorted.len() as u32, p50: rank(50), p95: rank(95), max })
}

/// The buckets of a run; the last one is open.
#[derive(Clone, Debug)]
pub(super) struct Buckets {
    /// Where the first one begins.
    pub from_ms: Ms,
    pub width_ms: Ms,
    list: Vec<Counts>,
}

impl Default for Buckets {
    fn default() -> Self {
        Self { from_ms: 0, width_ms: FIRST_MS, list: vec![Counts::default()] }
    }
}

impl Buckets {
    /// Buckets from an instant on.
    pub fn since(from_ms: Ms) -> Self {
        Self { from_ms, ..Self::default() }
    }

    /// How many are closed.
    pub fn closed(&self) -> usize {
        self.list.len() - 1
    }

    /// Whether an instant lies behind the open bucket.
    pub fn is_behind(&self, at_ms: Ms) -> bool {
        at_ms >= self.from_ms + self.list.len() as Ms * self.width_ms
    }

    /// The open bucket.
    pub fn open(&mut self) -> &mut Counts {
        if self.list.is_empty() {
            self.list.push(Counts::default());
        }
        let last = self.list.len() - 1;
        &mut self.list[last]
    }

    /// Closes the open bucket; true when each two became one.
    pub fn close(&mut self) -> bool {
        self.list.push(Counts::default());
        if self.closed() < MAX_POINTS {
            return false;
        }
        let mut merged: Vec<Counts> = Vec::with_capacity(MAX_POINTS);
        for (place, counts) in std::mem::take(&mut self.list).into_iter().enumerate() {
            match merged.last_mut() {
                Some(last) if place % 2 == 1 => last.take(counts),
                _ => merged.push(counts),
            }
        }
        self.list = merged;
        self.width_ms *= 2;
        true
    }

    /// All of them up to the present.
    pub fn view(&self, now_ms: Ms) -> Vec<Bucket> {
        let bucket = |(place, counts): (Ms, &Counts)| Bucket {
            from_ms: self.from_ms + place * self.width_ms,
            to_ms: (self.from_ms + (place + 1) * self.width_ms).min(now_ms),
            stored: counts.stored,
            handled: counts.handled,
            latency: quantiles(&counts.latency),
            calls: quantiles(&counts.calls),
        };
        (0..).zip(&self.list).map(bucket).filter(|b| b.from_ms < now_ms || b.stored > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_durations_that_occurred() {
        let list: Vec<u32> = (1..=100).collect();
        let of = |list: &[u32]| quantiles(list).map(|q| (q.count, q.p50, q.p95, q.max));
        assert_eq!(of(&list), Some((100, 50, 95, 100)));
        assert_eq!(of(&[7]), Some((1, 7, 7, 7)));
        assert_eq!(of(&[1, 9]), Some((2, 1, 9, 9)));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn each_two_buckets_become_one_and_nothing_is_lost() {
        let mut buckets = Buckets::default();
        let mut doubled = 0;
        for at_ms in (0..200_000).step_by(50) {
            while buckets.is_behind(at_ms) {
                doubled += u32::from(buckets.close());
            }
            buckets.open().stored += 1;
            buckets.open().add_latency(at_ms);
        }
        let view = buckets.view(200_000);
        assert!(view.len() <= MAX_POINTS + 1 && doubled == 3, "{} {doubled}", view.len());
        assert_eq!(view.iter().map(|b| b.stored).sum::<u32>(), 4_000);
        for bucket in &view {
            let max = bucket.latency.expect("each bucket has some").max;
            assert!((bucket.from_ms..bucket.to_ms).contains(&i64::from(max)));
        }
    }
}
