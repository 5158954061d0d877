//! Why locks and consumers are as they are.

use super::{starts, Chain};
use crate::command::Command;
use crate::explain::{faults, LockState, WorkState};
use crate::fact::{CloseCause, Fact};
use crate::ids::{BrokerId, ClientId, GroupId, MessageQueue, Ms, Party};

impl Chain<'_, '_> {
    pub(super) fn lock(&mut self, queue: MessageQueue, group: GroupId, state: LockState) {
        let granted = |f: &Fact| {
            matches!(f, Fact::LockGranted { group: of, .. } | Fact::LockReleased { group: of, .. }
                | Fact::LockRefused { group: of, .. } if *of == group)
        };
        let known = self.last_of_queue(queue, granted);
        if matches!(state, LockState::Free | LockState::Down { .. }) {
            self.broker_gone(queue.broker, known);
        }
        if let LockState::Held { owner, .. } | LockState::Expired { owner, .. } = state {
            let first = |f: &Fact| matches!(f, Fact::QueueAdded { client, .. } if *client == owner);
            self.last_of_queue(queue, first);
            self.end_of(owner);
        }
        if let LockState::Expired { since_ms, .. } = state {
            self.clock_set(Party::Broker(queue.broker), since_ms);
        }
        if let LockState::Blocked { head, .. } = state {
            self.delivered(head, Some(group), None);
        }
    }

    /// That the clock of a party was set at an instant.
    fn clock_set(&mut self, of: Party, at_ms: Ms) {
        let set = self.run.facts.iter().rposition(|record| {
            record.at_ms == at_ms
                && matches!(record.fact, Fact::ClockJumped { party, .. } if party == of)
        });
        self.facts.extend(set.map(|fact| fact as u32));
    }

    /// That a broker stopped or started after a fact: what it had in memory is gone.
    pub(super) fn broker_gone(&mut self, broker: BrokerId, after: Option<u32>) {
        let facts = self.run.facts;
        let since = after.map_or(0, |fact| fact as usize);
        let last = |is_it: &dyn Fn(&Fact) -> bool| {
            facts[since..].iter().rposition(|r| is_it(&r.fact)).map(|place| (since + place) as u32)
        };
        let stopped =
            last(&|f| matches!(f, Fact::BrokerStopped { broker: of, .. } if *of == broker));
        let started = last(&|f| matches!(f, Fact::BrokerStarted { broker: of } if *of == broker));
        self.facts.extend(stopped);
        self.facts.extend(started.filter(|_| stopped.is_some()));
        if stopped.is_some() {
            let run = self.run;
            self.last_command(|c| matches!(c, Command::StopBroker { broker: of, .. } if faults::is_of_broker(run, of, broker)));
        }
    }

    pub(super) fn consumer(&mut self, client: ClientId, state: WorkState) {
        match state {
            WorkState::NotMember { broker, .. } => {
                let left = self.disconnected(client, None);
                self.broker_gone(broker, left);
            }
            WorkState::Stopping { call: Some(_) } => {
                let name = self.name(client).to_owned();
                self.last_command(
                    |c| matches!(c, Command::StopConsumer { name: of, .. } if *of == name),
                );
            }
            WorkState::Hangs | WorkState::Ended { .. } | WorkState::Stopping { .. } => {
                self.end_of(client)
            }
            _ => {}
        }
        self.last_of_client(client, |f| matches!(f, Fact::ConsumerStarted { .. }));
        let name = self.name(client).to_owned();
        self.last_command(|c| starts(c, &name));
    }

    /// How the connection of a consumer closed, at one instant or last: the request that got no answer,
    /// and what was lost.
    pub(super) fn disconnected(&mut self, client: ClientId, at: Option<Ms>) -> Option<u32> {
        let is_it = |f: &Fact| matches!(f, Fact::ConnectionClosed { .. });
        let newest = self.run.ledger.newest_of_client(client, self.run.facts.len());
        let facts = self.run.facts;
        let closed = newest.clone().find(|i| is_it(&facts[*i as usize].fact))?;
        if at.is_some_and(|at| facts[closed as usize].at_ms != at) {
            return None;
        }
        self.facts.push(closed);
        let before = |is_it: &dyn Fn(&Fact) -> bool| {
            newest.clone().find(|i| *i < closed && is_it(&facts[*i as usize].fact))
        };
        if let Fact::ConnectionClosed { cause: CloseCause::TimedOut(_), .. } =
            facts[closed as usize].fact
        {
            self.facts.extend(before(&|f| matches!(f, Fact::RequestTimedOut { .. })));
            self.facts.extend(before(&|f| matches!(f, Fact::PacketLost { .. })));
        }
        Some(closed)
    }

    /// How a process ended or came to stand still, and by which command.
    pub(super) fn end_of(&mut self, client: ClientId) {
        if self.last_of_client(client, |f| matches!(f, Fact::ConsumerStopped { .. })).is_some() {
            let name = self.name(client).to_owned();
            self.last_command(|c| matches!(c, Command::StopConsumer { name: n, .. } if *n == name));
        }
    }
}
