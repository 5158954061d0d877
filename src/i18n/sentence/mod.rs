//! Facts and commands as sentences: names are looked up here, words come from the catalogue.

mod broker;
mod commands;
mod commands_pop;
mod deeds;
mod facts;
pub(crate) mod packets;
mod pop;
mod reasons;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

use lockstep_core::command::Command;
use lockstep_core::fact::Fact;
use lockstep_core::ids::{ClientId, GroupId, MessageQueue, MsgId, Party, ProducerId};
use lockstep_core::shared::{Shared, TopicUse};
use lockstep_core::world::World;

use super::Locale;

/// Names of a run in one language.
#[derive(Clone, Copy)]
pub struct Speaker<'a> {
    /// Where names come from.
    pub world: &'a World,
    /// The language.
    pub locale: Locale,
}

impl Speaker<'_> {
    /// A message, such as `A2`.
    pub fn msg(&self, msg: MsgId) -> String {
        self.world.shared.label(msg).to_string()
    }

    /// A queue: `q1`, with its topic and broker where the run has several.
    pub fn queue(&self, queue: MessageQueue) -> String {
        queue_name(&self.world.shared, queue)
    }

    /// A consumer process.
    pub fn client(&self, client: ClientId) -> &str {
        self.party(Party::Client(client))
    }

    /// A producer.
    pub fn producer(&self, producer: ProducerId) -> &str {
        self.party(Party::Producer(producer))
    }

    /// A consumer group.
    pub fn group(&self, group: GroupId) -> &str {
        &self.world.shared.group(group).name
    }

    /// Anybody who takes part.
    pub fn party(&self, party: Party) -> &str {
        self.world.shared.names.party_name(party)
    }

    /// What a fact says. `command` is the command that it speaks of, if it speaks of one.
    pub fn fact(&self, fact: &Fact, command: Option<&Command>) -> String {
        if let Fact::Pop(fact) = fact {
            return self.pop_fact(fact);
        }
        self.message_fact(fact)
            .or_else(|| self.client_fact(fact))
            .or_else(|| self.lock_fact(fact))
            .or_else(|| self.work_fact(fact))
            .or_else(|| self.broker_fact(fact))
            .or_else(|| self.reading_fact(fact))
            .or_else(|| self.transaction_fact(fact))
            .unwrap_or_else(|| self.other_fact(fact, command))
    }
}

/// A queue's name: `q1`, with its topic and broker where the run has several.
pub fn queue_name(shared: &Shared, queue: MessageQueue) -> String {
    let names = &shared.names;
    let topic = &names.topics[queue.topic.index()];
    let users = names.topics.iter().filter(|t| t.usage == TopicUse::User).count();
    let mut name = String::new();
    if topic.usage != TopicUse::User || users > 1 {
        name.push_str(&topic.name);
        name.push(' ');
    }
    if names.brokers.len() > 1 {
        name.push_str(&names.brokers[queue.broker.index()]);
        name.push(' ');
    }
    name.push('q');
    name.push_str(&queue.id.to_string());
    name
}
