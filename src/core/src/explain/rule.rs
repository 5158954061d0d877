//! The rules behind reasons: their names, their constants, their place in RocketMQ's source.

use super::{Amount, Run};
use crate::ids::{ClientId, GroupId};
use crate::model::NEVER;
use crate::pop::GrpcKind;
use crate::process::Process;

macro_rules! rules {
    ($($(#[doc = $doc:literal])* $name:ident: $source:literal [$($constant:literal $unit:ident),*];)*) => {
        /// A rule of RocketMQ's.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $($(#[doc = $doc])* $name,)*
        }

        impl Rule {
            /// All rules.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Class and method in RocketMQ's source.
            pub fn source(self) -> &'static str {
                match self {
                    $(Self::$name => $source,)*
                }
            }

            fn names(self) -> &'static [(&'static str, Unit)] {
                match self {
                    $(Self::$name => &[$(($constant, Unit::$unit)),*],)*
                }
            }
        }
    };
}

/// Unit of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Ms,
    Count,
    Hours,
    Percent,
    Switch,
}

rules! {
    /// A synchronous producer's thread sends its next message when the answer to the last one is there.
    SendInTurn: "DefaultMQProducerImpl.sendDefaultImpl" ["sendMsgTimeout" Ms];
    /// A message is readable when the broker has stored it.
    StoreFirst: "SendMessageProcessor.sendMessage" [];
    /// A send is tried a few times, then the application is told.
    SendAttempts: "DefaultMQProducerImpl.sendDefaultImpl" ["sendMsgTimeout" Ms, "retryTimesWhenSendFailed" Count];
    /// A synchronous send with a selector is tried once: another queue would be another order.
    SelectorSends: "DefaultMQProducerImpl.sendSelectImpl" ["sendMsgTimeout" Ms];
    /// An asynchronous send is tried a few times within one time-out.
    AsyncSends: "MQClientAPIImpl.onExceptionImpl" ["sendMsgTimeout" Ms, "retryTimesWhenSendAsyncFailed" Count];
    /// A send by gRPC is tried a few times, each attempt with a time-out of its own.
    GrpcSends: "clients ProducerImpl.send0" ["requestTimeout" Ms, "grpcClientProducerMaxAttempts" Count];
    /// The type of a message has to be the topic's.
    MessageType: "proxy DefaultTopicMessageTypeValidator" ["enableTopicMessageTypeCheck" Switch];
    /// A message has a message group, a delivery time or a transaction, and never two of them.
    OneKind: "clients MessageBuilderImpl, PublishingMessageImpl" [];
    /// A half message is invisible until its transaction is committed.
    HalfMessage: "TransactionalMessageServiceImpl" ["transactionCheckInterval" Ms, "transactionTimeOut" Ms, "transactionCheckMax" Count];
    /// A delay level looks only at its head.
    DelayLevel: "ScheduleMessageService.executeOnTimeup" ["DELAY_FOR_A_WHILE" Ms];
    /// Only the levels of the table that the broker was started with have a task.
    LevelTable: "ScheduleMessageService.start" [];
    /// An arbitrary delay ends on a tick of the timer wheel.
    TimerWheel: "TimerMessageStore" ["timerPrecisionMs" Ms];
    /// What was not flushed when the machine died is lost.
    Flush: "CommitLog.FlushRealTimeService" ["flushIntervalCommitLog" Ms, "flushCommitLogThoroughInterval" Ms];
    /// A broker with a disk that is too full refuses every write: sends, what comes back, what is due.
    DiskFull: "DefaultMessageStore.CleanCommitLogService, RunningFlags.isWriteable" ["diskSpaceWarningLevelRatio" Percent];
    /// Old segments are deleted, whether consumed or not.
    Retention: "DefaultMessageStore.CleanCommitLogService" ["fileReservedTime" Hours, "deleteWhen" Hours, "diskMaxUsedSpaceRatio" Percent];
    /// Only read queues are allocated and pulled.
    ReadQueues: "PullMessageProcessor.processRequest" [];
    /// A group gets only topics that it subscribes to.
    Subscription: "ConsumerGroupInfo.updateSubscription" [];
    /// A group has one subscription; what its tags do not want is passed over for all members.
    TagFilter: "DefaultMessageFilter.isMatchedByConsumeQueue" [];
    /// By POP each receive carries its own filter; the offset that it moves is the group's.
    ReceiveFilter: "PopMessageProcessor.processRequest" [];
    /// Where a group begins that has no recorded offset.
    StartOffset: "RebalancePushImpl.computePullFromWhereWithException" [];
    /// By POP a group without a recorded offset begins at the end: the proxy asks for the maximum offset.
    PopStartOffset: "PopMessageProcessor.getInitOffset" ["initPopOffsetByCheckMsgInMem" Switch];
    /// An offset outside the queue is corrected.
    OffsetCorrection: "DefaultMQPushConsumerImpl.pullMessage" ["offsetIllegalDelay" Ms];
    /// A reset moves the consumer offset past or before messages.
    Reset: "AdminBrokerProcessor.resetOffsetInner" ["useServerSideResetOffset" Switch];
    /// A pending reset is taken up by the next pull or POP of the queue.
    PendingReset: "ConsumerOffsetManager.queryThenEraseResetOffset" ["useServerSideResetOffset" Switch, "BROKER_SUSPEND_MAX_TIME_MILLIS" Ms];
    /// A legacy reset holds every consumer still.
    LegacyReset: "MQClientInstance.resetOffset" ["resetOffsetPause" Ms];
    /// What is consumed stays in the queue until retention deletes it.
    Consumed: "ProcessQueue.commit" ["persistConsumerOffsetInterval" Ms];
    /// A message whose attempts are used up becomes a dead letter.
    Attempts: "ConsumeMessageOrderlyService.checkReconsumeTimes" ["maxReconsumeTimes" Count];
    /// The same for a concurrent listener, which sends back what failed.
    SendBackAttempts: "AbstractSendMessageProcessor.consumerSendMsgBack" ["maxReconsumeTimes" Count];
    /// The same on receipt: a proxy hands out nothing whose attempts are used up.
    ReceiveAttempts: "proxy PopMessageResultFilterImpl.filterMessage" ["retryMaxTimes" Count];
    /// The same for POP.
    PopAttempts: "clients ProcessQueueImpl.eraseFifoMessage" ["retryMaxTimes" Count];
    /// From 5.0.0 to 5.1.0 an ordered message whose attempts are used up goes to the retry topic.
    LimitGoesRound: "SendMessageProcessor.handleRetryAndDLQ" ["maxReconsumeTimes" Count];
    /// A group needs a retry queue for what failed.
    RetryQueues: "SendMessageProcessor.consumerSendMsgBack" [];
    /// Somebody of the group has to run.
    Members: "ConsumerManager" ["CHANNEL_EXPIRED_TIMEOUT" Ms];
    /// A broker counts as members whose heartbeat it has got since it started.
    Registration: "ConsumerManager.registerConsumer" ["heartbeatBrokerInterval" Ms];
    /// A proxy remembers where a topic's queues are, and asks again when that is old.
    ProxyRoute: "proxy TopicRouteService" ["topicRouteServiceCacheRefreshSeconds" Ms, "topicRouteServiceCacheExpiredSeconds" Ms];
    /// A client's first round is a little after its start.
    FirstRound: "RebalanceService.run" ["rocketmq.client.rebalance.minInterval" Ms, "dispatchPullRequest" Ms];
    /// Queues are divided among the members in rounds.
    Allocation: "AllocateMessageQueueAveragely" ["rocketmq.client.rebalance.waitInterval" Ms, "rocketmq.client.rebalance.minInterval" Ms];
    /// A lock outlives its owner until its lease is over.
    Lease: "RebalanceLockManager.tryLockBatch" ["rocketmq.broker.rebalance.lockMaxLiveTime" Ms];
    /// A member that says nothing stays a member for a while, and keeps its queues.
    SilentMember: "ClientHousekeepingService.scanExceptionChannel" ["CHANNEL_EXPIRED_TIMEOUT" Ms, "scanExceptionChannel" Ms];
    /// The owner of a lock trusts it only for a time, and renews it.
    ClientLock: "ProcessQueue.isLockExpired" ["rocketmq.client.rebalance.lockMaxLiveTime" Ms, "rocketmq.client.rebalance.lockInterval" Ms, "submitConsumeRequestLaterRefused" Ms];
    /// A process that stands still does nothing, and its lock is not renewed.
    StandingProcess: "RebalanceLockManager" ["rocketmq.broker.rebalance.lockMaxLiveTime" Ms, "CHANNEL_EXPIRED_TIMEOUT" Ms];
    /// A gRPC consumer that stands still: its proxy renews what a push consumer has while it counts it as its
    /// client; what a SimpleConsumer has is visible again after its invisible time.
    GrpcStandingProcess: "proxy DefaultReceiptHandleManager.scheduleRenewTask" ["renewAheadTimeMillis" Ms, "CHANNEL_EXPIRED_TIMEOUT" Ms];
    /// Nothing gets through a cut; each side finds out by its own time-outs.
    Network: "MQClientInstance.sendHeartbeatToAllBroker" ["heartbeatBrokerInterval" Ms, "CHANNEL_EXPIRED_TIMEOUT" Ms];
    /// The same for a gRPC consumer, which speaks to a proxy.
    GrpcNetwork: "clients ClientManagerImpl, proxy GrpcClientChannel" ["HEART_BEAT_PERIOD" Ms, "CHANNEL_EXPIRED_TIMEOUT" Ms];
    /// A broker that is down serves nothing.
    BrokerRuns: "RouteInfoManager" ["registerNameServerPeriod" Ms, "DEFAULT_BROKER_CHANNEL_EXPIRED_TIME" Ms];
    /// A gRPC consumer reaches brokers only through its proxy.
    ProxyRuns: "proxy GrpcMessagingApplication" [];
    /// A queue is given away when its listener has returned, or by force.
    HandOver: "RebalancePushImpl.tryRemoveOrderMessageQueue" ["tryLockTimeout" Ms, "rocketmq.client.unlockDelayTimeMills" Ms, "UNLOCK_DELAY_TIME_MILLS" Ms];
    /// A queue in a client's table is not taken anew, dropped or not; one that is allocated to the client leaves the table
    /// only when it was not pulled for too long.
    PullIdle: "RebalanceImpl.updateProcessQueueTableInRebalance, ProcessQueue.isPullExpired" ["rocketmq.client.pull.pullMaxIdleTime" Ms];
    /// A gRPC push consumer that stops waits for its receives, then for its threads, then it takes leave.
    GrpcStop: "clients PushConsumerImpl.shutDown" ["grpcClientConsumerMaxLongPollingTimeoutMillis" Ms, "requestTimeout" Ms];
    /// A paused consumer does not pull.
    Pause: "DefaultMQPushConsumerImpl.pullMessage" ["pullTimeDelayMillsWhenException" Ms];
    /// A client with a full cache does not pull.
    FlowControl: "DefaultMQPushConsumerImpl.pullMessage" ["pullThresholdForQueue" Count, "pullThresholdSizeForQueue" Count, "consumeConcurrentlyMaxSpan" Count];
    /// The same for a gRPC push consumer.
    GrpcFlowControl: "clients ProcessQueueImpl.isCacheFull" ["maxCacheMessageCount" Count, "RECEIVING_FAILURE_BACKOFF_DELAY" Ms];
    /// After a failed request a client waits before the next one.
    RequestAgain: "DefaultMQPushConsumerImpl.executePullRequestLater" ["pullTimeDelayMillsWhenException" Ms];
    /// The same for a gRPC push consumer; when it was throttled it waits for less.
    GrpcRequestAgain: "clients ProcessQueueImpl.onReceiveMessageException" ["RECEIVING_FAILURE_BACKOFF_DELAY" Ms, "RECEIVING_FLOW_CONTROL_BACKOFF_DELAY" Ms];
    /// An answer that does not come is waited for until the request's time is over.
    AnswerAwaited: "NettyRemotingAbstract.scanResponseTable" ["CONSUMER_TIMEOUT_MILLIS_WHEN_SUSPEND" Ms];
    /// The same for a gRPC consumer.
    GrpcAnswerAwaited: "clients ClientManager.receiveMessage" ["grpcClientConsumerMaxLongPollingTimeoutMillis" Ms, "requestTimeout" Ms];
    /// Messages come by pulls, one request for each queue.
    Pull: "PullMessageService.run" ["pullBatchSize" Count, "dispatchPullRequest" Ms, "BROKER_SUSPEND_MAX_TIME_MILLIS" Ms];
    /// Messages come by receives.
    Receive: "PopMessageProcessor.processRequest" ["receiveBatchSize" Count, "grpcClientConsumerMaxLongPollingTimeoutMillis" Ms];
    /// A receive that found nothing waits at the broker until it is woken or its time is over.
    Poll: "PopLongPollingService.notifyMessageArriving" ["grpcClientConsumerMaxLongPollingTimeoutMillis" Ms, "enableNotifyAfterPopOrderLockRelease" Switch];
    /// A listener call needs a thread.
    Threads: "ConsumeMessageOrderlyService" ["consumeThreadMax" Count, "rocketmq.client.maxTimeConsumeContinuously" Ms];
    /// The same for a concurrent listener.
    ConcurrentThreads: "ConsumeMessageConcurrentlyService" ["consumeThreadMax" Count];
    /// The same for a gRPC push consumer.
    GrpcThreads: "clients ConsumeService" ["consumptionThreadCount" Count];
    /// One listener at a time for a queue, in one process.
    QueueMutex: "MessageQueueLock.fetchLockObject" [];
    /// A thread of the client waits for each answer, and what comes after it waits as well.
    OneThread: "PullMessageService, ConsumeMessageOrderlyService" [];
    /// An orderly consumer handles a queue one batch at a time.
    OneAtATime: "ConsumeMessageOrderlyService.ConsumeRequest" ["consumeMessageBatchMaxSize" Count, "rocketmq.client.maxTimeConsumeContinuously" Ms];
    /// Without autoCommit a listener says COMMIT to finish what it has taken.
    AutoCommit: "ConsumeOrderlyContext.isAutoCommit" [];
    /// A failed orderly message suspends its queue and stays in front.
    Suspend: "ConsumeMessageOrderlyService.processConsumeResult" ["suspendCurrentQueueTimeMillis" Ms, "maxReconsumeTimes" Count];
    /// The articles' model: it suspends only its message group.
    GroupSuspend: "Lockstep, model documents" ["suspendCurrentQueueTimeMillis" Ms, "maxReconsumeTimes" Count];
    /// A failed concurrent message goes back to the broker and comes again later.
    SendBack: "ConsumeMessageConcurrentlyService.sendMessageBack" ["maxReconsumeTimes" Count, "submitConsumeRequestLater" Ms];
    /// A concurrent listener takes messages in any order.
    AnyOrder: "ConsumeMessageConcurrentlyService.submitConsumeRequest" ["consumeThreadMax" Count];
    /// What was delivered and not acknowledged is invisible for a time.
    Invisible: "PopMessageProcessor" ["renewAheadTimeMillis" Ms];
    /// An unfinished message blocks its whole queue for an ordered group.
    OrderedPop: "ConsumerOrderInfoManager.needBlock" ["TIMER_TICK_MS" Ms, "enableNotifyAfterPopOrderLockRelease" Switch];
    /// The articles' model: it blocks only its message group.
    GroupPop: "Lockstep, model documents" ["TIMER_TICK_MS" Ms];
    /// A push consumer of an ordered group handles a received batch one by one.
    FifoLane: "clients FifoConsumeService" ["consumptionThreadCount" Count];
    /// A failed message of a push consumer waits by its group's retry policy.
    RetryPolicy: "clients ProcessQueueImpl.eraseFifoMessage" ["retryMaxTimes" Count];
    /// A message is finished when its acknowledgement has arrived.
    Acknowledge: "clients ProcessQueueImpl.ackMessage" ["ACK_MESSAGE_FAILURE_BACKOFF_DELAY" Ms];
    /// Without order, what is not acknowledged in time is copied to the retry topic.
    Revive: "PopReviveService.mergeAndRevive" ["ackTimeInterval + SECOND" Ms];
    /// A SimpleConsumer gets messages when its application asks.
    SimpleAsks: "clients SimpleConsumerImpl.receive" [];
    /// A loop of a SimpleConsumer's application handles what a receive brought, one by one, and then asks again.
    SimpleLoop: "clients SimpleConsumerImpl.receive" [];
    /// A push consumer reads what it was assigned.
    Assignment: "clients PushConsumerImpl.scanAssignments" ["scanAssignmentsInitialDelay" Ms, "scanAssignmentsPeriod" Ms];
    /// One key, one queue: the hash of the message group chooses it among the write queues.
    Routing: "SelectMessageQueueByHash, proxy SendMessageQueueSelector" [];
    /// Order is only promised for one producer that sends one after the other.
    SerialSends: "DefaultMQProducerImpl.send" ["retryTimesWhenSendAsyncFailed" Count];
    /// A command is refused when the system cannot do it.
    Refusal: "Lockstep, command.rs" [];
}

/// A constant with its value in this run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant {
    /// RocketMQ's name.
    pub name: &'static str,
    /// Value, with its unit.
    pub amount: Amount,
}

impl Rule {
    /// The constants of the rule, as they are for a consumer group and a consumer of it.
    pub(super) fn constants(
        self,
        run: &Run<'_>,
        group: Option<GroupId>,
        client: Option<ClientId>,
    ) -> Vec<Constant> {
        let constant = |(name, unit): &(&'static str, Unit)| {
            let amount = of_client(run, client, name)
                .or_else(|| of_group(run, group, name))
                .or_else(|| run.world.shared.model.constant(name).map(|v| unit.amount(v)))?;
            Some(Constant { name, amount })
        };
        let applies = |(name, _): &&(&'static str, Unit)| {
            // A release either postpones its unlocks or forces them; the other one it does not have.
            if matches!(*name, "UNLOCK_DELAY_TIME_MILLS" | "rocketmq.client.unlockDelayTimeMills") {
                return run.world.shared.model.constant(name) != Some(NEVER);
            }
            // The proxy renews for push consumers; a SimpleConsumer renews by itself or not at all.
            *name != "renewAheadTimeMillis" || group.is_none_or(|group| has_push(run, group))
        };
        self.names().iter().filter(applies).filter_map(constant).collect()
    }
}

/// Whether a consumer of a group is a push consumer by gRPC.
fn has_push(run: &Run<'_>, group: GroupId) -> bool {
    let mut members = run.world.clients.iter().filter(|p| p.group() == group);
    members.any(|p| p.grpc().is_some_and(|client| client.kind == GrpcKind::Push))
}

impl Unit {
    fn amount(self, value: i64) -> Amount {
        match self {
            Self::Ms => Amount::Ms(value),
            Self::Count => Amount::Count(value),
            Self::Hours => Amount::Hours(value),
            Self::Percent => Amount::Percent(value),
            Self::Switch => Amount::Switch(value != 0),
        }
    }
}

/// What a consumer was started with, which stands in for its group's setting.
fn of_client(run: &Run<'_>, client: Option<ClientId>, name: &str) -> Option<Amount> {
    let threads = match (run.world.clients.get(client?.index())?, name) {
        (Process::Classic(classic), "consumeThreadMax") => classic.threads,
        (Process::Grpc(grpc), "consumptionThreadCount") => grpc.threads,
        _ => return None,
    };
    Some(Amount::Count(i64::from(threads)))
}

/// Settings of a consumer group that stand in for constants.
fn of_group(run: &Run<'_>, group: Option<GroupId>, name: &str) -> Option<Amount> {
    let of = run.world.shared.group(group?);
    let model = &run.world.shared.model;
    Some(match name {
        "maxReconsumeTimes" => match of.effective_max_reconsume_times(model) {
            i32::MAX => Amount::Unlimited,
            n => Amount::Count(i64::from(n)),
        },
        "suspendCurrentQueueTimeMillis" if of.suspend_ms >= 0 => Amount::Ms(of.suspend_ms),
        "consumeThreadMax" if of.threads > 0 => Amount::Count(i64::from(of.threads)),
        "consumptionThreadCount" if of.threads > 0 => Amount::Count(i64::from(of.threads)),
        "consumeMessageBatchMaxSize" => Amount::Count(i64::from(of.batch_max)),
        "retryMaxTimes" if of.pop.retry_max_times >= 0 => {
            Amount::Count(i64::from(of.pop.retry_max_times))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::CONSTANTS;

    #[test]
    fn every_constant_of_a_rule_is_known() {
        let settings = ["maxReconsumeTimes", "consumeMessageBatchMaxSize"];
        for rule in Rule::ALL {
            for (name, _) in rule.names() {
                let known = CONSTANTS.iter().any(|c| c.name == *name) || settings.contains(name);
                assert!(known, "{rule:?}: {name}");
            }
            assert!(!rule.source().is_empty());
        }
    }
}
