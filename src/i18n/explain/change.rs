//! What would move a thing: changes, their effects, and what came of trying them.

use std::collections::BTreeMap;

use lockstep_core::command::{Command, GroupSetting, HandlerRule};
use lockstep_core::explain::{gets_by_hand, Attempt, Change, Counterfactual, Effect};
use lockstep_core::fact::{Outcome, StopKind};
use lockstep_core::ids::Ms;
use lockstep_core::model::Blocking;
use lockstep_core::scenario;

use super::lines::{Lines, Quoted};
use crate::sentence::Speaker;
use crate::{clock, span};

crate::catalogue! {
    /// Changes and effects.
    ChangeText;
    plain {
        blocking_group = "Block the message group only, as the articles do: `blocking message-group`", "只阻塞消息组（文档中的模型）：`blocking message-group`";
        blocking_queue = "Block the whole queue, as the open-source broker does: `blocking queue`", "阻塞整个队列（开源 Broker）：`blocking queue`";
        then = ", then ", "，然后 ";
        and_then = "; ", "；";
        attempt = "Try changes in a branch", "在分支中试一试";
        none = "No change that was tried moves it sooner.", "试过的改动都不能让它更早推进。";
        carry_out = "Do it now", "现在执行";
        price_auto_commit = "The price: with autoCommit ROLLBACK counts as success, and what a listener rolls back is acknowledged all the same.", "代价：autoCommit 打开时 ROLLBACK 视为成功，监听器回滚的消息照样会被确认。";
        price_order = "The price: order is not kept any more where queues change places.", "代价：队列变动期间不再保证顺序。";
        never = "It would not happen within ten minutes otherwise.", "否则十分钟内不会发生。";
    }
    with {
        line(line: &str) = "`{line}`", "`{line}`";
        now(what: &str, lines: &str) = "If {what} ({lines})", "如果 {what}（{lines}）";
        release(version: &str) = "Use RocketMQ {version} (`model {version}`)", "改用 RocketMQ {version}（`model {version}`）";
        succeeds(what: &str) = "{what} succeeds", "{what} 成功";
        takes(what: &str, time: &str) = "{what} takes {time}", "{what} 耗时 {time}";
        takes_no_time(what: &str) = "{what} takes no time", "{what} 不耗时";
        since(at: &str, what: &str, lines: &str) = "From {at} on: {what} ({lines})", "从 {at} 起：{what}（{lines}）";
        instead(lines: &str, before: &str) = "{lines} instead of {before}", "用 {lines} 代替 {before}";
        without(lines: &str) = "Without {lines}", "去掉 {lines}";
        handled(msg: &str, group: &str, at: &str) = "{group} begins to handle {msg} at {at}.", "{group} 将在 {at} 开始处理 {msg}。";
        received(msg: &str, group: &str, at: &str) = "{group} is given {msg} at {at}.", "{group} 将在 {at} 收到 {msg}。";
        finished(msg: &str, group: &str, at: &str) = "{group} is done with {msg} at {at}.", "{group} 将在 {at} 完成 {msg}。";
        sent_back(msg: &str, group: &str, at: &str) = "{msg} of {group} goes back to the broker at {at}.", "{group} 的 {msg} 将在 {at} 发回 Broker。";
        stored(msg: &str, at: &str) = "{msg} is stored at {at}.", "{msg} 将在 {at} 存储。";
        applied(at: &str) = "It is carried out at {at}.", "将在 {at} 执行。";
        kept(series: &str, group: &str) = "The order of {series} is kept in {group}.", "{series} 在 {group} 中保持顺序。";
        price_reset(group: &str) = "The price: what {group} has not finished before the new offset it never handles; what lies behind it comes again.", "代价：新位点之前 {group} 还没完成的消息不会再处理；之后的会再来一次。";
        price_limit(group: &str) = "The price: every message of {group} that reaches the limit is given up, as a dead letter.", "代价：{group} 中达到上限的消息都会放弃，成为死信。";
        price_stop(client: &str) = "The price: what {client} has in hand is not acknowledged and comes again.", "代价：{client} 手里的消息没有确认，会再来一次。";
        otherwise(at: &str) = "Otherwise at {at}.", "否则在 {at}。";
    }
}

impl Speaker<'_> {
    /// What a change is, with the lines of a scenario that make it between backticks. `journal` are the
    /// commands of the run; what is given now is given at the world's instant.
    pub fn change(&self, change: &Change, journal: &[(Ms, Command)]) -> String {
        self.change_of(change, journal, &|_| None)
    }

    /// The same of a run that a text tells: a line of it that the change is about is quoted as it stands there,
    /// and what comes in its place stands for the whole of it.
    pub fn change_of(
        &self,
        change: &Change,
        journal: &[(Ms, Command)],
        quoted: Quoted<'_>,
    ) -> String {
        let text = ChangeText(self.locale);
        let all = |commands: &[Command]| {
            let said: Vec<String> = commands.iter().map(|c| self.clause(c)).collect();
            said.join(text.then())
        };
        let code = |lines: Vec<String>| {
            let lines: Vec<String> = lines.iter().map(|line| text.line(line)).collect();
            lines.join(self.locale.pick(", ", "、"))
        };
        let given = |at_ms: Ms, commands: &[Command]| {
            let lines =
                commands.iter().flat_map(|c| lines(&scenario::say_behind(journal, at_ms, c)));
            code(lines.collect())
        };
        let known = |index: u32| journal.get(index as usize);
        let lines_of = |changed: BTreeMap<u32, Option<(Ms, Command)>>| {
            let Lines { before, after, gone } = Lines::of(journal, &changed, quoted);
            let instead = (!before.is_empty()).then(|| text.instead(&code(after), &code(before)));
            let without = (!gone.is_empty()).then(|| text.without(&code(gone)));
            let said: Vec<String> = instead.into_iter().chain(without).collect();
            said.join(text.and_then())
        };
        match change {
            Change::Now(commands) => {
                text.now(&all(commands), &given(self.world.line_ms(), commands))
            }
            Change::From { at_ms, commands } => {
                text.since(&clock(*at_ms), &all(commands), &given(*at_ms, commands))
            }
            Change::Instead(others) => {
                let new = others.iter().filter_map(|(index, command)| {
                    Some((*index, Some((known(*index)?.0, command.clone()))))
                });
                lines_of(new.collect())
            }
            Change::Moved(others) => {
                let new = others.iter().filter_map(|(index, to_ms)| {
                    Some((*index, Some((*to_ms, known(*index)?.1.clone()))))
                });
                lines_of(new.collect())
            }
            Change::Without(indices) => lines_of(indices.iter().map(|i| (*i, None)).collect()),
            Change::Blocking(Blocking::MessageGroup) => text.blocking_group().to_owned(),
            Change::Blocking(Blocking::Queue) => text.blocking_queue().to_owned(),
            Change::Release(version) => text.release(&version.to_string()),
        }
    }

    /// A command as a condition.
    fn clause(&self, command: &Command) -> String {
        let text = ChangeText(self.locale);
        match command {
            Command::Handle(HandlerRule { label: Some(label), outcome, handle_ms, .. }) => {
                match (outcome, handle_ms) {
                    (Some(Outcome::Success | Outcome::Commit), _) => {
                        text.succeeds(&label.to_string())
                    }
                    (None, Some(0)) => text.takes_no_time(&label.to_string()),
                    (None, Some(ms)) => text.takes(&label.to_string(), &span(*ms)),
                    _ => self.command(command),
                }
            }
            _ => self.command(command),
        }
    }

    /// What came of trying it.
    pub fn effect(&self, one: &Counterfactual, attempt: &Attempt) -> String {
        let text = ChangeText(self.locale);
        let at = &attempt.with_ms.map(clock).unwrap_or_default();
        let said = match one.effect {
            Effect::Handled { msg, group } if gets_by_hand(self.world, group) => {
                text.received(&self.msg(msg), self.group(group), at)
            }
            Effect::Handled { msg, group } => text.handled(&self.msg(msg), self.group(group), at),
            Effect::Finished { msg, group } => text.finished(&self.msg(msg), self.group(group), at),
            Effect::SentBack { msg, group } => {
                text.sent_back(&self.msg(msg), self.group(group), at)
            }
            Effect::Stored { msg } => text.stored(&self.msg(msg), at),
            Effect::Applied { .. } => text.applied(at),
            Effect::OrderKept { series, group } => {
                let series = &self.world.shared.names.series[series.index()].name;
                return text.kept(series, self.group(group));
            }
        };
        let otherwise = match attempt.without_ms {
            Some(at_ms) => text.otherwise(&clock(at_ms)),
            None => text.never().to_owned(),
        };
        let said = self.two(said, otherwise);
        match self.price(&one.change) {
            Some(price) => self.two(said, price),
            None => said,
        }
    }

    /// What a change costs those who are not helped by it, where it does.
    fn price(&self, change: &Change) -> Option<String> {
        let text = ChangeText(self.locale);
        let commands: Vec<&Command> = match change {
            Change::Now(commands) | Change::From { commands, .. } => commands.iter().collect(),
            Change::Instead(others) => others.iter().map(|(_, command)| command).collect(),
            _ => return None,
        };
        commands.into_iter().find_map(|command| match command {
            Command::ResetOffset { group, .. } => Some(text.price_reset(group)),
            Command::SetGroup { group, setting: GroupSetting::MaxReconsumeTimes(_) } => {
                Some(text.price_limit(group))
            }
            Command::StopConsumer { name, how } if *how != StopKind::Clean => {
                Some(text.price_stop(name))
            }
            Command::SetGroup { group, setting: GroupSetting::AutoCommit(true) }
                if self.rolls_back(group) =>
            {
                Some(text.price_auto_commit().to_owned())
            }
            Command::UpdateTopic { .. } => Some(text.price_order().to_owned()),
            _ => None,
        })
    }
}

impl Speaker<'_> {
    /// Whether a listener of a group returns ROLLBACK for anything.
    fn rolls_back(&self, group: &str) -> bool {
        let shared = &self.world.shared;
        shared.rules.iter().any(|rule| {
            let its = rule.group.as_deref().is_none_or(|of| of == group);
            its && rule.outcome == Some(Outcome::Rollback)
        })
    }
}

fn lines(said: &str) -> Vec<String> {
    said.lines().map(str::to_owned).collect()
}
