//! What leaves the store: segments that retention deletes (`CleanCommitLogService`), and the tail
//! that was not on the disk when the machine died.
//!
//! The cleaner runs every 10 s; only a run that will delete something is scheduled.

use super::transaction::is_op;
use super::{next_tick, Broker};
use crate::event::{BrokerTimer, Event};
use crate::fact::{DeleteReason, Fact};
use crate::ids::{MessageQueue, Ms, RecordId};
use crate::model::Model;
use crate::shared::Shared;

const HOUR_MS: Ms = 3_600_000;
const DAY_MS: Ms = 24 * HOUR_MS;
/// `MappedFile.OS_PAGE_SIZE`
const PAGE_BYTES: i64 = 4_096;

/// Whether it is the hour in which expired segments are deleted; `wall_ms` counts from the run's
/// beginning.
pub fn is_delete_hour(model: &Model, wall_ms: Ms) -> bool {
    let of_day = (wall_ms + model.start_time_of_day_ms).rem_euclid(DAY_MS);
    of_day / HOUR_MS == model.delete_when_h.rem_euclid(24)
}

/// First instant at or after `wall_ms` that lies in that hour.
pub fn next_delete_hour_ms(model: &Model, wall_ms: Ms) -> Ms {
    if is_delete_hour(model, wall_ms) {
        return wall_ms;
    }
    let of_day = (wall_ms + model.start_time_of_day_ms).rem_euclid(DAY_MS);
    let begin = model.delete_when_h.rem_euclid(24) * HOUR_MS;
    wall_ms + (begin - of_day).rem_euclid(DAY_MS)
}

/// Whether and why the oldest of several segments may go.
/// Source: `DefaultMessageStore.CleanCommitLogService`, `MappedFileQueue.deleteExpiredFileByTime`.
pub fn delete_reason(
    model: &Model,
    modified_ms: Ms,
    wall_ms: Ms,
    disk_used_percent: i64,
) -> Option<DeleteReason> {
    if disk_used_percent > model.disk_space_clean_forcibly_ratio_percent {
        return Some(DeleteReason::DiskFull);
    }
    if wall_ms < modified_ms + model.file_reserved_time_h * HOUR_MS {
        return None;
    }
    if is_delete_hour(model, wall_ms) {
        Some(DeleteReason::Expired)
    } else {
        (disk_used_percent > model.disk_max_used_space_ratio_percent)
            .then_some(DeleteReason::DiskFilling)
    }
}

impl Broker {
    /// Schedules the first run of the cleaner that will delete a segment.
    pub(crate) fn schedule_clean(&mut self, shared: &mut Shared) {
        self.clean_at_ms = None;
        if !self.up || self.store.segments().len() < 2 {
            return;
        }
        let Some(oldest) = self.store.segments().next().copied() else { return };
        let model = &shared.model;
        let first_ms = self.started_ms + model.clean_resource_initial_delay_ms;
        let tick = |at_ms| next_tick(first_ms, model.clean_resource_interval_ms, at_ms);
        let used = i64::from(self.disk_used_percent);
        let expired_ms =
            oldest.modified_ms + model.file_reserved_time_h * HOUR_MS - self.clock_ahead_ms;
        let mut at_ms = tick(shared.now_ms.max(expired_ms));
        if used > model.disk_space_clean_forcibly_ratio_percent {
            at_ms = tick(shared.now_ms);
        } else if used <= model.disk_max_used_space_ratio_percent {
            // The tick behind the beginning of an hour may lie behind its end if ticks are rare.
            for _ in 0..3 {
                let wall_ms = at_ms + self.clock_ahead_ms;
                at_ms = tick(next_delete_hour_ms(model, wall_ms) - self.clock_ahead_ms);
            }
        }
        self.clean_at_ms = Some(at_ms);
        shared.at(at_ms, Event::Broker(self.id, BrokerTimer::Clean));
    }

    /// A run of the cleaner: the oldest segments go, then the minimum offsets rise.
    pub(super) fn on_clean(&mut self, shared: &mut Shared) {
        if self.clean_at_ms != Some(shared.now_ms) {
            return;
        }
        let used = i64::from(self.disk_used_percent);
        let wall_ms = self.wall_ms(shared);
        for _ in 0..shared.model.delete_file_batch_max {
            let Some(oldest) = self.store.segments().next().copied() else { break };
            let Some(reason) = delete_reason(&shared.model, oldest.modified_ms, wall_ms, used)
            else {
                break;
            };
            let gone = self.store.records().take(oldest.records as usize);
            let facts: Vec<Fact> = gone
                .filter(|(_, record)| !is_op(record))
                .map(|(_, r)| {
                    let queue = MessageQueue { topic: r.topic, broker: self.id, id: r.queue };
                    Fact::MessageDeleted { msg: r.msg, queue, offset: r.offset as u32 }
                })
                .collect();
            let Some(segment) = self.store.delete_oldest_segment() else { break };
            let messages = segment.records;
            shared.fact(Fact::SegmentDeleted { broker: self.id, messages, reason });
            shared.facts.extend(facts);
        }
        for (topic, id, _, min) in self.store.correct_min_offsets() {
            let queue = MessageQueue { topic, broker: self.id, id };
            shared.fact(Fact::MinOffsetRaised { queue, min: min as u32 });
        }
        self.forget_deleted_halves();
        self.clean_at_ms = None;
        let now_ms = shared.now_ms;
        shared.now_ms = now_ms + 1;
        self.schedule_clean(shared);
        shared.now_ms = now_ms;
    }

    /// Number of records that a disk holds at this instant: the flush runs every 500 ms, waits for
    /// four pages, and after 10 s no longer. Source: `CommitLog.FlushRealTimeService`.
    pub fn flushed_records(&self, shared: &Shared) -> u32 {
        let model = &shared.model;
        let period = model.flush_interval_commit_log_ms.max(1);
        // What was deleted had been on the disk.
        let kept = self.store.segments().next().map_or(0, |segment| segment.first.0);
        let durable = self.durable_records.max(kept);
        let (mut written, mut flushed) = (durable, durable);
        let begin = |id: u32| self.store.record(RecordId(id)).map(|r| r.position);
        let mut written_bytes = begin(written).unwrap_or(self.store.end_position());
        let mut flushed_bytes = written_bytes;
        let mut thorough_ms = Ms::MIN / 2;
        let mut at_ms = self.started_ms + period;
        while at_ms <= shared.now_ms {
            while let Some(record) = self.store.record(RecordId(written)) {
                if record.store_ms - self.clock_ahead_ms >= at_ms {
                    break;
                }
                written += 1;
                written_bytes = record.position + i64::from(record.bytes);
            }
            let thorough = at_ms >= thorough_ms + model.flush_commit_log_thorough_interval_ms;
            if thorough {
                thorough_ms = at_ms;
            }
            let pages = written_bytes / PAGE_BYTES - flushed_bytes / PAGE_BYTES;
            if thorough || pages >= model.flush_commit_log_least_pages {
                (flushed, flushed_bytes) = (written, written_bytes);
            }
            at_ms += period;
        }
        flushed
    }

    /// The machine dies: what was not flushed is gone.
    pub(super) fn lose_unflushed(&mut self, shared: &mut Shared) {
        let keep = RecordId(self.flushed_records(shared));
        for record in self.store.truncate(keep).into_iter().filter(|record| !is_op(record)) {
            let queue = MessageQueue { topic: record.topic, broker: self.id, id: record.queue };
            let offset = record.offset as u32;
            shared.fact(Fact::MessageLost { msg: record.msg, queue, offset });
        }
        self.delay.wheel_again.retain(|(_, id)| *id < keep);
        self.delay.wheel.retain(|_, ids| {
            ids.retain(|id| *id < keep);
            !ids.is_empty()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Version;

    #[test]
    fn expired_segments_wait_for_their_hour_unless_the_disk_fills() {
        let model = Model::of(Version(5, 3, 3));
        let at = |hour: Ms| hour * HOUR_MS;
        let reason = |wall_ms, used| delete_reason(&model, 0, wall_ms, used);
        assert_eq!(reason(at(76), 10), Some(DeleteReason::Expired));
        assert_eq!(reason(at(77), 10), None);
        assert_eq!(reason(at(77), 75), None);
        assert_eq!(reason(at(77), 76), Some(DeleteReason::DiskFilling));
        assert_eq!(reason(at(71), 85), None);
        assert_eq!(reason(at(1), 86), Some(DeleteReason::DiskFull));
        assert_eq!(reason(at(72), 80), Some(DeleteReason::DiskFilling));
    }

    #[test]
    fn the_hour_comes_once_a_day() {
        let model = Model::of(Version(5, 3, 3));
        assert_eq!(next_delete_hour_ms(&model, 0), 4 * HOUR_MS);
        assert_eq!(next_delete_hour_ms(&model, 4 * HOUR_MS + 5), 4 * HOUR_MS + 5);
        assert_eq!(next_delete_hour_ms(&model, 5 * HOUR_MS), 28 * HOUR_MS);
        let noon = Model { start_time_of_day_ms: 12 * HOUR_MS, ..model };
        assert_eq!(next_delete_hour_ms(&noon, 0), 16 * HOUR_MS);
    }
}
