//! A small run for tests: commands by instant, facts with their instants.
#![allow(dead_code, reason = "each test program uses a part")]

use lockstep_core::command::{
    Command, GroupSetting, ListenerKind, MessageSpec, ResetTarget, Selector, SendMode,
    Subscription, TopicType,
};
use lockstep_core::fact::Fact;
use lockstep_core::ids::{BrokerId, ClientId, GroupId, MessageQueue, Ms};
use lockstep_core::model::{Model, Version};
use lockstep_core::world::World;

/// A run under construction and its facts.
pub struct Play {
    /// The modelled RocketMQ.
    pub model: Model,
    journal: Vec<(Ms, Command)>,
    /// The system.
    pub world: World,
    /// Facts so far.
    pub facts: Vec<(Ms, Fact)>,
    begun: bool,
}

impl Play {
    /// Topic `orders` and group `billing` of a release.
    pub fn new(version: Version, queues: u16, listener: ListenerKind) -> Self {
        let model = Model::of(version);
        let world = World::new(7, model.clone());
        let mut play = Self { model, journal: Vec::new(), world, facts: Vec::new(), begun: false };
        play.at(
            0,
            Command::CreateTopic {
                name: "orders".to_owned(),
                kind: TopicType::Normal,
                read_queues: queues,
                write_queues: queues,
            },
        );
        play.at(
            0,
            Command::CreateGroup {
                name: "billing".to_owned(),
                subscriptions: vec![subscription("orders", &[])],
                listener,
            },
        );
        play
    }

    /// A command at an instant.
    pub fn at(&mut self, at_ms: Ms, command: Command) {
        self.journal.push((at_ms, command));
    }

    /// A setting of the group.
    pub fn set(&mut self, at_ms: Ms, setting: GroupSetting) {
        self.at(at_ms, Command::SetGroup { group: "billing".to_owned(), setting });
    }

    /// A constant, from the beginning.
    pub fn constant(&mut self, name: &str, value: i64) {
        self.at(0, Command::SetConstant { name: name.to_owned(), value });
    }

    /// A producer of topic `orders`.
    pub fn producer(&mut self, at_ms: Ms, name: &str, selector: Selector, mode: SendMode) {
        self.at(
            at_ms,
            Command::CreateProducer {
                name: name.to_owned(),
                topic: Some("orders".to_owned()),
                selector,
                mode,
                threads: 1,
            },
        );
    }

    /// Messages `m<number>` of a producer.
    pub fn send(&mut self, at_ms: Ms, producer: &str, numbers: std::ops::Range<u32>) {
        let messages = numbers.map(|number| MessageSpec::new("m", number)).collect();
        self.send_specs(at_ms, producer, messages);
    }

    /// Messages of a producer.
    pub fn send_specs(&mut self, at_ms: Ms, producer: &str, messages: Vec<MessageSpec>) {
        let producer = producer.to_owned();
        self.at(at_ms, Command::Send { producer, topic: None, thread: 0, messages, every_ms: 0 });
    }

    /// A consumer starts.
    pub fn start(&mut self, at_ms: Ms, name: &str) {
        let (name, group) = (name.to_owned(), "billing".to_owned());
        self.at(at_ms, Command::StartConsumer { name, group, threads: None });
    }

    /// A reset of all queues, or of one.
    pub fn reset(&mut self, at_ms: Ms, queue: Option<u16>, target: ResetTarget) {
        self.at(
            at_ms,
            Command::ResetOffset {
                group: "billing".to_owned(),
                topic: "orders".to_owned(),
                broker: None,
                queue,
                target,
                force: true,
            },
        );
    }

    /// Runs up to an instant, that instant included.
    pub fn until(&mut self, at_ms: Ms) {
        if !self.begun {
            self.begun = true;
            self.world = World::new(7, self.model.clone());
            for (index, (at_ms, _)) in (0..).zip(&self.journal) {
                self.world.schedule_command(*at_ms, index);
            }
        }
        while self.world.next_event_at().is_some_and(|next| next <= at_ms)
            && self.world.step(&self.journal)
        {
            let now_ms = self.world.now_ms();
            self.facts.extend(self.world.facts().iter().map(|fact| (now_ms, *fact)));
        }
    }

    /// A queue of `orders` on the first broker.
    pub fn queue(&self, id: u16) -> MessageQueue {
        self.queue_on(0, id)
    }

    /// A queue of `orders`.
    pub fn queue_on(&self, broker: u8, id: u16) -> MessageQueue {
        let topic = self.world.shared.names.topic("orders").expect("created at instant 0");
        MessageQueue { topic, broker: BrokerId(broker), id }
    }

    /// Instants and values that a function picks from the facts.
    pub fn pick<T>(&self, pick: impl Fn(&Fact) -> Option<T>) -> Vec<(Ms, T)> {
        self.facts.iter().filter_map(|(at, fact)| pick(fact).map(|value| (*at, value))).collect()
    }

    /// Instants of the facts that are wanted.
    pub fn when(&self, wanted: impl Fn(&Fact) -> bool) -> Vec<Ms> {
        self.facts.iter().filter(|(_, fact)| wanted(fact)).map(|(at, _)| *at).collect()
    }

    /// Offsets that a listener was given, with their instants.
    pub fn handled(&self) -> Vec<(Ms, u32)> {
        let topic = self.queue(0).topic;
        self.pick(|fact| match fact {
            Fact::HandlingStarted { queue, offset, .. } if queue.topic == topic => Some(*offset),
            _ => None,
        })
    }

    /// The broker's consumer offset of a queue.
    pub fn offset(&self, queue: MessageQueue) -> Option<i64> {
        self.world.brokers[queue.broker.index()].offsets.get(&(GroupId(0), queue)).copied()
    }

    /// The refusal of the command at a place of the journal.
    pub fn refusals(&self) -> Vec<lockstep_core::command::Refusal> {
        (0..self.journal.len() as u32)
            .filter_map(|index| self.world.refusal(index).cloned())
            .collect()
    }

    /// First process of a name.
    pub fn client(&self, name: &str) -> ClientId {
        self.world.shared.names.client(name).expect("started")
    }
}

/// A subscription.
pub fn subscription(topic: &str, tags: &[&str]) -> Subscription {
    let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
    Subscription { topic: topic.to_owned(), tags }
}
