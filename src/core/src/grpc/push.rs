//! Receive loops of a push consumer: one for each assigned queue object, one request after the
//! other, whether the messages before are handled or not.

use std::rc::Rc;

use super::{
    Assignment, Delivery, GrpcClient, GrpcCode, GrpcTimer, Pending, PopPacket, ReceiveRequest,
};
use crate::broker::pop::AttemptId;
use crate::client::Status;
use crate::fact::Fact;
use crate::ids::{Ms, TopicId};
use crate::pop::PopFact;
use crate::shared::{Shared, Subscribed};

/// A receive loop. It goes on with the filter that it began with, whatever its consumer subscribes to
/// since, and also when the consumer has unsubscribed: the scan of assignments looks at subscribed topics
/// alone. Source: clients java `PushConsumerImpl.scanAssignments`, `syncProcessQueue`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReceiveLoop {
    /// Number at its client.
    pub number: u32,
    /// What it was assigned.
    pub from: Assignment,
    /// Tags that it asks for; empty = all.
    pub tags: Rc<[u16]>,
    /// It ends with the request under way.
    pub dropped: bool,
    /// Attempt of the next request.
    pub attempt: AttemptId,
    /// Messages that were received and are not finished.
    pub cached: u32,
    /// Their bytes.
    pub bytes: u64,
    /// A request is under way.
    pub receiving: bool,
    /// When the next request is sent, while it pauses.
    pub pause_until_ms: Option<Ms>,
}

impl GrpcClient {
    pub(super) fn on_assignments_timer(&mut self, shared: &mut Shared) {
        if self.status != Status::Running {
            return;
        }
        let (group, limit_ms) = (self.group, shared.model.grpc_request_timeout_ms);
        for topic in self.topics(shared) {
            self.ask(shared, limit_ms, Pending::Assignment, |rpc| PopPacket::QueryAssignment {
                rpc,
                group,
                topic,
            });
        }
        shared.after(shared.model.assignment_period_ms, self.timer(GrpcTimer::Assignments));
    }

    pub(super) fn on_assigned(
        &mut self,
        shared: &mut Shared,
        topic: TopicId,
        assignments: &[Assignment],
    ) {
        if self.status != Status::Running || self.fifo.is_none() {
            return;
        }
        for known in self.loops.iter_mut().filter(|l| l.from.topic == topic) {
            known.dropped |= !assignments.contains(&known.from);
        }
        let mut fresh = Vec::new();
        let tags = self.tags(shared, topic);
        for from in assignments {
            if self.loops.iter().any(|l| l.from == *from && !l.dropped) {
                continue;
            }
            let number = self.next_number();
            let attempt = self.next_attempt();
            self.loops.push(ReceiveLoop {
                number,
                from: *from,
                tags: Rc::clone(&tags),
                dropped: false,
                attempt,
                cached: 0,
                bytes: 0,
                receiving: false,
                pause_until_ms: None,
            });
            fresh.push(number);
        }
        for number in fresh {
            self.receive(shared, number);
        }
    }

    /// What it reads as things are: its receive loops with the filters that they began with, and what it
    /// subscribes to where it has none yet.
    pub(crate) fn reads(&self, shared: &Shared) -> Rc<[Subscribed]> {
        let now = shared.subscriptions_of(self.id, self.group);
        if self.loops.is_empty() || shared.names.own_subscriptions.is_empty() {
            return now;
        }
        let mut reads: Vec<Subscribed> = Vec::new();
        for own in self.loops.iter().filter(|own| !own.dropped) {
            let topic = own.from.topic;
            match reads.iter_mut().find(|known| known.topic == topic) {
                Some(known) if known.tags.is_empty() || own.tags.is_empty() => known.tags.clear(),
                Some(known) => {
                    let more = own.tags.iter().filter(|tag| !known.tags.contains(tag));
                    let more: Vec<u16> = more.copied().collect();
                    known.tags.extend(more);
                }
                None => reads.push(Subscribed { topic, tags: own.tags.to_vec() }),
            }
        }
        let by_loop = reads.len();
        for one in now.iter() {
            if reads[..by_loop].iter().all(|known| known.topic != one.topic) {
                reads.push(one.clone());
            }
        }
        reads.into()
    }

    fn receive_loop(&mut self, number: u32) -> Option<&mut ReceiveLoop> {
        self.loops.iter_mut().find(|l| l.number == number)
    }

    /// Sends the next request of a loop, or pauses when its cache is full.
    pub(super) fn receive(&mut self, shared: &mut Shared, number: u32) {
        if self.status != Status::Running {
            return;
        }
        let model = Rc::clone(&shared.model);
        let live = self.loops.iter().filter(|l| !l.dropped).count().max(1) as i64;
        let most = (model.grpc_max_cache_count / live).max(1);
        let most_bytes = (model.grpc_max_cache_size_mib * 1024 * 1024 / live).max(1);
        let Some(own) = self.receive_loop(number) else { return };
        own.pause_until_ms = None;
        if own.dropped {
            return self.loops.retain(|l| !(l.dropped && l.cached == 0));
        }
        if i64::from(own.cached) >= most || own.bytes as i64 >= most_bytes {
            return self.receive_later(shared, number, model.grpc_receive_backoff_ms);
        }
        let room = (most - i64::from(own.cached)).max(1);
        let max = room.min(model.grpc_receive_batch_size) as u32;
        own.receiving = true;
        let (from, attempt, tags) = (own.from, Some(own.attempt), Rc::clone(&own.tags));
        let group = self.group;
        let poll_ms = model.grpc_max_long_polling_ms;
        let limit_ms = poll_ms + model.grpc_request_timeout_ms;
        self.ask(shared, limit_ms, Pending::Receive { number }, |rpc| {
            PopPacket::Receive(Rc::new(ReceiveRequest {
                rpc,
                group,
                from,
                max,
                invisible_ms: None,
                poll_ms,
                attempt,
                tags,
            }))
        });
    }

    fn receive_later(&mut self, shared: &mut Shared, number: u32, pause_ms: Ms) {
        let until_ms = shared.now_ms + pause_ms;
        if let Some(own) = self.receive_loop(number) {
            own.pause_until_ms = Some(until_ms);
            shared.at(until_ms, self.timer(GrpcTimer::Receive(number)));
        }
    }

    pub(super) fn on_received(
        &mut self,
        shared: &mut Shared,
        number: u32,
        result: Result<Rc<[Delivery]>, GrpcCode>,
        pause_ms: Ms,
    ) {
        match result {
            Ok(deliveries) => {
                let attempt = self.next_attempt();
                if let Some(own) = self.receive_loop(number) {
                    own.receiving = false;
                    own.attempt = attempt;
                    own.cached += deliveries.len() as u32;
                    own.bytes += deliveries.iter().map(|d| u64::from(d.bytes)).sum::<u64>();
                }
                self.note_received(shared, &deliveries);
                self.consume(shared, number, &deliveries);
                self.receive(shared, number);
            }
            Err(GrpcCode::MessageNotFound) => {
                let (client, code) = (self.id, GrpcCode::MessageNotFound);
                shared.fact(Fact::Pop(PopFact::ReceivedNothing { client, code }));
                let fresh = self.next_attempt();
                let kept = shared.model.attempt_id_kept == 1;
                if let Some(own) = self.receive_loop(number) {
                    own.receiving = false;
                    own.attempt = if kept { own.attempt } else { fresh };
                }
                match pause_ms {
                    0 => self.receive(shared, number),
                    _ => self.receive_later(shared, number, pause_ms),
                }
            }
            Err(code) => self.on_receive_failed(shared, number, code, false),
        }
    }

    pub(super) fn note_received(&self, shared: &mut Shared, deliveries: &[Delivery]) {
        for delivery in deliveries {
            let handle = delivery.handle;
            shared.fact(Fact::Pop(PopFact::Received {
                client: self.id,
                queue: handle.queue,
                offset: handle.offset as u32,
                msg: handle.msg,
                attempt: delivery.attempt().min(u32::from(u16::MAX)) as u16,
            }));
        }
    }

    /// A receive failed; its attempt id is kept after a time-out, since 2026 after every error.
    pub(super) fn on_receive_failed(
        &mut self,
        shared: &mut Shared,
        number: u32,
        code: GrpcCode,
        late: bool,
    ) {
        shared.fact(Fact::Pop(PopFact::ReceivedNothing { client: self.id, code }));
        let model = Rc::clone(&shared.model);
        let fresh = self.next_attempt();
        if let Some(own) = self.receive_loop(number) {
            own.receiving = false;
            if !late && model.attempt_id_kept == 0 {
                own.attempt = fresh;
            }
        }
        let pause_ms = match code {
            GrpcCode::TooManyRequests => model.grpc_receive_throttled_ms,
            _ => model.grpc_receive_backoff_ms,
        };
        self.receive_later(shared, number, pause_ms);
    }

    /// A message is finished: it leaves its loop's cache.
    pub(super) fn evict(&mut self, number: u32, delivery: &Delivery) {
        if let Some(own) = self.receive_loop(number) {
            own.cached = own.cached.saturating_sub(1);
            own.bytes = own.bytes.saturating_sub(u64::from(delivery.bytes));
            if own.dropped && own.cached == 0 && !own.receiving {
                self.loops.retain(|l| l.number != number);
            }
        }
    }
}
