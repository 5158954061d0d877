//! Sentences that send messages.

use super::options::part;
use super::{form, Make, Section};
use crate::command::TransactionScript;
use crate::fact::Decision;
use crate::scenario::action::{Action, MessageOptions, RequestPart, SendOptions};
use crate::scenario::caps::{Cap, Caps, Value};

/// Sentences after `at` and a time.
pub(super) const SENDS: Section = Section {
    name: "sends",
    title: "Sending messages",
    intro: "",
    forms: &[
        form(
            "<producer> sends <labels> {pace send}",
            "The application hands these messages to a producer's thread, in this order. A letter is a series, A1 A2 are its messages in the order in which they are meant to be handled.",
            "",
            "at 3s p1 sends A1 B1 A2 every 200ms",
            Make::Action(|c| Some(Action::Send { producer: c.name("producer")?, labels: c.labels("labels")?, options: send_options(c) })),
        ),
        form(
            "<producer> sends <labels> {message} [and <labels> {message}]* in one request {send}",
            "Several messages in one request of the gRPC protocol. What is said behind `in one request` holds for all of them.",
            "",
            "at 3s p1 sends A1 A2 tag x and B1 tag y in one request",
            Make::Action(together),
        ),
        form(
            "<producer> sends <label> in a transaction that (commits | rolls back | stays open) {transaction send}",
            "A half message, then the decision of its local transaction. It is readable when the transaction is committed. The client leaves a delay level out. With an arbitrary delay a message builder of the gRPC protocol refuses the message; by a classic producer such a transaction is refused from 5.0.0 on, and a 4.x broker does not know the delay.",
            "",
            "at 3s p1 sends A1 in a transaction that commits after 2s",
            Make::Action(transaction),
        ),
        form(
            "<producer> sends <messages:total> (messages | message) {load}",
            "A load: messages that the producer makes itself, drawn from the seed.",
            "",
            "at 1s p1 sends 10000 messages over 500 groups, 200 a second",
            Make::Action(load),
        ),
    ],
};

pub(super) const PACE: Section = Section {
    name: "pace",
    title: "Pace of sends",
    intro: "",
    forms: &[part(
        "every <duration:every>",
        "Distance between two of the messages.",
        "all at once; a thread that waits for answers sends them one after the other",
        "every 200ms",
    )],
};

pub(super) const MESSAGE: Section = Section {
    name: "message",
    title: "Properties of messages in one request",
    intro: "They hold for the messages before them.",
    forms: &[TAG, KEY, DELAY_LEVEL, DELAY, TRAVEL, BODY],
};

pub(super) const SEND: Section = Section {
    name: "send",
    title: "Options of sends",
    intro: "They hold for all messages of the sentence.",
    forms: &[
        TAG,
        KEY,
        DELAY_LEVEL,
        DELAY,
        TRAVEL,
        BODY,
        part("on thread <senders:thread>", "The producer's thread, from 1.", "1", "on thread 2"),
        part("to <topic>", "The topic.", "the producer's", "to orders"),
    ],
};

const TAG: super::Form = part("tag <word:tag>", "Tag.", "none", "tag paid");
const KEY: super::Form =
    part("key <word:key>", "Key (KEYS); {n} stands for the message's number.", "none", "key {n}");
const DELAY_LEVEL: super::Form =
    part("delay level <level>", "Delay level.", "none", "delay level 16");
const DELAY: super::Form = part(
    "delay <duration:delay>",
    "An arbitrary delay (TIMER_DELAY_MS; a delivery time in the gRPC protocol). A 4.x broker has no timers and stores the message at once.",
    "none",
    "delay 5s",
);
const TRAVEL: super::Form =
    part("travel <duration:travel>", "Extra time on the way to the broker.", "0", "travel 80ms");
const BODY: super::Form =
    part("body <count:body> [bytes]", "Size of the body in bytes.", "100", "body 2048 bytes");

pub(super) const TRANSACTION: Section = Section {
    name: "transaction",
    title: "Options of transactions",
    intro: "",
    forms: &[
        part(
            "after <duration:after>",
            "How long the local transaction takes once the half message is stored.",
            "0",
            "after 2s",
        ),
        part(
            "checks answered (commit | rollback | unknown) [(commit | rollback | unknown)]*",
            "The answers to the broker's checks, in order; the last one is repeated.",
            "unknown",
            "checks answered unknown commit",
        ),
    ],
};

pub(super) const LOAD: Section = Section {
    name: "load",
    title: "Options of loads",
    intro: "",
    forms: &[
        part(
            "over <groups> (groups | group)",
            "Message groups that the messages are spread over: series of the load's own, A B and so on, without those that a send or a `series` of the text names.",
            "without message-group",
            "over 500 groups",
        ),
        part("without message-group", "No message group.", "this", "without message-group"),
        part("<rate> a second", "Messages a second.", "100", "200 a second"),
        part(
            "skew <decimal:skew>",
            "Exponent of the uneven spread: the k-th group gets a share of k^-skew.",
            "0: even",
            "skew 1.2",
        ),
        part("to <topic>", "The topic.", "the producer's", "to orders"),
    ],
};

fn load(c: &Caps) -> Option<Action> {
    Some(Action::Load {
        producer: c.name("producer")?,
        topic: c.name("topic"),
        count: c.number("total")?,
        groups: c.number("groups").unwrap_or(0),
        per_second: c.number("rate").unwrap_or(100),
        skew_percent: c.number("skew").unwrap_or(0),
    })
}

fn together(c: &Caps) -> Option<Action> {
    let end = c.list.iter().position(|cap| cap.literal && cap.name == "request")?;
    let rest = Caps { list: c.list[end..].to_vec(), mismatches: 0 };
    let is_labels = |cap: &Cap| matches!(cap.value, Value::Labels(_));
    let mut parts = Vec::new();
    let mut from = c.list.iter().position(is_labels)?;
    while from < end {
        let next = c.list[from + 1..end].iter().position(is_labels).map_or(end, |i| from + 1 + i);
        let part = Caps { list: c.list[from..next].to_vec(), mismatches: 0 };
        parts.push(RequestPart { labels: part.labels("labels")?, options: message_options(&part) });
        from = next;
    }
    Some(Action::SendTogether {
        producer: c.name("producer")?,
        parts,
        options: send_options(&rest),
    })
}

fn transaction(c: &Caps) -> Option<Action> {
    let decision = match () {
        _ if c.has("commits") => Decision::Commit,
        _ if c.has("rolls") => Decision::Rollback,
        _ => Decision::Unknown,
    };
    let answer = |cap: &Cap| match cap.name {
        "commit" => Some(Decision::Commit),
        "rollback" => Some(Decision::Rollback),
        "unknown" => Some(Decision::Unknown),
        _ => None,
    };
    let checks = c.list.iter().filter(|cap| cap.literal).filter_map(answer).collect();
    let script = TransactionScript { after_ms: c.ms("after").unwrap_or(0), decision, checks };
    Some(Action::Transaction {
        producer: c.name("producer")?,
        label: c.label("label")?,
        script,
        options: send_options(c),
    })
}

/// What a `sends` says about its messages and their way.
fn send_options(c: &Caps) -> SendOptions {
    SendOptions {
        topic: c.name("topic"),
        thread: c.number::<u8>("thread").map_or(0, |n| n.saturating_sub(1)),
        every_ms: c.ms("every").unwrap_or(0),
        message: message_options(c),
    }
}

fn message_options(c: &Caps) -> MessageOptions {
    MessageOptions {
        tag: c.text("tag"),
        key: c.text("key"),
        delay_level: c.number("level"),
        timer_delay_ms: c.ms("delay"),
        travel_ms: c.ms("travel"),
        body_bytes: c.number("body"),
    }
}
