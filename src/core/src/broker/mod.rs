//! One broker: store, consumer offsets, lock table, members, held pulls and the delay service. It
//! knows what arrives at it and nothing else.

mod delay;
mod disk;
mod locks;
mod members;
pub mod offsets;
mod ops;
mod passes;
pub mod pop;
mod pull;
pub mod read;
mod retention;
mod send;
mod store;
mod subscriptions;
mod transaction;
mod wheel;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub use delay::{level_queue, DelayService};
pub use locks::{LockAnswer, LockTable, QueueLock};
pub use members::{Member, Members};
pub use pull::{HeldPull, Pull};
pub use read::{GetStatus, Read};
pub use retention::{is_delete_hour, next_delete_hour_ms};
pub use store::{corrected_min_offset, ConsumeQueue, Segment, Store, RECORD_OVERHEAD_BYTES};
pub use subscriptions::TableEntry;
pub use transaction::Half;

use crate::delay::DelayTable;
use crate::event::{BrokerTimer, Event, Packet, Rpc};
use crate::fact::{BrokerStop, Fact, RequestKind};
use crate::ids::{BrokerId, ClientId, GroupId, MessageQueue, Ms, MsgId, Party, TopicId};
use crate::shared::Shared;

/// A broker.
#[derive(Clone, Debug, Hash)]
pub struct Broker {
    /// Its id.
    pub id: BrokerId,
    /// Whether it runs.
    pub up: bool,
    /// How it last went down.
    pub stopped: Option<BrokerStop>,
    /// When the name server will notice that its machine is dead.
    pub(crate) route_expiry_ms: Option<Ms>,
    /// When it last started.
    pub started_ms: Ms,
    /// Commit log and consume queues.
    pub store: Store,
    /// Consumer offsets: the next message to consume.
    pub offsets: BTreeMap<(GroupId, MessageQueue), i64>,
    /// Consumer offsets as they are on disk.
    pub persisted_offsets: Rc<BTreeMap<(GroupId, MessageQueue), i64>>,
    /// Resets that the next pull or POP of the queue will take up; in memory only.
    pub pending_resets: BTreeMap<(GroupId, MessageQueue), i64>,
    /// Subscription tables by consumer group: what the last heartbeats said.
    pub subscriptions: BTreeMap<GroupId, BTreeMap<TopicId, TableEntry>>,
    /// Half messages whose transaction is not decided, by offset in the half topic.
    pub halves: BTreeMap<i64, Half>,
    /// Who sent each half message; it is stored with it (`PGROUP`).
    half_senders: BTreeMap<MsgId, Party>,
    /// How far its wall clock is ahead of the run's clock.
    pub clock_ahead_ms: Ms,
    /// Disk use in percent.
    pub disk_used_percent: u8,
    /// It has found its disk too full for writes.
    pub disk_full: bool,
    disk_look_ms: Option<Ms>,
    /// Records that were on the disk when the broker last started.
    durable_records: u32,
    /// Queue locks.
    pub locks: LockTable,
    /// Members by consumer group.
    pub groups: BTreeMap<GroupId, Members>,
    /// Pulls that wait, in order of arrival.
    pub holds: Vec<HeldPull>,
    hold_checks: BTreeSet<Ms>,
    /// POP.
    pub pop: pop::PopState,
    /// The delay service.
    pub delay: DelayService,
    /// The table that the next start will use.
    pub configured_table: DelayTable,
    flush_at_ms: Option<Ms>,
    flush_delay_at_ms: Option<Ms>,
    scan_at_ms: Option<Ms>,
    clean_at_ms: Option<Ms>,
    passes: passes::Passes,
    ops: ops::Ops,
}

impl Broker {
    /// A broker that has just started with the default level table.
    pub fn new(id: BrokerId, started_ms: Ms) -> Self {
        Self {
            id,
            up: true,
            stopped: None,
            route_expiry_ms: None,
            started_ms,
            store: Store::default(),
            offsets: BTreeMap::new(),
            persisted_offsets: Rc::default(),
            pending_resets: BTreeMap::new(),
            subscriptions: BTreeMap::new(),
            halves: BTreeMap::new(),
            half_senders: BTreeMap::new(),
            clock_ahead_ms: 0,
            disk_used_percent: 0,
            disk_full: false,
            disk_look_ms: None,
            durable_records: 0,
            locks: LockTable::default(),
            groups: BTreeMap::new(),
            holds: Vec::new(),
            hold_checks: BTreeSet::new(),
            pop: pop::PopState::default(),
            delay: DelayService::new(DelayTable::default()),
            configured_table: DelayTable::default(),
            flush_at_ms: None,
            flush_delay_at_ms: None,
            scan_at_ms: None,
            clean_at_ms: None,
            passes: passes::Passes::default(),
            ops: ops::Ops::default(),
        }
    }

    fn party(&self) -> Party {
        Party::Broker(self.id)
    }

    /// A packet arrives.
    pub(crate) fn on_packet(&mut self, shared: &mut Shared, from: Party, packet: Packet) {
        match (from, packet) {
            (_, Packet::Pop(packet)) => self.on_pop_packet(shared, from, packet),
            (Party::Proxy(_), packet) => self.on_proxy_packet(shared, from, packet),
            (Party::Producer(producer), Packet::Send { rpc, msg, queue }) => {
                self.on_send(shared, producer, rpc, msg, queue);
            }
            (Party::Producer(_), Packet::EndTransaction { msg, half, decision }) => {
                self.on_end_transaction(shared, (msg, half), decision);
            }
            (Party::Client(client), packet) => self.on_client_packet(shared, client, packet),
            _ => {}
        }
    }

    fn on_client_packet(&mut self, shared: &mut Shared, client: ClientId, packet: Packet) {
        let from = Party::Client(client);
        match packet {
            Packet::SendRetry { rpc, group, msg, reconsume_times, max, delay_level } => {
                let sent = (reconsume_times, max, delay_level);
                let taken = self.on_send_retry(shared, group, msg, sent);
                let answer = Packet::BackTaken { token: rpc.token, taken };
                shared.answer(self.party(), from, (rpc, RequestKind::SendBack), answer);
            }
            Packet::SendBack { rpc, group, msg, at, delay_level, max } => {
                let taken = self.on_send_back(shared, group, (msg, at), (max, delay_level));
                let answer = Packet::BackTaken { token: rpc.token, taken };
                shared.answer(self.party(), from, (rpc, RequestKind::SendBack), answer);
            }
            Packet::Lock { rpc, group, queues } => {
                self.on_lock(shared, client, rpc, group, &queues)
            }
            Packet::Unlock { rpc, group, queues } => {
                for queue in queues.iter().filter(|q| q.broker == self.id) {
                    if self.locks.unlock(group, *queue, client) {
                        shared.fact(Fact::LockReleased { group, client, queue: *queue });
                    }
                }
                if let Some(rpc) = rpc {
                    let answer = Packet::Unlocked { token: rpc.token };
                    shared.answer(self.party(), from, (rpc, RequestKind::Lock), answer);
                }
            }
            Packet::PushOffsets { group, offsets } => {
                for (queue, offset) in offsets.iter() {
                    self.update_offset(shared, group, *queue, *offset);
                }
            }
            Packet::QueryOffset { rpc, group, queue } => {
                let offset = self.query_offset(shared, group, queue);
                let answer = Packet::Offset { token: rpc.token, offset };
                shared.answer(self.party(), from, (rpc, RequestKind::QueryOffset), answer);
            }
            Packet::QueryMaxOffset { rpc, queue } => {
                let answer =
                    Packet::MaxOffset { token: rpc.token, offset: self.store.range(queue).1 };
                shared.answer(self.party(), from, (rpc, RequestKind::MaxOffset), answer);
            }
            Packet::SearchOffset { rpc, queue, time_ms } => {
                let offset = self.offset_by_time(&shared.model, queue, time_ms);
                let answer = Packet::MaxOffset { token: rpc.token, offset };
                shared.answer(self.party(), from, (rpc, RequestKind::MaxOffset), answer);
            }
            Packet::QueryMembers { rpc, group } => {
                let members = self.member_list(shared, group);
                let answer = Packet::Members { token: rpc.token, members };
                shared.answer(self.party(), from, (rpc, RequestKind::Members), answer);
            }
            Packet::Heartbeat { rpc, group, versions, subscriptions } => {
                let member = (client, rpc.connection);
                self.on_heartbeat(shared, member, group, &versions, &subscriptions);
                let answer = Packet::HeartbeatTaken { token: rpc.token };
                shared.answer(self.party(), from, (rpc, RequestKind::Heartbeat), answer);
            }
            Packet::Unregister { rpc, group } => {
                self.on_unregister(shared, (client, rpc.connection), group);
                let answer = Packet::Unregistered { token: rpc.token };
                shared.answer(self.party(), from, (rpc, RequestKind::Unregister), answer);
            }
            Packet::Closed { connection } => self.on_closed(shared, client, connection),
            Packet::Pull { rpc, group, queue, offset, commit, version_ms } => {
                let (since_ms, gone) = (shared.now_ms, false);
                let pull = Pull { client, group, queue, offset, version_ms, since_ms, rpc, gone };
                self.on_pull(shared, pull, commit);
            }
            _ => {}
        }
    }

    fn on_lock(
        &mut self,
        shared: &mut Shared,
        client: ClientId,
        rpc: Rpc,
        group: GroupId,
        queues: &[MessageQueue],
    ) {
        let (now_ms, live_ms) = (shared.now_ms, shared.model.rebalance_lock_max_live_time_ms);
        let mut granted = Vec::with_capacity(queues.len());
        for &queue in queues.iter().filter(|q| q.broker == self.id) {
            match self.locks.try_lock(group, queue, client, now_ms, live_ms) {
                LockAnswer::Granted(how) => {
                    granted.push(queue);
                    shared.fact(Fact::LockGranted { group, client, queue, how });
                }
                LockAnswer::Refused { owner, left_ms } => {
                    let left_ms = left_ms.max(0) as u32;
                    shared.fact(Fact::LockRefused { group, client, queue, owner, left_ms });
                }
            }
        }
        let answer = Packet::Locked { token: rpc.token, granted: granted.into() };
        shared.answer(self.party(), Party::Client(client), (rpc, RequestKind::Lock), answer);
    }

    fn write_offsets(&mut self) {
        self.persisted_offsets = Rc::new(self.offsets.clone());
        self.passes.persisted = self.passes.offset;
    }

    fn mark_dirty_cursors(&mut self, shared: &mut Shared) {
        if self.flush_delay_at_ms.is_none() {
            let period = shared.model.flush_delay_offset_interval_ms;
            let at_ms = next_tick(self.started_ms + period, period, shared.now_ms);
            self.flush_delay_at_ms = Some(at_ms);
            shared.at(at_ms, Event::Broker(self.id, BrokerTimer::FlushDelayOffsets));
        }
    }

    /// A timer fires.
    pub(crate) fn on_timer(&mut self, shared: &mut Shared, timer: BrokerTimer) {
        if !self.up {
            return;
        }
        match timer {
            BrokerTimer::Pop(timer) => self.on_pop_timer(shared, timer),
            BrokerTimer::DelayLevel(level) => self.on_delay_level(shared, level),
            BrokerTimer::Wheel => self.on_wheel(shared),
            BrokerTimer::HoldCheck => self.on_hold_check(shared),
            BrokerTimer::MemberScan => self.on_member_scan(shared),
            BrokerTimer::FlushOffsets if self.flush_at_ms == Some(shared.now_ms) => {
                self.flush_at_ms = None;
                self.write_offsets();
            }
            BrokerTimer::FlushDelayOffsets if self.flush_delay_at_ms == Some(shared.now_ms) => {
                self.flush_delay_at_ms = None;
                self.delay.persisted = self.delay.cursors.clone();
            }
            BrokerTimer::FlushOffsets | BrokerTimer::FlushDelayOffsets => {}
            BrokerTimer::DiskLook => self.on_disk_look(shared),
            BrokerTimer::Clean => self.on_clean(shared),
            BrokerTimer::TransactionOps => self.on_transaction_ops(shared),
            BrokerTimer::TransactionCheck => self.on_transaction_check(shared),
            BrokerTimer::RouteExpiry => {}
        }
    }

    /// The broker stops; a clean stop writes its files first. Memory is gone either way.
    pub(crate) fn stop(&mut self, shared: &mut Shared, how: BrokerStop) {
        if how == BrokerStop::Clean {
            self.write_offsets();
            self.delay.persisted = self.delay.cursors.clone();
        }
        self.stop_ops(shared, how == BrokerStop::Clean);
        shared.fact(Fact::BrokerStopped { broker: self.id, how });
        self.stopped = Some(how);
        for HeldPull { pull, .. } in std::mem::take(&mut self.holds) {
            // The connection breaks and the asker notices; a dead machine lets it wait.
            let at_ms = match how {
                BrokerStop::PowerLoss => pull.rpc.deadline_ms,
                BrokerStop::Clean | BrokerStop::Crash => shared.now_ms,
            };
            let (party, token) = (Party::Client(pull.client), pull.rpc.token);
            shared.at(at_ms, Event::TimedOut { party, token, request: RequestKind::Pull });
        }
        self.stop_wheel(shared, how);
        self.stop_pop(shared, how);
        if how == BrokerStop::PowerLoss {
            self.lose_unflushed(shared);
        }
        self.recover_halves();
        self.up = false;
        self.locks.clear();
        self.groups.clear();
        self.subscriptions.clear();
        self.pending_resets.clear();
        self.hold_checks.clear();
        self.delay.armed.clear();
        self.delay.phases.clear();
        (self.flush_at_ms, self.flush_delay_at_ms, self.scan_at_ms) = (None, None, None);
        self.clean_at_ms = None;
        (self.disk_full, self.disk_look_ms) = (false, None);
    }

    /// The broker starts again from its files and its configuration.
    pub(crate) fn start(&mut self, shared: &mut Shared) {
        self.up = true;
        self.started_ms = shared.now_ms;
        self.durable_records = self.store.record_count() as u32;
        self.offsets = (*self.persisted_offsets).clone();
        self.delay.table = self.configured_table.clone();
        let persisted = std::mem::take(&mut self.delay.persisted);
        for (level, cursor) in &persisted {
            let (min, max) = self.store.range(level_queue(self, *level));
            let cursor = crate::delay::correct_delay_offset(*cursor, min, max);
            self.delay.cursors.insert(*level, cursor);
        }
        let unwritten: Vec<u8> =
            self.delay.cursors.keys().filter(|l| !persisted.contains_key(l)).copied().collect();
        for level in unwritten {
            self.delay.cursors.insert(level, 0);
        }
        self.delay.persisted = persisted;
        shared.fact(Fact::BrokerStarted { broker: self.id });
        for level in 1..=self.delay.table.delays_ms().len().min(255) as u8 {
            self.arm_level(shared, level);
        }
        self.start_wheel(shared);
        self.schedule_clean(shared);
        self.schedule_disk_look(shared);
        self.schedule_transaction_check(shared);
        self.start_pop(shared);
    }

    /// Its wall clock is set. What it remembers by that clock, held pulls and receives, locks,
    /// heartbeats and what is invisible, becomes as much older as the clock jumped ahead.
    pub(crate) fn set_clock(&mut self, shared: &mut Shared, ahead_ms: Ms) {
        let jump_ms = ahead_ms - self.clock_ahead_ms;
        self.keep_wheel_position(shared);
        self.clock_ahead_ms = ahead_ms;
        shared.fact(Fact::ClockJumped { party: self.party(), ahead_ms });
        self.pop.shift(-jump_ms);
        if !self.up {
            return;
        }
        self.locks.shift(-jump_ms);
        for member in self.groups.values_mut().flat_map(|members| &mut members.0) {
            member.heartbeat_ms -= jump_ms;
        }
        for HeldPull { pull, .. } in &mut self.holds {
            pull.since_ms -= jump_ms;
        }
        self.rearm_holds(shared);
        self.rearm_pop(shared);
        self.scan_at_ms = None;
        self.schedule_scan(shared);
        self.delay.armed.clear();
        for level in 1..=self.delay.table.delays_ms().len().min(255) as u8 {
            self.arm_level(shared, level);
        }
        self.arm_wheel(shared);
        self.schedule_clean(shared);
        self.shift_passes(shared, jump_ms);
        self.shift_ops(shared, jump_ms);
    }

    /// The broker's own idea of the time.
    pub fn wall_ms(&self, shared: &Shared) -> Ms {
        shared.now_ms + self.clock_ahead_ms
    }
}

/// First tick of a periodic task at or after an instant, strictly in the future of `now_ms` unless
/// it falls on it.
pub(crate) fn next_tick(first_ms: Ms, period_ms: Ms, now_ms: Ms) -> Ms {
    let period = period_ms.max(1);
    if now_ms <= first_ms {
        return first_ms;
    }
    first_ms + (now_ms - first_ms + period - 1) / period * period
}
