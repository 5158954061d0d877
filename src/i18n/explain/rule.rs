//! Names of rules, constants and values.

use lockstep_core::explain::{Amount, Rule, Value, ValueName};

use crate::sentence::Speaker;
use crate::{clock, left, number};

crate::catalogue! {
    /// Names of rules, in one short sentence each.
    RuleText;
    plain {
        send_in_turn = "A thread sends one message after the other", "一个线程逐条发送";
        store_first = "A message is readable once it is stored", "消息存储之后才能读取";
        send_attempts = "A send is tried a few times, then the application is told", "发送重试几次后，把失败告诉应用";
        selector_sends = "A send with a selector is tried once, then the application is told", "带选择器的发送只尝试一次，失败就告诉应用";
        async_sends = "An asynchronous send is tried a few times within one time-out", "异步发送在同一个超时内尝试几次";
        grpc_sends = "A gRPC send is tried a few times, each attempt with its own time-out", "gRPC 发送尝试几次，每次各有超时";
        message_type = "A message has to be of its topic's type", "消息类型必须与主题类型一致";
        one_kind = "A message has a message group, a delivery time or a transaction: one of them", "消息组、定时、事务三者只能取其一";
        disk_full = "A broker whose disk is too full refuses every write", "磁盘已满的 Broker 拒绝一切写入";
        half_message = "A half message is invisible until its commit", "半消息在提交之前不可见";
        level_table = "Only the levels of the table that a broker was started with have a task", "只有 Broker 启动时级别表中的级别才有任务";
        delay_level = "A level looks only at its head", "每个延迟级别只看队首";
        timer_wheel = "An arbitrary delay ends on a tick of the timer wheel", "任意延迟在时间轮的刻度上到期";
        flush = "What is not on disk is lost with the machine", "未落盘的数据随机器断电丢失";
        retention = "Old segments are deleted, consumed or not", "旧文件到期即删除，不论是否已消费";
        read_queues = "Only read queues are allocated", "只有读队列参与分配";
        subscription = "Queues are divided among all members of a group", "队列在组内所有成员之间划分";
        tag_filter = "A group has one subscription", "一个组只有一份订阅";
        start_offset = "A group without an offset begins where its rule says", "没有位点的组按起始规则开始";
        pop_start_offset = "By POP a group without an offset begins at the end", "没有位点的组用 POP 消费时从末尾开始";
        offset_correction = "An offset outside the queue is corrected", "超出队列范围的位点会被纠正";
        reset = "A reset moves the consumer offset", "重置会移动消费位点";
        pending_reset = "A pending reset is taken up by the next pull", "待生效的重置由下一次拉取取走";
        legacy_reset = "A legacy reset holds every consumer still", "旧方式的重置会让所有消费者暂停";
        consumed = "Consuming moves an offset and deletes nothing", "消费只移动位点，不删除消息";
        limit_goes_round = "From 5.0.0 to 5.1.0 an ordered message at its limit goes to the retry topic, not to the dead letters", "5.0.0 到 5.1.0：达到重试上限的顺序消息进入重试主题，而不是死信队列";
        attempts = "A message whose attempts are used up becomes a dead letter", "用尽重试次数的消息成为死信";
        retry_queues = "What failed needs a retry queue", "失败的消息需要重试队列";
        members = "Somebody of the group has to run", "组内必须有消费者在运行";
        registration = "A broker counts as members whose heartbeat it has got", "Broker 收到心跳之后才把消费者算作成员";
        proxy_route = "A proxy goes on with the route that it remembers until that is old", "Proxy 在路由过期之前一直使用它记住的路由";
        receive_filter = "Each receive has its own filter, each group one offset", "每次接收各有过滤条件，每个组只有一个位点";
        first_round = "A client's first round comes a moment after its start", "客户端启动片刻后才有第一轮重平衡";
        allocation = "Queues are divided in rounds", "队列在一轮轮重平衡中划分";
        lease = "A lock outlives its owner until its lease is over", "锁会在持有者消失后保留到租约结束";
        silent_member = "A silent member stays a member for a while", "沉默的成员要过一段时间才被移出";
        client_lock = "Only the owner of the lock works on a queue", "只有锁的持有者处理队列";
        standing = "A process that stands still keeps what it has", "停顿的进程不会放弃它持有的内容";
        grpc_standing = "What a process that stands still has received is invisible until nobody renews it any more", "停顿的进程收到的消息保持不可见，直到不再续期";
        grpc_stop = "A consumer that stops receives nothing more and waits for what runs", "正在停止的消费者不再接收，并等待正在进行的请求和处理";
        network = "Nothing gets through a cut", "网络中断时什么也无法通过";
        broker_runs = "A broker that is down serves nothing", "停止的 Broker 不提供服务";
        proxy_runs = "A gRPC consumer reaches brokers through its proxy", "gRPC 消费者通过 Proxy 访问 Broker";
        pull_idle = "A queue that stands in a client's table is not taken anew; one that was dropped and is allocated again leaves the table only when it was not pulled for long", "仍在客户端表中的队列不会重新接手；被丢弃后又重新分配回来的队列，只有长时间没有拉取才会移出该表";
        hand_over = "A queue is given away when its listener has returned", "监听器返回之后才交出队列";
        pause = "A paused consumer neither pulls nor rebalances", "暂停的消费者不拉取，也不重平衡";
        flow_control = "A client with a full cache does not fetch", "缓存已满的客户端不再获取";
        request_again = "After a failed request a client waits a moment", "请求失败后客户端稍等再试";
        answer_awaited = "An answer that was lost is waited for until the request's time is over", "丢失的响应要等到请求超时";
        pull = "Messages come by pulls, one request for each queue", "消息由拉取获得，每个队列一个请求";
        receive = "Messages come by receives", "消息由接收请求获得";
        poll = "A receive that found nothing sleeps until somebody wakes it or its time is over", "没有取到消息的接收请求会休眠，直到被唤醒或到时";
        threads = "A listener call needs a thread", "调用监听器需要线程";
        one_thread = "A thread of the client does one thing after the other and waits for each answer", "客户端的一个线程一次只做一件事，并等待每个响应";
        queue_mutex = "One listener at a time for a queue in a process", "同一进程内一个队列同时只有一个监听器";
        one_at_a_time = "One message at a time from a queue", "每个队列一次只处理一条";
        auto_commit = "Without autoCommit a COMMIT finishes what was taken", "关闭 autoCommit 时，COMMIT 才完成已取的消息";
        suspend = "A failed orderly message suspends its queue", "失败的顺序消息会挂起其队列";
        group_suspend = "A failed message suspends its message group", "失败的消息只挂起其消息组";
        send_back = "A failed concurrent message goes back to the broker", "并发消费失败的消息发回 Broker";
        any_order = "A concurrent listener takes messages in any order", "并发监听器不保证顺序";
        invisible = "What is delivered is invisible until its time is over", "已投递的消息在不可见时间内不再投递";
        ordered_pop = "An unfinished message blocks its queue", "未完成的消息阻塞其队列";
        group_pop = "An unfinished message blocks its message group", "未完成的消息只阻塞其消息组";
        fifo_lane = "A push consumer of an ordered group handles a batch one by one", "顺序组的 PushConsumer 逐条处理一批消息";
        retry_policy = "A failed message waits by the group's retry policy", "失败的消息按该组的重试策略等待";
        acknowledge = "A message is finished when its acknowledgement has arrived", "确认到达之后消息才算完成";
        revive = "Without order, what is not acknowledged goes to the retry topic", "非顺序消费时，未确认的消息进入重试主题";
        simple_asks = "A SimpleConsumer gets messages when its application asks", "SimpleConsumer 在应用调用时才接收";
        simple_loop = "The application handles what a receive brought, one by one, and then receives again", "应用逐条处理一次接收的消息，然后再次接收";
        assignment = "A push consumer reads what it was assigned", "PushConsumer 读取分配给它的队列";
        routing = "The hash of the message group chooses the queue", "消息组的哈希决定队列";
        serial_sends = "Order is promised to one producer that sends one by one", "只有单个生产者串行发送才保证顺序";
        refusal = "What the system cannot do is refused", "系统做不到的命令会被拒绝";
        on = "on", "开";
        off = "off", "关";
        unlimited = "no limit", "无限制";
        nothing = "none", "无";
        heading_rule = "Rule", "规则";
        heading_values = "Values now", "当前数值";
        heading_because = "Because", "原因";
        heading_moves = "What would move it", "怎样才能推进";
        heading_collateral = "Who else waits", "还有谁在等";
    }
    with {
        hours(count: i64) = "{count} h", "{count} 小时";
        percent(count: i64) = "{count} %", "{count} %";
    }
}

crate::catalogue! {
    /// Names of values.
    ValueText;
    plain {
        min_offset = "Minimum offset", "最小位点";
        max_offset = "Maximum offset", "最大位点";
        consumer_offset = "Consumer offset", "消费位点";
        queue_offset = "Its offset", "它的位点";
        stored = "Stored at", "存储于";
        lock_owner = "Lock held by", "锁的持有者";
        lock_left = "Lease left", "租约剩余";
        client_lock_left = "Owner trusts its lock for", "持有者信任锁的剩余时间";
        cached = "Cached messages", "缓存消息数";
        attempts = "Attempts so far", "已处理次数";
        busy_threads = "Busy threads", "忙碌线程";
        threads = "Threads", "线程数";
        members = "Running consumers", "运行中的消费者";
        ordered = "consumeMessageOrderly", "consumeMessageOrderly";
        waiting_level = "Waiting under the level", "该级别等待数";
        head_due = "Head due at", "队首到期";
        queues = "Queues", "队列数";
    }
    with {}
}

impl Speaker<'_> {
    /// A rule's name.
    pub fn rule(&self, rule: Rule) -> &'static str {
        let text = RuleText(self.locale);
        match rule {
            Rule::SendInTurn => text.send_in_turn(),
            Rule::StoreFirst => text.store_first(),
            Rule::SendAttempts => text.send_attempts(),
            Rule::SelectorSends => text.selector_sends(),
            Rule::AsyncSends => text.async_sends(),
            Rule::GrpcSends => text.grpc_sends(),
            Rule::MessageType => text.message_type(),
            Rule::OneKind => text.one_kind(),
            Rule::DiskFull => text.disk_full(),
            Rule::HalfMessage => text.half_message(),
            Rule::DelayLevel => text.delay_level(),
            Rule::LevelTable => text.level_table(),
            Rule::TimerWheel => text.timer_wheel(),
            Rule::Flush => text.flush(),
            Rule::Retention => text.retention(),
            Rule::ReadQueues => text.read_queues(),
            Rule::Subscription => text.subscription(),
            Rule::TagFilter => text.tag_filter(),
            Rule::StartOffset => text.start_offset(),
            Rule::PopStartOffset => text.pop_start_offset(),
            Rule::OffsetCorrection => text.offset_correction(),
            Rule::Reset => text.reset(),
            Rule::PendingReset => text.pending_reset(),
            Rule::LegacyReset => text.legacy_reset(),
            Rule::Consumed => text.consumed(),
            Rule::Attempts | Rule::SendBackAttempts | Rule::ReceiveAttempts | Rule::PopAttempts => {
                text.attempts()
            }
            Rule::LimitGoesRound => text.limit_goes_round(),
            Rule::RetryQueues => text.retry_queues(),
            Rule::Members => text.members(),
            Rule::Registration => text.registration(),
            Rule::ProxyRoute => text.proxy_route(),
            Rule::ReceiveFilter => text.receive_filter(),
            Rule::FirstRound => text.first_round(),
            Rule::Allocation => text.allocation(),
            Rule::Lease => text.lease(),
            Rule::SilentMember => text.silent_member(),
            Rule::ClientLock => text.client_lock(),
            Rule::StandingProcess => text.standing(),
            Rule::GrpcStandingProcess => text.grpc_standing(),
            Rule::GrpcStop => text.grpc_stop(),
            Rule::Network | Rule::GrpcNetwork => text.network(),
            Rule::BrokerRuns => text.broker_runs(),
            Rule::ProxyRuns => text.proxy_runs(),
            Rule::HandOver => text.hand_over(),
            Rule::PullIdle => text.pull_idle(),
            Rule::Pause => text.pause(),
            Rule::FlowControl | Rule::GrpcFlowControl => text.flow_control(),
            Rule::GrpcRequestAgain => text.request_again(),
            Rule::RequestAgain => text.request_again(),
            Rule::AnswerAwaited | Rule::GrpcAnswerAwaited => text.answer_awaited(),
            Rule::Pull => text.pull(),
            Rule::Receive => text.receive(),
            Rule::Poll => text.poll(),
            Rule::Threads | Rule::ConcurrentThreads | Rule::GrpcThreads => text.threads(),
            Rule::QueueMutex => text.queue_mutex(),
            Rule::OneThread => text.one_thread(),
            Rule::OneAtATime => text.one_at_a_time(),
            Rule::AutoCommit => text.auto_commit(),
            Rule::Suspend => text.suspend(),
            Rule::GroupSuspend => text.group_suspend(),
            Rule::SendBack => text.send_back(),
            Rule::AnyOrder => text.any_order(),
            Rule::Invisible => text.invisible(),
            Rule::OrderedPop => text.ordered_pop(),
            Rule::GroupPop => text.group_pop(),
            Rule::FifoLane => text.fifo_lane(),
            Rule::RetryPolicy => text.retry_policy(),
            Rule::Acknowledge => text.acknowledge(),
            Rule::Revive => text.revive(),
            Rule::SimpleAsks => text.simple_asks(),
            Rule::SimpleLoop => text.simple_loop(),
            Rule::Assignment => text.assignment(),
            Rule::Routing => text.routing(),
            Rule::SerialSends => text.serial_sends(),
            Rule::Refusal => text.refusal(),
        }
    }

    /// An amount with its unit.
    pub fn amount(&self, amount: Amount) -> String {
        let text = RuleText(self.locale);
        match amount {
            Amount::Ms(ms) => format!("{} ms", number(ms)),
            Amount::Instant(ms) => clock(ms),
            Amount::Left(ms) => left(ms),
            Amount::Count(n) | Amount::Offset(n) => number(n),
            Amount::Hours(n) => text.hours(n),
            Amount::Percent(n) => text.percent(n),
            Amount::Switch(true) => text.on().to_owned(),
            Amount::Switch(false) => text.off().to_owned(),
            Amount::Unlimited => text.unlimited().to_owned(),
            Amount::Nothing => text.nothing().to_owned(),
            Amount::Client(client) => self.client(client).to_owned(),
            Amount::Message(msg) => self.msg(msg),
        }
    }

    /// The name of a value.
    pub fn value_name(&self, value: &Value) -> &'static str {
        let text = ValueText(self.locale);
        match value.name {
            ValueName::MinOffset => text.min_offset(),
            ValueName::MaxOffset => text.max_offset(),
            ValueName::ConsumerOffset => text.consumer_offset(),
            ValueName::QueueOffset => text.queue_offset(),
            ValueName::Stored => text.stored(),
            ValueName::LockOwner => text.lock_owner(),
            ValueName::LockLeft => text.lock_left(),
            ValueName::ClientLockLeft => text.client_lock_left(),
            ValueName::Cached => text.cached(),
            ValueName::Attempts => text.attempts(),
            ValueName::BusyThreads => text.busy_threads(),
            ValueName::Threads => text.threads(),
            ValueName::Members => text.members(),
            ValueName::Ordered => text.ordered(),
            ValueName::WaitingUnderLevel => text.waiting_level(),
            ValueName::HeadDue => text.head_due(),
            ValueName::Queues => text.queues(),
        }
    }
}
