//! What one rendering of the page shows: immutable, shared, equal exactly when its revision is.

use std::collections::BTreeSet;
use std::rc::Rc;

use lockstep_core::check::{Broken, Violation};
use lockstep_core::ids::{MessageQueue, Ms, MsgId};
use lockstep_core::view::compare::{Differences, Side};
use lockstep_core::view::stage::StageView;
use lockstep_core::view::Subject;

use super::beside::Pair;
use super::core::CoreHandle;
use super::hands::{Done, Hands};
use super::msg::{Notice, StepSize, StopAt, Tab, Theme};
use super::scenario::{Changed, Scenario};
use super::told::Told;
use crate::i18n::Locale;

/// Everything that components read. They get it as `Rc<Frame>`.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Grows with every change of anything below.
    pub revision: u64,
    /// Virtual time of this projection. The running clock is painted, see [`super::paint`].
    pub now_ms: Ms,
    /// Number of the last event.
    pub event: u32,
    /// True while the clock runs.
    pub playing: bool,
    /// Virtual milliseconds in a real one.
    pub speed: f64,
    /// What the step buttons do.
    pub step: StepSize,
    /// What ends a run by itself.
    pub stop: StopAt,
    /// The open tab of the panel.
    pub tab: Tab,
    /// True when the panel is open where it is a drawer or a sheet.
    pub panel_open: bool,
    /// True when the sheet of a phone covers the stage.
    pub panel_full: bool,
    /// What is selected; nothing before the instant from which on it is there.
    pub selection: Option<Subject>,
    /// What people selected, whether it is there now or not.
    pub chosen: Option<Subject>,
    /// The broken guarantee that the panel tells of.
    pub told: Option<Rc<Told>>,
    /// What the pointer is over.
    pub hover: Option<Subject>,
    /// What is lit up because the pointer or the focus is on something that is about it.
    pub lit: Rc<[Subject]>,
    /// The scenario that runs.
    pub scenario: Rc<Scenario>,
    /// When everything is over, in ms: of two runs the later end.
    pub until_ms: Ms,
    /// Which of two runs this is; None while there is one.
    pub side: Option<Side>,
    /// What differs between two runs now.
    pub found: Option<Rc<Differences>>,
    /// The queues of this run in which something parts from the other one, anywhere in the run.
    pub parting: Rc<BTreeSet<MessageQueue>>,
    /// The run beside this one, in the frame of the first.
    pub pair: Option<Rc<Pair>>,
    /// The current beat, counted from 0; None before the first.
    pub beat: Option<usize>,
    /// The lesson has turned to another consumer group with its present beat.
    pub turned: bool,
    /// The open question at which the clock stands, counted from 0.
    pub asked: Option<usize>,
    /// When the first question comes that nobody has answered, in ms: what lies after it is not told.
    pub open_ms: Option<Ms>,
    /// The stage.
    pub stage: Rc<StageView>,
    /// Width and height of the stage in CSS pixels.
    pub size: (u32, u32),
    /// The run itself, for what is too large to be copied: the log, the timeline's window.
    pub core: CoreHandle,
    /// Instants that people marked, in order.
    pub bookmarks: Rc<[Ms]>,
    /// Broken guarantees up to the present, in order.
    pub violations: Rc<[Violation]>,
    /// Grows whenever recorded facts were replaced.
    pub generation: u32,
    /// The text that ran before this one, for going back to it.
    pub previous_text: Option<Rc<str>>,
    /// True while the list of scenarios is open.
    pub picker_open: bool,
    /// True while the list of what the run can be compared with is open.
    pub compare_open: bool,
    /// True while the legend of keys is open.
    pub help_open: bool,
    /// True when a link was copied just now.
    pub shared: bool,
    /// What could not be done.
    pub notice: Option<Notice>,
    /// What is open of what can be done by hand.
    pub hands: Option<Hands>,
    /// What was done by hand, until it has been read.
    pub done: Option<Rc<Done>>,
    /// The text of the run with what was done in it by hand; None when nothing was.
    pub written: Option<Rc<str>>,
    /// When something was done by hand first, in ms.
    pub by_hand_ms: Option<Ms>,
    /// Counts the wishes to see a thing's time, with the last of these times.
    pub zoom: Option<(u32, (Ms, Ms))>,
    /// A text with mistakes that came by a link, for the editor to take up.
    pub offered: Option<Rc<str>>,
    /// The language.
    pub locale: Locale,
    /// The theme that people chose.
    pub theme: Theme,
    /// True when the page is dark now, whoever decided it.
    pub dark: bool,
}

impl PartialEq for Frame {
    fn eq(&self, other: &Self) -> bool {
        self.revision == other.revision
    }
}

/// How long the two messages of a broken order stay marked, in virtual ms.
const MARKED_MS: Ms = 3_000;

impl Frame {
    /// The guarantee that was broken by the present event.
    pub fn violation_now(&self) -> Option<Violation> {
        self.violations.last().copied().filter(|violation| violation.event == self.event)
    }

    /// Whether a message stands differently in the other run.
    pub fn differs(&self, msg: MsgId) -> bool {
        let (Some(side), Some(found)) = (self.side, &self.found) else { return false };
        found.marked[side.index()].contains(&msg)
    }

    /// The frame of the run that the panel tells of.
    pub fn focused(self: &Rc<Self>) -> Rc<Self> {
        match &self.pair {
            Some(pair) if pair.focus == Side::Second => Rc::clone(&pair.second),
            _ => Rc::clone(self),
        }
    }

    /// The text that runs, with what was done by hand.
    pub fn text(&self) -> &Rc<str> {
        self.written.as_ref().unwrap_or(&self.scenario.text)
    }

    /// What is known of the lesson that people have changed: by its text, or by what they did in the run.
    pub fn changed(&self) -> Option<Changed> {
        let scenario = &self.scenario;
        let parts_ms = |known: Option<Ms>| known.into_iter().chain(self.by_hand_ms).min();
        match (&scenario.changed, self.by_hand_ms) {
            (Some(changed), _) => {
                Some(Changed { parts_ms: parts_ms(changed.parts_ms), ..changed.clone() })
            }
            (None, Some(_)) if !scenario.id.is_empty() => Some(Changed {
                id: Rc::clone(&scenario.id),
                text: Some(Rc::clone(&scenario.text)),
                parts_ms: parts_ms(None),
            }),
            _ => None,
        }
    }

    /// Whether what the lesson says of an instant was written for another run than this one.
    pub fn told_before(&self, at_ms: Ms) -> bool {
        self.by_hand_ms.is_some_and(|ms| at_ms >= ms) || self.scenario.told_before(at_ms)
    }

    /// The two messages of the last broken order, while it is recent.
    pub fn broken_pair(&self) -> [Option<MsgId>; 2] {
        match self.violations.last() {
            Some(Violation { at_ms, broken: Broken::Order { earlier, later, .. }, .. })
                if self.now_ms - at_ms < MARKED_MS =>
            {
                [Some(*earlier), Some(*later)]
            }
            _ => [None, None],
        }
    }
}
