//! Notes about decided half messages (`RMQ_SYS_TRANS_OP_HALF_TOPIC`). Up to 5.0.0 each is written when
//! the producer has decided; since then the broker keeps them in memory and writes them in batches
//! (`TransactionalOpBatchService`). What was not written is lost with the process: then, and for a pass
//! that comes before the batch, the half message is not decided about.

use super::transaction::{half_queue, op_queue, Half};
use super::{next_tick, Broker, RECORD_OVERHEAD_BYTES};
use crate::event::{BrokerTimer, Event};
use crate::ids::Ms;
use crate::message::Record;
use crate::model::Version;
use crate::shared::Shared;

/// A note that is not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Note {
    /// Place of the half message.
    offset: i64,
    record: Record,
    /// The half message, unless it was decided about before.
    half: Option<Half>,
}

/// Notes that wait for their batch (`MessageQueueOpContext`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Ops {
    waiting: Vec<Note>,
    /// Length of their offsets in a batch.
    length: i64,
    /// The batch before, or the first note of this process (`lastWriteTimestamp`).
    last_write_ms: Option<Ms>,
    /// Looks are a period apart, counted from here.
    origin_ms: Ms,
    /// The next look that writes.
    at_ms: Option<Ms>,
}

/// What a note adds to the body of its batch: the offset and a separator.
fn length(offset: i64) -> i64 {
    i64::from(offset.checked_ilog10().unwrap_or(0)) + 2
}

impl Broker {
    /// A half message as a pass finds it, whose note is not written: as if nobody had decided.
    pub(super) fn unwritten(&self, offset: i64) -> Option<Half> {
        let note = self.ops.waiting.iter().find(|note| note.offset == offset);
        note.and_then(|note| note.half)
    }

    /// A half message was decided about. Source: `TransactionalMessageServiceImpl.deletePrepareMessage`.
    pub(super) fn note_decision(&mut self, shared: &mut Shared, offset: i64, half: &Record) {
        let note = Record {
            queue: op_queue(self.id).id,
            store_ms: self.wall_ms(shared),
            bytes: RECORD_OVERHEAD_BYTES,
            ..*half
        };
        let open = self.halves.remove(&offset);
        let interval_ms = shared.model.transaction_op_batch_interval_ms;
        if interval_ms == 0 {
            self.store.append(note, offset);
            return;
        }
        self.ops.waiting.push(Note { offset, record: note, half: open });
        self.ops.length += length(offset);
        if self.ops.length > shared.model.transaction_op_msg_max_size {
            // The service is woken up, and looks again a period later.
            self.ops.origin_ms = shared.now_ms;
            return self.write_ops(shared);
        }
        if self.ops.at_ms.is_none() {
            self.schedule_ops(shared);
        }
    }

    /// Schedules the first look that finds the batch before long enough ago.
    fn schedule_ops(&mut self, shared: &mut Shared) {
        let interval_ms = shared.model.transaction_op_batch_interval_ms;
        let since_ms = *self.ops.last_write_ms.get_or_insert(shared.now_ms);
        let origin_ms = self.started_ms.max(self.ops.origin_ms);
        let due_ms = shared.now_ms.max(since_ms + interval_ms);
        let at_ms = next_tick(origin_ms + interval_ms, interval_ms, due_ms);
        self.ops.at_ms = Some(at_ms);
        shared.at(at_ms, Event::Broker(self.id, BrokerTimer::TransactionOps));
    }

    /// The broker's wall clock was set: by it the batch before is longer ago. The looks stay as they are.
    pub(super) fn shift_ops(&mut self, shared: &mut Shared, jump_ms: Ms) {
        self.ops.last_write_ms = self.ops.last_write_ms.map(|at| at - jump_ms);
        if self.ops.at_ms.is_some() {
            self.schedule_ops(shared);
        }
    }

    /// The batch service looks.
    pub(super) fn on_transaction_ops(&mut self, shared: &mut Shared) {
        if self.ops.at_ms == Some(shared.now_ms) {
            self.write_ops(shared);
        }
    }

    /// Writes all notes; a broker that cannot write drops them, and its half messages are open again.
    fn write_ops(&mut self, shared: &mut Shared) {
        (self.ops.at_ms, self.ops.length) = (None, 0);
        self.ops.last_write_ms = Some(shared.now_ms);
        let full = self.refuses_writes();
        let wall_ms = self.wall_ms(shared);
        let (min, _) = self.store.range(half_queue(self.id));
        for (place, note) in std::mem::take(&mut self.ops.waiting).into_iter().enumerate() {
            if full {
                let open = note.half.filter(|_| note.offset >= self.next_check().max(min));
                open.map(|half| self.halves.insert(note.offset, half));
                continue;
            }
            // One message holds the offsets of all.
            let overhead = if place == 0 { RECORD_OVERHEAD_BYTES } else { 0 };
            let bytes = overhead + length(note.offset) as u32;
            self.store.append(Record { store_ms: wall_ms, bytes, ..note.record }, note.offset);
        }
        if full {
            self.schedule_transaction_check(shared);
        }
    }

    /// The broker stops: what waits is lost, except for a batch that is due when a clean stop closes the
    /// service (5.1.4+).
    pub(super) fn stop_ops(&mut self, shared: &mut Shared, clean: bool) {
        let due_ms =
            self.ops.last_write_ms.map(|at| at + shared.model.transaction_op_batch_interval_ms);
        let closes = clean && shared.model.version >= Version(5, 1, 4);
        if closes && due_ms.is_some_and(|due_ms| due_ms <= shared.now_ms) {
            self.write_ops(shared);
        }
        self.ops = Ops::default();
    }
}
