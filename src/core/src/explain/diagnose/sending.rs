//! What goes wrong before and at the broker's door.

use super::super::violation::{instead, scattered};
use super::super::{counter, Rule, Run};
use super::ordering::Order;
use super::{Patient, Problem, Symptom};
use crate::command::{Command, Selector, SendMode};
use crate::fact::{Fact, SendFailure};
use crate::guarantee::{Guarantee, Missing};
use crate::ids::MsgId;
use crate::session::Session;

/// Why `later` was stored before `earlier`, or in another queue, and the rule that was left.
pub(in crate::explain) fn stored(
    session: &Session,
    run: &Run<'_>,
    earlier: MsgId,
    later: MsgId,
) -> (Option<Problem>, Rule) {
    let patient = Patient { run: *run, session, until_ms: run.now_ms(), findings: Vec::new() };
    let (Some(first), Some(second)) = (patient.first_store(earlier), patient.first_store(later))
    else {
        return (None, Rule::SendInTurn);
    };
    if first.1 != second.1 {
        let guilt = scattered(run, (earlier, later), (first.0, second.0));
        let series = run.world.shared.message(earlier).series;
        return (Some(Problem::Broken { guilt, series }), Rule::Routing);
    }
    (Some(patient.inversion(earlier, later).0), Rule::SendInTurn)
}

impl Patient<'_> {
    pub(super) fn sending(&mut self) {
        self.stored_out_of_order();
        self.refused();
    }

    /// Messages of a message group that were stored in one queue, but not in the order that is meant.
    fn stored_out_of_order(&mut self) {
        let breaches = self.session.watch().breaches(Guarantee::OrderStored, None);
        for breach in breaches {
            let Some(earlier) = breach.earlier else { continue };
            let series = self.run.world.shared.message(earlier).series;
            let stored = |msg| self.first_store(msg);
            let (Some(first), Some(second)) = (stored(earlier), stored(breach.msg)) else {
                continue;
            };
            if first.0 < second.0 {
                // Two queues: whether that breaks anything is seen at the consumer.
                continue;
            }
            let evidence = vec![first.0, second.0];
            let (problem, needs, mut repair) = self.inversion(earlier, breach.msg);
            match problem {
                Problem::SentLate { .. } => {
                    repair.extend(self.sent_in_time(earlier, breach.msg));
                    repair.extend(self.by_one_sender(None, series));
                }
                Problem::CommittedLate { .. } => {
                    repair.extend(self.committed_in_time(earlier, breach.msg));
                }
                _ => {}
            }
            let order = Order { series, group: None, pair: [earlier, breach.msg] };
            self.find_order(Symptom::OutOfOrder, problem, evidence, needs, (order, repair));
        }
    }

    /// The first store of a message under its own topic.
    pub(super) fn first_store(&self, msg: MsgId) -> Option<(u32, crate::ids::MessageQueue)> {
        let topic = self.run.world.shared.message(msg).topic;
        let list = self.run.ledger.message(msg, self.run.facts.len());
        list.iter().find_map(|i| match self.run.facts.get(*i as usize)?.fact {
            Fact::MessageStored { queue, .. } if queue.topic == topic => Some((*i, queue)),
            _ => None,
        })
    }

    /// Why `earlier` was stored behind `later`, and what might have kept their order.
    fn inversion(
        &self,
        earlier: MsgId,
        later: MsgId,
    ) -> (Problem, Option<Missing>, Vec<super::Change>) {
        let shared = &self.run.world.shared;
        let (a, b) = (shared.message(earlier), shared.message(later));
        let series = a.series;
        if self.was_prepared_before(earlier, later) {
            return (Problem::CommittedLate { msg: earlier }, None, Vec::new());
        }
        let delayed = |m: &crate::message::Message| m.delay_level > 0 || m.timer_delay_ms > 0;
        if delayed(a) || delayed(b) {
            let repair = self.no_delays(series).into_iter().collect();
            return (Problem::Delays { series }, Some(Missing::NoDelay(series)), repair);
        }
        if a.producer != b.producer {
            let problem = Problem::SeveralProducers { series };
            let repair = self.by_one_sender(Some(earlier), series);
            return (problem, Some(Missing::OneProducer(series)), repair);
        }
        let producer = a.producer;
        if self.thread(earlier) != self.thread(later) {
            let problem = Problem::SeveralThreads { series, producer };
            let repair = self.by_one_sender(None, series);
            return (problem, Some(Missing::OneThread(series)), repair);
        }
        let handed_later = a.built_ms > b.built_ms || earlier > later && a.built_ms == b.built_ms;
        if self.run.world.producers[producer.index()].mode == SendMode::Async && !handed_later {
            let by = &shared.names.producers[producer.index()];
            let wait = |c: &mut Command| match c {
                Command::CreateProducer { name, mode, .. } if name == by => {
                    *mode = SendMode::Sync;
                    true
                }
                _ => false,
            };
            let repair = instead(&self.run, wait).into_iter().collect();
            let needs = Some(Missing::SyncSends(producer));
            return (Problem::AsyncSends { producer }, needs, repair);
        }
        (Problem::SentLate { msg: earlier }, None, Vec::new())
    }

    /// Whether a message lay at its broker as a half message before another one was sent there.
    fn was_prepared_before(&self, msg: MsgId, other: MsgId) -> bool {
        let came = |msg: MsgId, halves_only: bool| {
            let list = self.run.ledger.message(msg, self.run.facts.len());
            list.into_iter().find(|i| match self.run.facts[*i as usize].fact {
                Fact::TransactionPrepared { .. } => true,
                Fact::MessageStored { .. } => !halves_only,
                _ => false,
            })
        };
        let (half, behind) = (came(msg, true), came(other, false));
        half.zip(behind).is_some_and(|(half, behind)| half < behind)
    }

    /// All messages of a message group without their delays.
    pub(super) fn no_delays(&self, series: crate::ids::MessageGroupId) -> Option<super::Change> {
        let of = &self.run.world.shared.names.series[series.index()].name;
        instead(&self.run, |c| {
            let Command::Send { messages, .. } = c else { return false };
            let own = messages.iter_mut().filter(|m| m.label.series == *of);
            let delayed: Vec<_> =
                own.filter(|m| m.delay_level > 0 || m.timer_delay_ms > 0).collect();
            let any = !delayed.is_empty();
            for message in delayed {
                (message.delay_level, message.timer_delay_ms) = (0, 0);
            }
            any
        })
    }

    /// The thread that a message was handed to.
    fn thread(&self, msg: MsgId) -> u8 {
        let shared = &self.run.world.shared;
        let label = shared.label(msg);
        let by = &shared.names.producers[shared.message(msg).producer.index()];
        let sent = self.run.journal.iter().find_map(|(_, c)| match c {
            Command::Send { producer, thread, messages, .. } if producer == by => {
                messages.iter().any(|m| m.label == label).then_some(*thread)
            }
            _ => None,
        });
        sent.unwrap_or(0)
    }

    /// Sends that were refused for what they are.
    fn refused(&mut self) {
        for index in 0..self.run.facts.len() {
            let Fact::SendFailed { producer, msg, reason } = self.run.facts[index].fact else {
                continue;
            };
            let evidence = vec![index as u32];
            match reason {
                SendFailure::TypeConflict { .. } => {
                    let topic = self.run.world.shared.message(msg).topic;
                    let problem = Problem::TypeMismatch { topic, producer };
                    let repair = counter::fitting_type(&self.run, msg).into_iter().collect();
                    self.find(Symptom::Refused, problem, evidence, None, repair);
                }
                SendFailure::SelectorThrew => {
                    let by = self.run.world.shared.names.producers[producer.index()].clone();
                    let hash = |c: &mut Command| match c {
                        Command::CreateProducer { name, selector, .. } if *name == by => {
                            *selector = Selector::Hash;
                            true
                        }
                        _ => false,
                    };
                    let repair = instead(&self.run, hash).into_iter().collect();
                    let problem = Problem::NegativeKey { producer, msg };
                    self.find(Symptom::Refused, problem, evidence, None, repair);
                }
                _ => {}
            }
        }
    }
}
