//! Parts that several forms share. They come in any order, with or without commas.

use super::{form, Form, Make, Section};
use crate::command::{FromWhere, GroupSetting};
use crate::scenario::ast::{SendOptions, Setting};
use crate::scenario::caps::{Cap, Caps, Value};
use crate::scenario::span::Spanned;

const fn part(
    f: &'static str,
    meaning: &'static str,
    default: &'static str,
    example: &'static str,
) -> Form {
    form(f, meaning, default, example, Make::Part)
}

pub(super) const QUEUE_COUNTS: Section = Section {
    name: "queue-counts",
    title: "Numbers of queues",
    intro: "",
    forms: &[
        part(
            "<queues:both> (queues | queue)",
            "readQueueNums and writeQueueNums.",
            "4",
            "4 queues",
        ),
        part(
            "<queues:read-queues> read (queues | queue)",
            "readQueueNums: queues that consumers are given.",
            "as before",
            "4 read queues",
        ),
        part(
            "<queues:write-queues> write (queues | queue)",
            "writeQueueNums: queues that producers choose from.",
            "as before",
            "8 write queues",
        ),
    ],
};

pub(super) const GROUP: Section = Section {
    name: "group",
    title: "Settings of a consumer group",
    intro: "They may be changed during the run: `at 20s billing max-reconsume-times 3`.",
    forms: &[
        part("handles in <durations>", "How long a listener call takes; a range is drawn from evenly.", "0", "handles in 300ms..500ms"),
        part("max-reconsume-times <limit>", "maxReconsumeTimes: repeats after the first delivery, then the message becomes a dead letter. -1 is the listener's default.", "-1: no limit when orderly, 16 when concurrent", "max-reconsume-times 3"),
        part("suspend <duration:suspend>", "suspendCurrentQueueTimeMillis: how long a failed ordered message suspends its queue, within 10ms to 30s.", "1s", "suspend 2s"),
        part("batch <batch>", "consumeMessageBatchMaxSize: messages in one listener call.", "1", "batch 10"),
        part("threads <threads>", "consumeThreadMax of consumers that start later.", "20", "threads 4"),
        part("autocommit (on | off)", "autoCommit of the orderly context.", "on", "autocommit off"),
        part("from (first | last)", "consumeFromWhere: where a group without offsets begins.", "last", "from first"),
        part("await-termination <duration:await>", "awaitTerminationMillisWhenShutdown: how long a clean stop waits for running listeners.", "0", "await-termination 5s"),
    ],
};

pub(super) const PRODUCER: Section = Section {
    name: "producer",
    title: "Options of a producer",
    intro: "",
    forms: &[
        part("to <topic>", "The topic it sends to.", "the only topic", "to orders"),
        part(
            "selects (by (message-group | hash | abs-hash | modulo | round-robin) | queue <queue-id>)",
            "How it chooses the queue. message-group: the proxy's consistent hash of the message group (5.x). hash: SelectMessageQueueByHash (4.x). abs-hash: Math.abs(hash) % n, written by hand. modulo: id % n, the id being the number in the key. round-robin: no selector. queue: always this one.",
            "message-group",
            "selects by hash",
        ),
        part("(sync | async)", "Whether a thread waits for each answer before it sends on.", "sync", "async"),
        part("<senders> (threads | thread)", "Sending threads.", "1", "2 threads"),
    ],
};

pub(super) const CONSUMER: Section = Section {
    name: "consumer",
    title: "Options of a consumer",
    intro: "",
    forms: &[part(
        "<threads:threads-count> (threads | thread)",
        "Consume threads.",
        "the group's",
        "2 threads",
    )],
};

pub(super) const SEND: Section = Section {
    name: "send",
    title: "Options of sends",
    intro: "They hold for all messages of the sentence.",
    forms: &[
        part(
            "every <duration:every>",
            "Distance between two of the messages.",
            "all at once; a thread that waits for answers sends them one after the other",
            "every 200ms",
        ),
        part("tag <word:tag>", "Tag.", "none", "tag paid"),
        part(
            "key <word:key>",
            "Key (KEYS); {n} stands for the message's number.",
            "none",
            "key {n}",
        ),
        part(
            "delay (level <level> | <duration:delay>)",
            "Delay level, or an arbitrary delay (TIMER_DELAY_MS).",
            "none",
            "delay level 16",
        ),
        part(
            "travel <duration:travel>",
            "Extra time on the way to the broker.",
            "0",
            "travel 80ms",
        ),
        part("body <count:body> [bytes]", "Size of the body in bytes.", "100", "body 2048 bytes"),
        part("on thread <senders:thread>", "The producer's thread, from 1.", "1", "on thread 2"),
        part("to <topic>", "The topic.", "the producer's", "to orders"),
    ],
};

pub(super) const LOAD: Section = Section {
    name: "load",
    title: "Options of loads",
    intro: "",
    forms: &[
        part(
            "over <groups> (groups | group)",
            "Message groups that the messages are spread over.",
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

pub(super) const RULE: Section = Section {
    name: "rule",
    title: "Options of listener rules",
    intro: "",
    forms: &[
        part("takes <duration:takes>", "How long the call takes.", "the group's", "takes 2s"),
        part("in <group>", "In this consumer group only.", "in all", "in billing"),
        part("at <consumer>", "At this consumer only.", "at all", "at c1"),
    ],
};

pub(super) const WHERE_RULE: Section = Section {
    name: "where-rule",
    title: "Places of listener rules",
    intro: "",
    forms: &[
        part("in <group>", "In this consumer group only.", "in all", "in billing"),
        part("at <consumer>", "At this consumer only.", "at all", "at c1"),
    ],
};

pub(super) const TIMES: Section = Section {
    name: "times",
    title: "How often",
    intro: "",
    forms: &[part(
        "(once | twice | at least <count:min> times | at most <count:max> times | <count:n> [to <count:m>] times)",
        "How often it happened.",
        "at least once",
        "60 to 61 times",
    )],
};

pub(super) const WHEN: Section = Section {
    name: "when",
    title: "When",
    intro: "`before` and `after` look at the first time, unless a number of times is given: then only those before or after are counted. `at` and `between` look at any time.",
    forms: &[
        part("before (<time:before> | <label:before-label> <event:before-event>)", "Strictly before an instant, or before the first time something happened to a message.", "at any time", "before 25s"),
        part("after (<time:after> | <label:after-label> <event:after-event>)", "Strictly after an instant, or after the first time something happened to a message.", "at any time", "after A2 dead-lettered"),
        part("between <time:from> and <time:until>", "From one instant to another, both included.", "at any time", "between 60s and 62s"),
        part("at <time:at>", "At exactly this instant.", "at any time", "at 61s"),
    ],
};

pub(super) const PLACE: Section = Section {
    name: "place",
    title: "Where and by whom",
    intro: "What does not apply to an event cannot be said of it.",
    forms: &[
        part("in <queue>", "In this queue.", "in any", "in orders q1"),
        part("in <group>", "In this consumer group.", "in any", "in billing"),
        part("by <consumer>", "By this consumer.", "by any", "by c2"),
        part("at offset <number:offset>", "At this offset.", "at any", "at offset 2"),
        part("on attempt <count:attempt>", "On this delivery, from 1.", "on any", "on attempt 2"),
        part("under level <level>", "Under this delay level.", "under any", "under level 3"),
        part("with <reason>", "For this reason.", "for any", "with selector-threw"),
    ],
};

/// The group settings that a sentence gives, in its order.
pub(super) fn settings(c: &Caps) -> Vec<Setting> {
    let one = |cap: &Cap| -> Option<GroupSetting> {
        let number = match cap.value {
            Value::Number(n) | Value::Ms(n) => n,
            _ => 0,
        };
        Some(match (cap.name, &cap.value) {
            ("durations", Value::Range(from, to)) => GroupSetting::HandleMs(*from, *to),
            ("limit", _) => GroupSetting::MaxReconsumeTimes(i32::try_from(number).ok()?),
            ("suspend", Value::Ms(ms)) => GroupSetting::SuspendMs(*ms),
            ("batch", Value::Number(_)) => GroupSetting::BatchMax(u16::try_from(number).ok()?),
            ("threads", Value::Number(_)) => GroupSetting::Threads(u16::try_from(number).ok()?),
            ("on" | "off", _) => GroupSetting::AutoCommit(cap.name == "on"),
            ("first", _) => GroupSetting::FromWhere(FromWhere::First),
            ("last", _) => GroupSetting::FromWhere(FromWhere::Last),
            ("await", Value::Ms(ms)) => GroupSetting::AwaitTerminationMs(*ms),
            _ => return None,
        })
    };
    c.list.iter().filter_map(|cap| Some(Spanned { value: one(cap)?, span: cap.span })).collect()
}

/// What a `sends` says about its messages.
pub(super) fn send_options(c: &Caps) -> SendOptions {
    SendOptions {
        topic: c.name("topic"),
        thread: c.number::<u8>("thread").map_or(0, |n| n.saturating_sub(1)),
        every_ms: c.ms("every").unwrap_or(0),
        tag: c.text("tag"),
        key: c.text("key"),
        delay_level: c.number("level").unwrap_or(0),
        timer_delay_ms: c.ms("delay").unwrap_or(0),
        travel_ms: c.ms("travel").unwrap_or(0),
        body_bytes: c.number("body"),
    }
}
