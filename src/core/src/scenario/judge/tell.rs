//! A fact as one line of English, for the command line.

use super::tell_store::failure;
use crate::fact::{Fact, FactRecord, Outcome, StoredKind};
use crate::ids::{ClientId, GroupId, MessageQueue, Ms, MsgId, ProducerId};
use crate::scenario::value::write_time;
use crate::world::World;

/// An instant with its unit.
pub(super) fn time(at_ms: Ms) -> String {
    write_time(at_ms)
}

/// The message that a fact is about.
pub(super) fn message_of(fact: &Fact) -> Option<MsgId> {
    match *fact {
        Fact::MessageBuilt { msg, .. }
        | Fact::SendStarted { msg, .. }
        | Fact::SendCompleted { msg, .. }
        | Fact::SendFailed { msg, .. }
        | Fact::MessageStored { msg, .. }
        | Fact::MessageScheduled { msg, .. }
        | Fact::MessagePutBack { msg, .. }
        | Fact::HandlingStarted { msg, .. }
        | Fact::HandlingEnded { msg, .. }
        | Fact::MessageAcknowledged { msg, .. }
        | Fact::ResultDiscarded { msg, .. }
        | Fact::QueueSuspended { msg, .. }
        | Fact::SentBack { msg, .. }
        | Fact::SendBackFailed { msg, .. }
        | Fact::SentNowhere { msg, .. }
        | Fact::DeadLettered { msg, .. }
        | Fact::MessageDeleted { msg, .. }
        | Fact::MessageLost { msg, .. }
        | Fact::TransactionPrepared { msg, .. }
        | Fact::TransactionEnded { msg, .. }
        | Fact::TransactionChecked { msg, .. }
        | Fact::TransactionGivenUp { msg }
        | Fact::WheelGaveUp { msg, .. }
        | Fact::ConsumeTimedOut { msg, .. } => Some(msg),
        Fact::Pop(_) => crate::view::log::named(fact).msg,
        _ => None,
    }
}

/// What happened: `A2 handled by c1`.
pub fn tell(fact: &Fact, world: &World) -> String {
    let teller = Teller { world };
    if let Fact::Pop(fact) = fact {
        let told = teller.pop(fact).or_else(|| teller.grpc(fact)).or_else(|| teller.held(fact));
        return told.unwrap_or_else(|| format!("{fact:?}"));
    }
    teller
        .message(fact)
        .or_else(|| teller.handling(fact))
        .or_else(|| teller.lock(fact))
        .or_else(|| teller.pull(fact))
        .or_else(|| teller.cluster(fact))
        .or_else(|| teller.store(fact))
        .unwrap_or_else(|| teller.other(fact))
}

/// What happened, with its instant: `A2 handled by c1 at 4.8s`.
pub(super) fn tell_at(record: &FactRecord, world: &World) -> String {
    format!("{} at {}", tell(&record.fact, world), time(record.at_ms))
}

pub(super) struct Teller<'w> {
    pub(super) world: &'w World,
}

impl Teller<'_> {
    pub(super) fn label(&self, msg: MsgId) -> String {
        self.world.shared.label(msg).to_string()
    }

    pub(super) fn client(&self, client: ClientId) -> &str {
        &self.world.shared.names.clients[client.index()]
    }

    pub(super) fn producer(&self, producer: ProducerId) -> &str {
        &self.world.shared.names.producers[producer.index()]
    }

    pub(super) fn group(&self, group: GroupId) -> &str {
        &self.world.shared.names.groups[group.index()].name
    }

    pub(super) fn queue(&self, queue: MessageQueue) -> String {
        let names = &self.world.shared.names;
        let topic = &names.topics[queue.topic.index()].name;
        match queue.broker {
            crate::ids::BrokerId(0) => format!("{topic} q{}", queue.id),
            broker => format!("{topic} q{} on {}", queue.id, names.brokers[broker.index()]),
        }
    }

    /// Messages on their way to a queue.
    fn message(&self, fact: &Fact) -> Option<String> {
        Some(match *fact {
            Fact::MessageBuilt { producer, msg } => {
                format!("{} built for {}", self.label(msg), self.producer(producer))
            }
            Fact::SendStarted { producer, msg, queue, attempt } => {
                let again =
                    if attempt > 1 { format!(", attempt {attempt}") } else { String::new() };
                format!(
                    "{} sent by {} to {}{again}",
                    self.label(msg),
                    self.producer(producer),
                    self.queue(queue)
                )
            }
            Fact::SendCompleted { producer, msg, .. } => {
                format!("{} confirmed to {}", self.label(msg), self.producer(producer))
            }
            Fact::SendFailed { msg, reason, .. } => {
                format!("{} refused ({})", self.label(msg), failure(reason))
            }
            Fact::MessageStored { msg, queue, offset, kind } => {
                let how = match kind {
                    StoredKind::Sent => "stored",
                    StoredKind::PutBack => "put back",
                    StoredKind::Retry => "stored for retry",
                    StoredKind::DeadLetter => "stored as a dead letter",
                    StoredKind::Committed => "stored after its commit",
                };
                format!("{} {how} in {} at offset {offset}", self.label(msg), self.queue(queue))
            }
            Fact::MessageScheduled { msg, level, due_ms, dead_for: Some(_) } => {
                let due = time(due_ms);
                format!(
                    "{} scheduled under level {level} as a dead letter, due {due}",
                    self.label(msg)
                )
            }
            Fact::MessageScheduled { msg, level, due_ms, .. } => {
                format!("{} scheduled under level {level}, due {}", self.label(msg), time(due_ms))
            }
            Fact::MessagePutBack { msg, level } => {
                format!("{} left level {level}", self.label(msg))
            }
            _ => return None,
        })
    }

    /// Listener calls and what comes of them.
    fn handling(&self, fact: &Fact) -> Option<String> {
        Some(match *fact {
            Fact::HandlingStarted { client, msg, attempt, queue, .. } => {
                format!(
                    "{} delivered to {} from {} (attempt {attempt})",
                    self.label(msg),
                    self.client(client),
                    self.queue(queue)
                )
            }
            Fact::HandlingEnded { client, msg, outcome, .. } => {
                let how = match outcome {
                    Outcome::Success | Outcome::Commit => "handled",
                    Outcome::Later => "failed",
                    Outcome::Rollback => "failed (rollback)",
                    Outcome::Null => "failed (null)",
                    Outcome::Exception => "failed (exception)",
                };
                format!("{} {how} by {}", self.label(msg), self.client(client))
            }
            Fact::MessageAcknowledged { client, msg, .. } => {
                format!("{} acknowledged by {}", self.label(msg), self.client(client))
            }
            Fact::ResultDiscarded { client, msg, .. } => {
                format!("result of {} for {} discarded", self.client(client), self.label(msg))
            }
            Fact::QueueSuspended { client, queue, msg, failures, until_ms } => format!(
                "{} suspended by {} until {}: {} {}",
                self.queue(queue),
                self.client(client),
                time(until_ms),
                self.label(msg),
                match failures {
                    0 => "was rolled back".to_owned(),
                    1 => "failed once".to_owned(),
                    2 => "failed twice".to_owned(),
                    more => format!("failed {more} times"),
                }
            ),
            Fact::TaskYielded { client, queue } => {
                format!("{} gave its thread for {} back", self.client(client), self.queue(queue))
            }
            Fact::SentBack { client, msg, level, reconsume_times } => format!(
                "{} sent back by {} under level {level} (reconsume times {reconsume_times})",
                self.label(msg),
                self.client(client)
            ),
            Fact::SendBackFailed { client, msg } => {
                format!("sending {} back by {} failed", self.label(msg), self.client(client))
            }
            Fact::SentNowhere { group, msg } => {
                format!(
                    "{} stored nowhere: {} has no retry queues",
                    self.label(msg),
                    self.group(group)
                )
            }
            Fact::DeadLettered { group, msg, .. } => {
                format!("{} dead-lettered for {}", self.label(msg), self.group(group))
            }
            _ => return None,
        })
    }
}
