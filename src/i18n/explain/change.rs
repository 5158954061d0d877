//! What would move a thing: changes, their effects, and what came of trying them.

use lockstep_core::command::{Command, GroupSetting, HandlerRule};
use lockstep_core::explain::{gets_by_hand, Attempt, Change, Counterfactual, Effect};
use lockstep_core::fact::{Outcome, StopKind};
use lockstep_core::ids::Ms;
use lockstep_core::model::Blocking;
use lockstep_core::pop::{PopCommand, PopSetting};
use lockstep_core::scenario;

use crate::sentence::Speaker;
use crate::{clock, span};

crate::catalogue! {
    /// Changes and effects.
    ChangeText;
    plain {
        blocking_group = "Block the message group only, as the articles do: `blocking message-group`", "只阻塞消息组（文档中的模型）：`blocking message-group`";
        blocking_queue = "Block the whole queue, as the open-source broker does: `blocking queue`", "阻塞整个队列（开源 Broker）：`blocking queue`";
        then = ", then ", "，然后 ";
        attempt = "Try changes in a branch", "在分支中试一试";
        none = "No change that was tried moves it sooner.", "试过的改动都不能让它更早推进。";
        carry_out = "Do it now", "现在执行";
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

    /// The same of a run that a text tells: what a command's own line in it is, is quoted as it stands there.
    pub fn change_of(
        &self,
        change: &Change,
        journal: &[(Ms, Command)],
        line: &dyn Fn(u32) -> Option<String>,
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
        let written = |index: u32, at_ms: Ms, command: &Command| match line(index) {
            Some(line) => vec![line],
            None => placed(journal, index, at_ms, command),
        };
        match change {
            Change::Now(commands) => {
                text.now(&all(commands), &given(self.world.line_ms(), commands))
            }
            Change::From { at_ms, commands } => {
                text.since(&clock(*at_ms), &all(commands), &given(*at_ms, commands))
            }
            Change::Instead(others) => {
                let (mut before, mut after) = (Vec::new(), Vec::new());
                for (index, command) in others {
                    let Some((at_ms, old)) = known(*index) else { continue };
                    before.extend(written(*index, *at_ms, old));
                    after.extend(placed(journal, *index, *at_ms, command));
                }
                text.instead(&code(after), &code(before))
            }
            Change::Moved(others) => {
                let (mut before, mut after) = (Vec::new(), Vec::new());
                for (index, to_ms) in others {
                    let Some((at_ms, command)) = known(*index) else { continue };
                    before.extend(written(*index, *at_ms, command));
                    after.extend(placed(journal, *index, *to_ms, command));
                }
                text.instead(&code(after), &code(before))
            }
            Change::Without(indices) => {
                let gone = indices.iter().filter_map(|i| Some((*i, known(*i)?)));
                let lines = gone.flat_map(|(i, (at_ms, c))| written(i, *at_ms, c));
                text.without(&code(lines.collect()))
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
            Command::UpdateTopic { .. } => Some(text.price_order().to_owned()),
            _ => None,
        })
    }
}

fn lines(said: &str) -> Vec<String> {
    said.lines().map(str::to_owned).collect()
}

/// A command at its place in the journal as lines of a scenario; what stands at the head of one has no
/// instant there, and the settings of a group or a producer stand in its line.
fn placed(journal: &[(Ms, Command)], index: u32, at_ms: Ms, command: &Command) -> Vec<String> {
    let before = &journal[..(index as usize).min(journal.len())];
    let mut said = lines(&scenario::say_behind(before, at_ms, command));
    for line in &mut said {
        if let Some(head) = line.strip_prefix("at 0 ").filter(|_| is_head(command)) {
            *line = head.to_owned();
        }
    }
    let behind = journal.get(index as usize + 1..).unwrap_or_default();
    let same = behind.iter().take_while(|(ms, _)| *ms == at_ms).map(|(_, c)| c);
    for setting in same.filter(|setting| is_setting_of(setting, command)) {
        let [line] = said.as_mut_slice() else { return said };
        let ordered = GroupSetting::Pop(PopSetting::Orderly(true));
        let is_ordered =
            matches!(setting, Command::SetGroup { setting, .. } if *setting == ordered);
        // The word `fifo` is an orderly listener and a setting of the group.
        match line.strip_suffix(" orderly").filter(|_| is_ordered) {
            Some(reads) => *line = format!("{reads} fifo"),
            None => {
                let words = scenario::say_setting(setting);
                line.extend(words.map(|words| format!(", {words}")));
            }
        }
    }
    said
}

/// Whether a command sets something of the group or the producer that another one makes.
fn is_setting_of(setting: &Command, made: &Command) -> bool {
    match (setting, made) {
        (Command::SetGroup { group, .. }, Command::CreateGroup { name, .. }) => group == name,
        (
            Command::Pop(PopCommand::SetProducer { producer, .. }),
            Command::CreateProducer { name, .. },
        ) => producer == name,
        _ => false,
    }
}

fn is_head(command: &Command) -> bool {
    matches!(
        command,
        Command::CreateTopic { .. }
            | Command::CreateGroup { .. }
            | Command::CreateProducer { .. }
            | Command::NameMessageGroup { .. }
            | Command::StartConsumer { .. }
            | Command::Pop(PopCommand::Start { .. } | PopCommand::AddProxy { .. })
            | Command::AddBroker { .. }
    )
}
