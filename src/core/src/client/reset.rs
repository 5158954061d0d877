//! The legacy reset at the client (`MQClientInstance.resetOffset`): the broker sends it a table of
//! offsets; it suspends, drops and clears the queues, waits ten seconds, writes the offsets, parts
//! with the queues one after the other, resumes and rebalances at that moment. One reset is carried
//! out at a time (the method is `synchronized`).

use std::collections::VecDeque;
use std::rc::Rc;

use super::Client;
use crate::event::ClientTimer;
use crate::fact::{DropReason, Fact, RoundCause};
use crate::ids::{MessageQueue, Ms, TopicId};
use crate::shared::Shared;

/// A reset that is carried out, or that waits for its turn.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct LegacyReset {
    number: u32,
    topic: TopicId,
    pub(super) offsets: Rc<[(MessageQueue, i64)]>,
    /// When its pause ends; None while an earlier one is carried out.
    pub(super) until_ms: Option<Ms>,
    /// What is left to do after the pause.
    left: VecDeque<(MessageQueue, i64)>,
}

impl Client {
    pub(super) fn on_reset_offsets(
        &mut self,
        shared: &mut Shared,
        topic: TopicId,
        offsets: Rc<[(MessageQueue, i64)]>,
    ) {
        self.serials += 1;
        let (number, until_ms, left) = (self.serials, None, VecDeque::new());
        self.resets.push_back(LegacyReset { number, topic, offsets, until_ms, left });
        if self.resets.len() == 1 {
            self.begin_next_reset(shared);
        }
    }

    /// Begins the next reset, if one waits for its turn.
    pub(super) fn begin_next_reset(&mut self, shared: &mut Shared) {
        let until_ms = shared.now_ms + shared.model.reset_offset_pause_ms;
        let Some(reset) = self.resets.front_mut().filter(|r| r.until_ms.is_none()) else { return };
        reset.until_ms = Some(until_ms);
        let (number, topic, offsets) = (reset.number, reset.topic, Rc::clone(&reset.offsets));
        self.suspended = true;
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
        shared.at(until_ms, self.timer(ClientTimer::ResetDone { reset: number }));
    }

    /// The pause of a reset is over.
    pub(super) fn on_reset_done(&mut self, shared: &mut Shared, number: u32) {
        let Some(reset) = self.resets.front_mut().filter(|r| r.number == number) else { return };
        let of_topic = reset.offsets.iter().filter(|(queue, _)| queue.topic == reset.topic);
        reset.left = of_topic.copied().collect();
        self.go_on_with_reset(shared);
    }

    /// Writes the offsets and parts with the queues; each running listener is waited for.
    pub(super) fn go_on_with_reset(&mut self, shared: &mut Shared) {
        while let Some((queue, offset)) = self.resets.front_mut().and_then(|r| r.left.pop_front()) {
            let Some(serial) = self.queues.get(&queue).map(|entry| entry.serial) else { continue };
            if self.part_with(shared, (queue, serial), offset, true) {
                return;
            }
        }
        self.resets.pop_front();
        // `resume()`: a pause that the application has asked for ends as well.
        self.suspended = false;
        self.begin_round(shared, RoundCause::Reset);
    }
}
