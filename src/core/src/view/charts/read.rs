//! How facts become the figures of the charts.

use std::collections::{BTreeMap, BTreeSet};

use super::buckets::{Bucket, Buckets, MAX_POINTS};
use super::spent::Watch;
use crate::fact::{Fact, FactRecord, Outcome, StopKind};
use crate::ids::{ClientId, GroupId, MessageGroupId, MessageQueue, Ms, MsgId};
use crate::pop::PopFact;
use crate::world::World;

/// How far a consumer group is in a queue.
#[derive(Clone, Debug, Default)]
pub(super) struct Track {
    /// Behind what it finished without a gap.
    pub(super) next: i64,
    /// Finished, with a gap before it.
    ahead: BTreeSet<i64>,
    /// The lag where the range begins, and at the end of each closed bucket.
    pub(super) before: i64,
    pub(super) samples: Vec<i64>,
}

impl Track {
    fn finish(&mut self, offset: i64) {
        if offset >= self.next {
            self.ahead.insert(offset);
        }
        while self.ahead.remove(&self.next) {
            self.next += 1;
        }
    }

    fn seek(&mut self, next: i64) {
        self.next = next;
        self.ahead.clear();
    }
}

/// What a queue was given.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    pub(super) max: i64,
    pub(super) messages: u32,
    pub(super) by_series: BTreeMap<MessageGroupId, u32>,
}

/// The charts of a run for one consumer group, read from the facts up to the present.
#[derive(Clone, Debug, Default)]
pub struct Charts {
    of: Option<(u32, GroupId, Ms)>,
    seen: usize,
    /// The range has begun.
    pub(super) begun: bool,
    pub(super) buckets: Buckets,
    pub(super) given: BTreeMap<MessageQueue, Given>,
    pub(super) tracks: BTreeMap<(GroupId, MessageQueue), Track>,
    pub(super) watches: BTreeMap<MessageQueue, Watch>,
    /// Messages that are stored and not consumed, and since when.
    pub(super) waiting: BTreeMap<MsgId, Ms>,
    /// Messages that were not handled yet, and when they were stored.
    unhandled: BTreeMap<MsgId, Ms>,
    /// Listener calls that run: since when, and of which record.
    calls: BTreeMap<(ClientId, MsgId), (Ms, MessageQueue, u32)>,
    pub(super) by_pop: bool,
}

impl Charts {
    /// Reads the facts that are new. After a step back, in another run, for another consumer group or
    /// another range it reads from the beginning. `facts` are those up to the present of `world`; what
    /// happened before `from_ms` only says how things stood then.
    pub fn update(
        &mut self,
        facts: &[FactRecord],
        generation: u32,
        world: &World,
        group: GroupId,
        from_ms: Ms,
    ) {
        let of = Some((generation, group, from_ms));
        if self.of != of || facts.len() < self.seen {
            *self = Self { of, buckets: Buckets::since(from_ms), ..Self::default() };
        }
        for record in facts.get(self.seen..).unwrap_or_default() {
            if !self.begun && record.at_ms >= from_ms {
                self.begin(from_ms);
            }
            self.pass(record.at_ms);
            self.read(record, world);
        }
        self.seen = facts.len();
    }

    /// The range begins.
    fn begin(&mut self, from_ms: Ms) {
        self.begun = true;
        for ((_, queue), track) in &mut self.tracks {
            let max = self.given.get(queue).map_or(0, |given| given.max);
            track.before = (max - track.next).max(0);
        }
        self.watches.values_mut().for_each(|watch| watch.begin_at(from_ms));
    }

    /// The consumer group whose charts these are.
    pub(super) fn group(&self) -> GroupId {
        self.of.map_or(GroupId(0), |(_, group, _)| group)
    }

    /// Where the range begins.
    pub(super) fn begins_ms(&self) -> Ms {
        self.buckets.from_ms
    }

    pub(super) fn bucket_ms(&self) -> Ms {
        self.buckets.width_ms
    }

    pub(super) fn buckets(&self, now_ms: Ms) -> Vec<Bucket> {
        let mut buckets = self.buckets.clone();
        while buckets.is_behind(now_ms) {
            buckets.close();
        }
        buckets.view(now_ms)
    }

    /// Closes the buckets that end at or before an instant.
    fn pass(&mut self, at_ms: Ms) {
        while self.buckets.is_behind(at_ms) {
            let place = self.buckets.closed();
            let doubled = self.buckets.close();
            for ((_, queue), track) in &mut self.tracks {
                let max = self.given.get(queue).map_or(0, |given| given.max);
                track.samples.resize(place, 0);
                track.samples.push((max - track.next).max(0));
                if doubled {
                    let odd = track.samples.iter().skip(1).step_by(2).copied();
                    track.samples = odd.collect();
                }
            }
            for watch in self.watches.values_mut() {
                if doubled || watch.stretches() > MAX_POINTS {
                    watch.join(self.buckets.width_ms);
                }
            }
        }
    }

    fn track(&mut self, group: GroupId, queue: MessageQueue) -> &mut Track {
        self.tracks.entry((group, queue)).or_default()
    }

    fn watch(&mut self, queue: MessageQueue) -> &mut Watch {
        let from_ms = self.buckets.from_ms;
        let begun = self.begun;
        self.watches.entry(queue).or_insert_with(|| {
            let mut watch = Watch::default();
            if begun {
                watch.begin_at(from_ms);
            }
            watch
        })
    }

    fn read(&mut self, record: &FactRecord, world: &World) {
        let at_ms = record.at_ms;
        let of = |client: ClientId| world.clients.get(client.index()).map(|c| c.group());
        match record.fact {
            Fact::MessageStored { msg, queue, offset, .. } => {
                self.store(at_ms, world, msg, queue, i64::from(offset));
            }
            Fact::QueueAdded { client, queue, offset } => {
                let Some(group) = of(client) else { return };
                self.track(group, queue).seek(offset.into());
                self.of_shown(group, |charts| charts.watch(queue).own(at_ms, client, true));
            }
            Fact::QueueDropped { client, queue, .. } | Fact::QueueRemoved { client, queue, .. } => {
                let Some(group) = of(client) else { return };
                self.of_shown(group, |charts| charts.watch(queue).own(at_ms, client, false));
            }
            Fact::ConsumerStopped { client, how } if how != StopKind::Hang => {
                let clean = how == StopKind::Clean;
                self.watches.values_mut().for_each(|watch| watch.lose(at_ms, client, clean));
                self.calls.retain(|(c, _), _| clean || *c != client);
            }
            Fact::HandlingStarted { client, queue, offset, msg, .. } => {
                self.calls.insert((client, msg), (at_ms, queue, offset));
                let Some(group) = of(client) else { return };
                self.of_shown(group, |charts| charts.watch(queue).begin(at_ms, client, offset));
            }
            Fact::HandlingEnded { client, queue, offset, msg, outcome } => {
                let Some(group) = of(client) else { return };
                let good = matches!(outcome, Outcome::Success | Outcome::Commit);
                self.of_shown(group, |charts| {
                    charts.watch(queue).end(at_ms, client, offset);
                    charts.handle(at_ms, client, msg, good);
                });
            }
            Fact::QueueSuspended { client, queue, until_ms, .. } => {
                let Some(group) = of(client) else { return };
                self.of_shown(group, |charts| charts.watch(queue).block(at_ms, until_ms));
            }
            Fact::MessageAcknowledged { client, queue, offset, msg } => {
                let Some(group) = of(client) else { return };
                self.finish(at_ms, group, queue, offset.into(), Some(msg));
            }
            Fact::SentBack { client, msg, .. } => {
                let Some(group) = of(client) else { return };
                if let Some((_, queue, offset)) = self.calls.get(&(client, msg)).copied() {
                    self.finish(at_ms, group, queue, offset.into(), None);
                }
            }
            Fact::DeadLettered { group, msg, .. }
            | Fact::MessageScheduled { msg, dead_for: Some(group), .. } => {
                self.of_shown(group, |charts| {
                    charts.waiting.remove(&msg);
                });
            }
            _ => self.read_rest(record, world),
        }
    }

    /// Facts about offsets, and those of the second stack.
    fn read_rest(&mut self, record: &FactRecord, world: &World) {
        let at_ms = record.at_ms;
        let of = |client: ClientId| world.clients.get(client.index()).map(|c| c.group());
        match record.fact {
            Fact::MessagesFiltered { client, queue, offset, count, .. } => {
                let Some(group) = of(client) else { return };
                for offset in i64::from(offset)..i64::from(offset) + i64::from(count) {
                    self.track(group, queue).finish(offset);
                }
            }
            Fact::OffsetCorrected { client, queue, corrected, .. } => {
                let Some(group) = of(client) else { return };
                self.track(group, queue).seek(corrected.into());
            }
            Fact::OffsetReset { group, queue, offset, .. }
            | Fact::ResetConsumed { group, queue, offset }
            | Fact::Pop(PopFact::PopOffsetChosen { group, queue, offset }) => {
                self.track(group, queue).seek(offset.into());
            }
            Fact::Pop(PopFact::Received { client, .. }) if of(client) == Some(self.group()) => {
                self.by_pop = true;
            }
            Fact::Pop(PopFact::Revived { group, queue, offset, .. }) => {
                self.track(group, queue).finish(offset.into());
            }
            Fact::Pop(PopFact::AttemptFailed { client, queue, next_ms, .. }) => {
                let Some(group) = of(client) else { return };
                self.hold_back(at_ms, world, group, queue, next_ms);
            }
            Fact::Pop(PopFact::PopBlocked { group, queue, until_ms, .. }) => {
                self.hold_back(at_ms, world, group, queue, until_ms);
            }
            _ => {}
        }
    }

    /// Ordered POP: nothing of the queue is delivered until then.
    fn hold_back(
        &mut self,
        at_ms: Ms,
        world: &World,
        group: GroupId,
        queue: MessageQueue,
        until_ms: Ms,
    ) {
        if world.shared.group(group).pop.orderly {
            self.of_shown(group, |charts| charts.watch(queue).block(at_ms, until_ms));
        }
    }

    fn of_shown(&mut self, group: GroupId, f: impl FnOnce(&mut Self)) {
        if group == self.group() {
            f(self);
        }
    }

    fn store(&mut self, at_ms: Ms, world: &World, msg: MsgId, queue: MessageQueue, offset: i64) {
        let message = world.shared.message(msg);
        let given = self.given.entry(queue).or_default();
        given.max = given.max.max(offset + 1);
        for (place, group) in world.shared.names.groups.iter().enumerate() {
            if group.subscriptions.iter().any(|s| s.topic == queue.topic) {
                self.track(GroupId(place as u16), queue);
            }
        }
        if message.topic != queue.topic {
            return;
        }
        if self.begun {
            let given = self.given.entry(queue).or_default();
            given.messages += 1;
            *given.by_series.entry(message.series).or_default() += 1;
            self.buckets.open().stored += 1;
        }
        let group = world.shared.names.groups.get(self.group().index());
        if group.is_some_and(|g| g.subscriptions.iter().any(|s| s.topic == queue.topic)) {
            self.waiting.entry(msg).or_insert(at_ms);
            self.unhandled.entry(msg).or_insert(at_ms);
        }
    }

    fn handle(&mut self, at_ms: Ms, client: ClientId, msg: MsgId, good: bool) {
        let since_ms = self.calls.get(&(client, msg)).map(|(since_ms, ..)| *since_ms);
        if let Some(since_ms) = since_ms.filter(|_| self.begun) {
            self.buckets.open().add_call(at_ms - since_ms);
        }
        if let Some(stored_ms) = self.unhandled.get(&msg).copied().filter(|_| good) {
            self.unhandled.remove(&msg);
            if !self.begun {
                return;
            }
            let bucket = self.buckets.open();
            bucket.handled += 1;
            bucket.add_latency(at_ms - stored_ms);
        }
    }

    fn finish(
        &mut self,
        at_ms: Ms,
        group: GroupId,
        queue: MessageQueue,
        offset: i64,
        msg: Option<MsgId>,
    ) {
        self.track(group, queue).finish(offset);
        self.of_shown(group, |charts| {
            charts.watch(queue).block(at_ms, 0);
            if let Some(msg) = msg {
                charts.waiting.remove(&msg);
            }
        });
    }
}
