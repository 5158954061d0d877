//! What each command does to the world, and when it is refused.

use std::rc::Rc;

use super::World;
use crate::client::{Client, Status};
use crate::command::{
    Command, FromWhere, GroupSetting, ListenerKind, Load, MessageSpec, Refusal, Subscription,
    TopicType, Unfit, MAX_BODY_BYTES, MAX_TIME_MS,
};
use crate::delay::DelayTable;
use crate::fact::{Fact, StopKind};
use crate::ids::{ClientId, GroupId, Party, ProducerId, TopicId};
use crate::model::{NotSet, Version};
use crate::net::DropRule;
use crate::process::Process;
use crate::producer::Producer;
use crate::shared::{Group, Subscribed, Topic, TopicUse, MAX_SERIES, MAX_TOPICS};

/// Most queues of a topic.
pub const MAX_QUEUES: i64 = 1_024;
/// Most consumer processes of a run.
pub const MAX_CLIENTS: usize = 4_000;
/// Most producers of a run.
pub const MAX_PRODUCERS: usize = 1_000;
/// Most messages of one load.
pub const MAX_LOAD: i64 = 10_000_000;

pub(super) type Applied = Result<(), Refusal>;

pub(super) fn in_range(what: &'static str, value: i64, min: i64, max: i64) -> Applied {
    match (min..=max).contains(&value) {
        true => Ok(()),
        false => Err(Refusal::OutOfRange { what, value, min, max }),
    }
}

/// Sizes and times of messages.
pub(super) fn check_messages(messages: &[MessageSpec]) -> Applied {
    messages.iter().try_for_each(|message| {
        in_range("body", i64::from(message.body_bytes), 0, i64::from(MAX_BODY_BYTES))?;
        in_range("travel", message.travel_ms, 0, MAX_TIME_MS)?;
        in_range("delay", message.timer_delay_ms, 0, MAX_TIME_MS)
    })
}

pub(super) fn unknown(what: &'static str, name: &str) -> Refusal {
    Refusal::Unknown { what, name: name.to_owned() }
}

impl World {
    /// Applies a command of the journal; a refusal is recorded and changes nothing else.
    pub(super) fn apply(&mut self, index: u32, command: &Command) {
        match self.try_apply(command) {
            Ok(()) => self.shared.fact(Fact::CommandApplied { index }),
            Err(refusal) => {
                Rc::make_mut(&mut self.shared.refusals).insert(index, refusal);
                self.shared.fact(Fact::CommandRefused { index });
            }
        }
    }

    fn try_apply(&mut self, command: &Command) -> Applied {
        match command {
            Command::CreateTopic { name, kind, read_queues, write_queues } => {
                self.create_topic(name, *kind, *read_queues, *write_queues)
            }
            Command::UpdateTopic { name, read_queues, write_queues } => {
                self.update_topic(name, *read_queues, *write_queues)
            }
            Command::NameMessageGroup { series, key } => {
                self.room_for_series(1)?;
                Rc::make_mut(&mut self.shared.names).add_series(series, key.as_deref());
                Ok(())
            }
            Command::CreateGroup { name, subscriptions, listener } => {
                self.create_group(name, subscriptions, *listener)
            }
            Command::SetGroup { group, setting } => self.set_group(group, setting),
            Command::StartConsumer { name, group, threads } => {
                self.start_consumer(name, group, *threads)
            }
            Command::StopConsumer { name, how } => self.stop_consumer(name, *how),
            Command::ResumeConsumer { name } => self.resume_consumer(name),
            Command::Handle(rule) => {
                in_range("handling time", rule.handle_ms.unwrap_or(0), 0, MAX_TIME_MS)?;
                Rc::make_mut(&mut self.shared.rules).push(rule.clone());
                Ok(())
            }
            Command::Cut { a, b } => self.set_cut(a, b, true),
            Command::Heal { a, b } => self.set_cut(a, b, false),
            Command::SetLatency { from, to, ms } => {
                in_range("latency", *ms, 0, 3_600_000)?;
                let from = from.as_deref().map(|name| self.party(name)).transpose()?;
                let to = to.as_deref().map(|name| self.party(name)).transpose()?;
                self.shared.net.set_latency_ms(from, to, *ms);
                Ok(())
            }
            Command::SetDelayLevels { table } => self.set_delay_levels(table),
            Command::AddBroker { .. }
            | Command::StopBroker { .. }
            | Command::StartBroker { .. }
            | Command::SetOrderConf { .. }
            | Command::SetDisk { .. } => self.apply_broker(command),
            Command::ResetOffset { .. } => self.reset_offset(command),
            Command::Subscribe { .. } | Command::OwnKey { .. } => self.subscribe(command),
            Command::SetClock { party, ahead_ms } => self.set_clock(party, *ahead_ms),
            Command::DropNext { from, to, kind, count, noticed } => {
                in_range("count", i64::from(*count), 1, 1_000_000)?;
                let from = from.as_deref().map(|name| self.party(name)).transpose()?;
                let to = to.as_deref().map(|name| self.party(name)).transpose()?;
                let (kind, left, noticed) = (*kind, *count, *noticed);
                self.shared.net.drop_next(DropRule { from, to, kind, left, noticed });
                Ok(())
            }
            Command::SetConstant { name, value } => {
                let (value, model) = (*value, Rc::make_mut(&mut self.shared.model));
                model.set_constant(name, value).map_err(|why| match why {
                    NotSet::Unknown => unknown("constant", name),
                    NotSet::OutOfRange { name, least, most } => {
                        Refusal::OutOfRange { what: name, value, min: least, max: most }
                    }
                })?;
                self.constants_changed();
                Ok(())
            }
            Command::Pop(command) => self.apply_pop(command),
            Command::CreateProducer { .. }
            | Command::Send { .. }
            | Command::SendLoad { .. }
            | Command::SendTransaction { .. } => self.apply_producer(command),
        }
    }

    fn apply_producer(&mut self, command: &Command) -> Applied {
        match command {
            Command::CreateProducer { name, topic, selector, mode, threads } => {
                self.free_party_name(name)?;
                if self.producers.len() >= MAX_PRODUCERS {
                    return Err(Refusal::LimitReached { limit: "MAX_PRODUCERS" });
                }
                in_range("threads", i64::from(*threads), 1, 64)?;
                let topic = topic.as_deref().map(|name| self.topic(name)).transpose()?;
                let id = ProducerId(self.producers.len() as u16);
                Rc::make_mut(&mut self.shared.names).producers.push(name.clone());
                let producer = Producer::new(id, topic, *selector, *mode, *threads, &self.shared);
                self.producers.push(Rc::new(producer));
                Ok(())
            }
            Command::Send { producer, topic, thread, messages, every_ms } => {
                let (id, topic) = self.producer_and_topic(producer, topic.as_deref())?;
                in_range("every", *every_ms, 0, MAX_TIME_MS)?;
                check_messages(messages)?;
                self.room_for_series(messages.len())?;
                let threads = self.producers[id.index()].threads.len() as i64;
                in_range("thread", i64::from(*thread), 0, threads - 1)?;
                let sender = Rc::make_mut(&mut self.producers[id.index()]);
                sender.plan(&mut self.shared, topic, *thread, messages, *every_ms);
                Ok(())
            }
            Command::SendTransaction { producer, topic, thread, message, script } => {
                let (id, topic) = self.producer_and_topic(producer, topic.as_deref())?;
                in_range("transaction time", script.after_ms, 0, MAX_TIME_MS)?;
                check_messages(std::slice::from_ref(message))?;
                self.room_for_series(1)?;
                let threads = self.producers[id.index()].threads.len() as i64;
                in_range("thread", i64::from(*thread), 0, threads - 1)?;
                let sender = Rc::make_mut(&mut self.producers[id.index()]);
                // A 5.x broker would put the half message itself on the timer wheel.
                let timers = self.shared.model.version >= Version(5, 0, 0);
                if timers && message.timer_delay_ms > 0 && !sender.is_grpc(&self.shared) {
                    return Err(Refusal::NotInThisVersion);
                }
                sender.send_transaction(&mut self.shared, topic, *thread, message, script);
                Ok(())
            }
            Command::SendLoad { producer, topic, load } => {
                let (id, topic) = self.producer_and_topic(producer, topic.as_deref())?;
                self.start_load(id, topic, load)
            }
            _ => Ok(()),
        }
    }

    fn start_load(&mut self, id: ProducerId, topic: TopicId, load: &Load) -> Applied {
        in_range("count", i64::from(load.count), 1, MAX_LOAD)?;
        in_range("groups", i64::from(load.groups), 0, 10_000)?;
        in_range("per second", i64::from(load.per_second), 1, 1_000_000)?;
        self.room_for_series(load.groups.max(1) as usize)?;
        let names = Rc::make_mut(&mut self.shared.names);
        let first = names.series.len() as u16;
        if load.groups == 0 {
            let name = (0..).map(|n| format!("m{n}-")).find(|n| names.series(n).is_none());
            names.add_series(&name.unwrap_or_default(), None);
        }
        let mut made = 0;
        let mut number = 0;
        while made < load.groups {
            let name = series_name(number);
            number += 1;
            if names.series(&name).is_none() && load.beside.binary_search(&name).is_err() {
                names.add_series(&name, Some(&name));
                made += 1;
            }
        }
        let producer = Rc::make_mut(&mut self.producers[id.index()]);
        producer.start_load(&mut self.shared, topic, load.clone(), first);
        Ok(())
    }

    pub(super) fn topic(&self, name: &str) -> Result<TopicId, Refusal> {
        self.shared.names.topic(name).ok_or_else(|| unknown("topic", name))
    }

    pub(super) fn group(&self, name: &str) -> Result<GroupId, Refusal> {
        self.shared.names.group(name).ok_or_else(|| unknown("group", name))
    }

    pub(super) fn party(&self, name: &str) -> Result<Party, Refusal> {
        self.shared.names.party(name).ok_or_else(|| unknown("party", name))
    }

    pub(super) fn client(&self, name: &str) -> Result<ClientId, Refusal> {
        self.shared.names.client(name).ok_or_else(|| unknown("consumer", name))
    }

    pub(super) fn producer_and_topic(
        &self,
        producer: &str,
        topic: Option<&str>,
    ) -> Result<(ProducerId, TopicId), Refusal> {
        let names = &self.shared.names;
        let id = names.producer(producer).ok_or_else(|| unknown("producer", producer))?;
        let topic = match topic {
            Some(name) => self.topic(name)?,
            None => self.producers[id.index()]
                .topic
                .ok_or_else(|| Refusal::NoTopic { producer: producer.to_owned() })?,
        };
        Ok((id, topic))
    }

    pub(super) fn room_for_series(&self, more: usize) -> Applied {
        match self.shared.names.series.len() + more > MAX_SERIES {
            true => Err(Refusal::LimitReached { limit: "MAX_SERIES" }),
            false => Ok(()),
        }
    }

    /// A producer may not have the name of another party.
    pub(super) fn free_party_name(&self, name: &str) -> Applied {
        match self.shared.names.party(name) {
            Some(_) => Err(Refusal::Exists { name: name.to_owned() }),
            None => Ok(()),
        }
    }

    fn create_topic(&mut self, name: &str, kind: TopicType, read: u16, write: u16) -> Applied {
        in_range("read queues", i64::from(read), 1, MAX_QUEUES)?;
        in_range("write queues", i64::from(write), 1, MAX_QUEUES)?;
        if self.shared.names.topic(name).is_some() {
            return Err(Refusal::Exists { name: name.to_owned() });
        }
        // Releases before 5.0.0 know no types at all.
        let typed = Version(5, 0, 0)..Version(5, 1, 4);
        if kind == TopicType::Mixed && typed.contains(&self.shared.model.version) {
            return Err(Refusal::NotInThisVersion);
        }
        self.add_topic(name, kind, read, write, TopicUse::User).map(|_| ())
    }

    fn add_topic(
        &mut self,
        name: &str,
        kind: TopicType,
        read_queues: u16,
        write_queues: u16,
        usage: TopicUse,
    ) -> Result<TopicId, Refusal> {
        let names = Rc::make_mut(&mut self.shared.names);
        if names.topics.len() >= MAX_TOPICS {
            return Err(Refusal::LimitReached { limit: "MAX_TOPICS" });
        }
        let (name, most_queues) = (name.to_owned(), read_queues.max(write_queues));
        names.topics.push(Topic { name, kind, read_queues, write_queues, most_queues, usage });
        Ok(TopicId((names.topics.len() - 1) as u16))
    }

    fn update_topic(&mut self, name: &str, read: u16, write: u16) -> Applied {
        in_range("read queues", i64::from(read), 1, MAX_QUEUES)?;
        in_range("write queues", i64::from(write), 1, MAX_QUEUES)?;
        let id = self.topic(name)?;
        let topic = &mut Rc::make_mut(&mut self.shared.names).topics[id.index()];
        (topic.read_queues, topic.write_queues) = (read, write);
        topic.most_queues = topic.most_queues.max(read).max(write);
        self.topic_changed();
        Ok(())
    }

    fn create_group(
        &mut self,
        name: &str,
        subscriptions: &[Subscription],
        listener: ListenerKind,
    ) -> Applied {
        if self.shared.names.group(name).is_some() {
            return Err(Refusal::Exists { name: name.to_owned() });
        }
        let mut resolved = self.resolve_subscriptions(subscriptions)?;
        let id = GroupId(self.shared.names.groups.len() as u16);
        let kind = TopicType::Normal;
        let retry = self.add_topic(&format!("%RETRY%{name}"), kind, 1, 1, TopicUse::Retry(id))?;
        let dead = self.add_topic(&format!("%DLQ%{name}"), kind, 1, 1, TopicUse::DeadLetter(id))?;
        resolved.push(Subscribed { topic: retry, tags: Vec::new() });
        Rc::make_mut(&mut self.shared.names).groups.push(Group {
            name: name.to_owned(),
            subscriptions: resolved,
            listener,
            retry_topic: retry,
            dead_letter_topic: dead,
            max_reconsume_times: -1,
            suspend_ms: -1,
            batch_max: 1,
            threads: 0,
            auto_commit: true,
            handle_ms: (0, 0),
            from_where: FromWhere::Last,
            await_termination_ms: -1,
            retry_queue_nums: 1,
            pop: crate::pop::PopAttributes::default(),
        });
        Ok(())
    }

    pub(super) fn resolve_subscriptions(
        &mut self,
        subscriptions: &[Subscription],
    ) -> Result<Vec<Subscribed>, Refusal> {
        let mut resolved = Vec::new();
        for subscription in subscriptions {
            let topic = self.topic(&subscription.topic)?;
            let names = Rc::make_mut(&mut self.shared.names);
            let tags = subscription.tags.iter().map(|tag| names.tag(Some(tag))).collect();
            resolved.push(Subscribed { topic, tags });
        }
        Ok(resolved)
    }

    fn set_group(&mut self, name: &str, setting: &GroupSetting) -> Applied {
        let id = self.group(name)?;
        match setting {
            GroupSetting::BatchMax(n) => in_range("batch", i64::from(*n), 1, 1_024)?,
            GroupSetting::Threads(n) => in_range("threads", i64::from(*n), 1, 1_000)?,
            GroupSetting::MaxReconsumeTimes(n) => {
                in_range("max-reconsume-times", i64::from(*n), -1, i64::from(i32::MAX))?;
            }
            GroupSetting::HandleMs(low, high) => {
                in_range("handling time", *low, 0, MAX_TIME_MS)?;
                in_range("handling time", *high, *low, MAX_TIME_MS)?;
            }
            GroupSetting::SuspendMs(ms) => in_range("suspend", *ms, -1, 3_600_000)?,
            GroupSetting::RetryQueueNums(n) => {
                in_range("retry queues", i64::from(*n), 0, MAX_QUEUES)?;
                return self.set_retry_queues(id, *n);
            }
            GroupSetting::AwaitTerminationMs(ms) => in_range("await", *ms, -1, 3_600_000)?,
            GroupSetting::Pop(setting) => return self.set_pop_attribute(id, setting),
            GroupSetting::Paused(paused) => return self.pause_group(id, *paused),
            GroupSetting::AutoCommit(_) | GroupSetting::FromWhere(_) => {}
        }
        let group = &mut Rc::make_mut(&mut self.shared.names).groups[id.index()];
        match *setting {
            GroupSetting::Pop(_) | GroupSetting::Paused(_) => {}
            GroupSetting::MaxReconsumeTimes(n) => group.max_reconsume_times = n,
            GroupSetting::SuspendMs(ms) => group.suspend_ms = ms,
            GroupSetting::BatchMax(n) => group.batch_max = n,
            GroupSetting::Threads(n) => group.threads = n,
            GroupSetting::AutoCommit(on) => group.auto_commit = on,
            GroupSetting::HandleMs(low, high) => group.handle_ms = (low, high),
            GroupSetting::FromWhere(from) => group.from_where = from,
            GroupSetting::AwaitTerminationMs(ms) => group.await_termination_ms = ms,
            GroupSetting::RetryQueueNums(_) => {}
        }
        Ok(())
    }

    /// `suspend()` and `resume()` of every process of a group that has them. The switch is the
    /// process's own, so one that starts later is not paused; gRPC clients have none.
    /// Source: `DefaultMQPushConsumerImpl.pause`.
    fn pause_group(&mut self, id: GroupId, paused: bool) -> Applied {
        let mut nobody = true;
        for process in self.clients.iter_mut().filter(|p| p.group() == id) {
            let Process::Classic(client) = process else { continue };
            if matches!(client.status, Status::Ended(_)) {
                continue;
            }
            nobody = false;
            let client = Rc::make_mut(client);
            if paused {
                client.suspended = true;
            } else {
                client.end_pause(&mut self.shared);
            }
        }
        let name = || self.shared.group(id).name.clone();
        if nobody {
            Err(Refusal::NobodyToPause { group: name() })
        } else {
            Ok(())
        }
    }

    /// `retryQueueNums`. The retry topic is made with it when the group's first consumer registers, and
    /// keeps its queues. Source: `TopicConfigManager.createTopicInSendMessageBackMethod`.
    fn set_retry_queues(&mut self, group: GroupId, queues: u16) -> Applied {
        let exists = self.clients.iter().any(|client| client.group() == group);
        let names = Rc::make_mut(&mut self.shared.names);
        let of_group = &mut names.groups[group.index()];
        of_group.retry_queue_nums = queues;
        if exists {
            return Ok(());
        }
        let retry = of_group.retry_topic;
        let topic = &mut names.topics[retry.index()];
        (topic.read_queues, topic.write_queues) = (queues, queues);
        topic.most_queues = topic.most_queues.max(queues);
        self.topic_changed();
        Ok(())
    }

    fn start_consumer(&mut self, name: &str, group: &str, threads: Option<u16>) -> Applied {
        let group = self.group(group)?;
        if let Some(id) = self.shared.names.client(name) {
            let leaves = match &self.clients[id.index()] {
                Process::Classic(client) => client.leaving,
                Process::Grpc(_) => false,
            };
            if !leaves && !matches!(self.clients[id.index()].status(), Status::Ended(_)) {
                return Err(Refusal::WrongState { name: name.to_owned(), is: Unfit::Running });
            }
        } else {
            self.free_party_name(name)?;
        }
        if self.clients.len() >= MAX_CLIENTS {
            return Err(Refusal::LimitReached { limit: "MAX_CLIENTS" });
        }
        let default = match self.shared.group(group).threads {
            0 => self.shared.model.consume_threads as u16,
            n => n,
        };
        let threads = threads.unwrap_or(default);
        in_range("threads", i64::from(threads), 1, 1_000)?;
        let id = ClientId(self.clients.len() as u16);
        Rc::make_mut(&mut self.shared.names).clients.push(name.to_owned());
        let mut client = Client::new(id, group, threads, &self.shared);
        client.start(&mut self.shared);
        self.clients.push(Process::Classic(Rc::new(client)));
        Ok(())
    }

    fn stop_consumer(&mut self, name: &str, how: StopKind) -> Applied {
        let id = self.client(name)?;
        let client = &mut self.clients[id.index()];
        let possible = match client.status() {
            Status::Running => true,
            Status::Stopping { .. } | Status::Hanging => {
                matches!(how, StopKind::Crash | StopKind::Silent)
            }
            Status::Ended(_) => false,
        };
        if !possible {
            return Err(Refusal::WrongState { name: name.to_owned(), is: Unfit::NotRunning });
        }
        match (client, how) {
            (Process::Classic(client), StopKind::Clean) => {
                Rc::make_mut(client).shut_down(&mut self.shared);
            }
            (Process::Classic(client), StopKind::Hang) => {
                Rc::make_mut(client).hang(&mut self.shared);
            }
            (Process::Classic(client), StopKind::Crash | StopKind::Silent) => {
                Rc::make_mut(client).die(&mut self.shared, how);
            }
            (Process::Grpc(client), StopKind::Clean) => {
                Rc::make_mut(client).shut_down(&mut self.shared);
            }
            (Process::Grpc(client), StopKind::Hang) => {
                Rc::make_mut(client).hang(&mut self.shared);
            }
            (Process::Grpc(client), StopKind::Crash | StopKind::Silent) => {
                Rc::make_mut(client).die(&mut self.shared, how);
            }
        }
        Ok(())
    }

    fn resume_consumer(&mut self, name: &str) -> Applied {
        let id = self.client(name)?;
        if self.clients[id.index()].status() != Status::Hanging {
            return Err(Refusal::WrongState { name: name.to_owned(), is: Unfit::NotStanding });
        }
        match &mut self.clients[id.index()] {
            Process::Classic(client) => Rc::make_mut(client).resume(&mut self.shared),
            Process::Grpc(client) => Rc::make_mut(client).resume(&mut self.shared),
        }
        Ok(())
    }

    fn set_cut(&mut self, a: &str, b: &str, cut: bool) -> Applied {
        let (a, b) = (self.party(a)?, self.party(b)?);
        self.shared.net.set_cut(a, b, cut);
        Ok(())
    }

    fn set_delay_levels(&mut self, table: &str) -> Applied {
        let parsed = DelayTable::parse(table)
            .map_err(|error| Refusal::BadDelayTable { token: error.token })?;
        in_range("delay levels", parsed.delays_ms().len() as i64, 1, 255)?;
        let fresh = self.shared.now_ms == 0;
        for broker in &mut self.brokers {
            let broker = Rc::make_mut(broker);
            broker.configured_table = parsed.clone();
            if fresh {
                broker.delay.table = parsed.clone();
            }
        }
        Ok(())
    }
}

/// A, B, … Z, AA, AB, … for the message groups of a load.
pub fn series_name(mut number: u32) -> String {
    let mut letters = Vec::new();
    loop {
        letters.push(char::from(b'A' + (number % 26) as u8));
        if number < 26 {
            break;
        }
        number = number / 26 - 1;
    }
    letters.iter().rev().collect()
}
