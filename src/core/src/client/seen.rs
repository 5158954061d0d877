//! What an explanation looks at inside a consumer process.

use super::{Client, PoolTask};
use crate::ids::{MessageQueue, Ms, MsgId};
use crate::world::World;

impl Client {
    /// True while a failed message is on its way back to the broker.
    pub(crate) fn sends_back(&self, msg: MsgId) -> bool {
        let orderly = self.backs.iter().any(|back| back.holds(msg));
        orderly || self.back_calls.iter().any(|(call, ..)| call.batch.iter().any(|m| m.msg == msg))
    }

    /// True while a thread has a task of a queue, or such a task waits for a thread.
    pub(crate) fn works_on(&self, queue: MessageQueue) -> bool {
        let waits = |task: &PoolTask| match task {
            PoolTask::Orderly(of, _) | PoolTask::Concurrent(of, ..) => *of == queue,
        };
        let backs = self.back_calls.iter().any(|(call, ..)| call.queue == queue);
        self.is_mutex_held(queue) || backs || self.pool_waiting.iter().any(waits)
    }

    /// True while the consume task of a queue waits for a listener of an older entry.
    pub(crate) fn waits_for_listener(&self, queue: MessageQueue) -> bool {
        self.mutex_waiting.iter().any(|(q, _)| *q == queue)
    }

    /// When the pause of the last legacy reset ends; None when there is none.
    pub(crate) fn reset_end_ms(&self, world: &World) -> Option<Ms> {
        let pauses = self.resets.iter().filter_map(|reset| reset.until_ms);
        pauses.max().map(|ms| ms.max(world.now_ms()))
    }

    /// The same, when one of the resets is about this queue.
    pub(crate) fn reset_until_ms(&self, world: &World, queue: MessageQueue) -> Option<Ms> {
        let about = self.resets.iter().any(|r| r.offsets.iter().any(|(q, _)| *q == queue));
        about.then(|| self.reset_end_ms(world)).flatten()
    }
}
