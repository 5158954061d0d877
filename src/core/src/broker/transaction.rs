//! Transactions as far as visibility goes (`TransactionalMessageServiceImpl`): half messages, their
//! end, and the checks of those that nobody ended.

use std::collections::BTreeSet;

use super::{next_tick, Broker};
use crate::event::{BrokerTimer, Event, Packet};
use crate::fact::{Decision, Fact, StoredKind};
use crate::ids::{BrokerId, MessageQueue, Ms, MsgId, Party, RecordId};
use crate::message::Record;
use crate::model::Version;
use crate::shared::{Shared, HALF_TOPIC, TRANSACTION_CHECK_MAX_TOPIC};

/// Queue of the half topic that stands for `RMQ_SYS_TRANS_OP_HALF_TOPIC`: an entry for each half
/// message that was decided about, with the half message's offset in place of a tag.
const OP_QUEUE: u16 = 1;
/// Source: `TransactionalMessageServiceImpl.MAX_PROCESS_TIME_LIMIT`.
const MAX_PROCESS_TIME_LIMIT_MS: Ms = 60_000;

/// Source: `TransactionalMessageServiceImpl.SLEEP_WHILE_NO_OP`.
const SLEEP_WHILE_NO_OP_MS: Ms = 1_000;

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

/// Where the passes over half messages are. The offset is written to disk with the consumer offsets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Passes {
    /// The next pass begins with this offset of the half topic.
    pub offset: i64,
    /// That offset as it is on disk.
    pub persisted: i64,
    /// The next pass that will find something to do.
    pub at_ms: Option<Ms>,
    /// Passes are a period apart, counted from here.
    origin_ms: Ms,
    /// A pass that cannot put a message back tries the same one again and again since then.
    stuck_since_ms: Option<Ms>,
    /// Begin of a pass that sleeps before a message, after it has read the last note.
    asleep_since_ms: Option<Ms>,
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
    fn open_half(&self, offset: i64) -> Option<Half> {
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
    fn append_half(&mut self, hidden: Record, born_ms: Ms) -> i64 {
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
        self.passes = Passes { offset: first, persisted: first, ..Passes::default() };
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

    /// Schedules the first pass that will get past the half message where it begins.
    pub(super) fn schedule_transaction_check(&mut self, shared: &mut Shared) {
        if self.passes.stuck_since_ms.is_some() || self.passes.asleep_since_ms.is_some() {
            return;
        }
        let (min, max) = self.store.range(half_queue(self.id));
        let first = self.passes.offset.max(min);
        if first >= max {
            return;
        }
        let model = &shared.model;
        let ready_ms = self.open_half(first).map_or(shared.now_ms, |half| {
            let copied_ms = self.store.record(half.record).map(|record| record.store_ms);
            let copied_ms = copied_ms.map_or(shared.now_ms, |ms| ms + 1 - self.clock_ahead_ms);
            let age_ms = self.wall_ms(shared) - half.born_ms;
            // By a clock that is behind the producer's it need not grow old.
            let waits_ms = if age_ms < 0 { 0 } else { model.transaction_time_out_ms - age_ms };
            copied_ms.max(shared.now_ms + waits_ms)
        });
        let period = model.transaction_check_interval_ms;
        let origin_ms = self.started_ms.max(self.passes.origin_ms);
        let at_ms = next_tick(origin_ms + period, period, ready_ms.max(shared.now_ms + 1));
        self.arm_transaction_check(shared, at_ms);
    }

    fn arm_transaction_check(&mut self, shared: &mut Shared, at_ms: Ms) {
        if self.passes.at_ms.is_none_or(|armed| armed > at_ms) {
            self.passes.at_ms = Some(at_ms);
            shared.at(at_ms, Event::Broker(self.id, BrokerTimer::TransactionCheck));
        }
    }

    /// The broker's wall clock was set: half messages are older, and so is a pass that stands before one.
    pub(super) fn shift_passes(&mut self, shared: &mut Shared, jump_ms: Ms) {
        if let Some(since_ms) = self.passes.asleep_since_ms.as_mut() {
            *since_ms -= jump_ms;
            return;
        }
        self.passes.at_ms = None;
        let Some(since_ms) = self.passes.stuck_since_ms.as_mut() else {
            return self.schedule_transaction_check(shared);
        };
        *since_ms -= jump_ms;
        let period = shared.model.transaction_check_interval_ms;
        let next_ms = *since_ms + MAX_PROCESS_TIME_LIMIT_MS + period;
        self.arm_transaction_check(shared, next_ms.max(shared.now_ms));
        self.resume_transaction_check(shared);
    }

    /// The broker can write again: a pass that stands before a message goes on.
    pub(crate) fn resume_transaction_check(&mut self, shared: &mut Shared) {
        let limit_ms = MAX_PROCESS_TIME_LIMIT_MS;
        let stuck = self.passes.stuck_since_ms.is_some_and(|at| shared.now_ms - at <= limit_ms);
        if self.up && stuck && !self.refuses_writes() {
            self.arm_transaction_check(shared, shared.now_ms);
        }
    }

    /// A pass over unanswered transactions, in the order of the half topic: producers are asked, at
    /// most 15 times for each. The first message that is too young ends it.
    pub(super) fn on_transaction_check(&mut self, shared: &mut Shared) {
        if self.passes.at_ms != Some(shared.now_ms) {
            return;
        }
        self.passes.at_ms = None;
        let limit_ms = MAX_PROCESS_TIME_LIMIT_MS;
        let slept = self.passes.asleep_since_ms.take();
        let goes_on = self.passes.stuck_since_ms.take().or(slept);
        let begin_ms = goes_on.filter(|at| slept.is_some() || shared.now_ms - at <= limit_ms);
        let begin_ms = begin_ms.unwrap_or(shared.now_ms);
        let (min, max) = self.store.range(half_queue(self.id));
        let before = self.passes.offset;
        self.passes.offset = before.max(min);
        let mut notes_ahead =
            slept.is_none() && self.finds_notes(shared, (self.passes.offset, max));
        while self.passes.offset < max {
            let offset = self.passes.offset;
            if let Some(half) = self.open_half(offset) {
                match self.check_half(shared, half, begin_ms, &mut notes_ahead) {
                    Checked::Past => self.halves.remove(&offset),
                    Checked::Later => break,
                    Checked::Asleep(ms) => {
                        self.passes.asleep_since_ms = Some(begin_ms);
                        self.arm_transaction_check(shared, shared.now_ms + ms);
                        break;
                    }
                    Checked::Stuck => {
                        self.passes.stuck_since_ms = Some(begin_ms);
                        break;
                    }
                };
            }
            self.passes.offset += 1;
        }
        if self.passes.offset != before {
            self.mark_offsets_dirty(shared);
        }
        if self.passes.stuck_since_ms.is_some() {
            let next_ms = begin_ms + limit_ms + shared.model.transaction_check_interval_ms;
            return self.arm_transaction_check(shared, next_ms);
        }
        if self.passes.asleep_since_ms.is_some() {
            return;
        }
        if goes_on.is_some() {
            self.passes.origin_ms = shared.now_ms;
        }
        self.schedule_transaction_check(shared);
    }

    /// Whether a pass that begins at a place finds notes to read: about half messages behind the first
    /// open one, or written since the pass before, which has read and gone past the others.
    fn finds_notes(&self, shared: &Shared, (first, max): (i64, i64)) -> bool {
        let open = (first..max).find(|at| self.open_half(*at).is_some()).unwrap_or(max);
        if (open..max).any(|at| self.open_half(at).is_none()) {
            return true;
        }
        let origin_ms = self.started_ms.max(self.passes.origin_ms);
        let before_ms = (shared.now_ms - shared.model.transaction_check_interval_ms).max(origin_ms);
        let began = before_ms > self.started_ms;
        let notes = op_queue(self.id);
        let (least, end) = self.store.range(notes);
        let entries = (least..end).rev().filter_map(|at| self.store.queue(notes)?.get(at).copied());
        let is_new = |record: &Record| !began || record.store_ms - self.clock_ahead_ms > before_ms;
        let new = entries.take_while(|entry| self.store.record(entry.record).is_some_and(is_new));
        new.into_iter().any(|entry| (first..open).contains(&entry.tags_code))
    }

    /// One half message of a pass that began at an instant.
    fn check_half(
        &mut self,
        shared: &mut Shared,
        half: Half,
        begin_ms: Ms,
        notes_ahead: &mut bool,
    ) -> Checked {
        let wall_ms = self.wall_ms(shared);
        let Some(record) = self.store.record(half.record).copied() else { return Checked::Past };
        let msg = half.msg;
        let full = self.refuses_writes();
        if i64::from(half.checks) >= shared.model.transaction_check_max {
            if !full {
                let topic = TRANSACTION_CHECK_MAX_TOPIC;
                self.store.append(Record { topic, store_ms: wall_ms, ..record }, 0);
            }
            shared.fact(Fact::TransactionGivenUp { msg });
            return Checked::Past;
        }
        let fresh = record.store_ms >= begin_ms + self.clock_ahead_ms;
        let (age_ms, limit_ms) = (wall_ms - half.born_ms, shared.model.transaction_time_out_ms);
        if fresh || (0..limit_ms).contains(&age_ms) {
            return Checked::Later;
        }
        // A message that seems to be born later than now is checked at once; another one only when no
        // note is left to be read (5.1.0+: the thread sleeps when it has read the last one).
        let sleeps = shared.model.version >= Version(5, 1, 0);
        let noted = std::mem::take(notes_ahead) && sleeps;
        if age_ms >= 0 && (noted || age_ms == limit_ms) {
            return Checked::Asleep(if sleeps { SLEEP_WHILE_NO_OP_MS } else { 1 });
        }
        if full {
            return Checked::Stuck;
        }
        // The message goes to the end of the half topic before its producer is asked.
        let count = half.checks + 1;
        let copy = Record { store_ms: wall_ms, reconsume_times: count, ..record };
        let offset = self.append_half(copy, half.born_ms);
        let count = count.min(u16::from(u8::MAX)) as u8;
        shared.fact(Fact::TransactionChecked { msg, count });
        let packet = Packet::CheckTransaction { msg, half: offset, count };
        shared.send(self.party(), half.sender, packet);
        Checked::Past
    }
}

/// What a pass does about a half message.
enum Checked {
    /// Its producer was asked, or it was given up.
    Past,
    /// It is too young.
    Later,
    /// The pass sleeps for so long before it looks at the message again, in ms.
    Asleep(Ms),
    /// It cannot be put back.
    Stuck,
}
