//! Sentences of the log about proxies, POP and gRPC clients.

crate::catalogue! {
    /// Sentences about the second consumption stack.
    PopLog;
    plain {
        no_answer = "no answer", "无应答";
        arrival = "a message came", "有新消息";
        acked = "an acknowledgement freed the queue", "确认释放了队列";
        lock_free = "the lock-free timer fired", "锁释放定时器到点";
        chain = "another receive left messages behind", "另一次接收留下了消息";
        expiry = "its time is nearly over", "等待时间将尽";
        too_long = "it has been renewed for three hours", "已续期三小时";
        client_gone = "its consumer is gone", "消费者已离开";
        renew_failed = "the broker did not answer or refused", "Broker 未应答或拒绝";
    }
    with {
        endpoint(producer: &str, msg: &str, broker: &str) = "{producer} hands {msg} to the proxy for {broker}.", "{producer} 把 {msg} 交给 Proxy，目标 {broker}。";
        endpoint_again(producer: &str, msg: &str, broker: &str, attempt: u8) = "{producer} hands {msg} to the proxy for {broker} again, attempt {attempt}.", "{producer} 再次把 {msg} 交给 Proxy，目标 {broker}，第 {attempt} 次尝试。";
        send_attempt_failed(producer: &str, msg: &str, attempt: u8, code: &str, next: &str) = "Attempt {attempt} of {producer} to send {msg} fails ({code}); the next one starts at {next}.", "{producer} 发送 {msg} 的第 {attempt} 次尝试失败（{code}），{next} 再试。";
        registered(proxy: &str, client: &str) = "{client} registers with {proxy}.", "{client} 向 {proxy} 注册。";
        dropped_silent(proxy: &str, client: &str) = "{proxy} drops {client}: it was silent for too long.", "{proxy} 移除 {client}：长时间没有心跳。";
        dropped(proxy: &str, client: &str) = "{proxy} drops {client}.", "{proxy} 移除 {client}。";
        stale_route(proxy: &str, topic: &str) = "{proxy} uses its old route of {topic} once more while it reloads it.", "{proxy} 重新加载期间仍使用 {topic} 的旧路由。";
        stale_broker(proxy: &str, broker: &str) = "{proxy} uses its old address of {broker} once more while it reloads it.", "{proxy} 重新加载期间仍使用 {broker} 的旧地址。";
        broker_unknown(proxy: &str, broker: &str, client: &str, msg: &str) = "{proxy} refuses {client} the handle of {msg}: it finds no {broker} in the route (INVALID_RECEIPT_HANDLE).", "{proxy} 拒绝 {client} 使用 {msg} 的句柄：路由中找不到 {broker}（INVALID_RECEIPT_HANDLE）。";
        transaction_unknown(proxy: &str, msg: &str) = "{proxy} cannot end the transaction of {msg}: it does not know, or no longer remembers, where the half message is. The broker will ask.", "{proxy} 无法结束 {msg} 的事务：它不知道或已不记得半消息的位置。Broker 之后会回查。";
        stale_type(proxy: &str, topic: &str) = "{proxy} uses its old type of {topic} once more while it reloads it.", "{proxy} 重新加载期间仍使用 {topic} 的旧类型。";
        stale_group(proxy: &str, group: &str) = "{proxy} uses its old settings of {group} once more while it reloads them.", "{proxy} 重新加载期间仍使用 {group} 的旧配置。";
        popped(msg: &str, queue: &str, group: &str, until: &str) = "The broker delivers {msg} of {queue} to {group}; it is invisible until {until}.", "Broker 把 {queue} 的 {msg} 投递给 {group}，{until} 前不可见。";
        popped_again(msg: &str, queue: &str, group: &str, attempt: u16, until: &str) = "The broker delivers {msg} of {queue} to {group} again, attempt {attempt}; it is invisible until {until}.", "Broker 再次把 {queue} 的 {msg} 投递给 {group}，第 {attempt} 次，{until} 前不可见。";
        blocked(group: &str, queue: &str, offset: u32, until: &str) = "{queue} yields nothing to {group}: offset {offset} is unfinished and invisible until {until}.", "{queue} 不向 {group} 投递：位点 {offset} 未完成，{until} 前不可见。";
        parked(group: &str, queue: &str, until: &str) = "A receive of {group} finds nothing in {queue} and waits at the broker until {until}.", "{group} 的接收在 {queue} 无消息，在 Broker 等待至 {until}。";
        parked_all(group: &str, until: &str) = "A receive of {group} finds nothing in all its queues and waits at the broker until {until}.", "{group} 的接收在所有队列都没有消息，在 Broker 等待至 {until}。";
        woken_all(group: &str, why: &str) = "A waiting receive of {group} looks at all its queues once more: {why}.", "{group} 等待中的接收再次查看所有队列：{why}。";
        woken(group: &str, queue: &str, why: &str) = "A waiting receive of {group} looks at {queue} once more: {why}.", "{group} 等待中的接收再次查看 {queue}：{why}。";
        ack_next(group: &str, msg: &str, queue: &str, next: u32) = "{msg} is acknowledged; the offset of {group} on {queue} is {next} now.", "{msg} 已确认，{group} 在 {queue} 的位点现为 {next}。";
        ack_nothing(group: &str, msg: &str, queue: &str) = "The acknowledgement of {msg} changes nothing on {queue} for {group}: it belongs to an older POP or to an unfinished batch.", "{msg} 的确认未改变 {group} 在 {queue} 的状态：属于更早的 POP 或未完成的批次。";
        ack_below(group: &str, msg: &str, queue: &str) = "The acknowledgement of {msg} changes nothing: the offset of {group} on {queue} is behind it already.", "{msg} 的确认没有作用：{group} 在 {queue} 的位点已越过它。";
        ack_noted(group: &str, msg: &str, queue: &str) = "The broker notes the acknowledgement of {msg} of {queue} for {group}.", "Broker 为 {group} 记下 {queue} 的 {msg} 的确认。";
        ack_illegal(group: &str, msg: &str, queue: &str) = "The broker refuses the acknowledgement of {msg}: {group} has not popped it from {queue} (MESSAGE_ILLEGAL).", "Broker 拒绝 {msg} 的确认：{group} 未从 {queue} 取出它（MESSAGE_ILLEGAL）。";
        ack_unwritten(msg: &str, queue: &str) = "{msg} of {queue} is acknowledged with SUCCESS, but the disk is too full for a note of it: the message will come again.", "{queue} 的 {msg} 得到 SUCCESS 确认，但磁盘已满，确认没有写入：这条消息会再次到来。";
        ack_unreadable(msg: &str, queue: &str) = "The broker refuses the acknowledgement of {msg}: {queue} is not one of the topic's read queues any more (MESSAGE_ILLEGAL).", "Broker 拒绝 {msg} 的确认：{queue} 已不在该主题的读队列之内（MESSAGE_ILLEGAL）。";
        ack_no_message(msg: &str, queue: &str) = "The broker refuses the acknowledgement of {msg}: its offset is outside {queue} (NO_MESSAGE).", "Broker 拒绝 {msg} 的确认：位点不在 {queue} 范围内（NO_MESSAGE）。";
        invisible(msg: &str, queue: &str, until: &str) = "{msg} of {queue} is invisible until {until} from now on.", "{queue} 的 {msg} 改为 {until} 前不可见。";
        offset_chosen(group: &str, queue: &str, offset: u32) = "{group} begins to read {queue} at offset {offset}.", "{group} 开始读取 {queue}，从位点 {offset} 起。";
        revived(msg: &str, queue: &str, group: &str) = "{msg} of {queue} was not acknowledged in time; a copy goes to the retry topic of {group}.", "{queue} 的 {msg} 未及时确认，副本进入 {group} 的重试主题。";
        order_saved(broker: &str) = "{broker} writes its records of ordered POP to disk.", "{broker} 把顺序 POP 的记录写盘。";
        received(client: &str, msg: &str, queue: &str) = "{client} receives {msg} of {queue}.", "{client} 收到 {queue} 的 {msg}。";
        received_again(client: &str, msg: &str, queue: &str, attempt: u16) = "{client} receives {msg} of {queue} again, attempt {attempt}.", "{client} 再次收到 {queue} 的 {msg}，第 {attempt} 次。";
        received_nothing(client: &str) = "A receive of {client} brings nothing.", "{client} 的接收没有消息。";
        receive_failed(client: &str, code: &str) = "A receive of {client} fails: {code}.", "{client} 的接收失败：{code}。";
        renewed(proxy: &str, msg: &str, client: &str, times: u16, until: &str) = "{proxy} keeps {msg} invisible for {client} until {until}, renewal {times}.", "{proxy} 为 {client} 续期 {msg} 至 {until}，第 {times} 次。";
        renewal_ended(proxy: &str, msg: &str, why: &str, until: &str) = "{proxy} stops renewing {msg}: {why}. It is visible again at {until}.", "{proxy} 停止续期 {msg}：{why}。它将于 {until} 重新可见。";
        handle_expired(client: &str, msg: &str, queue: &str) = "The proxy refuses {client} the handle of {msg} of {queue}: it has expired (INVALID_RECEIPT_HANDLE).", "Proxy 拒绝 {client} 使用 {queue} 的 {msg} 的句柄：已过期（INVALID_RECEIPT_HANDLE）。";
        act_ack(msg: &str) = "acknowledge {msg}", "确认 {msg}";
        act_change(msg: &str) = "change the invisible time of {msg}", "修改 {msg} 的不可见时间";
        act_dead(msg: &str) = "move {msg} to the dead letters", "把 {msg} 转入死信";
        act_failed(client: &str, act: &str, code: &str) = "{client} fails to {act}: {code}. It is left alone.", "{client} 未能{act}：{code}，不再重试。";
        act_again(client: &str, act: &str, code: &str, next: &str) = "{client} fails to {act}: {code}. It asks again at {next}.", "{client} 未能{act}：{code}，{next} 重试。";
        attempt_failed_hidden(msg: &str, client: &str, attempt: u16, over: &str) = "Attempt {attempt} of {msg} fails on {client}; its invisible time is over at {over}.", "{msg} 在 {client} 上第 {attempt} 次尝试失败，不可见时间到 {over} 结束。";
        attempt_failed(msg: &str, client: &str, attempt: u16, next: &str) = "Attempt {attempt} of {msg} fails on {client}; the next one starts at {next}.", "{msg} 在 {client} 上第 {attempt} 次尝试失败，{next} 再试。";
        forwarded(client: &str, msg: &str, attempt: u16) = "{client} gives {msg} up after attempt {attempt} and asks the proxy to make it a dead letter.", "{client} 在第 {attempt} 次后放弃 {msg}，请求 Proxy 转入死信。";
        dead_on_receive(proxy: &str, msg: &str, group: &str, attempt: u16) = "{proxy} makes {msg} a dead letter of {group} on receive: its attempts are used up ({attempt} so far).", "{proxy} 在接收时把 {msg} 转为 {group} 的死信：重试次数已用尽（此前已投递 {attempt} 次）。";
        filtered(proxy: &str, msg: &str, group: &str) = "{proxy} acknowledges {msg} unread: {group} does not subscribe to its tag.", "{proxy} 直接确认 {msg}：{group} 未订阅其标签。";
    }
}
