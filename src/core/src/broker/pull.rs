//! Pulls: the read itself (`DefaultMessageStore.getMessage`), the answer, and the hold of pulls
//! that find nothing (`PullRequestHoldService`).

use super::{Broker, Members};
use crate::event::{BrokerTimer, Cached, Event, Packet, PullStatus, Rpc};
use crate::fact::{Fact, RequestKind};
use crate::ids::{ClientId, GroupId, MessageQueue, Ms, Party};
use crate::shared::Shared;

/// A pull that waits at the broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HeldPull {
    /// Who pulls.
    pub client: ClientId,
    /// For which consumer group.
    pub group: GroupId,
    /// From which queue.
    pub queue: MessageQueue,
    /// From which offset.
    pub offset: i64,
    /// Since when it is held.
    pub since_ms: Ms,
    /// How to answer.
    pub rpc: Rpc,
}

/// A read of a queue.
pub struct Read {
    /// What the answer will say; `NotFound` asks for a hold.
    pub status: PullStatus,
    /// Where to go on.
    pub next_offset: i64,
    /// What was found.
    pub messages: Vec<Cached>,
}

/// Most bytes of one read while the messages are in memory (`maxTransferBytesOnMessageInMemory`).
pub const MAX_TRANSFER_BYTES: u32 = 256 * 1024;
/// Most messages of one read while they are in memory (`maxTransferCountOnMessageInMemory`).
pub const MAX_TRANSFER_COUNT: usize = 32;
/// Most index entries that one read walks over.
const MAX_FILTER_ENTRIES: i64 = 800;

impl Broker {
    /// Reads up to `max` messages from an offset. `tags` empty = all.
    pub fn read(
        &self,
        shared: &Shared,
        queue: MessageQueue,
        offset: i64,
        max: usize,
        tags: &[u16],
    ) -> Read {
        let nothing = |status, next_offset| Read { status, next_offset, messages: Vec::new() };
        let missing = if offset == 0 { PullStatus::NotFound } else { PullStatus::OffsetMoved };
        let Some(index) = self.store.queue(queue) else { return nothing(missing, 0) };
        let (min, top) = (index.min_offset, index.max_offset());
        if top == 0 {
            return nothing(missing, 0);
        }
        if offset < min {
            return nothing(PullStatus::OffsetMoved, min);
        }
        if offset == top {
            return nothing(PullStatus::NotFound, top);
        }
        if offset > top {
            return nothing(PullStatus::OffsetMoved, top);
        }
        let mut messages = Vec::new();
        let mut bytes = 0;
        let mut next = offset;
        let limit = MAX_FILTER_ENTRIES.max(20 * max as i64);
        while next < top && next - offset < limit {
            let Some(record) = index.get(next).and_then(|entry| self.store.record(entry.record))
            else {
                break;
            };
            let message = shared.message(record.msg);
            if tags.is_empty() || tags.contains(&message.tag) {
                let full = messages.len() >= max.min(MAX_TRANSFER_COUNT)
                    || (!messages.is_empty() && bytes + record.bytes > MAX_TRANSFER_BYTES);
                if full {
                    break;
                }
                bytes += record.bytes;
                messages.push(Cached {
                    offset: next,
                    msg: record.msg,
                    reconsume_times: u32::from(record.reconsume_times),
                    bytes: message.body_bytes,
                    store_ms: record.store_ms,
                });
            }
            next += 1;
        }
        let status =
            if messages.is_empty() { PullStatus::RetryImmediately } else { PullStatus::Found };
        Read { status, next_offset: next, messages }
    }

    /// A pull arrives.
    pub(super) fn on_pull(&mut self, shared: &mut Shared, pull: HeldPull, commit: i64) {
        if pull.queue.id >= shared.names.topics[pull.queue.topic.index()].read_queues {
            self.answer_pull(
                shared,
                &pull,
                Read {
                    status: PullStatus::IllegalQueue,
                    next_offset: pull.offset,
                    messages: Vec::new(),
                },
            );
            return;
        }
        if commit > 0 {
            self.commit_offset(shared, pull.group, pull.queue, commit);
        }
        if !self.evaluate(shared, &pull, true) {
            shared.fact(Fact::PullHeld {
                client: pull.client,
                queue: pull.queue,
                offset: pull.offset as u32,
            });
            let check_ms =
                self.hold_tick(shared, pull.since_ms + shared.model.broker_suspend_max_time_ms);
            self.holds.push(pull);
            self.schedule_hold_check(shared, check_ms);
        }
    }

    /// Evaluates a pull; false when it is to be held (further).
    fn evaluate(&self, shared: &mut Shared, pull: &HeldPull, may_hold: bool) -> bool {
        let tags = subscribed_tags(shared, pull.group, pull.queue);
        let max = shared.model.pull_batch_size as usize;
        let read = self.read(shared, pull.queue, pull.offset, max, &tags);
        if read.status == PullStatus::NotFound && may_hold {
            return false;
        }
        self.answer_pull(shared, pull, read);
        true
    }

    fn answer_pull(&self, shared: &mut Shared, pull: &HeldPull, read: Read) {
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

    /// A message was dispatched to a queue: held pulls whose filter matches are evaluated again,
    /// the others at the next check.
    pub(super) fn wake_holds(&mut self, shared: &mut Shared, queue: MessageQueue, tag: u16) {
        if self.holds.is_empty() {
            return;
        }
        let mut i = 0;
        while i < self.holds.len() {
            let pull = self.holds[i];
            if pull.queue != queue {
                i += 1;
                continue;
            }
            let tags = subscribed_tags(shared, pull.group, queue);
            if !(tags.is_empty() || tags.contains(&tag)) {
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

    /// A tick of the hold service: pulls held for long enough, and pulls whose queue has grown, are
    /// answered.
    pub(super) fn on_hold_check(&mut self, shared: &mut Shared) {
        let now_ms = shared.now_ms;
        self.hold_checks.remove(&now_ms);
        let mut holds = std::mem::take(&mut self.holds);
        holds.retain(|pull| {
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

/// Tags that a group subscribes to in a topic; empty = all.
fn subscribed_tags(shared: &Shared, group: GroupId, queue: MessageQueue) -> Vec<u16> {
    let subscriptions = &shared.group(group).subscriptions;
    subscriptions.iter().find(|s| s.topic == queue.topic).map_or_else(Vec::new, |s| s.tags.clone())
}
