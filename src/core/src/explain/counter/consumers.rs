//! Changes on the side of the consumers and the broker.

use super::{Change, Making};
use crate::client::Status;
use crate::command::Command;
use crate::explain::faults::{self, Fault};
use crate::explain::{causes, grpc, message, Longer, PassedBy, Refusing};
use crate::fact::{Fact, RequestKind, StopKind};
use crate::ids::{ClientId, GroupId, MessageQueue, Ms, MsgId};
use crate::pop::{GrpcKind, PopCommand, SimpleMode};
use crate::process::Process;

impl Making<'_, '_> {
    /// The proxy of a gRPC consumer serves again what it is told to refuse.
    pub(super) fn serve(&mut self, client: ClientId, request: RequestKind) {
        let world = self.run.world;
        let grpc = world.clients.get(client.index()).and_then(Process::grpc);
        let Some(id) = grpc.map(|grpc| grpc.proxy) else { return };
        if world.proxies.get(id.index()).is_some_and(|proxy| proxy.refuses(request)) {
            let proxy = world.shared.names.proxies[id.index()].clone();
            self.now(Command::Pop(PopCommand::FailRequests { proxy, request, code: None }));
        }
    }

    /// Requests are served: the proxy does so, or the broker had not gone.
    pub(super) fn refused(
        &mut self,
        msg: MsgId,
        group: Option<GroupId>,
        client: ClientId,
        by: Refusing,
    ) {
        let broker = match by {
            Refusing::Proxy(_) => return self.serve(client, RequestKind::Receive),
            Refusing::Unregistered { replaced: true, .. } => return self.unlike_gone(client),
            Refusing::Unregistered { broker, .. } | Refusing::Outdated { broker, .. } => {
                Some(broker)
            }
            Refusing::OldRoute { .. } => {
                group.and_then(|g| message::lies_in(self.run, msg, g)).map(|queue| queue.broker)
            }
        };
        let Some(broker) = broker else { return };
        let run = self.run;
        let stops = |fault: &Fault| match fault.begin(run) {
            Some(Command::StopBroker { broker: of, .. }) => faults::is_of_broker(run, of, broker),
            _ => false,
        };
        self.leave_out(faults::faults(run).into_iter().filter(stops).collect());
    }

    /// The member that subscribes to something else leaves.
    fn unlike_gone(&mut self, client: ClientId) {
        let of = self.run.world.clients.get(client.index()).map(Process::group);
        let unlike = self.run.facts.iter().rev().find_map(|record| match record.fact {
            Fact::SubscriptionReplaced { group, client: by, .. } => {
                (Some(group) == of && by != client).then_some(by)
            }
            _ => None,
        });
        if let Some(unlike) = unlike {
            let name = self.name(unlike);
            self.now(Command::StopConsumer { name, how: StopKind::Clean });
        }
    }

    /// Whoever was delivered a message, or gets it by a repeat of its receive, goes on if it stands still, and
    /// is reached if it is cut off.
    pub(super) fn reached_again(
        &mut self,
        msg: MsgId,
        group: GroupId,
        (holder, longer): (Option<ClientId>, Longer),
    ) {
        let client = match longer {
            Longer::Standing { client } | Longer::Repeatable { client } => Some(client),
            _ => holder,
        };
        let world = self.run.world;
        let process = client.and_then(|client| world.clients.get(client.index()));
        let Some(client) = process.and_then(Process::grpc) else { return };
        if client.status == Status::Hanging {
            let name = self.name(client.id);
            return self.now(Command::ResumeConsumer { name });
        }
        let Some(queue) = message::lies_in(self.run, msg, group) else { return };
        match grpc::unreachable(world, client, queue.broker) {
            Some(reason) if client.is_alive() => self.reason(msg, Some(group), &reason),
            _ => {}
        }
    }

    /// The application acknowledges what it holds.
    pub(super) fn acknowledge(&mut self, msg: MsgId, holder: Option<ClientId>) {
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
    pub(super) fn less_invisible(&mut self, holder: Option<ClientId>) {
        let Some(client) = holder else { return };
        let name = self.name(client);
        let least_ms = self.run.world.shared.model.min_invisible_time_for_recv_ms;
        let Some(index) = causes::last_command(self.run, |c| is_ask_of(c, &name)) else { return };
        let mut command = self.run.journal[index as usize].1.clone();
        match invisible_of(&mut command) {
            Some(invisible_ms) if *invisible_ms > least_ms => *invisible_ms = least_ms,
            _ => return,
        }
        self.add(Change::Instead(vec![(index, command)]));
    }

    /// The lock's owner had stopped cleanly, or the lease were shorter.
    pub(super) fn lock_held(&mut self, owner: ClientId, gone: bool) {
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
    pub(super) fn clean_end(&mut self, client: ClientId) {
        let name = self.name(client);
        let stop = |c: &Command| matches!(c, Command::StopConsumer { name: n, how } if *n == name && *how != StopKind::Clean);
        if let Some(index) = causes::last_command(self.run, stop) {
            let command = Command::StopConsumer { name, how: StopKind::Clean };
            self.add(Change::Instead(vec![(index, command)]));
        }
    }

    /// A member that is silent comes back, is noticed earlier, or had ended cleanly.
    pub(super) fn absent(&mut self, client: ClientId) {
        let name = self.name(client);
        if let Some(index) = causes::last_command(self.run, |c| causes::starts(c, &name)) {
            self.now(self.run.journal[index as usize].1.clone());
        }
        self.now(Command::ResumeConsumer { name });
        // Whoever lives sends heartbeats, and has to stay a member.
        let beat_ms = self.run.world.shared.model.heartbeat_broker_interval_ms;
        let name = "CHANNEL_EXPIRED_TIMEOUT".to_owned();
        // It is a constant of the broker's code, and looks that are due are not put forward.
        let earlier = Command::SetConstant { name, value: beat_ms + 5_000 };
        self.add(Change::From { at_ms: 0, commands: vec![earlier] });
        self.clean_end(client);
    }

    /// A consumer starts: the last one again, or one of its kind.
    pub(super) fn consumer(&mut self, group: GroupId, last: Option<ClientId>) {
        let name = last.map(|c| self.name(c));
        let again = name.and_then(|name| {
            let index = causes::last_command(self.run, |c| causes::starts(c, &name))?;
            self.run.journal.get(index as usize).map(|(_, command)| command.clone())
        });
        let group = self.group_name(group);
        let fresh = Command::StartConsumer { name: "c-new".to_owned(), group, threads: None };
        self.now(again.unwrap_or(fresh));
    }

    pub(super) fn heal_broker(&mut self, client: ClientId, a: &str, b: &str) {
        let proxy = self.run.world.clients.get(client.index()).and_then(|p| p.grpc());
        let proxy = proxy.map(|c| self.run.world.shared.names.proxies[c.proxy.index()].clone());
        let a = proxy.unwrap_or_else(|| a.to_owned());
        self.now(Command::Heal { a, b: b.to_owned() });
    }

    /// The application asks.
    pub(super) fn receive(&mut self, client: ClientId) {
        let consumer = self.name(client);
        let kind =
            self.run.world.clients.get(client.index()).and_then(|p| p.grpc()).map(|c| c.kind);
        if kind == Some(GrpcKind::Simple(SimpleMode::Scripted)) {
            let (max, invisible_ms, await_ms) = (32, 30_000, 5_000);
            let receive = PopCommand::Receive { consumer, max, invisible_ms, await_ms };
            self.now(Command::Pop(receive));
        }
    }

    /// More threads from the beginning.
    pub(super) fn threads(&mut self, client: ClientId, group: GroupId) {
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
    pub(super) fn readable(&mut self, queue: MessageQueue) {
        let topic = &self.run.world.shared.names.topics[queue.topic.index()];
        let queues = topic.write_queues.max(queue.id + 1);
        let (name, write_queues) = (topic.name.clone(), topic.write_queues);
        self.now(Command::UpdateTopic { name, read_queues: queues, write_queues });
    }

    pub(super) fn passed(&mut self, msg: MsgId, group: GroupId, by: PassedBy) {
        let message::Place::Queue(queue, offset) = message::place(self.run, msg, Some(group))
        else {
            return;
        };
        match by {
            PassedBy::Filter => self.unfiltered(queue, group),
            _ => {
                let command = self.reset(queue, group, offset);
                self.now(command);
            }
        }
    }

    /// Nobody of the group asks for tags of the topic.
    fn unfiltered(&mut self, queue: MessageQueue, group: GroupId) {
        let world = self.run.world;
        let names = &world.shared.names;
        let topic = &names.topics[queue.topic.index()].name;
        let group_name = self.group_name(group);
        let is_member = |consumer: &str| {
            let client = names.client(consumer).and_then(|c| world.clients.get(c.index()));
            client.is_some_and(|process| process.group() == group)
        };
        let all = self.run.journal.iter().enumerate();
        let changed = all.filter_map(|(index, (_, command))| {
            let mut command = command.clone();
            let subscriptions = match &mut command {
                Command::CreateGroup { name, subscriptions, .. } if *name == group_name => {
                    subscriptions
                }
                Command::Subscribe { consumer, subscriptions } if is_member(consumer) => {
                    subscriptions
                }
                _ => return None,
            };
            let mut filters = subscriptions.iter_mut().filter(|s| s.topic == *topic);
            let tags = &mut filters.find(|s| !s.tags.is_empty())?.tags;
            tags.clear();
            Some((index as u32, command))
        });
        let changed: Vec<(u32, Command)> = changed.collect();
        if !changed.is_empty() {
            self.add(Change::Instead(changed));
        }
    }
}

/// Whether a command makes a SimpleConsumer receive.
fn is_ask_of(command: &Command, consumer: &str) -> bool {
    match command {
        Command::Pop(PopCommand::Receive { consumer: of, .. }) => of == consumer,
        Command::Pop(PopCommand::Start { name, kind, .. }) => {
            name == consumer && matches!(kind, GrpcKind::Simple(SimpleMode::Loops { .. }))
        }
        _ => false,
    }
}

/// The invisible time that such a command asks for, in ms.
fn invisible_of(command: &mut Command) -> Option<&mut Ms> {
    match command {
        Command::Pop(
            PopCommand::Receive { invisible_ms, .. }
            | PopCommand::Start {
                kind: GrpcKind::Simple(SimpleMode::Loops { invisible_ms, .. }),
                ..
            },
        ) => Some(invisible_ms),
        _ => None,
    }
}
