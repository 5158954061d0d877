//! What there is: topics, series, groups, producers, consumers, the network.

use super::consumers::consumer;
use super::options::{producer_settings, settings};
use super::{form, Make, Section};
use crate::command::{GroupSetting, ListenerKind, Selector, SendMode, TopicType};
use crate::pop::PopSetting;
use crate::scenario::action::{Action, ProducerOptions, QueueCounts, Reads};
use crate::scenario::caps::Caps;
use crate::scenario::span::Spanned;

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
            "group <new-group> reads (nothing | <topic> [tagged <word:tag> [or <word:tag>]*] [and <topic> [tagged <word:tag> [or <word:tag>]*]]*) (orderly | concurrent | fifo) {group}",
            "A consumer group: what it reads, and which listener its 4.x consumers register (MessageListenerOrderly or MessageListenerConcurrently). fifo: orderly, with consume-message-orderly on, so that gRPC consumers get its messages in order too.",
            "all tags; the settings' own defaults",
            "group billing reads orders tagged paid or shipped orderly, handles in 400ms",
            Make::Action(group),
        ),
        form(
            "producer <new-producer> {producer sdk}",
            "A producer.",
            "to the only topic, selects by message-group, sync, one thread",
            "producer p1 to orders, selects by hash",
            Make::Action(producer),
        ),
        form(
            "consumer <new-consumer> in <group> [push | grpc push | simple [by hand | in a loop]] {consumer}",
            "A consumer process that starts in a group. push: the 4.x push consumer. grpc push: the 5.x PushConsumer. simple: a 5.x SimpleConsumer, which is called by sentences (by hand) or receives, handles and acks for ever (in a loop).",
            "push; simple by hand; the group's number of threads",
            "consumer c1 in billing push 2 threads",
            Make::Action(consumer),
        ),
        form("add broker <new-broker>", "Another broker, with all topics. The first one is called broker; routes list brokers in the order of their names.", "", "add broker b2", Make::Action(|c| Some(Action::AddBroker { name: c.name("new-broker")? }))),
        form("add proxy <new-proxy>", "Another proxy. The first one is called proxy.", "", "add proxy proxy-2", Make::Action(|c| Some(Action::AddProxy { name: c.name("new-proxy")? }))),
        form(
            "order-conf of <topic> (is <word:conf> | removed)",
            "The order conf of a topic in the name server: producers take their queues from it, whether the brokers live or not.",
            "none",
            "order-conf of orders is broker:4",
            Make::Action(|c| Some(Action::OrderConf { topic: c.name("topic")?, conf: c.text("conf") })),
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

/// The topics and tags that a sentence names.
pub(super) fn reads(c: &Caps) -> Option<Vec<Reads>> {
    let mut reads: Vec<Reads> = Vec::new();
    for cap in &c.list {
        match cap.name {
            "topic" => reads.push(Reads { topic: cap.name()?, tags: Vec::new() }),
            "tag" => reads.last_mut()?.tags.push(cap.name()?.value),
            _ => {}
        }
    }
    Some(reads)
}

fn group(c: &Caps) -> Option<Action> {
    let fifo = c.list.iter().find(|cap| cap.literal && cap.name == "fifo");
    let listener = match c.has("concurrent") {
        true => ListenerKind::Concurrent,
        false => ListenerKind::Orderly,
    };
    let in_order = GroupSetting::Pop(PopSetting::Orderly(true));
    let first = fifo.map(|cap| Spanned { value: in_order, span: cap.span });
    Some(Action::Group {
        name: c.name("new-group")?,
        reads: reads(c)?,
        listener,
        settings: first.into_iter().chain(settings(c)).collect(),
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
    let options = ProducerOptions {
        topic: c.name("topic"),
        selector,
        mode: if c.has("async") { SendMode::Async } else { SendMode::Sync },
        threads: c.number("senders").unwrap_or(1),
        proxy: c.name("proxy"),
        settings: producer_settings(c),
    };
    Some(Action::Producer { name: c.name("new-producer")?, options })
}
