//! Sentences that declare things and change their settings.

use crate::command::{
    Command, FromWhere, GroupSetting, ListenerKind, Selector, SendMode, Subscription, TopicType,
};
use crate::pop::{GrpcKind, PopCommand, SimpleMode};
use crate::scenario::lex::quote;
use crate::scenario::value::write_time;

/// Topics, series, groups, producers.
pub(super) fn declaration(command: &Command) -> String {
    match command {
        Command::CreateTopic { name, kind, read_queues, write_queues } => {
            format!(
                "topic {} {} {}",
                quote(name),
                topic_type(*kind),
                queues(*read_queues, *write_queues)
            )
        }
        Command::UpdateTopic { name, read_queues, write_queues } => {
            format!("{} {}", quote(name), queues(*read_queues, *write_queues))
        }
        Command::NameMessageGroup { series, key: Some(key) } => {
            format!("series {series} message-group {}", quote(key))
        }
        Command::NameMessageGroup { series, key: None } => {
            format!("series {series} without message-group")
        }
        Command::CreateGroup { name, subscriptions, listener } => {
            let listener = match listener {
                ListenerKind::Orderly => "orderly",
                ListenerKind::Concurrent => "concurrent",
            };
            format!("group {} reads {} {listener}", quote(name), reads(subscriptions))
        }
        Command::CreateProducer { name, topic, selector, mode, threads } => {
            producer(name, topic.as_deref(), *selector, *mode, *threads)
        }
        _ => String::new(),
    }
}

/// Group, kind and options of a consumer that a command starts.
pub(super) fn consumer(command: &Command) -> String {
    let count = |n: u16| match n {
        1 => "1 thread".to_owned(),
        n => format!("{n} threads"),
    };
    let many = |threads: &Option<u16>| threads.map_or(String::new(), |n| format!(" {}", count(n)));
    match command {
        Command::StartConsumer { group, threads, .. } => {
            format!("{}{}", quote(group), many(threads))
        }
        Command::Pop(PopCommand::Start { group, kind: GrpcKind::Push, threads, .. }) => {
            format!("{} grpc push{}", quote(group), many(threads))
        }
        Command::Pop(PopCommand::Start { group, kind: GrpcKind::Simple(mode), .. }) => match mode {
            SimpleMode::Scripted => format!("{} simple by hand", quote(group)),
            SimpleMode::Loops { max, invisible_ms, await_ms, loops } => format!(
                "{} simple in a loop, max-message-num {max}, invisible-duration {}, await-duration {}, {}",
                quote(group),
                write_time(*invisible_ms),
                write_time(*await_ms),
                count(*loops)
            ),
        },
        _ => String::new(),
    }
}

/// What is read: topics with their tags.
pub(super) fn reads(subscriptions: &[Subscription]) -> String {
    let one = |s: &Subscription| {
        let tags: Vec<String> = s.tags.iter().map(|tag| quote(tag)).collect();
        let tags = match tags.is_empty() {
            true => String::new(),
            false => format!(" tagged {}", tags.join(" or ")),
        };
        format!("{}{tags}", quote(&s.topic))
    };
    match subscriptions {
        [] => "nothing".to_owned(),
        some => some.iter().map(one).collect::<Vec<_>>().join(" and "),
    }
}

/// The word for a topic type.
pub(in crate::scenario) fn topic_type(kind: TopicType) -> &'static str {
    match kind {
        TopicType::Normal => "NORMAL",
        TopicType::Fifo => "FIFO",
        TopicType::Delay => "DELAY",
        TopicType::Transaction => "TRANSACTION",
        TopicType::Mixed => "MIXED",
    }
}

fn queues(read: u16, write: u16) -> String {
    match (read, write) {
        (1, 1) => "1 queue".to_owned(),
        (read, write) if read == write => format!("{read} queues"),
        (read, write) => format!("{read} read queues, {write} write queues"),
    }
}

/// A setting of a group, that of the second stack excepted.
pub(super) fn setting(setting: &GroupSetting) -> String {
    match setting {
        GroupSetting::MaxReconsumeTimes(n) => format!("max-reconsume-times {n}"),
        GroupSetting::SuspendMs(-1) => "suspend default".to_owned(),
        GroupSetting::AwaitTerminationMs(-1) => "await-termination default".to_owned(),
        GroupSetting::SuspendMs(ms) => format!("suspend {}", write_time(*ms)),
        GroupSetting::BatchMax(n) => format!("batch {n}"),
        GroupSetting::RetryQueueNums(n) => format!("retry-queue-nums {n}"),
        GroupSetting::Threads(n) => format!("threads {n}"),
        GroupSetting::AutoCommit(true) => "autocommit on".to_owned(),
        GroupSetting::AutoCommit(false) => "autocommit off".to_owned(),
        GroupSetting::HandleMs(from, to) if from == to => {
            format!("handles in {}", write_time(*from))
        }
        GroupSetting::HandleMs(from, to) => {
            format!("handles in {}..{}", write_time(*from), write_time(*to))
        }
        GroupSetting::FromWhere(FromWhere::First) => "from first".to_owned(),
        GroupSetting::FromWhere(FromWhere::Last) => "from last".to_owned(),
        GroupSetting::FromWhere(FromWhere::Timestamp(None)) => "from timestamp".to_owned(),
        GroupSetting::FromWhere(FromWhere::Timestamp(Some(ms))) => {
            format!("from timestamp {}", write_time(*ms))
        }
        GroupSetting::Pop(_) => String::new(),
        GroupSetting::AwaitTerminationMs(ms) => format!("await-termination {}", write_time(*ms)),
        GroupSetting::Paused(true) => "pauses".to_owned(),
        GroupSetting::Paused(false) => "resumes".to_owned(),
    }
}

fn producer(
    name: &str,
    topic: Option<&str>,
    selector: Selector,
    mode: SendMode,
    threads: u8,
) -> String {
    let to = topic.map_or(String::new(), |topic| format!(" to {}", quote(topic)));
    let selects = match selector {
        Selector::MessageGroup => "by message-group".to_owned(),
        Selector::Hash => "by hash".to_owned(),
        Selector::AbsHash => "by abs-hash".to_owned(),
        Selector::Modulo => "by modulo".to_owned(),
        Selector::RoundRobin => "by round-robin".to_owned(),
        Selector::Queue(id) => format!("queue {id}"),
    };
    let mode = match mode {
        SendMode::Sync => "",
        SendMode::Async => ", async",
    };
    let threads = if threads == 1 { String::new() } else { format!(", {threads} threads") };
    format!("producer {}{to} selects {selects}{mode}{threads}", quote(name))
}
