//! Whether the configuration of a run gives a guarantee, and which setting would.

use std::collections::BTreeMap;

use super::Guarantee;
use crate::command::{Command, ListenerKind, Selector, SendMode};
use crate::fact::{BrokerStop, StopKind};
use crate::ids::{GroupId, MessageGroupId, ProducerId, TopicId};
use crate::model::Blocking;
use crate::pop::{GrpcKind, PopCommand};
use crate::session::Session;
use crate::world::World;

/// Whether a guarantee is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Promise {
    /// It is.
    Given,
    /// It is not, and this would give it.
    NotGiven(Missing),
}

/// The setting, or the way of working, that a guarantee needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Missing {
    /// `MessageListenerOrderly` for the group's classic consumers.
    OrderlyListener(GroupId),
    /// `consumeMessageOrderly` for the consumer group.
    OrderlyGroup(GroupId),
    /// A producer that chooses the queue by the message group.
    KeyedSelector(ProducerId),
    /// A producer that waits for each answer.
    SyncSends(ProducerId),
    /// One producer for a message group.
    OneProducer(MessageGroupId),
    /// One thread for a message group.
    OneThread(MessageGroupId),
    /// One message in a request.
    OneMessageRequests(ProducerId),
    /// The same number of queues throughout.
    FixedQueues(TopicId),
    /// Finer message groups: an order only for what needs one.
    FinerGroup(MessageGroupId),
    /// No delays inside a message group.
    NoDelay(MessageGroupId),
    /// No reset of the group's offsets.
    NoReset(GroupId),
    /// A limit of retries: `maxReconsumeTimes`.
    RetryLimit(GroupId),
    /// A clean stop that waits for its listeners: `awaitTerminationMillisWhenShutdown`.
    AwaitTermination(GroupId),
    /// A flush before the answer: `flushDiskType=SYNC_FLUSH`.
    SyncFlush,
    /// Retention that waits long enough: `fileReservedTime`.
    Retention,
    /// A disk that is not too full for writes: `diskSpaceWarningLevelRatio`.
    Room,
    /// The same subscription for all members.
    SameSubscriptions(GroupId),
    /// At least one retry queue: `retryQueueNums`.
    RetryQueues(GroupId),
    /// A block of the whole queue, not of a message group.
    QueueBlock,
    /// Push consumers without the FIFO accelerator.
    NoAccelerator(GroupId),
}

/// What a run promises by its settings and its commands so far.
pub(super) struct Promises<'a> {
    session: &'a Session,
    /// What is missing for messages to be stored as they are meant.
    storing: Option<Missing>,
    /// What is missing for the messages of a message group to stay in one queue.
    routing: Option<Missing>,
}

impl<'a> Promises<'a> {
    /// Looks at the messages and the commands.
    pub(super) fn of(session: &'a Session) -> Self {
        let routing = routing(session);
        let storing = senders(session).or_else(|| threads(session)).or(routing);
        Self { session, storing, routing }
    }

    /// Whether it gives a guarantee to a consumer group.
    pub(super) fn promise(&self, guarantee: Guarantee, group: Option<GroupId>) -> Promise {
        let world = self.session.world();
        let Some(group) = group else { return of_missing(self.storing) };
        let resets = || resets(self.session, group);
        of_missing(match guarantee {
            Guarantee::OrderStored => self.storing,
            Guarantee::OrderHandled | Guarantee::OrderDelivered | Guarantee::OrderAcknowledged => {
                reading(world, group).or_else(resets).or(self.routing)
            }
            Guarantee::QueueOrder => {
                reading(world, group).or_else(|| side_by_side(world, group)).or_else(resets)
            }
            Guarantee::OneOwner => reading(world, group).or_else(|| stops(self.session, group)),
            Guarantee::NothingLost => losses(self.session, group),
            Guarantee::Progress => blocks(world, group),
            Guarantee::AtLeastOnce | Guarantee::Attempts => None,
        })
    }
}

fn of_missing(missing: Option<Missing>) -> Promise {
    missing.map_or(Promise::Given, Promise::NotGiven)
}

/// Commands that were given by now and not refused.
fn past(session: &Session) -> impl Iterator<Item = &Command> {
    let now_ms = session.world().now_ms();
    let watched = session.watch();
    let given =
        session.journal().iter().enumerate().filter(move |(index, (at_ms, _))| {
            *at_ms <= now_ms && !watched.is_refused(*index as u32)
        });
    given.map(|(_, (_, command))| command)
}

/// Whether a group consumes in order.
fn reading(world: &World, group: GroupId) -> Option<Missing> {
    let of = world.shared.group(group);
    let grpc = world.clients.iter().rfind(|p| p.group() == group).map(|p| p.grpc().is_some());
    match grpc {
        Some(true) if !of.pop.orderly => Some(Missing::OrderlyGroup(group)),
        Some(true) => None,
        _ if of.listener == ListenerKind::Concurrent => Some(Missing::OrderlyListener(group)),
        _ => None,
    }
}

/// Whether message groups of one queue may overtake one another.
fn side_by_side(world: &World, group: GroupId) -> Option<Missing> {
    if world.shared.model.blocking == Blocking::MessageGroup {
        return Some(Missing::QueueBlock);
    }
    let mut members = world.clients.iter().filter(|p| p.group() == group);
    let fast = members
        .any(|p| p.grpc().is_some_and(|grpc| grpc.accelerator && grpc.kind == GrpcKind::Push));
    fast.then_some(Missing::NoAccelerator(group))
}

/// Whether messages of one message group stay in one queue.
fn routing(session: &Session) -> Option<Missing> {
    let world = session.world();
    for command in past(session) {
        match command {
            Command::UpdateTopic { name, .. } => {
                if let Some(topic) = world.shared.names.topic(name) {
                    return Some(Missing::FixedQueues(topic));
                }
            }
            Command::Pop(PopCommand::SendTogether { producer, messages, .. }) => {
                let keeps = world.shared.model.multi_message_keeps_group == 1;
                if let (Some(id), false) = (world.shared.names.producer(producer), keeps) {
                    if messages.len() > 1 {
                        return Some(Missing::OneMessageRequests(id));
                    }
                }
            }
            Command::AddBroker { .. } | Command::StopBroker { .. } => {
                let keyed = world.shared.messages.iter().next().map(|m| m.topic);
                if let (Some(topic), true) = (keyed, world.brokers.len() > 1) {
                    return Some(Missing::FixedQueues(topic));
                }
            }
            _ => {}
        }
    }
    let unkeyed = |m: &&crate::message::Message| {
        let keyed = world.shared.names.series[m.series.index()].key.is_some();
        let selector = world.producers[m.producer.index()].selector;
        keyed && matches!(selector, Selector::RoundRobin)
    };
    let found = world.shared.messages.iter().find(unkeyed);
    found.map(|m| Missing::KeyedSelector(m.producer))
}

/// A way of sending that leaves the order in which messages are stored to chance.
fn senders(session: &Session) -> Option<Missing> {
    let world = session.world();
    // By topic and message group.
    let series = world.shared.names.series.len();
    let mut senders: Vec<Option<ProducerId>> = vec![None; series * world.shared.names.topics.len()];
    for message in world.shared.messages.iter() {
        if world.shared.names.series[message.series.index()].key.is_none() {
            continue;
        }
        let producer = message.producer;
        if world.producers[producer.index()].mode == SendMode::Async {
            return Some(Missing::SyncSends(producer));
        }
        let of = world.shared.names.order_of(message.series);
        let place = message.topic.index() * series + of.index();
        if *senders[place].get_or_insert(producer) != producer {
            return Some(Missing::OneProducer(message.series));
        }
        if message.delay_level > 0 || message.timer_delay_ms > 0 {
            return Some(Missing::NoDelay(message.series));
        }
    }
    None
}

/// A message group that several threads of a producer send to one topic.
fn threads(session: &Session) -> Option<Missing> {
    let names = &session.world().shared.names;
    let sends = || {
        past(session).filter_map(|command| match command {
            Command::Send { producer, topic, thread, messages, .. } => {
                Some(((producer.as_str(), topic.as_deref()), *thread, messages))
            }
            _ => None,
        })
    };
    // Hardly anybody uses a second thread.
    if sends().all(|(_, thread, _)| thread == 0) {
        return None;
    }
    let own_topic = |producer: &str| {
        let of = &session.world().producers[names.producer(producer)?.index()];
        Some(names.topics[of.topic?.index()].name.as_str())
    };
    let mut used: BTreeMap<(&str, Option<&str>, &str), u8> = BTreeMap::new();
    for ((producer, topic), thread, messages) in sends() {
        let topic = topic.or_else(|| own_topic(producer));
        for message in messages {
            let key = (producer, topic, message.label.series.as_str());
            if *used.entry(key).or_insert(thread) != thread {
                return names.series(&message.label.series).map(Missing::OneThread);
            }
        }
    }
    None
}

fn resets(session: &Session, group: GroupId) -> Option<Missing> {
    let name = &session.world().shared.group(group).name;
    let reset = |c: &Command| matches!(c, Command::ResetOffset { group, .. } if group == name);
    past(session).any(reset).then_some(Missing::NoReset(group))
}

fn stops(session: &Session, group: GroupId) -> Option<Missing> {
    let world = session.world();
    let of = world.shared.group(group);
    let waits_ms = match of.await_termination_ms {
        -1 => world.shared.model.await_termination_when_shutdown_ms,
        ms => ms,
    };
    // A gRPC consumer that closes lets its listeners end; it does not know this setting.
    let mine = |name: &str| {
        let client = world.shared.names.client(name).map(|c| &world.clients[c.index()]);
        client.is_some_and(|process| process.group() == group && process.grpc().is_none())
    };
    let stopped = |c: &Command| matches!(c, Command::StopConsumer { name, how: StopKind::Clean } if mine(name));
    (waits_ms <= 0 && past(session).any(stopped)).then_some(Missing::AwaitTermination(group))
}

fn losses(session: &Session, group: GroupId) -> Option<Missing> {
    let world = session.world();
    let power = |c: &Command| matches!(c, Command::StopBroker { how: BrokerStop::PowerLoss, .. });
    if past(session).any(power) {
        return Some(Missing::SyncFlush);
    }
    if past(session).any(|c| matches!(c, Command::SetDisk { .. })) {
        return Some(Missing::Retention);
    }
    let members = world.clients.iter().filter(|p| p.group() == group);
    let subscriptions: Vec<_> =
        members.map(|p| world.shared.subscriptions_of(p.id(), group)).collect();
    if subscriptions.windows(2).any(|pair| pair[0] != pair[1]) {
        return Some(Missing::SameSubscriptions(group));
    }
    let none = world.shared.group(group).retry_queue_nums == 0;
    none.then_some(Missing::RetryQueues(group))
}

fn blocks(world: &World, group: GroupId) -> Option<Missing> {
    let of = world.shared.group(group);
    let grpc = world.clients.iter().any(|p| p.group() == group && p.grpc().is_some());
    let endless = of.listener == ListenerKind::Orderly
        && of.effective_max_reconsume_times(&world.shared.model) == i32::MAX;
    (!grpc && endless).then_some(Missing::RetryLimit(group))
}
