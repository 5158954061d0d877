//! gRPC clients of the second consumption stack: push consumer and simple consumer. They speak only
//! to a proxy and know nothing else. Source: clients java `PushConsumerImpl`, `ProcessQueueImpl`,
//! `SimpleConsumerImpl`, `ClientImpl`.

mod lane;
mod packet;
mod push;
mod simple;
mod timer;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

pub use lane::{GrpcCall, Lane, LaneState};
pub use packet::*;
pub use push::ReceiveLoop;
pub use timer::{GrpcTimer, PopTimer, ProxyTimer};

use crate::broker::pop::AttemptId;
use crate::client::Status;
use crate::event::{ClientTimer, Event, Packet, Rpc};
use crate::fact::{Fact, RequestKind, StopKind};
use crate::ids::{ClientId, GroupId, MessageQueue, Ms, MsgId, Party, ProxyId, TopicId};
use crate::pop::GrpcKind;
use crate::shared::{Shared, TopicUse};

/// What an open request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Pending {
    Settings,
    Assignment,
    Receive { number: u32 },
    Lane { number: u32 },
    Held { handle: Handle, act: Act },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct OpenRequest {
    token: u32,
    asked_ms: Ms,
    deadline_ms: Ms,
    what: Pending,
}

/// How far a clean stop of a push consumer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Closing {
    /// It waits for its receives.
    Receives,
    /// It waits for listener calls; none begins any more, except those that have a place in the
    /// thread pool's queue.
    Threads,
    /// It pauses before it tells the proxy.
    Pause,
}

/// A gRPC consumer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GrpcClient {
    /// Its id.
    pub id: ClientId,
    /// Its consumer group.
    pub group: GroupId,
    /// Kind.
    pub kind: GrpcKind,
    /// When it was started.
    pub created_ms: Ms,
    /// Whether it runs.
    pub status: Status,
    /// Consumption threads.
    pub threads: u16,
    /// The proxy that it speaks to.
    pub proxy: ProxyId,
    /// Whether it consumes in order; decided once, by the first settings.
    pub fifo: Option<bool>,
    /// Newest settings.
    pub settings: Option<Rc<ConsumerSettings>>,
    /// FIFO accelerator.
    pub accelerator: bool,
    /// Receive loops in order of their numbers.
    pub loops: Vec<ReceiveLoop>,
    /// Messages that are handled one after the other, in order of receipt.
    pub lanes: Vec<Lane>,
    /// Listener calls that run or are about to begin.
    pub calls: Vec<GrpcCall>,
    /// Messages that a scripted simple consumer holds, in order of receipt.
    pub held: Vec<Delivery>,
    /// Those of them whose handle was lost to a refused change of the invisible time.
    pub without_handle: BTreeSet<MsgId>,
    /// Threads that are taken.
    pub busy: u16,
    /// Lanes that wait for a thread.
    pub pool_waiting: VecDeque<u32>,
    /// How far a clean stop is.
    pub closing: Option<Closing>,
    open: Vec<OpenRequest>,
    tokens: u32,
    numbers: u32,
    attempts: u32,
    robin: u32,
    /// Readable queues of topics, each with the number of the poll that told of them.
    routes: BTreeMap<TopicId, (Ms, Rc<[MessageQueue]>)>,
    /// Whether it waits to ask for its settings again: there is one such wait at a time.
    asks_again: bool,
    frozen: Vec<Event>,
}

impl GrpcClient {
    /// A process that is created now.
    pub(crate) fn new(
        id: ClientId,
        group: GroupId,
        kind: GrpcKind,
        threads: u16,
        shared: &Shared,
    ) -> Self {
        let name = shared.names.clients[id.index()].as_str();
        Self {
            id,
            group,
            kind,
            created_ms: shared.now_ms,
            status: Status::Running,
            threads: threads.max(1),
            proxy: shared.names.own_proxies.get(name).copied().unwrap_or(ProxyId(0)),
            fifo: None,
            settings: None,
            accelerator: shared.group(group).pop.accelerator,
            loops: Vec::new(),
            lanes: Vec::new(),
            calls: Vec::new(),
            held: Vec::new(),
            without_handle: BTreeSet::new(),
            routes: BTreeMap::new(),
            busy: 0,
            pool_waiting: VecDeque::new(),
            closing: None,
            open: Vec::new(),
            tokens: 0,
            numbers: 0,
            attempts: 0,
            robin: 0,
            asks_again: false,
            frozen: Vec::new(),
        }
    }

    /// True while the process works or closes.
    pub fn is_running(&self) -> bool {
        matches!(self.status, Status::Running | Status::Stopping { .. })
    }

    /// True until the process has ended; one that stands still will go on.
    pub(crate) fn is_alive(&self) -> bool {
        !matches!(self.status, Status::Ended(_))
    }

    fn is_push(&self) -> bool {
        self.kind == GrpcKind::Push
    }

    fn party(&self) -> Party {
        Party::Client(self.id)
    }

    fn timer(&self, timer: GrpcTimer) -> Event {
        Event::Client(self.id, ClientTimer::Grpc(timer))
    }

    fn next_number(&mut self) -> u32 {
        self.numbers += 1;
        self.numbers
    }

    fn next_attempt(&mut self) -> AttemptId {
        self.attempts += 1;
        AttemptId(u64::from(self.id.0) << 32 | u64::from(self.attempts))
    }

    fn tell(&self, shared: &mut Shared, packet: PopPacket) {
        shared.send(self.party(), Party::Proxy(self.proxy), Packet::Pop(packet));
    }

    fn ask(
        &mut self,
        shared: &mut Shared,
        limit_ms: Ms,
        what: Pending,
        packet: impl FnOnce(Rpc) -> PopPacket,
    ) {
        self.tokens += 1;
        let (token, deadline_ms) = (self.tokens, shared.now_ms + limit_ms);
        let rpc = Rpc { token, deadline_ms, connection: 0 };
        self.open.push(OpenRequest { token, asked_ms: shared.now_ms, deadline_ms, what });
        self.tell(shared, packet(rpc));
    }

    fn close_request(&mut self, token: u32) -> Option<OpenRequest> {
        let place = self.open.iter().position(|r| r.token == token)?;
        Some(self.open.swap_remove(place))
    }

    /// Deadline of an open request, for the network when it loses the answer.
    pub(crate) fn deadline_ms(&self, token: u32) -> Option<Ms> {
        self.open.iter().find(|r| r.token == token).map(|r| r.deadline_ms)
    }

    /// Open receives: of a push consumer those of the loop of this number.
    pub fn open_receives(&self, number: Option<u32>) -> impl Iterator<Item = u32> + '_ {
        let is_it = move |r: &&OpenRequest| match r.what {
            Pending::Receive { number: of } => number.is_none_or(|number| number == of),
            _ => false,
        };
        self.open.iter().filter(is_it).map(|r| r.token)
    }

    /// Topics that it reads.
    fn topics(&self, shared: &Shared) -> Vec<TopicId> {
        let user = |t: &TopicId| shared.names.topics[t.index()].usage == TopicUse::User;
        let all = shared.subscriptions_of(self.id, self.group);
        all.iter().map(|s| s.topic).filter(user).collect()
    }

    /// Tags that it asks for in a topic now; empty = all.
    fn tags(&self, shared: &Shared, topic: TopicId) -> Rc<[u16]> {
        let all = shared.subscriptions_of(self.id, self.group);
        let own = all.iter().find(|s| s.topic == topic);
        own.map_or_else(Rc::default, |s| s.tags.as_slice().into())
    }

    /// The process starts.
    pub(crate) fn start(&mut self, shared: &mut Shared) {
        shared.fact(Fact::ConsumerStarted { client: self.id });
        self.ask_settings(shared);
        let model = Rc::clone(&shared.model);
        shared.after(model.grpc_heartbeat_initial_delay_ms, self.timer(GrpcTimer::Heartbeat));
        shared.after(model.grpc_heartbeat_initial_delay_ms, self.timer(GrpcTimer::Settings));
        match self.kind {
            GrpcKind::Push => {
                let first_ms = model.assignment_initial_delay_ms;
                shared.after(first_ms, self.timer(GrpcTimer::Assignments));
            }
            GrpcKind::Simple(mode) => self.start_simple(shared, mode),
        }
    }

    fn ask_settings(&mut self, shared: &mut Shared) {
        let (group, limit_ms) = (self.group, shared.model.grpc_request_timeout_ms);
        self.ask(shared, limit_ms, Pending::Settings, |rpc| PopPacket::Settings { rpc, group });
    }

    /// Without its first settings it asks again after a while. The period of its own goes on beside
    /// that, so requests of both may fail: the second one adds no wait.
    fn on_settings_failed(&mut self, shared: &mut Shared) {
        if self.settings.is_none() && !std::mem::replace(&mut self.asks_again, true) {
            let again_ms = shared.model.grpc_receive_backoff_ms;
            shared.after(again_ms, self.timer(GrpcTimer::AskAgain));
        }
    }

    /// A packet arrives.
    pub(crate) fn on_packet(&mut self, shared: &mut Shared, packet: Packet) {
        let Packet::Pop(packet) = packet else { return };
        if !self.is_running() {
            return;
        }
        let Some(asked) = packet.answered().and_then(|(token, _)| self.close_request(token)) else {
            return;
        };
        // A receive that is answered in the instant in which it was sent (a very short long poll, and
        // no latency) is not repeated within it: time would stand still.
        let pause_ms = Ms::from(asked.asked_ms == shared.now_ms);
        match (asked.what, packet) {
            (Pending::Settings, PopPacket::SettingsAre { settings, .. }) => {
                self.fifo.get_or_insert(settings.fifo);
                self.settings = Some(settings);
            }
            // Refused, it keeps the assignments that it has.
            (Pending::Assignment, PopPacket::Assigned { topic, result: Ok(all), .. }) => {
                self.on_assigned(shared, topic, &all);
            }
            (Pending::Receive { number }, PopPacket::Received { result, .. }) => match self.kind {
                GrpcKind::Push => self.on_received(shared, number, result, pause_ms),
                GrpcKind::Simple(_) => {
                    self.on_simple_received(shared, number, result, pause_ms);
                }
            },
            (Pending::Lane { number }, PopPacket::Acted { result, .. }) => {
                self.on_lane_acted(shared, number, result);
            }
            (Pending::Held { handle, act }, PopPacket::Acted { result, .. }) => {
                self.on_held_acted(shared, &handle, act, result, true);
            }
            _ => {}
        }
    }

    /// A request was not answered in time, or its connection broke.
    pub(crate) fn on_timed_out(&mut self, shared: &mut Shared, token: u32, request: RequestKind) {
        let late = self.deadline_ms(token).is_some_and(|ms| ms <= shared.now_ms);
        let Some(OpenRequest { what, .. }) = self.close_request(token) else { return };
        if !self.is_running() {
            return;
        }
        let party = self.party();
        shared.fact(match late {
            true => Fact::RequestTimedOut { party, request },
            false => Fact::RequestFailed { party, request },
        });
        let code = if late { GrpcCode::ProxyTimeout } else { GrpcCode::InternalServerError };
        match what {
            Pending::Settings => self.on_settings_failed(shared),
            Pending::Assignment => {}
            Pending::Receive { number } => match self.kind {
                GrpcKind::Push => self.on_receive_failed(shared, number, code, late),
                GrpcKind::Simple(_) => self.on_simple_received(shared, number, Err(code), 0),
            },
            Pending::Lane { number } => self.on_lane_acted(shared, number, Err(code)),
            Pending::Held { handle, act } => {
                self.on_held_acted(shared, &handle, act, Err(code), false);
            }
        }
    }

    /// A timer fires.
    pub(crate) fn on_timer(&mut self, shared: &mut Shared, timer: ClientTimer) {
        let ClientTimer::Grpc(timer) = timer else { return };
        match timer {
            // A listener call that outlives `close()` returns all the same.
            GrpcTimer::ListenerEnd(number) => self.on_listener_end(shared, number),
            _ if !self.is_running() => {}
            GrpcTimer::Assignments => self.on_assignments_timer(shared),
            GrpcTimer::Heartbeat => {
                self.tell(shared, PopPacket::Heartbeat { group: self.group });
                let period_ms = shared.model.grpc_heartbeat_period_ms;
                shared.after(period_ms, self.timer(GrpcTimer::Heartbeat));
            }
            GrpcTimer::Reconnect => self.ask_settings(shared),
            GrpcTimer::AskAgain => {
                self.asks_again = false;
                self.ask_settings(shared);
            }
            GrpcTimer::Settings => {
                self.ask_settings(shared);
                let period_ms = shared.model.grpc_settings_period_ms;
                shared.after(period_ms, self.timer(GrpcTimer::Settings));
            }
            GrpcTimer::Receive(number) => match self.kind {
                GrpcKind::Push => self.receive(shared, number),
                GrpcKind::Simple(_) => self.simple_turn(shared, number),
            },
            GrpcTimer::Lane(number) => self.on_lane_timer(shared, number),
            GrpcTimer::Close => self.on_close_check(shared),
            GrpcTimer::ListenerStart(number) => self.on_listener_start(shared, number),
        }
    }

    /// `close()`. A push consumer sends no more receives and waits; a simple one leaves at once, and
    /// what its application is handling goes on. The acknowledgement that follows is refused by the
    /// closed client itself. Source: clients java `SimpleConsumerImpl.close`, `ack0`.
    pub(crate) fn shut_down(&mut self, shared: &mut Shared) {
        self.status = Status::Stopping { until_ms: Ms::MAX };
        match self.kind {
            GrpcKind::Push => {
                self.closing = Some(Closing::Receives);
                self.on_close_check(shared);
            }
            GrpcKind::Simple(_) => self.leave(shared),
        }
    }

    fn on_close_check(&mut self, shared: &mut Shared) {
        let model = Rc::clone(&shared.model);
        let receiving = self.open.iter().any(|r| matches!(r.what, Pending::Receive { .. }));
        match self.closing {
            None => {}
            Some(Closing::Receives) if receiving => {
                shared.after(model.grpc_close_check_ms, self.timer(GrpcTimer::Close));
            }
            Some(Closing::Receives) => {
                self.closing = Some(Closing::Threads);
                self.after_calls(shared);
            }
            Some(Closing::Threads) => {}
            Some(Closing::Pause) => self.leave(shared),
        }
    }

    /// Goes on with a clean stop when the last listener call has returned.
    fn after_calls(&mut self, shared: &mut Shared) {
        let idle = self.calls.is_empty() && self.pool_waiting.is_empty();
        if self.closing == Some(Closing::Threads) && idle {
            self.closing = Some(Closing::Pause);
            shared.after(shared.model.grpc_close_pause_ms, self.timer(GrpcTimer::Close));
        }
    }

    fn leave(&mut self, shared: &mut Shared) {
        self.tell(shared, PopPacket::Terminate { group: self.group });
        self.status = Status::Ended(StopKind::Clean);
        let mut running = std::mem::take(&mut self.calls);
        running.retain(|call| call.running);
        self.forget();
        self.calls = running;
        shared.fact(Fact::ConsumerStopped { client: self.id, how: StopKind::Clean });
    }

    fn forget(&mut self) {
        self.closing = None;
        self.loops.clear();
        self.lanes.clear();
        self.calls.clear();
        self.held.clear();
        self.without_handle.clear();
        self.pool_waiting.clear();
        self.open.clear();
        self.frozen.clear();
        self.busy = 0;
    }

    /// The process dies. With [`StopKind::Crash`] its connections close and the proxy sees that.
    pub(crate) fn die(&mut self, shared: &mut Shared, how: StopKind) {
        self.status = Status::Ended(how);
        self.forget();
        if how == StopKind::Crash {
            shared.send(self.party(), Party::Proxy(self.proxy), Packet::Closed { connection: 0 });
        }
        shared.fact(Fact::ConsumerStopped { client: self.id, how });
    }

    /// The process stands still: its events wait.
    pub(crate) fn hang(&mut self, shared: &mut Shared) {
        self.status = Status::Hanging;
        shared.fact(Fact::ConsumerStopped { client: self.id, how: StopKind::Hang });
    }

    /// Keeps an event for the time when a hanging process goes on.
    pub(crate) fn freeze(&mut self, event: Event) {
        self.frozen.push(event);
    }

    /// What was delivered to it while it stands still: it takes it when it goes on.
    pub fn received_standing(&self) -> impl Iterator<Item = &Delivery> {
        let answers = self.frozen.iter().filter_map(|event| match event {
            Event::Arrival {
                packet: Packet::Pop(PopPacket::Received { result: Ok(list), .. }),
                ..
            } => Some(list),
            _ => None,
        });
        answers.flat_map(|list| list.iter())
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
