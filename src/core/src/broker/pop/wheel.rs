//! The lock-free timer (`ConsumerOrderInfoLockManager`): tells waiting receives when a queue may be
//! free again. One timer for each queue of a group, on a wheel with a tick of 100 ms.

use std::collections::BTreeMap;

use super::order_info::RecordKey;
use crate::ids::Ms;

/// The wheel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LockFreeWheel {
    /// Origin of the ticks: the instant of the first timer after the broker's start.
    pub origin_ms: Option<Ms>,
    armed: BTreeMap<RecordKey, Ms>,
}

impl LockFreeWheel {
    /// Arms the timer of a queue in place of its former one and returns when it will fire: at the
    /// first tick strictly after `wanted_ms`.
    pub fn arm(&mut self, key: RecordKey, wanted_ms: Ms, now_ms: Ms, tick_ms: Ms) -> Ms {
        let origin_ms = *self.origin_ms.get_or_insert(now_ms);
        let tick_ms = tick_ms.max(1);
        let wanted_ms = wanted_ms.max(now_ms);
        let fire_ms = origin_ms + ((wanted_ms - origin_ms).div_euclid(tick_ms) + 1) * tick_ms;
        self.armed.insert(key, fire_ms);
        fire_ms
    }

    /// True when the timer that fires now is the one that is armed; it is armed no longer then.
    pub fn fire(&mut self, key: RecordKey, now_ms: Ms) -> bool {
        let fires = self.armed.get(&key) == Some(&now_ms);
        if fires {
            self.armed.remove(&key);
        }
        fires
    }

    /// When the timer of a queue fires.
    pub fn armed_ms(&self, key: RecordKey) -> Option<Ms> {
        self.armed.get(&key).copied()
    }

    /// The broker's memory is gone.
    pub fn clear(&mut self) {
        self.origin_ms = None;
        self.armed.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{BrokerId, GroupId, MessageQueue, TopicId};

    fn key() -> RecordKey {
        (GroupId(0), MessageQueue { topic: TopicId(2), broker: BrokerId(0), id: 0 })
    }

    #[test]
    fn a_timer_fires_at_the_first_tick_strictly_after() {
        let at = |origin_ms, wanted_ms| {
            let mut wheel =
                LockFreeWheel { origin_ms: Some(origin_ms), ..LockFreeWheel::default() };
            wheel.arm(key(), wanted_ms, wanted_ms, 100)
        };
        assert_eq!((at(0, 1_234), at(0, 1_300), at(1_000, 31_000)), (1_300, 1_400, 31_100));
    }

    #[test]
    fn a_new_timer_replaces_the_old_one() {
        let mut wheel = LockFreeWheel::default();
        assert_eq!(wheel.arm(key(), 3_000, 1_000, 100), 3_100);
        assert_eq!(wheel.arm(key(), 1_000, 1_050, 100), 1_100);
        assert!(!wheel.fire(key(), 3_100) && wheel.fire(key(), 1_100) && !wheel.fire(key(), 1_100));
    }
}
