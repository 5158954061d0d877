//! Texts of the stage.

crate::catalogue! {
    /// The stage.
    StageText;
    plain {
        producers = "Producers", "生产者";
        routing = "Routing", "路由";
        broker = "Broker", "Broker";
        lock = "Lock", "锁";
        consumers = "Consumers", "消费者";
        nothing_stored = "nothing stored yet", "尚无消息";
        handling = "handling", "处理中";
        suspended = "suspended", "已挂起";
        idle = "idle, nothing to pull", "空闲，无可拉取";
        waits_lock = "waits for the lock", "等待锁";
        delay_levels = "Delay levels", "延迟级别";
        put_back = "put back when due", "到期放回";
        dead_letters = "Dead letters", "死信";
        retries = "Retries", "重试";
        ready = "ready", "就绪";
        in_flight = "in flight", "处理中";
        waiting_for_retry = "waiting for retry", "等待重试";
        blocked = "blocked", "被阻塞";
        scheduled = "scheduled", "定时中";
        acknowledged = "acknowledged", "已确认";
        dead_letter = "dead letter", "死信";
        next_to_read = "next to read", "下一个读取";
        next_to_write = "next to write", "下一个写入";
    }
    with {
        sent(count: &str) = "{count} sent", "已发 {count}";
        lag(count: &str) = "lag {count}", "积压 {count}";
    }
}
