//! What a random run is made of, and how it is drawn.

use lockstep_core::event::PacketKind;
use lockstep_core::fact::{BrokerStop, Decision, StopKind};
use lockstep_core::ids::Ms;
use proptest::prelude::*;

/// How a consumer group consumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stack {
    /// Classic, `MessageListenerOrderly`.
    Orderly,
    /// Classic, `MessageListenerConcurrently`.
    Concurrent,
    /// gRPC push consumers of an ordered group.
    FifoPush,
    /// The same with the FIFO accelerator.
    Accelerated,
    /// gRPC push consumers of a group without order.
    FreePush,
    /// Simple consumers of an ordered group, in a loop.
    SimpleLoop,
    /// Simple consumers of an ordered group whose application acts at random.
    SimpleByHand,
}

impl Stack {
    /// Whether its consumers speak gRPC.
    pub fn is_grpc(self) -> bool {
        !matches!(self, Self::Orderly | Self::Concurrent)
    }

    /// Whether it consumes by ordered POP.
    pub fn is_ordered_pop(self) -> bool {
        self.is_grpc() && self != Self::FreePush
    }
}

/// A consumer group.
#[derive(Clone, Debug)]
pub struct Team {
    pub stack: Stack,
    pub consumers: usize,
    pub handle_ms: (Ms, Ms),
    pub batch: u16,
    /// `maxReconsumeTimes`, or `retryMaxTimes` of gRPC consumers; -1 = the default.
    pub limit: i32,
    /// `awaitTerminationMillisWhenShutdown`.
    pub await_ms: Ms,
    pub invisible_ms: Ms,
}

/// What kind of messages a send has.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Plain,
    Level(u8),
    Timer(Ms),
    Transaction { decision: Decision, check: Decision, after_ms: Ms },
}

/// A send: so many messages of a series.
#[derive(Clone, Debug)]
pub struct Send {
    pub at_ms: Ms,
    pub series: usize,
    pub count: u8,
    pub kind: Kind,
}

/// What a consumer that is called by hand does.
#[derive(Clone, Debug)]
pub enum Hand {
    Receive(u32, Ms),
    AckAll,
    Ack(usize, u32),
    Change(usize, u32, Ms),
}

/// Something that goes wrong, or that somebody does. Consumers are chosen by team and number.
#[derive(Clone, Debug)]
pub enum Fault {
    Stop(usize, usize, StopKind),
    Hang(usize, usize, Ms),
    Start(usize, usize),
    Cut(usize, usize, Ms),
    CutProxy(Ms),
    Broker(usize, BrokerStop, Ms),
    Proxy(Ms),
    Lose(PacketKind, u32, bool),
    ClockOfBroker(usize, Ms),
    ClockOfConsumer(usize, usize, Ms),
    ResetTo(usize, Ms),
    ResetQueue(usize, u16, i64),
    ResetLatest(usize),
    Queues(u16, u16),
    Pause(usize, Ms),
    Disk(u8, Ms),
    Hand(usize, usize, Hand),
}

/// A random run.
#[derive(Clone, Debug)]
pub struct Plan {
    pub seed: u64,
    pub model: &'static str,
    pub queues: u16,
    pub two_brokers: bool,
    /// Producers choose as the 5.x path does, else by `SelectMessageQueueByHash`.
    pub by_proxy: bool,
    pub latency_ms: Ms,
    pub small_segments: bool,
    pub teams: Vec<Team>,
    pub sends: Vec<Send>,
    /// Series, number in it, and how many attempts at the message fail.
    pub failures: Vec<(usize, u32, u32)>,
    pub faults: Vec<(Ms, Fault)>,
}

/// Message groups.
pub const SERIES: [&str; 5] = ["A", "B", "C", "D", "E"];
/// Faults begin before this instant.
pub const FAULTS_END_MS: Ms = 120_000;
/// Longest span of a fault.
const LONGEST_MS: Ms = 90_000;

/// 4.9 has classic consumers only.
fn in_model(model: &str, stack: Stack) -> Stack {
    match (model, stack) {
        ("4.9", stack) if stack.is_ordered_pop() => Stack::Orderly,
        ("4.9", Stack::FreePush) => Stack::Concurrent,
        _ => stack,
    }
}

fn goes_round(model: &str) -> bool {
    matches!(model, "5.0.0" | "5.1.0")
}

/// 5.0.0 counts deliveries of a batch, and from the beginning when another is taken (§6.4). What a
/// batch holds depends on the queues that are free, so a message in batches that differ may fail its
/// first attempts for ever.
pub fn counts_batches(model: &str) -> bool {
    model == "5.0.0"
}

/// Longest times to handle a message, the certain part and the rest. In 5.0.0 a renewal does not
/// lengthen the block: a batch of a push consumer that is not through in a minute begins anew for ever
/// (§6.4, §6.5), so 32 messages have to be.
fn longest_handling_ms(model: &str, stack: Stack) -> (Ms, Ms) {
    match (model, stack) {
        ("5.0.0", Stack::FifoPush | Stack::Accelerated) => (600, 900),
        _ => (Ms::MAX, Ms::MAX),
    }
}

fn team(model: &'static str, stacks: &'static [Stack]) -> impl Strategy<Value = Team> {
    let limit = prop_oneof![Just(-1), 0..4i32];
    let handle = prop_oneof![
        4 => (0..800i64, 0..3_000i64),
        2 => (0..3_000i64, 0..6_000i64),
        1 => (0..30_000i64, 0..30_000i64),
    ];
    let times = (handle, prop_oneof![Just(0), 0..4_000i64], 10_000..30_000i64);
    (prop::sample::select(stacks), 1..4usize, 1..4u16, limit, times).prop_map(
        move |(stack, consumers, batch, limit, (handle, await_ms, invisible_ms))| {
            let longest = longest_handling_ms(model, stack);
            let (least_ms, more_ms) = (handle.0.min(longest.0), handle.1.min(longest.1));
            Team {
                stack: in_model(model, stack),
                consumers,
                handle_ms: (least_ms, least_ms + more_ms),
                batch,
                // Up to 5.1.0 an exhausted ordered message goes round in the retry topic for ever
                // (§5.4).
                limit: if stack == Stack::Orderly && goes_round(model) { -1 } else { limit },
                await_ms,
                invisible_ms,
            }
        },
    )
}

fn send() -> impl Strategy<Value = Send> {
    let decision =
        prop_oneof![Just(Decision::Commit), Just(Decision::Rollback), Just(Decision::Unknown)];
    let check = prop_oneof![Just(Decision::Commit), Just(Decision::Rollback)];
    let kind = prop_oneof![
        8 => Just(Kind::Plain),
        1 => (1..6u8).prop_map(Kind::Level),
        1 => (1..40_000i64).prop_map(Kind::Timer),
        1 => (decision, check, 0..20_000i64).prop_map(|(decision, check, after_ms)| {
            Kind::Transaction { decision, check, after_ms }
        }),
    ];
    (500..100_000i64, 0..SERIES.len(), 1..9u8, kind).prop_map(|(at_ms, series, count, kind)| Send {
        at_ms,
        series,
        count,
        kind,
    })
}

fn packet() -> impl Strategy<Value = PacketKind> {
    use PacketKind as K;
    prop::sample::select(vec![
        K::Any,
        K::Send,
        K::SendAnswer,
        K::Pull,
        K::PullAnswer,
        K::Lock,
        K::LockAnswer,
        K::Unlock,
        K::Offsets,
        K::Query,
        K::QueryAnswer,
        K::SendBack,
        K::SendBackAnswer,
        K::Heartbeat,
        K::Unregister,
        K::Notification,
        K::EndTransaction,
        K::CheckTransaction,
        K::Reset,
        K::Receive,
        K::ReceiveAnswer,
        K::Ack,
        K::AckAnswer,
        K::Settings,
        K::SettingsAnswer,
    ])
}

fn hand() -> impl Strategy<Value = Hand> {
    let label = (0..SERIES.len(), 1..8u32);
    prop_oneof![
        (1..17u32, 9_000..30_000i64).prop_map(|(max, ms)| Hand::Receive(max, ms)),
        Just(Hand::AckAll),
        label.clone().prop_map(|(series, number)| Hand::Ack(series, number)),
        (label, 0..30_000i64).prop_map(|((series, number), ms)| Hand::Change(series, number, ms)),
    ]
}

fn fault() -> impl Strategy<Value = (Ms, Fault)> {
    let stop = prop_oneof![Just(StopKind::Clean), Just(StopKind::Crash), Just(StopKind::Silent)];
    let down = prop_oneof![
        3 => Just(BrokerStop::Crash),
        2 => Just(BrokerStop::Clean),
        1 => Just(BrokerStop::PowerLoss)
    ];
    let who = (0..2usize, 0..3usize);
    let span = 100..LONGEST_MS;
    let skew = -50_000..90_000i64;
    let what = prop_oneof![
        5 => (who.clone(), stop).prop_map(|((t, c), how)| Fault::Stop(t, c, how)),
        2 => (who.clone(), span.clone()).prop_map(|((t, c), ms)| Fault::Hang(t, c, ms)),
        5 => who.clone().prop_map(|(t, c)| Fault::Start(t, c)),
        2 => (who.clone(), span.clone()).prop_map(|((t, c), ms)| Fault::Cut(t, c, ms)),
        1 => span.clone().prop_map(Fault::CutProxy),
        2 => (0..2usize, down, 100..60_000i64).prop_map(|(b, how, ms)| Fault::Broker(b, how, ms)),
        1 => (100..60_000i64).prop_map(Fault::Proxy),
        3 => (packet(), 1..5u32, any::<bool>()).prop_map(|(k, n, seen)| Fault::Lose(k, n, seen)),
        1 => (0..2usize, skew.clone()).prop_map(|(b, ms)| Fault::ClockOfBroker(b, ms)),
        1 => (who.clone(), skew).prop_map(|((t, c), ms)| Fault::ClockOfConsumer(t, c, ms)),
        1 => (0..2usize, 0..FAULTS_END_MS).prop_map(|(t, ms)| Fault::ResetTo(t, ms)),
        1 => (0..2usize, 0..5u16, 0..12i64).prop_map(|(t, q, o)| Fault::ResetQueue(t, q, o)),
        1 => (0..2usize).prop_map(Fault::ResetLatest),
        1 => (1..6u16, 1..6u16).prop_map(|(read, write)| Fault::Queues(read, write)),
        1 => (0..2usize, span.clone()).prop_map(|(t, ms)| Fault::Pause(t, ms)),
        1 => (70..96u8, span).prop_map(|(percent, ms)| Fault::Disk(percent, ms)),
    ];
    (1_000..FAULTS_END_MS, what)
}

fn hands() -> impl Strategy<Value = Vec<(Ms, Fault)>> {
    let one = (1_000..FAULTS_END_MS, 0..2usize, 0..3usize, hand());
    prop::collection::vec(one.prop_map(|(at, t, c, hand)| (at, Fault::Hand(t, c, hand))), 10..60)
}

/// Any run with consumer groups of these stacks.
pub fn plan(stacks: &'static [Stack]) -> impl Strategy<Value = Plan> {
    let model = prop::sample::select(vec![
        "5.3",
        "5.3",
        "5.2.0",
        "5.1.4",
        "5.1.0",
        "5.0.0",
        "4.9",
        "documents",
    ]);
    model.prop_flat_map(move |model| {
        let shape = (1..6u16, any::<bool>(), any::<bool>(), 0..30i64, any::<bool>());
        let teams = prop::collection::vec(team(model, stacks), 1..3);
        let sends = prop::collection::vec(send(), 1..20);
        let failures = prop::collection::vec((0..SERIES.len(), 1..8u32, 1..6u32), 0..4);
        let faults = prop::collection::vec(fault(), 0..13);
        (any::<u64>(), shape, teams, sends, (failures, faults, hands())).prop_map(
            move |(seed, shape, teams, mut sends, (failures, mut faults, hands))| {
                let by_hand = |team: &Team| team.stack == Stack::SimpleByHand;
                if teams.iter().any(by_hand) {
                    faults.extend(hands);
                }
                sends.sort_by_key(|send| send.at_ms);
                Plan {
                    seed: seed >> 1,
                    model,
                    queues: shape.0,
                    two_brokers: shape.1,
                    by_proxy: shape.2 && model != "4.9",
                    latency_ms: shape.3,
                    small_segments: shape.4,
                    teams,
                    sends,
                    failures,
                    faults,
                }
            },
        )
    })
}
