//! What was refused: sends, and commands that did nothing.

use super::super::{faults, sending, Change, Run};
use super::{Patient, Problem, Symptom};
use crate::command::{Command, Refusal};
use crate::fact::{Fact, SendFailure};
use crate::ids::{BrokerId, MsgId, ProducerId};
use crate::session::Session;

/// Most refusals that are shown of one kind.
const SHOWN: usize = 3;

/// Sends of a producer that failed for one reason.
struct Failed {
    producer: ProducerId,
    failure: SendFailure,
    full: Option<BrokerId>,
    first: MsgId,
    facts: Vec<u32>,
}

impl Patient<'_> {
    pub(super) fn refusing(&mut self) {
        self.commands_refused();
        self.sends_failed();
    }

    /// Commands that did nothing, each reason once.
    fn commands_refused(&mut self) {
        let mut kinds: Vec<(&Refusal, u32, Vec<u32>)> = Vec::new();
        let run = self.run;
        for (fact, record) in run.facts.iter().enumerate() {
            let Fact::CommandRefused { index } = record.fact else { continue };
            let Some(refusal) = run.world.refusal(index) else { continue };
            match kinds.iter_mut().find(|of| of.0 == refusal) {
                Some(known) => known.2.push(fact as u32),
                None => kinds.push((refusal, index, vec![fact as u32])),
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
            let full = sending::refused_by(&self.run, msg, reason, index as u32);
            let of = (producer, reason, full);
            let known = kinds.iter_mut().find(|f| (f.producer, f.failure, f.full) == of);
            match known {
                Some(known) => known.facts.push(index as u32),
                None => kinds.push(Failed {
                    producer,
                    failure: reason,
                    full,
                    first: msg,
                    facts: vec![index as u32],
                }),
            }
        }
        for Failed { producer, failure, full, first, mut facts } in kinds {
            let failed = facts.first().copied();
            let messages = facts.len() as u32;
            facts.truncate(SHOWN);
            let repair = self.sendable((failure, full), first, failed);
            facts.extend(full.and_then(|broker| self.filled(broker, failed)));
            let problem = Problem::SendsFailed { producer, failure, messages, full };
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

    /// The fact by which the disk of a broker was filled before another fact.
    fn filled(&self, broker: BrokerId, before: Option<u32>) -> Option<u32> {
        let at_ms = self.run.facts.get(before? as usize)?.at_ms;
        let mut all = faults::disks(&self.run, broker).into_iter();
        let last = all.rfind(|fault| fault.overlaps((at_ms, at_ms)))?;
        self.run.ledger.command(*last.commands.first()?, self.run.facts.len())
    }

    /// What was done to the broker, to the way there or asked of the message, left out: the first
    /// disturbance alone with which it is stored, or all of those that stood in its way.
    fn sendable(
        &self,
        (failure, full): (SendFailure, Option<BrokerId>),
        msg: MsgId,
        failed: Option<u32>,
    ) -> Vec<Change> {
        let run = &self.run;
        let failed_ms = failed.map_or(self.until_ms, |fact| run.facts[fact as usize].at_ms);
        match failure {
            SendFailure::GroupWithDelay => {
                self.no_delays(run.world.shared.message(msg).series).into_iter().collect()
            }
            SendFailure::ConnectionFailed
            | SendFailure::BrokerUnknown
            | SendFailure::DiskFull
            | SendFailure::Grpc(_)
            | SendFailure::TimedOut => {
                let disk = |c: &Command| matches!(c, Command::SetDisk { .. });
                let mut all = faults::on_the_way(run, msg, failed_ms);
                all.retain(|f| f.begin(run).is_some_and(disk) == full.is_some());
                self.left_out(&all, |after| is_stored(after, run, msg)).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Whether a message of the same label as one of this run is stored in another.
pub(super) fn is_stored(after: &Session, run: &Run<'_>, msg: MsgId) -> bool {
    let label = run.world.shared.label(msg);
    let shared = &after.world().shared;
    after
        .facts()
        .iter()
        .any(|r| matches!(r.fact, Fact::MessageStored { msg, .. } if shared.label(msg) == label))
}
