//! A producer process: threads that send, the choice of the queue, retries.

use std::collections::VecDeque;
use std::rc::Rc;

use crate::command::{Load, MessageSpec, Selector, SendMode};
use crate::event::{Event, Packet, ProducerTimer, Refused, Rpc};
use crate::fact::{Fact, RequestKind, SendFailure};
use crate::ids::{MessageGroupId, MessageQueue, Ms, MsgId, Party, ProducerId, TopicId};
use crate::message::Message;
use crate::rng::Stream;
use crate::routing::{abs_hash, consistent_hash, modulo, select_by_hash};
use crate::shared::{MessageGroup, Shared};

/// A send that is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sending {
    /// The message.
    pub msg: MsgId,
    /// Where it goes.
    pub queue: MessageQueue,
    /// Attempt, from 1.
    pub attempt: u8,
    /// Number of the request.
    pub token: u32,
    /// All attempts together end here.
    pub deadline_ms: Ms,
    /// Thread that sends it.
    pub thread: u8,
}

/// A sending thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Thread {
    /// Messages that wait for their turn.
    pub waiting: VecDeque<MsgId>,
    /// Round-robin index.
    index: u32,
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
        shared: &mut Shared,
    ) -> Self {
        let threads = (0..threads.max(1))
            .map(|_| Thread {
                waiting: VecDeque::new(),
                index: shared.streams.between(Stream::RoundRobinStart, 0, 0x7fff_ffff) as u32,
            })
            .collect();
        Self {
            id,
            topic,
            selector,
            mode,
            threads,
            sending: Vec::new(),
            sent: 0,
            plans: Vec::new(),
            loads: Vec::new(),
            tokens: 0,
        }
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
            ProducerTimer::Thread(thread) => self.send_next(shared, thread),
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
            let msg = self.build(shared, topic, spec);
            self.enqueue(shared, thread, msg);
        }
        if to < messages.len() {
            shared.after(every_ms, self.timer(ProducerTimer::Hand { plan: number }));
        }
    }

    fn build(&self, shared: &mut Shared, topic: TopicId, spec: &MessageSpec) -> MsgId {
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
                if !self.sending.iter().any(|s| s.thread == thread) {
                    self.send_next(shared, thread);
                }
            }
        }
    }

    /// Sends the next waiting message of a thread that is free.
    fn send_next(&mut self, shared: &mut Shared, thread: u8) {
        while let Some(msg) = self.threads[usize::from(thread)].waiting.pop_front() {
            match self.choose(shared, thread, msg) {
                Ok(queue) => {
                    let deadline_ms = shared.now_ms + shared.model.send_msg_timeout_ms;
                    self.transmit(
                        shared,
                        Sending { msg, queue, attempt: 1, token: 0, deadline_ms, thread },
                    );
                    return;
                }
                Err(reason) => {
                    shared.fact(Fact::SendFailed { producer: self.id, msg, reason });
                }
            }
        }
    }

    fn transmit(&mut self, shared: &mut Shared, mut sending: Sending) {
        self.tokens += 1;
        sending.token = self.tokens;
        self.sending.push(sending);
        let Sending { msg, queue, attempt, token, deadline_ms, .. } = sending;
        shared.fact(Fact::SendStarted { producer: self.id, msg, queue, attempt });
        // A repeated attempt takes the usual way: only the first one is slow.
        let extra_ms = if attempt == 1 { shared.message(msg).travel_ms } else { 0 };
        let rpc = Rpc { token, deadline_ms };
        let route = (Party::Producer(self.id), Party::Broker(queue.broker));
        shared.send_slowly(route.0, route.1, extra_ms, Packet::Send { rpc, msg, queue });
    }

    /// Chooses the queue of a message.
    fn choose(
        &mut self,
        shared: &Shared,
        thread: u8,
        msg: MsgId,
    ) -> Result<MessageQueue, SendFailure> {
        let message = shared.message(msg);
        let count = shared.names.write_queue_count(message.topic);
        if count == 0 {
            return Err(SendFailure::NoWritableQueue);
        }
        let series = &shared.names.series[message.series.index()];
        let keyed = series.key.is_some();
        let index = match self.selector {
            Selector::Queue(id) => i64::from(id),
            selector if selector != Selector::RoundRobin && keyed => {
                keyed_index(selector, series, count).unwrap_or(0)
            }
            _ => {
                let index = &mut self.threads[usize::from(thread)].index;
                *index = index.wrapping_add(1) & 0x7fff_ffff;
                i64::from(*index) % count as i64
            }
        };
        if let Selector::Queue(id) = self.selector {
            let broker = crate::ids::BrokerId(0);
            return Ok(MessageQueue { topic: message.topic, broker, id });
        }
        usize::try_from(index)
            .ok()
            .and_then(|index| shared.names.write_queue(message.topic, index))
            .ok_or(SendFailure::SelectorThrew)
    }

    /// The broker answered a send.
    pub(crate) fn on_packet(&mut self, shared: &mut Shared, packet: Packet) {
        let Packet::Sent { token, result } = packet else { return };
        let Some(place) = self.sending.iter().position(|s| s.token == token) else { return };
        let sending = self.sending.remove(place);
        match result {
            Ok(_) => {
                self.sent += 1;
                let Sending { msg, queue, .. } = sending;
                shared.fact(Fact::SendCompleted { producer: self.id, msg, queue });
            }
            Err(refused) => {
                let reason = match refused {
                    Refused::QueueId => SendFailure::IllegalQueueId,
                    Refused::TimerIllegal => SendFailure::TimerIllegal,
                };
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
        shared.fact(Fact::RequestTimedOut { party: Party::Producer(self.id), request });
        self.retry_or_fail(shared, sending);
    }

    /// Repeats a failed attempt as the client would: with a selector only asynchronous sends are
    /// repeated, to the same queue; without one the next queue is tried.
    fn retry_or_fail(&mut self, shared: &mut Shared, sending: Sending) {
        let model = &shared.model;
        let series = shared.message(sending.msg).series;
        let keyed = shared.names.series[series.index()].key.is_some()
            && self.selector != Selector::RoundRobin
            || matches!(self.selector, Selector::Queue(_));
        let more = match self.mode {
            SendMode::Async => model.retry_times_when_send_async_failed,
            SendMode::Sync if keyed => 0,
            SendMode::Sync => model.retry_times_when_send_failed,
        };
        let time_left = sending.deadline_ms > shared.now_ms;
        if i64::from(sending.attempt) > more || !time_left {
            let reason = SendFailure::TimedOut;
            shared.fact(Fact::SendFailed { producer: self.id, msg: sending.msg, reason });
            return self.go_on(shared, sending.thread);
        }
        let mut next = Sending { attempt: sending.attempt + 1, ..sending };
        if !keyed {
            if let Ok(queue) = self.choose(shared, sending.thread, sending.msg) {
                next.queue = queue;
            }
        }
        self.transmit(shared, next);
    }
}

/// Index that a keyed selector returns; may be negative, and then the client throws.
fn keyed_index(selector: Selector, group: &MessageGroup, count: usize) -> Option<i64> {
    let key = group.key.as_deref()?;
    let n = count as u32;
    Some(match selector {
        Selector::MessageGroup => i64::from(consistent_hash(i64::from(group.hash), n)),
        Selector::Hash => i64::from(select_by_hash(group.hash, n)),
        Selector::AbsHash => i64::from(abs_hash(group.hash, n)),
        Selector::Modulo => {
            let id = key.parse::<i64>().unwrap_or(i64::from(group.hash));
            modulo(id, n)
        }
        Selector::RoundRobin | Selector::Queue(_) => return None,
    })
}

/// Index of the queue that a selector picks for a message group over `count` queues, before the
/// client checks it; None where the group decides nothing.
pub fn selected_index(selector: Selector, group: &MessageGroup, count: usize) -> Option<i64> {
    match selector {
        Selector::Queue(id) => Some(i64::from(id)),
        selector => keyed_index(selector, group, count.max(1)),
    }
}

/// Draws a message group of a load; with skew s the k-th is k^-s as likely as the first.
fn pick_group(shared: &mut Shared, groups: u32, skew_percent: u32) -> u32 {
    let draw = shared.streams.between(Stream::Load, 0, (1 << 30) - 1) as f64 / f64::from(1 << 30);
    let groups = f64::from(groups.max(1));
    let place = if skew_percent == 0 {
        draw * groups
    } else {
        // Inverse of the continuous power law; a library power function would differ by platform,
        // so the exponent is applied by repeated square roots and products.
        skewed(draw, groups, skew_percent)
    };
    (place as u32).min(groups as u32 - 1)
}

/// groups * draw^(1 + skew/100), with the fractional power from square roots only.
fn skewed(draw: f64, groups: f64, skew_percent: u32) -> f64 {
    let mut power = 1.0 + f64::from(skew_percent.min(900)) / 100.0;
    let (mut result, mut root) = (1.0_f64, draw);
    while power >= 1.0 {
        result *= draw;
        power -= 1.0;
    }
    for _ in 0..12 {
        root = root.sqrt();
        power *= 2.0;
        if power >= 1.0 {
            result *= root;
            power -= 1.0;
        }
    }
    groups * result
}
