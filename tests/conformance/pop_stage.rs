//! Building a run on the second stack: one ordered topic, one consumer group, messages that are
//! stored in chosen queues, gRPC consumers, and requests that arrive at the broker as a proxy sends
//! them.

use super::case::Trouble;
use lockstep_core::command::{
    Attempts, Command, GroupSetting, HandlerRule, ListenerKind, MessageSpec, Selector, SendMode,
    Subscription, TopicType,
};
use lockstep_core::event::{Event, Packet, Rpc};
use lockstep_core::fact::{Fact, Outcome};
use lockstep_core::grpc::{AckCode, Handle, InitMode, PopPacket, PopRequest, PopStatus};
use lockstep_core::ids::{BrokerId, GroupId, MessageQueue, Ms, Party, ProxyId, TopicId};
use lockstep_core::model::{Model, Version};
use lockstep_core::pop::{GrpcKind, PopCommand, PopFact, PopSetting};
use lockstep_core::world::World;
use std::rc::Rc;

/// The topic.
pub const TOPIC: &str = "T";
/// The consumer group.
pub const GROUP: &str = "G";

/// Everything that happens before a run starts.
pub struct Plan {
    pub model: Model,
    pub journal: Vec<(Ms, Command)>,
    queues: u16,
    kind: TopicType,
}

/// A run.
pub struct PopRun {
    pub world: World,
    journal: Vec<(Ms, Command)>,
    pub facts: Vec<(Ms, Fact)>,
    /// Answers of the broker to requests of [`PopRun::pop`] and [`PopRun::settle`], by their numbers.
    pub answers: Vec<(u32, PopPacket)>,
    tokens: u32,
}

impl Plan {
    pub fn new(version: Version, queues: u16) -> Self {
        Self { model: Model::of(version), journal: Vec::new(), queues, kind: TopicType::Fifo }
    }

    pub fn newest(queues: u16) -> Self {
        Self::new(Version(5, 3, 3), queues)
    }

    pub fn kind(mut self, kind: TopicType) -> Self {
        self.kind = kind;
        self
    }

    pub fn at(&mut self, at_ms: Ms, command: Command) -> &mut Self {
        self.journal.push((at_ms, command));
        self
    }

    pub fn pop(&mut self, at_ms: Ms, command: PopCommand) -> &mut Self {
        self.at(at_ms, Command::Pop(command))
    }

    pub fn set(&mut self, setting: PopSetting) -> &mut Self {
        self.at(
            0,
            Command::SetGroup { group: GROUP.to_owned(), setting: GroupSetting::Pop(setting) },
        )
    }

    /// Messages in a queue, straight into the broker.
    pub fn store(&mut self, at_ms: Ms, queue: u16, labels: &[(String, u32)]) -> &mut Self {
        let producer = format!("to-{queue}-{at_ms}");
        let messages =
            labels.iter().map(|(series, number)| MessageSpec::new(series, *number)).collect();
        let create = Command::CreateProducer {
            name: producer.clone(),
            topic: Some(TOPIC.to_owned()),
            selector: Selector::Queue(queue),
            mode: SendMode::Sync,
            threads: 1,
        };
        self.at(0, create);
        self.at(at_ms, Command::Send { producer, topic: None, thread: 0, messages, every_ms: 0 })
    }

    /// `count` messages of one message group in a queue.
    pub fn fill(&mut self, at_ms: Ms, queue: u16, count: u32) -> &mut Self {
        let labels: Vec<(String, u32)> = (0..count).map(|n| ("m".to_owned(), n)).collect();
        self.store(at_ms, queue, &labels)
    }

    pub fn handle(
        &mut self,
        label: Option<(&str, u32)>,
        attempts: Attempts,
        outcome: Option<Outcome>,
        ms: Option<Ms>,
    ) {
        let label = label.map(|(series, number)| MessageSpec::new(series, number).label);
        let rule =
            HandlerRule { group: None, client: None, label, attempts, outcome, handle_ms: ms };
        self.at(0, Command::Handle(rule));
    }

    pub fn start(&mut self, at_ms: Ms, name: &str, kind: GrpcKind) -> &mut Self {
        let (name, group) = (name.to_owned(), GROUP.to_owned());
        self.pop(at_ms, PopCommand::Start { name, group, kind, threads: None })
    }

    pub fn run(self) -> PopRun {
        let subscriptions = vec![Subscription { topic: TOPIC.to_owned(), tags: Vec::new() }];
        let mut journal = vec![
            Command::CreateTopic {
                name: TOPIC.to_owned(),
                kind: self.kind,
                read_queues: self.queues,
                write_queues: self.queues,
            },
            Command::CreateGroup {
                name: GROUP.to_owned(),
                subscriptions,
                listener: ListenerKind::Orderly,
            },
            Command::SetGroup {
                group: GROUP.to_owned(),
                setting: GroupSetting::Pop(PopSetting::Orderly(true)),
            },
        ]
        .into_iter()
        .map(|command| (0, command))
        .collect::<Vec<_>>();
        journal.extend(self.journal);
        let mut world = World::new(1, self.model);
        for (index, (at_ms, _)) in (0..).zip(&journal) {
            world.schedule_command(*at_ms, index);
        }
        PopRun { world, journal, facts: Vec::new(), answers: Vec::new(), tokens: 1_000_000 }
    }
}

impl PopRun {
    /// Runs everything up to an instant, that instant included.
    pub fn until(&mut self, at_ms: Ms) -> Result<(), Trouble> {
        while self.world.next_event_at().is_some_and(|next_ms| next_ms <= at_ms) {
            if let Some((
                _,
                Event::Arrival { to: Party::Proxy(_), packet: Packet::Pop(packet), .. },
            )) = self.world.shared.agenda.peek()
            {
                if let Some((token, _)) = packet.answered().filter(|(token, _)| *token > 1_000_000)
                {
                    self.answers.push((token, packet.clone()));
                }
            }
            self.world.step(&self.journal);
            let now_ms = self.world.now_ms();
            self.facts.extend(self.world.facts().iter().map(|fact| (now_ms, *fact)));
            for fact in self.world.facts() {
                if let Fact::CommandRefused { index } = fact {
                    let why = self.world.refusal(*index);
                    let command = self.journal.get(*index as usize);
                    return Err(Trouble::Wrong(format!("{command:?} refused: {why:?}")));
                }
            }
        }
        Ok(())
    }

    pub fn queue(&self, id: u16) -> MessageQueue {
        let topic = self.world.shared.names.topic(TOPIC).unwrap_or(TopicId(2));
        MessageQueue { topic, broker: BrokerId(0), id }
    }

    fn arrive(&mut self, at_ms: Ms, packet: PopPacket) {
        let (from, to) = (Party::Proxy(ProxyId(0)), Party::Broker(BrokerId(0)));
        self.world
            .shared
            .agenda
            .schedule(at_ms, Event::Arrival { from, to, packet: Packet::Pop(packet) });
    }

    fn rpc(&mut self) -> Rpc {
        self.tokens += 1;
        Rpc { token: self.tokens, deadline_ms: Ms::MAX, connection: 0 }
    }

    /// A POP that arrives at an instant; its number.
    pub fn pop(&mut self, at_ms: Ms, change: impl FnOnce(&mut PopRequest)) -> u32 {
        let rpc = self.rpc();
        let mut request = PopRequest {
            from: Party::Proxy(ProxyId(0)),
            rpc,
            group: GroupId(0),
            topic: self.queue(0).topic,
            queue: None,
            max: 32,
            invisible_ms: 30_000,
            born_ms: at_ms,
            poll_ms: 0,
            ordered: true,
            attempt: None,
            init: InitMode::Max,
            tags: Rc::from([]),
        };
        change(&mut request);
        self.arrive(at_ms, PopPacket::Pop(Rc::new(request)));
        rpc.token
    }

    /// An acknowledgement (None) or a change of the invisible time; its number.
    pub fn settle(&mut self, at_ms: Ms, handle: Handle, change_ms: Option<Ms>) -> u32 {
        let rpc = self.rpc();
        self.arrive(
            at_ms,
            PopPacket::Settle { rpc, group: GroupId(0), handle: Rc::new(handle), change_ms },
        );
        rpc.token
    }

    /// How the broker answered a request of [`PopRun::settle`].
    pub fn code(&self, token: u32) -> Option<AckCode> {
        self.answers.iter().find(|(t, _)| *t == token).and_then(|(_, packet)| match packet {
            PopPacket::Settled { code, .. } => Some(*code),
            _ => None,
        })
    }

    /// How the broker answered a POP.
    pub fn status(&self, token: u32) -> Option<PopStatus> {
        self.answers.iter().find(|(t, _)| *t == token).and_then(|(_, packet)| match packet {
            PopPacket::Popped { status, .. } => Some(*status),
            _ => None,
        })
    }

    /// Deliveries in order: instant, label, offset, earlier deliveries.
    pub fn popped(&self) -> Vec<(Ms, String, u32, u32)> {
        let of = |(at_ms, fact): &(Ms, Fact)| match fact {
            Fact::Pop(PopFact::Popped { msg, offset, attempt, .. }) => Some((
                *at_ms,
                self.world.shared.label(*msg).to_string(),
                *offset,
                u32::from(*attempt) - 1,
            )),
            _ => None,
        };
        self.facts.iter().filter_map(of).collect()
    }

    /// A handle of the latest delivery of an offset; of the latest delivery at all, moved there, when
    /// that offset was never delivered.
    pub fn handle(&self, id: u16, offset: i64) -> Option<Handle> {
        let queue = self.queue(id);
        let of = |exact: bool| {
            self.facts.iter().rev().find_map(|(at_ms, fact)| match fact {
                Fact::Pop(PopFact::Popped { queue: q, offset: o, msg, until_ms, .. })
                    if *q == queue && (!exact || i64::from(*o) == offset) =>
                {
                    Some(Handle {
                        queue,
                        offset,
                        pop_ms: *at_ms,
                        invisible_ms: until_ms - at_ms,
                        start_offset: i64::from(*o),
                        msg: *msg,
                        ordered: true,
                        ahead_ms: 0,
                    })
                }
                _ => None,
            })
        };
        of(true).or_else(|| of(false))
    }

    /// Instants of facts of the second stack.
    pub fn when(&self, wanted: impl Fn(&PopFact) -> bool) -> Vec<Ms> {
        let is = |fact: &Fact| matches!(fact, Fact::Pop(fact) if wanted(fact));
        self.facts.iter().filter(|(_, fact)| is(fact)).map(|(at_ms, _)| *at_ms).collect()
    }

    /// Instants of facts.
    pub fn all(&self, wanted: impl Fn(&Fact) -> bool) -> Vec<Ms> {
        self.facts.iter().filter(|(_, fact)| wanted(fact)).map(|(at_ms, _)| *at_ms).collect()
    }

    /// Listener calls: instant and label.
    pub fn calls(&self) -> Vec<(Ms, String)> {
        let of = |(at_ms, fact): &(Ms, Fact)| match fact {
            Fact::HandlingStarted { msg, .. } => {
                Some((*at_ms, self.world.shared.label(*msg).to_string()))
            }
            _ => None,
        };
        self.facts.iter().filter_map(of).collect()
    }

    pub fn committed(&self, id: u16) -> Option<i64> {
        self.world.brokers.first()?.offsets.get(&(GroupId(0), self.queue(id))).copied()
    }

    /// Overwrites the consumer offset.
    pub fn set_committed(&mut self, id: u16, offset: i64) {
        let queue = self.queue(id);
        if let Some(broker) = self.world.brokers.first_mut() {
            Rc::make_mut(broker).offsets.insert((GroupId(0), queue), offset);
        }
    }

    /// Removes the oldest messages of a queue, as retention does.
    pub fn set_min(&mut self, id: u16, min: i64) {
        let queue = self.queue(id);
        if let Some(broker) = self.world.brokers.first_mut() {
            Rc::make_mut(broker).store.set_min_offset(queue, min);
        }
    }

    /// Sets the origin of the lock-free timer's ticks.
    pub fn set_wheel_origin(&mut self, origin_ms: Ms) {
        if let Some(broker) = self.world.brokers.first_mut() {
            Rc::make_mut(broker).pop.wheel.origin_ms = Some(origin_ms);
        }
    }
}

/// `a1` as a label: series and number.
pub fn label(text: &str) -> Option<(String, u32)> {
    let text = text.split('(').next().unwrap_or_default().trim();
    let digits = text.len() - text.chars().rev().take_while(char::is_ascii_digit).count();
    Some((text[..digits].to_owned(), text[digits..].parse().ok()?))
}
