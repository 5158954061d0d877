//! Whether the broker finds its disk too full for writes (`RunningFlags.DISK_FULL_BIT`). It looks from
//! time to time only: the cleaner marks it full, and good only when it need not delete by force
//! (`isSpaceToDelete`). Up to 4.9.8 a task of its own marks it as well, full or good by one mark
//! (`isSpaceFull`); 5.x has the method still, and nobody calls it.
//!
//! Only the look that will change something is scheduled.

use super::{next_tick, Broker};
use crate::event::{BrokerTimer, Event};
use crate::ids::Ms;
use crate::model::{Model, Version};
use crate::shared::Shared;

impl Broker {
    /// True when the broker refuses writes: it has found its disk too full.
    pub(crate) fn refuses_writes(&self) -> bool {
        self.disk_full
    }

    /// The first look at or after an instant: of the cleaner if it sees what changed, and of the task
    /// of releases that have one.
    fn next_disk_look(&self, model: &Model, at_ms: Ms, cleaner_sees: bool) -> Option<Ms> {
        let tick =
            |first_ms: Ms, period_ms: Ms| next_tick(self.started_ms + first_ms, period_ms, at_ms);
        let task = (model.version < Version(5, 0, 0))
            .then(|| tick(model.disk_check_initial_delay_ms, model.disk_check_interval_ms));
        let cleaner = cleaner_sees
            .then(|| tick(model.clean_resource_initial_delay_ms, model.clean_resource_interval_ms));
        task.into_iter().chain(cleaner).min()
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
        let cleaner_sees = too_full || used <= model.disk_space_clean_forcibly_ratio_percent;
        self.disk_look_ms = self.next_disk_look(model, shared.now_ms, cleaner_sees);
        if let Some(at_ms) = self.disk_look_ms {
            shared.at(at_ms, Event::Broker(self.id, BrokerTimer::DiskLook));
        }
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
