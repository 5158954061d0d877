//! What goes wrong where messages are handled.

use super::super::violation::{self, at_creation, Guilt};
use super::super::Change;
use super::hanging::WAIT_MS as HUNG_MS;
use super::ordering::Order;
use super::{Patient, Problem, Symptom};
use crate::check::Broken;
use crate::command::{Command, GroupSetting};
use crate::fact::{Fact, FactRecord, Outcome, StopKind};
use crate::guarantee::Missing;
use crate::ids::{ClientId, GroupId, Ms, MsgId};
use crate::pop::{GrpcKind, PopCommand, PopFact, SimpleMode};
use crate::process::Process;

impl Patient<'_> {
    pub(super) fn consuming(&mut self) {
        self.violations();
        self.answered_early();
        self.repeated();
    }

    pub(super) fn group_of(&self, client: ClientId) -> Option<GroupId> {
        self.run.world.clients.get(client.index()).map(Process::group)
    }

    /// What the checks found, each cause once.
    fn violations(&mut self) {
        for violation in self.session.violations() {
            let Some(broke) = violation::explain(&self.run, violation) else { continue };
            let (evidence, guilt) = (violation::evidence(&self.run, &broke), broke.guilt);
            let Broken::Order { series, earlier, later, .. } = violation.broken else {
                let Guilt::TakenOver { from, by } = guilt else { continue };
                if self.are_mixed(from, by) {
                    continue;
                }
                let problem = Problem::TwoOwners { from, by };
                let (needs, repair) = violation::apart(&self.run, from, by);
                let repair = repair.into_iter().collect();
                self.find(Symptom::TwoOwners, problem, evidence, needs, repair);
                continue;
            };
            if matches!(guilt, Guilt::TakenOver { from, by } if self.are_mixed(from, by)) {
                continue;
            }
            let needs = match guilt {
                Guilt::TakenOver { from, by } => violation::apart(&self.run, from, by).0,
                _ => needs(&guilt),
            };
            let symptom = match guilt {
                Guilt::SentBack { .. }
                | Guilt::ToRetryTopic { .. }
                | Guilt::CameBack { .. }
                | Guilt::Reset { .. } => Symptom::PassedAfterFailure,
                Guilt::ConcurrentListener { .. }
                | Guilt::UnorderedGroup { .. }
                | Guilt::Application { .. }
                | Guilt::TakenOver { .. } => Symptom::HandledOutOfOrder,
                _ => Symptom::OutOfOrder,
            };
            let known = self
                .findings
                .iter()
                .any(|f| matches!(f.problem, Problem::Broken { guilt: of, .. } if of == guilt));
            if !known {
                let repair = violation::repairs(&self.run, &guilt, series);
                let order = Order { series, group: Some(violation.group), pair: [earlier, later] };
                let problem = Problem::Broken { guilt, series };
                self.find_order(symptom, problem, evidence, needs, (order, repair));
            }
        }
    }

    /// Calls that end long before the work that the group says it has. Only a consumer that is called
    /// by hand can do so: it acknowledges when it likes.
    fn answered_early(&mut self) {
        let facts = self.run.facts;
        for (index, record) in facts.iter().enumerate() {
            let Fact::MessageAcknowledged { client, msg, .. } = record.fact else { continue };
            let process = self.run.world.clients.get(client.index()).and_then(Process::grpc);
            let by_hand = process.is_some_and(|c| c.kind == GrpcKind::Simple(SimpleMode::Scripted));
            let Some(group) = self.group_of(client).filter(|_| by_hand) else { continue };
            let work_ms = self.work_ms(group, msg);
            let list = self.run.ledger.message(msg, index);
            let received = list.iter().rev().find(|i| {
                matches!(facts[**i as usize].fact, Fact::Pop(PopFact::Received { client: c, .. }) if c == client)
            });
            let Some(received) = received.copied() else { continue };
            if work_ms > 0 && record.at_ms - facts[received as usize].at_ms < work_ms {
                let problem = Problem::AnswersEarly { client, work_ms };
                let evidence = vec![received, index as u32];
                let repair = self.later_answers(client);
                self.find(Symptom::HandledOutOfOrder, problem, evidence, None, repair);
            }
        }
    }

    /// How long the work for a message takes, as the scenario says.
    fn work_ms(&self, group: GroupId, msg: MsgId) -> Ms {
        let shared = &self.run.world.shared;
        let (label, of) = (shared.label(msg), shared.group(group));
        let rule = shared.rules.iter().rev().find_map(|rule| {
            let fits = rule.label.as_ref().is_none_or(|l| *l == label)
                && rule.group.as_ref().is_none_or(|g| *g == of.name);
            rule.handle_ms.filter(|_| fits)
        });
        rule.unwrap_or(of.handle_ms.0)
    }

    /// The acknowledgements of a consumer are left out, and it acknowledges when its work is done.
    fn later_answers(&self, client: ClientId) -> Vec<Change> {
        let name = &self.run.world.shared.names.clients[client.index()];
        let acks = |c: &Command| matches!(c, Command::Pop(PopCommand::Ack { consumer, .. }) if consumer == name);
        violation::without(&self.run, acks).into_iter().collect()
    }

    /// Deliveries again: batches that fail as a whole, and invisible times that are too short.
    fn repeated(&mut self) {
        let facts = self.run.facts;
        for (index, record) in facts.iter().enumerate() {
            match record.fact {
                Fact::HandlingEnded { client, outcome, .. }
                    if !matches!(outcome, Outcome::Success | Outcome::Commit) =>
                {
                    self.batch(index, client);
                }
                Fact::Pop(PopFact::HandleExpired { client, msg, .. }) => {
                    self.expired(index, client, msg);
                }
                _ => {}
            }
        }
    }

    fn batch(&mut self, index: usize, client: ClientId) {
        let facts = self.run.facts;
        let event = facts[index].event;
        let same = facts[..index].iter().rev().take_while(|r| r.event == event);
        let before =
            same.filter(|r| matches!(r.fact, Fact::HandlingEnded { client: c, .. } if c == client));
        let Some(group) = self.group_of(client) else { return };
        if before.count() != 1 || self.run.world.shared.group(group).batch_max < 2 {
            return;
        }
        let all = facts[index..].iter().take_while(|r| r.event == event);
        let more =
            all.filter(|r| matches!(r.fact, Fact::HandlingEnded { client: c, .. } if c == client));
        let messages = 1 + more.count() as u32;
        let known = |f: &super::Finding| matches!(f.problem, Problem::BatchFails { group: g, .. } if g == group);
        if self.findings.iter().any(known) {
            return;
        }
        let problem = Problem::BatchFails { group, messages };
        let repair = at_creation(&self.run, group, GroupSetting::BatchMax(1)).into_iter().collect();
        let ended =
            |r: &FactRecord| matches!(r.fact, Fact::HandlingEnded { client: c, .. } if c == client);
        let first = facts[..index].iter().rposition(ended).unwrap_or(index);
        let evidence = vec![first as u32, index as u32];
        self.find(Symptom::DeliveredAgain, problem, evidence, None, repair);
    }

    fn expired(&mut self, index: usize, client: ClientId, msg: MsgId) {
        let Some(group) = self.group_of(client) else { return };
        let known = |f: &super::Finding| matches!(f.problem, Problem::InvisibleTooShort { group: g, .. } if g == group);
        if self.findings.iter().any(known) {
            return;
        }
        let list = self.run.ledger.message(msg, index);
        let popped = list.iter().rev().find(|i| {
            matches!(self.run.facts[**i as usize].fact, Fact::Pop(PopFact::Popped { .. }))
        });
        // Whoever stood still meanwhile took it up too late, however long it was invisible.
        if popped.is_some_and(|popped| self.stood_still(client, (*popped, index as u32))) {
            return;
        }
        let mut evidence = vec![index as u32];
        evidence.extend(popped);
        let repair = violation::longer_invisible(&self.run, client).into_iter().collect();
        let problem = Problem::InvisibleTooShort { group, msg };
        self.find(Symptom::DeliveredAgain, problem, evidence, None, repair);
    }
}

impl Patient<'_> {
    /// Whether a consumer stood still for long at any time between two facts.
    fn stood_still(&self, client: ClientId, (from, until): (u32, u32)) -> bool {
        let at_ms = |fact: u32| self.run.facts[fact as usize].at_ms;
        let mut hung_ms = None;
        let list = self.run.ledger.client(client, until as usize);
        list.into_iter().any(|index| match self.run.facts[index as usize].fact {
            Fact::ConsumerStopped { how: StopKind::Hang, .. } => {
                hung_ms = Some(at_ms(index));
                false
            }
            Fact::ConsumerResumed { .. } => {
                let long = |ms: Ms| at_ms(index) - ms >= HUNG_MS;
                index >= from && hung_ms.take().is_some_and(long)
            }
            _ => false,
        })
    }
}

/// The setting that a guilt is the lack of.
fn needs(guilt: &Guilt) -> Option<Missing> {
    Some(match *guilt {
        Guilt::RoundRobin { producer } => Missing::KeyedSelector(producer),
        Guilt::ManyInRequest { producer } => Missing::OneMessageRequests(producer),
        Guilt::QueuesChanged { topic } => Missing::FixedQueues(topic),
        Guilt::DifferentChoice { second, .. } => Missing::KeyedSelector(second),
        Guilt::ConcurrentListener { group } | Guilt::SentBack { group } => {
            Missing::OrderlyListener(group)
        }
        Guilt::UnorderedGroup { group } | Guilt::CameBack { group } => Missing::OrderlyGroup(group),
        Guilt::Reset { group } => Missing::NoReset(group),
        Guilt::TakenOver { .. }
        | Guilt::BrokersChanged { .. }
        | Guilt::ToRetryTopic { .. }
        | Guilt::Application { .. } => return None,
    })
}
