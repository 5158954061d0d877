//! The name server: which brokers the routes list, since when, and order confs. Clients see it only
//! at their own polls.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::ids::{BrokerId, MessageQueue, Ms, TopicId};
use crate::model::Model;
use crate::shared::Names;

/// What a broker's registration looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Registration {
    listed: bool,
    /// Start of the broker, from which its periodic registrations count.
    since_ms: Ms,
    /// Last registration that was not periodic.
    last_ms: Ms,
}

/// The name server's state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct NameServer {
    brokers: Vec<Registration>,
    order_confs: BTreeMap<TopicId, OrderConf>,
}

/// Write queues of a topic by broker, as a person wrote them down (`ORDER_TOPIC_CONFIG`).
pub type OrderConf = Rc<[(BrokerId, u16)]>;

/// A route as a client reads it (`TopicRouteData`); two of them differ when anything in them does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Route {
    /// Brokers in it, by name.
    pub brokers: Vec<BrokerId>,
    /// `readQueueNums` of each broker.
    pub read_queues: u16,
    /// `writeQueueNums` of each broker.
    pub write_queues: u16,
    /// Order conf.
    pub order: Option<OrderConf>,
}

impl Route {
    /// Queues that may be read, sorted by broker name and id.
    pub fn read_list(&self, topic: TopicId) -> Vec<MessageQueue> {
        let of = |broker: &BrokerId| {
            let broker = *broker;
            (0..self.read_queues).map(move |id| MessageQueue { topic, broker, id })
        };
        self.brokers.iter().flat_map(of).collect()
    }

    /// Queues that a producer sends to: the order conf's, whether its brokers live or not, or those
    /// of the brokers in the route. Source: `MQClientInstance.topicRouteData2TopicPublishInfo`.
    pub fn write_list(&self, topic: TopicId) -> Vec<MessageQueue> {
        let live = || self.brokers.iter().map(|broker| (*broker, self.write_queues)).collect();
        let counts: Vec<(BrokerId, u16)> =
            self.order.as_ref().map_or_else(live, |conf| conf.to_vec());
        let of = |(broker, count): (BrokerId, u16)| {
            (0..count).map(move |id| MessageQueue { topic, broker, id })
        };
        counts.into_iter().flat_map(of).collect()
    }
}

impl NameServer {
    /// A broker registers: it is in the routes from now on. True when it was not before.
    pub fn register(&mut self, broker: BrokerId, now_ms: Ms) -> bool {
        if self.brokers.len() <= broker.index() {
            self.brokers.resize(broker.index() + 1, Registration::default());
        }
        let known = &mut self.brokers[broker.index()];
        let new = !known.listed;
        if new {
            known.since_ms = now_ms;
        }
        (known.listed, known.last_ms) = (true, now_ms);
        new
    }

    /// A broker leaves the routes. True when it was in them.
    pub fn remove(&mut self, broker: BrokerId) -> bool {
        self.brokers
            .get_mut(broker.index())
            .is_some_and(|known| std::mem::replace(&mut known.listed, false))
    }

    /// Every running broker registers a changed topic at once.
    pub fn topic_changed(&mut self, now_ms: Ms, is_up: impl Fn(usize) -> bool) {
        for (index, known) in self.brokers.iter_mut().enumerate() {
            if known.listed && is_up(index) {
                known.last_ms = now_ms;
            }
        }
    }

    /// True when a broker is in the routes.
    pub fn lists(&self, broker: BrokerId) -> bool {
        self.brokers.get(broker.index()).is_some_and(|known| known.listed)
    }

    /// The scan that takes out a broker which falls silent now: the first one more than the expiry
    /// after its last registration. Source: `RouteInfoManager.scanNotActiveBroker`.
    pub fn expiry_ms(&self, model: &Model, broker: BrokerId, now_ms: Ms) -> Ms {
        let Some(known) = self.brokers.get(broker.index()) else { return now_ms };
        let first_ms = known.since_ms + model.register_broker_initial_delay_ms;
        let period = model.register_name_server_period_ms.max(1);
        let periodic_ms = if now_ms >= first_ms {
            first_ms + (now_ms - first_ms) / period * period
        } else {
            known.since_ms
        };
        let last_ms = periodic_ms.max(known.last_ms);
        let over_ms = last_ms + model.broker_channel_expired_time_ms + 1;
        crate::broker::next_tick(
            model.scan_not_active_broker_initial_ms,
            model.scan_not_active_broker_interval_ms,
            over_ms,
        )
    }

    /// Sets or removes an order conf.
    pub fn set_order_conf(&mut self, topic: TopicId, conf: Option<OrderConf>) {
        match conf {
            Some(conf) => self.order_confs.insert(topic, conf),
            None => self.order_confs.remove(&topic),
        };
    }

    /// The route of a topic as it is now; without a broker a client keeps the one it had. An order conf
    /// alone makes no route: the answer is then TOPIC_NOT_EXIST.
    /// Source: `RouteInfoManager.pickupTopicRouteData`, `ClientRequestProcessor`.
    pub fn route(&self, names: &Names, topic: TopicId) -> Route {
        let mut brokers = names.brokers_by_name();
        brokers.retain(|broker| self.lists(*broker));
        let of = &names.topics[topic.index()];
        let conf = self.order_confs.get(&topic).filter(|_| !brokers.is_empty());
        let order = conf.cloned();
        Route { brokers, read_queues: of.read_queues, write_queues: of.write_queues, order }
    }
}

/// Reads an order conf: `brokerA:4;brokerB:4`.
///
/// # Errors
/// The part that names no broker or no number.
pub fn parse_order_conf(names: &Names, text: &str) -> Result<OrderConf, String> {
    let part = |part: &str| {
        let (name, count) = part.split_once(':')?;
        let count = count.trim().parse::<u16>().ok().filter(|n| *n <= 1_024)?;
        Some((names.broker(name.trim())?, count))
    };
    text.split(';').filter(|p| !p.is_empty()).map(|p| part(p).ok_or_else(|| p.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Version;

    #[test]
    fn a_silent_broker_leaves_at_the_first_scan_after_120_seconds() {
        let model = Model::of(Version(5, 3, 3));
        let mut server = NameServer::default();
        assert!(server.register(BrokerId(0), 0));
        assert_eq!(server.expiry_ms(&model, BrokerId(0), 5_000), 120_005);
        assert_eq!(server.expiry_ms(&model, BrokerId(0), 10_000), 130_005);
        assert_eq!(server.expiry_ms(&model, BrokerId(0), 69_999), 160_005);
        let old = Model::of(Version(4, 9, 8));
        assert_eq!(server.expiry_ms(&old, BrokerId(0), 10_000), 135_000);
    }

    #[test]
    fn an_order_conf_fixes_the_write_queues() {
        let names = Names::default();
        let mut server = NameServer::default();
        let topic = TopicId(0);
        server.register(BrokerId(0), 0);
        assert_eq!(parse_order_conf(&names, "broker:2;x"), Err("x".to_owned()));
        server.set_order_conf(topic, parse_order_conf(&names, "broker:2").ok());
        assert_eq!(server.route(&names, topic).write_list(topic).len(), 2);
        assert_eq!(server.route(&names, topic).read_list(topic).len(), 256);
        assert!(server.remove(BrokerId(0)));
        assert_eq!(server.route(&names, topic).write_list(topic).len(), 0, "no broker, no route");
    }
}
