//! The run that is played: the session with its clock, and what ends it by itself.

mod asks;
mod walk;

use std::collections::BTreeSet;
use std::rc::Rc;

use lockstep_core::ids::Ms;
use lockstep_core::session::Session;
use lockstep_core::view::compare::{Runs, Side};
use lockstep_core::view::log::named;
use lockstep_core::view::Subject;

use super::bookmarks::Bookmarks;
use super::clock::Clock;
use super::core::CoreHandle;
use super::hands::Written;
use super::msg::StopAt;
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
    /// The run beside it, on the same clock.
    pub second: Option<Second>,
    /// Its text with what was done by hand.
    pub written: Option<Written>,
}

/// A run beside the first one.
pub struct Second {
    /// The run and what is built from it.
    pub core: CoreHandle,
    /// What it runs.
    pub scenario: Rc<Scenario>,
    /// Its text with what was done by hand.
    pub written: Option<Written>,
}

/// The text of a run, with what was done in it by hand.
fn text_of(scenario: &Scenario, written: Option<&Written>) -> Rc<str> {
    Rc::clone(written.map_or(&scenario.text, |written| &written.text))
}

impl Second {
    /// Its text, with what was done by hand.
    pub fn text(&self) -> Rc<str> {
        text_of(&self.scenario, self.written.as_ref())
    }
}

impl Play {
    /// The beginning of a scenario.
    pub fn new(scenario: Rc<Scenario>) -> Self {
        let core = CoreHandle::new(session(&scenario));
        let (clock, stop) = (Clock::default(), StopAt::default());
        let mut bookmarks = Bookmarks::default();
        bookmarks.open(&scenario.id);
        let answered = BTreeSet::new();
        let (second, written) = (None, None);
        Self { core, clock, scenario, stop, answered, bookmarks, run: 1, second, written }
    }

    /// Lets happen at once what happens at the very beginning, instead of in the first animation
    /// frame.
    pub fn begin(&mut self) {
        self.clock.set_playing(true);
        self.runs(|runs| runs.seek_time(0));
    }

    /// Replaces the run by the beginning of another scenario.
    pub fn open(&mut self, scenario: Rc<Scenario>) {
        self.run += 1;
        if !scenario.goes_on() {
            self.answered.clear();
        }
        (self.second, self.written) = (None, None);
        self.bookmarks.open(&scenario.id);
        self.clock.set_now(0.0);
        if scenario.changed.is_some() {
            self.read_no_more();
        }
        let mut core = self.core.write();
        core.session = session(&scenario);
        core.generation += 1;
        self.scenario = scenario;
    }

    /// Lets people read: at the speed of the clock, from beat to beat. Whoever chose another end of
    /// a run than the usual one keeps it.
    pub fn read_along(&mut self) {
        self.clock.set_speed(1.0);
        if self.stop == StopAt::default() {
            self.stop = StopAt::Beat;
        }
    }

    /// What people changed, and two runs side by side, are looked at, not read.
    fn read_no_more(&mut self) {
        if self.stop == StopAt::Beat {
            self.stop = StopAt::default();
        }
    }

    /// Puts a run beside this one, at the same instant.
    pub fn put_beside(&mut self, scenario: Rc<Scenario>, mut session: Session) {
        self.run += 1;
        self.read_no_more();
        session.seek_time(self.now());
        let written = Written::of(&scenario.text, &session);
        self.second = Some(Second { core: CoreHandle::new(session), scenario, written });
    }

    /// Lets the text of a run have what was done in it by hand.
    pub(super) fn write_down(&mut self, side: Side) {
        let of = |scenario: &Scenario, core: &CoreHandle| {
            Written::of(&scenario.text, &core.read().session)
        };
        match (side, &mut self.second) {
            (Side::Second, Some(second)) => second.written = of(&second.scenario, &second.core),
            _ => self.written = of(&self.scenario, &self.core),
        }
        if self.written.is_some() {
            self.read_no_more();
        }
    }

    /// The text that runs, with what was done by hand.
    pub fn text(&self) -> Rc<str> {
        text_of(&self.scenario, self.written.as_ref())
    }

    /// One of the runs; the first where there is no second.
    pub fn core_of(&self, side: Side) -> &CoreHandle {
        match (side, &self.second) {
            (Side::Second, Some(second)) => &second.core,
            _ => &self.core,
        }
    }

    /// Takes the second run away.
    pub fn take_away(&mut self) {
        self.run += 1;
        self.second = None;
        // The clock may stand at an event of the other run, or behind the end of this one.
        let now = self.now().min(self.until_ms());
        self.clock.set_now(now as f64);
    }

    /// When everything is over, in ms.
    pub fn until_ms(&self) -> Ms {
        let end = |scenario: &Scenario, written: &Option<Written>| {
            scenario.program.until_ms.max(written.as_ref().map_or(0, |written| written.until_ms))
        };
        let second =
            self.second.as_ref().map_or(0, |second| end(&second.scenario, &second.written));
        end(&self.scenario, &self.written).max(second)
    }

    /// The last event's number and instant, where a run ends before its time for want of room.
    pub fn cut_short(&self) -> Option<(u32, Ms)> {
        let cut = |core: &CoreHandle| {
            let core = core.read();
            let session = &core.session;
            let is_cut = session.is_cut_short(self.now());
            is_cut.then(|| (session.event(), session.world().now_ms()))
        };
        cut(&self.core).or_else(|| self.second.as_ref().and_then(|second| cut(&second.core)))
    }

    /// Works on the run, or on both.
    pub(super) fn runs<T>(&self, work: impl FnOnce(&mut Runs<'_>) -> T) -> T {
        let mut first = self.core.write();
        let mut second = self.second.as_ref().map(|second| second.core.write());
        let second = second.as_mut().map(|core| &mut core.session);
        work(&mut Runs { first: &mut first.session, second })
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
        selection: [Option<Subject>; 2],
        asks: impl Fn() -> bool,
    ) -> bool {
        let next_beat = self.beat().map_or(0, |beat| beat + 1);
        let (question_ms, before_ms) = (self.next_question(), self.now());
        let mut target = self.clock.advance(real_ms);
        if !self.clock.playing() {
            return false;
        }
        let mut end = self.until_ms() as f64;
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
        let (mut reached, mut playing) = (None, true);
        let ran = self.runs(|runs| {
            let mut ran = false;
            for _ in 0..EVENTS_PER_FRAME {
                let Some((side, at)) = runs.next(target as Ms) else { return ran };
                let past = runs.run(side).map_or((0, 0), past);
                ran |= runs.step(target as Ms).is_some();
                let ends = |run: &Session| stops(run, past, self.stop, selection[side.index()]);
                if runs.run(side).is_some_and(ends) {
                    (reached, playing) = (Some(at), false);
                    return ran;
                }
            }
            // What is left runs in the next frame; the clock shows what was reached.
            reached = runs.next(target as Ms).map(|(_, at)| at);
            ran
        });
        if let Some(at) = reached {
            self.clock.set_now(at as f64);
        }
        if !playing {
            self.clock.set_playing(false);
        }
        if self.clock.now_ms() >= end {
            self.clock.set_now(end);
            self.clock.set_playing(false);
        }
        ran
    }

    /// Plays; from the end of the run it plays from the beginning.
    pub fn play(&mut self) {
        if !self.clock.playing() && self.now() >= self.until_ms() {
            self.seek_time(0);
        }
        self.clock.set_playing(true);
    }

    /// Plays or pauses.
    pub fn toggle(&mut self) {
        match self.clock.playing() {
            true => self.clock.set_playing(false),
            false => self.play(),
        }
    }

    /// The present, in ms.
    pub fn now(&self) -> Ms {
        self.clock.now_ms() as Ms
    }

    fn beats(&self) -> impl Iterator<Item = Ms> + '_ {
        self.scenario.program.beats.iter().map(|beat| beat.at_ms)
    }

    /// Lets components know the instant of the clock.
    pub fn tell_now(&self) {
        let now_ms = self.now();
        self.core.read().now_ms.set(now_ms);
        if let Some(second) = &self.second {
            second.core.read().now_ms.set(now_ms);
        }
    }
}

/// Facts and violations so far.
fn past(run: &Session) -> (usize, usize) {
    (run.facts().len(), run.violations().len())
}

/// The beginning of a scenario's run.
pub fn session(scenario: &Scenario) -> Session {
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
        StopAt::FirstViolation | StopAt::Beat => past.1 == 0 && !session.violations().is_empty(),
        StopAt::Selected => selection.is_some_and(|subject| {
            let new = session.facts().get(past.0..).unwrap_or_default();
            new.iter().any(|record| named(&record.fact).holds(subject))
        }),
        StopAt::Bookmark | StopAt::Never => false,
    }
}
