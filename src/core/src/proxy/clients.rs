//! The consumers that a proxy knows: they register with their settings and are dropped when they say
//! so or are silent for too long.

use super::Proxy;
use crate::event::Event;
use crate::fact::Fact;
use crate::grpc::ProxyTimer;
use crate::ids::{ClientId, GroupId, Ms};
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

impl Proxy {
    pub(super) fn register(&mut self, shared: &mut Shared, client: ClientId, group: GroupId) {
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
    pub(super) fn drop_client(
        &mut self,
        shared: &mut Shared,
        client: ClientId,
        group: GroupId,
        silent: bool,
    ) {
        let before = self.clients.len();
        self.clients.retain(|c| (c.client, c.group) != (client, group));
        if self.clients.len() < before {
            shared.fact(Fact::Pop(PopFact::ClientDropped { proxy: self.id, client, silent }));
            self.clear_handles(shared, client, group);
        }
    }

    /// Schedules the first scan that could find the longest-silent client over its limit.
    pub(super) fn schedule_client_scan(&mut self, shared: &mut Shared) {
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

    pub(super) fn on_client_scan(&mut self, shared: &mut Shared) {
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

    pub(super) fn is_registered(&self, client: ClientId, group: GroupId) -> bool {
        self.clients.iter().any(|c| (c.client, c.group) == (client, group))
    }

    /// Whether a consumer has registered and its connection is open.
    pub(super) fn is_connected(&self, client: ClientId, group: GroupId) -> bool {
        self.clients.iter().any(|c| (c.client, c.group) == (client, group) && c.connected)
    }
}
