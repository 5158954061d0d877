//! The client's side of queue locks: renewal every 20 s, re-lock, unlock.

use std::rc::Rc;

use super::{Client, Pending, Status, Task};
use crate::event::{ClientTimer, Packet};
use crate::fact::{Fact, LockMissing};
use crate::ids::{BrokerId, MessageQueue, Ms, Party};
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
        for broker in brokers {
            let entries = self.queues.iter().filter(|(queue, entry)| {
                queue.broker == broker && (with_dropped || !entry.dropped)
            });
            let queues: Rc<[MessageQueue]> = entries.map(|(q, _)| *q).collect();
            if let Some(first) = queues.first().copied() {
                let group = self.group;
                let what = Pending::Renew(Rc::clone(&queues));
                self.ask(shared, first, shared.model.lock_timeout_ms, what, |rpc| Packet::Lock {
                    rpc,
                    group,
                    queues,
                });
            }
        }
        let period_ms = shared.model.rebalance_lock_interval_ms;
        self.renew_at_ms = shared.now_ms + period_ms;
        shared.after(period_ms, self.timer(ClientTimer::RenewLocks));
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
        let Some(entry) = self.entry(queue, serial) else { return };
        let reason = if entry.locked { LockMissing::Expired } else { LockMissing::NotLocked };
        entry.task = Task::Relock { at_ms };
        shared.fact(Fact::LockMissing { client: self.id, queue, reason });
        shared.fact(Fact::RelockScheduled { client: self.id, queue, at_ms });
        shared.at(at_ms, self.timer(ClientTimer::Relock { queue, serial }));
    }

    pub(super) fn on_relock_timer(
        &mut self,
        shared: &mut Shared,
        queue: MessageQueue,
        serial: u32,
    ) {
        if self.status != Status::Running || self.entry(queue, serial).is_none() {
            return;
        }
        let group = self.group;
        let what = Pending::Relock { queue, serial };
        self.ask(shared, queue, shared.model.lock_timeout_ms, what, |rpc| Packet::Lock {
            rpc,
            group,
            queues: Rc::new([queue]),
        });
    }

    /// A refused re-lock leaves the local flag as it was.
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
        let Some(entry) = self.entry(queue, serial) else { return };
        let delay_ms = if granted {
            entry.locked = true;
            entry.last_lock_ms = now_ms;
            soon_ms
        } else {
            late_ms
        };
        entry.task = Task::Relock { at_ms: now_ms + delay_ms };
        shared.after(delay_ms, self.timer(ClientTimer::Consume { queue, serial }));
    }

    /// Gives a lock back, one-way.
    pub(super) fn send_unlock(&mut self, shared: &mut Shared, queue: MessageQueue) {
        let packet = Packet::Unlock { rpc: None, group: self.group, queues: Rc::new([queue]) };
        shared.send(self.party(), Party::Broker(queue.broker), packet);
    }
}
