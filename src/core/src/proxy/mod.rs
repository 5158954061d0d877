//! A proxy: the front of the brokers for gRPC clients. It checks, chooses queues, forwards, and
//! keeps the messages of push consumers invisible while they are handled. It remembers metadata for
//! a while and knows nothing that did not arrive.

mod cache;
mod receive;
mod renew;
mod send;
mod transaction;
pub mod validate;

use std::collections::BTreeMap;
use std::rc::Rc;

pub use cache::{Cached, Caches, GroupConfig, Route};
pub use receive::{filter, Filtered};
pub use renew::{TrackKey, Tracked};
pub use send::type_of;

use transaction::HalfPlace;

use crate::event::{Event, Packet, Rpc};
use crate::fact::{Fact, RequestKind};
use crate::grpc::{Act, Assignment, ConsumerSettings, GrpcCode, Handle, PopPacket, ProxyTimer};
use crate::ids::{ClientId, GroupId, MessageQueue, Ms, MsgId, Party, ProxyId, TopicId};
use crate::pop::PopFact;
use crate::shared::Shared;

/// A consumer that a proxy knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Registered {
    /// The consumer.
    pub client: ClientId,
    /// Its group.
    pub group: GroupId,
    /// Last heartbeat (or exchange of settings).
    pub heartbeat_ms: Ms,
    /// False after its connection closed.
    pub connected: bool,
}

/// What an open request of the proxy to a broker is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum RelayKind {
    /// A send of one message or more, by the first; the asker is told where to.
    Send { first: Option<MsgId>, queue: MessageQueue, remoting: bool },
    /// A receive.
    Receive {
        group: GroupId,
        client: ClientId,
        tags: Rc<[u16]>,
        auto_renew: bool,
        max_attempts: u32,
    },
    /// An act of a consumer on a delivery.
    Act { handle: Handle },
    /// The forward of a dead letter; the acknowledgement follows. No asker when it happens on receive.
    Dead { group: GroupId, handle: Handle },
    /// A renewal.
    Renew { key: TrackKey },
    /// Nobody waits for the answer.
    Quiet,
}

/// An open request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Relay {
    token: u32,
    deadline_ms: Ms,
    asker: Option<(Party, Rpc)>,
    what: RelayKind,
}

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

    /// Deadline of an open request, for the network when it loses the answer.
    pub(crate) fn deadline_ms(&self, token: u32) -> Option<Ms> {
        self.relays.iter().find(|r| r.token == token).map(|r| r.deadline_ms)
    }

    /// Who waits for the answer to an open request.
    pub fn asker(&self, token: u32) -> Option<Party> {
        self.relays.iter().find(|r| r.token == token)?.asker.map(|(party, _)| party)
    }

    /// The open request to a broker by which it serves a request of somebody.
    pub fn relay_for(&self, asker: Party, token: u32) -> Option<u32> {
        let serves =
            |r: &&Relay| r.asker.is_some_and(|(of, rpc)| (of, rpc.token) == (asker, token));
        self.relays.iter().find(serves).map(|r| r.token)
    }

    /// Opens a request to a broker.
    fn open(&mut self, deadline_ms: Ms, asker: Option<(Party, Rpc)>, what: RelayKind) -> Rpc {
        self.tokens += 1;
        let token = self.tokens;
        self.relays.push(Relay { token, deadline_ms, asker, what });
        Rpc { token, deadline_ms, connection: 0 }
    }

    fn close(&mut self, token: u32) -> Option<Relay> {
        let place = self.relays.iter().position(|r| r.token == token)?;
        Some(self.relays.swap_remove(place))
    }

    fn reply(
        &self,
        shared: &mut Shared,
        asker: (Party, Rpc),
        kind: RequestKind,
        packet: PopPacket,
    ) {
        shared.answer(self.party(), asker.0, (asker.1, kind), Packet::Pop(packet));
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

    fn on_answer(&mut self, shared: &mut Shared, packet: Packet) {
        let Some((token, _)) = packet.answered() else { return };
        let Some(relay) = self.close(token) else { return };
        match (&relay.what, packet) {
            (RelayKind::Send { first, queue, .. }, Packet::Sent { result, .. }) => {
                let sent = (*first, *queue);
                self.on_sent(shared, relay, sent, result);
            }
            (
                RelayKind::Receive { .. },
                Packet::Pop(PopPacket::Popped { status, deliveries, .. }),
            ) => {
                self.on_popped(shared, relay, status, &deliveries);
            }
            (RelayKind::Act { .. }, Packet::Pop(PopPacket::Settled { code, handle, .. })) => {
                self.on_settled(shared, relay, code, *handle);
            }
            (RelayKind::Renew { key }, Packet::Pop(PopPacket::Settled { code, handle, .. })) => {
                self.on_renewed(shared, *key, code, *handle);
            }
            (RelayKind::Dead { group, handle }, Packet::BackTaken { taken, .. }) => {
                let dead = (*group, *handle);
                self.on_dead_answered(shared, relay, (dead.0, &dead.1), taken.is_some());
            }
            _ => {}
        }
    }

    /// A broker did not answer in time, or could not be reached.
    pub(crate) fn on_timed_out(&mut self, shared: &mut Shared, token: u32, request: RequestKind) {
        let Some(relay) = self.close(token) else { return };
        shared.fact(Fact::RequestTimedOut { party: self.party(), request });
        let code = match shared.now_ms < relay.deadline_ms {
            true => GrpcCode::InternalServerError,
            false => GrpcCode::ProxyTimeout,
        };
        if let RelayKind::Renew { key } = relay.what {
            return self.on_renewal_unanswered(shared, key);
        }
        let Some(asker) = relay.asker else { return };
        let token = asker.1.token;
        let (kind, answer) = match relay.what {
            RelayKind::Send { .. } => {
                let refusal = crate::grpc::SendRefusal { code, types: None };
                (RequestKind::Send, PopPacket::Submitted { token, result: Err(refusal) })
            }
            RelayKind::Receive { .. } => {
                (RequestKind::Receive, PopPacket::Received { token, result: Err(code) })
            }
            _ => (RequestKind::Ack, PopPacket::Acted { token, result: Err(code) }),
        };
        self.reply(shared, asker, kind, answer);
    }

    /// A timer fires.
    pub(crate) fn on_timer(&mut self, shared: &mut Shared, timer: ProxyTimer) {
        match timer {
            _ if !self.up => {}
            ProxyTimer::Renew => self.on_renew_scan(shared),
            ProxyTimer::ClientScan => self.on_client_scan(shared),
        }
    }

    fn register(&mut self, shared: &mut Shared, client: ClientId, group: GroupId) {
        let heartbeat_ms = shared.now_ms;
        let known = self.clients.iter_mut().find(|c| (c.client, c.group) == (client, group));
        if let Some(known) = known {
            (known.heartbeat_ms, known.connected) = (heartbeat_ms, true);
            return;
        }
        self.clients.push(Registered { client, group, heartbeat_ms, connected: true });
        shared.fact(Fact::Pop(PopFact::ClientRegistered { proxy: self.id, client }));
        self.schedule_client_scan(shared);
    }

    /// A client is gone: its messages become visible soon.
    fn drop_client(&mut self, shared: &mut Shared, client: ClientId, group: GroupId, silent: bool) {
        let before = self.clients.len();
        self.clients.retain(|c| (c.client, c.group) != (client, group));
        if self.clients.len() < before {
            shared.fact(Fact::Pop(PopFact::ClientDropped { proxy: self.id, client, silent }));
            self.clear_handles(shared, client, group);
        }
    }

    /// Schedules the first scan that could find the longest-silent client over its limit.
    fn schedule_client_scan(&mut self, shared: &mut Shared) {
        let Some(oldest_ms) = self.clients.iter().map(|c| c.heartbeat_ms).min() else { return };
        let model = &shared.model;
        let over_ms = (oldest_ms + model.channel_expired_timeout_ms + 1).max(shared.now_ms + 1);
        let first_ms = self.started_ms + model.channel_scan_ms;
        let at_ms = crate::broker::next_tick(first_ms, model.channel_scan_ms, over_ms);
        if self.scan_at_ms.is_none_or(|armed_ms| armed_ms > at_ms) {
            self.scan_at_ms = Some(at_ms);
            shared.at(at_ms, Event::Proxy(self.id, ProxyTimer::ClientScan));
        }
    }

    fn on_client_scan(&mut self, shared: &mut Shared) {
        if self.scan_at_ms != Some(shared.now_ms) {
            return;
        }
        self.scan_at_ms = None;
        let limit_ms = shared.model.channel_expired_timeout_ms;
        let silent = |c: &&Registered| shared.now_ms - c.heartbeat_ms > limit_ms;
        let gone: Vec<Registered> = self.clients.iter().filter(silent).copied().collect();
        for known in gone {
            self.drop_client(shared, known.client, known.group, true);
        }
        self.schedule_client_scan(shared);
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

    /// Whether a handle is worth nothing any more by the proxy's clock: INVALID_RECEIPT_HANDLE.
    /// Source: common `ReceiptHandle.isExpired`.
    fn is_expired(&self, shared: &Shared, handle: &Handle) -> bool {
        handle.over_ms(self.clock_ahead_ms) <= shared.now_ms
    }

    fn is_registered(&self, client: ClientId, group: GroupId) -> bool {
        self.clients.iter().any(|c| (c.client, c.group) == (client, group))
    }

    /// Whether a consumer has registered and its connection is open.
    fn is_connected(&self, client: ClientId, group: GroupId) -> bool {
        self.clients.iter().any(|c| (c.client, c.group) == (client, group) && c.connected)
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

    /// Sends a request to a broker that nobody waits for, unless the proxy does not find the broker.
    fn settle_quietly(
        &mut self,
        shared: &mut Shared,
        group: GroupId,
        handle: Handle,
        change_ms: Option<Ms>,
    ) {
        if !self.finds(shared, handle.queue.broker) {
            return;
        }
        let deadline_ms = shared.now_ms + shared.model.grpc_request_timeout_ms;
        let rpc = self.open(deadline_ms, None, RelayKind::Quiet);
        self.settle(shared, rpc, group, handle, change_ms);
    }

    fn settle(
        &self,
        shared: &mut Shared,
        rpc: Rpc,
        group: GroupId,
        handle: Handle,
        change_ms: Option<Ms>,
    ) {
        let to = Party::Broker(handle.queue.broker);
        let handle = Rc::new(handle);
        let packet = Packet::Pop(PopPacket::Settle { rpc, group, handle, change_ms });
        shared.send(self.party(), to, packet);
    }

    fn on_act(
        &mut self,
        shared: &mut Shared,
        (client, group): (ClientId, GroupId),
        rpc: Rpc,
        handle: Option<&Handle>,
        act: Act,
    ) {
        let asker = (Party::Client(client), rpc);
        let refuse = |this: &Self, shared: &mut Shared, code| {
            let answer = PopPacket::Acted { token: rpc.token, result: Err(code) };
            this.reply(shared, asker, RequestKind::Ack, answer);
        };
        let kind = match act {
            Act::Dead => RequestKind::SendBack,
            Act::Ack | Act::Change(_) => RequestKind::Ack,
        };
        if let Some(code) = self.failing(kind) {
            return refuse(self, shared, code);
        }
        if let Act::Change(ms) = act {
            if let Err(code) = validate::check_change_invisible(&shared.model, ms) {
                return refuse(self, shared, code);
            }
        }
        // An empty handle cannot be read (`ReceiptHandle.decode`).
        let Some(handle) = handle else {
            return refuse(self, shared, GrpcCode::InternalServerError);
        };
        let handle = self.untrack(shared, client, group, handle).unwrap_or(*handle);
        if act == Act::Dead && self.finds(shared, handle.queue.broker) {
            return self.send_dead(shared, Some(asker), rpc.deadline_ms, group, handle);
        }
        if act != Act::Dead && self.is_expired(shared, &handle) {
            let (queue, offset, msg) = (handle.queue, handle.offset as u32, handle.msg);
            shared.fact(Fact::Pop(PopFact::HandleExpired { client, queue, offset, msg }));
            return refuse(self, shared, GrpcCode::InvalidReceiptHandle);
        }
        let broker = handle.queue.broker;
        if act == Act::Dead || !self.finds(shared, broker) {
            let (proxy, msg) = (self.id, handle.msg);
            shared.fact(Fact::Pop(PopFact::BrokerUnknown { proxy, broker, client, msg }));
            return refuse(self, shared, GrpcCode::InvalidReceiptHandle);
        }
        let change_ms = match act {
            Act::Change(ms) => Some(ms),
            _ => None,
        };
        let rpc = self.open(rpc.deadline_ms, Some(asker), RelayKind::Act { handle });
        self.settle(shared, rpc, group, handle, change_ms);
    }

    /// ConsumerSendMsgBack with level -1 and limit 0, for the message at the handle's place; a broker
    /// that has it no more refuses. Source: `ProducerProcessor.forwardMessageToDeadLetterQueue`.
    fn send_dead(
        &mut self,
        shared: &mut Shared,
        asker: Option<(Party, Rpc)>,
        deadline_ms: Ms,
        group: GroupId,
        handle: Handle,
    ) {
        let rpc = self.open(deadline_ms, asker, RelayKind::Dead { group, handle });
        let (msg, at) = (handle.msg, (handle.queue, handle.offset));
        let packet = Packet::SendBack { rpc, group, msg, at, delay_level: -1, max: 0 };
        shared.send(self.party(), Party::Broker(handle.queue.broker), packet);
    }

    /// The dead letter is stored (or the group stores none): the original is acknowledged.
    fn on_dead_answered(
        &mut self,
        shared: &mut Shared,
        relay: Relay,
        (group, handle): (GroupId, &Handle),
        taken: bool,
    ) {
        if taken && !self.is_expired(shared, handle) {
            self.settle_quietly(shared, group, *handle, None);
        }
        if let Some(asker) = relay.asker {
            let stored = taken.then(|| Rc::new(*handle));
            let result = stored.ok_or(GrpcCode::InternalServerError);
            let answer = PopPacket::Acted { token: asker.1.token, result };
            self.reply(shared, asker, RequestKind::Ack, answer);
        }
    }

    fn on_settled(
        &self,
        shared: &mut Shared,
        relay: Relay,
        code: crate::grpc::AckCode,
        handle: Handle,
    ) {
        let Some(asker) = relay.asker else { return };
        let result = match code {
            crate::grpc::AckCode::Success => Ok(Rc::new(handle)),
            _ => Err(GrpcCode::InternalServerError),
        };
        let answer = PopPacket::Acted { token: asker.1.token, result };
        self.reply(shared, asker, RequestKind::Ack, answer);
    }
}
