//! Facts as JSON, and instants as a clock.

use lockstep_core::check::Broken;
use lockstep_core::fact::{Fact, FactRecord};
use lockstep_core::ids::{ClientId, GroupId, MessageQueue, Ms, MsgId, ProducerId};
use lockstep_core::scenario::{tell, Program};
use lockstep_core::world::World;
use serde_json::{json, Map, Value};

use crate::{facts_pop, facts_store};

/// `00:11.900`, with hours when there are any.
pub(crate) fn clock(at_ms: Ms) -> String {
    let (hours, minutes) = (at_ms / 3_600_000, at_ms / 60_000 % 60);
    let (seconds, millis) = (at_ms / 1_000 % 60, at_ms % 1_000);
    match hours {
        0 => format!("{minutes:02}:{seconds:02}.{millis:03}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}.{millis:03}"),
    }
}

/// Fields of a fact, by name.
pub(crate) struct Fields<'w> {
    pub(crate) world: &'w World,
    map: Map<String, Value>,
}

impl Fields<'_> {
    pub(crate) fn set(&mut self, key: &str, value: impl Into<Value>) -> &mut Self {
        self.map.insert(key.to_owned(), value.into());
        self
    }

    pub(crate) fn message(&mut self, msg: MsgId) -> &mut Self {
        let label = self.world.shared.label(msg).to_string();
        self.set("message", label).set("message_id", msg.0)
    }

    pub(crate) fn queue(&mut self, queue: MessageQueue) -> &mut Self {
        let names = &self.world.shared.names;
        let topic = names.topics[queue.topic.index()].name.clone();
        let broker = names.brokers[queue.broker.index()].clone();
        self.set("topic", topic).set("broker", broker).set("queue", queue.id)
    }

    pub(crate) fn client(&mut self, client: ClientId) -> &mut Self {
        let names = &self.world.shared.names;
        let name = names.clients[client.index()].clone();
        let group = self
            .world
            .clients
            .get(client.index())
            .map(|c| names.groups[c.group().index()].name.clone());
        self.set("consumer", name).set("consumer_id", client.0).set("group", group)
    }

    pub(crate) fn group(&mut self, group: GroupId) -> &mut Self {
        let name = self.world.shared.group(group).name.clone();
        self.set("group", name)
    }

    pub(crate) fn producer(&mut self, producer: ProducerId) -> &mut Self {
        let name = self.world.shared.names.producers[producer.index()].clone();
        self.set("producer", name)
    }

    /// A value whose name is its `Debug` form.
    pub(crate) fn named(&mut self, key: &str, value: impl std::fmt::Debug) -> &mut Self {
        self.set(key, format!("{value:?}"))
    }
}

/// A fact as one JSON object: instant, number of the event, kind, a sentence, and its fields.
pub(crate) fn json(record: &FactRecord, world: &World, program: &Program) -> Value {
    let mut fields = Fields { world, map: Map::new() };
    let debug = format!("{:?}", record.fact);
    let inner = debug.strip_prefix("Pop(").unwrap_or(&debug);
    let kind = inner.split([' ', '{', ')']).next().unwrap_or_default();
    fields
        .set("at_ms", record.at_ms)
        .set("event", record.event)
        .set("fact", kind)
        .set("text", tell(&record.fact, world));
    let f = &mut fields;
    let fact = &record.fact;
    if let Fact::Pop(fact) = fact {
        facts_pop::pop(f, fact);
    } else if !sending(f, fact)
        && !consuming(f, fact)
        && !facts_store::cluster(f, fact)
        && !facts_store::store(f, fact)
    {
        other(f, fact, program);
    }
    Value::Object(fields.map)
}

fn sending(f: &mut Fields<'_>, fact: &Fact) -> bool {
    match *fact {
        Fact::MessageBuilt { producer, msg } => f.producer(producer).message(msg),
        Fact::SendStarted { producer, msg, queue, attempt } => {
            f.producer(producer).message(msg).queue(queue).set("attempt", attempt)
        }
        Fact::SendCompleted { producer, msg, queue } => {
            f.producer(producer).message(msg).queue(queue)
        }
        Fact::SendFailed { producer, msg, reason } => {
            f.producer(producer).message(msg).named("reason", reason)
        }
        Fact::MessageStored { msg, queue, offset, kind } => {
            f.message(msg).queue(queue).set("offset", offset).named("kind", kind)
        }
        Fact::MessageScheduled { msg, level, due_ms } => {
            f.message(msg).set("level", level).set("due_ms", due_ms)
        }
        Fact::MessagePutBack { msg, level } => f.message(msg).set("level", level),
        _ => return false,
    };
    true
}

fn consuming(f: &mut Fields<'_>, fact: &Fact) -> bool {
    match *fact {
        Fact::HandlingStarted { client, queue, offset, msg, attempt } => {
            f.client(client).queue(queue).set("offset", offset).message(msg).set("attempt", attempt)
        }
        Fact::HandlingEnded { client, queue, offset, msg, outcome } => f
            .client(client)
            .queue(queue)
            .set("offset", offset)
            .message(msg)
            .named("outcome", outcome),
        Fact::MessageAcknowledged { client, queue, offset, msg }
        | Fact::ResultDiscarded { client, queue, offset, msg } => {
            f.client(client).queue(queue).set("offset", offset).message(msg)
        }
        Fact::QueueSuspended { client, queue, msg, failures, until_ms } => f
            .client(client)
            .queue(queue)
            .message(msg)
            .set("failures", failures)
            .set("until_ms", until_ms),
        Fact::SentBack { client, msg, level, reconsume_times } => f
            .client(client)
            .message(msg)
            .set("level", level)
            .set("reconsume_times", reconsume_times),
        Fact::SendBackFailed { client, msg } => f.client(client).message(msg),
        Fact::SentNowhere { group, msg } => f.group(group).message(msg),
        Fact::DeadLettered { group, msg, queue, offset } => {
            f.group(group).message(msg).queue(queue).set("offset", offset)
        }
        _ => return false,
    };
    true
}

fn other(f: &mut Fields<'_>, fact: &Fact, program: &Program) {
    match *fact {
        Fact::CommandApplied { index } | Fact::CommandRefused { index } => {
            f.set("command", index).set("line", program.line_of(index))
        }
        Fact::ConsumerStarted { client }
        | Fact::ConsumerResumed { client }
        | Fact::MemberNotified { client } => f.client(client),
        Fact::ConsumerStopped { client, how } => f.client(client).named("how", how),
        Fact::MemberJoined { client, .. } => f.client(client),
        Fact::MemberLeft { client, reason, .. } => f.client(client).named("reason", reason),
        Fact::RebalanceStarted { client, cause } => f.client(client).named("cause", cause),
        Fact::RebalanceFinished { client, balanced } => f.client(client).set("balanced", balanced),
        Fact::LockGranted { client, queue, how, .. } => {
            f.client(client).queue(queue).named("how", how)
        }
        Fact::LockRefused { client, queue, owner, left_ms, .. } => {
            let owner = f.world.shared.names.clients[owner.index()].clone();
            f.client(client).queue(queue).set("owner", owner).set("left_ms", left_ms)
        }
        Fact::LockReleased { client, queue, .. }
        | Fact::ReleasePostponed { client, queue }
        | Fact::TaskYielded { client, queue } => f.client(client).queue(queue),
        Fact::LockMissing { client, queue, reason } => {
            f.client(client).queue(queue).named("reason", reason)
        }
        Fact::RelockScheduled { client, queue, at_ms } => {
            f.client(client).queue(queue).set("relock_at_ms", at_ms)
        }
        Fact::QueueAdded { client, queue, offset } | Fact::PullHeld { client, queue, offset } => {
            f.client(client).queue(queue).set("offset", offset)
        }
        Fact::QueueDropped { client, queue, reason } => {
            f.client(client).queue(queue).named("reason", reason)
        }
        Fact::QueueRemoved { client, queue, forced } => {
            f.client(client).queue(queue).set("forced", forced)
        }
        Fact::MessagesPulled { client, queue, offset, count } => {
            f.client(client).queue(queue).set("offset", offset).set("count", count)
        }
        Fact::PullPostponed { client, queue, reason } => {
            f.client(client).queue(queue).named("reason", reason)
        }
        Fact::OffsetCorrected { client, queue, offset, corrected } => {
            f.client(client).queue(queue).set("offset", offset).set("corrected", corrected)
        }
        Fact::OffsetCommitted { group, queue, offset } => {
            f.group(group).queue(queue).set("offset", offset)
        }
        Fact::PacketLost { from, to } => f.party("from", from).party("to", to),
        Fact::RequestTimedOut { party, request } => {
            f.party("party", party).named("request", request)
        }
        _ => f,
    };
}

/// A broken guarantee, as a sentence.
pub(crate) fn violation(broken: &Broken, world: &World) -> String {
    let names = &world.shared.names;
    match *broken {
        Broken::Order { earlier, later, .. } => {
            format!(
                "{} was handled before {}",
                world.shared.label(later),
                world.shared.label(earlier)
            )
        }
        Broken::TwoOwners { queue, first, second } => format!(
            "{} and {} handled {} q{} at once",
            names.clients[first.index()],
            names.clients[second.index()],
            names.topics[queue.topic.index()].name,
            queue.id
        ),
    }
}

/// A broken guarantee as one JSON object.
pub(crate) fn violation_json(at_ms: Ms, broken: &Broken, world: &World) -> Value {
    let kind = match broken {
        Broken::Order { .. } => "Order",
        Broken::TwoOwners { .. } => "TwoOwners",
    };
    json!({ "at_ms": at_ms, "violation": kind, "text": violation(broken, world) })
}
