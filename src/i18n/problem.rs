//! What is wrong with a scenario's text: what stands there, what was expected, what to do. The place is
//! told by whoever shows it.

use lockstep_core::scenario::{write_time, Expected, NameKind, Problem, ProblemKind};

use super::{slots, Locale};

/// Most alternatives that a sentence lists; the editor's completion lists all.
const LISTED_MAX: usize = 8;

crate::catalogue! {
    /// Mistakes. Pieces between backticks are text of the file.
    ProblemText;
    plain {
        ends_early = "The line ends too early", "这一行没有写完";
        unclosed_quote = "This quote is never closed: put a `\"` at its end", "引号没有闭合：请在末尾补上 `\"`";
        offset_of_no_queue = "An offset is the offset of one queue: say of which, as in `reset GROUP in q0 to offset 5`", "位点属于某一个队列：请写明是哪一个，例如 `reset GROUP in q0 to offset 5`";
        bad_question = "A question ends in a question mark and is followed by two answers or more with `|` between them, the right one marked with `*`", "问题以问号结尾，后接至少两个以 `|` 分隔的答案，正确者标 `*`";
        goal_without_when = "A goal ends in `when` and a condition, as in `when A1 handled`", "目标以 `when` 加条件结尾，例如 `when A1 handled`";
        comma = "a comma", "逗号";
        line_end = "the end of the line", "行尾";
        topic = "topic", "主题";
        group = "consumer group", "消费组";
        producer = "producer", "生产者";
        consumer = "consumer", "消费者";
        party = "consumer, producer, broker or proxy", "消费者、生产者、Broker 或 Proxy";
        series = "series", "消息系列";
        broker = "broker", "Broker";
        proxy = "proxy", "Proxy";
    }
    with {
        expected(what: &str, all: &str) = "{what}: expected {all}", "{what}，应为{all}";
        cannot_stand(word: &str) = "`{word}` cannot stand here", "此处不能是 `{word}`";
        about(what: &str, name: &str, kind: &str) = "{what} (`{name}` is a {kind})", "{what}（`{name}` 是{kind}）";
        unknown_name(kind: &str, name: &str) = "No {kind} is called `{name}`", "没有名为 `{name}` 的{kind}";
        unknown_name_new(kind: &str, name: &str) = "No {kind} is called `{name}`: declare it, or take a name that is declared", "没有名为 `{name}` 的{kind}：请先声明，或改用已声明的名称";
        unknown_name_other(kind: &str, name: &str, other: &str) = "No {kind} is called `{name}`; that is a {other}", "没有名为 `{name}` 的{kind}，那是{other}";
        name_always_there(name: &str) = "`{name}` is the name of something that is always there: take another name", "`{name}` 是始终存在的对象的名称：请换一个";
        name_taken(name: &str, line: u32) = "`{name}` is already declared in line {line}: take another name", "`{name}` 已在第 {line} 行声明：请换一个名称";
        never_sent(label: &str) = "No line sends {label}: name a message that is sent, or send it", "没有任何一行发送 {label}：请写已发送的消息，或加一行发送它";
        no_such_queue(topic: &str, id: u16, last: u16) = "`{topic}` has no q{id}: its queues are q0 to q{last}", "`{topic}` 没有 q{id}：它的队列是 q0 至 q{last}";
        only_queue(topic: &str, id: u16) = "`{topic}` has no q{id}: its only queue is q0", "`{topic}` 没有 q{id}：它只有队列 q0";
        queue_never_was(topic: &str, id: u16, last: u16) = "`{topic}` has never had a q{id} by this instant: its queues are q0 to q{last}", "`{topic}` 到此时为止从未有过 q{id}：队列是 q0 至 q{last}";
        only_queue_ever(topic: &str, id: u16) = "`{topic}` has never had a q{id} by this instant: its only queue is q0", "`{topic}` 到此时为止从未有过 q{id}：队列只有 q0";
        there_is_none(kind: &str) = "There is no {kind}: declare one", "没有{kind}：请声明一个";
        which_one(count: usize, kind: &str, form: &str) = "There are {count} of them: say which {kind} is meant (`{form}`)", "共有 {count} 个：请写明是哪一个{kind}（`{form}`）";
        twice(word: &str, line: u32) = "`{word}` stands in line {line} already: keep one of the two", "`{word}` 已出现在第 {line} 行：请只保留一处";
        nothing_above(word: &str) = "`{word}` has no text above it that it could belong to: put it right below that text", "`{word}` 上方没有它所属的文本：请紧接在那段文本之下写";
        answer_count(expected: usize, found: usize) = "The question has {expected} ‹answer|answers›, its translation has {found}: give both as many", "问题有 {expected} 个答案，译文有 {found} 个：两者的数目应相同";
        does_not_apply(word: &str, event: &str) = "`{word}` cannot be said of `{event}`: leave it out", "`{event}` 不能带 `{word}`：请删去";
        too_early(name: &str, from: &str) = "`{name}` does not exist before {from}: use it then or later", "`{name}` 在 {from} 之前还不存在：请在那时或之后使用";
        never_or_range(name: &str, most: i64) = "`{name}` is `never`, or a value from 0 to {most}", "`{name}` 应为 `never`，或 0 到 {most} 之间的值";
        range(name: &str, least: i64, most: i64) = "`{name}` is a value from {least} to {most}", "`{name}` 应为 {least} 到 {most} 之间的值";
        after_the_run(until: &str) = "This never happens: the run ends at {until}. Take an earlier instant, or let it go on (`run until TIME`)", "这一行永远不会发生：运行在 {until} 结束。请改为更早的时刻，或延长运行（`run until TIME`）";
        control_character(code: &str) = "A control character ({code}) cannot stand in a scenario: remove it", "场景中不能有控制字符（{code}）：请删除";
        too_many_lines(lines: usize, most: usize) = "The text has {lines} ‹line|lines›, a scenario has {most} at most: `p1 sends 10000 messages` is a load in one line", "文本有 {lines} 行，场景最多 {most} 行：一行 `p1 sends 10000 messages` 即可发送大量消息";
        line_too_long(bytes: usize, most: usize) = "The line has {bytes} ‹byte|bytes›, {most} ‹is|are› the most: split it", "这一行有 {bytes} 字节，最多 {most} 字节：请拆成多行";
        missing_translation(word: &str, language: &str) = "This `{word}` has no text in {language}: add a line `{language}` below it", "此 `{word}` 缺少 {language} 文本：请在其下加一行 `{language}`";
        did_you_mean(what: &str, fix: &str) = "{what}. Did you mean `{fix}`?", "{what}。是否想写 `{fix}`？";
        full_stop(what: &str) = "{what}.", "{what}。";
        value(meaning: &str, example: &str) = "{meaning} ({example})", "{meaning}（{example}）";
        word(word: &str) = "`{word}`", "`{word}`";
        more(shown: &str, more: usize) = "{shown} or {more} other things", "{shown}，或另外 {more} 种";
        last_of(before: &str, last: &str) = "{before} or {last}", "{before}或{last}";
    }
}

/// The sentence of a problem, without its place.
pub fn sentence(locale: Locale, problem: &Problem) -> String {
    let text = ProblemText(locale);
    let fix = problem.fix.as_ref().map(|fix| fix.replacement.as_str());
    let what = text.kind(&problem.kind, fix.is_some());
    match fix {
        Some(fix) => text.did_you_mean(&what, fix),
        None => text.full_stop(&what),
    }
}

impl ProblemText {
    /// What is wrong, without full stop. Where a replacement is offered, that is what to do.
    fn kind(self, kind: &ProblemKind, mended: bool) -> String {
        match kind {
            ProblemKind::Expected { expected, found, subject } => {
                let mut what = match found {
                    Some(word) => self.cannot_stand(word),
                    None => self.ends_early().to_owned(),
                };
                if let Some((kind, name)) = subject {
                    what = self.about(&what, name, self.name(*kind));
                }
                let all = self.list(expected, found.as_deref());
                // Between a Chinese character and a Latin one stands a blank.
                let gap = if all.starts_with(|c: char| c.is_ascii()) { " " } else { "" };
                self.expected(&what, &(self.0.pick("", gap).to_owned() + &all))
            }
            ProblemKind::UnclosedQuote => self.unclosed_quote().to_owned(),
            ProblemKind::UnknownName { kind, name, instead } => {
                let kind = self.name(*kind);
                match instead {
                    Some(other) => self.unknown_name_other(kind, name, self.name(*other)),
                    None if mended => self.unknown_name(kind, name),
                    None => self.unknown_name_new(kind, name),
                }
            }
            ProblemKind::NameTaken { name, line: 0 } => self.name_always_there(name),
            ProblemKind::NameTaken { name, line } => self.name_taken(name, *line),
            ProblemKind::NeverSent { label } => self.never_sent(label),
            ProblemKind::NoSuchQueue { topic, id, queues } => match queues.checked_sub(1) {
                None | Some(0) => self.only_queue(topic, *id),
                Some(last) => self.no_such_queue(topic, *id, last),
            },
            ProblemKind::QueueNeverWas { topic, id, queues } => match queues.checked_sub(1) {
                None | Some(0) => self.only_queue_ever(topic, *id),
                Some(last) => self.queue_never_was(topic, *id, last),
            },
            ProblemKind::WhichOne { kind, count: 0, .. } => self.there_is_none(self.name(*kind)),
            ProblemKind::WhichOne { kind, count, form } => {
                self.which_one(*count, self.name(*kind), form)
            }
            ProblemKind::OffsetOfNoQueue => self.offset_of_no_queue().to_owned(),
            ProblemKind::BadQuestion => self.bad_question().to_owned(),
            ProblemKind::GoalWithoutWhen => self.goal_without_when().to_owned(),
            other => self.bounds(other),
        }
    }

    /// Mistakes of place, number and size.
    fn bounds(self, kind: &ProblemKind) -> String {
        match *kind {
            ProblemKind::Twice { word, line } => self.twice(word, line),
            ProblemKind::NothingAbove { word } => self.nothing_above(word),
            ProblemKind::AnswerCount { expected, found } => self.answer_count(expected, found),
            ProblemKind::DoesNotApply { word, event } => self.does_not_apply(word, event),
            ProblemKind::TooEarly { ref name, from_ms } => {
                self.too_early(name, &write_time(from_ms))
            }
            ProblemKind::OutOfRange { name, least: ..=-1, most } => self.never_or_range(name, most),
            ProblemKind::OutOfRange { name, least, most } => self.range(name, least, most),
            ProblemKind::AfterTheRun { until_ms } => self.after_the_run(&write_time(until_ms)),
            ProblemKind::ControlCharacter { code } => {
                self.control_character(&format!("U+{code:04X}"))
            }
            ProblemKind::TooManyLines { lines, most } => self.too_many_lines(lines, most),
            ProblemKind::LineTooLong { bytes, most } => self.line_too_long(bytes, most),
            ProblemKind::MissingTranslation { word, language } => {
                self.missing_translation(word, language)
            }
            _ => String::new(),
        }
    }

    fn name(self, kind: NameKind) -> &'static str {
        match kind {
            NameKind::Topic => self.topic(),
            NameKind::Group => self.group(),
            NameKind::Producer => self.producer(),
            NameKind::Consumer => self.consumer(),
            NameKind::Party => self.party(),
            NameKind::Series => self.series(),
            NameKind::Broker => self.broker(),
            NameKind::Proxy => self.proxy(),
        }
    }

    /// `a`, `b` or `c`; where what stands there has the form of some values, only those: it is a value
    /// outside its range.
    fn list(self, all: &[Expected], found: Option<&str>) -> String {
        let alike = |one: &&Expected| match (one, found) {
            (Expected::Value(row), Some(found)) => {
                form(found).is_some() && form(row.example) == form(found)
            }
            _ => false,
        };
        let values: Vec<Expected> = all.iter().filter(alike).cloned().collect();
        let all = if values.is_empty() { all } else { &values };
        let most = if all.len() == LISTED_MAX + 1 { LISTED_MAX + 1 } else { LISTED_MAX };
        let shown: Vec<String> = all.iter().take(most).map(|one| self.one(one)).collect();
        let between = self.0.pick(", ", "、");
        match (all.len() - shown.len(), shown.split_last()) {
            (0, Some((last, before))) if !before.is_empty() => {
                self.last_of(&before.join(between), last)
            }
            (0, _) => shown.concat(),
            (more, _) => self.more(&shown.join(between), more),
        }
    }

    fn one(self, expected: &Expected) -> String {
        match expected {
            Expected::Word(word) => self.word(word),
            Expected::Comma => self.comma().to_owned(),
            Expected::Value(row) => {
                let meaning = self.0.pick(row.meaning, slots::chinese(row.kind));
                self.value(meaning, row.example)
            }
            Expected::End => self.line_end().to_owned(),
        }
    }
}

/// The form of a number, with its unit: digits are alike. None for everything else.
fn form(word: &str) -> Option<String> {
    word.starts_with(|c: char| c.is_ascii_digit()).then(|| {
        let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        format!("9{unit}")
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use lockstep_core::scenario::{load, missing_translations, parse};

    use super::*;

    const GROUND: &str = "topic orders FIFO 2 queues\ngroup billing reads orders orderly\nproducer p1 to orders\nconsumer c1 in billing\nat 1s p1 sends A1 A2\n";

    /// A line with a mistake below [`GROUND`] (or a whole text), its code, and its two sentences.
    const MISTAKES: &[(&str, &str, &str, &str)] = &[
        ("at 3s billing max-reconsume-tries 3", "expected", "`max-reconsume-tries` cannot stand here (`billing` is a consumer group): expected ", "此处不能是 `max-reconsume-tries`（`billing` 是消费组），应为"),
        ("at 5s disk 101% full", "expected", "`101%` cannot stand here: expected a percentage, 0% to 100% (92%).", "此处不能是 `101%`，应为百分比，0% 至 100%（92%）。"),
        ("consumer c2 in billing 2000 threads", "expected", "`2000` cannot stand here: expected a number of threads, 1 to 1000 (20).", "此处不能是 `2000`，应为线程数，1 至 1000（20）。"),
        ("topic t FIFO 0 queues", "expected", "`0` cannot stand here: expected a number of queues, 1 to 1024 (4)", "此处不能是 `0`，应为队列数，1 至 1024（4）"),
        ("at 3s p1 sends", "unfinished", "The line ends too early (`p1` is a producer): expected ", "这一行没有写完（`p1` 是生产者），应为"),
        ("series \"B", "unclosed-quote", "This quote is never closed: put a `\"` at its end.", "引号没有闭合：请在末尾补上 `\"`。"),
        ("at 3s c11 crashes", "unknown-name", "No consumer is called `c11`. Did you mean `c1`?", "没有名为 `c11` 的消费者。是否想写 `c1`？"),
        ("at 3s billing crashes", "unknown-name", "No consumer is called `billing`; that is a consumer group.", "没有名为 `billing` 的消费者，那是消费组。"),
        ("consumer c2 in warehouse", "unknown-name", "No consumer group is called `warehouse`: declare it, or take a name that is declared.", "没有名为 `warehouse` 的消费组：请先声明，或改用已声明的名称。"),
        ("consumer p1 in billing", "name-taken", "`p1` is already declared in line 3: take another name.", "`p1` 已在第 3 行声明：请换一个名称。"),
        ("producer broker", "name-taken", "`broker` is the name of something that is always there: take another name.", "`broker` 是始终存在的对象的名称：请换一个。"),
        ("expect A3 handled", "never-sent", "No line sends A3: name a message that is sent, or send it.", "没有任何一行发送 A3：请写已发送的消息，或加一行发送它。"),
        ("expect A1 stored in q2", "no-such-queue", "`orders` has no q2: its queues are q0 to q1.", "`orders` 没有 q2：它的队列是 q0 至 q1。"),
        ("topic more\nexpect A1 stored in more q7", "no-such-queue", "`more` has no q7: its queues are q0 to q3.", "`more` 没有 q7：它的队列是 q0 至 q3。"),
        ("at 3s reset billing in q9 to offset 0", "queue-never-was", "`orders` has never had a q9 by this instant: its queues are q0 to q1.", "`orders` 到此时为止从未有过 q9：队列是 q0 至 q1。"),
        ("topic more\nexpect q0 locked", "which-one", "There are 2 of them: say which topic is meant (`TOPIC q0`).", "共有 2 个：请写明是哪一个主题（`TOPIC q0`）。"),
        ("at 3s reset billing to offset 0", "offset-of-no-queue", "An offset is the offset of one queue: say of which, as in `reset GROUP in q0 to offset 5`. Did you mean `billing in q0`?", "位点属于某一个队列：请写明是哪一个，例如 `reset GROUP in q0 to offset 5`。是否想写 `billing in q0`？"),
        ("seed 1\nseed 2", "twice", "`seed` stands in line 6 already: keep one of the two.", "`seed` 已出现在第 6 行：请只保留一处。"),
        ("note x", "nothing-above", "`note` has no text above it that it could belong to: put it right below that text.", "`note` 上方没有它所属的文本：请紧接在那段文本之下写。"),
        ("ask 1s What next  A | B", "bad-question", "A question ends in a question mark", "问题以问号结尾"),
        ("ask 1s What next?  A * | B\nzh 然后？  甲 * | 乙 | 丙", "answer-count", "The question has 2 answers, its translation has 3: give both as many.", "问题有 2 个答案，译文有 3 个：两者的数目应相同。"),
        ("expect A1 stored by c1", "does-not-apply", "`by CONSUMER` cannot be said of `stored`: leave it out.", "`stored` 不能带 `by CONSUMER`：请删去。"),
        ("goal Do it.", "goal-without-when", "A goal ends in `when` and a condition, as in `when A1 handled`.", "目标以 `when` 加条件结尾，例如 `when A1 handled`。"),
        ("at 5s producer p2\nat 2s p2 sends B1", "too-early", "`p2` does not exist before 5s: use it then or later.", "`p2` 在 5s 之前还不存在：请在那时或之后使用。"),
        ("set pullBatchSize 0", "out-of-range", "`pullBatchSize` is a value from 1 to 1024.", "`pullBatchSize` 应为 1 到 1024 之间的值。"),
        ("set rebalanceLater 9223372036854775807", "out-of-range", "`rebalanceLater` is `never`, or a value from 0 to 86400000000.", "`rebalanceLater` 应为 `never`，或 0 到 86400000000 之间的值。"),
        ("run until 2s\nat 3s p1 sends B1", "after-the-run", "This never happens: the run ends at 2s. Take an earlier instant, or let it go on (`run until TIME`).", "这一行永远不会发生：运行在 2s 结束。请改为更早的时刻，或延长运行（`run until TIME`）。"),
        ("title a\u{1b}b", "control-character", "A control character (U+001B) cannot stand in a scenario: remove it.", "场景中不能有控制字符（U+001B）：请删除。"),
    ];

    fn problems() -> Vec<(String, Problem, &'static str, &'static str)> {
        let mut all = Vec::new();
        for (line, code, en, zh) in MISTAKES {
            let found = load(&format!("{GROUND}{line}\n")).expect_err(line);
            let one = found.into_iter().find(|p| p.code() == *code);
            all.push(((*line).to_owned(), one.unwrap_or_else(|| panic!("{line}")), *en, *zh));
        }
        let sized = |text: &str| load(text).expect_err("too large").remove(0);
        let lines = sized(&"x\n".repeat(20_001));
        all.push((
            "lines".into(),
            lines,
            "The text has 20001 lines, a scenario has 20000 at most: ",
            "文本有 20001 行，场景最多 20000 行：",
        ));
        let long = sized(&format!("topic t\nexpect {}A1 stored\n", "not ".repeat(5_000)));
        all.push(("length".into(), long, "The line has 20016 bytes, ", "这一行有 20016 字节，"));
        let none = load("producer p1\nat 1s p1 sends A1\n").expect_err("no topic").remove(0);
        all.push((
            "none".into(),
            none,
            "There is no topic: declare one.",
            "没有主题：请声明一个。",
        ));
        let missing = missing_translations(&parse("about B\n").scenario).remove(0);
        all.push((
            "missing".into(),
            missing,
            "This `about` has no text in zh: add a line `zh` below it.",
            "此 `about` 缺少 zh 文本：请在其下加一行 `zh`。",
        ));
        all
    }

    /// Every code; a kind that is new does not compile here.
    fn codes() -> BTreeSet<&'static str> {
        use ProblemKind as K;
        let known = |kind: &K| match kind {
            K::Expected { .. } | K::UnclosedQuote | K::UnknownName { .. } | K::NameTaken { .. } => {
                0
            }
            K::NeverSent { .. } | K::NoSuchQueue { .. } | K::QueueNeverWas { .. } => 0,
            K::WhichOne { .. } => 0,
            K::OffsetOfNoQueue | K::Twice { .. } | K::NothingAbove { .. } | K::BadQuestion => 0,
            K::AnswerCount { .. } | K::DoesNotApply { .. } | K::GoalWithoutWhen => 0,
            K::TooEarly { .. } | K::OutOfRange { .. } | K::AfterTheRun { .. } => 0,
            K::ControlCharacter { .. } | K::TooManyLines { .. } | K::LineTooLong { .. } => 0,
            K::MissingTranslation { .. } => 0,
        };
        let _ = known;
        [
            "expected",
            "unfinished",
            "unclosed-quote",
            "unknown-name",
            "name-taken",
            "never-sent",
            "no-such-queue",
            "queue-never-was",
            "which-one",
            "offset-of-no-queue",
            "twice",
            "nothing-above",
            "bad-question",
            "answer-count",
            "does-not-apply",
            "goal-without-when",
            "too-early",
            "out-of-range",
            "after-the-run",
            "control-character",
            "too-many-lines",
            "line-too-long",
            "missing-translation",
        ]
        .into()
    }

    #[test]
    fn every_kind_of_mistake_is_said_in_both_languages() {
        let mut seen = BTreeSet::new();
        for (text, problem, en, zh) in problems() {
            seen.insert(problem.code());
            let said = Locale::ALL.map(|locale| sentence(locale, &problem));
            assert!(said[0].starts_with(en), "{text}: {}", said[0]);
            assert!(said[1].starts_with(zh), "{text}: {}", said[1]);
            // The pieces of the file are the same, and nothing but they is English in the Chinese.
            let pieces = |said: &str| -> BTreeSet<String> {
                said.split('`').skip(1).step_by(2).map(str::to_owned).collect()
            };
            assert_eq!(pieces(&said[0]), pieces(&said[1]), "{text}");
            assert!(said[0].ends_with(['.', '?']) && said[1].ends_with(['。', '？']), "{said:?}");
        }
        assert_eq!(seen, codes());
    }

    #[test]
    fn many_alternatives_are_listed_up_to_a_bound() {
        let many = load(&format!("{GROUND}at 3s billing elephants\n")).expect_err("one").remove(0);
        let ProblemKind::Expected { expected, .. } = &many.kind else { panic!("{many:?}") };
        let more = expected.len() - LISTED_MAX;
        let said = Locale::ALL.map(|locale| sentence(locale, &many));
        assert!(said[0].contains(&format!(" or {more} other things")), "{}", said[0]);
        assert!(said[1].contains(&format!("，或另外 {more} 种")), "{}", said[1]);
    }
}
