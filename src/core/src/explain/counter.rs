//! What would move what does not move: the smallest changes that could, each with what it does.

use super::{causes, message, owner, Core, Doing, Headline, PassedBy, Reason, Run};
use crate::command::{
    Attempts, Command, GroupSetting, HandlerRule, MessageSpec, Refusal, ResetTarget, SendMode,
    TopicType,
};
use crate::fact::{Outcome, SendFailure, StopKind};
use crate::ids::{ClientId, GroupId, MessageGroupId, MessageQueue, MsgId, Party};
use crate::model::Blocking;
use crate::pop::{GrpcKind, PopCommand, PopSetting, SimpleMode};

/// A change, and what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterfactual {
    /// What is changed.
    pub change: Change,
    /// What that does.
    pub effect: Effect,
}

/// What is changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Commands that are given now.
    Now(Vec<Command>),
    /// Commands that are given at an instant of the run, which begins anew.
    From {
        /// When.
        at_ms: crate::ids::Ms,
        /// Which.
        commands: Vec<Command>,
    },
    /// Other commands in place of some of the journal, by their numbers; the run begins anew.
    Instead(Vec<(u32, Command)>),
    /// Without some commands of the journal; the run begins anew.
    Without(Vec<u32>),
    /// Another model of blocking; the run begins anew.
    Blocking(Blocking),
}

impl Change {
    /// True when it is given at the present; otherwise the run begins anew.
    pub fn is_now(&self) -> bool {
        matches!(self, Self::Now(_))
    }
}

/// What a change does: something happens that would not happen, or happens earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// A group begins to handle a message earlier.
    Handled {
        /// Message.
        msg: MsgId,
        /// Consumer group.
        group: GroupId,
    },
    /// A group is done with a message earlier: acknowledged, or a dead letter.
    Finished {
        /// Message.
        msg: MsgId,
        /// Consumer group.
        group: GroupId,
    },
    /// A message is stored earlier.
    Stored {
        /// Message.
        msg: MsgId,
    },
    /// A command is carried out.
    Applied {
        /// Its number.
        index: u32,
    },
    /// The order of a message group is not broken.
    OrderKept {
        /// Message group.
        series: MessageGroupId,
        /// Consumer group.
        group: GroupId,
    },
}

struct Making<'r, 'a> {
    run: &'r Run<'a>,
    effect: Effect,
    found: Vec<Counterfactual>,
}

/// What might move a thing.
pub(super) fn of(run: &Run<'_>, headline: &Headline, core: Core) -> Vec<Counterfactual> {
    if let Headline::Refused { index } = *headline {
        return refused(run, index);
    }
    let Some((msg, group)) = core else { return Vec::new() };
    let reason = match headline.reason() {
        Some(reason) => reason,
        None => message::reason(run, msg, group),
    };
    let effect = match (group, reason) {
        (
            Some(group),
            Reason::Suspended { .. }
            | Reason::BackOff { .. }
            | Reason::Handled { .. }
            | Reason::Held { .. }
            | Reason::Acting { .. }
            | Reason::SendingBack { .. }
            | Reason::LocalRetry { .. }
            | Reason::Uncommitted { .. }
            | Reason::Invisible { .. }
            | Reason::Revives { .. },
        ) => Effect::Finished { msg, group },
        (Some(group), Reason::Scheduled { retry: true, .. }) => Effect::Finished { msg, group },
        (None, _)
        | (
            _,
            Reason::AtProducer { .. }
            | Reason::Travels { .. }
            | Reason::SendFailed { .. }
            | Reason::HalfOpen { .. }
            | Reason::NeverVisible { .. }
            | Reason::Wheel { .. }
            | Reason::Scheduled { .. },
        ) => Effect::Stored { msg },
        (Some(group), _) => Effect::Handled { msg, group },
    };
    let mut making = Making { run, effect, found: Vec::new() };
    making.reason(msg, group, &reason);
    making.found
}

impl Making<'_, '_> {
    fn add(&mut self, change: Change) {
        let one = Counterfactual { change, effect: self.effect };
        if !self.found.contains(&one) {
            self.found.push(one);
        }
    }

    fn now(&mut self, command: Command) {
        self.add(Change::Now(vec![command]));
    }

    fn name(&self, client: ClientId) -> String {
        self.run.world.shared.names.clients[client.index()].clone()
    }

    fn group_name(&self, group: GroupId) -> String {
        self.run.world.shared.group(group).name.clone()
    }

    #[rustfmt::skip]
    fn reason(&mut self, msg: MsgId, group: Option<GroupId>, reason: &Reason) {
        match (*reason, group) {
            (Reason::SendFailed { failure, .. }, _) => self.send_failed(msg, failure),
            (Reason::AtProducer { before, .. }, _) => {
                self.shorter_way(before.unwrap_or(msg));
                self.sender_faster();
                self.asynchronous(msg);
            }
            (Reason::Travels { .. }, _) => {
                self.shorter_way(msg);
                self.sender_faster();
            }
            (Reason::Scheduled { .. } | Reason::Wheel { .. }, _) => self.less_delay(msg, group),
            (Reason::NotReadable { queue, .. }, _) => self.readable(queue),
            (Reason::Suspended { .. }, Some(group)) => self.failing(msg, group),
            (Reason::BackOff { .. } | Reason::LocalRetry { .. } | Reason::SendingBack { .. }, Some(group)) => {
                self.succeeds(msg, group);
            }
            (Reason::Behind { head, doing, .. }, Some(group)) => self.behind(msg, head, group, doing),
            (Reason::BehindInvisible { head, holder, .. }, Some(group)) => {
                self.acknowledge(head, holder);
                self.less_invisible(holder);
                self.message_group_only(msg, head);
                self.succeeds_from_start(head, group);
            }
            (Reason::Invisible { holder, .. }, Some(group)) => {
                self.acknowledge(msg, holder);
                self.less_invisible(holder);
                self.succeeds_from_start(msg, group);
            }
            (Reason::Held { client, .. }, _) => self.acknowledge(msg, Some(client)),
            (Reason::Handled { attempt, .. }, Some(group)) => {
                if attempt > 1 {
                    self.failing(msg, group);
                }
                self.shorter(msg, group);
            }
            (Reason::LockHeld { owner, gone, .. }, _) => self.lock_held(owner, gone),
            (Reason::OfAbsentMember { client, .. }, _) => self.clean_end(client),
            (Reason::NoConsumer { last }, Some(group)) => self.consumer(group, last.map(|(c, _)| c)),
            (Reason::Hangs { client }, _) => {
                let name = self.name(client);
                self.now(Command::ResumeConsumer { name });
            }
            (Reason::CutOff { client, from }, _) => {
                let a = self.name(client);
                let b = self.run.world.shared.names.party_name(from).to_owned();
                if let Party::Broker(_) = from {
                    self.heal_broker(client, &a, &b);
                } else {
                    self.now(Command::Heal { a, b });
                }
            }
            (Reason::BrokerDown { broker }, _) => {
                let broker = Some(self.run.world.shared.names.brokers[broker.index()].clone());
                self.now(Command::StartBroker { broker });
            }
            (Reason::ProxyDown { proxy, .. }, _) => {
                let proxy = self.run.world.shared.names.proxies[proxy.index()].clone();
                self.now(Command::Pop(PopCommand::RunProxy { proxy, up: true }));
            }
            (Reason::Paused, Some(group)) => {
                let group = self.group_name(group);
                self.now(Command::SetGroup { group, setting: GroupSetting::Paused(false) });
            }
            (Reason::NotAsked { client }, _) => self.receive(client),
            (Reason::NoThread { client, .. }, Some(group)) => self.threads(client, group),
            (Reason::CacheFull { .. }, _) => {
                let name = "pullThresholdForQueue".to_owned();
                self.now(Command::SetConstant { name, value: 1_000_000 });
            }
            (Reason::Passed { by }, Some(group)) => self.passed(msg, group, by),
            (Reason::OfOtherReader { client }, _) => {
                let name = self.name(client);
                self.now(Command::StopConsumer { name, how: StopKind::Clean });
            }
            (Reason::Uncommitted { .. }, Some(group)) => {
                let group = self.group_name(group);
                let setting = GroupSetting::AutoCommit(true);
                let commands = vec![Command::SetGroup { group: group.clone(), setting }];
                self.at_creation_of(&group, commands);
            }
            _ => {}
        }
    }

    /// The outcome of a message's next calls.
    fn succeeds(&mut self, msg: MsgId, group: GroupId) {
        let rule = self.rule(msg, group, Some(Outcome::Success), None);
        self.now(Command::Handle(rule));
    }

    fn succeeds_from_start(&mut self, msg: MsgId, group: GroupId) {
        let message = self.run.world.shared.message(msg);
        let rule = self.rule(msg, group, Some(Outcome::Success), Some(0));
        let scripted = self.run.world.shared.rules.iter().any(|r| r.label == rule.label);
        if scripted {
            let commands = vec![Command::Handle(rule)];
            self.add(Change::From { at_ms: message.built_ms, commands });
        }
    }

    fn rule(
        &self,
        msg: MsgId,
        group: GroupId,
        outcome: Option<Outcome>,
        handle_ms: Option<crate::ids::Ms>,
    ) -> HandlerRule {
        HandlerRule {
            group: Some(self.group_name(group)),
            client: None,
            label: Some(self.run.world.shared.label(msg)),
            attempts: Attempts::All,
            outcome,
            handle_ms,
        }
    }

    /// A failed orderly message: it succeeds, it is given up, it is skipped.
    fn failing(&mut self, msg: MsgId, group: GroupId) {
        self.succeeds(msg, group);
        let max = self.run.world.shared.group(group).max_reconsume_times;
        if let Some(failures) = self.failures(msg, group).filter(|n| max < 0 || *n < max) {
            let group = self.group_name(group);
            let setting = GroupSetting::MaxReconsumeTimes(failures.max(0));
            self.now(Command::SetGroup { group, setting });
        }
    }

    fn failures(&self, msg: MsgId, group: GroupId) -> Option<i32> {
        match message::reason(self.run, msg, Some(group)) {
            Reason::Suspended { failures, .. } => i32::try_from(failures).ok(),
            Reason::Handled { attempt, .. } => i32::try_from(attempt).ok().map(|n| n - 1),
            _ => None,
        }
    }

    fn behind(&mut self, msg: MsgId, head: MsgId, group: GroupId, doing: Doing) {
        match doing {
            Doing::Suspended { .. } => {
                self.failing(head, group);
                self.skip(head, group);
            }
            Doing::BackOff { .. } => self.succeeds(head, group),
            Doing::Handled { .. } => {
                if self.failures(head, group).is_some_and(|n| n > 0) {
                    self.failing(head, group);
                }
                self.shorter(head, group);
            }
            Doing::SendingBack | Doing::LockMissing | Doing::Acting | Doing::Waits => {}
        }
        self.message_group_only(msg, head);
        if owner::is_grpc(self.run.world, group) {
            let name = self.group_name(group);
            let setting = GroupSetting::Pop(PopSetting::Accelerator(true));
            let on = self.run.world.shared.group(group).pop.accelerator;
            if !on && !self.same_series(msg, head) {
                let commands = vec![Command::SetGroup { group: name.clone(), setting }];
                self.at_creation_of(&name, commands);
            }
        }
    }

    fn same_series(&self, a: MsgId, b: MsgId) -> bool {
        let shared = &self.run.world.shared;
        shared.message(a).series == shared.message(b).series
    }

    /// Commands right after a consumer group was created.
    fn at_creation_of(&mut self, group: &str, commands: Vec<Command>) {
        let created = self.run.journal.iter().find_map(|(at_ms, c)| match c {
            Command::CreateGroup { name, .. } if name == group => Some(*at_ms),
            _ => None,
        });
        if let Some(at_ms) = created {
            self.add(Change::From { at_ms, commands });
        }
    }

    /// Only the message group waits, as in the articles.
    fn message_group_only(&mut self, msg: MsgId, head: MsgId) {
        if self.run.world.shared.model.blocking == Blocking::Queue && !self.same_series(msg, head) {
            self.add(Change::Blocking(Blocking::MessageGroup));
        }
    }

    /// The operator skips a message.
    fn skip(&mut self, head: MsgId, group: GroupId) {
        if let message::Place::Queue(queue, offset) = message::place(self.run, head, Some(group)) {
            let command = self.reset(queue, group, offset + 1);
            self.now(command);
        }
    }

    fn reset(&self, queue: MessageQueue, group: GroupId, offset: i64) -> Command {
        let names = &self.run.world.shared.names;
        Command::ResetOffset {
            group: self.group_name(group),
            topic: names.topics[queue.topic.index()].name.clone(),
            broker: Some(names.brokers[queue.broker.index()].clone()),
            queue: Some(queue.id),
            target: ResetTarget::Offset(offset),
            force: true,
        }
    }

    /// The handler of a message takes no time.
    fn shorter(&mut self, msg: MsgId, group: GroupId) {
        let built_ms = self.run.world.shared.message(msg).built_ms;
        let rule = self.rule(msg, group, None, Some(0));
        self.add(Change::From { at_ms: built_ms, commands: vec![Command::Handle(rule)] });
    }

    /// The application acknowledges what it holds.
    fn acknowledge(&mut self, msg: MsgId, holder: Option<ClientId>) {
        let Some(client) = holder else { return };
        let process = self.run.world.clients.get(client.index());
        let holds = process.and_then(|p| p.grpc()).is_some_and(|c| c.held(msg).is_some());
        let consumer = self.name(client);
        if holds {
            let message = Some(self.run.world.shared.label(msg));
            self.now(Command::Pop(PopCommand::Ack { consumer, message }));
            return;
        }
        self.clean_end(client);
    }

    /// The receive asked for the shortest invisible time.
    fn less_invisible(&mut self, holder: Option<ClientId>) {
        let Some(client) = holder else { return };
        let name = self.name(client);
        let least_ms = self.run.world.shared.model.min_invisible_time_for_recv_ms;
        let asked = causes::last_command(self.run, |c| match c {
            Command::Pop(PopCommand::Receive { consumer, .. }) => *consumer == name,
            Command::Pop(PopCommand::Start {
                name: n,
                kind: GrpcKind::Simple(SimpleMode::Loops { .. }),
                ..
            }) => *n == name,
            _ => false,
        });
        let Some(index) = asked else { return };
        let mut command = self.run.journal[index as usize].1.clone();
        match &mut command {
            Command::Pop(PopCommand::Receive { invisible_ms, .. })
            | Command::Pop(PopCommand::Start {
                kind: GrpcKind::Simple(SimpleMode::Loops { invisible_ms, .. }),
                ..
            }) if *invisible_ms > least_ms => *invisible_ms = least_ms,
            _ => return,
        }
        self.add(Change::Instead(vec![(index, command)]));
    }

    /// The lock's owner had stopped cleanly, or the lease were shorter.
    fn lock_held(&mut self, owner: ClientId, gone: bool) {
        if gone {
            self.clean_end(owner);
        } else {
            let name = self.name(owner);
            self.now(Command::StopConsumer { name, how: StopKind::Clean });
        }
        let name = "rocketmq.broker.rebalance.lockMaxLiveTime".to_owned();
        self.now(Command::SetConstant { name, value: 1_000 });
    }

    /// The process had stopped cleanly instead of the way it ended.
    fn clean_end(&mut self, client: ClientId) {
        let name = self.name(client);
        let stop = |c: &Command| matches!(c, Command::StopConsumer { name: n, how } if *n == name && *how != StopKind::Clean);
        if let Some(index) = causes::last_command(self.run, stop) {
            let command = Command::StopConsumer { name, how: StopKind::Clean };
            self.add(Change::Instead(vec![(index, command)]));
        }
    }

    /// A consumer starts: the last one again, or one of its kind.
    fn consumer(&mut self, group: GroupId, last: Option<ClientId>) {
        let name = last.map(|c| self.name(c));
        let again = name.and_then(|name| {
            let index = causes::last_command(self.run, |c| causes::starts(c, &name))?;
            self.run.journal.get(index as usize).map(|(_, command)| command.clone())
        });
        let group = self.group_name(group);
        let fresh = Command::StartConsumer { name: "c-new".to_owned(), group, threads: None };
        self.now(again.unwrap_or(fresh));
    }

    fn heal_broker(&mut self, client: ClientId, a: &str, b: &str) {
        let proxy = self.run.world.clients.get(client.index()).and_then(|p| p.grpc());
        let proxy = proxy.map(|c| self.run.world.shared.names.proxies[c.proxy.index()].clone());
        let a = proxy.unwrap_or_else(|| a.to_owned());
        self.now(Command::Heal { a, b: b.to_owned() });
    }

    /// The application asks.
    fn receive(&mut self, client: ClientId) {
        let consumer = self.name(client);
        let kind =
            self.run.world.clients.get(client.index()).and_then(|p| p.grpc()).map(|c| c.kind);
        if kind == Some(GrpcKind::Simple(SimpleMode::Scripted)) {
            let (max, invisible_ms, await_ms) = (32, 30_000, 5_000);
            let receive =
                PopCommand::Receive { consumer: consumer.clone(), max, invisible_ms, await_ms };
            let ack = PopCommand::Ack { consumer, message: None };
            self.add(Change::Now(vec![Command::Pop(receive), Command::Pop(ack)]));
        }
    }

    /// More threads from the beginning.
    fn threads(&mut self, client: ClientId, group: GroupId) {
        let name = self.name(client);
        let Some(index) = causes::last_command(self.run, |c| causes::starts(c, &name)) else {
            return;
        };
        let group = self.group_name(group);
        let more = 64;
        let command = match &self.run.journal[index as usize].1 {
            Command::StartConsumer { .. } => {
                Command::StartConsumer { name, group, threads: Some(more) }
            }
            Command::Pop(PopCommand::Start { kind, .. }) => {
                let kind = match *kind {
                    GrpcKind::Simple(SimpleMode::Loops { max, invisible_ms, await_ms, .. }) => {
                        GrpcKind::Simple(SimpleMode::Loops {
                            max,
                            invisible_ms,
                            await_ms,
                            loops: more,
                        })
                    }
                    kind => kind,
                };
                Command::Pop(PopCommand::Start { name, group, kind, threads: Some(more) })
            }
            _ => return,
        };
        self.add(Change::Instead(vec![(index, command)]));
    }

    /// As many read queues as write queues.
    fn readable(&mut self, queue: MessageQueue) {
        let topic = &self.run.world.shared.names.topics[queue.topic.index()];
        let queues = topic.write_queues.max(queue.id + 1);
        let (name, write_queues) = (topic.name.clone(), topic.write_queues);
        self.now(Command::UpdateTopic { name, read_queues: queues, write_queues });
    }

    fn passed(&mut self, msg: MsgId, group: GroupId, by: PassedBy) {
        let message::Place::Queue(queue, offset) = message::place(self.run, msg, Some(group))
        else {
            return;
        };
        if by != PassedBy::Filter {
            let command = self.reset(queue, group, offset);
            self.now(command);
        }
    }

    /// The send had been legal.
    fn send_failed(&mut self, msg: MsgId, failure: SendFailure) {
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

    fn numbers(&self, is_it: impl Fn(&Command) -> bool) -> Vec<u32> {
        let all = self.run.journal.iter().enumerate();
        all.filter(|(_, (_, c))| is_it(c)).map(|(i, _)| i as u32).collect()
    }

    /// The way to the broker were shorter.
    fn sender_faster(&mut self) {
        let faults = self.numbers(is_fault);
        if !faults.is_empty() {
            self.add(Change::Without(faults));
        }
    }

    /// The producer did not wait for answers; the order of the queue is then no longer promised.
    fn asynchronous(&mut self, msg: MsgId) {
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
    fn shorter_way(&mut self, msg: MsgId) {
        if self.run.world.shared.message(msg).travel_ms > 0 {
            self.send_instead(msg, |spec| spec.travel_ms = 0);
        }
    }

    /// A send with another message in place of one.
    fn send_instead(&mut self, msg: MsgId, change: impl Fn(&mut MessageSpec)) {
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
    fn less_delay(&mut self, msg: MsgId, group: Option<GroupId>) {
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
fn refused(run: &Run<'_>, index: u32) -> Vec<Counterfactual> {
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
