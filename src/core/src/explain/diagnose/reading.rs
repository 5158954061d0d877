//! What goes wrong between the queues and the group: subscriptions, queues that nobody reads, places
//! to begin.

use std::collections::BTreeMap;

use super::super::faults::{self, Fault};
use super::super::violation::{at_creation, instead, without};
use super::super::{message, owner, Change, Ledger, PassedBy, Reason, Run};
use super::{Patient, Problem, Symptom};
use crate::command::{Command, FromWhere, GroupSetting, ResetTarget, Subscription};
use crate::fact::{BrokerStop, Fact};
use crate::guarantee::{Breach, Guarantee, Missing};
use crate::ids::{BrokerId, GroupId, MsgId, TopicId};
use crate::session::Session;
use crate::shared::TopicUse;

impl Patient<'_> {
    pub(super) fn reading(&mut self) {
        let mut unread: BTreeMap<TopicId, (u32, u32)> = BTreeMap::new();
        let mut behind: BTreeMap<GroupId, (u32, u32)> = BTreeMap::new();
        let mut filtered: BTreeMap<GroupId, u32> = BTreeMap::new();
        let mut after_loss: BTreeMap<(GroupId, BrokerId), (u32, u32)> = BTreeMap::new();
        for (msg, group) in message::waiting(&self.run).collect::<Vec<_>>() {
            let Some(group) = group else { continue };
            let stored = || self.first_store(msg).map_or(0, |(fact, _)| fact);
            match message::reason(&self.run, msg, Some(group)) {
                Reason::NotReadable { queue, .. } => {
                    let entry = unread.entry(queue.topic).or_insert((0, stored()));
                    entry.0 += 1;
                }
                Reason::Passed { by: PassedBy::Start } => {
                    let entry = behind.entry(group).or_insert((0, stored()));
                    entry.0 += 1;
                }
                Reason::Passed { by: PassedBy::PowerLoss } => {
                    let Some((fact, queue)) = self.first_store(msg) else { continue };
                    let entry = after_loss.entry((group, queue.broker)).or_insert((0, fact));
                    entry.0 += 1;
                }
                Reason::Passed { by: PassedBy::Filter } | Reason::OfOtherReader { .. } => {
                    filtered.entry(group).or_insert_with(stored);
                }
                _ => {}
            }
        }
        for (topic, (messages, first)) in unread {
            self.unread(topic, messages, first);
        }
        for (group, (messages, first)) in behind {
            let problem = Problem::BeginsBehind { group, messages };
            let repair = self.begins_earlier(group).into_iter().collect();
            self.find(Symptom::NotDelivered, problem, vec![first], None, repair);
        }
        for (group, first) in filtered {
            self.subscriptions(group, first);
        }
        for ((group, broker), (messages, first)) in after_loss {
            self.after_loss(group, broker, (messages, first));
        }
        self.lost();
    }

    /// Messages that came to the places of lost ones, before the offset of a group.
    fn after_loss(&mut self, group: GroupId, broker: BrokerId, (messages, first): (u32, u32)) {
        let cut = self.run.facts[..first as usize].iter().rposition(|r| {
            matches!(r.fact, Fact::BrokerStopped { broker: of, how: BrokerStop::PowerLoss } if of == broker)
        });
        let problem = Problem::PassedAfterLoss { broker, group, messages };
        let evidence = cut.map(|fact| fact as u32).into_iter().chain([first]).collect();
        let repair = self.with_power(broker).into_iter().collect();
        self.find(Symptom::NotDelivered, problem, evidence, Some(Missing::SyncFlush), repair);
    }

    /// The machine of a broker does not lose power, and need not be started again.
    pub(super) fn with_power(&self, broker: BrokerId) -> Option<Change> {
        let lost = |fault: &Fault| match fault.begin(&self.run) {
            Some(Command::StopBroker { broker: of, how: BrokerStop::PowerLoss }) => {
                faults::is_of_broker(&self.run, of, broker)
            }
            _ => false,
        };
        let all = faults::faults(&self.run).into_iter().filter(lost);
        let commands: Vec<u32> = all.flat_map(|fault| fault.commands).collect();
        (!commands.is_empty()).then_some(Change::Without(commands))
    }

    /// Where a new group begins: at the first message, or what takes it back there, if it does. The
    /// starting rule is the classic client's; the proxy always asks for the maximum offset, and then
    /// only a reset leads back.
    fn begins_earlier(&self, group: GroupId) -> Option<Change> {
        let change = match owner::is_grpc(self.run.world, group) {
            true => self.to_the_beginning(group),
            false => at_creation(&self.run, group, GroupSetting::FromWhere(FromWhere::First))?,
        };
        let after = self.with(&change);
        let ledger = Ledger::of(after.facts());
        let run = Run::of(&after, &ledger);
        let behind = |(msg, of): (MsgId, Option<GroupId>)| {
            let start = Reason::Passed { by: PassedBy::Start };
            of == Some(group) && message::reason(&run, msg, of) == start
        };
        let still = message::waiting(&run).any(behind);
        (!still).then_some(change)
    }

    /// The group is reset to the beginning of its topics.
    fn to_the_beginning(&self, group: GroupId) -> Change {
        let shared = &self.run.world.shared;
        let of = shared.group(group);
        let topics = of.subscriptions.iter().map(|s| &shared.names.topics[s.topic.index()]);
        let resets =
            topics.filter(|t| t.usage == TopicUse::User).map(|topic| Command::ResetOffset {
                group: of.name.clone(),
                topic: topic.name.clone(),
                broker: None,
                queue: None,
                target: ResetTarget::Time(0),
                force: true,
            });
        Change::Now(resets.collect())
    }

    fn unread(&mut self, topic: TopicId, messages: u32, first: u32) {
        let known = &self.run.world.shared.names.topics[topic.index()];
        let (of, removed) = (known.name.clone(), known.write_queues <= known.read_queues);
        let widen = |c: &mut Command| match c {
            Command::UpdateTopic { name, read_queues, write_queues }
            | Command::CreateTopic { name, read_queues, write_queues, .. }
                if *name == of && *read_queues < *write_queues =>
            {
                *read_queues = *write_queues;
                true
            }
            // Both were cut at once: the readers stay until the queues are empty.
            Command::UpdateTopic { name, read_queues, .. } if *name == of => {
                *read_queues = self.widest(&of);
                true
            }
            _ => false,
        };
        let repair = instead(&self.run, widen).into_iter().collect();
        let problem = Problem::WriteAboveRead { topic, messages, removed };
        self.find(Symptom::NotDelivered, problem, vec![first], None, repair);
    }

    /// The largest number of write queues that a topic ever had.
    fn widest(&self, of: &str) -> u16 {
        let all = self.run.journal.iter().filter_map(|(_, c)| match c {
            Command::UpdateTopic { name, write_queues, .. }
            | Command::CreateTopic { name, write_queues, .. }
                if name == of =>
            {
                Some(*write_queues)
            }
            _ => None,
        });
        all.max().unwrap_or(1)
    }

    /// Members with different subscriptions, and messages that went missing by it.
    fn subscriptions(&mut self, group: GroupId, first: u32) {
        let world = self.run.world;
        let members = world.clients.iter().filter(|p| p.group() == group);
        let all: Vec<_> = members.map(|p| world.shared.subscriptions_of(p.id(), group)).collect();
        if all.windows(2).all(|pair| pair[0] == pair[1]) {
            return;
        }
        let facts = self.run.facts.iter().enumerate();
        let replaced = facts.filter(
            |(_, r)| matches!(r.fact, Fact::SubscriptionReplaced { group: of, .. } if of == group),
        );
        let mut evidence: Vec<u32> = replaced.map(|(i, _)| i as u32).take(3).collect();
        evidence.push(first);
        let needs = Some(Missing::SameSubscriptions(group));
        let problem = Problem::Subscriptions { group, pop: owner::is_grpc(world, group) };
        let repair = self.one_subscription(group).into_iter().collect();
        self.find(Symptom::NotDelivered, problem, evidence, needs, repair);
    }

    /// Every member of a group subscribes to what any of them subscribes to.
    fn one_subscription(&self, group: GroupId) -> Option<Change> {
        let world = self.run.world;
        let (names, name) = (&world.shared.names, &world.shared.group(group).name);
        let is_member = |consumer: &str| {
            let client = names.client(consumer).and_then(|c| world.clients.get(c.index()));
            client.is_some_and(|process| process.group() == group)
        };
        let subscribed = self.run.journal.iter().filter_map(|(_, c)| match c {
            Command::CreateGroup { name: of, subscriptions, .. } if of == name => {
                Some(subscriptions)
            }
            Command::Subscribe { consumer, subscriptions } if is_member(consumer) => {
                Some(subscriptions)
            }
            _ => None,
        });
        let mut all: Vec<Subscription> = Vec::new();
        for one in subscribed.flatten() {
            match all.iter_mut().find(|known| known.topic == one.topic) {
                // No tags at all are all tags.
                Some(known) if known.tags.is_empty() || one.tags.is_empty() => known.tags.clear(),
                Some(known) => {
                    let new = one.tags.iter().filter(|tag| !known.tags.contains(tag));
                    let new: Vec<String> = new.cloned().collect();
                    known.tags.extend(new);
                }
                None => all.push(one.clone()),
            }
        }
        instead(&self.run, |command| match command {
            Command::CreateGroup { name: of, subscriptions, .. } if of == name => {
                std::mem::replace(subscriptions, all.clone()) != all
            }
            Command::Subscribe { consumer, subscriptions } if is_member(consumer) => {
                std::mem::replace(subscriptions, all.clone()) != all
            }
            _ => false,
        })
    }

    fn lost(&mut self) {
        for group in (0..self.run.world.shared.names.groups.len() as u16).map(GroupId) {
            let breaches = self.session.watch().breaches(Guarantee::NothingLost, Some(group));
            let breaches: Vec<Breach> = breaches.copied().collect();
            let Some(first) = breaches.first() else { continue };
            let list = self.run.ledger.message(first.msg, self.run.facts.len());
            let gone = list.iter().rev().find(|i| {
                matches!(
                    self.run.facts[**i as usize].fact,
                    Fact::MessageLost { .. }
                        | Fact::MessageDeleted { .. }
                        | Fact::WheelGaveUp { .. }
                        | Fact::SentNowhere { .. }
                )
            });
            let lost = gone.map(|i| self.run.facts[*i as usize].fact);
            let needs = match lost {
                Some(Fact::MessageLost { .. }) => Missing::SyncFlush,
                Some(Fact::SentNowhere { .. }) => Missing::RetryQueues(group),
                Some(Fact::WheelGaveUp { .. }) => Missing::Room,
                _ => Missing::Retention,
            };
            let repair = match lost {
                Some(Fact::MessageLost { queue, .. }) => self.with_power(queue.broker),
                Some(Fact::SentNowhere { .. }) => {
                    at_creation(&self.run, group, GroupSetting::RetryQueueNums(1))
                }
                Some(Fact::MessageDeleted { queue, .. }) => {
                    Some(self.longer_retention(queue.broker))
                }
                Some(Fact::WheelGaveUp { queue, .. }) => self.room_for_all(group, queue.broker),
                _ => None,
            };
            let problem = Problem::Lost { group, messages: breaches.len() as u32 };
            let evidence: Vec<u32> = gone.copied().into_iter().collect();
            let repair = repair.into_iter().collect();
            self.find(Symptom::NotDelivered, problem, evidence, Some(needs), repair);
        }
    }

    /// The disk of a broker is not too full when the wheel puts back what a group waits for.
    fn room_for_all(&self, group: GroupId, broker: BrokerId) -> Option<Change> {
        let disks = faults::disks(&self.run, broker);
        let lost = |after: &Session| {
            after.watch().breaches(Guarantee::NothingLost, Some(group)).next().is_some()
        };
        self.left_out(&disks, |after| !lost(after))
    }

    /// Segments stay, and the disk is not said to be full.
    fn longer_retention(&self, broker: BrokerId) -> Change {
        let disks = |c: &Command| matches!(c, Command::SetDisk { broker: of, .. } if of.is_none() || faults::is_of_broker(&self.run, of, broker));
        without(&self.run, disks).unwrap_or_else(|| {
            let (name, value) = ("fileReservedTime".to_owned(), 10_000);
            Change::From { at_ms: 0, commands: vec![Command::SetConstant { name, value }] }
        })
    }

    /// Messages of the run.
    pub(super) fn messages(&self) -> impl Iterator<Item = MsgId> {
        (0..self.run.world.shared.messages.len() as u32).map(MsgId)
    }
}
