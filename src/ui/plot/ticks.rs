//! Where an axis is marked.

use lockstep_core::ids::Ms;

/// Distances between marks of a time axis.
const TIMES_MS: [Ms; 22] = [
    100,
    200,
    500,
    1_000,
    2_000,
    5_000,
    10_000,
    15_000,
    30_000,
    60_000,
    120_000,
    300_000,
    600_000,
    900_000,
    1_800_000,
    3_600_000,
    7_200_000,
    14_400_000,
    21_600_000,
    43_200_000,
    86_400_000,
    604_800_000,
];

/// The instants that are marked between two others, at most `most` and the first.
pub fn times(from_ms: Ms, end_ms: Ms, most: usize) -> Vec<Ms> {
    let most = most.max(1) as Ms;
    let span_ms = (end_ms - from_ms).max(0);
    let step = TIMES_MS.into_iter().find(|step| span_ms / step <= most);
    let step = step.unwrap_or(span_ms / most + 1);
    (from_ms.div_euclid(step)..=end_ms / step)
        .map(|n| n * step)
        .filter(|at| *at >= from_ms)
        .collect()
}

/// The counts that are marked between 0 and an end: steps of 1, 2 or 5 times a power of ten.
pub fn counts(end: i64, most: usize) -> Vec<i64> {
    let most = most.max(1) as i64;
    let mut unit = 1;
    loop {
        for step in [unit, 2 * unit, 5 * unit] {
            if end / step <= most {
                return multiples(step, end);
            }
        }
        unit *= 10;
    }
}

fn multiples(step: i64, end: i64) -> Vec<i64> {
    (0..=end / step).map(|n| n * step).collect()
}

/// The end of an axis on which the highest value has some room: the next mark above it.
pub fn end(highest: i64, most: usize) -> i64 {
    let highest = highest.max(1);
    let marks = counts(highest, most);
    let step = marks.get(1).copied().unwrap_or(1);
    (highest + step - 1) / step * step
}

/// A duration as a short label: `500 ms`, `15 s`, `2 min`, `1 h`.
pub fn duration(ms: Ms) -> String {
    match ms {
        0 => "0 s".to_owned(),
        ms if ms < 1_000 => format!("{ms} ms"),
        ms if ms % 1_000 != 0 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        ms if ms % 3_600_000 == 0 => format!("{} h", ms / 3_600_000),
        ms if ms >= 120_000 && ms % 60_000 == 0 => format!("{} min", ms / 60_000),
        ms => format!("{} s", ms / 1_000),
    }
}

/// Thousandths of the decimal logarithm of a duration; of 1 ms for less.
pub fn log(ms: Ms) -> i64 {
    ((ms.max(1) as f64).log10() * 1_000.0).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_few_and_round() {
        assert_eq!(times(0, 60_000, 4), [0, 15_000, 30_000, 45_000, 60_000]);
        assert_eq!(times(0, 16_000, 4), [0, 5_000, 10_000, 15_000]);
        assert_eq!(times(1_204_000, 1_214_000, 4), [1_205_000, 1_210_000]);
        assert_eq!(times(0, 1_800_000, 4), [0, 600_000, 1_200_000, 1_800_000]);
        assert_eq!(counts(7, 4), [0, 2, 4, 6]);
        assert_eq!(counts(3, 4), [0, 1, 2, 3]);
        assert_eq!(counts(2_361, 4), [0, 500, 1_000, 1_500, 2_000]);
        assert_eq!((end(7, 4), end(0, 4), end(400, 4), end(401, 4)), (8, 1, 400, 500));
        for end_ms in [0, 1, 99, 12_345, 1 << 40] {
            assert!(times(0, end_ms, 4).len() <= 5, "{end_ms}");
            assert!(counts(end_ms, 4).len() <= 5, "{end_ms}");
        }
    }

    #[test]
    fn durations_carry_their_unit() {
        let labels = [0, 500, 1_500, 15_000, 60_000, 120_000, 3_600_000].map(duration);
        assert_eq!(labels, ["0 s", "500 ms", "1.5 s", "15 s", "60 s", "2 min", "1 h"]);
        assert_eq!([0, 1, 10, 1_000, 10_000].map(log), [0, 0, 1_000, 3_000, 4_000]);
    }
}
