//! The stage of a world.

use super::consumers::consumers;
use super::groups::other_groups;
use super::holds::{add_tokens, all_polls};
use super::lanes::lanes;
use super::producers::{ports, producers};
use super::shelf::{folded, halves, shelf, tray};
use super::{
    hue, BrokerView, ConsumerView, GroupView, Named, Place, ProxyView, StageView, TokenState,
    TokenView, TopicView,
};
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::client::{Client, Status};
use crate::command::Command;
use crate::ids::{ClientId, GroupId, MessageQueue, Ms, MsgId, ProxyId, TopicId};
use crate::process::Process;
use crate::shared::TopicUse;
use crate::view::history::History;
use crate::world::World;

/// What the page wants to see.
pub struct Options<'a> {
    /// Place of the consumer group in the list of groups.
    pub group: usize,
    /// The topic whose queues are lanes; None = the one that the group reads. Where the group does
    /// not read it, the first group that does is shown, or none.
    pub topic: Option<TopicId>,
    /// All commands of the run, sorted by their instants as far as they were planned.
    pub journal: &'a [(Ms, Command)],
    /// How many slots fit into a lane when there are so many lanes; 0 = lanes are strips.
    pub columns: &'a dyn Fn(usize) -> usize,
    /// A strip that is opened as a lane, with so many slots.
    pub opened: Option<(MessageQueue, usize)>,
    /// The past of the run.
    pub history: &'a History,
}

/// The stage at the present of `world`.
pub fn project(world: &World, options: &Options<'_>) -> StageView {
    let scene = Scene::new(world, options);
    let Some(scene) = scene else {
        return StageView { now_ms: world.now_ms(), ..StageView::default() };
    };
    let mut tokens = Tokens::default();
    let ports = ports(&scene);
    let producers = producers(&scene, &ports, &mut tokens);
    let lanes = lanes(&scene, &mut tokens);
    let consumers = consumers(&scene, &lanes);
    add_tokens(&scene, &consumers, &mut tokens);
    let ports = super::producers::former(ports, &lanes, &scene);
    StageView {
        now_ms: world.now_ms(),
        topic: Some(scene.topic_view()),
        group: scene.group_view(),
        groups: world.shared.names.groups.iter().map(|g| g.name.as_str().into()).collect(),
        shelf: shelf(&scene, &mut tokens),
        tray: tray(&scene, &mut tokens),
        halves: halves(&scene, &mut tokens),
        withheld: false,
        brokers: scene.brokers(),
        proxies: scene.proxies(&consumers),
        other_groups: other_groups(&scene),
        folded: folded(&scene),
        producers,
        ports,
        lanes,
        consumers,
        tokens: tokens.list,
    }
}

/// What every part of the projection needs.
pub(super) struct Scene<'a> {
    pub world: &'a World,
    pub options: &'a Options<'a>,
    pub topic: TopicId,
    pub group: Option<GroupId>,
    /// True when the group's messages are taken by POP.
    pub pop: bool,
    /// Receives of gRPC consumers that wait at brokers, with the end of their time.
    pub polls: Vec<(ClientId, Ms)>,
    /// The queues that are lanes, in their order.
    pub queues: Vec<MessageQueue>,
    /// The marks of all groups, see [`Self::mark`].
    marks: Vec<char>,
}

impl<'a> Scene<'a> {
    fn new(world: &'a World, options: &'a Options<'a>) -> Option<Self> {
        let names = &world.shared.names;
        let is_user = |topic: &TopicId| names.topics[topic.index()].usage == TopicUse::User;
        let group = names.groups.get(options.group).map(|_| GroupId(options.group as u16));
        let chosen = options.topic.filter(|topic| topic.index() < names.topics.len());
        let (topic, group) = match chosen.filter(is_user) {
            Some(topic) => {
                let reads = |g: &GroupId| {
                    names.groups[g.index()].subscriptions.iter().any(|s| s.topic == topic)
                };
                let first = || (0..names.groups.len() as u16).map(GroupId).find(reads);
                (topic, group.filter(reads).or_else(first))
            }
            None => {
                let read = group.and_then(|g| {
                    names.groups[g.index()].subscriptions.iter().map(|s| s.topic).find(is_user)
                });
                let first = || (0..names.topics.len() as u16).map(TopicId).find(is_user);
                (read.or_else(first)?, group)
            }
        };
        let pop = group.is_some_and(|g| is_pop(world, g));
        let polls = all_polls(world);
        let marks = marks(names.groups.iter().map(|group| group.name.as_str()));
        let mut scene =
            Self { world, options, topic, group, pop, polls, queues: Vec::new(), marks };
        scene.queues = scene.lane_queues();
        Some(scene)
    }

    /// Queues of the topic that can be read or written, and the group's retry queues once they were
    /// used; those of one broker stand together.
    fn lane_queues(&self) -> Vec<MessageQueue> {
        let names = &self.world.shared.names;
        let of = |topic: TopicId| {
            let t = &names.topics[topic.index()];
            let count = t.read_queues.max(t.write_queues);
            self.world.brokers.iter().flat_map(move |broker| {
                (0..count).map(move |id| MessageQueue { topic, broker: broker.id, id })
            })
        };
        let used = |queue: &MessageQueue| {
            self.world.brokers[queue.broker.index()].store.range(*queue).1 > 0
        };
        let retry = self.group.map(|g| names.groups[g.index()].retry_topic);
        let pop_retry = self.group.and_then(|g| names.pop_retry_topic(g, self.topic));
        let retry = retry.into_iter().chain(pop_retry).flat_map(of).filter(used);
        let mut all: Vec<MessageQueue> = of(self.topic).chain(retry).collect();
        // Stable: within a broker the topic's own queues come first.
        all.sort_by_key(|queue| queue.broker);
        all
    }

    /// The lane of a queue.
    pub fn lane(&self, queue: MessageQueue) -> Option<usize> {
        self.queues.iter().position(|q| *q == queue)
    }

    /// A message with its label and its colour.
    pub fn name(&self, msg: MsgId) -> Named {
        let shared = &self.world.shared;
        let series = shared.message(msg).series;
        Named { msg, label: shared.label(msg).to_string().into(), hue: hue(&shared.names, series) }
    }

    /// Consumers of the group, ended ones included.
    pub fn clients(&self) -> impl Iterator<Item = &'a Client> + '_ {
        self.group.into_iter().flat_map(|group| self.clients_of(group))
    }

    /// Classic consumers of any group, ended ones included.
    pub fn clients_of(&self, group: GroupId) -> impl Iterator<Item = &'a Client> + use<'a> {
        let classic = self.world.clients.iter().filter_map(|process| process.classic());
        classic.filter(move |client| client.group == group)
    }

    /// The mark of a group on the lanes: the first letter of its name that no group before it has.
    pub fn mark(&self, group: GroupId) -> char {
        self.marks.get(group.index()).copied().unwrap_or('?')
    }

    fn topic_view(&self) -> TopicView {
        let topic = &self.world.shared.names.topics[self.topic.index()];
        let write_queues = self.world.shared.names.write_queue_count(self.topic) as u32;
        TopicView { name: topic.name.as_str().into(), kind: topic.kind, write_queues }
    }

    fn group_view(&self) -> Option<GroupView> {
        self.group.map(|group| self.group_of(group))
    }

    /// Any group.
    pub fn group_of(&self, id: GroupId) -> GroupView {
        let group = self.world.shared.group(id);
        GroupView {
            name: group.name.as_str().into(),
            listener: group.listener,
            pop: is_pop(self.world, id),
            pop_orderly: group.pop.orderly,
            index: id.index(),
            mark: self.mark(id),
        }
    }

    fn brokers(&self) -> Vec<BrokerView> {
        let names = &self.world.shared.names.brokers;
        let first_lane = |broker| self.queues.iter().position(|queue| queue.broker == broker);
        let view = |broker: &Rc<crate::broker::Broker>| {
            let name = names[broker.id.index()].as_str().into();
            Some(BrokerView { name, up: broker.up, first_lane: first_lane(broker.id)? })
        };
        self.world.brokers.iter().filter_map(view).collect()
    }

    /// Sends that a proxy refused.
    fn refused_by(&self, proxy: ProxyId) -> u32 {
        let shared = &self.world.shared;
        let own = self.world.producers.iter().filter(|p| p.speaks_to(shared) == Some(proxy));
        own.map(|p| self.options.history.refused(p.id, self.world.now_ms())).sum()
    }

    /// Proxies that the topic's messages pass on their way in or out.
    fn proxies(&self, consumers: &[ConsumerView]) -> Vec<ProxyView> {
        let names = &self.world.shared.names.proxies;
        let view = |proxy: &Rc<crate::proxy::Proxy>| {
            let sends = self.world.producers.iter().any(|producer| {
                let to_topic = producer.topic.is_none_or(|topic| topic == self.topic);
                to_topic && producer.speaks_to(&self.world.shared) == Some(proxy.id)
            });
            let own = |consumer: &&ConsumerView| {
                let process = self.world.clients.get(consumer.id.index());
                process.and_then(|p| p.grpc()).is_some_and(|client| client.proxy == proxy.id)
            };
            let receives = consumers.iter().any(|consumer| own(&consumer));
            let polls = consumers.iter().filter(own).map(|consumer| consumer.polls.0).sum();
            let name = names[proxy.id.index()].as_str().into();
            let refused = self.refused_by(proxy.id);
            let view = ProxyView { name, up: proxy.up, sends, receives, polls, refused };
            (sends || receives).then_some(view)
        };
        self.world.proxies.iter().filter_map(view).collect()
    }
}

/// A letter for each name, no letter twice: the first of the name that is free, else a digit.
fn marks<'a>(names: impl Iterator<Item = &'a str>) -> Vec<char> {
    let mut marks: Vec<char> = Vec::new();
    for name in names {
        let own = name.chars().filter(|c| c.is_alphanumeric());
        let free = own.chain('1'..='9').find(|c| !marks.contains(c));
        marks.push(free.unwrap_or('+'));
    }
    marks
}

/// Whether POP serves a group: its living consumers decide, else the last one that it had, else its
/// attribute `consumeMessageOrderly`, which nothing but POP reads.
fn is_pop(world: &World, group: GroupId) -> bool {
    let of = || world.clients.iter().filter(|process| process.group() == group);
    let lives = |process: &&Process| !matches!(process.status(), Status::Ended(_));
    let speaks_grpc = |process: &Process| process.grpc().is_some();
    match of().next_back() {
        None => world.shared.group(group).pop.orderly,
        Some(last) if of().all(|process| !lives(&process)) => speaks_grpc(last),
        Some(_) => of().filter(lives).all(speaks_grpc),
    }
}

/// The tokens of a stage, each message once; a second place of the same message is a copy.
#[derive(Default)]
pub(super) struct Tokens {
    list: Vec<TokenView>,
    /// How many each message has.
    copies: BTreeMap<MsgId, u32>,
}

impl Tokens {
    /// Adds a token.
    pub fn add(&mut self, scene: &Scene<'_>, name: Named, place: Place, state: TokenState) {
        let copies = self.copies.entry(name.msg).or_insert(0);
        let copy = std::mem::replace(copies, *copies + 1);
        let producer = scene.world.shared.message(name.msg).producer.index();
        self.list.push(TokenView { name, place, state, copy, producer });
    }
}
