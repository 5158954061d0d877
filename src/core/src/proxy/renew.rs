//! Auto-renewal: a proxy keeps the messages of push consumers invisible while they are handled
//! (`DefaultReceiptHandleManager`).
//!
//! The real scan runs every 5 s. A scan that finds no handle near its end changes nothing, so only
//! those are scheduled that will find one; they fall on the same instants.

use std::collections::BTreeSet;

use super::{validate::renew_extension_ms, Proxy, RelayKind};
use crate::event::Event;
use crate::fact::Fact;
use crate::grpc::{AckCode, Delivery, Handle, ProxyTimer};
use crate::ids::{ClientId, GroupId, MessageQueue, Ms, MsgId};
use crate::model::{Model, NEVER};
use crate::pop::{PopFact, RenewalEnd};
use crate::shared::Shared;

/// Names what a proxy renews: a message of a client, by its id, and from 5.1.4 on
/// (`ReceiptHandleGroup.HandleKey`) its place, so that a later delivery takes the place of the one
/// before, and whoever names the old one is served by the newest; before, it is a delivery. Another
/// message at the same place, behind a power loss say, is another thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TrackKey {
    /// The client.
    pub client: ClientId,
    /// Its group.
    pub group: GroupId,
    /// Queue.
    pub queue: MessageQueue,
    /// Offset.
    pub offset: i64,
    /// Pop time up to 5.1.3, later 0.
    pop_ms: Ms,
    /// The message.
    msg: MsgId,
}

impl TrackKey {
    /// Under which a delivery is renewed.
    pub fn of(model: &Model, client: ClientId, group: GroupId, handle: &Handle) -> Self {
        let Handle { queue, offset, msg, .. } = *handle;
        let pop_ms = match model.proxy_handle_by_place {
            0 => handle.pop_ms,
            _ => 0,
        };
        Self { client, group, queue, offset, pop_ms, msg }
    }
}

/// A delivery that is renewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tracked {
    /// The handle as it is now.
    pub handle: Handle,
    /// First receipt.
    pub since_ms: Ms,
    /// Renewals so far.
    pub renewals: u32,
    /// Renewals that failed in a row.
    pub retries: u32,
    /// Earlier deliveries of the message.
    pub reconsume_times: u32,
    renewing: bool,
}

impl Proxy {
    pub(super) fn track(
        &mut self,
        shared: &mut Shared,
        client: ClientId,
        group: GroupId,
        delivery: &Delivery,
    ) {
        let handle = delivery.handle;
        let tracked = Tracked {
            handle,
            since_ms: shared.now_ms,
            renewals: 0,
            retries: 0,
            reconsume_times: delivery.reconsume_times,
            renewing: false,
        };
        self.tracked.insert(TrackKey::of(&shared.model, client, group, &handle), tracked);
        self.schedule_renew(shared, handle.over_ms(self.clock_ahead_ms));
        if !self.is_registered(client, group) {
            // Found gone by the next scan (`clientIsOffline`).
            self.schedule_scan(shared, shared.now_ms + 1);
        }
    }

    /// Forgets a delivery; its handle as it is now.
    pub(super) fn untrack(
        &mut self,
        shared: &Shared,
        client: ClientId,
        group: GroupId,
        handle: &Handle,
    ) -> Option<Handle> {
        self.tracked
            .remove(&TrackKey::of(&shared.model, client, group, handle))
            .map(|tracked| tracked.handle)
    }

    /// Schedules the first scan that finds a handle near its end.
    fn schedule_renew(&mut self, shared: &mut Shared, over_ms: Ms) {
        let due_ms = (over_ms - shared.model.renew_ahead_time_ms).max(shared.now_ms + 1);
        self.schedule_scan(shared, due_ms);
    }

    /// Schedules the first scan at or after an instant.
    fn schedule_scan(&mut self, shared: &mut Shared, due_ms: Ms) {
        let period_ms = shared.model.renew_schedule_period_ms;
        let at_ms = crate::broker::next_tick(self.started_ms, period_ms, due_ms);
        if self.renew_at_ms.is_none_or(|armed_ms| armed_ms > at_ms) {
            self.renew_at_ms = Some(at_ms);
            shared.at(at_ms, Event::Proxy(self.id, ProxyTimer::Renew));
        }
    }

    /// A scan.
    pub(super) fn on_renew_scan(&mut self, shared: &mut Shared) {
        if self.renew_at_ms != Some(shared.now_ms) {
            return;
        }
        self.renew_at_ms = None;
        for (client, group) in self.gone() {
            self.clear_handles(shared, client, group);
        }
        let ahead_ms = shared.model.renew_ahead_time_ms;
        let (now_ms, clock_ms) = (shared.now_ms, self.clock_ahead_ms);
        let near = |t: &Tracked| !t.renewing && t.handle.over_ms(clock_ms) - now_ms <= ahead_ms;
        let due: Vec<TrackKey> =
            self.tracked.iter().filter(|(_, t)| near(t)).map(|(key, _)| *key).collect();
        for key in due {
            self.renew(shared, key);
        }
        self.schedule_next_renew(shared);
    }

    pub(super) fn schedule_next_renew(&mut self, shared: &mut Shared) {
        let open = self.tracked.values().filter(|t| !t.renewing);
        if let Some(over_ms) = open.map(|t| t.handle.over_ms(self.clock_ahead_ms)).min() {
            self.schedule_renew(shared, over_ms);
        }
    }

    /// Clients whose messages it renews though they are not registered.
    fn gone(&self) -> BTreeSet<(ClientId, GroupId)> {
        let of = self.tracked.keys().map(|key| (key.client, key.group));
        of.filter(|(client, group)| !self.is_registered(*client, *group)).collect()
    }

    fn renew(&mut self, shared: &mut Shared, key: TrackKey) {
        let model = std::rc::Rc::clone(&shared.model);
        let Some(tracked) = self.tracked.get_mut(&key) else { return };
        if i64::from(tracked.retries) >= model.max_renew_retry_times {
            return self.end_renewal(shared, key, RenewalEnd::Failed, None);
        }
        let longest_ms = model.renew_max_time_ms;
        if longest_ms != NEVER && shared.now_ms - tracked.since_ms >= longest_ms {
            let reconsume_times = tracked.reconsume_times as i32;
            let policy = self.group_config(shared, key.group).backoff.policy();
            let wait_ms = policy.next_delay_ms(reconsume_times);
            return self.end_renewal(shared, key, RenewalEnd::TooLong, Some(wait_ms));
        }
        let handle = tracked.handle;
        let extension_ms = renew_extension_ms(&model, tracked.renewals);
        // Refused by the proxy itself (INVALID_RECEIPT_HANDLE), and not tried again.
        if self.is_expired(shared, &handle) || !self.finds(shared, handle.queue.broker) {
            return self.end_renewal(shared, key, RenewalEnd::Failed, None);
        }
        if let Some(tracked) = self.tracked.get_mut(&key) {
            tracked.renewing = true;
        }
        let deadline_ms = shared.now_ms + model.grpc_request_timeout_ms;
        let rpc = self.open(deadline_ms, None, RelayKind::Renew { key });
        self.settle(shared, rpc, key.group, handle, Some(extension_ms));
    }

    fn end_renewal(
        &mut self,
        shared: &mut Shared,
        key: TrackKey,
        why: RenewalEnd,
        visible_in_ms: Option<Ms>,
    ) {
        let Some(tracked) = self.tracked.remove(&key) else { return };
        let handle = tracked.handle;
        let until_ms = visible_in_ms.map_or(handle.visible_ms(), |ms| shared.now_ms + ms);
        let (proxy, client, msg) = (self.id, key.client, handle.msg);
        shared.fact(Fact::Pop(PopFact::RenewalEnded { proxy, client, msg, why, until_ms }));
        if visible_in_ms.is_some() && !self.is_expired(shared, &handle) {
            self.settle_quietly(shared, key.group, handle, visible_in_ms);
        }
    }

    pub(super) fn on_renewed(
        &mut self,
        shared: &mut Shared,
        key: TrackKey,
        code: AckCode,
        handle: Handle,
    ) {
        // A later delivery may have taken the place meanwhile.
        let Some(tracked) = self.tracked.get_mut(&key).filter(|t| t.renewing) else { return };
        if code != AckCode::Success {
            return self.end_renewal(shared, key, RenewalEnd::Failed, None);
        }
        tracked.handle = handle;
        tracked.renewals += 1;
        tracked.retries = 0;
        tracked.renewing = false;
        let times = tracked.renewals.min(u32::from(u16::MAX)) as u16;
        let (proxy, client, msg) = (self.id, key.client, handle.msg);
        let until_ms = handle.visible_ms();
        shared.fact(Fact::Pop(PopFact::Renewed { proxy, client, msg, times, until_ms }));
        self.schedule_renew(shared, handle.over_ms(self.clock_ahead_ms));
    }

    pub(super) fn on_renewal_unanswered(&mut self, shared: &mut Shared, key: TrackKey) {
        if let Some(tracked) = self.tracked.get_mut(&key).filter(|t| t.renewing) {
            tracked.renewing = false;
            tracked.retries += 1;
            let over_ms = tracked.handle.over_ms(self.clock_ahead_ms);
            self.schedule_renew(shared, over_ms);
        }
    }

    /// All messages of a client become visible soon.
    pub(super) fn clear_handles(&mut self, shared: &mut Shared, client: ClientId, group: GroupId) {
        let soon_ms = shared.model.invisible_time_when_clear_ms;
        let own = |key: &&TrackKey| (key.client, key.group) == (client, group);
        let keys: Vec<TrackKey> = self.tracked.keys().filter(own).copied().collect();
        for key in keys {
            self.end_renewal(shared, key, RenewalEnd::ClientGone, Some(soon_ms));
        }
    }
}
