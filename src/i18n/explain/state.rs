//! States of everything that is not a message.

use lockstep_core::explain::{
    Collateral, Explanation, GroupState, Headline, LevelState, LockState, Part, QueueState, Reason,
    TimerState, WorkState,
};
use lockstep_core::fact::StopKind;
use lockstep_core::ids::{ClientId, Party};
use lockstep_core::model::Blocking;

use crate::sentence::Speaker;
use crate::{clock, number};

crate::catalogue! {
    /// Titles and sentences of states.
    StateText;
    plain {
        queue_empty = "Nothing in it waits for the group.", "其中没有该组等待的消息。";
        lock_unused = "A concurrent group does not lock queues: any thread takes any message.", "并发消费的组不锁队列：任何线程都可以取任何消息。";
        lock_pop = "By POP no queue is locked, and nothing in flight blocks this one now.", "POP 消费不锁队列，目前也没有在途消息阻塞它。";
        lock_free = "Nobody holds the lock. The next consumer that asks gets it.", "没有人持有锁，下一个申请的消费者即可取得。";
        consumer_idle = "Nothing waits in its queues.", "它的队列中没有等待的消息。";
        consumer_hangs = "It stands still: it neither handles, nor renews locks, nor gives up what it has.", "它停顿：既不处理，也不续锁，也不放弃持有的内容。";
        consumer_hangs_push = "It stands still: it neither handles, nor acknowledges, nor receives. What it has is renewed as long as its proxy counts it as its client.", "它停顿：既不处理，也不确认，也不接收。只要 Proxy 还把它算作客户端，它手中的消息就会一直续期。";
        consumer_hangs_simple = "It stands still: it neither handles, nor acknowledges, nor receives. What it has is visible again when its invisible time is over.", "它停顿：既不处理，也不确认，也不接收。它手中的消息在不可见时间结束后重新可见。";
        consumer_stopping_grpc = "It is stopping: it receives nothing more, waits for its open receives, then for its threads, and then takes leave of its proxy, which makes visible again what is left.", "它正在停止：不再接收，先等待未完成的接收请求，再等待线程，然后向 Proxy 注销，剩下的消息重新可见。";
        consumer_stopping = "It is stopping: it begins no new task, waits for what runs as far as it is told to, then takes leave of its brokers and waits for their answers.", "它正在停止：不再开始新任务，按设置等待正在运行的任务，然后向各 Broker 注销并等待响应。";
        takes_queues = "It has no queue yet. Its next rebalance round takes those that the allocation gives it.", "它还没有队列，下一轮重平衡会接手分配给它的队列。";
        thread_idle = "It has nothing to do.", "它没有要做的事。";
        group_quiet = "Nothing waits.", "没有等待的消息。";
        level_empty = "Nothing waits under this level.", "该级别没有等待的消息。";
        timer_off = "It does not run now.", "当前没有计时。";
        ended_clean = "stopped cleanly", "已正常停止";
        ended_crash = "crashed", "已崩溃";
        ended_silent = "vanished with its machine", "随机器一起消失";
        ended_hang = "stands still", "停顿";
        lease = "Lease of the lock", "锁的租约";
        client_lock = "The owner's own clock of its lock", "持有者自己的锁计时";
        suspend = "Suspend of the queue", "队列挂起";
        invisible = "Invisible time", "不可见时间";
        due = "Delay", "延迟";
        handler = "Listener call", "监听器调用";
        round = "Next rebalance round", "下一轮重平衡";
    }
    with {
        title_moves(name: &str) = "{name} moves", "{name} 正在推进";
        title_waits(name: &str) = "{name} waits", "{name} 在等待";
        title_empty(name: &str) = "{name} has nothing to do", "{name} 没有待处理消息";
        title_lock(queue: &str) = "Lock of {queue}", "{queue} 的锁";
        title_thread(client: &str, number: u32) = "Thread {number} of {client}", "{client} 的线程 {number}";
        title_level(level: u8) = "Delay level {level}", "延迟级别 {level}";
        title_not_owner(client: &str, queue: &str) = "{client} does not own {queue}", "{client} 不持有 {queue}";
        title_group(name: &str) = "Consumer group {name}", "消费组 {name}";
        title_series(name: &str) = "Message group {name}", "消息组 {name}";
        first(msg: &str, why: &str) = "First is {msg}: {why}", "首条是 {msg}：{why}";
        waiting(count: &str, what: &str) = "{count} ‹message is|messages are› not finished. {what}", "还有 {count} 条消息未完成。{what}";
        waiting_one(what: &str) = "One message is not finished. {what}", "还有一条消息未完成。{what}";
        lock_held(owner: &str, until: &str) = "{owner} holds it, until {until} unless it renews it.", "{owner} 持有它；若不续期，到 {until} 为止。";
        lock_given(owner: &str, at: &str) = "{owner} has parted with the queue and gives the lock back at {at}. Until then nobody else is given it.", "{owner} 已交出该队列，{at} 归还锁，此前其他人无法取得。";
        lock_gone(owner: &str, until: &str) = "{owner} is gone and still holds it, until {until}.", "{owner} 已离开但仍持有它，直到 {until}。";
        lock_expired(owner: &str, since: &str) = "The lease of {owner} was over at {since}. Whoever asks next gets it.", "{owner} 的租约已于 {since} 结束，下一个申请者即可取得。";
        lock_blocked_group(head: &str, until: &str) = "{head} is in flight and blocks its message group, until {until} or its acknowledgement.", "{head} 在途，阻塞其消息组，直到 {until} 或被确认。";
        lock_blocked(head: &str, until: &str) = "{head} is in flight and blocks the queue, until {until} or its acknowledgement.", "{head} 在途，阻塞该队列，直到 {until} 或被确认。";
        handles(msg: &str, until: &str) = "It handles {msg}, until {until}.", "它正在处理 {msg}，直到 {until}。";
        no_queue(others: u16) = "It has no queue: the allocation gives it none of its topics' queues (in all: {others}).", "它没有队列：它订阅的主题共有 {others} 个队列，分配结果没有给它。";
        not_member(broker: &str) = "It has no queue: {broker} does not count it as a member of its group before its next heartbeat arrives.", "它没有队列：下一次心跳到达之前，{broker} 不把它算作组内成员。";
        not_member_down(broker: &str) = "It has no queue: {broker} is down, and without it no queue is divided and no lock is given.", "它没有队列：{broker} 已停止，没有它就无法划分队列，也无法加锁。";
        lock_down(broker: &str) = "{broker} is down. Locks lie in its memory: they are gone, and nobody is given one before it is back. An owner goes on as long as it trusts its own lock.", "{broker} 已停止。锁只在它的内存里：原有的锁已消失，恢复之前也不会发锁。持有者在信任自己锁的时间内继续处理。";
        ended(how: &str) = "It {how}.", "它{how}。";
        level_gone(head: &str, waiting: &str, levels: u8) = "The running table has only {levels} ‹level|levels›: this one has no task any more. {head} is the first of {waiting} under it, and nothing is delivered until the broker is started with a table that has the level again.", "当前的级别表只有 {levels} 级，这一级不再有任务。{head} 是其下 {waiting} 条消息的第一条；在 Broker 以包含该级别的表重新启动之前，不会投递任何一条。";
        level_full(head: &str, due: &str, waiting: &str, broker: &str) = "Its head is {head}, which was due at {due}; {waiting} ‹waits|wait› under it. The disk of {broker} is too full for writes: nothing is put back before there is room.", "队首是 {head}，已于 {due} 到期，共 {waiting} 条等待。{broker} 的磁盘已满，无法写入：腾出空间之前不会放回任何一条。";
        level_down(head: &str, due: &str, waiting: &str, broker: &str) = "Its head is {head}, whose time is {due}; {waiting} ‹waits|wait› under it. {broker} is down, and nothing is put back before it runs.", "队首是 {head}，到期时间为 {due}，共 {waiting} 条等待。{broker} 已停止，恢复运行之前不会放回任何一条。";
        level_head(head: &str, due: &str, waiting: &str) = "Its head is {head}, due at {due}; {waiting} ‹waits|wait› under it. A level looks only at its head.", "队首是 {head}，{due} 到期，共 {waiting} 条等待。每个级别只看队首。";
        timer_runs(until: &str) = "It runs until {until}.", "计时到 {until}。";
        timer_over(at: &str) = "It was over at {at}, and whoever waits for it has not looked since.", "已于 {at} 结束，等待它的一方之后还没有查看。";
        title_timer(what: &str, of: &str) = "{what}: {of}", "{what}：{of}";
        applied(what: &str) = "It was carried out: {what}.", "已执行：{what}。";
        ahead(at: &str, what: &str) = "It will be given at {at}: {what}.", "将于 {at} 执行：{what}。";
        refused(what: &str, why: &str) = "It was refused: {what}. The reason: {why}.", "被拒绝：{what}。原因：{why}。";
        title_command(number: u32) = "Command {number}", "命令 {number}";
        collateral(head: &str, same: u32, others: u32, groups: u32) = "Behind {head} also: {same} of the message group of {head}, {others} of others (message groups: {groups}).", "同样排在 {head} 之后：{head} 所在消息组 {same} 条，其他消息组 {others} 条（涉及消息组 {groups} 个）。";
        collateral_more(text: &str) = "{text} Only the nearest ones were counted.", "{text}只统计了最近的部分。";
    }
}

impl Speaker<'_> {
    /// The title of an explanation.
    pub fn headline_title(&self, headline: &Headline) -> String {
        let text = StateText(self.locale);
        let titled = |name: &str, moves: Option<bool>| match moves {
            None => text.title_empty(name),
            Some(true) => text.title_moves(name),
            Some(false) => text.title_waits(name),
        };
        match *headline {
            Headline::Message { msg, reason, .. } => self.reason_title(msg, &reason),
            Headline::Queue { queue, state, .. } => {
                let moves = match state {
                    QueueState::Empty => None,
                    QueueState::Moves { .. } => Some(true),
                    QueueState::Waits { .. } => Some(false),
                };
                titled(&self.queue(queue), moves)
            }
            Headline::Lock { queue, .. } => text.title_lock(&self.queue(queue)),
            Headline::Consumer { client, state } => {
                let moves = match state {
                    WorkState::Handles { .. } | WorkState::InVain { .. } => Some(true),
                    WorkState::Stopping { call: Some(_) } => Some(true),
                    WorkState::Waits { .. } | WorkState::Hangs | WorkState::Stopping { .. } => {
                        Some(false)
                    }
                    WorkState::Idle
                    | WorkState::NoQueue { .. }
                    | WorkState::TakesQueues
                    | WorkState::NotMember { .. }
                    | WorkState::Ended { .. } => None,
                };
                titled(self.client(client), moves)
            }
            Headline::Thread { client, number, .. } => {
                text.title_thread(self.client(client), u32::from(number) + 1)
            }
            Headline::MessageGroup { series, .. } => {
                let series = &self.world.shared.names.series[series.index()];
                text.title_series(series.key.as_deref().unwrap_or(&series.name))
            }
            Headline::ConsumerGroup { group, .. } => text.title_group(self.group(group)),
            Headline::Level { level, .. } => text.title_level(level),
            Headline::Timer { part, .. } => self.timer_title(part),
            Headline::NotOwner { queue, client, .. } => {
                text.title_not_owner(self.client(client), &self.queue(queue))
            }
            Headline::Applied { index }
            | Headline::Refused { index }
            | Headline::Ahead { index } => text.title_command(index + 1),
        }
    }

    fn timer_title(&self, part: Part) -> String {
        let text = StateText(self.locale);
        let (what, of) = match part {
            Part::Lease { queue, .. } => (text.lease(), self.queue(queue)),
            Part::ClientLock { queue, .. } => (text.client_lock(), self.queue(queue)),
            Part::Suspend { queue, .. } => (text.suspend(), self.queue(queue)),
            Part::Invisible { msg, .. } => (text.invisible(), self.msg(msg)),
            Part::Due(msg) => (text.due(), self.msg(msg)),
            Part::Handler { msg, .. } => (text.handler(), self.msg(msg)),
            Part::Round(client) => (text.round(), self.client(client).to_owned()),
        };
        text.title_timer(what, &of)
    }

    /// The sentence of an explanation. `command` is the command that it is about.
    pub fn headline(
        &self,
        headline: &Headline,
        command: Option<&lockstep_core::command::Command>,
    ) -> String {
        let text = StateText(self.locale);
        match *headline {
            Headline::Message { group: None, reason: Reason::NotSubscribed, .. } => {
                super::reason_text::ReasonText(self.locale).nobody_reads().to_owned()
            }
            Headline::Message { msg, reason, .. } => self.reason(Some(msg), &reason),
            Headline::NotOwner { reason, .. } => self.reason(None, &reason),
            Headline::Queue { state, .. } => match state {
                QueueState::Empty => text.queue_empty().to_owned(),
                QueueState::Moves { msg, reason } | QueueState::Waits { msg, reason } => {
                    text.first(&self.msg(msg), &self.reason(Some(msg), &reason))
                }
            },
            Headline::Lock { state, .. } => self.lock_state(state),
            Headline::Consumer { client, state } => self.work_state(client, state, false),
            Headline::Thread { client, state, .. } => self.work_state(client, state, true),
            Headline::MessageGroup { state, .. } | Headline::ConsumerGroup { state, .. } => {
                self.group_state(state)
            }
            Headline::Level { state: LevelState::Empty, .. } => text.level_empty().to_owned(),
            Headline::Level { state: LevelState::Gone { head, waiting, levels }, .. } => {
                text.level_gone(&self.msg(head), &number(i64::from(waiting)), levels)
            }
            Headline::Level {
                state: LevelState::Full { head, due_ms, waiting, broker }, ..
            } => {
                let broker = self.party(Party::Broker(broker));
                let waiting = number(i64::from(waiting));
                text.level_full(&self.msg(head), &clock(due_ms), &waiting, broker)
            }
            Headline::Level {
                state: LevelState::Down { head, due_ms, waiting, broker }, ..
            } => {
                let broker = self.party(Party::Broker(broker));
                let waiting = number(i64::from(waiting));
                text.level_down(&self.msg(head), &clock(due_ms), &waiting, broker)
            }
            Headline::Level { state: LevelState::NotDue { head, due_ms, waiting }, .. } => {
                text.level_head(&self.msg(head), &clock(due_ms), &number(i64::from(waiting)))
            }
            Headline::Timer { state, .. } => match state {
                TimerState::Runs { until_ms } => text.timer_runs(&clock(until_ms)),
                TimerState::Over { at_ms } => text.timer_over(&clock(at_ms)),
                TimerState::Off => text.timer_off().to_owned(),
            },
            Headline::Applied { .. } | Headline::Refused { .. } | Headline::Ahead { .. } => {
                self.command_state(headline, command)
            }
        }
    }

    /// The sentences of an explanation: its state, and what else decides about it.
    pub fn said(
        &self,
        explanation: &Explanation,
        command: Option<&lockstep_core::command::Command>,
    ) -> String {
        let text = super::reason_text::ReasonText(self.locale);
        let first = self.headline(&explanation.headline, command);
        explanation.also.iter().fold(first, |said, also| {
            let why = match also.reason {
                Reason::Deleted => text.dead_gone().to_owned(),
                _ => self.reason(Some(also.msg), &also.reason),
            };
            let is_own =
                matches!(explanation.headline, Headline::Message { msg, .. } if msg == also.msg);
            match is_own {
                true => self.two(said, why),
                false => self.two(said, text.also_of(&self.msg(also.msg), &why)),
            }
        })
    }

    fn command_state(
        &self,
        headline: &Headline,
        command: Option<&lockstep_core::command::Command>,
    ) -> String {
        let text = StateText(self.locale);
        let what = command.map(|c| self.command(c)).unwrap_or_default();
        match *headline {
            Headline::Refused { index } => {
                let why = self.world.shared.refusals.get(&index).map(|r| self.refusal(r));
                text.refused(&what, &why.unwrap_or_default())
            }
            Headline::Ahead { .. } => text.ahead(&clock(self.world.now_ms()), &what),
            _ => text.applied(&what),
        }
    }

    fn lock_state(&self, state: LockState) -> String {
        let text = StateText(self.locale);
        match state {
            LockState::Unused { pop: true } => text.lock_pop().to_owned(),
            LockState::Unused { pop: false } => text.lock_unused().to_owned(),
            LockState::Free => text.lock_free().to_owned(),
            LockState::Down { broker } => text.lock_down(self.party(Party::Broker(broker))),
            LockState::Held { owner, gives_ms: Some(at_ms), .. } => {
                text.lock_given(self.client(owner), &clock(at_ms))
            }
            LockState::Held { owner, gone: false, until_ms, .. } => {
                text.lock_held(self.client(owner), &clock(until_ms))
            }
            LockState::Held { owner, gone: true, until_ms, .. } => {
                text.lock_gone(self.client(owner), &clock(until_ms))
            }
            LockState::Expired { owner, since_ms } => {
                text.lock_expired(self.client(owner), &clock(since_ms))
            }
            LockState::Blocked { head, until_ms }
                if self.world.shared.model.blocking == Blocking::MessageGroup =>
            {
                text.lock_blocked_group(&self.msg(head), &clock(until_ms))
            }
            LockState::Blocked { head, until_ms } => {
                text.lock_blocked(&self.msg(head), &clock(until_ms))
            }
        }
    }

    fn work_state(&self, client: ClientId, state: WorkState, thread: bool) -> String {
        let text = StateText(self.locale);
        match state {
            WorkState::Handles { msg, until_ms } => text.handles(&self.msg(msg), &clock(until_ms)),
            WorkState::Waits { msg, reason } | WorkState::InVain { msg, reason } => {
                text.first(&self.msg(msg), &self.reason(Some(msg), &reason))
            }
            WorkState::Idle if thread => text.thread_idle().to_owned(),
            WorkState::Idle => text.consumer_idle().to_owned(),
            WorkState::NoQueue { others } => text.no_queue(others),
            WorkState::TakesQueues => text.takes_queues().to_owned(),
            WorkState::NotMember { broker, down } => {
                let broker = self.party(Party::Broker(broker));
                match down {
                    true => text.not_member_down(broker),
                    false => text.not_member(broker),
                }
            }
            WorkState::Hangs if self.is_simple(client) => text.consumer_hangs_simple().to_owned(),
            WorkState::Hangs if self.is_grpc(client) => text.consumer_hangs_push().to_owned(),
            WorkState::Hangs => text.consumer_hangs().to_owned(),
            WorkState::Stopping { call } => {
                let stops = match self.is_grpc(client) {
                    true => text.consumer_stopping_grpc(),
                    false => text.consumer_stopping(),
                };
                match call {
                    Some((msg, until_ms)) => {
                        let handles = text.handles(&self.msg(msg), &clock(until_ms));
                        self.two(handles, stops.to_owned())
                    }
                    None => stops.to_owned(),
                }
            }
            WorkState::Ended { how } => text.ended(match how {
                StopKind::Clean => text.ended_clean(),
                StopKind::Crash => text.ended_crash(),
                StopKind::Silent => text.ended_silent(),
                StopKind::Hang => text.ended_hang(),
            }),
        }
    }

    fn group_state(&self, state: GroupState) -> String {
        let text = StateText(self.locale);
        match state {
            GroupState::Quiet => text.group_quiet().to_owned(),
            GroupState::Moves { msg, reason, waiting }
            | GroupState::Waits { msg, reason, waiting } => {
                let first = text.first(&self.msg(msg), &self.reason(Some(msg), &reason));
                match waiting {
                    0 | 1 => text.waiting_one(&first),
                    n => text.waiting(&number(i64::from(n)), &first),
                }
            }
        }
    }

    /// Who else waits; None when nobody does.
    pub fn collateral(&self, with: &Collateral) -> Option<String> {
        let text = StateText(self.locale);
        if (with.same_group, with.others) == (0, 0) {
            return None;
        }
        let head = self.msg(with.behind?);
        let said = text.collateral(&head, with.same_group, with.others, with.other_groups);
        Some(if with.more { text.collateral_more(&said) } else { said })
    }
}
