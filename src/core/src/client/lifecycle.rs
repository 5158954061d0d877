//! Start, periodic duties, crash and hang of a consumer process.

use std::collections::VecDeque;
use std::rc::Rc;

use super::{AfterBeat, Client, Pending, Status, Thread};
use crate::event::{ClientTimer, Packet};
use crate::fact::{Fact, RoundCause, StopKind};
use crate::ids::{BrokerId, MessageQueue, Ms, TopicId};
use crate::shared::Shared;

impl Client {
    /// `start()`: route, heartbeat, first rebalance, periodic tasks.
    pub(crate) fn start(&mut self, shared: &mut Shared) {
        shared.fact(Fact::ConsumerStarted { client: self.id });
        self.read_routes(shared);
        self.beat(shared, AfterBeat::Start);
        let model = Rc::clone(&shared.model);
        if self.orderly() {
            self.renew_at_ms = shared.now_ms + model.lock_renewal_initial_delay_ms;
            shared.after(model.lock_renewal_initial_delay_ms, self.timer(ClientTimer::RenewLocks));
        } else {
            shared.after(model.consume_timeout_ms, self.timer(ClientTimer::CleanExpired));
        }
        shared.after(model.persist_offset_initial_delay_ms, self.timer(ClientTimer::PushOffsets));
        shared.after(model.heartbeat_initial_delay_ms, self.timer(ClientTimer::Heartbeat));
        shared.after(model.route_poll_initial_delay_ms, self.timer(ClientTimer::RoutePoll));
    }

    /// Brokers that the routes of its topics name, in order.
    pub(super) fn brokers(&self) -> impl Iterator<Item = BrokerId> {
        let mut all: Vec<BrokerId> =
            self.routes.values().flat_map(|queues| queues.iter().map(|q| q.broker)).collect();
        all.sort_unstable();
        all.dedup();
        all.into_iter()
    }

    /// A heartbeat to every broker, one after the other, each waited for; then `then` goes on. Whoever
    /// finds another thread at it does not send any (`sendHeartbeatToAllBrokerWithLock`).
    pub(super) fn beat(&mut self, shared: &mut Shared, then: AfterBeat) {
        let busy = self.open.iter().any(|open| matches!(open.what, Pending::Beat { .. }));
        let left = if busy { VecDeque::new() } else { self.brokers().collect() };
        self.beat_next(shared, left, then);
    }

    /// The next broker has its heartbeat, or all had theirs.
    pub(super) fn beat_next(
        &mut self,
        shared: &mut Shared,
        mut left: VecDeque<BrokerId>,
        then: AfterBeat,
    ) {
        let Some(broker) = left.pop_front().filter(|_| !self.leaving) else {
            return match then {
                AfterBeat::Start => self.wake_rebalance(shared, RoundCause::Start),
                AfterBeat::Round => self.advance_round(shared),
                AfterBeat::Period => self.thread_goes_on(shared, Thread::Instance),
                AfterBeat::Nothing => {}
            };
        };
        if then == AfterBeat::Period {
            self.thread_waits(Thread::Instance);
        }
        let (group, versions) = (self.group, Rc::clone(&self.sub_versions));
        let subscriptions = Rc::clone(&self.subscriptions);
        let limit_ms = shared.model.mq_client_api_timeout_ms;
        self.ask(shared, broker, limit_ms, Pending::Beat { left, then }, |rpc| Packet::Heartbeat {
            rpc,
            group,
            versions,
            subscriptions,
        });
    }

    /// The periodic tasks have fixed periods, however late one of them is carried out.
    pub(super) fn schedule_again(&mut self, shared: &mut Shared, timer: ClientTimer) {
        let model = &shared.model;
        let period_ms = match timer {
            ClientTimer::RenewLocks if self.status != Status::Running => return,
            ClientTimer::RenewLocks => model.rebalance_lock_interval_ms,
            ClientTimer::Heartbeat => model.heartbeat_broker_interval_ms,
            ClientTimer::PushOffsets => model.persist_consumer_offset_interval_ms,
            ClientTimer::RoutePoll => model.poll_name_server_interval_ms,
            _ => return,
        };
        if timer == ClientTimer::RenewLocks {
            self.renew_at_ms = shared.now_ms + period_ms;
        }
        shared.after(period_ms, self.timer(timer));
    }

    /// Reads the routes; a topic that no broker registers keeps the one it had.
    fn read_routes(&mut self, shared: &mut Shared) {
        for subscription in Rc::clone(&self.subscriptions).iter() {
            let topic = subscription.topic;
            let queues = shared.name_server.route(&shared.names, topic).read_list(topic);
            let known = self.routes.get(&topic);
            if queues.is_empty() && known.is_some() || known.is_some_and(|k| **k == *queues) {
                continue;
            }
            if known.is_some() {
                let (party, count) = (self.party(), queues.len() as u16);
                shared.fact(Fact::RouteChanged { party, topic, queues: count });
            }
            self.routes.insert(topic, queues.into());
        }
        let wanted = &self.subscriptions;
        self.routes.retain(|topic, _| wanted.iter().any(|s| s.topic == *topic));
    }

    /// `subscribe()` and `unsubscribe()` while it runs. A new subscription is told to the brokers at
    /// once; a topic that is given up is not: the next heartbeat leaves it out, and the next
    /// rebalance round drops its queues. The route of a new topic is read by the next poll. Source:
    /// `DefaultMQPushConsumerImpl.subscribe`, `unsubscribe`.
    pub(crate) fn subscribe(&mut self, shared: &mut Shared) {
        let before = std::mem::replace(
            &mut self.subscriptions,
            shared.subscriptions_of(self.id, self.group),
        );
        let (versions, now_ms) =
            (Rc::clone(&self.sub_versions), shared.now_ms + self.clock_ahead_ms);
        let version = |wanted| {
            let known = before.iter().position(|known| known == wanted);
            known.and_then(|place| versions.get(place)).copied().unwrap_or(now_ms)
        };
        self.sub_versions = self.subscriptions.iter().map(version).collect();
        if self.subscriptions.iter().any(|wanted| !before.contains(wanted)) {
            self.beat(shared, AfterBeat::Nothing);
        }
    }

    /// Whether it subscribes to a topic.
    pub(super) fn subscribes(&self, topic: TopicId) -> bool {
        self.subscriptions.iter().any(|s| s.topic == topic)
    }

    /// When it subscribed to a topic, by its clock (`subVersion`); None when it does not.
    pub(crate) fn sub_version_ms(&self, topic: TopicId) -> Option<Ms> {
        let place = self.subscriptions.iter().position(|s| s.topic == topic)?;
        self.sub_versions.get(place).copied()
    }

    /// Its share of a topic has changed: the broker is to take its subscription for the latest.
    /// Source: `RebalancePushImpl.messageQueueChanged`.
    pub(super) fn renew_subscription(&mut self, shared: &Shared, topic: TopicId) {
        let now_ms = shared.now_ms + self.clock_ahead_ms;
        let topics = self.subscriptions.iter().map(|s| s.topic);
        let versions = topics.zip(self.sub_versions.iter().copied());
        let renewed = versions.map(|(of, version)| if of == topic { now_ms } else { version });
        self.sub_versions = renewed.collect();
    }

    pub(super) fn on_route_poll(&mut self, shared: &mut Shared) {
        self.read_routes(shared);
    }

    /// Pushes the offsets of all owned queues, one-way.
    pub(super) fn push_all_offsets(&mut self, shared: &mut Shared) {
        for broker in self.brokers() {
            let owned = self
                .offsets
                .iter()
                .filter(|(queue, _)| queue.broker == broker && self.queues.contains_key(queue));
            let offsets: Rc<[(MessageQueue, i64)]> = owned.map(|(q, o)| (*q, *o)).collect();
            if !offsets.is_empty() {
                let packet = Packet::PushOffsets { group: self.group, offsets };
                self.tell(shared, broker, packet);
            }
        }
    }

    /// Pushes the offset of one queue, one-way.
    pub(super) fn push_offset(&mut self, shared: &mut Shared, queue: MessageQueue) {
        if let Some(offset) = self.offsets.get(&queue) {
            let packet =
                Packet::PushOffsets { group: self.group, offsets: Rc::new([(queue, *offset)]) };
            self.tell(shared, queue.broker, packet);
        }
    }

    /// The process dies. With [`StopKind::Crash`] its connections close and brokers see that.
    pub(crate) fn die(&mut self, shared: &mut Shared, how: StopKind) {
        self.status = Status::Ended(how);
        self.calls.clear();
        self.pool_waiting.clear();
        self.frozen.clear();
        self.open.clear();
        self.busy = 0;
        if how == StopKind::Crash {
            self.hang_up(shared);
        }
        shared.fact(Fact::ConsumerStopped { client: self.id, how });
    }

    /// The process stands still: its events wait.
    pub(crate) fn hang(&mut self, shared: &mut Shared) {
        self.status = Status::Hanging;
        shared.fact(Fact::ConsumerStopped { client: self.id, how: StopKind::Hang });
    }

    /// The process goes on; what waited happens now, in its order.
    pub(crate) fn resume(&mut self, shared: &mut Shared) {
        self.status = Status::Running;
        shared.fact(Fact::ConsumerResumed { client: self.id });
        for event in std::mem::take(&mut self.frozen) {
            shared.at(shared.now_ms, event);
        }
    }
}
