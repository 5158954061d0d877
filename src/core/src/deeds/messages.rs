//! What can be done to messages, their groups and their queues.

use super::{send, Making, Sort};
use crate::client::Status;
use crate::command::{Attempts, Command, HandlerRule, ResetTarget};
use crate::explain::{lies_at, reason, Reason};
use crate::fact::Outcome;
use crate::ids::{ClientId, GroupId, MessageGroupId, MessageQueue, Ms, MsgId};
use crate::pop::PopCommand;
use crate::process::Process;
use crate::shared::TopicUse;

/// What a message takes that is made slow.
const SLOW_MS: Ms = 5_000;
/// How long a message is made invisible.
const INVISIBLE_MS: Ms = 60_000;

impl Making<'_, '_> {
    pub(super) fn message(&mut self, msg: MsgId, group: Option<GroupId>) {
        let shared = &self.run.world.shared;
        self.send_next(shared.message(msg).series);
        let Some(group) = group else { return };
        let reason = reason(self.run, msg, Some(group));
        let never = matches!(
            reason,
            Reason::NotSubscribed
                | Reason::Dead
                | Reason::Lost
                | Reason::DoneLost
                | Reason::Deleted
                | Reason::SentNowhere
                | Reason::SendFailed { .. }
                | Reason::NeverVisible { .. }
        );
        let done =
            matches!(reason, Reason::Done | Reason::DoneBehind { .. } | Reason::Passed { .. });
        if !never && !done {
            self.listener(msg, group);
            self.held(msg);
        }
        self.offset(msg, group, done);
    }

    /// The listener fails with it or succeeds, whatever it would do otherwise, or takes long.
    fn listener(&mut self, msg: MsgId, group: GroupId) {
        let shared = &self.run.world.shared;
        // A rule for all attempts holds at any of them; a rule for the first ones may be over.
        let (outcome, handle_ms) = shared.scripted(group, ClientId(0), msg, u32::MAX);
        let (first, _) = shared.scripted(group, ClientId(0), msg, 1);
        let is_failure = |outcome| !matches!(outcome, Outcome::Success | Outcome::Commit);
        let label = Some(shared.label(msg));
        let rule = |outcome, handle_ms| {
            let (group, client) = (None, None);
            let attempts = Attempts::All;
            let label = label.clone();
            Command::Handle(HandlerRule { group, client, label, attempts, outcome, handle_ms })
        };
        if outcome.is_some_and(is_failure) || first.is_some_and(is_failure) {
            self.add(Sort::Mend, rule(Some(Outcome::Success), None));
        }
        if !outcome.is_some_and(is_failure) {
            self.add(Sort::Fault, rule(Some(Outcome::Later), None));
        }
        if handle_ms != Some(SLOW_MS) {
            self.add(Sort::Fault, rule(None, Some(SLOW_MS)));
        }
    }

    /// Applications that only commands call acknowledge it, or ask for more time.
    fn held(&mut self, msg: MsgId) {
        let shared = &self.run.world.shared;
        for client in self.run.world.clients.iter().filter_map(Process::grpc) {
            if client.status != Status::Running || client.held(msg).is_none() {
                continue;
            }
            let consumer = shared.names.clients[client.id.index()].clone();
            let message = shared.label(msg);
            let more = PopCommand::ChangeInvisible {
                consumer: consumer.clone(),
                message: message.clone(),
                invisible_ms: INVISIBLE_MS,
            };
            let ack = PopCommand::Ack { consumer, message: Some(message) };
            self.add(Sort::Change, Command::Pop(ack));
            self.add(Sort::Change, Command::Pop(more));
        }
    }

    /// The offset of its queue goes past it, or back to it.
    fn offset(&mut self, msg: MsgId, group: GroupId, done: bool) {
        let Some((queue, offset)) = lies_at(self.run, msg, group) else { return };
        let target = ResetTarget::Offset(if done { offset } else { offset + 1 });
        self.reset(queue, group, target);
    }

    fn reset(&mut self, queue: MessageQueue, group: GroupId, target: ResetTarget) {
        let names = &self.run.world.shared.names;
        let topic = &names.topics[queue.topic.index()];
        // The scenario language names queues of people's own topics only.
        if topic.usage != TopicUse::User {
            return;
        }
        let several = names.brokers.len() > 1;
        let command = Command::ResetOffset {
            group: names.groups[group.index()].name.clone(),
            topic: topic.name.clone(),
            broker: several.then(|| names.brokers[queue.broker.index()].clone()),
            queue: Some(queue.id),
            target,
            force: true,
        };
        self.add(Sort::Change, command);
    }

    /// The next message of a message group, by whoever sent its last one.
    pub(super) fn send_next(&mut self, series: MessageGroupId) {
        if let Some(command) = send::next_of(self.run, series) {
            self.add(Sort::Send, command);
        }
    }

    /// More or fewer queues of its topic, and where consumer groups read on, the one that is looked at
    /// first.
    pub(super) fn queue(&mut self, queue: MessageQueue, group: Option<GroupId>) {
        let world = self.run.world;
        let topic = &world.shared.names.topics[queue.topic.index()];
        if let Some(series) = send::last_in(self.run, queue) {
            self.send_next(series);
        }
        if topic.usage == TopicUse::User {
            let counts = [topic.write_queues.saturating_mul(2), topic.write_queues / 2];
            for n in counts.into_iter().filter(|n| *n > 0) {
                let name = topic.name.clone();
                let command = Command::UpdateTopic { name, read_queues: n, write_queues: n };
                self.add(Sort::Change, command);
            }
        }
        let reads = |id: &GroupId| {
            let subscriptions = &world.shared.names.groups[id.index()].subscriptions;
            Some(*id) != group && subscriptions.iter().any(|s| s.topic == queue.topic)
        };
        let others = (0..world.shared.names.groups.len() as u16).map(GroupId).filter(reads);
        for group in group.into_iter().chain(others) {
            self.resets(queue, group);
        }
    }

    /// To the end of a queue and to its beginning, for a consumer group.
    fn resets(&mut self, queue: MessageQueue, group: GroupId) {
        let broker = &self.run.world.brokers[queue.broker.index()];
        let (min, max) = broker.store.range(queue);
        let next = broker.offsets.get(&(group, queue)).copied().unwrap_or(min);
        if next < max {
            self.reset(queue, group, ResetTarget::Latest);
        }
        if next > min {
            self.reset(queue, group, ResetTarget::Offset(min));
        }
    }
}
