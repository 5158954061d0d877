//! What becomes of a message whose handling failed: how long it waits, how often it is tried, and
//! where a message that goes back to the broker lands. Pure functions.

mod policy;
mod send_back;

pub use policy::{
    CustomizedRetryPolicy, ExponentialRetryPolicy, GroupRetryPolicy, PolicyKind, RetryPolicy,
};
pub use send_back::{
    limit_makes_dead_letters, orderly_header, retry_topic_landing, send_back, Landing, RetrySend,
    SendBack,
};

use crate::command::ListenerKind;
use crate::fact::Outcome;
use crate::ids::Ms;
use crate::model::Model;

/// `maxReconsumeTimes` that leaves the limit to the listener kind.
pub const MAX_RECONSUME_TIMES_DEFAULT: i32 = -1;

/// The limit that a classic consumer works with. -1 means "for ever" (2 147 483 647) for an orderly
/// listener and the group's default for a concurrent one. Source:
/// `ConsumeMessageOrderlyService.getMaxReconsumeTimes`, `DefaultMQPushConsumerImpl`.
pub fn max_reconsume_times(model: &Model, listener: ListenerKind, setting: i32) -> i32 {
    match (setting, listener) {
        (MAX_RECONSUME_TIMES_DEFAULT, ListenerKind::Orderly) => i32::MAX,
        (MAX_RECONSUME_TIMES_DEFAULT, ListenerKind::Concurrent) => {
            i32::try_from(model.retry_max_times).unwrap_or(i32::MAX)
        }
        _ => setting,
    }
}

/// Whether an orderly client keeps a failed message and tries again; if not it is sent back as
/// exhausted. Source: `ConsumeMessageOrderlyService.checkReconsumeTimes`.
pub fn retryable(reconsume_times: i32, max: i32) -> bool {
    reconsume_times < max
}

/// How long a queue pauses after a failed ordered message, in ms. `asked_ms` comes from the listener's
/// context (-1: not set), `default_ms` is the consumer's `suspendCurrentQueueTimeMillis`. Source:
/// `ConsumeMessageOrderlyService.submitConsumeRequestLater`.
pub fn suspend_ms(model: &Model, asked_ms: Ms, default_ms: Ms) -> Ms {
    let wanted = if asked_ms == -1 { default_ms } else { asked_ms };
    wanted.min(model.suspend_max_ms).max(model.suspend_min_ms)
}

/// How an orderly client reports a message that an administrator made it consume directly. Source:
/// `ConsumeMessageOrderlyService.consumeMessageDirectly`, `CMResult`.
pub fn direct_result(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Success => "CR_SUCCESS",
        Outcome::Later => "CR_LATER",
        Outcome::Commit => "CR_COMMIT",
        Outcome::Rollback => "CR_ROLLBACK",
        Outcome::Null => "CR_RETURN_NULL",
        Outcome::Exception => "CR_THROW_EXCEPTION",
    }
}

/// Attempts of a gRPC consumer: the first delivery and the group's `retryMaxTimes`. Source: proxy
/// `GrpcClientSettingsManager`.
pub fn max_attempts(retry_max_times: i32) -> i32 {
    retry_max_times.saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Version;

    #[test]
    fn orderly_retries_for_ever_by_default() {
        let model = Model::of(Version(5, 3, 3));
        assert_eq!(max_reconsume_times(&model, ListenerKind::Orderly, -1), 2_147_483_647);
        assert_eq!(max_reconsume_times(&model, ListenerKind::Concurrent, -1), 16);
        assert_eq!(max_reconsume_times(&model, ListenerKind::Orderly, 3), 3);
        assert!(retryable(2, 3) && !retryable(3, 3));
    }

    #[test]
    fn the_pause_is_clamped() {
        let model = Model::of(Version(5, 3, 3));
        let pauses = [-1, 0, 5, 45_000, 2_000].map(|asked| suspend_ms(&model, asked, 1_000));
        assert_eq!(pauses, [1_000, 10, 10, 30_000, 2_000]);
    }

    #[test]
    fn a_limit_of_n_means_one_more_attempt() {
        assert_eq!((max_attempts(3), max_attempts(16)), (4, 17));
    }
}
