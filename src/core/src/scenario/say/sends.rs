//! Sentences that send messages.

use crate::command::{Command, Label, Load, MessageSpec, TransactionScript};
use crate::fact::Decision;
use crate::ids::Ms;
use crate::scenario::lex::quote;
use crate::scenario::value::write_time;

/// Whether two messages differ in nothing but their labels.
pub(super) fn alike(a: &MessageSpec, b: &MessageSpec) -> bool {
    MessageSpec { label: b.label.clone(), ..a.clone() } == *b
}

/// Sends of one sentence.
pub(super) fn sentence(command: &Command) -> String {
    match command {
        Command::Send { producer, topic, thread, messages, every_ms } => {
            send(producer, topic.as_deref(), *thread, messages, *every_ms)
        }
        Command::SendLoad { producer, topic, load } => send_load(producer, topic.as_deref(), load),
        Command::SendTransaction { producer, topic, thread, message, script } => {
            let mut text = format!(
                "{} sends {} in a transaction that {}",
                quote(producer),
                message.label,
                script_words(script)
            );
            let said = properties(message).into_iter().chain(way(topic.as_deref(), *thread));
            said.for_each(|option| text += &format!(", {option}"));
            text
        }
        _ => String::new(),
    }
}

fn script_words(script: &TransactionScript) -> String {
    let decision = match script.decision {
        Decision::Commit => "commits",
        Decision::Rollback => "rolls back",
        Decision::Unknown => "stays open",
    };
    let mut text = decision.to_owned();
    if script.after_ms > 0 {
        text += &format!(" after {}", write_time(script.after_ms));
    }
    let answers: Vec<&str> = script
        .checks
        .iter()
        .map(|decision| match decision {
            Decision::Commit => "commit",
            Decision::Rollback => "rollback",
            Decision::Unknown => "unknown",
        })
        .collect();
    if !answers.is_empty() {
        text += &format!(", checks answered {}", answers.join(" "));
    }
    text
}

/// Several messages in one request.
pub(super) fn together(
    producer: &str,
    topic: Option<&str>,
    thread: u8,
    messages: &[MessageSpec],
) -> String {
    let part = |run: &[MessageSpec]| {
        let said = run.first().map(properties).unwrap_or_default();
        let words = said.iter().map(|option| format!(" {option}")).collect::<String>();
        format!("{}{words}", labels(run))
    };
    let parts: Vec<String> = messages.chunk_by(alike).map(part).collect();
    let mut text = format!("{} sends {} in one request", quote(producer), parts.join(" and "));
    way(topic, thread).into_iter().for_each(|option| text += &format!(", {option}"));
    text
}

/// One `sends` says the same of all its messages; the first one speaks for all.
pub(super) fn send(
    producer: &str,
    topic: Option<&str>,
    thread: u8,
    messages: &[MessageSpec],
    every_ms: Ms,
) -> String {
    let mut text = format!("{} sends {}", quote(producer), labels(messages));
    let every = (every_ms > 0).then(|| format!("every {}", write_time(every_ms)));
    let said = messages.first().map(properties).unwrap_or_default();
    for option in every.into_iter().chain(said).chain(way(topic, thread)) {
        text += &format!(", {option}");
    }
    text
}

/// What is said of a message besides its label.
fn properties(message: &MessageSpec) -> Vec<String> {
    let plain = MessageSpec::new("", 0);
    let mut said = Vec::new();
    if let Some(tag) = &message.tag {
        said.push(format!("tag {}", quote(tag)));
    }
    if let Some(key) = &message.key {
        said.push(format!("key {}", quote(key)));
    }
    if message.delay_level > 0 {
        said.push(format!("delay level {}", message.delay_level));
    }
    if message.timer_delay_ms > 0 {
        said.push(format!("delay {}", write_time(message.timer_delay_ms)));
    }
    if message.travel_ms > 0 {
        said.push(format!("travel {}", write_time(message.travel_ms)));
    }
    if message.body_bytes != plain.body_bytes {
        said.push(format!("body {} bytes", message.body_bytes));
    }
    said
}

/// By which thread, to which topic.
fn way(topic: Option<&str>, thread: u8) -> Vec<String> {
    let thread = (thread > 0).then(|| format!("on thread {}", u32::from(thread) + 1));
    let topic = topic.map(|topic| format!("to {}", quote(topic)));
    thread.into_iter().chain(topic).collect()
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
        text += &format!(", skew {}", super::hundredths(load.skew_percent));
    }
    if let Some(topic) = topic {
        text += &format!(", to {}", quote(topic));
    }
    text
}
