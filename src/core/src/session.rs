//! A run with its history: the journal is the whole truth; snapshots only make it fast.

use std::rc::Rc;

use crate::check::{Checks, Violation};
use crate::command::Command;
use crate::fact::FactRecord;
use crate::guarantee::{Watch, Watched};
use crate::ids::Ms;
use crate::model::Model;
use crate::world::World;

/// Events between two snapshots while there are few of them.
pub const SNAPSHOT_INTERVAL: u32 = 512;
/// Most snapshots kept; beyond it every other one goes and the distance doubles.
pub const MAX_SNAPSHOTS: usize = 256;
/// Most events of a run.
pub const MAX_EVENTS: u32 = 4_000_000;

/// A command that was given while the run stood behind an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Injected {
    /// The event after which it took effect.
    pub after_event: u32,
    /// Its number in the journal.
    pub index: u32,
}

/// A run and its past.
pub struct Session {
    seed: u64,
    model: Model,
    journal: Vec<(Ms, Command)>,
    injected: Vec<Injected>,
    world: World,
    facts: Vec<FactRecord>,
    /// For each recorded event: its instant, and the number of facts up to its end.
    events: Vec<(Ms, u32)>,
    checks: Checks,
    watch: Watch,
    watched: bool,
    snapshots: Vec<Rc<World>>,
    interval: u32,
    generation: u32,
    most: u32,
}

impl Session {
    /// A run that stands before its first event. `commands` are carried out at their instants.
    pub fn new(seed: u64, model: Model, commands: Vec<(Ms, Command)>) -> Self {
        Self::replay(seed, model, commands, Vec::new())
    }

    /// A run from a journal with injected commands.
    pub fn replay(
        seed: u64,
        model: Model,
        journal: Vec<(Ms, Command)>,
        injected: Vec<Injected>,
    ) -> Self {
        let mut world = World::new(seed, model.clone());
        for (index, (at_ms, _)) in journal.iter().enumerate() {
            let index = index as u32;
            if !injected.iter().any(|i| i.index == index) {
                world.schedule_command(*at_ms, index);
            }
        }
        Self {
            seed,
            model,
            journal,
            injected,
            snapshots: vec![Rc::new(world.clone())],
            world,
            facts: Vec::new(),
            events: Vec::new(),
            checks: Checks::default(),
            watch: Watch::default(),
            watched: true,
            interval: SNAPSHOT_INTERVAL,
            generation: 0,
            most: MAX_EVENTS,
        }
    }

    /// Seed of the run.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The model that the run began with.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// All commands; with [`Session::injected`] and the seed the whole truth.
    pub fn journal(&self) -> &[(Ms, Command)] {
        &self.journal
    }

    /// Which commands of the journal were given during the run.
    pub fn injected(&self) -> &[Injected] {
        &self.injected
    }

    /// The present.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Hash of the run up to the present.
    pub fn hash(&self) -> u64 {
        self.world.hash()
    }

    /// Number of the present event; 0 before the first.
    pub fn event(&self) -> u32 {
        self.world.event()
    }

    /// Number of the last event that was recorded; the present may be before it.
    pub fn recorded_events(&self) -> u32 {
        self.events.len() as u32
    }

    /// Raised whenever recorded history was replaced.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Facts up to the present, in order.
    pub fn facts(&self) -> &[FactRecord] {
        &self.facts[..self.facts_until(self.world.event())]
    }

    /// All recorded facts, those after the present included.
    pub fn recorded_facts(&self) -> &[FactRecord] {
        &self.facts
    }

    /// Facts of one recorded event.
    pub fn facts_of(&self, event: u32) -> &[FactRecord] {
        match event {
            0 => &[],
            _ => &self.facts[self.facts_until(event - 1)..self.facts_until(event)],
        }
    }

    fn facts_until(&self, event: u32) -> usize {
        match event {
            0 => 0,
            _ => self.events.get(event as usize - 1).map_or(self.facts.len(), |(_, n)| *n as usize),
        }
    }

    /// Instant of a recorded event; None for 0 and for what was not recorded yet.
    pub fn event_at(&self, event: u32) -> Option<Ms> {
        self.events.get(event.checked_sub(1)? as usize).map(|(at_ms, _)| *at_ms)
    }

    /// Violations up to the present.
    pub fn violations(&self) -> &[Violation] {
        let all = self.checks.violations();
        let present = self.world.event();
        &all[..all.partition_point(|v| v.event <= present)]
    }

    /// Violations of the whole recorded run.
    pub fn recorded_violations(&self) -> &[Violation] {
        self.checks.violations()
    }

    /// What was seen of the guarantees up to the present.
    pub fn watch(&self) -> Watched<'_> {
        self.watch.until(self.world.event())
    }

    /// The same run without checks, to measure what they cost. For runs that have not begun.
    pub fn unwatched(mut self) -> Self {
        self.watched = false;
        self
    }

    /// Instant of the next event; None when nothing is left to happen.
    pub fn next_event_at(&self) -> Option<Ms> {
        match self.injection_due() {
            Some(index) => Some(self.world.reachable(self.journal[index as usize].0)),
            None => self.world.next_event_at(),
        }
    }

    fn injection_due(&self) -> Option<u32> {
        if self.injected.is_empty() {
            return None;
        }
        let event = self.world.event();
        let place = self.injected.partition_point(|i| i.after_event < event);
        self.injected.get(place).filter(|i| i.after_event == event).map(|i| i.index)
    }

    /// The same run with room for `most` events instead of [`MAX_EVENTS`].
    #[must_use]
    pub fn with_room(self, most: u32) -> Self {
        Self { most, ..self }
    }

    /// Whether the present is the last event that there is room for, and others would follow by
    /// `until_ms`: what happens then is not known.
    pub fn is_cut_short(&self, until_ms: Ms) -> bool {
        self.world.event() >= self.most && self.next_event_at().is_some_and(|next| next <= until_ms)
    }

    /// One event forward; false when there is none, or the run has as many as there is room for.
    pub fn step(&mut self) -> bool {
        if self.world.event() >= self.most {
            return false;
        }
        match self.injection_due() {
            Some(index) => {
                let (at_ms, command) = &self.journal[index as usize];
                self.world.apply_at(*at_ms, index, command);
            }
            None if !self.world.step(&self.journal) => return false,
            None => {}
        }
        if self.world.event() as usize > self.events.len() {
            self.record();
        }
        true
    }

    fn record(&mut self) {
        let (at_ms, event) = (self.world.now_ms(), self.world.event());
        for fact in self.world.facts() {
            let record = FactRecord { at_ms, event, fact: *fact };
            if self.watched {
                self.checks.observe(&self.world, &record);
                self.watch.observe(&self.world, &record);
            }
            self.facts.push(record);
        }
        self.events.push((at_ms, self.facts.len() as u32));
        if event.is_multiple_of(self.interval) {
            self.snapshots.push(Rc::new(self.world.clone()));
            if self.snapshots.len() > MAX_SNAPSHOTS {
                self.interval *= 2;
                let interval = self.interval;
                self.snapshots.retain(|world| world.event().is_multiple_of(interval));
            }
        }
    }

    /// One event back; false at the beginning.
    pub fn back(&mut self) -> bool {
        match self.world.event() {
            0 => false,
            event => {
                self.seek_event(event - 1);
                true
            }
        }
    }

    /// Goes to the state after event `target`, or as far as the run goes.
    pub fn seek_event(&mut self, target: u32) {
        let place = self.snapshots.partition_point(|world| world.event() <= target);
        let present = self.world.event();
        if let Some(snapshot) = place.checked_sub(1).and_then(|i| self.snapshots.get(i)) {
            if present > target || snapshot.event() > present {
                self.world = World::clone(snapshot);
            }
        }
        while self.world.event() < target && self.step() {}
    }

    /// Goes to the last event at or before an instant.
    pub fn seek_time(&mut self, at_ms: Ms) {
        let recorded = self.events.partition_point(|(at, _)| *at <= at_ms);
        if recorded < self.events.len() {
            return self.seek_event(recorded as u32);
        }
        self.seek_event(recorded as u32);
        self.run_until(at_ms);
    }

    /// Runs all events up to an instant, that instant included.
    pub fn run_until(&mut self, at_ms: Ms) {
        while self.next_event_at().is_some_and(|next| next <= at_ms) && self.step() {}
    }

    /// Gives a command at the present event's instant. What was recorded after it is replaced.
    pub fn inject(&mut self, command: Command) {
        self.inject_at(self.world.now_ms(), command);
    }

    /// Gives a command behind the present event, at an instant in ms to which nothing else happens:
    /// where a clock stands between two events. An instant that is over is the present one, one
    /// behind the next event is that event's. What was recorded after the present is replaced.
    pub fn inject_at(&mut self, at_ms: Ms, command: Command) {
        let present = self.world.event();
        if (present as usize) < self.events.len() {
            self.forget_future(present);
        }
        let index = self.journal.len() as u32;
        self.journal.push((self.world.reachable(at_ms), command));
        self.injected.push(Injected { after_event: present, index });
        self.step();
    }

    /// Gives a command as the scenario's text would: before anything else of its instant, and behind the
    /// text's own commands, see [`Self::free_instant`]. What comes before that happens first. Gives back
    /// when it came, in ms.
    pub fn do_at(&mut self, at_ms: Ms, command: Command) -> Ms {
        let free_ms = self.free_instant(at_ms);
        if free_ms > at_ms {
            self.run_until(free_ms - 1);
        }
        self.inject_at(free_ms, command);
        self.world.now_ms()
    }

    /// The first instant, from `at_ms` on, of which nothing has happened yet and for which the text has no
    /// command, in ms.
    pub fn free_instant(&self, at_ms: Ms) -> Ms {
        let planned = &self.journal[..self.journal.len() - self.injected.len()];
        let begun = self.event() > 0 && self.world.now_ms() >= at_ms;
        let first_ms = at_ms + Ms::from(begun);
        let is_free = |ms: &Ms| !planned.iter().any(|(at, _)| at == ms);
        (first_ms..).find(is_free).unwrap_or(first_ms)
    }

    /// Takes back the last command that was given during the run, and everything recorded behind it; the
    /// run then stands before it. False when there is none.
    pub fn take_back(&mut self) -> bool {
        let Some(last) = self.injected.last().copied() else { return false };
        self.seek_event(last.after_event);
        self.forget_future(last.after_event);
        true
    }

    fn forget_future(&mut self, present: u32) {
        self.facts.truncate(self.facts_until(present));
        self.events.truncate(present as usize);
        self.snapshots.retain(|world| world.event() <= present);
        // Injected commands stand behind the scenario's, in the order in which they took effect.
        let scheduled = self.journal.len() - self.injected.len();
        self.injected.retain(|i| i.after_event < present);
        self.journal.truncate(scheduled + self.injected.len());
        self.generation += 1;
        // The checks are rebuilt from the facts that stay.
        self.checks = Checks::default();
        self.watch = Watch::default();
        for record in &self.facts {
            self.checks.observe(&self.world, record);
            self.watch.observe(&self.world, record);
        }
    }
}
