//! The concurrent consume service (`ConsumeMessageConcurrentlyService`): any thread, any order; a
//! failed message goes back to the broker and comes again from the retry topic.

use super::{Call, Client, Pending, PoolTask, Status};
use crate::event::{Cached, ClientTimer, Packet};
use crate::fact::{Fact, Outcome};
use crate::ids::{MessageQueue, Ms};
use crate::shared::Shared;

impl Client {
    /// Submits messages in batches; each batch is a task of its own.
    pub(super) fn submit_concurrent(
        &mut self,
        shared: &mut Shared,
        queue: MessageQueue,
        serial: u32,
        messages: &[Cached],
    ) {
        if self.status != Status::Running || self.entry(queue, serial).is_none_or(|e| e.dropped) {
            return;
        }
        let batch_max = usize::from(shared.group(self.group).batch_max).max(1);
        for batch in messages.chunks(batch_max) {
            self.execute(shared, PoolTask::Concurrent(queue, serial, batch.to_vec()));
        }
    }

    pub(super) fn after_concurrent(&mut self, shared: &mut Shared, call: Call) {
        let alive = self.entry(call.queue, call.serial).is_some_and(|e| !e.dropped);
        if !alive {
            self.discard(shared, &call);
            return self.release_thread(shared);
        }
        match call.outcome {
            Outcome::Success | Outcome::Commit | Outcome::Rollback => {
                self.finish_concurrent(shared, &call, &call.batch);
                self.release_thread(shared);
            }
            Outcome::Later | Outcome::Null | Outcome::Exception => {
                self.back_calls.push((call, 0, Vec::new()));
                self.send_next_back(shared, self.back_calls.len() - 1);
            }
        }
    }

    /// Removes finished messages; the offset is the lowest unfinished one and only rises.
    fn finish_concurrent(&mut self, shared: &mut Shared, call: &Call, done: &[Cached]) {
        let (client, queue) = (self.id, call.queue);
        let Some(entry) = self.entry(queue, call.serial) else { return };
        let offset = entry.remove(done);
        let dropped = entry.dropped;
        if dropped {
            return;
        }
        if call.outcome == Outcome::Success {
            for message in done {
                let (offset, msg) = (message.offset as u32, message.msg);
                shared.fact(Fact::MessageAcknowledged { client, queue, offset, msg });
            }
        }
        if let Some(offset) = offset {
            let known = self.offsets.entry(queue).or_insert(offset);
            *known = (*known).max(offset);
        }
    }

    /// Sends the next message of a failed batch back, or settles the batch.
    fn send_next_back(&mut self, shared: &mut Shared, place: usize) {
        let (call, at, failed) = &self.back_calls[place];
        let Some(message) = call.batch.get(*at).copied() else {
            let (call, _, failed) = (call.clone(), at, failed.clone());
            self.back_calls.remove(place);
            return self.settle_backs(shared, &call, &failed);
        };
        let (queue, number) = (call.queue, call.number);
        let group = self.group;
        let max = shared.group(group).effective_max_reconsume_times(&shared.model);
        let limit_ms = shared.model.consumer_send_message_back_timeout_ms;
        self.ask(shared, queue, limit_ms, Pending::ConcurrentBack { call: number }, |rpc| {
            Packet::SendBack {
                rpc,
                group,
                msg: message.msg,
                reconsume_times: message.reconsume_times,
                delay_level: 0,
                max,
            }
        });
    }

    /// The send-back did not work: a normal send to the retry topic instead, to any of its brokers.
    fn send_as_normal_message(
        &mut self,
        shared: &mut Shared,
        number: u32,
        (attempts, deadline_ms): (u8, Ms),
    ) {
        let Some((call, at, _)) = self.back_calls.iter().find(|(c, ..)| c.number == number) else {
            return;
        };
        let Some(message) = call.batch.get(*at).copied() else { return };
        let broker = self.retry_broker(shared, call.queue.broker, attempts);
        let queue = MessageQueue { broker, ..call.queue };
        let group = self.group;
        let max = shared.group(group).effective_max_reconsume_times(&shared.model);
        let times = message.reconsume_times;
        let what = Pending::NormalBack { call: number, attempts: attempts + 1, deadline_ms };
        self.ask(shared, queue, deadline_ms - shared.now_ms, what, |rpc| Packet::SendRetry {
            rpc,
            group,
            msg: message.msg,
            reconsume_times: times + 1,
            max,
            delay_level: (3 + times).min(255) as u8,
        });
    }

    pub(super) fn on_concurrent_back(&mut self, shared: &mut Shared, number: u32, taken: bool) {
        if taken {
            return self.on_back_settled(shared, number, true);
        }
        let deadline_ms = shared.now_ms + shared.model.send_msg_timeout_ms;
        self.send_as_normal_message(shared, number, (0, deadline_ms));
    }

    pub(super) fn on_normal_back(
        &mut self,
        shared: &mut Shared,
        number: u32,
        (attempts, deadline_ms): (u8, Ms),
        taken: bool,
    ) {
        let more = 1 + shared.model.retry_times_when_send_failed;
        if !taken && i64::from(attempts) < more && shared.now_ms < deadline_ms {
            return self.send_as_normal_message(shared, number, (attempts, deadline_ms));
        }
        self.on_back_settled(shared, number, taken);
    }

    fn on_back_settled(&mut self, shared: &mut Shared, number: u32, taken: bool) {
        let Some(place) = self.back_calls.iter().position(|(c, ..)| c.number == number) else {
            return;
        };
        let client = self.id;
        let (call, at, failed) = &mut self.back_calls[place];
        if let Some(message) = call.batch.get(*at).copied() {
            let (msg, times) = (message.msg, message.reconsume_times);
            if taken {
                let level = (3 + times).min(255) as u8;
                let reconsume_times = (times + 1) as u16;
                shared.fact(Fact::SentBack { client, msg, level, reconsume_times });
            } else {
                failed.push(Cached { reconsume_times: times + 1, ..message });
                shared.fact(Fact::SendBackFailed { client, msg });
            }
        }
        *at += 1;
        self.send_next_back(shared, place);
    }

    /// Messages that went back are finished here; the others are tried again locally after 5 s.
    fn settle_backs(&mut self, shared: &mut Shared, call: &Call, failed: &[Cached]) {
        let (queue, serial) = (call.queue, call.serial);
        let is_failed = |m: &&Cached| failed.iter().any(|f| f.offset == m.offset);
        let done: Vec<Cached> = call.batch.iter().filter(|m| !is_failed(m)).copied().collect();
        self.finish_concurrent(shared, call, &done);
        for message in failed {
            let timer = ClientTimer::Resubmit { queue, serial, message: *message };
            shared.after(shared.model.send_back_local_retry_ms, self.timer(timer));
        }
        self.release_thread(shared);
        self.after_call(shared);
    }
}
