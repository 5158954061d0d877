//! Consumer offsets at the broker (`ConsumerOffsetManager`): recorded, asked for, written to disk,
//! reset.

use super::{next_tick, read::memory_bytes, Broker};
use crate::command::{Refusal, ResetTarget};
use crate::event::{BrokerTimer, Event};
use crate::fact::{Fact, ResetHow};
use crate::ids::{GroupId, MessageQueue, Ms};
use crate::model::{Model, Version};
use crate::search::{offset_by_time, TimeSearch};
use crate::shared::Shared;

/// RocketMQ's response codes of a reset.
pub mod code {
    /// SYSTEM_ERROR
    pub const SYSTEM_ERROR: i32 = 1;
    /// TOPIC_NOT_EXIST
    pub const TOPIC_NOT_EXIST: i32 = 17;
    /// SUBSCRIPTION_GROUP_NOT_EXIST
    pub const SUBSCRIPTION_GROUP_NOT_EXIST: i32 = 26;
    /// CONSUMER_NOT_ONLINE
    pub const CONSUMER_NOT_ONLINE: i32 = 206;
}

/// What a broker knows about a queue when a group begins.
#[derive(Clone, Copy, Debug)]
pub struct Beginning {
    /// Recorded offset (a pending reset counts).
    pub recorded: Option<i64>,
    /// Minimum offset.
    pub min: i64,
    /// Maximum offset.
    pub max: i64,
    /// Whether the message at offset 0 is still in memory.
    pub hot: bool,
}

/// What the broker answers to a consumer that asks for its offset; None = QUERY_NOT_FOUND (22).
/// A young queue answers 0 whatever the consumer's own rule is: before 5.1.0 an empty one as well.
/// Source: `ConsumerManageProcessor.queryConsumerOffset`.
pub fn answered_offset(version: Version, queue: Beginning) -> Option<i64> {
    let Beginning { recorded, min, max, hot } = queue;
    if recorded.is_some() {
        return recorded;
    }
    let young = if max == 0 { version < Version(5, 1, 0) } else { hot };
    (min <= 0 && young).then_some(0)
}

/// Whether a reset to an explicit offset is allowed: from the minimum to one behind the maximum.
///
/// # Errors
/// The broker's error otherwise. Source: `AdminBrokerProcessor.resetOffsetInner`.
pub fn check_reset_target(target: i64, (min, max): (i64, i64)) -> Result<(), Refusal> {
    if target < min || target > max + 1 {
        let text = format!("Target offset {target} not in consume queue range [{min}-{max}]");
        return Err(Refusal::Broker { code: code::SYSTEM_ERROR, text });
    }
    Ok(())
}

/// Which time search a model has.
pub fn time_search(model: &Model) -> TimeSearch {
    match model.time_search_lower_bound {
        0 => TimeSearch::Nearest,
        _ => TimeSearch::LowerBound,
    }
}

impl Broker {
    /// Whether the message at offset 0 of a queue is still in memory: the newest log that fits into
    /// the memory's share, unless the model's switch decides.
    pub fn is_head_hot(&self, model: &Model, queue: MessageQueue) -> bool {
        match model.offset_zero_in_memory {
            0 => false,
            1 => true,
            _ => {
                let first = self.store.at(queue, 0).map(|record| record.position);
                first.is_some_and(|at| self.store.end_position() - at <= memory_bytes(model))
            }
        }
    }

    /// The offset that the broker answers to a consumer that begins.
    pub fn query_offset(
        &self,
        shared: &Shared,
        group: GroupId,
        queue: MessageQueue,
    ) -> Option<i64> {
        let key = (group, queue);
        if let Some(offset) = self.pending_resets.get(&key).or_else(|| self.offsets.get(&key)) {
            return Some(*offset);
        }
        let (min, max) = self.store.range(queue);
        let hot = self.is_head_hot(&shared.model, queue);
        answered_offset(shared.model.version, Beginning { recorded: None, min, max, hot })
    }

    /// A client updates a consumer offset. While a reset is pending it is ignored.
    pub(super) fn update_offset(
        &mut self,
        shared: &mut Shared,
        group: GroupId,
        queue: MessageQueue,
        offset: i64,
    ) {
        if self.has_reset(group, queue) {
            let offset = offset.max(0) as u32;
            return shared.fact(Fact::OffsetUpdateIgnored { group, queue, offset });
        }
        self.commit_offset(shared, group, queue, offset);
    }

    /// The admin tool writes a consumer offset.
    pub(crate) fn write_offset(
        &mut self,
        shared: &mut Shared,
        group: GroupId,
        queue: MessageQueue,
        offset: i64,
    ) {
        self.commit_offset(shared, group, queue, offset);
    }

    /// Records a consumer offset, also downwards.
    pub(super) fn commit_offset(
        &mut self,
        shared: &mut Shared,
        group: GroupId,
        queue: MessageQueue,
        offset: i64,
    ) {
        if self.offsets.insert((group, queue), offset) == Some(offset) {
            return;
        }
        self.pop.idle.forget(group, queue);
        shared.fact(Fact::OffsetCommitted { group, queue, offset: offset as u32 });
        self.mark_offsets_dirty(shared);
    }

    /// Offsets changed: the next flush writes them.
    pub(super) fn mark_offsets_dirty(&mut self, shared: &mut Shared) {
        if self.flush_at_ms.is_none() {
            let model = &shared.model;
            let at_ms = next_tick(
                self.started_ms + model.flush_offset_initial_delay_ms,
                model.flush_consumer_offset_interval_ms,
                shared.now_ms,
            );
            self.flush_at_ms = Some(at_ms);
            shared.at(at_ms, Event::Broker(self.id, BrokerTimer::FlushOffsets));
        }
    }

    /// The offset that a search by time finds in a queue.
    pub fn offset_by_time(&self, model: &Model, queue: MessageQueue, time_ms: Ms) -> i64 {
        let (min, max) = self.store.range(queue);
        let store_ms = |offset| self.store.store_ms(queue, offset).unwrap_or(0);
        offset_by_time(time_search(model), (min, max), time_ms, store_ms)
    }

    /// Where a reset of a queue goes.
    ///
    /// # Errors
    /// An explicit offset outside the queue.
    pub fn reset_target(
        &self,
        model: &Model,
        queue: MessageQueue,
        target: ResetTarget,
    ) -> Result<i64, Refusal> {
        match target {
            ResetTarget::Latest => Ok(self.store.range(queue).1),
            ResetTarget::Time(at_ms) if at_ms < 0 => Ok(self.store.range(queue).1),
            ResetTarget::Time(at_ms) => Ok(self.offset_by_time(model, queue, at_ms)),
            ResetTarget::Offset(offset) => {
                check_reset_target(offset, self.store.range(queue)).map(|()| offset)
            }
        }
    }

    /// Sets a pending reset: queries answer it and updates are ignored until the next pull or POP of
    /// the queue takes it up. Source: `ConsumerOffsetManager.assignResetOffset`.
    pub fn assign_reset(
        &mut self,
        shared: &mut Shared,
        group: GroupId,
        queue: MessageQueue,
        offset: i64,
    ) {
        self.pending_resets.insert((group, queue), offset);
        let how = ResetHow::Pending;
        shared.fact(Fact::OffsetReset { group, queue, offset: offset as u32, how });
        self.commit_offset(shared, group, queue, offset);
    }

    /// True while a reset of the queue is pending (`hasOffsetReset`).
    pub fn has_reset(&self, group: GroupId, queue: MessageQueue) -> bool {
        !self.pending_resets.is_empty() && self.pending_resets.contains_key(&(group, queue))
    }

    /// Takes a pending reset up (`queryThenEraseResetOffset`); the caller answers with it.
    pub fn take_reset(
        &mut self,
        shared: &mut Shared,
        group: GroupId,
        queue: MessageQueue,
    ) -> Option<i64> {
        if self.pending_resets.is_empty() {
            return None;
        }
        let offset = self.pending_resets.remove(&(group, queue))?;
        shared.fact(Fact::ResetConsumed { group, queue, offset: offset as u32 });
        Some(offset)
    }

    /// The table that a legacy reset hands to the clients: every write queue of the topic needs a
    /// recorded offset; without force a queue only moves backwards.
    ///
    /// # Errors
    /// SYSTEM_ERROR without a recorded offset, CONSUMER_NOT_ONLINE without a member.
    /// Source: `Broker2Client.resetOffset`.
    pub fn legacy_reset_table(
        &self,
        shared: &Shared,
        group: GroupId,
        queues: impl Iterator<Item = MessageQueue>,
        target: ResetTarget,
        force: bool,
    ) -> Result<Vec<(MessageQueue, i64)>, Refusal> {
        let mut table = Vec::new();
        for queue in queues {
            let Some(current) = self.offsets.get(&(group, queue)).copied() else {
                let name = &shared.group(group).name;
                let text = format!("THe consumer group <{name}> not exist");
                return Err(Refusal::Broker { code: code::SYSTEM_ERROR, text });
            };
            let wanted = self.reset_target(&shared.model, queue, target)?.max(0);
            table.push((queue, if force { wanted } else { wanted.min(current) }));
        }
        if self.groups.get(&group).is_none_or(|members| members.0.is_empty()) {
            let text = format!(
                "Consumer not online, so can not reset offset, Group: {}",
                shared.group(group).name
            );
            return Err(Refusal::Broker { code: code::CONSUMER_NOT_ONLINE, text });
        }
        Ok(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_young_queue_answers_zero_whatever_the_consumer_wants() {
        let new = Version(5, 3, 3);
        let old = Version(4, 9, 8);
        let fresh = Beginning { recorded: None, min: 0, max: 500, hot: true };
        assert_eq!(answered_offset(new, fresh), Some(0));
        assert_eq!(answered_offset(new, Beginning { hot: false, ..fresh }), None);
        assert_eq!(answered_offset(new, Beginning { min: 100, ..fresh }), None);
        assert_eq!(answered_offset(new, Beginning { recorded: Some(7), ..fresh }), Some(7));
        let empty = Beginning { recorded: None, min: 0, max: 0, hot: false };
        assert_eq!(answered_offset(old, empty), Some(0));
        assert_eq!(answered_offset(new, empty), None);
    }

    #[test]
    fn a_reset_goes_from_the_minimum_to_one_behind_the_maximum() {
        let ok = [9, 10, 20, 21, 22].map(|o| check_reset_target(o, (10, 20)).is_ok());
        assert_eq!(ok, [false, true, true, true, false]);
        let text = "Target offset 2 not in consume queue range [0-0]".to_owned();
        assert_eq!(check_reset_target(2, (0, 0)), Err(Refusal::Broker { code: 1, text }));
    }
}
