//! One command of every kind of the second stack, of brokers and of faults.

use crate::command::*;
use crate::event::PacketKind;
use crate::fact::{BrokerStop, Decision, Outcome, RequestKind};
use crate::grpc::GrpcCode;
use crate::pop::*;
use crate::scenario::words::{PACKETS, REQUESTS, SDKS};

fn name(n: &str) -> String {
    n.to_owned()
}

fn spec(n: u32) -> MessageSpec {
    MessageSpec::new("A", n)
}

fn label(n: u32) -> Label {
    spec(n).label
}

/// All of them.
pub(super) fn commands() -> Vec<Command> {
    let mut all = pop_commands();
    all.extend(faults());
    all.extend(consumers());
    all
}

fn consumers() -> Vec<Command> {
    let start = |n: &str, kind, threads| {
        Command::Pop(PopCommand::Start { name: name(n), group: name("g2"), kind, threads })
    };
    let looping = |loops| {
        GrpcKind::Simple(SimpleMode::Loops {
            max: 1,
            invisible_ms: 30_000,
            await_ms: 10_000,
            loops,
        })
    };
    let reads = |topic: &str, tags: &[&str]| Subscription {
        topic: name(topic),
        tags: tags.iter().map(|t| name(t)).collect(),
    };
    let subscribe = |subscriptions| Command::Subscribe { consumer: name("c1"), subscriptions };
    let mut all = vec![
        start("d1", GrpcKind::Push, None),
        start("d2", GrpcKind::Push, Some(4)),
        start("d3", GrpcKind::Simple(SimpleMode::Scripted), None),
        start("d4", looping(1), None),
        start("d5", looping(3), None),
        start("d5", looping(3), None),
        start("d5", GrpcKind::Push, Some(1)),
        subscribe(vec![reads("orders", &["a", "b c"]), reads("a topic", &[])]),
        subscribe(vec![]),
    ];
    let outcomes = [
        Outcome::Success,
        Outcome::Later,
        Outcome::Commit,
        Outcome::Rollback,
        Outcome::Null,
        Outcome::Exception,
    ];
    all.extend(outcomes.map(|foreign| Command::OwnKey {
        consumer: name("c1"),
        key: name("k 1"),
        foreign,
    }));
    all
}

fn pop_commands() -> Vec<Command> {
    let settings = [
        PopSetting::Orderly(true),
        PopSetting::Orderly(false),
        PopSetting::RetryMaxTimes(3),
        PopSetting::RetryMaxTimes(-1),
        PopSetting::Backoff(Backoff::default()),
        PopSetting::Backoff(Backoff::Customized([1_500].into())),
        PopSetting::Backoff(Backoff::Exponential {
            initial_ms: 5_000,
            max_ms: 7_200_000,
            multiplier: 3,
        }),
        PopSetting::Accelerator(true),
        PopSetting::Accelerator(false),
    ];
    let mut all: Vec<Command> = settings
        .map(|s| Command::SetGroup { group: name("billing"), setting: GroupSetting::Pop(s) })
        .into();
    let consumer = || name("c1");
    let mut pop = vec![
        PopCommand::Receive { consumer: consumer(), max: 1, invisible_ms: 20_000, await_ms: 0 },
        PopCommand::Ack { consumer: consumer(), message: None },
        PopCommand::Ack { consumer: consumer(), message: Some(label(2)) },
        PopCommand::ChangeInvisible {
            consumer: consumer(),
            message: label(2),
            invisible_ms: 60_000,
        },
        PopCommand::AddProxy { name: name("proxy 2") },
        PopCommand::UseProxy { party: name("c1"), proxy: name("proxy 2") },
        PopCommand::RunProxy { proxy: name("proxy"), up: false },
        PopCommand::RunProxy { proxy: name("proxy"), up: true },
        PopCommand::SendTogether {
            producer: name("p1"),
            topic: None,
            thread: 0,
            messages: (1..=9).map(spec).collect(),
        },
        PopCommand::SendTogether {
            producer: name("p1"),
            topic: Some(name("a topic")),
            thread: 2,
            messages: vec![
                MessageSpec { tag: Some(name("in")), key: Some(name("and")), ..spec(1) },
                MessageSpec { delay_level: 3, timer_delay_ms: 5_000, ..spec(2) },
                spec(3),
                MessageSpec { travel_ms: 10, body_bytes: 7, ..spec(4) },
            ],
        },
    ];
    let sdks = SDKS.iter().map(|(_, sdk)| ProducerSetting::Sdk(*sdk));
    let checks = [true, false].map(ProducerSetting::ChecksTypes);
    pop.extend(
        sdks.chain(checks).map(|setting| PopCommand::SetProducer { producer: name("p1"), setting }),
    );
    let fail = |request: RequestKind, code| PopCommand::FailRequests {
        proxy: name("proxy"),
        request,
        code,
    };
    pop.extend(REQUESTS.iter().map(|(_, request)| fail(*request, None)));
    pop.extend(GrpcCode::ALL.map(|code| fail(RequestKind::Receive, Some(code))));
    all.extend(pop.into_iter().map(Command::Pop));
    all
}

fn faults() -> Vec<Command> {
    let reset = |broker: Option<&str>, queue, target, force| Command::ResetOffset {
        group: name("billing"),
        topic: name("orders"),
        broker: broker.map(name),
        queue,
        target,
        force,
    };
    let transaction = |decision, after_ms, checks: &[Decision]| Command::SendTransaction {
        producer: name("p1"),
        topic: None,
        thread: 1,
        message: MessageSpec { tag: Some(name("commit")), ..spec(1) },
        script: TransactionScript { after_ms, decision, checks: checks.to_vec() },
    };
    let lose = |kind, from: Option<&str>, to: Option<&str>, count, noticed| Command::DropNext {
        from: from.map(name),
        to: to.map(name),
        kind,
        count,
        noticed,
    };
    let clock = |party: &str, ahead_ms| Command::SetClock { party: name(party), ahead_ms };
    let mut all = vec![
        Command::AddBroker { name: name("b") },
        Command::SetOrderConf { topic: name("orders"), conf: Some(name("broker:4;b:4")) },
        Command::SetOrderConf { topic: name("orders"), conf: None },
        Command::StartBroker { broker: None },
        Command::StartBroker { broker: Some(name("b")) },
        reset(None, None, ResetTarget::Latest, true),
        reset(None, Some(1), ResetTarget::Offset(5), true),
        reset(Some("b"), None, ResetTarget::Time(30_000), false),
        reset(Some("b"), Some(0), ResetTarget::Latest, false),
        transaction(Decision::Commit, 0, &[]),
        transaction(Decision::Rollback, 2_000, &[Decision::Rollback]),
        transaction(Decision::Unknown, 500, &[Decision::Unknown, Decision::Commit]),
        Command::SetDisk { broker: None, used_percent: 92 },
        Command::SetDisk { broker: Some(name("b")), used_percent: 0 },
        clock("broker", 0),
        clock("c1", 40_000),
        clock("c1", -500),
        lose(PacketKind::AckAnswer, None, None, 1, false),
        lose(PacketKind::Any, Some("broker"), Some("c1"), 3, true),
        lose(PacketKind::Send, None, Some("broker"), 2, true),
    ];
    all.extend(PACKETS.iter().map(|(_, kind)| lose(*kind, Some("p1"), None, 1, false)));
    for how in [BrokerStop::Clean, BrokerStop::Crash, BrokerStop::PowerLoss] {
        all.push(Command::StopBroker { broker: None, how });
        all.push(Command::StopBroker { broker: Some(name("b")), how });
    }
    all
}
