//! The sentences of the log, one for each kind of fact. The page fills them in.

crate::catalogue! {
    /// Sentences of the log.
    Log;
    plain {
        title = "Log", "日志";
        filter = "Filter", "过滤";
        filter_hint = "Words, such as A2 or lock", "输入文字，例如 A2 或 锁";
        kinds = "Kinds", "类别";
        kind_send = "Send", "发送";
        kind_delay = "Delay", "延迟";
        kind_handle = "Handle", "处理";
        kind_retry = "Retry", "重试";
        kind_lock = "Lock", "锁";
        kind_rebalance = "Rebalance", "重平衡";
        kind_pull = "Pull", "拉取";
        kind_client = "Client log", "客户端日志";
        kind_fault = "Fault", "故障";
        routine = "Routine too", "含例行事件";
        about_selected = "About the selected thing only", "仅与所选对象有关";
        nothing = "Nothing matches.", "没有匹配的记录。";
        nothing_yet = "Nothing has happened yet.", "还没有发生任何事。";
        follow = "Follow", "跟随";
    }
    with {
        lines(shown: &str, all: &str) = "{shown} of {all} lines", "{shown} / {all} 行";
        command_applied(what: &str) = "Scenario: {what}.", "场景：{what}。";
        command_refused(why: &str) = "Refused: {why}.", "被拒绝：{why}。";
        built(producer: &str, msg: &str) = "The application hands {msg} to {producer}.", "应用把 {msg} 交给 {producer}。";
        send_started(producer: &str, msg: &str, queue: &str) = "{producer} sends {msg} to {queue}.", "{producer} 向 {queue} 发送 {msg}。";
        send_again(producer: &str, msg: &str, queue: &str, attempt: u8) = "{producer} sends {msg} to {queue} again, attempt {attempt}.", "{producer} 再次向 {queue} 发送 {msg}，第 {attempt} 次尝试。";
        send_completed(producer: &str, msg: &str, queue: &str) = "{producer} learns that {msg} is stored in {queue}.", "{producer} 得知 {msg} 已存入 {queue}。";
        send_failed(producer: &str, msg: &str, why: &str) = "{producer} fails to send {msg}: {why}.", "{producer} 发送 {msg} 失败：{why}。";
        stored(msg: &str, queue: &str, offset: u32) = "{msg} is stored in {queue} at offset {offset}.", "{msg} 存入 {queue}，位点 {offset}。";
        stored_put_back(msg: &str, queue: &str, offset: u32) = "{msg} is put back into {queue} at offset {offset}.", "{msg} 被放回 {queue}，位点 {offset}。";
        stored_retry(msg: &str, queue: &str, offset: u32) = "A copy of {msg} is stored for a repeat, in {queue} at offset {offset}.", "{msg} 的副本存入 {queue} 等待重试，位点 {offset}。";
        stored_dead(msg: &str, queue: &str, offset: u32) = "{msg} is stored as a dead letter, in {queue} at offset {offset}.", "{msg} 作为死信存入 {queue}，位点 {offset}。";
        scheduled_dead(msg: &str, level: &str, due: &str) = "{msg} is to become a dead letter and waits under delay level {level}, due at {due}.", "{msg} 将成为死信，在延迟级别 {level} 等待，{due} 到期。";
        scheduled(msg: &str, level: &str, due: &str) = "{msg} waits under delay level {level}, due at {due}.", "{msg} 在延迟级别 {level} 等待，{due} 到期。";
        scheduled_wheel(msg: &str, due: &str) = "{msg} waits in the timer wheel, due at {due}.", "{msg} 在时间轮中等待，{due} 到期。";
        put_back(msg: &str, level: &str) = "{msg} is due and leaves delay level {level}.", "{msg} 到期，离开延迟级别 {level}。";
        put_back_wheel(msg: &str) = "{msg} is due and leaves the timer wheel.", "{msg} 到期，离开时间轮。";
        client_started(client: &str) = "{client} starts.", "{client} 启动。";
        client_clean(client: &str) = "{client} stops cleanly: unlock, offsets, unregister.", "{client} 正常停止：解锁、提交位点、注销。";
        client_closed(client: &str) = "{client} closes and tells its proxy.", "{client} 关闭，并告知其 Proxy。";
        client_crash(client: &str) = "{client} crashes; its connection closes.", "{client} 崩溃，连接断开。";
        client_silent(client: &str) = "The machine of {client} vanishes; nobody is told.", "{client} 所在机器消失，没有任何通知。";
        client_hang(client: &str) = "{client} stands still.", "{client} 停顿。";
        client_resumed(client: &str) = "{client} goes on.", "{client} 恢复运行。";
        joined(group: &str, client: &str) = "{client} joins {group}.", "{client} 加入 {group}。";
        left(group: &str, client: &str, why: &str) = "{client} leaves {group}: {why}.", "{client} 离开 {group}：{why}。";
        notified(client: &str) = "{client} learns that its group changed.", "{client} 得知消费组成员变化。";
        round_started(client: &str, why: &str) = "{client} begins a rebalance round: {why}.", "{client} 开始一轮重平衡：{why}。";
        round_balanced(client: &str) = "{client} ends its rebalance round, balanced.", "{client} 结束重平衡，已平衡。";
        round_unbalanced(client: &str) = "{client} ends its rebalance round and still lacks a queue.", "{client} 结束重平衡，仍缺少队列。";
        lock_free(client: &str, queue: &str) = "{client} locks {queue}; nobody held it.", "{client} 锁定 {queue}，此前无人持有。";
        lock_renewed(client: &str, queue: &str) = "{client} renews its lock of {queue}.", "{client} 续期 {queue} 的锁。";
        lock_expired(client: &str, queue: &str, from: &str) = "{client} locks {queue}; the lease of {from} was over.", "{client} 锁定 {queue}，{from} 的租约已过期。";
        lock_refused(client: &str, queue: &str, owner: &str, left: &str) = "{client} is refused the lock of {queue}: {owner} holds it for another {left}.", "{client} 申请 {queue} 的锁被拒：{owner} 还持有 {left}。";
        lock_released(client: &str, queue: &str) = "{client} unlocks {queue}.", "{client} 释放 {queue} 的锁。";
        lock_missing(client: &str, queue: &str) = "{client} does not hold the lock of {queue}: the broker refused the last renewal.", "{client} 未持有 {queue} 的锁：Broker 拒绝了上次续期。";
        lock_stale(client: &str, queue: &str) = "{client} no longer trusts its lock of {queue}: the last renewal is too old.", "{client} 不再信任 {queue} 的锁：上次续期太久。";
        relock(client: &str, queue: &str, at: &str) = "{client} will ask for the lock of {queue} again at {at}.", "{client} 将在 {at} 再次申请 {queue} 的锁。";
        queue_added(client: &str, queue: &str, offset: u32) = "{client} takes {queue} and will read from offset {offset}.", "{client} 接手 {queue}，从位点 {offset} 读取。";
        queue_dropped(client: &str, queue: &str, why: &str) = "{client} drops {queue}: {why}.", "{client} 放弃 {queue}：{why}。";
        release_postponed(client: &str, queue: &str) = "{client} cannot give {queue} away yet: its listener runs.", "{client} 暂时无法交出 {queue}：监听器仍在运行。";
        queue_removed(client: &str, queue: &str) = "{client} forgets {queue}.", "{client} 移除 {queue}。";
        queue_forced(client: &str, queue: &str) = "{client} gives {queue} away by force while its listener runs.", "{client} 强制交出 {queue}，监听器仍在运行。";
        pulled_one(client: &str, queue: &str, offset: u32) = "{client} pulls one message from {queue}, offset {offset}.", "{client} 从 {queue} 拉取 1 条，位点 {offset}。";
        pulled(client: &str, queue: &str, offset: u32, count: u16) = "{client} pulls {count} ‹message|messages› from {queue}, from offset {offset}.", "{client} 从 {queue} 拉取 {count} 条，起始位点 {offset}。";
        pull_held(client: &str, queue: &str, offset: u32) = "The broker holds the pull of {client}: {queue} has nothing at offset {offset}.", "Broker 挂起 {client} 的拉取：{queue} 在位点 {offset} 没有消息。";
        pull_postponed(client: &str, queue: &str, why: &str) = "{client} does not pull {queue} now: {why}.", "{client} 暂不拉取 {queue}：{why}。";
        offset_corrected(client: &str, queue: &str, offset: u32, corrected: u32) = "The broker refuses offset {offset} of {queue}; {client} goes on at {corrected}.", "Broker 拒绝 {queue} 的位点 {offset}，{client} 从 {corrected} 继续。";
        handling(client: &str, msg: &str, queue: &str) = "{client} handles {msg} from {queue}.", "{client} 处理 {queue} 的 {msg}。";
        handling_again(client: &str, msg: &str, queue: &str, attempt: u32) = "{client} handles {msg} from {queue} again, attempt {attempt}.", "{client} 再次处理 {queue} 的 {msg}，第 {attempt} 次。";
        handled(client: &str, msg: &str) = "{client} has handled {msg}.", "{client} 处理完 {msg}。";
        handled_code(client: &str, msg: &str, code: &str) = "{client} has handled {msg}: {code}.", "{client} 处理完 {msg}：{code}。";
        failed(client: &str, msg: &str, code: &str) = "{msg} fails on {client}: {code}.", "{msg} 在 {client} 上失败：{code}。";
        acknowledged(client: &str, msg: &str, queue: &str) = "{client} acknowledges {msg} of {queue}: it counts as consumed.", "{client} 确认 {queue} 的 {msg}，记为已消费。";
        discarded_closed(client: &str, msg: &str) = "{msg} is not acknowledged: {client} was closed before its handler returned.", "{msg} 没有确认：{client} 在处理结束之前已关闭。";
        discarded(client: &str, msg: &str, queue: &str) = "The result of {msg} comes too late: {client} has dropped {queue}.", "{msg} 的结果来得太晚：{client} 已放弃 {queue}。";
        suspended(queue: &str, msg: &str, failures: u32, until: &str) = "{queue} is suspended until {until}: {msg} failed {failures} ‹time|times›.", "{queue} 挂起至 {until}：{msg} 已失败 {failures} 次。";
        suspended_first(queue: &str, msg: &str, until: &str) = "{queue} is suspended until {until}: {msg} failed.", "{queue} 挂起至 {until}：{msg} 失败。";
        yielded(client: &str, queue: &str) = "{client} gives the thread of {queue} back after its longest run.", "{client} 在 {queue} 上运行达到上限，让出线程。";
        sent_back(client: &str, msg: &str, level: &str, times: u16) = "{client} sends {msg} back, repeat {times} under delay level {level}.", "{client} 退回 {msg}，第 {times} 次重试，延迟级别 {level}。";
        send_back_failed(client: &str, msg: &str) = "{client} could not send {msg} back.", "{client} 退回 {msg} 失败。";
        dead_lettered(msg: &str, group: &str) = "{msg} becomes a dead letter of {group}.", "{msg} 成为 {group} 的死信。";
        committed(group: &str, queue: &str, offset: u32) = "The broker records offset {offset} of {queue} for {group}.", "Broker 为 {group} 记录 {queue} 的位点 {offset}。";
        packet_lost(from: &str, to: &str) = "A message from {from} to {to} is lost.", "从 {from} 到 {to} 的网络消息丢失。";
        failed_with_connection(party: &str, request: &str) = "A request of {party} fails at once, for want of a connection: {request}.", "{party} 没有可用的连接，请求立即失败：{request}。";
        closed_after(party: &str, broker: &str, request: &str) = "{party} closes its connection to {broker}: a request got no answer in time ({request}).", "{party} 关闭与 {broker} 的连接：等待应答超时（{request}）。";
        closed_as_silent(party: &str, broker: &str) = "{broker} closes the connection of {party}, which sent no heartbeat for too long.", "{broker} 关闭 {party} 的连接：它太久没有发送心跳。";
        timed_out(party: &str, request: &str) = "{party} got no answer in time: {request}.", "{party} 等待应答超时：{request}。";
    }
}

crate::catalogue! {
    /// Reasons and short words inside the sentences.
    Reason;
    plain {
        selector_threw = "the selector returned an index outside the queue list", "选择器返回的下标超出队列列表";
        send_timed_out = "no answer within the time-out", "超时未得到应答";
        illegal_queue = "the broker refused the queue id", "Broker 拒绝该队列号";
        no_writable = "the topic has no writable queue", "主题没有可写队列";
        broker_unknown = "the order conf names a broker that no route has", "顺序配置中的 Broker 没有路由";
        connection_failed = "the broker or proxy cannot be reached", "无法连接 Broker 或 Proxy";
        disk_full = "the broker's disk is full (code 14)", "Broker 磁盘已满（代码 14）";
        group_with_delay = "a message group excludes a delivery time and a transaction in the 5.x client", "5.x 客户端中，设置消息组后不能再设置投递时间或使用事务";
        timer_illegal = "the delivery time is too far ahead", "投递时间超出上限";
        unregistered = "it said so", "主动注销";
        closed = "its connection closed", "连接断开";
        silent = "it was silent for too long", "长时间没有心跳";
        broker_restart = "the broker lost its memory", "Broker 丢失内存状态";
        own_start = "its own start", "自身启动";
        period = "the period is over", "周期到";
        notification = "the broker's notification", "Broker 通知";
        left_unbalanced = "the last one left it without all of its queues", "上一轮之后它仍未持有分配给它的全部队列";
        offset_was_corrected = "an offset was corrected", "位点被修正";
        reset_done = "a reset", "位点重置";
        resumed = "its resume", "恢复消费";
        reallocated = "the allocation gave it to somebody else", "分配给了其他客户端";
        unrouted = "the route has it no more", "路由中已没有它";
        pull_idle = "it was not pulled for too long", "过久未拉取";
        offset_illegal = "its offset was corrected", "位点被修正";
        shutdown = "it stops", "停止";
        unsubscribed = "it is not subscribed to any more", "已取消订阅";
        cached_count = "too many messages are cached", "缓存的消息过多";
        cached_size = "too many bytes are cached", "缓存的字节过多";
        span = "the cached offsets are too far apart", "缓存位点跨度过大";
        not_locked = "the queue is not locked", "队列未锁定";
        paused = "the consumer is paused", "消费者已暂停";
        request_failed = "the request failed", "请求失败";
        threw = "the listener threw an exception", "监听器抛出异常";
        returned_null = "the listener returned null", "监听器返回 null";
        send = "send", "发送";
        lock = "lock or unlock", "加锁或解锁";
        pull = "pull", "拉取";
        query_offset = "read of the consumer offset", "读取消费位点";
        max_offset = "read of the maximum offset", "读取最大位点";
        members = "member list", "成员列表";
        heartbeat = "heartbeat", "心跳";
        unregister = "request to leave the group", "注销请求";
        send_back = "send-back", "退回消息";
        settings = "settings", "客户端配置";
        assignment = "assignment", "队列分配";
        receive = "receive", "接收";
        ack = "acknowledge or change", "确认或修改";
        skipped_by_tool = "the tool does not do this", "管理工具不执行此操作";
        type_sdk = "the SDK itself", "SDK 自身";
        type_proxy = "the proxy", "Proxy ";
        type_remoting = "the proxy's remoting port", "Proxy 的 remoting 端口";
        unspecified = "UNSPECIFIED", "UNSPECIFIED";
        broker = "the broker", "Broker";
        half_an_hour = "half an hour before the consumer's start", "消费者启动前半小时";
        anybody = "anybody", "任意一方";
    }
    with {
        unknown(what: &str, name: &str) = "there is no {what} {name}", "没有名为 {name} 的{what}";
        exists(name: &str) = "{name} exists already", "{name} 已存在";
        out_of_range(what: &str, value: i64, min: i64, max: i64) = "{what} {value} is outside {min} to {max}", "{what} {value} 超出 {min} 至 {max}";
        unfit_running(name: &str) = "{name} runs already; it can start again once it has ended", "{name} 已在运行，结束之后才能再次启动";
        unfit_not_running(name: &str) = "{name} does not run: it has ended, is stopping or stands still. Let it start or resume first", "{name} 没有在运行：它已结束、正在停止或停滞不动。请先让它启动或恢复";
        unfit_not_standing(name: &str) = "{name} does not stand still; only a consumer that hangs resumes", "{name} 没有停滞；只有停滞的消费者才能恢复";
        unfit_not_by_hand(name: &str) = "{name} is no running SimpleConsumer that is called by hand: every other consumer receives and acknowledges by itself. Let it start as `simple by hand`, or leave the call out", "{name} 不是正在运行、由手工调用的 SimpleConsumer：其他消费者自己接收和确认。请让它以 `simple by hand` 启动，或去掉这次调用";
        unfit_not_grpc(name: &str) = "{name} is no gRPC producer; only one that selects by message-group sends several messages in one request", "{name} 不是 gRPC 生产者；只有按消息组选择队列的生产者才能在一个请求中发送多条消息";
        unfit_classic(name: &str) = "{name} is a 4.x consumer: it speaks to the brokers and to no proxy", "{name} 是 4.x 消费者：它直接与 Broker 通信，不使用 Proxy";
        unfit_up(name: &str) = "{name} is up already", "{name} 已在运行";
        unfit_down(name: &str) = "{name} is down; it has to start first", "{name} 已停机，需要先启动";
        bad_table(token: &str) = "the delay table has no meaning at `{token}`", "延迟级别表在 `{token}` 处无法解析";
        nobody_to_pause(group: &str) = "{group} has no running 4.x consumer, and gRPC clients cannot be paused", "{group} 没有运行中的 4.x 消费者，而 gRPC 客户端不能暂停";
        no_topic(producer: &str) = "{producer} has no topic", "{producer} 没有主题";
        broker_says(code: i32, text: &str) = "the broker answers {code}: {text}", "Broker 返回 {code}：{text}";
        bad_conf(part: &str) = "the order conf has no meaning at {part}", "顺序配置在 {part} 处无法解析";
        not_held(consumer: &str, msg: &str) = "{consumer} does not hold {msg}", "{consumer} 未持有 {msg}";
        type_conflict(by: &str, actual: &str, expected: &str) = "{by} refuses a message of type {actual} for a topic of type {expected}", "{by}拒绝：消息类型 {actual} 与主题类型 {expected} 不符";
        answered(code: &str) = "the proxy answers {code}", "Proxy 返回 {code}";
        newer(what: &str, since: &str, own: &str) = "RocketMQ has {what} only since {since}, and this run is of {own}", "RocketMQ 从 {since} 起才有{what}，本次运行是 {own}";
        no_longer(what: &str, own: &str) = "RocketMQ {own} has no {what}", "RocketMQ {own} 没有{what}";
        limit(limit: &str) = "the limit {limit} is reached", "达到上限 {limit}";
    }
}

crate::catalogue! {
    /// What commands do, in a few words: marks of the timeline and lines of the log.
    Action;
    plain {
        first_broker = "the broker", "Broker";
        all_brokers = "all brokers", "所有 Broker";
        no_answer = "no answer", "无应答";
    }
    with {
        create_topic(name: &str, queues: u16) = "topic {name} with {queues} ‹queue|queues›", "主题 {name}，{queues} 个队列";
        update_topic(name: &str, read: u16, write: u16) = "{name} gets {write} write and {read} read ‹queue|queues›", "{name} 改为 {write} 个写队列、{read} 个读队列";
        name_group(series: &str, key: &str) = "message group {series} is {key}", "消息组 {series} 为 {key}";
        name_series(series: &str) = "messages {series} have no message group", "{series} 系列不带消息组";
        create_group(name: &str, topics: &str) = "group {name} reads {topics}", "组 {name} 订阅 {topics}";
        set_group(group: &str, setting: &str, value: &str) = "{group}: {setting} becomes {value}", "{group}：{setting} 改为 {value}";
        create_producer(name: &str) = "producer {name}", "生产者 {name}";
        send(producer: &str, what: &str) = "{producer} gets {what} to send", "{producer} 待发送 {what}";
        load(producer: &str, count: &str, rate: u32) = "{producer} begins a load of {count} ‹message|messages›, {rate} a second", "{producer} 开始负载：{count} 条，每秒 {rate} 条";
        start(name: &str, group: &str) = "{name} starts in {group}", "{name} 在 {group} 中启动";
        stop(name: &str) = "{name} stops cleanly", "{name} 正常停止";
        crash(name: &str) = "{name} crashes", "{name} 崩溃";
        vanish(name: &str) = "{name} vanishes", "{name} 消失";
        hang(name: &str) = "{name} stands still", "{name} 停顿";
        resume(name: &str) = "{name} goes on", "{name} 恢复";
        fails(what: &str) = "{what} will fail", "{what} 将失败";
        succeeds(what: &str) = "{what} will succeed", "{what} 将成功";
        takes(what: &str, time: &str) = "{what} will take {time}", "{what} 将耗时 {time}";
        cut(a: &str, b: &str) = "{a} and {b} are cut off", "{a} 与 {b} 断开";
        heal(a: &str, b: &str) = "{a} and {b} are connected again", "{a} 与 {b} 恢复连接";
        latency(from: &str, to: &str, time: &str) = "{from} to {to} takes {time}", "{from} 到 {to} 耗时 {time}";
        delay_levels(table: &str) = "delay levels `{table}`", "延迟级别 `{table}`";
        broker_clean(broker: &str) = "{broker} stops cleanly", "{broker} 正常停止";
        broker_crash(broker: &str) = "{broker} crashes", "{broker} 崩溃";
        broker_power(broker: &str) = "{broker} loses power", "{broker} 断电";
        broker_start(broker: &str) = "{broker} starts", "{broker} 启动";
        broker_added(broker: &str) = "broker {broker} is added", "新增 Broker {broker}";
        order_conf(topic: &str, conf: &str) = "order conf of {topic} becomes {conf}", "{topic} 的顺序配置改为 {conf}";
        no_order_conf(topic: &str) = "order conf of {topic} is removed", "移除 {topic} 的顺序配置";
        reset(group: &str, place: &str, target: &str) = "{group} is reset on {place} to {target}", "{group} 在 {place} 重置到 {target}";
        unsubscribe(consumer: &str) = "{consumer} subscribes to nothing", "{consumer} 不再订阅任何主题";
        subscribe(consumer: &str, topics: &str) = "{consumer} subscribes to {topics}", "{consumer} 订阅 {topics}";
        own_key(consumer: &str, key: &str) = "{consumer} handles only key {key} and lets all others pass", "{consumer} 只处理键 {key}，放行其他消息";
        own_key_fails(consumer: &str, key: &str) = "{consumer} handles only key {key} and fails all others", "{consumer} 只处理键 {key}，其他消息都失败";
        transaction(producer: &str, msg: &str) = "{producer} gets {msg} to send in a transaction", "{producer} 待以事务发送 {msg}";
        drop_next(count: u32, kind: &str, from: &str, to: &str) = "the next {count} ‹packet|packets› ({kind}) from {from} to {to} ‹is|are› lost", "从 {from} 到 {to} 接下来 {count} 个包（{kind}）丢失";
        break_next(count: u32, kind: &str, from: &str, to: &str) = "the connection from {from} to {to} breaks for the next {count} ‹packet|packets› ({kind})", "从 {from} 到 {to} 接下来 {count} 个包（{kind}）因断连失败";
        set_clock(party: &str, by: &str) = "the clock of {party} is {by} ahead", "{party} 的时钟快 {by}";
        disk(broker: &str, percent: u8) = "the disk of {broker} is {percent} % full", "{broker} 的磁盘使用 {percent} %";
        receive(consumer: &str, max: u32, hidden: &str) = "{consumer} receives up to {max}, invisible for {hidden}", "{consumer} 接收至多 {max} 条，不可见 {hidden}";
        ack(consumer: &str, msg: &str) = "{consumer} acknowledges {msg}", "{consumer} 确认 {msg}";
        ack_all(consumer: &str) = "{consumer} acknowledges all it holds", "{consumer} 确认其持有的全部";
        change_invisible(consumer: &str, msg: &str, hidden: &str) = "{consumer} changes the invisible time of {msg} to {hidden}", "{consumer} 把 {msg} 的不可见时间改为 {hidden}";
        proxy_added(proxy: &str) = "proxy {proxy} is added", "新增 Proxy {proxy}";
        use_proxy(party: &str, proxy: &str) = "{party} uses {proxy}", "{party} 使用 {proxy}";
        proxy_up(proxy: &str) = "{proxy} starts", "{proxy} 启动";
        proxy_down(proxy: &str) = "{proxy} stops", "{proxy} 停止";
        fail_requests(proxy: &str, request: &str, code: &str) = "{proxy} answers {request} with {code}", "{proxy} 对{request}返回 {code}";
        serve_requests(proxy: &str, request: &str) = "{proxy} serves {request} again", "{proxy} 恢复处理{request}";
        set_producer(producer: &str, setting: &str, value: &str) = "{producer}: {setting} becomes {value}", "{producer}：{setting} 改为 {value}";
        send_together(producer: &str, what: &str) = "{producer} gets {what} to send in one request", "{producer} 待一次发送 {what}";
        constant(name: &str, value: &str) = "{name} becomes {value}", "{name} 改为 {value}";
        pauses(group: &str) = "{group} pauses", "{group} 暂停消费";
        goes_on(group: &str) = "{group} goes on", "{group} 恢复消费";
        handles_in(group: &str, time: &str) = "{group} handles a message in {time}", "{group} 处理一条消息需要 {time}";
        handles_between(group: &str, from: &str, to: &str) = "{group} handles a message in {from} to {to}", "{group} 处理一条消息需要 {from} 至 {to}";
        reset_latest(group: &str, place: &str) = "{group} is reset on {place} to behind the newest message", "{group} 在 {place} 重置到最新消息之后";
        takes_no_time(what: &str) = "{what} will take no time", "{what} 将不耗时";
        more(first: &str, count: usize) = "{first} and {count} more", "{first} 及另外 {count} 条";
    }
}
