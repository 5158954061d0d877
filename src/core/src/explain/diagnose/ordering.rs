//! Repairs of an order, judged by the order that they leave: a change that takes one cause away and leaves the
//! messages out of order is no help, or is told with what it leaves.

use std::collections::BTreeSet;

use super::super::violation::{self, Guilt};
use super::super::{Change, Ledger, Run};
use super::{Patient, Problem, Symptom};
use crate::check::Broken;
use crate::command::{Command, Label, MessageSpec};
use crate::guarantee::{Guarantee, Missing};
use crate::ids::{GroupId, MessageGroupId, Ms, MsgId};
use crate::session::Session;

/// Two messages of one order, the earlier one first.
pub(super) type Pair = [Label; 2];

/// An order that was broken: of a message group as it was stored, or as a consumer group handled it.
#[derive(Clone, Copy)]
pub(super) struct Order {
    pub(super) series: MessageGroupId,
    /// None = as stored.
    pub(super) group: Option<GroupId>,
    /// The pair that the finding is about.
    pub(super) pair: [MsgId; 2],
}

impl Patient<'_> {
    /// Adds a finding about an order, with those of its repairs that keep it; where none does, with those that
    /// leave less out of order, and what they leave.
    pub(super) fn find_order(
        &mut self,
        symptom: Symptom,
        problem: Problem,
        evidence: Vec<u32>,
        needs: Option<Missing>,
        (order, repair): (Order, Vec<Change>),
    ) {
        if self.findings.iter().any(|f| f.problem == problem) {
            return;
        }
        let (repair, leaves) = self.judged(order, &problem, repair);
        self.find(symptom, problem, evidence, needs, repair);
        if let Some(finding) = self.findings.iter_mut().find(|f| f.problem == problem) {
            finding.leaves = leaves;
        }
    }

    /// Those of some changes after which an order is kept; else those that help, and what the first of them
    /// leaves out of order.
    fn judged(
        &self,
        order: Order,
        problem: &Problem,
        changes: Vec<Change>,
    ) -> (Vec<Change>, Option<[MsgId; 2]>) {
        let own = order.pair.map(|msg| self.run.world.shared.label(msg));
        let before = self.out_of_order(self.session, order).len();
        let mut helps: Vec<(Change, Pair)> = Vec::new();
        let mut keeps = Vec::new();
        for change in changes {
            let after = self.with(&change);
            let left = self.out_of_order(&after, order);
            let is_less = match *problem {
                Problem::Broken { guilt, .. } => !breaks_by(&after, &guilt),
                _ => left.len() < before && !left.contains(&own),
            };
            match left.first() {
                None => keeps.push(change),
                Some(first) if is_less => {
                    helps.push((change, first.clone()));
                }
                Some(_) => {}
            }
        }
        if !keeps.is_empty() {
            // What a producer is to do instead, the first way says.
            keeps.truncate(if order.group.is_none() { 1 } else { keeps.len() });
            return (keeps, None);
        }
        let leaves = helps.first().and_then(|(_, [a, b])| Some([self.named(a)?, self.named(b)?]));
        (helps.into_iter().map(|(change, _)| change).collect(), leaves)
    }

    /// The message of this run that has a label.
    fn named(&self, label: &Label) -> Option<MsgId> {
        self.messages().find(|msg| self.run.world.shared.label(*msg) == *label)
    }

    /// Pairs of an order that are out of order in a run.
    pub(super) fn out_of_order(&self, session: &Session, order: Order) -> Vec<Pair> {
        let names = &self.run.world.shared.names;
        let of = names.order_of(order.series);
        let own = (0..names.series.len() as u16).map(MessageGroupId);
        let own = own.filter(|series| names.order_of(*series) == of);
        let own: BTreeSet<&str> = own.map(|s| names.series[s.index()].name.as_str()).collect();
        let shared = &session.world().shared;
        let labels = |[a, b]: [MsgId; 2]| [shared.label(a), shared.label(b)];
        let is_own = |pair: &Pair| own.contains(pair[0].series.as_str());
        let Some(group) = order.group else {
            let breaches = session.watch().breaches(Guarantee::OrderStored, None);
            let pairs = breaches.filter_map(|breach| Some(labels([breach.earlier?, breach.msg])));
            return pairs.filter(is_own).collect();
        };
        let name = &self.run.world.shared.group(group).name;
        let violations = session.violations().iter();
        let of_group = violations.filter(|v| shared.group(v.group).name == *name);
        let pairs = of_group.filter_map(|violation| match violation.broken {
            Broken::Order { earlier, later, .. } => Some(labels([earlier, later])),
            Broken::TwoOwners { .. } => None,
        });
        pairs.filter(is_own).collect()
    }

    /// All sends of a message group by one producer and one thread: by who sent the first of a pair, as they are,
    /// or with the messages in their order.
    pub(super) fn by_one_sender(&self, by: Option<MsgId>, series: MessageGroupId) -> Vec<Change> {
        let names = &self.run.world.shared.names;
        let of = names.series[series.index()].name.as_str();
        let by = by.map(|msg| self.run.world.shared.message(msg).producer);
        let by = by.map(|producer| names.producers[producer.index()].clone());
        let sends = (0..).zip(self.run.journal).filter(|(_, (_, command))| {
            matches!(command, Command::Send { messages, .. }
                if messages.iter().any(|m| m.label.series == of))
        });
        let all: Vec<(u32, Ms, Command)> = sends
            .map(|(index, (at_ms, c))| (index, *at_ms, one_sender(c, by.as_deref())))
            .collect();
        let sorted = in_their_order(&all, of);
        let changed = |all: Vec<(u32, Ms, Command)>| {
            let all = all.into_iter().map(|(index, _, command)| (index, command));
            let own = |index: u32| &self.run.journal[index as usize].1;
            let all: Vec<(u32, Command)> =
                all.filter(|(index, command)| own(*index) != command).collect();
            (!all.is_empty()).then_some(Change::Instead(all))
        };
        [changed(all), changed(sorted)].into_iter().flatten().collect()
    }
}

/// Whether something still breaks an order in a run.
fn breaks_by(session: &Session, guilt: &Guilt) -> bool {
    let ledger = Ledger::of(session.facts());
    let run = Run::of(session, &ledger);
    let all = session.violations().iter();
    all.filter_map(|violation| violation::explain(&run, violation)).any(|b| b.guilt == *guilt)
}

/// A send by the first thread of a producer; None = of its own.
fn one_sender(command: &Command, by: Option<&str>) -> Command {
    let mut command = command.clone();
    if let Command::Send { producer, thread, .. } = &mut command {
        *thread = 0;
        if let Some(by) = by {
            by.clone_into(producer);
        }
    }
    command
}

/// The same sends, with the messages of a series in their order: at each instant at which one of them is sent,
/// it is the next one.
fn in_their_order(sends: &[(u32, Ms, Command)], series: &str) -> Vec<(u32, Ms, Command)> {
    let mut sends = sends.to_vec();
    let mut slots: Vec<(Ms, usize, usize)> = Vec::new();
    let mut specs: Vec<MessageSpec> = Vec::new();
    for (send, (_, at_ms, command)) in sends.iter().enumerate() {
        let Command::Send { messages, every_ms, .. } = command else { continue };
        for (place, spec) in messages.iter().enumerate() {
            if spec.label.series == series {
                slots.push((*at_ms + *every_ms * place as Ms, send, place));
                specs.push(spec.clone());
            }
        }
    }
    slots.sort_unstable();
    specs.sort_by_key(|spec| spec.label.number);
    for ((_, send, place), spec) in slots.into_iter().zip(specs) {
        if let Command::Send { messages, .. } = &mut sends[send].2 {
            messages[place] = spec;
        }
    }
    sends
}
