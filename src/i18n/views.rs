//! Texts of the charts, the order strips and the routing microscope.

crate::catalogue! {
    /// What the three views share.
    ViewsText;
    plain {
        views = "Views", "视图";
        charts = "Charts", "图表";
        order = "Order strips", "顺序条带";
        routing = "Routing", "路由";
        narrow = "Narrow", "收窄";
        wide = "Wide", "加宽";
        as_table = "as table", "表格";
        as_chart = "as chart", "图形";
        queue = "Queue", "队列";
        why = "Why", "原因";
    }
    with {
        table_of(title: &str) = "{title}, as a table", "{title}，表格";
        chart_of(title: &str) = "{title}, as a chart", "{title}，图形";
        more(count: &str) = "and {count} more", "以及另外 {count} 个";
    }
}

crate::catalogue! {
    /// The charts.
    ChartsText;
    plain {
        nothing = "Nothing has happened yet. Play, and the charts fill.", "还没有发生任何事。播放后，图表会逐渐填充。";
        lag = "Lag per queue", "各队列堆积";
        lag_note = "Stored, not yet acknowledged", "已存储，尚未确认";
        group_lag = "Lag per consumer group", "各消费组堆积";
        group_lag_note = "The sum over its queues", "所有队列之和";
        latency = "From stored to handled", "从存储到处理";
        latency_note = "All queues, logarithmic; thin: the listener calls alone", "所有队列，对数坐标；细线：仅监听器调用";
        rate = "Throughput", "吞吐量";
        rate_note = "Messages a second, stored and handled", "每秒消息数：存储与处理";
        time = "Where the time went", "时间花在哪里";
        load = "Load per queue", "各队列负载";
        waiting = "Waiting per message group", "各消息组的等待";
        waiting_note = "Stored, not yet acknowledged, at this instant", "此刻已存储、尚未确认";
        none_waits = "No message waits.", "没有消息在等待。";
        at = "Time", "时间";
        group = "Message group", "消息组";
        messages = "Messages", "消息数";
        oldest = "Oldest waits", "最久等待";
        stored = "stored", "存储";
        handled = "handled", "处理";
        stored_so_far = "stored so far", "累计存储";
        handled_so_far = "handled so far", "累计处理";
        handling = "handling", "处理中";
        suspended = "suspended", "挂起";
        unowned = "no owner", "无持有者";
        idle = "idle", "空闲";
        max = "max", "最大";
        calls = "call p50", "调用 p50";
        others = "others", "其余";
        hottest = "Most from", "最多来自";
        save_csv = "Save all points as a CSV file", "将所有数据点保存为 CSV 文件";
        save_svg = "Save the charts as an SVG file", "将图表保存为 SVG 文件";
        line_first = "the longest, or the selected one", "最长的，或选中的";
        line_second = "the next one", "其次";
        line_rest = "all others", "其余";
        range = "Range", "范围";
        whole_run = "whole run", "整个运行";
        cursor = "The cursor shows an instant; a click goes there.", "光标显示时刻，单击即可前往。";
    }
    with {
        last_minutes(count: i64) = "last {count} min", "最近 {count} 分钟";
        last_seconds(count: i64) = "last {count} s", "最近 {count} 秒";
        stood(queue: &str) = "{queue} suspended", "{queue} 挂起";
        time_note(total: &str) = "Per queue, of {total}; figures: suspended or without owner", "每个队列，共 {total}；数字：挂起或无持有者的时间";
        load_note(mean: &str) = "Messages stored; dotted: the mean, {mean}", "已存储的消息；虚线：平均值 {mean}";
        hot(group: &str, part: u32, queue: &str) = "{group} alone is {part} % of {queue}.", "仅 {group} 就占 {queue} 的 {part}%。";
        at_instant(clock: &str) = "At {clock}:", "{clock}：";
        waits(queue: &str, count: &str) = "{queue} has {count} waiting", "{queue} 有 {count} 条等待";
        others_wait(count: &str) = "all others together {count}", "其余共 {count} 条";
        lag_alt(queue: &str, peak: &str, now: &str) = "Lag over time. The highest is {queue} with {peak}; now it has {now}.", "堆积随时间变化。最高的是 {queue}，峰值 {peak}；现在为 {now}。";
        group_lag_alt(list: &str) = "Lag over time by consumer group. Now: {list}.", "各消费组堆积随时间变化。现在：{list}。";
        latency_alt(p50: &str, max: &str) = "Time from stored to handled. Last: median {p50}, longest {max}.", "从存储到处理的时间。最近：中位数 {p50}，最长 {max}。";
        rate_alt(stored: &str, handled: &str) = "Messages a second over time. In all {stored} stored, {handled} handled.", "每秒消息数随时间变化。共存储 {stored} 条，处理 {handled} 条。";
        time_alt(queue: &str, time: &str) = "Where each queue's time went. Longest without progress: {queue}, {time}.", "各队列的时间去向。最久没有进展的是 {queue}：{time}。";
        load_alt(queue: &str, count: &str) = "Messages per queue. The most are in {queue}: {count}.", "各队列的消息数。最多的是 {queue}：{count}。";
        waiting_alt(group: &str, count: &str) = "Messages that wait, by message group. The most: {group}, {count}.", "各消息组等待的消息。最多：{group}，{count} 条。";
    }
}

crate::catalogue! {
    /// The order strips.
    OrderText;
    plain {
        hint = "Each strip shows its messages in the order in which it happened. Parallel lines: order kept. Crossing lines: overtaken.", "每条带按发生的先后显示消息。线平行：顺序保持。线交叉：被超越。";
        nothing = "No message of a message group was sent yet.", "还没有发送任何带消息组的消息。";
        sent = "Sent", "发送";
        stored = "Stored", "存储";
        delivered = "Delivered", "投递";
        handled = "Handled", "处理";
        acknowledged = "Acknowledged", "确认";
        sent_note = "by the producer", "由生产者";
        stored_note = "in a queue", "存入队列";
        delivered_note = "to a consumer", "给消费者";
        handled_note = "without failure", "无失败";
        acknowledged_note = "counted as consumed", "计为已消费";
        kept = "Order kept", "顺序保持";
        broken = "Order broken", "顺序被打破";
        message = "Message", "消息";
        dead = "dead letter", "死信";
        not_yet = "not yet", "尚未";
        again = "again", "再次";
    }
    with {
        overtook(later: &str, earlier: &str) = "{later} overtook {earlier}", "{later} 超越了 {earlier}";
        too_early(later: &str, earlier: &str) = "{later} began before {earlier} was finished", "{later} 在 {earlier} 完成之前开始";
        stored_first(later: &str, earlier: &str) = "{later} was stored before {earlier}: no guarantee is broken", "{later} 先于 {earlier} 存储：未违反任何保证";
        handled_first(later: &str, earlier: &str) = "{later} was handled before {earlier}: no guarantee is broken", "{later} 先于 {earlier} 处理：未违反任何保证";
        counted_first(later: &str, earlier: &str) = "{later} was acknowledged before {earlier}: no guarantee is broken", "{later} 先于 {earlier} 确认：未违反任何保证";
        on(label: &str, who: &str, clock: &str) = "{label} on {who}, {clock}", "{label} 在 {who}，{clock}";
        messages(count: &str) = "messages: {count}", "消息：{count}";
        attempts(label: &str, count: u32) = "{label} failed {count} ×", "{label} 失败 {count} 次";
        repeated(count: u32) = "repeated: {count}", "重复：{count}";
        earlier(count: &str) = "← {count} before", "← 之前 {count} 条";
        later(count: &str) = "{count} after →", "之后 {count} 条 →";
        hidden(count: &str) = "Message groups not shown: {count}", "未显示的消息组：{count}";
        alt(group: &str, count: &str) = "Strips of {group}: sent, stored, delivered, handled and acknowledged messages, {count} in all.", "{group} 的条带：发送、存储、投递、处理和确认的消息，共 {count} 条。";
        nth(count: u32) = "{count}×", "第 {count} 次";
    }
}

crate::catalogue! {
    /// The routing microscope.
    RoutingText;
    plain {
        title = "Where does a message group go?", "消息组会去哪里？";
        groups = "Message groups", "消息组";
        groups_hint = "One in a line, or parted by commas; order-0..9999 stands for ten thousand.", "每行一个，或用逗号分隔；order-0..9999 表示一万个。";
        of_run = "Groups of this run", "本次运行的消息组";
        function = "Function", "函数";
        by_hash = "SelectMessageQueueByHash", "SelectMessageQueueByHash";
        abs_hash = "Math.abs(hash) % n", "Math.abs(hash) % n";
        modulo = "id % n", "id % n";
        round_robin = "Round robin", "轮询";
        proxy = "Proxy, consistent hash", "Proxy，一致性哈希";
        java = "Java and Go SDK", "Java 与 Go SDK";
        node = "Node.js SDK", "Node.js SDK";
        rust = "Rust SDK", "Rust SDK";
        python = "Python SDK", "Python SDK";
        cpp = "C++ SDK", "C++ SDK";
        csharp = "C# SDK", "C# SDK";
        queues = "Queues", "队列数";
        then = "then", "改为";
        fewer = "One queue fewer", "减少一个队列";
        more = "One queue more", "增加一个队列";
        queues_before = "Number of queues before", "之前的队列数";
        queues_after = "Number of queues after", "之后的队列数";
        grow = "Grow with messages waiting", "在消息等待时扩容";
        grow_hint = "Plays a scenario with the first eight of these groups", "用其中前八个消息组播放一个场景";
        copy = "Copy as series", "复制为 series";
        copied = "Copied", "已复制";
        copy_hint = "Copies series lines for a scenario's text", "复制可用于场景文本的 series 行";
        group = "group", "消息组";
        value = "value", "值";
        bits = "last bits", "末位";
        moves_bold = "bold: moves", "粗线：移动";
        nowhere = "throws", "抛异常";
        platform = "depends on the platform", "取决于平台";
        load = "Load per queue", "各队列负载";
        even = "Groups per queue", "每队列的消息组";
        share = "Part that it sends", "其发送比例";
        moving = "Groups that move", "移动的消息组";
        trap = "The Math.abs trap", "Math.abs 陷阱";
        trap_note = "Harmless for powers of two. That is why tests miss it.", "队列数为 2 的幂时无害，所以测试发现不了。";
        trap_legend = "negative index: the selector throws, the send fails, nothing is stored", "索引为负：选择器抛异常，发送失败，什么都没有存储";
        n_queues = "n queues", "队列数 n";
        every = "Every function", "所有函数";
        endpoint = "An SDK's choice only decides which endpoint gets the call. The proxy decides the queue.", "SDK 的选择只决定由哪个端点接收请求，队列由 Proxy 决定。";
        turn_note = "Round robin ignores the group. The start is random; here it is queue 0.", "轮询不看消息组。起点是随机的，这里取队列 0。";
        none = "Type a message group.", "请输入消息组。";
        agree = "The SDKs agree.", "各 SDK 一致。";
    }
    with {
        too_many(line: u32) = "Line {line}: the list is full at 10 000 groups; what follows is left out. Shorten it.", "第 {line} 行：列表已满（一万个消息组），之后的被略去。请缩短列表。";
        bad_range(line: u32, word: &str) = "Line {line}: {word} is no range: expected a smaller number, two dots, a larger one, as in order-1..9.", "第 {line} 行：{word} 不是范围：应为较小的数、两个点、较大的数，如 order-1..9。";
        of(n: u32) = "of {n}", "{n} 队列";
        change_of(from: u32, to: u32) = "From {from} to {to} ‹queue|queues›", "从 {from} 到 {to} 个队列";
        change(from: u32, to: u32) = "{from} to {to}", "{from} → {to}";
        count(count: &str) = "{count} ‹group|groups›", "{count} 个消息组";
        listed(count: &str) = "{count} more ‹is|are› in the load only.", "另有 {count} 个只计入负载。";
        empty(count: u32) = "{count} ‹queue|queues› without a listed group", "{count} 个队列没有列出的消息组";
        hot_of(group: &str, share: u32) = "Of 10 000 messages, when {group} sends {share} %", "一万条消息中，{group} 发送 {share}% 时";
        per_cent(value: &str) = "{value} %", "{value}%";
        thrown(count: &str) = "The selector throws on {count}.", "选择器对 {count} 抛异常。";
        n_only(n: u32) = "{n} ‹queue|queues›", "{n} 个队列";
        who_moves(small: u32, large: u32, from: u32, to: u32) = "{from} or {to} ‹queue|queues›: {small} or {large} last ‹bit decides|bits decide›. A group moves where the framed bits are not all 0; its new messages no longer queue behind its old ones.", "{from} 或 {to} 个队列：由末 {small} 位或 {large} 位决定。加框的位不全为 0 的消息组会移动，新消息不再排在旧消息之后。";
        trap_text(text: &str) = "{text} has the hash −2 147 483 648. Its absolute value does not fit into an int, so it stays negative.", "{text} 的哈希是 −2 147 483 648。它的绝对值超出 int 的范围，所以仍为负数。";
        every_of(group: &str) = "Every function, for {group}", "{group} 的所有函数结果";
        disagree(list: &str) = "The SDKs disagree: {list}.", "各 SDK 不一致：{list}。";
        row_alt(moved: u32, count: usize, from: u32, to: u32) = "{moved} of {count} listed ‹group moves|groups move› between {from} and {to} ‹queue|queues›. The table beside has each of them.", "在 {from} 与 {to} 个队列之间，列出的 {count} 个消息组中有 {moved} 个移动。旁边的表格逐一列出。";
    }
}
