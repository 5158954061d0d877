//! The legacy reset at the client (`MQClientInstance.resetOffset`): the broker sends it a table of
//! offsets; it suspends, drops and clears the queues, waits ten seconds, writes the offsets, parts
//! with the queues, resumes and rebalances at that moment.

use std::rc::Rc;

use super::Client;
use crate::event::ClientTimer;
use crate::fact::{DropReason, Fact, RoundCause};
use crate::ids::{MessageQueue, Ms, TopicId};
use crate::shared::Shared;

/// A reset that waits for its pause to end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct LegacyReset {
    number: u32,
    topic: TopicId,
    pub(super) offsets: Rc<[(MessageQueue, i64)]>,
    pub(super) until_ms: Ms,
}

impl Client {
    pub(super) fn on_reset_offsets(
        &mut self,
        shared: &mut Shared,
        topic: TopicId,
        offsets: Rc<[(MessageQueue, i64)]>,
    ) {
        self.suspended = true;
        let until_ms = shared.now_ms + shared.model.reset_offset_pause_ms;
        shared.fact(Fact::ResetReceived { client: self.id, topic, until_ms });
        for (queue, _) in offsets.iter() {
            let Some(entry) = self.queues.get_mut(queue) else { continue };
            let entry = Rc::make_mut(entry);
            entry.clear();
            if !std::mem::replace(&mut entry.dropped, true) {
                let (queue, reason) = (*queue, DropReason::Reset);
                shared.fact(Fact::QueueDropped { client: self.id, queue, reason });
            }
        }
        self.serials += 1;
        let number = self.serials;
        self.resets.push(LegacyReset { number, topic, offsets, until_ms });
        shared.at(until_ms, self.timer(ClientTimer::ResetDone { reset: number }));
    }

    pub(super) fn on_reset_done(&mut self, shared: &mut Shared, number: u32) {
        let Some(place) = self.resets.iter().position(|r| r.number == number) else { return };
        let reset = self.resets.remove(place);
        for (queue, offset) in reset.offsets.iter().filter(|(q, _)| q.topic == reset.topic) {
            let Some(serial) = self.queues.get(queue).map(|entry| entry.serial) else { continue };
            self.offsets.insert(*queue, *offset);
            self.push_offset(shared, *queue);
            if self.orderly() && !self.is_listening(*queue, serial) {
                self.send_unlock(shared, *queue);
            }
            self.forget(shared, *queue, false);
        }
        self.suspended = !self.resets.is_empty();
        if !self.suspended {
            self.begin_round(shared, RoundCause::Reset);
        }
    }
}
