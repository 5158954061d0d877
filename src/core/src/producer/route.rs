//! A producer's own view of the routes, and its choice of queues. Views differ between producers
//! until each has polled the name server.

use std::rc::Rc;

use super::Producer;
use crate::command::Selector;
use crate::fact::{Fact, SendFailure};
use crate::ids::{BrokerId, MessageQueue, Ms, MsgId, Party, TopicId};
use crate::name_server::Route;
use crate::rng::Stream;
use crate::routing::{abs_hash, consistent_hash, modulo, select_by_hash};
use crate::shared::{MessageGroup, Shared};

/// What a producer knows of a topic (`TopicPublishInfo`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PublishInfo {
    /// The topic.
    pub topic: TopicId,
    /// The route as it was read.
    pub route: Rc<Route>,
    /// Queues to send to, in order.
    pub queues: Rc<[MessageQueue]>,
    /// Round-robin index of each thread.
    index: Vec<u32>,
}

impl PublishInfo {
    fn read(shared: &mut Shared, topic: TopicId, route: Route, threads: usize) -> Self {
        let queues = route.write_list(topic).into();
        let mut start = || shared.streams.between(Stream::RoundRobinStart, 0, 0x7fff_ffff) as u32;
        let index = (0..threads).map(|_| start()).collect();
        Self { topic, route: Rc::new(route), queues, index }
    }

    /// The next queue in turn; one of another broker than `avoid` if there is one. Each rejected
    /// candidate uses up a step. Source: `TopicPublishInfo.selectOneMessageQueue`.
    pub(super) fn next(&mut self, thread: usize, avoid: Option<BrokerId>) -> Option<MessageQueue> {
        let count = self.queues.len();
        if count == 0 {
            return None;
        }
        let queues = Rc::clone(&self.queues);
        let index = &mut self.index[thread];
        let mut step = || {
            *index = index.wrapping_add(1) & 0x7fff_ffff;
            queues[*index as usize % count]
        };
        if let Some(avoid) = avoid {
            if let Some(other) = (0..count).map(|_| step()).find(|q| q.broker != avoid) {
                return Some(other);
            }
        }
        Some(step())
    }
}

impl Producer {
    /// What the producer knows of a topic.
    pub fn publish_info(&self, topic: TopicId) -> Option<&PublishInfo> {
        self.routes.iter().find(|info| info.topic == topic)
    }

    /// The route as it is now. A proxy leaves the order conf out of what it tells SDKs.
    fn read_route(&self, shared: &Shared, topic: TopicId) -> Route {
        let route = shared.name_server.route(&shared.names, topic);
        match self.is_grpc(shared) {
            true => Route { order: None, ..route },
            false => route,
        }
    }

    pub(super) fn info(&mut self, shared: &mut Shared, topic: TopicId) -> &mut PublishInfo {
        let place = self.routes.iter().position(|info| info.topic == topic);
        let place = place.unwrap_or_else(|| {
            let route = self.read_route(shared, topic);
            self.routes.push(PublishInfo::read(shared, topic, route, self.threads.len()));
            self.routes.len() - 1
        });
        &mut self.routes[place]
    }

    /// Next instant at which the client asks the name server; None when it knows no topic yet or
    /// that poll is scheduled already.
    pub(crate) fn next_route_poll_ms(&self, shared: &Shared) -> Option<Ms> {
        if self.routes.is_empty() {
            return None;
        }
        let model = &shared.model;
        let first_ms = self.created_ms + model.route_poll_initial_delay_ms;
        let at_ms =
            crate::broker::next_tick(first_ms, model.poll_name_server_interval_ms, shared.now_ms);
        (self.route_poll_ms != Some(at_ms)).then_some(at_ms)
    }

    /// A poll that finds something changed: a new list of queues begins its turns anew. A topic
    /// without any broker keeps the list it had.
    pub(super) fn on_route_poll(&mut self, shared: &mut Shared) {
        self.route_poll_ms = None;
        let threads = self.threads.len();
        for place in 0..self.routes.len() {
            let topic = self.routes[place].topic;
            let route = self.read_route(shared, topic);
            if route.brokers.is_empty() || *self.routes[place].route == route {
                continue;
            }
            let info = PublishInfo::read(shared, topic, route, threads);
            let (party, queues) = (Party::Producer(self.id), info.queues.len() as u16);
            shared.fact(Fact::RouteChanged { party, topic, queues });
            self.routes[place] = info;
        }
    }

    /// True when the producer has the address of a broker.
    pub(super) fn knows(&self, queue: MessageQueue) -> bool {
        self.publish_info(queue.topic).is_none_or(|i| i.route.brokers.contains(&queue.broker))
    }

    /// Chooses the queue of a message. Transactions are sent without selector.
    pub(super) fn choose(
        &mut self,
        shared: &mut Shared,
        thread: u8,
        msg: MsgId,
    ) -> Result<MessageQueue, SendFailure> {
        let message = shared.message(msg);
        let (topic, series, transaction) = (message.topic, message.series, message.transaction);
        let selector = self.selector;
        let info = self.info(shared, topic);
        let Some(first) = info.queues.first().copied() else {
            return Err(SendFailure::NoWritableQueue);
        };
        if let Selector::Queue(id) = selector {
            return Ok(MessageQueue { id, ..first });
        }
        let series = &shared.names.series[series.index()];
        if series.key.is_none() || selector == Selector::RoundRobin || transaction {
            return info.next(usize::from(thread), None).ok_or(SendFailure::NoWritableQueue);
        }
        let index = keyed_index(selector, series, info.queues.len()).unwrap_or(0);
        let chosen = usize::try_from(index).ok().and_then(|index| info.queues.get(index));
        chosen.copied().ok_or(SendFailure::SelectorThrew)
    }

    /// The queue of a further attempt: another broker's if there is one.
    pub(super) fn choose_again(&mut self, thread: u8, last: MessageQueue) -> Option<MessageQueue> {
        let info = self.routes.iter_mut().find(|info| info.topic == last.topic)?;
        info.next(usize::from(thread), Some(last.broker))
    }

    /// Whether a selector decides the queue of a message.
    pub(super) fn is_keyed(&self, shared: &Shared, msg: MsgId) -> bool {
        let message = shared.message(msg);
        let has_key = shared.names.series[message.series.index()].key.is_some();
        match self.selector {
            Selector::Queue(_) => true,
            Selector::RoundRobin => false,
            _ => has_key && !message.transaction,
        }
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
