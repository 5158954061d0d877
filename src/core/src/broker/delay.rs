//! The delay-level service (`ScheduleMessageService`); the timer wheel of arbitrary-time messages is
//! beside it, in `wheel.rs`.
//!
//! The real service polls each level every 100 ms. A run that finds its head not due changes
//! nothing, so only those runs are scheduled here that will find a due head; they fall on the same
//! instants.

use std::collections::BTreeMap;

use super::Broker;
use crate::delay::{failed_put_wait_ms, DelayTable, TaskGrid};
use crate::event::{BrokerTimer, Event};
use crate::fact::{Fact, StoredKind};
use crate::ids::{MessageQueue, Ms, RecordId};
use crate::message::Record;
use crate::shared::{Shared, SCHEDULE_TOPIC};

/// State of the delay service.
#[derive(Clone, Debug, Hash)]
pub struct DelayService {
    /// The table that the running broker was started with.
    pub table: DelayTable,
    /// Next offset to look at, by level.
    pub cursors: BTreeMap<u8, i64>,
    /// Next run that will find a due head, by level.
    pub armed: BTreeMap<u8, Ms>,
    /// Cursors as they are on disk.
    pub persisted: BTreeMap<u8, i64>,
    /// Arbitrary-time messages by delivery instant.
    pub wheel: BTreeMap<Ms, Vec<RecordId>>,
    /// What has left the wheel of a broker that is down, and stands on its disk as if it had not.
    pub(super) wheel_again: Vec<(Ms, RecordId)>,
    /// What the wheel's threads are doing, and where it stands.
    pub(super) turning: super::wheel::Turning,
    /// Origin of the polling grid by level; differs from the others only up to 4.9.2.
    pub phases: BTreeMap<u8, Ms>,
}

impl DelayService {
    /// The service of a broker that starts with a table.
    pub fn new(table: DelayTable) -> Self {
        Self {
            table,
            cursors: BTreeMap::new(),
            armed: BTreeMap::new(),
            persisted: BTreeMap::new(),
            wheel: BTreeMap::new(),
            wheel_again: Vec::new(),
            turning: super::wheel::Turning::default(),
            phases: BTreeMap::new(),
        }
    }
}

/// Queue of a delay level on a broker.
pub fn level_queue(broker: &Broker, level: u8) -> MessageQueue {
    MessageQueue { topic: SCHEDULE_TOPIC, broker: broker.id, id: u16::from(level.max(1)) - 1 }
}

impl Broker {
    /// Next offset of a level that its task looks at, never below the queue's minimum.
    fn delay_cursor(&self, level: u8) -> i64 {
        let cursor = self.delay.cursors.get(&level).copied().unwrap_or(0);
        cursor.max(self.store.range(level_queue(self, level)).0)
    }

    /// Instant of the broker's wall clock at which the head of a level is due; None when the level holds nothing.
    pub fn head_due_ms(&self, level: u8) -> Option<Ms> {
        let queue = level_queue(self, level);
        let cursor = self.delay_cursor(level);
        self.store.queue(queue)?.get(cursor).map(|entry| entry.tags_code)
    }

    /// Messages that wait under a level, head first.
    pub fn waiting_under(&self, level: u8) -> impl Iterator<Item = (&Record, Ms)> {
        let queue = level_queue(self, level);
        let cursor = self.delay_cursor(level);
        let top = self.store.range(queue).1;
        (cursor..top).filter_map(move |offset| {
            let entry = self.store.queue(queue)?.get(offset)?;
            Some((self.store.record(entry.record)?, entry.tags_code))
        })
    }

    /// Puts a record aside under a delay level; the level may be above the table's maximum.
    pub(super) fn schedule_level(&mut self, shared: &mut Shared, record: Record, level: u8) {
        let level = self.delay.table.clamp(i32::from(level)).unwrap_or(1).max(1) as u8;
        let due_ms = self.delay.table.deliver_timestamp(i32::from(level), self.wall_ms(shared));
        let waiting = Record {
            topic: SCHEDULE_TOPIC,
            queue: u16::from(level) - 1,
            real: (record.topic, record.queue),
            delay_level: level,
            ..record
        };
        self.store.append(waiting, due_ms);
        let due_ms = due_ms - self.clock_ahead_ms;
        let dead_for = shared.names.dead_letters_of(record.topic);
        shared.fact(Fact::MessageScheduled { msg: record.msg, level, due_ms, dead_for });
        self.arm_level(shared, level);
    }

    /// Schedules the run of a level's task that will find its head due.
    pub(super) fn arm_level(&mut self, shared: &mut Shared, level: u8) {
        let Some(head_due_ms) = self.head_due_ms(level) else { return };
        if self.delay.table.delay_ms(i32::from(level)).is_none() {
            return;
        }
        let (now_ms, wall_ms) = (shared.now_ms, self.wall_ms(shared));
        let due_ms = self.delay.table.corrected_due(head_due_ms, wall_ms, i32::from(level))
            - self.clock_ahead_ms;
        let mut grid = TaskGrid::of(&shared.model, self.started_ms);
        if let Some(phase) = self.delay.phases.get(&level) {
            grid.first_ms = *phase;
        }
        let run_ms = if shared.model.delay_countdown == 1 {
            grid.next_at(now_ms).max(due_ms)
        } else {
            grid.next_at(now_ms.max(due_ms))
        };
        if self.delay.armed.get(&level).is_some_and(|armed| *armed <= run_ms) {
            return;
        }
        self.delay.armed.insert(level, run_ms);
        shared.at(run_ms, Event::Broker(self.id, BrokerTimer::DelayLevel(level)));
    }

    /// A run of a level's task: everything due at the head goes back to its own queue.
    pub(super) fn on_delay_level(&mut self, shared: &mut Shared, level: u8) {
        if self.delay.armed.get(&level) != Some(&shared.now_ms) {
            return;
        }
        self.delay.armed.remove(&level);
        if shared.model.delay_countdown == 1 {
            self.delay.phases.insert(level, shared.now_ms);
        }
        let queue = level_queue(self, level);
        loop {
            let cursor = self.delay_cursor(level);
            let Some(entry) = self.store.queue(queue).and_then(|q| q.get(cursor)).copied() else {
                break;
            };
            let now_ms = self.wall_ms(shared);
            if self.delay.table.corrected_due(entry.tags_code, now_ms, i32::from(level)) > now_ms {
                break;
            }
            if let Some(record) = self.store.record(entry.record).copied() {
                if self.refuses_writes() {
                    return self.put_back_failed(shared, level);
                }
                shared.fact(Fact::MessagePutBack { msg: record.msg, level });
                self.put_back(shared, record);
            }
            self.delay.cursors.insert(level, cursor + 1);
            self.mark_dirty_cursors(shared);
        }
        self.arm_level(shared, level);
    }

    /// The level's head stays where it is. Up to 4.9.2 its task tries again after 10 s; later ones poll
    /// on, and find nothing to do before the disk has room ([`Broker::resume_delays`]).
    fn put_back_failed(&mut self, shared: &mut Shared, level: u8) {
        if shared.model.delay_countdown == 1 {
            let again_ms = shared.now_ms + failed_put_wait_ms(&shared.model);
            self.delay.phases.insert(level, again_ms);
            self.arm_level(shared, level);
        }
    }

    /// The broker can write again: what became due meanwhile is put back by the next run of each
    /// level's task, and by the wheel's next attempt of those that it makes each half of its precision.
    /// Source: `TimerMessageStore.TimerDequeuePutMessageService`.
    pub(crate) fn resume_delays(&mut self, shared: &mut Shared) {
        if !self.up || self.refuses_writes() {
            return;
        }
        for level in 1..=self.delay.table.delays_ms().len().min(255) as u8 {
            self.arm_level(shared, level);
        }
        let Some(slot_ms) = self.delay.wheel.keys().next().copied() else { return };
        let since_ms = self.written_ms(shared) - slot_ms;
        if since_ms >= 0 {
            let period_ms = super::wheel::wheel_pause_ms(shared);
            let wait_ms = (period_ms - since_ms % period_ms) % period_ms;
            shared.after(wait_ms, Event::Broker(self.id, BrokerTimer::Wheel));
        }
    }

    pub(super) fn put_back(&mut self, shared: &mut Shared, record: Record) {
        let (topic, queue) = record.real;
        let back = Record { topic, queue, delay_level: 0, ..record };
        match shared.names.dead_letters_of(topic) {
            Some(group) => self.store_dead_letter(shared, group, back),
            None => drop(self.store_record(shared, back, StoredKind::PutBack)),
        }
    }
}
