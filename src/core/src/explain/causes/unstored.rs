//! Why a message is in no store.

use super::Chain;
use crate::command::Command;
use crate::explain::{faults, Reason, Undone};
use crate::fact::{BrokerStop, Decision, DeleteReason, Fact, RequestKind, SendFailure};
use crate::ids::{BrokerId, MessageQueue, MsgId, Party};
use crate::pop::PopFact;

impl Chain<'_, '_> {
    pub(super) fn unstored(&mut self, msg: MsgId, reason: &Reason) {
        self.refused_send(msg);
        let newest = self.last_of_message(msg, |f| {
            matches!(
                f,
                Fact::SendFailed { .. }
                    | Fact::MessageLost { .. }
                    | Fact::MessageDeleted { .. }
                    | Fact::TransactionEnded { .. }
                    | Fact::TransactionGivenUp { .. }
                    | Fact::WheelGaveUp { .. }
                    | Fact::TransactionPrepared { .. }
                    | Fact::SendStarted { .. }
            )
        });
        if let Reason::SendLost { .. } | Reason::Travels { .. } = reason {
            self.way(msg);
        }
        let Some(newest) = newest else { return };
        let record = self.run.facts[newest as usize];
        match (*reason, record.fact) {
            (Reason::SendFailed { failure, full, .. }, _) => {
                self.failed(msg, failure, full, newest);
            }
            (Reason::Late { failure, .. }, _) => self.failed(msg, failure, None, newest),
            (Reason::HalfOpen { undone, .. } | Reason::NeverVisible { undone, .. }, _) => {
                self.undecided(msg);
                if let Some(Undone::Full { broker }) = undone {
                    self.full_disk(broker);
                }
            }
            (_, Fact::MessageLost { queue, .. }) => self.power(queue.broker, newest),
            (_, Fact::WheelGaveUp { queue, .. }) => self.full_disk_at(queue.broker, newest),
            (_, Fact::MessageDeleted { queue, .. }) => self.deleted(queue, newest),
            _ => {}
        }
    }

    /// A send failed: what it was refused for, or what stood in its way.
    fn failed(&mut self, msg: MsgId, failure: SendFailure, full: Option<BrokerId>, newest: u32) {
        let topic = self.run.world.shared.message(msg).topic;
        let topic = self.run.world.shared.names.topics[topic.index()].name.clone();
        match failure {
            SendFailure::TypeConflict { .. } => {
                self.last_command(
                    |c| matches!(c, Command::CreateTopic { name, .. } if *name == topic),
                );
            }
            SendFailure::TimedOut
            | SendFailure::ConnectionFailed
            | SendFailure::BrokerUnknown
            | SendFailure::NoWritableQueue
            | SendFailure::DiskFull
            | SendFailure::Grpc(_) => match full {
                Some(broker) => self.full_disk_at(broker, newest),
                None => {
                    let at_ms = self.run.facts[newest as usize].at_ms;
                    let mut faults = faults::on_the_way(self.run, msg, at_ms);
                    let disk = |c: &Command| matches!(c, Command::SetDisk { .. });
                    faults.retain(|fault| !fault.begin(self.run).is_some_and(disk));
                    self.fault(&faults);
                }
            },
            _ => {}
        }
    }

    /// What is in the way of a message that is not there yet, and the packet that was lost.
    fn way(&mut self, msg: MsgId) {
        let run = self.run;
        let way = faults::way_of(run, msg);
        let built_ms = run.world.shared.message(msg).built_ms;
        let from = run.facts.partition_point(|r| r.at_ms < built_ms);
        let between = |from: Party, to: Party| way.contains(&from) && way.contains(&to);
        let lost = run.facts[from..]
            .iter()
            .rposition(|r| matches!(r.fact, Fact::PacketLost { from, to } if between(from, to)));
        if let Some(place) = lost {
            self.facts.push((from + place) as u32);
            let now_ms = run.now_ms();
            let faults = faults::on_the_way(run, msg, now_ms);
            self.fault(&faults);
        }
    }

    /// What became of the decision about a transaction: it was taken, and lost on its way, came to a proxy
    /// that no longer knew the half message, or to a broker that could not write it down.
    fn undecided(&mut self, msg: MsgId) {
        let unknown = |f: &Fact| matches!(f, Fact::Pop(PopFact::TransactionUnknown { .. }));
        self.last_of_message(msg, unknown);
        let checked = |f: &Fact| matches!(f, Fact::TransactionChecked { .. });
        self.last_of_message(msg, checked);
        let refused = self.last_of_message(msg, |f| {
            matches!(f, Fact::TransactionEnded { decision: Decision::Commit, .. })
        });
        let lost = crate::explain::transactions::lost_decision(self.run, msg);
        self.facts.extend(lost.map(|lost| lost.fact));
        let at_ms = refused.or(lost.map(|lost| lost.fact));
        let Some(at_ms) = at_ms.map(|fact| self.run.facts[fact as usize].at_ms) else { return };
        let way = faults::way_of(self.run, msg);
        let faults = faults::between(self.run, &way, RequestKind::Send, (at_ms, at_ms));
        self.fault(&faults);
    }

    /// The loss of power by which a record was lost.
    fn power(&mut self, broker: BrokerId, lost: u32) {
        let facts = &self.run.facts[..=lost as usize];
        let stopped = facts.iter().rposition(|r| {
            matches!(r.fact, Fact::BrokerStopped { broker: of, how: BrokerStop::PowerLoss } if of == broker)
        });
        self.facts.extend(stopped.map(|fact| fact as u32));
        let run = self.run;
        self.last_command_before(lost, |c| match c {
            Command::StopBroker { broker: of, how: BrokerStop::PowerLoss } => {
                faults::is_of_broker(run, of, broker)
            }
            _ => false,
        });
    }

    /// The end of a queue from a place on was lost with the machine, before something else came there.
    pub(super) fn end_was_lost(&mut self, queue: MessageQueue, offset: i64) {
        let lost = self.run.facts.iter().rposition(|r| {
            matches!(r.fact, Fact::MessageLost { queue: q, offset: o, .. } if q == queue && i64::from(o) <= offset)
        });
        if let Some(lost) = lost.map(|fact| fact as u32) {
            self.facts.push(lost);
            self.power(queue.broker, lost);
        }
    }

    /// What retention deleted a record for.
    fn deleted(&mut self, queue: MessageQueue, newest: u32) {
        let run = self.run;
        let event = run.facts[newest as usize].event;
        let before = run.facts[..newest as usize].iter().enumerate().rev();
        let mut same = before.take_while(|(_, r)| r.event == event);
        let segment = same.find_map(|(index, r)| match r.fact {
            Fact::SegmentDeleted { reason, .. } => Some((index as u32, reason)),
            _ => None,
        });
        let Some((segment, reason)) = segment else { return };
        self.facts.push(segment);
        if reason != DeleteReason::Expired {
            self.last_command_before(newest, |c| match c {
                Command::SetDisk { broker: of, .. } => {
                    of.is_none() || faults::is_of_broker(run, of, queue.broker)
                }
                _ => false,
            });
        }
    }
}
