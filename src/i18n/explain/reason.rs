//! Reasons of messages, as a title and a sentence.

use lockstep_core::client::Thread;
use lockstep_core::explain::{Bound, Doing, Longer, PassedBy, Reason, Refusing, Undone};
use lockstep_core::fact::{PullPause, SendFailure, StopKind};
use lockstep_core::grpc::Act;
use lockstep_core::ids::{ClientId, Ms, MsgId, Party};
use lockstep_core::pop::GrpcKind;

use crate::sentence::Speaker;
use crate::{clock, number};

crate::catalogue! {
    /// Titles and sentences of reasons.
    ReasonText;
    plain {
        travels = "It is on its way to the broker. It can be read once the broker has stored it.", "它正在发往 Broker 的途中，存储之后才能被读取。";
        rolled_back = "Its transaction was rolled back. Nobody will ever see it.", "它的事务已回滚，任何消费者都不会看到它。";
        given_up = "No decision about its transaction reached the broker. After the last check the broker set the half message aside.", "Broker 一直没有得到它的事务结果，最后一次回查之后把半消息搁置了。";
        lost = "The machine of its broker lost power before the message was on disk. It is lost.", "Broker 所在机器在它落盘之前断电，消息丢失。";
        wheel_gave_up = "Its time had come, but the disk of its broker was too full three times in a row, and the timer wheel dropped it.", "它已到投递时间，但 Broker 磁盘连续三次都已满，时间轮将它丢弃。";
        deleted = "Retention deleted it before the group had acknowledged it.", "消费组还没有确认它，它就因过期被清理了。";
        not_subscribed = "No subscription of the group contains its topic, so it is never delivered to the group.", "该组没有订阅它所在的主题，因此不会投递给该组。";
        nobody_reads = "No consumer group subscribes to its topic. It waits in its queue until somebody reads it or retention deletes it.", "没有消费组订阅它所在的主题。它留在队列中，直到有人读取或过期清理。";
        passed_filter = "The filter of the read does not want its tag. The read went past it, and the group's consumer offset is behind it now.", "读取时的过滤条件不包含它的标签，因此被跳过，该组的消费位点已越过它。";
        passed_reset = "A reset moved the consumer offset past it without delivering it.", "重置把消费位点移到了它之后，它没有被投递。";
        passed_start = "The group began to read behind it. A group without a recorded offset begins where its starting rule says.", "该组从它之后开始读取。没有记录位点的组按起始规则决定从哪里开始。";
        passed_power_loss = "The machine of its broker had lost power, and with it the end of the queue. What was stored there afterwards lies before the group's consumer offset, and nobody reads it.", "Broker 所在机器曾断电，队列末尾随之丢失。之后存到那里的消息位于该组的消费位点之前，没有人会读取。";
        passed_correction = "The consumer offset was outside the queue and was corrected past it.", "消费位点超出队列范围，纠正后越过了它。";
        passed_other = "The consumer offset went past it. Somebody of the group read it, and no acknowledgement says what became of it.", "消费位点已越过它。组内有成员读过它，但没有确认说明处理结果。";
        done = "The group has handled it and counts it as consumed. Its record stays in the queue until it is removed by age.", "该组已处理它，并记为已消费。记录保留在队列中，直到过期清理。";
        done_lost = "The group has handled it and counts it as consumed. The machine of its broker lost power before the message was on disk, so its record is gone.", "该组已处理它，并记为已消费。Broker 所在机器在它落盘之前断电，记录已不存在。";
        dead = "It used up its retries and became a dead letter of the group. It no longer holds anything up.", "它已用尽重试次数，成为该组的死信，不再阻塞其他消息。";
        sent_nowhere = "It failed, and the broker took it back and stored it nowhere: the group has no retry queue.", "它处理失败，Broker 收回后没有存到任何地方：该组没有重试队列。";
        nobody_ever = "No consumer of the group has ever run. Messages wait in their queues until one starts.", "该组从未有消费者运行。消息在队列中等待，直到有消费者启动。";
        paused = "Consumption of the group is paused: its consumers neither pull nor rebalance.", "该组的消费已暂停，消费者不再拉取，也不再重平衡。";
        route_loaded_next = "The next request has the route loaded again, and the one behind it gets through.", "下一个请求会重新加载路由，再下一个请求才能通过。";
        send_failed_none = "Nothing was stored, so nobody can read it. The application was told.", "没有存储任何内容，因此没有人能读到它。应用已收到错误。";
        cache_bytes = "bytes", "字节数";
        cache_count = "messages", "消息数";
        cache_span = "the span of its offsets", "位点跨度";
    }
    with {
        title_waits(msg: &str) = "{msg} waits", "{msg} 等待中";
        title_behind(msg: &str, head: &str) = "{msg} waits behind {head}", "{msg} 在 {head} 之后等待";
        title_handled(msg: &str) = "{msg} is in flight", "{msg} 消费中";
        title_again(msg: &str) = "{msg} waits for its retry", "{msg} 等待重试";
        title_blocked(msg: &str, head: &str) = "{msg} is blocked behind {head}", "{msg} 被 {head} 阻塞";
        title_initialised(msg: &str) = "{msg} is initialized, and on its way", "{msg} 处于初始化，正在途中";
        title_way(msg: &str) = "{msg} is on its way", "{msg} 在途中";
        title_unsent(msg: &str) = "{msg} is not sent yet", "{msg} 尚未发送";
        title_delayed(msg: &str) = "{msg} is scheduled", "{msg} 定时中";
        title_stranded(msg: &str) = "{msg} is stranded", "{msg} 滞留";
        title_dies(msg: &str) = "{msg} is about to become a dead letter", "{msg} 即将成为死信";
        title_dead(msg: &str) = "{msg} is a dead letter", "{msg} 是死信";
        title_acknowledged(msg: &str) = "{msg} is acknowledged", "{msg} 已确认";
                title_refused(msg: &str) = "{msg} was not stored", "{msg} 没有存储";
        title_lost(msg: &str) = "{msg} is lost", "{msg} 已丢失";
        title_deleted(msg: &str) = "{msg} was deleted", "{msg} 已被清理";
        title_passed(msg: &str) = "{msg} was passed over", "{msg} 被越过";
        title_not_read(msg: &str) = "{msg} is not read", "{msg} 没有人读取";
        title_hidden(msg: &str) = "{msg} is invisible", "{msg} 不可见";
        title_held(msg: &str) = "{msg} is held by its application", "{msg} 由应用持有";
        title_half(msg: &str) = "{msg} is a half message", "{msg} 是半消息";
        title_rolled_back(msg: &str) = "{msg} was rolled back", "{msg} 已回滚";
        title_aside(msg: &str) = "{msg} was set aside", "{msg} 已被搁置";
        at_producer(producer: &str, before: &str) = "{producer} waits for the answer to {before} before its thread sends the next message.", "{producer} 的线程先等待 {before} 的发送结果，再发送下一条。";
        at_producer_first(producer: &str) = "It is in the hands of {producer}, whose thread sends it next.", "它在 {producer} 手中，线程接下来发送它。";
        travels_again(attempt: u8) = "Its send is at attempt {attempt}. It can be read once the broker has stored it.", "正在进行第 {attempt} 次发送，存储之后才能被读取。";
        send_failed(producer: &str, why: &str) = "The send by {producer} failed: {why}.", "{producer} 发送失败：{why}。";
        full_disk(broker: &str) = "The disk of {broker} was too full for writes.", "{broker} 的磁盘已满，无法写入。";
        send_lost(producer: &str, until: &str) = "The packet with it was lost. {producer} waits for the answer until {until}; before that nothing is sent again.", "携带它的数据包已丢失。{producer} 等待响应直到 {until}，此前不会重发。";
        no_room(broker: &str, due: &str) = "It was due at {due}, but the disk of {broker} is too full for writes: nothing is put back into its queue before there is room.", "它已于 {due} 到期，但 {broker} 的磁盘已满，无法写入：腾出空间之前不会放回队列。";
        not_taken(client: &str, broker: &str, until: &str) = "It failed and was to leave its queue, but the disk of {broker} is too full for writes, and it is not taken. {client} keeps it and tries again at {until}.", "它处理失败，本应离开队列，但 {broker} 的磁盘已满，无法接收。{client} 保留它，{until} 再试。";
        not_taken_now(client: &str, broker: &str) = "It failed and was to go back to {broker}, whose disk is too full for writes: it is not taken. {client} handles it again by itself.", "它处理失败，本应发回 {broker}，但其磁盘已满，无法接收。{client} 将在本地再次处理它。";
        not_taken_dead(broker: &str, until: &str) = "Its attempts are used up, and it was to become a dead letter, but the disk of {broker} is too full for writes, and it is not taken. It is visible again at {until}.", "它已用尽重试次数，本应成为死信，但 {broker} 的磁盘已满，无法接收。它将于 {until} 再次可见。";
        not_revived(broker: &str) = "It was not acknowledged in time and is to be copied to the retry topic, but the disk of {broker} is too full for writes.", "它没有及时确认，本应复制到重试主题，但 {broker} 的磁盘已满，无法写入。";
        late(at: &str) = "The application was told, but the packet is still under way. It arrives at {at}, and a broker that runs then stores it all the same.", "应用已收到错误，但数据包仍在途中，{at} 到达；届时 Broker 若在运行，仍会存储它。";
        half_open(checks: u8) = "The broker has no decision about its transaction; it has asked {checks} ‹time|times›. Nobody sees the message before a commit.", "Broker 还没有得到它的事务结果，已回查 {checks} 次。提交之前任何人都看不到它。";
        decision_lost(from: &str, to: &str) = "A packet with the decision, or with the question about it, was lost between {from} and {to}.", "携带结果或回查的数据包在 {from} 与 {to} 之间丢失。";
        decision_late(proxy: &str) = "A decision came too late: {proxy} no longer knew where the half message is.", "结果来得太晚：{proxy} 已不知道半消息在哪里。";
        decision_full(broker: &str) = "A decision came to nothing: the disk of {broker} was too full for writes.", "结果没有生效：{broker} 的磁盘已满，无法写入。";
        transactions_full(broker: &str) = "The disk of {broker} is too full for writes: it keeps no commit and asks nobody.", "{broker} 的磁盘已满，无法写入：既不保存提交，也不回查。";
        scheduled_head(level: u8, due: &str) = "It is the head of delay level {level} and due at {due}. Then it is put back into its own queue.", "它是延迟级别 {level} 的队首，{due} 到期，届时放回自己的队列。";
        scheduled(level: u8, before: u32, due: &str, head_due: &str) = "It waits under delay level {level} until {due}, with {before} before it. A level looks only at its head, which is due at {head_due}.", "它在延迟级别 {level} 等待至 {due}，前面还有 {before} 条。每个级别只看队首，队首 {head_due} 到期。";
        stranded(level: u8, levels: u8) = "It is stranded under delay level {level}: the table that its broker runs with has only {levels} ‹level, and only that has|levels, and only they have› a task. Nobody looks at it until the broker is started with a table that has the level again.", "它滞留在延迟级别 {level}：Broker 当前的级别表只有 {levels} 级，只有这些级别有任务。在 Broker 以包含该级别的表重新启动之前，没有任务会处理它。";
        goes_round(level: u8, due: &str, release: &str) = "It reached the limit of its group, and RocketMQ {release} then puts an ordered message into the retry topic, not among the dead letters. It waits under delay level {level} until {due}; each time it fails there it goes round once more, without end, and messages behind it do not wait for it.", "它达到了该组的重试上限，而 RocketMQ {release} 此时把顺序消息放进重试主题，不是死信队列。它在延迟级别 {level} 等待到 {due}；每次再失败都会重新绕一圈，没有终点，后面的消息也不等它。";
        scheduled_retry(level: u8, due: &str) = "It failed and waits for its repeat under delay level {level}, until {due}. Messages behind it do not wait for it.", "它处理失败，在延迟级别 {level} 等待重试，{due} 到期。后面的消息不等待它。";
        scheduled_dead(level: u8, due: &str, release: &str) = "Its attempts are used up, and it is to become a dead letter. Its consumer sends it with a delay level, which RocketMQ {release} keeps: it waits under delay level {level} until {due}. Messages behind it do not wait for it.", "它已用尽重试次数，将成为死信。消费者发回它时带有延迟级别，RocketMQ {release} 会保留该级别：它在延迟级别 {level} 等待至 {due}。后面的消息不等它。";
        wheel(due: &str) = "It waits in the timer wheel until {due}.", "它在时间轮中等待至 {due}。";
        not_readable(queue: &str, read_queues: u16) = "It lies in {queue}, but consumers read only {read_queues} of the topic's queues: no consumer is ever given this queue.", "它在 {queue} 中，但主题只有 {read_queues} 个读队列：该队列不会分配给任何消费者。";
        done_in_batch(head: &str) = "It is acknowledged, but {head}, which was delivered with it, is not. RocketMQ 5.0.0 moves the consumer offset only when all of a receive is acknowledged; until then both are delivered again.", "它已确认，但同一次投递的 {head} 还没有。RocketMQ 5.0.0 要等一次接收的消息全部确认才移动消费位点，此前两者都会重新投递。";
        done_behind(head: &str) = "It is acknowledged, but {head} before it is not. The consumer offset stays before {head}; when {head} becomes visible again, this one is delivered again with it.", "它已确认，但前面的 {head} 还没有。消费位点停在 {head} 之前；{head} 再次可见时，它会一起被重新投递。";
        nobody_now(client: &str, how: &str) = "No consumer of the group runs. The last one, {client}, {how}.", "该组没有消费者在运行。最后一个 {client} {how}。";
        starting(client: &str, at: &str) = "{client} has just started. Its first rebalance round is at {at}; before it, it owns no queue.", "{client} 刚启动，第一轮重平衡在 {at}，此前不持有任何队列。";
        rebalancing(client: &str, at: &str) = "Nobody owns its queue. {client} takes it in its next rebalance round, at {at}.", "暂时没有消费者持有它的队列。{client} 将在 {at} 的下一轮重平衡中接手。";
        rebalancing_now(client: &str) = "Nobody owns its queue. {client} is in a rebalance round that takes it.", "暂时没有消费者持有它的队列。{client} 正在进行的重平衡会接手。";
        lock_held(owner: &str, until: &str) = "{owner} holds the broker's lock of its queue, at most until {until} unless it renews it. Nobody else is given the lock before.", "{owner} 持有该队列在 Broker 上的锁，若不续期最晚到 {until}。此前其他人无法取得。";
        lock_given(owner: &str, at: &str) = "{owner} has parted with its queue, but gives the broker's lock back only at {at}. Until then nobody else is given it.", "{owner} 已交出该队列，但要到 {at} 才归还 Broker 上的锁，此前其他人无法取得。";
        lock_gone(owner: &str, until: &str) = "The owner of its queue, {owner}, is gone. Its lock lives on until {until}, and nobody else gets it before.", "它的队列持有者 {owner} 已离开，其锁保留到 {until}，此前无人能取得。";
        absent(client: &str, until: &str) = "Its queue is allocated to {client}, which is gone but still counts as a member, until {until} at the earliest. Nobody else takes the queue before.", "它的队列仍分配给 {client}：该成员已离开，但最早要到 {until} 才会被移出组，此前没有人接手。";
        not_its_topic(client: &str) = "{client} does not subscribe to its topic and does not ask for it.", "{client} 没有订阅它所在的主题，不会来取。";
        other_reader(client: &str) = "Its queue is allocated to {client}, which does not subscribe to the topic. Queues are divided among all members, whatever they subscribe to.", "它的队列分配给了 {client}，而后者没有订阅该主题。队列在所有成员之间划分，不看各自的订阅。";
        allocated_to(client: &str) = "The allocation gives the queue to {client}.", "分配结果把该队列给了 {client}。";
        hangs(client: &str) = "{client} stands still: it neither handles nor gives up what it has.", "{client} 停顿：既不处理，也不放弃它持有的内容。";
        cut_off(client: &str, from: &str) = "{client} and {from} are cut off from each other. Nothing gets through until the cut is healed.", "{client} 与 {from} 之间网络中断，恢复之前什么也无法通过。";
        broker_down(broker: &str) = "Its broker, {broker}, is down. What it stores cannot be read.", "它所在的 {broker} 已停止，其中的消息无法读取。";
        broker_down_due(broker: &str, due: &str) = "It waits under a delay whose end is {due}, but its broker, {broker}, is down: nothing is put back into its queue before it runs.", "它在延迟等待，到期时间为 {due}，但它所在的 {broker} 已停止：恢复运行之前不会放回队列。";
        proxy_down(client: &str, proxy: &str) = "{client} speaks to {proxy}, which is down.", "{client} 连接的 {proxy} 已停止。";
        leaving_grpc(client: &str) = "{client} is stopping and receives nothing more.", "{client} 正在停止，不再接收。";
        leaving(client: &str) = "{client} is giving the queue away and takes nothing more from it.", "{client} 正在交出该队列，不再从中取消息。";
        leaving_call(client: &str, end: &str, at: &str) = "{client} has to give the queue away and takes nothing more from it. Its listener still runs, until {end}; the next try is its next rebalance round, at {at}.", "{client} 要交出该队列，不再从中取消息。它的监听器还在运行，{end} 返回；下一次尝试在它的下一轮重平衡，{at}。";
        leaving_waits(client: &str, end: &str) = "{client} has to give the queue away and takes nothing more from it. It waits for its listener, which runs until {end}, but only for a moment.", "{client} 要交出该队列，不再从中取消息。它正在等待监听器返回（{end}），但只等片刻。";
        leaving_later(client: &str, at: &str) = "{client} could not give the queue away while its listener ran, and takes nothing more from it. It tries again in its next rebalance round, at {at}.", "监听器运行期间 {client} 没能交出该队列，也不再从中取消息。它将在 {at} 的下一轮重平衡中再试。";
        lock_missing(client: &str) = "{client} does not hold the lock of the queue. An orderly consumer works only on a queue that it has locked.", "{client} 未持有该队列的锁。顺序消费者只处理自己已锁定的队列。";
        lock_missing_at(client: &str, at: &str) = "{client} does not hold the lock of the queue and asks for it at {at}. An orderly consumer works only on a queue that it has locked.", "{client} 未持有该队列的锁，将于 {at} 申请。顺序消费者只处理自己已锁定的队列。";
        lock_expired(client: &str) = "{client} could not renew its lock of the queue in time and no longer trusts it.", "{client} 未能及时续期该队列的锁，不再信任它。";
        lock_expired_at(client: &str, at: &str) = "{client} could not renew its lock of the queue in time and no longer trusts it. It asks again at {at}.", "{client} 未能及时续期该队列的锁，不再信任它，将于 {at} 再次申请。";
        reset_pause(client: &str, until: &str) = "A reset in the legacy way holds {client} still until {until}. Its queues are cleared.", "旧方式的重置使 {client} 暂停到 {until}，其队列已清空。";
        reset_pending(offset: i64) = "A reset to offset {offset} waits at the broker. The next pull or receive of the queue takes it up; until then offset updates are ignored.", "重置到位点 {offset} 正在 Broker 等待，下一次拉取或接收该队列时生效，此前位点更新都被忽略。";
        cache_full(client: &str, cached: u32, by: &str) = "{client} does not fetch: its cache of {cached} ‹message|messages› has reached its limit ({by}).", "{client} 不再获取消息：缓存的 {cached} 条消息已达上限（{by}）。";
        pull_failed(client: &str) = "The last request of {client} failed. It waits a moment before the next one.", "{client} 的上一次请求失败，稍后再发下一次。";
        not_fetched(client: &str, offset: &str) = "Nothing is in its way: the next answer to {client}, which reads from offset {offset} on, has not brought it yet.", "没有阻碍：{client} 从位点 {offset} 起读取，下一次响应还没有带来它。";
        refused_by_proxy(client: &str, proxy: &str) = "{proxy} answers every receive of {client} with an error.", "{proxy} 对 {client} 的每次接收都返回错误。";
        refused_by_route(client: &str, proxy: &str) = "{proxy} remembers a route without its broker, so no receive of {client} gets there.", "{proxy} 记住的路由里没有它所在的 Broker，{client} 的接收到不了那里。";
        route_until(until: &str) = "The first request after {until} has the route loaded again, and the one behind it gets through.", "{until} 之后的第一个请求会重新加载路由，再下一个请求才能通过。";
        unregistered(client: &str, broker: &str) = "Since the last heartbeat of {client}, {broker} has started or has given it up, and it does not know its subscription.", "{client} 上次心跳之后，{broker} 重新启动过或已把它移出，不知道它的订阅。";
        subscription_outdated(client: &str, broker: &str) = "{broker} has an older subscription of the group in its table than {client} reads by, and refuses the pulls of {client} as not latest.", "{broker} 的订阅表中该组的订阅比 {client} 自己的旧，因此以“订阅不是最新”拒绝 {client} 的拉取。";
        subscription_replaced(broker: &str) = "A heartbeat of another member has taken the topic out of the group's subscription at {broker}.", "另一个成员的心跳把该主题从 {broker} 上的组订阅中去掉了。";
        refused_until(client: &str, at: &str) = "Each pull of {client} is refused (SUBSCRIPTION_NOT_EXIST, 24) until its next heartbeat, at {at}.", "在 {at} 的下一次心跳之前，{client} 的每次拉取都被拒绝（SUBSCRIPTION_NOT_EXIST，24）。";
        refused_on(client: &str) = "Each pull of {client} is refused (SUBSCRIPTION_NOT_EXIST, 24) until its next heartbeat.", "下一次心跳之前，{client} 的每次拉取都被拒绝（SUBSCRIPTION_NOT_EXIST，24）。";
        unwanted(client: &str) = "Its tag is not wanted: the next read of {client} passes over it.", "订阅不包含它的标签：{client} 的下一次读取会越过它。";
        answer_lost(client: &str, until: &str) = "The last request of {client}, or the answer to it, was lost. It waits for the answer until {until} and then asks again.", "{client} 的上一个请求或其响应已丢失。它等待到 {until}，然后重新请求。";
        own_time(client: &str, until: &str) = "RocketMQ 5.0.0 counts with the invisible time of whoever asks. For {client} what was delivered last blocks the queue until {until}.", "RocketMQ 5.0.0 按请求方的不可见时间计算。对 {client} 来说，上次投递的消息阻塞该队列直到 {until}。";
        poll_sleeps(client: &str, until: &str) = "It is free, but the receive of {client} sleeps at the broker and nothing wakes it: no new message, no timer. It looks again when its time is nearly over, at {until}.", "它可以取了，但 {client} 的接收请求还在 Broker 休眠，没有新消息或定时器唤醒它。快到 {until} 时它才会再看一次。";
        no_loop(client: &str, loops: u16) = "{client} receives in {loops} ‹loop|loops›, and none is free: each still handles what its last receive brought.", "{client} 以 {loops} 个循环接收，目前都在处理上一次接收的消息。";
        no_thread(client: &str, threads: u16) = "{client} has {threads} ‹thread|threads›, and none is free.", "{client} 的 {threads} 个线程都在忙。";
        uncommitted(client: &str) = "{client} handled it and returned SUCCESS, but autoCommit is off: it is finished only when the listener says COMMIT. Until then the consumer offset stays before it.", "{client} 已处理并返回 SUCCESS，但 autoCommit 已关闭：监听器返回 COMMIT 才算完成，此前消费位点停在它之前。";
        old_listener(client: &str) = "{client} took the queue back while a listener of its earlier hold still runs. It waits for that call.", "{client} 重新得到该队列时，上一次持有期间的监听器仍在运行，需要等它返回。";
        pull_thread(client: &str) = "One thread of {client} sends the pulls of all its queues. It waits for the answer to another queue's request; this queue's pull comes after it.", "{client} 的所有队列共用一个拉取线程。它正在等另一个队列的请求得到响应，之后才轮到这个队列。";
        orderly_thread(client: &str) = "One thread of {client} renews its locks, asks for missing ones and ends the pauses of its queues. It waits for an answer about a lock; this queue comes after it.", "{client} 的锁续期、补锁和队列暂停结束都由同一个线程负责。它正在等一个锁请求的响应，之后才轮到这个队列。";
        next(client: &str) = "It is next: {client} is about to handle it.", "轮到它了：{client} 即将处理。";
        handled(client: &str, since: &str, until: &str) = "{client} has been handling it since {since}; the listener returns at {until}.", "{client} 自 {since} 起处理它，监听器将于 {until} 返回。";
        handled_again(client: &str, attempt: u32, since: &str, until: &str) = "{client} has been handling it since {since}, attempt {attempt}; the listener returns at {until}.", "{client} 自 {since} 起第 {attempt} 次处理它，监听器将于 {until} 返回。";
        suspended_once(until: &str) = "It failed. Its queue is suspended until {until}; then it is handled again, before everything behind it.", "它处理失败，队列挂起至 {until}，届时先重试它，再处理后面的消息。";
        suspended(failures: u32, until: &str) = "It failed {failures} ‹time|times›. Its queue is suspended until {until}; then it is handled again, before everything behind it.", "它已失败 {failures} 次，队列挂起至 {until}，届时先重试它，再处理后面的消息。";
        suspended_with(until: &str) = "Its queue is suspended until {until}. Then it is the first to be handled.", "它的队列挂起至 {until}，届时首先处理它。";
        sending_back(client: &str) = "{client} has used up its local attempts, or may not repeat it itself, and is sending it back to the broker.", "{client} 已用完本地重试次数，或不在本地重试，正在把它发回 Broker。";
        local_retry(client: &str) = "Sending it back failed; {client} handles it again by itself.", "发回失败，{client} 将在本地再次处理它。";
        behind_suspended(head: &str, until: &str) = "Its queue is suspended until {until}, because {head} before it failed. An orderly consumer handles a queue one message at a time.", "前面的 {head} 处理失败，队列挂起至 {until}。顺序消费者逐条处理队列。";
        behind_put_back(head: &str, until: &str) = "Its queue is suspended until {until}; then {head} before it is handled again. An orderly consumer handles a queue one message at a time.", "队列挂起至 {until}，届时先重新处理前面的 {head}。顺序消费者逐条处理队列。";
        behind_suspended_group(head: &str, until: &str) = "{head} of its message group failed and is handled again at {until}. Only its own message group waits.", "同一消息组的 {head} 处理失败，{until} 重试，只有该消息组等待。";
        behind_handled(head: &str, client: &str, until: &str) = "{client} is handling {head} before it, until {until}. An orderly consumer handles a queue one message at a time.", "{client} 正在处理前面的 {head}，直到 {until}。顺序消费者逐条处理队列。";
        behind_in_batch(head: &str, client: &str, until: &str) = "{client} is handling {head} of the same batch, until {until}. A push consumer handles the messages of a batch one by one, whichever queues they come from.", "{client} 正在处理同一批里的 {head}，直到 {until}。PushConsumer 逐条处理一批里的消息，不管它们来自哪个队列。";
        behind_in_loop(head: &str, client: &str, until: &str) = "{client} is handling {head} of the same receive, until {until}. Its application handles what a receive brought one by one.", "{client} 正在处理同一次接收里的 {head}，直到 {until}。它的应用逐条处理一次接收的消息。";
        behind_in_lane(head: &str, client: &str, until: &str) = "{client} is handling {head} of the same message group, until {until}. It handles the messages of one message group one by one.", "{client} 正在处理同一消息组的 {head}，直到 {until}。同一消息组的消息，它逐条处理。";
        behind_sending(head: &str) = "{head} before it has used up its attempts and is being sent away. Then it is its turn.", "前面的 {head} 已用尽重试次数，正在发走，随后轮到它。";
        behind_lock(head: &str, client: &str) = "{head} is first in the queue, but {client} does not hold the lock that it needs.", "队首 {head} 也在等：{client} 未持有所需的锁。";
        behind_lock_expired(head: &str, client: &str) = "{head} is first in the queue, but {client} no longer trusts its lock of the queue: the last renewal is too old.", "队首 {head} 也在等：{client} 的锁太久没有续期，它不再信任。";
        behind_lock_held(head: &str, owner: &str, until: &str) = "{head} is first in the queue, but the broker's lock of the queue belongs to {owner}, at most until {until} unless it renews it.", "队首 {head} 也在等：该队列在 Broker 上的锁属于 {owner}，若不续期最晚到 {until}。";
        behind_lock_gone(head: &str, owner: &str, until: &str) = "{head} is first in the queue, but the broker's lock of the queue still belongs to {owner}, which is gone, until {until}.", "队首 {head} 也在等：该队列在 Broker 上的锁仍属于已离开的 {owner}，直到 {until}。";
        behind_cut(head: &str, client: &str, from: &str) = "{head} is first in the queue, but {client} could not renew its lock of the queue in time and no longer trusts it: {client} and {from} are cut off from each other.", "队首 {head} 也在等：{client} 与 {from} 之间网络中断，未能及时续期该队列的锁，不再信任它。";
        behind_down(head: &str, client: &str, broker: &str) = "{head} is first in the queue, but {client} has no lock of the queue that it trusts, and {broker}, which gives it, is down.", "队首 {head} 也在等：{client} 没有可信任的队列锁，而发锁的 {broker} 已停止。";
        behind_no_thread(head: &str, client: &str, threads: u16) = "{head} is before it. {client} has {threads} ‹thread|threads›, and none is free.", "前面是 {head}。{client} 的 {threads} 个线程都在忙。";
        behind_old_listener(head: &str, client: &str) = "{head} is before it and waits for a listener of {client} that still runs from its earlier hold of the queue.", "前面的 {head} 在等 {client} 上一次持有该队列期间、仍在运行的监听器。";
        behind_thread(head: &str, client: &str) = "{head} is before it. The one thread of {client} that renews its locks and ends the pauses of its queues waits for an answer about a lock; this queue comes after it.", "前面是 {head}。{client} 负责续锁和结束队列暂停的唯一线程正在等一个锁请求的响应，之后才轮到这个队列。";
        behind_back_off(head: &str, until: &str) = "{head} before it failed; the consumer tries it again at {until} and handles what it received one by one.", "前面的 {head} 处理失败，消费者将于 {until} 重试，并逐条处理收到的消息。";
        behind_acting(head: &str) = "{head} before it is handled and is being acknowledged. Then it is its turn.", "前面的 {head} 已处理，正在确认，随后轮到它。";
        behind_waits(head: &str) = "{head} is before it and waits as well.", "前面的 {head} 也在等待。";
        no_group(msg: &str) = "{msg} waits too, although it has no message group.", "{msg} 虽没有消息组，也要一起等待。";
        other_group(msg: &str) = "{msg} waits too, although it belongs to another message group.", "{msg} 虽属于另一个消息组，也要一起等待。";
        invisible(until: &str) = "It was delivered and not acknowledged. It is invisible until {until}; nobody is given it before.", "它已投递但未确认，在 {until} 之前不可见，不会再给任何人。";
        invisible_at(client: &str, until: &str) = "It was delivered to {client} and not acknowledged. It is invisible until {until}; nobody is given it before.", "它已投递给 {client} 但未确认，在 {until} 之前不可见，不会再给任何人。";
        invisible_lost(until: &str) = "The broker delivered it, but no consumer has got the answer. It is invisible until {until}; nobody is given it before.", "Broker 已投递它，但没有消费者收到响应。它在 {until} 之前不可见，不会再给任何人。";
        invisible_unheard(client: &str, until: &str) = "The broker delivered it, but {client} has not got the answer. It is invisible until {until}; before, only a repeat of that receive by {client}, with the same attemptId, gets it.", "Broker 已投递它，但 {client} 没有收到响应。它在 {until} 之前不可见，此前只有 {client} 以相同 attemptId 重发的接收能取到它。";
        invisible_standing(client: &str, until: &str) = "It was delivered to {client}, which stands still and takes it when it goes on. It is invisible until {until}; nobody else is given it before.", "它已投递给 {client}，后者停顿中，恢复后才会接手。它在 {until} 之前不可见，此前不会给其他任何人。";
        renewed(client: &str) = "The proxy renews that time as long as it counts {client} as its client.", "只要 Proxy 还把 {client} 算作它的客户端，就会一直续期。";
        unheard(head: &str) = "No consumer has got {head}.", "没有消费者收到 {head}。";
        repeatable(head: &str, client: &str) = "{client} has not got {head}; a repeat of its receive, with the same attemptId, gets it earlier.", "{client} 没有收到 {head}；它以相同 attemptId 重发的接收可以提前取到它。";
        standing_with(head: &str, client: &str) = "{client} stands still and takes {head} when it goes on.", "{client} 停顿中，恢复后才会接手 {head}。";
        behind_invisible(head: &str, until: &str) = "{head} was delivered and is not acknowledged. For an ordered group that blocks the whole queue, until {until} or its acknowledgement.", "{head} 已投递但未确认。对顺序组来说，这会阻塞整个队列，直到 {until} 或被确认。";
        behind_invisible_at(head: &str, client: &str, until: &str) = "{head} was delivered to {client} and is not acknowledged. For an ordered group that blocks the whole queue, until {until} or its acknowledgement.", "{head} 已投递给 {client} 但未确认。对顺序组来说，这会阻塞整个队列，直到 {until} 或被确认。";
        behind_invisible_group(head: &str, until: &str) = "{head} of its message group was delivered and is not acknowledged. Its message group waits until {until} or the acknowledgement.", "同一消息组的 {head} 已投递但未确认，该消息组等待至 {until} 或被确认。";
        held(client: &str, until: &str) = "{client} has received it, and its application has not acknowledged it yet. It becomes visible again at {until}.", "{client} 已收到它，应用尚未确认，{until} 将再次可见。";
        back_off(client: &str, attempt: u32, until: &str) = "Attempt {attempt} failed. {client} keeps it and handles it again at {until}, by the group's retry policy.", "第 {attempt} 次处理失败。{client} 按该组的重试策略，在 {until} 再次处理它。";
        acknowledging(client: &str) = "It is handled. {client} waits for the answer to its acknowledgement.", "它已处理，{client} 正在等待确认的响应。";
        changing(client: &str) = "It failed. {client} asks for it to become visible again later.", "它处理失败，{client} 请求让它稍后再次可见。";
        dead_lettering(client: &str) = "Its attempts are used up. {client} asks the proxy to make it a dead letter.", "它已用尽重试次数，{client} 请求 Proxy 把它转为死信。";
        acting_again(client: &str, at: &str) = "The request of {client} about it failed and is repeated at {at}.", "{client} 关于它的请求失败，将于 {at} 重试。";
        revives(at: &str) = "It was not acknowledged in time. The revive service copies it to the retry topic after {at}; then it is delivered again, behind what came meanwhile.", "它没有及时确认。{at} 之后恢复服务会把它复制到重试主题，再次投递时排在其间消息之后。";
        not_asked(client: &str) = "Nobody asks for it: a SimpleConsumer receives only when its application calls, and {client} does not.", "没有人来取：SimpleConsumer 只在应用调用时接收，而 {client} 没有调用。";
        unassigned(client: &str) = "{client} has no receive loop for its queue yet; it looks for its assignments every few seconds.", "{client} 还没有它所在队列的接收循环，每隔几秒查询一次分配。";
    }
}

impl Speaker<'_> {
    /// The title of a message's state.
    pub fn reason_title(&self, msg: MsgId, reason: &Reason) -> String {
        let text = ReasonText(self.locale);
        let msg = &self.msg(msg);
        match reason {
            Reason::AtProducer { .. } => text.title_unsent(msg),
            Reason::Travels { .. } => text.title_initialised(msg),
            Reason::Late { .. } => text.title_way(msg),
            Reason::SendFailed { .. } => text.title_refused(msg),
            Reason::HalfOpen { .. } => text.title_half(msg),
            Reason::NeverVisible { given_up: true, .. } => text.title_aside(msg),
            Reason::NeverVisible { given_up: false, .. } => text.title_rolled_back(msg),
            Reason::Scheduled { bound: Bound::DeadLetters, .. } => text.title_dies(msg),
            Reason::Scheduled { bound: Bound::Retry | Bound::Round, .. }
            | Reason::Suspended { .. }
            | Reason::BackOff { .. }
            | Reason::LocalRetry { .. }
            | Reason::NotTaken { .. }
            | Reason::SendingBack { .. }
            | Reason::Revives { .. } => text.title_again(msg),
            Reason::Scheduled { .. } | Reason::Wheel { .. } | Reason::NoRoom { .. } => {
                text.title_delayed(msg)
            }
            Reason::Stranded { .. } => text.title_stranded(msg),
            Reason::Lost | Reason::SentNowhere | Reason::WheelGaveUp => text.title_lost(msg),
            Reason::Deleted => text.title_deleted(msg),
            Reason::NotReadable { .. } | Reason::NotSubscribed => text.title_not_read(msg),
            Reason::Passed { .. } => text.title_passed(msg),
            Reason::Done | Reason::DoneLost | Reason::DoneBehind { .. } => {
                text.title_acknowledged(msg)
            }
            Reason::Dead => text.title_dead(msg),
            Reason::Handled { .. } | Reason::Acting { .. } => text.title_handled(msg),
            Reason::Behind {
                head, doing: Doing::Suspended { .. } | Doing::BackOff { .. }, ..
            } => text.title_blocked(msg, &self.msg(*head)),
            Reason::Behind { head, .. } | Reason::BehindInvisible { head, .. } => {
                text.title_behind(msg, &self.msg(*head))
            }
            Reason::Invisible { .. } => text.title_hidden(msg),
            Reason::Held { .. } => text.title_held(msg),
            _ => text.title_waits(msg),
        }
    }

    /// One sentence or two that say why.
    pub fn reason(&self, msg: Option<MsgId>, reason: &Reason) -> String {
        self.before_broker(reason)
            .or_else(|| self.over(reason))
            .or_else(|| self.standing(reason))
            .or_else(|| self.fetching(reason))
            .unwrap_or_else(|| self.working(msg, reason))
    }

    fn before_broker(&self, reason: &Reason) -> Option<String> {
        let text = ReasonText(self.locale);
        Some(match *reason {
            Reason::AtProducer { producer, before: Some(before) } => {
                text.at_producer(self.producer(producer), &self.msg(before))
            }
            Reason::AtProducer { producer, before: None } => {
                text.at_producer_first(self.producer(producer))
            }
            Reason::Travels { attempt: 0 | 1, .. } => text.travels().to_owned(),
            Reason::Travels { attempt, .. } => text.travels_again(attempt),
            Reason::SendFailed { producer, failure, full } => {
                let why = text.send_failed(self.producer(producer), &self.send_failure(failure));
                let why = match full.filter(|_| failure != SendFailure::DiskFull) {
                    Some(broker) => {
                        self.two(why, text.full_disk(self.party(Party::Broker(broker))))
                    }
                    None => why,
                };
                self.two(why, text.send_failed_none().to_owned())
            }
            Reason::SendLost { producer, until_ms, .. } => {
                text.send_lost(self.producer(producer), &clock(until_ms))
            }
            Reason::Late { producer, failure, at_ms } => {
                let why = text.send_failed(self.producer(producer), &self.send_failure(failure));
                self.two(why, text.late(&clock(at_ms)))
            }
            Reason::HalfOpen { checks, undone } => self.undone(text.half_open(checks), undone),
            Reason::NeverVisible { given_up: true, undone } => {
                self.undone(text.given_up().to_owned(), undone)
            }
            Reason::NeverVisible { given_up: false, .. } => text.rolled_back().to_owned(),
            Reason::Scheduled { level, due_ms, bound: Bound::Round, .. } => {
                let release = self.world.shared.model.version.to_string();
                text.goes_round(level, &clock(due_ms), &release)
            }
            Reason::Scheduled { level, due_ms, bound: Bound::Retry, .. } => {
                text.scheduled_retry(level, &clock(due_ms))
            }
            Reason::Scheduled { level, due_ms, bound: Bound::DeadLetters, .. } => {
                let release = self.world.shared.model.version.to_string();
                text.scheduled_dead(level, &clock(due_ms), &release)
            }
            Reason::Scheduled { level, due_ms, before: 0, .. } => {
                text.scheduled_head(level, &clock(due_ms))
            }
            Reason::Scheduled { level, due_ms, before, head_due_ms, .. } => {
                text.scheduled(level, before, &clock(due_ms), &clock(head_due_ms))
            }
            Reason::Stranded { level, levels, .. } => text.stranded(level, levels),
            Reason::Wheel { due_ms } => text.wheel(&clock(due_ms)),
            Reason::NoRoom { broker, due_ms } => {
                text.no_room(self.party(Party::Broker(broker)), &clock(due_ms))
            }
            _ => return None,
        })
    }

    /// What is said of a half message, with what kept a decision about it from counting.
    fn undone(&self, said: String, undone: Option<Undone>) -> String {
        let text = ReasonText(self.locale);
        let why = match undone {
            None => return said,
            Some(Undone::Lost { from, to }) => text.decision_lost(self.party(from), self.party(to)),
            Some(Undone::Forgotten { proxy }) => {
                text.decision_late(self.party(Party::Proxy(proxy)))
            }
            Some(Undone::NotWritten { broker }) => {
                text.decision_full(self.party(Party::Broker(broker)))
            }
            Some(Undone::Full { broker }) => {
                text.transactions_full(self.party(Party::Broker(broker)))
            }
        };
        self.two(said, why)
    }

    fn over(&self, reason: &Reason) -> Option<String> {
        let text = ReasonText(self.locale);
        let plain = match *reason {
            Reason::Lost => text.lost(),
            Reason::WheelGaveUp => text.wheel_gave_up(),
            Reason::Deleted => text.deleted(),
            Reason::NotSubscribed => text.not_subscribed(),
            Reason::Passed { by } => match by {
                PassedBy::Filter => text.passed_filter(),
                PassedBy::Reset => text.passed_reset(),
                PassedBy::Start => text.passed_start(),
                PassedBy::Correction => text.passed_correction(),
                PassedBy::PowerLoss => text.passed_power_loss(),
                PassedBy::Other => text.passed_other(),
            },
            Reason::Done => text.done(),
            Reason::DoneLost => text.done_lost(),
            Reason::Dead => text.dead(),
            Reason::SentNowhere => text.sent_nowhere(),
            Reason::DoneBehind { head, batch: true } => {
                return Some(text.done_in_batch(&self.msg(head)));
            }
            Reason::DoneBehind { head, .. } => return Some(text.done_behind(&self.msg(head))),
            _ => return None,
        };
        Some(plain.to_owned())
    }

    fn standing(&self, reason: &Reason) -> Option<String> {
        let text = ReasonText(self.locale);
        let at = |ms: Ms| clock(ms);
        Some(match *reason {
            Reason::NotReadable { queue, read_queues } => {
                text.not_readable(&self.queue(queue), read_queues)
            }
            Reason::NoConsumer { last: None } => text.nobody_ever().to_owned(),
            Reason::NoConsumer { last: Some((client, how)) } => {
                text.nobody_now(self.client(client), self.ended_how(how))
            }
            Reason::Starting { client, at_ms } => text.starting(self.client(client), &at(at_ms)),
            Reason::Rebalancing { client, at_ms: Some(at_ms) } => {
                text.rebalancing(self.client(client), &at(at_ms))
            }
            Reason::Rebalancing { client, at_ms: None } => {
                text.rebalancing_now(self.client(client))
            }
            Reason::LockHeld { owner, gives_ms: Some(at_ms), .. } => {
                text.lock_given(self.client(owner), &at(at_ms))
            }
            Reason::LockHeld { owner, gone: true, until_ms, .. } => {
                text.lock_gone(self.client(owner), &at(until_ms))
            }
            Reason::LockHeld { owner, gone: false, until_ms, .. } => {
                text.lock_held(self.client(owner), &at(until_ms))
            }
            Reason::OfAbsentMember { client, until_ms } => {
                text.absent(self.client(client), &at(until_ms))
            }
            Reason::OfOtherReader { client } if self.is_grpc(client) => {
                text.not_its_topic(self.client(client))
            }
            Reason::OfOtherReader { client } => text.other_reader(self.client(client)),
            Reason::AllocatedTo { client } => text.allocated_to(self.client(client)),
            Reason::Hangs { client } => text.hangs(self.client(client)),
            Reason::CutOff { client, from } => text.cut_off(self.client(client), self.party(from)),
            Reason::BrokerDown { broker, due_ms } => {
                let broker = self.party(Party::Broker(broker));
                match due_ms {
                    Some(due_ms) => text.broker_down_due(broker, &at(due_ms)),
                    None => text.broker_down(broker),
                }
            }
            Reason::ProxyDown { client, proxy } => {
                let proxy = self.party(lockstep_core::ids::Party::Proxy(proxy));
                text.proxy_down(self.client(client), proxy)
            }
            Reason::Leaving { client, .. } if self.is_grpc(client) => {
                text.leaving_grpc(self.client(client))
            }
            Reason::Leaving { client, call_ms, round_ms } => {
                let client = self.client(client);
                match (call_ms, round_ms) {
                    (Some(end_ms), Some(at_ms)) => {
                        text.leaving_call(client, &at(end_ms), &at(at_ms))
                    }
                    (Some(end_ms), None) => text.leaving_waits(client, &at(end_ms)),
                    (None, Some(at_ms)) => text.leaving_later(client, &at(at_ms)),
                    (None, None) => text.leaving(client),
                }
            }
            Reason::Paused => text.paused().to_owned(),
            Reason::ResetPause { client, until_ms } => {
                text.reset_pause(self.client(client), &at(until_ms))
            }
            Reason::ResetPending { offset } => text.reset_pending(offset),
            _ => return None,
        })
    }

    /// How a process ended, behind its name.
    fn ended_how(&self, how: StopKind) -> &'static str {
        let text = super::state::StateText(self.locale);
        match how {
            StopKind::Clean => text.ended_clean(),
            StopKind::Crash => text.ended_crash(),
            StopKind::Silent => text.ended_silent(),
            StopKind::Hang => text.ended_hang(),
        }
    }

    fn fetching(&self, reason: &Reason) -> Option<String> {
        let text = ReasonText(self.locale);
        Some(match *reason {
            Reason::LockMissing { client, expired, at_ms } => {
                let client = self.client(client);
                match (expired, at_ms) {
                    (false, None) => text.lock_missing(client),
                    (false, Some(at_ms)) => text.lock_missing_at(client, &clock(at_ms)),
                    (true, None) => text.lock_expired(client),
                    (true, Some(at_ms)) => text.lock_expired_at(client, &clock(at_ms)),
                }
            }
            Reason::CacheFull { client, pause, cached } => {
                let by = match pause {
                    PullPause::CachedSize => text.cache_bytes(),
                    PullPause::Span => text.cache_span(),
                    _ => text.cache_count(),
                };
                text.cache_full(self.client(client), cached, by)
            }
            Reason::PullFailed { client } => text.pull_failed(self.client(client)),
            Reason::NotFetchedYet { client, offset } => {
                text.not_fetched(self.client(client), &number(offset))
            }
            Reason::Refused { client, by } => self.refused_by(client, by),
            Reason::Unwanted { client } => text.unwanted(self.client(client)),
            Reason::AnswerLost { client, until_ms } => {
                text.answer_lost(self.client(client), &clock(until_ms))
            }
            Reason::OwnTime { client, until_ms } => {
                text.own_time(self.client(client), &clock(until_ms))
            }
            Reason::PollSleeps { client, until_ms } => {
                text.poll_sleeps(self.client(client), &clock(until_ms))
            }
            Reason::NoThread { client, threads } if self.is_simple(client) => {
                text.no_loop(self.client(client), threads)
            }
            Reason::NoThread { client, threads } => text.no_thread(self.client(client), threads),
            Reason::Uncommitted { client } => text.uncommitted(self.client(client)),
            Reason::OldListener { client } => text.old_listener(self.client(client)),
            Reason::ThreadWaits { client, thread } => match thread {
                Thread::Pull | Thread::PullTimers => text.pull_thread(self.client(client)),
                Thread::OrderlyTimers | Thread::Instance => {
                    text.orderly_thread(self.client(client))
                }
            },
            Reason::Next { client } => text.next(self.client(client)),
            Reason::NotAsked { client } => text.not_asked(self.client(client)),
            Reason::Unassigned { client } => text.unassigned(self.client(client)),
            Reason::Revives { at_ms } => text.revives(&clock(at_ms)),
            _ => return None,
        })
    }

    /// What refuses the requests of a consumer.
    fn refused_by(&self, client: ClientId, by: Refusing) -> String {
        let (text, client) = (ReasonText(self.locale), self.client(client));
        match by {
            Refusing::Proxy(proxy) => {
                text.refused_by_proxy(client, self.party(Party::Proxy(proxy)))
            }
            Refusing::OldRoute { proxy, until_ms } => {
                let why = text.refused_by_route(client, self.party(Party::Proxy(proxy)));
                let until = match until_ms {
                    Some(until_ms) => text.route_until(&clock(until_ms)),
                    None => text.route_loaded_next().to_owned(),
                };
                self.two(why, until)
            }
            Refusing::Unregistered { broker, at_ms, .. } | Refusing::Outdated { broker, at_ms } => {
                let broker = self.party(Party::Broker(broker));
                let why = match by {
                    Refusing::Outdated { .. } => text.subscription_outdated(client, broker),
                    Refusing::Unregistered { replaced: true, .. } => {
                        text.subscription_replaced(broker)
                    }
                    _ => text.unregistered(client, broker),
                };
                let until = match at_ms {
                    Some(at_ms) => text.refused_until(client, &clock(at_ms)),
                    None => text.refused_on(client),
                };
                self.two(why, until)
            }
        }
    }

    fn working(&self, msg: Option<MsgId>, reason: &Reason) -> String {
        let text = ReasonText(self.locale);
        let at = |ms: Ms| clock(ms);
        match *reason {
            Reason::Handled { client, from_ms, until_ms, attempt: 0 | 1 } => {
                text.handled(self.client(client), &at(from_ms), &at(until_ms))
            }
            Reason::Handled { client, from_ms, until_ms, attempt } => {
                text.handled_again(self.client(client), attempt, &at(from_ms), &at(until_ms))
            }
            Reason::Suspended { failures: 0, until_ms, .. } => text.suspended_with(&at(until_ms)),
            Reason::Suspended { failures: 1, until_ms, .. } => text.suspended_once(&at(until_ms)),
            Reason::Suspended { failures, until_ms, .. } => text.suspended(failures, &at(until_ms)),
            Reason::SendingBack { client } => text.sending_back(self.client(client)),
            Reason::LocalRetry { client } => text.local_retry(self.client(client)),
            Reason::NotTaken { client, broker, until_ms } => {
                let (client, broker) =
                    (client.map(|c| self.client(c)), self.party(Party::Broker(broker)));
                match (client, until_ms) {
                    (Some(client), Some(until_ms)) => text.not_taken(client, broker, &at(until_ms)),
                    (Some(client), None) => text.not_taken_now(client, broker),
                    (None, Some(until_ms)) => text.not_taken_dead(broker, &at(until_ms)),
                    (None, None) => text.not_revived(broker),
                }
            }
            Reason::Invisible { until_ms, longer: Longer::Unheard, .. } => {
                text.invisible_lost(&at(until_ms))
            }
            Reason::Invisible { until_ms, longer: Longer::Repeatable { client }, .. } => {
                text.invisible_unheard(self.client(client), &at(until_ms))
            }
            Reason::Invisible { until_ms, longer: Longer::Standing { client }, .. } => {
                text.invisible_standing(self.client(client), &at(until_ms))
            }
            Reason::Invisible { holder: None, until_ms, .. } => text.invisible(&at(until_ms)),
            Reason::Invisible { holder: Some(client), until_ms, longer } => {
                let said = text.invisible_at(self.client(client), &at(until_ms));
                match longer {
                    Longer::Renewed => self.two(said, text.renewed(self.client(client))),
                    _ => said,
                }
            }
            Reason::Held { client, until_ms } => text.held(self.client(client), &at(until_ms)),
            Reason::BackOff { client, attempt, until_ms } => {
                text.back_off(self.client(client), attempt, &at(until_ms))
            }
            Reason::Acting { client, again_ms: Some(at_ms), .. } => {
                text.acting_again(self.client(client), &at(at_ms))
            }
            Reason::Acting { client, act, .. } => match act {
                Act::Ack => text.acknowledging(self.client(client)),
                Act::Change(_) => text.changing(self.client(client)),
                Act::Dead => text.dead_lettering(self.client(client)),
            },
            _ => self.behind(msg, reason),
        }
    }

    fn behind(&self, msg: Option<MsgId>, reason: &Reason) -> String {
        let text = ReasonText(self.locale);
        let at = |ms: Ms| clock(ms);
        let by_group =
            self.world.shared.model.blocking == lockstep_core::model::Blocking::MessageGroup;
        let (first, same_group) = match *reason {
            Reason::Behind { client: id, head, doing, same_group, .. } => {
                let (head, client) = (&self.msg(head), self.client(id));
                let push = self.world.clients.get(id.index()).and_then(|process| process.grpc());
                // Where lanes are message groups, nothing else is waited for.
                let by_lane = push.is_some_and(|push| {
                    push.kind == GrpcKind::Push && (by_group || push.accelerator)
                });
                let first = match doing {
                    Doing::Handled { until_ms } if by_lane => {
                        text.behind_in_lane(head, client, &at(until_ms))
                    }
                    Doing::Handled { until_ms } if self.is_simple(id) => {
                        text.behind_in_loop(head, client, &at(until_ms))
                    }
                    Doing::Handled { until_ms } if push.is_some() => {
                        text.behind_in_batch(head, client, &at(until_ms))
                    }
                    Doing::Handled { until_ms } => text.behind_handled(head, client, &at(until_ms)),
                    Doing::Suspended { until_ms, .. } if by_group => {
                        text.behind_suspended_group(head, &at(until_ms))
                    }
                    // It did not fail itself: a batch or a transaction was taken back with it.
                    Doing::Suspended { failures: 0, until_ms } => {
                        text.behind_put_back(head, &at(until_ms))
                    }
                    Doing::Suspended { until_ms, .. } => text.behind_suspended(head, &at(until_ms)),
                    Doing::SendingBack => text.behind_sending(head),
                    Doing::LockMissing { expired: false } => text.behind_lock(head, client),
                    Doing::LockMissing { expired: true } => text.behind_lock_expired(head, client),
                    Doing::LockHeld { owner, gone: true, until_ms } => {
                        text.behind_lock_gone(head, self.client(owner), &at(until_ms))
                    }
                    Doing::LockHeld { owner, until_ms, .. } => {
                        text.behind_lock_held(head, self.client(owner), &at(until_ms))
                    }
                    Doing::CutOff { from } => text.behind_cut(head, client, self.party(from)),
                    Doing::BrokerDown { broker } => {
                        text.behind_down(head, client, self.party(Party::Broker(broker)))
                    }
                    Doing::NoThread { threads } => text.behind_no_thread(head, client, threads),
                    Doing::OldListener => text.behind_old_listener(head, client),
                    Doing::ThreadWaits { .. } => text.behind_thread(head, client),
                    Doing::BackOff { until_ms } => text.behind_back_off(head, &at(until_ms)),
                    Doing::Acting => text.behind_acting(head),
                    Doing::Waits => text.behind_waits(head),
                };
                (first, same_group)
            }
            Reason::BehindInvisible { head, holder, until_ms, same_group, longer } => {
                let (head, until) = (&self.msg(head), &at(until_ms));
                let standing = match longer {
                    Longer::Standing { client } => Some(client),
                    _ => None,
                };
                let first = match holder.or(standing) {
                    _ if by_group => text.behind_invisible_group(head, until),
                    Some(client) => text.behind_invisible_at(head, self.client(client), until),
                    None => text.behind_invisible(head, until),
                };
                let first = match (longer, holder) {
                    (Longer::Repeatable { client }, _) => {
                        self.two(first, text.repeatable(head, self.client(client)))
                    }
                    (Longer::Standing { client }, _) => {
                        self.two(first, text.standing_with(head, self.client(client)))
                    }
                    (Longer::Unheard, _) => self.two(first, text.unheard(head)),
                    (Longer::Renewed, Some(client)) => {
                        self.two(first, text.renewed(self.client(client)))
                    }
                    _ => first,
                };
                (first, same_group)
            }
            _ => (text.travels().to_owned(), true),
        };
        match msg.filter(|_| !same_group) {
            Some(msg) if self.world.shared.message_group(msg).is_none() => {
                self.two(first, text.no_group(&self.msg(msg)))
            }
            Some(msg) => self.two(first, text.other_group(&self.msg(msg))),
            None => first,
        }
    }

    /// Whether a consumer is a SimpleConsumer.
    pub(crate) fn is_simple(&self, client: ClientId) -> bool {
        let process = self.world.clients.get(client.index()).and_then(|process| process.grpc());
        process.is_some_and(|client| matches!(client.kind, GrpcKind::Simple(_)))
    }

    /// Two sentences, one behind the other.
    pub(crate) fn two(&self, first: String, second: String) -> String {
        let gap = self.locale.pick(" ", "");
        format!("{first}{gap}{second}")
    }
}
