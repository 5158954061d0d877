//! The articles' model of the orderly consume service: a failed message suspends only its message
//! group. No release of the classic client works like this; it is here so that both models can be
//! run on the same input ([`crate::model::Blocking`]).
//!
//! The precise rule, for one queue:
//! - There is still one task, one thread and one listener call at a time for the queue, under the
//!   same lock.
//! - Each turn takes the lowest cached messages whose message group is not suspended. A message
//!   without message group is a group of its own.
//! - A failed batch is put back and the groups of its messages are suspended for the usual time; the
//!   task goes on with other groups at once. It pauses when nothing else is cached.
//! - The consumer offset is the lowest offset that is not finished, as in concurrent mode, so a
//!   handover repeats what was finished behind a suspended message.
//! - ROLLBACK without autocommit still suspends the whole queue: what it puts back is not one
//!   message.

use super::{Call, Client, PoolTask, ProcessQueue, Status, Task};
use crate::event::{Cached, ClientTimer};
use crate::fact::Fact;
use crate::ids::{MessageGroupId, MessageQueue, Ms, MsgId};
use crate::retry::suspend_ms;
use crate::shared::Shared;

/// What a failed message suspends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Held {
    /// Its message group.
    Group(MessageGroupId),
    /// Itself: it has no message group.
    Message(MsgId),
}

/// What a message belongs to.
fn held_by(shared: &Shared, message: &Cached) -> Held {
    shared.message_group(message.msg).map_or(Held::Message(message.msg), Held::Group)
}

impl Client {
    /// Takes messages for the next call, leaving suspended groups alone. Nothing taken ends the task,
    /// or pauses it until a group is free.
    pub(super) fn take_free(
        &mut self,
        shared: &Shared,
        queue: MessageQueue,
        serial: u32,
        max: usize,
    ) -> Vec<Cached> {
        let now_ms = shared.now_ms;
        let Some(entry) = self.entry(queue, serial) else { return Vec::new() };
        entry.held.retain(|(_, until_ms)| *until_ms > now_ms);
        if entry.held.is_empty() {
            return entry.take(max);
        }
        let held = entry.held.clone();
        let free = |m: &Cached| held.iter().all(|(h, _)| *h != held_by(shared, m));
        entry.take_where(max, free)
    }

    /// When the next suspended group of a queue is free.
    pub(super) fn next_free_ms(entry: &ProcessQueue) -> Option<Ms> {
        entry.held.iter().map(|(_, until_ms)| *until_ms).min()
    }

    /// Suspends the groups of a failed batch; the task goes on.
    pub(super) fn suspend_groups(&mut self, shared: &mut Shared, call: &Call) {
        let (queue, serial) = (call.queue, call.serial);
        let wanted_ms = match shared.group(self.group).suspend_ms {
            -1 => shared.model.suspend_current_queue_time_ms,
            ms => ms,
        };
        let until_ms = shared.now_ms + suspend_ms(&shared.model, -1, wanted_ms);
        let client = self.id;
        for message in &call.batch {
            let held = held_by(shared, message);
            let Some(entry) = self.entry(queue, serial) else { return };
            if entry.held.iter().any(|(h, _)| *h == held) {
                continue;
            }
            entry.held.push((held, until_ms));
            let (msg, failures) = (message.msg, message.reconsume_times);
            shared.fact(Fact::QueueSuspended { client, queue, msg, failures, until_ms });
        }
        shared.at(until_ms, self.timer(ClientTimer::GroupFree { queue, serial }));
    }

    /// A suspended group is free: a task that pauses goes on; one that runs finds it by itself.
    pub(super) fn on_group_free(&mut self, shared: &mut Shared, queue: MessageQueue, serial: u32) {
        if self.status != Status::Running {
            return;
        }
        let Some(entry) = self.entry(queue, serial).filter(|e| !e.dropped) else { return };
        if matches!(entry.task, Task::Idle | Task::Suspended { .. }) {
            entry.task = Task::Queued;
            entry.dispatch();
            self.execute(shared, PoolTask::Orderly(queue, serial));
        }
    }
}
