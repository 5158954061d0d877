//! Where a failed message lands when it goes back to the broker.

use crate::model::Version;

/// Level of the first copy in a retry topic. Source: `AbstractSendMessageProcessor.consumerSendMsgBack`.
const FIRST_RETRY_LEVEL: i32 = 3;

/// Where a message that came back is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Landing {
    /// A new message in `%RETRY%<group>`, under a delay level.
    Retry {
        /// The level, before clamping to the table.
        level: i32,
        /// The copy's retry count.
        reconsume_times: i32,
    },
    /// A new message in `%DLQ%<group>`, queue 0.
    DeadLetter {
        /// A delay level that it waits under first; 0 = none.
        level: i32,
        /// The copy's retry count.
        reconsume_times: i32,
    },
    /// Nowhere: the group has no retry queue, and the broker answers SUCCESS.
    Nowhere,
}

/// A CONSUMER_SEND_MSG_BACK request (concurrent listener, or the proxy's forward to the dead-letter
/// queue with level -1 and limit 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SendBack {
    /// The message's retry count as stored.
    pub reconsume_times: i32,
    /// Level asked for: 0 leaves it to the broker, below 0 means the dead-letter queue.
    pub delay_level: i32,
    /// The limit.
    pub max_reconsume_times: i32,
    /// `retryQueueNums` of the group.
    pub retry_queue_nums: i32,
}

/// Where a send-back lands. Source: `AbstractSendMessageProcessor.consumerSendMsgBack`.
pub fn send_back(request: SendBack) -> Landing {
    let SendBack { reconsume_times, delay_level, max_reconsume_times, retry_queue_nums } = request;
    if retry_queue_nums <= 0 {
        return Landing::Nowhere;
    }
    let next = reconsume_times.saturating_add(1);
    if reconsume_times >= max_reconsume_times || delay_level < 0 {
        return Landing::DeadLetter { level: 0, reconsume_times: next };
    }
    let level = if delay_level == 0 { FIRST_RETRY_LEVEL + reconsume_times } else { delay_level };
    Landing::Retry { level, reconsume_times: next }
}

/// The retry count that an orderly client writes into the message that it sends to the retry topic
/// when message number `reconsume_times` is exhausted: one more since 5.1.1. Source:
/// `ConsumeMessageOrderlyService.sendMessageBack`.
pub fn orderly_header(client: Version, reconsume_times: i32) -> i32 {
    if client >= Version(5, 1, 1) {
        reconsume_times.saturating_add(1)
    } else {
        reconsume_times
    }
}

/// A normal send to `%RETRY%<group>`: what the header says, and what the broker knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RetrySend {
    /// Retry count in the header.
    pub header_reconsume_times: i32,
    /// `MAX_RECONSUME_TIMES` of the header, or the group's limit.
    pub max_reconsume_times: i32,
    /// Delay level of the message; an orderly client writes 3 + its own count.
    pub delay_level: i32,
    /// Whether any lock of the group is live.
    pub group_has_live_lock: bool,
}

/// Where a normal send to a retry topic lands.
///
/// Up to 4.x the limit itself is enough for the dead-letter queue. 5.0.0 to 5.1.0 ask for more than
/// the limit but their clients do not count one more, so that an exhausted ordered message lands in
/// the delayed retry topic. From 5.1.1 on the client counts one more, and a live lock in the group
/// sends any such message to the dead-letter queue.
///
/// Up to 4.x the broker takes the delay level away before it reads the properties of the request, which
/// bring it back: the dead letter waits under it first. Source: `SendMessageProcessor.handleRetryAndDLQ`,
/// `asyncSendMessage` (4.x), `sendMessage` (5.x, which writes -1 into the properties).
pub fn retry_topic_landing(broker: Version, send: RetrySend) -> Landing {
    let RetrySend { header_reconsume_times: count, max_reconsume_times: max, .. } = send;
    let exhausted = if broker < Version(5, 0, 0) { count >= max } else { count > max };
    let locked = broker >= Version(5, 1, 1) && send.group_has_live_lock;
    if exhausted || locked {
        let level = if broker < Version(5, 0, 0) { send.delay_level } else { 0 };
        Landing::DeadLetter { level, reconsume_times: count }
    } else {
        Landing::Retry { level: send.delay_level, reconsume_times: count }
    }
}

/// Whether an ordered message that reaches the limit becomes a dead letter in this release. From 5.0.0
/// to 5.1.0 it goes to the retry topic; see [`retry_topic_landing`].
pub fn limit_makes_dead_letters(version: Version) -> bool {
    let send = RetrySend {
        header_reconsume_times: orderly_header(version, 1),
        max_reconsume_times: 1,
        delay_level: 0,
        group_has_live_lock: true,
    };
    matches!(retry_topic_landing(version, send), Landing::DeadLetter { .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delay::DelayTable;

    fn concurrent(reconsume_times: i32) -> Landing {
        send_back(SendBack {
            reconsume_times,
            delay_level: 0,
            max_reconsume_times: 16,
            retry_queue_nums: 1,
        })
    }

    #[test]
    fn sixteen_retries_take_17140_seconds() {
        let table = DelayTable::default();
        let (mut reconsume_times, mut elapsed_ms) = (0, 0);
        while let Landing::Retry { level, reconsume_times: next } = concurrent(reconsume_times) {
            assert_eq!(level, 3 + reconsume_times);
            elapsed_ms += table.delay_ms(level).unwrap();
            reconsume_times = next;
        }
        assert_eq!((reconsume_times, elapsed_ms), (16, 17_140_000));
        assert_eq!(concurrent(16), Landing::DeadLetter { level: 0, reconsume_times: 17 });
    }

    #[test]
    fn the_level_may_be_asked_for() {
        let ask = |delay_level| {
            send_back(SendBack {
                reconsume_times: 2,
                delay_level,
                max_reconsume_times: 16,
                retry_queue_nums: 1,
            })
        };
        assert_eq!(ask(7), Landing::Retry { level: 7, reconsume_times: 3 });
        assert_eq!(ask(-1), Landing::DeadLetter { level: 0, reconsume_times: 3 });
    }

    #[test]
    fn without_retry_queue_nothing_is_stored() {
        let request = SendBack {
            reconsume_times: 0,
            delay_level: -1,
            max_reconsume_times: 0,
            retry_queue_nums: 0,
        };
        assert_eq!(send_back(request), Landing::Nowhere);
    }

    fn exhausted(version: Version, live_lock: bool) -> Landing {
        let send = RetrySend {
            header_reconsume_times: orderly_header(version, 3),
            max_reconsume_times: 3,
            delay_level: 6,
            group_has_live_lock: live_lock,
        };
        retry_topic_landing(version, send)
    }

    #[test]
    fn an_exhausted_ordered_message_by_version() {
        let dead = |level, reconsume_times| Landing::DeadLetter { level, reconsume_times };
        assert_eq!(exhausted(Version(4, 9, 8), true), dead(6, 3));
        let delayed = Landing::Retry { level: 6, reconsume_times: 3 };
        assert_eq!(exhausted(Version(5, 0, 0), true), delayed);
        assert_eq!(exhausted(Version(5, 1, 0), true), delayed);
        assert_eq!(exhausted(Version(5, 1, 1), false), dead(0, 4));
    }

    #[test]
    fn a_live_lock_sends_everything_to_the_dead_letter_queue() {
        let send = RetrySend {
            header_reconsume_times: 1,
            max_reconsume_times: 16,
            delay_level: 3,
            group_has_live_lock: true,
        };
        assert_eq!(
            retry_topic_landing(Version(5, 3, 3), send),
            Landing::DeadLetter { level: 0, reconsume_times: 1 }
        );
        assert_eq!(
            retry_topic_landing(Version(5, 1, 0), send),
            Landing::Retry { level: 3, reconsume_times: 1 }
        );
    }
}
