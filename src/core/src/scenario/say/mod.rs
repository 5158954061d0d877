//! The sentence that says a command: what a button of the page did, as a line of a scenario.

mod declared;
mod faults;
mod sends;

pub(super) use declared::topic_type;

use super::lex::quote;
use super::value::write_time;
use crate::command::{Attempts, Command, GroupSetting, HandlerRule, Label};
use crate::fact::{Outcome, StopKind};
use crate::ids::Ms;
use crate::pop::{PopCommand, PopSetting};

/// The line that does what a command does at an instant; reading it back gives the same command.
/// A send whose messages differ in more than their labels takes several lines.
pub fn say(at_ms: Ms, command: &Command) -> String {
    let Command::Send { producer, topic, thread, messages, every_ms } = command else {
        return format!("at {} {}", write_time(at_ms), sentence(command));
    };
    let mut lines = Vec::new();
    let mut sent: Ms = 0;
    for run in messages.chunk_by(sends::alike) {
        let at = write_time(at_ms + sent * every_ms);
        let said = sends::send(producer, topic.as_deref(), *thread, run, *every_ms);
        lines.push(format!("at {at} {said}"));
        sent += run.len() as Ms;
    }
    lines.join("\n")
}

/// The same behind a journal: a consumer that was started there before `starts` again.
pub fn say_behind(journal: &[(Ms, Command)], at_ms: Ms, command: &Command) -> String {
    let name = started(command);
    let before = journal.iter().rev().find(|(_, c)| name.is_some() && started(c) == name);
    let at = write_time(at_ms);
    match (before, name) {
        (Some((_, last)), Some(name)) if last == command => {
            format!("at {at} {} starts", quote(name))
        }
        (Some(_), Some(name)) => {
            format!("at {at} {} starts in {}", quote(name), declared::consumer(command))
        }
        _ => say(at_ms, command),
    }
}

/// Name and group of a consumer that a command starts.
fn started(command: &Command) -> Option<&str> {
    match command {
        Command::StartConsumer { name, .. } | Command::Pop(PopCommand::Start { name, .. }) => {
            Some(name)
        }
        _ => None,
    }
}

/// A whole journal as lines. A consumer that starts for the second time `starts` again.
pub fn say_all(journal: &[(Ms, Command)]) -> String {
    let lines = journal.iter().enumerate().map(|(place, (at_ms, command))| {
        let before = started(command).map_or(&[][..], |_| &journal[..place]);
        say_behind(before, *at_ms, command) + "\n"
    });
    lines.collect()
}

fn sentence(command: &Command) -> String {
    match command {
        Command::CreateTopic { .. }
        | Command::UpdateTopic { .. }
        | Command::NameMessageGroup { .. }
        | Command::CreateGroup { .. }
        | Command::CreateProducer { .. } => declared::declaration(command),
        Command::SetGroup { group, setting } => {
            let words = match setting {
                GroupSetting::Pop(setting) => pop_setting(setting),
                setting => declared::setting(setting),
            };
            format!("{} {words}", quote(group))
        }
        Command::Send { .. } | Command::SendLoad { .. } | Command::SendTransaction { .. } => {
            sends::sentence(command)
        }
        Command::StartConsumer { name, .. } => {
            format!("consumer {} in {}", quote(name), declared::consumer(command))
        }
        Command::StopConsumer { name, how } => format!("{} {}", quote(name), stop_word(*how)),
        Command::ResumeConsumer { name } => format!("{} resumes", quote(name)),
        Command::Subscribe { consumer, subscriptions } => {
            format!("{} reads {}", quote(consumer), declared::reads(subscriptions))
        }
        Command::OwnKey { consumer, key, foreign } => {
            let others = match foreign {
                Outcome::Success => "succeed",
                Outcome::Later => "fail",
                Outcome::Commit => "return commit",
                Outcome::Rollback => "return rollback",
                Outcome::Null => "return null",
                Outcome::Exception => "throw",
            };
            format!("{} handles only key {} others {others}", quote(consumer), quote(key))
        }
        Command::Handle(rule) => handle(rule),
        Command::Pop(command) => faults::pop(command),
        _ => faults::fault(command),
    }
}

fn pop_setting(setting: &PopSetting) -> String {
    use crate::pop::Backoff;
    let switch = |on: bool| if on { "on" } else { "off" };
    match setting {
        PopSetting::Orderly(on) => format!("consume-message-orderly {}", switch(*on)),
        PopSetting::RetryMaxTimes(n) => format!("retry-max-times {n}"),
        PopSetting::Backoff(Backoff::Customized(waits)) => {
            let waits: Vec<String> = waits.iter().map(|ms| write_time(*ms)).collect();
            format!("retry-policy customized {}", waits.join(" "))
        }
        PopSetting::Backoff(Backoff::Exponential { initial_ms, max_ms, multiplier }) => {
            format!(
                "retry-policy exponential initial {} max {} multiplier {multiplier}",
                write_time(*initial_ms),
                write_time(*max_ms),
            )
        }
        PopSetting::Accelerator(on) => format!("accelerator {}", switch(*on)),
    }
}

/// A number of hundredths with as few decimals as it needs.
fn hundredths(number: u32) -> String {
    let text = format!("{}.{:02}", number / 100, number % 100);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
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
