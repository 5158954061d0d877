//! What the owner of the page does with the run beside the first one.

use std::rc::Rc;

use lockstep_core::view::compare::Side;
use yew::prelude::*;

use super::beside::Beside;
use super::fetch::{fetch_beside, fetch_lesson};
use super::msg::{Against, Msg, Notice, Start, With};
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
                    return fetch_beside(link.clone(), id);
                }
                // What breaks comes first, from whichever side one asks.
                let at = Start::Instant(play.now());
                let with = With::Run(Against::Lesson(own));
                return fetch_lesson(link.clone(), id, Some(at), Some(with));
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
                let text = Rc::clone(&self.play.scenario.text);
                if !self.run("", &before, Some(Start::Instant(now))) {
                    return;
                }
                Beside::open(&mut self.play, Against::Text(Rc::clone(&text)), &text)
            }
        };
        self.put(beside);
    }

    pub(super) fn put(&mut self, beside: Result<Beside, Notice>) {
        match beside {
            Ok(mut beside) => {
                beside.selection = beside.select(Side::First, self.state.selection);
                self.beside = Some(beside);
                (self.state.panel_open, self.state.notice) = (false, None);
            }
            Err(notice) => self.state.notice = Some(notice),
        }
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
            Msg::Hover(subject) if beside.hover == subject => return false,
            Msg::Hover(subject) => beside.hover = subject,
            Msg::Resized(width, height) if beside.size == (width, height) => return false,
            Msg::Resized(width, height) => beside.size = (width, height),
            Msg::ChooseGroup(group) => beside.group = group,
            // The text of the second run was changed.
            Msg::RunText(text) => self.compare(ctx.link(), Against::Text(text)),
            Msg::SeekEvent(event) => self.play.seek_event(Side::Second, event),
            Msg::Inject(command) => self.play.inject(Side::Second, *command),
            msg => return self.act(ctx, msg),
        }
        true
    }
}
