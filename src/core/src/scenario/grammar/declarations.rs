//! What there is: topics, series, groups, producers, consumers, the network.

use super::{form, Make, Section};
use crate::command::{ListenerKind, Selector, SendMode, TopicType};
use crate::scenario::ast::{Action, QueueCounts, Reads};
use crate::scenario::caps::Caps;

/// Declarations. After `at` and a time they take effect at that instant.
pub(super) const DECLARATIONS: Section = Section {
    name: "declarations",
    title: "Declarations",
    intro: "They take effect at 0, or after `at` and a time at that instant. Names are words, or any text in quotes.",
    forms: &[
        form(
            "topic <new-topic> [<type>] {queue-counts}",
            "A topic and its queues.",
            "NORMAL, 4 queues",
            "topic orders FIFO 4 queues",
            Make::Action(topic),
        ),
        form(
            "series <series> (message-group <word:key> | without message-group)",
            "A series of messages: what a letter in A1 A2 stands for. Either the message group (sharding key) whose hash chooses the queue, or no message group at all.",
            "the message group is called like the series",
            "series A message-group order-1007",
            Make::Action(|c| Some(Action::Series { series: c.name("series")?, key: c.text("key") })),
        ),
        form(
            "group <new-group> reads <topic> [tagged <word:tag> [or <word:tag>]*] [and <topic> [tagged <word:tag> [or <word:tag>]*]]* (orderly | concurrent) {group}",
            "A consumer group: what it reads, and which listener its consumers register (MessageListenerOrderly or MessageListenerConcurrently).",
            "all tags; the settings' own defaults",
            "group billing reads orders tagged paid or shipped orderly, handles in 400ms",
            Make::Action(group),
        ),
        form(
            "producer <new-producer> {producer}",
            "A producer.",
            "to the only topic, selects by message-group, sync, one thread",
            "producer p1 to orders, selects by hash",
            Make::Action(producer),
        ),
        form(
            "consumer <new-consumer> in <group> [push] {consumer}",
            "A consumer process: a classic push consumer that starts in a group.",
            "push; the group's number of threads",
            "consumer c1 in billing push 2 threads",
            Make::Action(consumer),
        ),
        form(
            "latency [from <party:from>] [to <party:to>] <duration>",
            "How long a message travels one way: from one party, to one party, or between all when none is named.",
            "0",
            "latency from c1 to broker 5ms",
            Make::Action(|c| Some(Action::Latency { from: c.name("from"), to: c.name("to"), ms: c.ms("duration")? })),
        ),
        form(
            "delay-levels <words>",
            "The broker's delay levels (messageDelayLevel). During the run they take effect at the broker's next start. Quotes keep unusual spacing.",
            "1s 5s 10s 30s 1m 2m 3m 4m 5m 6m 7m 8m 9m 10m 20m 30m 1h 2h",
            "delay-levels 1s 5s 10s 30s 45m",
            Make::Action(|c| Some(Action::DelayLevels { table: c.text("words")? })),
        ),
    ],
};

fn topic(c: &Caps) -> Option<Action> {
    let kind = match c.text("type").as_deref() {
        Some("FIFO") => TopicType::Fifo,
        Some("DELAY") => TopicType::Delay,
        Some("TRANSACTION") => TopicType::Transaction,
        Some("MIXED") => TopicType::Mixed,
        _ => TopicType::Normal,
    };
    Some(Action::Topic { name: c.name("new-topic")?, kind, queues: queue_counts(c) })
}

/// The queue counts that a sentence gives.
pub(super) fn queue_counts(c: &Caps) -> QueueCounts {
    let both: Option<u16> = c.number("both");
    QueueCounts { read: c.number("read-queues").or(both), write: c.number("write-queues").or(both) }
}

fn group(c: &Caps) -> Option<Action> {
    let mut reads: Vec<Reads> = Vec::new();
    for cap in &c.list {
        match cap.name {
            "topic" => reads.push(Reads { topic: cap.name()?, tags: Vec::new() }),
            "tag" => reads.last_mut()?.tags.push(cap.name()?.value),
            _ => {}
        }
    }
    let listener = if c.has("orderly") { ListenerKind::Orderly } else { ListenerKind::Concurrent };
    Some(Action::Group {
        name: c.name("new-group")?,
        reads,
        listener,
        settings: super::options::settings(c),
    })
}

fn producer(c: &Caps) -> Option<Action> {
    let selector = match (c.number("queue-id"), &c.list) {
        (Some(id), _) => Selector::Queue(id),
        _ if c.has("hash") => Selector::Hash,
        _ if c.has("abs-hash") => Selector::AbsHash,
        _ if c.has("modulo") => Selector::Modulo,
        _ if c.has("round-robin") => Selector::RoundRobin,
        _ => Selector::MessageGroup,
    };
    Some(Action::Producer {
        name: c.name("new-producer")?,
        topic: c.name("topic"),
        selector,
        mode: if c.has("async") { SendMode::Async } else { SendMode::Sync },
        threads: c.number("senders").unwrap_or(1),
    })
}

fn consumer(c: &Caps) -> Option<Action> {
    let name = c.name("new-consumer").or_else(|| c.name("consumer"))?;
    Some(Action::Consumer { name, group: c.name("group")?, threads: c.number("threads-count") })
}

/// `c1 joins billing` says the same as `consumer c1 in billing`.
pub(super) const JOINS: fn(&Caps) -> Option<Action> = consumer;
