//! A plan as commands.

use lockstep_core::command::{
    Attempts, Command, FromWhere, GroupSetting, HandlerRule, Label, ListenerKind, MessageSpec,
    ResetTarget, Selector, SendMode, Subscription, TopicType, TransactionScript,
};
use lockstep_core::fact::{Decision, Outcome, StopKind};
use lockstep_core::ids::Ms;
use lockstep_core::pop::{Backoff, GrpcKind, PopCommand, PopSetting, SimpleMode};

use super::plan::{counts_batches, Fault, Hand, Kind, Plan, Stack, Team, FAULTS_END_MS, SERIES};

/// Everything is whole again.
pub const HEALED_MS: Ms = FAULTS_END_MS + 100_000;
/// The consumer groups.
pub const TEAMS: [&str; 2] = ["g", "h"];

const TOPIC: &str = "orders";
const BROKERS: [&str; 2] = ["broker", "b2"];

fn own(text: &str) -> String {
    text.to_owned()
}

/// Name of a team's consumer.
fn consumer(team: usize, number: usize) -> String {
    format!("{}{number}", TEAMS[team])
}

fn label(series: usize, number: u32) -> Label {
    Label { series: own(SERIES[series]), number }
}

fn start(name: String, plan: &Plan, team: &Team, group: &str, last: bool) -> Command {
    let kind = match team.stack {
        Stack::Orderly | Stack::Concurrent => {
            return Command::StartConsumer { name, group: own(group), threads: None }
        }
        Stack::SimpleByHand if !last => GrpcKind::Simple(SimpleMode::Scripted),
        Stack::SimpleLoop | Stack::SimpleByHand => GrpcKind::Simple(SimpleMode::Loops {
            max: if last && counts_batches(plan.model) { 1 } else { u32::from(team.batch) * 2 },
            // The last one has time enough for whatever it receives.
            invisible_ms: if last { 600_000 } else { team.invisible_ms },
            await_ms: 10_000,
            loops: 1,
        }),
        Stack::FifoPush | Stack::Accelerated | Stack::FreePush => GrpcKind::Push,
    };
    Command::Pop(PopCommand::Start { name, group: own(group), kind, threads: None })
}

fn declare_team(team: &Team, group: &str) -> Vec<Command> {
    let listener = match team.stack {
        Stack::Concurrent => ListenerKind::Concurrent,
        _ => ListenerKind::Orderly,
    };
    let subscriptions = vec![Subscription { topic: own(TOPIC), tags: Vec::new() }];
    let mut settings = vec![
        GroupSetting::HandleMs(team.handle_ms.0, team.handle_ms.1),
        GroupSetting::BatchMax(team.batch),
        // With the default, LAST, a new group may rightly skip what is stored while it starts.
        GroupSetting::FromWhere(FromWhere::First),
        GroupSetting::MaxReconsumeTimes(team.limit),
        GroupSetting::AwaitTerminationMs(team.await_ms),
    ];
    if team.stack.is_grpc() {
        let waits: Vec<Ms> = vec![1_000, 2_000];
        settings.push(GroupSetting::Pop(PopSetting::Orderly(team.stack.is_ordered_pop())));
        settings.push(GroupSetting::Pop(PopSetting::RetryMaxTimes(team.limit)));
        settings.push(GroupSetting::Pop(PopSetting::Backoff(Backoff::Customized(waits.into()))));
        let fast = team.stack == Stack::Accelerated;
        settings.push(GroupSetting::Pop(PopSetting::Accelerator(fast)));
    }
    let create = Command::CreateGroup { name: own(group), subscriptions, listener };
    let set = |setting| Command::SetGroup { group: own(group), setting };
    std::iter::once(create).chain(settings.into_iter().map(set)).collect()
}

fn declare(plan: &Plan) -> Vec<Command> {
    let mut list = vec![Command::SetLatency { from: None, to: None, ms: plan.latency_ms }];
    if plan.two_brokers {
        list.push(Command::AddBroker { name: own(BROKERS[1]) });
    }
    if plan.small_segments {
        list.push(Command::SetConstant { name: own("mappedFileSizeCommitLog"), value: 2_048 });
    }
    list.push(Command::CreateTopic {
        name: own(TOPIC),
        kind: TopicType::Fifo,
        read_queues: plan.queues,
        write_queues: plan.queues,
    });
    for (team, group) in plan.teams.iter().zip(TEAMS) {
        list.extend(declare_team(team, group));
    }
    let by = if plan.by_proxy { Selector::MessageGroup } else { Selector::Hash };
    for (name, selector) in [("p1", by), ("p2", Selector::Hash)] {
        list.push(Command::CreateProducer {
            name: own(name),
            topic: Some(own(TOPIC)),
            selector,
            mode: SendMode::Sync,
            threads: 1,
        });
    }
    for (number, team) in plan.teams.iter().enumerate() {
        let consumers = (0..team.consumers).map(|i| consumer(number, i));
        list.extend(consumers.map(|name| start(name, plan, team, TEAMS[number], false)));
    }
    let sent = |s: &usize, number: &u32| *number <= sent(plan, *s);
    for (series, number, times) in plan.failures.iter().filter(|(s, n, _)| sent(s, n)) {
        list.push(Command::Handle(HandlerRule {
            group: None,
            client: None,
            label: Some(label(*series, *number)),
            attempts: Attempts::First(*times),
            outcome: Some(Outcome::Later),
            handle_ms: None,
        }));
    }
    list
}

fn send(plan: &Plan, send: &super::plan::Send, numbers: &mut [u32]) -> Vec<Command> {
    // What the 5.x path refuses for a FIFO topic goes through a classic producer.
    let producer = || own(if matches!(send.kind, Kind::Plain) { "p1" } else { "p2" });
    let mut specs = Vec::new();
    for _ in 0..send.count {
        numbers[send.series] += 1;
        let mut spec = MessageSpec::new(SERIES[send.series], numbers[send.series]);
        spec.body_bytes = 100 + (plan.seed % 7) as u32 * 50;
        match send.kind {
            Kind::Level(level) => spec.delay_level = level,
            // Arbitrary times are 5.x's; before that such a message would wait for ever.
            Kind::Timer(ms) if plan.model != "4.9" => spec.timer_delay_ms = ms,
            Kind::Plain | Kind::Timer(_) | Kind::Transaction { .. } => {}
        }
        specs.push(spec);
    }
    let Kind::Transaction { decision, check, after_ms } = send.kind else {
        let (topic, thread, every_ms) = (None, 0, 0);
        return vec![Command::Send {
            producer: producer(),
            topic,
            thread,
            messages: specs,
            every_ms,
        }];
    };
    // A check may come before the local transaction has decided; it answers the same.
    let check = if decision == Decision::Unknown { check } else { decision };
    let script = TransactionScript { after_ms, decision, checks: vec![check] };
    let half = |message| {
        let (topic, thread, script) = (None, 0, script.clone());
        Command::SendTransaction { producer: producer(), topic, thread, message, script }
    };
    specs.into_iter().map(half).collect()
}

/// How many messages of a series are sent.
fn sent(plan: &Plan, series: usize) -> u32 {
    let of_series = plan.sends.iter().filter(|send| send.series == series);
    of_series.map(|send| u32::from(send.count)).sum()
}

/// Commands of a fault, with their instants.
fn happen(plan: &Plan, at_ms: Ms, fault: &Fault) -> Vec<(Ms, Command)> {
    let team = |t: &usize| *t % plan.teams.len();
    let name = |t: &usize, c: &usize| consumer(team(t), *c % plan.teams[team(t)].consumers);
    let brokers = 1 + usize::from(plan.two_brokers);
    let broker = |b: &usize| own(BROKERS[*b % brokers]);
    let other = |b: &usize| (!b.is_multiple_of(brokers)).then(|| broker(b));
    let group = |t: &usize| own(TEAMS[team(t)]);
    let pop = Command::Pop;
    let reset = |t: &usize, queue: Option<u16>, target| {
        let (broker, force) = (None, true);
        Command::ResetOffset { group: group(t), topic: own(TOPIC), broker, queue, target, force }
    };
    let cut = |a: String, b: String, ms: &Ms| {
        let (x, y) = (a.clone(), b.clone());
        vec![(at_ms, Command::Cut { a, b }), (at_ms + ms, Command::Heal { a: x, b: y })]
    };
    let once = |command| vec![(at_ms, command)];
    match fault {
        Fault::Stop(t, c, how) => once(Command::StopConsumer { name: name(t, c), how: *how }),
        Fault::Hang(t, c, ms) => vec![
            (at_ms, Command::StopConsumer { name: name(t, c), how: StopKind::Hang }),
            (at_ms + ms, Command::ResumeConsumer { name: name(t, c) }),
        ],
        Fault::Start(t, c) => {
            // One more than there are from the beginning.
            let t = team(t);
            let number = *c % (plan.teams[t].consumers + 1);
            once(start(consumer(t, number), plan, &plan.teams[t], TEAMS[t], false))
        }
        Fault::Cut(t, c, ms) if plan.teams[team(t)].stack.is_grpc() => {
            cut(name(t, c), own("proxy"), ms)
        }
        Fault::Cut(t, c, ms) => cut(name(t, c), own(BROKERS[0]), ms),
        Fault::CutProxy(ms) => cut(own("proxy"), own(BROKERS[0]), ms),
        Fault::Broker(b, how, ms) => vec![
            (at_ms, Command::StopBroker { broker: other(b), how: *how }),
            (at_ms + ms, Command::StartBroker { broker: other(b) }),
        ],
        Fault::Proxy(ms) => vec![
            (at_ms, pop(PopCommand::RunProxy { proxy: own("proxy"), up: false })),
            (at_ms + ms, pop(PopCommand::RunProxy { proxy: own("proxy"), up: true })),
        ],
        Fault::Lose(kind, count, noticed) => once(Command::DropNext {
            from: None,
            to: None,
            kind: *kind,
            count: *count,
            noticed: *noticed,
        }),
        Fault::ClockOfBroker(b, ms) => once(Command::SetClock { party: broker(b), ahead_ms: *ms }),
        Fault::ClockOfConsumer(t, c, ms) => {
            once(Command::SetClock { party: name(t, c), ahead_ms: *ms })
        }
        Fault::ResetTo(t, ms) => once(reset(t, None, ResetTarget::Time(*ms))),
        Fault::ResetQueue(t, q, offset) => once(reset(t, Some(*q), ResetTarget::Offset(*offset))),
        Fault::ResetLatest(t) => once(reset(t, None, ResetTarget::Latest)),
        Fault::Queues(read, write) => once(Command::UpdateTopic {
            name: own(TOPIC),
            read_queues: *read,
            write_queues: *write,
        }),
        Fault::Pause(t, ms) => {
            let set = |on| Command::SetGroup { group: group(t), setting: GroupSetting::Paused(on) };
            vec![(at_ms, set(true)), (at_ms + ms, set(false))]
        }
        Fault::Disk(used_percent, ms) => {
            let set = |used_percent| Command::SetDisk { broker: None, used_percent };
            vec![(at_ms, set(*used_percent)), (at_ms + ms, set(10))]
        }
        Fault::Hand(_, _, Hand::Ack(s, n) | Hand::Change(s, n, _)) if *n > sent(plan, *s) => {
            Vec::new()
        }
        Fault::Hand(t, c, hand) if plan.teams[team(t)].stack == Stack::SimpleByHand => {
            let consumer = name(t, c);
            once(pop(match hand {
                Hand::Receive(max, invisible_ms) => PopCommand::Receive {
                    consumer,
                    max: *max,
                    invisible_ms: *invisible_ms,
                    await_ms: 5_000,
                },
                Hand::AckAll => PopCommand::Ack { consumer, message: None },
                Hand::Ack(s, n) => PopCommand::Ack { consumer, message: Some(label(*s, *n)) },
                Hand::Change(s, n, ms) => {
                    let (message, invisible_ms) = (label(*s, *n), *ms);
                    PopCommand::ChangeInvisible { consumer, message, invisible_ms }
                }
            }))
        }
        Fault::Hand(..) => Vec::new(),
    }
}

fn starts(command: &Command, who: &str) -> bool {
    match command {
        Command::StartConsumer { name, .. } | Command::Pop(PopCommand::Start { name, .. }) => {
            name == who
        }
        _ => false,
    }
}

/// The run's commands by instant.
pub fn journal(plan: &Plan) -> Vec<(Ms, Command)> {
    let mut list: Vec<(Ms, Command)> = declare(plan).into_iter().map(|c| (0, c)).collect();
    let mut numbers = [0; SERIES.len()];
    for one in &plan.sends {
        list.extend(send(plan, one, &mut numbers).into_iter().map(|c| (one.at_ms, c)));
    }
    for (at_ms, fault) in &plan.faults {
        list.extend(happen(plan, *at_ms, fault));
    }
    // Every queue can be read again, and somebody is there to the end.
    let most = 5.max(plan.queues);
    list.push((
        HEALED_MS,
        Command::UpdateTopic { name: own(TOPIC), read_queues: most, write_queues: most },
    ));
    for (number, (team, group)) in plan.teams.iter().zip(TEAMS).enumerate() {
        // What a gRPC client never got because the answer was lost is renewed for it for three hours
        // (§11.7): its end gives it back.
        if team.stack.is_grpc() {
            let names = (0..=team.consumers).map(|i| consumer(number, i));
            let known = names.filter(|name| list.iter().any(|(_, c)| starts(c, name)));
            let stop = |name| Command::StopConsumer { name, how: StopKind::Clean };
            let stops: Vec<Command> = known.map(stop).collect();
            list.extend(stops.into_iter().map(|command| (HEALED_MS, command)));
        }
        list.push((HEALED_MS, start(format!("{group}-last"), plan, team, group, true)));
    }
    list.sort_by_key(|(at_ms, _)| *at_ms);
    drop_resets_of_nothing(&mut list);
    list
}

/// A text cannot ask for the reset of a queue that there is not at that instant, and a run that fails
/// is written as a text.
fn drop_resets_of_nothing(list: &mut Vec<(Ms, Command)>) {
    let mut queues = 0;
    list.retain(|(_, command)| match command {
        Command::CreateTopic { read_queues, .. } | Command::UpdateTopic { read_queues, .. } => {
            queues = *read_queues;
            true
        }
        Command::ResetOffset { queue: Some(id), .. } => *id < queues,
        _ => true,
    });
}
