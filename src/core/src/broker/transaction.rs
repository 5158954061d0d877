//! Transactions as far as visibility goes (`TransactionalMessageServiceImpl`): half messages, their
//! end, and the checks of those that nobody ended.

use super::{next_tick, Broker};
use crate::event::{BrokerTimer, Event, Packet};
use crate::fact::{Decision, Fact, StoredKind};
use crate::ids::{MessageQueue, Ms, MsgId, Party, RecordId};
use crate::message::Record;
use crate::shared::{Shared, HALF_TOPIC, TRANSACTION_CHECK_MAX_TOPIC};

/// A half message that waits for its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Half {
    /// Its last copy in the half topic.
    pub record: RecordId,
    /// Where it becomes visible.
    pub queue: MessageQueue,
    /// When it was stored, by the broker's wall clock.
    pub stored_ms: Ms,
    /// Checks so far.
    pub checks: u8,
    /// Who sent it: its producer, or the proxy that the producer speaks to. Checks go there.
    pub sender: Party,
}

impl Broker {
    /// Stores a half message: nobody can read it.
    pub(super) fn prepare(&mut self, shared: &mut Shared, sender: Party, record: Record) -> i64 {
        let queue = MessageQueue { topic: record.topic, broker: self.id, id: record.queue };
        let hidden =
            Record { topic: HALF_TOPIC, queue: 0, real: (record.topic, record.queue), ..record };
        let (id, offset) = self.store.append(hidden, 0);
        let half = Half { record: id, queue, stored_ms: record.store_ms, checks: 0, sender };
        self.halves.insert(record.msg, half);
        shared.fact(Fact::TransactionPrepared { msg: record.msg, queue });
        self.schedule_transaction_check(shared);
        offset
    }

    /// The producer ends a transaction. A commit appends to the real queue, so the order in the
    /// queue is the order of the commits.
    ///
    /// The half message is looked up by its place alone, and nobody asks whether it was decided about
    /// before: a second commit stores the message again, and one that follows a rollback stores it all
    /// the same. What is decided about an older copy leaves the newest one to be checked.
    /// Source: `EndTransactionProcessor`, `TransactionalMessageServiceImpl.getHalfMessageByOffset`.
    pub(super) fn on_end_transaction(
        &mut self,
        shared: &mut Shared,
        (msg, offset): (MsgId, i64),
        decision: Decision,
    ) {
        let place = MessageQueue { topic: HALF_TOPIC, broker: self.id, id: 0 };
        let half = self.store.at(place, offset).copied().filter(|half| half.msg == msg);
        let Some(half) = half else { return };
        shared.fact(Fact::TransactionEnded { msg, decision });
        if decision == Decision::Unknown {
            return;
        }
        let newest = self.halves.get(&msg).and_then(|half| self.store.record(half.record));
        if newest.is_some_and(|newest| newest.offset == offset) {
            self.halves.remove(&msg);
        }
        if decision == Decision::Commit {
            let (topic, queue) = half.real;
            self.store_record(shared, Record { topic, queue, ..half }, StoredKind::Committed);
        }
    }

    /// Schedules the first pass that will find a half message old enough.
    pub(super) fn schedule_transaction_check(&mut self, shared: &mut Shared) {
        let Some(oldest_ms) = self.halves.values().map(|half| half.stored_ms).min() else { return };
        let model = &shared.model;
        let period = model.transaction_check_interval_ms;
        let old_ms = oldest_ms - self.clock_ahead_ms + model.transaction_time_out_ms;
        let not_before_ms = old_ms.max(shared.now_ms + 1);
        let at_ms = next_tick(self.started_ms + period, period, not_before_ms);
        if self.check_at_ms.is_none_or(|armed| armed > at_ms) {
            self.check_at_ms = Some(at_ms);
            shared.at(at_ms, Event::Broker(self.id, BrokerTimer::TransactionCheck));
        }
    }

    /// A pass over unanswered transactions: producers are asked, at most 15 times for each.
    pub(super) fn on_transaction_check(&mut self, shared: &mut Shared) {
        if self.check_at_ms != Some(shared.now_ms) {
            return;
        }
        self.check_at_ms = None;
        let wall_ms = self.wall_ms(shared);
        let limit_ms = shared.model.transaction_time_out_ms;
        let old: Vec<(MsgId, Half)> = self
            .halves
            .iter()
            .filter(|(_, half)| wall_ms - half.stored_ms >= limit_ms)
            .map(|(msg, half)| (*msg, *half))
            .collect();
        for (msg, half) in old {
            let Some(record) = self.store.record(half.record).copied() else {
                self.halves.remove(&msg);
                continue;
            };
            let record = Record { store_ms: wall_ms, ..record };
            if i64::from(half.checks) >= shared.model.transaction_check_max {
                self.halves.remove(&msg);
                let aside = Record { topic: TRANSACTION_CHECK_MAX_TOPIC, ..record };
                self.store.append(aside, 0);
                shared.fact(Fact::TransactionGivenUp { msg });
                continue;
            }
            // The message goes to the end of the half topic before its producer is asked.
            let (id, half_offset) = self.store.append(record, 0);
            let count = half.checks + 1;
            self.halves.insert(msg, Half { record: id, checks: count, ..half });
            shared.fact(Fact::TransactionChecked { msg, count });
            let packet = Packet::CheckTransaction { msg, half: half_offset, count };
            shared.send(self.party(), half.sender, packet);
        }
        self.schedule_transaction_check(shared);
    }
}
