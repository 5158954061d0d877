//! Transactions as far as visibility goes (`TransactionalMessageServiceImpl`): half messages, their
//! end, and the checks of those that nobody ended.

use std::collections::BTreeSet;

use super::passes::Passes;
use super::Broker;
use crate::fact::{Decision, Fact, StoredKind};
use crate::ids::{BrokerId, MessageQueue, Ms, MsgId, Party, RecordId};
use crate::message::Record;
use crate::shared::{Shared, HALF_TOPIC};

/// Queue of the half topic that stands for `RMQ_SYS_TRANS_OP_HALF_TOPIC`: an entry for each half
/// message that was decided about, with the half message's offset in place of a tag.
const OP_QUEUE: u16 = 1;

/// A half message that waits for its end, found by its offset in the half topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Half {
    /// The message.
    pub msg: MsgId,
    /// Its copy in the half topic.
    pub record: RecordId,
    /// Where it becomes visible.
    pub queue: MessageQueue,
    /// When its producer sent it, by the producer's clock, which is the run's (`BornTimestamp`).
    pub born_ms: Ms,
    /// Checks so far.
    pub checks: u16,
    /// Who sent it: its producer, or the proxy that the producer speaks to. Checks go there.
    pub sender: Party,
}

pub(super) fn half_queue(broker: BrokerId) -> MessageQueue {
    MessageQueue { topic: HALF_TOPIC, broker, id: 0 }
}

pub(super) fn op_queue(broker: BrokerId) -> MessageQueue {
    MessageQueue { id: OP_QUEUE, ..half_queue(broker) }
}

/// Whether a record is a note of the broker and no copy of a message.
pub(super) fn is_op(record: &Record) -> bool {
    record.topic == HALF_TOPIC && record.queue == OP_QUEUE
}

impl Broker {
    /// The newest copy of a message whose transaction is not decided.
    pub fn half_of(&self, msg: MsgId) -> Option<&Half> {
        self.halves.values().rev().find(|half| half.msg == msg)
    }

    /// The half message at a place, when a pass finds nothing written about it.
    pub(super) fn open_half(&self, offset: i64) -> Option<Half> {
        self.halves.get(&offset).copied().or_else(|| self.unwritten(offset))
    }

    /// Where the next pass begins.
    pub(super) fn next_check(&self) -> i64 {
        self.passes.offset
    }

    /// Stores a half message: nobody can read it.
    pub(super) fn prepare(&mut self, shared: &mut Shared, sender: Party, record: Record) -> i64 {
        let queue = MessageQueue { topic: record.topic, broker: self.id, id: record.queue };
        let hidden =
            Record { topic: HALF_TOPIC, queue: 0, real: (record.topic, record.queue), ..record };
        self.half_senders.insert(record.msg, sender);
        let offset = self.append_half(hidden, shared.now_ms);
        shared.fact(Fact::TransactionPrepared { msg: record.msg, queue });
        self.schedule_transaction_check(shared);
        offset
    }

    /// Appends a copy to the half topic. Its count of checks stands in the place of the retry count,
    /// and the time when it was born in the place of the tag.
    pub(super) fn append_half(&mut self, hidden: Record, born_ms: Ms) -> i64 {
        let (id, offset) = self.store.append(hidden, born_ms);
        let half = self.half(id, &hidden, born_ms);
        self.halves.insert(offset, half);
        offset
    }

    fn half(&self, id: RecordId, record: &Record, born_ms: Ms) -> Half {
        let (topic, queue) = record.real;
        let queue = MessageQueue { topic, broker: self.id, id: queue };
        let (msg, checks) = (record.msg, record.reconsume_times);
        let sender = self.half_senders.get(&msg).copied().unwrap_or(Party::Broker(self.id));
        Half { msg, record: id, queue, born_ms, checks, sender }
    }

    /// Reads again which half messages are open, as a broker does that has only its files: those from
    /// the recorded offset on without an op message. A decision that was not on disk is forgotten, and
    /// so is a check.
    /// Source: `TransactionalMessageServiceImpl.check`.
    pub(super) fn recover_halves(&mut self) {
        let (halves, ops) = (half_queue(self.id), op_queue(self.id));
        let store = &self.store;
        let entries = |queue| {
            let (min, max) = store.range(queue);
            (min..max).filter_map(move |at| Some((at, *store.queue(queue)?.get(at)?)))
        };
        let decided: BTreeSet<i64> = entries(ops).map(|(_, entry)| entry.tags_code).collect();
        let (min, max) = self.store.range(halves);
        let first = self.passes.persisted.clamp(min, max);
        let open = entries(halves).filter(|(at, _)| *at >= first && !decided.contains(at));
        let found = open.filter_map(|(at, entry)| {
            let record = self.store.record(entry.record)?;
            Some((at, self.half(entry.record, record, entry.tags_code)))
        });
        self.halves = found.collect();
        self.passes = Passes::from(first);
    }

    /// Half messages that retention deleted are not checked any more: a pass begins behind them.
    pub(super) fn forget_deleted_halves(&mut self) {
        let (min, _) = self.store.range(half_queue(self.id));
        self.halves = self.halves.split_off(&min);
    }

    /// The producer ends a transaction. A commit appends to the real queue, so the order in the
    /// queue is the order of the commits.
    ///
    /// The half message is looked up by its place alone, and nobody asks whether it was decided about
    /// before: a second commit stores the message again, and one that follows a rollback stores it all
    /// the same. What is decided about an older copy leaves the newest one to be checked. A broker that
    /// cannot write keeps the half message; a rollback is only noted in memory (5.1.0+).
    /// Source: `EndTransactionProcessor`, `TransactionalMessageServiceImpl.getHalfMessageByOffset`.
    pub(super) fn on_end_transaction(
        &mut self,
        shared: &mut Shared,
        (msg, offset): (MsgId, i64),
        decision: Decision,
    ) {
        let half = self.store.at(half_queue(self.id), offset).copied().filter(|h| h.msg == msg);
        let Some(half) = half else { return };
        shared.fact(Fact::TransactionEnded { msg, decision });
        let batches = shared.model.transaction_op_batch_interval_ms > 0;
        let writes = decision == Decision::Commit || !batches;
        if decision == Decision::Unknown || writes && self.refuses_writes() {
            return;
        }
        if decision == Decision::Commit {
            let (topic, queue) = half.real;
            let record = Record { topic, queue, reconsume_times: 0, ..half };
            self.store_record(shared, record, StoredKind::Committed);
        }
        self.note_decision(shared, offset, &half);
        self.schedule_transaction_check(shared);
    }
}
