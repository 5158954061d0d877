//! What stands, and whose end made others wait.

use super::super::violation::instead;
use super::super::{message, offers, owner, why, About, Change, Reason};
use super::{Patient, Problem, Symptom};
use crate::client::Status;
use crate::command::{Command, GroupSetting};
use crate::fact::{Fact, GrantKind, StopKind};
use crate::ids::{ClientId, GroupId, MessageQueue, Ms, MsgId};
use crate::pop::PopCommand;
use crate::shared::TopicUse;

/// What has waited for longer at the end of the run stands.
const STAND_MS: Ms = 10_000;
/// Most changes that are told for what stands.
const MOVES: usize = 2;

impl Patient<'_> {
    pub(super) fn standing(&mut self) {
        self.dead_owners();
        self.spreading();
        self.stands();
    }

    /// Locks of owners that were gone, and how long somebody waited for them.
    fn dead_owners(&mut self) {
        for index in 0..self.run.facts.len() {
            let Fact::LockGranted { group, queue, how: GrantKind::Expired { from }, .. } =
                self.run.facts[index].fact
            else {
                continue;
            };
            let list = self.run.ledger.client(from, index);
            let ended = list.iter().rev().find(|i| {
                matches!(self.run.facts[**i as usize].fact, Fact::ConsumerStopped { how, .. }
                    if matches!(how, StopKind::Crash | StopKind::Silent))
            });
            let Some(ended) = ended.copied() else { continue };
            // Nobody waits before another consumer of the group runs.
            let Some(since_ms) = self.others_since(group, from, index) else { continue };
            let ended_ms = self.run.facts[ended as usize].at_ms;
            let waited_ms = self.run.facts[index].at_ms - since_ms.max(ended_ms);
            let known = self
                .findings
                .iter()
                .any(|f| matches!(f.problem, Problem::DeadOwner { client, .. } if client == from));
            let user =
                self.run.world.shared.names.topics[queue.topic.index()].usage == TopicUse::User;
            if known || !user || waited_ms < STAND_MS {
                continue;
            }
            let lease_end_ms =
                ended_ms + self.run.world.shared.model.rebalance_lock_max_live_time_ms;
            let left = (ended as usize..index).find(|i| {
                let record = self.run.facts[*i];
                matches!(record.fact, Fact::MemberLeft { client, .. } if client == from)
                    && record.at_ms > lease_end_ms
            });
            let member = left.is_some();
            let problem = Problem::DeadOwner { client: from, waited_ms, member };
            let clean = self.clean_end(from);
            let sooner = |change: &Change| self.locks_sooner(change, (group, queue), from, index);
            let repair = clean.filter(sooner).into_iter().collect();
            let evidence = [ended, index as u32].into_iter().chain(left.map(|i| i as u32));
            self.find(Symptom::StandsStill, problem, evidence.collect(), None, repair);
        }
    }

    /// Since when other consumers of a group have run without a break when a fact happens; None = none runs.
    fn others_since(&self, group: GroupId, but: ClientId, until: usize) -> Option<Ms> {
        let (mut alive, mut since_ms): (Vec<ClientId>, Option<Ms>) = (Vec::new(), None);
        for record in &self.run.facts[..until] {
            match record.fact {
                Fact::ConsumerStarted { client } | Fact::ConsumerResumed { client }
                    if client != but && self.group_of(client) == Some(group) =>
                {
                    alive.push(client);
                    since_ms = since_ms.or(Some(record.at_ms));
                }
                Fact::ConsumerStopped { client, .. } => {
                    alive.retain(|of| *of != client);
                    since_ms = since_ms.filter(|_| !alive.is_empty());
                }
                _ => {}
            }
        }
        since_ms
    }

    /// Whether with a change the lock of a queue goes to another consumer than `from` earlier than fact
    /// `granted` gives it to one.
    fn locks_sooner(
        &self,
        change: &Change,
        (group, queue): (GroupId, MessageQueue),
        from: ClientId,
        granted: usize,
    ) -> bool {
        let names = &self.run.world.shared.names;
        let ended = self.run.ledger.newest_of_client(from, granted);
        let ended = ended
            .filter_map(|i| self.run.facts.get(i as usize))
            .find(|r| matches!(r.fact, Fact::ConsumerStopped { .. }));
        let ended_ms = ended.map_or(0, |record| record.at_ms);
        let after = self.with(change);
        let other = |client: ClientId| {
            after.world().shared.names.clients[client.index()] != names.clients[from.index()]
        };
        after.facts().iter().any(|record| match record.fact {
            Fact::LockGranted { group: of, client, queue: q, .. } => {
                let soon = (ended_ms..self.run.facts[granted].at_ms).contains(&record.at_ms);
                (of, q) == (group, queue) && soon && other(client)
            }
            _ => false,
        })
    }

    pub(super) fn clean_end(&self, client: ClientId) -> Option<Change> {
        let of = &self.run.world.shared.names.clients[client.index()];
        instead(&self.run, |c| match c {
            Command::StopConsumer { name, how } if name == of && *how != StopKind::Clean => {
                *how = StopKind::Clean;
                true
            }
            _ => false,
        })
    }

    /// Messages that wait at the end of the run, each cause once.
    fn stands(&mut self) {
        let now_ms = self.until_ms;
        let mut kinds: Vec<(GroupId, std::mem::Discriminant<Reason>)> = Vec::new();
        for (msg, group) in message::waiting(&self.run).collect::<Vec<_>>() {
            let Some(group) = group else { continue };
            let Some(stored) = self.wanted_since(msg, group) else { continue };
            let waited_ms = now_ms - self.run.facts[stored as usize].at_ms;
            if waited_ms < STAND_MS {
                continue;
            }
            let reason = message::reason(&self.run, msg, Some(group));
            let kind = (group, std::mem::discriminant(&reason));
            if !self.is_standing(&reason) || kinds.contains(&kind) || self.is_over(group, &reason) {
                continue;
            }
            kinds.push(kind);
            let problem = Problem::Stands { msg, group, reason, waited_ms };
            let (causes, repair) = self.moves(msg, group);
            let evidence = [stored].into_iter().chain(causes).collect();
            self.find(Symptom::StandsStill, problem, evidence, None, repair);
        }
    }

    /// The fact by which a message came to the broker that a group wants: stored, put aside, or prepared.
    fn wanted_since(&self, msg: MsgId, group: GroupId) -> Option<u32> {
        if let Some((stored, queue)) = self.first_store(msg) {
            return owner::wants(self.run.world, group, queue, msg).then_some(stored);
        }
        let list = self.run.ledger.message(msg, self.run.facts.len());
        let aside = |i: &u32| {
            let fact = self.run.facts[*i as usize].fact;
            matches!(fact, Fact::MessageScheduled { .. } | Fact::TransactionPrepared { .. })
        };
        list.into_iter().find(aside)
    }

    /// What made a message stand, and what would move it, tried in branches.
    fn moves(&self, msg: MsgId, group: GroupId) -> (Vec<u32>, Vec<Change>) {
        let about = About::Message { msg, group: Some(group) };
        let Some(explanation) = why(&self.run, about) else { return (Vec::new(), Vec::new()) };
        let offers = offers(self.session, &explanation).into_iter();
        let offers = offers.map(|(one, _)| one.change).take(MOVES).collect();
        let causes = explanation.causes.iter().map(|cause| cause.fact);
        (causes.filter(|fact| self.stops_something(*fact)).collect(), offers)
    }

    /// Whether a fact says that something ended, stands still or is cut off.
    fn stops_something(&self, fact: u32) -> bool {
        match self.run.facts.get(fact as usize).map(|r| r.fact) {
            Some(Fact::ConsumerStopped { .. } | Fact::BrokerStopped { .. }) => true,
            Some(Fact::CommandApplied { index }) => {
                let command = self.run.journal.get(index as usize).map(|(_, command)| command);
                matches!(
                    command,
                    Some(
                        Command::Cut { .. }
                            | Command::Pop(PopCommand::RunProxy { up: false, .. })
                            | Command::SetGroup {
                                setting: GroupSetting::Paused(true)
                                    | GroupSetting::AutoCommit(false),
                                ..
                            }
                            | Command::ResetOffset { .. }
                            | Command::Subscribe { .. }
                            | Command::SetDelayLevels { .. }
                    )
                )
            }
            _ => false,
        }
    }

    /// A group whose consumers were all told to stop cleanly is over, and does not stand. One that never
    /// had any has not begun: it stands.
    fn is_over(&self, group: GroupId, reason: &Reason) -> bool {
        let Reason::NoConsumer { .. } = reason else { return false };
        let mut members = self.run.world.clients.iter().filter(|p| p.group() == group).peekable();
        members.peek().is_some() && members.all(|p| p.status() == Status::Ended(StopKind::Clean))
    }

    /// Reasons by which a message can stand for good; others end by themselves or are told elsewhere.
    fn is_standing(&self, reason: &Reason) -> bool {
        let gone = |client: Option<ClientId>| {
            client.is_none_or(|c| {
                let process = self.run.world.clients.get(c.index());
                process.is_none_or(|p| matches!(p.status(), Status::Ended(_)))
            })
        };
        match *reason {
            Reason::NoConsumer { .. }
            | Reason::LockHeld { .. }
            | Reason::OfAbsentMember { .. }
            | Reason::Hangs { .. }
            | Reason::CutOff { .. }
            | Reason::ProxyDown { .. }
            | Reason::Paused
            | Reason::Uncommitted { .. }
            | Reason::Stranded { .. }
            // Its transaction is the application's own affair as long as nothing is in its way.
            | Reason::HalfOpen { undone: Some(_), .. }
            | Reason::ResetPending { .. } => true,
            // What is under a delay does not stand before it is due.
            Reason::BrokerDown { due_ms, .. } => {
                due_ms.is_none_or(|due_ms| self.until_ms - due_ms >= STAND_MS)
            }
            Reason::OfOtherReader { .. } => {
                !self.findings.iter().any(|f| matches!(f.problem, Problem::Subscriptions { .. }))
            }
            // Whoever lives may still acknowledge it.
            Reason::BehindInvisible { holder, .. } | Reason::Invisible { holder, .. } => {
                gone(holder)
            }
            _ => false,
        }
    }
}
