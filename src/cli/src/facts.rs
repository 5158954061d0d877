//! Facts as JSON.

use lockstep_core::check::{Broken, Violation};
use lockstep_core::fact::{Fact, FactRecord};
use lockstep_core::ids::{ClientId, GroupId, MessageQueue, MsgId, Party, ProducerId};
use lockstep_core::scenario::Program;
use lockstep_core::session::Session;
use lockstep_core::world::World;
use lockstep_i18n::sentence::Speaker;
use lockstep_i18n::{judged, Locale};
use serde_json::{json, Map, Value};

use crate::{facts_pop, facts_store};

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
pub(crate) fn json(record: &FactRecord, session: &Session, program: &Program) -> Value {
    let world = session.world();
    let command = match record.fact {
        Fact::CommandApplied { index } => session.journal().get(index as usize).map(|(_, c)| c),
        _ => None,
    };
    let mut fields = Fields { world, map: Map::new() };
    let debug = format!("{:?}", record.fact);
    let inner = debug.strip_prefix("Pop(").unwrap_or(&debug);
    let kind = inner.split([' ', '{', ')']).next().unwrap_or_default();
    fields
        .set("at_ms", record.at_ms)
        .set("event", record.event)
        .set("fact", kind)
        .set("text", english(world).fact(&record.fact, command));
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
        Fact::MessageScheduled { msg, level, due_ms, dead_for } => {
            let f = f.message(msg).set("level", level).set("due_ms", due_ms);
            match dead_for {
                Some(group) => f.group(group),
                None => f,
            }
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
        Fact::ConnectionClosed { party, broker, cause } => {
            f.party("party", party).party("broker", Party::Broker(broker)).named("cause", cause)
        }
        Fact::RequestTimedOut { party, request } | Fact::RequestFailed { party, request } => {
            f.party("party", party).named("request", request)
        }
        _ => f,
    };
}

/// A broken guarantee as one JSON object.
pub(crate) fn violation_json(violation: &Violation, world: &World) -> Value {
    let kind = match violation.broken {
        Broken::Order { .. } => "Order",
        Broken::TwoOwners { .. } => "TwoOwners",
    };
    let text = judged::broken(&english(world), violation);
    json!({ "at_ms": violation.at_ms, "violation": kind, "text": text })
}

/// JSON has one language.
fn english(world: &World) -> Speaker<'_> {
    Speaker { world, locale: Locale::En }
}
