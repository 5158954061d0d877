//! What a proxy remembers of the name server's and the brokers' metadata. In cluster mode an entry
//! that is older than 20 s is loaded again by the next use, which still sees the old value; since
//! 5.1.4 one that nobody used for five minutes is forgotten. Source: proxy `TopicRouteService`,
//! `MessageQueueSelector`, `ClusterMetadataService`.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Proxy;
use crate::command::TopicType;
use crate::fact::Fact;
use crate::grpc::GrpcCode;
use crate::ids::{BrokerId, GroupId, MessageQueue, Ms, TopicId};
use crate::model::NEVER;
use crate::name_server;
use crate::pop::{Backoff, Cache, PopFact};
use crate::rng::Stream;
use crate::shared::{Names, Shared};

/// A cached value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cached<T> {
    /// When it was loaded.
    pub loaded_ms: Ms,
    /// When it was last used.
    pub used_ms: Ms,
    /// What was loaded.
    pub value: T,
}

/// Queues of a topic as a proxy sees them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Route {
    /// Writable queues, sorted: those of the order conf, if there is one, as far as their brokers are
    /// in the route.
    pub write: Rc<[MessageQueue]>,
    /// Readable queues, sorted.
    pub read: Rc<[MessageQueue]>,
}

impl Route {
    /// What a proxy makes of the name server's answer; None when no broker has the topic.
    fn of(route: &name_server::Route, topic: TopicId, names: &Names) -> Option<Self> {
        if route.brokers.is_empty() {
            return None;
        }
        let mut write = route.write_list(topic);
        write.retain(|queue| route.brokers.contains(&queue.broker));
        // Sorted as MessageQueue.compareTo: by broker name, then id.
        write.sort_by_key(|queue| (&names.brokers[queue.broker.index()], queue.id));
        write.dedup();
        Some(Self { write: write.into(), read: route.read_list(topic).into() })
    }

    /// Brokers with readable queues.
    fn readable(&self) -> Vec<BrokerId> {
        let mut brokers: Vec<BrokerId> = self.read.iter().map(|queue| queue.broker).collect();
        brokers.dedup();
        brokers
    }
}

/// A consumer group as a proxy sees it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GroupConfig {
    /// `consumeMessageOrderly`.
    pub orderly: bool,
    /// Attempts in all.
    pub max_attempts: u32,
    /// Back-off.
    pub backoff: Backoff,
}

/// All caches of a proxy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Caches {
    /// Routes; None = no broker had the topic.
    pub routes: BTreeMap<TopicId, Cached<Option<Route>>>,
    /// Whether brokers, by name, were in the route.
    pub brokers: BTreeMap<BrokerId, Cached<bool>>,
    /// Types of topics.
    pub types: BTreeMap<TopicId, Cached<TopicType>>,
    /// Consumer groups.
    pub groups: BTreeMap<GroupId, Cached<GroupConfig>>,
}

/// By which rules a cache is used.
#[derive(Clone, Copy)]
struct Clock {
    now_ms: Ms,
    refresh_ms: Ms,
    /// None = never.
    expire_ms: Option<Ms>,
    /// Nothing is kept.
    local: bool,
}

/// Uses an entry: loads it when it is missing or was not used for too long (or the proxy is local),
/// and loads it for the next use when it is too old. True when the value that is used is out of date.
fn touch<K: Ord, T: Clone + PartialEq>(
    table: &mut BTreeMap<K, Cached<T>>,
    key: K,
    clock: Clock,
    load: impl FnOnce() -> T,
) -> (T, bool) {
    let Clock { now_ms, refresh_ms, expire_ms, local } = clock;
    let fresh = |value| Cached { loaded_ms: now_ms, used_ms: now_ms, value };
    match table.get_mut(&key) {
        Some(entry) if !local && expire_ms.is_none_or(|ms| now_ms - entry.used_ms < ms) => {
            entry.used_ms = now_ms;
            let value = entry.value.clone();
            let mut stale = false;
            if now_ms - entry.loaded_ms > refresh_ms {
                *entry = fresh(load());
                stale = entry.value != value;
            }
            (value, stale)
        }
        _ => {
            let value = load();
            table.insert(key, fresh(value.clone()));
            (value, false)
        }
    }
}

impl Proxy {
    fn stale(&self, shared: &mut Shared, stale: bool, what: Cache) {
        if stale {
            shared.fact(Fact::Pop(PopFact::CacheStale { proxy: self.id, what }));
        }
    }

    fn clock(&self, shared: &Shared, local_counts: bool) -> Clock {
        let model = &shared.model;
        Clock {
            now_ms: shared.now_ms,
            refresh_ms: model.proxy_cache_refresh_ms,
            expire_ms: (model.proxy_cache_expire_ms != NEVER)
                .then_some(model.proxy_cache_expire_ms),
            local: local_counts && model.proxy_local == 1,
        }
    }

    /// Queues of a topic as the name server had them. Cached in local mode too.
    ///
    /// # Errors
    /// TOPIC_NOT_FOUND when no broker had the topic.
    pub(super) fn route(&mut self, shared: &mut Shared, topic: TopicId) -> Result<Route, GrpcCode> {
        let clock = self.clock(shared, false);
        let load = || {
            let route = shared.name_server.route(&shared.names, topic);
            Route::of(&route, topic, &shared.names)
        };
        let (route, stale) = touch(&mut self.caches.routes, topic, clock, load);
        self.stale(shared, stale, Cache::Route(topic));
        route.ok_or(GrpcCode::TopicNotFound)
    }

    /// The queues that the next send may be stored in, as far as the proxy remembers them: what it would
    /// load anew is not known. In local mode the endpoint decides, and nothing is remembered.
    pub fn known_write(&self, shared: &Shared, topic: TopicId) -> Option<Rc<[MessageQueue]>> {
        let clock = self.clock(shared, true);
        let fresh = |used_ms| clock.expire_ms.is_none_or(|ms| clock.now_ms - used_ms < ms);
        let entry = self.caches.routes.get(&topic).filter(|entry| fresh(entry.used_ms));
        let route = entry.filter(|_| !clock.local)?.value.as_ref()?;
        Some(Rc::clone(&route.write))
    }

    /// Queues that a send may be stored in. In local mode they are those of the broker whose endpoint
    /// the client chose, as that broker itself has them now: without cache, without order conf.
    ///
    /// # Errors
    /// TOPIC_NOT_FOUND when no broker had the topic.
    pub(super) fn write_queues(
        &mut self,
        shared: &mut Shared,
        topic: TopicId,
        endpoint: BrokerId,
    ) -> Result<Rc<[MessageQueue]>, GrpcCode> {
        if shared.model.proxy_local == 0 {
            return Ok(self.route(shared, topic)?.write);
        }
        let ids = 0..shared.names.topics[topic.index()].write_queues;
        Ok(ids.map(|id| MessageQueue { topic, broker: endpoint, id }).collect())
    }

    /// The broker that a receive asks: the one that the client named, another one when that is not in
    /// the route. In local mode a client speaks to the broker that it names.
    ///
    /// # Errors
    /// TOPIC_NOT_FOUND when no broker had the topic, FORBIDDEN when no queue can be read.
    pub(super) fn readable_broker(
        &mut self,
        shared: &mut Shared,
        topic: TopicId,
        asked: BrokerId,
    ) -> Result<BrokerId, GrpcCode> {
        if shared.model.proxy_local == 1 {
            return Ok(asked);
        }
        let brokers = self.route(shared, topic)?.readable();
        if brokers.is_empty() {
            return Err(GrpcCode::Forbidden);
        }
        if brokers.contains(&asked) {
            return Ok(asked);
        }
        let turn = next_turn(shared, &mut self.broker_turns, topic);
        Ok(brokers[turn as usize % brokers.len()])
    }

    /// Whether it has the address of the broker that a handle names. Source: proxy
    /// `ClusterMessageService.resolveBrokerAddrInReceiptHandle`.
    pub(super) fn finds(&mut self, shared: &mut Shared, broker: BrokerId) -> bool {
        if shared.model.proxy_local == 1 {
            return true;
        }
        let clock = self.clock(shared, false);
        let lists = || shared.name_server.lists(broker);
        let (found, stale) = touch(&mut self.caches.brokers, broker, clock, lists);
        self.stale(shared, stale, Cache::Broker(broker));
        found
    }

    /// Type of a topic.
    pub(super) fn topic_type(&mut self, shared: &mut Shared, topic: TopicId) -> TopicType {
        let clock = self.clock(shared, true);
        let kind = shared.names.topics[topic.index()].kind;
        let (kind, stale) = touch(&mut self.caches.types, topic, clock, || kind);
        self.stale(shared, stale, Cache::Type(topic));
        kind
    }

    /// Configuration of a consumer group.
    pub(super) fn group_config(&mut self, shared: &mut Shared, group: GroupId) -> GroupConfig {
        let clock = self.clock(shared, true);
        let names = Rc::clone(&shared.names);
        let usual = shared.model.retry_max_times as i32;
        let (config, stale) = touch(&mut self.caches.groups, group, clock, || {
            let pop = &names.groups[group.index()].pop;
            let times = if pop.retry_max_times < 0 { usual } else { pop.retry_max_times };
            GroupConfig {
                orderly: pop.orderly,
                max_attempts: crate::retry::max_attempts(times).max(1) as u32,
                backoff: pop.backoff.clone(),
            }
        });
        self.stale(shared, stale, Cache::Group(group));
        config
    }
}

/// An index that goes on with each use, from a random start.
pub(super) fn next_turn(
    shared: &mut Shared,
    turns: &mut BTreeMap<TopicId, u32>,
    topic: TopicId,
) -> u32 {
    let index = turns
        .entry(topic)
        .or_insert_with(|| shared.streams.between(Stream::GrpcRoundRobin, 0, 0x7fff_ffff) as u32);
    let turn = *index;
    *index = index.wrapping_add(1);
    turn
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: Clock =
        Clock { now_ms: 0, refresh_ms: 20_000, expire_ms: Some(300_000), local: false };

    #[test]
    fn the_first_use_of_an_old_entry_still_sees_the_old_value() {
        let mut table = BTreeMap::new();
        let mut at = |now_ms, value| touch(&mut table, 0, Clock { now_ms, ..CLOCK }, || value);
        assert_eq!(at(0, 4), (4, false));
        assert_eq!(at(20_000, 8), (4, false));
        assert_eq!(at(20_001, 8), (4, true));
        assert_eq!(at(20_002, 8), (8, false));
    }

    #[test]
    fn an_entry_that_nobody_used_is_forgotten() {
        let mut table = BTreeMap::new();
        let mut at = |now_ms, value| touch(&mut table, 0, Clock { now_ms, ..CLOCK }, || value);
        assert_eq!(at(0, 4), (4, false));
        assert_eq!(at(299_999, 4), (4, false));
        assert_eq!(at(599_998, 8), (4, true));
        assert_eq!(at(899_998, 16), (16, false));
    }

    #[test]
    fn the_write_list_is_that_of_the_order_conf_and_of_living_brokers() {
        let mut names = Names::default();
        names.brokers = vec!["b".into(), "a".into()];
        names.topics[0].write_queues = 2;
        let topic = TopicId(0);
        let mut server = name_server::NameServer::default();
        let route = |server: &name_server::NameServer| {
            let route = Route::of(&server.route(&names, topic), topic, &names);
            let ids = |route: Route| route.write.iter().map(|q| (q.broker.0, q.id)).collect();
            route.map(ids)
        };
        assert_eq!(route(&server), None::<Vec<(u8, u16)>>);
        server.register(BrokerId(0), 0);
        assert_eq!(route(&server), Some(vec![(0, 0), (0, 1)]));
        server.register(BrokerId(1), 0);
        assert_eq!(route(&server), Some(vec![(1, 0), (1, 1), (0, 0), (0, 1)]));
        server.set_order_conf(topic, name_server::parse_order_conf(&names, "b:1;a:1").ok());
        assert_eq!(route(&server), Some(vec![(1, 0), (0, 0)]));
        assert!(server.remove(BrokerId(1)));
        assert_eq!(route(&server), Some(vec![(0, 0)]));
    }
}
