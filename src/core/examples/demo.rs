//! Prints the facts of a small run; a scratch pad for people who change the engine.
#![allow(clippy::print_stdout, reason = "an example prints")]

use lockstep_core::command::*;
use lockstep_core::fact::Outcome;
use lockstep_core::model::Model;
use lockstep_core::session::Session;

fn main() {
    let label = |s: &str, n| Label { series: s.to_owned(), number: n };
    let commands = vec![
        (
            0,
            Command::CreateTopic {
                name: "orders".into(),
                kind: TopicType::Fifo,
                read_queues: 2,
                write_queues: 2,
            },
        ),
        (
            0,
            Command::CreateGroup {
                name: "billing".into(),
                subscriptions: vec![Subscription { topic: "orders".into(), tags: vec![] }],
                listener: ListenerKind::Orderly,
            },
        ),
        (
            0,
            Command::SetGroup {
                group: "billing".into(),
                setting: GroupSetting::HandleMs(400, 400),
            },
        ),
        (
            0,
            Command::CreateProducer {
                name: "p1".into(),
                topic: Some("orders".into()),
                selector: Selector::Hash,
                mode: SendMode::Sync,
                threads: 1,
            },
        ),
        (
            0,
            Command::StartConsumer { name: "c1".into(), group: "billing".into(), threads: Some(2) },
        ),
        (
            0,
            Command::Handle(HandlerRule {
                group: None,
                client: None,
                label: Some(label("A", 2)),
                attempts: Attempts::All,
                outcome: Some(Outcome::Later),
                handle_ms: None,
            }),
        ),
        (
            1000,
            Command::Send {
                producer: "p1".into(),
                topic: None,
                thread: 0,
                messages: vec![
                    MessageSpec::new("A", 1),
                    MessageSpec::new("A", 2),
                    MessageSpec::new("A", 3),
                    MessageSpec::new("B", 1),
                ],
                every_ms: 0,
            },
        ),
        (
            9000,
            Command::SetGroup {
                group: "billing".into(),
                setting: GroupSetting::MaxReconsumeTimes(3),
            },
        ),
        (
            15000,
            Command::StopConsumer { name: "c1".into(), how: lockstep_core::fact::StopKind::Clean },
        ),
    ];
    let mut session =
        Session::new(7, Model::named("5.3").unwrap_or_else(|| unreachable!()), commands);
    session.run_until(30_000);
    for record in session.facts() {
        println!("{:>6} #{:<4} {:?}", record.at_ms, record.event, record.fact);
    }
    println!("{:016x} {} events", session.hash(), session.event());
}
