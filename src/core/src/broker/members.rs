//! Group membership at the broker (`ConsumerManager`, `ClientHousekeepingService`).

use std::rc::Rc;

use super::{next_tick, Broker, Pull};
use crate::event::{BrokerTimer, Event, Packet};
use crate::fact::{Fact, LeaveReason};
use crate::ids::{ClientId, GroupId, Ms, Party};
use crate::shared::{Shared, Subscribed};

/// A member of a consumer group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    /// The consumer process.
    pub client: ClientId,
    /// Number of its connection.
    pub connection: u32,
    /// Last heartbeat.
    pub heartbeat_ms: Ms,
}

/// Members in order of joining.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Members(pub Vec<Member>);

impl Broker {
    /// Members of a group, sorted by client id as every client sorts them.
    pub(super) fn member_list(&self, shared: &Shared, group: GroupId) -> Rc<[ClientId]> {
        let members = self.groups.get(&group);
        let mut list: Vec<ClientId> =
            members.map_or_else(Vec::new, |m| m.0.iter().map(|m| m.client).collect());
        list.sort_by_key(|c| (&shared.names.clients[c.index()], *c));
        list.into()
    }

    pub(super) fn on_heartbeat(
        &mut self,
        shared: &mut Shared,
        (client, connection): (ClientId, u32),
        group: GroupId,
        versions: &[Ms],
        subscriptions: &[Subscribed],
    ) {
        let now_ms = shared.now_ms;
        let changed = self.update_subscriptions(shared, (group, client), versions, subscriptions);
        let members = self.groups.entry(group).or_default();
        if let Some(member) = members.0.iter_mut().find(|m| m.client == client) {
            member.heartbeat_ms = now_ms;
            // A new connection is a new channel, which the group is told of.
            let anew = std::mem::replace(&mut member.connection, connection) != connection;
            if changed || anew {
                self.notify(shared, group, None);
            }
            return;
        }
        members.0.push(Member { client, connection, heartbeat_ms: now_ms });
        shared.fact(Fact::MemberJoined { group, client });
        self.notify(shared, group, Some(client));
        self.schedule_scan(shared);
    }

    pub(super) fn on_unregister(
        &mut self,
        shared: &mut Shared,
        member: (ClientId, u32),
        group: GroupId,
    ) {
        let reason = LeaveReason::Unregistered;
        if self.remove_member(shared, group, member, reason) {
            self.notify(shared, group, None);
        }
    }

    /// A connection was closed by the other side (`doChannelCloseEvent`).
    pub(super) fn on_closed(&mut self, shared: &mut Shared, client: ClientId, connection: u32) {
        self.leave_holds(client, connection);
        let groups: Vec<GroupId> = self.groups.keys().copied().collect();
        for group in groups {
            let reason = LeaveReason::ConnectionClosed;
            if self.remove_member(shared, group, (client, connection), reason) {
                self.notify(shared, group, None);
            }
        }
    }

    /// Pulls that came over a connection that closed stay where they are: nobody looks whether there is
    /// anybody to read their answers (`PullRequestHoldService.checkHoldRequest`).
    fn leave_holds(&mut self, client: ClientId, connection: u32) {
        let over = |pull: &&mut Pull| (pull.client, pull.rpc.connection) == (client, connection);
        let pulls = self.holds.iter_mut().map(|held| &mut held.pull);
        pulls.filter(over).for_each(|pull| pull.gone = true);
    }

    /// Removes a member with one of its connections.
    fn remove_member(
        &mut self,
        shared: &mut Shared,
        group: GroupId,
        (client, connection): (ClientId, u32),
        reason: LeaveReason,
    ) -> bool {
        let Some(members) = self.groups.get_mut(&group) else { return false };
        let before = members.0.len();
        members.0.retain(|m| (m.client, m.connection) != (client, connection));
        let removed = members.0.len() < before;
        if members.0.is_empty() {
            self.subscriptions.remove(&group);
        }
        if removed {
            shared.fact(Fact::MemberLeft { group, client, reason });
        }
        removed
    }

    fn notify(&self, shared: &mut Shared, group: GroupId, joiner: Option<ClientId>) {
        let Some(members) = self.groups.get(&group) else { return };
        for member in &members.0 {
            let (joiner, connection) = (joiner == Some(member.client), member.connection);
            let packet = Packet::MembersChanged { group, joiner, connection };
            shared.send(Party::Broker(self.id), Party::Client(member.client), packet);
        }
    }

    /// Schedules the first scan that could find the longest-silent member over its limit.
    pub(super) fn schedule_scan(&mut self, shared: &mut Shared) {
        let oldest = self.groups.values().flat_map(|m| &m.0).map(|m| m.heartbeat_ms).min();
        let Some(oldest_ms) = oldest else { return };
        let model = &shared.model;
        let over_ms = (oldest_ms + model.channel_expired_timeout_ms + 1).max(shared.now_ms + 1);
        let first_ms = self.started_ms + model.channel_scan_ms;
        let at_ms = next_tick(first_ms, model.channel_scan_ms, over_ms);
        if self.scan_at_ms.is_none_or(|armed| armed > at_ms) {
            self.scan_at_ms = Some(at_ms);
            shared.at(at_ms, Event::Broker(self.id, BrokerTimer::MemberScan));
        }
    }

    /// The scan removes members that were silent for too long and closes their connections. It notifies
    /// nobody. Source: `ConsumerManager.scanNotActiveChannel`.
    pub(super) fn on_member_scan(&mut self, shared: &mut Shared) {
        if self.scan_at_ms != Some(shared.now_ms) {
            return;
        }
        self.scan_at_ms = None;
        let limit_ms = shared.model.channel_expired_timeout_ms;
        let silent: Vec<(GroupId, Member)> = self
            .groups
            .iter()
            .flat_map(|(group, members)| members.0.iter().map(|m| (*group, *m)))
            .filter(|(_, m)| shared.now_ms - m.heartbeat_ms > limit_ms)
            .collect();
        for (group, Member { client, connection, .. }) in silent {
            self.remove_member(shared, group, (client, connection), LeaveReason::Silent);
            self.leave_holds(client, connection);
            shared.send(self.party(), Party::Client(client), Packet::Hung { connection });
        }
        self.schedule_scan(shared);
    }
}
