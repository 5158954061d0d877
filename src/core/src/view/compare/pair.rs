//! One clock for two runs: their events are one sequence, by instant; within an instant those of the
//! first run come before those of the second.

use super::Side;
use crate::ids::Ms;
use crate::session::Session;

/// The run whose event is next, and when; None when neither has one left up to `end_ms`.
pub fn next(runs: &[&mut Session; 2], end_ms: Ms) -> Option<(Side, Ms)> {
    let at = |side: Side| runs[side.index()].next_event_at().filter(|at_ms| *at_ms <= end_ms);
    match (at(Side::First), at(Side::Second)) {
        (Some(a), Some(b)) if b < a => Some((Side::Second, b)),
        (Some(a), _) => Some((Side::First, a)),
        (None, Some(b)) => Some((Side::Second, b)),
        (None, None) => None,
    }
}

/// One event forward: the next one of either run. The run that moved; None when neither could.
pub fn forward(runs: &mut [&mut Session; 2], end_ms: Ms) -> Option<Side> {
    let (side, _) = next(runs, end_ms)?;
    runs[side.index()].step().then_some(side)
}

/// One event back, exactly as fine as [`forward`]. The run that moved; None at the beginning.
pub fn back(runs: &mut [&mut Session; 2]) -> Option<Side> {
    let last = |side: Side| {
        let run = &runs[side.index()];
        (run.event() > 0).then(|| run.world().now_ms())
    };
    let side = match (last(Side::First), last(Side::Second)) {
        (Some(a), Some(b)) if a > b => Side::First,
        (_, Some(_)) => Side::Second,
        (Some(_), None) => Side::First,
        (None, None) => return None,
    };
    runs[side.index()].back().then_some(side)
}

/// Goes to the last event of either run at or before an instant.
pub fn seek_time(runs: &mut [&mut Session; 2], at_ms: Ms) {
    for run in runs {
        run.seek_time(at_ms);
    }
}

/// Goes to an event of one run; the other one goes to where it was just then.
pub fn seek_event(runs: &mut [&mut Session; 2], side: Side, event: u32) {
    runs[side.index()].seek_event(event);
    let at_ms = match event {
        0 => -1,
        _ => runs[side.index()].world().now_ms(),
    };
    let other = &mut runs[side.other().index()];
    match (at_ms, side) {
        (..0, _) => other.seek_event(0),
        // The events of an instant: first those of the first run.
        (_, Side::First) => other.seek_time(at_ms - 1),
        (_, Side::Second) => other.seek_time(at_ms),
    }
}
