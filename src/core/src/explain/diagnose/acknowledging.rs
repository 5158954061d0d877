//! Acknowledgements that fail again and again, and those that never come.

use std::collections::BTreeMap;

use super::super::{faults, Change};
use super::holding::HELD_MS;
use super::{Held, Patient, Problem, Symptom};
use crate::client::Status;
use crate::command::Command;
use crate::fact::{Fact, FactRecord, RequestKind};
use crate::grpc::GrpcCode;
use crate::ids::{ClientId, GroupId, MsgId};
use crate::pop::{ActKind, PopCommand, PopFact};
use crate::session::Session;

/// From how many on it is no accident.
const AGAIN: u32 = 3;

/// Acknowledgements of a group that failed alike.
struct Failed {
    client: ClientId,
    msg: MsgId,
    first: u32,
    last: u32,
    failures: u32,
    /// The fact by which a message came again whose acknowledgement had failed.
    again: Option<u32>,
    msgs: Vec<MsgId>,
}

impl Patient<'_> {
    pub(super) fn acknowledging(&mut self) {
        self.acknowledgements_fail();
        self.never_acknowledged();
    }

    /// An expired handle has its own finding, and so has what lay on the way.
    fn acknowledgements_fail(&mut self) {
        let mut kinds: BTreeMap<(GroupId, Option<u32>), (Option<GrpcCode>, Failed)> =
            BTreeMap::new();
        for (index, record) in self.run.facts.iter().enumerate() {
            let index = index as u32;
            match record.fact {
                Fact::Pop(PopFact::ActFailed { client, msg, act: ActKind::Ack, code, .. })
                    if code != Some(GrpcCode::InvalidReceiptHandle) =>
                {
                    let Some(group) = self.group_of(client) else { continue };
                    let code = code.filter(|_| self.is_answered(index as usize));
                    let key = (group, code.map(|code| code.named().0));
                    let new = Failed {
                        client,
                        msg,
                        first: index,
                        last: index,
                        failures: 0,
                        again: None,
                        msgs: Vec::new(),
                    };
                    let failed = &mut kinds.entry(key).or_insert((code, new)).1;
                    (failed.failures, failed.last) = (failed.failures + 1, index);
                    if !failed.msgs.contains(&msg) {
                        failed.msgs.push(msg);
                    }
                }
                Fact::Pop(PopFact::Received { client, msg, .. }) => {
                    let group = self.group_of(client);
                    let own = kinds.iter_mut().filter(|((of, _), _)| Some(*of) == group);
                    for (_, (_, failed)) in own.filter(|(_, (_, f))| f.msgs.contains(&msg)) {
                        if failed.again.is_none() {
                            (failed.again, failed.msg) = (Some(index), msg);
                            failed.first = self.first_failure(group, msg).unwrap_or(failed.first);
                        }
                    }
                }
                _ => {}
            }
        }
        for ((group, _), (code, failed)) in kinds {
            let told = |f: &super::Finding| matches!(f.problem, Problem::Held { group: of, by: Held::Cut { .. } | Held::Down { .. }, .. } if of == group);
            let told = matches!(code, None | Some(GrpcCode::ProxyTimeout))
                && self.findings.iter().any(told);
            if failed.failures < AGAIN || told {
                continue;
            }
            let Failed { client, msg, first, last, failures, again, .. } = failed;
            let symptom = match again {
                Some(_) => Symptom::DeliveredAgain,
                None => Symptom::StandsStill,
            };
            let problem = Problem::AcksFail { client, msg, failures, code, again: again.is_some() };
            let evidence = vec![first, again.unwrap_or(last)];
            let repair = self.acknowledged_after_all(client, group, code, first);
            self.find(symptom, problem, evidence, None, repair);
        }
    }

    /// The first failed acknowledgement of a message by a group.
    fn first_failure(&self, group: Option<GroupId>, msg: MsgId) -> Option<u32> {
        let list = self.run.ledger.message(msg, self.run.facts.len());
        list.into_iter().find(|i| {
            matches!(self.run.facts[*i as usize].fact,
                Fact::Pop(PopFact::ActFailed { client, act: ActKind::Ack, .. }) if self.group_of(client) == group)
        })
    }

    /// The proxy serves acknowledgements, or nothing lies on their way: what leaves less failures.
    fn acknowledged_after_all(
        &self,
        client: ClientId,
        group: GroupId,
        code: Option<GrpcCode>,
        first: u32,
    ) -> Vec<Change> {
        let way = faults::way_of_consumer(&self.run, client);
        let model = &self.run.world.shared.model;
        let at_ms = self.run.facts.get(first as usize).map_or(0, |r| r.at_ms);
        let asked_ms = at_ms - model.grpc_request_timeout_ms;
        let faults = faults::between(&self.run, &way, RequestKind::Ack, (asked_ms, self.until_ms));
        let fails = |after: &Session| {
            let world = after.world();
            let failures = after.facts().iter().filter(|r| match r.fact {
                Fact::Pop(PopFact::ActFailed { client, act: ActKind::Ack, code: of, .. }) => {
                    of == code
                        && world.clients.get(client.index()).is_some_and(|p| p.group() == group)
                }
                _ => false,
            });
            failures.count() >= AGAIN as usize
        };
        self.left_out(&faults, |after| !fails(after)).into_iter().collect()
    }

    /// Messages that a consumer which is called by hand gets again and again and never acknowledges.
    fn never_acknowledged(&mut self) {
        let mut receipts: BTreeMap<(GroupId, MsgId), Vec<(u32, ClientId)>> = BTreeMap::new();
        for (index, record) in self.run.facts.iter().enumerate() {
            match record.fact {
                Fact::Pop(PopFact::Received { client, msg, .. }) if self.is_by_hand(client) => {
                    let Some(group) = self.group_of(client) else { continue };
                    receipts.entry((group, msg)).or_default().push((index as u32, client));
                }
                // It tried to, or asked for more time.
                Fact::MessageAcknowledged { client, msg, .. }
                | Fact::Pop(
                    PopFact::HandleExpired { client, msg, .. }
                    | PopFact::ActFailed { client, msg, .. },
                ) => {
                    if let Some(group) = self.group_of(client) {
                        receipts.remove(&(group, msg));
                    }
                }
                _ => {}
            }
        }
        for ((group, msg), list) in receipts {
            let kept = list.first().is_some_and(|first| self.keeps_all(*first));
            let known = |f: &super::Finding| match f.problem {
                Problem::NeverAcknowledged { group: of, .. } => of == group,
                Problem::GivenUp { group: of, msg: m, .. } => (of, m) == (group, msg),
                _ => false,
            };
            let times = list.len() as u32;
            let (Some((first, client)), Some((last, _))) = (list.first(), list.last()) else {
                continue;
            };
            if times < AGAIN && !kept || self.findings.iter().any(known) {
                continue;
            }
            let dead = self.run.ledger.newest_of(msg, self.run.facts.len()).find(|i| {
                matches!(self.run.facts[*i as usize].fact, Fact::DeadLettered { group: of, .. } if of == group)
            });
            let symptom = match times {
                1 => Symptom::StandsStill,
                _ => Symptom::DeliveredAgain,
            };
            let problem = Problem::NeverAcknowledged {
                client: *client,
                group,
                msg,
                times,
                dead: dead.is_some(),
            };
            let evidence = [*first, *last].into_iter().chain(dead).collect();
            let repair = vec![self.acknowledged(*client, *first, msg)];
            self.find(symptom, problem, evidence, None, repair);
        }
    }

    /// Whether a consumer that received a message long ago has acknowledged nothing at all since it runs.
    fn keeps_all(&self, (received, client): (u32, ClientId)) -> bool {
        let long = self.until_ms - self.run.facts[received as usize].at_ms >= HELD_MS;
        let answers = |record: &FactRecord| match record.fact {
            Fact::MessageAcknowledged { client: by, .. }
            | Fact::Pop(
                PopFact::HandleExpired { client: by, .. }
                | PopFact::ActFailed { client: by, .. }
                | PopFact::Renewed { client: by, .. },
            ) => by == client,
            Fact::Pop(PopFact::InvisibleChanged { group, .. }) => {
                self.group_of(client) == Some(group)
            }
            _ => false,
        };
        let process = self.run.world.clients.get(client.index());
        let runs = process.is_some_and(|p| p.status() == Status::Running);
        long && runs && !self.run.facts.iter().any(answers)
    }

    /// A consumer acknowledges a message when it has it.
    fn acknowledged(&self, client: ClientId, received: u32, msg: MsgId) -> Change {
        let consumer = self.run.world.shared.names.clients[client.index()].clone();
        let message = Some(self.run.world.shared.label(msg));
        let at_ms = self.run.facts[received as usize].at_ms;
        // Another event of that instant hands it over.
        let at_ms = at_ms + 1;
        Change::From { at_ms, commands: vec![Command::Pop(PopCommand::Ack { consumer, message })] }
    }
}
