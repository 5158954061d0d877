//! Sends: the check of the queue id, the choice between queue, delay level and timer wheel, and the
//! ways into retry topics and dead letters.

use super::{Broker, RECORD_OVERHEAD_BYTES};
use crate::delay::Timing;
use crate::event::{Packet, Refused, Rpc};
use crate::fact::{Fact, RequestKind, StoredKind};
use crate::ids::{GroupId, MessageQueue, MsgId, Party, ProducerId};
use crate::message::Record;
use crate::retry::{retry_topic_landing, send_back, Landing, RetrySend, SendBack};
use crate::rng::Stream;
use crate::shared::Shared;

impl Broker {
    pub(super) fn on_send(
        &mut self,
        shared: &mut Shared,
        producer: ProducerId,
        rpc: Rpc,
        msg: MsgId,
        queue: MessageQueue,
    ) {
        let sender = Party::Producer(producer);
        let result = self.accept(shared, sender, msg, queue);
        let answer = Packet::Sent { token: rpc.token, result };
        shared.answer(self.party(), sender, (rpc, RequestKind::Send), answer);
    }

    /// Stores a message that was sent to a queue. Ok carries its queue offset (of the schedule topic
    /// when it was put aside).
    pub(super) fn accept(
        &mut self,
        shared: &mut Shared,
        sender: Party,
        msg: MsgId,
        queue: MessageQueue,
    ) -> Result<i64, Refused> {
        let topic = &shared.names.topics[queue.topic.index()];
        if queue.id >= topic.read_queues.max(topic.write_queues) {
            return Err(Refused::QueueId);
        }
        if self.refuses_writes() {
            return Err(Refused::DiskFull);
        }
        if shared.message(msg).transaction {
            // The client drops the delay level of a transaction message.
            let record = self.new_record(shared, msg, queue, 0);
            return Ok(self.prepare(shared, sender, record));
        }
        let message = shared.message(msg);
        let (level, timer_ms) = (message.delay_level, message.timer_delay_ms);
        let record = self.new_record(shared, msg, queue, 0);
        if level > 0 {
            self.schedule_level(shared, record, level);
            return Ok(0);
        }
        let now_ms = self.wall_ms(shared);
        match Timing::at(&shared.model, now_ms, now_ms + timer_ms) {
            Timing::Illegal => return Err(Refused::TimerIllegal),
            Timing::Wheel { deliver_ms, .. } => {
                self.schedule_timer(shared, record, deliver_ms);
                return Ok(0);
            }
            Timing::Immediate | Timing::Level(_) => {}
        }
        Ok(self.store_record(shared, record, StoredKind::Sent))
    }

    fn new_record(
        &self,
        shared: &Shared,
        msg: MsgId,
        queue: MessageQueue,
        reconsume_times: u16,
    ) -> Record {
        Record {
            msg,
            topic: queue.topic,
            queue: queue.id,
            offset: 0,
            position: 0,
            store_ms: self.wall_ms(shared),
            reconsume_times,
            delay_level: 0,
            real: (queue.topic, queue.id),
            bytes: shared.message(msg).body_bytes + RECORD_OVERHEAD_BYTES,
        }
    }

    /// Appends a record, builds its index entry and wakes held pulls.
    pub(super) fn store_record(
        &mut self,
        shared: &mut Shared,
        record: Record,
        kind: StoredKind,
    ) -> i64 {
        let record = Record { store_ms: self.wall_ms(shared), ..record };
        let tag = shared.message(record.msg).tag;
        let (_, offset) = self.store.append(record, shared.names.tag_hash(tag));
        if self.clean_at_ms.is_none() && self.store.segments().len() > 1 {
            self.schedule_clean(shared);
        }
        let queue = MessageQueue { topic: record.topic, broker: self.id, id: record.queue };
        shared.fact(Fact::MessageStored { msg: record.msg, queue, offset: offset as u32, kind });
        self.wake_holds(shared, queue, tag);
        self.wake_polls(shared, queue, offset, tag);
        offset
    }

    /// A normal send to a retry topic by an orderly consumer whose message is exhausted, or by a
    /// concurrent one whose send-back failed. The retry count of what was stored; None when it is
    /// refused.
    pub(super) fn on_send_retry(
        &mut self,
        shared: &mut Shared,
        group: GroupId,
        msg: MsgId,
        (reconsume_times, max, delay_level): (u32, i32, u8),
    ) -> Option<u16> {
        let model = &shared.model;
        let live_ms = model.rebalance_lock_max_live_time_ms;
        let landing = retry_topic_landing(
            model.version,
            RetrySend {
                header_reconsume_times: reconsume_times as i32,
                max_reconsume_times: max,
                delay_level: i32::from(delay_level),
                group_has_live_lock: !self.locks.is_lock_all_expired(group, shared.now_ms, live_ms),
            },
        );
        let retry_topic = shared.group(group).retry_topic;
        let queues = shared.names.topics[retry_topic.index()].write_queues;
        self.land(shared, group, (msg, queues), landing)
    }

    /// A concurrent consumer sends a failed message back, or a proxy one that becomes a dead letter.
    /// What counts is the message as it is stored, whatever its sender made of its copy; where
    /// retention has deleted it, nothing can be stored. The retry count of what was stored; None when
    /// it is refused. Source: `AbstractSendMessageProcessor.consumerSendMsgBack`
    /// (`lookMessageByOffset`, "look message by offset failed").
    pub(super) fn on_send_back(
        &mut self,
        shared: &mut Shared,
        group: GroupId,
        (msg, (queue, offset)): (MsgId, (MessageQueue, i64)),
        (max, delay_level): (i32, i8),
    ) -> Option<u16> {
        let queues = shared.group(group).retry_queue_nums;
        let stored = self.store.at(queue, offset).filter(|record| record.msg == msg);
        let reconsume_times = match stored {
            Some(record) => record.reconsume_times,
            None if queues == 0 => 0,
            None => return None,
        };
        let landing = send_back(SendBack {
            reconsume_times: i32::from(reconsume_times),
            delay_level: i32::from(delay_level),
            max_reconsume_times: max,
            retry_queue_nums: i32::from(queues),
        });
        self.land(shared, group, (msg, queues), landing)
    }

    /// Stores a dead letter of a group, under the topic that its record names.
    pub(super) fn store_dead_letter(
        &mut self,
        shared: &mut Shared,
        group: GroupId,
        record: Record,
    ) {
        let Record { msg, topic, queue: id, .. } = record;
        let queue = MessageQueue { topic, broker: self.id, id };
        let offset = self.store_record(shared, record, StoredKind::DeadLetter) as u32;
        shared.fact(Fact::DeadLettered { group, msg, queue, offset });
    }

    /// Stores a message that came back, in one of so many queues when it is to be tried again. The retry
    /// count of what was stored; None when the broker cannot write.
    fn land(
        &mut self,
        shared: &mut Shared,
        group: GroupId,
        (msg, queues): (MsgId, u16),
        landing: Landing,
    ) -> Option<u16> {
        if landing == Landing::Nowhere {
            shared.fact(Fact::SentNowhere { group, msg });
            return Some(0);
        }
        if self.refuses_writes() {
            return None;
        }
        let of_group = shared.group(group);
        let (retry, dead) = (of_group.retry_topic, of_group.dead_letter_topic);
        let queue_of = |topic| MessageQueue { topic, broker: self.id, id: 0 };
        match landing {
            Landing::Retry { level, reconsume_times } => {
                let last = i64::from(queues) - 1;
                let id = shared.streams.between(Stream::RetryQueue, 0, last) as u16;
                let queue = MessageQueue { id, ..queue_of(retry) };
                let record = self.new_record(shared, msg, queue, reconsume_times as u16);
                let level = level.clamp(0, 255) as u8;
                if level > 0 {
                    self.schedule_level(shared, record, level);
                } else {
                    self.store_record(shared, record, StoredKind::Retry);
                }
                Some(reconsume_times as u16)
            }
            Landing::DeadLetter { level, reconsume_times } => {
                let record = self.new_record(shared, msg, queue_of(dead), reconsume_times as u16);
                match level.clamp(0, 255) as u8 {
                    0 => self.store_dead_letter(shared, group, record),
                    level => self.schedule_level(shared, record, level),
                }
                Some(reconsume_times as u16)
            }
            Landing::Nowhere => None,
        }
    }
}
