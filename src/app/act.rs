//! What the owner of the page does with what people ask of it.

use std::rc::Rc;

use lockstep_core::ids::Ms;
use lockstep_core::view::compare::Side;
use yew::prelude::*;

use super::beside::Beside;
use super::fetch::{fetch_changed, fetch_lesson};
use super::link::{Entry, Link, What};
use super::msg::{Against, Msg, Notice, Start, Tab};
use super::scenario::{Scenario, FIRST, FIRST_TEXT};
use super::App;
use crate::i18n::panel::new_scenario;

impl App {
    /// Everything but an animation frame; true when the page has to be rendered.
    pub(super) fn act(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        let play = &mut self.play;
        match msg {
            Msg::Play => play.play(),
            Msg::Pause => play.clock.set_playing(false),
            Msg::Toggle => play.toggle(),
            Msg::StepForward(size) => {
                play.forward(size);
                self.show_question();
            }
            Msg::StepBack(size) => play.back(size),
            Msg::NextDue => play.next_due(),
            Msg::SeekTime(at_ms) | Msg::Scrub(at_ms) => play.seek_time(at_ms),
            Msg::SeekEvent(event) => play.seek_event(Side::First, event),
            Msg::SeekBeat(beat) => {
                play.walk_to_beat(beat);
                self.show_question();
            }
            Msg::Bookmark => play.bookmarks.toggle(play.clock.now_ms() as Ms),
            Msg::SeekBookmark(next) => play.seek_bookmark(next),
            Msg::ChooseGroup(group) => {
                self.follower.chosen();
                (self.state.group, self.state.topic) = (group, None);
            }
            Msg::ChooseTopic(topic) => {
                self.follower.chosen();
                self.state.topic = Some(topic);
            }
            Msg::Answered(ask) => drop(play.answered.insert(ask)),
            Msg::AskAgain(ask) => play.ask_again(ask),
            Msg::SetSpeed(speed) => play.clock.set_speed(speed),
            Msg::SetStop(stop) => play.stop = stop,
            Msg::Tell(breach) => return self.tell(Side::First, &breach),
            Msg::Do(commands) => self.do_by_hand(Side::First, &commands),
            Msg::TakeBack => self.take_back(Side::First),
            Msg::Hands(hands) => self.hands(hands),
            Msg::Zoom(subject) => self.zoom(Side::First, subject),
            Msg::OpenScenario(id) => {
                // Whoever chooses a lesson wants to read it.
                (self.state.picker_open, self.state.tab) = (false, Tab::Lesson);
                Link::show(&id);
                fetch_lesson(&self.wanted, ctx.link().clone(), id, None, None);
            }
            Msg::Opened { id, text, at, with } => {
                // A server may answer with a page of its own instead of a lesson.
                if !self.run(&id, &text, at) {
                    self.state.notice = Some(Notice::NoLesson(id));
                    return true;
                }
                // A link to an instant is looked at first.
                if !matches!(at, Some(Start::Instant(_))) {
                    self.play.read_along();
                }
                self.with(ctx.link(), with);
            }
            Msg::Changed { lesson, text, at, with } => {
                let lesson =
                    lesson.and_then(|(id, lesson)| Scenario::of_link(&text, &id, &lesson).ok());
                match lesson {
                    Some(scenario) => self.open(scenario, at),
                    None => drop(self.run("", &text, at)),
                }
                self.with(ctx.link(), with);
            }
            Msg::Compare(against) => self.compare(ctx.link(), against),
            Msg::Beside(against, text) => {
                let beside = Beside::open(play, against, &text);
                self.put(beside);
            }
            Msg::EndCompare => self.end_compare(),
            Msg::ShowRun(side) => {
                if let Some(beside) = &mut self.beside {
                    (beside.shown, beside.focus) = (side, side);
                }
            }
            Msg::InSecond(msg) => return self.in_second(ctx, *msg),
            Msg::Select(subject) => {
                // Whoever selects something asks about that.
                (self.state.selection, self.state.told) = (subject, None);
                if let Some(beside) = &mut self.beside {
                    beside.selection = beside.select(Side::First, subject);
                }
            }
            Msg::RunText(text) => {
                let newer = self.beside.as_ref().is_some_and(|beside| beside.is_newer);
                let beside = self.beside.as_ref().and(self.play.second.as_ref());
                let beside = beside.map(|second| Rc::clone(&second.scenario.text));
                let runs = self.run_own(&text);
                if let Some(text) = beside.filter(|_| runs) {
                    self.compare(ctx.link(), Against::Text(text));
                    self.beside.iter_mut().for_each(|beside| beside.is_newer = newer);
                }
                return runs;
            }
            Msg::New => {
                (self.state.picker_open, self.state.tab) = (false, Tab::Scenario);
                self.state.panel_open = true;
                let text = new_scenario(self.settings.locale);
                self.run_own(text);
            }
            Msg::RestorePrevious => {
                let previous = self.state.previous_text.take();
                return previous.is_some_and(|text| self.run_own(&text));
            }
            Msg::Follow => return self.follow(ctx.link()),
            Msg::Share => {
                let address = self.link(Some(self.play.now())).address();
                self.state.shared = address.is_some_and(|address| copy(&address));
            }
            Msg::SetLocale(locale) => {
                self.settings.locale = locale;
                self.settings.apply(true);
            }
            Msg::ToggleLegend => {
                self.settings.legend = !self.settings.legend;
                self.settings.apply(true);
            }
            Msg::SetTheme(theme) => {
                self.settings.theme = theme;
                self.state.dark = self.settings.apply(true);
            }
            msg => return self.state.act(msg),
        }
        true
    }

    /// Opens the panel where it is closed, when a walk through the beats has come to a question. Who
    /// reads another tab is told of it by the narration.
    fn show_question(&mut self) {
        if self.play.asked().is_some() && self.state.tab == Tab::Lesson {
            self.state.panel_open = true;
        }
    }

    /// Runs a text from its beginning. A text that cannot be read leaves the last run in place;
    /// the editor shows what is wrong with it.
    pub(super) fn run(&mut self, id: &str, text: &str, at: Option<Start>) -> bool {
        let scenario = match id {
            "" => Scenario::of_own(text, &self.play.scenario),
            id => Scenario::read(id, text),
        };
        let Ok(scenario) = scenario else { return false };
        self.open(scenario, at);
        true
    }

    /// Runs a text of people's own from its beginning, as a new entry of the history.
    fn run_own(&mut self, text: &str) -> bool {
        let runs = self.run("", text, None);
        if runs {
            self.keep_address(Entry::New, None);
        }
        runs
    }

    /// Runs a scenario from its beginning.
    fn open(&mut self, scenario: Scenario, at: Option<Start>) {
        self.wanted.forget();
        self.state.previous_text = Some(self.play.text());
        self.state.selection = None;
        self.state.told = None;
        (self.state.hover, self.state.lit) = (None, Rc::default());
        (self.state.group, self.state.topic) = (0, None);
        self.state.notice = None;
        self.state.offered = None;
        (self.state.done, self.state.zoom, self.state.hands) = (None, None, None);
        self.state.goes_on = false;
        self.beside = None;
        self.play.open(Rc::new(scenario));
        match at {
            Some(Start::Instant(at_ms)) => self.play.seek_time(at_ms),
            Some(Start::Beat(beat)) => self.play.seek_beat(beat),
            None => self.play.clock.set_playing(true),
        }
    }

    /// Opens what the page's address names; true when it is there at once.
    fn follow(&mut self, link: &html::Scope<Self>) -> bool {
        match Link::of_page() {
            Some(Link { what: What::Text(text), at, with }) => {
                if let Some(id) = self.play.scenario.lesson_behind(&text) {
                    let (wanted, link) = (&self.wanted, link.clone());
                    fetch_changed(wanted, link, id.into(), text, (at, with));
                    return false;
                }
                if self.run("", &text, at) {
                    self.with(link, with);
                } else {
                    self.state.notice = Some(Notice::LinkWithMistakes);
                    self.state.offered = Some(text);
                    self.state.act(Msg::OpenTab(Tab::Scenario));
                }
                true
            }
            Some(Link { what: What::Lesson(id), at, with }) => {
                fetch_lesson(&self.wanted, link.clone(), id, at, with);
                false
            }
            Some(Link { what: What::Damaged, .. }) => {
                self.state.notice = Some(Notice::DamagedLink);
                true
            }
            Some(Link { what: What::Elsewhere, .. }) => {
                self.state.notice = Some(Notice::TextElsewhere);
                true
            }
            // The page has opened with the first lesson; who comes back to where it was gets it again.
            Some(Link { what: What::Nothing, .. }) if !self.is_first() => {
                self.run(FIRST, FIRST_TEXT, None)
            }
            Some(Link { what: What::Nothing, .. }) | None => false,
        }
    }

    /// Whether the first lesson plays as it is.
    fn is_first(&self) -> bool {
        let is_changed = self.play.written.is_some() || self.beside.is_some();
        *self.play.scenario.id == *FIRST && !is_changed
    }

    /// Writes into the page's address what plays, so that nothing of it is lost by loading the page again.
    pub(super) fn keep_address(&self, entry: Entry, at: Option<Ms>) {
        self.link(at).keep(entry);
    }

    /// The link to what plays.
    pub(super) fn link(&self, at: Option<Ms>) -> Link {
        let play = &self.play;
        let with = self.beside.as_ref().and_then(|beside| beside.linked(play));
        let text = play.written.as_ref().map(|written| &*written.text);
        Link::of(&play.scenario, text, at, with)
    }
}

/// Puts a text on the clipboard; false when the browser has none.
pub fn copy(text: &str) -> bool {
    let clipboard = web_sys::window().map(|window| window.navigator().clipboard());
    let Some(clipboard) = clipboard.filter(|clipboard| !clipboard.is_undefined()) else {
        return false;
    };
    // A refusal shows by itself: nothing can be pasted.
    let _ = clipboard.write_text(text);
    true
}
