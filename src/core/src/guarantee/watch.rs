//! Watches a run fact by fact. Everything that is looked up with each fact is a place in a vector.

use super::Guarantee;
use crate::fact::{Fact, FactRecord, Outcome, StoredKind};
use crate::ids::{BrokerId, ClientId, GroupId, MessageGroupId, MessageQueue, Ms, MsgId, TopicId};
use crate::pop::PopFact;
use crate::world::World;

/// Most breaches that are kept; more are counted in none of the verdicts.
pub const MOST_BREACHES: usize = 10_000;

/// A broken guarantee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Breach {
    /// Which guarantee.
    pub guarantee: Guarantee,
    /// When.
    pub at_ms: Ms,
    /// In which event.
    pub event: u32,
    /// For which consumer group; None = on the way to the broker.
    pub group: Option<GroupId>,
    /// The message that should have come first, where two are involved.
    pub earlier: Option<MsgId>,
    /// The message that it happened to.
    pub msg: MsgId,
}

/// Deliveries that were not the first, by what caused them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Duplicates {
    /// After a failure: repeats that are meant.
    pub retries: u32,
    /// After a hand-over, a crash or a lost result: the offset was not recorded.
    pub hand_overs: u32,
    /// After a reset back.
    pub resets: u32,
    /// Because the invisible time was over before the acknowledgement.
    pub expiries: u32,
}

impl Duplicates {
    /// All deliveries that were not the first.
    pub fn all(&self) -> u32 {
        self.retries + self.hand_overs + self.resets + self.expiries
    }
}

/// A time in which a queue stood still although something waited in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    /// Queue.
    pub queue: MessageQueue,
    /// Since when.
    pub from_ms: Ms,
    /// Until when; the present while it lasts.
    pub until_ms: Ms,
    /// The message that ended it by being finished; None while it lasts.
    pub by: Option<MsgId>,
}

/// Of a message: where it was stored first, and its rank in its message group by storing.
#[derive(Clone, Copy, Debug)]
struct Stored {
    queue: MessageQueue,
    rank: u32,
}

/// What a group did with a message.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    begun: bool,
    failed: bool,
    done: bool,
}

/// Of a message group: highest number stored, its message and queue, and how many are stored.
#[derive(Clone, Copy, Debug)]
struct Series {
    highest: u32,
    msg: MsgId,
    queue: MessageQueue,
    count: u32,
}

/// Highest ranks of a consumer group in a message group, with their messages.
#[derive(Clone, Copy, Debug, Default)]
struct Track {
    delivered: Option<(u32, MsgId)>,
    acknowledged: Option<(u32, MsgId)>,
}

/// A queue and what groups did in it.
#[derive(Clone, Debug, Default)]
struct Queue {
    stored: u32,
    first_ms: Ms,
    groups: Vec<OfGroup>,
}

#[derive(Clone, Copy, Debug)]
struct OfGroup {
    group: GroupId,
    done: u32,
    since_ms: Ms,
    highest: Option<(u32, MsgId)>,
}

/// The watch of a run.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    stored: Vec<Option<Stored>>,
    series: Vec<Option<Series>>,
    tracks: Vec<Vec<Track>>,
    seen: Vec<Vec<Seen>>,
    /// By topic, broker and id.
    queues: Vec<Vec<Vec<Queue>>>,
    resets: Vec<(GroupId, MessageQueue)>,
    longest: Vec<Option<Block>>,
    duplicates: Vec<Duplicates>,
    breaches: Vec<Breach>,
}

/// The entry of a place, made when it is new.
fn entry<T: Default>(table: &mut Vec<T>, place: usize) -> &mut T {
    if table.len() <= place {
        table.resize_with(place + 1, T::default);
    }
    &mut table[place]
}

/// The entry of a queue, made when it is new.
fn queue_of(queues: &mut Vec<Vec<Vec<Queue>>>, queue: MessageQueue) -> &mut Queue {
    let of_broker = entry(entry(queues, queue.topic.index()), queue.broker.index());
    entry(of_broker, usize::from(queue.id))
}

impl Watch {
    fn all_queues(&self) -> impl Iterator<Item = (MessageQueue, &Queue)> {
        self.queues.iter().enumerate().flat_map(|(topic, brokers)| {
            brokers.iter().enumerate().flat_map(move |(broker, ids)| {
                ids.iter().enumerate().map(move |(id, of)| {
                    let (topic, broker) = (TopicId(topic as u16), BrokerId(broker as u8));
                    (MessageQueue { topic, broker, id: id as u16 }, of)
                })
            })
        })
    }

    /// Breaches of a guarantee.
    pub fn breaches(&self, guarantee: Guarantee, group: Option<GroupId>) -> Vec<Breach> {
        let mine = |b: &&Breach| b.guarantee == guarantee && b.group == group;
        self.breaches.iter().filter(mine).copied().collect()
    }

    /// Deliveries of a group that were not the first.
    pub fn duplicates(&self, group: GroupId) -> Duplicates {
        self.duplicates.get(group.index()).copied().unwrap_or_default()
    }

    /// The longest time that a queue of a group stood still, up to now.
    pub fn longest(&self, group: GroupId, now_ms: Ms) -> Option<Block> {
        let over = self.longest.get(group.index()).copied().flatten();
        let running = self.all_queues().filter_map(|(queue, of)| {
            let own = of.groups.iter().find(|g| g.group == group)?;
            (own.done < of.stored).then_some(Block {
                queue,
                from_ms: own.since_ms,
                until_ms: now_ms,
                by: None,
            })
        });
        over.into_iter().chain(running).max_by_key(|b| b.until_ms - b.from_ms)
    }

    fn breach(
        &mut self,
        record: &FactRecord,
        guarantee: Guarantee,
        of: (Option<GroupId>, Option<MsgId>, MsgId),
    ) {
        if self.breaches.len() < MOST_BREACHES {
            let (group, earlier, msg) = of;
            let (at_ms, event) = (record.at_ms, record.event);
            self.breaches.push(Breach { guarantee, at_ms, event, group, earlier, msg });
        }
    }

    /// Looks at a fact that has just happened.
    pub fn observe(&mut self, world: &World, record: &FactRecord) {
        match record.fact {
            Fact::MessageStored { msg, queue, offset, kind } => {
                self.on_stored(world, record, msg, (queue, offset), kind);
            }
            Fact::HandlingStarted { client, queue, offset, msg, attempt } => {
                self.on_started(world, record, client, (queue, offset), (msg, attempt));
            }
            Fact::HandlingEnded { client, msg, outcome, .. }
                if !matches!(outcome, Outcome::Success | Outcome::Commit) =>
            {
                let group = world.clients[client.index()].group();
                self.seen(group, msg).failed = true;
            }
            Fact::MessageAcknowledged { client, queue, msg, .. } => {
                let group = world.clients[client.index()].group();
                self.on_done(record, group, msg, Some(queue), world);
            }
            Fact::DeadLettered { group, msg, .. } => {
                let own = self.stored.get(msg.index()).copied().flatten().map(|s| s.queue);
                self.on_done(record, group, msg, own, world);
            }
            Fact::SentBack { client, msg, .. } => {
                let group = world.clients[client.index()].group();
                let own = self.stored.get(msg.index()).copied().flatten().map(|s| s.queue);
                if let Some(queue) = own {
                    self.progress(group, queue, record.at_ms, msg);
                }
            }
            Fact::SentNowhere { group, msg } => {
                self.breach(record, Guarantee::NothingLost, (Some(group), None, msg));
            }
            Fact::QueueAdded { client, queue, .. } => {
                let group = world.clients[client.index()].group();
                self.of_group(group, queue, record.at_ms);
            }
            Fact::Pop(PopFact::PopOffsetChosen { group, queue, .. }) => {
                self.of_group(group, queue, record.at_ms);
            }
            Fact::OffsetReset { group, queue, .. } => self.resets.push((group, queue)),
            Fact::MessageLost { msg, queue, .. } | Fact::MessageDeleted { msg, queue, .. } => {
                self.on_gone(world, record, msg, queue);
            }
            _ => {}
        }
    }

    fn seen(&mut self, group: GroupId, msg: MsgId) -> &mut Seen {
        entry(entry(&mut self.seen, group.index()), msg.index())
    }

    fn of_group(&mut self, group: GroupId, queue: MessageQueue, now_ms: Ms) -> (&mut OfGroup, u32) {
        let of = queue_of(&mut self.queues, queue);
        let place = of.groups.iter().position(|g| g.group == group).unwrap_or_else(|| {
            let since_ms = if of.stored > 0 { of.first_ms.max(0) } else { now_ms };
            of.groups.push(OfGroup { group, done: 0, since_ms, highest: None });
            of.groups.len() - 1
        });
        (&mut of.groups[place], of.stored)
    }

    fn on_stored(
        &mut self,
        world: &World,
        record: &FactRecord,
        msg: MsgId,
        (queue, _): (MessageQueue, u32),
        kind: StoredKind,
    ) {
        let of = queue_of(&mut self.queues, queue);
        if of.stored == 0 {
            of.first_ms = record.at_ms;
        }
        for group in &mut of.groups {
            if group.done >= of.stored {
                group.since_ms = record.at_ms;
                group.done = of.stored;
            }
        }
        of.stored += 1;
        let message = world.shared.message(msg);
        let again = matches!(kind, StoredKind::Retry | StoredKind::DeadLetter);
        if again || message.topic != queue.topic || entry(&mut self.stored, msg.index()).is_some() {
            return;
        }
        let keyed = world.shared.names.series[message.series.index()].key.is_some();
        let place = message.series;
        let series = entry(&mut self.series, place.index());
        let before = *series;
        let (rank, highest) = match before {
            None => (0, None),
            Some(s) => (s.count, Some(s)),
        };
        let number = message.number;
        let newest = highest.is_none_or(|s| number >= s.highest);
        *series = Some(match highest {
            Some(s) if !newest => Series { count: s.count + 1, ..s },
            _ => Series { highest: number, msg, queue, count: rank + 1 },
        });
        self.stored[msg.index()] = Some(Stored { queue, rank });
        if let Some(before) = highest.filter(|_| keyed) {
            if !newest {
                // It is meant to come before what is stored already.
                self.breach(record, Guarantee::OrderStored, (None, Some(msg), before.msg));
            } else if before.queue != queue {
                self.breach(record, Guarantee::OrderStored, (None, Some(before.msg), msg));
            }
        }
    }

    fn on_started(
        &mut self,
        world: &World,
        record: &FactRecord,
        client: ClientId,
        (queue, offset): (MessageQueue, u32),
        (msg, attempt): (MsgId, u32),
    ) {
        let process = &world.clients[client.index()];
        let group = process.group();
        let now_ms = record.at_ms;
        let before = *self.seen(group, msg);
        *self.seen(group, msg) = Seen { begun: true, ..before };
        if before.begun {
            self.repeat(world, (group, queue, msg), before);
        }
        let (own, _) = self.of_group(group, queue, now_ms);
        let first = own.highest.is_none_or(|(highest, _)| offset > highest);
        let ahead = own.highest;
        if first {
            own.highest = Some((offset, msg));
        }
        if let Some((_, later)) = ahead.filter(|_| !first && !before.begun) {
            self.breach(record, Guarantee::QueueOrder, (Some(group), Some(msg), later));
        }
        let limit = limit(world, group, process.grpc().is_some());
        if limit.is_some_and(|limit| attempt > limit) {
            self.breach(record, Guarantee::Attempts, (Some(group), None, msg));
        }
        let message = world.shared.message(msg);
        if before.begun || world.shared.names.series[message.series.index()].key.is_none() {
            return;
        }
        let Some(stored) = self.stored.get(msg.index()).copied().flatten() else { return };
        let track = self.track(group, message.series);
        let highest = track.delivered;
        if highest.is_none_or(|(rank, _)| stored.rank > rank) {
            track.delivered = Some((stored.rank, msg));
        } else if let Some((_, later)) = highest {
            self.breach(record, Guarantee::OrderDelivered, (Some(group), Some(msg), later));
        }
    }

    fn track(&mut self, group: GroupId, series: MessageGroupId) -> &mut Track {
        entry(entry(&mut self.tracks, group.index()), series.index())
    }

    /// A delivery that is not the first.
    fn repeat(
        &mut self,
        world: &World,
        (group, queue, msg): (GroupId, MessageQueue, MsgId),
        before: Seen,
    ) {
        let reset = self.resets.contains(&(group, queue));
        let own = world.shared.message(msg).topic == queue.topic;
        let grpc = world.clients.iter().any(|p| p.group() == group && p.grpc().is_some());
        let counts = entry(&mut self.duplicates, group.index());
        match before {
            Seen { failed: true, done: false, .. } => counts.retries += 1,
            _ if reset && before.done => counts.resets += 1,
            _ if grpc || !own => counts.expiries += 1,
            _ => counts.hand_overs += 1,
        }
    }

    fn on_done(
        &mut self,
        record: &FactRecord,
        group: GroupId,
        msg: MsgId,
        queue: Option<MessageQueue>,
        world: &World,
    ) {
        let first = !std::mem::replace(&mut self.seen(group, msg).done, true);
        if let Some(queue) = queue {
            self.progress(group, queue, record.at_ms, msg);
        }
        let message = world.shared.message(msg);
        if !first || world.shared.names.series[message.series.index()].key.is_none() {
            return;
        }
        let Some(stored) = self.stored.get(msg.index()).copied().flatten() else { return };
        let track = self.track(group, message.series);
        let highest = track.acknowledged;
        if highest.is_none_or(|(rank, _)| stored.rank > rank) {
            track.acknowledged = Some((stored.rank, msg));
        } else if let Some((_, later)) = highest {
            self.breach(record, Guarantee::OrderAcknowledged, (Some(group), Some(msg), later));
        }
    }

    /// Something was finished in a queue.
    fn progress(&mut self, group: GroupId, queue: MessageQueue, now_ms: Ms, msg: MsgId) {
        let (own, stored) = self.of_group(group, queue, now_ms);
        let from_ms = std::mem::replace(&mut own.since_ms, now_ms);
        own.done = (own.done + 1).min(stored);
        let block = Block { queue, from_ms, until_ms: now_ms, by: Some(msg) };
        let longest = entry(&mut self.longest, group.index());
        if longest.is_none_or(|b| now_ms - from_ms > b.until_ms - b.from_ms) {
            *longest = Some(block);
        }
    }

    /// A stored message is gone; whoever reads its topic and was not done with it has lost it.
    fn on_gone(&mut self, world: &World, record: &FactRecord, msg: MsgId, queue: MessageQueue) {
        let names = &world.shared.names;
        for index in 0..names.groups.len() {
            let group = GroupId(index as u16);
            let reads = names.groups[index].subscriptions.iter().any(|s| s.topic == queue.topic);
            // A group that never read the queue has lost nothing by it.
            let of = queue_of(&mut self.queues, queue);
            let began = of.groups.iter().any(|g| g.group == group);
            if reads && began && !self.seen(group, msg).done {
                self.breach(record, Guarantee::NothingLost, (Some(group), None, msg));
            }
        }
    }
}

/// Most calls for a message; None = without limit.
fn limit(world: &World, group: GroupId, grpc: bool) -> Option<u32> {
    let of = world.shared.group(group);
    let model = &world.shared.model;
    let retries = match (grpc, of.pop.retry_max_times) {
        (true, -1) => model.retry_max_times,
        (true, n) => i64::from(n),
        (false, _) => match of.effective_max_reconsume_times(model) {
            i32::MAX => return None,
            n => i64::from(n),
        },
    };
    u32::try_from(retries).ok().map(|n| n + 1)
}
