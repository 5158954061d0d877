//! The shadow model: what becomes of the messages of a queue in a consumer group. It is written from
//! the reference (its sections stand beside the rules) and knows nothing of brokers and clients; it
//! is told what is said to have happened, and answers what may not have.

use std::collections::{BTreeMap, BTreeSet};

use super::deliveries::Deliveries;
use super::habits::Habits;
use lockstep_core::fact::{Fact, Outcome, StoredKind};
use lockstep_core::ids::{ClientId, GroupId, MessageGroupId, MessageQueue, MsgId};
use lockstep_core::pop::{AckResult, PopFact};

/// A message in a queue, for one consumer group.
#[derive(Clone, Copy, Default)]
struct Place {
    begun_event: Option<u32>,
    /// A listener succeeded, whether the broker knows or not.
    handled: bool,
    done: bool,
}

/// One consumer group and one queue.
#[derive(Default)]
struct Reading {
    places: Vec<Place>,
    /// Everything before is finished or passed over.
    front: usize,
    /// Everything before is passed over.
    passed: u32,
}

#[derive(Default)]
pub struct Shadow {
    pub habits: Vec<Habits>,
    pub queues: BTreeMap<MessageQueue, Vec<MsgId>>,
    pub dead: BTreeSet<(GroupId, MsgId)>,
    pub stored: BTreeSet<MsgId>,
    /// Queues whose tail a machine lost with its power (§11.4): offsets are assigned twice there, and
    /// consumers that stay up know better than the broker. Nothing is promised for them.
    pub shaken: BTreeSet<MessageQueue>,
    /// Messages that lost a copy that way, or by retention.
    pub lost: BTreeSet<MsgId>,
    /// Starts out of order by a consumer whose delivery was overtaken (§6.4).
    pub stale_starts: u32,
    /// Acknowledged, wherever they were stored.
    pub finished: BTreeSet<(GroupId, MsgId)>,
    pub deliveries: Deliveries,
    withheld: BTreeSet<(GroupId, MsgId)>,
    readings: BTreeMap<(GroupId, MessageQueue), Reading>,
}

impl Shadow {
    /// Nothing has happened; consumer groups by their ids.
    pub fn new(habits: Vec<Habits>) -> Self {
        Self { habits, ..Self::default() }
    }

    fn reading(&mut self, group: GroupId, queue: MessageQueue) -> &mut Reading {
        let length = self.queues.get(&queue).map_or(0, Vec::len);
        let reading = self.readings.entry((group, queue)).or_default();
        reading.places.resize(reading.places.len().max(length), Place::default());
        reading
    }

    /// Whether nothing is left to do about an offset.
    pub fn is_done(&self, group: GroupId, queue: MessageQueue, offset: u32) -> bool {
        let reading = self.readings.get(&(group, queue));
        let passed = reading.is_some_and(|r| offset < r.passed);
        let place = reading.and_then(|r| r.places.get(offset as usize));
        let msg = self.queues.get(&queue).and_then(|list| list.get(offset as usize));
        let elsewhere = |msg: &MsgId| {
            self.dead.contains(&(group, *msg))
                || self.habits[group.index()].copies && self.finished.contains(&(group, *msg))
        };
        passed || place.is_some_and(|place| place.done) || msg.is_some_and(elsewhere)
    }

    /// The group will rightly never see what is, or will be, before an offset (§3.2, §3.4, §3.7).
    pub fn pass(&mut self, group: GroupId, queue: MessageQueue, before: u32) {
        let reading = self.reading(group, queue);
        reading.passed = reading.passed.max(before);
    }

    fn finish(&mut self, group: GroupId, queue: MessageQueue, offset: u32, msg: MsgId) {
        self.finished.insert((group, msg));
        let places = &mut self.reading(group, queue).places;
        places.get_mut(offset as usize).into_iter().for_each(|place| place.done = true);
    }

    /// A fact of an event. `group` is the group of the client in it; `series` gives message groups.
    pub fn observe(
        &mut self,
        event: u32,
        fact: &Fact,
        group: impl Fn(ClientId) -> GroupId,
        series: impl Fn(MsgId) -> MessageGroupId,
    ) -> Result<(), String> {
        match *fact {
            Fact::MessageStored { msg, queue, offset, kind } if kind != StoredKind::DeadLetter => {
                self.stored.insert(msg);
                let list = self.queues.entry(queue).or_default();
                list.push(msg);
                // §3.1: offsets are given one after the other.
                if offset as usize != list.len() - 1 {
                    return Err(format!("offset {offset} does not follow the one before"));
                }
            }
            Fact::MessageLost { msg, queue, offset } => {
                self.shaken.insert(queue);
                self.lost.insert(msg);
                self.queues.entry(queue).or_default().truncate(offset as usize);
                for (_, reading) in self.readings.iter_mut().filter(|((_, of), _)| *of == queue) {
                    reading.places.truncate(offset as usize);
                    reading.front = reading.front.min(offset as usize);
                }
            }
            // §3.2: in a deleted segment, under a delay level say. §4.4: not put back in three tries.
            Fact::MessageDeleted { msg, .. } | Fact::WheelGaveUp { msg, .. } => {
                self.lost.insert(msg);
            }
            Fact::MinOffsetRaised { queue, min } => {
                (0..self.habits.len() as u16).for_each(|g| self.pass(GroupId(g), queue, min));
            }
            Fact::OffsetReset { group, queue, offset, .. }
            | Fact::Pop(PopFact::PopOffsetChosen { group, queue, offset }) => {
                self.pass(group, queue, offset);
            }
            Fact::HandlingStarted { client, queue, offset, .. } => {
                return self.on_started(event, (group(client), client), queue, offset, series);
            }
            Fact::HandlingEnded { client, queue, offset, outcome: Outcome::Success, .. } => {
                let reading = self.reading(group(client), queue);
                reading.places.get_mut(offset as usize).into_iter().for_each(|p| p.handled = true);
            }
            Fact::MessageAcknowledged { client, queue, offset, msg }
                if !self.habits[group(client).index()].by_pop =>
            {
                self.finish(group(client), queue, offset, msg);
            }
            Fact::Pop(PopFact::Acked { group, queue, offset, msg, result }) => {
                let noted = self.habits[group.index()].whole_batch && result == AckResult::Nothing;
                if noted || matches!(result, AckResult::Next(_) | AckResult::Noted) {
                    self.finish(group, queue, offset, msg);
                }
            }
            // §6.6: not handed on, whether it reaches the dead letters or not.
            Fact::Pop(PopFact::DeadOnReceive { group, msg, .. }) => {
                self.withheld.insert((group, msg));
            }
            Fact::DeadLettered { group, msg, .. }
            | Fact::MessageScheduled { msg, dead_for: Some(group), .. } => {
                self.dead.insert((group, msg));
            }
            _ => {}
        }
        Ok(())
    }

    /// §5.3, §5.5 (c), §6.4: a message is begun for the first time only when all before it are
    /// finished. A POP consumer whose delivery was overtaken by a later one may not know.
    fn on_started(
        &mut self,
        event: u32,
        (group, client): (GroupId, ClientId),
        queue: MessageQueue,
        offset: u32,
        series: impl Fn(MsgId) -> MessageGroupId,
    ) -> Result<(), String> {
        let habits = self.habits[group.index()];
        let list = self.queues.get(&queue).cloned().unwrap_or_default();
        let Some(msg) = list.get(offset as usize).copied() else { return Ok(()) };
        let reading = self.reading(group, queue);
        let again = reading.places[offset as usize].begun_event.replace(event).is_some();
        let mut front = reading.front;
        if again || !habits.in_order || self.shaken.contains(&queue) {
            return Ok(());
        }
        while front < list.len() && self.is_done(group, queue, front as u32) {
            front += 1;
        }
        self.reading(group, queue).front = front;
        let reading = &self.readings[&(group, queue)];
        // Begun in one listener call; or, by POP, handled while the acknowledgement is on its way.
        let fine = |at: u32| {
            let (place, key) = (reading.places[at as usize], (group, list[at as usize]));
            place.begun_event == Some(event)
                || habits.by_pop && (place.handled || self.withheld.contains(&key))
        };
        let mut open = (front as u32..offset).filter(|at| !fine(*at));
        let of_unit = |at: u32| series(list[at as usize]) == series(msg);
        let blocks = |at: u32| !habits.blocks_groups || of_unit(at);
        let stale =
            habits.by_pop && self.deliveries.is_overtaken((group, queue), (client, offset), blocks);
        let unfinished = open
            .find(|at| (!habits.groups_apart || of_unit(*at)) && !self.is_done(group, queue, *at));
        self.stale_starts += u32::from(unfinished.is_some() && stale);
        let broken = |at| Err(format!("offset {offset} is begun, {at} is not finished"));
        unfinished.filter(|_| !stale).map_or(Ok(()), broken)
    }
}
