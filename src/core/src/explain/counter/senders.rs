//! Changes on the side of the producers, and of commands that were refused.

use super::{Change, Counterfactual, Effect, Making};
use crate::command::{Command, GroupSetting, MessageSpec, Refusal, SendMode, TopicType};
use crate::delay::{DelayTable, DEFAULT_DELAY_LEVELS};
use crate::explain::{causes, Run};
use crate::fact::{BrokerStop, SendFailure};
use crate::ids::{BrokerId, GroupId, MsgId};
use crate::pop::PopCommand;

impl Making<'_, '_> {
    /// The send had been legal.
    pub(super) fn send_failed(&mut self, msg: MsgId, failure: SendFailure) {
        let shared = &self.run.world.shared;
        let topic = &shared.names.topics[shared.message(msg).topic.index()];
        match failure {
            SendFailure::TypeConflict { actual, .. } => {
                let created = causes::last_command(
                    self.run,
                    |c| matches!(c, Command::CreateTopic { name, .. } if *name == topic.name),
                );
                if let Some(index) = created {
                    let (read_queues, write_queues) = match self.run.journal[index as usize].1 {
                        Command::CreateTopic { read_queues, write_queues, .. } => {
                            (read_queues, write_queues)
                        }
                        _ => return,
                    };
                    let name = topic.name.clone();
                    let kind: TopicType = actual;
                    let command = Command::CreateTopic { name, kind, read_queues, write_queues };
                    self.add(Change::Instead(vec![(index, command)]));
                }
            }
            SendFailure::GroupWithDelay => self.less_delay(msg, None),
            SendFailure::DiskFull => {
                let disks: Vec<u32> = self.numbers(|c| matches!(c, Command::SetDisk { .. }));
                self.add(Change::Without(disks));
            }
            SendFailure::ConnectionFailed
            | SendFailure::TimedOut
            | SendFailure::BrokerUnknown
            | SendFailure::NoWritableQueue
            | SendFailure::Grpc(_) => {
                let faults = self.numbers(is_fault);
                if !faults.is_empty() {
                    self.add(Change::Without(faults));
                }
            }
            SendFailure::SelectorThrew
            | SendFailure::IllegalQueueId
            | SendFailure::TimerIllegal => {}
        }
    }

    pub(super) fn numbers(&self, is_it: impl Fn(&Command) -> bool) -> Vec<u32> {
        let all = self.run.journal.iter().enumerate();
        all.filter(|(_, (_, c))| is_it(c)).map(|(i, _)| i as u32).collect()
    }

    /// The way to the broker were shorter.
    pub(super) fn sender_faster(&mut self) {
        let faults = self.numbers(is_fault);
        if !faults.is_empty() {
            self.add(Change::Without(faults));
        }
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

/// Commands that disturb the way between parties.
fn is_fault(command: &Command) -> bool {
    matches!(
        command,
        Command::Cut { .. }
            | Command::DropNext { .. }
            | Command::StopBroker { .. }
            | Command::SetLatency { .. }
            | Command::Pop(
                PopCommand::RunProxy { up: false, .. } | PopCommand::FailRequests { .. }
            )
    )
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
