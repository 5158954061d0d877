//! What people chose, apart from the run.

use std::rc::Rc;

use lockstep_core::ids::{Ms, TopicId};
use lockstep_core::view::Subject;

use super::hands::{Done, Hands};
use super::msg::{Msg, Notice, StepSize, Tab};
use super::told::Told;

/// What people chose, apart from the run.
#[derive(Default)]
pub(super) struct State {
    pub dark: bool,
    pub step: StepSize,
    pub tab: Tab,
    pub panel_open: bool,
    pub panel_full: bool,
    pub picker_open: bool,
    pub help_open: bool,
    pub compare_open: bool,
    pub selection: Option<Subject>,
    /// The broken guarantee that is told of.
    pub told: Option<Rc<Told>>,
    pub hover: Option<Subject>,
    pub lit: Rc<[Subject]>,
    /// A link was copied, and nothing was done since.
    pub shared: bool,
    pub size: (u32, u32),
    pub previous_text: Option<Rc<str>>,
    pub notice: Option<Notice>,
    /// A text with mistakes that came by a link.
    pub offered: Option<Rc<str>>,
    /// The consumer group on the stage, by its place.
    pub group: usize,
    /// The lesson has turned to another group with its present beat.
    pub turned: bool,
    /// What is open of what can be done by hand.
    pub hands: Option<Hands>,
    /// The run goes on when that is closed.
    pub goes_on: bool,
    /// What was done by hand, until it has been read.
    pub done: Option<Rc<Done>>,
    /// Counts the wishes to see a thing's time, with the last of these times.
    pub zoom: Option<(u32, (Ms, Ms))>,
    /// The topic on the stage, where people chose another than the group's.
    pub topic: Option<TopicId>,
}

impl State {
    /// What does not touch the run; true when the page has to be rendered.
    pub fn act(&mut self, msg: Msg) -> bool {
        match msg {
            Msg::Hover(subject) if self.hover == subject => return false,
            Msg::Resized(width, height) if self.size == (width, height) => return false,
            Msg::Hover(subject) => {
                (self.hover, self.lit) = (subject, subject.into_iter().collect());
            }
            Msg::Light(subjects) => (self.hover, self.lit) = (subjects.first().copied(), subjects),
            Msg::Resized(width, height) => self.size = (width, height),
            Msg::SetStep(step) => self.step = step,
            Msg::Select(subject) => (self.selection, self.told) = (subject, None),
            Msg::OpenTab(tab) => {
                self.tab = tab;
                self.panel_open = true;
            }
            Msg::SetPanel(open) => (self.panel_open, self.panel_full) = (open, false),
            Msg::NextStop => {
                let stop = (self.panel_open, self.panel_full);
                (self.panel_open, self.panel_full) = match stop {
                    (false, _) => (true, false),
                    (true, false) => (true, true),
                    (true, true) => (false, false),
                };
            }
            Msg::Notice(notice) => self.notice = Some(notice),
            Msg::Dismiss => self.notice = None,
            Msg::Forget => self.done = None,
            Msg::TogglePicker => self.picker_open = !self.picker_open,
            Msg::ToggleHelp => self.help_open = !self.help_open,
            Msg::ToggleCompare => self.compare_open = !self.compare_open,
            _ => return false,
        }
        true
    }
}
