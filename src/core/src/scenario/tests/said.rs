use super::*;
use crate::command::*;
use crate::fact::{Outcome, StopKind};

/// One command of every kind, and of every variant inside it.
fn commands() -> Vec<Command> {
    let name = |n: &str| n.to_owned();
    let spec = |n| MessageSpec::new("A", n);
    let topic = |kind, read_queues, write_queues, n: &str| Command::CreateTopic {
        name: name(n),
        kind,
        read_queues,
        write_queues,
    };
    let mut all = vec![
        topic(TopicType::Fifo, 4, 4, "orders"),
        topic(TopicType::Normal, 1, 1, "a topic"),
        topic(TopicType::Delay, 4, 8, "t3"),
        topic(TopicType::Transaction, 2, 2, "t4"),
        topic(TopicType::Mixed, 2, 2, "\"#t5\\"),
        Command::UpdateTopic { name: name("orders"), read_queues: 8, write_queues: 4 },
        Command::NameMessageGroup { series: name("A"), key: Some(name("DESIGNING WORKHOUSES")) },
        Command::NameMessageGroup { series: name("N"), key: None },
        Command::CreateGroup {
            name: name("billing"),
            subscriptions: vec![
                Subscription { topic: name("orders"), tags: vec![name("x"), name("y z")] },
                Subscription { topic: name("a topic"), tags: vec![] },
            ],
            listener: ListenerKind::Orderly,
        },
        Command::CreateGroup {
            name: name("g2"),
            subscriptions: vec![Subscription { topic: name("orders"), tags: vec![] }],
            listener: ListenerKind::Concurrent,
        },
        Command::CreateGroup {
            name: name("g3"),
            subscriptions: vec![],
            listener: ListenerKind::Concurrent,
        },
    ];
    let settings = [
        GroupSetting::MaxReconsumeTimes(-1),
        GroupSetting::MaxReconsumeTimes(3),
        GroupSetting::SuspendMs(1_500),
        GroupSetting::BatchMax(10),
        GroupSetting::Threads(4),
        GroupSetting::AutoCommit(true),
        GroupSetting::AutoCommit(false),
        GroupSetting::HandleMs(0, 0),
        GroupSetting::HandleMs(100, 61_001),
        GroupSetting::FromWhere(FromWhere::First),
        GroupSetting::FromWhere(FromWhere::Last),
        GroupSetting::FromWhere(FromWhere::Timestamp(None)),
        GroupSetting::FromWhere(FromWhere::Timestamp(Some(20_000))),
        GroupSetting::SuspendMs(-1),
        GroupSetting::AwaitTerminationMs(-1),
        GroupSetting::RetryQueueNums(0),
        GroupSetting::AwaitTerminationMs(90_000),
        GroupSetting::Paused(true),
        GroupSetting::Paused(false),
    ];
    all.extend(settings.map(|setting| Command::SetGroup { group: name("billing"), setting }));
    let selectors = [
        Selector::MessageGroup,
        Selector::Hash,
        Selector::AbsHash,
        Selector::Modulo,
        Selector::RoundRobin,
        Selector::Queue(3),
    ];
    for (index, selector) in selectors.into_iter().enumerate() {
        let mode = if index % 2 == 0 { SendMode::Sync } else { SendMode::Async };
        let threads = index as u8 + 1;
        all.push(Command::CreateProducer {
            name: format!("p{index}"),
            topic: Some(name("orders")),
            selector,
            mode,
            threads,
        });
    }
    all.extend([
        Command::StartConsumer { name: name("c1"), group: name("billing"), threads: None },
        Command::StartConsumer { name: name("c2"), group: name("billing"), threads: Some(2) },
        Command::Send {
            producer: name("p1"),
            topic: None,
            thread: 0,
            messages: (1..=9).map(spec).collect(),
            every_ms: 0,
        },
        Command::Send {
            producer: name("p1"),
            topic: Some(name("a topic")),
            thread: 1,
            messages: vec![MessageSpec {
                tag: Some(name("paid")),
                key: Some(name("k 1")),
                delay_level: 16,
                travel_ms: 80,
                body_bytes: 2_048,
                ..spec(10)
            }],
            every_ms: 200,
        },
        Command::Send {
            producer: name("p1"),
            topic: None,
            thread: 0,
            messages: vec![
                MessageSpec { timer_delay_ms: 5_000, ..spec(11) },
                MessageSpec { timer_delay_ms: 5_000, ..spec(13) },
            ],
            every_ms: 0,
        },
        Command::SendLoad {
            producer: name("p1"),
            topic: None,
            load: Load {
                count: 10_000,
                groups: 500,
                per_second: 200,
                skew_percent: 0,
                beside: beside(),
            },
        },
        Command::SendLoad {
            producer: name("p1"),
            topic: Some(name("orders")),
            load: Load { count: 1, groups: 0, per_second: 1, skew_percent: 110, beside: beside() },
        },
        Command::ResumeConsumer { name: name("c1") },
        Command::Cut { a: name("c1"), b: name("broker") },
        Command::Heal { a: name("broker"), b: name("p1") },
        Command::SetLatency { from: None, to: None, ms: 5 },
        Command::SetLatency { from: Some(name("c1")), to: Some(name("broker")), ms: 0 },
        Command::SetDelayLevels { table: name("1s 5s 45m") },
        Command::SetDelayLevels { table: name("1s  5s") },
        Command::SetDelayLevels { table: name("") },
        Command::SetConstant { name: name("pullBatchSize"), value: 1 },
        Command::SetConstant { name: name("rocketmq.client.unlockDelayTimeMills"), value: -1 },
    ]);
    let stops = [StopKind::Clean, StopKind::Crash, StopKind::Silent, StopKind::Hang];
    all.extend(stops.map(|how| Command::StopConsumer { name: name("c1"), how }));
    let outcomes = [
        Some(Outcome::Success),
        Some(Outcome::Later),
        Some(Outcome::Commit),
        Some(Outcome::Rollback),
        Some(Outcome::Null),
        Some(Outcome::Exception),
        None,
    ];
    let attempts = [
        Attempts::All,
        Attempts::First(1),
        Attempts::First(2),
        Attempts::First(7),
        Attempts::Only(2),
    ];
    for (index, outcome) in outcomes.into_iter().enumerate() {
        all.push(Command::Handle(HandlerRule {
            group: (index % 2 == 0).then(|| name("billing")),
            client: (index % 3 == 0).then(|| name("c1")),
            label: (index % 4 != 0).then(|| Label { series: name("A"), number: 2 }),
            attempts: attempts[index % attempts.len()],
            outcome,
            handle_ms: (outcome.is_none() || index % 2 == 1).then_some(2_500),
        }));
    }
    all
}

/// The series that the sends and the declarations of [`commands`] name: no load makes them.
fn beside() -> Vec<String> {
    ["A", "N"].map(str::to_owned).into()
}

#[test]
fn every_command_can_be_said_and_read_back() {
    let mut commands = commands();
    commands.extend(super::said_pop::commands());
    let journal: Vec<_> =
        commands.into_iter().enumerate().map(|(at, c)| (at as i64 * 10, c)).collect();
    let text = say_all(&journal);
    let program = load(&text).unwrap_or_else(|problems| panic!("{text}\n{problems:#?}"));
    assert_eq!(program.journal(), journal, "{text}");
}

#[test]
fn a_send_with_different_messages_takes_several_lines() {
    let mut other = MessageSpec::new("A", 2);
    other.travel_ms = 80;
    let messages = vec![MessageSpec::new("A", 1), other, MessageSpec::new("A", 3)];
    let command =
        Command::Send { producer: "p".into(), topic: None, thread: 0, messages, every_ms: 100 };
    assert_eq!(
        say(1_000, &command),
        "at 1s p sends A1, every 100ms\nat 1.1s p sends A2, every 100ms, travel 80ms\nat 1.2s p sends A3, every 100ms"
    );
}

#[test]
fn times_are_written_as_they_are_read() {
    let program = |text: &str| load(&format!("run until {text}\n")).map(|p| p.until_ms).ok();
    for (text, ms) in [
        ("0", 0),
        ("400ms", 400),
        ("1.5s", 1_500),
        ("1m30s", 90_000),
        ("00:11.900", 11_900),
        ("1:00:00", 3_600_000),
        ("2h", 7_200_000),
        ("1d", 86_400_000),
        ("0.25m", 15_000),
    ] {
        assert_eq!(program(text), Some(ms), "{text}");
    }
    for text in ["5", "1s1m", "1s2s", "1.2345s", "-1s", "1:60", "s", "1 s", "99999d", "0.0001s"] {
        assert_eq!(program(text), None, "{text}");
    }
}
