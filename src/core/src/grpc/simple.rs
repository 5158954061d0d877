//! The simple consumer: nothing happens unless its application asks. It has no retry of its own; a
//! message that is not acknowledged comes again when it is visible again.

use std::rc::Rc;

use super::{
    Act, Assignment, Delivery, GrpcCall, GrpcClient, GrpcCode, GrpcTimer, Handle, Pending,
    PopPacket, ReceiveRequest,
};
use crate::client::Status;
use crate::fact::{Fact, Outcome};
use crate::ids::{BrokerId, MessageQueue, Ms, MsgId, TopicId};
use crate::model::Blocking;
use crate::pop::{ActKind, GrpcKind, PopFact, SimpleMode};
use crate::shared::Shared;

/// Number of the receives that commands ask for.
const SCRIPTED: u32 = u32::MAX;

impl GrpcClient {
    pub(super) fn start_simple(&mut self, shared: &mut Shared, mode: SimpleMode) {
        if let SimpleMode::Loops { loops, .. } = mode {
            for number in 0..u32::from(loops.max(1)) {
                shared.after(0, self.timer(GrpcTimer::Receive(number)));
            }
        }
    }

    /// A loop of the application receives again.
    pub(super) fn simple_turn(&mut self, shared: &mut Shared, number: u32) {
        let GrpcKind::Simple(SimpleMode::Loops { max, invisible_ms, await_ms, .. }) = self.kind
        else {
            return;
        };
        if self.status == Status::Running {
            self.simple_receive(shared, number, (max, invisible_ms, await_ms));
        }
    }

    /// `receive(max, invisible duration)` by a command.
    pub(crate) fn scripted_receive(
        &mut self,
        shared: &mut Shared,
        max: u32,
        invisible_ms: Ms,
        await_ms: Ms,
    ) {
        self.simple_receive(shared, SCRIPTED, (max, invisible_ms, await_ms));
    }

    fn simple_receive(
        &mut self,
        shared: &mut Shared,
        number: u32,
        (max, invisible_ms, poll_ms): (u32, Ms, Ms),
    ) {
        let topics = self.topics(shared);
        let (turn, each) = (self.robin as usize, topics.len().max(1));
        self.robin = self.robin.wrapping_add(1);
        let Some(topic) = topics.get(turn % each).copied() else {
            return self.nothing_to_receive(shared, number);
        };
        let queues = self.readable(shared, topic);
        // Nothing to read was ever known: the proxy will say so.
        let none = MessageQueue { topic, broker: BrokerId(0), id: 0 };
        let queue = queues.get(turn / each % queues.len().max(1)).copied().unwrap_or(none);
        let from = Assignment { topic, broker: queue.broker, queue: None };
        let (group, tags) = (self.group, self.tags(shared, topic));
        let limit_ms = poll_ms + shared.model.grpc_request_timeout_ms;
        self.ask(shared, limit_ms, Pending::Receive { number }, |rpc| {
            PopPacket::Receive(Rc::new(ReceiveRequest {
                rpc,
                group,
                from,
                max,
                invisible_ms: Some(invisible_ms),
                poll_ms,
                attempt: None,
                tags,
            }))
        });
    }

    /// "There is no topic to receive message": the client says so itself, and its application calls again
    /// as after any exception. Source: clients java `SimpleConsumerImpl.receive0`.
    fn nothing_to_receive(&mut self, shared: &mut Shared, number: u32) {
        if number != SCRIPTED {
            let pause_ms = shared.model.grpc_receive_backoff_ms;
            shared.after(pause_ms, self.timer(GrpcTimer::Receive(number)));
        }
    }

    /// Queues of a topic that it takes in turn, as of its last poll of the route that told of any.
    /// Source: clients java `SubscriptionLoadBalancer`, `ClientImpl.updateRouteCache`.
    fn readable(&mut self, shared: &Shared, topic: TopicId) -> Rc<[MessageQueue]> {
        let model = &shared.model;
        let first_ms = self.created_ms + model.grpc_route_initial_delay_ms;
        let period_ms = model.poll_name_server_interval_ms.max(1);
        let polls = (shared.now_ms - first_ms).div_euclid(period_ms).max(-1);
        let known = self.routes.entry(topic).or_insert_with(|| (Ms::MIN, Rc::default()));
        if known.0 < polls || known.1.is_empty() {
            known.0 = polls;
            let now = shared.name_server.route(&shared.names, topic).read_list(topic);
            if !now.is_empty() {
                known.1 = now.into();
            }
        }
        Rc::clone(&known.1)
    }

    pub(super) fn on_simple_received(
        &mut self,
        shared: &mut Shared,
        number: u32,
        result: Result<Rc<[Delivery]>, GrpcCode>,
        least_ms: Ms,
    ) {
        match result {
            Ok(deliveries) => {
                self.note_received(shared, &deliveries);
                if number == SCRIPTED {
                    for delivery in deliveries.iter() {
                        self.held.retain(|h| h.handle.msg != delivery.handle.msg);
                        self.without_handle.remove(&delivery.handle.msg);
                        self.held.push(*delivery);
                    }
                } else {
                    self.consume(shared, number, &deliveries);
                }
            }
            Err(code) => {
                shared.fact(Fact::Pop(PopFact::ReceivedNothing { client: self.id, code }));
                if number != SCRIPTED {
                    let model = &shared.model;
                    // The application catches the exception and calls again a moment later.
                    let pause_ms = match code {
                        GrpcCode::MessageNotFound => least_ms,
                        GrpcCode::TooManyRequests => model.grpc_receive_throttled_ms,
                        _ => model.grpc_receive_backoff_ms,
                    };
                    shared.after(pause_ms, self.timer(GrpcTimer::Receive(number)));
                }
            }
        }
    }

    /// The application handled a message. What failed is left alone, and with it, in an ordered
    /// group, what came behind it and is held back by it: the rest of its queue, or of its message
    /// group in the articles' model.
    pub(super) fn after_simple_call(&mut self, shared: &mut Shared, call: &GrpcCall) {
        if matches!(call.outcome, Outcome::Success | Outcome::Commit) {
            return self.act(shared, call.lane, Act::Ack);
        }
        let Handle { queue, msg, ordered, .. } = call.delivery.handle;
        let (client, attempt) = (self.id, call.attempt.min(u32::from(u16::MAX)) as u16);
        let next_ms = call.delivery.handle.visible_ms();
        shared.fact(Fact::Pop(PopFact::AttemptFailed { client, queue, msg, attempt, next_ms }));
        if ordered {
            let group = shared.message_group(msg);
            let by_group = shared.model.blocking == Blocking::MessageGroup;
            self.leave_alone(call.lane, |d| match by_group {
                false => d.handle.queue == queue,
                true => group.is_some() && shared.message_group(d.handle.msg) == group,
            });
        }
        self.next_of_lane(shared, call.lane);
    }

    /// A message that a scripted consumer holds.
    pub fn held(&self, msg: MsgId) -> Option<&Delivery> {
        self.held.iter().find(|d| d.handle.msg == msg)
    }

    /// The application acts on a message that it holds.
    pub(crate) fn scripted_act(&mut self, shared: &mut Shared, msg: MsgId, act: Act) {
        let Some(delivery) = self.held(msg).copied() else { return };
        let handle = delivery.handle;
        let (client, queue, offset) = (self.id, handle.queue, handle.offset as u32);
        if act == Act::Ack {
            // The application has handled it between receipt and now.
            let attempt = delivery.attempt();
            shared.fact(Fact::HandlingStarted { client, queue, offset, msg, attempt });
            let outcome = Outcome::Success;
            shared.fact(Fact::HandlingEnded { client, queue, offset, msg, outcome });
        }
        let (group, limit_ms) = (self.group, shared.model.grpc_request_timeout_ms);
        let sent = (!self.without_handle.contains(&msg)).then(|| Rc::new(handle));
        self.ask(shared, limit_ms, Pending::Held { handle, act }, |rpc| PopPacket::Act {
            rpc,
            group,
            handle: sent,
            act,
        });
    }

    pub(super) fn on_held_acted(
        &mut self,
        shared: &mut Shared,
        handle: &Handle,
        act: Act,
        result: Result<Rc<Handle>, GrpcCode>,
        answered: bool,
    ) {
        let Handle { queue, offset, msg, .. } = *handle;
        let client = self.id;
        let same = |d: &Delivery| d.handle == *handle;
        match result {
            Ok(changed) => match act {
                Act::Change(_) => {
                    if let Some(held) = self.held.iter_mut().find(|d| same(d)) {
                        held.handle = *changed;
                    }
                }
                Act::Ack | Act::Dead => {
                    self.held.retain(|d| !same(d));
                    let offset = offset as u32;
                    shared.fact(Fact::MessageAcknowledged { client, queue, offset, msg });
                }
            },
            Err(code) => {
                let kind = match act {
                    Act::Change(_) => ActKind::Change,
                    Act::Ack => ActKind::Ack,
                    Act::Dead => ActKind::DeadLetter,
                };
                // The SDK takes the handle out of the answer before it looks at the code, and an answer
                // that refuses has none (clients java `changeInvisibleDuration0`).
                if answered && matches!(act, Act::Change(_)) {
                    self.without_handle.insert(msg);
                }
                if code == GrpcCode::InvalidReceiptHandle {
                    self.held.retain(|d| !same(d));
                }
                let (act, code, next_ms) = (kind, Some(code), None);
                shared.fact(Fact::Pop(PopFact::ActFailed { client, msg, act, code, next_ms }));
            }
        }
    }
}

impl GrpcClient {
    /// Receives that are under way.
    pub(crate) fn receives(&self) -> usize {
        self.open.iter().filter(|r| matches!(r.what, Pending::Receive { .. })).count()
    }
}
