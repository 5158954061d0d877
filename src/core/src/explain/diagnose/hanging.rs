//! Consumers that stand still while messages wait for them.

use super::super::violation::without_hangs;
use super::super::{message, owner};
use super::{Patient, Problem, Symptom};
use crate::fact::{Fact, FactRecord, StopKind};
use crate::ids::{ClientId, GroupId, MessageQueue, Ms, MsgId};
use crate::pop::PopFact;
use crate::session::Session;

/// Waiting for less is nothing to speak of.
pub(super) const WAIT_MS: Ms = 10_000;

/// A message that waited, from which fact on, until which (None: it still does), and how long.
type Waited = (MsgId, Option<u32>, Ms);

impl Patient<'_> {
    pub(super) fn hanging(&mut self) {
        for index in 0..self.run.facts.len() {
            let Fact::ConsumerStopped { client, how: StopKind::Hang } = self.run.facts[index].fact
            else {
                continue;
            };
            let known = |f: &super::Finding| matches!(f.problem, Problem::Hung { client: of, .. } if of == client);
            if self.findings.iter().any(known) {
                continue;
            }
            let Some(group) = self.group_of(client) else { continue };
            let held = self.held(client, index);
            let waits = self.messages().filter_map(|msg| self.waited(msg, group, &held, index));
            let waits: Vec<Waited> = waits.filter(|waited| waited.2 >= WAIT_MS).collect();
            if waits.is_empty() {
                continue;
            }
            let name = &self.run.world.shared.names.clients[client.index()];
            let repair = without_hangs(&self.run, name);
            let free = repair.as_ref().map(|change| self.with(change));
            let delays = waits.into_iter().map(|waited| self.delayed(waited, group, index, &free));
            let Some((msg, ended, waited_ms)) = delays.max_by_key(|w| w.2) else { continue };
            let told = |f: &super::Finding| matches!(f.problem, Problem::Stands { group: of, .. } if of == group);
            if waited_ms < WAIT_MS || ended.is_none() && self.findings.iter().any(told) {
                continue;
            }
            let repair = repair.into_iter().collect();
            let problem = Problem::Hung { client, msg, waited_ms };
            let evidence = std::iter::once(index as u32).chain(ended).collect();
            self.find(Symptom::StandsStill, problem, evidence, None, repair);
        }
    }

    /// Of the time that a message waited what it would not have waited in the run in which the consumer goes
    /// on: it may have waited for something else as well, or longer than that.
    fn delayed(
        &self,
        (msg, ended, waited_ms): Waited,
        group: GroupId,
        hung: usize,
        free: &Option<Session>,
    ) -> Waited {
        let Some(free) = free else { return (msg, ended, waited_ms) };
        let until_ms = ended.map_or(self.until_ms, |i| self.run.facts[i as usize].at_ms);
        let hung_ms = self.run.facts[hung].at_ms;
        // A call that ran is over when it ends; what was not begun waits for its beginning.
        let called = self.in_call(msg, group, hung).is_some();
        let names = &self.run.world.shared;
        let (label, of) = (names.label(msg), &names.group(group).name);
        let world = free.world();
        let of_group = |client: ClientId| {
            let process = world.clients.get(client.index());
            process.is_some_and(|p| world.shared.group(p.group()).name == *of)
        };
        let is_it = |record: &&FactRecord| match record.fact {
            Fact::HandlingStarted { client, msg, .. } => {
                world.shared.label(msg) == label && of_group(client) && !called
            }
            Fact::HandlingEnded { client, msg, .. } => {
                world.shared.label(msg) == label && of_group(client) && called
            }
            _ => false,
        };
        let mut behind = free.facts().iter().filter(|record| !called || record.at_ms >= hung_ms);
        let free_ms = behind.find(is_it).map_or(until_ms, |record| record.at_ms);
        (msg, ended, waited_ms.min((until_ms - free_ms).max(0)))
    }

    /// The queues that a consumer has at a fact: those it took, and those it holds a message of.
    fn held(&self, client: ClientId, until: usize) -> Vec<MessageQueue> {
        let mut held: Vec<MessageQueue> = Vec::new();
        let mut open: Vec<(MessageQueue, MsgId)> = Vec::new();
        for record in &self.run.facts[..until] {
            match record.fact {
                Fact::QueueAdded { client: of, queue, .. } if of == client => held.push(queue),
                Fact::QueueDropped { client: of, queue, .. }
                | Fact::QueueRemoved { client: of, queue, .. }
                    if of == client =>
                {
                    held.retain(|q| *q != queue);
                }
                Fact::Pop(PopFact::Received { client: of, queue, msg, .. }) if of == client => {
                    open.push((queue, msg));
                }
                Fact::MessageAcknowledged { client: of, msg, .. } if of == client => {
                    open.retain(|(_, m)| *m != msg);
                }
                _ => {}
            }
        }
        held.extend(open.into_iter().map(|(queue, _)| queue));
        held.extend(self.handed_to(client, until));
        held
    }

    /// The queues of what a gRPC consumer was given while it stood still: it takes it when it goes on.
    fn handed_to(&self, client: ClientId, hung: usize) -> Vec<MessageQueue> {
        let behind = &self.run.facts[hung..];
        let is_it = |r: &&FactRecord| matches!(r.fact, Fact::ConsumerResumed { client: of } if of == client);
        let Some(resumed) = behind.iter().find(is_it) else { return Vec::new() };
        let then = behind.iter().filter(|r| r.at_ms == resumed.at_ms);
        let taken = then.filter_map(|r| match r.fact {
            Fact::Pop(PopFact::Received { client: of, queue, .. }) if of == client => Some(queue),
            _ => None,
        });
        taken.collect()
    }

    /// How long a message waited that was in a call of a consumer when this came to stand still: until the
    /// call went on, or somebody else began it.
    fn waited_in_call(&self, msg: MsgId, group: GroupId, hung: usize) -> Option<Waited> {
        let facts = self.run.facts;
        let next = self.in_call(msg, group, hung)?;
        if next.is_none() && message::reason(&self.run, msg, Some(group)).is_over() {
            return None;
        }
        let until_ms = next.map_or(self.until_ms, |i| facts[i as usize].at_ms);
        Some((msg, next, until_ms - facts[hung].at_ms))
    }

    /// Of a message that was in a call of a consumer when this came to stand still: the fact by which the
    /// call went on, or somebody else began it, if there was one.
    fn in_call(&self, msg: MsgId, group: GroupId, hung: usize) -> Option<Option<u32>> {
        let facts = self.run.facts;
        let Fact::ConsumerStopped { client, .. } = facts[hung].fact else { return None };
        let list = self.run.ledger.message(msg, facts.len());
        let touch = |i: &&u32| match facts[**i as usize].fact {
            Fact::HandlingStarted { client: by, .. } | Fact::HandlingEnded { client: by, .. } => {
                self.group_of(by) == Some(group)
            }
            _ => false,
        };
        let last = list.iter().rev().filter(|i| (**i as usize) < hung).find(touch)?;
        let in_call = matches!(facts[*last as usize].fact, Fact::HandlingStarted { client: by, .. } if by == client);
        in_call.then(|| list.iter().filter(|i| (**i as usize) > hung).find(touch).copied())
    }

    /// How long a message waited for its first handling behind a consumer that stands still from a fact
    /// on; nothing for messages that were handled before or lie elsewhere.
    fn waited(
        &self,
        msg: MsgId,
        group: GroupId,
        held: &[MessageQueue],
        hung: usize,
    ) -> Option<Waited> {
        let (stored, queue) = self.first_store(msg)?;
        // Nobody waits for what the subscription does not want.
        if !held.contains(&queue) || !owner::wants(self.run.world, group, queue, msg) {
            return None;
        }
        let facts = self.run.facts;
        let resumed = facts[hung..].iter().position(|r| match (r.fact, facts[hung].fact) {
            (
                Fact::ConsumerResumed { client } | Fact::ConsumerStarted { client },
                Fact::ConsumerStopped { client: of, .. },
            ) => client == of,
            _ => false,
        });
        let resumed = resumed.map_or(facts.len(), |after| hung + after);
        if stored as usize > resumed {
            return None;
        }
        let list = self.run.ledger.message(msg, facts.len());
        let began = list.iter().copied().find(|i| {
            matches!(facts[*i as usize].fact, Fact::HandlingStarted { client, .. }
                if self.group_of(client) == Some(group))
        });
        if began.is_some_and(|i| (i as usize) < hung) {
            return self.waited_in_call(msg, group, hung);
        }
        if began.is_none() && message::reason(&self.run, msg, Some(group)).is_over() {
            return None;
        }
        let from_ms = facts[stored as usize].at_ms.max(facts[hung].at_ms);
        let until_ms = began.map_or(self.until_ms, |i| facts[i as usize].at_ms);
        Some((msg, began, until_ms - from_ms))
    }
}
