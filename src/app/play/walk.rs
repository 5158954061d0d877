//! Every way to move in the run: steps, beats, bookmarks, instants.

use lockstep_core::fact::{Fact, FactRecord};
use lockstep_core::ids::Ms;
use lockstep_core::session::Session;
use lockstep_core::view::compare::{Runs, Side};
use lockstep_core::view::log::is_decision;

use super::{Play, EVENTS_PER_JUMP};
use crate::app::msg::StepSize;

impl Play {
    /// One step forward.
    pub fn forward(&mut self, size: StepSize) {
        self.clock.set_playing(false);
        match size {
            StepSize::Event => {
                let end = self.until_ms();
                self.runs(|runs| runs.step(end));
            }
            StepSize::Decision => self.until(|record| is_decision(&record.fact)),
            StepSize::Beat => {
                let now = self.now();
                let next = self.beats().find(|&at| at > now).unwrap_or(self.until_ms());
                return self.seek_time(self.asked_before(next));
            }
        }
        self.follow();
    }

    /// One step back, exactly as fine as [`Self::forward`].
    pub fn back(&mut self, size: StepSize) {
        self.clock.set_playing(false);
        match size {
            StepSize::Event => {
                self.runs(|runs| runs.back());
            }
            StepSize::Decision => self.runs(|runs| {
                let (side, event) = decision_before(runs).unwrap_or_default();
                runs.seek_event(side, event);
            }),
            StepSize::Beat => {
                let now = self.now();
                let earlier = self.beats().take_while(|&at| at < now).last();
                // Before the first beat is the beginning, and not the end of its instant.
                return match earlier {
                    Some(at) => self.seek_time(at),
                    None => self.seek_event(Side::First, 0),
                };
            }
        }
        self.follow();
    }

    /// Jumps over idle time: to the next thing that people can see. Playing goes on.
    pub fn next_due(&mut self) {
        self.until(|f| is_decision(&f.fact) || matches!(f.fact, Fact::MessageStored { .. }));
        self.follow();
    }

    /// Goes to an instant.
    pub fn seek_time(&mut self, at_ms: Ms) {
        self.clock.set_playing(false);
        let at_ms = at_ms.clamp(0, self.until_ms());
        self.runs(|runs| runs.seek_time(at_ms));
        self.clock.set_now(at_ms as f64);
    }

    /// Goes to a beat, counted from 0; nothing when there is none of that number.
    pub fn seek_beat(&mut self, beat: usize) {
        let at_ms = self.beats().nth(beat);
        if let Some(at_ms) = at_ms {
            self.seek_time(at_ms);
        }
    }

    /// As [`Self::seek_beat`], but no further than to the first open question on the way: what comes
    /// after it is its answer.
    pub fn walk_to_beat(&mut self, beat: usize) {
        let at_ms = self.beats().nth(beat);
        if let Some(at_ms) = at_ms {
            self.seek_time(self.asked_before(at_ms));
        }
    }

    /// Goes to the next (true) or the last bookmark; nothing when there is none.
    pub fn seek_bookmark(&mut self, next: bool) {
        let now = self.now();
        let at_ms = if next { self.bookmarks.after(now) } else { self.bookmarks.before(now) };
        if let Some(at_ms) = at_ms {
            self.seek_time(at_ms);
        }
    }

    /// Goes to an event of a run.
    pub fn seek_event(&mut self, side: Side, event: u32) {
        self.clock.set_playing(false);
        self.runs(|runs| runs.seek_event(side, event));
        self.follow();
    }

    /// Sets the clock to where the session is.
    fn follow(&mut self) {
        let now = self.runs(|runs| runs.now_ms());
        self.clock.set_now(now as f64);
    }

    /// Runs on until an event has recorded a fact of a kind, or the scenario ends.
    fn until(&mut self, wanted: impl Fn(&FactRecord) -> bool) {
        let end = self.until_ms();
        self.runs(|runs| {
            for _ in 0..EVENTS_PER_JUMP {
                let Some((side, _)) = runs.next(end) else { return };
                let before = runs.run(side).map_or(0, |run| run.facts().len());
                if runs.step(end).is_none() {
                    return;
                }
                let facts = runs.run(side).map_or(&[][..], Session::facts);
                if facts.get(before..).is_some_and(|new| new.iter().any(&wanted)) {
                    return;
                }
            }
        });
    }
}

/// The last decision before the present, in the order of both runs.
fn decision_before(runs: &Runs<'_>) -> Option<(Side, u32)> {
    let last = runs.last()?;
    let found = |side: Side| {
        let run = runs.run(side)?;
        // The present event itself belongs to the run that moved last.
        let before = run.event() + u32::from(side != last);
        let earlier = run.facts().iter().rev().filter(|f| f.event < before);
        let record = earlier.into_iter().find(|f| is_decision(&f.fact))?;
        Some((record.at_ms, side, record.event))
    };
    let decision = Side::BOTH.into_iter().filter_map(found).max()?;
    Some((decision.1, decision.2))
}
