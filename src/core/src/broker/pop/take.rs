//! The POP itself (`PopMessageProcessor`): which queues in which order, how many messages, where a
//! new group begins, what is committed.

use std::rc::Rc;

use super::{by_group::Walk, Broker, Flight, OrderRules, Taken};
use crate::broker::read::{filter_entries, GetStatus};
use crate::event::{Cached, Packet};
use crate::fact::{Fact, RequestKind};
use crate::grpc::{Delivery, Handle, InitMode, PopPacket, PopRequest, PopStatus};
use crate::ids::{MessageQueue, Party, TopicId};
use crate::model::{Blocking, Model};
use crate::pop::PopFact;
use crate::rng::Stream;
use crate::shared::Shared;

/// Where a POP of a group without a recorded offset begins (`getInitOffset`). A retry topic and
/// [`InitMode::Min`] begin at the minimum; otherwise a young queue (`hot`: its first message is still
/// in memory) is read from 0 since 5.1.4, and any other from its newest message.
pub fn init_offset(
    model: &Model,
    init: InitMode,
    retry_topic: bool,
    (min, max): (i64, i64),
    hot: bool,
) -> i64 {
    if retry_topic || init == InitMode::Min {
        return min;
    }
    if model.init_pop_offset_by_check_msg_in_mem == 1 && min <= 0 && hot {
        return 0;
    }
    (max - 1).max(0)
}

/// What a POP has collected so far.
#[derive(Default)]
struct Collected {
    deliveries: Vec<Delivery>,
    /// Messages left behind in the queues that it visited.
    rest: i64,
}

impl Collected {
    fn room(&self, request: &PopRequest) -> usize {
        (request.max as usize).saturating_sub(self.deliveries.len())
    }
}

impl Broker {
    /// A POP arrives. The time of what a proxy sends counts from the arrival, by the broker's clock.
    /// (In 5.2.0 alone it counts by the proxy's clock; that is not modelled.)
    pub(super) fn on_pop(&mut self, shared: &mut Shared, mut request: Rc<PopRequest>) {
        if matches!(request.from, Party::Proxy(_)) && request.born_ms != shared.now_ms {
            Rc::make_mut(&mut request).born_ms = shared.now_ms;
        }
        let read_queues = shared.names.topics[request.topic.index()].read_queues;
        let illegal = i64::from(request.max) > shared.model.max_msg_nums_for_pop
            || request.queue.is_some_and(|id| id >= read_queues);
        match illegal {
            true => self.answer_pop(shared, &request, PopStatus::Illegal, Vec::new()),
            false => self.run_pops(shared, request),
        }
    }

    fn answer_pop(
        &self,
        shared: &mut Shared,
        request: &PopRequest,
        status: PopStatus,
        deliveries: Vec<Delivery>,
    ) {
        let (token, deliveries) = (request.rpc.token, deliveries.into());
        let answer = Packet::Pop(PopPacket::Popped { token, status, deliveries });
        let rpc = (request.rpc, RequestKind::Receive);
        shared.answer(self.party(), request.from, rpc, answer);
    }

    /// Runs a POP, and those that it wakes because it left messages behind.
    pub(super) fn run_pops(&mut self, shared: &mut Shared, first: Rc<PopRequest>) {
        let mut next = Some(first);
        while let Some(request) = next.take() {
            if Self::is_long_over(shared, &request) {
                self.answer_pop(shared, &request, PopStatus::PollingTimeout, Vec::new());
                continue;
            }
            let got = self.collect(shared, &request);
            let wakes = if !got.deliveries.is_empty() {
                self.answer_pop(shared, &request, PopStatus::Found, got.deliveries);
                true
            } else if let Some(status) = self.park(shared, &request) {
                self.answer_pop(shared, &request, status, Vec::new());
                false
            } else {
                shared.model.pop_notify_after_parking == 1
            };
            if wakes && got.rest > 0 {
                next = self.chain(shared, &request);
            }
        }
    }

    fn collect(&mut self, shared: &mut Shared, request: &PopRequest) -> Collected {
        let model = Rc::clone(&shared.model);
        let r = match model.pop_start_random {
            fixed @ 0.. => fixed,
            _ => shared.streams.between(Stream::PopStart, 0, 99),
        };
        let retry_first = match model.pop_from_retry_mod_five {
            0 => r < model.pop_from_retry_probability,
            _ => r % 5 == 0,
        };
        let retry = match request.ordered {
            true => None,
            false => shared.names.pop_retry_topic(request.group, request.topic),
        };
        let mut got = Collected::default();
        if let Some(topic) = retry.filter(|_| retry_first) {
            self.visit(shared, request, topic, r, &mut got);
        }
        match request.queue {
            Some(id) => {
                let queue = MessageQueue { topic: request.topic, broker: self.id, id };
                self.pop_queue(shared, request, queue, &mut got);
            }
            None => self.visit(shared, request, request.topic, r, &mut got),
        }
        if let Some(topic) = retry.filter(|_| !retry_first && got.room(request) > 0) {
            self.visit(shared, request, topic, r, &mut got);
        }
        got
    }

    fn visit(
        &mut self,
        shared: &mut Shared,
        request: &PopRequest,
        topic: TopicId,
        r: i64,
        got: &mut Collected,
    ) {
        let n = i64::from(shared.names.topics[topic.index()].read_queues);
        for k in 0..n {
            let queue = MessageQueue { topic, broker: self.id, id: ((r + k) % n) as u16 };
            if !self.is_idle(shared, request, queue) {
                self.pop_queue(shared, request, queue, got);
            }
        }
    }

    /// Where the POP of a queue starts: a pending reset, the recorded offset, or a first one.
    fn pop_offset(
        &mut self,
        shared: &mut Shared,
        request: &PopRequest,
        queue: MessageQueue,
    ) -> i64 {
        let key = (request.group, queue);
        if let Some(offset) = self.take_reset(shared, request.group, queue) {
            self.pop.order.clear(key);
            self.pop.flights.clear(key);
            self.mark_dirty_order(shared);
            self.commit_offset(shared, request.group, queue, offset);
            return offset;
        }
        if let Some(offset) = self.offsets.get(&key) {
            return *offset;
        }
        let range = self.store.range(queue);
        let hot = self.is_head_hot(&shared.model, queue);
        let retry = queue.topic != request.topic;
        let offset = init_offset(&shared.model, request.init, retry, range, hot);
        let group = request.group;
        shared.fact(Fact::Pop(PopFact::PopOffsetChosen { group, queue, offset: offset as u32 }));
        self.commit_offset(shared, group, queue, offset);
        offset
    }

    fn pop_queue(
        &mut self,
        shared: &mut Shared,
        request: &PopRequest,
        queue: MessageQueue,
        got: &mut Collected,
    ) {
        let start = self.pop_offset(shared, request, queue);
        if request.ordered && shared.model.blocking == Blocking::MessageGroup {
            return self.pop_queue_by_group(shared, request, queue, start, got);
        }
        let key = (request.group, queue);
        let now_ms = shared.now_ms;
        let rules = OrderRules::of(shared.model.version);
        if request.ordered {
            let (attempt, invisible_ms) = (request.attempt, request.invisible_ms);
            if let Some(block) =
                self.pop.order.check_block(rules, key, attempt, invisible_ms, now_ms)
            {
                if shared.model.pop_rest_of_blocked == 1 {
                    got.rest += self.store.range(queue).1 - start;
                }
                let (group, offset) = (request.group, block.offset as u32);
                let until_ms = block.until_ms;
                return shared.fact(Fact::Pop(PopFact::PopBlocked {
                    group,
                    queue,
                    offset,
                    until_ms,
                }));
            }
        }
        let room = got.room(request);
        if room == 0 {
            got.rest += self.store.range(queue).1 - start;
            return;
        }
        let mut read = self.read(shared, queue, start, room, &request.tags);
        if matches!(read.store, GetStatus::OffsetTooSmall | GetStatus::OffsetOverflowBadly) {
            let corrected = read.next_offset;
            self.commit_offset(shared, request.group, queue, corrected);
            read = self.read(shared, queue, corrected, room, &request.tags);
        }
        got.rest += self.store.range(queue).1 - read.next_offset;
        if read.messages.is_empty() {
            if matches!(
                read.store,
                GetStatus::NoMatchedMessage
                    | GetStatus::MessageWasRemoving
                    | GetStatus::NoMatchedLogicQueue
            ) {
                self.commit_offset(shared, request.group, queue, read.next_offset);
            }
            return self.note_idle(key);
        }
        let offsets: Vec<i64> = read.messages.iter().map(|m| m.offset).collect();
        if request.ordered {
            let invisible_ms = Some(request.invisible_ms);
            let taken = Taken { attempt: request.attempt, pop_ms: now_ms, invisible_ms, offsets };
            let counts = self.pop.order.update(rules, key, &taken, now_ms);
            self.rearm_lock_free(shared, key);
            self.commit_offset(shared, request.group, queue, start);
            for message in &read.messages {
                let count = match rules {
                    OrderRules::WholeBatch => counts.queue,
                    _ => counts.by_offset.get(&message.offset).copied().unwrap_or(0),
                };
                self.deliver(shared, request, (queue, start), message, (count, counts.queue), got);
            }
        } else {
            self.add_checkpoint(shared, request, queue, start, offsets);
            self.commit_offset(shared, request.group, queue, read.next_offset);
            for message in &read.messages {
                let count = message.reconsume_times;
                self.deliver(shared, request, (queue, start), message, (count, count), got);
            }
        }
    }

    fn deliver(
        &self,
        shared: &mut Shared,
        request: &PopRequest,
        (queue, start_offset): (MessageQueue, i64),
        message: &Cached,
        (reconsume_times, queue_count): (u32, u32),
        got: &mut Collected,
    ) {
        let handle = Handle {
            queue,
            offset: message.offset,
            pop_ms: shared.now_ms,
            invisible_ms: request.invisible_ms,
            start_offset,
            msg: message.msg,
            ordered: request.ordered,
            ahead_ms: self.clock_ahead_ms,
        };
        shared.fact(Fact::Pop(PopFact::Popped {
            group: request.group,
            queue,
            offset: message.offset as u32,
            msg: message.msg,
            attempt: (reconsume_times + 1).min(u32::from(u16::MAX)) as u16,
            until_ms: handle.visible_ms(),
        }));
        let (bytes, store_ms) = (message.bytes, message.store_ms);
        got.deliveries.push(Delivery { handle, reconsume_times, queue_count, bytes, store_ms });
    }

    /// The articles' model: see [`super::by_group`].
    fn pop_queue_by_group(
        &mut self,
        shared: &mut Shared,
        request: &PopRequest,
        queue: MessageQueue,
        start: i64,
        got: &mut Collected,
    ) {
        let key = (request.group, queue);
        let (min, max) = self.store.range(queue);
        let from = start.clamp(min, max);
        let top = max.min(from + filter_entries(&shared.model, request.max as usize));
        let mut walk = Walk::default();
        for offset in from..top {
            let Some(record) = self.store.at(queue, offset).copied() else { continue };
            let message = shared.message(record.msg);
            let series = shared.names.message_group(message.series);
            if !(request.tags.is_empty() || request.tags.contains(&message.tag)) {
                self.pop.flights.skip(key, offset, series);
                continue;
            }
            let place = (offset, series);
            if !self.pop.flights.delivers(&mut walk, key, place, request.attempt, shared.now_ms) {
                continue;
            }
            if got.room(request) == 0 {
                got.rest += 1;
                break;
            }
            let flight = Flight {
                series,
                pop_ms: shared.now_ms,
                visible_ms: shared.now_ms + request.invisible_ms,
                attempt: request.attempt,
                count: 0,
                acked: false,
            };
            let count = self.pop.flights.take(key, offset, flight);
            let cached = Cached {
                offset,
                msg: record.msg,
                reconsume_times: count,
                bytes: record.bytes,
                store_ms: record.store_ms,
            };
            self.deliver(shared, request, (queue, start), &cached, (count, count), got);
        }
        if let Some(block) = walk.held {
            let (group, offset, until_ms) = (request.group, block.offset as u32, block.until_ms);
            shared.fact(Fact::Pop(PopFact::PopBlocked { group, queue, offset, until_ms }));
        }
        let next = self.pop.flights.advance(key, from);
        self.commit_offset(shared, request.group, queue, next);
        self.rearm_lock_free(shared, key);
    }
}
