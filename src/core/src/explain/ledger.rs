//! The facts of a run by what they are about, read once as they come.

use std::collections::BTreeMap;

use crate::fact::{Fact, FactRecord};
use crate::ids::{ClientId, MessageQueue, MsgId};
use crate::view::log::named;

/// No fact.
const NONE: u32 = u32::MAX;
/// The chains that a fact is in: of a message, a consumer, a queue, and of the message's places alone.
const MESSAGE: usize = 0;
const CLIENT: usize = 1;
const QUEUE: usize = 2;
const PLACE: usize = 3;

/// The facts about each message, queue and consumer, and those of commands. Each fact points to the
/// one before it about the same thing. Facts that no chain of causes goes over are left out for queues
/// and consumers. What says where a message lies has a chain of its own: a message that fails for an
/// hour stays in one place.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    seen: usize,
    generation: u32,
    /// For each fact the one before it in each chain.
    before: Vec<[u32; 4]>,
    messages: Vec<u32>,
    places: Vec<u32>,
    clients: Vec<u32>,
    queues: BTreeMap<MessageQueue, u32>,
    commands: BTreeMap<u32, u32>,
}

/// Indices of facts about one thing, the newest first.
#[derive(Clone, Copy, Debug)]
pub struct Newest<'a> {
    before: &'a [[u32; 4]],
    kind: usize,
    next: u32,
    count: u32,
}

impl Iterator for Newest<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        loop {
            let found = self.next;
            self.next = self.before.get(found as usize)?[self.kind];
            if found < self.count {
                return Some(found);
            }
        }
    }
}

impl Newest<'_> {
    /// The same, the oldest first.
    pub fn oldest_first(self) -> Vec<u32> {
        let mut all: Vec<u32> = self.collect();
        all.reverse();
        all
    }
}

impl Ledger {
    /// A ledger of all these facts.
    pub fn of(facts: &[FactRecord]) -> Self {
        let mut ledger = Self::default();
        ledger.update(facts, 0);
        ledger
    }

    /// Reads the facts that are new. Another generation starts anew.
    pub fn update(&mut self, facts: &[FactRecord], generation: u32) {
        if generation != self.generation || facts.len() < self.seen {
            *self = Self { generation, ..Self::default() };
        }
        for (index, record) in facts.iter().enumerate().skip(self.seen) {
            self.note(index as u32, &record.fact);
        }
        self.seen = facts.len();
    }

    fn note(&mut self, index: u32, fact: &Fact) {
        let mut before = [NONE; 4];
        if let Fact::CommandApplied { index: command } | Fact::CommandRefused { index: command } =
            *fact
        {
            self.commands.insert(command, index);
        }
        let named = named(fact);
        if let Some(msg) = named.msg {
            before[MESSAGE] = std::mem::replace(entry(&mut self.messages, msg.index()), index);
            if is_place(fact) {
                before[PLACE] = std::mem::replace(entry(&mut self.places, msg.index()), index);
            }
        }
        // What happens to a message is looked up by the message, with few exceptions.
        if named.msg.is_none() && !is_routine(fact) || is_of_queue(fact) {
            if let Some(client) = named.client {
                before[CLIENT] = std::mem::replace(entry(&mut self.clients, client.index()), index);
            }
            if let Some(queue) = named.queue {
                before[QUEUE] = self.queues.insert(queue, index).unwrap_or(NONE);
            }
        }
        self.before.push(before);
    }

    fn newest(&self, kind: usize, last: Option<&u32>, count: usize) -> Newest<'_> {
        let (next, count) = (last.copied().unwrap_or(NONE), count.min(u32::MAX as usize) as u32);
        Newest { before: &self.before, kind, next, count }
    }

    /// The facts about a message among the first `count` facts, the newest first.
    pub fn newest_of(&self, msg: MsgId, count: usize) -> Newest<'_> {
        self.newest(MESSAGE, self.messages.get(msg.index()), count)
    }

    /// Those of them that say where it lies: stored, put under a delay, made a dead letter.
    pub fn places_of(&self, msg: MsgId, count: usize) -> Newest<'_> {
        self.newest(PLACE, self.places.get(msg.index()), count)
    }

    /// The facts about a consumer, the newest first.
    pub fn newest_of_client(&self, client: ClientId, count: usize) -> Newest<'_> {
        self.newest(CLIENT, self.clients.get(client.index()), count)
    }

    /// The facts about a queue, the newest first.
    pub fn newest_of_queue(&self, queue: MessageQueue, count: usize) -> Newest<'_> {
        self.newest(QUEUE, self.queues.get(&queue), count)
    }

    /// Indices of the facts about a message among the first `count` facts, oldest first.
    pub fn message(&self, msg: MsgId, count: usize) -> Vec<u32> {
        self.newest_of(msg, count).oldest_first()
    }

    /// The same for a consumer.
    pub fn client(&self, client: ClientId, count: usize) -> Vec<u32> {
        self.newest_of_client(client, count).oldest_first()
    }

    /// The same for a queue.
    pub fn queue(&self, queue: MessageQueue, count: usize) -> Vec<u32> {
        self.newest_of_queue(queue, count).oldest_first()
    }

    /// The fact that says what became of a command of the journal.
    pub fn command(&self, index: u32, count: usize) -> Option<u32> {
        self.commands.get(&index).copied().filter(|fact| (*fact as usize) < count)
    }
}

/// Facts that say where a message lies.
fn is_place(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::MessageStored { .. } | Fact::MessageScheduled { .. } | Fact::DeadLettered { .. }
    )
}

/// Facts about a message that explain its queue or its consumer as well.
fn is_of_queue(fact: &Fact) -> bool {
    matches!(fact, Fact::QueueSuspended { .. } | Fact::ConsumeTimedOut { .. })
}

/// What happens all the time and leads to nothing: no chain of causes goes over it.
fn is_routine(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::OffsetCommitted { .. }
            | Fact::PullHeld { .. }
            | Fact::MessagesPulled { .. }
            | Fact::TaskYielded { .. }
    )
}

fn entry(table: &mut Vec<u32>, place: usize) -> &mut u32 {
    if table.len() <= place {
        table.resize(place + 1, NONE);
    }
    &mut table[place]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::StoredKind;
    use crate::ids::{BrokerId, TopicId};

    fn stored(msg: u32, id: u16) -> FactRecord {
        let queue = MessageQueue { topic: TopicId(4), broker: BrokerId(0), id };
        let (msg, kind) = (MsgId(msg), StoredKind::Sent);
        FactRecord { at_ms: 0, event: 1, fact: Fact::MessageStored { msg, queue, offset: 0, kind } }
    }

    #[test]
    fn facts_are_found_by_what_they_are_about_and_by_when() {
        let facts = [stored(0, 0), stored(1, 0), stored(0, 1), stored(0, 0)];
        let mut ledger = Ledger::of(&facts[..2]);
        ledger.update(&facts, 0);
        assert_eq!(ledger.message(MsgId(0), 4), [0, 2, 3]);
        assert_eq!(ledger.message(MsgId(0), 3), [0, 2]);
        assert_eq!(ledger.newest_of(MsgId(0), 4).collect::<Vec<_>>(), [3, 2, 0]);
        assert_eq!(ledger.places_of(MsgId(0), 4).collect::<Vec<_>>(), [3, 2, 0]);
        assert_eq!(ledger.message(MsgId(7), 4), []);
        ledger.update(&facts[..1], 1);
        assert_eq!(ledger.message(MsgId(0), 4), [0], "another generation starts anew");
    }
}
