//! What a full disk held up: failed messages that were not taken back, and delayed ones that were not put
//! back.

use std::collections::BTreeMap;

use super::super::{faults, message, Change};
use super::{Patient, Problem, Symptom};
use crate::fact::Fact;
use crate::ids::{BrokerId, GroupId, Ms, MsgId};
use crate::pop::{ActKind, PopFact};

/// From how many refusals on it is no accident.
const AGAIN: u32 = 2;
/// What was due and waited for less is nothing to speak of.
const WAIT_MS: Ms = 10_000;

/// Refusals of a broker: of which message most, how often, and the first and the last of these facts.
#[derive(Clone, Copy)]
struct Refused {
    times: u32,
    first: u32,
    last: u32,
}

impl Patient<'_> {
    pub(super) fn filling(&mut self) {
        for broker in (0..self.run.world.brokers.len() as u8).map(BrokerId) {
            let disks = faults::disks(&self.run, broker);
            for disk in &disks {
                let time = (disk.from_ms, disk.until_ms.unwrap_or(self.until_ms));
                let filled = disk.commands.first().copied();
                let filled = filled.and_then(|i| self.run.ledger.command(i, self.run.facts.len()));
                let repair = vec![Change::Without(disk.commands.clone())];
                self.not_taken_back(broker, time, filled, &repair);
                self.not_put_back(broker, time, filled, &repair);
            }
        }
    }

    /// Failed messages that a broker refused to take in a time.
    fn not_taken_back(
        &mut self,
        broker: BrokerId,
        (from_ms, until_ms): (Ms, Ms),
        filled: Option<u32>,
        repair: &[Change],
    ) {
        let facts = self.run.facts;
        let from = facts.partition_point(|r| r.at_ms < from_ms);
        let mut refused: BTreeMap<(GroupId, MsgId), Refused> = BTreeMap::new();
        for (index, record) in facts.iter().enumerate().skip(from) {
            if record.at_ms > until_ms {
                break;
            }
            let (group, msg) = match record.fact {
                Fact::SendBackFailed { client, msg }
                | Fact::Pop(PopFact::ActFailed { client, msg, act: ActKind::DeadLetter, .. }) => {
                    (self.group_of(client), msg)
                }
                // What is taken is made a dead letter once.
                Fact::Pop(PopFact::DeadOnReceive { group, msg, .. }) => (Some(group), msg),
                _ => continue,
            };
            let Some(group) = group else { continue };
            if self.broker_of(msg, group) != Some(broker) {
                continue;
            }
            let index = index as u32;
            let new = Refused { times: 0, first: index, last: index };
            let entry = refused.entry((group, msg)).or_insert(new);
            (entry.times, entry.last) = (entry.times + 1, index);
        }
        let mut groups: Vec<GroupId> = refused.keys().map(|(group, _)| *group).collect();
        groups.dedup();
        for group in groups {
            let own = refused.iter().filter(|((of, _), _)| *of == group);
            let Some(((_, msg), worst)) = own.max_by_key(|(_, of)| of.times) else { continue };
            if worst.times >= AGAIN {
                let problem =
                    Problem::NotTakenBack { broker, group, msg: *msg, times: worst.times };
                let evidence = filled.into_iter().chain([worst.first, worst.last]).collect();
                self.find(Symptom::StandsStill, problem, evidence, None, repair.to_vec());
            }
        }
    }

    /// The broker of the queue in which a message lies for a group, or where it was stored first.
    fn broker_of(&self, msg: MsgId, group: GroupId) -> Option<BrokerId> {
        let lies = message::lies_in(&self.run, msg, group);
        lies.or_else(|| self.first_store(msg).map(|(_, queue)| queue)).map(|queue| queue.broker)
    }

    /// The message that was due in a time and waited longest for being put back.
    fn not_put_back(
        &mut self,
        broker: BrokerId,
        (from_ms, until_ms): (Ms, Ms),
        filled: Option<u32>,
        repair: &[Change],
    ) {
        let mut worst: Option<(Ms, MsgId, u32, Option<u32>)> = None;
        for (index, record) in self.run.facts.iter().enumerate() {
            let Fact::MessageScheduled { msg, due_ms, .. } = record.fact else { continue };
            if due_ms > until_ms || !self.was_sent_to(msg, broker) {
                continue;
            }
            let later = self.run.ledger.message(msg, self.run.facts.len());
            let back = later.into_iter().find(|i| {
                // The wheel keeps nothing that it could not put back.
                let ends =
                    |fact| matches!(fact, Fact::MessagePutBack { .. } | Fact::WheelGaveUp { .. });
                *i > index as u32 && ends(self.run.facts[*i as usize].fact)
            });
            let back_ms = back.map_or(self.until_ms, |i| self.run.facts[i as usize].at_ms);
            let waited_ms = back_ms.min(until_ms) - due_ms.max(from_ms);
            if waited_ms >= WAIT_MS && worst.is_none_or(|(most_ms, ..)| waited_ms > most_ms) {
                worst = Some((waited_ms, msg, index as u32, back));
            }
        }
        let Some((waited_ms, msg, scheduled, back)) = worst else { return };
        let problem = Problem::NotPutBack { broker, msg, waited_ms };
        let evidence = [scheduled].into_iter().chain(filled).chain(back).collect();
        self.find(Symptom::StandsStill, problem, evidence, None, repair.to_vec());
    }

    /// Whether a message was sent to a broker at all.
    pub(super) fn was_sent_to(&self, msg: MsgId, broker: BrokerId) -> bool {
        self.run.ledger.newest_of(msg, self.run.facts.len()).any(|i| {
            self.run.facts.get(i as usize).is_some_and(
                |r| matches!(r.fact, Fact::SendStarted { queue, .. } if queue.broker == broker),
            )
        })
    }
}
