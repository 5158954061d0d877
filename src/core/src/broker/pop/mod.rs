//! POP: consumption without owners. The broker itself keeps the order of a queue by blocking it
//! while a batch of it is in flight, and tells waiting receives when it may be free again.

mod ack;
pub mod by_group;
mod idle;
pub mod order_info;
pub mod polling;
pub mod revive;
mod take;
pub mod wheel;

use std::rc::Rc;

pub use by_group::{Flight, FlightTable};
pub use idle::IdleQueues;
pub use order_info::{
    AckNext, AttemptId, Block, Counts, OrderInfo, OrderInfoTable, OrderRules, RecordKey, Taken,
};
pub use polling::{PollKey, PollTable};
pub use revive::{Checkpoint, CheckpointKey, Checkpoints};
pub use take::init_offset;
pub use wheel::LockFreeWheel;

use super::{next_tick, Broker};
use crate::event::{BrokerTimer, Event, Packet};
use crate::fact::{BrokerStop, Fact, RequestKind};
use crate::grpc::{PopPacket, PopTimer};
use crate::ids::{Ms, Party};
use crate::model::Blocking;
use crate::pop::PopFact;
use crate::shared::Shared;

/// Everything that a broker knows about POP.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PopState {
    /// Records of ordered POP.
    pub order: OrderInfoTable,
    /// Records as they are on disk.
    pub persisted_order: Rc<OrderInfoTable>,
    /// What is in flight in the articles' model, in place of the records.
    pub flights: FlightTable,
    persisted_flights: Rc<FlightTable>,
    /// The lock-free timer.
    pub wheel: LockFreeWheel,
    /// Receives that wait.
    pub polls: PollTable,
    /// Queues of which a POP is known to find nothing.
    pub idle: IdleQueues,
    /// Checkpoints of POP without order.
    pub checkpoints: Checkpoints,
    flush_at_ms: Option<Ms>,
}

impl PopState {
    /// Makes what is invisible visible, and ends the waits of receives, earlier (negative) or later,
    /// also on disk: the broker's clock was set. The lock-free timer counts spans and stays.
    pub fn shift(&mut self, by_ms: Ms) {
        self.checkpoints.shift(by_ms);
        self.polls.shift(by_ms);
        self.order.shift(by_ms);
        Rc::make_mut(&mut self.persisted_order).shift(by_ms);
        self.flights.shift(by_ms);
        Rc::make_mut(&mut self.persisted_flights).shift(by_ms);
    }
}

impl Broker {
    /// A packet of the second stack arrives from a proxy (or a POP client).
    pub(super) fn on_pop_packet(&mut self, shared: &mut Shared, from: Party, packet: PopPacket) {
        match packet {
            PopPacket::Pop(request) => self.on_pop(shared, request),
            PopPacket::Settle { rpc, group, handle, change_ms } => {
                let (code, handle) = match change_ms {
                    None => (self.ack(shared, group, &handle), handle),
                    Some(ms) => {
                        let (code, handle) = self.change_invisible(shared, group, *handle, ms);
                        (code, Rc::new(handle))
                    }
                };
                let answer = Packet::Pop(PopPacket::Settled { token: rpc.token, code, handle });
                shared.answer(self.party(), from, (rpc, RequestKind::Ack), answer);
            }
            PopPacket::SendBatch { rpc, msgs, queue } => {
                let mut result = Ok(0);
                for msg in msgs.iter() {
                    result = self.accept(shared, from, *msg, queue);
                    if result.is_err() {
                        break;
                    }
                }
                let answer = Packet::Sent { token: rpc.token, result };
                shared.answer(self.party(), from, (rpc, RequestKind::Send), answer);
            }
            _ => {}
        }
    }

    /// A packet of the first stack arrives from a proxy.
    pub(super) fn on_proxy_packet(&mut self, shared: &mut Shared, from: Party, packet: Packet) {
        match packet {
            Packet::Send { rpc, msg, queue } => {
                let result = self.accept(shared, from, msg, queue);
                let answer = Packet::Sent { token: rpc.token, result };
                shared.answer(self.party(), from, (rpc, RequestKind::Send), answer);
            }
            Packet::SendBack { rpc, group, msg, at, delay_level, max } => {
                let taken = self.on_send_back(shared, group, (msg, at), (max, delay_level));
                let answer = Packet::BackTaken { token: rpc.token, taken };
                shared.answer(self.party(), from, (rpc, RequestKind::SendBack), answer);
            }
            Packet::EndTransaction { msg, half, decision } => {
                self.on_end_transaction(shared, (msg, half), decision);
            }
            _ => {}
        }
    }

    /// A timer of POP fires.
    pub(super) fn on_pop_timer(&mut self, shared: &mut Shared, timer: PopTimer) {
        match timer {
            PopTimer::LockFree(group, queue) => self.on_lock_free(shared, (group, queue)),
            PopTimer::PollScan => self.on_poll_scan(shared),
            PopTimer::Revive => self.on_revive(shared),
            PopTimer::Flush => self.on_flush_order(shared),
        }
    }

    /// Arms the lock-free timer of a queue after its record changed.
    fn rearm_lock_free(&mut self, shared: &mut Shared, key: RecordKey) {
        self.mark_dirty_order(shared);
        let model = &shared.model;
        if model.enable_notify_after_pop_order_lock_release == 0 {
            return;
        }
        let now_ms = shared.now_ms;
        let wanted_ms = match model.blocking {
            Blocking::Queue => self.pop.order.lock_free_ms(key, now_ms),
            Blocking::MessageGroup => {
                Some(self.pop.flights.next_visible_ms(key, now_ms).unwrap_or(now_ms))
            }
        };
        let Some(wanted_ms) = wanted_ms else { return };
        let tick_ms = model.order_lock_timer_tick_ms;
        let before_ms = self.pop.wheel.armed_ms(key);
        let fire_ms = self.pop.wheel.arm(key, wanted_ms, now_ms, tick_ms);
        if before_ms != Some(fire_ms) {
            let timer = BrokerTimer::Pop(PopTimer::LockFree(key.0, key.1));
            shared.at(fire_ms, Event::Broker(self.id, timer));
        }
    }

    fn mark_dirty_order(&mut self, shared: &mut Shared) {
        if self.pop.flush_at_ms.is_none() {
            let period_ms = shared.model.flush_order_info_interval_ms;
            let at_ms = next_tick(self.started_ms + period_ms, period_ms, shared.now_ms);
            self.pop.flush_at_ms = Some(at_ms);
            shared.at(at_ms, Event::Broker(self.id, BrokerTimer::Pop(PopTimer::Flush)));
        }
    }

    fn on_flush_order(&mut self, shared: &mut Shared) {
        if self.pop.flush_at_ms == Some(shared.now_ms) {
            self.pop.flush_at_ms = None;
            self.save_order(shared);
        }
    }

    fn save_order(&mut self, shared: &mut Shared) {
        let names = &shared.names;
        let exists = |(group, queue): RecordKey| {
            let topic = names.topics.get(queue.topic.index());
            group.index() < names.groups.len() && topic.is_some_and(|t| queue.id < t.read_queues)
        };
        self.pop.order.auto_clean(shared.now_ms, exists);
        self.pop.persisted_order = Rc::new(self.pop.order.clone());
        self.pop.persisted_flights = Rc::new(self.pop.flights.clone());
        shared.fact(Fact::Pop(PopFact::OrderInfoSaved));
    }

    /// The broker stops: what waits for it learns that the connection broke.
    pub(super) fn stop_pop(&mut self, shared: &mut Shared, how: BrokerStop) {
        if how == BrokerStop::Clean && !self.pop.order.is_empty() {
            self.save_order(shared);
        }
        for request in self.pop.polls.take_all() {
            let (party, token) = (request.from, request.rpc.token);
            let event = Event::TimedOut { party, token, request: RequestKind::Receive };
            let at_ms = match how {
                BrokerStop::PowerLoss => request.rpc.deadline_ms,
                BrokerStop::Clean | BrokerStop::Crash => shared.now_ms,
            };
            shared.at(at_ms, event);
        }
        self.pop.wheel.clear();
        self.pop.flush_at_ms = None;
        self.pop.checkpoints.forget_timer();
    }

    /// The broker's clock was set while it runs: its timers of POP find something at other instants.
    pub(super) fn rearm_pop(&mut self, shared: &mut Shared) {
        self.arm_revive(shared);
        self.rearm_poll_scans(shared);
    }

    /// The broker starts from its files.
    pub(super) fn start_pop(&mut self, shared: &mut Shared) {
        self.pop.idle.clear();
        self.pop.order = (*self.pop.persisted_order).clone();
        self.pop.flights = (*self.pop.persisted_flights).clone();
        let now_ms = shared.now_ms;
        let open: Vec<RecordKey> = self.pop.order.iter().map(|(key, _)| *key).collect();
        for key in open {
            if self.pop.order.lock_free_ms(key, now_ms).is_some_and(|free_ms| free_ms > now_ms) {
                self.rearm_lock_free(shared, key);
            }
        }
        self.arm_revive(shared);
    }
}
