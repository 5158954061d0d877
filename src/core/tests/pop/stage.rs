//! A run with one topic, one ordered group and whatever a test adds, and a broker-side POP client.

use std::rc::Rc;

use lockstep_core::broker::pop::AttemptId;
use lockstep_core::command::{
    Attempts, Command, GroupSetting, HandlerRule, ListenerKind, MessageSpec, Selector, SendMode,
    Subscription, TopicType,
};
use lockstep_core::event::{Event, Packet, Rpc};
use lockstep_core::fact::{Fact, Outcome};
use lockstep_core::grpc::{Handle, InitMode, PopPacket, PopRequest};
use lockstep_core::ids::{BrokerId, GroupId, MessageQueue, Ms, Party, ProxyId, TopicId};
use lockstep_core::model::{Model, Version};
use lockstep_core::pop::{PopCommand, PopFact, PopSetting};
use lockstep_core::world::World;

/// Name of the topic.
pub const TOPIC: &str = "T";
/// Name of the group.
pub const GROUP: &str = "G";

/// A run under way.
pub struct Stage {
    pub world: World,
    pub journal: Vec<(Ms, Command)>,
    pub facts: Vec<(Ms, Fact)>,
    tokens: u32,
}

pub fn command(at_ms: Ms, command: PopCommand) -> (Ms, Command) {
    (at_ms, Command::Pop(command))
}

pub fn handle(label: &str, number: u32, attempts: Attempts, outcome: Outcome) -> (Ms, Command) {
    let label = Some(MessageSpec::new(label, number).label);
    let (group, client, outcome) = (None, None, Some(outcome));
    (0, Command::Handle(HandlerRule { group, client, label, attempts, outcome, handle_ms: None }))
}

pub fn group(setting: PopSetting) -> (Ms, Command) {
    (0, Command::SetGroup { group: GROUP.into(), setting: GroupSetting::Pop(setting) })
}

impl Stage {
    pub fn new(model: Model, queues: u16, more: Vec<(Ms, Command)>) -> Self {
        let subscriptions = vec![Subscription { topic: TOPIC.into(), tags: Vec::new() }];
        let kind = TopicType::Fifo;
        let mut journal = vec![
            (
                0,
                Command::CreateTopic {
                    name: TOPIC.into(),
                    kind,
                    read_queues: queues,
                    write_queues: queues,
                },
            ),
            (
                0,
                Command::CreateGroup {
                    name: GROUP.into(),
                    subscriptions,
                    listener: ListenerKind::Orderly,
                },
            ),
            group(PopSetting::Orderly(true)),
        ];
        journal.extend(more);
        let mut world = World::new(1, model);
        for (index, (at_ms, _)) in (0..).zip(&journal) {
            world.schedule_command(*at_ms, index);
        }
        Self { world, journal, facts: Vec::new(), tokens: 1_000_000 }
    }

    pub fn newest(queues: u16, more: Vec<(Ms, Command)>) -> Self {
        Self::new(Model::of(Version(5, 3, 3)), queues, more)
    }

    /// Messages into a queue at an instant, straight to the broker.
    pub fn messages(at_ms: Ms, queue: u16, labels: &[(&str, u32)]) -> Vec<(Ms, Command)> {
        let producer = format!("to-{queue}-{at_ms}");
        let messages = labels.iter().map(|(s, n)| MessageSpec::new(s, *n)).collect();
        vec![
            (
                0,
                Command::CreateProducer {
                    name: producer.clone(),
                    topic: Some(TOPIC.into()),
                    selector: Selector::Queue(queue),
                    mode: SendMode::Sync,
                    threads: 1,
                },
            ),
            (at_ms, Command::Send { producer, topic: None, thread: 0, messages, every_ms: 0 }),
        ]
    }

    pub fn until(&mut self, at_ms: Ms) -> &mut Self {
        while self.world.next_event_at().is_some_and(|next_ms| next_ms <= at_ms) {
            self.world.step(&self.journal);
            let now_ms = self.world.now_ms();
            self.facts.extend(self.world.facts().iter().map(|fact| (now_ms, *fact)));
            for fact in self.world.facts() {
                if let Fact::CommandRefused { index } = fact {
                    let command = &self.journal[*index as usize];
                    panic!("{command:?}: {:?}", self.world.refusal(*index));
                }
            }
        }
        self
    }

    pub fn topic(&self) -> TopicId {
        self.world.shared.names.topic(TOPIC).expect("the topic is made at 0")
    }

    pub fn queue(&self, id: u16) -> MessageQueue {
        MessageQueue { topic: self.topic(), broker: BrokerId(0), id }
    }

    /// A POP that arrives at an instant, as a proxy sends it.
    pub fn pop_at(&mut self, at_ms: Ms, change: impl FnOnce(&mut PopRequest)) {
        self.tokens += 1;
        let rpc = Rpc { token: self.tokens, deadline_ms: Ms::MAX, connection: 0 };
        let mut request = PopRequest {
            from: Party::Proxy(ProxyId(0)),
            rpc,
            group: GroupId(0),
            topic: self.world.shared.names.topic(TOPIC).unwrap_or(TopicId(2)),
            queue: None,
            max: 32,
            invisible_ms: 30_000,
            born_ms: at_ms,
            poll_ms: 0,
            ordered: true,
            attempt: None::<AttemptId>,
            init: InitMode::Max,
            tags: Rc::from([]),
        };
        change(&mut request);
        self.arrive(at_ms, PopPacket::Pop(Rc::new(request)));
    }

    fn arrive(&mut self, at_ms: Ms, packet: PopPacket) {
        let (from, to) = (Party::Proxy(ProxyId(0)), Party::Broker(BrokerId(0)));
        let event = Event::Arrival { from, to, packet: Packet::Pop(packet) };
        self.world.shared.agenda.schedule(at_ms, event);
    }

    /// An acknowledgement, or a change of the invisible time, at an instant.
    pub fn settle_at(&mut self, at_ms: Ms, handle: Handle, change_ms: Option<Ms>) {
        self.tokens += 1;
        let rpc = Rpc { token: self.tokens, deadline_ms: Ms::MAX, connection: 0 };
        self.arrive(
            at_ms,
            PopPacket::Settle { rpc, group: GroupId(0), handle: Rc::new(handle), change_ms },
        );
    }

    /// Labels that were popped, with their instants and attempts.
    pub fn popped(&self) -> Vec<(Ms, String, u16)> {
        let of = |(at_ms, fact): &(Ms, Fact)| match fact {
            Fact::Pop(PopFact::Popped { msg, attempt, .. }) => {
                Some((*at_ms, self.world.shared.label(*msg).to_string(), *attempt))
            }
            _ => None,
        };
        self.facts.iter().filter_map(of).collect()
    }

    pub fn labels(&self) -> Vec<String> {
        self.popped().into_iter().map(|(_, label, _)| label).collect()
    }

    /// The handle of the latest delivery of an offset.
    pub fn handle(&self, id: u16, offset: u32) -> Handle {
        let queue = self.queue(id);
        let of = |(at_ms, fact): &(Ms, Fact)| match fact {
            Fact::Pop(PopFact::Popped { queue: q, offset: o, msg, until_ms, .. })
                if *q == queue && *o == offset =>
            {
                Some(Handle {
                    queue,
                    offset: i64::from(offset),
                    pop_ms: *at_ms,
                    invisible_ms: until_ms - at_ms,
                    start_offset: i64::from(offset),
                    msg: *msg,
                    ordered: true,
                    ahead_ms: 0,
                })
            }
            _ => None,
        };
        self.facts.iter().rev().find_map(of).expect("it was delivered")
    }

    /// Instants of facts of the second stack.
    pub fn when(&self, wanted: impl Fn(&PopFact) -> bool) -> Vec<Ms> {
        let is = |fact: &Fact| matches!(fact, Fact::Pop(fact) if wanted(fact));
        self.facts.iter().filter(|(_, fact)| is(fact)).map(|(at_ms, _)| *at_ms).collect()
    }

    /// Listener calls: instant, label, attempt.
    pub fn calls(&self) -> Vec<(Ms, String, u32)> {
        let of = |(at_ms, fact): &(Ms, Fact)| match fact {
            Fact::HandlingStarted { msg, attempt, .. } => {
                Some((*at_ms, self.world.shared.label(*msg).to_string(), *attempt))
            }
            _ => None,
        };
        self.facts.iter().filter_map(of).collect()
    }

    pub fn committed(&self, id: u16) -> Option<i64> {
        self.world.brokers[0].offsets.get(&(GroupId(0), self.queue(id))).copied()
    }
}
