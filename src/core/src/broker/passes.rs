//! The passes over half messages that nobody ended (`TransactionalMessageServiceImpl.check`): when there
//! is one, where it stands, and what it does about each message.

use super::transaction::{half_queue, op_queue, Half};
use super::{next_tick, Broker};
use crate::event::{BrokerTimer, Event, Packet};
use crate::fact::Fact;
use crate::ids::Ms;
use crate::message::Record;
use crate::model::Version;
use crate::shared::{Shared, TRANSACTION_CHECK_MAX_TOPIC};

/// Source: `TransactionalMessageServiceImpl.MAX_PROCESS_TIME_LIMIT`.
const MAX_PROCESS_TIME_LIMIT_MS: Ms = 60_000;

/// Source: `TransactionalMessageServiceImpl.SLEEP_WHILE_NO_OP`.
const SLEEP_WHILE_NO_OP_MS: Ms = 1_000;

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

impl Passes {
    /// The next pass begins with an offset that is on disk.
    pub(super) fn from(offset: i64) -> Self {
        Self { offset, persisted: offset, ..Self::default() }
    }
}

impl Broker {
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
