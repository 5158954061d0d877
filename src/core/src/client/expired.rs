//! Messages that a concurrent listener holds for longer than the consume time-out
//! (`ProcessQueue.cleanExpiredMsg`): they go back to the broker although the listener still runs.

use super::concurrent::normal_level;
use super::{Client, Pending, Status};
use crate::event::{Cached, ClientTimer, Packet};
use crate::fact::Fact;
use crate::ids::{MessageQueue, Ms};
use crate::shared::Shared;

/// A message that is handled for too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Expired {
    queue: MessageQueue,
    serial: u32,
    message: Cached,
    /// Messages of the queue that this look came to before it.
    count: u8,
}

impl Client {
    pub(super) fn on_clean_expired(&mut self, shared: &mut Shared) {
        if self.status != Status::Running {
            return;
        }
        let queues: Vec<(MessageQueue, u32)> =
            self.queues.iter().filter(|(_, e)| !e.dropped).map(|(q, e)| (*q, e.serial)).collect();
        for (queue, serial) in queues {
            self.clean_next(shared, queue, serial, 0);
        }
        shared.after(shared.model.consume_timeout_ms, self.timer(ClientTimer::CleanExpired));
    }

    /// When a listener call with this message began; None when none runs.
    fn handled_since(&self, queue: MessageQueue, offset: i64) -> Option<Ms> {
        let holds = |batch: &[Cached]| batch.iter().any(|m| m.offset == offset);
        let call = self.calls.iter().find(|c| c.queue == queue && c.running && holds(&c.batch))?;
        Some(call.seen_ms)
    }

    /// Sends the lowest cached message of a queue back if it is handled for too long.
    fn clean_next(&mut self, shared: &mut Shared, queue: MessageQueue, serial: u32, count: u8) {
        if i64::from(count) >= shared.model.clean_expired_batch {
            return;
        }
        let Some(entry) = self.entry(queue, serial).filter(|e| !e.dropped) else { return };
        let Some(message) = entry.waiting().next().copied() else { return };
        let limit_ms = shared.model.consume_timeout_ms;
        let since_ms = self.handled_since(queue, message.offset);
        if since_ms.is_none_or(|since_ms| shared.now_ms - since_ms <= limit_ms) {
            return;
        }
        let Cached { offset, msg, .. } = message;
        let client = self.id;
        shared.fact(Fact::ConsumeTimedOut { client, queue, offset: offset as u32, msg });
        let group = self.group;
        let max = shared.group(group).effective_max_reconsume_times(&shared.model);
        let level = shared.model.clean_expired_level as i8;
        let expired = Expired { queue, serial, message, count };
        let what = Pending::ExpiredBack { expired, normal: None };
        let limit_ms = shared.model.consumer_send_message_back_timeout_ms;
        self.ask(shared, queue.broker, limit_ms, what, |rpc| Packet::SendBack {
            rpc,
            group,
            msg,
            at: (queue, offset),
            delay_level: level,
            max,
        });
    }

    /// The send-back was answered, or a normal send to the retry topic that followed it (`normal`: how
    /// often it was tried, and until when). Whatever comes of it, the loop goes on with the lowest
    /// message; the consumer offset stays where it is.
    /// Source: `ProcessQueue.cleanExpiredMsg`, `DefaultMQPushConsumerImpl.sendMessageBack`.
    pub(super) fn on_expired_back(
        &mut self,
        shared: &mut Shared,
        expired: Expired,
        normal: Option<(u8, Ms)>,
        taken: Option<u16>,
    ) {
        let Expired { queue, serial, message, count } = expired;
        let (client, msg, times) = (self.id, message.msg, message.reconsume_times);
        if let Some(reconsume_times) = taken {
            let asked = shared.model.clean_expired_level as u8;
            let level = if normal.is_some() { normal_level(times) } else { asked };
            shared.fact(Fact::SentBack { client, msg, level, reconsume_times });
            if let Some(entry) = self.entry(queue, serial) {
                if entry.waiting().next().is_some_and(|first| first.offset == message.offset) {
                    entry.remove(&[message]);
                }
            }
        } else if let Some(tried) = self.next_normal_send(shared, normal) {
            let normal = Some((tried.0 + 1, tried.1));
            let what = Pending::ExpiredBack { expired, normal };
            return self.send_normal(shared, (queue, message), tried, what);
        } else {
            shared.fact(Fact::SendBackFailed { client, msg });
        }
        self.clean_next(shared, queue, serial, count + 1);
    }
}
