//! Which RocketMQ is modelled: every constant under its own name, and every difference between
//! versions as a value of one type. Nothing else in the crate holds a number of RocketMQ's.

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

/// Greatest value of a constant: 1 000 days in ms, and more than any number or size needs. Sums of
/// a few of them and the clock stay far inside 64 bits.
pub const CONSTANT_MAX: i64 = 86_400_000_000;

/// Constants that may be [`NEVER`], or that leave the choice to a rule with it.
const MAY_BE_NEVER: [&str; 8] = [
    "UNLOCK_DELAY_TIME_MILLS",
    "rocketmq.client.unlockDelayTimeMills",
    "rebalanceLater",
    "renewSliceTimeMillis",
    "renewMaxTimeMillis",
    "topicRouteServiceCacheExpiredSeconds",
    "checkInMemByConsumeOffset",
    "randomQ",
];

/// Periods, pauses before a repetition, and sizes of what is taken at once: with 0 a task would
/// repeat itself for ever within one instant.
const AT_LEAST_ONE: [&str; 48] = [
    "rocketmq.client.rebalance.lockInterval",
    "rocketmq.client.rebalance.waitInterval",
    "pullTimeDelayMillsWhenException",
    "PULL_TIME_DELAY_MILLS_WHEN_CACHE_FLOW_CONTROL",
    "pullBatchSize",
    "BROKER_SUSPEND_MAX_TIME_MILLIS",
    "longPollingCheck",
    "suspendTimeMin",
    "tryLockLaterAndReconsume",
    "tryLockLaterAndReconsumeInLoop",
    "submitConsumeRequestLaterRefused",
    "consumeThreadMax",
    "persistConsumerOffsetInterval",
    "heartbeatBrokerInterval",
    "pollNameServerInterval",
    "scanExceptionChannel",
    "flushConsumerOffsetInterval",
    "flushDelayOffsetInterval",
    "DELAY_FOR_A_WHILE",
    "timerPrecisionMs",
    "timerPutMessageThreadNum",
    "timerFlushIntervalMs",
    "submitConsumeRequestLater",
    "mappedFileSizeCommitLog",
    "cleanResourceInterval",
    "diskCheckInterval",
    "consumeTimeout",
    "registerNameServerPeriod",
    "scanNotActiveBrokerInterval",
    "transactionCheckInterval",
    "flushIntervalCommitLog",
    "renewSchedulePeriodMillis",
    "popLongPollingScan",
    "TIMER_TICK_MS",
    "reviveScanSleep",
    "persistConsumerOrderInfo",
    "MAX_MSG_NUMS_FOR_POP_REQUEST",
    "HEART_BEAT_PERIOD",
    "scanAssignmentsPeriod",
    "SYNC_SETTINGS_PERIOD",
    "receiveBatchSize",
    "RECEIVING_FAILURE_BACKOFF_DELAY",
    "RECEIVING_FLOW_CONTROL_BACKOFF_DELAY",
    "ACK_MESSAGE_FAILURE_BACKOFF_DELAY",
    "consumptionThreadCount",
    "waitingReceiveRequestFinished",
    "defaultInvisibleTimeMills",
    "grpcClientConsumerMaxLongPollingTimeoutMillis",
];

/// Why a constant was not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotSet {
    /// There is none of that name.
    Unknown,
    /// It cannot have this value.
    OutOfRange {
        /// Its name.
        name: &'static str,
        /// Smallest legal value; [`NEVER`] where that is legal.
        least: i64,
        /// Greatest legal value.
        most: i64,
    },
}

impl Constant {
    /// Smallest and greatest legal value; ratios are in percent.
    pub fn range(&self) -> (i64, i64) {
        let least = match self.name {
            name if MAY_BE_NEVER.contains(&name) => NEVER,
            name if AT_LEAST_ONE.contains(&name) => 1,
            _ => 0,
        };
        let most = match self.name {
            name if name.ends_with("Ratio") => 100,
            // Further ahead than the shortest poll, every request would be woken as it is parked.
            "popLongPollingAhead" => 1_000,
            // What DefaultMQPushConsumerImpl.checkConfig lets through.
            "pullBatchSize" | "pullThresholdSizeForQueue" => 1_024,
            "pullThresholdForQueue" | "consumeConcurrentlyMaxSpan" => 65_535,
            _ => CONSTANT_MAX,
        };
        (least, most)
    }
}

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
    /// Attempts of the timer wheel to put a due message before it is dropped (5.3.2+); 0 = without end.
    timer_put_attempts = 3, "timerPutAttempts", "TimerMessageStore.TimerDequeuePutMessageService";
    /// Threads of the timer wheel that put due messages.
    timer_put_thread_num = 3, "timerPutMessageThreadNum", "MessageStoreConfig";
    /// Period at which the timer wheel's place is written to disk.
    timer_flush_interval_ms = 1_000, "timerFlushIntervalMs", "MessageStoreConfig";
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
    /// Limit of an attempt to connect to a broker that does not answer.
    connect_timeout_ms = 3_000, "connectTimeoutMillis", "NettySystemConfig";
    /// 1 when a synchronous request that gets no answer in time closes its connection.
    close_socket_if_timeout = 1, "com.rocketmq.remoting.client.closeSocketIfTimeout", "NettyRemotingClient.invokeSync";
    /// Wait for running listeners at a clean stop.
    await_termination_when_shutdown_ms = 0, "awaitTerminationMillisWhenShutdown", "DefaultMQPushConsumer";
    /// Error code of an illegal queue id.
    illegal_queue_code = 29, "INVALID_PARAMETER", "AbstractSendMessageProcessor.msgCheck";
    /// Size of a commit-log segment in bytes.
    mapped_file_size_commit_log_bytes = 1_073_741_824, "mappedFileSizeCommitLog", "MessageStoreConfig";
    /// Age in hours above which a segment may be deleted.
    file_reserved_time_h = 72, "fileReservedTime", "MessageStoreConfig";
    /// Hour of the day in which expired segments are deleted.
    delete_when_h = 4, "deleteWhen", "MessageStoreConfig";
    /// Disk use in percent above which expired segments are deleted at any hour.
    disk_max_used_space_ratio_percent = 75, "diskMaxUsedSpaceRatio", "MessageStoreConfig";
    /// Disk use in percent above which segments are deleted regardless of their age.
    disk_space_clean_forcibly_ratio_percent = 85, "diskSpaceCleanForciblyRatio", "DefaultMessageStore.CleanCommitLogService";
    /// Disk use in percent above which writes are refused as well.
    disk_space_warning_level_ratio_percent = 90, "diskSpaceWarningLevelRatio", "DefaultMessageStore.CleanCommitLogService";
    /// Most segments that one run of the cleaner deletes.
    delete_file_batch_max = 10, "deleteFileBatchMax", "MessageStoreConfig";
    /// First run of the cleaner after the start of the broker.
    clean_resource_initial_delay_ms = 60_000, "cleanResourceInitialDelay", "DefaultMessageStore.addScheduleTask";
    /// Period of the cleaner.
    clean_resource_interval_ms = 10_000, "cleanResourceInterval", "MessageStoreConfig";
    /// First look of the task that asks whether the disk is too full for writes (up to 4.9.8).
    disk_check_initial_delay_ms = 1_000, "diskCheckInitialDelay", "DefaultMessageStore.addScheduleTask";
    /// Period of that look.
    disk_check_interval_ms = 10_000, "diskCheckInterval", "DefaultMessageStore.addScheduleTask";
    /// Time of day at instant 0 of the run; the simulator's own.
    start_time_of_day_ms = 0, "startTimeOfDay", "Lockstep";
    /// Memory of the broker's machine in MiB, which decides what counts as "in memory".
    total_physical_memory_mib = 16_384, "TOTAL_PHYSICAL_MEMORY_SIZE", "StoreUtil";
    /// Share of the memory in percent whose worth of newest log counts as in memory.
    access_message_in_memory_max_ratio_percent = 40, "accessMessageInMemoryMaxRatio", "MessageStoreConfig";
    /// Most bytes of one read from memory.
    max_transfer_bytes_on_message_in_memory = 262_144, "maxTransferBytesOnMessageInMemory", "MessageStoreConfig";
    /// Most messages of one read from memory.
    max_transfer_count_on_message_in_memory = 32, "maxTransferCountOnMessageInMemory", "MessageStoreConfig";
    /// Most bytes of one read from disk.
    max_transfer_bytes_on_message_in_disk = 65_536, "maxTransferBytesOnMessageInDisk", "MessageStoreConfig";
    /// Most messages of one read from disk.
    max_transfer_count_on_message_in_disk = 8, "maxTransferCountOnMessageInDisk", "MessageStoreConfig";
    /// Most bytes of index (20 for each entry) that one read walks over.
    max_filter_message_size_bytes = 16_000, "maxFilterMessageSize", "MessageStoreConfig";
    /// Whether the message at offset 0 is hot: -1 leaves it to the log's size, 0 never, 1 always.
    offset_zero_in_memory = -1, "checkInMemByConsumeOffset", "ConsumerManageProcessor.queryConsumerOffset";
    /// 1 when a reset is kept by the broker (default since 5.2.0, possible since 5.1.0).
    use_server_side_reset_offset = 1, "useServerSideResetOffset", "BrokerConfig";
    /// Pause of a client in the legacy reset.
    reset_offset_pause_ms = 10_000, "resetOffsetPause", "MQClientInstance.resetOffset";
    /// 1 when the time search gives the lower bound (5.1.1+); 0 for the nearest message.
    time_search_lower_bound = 1, "BoundaryType.LOWER", "ConsumeQueue.binarySearchInQueueByTime";
    /// How long before its start a consumer with `CONSUME_FROM_TIMESTAMP` begins.
    consume_timestamp_before_start_ms = 1_800_000, "consumeTimestamp", "DefaultMQPushConsumer";
    /// A message that a concurrent listener holds for longer is sent back; also the check's period.
    consume_timeout_ms = 900_000, "consumeTimeout", "DefaultMQPushConsumer";
    /// Most messages of a queue that one check of consume time-outs sends back.
    clean_expired_batch = 16, "cleanExpiredMsgLoop", "ProcessQueue.cleanExpiredMsg";
    /// Delay level under which a timed-out message comes again.
    clean_expired_level = 3, "cleanExpiredMsgLevel", "ProcessQueue.cleanExpiredMsg";
    /// Time-out of a send-back.
    consumer_send_message_back_timeout_ms = 5_000, "consumerSendMessageBack", "DefaultMQPushConsumerImpl.sendMessageBack";
    /// First periodic registration of a broker after its start.
    register_broker_initial_delay_ms = 10_000, "registerBrokerInitialDelay", "BrokerController.start";
    /// Period of a broker's registration with the name server.
    register_name_server_period_ms = 30_000, "registerNameServerPeriod", "BrokerConfig";
    /// A broker that is silent for longer (strictly) leaves the routes.
    broker_channel_expired_time_ms = 120_000, "DEFAULT_BROKER_CHANNEL_EXPIRED_TIME", "RouteInfoManager";
    /// First scan of the name server for silent brokers.
    scan_not_active_broker_initial_ms = 5, "scanNotActiveBrokerInitial", "NamesrvController";
    /// Period of that scan (10 000 in 4.x).
    scan_not_active_broker_interval_ms = 5_000, "scanNotActiveBrokerInterval", "NamesrvConfig";
    /// Period of the pass over unanswered transactions (60 000 before 5.1.1).
    transaction_check_interval_ms = 30_000, "transactionCheckInterval", "BrokerConfig";
    /// Age above which an unanswered transaction is checked.
    transaction_time_out_ms = 6_000, "transactionTimeOut", "BrokerConfig";
    /// Period in which notes about decided transactions are written; 0 = each at once (before 5.1.0).
    transaction_op_batch_interval_ms = 3_000, "transactionOpBatchInterval", "BrokerConfig";
    /// Length of the offsets in such a batch above which it is written at once.
    transaction_op_msg_max_size = 4_096, "transactionOpMsgMaxSize", "BrokerConfig";
    /// Checks of one transaction before it is set aside.
    transaction_check_max = 15, "transactionCheckMax", "BrokerConfig";
    /// Period of the flush of the commit log.
    flush_interval_commit_log_ms = 500, "flushIntervalCommitLog", "MessageStoreConfig";
    /// Pages of 4 KiB below which a flush waits.
    flush_commit_log_least_pages = 4, "flushCommitLogLeastPages", "MessageStoreConfig";
    /// A flush no longer waits for pages after this time.
    flush_commit_log_thorough_interval_ms = 10_000, "flushCommitLogThoroughInterval", "MessageStoreConfig";
    /// 1 when the proxy checks message types, and tells SDKs to check them.
    enable_topic_message_type_check = 1, "enableTopicMessageTypeCheck", "proxy ProxyConfig";
    /// A message group has to be shorter than this, in bytes.
    max_message_group_size = 64, "maxMessageGroupSize", "proxy ProxyConfig";
    /// Furthest delivery time that the proxy accepts.
    proxy_max_delay_time_ms = 86_400_000, "maxDelayTimeMills", "proxy ProxyConfig";
    /// Age above which an entry of the proxy's caches is loaded again (strictly).
    proxy_cache_refresh_ms = 20_000, "topicRouteServiceCacheRefreshSeconds", "proxy ProxyConfig";
    /// An entry of the proxy's caches that was not used for so long is forgotten (5.1.4+).
    proxy_cache_expire_ms = 300_000, "topicRouteServiceCacheExpiredSeconds", "proxy ProxyConfig";
    /// How long a proxy remembers where the half message of a transaction is.
    proxy_transaction_data_expire_ms = 30_000, "transactionDataExpireMillis", "proxy ProxyConfig";
    /// 1 when the proxy runs inside the broker: no cache, and one delivery count for a whole batch.
    proxy_local = 0, "proxyMode LOCAL", "proxy LocalMessageService";
    /// 1 when a request of several messages of one message group keeps the group's queue (no release does).
    multi_message_keeps_group = 0, "multiMessageKeepsGroup", "proxy SendMessageActivity.SendMessageQueueSelector";
    /// Period of the scan for handles to renew.
    renew_schedule_period_ms = 5_000, "renewSchedulePeriodMillis", "proxy ProxyConfig";
    /// A handle is renewed when it has this long or less.
    renew_ahead_time_ms = 10_000, "renewAheadTimeMillis", "proxy ProxyConfig";
    /// Renewal ends when the first receipt is this old; -1 = never (before 5.1.1).
    renew_max_time_ms = 10_800_000, "renewMaxTimeMillis", "proxy ProxyConfig";
    /// 1 when the proxy keeps one handle for a message of a client, the newest (5.1.4+); 0 = one for each delivery.
    proxy_handle_by_place = 1, "HandleKey", "proxy ReceiptHandleGroup";
    /// 1 when the proxy passes the attempt id of a receive on to the broker (5.1.4+).
    proxy_passes_attempt_id = 1, "attemptId", "proxy ReceiveMessageActivity";
    /// Failed renewals of a handle before it is forgotten.
    max_renew_retry_times = 3, "maxRenewRetryTimes", "proxy ProxyConfig";
    /// Fixed extension of a renewal (up to 5.1.0); otherwise the list of RenewStrategyPolicy.
    renew_slice_time_ms = NEVER, "renewSliceTimeMillis", "proxy ProxyConfig";
    /// Invisible time of the messages of a client that is gone.
    invisible_time_when_clear_ms = 1_000, "invisibleTimeMillisWhenClear", "proxy ProxyConfig";
    /// Invisible time of a receive with auto-renewal.
    default_invisible_time_ms = 60_000, "defaultInvisibleTimeMills", "proxy ProxyConfig";
    /// Shortest invisible time of a receive.
    min_invisible_time_for_recv_ms = 10_000, "minInvisibleTimeMillsForRecv", "proxy ProxyConfig";
    /// Longest invisible time.
    max_invisible_time_ms = 43_200_000, "maxInvisibleTimeMills", "proxy ProxyConfig";
    /// Shortest long poll of a receive (5.1.0+); a receive with less time left is refused.
    grpc_min_long_polling_ms = 5_000, "grpcClientConsumerMinLongPollingTimeoutMillis", "proxy ProxyConfig";
    /// Longest long poll of a receive.
    grpc_max_long_polling_ms = 20_000, "grpcClientConsumerMaxLongPollingTimeoutMillis", "proxy ProxyConfig";
    /// Most messages of one POP.
    max_msg_nums_for_pop = 32, "MAX_MSG_NUMS_FOR_POP_REQUEST", "proxy ProxyUtils";
    /// Period of the scan of waiting receives.
    pop_polling_scan_ms = 20, "popLongPollingScan", "PopLongPollingService.run";
    /// A waiting receive is answered this long before its time is over.
    pop_polling_ahead_ms = 50, "popLongPollingAhead", "PopRequest.isTimeout";
    /// Each so-manieth place of a queue wakes a waiting receive whatever its filter says (5.3.2+); 0 = none does.
    pop_force_notify_interval = 800, "popLongPollingForceNotifyInterval", "BrokerConfig";
    /// 1 when a message wakes only a receive whose filter it passes (5.3.0+).
    pop_arrival_filter = 1, "notifyMessageArrivingFilter", "PopLongPollingService.notifyMessageArriving";
    /// 1 when a receive that found nothing, left messages behind and waits now wakes the next one, which may
    /// be itself (5.3.1+).
    pop_notify_after_parking = 1, "notifyAfterPolling", "PopMessageProcessor.processRequest";
    /// 1 when what lies in a blocked queue counts as left behind (before 5.3.1).
    pop_rest_of_blocked = 0, "restNumOfBlockedQueue", "PopMessageProcessor.popMsgFromQueue";
    /// 1 when a copy that the revive service stores wakes a waiting receive (before 5.2.0).
    pop_revive_notifies = 0, "notifyAfterRevive", "PopReviveService.reviveRetry";
    /// Most receives that wait under one topic, group and queue id.
    pop_polling_size = 1_024, "popPollingSize", "BrokerConfig";
    /// 1 when a timer tells waiting receives that an ordered queue is free (5.1.0+).
    enable_notify_after_pop_order_lock_release = 1, "enableNotifyAfterPopOrderLockRelease", "BrokerConfig";
    /// Tick of that timer.
    order_lock_timer_tick_ms = 100, "TIMER_TICK_MS", "ConsumerOrderInfoLockManager";
    /// 1 when a young queue is read from 0 by a new POP group (5.1.4+).
    init_pop_offset_by_check_msg_in_mem = 1, "initPopOffsetByCheckMsgInMem", "BrokerConfig";
    /// The number from 0 to 99 that decides where a POP begins; -1 = seeded, drawn anew each time.
    pop_start_random = -1, "randomQ", "PopMessageProcessor.processRequest";
    /// Chance in percent that a POP reads the retry topic first.
    pop_from_retry_probability = 20, "popFromRetryProbability", "BrokerConfig";
    /// 1 when the chance is taken as r mod 5 = 0 (before 5.3.1).
    pop_from_retry_mod_five = 0, "needRetryModFive", "PopMessageProcessor";
    /// The revive service waits for longer than this (strictly) after a message is visible again.
    revive_wait_ms = 2_000, "ackTimeInterval + SECOND", "PopReviveService.mergeAndRevive";
    /// Distance of two looks of the revive service.
    revive_scan_ms = 100, "reviveScanSleep", "PopReviveService.consumeReviveMessage";
    /// First and further writes of the records of ordered POP to disk.
    flush_order_info_interval_ms = 10_000, "persistConsumerOrderInfo", "BrokerController.initializeBrokerScheduledTasks";
    /// 1 when ordered groups get one assignment for each queue (5.1.2+).
    assignment_each_queue = 1, "genAssignments", "proxy RouteActivity.queryAssignment";
    /// First heartbeat of a gRPC client.
    grpc_heartbeat_initial_delay_ms = 1_000, "HEART_BEAT_INITIAL_DELAY", "clients ClientManagerImpl";
    /// Period of the heartbeat of a gRPC client.
    grpc_heartbeat_period_ms = 10_000, "HEART_BEAT_PERIOD", "clients ClientManagerImpl";
    /// First look for assignments.
    assignment_initial_delay_ms = 1_000, "scanAssignmentsInitialDelay", "clients PushConsumerImpl.startUp";
    /// Pause between two looks for assignments.
    assignment_period_ms = 5_000, "scanAssignmentsPeriod", "clients PushConsumerImpl.startUp";
    /// Period of the exchange of settings.
    grpc_settings_period_ms = 300_000, "SYNC_SETTINGS_PERIOD", "clients ClientManagerImpl";
    /// Messages of one receive.
    grpc_receive_batch_size = 32, "receiveBatchSize", "proxy GrpcClientSettingsManager";
    /// Messages that a push consumer caches, all queues together.
    grpc_max_cache_count = 4_096, "maxCacheMessageCount", "clients PushConsumerBuilderImpl";
    /// Mebibytes that a push consumer caches, all queues together.
    grpc_max_cache_size_mib = 64, "maxCacheMessageSizeInBytes", "clients PushConsumerBuilderImpl";
    /// First poll of a gRPC client for the routes of its topics; the period is that of classic ones.
    grpc_route_initial_delay_ms = 10_000, "updateRouteInitialDelay", "clients ClientImpl";
    /// Pause of a receive loop whose cache is full, and after an error.
    grpc_receive_backoff_ms = 1_000, "RECEIVING_FAILURE_BACKOFF_DELAY", "clients ProcessQueueImpl";
    /// Pause of a receive loop that was throttled.
    grpc_receive_throttled_ms = 20, "RECEIVING_FLOW_CONTROL_BACKOFF_DELAY", "clients ProcessQueueImpl";
    /// Time-out of a gRPC request; a receive has its long poll on top.
    grpc_request_timeout_ms = 3_000, "requestTimeout", "clients ClientConfiguration";
    /// Distance of two attempts to acknowledge, to change the invisible time, to make a dead letter.
    grpc_ack_backoff_ms = 1_000, "ACK_MESSAGE_FAILURE_BACKOFF_DELAY", "clients ProcessQueueImpl";
    /// Consumption threads of a push consumer.
    consumption_thread_count = 20, "consumptionThreadCount", "clients PushConsumerBuilderImpl";
    /// 1 when a receive keeps its attempt id after every error and after an empty answer (2026); 0 when only
    /// after its time-out (up to Java 5.2.1).
    attempt_id_kept = 1, "attemptIdKept", "clients ProcessQueueImpl.onReceiveMessageException";
    /// How often a clean stop looks whether its receives are back.
    grpc_close_check_ms = 100, "waitingReceiveRequestFinished", "clients PushConsumerImpl";
    /// Pause of a clean stop before it tells the proxy.
    grpc_close_pause_ms = 1_000, "shutDownPause", "clients PushConsumerImpl.shutDown";
    /// Attempts of a gRPC send in all.
    grpc_producer_max_attempts = 3, "grpcClientProducerMaxAttempts", "proxy ProxyConfig";
    /// First wait of a throttled gRPC send.
    grpc_producer_backoff_initial_ms = 10, "grpcClientProducerBackoffInitialMillis", "proxy ProxyConfig";
    /// Longest wait of a throttled gRPC send.
    grpc_producer_backoff_max_ms = 1_000, "grpcClientProducerBackoffMaxMillis", "proxy ProxyConfig";
}

impl Model {
    /// The behaviour of one release. Releases between two known ones behave as the older one.
    pub fn of(version: Version) -> Self {
        let mut m = Self { version, ..Self::newest() };
        if version < Version(5, 3, 2) {
            m.pop_force_notify_interval = 0;
            m.timer_put_attempts = 0;
            m.illegal_queue_code = 1;
        }
        if version < Version(5, 1, 1) {
            m.time_search_lower_bound = 0;
        }
        if version < Version(5, 3, 1) {
            m.pop_notify_after_parking = 0;
            m.pop_rest_of_blocked = 1;
            m.pop_from_retry_mod_five = 1;
        }
        if version < Version(5, 3, 0) {
            m.pop_arrival_filter = 0;
        }
        if version < Version(5, 1, 4) {
            m.proxy_handle_by_place = 0;
            m.proxy_passes_attempt_id = 0;
            m.init_pop_offset_by_check_msg_in_mem = 0;
            m.proxy_cache_expire_ms = NEVER;
        }
        if version < Version(5, 1, 2) {
            m.assignment_each_queue = 0;
        }
        if version < Version(5, 1, 1) {
            m.transaction_check_interval_ms = 60_000;
            m.renew_slice_time_ms = 60_000;
            m.renew_max_time_ms = NEVER;
        }
        if version < Version(5, 1, 0) {
            m.transaction_op_batch_interval_ms = 0;
            m.grpc_min_long_polling_ms = 0;
            m.grpc_max_long_polling_ms = 30_000;
            m.enable_notify_after_pop_order_lock_release = 0;
        }
        if version < Version(5, 2, 0) {
            m.pop_revive_notifies = 1;
            m.use_server_side_reset_offset = 0;
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
            m.scan_not_active_broker_initial_ms = 5_000;
            m.scan_not_active_broker_interval_ms = 10_000;
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

    /// The same model by another release: what was set otherwise than its release has it stays.
    #[must_use]
    pub fn at_release(&self, version: Version) -> Self {
        let (was, mut other) = (Self::of(self.version), Self::of(version));
        other.blocking = self.blocking;
        for constant in CONSTANTS {
            let own = (constant.get)(self);
            if own != (constant.get)(&was) {
                (constant.set)(&mut other, own);
            }
        }
        other
    }

    /// Sets a constant by its name.
    ///
    /// # Errors
    /// There is none of that name, or it cannot have this value.
    pub fn set_constant(&mut self, name: &str, value: i64) -> Result<(), NotSet> {
        let constant = CONSTANTS.iter().find(|c| c.name == name).ok_or(NotSet::Unknown)?;
        let (least, most) = constant.range();
        if !(least..=most).contains(&value) {
            return Err(NotSet::OutOfRange { name: constant.name, least, most });
        }
        (constant.set)(self, value);
        Ok(())
    }

    /// Reads a constant by its name.
    pub fn constant(&self, name: &str) -> Option<i64> {
        CONSTANTS.iter().find(|c| c.name == name).map(|c| (c.get)(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_have_bounds_and_every_release_keeps_them() {
        let named = |name: &&&str| CONSTANTS.iter().any(|c| c.name == **name);
        assert_eq!(MAY_BE_NEVER.iter().filter(named).count(), MAY_BE_NEVER.len());
        assert_eq!(AT_LEAST_ONE.iter().filter(named).count(), AT_LEAST_ONE.len());
        for release in ["4.9", "5.0.0", "5.1", "5.2.0", "5.3", "documents"] {
            let model = Model::named(release).expect(release);
            for constant in CONSTANTS {
                let (least, most) = constant.range();
                let value = (constant.get)(&model);
                assert!((least..=most).contains(&value), "{release}: {}", constant.name);
            }
        }
    }

    #[test]
    fn what_was_set_stays_in_another_release() {
        let mut model = Model { blocking: Blocking::MessageGroup, ..Model::of(Version(5, 0, 0)) };
        model.pull_batch_size = 7;
        let expected = Model {
            blocking: Blocking::MessageGroup,
            pull_batch_size: 7,
            ..Model::of(Version(5, 1, 4))
        };
        assert_eq!(model.at_release(Version(5, 1, 4)), expected);
        assert_ne!(
            model.at_release(Version(5, 1, 4)).renew_slice_time_ms,
            model.renew_slice_time_ms
        );
    }

    #[test]
    fn a_value_outside_the_bounds_changes_nothing() {
        let mut model = Model::newest();
        assert_eq!(model.set_constant("nothing", 1), Err(NotSet::Unknown));
        for (name, value) in [
            ("pullBatchSize", 0),
            ("rocketmq.client.rebalance.lockInterval", NEVER),
            ("rocketmq.client.rebalance.lockInterval", i64::MAX),
            ("rebalanceLater", NEVER - 1),
            ("accessMessageInMemoryMaxRatio", 101),
        ] {
            assert!(
                matches!(model.set_constant(name, value), Err(NotSet::OutOfRange { .. })),
                "{name}"
            );
        }
        assert_eq!(model, Model::newest());
        assert_eq!(model.set_constant("rebalanceLater", NEVER), Ok(()));
        assert_eq!(model.rebalance_later_ms, NEVER);
    }
}
