//! The classic consumer process (`DefaultMQPushConsumer`): rebalance, locks, pull loop, consume
//! services, offsets. It knows only what brokers told it and what its own clock says.

mod by_group;
mod concurrent;
mod connect;
mod expired;
mod lifecycle;
mod lock;
mod orderly;
mod pool;
mod process_queue;
mod pull;
mod rebalance;
mod reset;
mod seen;
mod stop;
mod workers;

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

pub use by_group::Held;
pub use pool::{Call, PoolTask};
pub use process_queue::{ProcessQueue, Task};
pub use rebalance::Round;
pub use workers::Thread;

use crate::command::ListenerKind;
use crate::connection::Connections;
use crate::event::{Cached, ClientTimer, Event, Packet};
use crate::fact::{Fact, RequestKind, StopKind};
use crate::ids::{BrokerId, ClientId, GroupId, MessageQueue, Ms, Party, TopicId};
use crate::shared::{Shared, Subscribed};

/// Whether a consumer process runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// It runs.
    Running,
    /// `shutdown()` waits for listeners until this instant, then for answers.
    Stopping {
        /// When it stops waiting for listeners.
        until_ms: Ms,
    },
    /// It stands still.
    Hanging,
    /// It has ended.
    Ended(StopKind),
}

/// What an open request is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pending {
    RoundMembers(TopicId),
    RoundLock(MessageQueue),
    Offset {
        queue: MessageQueue,
        serial: Option<u32>,
    },
    MaxOffset {
        queue: MessageQueue,
        serial: Option<u32>,
    },
    /// The queues of one broker, and those of the brokers that are asked after it.
    Renew {
        asked: Rc<[MessageQueue]>,
        left: VecDeque<Rc<[MessageQueue]>>,
    },
    Relock {
        queue: MessageQueue,
        serial: u32,
    },
    Pull {
        queue: MessageQueue,
        serial: u32,
    },
    /// A heartbeat to one broker, and the brokers that come after it.
    Beat {
        left: VecDeque<BrokerId>,
        then: AfterBeat,
    },
    /// A clean stop gives the locks at one broker back.
    StopUnlock(BrokerId),
    /// A clean stop leaves the group at one broker, then at the others.
    StopLeave(VecDeque<BrokerId>),
    OrderlyBack,
    /// `normal`: attempts of a normal send that followed the send-back, and the end of them all.
    ConcurrentBack {
        call: u32,
        normal: Option<(u8, Ms)>,
    },
    ExpiredBack {
        expired: expired::Expired,
        normal: Option<(u8, Ms)>,
    },
}

/// What goes on when every broker has had its heartbeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum AfterBeat {
    /// The first rebalance round.
    Start,
    /// The round that has changed the allocation.
    Round,
    /// The thread of the periodic tasks.
    Period,
    /// Nothing.
    Nothing,
}

/// A request that was sent and not answered yet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OpenRequest {
    pub token: u32,
    pub deadline_ms: Ms,
    pub request: RequestKind,
    pub what: Pending,
    pub broker: BrokerId,
    /// Number of its connection; 0 when there was none.
    pub connection: u32,
}

/// A consumer process.
#[derive(Clone, Debug, Hash)]
pub struct Client {
    /// Its id.
    pub id: ClientId,
    /// Its consumer group.
    pub group: GroupId,
    /// Listener kind.
    pub listener: ListenerKind,
    /// When `start()` created it.
    pub created_ms: Ms,
    /// Whether it runs.
    pub status: Status,
    /// Consume threads.
    pub threads: u16,
    /// What it subscribes to, the retry topic last.
    pub subscriptions: Rc<[Subscribed]>,
    /// When it subscribed to each of them, or its share of that topic last changed (`subVersion`).
    pub sub_versions: Rc<[Ms]>,
    /// Whether it is paused: it neither pulls nor rebalances. A process that starts is not. Its application and a legacy reset share
    /// this one switch (`DefaultMQPushConsumerImpl.pause`), and whoever comes last has set it.
    pub suspended: bool,
    /// How far its wall clock is ahead of the run's clock.
    pub clock_ahead_ms: Ms,
    resets: VecDeque<reset::LegacyReset>,
    corrections: Vec<pull::Correction>,
    /// Process-queue table.
    pub queues: BTreeMap<MessageQueue, Rc<ProcessQueue>>,
    /// Consumer offsets in memory (`RemoteBrokerOffsetStore`).
    pub offsets: BTreeMap<MessageQueue, i64>,
    /// Read queues of each subscribed topic, as the last route poll saw them.
    pub routes: BTreeMap<TopicId, Rc<[MessageQueue]>>,
    /// The rebalance thread.
    pub round: Round,
    /// Listener calls that run or are about to begin.
    pub calls: Vec<Call>,
    /// Tasks that wait for a thread.
    pub pool_waiting: VecDeque<PoolTask>,
    /// Threads that are taken.
    pub busy: u16,
    mutex_waiting: Vec<(MessageQueue, u32)>,
    backs: Vec<orderly::BackState>,
    back_calls: Vec<(Call, usize, Vec<Cached>)>,
    call_numbers: u32,
    /// A clean stop is past its waits: it gives locks back and leaves its group.
    pub leaving: bool,
    /// Its stop waits for the answer to a lock request.
    unlock_waits: bool,
    open: Vec<OpenRequest>,
    /// Its connections to brokers.
    pub connections: Connections,
    workers: [workers::Worker; 4],
    tokens: u32,
    serials: u32,
    /// Next lock renewal.
    pub renew_at_ms: Ms,
    frozen: Vec<Event>,
}

impl Client {
    /// A process that is created now.
    pub(crate) fn new(id: ClientId, group: GroupId, threads: u16, shared: &Shared) -> Self {
        Self {
            id,
            group,
            listener: shared.group(group).listener,
            created_ms: shared.now_ms,
            status: Status::Running,
            threads: threads.max(1),
            subscriptions: shared.subscriptions_of(id, group),
            sub_versions: vec![shared.now_ms; shared.subscriptions_of(id, group).len()].into(),
            suspended: false,
            clock_ahead_ms: 0,
            resets: VecDeque::new(),
            corrections: Vec::new(),
            queues: BTreeMap::new(),
            offsets: BTreeMap::new(),
            routes: BTreeMap::new(),
            round: Round::new(shared.now_ms),
            calls: Vec::new(),
            pool_waiting: VecDeque::new(),
            busy: 0,
            mutex_waiting: Vec::new(),
            backs: Vec::new(),
            back_calls: Vec::new(),
            call_numbers: 0,
            leaving: false,
            unlock_waits: false,
            open: Vec::new(),
            connections: Connections::default(),
            workers: Default::default(),
            tokens: 0,
            serials: 0,
            renew_at_ms: 0,
            frozen: Vec::new(),
        }
    }

    /// True while the process works or waits for listeners at its stop.
    pub fn is_running(&self) -> bool {
        matches!(self.status, Status::Running | Status::Stopping { .. })
    }

    fn orderly(&self) -> bool {
        self.listener == ListenerKind::Orderly
    }

    fn party(&self) -> Party {
        Party::Client(self.id)
    }

    fn timer(&self, timer: ClientTimer) -> Event {
        Event::Client(self.id, timer)
    }

    /// The entry of a queue, when it still is the one of this number.
    fn entry(&mut self, queue: MessageQueue, serial: u32) -> Option<&mut ProcessQueue> {
        let entry = self.queues.get_mut(&queue)?;
        (entry.serial == serial).then(|| Rc::make_mut(entry))
    }

    /// The entry of a queue.
    pub fn process_queue(&self, queue: MessageQueue) -> Option<&ProcessQueue> {
        self.queues.get(&queue).map(|q| &**q)
    }

    fn close_request(&mut self, token: u32) -> Option<Pending> {
        self.take_request(token).map(|open| open.what)
    }

    fn take_request(&mut self, token: u32) -> Option<OpenRequest> {
        let place = self.open.iter().position(|r| r.token == token)?;
        Some(self.open.swap_remove(place))
    }

    /// Deadline of an open request, for the network when it loses the answer.
    pub(crate) fn deadline_ms(&self, token: u32) -> Option<Ms> {
        self.open.iter().find(|r| r.token == token).map(|r| r.deadline_ms)
    }

    /// Number of the open pull of a queue.
    pub fn open_pull(&self, queue: MessageQueue) -> Option<u32> {
        let is_it =
            |r: &&OpenRequest| matches!(r.what, Pending::Pull { queue: of, .. } if of == queue);
        self.open.iter().find(is_it).map(|r| r.token)
    }

    /// Keeps an event for the time when a hanging process goes on.
    pub(crate) fn freeze(&mut self, event: Event) {
        self.frozen.push(event);
    }

    /// A packet arrives.
    pub(crate) fn on_packet(&mut self, shared: &mut Shared, packet: Packet) {
        if !self.is_running() {
            return;
        }
        match packet {
            Packet::MembersChanged { connection, .. }
                if self.connections.leads_to(connection).is_some() =>
            {
                shared.fact(Fact::MemberNotified { client: self.id });
                self.wake_rebalance(shared, crate::fact::RoundCause::Notification);
            }
            Packet::Members { token, members } => {
                if let Some(Pending::RoundMembers(topic)) = self.close_request(token) {
                    self.on_members(shared, topic, Some(&members));
                }
            }
            Packet::Locked { token, granted } => match self.close_request(token) {
                Some(Pending::RoundLock(queue)) => {
                    self.on_round_lock(shared, queue, granted.contains(&queue));
                }
                Some(Pending::Renew { asked, left }) => {
                    self.on_renewed(shared, &asked, &granted);
                    self.renew_next(shared, left);
                }
                Some(Pending::Relock { queue, serial }) => {
                    self.on_relocked(shared, queue, serial, granted.contains(&queue));
                }
                _ => {}
            },
            Packet::HeartbeatTaken { token }
            | Packet::Unlocked { token }
            | Packet::Unregistered { token } => {
                if let Some(what) = self.close_request(token) {
                    self.on_told(shared, what, true);
                }
            }
            Packet::Offset { token, offset } => {
                if let Some(Pending::Offset { queue, serial }) = self.close_request(token) {
                    self.on_offset(shared, queue, serial, offset);
                }
            }
            Packet::MaxOffset { token, offset } => {
                if let Some(Pending::MaxOffset { queue, serial }) = self.close_request(token) {
                    self.on_start_offset(shared, queue, serial, Some(offset));
                }
            }
            Packet::Pulled { token, status, next_offset, messages, .. } => {
                if let Some(Pending::Pull { queue, serial }) = self.close_request(token) {
                    self.on_pulled(shared, (queue, serial), status, next_offset, &messages);
                }
            }
            Packet::BackTaken { token, taken } => {
                if let Some(what) = self.close_request(token) {
                    self.on_back_answered(shared, token, what, taken);
                }
            }
            Packet::Hung { connection } => self.on_hung_up(shared, connection),
            Packet::ResetOffsets { topic, offsets } => {
                self.on_reset_offsets(shared, topic, offsets);
            }
            _ => {}
        }
    }

    /// A request was not answered in time.
    pub(crate) fn on_timed_out(&mut self, shared: &mut Shared, token: u32, request: RequestKind) {
        let Some(open) = self.take_request(token) else { return };
        self.note_failure(shared, &open, request);
        self.close_after(shared, &open);
        match open.what {
            Pending::RoundMembers(topic) => self.on_members(shared, topic, None),
            Pending::RoundLock(queue) => self.on_round_lock(shared, queue, false),
            Pending::Offset { queue, serial } | Pending::MaxOffset { queue, serial } => {
                self.on_start_offset(shared, queue, serial, None);
            }
            Pending::Renew { left, .. } => self.renew_next(shared, left),
            what @ (Pending::Beat { .. } | Pending::StopUnlock(_) | Pending::StopLeave(_)) => {
                self.on_told(shared, what, false);
            }
            Pending::Relock { queue, serial } => self.on_relocked(shared, queue, serial, false),
            Pending::Pull { queue, serial } => self.on_pull_failed(shared, queue, serial),
            what => self.on_back_answered(shared, token, what, None),
        }
    }

    /// A message was to go back to a broker, and it was taken or not.
    fn on_back_answered(
        &mut self,
        shared: &mut Shared,
        token: u32,
        what: Pending,
        taken: Option<u16>,
    ) {
        match what {
            Pending::OrderlyBack => self.on_orderly_back(shared, token, taken.is_some()),
            Pending::ConcurrentBack { call, normal } => {
                self.on_concurrent_back(shared, call, normal, taken);
            }
            Pending::ExpiredBack { expired, normal } => {
                self.on_expired_back(shared, expired, normal, taken);
            }
            _ => {}
        }
    }

    /// A timer fires.
    pub(crate) fn on_timer(&mut self, shared: &mut Shared, timer: ClientTimer) {
        match timer {
            ClientTimer::ListenerEnd { call } => return self.on_listener_end(shared, call),
            _ if !self.is_running() => return,
            _ => {}
        }
        self.schedule_again(shared, timer);
        if !self.queues_up(&timer) {
            self.carry_out(shared, timer);
        }
    }

    /// Does what a timer is for.
    fn carry_out(&mut self, shared: &mut Shared, timer: ClientTimer) {
        match timer {
            ClientTimer::Grpc(_) => {}
            ClientTimer::GroupFree { queue, serial } => self.on_group_free(shared, queue, serial),
            ClientTimer::Rebalance => self.on_rebalance_timer(shared),
            ClientTimer::ReleaseWait { wait } => self.on_release_wait(shared, wait),
            ClientTimer::CorrectionWait { queue, serial } => {
                self.end_correction(shared, (queue, serial), false);
            }
            ClientTimer::RenewLocks => self.on_renew_locks(shared),
            ClientTimer::Relock { queue, serial } => self.on_relock_timer(shared, queue, serial),
            ClientTimer::DelayedUnlock { queue } => self.send_unlock(shared, queue),
            ClientTimer::Pull { queue, serial } => self.on_pull_turn(shared, queue, serial),
            ClientTimer::PullLater { queue, serial } => {
                self.on_timer(shared, ClientTimer::Pull { queue, serial });
            }
            ClientTimer::Consume { queue, serial }
            | ClientTimer::ConsumeLater { queue, serial } => {
                self.on_consume(shared, queue, serial);
            }
            ClientTimer::Resubmit { queue, serial, message } => {
                self.submit_concurrent(shared, queue, serial, &[message]);
            }
            ClientTimer::CorrectOffset { queue, serial } => {
                self.on_correct_offset(shared, queue, serial);
            }
            ClientTimer::PushOffsets => self.push_all_offsets(shared),
            ClientTimer::Heartbeat => self.beat(shared, AfterBeat::Period),
            ClientTimer::RoutePoll => self.on_route_poll(shared),
            ClientTimer::ShutdownWait => self.on_shutdown_wait(shared),
            ClientTimer::CleanExpired => self.on_clean_expired(shared),
            ClientTimer::ResetDone { reset } => self.on_reset_done(shared, reset),
            ClientTimer::ListenerStart { call } => self.on_listener_start(shared, call),
            ClientTimer::ListenerEnd { .. } => {}
        }
    }

    /// Its wall clock is set: what it remembers by that clock becomes as much older as the clock
    /// jumped ahead.
    pub(crate) fn set_clock(&mut self, shared: &mut Shared, ahead_ms: Ms) {
        let jump_ms = ahead_ms - self.clock_ahead_ms;
        self.clock_ahead_ms = ahead_ms;
        for entry in self.queues.values_mut() {
            Rc::make_mut(entry).shift(-jump_ms);
        }
        for call in &mut self.calls {
            call.seen_ms -= jump_ms;
        }
        self.round.last_ms -= jump_ms;
        shared.fact(Fact::ClockJumped { party: self.party(), ahead_ms });
    }

    /// Messages of a queue that listeners of this process are handling.
    pub fn handling(&self, queue: MessageQueue) -> impl Iterator<Item = &Cached> {
        self.calls.iter().filter(move |c| c.queue == queue && c.running).flat_map(|c| &c.batch)
    }
}
