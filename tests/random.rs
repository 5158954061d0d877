//! Random topologies, loads and faults on the orderly consumer: whatever happens, what the setting
//! promises is kept. A failure is printed as a scenario file.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::collections::BTreeMap;

use lockstep_core::check::Broken;
use lockstep_core::command::{
    Attempts, Command, FromWhere, GroupSetting, HandlerRule, Label, ListenerKind, MessageSpec,
    Selector, SendMode, Subscription, TopicType,
};
use lockstep_core::fact::{Fact, Outcome, StopKind, StoredKind};
use lockstep_core::ids::{MessageQueue, Ms};
use lockstep_core::model::Model;
use lockstep_core::session::Session;
use proptest::prelude::*;

/// One fault of a run.
#[derive(Clone, Debug)]
enum Fault {
    Stop(usize, StopKind),
    Hang(usize, Ms),
    Cut(usize, Ms),
    Start(usize),
}

/// A random run.
#[derive(Clone, Debug)]
struct Plan {
    seed: u64,
    model: &'static str,
    queues: u16,
    consumers: usize,
    latency_ms: Ms,
    handle_ms: (Ms, Ms),
    batch: u16,
    max_reconsume: i32,
    sends: Vec<(Ms, u8, u8)>,
    failures: Vec<(u8, u32, u32)>,
    faults: Vec<(Ms, Fault)>,
}

const GROUPS: [&str; 5] = ["A", "B", "C", "D", "E"];
const FAULTS_END_MS: Ms = 120_000;
const END_MS: Ms = 1_500_000;

fn consumer(index: usize) -> String {
    format!("c{index}")
}

fn fault() -> impl Strategy<Value = (Ms, Fault)> {
    let stop = prop_oneof![Just(StopKind::Clean), Just(StopKind::Crash), Just(StopKind::Silent)];
    let what = prop_oneof![
        (0..4usize, stop).prop_map(|(who, how)| Fault::Stop(who, how)),
        (0..4usize, 100..90_000i64).prop_map(|(who, ms)| Fault::Hang(who, ms)),
        (0..4usize, 100..90_000i64).prop_map(|(who, ms)| Fault::Cut(who, ms)),
        (0..4usize).prop_map(Fault::Start),
    ];
    (1_000..FAULTS_END_MS, what)
}

fn plan() -> impl Strategy<Value = Plan> {
    let model = prop_oneof![Just("5.3"), Just("5.1"), Just("4.9")];
    let sends = prop::collection::vec((500..100_000i64, 0..5u8, 1..6u8), 1..20);
    let failures = prop::collection::vec((0..5u8, 1..8u32, 1..6u32), 0..4);
    let shape = (any::<u64>(), model, 1..6u16, 1..4usize, 0..30i64);
    let handling = ((0..800i64, 0..6_000i64), 1..4u16, prop_oneof![Just(-1), 0..4i32]);
    (shape, handling, sends, failures, prop::collection::vec(fault(), 0..6)).prop_map(
        |(shape, handling, sends, failures, faults)| Plan {
            seed: shape.0,
            model: shape.1,
            queues: shape.2,
            consumers: shape.3,
            latency_ms: shape.4,
            handle_ms: (handling.0 .0, handling.0 .0 + handling.0 .1),
            batch: handling.1,
            max_reconsume: handling.2,
            sends,
            failures,
            faults,
        },
    )
}

fn commands(plan: &Plan) -> Vec<(Ms, Command)> {
    let own = str::to_owned;
    let group = || own("billing");
    let setting = |setting| Command::SetGroup { group: group(), setting };
    let mut list = vec![
        Command::SetLatency { from: None, to: None, ms: plan.latency_ms },
        Command::CreateTopic {
            name: own("orders"),
            kind: TopicType::Fifo,
            read_queues: plan.queues,
            write_queues: plan.queues,
        },
        Command::CreateGroup {
            name: group(),
            subscriptions: vec![Subscription { topic: own("orders"), tags: Vec::new() }],
            listener: ListenerKind::Orderly,
        },
        setting(GroupSetting::HandleMs(plan.handle_ms.0, plan.handle_ms.1)),
        setting(GroupSetting::BatchMax(plan.batch)),
        // With the default, LAST, a new group may rightly skip what is stored while it starts.
        setting(GroupSetting::FromWhere(FromWhere::First)),
        setting(GroupSetting::MaxReconsumeTimes(plan.max_reconsume)),
        Command::CreateProducer {
            name: own("p1"),
            topic: Some(own("orders")),
            selector: Selector::Hash,
            mode: SendMode::Sync,
            threads: 1,
        },
    ];
    let start = |name| Command::StartConsumer { name, group: group(), threads: None };
    list.extend((0..plan.consumers).map(|i| start(consumer(i))));
    for (series, number, times) in &plan.failures {
        list.push(Command::Handle(HandlerRule {
            group: None,
            client: None,
            label: Some(Label { series: own(GROUPS[usize::from(*series)]), number: *number }),
            attempts: Attempts::First(*times),
            outcome: Some(Outcome::Later),
            handle_ms: None,
        }));
    }
    let mut timed: Vec<(Ms, Command)> = list.into_iter().map(|c| (0, c)).collect();
    let mut numbers = [0; GROUPS.len()];
    let mut sends = plan.sends.clone();
    sends.sort_unstable();
    for (at_ms, series, count) in sends {
        let series = usize::from(series);
        let messages = (0..count).map(|_| {
            numbers[series] += 1;
            MessageSpec::new(GROUPS[series], numbers[series])
        });
        let messages = messages.collect();
        let send =
            Command::Send { producer: own("p1"), topic: None, thread: 0, messages, every_ms: 0 };
        timed.push((at_ms, send));
    }
    for (at_ms, fault) in &plan.faults {
        let broker = || own("broker");
        match fault {
            Fault::Stop(who, how) => {
                timed.push((*at_ms, Command::StopConsumer { name: consumer(*who), how: *how }));
            }
            Fault::Hang(who, ms) => {
                let name = consumer(*who);
                timed.push((
                    *at_ms,
                    Command::StopConsumer { name: name.clone(), how: StopKind::Hang },
                ));
                timed.push((at_ms + ms, Command::ResumeConsumer { name }));
            }
            Fault::Cut(who, ms) => {
                timed.push((*at_ms, Command::Cut { a: consumer(*who), b: broker() }));
                timed.push((at_ms + ms, Command::Heal { a: consumer(*who), b: broker() }));
            }
            Fault::Start(who) => timed.push((*at_ms, start(consumer(*who)))),
        }
    }
    // Somebody is there at the end.
    timed.push((FAULTS_END_MS + 100_000, start(own("last"))));
    timed
}

/// What a stored queue looks like to the shadow model: the messages, and which were finished.
#[derive(Default)]
struct Shadow {
    stored: Vec<u32>,
    finished: Vec<bool>,
    /// Offsets in the order in which they were begun for the first time.
    first_begun: Vec<u32>,
}

/// The shadow model: a queue is a list; first deliveries go through it from front to back; nothing
/// is committed that was not finished; at the end everything is finished.
fn judge(session: &Session) -> Result<(), TestCaseError> {
    let world = session.world();
    let orders = world.shared.names.topic("orders").unwrap();
    let mut queues: BTreeMap<MessageQueue, Shadow> = BTreeMap::new();
    for record in session.facts() {
        let at = format!("at {} ms, event {}", record.at_ms, record.event);
        match record.fact {
            Fact::MessageStored { msg, queue, offset, kind: StoredKind::Sent } => {
                let shadow = queues.entry(queue).or_default();
                prop_assert_eq!(offset as usize, shadow.stored.len(), "{}", at);
                shadow.stored.push(msg.0);
                shadow.finished.push(false);
            }
            Fact::HandlingStarted { queue, offset, msg, .. } if queue.topic == orders => {
                let shadow = queues.entry(queue).or_default();
                prop_assert_eq!(shadow.stored.get(offset as usize), Some(&msg.0), "{}", at);
                if !shadow.first_begun.contains(&offset) {
                    prop_assert_eq!(offset as usize, shadow.first_begun.len(), "{}", at);
                    shadow.first_begun.push(offset);
                }
            }
            Fact::MessageAcknowledged { queue, offset, .. } if queue.topic == orders => {
                queues.entry(queue).or_default().finished[offset as usize] = true;
            }
            Fact::DeadLettered { msg, .. } => {
                for shadow in queues.values_mut() {
                    if let Some(place) = shadow.stored.iter().position(|m| *m == msg.0) {
                        shadow.finished[place] = true;
                    }
                }
            }
            Fact::OffsetCommitted { queue, offset, .. } if queue.topic == orders => {
                let shadow = queues.entry(queue).or_default();
                let passed = &shadow.finished[..offset as usize];
                prop_assert!(passed.iter().all(|done| *done), "offset {} passes, {}", offset, at);
            }
            _ => {}
        }
    }
    for (queue, shadow) in &queues {
        let open = shadow.finished.iter().position(|done| !done);
        prop_assert_eq!(open, None, "unfinished offset in {:?}", queue);
    }
    for violation in session.violations() {
        prop_assert!(!matches!(violation.broken, Broken::Order { .. }), "{:?}", violation);
    }
    Ok(())
}

fn run(plan: &Plan) -> Result<(), TestCaseError> {
    let model = Model::named(plan.model).unwrap();
    let mut session = Session::new(plan.seed, model, commands(plan));
    session.run_until(END_MS);
    judge(&session).map_err(|error| {
        let mut text = format!("seed {}\nmodel {}\n", plan.seed, plan.model);
        for (at_ms, command) in session.journal() {
            text += &lockstep_core::scenario::say(*at_ms, command);
            text += "\n";
        }
        TestCaseError::fail(format!("{error}\n--- as a scenario ---\n{text}"))
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: std::env::var("LOCKSTEP_RANDOM_RUNS").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn ordered_messages_stay_ordered_and_none_is_lost(plan in plan()) {
        run(&plan)?;
    }
}
