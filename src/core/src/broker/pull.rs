//! Pulls: the answer to a read, and the hold of pulls that find nothing
//! (`PullRequestHoldService`).

use std::rc::Rc;

use super::read::{GetStatus, Read};
use super::{Broker, Members};
use crate::event::{BrokerTimer, Event, Packet, PullStatus, Rpc};
use crate::fact::{Fact, FilterSide, PullRefusal, RequestKind};
use crate::ids::{ClientId, GroupId, MessageQueue, Ms, Party};
use crate::shared::Shared;

/// A pull that waits at the broker, with the filter by which an arriving message wakes it: the tags
/// of its group's table when it came (empty = all), whatever the table says by then. Source:
/// `DefaultPullMessageResultHandler.handle` (`new PullRequest(…, messageFilter)`),
/// `PullRequestHoldService.notifyMessageArriving`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HeldPull {
    /// The pull.
    pub pull: Pull,
    /// Its tags.
    pub tags: Rc<[u16]>,
}

/// A pull of a classic consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pull {
    /// Who pulls.
    pub client: ClientId,
    /// For which consumer group.
    pub group: GroupId,
    /// From which queue.
    pub queue: MessageQueue,
    /// From which offset.
    pub offset: i64,
    /// When its consumer subscribed to the topic (`subVersion`).
    pub version_ms: Ms,
    /// When it came: since then it is held.
    pub since_ms: Ms,
    /// How to answer.
    pub rpc: Rpc,
    /// Its connection has closed: whatever becomes of it, nobody reads the answer.
    pub gone: bool,
}

impl Broker {
    /// A pull arrives. One that is refused neither commits nor takes a reset up; otherwise a pending
    /// reset comes first: after that the attached offset counts again, and the client's corrected one
    /// follows.
    /// Source: `PullMessageProcessor.processRequest`, `queryThenEraseResetOffset` before
    /// `tryCommitOffset`, both behind everything that refuses.
    pub(super) fn on_pull(&mut self, shared: &mut Shared, pull: Pull, commit: i64) {
        let Some(tags) = self.examine(shared, &pull) else { return };
        let reset = self.take_reset(shared, pull.group, pull.queue);
        if commit > 0 {
            self.commit_offset(shared, pull.group, pull.queue, commit);
        }
        if let Some(target) = reset {
            return self.answer_pull(shared, &pull, reset_read(target));
        }
        if !self.read_for(shared, &pull, &tags, true) {
            shared.fact(Fact::PullHeld {
                client: pull.client,
                queue: pull.queue,
                offset: pull.offset as u32,
            });
            let check_ms =
                self.hold_tick(shared, pull.since_ms + shared.model.broker_suspend_max_time_ms);
            self.holds.push(HeldPull { pull, tags });
            self.schedule_hold_check(shared, check_ms);
        }
    }

    /// Evaluates a pull that was held; false when it is to be held further. It is examined like one
    /// that arrives: its queue may have been cut off in the meantime, its topic may have left the
    /// group's table. Source: `PullMessageProcessor.executeRequestWhenWakeup`.
    fn evaluate(&mut self, shared: &mut Shared, pull: &Pull, may_hold: bool) -> bool {
        let Some(tags) = self.examine(shared, pull) else { return true };
        if let Some(target) = self.take_reset(shared, pull.group, pull.queue) {
            self.answer_pull(shared, pull, reset_read(target));
            return true;
        }
        self.read_for(shared, pull, &tags, may_hold)
    }

    /// The tags that the group's table has for a pull (empty = all); None when the pull is refused.
    fn examine(&self, shared: &mut Shared, pull: &Pull) -> Option<Rc<[u16]>> {
        if is_cut_off(shared, pull.queue) {
            self.refuse_pull(shared, pull, PullRefusal::QueueId);
            return None;
        }
        let reason = match self.subscribed(pull.group, pull.queue) {
            None => PullRefusal::SubscriptionMissing,
            Some(known) if known.version_ms < pull.version_ms => PullRefusal::SubscriptionNotLatest,
            Some(known) => return Some(Rc::clone(&known.tags)),
        };
        self.refuse_pull(shared, pull, reason);
        None
    }

    /// Reads for a pull and answers it; false when nothing was found and it may be held.
    fn read_for(&self, shared: &mut Shared, pull: &Pull, tags: &[u16], may_hold: bool) -> bool {
        let max = shared.model.pull_batch_size as usize;
        let read = self.read(shared, pull.queue, pull.offset, max, tags);
        if read.status == PullStatus::NotFound && may_hold {
            return false;
        }
        if read.skipped > 0 && !pull.gone {
            shared.fact(Fact::MessagesFiltered {
                client: pull.client,
                queue: pull.queue,
                offset: pull.offset as u32,
                count: read.skipped,
                by: FilterSide::Broker,
            });
        }
        self.answer_pull(shared, pull, read);
        true
    }

    fn refuse_pull(&self, shared: &mut Shared, pull: &Pull, reason: PullRefusal) {
        let status = match reason {
            PullRefusal::SubscriptionMissing => PullStatus::SubscriptionNotExist,
            PullRefusal::SubscriptionNotLatest => PullStatus::SubscriptionNotLatest,
            PullRefusal::QueueId => PullStatus::IllegalQueue,
        };
        let (client, queue) = (pull.client, pull.queue);
        if pull.gone {
            return;
        }
        shared.fact(Fact::PullRefused { client, queue, reason });
        let nothing = Read::nothing(pull.offset, GetStatus::OffsetOverflowOne, pull.offset);
        self.answer_pull(shared, pull, Read { status, ..nothing });
    }

    fn answer_pull(&self, shared: &mut Shared, pull: &Pull, read: Read) {
        if pull.gone {
            return;
        }
        let packet = Packet::Pulled {
            token: pull.rpc.token,
            queue: pull.queue,
            status: read.status,
            next_offset: read.next_offset,
            messages: read.messages,
        };
        shared.answer(
            Party::Broker(self.id),
            Party::Client(pull.client),
            (pull.rpc, RequestKind::Pull),
            packet,
        );
    }

    /// A message was dispatched to a queue: held pulls whose own filter it passes, or whose time is
    /// over, are evaluated again, the others at the next check.
    pub(super) fn wake_holds(&mut self, shared: &mut Shared, queue: MessageQueue, tag: u16) {
        if self.holds.is_empty() {
            return;
        }
        let mut i = 0;
        while i < self.holds.len() {
            let HeldPull { pull, tags } = &self.holds[i];
            if pull.queue != queue {
                i += 1;
                continue;
            }
            let hash = |tag| shared.names.tag_hash(tag);
            let pull = *pull;
            let over = shared.now_ms >= pull.since_ms + shared.model.broker_suspend_max_time_ms;
            let wanted = tags.is_empty() || tags.iter().any(|one| hash(*one) == hash(tag));
            if !wanted && !over {
                let tick = self.hold_tick(shared, shared.now_ms);
                self.schedule_hold_check(shared, tick);
                i += 1;
            } else if self.evaluate(shared, &pull, true) {
                self.holds.remove(i);
            } else {
                i += 1;
            }
        }
    }

    /// First tick of the hold service at or after an instant.
    fn hold_tick(&self, shared: &Shared, not_before_ms: Ms) -> Ms {
        let period = shared.model.pull_hold_check_ms.max(1);
        let first = self.started_ms + period;
        first
            + (not_before_ms - first).max(0).div_euclid(period) * period
            + if (not_before_ms - first).max(0) % period == 0 { 0 } else { period }
    }

    fn schedule_hold_check(&mut self, shared: &mut Shared, at_ms: Ms) {
        if self.hold_checks.insert(at_ms) {
            shared.at(at_ms, Event::Broker(self.id, BrokerTimer::HoldCheck));
        }
    }

    /// Schedules the checks of all held pulls anew. Whoever would wait too long now gives up first.
    pub(super) fn rearm_holds(&mut self, shared: &mut Shared) {
        let limit_ms = shared.model.broker_suspend_max_time_ms;
        for HeldPull { pull, .. } in self.holds.clone() {
            let tick = self.hold_tick(shared, (pull.since_ms + limit_ms).max(shared.now_ms));
            self.schedule_hold_check(shared, tick);
            if tick > pull.rpc.deadline_ms {
                shared.give_up(Party::Client(pull.client), pull.rpc, RequestKind::Pull);
            }
        }
    }

    /// A tick of the hold service: pulls held for long enough, and pulls whose queue has grown, are
    /// answered.
    pub(super) fn on_hold_check(&mut self, shared: &mut Shared) {
        let now_ms = shared.now_ms;
        self.hold_checks.remove(&now_ms);
        let mut holds = std::mem::take(&mut self.holds);
        holds.retain(|HeldPull { pull, .. }| {
            let over = now_ms >= pull.since_ms + shared.model.broker_suspend_max_time_ms;
            let grown = self.store.range(pull.queue).1 > pull.offset;
            !((over || grown) && self.evaluate(shared, pull, !over))
        });
        self.holds = holds;
    }

    /// Members of a group.
    pub fn members(&self, group: GroupId) -> Option<&Members> {
        self.groups.get(&group)
    }
}

/// Whether the topic has no such queue to read.
fn is_cut_off(shared: &Shared, queue: MessageQueue) -> bool {
    queue.id >= shared.names.topics[queue.topic.index()].read_queues
}

fn reset_read(target: i64) -> Read {
    Read::nothing(target, GetStatus::OffsetReset, target)
}
