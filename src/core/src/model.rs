//! Which RocketMQ is modelled: every constant under its own name, and every difference between
//! versions as a value of one type. Nothing else in the crate holds a number of RocketMQ's.

use crate::ids::Ms;

/// A release of RocketMQ, for broker and clients alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(
    /// Major number.
    pub u8,
    /// Minor number.
    pub u8,
    /// Patch number.
    pub u8,
);

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// What a failed or unfinished ordered message holds back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Blocking {
    /// Everything behind it in its queue: the open-source broker and clients.
    Queue,
    /// Only later messages of its own message group: the articles' model.
    MessageGroup,
}

macro_rules! model {
    ($($(#[$doc:meta])* $field:ident = $default:expr, $name:literal, $source:literal;)*) => {
        /// Every constant of the modelled version. Times are milliseconds of virtual time.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct Model {
            /// The modelled release.
            pub version: Version,
            /// What a blocked message blocks.
            pub blocking: Blocking,
            $($(#[$doc])* pub $field: i64,)*
        }

        /// One named constant: how it is called, where it stands in RocketMQ.
        pub struct Constant {
            /// The name, as RocketMQ spells it where it has one.
            pub name: &'static str,
            /// Class (and method) in RocketMQ's source.
            pub source: &'static str,
            get: fn(&Model) -> i64,
            set: fn(&mut Model, i64),
        }

        /// All constants, in the order of the reference.
        pub const CONSTANTS: &[Constant] = &[
            $(Constant { name: $name, source: $source, get: |m| m.$field, set: |m, v| m.$field = v },)*
        ];

        impl Model {
            fn newest() -> Self {
                Self { version: Version(5, 3, 3), blocking: Blocking::Queue, $($field: $default,)* }
            }
        }
    };
}

/// A constant that means "does not happen in this version".
pub const NEVER: i64 = -1;

model! {
    /// A broker lock is expired when older than this (strictly).
    rebalance_lock_max_live_time_ms = 60_000, "rocketmq.broker.rebalance.lockMaxLiveTime", "RebalanceLockManager";
    /// A client stops trusting its lock when the last renewal is older than this (strictly).
    client_lock_max_live_time_ms = 30_000, "rocketmq.client.rebalance.lockMaxLiveTime", "ProcessQueue";
    /// Period of the client's lock renewal.
    rebalance_lock_interval_ms = 20_000, "rocketmq.client.rebalance.lockInterval", "ProcessQueue";
    /// First renewal after the start of the client.
    lock_renewal_initial_delay_ms = 1_000, "lockRenewalInitialDelay", "ConsumeMessageOrderlyService.start";
    /// Wait between two rebalance rounds of a balanced client.
    rebalance_wait_interval_ms = 20_000, "rocketmq.client.rebalance.waitInterval", "RebalanceService";
    /// Least distance of two rounds, and wait of an unbalanced client (5.2.0+; 0 before).
    rebalance_min_interval_ms = 1_000, "rocketmq.client.rebalance.minInterval", "RebalanceService";
    /// Wake-up after a round in which a lock was refused (5.0.0+).
    rebalance_later_ms = 500, "rebalanceLater", "RebalanceImpl.updateProcessQueueTableInRebalance";
    /// First pull of a new queue (5.0.0+; 0 before).
    first_pull_delay_ms = 500, "dispatchPullRequest", "RebalanceImpl.updateProcessQueueTableInRebalance";
    /// How long a round waits for a running listener when it gives a queue away.
    release_wait_ms = 500, "tryLockTimeout", "RebalancePushImpl.tryRemoveOrderMessageQueue";
    /// Forced unlock of a given-away queue when its last lock is older (5.2.0+).
    force_unlock_after_ms = 20_000, "UNLOCK_DELAY_TIME_MILLS", "RebalancePushImpl.tryRemoveOrderMessageQueue";
    /// Unlock postponed when messages are cached (up to 5.1.4).
    delayed_unlock_ms = NEVER, "rocketmq.client.unlockDelayTimeMills", "RebalancePushImpl.unlockDelay";
    /// 1 when dropped queues keep being renewed (4.x).
    renew_dropped = 0, "lockAllIncludesDropped", "RebalanceImpl.lockAll";
    /// Pause before a corrected offset takes effect (up to 5.1.4).
    offset_illegal_delay_ms = 0, "offsetIllegalDelay", "DefaultMQPushConsumerImpl.pullMessage";
    /// Pause before the next pull after a failure, a missing lock or while paused.
    pull_time_delay_when_exception_ms = 1_000, "pullTimeDelayMillsWhenException", "ClientConfig";
    /// Pause before the next pull under client flow control.
    pull_time_delay_when_flow_control_ms = 50, "PULL_TIME_DELAY_MILLS_WHEN_CACHE_FLOW_CONTROL", "DefaultMQPushConsumerImpl";
    /// Cached messages per queue above which the client does not pull.
    pull_threshold_for_queue = 1_000, "pullThresholdForQueue", "DefaultMQPushConsumer";
    /// Cached mebibytes per queue above which the client does not pull.
    pull_threshold_size_for_queue_mib = 100, "pullThresholdSizeForQueue", "DefaultMQPushConsumer";
    /// Widest span of cached offsets in concurrent mode.
    consume_concurrently_max_span = 2_000, "consumeConcurrentlyMaxSpan", "DefaultMQPushConsumer";
    /// Messages asked for by one pull.
    pull_batch_size = 32, "pullBatchSize", "DefaultMQPushConsumer";
    /// Time-out of a pull at the client.
    consumer_timeout_when_suspend_ms = 30_000, "CONSUMER_TIMEOUT_MILLIS_WHEN_SUSPEND", "DefaultMQPushConsumerImpl";
    /// How long the broker may hold a pull that finds nothing.
    broker_suspend_max_time_ms = 15_000, "BROKER_SUSPEND_MAX_TIME_MILLIS", "DefaultMQPushConsumerImpl";
    /// Period of the broker's check of held pulls.
    pull_hold_check_ms = 5_000, "longPollingCheck", "PullRequestHoldService";
    /// An owned queue that was not pulled for longer (strictly) is dropped and added again.
    pull_max_idle_time_ms = 120_000, "rocketmq.client.pull.pullMaxIdleTime", "ProcessQueue";
    /// Longest run of one consume task.
    max_time_consume_continuously_ms = 60_000, "rocketmq.client.maxTimeConsumeContinuously", "ConsumeMessageOrderlyService";
    /// Pause of a queue after a failed ordered message.
    suspend_current_queue_time_ms = 1_000, "suspendCurrentQueueTimeMillis", "DefaultMQPushConsumer";
    /// Shortest suspend.
    suspend_min_ms = 10, "suspendTimeMin", "ConsumeMessageOrderlyService.submitConsumeRequestLater";
    /// Longest suspend.
    suspend_max_ms = 30_000, "suspendTimeMax", "ConsumeMessageOrderlyService.submitConsumeRequestLater";
    /// Re-lock after the lock is found missing when a task starts.
    relock_delay_ms = 100, "tryLockLaterAndReconsume", "ConsumeMessageOrderlyService.ConsumeRequest";
    /// Re-lock after the lock is found missing inside the loop, and start after a granted re-lock.
    relock_delay_in_loop_ms = 10, "tryLockLaterAndReconsumeInLoop", "ConsumeMessageOrderlyService.ConsumeRequest";
    /// Next consume attempt after a refused re-lock.
    relock_refused_delay_ms = 3_000, "submitConsumeRequestLaterRefused", "ConsumeMessageOrderlyService.tryLockLaterAndReconsume";
    /// Consume threads of one client.
    consume_threads = 20, "consumeThreadMax", "DefaultMQPushConsumer";
    /// First push of consumer offsets after the start of the client.
    persist_offset_initial_delay_ms = 10_000, "persistConsumerOffsetInitialDelay", "MQClientInstance.startScheduledTask";
    /// Period of the push of consumer offsets.
    persist_consumer_offset_interval_ms = 5_000, "persistConsumerOffsetInterval", "ClientConfig";
    /// First periodic heartbeat after the start of the client.
    heartbeat_initial_delay_ms = 1_000, "heartbeatInitialDelay", "MQClientInstance.startScheduledTask";
    /// Period of the heartbeat.
    heartbeat_broker_interval_ms = 30_000, "heartbeatBrokerInterval", "ClientConfig";
    /// First poll of the route.
    route_poll_initial_delay_ms = 10, "pollNameServerInitialDelay", "MQClientInstance.startScheduledTask";
    /// Period of the route poll.
    poll_name_server_interval_ms = 30_000, "pollNameServerInterval", "ClientConfig";
    /// Period of the broker's scan for silent clients.
    channel_scan_ms = 10_000, "scanExceptionChannel", "ClientHousekeepingService";
    /// A client that is silent for longer (strictly) is removed.
    channel_expired_timeout_ms = 120_000, "CHANNEL_EXPIRED_TIMEOUT", "ConsumerManager";
    /// First and further writes of consumer offsets to the broker's disk: initial delay.
    flush_offset_initial_delay_ms = 10_000, "flushConsumerOffsetInitialDelay", "BrokerController";
    /// Period of the write of consumer offsets to disk.
    flush_consumer_offset_interval_ms = 5_000, "flushConsumerOffsetInterval", "BrokerConfig";
    /// Period of the write of delay cursors to disk.
    flush_delay_offset_interval_ms = 10_000, "flushDelayOffsetInterval", "MessageStoreConfig";
    /// First run of a delay level's task.
    delay_first_delay_ms = 1_000, "FIRST_DELAY_TIME", "ScheduleMessageService";
    /// Period of a delay level's task.
    delay_for_a_while_ms = 100, "DELAY_FOR_A_WHILE", "ScheduleMessageService";
    /// 1 when a level waits exactly for its head instead of polling (up to 4.9.2).
    delay_countdown = 0, "deliverDelayedMessageTimerTaskCountdown", "ScheduleMessageService.executeOnTimeup";
    /// Precision of arbitrary-time messages.
    timer_precision_ms = 1_000, "timerPrecisionMs", "MessageStoreConfig";
    /// Furthest delivery time of an arbitrary-time message.
    timer_max_delay_ms = 259_200_000, "timerMaxDelaySec", "MessageStoreConfig";
    /// Deliveries after the first in concurrent mode (client value -1 means 16).
    retry_max_times = 16, "retryMaxTimes", "SubscriptionGroupConfig";
    /// Local retry when a send-back fails.
    send_back_local_retry_ms = 5_000, "submitConsumeRequestLater", "ConsumeMessageConcurrentlyService";
    /// Time-out of a send, all attempts together.
    send_msg_timeout_ms = 3_000, "sendMsgTimeout", "DefaultMQProducer";
    /// Further attempts of a synchronous send without selector.
    retry_times_when_send_failed = 2, "retryTimesWhenSendFailed", "DefaultMQProducer";
    /// Further attempts of an asynchronous send.
    retry_times_when_send_async_failed = 2, "retryTimesWhenSendAsyncFailed", "DefaultMQProducer";
    /// Time-out of lock and unlock requests.
    lock_timeout_ms = 1_000, "lockBatchMQ", "RebalanceImpl.lock";
    /// Time-out of reading a consumer offset.
    query_offset_timeout_ms = 5_000, "queryConsumerOffset", "RemoteBrokerOffsetStore";
    /// Time-out of reading a maximum offset.
    max_offset_timeout_ms = 6_000, "getMaxOffset", "MQAdminImpl";
    /// Time-out of the member list and of heartbeats.
    mq_client_api_timeout_ms = 3_000, "mqClientApiTimeout", "ClientConfig";
    /// Wait for running listeners at a clean stop.
    await_termination_when_shutdown_ms = 0, "awaitTerminationMillisWhenShutdown", "DefaultMQPushConsumer";
    /// Error code of an illegal queue id.
    illegal_queue_code = 29, "INVALID_PARAMETER", "AbstractSendMessageProcessor.msgCheck";
}

impl Model {
    /// The behaviour of one release. Releases between two known ones behave as the older one.
    pub fn of(version: Version) -> Self {
        let mut m = Self { version, ..Self::newest() };
        if version < Version(5, 3, 2) {
            m.illegal_queue_code = 1;
        }
        if version < Version(5, 2, 0) {
            m.rebalance_min_interval_ms = 0;
            m.release_wait_ms = 1_000;
            m.force_unlock_after_ms = NEVER;
            m.delayed_unlock_ms = 20_000;
            m.offset_illegal_delay_ms = 10_000;
        }
        if version < Version(5, 0, 0) {
            m.rebalance_later_ms = NEVER;
            m.first_pull_delay_ms = 0;
            m.renew_dropped = 1;
        }
        if version < Version(4, 9, 3) {
            m.delay_countdown = 1;
        }
        m
    }

    /// The model that a scenario names: `4.9`, `5.1`, `5.3`, `documents`, or an exact release
    /// such as `5.0.0`. None for anything else.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "4.9" => return Some(Self::of(Version(4, 9, 8))),
            "5.1" => return Some(Self::of(Version(5, 1, 4))),
            "5.3" => return Some(Self::newest()),
            "documents" => {
                return Some(Self { blocking: Blocking::MessageGroup, ..Self::newest() });
            }
            _ => {}
        }
        let mut parts = name.split('.').map(str::parse::<u8>);
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(Ok(a)), Some(Ok(b)), Some(Ok(c)), None) if (4..=5).contains(&a) => {
                Some(Self::of(Version(a, b, c)))
            }
            _ => None,
        }
    }

    /// Sets a constant by its name. False when there is none of that name.
    pub fn set_constant(&mut self, name: &str, value: Ms) -> bool {
        match CONSTANTS.iter().find(|c| c.name == name) {
            Some(c) => {
                (c.set)(self, value);
                true
            }
            None => false,
        }
    }

    /// Reads a constant by its name.
    pub fn constant(&self, name: &str) -> Option<i64> {
        CONSTANTS.iter().find(|c| c.name == name).map(|c| (c.get)(self))
    }
}
