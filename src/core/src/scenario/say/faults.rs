//! Sentences about brokers, proxies, the network, clocks and resets, and about gRPC clients.

use crate::command::{Command, ResetTarget};
use crate::fact::BrokerStop;
use crate::ids::Ms;
use crate::pop::{PopCommand, ProducerSetting};
use crate::scenario::lex::quote;
use crate::scenario::names::BROKER;
use crate::scenario::value::write_time;
use crate::scenario::words::{word_of, PACKETS, REQUESTS, SDKS};

/// ` from c1`, or nothing.
fn phrase(word: &str, name: &Option<String>) -> String {
    name.as_ref().map_or(String::new(), |name| format!(" {word} {}", quote(name)))
}

/// What happens to the machinery.
pub(super) fn fault(command: &Command) -> String {
    match command {
        Command::Cut { a, b } => format!("cut {} from {}", quote(a), quote(b)),
        Command::Heal { a, b } => format!("heal {} and {}", quote(a), quote(b)),
        Command::SetLatency { from, to, ms } => {
            format!("latency{}{} {}", phrase("from", from), phrase("to", to), write_time(*ms))
        }
        Command::DropNext { from, to, kind, count, noticed } => {
            let noticed = if *noticed { ", noticed" } else { "" };
            let packet = word_of(PACKETS, kind);
            let (from, to) = (phrase("from", from), phrase("to", to));
            format!("lose next {count} {packet}{from}{to}{noticed}")
        }
        Command::SetClock { party, ahead_ms } => {
            let to = match ahead_ms {
                0 => "right".to_owned(),
                ms if *ms > 0 => format!("{} ahead", write_time(*ms)),
                ms => format!("{} behind", write_time(-ms)),
            };
            format!("clock of {} {to}", quote(party))
        }
        Command::SetDelayLevels { table } => format!("delay-levels {}", table_words(table)),
        Command::AddBroker { name } => format!("add broker {}", quote(name)),
        Command::StopBroker { broker, how } => {
            let how = match how {
                BrokerStop::Clean => "stops",
                BrokerStop::Crash => "crashes",
                BrokerStop::PowerLoss => "loses power",
            };
            format!("{} {how}", quote(broker.as_deref().unwrap_or(BROKER)))
        }
        Command::StartBroker { broker } => {
            format!("{} starts", quote(broker.as_deref().unwrap_or(BROKER)))
        }
        Command::SetDisk { broker, used_percent } => {
            format!("disk{} {used_percent}% full", phrase("of", broker))
        }
        Command::SetOrderConf { topic, conf: Some(conf) } => {
            format!("order-conf of {} is {}", quote(topic), quote(conf))
        }
        Command::SetOrderConf { topic, conf: None } => {
            format!("order-conf of {} removed", quote(topic))
        }
        Command::ResetOffset { .. } => reset(command),
        Command::SetConstant { name, value: -1 } => format!("set {name} never"),
        Command::SetConstant { name, value } => format!("set {name} {value}"),
        _ => String::new(),
    }
}

fn reset(command: &Command) -> String {
    let Command::ResetOffset { group, topic, broker, queue, target, force } = command else {
        return String::new();
    };
    let queue = queue.map_or(String::new(), |id| format!(" q{id}"));
    let to = match target {
        ResetTarget::Latest => "latest".to_owned(),
        ResetTarget::Time(ms) => format!("time {}", write_time(*ms)),
        ResetTarget::Offset(offset) => format!("offset {offset}"),
    };
    let force = if *force { "" } else { ", without force" };
    let (group, topic, broker) = (quote(group), quote(topic), phrase("on", broker));
    format!("reset {group} in {topic}{queue}{broker} to {to}{force}")
}

/// The second stack.
pub(super) fn pop(command: &PopCommand) -> String {
    match command {
        PopCommand::Start { name, .. } => {
            let started = super::declared::consumer(&Command::Pop(command.clone()));
            format!("consumer {} in {started}", quote(name))
        }
        PopCommand::Receive { consumer, max, invisible_ms, await_ms } => format!(
            "{} receives max-message-num {max}, invisible-duration {}, await-duration {}",
            quote(consumer),
            write_time(*invisible_ms),
            write_time(*await_ms)
        ),
        PopCommand::Ack { consumer, message } => {
            let what = message.as_ref().map_or("everything".to_owned(), ToString::to_string);
            format!("{} acks {what}", quote(consumer))
        }
        PopCommand::ChangeInvisible { consumer, message, invisible_ms } => {
            changed(consumer, &message.to_string(), *invisible_ms)
        }
        PopCommand::AddProxy { name } => format!("add proxy {}", quote(name)),
        PopCommand::UseProxy { party, proxy } => format!("{} uses {}", quote(party), quote(proxy)),
        PopCommand::RunProxy { proxy, up: true } => format!("{} starts", quote(proxy)),
        PopCommand::RunProxy { proxy, up: false } => format!("{} stops", quote(proxy)),
        PopCommand::FailRequests { proxy, request, code } => {
            let (proxy, request) = (quote(proxy), word_of(REQUESTS, request));
            match code {
                Some(code) => format!("{proxy} answers {request} with {}", code.named().1),
                None => format!("{proxy} serves {request}"),
            }
        }
        PopCommand::SetProducer { producer, setting } => {
            format!("{} {}", quote(producer), producer_setting(*setting))
        }
        PopCommand::SendTogether { producer, topic, thread, messages } => {
            super::sends::together(producer, topic.as_deref(), *thread, messages)
        }
    }
}

/// A setting of a producer.
pub(super) fn producer_setting(setting: ProducerSetting) -> String {
    match setting {
        ProducerSetting::Sdk(sdk) => format!("sdk {}", word_of(SDKS, &sdk)),
        ProducerSetting::ChecksTypes(true) => "type-check on".to_owned(),
        ProducerSetting::ChecksTypes(false) => "type-check off".to_owned(),
    }
}

fn changed(consumer: &str, label: &str, invisible_ms: Ms) -> String {
    let to = write_time(invisible_ms);
    format!("{} changes invisible-duration of {label} to {to}", quote(consumer))
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
