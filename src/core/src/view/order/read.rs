//! How facts become places in strips.

use std::collections::BTreeMap;

use super::Strip;
use crate::fact::{Fact, FactRecord, Outcome};
use crate::ids::{ClientId, GroupId, MessageGroupId, MessageQueue, Ms, MsgId, ProducerId, TopicId};
use crate::pop::{GrpcKind, PopFact};
use crate::world::World;

/// Most times that one message is listed in one strip; more are only counted.
const MAX_TIMES: u32 = 3;

/// Where a message was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Where {
    Producer(ProducerId),
    Slot(MessageQueue, u32),
    Client(ClientId),
    Nobody,
}

/// A message in a strip.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub msg: MsgId,
    pub at_ms: Ms,
    pub event: u32,
    pub at: Where,
    pub nth: u32,
    pub dead: bool,
    /// Failures of the message until then.
    pub failures: u32,
}

/// How far a message got in the consumer group.
#[derive(Clone, Debug, Default)]
struct Progress {
    times: [u32; 5],
    failures: u32,
    /// The last attempt failed, and another one is to follow.
    retried: bool,
    /// An application has it, and its listener or loop has not begun.
    received: Option<ClientId>,
    dead: bool,
}

/// A message group.
#[derive(Clone, Debug, Default)]
pub(super) struct Track {
    pub strips: [Vec<Place>; 5],
    /// The messages as they first came.
    pub order: Vec<MsgId>,
    pub twice: u32,
    pub failed: Option<(MsgId, u32)>,
    progress: BTreeMap<MsgId, Progress>,
}

impl Track {
    /// Failed attempts of a message so far.
    pub fn failures(&self, msg: MsgId) -> u32 {
        self.progress.get(&msg).map_or(0, |progress| progress.failures)
    }
}

/// The strips of a run for one consumer group, read from the facts up to the present.
#[derive(Clone, Debug, Default)]
pub struct Order {
    of: Option<(u32, GroupId)>,
    seen: usize,
    /// By topic and message group: order is promised within a topic.
    tracks: BTreeMap<(TopicId, MessageGroupId), Track>,
}

impl Order {
    /// Reads the facts that are new. After a step back, in another run or for another consumer group
    /// it reads from the beginning. `facts` are those up to the present of `world`.
    pub fn update(&mut self, facts: &[FactRecord], generation: u32, world: &World, group: GroupId) {
        if self.of != Some((generation, group)) || facts.len() < self.seen {
            *self = Self { of: Some((generation, group)), ..Self::default() };
        }
        for record in facts.get(self.seen..).unwrap_or_default() {
            self.read(record, world, group);
        }
        self.seen = facts.len();
    }

    pub(super) fn tracks(&self) -> impl Iterator<Item = (&(TopicId, MessageGroupId), &Track)> {
        self.tracks.iter()
    }

    fn read(&mut self, record: &FactRecord, world: &World, group: GroupId) {
        let of_group = |client: ClientId| {
            world.clients.get(client.index()).is_some_and(|c| c.group() == group)
        };
        match record.fact {
            // A further attempt is the same message on its way.
            Fact::SendStarted { producer, msg, .. }
            | Fact::Pop(PopFact::EndpointChosen { producer, msg, .. })
                if self.times(world, msg, Strip::Sent) == 0 =>
            {
                self.put(record, world, (msg, Strip::Sent), Where::Producer(producer));
            }
            Fact::MessageStored { msg, queue, offset, .. }
                if world.shared.message(msg).topic == queue.topic =>
            {
                self.put(record, world, (msg, Strip::Stored), Where::Slot(queue, offset));
            }
            Fact::HandlingStarted { client, msg, .. } if of_group(client) => {
                self.begin(record, world, client, msg, true);
            }
            Fact::Pop(PopFact::Received { client, msg, .. })
                if of_group(client) && is_simple(world, client) =>
            {
                self.begin(record, world, client, msg, false);
            }
            Fact::HandlingEnded { client, msg, outcome, .. } if of_group(client) => {
                if matches!(outcome, Outcome::Success | Outcome::Commit) {
                    self.put(record, world, (msg, Strip::Handled), Where::Client(client));
                } else {
                    self.fail(world, msg);
                }
            }
            // A dead letter is acknowledged as well, and is in the strip already.
            Fact::MessageAcknowledged { client, msg, .. }
                if of_group(client) && !self.is_dead(world, msg) =>
            {
                self.put(record, world, (msg, Strip::Acknowledged), Where::Client(client));
            }
            Fact::DeadLettered { group: of, msg, .. }
            | Fact::MessageScheduled { msg, dead_for: Some(of), .. }
                if of == group =>
            {
                self.die(record, world, msg)
            }
            _ => {}
        }
    }

    fn track(&mut self, world: &World, msg: MsgId) -> &mut Track {
        self.tracks.entry(place(world, msg)).or_default()
    }

    fn progress(&mut self, world: &World, msg: MsgId) -> &mut Progress {
        self.track(world, msg).progress.entry(msg).or_default()
    }

    fn known(&self, world: &World, msg: MsgId) -> Option<&Progress> {
        self.tracks.get(&place(world, msg))?.progress.get(&msg)
    }

    /// How often a message was in a strip.
    fn times(&self, world: &World, msg: MsgId, strip: Strip) -> u32 {
        self.known(world, msg).map_or(0, |progress| progress.times[strip as usize])
    }

    fn is_dead(&self, world: &World, msg: MsgId) -> bool {
        self.known(world, msg).is_some_and(|progress| progress.dead)
    }

    fn put(&mut self, record: &FactRecord, world: &World, (msg, strip): (MsgId, Strip), at: Where) {
        let track = self.track(world, msg);
        if !track.progress.contains_key(&msg) || track.progress[&msg].times == [0; 5] {
            track.order.push(msg);
        }
        let progress = track.progress.entry(msg).or_default();
        let times = &mut progress.times[strip as usize];
        let nth = *times;
        *times += 1;
        track.twice += u32::from(nth == 1);
        if nth < MAX_TIMES {
            let (FactRecord { at_ms, event, .. }, dead) = (*record, progress.dead);
            let failures = progress.failures;
            track.strips[strip as usize].push(Place { msg, at_ms, event, at, nth, dead, failures });
        }
    }

    /// A consumer begins with a message. It is a further attempt when the last one failed, and the
    /// call that belongs to a receipt; else the message comes (again).
    fn begin(
        &mut self,
        record: &FactRecord,
        world: &World,
        client: ClientId,
        msg: MsgId,
        call: bool,
    ) {
        let progress = self.progress(world, msg);
        let continues = call && progress.received == Some(client);
        progress.received = (!call).then_some(client);
        if !continues && !std::mem::take(&mut progress.retried) {
            self.put(record, world, (msg, Strip::Delivered), Where::Client(client));
        }
    }

    fn fail(&mut self, world: &World, msg: MsgId) {
        let track = self.track(world, msg);
        let progress = track.progress.entry(msg).or_default();
        progress.failures += 1;
        progress.retried = true;
        if track.failed.is_none_or(|(_, most)| most < progress.failures) {
            track.failed = Some((msg, progress.failures));
        }
    }

    fn die(&mut self, record: &FactRecord, world: &World, msg: MsgId) {
        self.progress(world, msg).dead = true;
        let track = self.track(world, msg);
        let strip = &mut track.strips[Strip::Acknowledged as usize];
        match strip.iter_mut().rev().find(|place| place.msg == msg) {
            Some(place) => place.dead = true,
            None => self.put(record, world, (msg, Strip::Acknowledged), Where::Nobody),
        }
    }
}

/// The topic and the message group of a message.
pub(super) fn place(world: &World, msg: MsgId) -> (TopicId, MessageGroupId) {
    let message = world.shared.message(msg);
    (message.topic, world.shared.names.order_of(message.series))
}

fn is_simple(world: &World, client: ClientId) -> bool {
    let process = world.clients.get(client.index()).and_then(|process| process.grpc());
    process.is_some_and(|client| matches!(client.kind, GrpcKind::Simple(_)))
}
