//! The kinds of values that forms hold, and the words that keyword values are chosen from.

use super::events::{
    EventRow, CLIENT_EVENTS, MESSAGE_EVENTS, PARTY_EVENTS, QUEUE_EVENTS, REASONS, REFUSALS,
};
use super::words::{code_names, words, PACKETS, REQUESTS, SDKS};
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
    /// A broker.
    Broker,
    /// A proxy.
    Proxy,
    /// A producer, a consumer, a broker or a proxy.
    Party,
    /// A series of messages.
    Series,
}

impl NameKind {
    /// Whether something of this kind can be meant where `needed` is.
    pub(crate) fn serves(self, needed: NameKind) -> bool {
        match needed {
            NameKind::Party => matches!(
                self,
                NameKind::Producer | NameKind::Consumer | NameKind::Broker | NameKind::Proxy
            ),
            _ => self == needed,
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
    /// A whole number of percent: `92%`.
    Percent,
    /// A code: of the gRPC protocol by name or number, or any other number.
    Code,
    /// A code of the gRPC protocol by name or number.
    GrpcCode,
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
        "an instant of the run, up to 1000 days",
        "400ms, 2s, 1.5s, 1m30s, 2h, 00:11.900 or 0",
    ),
    row("duration", Reader::Time, "a duration, up to 1000 days", "400ms, 2s, 1.5s, 1m30s or 2h"),
    row(
        "durations",
        Reader::TimeRange,
        "a duration, up to 1000 days, or two with .. between",
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
    row("percent", Reader::Percent, "a percentage, 0% to 100%", "92%"),
    row("code", Reader::Code, "a code, by number or by its name in the gRPC protocol", "40014"),
    row(
        "grpc-code",
        Reader::GrpcCode,
        "a code of the gRPC protocol, by name or number",
        "TOO_MANY_REQUESTS",
    ),
    row("level", Reader::Number(1, 255), "a delay level from 1", "3"),
    row("queue-id", Reader::Number(0, 1_023), "a queue id from 0", "2"),
    row("factor", Reader::Number(1, 100), "a whole number, 1 to 100", "2"),
    row("decimal", Reader::Decimal, "a number with up to two decimals", "1.2"),
    row("value", Reader::Value, "a number, a duration or never", "30s"),
    row("topic", Reader::Name(NameKind::Topic), "a topic's name", "orders"),
    row("group", Reader::Name(NameKind::Group), "a consumer group's name", "billing"),
    row("producer", Reader::Name(NameKind::Producer), "a producer's name", "p1"),
    row("consumer", Reader::Name(NameKind::Consumer), "a consumer's name", "c1"),
    row(
        "broker",
        Reader::Name(NameKind::Broker),
        "a broker's name; the first is called broker",
        "b",
    ),
    row(
        "proxy",
        Reader::Name(NameKind::Proxy),
        "a proxy's name; the first is called proxy",
        "proxy",
    ),
    row(
        "party",
        Reader::Name(NameKind::Party),
        "a consumer, a producer, a broker or a proxy",
        "c1",
    ),
    row("new-topic", Reader::NewName(NameKind::Topic), "a new topic's name", "orders"),
    row("new-group", Reader::NewName(NameKind::Group), "a new consumer group's name", "billing"),
    row("new-producer", Reader::NewName(NameKind::Producer), "a new producer's name", "p1"),
    row("new-consumer", Reader::NewName(NameKind::Consumer), "a new consumer's name", "c1"),
    row("new-broker", Reader::NewName(NameKind::Broker), "a new broker's name", "b"),
    row("new-proxy", Reader::NewName(NameKind::Proxy), "a new proxy's name", "proxy-2"),
    row(
        "series",
        Reader::Name(NameKind::Series),
        "a series of messages: letters, not ending in a digit",
        "A",
    ),
    row(
        "labels",
        Reader::Labels,
        "messages by their labels, ranges of up to 10000 included",
        "A1 A2 B1..B9",
    ),
    row("label", Reader::Label, "a message's label", "A2"),
    row(
        "queue",
        Reader::Queue,
        "a queue, with its topic when there are several, and its broker when it is not the first",
        "q1, orders q1 or orders q1 on b",
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
    row("party-event", Reader::Keyword(party_events), "what happened to a party", "timed-out"),
    row("reason", Reader::Keyword(reasons), "why a send failed", "selector-threw"),
    row("refusal", Reader::Keyword(refusals), "why a statement was refused", "not-held"),
    row("packet", Reader::Keyword(packets), "a kind of packet", "ack-answer"),
    row("request", Reader::Keyword(requests), "a kind of request", "receive"),
    row("sdk", Reader::Keyword(sdks), "an SDK of the gRPC protocol", "node"),
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
            Reader::Code | Reader::GrpcCode => code_names(),
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

fn event_words<T>(rows: &[EventRow<T>]) -> Vec<&'static str> {
    rows.iter().map(|row| row.word).collect()
}

fn message_events() -> Vec<&'static str> {
    event_words(MESSAGE_EVENTS)
}

fn queue_events() -> Vec<&'static str> {
    event_words(QUEUE_EVENTS)
}

fn client_events() -> Vec<&'static str> {
    event_words(CLIENT_EVENTS)
}

fn party_events() -> Vec<&'static str> {
    event_words(PARTY_EVENTS)
}

fn reasons() -> Vec<&'static str> {
    event_words(REASONS)
}

fn refusals() -> Vec<&'static str> {
    event_words(REFUSALS)
}

fn packets() -> Vec<&'static str> {
    words(PACKETS)
}

fn requests() -> Vec<&'static str> {
    words(REQUESTS)
}

fn sdks() -> Vec<&'static str> {
    words(SDKS)
}
