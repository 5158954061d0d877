//! What each kind of command does, and why one is refused.

use lockstep_core::command::{
    Command, FromWhere, GroupSetting, Label, MessageSpec, Refusal, Unfit,
};
use lockstep_core::fact::{Outcome, StopKind};

use super::commands_pop::pop_setting;
use super::Speaker;
use crate::log::{Action, Reason};
use crate::{clock, number, span};

impl Speaker<'_> {
    /// What a command does, in a few words without a full stop.
    pub fn command(&self, command: &Command) -> String {
        let action = Action(self.locale);
        match command {
            Command::CreateTopic { name, write_queues, .. } => {
                action.create_topic(name, *write_queues)
            }
            Command::UpdateTopic { name, read_queues, write_queues } => {
                action.update_topic(name, *read_queues, *write_queues)
            }
            Command::NameMessageGroup { series, key: Some(key) } => action.name_group(series, key),
            Command::NameMessageGroup { series, key: None } => action.name_series(series),
            Command::CreateGroup { name, subscriptions, .. } => {
                let topics: Vec<&str> = subscriptions.iter().map(|s| s.topic.as_str()).collect();
                action.create_group(name, &topics.join(", "))
            }
            Command::SetGroup { group, setting } => self.set_group(group, setting),
            Command::CreateProducer { name, .. } => action.create_producer(name),
            Command::Send { producer, messages, .. } => {
                action.send(producer, &self.labels(messages))
            }
            Command::SendLoad { producer, load, .. } => {
                action.load(producer, &number(i64::from(load.count)), load.per_second)
            }
            Command::StartConsumer { name, group, .. } => action.start(name, group),
            Command::StopConsumer { name, how: StopKind::Clean } => action.stop(name),
            Command::StopConsumer { name, how: StopKind::Crash } => action.crash(name),
            Command::StopConsumer { name, how: StopKind::Silent } => action.vanish(name),
            Command::StopConsumer { name, how: StopKind::Hang } => action.hang(name),
            Command::ResumeConsumer { name } => action.resume(name),
            Command::Handle(rule) => {
                let what = rule.label.as_ref().map(Label::to_string);
                let what = what.or_else(|| rule.client.clone()).or_else(|| rule.group.clone());
                let what = what.unwrap_or_else(|| Reason(self.locale).anybody().to_owned());
                match (rule.outcome, rule.handle_ms) {
                    (Some(Outcome::Success | Outcome::Commit), _) => action.succeeds(&what),
                    (Some(_), _) => action.fails(&what),
                    (None, Some(0) | None) => action.takes_no_time(&what),
                    (None, Some(ms)) => action.takes(&what, &span(ms)),
                }
            }
            Command::Cut { a, b } => action.cut(a, b),
            Command::Heal { a, b } => action.heal(a, b),
            Command::SetLatency { from, to, ms } => {
                let anybody = Reason(self.locale).anybody();
                let name = |side: &Option<String>| side.clone().unwrap_or_else(|| anybody.into());
                action.latency(&name(from), &name(to), &format!("{} ms", number(*ms)))
            }
            Command::SetDelayLevels { table } => action.delay_levels(table),
            Command::SetConstant { name, value } => action.constant(name, &number(*value)),
            Command::Pop(command) => self.pop_command(command),
            _ => self.broker_command(command),
        }
    }

    pub(super) fn labels(&self, messages: &[MessageSpec]) -> String {
        let shown: Vec<String> = messages.iter().take(3).map(|m| m.label.to_string()).collect();
        let shown = shown.join(" ");
        match messages.len() {
            0..=3 => shown,
            all => Action(self.locale).more(&shown, all - 3),
        }
    }

    /// Why a command was refused.
    pub fn refusal(&self, refusal: &Refusal) -> String {
        let reason = Reason(self.locale);
        match refusal {
            Refusal::Unknown { what, name } => reason.unknown(self.thing(what), name),
            Refusal::Exists { name } => reason.exists(name),
            Refusal::OutOfRange { what, value, min, max } => {
                reason.out_of_range(self.thing(what), *value, *min, *max)
            }
            Refusal::WrongState { name, is } => self.unfit(name, *is),
            Refusal::BadDelayTable { token } => reason.bad_table(token),
            Refusal::NoTopic { producer } => reason.no_topic(producer),
            Refusal::LimitReached { limit } => reason.limit(limit),
            Refusal::Broker { code, text } => reason.broker_says(*code, text),
            Refusal::SkippedByTool => reason.skipped_by_tool().to_owned(),
            Refusal::NobodyToPause { group } => reason.nobody_to_pause(group),
            Refusal::NotInThisVersion { what, since: Some(since) } => {
                let own = self.world.shared.model.version.to_string();
                reason.newer(self.thing(what), &since.to_string(), &own)
            }
            Refusal::NotInThisVersion { what, since: None } => {
                let own = self.world.shared.model.version.to_string();
                reason.no_longer(self.thing(what), &own)
            }
            Refusal::BadOrderConf { part } => reason.bad_conf(part),
            Refusal::NotHeld { consumer, message } => reason.not_held(consumer, message),
        }
    }
}

impl Speaker<'_> {
    /// Why somebody cannot do what was asked for, and what would let it.
    fn unfit(&self, name: &str, is: Unfit) -> String {
        let reason = Reason(self.locale);
        match is {
            Unfit::Running => reason.unfit_running(name),
            Unfit::NotRunning => reason.unfit_not_running(name),
            Unfit::NotStanding => reason.unfit_not_standing(name),
            Unfit::NotByHand => reason.unfit_not_by_hand(name),
            Unfit::NotGrpc => reason.unfit_not_grpc(name),
            Unfit::Classic => reason.unfit_classic(name),
            Unfit::Up => reason.unfit_up(name),
            Unfit::Down => reason.unfit_down(name),
        }
    }

    /// What a group's setting does.
    fn set_group(&self, group: &str, setting: &GroupSetting) -> String {
        let action = Action(self.locale);
        match setting {
            GroupSetting::Paused(true) => action.pauses(group),
            GroupSetting::Paused(false) => action.goes_on(group),
            GroupSetting::HandleMs(from, to) if from == to => {
                action.handles_in(group, &span(*from))
            }
            GroupSetting::HandleMs(from, to) => {
                action.handles_between(group, &span(*from), &span(*to))
            }
            setting => {
                let (name, value) = self.group_setting(setting);
                action.set_group(group, name, &value)
            }
        }
    }

    /// RocketMQ's name of a setting, and its value.
    fn group_setting(&self, setting: &GroupSetting) -> (&'static str, String) {
        let reason = Reason(self.locale);
        match setting {
            GroupSetting::MaxReconsumeTimes(n) => ("maxReconsumeTimes", number(i64::from(*n))),
            GroupSetting::SuspendMs(ms) => {
                ("suspendCurrentQueueTimeMillis", format!("{} ms", number(*ms)))
            }
            GroupSetting::BatchMax(n) => ("consumeMessageBatchMaxSize", n.to_string()),
            GroupSetting::Threads(n) => ("consumeThreadMax", n.to_string()),
            GroupSetting::AutoCommit(on) => ("autoCommit", on.to_string()),
            GroupSetting::FromWhere(from) => (
                "consumeFromWhere",
                match from {
                    FromWhere::First => "CONSUME_FROM_FIRST_OFFSET".to_owned(),
                    FromWhere::Last => "CONSUME_FROM_LAST_OFFSET".to_owned(),
                    FromWhere::Timestamp(None) => {
                        format!("CONSUME_FROM_TIMESTAMP {}", reason.half_an_hour())
                    }
                    FromWhere::Timestamp(Some(ms)) => {
                        format!("CONSUME_FROM_TIMESTAMP {}", clock(*ms))
                    }
                },
            ),
            GroupSetting::AwaitTerminationMs(ms) => {
                ("awaitTerminationMillisWhenShutdown", format!("{} ms", number(*ms)))
            }
            GroupSetting::HandleMs(..) | GroupSetting::Paused(_) => ("", String::new()),
            GroupSetting::RetryQueueNums(n) => ("retryQueueNums", n.to_string()),
            GroupSetting::Pop(setting) => pop_setting(setting),
        }
    }

    /// What a refusal is about, by the core's word for it.
    fn thing(&self, what: &'static str) -> &'static str {
        let chinese = match what {
            "topic" => "主题",
            "group" => "消费组",
            "producer" => "生产者",
            "consumer" => "消费者",
            "party" => "参与方",
            "constant" => "常量",
            "broker" => "Broker",
            "proxy" => "Proxy",
            "delay" => "延迟",
            "await" => "等待时间",
            "batch" => "批量大小",
            "body" => "消息体大小",
            "clock" => "时钟偏差",
            "count" => "数量",
            "delay levels" => "延迟级别数",
            "disk use" => "磁盘使用率",
            "every" => "发送间隔",
            "groups" => "消息组数",
            "handling time" => "处理时间",
            "invisible time" => "不可见时间",
            "latency" => "延迟时间",
            "longest wait" => "最长等待",
            "loops" => "循环数",
            "messages" => "消息数",
            "multiplier" => "倍数",
            "per second" => "每秒条数",
            "read queues" => "读队列数",
            "write queues" => "写队列数",
            "retry queues" => "重试队列数",
            "suspend" => "挂起时间",
            "thread" => "线程编号",
            "threads" => "线程数",
            "transaction time" => "本地事务时间",
            "travel" => "途中时间",
            "wait" => "等待时间",
            "requests of several messages" => "一个请求发送多条消息",
            "consumers by gRPC" => "通过 gRPC 连接的消费者",
            "resets that the broker carries out" => "由 Broker 执行的重置",
            "resets of one queue" => "对单个队列的重置",
            "resets of one queue to an offset" => "把单个队列重置到指定位点",
            "delivery times in transactions" => "事务消息的定时投递",
            "topics of type MIXED" => "类型为 MIXED 的主题",
            "waits" => "等待次数",
            "queue" => "队列编号",
            other => other,
        };
        self.locale.pick(what, chinese)
    }
}
