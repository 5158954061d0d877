//! What two runs side by side are said to do differently.

use lockstep_core::command::Command;
use lockstep_core::fact::Fact;
use lockstep_core::pop::PopCommand;
use lockstep_core::scenario::Variant;
use lockstep_core::view::compare::{
    Comparison, Did, Difference, Divergence, How, OrderRow, Side, Standing, State,
};

use crate::sentence::Speaker;
use crate::{clock, left, Locale};

crate::catalogue! {
    /// Two runs side by side.
    CompareText;
    plain {
        title = "Two runs on one clock", "同一时钟上的两次运行";
        first = "Run 1", "运行 1";
        second = "Run 2", "运行 2";
        open = "Compare", "对比";
        open_menu = "Compare with…", "与……对比";
        close = "Close comparison", "关闭对比";
        what_differs = "What differs now", "当前的差别";
        what_differs_at_end = "What differs at the end", "结尾时的差别";
        message = "Message", "消息";
        order = "Order begun", "开始处理的顺序";
        nothing_differs_at_end = "Nothing differs at the end.", "结尾时没有差别。";
        nothing_differs = "Nothing differs yet.", "目前没有差别。";
        first_divergence = "First divergence", "首次分歧";
        go_there = "Go to the first divergence", "跳到首次分歧";
        never_part = "The two runs do not part: the same happens to every message, within a tenth of a second.", "两次运行没有分歧：每条消息的经历都相同，时间相差不到十分之一秒。";
        looking = "Both runs are played to their ends…", "正在把两次运行播放到结尾……";
        not_stored = "not stored yet", "尚未存入";
        before = "The run before this one", "上一次运行";
        tried = "Compare both runs", "对比两次运行";
        takes_place = "It takes the place of run 2.", "它会取代运行 2。";
        of_second = "This changes run 2, and only changes of run 1 can be put beside it. Close the comparison, or select the same thing in run 1.", "这项改动针对运行 2，而只有对运行 1 的改动才能放在旁边对比。请关闭对比，或在运行 1 中选择同一对象。";
        close_menu = "Close", "关闭";
        both = "Compare with the repaired run", "与修复后的运行对比";
        both_back = "Compare with the run that breaks", "与出问题的运行对比";
        with_before = "Compare with the run before", "与上一次运行对比";
        own_text = "A scenario without a title", "没有标题的场景";
        one_of = "Which run", "哪次运行";
        choose = "What to compare this run with", "选择要与本次运行对比的对象";
        nothing_to_vary = "That change makes no difference for this scenario.", "这项改动对这个场景没有影响。";
        concurrent = "A concurrent listener", "并发监听器";
        orderly = "An orderly listener", "顺序监听器";
        blocks_queue = "A failed message blocks its queue", "失败消息阻塞整个队列";
        blocks_message_group = "A failed message blocks its message group only", "失败消息只阻塞自己的消息组";
        documents = "As the documents describe it", "按文档的描述";
        damaged = "This link asks for a comparison that cannot be read: it was cut off or changed on its way. The first run is shown alone.", "这个链接中的对比部分无法识别：可能被截断或改动过。现在只显示第一次运行。";
        not_now = "This scenario cannot be compared that way: with the change it has mistakes.", "这个场景不能这样对比：改动之后它有错误。";
    }
    with {
        run(number: usize, title: &str) = "Run {number}: {title}", "运行 {number}：{title}";
        repaired(title: &str) = "{title}", "{title}";
        text_before(title: &str) = "{title}, the text before", "{title}（之前的文本）";
        text_now(title: &str) = "{title}, your text", "{title}（你的文本）";
        model(name: &str) = "RocketMQ {name}", "RocketMQ {name}";
        at(clock: &str) = "First divergence: {clock}", "首次分歧：{clock}";
        side(number: usize, what: &str) = "Run {number}: {what}", "运行 {number}：{what}";
        later(gap: &str, what: &str) = "{gap} later: {what}", "晚 {gap}：{what}";
        earlier(gap: &str, what: &str) = "{gap} earlier: {what}", "早 {gap}：{what}";
        not_at_all(what: &str) = "Never in this run: {what}", "这次运行中始终没有：{what}";
        not_started(client: &str, why: &str) = "{client} does not start: {why}.", "{client} 没有启动：{why}。";
        next(clock: &str, what: &str) = "Not then. At {clock}: {what}", "当时没有发生。到 {clock}：{what}";
        scheduled(clock: &str) = "under a delay level since {clock}", "自 {clock} 起在延迟级别中";
        not_sent(clock: &str) = "send failed at {clock}", "{clock} 发送失败";
        waiting(clock: &str) = "waits since {clock}", "自 {clock} 起等待";
        in_hand(client: &str, clock: &str) = "with {client} since {clock}", "自 {clock} 起由 {client} 处理";
        in_two_hands(client: &str, clock: &str, other: &str) = "with {client} since {clock}, and still with {other}", "自 {clock} 起由 {client} 处理，{other} 也还在处理";
        retrying(clock: &str) = "failed at {clock}, to be tried again", "{clock} 失败，将重试";
        done(clock: &str) = "acknowledged at {clock}", "{clock} 已确认";
        dead(clock: &str) = "dead letter at {clock}", "{clock} 成为死信";
        gone(clock: &str) = "deleted or lost at {clock}", "{clock} 被删除或丢失";
        attempts(what: &str, count: u32) = "{what}, attempt {count}", "{what}，第 {count} 次尝试";
        in_queue(what: &str, queue: &str) = "{queue}: {what}", "{queue}：{what}";
        no_group(group: &str) = "no group {group} in this run", "这次运行没有消费组 {group}";
        more(count: usize) = "and {count} more", "另有 {count} 条";
        same(count: usize) = "Messages that are the same in both: {count}", "两次相同：{count} 条消息";
        in_group(msg: &str, group: &str) = "{msg} in {group}", "{msg}（{group}）";
    }
}

impl CompareText {
    /// The name of a run.
    pub fn name(self, side: Side) -> &'static str {
        match side {
            Side::First => self.first(),
            Side::Second => self.second(),
        }
    }

    /// What a variant changes.
    pub fn variant(self, variant: Variant) -> String {
        match variant {
            Variant::Concurrent => self.concurrent().to_owned(),
            Variant::Orderly => self.orderly().to_owned(),
            Variant::BlocksQueue => self.blocks_queue().to_owned(),
            Variant::BlocksMessageGroup => self.blocks_message_group().to_owned(),
            Variant::Model49 => self.model("4.9"),
            Variant::Model51 => self.model("5.1"),
            Variant::Model53 => self.model("5.3"),
            Variant::Documents => self.documents().to_owned(),
        }
    }
}

/// Two runs in one language.
#[derive(Clone, Copy)]
pub struct Contrast<'a> {
    /// The comparison.
    pub compared: &'a Comparison,
    /// The language.
    pub locale: Locale,
}

impl Contrast<'_> {
    fn texts(&self) -> CompareText {
        CompareText(self.locale)
    }

    fn speaker(&self, side: Side) -> Speaker<'_> {
        Speaker { world: self.compared.world(side), locale: self.locale }
    }

    /// What a run does where they part.
    pub fn did(&self, first: &Divergence, side: Side) -> String {
        let Did { how, record, .. } = first.sides[side.index()];
        let (texts, speaker) = (self.texts(), self.speaker(side));
        let Some(record) = record else {
            let theirs = first.sides[side.other().index()].record;
            let what = theirs.map(|theirs| self.speaker(side.other()).fact(&theirs.fact, None));
            return texts.not_at_all(&what.unwrap_or_default());
        };
        let fact = self.not_started(side, &record.fact).unwrap_or_else(|| {
            speaker.fact(&record.fact, self.compared.command(side, &record.fact))
        });
        match how {
            How::Later if record.at_ms >= first.at_ms => {
                texts.later(&left(record.at_ms - first.at_ms), &fact)
            }
            How::Later => texts.earlier(&left(first.at_ms - record.at_ms), &fact),
            How::Next => texts.next(&clock(record.at_ms), &fact),
            How::Does | How::Nothing => fact,
        }
    }

    /// Which consumer a run does not let start, and why.
    fn not_started(&self, side: Side, fact: &Fact) -> Option<String> {
        let Fact::CommandRefused { index } = fact else { return None };
        let (Command::StartConsumer { name, .. } | Command::Pop(PopCommand::Start { name, .. })) =
            self.compared.command(side, fact)?
        else {
            return None;
        };
        let speaker = self.speaker(side);
        let why = speaker.refusal(speaker.world.shared.refusals.get(index)?);
        Some(self.texts().not_started(name, &why))
    }

    /// Why a run does not do then what the other one does.
    pub fn why(&self, first: &Divergence, side: Side) -> Option<String> {
        let why = first.sides[side.index()].why?;
        Some(self.speaker(side).headline(&why, None))
    }

    /// What became of a message.
    pub fn standing(&self, side: Side, row: &Difference) -> String {
        let Standing { state, at_ms, queue, attempts, also, .. } = row.sides[side.index()];
        let (texts, at) = (self.texts(), clock(at_ms));
        let speaker = self.speaker(side);
        let mut said = match state {
            State::NotStored => return texts.not_stored().to_owned(),
            State::Scheduled => texts.scheduled(&at),
            State::NotSent => texts.not_sent(&at),
            State::Waiting => texts.waiting(&at),
            State::InHand(client) => match also {
                Some(other) => {
                    texts.in_two_hands(speaker.client(client), &at, speaker.client(other))
                }
                None => texts.in_hand(speaker.client(client), &at),
            },
            State::Retrying => texts.retrying(&at),
            State::Done => texts.done(&at),
            State::Dead => texts.dead(&at),
            State::Gone => texts.gone(&at),
            State::NoGroup => {
                let group = self.group(row).unwrap_or_default();
                return texts.no_group(&group);
            }
        };
        if row.sides.iter().any(|side| side.attempts > 1) && attempts > 0 {
            said = texts.attempts(&said, attempts);
        }
        match queue.filter(|_| row.elsewhere) {
            Some(queue) => texts.in_queue(&said, &speaker.queue(queue)),
            None => said,
        }
    }

    /// The consumer group of a row, by the run that has it.
    fn group(&self, row: &Difference) -> Option<String> {
        let in_run = |side: Side| {
            let group = row.group[side.index()]?;
            Some(self.speaker(side).group(group).to_owned())
        };
        Side::BOTH.into_iter().find_map(in_run)
    }

    /// The message of a row, with its consumer group where a run has several.
    pub fn message(&self, row: &Difference) -> String {
        let in_run = |side: Side| Some(self.speaker(side).msg(row.sides[side.index()].msg?));
        let msg = Side::BOTH.into_iter().find_map(in_run).unwrap_or_default();
        let groups = |side: Side| self.compared.world(side).shared.names.groups.len();
        let several = Side::BOTH.into_iter().any(|side| groups(side) > 1);
        match self.group(row) {
            Some(group) if several => self.texts().in_group(&msg, &group),
            _ => msg,
        }
    }

    /// The messages of an order, in a run.
    pub fn order(&self, side: Side, row: &OrderRow) -> String {
        let speaker = self.speaker(side);
        let msgs = row.sides[side.index()].iter().map(|msg| speaker.msg(*msg));
        msgs.collect::<Vec<String>>().join(" ")
    }
}
