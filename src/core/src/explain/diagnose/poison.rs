//! Messages that fail again and again and hold up what lies behind them, and those that die although nobody
//! ever began them.

use std::collections::BTreeMap;

use super::super::{faults, message, owner};
use super::failing::{FEW, POISON};
use super::{Patient, Problem, Symptom};
use crate::fact::{Fact, Outcome, RequestKind};
use crate::guarantee::Missing;
use crate::ids::{ClientId, GroupId, Ms, MsgId};
use crate::pop::PopFact;
use crate::process::Process;
use crate::retry::{limit_makes_dead_letters, max_attempts};
use crate::session::Session;

impl Patient<'_> {
    /// Messages that fail again and again with others behind them: without limit, or by POP before they reach
    /// theirs.
    pub(super) fn poison(&mut self) {
        let mut worst: BTreeMap<(GroupId, MsgId), (u32, u32, u32)> = BTreeMap::new();
        for (index, record) in self.run.facts.iter().enumerate() {
            let Some((client, msg, failures)) = self.holding_failure(&record.fact) else {
                continue;
            };
            let Some(group) = self.group_of(client) else { continue };
            let index = index as u32;
            let entry = worst.entry((group, msg)).or_insert((failures, index, index));
            *entry = (entry.0.max(failures), entry.1, index);
        }
        for ((group, msg), (failures, first, last)) in worst {
            let known = self.findings.iter().any(|f| match f.problem {
                Problem::Poison { group: of, .. } => of == group,
                Problem::GivenUp { group: of, msg: dead, .. } => (of, dead) == (group, msg),
                _ => false,
            });
            let endless = self.limit_of(group).is_none();
            let pop = owner::is_grpc(self.run.world, group);
            if known || failures < POISON || !self.holds_up(group, msg) {
                continue;
            }
            let limit = self.limit_of(group);
            let problem = Problem::Poison { msg, group, failures, limit };
            let mut repair = vec![self.mended(msg, group, Outcome::Success)];
            let mut needs = None;
            let ends = limit_makes_dead_letters(self.run.world.shared.model.version);
            if (ends || pop) && self.succeeds_at(msg, group, failures).is_none() {
                needs = endless.then_some(Missing::RetryLimit(group));
                repair.extend(self.limit(group, FEW));
            }
            let evidence = vec![first, last].into_iter().chain(self.key_rule(msg, group)).collect();
            self.find(Symptom::StandsStill, problem, evidence, needs, repair);
        }
    }

    /// A failure that holds up what lies behind the message: who failed it, and which time it was.
    fn holding_failure(&self, fact: &Fact) -> Option<(ClientId, MsgId, u32)> {
        match *fact {
            Fact::QueueSuspended { client, msg, failures, .. } => Some((client, msg, failures)),
            Fact::Pop(PopFact::AttemptFailed { client, msg, attempt, .. }) => {
                let group = self.group_of(client)?;
                let ordered = self.run.world.shared.group(group).pop.orderly;
                ordered.then_some((client, msg, u32::from(attempt)))
            }
            _ => None,
        }
    }

    /// How many attempts a group has for a message; None = without end.
    fn limit_of(&self, group: GroupId) -> Option<u32> {
        let shared = &self.run.world.shared;
        let (of, model) = (shared.group(group), &shared.model);
        let limit = match owner::is_grpc(self.run.world, group) {
            true if of.pop.retry_max_times < 0 => {
                max_attempts(i32::try_from(model.retry_max_times).unwrap_or(i32::MAX - 1))
            }
            true => max_attempts(of.pop.retry_max_times),
            false => match of.effective_max_reconsume_times(model) {
                i32::MAX => return None,
                repeats => repeats.saturating_add(1),
            },
        };
        u32::try_from(limit).ok()
    }

    /// Whether messages lie behind a message in its queue.
    fn holds_up(&self, group: GroupId, msg: MsgId) -> bool {
        match message::place(&self.run, msg, Some(group)) {
            message::Place::Queue(queue, offset) => {
                let broker = self.run.world.brokers.get(queue.broker.index());
                broker.is_some_and(|b| b.store.range(queue).1 > offset + 1)
            }
            _ => false,
        }
    }

    /// A message that became a dead letter by the fact `dead` before anybody began it: each delivery counts, and
    /// the answers with it were lost.
    pub(super) fn never_begun(&mut self, msg: MsgId, group: GroupId, dead: u32) {
        let list = self.run.ledger.message(msg, dead as usize);
        let popped = list.into_iter().filter(|i| {
            matches!(self.run.facts[*i as usize].fact,
                Fact::Pop(PopFact::Popped { group: of, .. }) if of == group)
        });
        let popped: Vec<u32> = popped.collect();
        let (Some(first), Some(last)) = (popped.first(), popped.last()) else { return };
        let known = |f: &super::Finding| matches!(f.problem, Problem::DeadUnbegun { group: of, .. } if of == group);
        if self.findings.iter().any(known) {
            return;
        }
        let time = (self.run.facts[*first as usize].at_ms, self.run.facts[*last as usize].at_ms);
        let repair = self.arrives(msg, group, time).into_iter().collect();
        // By the last one the proxy made it a dead letter.
        let deliveries = popped.len().saturating_sub(1) as u32;
        let problem = Problem::DeadUnbegun { msg, group, deliveries };
        let evidence = vec![*first, *last, dead];
        self.find(Symptom::NotDelivered, problem, evidence, None, repair);
    }

    /// What the answers to a group's receives were lost in, left out: the message is begun then.
    fn arrives(&self, msg: MsgId, group: GroupId, time: (Ms, Ms)) -> Option<super::Change> {
        let label = self.run.world.shared.label(msg);
        let name = &self.run.world.shared.group(group).name;
        let members = self.run.world.clients.iter().filter(|p| p.group() == group);
        let mut ways: Vec<_> =
            members.flat_map(|p| faults::way_of_consumer(&self.run, p.id())).collect();
        ways.sort_unstable();
        ways.dedup();
        let faults = faults::between(&self.run, &ways, RequestKind::Receive, time);
        self.left_out(&faults, |after: &Session| {
            let world = after.world();
            let of_group = |client: ClientId| {
                let process = world.clients.get(client.index());
                process.is_some_and(|p: &Process| world.shared.group(p.group()).name == *name)
            };
            after.facts().iter().any(|r| match r.fact {
                Fact::HandlingStarted { client, msg, .. }
                | Fact::Pop(PopFact::Received { client, msg, .. }) => {
                    of_group(client) && world.shared.label(msg) == label
                }
                _ => false,
            })
        })
    }
}
