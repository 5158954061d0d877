//! Delay levels and arbitrary-time messages: the level table, the instants at which a level's task
//! looks at its head, and what the properties of a message ask for. Pure functions; the broker in
//! [`crate::broker`] runs them.

mod timer;

pub use timer::{
    proxy_accepts_delivery_time, timer_delivery_ms, timer_slot_ms, Timing, ILLEGAL_DELIVERY_TIME,
    MESSAGE_ILLEGAL,
};

use crate::ids::Ms;
use crate::model::Model;

/// `messageDelayLevel` as shipped: 18 levels. Source: `MessageStoreConfig`.
pub const DEFAULT_DELAY_LEVELS: &str = "1s 5s 10s 30s 1m 2m 3m 4m 5m 6m 7m 8m 9m 10m 20m 30m 1h 2h";

/// Delay of a level that the table does not have, in ms.
/// Source: `ScheduleMessageService.computeDeliverTimestamp`.
const UNKNOWN_LEVEL_DELAY_MS: Ms = 1_000;

/// The delays of the levels, numbered from 1. Source: `ScheduleMessageService.parseDelayLevel`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DelayTable {
    delays_ms: Vec<Ms>,
    max_level: i32,
}

/// A level string that a broker cannot start with (HEAD ends with exit code -3; 4.9.8 fails to load
/// its store).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DelayTableError {
    /// The token that could not be read; empty for two blanks in a row.
    pub token: String,
    /// The table as far as it was read. Its highest level already counts the failing token, unless
    /// that is empty.
    pub parsed: DelayTable,
}

impl Default for DelayTable {
    /// The 18 levels of [`DEFAULT_DELAY_LEVELS`].
    fn default() -> Self {
        match Self::parse(DEFAULT_DELAY_LEVELS) {
            Ok(table) => table,
            Err(error) => error.parsed,
        }
    }
}

impl DelayTable {
    /// Reads a level string: tokens between single blanks, each a signed whole number and one of
    /// `s`, `m`, `h`, `d`. Blanks at the end are ignored, as Java's `split` does. A negative number
    /// is accepted and means "due at once".
    ///
    /// # Errors
    /// The first token that cannot be read: unknown or missing unit, fraction, upper case, empty.
    pub fn parse(config: &str) -> Result<Self, DelayTableError> {
        let mut table = Self { delays_ms: Vec::new(), max_level: 0 };
        // Java drops empty strings at the end, but an empty input stays one empty token.
        let kept = if config.is_empty() { config } else { config.trim_end_matches(' ') };
        if kept.is_empty() && !config.is_empty() {
            return Ok(table);
        }
        for token in kept.split(' ') {
            if !token.is_empty() {
                table.max_level += 1;
            }
            match delay_of(token) {
                Some(delay_ms) => table.delays_ms.push(delay_ms),
                None => return Err(DelayTableError { token: token.to_owned(), parsed: table }),
            }
        }
        Ok(table)
    }

    /// The highest level.
    pub fn max_level(&self) -> i32 {
        self.max_level
    }

    /// The levels that have a delay, from 1 on, in ms.
    pub fn delays_ms(&self) -> &[Ms] {
        &self.delays_ms
    }

    /// The delay of a level in ms; `None` when the table has no such level.
    pub fn delay_ms(&self, level: i32) -> Option<Ms> {
        usize::try_from(level)
            .ok()?
            .checked_sub(1)
            .and_then(|index| self.delays_ms.get(index))
            .copied()
    }

    /// The level that a message with this level is stored under: `None` for an ordinary message
    /// (level 0 or less), the highest level for anything above it.
    /// Source: `HookUtils.handleScheduleMessage`.
    pub fn clamp(&self, level: i32) -> Option<i32> {
        (level > 0).then(|| level.min(self.max_level))
    }

    /// When a message stored at `store_ms` is due. A level that the table does not have counts 1 s.
    /// Source: `ScheduleMessageService.computeDeliverTimestamp`.
    pub fn deliver_timestamp(&self, level: i32, store_ms: Ms) -> Ms {
        self.delay_ms(level).unwrap_or(UNKNOWN_LEVEL_DELAY_MS).saturating_add(store_ms)
    }

    /// The due time that counts at `now_ms`: the recorded one, unless it lies further ahead than the
    /// level's delay (the clock moved back, or the table was shortened): then it is now.
    /// Source: `ScheduleMessageService.correctDeliverTimestamp`.
    pub fn corrected_due(&self, due_ms: Ms, now_ms: Ms, level: i32) -> Ms {
        if due_ms > self.deliver_timestamp(level, now_ms) {
            now_ms
        } else {
            due_ms
        }
    }

    /// What the proxy makes of an interval when it is told to use delay levels: the first level that
    /// is strictly longer, else the last. Source: proxy `ProxyConfig.computeDelayLevel`.
    pub fn compute_delay_level(&self, interval_ms: Ms) -> i32 {
        (1..)
            .zip(&self.delays_ms)
            .find(|(_, &delay)| delay > interval_ms)
            .map_or(self.max_level, |(level, _)| level)
    }
}

/// One token in ms. The product wraps, as Java's does.
fn delay_of(token: &str) -> Option<Ms> {
    let unit = token.chars().next_back()?;
    let unit_ms: Ms = match unit {
        's' => 1_000,
        'm' => 60_000,
        'h' => 3_600_000,
        'd' => 86_400_000,
        _ => return None,
    };
    token.strip_suffix(unit)?.parse::<i64>().ok().map(|number| number.wrapping_mul(unit_ms))
}

/// The queue of `SCHEDULE_TOPIC_XXXX` that holds a level.
pub fn level_to_queue(level: i32) -> i32 {
    level - 1
}

/// The level that a queue of `SCHEDULE_TOPIC_XXXX` holds.
/// Source: `ScheduleMessageService.queueId2DelayLevel`.
pub fn queue_to_level(queue_id: i32) -> i32 {
    queue_id + 1
}

/// A delay cursor, moved into the range of its level queue.
/// Source: `ScheduleMessageService.correctDelayOffset`.
pub fn correct_delay_offset(offset: i64, min: i64, max: i64) -> i64 {
    offset.min(max).max(min)
}

/// The instants at which a level's task looks at its head (4.9.3 and later): the first run, then
/// one run each period. Source: `ScheduleMessageService.start`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TaskGrid {
    /// The first run.
    pub first_ms: Ms,
    /// Distance of two runs, at least 1.
    pub period_ms: Ms,
}

impl TaskGrid {
    /// The grid of a broker that started at `broker_start_ms`.
    pub fn of(model: &Model, broker_start_ms: Ms) -> Self {
        Self {
            first_ms: broker_start_ms + model.delay_first_delay_ms,
            period_ms: model.delay_for_a_while_ms,
        }
    }

    /// The first run at or after `now_ms`.
    pub fn next_at(self, now_ms: Ms) -> Ms {
        if now_ms <= self.first_ms {
            return self.first_ms;
        }
        let period = self.period_ms.max(1);
        let since = now_ms - self.first_ms;
        self.first_ms + (since + period - 1) / period * period
    }
}

/// When a level's task runs again after it found its head not due: one period later, or, up to
/// 4.9.2, exactly when the head is due. Source: `ScheduleMessageService.executeOnTimeup`.
pub fn recheck_at(model: &Model, now_ms: Ms, due_ms: Ms) -> Ms {
    if model.delay_countdown != 0 {
        due_ms
    } else {
        now_ms + model.delay_for_a_while_ms
    }
}

/// When a level's task tries again after the broker could not put a due message back, in ms: the next
/// period, or, up to 4.9.2, `DELAY_FOR_A_PERIOD`. Source: `ScheduleMessageService.executeOnTimeup`.
pub fn failed_put_wait_ms(model: &Model) -> Ms {
    const DELAY_FOR_A_PERIOD_MS: Ms = 10_000;
    if model.delay_countdown != 0 {
        DELAY_FOR_A_PERIOD_MS
    } else {
        model.delay_for_a_while_ms
    }
}

/// Why the client does not build a batch that contains a message with this delay level; `None` when
/// it does. Source: `MessageBatch.generateFromList`, which throws `UnsupportedOperationException`.
pub fn batch_refuses(level: i32) -> Option<&'static str> {
    (level > 0).then_some("TimeDelayLevel is not supported for batching")
}

/// Walks the head of a level queue at `now_ms`: how many of `dues_ms`, in queue order, are put back
/// now, and the corrected due time of the head that stops the run (`None` when all are due).
/// Source: `ScheduleMessageService.executeOnTimeUp`.
pub fn due_prefix(
    table: &DelayTable,
    level: i32,
    dues_ms: &[Ms],
    now_ms: Ms,
) -> (usize, Option<Ms>) {
    for (index, &due) in dues_ms.iter().enumerate() {
        let due = table.corrected_due(due, now_ms, level);
        if due > now_ms {
            return (index, Some(due));
        }
    }
    (dues_ms.len(), None)
}

#[cfg(test)]
mod tests;
