//! What can be done by hand, as lines of menus.

use lockstep_core::command::{Command, GroupSetting, ResetTarget};
use lockstep_core::fact::{BrokerStop, Outcome, StopKind};
use lockstep_core::pop::PopCommand;

use super::Speaker;
use crate::deed::DeedText;
use crate::{number, span};

impl Speaker<'_> {
    /// What can be done, as a line of a menu.
    pub fn deed(&self, command: &Command) -> String {
        let text = DeedText(self.locale);
        match command {
            Command::Send { messages, .. } => text.send_next(&self.labels(messages)),
            Command::SendTransaction { message, .. } => {
                text.send_transaction(&message.label.to_string())
            }
            Command::StopConsumer { name, how } => match how {
                StopKind::Clean => text.stop(name),
                StopKind::Crash => text.kill(name),
                StopKind::Silent => text.vanish(name),
                StopKind::Hang => text.hang(name),
            },
            Command::ResumeConsumer { name } => text.resume(name),
            Command::StartConsumer { name, group, .. }
            | Command::Pop(PopCommand::Start { name, group, .. }) => {
                match self.world.shared.names.client(name) {
                    Some(_) => text.start(name),
                    None => text.add(name, group),
                }
            }
            Command::Handle(rule) => {
                let label = rule.label.as_ref().map(ToString::to_string);
                match (label, &rule.client, rule.outcome, rule.handle_ms) {
                    (Some(label), _, Some(outcome), _) if is_failure(outcome) => text.fails(&label),
                    (Some(label), _, Some(_), _) => text.succeeds(&label),
                    (Some(label), _, _, Some(ms)) => text.takes(&label, &span(ms)),
                    (_, Some(client), _, Some(ms)) => text.all_take(client, &span(ms)),
                    _ => self.command(command),
                }
            }
            Command::Cut { a, b } => text.cut(a, b),
            Command::Heal { a, b } => text.heal(a, b),
            Command::UpdateTopic { name, write_queues, .. } => text.queues(name, *write_queues),
            _ => self.deed_of_machines(command),
        }
    }

    /// Brokers, proxies, groups, applications that only commands call.
    fn deed_of_machines(&self, command: &Command) -> String {
        let text = DeedText(self.locale);
        let names = &self.world.shared.names;
        let broker =
            |name: &Option<String>| name.clone().unwrap_or_else(|| names.brokers[0].clone());
        match command {
            Command::DropNext { from: Some(from), to: Some(to), kind, .. } => {
                text.lose(self.packet(*kind), from, to)
            }
            Command::StopBroker { broker: name, how } => match how {
                BrokerStop::Clean => text.stop(&broker(name)),
                BrokerStop::Crash => text.kill(&broker(name)),
                BrokerStop::PowerLoss => text.power(&broker(name)),
            },
            Command::StartBroker { broker: name } => text.start(&broker(name)),
            Command::SetDisk { broker: name, used_percent } => match used_percent {
                0..90 => text.disk_free(&broker(name), *used_percent),
                _ => text.disk(&broker(name), *used_percent),
            },
            Command::SetClock { party, ahead_ms: 0 } => text.right(party),
            Command::SetClock { party, ahead_ms } => text.ahead(party, &span(*ahead_ms)),
            Command::SetGroup { group, setting } => match setting {
                GroupSetting::Paused(true) => text.pause(group),
                GroupSetting::Paused(false) => text.resume(group),
                _ => self.command(command),
            },
            Command::ResetOffset { group, topic, broker, queue, target, .. } => {
                let place: Vec<String> = std::iter::once(topic.clone())
                    .chain(broker.clone())
                    .chain(queue.map(|id| format!("q{id}")))
                    .collect();
                match target {
                    ResetTarget::Offset(at) => text.offset(group, &place.join(" "), &number(*at)),
                    _ => text.latest(group, &place.join(" ")),
                }
            }
            Command::Pop(command) => self.deed_of_pop(command),
            _ => self.command(command),
        }
    }

    fn deed_of_pop(&self, command: &PopCommand) -> String {
        let text = DeedText(self.locale);
        match command {
            PopCommand::RunProxy { proxy, up: true } => text.start(proxy),
            PopCommand::RunProxy { proxy, up: false } => text.stop(proxy),
            PopCommand::FailRequests { proxy, request, code: Some(code) } => {
                text.refuse(proxy, self.request(*request), &self.code(Some(*code)))
            }
            PopCommand::FailRequests { proxy, request, code: None } => {
                text.serve(proxy, self.request(*request))
            }
            PopCommand::Receive { consumer, max, .. } => text.receive(consumer, *max),
            PopCommand::Ack { consumer, message: Some(label) } => {
                text.ack(consumer, &label.to_string())
            }
            PopCommand::Ack { consumer, message: None } => text.ack_all(consumer),
            PopCommand::ChangeInvisible { consumer, message, invisible_ms } => {
                text.hide(consumer, &message.to_string(), &span(*invisible_ms))
            }
            _ => self.pop_command(command),
        }
    }
}

fn is_failure(outcome: Outcome) -> bool {
    !matches!(outcome, Outcome::Success | Outcome::Commit)
}
