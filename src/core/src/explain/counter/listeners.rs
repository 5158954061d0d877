//! Changes of what listeners do with a message, and of what is skipped for it.

use super::{Change, Making};
use crate::command::{Attempts, Command, GroupSetting, HandlerRule, ResetTarget};
use crate::explain::{causes, message, owner, rollback, Doing, Reason, Run};
use crate::fact::{Fact, Outcome};
use crate::ids::{ClientId, GroupId, MessageQueue, MsgId};
use crate::model::Blocking;
use crate::pop::PopSetting;

impl Making<'_, '_> {
    /// The outcome of a message's next calls.
    pub(super) fn succeeds(&mut self, msg: MsgId, group: GroupId) {
        if self.key_rule_gone(msg, group) {
            return;
        }
        let rule = self.rule(msg, group, Some(Outcome::Success), None);
        self.now(Command::Handle(rule));
    }

    /// What the scenario says about a message's calls were not so: it succeeds, it takes no time.
    pub(super) fn succeeds_from_start(&mut self, msg: MsgId, group: GroupId) {
        let shared = &self.run.world.shared;
        let (at_ms, label) = (shared.message(msg).built_ms, Some(shared.label(msg)));
        let scripts = || shared.rules.iter().filter(|r| r.label == label);
        let fails = |o: Outcome| !matches!(o, Outcome::Success | Outcome::Commit);
        if let Some(change) = other_key(self.run, msg, group) {
            self.add(change);
            return;
        }
        let fails = scripts().any(|r| r.outcome.is_some_and(fails));
        let lasts = scripts().any(|r| r.handle_ms.is_some_and(|ms| ms > 0));
        if fails {
            let rule = self.rule(msg, group, Some(Outcome::Success), None);
            self.add(Change::From { at_ms, commands: vec![Command::Handle(rule)] });
        }
        if lasts {
            self.shorter(msg, group);
        }
    }

    /// What a consumer fails because it handles another key only: it handled all of them, or lets it
    /// pass. True when that is why the message fails; no rule about the message changes it.
    fn key_rule_gone(&mut self, msg: MsgId, group: GroupId) -> bool {
        let run = self.run;
        let Some(change) = other_key(run, msg, group) else { return false };
        if let Change::Without(rules) = &change {
            let last = rules.last().and_then(|index| run.journal.get(*index as usize));
            if let Some((_, Command::OwnKey { consumer, key, .. })) = last {
                let (consumer, key) = (consumer.clone(), key.clone());
                self.now(Command::OwnKey { consumer, key, foreign: Outcome::Success });
            }
        }
        self.add(change);
        true
    }

    pub(super) fn rule(
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
    pub(super) fn failing(&mut self, msg: MsgId, group: GroupId) {
        if let Some(by) = rollback::rolled_back_by(self.run, msg, group) {
            let rule = self.rule(by, group, Some(Outcome::Commit), None);
            self.now(Command::Handle(rule));
            return;
        }
        self.succeeds(msg, group);
        let max = self.run.world.shared.group(group).max_reconsume_times;
        if let Some(failures) = self.failures(msg, group).filter(|n| max < 0 || *n < max) {
            let group = self.group_name(group);
            let setting = GroupSetting::MaxReconsumeTimes(failures.max(0));
            self.now(Command::SetGroup { group, setting });
        }
    }

    pub(super) fn failures(&self, msg: MsgId, group: GroupId) -> Option<i32> {
        match message::reason(self.run, msg, Some(group)) {
            Reason::Suspended { failures, .. } => i32::try_from(failures).ok(),
            Reason::Handled { attempt, .. } => i32::try_from(attempt).ok().map(|n| n - 1),
            _ => None,
        }
    }

    pub(super) fn behind(&mut self, msg: MsgId, head: MsgId, group: GroupId, doing: Doing) {
        self.room_for(head, group);
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
            _ if doing.stands_still() || doing == Doing::Acting => {
                let own = message::reason(self.run, head, Some(group));
                if !matches!(own, Reason::Behind { .. }) {
                    self.reason(head, Some(group), &own);
                }
            }
            _ => {}
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

    pub(super) fn same_series(&self, a: MsgId, b: MsgId) -> bool {
        let names = &self.run.world.shared.names;
        let of = |msg| names.order_of(self.run.world.shared.message(msg).series);
        of(a) == of(b)
    }

    /// Commands right after a consumer group was created.
    pub(super) fn at_creation_of(&mut self, group: &str, commands: Vec<Command>) {
        let created = self.run.journal.iter().find_map(|(at_ms, c)| match c {
            Command::CreateGroup { name, .. } if name == group => Some(*at_ms),
            _ => None,
        });
        if let Some(at_ms) = created {
            self.add(Change::From { at_ms, commands });
        }
    }

    /// Only the message group waits, as in the articles.
    pub(super) fn message_group_only(&mut self, msg: MsgId, head: MsgId) {
        if self.run.world.shared.model.blocking == Blocking::Queue && !self.same_series(msg, head) {
            self.add(Change::Blocking(Blocking::MessageGroup));
        }
    }

    /// The operator skips a message.
    pub(super) fn skip(&mut self, head: MsgId, group: GroupId) {
        if let message::Place::Queue(queue, offset) = message::place(self.run, head, Some(group)) {
            let command = self.reset(queue, group, offset + 1);
            self.now(command);
        }
    }

    pub(super) fn reset(&self, queue: MessageQueue, group: GroupId, offset: i64) -> Command {
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
    pub(super) fn shorter(&mut self, msg: MsgId, group: GroupId) {
        let built_ms = self.run.world.shared.message(msg).built_ms;
        let rule = self.rule(msg, group, None, Some(0));
        self.add(Change::From { at_ms: built_ms, commands: vec![Command::Handle(rule)] });
    }
}

/// The rule left out by which a consumer handles one key only, where a message of another key failed in its
/// last call for it.
pub(in crate::explain) fn other_key(run: &Run<'_>, msg: MsgId, group: GroupId) -> Option<Change> {
    let newest = run.ledger.newest_of(msg, run.facts.len());
    let mut calls = newest.filter_map(|index| match run.facts.get(index as usize)?.fact {
        Fact::HandlingEnded { client, outcome, .. } => Some((client, outcome)),
        _ => None,
    });
    let of = |client: ClientId| run.world.clients.get(client.index()).map(|p| p.group());
    let (client, outcome) = calls.find(|(client, _)| of(*client) == Some(group))?;
    let failed = !matches!(outcome, Outcome::Success | Outcome::Commit);
    if !failed || !causes::is_foreign(run, client, msg) {
        return None;
    }
    let name = &run.world.shared.names.clients[client.index()];
    let is_its = |c: &Command| matches!(c, Command::OwnKey { consumer, .. } if consumer == name);
    let rules = (0..).zip(run.journal).filter(|(_, (_, c))| is_its(c)).map(|(index, _)| index);
    let rules: Vec<u32> = rules.collect();
    (!rules.is_empty()).then_some(Change::Without(rules))
}
