//! Transactions about which no decision reached the broker.

use super::super::message::{self, Place};
use super::super::transactions::{self, Fruitless};
use super::super::{faults, Change, Reason};
use super::refusing::is_stored;
use super::{Patient, Problem, Symptom};
use crate::fact::{Decision, Fact, RequestKind};
use crate::guarantee::Missing;
use crate::ids::{BrokerId, MsgId};
use crate::session::Session;

impl Patient<'_> {
    /// Half messages that the broker set aside after its last check: no consumer ever sees them.
    pub(super) fn deciding(&mut self) {
        for index in 0..self.run.facts.len() {
            let Fact::TransactionGivenUp { msg } = self.run.facts[index].fact else { continue };
            let list = self.run.ledger.message(msg, index);
            let fact = |i: &u32| self.run.facts[*i as usize].fact;
            let prepared =
                list.iter().copied().find(|i| matches!(fact(i), Fact::TransactionPrepared { .. }));
            let checked = list.iter().rev().copied().find_map(|i| match fact(&i) {
                Fact::TransactionChecked { count, .. } => Some((i, count)),
                _ => None,
            });
            let checks = checked.map_or(0, |(_, count)| count);
            let fruitless = transactions::fruitless(&self.run, msg);
            let evidence =
                prepared.into_iter().chain(checked.map(|(i, _)| i)).chain([index as u32]);
            let evidence = evidence.chain(fruitless.map(|f| f.fact));
            let undone = fruitless.map(|f| f.why);
            let repair = match fruitless {
                Some(fruitless) => self.heard(msg, &fruitless),
                None => self.committed(msg),
            };
            let repair = repair.into_iter().collect();
            let problem = Problem::Undecided { msg, checks, undone };
            self.find(Symptom::NotDelivered, problem, evidence.collect(), None, repair);
        }
    }

    /// Half messages that were lost with their broker's machine before a decision counted: the application was told
    /// that they were stored, and no decision brings them back.
    pub(super) fn halves_lost(&mut self) {
        let mut lost: Vec<(MsgId, BrokerId, u32)> = Vec::new();
        for (index, record) in self.run.facts.iter().enumerate() {
            let Fact::MessageLost { msg, queue, .. } = record.fact else { continue };
            let list = self.run.ledger.message(msg, index);
            let is_half = |i: &u32| {
                matches!(self.run.facts[*i as usize].fact, Fact::TransactionPrepared { .. })
            };
            let half =
                list.iter().any(is_half) && message::place(&self.run, msg, None) == Place::Nowhere;
            if half && message::reason(&self.run, msg, None) == Reason::Lost {
                lost.push((msg, queue.broker, index as u32));
            }
        }
        let Some((msg, broker, fact)) = lost.first().copied() else { return };
        let messages = lost.len() as u32;
        let problem = Problem::HalfLost { msg, messages };
        let repair = self.with_power(broker).into_iter().collect();
        let needs = Some(Missing::SyncFlush);
        self.find(Symptom::NotDelivered, problem, vec![fact], needs, repair);
    }

    /// The local transaction commits.
    fn committed(&self, msg: MsgId) -> Option<Change> {
        transactions::scripted(&self.run, msg, |script| {
            script.decision = Decision::Commit;
        })
    }

    /// The decision counts: nothing is in its way, the application answers the broker's questions, or it
    /// decides while the proxy remembers the half message. The first that is enough.
    fn heard(&self, msg: MsgId, fruitless: &Fruitless) -> Option<Change> {
        let at_ms = self.run.facts.get(fruitless.fact as usize)?.at_ms;
        let way = faults::way_of(&self.run, msg);
        let faults = faults::between(&self.run, &way, RequestKind::Send, (at_ms, at_ms));
        let is_well = |after: &Session| is_stored(after, &self.run, msg);
        let run = &self.run;
        let decided = transactions::scripted(run, msg, |script| script.after_ms = 0);
        let asked =
            transactions::scripted(run, msg, |script| script.checks = vec![script.decision]);
        self.left_out(&faults, is_well).or_else(|| {
            let mut ways = [decided, asked].into_iter().flatten();
            ways.find(|change| is_well(&self.with(change)))
        })
    }
}
