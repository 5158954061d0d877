//! Commands about brokers and their place in the routes.

use std::rc::Rc;

use super::apply::{in_range, unknown, Applied};
use super::World;
use crate::broker::Broker;
use crate::command::{Command, Refusal, Unfit};
use crate::connection::Connections;
use crate::event::{BrokerTimer, Event, ProducerTimer};
use crate::fact::{BrokerStop, Fact, RouteLoss};
use crate::ids::{BrokerId, Ms, Party, ProxyId};
use crate::name_server::parse_order_conf;
use crate::net::Gone;
use crate::process::Process;

/// Most brokers of a run.
pub const MAX_BROKERS: usize = 16;

impl World {
    pub(super) fn apply_broker(&mut self, command: &Command) -> Applied {
        match command {
            Command::AddBroker { name } => self.add_broker(name),
            Command::StopBroker { broker, how } => self.stop_broker(broker.as_deref(), *how),
            Command::StartBroker { broker } => self.start_broker(broker.as_deref()),
            Command::SetOrderConf { topic, conf } => {
                let topic = self.topic(topic)?;
                let conf = conf.as_deref().map(|text| parse_order_conf(&self.shared.names, text));
                let conf = conf.transpose().map_err(|part| Refusal::BadOrderConf { part })?;
                self.shared.name_server.set_order_conf(topic, conf);
                self.route_changed();
                Ok(())
            }
            Command::SetDisk { broker, used_percent } => {
                in_range("disk use", i64::from(*used_percent), 0, 100)?;
                let only = broker.as_deref().map(|name| self.broker(Some(name))).transpose()?;
                for broker in &mut self.brokers {
                    if only.is_none_or(|only| only == broker.id) {
                        let broker = Rc::make_mut(broker);
                        broker.disk_used_percent = *used_percent;
                        broker.schedule_clean(&mut self.shared);
                        broker.schedule_disk_look(&mut self.shared);
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A broker by name; the first one without.
    pub(super) fn broker(&self, name: Option<&str>) -> Result<BrokerId, Refusal> {
        let Some(name) = name else { return Ok(BrokerId(0)) };
        self.shared.names.broker(name).ok_or_else(|| unknown("broker", name))
    }

    fn add_broker(&mut self, name: &str) -> Applied {
        self.free_party_name(name)?;
        if self.brokers.len() >= MAX_BROKERS {
            return Err(Refusal::LimitReached { limit: "MAX_BROKERS" });
        }
        let id = BrokerId(self.brokers.len() as u8);
        Rc::make_mut(&mut self.shared.names).brokers.push(name.to_owned());
        let mut broker = Broker::new(id, self.shared.now_ms);
        if let Some(first) = self.brokers.first() {
            broker.configured_table = first.configured_table.clone();
            broker.delay.table = first.configured_table.clone();
        }
        broker.store.segment_bytes = self.shared.model.mapped_file_size_commit_log_bytes;
        self.brokers.push(Rc::new(broker));
        self.shared.fact(Fact::BrokerStarted { broker: id });
        self.list(id);
        Ok(())
    }

    fn stop_broker(&mut self, name: Option<&str>, how: BrokerStop) -> Applied {
        let id = self.broker(name)?;
        let broker = &mut self.brokers[id.index()];
        if !broker.up {
            return Err(Refusal::WrongState {
                name: self.shared.names.brokers[id.index()].clone(),
                is: Unfit::Down,
            });
        }
        Rc::make_mut(broker).stop(&mut self.shared, how);
        self.break_connections(id, how);
        if let Some(proxy) = self.proxy_inside(id).filter(|proxy| self.proxies[proxy.index()].up) {
            self.stop_proxy(proxy, how != BrokerStop::PowerLoss);
        }
        match how {
            BrokerStop::Clean => self.unlist(id, RouteLoss::Unregistered),
            BrokerStop::Crash => self.unlist(id, RouteLoss::ConnectionClosed),
            BrokerStop::PowerLoss => {
                let Self { shared, brokers, .. } = self;
                let at_ms = shared.name_server.expiry_ms(&shared.model, id, shared.now_ms);
                Rc::make_mut(&mut brokers[id.index()]).route_expiry_ms = Some(at_ms);
                shared.at(at_ms, Event::Broker(id, BrokerTimer::RouteExpiry));
            }
        }
        Ok(())
    }

    fn start_broker(&mut self, name: Option<&str>) -> Applied {
        let id = self.broker(name)?;
        let broker = &mut self.brokers[id.index()];
        if broker.up {
            return Err(Refusal::WrongState {
                name: self.shared.names.brokers[id.index()].clone(),
                is: Unfit::Up,
            });
        }
        Rc::make_mut(broker).start(&mut self.shared);
        self.shared.net.set_gone(Party::Broker(id), None);
        if let Some(proxy) = self.proxy_inside(id).filter(|proxy| !self.proxies[proxy.index()].up) {
            self.start_proxy(proxy);
        }
        self.list(id);
        let now_ms = self.shared.now_ms;
        for producer in self.producers.iter_mut().filter(|p| p.connections.is_stranded(id)) {
            Rc::make_mut(producer).connections.back(id, now_ms);
        }
        Ok(())
    }

    /// Connections to a process that ends close; a dead machine leaves them as they are, and knows
    /// nothing of them when it is back.
    fn break_connections(&mut self, broker: BrokerId, how: BrokerStop) {
        let gone = match how {
            BrokerStop::PowerLoss => Gone::Silent,
            BrokerStop::Clean | BrokerStop::Crash => Gone::Refusing,
        };
        self.shared.net.set_gone(Party::Broker(broker), Some(gone));
        let end = |connections: &mut Connections| match gone {
            Gone::Silent => connections.strand(broker),
            Gone::Refusing => drop(connections.close(broker)),
        };
        for client in self.clients.iter_mut().filter_map(Process::classic_mut) {
            end(&mut client.connections);
        }
        for producer in &mut self.producers {
            if producer.connections.open(broker).is_some() {
                end(&mut Rc::make_mut(producer).connections);
            }
        }
    }

    /// In local mode the n-th proxy runs inside the n-th broker, and dies and starts with it.
    fn proxy_inside(&self, broker: BrokerId) -> Option<ProxyId> {
        let id = ProxyId(broker.0);
        (self.shared.model.proxy_local == 1 && id.index() < self.proxies.len()).then_some(id)
    }

    /// The name server has not heard from a broker for too long, unless it is back.
    pub(super) fn on_route_expiry(&mut self, id: BrokerId) {
        let now_ms = self.shared.now_ms;
        let expires = |b: &Rc<Broker>| !b.up && b.route_expiry_ms == Some(now_ms);
        if self.brokers.get(id.index()).is_some_and(expires) {
            self.unlist(id, RouteLoss::Silent);
        }
    }

    fn list(&mut self, broker: BrokerId) {
        if self.shared.name_server.register(broker, self.shared.now_ms) {
            self.shared.fact(Fact::BrokerRegistered { broker });
            self.route_changed();
        }
    }

    fn unlist(&mut self, broker: BrokerId, reason: RouteLoss) {
        if self.shared.name_server.remove(broker) {
            self.shared.fact(Fact::BrokerUnregistered { broker, reason });
            self.route_changed();
        }
    }

    /// Every running broker registers a changed topic with the name server at once.
    pub(super) fn topic_changed(&mut self) {
        let Self { shared, brokers, .. } = self;
        shared.name_server.topic_changed(shared.now_ms, |index| brokers[index].up);
        self.route_changed();
    }

    /// Something in the routes changed: each producer will see it at its own next poll.
    fn route_changed(&mut self) {
        for producer in &mut self.producers {
            if let Some(at_ms) = producer.next_route_poll_ms(&self.shared) {
                let timer = Event::Producer(producer.id, ProducerTimer::RoutePoll);
                self.shared.at(at_ms, timer);
                Rc::make_mut(producer).route_poll_ms = Some(at_ms);
            }
        }
    }

    /// A constant was set: what the brokers derived from it follows.
    pub(super) fn constants_changed(&mut self) {
        let bytes = self.shared.model.mapped_file_size_commit_log_bytes.max(1);
        for broker in &mut self.brokers {
            Rc::make_mut(broker).schedule_disk_look(&mut self.shared);
            if broker.store.segment_bytes != bytes || broker.store.segments().len() > 1 {
                let broker = Rc::make_mut(broker);
                broker.store.segment_bytes = bytes;
                broker.schedule_clean(&mut self.shared);
            }
        }
    }

    /// True when connections to a broker that is down are refused; a dead machine does not answer.
    pub(super) fn refuses_connections(&self, id: BrokerId) -> bool {
        self.brokers
            .get(id.index())
            .is_some_and(|broker| !broker.up && broker.stopped != Some(BrokerStop::PowerLoss))
    }

    /// Sets the wall clock of a broker or a consumer.
    pub(super) fn set_clock(&mut self, name: &str, ahead_ms: Ms) -> Applied {
        const YEAR_MS: Ms = 366 * 24 * 3_600_000;
        in_range("clock", ahead_ms, -YEAR_MS, YEAR_MS)?;
        match self.party(name)? {
            Party::Broker(id) => {
                Rc::make_mut(&mut self.brokers[id.index()]).set_clock(&mut self.shared, ahead_ms);
                if let Some(proxy) = self.proxy_inside(id) {
                    let proxy = Rc::make_mut(&mut self.proxies[proxy.index()]);
                    proxy.set_clock(&mut self.shared, ahead_ms);
                }
                Ok(())
            }
            Party::Client(id) => self.set_client_clock(id, ahead_ms),
            _ => Err(unknown("consumer", name)),
        }
    }
}
