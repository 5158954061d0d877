//! POP without order: checkpoints, and the service that copies what was not acknowledged to the
//! retry topic (`PopReviveService`).

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{Broker, PollKey};
use crate::event::{BrokerTimer, Event};
use crate::fact::{Fact, StoredKind};
use crate::grpc::{Handle, PopRequest, PopTimer};
use crate::ids::{GroupId, MessageQueue, Ms};
use crate::message::Record;
use crate::pop::{PopFact, Wake};
use crate::shared::Shared;

/// Waits before a checkpoint whose copy could not be stored is looked at again, in seconds. Source:
/// `PopReviveService.ckRewriteIntervalsInSeconds`.
pub const REWRITE_INTERVALS_S: [Ms; 17] =
    [10, 20, 30, 60, 120, 180, 240, 300, 360, 420, 480, 540, 600, 1_200, 1_800, 3_600, 7_200];

/// Names a checkpoint: group, queue, first offset, pop time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CheckpointKey {
    /// Consumer group.
    pub group: GroupId,
    /// Queue.
    pub queue: MessageQueue,
    /// First offset.
    pub start_offset: i64,
    /// Pop time.
    pub pop_ms: Ms,
}

/// A checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Checkpoint {
    /// Invisible time.
    pub invisible_ms: Ms,
    /// Offsets that are not acknowledged.
    pub open: Vec<i64>,
    /// How often a copy could not be stored.
    pub rewritten: u8,
    /// How much later than its times say it is due, in ms: the broker's clock was set since.
    pub shifted_ms: Ms,
}

impl Checkpoint {
    fn new(invisible_ms: Ms, open: Vec<i64>) -> Self {
        Self { invisible_ms, open, rewritten: 0, shifted_ms: 0 }
    }

    /// When its messages are visible again (`getReviveTime`), by the run's clock.
    pub fn revive_ms(&self, key: CheckpointKey) -> Ms {
        key.pop_ms + self.invisible_ms + self.shifted_ms
    }

    /// The checkpoint that follows when the copy of a message could not be stored; None when it was
    /// tried often enough and the broker is told to give up then (`rePutCK`).
    pub fn rewrite(&self, offset: i64, give_up: bool) -> Option<Self> {
        let times = usize::from(self.rewritten);
        if times >= REWRITE_INTERVALS_S.len() && give_up {
            return None;
        }
        let interval_s = REWRITE_INTERVALS_S[times.min(REWRITE_INTERVALS_S.len() - 1)];
        Some(Self {
            invisible_ms: self.invisible_ms + interval_s * 1_000,
            open: vec![offset],
            rewritten: self.rewritten.saturating_add(1),
            shifted_ms: self.shifted_ms,
        })
    }
}

/// All checkpoints of a broker. Two of one name, a batch and a message of it whose invisible time was
/// changed in the instant of the POP, differ in when they are due.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Checkpoints {
    table: BTreeMap<(CheckpointKey, Ms), Rc<Checkpoint>>,
    due: BTreeMap<Ms, Vec<CheckpointKey>>,
    armed_ms: Option<Ms>,
}

impl Checkpoints {
    /// All of them, in order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = (&CheckpointKey, &Checkpoint)> {
        self.table.iter().map(|((key, _), point)| (key, &**point))
    }

    /// Notes an acknowledgement; false when no checkpoint knows the delivery.
    pub fn ack(&mut self, group: GroupId, handle: &Handle) -> bool {
        let Handle { queue, start_offset, pop_ms, offset, .. } = *handle;
        let key = CheckpointKey { group, queue, start_offset, pop_ms };
        let mut named = self.table.range_mut((key, Ms::MIN)..=(key, Ms::MAX));
        let Some((name, point)) = named.find(|(_, point)| point.open.contains(&offset)) else {
            return false;
        };
        let name = *name;
        let point = Rc::make_mut(point);
        point.open.retain(|open| *open != offset);
        if point.open.is_empty() {
            self.table.remove(&name);
        }
        true
    }

    fn add(&mut self, key: CheckpointKey, mut point: Checkpoint) {
        let due_ms = point.revive_ms(key);
        if let Some(before) = self.table.get(&(key, due_ms)) {
            point.open.extend_from_slice(&before.open);
            point.open.sort_unstable();
            point.open.dedup();
        } else {
            self.due.entry(due_ms).or_default().push(key);
        }
        self.table.insert((key, due_ms), Rc::new(point));
    }

    /// Makes all of them due earlier (negative) or later: the broker's clock was set.
    pub(super) fn shift(&mut self, by_ms: Ms) {
        let before = std::mem::take(self);
        for ((key, _), mut point) in before.table {
            Rc::make_mut(&mut point).shifted_ms += by_ms;
            self.add(key, Rc::unwrap_or_clone(point));
        }
    }

    /// The revive timer is gone with the broker's memory.
    pub(super) fn forget_timer(&mut self) {
        self.armed_ms = None;
    }
}

impl Broker {
    pub(super) fn add_checkpoint(
        &mut self,
        shared: &mut Shared,
        request: &PopRequest,
        queue: MessageQueue,
        start_offset: i64,
        open: Vec<i64>,
    ) {
        let pop_ms = shared.now_ms;
        let key = CheckpointKey { group: request.group, queue, start_offset, pop_ms };
        self.pop.checkpoints.add(key, Checkpoint::new(request.invisible_ms, open));
        self.arm_revive(shared);
    }

    pub(super) fn add_single_checkpoint(
        &mut self,
        shared: &mut Shared,
        group: GroupId,
        handle: &Handle,
    ) {
        let Handle { queue, start_offset, pop_ms, offset, .. } = *handle;
        let key = CheckpointKey { group, queue, start_offset, pop_ms };
        self.pop.checkpoints.add(key, Checkpoint::new(handle.invisible_ms, vec![offset]));
        self.arm_revive(shared);
    }

    /// Schedules the look of the revive service that will find the next checkpoint due.
    pub(super) fn arm_revive(&mut self, shared: &mut Shared) {
        let Some(revive_ms) = self.pop.checkpoints.due.keys().next().copied() else { return };
        let model = &shared.model;
        let period_ms = model.revive_scan_ms.max(1);
        let after_ms = (revive_ms + model.revive_wait_ms).max(shared.now_ms) - self.started_ms;
        let at_ms = self.started_ms + (after_ms.div_euclid(period_ms) + 1) * period_ms;
        if self.pop.checkpoints.armed_ms.is_none_or(|armed_ms| armed_ms > at_ms) {
            self.pop.checkpoints.armed_ms = Some(at_ms);
            shared.at(at_ms, Event::Broker(self.id, BrokerTimer::Pop(PopTimer::Revive)));
        }
    }

    /// The revive service looks.
    pub(super) fn on_revive(&mut self, shared: &mut Shared) {
        if self.pop.checkpoints.armed_ms != Some(shared.now_ms) {
            return;
        }
        self.pop.checkpoints.armed_ms = None;
        let wait_ms = shared.model.revive_wait_ms;
        while let Some(first) = self.pop.checkpoints.due.first_entry() {
            let due_ms = *first.key();
            if shared.now_ms - due_ms <= wait_ms {
                break;
            }
            for key in first.remove() {
                if let Some(point) = self.pop.checkpoints.table.remove(&(key, due_ms)) {
                    self.revive(shared, key, &point);
                }
            }
        }
        self.arm_revive(shared);
    }

    fn revive(&mut self, shared: &mut Shared, key: CheckpointKey, point: &Checkpoint) {
        for offset in &point.open {
            // A message that retention deleted is not copied.
            let Some(record) = self.store.at(key.queue, *offset).copied() else { continue };
            if self.refuses_writes() {
                if let Some(again) = point.rewrite(*offset, true) {
                    let key = CheckpointKey { start_offset: *offset, ..key };
                    self.pop.checkpoints.add(key, again);
                }
                continue;
            }
            let topic = shared.pop_retry_topic_or_new(key.group, key.queue.topic);
            let queue = MessageQueue { topic, broker: self.id, id: 0 };
            // The copy is read from its beginning (`initPopRetryOffset`).
            if !self.offsets.contains_key(&(key.group, queue)) {
                self.commit_offset(shared, key.group, queue, 0);
            }
            let copy = Record {
                topic,
                queue: 0,
                real: (topic, 0),
                reconsume_times: record.reconsume_times.saturating_add(1),
                ..record
            };
            let offset = self.store_record(shared, copy, StoredKind::Retry) as u32;
            let (group, msg) = (key.group, record.msg);
            shared.fact(Fact::Pop(PopFact::Revived { group, queue, offset, msg }));
            if shared.model.pop_revive_notifies == 1 {
                let topic = shared.names.normal_topic(key.queue.topic);
                self.wake(shared, PollKey { topic, group, queue: -1 }, Wake::Arrival);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{BrokerId, TopicId};

    #[test]
    fn a_copy_that_cannot_be_stored_is_tried_again_later_and_later() {
        let queue = MessageQueue { topic: TopicId(2), broker: BrokerId(0), id: 0 };
        let key = CheckpointKey { group: GroupId(0), queue, start_offset: 0, pop_ms: 0 };
        let point = Checkpoint::new(1_000, vec![0]);
        let again = point.rewrite(0, true).unwrap();
        assert_eq!((again.revive_ms(key), again.rewritten), (11_000, 1));
        let last = Checkpoint { rewritten: 17, ..point };
        assert_eq!(last.rewrite(0, true), None);
        assert_eq!(last.rewrite(0, false).unwrap().invisible_ms, 7_201_000);
    }
}
