//! What people do to the run by hand: sends, faults, repairs.

use std::rc::Rc;

use lockstep_core::command::{Command, Refusal};
use lockstep_core::deeds::On;
use lockstep_core::ids::Ms;
use lockstep_core::scenario::{load, written};
use lockstep_core::session::Session;
use lockstep_core::view::compare::Side;
use lockstep_core::view::log::named;
use lockstep_core::view::Subject;

use super::link::Entry;
use super::play::Play;
use super::App;

/// What is open of what can be done by hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hands {
    /// What.
    pub what: Choice,
    /// Where a pointer asked for it, in CSS pixels of the window.
    pub at: Option<(i32, i32)>,
    /// In which run.
    pub side: Side,
}

/// What people choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// What can be done to a thing.
    To(On),
    /// Faults, of anything; first of this.
    Faults(Option<Subject>),
    /// The form for a message; first about this.
    Send(Option<Subject>),
    /// Sends and faults, where there is one button for both.
    All,
}

impl Hands {
    /// Opened by a key or a button.
    pub fn of(what: Choice) -> Self {
        Self { what, at: None, side: Side::First }
    }
}

/// What was done last.
#[derive(Clone, Debug, PartialEq)]
pub struct Done {
    /// In which run.
    pub side: Side,
    /// When, in ms.
    pub at_ms: Ms,
    /// What; None when the last thing was taken back.
    pub command: Option<Command>,
    /// Why it was refused.
    pub refusal: Option<Refusal>,
}

/// The text of a run with what was done in it by hand.
pub struct Written {
    /// The text.
    pub text: Rc<str>,
    /// When that run ends, in ms.
    pub until_ms: Ms,
    /// When something was done by hand first, in ms.
    pub from_ms: Ms,
}

impl Written {
    /// None when nothing was done by hand.
    pub fn of(text: &str, session: &Session) -> Option<Self> {
        let first = session.injected().first()?.index as usize;
        let (from_ms, _) = *session.journal().get(first)?;
        let text = written(text, session);
        // A text that can be read stays one that can.
        let until_ms = load(&text).map_or(0, |program| program.until_ms);
        Some(Self { text: text.into(), until_ms, from_ms })
    }
}

impl Play {
    /// Does something by hand in a run at the present instant, or in the millisecond behind it where that
    /// has begun. What had been recorded of its future is replaced.
    fn by_hand(&mut self, side: Side, command: &Command) -> Done {
        let now_ms = self.now();
        let mut core = self.core_of(side).write();
        let at_ms = core.session.do_at(now_ms, command.clone());
        core.generation += 1;
        let index = core.session.journal().len().saturating_sub(1) as u32;
        let refusal = core.session.world().shared.refusals.get(&index).cloned();
        drop(core);
        self.clock.set_now(at_ms as f64);
        if self.second.is_some() {
            // The other run comes to the same instant.
            self.runs(|runs| runs.seek_time(at_ms));
        }
        self.write_down(side);
        Done { side, at_ms, command: Some(command.clone()), refusal }
    }

    /// Whether something was done by hand in one of the runs.
    fn has_hands(&self) -> bool {
        let second = self.second.as_ref().and_then(|second| second.written.as_ref());
        self.written.as_ref().or(second).is_some()
    }

    /// Takes back what was done last in a run; false when nothing was.
    fn take_back(&mut self, side: Side) -> bool {
        let now_ms = self.now();
        let mut core = self.core_of(side).write();
        let taken = core.session.take_back();
        if !taken {
            return false;
        }
        core.session.seek_time(now_ms);
        core.generation += 1;
        drop(core);
        self.write_down(side);
        taken
    }
}

impl App {
    /// Does something by hand in a run.
    pub(super) fn do_by_hand(&mut self, side: Side, commands: &[Command]) {
        self.forget_told(side);
        // The way back leads to the run in which nothing was done; what is done more belongs to the same.
        let entry = if self.play.has_hands() { Entry::Same } else { Entry::New };
        for command in commands {
            self.state.done = Some(Rc::new(self.play.by_hand(side, command)));
        }
        self.keep_address(entry, Some(self.play.now()));
    }

    /// Takes back what was done by hand last.
    pub(super) fn take_back(&mut self, side: Side) {
        if self.play.take_back(side) {
            self.forget_told(side);
            let at_ms = self.play.now();
            self.state.done = Some(Rc::new(Done { side, at_ms, command: None, refusal: None }));
            self.keep_address(Entry::Same, Some(at_ms));
        }
    }

    /// What was told of may not come to pass any more.
    fn forget_told(&mut self, side: Side) {
        let event = self.play.core_of(side).read().session.event();
        let stays = |told: &Rc<super::told::Told>| told.event() <= event;
        match (side, &mut self.beside) {
            (Side::Second, Some(beside)) => beside.told = beside.told.take().filter(stays),
            _ => self.state.told = self.state.told.take().filter(stays),
        }
    }

    /// Opens what can be done by hand, or closes it. The run stands while people choose.
    pub(super) fn hands(&mut self, hands: Option<Hands>) {
        let hands = hands.map(|hands| self.about_selected(hands));
        let playing = self.play.clock.playing();
        if hands.is_some() {
            self.state.goes_on |= playing;
            self.play.clock.set_playing(false);
        } else if std::mem::take(&mut self.state.goes_on) {
            self.play.clock.set_playing(true);
        }
        self.state.hands = hands;
    }

    /// What a key or a button opens is about what is selected, in the run that the panel tells of.
    fn about_selected(&self, hands: Hands) -> Hands {
        let beside = self.beside.as_ref();
        let general = !matches!(hands.what, Choice::To(_) | Choice::Send(Some(_)));
        let side = match beside {
            Some(beside) if general && hands.at.is_none() => beside.focus,
            _ => hands.side,
        };
        let selected = match (side, beside) {
            (Side::Second, Some(beside)) => beside.selection,
            _ => self.state.selection,
        };
        let what = match hands.what {
            Choice::Send(None) => Choice::Send(selected),
            Choice::Faults(None) => Choice::Faults(selected),
            what => what,
        };
        Hands { what, side, ..hands }
    }

    /// Lets the timeline show the time of what is about a thing.
    pub(super) fn zoom(&mut self, side: Side, subject: Subject) {
        let core = self.play.core_of(side).read();
        let mut about = core.session.facts().iter().filter(|r| named(&r.fact).holds(subject));
        let Some(first_ms) = about.next().map(|record| record.at_ms) else { return };
        let last_ms = about.next_back().map_or(first_ms, |record| record.at_ms);
        let count = self.state.zoom.map_or(0, |(count, _)| count) + 1;
        self.state.zoom = Some((count, (first_ms, last_ms)));
    }
}
