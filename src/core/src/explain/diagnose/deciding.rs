//! Transactions that nobody decided.

use super::super::violation::instead;
use super::super::Change;
use super::{Patient, Problem, Symptom};
use crate::command::Command;
use crate::fact::{Decision, Fact};
use crate::ids::MsgId;

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
            let evidence =
                prepared.into_iter().chain(checked.map(|(i, _)| i)).chain([index as u32]);
            let repair = self.committed(msg).into_iter().collect();
            let problem = Problem::Undecided { msg, checks };
            self.find(Symptom::NotDelivered, problem, evidence.collect(), None, repair);
        }
    }

    /// The local transaction commits.
    fn committed(&self, msg: MsgId) -> Option<Change> {
        let shared = &self.run.world.shared;
        let label = shared.label(msg);
        let by = &shared.names.producers[shared.message(msg).producer.index()];
        instead(&self.run, |c| match c {
            Command::SendTransaction { producer, message, script, .. }
                if producer == by && message.label == label =>
            {
                script.decision = Decision::Commit;
                true
            }
            _ => false,
        })
    }
}
