//! Whether the broker finds its disk too full for writes (`RunningFlags.DISK_FULL_BIT`). It looks from
//! time to time only: one task marks the disk full or good (`isSpaceFull`); the cleaner marks it full by
//! the same mark, and good only when it need not delete by force (`isSpaceToDelete`).
//!
//! Only the look that will change something is scheduled.

use super::{next_tick, Broker};
use crate::event::{BrokerTimer, Event};
use crate::ids::Ms;
use crate::model::Model;
use crate::shared::Shared;

impl Broker {
    /// True when the broker refuses writes: it has found its disk too full.
    pub(super) fn refuses_writes(&self) -> bool {
        self.disk_full
    }

    /// Ticks of both looks at or after an instant: of the task, and of the cleaner.
    fn disk_looks(&self, model: &Model, at_ms: Ms) -> (Ms, Ms) {
        let task_ms = self.started_ms + model.disk_check_initial_delay_ms;
        let cleaner_ms = self.started_ms + model.clean_resource_initial_delay_ms;
        (
            next_tick(task_ms, model.disk_check_interval_ms, at_ms),
            next_tick(cleaner_ms, model.clean_resource_interval_ms, at_ms),
        )
    }

    /// Schedules the look that will change what the broker thinks of its disk.
    pub(crate) fn schedule_disk_look(&mut self, shared: &mut Shared) {
        self.disk_look_ms = None;
        if !self.up {
            return;
        }
        let model = &shared.model;
        let used = i64::from(self.disk_used_percent);
        let too_full = used > model.disk_space_warning_level_ratio_percent;
        if too_full == self.disk_full {
            return;
        }
        let (task_ms, cleaner_ms) = self.disk_looks(model, shared.now_ms);
        let cleaner_sees = too_full || used <= model.disk_space_clean_forcibly_ratio_percent;
        let at_ms = if cleaner_sees { task_ms.min(cleaner_ms) } else { task_ms };
        self.disk_look_ms = Some(at_ms);
        shared.at(at_ms, Event::Broker(self.id, BrokerTimer::DiskLook));
    }

    /// A look at the disk. When there is room again, what could not be written goes on.
    pub(super) fn on_disk_look(&mut self, shared: &mut Shared) {
        if self.disk_look_ms != Some(shared.now_ms) {
            return;
        }
        self.disk_look_ms = None;
        self.disk_full = !self.disk_full;
        if !self.disk_full {
            self.resume_delays(shared);
            self.resume_transaction_check(shared);
        }
    }
}
