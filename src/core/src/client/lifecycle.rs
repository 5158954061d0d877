//! Start, periodic duties, stop, crash and hang of a consumer process.

use std::rc::Rc;

use super::{Client, Status};
use crate::event::{ClientTimer, Packet};
use crate::fact::{DropReason, Fact, RoundCause, StopKind};
use crate::ids::{BrokerId, MessageQueue, Party, TopicId};
use crate::model::Version;
use crate::shared::Shared;

impl Client {
    /// `start()`: route, heartbeat, first rebalance, periodic tasks.
    pub(crate) fn start(&mut self, shared: &mut Shared) {
        shared.fact(Fact::ConsumerStarted { client: self.id });
        self.read_routes(shared);
        self.send_heartbeat(shared);
        self.wake_rebalance(shared, RoundCause::Start);
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

    pub(super) fn send_heartbeat(&self, shared: &mut Shared) {
        for broker in self.brokers() {
            self.send_heartbeat_to(shared, broker);
        }
    }

    fn send_heartbeat_to(&self, shared: &mut Shared, broker: BrokerId) {
        let packet = Packet::Heartbeat {
            group: self.group,
            version_ms: self.sub_version_ms,
            subscriptions: Rc::clone(&self.subscriptions),
        };
        shared.send(self.party(), Party::Broker(broker), packet);
    }

    pub(super) fn on_heartbeat_timer(&mut self, shared: &mut Shared) {
        self.send_heartbeat(shared);
        shared.after(shared.model.heartbeat_broker_interval_ms, self.timer(ClientTimer::Heartbeat));
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
        if self.subscriptions.iter().any(|wanted| !before.contains(wanted)) {
            self.sub_version_ms = shared.now_ms;
            self.send_heartbeat(shared);
        }
    }

    /// Whether it subscribes to a topic.
    pub(super) fn subscribes(&self, topic: TopicId) -> bool {
        self.subscriptions.iter().any(|s| s.topic == topic)
    }

    pub(super) fn on_route_poll(&mut self, shared: &mut Shared) {
        self.read_routes(shared);
        shared.after(shared.model.poll_name_server_interval_ms, self.timer(ClientTimer::RoutePoll));
    }

    pub(super) fn on_push_offsets(&mut self, shared: &mut Shared) {
        self.push_all_offsets(shared);
        let period_ms = shared.model.persist_consumer_offset_interval_ms;
        shared.after(period_ms, self.timer(ClientTimer::PushOffsets));
    }

    /// Pushes the offsets of all owned queues, one-way.
    fn push_all_offsets(&mut self, shared: &mut Shared) {
        for broker in self.brokers() {
            let owned = self
                .offsets
                .iter()
                .filter(|(queue, _)| queue.broker == broker && self.queues.contains_key(queue));
            let offsets: Rc<[(MessageQueue, i64)]> = owned.map(|(q, o)| (*q, *o)).collect();
            if !offsets.is_empty() {
                let packet = Packet::PushOffsets { group: self.group, offsets };
                shared.send(self.party(), Party::Broker(broker), packet);
            }
        }
    }

    /// Pushes the offset of one queue, one-way.
    pub(super) fn push_offset(&self, shared: &mut Shared, queue: MessageQueue) {
        if let Some(offset) = self.offsets.get(&queue) {
            let packet =
                Packet::PushOffsets { group: self.group, offsets: Rc::new([(queue, *offset)]) };
            shared.send(self.party(), Party::Broker(queue.broker), packet);
        }
    }

    /// `shutdown()`. Renewals and new tasks end now; running listeners are waited for only as long
    /// as `awaitTerminationMillisWhenShutdown` says.
    pub(crate) fn shut_down(&mut self, shared: &mut Shared) {
        let setting_ms = shared.group(self.group).await_termination_ms;
        let wait_ms = match setting_ms {
            -1 => shared.model.await_termination_when_shutdown_ms,
            ms => ms,
        };
        self.pool_waiting.clear();
        self.status = Status::Stopping { until_ms: shared.now_ms + wait_ms };
        if wait_ms <= 0 || self.calls.is_empty() {
            self.finish_shutdown(shared);
        } else {
            shared.after(wait_ms, self.timer(ClientTimer::ShutdownWait));
        }
    }

    pub(super) fn on_shutdown_wait(&mut self, shared: &mut Shared) {
        if matches!(self.status, Status::Stopping { until_ms } if until_ms <= shared.now_ms) {
            self.finish_shutdown(shared);
        }
    }

    /// Goes on with a shutdown when the last running listener has returned.
    pub(super) fn after_call(&mut self, shared: &mut Shared) {
        if matches!(self.status, Status::Stopping { .. }) && self.calls.is_empty() {
            self.finish_shutdown(shared);
        }
    }

    /// Unlock, offsets, unregister; then the entries are dropped. As in a renewal, 4.x does not leave
    /// out what waits to be given away (`buildProcessQueueTableByBrokerName`).
    fn finish_shutdown(&mut self, shared: &mut Shared) {
        let with_dropped = shared.model.renew_dropped == 1;
        for broker in self.brokers() {
            if self.orderly() {
                let held = self.queues.iter().filter(|(queue, entry)| {
                    queue.broker == broker && (with_dropped || !entry.dropped)
                });
                let queues: Rc<[MessageQueue]> = held.map(|(q, _)| *q).collect();
                if !queues.is_empty() {
                    let packet = Packet::Unlock { rpc: None, group: self.group, queues };
                    shared.send(self.party(), Party::Broker(broker), packet);
                }
            }
        }
        self.push_all_offsets(shared);
        for broker in self.brokers() {
            let packet = Packet::Unregister { group: self.group };
            shared.send(self.party(), Party::Broker(broker), packet);
        }
        self.status = Status::Ended(StopKind::Clean);
        for (queue, entry) in &mut self.queues {
            if !entry.dropped {
                Rc::make_mut(entry).dropped = true;
                let reason = DropReason::Shutdown;
                shared.facts.push(Fact::QueueDropped { client: self.id, queue: *queue, reason });
            }
        }
        self.open.clear();
        shared.fact(Fact::ConsumerStopped { client: self.id, how: StopKind::Clean });
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
            for broker in self.brokers() {
                shared.send(self.party(), Party::Broker(broker), Packet::Closed);
            }
        }
        shared.fact(Fact::ConsumerStopped { client: self.id, how });
    }

    /// A broker is back: clients since 5.2.0 send a heartbeat as soon as they are connected again.
    pub(crate) fn on_broker_back(&mut self, shared: &mut Shared, broker: BrokerId) {
        let connects = self.status == Status::Running && shared.model.version >= Version(5, 2, 0);
        if connects && self.brokers().any(|known| known == broker) {
            self.send_heartbeat_to(shared, broker);
        }
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
