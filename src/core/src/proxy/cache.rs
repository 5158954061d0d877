//! What a proxy remembers of the name server's and the brokers' metadata. In cluster mode an entry
//! that is older than 20 s is loaded again by the next use, which still sees the old value.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Proxy;
use crate::command::TopicType;
use crate::fact::Fact;
use crate::ids::{GroupId, MessageQueue, Ms, TopicId};
use crate::pop::{Backoff, Cache, PopFact};
use crate::shared::Shared;

/// A cached value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cached<T> {
    /// When it was loaded.
    pub loaded_ms: Ms,
    /// What was loaded.
    pub value: T,
}

/// Queues of a topic as a proxy sees them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Route {
    /// Writable queues, sorted.
    pub write: Rc<[MessageQueue]>,
    /// Readable queues, sorted.
    pub read: Rc<[MessageQueue]>,
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
    /// Routes.
    pub routes: BTreeMap<TopicId, Cached<Route>>,
    /// Types of topics.
    pub types: BTreeMap<TopicId, Cached<TopicType>>,
    /// Consumer groups.
    pub groups: BTreeMap<GroupId, Cached<GroupConfig>>,
}

/// Uses an entry: loads it when it is missing (or the proxy is local), and loads it for the next use
/// when it is too old. True when the value that is used is out of date.
fn touch<K: Ord, T: Clone + PartialEq>(
    table: &mut BTreeMap<K, Cached<T>>,
    key: K,
    (now_ms, limit_ms, local): (Ms, Ms, bool),
    load: impl FnOnce() -> T,
) -> (T, bool) {
    match table.get_mut(&key) {
        Some(entry) if !local => {
            let value = entry.value.clone();
            let mut stale = false;
            if now_ms - entry.loaded_ms > limit_ms {
                *entry = Cached { loaded_ms: now_ms, value: load() };
                stale = entry.value != value;
            }
            (value, stale)
        }
        _ => {
            let value = load();
            table.insert(key, Cached { loaded_ms: now_ms, value: value.clone() });
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

    fn clock(&self, shared: &Shared, local_counts: bool) -> (Ms, Ms, bool) {
        let model = &shared.model;
        let local = local_counts && model.proxy_local == 1;
        (shared.now_ms, model.proxy_cache_refresh_ms, local)
    }

    /// Queues of a topic. Routes are cached in local mode too.
    pub(super) fn route(&mut self, shared: &mut Shared, topic: TopicId) -> Route {
        let clock = self.clock(shared, false);
        let names = Rc::clone(&shared.names);
        let (route, stale) = touch(&mut self.caches.routes, topic, clock, || {
            let count = names.write_queue_count(topic);
            let mut write: Vec<MessageQueue> =
                (0..count).filter_map(|index| names.write_queue(topic, index)).collect();
            // Sorted as MessageQueue.compareTo: by broker name, then id.
            write.sort_by(|a, b| {
                let name = |q: &MessageQueue| &names.brokers[q.broker.index()];
                (name(a), a.id).cmp(&(name(b), b.id))
            });
            Route { write: write.into(), read: names.read_queues(topic).into() }
        });
        self.stale(shared, stale, Cache::Route(topic));
        route
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_use_of_an_old_entry_still_sees_the_old_value() {
        let mut table = BTreeMap::new();
        let mut at = |now_ms, value| touch(&mut table, 0, (now_ms, 20_000, false), || value);
        assert_eq!(at(0, 4), (4, false));
        assert_eq!(at(20_000, 8), (4, false));
        assert_eq!(at(20_001, 8), (4, true));
        assert_eq!(at(20_002, 8), (8, false));
    }
}
