//! The pull loop: one request for each owned queue, all through one thread
//! (`DefaultMQPushConsumerImpl.pullMessage`).

use std::rc::Rc;

use super::{Client, Pending, Status, Thread};
use crate::command::FromWhere;
use crate::event::{Cached, ClientTimer, Packet, PullStatus};
use crate::fact::{DropReason, Fact, FilterSide, PullPause, RoundCause};
use crate::ids::MessageQueue;
use crate::shared::{Shared, TopicUse};

/// A queue that goes on at another offset while its listener runs: the listener is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Correction {
    queue: MessageQueue,
    /// Number of the entry.
    serial: u32,
    /// Messages of it were cached.
    cached: bool,
    /// A legacy reset goes on when the wait is over.
    of_reset: bool,
}

const MIB: u64 = 1024 * 1024;

impl Client {
    pub(super) fn on_pull_turn(&mut self, shared: &mut Shared, queue: MessageQueue, serial: u32) {
        let (now_ms, orderly, client) = (shared.now_ms, self.orderly(), self.id);
        let model = Rc::clone(&shared.model);
        let paused = self.suspended;
        if self.leaving {
            return;
        }
        let Some(entry) = self.entry(queue, serial).filter(|e| !e.dropped) else { return };
        entry.last_pull_ms = now_ms;
        let soon_ms = model.pull_time_delay_when_flow_control_ms;
        let late_ms = model.pull_time_delay_when_exception_ms;
        let pause = if paused {
            Some((PullPause::Paused, late_ms))
        } else if entry.count() as i64 > model.pull_threshold_for_queue {
            Some((PullPause::CachedCount, soon_ms))
        } else if (entry.bytes() / MIB) as i64 > model.pull_threshold_size_for_queue_mib {
            Some((PullPause::CachedSize, soon_ms))
        } else if !orderly && entry.span() > model.consume_concurrently_max_span {
            Some((PullPause::Span, soon_ms))
        } else if orderly && !entry.locked {
            Some((PullPause::NotLocked, late_ms))
        } else {
            None
        };
        if entry.pause != pause.map(|(reason, _)| reason) {
            entry.pause = pause.map(|(reason, _)| reason);
            if let Some((reason, _)) = pause {
                shared.fact(Fact::PullPostponed { client, queue, reason });
            }
        }
        if let Some((_, delay_ms)) = pause {
            shared.after(delay_ms, self.timer(ClientTimer::PullLater { queue, serial }));
        } else if orderly && !entry.offset_confirmed {
            self.ask_start_offset(shared, queue, Some(serial));
        } else {
            self.send_pull(shared, queue, serial);
        }
    }

    fn send_pull(&mut self, shared: &mut Shared, queue: MessageQueue, serial: u32) {
        let Some(version_ms) = self.sub_version_ms(queue.topic) else {
            return self.pull_again(shared, queue, serial, PullPause::NotSubscribed);
        };
        let commit = self.offsets.get(&queue).copied().unwrap_or(0);
        let Some(entry) = self.entry(queue, serial) else { return };
        entry.pulling = true;
        let offset = entry.next_offset;
        let group = self.group;
        let limit_ms = shared.model.consumer_timeout_when_suspend_ms;
        self.ask(shared, queue.broker, limit_ms, Pending::Pull { queue, serial }, |rpc| {
            Packet::Pull { rpc, group, queue, offset, commit, version_ms }
        });
    }

    pub(super) fn on_pulled(
        &mut self,
        shared: &mut Shared,
        (queue, serial): (MessageQueue, u32),
        status: PullStatus,
        next_offset: i64,
        messages: &[Cached],
    ) {
        let (orderly, stops) = (self.orderly(), self.status != Status::Running);
        let Some(entry) = self.entry(queue, serial) else { return };
        entry.pulling = false;
        if entry.dropped {
            return;
        }
        let asked = entry.next_offset;
        match status {
            PullStatus::Found => {
                entry.next_offset = next_offset;
                // Whatever the broker let through by its table is filtered again by the own tags.
                let own = self.filter_again(shared, queue, messages);
                let messages = own.as_deref().unwrap_or(messages);
                let (count, offset) = (messages.len() as u16, asked as u32);
                let Some(entry) = self.entry(queue, serial) else { return };
                let dispatch = entry.put(messages);
                shared.fact(Fact::MessagesPulled { client: self.id, queue, offset, count });
                if stops && (dispatch || !orderly) {
                    // The consume threads take nothing any more (RejectedExecutionException).
                    return self.on_pull_failed(shared, queue, serial);
                }
                if !orderly {
                    self.submit_concurrent(shared, queue, serial, messages);
                } else if dispatch {
                    self.submit_orderly(shared, queue, serial);
                }
                shared.after(0, self.timer(ClientTimer::Pull { queue, serial }));
            }
            PullStatus::NotFound | PullStatus::RetryImmediately => {
                entry.next_offset = next_offset;
                if entry.count() == 0 {
                    let offset = self.offsets.entry(queue).or_insert(next_offset);
                    *offset = (*offset).max(next_offset);
                }
                shared.after(0, self.timer(ClientTimer::Pull { queue, serial }));
            }
            PullStatus::OffsetMoved => {
                entry.next_offset = next_offset;
                entry.dropped = true;
                let reason = DropReason::OffsetIllegal;
                let (offset, corrected) = (asked as u32, next_offset as u32);
                let client = self.id;
                shared.fact(Fact::OffsetCorrected { client, queue, offset, corrected });
                shared.fact(Fact::QueueDropped { client, queue, reason });
                let timer = self.timer(ClientTimer::CorrectOffset { queue, serial });
                shared.after(shared.model.offset_illegal_delay_ms, timer);
            }
            PullStatus::IllegalQueue
            | PullStatus::SubscriptionNotExist
            | PullStatus::SubscriptionNotLatest => {
                self.on_pull_failed(shared, queue, serial);
            }
        }
    }

    /// Messages of a pull without those whose tag the client did not subscribe to; None when all
    /// stay. Source: `PullAPIWrapper.processPullResult`.
    fn filter_again(
        &self,
        shared: &mut Shared,
        queue: MessageQueue,
        messages: &[Cached],
    ) -> Option<Vec<Cached>> {
        let tags = &self.subscriptions.iter().find(|s| s.topic == queue.topic)?.tags;
        let wanted = |m: &&Cached| tags.contains(&shared.message(m.msg).tag);
        if tags.is_empty() || messages.iter().all(|m| wanted(&m)) {
            return None;
        }
        let kept: Vec<Cached> = messages.iter().filter(wanted).copied().collect();
        shared.fact(Fact::MessagesFiltered {
            client: self.id,
            queue,
            offset: messages.first().map_or(0, |m| m.offset as u32),
            count: (messages.len() - kept.len()) as u16,
            by: FilterSide::Client,
        });
        Some(kept)
    }

    pub(super) fn on_pull_failed(&mut self, shared: &mut Shared, queue: MessageQueue, serial: u32) {
        self.pull_again(shared, queue, serial, PullPause::Failed);
    }

    fn pull_again(
        &mut self,
        shared: &mut Shared,
        queue: MessageQueue,
        serial: u32,
        reason: PullPause,
    ) {
        let Some(entry) = self.entry(queue, serial) else { return };
        entry.pulling = false;
        if entry.pause.replace(reason) != Some(reason) {
            shared.fact(Fact::PullPostponed { client: self.id, queue, reason });
        }
        let delay_ms = shared.model.pull_time_delay_when_exception_ms;
        shared.after(delay_ms, self.timer(ClientTimer::PullLater { queue, serial }));
    }

    /// A corrected offset takes effect: push it, part with the queue, rebalance.
    pub(super) fn on_correct_offset(
        &mut self,
        shared: &mut Shared,
        queue: MessageQueue,
        serial: u32,
    ) {
        let Some(offset) = self.entry(queue, serial).map(|entry| entry.next_offset) else { return };
        if !self.part_with(shared, (queue, serial), offset, false) {
            self.after_correction(shared);
        }
    }

    /// Parts with a queue that goes on at another offset (`removeUnnecessaryMessageQueue`). True while
    /// the listener is waited for: the lock is given back when it has returned.
    pub(super) fn part_with(
        &mut self,
        shared: &mut Shared,
        (queue, serial): (MessageQueue, u32),
        offset: i64,
        of_reset: bool,
    ) -> bool {
        let Some(entry) = self.entry(queue, serial) else { return false };
        let (last_lock_ms, cached) = (entry.last_lock_ms, entry.has_waiting());
        self.offsets.insert(queue, offset);
        self.push_offset(shared, queue);
        let forced = self.forces_unlock(shared, last_lock_ms);
        let listening = self.is_listening(queue, serial);
        let waits = self.orderly() && !forced && listening;
        if waits {
            self.corrections.push(Correction { queue, serial, cached, of_reset });
            let timer = self.timer(ClientTimer::CorrectionWait { queue, serial });
            shared.after(shared.model.release_wait_ms, timer);
            if !of_reset {
                self.thread_waits(Thread::PullTimers);
            }
        } else if self.orderly() {
            self.unlock_or_later(shared, queue, cached);
        }
        self.forget(shared, queue, forced && listening);
        waits
    }

    /// Ends the wait for the listener of a queue: when it has returned, the lock is given back; else it
    /// is left to run out.
    pub(super) fn end_correction(
        &mut self,
        shared: &mut Shared,
        (queue, serial): (MessageQueue, u32),
        returned: bool,
    ) {
        let same = |c: &Correction| (c.queue, c.serial) == (queue, serial);
        let Some(place) = self.corrections.iter().position(same) else { return };
        let Correction { cached, of_reset, .. } = self.corrections.remove(place);
        if returned {
            self.unlock_or_later(shared, queue, cached);
        }
        match of_reset {
            true => self.go_on_with_reset(shared),
            false => {
                self.after_correction(shared);
                self.thread_goes_on(shared, Thread::PullTimers);
            }
        }
    }

    fn after_correction(&mut self, shared: &mut Shared) {
        if self.status == Status::Running && shared.model.rebalance_min_interval_ms > 0 {
            self.wake_rebalance(shared, RoundCause::OffsetCorrected);
        }
    }

    /// Asks where to begin (`computePullFromWhereWithException`): for a round when `serial` is None,
    /// else again under the lock before the first pull.
    pub(super) fn ask_start_offset(
        &mut self,
        shared: &mut Shared,
        queue: MessageQueue,
        serial: Option<u32>,
    ) {
        let group = self.group;
        let limit_ms = shared.model.query_offset_timeout_ms;
        self.ask(shared, queue.broker, limit_ms, Pending::Offset { queue, serial }, |rpc| {
            Packet::QueryOffset { rpc, group, queue }
        });
        if serial.is_some() {
            self.thread_waits(Thread::Pull);
        }
    }

    pub(super) fn on_offset(
        &mut self,
        shared: &mut Shared,
        queue: MessageQueue,
        serial: Option<u32>,
        offset: Option<i64>,
    ) {
        if let Some(offset) = offset {
            self.offsets.insert(queue, offset);
            return self.on_start_offset(shared, queue, serial, Some(offset));
        }
        let retry = matches!(shared.names.topics[queue.topic.index()].usage, TopicUse::Retry(_));
        let what = Pending::MaxOffset { queue, serial };
        let limit_ms = shared.model.max_offset_timeout_ms;
        match shared.group(self.group).from_where {
            FromWhere::Timestamp(at_ms) if !retry => {
                let time_ms = at_ms.unwrap_or_else(|| {
                    let before_ms = shared.model.consume_timestamp_before_start_ms;
                    (self.created_ms + self.clock_ahead_ms - before_ms).div_euclid(1_000) * 1_000
                });
                self.ask(shared, queue.broker, limit_ms, what, |rpc| Packet::SearchOffset {
                    rpc,
                    queue,
                    time_ms,
                });
            }
            // The end of the queue, for a retry topic only by time.
            FromWhere::Last if !retry => {
                self.ask(shared, queue.broker, limit_ms, what, |rpc| Packet::QueryMaxOffset {
                    rpc,
                    queue,
                });
            }
            FromWhere::Timestamp(_) => {
                self.ask(shared, queue.broker, limit_ms, what, |rpc| Packet::QueryMaxOffset {
                    rpc,
                    queue,
                });
            }
            FromWhere::First | FromWhere::Last => {
                self.on_start_offset(shared, queue, serial, Some(0));
            }
        }
    }

    pub(super) fn on_start_offset(
        &mut self,
        shared: &mut Shared,
        queue: MessageQueue,
        serial: Option<u32>,
        offset: Option<i64>,
    ) {
        let Some(serial) = serial else { return self.on_round_offset(shared, queue, offset) };
        if let Some(entry) = self.entry(queue, serial).filter(|e| !e.dropped) {
            match offset {
                Some(offset) => {
                    entry.offset_confirmed = true;
                    entry.next_offset = offset;
                    self.send_pull(shared, queue, serial);
                }
                None => self.on_pull_failed(shared, queue, serial),
            }
        }
        self.thread_goes_on(shared, Thread::Pull);
    }
}
