//! How a message came to where it is.

use super::{sends, Chain};
use crate::command::Command;
use crate::explain::{finished, message, PassedBy};
use crate::fact::{Fact, RequestKind};
use crate::ids::{ClientId, GroupId, MsgId, TopicId};
use crate::pop::{PopCommand, PopFact};
use crate::shared::TopicUse;

impl Chain<'_, '_> {
    /// Where a message was stored as far as a consumer group sees it, and the command that sent it.
    /// What another group's failures stored is no part of the story.
    pub(in crate::explain) fn origin(&mut self, msg: MsgId, group: Option<GroupId>) {
        let topics = &self.run.world.shared.names.topics;
        let seen = |topic: TopicId| match topics[topic.index()].usage {
            TopicUse::Retry(of) | TopicUse::DeadLetter(of) | TopicUse::PopRetry(of, _) => {
                group.is_none_or(|group| of == group)
            }
            _ => true,
        };
        let places = self.run.ledger.places_of(msg, self.run.facts.len());
        self.last(places, |f| match f {
            Fact::MessageStored { queue, .. } => seen(queue.topic),
            Fact::MessageScheduled { .. } => true,
            _ => false,
        });
        let label = self.run.world.shared.label(msg);
        let producer = self.run.world.shared.message(msg).producer;
        let name = self.run.world.shared.names.producers[producer.index()].clone();
        let sent = self.last_command(|c| sends(c, &name, &label));
        if sent.is_none() {
            let load =
                |c: &Command| matches!(c, Command::SendLoad { producer, .. } if *producer == name);
            self.last_command(load);
        }
    }

    pub(super) fn delivered(&mut self, msg: MsgId, holder: Option<ClientId>) {
        let act = self.last_of_message(msg, |f| {
            matches!(
                f,
                Fact::Pop(
                    PopFact::InvisibleChanged { .. }
                        | PopFact::Renewed { .. }
                        | PopFact::RenewalEnded { .. }
                        | PopFact::ActFailed { .. }
                        | PopFact::AttemptFailed { .. }
                )
            )
        });
        let failed = act.map(|index| self.run.facts[index as usize].fact);
        if let Some(Fact::Pop(PopFact::ActFailed { code: Some(_), .. })) = failed {
            self.refused_by_proxy(RequestKind::Ack);
        }
        self.last_of_message(msg, |f| matches!(f, Fact::Pop(PopFact::Popped { .. })));
        self.last_of_message(msg, |f| matches!(f, Fact::Pop(PopFact::Received { .. })));
        if let Some(holder) = holder {
            self.end_of(holder);
            let name = self.name(holder).to_owned();
            self.last_command(|c| {
                matches!(c, Command::Pop(PopCommand::Receive { consumer, .. }) if *consumer == name)
            });
        }
    }

    pub(super) fn unstored(&mut self, msg: MsgId) {
        self.refused_send(msg);
        self.last_of_message(msg, |f| {
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
        let full = self.run.world.shared.model.disk_space_warning_level_ratio_percent;
        self.last_command(|c| match c {
            Command::SetDisk { used_percent, .. } => i64::from(*used_percent) > full,
            other => matches!(other, Command::StopBroker { .. }),
        });
    }

    pub(super) fn passed(&mut self, msg: MsgId, group: Option<GroupId>, by: PassedBy) {
        let message::Place::Queue(queue, offset) = message::place(self.run, msg, group) else {
            return;
        };
        match by {
            PassedBy::Filter => {
                if let Some(group) = group {
                    self.filtered(group, (queue, offset));
                }
            }
            PassedBy::Reset => {
                self.last_of_queue(queue, |f| matches!(f, Fact::OffsetReset { .. }));
                self.last_command(|c| matches!(c, Command::ResetOffset { .. }));
            }
            PassedBy::Start | PassedBy::Other => {
                let begun = self.last_of_queue(queue, |f| {
                    matches!(
                        f,
                        Fact::QueueAdded { .. } | Fact::Pop(PopFact::PopOffsetChosen { .. })
                    )
                });
                // The start may have been worked out once more by the first read.
                let read = begun.and_then(|added| finished::first_read(self.run, added));
                self.facts.extend(read.map(|(fact, _)| fact).filter(|_| by == PassedBy::Start));
            }
            PassedBy::Correction => {
                self.last_of_queue(queue, |f| matches!(f, Fact::OffsetCorrected { .. }));
            }
        }
    }
}
