//! Receives that wait (`PopLongPollingService`): where they are filed, which one is woken by what,
//! and when their time is over.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::{Broker, RecordKey};
use crate::event::{BrokerTimer, Event, Rpc};
use crate::fact::{Fact, RequestKind};
use crate::grpc::{PopRequest, PopStatus, PopTimer};
use crate::ids::{GroupId, MessageQueue, Ms, Party, TopicId};
use crate::pop::{PopFact, Wake};
use crate::shared::Shared;

/// Longest time by which a receive may be over and still run, in ms; later it is only answered.
/// Source: `PopMessageRequestHeader.isTimeoutTooMuch`.
const TIMEOUT_TOO_MUCH_MS: Ms = 500;

/// Where a receive is filed: under its topic, its group and the queue id that it named (-1 = the
/// whole broker).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PollKey {
    /// Topic.
    pub topic: TopicId,
    /// Consumer group.
    pub group: GroupId,
    /// Queue id; -1 = the whole broker.
    pub queue: i32,
}

impl PollKey {
    /// Where a request is filed.
    pub fn of(request: &PopRequest) -> Self {
        let queue = request.queue.map_or(-1, i32::from);
        Self { topic: request.topic, group: request.group, queue }
    }
}

/// Receives that wait, by key, then by the end of their time, then by arrival.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PollTable {
    waiting: BTreeMap<(PollKey, Ms, u32), Rc<PopRequest>>,
    scans: BTreeSet<Ms>,
    arrivals: u32,
}

impl PollTable {
    /// True when nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// All that wait, in order.
    pub fn iter(&self) -> impl Iterator<Item = &PopRequest> {
        self.waiting.values().map(|request| &**request)
    }

    /// Number of receives under a key.
    pub fn count(&self, key: PollKey) -> usize {
        self.waiting.range((key, Ms::MIN, 0)..=(key, Ms::MAX, u32::MAX)).count()
    }

    /// Files a request.
    pub fn add(&mut self, request: Rc<PopRequest>) {
        self.arrivals += 1;
        let expiry_ms = request.born_ms + request.poll_ms;
        self.waiting.insert((PollKey::of(&request), expiry_ms, self.arrivals), request);
    }

    /// The one that is woken next under a key.
    pub fn first(&self, key: PollKey) -> Option<&Rc<PopRequest>> {
        let range = (key, Ms::MIN, 0)..=(key, Ms::MAX, u32::MAX);
        self.waiting.range(range).next().map(|(_, request)| request)
    }

    /// When a waiting request is run a last time: at the first scan to which its time is nearly over, in ms.
    pub fn looks_again_ms(&self, request: &PopRequest, ahead_ms: Ms) -> Ms {
        let expiry_ms = request.born_ms + request.poll_ms;
        self.scans.range(expiry_ms - ahead_ms + 1..).next().copied().unwrap_or(expiry_ms)
    }

    /// Takes the one that is woken next under a key.
    pub fn take_first(&mut self, key: PollKey) -> Option<Rc<PopRequest>> {
        let range = (key, Ms::MIN, 0)..=(key, Ms::MAX, u32::MAX);
        let place = self.waiting.range(range).next().map(|(place, _)| *place)?;
        self.waiting.remove(&place)
    }

    /// Makes the time of all that wait end earlier (negative) or later: the broker's clock was set.
    pub(super) fn shift(&mut self, by_ms: Ms) {
        self.scans.clear();
        for ((key, expiry_ms, arrival), mut request) in std::mem::take(&mut self.waiting) {
            Rc::make_mut(&mut request).born_ms += by_ms;
            self.waiting.insert((key, expiry_ms + by_ms, arrival), request);
        }
    }

    /// Forgets the receives of somebody whose connection is closed: they would run for nobody
    /// (`PopLongPollingService.pollRemotingCommands` passes over inactive channels).
    pub(crate) fn forget(&mut self, from: Party) {
        self.waiting.retain(|_, request| request.from != from);
    }

    /// Takes all.
    pub fn take_all(&mut self) -> Vec<Rc<PopRequest>> {
        self.scans.clear();
        std::mem::take(&mut self.waiting).into_values().collect()
    }

    fn groups(&self, topic: TopicId) -> Vec<GroupId> {
        let from = (PollKey { topic, group: GroupId(0), queue: -1 }, Ms::MIN, 0);
        let to = (PollKey { topic, group: GroupId(u16::MAX), queue: i32::MAX }, Ms::MAX, u32::MAX);
        let mut groups: Vec<GroupId> =
            self.waiting.range(from..=to).map(|((key, ..), _)| key.group).collect();
        groups.dedup();
        groups
    }
}

impl Broker {
    /// Files a receive that found nothing; the status to answer when it cannot wait.
    pub(super) fn park(
        &mut self,
        shared: &mut Shared,
        request: &Rc<PopRequest>,
    ) -> Option<PopStatus> {
        let model = &shared.model;
        let expiry_ms = request.born_ms + request.poll_ms;
        let answered_ms = expiry_ms - model.pop_polling_ahead_ms;
        if request.poll_ms <= 0 || shared.now_ms > answered_ms {
            return Some(PopStatus::PollingTimeout);
        }
        if self.pop.polls.count(PollKey::of(request)) as i64 > model.pop_polling_size {
            return Some(PopStatus::PollingFull);
        }
        self.pop.polls.add(Rc::clone(request));
        let (group, from, queue) = (request.group, request.from, request.queue);
        let until_ms = expiry_ms;
        shared.fact(Fact::Pop(PopFact::PollParked { group, from, queue, until_ms }));
        self.schedule_poll_scan(shared, answered_ms);
        None
    }

    /// Schedules the first scan after an instant.
    fn schedule_poll_scan(&mut self, shared: &mut Shared, after_ms: Ms) {
        let period_ms = shared.model.pop_polling_scan_ms.max(1);
        let since_ms = after_ms - self.started_ms;
        let scan_ms = self.started_ms + (since_ms.div_euclid(period_ms) + 1) * period_ms;
        if self.pop.polls.scans.insert(scan_ms) {
            shared.at(scan_ms, Event::Broker(self.id, BrokerTimer::Pop(PopTimer::PollScan)));
        }
    }

    /// Schedules the scans of all that wait anew. Whoever would wait too long now gives up first.
    pub(super) fn rearm_poll_scans(&mut self, shared: &mut Shared) {
        let ahead_ms = shared.model.pop_polling_ahead_ms;
        let waiting = self.pop.polls.waiting.iter();
        let all: Vec<(Ms, Party, Rpc)> =
            waiting.map(|((_, expiry_ms, _), of)| (*expiry_ms, of.from, of.rpc)).collect();
        for (expiry_ms, asker, rpc) in all {
            self.schedule_poll_scan(shared, (expiry_ms - ahead_ms).max(shared.now_ms));
            if expiry_ms > rpc.deadline_ms {
                shared.give_up(asker, rpc, RequestKind::Receive);
            }
        }
    }

    /// True when the time of a receive was over long ago by the broker's clock: it is not run any
    /// more.
    pub(super) fn is_long_over(shared: &Shared, request: &PopRequest) -> bool {
        shared.now_ms - request.born_ms - request.poll_ms > TIMEOUT_TOO_MUCH_MS
    }

    fn woken(&self, shared: &mut Shared, request: &PopRequest, why: Wake) {
        let (group, from, queue) = (request.group, request.from, request.queue);
        shared.fact(Fact::Pop(PopFact::PollWoken { group, from, queue, why }));
    }

    /// Wakes one receive under a key; false when none waits.
    pub(super) fn wake(&mut self, shared: &mut Shared, key: PollKey, why: Wake) -> bool {
        let Some(request) = self.pop.polls.take_first(key) else { return false };
        self.woken(shared, &request, why);
        self.run_pops(shared, request);
        true
    }

    /// The next receive that runs because this one left messages behind.
    pub(super) fn chain(
        &mut self,
        shared: &mut Shared,
        request: &PopRequest,
    ) -> Option<Rc<PopRequest>> {
        let next = self.pop.polls.take_first(PollKey::of(request))?;
        self.woken(shared, &next, Wake::Chain);
        Some(next)
    }

    /// A message came into a queue: for each group one receive of the whole broker and one of the
    /// queue run, if the hash of its tag passes their filter (5.3.0+), or whatever its tag is. What is
    /// announced is the place behind the message, so that it is the 800th that wakes whatever its tag
    /// is, and never the first (5.3.2+). Source: `DefaultMessageStore.notifyMessageArriveIfNecessary`
    /// (`getConsumeQueueOffset() + 1`), `PopLongPollingService.notifyMessageArriving` (`force`).
    pub(in crate::broker) fn wake_polls(
        &mut self,
        shared: &mut Shared,
        queue: MessageQueue,
        offset: i64,
        tag: u16,
    ) {
        if self.pop.polls.is_empty() {
            return;
        }
        let interval = shared.model.pop_force_notify_interval;
        let forced = interval > 0 && (offset + 1) % interval == 0;
        let any = forced || shared.model.pop_arrival_filter == 0;
        let code = shared.names.tag_hash(tag);
        for group in self.pop.polls.groups(queue.topic) {
            for id in [-1, i32::from(queue.id)] {
                let key = PollKey { topic: queue.topic, group, queue: id };
                let same = |wanted: &u16| shared.names.tag_hash(*wanted) == code;
                let matches = |request: &Rc<PopRequest>| {
                    any || request.tags.is_empty() || request.tags.iter().any(same)
                };
                if self.pop.polls.first(key).is_some_and(matches) {
                    self.wake(shared, key, Wake::Arrival);
                }
            }
        }
    }

    /// The lock-free timer of a queue fires.
    pub(super) fn on_lock_free(&mut self, shared: &mut Shared, key: RecordKey) {
        if !self.pop.wheel.fire(key, shared.now_ms) {
            return;
        }
        let (group, queue) = key;
        let max = self.store.range(queue).1;
        if max <= self.offsets.get(&key).copied().unwrap_or(-1) {
            return;
        }
        let broker = PollKey { topic: queue.topic, group, queue: -1 };
        if !self.wake(shared, broker, Wake::LockFree) {
            let key = PollKey { queue: i32::from(queue.id), ..broker };
            self.wake(shared, key, Wake::LockFree);
        }
    }

    /// A scan: receives whose time is nearly over run a last time.
    pub(super) fn on_poll_scan(&mut self, shared: &mut Shared) {
        let now_ms = shared.now_ms;
        if !self.pop.polls.scans.remove(&now_ms) {
            return;
        }
        let ahead_ms = shared.model.pop_polling_ahead_ms;
        let over = |(_, expiry_ms, _): &&(PollKey, Ms, u32)| now_ms > expiry_ms - ahead_ms;
        let due: Vec<_> = self.pop.polls.waiting.keys().filter(over).copied().collect();
        for place in due {
            // An earlier one of this scan may have woken it already.
            if let Some(request) = self.pop.polls.waiting.remove(&place) {
                self.woken(shared, &request, Wake::Expiry);
                self.run_pops(shared, request);
            }
        }
    }
}
