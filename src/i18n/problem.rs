//! What is wrong with a scenario's text, in every language of the page. The English sentences are
//! the core's own, which the command line prints too.

use lockstep_core::scenario::{Expected, NameKind, Problem, ProblemKind};

use super::Locale;

/// Most alternatives that a message lists.
const LISTED_MAX: usize = 8;

/// The sentence of a problem, without its place. Pieces between backticks are text of the file.
pub fn sentence(locale: Locale, problem: &Problem) -> String {
    match locale {
        Locale::En => problem.to_string(),
        Locale::Zh => {
            let what = chinese(&problem.kind);
            match &problem.fix {
                Some(fix) => format!("{what}。是否想写 `{}`？", fix.replacement),
                None => format!("{what}。"),
            }
        }
    }
}

fn kind_name(kind: NameKind) -> &'static str {
    match kind {
        NameKind::Topic => "主题",
        NameKind::Group => "消费组",
        NameKind::Producer => "生产者",
        NameKind::Consumer => "消费者",
        NameKind::Party => "参与方",
        NameKind::Series => "消息系列",
        NameKind::Broker => "Broker",
        NameKind::Proxy => "Proxy",
    }
}

fn chinese(kind: &ProblemKind) -> String {
    match kind {
        ProblemKind::Expected { expected, found, subject } => {
            let what = match found {
                Some(word) => format!("此处不能是 `{word}`"),
                None => "这一行没有写完".to_owned(),
            };
            let about = match subject {
                Some((kind, name)) => format!("（`{name}` 是{}）", kind_name(*kind)),
                None => String::new(),
            };
            format!("{what}{about}，应为{}", list(expected))
        }
        ProblemKind::UnclosedQuote => "引号没有闭合".to_owned(),
        ProblemKind::UnknownName { kind, name, instead } => {
            let other = match instead {
                Some(other) => format!("，那是{}", kind_name(*other)),
                None => String::new(),
            };
            format!("没有名为 `{name}` 的{}{other}", kind_name(*kind))
        }
        ProblemKind::NameTaken { name, line } => format!("`{name}` 已在第 {line} 行声明"),
        ProblemKind::NeverSent { label } => format!("没有任何一行发送 {label}"),
        ProblemKind::NoSuchQueue { topic, id, queues } => {
            format!("`{topic}` 没有 q{id}，只有 {queues} 个队列")
        }
        ProblemKind::NoReadQueue { topic, id, queues: 1 } => {
            format!("`{topic}` 此时没有可读的 q{id}，读队列只有 q0")
        }
        ProblemKind::NoReadQueue { topic, id, queues } => {
            format!("`{topic}` 此时没有可读的 q{id}，读队列是 q0 到 q{}", queues.saturating_sub(1))
        }
        ProblemKind::WhichOne { kind, count: 0, .. } => format!("还没有{}", kind_name(*kind)),
        ProblemKind::WhichOne { kind, count, form } => {
            format!("共有 {count} 个，请写明是哪一个{}（`{form}`）", kind_name(*kind))
        }
        ProblemKind::OffsetOfNoQueue => {
            "位点属于某一个队列：请写明是哪一个，例如 `reset GROUP in q0 to offset 5`".to_owned()
        }
        ProblemKind::Twice { word, line } => format!("`{word}` 已出现在第 {line} 行"),
        ProblemKind::NothingAbove { word } => format!("`{word}` 上方没有它所属的文本"),
        ProblemKind::BadQuestion => {
            "问题以问号结尾，后接至少两个以 | 分隔的答案，正确者标 *".to_owned()
        }
        ProblemKind::AnswerCount { expected, found } => {
            format!("问题有 {expected} 个答案，译文有 {found} 个")
        }
        ProblemKind::DoesNotApply { word, event } => format!("`{event}` 不能带 `{word}`"),
        ProblemKind::GoalWithoutWhen => "目标以 `when` 加条件结尾".to_owned(),
        ProblemKind::TooEarly { name, from_ms } => {
            format!("`{name}` 在 {} 之前还不存在", super::clock(*from_ms))
        }
        ProblemKind::OutOfRange { name, least: ..=-1, most } => {
            format!("`{name}` 应为 `never`，或 0 到 {most} 之间的值")
        }
        ProblemKind::OutOfRange { name, least, most } => {
            format!("`{name}` 应为 {least} 到 {most} 之间的值")
        }
        ProblemKind::AfterTheRun { until_ms } => {
            format!("这一行永远不会发生：运行在 {} 结束", super::clock(*until_ms))
        }
        ProblemKind::ControlCharacter { code } => {
            format!("场景中不能有控制字符（U+{code:04X}），请删除")
        }
        ProblemKind::TooManyLines { lines, most } => format!(
            "文本有 {lines} 行，场景最多 {most} 行；一行 `p1 sends 10000 messages` 即可发送大量消息"
        ),
        ProblemKind::LineTooLong { bytes, most } => {
            format!("这一行有 {bytes} 字节，最多 {most} 字节，请拆成多行")
        }
        ProblemKind::MissingTranslation { word, language } => {
            format!("此 `{word}` 缺少 {language} 文本：请在其下加一行 `{language}`")
        }
    }
}

fn list(expected: &[Expected]) -> String {
    let shown: Vec<String> = expected.iter().take(LISTED_MAX).map(one).collect();
    let mut text = shown.join("、");
    if expected.len() > LISTED_MAX {
        text.push_str(&format!(" 等 {} 种", expected.len()));
    }
    text
}

fn one(expected: &Expected) -> String {
    match expected {
        Expected::Word(word) => format!("`{word}`"),
        Expected::Comma => "逗号".to_owned(),
        Expected::Value(row) => format!("{}（{}）", super::slots::chinese(row.kind), row.example),
        Expected::End => "行尾".to_owned(),
    }
}
