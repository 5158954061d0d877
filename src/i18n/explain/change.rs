//! What would move a thing: changes, their effects, and what came of trying them.

use lockstep_core::command::{Command, HandlerRule};
use lockstep_core::explain::{Attempt, Change, Counterfactual, Effect};
use lockstep_core::fact::Outcome;
use lockstep_core::ids::Ms;
use lockstep_core::model::Blocking;
use lockstep_core::scenario;

use crate::sentence::Speaker;
use crate::{clock, left};

crate::catalogue! {
    /// Changes and effects.
    ChangeText;
    plain {
        blocking_group = "Block the message group only (the articles' model)", "只阻塞消息组（文档中的模型）";
        blocking_queue = "Block the whole queue (the open-source broker)", "阻塞整个队列（开源 Broker）";
        then = ", then ", "，然后 ";
        attempt = "Try changes in a branch", "在分支中试一试";
        none = "No change that was tried moves it sooner.", "试过的改动都不能让它更早推进。";
        carry_out = "Do it now", "现在执行";
        never = "It would not happen within ten minutes otherwise.", "否则十分钟内不会发生。";
    }
    with {
        now(what: &str) = "If {what}", "如果 {what}";
        release(version: &str) = "Use RocketMQ {version}", "改用 RocketMQ {version}";
        succeeds(what: &str) = "{what} succeeds", "{what} 成功";
        takes(what: &str, time: &str) = "{what} takes {time}", "{what} 耗时 {time}";
        since(at: &str, what: &str) = "From {at} on: {what}", "从 {at} 起：{what}";
        instead(what: &str, before: &str) = "`{what}` instead of `{before}`", "用 `{what}` 代替 `{before}`";
        without(what: &str) = "Without: {what}", "去掉：{what}";
        handled(msg: &str, group: &str, at: &str) = "{group} begins to handle {msg} at {at}.", "{group} 将在 {at} 开始处理 {msg}。";
        finished(msg: &str, group: &str, at: &str) = "{group} is done with {msg} at {at}.", "{group} 将在 {at} 完成 {msg}。";
        stored(msg: &str, at: &str) = "{msg} is stored at {at}.", "{msg} 将在 {at} 存储。";
        applied(at: &str) = "It is carried out at {at}.", "将在 {at} 执行。";
        kept(series: &str, group: &str) = "The order of {series} is kept in {group}.", "{series} 在 {group} 中保持顺序。";
        otherwise(at: &str) = "Otherwise at {at}.", "否则在 {at}。";
    }
}

impl Speaker<'_> {
    /// What a change is. `journal` are the commands of the run.
    pub fn change(&self, change: &Change, journal: &[(Ms, Command)]) -> String {
        let text = ChangeText(self.locale);
        let all = |commands: &[Command]| {
            let said: Vec<String> = commands.iter().map(|c| self.clause(c)).collect();
            said.join(text.then())
        };
        let numbered = |index: &u32| journal.get(*index as usize).map(|(_, c)| self.command(c));
        match change {
            Change::Now(commands) => text.now(&all(commands)),
            Change::From { at_ms, commands } => text.since(&clock(*at_ms), &all(commands)),
            Change::Instead(others) => {
                let known =
                    others.iter().filter_map(|(i, c)| Some((&journal.get(*i as usize)?.1, c)));
                let (before, after): (Vec<_>, Vec<_>) =
                    known.map(|(b, a)| statements(b, a)).unzip();
                text.instead(&after.join("; "), &before.join("; "))
            }
            Change::Without(indices) => {
                let said: Vec<String> = indices.iter().filter_map(numbered).collect();
                text.without(&said.join(text.then()))
            }
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
                    (None, Some(ms)) => text.takes(&label.to_string(), &left(*ms)),
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
            Effect::Handled { msg, group } => text.handled(&self.msg(msg), self.group(group), at),
            Effect::Finished { msg, group } => text.finished(&self.msg(msg), self.group(group), at),
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
        self.two(said, otherwise)
    }
}

/// A command and the one in its place, as the scenario language writes them.
fn statements(before: &Command, after: &Command) -> (String, String) {
    let said = |command: &Command| {
        let said = scenario::say(0, command);
        let lines = said.lines().map(|line| line.strip_prefix("at 0 ").unwrap_or(line));
        lines.collect::<Vec<_>>().join("; ")
    };
    let (old, new) = (said(before), said(after));
    match (before, after) {
        // The listener stays, and `fifo` is a setting of its own: only what is read is another.
        (Command::CreateGroup { listener: a, .. }, Command::CreateGroup { listener: b, .. })
            if a == b =>
        {
            let reads = |said: String| said.rsplit_once(' ').map(|(reads, _)| reads.to_owned());
            (reads(old).unwrap_or_default(), reads(new).unwrap_or_default())
        }
        _ => (old, new),
    }
}
