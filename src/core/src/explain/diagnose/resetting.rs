//! Resets that were asked for and that nobody carried out.

use super::super::resets::{self, Fate};
use super::super::Change;
use super::{Patient, Problem, Symptom};
use crate::fact::{Fact, ResetHow};
use crate::ids::{GroupId, MessageQueue};

impl Patient<'_> {
    /// Legacy resets that were lost with the consumer that had to write the offset.
    pub(super) fn resetting(&mut self) {
        for index in 0..self.run.facts.len() as u32 {
            let Fact::OffsetReset { group, queue, how: ResetHow::Clients, .. } =
                self.run.facts[index as usize].fact
            else {
                continue;
            };
            let Fate::Lost { client, by } = resets::fate(&self.run, index) else { continue };
            if self.reset_later(index, group, queue) {
                continue;
            }
            let heard = self.run.ledger.newest_of_client(client, by as usize);
            let heard = heard.take_while(|i| *i > index).find(|i| {
                matches!(self.run.facts[*i as usize].fact, Fact::ResetReceived { topic, .. } if topic == queue.topic)
            });
            let in_pause = heard.is_some();
            let evidence = [index, by].into_iter().chain(heard).collect();
            let problem = Problem::ResetLost { group, client, in_pause };
            let repair = self.once_more(index).into_iter().collect();
            self.find(Symptom::ResetLost, problem, evidence, None, repair);
        }
    }

    /// Whether a later reset of the same queue took effect: then nothing is missing.
    fn reset_later(&self, index: u32, group: GroupId, queue: MessageQueue) -> bool {
        let later = self.run.ledger.newest_of_queue(queue, self.run.facts.len());
        later.take_while(|i| *i > index).any(|i| {
            matches!(self.run.facts[i as usize].fact, Fact::OffsetReset { group: of, .. } if of == group)
                && !resets::is_lost(&self.run, i)
        })
    }

    /// The same command again, now.
    fn once_more(&self, index: u32) -> Option<Change> {
        let event = self.run.facts.get(index as usize)?.event;
        let same = self.run.facts[index as usize..].iter().take_while(|r| r.event == event);
        let command = same.filter_map(|r| match r.fact {
            Fact::CommandApplied { index } => self.run.journal.get(index as usize),
            _ => None,
        });
        command.map(|(_, command)| Change::Now(vec![command.clone()])).next()
    }
}
