//! What happens to a message changes how it stands.

use super::hands::Hands;
use super::standing::{Standing, State};
use super::strand::{Item, What};
use crate::fact::Outcome;
use crate::ids::Ms;

impl Standing {
    fn set(&mut self, state: State, at_ms: Ms) {
        (self.state, self.at_ms) = (state, at_ms);
    }

    /// What happens to it on its way into its queue.
    pub(super) fn store(&mut self, item: &Item) {
        match item.what {
            What::Stored { .. } if self.state != State::Gone => {
                self.set(State::Waiting, item.at_ms);
            }
            What::Scheduled { .. } if self.queue.is_none() => {
                self.set(State::Scheduled, item.at_ms);
            }
            What::SendFailed if self.queue.is_none() => self.set(State::NotSent, item.at_ms),
            What::Gone => self.set(State::Gone, item.at_ms),
            _ => {}
        }
    }

    /// Whoever took it last and still has it; where nobody has it, `otherwise`.
    pub(super) fn held(&mut self, hands: &Hands, otherwise: State, at_ms: Ms) {
        match hands.last() {
            Some((client, since_ms)) => self.set(State::InHand(client), since_ms),
            None => self.set(otherwise, at_ms),
        }
    }

    /// What a consumer group does with it; `hands` are those that have it behind that.
    pub(super) fn work(&mut self, item: &Item, hands: &Hands) {
        let ok = |outcome| matches!(outcome, Outcome::Success | Outcome::Commit);
        match item.what {
            What::Begun { .. } | What::Received { .. } => self.begun(hands, item.at_ms),
            What::Ended(outcome) if !ok(outcome) => {
                self.failed = Some(item.event);
                self.held(hands, State::Retrying, item.at_ms);
            }
            What::Suspended => self.held(hands, State::Retrying, item.at_ms),
            What::SentBack => {
                self.sent_back = true;
                self.held(hands, State::Retrying, item.at_ms);
            }
            // A dead letter is acknowledged as well, and so is what was sent back and is to come again.
            What::Done if self.state != State::Dead && !self.sent_back => {
                self.set(State::Done, item.at_ms);
            }
            What::Dead => self.set(State::Dead, item.at_ms),
            What::Revived if !self.over() => self.set(State::Waiting, item.at_ms),
            What::Discarded | What::Expired if !self.over() => {
                self.held(hands, State::Waiting, item.at_ms);
            }
            _ => {}
        }
    }

    fn begun(&mut self, hands: &Hands, at_ms: Ms) {
        self.attempts = hands.attempt().unwrap_or(self.attempts);
        (self.sent_back, self.failed) = (false, None);
        self.held(hands, State::Waiting, at_ms);
    }

    fn over(&self) -> bool {
        matches!(self.state, State::Done | State::Dead)
    }
}
