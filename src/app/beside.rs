//! The run beside the first one: what it is compared with, what people chose in it, and where the two
//! part.

use std::cell::{Ref, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use lockstep_core::explain::with_change;
use lockstep_core::ids::{MessageQueue, TopicId};
use lockstep_core::scenario::{vary, Variant};
use lockstep_core::session::Session;
use lockstep_core::view::compare::{Comparison, Differences, Divergence, Side};
use lockstep_core::view::Subject;

use super::frame::Frame;
use super::msg::{Against, Notice};
use super::play::{session, Play};
use super::scenario::Scenario;
use super::told::Told;

/// Events of both runs that are played ahead in one animation frame.
const EVENTS_AHEAD: usize = 20_000;

/// The comparison, shared with components for reading.
#[derive(Clone)]
pub struct Compared(Rc<RefCell<Comparison>>);

impl Compared {
    /// Reads it. Only the app writes, and never across a rendering.
    pub fn read(&self) -> Ref<'_, Comparison> {
        self.0.borrow()
    }
}

impl std::fmt::Debug for Compared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Compared")
    }
}

impl PartialEq for Compared {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// What people chose in the second run, and what is known of both.
pub struct Beside {
    /// What the first run is compared with.
    pub against: Against,
    /// What is selected in the second run.
    pub selection: Option<Subject>,
    /// What the pointer is over in it.
    pub hover: Option<Subject>,
    /// The broken guarantee of it that the panel tells of.
    pub told: Option<Rc<Told>>,
    /// What is lit up in it.
    pub lit: Rc<[Subject]>,
    /// The consumer group on its stage.
    pub group: usize,
    /// The topic on its stage, where people chose one.
    pub topic: Option<TopicId>,
    /// The size of its stage.
    pub size: (u32, u32),
    /// The run that the panel tells of.
    pub focus: Side,
    /// The run that is shown where there is no room for both.
    pub shown: Side,
    /// True when the second run is the newer one: what played when its run before was put beside it.
    pub is_newer: bool,
    compared: Compared,
    generations: (u32, u32),
    found: Option<([u32; 2], Rc<Differences>)>,
    queues: Option<[Rc<BTreeSet<MessageQueue>>; 2]>,
}

/// What components read of two runs.
#[derive(Clone, Debug)]
pub struct Pair {
    /// What the first run is compared with.
    pub against: Against,
    /// The second run.
    pub second: Rc<Frame>,
    /// The comparison.
    pub compared: Compared,
    /// True when both runs were played ahead to their ends.
    pub done: bool,
    /// Where they part.
    pub first: Option<Divergence>,
    /// What differs now.
    pub found: Rc<Differences>,
    /// The queues of each run in which something parts, anywhere in the run.
    pub queues: [Rc<BTreeSet<MessageQueue>>; 2],
    /// The run that the panel tells of.
    pub focus: Side,
    /// The run that is shown where there is no room for both.
    pub shown: Side,
    /// True when the second run is the newer one.
    pub is_newer: bool,
}

impl Beside {
    /// Puts the run of a text beside the one that plays.
    ///
    /// # Errors
    /// What keeps it from being played.
    pub fn open(play: &mut Play, against: Against, text: &str) -> Result<Self, Notice> {
        let id = match &against {
            Against::Lesson(id) => Rc::clone(id),
            _ => "".into(),
        };
        let scenario = Scenario::read(&id, text).map_err(|_| Notice::NoComparison)?;
        let run = match &against {
            Against::Variant(_) => with_injected(&scenario, &play.core.read().session),
            _ => session(&scenario),
        };
        Ok(Self::of(play, against, Rc::new(scenario), run))
    }

    /// Puts the run with one thing changed beside the one that plays.
    ///
    /// # Errors
    /// Why there is none.
    pub fn vary(play: &mut Play, variant: Variant) -> Result<Self, Notice> {
        let text = vary(&play.scenario.text, variant).map_err(|_| Notice::NoComparison)?;
        let text = text.ok_or(Notice::NothingToCompare)?;
        Self::open(play, Against::Variant(variant), &text)
    }

    /// Puts the run with a change that was tried beside the one that plays.
    pub fn tried(play: &mut Play, against: Against) -> Option<Self> {
        let Against::Tried(change) = &against else { return None };
        let run = with_change(&play.core.read().session, change, play.now());
        let scenario = Rc::clone(&play.scenario);
        Some(Self::of(play, against, scenario, run))
    }

    fn of(play: &mut Play, against: Against, scenario: Rc<Scenario>, run: Session) -> Self {
        play.put_beside(scenario, run);
        let (compared, generations) = compared(play);
        Self {
            against,
            selection: None,
            hover: None,
            told: None,
            lit: Rc::default(),
            group: 0,
            topic: None,
            size: (0, 0),
            focus: Side::First,
            shown: Side::First,
            is_newer: false,
            compared,
            generations,
            found: None,
            queues: None,
        }
    }

    /// The same, where the second run is the newer one.
    pub fn newer(self) -> Self {
        Self { is_newer: true, ..self }
    }

    /// Plays both runs ahead for a while; true when that has just shown where they part. A command
    /// that was given in one of them begins it anew.
    pub fn look_ahead(&mut self, play: &Play) -> bool {
        let now = generations(play);
        if self.generations != now {
            (self.compared, self.generations) = compared(play);
            (self.found, self.queues) = (None, None);
        }
        let mut compared = self.compared.0.borrow_mut();
        let found = !compared.done() && compared.advance(EVENTS_AHEAD);
        if found {
            (self.found, self.queues) = (None, None);
        }
        found
    }

    /// True while there is more to look at ahead.
    pub fn looks(&self) -> bool {
        !self.compared.read().done()
    }

    /// What a link has to ask for, so that it shows the same; None for a change that was tried, which has
    /// no text.
    pub fn linked(&self, play: &Play) -> Option<Against> {
        let second = play.second.as_ref()?;
        let its_own = || Some(Against::Text(second.text()));
        match &self.against {
            Against::Lesson(_) if second.written.is_some() => its_own(),
            // What was done in the first run before is done in the changed one too.
            Against::Variant(variant) => match vary(&play.text(), *variant) {
                Ok(Some(text)) if *text == *second.text() => Some(self.against.clone()),
                _ => its_own(),
            },
            Against::Text(_) | Against::Before => its_own(),
            Against::Tried(change) if change.is_now() => its_own(),
            Against::Tried(_) => None,
            Against::Lesson(_) => Some(self.against.clone()),
        }
    }

    /// Selects something in a run, and the same thing in the other one.
    pub fn select(&mut self, side: Side, subject: Option<Subject>) -> Option<Subject> {
        self.focus = subject.map_or(self.focus, |_| side);
        // Whoever selects something asks about that.
        self.told = None;
        subject.and_then(|subject| self.compared.read().counterpart(side, subject))
    }

    /// What differs when the runs stand behind these events.
    pub fn found(&mut self, events: [u32; 2]) -> Rc<Differences> {
        match &self.found {
            Some((at, found)) if *at == events => Rc::clone(found),
            _ => {
                let found = Rc::new(self.compared.read().differences(events));
                self.found = Some((events, Rc::clone(&found)));
                found
            }
        }
    }

    /// The queues of each run in which something parts; none before both were played ahead.
    pub fn queues(&mut self) -> [Rc<BTreeSet<MessageQueue>>; 2] {
        let compared = self.compared.read();
        let found = || Side::BOTH.map(|side| Rc::new(compared.queues(side)));
        self.queues.get_or_insert_with(found).clone()
    }

    /// What components read. `second` is the frame of the second run.
    pub fn pair(&mut self, found: Rc<Differences>, second: Rc<Frame>) -> Pair {
        let queues = self.queues();
        let compared = self.compared.read();
        Pair {
            against: self.against.clone(),
            second,
            compared: self.compared.clone(),
            done: compared.done(),
            first: compared.first().copied(),
            found,
            queues,
            focus: self.focus,
            shown: self.shown,
            is_newer: self.is_newer,
        }
    }
}

/// A run of a scenario, with the commands that were given in another one.
fn with_injected(scenario: &Scenario, other: &Session) -> Session {
    let program = &scenario.program;
    let given = other.injected().iter().filter_map(|i| other.journal().get(i.index as usize));
    let journal = program.journal().into_iter().chain(given.cloned()).collect();
    Session::new(program.seed, program.model.clone(), journal)
}

fn generations(play: &Play) -> (u32, u32) {
    let second = play.second.as_ref().map_or(0, |second| second.core.read().generation);
    (play.core.read().generation, second)
}

/// A comparison of the runs as they are.
fn compared(play: &Play) -> (Compared, (u32, u32)) {
    let first = play.core.read();
    let second = play.second.as_ref().map(|second| second.core.read());
    let second = second.as_ref().map_or(&first.session, |second| &second.session);
    let compared = Comparison::new([&first.session, second], play.until_ms());
    (Compared(Rc::new(RefCell::new(compared))), generations(play))
}
