//! What people ask of the page. Views send these; [`super::App`] alone acts on them.

use std::rc::Rc;

use lockstep_core::command::Command;
use lockstep_core::explain::Change;
use lockstep_core::guarantee::Breach;
use lockstep_core::ids::{Ms, TopicId};
use lockstep_core::scenario::Variant;
use lockstep_core::view::compare::Side;
use lockstep_core::view::Subject;

use super::hands::Hands;
use crate::i18n::Locale;

/// A message to the one owner of the session.
#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    /// Lets the virtual clock run.
    Play,
    /// Stops it.
    Pause,
    /// Plays or pauses.
    Toggle,
    /// One step of this size forward; pauses.
    StepForward(StepSize),
    /// One step of this size back; pauses.
    StepBack(StepSize),
    /// Jumps over idle time to the next event.
    NextDue,
    /// Goes to an instant; pauses.
    SeekTime(Ms),
    /// As [`Self::SeekTime`], while the pointer drags; may come with every frame.
    Scrub(Ms),
    /// Goes to an event; pauses.
    SeekEvent(u32),
    /// Goes to a beat of the lesson, counted from 0.
    SeekBeat(usize),
    /// Marks the present instant, or takes its mark away.
    Bookmark,
    /// Goes to the next (true) or the last bookmark; pauses.
    SeekBookmark(bool),
    /// A question of the lesson was answered, counted from 0.
    Answered(usize),
    /// A question of the lesson is to be asked again, counted from 0: goes to it.
    AskAgain(usize),
    /// Sets how many virtual milliseconds pass in a real one.
    SetSpeed(f64),
    /// Sets what the step buttons do.
    SetStep(StepSize),
    /// Sets what ends a run by itself.
    SetStop(StopAt),
    /// Selects a thing, or nothing.
    Select(Option<Subject>),
    /// Goes to a broken guarantee and tells how it came to that.
    Tell(Breach),
    /// The pointer is over a thing, or over nothing.
    Hover(Option<Subject>),
    /// These are lit up; the first of them is hovered. None of them: nothing is.
    Light(Rc<[Subject]>),
    /// Opens a scenario of the catalogue by its id.
    OpenScenario(Rc<str>),
    /// Runs a scenario text; a text that cannot be read leaves the last run in place.
    RunText(Rc<str>),
    /// Runs a scenario to begin with, and opens its text.
    New,
    /// The text of a scenario of the catalogue has come.
    Opened {
        /// Its id.
        id: Rc<str>,
        /// Its text.
        text: Rc<str>,
        /// Where to stand; None = play from the beginning.
        at: Option<Start>,
        /// What to put beside it.
        with: Option<With>,
    },
    /// The text of the lesson has come that a text of a link is a changed version of.
    Changed {
        /// Its id and text; None when it did not come.
        lesson: Option<(Rc<str>, Rc<str>)>,
        /// The changed text.
        text: Rc<str>,
        /// Where to stand; None = play from the beginning.
        at: Option<Start>,
        /// What to put beside it.
        with: Option<With>,
    },
    /// The page's address names another scenario.
    Follow,
    /// Copies a link to this scenario at this instant.
    Share,
    /// Something that was asked for could not be done.
    Notice(Notice),
    /// The notice has been read.
    Dismiss,
    /// Runs the text that ran before.
    RestorePrevious,
    /// Does something by hand at the present instant.
    Do(Rc<[Command]>),
    /// Takes back what was done by hand last.
    TakeBack,
    /// Opens what can be done by hand, or closes it.
    Hands(Option<Hands>),
    /// What was done has been read.
    Forget,
    /// Shows the legend of the stage, or hides it.
    ToggleLegend,
    /// The timeline shows the time of a thing.
    Zoom(Subject),
    /// Puts a run beside this one.
    Compare(Against),
    /// The text of the run beside this one has come.
    Beside(Against, Rc<str>),
    /// Opens or closes the list of what the run can be compared with.
    ToggleCompare,
    /// Takes the second run away.
    EndCompare,
    /// Shows one of two runs where there is no room for both.
    ShowRun(Side),
    /// What follows is meant for the second run.
    InSecond(Box<Msg>),
    /// Changes the language.
    SetLocale(Locale),
    /// Changes the theme.
    SetTheme(Theme),
    /// Opens a tab of the panel.
    OpenTab(Tab),
    /// Opens or closes the panel where it is a drawer or a sheet.
    SetPanel(bool),
    /// The next stop of the sheet: a glimpse, half, all.
    NextStop,
    /// Opens or closes the list of scenarios.
    TogglePicker,
    /// Opens or closes the legend of keys.
    ToggleHelp,
    /// The consumer group whose tokens the stage shows, by its place in the list of groups.
    ChooseGroup(usize),
    /// The topic whose queues the stage shows, instead of the one that the group reads.
    ChooseTopic(TopicId),
    /// The stage changed its size, in CSS pixels.
    Resized(u32, u32),
    /// An animation frame, at this real time in ms.
    Tick(f64),
}

/// What a run is compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum Against {
    /// A lesson, by its id.
    Lesson(Rc<str>),
    /// The same scenario with one thing changed.
    Variant(Variant),
    /// Another text.
    Text(Rc<str>),
    /// The text that ran before: it becomes the first run, and this one the second.
    Before,
    /// The same run with a change that was tried.
    Tried(Box<Change>),
}

/// What a link asks to put beside its scenario.
#[derive(Clone, Debug, PartialEq)]
pub enum With {
    /// This.
    Run(Against),
    /// Something that cannot be read.
    Damaged,
}

/// Where a scenario that is opened stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At an instant.
    Instant(Ms),
    /// At a beat, counted from 0.
    Beat(usize),
}

/// What could not be done, for people to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The page's address cannot be read.
    DamagedLink,
    /// The text of the page's address was kept in another tab.
    TextElsewhere,
    /// The address names a lesson that does not come.
    NoLesson(Rc<str>),
    /// The text of a link has mistakes; the editor shows it.
    LinkWithMistakes,
    /// What a link asks to put beside its scenario cannot be read.
    DamagedComparison,
    /// The scenario cannot be played with the change.
    NoComparison,
    /// The change would change nothing.
    NothingToCompare,
    /// A file is larger than this many bytes.
    FileTooLarge(u32),
    /// The run has no room for more events than so many.
    CutShort(u32),
}

/// How far a step goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum StepSize {
    /// One event of the simulation.
    #[default]
    Event,
    /// To the next decision: deliver, lock, retry, skip, put back.
    Decision,
    /// To the next beat of the lesson.
    Beat,
}

/// What ends a run by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum StopAt {
    /// The first broken guarantee.
    #[default]
    FirstViolation,
    /// Nothing.
    Never,
    /// The next beat of the lesson, and the first broken guarantee: nobody reads past that.
    Beat,
    /// The next event that has to do with the selected thing.
    Selected,
    /// The next bookmark.
    Bookmark,
}

/// Tabs of the panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Tab {
    /// The lesson's text, questions and goals.
    #[default]
    Lesson,
    /// Why the selected thing is as it is.
    Why,
    /// All values of the selected thing.
    Inspect,
    /// Everything that happened.
    Log,
    /// The charts.
    Charts,
    /// The order strips, under the same button as the charts.
    Order,
    /// The routing microscope, under the same button as the charts.
    Routing,
    /// The scenario's text.
    Scenario,
}

/// A colour theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// The value of `data-theme`, and of the stored setting.
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The theme of a stored setting; the system's when it is none of ours.
    pub fn of_name(name: &str) -> Self {
        match name {
            "light" => Self::Light,
            "dark" => Self::Dark,
            _ => Self::System,
        }
    }
}
