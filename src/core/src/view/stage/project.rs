//! The stage of a world.

use super::consumers::consumers;
use super::lanes::lanes;
use super::producers::{ports, producers};
use super::shelf::{folded, shelf, tray};
use super::{hue, GroupView, Named, Place, StageView, TokenState, TokenView, TopicView};
use crate::client::Client;
use crate::command::Command;
use crate::ids::{GroupId, MessageQueue, Ms, MsgId, TopicId};
use crate::shared::TopicUse;
use crate::view::history::History;
use crate::world::World;

/// What the page wants to see.
pub struct Options<'a> {
    /// Place of the consumer group in the list of groups.
    pub group: usize,
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
    let ports = super::producers::former(ports, &lanes, &scene);
    StageView {
        now_ms: world.now_ms(),
        topic: Some(scene.topic_view()),
        group: scene.group_view(),
        groups: world.shared.names.groups.iter().map(|g| g.name.as_str().into()).collect(),
        shelf: shelf(&scene, &mut tokens),
        tray: tray(&scene, &mut tokens),
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
    /// The queues that are lanes, in their order.
    pub queues: Vec<MessageQueue>,
}

impl<'a> Scene<'a> {
    fn new(world: &'a World, options: &'a Options<'a>) -> Option<Self> {
        let names = &world.shared.names;
        let is_user = |topic: &TopicId| names.topics[topic.index()].usage == TopicUse::User;
        let group = names.groups.get(options.group).map(|_| GroupId(options.group as u16));
        let topic = group
            .and_then(|g| {
                names.groups[g.index()].subscriptions.iter().map(|s| s.topic).find(is_user)
            })
            .or_else(|| (0..names.topics.len() as u16).map(TopicId).find(is_user))?;
        let mut scene = Self { world, options, topic, group, queues: Vec::new() };
        scene.queues = scene.lane_queues();
        Some(scene)
    }

    /// Queues of the topic that can be read or written, and the group's retry queue once it was
    /// used.
    fn lane_queues(&self) -> Vec<MessageQueue> {
        let names = &self.world.shared.names;
        let of = |topic: TopicId| {
            let t = &names.topics[topic.index()];
            let count = t.read_queues.max(t.write_queues);
            self.world.brokers.iter().flat_map(move |broker| {
                (0..count).map(move |id| MessageQueue { topic, broker: broker.id, id })
            })
        };
        let retry = self.group.map(|g| names.groups[g.index()].retry_topic);
        let used = |queue: &MessageQueue| {
            self.world.brokers[queue.broker.index()].store.range(*queue).1 > 0
        };
        let retry = retry.into_iter().flat_map(of).filter(used);
        of(self.topic).chain(retry).collect()
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
        let classic = self.world.clients.iter().filter_map(|process| process.classic());
        classic.filter(|client| Some(client.group) == self.group)
    }

    fn topic_view(&self) -> TopicView {
        let topic = &self.world.shared.names.topics[self.topic.index()];
        let write_queues = self.world.shared.names.write_queue_count(self.topic) as u32;
        TopicView { name: topic.name.as_str().into(), kind: topic.kind, write_queues }
    }

    fn group_view(&self) -> Option<GroupView> {
        let group = self.world.shared.group(self.group?);
        Some(GroupView {
            name: group.name.as_str().into(),
            listener: group.listener,
            index: self.options.group,
        })
    }
}

/// The tokens of a stage, each message once; a second place of the same message is a copy.
#[derive(Default)]
pub(super) struct Tokens {
    list: Vec<TokenView>,
}

impl Tokens {
    /// Adds a token.
    pub fn add(&mut self, scene: &Scene<'_>, name: Named, place: Place, state: TokenState) {
        let copy = self.list.iter().filter(|token| token.name.msg == name.msg).count() as u32;
        let producer = scene.world.shared.message(name.msg).producer.index();
        self.list.push(TokenView { name, place, state, copy, producer });
    }
}
