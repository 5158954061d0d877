//! How a message came to where it is.

use super::{sends, Chain};
use crate::command::Command;
use crate::explain::{grpc, message, passed, Longer, PassedBy, Reason};
use crate::fact::{Fact, RequestKind};
use crate::ids::{ClientId, GroupId, MsgId, TopicId};
use crate::pop::{AckResult, PopCommand, PopFact};
use crate::process::Process;
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

    /// What was delivered last to a consumer group from the queue of a message.
    pub(super) fn last_delivery(
        &mut self,
        client: ClientId,
        msg: Option<MsgId>,
        group: Option<GroupId>,
    ) {
        let of = msg.and_then(|msg| message::lies_in(self.run, msg, group?));
        let last = self.run.facts.iter().rposition(|r| {
            matches!(r.fact, Fact::Pop(PopFact::Popped { group: by, queue, .. })
                if Some(by) == group && of.is_none_or(|of| of == queue))
        });
        self.facts.extend(last.map(|fact| fact as u32));
        self.asked_for(client);
    }

    /// The command by which an application asks for messages: a receive, or the start of its loop.
    pub(super) fn asked_for(&mut self, client: ClientId) {
        let name = self.name(client).to_owned();
        let asked = |c: &Command| matches!(c, Command::Pop(PopCommand::Receive { consumer, .. }) if *consumer == name);
        if self.last_command(asked).is_none() {
            self.last_command(|c| super::starts(c, &name));
        }
    }

    /// How a group was given a message by POP, and what it asked for since.
    pub(super) fn delivered(
        &mut self,
        msg: MsgId,
        group: Option<GroupId>,
        holder: Option<ClientId>,
    ) {
        let run = self.run;
        let of_group =
            |client: &ClientId| run.world.clients.get(client.index()).map(|p| p.group()) == group;
        let act = self.last_of_message(msg, |f| match f {
            Fact::Pop(PopFact::InvisibleChanged { group: of, .. }) => Some(*of) == group,
            Fact::Pop(
                PopFact::Renewed { client, .. }
                | PopFact::RenewalEnded { client, .. }
                | PopFact::ActFailed { client, .. }
                | PopFact::AttemptFailed { client, .. },
            ) => of_group(client),
            _ => false,
        });
        let failed = act.map(|index| self.run.facts[index as usize].fact);
        if let Some(Fact::Pop(PopFact::ActFailed { code: Some(_), .. })) = failed {
            self.refused_by_proxy(RequestKind::Ack);
            if let Reason::NotTaken { broker, .. } = message::reason(run, msg, group) {
                self.full_disk(broker);
                self.failure(msg, group);
            }
        }
        let popped = self.last_of_message(
            msg,
            |f| matches!(f, Fact::Pop(PopFact::Popped { group: of, .. }) if Some(*of) == group),
        );
        self.acknowledged_in_vain(msg, group, popped);
        self.last_of_message(
            msg,
            |f| matches!(f, Fact::Pop(PopFact::Received { client, .. }) if of_group(client)),
        );
        if let Some(holder) = holder {
            self.end_of(holder);
            let name = self.name(holder).to_owned();
            self.last_command(|c| {
                matches!(c, Command::Pop(PopCommand::Receive { consumer, .. }) if *consumer == name)
            });
        }
    }

    /// The acknowledgement of a delivered message that changed nothing at the broker, and the full disk where it was
    /// that: nobody is told.
    fn acknowledged_in_vain(&mut self, msg: MsgId, group: Option<GroupId>, popped: Option<u32>) {
        let run = self.run;
        let newest = run.ledger.newest_of(msg, run.facts.len());
        let mut since = newest.take_while(|index| popped.is_none_or(|popped| *index > popped));
        let found = since.find_map(|index| match run.facts.get(index as usize)?.fact {
            Fact::Pop(PopFact::Acked { group: of, queue, result, .. }) if Some(of) == group => {
                Some((index, queue.broker, result))
            }
            _ => None,
        });
        let Some((fact, broker, result)) = found else { return };
        if let AckResult::Next(_) | AckResult::Noted | AckResult::Below = result {
            return;
        }
        self.facts.push(fact);
        if result == AckResult::Unwritten {
            self.full_disk_at(broker, fact);
        }
    }

    /// How a message was delivered that is invisible now: to whom, why that one does nothing with it, or what
    /// the answer was lost in.
    pub(super) fn invisible(
        &mut self,
        msg: MsgId,
        group: Option<GroupId>,
        (holder, longer): (Option<ClientId>, Longer),
    ) {
        self.delivered(msg, group, holder);
        if let Longer::Standing { client } = longer {
            self.end_of(client);
            return;
        }
        if holder.is_none() {
            self.lost_answer(msg, group);
        }
        let run = self.run;
        let asks = match longer {
            Longer::Repeatable { client } => Some(client),
            _ => holder,
        };
        let queue = group.and_then(|group| message::lies_in(run, msg, group));
        let process = asks.and_then(|client| run.world.clients.get(client.index()));
        let (Some(queue), Some(client)) = (queue, process.and_then(Process::grpc)) else { return };
        match grpc::unreachable(run.world, client, queue.broker) {
            Some(reason) if client.is_alive() => self.reason(Some(msg), group, &reason),
            _ => {}
        }
    }

    pub(super) fn passed(&mut self, msg: MsgId, group: Option<GroupId>, by: PassedBy) {
        let message::Place::Queue(queue, offset) = message::place(self.run, msg, group) else {
            return;
        };
        let run = self.run;
        let of_group =
            |client: &ClientId| run.world.clients.get(client.index()).map(|p| p.group()) == group;
        match by {
            PassedBy::Filter => {
                if let Some(group) = group {
                    self.filtered(group, (queue, offset));
                }
            }
            PassedBy::Reset => {
                let name = group.map(|g| run.world.shared.group(g).name.clone());
                self.last_of_queue(
                    queue,
                    |f| matches!(f, Fact::OffsetReset { group: of, .. } if Some(*of) == group),
                );
                self.last_command(|c| matches!(c, Command::ResetOffset { group: of, .. } if Some(of) == name.as_ref()));
            }
            PassedBy::PowerLoss => self.end_was_lost(queue, offset),
            PassedBy::Start | PassedBy::Other => {
                let begun = self.last_of_queue(queue, |f| match f {
                    Fact::QueueAdded { client, .. } => of_group(client),
                    Fact::Pop(PopFact::PopOffsetChosen { group: of, .. }) => Some(*of) == group,
                    _ => false,
                });
                // The start may have been worked out once more by the first read.
                let read = begun.and_then(|added| passed::first_read(self.run, added));
                self.facts.extend(read.map(|(fact, _)| fact).filter(|_| by == PassedBy::Start));
            }
            PassedBy::Correction => {
                self.last_of_queue(
                    queue,
                    |f| matches!(f, Fact::OffsetCorrected { client, .. } if of_group(client)),
                );
            }
        }
    }
}
