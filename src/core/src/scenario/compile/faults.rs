//! Commands from the sentences about brokers, proxies, the network, clocks and resets.

use super::commands::{Commands, Sentence};
use super::queues::Open;
use crate::command::{Command, ResetTarget};
use crate::pop::PopCommand;
use crate::scenario::action::{Action, ResetScope};
use crate::scenario::names::BROKER;
use crate::scenario::problem::{Problem, ProblemKind};
use crate::scenario::slot::NameKind;
use crate::scenario::span::Name;

impl Commands<'_> {
    /// Everything that happens to the machinery.
    pub(super) fn fault(&mut self, s: &mut Sentence<'_>, action: &Action) {
        match action {
            Action::Cut { a, b } => {
                let (a, b) = (self.party(s, a), self.party(s, b));
                self.push(s, 0, Command::Cut { a, b });
            }
            Action::Heal { a, b } => {
                let (a, b) = (self.party(s, a), self.party(s, b));
                self.push(s, 0, Command::Heal { a, b });
            }
            Action::DropNext { from, to, packet, count, noticed } => {
                let from = from.as_ref().map(|name| self.party(s, name));
                let to = to.as_ref().map(|name| self.party(s, name));
                let (kind, count, noticed) = (*packet, *count, *noticed);
                self.push(s, 0, Command::DropNext { from, to, kind, count, noticed });
            }
            Action::Latency { from, to, ms } => {
                let from = from.as_ref().map(|name| self.party(s, name));
                let to = to.as_ref().map(|name| self.party(s, name));
                let names_consumer =
                    [&from, &to].into_iter().flatten().any(|n| self.scope.group_of(n).is_some());
                self.push(
                    s,
                    if names_consumer { 7 } else { 5 },
                    Command::SetLatency { from, to, ms: *ms },
                );
            }
            Action::Clock { party, ahead_ms } => {
                let party = self.party(s, party);
                self.push(s, 0, Command::SetClock { party, ahead_ms: *ahead_ms });
            }
            _ => self.broker(s, action),
        }
    }

    fn broker(&mut self, s: &mut Sentence<'_>, action: &Action) {
        match action {
            Action::DelayLevels { table } => {
                self.push(s, 0, Command::SetDelayLevels { table: table.clone() });
            }
            Action::AddBroker { name } => {
                self.push(s, 0, Command::AddBroker { name: name.value.clone() });
            }
            Action::StopBroker { broker, how } => {
                let broker = self.broker_name(s, broker);
                self.push(s, 0, Command::StopBroker { broker, how: *how });
            }
            Action::StartBroker { broker } => {
                let broker = self.broker_name(s, broker);
                self.push(s, 0, Command::StartBroker { broker });
            }
            Action::Disk { broker, used_percent } => {
                let broker = broker.as_ref().map(|name| self.needs(s, NameKind::Broker, name));
                let used_percent = *used_percent;
                self.push(s, 0, Command::SetDisk { broker, used_percent });
            }
            Action::OrderConf { topic, conf } => {
                let topic = self.needs(s, NameKind::Topic, topic);
                self.push(s, 2, Command::SetOrderConf { topic, conf: conf.clone() });
            }
            Action::Reset { scope, target, force } => self.reset(s, scope, *target, *force),
            _ => self.proxy(s, action),
        }
    }

    fn proxy(&mut self, s: &mut Sentence<'_>, action: &Action) {
        let command = match action {
            Action::AddProxy { name } => PopCommand::AddProxy { name: name.value.clone() },
            Action::RunProxy { proxy, up } => {
                PopCommand::RunProxy { proxy: self.needs(s, NameKind::Proxy, proxy), up: *up }
            }
            Action::UseProxy { party, proxy } => PopCommand::UseProxy {
                party: self.party(s, party),
                proxy: self.needs(s, NameKind::Proxy, proxy),
            },
            Action::FailRequests { proxy, request, code } => PopCommand::FailRequests {
                proxy: self.needs(s, NameKind::Proxy, proxy),
                request: *request,
                code: *code,
            },
            _ => return,
        };
        self.push(s, 0, Command::Pop(command));
    }

    /// A broker as commands name it: None is the first one.
    fn broker_name(&self, s: &mut Sentence<'_>, broker: &Name) -> Option<String> {
        let name = self.needs(s, NameKind::Broker, broker);
        (name != BROKER).then_some(name)
    }

    fn reset(
        &mut self,
        s: &mut Sentence<'_>,
        scope: &ResetScope,
        target: ResetTarget,
        force: bool,
    ) {
        let group = self.needs(s, NameKind::Group, &scope.group);
        let of_queue = scope.queue.as_ref().and_then(|q| q.topic.as_ref());
        let topic = match of_queue.or(scope.topic.as_ref()) {
            Some(topic) => self.needs(s, NameKind::Topic, topic),
            None => match self.scope.only(NameKind::Topic) {
                Ok(topic) => topic.to_owned(),
                Err(count) => {
                    let form = "in TOPIC";
                    let problem = ProblemKind::WhichOne { kind: NameKind::Topic, count, form };
                    return s.problems.push(Problem::new(scope.group.span, problem));
                }
            },
        };
        if let (ResetTarget::Offset(_), None) = (target, &scope.queue) {
            let fix = format!("{} in q0", scope.group.value);
            let problem = Problem::new(scope.group.span, ProblemKind::OffsetOfNoQueue);
            s.problems.push(problem.with_fix(Some(fix)));
        }
        let broker = scope.queue.as_ref().and_then(|q| q.broker.as_ref());
        let broker = broker.or(scope.broker.as_ref());
        let broker = broker.map(|name| self.needs(s, NameKind::Broker, name));
        let queue = scope.queue.as_ref().map(|q| q.id.value);
        let open = scope.queue.as_ref().map_or(Open::Nothing, |q| Open::ResetOf(q.id.span));
        let command = Command::ResetOffset { group, topic, broker, queue, target, force };
        self.push_open(s, 0, command, open);
    }
}
