//! Messages under a delay that were due while their broker was down.

use super::super::owner;
use super::holding::HELD_MS;
use super::{Held, Patient, Problem, Symptom};
use crate::fact::Fact;
use crate::ids::{BrokerId, GroupId, Ms, MsgId, Party};

/// A message that was late: for how long, for whom, and the facts that show it.
struct Late {
    waited_ms: Ms,
    msg: MsgId,
    group: GroupId,
    evidence: Vec<u32>,
    /// It is not put back yet.
    lasts: bool,
}

impl Patient<'_> {
    /// Each broker that was down, with the message that it made latest.
    pub(super) fn delayed_by_down(&mut self) {
        for broker in (0..self.run.world.brokers.len() as u8).map(BrokerId) {
            let times = self.down_times(broker);
            let late = times.iter().filter_map(|time| self.latest(broker, *time));
            let Some(worst) = late.max_by_key(|late| late.waited_ms) else { continue };
            let told = |f: &super::Finding| matches!(f.problem, Problem::Stands { group, .. } if group == worst.group);
            if worst.lasts && self.findings.iter().any(told) {
                continue;
            }
            let by = Held::Down { party: Party::Broker(broker) };
            let Late { waited_ms, msg, group, evidence, .. } = worst;
            let repair = self.released(group, by, waited_ms);
            let problem = Problem::Held { msg, group, by, waited_ms };
            self.find(Symptom::StandsStill, problem, evidence, None, repair);
        }
    }

    /// When a broker was down, with the facts of its end.
    fn down_times(&self, broker: BrokerId) -> Vec<(u32, Ms, Ms)> {
        let facts = self.run.facts.iter().enumerate();
        let stops = facts.filter(
            |(_, r)| matches!(r.fact, Fact::BrokerStopped { broker: of, .. } if of == broker),
        );
        let time = |(fact, record): (usize, &crate::fact::FactRecord)| {
            let starts = self.run.facts[fact..]
                .iter()
                .find(|r| matches!(r.fact, Fact::BrokerStarted { broker: of } if of == broker));
            (fact as u32, record.at_ms, starts.map_or(self.until_ms, |r| r.at_ms))
        };
        stops.map(time).collect()
    }

    /// The message that was put back latest after a time in which its broker was down and it was due.
    fn latest(&self, broker: BrokerId, (stop, from_ms, until_ms): (u32, Ms, Ms)) -> Option<Late> {
        let facts = self.run.facts[..stop as usize].iter().enumerate();
        let late = facts.filter_map(|(index, record)| {
            let Fact::MessageScheduled { msg, due_ms, .. } = record.fact else { return None };
            // By the broker's clock.
            let due_ms = due_ms - self.run.world.brokers[broker.index()].clock_ahead_ms;
            if due_ms > until_ms || !self.was_sent_to(msg, broker) {
                return None;
            }
            let later = self.run.ledger.message(msg, self.run.facts.len());
            let back = later.into_iter().find(|i| {
                let fact = self.run.facts[*i as usize].fact;
                *i > index as u32 && matches!(fact, Fact::MessagePutBack { .. })
            });
            let back_ms = back.map_or(self.until_ms, |i| self.run.facts[i as usize].at_ms);
            let waited_ms = back_ms.min(until_ms) - due_ms.max(from_ms);
            let mut readers =
                owner::readers(self.run.world, self.run.world.shared.message(msg).topic)
                    .into_iter();
            let group = readers.next().filter(|_| waited_ms >= HELD_MS)?;
            let evidence = [index as u32, stop].into_iter().chain(back).collect();
            Some(Late { waited_ms, msg, group, evidence, lasts: back.is_none() })
        });
        late.max_by_key(|late| late.waited_ms)
    }
}
