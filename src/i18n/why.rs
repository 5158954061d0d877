//! Why a message is where it is, in sentences.

use lockstep_core::view::stage::{HoldState, Idle};
use lockstep_core::view::why::{HeadState, Reason, Why};

use super::{clock, Locale};

crate::catalogue! {
    /// Headings and sentences.
    WhyText;
    plain {
        values_now = "Values now", "当前数值";
        rule = "Rule", "规则";
        travels = "It is on its way to the broker. It can be read once the broker has stored it.", "它正在发往 Broker 的途中，存储之后才能被读取。";
        no_owner = "No consumer of the group owns its queue. It is handed to nobody until a rebalance round gives the queue to somebody who gets its lock.", "消费者组中没有客户端持有它的队列。在某轮重平衡把队列分配出去并取得锁之前，它不会投递给任何人。";
        nothing_to_pull = "It is first in its queue; its consumer has not pulled it yet.", "它位于队首，消费者尚未拉取。";
        not_pulled = "It is first in its queue; the next pull has not brought it yet.", "它位于队首，下一次拉取尚未取到它。";
        no_lock = "It is first in its queue, but its consumer does not hold the lock of the queue. An orderly consumer only works on a queue that it has locked.", "它位于队首，但消费者未持有该队列的锁。顺序消费者只处理自己已锁定的队列。";
        no_thread = "It is first in its queue; every thread of its consumer is busy.", "它位于队首，消费者的所有线程都在忙。";
        leaving = "Its consumer gives the queue away and takes nothing more from it.", "消费者正在交出该队列，不再从中取消息。";
        paused = "Consumption of the group is paused.", "该组的消费已暂停。";
        still = "Its consumer stands still or is gone.", "消费者停顿或已离开。";
        dead = "It used up its retries and became a dead letter. It no longer holds anything up.", "它已用尽重试次数成为死信，不再阻塞其他消息。";
        done = "The group has consumed it. Its record stays until it is removed by age.", "该组已消费它。记录会保留，直到过期清理。";
        elsewhere = "It lies in a topic that the stage does not draw.", "它所在的主题未显示在舞台上。";
        deliverable = "The next receive that looks at its queue takes it.", "下一次查看该队列的接收会取走它。";
        half = "It is a half message: nobody can read it before its transaction is committed.", "它是半消息：事务提交之前不可读取。";
        rule_block = "An unfinished message holds back its queue", "未完成的消息会阻塞其队列";
        rule_retry = "A failed message is tried again in its client", "失败的消息在客户端内重试";
        rule_suspend = "A failed orderly message suspends its queue", "失败的顺序消息会挂起其队列";
        rule_one = "One message at a time from a queue", "每个队列一次只处理一条";
        rule_lock = "Only the owner of the lock works on a queue", "只有锁的持有者处理队列";
        rule_lease = "A lock outlives its owner until its lease is over", "锁会在持有者消失后保留到租约结束";
        rule_delay = "A level looks only at its head", "每个延迟级别只看队首";
    }
    with {
        waits_behind(msg: &str, head: &str) = "{msg} waits behind {head}", "{msg} 在 {head} 之后等待";
        is_handled(msg: &str) = "{msg} is being handled", "{msg} 正在处理";
        waits_again(msg: &str) = "{msg} waits to be handled again", "{msg} 等待重试";
        waits(msg: &str) = "{msg} waits", "{msg} 等待中";
        on_its_way(msg: &str) = "{msg} is on its way", "{msg} 在途中";
        is_delayed(msg: &str) = "{msg} is delayed", "{msg} 被延迟";
        is_dead(msg: &str) = "{msg} is a dead letter", "{msg} 是死信";
        is_done(msg: &str) = "{msg} is consumed", "{msg} 已消费";
        handled(client: &str, since: &str, until: &str) = "{client} has been handling it since {since}; the listener returns at {until}.", "{client} 自 {since} 起处理它，监听器将于 {until} 返回。";
        handled_again(client: &str, since: &str, until: &str) = "{client} has been handling it again since {since}; the listener returns at {until}.", "{client} 自 {since} 起再次处理它，监听器将于 {until} 返回。";
        scheduled_head(level: u8, due: &str) = "It is the head of delay level {level} and due at {due}. Then it is put back into its own queue.", "它是延迟级别 {level} 的队首，{due} 到期，届时放回自己的队列。";
        scheduled(level: u8, before: u32) = "It waits under delay level {level} with {before} before it. A level looks only at its head.", "它在延迟级别 {level} 等待，前面还有 {before} 条。每个级别只看队首。";
        wheel(due: &str) = "It waits in the timer wheel until {due}.", "它在时间轮中等待至 {due}。";
        suspended(queue: &str, failures: u32, until: &str) = "It failed {failures} times. {queue} is suspended until {until}; then it is handled again, before everything behind it.", "它已失败 {failures} 次。{queue} 挂起至 {until}，届时先重试它，再处理后面的消息。";
        suspended_once(queue: &str, until: &str) = "It failed. {queue} is suspended until {until}; then it is handled again, before everything behind it.", "它失败了。{queue} 挂起至 {until}，届时先重试它，再处理后面的消息。";
        behind_suspended(queue: &str, head: &str, until: &str) = "{queue} is suspended until {until} because its first message, {head}, failed. An orderly consumer handles a queue one message at a time.", "{queue} 因首条消息 {head} 失败而挂起至 {until}。顺序消费者逐条处理队列。";
        behind_handled(queue: &str, head: &str) = "{head} of {queue} is being handled. An orderly consumer handles a queue one message at a time.", "{queue} 的 {head} 正在处理。顺序消费者逐条处理队列。";
        behind_waits(queue: &str, head: &str) = "{head} is first in {queue} and waits as well.", "{queue} 的首条消息 {head} 也在等待。";
        other_group(msg: &str) = "{msg} waits too, although it belongs to another message group.", "{msg} 虽属于另一个消息组，也要一起等待。";
        owner_gone(owner: &str, until: &str) = "The owner of its queue, {owner}, is gone. Its lock lives on until {until}, and nobody else gets it before.", "它的队列持有者 {owner} 已离开，其锁保留到 {until}，此前无人能取得。";
        relock(at: &str) = "Its consumer lost the lock of the queue and asks for it again at {at}.", "消费者失去了队列的锁，将于 {at} 再次申请。";
        is_held(msg: &str, client: &str) = "{msg} is with {client}", "{msg} 在 {client} 手中";
        is_invisible(msg: &str) = "{msg} is invisible", "{msg} 不可见";
        is_half(msg: &str) = "{msg} is a half message", "{msg} 是半消息";
        held_handling(client: &str, attempt: u32, until: &str) = "{client} handles it, attempt {attempt}; the listener returns at {until}.", "{client} 正在处理它，第 {attempt} 次尝试，监听器将于 {until} 返回。";
        held_back_off(client: &str, attempt: u32, until: &str) = "It failed. {client} starts attempt {attempt} at {until} by itself; its queue yields nothing meanwhile.", "它失败了。{client} 将于 {until} 自行开始第 {attempt} 次尝试，期间其队列不投递。";
        held_behind(client: &str, head: &str) = "{client} received it together with {head}, which comes first.", "{client} 与 {head} 一起收到它，{head} 在先。";
        held_no_thread(client: &str) = "{client} has received it and has no free thread.", "{client} 已收到它，但没有空闲线程。";
        held_acting(client: &str) = "{client} has handled it and waits for the answer of the proxy.", "{client} 已处理它，正等待代理的应答。";
        held_acting_again(client: &str, at: &str) = "The proxy did not take the answer of {client}, which asks again at {at}.", "代理未接受 {client} 的请求，{client} 将于 {at} 再次请求。";
        held_in_hand(client: &str) = "{client} has received it and has not acknowledged it.", "{client} 已收到它，尚未确认。";
        hidden_until(visible: &str) = "Nobody else is given it before {visible}.", "{visible} 之前不会投递给其他消费者。";
        invisible(until: &str) = "It was delivered and never acknowledged, and nobody has it any more. It is visible again at {until}.", "它已投递但未确认，如今也不在任何消费者手中，{until} 重新可见。";
        blocked(queue: &str, head: &str, until: &str) = "{queue} yields nothing to the group until {head} is acknowledged, or visible again at {until}.", "{queue} 在 {head} 确认之前不向该组投递，最迟 {until} 重新可见。";
        place(queue: &str, offset: i64) = "{queue}, offset {offset}", "{queue}，位点 {offset}";
    }
}

/// The heading of a reason.
pub fn heading(locale: Locale, why: &Why) -> String {
    let texts = WhyText(locale);
    let msg = &*why.name.label;
    match &why.reason {
        Reason::Behind { head, .. } => texts.waits_behind(msg, &head.label),
        Reason::Handled { .. } => texts.is_handled(msg),
        Reason::Suspended { .. } => texts.waits_again(msg),
        Reason::Travels => texts.on_its_way(msg),
        Reason::Scheduled { .. } => texts.is_delayed(msg),
        Reason::Held { state: HoldState::Handling { .. }, head: None, .. } => texts.is_handled(msg),
        Reason::Held { state: HoldState::BackOff { .. }, head: None, .. } => texts.waits_again(msg),
        Reason::Held { head: Some(head), .. } => texts.waits_behind(msg, &head.label),
        Reason::Held { client, .. } => texts.is_held(msg, client),
        Reason::Invisible { .. } => texts.is_invisible(msg),
        Reason::Blocked { head, .. } => texts.waits_behind(msg, &head.label),
        Reason::Half => texts.is_half(msg),
        Reason::Dead => texts.is_dead(msg),
        Reason::Done => texts.is_done(msg),
        Reason::Deliverable
        | Reason::First(_)
        | Reason::OwnerGone { .. }
        | Reason::NoOwner
        | Reason::Relock { .. }
        | Reason::Elsewhere => texts.waits(msg),
    }
}

/// The sentence or two of a reason.
pub fn sentence(locale: Locale, why: &Why) -> String {
    let texts = WhyText(locale);
    let queue = why.queue.as_ref().map_or("", |(_, name)| &**name);
    match &why.reason {
        Reason::Travels => texts.travels().to_owned(),
        Reason::Scheduled { level: 0, head_due_ms, .. } => {
            texts.wheel(&clock(head_due_ms.unwrap_or(0)))
        }
        Reason::Scheduled { level, head_due_ms: Some(due_ms), before: 0 } => {
            texts.scheduled_head(*level, &clock(*due_ms))
        }
        Reason::Scheduled { level, before, .. } => texts.scheduled(*level, *before),
        Reason::Handled { client, from_ms, until_ms, again: false } => {
            texts.handled(client, &clock(*from_ms), &clock(*until_ms))
        }
        Reason::Handled { client, from_ms, until_ms, again: true } => {
            texts.handled_again(client, &clock(*from_ms), &clock(*until_ms))
        }
        Reason::Suspended { failures: 0 | 1, until_ms } => {
            texts.suspended_once(queue, &clock(*until_ms))
        }
        Reason::Suspended { failures, until_ms } => {
            texts.suspended(queue, *failures, &clock(*until_ms))
        }
        Reason::Behind { head, doing, same_group, .. } => {
            let first = match doing {
                HeadState::Suspended { until_ms, .. } => {
                    texts.behind_suspended(queue, &head.label, &clock(*until_ms))
                }
                HeadState::Handled => texts.behind_handled(queue, &head.label),
                HeadState::Waits => texts.behind_waits(queue, &head.label),
            };
            if *same_group {
                return first;
            }
            let gap = locale.pick(" ", "");
            format!("{first}{gap}{}", texts.other_group(&why.name.label))
        }
        Reason::First(idle) => match idle {
            Idle::NothingToPull => texts.nothing_to_pull(),
            Idle::NotPulledYet => texts.not_pulled(),
            Idle::NoLock => texts.no_lock(),
            Idle::NoThread => texts.no_thread(),
            Idle::Leaving => texts.leaving(),
            Idle::Paused => texts.paused(),
            Idle::Still => texts.still(),
        }
        .to_owned(),
        Reason::OwnerGone { owner, until_ms } => texts.owner_gone(owner, &clock(*until_ms)),
        Reason::NoOwner => texts.no_owner().to_owned(),
        Reason::Relock { at_ms } => texts.relock(&clock(*at_ms)),
        Reason::Held { visible_ms, .. } => {
            let gap = locale.pick(" ", "");
            let first = held(texts, &why.reason);
            format!("{first}{gap}{}", texts.hidden_until(&clock(*visible_ms)))
        }
        Reason::Invisible { until_ms } => texts.invisible(&clock(*until_ms)),
        Reason::Blocked { head, until_ms } => texts.blocked(queue, &head.label, &clock(*until_ms)),
        Reason::Deliverable => texts.deliverable().to_owned(),
        Reason::Half => texts.half().to_owned(),
        Reason::Dead => texts.dead().to_owned(),
        Reason::Done => texts.done().to_owned(),
        Reason::Elsewhere => texts.elsewhere().to_owned(),
    }
}

/// What a gRPC consumer does with a message that it has.
fn held(texts: WhyText, reason: &Reason) -> String {
    let Reason::Held { client, attempt, state, head, .. } = reason else { return String::new() };
    if let Some(head) = head {
        return texts.held_behind(client, &head.label);
    }
    match *state {
        HoldState::Handling { until_ms, .. } => {
            texts.held_handling(client, *attempt, &clock(until_ms))
        }
        HoldState::BackOff { until_ms, .. } => {
            texts.held_back_off(client, *attempt, &clock(until_ms))
        }
        HoldState::NoThread => texts.held_no_thread(client),
        HoldState::Acting(_) => texts.held_acting(client),
        HoldState::ActAgain { at_ms, .. } => texts.held_acting_again(client, &clock(at_ms)),
        HoldState::InHand => texts.held_in_hand(client),
    }
}

/// A rule that stands behind a reason: its name, where RocketMQ has it, and the constants of
/// [`lockstep_core::model`] that apply.
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    /// Class in RocketMQ's source.
    pub source: &'static str,
    /// Names of the constants.
    pub constants: &'static [&'static str],
}

/// The rule behind a reason, if one rule stands behind it.
pub fn rule(locale: Locale, reason: &Reason) -> Option<Rule> {
    let texts = WhyText(locale);
    Some(match reason {
        Reason::Suspended { .. } | Reason::Behind { doing: HeadState::Suspended { .. }, .. } => {
            Rule {
                name: texts.rule_suspend(),
                source: "ConsumeMessageOrderlyService",
                constants: &["suspendCurrentQueueTimeMillis"],
            }
        }
        Reason::Behind { .. } => Rule {
            name: texts.rule_one(),
            source: "ConsumeMessageOrderlyService",
            constants: &["rocketmq.client.maxTimeConsumeContinuously"],
        },
        Reason::Blocked { .. } => {
            Rule { name: texts.rule_block(), source: "ConsumerOrderInfoManager", constants: &[] }
        }
        Reason::Held { state: HoldState::BackOff { .. }, .. } => {
            Rule { name: texts.rule_retry(), source: "ProcessQueueImpl", constants: &[] }
        }
        Reason::Relock { .. } | Reason::First(Idle::NoLock) => Rule {
            name: texts.rule_lock(),
            source: "ProcessQueue",
            constants: &[
                "rocketmq.client.rebalance.lockMaxLiveTime",
                "rocketmq.client.rebalance.lockInterval",
            ],
        },
        Reason::OwnerGone { .. } => Rule {
            name: texts.rule_lease(),
            source: "RebalanceLockManager",
            constants: &["rocketmq.broker.rebalance.lockMaxLiveTime"],
        },
        Reason::Scheduled { level: 1.., .. } => Rule {
            name: texts.rule_delay(),
            source: "ScheduleMessageService",
            constants: &["DELAY_FOR_A_WHILE"],
        },
        _ => return None,
    })
}
