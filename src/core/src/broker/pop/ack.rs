//! Acknowledgements and changes of the invisible time (`AckMessageProcessor`,
//! `ChangeInvisibleTimeProcessor`).

use super::{AckNext, Broker, OrderRules, PollKey};
use crate::fact::Fact;
use crate::grpc::{AckCode, Handle};
use crate::ids::{GroupId, Ms};
use crate::model::Blocking;
use crate::pop::{AckResult, PopFact, Wake};
use crate::shared::Shared;

impl Broker {
    /// An acknowledgement.
    pub(super) fn ack(&mut self, shared: &mut Shared, group: GroupId, handle: &Handle) -> AckCode {
        let Handle { queue, offset, .. } = *handle;
        let (min, max) = self.store.range(queue);
        let readable = queue.id < shared.names.topics[queue.topic.index()].read_queues;
        let (code, result) = if !readable {
            (AckCode::MessageIllegal, AckResult::Unreadable)
        } else if offset < min || offset > max {
            (AckCode::NoMessage, AckResult::NoMessage)
        } else if handle.ordered {
            self.ack_ordered(shared, group, handle)
        } else if self.refuses_writes() {
            // The note is a message of the revive topic; that it was not stored is only logged.
            (AckCode::Success, AckResult::Unwritten)
        } else {
            self.pop.checkpoints.ack(group, handle);
            (AckCode::Success, AckResult::Noted)
        };
        let (offset, msg) = (offset as u32, handle.msg);
        shared.fact(Fact::Pop(PopFact::Acked { group, queue, offset, msg, result }));
        if handle.ordered && matches!(result, AckResult::Next(_)) {
            self.wake_freed(shared, group, handle);
        }
        code
    }

    fn ack_ordered(
        &mut self,
        shared: &mut Shared,
        group: GroupId,
        handle: &Handle,
    ) -> (AckCode, AckResult) {
        let (queue, offset) = (handle.queue, handle.offset);
        let key = (group, queue);
        let committed = self.offsets.get(&key).copied().unwrap_or(-1);
        if offset < committed {
            return (AckCode::Success, AckResult::Below);
        }
        let rules = OrderRules::of(shared.model.version);
        let next = match shared.model.blocking {
            Blocking::Queue => self.pop.order.commit_and_next(rules, key, offset, handle.pop_ms),
            Blocking::MessageGroup => {
                self.pop.flights.ack(key, offset, handle.pop_ms, committed.max(0))
            }
        };
        match next {
            AckNext::Illegal => (AckCode::MessageIllegal, AckResult::Illegal),
            AckNext::Nothing => (AckCode::Success, AckResult::Nothing),
            AckNext::Commit(next) => {
                self.rearm_lock_free(shared, key);
                if !self.has_reset(group, queue) {
                    self.commit_offset(shared, group, queue, next);
                }
                (AckCode::Success, AckResult::Next(next as u32))
            }
        }
    }

    /// A queue that is free after an acknowledgement wakes a receive of that very queue. In the
    /// articles' model a receive of the whole broker is woken as well, since any message group may
    /// have become free.
    fn wake_freed(&mut self, shared: &mut Shared, group: GroupId, handle: &Handle) {
        if self.pop.polls.is_empty() {
            return;
        }
        let (queue, key) = (handle.queue, (group, handle.queue));
        let poll = PollKey { topic: queue.topic, group, queue: i32::from(queue.id) };
        let rules = OrderRules::of(shared.model.version);
        let (invisible_ms, now_ms) = (handle.invisible_ms, shared.now_ms);
        match shared.model.blocking {
            Blocking::MessageGroup => {
                self.wake(shared, PollKey { queue: -1, ..poll }, Wake::Acked);
                self.wake(shared, poll, Wake::Acked);
            }
            Blocking::Queue => {
                let order = &mut self.pop.order;
                if order.check_block(rules, key, None, invisible_ms, now_ms).is_none() {
                    self.wake(shared, poll, Wake::Acked);
                }
            }
        }
    }

    /// A change of the invisible time: the message is visible `duration_ms` from now on. Returns the
    /// handle from now on.
    pub(super) fn change_invisible(
        &mut self,
        shared: &mut Shared,
        group: GroupId,
        handle: Handle,
        duration_ms: Ms,
    ) -> (AckCode, Handle) {
        let Handle { queue, offset, .. } = handle;
        let (min, max) = self.store.range(queue);
        if queue.id >= shared.names.topics[queue.topic.index()].read_queues {
            return (AckCode::MessageIllegal, handle);
        }
        if offset < min || offset >= max {
            return (AckCode::NoMessage, handle);
        }
        let until_ms = shared.now_ms + duration_ms;
        if !handle.ordered && self.refuses_writes() {
            return (AckCode::SystemError, handle);
        }
        if !handle.ordered {
            let pop_ms = shared.now_ms;
            let ahead_ms = self.clock_ahead_ms;
            let (invisible_ms, start_offset) = (duration_ms, offset);
            let changed = Handle { pop_ms, invisible_ms, start_offset, ahead_ms, ..handle };
            self.pop.checkpoints.ack(group, &handle);
            self.add_single_checkpoint(shared, group, &changed);
            self.changed(shared, group, &handle, until_ms);
            return (AckCode::Success, changed);
        }
        let key = (group, queue);
        if offset < self.offsets.get(&key).copied().unwrap_or(-1) {
            return (AckCode::Success, handle);
        }
        let pop_ms = handle.pop_ms;
        let known = match shared.model.blocking {
            _ if OrderRules::of(shared.model.version) == OrderRules::WholeBatch => false,
            Blocking::Queue => self.pop.order.update_next_visible(key, offset, pop_ms, until_ms),
            Blocking::MessageGroup => self.pop.flights.change(key, offset, pop_ms, until_ms),
        };
        if known {
            self.changed(shared, group, &handle, until_ms);
            self.rearm_lock_free(shared, key);
        }
        let ahead_ms = self.clock_ahead_ms;
        (AckCode::Success, Handle { invisible_ms: until_ms - pop_ms, ahead_ms, ..handle })
    }

    fn changed(&self, shared: &mut Shared, group: GroupId, handle: &Handle, until_ms: Ms) {
        let (queue, offset, msg) = (handle.queue, handle.offset as u32, handle.msg);
        shared.fact(Fact::Pop(PopFact::InvisibleChanged { group, queue, offset, msg, until_ms }));
    }
}
