//! A producer process: threads that send, the choice of the queue, retries.

mod connect;
mod draw;
mod grpc;
mod route;
mod transaction;

use std::collections::VecDeque;
use std::rc::Rc;

pub use grpc::{throttled_wait_ms, KnownType};
pub use route::{selected_index, PublishInfo};
pub use transaction::Transaction;

use draw::pick_group;
use grpc::failure_of;

use crate::command::{Load, MessageSpec, Selector, SendMode};
use crate::connection::{Connections, Reached};
use crate::event::{Event, Packet, ProducerTimer, Refused, Rpc};
use crate::fact::{Fact, RequestKind, SendFailure};
use crate::grpc::PopPacket;
use crate::ids::{MessageGroupId, MessageQueue, Ms, MsgId, Party, ProducerId, ProxyId, TopicId};
use crate::message::Message;
use crate::routing::Sdk;
use crate::shared::Shared;

/// A send that is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sending {
    /// The message.
    pub msg: MsgId,
    /// Where it goes.
    pub queue: MessageQueue,
    /// Where its first attempt went.
    pub first: MessageQueue,
    /// Attempt, from 1.
    pub attempt: u8,
    /// Number of the request.
    pub token: u32,
    /// All attempts together end here.
    pub deadline_ms: Ms,
    /// Thread that sends it.
    pub thread: u8,
    /// Number of its connection to the broker; 0 when it has none.
    pub connection: u32,
}

impl Sending {
    /// The first attempt.
    fn new(msg: MsgId, queue: MessageQueue, deadline_ms: Ms, thread: u8) -> Self {
        Self { msg, queue, first: queue, attempt: 1, token: 0, deadline_ms, thread, connection: 0 }
    }
}

/// A sending thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Thread {
    /// Messages that wait for their turn.
    pub waiting: VecDeque<MsgId>,
}

/// Messages that the application will hand over.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Plan {
    topic: TopicId,
    thread: u8,
    messages: Rc<[MessageSpec]>,
    next: usize,
    every_ms: Ms,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct RunningLoad {
    topic: TopicId,
    load: Load,
    made: u32,
    since_ms: Ms,
    first_series: u16,
    numbers: Vec<u32>,
}

/// A producer process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Producer {
    /// Its id.
    pub id: ProducerId,
    /// Default topic.
    pub topic: Option<TopicId>,
    /// Queue choice.
    pub selector: Selector,
    /// Mode.
    pub mode: SendMode,
    /// Threads.
    pub threads: Vec<Thread>,
    /// Sends on their way, in order of sending.
    pub sending: Vec<Sending>,
    /// Messages stored so far.
    pub sent: u32,
    /// When the process started.
    pub created_ms: Ms,
    /// What it knows of the topics it sends to.
    pub routes: Vec<PublishInfo>,
    /// Next poll of the name server that will find something changed.
    pub route_poll_ms: Option<Ms>,
    /// The SDK on the 5.x path, which decides the endpoint of a message group.
    pub sdk: Sdk,
    /// Whether the SDK checks message types itself.
    pub checks_types: bool,
    /// Its connections to brokers.
    pub connections: Connections,
    /// The proxy that it speaks to; None = the first one on the 5.x path, and none for a classic client.
    pub proxy: Option<ProxyId>,
    known_types: Vec<KnownType>,
    together: Vec<Rc<[MsgId]>>,
    /// Its transactions.
    pub transactions: Vec<Transaction>,
    plans: Vec<Plan>,
    loads: Vec<RunningLoad>,
    tokens: u32,
}

impl Producer {
    /// A new process.
    pub(crate) fn new(
        id: ProducerId,
        topic: Option<TopicId>,
        selector: Selector,
        mode: SendMode,
        threads: u8,
        shared: &Shared,
    ) -> Self {
        let threads = (0..threads.max(1)).map(|_| Thread { waiting: VecDeque::new() }).collect();
        Self {
            id,
            topic,
            selector,
            mode,
            threads,
            sending: Vec::new(),
            sent: 0,
            created_ms: shared.now_ms,
            routes: Vec::new(),
            route_poll_ms: None,
            sdk: Sdk::Java,
            checks_types: true,
            connections: Connections::default(),
            proxy: None,
            known_types: Vec::new(),
            together: Vec::new(),
            transactions: Vec::new(),
            plans: Vec::new(),
            loads: Vec::new(),
            tokens: 0,
        }
    }

    /// Whether a send on its way carries a message: it may be one of several of a request.
    pub fn is_in(&self, sending: &Sending, msg: MsgId) -> bool {
        let together =
            |msgs: &Rc<[MsgId]>| msgs.first() == Some(&sending.msg) && msgs.contains(&msg);
        sending.msg == msg || self.together.iter().any(together)
    }

    fn timer(&self, timer: ProducerTimer) -> Event {
        Event::Producer(self.id, timer)
    }

    /// The application plans to hand over messages, from now on.
    pub(crate) fn plan(
        &mut self,
        shared: &mut Shared,
        topic: TopicId,
        thread: u8,
        messages: &[MessageSpec],
        every_ms: Ms,
    ) {
        let plan = Plan { topic, thread, messages: messages.into(), next: 0, every_ms };
        self.plans.push(plan);
        let plan = (self.plans.len() - 1) as u32;
        shared.after(0, self.timer(ProducerTimer::Hand { plan }));
    }

    /// Next message that the application will hand to a thread and that is not built yet.
    pub fn planned(&self, thread: u8) -> Option<&MessageSpec> {
        self.plans.iter().filter(|p| p.thread == thread).find_map(|p| p.messages.get(p.next))
    }

    /// Messages that the loads under way still send.
    pub fn to_come(&self) -> u32 {
        self.loads.iter().map(|running| running.load.count.saturating_sub(running.made)).sum()
    }

    /// The application starts a load.
    pub(crate) fn start_load(
        &mut self,
        shared: &mut Shared,
        topic: TopicId,
        load: Load,
        first_series: u16,
    ) {
        let numbers = vec![0; load.groups.max(1) as usize];
        let since_ms = shared.now_ms;
        self.loads.push(RunningLoad { topic, load, made: 0, since_ms, first_series, numbers });
        let load = (self.loads.len() - 1) as u32;
        shared.after(0, self.timer(ProducerTimer::Load { load }));
    }

    /// A timer fires.
    pub(crate) fn on_timer(&mut self, shared: &mut Shared, timer: ProducerTimer) {
        match timer {
            ProducerTimer::Hand { plan } => self.on_hand(shared, plan),
            ProducerTimer::Load { load } => self.on_load(shared, load),
            ProducerTimer::Thread(thread) => self.on_thread(shared, thread),
            ProducerTimer::Again { token } => self.on_again(shared, token),
            ProducerTimer::RoutePoll => self.on_route_poll(shared),
            ProducerTimer::Decide { msg } => self.on_decide(shared, msg),
        }
    }

    fn on_hand(&mut self, shared: &mut Shared, number: u32) {
        let Some(plan) = self.plans.get_mut(number as usize) else { return };
        let all = plan.every_ms <= 0;
        let (topic, thread, every_ms) = (plan.topic, plan.thread, plan.every_ms);
        let from = plan.next;
        let to = if all { plan.messages.len() } else { (from + 1).min(plan.messages.len()) };
        plan.next = to;
        let messages = Rc::clone(&plan.messages);
        for spec in &messages[from..to] {
            let msg = self.build(shared, topic, spec, false);
            self.enqueue(shared, thread, msg);
        }
        if to < messages.len() {
            shared.after(every_ms, self.timer(ProducerTimer::Hand { plan: number }));
        }
    }

    fn build(
        &self,
        shared: &mut Shared,
        topic: TopicId,
        spec: &MessageSpec,
        transaction: bool,
    ) -> MsgId {
        let names = Rc::make_mut(&mut shared.names);
        let message = Message {
            producer: self.id,
            topic,
            series: names.series_or_new(&spec.label.series),
            number: spec.label.number,
            tag: names.tag(spec.tag.as_deref()),
            key: names.key(spec.key.as_deref()),
            delay_level: spec.delay_level,
            timer_delay_ms: spec.timer_delay_ms,
            transaction,
            travel_ms: spec.travel_ms,
            body_bytes: spec.body_bytes,
            built_ms: shared.now_ms,
        };
        self.add(shared, message)
    }

    fn add(&self, shared: &mut Shared, message: Message) -> MsgId {
        let msg = MsgId(shared.messages.len() as u32);
        shared.messages.push(message);
        shared.fact(Fact::MessageBuilt { producer: self.id, msg });
        msg
    }

    fn on_load(&mut self, shared: &mut Shared, number: u32) {
        let Some(running) = self.loads.get_mut(number as usize) else { return };
        let rate = i64::from(running.load.per_second.max(1));
        let due_ms = |made: u32| running.since_ms + i64::from(made) * 1_000 / rate;
        let (made, groups) = (running.made, running.load.groups);
        let group = pick_group(shared, groups, running.load.skew_percent);
        running.numbers[group as usize] += 1;
        running.made += 1;
        let next_ms = due_ms(running.made);
        let more = running.made < running.load.count;
        let message = Message {
            producer: self.id,
            topic: running.topic,
            series: MessageGroupId(running.first_series + group as u16),
            number: running.numbers[group as usize],
            tag: 0,
            key: 0,
            delay_level: 0,
            timer_delay_ms: 0,
            transaction: false,
            travel_ms: 0,
            body_bytes: 100,
            built_ms: shared.now_ms,
        };
        let threads = self.threads.len() as u32;
        let thread = if groups > 0 { group % threads } else { made % threads };
        let msg = self.add(shared, message);
        self.enqueue(shared, thread as u8, msg);
        if more {
            shared.at(next_ms, self.timer(ProducerTimer::Load { load: number }));
        }
    }

    fn enqueue(&mut self, shared: &mut Shared, thread: u8, msg: MsgId) {
        let thread = thread.min(self.threads.len() as u8 - 1);
        self.threads[usize::from(thread)].waiting.push_back(msg);
        match self.mode {
            SendMode::Async => self.send_next(shared, thread),
            SendMode::Sync => {
                if !self.is_busy(thread) {
                    self.send_next(shared, thread);
                }
            }
        }
    }

    /// Whether a thread of synchronous sends waits for an answer, or for the time of its next attempt.
    fn is_busy(&self, thread: u8) -> bool {
        self.sending.iter().any(|s| s.thread == thread)
    }

    /// A thread goes on. A message that was handed over in the instant of the answer may have made it
    /// busy again.
    fn on_thread(&mut self, shared: &mut Shared, thread: u8) {
        if !self.is_busy(thread) {
            self.send_next(shared, thread);
        }
    }

    /// Sends the next waiting message of a thread that is free.
    fn send_next(&mut self, shared: &mut Shared, thread: u8) {
        while let Some(msg) = self.threads[usize::from(thread)].waiting.pop_front() {
            if self.is_grpc(shared) {
                if self.send_grpc(shared, thread, msg) {
                    return;
                }
                continue;
            }
            match self.choose(shared, thread, msg) {
                Ok(queue) => {
                    let deadline_ms = shared.now_ms + shared.model.send_msg_timeout_ms;
                    let sending = Sending::new(msg, queue, deadline_ms, thread);
                    if self.attempt(shared, sending) {
                        return;
                    }
                }
                Err(reason) => {
                    shared.fact(Fact::SendFailed { producer: self.id, msg, reason });
                }
            }
        }
    }

    /// Sends a request, or goes on to further attempts while the broker's address is unknown. False
    /// when the send has failed.
    fn attempt(&mut self, shared: &mut Shared, mut sending: Sending) -> bool {
        while !self.knows(sending.queue) {
            // An asynchronous send reports this at once.
            let again = self.mode == SendMode::Sync && self.next_attempt(shared, &mut sending);
            if !again {
                let (msg, reason) = (sending.msg, SendFailure::BrokerUnknown);
                shared.fact(Fact::SendFailed { producer: self.id, msg, reason });
                return false;
            }
        }
        self.transmit(shared, sending);
        true
    }

    fn transmit(&mut self, shared: &mut Shared, mut sending: Sending) {
        self.tokens += 1;
        sending.token = self.tokens;
        // Through a proxy the request starts for its queue there.
        let by_proxy = self.through_proxy(&sending);
        let me = Party::Producer(self.id);
        let mut reached = Reached::Over(0);
        if by_proxy.is_none() {
            self.find_dead_connection(shared, sending.queue.broker);
            reached = self.connections.reach(&shared.net, me, sending.queue.broker);
            sending.connection = reached.number();
        }
        self.sending.push(sending);
        let Sending { msg, queue, attempt, token, deadline_ms, connection, .. } = sending;
        if by_proxy.is_none() {
            shared.fact(Fact::SendStarted { producer: self.id, msg, queue, attempt });
        }
        match reached {
            Reached::Silence => return self.on_silence(shared, &sending),
            Reached::Reset(connection) => {
                return self.fail_fast(shared, queue.broker, connection);
            }
            Reached::Over(_) | Reached::Anew(_) | Reached::Refused => {}
        }
        // A repeated attempt takes the usual way: only the first one is slow.
        let extra_ms = if attempt == 1 { shared.message(msg).travel_ms } else { 0 };
        let rpc = Rpc { token, deadline_ms, connection };
        let (to, packet) =
            by_proxy.unwrap_or((Party::Broker(queue.broker), Packet::Send { rpc, msg, queue }));
        shared.send_slowly(me, to, extra_ms, packet);
    }

    /// The broker answered a send.
    pub(crate) fn on_packet(&mut self, shared: &mut Shared, packet: Packet) {
        if let Packet::CheckTransaction { msg, half, count } = packet {
            return self.on_check(shared, (msg, half), count);
        }
        if let Packet::Pop(PopPacket::Submitted { token, result }) = packet {
            return self.on_submitted(shared, token, result);
        }
        let Packet::Sent { token, result } = packet else { return };
        let Some(place) = self.sending.iter().position(|s| s.token == token) else { return };
        let sending = self.sending.remove(place);
        match result {
            Ok(offset) => {
                self.sent += 1;
                let Sending { msg, queue, .. } = sending;
                shared.fact(Fact::SendCompleted { producer: self.id, msg, queue });
                self.on_prepared(shared, msg, (queue.broker, offset));
            }
            Err(refused) => {
                let reason = failure_of(refused);
                // SYSTEM_ERROR and SERVICE_NOT_AVAILABLE are worth another attempt.
                let again = match refused {
                    Refused::QueueId => shared.model.illegal_queue_code == 1,
                    Refused::DiskFull => true,
                    Refused::TimerIllegal => false,
                };
                if again && self.mode == SendMode::Sync {
                    return self.retry_or_fail(shared, sending, reason);
                }
                shared.fact(Fact::SendFailed { producer: self.id, msg: sending.msg, reason });
            }
        }
        self.go_on(shared, sending.thread);
    }

    fn go_on(&mut self, shared: &mut Shared, thread: u8) {
        let waits = !self.threads[usize::from(thread)].waiting.is_empty();
        if self.mode == SendMode::Sync && waits {
            shared.after(0, self.timer(ProducerTimer::Thread(thread)));
        }
    }

    /// No answer in time. All attempts share one time-out, so none is left after it.
    pub(crate) fn on_timed_out(&mut self, shared: &mut Shared, token: u32) {
        let Some(place) = self.sending.iter().position(|s| s.token == token) else { return };
        let sending = self.sending.remove(place);
        let request = RequestKind::Send;
        let party = Party::Producer(self.id);
        let (grpc, in_time) = (self.is_grpc(shared), shared.now_ms < sending.deadline_ms);
        shared.fact(match self.lost_its_connection(shared, &sending) || grpc && in_time {
            true => Fact::RequestFailed { party, request },
            false => Fact::RequestTimedOut { party, request },
        });
        let reason = match in_time {
            true => SendFailure::ConnectionFailed,
            false => SendFailure::TimedOut,
        };
        if grpc {
            return self.on_grpc_timed_out(shared, sending, reason);
        }
        self.close_after(shared, &sending);
        self.retry_or_fail(shared, sending, reason);
    }

    /// Repeats a failed attempt as the client would, or reports the failure.
    fn retry_or_fail(&mut self, shared: &mut Shared, sending: Sending, reason: SendFailure) {
        let (msg, thread) = (sending.msg, sending.thread);
        let mut next = sending;
        if !self.next_attempt(shared, &mut next) {
            shared.fact(Fact::SendFailed { producer: self.id, msg, reason });
            self.go_on(shared, thread);
        } else if !self.attempt(shared, next) {
            self.go_on(shared, thread);
        }
    }

    /// Where a further attempt goes; false when there is none. With a selector only asynchronous
    /// sends are repeated, to the same queue. Without one a synchronous send prefers a queue of
    /// another broker, an asynchronous one takes that broker with the queue id of its first choice.
    fn next_attempt(&mut self, shared: &Shared, sending: &mut Sending) -> bool {
        let model = &shared.model;
        let keyed = self.is_keyed(shared, sending.msg);
        let more = match self.mode {
            SendMode::Async => model.retry_times_when_send_async_failed,
            SendMode::Sync if keyed => 0,
            SendMode::Sync => model.retry_times_when_send_failed,
        };
        if i64::from(sending.attempt) > more || sending.deadline_ms <= shared.now_ms {
            return false;
        }
        sending.attempt += 1;
        if !keyed {
            if let Some(queue) = self.choose_again(sending.thread, sending.queue) {
                let id = match self.mode {
                    SendMode::Sync => queue.id,
                    SendMode::Async => sending.queue.id,
                };
                sending.queue = MessageQueue { id, ..queue };
            }
        }
        true
    }
}
