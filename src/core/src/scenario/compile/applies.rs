//! What can be said of an event.

use crate::scenario::events::{MessageEvent, QueueEvent};

/// What can be said of an event.
pub(super) struct Applies {
    pub queue: bool,
    pub group: bool,
    pub client: bool,
    pub offset: bool,
    pub attempt: bool,
    pub level: bool,
    pub reason: bool,
    pub code: bool,
    pub until: bool,
}

impl Applies {
    /// What can be said of something that happened to a message.
    pub fn to_message(event: MessageEvent) -> Self {
        use MessageEvent as E;
        let consuming = matches!(
            event,
            E::Delivered
                | E::Handled
                | E::Failed
                | E::Acknowledged
                | E::Discarded
                | E::Received
                | E::HandleExpired
                | E::ConsumeTimedOut
        );
        let at_broker = matches!(
            event,
            E::Popped
                | E::Acked
                | E::AckIgnored
                | E::AckRejected
                | E::InvisibleChanged
                | E::Revived
                | E::DeadLettered
        );
        let placed = consuming || at_broker || matches!(event, E::Stored | E::Deleted | E::Lost);
        let by_consumer = consuming
            || matches!(
                event,
                E::SentBack
                    | E::SendBackFailed
                    | E::Renewed
                    | E::RenewalEnded
                    | E::AckFailed
                    | E::ChangeFailed
                    | E::ForwardFailed
                    | E::AttemptFailed
                    | E::Forwarded
            );
        let sending = matches!(event, E::Sent | E::Requested | E::Prepared);
        Self {
            queue: placed || sending || event == E::AttemptFailed,
            group: by_consumer
                || at_broker
                || matches!(event, E::DeadOnReceive | E::FilteredOnReceive | E::SentNowhere),
            client: by_consumer,
            offset: placed,
            attempt: matches!(
                event,
                E::Delivered
                    | E::Handled
                    | E::Failed
                    | E::Requested
                    | E::SendRepeated
                    | E::Popped
                    | E::Received
                    | E::AttemptFailed
                    | E::Forwarded
                    | E::DeadOnReceive
            ),
            level: matches!(event, E::Scheduled | E::PutBack | E::SentBack),
            reason: event == E::Refused,
            code: matches!(
                event,
                E::Refused | E::SendRepeated | E::AckFailed | E::ChangeFailed | E::ForwardFailed
            ),
            until: matches!(event, E::Popped | E::InvisibleChanged | E::Renewed | E::RenewalEnded),
        }
    }

    /// What can be said of something that happened to a queue.
    pub fn to_queue(event: QueueEvent) -> Self {
        use QueueEvent as E;
        let by_broker = matches!(
            event,
            E::Committed
                | E::Blocked
                | E::OffsetChosen
                | E::Reset
                | E::ResetConsumed
                | E::UpdateIgnored
                | E::MinRaised
        );
        Self {
            queue: false,
            group: event != E::MinRaised,
            client: !by_broker,
            offset: by_broker
                || matches!(event, E::Added | E::Pulled | E::PullHeld | E::Corrected | E::Filtered),
            attempt: false,
            level: false,
            reason: false,
            code: false,
            until: matches!(event, E::Blocked | E::Suspended),
        }
    }
}
