//! The clean stop of a consumer process (`DefaultMQPushConsumerImpl.shutdown`): its listeners are
//! waited for, then its locks are given back, its offsets pushed, its membership ended, each request
//! after the answer to the one before.

use std::collections::VecDeque;
use std::rc::Rc;

use super::{Client, OpenRequest, Pending, Status};
use crate::event::{ClientTimer, Packet};
use crate::fact::{DropReason, Fact, StopKind};
use crate::ids::{BrokerId, MessageQueue};
use crate::shared::Shared;

impl Client {
    /// `shutdown()`. Renewals and new tasks end now. What the consume threads have is waited for as
    /// long as `awaitTerminationMillisWhenShutdown` says; then tasks without a thread are given up, and
    /// the others are waited for as long once more (`ThreadUtils.shutdownGracefully`).
    pub(crate) fn shut_down(&mut self, shared: &mut Shared) {
        let wait_ms = self.stop_wait_ms(shared);
        self.status = Status::Stopping { until_ms: shared.now_ms + 2 * wait_ms };
        if wait_ms <= 0 {
            self.pool_waiting.clear();
            self.leave(shared);
        } else if self.is_pool_empty() {
            self.leave(shared);
        } else {
            shared.after(wait_ms, self.timer(ClientTimer::ShutdownWait));
            shared.after(2 * wait_ms, self.timer(ClientTimer::ShutdownWait));
        }
    }

    fn stop_wait_ms(&self, shared: &Shared) -> i64 {
        match shared.group(self.group).await_termination_ms {
            -1 => shared.model.await_termination_when_shutdown_ms,
            ms => ms,
        }
    }

    fn is_pool_empty(&self) -> bool {
        self.busy == 0 && self.pool_waiting.is_empty()
    }

    /// One of the two waits of a stop is over.
    pub(super) fn on_shutdown_wait(&mut self, shared: &mut Shared) {
        let Status::Stopping { until_ms } = self.status else { return };
        self.pool_waiting.clear();
        if until_ms <= shared.now_ms || self.is_pool_empty() {
            self.leave(shared);
        }
    }

    /// Goes on with a stop when the last task has ended.
    pub(super) fn after_task(&mut self, shared: &mut Shared) {
        if matches!(self.status, Status::Stopping { .. }) && self.is_pool_empty() {
            self.leave(shared);
        }
    }

    /// The waits are over: locks first (`unlockAll`). Whoever renews locks, or asks for one again, holds
    /// the monitor that the stop needs (`synchronized` of `ConsumeMessageOrderlyService`).
    fn leave(&mut self, shared: &mut Shared) {
        if !std::mem::replace(&mut self.leaving, true) {
            self.unlock_waits = true;
            self.after_lock_request(shared);
        }
    }

    /// Goes on with a stop when no lock request is under way any more.
    pub(super) fn after_lock_request(&mut self, shared: &mut Shared) {
        let locks = |open: &OpenRequest| {
            matches!(open.what, Pending::Renew { .. } | Pending::Relock { .. })
        };
        if self.unlock_waits && !self.open.iter().any(locks) {
            self.unlock_waits = false;
            self.unlock_next(shared, None);
        }
    }

    /// Gives the locks at the next broker back. As in a renewal, 4.x does not leave out what waits to be
    /// given away (`buildProcessQueueTableByBrokerName`).
    fn unlock_next(&mut self, shared: &mut Shared, after: Option<BrokerId>) {
        let with_dropped = shared.model.renew_dropped == 1;
        let known: Vec<BrokerId> = self.brokers().collect();
        let mut held = self.queues.iter().filter(|(queue, entry)| {
            let next = Some(queue.broker) > after && known.contains(&queue.broker);
            next && (with_dropped || !entry.dropped)
        });
        let broker = held.clone().map(|(queue, _)| queue.broker).min();
        let Some(broker) = broker.filter(|_| self.orderly()) else {
            self.push_all_offsets(shared);
            return self.unregister_next(shared, known.into());
        };
        let queues: Rc<[MessageQueue]> =
            held.by_ref().map(|(queue, _)| *queue).filter(|q| q.broker == broker).collect();
        let group = self.group;
        let limit_ms = shared.model.lock_timeout_ms;
        self.ask(shared, broker, limit_ms, Pending::StopUnlock(broker), |rpc| Packet::Unlock {
            rpc: Some(rpc),
            group,
            queues,
        });
    }

    /// Tells the next broker that the process leaves its group; behind the last one the stop is over.
    fn unregister_next(&mut self, shared: &mut Shared, mut left: VecDeque<BrokerId>) {
        let Some(broker) = left.pop_front() else { return self.end_stop(shared) };
        let group = self.group;
        let limit_ms = shared.model.mq_client_api_timeout_ms;
        self.ask(shared, broker, limit_ms, Pending::StopLeave(left), |rpc| Packet::Unregister {
            rpc,
            group,
        });
    }

    /// A heartbeat or a step of a stop was answered, or not.
    pub(super) fn on_told(&mut self, shared: &mut Shared, what: Pending, answered: bool) {
        match what {
            Pending::Beat { left, then } => self.beat_next(shared, left, then),
            Pending::StopUnlock(broker) => {
                if answered {
                    let of_broker = self.queues.iter_mut().filter(|(q, _)| q.broker == broker);
                    of_broker.for_each(|(_, entry)| Rc::make_mut(entry).locked = false);
                }
                self.unlock_next(shared, Some(broker));
            }
            Pending::StopLeave(left) => self.unregister_next(shared, left),
            _ => {}
        }
    }

    /// The entries are dropped, and the process is gone.
    fn end_stop(&mut self, shared: &mut Shared) {
        self.status = Status::Ended(StopKind::Clean);
        for (queue, entry) in &mut self.queues {
            if !entry.dropped {
                Rc::make_mut(entry).dropped = true;
                let reason = DropReason::Shutdown;
                shared.facts.push(Fact::QueueDropped { client: self.id, queue: *queue, reason });
            }
        }
        self.open.clear();
        self.hang_up(shared);
        shared.fact(Fact::ConsumerStopped { client: self.id, how: StopKind::Clean });
    }
}
