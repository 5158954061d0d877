//! The run that is played: the session with its clock, and every way to move in it.

use std::collections::BTreeSet;
use std::rc::Rc;

use lockstep_core::command::Command;
use lockstep_core::fact::{Fact, FactRecord};
use lockstep_core::ids::Ms;
use lockstep_core::session::Session;
use lockstep_core::view::log::{is_decision, named};
use lockstep_core::view::Subject;

use super::bookmarks::Bookmarks;
use super::clock::Clock;
use super::core::CoreHandle;
use super::msg::{StepSize, StopAt};
use super::scenario::Scenario;

/// Most events that one animation frame runs. What is left runs in the next; the virtual clock
/// then shows what was reached.
pub const EVENTS_PER_FRAME: usize = 20_000;

/// Most events that one jump runs while it looks for its end.
pub const EVENTS_PER_JUMP: usize = 1_000_000;

/// A run that is played.
pub struct Play {
    /// The run and what is built from it.
    pub core: CoreHandle,
    /// Its clock.
    pub clock: Clock,
    /// What it runs.
    pub scenario: Rc<Scenario>,
    /// What ends it by itself.
    pub stop: StopAt,
    /// The questions of the scenario that are answered: they no longer stop the run.
    pub answered: BTreeSet<usize>,
    /// The instants that people marked.
    pub bookmarks: Bookmarks,
    /// Counts the runs of this page.
    pub run: u32,
}

impl Play {
    /// The beginning of a scenario.
    pub fn new(scenario: Rc<Scenario>) -> Self {
        let core = CoreHandle::new(session(&scenario));
        let (clock, stop) = (Clock::default(), StopAt::default());
        let mut bookmarks = Bookmarks::default();
        bookmarks.open(&scenario.id);
        Self { core, clock, scenario, stop, answered: BTreeSet::new(), bookmarks, run: 1 }
    }

    /// Lets happen at once what happens at the very beginning, instead of in the first animation
    /// frame.
    pub fn begin(&mut self) {
        self.clock.set_playing(true);
        self.core.write().session.run_until(0);
    }

    /// Replaces the run by the beginning of another scenario.
    pub fn open(&mut self, scenario: Rc<Scenario>) {
        self.run += 1;
        self.answered.clear();
        self.bookmarks.open(&scenario.id);
        self.clock.set_now(0.0);
        let mut core = self.core.write();
        core.session = session(&scenario);
        core.generation += 1;
        self.scenario = scenario;
    }

    /// The beat of the present instant.
    pub fn beat(&self) -> Option<usize> {
        self.scenario.beat_at(self.now())
    }

    /// Accounts for an animation frame; true when an event ran. `asks` says whether people see
    /// the question that would stop the run.
    pub fn tick(
        &mut self,
        real_ms: f64,
        selection: Option<Subject>,
        asks: impl Fn() -> bool,
    ) -> bool {
        let next_beat = self.beat().map_or(0, |beat| beat + 1);
        let (question_ms, before_ms) = (self.next_question(), self.now());
        let mut target = self.clock.advance(real_ms);
        if !self.clock.playing() {
            return false;
        }
        let mut end = self.scenario.program.until_ms as f64;
        let stop_ms = match self.stop {
            StopAt::Beat => self.beats().nth(next_beat),
            StopAt::Bookmark => self.bookmarks.after(before_ms),
            StopAt::FirstViolation | StopAt::Selected | StopAt::Never => None,
        };
        if let Some(at) = stop_ms.map(|at| at as f64).filter(|at| *at <= target) {
            end = at.min(end);
        }
        // The clock stands at a question until people let it run on.
        let stops_here = |at: &f64| self.stop != StopAt::Never && *at <= target && asks();
        if let Some(at) = question_ms.filter(stops_here) {
            end = at.min(end);
        }
        target = target.min(end);
        let stop = self.stop;
        let mut core = self.core.write();
        let session = &mut core.session;
        let before = session.event();
        let mut budget = EVENTS_PER_FRAME;
        while let Some(at) = session.next_event_at().filter(|&at| at as f64 <= target) {
            if budget == 0 {
                self.clock.set_now(at as f64);
                break;
            }
            budget -= 1;
            let past = (session.facts().len(), session.violations().len());
            session.step();
            if stops(session, past, stop, selection) {
                self.clock.set_now(at as f64);
                self.clock.set_playing(false);
                break;
            }
        }
        if self.clock.now_ms() >= end {
            self.clock.set_now(end);
            self.clock.set_playing(false);
        }
        session.event() != before
    }

    /// One step forward.
    pub fn forward(&mut self, size: StepSize) {
        self.clock.set_playing(false);
        match size {
            StepSize::Event => {
                let end = self.scenario.program.until_ms;
                step_within(&mut self.core.write().session, end);
            }
            StepSize::Decision => self.until(|record| is_decision(&record.fact)),
            StepSize::Beat => {
                let now = self.now();
                let next = self.beats().find(|&at| at > now);
                return self.seek_time(next.unwrap_or(self.scenario.program.until_ms));
            }
        }
        self.follow();
    }

    /// One step back, exactly as fine as [`Self::forward`].
    pub fn back(&mut self, size: StepSize) {
        self.clock.set_playing(false);
        match size {
            StepSize::Event => {
                self.core.write().session.back();
            }
            StepSize::Decision => {
                let mut core = self.core.write();
                let event = core.session.world().event();
                let earlier = core.session.facts().iter().rev();
                let found = earlier.filter(|f| f.event < event).find(|f| is_decision(&f.fact));
                let found = found.map_or(0, |f| f.event);
                core.session.seek_event(found);
            }
            StepSize::Beat => {
                let now = self.now();
                let earlier = self.beats().take_while(|&at| at < now).last();
                // Before the first beat is the beginning, and not the end of its instant.
                return match earlier {
                    Some(at) => self.seek_time(at),
                    None => self.seek_event(0),
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
        let at_ms = at_ms.clamp(0, self.scenario.program.until_ms);
        self.core.write().session.seek_time(at_ms);
        self.clock.set_now(at_ms as f64);
    }

    /// Goes to a beat, counted from 0; nothing when there is none of that number.
    pub fn seek_beat(&mut self, beat: usize) {
        let at_ms = self.beats().nth(beat);
        if let Some(at_ms) = at_ms {
            self.seek_time(at_ms);
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

    /// Plays or pauses; from the end of the run it plays from the beginning.
    pub fn toggle(&mut self) {
        let playing = self.clock.playing();
        if !playing && self.now() >= self.scenario.program.until_ms {
            self.seek_time(0);
        }
        self.clock.set_playing(!playing);
    }

    /// Goes to an event.
    pub fn seek_event(&mut self, event: u32) {
        self.clock.set_playing(false);
        self.core.write().session.seek_event(event);
        self.follow();
    }

    /// Gives a command at the present instant. What had been recorded of the future is replaced.
    pub fn inject(&mut self, command: Command) {
        let mut core = self.core.write();
        core.session.inject(command);
        core.generation += 1;
    }

    fn now(&self) -> Ms {
        self.clock.now_ms() as Ms
    }

    /// The instant of the next question that nobody has answered.
    fn next_question(&self) -> Option<f64> {
        let now = self.clock.now_ms();
        let asks = self.scenario.program.asks.iter().enumerate();
        let open = asks.filter(|(index, _)| !self.answered.contains(index));
        open.map(|(_, ask)| ask.at_ms as f64).find(|&at| at > now)
    }

    fn beats(&self) -> impl Iterator<Item = Ms> + '_ {
        self.scenario.program.beats.iter().map(|beat| beat.at_ms)
    }

    /// Sets the clock to where the session is.
    fn follow(&mut self) {
        let now = self.core.read().session.world().now_ms();
        self.clock.set_now(now as f64);
    }

    /// Runs on until an event has recorded a fact of a kind, or the scenario ends.
    fn until(&mut self, wanted: impl Fn(&FactRecord) -> bool) {
        let end = self.scenario.program.until_ms;
        let mut core = self.core.write();
        let session = &mut core.session;
        for _ in 0..EVENTS_PER_JUMP {
            let before = session.facts().len();
            if !step_within(session, end) {
                return;
            }
            if session.facts().get(before..).is_some_and(|new| new.iter().any(&wanted)) {
                return;
            }
        }
    }
}

/// One event forward, but none after the end of the run; false when there is none.
fn step_within(session: &mut Session, end: Ms) -> bool {
    session.next_event_at().is_some_and(|at| at <= end) && session.step()
}

fn session(scenario: &Scenario) -> Session {
    let program = &scenario.program;
    Session::new(program.seed, program.model.clone(), program.journal())
}

/// Whether the last event ends a run by itself. `past` counts the facts and the violations before
/// it.
fn stops(
    session: &Session,
    past: (usize, usize),
    stop: StopAt,
    selection: Option<Subject>,
) -> bool {
    match stop {
        StopAt::FirstViolation => past.1 == 0 && !session.violations().is_empty(),
        StopAt::Selected => selection.is_some_and(|subject| {
            let new = session.facts().get(past.0..).unwrap_or_default();
            new.iter().any(|record| named(&record.fact).holds(subject))
        }),
        StopAt::Beat | StopAt::Bookmark | StopAt::Never => false,
    }
}
