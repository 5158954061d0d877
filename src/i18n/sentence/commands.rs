//! What each kind of command does, and why one is refused.

use lockstep_core::command::{Command, GroupSetting, Label, MessageSpec, Refusal};
use lockstep_core::fact::{Outcome, StopKind};

use super::commands_pop::pop_setting;
use super::Speaker;
use crate::log::{Action, Reason};
use crate::{left, number};

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
            Command::SetGroup { group, setting } => {
                let (name, value) = group_setting(setting);
                action.set_group(group, name, &value)
            }
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
                    (None, time_ms) => action.takes(&what, &left(time_ms.unwrap_or(0))),
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
            Refusal::Unknown { what, name } => reason.unknown(what, name),
            Refusal::Exists { name } => reason.exists(name),
            Refusal::OutOfRange { what, value, min, max } => {
                reason.out_of_range(what, *value, *min, *max)
            }
            Refusal::WrongState { name } => reason.wrong_state(name),
            Refusal::BadDelayTable { token } => reason.bad_table(token),
            Refusal::NoTopic { producer } => reason.no_topic(producer),
            Refusal::LimitReached { limit } => reason.limit(limit),
            Refusal::Broker { code, text } => reason.broker_says(*code, text),
            Refusal::SkippedByTool => reason.skipped_by_tool().to_owned(),
            Refusal::NobodyToPause { group } => reason.nobody_to_pause(group),
            Refusal::NotInThisVersion => reason.not_in_version().to_owned(),
            Refusal::BadOrderConf { part } => reason.bad_conf(part),
            Refusal::NotHeld { consumer, message } => reason.not_held(consumer, message),
        }
    }
}

/// RocketMQ's name of a setting, and its value.
fn group_setting(setting: &GroupSetting) -> (&'static str, String) {
    match setting {
        GroupSetting::MaxReconsumeTimes(n) => ("maxReconsumeTimes", number(i64::from(*n))),
        GroupSetting::SuspendMs(ms) => {
            ("suspendCurrentQueueTimeMillis", format!("{} ms", number(*ms)))
        }
        GroupSetting::BatchMax(n) => ("consumeMessageBatchMaxSize", n.to_string()),
        GroupSetting::Threads(n) => ("consumeThreadMax", n.to_string()),
        GroupSetting::AutoCommit(on) => ("autoCommit", on.to_string()),
        GroupSetting::HandleMs(from, to) if from == to => {
            ("handling", format!("{} ms", number(*from)))
        }
        GroupSetting::HandleMs(from, to) => {
            ("handling", format!("{} to {} ms", number(*from), number(*to)))
        }
        GroupSetting::FromWhere(from) => ("consumeFromWhere", format!("{from:?}")),
        GroupSetting::AwaitTerminationMs(ms) => {
            ("awaitTerminationMillisWhenShutdown", format!("{} ms", number(*ms)))
        }
        GroupSetting::Paused(on) => ("paused", on.to_string()),
        GroupSetting::RetryQueueNums(n) => ("retryQueueNums", n.to_string()),
        GroupSetting::Pop(setting) => pop_setting(setting),
    }
}
