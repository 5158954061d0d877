//! Watches a run fact by fact. Everything that is looked up with each fact is a place in a vector.
//! What is asked for afterwards is kept with its events, so that any past of the run is known as well
//! as its present; see [`Watched`].

mod ended;
mod found;
mod past;
mod state;

use ended::limit;
pub use found::{Block, Breach, Duplicates, MOST_BREACHES};
pub use past::Watched;
use state::{entry, queue_of, OfGroup, Queue, Seen, Series, Standing, Stored, Track};

use super::Guarantee;
use crate::fact::{Fact, FactRecord, StoredKind};
use crate::ids::{ClientId, GroupId, MessageGroupId, MessageQueue, Ms, MsgId, TopicId};
use crate::pop::PopFact;
use crate::world::World;

/// The watch of a run.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    stored: Vec<Option<Stored>>,
    /// By topic and message group: order is promised within a topic.
    series: Vec<Vec<Option<Series>>>,
    /// By consumer group, topic and message group.
    tracks: Vec<Vec<Vec<Track>>>,
    /// By topic and series the highest number that was stored, with its message.
    numbers: Vec<Vec<Option<(u32, MsgId)>>>,
    seen: Vec<Vec<Seen>>,
    /// By topic, broker and id.
    queues: Vec<Vec<Vec<Queue>>>,
    resets: Vec<(GroupId, MessageQueue)>,
    /// Commands that were refused, each with its event.
    refused: Vec<(u32, u32)>,
    /// What was handled without autocommit and waits for a commit.
    uncommitted: Vec<(ClientId, MessageQueue, MsgId)>,
    /// Of each group the blocks that were longer than all before them, with their events.
    longest: Vec<Vec<(u32, Block)>>,
    /// Of each group the numbers with the events since which they hold.
    duplicates: Vec<Vec<(u32, Duplicates)>>,
    first_duplicates: Vec<Option<Breach>>,
    breaches: Vec<Breach>,
}

impl Watch {
    /// What was seen up to an event.
    pub fn until(&self, event: u32) -> Watched<'_> {
        Watched::new(self, event)
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
            Fact::HandlingEnded { client, queue, msg, outcome, .. } => {
                self.on_ended(world, client, queue, (msg, outcome));
            }
            Fact::MessageAcknowledged { client, queue, msg, .. } => {
                self.on_acknowledged(world, record, client, queue, msg);
            }
            Fact::DeadLettered { group, msg, .. } => {
                let own = self.stored.get(msg.index()).copied().flatten().map(|s| s.queue);
                self.seen(group, msg).dead = true;
                self.on_done(record, group, msg, own, world);
            }
            Fact::SentBack { client, msg, .. } => {
                let group = world.clients[client.index()].group();
                let own = self.stored.get(msg.index()).copied().flatten().map(|s| s.queue);
                if let Some(queue) = own {
                    self.progress(record, group, queue, msg);
                }
            }
            Fact::SentNowhere { group, msg } => {
                self.seen(group, msg).nowhere = true;
                self.breach(record, Guarantee::NothingLost, (Some(group), None, msg));
            }
            Fact::QueueAdded { client, queue, offset } => {
                let group = world.clients[client.index()].group();
                self.on_position(record, group, queue, offset);
            }
            Fact::Pop(PopFact::PopOffsetChosen { group, queue, offset })
            | Fact::ResetConsumed { group, queue, offset } => {
                self.on_position(record, group, queue, offset);
            }
            Fact::MessagesFiltered { client, queue, offset, count, .. } => {
                let group = world.clients[client.index()].group();
                self.on_filtered(record, group, queue, (offset, offset + u32::from(count)));
            }
            Fact::Pop(PopFact::FilteredOnReceive { group, msg, .. }) => {
                if let Some(at) = self.stored.get(msg.index()).copied().flatten() {
                    self.on_filtered(record, group, at.queue, (at.offset, at.offset + 1));
                }
            }
            Fact::OffsetReset { group, queue, .. } => self.resets.push((group, queue)),
            Fact::CommandRefused { index } => self.refused.push((record.event, index)),
            Fact::MessageLost { msg, queue, offset } => {
                self.on_gone(world, record, msg, queue);
                self.on_lost(record, msg, (queue, offset));
            }
            Fact::MessageDeleted { msg, queue, .. } => self.on_gone(world, record, msg, queue),
            _ => {}
        }
    }

    fn seen(&mut self, group: GroupId, msg: MsgId) -> &mut Seen {
        entry(entry(&mut self.seen, group.index()), msg.index())
    }

    fn of_group(
        &mut self,
        record: &FactRecord,
        group: GroupId,
        queue: MessageQueue,
    ) -> (&mut OfGroup, &[(u32, Ms)]) {
        let of = queue_of(&mut self.queues, queue);
        let place = of.groups.iter().position(|g| g.group == group).unwrap_or_else(|| {
            let since_ms = of.stored.first().map_or(record.at_ms, |(_, at_ms)| (*at_ms).max(0));
            let standing = Standing { event: record.event, done: 0, since_ms };
            of.groups.push(OfGroup::new(group, standing));
            of.groups.len() - 1
        });
        (&mut of.groups[place], &of.stored)
    }

    /// A group reads a queue from an offset on: what lies before it and was not finished is passed over.
    fn on_position(
        &mut self,
        record: &FactRecord,
        group: GroupId,
        queue: MessageQueue,
        offset: u32,
    ) {
        self.of_group(record, group, queue);
        self.on_filtered(record, group, queue, (0, offset));
    }

    /// Nobody of a group waits for some records of a queue.
    fn on_filtered(
        &mut self,
        record: &FactRecord,
        group: GroupId,
        queue: MessageQueue,
        (from, until): (u32, u32),
    ) {
        let of = queue_of(&mut self.queues, queue);
        let Some(own) = of.groups.iter_mut().find(|g| g.group == group) else { return };
        // What is behind it already needs no memory.
        if own.now().done < until {
            own.pass(from, until);
            own.skip(record.event, &of.stored);
        }
    }

    fn on_stored(
        &mut self,
        world: &World,
        record: &FactRecord,
        msg: MsgId,
        (queue, offset): (MessageQueue, u32),
        kind: StoredKind,
    ) {
        let of = queue_of(&mut self.queues, queue);
        let done = of.stored.len() as u32;
        for group in of.groups.iter_mut().filter(|group| group.now().done >= done) {
            group.set(Standing { event: record.event, done, since_ms: record.at_ms });
        }
        of.stored.push((record.event, record.at_ms));
        let message = world.shared.message(msg);
        let again = matches!(kind, StoredKind::Retry | StoredKind::DeadLetter);
        if again || message.topic != queue.topic || entry(&mut self.stored, msg.index()).is_some() {
            return;
        }
        let keyed = world.shared.names.series[message.series.index()].key.is_some();
        let of = world.shared.names.order_of(message.series);
        // Numbers count within a series, places within the message group.
        let numbers = entry(entry(&mut self.numbers, queue.topic.index()), message.series.index());
        let own = *numbers;
        let newest = own.is_none_or(|(highest, _)| message.number >= highest);
        if newest {
            *numbers = Some((message.number, msg));
        }
        let series = entry(entry(&mut self.series, queue.topic.index()), of.index());
        let before = *series;
        let rank = before.map_or(0, |s| s.count);
        *series = Some(match before {
            Some(s) if !newest => Series { count: rank + 1, ..s },
            _ => Series { msg, queue, count: rank + 1 },
        });
        self.stored[msg.index()] = Some(Stored { queue, offset, of, rank, lost: false });
        if !keyed {
            return;
        }
        match (own, before) {
            // It is meant to come before what is stored already.
            (Some((_, later)), _) if !newest => {
                self.breach(record, Guarantee::OrderStored, (None, Some(msg), later));
            }
            (_, Some(before)) if before.queue != queue => {
                self.breach(record, Guarantee::OrderStored, (None, Some(before.msg), msg));
            }
            _ => {}
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
        let before = *self.seen(group, msg);
        *self.seen(group, msg) = Seen { begun: true, failed_last: false, attempt, ..before };
        if before.begun {
            self.repeat(world, record, (group, queue, msg), before);
        }
        let lost = self.is_lost(msg, queue);
        let (own, _) = self.of_group(record, group, queue);
        // What is handled from a cache and lies nowhere any more stands before nothing.
        let first = lost || own.highest.is_none_or(|(highest, _)| offset > highest);
        let ahead = own.highest;
        if first && !lost {
            own.highest = Some((offset, msg));
        }
        if let Some((_, later)) = ahead.filter(|_| !first && !before.begun) {
            self.breach(record, Guarantee::QueueOrder, (Some(group), Some(msg), later));
        }
        // The limit is tested when an attempt fails; of a gRPC consumer that says nothing, by the
        // proxy with the receipt.
        let again = before.used_up > 0 && attempt >= before.used_up;
        let unsaid = process.grpc().is_some() && !before.failed;
        if again || unsaid && limit(world, group, true).is_some_and(|limit| attempt > limit) {
            self.breach(record, Guarantee::Attempts, (Some(group), None, msg));
        }
        let message = world.shared.message(msg);
        if before.begun || world.shared.names.series[message.series.index()].key.is_none() {
            return;
        }
        let Some(stored) = self.stored.get(msg.index()).copied().flatten() else { return };
        let track = self.track(group, message.topic, stored.of);
        let highest = track.delivered;
        if highest.is_none_or(|(rank, _)| stored.rank > rank) {
            track.delivered = Some((stored.rank, msg));
        } else if let Some((_, later)) = highest {
            self.breach(record, Guarantee::OrderDelivered, (Some(group), Some(msg), later));
        }
    }

    fn track(&mut self, group: GroupId, topic: TopicId, series: MessageGroupId) -> &mut Track {
        let of_group = entry(&mut self.tracks, group.index());
        entry(entry(of_group, topic.index()), series.index())
    }

    /// A delivery that is not the first.
    fn repeat(
        &mut self,
        world: &World,
        record: &FactRecord,
        (group, queue, msg): (GroupId, MessageQueue, MsgId),
        before: Seen,
    ) {
        let reset = self.resets.contains(&(group, queue));
        let own = world.shared.message(msg).topic == queue.topic;
        let grpc = world.clients.iter().any(|p| p.group() == group && p.grpc().is_some());
        let place = group.index();
        let past = entry(&mut self.duplicates, place);
        let mut counts = past.last().map(|(_, counts)| *counts).unwrap_or_default();
        match before {
            Seen { failed: true, done: false, .. } => counts.retries += 1,
            Seen { failed_last: true, dead: false, .. } => counts.retries += 1,
            _ if reset && before.done => counts.resets += 1,
            _ if grpc || !own => counts.expiries += 1,
            _ => counts.hand_overs += 1,
        }
        past.push((record.event, counts));
        let (at_ms, event, guarantee) = (record.at_ms, record.event, Guarantee::AtLeastOnce);
        let group = Some(group);
        entry(&mut self.first_duplicates, place).get_or_insert(Breach {
            guarantee,
            at_ms,
            event,
            group,
            earlier: None,
            msg,
        });
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
            self.progress(record, group, queue, msg);
        }
        let message = world.shared.message(msg);
        if !first || world.shared.names.series[message.series.index()].key.is_none() {
            return;
        }
        let Some(stored) = self.stored.get(msg.index()).copied().flatten() else { return };
        let track = self.track(group, message.topic, stored.of);
        let highest = track.acknowledged;
        if highest.is_none_or(|(rank, _)| stored.rank > rank) {
            track.acknowledged = Some((stored.rank, msg));
        } else if let Some((_, later)) = highest {
            self.breach(record, Guarantee::OrderAcknowledged, (Some(group), Some(msg), later));
        }
    }

    /// Whether a message is no more in the queue in which it was stored first.
    fn is_lost(&self, msg: MsgId, queue: MessageQueue) -> bool {
        let own = self.stored.get(msg.index()).copied().flatten();
        own.is_some_and(|own| own.lost && own.queue == queue)
    }

    /// Something was finished in a queue.
    fn progress(&mut self, record: &FactRecord, group: GroupId, queue: MessageQueue, msg: MsgId) {
        if self.is_lost(msg, queue) {
            return;
        }
        let (event, until_ms) = (record.event, record.at_ms);
        let (own, stored) = self.of_group(record, group, queue);
        let Standing { done, since_ms: from_ms, .. } = own.now();
        let all = stored.len() as u32;
        own.set(Standing { event, done: (done + 1).min(all), since_ms: until_ms });
        own.skip(event, stored);
        let block = Block { queue, from_ms, until_ms, by: Some(msg), lasts: false };
        let longest = entry(&mut self.longest, group.index());
        if longest.last().is_none_or(|(_, b)| until_ms - from_ms > b.until_ms - b.from_ms) {
            longest.push((event, block));
        }
    }

    /// The end of a queue from an offset on is lost with the machine. Its offsets are given to others,
    /// and what a group began of it comes before nothing any more.
    fn on_lost(&mut self, record: &FactRecord, msg: MsgId, (queue, offset): (MessageQueue, u32)) {
        let own = entry(&mut self.stored, msg.index()).as_mut();
        if let Some(own) = own.filter(|own| own.queue == queue) {
            own.lost = true;
        }
        let of = queue_of(&mut self.queues, queue);
        of.lose(record.event, offset);
        for own in of.groups.iter_mut().filter(|own| own.highest.is_some_and(|h| h.0 >= offset)) {
            let begun = self.seen.get(own.group.index()).map_or(&[][..], Vec::as_slice);
            let places = (0..).map(MsgId).zip(&self.stored).zip(begun);
            let stays = places.filter_map(|((msg, place), seen)| {
                let place = place.filter(|p| p.queue == queue && p.offset < offset)?;
                seen.begun.then_some((place.offset, msg))
            });
            own.highest = stays.max();
        }
    }

    /// A stored message is gone; whoever reads its topic and was not done with it has lost it.
    fn on_gone(&mut self, world: &World, record: &FactRecord, msg: MsgId, queue: MessageQueue) {
        let names = &world.shared.names;
        for index in 0..names.groups.len() {
            let group = GroupId(index as u16);
            let reads = names.groups[index].subscriptions.iter().any(|s| s.topic == queue.topic);
            // What is removed by age from a queue that a group never read is no loss to it; what a broker
            // has confirmed and does not have is.
            let lost = matches!(record.fact, Fact::MessageLost { .. });
            let of = queue_of(&mut self.queues, queue);
            let began = lost || of.groups.iter().any(|g| g.group == group);
            if reads && began && !self.seen(group, msg).done {
                self.breach(record, Guarantee::NothingLost, (Some(group), None, msg));
            }
        }
    }
}
