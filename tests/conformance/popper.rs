//! A POP client without a proxy: it pops, acknowledges, and asks whether the queue is blocked.

use super::case::Trouble;
use super::run::Run;
use super::stage::{TOPIC, ZERO_MS};
use lockstep_core::broker::pop::OrderRules;
use lockstep_core::event::{Event, Packet, Rpc};
use lockstep_core::fact::Fact;
use lockstep_core::grpc::{Handle, InitMode, PopPacket, PopRequest};
use lockstep_core::ids::{BrokerId, GroupId, Ms, Party, ProxyId, TopicId};
use lockstep_core::pop::PopFact;
use std::rc::Rc;

const ME: Party = Party::Proxy(ProxyId(0));
const INVISIBLE_MS: Ms = 60_000;

/// The client.
pub struct Popper {
    pub run: Run,
    ordered: bool,
    tokens: u32,
}

impl Popper {
    pub fn new(run: Run, ordered: bool) -> Self {
        Self { run, ordered, tokens: 1_000_000 }
    }

    fn rpc(&mut self) -> Rpc {
        self.tokens += 1;
        Rpc { token: self.tokens, deadline_ms: Ms::MAX, connection: 0 }
    }

    fn arrive(&mut self, packet: PopPacket) -> Result<(), Trouble> {
        let (to, packet) = (Party::Broker(BrokerId(0)), Packet::Pop(packet));
        let at_ms = self.run.world.now_ms();
        self.run.world.shared.agenda.schedule(at_ms, Event::Arrival { from: ME, to, packet });
        self.run.until(at_ms - ZERO_MS)
    }

    /// Pops up to `max` messages of queue 0; what came back, with the handles to acknowledge it.
    pub fn pop(&mut self, max: u32) -> Result<Vec<Handle>, Trouble> {
        let rpc = self.rpc();
        let topic = self.run.world.shared.names.topic(TOPIC).unwrap_or(TopicId(u16::MAX));
        let born_ms = self.run.world.now_ms();
        let request = PopRequest {
            from: ME,
            rpc,
            group: GroupId(0),
            topic,
            queue: Some(0),
            max,
            invisible_ms: INVISIBLE_MS,
            born_ms,
            poll_ms: 0,
            ordered: self.ordered,
            attempt: None,
            init: InitMode::Max,
            tags: Rc::from([]),
        };
        let known = self.run.facts.len();
        self.arrive(PopPacket::Pop(Rc::new(request)))?;
        let ordered = self.ordered;
        let popped = self.run.facts[known..].iter().filter_map(|(_, fact)| match *fact {
            Fact::Pop(PopFact::Popped { queue, offset, msg, until_ms, .. }) => Some(Handle {
                queue,
                offset: i64::from(offset),
                pop_ms: until_ms - INVISIBLE_MS,
                invisible_ms: INVISIBLE_MS,
                start_offset: i64::from(offset),
                msg,
                ordered,
                ahead_ms: 0,
            }),
            _ => None,
        });
        Ok(popped.collect())
    }

    /// Acknowledges.
    pub fn ack(&mut self, handles: &[Handle]) -> Result<(), Trouble> {
        for handle in handles {
            let rpc = self.rpc();
            let (group, handle) = (GroupId(0), std::rc::Rc::new(*handle));
            self.arrive(PopPacket::Settle { rpc, group, handle, change_ms: None })?;
        }
        Ok(())
    }

    /// Whether queue 0 would yield nothing because of something in flight.
    pub fn blocked(&self) -> bool {
        let world = &self.run.world;
        let Some(broker) = world.brokers.first() else { return false };
        let rules = OrderRules::of(world.shared.model.version);
        let key = (GroupId(0), self.run.queue(0));
        let mut order = broker.pop.order.clone();
        order.check_block(rules, key, None, INVISIBLE_MS, world.now_ms()).is_some()
    }
}
