//! What the stage needs to know of the past: how many messages waited in each queue for each
//! consumer group, what each group was ever given and gave up, since when a message fails, when a
//! consumer ended. Read once from the facts as they come, so that no projection has to look back.

use crate::fact::{Fact, FactRecord};
use crate::ids::{ClientId, GroupId, MessageQueue, Ms, MsgId, ProducerId};
use crate::pop::PopFact;

/// Changes within this time share one sample.
pub const SAMPLE_MS: Ms = 500;

/// Messages waiting from which on a strip is darker; the last step has no end.
pub const STEPS: [i64; 6] = [0, 10, 50, 100, 200, 500];

/// A stretch of equal darkness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Beginning.
    pub from_ms: Ms,
    /// End.
    pub until_ms: Ms,
    /// Place in [`STEPS`].
    pub step: usize,
}

/// The step that so many waiting messages are in.
pub fn step(waiting: i64) -> usize {
    STEPS.partition_point(|from| *from <= waiting).saturating_sub(1)
}

/// Next offset of a group and its samples: instant and what waited from then on.
#[derive(Clone, Debug, Default)]
struct Track {
    next: i64,
    samples: Vec<(Ms, i64)>,
}

/// The past of a run, as the stage needs it.
#[derive(Clone, Debug, Default)]
pub struct History {
    seen: usize,
    generation: u32,
    failing: Table<(MessageQueue, MsgId), Ms>,
    ended: Table<ClientId, Ms>,
    max: Table<MessageQueue, i64>,
    tracks: Table<(GroupId, MessageQueue), Track>,
    delivered: Table<(GroupId, MessageQueue), Firsts>,
    dead: Table<(GroupId, MsgId), Ms>,
    failed: Table<ProducerId, Vec<Ms>>,
    refused: Table<ProducerId, Vec<Ms>>,
}

/// By offset, the instant of the first delivery; [`Ms::MAX`] where there was none.
#[derive(Clone, Debug, Default)]
struct Firsts(Vec<Ms>);

/// A small sorted table. Most of its entries come in their order.
#[derive(Clone, Debug)]
struct Table<K, V>(Vec<(K, V)>);

impl<K, V> Default for Table<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Ord + Copy, V: Default> Table<K, V> {
    fn get(&self, key: K) -> Option<&V> {
        let place = self.0.binary_search_by(|(k, _)| k.cmp(&key)).ok()?;
        self.0.get(place).map(|(_, value)| value)
    }

    /// The entry of a key, made when it is new.
    fn entry(&mut self, key: K) -> &mut V {
        let place = match self.0.binary_search_by(|(k, _)| k.cmp(&key)) {
            Ok(place) => place,
            Err(place) => {
                self.0.insert(place, (key, V::default()));
                place
            }
        };
        &mut self.0[place].1
    }
}

impl History {
    /// Reads the facts that are new. Another generation starts anew.
    pub fn update(
        &mut self,
        facts: &[FactRecord],
        generation: u32,
        group_of: &dyn Fn(ClientId) -> Option<GroupId>,
    ) {
        if generation != self.generation || facts.len() < self.seen {
            *self = Self { generation, ..Self::default() };
        }
        for record in facts.get(self.seen..).unwrap_or_default() {
            self.observe(record, group_of);
        }
        self.seen = facts.len();
    }

    fn observe(&mut self, record: &FactRecord, group_of: &dyn Fn(ClientId) -> Option<GroupId>) {
        match record.fact {
            Fact::MessageStored { queue, offset, .. } => {
                let max = i64::from(offset) + 1;
                *self.max.entry(queue) = max;
                // Where a broker lost the end of a queue, offsets are given out anew.
                for ((_, q), Firsts(firsts)) in &mut self.delivered.0 {
                    if let Some(first) = firsts.get_mut(offset as usize).filter(|_| *q == queue) {
                        *first = Ms::MAX;
                    }
                }
                for ((_, q), track) in &mut self.tracks.0 {
                    if *q == queue {
                        track.sample(record.at_ms, max);
                    }
                }
            }
            Fact::QueueAdded { client, queue, offset } => {
                self.consumed(record.at_ms, group_of(client), queue, i64::from(offset), true);
            }
            Fact::MessageAcknowledged { client, queue, offset, .. } => {
                self.consumed(record.at_ms, group_of(client), queue, i64::from(offset) + 1, false);
            }
            Fact::HandlingStarted { client, queue, offset, .. } => {
                self.given(record.at_ms, group_of(client), queue, offset);
            }
            Fact::SendFailed { producer, reason, .. } => {
                self.failed.entry(producer).push(record.at_ms);
                if reason.is_by_proxy() {
                    self.refused.entry(producer).push(record.at_ms);
                }
            }
            Fact::DeadLettered { group, msg, .. } => {
                *self.dead.entry((group, msg)) = record.at_ms;
            }
            Fact::QueueSuspended { queue, msg, failures: 1, .. } => {
                *self.failing.entry((queue, msg)) = record.at_ms;
            }
            Fact::Pop(fact) => self.observe_pop(record.at_ms, &fact),
            Fact::ConsumerStopped { client, .. } => {
                *self.ended.entry(client) = record.at_ms;
            }
            _ => {}
        }
    }

    fn observe_pop(&mut self, at_ms: Ms, fact: &PopFact) {
        match *fact {
            PopFact::PopOffsetChosen { group, queue, offset } => {
                self.consumed(at_ms, Some(group), queue, i64::from(offset), true);
            }
            PopFact::Popped { group, queue, offset, .. } => {
                self.given(at_ms, Some(group), queue, offset);
            }
            PopFact::AttemptFailed { queue, msg, attempt: 0 | 1, .. } => {
                *self.failing.entry((queue, msg)) = at_ms;
            }
            _ => {}
        }
    }

    /// When a message failed for the first time in a queue.
    pub fn failing_since(&self, queue: MessageQueue, msg: MsgId) -> Option<Ms> {
        self.failing.get((queue, msg)).copied()
    }

    /// When a consumer ended or stood still.
    pub fn ended_at(&self, client: ClientId) -> Option<Ms> {
        self.ended.get(client).copied()
    }

    fn given(&mut self, at_ms: Ms, group: Option<GroupId>, queue: MessageQueue, offset: u32) {
        let Some(group) = group else { return };
        let Firsts(firsts) = self.delivered.entry((group, queue));
        let place = offset as usize;
        if firsts.len() <= place {
            firsts.resize(place + 1, Ms::MAX);
        }
        firsts[place] = firsts[place].min(at_ms);
    }

    /// Whether the record at an offset was delivered to a group, up to an instant.
    pub fn was_delivered(
        &self,
        group: GroupId,
        (queue, offset): (MessageQueue, i64),
        now_ms: Ms,
    ) -> bool {
        let firsts = self.delivered.get((group, queue));
        let first = firsts.zip(usize::try_from(offset).ok()).and_then(|(f, at)| f.0.get(at));
        first.is_some_and(|first_ms| *first_ms <= now_ms)
    }

    /// Whether a message was a dead letter of a group at an instant.
    pub fn is_dead(&self, group: GroupId, msg: MsgId, now_ms: Ms) -> bool {
        self.dead.get((group, msg)).is_some_and(|at_ms| *at_ms <= now_ms)
    }

    /// How many messages a producer could not send, up to an instant.
    pub fn failed(&self, producer: ProducerId, now_ms: Ms) -> u32 {
        let failed = self.failed.get(producer);
        failed.map_or(0, |all| all.partition_point(|at_ms| *at_ms <= now_ms) as u32)
    }

    /// How many of these a proxy has refused.
    pub fn refused(&self, producer: ProducerId, now_ms: Ms) -> u32 {
        let refused = self.refused.get(producer);
        refused.map_or(0, |all| all.partition_point(|at_ms| *at_ms <= now_ms) as u32)
    }

    fn consumed(
        &mut self,
        at_ms: Ms,
        group: Option<GroupId>,
        queue: MessageQueue,
        next: i64,
        again: bool,
    ) {
        let Some(group) = group else { return };
        let max = self.max.get(queue).copied().unwrap_or(0);
        let track = self.tracks.entry((group, queue));
        track.next = if again { next } else { track.next.max(next) };
        track.sample(at_ms, max);
    }

    /// Stretches of equal darkness between two instants, the darkest of each sample.
    pub fn runs(&self, group: GroupId, queue: MessageQueue, from_ms: Ms, until_ms: Ms) -> Vec<Run> {
        let Some(track) = self.tracks.get((group, queue)) else { return Vec::new() };
        let first = track.samples.partition_point(|(at, _)| *at <= from_ms).saturating_sub(1);
        let samples = track.samples.get(first..).unwrap_or_default();
        let mut runs: Vec<Run> = Vec::new();
        for (i, (at_ms, waiting)) in samples.iter().enumerate() {
            let end = samples.get(i + 1).map_or(until_ms, |(at, _)| *at).min(until_ms);
            let begin = (*at_ms).max(from_ms);
            if begin >= end {
                continue;
            }
            let step = step(*waiting);
            match runs.last_mut() {
                Some(last) if last.step == step && last.until_ms == begin => last.until_ms = end,
                _ => runs.push(Run { from_ms: begin, until_ms: end, step }),
            }
        }
        runs.retain(|run| run.step > 0);
        runs
    }
}

impl Track {
    fn sample(&mut self, at_ms: Ms, max: i64) {
        let waiting = (max - self.next).max(0);
        match self.samples.last_mut() {
            Some((at, last)) if *at / SAMPLE_MS == at_ms / SAMPLE_MS => *last = waiting,
            Some((_, last)) if *last == waiting => {}
            _ => self.samples.push((at_ms, waiting)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::StoredKind;
    use crate::ids::{BrokerId, TopicId};

    const QUEUE: MessageQueue = MessageQueue { topic: TopicId(2), broker: BrokerId(0), id: 1 };

    fn at(at_ms: Ms, fact: Fact) -> FactRecord {
        FactRecord { at_ms, event: 1, fact }
    }

    fn stored(at_ms: Ms, offset: u32) -> FactRecord {
        at(
            at_ms,
            Fact::MessageStored { msg: MsgId(0), queue: QUEUE, offset, kind: StoredKind::Sent },
        )
    }

    #[test]
    fn strips_grow_dark_and_light_again() {
        let added = at(0, Fact::QueueAdded { client: ClientId(0), queue: QUEUE, offset: 0 });
        let mut facts = vec![added];
        facts.extend((0..60).map(|i| stored(1_000 + i64::from(i) * 100, i)));
        let ack = |at_ms, offset| {
            at(
                at_ms,
                Fact::MessageAcknowledged {
                    client: ClientId(0),
                    queue: QUEUE,
                    offset,
                    msg: MsgId(0),
                },
            )
        };
        facts.push(ack(9_000, 59));
        let mut history = History::default();
        history.update(&facts, 1, &|_| Some(GroupId(0)));
        let runs = history.runs(GroupId(0), QUEUE, 0, 20_000);
        let steps: Vec<usize> = runs.iter().map(|run| run.step).collect();
        assert_eq!(steps, [1, 2]);
        assert_eq!(runs.last().map(|run| run.until_ms), Some(9_000));
        assert!(history.runs(GroupId(1), QUEUE, 0, 20_000).is_empty());
        // Another generation knows nothing of it.
        history.update(&[], 2, &|_| None);
        assert!(history.runs(GroupId(0), QUEUE, 0, 20_000).is_empty());
    }

    #[test]
    fn steps_begin_where_the_design_says() {
        assert_eq!(
            [0, 9, 10, 49, 50, 100, 200, 499, 500, 9_999].map(step),
            [0, 0, 1, 1, 2, 3, 4, 4, 5, 5]
        );
    }
}
