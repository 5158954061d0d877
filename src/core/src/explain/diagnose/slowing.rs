//! Listener calls that take so long that an ordered queue waits for them.

use super::super::{message, owner, Change};
use super::{Patient, Problem, Symptom};
use crate::command::{Command, HandlerRule, ListenerKind};
use crate::fact::{Fact, StopKind};
use crate::ids::{ClientId, GroupId, MessageQueue, Ms, MsgId};
use crate::model::Blocking;

/// What takes less is slow, and no fault of the run.
const LONG_MS: Ms = 60_000;

/// A listener call, from its fact to the fact of its end.
#[derive(Clone, Copy)]
struct Call {
    client: ClientId,
    group: GroupId,
    queue: MessageQueue,
    msg: MsgId,
    started: u32,
    ended: Option<u32>,
    time: (Ms, Ms),
}

impl Patient<'_> {
    /// The longest call of each group that the scenario makes longer than others, and for which a message of
    /// its queue waited. That all calls of a group are long is its setting.
    pub(super) fn slowing(&mut self) {
        let mut calls = self.long_calls();
        calls.sort_by_key(|call| (call.group, call.time.0 - call.time.1));
        let mut told: Vec<GroupId> = Vec::new();
        for call in calls {
            if told.contains(&call.group) {
                continue;
            }
            let Some(shorter) = self.without_length(&call) else { continue };
            let Some((waited, waited_ms)) = self.waited_for(&call) else { continue };
            told.push(call.group);
            let took_ms = call.time.1 - call.time.0;
            let Call { client, msg, .. } = call;
            let runs = call.ended.is_none();
            let problem = Problem::Slow { client, msg, took_ms, runs, waited, waited_ms };
            let evidence = [call.started].into_iter().chain(call.ended).collect();
            self.find(Symptom::StandsStill, problem, evidence, None, vec![shorter]);
        }
    }

    /// Long calls of ordered groups in which their process did not stand still.
    fn long_calls(&self) -> Vec<Call> {
        let facts = self.run.facts.iter().enumerate();
        let calls = facts.filter_map(|(index, record)| {
            let Fact::HandlingStarted { client, queue, msg, .. } = record.fact else { return None };
            let group = self.group_of(client).filter(|group| self.is_ordered(*group))?;
            let behind = self.run.facts[index..].iter().enumerate();
            let mut ends = behind.filter(|(_, r)| match r.fact {
                Fact::HandlingEnded { client: by, msg: of, .. } => (by, of) == (client, msg),
                Fact::ConsumerStopped { client: by, .. } => by == client,
                _ => false,
            });
            let end = ends.next();
            if end.is_some_and(|(_, r)| {
                matches!(r.fact, Fact::ConsumerStopped { how: StopKind::Hang, .. })
            }) {
                return None;
            }
            let until_ms = end.map_or(self.until_ms, |(_, r)| r.at_ms);
            let ended = end.map(|(place, _)| (index + place) as u32);
            let time = (record.at_ms, until_ms);
            let (started, is_long) = (index as u32, until_ms - record.at_ms >= LONG_MS);
            is_long.then_some(Call { client, group, queue, msg, started, ended, time })
        });
        calls.filter(|call| !self.is_by_hand(call.client)).collect()
    }

    fn is_ordered(&self, group: GroupId) -> bool {
        let of = self.run.world.shared.group(group);
        match owner::is_grpc(self.run.world, group) {
            true => of.pop.orderly,
            false => of.listener == ListenerKind::Orderly,
        }
    }

    /// The message that waited longest in the queue of a call while it ran, and how long, in ms.
    fn waited_for(&self, call: &Call) -> Option<(MsgId, Ms)> {
        let shared = &self.run.world.shared;
        let by_group = shared.model.blocking == Blocking::MessageGroup;
        let waits = self.messages().filter_map(|msg| {
            let (stored, queue) = self.first_store(msg)?;
            let wanted = owner::wants(self.run.world, call.group, queue, msg);
            let same = !by_group || shared.same_message_group(msg, call.msg);
            if queue != call.queue || msg == call.msg || !wanted || !same {
                return None;
            }
            let list = self.run.ledger.message(msg, self.run.facts.len());
            let begun = list.into_iter().find(|i| {
                matches!(self.run.facts[*i as usize].fact, Fact::HandlingStarted { client, .. }
                    if self.group_of(client) == Some(call.group))
            });
            if begun.is_none() && message::reason(&self.run, msg, Some(call.group)).is_over() {
                return None;
            }
            let begun_ms = begun.map_or(self.until_ms, |i| self.run.facts[i as usize].at_ms);
            let from_ms = self.run.facts[stored as usize].at_ms.max(call.time.0);
            Some((msg, begun_ms.min(call.time.1) - from_ms))
        });
        waits
            .filter(|(_, ms)| *ms >= LONG_MS)
            .max_by_key(|(msg, ms)| (*ms, std::cmp::Reverse(*msg)))
    }

    /// What makes the call long, left out.
    fn without_length(&self, call: &Call) -> Option<Change> {
        let shared = &self.run.world.shared;
        let (label, name) = (shared.label(call.msg), &shared.group(call.group).name);
        let is_it = |rule: &HandlerRule| {
            rule.handle_ms.is_some_and(|ms| ms > 0)
                && rule.label.as_ref().is_none_or(|of| *of == label)
                && rule.group.as_ref().is_none_or(|of| of == name)
        };
        let all = (0..).zip(self.run.journal);
        let before = all.filter(|(_, (at_ms, _))| *at_ms <= call.time.0);
        let rules = before.filter(|(_, (_, c))| matches!(c, Command::Handle(rule) if is_it(rule)));
        rules.map(|(index, _)| index).last().map(|index| Change::Without(vec![index]))
    }
}
