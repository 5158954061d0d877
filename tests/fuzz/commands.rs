//! Bytes as what people do with a session: commands with legal and senseless values, steps, seeks.

use lockstep_core::command::{
    Attempts, Command, FromWhere, GroupSetting, HandlerRule, Label, ListenerKind, Load,
    MessageSpec, ResetTarget, Selector, SendMode, Subscription, TopicType, TransactionScript,
};
use lockstep_core::event::PacketKind;
use lockstep_core::fact::{BrokerStop, Decision, Outcome, StopKind};
use lockstep_core::ids::Ms;
use lockstep_core::model::{Model, Version, CONSTANTS};
use lockstep_core::pop::{GrpcKind, PopCommand, PopSetting, SimpleMode};
use lockstep_core::session::Session;

/// Most things that are done to one session.
const MOST_ACTS: usize = 60;
/// Most events of one session.
const MOST_EVENTS: u32 = 3_000;

/// Bytes to be read; zeros behind their end.
pub struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    /// These bytes.
    pub fn of(data: &'a [u8]) -> Self {
        Self(data)
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().map_or((0, self.0), |(b, rest)| (*b, rest));
        self.0 = rest;
        first
    }

    fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[usize::from(self.byte()) % list.len()].clone()
    }

    fn name(&mut self, list: &[&str]) -> String {
        self.pick(list).to_owned()
    }

    fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    /// A time, mostly sensible.
    fn ms(&mut self) -> Ms {
        match self.byte() {
            0 => 0,
            1 => Ms::MAX,
            2 => Ms::MIN,
            3 => -1,
            n @ 4..=99 => i64::from(n) * 7,
            n => i64::from(n - 99) * 1_000,
        }
    }

    fn small(&mut self) -> u16 {
        match self.byte() {
            255 => u16::MAX,
            n => u16::from(n % 9),
        }
    }
}

const GROUPS: &[&str] = &["g", "h", "nobody"];
const TOPICS: &[&str] = &["orders", "bills", "nothing"];
const CONSUMERS: &[&str] = &["c1", "c2", "s1", "x1", "p1"];
const PRODUCERS: &[&str] = &["p1", "p2", "c1"];
const BROKERS: &[&str] = &["broker", "b2", "b3"];
const PARTIES: &[&str] = &["c1", "c2", "s1", "x1", "p1", "p2", "broker", "b2", "proxy", "nobody"];
const SERIES: &[&str] = &["A", "B", "C"];

fn label(bytes: &mut Bytes<'_>) -> Label {
    Label { series: bytes.name(SERIES), number: u32::from(bytes.small()) }
}

fn message(bytes: &mut Bytes<'_>) -> MessageSpec {
    let series = bytes.name(SERIES);
    let mut spec = MessageSpec::new(&series, u32::from(bytes.small()));
    match bytes.byte() % 6 {
        0 => spec.delay_level = bytes.byte(),
        1 => spec.timer_delay_ms = bytes.ms(),
        2 => spec.travel_ms = bytes.ms().clamp(0, 100_000),
        3 => spec.tag = Some("t".to_owned()),
        4 => spec.body_bytes = bytes.pick(&[0, 1, 100_000, 4_000_000, u32::MAX]),
        _ => {}
    }
    spec
}

fn subscriptions(bytes: &mut Bytes<'_>) -> Vec<Subscription> {
    let one = |bytes: &mut Bytes<'_>| Subscription {
        topic: bytes.name(TOPICS),
        tags: if bytes.flag() { vec!["t".to_owned()] } else { Vec::new() },
    };
    (0..bytes.byte() % 3).map(|_| one(bytes)).collect()
}

fn setting(bytes: &mut Bytes<'_>) -> GroupSetting {
    match bytes.byte() % 12 {
        0 => GroupSetting::MaxReconsumeTimes(i32::from(bytes.small()) - 2),
        1 => GroupSetting::SuspendMs(bytes.ms()),
        2 => GroupSetting::BatchMax(bytes.small()),
        3 => GroupSetting::Threads(bytes.small()),
        4 => GroupSetting::AutoCommit(bytes.flag()),
        5 => GroupSetting::HandleMs(bytes.ms(), bytes.ms()),
        6 => GroupSetting::FromWhere(FromWhere::Timestamp(bytes.flag().then(|| bytes.ms()))),
        7 => GroupSetting::AwaitTerminationMs(bytes.ms()),
        8 => GroupSetting::Paused(bytes.flag()),
        9 => GroupSetting::RetryQueueNums(bytes.small()),
        10 => GroupSetting::Pop(PopSetting::Orderly(bytes.flag())),
        _ => GroupSetting::Pop(PopSetting::RetryMaxTimes(i32::from(bytes.small()) - 2)),
    }
}

fn pop(bytes: &mut Bytes<'_>) -> PopCommand {
    let consumer = bytes.name(CONSUMERS);
    let max = u32::from(bytes.small());
    match bytes.byte() % 9 {
        0 => PopCommand::Receive { consumer, max, invisible_ms: bytes.ms(), await_ms: bytes.ms() },
        1 => PopCommand::Ack { consumer, message: None },
        2 => PopCommand::Ack { consumer, message: Some(label(bytes)) },
        3 => {
            let (message, invisible_ms) = (label(bytes), bytes.ms());
            PopCommand::ChangeInvisible { consumer, message, invisible_ms }
        }
        4 => PopCommand::AddProxy { name: bytes.name(PARTIES) },
        5 => PopCommand::UseProxy { party: bytes.name(PARTIES), proxy: "proxy".to_owned() },
        6 => PopCommand::RunProxy { proxy: "proxy".to_owned(), up: bytes.flag() },
        7 => {
            let messages = (0..bytes.byte() % 4).map(|_| message(bytes)).collect();
            let (producer, topic) = (bytes.name(PRODUCERS), None);
            PopCommand::SendTogether { producer, topic, thread: bytes.byte() % 3, messages }
        }
        _ => {
            let mode = SimpleMode::Loops {
                max,
                invisible_ms: bytes.ms(),
                await_ms: bytes.ms(),
                loops: bytes.small().min(50),
            };
            let simple = [GrpcKind::Push, GrpcKind::Simple(SimpleMode::Scripted)];
            let kind = if bytes.flag() { GrpcKind::Simple(mode) } else { bytes.pick(&simple) };
            PopCommand::Start { name: consumer, group: bytes.name(GROUPS), kind, threads: None }
        }
    }
}

fn trouble(bytes: &mut Bytes<'_>) -> Command {
    let broker = bytes.flag().then(|| bytes.name(BROKERS));
    match bytes.byte() % 10 {
        0 => Command::Cut { a: bytes.name(PARTIES), b: bytes.name(PARTIES) },
        1 => Command::Heal { a: bytes.name(PARTIES), b: bytes.name(PARTIES) },
        2 => {
            let how = bytes.pick(&[BrokerStop::Clean, BrokerStop::Crash, BrokerStop::PowerLoss]);
            Command::StopBroker { broker, how }
        }
        3 => Command::StartBroker { broker },
        4 => Command::AddBroker { name: bytes.name(BROKERS) },
        5 => Command::SetClock { party: bytes.name(PARTIES), ahead_ms: bytes.ms() },
        6 => Command::SetDisk { broker, used_percent: bytes.byte() },
        7 => {
            let from = bytes.flag().then(|| bytes.name(PARTIES));
            let to = bytes.flag().then(|| bytes.name(PARTIES));
            Command::SetLatency { from, to, ms: bytes.ms() }
        }
        8 => {
            let conf = bytes.flag().then(|| bytes.name(&["broker:4", "b2:1;broker:2", "x:y", ""]));
            Command::SetOrderConf { topic: bytes.name(TOPICS), conf }
        }
        _ => {
            use PacketKind::{AckAnswer, Any, LockAnswer, PullAnswer, Send, SendAnswer};
            let kind = bytes.pick(&[Any, Send, SendAnswer, PullAnswer, LockAnswer, AckAnswer]);
            let (count, noticed) = (u32::from(bytes.small()), bytes.flag());
            Command::DropNext { from: None, to: None, kind, count, noticed }
        }
    }
}

fn sending(bytes: &mut Bytes<'_>) -> Command {
    let (producer, topic) = (bytes.name(PRODUCERS), bytes.flag().then(|| bytes.name(TOPICS)));
    let thread = bytes.byte() % 3;
    match bytes.byte() % 4 {
        0 => {
            let load = Load {
                count: u32::from(bytes.small()) % 100,
                groups: u32::from(bytes.small()) % 20,
                per_second: u32::from(bytes.small()),
                skew_percent: u32::from(bytes.byte()),
                beside: Vec::new(),
            };
            Command::SendLoad { producer, topic, load }
        }
        1 => {
            let decision = [Decision::Commit, Decision::Rollback, Decision::Unknown];
            let script = TransactionScript {
                after_ms: bytes.ms(),
                decision: bytes.pick(&decision),
                checks: vec![bytes.pick(&decision)],
            };
            let message = message(bytes);
            Command::SendTransaction { producer, topic, thread, message, script }
        }
        _ => {
            let messages = (0..bytes.byte() % 6).map(|_| message(bytes)).collect();
            Command::Send { producer, topic, thread, messages, every_ms: bytes.ms() }
        }
    }
}

fn declaring(bytes: &mut Bytes<'_>) -> Command {
    match bytes.byte() % 6 {
        0 => Command::CreateTopic {
            name: bytes.name(TOPICS),
            kind: bytes.pick(&[TopicType::Fifo, TopicType::Normal, TopicType::Mixed]),
            read_queues: bytes.small(),
            write_queues: bytes.small(),
        },
        1 => Command::UpdateTopic {
            name: bytes.name(TOPICS),
            read_queues: bytes.small(),
            write_queues: bytes.small(),
        },
        2 => Command::CreateGroup {
            name: bytes.name(GROUPS),
            subscriptions: subscriptions(bytes),
            listener: bytes.pick(&[ListenerKind::Orderly, ListenerKind::Concurrent]),
        },
        3 => {
            use Selector::{AbsHash, Hash, MessageGroup, Modulo, Queue, RoundRobin};
            let ways = [MessageGroup, Hash, AbsHash, Modulo, RoundRobin, Queue(1), Queue(9)];
            Command::CreateProducer {
                name: bytes.name(PRODUCERS),
                topic: bytes.flag().then(|| bytes.name(TOPICS)),
                selector: bytes.pick(&ways),
                mode: bytes.pick(&[SendMode::Sync, SendMode::Async]),
                threads: bytes.byte() % 4,
            }
        }
        4 => {
            let place = usize::from(bytes.byte()) % CONSTANTS.len();
            Command::SetConstant { name: CONSTANTS[place].name.to_owned(), value: bytes.ms() }
        }
        _ => Command::NameMessageGroup {
            series: bytes.name(SERIES),
            key: bytes.flag().then(|| bytes.name(&["k", "polygenelubricants", "-7"])),
        },
    }
}

fn command(bytes: &mut Bytes<'_>) -> Command {
    let consumer = bytes.name(CONSUMERS);
    match bytes.byte() % 13 {
        0 => declaring(bytes),
        1 | 2 => sending(bytes),
        3 => trouble(bytes),
        4 => Command::Pop(pop(bytes)),
        5 => Command::SetGroup { group: bytes.name(GROUPS), setting: setting(bytes) },
        6 | 7 => {
            let group = bytes.name(GROUPS);
            Command::StartConsumer { name: consumer, group, threads: None }
        }
        8 => {
            use StopKind::{Clean, Crash, Hang, Silent};
            Command::StopConsumer { name: consumer, how: bytes.pick(&[Clean, Crash, Hang, Silent]) }
        }
        9 => Command::ResumeConsumer { name: consumer },
        10 => Command::Subscribe { consumer, subscriptions: subscriptions(bytes) },
        11 => {
            let (group, topic) = (bytes.name(GROUPS), bytes.name(TOPICS));
            let targets = [
                ResetTarget::Latest,
                ResetTarget::Time(bytes.ms()),
                ResetTarget::Offset(bytes.ms()),
            ];
            let target = bytes.pick(&targets);
            let (broker, queue) = (None, bytes.flag().then(|| bytes.small()));
            Command::ResetOffset { group, topic, broker, queue, target, force: bytes.flag() }
        }
        _ => {
            use Outcome::{Commit, Exception, Later, Null, Rollback, Success};
            let outcomes = [Later, Exception, Null, Success, Commit, Rollback];
            Command::Handle(HandlerRule {
                group: None,
                client: None,
                label: bytes.flag().then(|| label(bytes)),
                attempts: bytes.pick(&[Attempts::All, Attempts::First(2), Attempts::Only(1)]),
                outcome: Some(bytes.pick(&outcomes)),
                handle_ms: bytes.flag().then(|| bytes.ms().clamp(0, 1 << 40)),
            })
        }
    }
}

/// A small system that runs already.
fn beginning(model: Model) -> Session {
    let own = str::to_owned;
    let subscriptions = vec![Subscription { topic: own("orders"), tags: Vec::new() }];
    let orders = || Some(own("orders"));
    let (selector, mode) = (Selector::Hash, SendMode::Sync);
    let list = vec![
        Command::CreateTopic {
            name: own("orders"),
            kind: TopicType::Fifo,
            read_queues: 2,
            write_queues: 2,
        },
        Command::CreateGroup { name: own("g"), subscriptions, listener: ListenerKind::Orderly },
        Command::CreateProducer { name: own("p1"), topic: orders(), selector, mode, threads: 2 },
        Command::StartConsumer { name: own("c1"), group: own("g"), threads: None },
    ];
    Session::new(7, model, list.into_iter().map(|command| (0, command)).collect())
}

/// Event number, with the hash and the state behind it.
type Mark = (u32, (u64, u64));

/// Does to a session what the bytes say; also an event on the way, with its hash and state.
pub fn drive(bytes: &mut Bytes<'_>) -> (Session, Mark) {
    let model = bytes.pick(&["5.3", "4.9", "5.1.4", "5.0.0", "documents"]);
    let mut session = beginning(Model::named(model).unwrap_or(Model::of(Version(5, 3, 3))));
    let mut mark = (0, (session.hash(), session.world().digest()));
    for _ in 0..MOST_ACTS {
        if bytes.is_empty() || session.event() >= MOST_EVENTS {
            break;
        }
        match bytes.byte() {
            0..=111 => session.inject(command(bytes)),
            // Between two events, or where there is no such place: over, or behind the next event.
            112..=115 => {
                let at_ms = session.world().now_ms().saturating_add(bytes.ms());
                session.inject_at(at_ms, command(bytes));
            }
            // By hand, and taken back.
            116..=117 => {
                let at_ms = session.world().now_ms() + i64::from(bytes.byte()) * 7;
                session.do_at(at_ms, command(bytes));
            }
            118..=119 => drop(session.take_back()),
            n @ 120..=189 => {
                let steps = u32::from(n - 119) * 4;
                (0..steps).all(|_| session.step());
            }
            190..=219 => drop(session.back()),
            220..=239 => {
                let part = u32::from(bytes.byte());
                session.seek_event(session.event() * part / 255);
            }
            _ => {
                let at_ms = session.world().now_ms() + i64::from(bytes.byte()) * 37 - 4_000;
                if at_ms < session.world().now_ms() {
                    session.seek_time(at_ms);
                }
            }
        }
        if mark.0 == 0 || session.event() < mark.0 {
            mark = (session.event(), (session.hash(), session.world().digest()));
        }
    }
    (session, mark)
}
