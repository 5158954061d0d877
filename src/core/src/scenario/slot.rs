//! The kinds of values that forms hold, and the words that keyword values are chosen from.

use super::condition::{CLIENT_EVENTS, MESSAGE_EVENTS, QUEUE_EVENTS, REASONS};
use crate::model::CONSTANTS;

/// What a name names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NameKind {
    /// A topic.
    Topic,
    /// A consumer group.
    Group,
    /// A producer.
    Producer,
    /// A consumer.
    Consumer,
    /// A producer, a consumer or `broker`.
    Party,
    /// A series of messages.
    Series,
}

impl NameKind {
    /// How the reference and the messages call it.
    pub fn word(self) -> &'static str {
        match self {
            NameKind::Topic => "topic",
            NameKind::Group => "consumer group",
            NameKind::Producer => "producer",
            NameKind::Consumer => "consumer",
            NameKind::Party => "party",
            NameKind::Series => "series",
        }
    }
}

/// How a value is read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reader {
    /// An instant or a duration.
    Time,
    /// Two durations with `..` between, or one.
    TimeRange,
    /// A whole number within bounds.
    Number(i64, i64),
    /// A number with up to two decimals, in hundredths.
    Decimal,
    /// A number, a duration or `never`.
    Value,
    /// A name that exists.
    Name(NameKind),
    /// A name that is given here.
    NewName(NameKind),
    /// Message labels and ranges of them.
    Labels,
    /// One message label.
    Label,
    /// `q1` or `orders q1`.
    Queue,
    /// Any word.
    Word,
    /// All words that are left.
    Words,
    /// The line's text from here on.
    Text,
    /// One of a list of words.
    Keyword(fn() -> Vec<&'static str>),
}

/// One kind of value.
#[derive(Debug)]
pub struct SlotRow {
    /// How forms call it.
    pub kind: &'static str,
    /// What it is, for messages and the reference.
    pub meaning: &'static str,
    /// How it is written.
    pub example: &'static str,
    pub(crate) reader: Reader,
}

const fn row(
    kind: &'static str,
    reader: Reader,
    meaning: &'static str,
    example: &'static str,
) -> SlotRow {
    SlotRow { kind, meaning, example, reader }
}

/// All kinds of values, in the order of the reference.
pub const SLOTS: &[SlotRow] = &[
    row(
        "time",
        Reader::Time,
        "an instant of the run",
        "400ms, 2s, 1.5s, 1m30s, 2h, 00:11.900 or 0",
    ),
    row("duration", Reader::Time, "a duration", "400ms, 2s, 1.5s, 1m30s or 2h"),
    row(
        "durations",
        Reader::TimeRange,
        "a duration, or two with .. between",
        "400ms or 300ms..500ms",
    ),
    row("count", Reader::Number(1, 4_294_967_295), "a whole number from 1", "4"),
    row("number", Reader::Number(0, 4_294_967_295), "a whole number from 0", "0"),
    row("seed", Reader::Number(0, i64::MAX), "a whole number from 0", "7"),
    row("limit", Reader::Number(-1, 2_147_483_647), "a whole number from -1", "3"),
    row("queues", Reader::Number(1, 1_024), "a number of queues, 1 to 1024", "4"),
    row("batch", Reader::Number(1, 1_024), "a number of messages, 1 to 1024", "10"),
    row("threads", Reader::Number(1, 1_000), "a number of threads, 1 to 1000", "20"),
    row("senders", Reader::Number(1, 64), "a number of sending threads, 1 to 64", "2"),
    row("messages", Reader::Number(1, 10_000_000), "a number of messages, 1 to 10000000", "10000"),
    row("groups", Reader::Number(1, 10_000), "a number of message groups, 1 to 10000", "500"),
    row("rate", Reader::Number(1, 1_000_000), "messages a second, 1 to 1000000", "200"),
    row("level", Reader::Number(1, 255), "a delay level from 1", "3"),
    row("queue-id", Reader::Number(0, 1_023), "a queue id from 0", "2"),
    row("decimal", Reader::Decimal, "a number with up to two decimals", "1.2"),
    row("value", Reader::Value, "a number, a duration or never", "30s"),
    row("topic", Reader::Name(NameKind::Topic), "a topic's name", "orders"),
    row("group", Reader::Name(NameKind::Group), "a consumer group's name", "billing"),
    row("producer", Reader::Name(NameKind::Producer), "a producer's name", "p1"),
    row("consumer", Reader::Name(NameKind::Consumer), "a consumer's name", "c1"),
    row("party", Reader::Name(NameKind::Party), "a consumer, a producer or broker", "c1"),
    row("new-topic", Reader::NewName(NameKind::Topic), "a new topic's name", "orders"),
    row("new-group", Reader::NewName(NameKind::Group), "a new consumer group's name", "billing"),
    row("new-producer", Reader::NewName(NameKind::Producer), "a new producer's name", "p1"),
    row("new-consumer", Reader::NewName(NameKind::Consumer), "a new consumer's name", "c1"),
    row(
        "series",
        Reader::Name(NameKind::Series),
        "a series of messages: letters, not ending in a digit",
        "A",
    ),
    row("labels", Reader::Labels, "messages by their labels, ranges included", "A1 A2 B1..B9"),
    row("label", Reader::Label, "a message's label", "A2"),
    row(
        "queue",
        Reader::Queue,
        "a queue, with its topic when there are several",
        "q1 or orders q1",
    ),
    row("word", Reader::Word, "a word, or several in quotes", "order-1002"),
    row("words", Reader::Words, "words up to the end of the line, or one quoted text", "1s 5s 10s"),
    row("text", Reader::Text, "text up to the end of the line", "A2 fails."),
    row("model", Reader::Keyword(models), "4.9, 5.1, 5.3, documents, or an exact release", "5.0.0"),
    row("type", Reader::Keyword(topic_types), "a topic type", "FIFO"),
    row(
        "constant",
        Reader::Keyword(constants),
        "a constant of the model, by RocketMQ's name",
        "pullBatchSize",
    ),
    row("event", Reader::Keyword(message_events), "what happened to a message", "handled"),
    row("queue-event", Reader::Keyword(queue_events), "what happened to a queue", "locked"),
    row("consumer-event", Reader::Keyword(client_events), "what happened to a consumer", "joined"),
    row("reason", Reader::Keyword(reasons), "why a send failed", "selector-threw"),
];

/// The kind of value that forms call `kind`.
pub(crate) fn slot(kind: &str) -> Option<&'static SlotRow> {
    SLOTS.iter().find(|row| row.kind == kind)
}

impl SlotRow {
    /// The words to choose from, when this is a keyword.
    pub fn words(&self) -> Vec<&'static str> {
        match self.reader {
            Reader::Keyword(words) => words(),
            _ => Vec::new(),
        }
    }

    /// What a name of this kind names, when this is a name that has to exist.
    pub fn names(&self) -> Option<NameKind> {
        match self.reader {
            Reader::Name(kind) => Some(kind),
            _ => None,
        }
    }
}

/// The topic types with their words.
pub(crate) const TOPIC_TYPES: &[&str] = &["NORMAL", "FIFO", "DELAY", "TRANSACTION", "MIXED"];

/// The models that have a name; exact releases are accepted too.
pub(crate) const MODELS: &[&str] = &["5.3", "5.1", "4.9", "documents"];

fn models() -> Vec<&'static str> {
    MODELS.to_vec()
}

fn topic_types() -> Vec<&'static str> {
    TOPIC_TYPES.to_vec()
}

fn constants() -> Vec<&'static str> {
    CONSTANTS.iter().map(|c| c.name).collect()
}

fn message_events() -> Vec<&'static str> {
    MESSAGE_EVENTS.iter().map(|row| row.word).collect()
}

fn queue_events() -> Vec<&'static str> {
    QUEUE_EVENTS.iter().map(|row| row.word).collect()
}

fn client_events() -> Vec<&'static str> {
    CLIENT_EVENTS.iter().map(|row| row.word).collect()
}

fn reasons() -> Vec<&'static str> {
    REASONS.iter().map(|row| row.word).collect()
}
