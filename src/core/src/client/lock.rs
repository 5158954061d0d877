//! The client's side of queue locks: renewal every 20 s, re-lock, unlock.

use std::collections::VecDeque;
use std::rc::Rc;

use super::{Client, Pending, Status, Task, Thread};
use crate::event::{ClientTimer, Packet};
use crate::fact::{Fact, LockMissing};
use crate::ids::{BrokerId, MessageQueue, Ms};
use crate::shared::Shared;

impl Client {
    /// Renews all locks, one request for each broker (`lockAll`).
    pub(super) fn on_renew_locks(&mut self, shared: &mut Shared) {
        if self.status != Status::Running {
            return;
        }
        let with_dropped = shared.model.renew_dropped == 1;
        let mut brokers: Vec<BrokerId> = self.queues.keys().map(|queue| queue.broker).collect();
        brokers.sort_unstable();
        brokers.dedup();
        let of_broker = |broker: BrokerId| {
            let entries = self.queues.iter().filter(move |(queue, entry)| {
                queue.broker == broker && (with_dropped || !entry.dropped)
            });
            entries.map(|(queue, _)| *queue).collect::<Rc<[MessageQueue]>>()
        };
        let asked = brokers.into_iter().map(of_broker).filter(|queues| !queues.is_empty());
        let asked = asked.collect();
        self.renew_next(shared, asked);
    }

    /// Renews the locks at the next broker; the thread waits for its answer.
    pub(super) fn renew_next(
        &mut self,
        shared: &mut Shared,
        mut left: VecDeque<Rc<[MessageQueue]>>,
    ) {
        let next = left.pop_front().and_then(|queues| Some((queues.first()?.broker, queues)));
        let Some((broker, queues)) = next else {
            self.thread_goes_on(shared, Thread::OrderlyTimers);
            return self.after_lock_request(shared);
        };
        let group = self.group;
        let what = Pending::Renew { asked: Rc::clone(&queues), left };
        self.ask(shared, broker, shared.model.lock_timeout_ms, what, |rpc| Packet::Lock {
            rpc,
            group,
            queues,
        });
        self.thread_waits(Thread::OrderlyTimers);
    }

    /// The periodic renewal was answered: only it clears the flag of a refused queue.
    pub(super) fn on_renewed(
        &mut self,
        shared: &mut Shared,
        asked: &[MessageQueue],
        granted: &[MessageQueue],
    ) {
        let now_ms = shared.now_ms;
        for queue in asked {
            let Some(entry) = self.queues.get_mut(queue) else { continue };
            let entry = Rc::make_mut(entry);
            if granted.contains(queue) {
                entry.locked = true;
                entry.last_lock_ms = now_ms;
            } else if entry.locked {
                entry.locked = false;
                let (queue, reason) = (*queue, LockMissing::NotLocked);
                shared.fact(Fact::LockMissing { client: self.id, queue, reason });
            }
        }
    }

    /// A consume task found its lock missing: ask again later (`tryLockLaterAndReconsume`).
    pub(super) fn relock_later(
        &mut self,
        shared: &mut Shared,
        queue: MessageQueue,
        serial: u32,
        delay_ms: Ms,
    ) {
        let at_ms = shared.now_ms + delay_ms;
        let stops = self.status != Status::Running;
        let Some(entry) = self.entry(queue, serial) else { return };
        if stops {
            // The thread for it takes nothing any more: the task ends.
            entry.task = Task::Idle;
            return;
        }
        let reason = if entry.locked { LockMissing::Expired } else { LockMissing::NotLocked };
        entry.task = Task::Relock { at_ms };
        shared.fact(Fact::LockMissing { client: self.id, queue, reason });
        shared.fact(Fact::RelockScheduled { client: self.id, queue, at_ms });
        shared.at(at_ms, self.timer(ClientTimer::Relock { queue, serial }));
    }

    /// Asks for the lock, whether the queue is still this process's or was given away meanwhile: then
    /// its lock is taken all the same (`lockOneMQ`).
    pub(super) fn on_relock_timer(
        &mut self,
        shared: &mut Shared,
        queue: MessageQueue,
        serial: u32,
    ) {
        if self.status != Status::Running {
            return;
        }
        let group = self.group;
        let what = Pending::Relock { queue, serial };
        self.ask(shared, queue.broker, shared.model.lock_timeout_ms, what, |rpc| Packet::Lock {
            rpc,
            group,
            queues: Rc::new([queue]),
        });
        self.thread_waits(Thread::OrderlyTimers);
    }

    /// A refused re-lock leaves the local flag as it was. A granted one is noted at whatever entry the
    /// queue has now.
    pub(super) fn on_relocked(
        &mut self,
        shared: &mut Shared,
        queue: MessageQueue,
        serial: u32,
        granted: bool,
    ) {
        let now_ms = shared.now_ms;
        let (soon_ms, late_ms) =
            (shared.model.relock_delay_in_loop_ms, shared.model.relock_refused_delay_ms);
        if let Some(entry) = self.queues.get_mut(&queue).filter(|_| granted) {
            let entry = Rc::make_mut(entry);
            entry.locked = true;
            entry.last_lock_ms = now_ms;
        }
        let delay_ms = if granted { soon_ms } else { late_ms };
        if let Some(entry) = self.entry(queue, serial) {
            entry.task = Task::Relock { at_ms: now_ms + delay_ms };
            shared.after(delay_ms, self.timer(ClientTimer::ConsumeLater { queue, serial }));
        }
        self.thread_goes_on(shared, Thread::OrderlyTimers);
        self.after_lock_request(shared);
    }

    /// Gives a lock back, one-way.
    pub(super) fn send_unlock(&mut self, shared: &mut Shared, queue: MessageQueue) {
        let packet = Packet::Unlock { rpc: None, group: self.group, queues: Rc::new([queue]) };
        self.tell(shared, queue.broker, packet);
    }
}
