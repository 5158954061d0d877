//! What all parties stand on: the clock, the agenda, the network, the tables of names and the
//! script of what applications do. No party reads another party's state through it.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::agenda::Agenda;
use crate::command::{Attempts, FromWhere, HandlerRule, Label, ListenerKind, Refusal, TopicType};
use crate::event::{Event, Packet, Rpc};
use crate::fact::{Fact, Outcome, RequestKind};
use crate::ids::{
    BrokerId, ClientId, GroupId, MessageGroupId, MessageQueue, Ms, MsgId, Party, ProducerId,
    TopicId,
};
use crate::log::Log;
use crate::message::Message;
use crate::model::Model;
use crate::net::Net;
use crate::rng::{Stream, Streams};
use crate::routing::java_hash;

/// What a topic is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TopicUse {
    /// Created by people.
    User,
    /// `%RETRY%group`.
    Retry(GroupId),
    /// `%DLQ%group`.
    DeadLetter(GroupId),
    /// `SCHEDULE_TOPIC_XXXX`.
    Schedule,
    /// `rmq_sys_wheel_timer`.
    Wheel,
}

/// A topic as the name server and the brokers know it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Topic {
    /// Name.
    pub name: String,
    /// Type attribute.
    pub kind: TopicType,
    /// `readQueueNums`.
    pub read_queues: u16,
    /// `writeQueueNums`.
    pub write_queues: u16,
    /// What it is for.
    pub usage: TopicUse,
}

/// A subscription with its names resolved.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Subscribed {
    /// Topic.
    pub topic: TopicId,
    /// Tag numbers; empty = all.
    pub tags: Vec<u16>,
}

/// A consumer group: what its applications are configured with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Group {
    /// Name.
    pub name: String,
    /// Subscriptions, the retry topic last.
    pub subscriptions: Vec<Subscribed>,
    /// Listener kind.
    pub listener: ListenerKind,
    /// `%RETRY%group`.
    pub retry_topic: TopicId,
    /// `%DLQ%group`.
    pub dead_letter_topic: TopicId,
    /// `maxReconsumeTimes`, -1 = default.
    pub max_reconsume_times: i32,
    /// `suspendCurrentQueueTimeMillis`; -1 = the model's.
    pub suspend_ms: Ms,
    /// `consumeMessageBatchMaxSize`.
    pub batch_max: u16,
    /// `consumeThreadMax`; 0 = the model's.
    pub threads: u16,
    /// `autoCommit`.
    pub auto_commit: bool,
    /// Duration of a listener call: from, to.
    pub handle_ms: (Ms, Ms),
    /// `consumeFromWhere`.
    pub from_where: FromWhere,
    /// `awaitTerminationMillisWhenShutdown`; -1 = the model's.
    pub await_termination_ms: Ms,
    /// Consumption paused.
    pub paused: bool,
}

impl Group {
    /// Effective `maxReconsumeTimes`: for orderly listeners -1 means without limit
    /// (`Integer.MAX_VALUE`), for concurrent ones the group's retry limit.
    pub fn effective_max_reconsume_times(&self, model: &Model) -> i32 {
        match (self.max_reconsume_times, self.listener) {
            (-1, ListenerKind::Orderly) => i32::MAX,
            (-1, ListenerKind::Concurrent) => model.retry_max_times as i32,
            (n, _) => n,
        }
    }
}

/// A message group, or a series of messages without one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MessageGroup {
    /// Short name, as in labels.
    pub name: String,
    /// The sharding key; None = messages of this series carry none.
    pub key: Option<String>,
    /// `String.hashCode` of the key.
    pub hash: i32,
}

/// All names of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Names {
    /// Topics, system topics included.
    pub topics: Vec<Topic>,
    /// Consumer groups.
    pub groups: Vec<Group>,
    /// Message groups and series.
    pub series: Vec<MessageGroup>,
    /// Tags; number 0 is "none".
    pub tags: Vec<String>,
    /// Keys; number 0 is "none".
    pub keys: Vec<String>,
    /// Broker names.
    pub brokers: Vec<String>,
    /// Producer names.
    pub producers: Vec<String>,
    /// Consumer names; a restarted process has a new id under the same name.
    pub clients: Vec<String>,
}

/// The schedule topic's id.
pub const SCHEDULE_TOPIC: TopicId = TopicId(0);
/// The timer wheel topic's id.
pub const WHEEL_TOPIC: TopicId = TopicId(1);
/// Most topics of a run.
pub const MAX_TOPICS: usize = 1_000;
/// Most message groups of a run.
pub const MAX_SERIES: usize = 20_000;

impl Default for Names {
    fn default() -> Self {
        let system = |name: &str, usage| Topic {
            name: name.to_owned(),
            kind: TopicType::Normal,
            read_queues: 256,
            write_queues: 256,
            usage,
        };
        Self {
            topics: vec![
                system("SCHEDULE_TOPIC_XXXX", TopicUse::Schedule),
                system("rmq_sys_wheel_timer", TopicUse::Wheel),
            ],
            groups: Vec::new(),
            series: Vec::new(),
            tags: vec![String::new()],
            keys: vec![String::new()],
            brokers: vec!["broker".to_owned()],
            producers: Vec::new(),
            clients: Vec::new(),
        }
    }
}

impl Names {
    /// A topic by name.
    pub fn topic(&self, name: &str) -> Option<TopicId> {
        self.topics.iter().position(|t| t.name == name).map(|i| TopicId(i as u16))
    }

    /// A consumer group by name.
    pub fn group(&self, name: &str) -> Option<GroupId> {
        self.groups.iter().position(|g| g.name == name).map(|i| GroupId(i as u16))
    }

    /// A producer by name.
    pub fn producer(&self, name: &str) -> Option<ProducerId> {
        self.producers.iter().position(|p| p == name).map(|i| ProducerId(i as u16))
    }

    /// The latest consumer process of a name.
    pub fn client(&self, name: &str) -> Option<ClientId> {
        self.clients.iter().rposition(|c| c == name).map(|i| ClientId(i as u16))
    }

    /// A broker by name.
    pub fn broker(&self, name: &str) -> Option<BrokerId> {
        self.brokers.iter().position(|b| b == name).map(|i| BrokerId(i as u8))
    }

    /// Any party by name; brokers first.
    pub fn party(&self, name: &str) -> Option<Party> {
        self.broker(name)
            .map(Party::Broker)
            .or_else(|| self.client(name).map(Party::Client))
            .or_else(|| self.producer(name).map(Party::Producer))
    }

    /// Name of a party.
    pub fn party_name(&self, party: Party) -> &str {
        match party {
            Party::Broker(id) => &self.brokers[id.index()],
            Party::Client(id) => &self.clients[id.index()],
            Party::Producer(id) => &self.producers[id.index()],
        }
    }

    /// A series by its short name.
    pub fn series(&self, name: &str) -> Option<MessageGroupId> {
        self.series.iter().position(|s| s.name == name).map(|i| MessageGroupId(i as u16))
    }

    /// A series by its short name; made when it is new, with its name as the key.
    pub fn series_or_new(&mut self, name: &str) -> MessageGroupId {
        self.series(name).unwrap_or_else(|| self.add_series(name, Some(name)))
    }

    /// Declares or redeclares a series.
    pub fn add_series(&mut self, name: &str, key: Option<&str>) -> MessageGroupId {
        let group = MessageGroup {
            name: name.to_owned(),
            key: key.map(str::to_owned),
            hash: key.map_or(0, java_hash),
        };
        match self.series(name) {
            Some(id) => {
                self.series[id.index()] = group;
                id
            }
            None => {
                self.series.push(group);
                MessageGroupId((self.series.len() - 1) as u16)
            }
        }
    }

    /// Number of a tag, made when it is new.
    pub fn tag(&mut self, name: Option<&str>) -> u16 {
        intern(&mut self.tags, name)
    }

    /// Number of a key, made when it is new.
    pub fn key(&mut self, name: Option<&str>) -> u16 {
        intern(&mut self.keys, name)
    }

    /// Queues of a topic that may be written, in the order of the route: broker, then id.
    pub fn write_queue(&self, topic: TopicId, index: usize) -> Option<MessageQueue> {
        let n = usize::from(self.topics[topic.index()].write_queues);
        let broker = index.checked_div(n)?;
        (broker < self.brokers.len()).then(|| MessageQueue {
            topic,
            broker: BrokerId(broker as u8),
            id: (index % n) as u16,
        })
    }

    /// Number of queues that may be written, over all brokers.
    pub fn write_queue_count(&self, topic: TopicId) -> usize {
        usize::from(self.topics[topic.index()].write_queues) * self.brokers.len()
    }

    /// Queues of a topic that may be read, sorted.
    pub fn read_queues(&self, topic: TopicId) -> Vec<MessageQueue> {
        let ids = 0..self.topics[topic.index()].read_queues;
        (0..self.brokers.len() as u8)
            .flat_map(|b| {
                ids.clone().map(move |id| MessageQueue { topic, broker: BrokerId(b), id })
            })
            .collect()
    }
}

fn intern(table: &mut Vec<String>, name: Option<&str>) -> u16 {
    let Some(name) = name else { return 0 };
    let index = table.iter().position(|t| t == name).unwrap_or_else(|| {
        table.push(name.to_owned());
        table.len() - 1
    });
    index as u16
}

/// What all parties stand on.
#[derive(Clone, Debug, Hash)]
pub struct Shared {
    /// The present instant.
    pub now_ms: Ms,
    /// The modelled RocketMQ.
    pub model: Rc<Model>,
    /// What will happen.
    pub agenda: Agenda,
    /// The network.
    pub net: Net,
    /// Facts of the present event.
    pub facts: Vec<Fact>,
    /// Randomness.
    pub streams: Streams,
    /// Names.
    pub names: Rc<Names>,
    /// Messages that applications have built.
    pub messages: Log<Message>,
    /// The listener script.
    pub rules: Rc<Vec<HandlerRule>>,
    /// Refused commands by their number in the journal.
    pub refusals: Rc<BTreeMap<u32, Refusal>>,
}

impl Shared {
    /// A new run.
    pub fn new(seed: u64, model: Model) -> Self {
        Self {
            now_ms: 0,
            model: Rc::new(model),
            agenda: Agenda::default(),
            net: Net::default(),
            facts: Vec::new(),
            streams: Streams::new(seed),
            names: Rc::default(),
            messages: Log::default(),
            rules: Rc::default(),
            refusals: Rc::default(),
        }
    }

    /// Records a fact.
    pub fn fact(&mut self, fact: Fact) {
        self.facts.push(fact);
    }

    /// Schedules an event after a delay.
    pub fn after(&mut self, delay_ms: Ms, event: Event) {
        self.agenda.schedule(self.now_ms + delay_ms, event);
    }

    /// Schedules an event at an instant.
    pub fn at(&mut self, at_ms: Ms, event: Event) {
        self.agenda.schedule(at_ms, event);
    }

    /// Sends a packet over the network.
    pub fn send(&mut self, from: Party, to: Party, packet: Packet) {
        let Self { net, agenda, facts, now_ms, .. } = self;
        net.send(agenda, facts, *now_ms, (from, to), 0, packet);
    }

    /// Sends a packet that travels longer than others.
    pub fn send_slowly(&mut self, from: Party, to: Party, extra_ms: Ms, packet: Packet) {
        let Self { net, agenda, facts, now_ms, .. } = self;
        net.send(agenda, facts, *now_ms, (from, to), extra_ms, packet);
    }

    /// Answers a request.
    pub fn answer(&mut self, from: Party, to: Party, rpc: (Rpc, RequestKind), packet: Packet) {
        let Self { net, agenda, facts, now_ms, .. } = self;
        net.answer(agenda, facts, *now_ms, (from, to), rpc, packet);
    }

    /// A message. Ids come only from this table, so it is always there.
    pub fn message(&self, msg: MsgId) -> &Message {
        self.messages.get(msg.index()).expect("message ids are made by this table")
    }

    /// Label of a message.
    pub fn label(&self, msg: MsgId) -> Label {
        let message = self.message(msg);
        Label {
            series: self.names.series[message.series.index()].name.clone(),
            number: message.number,
        }
    }

    /// Consumer group by id.
    pub fn group(&self, group: GroupId) -> &Group {
        &self.names.groups[group.index()]
    }

    /// What the listener of a consumer does with a message: outcome and duration in ms.
    pub fn listener_result(
        &mut self,
        group: GroupId,
        client: ClientId,
        msg: MsgId,
        attempt: u32,
    ) -> (Outcome, Ms) {
        let (low, high) = self.group(group).handle_ms;
        let mut outcome = None;
        let mut handle_ms = None;
        if !self.rules.is_empty() {
            let names = Rc::clone(&self.names);
            let message = self.message(msg);
            let series = &names.series[message.series.index()].name;
            let number = message.number;
            for rule in self.rules.iter().rev() {
                let applies = rule
                    .label
                    .as_ref()
                    .is_none_or(|l| l.number == number && l.series == *series)
                    && rule.group.as_ref().is_none_or(|g| *g == names.groups[group.index()].name)
                    && rule.client.as_ref().is_none_or(|c| *c == names.clients[client.index()])
                    && match rule.attempts {
                        Attempts::All => true,
                        Attempts::First(n) => attempt <= n,
                        Attempts::Only(n) => attempt == n,
                    };
                if applies {
                    outcome = outcome.or(rule.outcome);
                    handle_ms = handle_ms.or(rule.handle_ms);
                }
            }
        }
        let handle_ms =
            handle_ms.unwrap_or_else(|| self.streams.between(Stream::Handling, low, high));
        (outcome.unwrap_or(Outcome::Success), handle_ms)
    }
}
