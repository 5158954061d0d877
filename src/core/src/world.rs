//! The whole simulated system at one instant, and the step that takes it to the next event.

mod apply;
mod apply_pop;
mod brokers;
mod clients;
mod find;
mod reset;

use std::rc::Rc;

use crate::broker::Broker;
use crate::client::Status;
use crate::command::{Command, Refusal, MAX_TIME_MS};
use crate::event::{BrokerTimer, Event, Packet};
use crate::fact::{Fact, StopKind};
use crate::hash::StableHasher;
use crate::ids::{BrokerId, ClientId, Ms, Party, ProxyId};
use crate::model::Model;
use crate::process::Process;
use crate::producer::Producer;
use crate::proxy::Proxy;
use crate::shared::Shared;
use std::hash::{Hash, Hasher};

/// The system at one instant. A clone shares whatever did not change.
#[derive(Clone, Debug, Hash)]
pub struct World {
    /// Clock, agenda, network, names.
    pub shared: Shared,
    /// Brokers by id.
    pub brokers: Vec<Rc<Broker>>,
    /// Consumer processes by id, ended ones included.
    pub clients: Vec<Process>,
    /// Proxies by id.
    pub proxies: Vec<Rc<Proxy>>,
    /// Producer processes by id.
    pub producers: Vec<Rc<Producer>>,
    events: u32,
    /// When the last event was.
    event_ms: Ms,
    chain: u64,
}

impl World {
    /// A system with one broker that starts at instant 0 and nothing else.
    pub fn new(seed: u64, model: Model) -> Self {
        let mut shared = Shared::new(seed, model);
        shared.name_server.register(BrokerId(0), 0);
        let mut broker = Broker::new(BrokerId(0), 0);
        broker.store.segment_bytes = shared.model.mapped_file_size_commit_log_bytes;
        Self {
            shared,
            brokers: vec![Rc::new(broker)],
            clients: Vec::new(),
            proxies: vec![Rc::new(Proxy::new(ProxyId(0), 0))],
            producers: Vec::new(),
            events: 0,
            event_ms: 0,
            chain: StableHasher::of(&seed),
        }
    }

    /// The present instant.
    pub fn now_ms(&self) -> Ms {
        self.shared.now_ms
    }

    /// The instant of a scenario's line that does what a command given now does. A line comes before all
    /// else at its instant, so where something has happened in the present one it is the next ms.
    pub fn line_ms(&self) -> Ms {
        let now_ms = self.shared.now_ms;
        now_ms.saturating_add(Ms::from(self.events > 0 && self.event_ms == now_ms))
    }

    /// Number of events so far.
    pub fn event(&self) -> u32 {
        self.events
    }

    /// Instant of the next event of the agenda.
    pub fn next_event_at(&self) -> Option<Ms> {
        self.shared.agenda.next_at()
    }

    /// Hash of the run up to here: every event and every fact of it, in order. Equal hashes mean
    /// equal runs; the cost is a few nanoseconds for each fact.
    pub fn hash(&self) -> u64 {
        self.chain
    }

    /// Hash of the complete state, computed from nothing but the state. Costs a walk over it.
    pub fn digest(&self) -> u64 {
        StableHasher::of(self)
    }

    /// Why a command of the journal was refused.
    pub fn refusal(&self, index: u32) -> Option<&Refusal> {
        self.shared.refusals.get(&index)
    }

    /// Puts a command of the journal on the agenda.
    pub fn schedule_command(&mut self, at_ms: Ms, index: u32) {
        self.shared.agenda.schedule(at_ms, Event::Command(index));
    }

    /// Runs the next event; false when nothing is left to happen. The facts of the event are in
    /// [`World::facts`] until the next step.
    pub fn step(&mut self, journal: &[(Ms, Command)]) -> bool {
        let Some(entry) = self.shared.agenda.pop() else { return false };
        self.begin_event(entry.at_ms);
        self.dispatch(entry.event, journal);
        self.end_event();
        true
    }

    /// Lets time go on to an instant up to which nothing happens; an instant that is over, or behind
    /// the next event, changes nothing.
    pub fn wait_until(&mut self, at_ms: Ms) {
        let is_free = self.next_event_at().is_none_or(|next_ms| at_ms < next_ms);
        if is_free && at_ms > self.shared.now_ms {
            self.shared.now_ms = at_ms;
        }
    }

    /// Applies a command at the present instant, as an event of its own.
    pub fn apply_now(&mut self, index: u32, command: &Command) {
        self.apply_at(self.shared.now_ms, index, command);
    }

    /// Applies a command at an instant, as an event of its own: see [`World::reachable`].
    pub fn apply_at(&mut self, at_ms: Ms, index: u32, command: &Command) {
        self.begin_event(self.reachable(at_ms));
        self.apply(index, command);
        self.end_event();
    }

    /// The instant nearest to `at_ms` that has come when nothing but time goes on: from the present to
    /// the next event or to the latest instant that a command may name, in ms. A command comes before
    /// all else that happens at its instant.
    pub fn reachable(&self, at_ms: Ms) -> Ms {
        let next_ms = self.next_event_at().unwrap_or(Ms::MAX);
        at_ms.min(next_ms).min(MAX_TIME_MS).max(self.shared.now_ms)
    }

    fn begin_event(&mut self, at_ms: Ms) {
        self.shared.now_ms = at_ms;
        self.shared.facts.clear();
        self.events += 1;
        self.event_ms = at_ms;
    }

    fn end_event(&mut self) {
        let mut hasher = StableHasher::from(self.chain);
        self.shared.now_ms.hash(&mut hasher);
        for fact in &self.shared.facts {
            fact.hash(&mut hasher);
        }
        self.shared.agenda.len().hash(&mut hasher);
        self.chain = hasher.finish();
    }

    /// Facts of the last event.
    pub fn facts(&self) -> &[Fact] {
        &self.shared.facts
    }

    fn dispatch(&mut self, event: Event, journal: &[(Ms, Command)]) {
        match event {
            Event::Command(index) => {
                if let Some((_, command)) = journal.get(index as usize) {
                    self.apply(index, command);
                }
            }
            Event::Arrival { from, to, packet } => self.arrive(from, to, packet),
            Event::TimedOut { party, token, request } => match party {
                Party::Client(id) => {
                    let event = Event::TimedOut { party, token, request };
                    if !self.freeze(id, &event) {
                        match self.clients.get_mut(id.index()) {
                            Some(Process::Classic(client)) => {
                                Rc::make_mut(client).on_timed_out(&mut self.shared, token, request)
                            }
                            Some(Process::Grpc(client)) => {
                                Rc::make_mut(client).on_timed_out(&mut self.shared, token, request)
                            }
                            None => {}
                        }
                    }
                }
                Party::Proxy(id) => {
                    if let Some(proxy) = self.proxies.get_mut(id.index()) {
                        Rc::make_mut(proxy).on_timed_out(&mut self.shared, token, request);
                    }
                }
                Party::Producer(id) => {
                    if let Some(producer) = self.producers.get_mut(id.index()) {
                        Rc::make_mut(producer).on_timed_out(&mut self.shared, token);
                    }
                }
                Party::Broker(_) => {}
            },
            Event::Broker(id, BrokerTimer::RouteExpiry) => self.on_route_expiry(id),
            Event::Broker(id, timer) => {
                if let Some(broker) = self.brokers.get_mut(id.index()) {
                    Rc::make_mut(broker).on_timer(&mut self.shared, timer);
                }
            }
            Event::Client(id, timer) => {
                if self.freeze(id, &Event::Client(id, timer)) {
                    return;
                }
                let Some(process) = self.clients.get_mut(id.index()) else { return };
                use StopKind::{Crash, Hang, Silent};
                if matches!(process.status(), Status::Ended(Crash | Silent | Hang)) {
                    return;
                }
                match process {
                    Process::Classic(client) => {
                        Rc::make_mut(client).on_timer(&mut self.shared, timer);
                    }
                    Process::Grpc(client) => {
                        Rc::make_mut(client).on_timer(&mut self.shared, timer);
                    }
                }
            }
            Event::Proxy(id, timer) => {
                if let Some(proxy) = self.proxies.get_mut(id.index()) {
                    Rc::make_mut(proxy).on_timer(&mut self.shared, timer);
                }
            }
            Event::Producer(id, timer) => {
                if let Some(producer) = self.producers.get_mut(id.index()) {
                    Rc::make_mut(producer).on_timer(&mut self.shared, timer);
                }
            }
        }
    }

    /// Keeps an event of a process that stands still for later; false when it runs.
    fn freeze(&mut self, id: ClientId, event: &Event) -> bool {
        let Some(process) = self.clients.get_mut(id.index()) else { return true };
        if process.status() != Status::Hanging {
            return false;
        }
        match process {
            Process::Classic(client) => Rc::make_mut(client).freeze(event.clone()),
            Process::Grpc(client) => Rc::make_mut(client).freeze(event.clone()),
        }
        true
    }

    fn arrive(&mut self, from: Party, to: Party, packet: Packet) {
        if self.shared.net.is_cut(from, to) {
            return self.lose(from, to, &packet);
        }
        match to {
            Party::Broker(id) => {
                let Some(broker) = self.brokers.get_mut(id.index()) else { return };
                if broker.up {
                    Rc::make_mut(broker).on_packet(&mut self.shared, from, packet);
                } else if !matches!(packet, Packet::Closed { .. }) {
                    self.lose(from, to, &packet);
                }
            }
            Party::Client(id) => {
                if self.clients.get(id.index()).is_some_and(|c| c.status() == Status::Hanging) {
                    self.freeze(id, &Event::Arrival { from, to, packet });
                    return;
                }
                match self.clients.get_mut(id.index()) {
                    Some(Process::Classic(client)) => {
                        Rc::make_mut(client).on_packet(&mut self.shared, packet);
                    }
                    Some(Process::Grpc(client)) => {
                        Rc::make_mut(client).on_packet(&mut self.shared, packet);
                    }
                    None => {}
                }
            }
            Party::Proxy(id) => {
                let Some(proxy) = self.proxies.get_mut(id.index()) else { return };
                if proxy.up {
                    Rc::make_mut(proxy).on_packet(&mut self.shared, from, packet);
                } else {
                    self.lose(from, to, &packet);
                }
            }
            Party::Producer(id) => {
                if let Some(producer) = self.producers.get_mut(id.index()) {
                    Rc::make_mut(producer).on_packet(&mut self.shared, packet);
                }
            }
        }
    }

    /// A packet is lost on its way. A request to a broker or proxy whose machine is up fails at once:
    /// nobody listens there; otherwise the asker notices at its deadline. gRPC stubs fail fast
    /// (clients java `RpcClientImpl` asks for no `withWaitForReady`).
    fn lose(&mut self, from: Party, to: Party, packet: &Packet) {
        self.shared.fact(Fact::PacketLost { from, to });
        if let Some((rpc, request)) = packet.request() {
            let refused = match to {
                Party::Broker(id) => self.refuses_connections(id),
                Party::Proxy(id) => self.proxies[id.index()].refuses_connections(),
                _ => false,
            };
            let at_ms = if refused { self.shared.now_ms } else { rpc.deadline_ms };
            let event = Event::TimedOut { party: from, token: rpc.token, request };
            return self.shared.agenda.schedule(at_ms, event);
        }
        let Some((token, request)) = packet.answered() else { return };
        let deadline_ms = match to {
            Party::Client(id) => match self.clients.get(id.index()) {
                Some(Process::Classic(client)) => client.deadline_ms(token),
                Some(Process::Grpc(client)) => client.deadline_ms(token),
                None => None,
            },
            Party::Proxy(id) => self.proxies.get(id.index()).and_then(|p| p.deadline_ms(token)),
            Party::Producer(id) => self
                .producers
                .get(id.index())
                .and_then(|p| p.sending.iter().find(|s| s.token == token).map(|s| s.deadline_ms)),
            Party::Broker(_) => None,
        };
        if let Some(deadline_ms) = deadline_ms {
            let event = Event::TimedOut { party: to, token, request };
            self.shared.agenda.schedule(deadline_ms, event);
        }
    }
}
