//! Arbitrary-time messages (5.x): `TIMER_*` properties, the wheel's slots, the proxy's limit.

use crate::ids::Ms;
use crate::model::{Model, Version};

/// Remoting code of a message that the broker refuses as illegal, too far ahead among them.
pub const MESSAGE_ILLEGAL: i32 = 13;
/// gRPC code of a delivery time that the proxy refuses.
pub const ILLEGAL_DELIVERY_TIME: i32 = 40012;

/// What the properties of a message say about its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Timing {
    /// Stored in its own queue at once.
    Immediate,
    /// Stored under a delay level, still as given (see [`super::DelayTable::clamp`]). `TIMER_*`
    /// properties of the message are dropped.
    Level(i32),
    /// Stored in the timer wheel.
    Wheel {
        /// The instant asked for.
        deliver_ms: Ms,
        /// The wheel's slot.
        slot_ms: Ms,
    },
    /// Refused: too far ahead, or not a number (WHEEL_TIMER_MSG_ILLEGAL, code
    /// [`MESSAGE_ILLEGAL`]).
    Illegal,
}

impl Timing {
    /// Reads the properties of a message that is put at `now_ms`. A delay level above 0 wins over
    /// every `TIMER_*` property; among those seconds come first, then milliseconds, then the
    /// delivery time. Source: `HookUtils.checkIfTimerMessage`, `HookUtils.transformTimerMessage`.
    pub fn of<'a>(model: &Model, now_ms: Ms, property: impl Fn(&str) -> Option<&'a str>) -> Self {
        let level = property("DELAY").and_then(|text| text.parse().ok()).unwrap_or(0);
        if level > 0 {
            return Self::Level(level);
        }
        if !has_timers(model) {
            return Self::Immediate;
        }
        let asked = if let Some(seconds) = property("TIMER_DELAY_SEC") {
            seconds
                .parse()
                .ok()
                .map(|seconds: Ms| now_ms.saturating_add(seconds.saturating_mul(1_000)))
        } else if let Some(span) = property("TIMER_DELAY_MS") {
            span.parse().ok().map(|span: Ms| now_ms.saturating_add(span))
        } else if let Some(instant) = property("TIMER_DELIVER_MS") {
            instant.parse().ok()
        } else {
            return Self::Immediate;
        };
        asked.map_or(Self::Illegal, |deliver_ms| Self::at(model, now_ms, deliver_ms))
    }

    /// The timing of a message without delay level whose delivery time is `deliver_ms`.
    pub fn at(model: &Model, now_ms: Ms, deliver_ms: Ms) -> Self {
        if !has_timers(model) || deliver_ms <= now_ms {
            Self::Immediate
        } else if deliver_ms - now_ms > model.timer_max_delay_ms {
            Self::Illegal
        } else {
            Self::Wheel { deliver_ms, slot_ms: timer_slot_ms(deliver_ms, model.timer_precision_ms) }
        }
    }
}

/// Whether the broker knows `TIMER_*` properties. 4.x has no timer store (`CommitLog.asyncPutMessage`
/// reads the delay level only): such a message is stored at once, like any other.
fn has_timers(model: &Model) -> bool {
    model.version >= Version(5, 0, 0)
}

/// The slot of a delivery time: rounded down to the precision, and one slot earlier when the time is
/// a multiple of it. Source: `HookUtils.transformTimerMessage`.
pub fn timer_slot_ms(deliver_ms: Ms, precision_ms: Ms) -> Ms {
    let precision = precision_ms.max(1);
    if deliver_ms % precision == 0 {
        deliver_ms - precision
    } else {
        deliver_ms / precision * precision
    }
}

/// The first instant at which the wheel may hand over a message: the first multiple of the precision
/// at or after its delivery time. A slot fires when the rounded-down clock is past it.
/// Source: `TimerMessageStore.dequeue`.
pub fn timer_delivery_ms(deliver_ms: Ms, precision_ms: Ms) -> Ms {
    timer_slot_ms(deliver_ms, precision_ms) + precision_ms.max(1)
}

/// Whether the proxy lets a delivery time through; if not it answers [`ILLEGAL_DELIVERY_TIME`].
/// `max_delay_ms` is its `maxDelayTimeMills`. Source: proxy `SendMessageActivity.validateDelayTime`.
pub fn proxy_accepts_delivery_time(now_ms: Ms, deliver_ms: Ms, max_delay_ms: Ms) -> bool {
    deliver_ms.saturating_sub(now_ms) <= max_delay_ms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Version;

    fn timing(now_ms: Ms, properties: &[(&str, &str)]) -> Timing {
        let model = Model::of(Version(5, 3, 3));
        Timing::of(&model, now_ms, |name| {
            properties.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
        })
    }

    #[test]
    fn a_slot_fires_at_the_first_whole_second() {
        assert_eq!((timer_slot_ms(5_300, 1_000), timer_delivery_ms(5_300, 1_000)), (5_000, 6_000));
        assert_eq!((timer_slot_ms(5_000, 1_000), timer_delivery_ms(5_000, 1_000)), (4_000, 5_000));
    }

    #[test]
    fn the_level_wins_then_seconds_then_milliseconds() {
        let all =
            [("TIMER_DELIVER_MS", "99999"), ("TIMER_DELAY_MS", "2500"), ("TIMER_DELAY_SEC", "7")];
        assert_eq!(timing(0, &all), Timing::Wheel { deliver_ms: 7_000, slot_ms: 6_000 });
        assert_eq!(timing(0, &all[..2]), Timing::Wheel { deliver_ms: 2_500, slot_ms: 2_000 });
        assert_eq!(timing(0, &all[..1]), Timing::Wheel { deliver_ms: 99_999, slot_ms: 99_000 });
        assert_eq!(timing(0, &[("DELAY", "2"), ("TIMER_DELAY_SEC", "7")]), Timing::Level(2));
        assert_eq!(timing(0, &[("DELAY", "0"), ("TIMER_DELAY_SEC", "7")]), timing(0, &all));
    }

    #[test]
    fn past_is_immediate_and_far_is_illegal() {
        assert_eq!(timing(100, &[("TIMER_DELIVER_MS", "100")]), Timing::Immediate);
        assert_eq!(
            timing(0, &[("TIMER_DELAY_SEC", "259200")]),
            timing(0, &[("TIMER_DELIVER_MS", "259200000")])
        );
        assert_eq!(timing(0, &[("TIMER_DELAY_SEC", "259201")]), Timing::Illegal);
        assert_eq!(timing(0, &[("TIMER_DELAY_SEC", "soon")]), Timing::Illegal);
        assert_eq!(timing(0, &[]), Timing::Immediate);
    }

    #[test]
    fn a_4_x_broker_knows_levels_only() {
        let model = Model::of(Version(4, 9, 8));
        let timing = |key: &'static str, value: &'static str| {
            Timing::of(&model, 0, move |name| (name == key).then_some(value))
        };
        assert_eq!(timing("TIMER_DELAY_MS", "5000"), Timing::Immediate);
        assert_eq!(timing("TIMER_DELAY_SEC", "259201"), Timing::Immediate);
        assert_eq!(timing("DELAY", "3"), Timing::Level(3));
        assert_eq!(Timing::at(&model, 0, 5_000), Timing::Immediate);
    }

    #[test]
    fn the_proxy_looks_one_day_ahead() {
        assert!(proxy_accepts_delivery_time(0, 86_400_000, 86_400_000));
        assert!(!proxy_accepts_delivery_time(0, 86_400_001, 86_400_000));
    }
}
