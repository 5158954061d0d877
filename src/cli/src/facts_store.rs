//! Facts about brokers, routes, resets, retention and transactions as JSON.

use lockstep_core::fact::Fact;
use lockstep_core::ids::{BrokerId, Party};

use crate::facts::Fields;

impl Fields<'_> {
    pub(super) fn broker(&mut self, broker: BrokerId) -> &mut Self {
        let name = self.world.shared.names.brokers[broker.index()].clone();
        self.set("broker", name)
    }

    /// A party under the given name.
    pub(crate) fn party(&mut self, key: &str, party: Party) -> &mut Self {
        let name = self.world.shared.names.party_name(party).to_owned();
        self.set(key, name)
    }

    fn topic(&mut self, topic: lockstep_core::ids::TopicId) -> &mut Self {
        let name = self.world.shared.names.topics[topic.index()].name.clone();
        self.set("topic", name)
    }
}

/// Brokers, routes, clocks, subscriptions; false for any other fact.
pub(crate) fn cluster(f: &mut Fields<'_>, fact: &Fact) -> bool {
    match *fact {
        Fact::BrokerStopped { broker, how } => f.broker(broker).named("how", how),
        Fact::BrokerStarted { broker } | Fact::BrokerRegistered { broker } => f.broker(broker),
        Fact::BrokerUnregistered { broker, reason } => f.broker(broker).named("reason", reason),
        Fact::RouteChanged { party, topic, queues } => {
            f.party("party", party).topic(topic).set("queues", queues)
        }
        Fact::ClockJumped { party, ahead_ms } => f.party("party", party).set("ahead_ms", ahead_ms),
        Fact::SubscriptionReplaced { broker, client, added, removed, .. } => {
            f.broker(broker).client(client).set("added", added).set("removed", removed)
        }
        Fact::PullRefused { client, queue, reason } => {
            f.client(client).queue(queue).named("reason", reason)
        }
        Fact::MessagesFiltered { client, queue, offset, count, by } => {
            f.client(client).queue(queue).set("offset", offset).set("count", count).named("by", by)
        }
        _ => return false,
    };
    true
}

/// Resets, retention, transactions; false for any other fact.
pub(crate) fn store(f: &mut Fields<'_>, fact: &Fact) -> bool {
    match *fact {
        Fact::OffsetReset { group, queue, offset, how } => {
            f.group(group).queue(queue).set("offset", offset).named("how", how)
        }
        Fact::ResetConsumed { group, queue, offset }
        | Fact::OffsetUpdateIgnored { group, queue, offset } => {
            f.group(group).queue(queue).set("offset", offset)
        }
        Fact::ResetReceived { client, topic, until_ms } => {
            f.client(client).topic(topic).set("until_ms", until_ms)
        }
        Fact::MessageDeleted { msg, queue, offset } | Fact::MessageLost { msg, queue, offset } => {
            f.message(msg).queue(queue).set("offset", offset)
        }
        Fact::SegmentDeleted { broker, messages, reason } => {
            f.broker(broker).set("messages", messages).named("reason", reason)
        }
        Fact::MinOffsetRaised { queue, min } => f.queue(queue).set("min_offset", min),
        Fact::TransactionPrepared { msg, queue } => f.message(msg).queue(queue),
        Fact::TransactionEnded { msg, decision } => f.message(msg).named("decision", decision),
        Fact::TransactionChecked { msg, count } => f.message(msg).set("count", count),
        Fact::TransactionGivenUp { msg } => f.message(msg),
        Fact::WheelGaveUp { msg, queue } => f.message(msg).queue(queue),
        Fact::ConsumeTimedOut { client, queue, offset, msg } => {
            f.client(client).queue(queue).set("offset", offset).message(msg)
        }
        _ => return false,
    };
    true
}
