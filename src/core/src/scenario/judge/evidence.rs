//! What is known of a run, and the facts in the words of the expectations.

use std::collections::BTreeMap;

use crate::check::Violation;
use crate::command::Label;
use crate::fact::{Fact, FactRecord};
use crate::ids::{BrokerId, ClientId, GroupId, MessageQueue, Ms, MsgId, Party};
use crate::scenario::condition::{Filter, QueueName};
use crate::scenario::events::{MessageEvent, Reason};
use crate::scenario::span::{Name, Spanned};
use crate::session::Session;
use crate::world::World;

/// What is known of a run.
#[derive(Clone, Copy)]
pub struct Evidence<'a> {
    /// What happened, in order.
    pub facts: &'a [FactRecord],
    /// Guarantees that were broken.
    pub violations: &'a [Violation],
    /// The system, for its names and messages.
    pub world: &'a World,
    /// How far the run has come, in ms.
    pub now_ms: Ms,
    /// Whether nothing more will happen.
    pub ended: bool,
}

/// A message event with its circumstances.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Circumstances {
    pub queue: Option<MessageQueue>,
    pub client: Option<ClientId>,
    pub group: Option<GroupId>,
    pub offset: Option<u32>,
    pub attempt: Option<u32>,
    pub level: Option<u8>,
    pub reason: Option<Reason>,
    pub code: Option<i64>,
    pub until_ms: Option<Ms>,
}

impl<'a> Evidence<'a> {
    /// The evidence of a session up to its present, which stands at `now_ms`.
    pub fn of(session: &'a Session, now_ms: Ms, ended: bool) -> Self {
        Self {
            facts: session.facts(),
            violations: session.violations(),
            world: session.world(),
            now_ms,
            ended,
        }
    }

    /// Whether everything of an instant has happened.
    pub(super) fn past(&self, at_ms: Ms) -> bool {
        self.ended || self.now_ms > at_ms
    }

    /// The group of a consumer process.
    pub(super) fn group_of(&self, client: ClientId) -> Option<GroupId> {
        self.world.clients.get(client.index()).map(|c| c.group())
    }

    /// The messages of a label: more than one when the label was used again.
    pub(super) fn labelled<'l>(
        &self,
        labels: impl Iterator<Item = &'l Label>,
    ) -> BTreeMap<MsgId, Label> {
        let wanted: std::collections::BTreeSet<&Label> = labels.collect();
        let names = &self.world.shared.names.series;
        let mut found = BTreeMap::new();
        for (index, message) in self.world.shared.messages.iter().enumerate() {
            let Some(series) = names.get(message.series.index()) else { continue };
            let label = Label { series: series.name.clone(), number: message.number };
            if wanted.contains(&label) {
                found.insert(MsgId(index as u32), label);
            }
        }
        found
    }

    /// All facts that are this event and pass the filter, with their messages.
    pub(super) fn occurrences(&self, event: MessageEvent, filter: &Filter) -> Vec<(usize, MsgId)> {
        let filter = self.resolve(filter);
        let mut attempts: BTreeMap<(ClientId, MsgId), u32> = BTreeMap::new();
        let mut found = Vec::new();
        for (index, record) in self.facts.iter().enumerate() {
            if let Fact::HandlingStarted { client, msg, attempt, .. } = record.fact {
                attempts.insert((client, msg), attempt);
            }
            let Some((what, msg, mut of)) = self.message_event(&record.fact) else { continue };
            if what != event {
                continue;
            }
            if let (Some(client), None) = (of.client, of.attempt) {
                of.attempt = attempts.get(&(client, msg)).copied();
            }
            if let Fact::MessageStored { queue, .. } = record.fact {
                let own = self.world.shared.message(msg).topic == queue.topic;
                if !own && filter.queue.is_none() {
                    continue;
                }
            }
            if self.passes(&filter, &of) {
                found.push((index, msg));
            }
        }
        found
    }
}

/// A filter with its names looked up. A name that does not exist (yet) matches nothing.
pub(super) struct Wanted<'f> {
    pub queue: Option<Option<MessageQueue>>,
    group: Option<Option<GroupId>>,
    client: Option<&'f str>,
    offset: Option<u32>,
    attempt: Option<u32>,
    broker: Option<Option<BrokerId>>,
    level: Option<u8>,
    reason: Option<Reason>,
    code: Option<i64>,
    until_ms: Option<Ms>,
}

impl Evidence<'_> {
    pub(super) fn resolve<'f>(&self, filter: &'f Filter) -> Wanted<'f> {
        Wanted {
            queue: filter.queue.as_ref().map(|queue| self.queue_named(queue)),
            group: filter.group.as_ref().map(|group| self.group_named(group)),
            client: filter.client.as_ref().map(|name| name.value.as_str()),
            offset: filter.offset,
            attempt: filter.attempt,
            broker: filter.broker.as_ref().map(|b| self.world.shared.names.broker(&b.value)),
            level: filter.level,
            reason: filter.reason,
            code: filter.code,
            until_ms: filter.until_ms,
        }
    }

    pub(super) fn passes(&self, wanted: &Wanted<'_>, of: &Circumstances) -> bool {
        fn is<T: PartialEq>(wanted: Option<T>, found: Option<T>) -> bool {
            wanted.is_none() || wanted == found
        }
        let client = |name: &str| of.client.is_some_and(|c| self.is_client(c, name));
        wanted.queue.is_none_or(|queue| queue.is_some() && queue == of.queue)
            && wanted.group.is_none_or(|group| group.is_some() && group == of.group)
            && wanted.client.is_none_or(client)
            && is(wanted.offset, of.offset)
            && is(wanted.attempt, of.attempt)
            && is(wanted.level, of.level)
            && is(wanted.reason, of.reason)
            && is(wanted.code, of.code)
            && is(wanted.until_ms, of.until_ms)
            && wanted.broker.is_none_or(|b| b.is_some() && b == of.queue.map(|q| q.broker))
    }

    /// Whether a consumer process has this name; a restarted one is another process of the same name.
    pub(super) fn is_client(&self, client: ClientId, name: &str) -> bool {
        self.world.shared.names.clients.get(client.index()).is_some_and(|n| n == name)
    }

    /// A queue by the names of a scenario, on the first broker when none is named.
    pub(super) fn queue_named(&self, queue: &QueueName) -> Option<MessageQueue> {
        let names = &self.world.shared.names;
        let topic = names.topic(&queue.topic.as_ref()?.value)?;
        let broker = match &queue.broker {
            Some(broker) => names.broker(&broker.value)?,
            None => BrokerId(0),
        };
        Some(MessageQueue { topic, broker, id: queue.id.value })
    }

    /// Whether a party has this name.
    pub(super) fn is_party(&self, party: Party, name: &str) -> bool {
        self.world.shared.names.party_name(party) == name
    }

    pub(super) fn group_named(&self, group: &Name) -> Option<GroupId> {
        self.world.shared.names.group(&group.value)
    }

    /// The place of the first fact that is this event of this message.
    pub(super) fn first(&self, label: &Spanned<Label>, event: MessageEvent) -> Option<usize> {
        let messages = self.labelled(std::iter::once(&label.value));
        let all = self.occurrences(event, &Filter::default());
        all.into_iter().find(|(_, msg)| messages.contains_key(msg)).map(|(index, _)| index)
    }

    /// The last facts about a message that are events, at most `count`.
    pub(super) fn last_about(&self, messages: &BTreeMap<MsgId, Label>, count: usize) -> Vec<usize> {
        let about = |record: &FactRecord| {
            self.message_event(&record.fact).is_some_and(|(_, msg, _)| messages.contains_key(&msg))
        };
        let mut last: Vec<usize> = (0..self.facts.len())
            .rev()
            .filter(|index| about(&self.facts[*index]))
            .take(count)
            .collect();
        last.reverse();
        last
    }
}
