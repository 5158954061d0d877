//! Which message group a load's next message belongs to.

use crate::rng::Stream;
use crate::shared::Shared;

/// Draws a message group of a load; with skew s the k-th is k^-s as likely as the first.
pub(super) fn pick_group(shared: &mut Shared, groups: u32, skew_percent: u32) -> u32 {
    let draw = shared.streams.between(Stream::Load, 0, (1 << 30) - 1) as f64 / f64::from(1 << 30);
    let groups = f64::from(groups.max(1));
    let place = if skew_percent == 0 {
        draw * groups
    } else {
        // Inverse of the continuous power law; a library power function would differ by platform,
        // so the exponent is applied by repeated square roots and products.
        skewed(draw, groups, skew_percent)
    };
    (place as u32).min(groups as u32 - 1)
}

/// groups * draw^(1 + skew/100), with the fractional power from square roots only.
fn skewed(draw: f64, groups: f64, skew_percent: u32) -> f64 {
    let mut power = 1.0 + f64::from(skew_percent.min(900)) / 100.0;
    let (mut result, mut root) = (1.0_f64, draw);
    while power >= 1.0 {
        result *= draw;
        power -= 1.0;
    }
    for _ in 0..12 {
        root = root.sqrt();
        power *= 2.0;
        if power >= 1.0 {
            result *= root;
            power -= 1.0;
        }
    }
    groups * result
}
