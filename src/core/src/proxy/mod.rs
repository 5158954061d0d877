//! A proxy: the front of the brokers for gRPC clients. It checks, chooses queues, forwards, and
//! keeps the messages of push consumers invisible while they are handled. It remembers metadata for
//! a while and knows nothing that did not arrive.

mod act;
mod cache;
mod clients;
mod receive;
mod relay;
mod renew;
mod send;
mod transaction;
pub mod validate;

use std::collections::BTreeMap;
use std::rc::Rc;

pub use cache::{Cached, Caches, GroupConfig, Route};
pub use clients::Registered;
pub use receive::{filter, Filtered};
pub use renew::{TrackKey, Tracked};
pub use send::type_of;

use relay::{Relay, RelayKind};
use transaction::HalfPlace;

use crate::event::{Event, Packet};
use crate::fact::RequestKind;
use crate::grpc::{Assignment, ConsumerSettings, GrpcCode, PopPacket, ProxyTimer};
use crate::ids::{ClientId, GroupId, MessageQueue, Ms, MsgId, Party, ProxyId, TopicId};
use crate::shared::Shared;

/// A proxy.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Proxy {
    /// Its id.
    pub id: ProxyId,
    /// Whether it runs.
    pub up: bool,
    /// When it last started.
    pub started_ms: Ms,
    /// When it last stopped.
    stopped_ms: Ms,
    /// Its machine died with it: nobody answers, not even that nobody listens.
    silent: bool,
    /// How far its wall clock is ahead of the run's clock: in local mode that of its broker, else
    /// always 0.
    pub clock_ahead_ms: Ms,
    /// Metadata.
    pub caches: Caches,
    /// Consumers, in order of registration.
    pub clients: Vec<Registered>,
    /// Deliveries that it keeps invisible.
    pub tracked: BTreeMap<TrackKey, Tracked>,
    relays: Vec<Relay>,
    tokens: u32,
    round_robin: BTreeMap<TopicId, u32>,
    broker_turns: BTreeMap<TopicId, u32>,
    /// Where the half messages of transactions are, as far as it remembers.
    halves: BTreeMap<MsgId, Vec<HalfPlace>>,
    failing: Vec<(RequestKind, GrpcCode)>,
    renew_at_ms: Option<Ms>,
    scan_at_ms: Option<Ms>,
}

impl Proxy {
    /// A proxy that starts now.
    pub fn new(id: ProxyId, started_ms: Ms) -> Self {
        Self {
            id,
            up: true,
            started_ms,
            stopped_ms: started_ms,
            silent: false,
            clock_ahead_ms: 0,
            caches: Caches::default(),
            clients: Vec::new(),
            tracked: BTreeMap::new(),
            relays: Vec::new(),
            tokens: 0,
            round_robin: BTreeMap::new(),
            broker_turns: BTreeMap::new(),
            halves: BTreeMap::new(),
            failing: Vec::new(),
            renew_at_ms: None,
            scan_at_ms: None,
        }
    }

    fn party(&self) -> Party {
        Party::Proxy(self.id)
    }

    /// Requests of a kind are answered with a code from now on; None = served again.
    pub(crate) fn set_failing(&mut self, request: RequestKind, code: Option<GrpcCode>) {
        self.failing.retain(|(kind, _)| *kind != request);
        self.failing.extend(code.map(|code| (request, code)));
    }

    /// Whether it is told to answer a kind of request with an error.
    pub fn refuses(&self, request: RequestKind) -> bool {
        self.failing(request).is_some()
    }

    fn failing(&self, request: RequestKind) -> Option<GrpcCode> {
        self.failing.iter().find(|(kind, _)| *kind == request).map(|(_, code)| *code)
    }

    /// A packet arrives.
    pub(crate) fn on_packet(&mut self, shared: &mut Shared, from: Party, packet: Packet) {
        match (from, packet) {
            (Party::Broker(broker), Packet::CheckTransaction { msg, half, count }) => {
                self.on_check(shared, broker, (msg, half), count);
            }
            (Party::Broker(_), packet) => self.on_answer(shared, packet),
            (Party::Producer(_), Packet::EndTransaction { msg, decision, .. }) => {
                self.on_end_transaction(shared, msg, decision);
            }
            (Party::Client(client), Packet::Closed { .. }) => {
                for known in self.clients.iter_mut().filter(|c| c.client == client) {
                    known.connected = false;
                }
            }
            (Party::Client(client), Packet::Pop(packet)) => {
                self.on_client_packet(shared, client, packet);
            }
            (_, Packet::Pop(packet)) => self.on_submit(shared, from, packet),
            _ => {}
        }
    }

    fn on_client_packet(&mut self, shared: &mut Shared, client: ClientId, packet: PopPacket) {
        let from = Party::Client(client);
        match packet {
            PopPacket::Settings { rpc, group } => {
                self.register(shared, client, group);
                let config = self.group_config(shared, group);
                let settings = Rc::new(ConsumerSettings {
                    fifo: config.orderly,
                    max_attempts: config.max_attempts,
                    backoff: config.backoff,
                });
                let answer = PopPacket::SettingsAre { token: rpc.token, settings };
                self.reply(shared, (from, rpc), RequestKind::Settings, answer);
            }
            PopPacket::Heartbeat { group } => self.register(shared, client, group),
            PopPacket::Terminate { group } => self.drop_client(shared, client, group, false),
            PopPacket::QueryAssignment { rpc, group, topic } => {
                let result = self.assignments(shared, group, topic);
                let answer = PopPacket::Assigned { token: rpc.token, topic, result };
                self.reply(shared, (from, rpc), RequestKind::Assignment, answer);
            }
            PopPacket::Receive(request) => self.on_receive(shared, client, &request),
            PopPacket::Act { rpc, group, handle, act } => {
                self.on_act(shared, (client, group), rpc, handle.as_deref(), act);
            }
            _ => {}
        }
    }

    /// One assignment for each readable queue of an ordered group (5.1.2+), else one for each
    /// broker. Source: `RouteActivity.queryAssignment`.
    ///
    /// # Errors
    /// TOPIC_NOT_FOUND when no broker had the topic, FORBIDDEN when no queue can be read.
    fn assignments(
        &mut self,
        shared: &mut Shared,
        group: GroupId,
        topic: TopicId,
    ) -> Result<Rc<[Assignment]>, GrpcCode> {
        let orderly = self.group_config(shared, group).orderly;
        let each = orderly && shared.model.assignment_each_queue == 1;
        let route = self.route(shared, topic)?;
        let assignment =
            |q: &MessageQueue| Assignment { topic, broker: q.broker, queue: each.then_some(q.id) };
        let mut all: Vec<Assignment> = route.read.iter().map(assignment).collect();
        all.dedup();
        if all.is_empty() {
            return Err(GrpcCode::Forbidden);
        }
        Ok(all.into())
    }

    /// A timer fires.
    pub(crate) fn on_timer(&mut self, shared: &mut Shared, timer: ProxyTimer) {
        match timer {
            _ if !self.up => {}
            ProxyTimer::Renew => self.on_renew_scan(shared),
            ProxyTimer::ClientScan => self.on_client_scan(shared),
        }
    }

    /// The proxy dies: its memory is gone and whoever waits notices; when its machine died with it,
    /// nobody does before the time of the request is over.
    pub(crate) fn stop(&mut self, shared: &mut Shared, noticed: bool) {
        (self.up, self.silent) = (false, !noticed);
        self.stopped_ms = shared.now_ms;
        for relay in std::mem::take(&mut self.relays) {
            let Some((party, rpc)) = relay.asker else { continue };
            let request = match relay.what {
                RelayKind::Send { .. } => RequestKind::Send,
                RelayKind::Receive { .. } => RequestKind::Receive,
                _ => RequestKind::Ack,
            };
            let at_ms = if noticed { shared.now_ms } else { rpc.deadline_ms.max(shared.now_ms) };
            shared.at(at_ms, Event::TimedOut { party, token: rpc.token, request });
        }
        self.clients.clear();
        self.tracked.clear();
        self.halves.clear();
        self.caches = Caches::default();
        (self.renew_at_ms, self.scan_at_ms) = (None, None);
    }

    /// Whether it is down on a machine that is up.
    pub(crate) fn refuses_connections(&self) -> bool {
        !self.up && !self.silent
    }

    /// The proxy starts again. Returns when its clients are connected again: their sessions broke with
    /// it, and they have tried every second since (clients java `ClientSessionImpl`).
    pub(crate) fn start(&mut self, shared: &Shared) -> Ms {
        self.up = true;
        self.started_ms = shared.now_ms;
        let period_ms = shared.model.grpc_receive_backoff_ms;
        crate::broker::next_tick(self.stopped_ms + period_ms, period_ms, shared.now_ms)
    }

    /// Its wall clock is set, with that of the broker that it runs in: what it remembers by that clock
    /// becomes as much older as the clock jumped ahead.
    pub(crate) fn set_clock(&mut self, shared: &mut Shared, ahead_ms: Ms) {
        let jump_ms = ahead_ms - self.clock_ahead_ms;
        self.clock_ahead_ms = ahead_ms;
        for known in &mut self.clients {
            known.heartbeat_ms -= jump_ms;
        }
        for tracked in self.tracked.values_mut() {
            tracked.since_ms -= jump_ms;
        }
        (self.renew_at_ms, self.scan_at_ms) = (None, None);
        if self.up {
            self.schedule_client_scan(shared);
            self.schedule_next_renew(shared);
        }
    }
}
