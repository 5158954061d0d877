//! The timer wheel of arbitrary-time messages (`TimerMessageStore`).

use std::collections::BTreeMap;

use super::Broker;
use crate::event::{BrokerTimer, Event};
use crate::fact::{BrokerStop, Fact};
use crate::ids::{MessageQueue, Ms, RecordId};
use crate::message::Record;
use crate::shared::{Shared, WHEEL_TOPIC};

/// What the wheel's threads are doing, and where it stands; in memory only.
#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Turning {
    /// Messages that threads keep until they could put them, or have tried often enough: attempts so far,
    /// and the instant of the next one.
    keeps: BTreeMap<RecordId, (i64, Ms)>,
    /// Where it was written up to before the clock was set back.
    written_ms: Ms,
    /// What has left the wheel since its place was last written: when, from which slot.
    recent: Vec<(Ms, Ms, RecordId)>,
}

impl Broker {
    /// Puts a record on the timer wheel; it is delivered at the first whole precision step at or
    /// after the wanted instant.
    pub(super) fn schedule_timer(&mut self, shared: &mut Shared, record: Record, wanted_ms: Ms) {
        let precision = shared.model.timer_precision_ms.max(1);
        let due_ms = crate::delay::timer_delivery_ms(wanted_ms, precision);
        let waiting =
            Record { topic: WHEEL_TOPIC, queue: 0, real: (record.topic, record.queue), ..record };
        let (id, _) = self.store.append(waiting, due_ms);
        self.delay.wheel.entry(due_ms).or_default().push(id);
        // What is due before the place up to which the wheel was written is put at once.
        let at_ms = match due_ms <= self.written_ms(shared) {
            true => shared.now_ms,
            false => due_ms - self.clock_ahead_ms,
        };
        shared.fact(Fact::MessageScheduled {
            msg: record.msg,
            level: 0,
            due_ms: at_ms,
            dead_for: None,
        });
        shared.at(at_ms, Event::Broker(self.id, BrokerTimer::Wheel));
    }

    /// Up to where the wheel is written (`currWriteTimeMs`), by the broker's clock: its present instant,
    /// or a later one that it has shown before. It never goes back.
    pub(super) fn written_ms(&self, shared: &Shared) -> Ms {
        self.wall_ms(shared).max(self.delay.turning.written_ms)
    }

    /// The clock will be set: the wheel stays where it is.
    pub(super) fn keep_wheel_position(&mut self, shared: &Shared) {
        if self.up {
            let precision_ms = shared.model.timer_precision_ms.max(1);
            let shown_ms = self.wall_ms(shared).div_euclid(precision_ms) * precision_ms;
            self.delay.turning.written_ms = self.delay.turning.written_ms.max(shown_ms);
        }
    }

    /// Schedules the looks at the wheel anew, one for each slot: the clock was set, or it stood still.
    pub(super) fn arm_wheel(&self, shared: &mut Shared) {
        let written_ms = self.written_ms(shared);
        for slot_ms in self.delay.wheel.keys() {
            let at_ms = if *slot_ms <= written_ms { 0 } else { *slot_ms - self.clock_ahead_ms };
            shared.at(at_ms.max(shared.now_ms), Event::Broker(self.id, BrokerTimer::Wheel));
        }
    }

    /// A slot of the wheel is due, or threads try again. The next slot waits for the last message of the
    /// one before (`checkDequeueLatch`).
    ///
    /// A broker that cannot write tries each half of its precision: up to 5.3.1 until it can, since then
    /// a few times, and drops the message.
    /// Source: `TimerMessageStore.dequeue`, `TimerDequeuePutMessageService`.
    pub(super) fn on_wheel(&mut self, shared: &mut Shared) {
        let written_ms = self.written_ms(shared);
        if self.refuses_writes() && shared.model.timer_put_attempts == 0 {
            return;
        }
        while let Some(slot_ms) = self.delay.wheel.keys().next().copied() {
            if slot_ms > written_ms || !self.put_slot(shared, slot_ms) {
                return;
            }
        }
    }

    /// Puts what it can of a slot; false while threads keep messages of it.
    fn put_slot(&mut self, shared: &mut Shared, slot_ms: Ms) -> bool {
        let now_ms = shared.now_ms;
        let threads = shared.model.timer_put_thread_num.max(1) as usize;
        for id in self.delay.wheel.get(&slot_ms).cloned().unwrap_or_default() {
            let keeps = self.delay.turning.keeps.get(&id).copied();
            let busy = self.delay.turning.keeps.len() >= threads;
            if keeps.map_or(busy, |(_, again_ms)| again_ms > now_ms) {
                continue;
            }
            let tries = keeps.map_or(0, |(tries, _)| tries) + 1;
            let full = self.refuses_writes();
            if full && tries < shared.model.timer_put_attempts {
                let again_ms = now_ms + wheel_pause_ms(shared);
                self.delay.turning.keeps.insert(id, (tries, again_ms));
                shared.at(again_ms, Event::Broker(self.id, BrokerTimer::Wheel));
                continue;
            }
            self.delay.turning.keeps.remove(&id);
            if let Some(ids) = self.delay.wheel.get_mut(&slot_ms) {
                ids.retain(|other| *other != id);
            }
            self.note_put(shared, (now_ms, slot_ms, id));
            self.end_of_timer(shared, id, full);
        }
        let over = self.delay.wheel.get(&slot_ms).is_none_or(Vec::is_empty);
        if over {
            self.delay.wheel.remove(&slot_ms);
        }
        over
    }

    /// Keeps what has left the wheel since its place was last written to the disk.
    fn note_put(&mut self, shared: &Shared, put: (Ms, Ms, RecordId)) {
        let flushed_ms = self.wheel_flushed_ms(shared);
        let recent = &mut self.delay.turning.recent;
        recent.retain(|(at_ms, ..)| *at_ms >= flushed_ms);
        recent.push(put);
    }

    /// When the place of the wheel was last written to the disk (`TimerFlushService`).
    fn wheel_flushed_ms(&self, shared: &Shared) -> Ms {
        let period_ms = shared.model.timer_flush_interval_ms.max(1);
        let since_ms = (shared.now_ms - self.started_ms).max(0);
        self.started_ms + since_ms / period_ms * period_ms
    }

    /// The broker stops. Unless it stops cleanly, what has left the wheel since its place was last written
    /// is found on it by the next start, and put again.
    pub(super) fn stop_wheel(&mut self, shared: &Shared, how: BrokerStop) {
        let flushed_ms = self.wheel_flushed_ms(shared);
        let Turning { recent, .. } = std::mem::take(&mut self.delay.turning);
        if how == BrokerStop::Clean {
            return;
        }
        let again = recent.into_iter().filter(|(at_ms, ..)| *at_ms >= flushed_ms);
        self.delay.wheel_again = again.map(|(_, slot_ms, id)| (slot_ms, id)).collect();
    }

    /// The broker starts: it reads its wheel.
    pub(super) fn start_wheel(&mut self, shared: &mut Shared) {
        for (slot_ms, id) in std::mem::take(&mut self.delay.wheel_again) {
            self.delay.wheel.entry(slot_ms).or_default().push(id);
        }
        self.arm_wheel(shared);
    }

    /// A message leaves the wheel: into its queue, or, when it was tried often enough, for good.
    fn end_of_timer(&mut self, shared: &mut Shared, id: RecordId, gives_up: bool) {
        let Some(record) = self.store.record(id).copied() else { return };
        let msg = record.msg;
        if gives_up {
            let (topic, queue) = record.real;
            let queue = MessageQueue { topic, broker: self.id, id: queue };
            shared.fact(Fact::WheelGaveUp { msg, queue });
        } else {
            shared.fact(Fact::MessagePutBack { msg, level: 0 });
            self.put_back(shared, record);
        }
    }
}

/// Pause between two attempts to put a message.
pub(super) fn wheel_pause_ms(shared: &Shared) -> Ms {
    (shared.model.timer_precision_ms / 2).max(1)
}
