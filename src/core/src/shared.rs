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
    ProxyId, TopicId,
};
use crate::log::Log;
use crate::message::Message;
use crate::model::Model;
use crate::name_server::NameServer;
use crate::net::Net;
use crate::pop::PopAttributes;
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
    /// `%RETRY%group_topic`: copies of messages of a topic that a group did not acknowledge (POP).
    PopRetry(GroupId, TopicId),
    /// `RMQ_SYS_TRANS_HALF_TOPIC` and `TRANS_CHECK_MAX_TIME_TOPIC`.
    Transaction,
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
    /// Most queues that it ever had to read or to write: offsets of queues that were cut off can still
    /// be reset.
    pub most_queues: u16,
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
    /// `retryQueueNums`: a message that is sent back goes to one of so many queues, and nowhere when
    /// there are none.
    pub retry_queue_nums: u16,
    /// What the second stack reads.
    pub pop: PopAttributes,
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
    /// The first series of each key: two series with one key are one message group.
    by_key: BTreeMap<String, MessageGroupId>,
    /// The message group of each series, looked up with every message.
    message_groups: Vec<Option<MessageGroupId>>,
    /// Tags; number 0 is "none".
    pub tags: Vec<String>,
    /// `String.hashCode` of each tag, by number; 0 for none.
    tag_hashes: Vec<i64>,
    /// Subscriptions of consumers that differ from their group's, by consumer name.
    pub own_subscriptions: BTreeMap<String, Rc<[Subscribed]>>,
    /// The proxies of gRPC consumers that do not speak to the first one, by consumer name.
    pub own_proxies: BTreeMap<String, ProxyId>,
    /// Consumers that handle one key only, by name: the key's number, and what they return for
    /// messages with another one.
    pub own_keys: BTreeMap<String, (u16, Outcome)>,
    /// Keys; number 0 is "none".
    pub keys: Vec<String>,
    /// Broker names.
    pub brokers: Vec<String>,
    /// Proxy names.
    pub proxies: Vec<String>,
    /// Producer names.
    pub producers: Vec<String>,
    /// Consumer names; a restarted process has a new id under the same name.
    pub clients: Vec<String>,
}

/// The schedule topic's id.
pub const SCHEDULE_TOPIC: TopicId = TopicId(0);
/// The timer wheel topic's id.
pub const WHEEL_TOPIC: TopicId = TopicId(1);
/// The topic of half messages.
pub const HALF_TOPIC: TopicId = TopicId(2);
/// The topic of transactions that were checked too often.
pub const TRANSACTION_CHECK_MAX_TOPIC: TopicId = TopicId(3);
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
            most_queues: 256,
            usage,
        };
        Self {
            topics: vec![
                system("SCHEDULE_TOPIC_XXXX", TopicUse::Schedule),
                system("rmq_sys_wheel_timer", TopicUse::Wheel),
                system("RMQ_SYS_TRANS_HALF_TOPIC", TopicUse::Transaction),
                system("TRANS_CHECK_MAX_TIME_TOPIC", TopicUse::Transaction),
            ],
            groups: Vec::new(),
            series: Vec::new(),
            by_key: BTreeMap::new(),
            message_groups: Vec::new(),
            tags: vec![String::new()],
            tag_hashes: vec![0],
            own_subscriptions: BTreeMap::new(),
            own_proxies: BTreeMap::new(),
            own_keys: BTreeMap::new(),
            keys: vec![String::new()],
            brokers: vec!["broker".to_owned()],
            proxies: vec!["proxy".to_owned()],
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

    /// All brokers, in the order in which routes list them.
    pub fn brokers_by_name(&self) -> Vec<BrokerId> {
        let mut brokers: Vec<BrokerId> = (0..self.brokers.len() as u8).map(BrokerId).collect();
        brokers.sort_by_key(|broker| &self.brokers[broker.index()]);
        brokers
    }

    /// `%RETRY%group_topic`, if a message was ever copied there.
    pub fn pop_retry_topic(&self, group: GroupId, topic: TopicId) -> Option<TopicId> {
        let usage = TopicUse::PopRetry(group, topic);
        self.topics.iter().position(|t| t.usage == usage).map(|i| TopicId(i as u16))
    }

    /// The group whose dead letters a topic holds.
    pub fn dead_letters_of(&self, topic: TopicId) -> Option<GroupId> {
        match self.topics[topic.index()].usage {
            TopicUse::DeadLetter(group) => Some(group),
            _ => None,
        }
    }

    /// The topic whose messages a retry topic of POP holds; any other topic is its own.
    pub fn normal_topic(&self, topic: TopicId) -> TopicId {
        match self.topics[topic.index()].usage {
            TopicUse::PopRetry(_, of) => of,
            _ => topic,
        }
    }

    /// A proxy by name.
    pub fn proxy(&self, name: &str) -> Option<ProxyId> {
        self.proxies.iter().position(|p| p == name).map(|i| ProxyId(i as u8))
    }

    /// Any party by name; brokers first.
    pub fn party(&self, name: &str) -> Option<Party> {
        self.broker(name)
            .map(Party::Broker)
            .or_else(|| self.client(name).map(Party::Client))
            .or_else(|| self.producer(name).map(Party::Producer))
            .or_else(|| self.proxy(name).map(Party::Proxy))
    }

    /// Name of a party.
    pub fn party_name(&self, party: Party) -> &str {
        match party {
            Party::Broker(id) => &self.brokers[id.index()],
            Party::Client(id) => &self.clients[id.index()],
            Party::Producer(id) => &self.producers[id.index()],
            Party::Proxy(id) => &self.proxies[id.index()],
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
        let id = match self.series(name) {
            Some(id) => {
                // It has another key than before: the first series of each key are found anew.
                self.series[id.index()] = group;
                self.by_key.clear();
                self.message_groups.clear();
                id
            }
            None => {
                self.series.push(group);
                MessageGroupId((self.series.len() - 1) as u16)
            }
        };
        self.index_keys();
        id
    }

    /// Finds the message group of each series that has none found yet.
    fn index_keys(&mut self) {
        for (index, series) in self.series.iter().enumerate().skip(self.message_groups.len()) {
            let key = series.key.as_ref().filter(|key| !key.is_empty());
            let id = MessageGroupId(index as u16);
            let first = key.map(|key| *self.by_key.entry(key.clone()).or_insert(id));
            self.message_groups.push(first);
        }
    }

    /// The message group of a series, by the first series that had its key; None when its messages
    /// have none.
    pub fn message_group(&self, series: MessageGroupId) -> Option<MessageGroupId> {
        self.message_groups.get(series.index()).copied().flatten()
    }

    /// Whose order a series takes part in: its message group's, or its own when it has none.
    pub fn order_of(&self, series: MessageGroupId) -> MessageGroupId {
        self.message_group(series).unwrap_or(series)
    }

    /// Number of a tag, made when it is new.
    pub fn tag(&mut self, name: Option<&str>) -> u16 {
        let number = intern(&mut self.tags, name);
        for tag in &self.tags[self.tag_hashes.len()..] {
            self.tag_hashes.push(i64::from(java_hash(tag)));
        }
        number
    }

    /// Hash of a tag by its number; the index of the store keeps only this.
    pub fn tag_hash(&self, tag: u16) -> i64 {
        self.tag_hashes.get(usize::from(tag)).copied().unwrap_or(0)
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
    /// The name server.
    pub name_server: NameServer,
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
            name_server: NameServer::default(),
            facts: Vec::new(),
            streams: Streams::new(seed),
            names: Rc::default(),
            messages: Log::default(),
            rules: Rc::default(),
            refusals: Rc::default(),
        }
    }

    /// The topic for copies of messages of `topic` that `group` did not acknowledge, made when it is
    /// new. Messages of such a topic go back to the topic itself.
    pub fn pop_retry_topic_or_new(&mut self, group: GroupId, topic: TopicId) -> TopicId {
        if matches!(self.names.topics[topic.index()].usage, TopicUse::PopRetry(..)) {
            return topic;
        }
        if let Some(known) = self.names.pop_retry_topic(group, topic) {
            return known;
        }
        let names = Rc::make_mut(&mut self.names);
        let (of_group, of_topic) = (&names.groups[group.index()], &names.topics[topic.index()]);
        names.topics.push(Topic {
            name: format!("%RETRY%{}_{}", of_group.name, of_topic.name),
            kind: TopicType::Normal,
            read_queues: 1,
            write_queues: 1,
            most_queues: 1,
            usage: TopicUse::PopRetry(group, topic),
        });
        TopicId((names.topics.len() - 1) as u16)
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

    /// Whoever asked gives up at its deadline, unless an answer comes first.
    pub fn give_up(&mut self, party: Party, rpc: Rpc, request: RequestKind) {
        let at_ms = rpc.deadline_ms.max(self.now_ms);
        self.at(at_ms, Event::TimedOut { party, token: rpc.token, request });
    }

    /// A message. Ids come only from this table, so it is always there.
    pub fn message(&self, msg: MsgId) -> &Message {
        self.messages.get(msg.index()).expect("message ids are made by this table")
    }

    /// The message group of a message; see [`Names::message_group`].
    pub fn message_group(&self, msg: MsgId) -> Option<MessageGroupId> {
        self.names.message_group(self.message(msg).series)
    }

    /// Whether two messages are of one message group.
    pub fn same_message_group(&self, a: MsgId, b: MsgId) -> bool {
        let group = self.message_group(a);
        group.is_some() && group == self.message_group(b)
    }

    /// Label of a message.
    pub fn label(&self, msg: MsgId) -> Label {
        let message = self.message(msg);
        Label {
            series: self.names.series[message.series.index()].name.clone(),
            number: message.number,
        }
    }

    /// What a consumer subscribes to: its own declaration, else its group's. The retry topic last.
    pub fn subscriptions_of(&self, client: ClientId, group: GroupId) -> Rc<[Subscribed]> {
        let own = self.names.own_subscriptions.get(&self.names.clients[client.index()]);
        let of_group = &self.group(group).subscriptions;
        own.map_or_else(
            || of_group.as_slice().into(),
            |own| own.iter().chain(of_group.last()).cloned().collect(),
        )
    }

    /// Consumer group by id.
    pub fn group(&self, group: GroupId) -> &Group {
        &self.names.groups[group.index()]
    }

    /// What the script says of a listener call: outcome and duration in ms, as far as it says anything.
    pub fn scripted(
        &self,
        group: GroupId,
        client: ClientId,
        msg: MsgId,
        attempt: u32,
    ) -> (Option<Outcome>, Option<Ms>) {
        let (names, message) = (&self.names, self.message(msg));
        let series = &names.series[message.series.index()].name;
        let (mut outcome, mut handle_ms) = (None, None);
        for rule in self.rules.iter().rev() {
            let label = rule.label.as_ref();
            let applies = label.is_none_or(|l| l.number == message.number && l.series == *series)
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
        (outcome, handle_ms)
    }

    /// What the listener of a consumer does with a message: outcome and duration in ms.
    pub fn listener_result(
        &mut self,
        group: GroupId,
        client: ClientId,
        msg: MsgId,
        attempt: u32,
    ) -> (Outcome, Ms) {
        if !self.names.own_keys.is_empty() {
            let own = self.names.own_keys.get(&self.names.clients[client.index()]);
            if let Some((_, foreign)) = own.filter(|(key, _)| *key != self.message(msg).key) {
                return (*foreign, 0);
            }
        }
        let (low, high) = self.group(group).handle_ms;
        let (outcome, handle_ms) = self.scripted(group, client, msg, attempt);
        let handle_ms =
            handle_ms.unwrap_or_else(|| self.streams.between(Stream::Handling, low, high));
        (outcome.unwrap_or(Outcome::Success), handle_ms)
    }
}
