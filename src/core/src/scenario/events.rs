//! The words for what can happen, with their meanings.

use crate::command::Refusal;
use crate::fact::SendFailure;

/// A keyword of the expectations with its meaning.
pub struct EventRow<T: 'static> {
    /// The word.
    pub word: &'static str,
    /// What it means, and what RocketMQ calls it.
    pub meaning: &'static str,
    pub(crate) event: T,
}

macro_rules! events {
    ($(#[$doc:meta])* $name:ident in $table:ident { $($variant:ident $word:literal $meaning:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $(#[doc = $meaning] $variant,)* }

        impl $name {
            /// The word in the scenario's text.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }

        $(#[$doc])*
        pub const $table: &[EventRow<$name>] = &[
            $(EventRow { word: $word, meaning: $meaning, event: $name::$variant },)*
        ];
    };
}

events! {
    /// What can happen to a message.
    MessageEvent in MESSAGE_EVENTS {
        Built "built" "the application handed it to a producer's thread";
        Requested "requested" "a send request left the producer for a queue";
        SendRepeated "send-repeated" "an attempt to send it by gRPC failed, and another follows";
        Sent "sent" "the producer got the broker's answer for it";
        Refused "refused" "its send ended without success";
        Prepared "prepared" "it was stored as a half message of a transaction";
        TransactionCommitted "committed" "its transaction was committed";
        RolledBack "rolled-back" "its transaction was rolled back";
        Checked "checked" "the broker asked its producer about the transaction";
        GivenUp "given-up" "the broker set its transaction aside after the last check";
        Stored "stored" "the broker appended it to a queue of its topic, as sent, put back or committed";
        Scheduled "scheduled" "the broker put it aside under a delay level";
        PutBack "put-back" "it left its delay level";
        Popped "popped" "the broker delivered it by POP; it is invisible from now on";
        Received "received" "a gRPC consumer got it";
        Delivered "delivered" "a listener call began for it";
        Handled "handled" "a listener call ended with success";
        Failed "failed" "a listener call ended without success";
        Acknowledged "acknowledged" "the client counted it as consumed";
        Acked "acked" "the broker took an acknowledgement of POP";
        AckIgnored "ack-ignored" "an acknowledgement of POP changed nothing: it was delivered again since, its batch is not complete (5.0), the offset is behind it, or the disk is too full for a note of it";
        AckRejected "ack-rejected" "the broker refused an acknowledgement of POP (MESSAGE_ILLEGAL or NO_MESSAGE)";
        AckFailed "ack-failed" "a consumer's acknowledgement failed";
        InvisibleChanged "invisible-changed" "the broker changed when it is visible again";
        ChangeFailed "change-failed" "a consumer could not change its invisible duration";
        HandleExpired "handle-expired" "the proxy refused a receipt handle that is worth nothing any more";
        Renewed "renewed" "a proxy extended its invisible time";
        RenewalEnded "renewal-ended" "a proxy stopped renewing it";
        Revived "revived" "it was copied to the POP retry topic, because it was not acknowledged";
        AttemptFailed "attempt-failed" "a gRPC push consumer's listener failed, and another attempt follows";
        Forwarded "forwarded" "a gRPC push consumer asked for it to become a dead letter";
        ForwardFailed "forward-failed" "that request failed";
        DeadOnReceive "dead-on-receive" "the proxy made it a dead letter on receipt: its attempts were used up";
        FilteredOnReceive "filtered-on-receive" "the proxy acknowledged it, because it does not match the filter";
        Discarded "discarded" "a result came too late: its queue had been dropped, or its SimpleConsumer closed";
        SentBack "sent-back" "it went back to the broker, to come again under a delay level";
        SentNowhere "sent-nowhere" "it went back to a broker that stored it nowhere: its group has no retry queues";
        SendBackFailed "send-back-failed" "sending it back to the broker did not work";
        ConsumeTimedOut "consume-timed-out" "a concurrent listener held it for longer than consumeTimeout";
        DeadLettered "dead-lettered" "the broker stored it as a dead letter";
        Deleted "deleted" "retention deleted it";
        Lost "lost" "a broker's machine died before it was on disk, or its timer wheel found no room for it";
    }
}

events! {
    /// What can happen to a queue.
    QueueEvent in QUEUE_EVENTS {
        Locked "locked" "the broker granted its lock to a new owner";
        Renewed "renewed" "the broker renewed its owner's lock";
        LockRefused "lock-refused" "the broker refused its lock";
        Released "released" "its owner gave the lock back";
        LockMissing "lock-missing" "a client found that it does not hold the lock";
        RelockScheduled "relock-scheduled" "a client will ask for the lock again";
        Added "added" "a client began to work on it";
        Dropped "dropped" "a client stopped working on it";
        ReleasePostponed "release-postponed" "a client could not give it away: its listener was running";
        Removed "removed" "a client forgot it";
        Pulled "pulled" "a pull brought messages";
        PullHeld "pull-held" "a pull found nothing and is held by the broker";
        PullPostponed "pull-postponed" "a client did not pull because of its own limits";
        PullRefused "pull-refused" "the broker refused a pull";
        Corrected "corrected" "the broker refused the offset of a pull";
        Filtered "filtered" "a read passed over messages that the subscription does not want";
        Blocked "blocked" "a POP skipped it because of an unfinished message at this offset";
        OffsetChosen "offset-chosen" "a new POP group begins to read it at this offset";
        Suspended "suspended" "a failed ordered message suspended it";
        Yielded "yielded" "a consume task gave its thread back after maxTimeConsumeContinuously";
        Committed "committed" "the broker recorded a consumer offset";
        Reset "reset" "a reset of a consumer offset was set";
        ResetConsumed "reset-consumed" "a read took a pending reset up";
        UpdateIgnored "update-ignored" "an offset update was ignored because a reset is pending";
        MinRaised "min-raised" "its min offset rose to this offset";
    }
}

events! {
    /// What can happen to a consumer.
    ClientEvent in CLIENT_EVENTS {
        Started "started" "its process started";
        Stopped "stopped" "its process ended or stood still";
        Resumed "resumed" "its process went on after standing still";
        Joined "joined" "the broker took it into its group";
        Left "left" "the broker removed it from its group";
        Notified "notified" "it learnt that its group changed";
        Rebalanced "rebalanced" "a rebalance round began";
        Balanced "balanced" "a rebalance round ended with every queue as it should be";
        Registered "registered" "a proxy registered it";
        Unregistered "dropped" "a proxy dropped it";
        ReceivedNothing "received-nothing" "a receive brought nothing, or failed with a code";
        SubscriptionReplaced "subscription-replaced" "its heartbeat changed the group's subscription at the broker";
        ResetReceived "reset-received" "it cleared queues for a legacy reset";
    }
}

events! {
    /// What can happen to any party: brokers, proxies, producers, consumers.
    PartyEvent in PARTY_EVENTS {
        Started "started" "a broker came up";
        Stopped "stopped" "a broker went down";
        Registered "registered" "a broker entered the routes";
        Unregistered "unregistered" "a broker left the routes";
        TimedOut "timed-out" "a request of its got no answer in time";
        Disconnected "disconnected" "its connection to a broker closed while both were up: after a request that got no answer in time, say";
        PacketLost "packet-lost" "a message that it sent was lost";
        RouteChanged "route-changed" "it read a route that differs from the one it knew";
        ClockJumped "clock-jumped" "its wall clock was set";
        SegmentDeleted "segment-deleted" "retention deleted a broker's oldest commit-log segment";
        CacheStale "cache-stale" "a proxy used an entry of its cache that is due for reload";
    }
}

events! {
    /// Why sends are refused; codes can be named instead.
    Reason in REASONS {
        SelectorThrew "selector-threw" "the selector returned an index outside the queue list";
        TimedOut "timed-out" "no answer within sendMsgTimeout";
        IllegalQueueId "illegal-queue-id" "the broker refused the queue id";
        NoWritableQueue "no-writable-queue" "the topic has no writable queue";
        TimerIllegal "timer-illegal" "the delivery time is too far ahead (13)";
        BrokerUnknown "broker-unknown" "an order conf names a broker whose address no route has";
        ConnectionFailed "connection-failed" "the broker or proxy could not be reached";
        DiskFull "disk-full" "the broker's disk is full (14)";
        GroupWithDelay "group-with-delay" "the message builder refuses a message group together with a delivery time or a transaction";
        TypeConflict "type-conflict" "the topic does not take messages of this type (40014 by gRPC, 13 on the proxy's remoting port)";
        Proxy "proxy-code" "the proxy refused with a code of the gRPC protocol";
    }
}

events! {
    /// Why statements are refused; codes of a broker can be named instead.
    RefusalKind in REFUSALS {
        Unknown "unknown" "nothing has this name";
        Exists "exists" "the name is taken";
        OutOfRange "out-of-range" "a number is outside its range";
        WrongState "wrong-state" "it is not in a state that allows it";
        BadDelayTable "bad-delay-table" "the broker cannot read the delay levels";
        NoTopic "no-topic" "the producer has no topic to send to";
        Broker "broker-error" "the broker answered with an error";
        SkippedByTool "skipped-by-tool" "the admin tool does not do this";
        NobodyToPause "nobody-to-pause" "no 4.x consumer of the group runs, and gRPC clients cannot be paused";
        NotInThisVersion "not-in-this-version" "the modelled release does not have it";
        BadOrderConf "bad-order-conf" "the order conf cannot be read";
        NotHeld "not-held" "the consumer does not hold this message";
        LimitReached "limit-reached" "a bound of the model was reached";
    }
}

impl Reason {
    /// The reason of a failure, and the code that the producer sees, if there is one.
    pub(crate) fn of(failure: SendFailure, illegal_queue_code: i64) -> (Self, Option<i64>) {
        use crate::fact::TypeCheck;
        match failure {
            SendFailure::SelectorThrew => (Self::SelectorThrew, None),
            SendFailure::TimedOut => (Self::TimedOut, None),
            SendFailure::IllegalQueueId => (Self::IllegalQueueId, Some(illegal_queue_code)),
            SendFailure::NoWritableQueue => (Self::NoWritableQueue, None),
            SendFailure::TimerIllegal => (Self::TimerIllegal, Some(13)),
            SendFailure::BrokerUnknown => (Self::BrokerUnknown, None),
            SendFailure::ConnectionFailed => (Self::ConnectionFailed, None),
            SendFailure::DiskFull => (Self::DiskFull, Some(14)),
            SendFailure::GroupWithDelay => (Self::GroupWithDelay, None),
            SendFailure::TypeConflict { by, .. } => {
                let code = match by {
                    TypeCheck::Sdk => None,
                    TypeCheck::Proxy => Some(40_014),
                    TypeCheck::RemotingProxy => Some(13),
                };
                (Self::TypeConflict, code)
            }
            SendFailure::Grpc(code) => (Self::Proxy, Some(i64::from(code.number()))),
        }
    }
}

impl RefusalKind {
    /// The kind of a refusal, and the broker's code, if there is one.
    pub(crate) fn of(refusal: &Refusal) -> (Self, Option<i64>) {
        let kind = match refusal {
            Refusal::Unknown { .. } => Self::Unknown,
            Refusal::Exists { .. } => Self::Exists,
            Refusal::OutOfRange { .. } => Self::OutOfRange,
            Refusal::WrongState { .. } => Self::WrongState,
            Refusal::BadDelayTable { .. } => Self::BadDelayTable,
            Refusal::NoTopic { .. } => Self::NoTopic,
            Refusal::Broker { code, .. } => return (Self::Broker, Some(i64::from(*code))),
            Refusal::SkippedByTool => Self::SkippedByTool,
            Refusal::NobodyToPause { .. } => Self::NobodyToPause,
            Refusal::NotInThisVersion { .. } => Self::NotInThisVersion,
            Refusal::BadOrderConf { .. } => Self::BadOrderConf,
            Refusal::NotHeld { .. } => Self::NotHeld,
            Refusal::LimitReached { .. } => Self::LimitReached,
        };
        (kind, None)
    }
}
