//! Changes on the side of the producers, and of commands that were refused.

use super::{Change, Counterfactual, Effect, Making};
use crate::command::{
    Command, GroupSetting, Label, ListenerKind, MessageSpec, Refusal, SendMode, TopicType,
};
use crate::delay::{DelayTable, DEFAULT_DELAY_LEVELS};
use crate::explain::faults::{self, Fault};
use crate::explain::{causes, message, owner, Reason, Run};
use crate::fact::{BrokerStop, Fact, RequestKind, SendFailure};
use crate::ids::{BrokerId, ClientId, GroupId, Ms, MsgId};
use crate::model::Version;
use crate::proxy::type_of;
use crate::shared::{Topic, TopicUse};

impl Making<'_, '_> {
    /// The send had been legal, or nothing had been in its way.
    pub(super) fn send_failed(&mut self, msg: MsgId, failure: SendFailure, full: Option<BrokerId>) {
        match failure {
            SendFailure::TypeConflict { .. } => {
                let change = fitting_type(self.run, msg);
                change.into_iter().for_each(|change| self.add(change));
            }
            SendFailure::GroupWithDelay => self.less_delay(msg, None),
            SendFailure::DiskFull
            | SendFailure::ConnectionFailed
            | SendFailure::TimedOut
            | SendFailure::BrokerUnknown
            | SendFailure::NoWritableQueue
            | SendFailure::Grpc(_) => {
                let until_ms = self.failed_ms(msg);
                let disk = |c: &Command| matches!(c, Command::SetDisk { .. });
                let mut faults = faults::on_the_way(self.run, msg, until_ms);
                faults.retain(|f| f.begin(self.run).is_some_and(disk) == full.is_some());
                self.leave_out(faults);
            }
            SendFailure::SelectorThrew
            | SendFailure::IllegalQueueId
            | SendFailure::TimerIllegal => {}
        }
    }

    /// When the send of a message failed.
    fn failed_ms(&self, msg: MsgId) -> Ms {
        let failed = self.run.ledger.newest_of(msg, self.run.facts.len()).find_map(|index| {
            let record = self.run.facts.get(index as usize)?;
            matches!(record.fact, Fact::SendFailed { .. }).then_some(record.at_ms)
        });
        failed.unwrap_or(self.run.now_ms())
    }

    /// Each of some disturbances had not been, the last one first.
    pub(super) fn leave_out(&mut self, faults: Vec<Fault>) {
        for fault in faults.into_iter().rev() {
            self.add(Change::Without(fault.commands));
        }
    }

    pub(super) fn numbers(&self, is_it: impl Fn(&Command) -> bool) -> Vec<u32> {
        let all = self.run.journal.iter().enumerate();
        all.filter(|(_, (_, c))| is_it(c)).map(|(i, _)| i as u32).collect()
    }

    /// The way of a message to the broker were shorter.
    pub(super) fn sender_faster(&mut self, msg: MsgId) {
        let faults = faults::on_the_way(self.run, msg, self.run.now_ms());
        self.leave_out(faults);
    }

    /// Nothing had been in the way of what a consumer asked for.
    pub(super) fn reader_faster(&mut self, client: ClientId) {
        let way = faults::way_of_consumer(self.run, client);
        let now_ms = self.run.now_ms();
        // A request waits for no longer than this, so it was lost since then.
        let model = &self.run.world.shared.model;
        let longest_ms = model
            .consumer_timeout_when_suspend_ms
            .max(model.grpc_max_long_polling_ms.saturating_add(model.grpc_request_timeout_ms));
        let time = (now_ms.saturating_sub(longest_ms), now_ms);
        self.leave_out(faults::between(self.run, &way, RequestKind::Receive, time));
    }

    /// A failed message is not taken: there is room, or it succeeds. What a concurrent listener failed is
    /// out of its hands when it is back at the broker.
    pub(super) fn not_taken(&mut self, msg: MsgId, group: GroupId, broker: BrokerId) {
        let usual = self.effect;
        let concurrent = self.run.world.shared.group(group).listener == ListenerKind::Concurrent;
        if concurrent && !owner::is_grpc(self.run.world, group) {
            self.effect = Effect::SentBack { msg, group };
        }
        self.room(broker);
        self.effect = usual;
        self.succeeds(msg, group);
    }

    /// There is room for a failed message that its broker does not take.
    pub(super) fn room_for(&mut self, msg: MsgId, group: GroupId) {
        if let Reason::NotTaken { broker, .. } = message::reason(self.run, msg, Some(group)) {
            self.room(broker);
        }
    }

    /// The disk of a broker has room, or had not been filled.
    pub(super) fn room(&mut self, broker: BrokerId) {
        let of = Some(self.run.world.shared.names.brokers[broker.index()].clone());
        self.now(Command::SetDisk { broker: of, used_percent: ROOM_PERCENT });
        let now_ms = self.run.now_ms();
        let all = faults::disks(self.run, broker).into_iter();
        let full = all.filter(|fault| fault.overlaps((now_ms, now_ms)));
        self.leave_out(full.collect());
    }

    /// The producer did not wait for answers; the order of the queue is then no longer promised.
    pub(super) fn asynchronous(&mut self, msg: MsgId) {
        let shared = &self.run.world.shared;
        let by = &shared.names.producers[shared.message(msg).producer.index()];
        let made = causes::last_command(
            self.run,
            |c| matches!(c, Command::CreateProducer { name, mode: SendMode::Sync, .. } if name == by),
        );
        let Some(index) = made else { return };
        let mut command = self.run.journal[index as usize].1.clone();
        if let Command::CreateProducer { mode, .. } = &mut command {
            *mode = SendMode::Async;
            self.add(Change::Instead(vec![(index, command)]));
        }
    }

    /// The message's extra time on its way were gone.
    pub(super) fn shorter_way(&mut self, msg: MsgId) {
        if self.run.world.shared.message(msg).travel_ms > 0 {
            self.send_instead(msg, |spec| spec.travel_ms = 0);
        }
    }

    /// A send with another message in place of one.
    pub(super) fn send_instead(&mut self, msg: MsgId, change: impl Fn(&mut MessageSpec)) {
        let shared = &self.run.world.shared;
        let (label, message) = (shared.label(msg), shared.message(msg));
        let by = shared.names.producers[message.producer.index()].clone();
        let sent = causes::last_command(self.run, |c| causes::sends(c, &by, &label));
        let Some(index) = sent else { return };
        let mut command = self.run.journal[index as usize].1.clone();
        if let Command::Send { messages, .. } = &mut command {
            messages.iter_mut().filter(|m| m.label == label).for_each(change);
            self.add(Change::Instead(vec![(index, command)]));
        }
    }

    /// The message were sent without its delay.
    pub(super) fn less_delay(&mut self, msg: MsgId, group: Option<GroupId>) {
        let shared = &self.run.world.shared;
        let message = shared.message(msg);
        if message.delay_level == 0 && message.timer_delay_ms == 0 {
            if let Some(group) = group {
                self.succeeds_from_start(msg, group);
            }
            return;
        }
        self.send_instead(msg, |spec| {
            spec.delay_level = 0;
            spec.timer_delay_ms = 0;
        });
    }
}

impl Making<'_, '_> {
    /// The broker were started with a table that has a level again: the last one that did.
    pub(super) fn level_again(&mut self, broker: BrokerId, level: u8) {
        let has = |table: &str| {
            DelayTable::parse(table).is_ok_and(|t| t.delay_ms(i32::from(level)).is_some())
        };
        let tables = self.run.journal.iter().filter(|(at_ms, _)| *at_ms <= self.run.now_ms());
        let tables: Vec<&str> = tables
            .filter_map(|(_, c)| match c {
                Command::SetDelayLevels { table } => Some(&**table),
                _ => None,
            })
            .collect();
        let table = tables.iter().rev().copied().chain([DEFAULT_DELAY_LEVELS]).find(|t| has(t));
        let Some(table) = table.map(str::to_owned) else { return };
        let broker = Some(self.run.world.shared.names.brokers[broker.index()].clone());
        self.add(Change::Now(vec![
            Command::SetDelayLevels { table },
            Command::StopBroker { broker: broker.clone(), how: BrokerStop::Clean },
            Command::StartBroker { broker },
        ]));
        let shorter =
            self.numbers(|c| matches!(c, Command::SetDelayLevels { table } if !has(table)));
        if !shorter.is_empty() {
            self.add(Change::Without(shorter));
        }
    }
}

/// A disk that is so full takes everything.
const ROOM_PERCENT: u8 = 50;

/// The topic were of a type that fits what is sent to it: of the one type of all its messages, or MIXED,
/// where the release knows it; where it does not, the message went to another topic of its own type.
/// Source: `TopicMessageType`, since 5.1.4 with MIXED.
pub(in crate::explain) fn fitting_type(run: &Run<'_>, msg: MsgId) -> Option<Change> {
    let shared = &run.world.shared;
    let of = shared.message(msg).topic;
    let topic = &shared.names.topics[of.index()];
    let sent = shared.messages.iter().filter(|m| m.topic == of);
    let mut kinds: Vec<TopicType> = Vec::new();
    for kind in sent.map(|m| type_of(shared, m)) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let kind = match kinds[..] {
        [one] => one,
        _ if shared.model.version >= Version(5, 1, 4) => TopicType::Mixed,
        _ => return to_its_type(run, msg),
    };
    let is_it = |c: &Command| matches!(c, Command::CreateTopic { name, .. } if *name == topic.name);
    let index = causes::last_command(run, is_it)?;
    let Command::CreateTopic { read_queues, write_queues, .. } = run.journal[index as usize].1
    else {
        return None;
    };
    let name = topic.name.clone();
    let command = Command::CreateTopic { name, kind, read_queues, write_queues };
    Some(Change::Instead(vec![(index, command)]))
}

/// A message were sent to a topic of its own type, if there is one and all that is sent with it is of that type.
fn to_its_type(run: &Run<'_>, msg: MsgId) -> Option<Change> {
    let shared = &run.world.shared;
    let message = shared.message(msg);
    let kind = type_of(shared, message);
    let fits = |topic: &&Topic| topic.usage == TopicUse::User && topic.kind == kind;
    let fitting = shared.names.topics.iter().find(fits)?.name.clone();
    let (label, by) = (shared.label(msg), &shared.names.producers[message.producer.index()]);
    let index = causes::last_command(run, |c| causes::sends(c, by, &label))?;
    let mut command = run.journal.get(index as usize)?.1.clone();
    let (topic, labels): (_, Vec<&Label>) = match &mut command {
        Command::Send { topic, messages, .. } => {
            (topic, messages.iter().map(|spec| &spec.label).collect())
        }
        Command::SendTransaction { topic, message, .. } => (topic, vec![&message.label]),
        _ => return None,
    };
    let built = (0..shared.messages.len() as u32).map(MsgId);
    let mut with_it = built.filter(|other| labels.contains(&&shared.label(*other)));
    let alike = with_it.all(|other| type_of(shared, shared.message(other)) == kind);
    *topic = Some(fitting).filter(|_| alike);
    topic.is_some().then_some(Change::Instead(vec![(index, command)]))
}

/// A refused command that would be carried out with a legal number.
pub(super) fn refused(run: &Run<'_>, index: u32) -> Vec<Counterfactual> {
    let refusal = run.world.shared.refusals.get(&index);
    let command = run.journal.get(index as usize).map(|(_, c)| c);
    let (Some(Refusal::OutOfRange { value, min, max, .. }), Some(command)) = (refusal, command)
    else {
        return Vec::new();
    };
    let legal = (*value).clamp(*min, *max);
    let fixed = match command {
        Command::SetDisk { broker, .. } => {
            Command::SetDisk { broker: broker.clone(), used_percent: legal as u8 }
        }
        Command::SetGroup { group, setting: GroupSetting::MaxReconsumeTimes(_) } => {
            let setting = GroupSetting::MaxReconsumeTimes(legal as i32);
            Command::SetGroup { group: group.clone(), setting }
        }
        Command::SetGroup { group, setting: GroupSetting::BatchMax(_) } => {
            let setting = GroupSetting::BatchMax(legal as u16);
            Command::SetGroup { group: group.clone(), setting }
        }
        Command::SetLatency { from, to, .. } => {
            Command::SetLatency { from: from.clone(), to: to.clone(), ms: legal }
        }
        _ => return Vec::new(),
    };
    let change = Change::Instead(vec![(index, fixed)]);
    vec![Counterfactual { change, effect: Effect::Applied { index } }]
}
