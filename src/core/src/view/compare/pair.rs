//! One clock for two runs: their events are one sequence, by instant; within an instant those of the
//! first run come before those of the second.

use super::Side;
use crate::ids::Ms;
use crate::session::Session;

/// One run, or two on one clock.
pub struct Runs<'a> {
    /// The first run.
    pub first: &'a mut Session,
    /// The second one, if there is one.
    pub second: Option<&'a mut Session>,
}

impl Runs<'_> {
    /// A run; None when there is no second one.
    pub fn run(&self, side: Side) -> Option<&Session> {
        match side {
            Side::First => Some(&*self.first),
            Side::Second => self.second.as_deref(),
        }
    }

    fn run_mut(&mut self, side: Side) -> Option<&mut Session> {
        match side {
            Side::First => Some(&mut *self.first),
            Side::Second => self.second.as_deref_mut(),
        }
    }

    /// The run whose event is next, and when; None when neither has one left up to `end_ms`.
    pub fn next(&self, end_ms: Ms) -> Option<(Side, Ms)> {
        let at = |side: Side| self.run(side)?.next_event_at().filter(|at_ms| *at_ms <= end_ms);
        match (at(Side::First), at(Side::Second)) {
            (Some(a), Some(b)) if b < a => Some((Side::Second, b)),
            (Some(a), _) => Some((Side::First, a)),
            (None, Some(b)) => Some((Side::Second, b)),
            (None, None) => None,
        }
    }

    /// One event forward: the next one of either run. The run that moved; None when neither could.
    pub fn step(&mut self, end_ms: Ms) -> Option<Side> {
        let (side, _) = self.next(end_ms)?;
        self.run_mut(side)?.step().then_some(side)
    }

    /// The run that moved last; None at the beginning.
    pub fn last(&self) -> Option<Side> {
        let at = |side: Side| {
            self.run(side).filter(|run| run.event() > 0).map(|run| run.world().now_ms())
        };
        match (at(Side::First), at(Side::Second)) {
            (Some(a), Some(b)) if a > b => Some(Side::First),
            (_, Some(_)) => Some(Side::Second),
            (Some(_), None) => Some(Side::First),
            (None, None) => None,
        }
    }

    /// One event back, exactly as fine as [`Self::step`]. The run that moved.
    pub fn back(&mut self) -> Option<Side> {
        let side = self.last()?;
        self.run_mut(side)?.back().then_some(side)
    }

    /// Goes to the last event of either run at or before an instant.
    pub fn seek_time(&mut self, at_ms: Ms) {
        for side in Side::BOTH {
            if let Some(run) = self.run_mut(side) {
                run.seek_time(at_ms);
            }
        }
    }

    /// Goes to an event of one run; the other one goes to where it was just then.
    pub fn seek_event(&mut self, side: Side, event: u32) {
        let Some(run) = self.run_mut(side) else { return };
        run.seek_event(event);
        let (begins, at_ms) = (run.event() == 0, run.world().now_ms());
        let Some(other) = self.run_mut(side.other()) else { return };
        match side {
            _ if begins => other.seek_event(0),
            // The events of an instant: first those of the first run.
            Side::First => other.seek_time(at_ms - 1),
            Side::Second => other.seek_time(at_ms),
        }
    }

    /// The instant of the present: that of the last event of either run.
    pub fn now_ms(&self) -> Ms {
        let at = |side: Side| self.run(side).map(|run| run.world().now_ms());
        Side::BOTH.into_iter().filter_map(at).max().unwrap_or(0)
    }
}
