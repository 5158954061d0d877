//! The orderly consume service (`ConsumeMessageOrderlyService`): one task for each queue, a lock
//! before every turn, and a failed message stays in front.

use super::{Call, Client, Pending, PoolTask, Status, Task};
use crate::event::{Cached, ClientTimer, Packet};
use crate::fact::{Fact, Outcome};
use crate::ids::{BrokerId, MessageQueue, Ms, MsgId};
use crate::model::Blocking;
use crate::retry::{orderly_header, suspend_ms};
use crate::shared::Shared;

/// A failed batch whose exhausted messages are being sent to the retry topic, one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct BackState {
    token: u32,
    call: Call,
    at: usize,
    keep: bool,
    /// When the task's run began.
    begin_ms: Ms,
    /// Attempts of the send that is on its way.
    attempts: u8,
    /// All attempts of it together end here.
    deadline_ms: Ms,
}

impl BackState {
    /// True when the batch contains a message.
    pub(super) fn holds(&self, msg: MsgId) -> bool {
        self.call.batch.iter().any(|m| m.msg == msg)
    }
}

impl Client {
    pub(super) fn submit_orderly(&mut self, shared: &mut Shared, queue: MessageQueue, serial: u32) {
        if let Some(entry) = self.entry(queue, serial) {
            entry.task = Task::Queued;
        }
        shared.after(0, self.timer(ClientTimer::Consume { queue, serial }));
    }

    pub(super) fn on_consume(&mut self, shared: &mut Shared, queue: MessageQueue, serial: u32) {
        if self.status != Status::Running {
            return;
        }
        let Some(entry) = self.entry(queue, serial).filter(|e| !e.dropped) else { return };
        entry.task = Task::Queued;
        self.execute(shared, PoolTask::Orderly(queue, serial));
    }

    /// The task has a thread: it needs the queue's own mutex, then the lock.
    pub(super) fn run_orderly(&mut self, shared: &mut Shared, queue: MessageQueue, serial: u32) {
        if self.is_mutex_held(queue) {
            self.mutex_waiting.push((queue, serial));
            return;
        }
        let now_ms = shared.now_ms;
        let (live_ms, delay_ms) =
            (shared.model.client_lock_max_live_time_ms, shared.model.relock_delay_ms);
        let Some(entry) = self.entry(queue, serial).filter(|e| !e.dropped) else {
            return self.release_thread(shared);
        };
        if entry.locked && !entry.is_lock_expired(now_ms, live_ms) {
            entry.task = Task::Running { begin_ms: now_ms };
            self.turn(shared, queue, serial);
        } else {
            self.relock_later(shared, queue, serial, delay_ms);
            self.release_thread(shared);
        }
    }

    /// Whether a listener call of the queue is under way, or its failed batch is being sent back.
    pub(super) fn is_mutex_held(&self, queue: MessageQueue) -> bool {
        let back = |of: &BackState| of.call.queue == queue;
        self.calls.iter().any(|c| c.queue == queue) || self.backs.iter().any(back)
    }

    /// The tasks that waited for an older entry of their queue go on, one after the other: one whose
    /// own entry was dropped meanwhile ends, and the next one has the mutex.
    pub(super) fn wake_mutex(&mut self, shared: &mut Shared, queue: MessageQueue) {
        while !self.is_mutex_held(queue) {
            let next = self.mutex_waiting.iter().position(|(q, _)| *q == queue);
            let Some(place) = next else { return };
            let (queue, serial) = self.mutex_waiting.remove(place);
            self.run_orderly(shared, queue, serial);
        }
    }

    /// One turn of the loop: checks, then take and hand over.
    fn turn(&mut self, shared: &mut Shared, queue: MessageQueue, serial: u32) {
        let now_ms = shared.now_ms;
        let model = std::rc::Rc::clone(&shared.model);
        let batch_max = usize::from(shared.group(self.group).batch_max);
        let Some(entry) = self.entry(queue, serial).filter(|e| !e.dropped) else {
            return self.release_thread(shared);
        };
        let Task::Running { begin_ms } = entry.task else { return self.release_thread(shared) };
        let lock_lost =
            !entry.locked || entry.is_lock_expired(now_ms, model.client_lock_max_live_time_ms);
        if lock_lost {
            self.relock_later(shared, queue, serial, model.relock_delay_in_loop_ms);
            return self.release_thread(shared);
        }
        if now_ms - begin_ms > model.max_time_consume_continuously_ms {
            entry.task = Task::Queued;
            shared.fact(Fact::TaskYielded { client: self.id, queue });
            let delay_ms = model.relock_delay_in_loop_ms;
            shared.after(delay_ms, self.timer(ClientTimer::ConsumeLater { queue, serial }));
            return self.release_thread(shared);
        }
        let batch = match model.blocking {
            Blocking::Queue => entry.take(batch_max),
            Blocking::MessageGroup => self.take_free(shared, queue, serial, batch_max),
        };
        if batch.is_empty() {
            if let Some(entry) = self.entry(queue, serial) {
                let free_ms = Self::next_free_ms(entry);
                entry.task = free_ms.map_or(Task::Idle, |until_ms| Task::Suspended { until_ms });
            }
            return self.release_thread(shared);
        }
        self.begin_call(shared, queue, serial, batch);
    }

    /// A listener call returned (`processConsumeResult`).
    pub(super) fn after_orderly(&mut self, shared: &mut Shared, call: Call) {
        let auto_commit = shared.group(self.group).auto_commit;
        let (queue, serial) = (call.queue, call.serial);
        match call.outcome {
            Outcome::Success if !auto_commit => {}
            Outcome::Success | Outcome::Commit => self.commit(shared, queue, serial, &call),
            Outcome::Rollback if auto_commit => self.commit(shared, queue, serial, &call),
            Outcome::Rollback => {
                if let Some(entry) = self.entry(queue, serial) {
                    entry.rollback();
                }
                return self.suspend(shared, queue, serial, call.batch.first().copied());
            }
            Outcome::Later | Outcome::Null | Outcome::Exception => {
                let begin_ms = match self.entry(queue, serial).map(|entry| entry.task) {
                    Some(Task::Running { begin_ms }) => begin_ms,
                    _ => shared.now_ms,
                };
                let back = BackState {
                    token: 0,
                    call,
                    at: 0,
                    keep: false,
                    begin_ms,
                    attempts: 0,
                    deadline_ms: 0,
                };
                return self.send_exhausted(shared, back);
            }
        }
        self.turn(shared, queue, serial);
    }

    /// Counts what is taken as consumed, unless the queue was dropped meanwhile.
    fn commit(&mut self, shared: &mut Shared, queue: MessageQueue, serial: u32, call: &Call) {
        let client = self.id;
        let by_group = shared.model.blocking == Blocking::MessageGroup;
        let Some(entry) = self.entry(queue, serial) else { return self.discard(shared, call) };
        let done: Vec<Cached> = entry.taken().to_vec();
        let offset = match by_group {
            true => entry.commit_lowest(),
            false => entry.commit(),
        };
        if entry.dropped {
            return self.discard(shared, call);
        }
        for message in done {
            let (offset, msg) = (message.offset as u32, message.msg);
            shared.fact(Fact::MessageAcknowledged { client, queue, offset, msg });
        }
        if let Some(offset) = offset {
            self.offsets.insert(queue, offset);
        }
    }

    /// Sends the next exhausted message of a failed batch to the retry topic; when there is none
    /// left the batch is put back or committed (`checkReconsumeTimes`).
    fn send_exhausted(&mut self, shared: &mut Shared, mut back: BackState) {
        let max = shared.group(self.group).effective_max_reconsume_times(&shared.model);
        while let Some(message) = back.call.batch.get_mut(back.at) {
            if message.reconsume_times as i64 >= i64::from(max) {
                let message = *message;
                return self.send_one_back(shared, back, message, max);
            }
            message.reconsume_times += 1;
            back.keep = true;
            back.at += 1;
        }
        self.settle_failed(shared, back);
    }

    /// An ordinary synchronous send to the retry topic: while it hangs, the queue hangs.
    fn send_one_back(
        &mut self,
        shared: &mut Shared,
        mut back: BackState,
        message: Cached,
        max: i32,
    ) {
        let (queue, serial) = (back.call.queue, back.call.serial);
        if let Some(entry) = self.entry(queue, serial) {
            entry.task = Task::SendingBack;
        }
        if back.attempts == 0 {
            back.deadline_ms = shared.now_ms + shared.model.send_msg_timeout_ms;
        }
        let broker = self.retry_broker(shared, queue.broker, back.attempts);
        back.attempts += 1;
        let times = message.reconsume_times;
        back.token = self.tokens + 1;
        if !self.has_retry_queue(shared) {
            self.tokens += 1;
            let token = back.token;
            back.attempts = u8::MAX;
            self.backs.push(back);
            return self.on_orderly_back(shared, token, false);
        }
        let limit_ms = back.deadline_ms - shared.now_ms;
        self.backs.push(back);
        let group = self.group;
        let reconsume_times = orderly_header(shared.model.version, times as i32) as u32;
        self.ask(shared, broker, limit_ms, Pending::OrderlyBack, |rpc| Packet::SendRetry {
            rpc,
            group,
            msg: message.msg,
            reconsume_times,
            max,
            delay_level: (3 + times).min(255) as u8,
        });
    }

    /// Whether the client can send to its retry topic: without a queue there is "no route info of this
    /// topic", and nothing is sent. Source: `DefaultMQProducerImpl.sendDefaultImpl`.
    pub(super) fn has_retry_queue(&self, shared: &Shared) -> bool {
        let topic = shared.group(self.group).retry_topic;
        shared.names.topics[topic.index()].write_queues > 0
    }

    /// The broker that the n-th attempt of a send to the retry topic goes to: the queue's own first,
    /// then the others in the route. (The real client begins anywhere.)
    pub(super) fn retry_broker(&self, shared: &Shared, first: BrokerId, attempts: u8) -> BrokerId {
        let topic = shared.group(self.group).retry_topic;
        let mut brokers: Vec<BrokerId> = self
            .routes
            .get(&topic)
            .map_or_else(Vec::new, |qs| qs.iter().map(|q| q.broker).collect());
        brokers.dedup();
        let place = brokers.iter().position(|broker| *broker == first).unwrap_or(0);
        let at = (place + usize::from(attempts)).checked_rem(brokers.len());
        at.and_then(|at| brokers.get(at)).copied().unwrap_or(first)
    }

    pub(super) fn on_orderly_back(&mut self, shared: &mut Shared, token: u32, taken: bool) {
        let Some(place) = self.backs.iter().position(|b| b.token == token) else { return };
        let mut back = self.backs.remove(place);
        let more = 1 + shared.model.retry_times_when_send_failed;
        if !taken && i64::from(back.attempts) < more && shared.now_ms < back.deadline_ms {
            if let Some(message) = back.call.batch.get(back.at).copied() {
                let max = shared.group(self.group).effective_max_reconsume_times(&shared.model);
                return self.send_one_back(shared, back, message, max);
            }
        }
        if !taken {
            if let Some(message) = back.call.batch.get_mut(back.at) {
                message.reconsume_times += 1;
                shared.facts.push(Fact::SendBackFailed { client: self.id, msg: message.msg });
            }
            back.keep = true;
        }
        back.at += 1;
        back.attempts = 0;
        let queue = back.call.queue;
        self.send_exhausted(shared, back);
        self.wake_mutex(shared, queue);
    }

    /// All exhausted messages are away: put the batch back and suspend, or commit it.
    fn settle_failed(&mut self, shared: &mut Shared, back: BackState) {
        let (queue, serial) = (back.call.queue, back.call.serial);
        let auto_commit = shared.group(self.group).auto_commit;
        let begin_ms = back.begin_ms;
        let alive = self.entry(queue, serial).is_some_and(|e| !e.dropped);
        if !alive {
            if let Some(entry) = self.entry(queue, serial) {
                entry.make_again(&back.call.batch);
            }
            self.discard(shared, &back.call);
            return self.release_thread(shared);
        }
        if back.keep {
            if let Some(entry) = self.entry(queue, serial) {
                entry.make_again(&back.call.batch);
            }
            if shared.model.blocking == Blocking::MessageGroup {
                self.suspend_groups(shared, &back.call);
                if let Some(entry) = self.entry(queue, serial) {
                    entry.task = Task::Running { begin_ms };
                }
                return self.turn(shared, queue, serial);
            }
            return self.suspend(shared, queue, serial, back.call.batch.first().copied());
        }
        if auto_commit {
            self.commit(shared, queue, serial, &back.call);
        }
        if let Some(entry) = self.entry(queue, serial) {
            entry.task = Task::Running { begin_ms };
        }
        self.turn(shared, queue, serial);
    }

    /// The queue pauses; its task gives the thread back and is submitted again later.
    fn suspend(
        &mut self,
        shared: &mut Shared,
        queue: MessageQueue,
        serial: u32,
        first: Option<Cached>,
    ) {
        let wanted_ms = match shared.group(self.group).suspend_ms {
            -1 => shared.model.suspend_current_queue_time_ms,
            ms => ms,
        };
        let until_ms = shared.now_ms + suspend_ms(&shared.model, -1, wanted_ms);
        let stops = self.status != Status::Running;
        if let Some(entry) = self.entry(queue, serial).filter(|_| stops) {
            // The thread of the pauses takes nothing any more: the task ends.
            entry.task = Task::Idle;
        } else if let Some(entry) = self.entry(queue, serial).filter(|e| !e.dropped) {
            entry.task = Task::Suspended { until_ms };
            if let Some(first) = first {
                shared.fact(Fact::QueueSuspended {
                    client: self.id,
                    queue,
                    msg: first.msg,
                    failures: first.reconsume_times,
                    until_ms,
                });
            }
            shared.at(until_ms, self.timer(ClientTimer::ConsumeLater { queue, serial }));
        }
        self.release_thread(shared);
    }
}
