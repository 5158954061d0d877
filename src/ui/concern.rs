//! The queue that matters now. Where there is no room for all of them, the stage and the timeline show
//! this one when it becomes another; scrolled elsewhere by people, they stay there until then.

use std::rc::Rc;

use lockstep_core::check::Broken;
use lockstep_core::ids::{MessageQueue, MsgId};
use lockstep_core::scenario::Lang;
use lockstep_core::view::stage::{LaneView, Place, TokenView};
use lockstep_core::view::Subject;
use web_sys::Element;
use yew::prelude::*;

use super::labels;
use crate::app::frame::Frame;

/// What decides which queue matters: the run, its beat, its open question, its broken guarantees, what
/// is selected, and the size of the stage.
type Cause = (
    (usize, u32, Option<usize>, Option<usize>, usize),
    (Option<Subject>, (u32, u32), Option<usize>, Option<MessageQueue>),
);

/// Calls back with the queue that matters, whenever it becomes another one.
#[hook]
pub fn use_concern(frame: &Rc<Frame>, show: impl FnOnce(MessageQueue) + 'static) {
    let group = frame.stage.group.as_ref().map(|group| group.index);
    let cause: Cause = (
        (
            Rc::as_ptr(&frame.scenario) as usize,
            frame.generation,
            frame.beat,
            frame.asked,
            frame.violations.len(),
        ),
        (frame.selection, frame.size, group, filled(frame)),
    );
    let frame = Rc::clone(frame);
    use_effect_with(cause, move |_| {
        if let Some(queue) = queue(&frame) {
            show(queue);
        }
    });
}

/// Scrolls a part of what scrolls into view, from its upper to its lower edge in px; one that is seen
/// stays where it is.
pub fn bring(host: &Element, (top, bottom): (f64, f64), above: f64) {
    let (from, height) = (f64::from(host.scroll_top()), f64::from(host.client_height()));
    if top < from || bottom > from + height {
        host.set_scroll_top((top - above).max(0.0) as i32);
    }
}

/// What people selected; else where a guarantee was broken just now; else what the open question is
/// about, else the beat.
fn queue(frame: &Frame) -> Option<MessageQueue> {
    let of_text = |text: &str| of_subject(frame, labels::subject(frame, text)?);
    let program = &frame.scenario.program;
    let ask = || program.asks.get(frame.asked?);
    let beat = || program.beats.get(frame.beat?);
    frame
        .selection
        .and_then(|subject| of_subject(frame, subject))
        .or_else(|| match frame.violation_now()?.broken {
            Broken::Order { later, .. } => of_message(frame, later),
            Broken::TwoOwners { queue, .. } => Some(queue),
        })
        .or_else(|| of_text(ask()?.question.get(Lang::En)))
        .or_else(|| of_text(beat()?.heading(Lang::En)))
        .or_else(|| of_text(beat()?.rest(Lang::En)))
        .or_else(|| filled(frame))
}

/// Where nothing is told of a run: the first queue that has something in it.
fn filled(frame: &Frame) -> Option<MessageQueue> {
    let mut lanes = frame.stage.lanes.iter().filter(|_| frame.scenario.program.beats.is_empty());
    lanes.find(|lane| lane.max > lane.min).map(|lane| lane.queue)
}

fn of_subject(frame: &Frame, subject: Subject) -> Option<MessageQueue> {
    let lanes = &frame.stage.lanes;
    match subject {
        Subject::Queue(queue) | Subject::Lock(queue) => Some(queue),
        Subject::Message(msg) => of_message(frame, msg),
        Subject::Client(client) => {
            let its = |lane: &&LaneView| lane.rows.iter().any(|row| row.client == client);
            // Of several queues none is meant.
            let mut its = lanes.iter().filter(its);
            its.next().filter(|_| its.next().is_none()).map(|lane| lane.queue)
        }
        _ => None,
    }
}

/// The queue in which a message lies, or from which it was taken.
fn of_message(frame: &Frame, msg: MsgId) -> Option<MessageQueue> {
    let stage = &frame.stage;
    let lies = |lane: &&LaneView| lane.slots.iter().any(|slot| slot.name.msg == msg);
    let taken = |token: &TokenView| match token.place {
        Place::Slot { lane, .. } | Place::Row { lane, .. } if token.name.msg == msg => {
            stage.lanes.get(lane)
        }
        _ => None,
    };
    let lane = stage.tokens.iter().find_map(taken).or_else(|| stage.lanes.iter().find(lies));
    lane.map(|lane| lane.queue)
}
