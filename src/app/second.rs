//! What the owner of the page does with the run beside the first one.

use std::rc::Rc;

use lockstep_core::guarantee::Breach;
use lockstep_core::view::compare::Side;
use yew::prelude::*;

use super::beside::Beside;
use super::fetch::{fetch_beside, fetch_lesson};
use super::hands::Hands;
use super::link::{Entry, Link};
use super::msg::{Against, Msg, Notice, Start, Tab, With};
use super::play::Second;
use super::told::Told;
use super::App;

impl App {
    /// Puts beside the run what a link asks for.
    pub(super) fn with(&mut self, link: &html::Scope<Self>, with: Option<With>) {
        match with {
            Some(With::Run(against)) => self.compare(link, against),
            Some(With::Damaged) => self.state.notice = Some(Notice::DamagedComparison),
            None => {}
        }
    }

    /// Puts another run beside this one.
    pub(super) fn compare(&mut self, link: &html::Scope<Self>, against: Against) {
        let play = &mut self.play;
        let beside = match against {
            Against::Lesson(id) => {
                let own = Rc::clone(&play.scenario.id);
                if own.strip_suffix("-repaired") != Some(&*id) {
                    return fetch_beside(&self.wanted, link.clone(), id);
                }
                // What breaks comes first, from whichever side one asks.
                let at = Start::Instant(play.now());
                let with = With::Run(Against::Lesson(own));
                return fetch_lesson(&self.wanted, link.clone(), id, Some(at), Some(with));
            }
            Against::Variant(variant) => Beside::vary(play, variant),
            Against::Text(text) => Beside::open(play, Against::Text(Rc::clone(&text)), &text),
            Against::Tried(_) => match Beside::tried(play, against) {
                Some(beside) => Ok(beside),
                None => return,
            },
            Against::Before => {
                let (Some(before), now) = (self.state.previous_text.clone(), self.play.now())
                else {
                    return;
                };
                let text = self.play.text();
                if !self.run("", &before, Some(Start::Instant(now))) {
                    return;
                }
                Beside::open(&mut self.play, Against::Text(Rc::clone(&text)), &text)
                    .map(Beside::newer)
            }
        };
        self.put(beside);
    }

    /// Ends the comparison. Of a text and the one that ran before it the newer one stays.
    pub(super) fn end_compare(&mut self) {
        let Some(beside) = self.beside.take() else { return };
        let newer = self.play.second.as_ref().filter(|_| beside.is_newer).map(Second::text);
        let at = Start::Instant(self.play.now());
        self.play.take_away();
        if let Some(text) = newer {
            self.run("", &text, Some(at));
        }
        self.keep_address(Entry::Same, Some(self.play.now()));
    }

    pub(super) fn put(&mut self, beside: Result<Beside, Notice>) {
        self.wanted.forget();
        match beside {
            Ok(mut beside) => {
                beside.selection = beside.select(Side::First, self.state.selection);
                self.beside = Some(beside);
                // A sheet would cover what was asked for, however far it was raised.
                self.state.act(Msg::SetPanel(false));
                self.state.notice = None;
                // A link that asks for it says so already, and where to stand.
                let link = self.link(Some(self.play.now()));
                if Link::of_page().is_none_or(|of_page| of_page.with != link.with) {
                    link.keep(Entry::Same);
                }
            }
            Err(notice) => self.state.notice = Some(notice),
        }
    }

    /// Goes to a broken guarantee of a run and tells how it came to that.
    pub(super) fn tell(&mut self, side: Side, breach: &Breach) -> bool {
        self.play.seek_event(side, breach.event);
        let core = match (side, &self.play.second) {
            (Side::Second, Some(second)) => &second.core,
            _ => &self.play.core,
        };
        let told = Told::of(&core.read(), breach).map(Rc::new);
        // The stage shows the consumer group of which it is told.
        let group = breach.group.map(|group| group.index());
        match (side, &mut self.beside) {
            (Side::Second, Some(beside)) => {
                (beside.told, beside.focus) = (told, Side::Second);
                (beside.group, beside.topic) = (group.unwrap_or(beside.group), None);
            }
            (_, beside) => {
                self.state.told = told;
                (self.state.group, self.state.topic) = (group.unwrap_or(self.state.group), None);
                if let Some(beside) = beside {
                    beside.focus = Side::First;
                }
            }
        }
        self.state.act(Msg::OpenTab(Tab::Why))
    }

    /// What is meant for the second run.
    pub(super) fn in_second(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        let Some(beside) = &mut self.beside else { return false };
        match msg {
            Msg::Select(subject) => {
                self.state.selection = beside.select(Side::Second, subject);
                self.state.told = None;
                beside.selection = subject;
            }
            Msg::Tell(breach) => return self.tell(Side::Second, &breach),
            Msg::Hover(subject) if beside.hover == subject => return false,
            Msg::Hover(subject) => {
                (beside.hover, beside.lit) = (subject, subject.into_iter().collect());
            }
            Msg::Light(subjects) => {
                (beside.hover, beside.lit) = (subjects.first().copied(), subjects);
            }
            Msg::Resized(width, height) if beside.size == (width, height) => return false,
            Msg::Resized(width, height) => beside.size = (width, height),
            Msg::ChooseGroup(group) => (beside.group, beside.topic) = (group, None),
            Msg::ChooseTopic(topic) => beside.topic = Some(topic),
            // The text of the second run was changed.
            Msg::RunText(text) => {
                // The way back leads to the text before.
                Link::again();
                self.compare(ctx.link(), Against::Text(text));
            }
            Msg::SeekEvent(event) => self.play.seek_event(Side::Second, event),
            Msg::Do(commands) => self.do_by_hand(Side::Second, &commands),
            Msg::TakeBack => self.take_back(Side::Second),
            Msg::Zoom(subject) => self.zoom(Side::Second, subject),
            Msg::Hands(hands) => {
                self.hands(hands.map(|hands| Hands { side: Side::Second, ..hands }))
            }
            msg => return self.act(ctx, msg),
        }
        true
    }
}
