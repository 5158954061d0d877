//! Parts that several forms share. They come in any order, with or without commas.

use super::{form, Form, Make, Section};
use crate::command::{FromWhere, GroupSetting};
use crate::ids::Ms;
use crate::pop::{Backoff, PopSetting, ProducerSetting};
use crate::scenario::action::Setting;
use crate::scenario::caps::{Cap, Caps, Value};
use crate::scenario::span::Spanned;
use crate::scenario::words::{meant, SDKS};

pub(super) const fn part(
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
        part("suspend (<duration:suspend> | default)", "suspendCurrentQueueTimeMillis: how long a failed ordered message suspends its queue, within 10ms to 30s.", "1s", "suspend 2s"),
        part("batch <batch>", "consumeMessageBatchMaxSize: messages in one listener call.", "1", "batch 10"),
        part("threads <threads>", "consumeThreadMax of consumers that start later.", "20", "threads 4"),
        part("autocommit (on | off)", "autoCommit of the orderly context.", "on", "autocommit off"),
        part("from (first | last | timestamp [<time:since>])", "consumeFromWhere: where a group without offsets begins. timestamp: at the first message stored at or after an instant.", "last; timestamp: half an hour before the consumer's start", "from first"),
        part("await-termination (<duration:await> | default)", "awaitTerminationMillisWhenShutdown: how long a clean stop waits for running listeners.", "0", "await-termination 5s"),
        part("consume-message-orderly (on | off)", "consumeMessageOrderly, an attribute of the group at the broker: POP and gRPC consumers get its messages in order.", "off; on for a group that is declared fifo", "consume-message-orderly on"),
        part("retry-queue-nums <number:retry-queues>", "retryQueueNums: queues of the retry topic. With 0 the broker takes failed messages and stores them nowhere.", "1", "retry-queue-nums 0"),
        part("retry-max-times <limit:retries>", "retryMaxTimes: repeats of gRPC consumers after the first delivery. -1 is the model's.", "-1", "retry-max-times 3"),
        part("retry-policy (customized <duration:wait> [<duration:wait>]* | exponential [initial <duration:initial-wait>] [max <duration:max-wait>] [multiplier <factor:multiplier>])", "groupRetryPolicy: how long gRPC consumers wait before the next attempt.", "customized 1s 5s 10s 30s 1m 2m ...; exponential: initial 5s, max 2h, multiplier 2", "retry-policy customized 1s 5s 10s"),
        part("accelerator (on | off)", "The FIFO accelerator of gRPC push consumers that start later: message groups side by side.", "off", "accelerator on"),
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
        part("through <proxy>", "The proxy that it speaks to; a producer that does not select by message-group then uses the proxy's remoting port.", "proxy; no proxy for a producer that does not select by message-group", "through proxy"),
    ],
};

pub(super) const SDK: Section = Section {
    name: "sdk",
    title: "Settings of a gRPC producer",
    intro: "They hold for producers that select by message-group. They may be changed during the run.",
    forms: &[
        part("sdk <sdk>", "Its SDK, which decides the endpoint that a message group's sends go to; the proxy chooses the queue.", "java", "sdk node"),
        part("type-check (on | off)", "Whether the SDK checks message types itself when the proxy's settings tell it to.", "on", "type-check off"),
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

/// The group settings that a sentence gives, in its order.
pub(super) fn settings(c: &Caps) -> Vec<Setting> {
    let mut settings: Vec<Setting> = Vec::new();
    let mut word = "";
    for cap in &c.list {
        let more = settings.last_mut().is_some_and(|last| refine(&mut last.value, cap));
        if more {
            continue;
        }
        if let Some(value) = setting(cap, word) {
            settings.push(Spanned { value, span: cap.span });
        }
        if cap.literal {
            word = cap.name;
        }
    }
    settings
}

/// The setting that a value or word behind `word` gives.
fn setting(cap: &Cap, word: &str) -> Option<GroupSetting> {
    let number = match cap.value {
        Value::Number(n) | Value::Ms(n) => n,
        _ => 0,
    };
    Some(match (cap.name, &cap.value) {
        ("durations", Value::Range(from, to)) => GroupSetting::HandleMs(*from, *to),
        ("limit", _) => GroupSetting::MaxReconsumeTimes(i32::try_from(number).ok()?),
        ("suspend", Value::Ms(ms)) => GroupSetting::SuspendMs(*ms),
        ("default", _) if word == "suspend" => GroupSetting::SuspendMs(-1),
        ("default", _) => GroupSetting::AwaitTerminationMs(-1),
        ("batch", Value::Number(_)) => GroupSetting::BatchMax(u16::try_from(number).ok()?),
        ("threads", Value::Number(_)) => GroupSetting::Threads(u16::try_from(number).ok()?),
        ("retry-queues", _) => GroupSetting::RetryQueueNums(u16::try_from(number).ok()?),
        ("on" | "off", _) => switch(word, cap.name == "on")?,
        ("first", _) => GroupSetting::FromWhere(FromWhere::First),
        ("last", _) => GroupSetting::FromWhere(FromWhere::Last),
        ("timestamp", _) => GroupSetting::FromWhere(FromWhere::Timestamp(None)),
        ("await", Value::Ms(ms)) => GroupSetting::AwaitTerminationMs(*ms),
        ("retries", _) => GroupSetting::Pop(PopSetting::RetryMaxTimes(i32::try_from(number).ok()?)),
        ("customized", _) => GroupSetting::Pop(PopSetting::Backoff(Backoff::Customized([].into()))),
        ("exponential", _) => GroupSetting::Pop(PopSetting::Backoff(EXPONENTIAL)),
        _ => return None,
    })
}

/// `groupRetryPolicy` of type EXPONENTIAL without further values.
const EXPONENTIAL: Backoff =
    Backoff::Exponential { initial_ms: 5_000, max_ms: 7_200_000, multiplier: 2 };

fn switch(word: &str, on: bool) -> Option<GroupSetting> {
    Some(match word {
        "autocommit" => GroupSetting::AutoCommit(on),
        "consume-message-orderly" => GroupSetting::Pop(PopSetting::Orderly(on)),
        "accelerator" => GroupSetting::Pop(PopSetting::Accelerator(on)),
        _ => return None,
    })
}

/// Whether a value says more about the setting before it.
fn refine(last: &mut GroupSetting, cap: &Cap) -> bool {
    let (GroupSetting::FromWhere(FromWhere::Timestamp(_))
    | GroupSetting::Pop(PopSetting::Backoff(_))) = last
    else {
        return false;
    };
    let (Value::Ms(number) | Value::Number(number)) = cap.value else { return false };
    match (last, cap.name) {
        (GroupSetting::FromWhere(FromWhere::Timestamp(since)), "since") => *since = Some(number),
        (GroupSetting::Pop(PopSetting::Backoff(Backoff::Customized(waits))), "wait") => {
            let more: Vec<Ms> = waits.iter().copied().chain([number]).collect();
            *waits = more.into();
        }
        (
            GroupSetting::Pop(PopSetting::Backoff(Backoff::Exponential { initial_ms, .. })),
            "initial-wait",
        ) => {
            *initial_ms = number;
        }
        (
            GroupSetting::Pop(PopSetting::Backoff(Backoff::Exponential { max_ms, .. })),
            "max-wait",
        ) => {
            *max_ms = number;
        }
        (
            GroupSetting::Pop(PopSetting::Backoff(Backoff::Exponential { multiplier, .. })),
            "multiplier",
        ) => *multiplier = u32::try_from(number).unwrap_or(u32::MAX),
        _ => return false,
    }
    true
}

/// The settings of a producer's SDK that a sentence gives, in its order.
pub(super) fn producer_settings(c: &Caps) -> Vec<ProducerSetting> {
    let one = |cap: &Cap| match (cap.name, &cap.value) {
        ("sdk", Value::Text(word)) if !cap.literal => meant(SDKS, word).map(ProducerSetting::Sdk),
        ("on" | "off", _) => Some(ProducerSetting::ChecksTypes(cap.name == "on")),
        _ => None,
    };
    c.list.iter().filter_map(one).collect()
}
