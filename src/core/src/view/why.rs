//! Why a message is where it is, or why it does not move: a typed reason taken from the stage, for
//! the page to put into words. It says nothing that the stage does not show.

use std::rc::Rc;

use crate::ids::{ClientId, MessageQueue, Ms, MsgId};
use crate::view::stage::{
    HoldState, Idle, LaneView, LockView, Named, Place, RowState, SlotState, StageView, Stands,
    TokenState, TokenView,
};

/// The reason, with what the sentence needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The message.
    pub name: Named,
    /// The queue that it is in or on its way to.
    pub queue: Option<(MessageQueue, Rc<str>)>,
    /// Offset of its record.
    pub offset: Option<i64>,
    /// Its state.
    pub state: Option<TokenState>,
    /// The reason.
    pub reason: Reason,
}

/// Why a message is where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It is on its way to the broker.
    Travels,
    /// It waits under a delay level (0 = the timer wheel); the head's instant is known.
    Scheduled {
        /// Level.
        level: u8,
        /// When the head of the level is due.
        head_due_ms: Option<Ms>,
        /// Messages before it.
        before: u32,
    },
    /// A listener call runs.
    Handled {
        /// Where.
        client: Rc<str>,
        /// Since when.
        from_ms: Ms,
        /// When it ends, as the simulation knows.
        until_ms: Ms,
        /// Whether it was handled before.
        again: bool,
    },
    /// It failed and suspended its queue.
    Suspended {
        /// Failures so far.
        failures: u32,
        /// When it is handled again.
        until_ms: Ms,
    },
    /// Something before it in its queue has to end first.
    Behind {
        /// The message at the head.
        head: Named,
        /// What the head does.
        doing: HeadState,
        /// Messages between the head and it.
        between: u32,
        /// Whether both belong to one message group.
        same_group: bool,
    },
    /// It is first in its queue, and what its consumer does instead.
    First(Idle),
    /// Its queue's owner is gone, and the lock of the dead lives on.
    OwnerGone {
        /// Who held it.
        owner: Rc<str>,
        /// When the lease is over.
        until_ms: Ms,
    },
    /// Nobody owns its queue.
    NoOwner,
    /// Its owner asks for the lock again.
    Relock {
        /// When.
        at_ms: Ms,
    },
    /// A gRPC consumer has it.
    Held {
        /// Who.
        client: Rc<str>,
        /// Attempt of the message that is handled first, from 1.
        attempt: u32,
        /// What that message is doing.
        state: HoldState,
        /// That message, when it is another one.
        head: Option<Named>,
        /// When its own invisible time is over.
        visible_ms: Ms,
    },
    /// It was delivered by POP and nobody has it.
    Invisible {
        /// When it is visible again.
        until_ms: Ms,
    },
    /// Its queue yields nothing to POP.
    Blocked {
        /// Until this message is acknowledged,
        head: Named,
        /// or visible again.
        until_ms: Ms,
    },
    /// The next POP of its queue takes it.
    Deliverable,
    /// It is a half message.
    Half,
    /// It is a dead letter.
    Dead,
    /// It is consumed, or was skipped.
    Done,
    /// It lies in a topic that the stage does not draw.
    Elsewhere,
}

/// What the head of a queue does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeadState {
    /// It is handled.
    Handled,
    /// It failed and suspended the queue until an instant.
    Suspended {
        /// Failures so far.
        failures: u32,
        /// When it is handled again.
        until_ms: Ms,
    },
    /// It waits as well.
    Waits,
}

/// Why a message is where it is; None when the stage shows nothing of it.
pub fn why(stage: &StageView, msg: MsgId) -> Option<Why> {
    match stage.tokens.iter().find(|token| token.name.msg == msg) {
        Some(token) => Some(of_token(stage, token)),
        None => of_slot(stage, msg),
    }
}

/// A record without a token is consumed.
fn of_slot(stage: &StageView, msg: MsgId) -> Option<Why> {
    stage.lanes.iter().find_map(|lane| {
        let slot = lane.slots.iter().find(|slot| slot.name.msg == msg)?;
        (slot.state == SlotState::Done).then(|| Why {
            name: slot.name.clone(),
            queue: Some((lane.queue, lane.name.clone())),
            offset: Some(slot.offset),
            state: None,
            reason: Reason::Done,
        })
    })
}

fn of_token(stage: &StageView, token: &TokenView) -> Why {
    let lane_of = |index: usize| stage.lanes.get(index);
    let (lane, reason) = match token.place {
        Place::Wire { lane, .. } => (lane.and_then(lane_of), Reason::Travels),
        Place::Shelf { level, nth } => {
            let head = stage.shelf.levels.iter().find(|l| l.level == level);
            let head_due_ms = head.and_then(|l| l.due_ms);
            (None, Reason::Scheduled { level, head_due_ms, before: nth })
        }
        Place::Tray { .. } => (None, Reason::Dead),
        Place::Hold { client, hold, nth } => in_hold(stage, client, hold, nth as usize),
        Place::Half { .. } => (None, Reason::Half),
        Place::Row { lane, client, .. } => {
            let name = stage.consumers.iter().find(|c| c.id == client).map(|c| c.name.clone());
            let reason = match token.state {
                TokenState::InFlight { from_ms, until_ms, again } => {
                    Reason::Handled { client: name.unwrap_or_default(), from_ms, until_ms, again }
                }
                _ => Reason::Elsewhere,
            };
            (lane_of(lane), reason)
        }
        Place::Slot { lane, offset } => {
            let lane = lane_of(lane);
            let pop = stage.group.as_ref().is_some_and(|group| group.pop);
            let reason = |lane| match pop {
                true => in_popped_slot(lane, token),
                false => in_slot(lane, token, offset),
            };
            (lane, lane.map_or(Reason::Elsewhere, reason))
        }
    };
    let offset = lane.and_then(|lane| {
        lane.slots.iter().find(|s| s.name.msg == token.name.msg).map(|s| s.offset)
    });
    Why {
        name: token.name.clone(),
        queue: lane.map(|lane| (lane.queue, lane.name.clone())),
        offset,
        state: Some(token.state),
        reason,
    }
}

/// With a gRPC consumer.
fn in_hold(
    stage: &StageView,
    client: ClientId,
    hold: usize,
    nth: usize,
) -> (Option<&LaneView>, Reason) {
    let consumer = stage.consumers.iter().find(|consumer| consumer.id == client);
    let found = consumer.and_then(|consumer| {
        let hold = consumer.holds.get(hold)?;
        Some((consumer, hold, hold.messages.get(nth)?))
    });
    let Some((consumer, hold, own)) = found else { return (None, Reason::Elsewhere) };
    let in_hand = hold.state == HoldState::InHand;
    let head = hold.messages.first().filter(|_| nth > 0 && !in_hand);
    let reason = Reason::Held {
        client: consumer.name.clone(),
        attempt: hold.attempt,
        state: hold.state,
        head: head.map(|head| head.name.clone()),
        visible_ms: own.until_ms,
    };
    (own.lane.and_then(|lane| stage.lanes.get(lane)), reason)
}

/// In its slot, in a group that POP serves.
fn in_popped_slot(lane: &LaneView, token: &TokenView) -> Reason {
    match (&lane.lock, token.state) {
        (_, TokenState::Invisible { until_ms, .. }) => Reason::Invisible { until_ms },
        (LockView::Block { name, until_ms, .. }, _) if name.msg != token.name.msg => {
            Reason::Blocked { head: name.clone(), until_ms: *until_ms }
        }
        _ => Reason::Deliverable,
    }
}

fn in_slot(lane: &LaneView, token: &TokenView, offset: i64) -> Reason {
    if let TokenState::Retry(failures) = token.state {
        if let Some(until_ms) = suspended_until(lane) {
            return Reason::Suspended { failures, until_ms };
        }
    }
    let ahead = |slot: &&crate::view::stage::SlotView| {
        slot.offset < offset && slot.offset >= lane.next && slot.state != SlotState::Done
    };
    let head = lane.slots.iter().find(ahead);
    match head {
        Some(head) if token.state == TokenState::Blocked || head.state != SlotState::Ready => {
            let doing = match (head.state, suspended_until(lane)) {
                (SlotState::Away, _) => HeadState::Handled,
                (SlotState::Retry(failures), Some(until_ms)) => {
                    HeadState::Suspended { failures, until_ms }
                }
                _ => HeadState::Waits,
            };
            let between = (offset - head.offset - 1).max(0) as u32;
            let same_group = head.name.hue == token.name.hue
                && series(&head.name.label) == series(&token.name.label);
            Reason::Behind { head: head.name.clone(), doing, between, same_group }
        }
        _ => first(lane),
    }
}

/// The letters of a label.
fn series(label: &str) -> &str {
    label.trim_end_matches(|c: char| c.is_ascii_digit())
}

fn suspended_until(lane: &LaneView) -> Option<Ms> {
    match lane.stands {
        Some(Stands::Suspended { until_ms, .. } | Stands::BackOff { until_ms, .. }) => {
            Some(until_ms)
        }
        _ => None,
    }
}

/// Why nobody handles the head of a queue.
fn first(lane: &LaneView) -> Reason {
    match (&lane.stands, &lane.lock) {
        (Some(Stands::OwnerGone), LockView::Held { name, until_ms, .. }) => {
            return Reason::OwnerGone { owner: name.clone(), until_ms: *until_ms };
        }
        (Some(Stands::NoOwner | Stands::OwnerGone), _) => return Reason::NoOwner,
        _ => {}
    }
    match lane.rows.first().map(|row| &row.state) {
        Some(RowState::Relock { at_ms }) => Reason::Relock { at_ms: *at_ms },
        Some(RowState::Idle(idle)) => Reason::First(*idle),
        Some(RowState::Handling { .. } | RowState::Suspended { .. }) => {
            Reason::First(Idle::NoThread)
        }
        None => Reason::NoOwner,
    }
}

#[cfg(test)]
mod tests;
