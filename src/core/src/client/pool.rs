//! Consume threads and listener calls of a consumer process.

use super::{Client, Status};
use crate::event::{Cached, ClientTimer};
use crate::fact::{Fact, Outcome};
use crate::ids::{MessageQueue, Ms};
use crate::shared::Shared;

/// A task that waits for a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PoolTask {
    /// The consume task of a queue (orderly).
    Orderly(MessageQueue, u32),
    /// A batch (concurrent).
    Concurrent(MessageQueue, u32, Vec<Cached>),
}

/// A listener call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// Number at its client.
    pub number: u32,
    /// The queue.
    pub queue: MessageQueue,
    /// Number of the queue's entry.
    pub serial: u32,
    /// The messages, in order.
    pub batch: Vec<Cached>,
    /// False until the call has begun.
    pub running: bool,
    /// When it began.
    pub since_ms: Ms,
    /// When it began by the client's wall clock, as far as that has not been set since.
    pub seen_ms: Ms,
    /// When it ends.
    pub until_ms: Ms,
    /// What it will return.
    pub outcome: Outcome,
}

impl Client {
    /// Takes a thread for a task, or queues the task.
    pub(super) fn execute(&mut self, shared: &mut Shared, task: PoolTask) {
        if self.busy >= self.threads || !self.pool_waiting.is_empty() {
            self.pool_waiting.push_back(task);
            return;
        }
        self.busy += 1;
        self.run_task(shared, task);
    }

    fn run_task(&mut self, shared: &mut Shared, task: PoolTask) {
        match task {
            PoolTask::Orderly(queue, serial) => self.run_orderly(shared, queue, serial),
            PoolTask::Concurrent(queue, serial, batch) => {
                self.begin_call(shared, queue, serial, batch);
            }
        }
    }

    /// Gives a thread back; the next waiting task gets it.
    pub(super) fn release_thread(&mut self, shared: &mut Shared) {
        self.busy = self.busy.saturating_sub(1);
        if self.busy < self.threads {
            if let Some(task) = self.pool_waiting.pop_front() {
                self.busy += 1;
                self.run_task(shared, task);
            }
        }
        self.after_task(shared);
    }

    /// Prepares a listener call; it begins in the instant's own class of listener starts.
    pub(super) fn begin_call(
        &mut self,
        shared: &mut Shared,
        queue: MessageQueue,
        serial: u32,
        batch: Vec<Cached>,
    ) {
        self.call_numbers += 1;
        let number = self.call_numbers;
        let now_ms = shared.now_ms;
        self.calls.push(Call {
            number,
            queue,
            serial,
            batch,
            running: false,
            since_ms: now_ms,
            seen_ms: now_ms,
            until_ms: now_ms,
            outcome: Outcome::Success,
        });
        shared.after(0, self.timer(ClientTimer::ListenerStart { call: number }));
    }

    pub(super) fn on_listener_start(&mut self, shared: &mut Shared, number: u32) {
        let Some(place) = self.calls.iter().position(|c| c.number == number) else { return };
        let (queue, serial) = (self.calls[place].queue, self.calls[place].serial);
        let alive = self.entry(queue, serial).is_some_and(|e| !e.dropped);
        if !alive || self.status == Status::Hanging {
            self.calls.remove(place);
            self.release_thread(shared);
            return self.wake_mutex(shared, queue);
        }
        let call = &mut self.calls[place];
        let mut handle_ms = 0;
        let mut outcome = Outcome::Success;
        for message in &call.batch {
            let attempt = message.reconsume_times + 1;
            let (one, ms) = shared.listener_result(self.group, self.id, message.msg, attempt);
            handle_ms += ms;
            if outcome == Outcome::Success {
                outcome = one;
            }
            shared.facts.push(Fact::HandlingStarted {
                client: self.id,
                queue,
                offset: message.offset as u32,
                msg: message.msg,
                attempt,
            });
        }
        call.running = true;
        (call.since_ms, call.seen_ms) = (shared.now_ms, shared.now_ms);
        call.until_ms = shared.now_ms + handle_ms;
        call.outcome = outcome;
        shared.after(handle_ms, self.timer(ClientTimer::ListenerEnd { call: number }));
    }

    pub(super) fn on_listener_end(&mut self, shared: &mut Shared, number: u32) {
        let Some(place) = self.calls.iter().position(|c| c.number == number) else { return };
        let call = self.calls.remove(place);
        for message in &call.batch {
            shared.facts.push(Fact::HandlingEnded {
                client: self.id,
                queue: call.queue,
                offset: message.offset as u32,
                msg: message.msg,
                outcome: call.outcome,
            });
        }
        let queue = call.queue;
        self.wake_release(shared, queue, call.serial);
        if matches!(self.status, Status::Ended(_)) {
            self.discard(shared, &call);
        } else if self.orderly() {
            self.after_orderly(shared, call);
            self.wake_mutex(shared, queue);
        } else {
            self.after_concurrent(shared, call);
        }
    }

    /// A result that nobody records.
    pub(super) fn discard(&mut self, shared: &mut Shared, call: &Call) {
        for message in &call.batch {
            shared.facts.push(Fact::ResultDiscarded {
                client: self.id,
                queue: call.queue,
                offset: message.offset as u32,
                msg: message.msg,
            });
        }
    }
}
