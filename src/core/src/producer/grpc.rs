//! The 5.x send path: the SDK builds and checks, picks an endpoint, and the proxy behind it picks
//! the stored queue. Source: clients java `MessageBuilderImpl`, `ProducerImpl.send0`,
//! `PublishingLoadBalancer`.

use std::rc::Rc;

use super::{Producer, Sending};
use crate::command::{MessageSpec, Selector, TopicType};
use crate::event::{Packet, ProducerTimer, Refused, Rpc};
use crate::fact::{Fact, SendFailure, TypeCheck};
use crate::grpc::{GrpcCode, PopPacket, SendRefusal};
use crate::ids::{MessageQueue, Ms, MsgId, Party, ProxyId, TopicId};
use crate::pop::PopFact;
use crate::proxy::type_of;
use crate::proxy::validate::accepted_types;
use crate::shared::Shared;

/// What an SDK knows of a topic's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KnownType {
    topic: TopicId,
    kind: TopicType,
    read_ms: Ms,
}

/// Wait before attempt `attempt` of a throttled send, in ms: 20 before the second, 40 before the
/// third by default.
pub fn throttled_wait_ms(initial_ms: Ms, max_ms: Ms, attempt: u8) -> Ms {
    let doublings = u32::from(attempt.saturating_sub(1)).min(40);
    (initial_ms << doublings).min(max_ms)
}

impl Producer {
    /// True when its sends take the 5.x path. Before 5.0 there is no proxy: the choice of the message
    /// group's queue is kept then, so that a run can be compared, and goes straight to the broker.
    pub(crate) fn is_grpc(&self, shared: &Shared) -> bool {
        self.selector == Selector::MessageGroup && shared.model.version.0 >= 5
    }

    /// The proxy that its sends pass; None for a classic client that speaks to the brokers.
    pub fn speaks_to(&self, shared: &Shared) -> Option<ProxyId> {
        self.proxy.or_else(|| self.is_grpc(shared).then_some(ProxyId(0)))
    }

    /// Whether a message is the first of several in one request.
    pub fn is_together(&self, first: MsgId) -> bool {
        self.request_of(first).is_some_and(|request| request.len() > 1)
    }

    fn proxy_party(&self) -> Party {
        Party::Proxy(self.proxy.unwrap_or(ProxyId(0)))
    }

    /// Messages of one request, by the first of them.
    fn request_of(&self, first: MsgId) -> Option<&Rc<[MsgId]>> {
        self.together.iter().find(|msgs| msgs.first() == Some(&first))
    }

    /// The application hands over several messages for one request.
    pub(crate) fn send_together(
        &mut self,
        shared: &mut Shared,
        topic: TopicId,
        thread: u8,
        messages: &[MessageSpec],
    ) {
        let msgs: Rc<[MsgId]> =
            messages.iter().map(|spec| self.build(shared, topic, spec, false)).collect();
        let Some(first) = msgs.first().copied() else { return };
        if msgs.len() > 1 {
            self.together.push(msgs);
        }
        self.enqueue(shared, thread, first);
    }

    /// Sends the request of a message; false when the SDK itself refuses it.
    pub(super) fn send_grpc(&mut self, shared: &mut Shared, thread: u8, msg: MsgId) -> bool {
        match self.prepare_grpc(shared, thread, msg) {
            Ok(queue) => {
                self.transmit_grpc(shared, Sending::new(msg, queue, 0, thread));
                true
            }
            Err(reason) => {
                self.fail_grpc(shared, msg, reason);
                false
            }
        }
    }

    /// The SDK's own checks, then the endpoint: the broker of a candidate queue.
    fn prepare_grpc(
        &mut self,
        shared: &mut Shared,
        thread: u8,
        msg: MsgId,
    ) -> Result<MessageQueue, SendFailure> {
        let names = Rc::clone(&shared.names);
        let message = shared.message(msg);
        let (topic, transaction) = (message.topic, message.transaction);
        let group = names.series[message.series.index()].key.as_deref();
        let group = group.filter(|key| !key.is_empty());
        let delayed = message.delay_level > 0 || message.timer_delay_ms > 0;
        if group.is_some() && (delayed || transaction) || delayed && transaction {
            return Err(SendFailure::GroupWithDelay);
        }
        self.check_own_type(shared, msg)?;
        let sdk = self.sdk;
        let info = self.info(shared, topic);
        let n = info.queues.len();
        if n == 0 {
            return Err(SendFailure::NoWritableQueue);
        }
        let candidate = group.and_then(|key| sdk.candidate(key, n as u32));
        let chosen = match candidate {
            Some(index) => info.queues.get(index as usize).copied(),
            None => info.next(usize::from(thread), None),
        };
        chosen.ok_or(SendFailure::NoWritableQueue)
    }

    /// The SDK checks the type itself, by the route that it read at most 30 s ago.
    fn check_own_type(&mut self, shared: &Shared, msg: MsgId) -> Result<(), SendFailure> {
        if !self.checks_types || shared.model.enable_topic_message_type_check == 0 {
            return Ok(());
        }
        let message = shared.message(msg);
        let (topic, read_ms) = (message.topic, shared.now_ms);
        let kind = shared.names.topics[topic.index()].kind;
        let fresh = KnownType { topic, kind, read_ms };
        let known = match self.known_types.iter_mut().find(|k| k.topic == topic) {
            Some(known) => {
                if read_ms - known.read_ms >= shared.model.poll_name_server_interval_ms {
                    *known = fresh;
                }
                *known
            }
            None => {
                self.known_types.push(fresh);
                fresh
            }
        };
        let actual = type_of(shared, message);
        match accepted_types(known.kind).contains(&actual) {
            true => Ok(()),
            false => Err(SendFailure::TypeConflict {
                expected: Some(known.kind),
                actual,
                by: TypeCheck::Sdk,
            }),
        }
    }

    fn transmit_grpc(&mut self, shared: &mut Shared, mut sending: Sending) {
        self.tokens += 1;
        sending.token = self.tokens;
        sending.deadline_ms = shared.now_ms + shared.model.grpc_request_timeout_ms;
        self.sending.push(sending);
        let Sending { msg, queue, attempt, token, deadline_ms, .. } = sending;
        let producer = self.id;
        shared.fact(Fact::Pop(PopFact::EndpointChosen { producer, msg, queue, attempt }));
        let extra_ms = if attempt == 1 { shared.message(msg).travel_ms } else { 0 };
        let rpc = Rpc { token, deadline_ms, connection: 0 };
        let packet = match self.request_of(msg) {
            Some(msgs) => PopPacket::SubmitMany {
                rpc,
                msgs: Rc::clone(msgs),
                endpoint: queue.broker,
                attempt,
            },
            None => PopPacket::Submit { rpc, msg, endpoint: queue.broker, attempt },
        };
        let route = (Party::Producer(self.id), self.proxy_party());
        shared.send_slowly(route.0, route.1, extra_ms, Packet::Pop(packet));
    }

    /// The proxy answered.
    pub(super) fn on_submitted(
        &mut self,
        shared: &mut Shared,
        token: u32,
        result: Result<(MessageQueue, i64), SendRefusal>,
    ) {
        let Some(place) = self.sending.iter().position(|s| s.token == token) else { return };
        let sending = self.sending.remove(place);
        let (msg, producer) = (sending.msg, self.id);
        match result {
            Ok((queue, offset)) => {
                if self.together.is_empty() {
                    self.sent += 1;
                    shared.fact(Fact::SendCompleted { producer, msg, queue });
                } else {
                    for msg in self.take_request(msg).iter().copied() {
                        self.sent += 1;
                        shared.fact(Fact::SendCompleted { producer, msg, queue });
                    }
                }
                self.on_prepared(shared, msg, (queue.broker, offset));
                self.go_on(shared, sending.thread);
            }
            Err(refusal) => {
                let by = match self.is_grpc(shared) {
                    true => TypeCheck::Proxy,
                    false => TypeCheck::RemotingProxy,
                };
                let reason = match refusal.types {
                    Some((expected, actual)) => SendFailure::TypeConflict { expected, actual, by },
                    None => SendFailure::Grpc(refusal.code),
                };
                if self.is_grpc(shared) {
                    return self.retry_grpc(shared, sending, Some(refusal.code), reason);
                }
                // MESSAGE_ILLEGAL is not worth another attempt for a classic client.
                shared.fact(Fact::SendFailed { producer, msg, reason });
                self.go_on(shared, sending.thread);
            }
        }
    }

    /// A gRPC send got no answer.
    pub(super) fn on_grpc_timed_out(
        &mut self,
        shared: &mut Shared,
        sending: Sending,
        reason: SendFailure,
    ) {
        self.retry_grpc(shared, sending, None, reason);
    }

    /// A failed attempt is repeated whatever the failure was: at once, or a little later when the
    /// proxy throttled it.
    fn retry_grpc(
        &mut self,
        shared: &mut Shared,
        sending: Sending,
        code: Option<GrpcCode>,
        reason: SendFailure,
    ) {
        let model = Rc::clone(&shared.model);
        if i64::from(sending.attempt) >= model.grpc_producer_max_attempts {
            self.fail_grpc(shared, sending.msg, reason);
            return self.go_on(shared, sending.thread);
        }
        let attempt = sending.attempt + 1;
        let queue = self.candidate(shared, &sending, attempt);
        let next = Sending { attempt, queue, ..sending };
        let wait_ms = match code {
            Some(GrpcCode::TooManyRequests) => throttled_wait_ms(
                model.grpc_producer_backoff_initial_ms,
                model.grpc_producer_backoff_max_ms,
                next.attempt,
            ),
            _ => 0,
        };
        let (producer, msg, attempt) = (self.id, sending.msg, sending.attempt);
        let next_ms = shared.now_ms + wait_ms;
        shared.fact(Fact::Pop(PopFact::SendAttemptFailed {
            producer,
            msg,
            attempt,
            code,
            next_ms,
        }));
        if wait_ms == 0 {
            return self.transmit_grpc(shared, next);
        }
        self.tokens += 1;
        let next = Sending { token: self.tokens, deadline_ms: Ms::MAX, ..next };
        self.sending.push(next);
        shared.at(next_ms, self.timer(ProducerTimer::Again { token: next.token }));
    }

    /// The queue of a further attempt. A message group has one candidate; any other message has one
    /// queue of each broker, from its first one on, at most as many as it has attempts. Source: clients
    /// java `PublishingLoadBalancer.takeMessageQueues`.
    fn candidate(&self, shared: &Shared, sending: &Sending, attempt: u8) -> MessageQueue {
        let first = sending.first;
        let queues = self.publish_info(first.topic).map(|info| &info.queues);
        let start = queues.and_then(|queues| queues.iter().position(|queue| *queue == first));
        let (Some(queues), Some(start), None) = (queues, start, shared.message_group(sending.msg))
        else {
            return first;
        };
        let mut candidates: Vec<MessageQueue> = Vec::new();
        for queue in queues[start..].iter().chain(&queues[..start]) {
            if candidates.iter().all(|known| known.broker != queue.broker) {
                candidates.push(*queue);
            }
        }
        candidates.truncate(shared.model.grpc_producer_max_attempts.max(1) as usize);
        candidates[usize::from(attempt - 1) % candidates.len()]
    }

    /// A throttled send is repeated.
    pub(super) fn on_again(&mut self, shared: &mut Shared, token: u32) {
        if let Some(place) = self.sending.iter().position(|s| s.token == token) {
            let sending = self.sending.remove(place);
            self.transmit_grpc(shared, sending);
        }
    }

    fn take_request(&mut self, first: MsgId) -> Rc<[MsgId]> {
        match self.together.iter().position(|msgs| msgs.first() == Some(&first)) {
            Some(place) => self.together.remove(place),
            None => Rc::new([first]),
        }
    }

    fn fail_grpc(&mut self, shared: &mut Shared, first: MsgId, reason: SendFailure) {
        for msg in self.take_request(first).iter().copied() {
            shared.fact(Fact::SendFailed { producer: self.id, msg, reason });
        }
    }

    /// A classic producer that uses a proxy's remoting port: the packet for it.
    pub(super) fn through_proxy(&self, sending: &Sending) -> Option<(Party, Packet)> {
        let proxy = self.proxy?;
        let Sending { msg, queue, attempt, token, deadline_ms, .. } = *sending;
        let rpc = Rpc { token, deadline_ms, connection: 0 };
        let packet = Packet::Pop(PopPacket::SubmitTo { rpc, msg, queue, attempt });
        Some((Party::Proxy(proxy), packet))
    }
}

/// What a broker's refusal means for a send.
pub(super) fn failure_of(refused: Refused) -> SendFailure {
    match refused {
        Refused::QueueId => SendFailure::IllegalQueueId,
        Refused::TimerIllegal => SendFailure::TimerIllegal,
        Refused::DiskFull => SendFailure::DiskFull,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_throttled_send_waits_20_then_40_ms() {
        assert_eq!([2, 3, 20].map(|k| throttled_wait_ms(10, 1_000, k)), [20, 40, 1_000]);
    }
}
