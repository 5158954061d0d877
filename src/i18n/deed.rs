//! What people can do by hand: the lines of menus, the form for a message, what was done.

use lockstep_core::deeds::{Field, Wrong, MOST_AT_ONCE};

crate::catalogue! {
    /// What people can do by hand.
    DeedText;
    plain {
        send = "Send a message", "发送消息";
        send_short = "Send", "发送";
        send_form = "Send a message…", "发送消息……";
        play_on = "Play on", "继续播放";
        fault = "Cause a fault", "制造故障";
        fault_short = "Fault", "故障";
        act = "Send a message, cause a fault", "发送消息、制造故障";
        what_to = "What to do with it", "可以对它做什么";
        to_what = "To what", "对谁";
        nothing = "There is nothing to be done to it now.", "此刻没有可以对它做的事。";
        mend = "Mend", "恢复";
        faults = "Faults", "故障";
        change = "Changes", "变更";
        close = "Close", "关闭";
        producer = "Producer", "生产者";
        topic = "Topic", "主题";
        series = "Message group", "消息组";
        count = "How many", "条数";
        tag = "Tag", "标签";
        key = "Key", "键";
        delay = "Delay", "延迟";
        delay_hint = "level 3, or 5s", "级别 3，或 5s";
        optional = "none", "无";
        decision = "Transaction", "事务";
        commits = "commits", "提交";
        rolls_back = "rolls back", "回滚";
        stays_open = "stays open", "保持未决";
        line = "As a line of the scenario", "对应的场景语句";
        nobody = "This scenario has no producer and no topic to send to. Add both to its text.", "这个场景没有生产者或主题，无法发送。请在文本中加上。";
        no_series = "A letter such as A, or the name of a message group such as order-1007. A1 is a message.", "一个字母如 A，或消息组的名称如 order-1007。A1 是一条消息。";
        goes_to = "Goes to", "进入";
        in_turn = "the queues in turn", "队列轮流";
        of_load = "A load makes the messages of this group: take another one, such as Z", "这个组的消息由负载生成：请换一个，例如 Z";
        taken = "Its messages would be called like something else here: take another letter", "它的消息会与这里的其他名称相同：请换一个字母";
        no_word = "In one line, without quotes and backslashes", "单行，不含引号和反斜杠";
        no_delay = "A level such as 3, or a time such as 5s", "级别（如 3）或时间（如 5s）";
        take_back = "Take it back", "撤销";
        taken_back = "Taken back: the run is as it was before.", "已撤销：运行恢复原样。";
        dismiss = "Close", "关闭";
        zoomed = "Shown: the time of the selected thing", "已显示所选对象的时间段";
    }
    with {
        take_back_what(what: &str) = "Take back: {what}", "撤销：{what}";
        level(level: u8) = "delay level {level}", "延迟级别 {level}";
        title(name: &str) = "What to do with {name}", "可以对 {name} 做什么";
        unknown(name: &str) = "Choose one from the list: {name} is not there at this instant", "请从列表选择：此刻没有 {name}";
        number(most: u32) = "A number from 1 to {most}", "1 到 {most} 之间的数";
        done(at: &str, what: &str) = "{at}: {what}.", "{at}：{what}。";
        refused(at: &str, why: &str) = "{at}, refused: {why}.", "{at} 被拒绝：{why}。";
        send_next(what: &str) = "Send {what}", "发送 {what}";
        send_transaction(what: &str) = "Send {what} in a transaction", "以事务发送 {what}";
        kill(name: &str) = "Kill {name} (kill -9)", "杀掉 {name}（kill -9）";
        vanish(name: &str) = "Let the machine of {name} vanish", "让 {name} 的机器消失";
        hang(name: &str) = "Let {name} stand still", "让 {name} 停顿";
        stop(name: &str) = "Stop {name} cleanly", "正常停止 {name}";
        resume(name: &str) = "Let {name} go on", "让 {name} 恢复";
        start(name: &str) = "Start {name} again", "重新启动 {name}";
        add(name: &str, group: &str) = "Add {name} to {group}", "在 {group} 中增加 {name}";
        fails(what: &str) = "Let {what} fail from now on", "从现在起让 {what} 失败";
        succeeds(what: &str) = "Let {what} succeed from now on", "从现在起让 {what} 成功";
        takes(what: &str, time: &str) = "Let {what} take {time}", "让 {what} 耗时 {time}";
        all_take(name: &str, time: &str) = "Let each message take {time} at {name}", "让 {name} 处理每条消息耗时 {time}";
        cut(a: &str, b: &str) = "Cut {a} off from {b}", "断开 {a} 与 {b}";
        heal(a: &str, b: &str) = "Connect {a} with {b} again", "恢复 {a} 与 {b} 的连接";
        lose(kind: &str, from: &str, to: &str) = "Lose the next packet ({kind}) from {from} to {to}", "丢弃 {from} 到 {to} 的下一个包（{kind}）";
        power(name: &str) = "Cut the power of {name}", "切断 {name} 的电源";
        disk(name: &str, percent: u8) = "Fill the disk of {name} to {percent} %", "{name} 的磁盘写到 {percent} %";
        disk_free(name: &str, percent: u8) = "Clear the disk of {name} to {percent} %", "{name} 的磁盘清到 {percent} %";
        ahead(name: &str, time: &str) = "Put the clock of {name} {time} ahead", "{name} 的时钟拨快 {time}";
        right(name: &str) = "Set the clock of {name} right", "校准 {name} 的时钟";
        refuse(name: &str, request: &str, code: &str) = "Let {name} answer {request} with {code}", "让 {name} 对{request}返回 {code}";
        serve(name: &str, request: &str) = "Let {name} serve {request} again", "让 {name} 恢复处理{request}";
        queues(topic: &str, count: u16) = "Give {topic} {count} ‹queue|queues›", "{topic} 改为 {count} 个队列";
        latest(group: &str, place: &str) = "Reset {group} on {place} to the end", "{group} 在 {place} 重置到末尾";
        offset(group: &str, place: &str, offset: &str) = "Reset {group} on {place} to offset {offset}", "{group} 在 {place} 重置到位点 {offset}";
        pause(group: &str) = "Pause {group}", "暂停 {group}";
        receive(name: &str, count: u32) = "Let {name} receive up to {count} ‹message|messages›", "让 {name} 接收至多 {count} 条";
        ack(name: &str, what: &str) = "Let {name} acknowledge {what}", "让 {name} 确认 {what}";
        ack_all(name: &str) = "Let {name} acknowledge all it holds", "让 {name} 确认其持有的全部";
        hide(name: &str, what: &str, time: &str) = "Let {name} keep {what} invisible for {time}", "让 {name} 使 {what} 不可见 {time}";
    }
}

impl DeedText {
    /// What to write into a field that is wrong.
    pub fn wrong(self, wrong: Wrong, name: &str) -> String {
        match wrong {
            Wrong::Unknown(_) => self.unknown(name),
            Wrong::NoSeries => self.no_series().to_owned(),
            Wrong::OfLoad => self.of_load().to_owned(),
            Wrong::Taken => self.taken().to_owned(),
            Wrong::Count => self.number(MOST_AT_ONCE),
            Wrong::NoWord(_) => self.no_word().to_owned(),
            Wrong::NoDelay => self.no_delay().to_owned(),
        }
    }

    /// The name of a field.
    pub fn field(self, field: Field) -> &'static str {
        match field {
            Field::Producer => self.producer(),
            Field::Topic => self.topic(),
            Field::Series => self.series(),
            Field::Count => self.count(),
            Field::Tag => self.tag(),
            Field::Key => self.key(),
            Field::Delay => self.delay(),
        }
    }
}
