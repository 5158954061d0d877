//! The sentence that says a command: what a button of the page did, as a line of a scenario.

use super::lex::quote;
use super::value::write_time;
use crate::command::{
    Attempts, Command, FromWhere, GroupSetting, HandlerRule, Label, ListenerKind, Load,
    MessageSpec, Selector, SendMode, Subscription, TopicType,
};
use crate::fact::{Outcome, StopKind};
use crate::ids::Ms;

/// The line that does what a command does at an instant; reading it back gives the same command.
/// A send whose messages differ in more than their labels takes several lines.
pub fn say(at_ms: Ms, command: &Command) -> String {
    let Command::Send { producer, topic, thread, messages, every_ms } = command else {
        return format!("at {} {}", write_time(at_ms), sentence(command));
    };
    let alike = |a: &MessageSpec, b: &MessageSpec| {
        MessageSpec { label: b.label.clone(), ..a.clone() } == *b
    };
    let mut lines = Vec::new();
    let mut sent: Ms = 0;
    for run in messages.chunk_by(alike) {
        let at = write_time(at_ms + sent * every_ms);
        lines
            .push(format!("at {at} {}", send(producer, topic.as_deref(), *thread, run, *every_ms)));
        sent += run.len() as Ms;
    }
    lines.join("\n")
}

/// A whole journal as lines. A consumer that starts for the second time `starts` again.
pub fn say_all(journal: &[(Ms, Command)]) -> String {
    let mut started: Vec<&str> = Vec::new();
    let mut text = String::new();
    for (at_ms, command) in journal {
        match command {
            Command::StartConsumer { name, .. } if started.contains(&name.as_str()) => {
                text += &format!("at {} {} starts\n", write_time(*at_ms), quote(name));
            }
            _ => text += &format!("{}\n", say(*at_ms, command)),
        }
        if let Command::StartConsumer { name, .. } = command {
            started.push(name);
        }
    }
    text
}

fn sentence(command: &Command) -> String {
    match command {
        Command::CreateTopic { name, kind, read_queues, write_queues } => {
            format!(
                "topic {} {} {}",
                quote(name),
                topic_type(*kind),
                queues(*read_queues, *write_queues)
            )
        }
        Command::UpdateTopic { name, read_queues, write_queues } => {
            format!("{} {}", quote(name), queues(*read_queues, *write_queues))
        }
        Command::NameMessageGroup { series, key: Some(key) } => {
            format!("series {series} message-group {}", quote(key))
        }
        Command::NameMessageGroup { series, key: None } => {
            format!("series {series} without message-group")
        }
        Command::CreateGroup { name, subscriptions, listener } => {
            group(name, subscriptions, *listener)
        }
        Command::SetGroup { group, setting } => {
            format!("{} {}", quote(group), setting_words(setting))
        }
        Command::CreateProducer { name, topic, selector, mode, threads } => {
            producer(name, topic.as_deref(), *selector, *mode, *threads)
        }
        Command::Send { producer, topic, thread, messages, every_ms } => {
            send(producer, topic.as_deref(), *thread, messages, *every_ms)
        }
        Command::SendLoad { producer, topic, load } => send_load(producer, topic.as_deref(), load),
        Command::StartConsumer { name, group, threads } => {
            let threads = threads.map_or(String::new(), |n| format!(" {n} threads"));
            format!("consumer {} in {}{threads}", quote(name), quote(group))
        }
        Command::StopConsumer { name, how } => format!("{} {}", quote(name), stop_word(*how)),
        Command::ResumeConsumer { name } => format!("{} resumes", quote(name)),
        Command::Handle(rule) => handle(rule),
        Command::Cut { a, b } => format!("cut {} from {}", quote(a), quote(b)),
        Command::Heal { a, b } => format!("heal {} and {}", quote(a), quote(b)),
        Command::SetLatency { from, to, ms } => {
            let from = from.as_ref().map_or(String::new(), |name| format!(" from {}", quote(name)));
            let to = to.as_ref().map_or(String::new(), |name| format!(" to {}", quote(name)));
            format!("latency{from}{to} {}", write_time(*ms))
        }
        Command::SetDelayLevels { table } => format!("delay-levels {}", table_words(table)),
        Command::SetConstant { name, value: -1 } => format!("set {name} never"),
        Command::SetConstant { name, value } => format!("set {name} {value}"),
        _ => String::new(),
    }
}

/// The word for a topic type.
pub(super) fn topic_type(kind: TopicType) -> &'static str {
    match kind {
        TopicType::Normal => "NORMAL",
        TopicType::Fifo => "FIFO",
        TopicType::Delay => "DELAY",
        TopicType::Transaction => "TRANSACTION",
        TopicType::Mixed => "MIXED",
    }
}

fn queues(read: u16, write: u16) -> String {
    match (read, write) {
        (1, 1) => "1 queue".to_owned(),
        (read, write) if read == write => format!("{read} queues"),
        (read, write) => format!("{read} read queues, {write} write queues"),
    }
}

fn group(name: &str, subscriptions: &[Subscription], listener: ListenerKind) -> String {
    let reads: Vec<String> = subscriptions
        .iter()
        .map(|s| {
            let tags: Vec<String> = s.tags.iter().map(|tag| quote(tag)).collect();
            let tags = if tags.is_empty() {
                String::new()
            } else {
                format!(" tagged {}", tags.join(" or "))
            };
            format!("{}{tags}", quote(&s.topic))
        })
        .collect();
    let listener = match listener {
        ListenerKind::Orderly => "orderly",
        ListenerKind::Concurrent => "concurrent",
    };
    format!("group {} reads {} {listener}", quote(name), reads.join(" and "))
}

fn setting_words(setting: &GroupSetting) -> String {
    match setting {
        GroupSetting::MaxReconsumeTimes(n) => format!("max-reconsume-times {n}"),
        GroupSetting::SuspendMs(ms) => format!("suspend {}", write_time(*ms)),
        GroupSetting::BatchMax(n) => format!("batch {n}"),
        GroupSetting::Threads(n) => format!("threads {n}"),
        GroupSetting::AutoCommit(true) => "autocommit on".to_owned(),
        GroupSetting::AutoCommit(false) => "autocommit off".to_owned(),
        GroupSetting::HandleMs(from, to) if from == to => {
            format!("handles in {}", write_time(*from))
        }
        GroupSetting::HandleMs(from, to) => {
            format!("handles in {}..{}", write_time(*from), write_time(*to))
        }
        GroupSetting::FromWhere(FromWhere::First) => "from first".to_owned(),
        GroupSetting::FromWhere(FromWhere::Last) => "from last".to_owned(),
        GroupSetting::FromWhere(FromWhere::Timestamp(_)) | GroupSetting::Pop(_) => String::new(),
        GroupSetting::AwaitTerminationMs(ms) => format!("await-termination {}", write_time(*ms)),
        GroupSetting::Paused(true) => "pauses".to_owned(),
        GroupSetting::Paused(false) => "resumes".to_owned(),
    }
}

fn producer(
    name: &str,
    topic: Option<&str>,
    selector: Selector,
    mode: SendMode,
    threads: u8,
) -> String {
    let to = topic.map_or(String::new(), |topic| format!(" to {}", quote(topic)));
    let selects = match selector {
        Selector::MessageGroup => "by message-group".to_owned(),
        Selector::Hash => "by hash".to_owned(),
        Selector::AbsHash => "by abs-hash".to_owned(),
        Selector::Modulo => "by modulo".to_owned(),
        Selector::RoundRobin => "by round-robin".to_owned(),
        Selector::Queue(id) => format!("queue {id}"),
    };
    let mode = match mode {
        SendMode::Sync => "",
        SendMode::Async => ", async",
    };
    let threads = if threads == 1 { String::new() } else { format!(", {threads} threads") };
    format!("producer {}{to} selects {selects}{mode}{threads}", quote(name))
}

/// Labels with runs of numbers as ranges.
fn labels(messages: &[MessageSpec]) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut index = 0;
    while let Some(first) = messages.get(index).map(|m| &m.label) {
        let follows = |step: usize, label: &Label| {
            label.series == first.series && label.number as usize == first.number as usize + step
        };
        let run = messages[index..]
            .iter()
            .enumerate()
            .take_while(|(step, m)| follows(*step, &m.label))
            .count();
        match run {
            0..=2 => words.extend(messages[index..index + run].iter().map(|m| m.label.to_string())),
            _ => words.push(format!("{first}..{}", messages[index + run - 1].label)),
        }
        index += run.max(1);
    }
    words.join(" ")
}

/// One `sends` says the same of all its messages; the first one speaks for all.
fn send(
    producer: &str,
    topic: Option<&str>,
    thread: u8,
    messages: &[MessageSpec],
    every_ms: Ms,
) -> String {
    let mut text = format!("{} sends {}", quote(producer), labels(messages));
    let plain = MessageSpec::new("", 0);
    let first = messages.first().unwrap_or(&plain);
    let mut add = |option: String| text += &format!(", {option}");
    if every_ms > 0 {
        add(format!("every {}", write_time(every_ms)));
    }
    if let Some(tag) = &first.tag {
        add(format!("tag {}", quote(tag)));
    }
    if let Some(key) = &first.key {
        add(format!("key {}", quote(key)));
    }
    if first.delay_level > 0 {
        add(format!("delay level {}", first.delay_level));
    } else if first.timer_delay_ms > 0 {
        add(format!("delay {}", write_time(first.timer_delay_ms)));
    }
    if first.travel_ms > 0 {
        add(format!("travel {}", write_time(first.travel_ms)));
    }
    if first.body_bytes != plain.body_bytes {
        add(format!("body {} bytes", first.body_bytes));
    }
    if thread > 0 {
        add(format!("on thread {}", u32::from(thread) + 1));
    }
    if let Some(topic) = topic {
        add(format!("to {}", quote(topic)));
    }
    text
}

fn send_load(producer: &str, topic: Option<&str>, load: &Load) -> String {
    let over = match load.groups {
        0 => "without message-group".to_owned(),
        1 => "over 1 group".to_owned(),
        n => format!("over {n} groups"),
    };
    let mut text = format!(
        "{} sends {} messages {over}, {} a second",
        quote(producer),
        load.count,
        load.per_second
    );
    if load.skew_percent > 0 {
        text += format!(", skew {}.{:02}", load.skew_percent / 100, load.skew_percent % 100)
            .trim_end_matches('0')
            .trim_end_matches('.');
    }
    if let Some(topic) = topic {
        text += &format!(", to {}", quote(topic));
    }
    text
}

fn stop_word(how: StopKind) -> &'static str {
    match how {
        StopKind::Clean => "stops",
        StopKind::Crash => "crashes",
        StopKind::Silent => "vanishes",
        StopKind::Hang => "hangs",
    }
}

fn handle(rule: &HandlerRule) -> String {
    let who = rule.label.as_ref().map_or("every message".to_owned(), Label::to_string);
    let attempts = match rule.attempts {
        Attempts::All => " always".to_owned(),
        Attempts::First(1) => " once".to_owned(),
        Attempts::First(2) => " twice".to_owned(),
        Attempts::First(n) => format!(" {n} times"),
        Attempts::Only(n) => format!(" on attempt {n}"),
    };
    let takes = rule.handle_ms.map(|ms| format!("takes {}", write_time(ms)));
    let mut text = match (rule.outcome, takes) {
        (Some(outcome), Some(takes)) => {
            format!("{who} {}{attempts}, {takes}", outcome_words(outcome))
        }
        (Some(outcome), None) => format!("{who} {}{attempts}", outcome_words(outcome)),
        (None, takes) => format!("{who} {}{attempts}", takes.unwrap_or("takes 0".to_owned())),
    };
    if let Some(group) = &rule.group {
        text += &format!(", in {}", quote(group));
    }
    if let Some(client) = &rule.client {
        text += &format!(", at {}", quote(client));
    }
    text
}

fn outcome_words(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Success => "succeeds",
        Outcome::Later => "fails",
        Outcome::Commit => "returns commit",
        Outcome::Rollback => "returns rollback",
        Outcome::Null => "returns null",
        Outcome::Exception => "throws",
    }
}

/// The table as plain words where that says the same, in quotes otherwise.
fn table_words(table: &str) -> String {
    let words: Vec<&str> = table.split_whitespace().collect();
    let plain =
        words.len() > 1 && words.join(" ") == table && words.iter().all(|w| quote(w) == **w);
    if plain {
        table.to_owned()
    } else {
        format!("\"{}\"", table.replace('\\', "\\\\").replace('"', "\\\""))
    }
}
