//! What was refused: sends, and commands that did nothing.

use super::super::violation::without;
use super::super::Change;
use super::{Patient, Problem, Symptom};
use crate::command::Command;
use crate::fact::{Fact, RequestKind, SendFailure};
use crate::ids::{MsgId, ProducerId};
use crate::pop::PopCommand;

/// Most refusals that are shown of one kind.
const SHOWN: usize = 3;

/// Sends of a producer that failed for one reason.
struct Failed {
    producer: ProducerId,
    failure: SendFailure,
    first: MsgId,
    facts: Vec<u32>,
}

impl Patient<'_> {
    pub(super) fn refusing(&mut self) {
        self.commands_refused();
        self.sends_failed();
    }

    /// Commands that did nothing, each kind of refusal once.
    fn commands_refused(&mut self) {
        let mut kinds: Vec<(std::mem::Discriminant<_>, u32, Vec<u32>)> = Vec::new();
        for (fact, record) in self.run.facts.iter().enumerate() {
            let Fact::CommandRefused { index } = record.fact else { continue };
            let Some(refusal) = self.run.world.refusal(index) else { continue };
            let kind = std::mem::discriminant(refusal);
            match kinds.iter_mut().find(|of| of.0 == kind) {
                Some(known) => known.2.push(fact as u32),
                None => kinds.push((kind, index, vec![fact as u32])),
            }
        }
        for (_, index, mut facts) in kinds {
            let problem = Problem::CommandsRefused { index, commands: facts.len() as u32 };
            facts.truncate(SHOWN);
            self.find(Symptom::CommandRefused, problem, facts, None, Vec::new());
        }
    }

    /// Messages that are stored nowhere because their sends failed. Two reasons have their own findings.
    fn sends_failed(&mut self) {
        let mut kinds: Vec<Failed> = Vec::new();
        for (index, record) in self.run.facts.iter().enumerate() {
            let Fact::SendFailed { producer, msg, reason } = record.fact else { continue };
            let told =
                matches!(reason, SendFailure::TypeConflict { .. } | SendFailure::SelectorThrew);
            if told || self.is_kept(msg) {
                continue;
            }
            let known = kinds.iter_mut().find(|f| (f.producer, f.failure) == (producer, reason));
            match known {
                Some(known) => known.facts.push(index as u32),
                None => kinds.push(Failed {
                    producer,
                    failure: reason,
                    first: msg,
                    facts: vec![index as u32],
                }),
            }
        }
        for Failed { producer, failure, first, mut facts } in kinds {
            let messages = facts.len() as u32;
            facts.truncate(SHOWN);
            let repair = self.sendable(failure, first);
            let problem = Problem::SendsFailed { producer, failure, messages };
            self.find(Symptom::Refused, problem, facts, None, repair);
        }
    }

    /// Whether a message was stored although its sender knows nothing of it, or another of its label
    /// was: the application sent it again.
    fn is_kept(&self, msg: MsgId) -> bool {
        let of = |msg: MsgId| {
            let message = self.run.world.shared.message(msg);
            (message.series, message.number, message.topic)
        };
        let mut same = self.messages().filter(|other| of(*other) == of(msg));
        same.any(|other| {
            let list = self.run.ledger.message(other, self.run.facts.len());
            list.iter().filter_map(|i| self.run.facts.get(*i as usize)).any(|record| {
                matches!(
                    record.fact,
                    Fact::MessageStored { .. }
                        | Fact::MessageScheduled { .. }
                        | Fact::TransactionPrepared { .. }
                )
            })
        })
    }

    /// What was done to the broker, to the way there or asked of the message, left out.
    fn sendable(&self, failure: SendFailure, msg: MsgId) -> Vec<Change> {
        let run = &self.run;
        let up = || without(run, |c| matches!(c, Command::StopBroker { .. }));
        let cuts = || without(run, |c| matches!(c, Command::Cut { .. } | Command::Heal { .. }));
        match failure {
            SendFailure::ConnectionFailed | SendFailure::BrokerUnknown => {
                up().into_iter().collect()
            }
            SendFailure::DiskFull => {
                without(run, |c| matches!(c, Command::SetDisk { .. })).into_iter().collect()
            }
            SendFailure::GroupWithDelay => {
                self.no_delays(run.world.shared.message(msg).series).into_iter().collect()
            }
            SendFailure::Grpc(_) | SendFailure::TimedOut => {
                let proxies = |c: &Command| matches!(c, Command::Pop(PopCommand::RunProxy { .. }));
                let ways = [self.served(RequestKind::Send), without(run, proxies), cuts(), up()];
                let mut ways = ways.into_iter().flatten();
                ways.find(|way| self.is_stored_with(way, msg)).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether a message of the same label is stored in the run with a change.
    fn is_stored_with(&self, change: &Change, msg: MsgId) -> bool {
        let label = self.run.world.shared.label(msg);
        let after = self.with(change);
        let shared = &after.world().shared;
        after.facts().iter().any(
            |r| matches!(r.fact, Fact::MessageStored { msg, .. } if shared.label(msg) == label),
        )
    }
}
