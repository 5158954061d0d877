//! Lanes: messages that a gRPC consumer handles one after the other. A push consumer of an ordered
//! group makes one of each received batch; with the accelerator (and in the articles' model) one of
//! each message group in the batch. In an unordered group each message is a lane of its own.

use std::collections::VecDeque;
use std::rc::Rc;

use super::{Act, Closing, Delivery, GrpcClient, GrpcCode, GrpcTimer, Handle, Pending, PopPacket};
use crate::fact::{Fact, Outcome};
use crate::ids::{MessageGroupId, Ms};
use crate::model::Blocking;
use crate::pop::{ActKind, GrpcKind, PopFact};
use crate::shared::Shared;

/// What the head of a lane is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaneState {
    /// It waits for a thread.
    Ready,
    /// A listener call runs, or is about to begin.
    Calling,
    /// It waits for its next attempt.
    BackOff {
        /// When that is.
        until_ms: Ms,
    },
    /// The proxy is asked for something.
    Acting {
        /// For what.
        act: Act,
    },
    /// That failed and is asked for again.
    ActAgain {
        /// What.
        act: Act,
        /// When.
        at_ms: Ms,
    },
}

/// A lane.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lane {
    /// Number at its client.
    pub number: u32,
    /// The receive loop that its messages came from.
    pub receive: u32,
    /// Messages that are not finished, the one that is handled first.
    pub messages: VecDeque<Delivery>,
    /// Attempt of the first one, from 1.
    pub attempt: u32,
    /// What the first one is doing.
    pub state: LaneState,
}

/// A listener call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GrpcCall {
    /// Number at its client.
    pub number: u32,
    /// Its lane.
    pub lane: u32,
    /// The message.
    pub delivery: Delivery,
    /// Attempt.
    pub attempt: u32,
    /// False until the call has begun.
    pub running: bool,
    /// When it began.
    pub since_ms: Ms,
    /// When it ends.
    pub until_ms: Ms,
    /// What it will return.
    pub outcome: Outcome,
}

fn kind_of(act: Act) -> ActKind {
    match act {
        Act::Ack => ActKind::Ack,
        Act::Change(_) => ActKind::Change,
        Act::Dead => ActKind::DeadLetter,
    }
}

impl GrpcClient {
    /// Makes lanes of a received batch and starts them.
    pub(super) fn consume(&mut self, shared: &mut Shared, receive: u32, batch: &[Delivery]) {
        let fifo = self.fifo == Some(true);
        let by_group = self.accelerator || shared.model.blocking == Blocking::MessageGroup;
        let mut split: Vec<(Option<MessageGroupId>, VecDeque<Delivery>)> = Vec::new();
        for (place, delivery) in batch.iter().enumerate() {
            let group = shared.message_group(delivery.handle.msg);
            let found = match (self.is_push(), fifo, by_group) {
                (true, false, _) => place,
                (true, true, true) => {
                    split.iter().position(|(g, _)| *g == group).unwrap_or(split.len())
                }
                _ => 0,
            };
            if found >= split.len() {
                split.push((group, VecDeque::new()));
            }
            let last = split.len() - 1;
            split[found.min(last)].1.push_back(*delivery);
        }
        for (_, messages) in split {
            let number = self.next_number();
            let attempt = messages.front().map_or(1, Delivery::attempt);
            self.lanes.push(Lane { number, receive, messages, attempt, state: LaneState::Ready });
            self.execute(shared, number);
        }
    }

    fn lane(&mut self, number: u32) -> Option<&mut Lane> {
        self.lanes.iter_mut().find(|lane| lane.number == number)
    }

    /// Takes a thread for the first message of a lane, or queues the lane.
    fn execute(&mut self, shared: &mut Shared, number: u32) {
        if matches!(self.closing, Some(Closing::Threads | Closing::Pause)) {
            return;
        }
        if let Some(lane) = self.lane(number) {
            lane.state = LaneState::Ready;
        }
        if self.busy >= self.threads || !self.pool_waiting.is_empty() {
            self.pool_waiting.push_back(number);
            return;
        }
        self.busy += 1;
        self.begin_call(shared, number);
    }

    fn release_thread(&mut self, shared: &mut Shared) {
        self.busy = self.busy.saturating_sub(1);
        if self.busy < self.threads {
            if let Some(number) = self.pool_waiting.pop_front() {
                self.busy += 1;
                self.begin_call(shared, number);
            }
        }
    }

    fn begin_call(&mut self, shared: &mut Shared, lane_number: u32) {
        let number = self.next_number();
        let now_ms = shared.now_ms;
        let Some(lane) = self.lane(lane_number) else { return self.release_thread(shared) };
        let Some(delivery) = lane.messages.front().copied() else {
            return self.release_thread(shared);
        };
        lane.state = LaneState::Calling;
        let attempt = lane.attempt;
        self.calls.push(GrpcCall {
            number,
            lane: lane_number,
            delivery,
            attempt,
            running: false,
            since_ms: now_ms,
            until_ms: now_ms,
            outcome: Outcome::Success,
        });
        shared.after(0, self.timer(GrpcTimer::ListenerStart(number)));
    }

    pub(super) fn on_listener_start(&mut self, shared: &mut Shared, number: u32) {
        let (group, client) = (self.group, self.id);
        let Some(call) = self.calls.iter_mut().find(|c| c.number == number) else { return };
        let Handle { queue, offset, msg, .. } = call.delivery.handle;
        let attempt = call.attempt;
        let (outcome, handle_ms) = shared.listener_result(group, client, msg, attempt);
        call.running = true;
        call.since_ms = shared.now_ms;
        call.until_ms = shared.now_ms + handle_ms;
        call.outcome = outcome;
        let offset = offset as u32;
        shared.fact(Fact::HandlingStarted { client, queue, offset, msg, attempt });
        shared.after(handle_ms, self.timer(GrpcTimer::ListenerEnd(number)));
    }

    pub(super) fn on_listener_end(&mut self, shared: &mut Shared, number: u32) {
        let Some(place) = self.calls.iter().position(|c| c.number == number) else { return };
        let call = self.calls.remove(place);
        let Handle { queue, offset, msg, .. } = call.delivery.handle;
        let (client, offset, outcome) = (self.id, offset as u32, call.outcome);
        shared.fact(Fact::HandlingEnded { client, queue, offset, msg, outcome });
        if !self.is_running() {
            return shared.fact(Fact::ResultDiscarded { client, queue, offset, msg });
        }
        self.release_thread(shared);
        match self.kind {
            GrpcKind::Push => self.after_push_call(shared, &call),
            GrpcKind::Simple(_) => self.after_simple_call(shared, &call),
        }
        self.after_calls(shared);
    }

    /// A listener of a push consumer returned (`eraseFifoMessage`, `eraseMessage`).
    fn after_push_call(&mut self, shared: &mut Shared, call: &GrpcCall) {
        if matches!(call.outcome, Outcome::Success | Outcome::Commit) {
            return self.act(shared, call.lane, Act::Ack);
        }
        let Some(settings) = self.settings.clone() else { return };
        let wait_ms = settings.backoff.policy().next_attempt_delay_ms(call.attempt);
        let next_ms = shared.now_ms + wait_ms;
        let Handle { queue, msg, .. } = call.delivery.handle;
        let (client, attempt) = (self.id, call.attempt.min(u32::from(u16::MAX)) as u16);
        if self.fifo != Some(true) {
            shared.fact(Fact::Pop(PopFact::AttemptFailed { client, queue, msg, attempt, next_ms }));
            return self.act(shared, call.lane, Act::Change(wait_ms));
        }
        if call.attempt >= settings.max_attempts {
            shared.fact(Fact::Pop(PopFact::ForwardedToDeadLetter { client, msg, attempt }));
            return self.act(shared, call.lane, Act::Dead);
        }
        shared.fact(Fact::Pop(PopFact::AttemptFailed { client, queue, msg, attempt, next_ms }));
        if let Some(lane) = self.lane(call.lane) {
            lane.attempt += 1;
            lane.state = LaneState::BackOff { until_ms: next_ms };
            shared.at(next_ms, self.timer(GrpcTimer::Lane(call.lane)));
        }
    }

    /// Asks the proxy for something about the first message of a lane.
    pub(super) fn act(&mut self, shared: &mut Shared, number: u32, act: Act) {
        let Some(lane) = self.lane(number) else { return };
        let Some(delivery) = lane.messages.front().copied() else { return };
        lane.state = LaneState::Acting { act };
        let (group, handle) = (self.group, delivery.handle);
        let limit_ms = shared.model.grpc_request_timeout_ms;
        self.ask(shared, limit_ms, Pending::Lane { number }, |rpc| PopPacket::Act {
            rpc,
            group,
            handle: Some(Rc::new(handle)),
            act,
        });
    }

    pub(super) fn on_lane_acted(
        &mut self,
        shared: &mut Shared,
        number: u32,
        result: Result<Rc<Handle>, GrpcCode>,
    ) {
        let push = self.is_push();
        let Some(lane) = self.lane(number) else { return };
        let LaneState::Acting { act } = lane.state else { return };
        let Some(delivery) = lane.messages.front().copied() else { return };
        let (client, msg) = (self.id, delivery.handle.msg);
        match result {
            Ok(_) => {
                let Handle { queue, offset, .. } = delivery.handle;
                if act == Act::Ack {
                    let offset = offset as u32;
                    shared.fact(Fact::MessageAcknowledged { client, queue, offset, msg });
                }
            }
            Err(code) => {
                let lost = code == GrpcCode::InvalidReceiptHandle && act != Act::Dead;
                let again_ms = shared.now_ms + shared.model.grpc_ack_backoff_ms;
                let next_ms = (push && !lost).then_some(again_ms);
                let (kind, code) = (kind_of(act), Some(code));
                shared.fact(Fact::Pop(PopFact::ActFailed {
                    client,
                    msg,
                    act: kind,
                    code,
                    next_ms,
                }));
                if let Some(at_ms) = next_ms {
                    if let Some(lane) = self.lane(number) {
                        lane.state = LaneState::ActAgain { act, at_ms };
                    }
                    return shared.at(at_ms, self.timer(GrpcTimer::Lane(number)));
                }
            }
        }
        self.next_of_lane(shared, number);
    }

    /// The first message of a lane is finished: the next one, or the end of the lane.
    pub(super) fn next_of_lane(&mut self, shared: &mut Shared, number: u32) {
        let Some(place) = self.lanes.iter().position(|lane| lane.number == number) else { return };
        let lane = &mut self.lanes[place];
        let done = lane.messages.pop_front();
        let receive = lane.receive;
        let next = lane.messages.front().copied();
        if let Some(next) = next {
            lane.attempt = next.attempt();
        } else {
            self.lanes.remove(place);
        }
        if let Some(done) = done {
            self.evict(receive, &done);
        }
        match next {
            Some(_) => self.execute(shared, number),
            None if !self.is_push() => self.simple_turn(shared, receive),
            None => {}
        }
    }

    /// Leaves the messages behind the first one of a lane alone, as far as `left` says so.
    pub(super) fn leave_alone(&mut self, number: u32, left: impl Fn(&Delivery) -> bool) {
        if let Some(lane) = self.lane(number) {
            let first = lane.messages.pop_front();
            lane.messages.retain(|d| !left(d));
            lane.messages.extend(first);
            lane.messages.rotate_right(1.min(lane.messages.len()));
        }
    }

    pub(super) fn on_lane_timer(&mut self, shared: &mut Shared, number: u32) {
        let now_ms = shared.now_ms;
        match self.lane(number).map(|lane| lane.state) {
            Some(LaneState::BackOff { until_ms }) if until_ms <= now_ms => {
                self.execute(shared, number);
            }
            Some(LaneState::ActAgain { act, at_ms }) if at_ms <= now_ms => {
                if act == Act::Dead {
                    let lane = self.lane(number);
                    let head = lane.and_then(|l| Some((l.messages.front()?.handle.msg, l.attempt)));
                    if let Some((msg, attempt)) = head {
                        let (client, attempt) = (self.id, attempt.min(u32::from(u16::MAX)) as u16);
                        shared.fact(Fact::Pop(PopFact::ForwardedToDeadLetter {
                            client,
                            msg,
                            attempt,
                        }));
                    }
                }
                self.act(shared, number, act);
            }
            _ => {}
        }
    }
}
