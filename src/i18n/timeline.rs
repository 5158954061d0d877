//! Texts of the transport and the timeline.

crate::catalogue! {
    /// The transport.
    TransportText;
    plain {
        label = "Playback", "播放控制";
        first = "To the beginning", "回到开头";
        play = "Play", "播放";
        pause = "Pause", "暂停";
        next_due = "Next due", "下一到期";
        step_by = "Step by", "步长";
        by_event = "Event", "事件";
        by_decision = "Decision", "决策";
        by_beat = "Beat", "节拍";
        speed = "Speed", "速度";
        stop_at = "Stop at", "停止于";
        stop_violation = "first violation", "首次违例";
        stop_beat = "next beat", "下一拍";
        stop_bookmark = "next bookmark", "下一书签";
        stop_selected = "change of the selected", "所选对象变化";
        stop_never = "nothing", "不停止";
        clock = "Virtual time", "虚拟时间";
        back_event = "Back one event", "后退一个事件";
        back_decision = "Back one decision", "后退一个决策";
        back_beat = "Back one beat", "后退一拍";
        forward_event = "Forward one event", "前进一个事件";
        forward_decision = "Forward one decision", "前进一个决策";
        forward_beat = "Forward one beat", "前进一拍";
    }
    with {
        event(number: &str) = "event {number}", "事件 {number}";
        times(factor: &str) = "{factor}×", "{factor}×";
    }
}

crate::catalogue! {
    /// The timeline.
    TimelineText;
    plain {
        label = "Timeline", "时间线";
        beats = "Beats", "节拍";
        zoom = "Zoom", "缩放";
        zoom_in = "Show less time", "放大";
        zoom_out = "Show more time", "缩小";
        no_rows = "No queue yet", "还没有队列";
        broker_down = "broker down", "Broker 停机";
        broker_up = "broker up", "Broker 启动";
        nobody = "nobody owns it", "无人持有";
        rows = "One row for each", "每行显示";
        by_queue = "queue", "队列";
        by_group = "group", "消息组";
        by_consumer = "consumer", "消费者";
        bookmark_now = "Bookmark this instant", "为此刻加书签";
        whole_run = "The whole run", "整个运行过程";
    }
    with {
        lag(count: &str) = "lag {count}", "堆积 {count}";
        value(clock: &str, event: &str) = "{clock}, event {event}", "{clock}，事件 {event}";
        beat(number: usize, text: &str) = "Beat {number}: {text}", "第 {number} 拍：{text}";
        again(msg: &str) = "{msg} again", "{msg} 重试";
        due(msg: &str) = "{msg} due", "{msg} 到期";
        due_more(msg: &str, more: usize) = "{msg} and {more} more due", "{msg} 及另外 {more} 条到期";
        relock(client: &str) = "{client} asks again", "{client} 再申请";
        starts(client: &str) = "{client} starts", "{client} 启动";
        stops(client: &str) = "{client} stops", "{client} 停止";
        crashes(client: &str) = "{client} crashes", "{client} 崩溃";
        vanishes(client: &str) = "{client} vanishes", "{client} 消失";
        hangs(client: &str) = "{client} stands still", "{client} 停顿";
        resumes(client: &str) = "{client} goes on", "{client} 恢复";
        dead_letter(msg: &str) = "{msg} dead letter", "{msg} 死信";
        queue_count(topic: &str, queues: u16) = "{topic}: {queues} ‹queue|queues›", "{topic}：{queues} 个队列";
        cut(a: &str, b: &str) = "{a} and {b} cut off", "{a} 与 {b} 断开";
        heal(a: &str, b: &str) = "{a} and {b} connected", "{a} 与 {b} 恢复";
        group_of_key(name: &str, key: &str) = "{name}: sharding key {key}", "{name}：分片键 {key}";
        bookmark(clock: &str) = "Bookmark at {clock}", "书签 {clock}";
        retry_row(queue: &str) = "retry {queue}", "重试 {queue}";
    }
}
