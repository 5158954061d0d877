//! How messages are spread over queues, and what waits for what it has nothing to do with.

use std::collections::BTreeMap;

use super::super::violation::instead;
use super::super::{owner, Change};
use super::{Patient, Problem, Symptom};
use crate::command::{Command, ListenerKind, Selector};
use crate::fact::Fact;
use crate::guarantee::Missing;
use crate::ids::{GroupId, MessageGroupId, MessageQueue, Ms, MsgId, TopicId};
use crate::model::Blocking;
use crate::pop::PopFact;
use crate::process::Process;
use crate::shared::TopicUse;

/// Waiting for less is nothing to speak of.
const WAIT_MS: Ms = 2_000;
/// Messages from which on shares mean something.
const MANY: usize = 40;

/// A message has a queue to itself.
#[derive(Clone, Copy, Debug)]
struct Span {
    msg: MsgId,
    series: MessageGroupId,
    fact: u32,
    from_ms: Ms,
    until_ms: Ms,
}

impl Patient<'_> {
    /// How messages are spread over the queues of each topic.
    pub(super) fn spreading(&mut self) {
        let names = &self.run.world.shared.names;
        let topics = (0..names.topics.len() as u16).map(TopicId);
        let user: Vec<TopicId> =
            topics.filter(|t| names.topics[t.index()].usage == TopicUse::User).collect();
        for topic in user {
            self.spread(topic);
        }
    }

    fn spread(&mut self, topic: TopicId) {
        let shared = &self.run.world.shared;
        let mut series: BTreeMap<MessageGroupId, usize> = BTreeMap::new();
        let mut queues: BTreeMap<MessageQueue, usize> = BTreeMap::new();
        for msg in self.messages() {
            let message = shared.message(msg);
            if message.topic != topic || !self.is_keyed(message.series) {
                continue;
            }
            let Some((_, queue)) = self.first_store(msg) else { continue };
            *series.entry(shared.names.order_of(message.series)).or_default() += 1;
            *queues.entry(queue).or_default() += 1;
        }
        let all: usize = series.values().sum();
        let count = shared.names.write_queue_count(topic).min(usize::from(u16::MAX)) as u16;
        let Some((hot, most)) = series.iter().max_by_key(|(_, n)| **n).map(|(s, n)| (*s, *n))
        else {
            return;
        };
        if all >= MANY && most * 2 > all && series.len() > 1 && count > 1 {
            self.hot(topic, hot, (most * 100 / all) as u32);
            return;
        }
        let used = queues.len() as u16;
        if series.len() >= 2 * usize::from(count) && used * 2 <= count {
            let first = self.messages().find(|m| shared.message(*m).topic == topic);
            let evidence = first.and_then(|m| self.first_store(m)).map(|(fact, _)| fact);
            let problem = Problem::FewQueues { topic, used, queues: count };
            let evidence = evidence.into_iter().collect();
            let repair = self.spread_better(topic, count).into_iter().collect();
            self.find(Symptom::WaitForEachOther, problem, evidence, None, repair);
        } else if used == 1 && series.len() > 1 {
            let Some(evidence) = self.waits_for_others(topic) else { return };
            let problem = Problem::OneQueue { topic, queues: count };
            let repair = self.more_queues(topic, count).into_iter().collect();
            self.find(Symptom::WaitForEachOther, problem, evidence, None, repair);
        }
    }

    /// One message group has most of the traffic, and its queue falls behind.
    fn hot(&mut self, topic: TopicId, series: MessageGroupId, percent: u32) {
        let names = &self.run.world.shared.names;
        let mut own = self.messages().filter(|m| {
            let message = self.run.world.shared.message(*m);
            message.topic == topic && names.order_of(message.series) == series
        });
        let Some((first, queue)) = own.find_map(|m| self.first_store(m)) else { return };
        let max = self.run.world.brokers[queue.broker.index()].store.range(queue).1;
        for group in owner::readers(self.run.world, topic) {
            let next = owner::next_offset(self.run.world, group, queue).unwrap_or(0);
            if max - next >= MANY as i64 / 2 {
                let problem = Problem::HotGroup { series, percent };
                let needs = Some(Missing::FinerGroup(series));
                let repair = self.finer_groups(series).into_iter().collect();
                self.find(Symptom::WaitForEachOther, problem, vec![first], needs, repair);
                return;
            }
        }
    }

    /// A message that waited at least [`WAIT_MS`] while its queue was taken by messages of other message
    /// groups: the fact by which one of those took it, and the one by which it began (or was stored).
    fn waits_for_others(&self, topic: TopicId) -> Option<Vec<u32>> {
        let shared = &self.run.world.shared;
        if shared.model.blocking == Blocking::MessageGroup {
            return None;
        }
        let spans = self.taken(topic);
        for ((group, queue), taken) in &spans {
            let ordered = match owner::is_grpc(self.run.world, *group) {
                true => shared.group(*group).pop.orderly,
                false => shared.group(*group).listener == ListenerKind::Orderly,
            };
            if !ordered {
                continue;
            }
            for msg in self.messages().filter(|m| shared.message(*m).topic == topic) {
                let Some((stored, of)) = self.first_store(msg) else { continue };
                if of != *queue {
                    continue;
                }
                let series = shared.names.order_of(shared.message(msg).series);
                let own = taken.iter().find(|span| span.msg == msg);
                let from_ms = self.run.facts[stored as usize].at_ms;
                let until_ms = own.map_or(self.until_ms, |span| span.from_ms);
                let others = taken.iter().filter(|s| s.series != series);
                let during = others.filter(|s| s.from_ms < until_ms && s.until_ms > from_ms);
                let lost = |s: &&Span| s.until_ms.min(until_ms) - s.from_ms.max(from_ms);
                let waited_ms: Ms = during.clone().map(|s| lost(&s)).sum();
                if waited_ms >= WAIT_MS {
                    let worst = during.max_by_key(lost).map(|s| s.fact);
                    let end = own.map_or(stored, |span| span.fact);
                    return Some(worst.into_iter().chain([end]).collect());
                }
            }
        }
        None
    }

    /// When which message took a queue of a topic for a group: from its first delivery until it was
    /// finished.
    fn taken(&self, topic: TopicId) -> BTreeMap<(GroupId, MessageQueue), Vec<Span>> {
        let shared = &self.run.world.shared;
        let mut spans: BTreeMap<(GroupId, MessageQueue), Vec<Span>> = BTreeMap::new();
        for (index, record) in self.run.facts.iter().enumerate() {
            let (client, queue, msg, ends) = match record.fact {
                Fact::HandlingStarted { client, queue, msg, .. }
                | Fact::Pop(PopFact::Received { client, queue, msg, .. }) => {
                    (client, queue, msg, false)
                }
                Fact::MessageAcknowledged { client, queue, msg, .. } => (client, queue, msg, true),
                _ => continue,
            };
            if queue.topic != topic {
                continue;
            }
            let Some(group) = self.run.world.clients.get(client.index()).map(Process::group) else {
                continue;
            };
            let list = spans.entry((group, queue)).or_default();
            let open = list.iter_mut().rev().take(MANY).find(|span| span.msg == msg);
            match open {
                Some(span) if ends => span.until_ms = record.at_ms,
                None if !ends => list.push(Span {
                    msg,
                    series: shared.names.order_of(shared.message(msg).series),
                    fact: index as u32,
                    from_ms: record.at_ms,
                    until_ms: self.until_ms,
                }),
                _ => {}
            }
        }
        spans
    }

    fn more_queues(&self, topic: TopicId, count: u16) -> Option<Change> {
        let names = &self.run.world.shared.names;
        let of = &names.topics[topic.index()].name;
        if count <= 1 {
            return instead(&self.run, |c| match c {
                Command::CreateTopic { name, read_queues, write_queues, .. } if name == of => {
                    (*read_queues, *write_queues) = (8, 8);
                    true
                }
                _ => false,
            });
        }
        instead(&self.run, |c| match c {
            Command::CreateProducer { selector, .. } if matches!(selector, Selector::Queue(_)) => {
                *selector = Selector::MessageGroup;
                true
            }
            _ => false,
        })
    }
}
