//! Guarantees: their names, what became of them, and what would give them.

use lockstep_core::guarantee::{Guarantee, Missing, Promise, Verdict};

use crate::sentence::Speaker;
use crate::{clock, left};

crate::catalogue! {
    /// Names of guarantees and what became of them.
    GuaranteeText;
    plain {
        order_stored = "Stored in order", "按序存储";
        order_delivered = "Delivered in order", "按序投递";
        order_handled = "Handled in order", "按序处理";
        order_acknowledged = "Acknowledged in order", "按序确认";
        queue_order = "Order of each queue", "队列内有序";
        one_owner = "One owner per queue", "每个队列一个持有者";
        nothing_lost = "Nothing lost", "没有丢失";
        at_least_once = "At least once", "至少一次";
        progress = "Progress", "持续推进";
        attempts = "Attempts within limits", "重试次数不超限";
        kept = "kept", "成立";
        not_stored = "Stored out of order", "未按序存储";
        not_delivered = "Delivered out of order", "未按序投递";
        not_handled = "Handled out of order", "未按序处理";
        not_acknowledged = "Acknowledged out of order", "未按序确认";
        no_queue_order = "Order of a queue broken", "队列内顺序被打破";
        two_owners = "Two owners of one queue", "一个队列两个持有者";
        something_lost = "Messages lost", "有消息丢失";
        not_once = "Not delivered even once", "一次也没有投递";
        no_progress = "No progress", "停止推进";
        too_many_attempts = "More attempts than allowed", "重试次数超限";
        queue_block = "A block of the whole queue (blocking queue), not of one message group.", "阻塞整个队列（blocking queue），而不是只阻塞一个消息组。";
        sync_flush = "flushDiskType=SYNC_FLUSH: the answer comes after the flush.", "flushDiskType=SYNC_FLUSH：落盘之后才应答。";
        room = "Enough disk: a broker whose disk is too full writes nothing.", "足够的磁盘：磁盘已满的 Broker 无法写入。";
        retention = "A longer fileReservedTime, and enough disk.", "更长的 fileReservedTime，以及足够的磁盘。";
    }
    with {
        broken(count: u32) = "broken (count {count})", "被打破（{count} 次）";
        not_promised(needs: &str) = "not promised. It would need: {needs}", "未承诺，需要：{needs}";
        not_promised_broken(count: u32, needs: &str) = "not promised and not so (count {count}). It would need: {needs}", "未承诺，且不成立（{count} 次），需要：{needs}";
        duplicates(retries: u32, hand_overs: u32, resets: u32, expiries: u32) = "repeats: {retries} after failures, {hand_overs} after hand-overs, {resets} after resets, {expiries} after expiries", "重复：失败重试 {retries}，交接 {hand_overs}，重置 {resets}，超时 {expiries}";
        longest(queue: &str, span: &str, from: &str) = "longest standstill: {queue}, {span} from {from}", "最长停滞：{queue}，{from} 起 {span}";
        longest_by(queue: &str, span: &str, from: &str, msg: &str) = "longest standstill: {queue}, {span} from {from}, by {msg}", "最长停滞：{queue}，{from} 起 {span}，因 {msg}";
        first(at: &str, msg: &str) = "first at {at}, {msg}", "首次 {at}，{msg}";
        orderly_listener(group: &str) = "MessageListenerOrderly in {group}.", "{group} 使用 MessageListenerOrderly。";
        orderly_group(group: &str) = "consumeMessageOrderly of {group} switched on.", "{group} 开启 consumeMessageOrderly。";
        keyed_selector(producer: &str) = "{producer} chooses the queue by the message group.", "{producer} 按消息组选择队列。";
        sync_sends(producer: &str) = "{producer} waits for each answer before the next send.", "{producer} 等到每次发送结果再发下一条。";
        one_producer(series: &str) = "One producer for the message group {series}.", "消息组 {series} 只由一个生产者发送。";
        one_thread(series: &str) = "One thread for the message group {series}.", "消息组 {series} 只由一个线程发送。";
        one_message(producer: &str) = "{producer} sends one message in each request.", "{producer} 每个请求只发送一条消息。";
        fixed_queues(topic: &str) = "The queues of {topic} stay the same, or change while nothing waits.", "{topic} 的队列保持不变，或在没有消息等待时改变。";
        finer_group(series: &str) = "Finer message groups than {series}: one for each order that the business really needs.", "比 {series} 更细的消息组：业务真正需要顺序的范围各用一组。";
        no_delay(series: &str) = "No delays inside the message group {series}.", "消息组 {series} 内不使用延迟。";
        no_reset(group: &str) = "No reset of {group}, or only when nothing is unfinished.", "不重置 {group}，或仅在没有未完成消息时重置。";
        retry_max_times(group: &str) = "For a message that fails for ever, a retryMaxTimes of {group} that is high enough for what succeeds in the end, and has an end.", "针对一直失败的消息，为 {group} 设置合理的 retryMaxTimes：够让最终能成功的消息成功，又有尽头。";
        retry_limit(group: &str) = "For a message that fails for ever, a maxReconsumeTimes of {group} that is high enough for what succeeds in the end, and has an end.", "针对一直失败的消息，为 {group} 设置合理的 maxReconsumeTimes：够让最终能成功的消息成功，又有尽头。";
        await_termination(group: &str) = "An awaitTerminationMillisWhenShutdown of {group} that lets a stop wait for its listeners.", "{group} 的 awaitTerminationMillisWhenShutdown：停止时等待监听器返回。";
        same_subscriptions(group: &str) = "The same subscription for every member of {group}.", "{group} 的所有成员使用相同的订阅。";
        retry_queues(group: &str) = "At least one retry queue (retryQueueNums) for {group}.", "{group} 至少有一个重试队列（retryQueueNums）。";
        no_accelerator(group: &str) = "Push consumers of {group} without the FIFO accelerator.", "{group} 的 PushConsumer 不启用 FIFO 加速。";
    }
}

impl Speaker<'_> {
    /// A guarantee's name.
    pub fn guarantee(&self, guarantee: Guarantee) -> &'static str {
        let text = GuaranteeText(self.locale);
        match guarantee {
            Guarantee::OrderStored => text.order_stored(),
            Guarantee::OrderDelivered => text.order_delivered(),
            Guarantee::OrderHandled => text.order_handled(),
            Guarantee::OrderAcknowledged => text.order_acknowledged(),
            Guarantee::QueueOrder => text.queue_order(),
            Guarantee::OneOwner => text.one_owner(),
            Guarantee::NothingLost => text.nothing_lost(),
            Guarantee::AtLeastOnce => text.at_least_once(),
            Guarantee::Progress => text.progress(),
            Guarantee::Attempts => text.attempts(),
        }
    }

    /// What is so when a guarantee does not hold.
    pub fn breach(&self, guarantee: Guarantee) -> &'static str {
        let text = GuaranteeText(self.locale);
        match guarantee {
            Guarantee::OrderStored => text.not_stored(),
            Guarantee::OrderDelivered => text.not_delivered(),
            Guarantee::OrderHandled => text.not_handled(),
            Guarantee::OrderAcknowledged => text.not_acknowledged(),
            Guarantee::QueueOrder => text.no_queue_order(),
            Guarantee::OneOwner => text.two_owners(),
            Guarantee::NothingLost => text.something_lost(),
            Guarantee::AtLeastOnce => text.not_once(),
            Guarantee::Progress => text.no_progress(),
            Guarantee::Attempts => text.too_many_attempts(),
        }
    }

    /// The setting or way of working that a guarantee needs.
    pub fn missing(&self, missing: &Missing) -> String {
        let text = GuaranteeText(self.locale);
        let series = |id: lockstep_core::ids::MessageGroupId| {
            let series = &self.world.shared.names.series[id.index()];
            series.key.clone().unwrap_or_else(|| series.name.clone())
        };
        match *missing {
            Missing::OrderlyListener(group) => text.orderly_listener(self.group(group)),
            Missing::OrderlyGroup(group) => text.orderly_group(self.group(group)),
            Missing::KeyedSelector(producer) => text.keyed_selector(self.producer(producer)),
            Missing::SyncSends(producer) => text.sync_sends(self.producer(producer)),
            Missing::OneProducer(id) => text.one_producer(&series(id)),
            Missing::OneThread(id) => text.one_thread(&series(id)),
            Missing::OneMessageRequests(producer) => text.one_message(self.producer(producer)),
            Missing::FixedQueues(topic) => text.fixed_queues(self.topic(topic)),
            Missing::FinerGroup(id) => text.finer_group(&series(id)),
            Missing::NoDelay(id) => text.no_delay(&series(id)),
            Missing::NoReset(group) => text.no_reset(self.group(group)),
            Missing::RetryLimit(group) if self.has_grpc(group) => {
                text.retry_max_times(self.group(group))
            }
            Missing::RetryLimit(group) => text.retry_limit(self.group(group)),
            Missing::AwaitTermination(group) => text.await_termination(self.group(group)),
            Missing::SyncFlush => text.sync_flush().to_owned(),
            Missing::Room => text.room().to_owned(),
            Missing::Retention => text.retention().to_owned(),
            Missing::SameSubscriptions(group) => text.same_subscriptions(self.group(group)),
            Missing::RetryQueues(group) => text.retry_queues(self.group(group)),
            Missing::QueueBlock => text.queue_block().to_owned(),
            Missing::NoAccelerator(group) => text.no_accelerator(self.group(group)),
        }
    }

    /// Whether the newest consumer of a group speaks gRPC: its attempts are limited by the group's
    /// `retryMaxTimes` at the broker, those of a classic one by its own `maxReconsumeTimes`.
    fn has_grpc(&self, group: lockstep_core::ids::GroupId) -> bool {
        let newest = self.world.clients.iter().rfind(|p| p.group() == group);
        newest.is_some_and(|process| process.grpc().is_some())
    }

    /// What became of a guarantee, behind its name.
    pub fn verdict(&self, verdict: &Verdict) -> String {
        let text = GuaranteeText(self.locale);
        let needs = |missing| self.missing(missing).trim_end_matches(['.', '。']).to_owned();
        let mut said = match (verdict.promise, verdict.breaches) {
            (Promise::Given, 0) => text.kept().to_owned(),
            (Promise::Given, n) => text.broken(n),
            (Promise::NotGiven(missing), 0) => text.not_promised(&needs(&missing)),
            (Promise::NotGiven(missing), n) => text.not_promised_broken(n, &needs(&missing)),
        };
        let gap = self.locale.pick("; ", "；");
        if let Some(first) = verdict.first {
            said += gap;
            said += &text.first(&clock(first.at_ms), &self.msg(first.msg));
        }
        let again = verdict.duplicates;
        if again.all() > 0 {
            said += gap;
            said += &text.duplicates(again.retries, again.hand_overs, again.resets, again.expiries);
        }
        if let Some(block) = verdict.longest {
            let span = left(block.until_ms - block.from_ms);
            said += gap;
            let (queue, from) = (self.queue(block.queue), clock(block.from_ms));
            said += &match block.by {
                Some(msg) => text.longest_by(&queue, &span, &from, &self.msg(msg)),
                None => text.longest(&queue, &span, &from),
            };
        }
        said
    }
}
