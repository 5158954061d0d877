//! Guarantees that are checked with every recorded fact. The first fact that breaks one is the
//! guilty step.

use std::collections::BTreeMap;

use crate::fact::{Fact, FactRecord, Outcome, StopKind};
use crate::ids::{ClientId, GroupId, MessageGroupId, MessageQueue, Ms, MsgId, TopicId};
use crate::model::Blocking;
use crate::pop::PopFact;
use crate::world::World;

/// A broken guarantee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Violation {
    /// When.
    pub at_ms: Ms,
    /// In which event.
    pub event: u32,
    /// Which consumer group.
    pub group: GroupId,
    /// What was broken.
    pub broken: Broken,
}

impl Violation {
    fn of(record: &FactRecord, group: GroupId, broken: Broken) -> Self {
        Self { at_ms: record.at_ms, event: record.event, group, broken }
    }
}

/// What was broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Broken {
    /// Two messages of a message group were handled against their stored order.
    Order {
        /// The message group.
        series: MessageGroupId,
        /// Stored first, but not finished when the other one began.
        earlier: MsgId,
        /// Stored later, begun before the other one was finished.
        later: MsgId,
    },
    /// Two consumers of one group handled messages of one queue at the same time.
    TwoOwners {
        /// The queue.
        queue: MessageQueue,
        /// Who was handling already.
        first: ClientId,
        /// Who began as well.
        second: ClientId,
    },
}

/// Whether only one consumer of a group is meant to work on a queue: true for classic consumers, and
/// for gRPC consumers of an ordered group while the block is the queue's.
fn owns_queues(world: &World, group: GroupId, client: ClientId) -> bool {
    let model = &world.shared.model;
    !is_grpc(world, client)
        || world.shared.group(group).pop.orderly && model.blocking == Blocking::Queue
}

fn is_grpc(world: &World, client: ClientId) -> bool {
    world.clients.get(client.index()).is_some_and(|process| process.grpc().is_some())
}

/// How far a message got in a consumer group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Seen {
    #[default]
    Never,
    Begun,
    /// Its newest listener call failed.
    Failed,
    /// By gRPC: a listener succeeded. What comes behind it is in order, whatever becomes of the
    /// acknowledgement; deliveries that follow are repeated ones.
    Handled,
    Finished,
}

/// Progress of one consumer group in one message group of one topic.
#[derive(Clone, Debug, Default)]
struct Track {
    /// Ranks begun and not handled, with the event in which they were last begun. Messages of one
    /// listener call begin in one event, and within a call the list is the order.
    open: Vec<(u32, u32)>,
    /// How far each rank got. What was finished once may be delivered again without harm: at least
    /// once is the promise.
    seen: Vec<Seen>,
    /// Highest rank begun since the last reset.
    highest: Option<u32>,
}

impl Track {
    fn seen(&mut self, rank: u32) -> &mut Seen {
        let place = rank as usize;
        if self.seen.len() <= place {
            self.seen.resize(place + 1, Seen::Never);
        }
        &mut self.seen[place]
    }

    /// The consumer group was sent elsewhere: these ranks are read anew, or passed over, by request.
    /// What was passed over may begin later without harm; what was begun still has to be finished.
    fn begin_anew(&mut self, is_reset: impl Fn(u32) -> bool) {
        let begun = |rank: &u32| self.seen[*rank as usize] != Seen::Never && !is_reset(*rank);
        self.highest = (0..self.seen.len() as u32).filter(begun).max();
    }
}

/// The checks of a run.
#[derive(Clone, Debug, Default)]
pub struct Checks {
    stored: BTreeMap<(TopicId, MessageGroupId), Vec<(MsgId, MessageQueue)>>,
    /// Of each stored message the order that it is in, and its place there.
    ranks: Vec<Option<(MessageGroupId, u32)>>,
    /// Order is promised within a topic: the same message group in another one is another matter.
    tracks: BTreeMap<(GroupId, TopicId, MessageGroupId), Track>,
    handling: BTreeMap<(GroupId, MessageQueue), Vec<(ClientId, MsgId)>>,
    /// Processes that stand still: what they are handling goes on only when they do.
    hanging: Vec<ClientId>,
    violations: Vec<Violation>,
}

impl Checks {
    /// All violations so far, in order.
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }

    /// Looks at a fact that has just happened in `world`.
    pub fn observe(&mut self, world: &World, record: &FactRecord) {
        match record.fact {
            Fact::MessageStored { msg, queue, .. } => self.on_stored(world, msg, queue),
            Fact::HandlingStarted { client, queue, msg, .. } => {
                let group = world.clients[client.index()].group();
                self.on_started(world, record, (group, client), queue, msg);
            }
            Fact::HandlingEnded { client, queue, msg, outcome, .. } => {
                let group = world.clients[client.index()].group();
                let by_grpc = is_grpc(world, client);
                let ends_here = by_grpc || !world.shared.group(group).auto_commit;
                match outcome {
                    Outcome::Success if ends_here => self.on_handled(world, group, msg, by_grpc),
                    Outcome::Later | Outcome::Null | Outcome::Exception => {
                        self.on_failed(world, group, msg);
                    }
                    _ => {}
                }
                if let Some(list) = self.handling.get_mut(&(group, queue)) {
                    if let Some(place) = list.iter().position(|h| *h == (client, msg)) {
                        list.remove(place);
                    }
                }
            }
            Fact::MessageAcknowledged { client, msg, .. } => {
                let group = world.clients[client.index()].group();
                self.on_acknowledged(world, group, msg, is_grpc(world, client));
            }
            Fact::ResultDiscarded { client, msg, .. } => {
                self.on_discarded(world, world.clients[client.index()].group(), msg);
            }
            // What was stored nowhere is lost, and nothing waits for it either. What a proxy gave up
            // on receipt, or waits to become a dead letter, no listener sees any more.
            Fact::DeadLettered { group, msg, .. }
            | Fact::MessageScheduled { msg, dead_for: Some(group), .. }
            | Fact::SentNowhere { group, msg }
            | Fact::Pop(PopFact::DeadOnReceive { group, msg, .. }) => {
                self.on_done(world, group, msg);
            }
            Fact::ConsumerStopped { client, how: StopKind::Hang } => self.hanging.push(client),
            // A listener call that outlives a clean stop ends as it would have.
            Fact::ConsumerStopped { how: StopKind::Clean, .. } => {}
            Fact::ConsumerStopped { client, .. } => {
                self.hanging.retain(|c| *c != client);
                for list in self.handling.values_mut() {
                    list.retain(|(c, _)| *c != client);
                }
            }
            Fact::ConsumerResumed { client } => self.on_resumed(world, record, client),
            Fact::OffsetReset { group, queue, .. } | Fact::ResetConsumed { group, queue, .. } => {
                self.on_reset(group, |stored| stored == queue);
            }
            Fact::ResetReceived { client, topic, .. } => {
                let group = world.clients[client.index()].group();
                self.on_reset(group, |stored| stored.topic == topic);
            }
            _ => {}
        }
    }

    fn on_stored(&mut self, world: &World, msg: MsgId, queue: MessageQueue) {
        let message = world.shared.message(msg);
        if message.topic != queue.topic || self.rank(msg).is_some() {
            return;
        }
        let of = world.shared.names.order_of(message.series);
        let list = self.stored.entry((message.topic, of)).or_default();
        if self.ranks.len() <= msg.index() {
            self.ranks.resize(msg.index() + 1, None);
        }
        self.ranks[msg.index()] = Some((of, list.len() as u32));
        list.push((msg, queue));
    }

    fn rank(&self, msg: MsgId) -> Option<(MessageGroupId, u32)> {
        self.ranks.get(msg.index()).copied().flatten()
    }

    /// A consumer handles messages of a queue from now on: nobody else may.
    fn on_joined(
        &mut self,
        world: &World,
        record: &FactRecord,
        (group, client): (GroupId, ClientId),
        queue: MessageQueue,
    ) {
        let list = self.handling.get(&(group, queue)).map_or(&[][..], Vec::as_slice);
        let other = list.iter().find(|(c, _)| *c != client && !self.hanging.contains(c));
        if let Some((first, _)) = other.filter(|_| owns_queues(world, group, client)) {
            let broken = Broken::TwoOwners { queue, first: *first, second: client };
            self.violations.push(Violation::of(record, group, broken));
        }
    }

    /// A process goes on with what it was handling when it stood still.
    fn on_resumed(&mut self, world: &World, record: &FactRecord, client: ClientId) {
        self.hanging.retain(|c| *c != client);
        let own = self.handling.iter().filter(|(_, list)| list.iter().any(|(c, _)| *c == client));
        let places: Vec<(GroupId, MessageQueue)> = own.map(|(place, _)| *place).collect();
        for (group, queue) in places {
            self.on_joined(world, record, (group, client), queue);
        }
    }

    fn on_reset(&mut self, group: GroupId, is_reset: impl Fn(MessageQueue) -> bool) {
        for ((topic, series), order) in &self.stored {
            let Some(track) = self.tracks.get_mut(&(group, *topic, *series)) else { continue };
            if order.iter().any(|(_, queue)| queue.topic == *topic && is_reset(*queue)) {
                track
                    .begin_anew(|rank| order.get(rank as usize).is_some_and(|(_, q)| is_reset(*q)));
            }
        }
    }

    fn on_started(
        &mut self,
        world: &World,
        record: &FactRecord,
        (group, client): (GroupId, ClientId),
        queue: MessageQueue,
        msg: MsgId,
    ) {
        self.on_joined(world, record, (group, client), queue);
        self.handling.entry((group, queue)).or_default().push((client, msg));
        let message = world.shared.message(msg);
        let series = message.series;
        if world.shared.names.series[series.index()].key.is_none() {
            return;
        }
        let Some((of, rank)) = self.rank(msg) else { return };
        let track = self.tracks.entry((group, message.topic, of)).or_default();
        let seen = track.seen(rank);
        if matches!(*seen, Seen::Handled | Seen::Finished) {
            return;
        }
        let first_time = std::mem::replace(seen, Seen::Begun) == Seen::Never;
        let order = &self.stored[&(message.topic, of)];
        let before = track.open.iter().filter(|(r, event)| *r < rank && *event != record.event);
        let unfinished = before.map(|(r, _)| *r).min();
        let overtaken_by = track.highest.filter(|h| *h > rank && first_time);
        // The first one that was begun before it, not the last.
        let begun = |r: &u32| track.seen[*r as usize] != Seen::Never;
        let overtaken_by = overtaken_by.and_then(|h| (rank + 1..=h).find(begun));
        let pair = unfinished.map(|open| (open, rank)).or(overtaken_by.map(|h| (rank, h)));
        if let Some((earlier, later)) = pair {
            let (earlier, later) = (order[earlier as usize].0, order[later as usize].0);
            let broken = Broken::Order { series, earlier, later };
            self.violations.push(Violation::of(record, group, broken));
        }
        track.highest = track.highest.max(Some(rank));
        match track.open.iter_mut().find(|(r, _)| *r == rank) {
            Some(open) => open.1 = record.event,
            None => track.open.push((rank, record.event)),
        }
    }

    /// The track and the rank of a message that is stored; None when the group has begun nothing of
    /// its message group.
    fn track(&mut self, world: &World, group: GroupId, msg: MsgId) -> Option<(&mut Track, u32)> {
        let (of, rank) = self.rank(msg)?;
        let message = world.shared.message(msg);
        let track = self.tracks.get_mut(&(group, message.topic, of))?;
        Some((track, rank))
    }

    /// Without autocommit, and by gRPC until the acknowledgement is there, a message that was handled
    /// with SUCCESS is not finished, but what comes behind it is in order.
    fn on_handled(&mut self, world: &World, group: GroupId, msg: MsgId, by_grpc: bool) {
        let Some((track, rank)) = self.track(world, group, msg) else { return };
        track.open.retain(|(open, _)| *open != rank);
        let seen = track.seen(rank);
        if by_grpc && *seen != Seen::Finished {
            *seen = Seen::Handled;
        }
    }

    /// A listener call for it failed.
    fn on_failed(&mut self, world: &World, group: GroupId, msg: MsgId) {
        let Some((track, rank)) = self.track(world, group, msg) else { return };
        let seen = track.seen(rank);
        if *seen == Seen::Begun {
            *seen = Seen::Failed;
        }
    }

    /// Nobody records that it was handled, so it is not finished after all.
    fn on_discarded(&mut self, world: &World, group: GroupId, msg: MsgId) {
        let Some((track, rank)) = self.track(world, group, msg) else { return };
        let is_open = track.open.iter().any(|(open, _)| *open == rank);
        if !is_open && matches!(track.seen(rank), Seen::Begun | Seen::Failed) {
            track.open.push((rank, 0));
        }
    }

    /// A consumer counts it as consumed. A classic one does so even when the newest call failed and a
    /// copy of it is in the retry topic: from 5.0.0 to 5.1.0 that is what becomes of an ordered message
    /// with the limit reached. It is unfinished until the copy is.
    fn on_acknowledged(&mut self, world: &World, group: GroupId, msg: MsgId, by_grpc: bool) {
        self.finish(world, group, msg, |seen| by_grpc || seen != Seen::Failed);
    }

    fn on_done(&mut self, world: &World, group: GroupId, msg: MsgId) {
        self.finish(world, group, msg, |_| true);
    }

    fn finish(
        &mut self,
        world: &World,
        group: GroupId,
        msg: MsgId,
        is_over: impl Fn(Seen) -> bool,
    ) {
        let message = world.shared.message(msg);
        let Some((of, rank)) = self.rank(msg) else { return };
        // It may be over before the group has begun any message of its message group.
        let track = self.tracks.entry((group, message.topic, of)).or_default();
        let seen = track.seen(rank);
        if is_over(*seen) {
            *seen = Seen::Finished;
            track.open.retain(|(open, _)| *open != rank);
        }
    }
}
