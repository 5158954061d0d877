//! Sentences of the log about brokers, routes, subscriptions, resets, retention and transactions.

crate::catalogue! {
    /// Sentences about brokers and what they keep.
    BrokerLog;
    plain {
        offline = "the broker stopped cleanly", "Broker 正常停止";
        connection = "its connection closed", "连接断开";
        silent = "it did not register for too long", "长时间未注册";
        subscription_missing = "its topic is not in the group's subscription table at the moment (code 24)", "此刻组的订阅表中没有该主题（代码 24）";
        subscription_not_latest = "the subscription in the group's table is older than the consumer's (code 25)", "组的订阅表中该主题的订阅比消费者自己的旧（代码 25）";
        queue_id = "the queue cannot be read", "该队列不可读";
        expired = "old enough, and it is the hour for it", "已过期且到了清理时刻";
        disk_filling = "old enough, and the disk is filling", "已过期且磁盘将满";
        disk_full = "the disk is nearly full, whatever its age", "磁盘几乎写满，不论新旧";
    }
    with {
        started(broker: &str) = "{broker} is up again.", "{broker} 重新启动。";
        stopped_clean(broker: &str) = "{broker} stops and writes its files.", "{broker} 正常停止并写盘。";
        stopped_crash(broker: &str) = "{broker} crashes; what was only in its memory is gone.", "{broker} 崩溃，仅在内存中的状态丢失。";
        stopped_power(broker: &str) = "The machine of {broker} loses power; what was not on its disk is gone, and nobody is told.", "{broker} 所在机器断电，未落盘的内容丢失，且没有任何通知。";
        registered(broker: &str) = "The name server puts {broker} into the routes.", "名字服务把 {broker} 加入路由。";
        unregistered(broker: &str, why: &str) = "The name server takes {broker} out of all routes: {why}.", "名字服务把 {broker} 移出所有路由：{why}。";
        route_changed(party: &str, topic: &str, queues: u16) = "{party} reads another route of {topic}; it counts {queues} ‹queue|queues› now.", "{party} 读到 {topic} 的新路由，现为 {queues} 个队列。";
        clock_ahead(party: &str, by: &str) = "The clock of {party} is set; it is {by} ahead now.", "{party} 的时钟被调整，现快 {by}。";
        clock_behind(party: &str, by: &str) = "The clock of {party} is set; it is {by} behind now.", "{party} 的时钟被调整，现慢 {by}。";
        clock_right(party: &str) = "The clock of {party} is set right.", "{party} 的时钟恢复准确。";
        subscriptions(client: &str, group: &str, broker: &str, added: u8, removed: u8) = "The heartbeat of {client} changes the subscription table of {group} at {broker}: {added} ‹topic|topics› new or changed, {removed} removed.", "{client} 的心跳改写了 {broker} 上 {group} 的订阅表：新增或变更 {added} 个主题，移除 {removed} 个。";
        pull_refused(client: &str, queue: &str, why: &str) = "The broker refuses the pull of {client} from {queue}: {why}.", "Broker 拒绝 {client} 对 {queue} 的拉取：{why}。";
        filtered_broker(client: &str, queue: &str, offset: u32, count: u16) = "The broker passes over {count} ‹message|messages› whose ‹tag|tags› {client} does not subscribe to, of {queue} from offset {offset}.", "Broker 跳过 {queue} 自位点 {offset} 起的 {count} 条：{client} 未订阅其标签。";
        filtered_client(client: &str, queue: &str, offset: u32, count: u16) = "{client} leaves out {count} ‹message|messages› whose ‹tag|tags› it does not subscribe to, of {queue} from offset {offset}.", "{client} 丢弃 {queue} 自位点 {offset} 起的 {count} 条：未订阅其标签。";
        reset_pending(group: &str, queue: &str, offset: u32) = "A reset of {group} on {queue} to offset {offset} waits for the next pull or POP.", "{group} 在 {queue} 上重置到位点 {offset}，等待下一次拉取或 POP 生效。";
        reset_sent(group: &str, queue: &str, offset: u32) = "A reset of {group} on {queue} to offset {offset} is sent to its online consumers.", "{group} 在 {queue} 上重置到位点 {offset}，已下发给在线消费者。";
        reset_written(group: &str, queue: &str, offset: u32) = "The offset of {group} on {queue} is overwritten with {offset}.", "{group} 在 {queue} 的位点被直接改写为 {offset}。";
        reset_taken(group: &str, queue: &str, offset: u32) = "The pending reset of {group} on {queue} is taken up: reading goes on at {offset}.", "{group} 在 {queue} 的待生效重置被取用，从 {offset} 继续读取。";
        update_ignored(group: &str, queue: &str, offset: u32) = "The broker ignores offset {offset} of {queue} from {group}: a reset is pending.", "Broker 忽略 {group} 上报的 {queue} 位点 {offset}：有待生效的重置。";
        reset_received(client: &str, topic: &str, until: &str) = "{client} clears its queues of {topic} for a reset and stands still until {until}.", "{client} 因重置清空 {topic} 的队列，停顿至 {until}。";
        deleted(msg: &str, queue: &str, offset: u32) = "{msg} of {queue}, offset {offset}, is deleted for good.", "{queue} 位点 {offset} 的 {msg} 被永久删除。";
        lost(msg: &str, queue: &str, offset: u32) = "{msg} of {queue}, offset {offset}, is lost: it was not on the disk when the machine died.", "{queue} 位点 {offset} 的 {msg} 丢失：断电时尚未落盘。";
        segment(broker: &str, messages: u32, why: &str) = "{broker} deletes its oldest commit-log file with {messages} ‹message|messages›: {why}.", "{broker} 删除最旧的 commitlog 文件，含 {messages} 条消息：{why}。";
        min_raised(queue: &str, min: u32) = "The minimum offset of {queue} is {min} now.", "{queue} 的最小位点现为 {min}。";
        stored_committed(msg: &str, queue: &str, offset: u32) = "{msg} is committed and stored in {queue} at offset {offset}.", "{msg} 已提交，存入 {queue}，位点 {offset}。";
        prepared(msg: &str, queue: &str) = "The half message {msg} is stored; nobody can read it before a commit puts it into {queue}.", "半消息 {msg} 已存储，提交前不可见；提交后进入 {queue}。";
        transaction_commit(msg: &str) = "The transaction of {msg} is committed.", "{msg} 的事务提交。";
        transaction_rollback(msg: &str) = "The transaction of {msg} is rolled back; {msg} never becomes visible.", "{msg} 的事务回滚，{msg} 永不可见。";
        transaction_unknown(msg: &str) = "The transaction of {msg} stays undecided; the broker will ask again.", "{msg} 的事务仍未决，Broker 将再次回查。";
        transaction_checked(msg: &str, count: u8) = "The broker asks about the transaction of {msg}, check {count}.", "Broker 回查 {msg} 的事务，第 {count} 次。";
        wheel_gave_up(msg: &str, queue: &str) = "The timer wheel cannot put {msg} into {queue} and drops it: the disk has been too full for three attempts.", "时间轮无法把 {msg} 写入 {queue}，将其丢弃：三次尝试时磁盘都已满。";
        transaction_given_up(msg: &str) = "The broker gives the transaction of {msg} up after its last check.", "最后一次回查后，Broker 放弃 {msg} 的事务。";
        sent_nowhere(group: &str, msg: &str) = "The broker takes {msg} back for {group} and stores it nowhere: the group has no retry queues.", "Broker 收下 {group} 退回的 {msg} 却未存储：该组没有重试队列。";
        consume_timed_out(client: &str, msg: &str, queue: &str) = "{client} has held {msg} of {queue} for longer than the consume time-out.", "{client} 处理 {queue} 的 {msg} 超过消费超时。";
    }
}
