//! The rebalance thread (`RebalanceService`, `RebalanceImpl`): one round handles every topic of the
//! client in turn, and within a topic first the queues that leave, then the new ones.

use std::collections::VecDeque;
use std::rc::Rc;

use super::{AfterBeat, Client, Pending, ProcessQueue};
use crate::allocate::averagely;
use crate::event::{ClientTimer, Packet};
use crate::fact::{DropReason, Fact, RoundCause};
use crate::ids::{BrokerId, ClientId, MessageQueue, Ms, TopicId};
use crate::model::{Model, Version, NEVER};
use crate::rng::Stream;
use crate::shared::Shared;

/// A step of a round.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Work {
    Topic(TopicId),
    Release(MessageQueue, DropReason),
    Acquire(MessageQueue),
    EndTopic(TopicId),
}

/// The round waits for a listener to return before it gives its queue away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Wait {
    number: u32,
    queue: MessageQueue,
    until_ms: Ms,
}

/// State of the rebalance thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Round {
    /// A round runs.
    pub running: bool,
    /// End of the last round, or creation of the client.
    pub last_ms: Ms,
    /// Next round.
    pub due_ms: Option<Ms>,
    /// What will make, or made, the round run.
    pub cause: RoundCause,
    notified: Option<RoundCause>,
    work: VecDeque<Work>,
    allocated: Vec<MessageQueue>,
    added: Vec<(MessageQueue, u32)>,
    lock_refused: bool,
    changed: bool,
    balanced: bool,
    wait: Option<Wait>,
    waits: u32,
}

impl Round {
    pub(super) fn new(created_ms: Ms) -> Self {
        Self {
            running: false,
            last_ms: created_ms,
            due_ms: None,
            cause: RoundCause::Start,
            notified: None,
            work: VecDeque::new(),
            allocated: Vec::new(),
            added: Vec::new(),
            lock_refused: false,
            changed: false,
            balanced: true,
            wait: None,
            waits: 0,
        }
    }
}

impl Client {
    /// Wakes the rebalance thread. A wake-up that comes too early is remembered.
    ///
    /// What wakes it while the consumer is paused has no effect: the round that the end of the pause
    /// brings does it all. Source: `DefaultMQPushConsumerImpl.doRebalance`, `tryRebalance`, `resume`.
    pub(super) fn wake_rebalance(&mut self, shared: &mut Shared, cause: RoundCause) {
        if self.suspended {
            return;
        }
        if self.round.running {
            self.round.notified = Some(cause);
            return;
        }
        let at_ms = shared.now_ms.max(self.round.last_ms + shared.model.rebalance_min_interval_ms);
        self.arm_rebalance(shared, at_ms, cause);
    }

    fn arm_rebalance(&mut self, shared: &mut Shared, at_ms: Ms, cause: RoundCause) {
        if self.round.due_ms.is_some_and(|due| due <= at_ms) {
            return;
        }
        self.round.due_ms = Some(at_ms);
        self.round.cause = cause;
        shared.at(at_ms, self.timer(ClientTimer::Rebalance));
    }

    pub(super) fn on_rebalance_timer(&mut self, shared: &mut Shared) {
        if self.round.running || self.round.due_ms.is_none_or(|due| due > shared.now_ms) {
            return;
        }
        if self.suspended || self.leaving {
            self.round.due_ms = None;
            return;
        }
        let cause = self.round.cause;
        let least_ms = self.round.last_ms + shared.model.rebalance_min_interval_ms;
        if cause != RoundCause::Resume && shared.now_ms < least_ms {
            // The clock was set back: the thread waits until the last round is long enough ago by it.
            self.round.due_ms = None;
            return self.arm_rebalance(shared, least_ms, cause);
        }
        self.begin_round(shared, cause);
    }

    /// `resume()`: a round at once, however long ago the last one was.
    pub(crate) fn end_pause(&mut self, shared: &mut Shared) {
        self.suspended = false;
        if self.round.running {
            self.round.notified = Some(RoundCause::Resume);
        } else {
            (self.round.due_ms, self.round.cause) = (Some(shared.now_ms), RoundCause::Resume);
            shared.at(shared.now_ms, self.timer(ClientTimer::Rebalance));
        }
    }

    /// A round begins now, unless one runs already.
    pub(super) fn begin_round(&mut self, shared: &mut Shared, cause: RoundCause) {
        if self.round.running {
            self.round.notified = Some(cause);
            return;
        }
        self.round = Round {
            running: true,
            waits: self.round.waits,
            cause,
            work: (self.routes.keys().filter(|topic| self.subscribes(**topic)))
                .map(|topic| Work::Topic(*topic))
                .collect(),
            ..Round::new(self.round.last_ms)
        };
        shared.fact(Fact::RebalanceStarted { client: self.id, cause });
        self.advance_round(shared);
    }

    /// Goes on with the round until it needs an answer, waits for a listener, or ends.
    pub(super) fn advance_round(&mut self, shared: &mut Shared) {
        while let Some(work) = self.round.work.pop_front() {
            let goes_on = match work {
                Work::Topic(topic) => {
                    let Some(broker) = self.member_broker(shared, topic) else {
                        self.on_members(shared, topic, None);
                        return;
                    };
                    let queue = MessageQueue { topic, broker, id: 0 };
                    let group = self.group;
                    let limit_ms = shared.model.mq_client_api_timeout_ms;
                    self.ask(shared, queue.broker, limit_ms, Pending::RoundMembers(topic), |rpc| {
                        Packet::QueryMembers { rpc, group }
                    });
                    false
                }
                Work::Release(queue, reason) => self.release(shared, queue, reason),
                Work::Acquire(queue) => self.acquire(shared, queue),
                Work::EndTopic(topic) => self.end_topic(shared, topic),
            };
            if !goes_on {
                return;
            }
        }
        self.end_round(shared);
    }

    /// The broker that is asked for the members: any one of the topic's.
    fn member_broker(&self, shared: &mut Shared, topic: TopicId) -> Option<BrokerId> {
        let queues = self.routes.get(&topic)?;
        let first = queues.first()?.broker;
        if queues.last().is_some_and(|last| last.broker == first) {
            return Some(first);
        }
        let mut brokers: Vec<BrokerId> = queues.iter().map(|q| q.broker).collect();
        brokers.dedup();
        let draw = shared.streams.between(Stream::MemberList, 0, brokers.len() as i64 - 1);
        brokers.get(draw as usize).copied()
    }

    /// The member list arrived (None: no answer): allocate and plan the topic's steps. A broker that
    /// knows no member answers with an error, and without a list the topic stays as it is.
    pub(super) fn on_members(
        &mut self,
        shared: &mut Shared,
        topic: TopicId,
        members: Option<&[ClientId]>,
    ) {
        let Some(members) = members.filter(|members| !members.is_empty()) else {
            return self.advance_round(shared);
        };
        let queues = self.routes.get(&topic).cloned().unwrap_or_else(|| Rc::new([]));
        let me = members.iter().position(|m| *m == self.id).unwrap_or(members.len());
        self.round.allocated = averagely(&queues, members.len(), me).to_vec();
        let idle_ms = shared.model.pull_max_idle_time_ms;
        let now_ms = shared.now_ms;
        let mut plan = Vec::new();
        for (queue, entry) in self.queues.iter_mut().filter(|(q, _)| q.topic == topic) {
            let reason = if !queues.contains(queue) {
                DropReason::Unrouted
            } else if !self.round.allocated.contains(queue) {
                DropReason::Reallocated
            } else if entry.is_pull_expired(now_ms, idle_ms) {
                DropReason::PullIdle
            } else {
                continue;
            };
            // 4.x drops a queue when it is given away: the ones before it may cost a wait each.
            if !entry.dropped && shared.model.version >= Version(5, 0, 0) {
                Rc::make_mut(entry).dropped = true;
                shared.facts.push(Fact::QueueDropped { client: self.id, queue: *queue, reason });
            }
            plan.push(Work::Release(*queue, reason));
        }
        plan.extend(self.round.allocated.iter().map(|queue| Work::Acquire(*queue)));
        plan.push(Work::EndTopic(topic));
        for work in plan.into_iter().rev() {
            self.round.work.push_front(work);
        }
        self.advance_round(shared);
    }

    /// Gives a queue away; false while the round waits for its listener.
    fn release(&mut self, shared: &mut Shared, queue: MessageQueue, reason: DropReason) -> bool {
        if let Some(entry) = self.queues.get_mut(&queue).filter(|entry| !entry.dropped) {
            Rc::make_mut(entry).dropped = true;
            shared.fact(Fact::QueueDropped { client: self.id, queue, reason });
        }
        self.push_offset(shared, queue);
        let force_after_ms = shared.model.force_unlock_after_ms;
        if force_after_ms == NEVER {
            self.offsets.remove(&queue);
        }
        if !self.orderly() {
            self.forget(shared, queue, false);
            return true;
        }
        let Some(entry) = self.queues.get(&queue) else { return true };
        let forced = self.forces_unlock(shared, entry.last_lock_ms);
        let serial = entry.serial;
        let listening = self.is_listening(queue, serial);
        if forced || !listening {
            self.give_away(shared, queue, forced && listening);
            return true;
        }
        self.round.waits += 1;
        let number = self.round.waits;
        let until_ms = shared.now_ms + shared.model.release_wait_ms;
        self.round.wait = Some(Wait { number, queue, until_ms });
        shared.at(until_ms, self.timer(ClientTimer::ReleaseWait { wait: number }));
        false
    }

    pub(super) fn is_listening(&self, queue: MessageQueue, serial: u32) -> bool {
        self.calls.iter().any(|c| c.queue == queue && c.serial == serial && c.running)
    }

    /// Whether a queue is given away although its listener may run: 20 s after the last renewal.
    pub(super) fn forces_unlock(&self, shared: &Shared, last_lock_ms: Ms) -> bool {
        let force_after_ms = shared.model.force_unlock_after_ms;
        force_after_ms != NEVER && shared.now_ms > last_lock_ms + force_after_ms
    }

    /// A listener call of a queue ended; the round, or a correction, may be waiting for it.
    pub(super) fn wake_release(&mut self, shared: &mut Shared, queue: MessageQueue, serial: u32) {
        self.end_correction(shared, (queue, serial), true);
        if let Some(wait) = self.round.wait.filter(|w| w.queue == queue) {
            let timer = self.timer(ClientTimer::ReleaseWait { wait: wait.number });
            shared.at(shared.now_ms, timer);
        }
    }

    pub(super) fn on_release_wait(&mut self, shared: &mut Shared, number: u32) {
        let Some(wait) = self.round.wait.filter(|w| w.number == number) else { return };
        let serial = self.queues.get(&wait.queue).map(|e| e.serial);
        if serial.is_some_and(|serial| self.is_listening(wait.queue, serial)) {
            if shared.now_ms < wait.until_ms {
                return;
            }
            shared.fact(Fact::ReleasePostponed { client: self.id, queue: wait.queue });
        } else if serial.is_some() {
            self.give_away(shared, wait.queue, false);
        }
        self.round.wait = None;
        self.advance_round(shared);
    }

    /// Offset, unlock, forget: how an orderly client parts with a queue.
    pub(super) fn give_away(&mut self, shared: &mut Shared, queue: MessageQueue, forced: bool) {
        let cached = self.queues.get(&queue).is_some_and(|entry| entry.has_waiting());
        if shared.model.delayed_unlock_ms == NEVER {
            self.push_offset(shared, queue);
        }
        self.unlock_or_later(shared, queue, cached);
        self.forget(shared, queue, forced);
    }

    /// Unlocks a queue; up to 5.1.4 only 20 s later when messages of it were cached.
    pub(super) fn unlock_or_later(
        &mut self,
        shared: &mut Shared,
        queue: MessageQueue,
        cached: bool,
    ) {
        let delayed_ms = shared.model.delayed_unlock_ms;
        if delayed_ms != NEVER && cached {
            shared.after(delayed_ms, self.timer(ClientTimer::DelayedUnlock { queue }));
        } else {
            self.send_unlock(shared, queue);
        }
    }

    /// Removes a queue from the tables.
    pub(super) fn forget(&mut self, shared: &mut Shared, queue: MessageQueue, forced: bool) {
        self.offsets.remove(&queue);
        if self.queues.remove(&queue).is_some() {
            self.round.changed = true;
            shared.fact(Fact::QueueRemoved { client: self.id, queue, forced });
        }
    }

    /// Takes a queue in: lock first. False while an answer is awaited.
    fn acquire(&mut self, shared: &mut Shared, queue: MessageQueue) -> bool {
        if self.queues.contains_key(&queue) {
            return true;
        }
        if !self.orderly() {
            self.offsets.remove(&queue);
            self.ask_start_offset(shared, queue, None);
            return false;
        }
        let group = self.group;
        let limit_ms = shared.model.lock_timeout_ms;
        self.ask(shared, queue.broker, limit_ms, Pending::RoundLock(queue), |rpc| Packet::Lock {
            rpc,
            group,
            queues: Rc::new([queue]),
        });
        false
    }

    pub(super) fn on_round_lock(
        &mut self,
        shared: &mut Shared,
        queue: MessageQueue,
        granted: bool,
    ) {
        if granted {
            self.offsets.remove(&queue);
            self.ask_start_offset(shared, queue, None);
        } else {
            self.round.lock_refused = true;
            self.advance_round(shared);
        }
    }

    /// The start offset of a new queue is known (None: no answer, the queue is left for now).
    pub(super) fn on_round_offset(
        &mut self,
        shared: &mut Shared,
        queue: MessageQueue,
        offset: Option<i64>,
    ) {
        if let (Some(offset), false) = (offset, self.queues.contains_key(&queue)) {
            self.serials += 1;
            let mut entry = ProcessQueue::new(self.serials, offset, shared.now_ms);
            // Releases before 4.9.5 do not note the lock that the round takes: the next renewal does.
            entry.locked = self.orderly() && shared.model.version >= Version(4, 9, 5);
            self.queues.insert(queue, Rc::new(entry));
            self.round.added.push((queue, self.serials));
            self.round.changed = true;
            shared.fact(Fact::QueueAdded { client: self.id, queue, offset: offset as u32 });
        }
        self.advance_round(shared);
    }

    /// First pulls go out together; a refused lock asks for another round soon. A changed allocation is
    /// told to every broker, and the round waits for them (`messageQueueChanged`): false then.
    fn end_topic(&mut self, shared: &mut Shared, topic: TopicId) -> bool {
        let working = self.queues.iter().filter(|(q, e)| q.topic == topic && !e.dropped);
        let mut wanted = self.round.allocated.clone();
        wanted.sort_unstable();
        let balanced = working.map(|(q, _)| *q).eq(wanted);
        self.round.balanced &= balanced;
        for (queue, serial) in std::mem::take(&mut self.round.added) {
            let delay_ms = shared.model.first_pull_delay_ms;
            let timer = match delay_ms {
                0 => ClientTimer::Pull { queue, serial },
                _ => ClientTimer::PullLater { queue, serial },
            };
            shared.after(delay_ms, self.timer(timer));
        }
        if std::mem::take(&mut self.round.lock_refused) && shared.model.rebalance_later_ms != NEVER
        {
            let at_ms = shared.now_ms + shared.model.rebalance_later_ms;
            let later = self.round.notified_later(at_ms);
            shared.at(later, self.timer(ClientTimer::Rebalance));
        }
        let changed = std::mem::take(&mut self.round.changed);
        if changed {
            self.renew_subscription(shared, topic);
            self.beat(shared, AfterBeat::Round);
        }
        !changed
    }

    /// Queues of topics that it no longer subscribes to leave the table, and that is all: their locks
    /// are left to run out, and their offsets are not pushed any more (`truncateMessageQueueNotMyTopic`).
    fn drop_unsubscribed(&mut self, shared: &mut Shared) {
        let gone = self.queues.keys().filter(|queue| !self.subscribes(queue.topic));
        for queue in gone.copied().collect::<Vec<MessageQueue>>() {
            let reason = DropReason::Unsubscribed;
            shared.fact(Fact::QueueDropped { client: self.id, queue, reason });
            self.queues.remove(&queue);
            shared.fact(Fact::QueueRemoved { client: self.id, queue, forced: false });
        }
    }

    fn end_round(&mut self, shared: &mut Shared) {
        self.drop_unsubscribed(shared);
        let balanced = self.round.balanced;
        let later_ms = self.round.due_ms.take();
        self.round.running = false;
        self.round.last_ms = shared.now_ms;
        shared.fact(Fact::RebalanceFinished { client: self.id, balanced });
        self.begin_next_reset(shared);
        let model = Rc::clone(&shared.model);
        let least_ms = shared.now_ms + model.rebalance_min_interval_ms;
        if self.suspended {
            return;
        }
        if let Some(cause) = self.round.notified.take() {
            return self.arm_rebalance(shared, least_ms, cause);
        }
        if let Some(later_ms) = later_ms {
            self.arm_rebalance(shared, later_ms.max(least_ms), RoundCause::Unbalanced);
        }
        if !balanced && model.rebalance_min_interval_ms > 0 {
            self.arm_rebalance(shared, least_ms, RoundCause::Unbalanced);
        }
        self.arm_rebalance(
            shared,
            shared.now_ms + model.rebalance_wait_interval_ms,
            RoundCause::Period,
        );
    }
}

impl Round {
    /// Until when the round that runs waits for the listener of a queue, in ms.
    pub fn waits_until_ms(&self, queue: MessageQueue) -> Option<Ms> {
        self.wait.filter(|wait| wait.queue == queue).map(|wait| wait.until_ms)
    }

    /// How long after this round the next one comes, unless something happens before, in ms.
    pub fn pause_ms(&self, model: &Model) -> Ms {
        match !self.balanced && model.rebalance_min_interval_ms > 0 {
            true => model.rebalance_min_interval_ms,
            false => model.rebalance_wait_interval_ms,
        }
    }

    /// Remembers a wake-up that falls into the pause after this round.
    fn notified_later(&mut self, at_ms: Ms) -> Ms {
        let at_ms = self.due_ms.map_or(at_ms, |due| due.min(at_ms));
        self.due_ms = Some(at_ms);
        at_ms
    }
}
