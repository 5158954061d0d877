//! Building a run: one topic, one consumer group, producers that aim at a queue, consumers. All
//! instants are those of the case; its 0 lies well inside the run, so that a history can precede it.

use super::run::Run;
use lockstep_core::command::{
    Attempts, Command, GroupSetting, HandlerRule, ListenerKind, MessageSpec, Selector, SendMode,
    Subscription, TopicType,
};
use lockstep_core::fact::{Outcome, StopKind};
use lockstep_core::ids::Ms;
use lockstep_core::model::{Model, Version};

/// Where the case's instant 0 lies: a multiple of every period of broker and client.
pub const ZERO_MS: Ms = 600_000;
/// The topic.
pub const TOPIC: &str = "T";
/// The consumer group.
pub const GROUP: &str = "G";
/// Whoever owns the queue first.
pub const OWNER: &str = "owner";
/// A consumer that takes the only queue from [`OWNER`] when it joins: its name sorts first.
pub const JOINER: &str = "joiner";
/// A consumer that gets the only queue when [`OWNER`] leaves: its name sorts last.
pub const WAITER: &str = "waiter";

/// A run under construction.
pub struct Stage {
    model: Model,
    journal: Vec<(Ms, Command)>,
}

/// What a listener does: for which consumer, with which message, when and for how long.
#[derive(Clone, Copy)]
pub struct Script<'a> {
    /// For this consumer only.
    pub client: Option<&'a str>,
    /// For this message only.
    pub number: Option<u32>,
    /// Which attempts.
    pub attempts: Attempts,
    /// What it returns.
    pub outcome: Option<Outcome>,
    /// How long a call takes.
    pub handle_ms: Option<Ms>,
}

impl Default for Script<'_> {
    fn default() -> Self {
        Self { client: None, number: None, attempts: Attempts::All, outcome: None, handle_ms: None }
    }
}

impl Stage {
    /// A topic with `queues` queues and a consumer group with an orderly listener that needs no time.
    pub fn new(version: Version, queues: u16) -> Self {
        Self::with(version, queues, queues, ListenerKind::Orderly)
    }

    /// As [`Stage::new`], with different queue counts and any listener.
    pub fn with(
        version: Version,
        read_queues: u16,
        write_queues: u16,
        listener: ListenerKind,
    ) -> Self {
        let subscriptions = vec![Subscription { topic: TOPIC.to_owned(), tags: Vec::new() }];
        let journal = vec![
            Command::CreateTopic {
                name: TOPIC.to_owned(),
                kind: TopicType::Normal,
                read_queues,
                write_queues,
            },
            Command::CreateGroup { name: GROUP.to_owned(), subscriptions, listener },
            Command::SetGroup { group: GROUP.to_owned(), setting: GroupSetting::HandleMs(0, 0) },
        ];
        let journal = journal.into_iter().map(|command| (0, command)).collect();
        Self { model: Model::of(version), journal }
    }

    /// As [`Stage::new`], with a subscription to one tag.
    pub fn tagged(version: Version, queues: u16, tag: &str) -> Self {
        let mut stage = Self::new(version, queues);
        for (_, command) in &mut stage.journal {
            if let Command::CreateGroup { subscriptions, .. } = command {
                for subscription in subscriptions {
                    subscription.tags = vec![tag.to_owned()];
                }
            }
        }
        stage
    }

    /// The model, for overriding a constant.
    pub fn model(&mut self) -> &mut Model {
        &mut self.model
    }

    /// A command at an instant of the case.
    pub fn at(&mut self, at_ms: Ms, command: Command) {
        self.journal.push((ZERO_MS + at_ms, command));
    }

    /// A setting of the group, from the beginning.
    pub fn set(&mut self, setting: GroupSetting) {
        self.journal.push((0, Command::SetGroup { group: GROUP.to_owned(), setting }));
    }

    /// A rule of the listener script, from the beginning. Later rules win.
    pub fn script(&mut self, script: Script<'_>) {
        self.journal.push((0, handle(script)));
    }

    /// A rule of the listener script from an instant on.
    pub fn script_at(&mut self, at_ms: Ms, script: Script<'_>) {
        self.at(at_ms, handle(script));
    }

    /// Messages that are stored in a queue at an instant, with these numbers.
    pub fn store(&mut self, at_ms: Ms, queue: u16, numbers: impl IntoIterator<Item = u32>) {
        self.store_specs(
            at_ms,
            queue,
            numbers.into_iter().map(|number| MessageSpec::new("m", number)).collect(),
        );
    }

    /// Messages that are sent to a queue at an instant.
    pub fn store_specs(&mut self, at_ms: Ms, queue: u16, messages: Vec<MessageSpec>) {
        let producer = format!("to-{queue}");
        let known = self.journal.iter().any(
            |(_, command)| matches!(command, Command::CreateProducer { name, .. } if *name == producer),
        );
        if !known {
            let create = Command::CreateProducer {
                name: producer.clone(),
                topic: Some(TOPIC.to_owned()),
                selector: Selector::Queue(queue),
                mode: SendMode::Sync,
                threads: 1,
            };
            self.journal.push((0, create));
        }
        self.at(at_ms, Command::Send { producer, topic: None, thread: 0, messages, every_ms: 0 });
    }

    /// A consumer starts.
    pub fn start(&mut self, at_ms: Ms, name: &str) {
        let start = Command::StartConsumer {
            name: name.to_owned(),
            group: GROUP.to_owned(),
            threads: None,
        };
        self.at(at_ms, start);
    }

    /// A consumer ends.
    pub fn stop(&mut self, at_ms: Ms, name: &str, how: StopKind) {
        self.at(at_ms, Command::StopConsumer { name: name.to_owned(), how });
    }

    /// What the broker sends to a consumer at this one instant arrives `late_ms` later.
    pub fn delay_broker(&mut self, at_ms: Ms, to: &str, late_ms: Ms) {
        let latency = |ms| Command::SetLatency {
            from: Some("broker".to_owned()),
            to: Some(to.to_owned()),
            ms,
        };
        self.at(at_ms, latency(late_ms));
        self.at(at_ms + 1, latency(0));
    }

    /// The broker crashes and is up again.
    pub fn restart_broker(&mut self, down_ms: Ms, up_ms: Ms) {
        self.at(
            down_ms,
            Command::StopBroker { broker: None, how: lockstep_core::fact::BrokerStop::Crash },
        );
        self.at(up_ms, Command::StartBroker { broker: None });
    }

    /// Starts the run.
    pub fn run(self) -> Run {
        Run::new(self.model, self.journal)
    }

    /// The commands so far, for a run that is repeated with more of them.
    pub fn again(&self) -> Self {
        Self { model: self.model.clone(), journal: self.journal.clone() }
    }
}

fn handle(script: Script<'_>) -> Command {
    let label = script.number.map(|number| MessageSpec::new("m", number).label);
    Command::Handle(HandlerRule {
        group: None,
        client: script.client.map(str::to_owned),
        label,
        attempts: script.attempts,
        outcome: script.outcome,
        handle_ms: script.handle_ms,
    })
}
