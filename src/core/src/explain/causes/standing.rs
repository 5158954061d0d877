//! What keeps a whole queue or a consumer still.

use super::{starts, Chain};
use crate::command::{Command, GroupSetting};
use crate::explain::{faults, handover, message, Reason, Run};
use crate::fact::{Fact, RequestKind};
use crate::ids::{ClientId, GroupId, MessageQueue, MsgId, Party};
use crate::pop::{AckResult, PopCommand, PopFact};
use crate::process::Process;

impl Chain<'_, '_> {
    /// What keeps a whole queue or consumer still.
    #[rustfmt::skip]
    pub(super) fn standstill(&mut self, msg: Option<MsgId>, group: Option<GroupId>, reason: &Reason) {
        let queue = msg.and_then(|msg| match message::place(self.run, msg, group) {
            message::Place::Queue(queue, _) => Some(queue),
            _ => None,
        });
        let run = self.run;
        // Another group's calls, locks and resets are no part of it.
        let of_group = |client: ClientId| run.world.clients.get(client.index()).map(|p| p.group()) == group;
        let group_name = group.map(|g| self.run.world.shared.group(g).name.clone());
        match *reason {
            Reason::LockHeld { owner, .. } => {
                if let Some(queue) = queue {
                    self.last_of_queue(queue, |f| matches!(f, Fact::LockRefused { group: of, .. } if Some(*of) == group));
                    self.last_of_queue(queue, |f| matches!(f, Fact::LockGranted { client, .. } if *client == owner));
                }
                self.end_of(owner);
            }
            Reason::OfAbsentMember { client, .. } | Reason::Hangs { client } => self.end_of(client),
            Reason::NoConsumer { last: Some((client, _)) } => self.end_of(client),
            Reason::OfOtherReader { client } => {
                let name = self.name(client).to_owned();
                self.last_command(|c| matches!(c, Command::Subscribe { consumer, .. } if *consumer == name));
            }
            Reason::CutOff { client, from } => self.cut(client, from),
            Reason::BrokerDown { broker, due_ms } => {
                if let Some(msg) = msg.filter(|_| due_ms.is_some()) {
                    self.last_of_message(msg, |f| matches!(f, Fact::MessageScheduled { .. }));
                }
                self.last_command(|c| matches!(c, Command::StopBroker { broker: of, .. } if faults::is_of_broker(run, of, broker)));
            }
            Reason::ProxyDown { proxy, .. } => {
                let name = &run.world.shared.names.proxies[proxy.index()];
                self.last_command(|c| matches!(c, Command::Pop(PopCommand::RunProxy { proxy: of, up: false }) if of == name));
            }
            Reason::AnswerLost { client, .. } => {
                self.membership(client, group, queue);
                self.lost_on_the_way(client);
            }
            Reason::Paused => {
                self.last_command(|c| matches!(c, Command::SetGroup { group, setting: GroupSetting::Paused(true) } if Some(group) == group_name.as_ref()));
            }
            Reason::ResetPause { .. } | Reason::ResetPending { .. } => {
                self.last_command(|c| matches!(c, Command::ResetOffset { group, .. } if Some(group) == group_name.as_ref()));
                if let Some(queue) = queue {
                    self.last_of_queue(queue, |f| match f {
                        Fact::OffsetReset { group: of, .. } => Some(*of) == group,
                        Fact::ResetReceived { client, .. } => of_group(*client),
                        _ => false,
                    });
                }
            }
            Reason::NotReadable { queue, .. } => {
                let name = self.run.world.shared.names.topics[queue.topic.index()].name.clone();
                self.last_command(|c| matches!(c, Command::UpdateTopic { name: n, .. } | Command::CreateTopic { name: n, .. } if *n == name));
                if let Some(msg) = msg {
                    self.last_of_message(msg, |f| matches!(f, Fact::Pop(PopFact::Acked { result: AckResult::Unreadable, .. })));
                }
            }
            Reason::NotSubscribed => {
                self.last_command(|c| matches!(c, Command::CreateGroup { name, .. } if Some(name) == group_name.as_ref()));
            }
            Reason::LockMissing { client, .. } => {
                self.last_of_client(client, |f| matches!(f, Fact::LockMissing { .. }));
                self.last_of_client(client, |f| matches!(f, Fact::LockRefused { .. } | Fact::ClockJumped { .. } | Fact::ConsumerResumed { .. } | Fact::PacketLost { .. }));
            }
            Reason::CacheFull { client, .. } | Reason::PullFailed { client } => {
                let failed = self.last_of_client(client, |f| matches!(f, Fact::PullPostponed { .. } | Fact::RequestTimedOut { .. } | Fact::RequestFailed { .. } | Fact::PullRefused { .. } | Fact::Pop(PopFact::ReceivedNothing { .. })));
                let failed = failed.map(|index| self.run.facts[index as usize]);
                if let (Some(failed), Reason::PullFailed { .. }) = (failed, reason) {
                    self.disconnected(client, Some(failed.at_ms));
                }
                let failed = failed.map(|record| record.fact);
                if let Some(Fact::Pop(PopFact::ReceivedNothing { .. })) = failed {
                    self.refused_by_proxy(RequestKind::Receive);
                }
            }
            Reason::Refused { client, by } => self.refusing(client, by, queue),
            Reason::Unwanted { client } => {
                self.membership(client, group, queue);
                self.subscribed(client, group);
            }
            Reason::PollSleeps { client, .. } => {
                self.last_poll(group);
                self.membership(client, group, queue);
            }
            Reason::NoThread { client, .. } => self.busy_threads(client),
            Reason::OldListener { client } => {
                self.last_of_client(client, |f| matches!(f, Fact::HandlingStarted { .. }));
            }
            Reason::ThreadWaits { client, .. } => {
                self.last_of_client(client, |f| matches!(f, Fact::PacketLost { .. } | Fact::QueueAdded { .. } | Fact::RelockScheduled { .. }));
            }
            Reason::Uncommitted { .. } => {
                if let Some(msg) = msg {
                    self.last_of_message(msg, |f| matches!(f, Fact::HandlingEnded { client, .. } if of_group(*client)));
                }
                self.last_command(|c| matches!(c, Command::SetGroup { group, setting: GroupSetting::AutoCommit(false) } if Some(group) == group_name.as_ref()));
            }
            Reason::Leaving { client, .. } | Reason::Returned { client, .. } => {
                self.membership(client, group, queue);
                if let (Reason::Returned { .. }, Some(queue)) = (reason, queue) {
                    self.taken_away(client, group, queue);
                    self.last_command(|c| is_membership(run, c, group));
                }
                if let Some(part) = queue.and_then(|queue| handover::last(run, client, queue)) {
                    self.facts.extend(part.call.into_iter().chain(part.postponed));
                }
            }
            Reason::Starting { client, .. } | Reason::Rebalancing { client, .. }
            | Reason::AllocatedTo { client } | Reason::NotFetchedYet { client, .. } | Reason::NotAsked { client }
            | Reason::Unassigned { client } => self.membership(client, group, queue),
            _ => {}
        }
    }

    /// The last time that a consumer of the group took a message.
    pub(super) fn taken(&mut self, msg: MsgId, group: Option<GroupId>) {
        let run = self.run;
        self.last_of_message(msg, |f| match f {
            Fact::HandlingStarted { client, .. } | Fact::Pop(PopFact::Received { client, .. }) => {
                run.world.clients.get(client.index()).map(|p| p.group()) == group
            }
            _ => false,
        });
    }

    /// The same for one consumer.
    pub(super) fn taken_by(&mut self, by: ClientId, msg: MsgId) {
        self.last_of_message(msg, |f| match f {
            Fact::HandlingStarted { client, .. } | Fact::Pop(PopFact::Received { client, .. }) => {
                *client == by
            }
            _ => false,
        });
    }

    /// A call whose result counts for nothing: when it began, and when its consumer parted with the queue or the
    /// message was delivered to another.
    pub(super) fn void_call(&mut self, by: ClientId, msg: MsgId, group: Option<GroupId>) {
        self.taken_by(by, msg);
        self.taken(msg, group);
        let run = self.run;
        let queue = group.and_then(|group| message::lies_in(run, msg, group));
        if let Some(queue) = queue {
            self.last_of_queue(
                queue,
                |f| matches!(f, Fact::QueueDropped { client, .. } if *client == by),
            );
        }
    }

    /// What the threads of a consumer are at work on: the call of each, the oldest ones where there are many.
    fn busy_threads(&mut self, client: ClientId) {
        const MOST: usize = 3;
        let process = self.run.world.clients.get(client.index());
        let mut calls: Vec<(crate::ids::Ms, MsgId)> = match process {
            Some(Process::Classic(classic)) => {
                let running = classic.calls.iter().filter(|call| call.running);
                running.filter_map(|c| Some((c.since_ms, c.batch.first()?.msg))).collect()
            }
            Some(Process::Grpc(grpc)) => {
                let running = grpc.calls.iter().filter(|call| call.running);
                running.map(|c| (c.since_ms, c.delivery.handle.msg)).collect()
            }
            None => Vec::new(),
        };
        calls.sort_unstable();
        for (_, msg) in calls.into_iter().take(MOST) {
            self.taken_by(client, msg);
        }
    }

    /// A call whose result will count for nothing: when it began, when its consumer dropped the queue, and the command
    /// that made it.
    pub(super) fn dropped_call(&mut self, by: ClientId, msg: MsgId, group: Option<GroupId>) {
        self.void_call(by, msg, group);
        self.slowness(msg, group);
        let run = self.run;
        if let Some(queue) = group.and_then(|group| message::lies_in(run, msg, group)) {
            self.taken_away(by, group, queue);
        }
    }

    /// When a consumer dropped a queue, and the command before that changed how queues are divided.
    fn taken_away(&mut self, by: ClientId, group: Option<GroupId>, queue: MessageQueue) {
        let run = self.run;
        let dropped = self.last_of_queue(
            queue,
            |f| matches!(f, Fact::QueueDropped { client, .. } if *client == by),
        );
        if let Some(dropped) = dropped {
            self.last_command_before(dropped, |c| is_membership(run, c, group));
        }
    }

    /// The command that cut a consumer off from a party, and the packet that was lost in the cut: behind a
    /// proxy it is this that does not reach a broker.
    fn cut(&mut self, client: ClientId, from: Party) {
        let run = self.run;
        let names = &run.world.shared.names;
        let process = run.world.clients.get(client.index());
        let proxy = process.and_then(Process::grpc).map(|grpc| Party::Proxy(grpc.proxy));
        let near = match from {
            Party::Broker(_) => proxy.unwrap_or(Party::Client(client)),
            _ => Party::Client(client),
        };
        let (me, other) = (names.party_name(near), names.party_name(from));
        let pair = |a: &str, b: &str| (a, b) == (me, other) || (b, a) == (me, other);
        self.last_command(|c| matches!(c, Command::Cut { a, b } if pair(a, b)));
        let lost = run.facts.iter().rposition(|r| match r.fact {
            Fact::PacketLost { from: x, to: y } => (x, y) == (near, from) || (y, x) == (near, from),
            _ => false,
        });
        self.facts.extend(lost.map(|fact| fact as u32));
    }

    /// The last packet that was lost between a consumer and what it speaks to, and what it was lost in.
    fn lost_on_the_way(&mut self, client: ClientId) {
        let run = self.run;
        let way = faults::way_of_consumer(run, client);
        let between = |from: Party, to: Party| way.contains(&from) && way.contains(&to);
        let lost = run
            .facts
            .iter()
            .rposition(|r| matches!(r.fact, Fact::PacketLost { from, to } if between(from, to)));
        self.facts.extend(lost.map(|fact| fact as u32));
        let at_ms = lost.map_or(run.now_ms(), |fact| run.facts[fact].at_ms);
        let faults = faults::between(run, &way, RequestKind::Receive, (at_ms, run.now_ms()));
        self.fault(&faults);
    }

    fn membership(
        &mut self,
        client: ClientId,
        group: Option<GroupId>,
        queue: Option<MessageQueue>,
    ) {
        if let Some(queue) = queue {
            let run = self.run;
            let of_group =
                |c: ClientId| run.world.clients.get(c.index()).map(|p| p.group()) == group;
            self.last_of_queue(queue, |f| match f {
                Fact::QueueAdded { client, .. }
                | Fact::QueueDropped { client, .. }
                | Fact::QueueRemoved { client, .. } => of_group(*client),
                Fact::LockReleased { group: of, .. } => Some(*of) == group,
                _ => false,
            });
        }
        self.last_of_client(client, |f| {
            matches!(
                f,
                Fact::RebalanceStarted { .. }
                    | Fact::MemberNotified { .. }
                    | Fact::ConsumerStarted { .. }
                    | Fact::ConsumerResumed { .. }
            )
        });
        let name = self.name(client).to_owned();
        if self.is_of(client, group) {
            self.last_command(|c| starts(c, &name));
        }
    }
}

/// Whether a command changes how the queues of a consumer group are divided.
fn is_membership(run: &Run<'_>, command: &Command, group: Option<GroupId>) -> bool {
    let of_group = |name: &str| {
        let client = run.world.shared.names.client(name);
        let process = client.and_then(|client| run.world.clients.get(client.index()));
        process.is_some_and(|process| Some(process.group()) == group)
    };
    match command {
        Command::StartConsumer { name, .. } | Command::StopConsumer { name, .. } => of_group(name),
        Command::UpdateTopic { .. } => true,
        _ => false,
    }
}
