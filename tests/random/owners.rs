//! At most one consumer of an ordered group handles messages of a queue, except in the windows that
//! the reference names. An overlap is excused only when the right of one of the two had ended in one
//! of these ways during its call, or was no longer known to have ended when the call began.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_core::fact::{DropReason, Fact, GrantKind, StopKind};
use lockstep_core::ids::{BrokerId, ClientId, GroupId, MessageQueue, Ms, MsgId, Party};
use lockstep_core::pop::PopFact;

/// A named window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Window {
    /// §5.5, 5.2.0+: the old owner unlocks although its listener runs.
    ForcedUnlock,
    /// §5.2, §5.5: the lease ran out, more than 60 s after the last renewal, while the listener ran.
    LeaseOver,
    /// §11.4: a clean stop does not wait for the listener.
    CleanStop,
    /// §11.4: a restarted broker has no locks; the old owner trusts its own flag for 30 s.
    BrokerRestart,
    /// §5.5 step 4, 4.x to 5.1.4: a delayed unlock removes a lock that is in use again.
    DelayedUnlock,
    /// §3.5, §3.7: a queue whose offset was corrected or reset is forgotten although its listener runs;
    /// once it is taken in again, its hand-over waits for the listener of the new entry only (§5.5).
    Corrected,
    /// §5.2: a client dates its lock from when it reads the answer (`RebalanceImpl.lockAll` sets
    /// `lastLockTimestamp` behind the call), the broker from when it grants it. An answer that comes while
    /// the process stands still is read when it goes on, and trusted for 30 s from then.
    LateAnswer,
    /// A wall clock was set: the 30 s of the client and the 60 s of the broker do not fit together.
    Clock,
    /// §6.4, §11.7: a POP consumer goes on with what was delivered again meanwhile.
    Overtaken,
}

/// How long a client trusts its lock (`rocketmq.client.rebalance.lockMaxLiveTime`).
const TRUST_MS: Ms = 30_000;
/// How often it renews it.
const RENEWAL_MS: Ms = 20_000;

#[derive(Clone, Copy, Debug)]
struct Call {
    client: ClientId,
    msg: MsgId,
    since_ms: Ms,
    ended: Option<Window>,
}

#[derive(Default)]
pub struct Owners {
    calls: BTreeMap<(GroupId, MessageQueue), Vec<Call>>,
    hanging: Vec<ClientId>,
    restarts: BTreeMap<BrokerId, Ms>,
    /// When the broker last gave or renewed a lock.
    granted: BTreeMap<(ClientId, MessageQueue), Ms>,
    /// Locks whose answer comes while the client stands still, and when it reads it.
    late: BTreeMap<(ClientId, MessageQueue), Option<Ms>>,
    /// How long a packet is under way.
    latency_ms: Ms,
    /// Process-queue tables.
    held: BTreeSet<(ClientId, MessageQueue)>,
    released: BTreeMap<(ClientId, MessageQueue), Ms>,
    /// Dropped for another offset, and not taken in again yet.
    corrected: BTreeSet<(ClientId, MessageQueue)>,
    clocks: Vec<Party>,
    /// Overlaps, as the core's check counts them.
    pub overlaps: usize,
    pub excused: BTreeMap<Window, u32>,
}

/// What is asked about a client.
pub struct Client {
    pub group: GroupId,
    pub grpc: bool,
    /// The core's check looks at it.
    pub checked: bool,
    /// Only one of its group may work on a queue.
    pub alone: bool,
}

impl Owners {
    pub fn new(latency_ms: Ms) -> Self {
        Self { latency_ms, ..Self::default() }
    }

    pub fn observe(
        &mut self,
        now_ms: Ms,
        fact: &Fact,
        client_of: impl Fn(ClientId) -> Client,
        overtaken: bool,
    ) -> Result<(), String> {
        if let Fact::LockGranted { client, queue, .. } = *fact {
            self.granted.insert((client, queue), now_ms);
        }
        match *fact {
            Fact::HandlingStarted { client, queue, msg, .. } => {
                let of = client_of(client);
                let ended = overtaken.then_some(Window::Overtaken);
                let call = Call { client, msg, since_ms: now_ms, ended };
                let met = self.meet(&of, queue, &call);
                self.calls.entry((of.group, queue)).or_default().push(call);
                return met;
            }
            Fact::HandlingEnded { client, queue, msg, .. } => {
                let calls = self.calls.entry((client_of(client).group, queue)).or_default();
                if let Some(at) = calls.iter().position(|c| (c.client, c.msg) == (client, msg)) {
                    calls.remove(at);
                }
            }
            Fact::QueueRemoved { client, queue, forced: true } => {
                self.held.remove(&(client, queue));
                self.end(client, |of| of == queue, Window::ForcedUnlock);
            }
            Fact::LockGranted { queue, how: GrantKind::Expired { from }, .. } => {
                self.end(from, |of| of == queue, Window::LeaseOver);
            }
            Fact::Pop(PopFact::Popped { group, queue, .. })
            | Fact::ResetConsumed { group, queue, .. } => {
                let calls = self.calls.entry((group, queue)).or_default();
                let by_pop = calls.iter_mut().filter(|call| client_of(call.client).grpc);
                by_pop.for_each(|call| call.ended = Some(Window::Overtaken));
            }
            Fact::QueueDropped { client, queue, reason: DropReason::OffsetIllegal } => {
                self.corrected.insert((client, queue));
            }
            // Also what was dropped before and waits for its listener.
            Fact::ResetReceived { client, topic, .. } => {
                let of_topic =
                    |(c, queue): &&(ClientId, MessageQueue)| *c == client && queue.topic == topic;
                self.corrected.extend(self.held.iter().filter(of_topic));
            }
            Fact::QueueAdded { client, queue, .. } => {
                self.held.insert((client, queue));
                if self.corrected.remove(&(client, queue)) {
                    self.end(client, |of| of == queue, Window::Corrected);
                }
            }
            Fact::QueueRemoved { client, queue, forced: false } => {
                self.held.remove(&(client, queue));
            }
            // Whoever gives a queue away forgets it first: this one has taken it back meanwhile.
            Fact::LockReleased { client, queue, .. } if self.held.contains(&(client, queue)) => {
                self.released.insert((client, queue), now_ms);
            }
            Fact::BrokerStopped { broker, .. } => drop(self.restarts.insert(broker, now_ms)),
            Fact::ClockJumped { party, .. } => self.clocks.push(party),
            Fact::ConsumerStopped { client, how: StopKind::Hang } => {
                self.hanging.push(client);
                let comes =
                    |of: &ClientId, at: &Ms| *of == client && now_ms <= at + self.latency_ms;
                let late = self.granted.iter().filter(|((of, _), at)| comes(of, at));
                self.late.extend(late.map(|(lock, _)| (*lock, None)));
            }
            Fact::ConsumerStopped { client, how: StopKind::Clean } => {
                self.end(client, |_| true, Window::CleanStop);
            }
            Fact::ConsumerStopped { client, .. } => {
                self.hanging.retain(|c| *c != client);
                self.calls.values_mut().for_each(|calls| calls.retain(|c| c.client != client));
            }
            Fact::ConsumerResumed { client } => {
                self.hanging.retain(|c| *c != client);
                let late =
                    self.late.iter_mut().filter(|((of, _), read)| *of == client && read.is_none());
                late.for_each(|(_, read)| *read = Some(now_ms));
                let of = client_of(client);
                let mine = |calls: &Vec<Call>| calls.iter().find(|c| c.client == client).copied();
                let going_on: Vec<(MessageQueue, Call)> = (self.calls.iter())
                    .filter(|((group, _), _)| *group == of.group)
                    .filter_map(|((_, queue), calls)| Some((*queue, mine(calls)?)))
                    .collect();
                return going_on.iter().try_for_each(|(queue, call)| self.meet(&of, *queue, call));
            }
            _ => {}
        }
        Ok(())
    }

    /// The right of a client to its calls ends in a named way.
    fn end(&mut self, client: ClientId, queue: impl Fn(MessageQueue) -> bool, how: Window) {
        for ((_, of), calls) in &mut self.calls {
            let mine = calls.iter_mut().filter(|call| call.client == client && queue(*of));
            mine.for_each(|call| call.ended = call.ended.or(Some(how)));
        }
    }

    /// In which window a call runs.
    fn window(&self, queue: MessageQueue, call: &Call) -> Option<Window> {
        let soon = |at: Option<&Ms>, ms: Ms| at.is_some_and(|at| call.since_ms <= at + ms);
        let jumped = |party| self.clocks.contains(&party);
        let restart = self.restarts.get(&queue.broker);
        let release = self.released.get(&(call.client, queue));
        let late = self.late.get(&(call.client, queue)).and_then(Option::as_ref);
        match call.ended {
            Some(how) => Some(how),
            None if soon(restart, TRUST_MS) => Some(Window::BrokerRestart),
            None if soon(release, RENEWAL_MS) => Some(Window::DelayedUnlock),
            None if soon(late, TRUST_MS) => Some(Window::LateAnswer),
            None if jumped(Party::Broker(queue.broker)) || jumped(Party::Client(call.client)) => {
                Some(Window::Clock)
            }
            None => None,
        }
    }

    /// A call runs from now on: who else is at work?
    fn meet(&mut self, of: &Client, queue: MessageQueue, call: &Call) -> Result<(), String> {
        let others = self.calls.get(&(of.group, queue)).map_or(&[][..], Vec::as_slice);
        let at_work = |c: &&Call| c.client != call.client && !self.hanging.contains(&c.client);
        let others: Vec<Call> = others.iter().filter(at_work).copied().collect();
        if others.is_empty() || !of.checked {
            return Ok(());
        }
        self.overlaps += 1;
        for other in others.into_iter().filter(|_| of.alone) {
            let window = self.window(queue, &other).or_else(|| self.window(queue, call));
            let Some(window) = window else {
                return Err(format!("{other:?} and {call:?} handle {queue:?} at once"));
            };
            *self.excused.entry(window).or_default() += 1;
        }
        Ok(())
    }
}
