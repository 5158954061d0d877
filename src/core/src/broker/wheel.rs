//! The timer wheel of arbitrary-time messages (`TimerMessageStore`).

use super::Broker;
use crate::event::{BrokerTimer, Event};
use crate::fact::Fact;
use crate::ids::{MessageQueue, Ms, RecordId};
use crate::message::Record;
use crate::shared::{Shared, WHEEL_TOPIC};

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
        let at_ms = due_ms - self.clock_ahead_ms;
        shared.fact(Fact::MessageScheduled { msg: record.msg, level: 0, due_ms: at_ms });
        shared.at(at_ms, Event::Broker(self.id, BrokerTimer::Wheel));
    }

    /// Schedules the looks at the wheel anew, one for each slot: the clock was set, or it stood still.
    pub(super) fn arm_wheel(&self, shared: &mut Shared) {
        for slot_ms in self.delay.wheel.keys() {
            let at_ms = *slot_ms - self.clock_ahead_ms;
            shared.at(at_ms, Event::Broker(self.id, BrokerTimer::Wheel));
        }
    }

    /// A slot of the wheel is due, or tried again.
    ///
    /// A broker that cannot write tries each half of its precision: up to 5.3.1 until it can, since then
    /// a few times, and drops the message.
    /// Source: `TimerMessageStore.TimerDequeuePutMessageService`.
    pub(super) fn on_wheel(&mut self, shared: &mut Shared) {
        let wall_ms = self.wall_ms(shared);
        let full = self.refuses_writes();
        let attempts = shared.model.timer_put_attempts;
        let due: Vec<Ms> = self.delay.wheel.range(..=wall_ms).map(|(slot, _)| *slot).collect();
        for slot_ms in due {
            let (tries, again_ms) =
                self.delay.wheel_tries.get(&slot_ms).copied().unwrap_or((0, shared.now_ms));
            if again_ms > shared.now_ms || full && attempts == 0 {
                continue;
            }
            if full && tries + 1 < attempts {
                let again_ms = shared.now_ms + wheel_pause_ms(shared);
                self.delay.wheel_tries.insert(slot_ms, (tries + 1, again_ms));
                shared.at(again_ms, Event::Broker(self.id, BrokerTimer::Wheel));
                continue;
            }
            self.delay.wheel_tries.remove(&slot_ms);
            for id in self.delay.wheel.remove(&slot_ms).unwrap_or_default() {
                self.end_of_timer(shared, id, full);
            }
        }
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
