//! The admin tool's reset of consumer offsets, server side and legacy.

use std::rc::Rc;

use super::apply::{newer, unknown, Applied};
use super::World;
use crate::broker::offsets::code;
use crate::command::{Command, Refusal, ResetTarget, Unfit};
use crate::event::Packet;
use crate::fact::{Fact, ResetHow};
use crate::ids::{BrokerId, GroupId, MessageQueue, Party, TopicId};
use crate::model::Version;

/// What is reset.
#[derive(Clone, Copy)]
struct Scope {
    group: GroupId,
    topic: TopicId,
    queue: Option<u16>,
    target: ResetTarget,
    force: bool,
}

impl World {
    pub(super) fn reset_offset(&mut self, command: &Command) -> Applied {
        let Command::ResetOffset { group, topic, broker, queue, target, force } = command else {
            return Ok(());
        };
        let names = &self.shared.names;
        let topic = names.topic(topic).ok_or_else(|| Refusal::Broker {
            code: code::TOPIC_NOT_EXIST,
            text: format!("Topic {topic} does not exist"),
        })?;
        let group = names.group(group).ok_or_else(|| Refusal::Broker {
            code: code::SUBSCRIPTION_GROUP_NOT_EXIST,
            text: format!("Group {group} does not exist"),
        })?;
        let scope = Scope { group, topic, queue: *queue, target: *target, force: *force };
        // RocketMQ examines no queue id here (`AdminBrokerProcessor.resetOffsetInner`): the reset of a
        // queue that was cut off waits until the queue can be read again. One that the topic never had
        // is a slip.
        let (max, what) = (i64::from(names.topics[topic.index()].most_queues) - 1, "queue");
        if matches!(target, ResetTarget::Offset(_)) && queue.is_none() {
            return Err(Refusal::OutOfRange { what, value: -1, min: 0, max });
        }
        if let Some(id) = queue.filter(|id| i64::from(*id) > max) {
            return Err(Refusal::OutOfRange { what, value: i64::from(id), min: 0, max });
        }
        let brokers: Vec<BrokerId> = match (broker.as_deref(), queue) {
            (None, None) => self.brokers.iter().filter(|b| b.up).map(|b| b.id).collect(),
            (name, _) => vec![self.broker(name)?],
        };
        let down = brokers.iter().find(|id| !self.brokers[id.index()].up);
        if let Some(down) = down.or(brokers.is_empty().then_some(&BrokerId(0))) {
            let name = self.shared.names.brokers[down.index()].clone();
            return Err(Refusal::WrongState { name, is: Unfit::Down });
        }
        if self.shared.model.use_server_side_reset_offset == 0 {
            return self.reset_legacy(&brokers, scope);
        }
        if self.shared.model.version < Version(5, 1, 0) {
            return Err(newer("resets that the broker carries out", Version(5, 1, 0)));
        }
        self.reset_server_side(&brokers, scope)
    }

    fn reset_server_side(&mut self, brokers: &[BrokerId], scope: Scope) -> Applied {
        let read_queues = self.shared.names.topics[scope.topic.index()].read_queues;
        let mut targets = Vec::new();
        for broker in brokers {
            for id in scope.queue.map_or(0..read_queues, |id| id..id + 1) {
                let queue = MessageQueue { topic: scope.topic, broker: *broker, id };
                let of = &self.brokers[broker.index()];
                targets.push((queue, of.reset_target(&self.shared.model, queue, scope.target)?));
            }
        }
        for (queue, offset) in targets {
            let broker = Rc::make_mut(&mut self.brokers[queue.broker.index()]);
            broker.assign_reset(&mut self.shared, scope.group, queue, offset);
        }
        Ok(())
    }

    fn reset_legacy(&mut self, brokers: &[BrokerId], scope: Scope) -> Applied {
        if let (Some(id), Some(broker)) = (scope.queue, brokers.first()) {
            let queue = MessageQueue { topic: scope.topic, broker: *broker, id };
            return self.reset_one_directly(queue, scope);
        }
        let write_queues = self.shared.names.topics[scope.topic.index()].write_queues;
        for broker in brokers {
            let queues = (0..write_queues).map(|id| MessageQueue {
                topic: scope.topic,
                broker: *broker,
                id,
            });
            let of = &self.brokers[broker.index()];
            let Scope { group, target, force, .. } = scope;
            match of.legacy_reset_table(&self.shared, group, queues, target, force) {
                Ok(table) => self.send_reset(*broker, scope, table),
                Err(Refusal::Broker { code: code::CONSUMER_NOT_ONLINE, .. }) => {
                    self.reset_directly(*broker, scope)?;
                }
                Err(refusal) => return Err(refusal),
            }
        }
        Ok(())
    }

    /// The broker tells every online consumer of the group.
    fn send_reset(&mut self, broker: BrokerId, scope: Scope, table: Vec<(MessageQueue, i64)>) {
        for (queue, offset) in &table {
            let (group, how) = (scope.group, ResetHow::Clients);
            let fact = Fact::OffsetReset { group, queue: *queue, offset: *offset as u32, how };
            self.shared.fact(fact);
        }
        let offsets: Rc<[(MessageQueue, i64)]> = table.into();
        let members = self.brokers[broker.index()].members(scope.group).cloned();
        for member in members.unwrap_or_default().0 {
            let offsets = Rc::clone(&offsets);
            let packet = Packet::ResetOffsets { topic: scope.topic, offsets };
            self.shared.send(Party::Broker(broker), Party::Client(member.client), packet);
        }
    }

    /// Nobody is online: the tool writes the offsets of the read queues itself, without force only
    /// backwards. A queue without offset counts as one at 0, or at its minimum while the group has none
    /// of the topic. Source: `DefaultMQAdminExtImpl.resetOffsetByTimestampOld`,
    /// `AdminBrokerProcessor.getConsumeStats`.
    fn reset_directly(&mut self, broker: BrokerId, scope: Scope) -> Applied {
        let Scope { topic, group, .. } = scope;
        let read_queues = self.shared.names.topics[topic.index()].read_queues;
        let offsets = &self.brokers[broker.index()].offsets;
        let consumed = offsets.keys().any(|(of, queue)| *of == group && queue.topic == topic);
        for id in 0..read_queues {
            let queue = MessageQueue { topic, broker, id };
            let of = &self.brokers[broker.index()];
            let wanted = of.reset_target(&self.shared.model, queue, scope.target)?;
            let unrecorded = if consumed { 0 } else { of.store.range(queue).0 };
            let current = of.offsets.get(&(group, queue)).copied().unwrap_or(unrecorded);
            if scope.force || wanted <= current {
                self.write_offset(scope.group, queue, wanted);
            }
        }
        Ok(())
    }

    /// One queue by the tool's `-b -q`, which 4.x does not have: it is skipped when the offset comes out
    /// as 0. An offset of one's own, `-o`, is younger still. Source: `ResetOffsetByTimeCommand`.
    fn reset_one_directly(&mut self, queue: MessageQueue, scope: Scope) -> Applied {
        let explicit = matches!(scope.target, ResetTarget::Offset(_));
        let since = if explicit { Version(5, 1, 0) } else { Version(5, 0, 0) };
        if self.shared.model.version < since {
            let what =
                if explicit { "resets of one queue to an offset" } else { "resets of one queue" };
            return Err(newer(what, since));
        }
        // What the tool writes itself nobody compares with the queue's offsets.
        let wanted = match scope.target {
            ResetTarget::Offset(offset) => offset,
            by_time => {
                let of = &self.brokers[queue.broker.index()];
                of.reset_target(&self.shared.model, queue, by_time)?
            }
        };
        if wanted == 0 && !explicit {
            return Err(Refusal::SkippedByTool);
        }
        self.write_offset(scope.group, queue, wanted);
        if self.shared.model.version >= Version(5, 1, 0) {
            self.reset_all_by_one(queue.broker, scope);
        }
        Ok(())
    }

    /// Since 5.1.0 the tool asks the broker as well, for the queue and the offset; but a broker that
    /// resets in the legacy way reads neither of them, only the time, which is 0, and "without force":
    /// every queue of the topic goes back to its beginning, if a consumer is online. Source:
    /// `DefaultMQAdminExtImpl.resetOffsetByQueueId`, `AdminBrokerProcessor.resetOffset`.
    fn reset_all_by_one(&mut self, broker: BrokerId, scope: Scope) {
        let topic = scope.topic;
        let write_queues = self.shared.names.topics[topic.index()].write_queues;
        let queues = (0..write_queues).map(|id| MessageQueue { topic, broker, id });
        let of = &self.brokers[broker.index()];
        let begin = ResetTarget::Time(0);
        if let Ok(table) = of.legacy_reset_table(&self.shared, scope.group, queues, begin, false) {
            self.send_reset(broker, scope, table);
        }
    }

    fn write_offset(&mut self, group: GroupId, queue: MessageQueue, offset: i64) {
        let how = ResetHow::Direct;
        self.shared.fact(Fact::OffsetReset { group, queue, offset: offset as u32, how });
        let broker = Rc::make_mut(&mut self.brokers[queue.broker.index()]);
        broker.write_offset(&mut self.shared, group, queue, offset);
    }

    pub(super) fn subscribe(&mut self, command: &Command) -> Applied {
        match command {
            Command::Subscribe { consumer, subscriptions } => {
                let own = self.resolve_subscriptions(subscriptions)?;
                let names = Rc::make_mut(&mut self.shared.names);
                names.own_subscriptions.insert(consumer.clone(), own.into());
                self.tell_subscription_changed(consumer);
                Ok(())
            }
            Command::OwnKey { consumer, key, foreign } => {
                if consumer.is_empty() {
                    return Err(unknown("consumer", consumer));
                }
                let names = Rc::make_mut(&mut self.shared.names);
                let key = names.key(Some(key));
                names.own_keys.insert(consumer.clone(), (key, *foreign));
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
