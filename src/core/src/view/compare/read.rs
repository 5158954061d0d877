//! How facts become strands.

use super::strand::{Item, Key, What};
use super::{Comparison, Side};
use crate::command::Command;
use crate::fact::{Fact, FactRecord};
use crate::ids::{ClientId, GroupId, MsgId};
use crate::pop::{AckResult, PopCommand, PopFact};

impl Comparison {
    /// Reads the facts that are new.
    pub(super) fn read(&mut self) {
        for side in Side::BOTH {
            let count = self.runs[side.index()].recorded_facts().len();
            for index in self.seen[side.index()]..count {
                if let Some(record) = self.record(side, index as u32) {
                    self.one(side, index as u32, &record);
                }
            }
            self.seen[side.index()] = count;
        }
    }

    fn one(&mut self, side: Side, fact: u32, record: &FactRecord) {
        let at = (side, fact, record);
        if let Fact::Pop(pop) = &record.fact {
            return self.pop(at, pop);
        }
        match record.fact {
            Fact::MessageStored { msg, queue, offset, kind } => {
                let queue = self.names.queue(&self.runs[side.index()].world().shared, queue);
                self.message(at, msg, What::Stored { queue, offset, kind });
            }
            Fact::MessageScheduled { msg, level, .. } => {
                self.message(at, msg, What::Scheduled { level });
            }
            Fact::MessagePutBack { msg, .. } => self.message(at, msg, What::PutBack),
            Fact::SendFailed { msg, .. } => self.message(at, msg, What::SendFailed),
            Fact::MessageDeleted { msg, .. }
            | Fact::MessageLost { msg, .. }
            | Fact::WheelGaveUp { msg, .. } => {
                self.message(at, msg, What::Gone);
            }
            Fact::TransactionEnded { msg, decision } => {
                self.message(at, msg, What::Decided(decision));
            }
            Fact::DeadLettered { group, msg, .. } => self.work(at, Ok(group), msg, What::Dead),
            Fact::ConsumerStarted { client } | Fact::ConsumerResumed { client } => {
                self.process(at, client, What::Started);
            }
            Fact::CommandRefused { index } => self.refused(at, index),
            Fact::ConsumerStopped { client, how } => self.process(at, client, What::Stopped(how)),
            Fact::BrokerStopped { broker, .. } | Fact::BrokerStarted { broker } => {
                let world = self.runs[side.index()].world();
                let name = self.names.name(&world.shared.names.brokers[broker.index()]);
                let down = matches!(record.fact, Fact::BrokerStopped { .. });
                self.add(at, Key::Party(name), if down { What::Down } else { What::Started });
            }
            _ => self.listener(at),
        }
    }

    /// Listener calls and what comes of them.
    fn listener(&mut self, at: (Side, u32, &FactRecord)) {
        match at.2.fact {
            Fact::HandlingStarted { client, msg, attempt, .. } => {
                let world = self.runs[at.0.index()].world();
                let name = self.names.client(world, client);
                self.work(at, Err(client), msg, What::Begun { client: name, attempt });
                self.next(at, client, msg);
            }
            Fact::HandlingEnded { client, msg, outcome, .. } => {
                self.work(at, Err(client), msg, What::Ended(outcome));
            }
            Fact::MessageAcknowledged { client, msg, .. } => {
                self.work(at, Err(client), msg, What::Done);
            }
            Fact::ResultDiscarded { client, msg, .. } => {
                self.work(at, Err(client), msg, What::Discarded);
            }
            Fact::QueueSuspended { client, msg, .. } => {
                self.work(at, Err(client), msg, What::Suspended);
            }
            Fact::SentBack { client, msg, .. } => self.work(at, Err(client), msg, What::SentBack),
            Fact::ConsumeTimedOut { client, msg, .. } => {
                self.work(at, Err(client), msg, What::Expired);
            }
            _ => {}
        }
    }

    fn pop(&mut self, at: (Side, u32, &FactRecord), fact: &PopFact) {
        match *fact {
            PopFact::Received { client, msg, attempt, .. } => {
                let world = self.runs[at.0.index()].world();
                let name = self.names.client(world, client);
                self.work(at, Err(client), msg, What::Received { client: name, attempt });
                self.next(at, client, msg);
            }
            PopFact::AttemptFailed { client, msg, .. } => {
                self.work(at, Err(client), msg, What::Suspended);
            }
            PopFact::HandleExpired { client, msg, .. } => {
                self.work(at, Err(client), msg, What::Expired);
            }
            PopFact::Acked {
                group,
                msg,
                result:
                    AckResult::Nothing
                    | AckResult::Unwritten
                    | AckResult::Illegal
                    | AckResult::Unreadable,
                ..
            } => {
                self.work(at, Ok(group), msg, What::Discarded);
            }
            PopFact::Revived { group, msg, .. } => self.work(at, Ok(group), msg, What::Revived),
            _ => {}
        }
    }

    fn message(&mut self, at: (Side, u32, &FactRecord), msg: MsgId, what: What) {
        let shared = &self.runs[at.0.index()].world().shared;
        let msg = self.names.message(at.0, shared, msg);
        self.add(at, Key::Message(msg), what);
    }

    /// A message in a consumer group, or in the group of a process.
    fn work(
        &mut self,
        at: (Side, u32, &FactRecord),
        whose: Result<GroupId, ClientId>,
        msg: MsgId,
        what: What,
    ) {
        let world = self.runs[at.0.index()].world();
        let group = match whose {
            Ok(group) => self.names.group(at.0, world, group),
            Err(client) => self.names.group_of(at.0, world, client),
        };
        let msg = self.names.message(at.0, &world.shared, msg);
        self.add(at, Key::Work { msg, group }, what);
    }

    /// A consumer group goes on to a message of a message group.
    fn next(&mut self, at: (Side, u32, &FactRecord), client: ClientId, msg: MsgId) {
        let world = self.runs[at.0.index()].world();
        let Some((topic, series)) = self.names.series(&world.shared, msg) else { return };
        let group = self.names.group_of(at.0, world, client);
        let msg = self.names.message(at.0, &world.shared, msg);
        self.add(at, Key::Order { topic, series, group }, What::Next { msg });
    }

    fn process(&mut self, at: (Side, u32, &FactRecord), client: ClientId, what: What) {
        let world = self.runs[at.0.index()].world();
        let name = self.names.client(world, client);
        self.add(at, Key::Party(name), what);
    }

    /// A consumer that does not start: what one run has and the other refuses is no mere setting.
    fn refused(&mut self, at: (Side, u32, &FactRecord), index: u32) {
        let command = self.runs[at.0.index()].journal().get(index as usize);
        let name = match command.map(|(_, command)| command) {
            Some(
                Command::StartConsumer { name, .. } | Command::Pop(PopCommand::Start { name, .. }),
            ) => self.names.name(name),
            _ => return,
        };
        self.add(at, Key::Party(name), What::Refused);
    }

    fn add(&mut self, (side, fact, record): (Side, u32, &FactRecord), key: Key, what: What) {
        let item = Item { at_ms: record.at_ms, event: record.event, fact, what };
        self.strands.entry(key).or_default().add(key, side, item);
    }
}
