//! A whole explanation in lines, as the command line writes it.

use lockstep_core::explain::{offers_at, Constant, Counted, Explanation, Run, Unnamed};
use lockstep_core::fact::{Fact, FactRecord};
use lockstep_core::session::Session;

use super::lines::Quoted;
use super::rule::RuleText;
use crate::sentence::Speaker;
use crate::{clock, Locale};

crate::catalogue! {
    /// What the command line says around explanations and diagnoses.
    PageText;
    plain {
        healthy = "Nothing is wrong with this run.", "这次运行没有问题。";
        evidence = "Evidence", "证据";
        repair = "Repair", "修复";
        words = "These words name nothing. Give a message (A2), a queue (q1, or its topic and q1), `q1 on b2`, `lock q1`, a consumer (c1), `thread 1 of c1`, `message-group A`, `group NAME`, `level 3` or `command 4`.", "无法识别这些词。请给出消息（A2）、队列（q1，或主题加 q1）、`q1 on b2`、`lock q1`、消费者（c1）、`thread 1 of c1`、`message-group A`、`group NAME`、`level 3` 或 `command 4`。";
    }
    with {
        since(clock: &str) = "Nothing has happened since {clock}.", "自 {clock} 起没有发生任何事。";
        leaves(earlier: &str, later: &str) = "This alone does not keep the order: {later} still comes before {earlier}.", "仅此还不足以保证顺序：{later} 仍先于 {earlier}。";
        in_group(title: &str, group: &str) = "{title} (in {group})", "{title}（在 {group} 中）";
        nothing(word: &str) = "Nothing is called `{word}` at this instant.", "此刻没有名为 `{word}` 的对象。";
        nearest(word: &str, other: &str) = "Nothing is called `{word}` at this instant. Is it `{other}`?", "此刻没有名为 `{word}` 的对象，是指 `{other}` 吗？";
        later(word: &str, clock: &str) = "Nothing is called `{word}` yet: it comes at {clock}. Ask for that instant or a later one with `--at`.", "此刻还没有 `{word}`，它在 {clock} 才出现。请用 `--at` 指定那时或之后的时刻。";
        unsent(word: &str, producer: &str, clock: &str) = "`{word}` is not sent yet: its application hands it to {producer} at {clock}, and until then it waits for nothing else. Ask for that instant or a later one with `--at`.", "`{word}` 尚未发送：应用在 {clock} 才把它交给 {producer}，在此之前它不等待任何东西。请用 `--at` 指定那时或之后的时刻。";
        no_thread(word: &str, client: &str, most: u32) = "There is no thread {word} of {client}: its threads are 1 to {most}.", "{client} 没有线程 {word}，它的线程编号是 1 到 {most}。";
        no_level(word: &str, most: u32) = "There is no delay level {word}: the levels are 1 to {most}.", "没有延迟级别 {word}，级别是 1 到 {most}。";
        no_command(word: &str, most: u32) = "There is no command {word}: the commands are 1 to {most}, in the order of the file.", "没有命令 {word}，命令编号是 1 到 {most}，按文件中的顺序。";
        no_group(word: &str) = "There is no consumer group `{word}`.", "没有消费组 `{word}`。";
        sourced(rule: &str, source: &str) = "{rule} ({source})", "{rule}（{source}）";
        labelled(name: &str, what: &str) = "{name}: {what}", "{name}：{what}";
        colon(name: &str) = "{name}:", "{name}：";
    }
}

/// Why words name nothing, and what to do.
pub fn unnamed(locale: Locale, why: &Unnamed) -> String {
    let text = PageText(locale);
    match why {
        Unnamed::Nothing { word, nearest: Some(other) } => text.nearest(word, other),
        Unnamed::Nothing { word, nearest: None } => text.nothing(word),
        Unnamed::NoGroup { word } => text.no_group(word),
        Unnamed::Unsent { word, producer, at_ms } => text.unsent(word, producer, &clock(*at_ms)),
        Unnamed::Later { word, at_ms } => text.later(word, &clock(*at_ms)),
        Unnamed::Beyond { counted, number, most } => {
            let word = number.to_string();
            match counted {
                Counted::Thread { client } => text.no_thread(&word, client, *most),
                Counted::Level => text.no_level(&word, *most),
                Counted::Command => text.no_command(&word, *most),
            }
        }
        Unnamed::Words => text.words().to_owned(),
    }
}

impl Speaker<'_> {
    /// A fact with its instant, commands spelled out.
    pub fn dated(&self, session: &Session, record: &FactRecord) -> String {
        let command = match record.fact {
            Fact::CommandApplied { index } | Fact::CommandRefused { index } => {
                session.journal().get(index as usize).map(|(_, c)| c)
            }
            _ => None,
        };
        format!("{}  {}", clock(record.at_ms), self.fact(&record.fact, command))
    }

    /// A whole explanation at an instant up to which the session was run; `run` is the run at that
    /// instant. Counterfactuals are tried from there on, and only those that work are told.
    pub fn explanation(
        &self,
        session: &Session,
        run: &Run<'_>,
        explanation: &Explanation,
    ) -> Vec<String> {
        self.explanation_of(session, run, explanation, &|_| None)
    }

    /// The same of a run that a text tells: `quoted` gives the lines of the text.
    pub fn explanation_of(
        &self,
        session: &Session,
        run: &Run<'_>,
        explanation: &Explanation,
        quoted: Quoted<'_>,
    ) -> Vec<String> {
        let at_ms = run.world.now_ms();
        let (text, page) = (RuleText(self.locale), PageText(self.locale));
        let headline = &explanation.headline;
        let mut title = self.headline_title(headline);
        if let Some(group) = headline.group(run) {
            title = page.in_group(&title, self.group(group));
        }
        let command = match explanation.about {
            lockstep_core::explain::About::Command(index) => {
                session.journal().get(index as usize).map(|(_, c)| c)
            }
            _ => None,
        };
        let mut lines = vec![format!("{}  {title}", clock(at_ms)), self.said(explanation, command)];
        let last_ms = session.world().now_ms();
        if last_ms < at_ms {
            lines.push(page.since(&clock(last_ms)));
        }
        let causes = explanation.causes.iter().filter_map(|c| session.facts().get(c.fact as usize));
        section(
            &mut lines,
            page.colon(text.heading_because()),
            causes.map(|r| self.dated(session, r)),
        );
        let rule = page.sourced(self.rule(explanation.rule), explanation.rule.source());
        lines.push(String::new());
        lines.push(page.labelled(text.heading_rule(), &rule));
        let constant = |c: &Constant| format!("  {}  {}", c.name, self.amount(c.amount));
        lines.extend(explanation.constants.iter().map(constant));
        for also in explanation.other_rules() {
            let rule = page.sourced(self.rule(also.rule), also.rule.source());
            lines.push(page.labelled(text.heading_rule(), &rule));
            lines.extend(also.constants.iter().map(constant));
        }
        let values = explanation.values.iter();
        let values = values.map(|v| format!("{}  {}", self.value_name(v), self.amount(v.amount)));
        section(&mut lines, page.colon(text.heading_values()), values);
        if let Some(with) = self.collateral(&explanation.collateral) {
            lines.push(String::new());
            lines.push(page.labelled(text.heading_collateral(), &with));
        }
        let tried = offers_at(session, run.world, &explanation.counterfactuals);
        let tried = tried.iter().map(|(one, attempt)| {
            let change = self.change_of(&one.change, session.journal(), quoted);
            page.labelled(&change, &self.effect(one, attempt))
        });
        section(&mut lines, page.colon(text.heading_moves()), tried);
        lines
    }
}

/// A heading and its lines, if there are any.
pub(super) fn section(
    lines: &mut Vec<String>,
    heading: String,
    items: impl Iterator<Item = String>,
) {
    let mut items = items.peekable();
    if items.peek().is_some() {
        lines.push(String::new());
        lines.push(heading);
        lines.extend(items.map(|item| format!("  {item}")));
    }
}
