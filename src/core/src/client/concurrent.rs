//! The concurrent consume service (`ConsumeMessageConcurrentlyService`): any thread, any order; a
//! failed message goes back to the broker and comes again from the retry topic.

use super::{Call, Client, Pending, PoolTask, Status};
use crate::event::{Cached, ClientTimer, Packet};
use crate::fact::{Fact, Outcome};
use crate::ids::{MessageQueue, Ms};
use crate::model::Version;
use crate::shared::Shared;

/// Delay level that a client writes into a normal send to the retry topic.
pub(super) fn normal_level(reconsume_times: u32) -> u8 {
    (3 + reconsume_times).min(255) as u8
}

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

    /// Sends the next message of a failed batch back, or settles the batch. From 5.1.0 on a message that
    /// went back meanwhile, because it was handled for too long, does not go back once more.
    /// Source: `ConsumeMessageConcurrentlyService.processConsumeResult`.
    fn send_next_back(&mut self, shared: &mut Shared, place: usize) {
        let looks = shared.model.version >= Version(5, 1, 0);
        let (call, at, _) = &mut self.back_calls[place];
        let entry = self.queues.get(&call.queue).filter(|entry| entry.serial == call.serial);
        let gone = |m: &Cached| looks && entry.is_some_and(|entry| !entry.contains(m.offset));
        *at += call.batch[*at..].iter().take_while(|message| gone(message)).count();
        let (call, at, failed) = &self.back_calls[place];
        let Some(message) = call.batch.get(*at).copied() else {
            let (call, _, failed) = (call.clone(), at, failed.clone());
            self.back_calls.remove(place);
            return self.settle_backs(shared, &call, &failed);
        };
        let (queue, number) = (call.queue, call.number);
        let at = (queue, message.offset);
        let group = self.group;
        let max = shared.group(group).effective_max_reconsume_times(&shared.model);
        let limit_ms = shared.model.consumer_send_message_back_timeout_ms;
        self.ask(
            shared,
            queue.broker,
            limit_ms,
            Pending::ConcurrentBack { call: number, normal: None },
            |rpc| Packet::SendBack { rpc, group, msg: message.msg, at, delay_level: 0, max },
        );
    }

    /// The next attempt of a normal send to the retry topic, when there is one: attempts so far and the
    /// end of them all. Before the first one nothing was sent.
    pub(super) fn next_normal_send(
        &self,
        shared: &Shared,
        tried: Option<(u8, Ms)>,
    ) -> Option<(u8, Ms)> {
        if !self.has_retry_queue(shared) {
            return None;
        }
        let Some((attempts, deadline_ms)) = tried else {
            return Some((0, shared.now_ms + shared.model.send_msg_timeout_ms));
        };
        let most = 1 + shared.model.retry_times_when_send_failed;
        let more = i64::from(attempts) < most && shared.now_ms < deadline_ms;
        more.then_some((attempts, deadline_ms))
    }

    /// The send-back did not work: a normal send to the retry topic instead, to any of its brokers.
    pub(super) fn send_normal(
        &mut self,
        shared: &mut Shared,
        (from, message): (MessageQueue, Cached),
        (attempts, deadline_ms): (u8, Ms),
        what: Pending,
    ) {
        let broker = self.retry_broker(shared, from.broker, attempts);
        let queue = MessageQueue { broker, ..from };
        let group = self.group;
        let max = shared.group(group).effective_max_reconsume_times(&shared.model);
        let times = message.reconsume_times;
        self.ask(shared, queue.broker, deadline_ms - shared.now_ms, what, |rpc| {
            Packet::SendRetry {
                rpc,
                group,
                msg: message.msg,
                reconsume_times: times + 1,
                max,
                delay_level: normal_level(times),
            }
        });
    }

    /// A send-back of a failed batch was answered, or a normal send that followed it (`normal`: how
    /// often it was tried, and until when).
    pub(super) fn on_concurrent_back(
        &mut self,
        shared: &mut Shared,
        number: u32,
        normal: Option<(u8, Ms)>,
        taken: Option<u16>,
    ) {
        let next = if taken.is_some() { None } else { self.next_normal_send(shared, normal) };
        let Some(tried) = next else { return self.on_back_settled(shared, number, taken) };
        let Some((call, at, _)) = self.back_calls.iter().find(|(c, ..)| c.number == number) else {
            return;
        };
        let Some(message) = call.batch.get(*at).copied() else { return };
        let normal = Some((tried.0 + 1, tried.1));
        let what = Pending::ConcurrentBack { call: number, normal };
        self.send_normal(shared, (call.queue, message), tried, what);
    }

    fn on_back_settled(&mut self, shared: &mut Shared, number: u32, taken: Option<u16>) {
        let Some(place) = self.back_calls.iter().position(|(c, ..)| c.number == number) else {
            return;
        };
        let client = self.id;
        let (call, at, failed) = &mut self.back_calls[place];
        if let Some(message) = call.batch.get(*at).copied() {
            let (msg, times) = (message.msg, message.reconsume_times);
            if let Some(reconsume_times) = taken {
                let level = normal_level(u32::from(reconsume_times.saturating_sub(1)));
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
    }
}
