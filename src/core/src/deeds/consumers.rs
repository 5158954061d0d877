//! What can be done to consumers.

use super::{Making, Sort};
use crate::client::Status;
use crate::command::{Attempts, Command, GroupSetting, HandlerRule, ListenerKind};
use crate::event::PacketKind;
use crate::fact::StopKind;
use crate::ids::{ClientId, GroupId, Ms, Party};
use crate::pop::{GrpcKind, PopCommand, SimpleMode};
use crate::process::Process;

/// What a call takes at a consumer that is made slow.
const SLOW_MS: Ms = 5_000;
/// How long an application by hand asks for a message to stay invisible.
const INVISIBLE_MS: Ms = 30_000;

impl Making<'_, '_> {
    /// A consumer: by its name, so that an older process stands for the latest one.
    pub(super) fn consumer(&mut self, client: ClientId) {
        let world = self.run.world;
        let name = world.shared.names.clients[client.index()].clone();
        let latest = world.shared.names.client(&name).unwrap_or(client);
        let Some(process) = world.clients.get(latest.index()) else { return };
        match process.status() {
            Status::Ended(_) => self.starts_again(&name),
            Status::Hanging => {
                self.add(Sort::Mend, Command::ResumeConsumer { name: name.clone() });
                self.stops(&name, &[StopKind::Crash, StopKind::Silent]);
            }
            Status::Running | Status::Stopping { .. } => {
                let all = [StopKind::Crash, StopKind::Silent, StopKind::Hang, StopKind::Clean];
                self.stops(&name, &all);
                self.by_hand(process, &name);
                self.network(process);
                self.slow(process, &name);
                self.pause(process.group());
            }
        }
        self.another(process, &name);
    }

    fn stops(&mut self, name: &str, kinds: &[StopKind]) {
        for how in kinds.iter().copied() {
            let sort = if how == StopKind::Clean { Sort::Change } else { Sort::Fault };
            self.add(sort, Command::StopConsumer { name: name.to_owned(), how });
        }
    }

    /// As it was started last.
    fn starts_again(&mut self, name: &str) {
        if let Some(command) = self.last_start(name) {
            self.add(Sort::Mend, command);
        }
    }

    /// The last command up to now that started a consumer of this name.
    fn last_start(&self, name: &str) -> Option<Command> {
        let now_ms = self.run.world.now_ms();
        let before = self.run.journal.iter().rev().filter(|(at_ms, _)| *at_ms <= now_ms);
        let mut commands = before.map(|(_, command)| command);
        commands.find(|command| started(command) == Some(name)).cloned()
    }

    /// Another consumer of the same group and kind, under a name that is free.
    fn another(&mut self, process: &Process, name: &str) {
        let Some(mut command) = self.last_start(name) else { return };
        let free = self.free_name();
        match &mut command {
            Command::StartConsumer { name, group, .. }
            | Command::Pop(PopCommand::Start { name, group, .. }) => {
                *name = free;
                group.clone_from(&self.run.world.shared.group(process.group()).name);
            }
            _ => return,
        }
        self.add(Sort::Change, command);
    }

    /// The first of c1, c2 and so on that nothing of the run has or will have.
    fn free_name(&self) -> String {
        let names = &self.run.world.shared.names;
        let is_free = |name: &str| {
            let ahead = self.run.journal.iter().any(|(_, command)| named(command) == Some(name));
            let known = names.party(name).is_some() || names.group(name).is_some();
            !ahead && !known && names.topic(name).is_none() && names.series("c").is_none()
        };
        let mut tried = (1..=u32::from(u16::MAX)).map(|n| format!("c{n}"));
        tried.find(|name| is_free(name)).unwrap_or_else(|| "c-new".to_owned())
    }

    /// What the application of a SimpleConsumer does that only commands call.
    fn by_hand(&mut self, process: &Process, name: &str) {
        let Some(client) = process.grpc() else { return };
        if client.kind != GrpcKind::Simple(SimpleMode::Scripted) {
            return;
        }
        let (consumer, invisible_ms) = (name.to_owned(), INVISIBLE_MS);
        let receive = PopCommand::Receive { consumer, max: 16, invisible_ms, await_ms: 5_000 };
        self.add(Sort::Change, Command::Pop(receive));
        if !client.held.is_empty() {
            let ack = PopCommand::Ack { consumer: name.to_owned(), message: None };
            self.add(Sort::Change, Command::Pop(ack));
        }
    }

    /// Its way to the brokers, or to its proxy.
    fn network(&mut self, process: &Process) {
        let (world, own) = (self.run.world, Party::Client(process.id()));
        match process {
            Process::Grpc(client) => {
                let proxy = Party::Proxy(client.proxy);
                self.cut(own, proxy);
                self.lose(PacketKind::ReceiveAnswer, proxy, own);
                self.lose(PacketKind::AckAnswer, proxy, own);
            }
            Process::Classic(client) => {
                for broker in &world.brokers {
                    self.cut(own, Party::Broker(broker.id));
                }
                if client.listener == ListenerKind::Orderly {
                    for broker in world.brokers.iter().filter(|broker| broker.up) {
                        self.lose(PacketKind::LockAnswer, Party::Broker(broker.id), own);
                    }
                }
                self.clock(self.party_name(own), client.clock_ahead_ms);
            }
        }
    }

    /// Its listener takes long, or as long as it did.
    fn slow(&mut self, process: &Process, name: &str) {
        let shared = &self.run.world.shared;
        let slowed = shared.rules.iter().rev().find(|rule| {
            rule.client.as_deref() == Some(name) && rule.label.is_none() && rule.handle_ms.is_some()
        });
        let usual_ms = shared.group(process.group()).handle_ms.0;
        let is_slow = slowed.is_some_and(|rule| rule.handle_ms != Some(usual_ms));
        let (sort, ms) = if is_slow { (Sort::Mend, usual_ms) } else { (Sort::Fault, SLOW_MS) };
        self.add(
            sort,
            Command::Handle(HandlerRule {
                group: None,
                client: Some(name.to_owned()),
                label: None,
                attempts: Attempts::All,
                outcome: None,
                handle_ms: Some(ms),
            }),
        );
    }

    /// `suspend()` or `resume()` of the classic consumers of a group.
    fn pause(&mut self, group: GroupId) {
        let of_group = self.run.world.clients.iter().filter(|p| p.group() == group);
        let running = of_group.filter_map(Process::classic).filter(|client| client.is_running());
        let states: Vec<bool> = running.map(|client| client.suspended).collect();
        let name = self.run.world.shared.group(group).name.clone();
        for (paused, sort) in [(true, Sort::Change), (false, Sort::Mend)] {
            if states.contains(&!paused) {
                let setting = GroupSetting::Paused(paused);
                self.add(sort, Command::SetGroup { group: name.clone(), setting });
            }
        }
    }
}

/// The consumer that a command starts.
fn started(command: &Command) -> Option<&str> {
    match command {
        Command::StartConsumer { name, .. } | Command::Pop(PopCommand::Start { name, .. }) => {
            Some(name)
        }
        _ => None,
    }
}

/// The party, topic or group that a command makes.
fn named(command: &Command) -> Option<&str> {
    match command {
        Command::CreateTopic { name, .. }
        | Command::CreateGroup { name, .. }
        | Command::CreateProducer { name, .. }
        | Command::AddBroker { name }
        | Command::Pop(PopCommand::AddProxy { name }) => Some(name),
        command => started(command),
    }
}
