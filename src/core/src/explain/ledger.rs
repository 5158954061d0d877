//! The facts of a run by what they are about, read once as they come.

use std::collections::BTreeMap;

use crate::fact::{Fact, FactRecord};
use crate::ids::{ClientId, MessageQueue, MsgId};
use crate::view::log::named;

/// Indices of facts by message, queue and consumer, and of the facts of commands. Facts that no chain
/// of causes goes over are left out of the last two.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    seen: usize,
    generation: u32,
    messages: Vec<Vec<u32>>,
    clients: Vec<Vec<u32>>,
    queues: BTreeMap<MessageQueue, Vec<u32>>,
    commands: BTreeMap<u32, u32>,
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
        if let Fact::CommandApplied { index: command } | Fact::CommandRefused { index: command } =
            *fact
        {
            self.commands.insert(command, index);
        }
        let named = named(fact);
        if let Some(msg) = named.msg {
            entry(&mut self.messages, msg.index()).push(index);
            // What happens to a message is looked up by the message, with few exceptions.
            if !is_of_queue(fact) {
                return;
            }
        }
        if is_routine(fact) {
            return;
        }
        if let Some(client) = named.client {
            entry(&mut self.clients, client.index()).push(index);
        }
        if let Some(queue) = named.queue {
            self.queues.entry(queue).or_default().push(index);
        }
    }

    /// Indices of the facts about a message among the first `count` facts, oldest first.
    pub fn message(&self, msg: MsgId, count: usize) -> &[u32] {
        until(self.messages.get(msg.index()).map(Vec::as_slice), count)
    }

    /// The same for a consumer.
    pub fn client(&self, client: ClientId, count: usize) -> &[u32] {
        until(self.clients.get(client.index()).map(Vec::as_slice), count)
    }

    /// The same for a queue.
    pub fn queue(&self, queue: MessageQueue, count: usize) -> &[u32] {
        until(self.queues.get(&queue).map(Vec::as_slice), count)
    }

    /// The fact that says what became of a command of the journal.
    pub fn command(&self, index: u32, count: usize) -> Option<u32> {
        self.commands.get(&index).copied().filter(|fact| (*fact as usize) < count)
    }
}

/// Facts about a message that explain its queue or its consumer as well.
fn is_of_queue(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::QueueSuspended { .. } | Fact::ConsumeTimedOut { .. } | Fact::HandlingStarted { .. }
    )
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

fn entry(table: &mut Vec<Vec<u32>>, place: usize) -> &mut Vec<u32> {
    if table.len() <= place {
        table.resize_with(place + 1, Vec::new);
    }
    &mut table[place]
}

fn until(list: Option<&[u32]>, count: usize) -> &[u32] {
    let list = list.unwrap_or_default();
    &list[..list.partition_point(|index| (*index as usize) < count)]
}
