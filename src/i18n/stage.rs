//! Texts of the stage.

use lockstep_core::command::ListenerKind;
use lockstep_core::pop::ActKind;
use lockstep_core::view::stage::{
    ConsumerKind, GroupView, HoldState, LaneView, Rule, StageView, Stands,
};

use super::Locale;

crate::catalogue! {
    /// The stage.
    StageText;
    plain {
        picture = "The stage: producers, routing, queues, locks and consumers. The same as a list stands behind it.", "舞台：生产者、路由、队列、锁与消费者。其后有同样内容的列表。";
        arrows = "Stage: up and down through queues, left and right through messages", "舞台：上下选择队列，左右选择消息";
        as_list = "The stage as a list", "舞台列表";
        legend = "Legend", "图例";
        producers = "Producers", "生产者";
        routing = "Routing", "路由";
        broker = "Broker", "Broker";
        lock = "Lock", "锁";
        block = "Block", "阻塞";
        choose_group = "Consumer group whose states the queues show (G)", "队列上显示其状态的消费组（G）";
        down = "down", "已停";
        all_deleted = "all deleted", "已全部删除";
        read_only = "read only", "只读";
        write_only = "write only", "只写";
        wheel = "wheel", "时间轮";
        half_messages = "Half messages", "半消息";
        push = "push", "push";
        simple = "simple", "simple";
        pop_fifo = "POP FIFO", "POP 顺序";
        pop_unordered = "POP", "POP";
        orderly = "orderly", "顺序";
        concurrent = "concurrent", "并发";
        handling_before = "handling ", "处理中 ";
        in_again_before = "again in ", "";
        ack_again_before = "asks again in ", "";
        ack_again_after = "", " 后再次请求";
        acking = "acknowledging", "确认中";
        changing = "changing", "修改中";
        giving_up = "to dead letters", "转入死信";
        no_free_thread = "no free thread", "无空闲线程";
        in_hand = "in hand", "应用持有";
        invisible = "invisible", "不可见";
        invisible_before = "invisible ", "不可见 ";
        handle_over = "time over", "已到期";
        not_held_back = "nothing holds it back", "无阻塞";
        backing_off = "waits for its next attempt", "等待下一次尝试";
        asking_again = "is asked for again", "等待再次请求";
        no_receive = "no receive waits", "没有接收在等待";
        waits = "waits, ", "等待，";
        receive_waits = "receive waits, ", "接收等待中，";
        consumers = "Consumers", "消费者";
        nothing_stored = "nothing stored yet", "尚未存储消息";
        retry_queue = "retry", "重试";
        lease_before = "lease ", "租约 ";
        handling = "handling", "处理中";
        left_before = "", "剩 ";
        left_after = " left", "";
        in_before = "in ", "";
        in_after = "", " 后";
        suspended = "suspended", "已挂起";
        again_after = "", " 后重试";
        relock_before = "asks again, ", "";
        relock_after = "", " 后再次请求锁";
        renews = "renews in ", "续约 ";
        hanging = "stands still", "停住";
        gone = "gone", "已离开";
        idle = "idle, nothing to pull", "空闲，无可拉取";
        idle_short = "idle", "空闲";
        not_pulled = "not pulled yet", "尚未拉取";
        not_pulled_brief = "no pull", "未拉取";
        not_committed = "handled, waits for a COMMIT", "已处理，等待 COMMIT";
        not_committed_short = "not committed", "未提交";
        not_committed_brief = "no commit", "未提交";
        waits_lock_brief = "no lock", "无锁";
        no_thread_brief = "no thread", "无线程";
        leaving_brief = "leaving", "让出中";
        no_queue_brief = "idle", "空闲";
        waits_lock = "waits for the lock", "等待锁";
        no_thread = "waits for a thread", "等待线程";
        leaving = "gives the queue away", "正在让出队列";
        paused = "paused", "已暂停";
        still = "stands still", "停住";
        no_queue = "has no queue", "没有队列";
        nobody = "nobody", "无";
        one_thread_serial = "1 thread, serial", "单线程，串行";
        one_thread_async = "1 thread, async", "单线程，异步";
        nothing_planned = "nothing planned", "无计划";
        after_answer = "on answer", "等待应答";
        no_group = "no group", "无消息组";
        hash_ring_short = "consistent hash", "一致性哈希";
        round_robin = "round robin", "轮询";
        delay_levels = "Delay levels", "延迟级别";
        nothing_scheduled = "nothing scheduled", "无定时消息";
        next_due = "next due in ", "下一条 ";
        next_due_after = "", " 后到期";
        put_back = "put back when due", "到期后放回";
        empty_topic = "empty", "空";
        dead_letters = "Dead letters", "死信";
        initialised = "initialized", "初始化";
        ready = "ready", "待消费";
        in_flight = "in flight", "消费中";
        its_slot = "its slot", "它的位置";
        waiting_for_retry = "waiting for retry", "等待重试";
        blocked = "blocked", "被阻塞";
        stored_word = "stored", "已存";
        scheduled = "scheduled", "定时中";
        acknowledged = "acknowledged", "已确认";
        dead_letter = "dead letter", "死信";
        passed_over = "passed over", "被越过";
        next_to_read = "next to read", "下一个读取";
        next_to_write = "next to write", "下一个写入";
        waiting_word = "waiting", "等待";
        stands_still = "stands still", "停滞";
        now = "now", "现在";
        lag_word = "lag", "堆积";
        owned_by_nobody = "nobody holds its lock", "无人持有锁";
        owner_gone = "its owner is gone", "持有者已离开";
        no_owner = "nobody owns it", "无持有者";
    }
    with {
        messages(count: &str) = "{count} ‹message|messages›, last 60 s", "{count} 条消息，最近 60 s";
        sent(count: &str) = "{count} sent", "已发 {count}";
        failed(count: &str) = "{count} failed", "失败 {count}";
        lag(count: &str) = "lag {count}", "堆积 {count}";
        cached(queue: &str, count: &str) = "{queue} · {count} cached", "{queue} · 缓存 {count}";
        cached_in_all(count: &str) = "{count} cached", "缓存 {count}";
        unacknowledged_count(count: &str) = "{count} unacked", "未确认 {count}";
        attempt(number: u32) = "attempt {number}", "第 {number} 次";
        joined(first: &str, second: &str) = "{first} · {second}", "{first} · {second}";
        held_back_by(label: &str, clock: &str) = "yields nothing until {label} is acknowledged, or visible again at {clock}", "在 {label} 确认或于 {clock} 重新可见之前不投递";
        first_stored(offset: &str) = "first stored offset {offset}", "最小位点 {offset}";
        reset_waits(offset: &str) = "a reset to offset {offset} waits for the next read", "重置到位点 {offset}，等待下一次读取生效";
        other_at(group: char, offset: &str) = "group {group} at {offset}", "组 {group} 在 {offset}";
        other_reads(group: char, name: &str) = "{group}: {name}, next to read", "{group}：{name} 下一个读取";
        of_group(name: &str) = "states for {name}", "{name} 的状态";
        invisible_until(clock: &str) = "invisible until {clock}", "{clock} 前不可见";
        polls(count: u32) = "polls {count}", "长轮询 {count}";
        reset(offset: &str) = "reset {offset}", "重置 {offset}";
        again_before(label: &str) = "{label} again in ", "{label} ";
        again(label: &str) = "{label} again", "重试 {label}";
        to_come(count: &str) = "{count} to come", "还有 {count} 条";
        load_before(count: &str) = "{count} ‹message|messages› in ", "{count} 条消息 ";
        handled_by(label: &str, client: &str) = "{label} in {client}, ", "{label} 在 {client}，";
        held_levels(levels: &str) = "scheduled: {levels}", "定时中：{levels}";
        next_due_before(label: &str) = "next due {label}, in ", "下一条 {label}，";
        threads_serial(count: usize) = "{count} ‹thread|threads›, serial", "{count} 线程，串行";
        threads_async(count: usize) = "{count} ‹thread|threads›, async", "{count} 线程，异步";
        consistent(hash: &str, queues: u32, queue: &str) = "{hash} → q{queue} of {queues}", "{hash} → {queues} 中的 q{queue}";
        fixed(queue: &str) = "always queue {queue}", "固定队列 {queue}";
        on_time(count: &str) = "{count} scheduled", "定时中 {count}";
        half(count: u32) = "{count} half ‹message|messages›", "半消息 {count}";
        stored(count: &str) = "{count} stored", "已存 {count}";
        waiting(count: &str) = "{count} waiting", "待消费 {count}";
        tray_limit(limit: u32) = "Retries at most: {limit}.", "最多重试 {limit} 次。";
        hash_ring(queues: u32) = "consistent hash, {queues}", "一致性哈希，{queues}";
        hash_mod(queues: u32) = "hash mod {queues}", "hash mod {queues}";
        owned_by(name: &str) = "lock held by {name}", "锁由 {name} 持有";
        owned_by_gone(name: &str) = "lock still held by {name}, which is gone", "锁仍由已离开的 {name} 持有";
        read_by(names: &str) = "read by {names}", "由 {names} 读取";
        offsets(next: &str, max: &str, lag: &str) = "next to read {next}, next to write {max}, lag {lag}", "下一个读取 {next}，下一个写入 {max}，堆积 {lag}";
        retry_count(failures: u32) = "waiting for retry after {failures} ‹failure|failures›", "失败 {failures} 次，等待重试";
        retrying(label: &str) = "handling {label} again", "正在重试 {label}";
        backs_off(label: &str) = "{label} waits for its next attempt", "{label} 等待下一次尝试";
        unacknowledged(label: &str) = "waits for the acknowledgement of {label}", "等待 {label} 的确认";
        suspended_by(label: &str) = "suspended by {label}", "因 {label} 挂起";
    }
}

impl StageText {
    /// A consumer group in the heading of the consumers.
    pub fn group(self, group: &GroupView) -> String {
        format!("{}, {}", group.name, self.group_kind(group))
    }

    /// How a consumer group gets its messages.
    pub fn group_kind(self, group: &GroupView) -> &'static str {
        match (group.pop, group.pop_orderly, group.listener) {
            (true, true, _) => self.pop_fifo(),
            (true, false, _) => self.pop_unordered(),
            (false, _, ListenerKind::Orderly) => self.orderly(),
            (false, _, ListenerKind::Concurrent) => self.concurrent(),
        }
    }

    /// Room for the heading of the consumers, in CSS pixels.
    pub fn consumers_w(self) -> f64 {
        self.0.pick(84.0, 52.0)
    }

    /// Which client a consumer is.
    pub fn kind(self, kind: ConsumerKind) -> &'static str {
        match kind {
            ConsumerKind::Classic => "",
            ConsumerKind::Push => self.push(),
            ConsumerKind::Simple => self.simple(),
        }
    }

    /// What a consumer asks its proxy for.
    pub fn acting(self, act: ActKind) -> &'static str {
        match act {
            ActKind::Ack => self.acking(),
            ActKind::Change => self.changing(),
            ActKind::DeadLetter => self.giving_up(),
        }
    }

    /// What the first message of a hold is doing.
    pub fn doing(self, state: HoldState) -> &'static str {
        match state {
            HoldState::NoThread => self.no_thread(),
            HoldState::Handling { .. } => self.handling(),
            HoldState::BackOff { .. } => self.backing_off(),
            HoldState::Acting(act) => self.acting(act),
            HoldState::ActAgain { .. } => self.asking_again(),
            HoldState::InHand => self.in_hand(),
        }
    }

    /// What cannot be done with a queue.
    pub fn limits(self, lane: &LaneView) -> Option<&'static str> {
        match (lane.readable, lane.writable) {
            (true, false) => Some(self.read_only()),
            (false, true) => Some(self.write_only()),
            _ => None,
        }
    }

    /// A lane's name.
    pub fn lane(self, lane: &LaneView) -> &str {
        if lane.retry {
            self.retry_queue()
        } else {
            &lane.name
        }
    }

    /// A number of queues.
    pub fn queues(self, count: u32) -> String {
        match (self.0, count) {
            (Locale::En, 1) => "1 queue".to_owned(),
            (Locale::En, n) => format!("{n} queues"),
            (Locale::Zh, n) => format!("{n} 个队列"),
        }
    }

    /// The rule that most ports follow, in the heading of the routing.
    pub fn rule(self, view: &StageView) -> String {
        match view.ports.first().map(|port| port.rule) {
            Some(Rule::Remainder { n, .. }) => self.hash_mod(n),
            Some(Rule::Consistent { n, .. }) => self.hash_ring(n),
            Some(Rule::RoundRobin) => self.round_robin().to_owned(),
            _ => String::new(),
        }
    }

    /// The same without its figures, where there is little room.
    pub fn short_rule(self, view: &StageView) -> String {
        match view.ports.first().map(|port| port.rule) {
            Some(Rule::Consistent { .. }) => self.hash_ring_short().to_owned(),
            _ => self.rule(view),
        }
    }

    /// Why a lane stands still.
    pub fn stands(self, stands: &Stands) -> String {
        match stands {
            Stands::Suspended { name, .. } => self.suspended_by(&name.label),
            Stands::Retrying { name } => self.retrying(&name.label),
            Stands::BackOff { name, .. } => self.backs_off(&name.label),
            Stands::Unacknowledged { name, .. } => self.unacknowledged(&name.label),
            Stands::OwnerGone => self.owner_gone().to_owned(),
            Stands::NoOwner => self.no_owner().to_owned(),
        }
    }

    /// What the tray of dead letters says while it is empty and nothing is ever given up.
    pub fn tray_unlimited(self) -> [&'static str; 3] {
        self.0.pick(
            ["Empty: an orderly", "consumer retries", "without limit."],
            ["空：顺序消费者", "无限次重试。", ""],
        )
    }

    /// That other groups have dead letters: the first of them, and how many groups more.
    pub fn tray_elsewhere(self, group: &str, count: u32, more: usize) -> String {
        let first = self.0.pick(format!("{group} has {count}"), format!("{group} 有 {count} 条"));
        match more {
            0 => first,
            more => format!("{first}, +{more}"),
        }
    }

    /// What the tray says while it is empty.
    pub fn tray_empty(self) -> [&'static str; 3] {
        self.0.pick(["Empty.", "", ""], ["空。", "", ""])
    }
}
