//! Threads of a consumer process that do one thing after the other. While one of them waits for an
//! answer, whatever else it is to do waits behind it.

use std::collections::VecDeque;

use super::{Client, Pending, Task};
use crate::event::ClientTimer;
use crate::ids::{BrokerId, MessageQueue};
use crate::shared::Shared;

/// A thread that waits for what it asked, in the process that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Thread {
    /// `PullMessageService`: every pull request of the process has its turn here, and the first pull of
    /// an orderly queue asks for its offset before (`DefaultMQPushConsumerImpl.pullMessage`).
    Pull,
    /// `PullMessageServiceScheduledThread`: pauses of pull requests, and corrected offsets.
    PullTimers,
    /// `ConsumeMessageScheduledThread` of an orderly consumer: renewals, re-locks, pauses of queues.
    OrderlyTimers,
    /// `MQClientFactoryScheduledThread`: heartbeats, pushes of offsets, route polls, late unlocks.
    Instance,
}

impl Thread {
    /// The thread that a timer belongs to; None when it does not wait for another.
    fn of(timer: &ClientTimer) -> Option<Self> {
        Some(match timer {
            ClientTimer::Pull { .. } => Self::Pull,
            ClientTimer::PullLater { .. } | ClientTimer::CorrectOffset { .. } => Self::PullTimers,
            ClientTimer::RenewLocks
            | ClientTimer::Relock { .. }
            | ClientTimer::ConsumeLater { .. } => Self::OrderlyTimers,
            ClientTimer::PushOffsets
            | ClientTimer::Heartbeat
            | ClientTimer::RoutePoll
            | ClientTimer::DelayedUnlock { .. } => Self::Instance,
            _ => return None,
        })
    }
}

/// What a thread does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Worker {
    /// It waits for an answer.
    waits: bool,
    /// What it does next.
    next: VecDeque<ClientTimer>,
}

impl Client {
    fn worker(&mut self, thread: Thread) -> &mut Worker {
        &mut self.workers[thread as usize]
    }

    /// Puts a timer behind what its thread waits for; false when the thread is free.
    pub(super) fn queues_up(&mut self, timer: &ClientTimer) -> bool {
        let Some(thread) = Thread::of(timer) else { return false };
        let worker = self.worker(thread);
        if !worker.waits {
            return false;
        }
        worker.next.push_back(*timer);
        if let ClientTimer::ConsumeLater { queue, serial } = *timer {
            if let Some(entry) = self.entry(queue, serial) {
                entry.task = Task::Queued;
            }
        }
        true
    }

    /// A thread begins to wait for an answer.
    pub(super) fn thread_waits(&mut self, thread: Thread) {
        self.worker(thread).waits = true;
    }

    /// A thread has its answer: it does what has queued up, until it waits again.
    pub(super) fn thread_goes_on(&mut self, shared: &mut Shared, thread: Thread) {
        self.worker(thread).waits = false;
        while !self.worker(thread).waits {
            let Some(timer) = self.worker(thread).next.pop_front() else { return };
            self.carry_out(shared, timer);
        }
    }

    /// The broker whose answer a thread waits for.
    pub fn asked_by(&self, thread: Thread) -> Option<BrokerId> {
        let of = |what: &Pending| match (thread, what) {
            (Thread::OrderlyTimers, Pending::Renew { asked, .. }) => asked.first().copied(),
            (Thread::OrderlyTimers, Pending::Relock { queue, .. })
            | (
                Thread::Pull | Thread::PullTimers,
                Pending::Offset { queue, .. } | Pending::MaxOffset { queue, .. },
            ) => Some(*queue),
            _ => None,
        };
        self.open.iter().find_map(|open| of(&open.what)).map(|queue| queue.broker)
    }

    /// The thread that a queue's next step waits for, while that thread waits for an answer of a broker.
    pub fn waits_for(&self, queue: MessageQueue) -> Option<Thread> {
        let is_its = |timer: &ClientTimer| match timer {
            ClientTimer::Pull { queue: of, .. }
            | ClientTimer::PullLater { queue: of, .. }
            | ClientTimer::CorrectOffset { queue: of, .. }
            | ClientTimer::Relock { queue: of, .. }
            | ClientTimer::ConsumeLater { queue: of, .. } => *of == queue,
            _ => false,
        };
        [Thread::Pull, Thread::PullTimers, Thread::OrderlyTimers]
            .into_iter()
            .find(|thread| self.workers[*thread as usize].next.iter().any(is_its))
    }
}
