//! The chain of facts that led to a state, back to a command.

mod filtered;
mod standing;
mod undelivered;

use super::ledger::Newest;
use super::{
    finished, message, About, Core, Doing, Headline, LockState, PassedBy, Reason, Run, WorkState,
};
use crate::command::{Command, GroupSetting, Label};
use crate::fact::{Fact, Outcome, RequestKind};
use crate::ids::{BrokerId, ClientId, GroupId, MessageQueue, MsgId, TopicId};
use crate::pop::{PopCommand, PopFact};
use crate::shared::TopicUse;

/// A link to an earlier fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cause {
    /// Its index among the facts of the run.
    pub fact: u32,
    /// The command of the journal that it is about, if it is a command's.
    pub command: Option<u32>,
}

/// What led to the state of a thing, the newest first.
pub(super) fn of(run: &Run<'_>, about: About, headline: &Headline, core: Core) -> Vec<Cause> {
    let mut chain = Chain { run, facts: Vec::new() };
    if let About::Command(index) = about {
        chain.facts.extend(run.ledger.command(index, run.facts.len()));
    }
    match *headline {
        Headline::Lock { queue, group, state } => chain.lock(queue, group, state),
        Headline::Consumer { client, state } | Headline::Thread { client, state, .. } => {
            chain.consumer(client, state);
        }
        _ => {}
    }
    let own = headline.reason();
    if let Some((msg, group)) = core {
        let reason = own.unwrap_or_else(|| message::reason(run, msg, group));
        chain.message(msg, group, &reason);
    } else if let Some(reason) = own {
        chain.reason(None, headline.group(run), &reason);
    }
    chain.finish()
}

/// A chain in the making.
pub(super) struct Chain<'r, 'a> {
    pub(super) run: &'r Run<'a>,
    pub(super) facts: Vec<u32>,
}

impl Chain<'_, '_> {
    pub(super) fn finish(mut self) -> Vec<Cause> {
        self.facts.sort_unstable_by(|a, b| b.cmp(a));
        self.facts.dedup();
        let command = |fact: u32| match self.run.facts.get(fact as usize)?.fact {
            Fact::CommandApplied { index } | Fact::CommandRefused { index } => Some(index),
            _ => None,
        };
        self.facts.iter().map(|fact| Cause { fact: *fact, command: command(*fact) }).collect()
    }

    /// The last of some facts that is of a kind.
    fn last(&mut self, mut list: Newest<'_>, is_it: impl Fn(&Fact) -> bool) -> Option<u32> {
        let facts = self.run.facts;
        let found = list.find(|i| facts.get(*i as usize).is_some_and(|r| is_it(&r.fact)));
        self.facts.extend(found);
        found
    }

    pub(super) fn last_of_message(
        &mut self,
        msg: MsgId,
        is_it: impl Fn(&Fact) -> bool,
    ) -> Option<u32> {
        self.last(self.run.ledger.newest_of(msg, self.run.facts.len()), is_it)
    }

    pub(super) fn last_of_client(
        &mut self,
        client: ClientId,
        is_it: impl Fn(&Fact) -> bool,
    ) -> Option<u32> {
        self.last(self.run.ledger.newest_of_client(client, self.run.facts.len()), is_it)
    }

    pub(super) fn last_of_queue(
        &mut self,
        queue: MessageQueue,
        is_it: impl Fn(&Fact) -> bool,
    ) -> Option<u32> {
        self.last(self.run.ledger.newest_of_queue(queue, self.run.facts.len()), is_it)
    }

    /// The last carried-out command of a kind.
    pub(super) fn last_command(&mut self, is_it: impl Fn(&Command) -> bool) -> Option<u32> {
        let found = last_command(self.run, is_it)?;
        self.facts.extend(self.run.ledger.command(found, self.run.facts.len()));
        Some(found)
    }

    fn name(&self, client: ClientId) -> &str {
        &self.run.world.shared.names.clients[client.index()]
    }

    fn is_of(&self, client: ClientId, group: Option<GroupId>) -> bool {
        let of = self.run.world.clients.get(client.index()).map(|p| p.group());
        of.is_some() && of == group
    }

    fn lock(&mut self, queue: MessageQueue, group: GroupId, state: LockState) {
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
        if let LockState::Blocked { head, .. } = state {
            self.delivered(head, None);
        }
    }

    /// That a broker stopped or started after a fact: what it had in memory is gone.
    fn broker_gone(&mut self, broker: BrokerId, after: Option<u32>) {
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
            let name = self.run.world.shared.names.brokers[broker.index()].clone();
            self.last_command(|c| matches!(c, Command::StopBroker { broker: of, .. } if of.as_ref().map_or(broker.index() == 0, |of| *of == name)));
        }
    }

    fn consumer(&mut self, client: ClientId, state: WorkState) {
        match state {
            WorkState::NotMember { broker, .. } => self.broker_gone(broker, None),
            WorkState::Hangs | WorkState::Ended { .. } | WorkState::Stopping => self.end_of(client),
            _ => {}
        }
        self.last_of_client(client, |f| matches!(f, Fact::ConsumerStarted { .. }));
        let name = self.name(client).to_owned();
        self.last_command(|c| starts(c, &name));
    }

    /// How a process ended or came to stand still, and by which command.
    fn end_of(&mut self, client: ClientId) {
        if self.last_of_client(client, |f| matches!(f, Fact::ConsumerStopped { .. })).is_some() {
            let name = self.name(client).to_owned();
            self.last_command(|c| matches!(c, Command::StopConsumer { name: n, .. } if *n == name));
        }
    }

    /// Why a message failed: its last failed call, and the script that says so.
    fn failure(&mut self, msg: MsgId, group: Option<GroupId>) {
        let run = self.run;
        let failed = |f: &Fact| match f {
            Fact::HandlingEnded { client, outcome, .. } => {
                let of = run.world.clients.get(client.index()).map(|p| p.group());
                of == group && !matches!(outcome, Outcome::Success | Outcome::Commit)
            }
            _ => false,
        };
        self.last_of_message(msg, failed);
        let label = run.world.shared.label(msg);
        let name = group.map(|g| run.world.shared.group(g).name.clone());
        self.last_command(|c| match c {
            Command::Handle(rule) => {
                rule.outcome.is_some_and(|o| !matches!(o, Outcome::Success | Outcome::Commit))
                    && rule.label.as_ref().is_none_or(|l| *l == label)
                    && (rule.group.is_none() || rule.group == name)
            }
            _ => false,
        });
    }

    /// Where a message was stored as far as a consumer group sees it, and the command that sent it.
    /// What another group's failures stored is no part of the story.
    pub(super) fn origin(&mut self, msg: MsgId, group: Option<GroupId>) {
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

    fn message(&mut self, msg: MsgId, group: Option<GroupId>, reason: &Reason) {
        self.reason(Some(msg), group, reason);
        if let Reason::Behind { head, .. } | Reason::BehindInvisible { head, .. } = reason {
            self.origin(*head, group);
        }
        self.origin(msg, group);
    }

    #[rustfmt::skip]
    fn reason(&mut self, msg: Option<MsgId>, group: Option<GroupId>, reason: &Reason) {
        match (*reason, msg) {
            (Reason::Behind { head, doing, client, .. }, _) => self.head(head, group, client, doing),
            (Reason::Suspended { .. }, Some(msg)) => self.suspended(msg, group),
            (Reason::BackOff { .. } | Reason::LocalRetry { .. } | Reason::SendingBack { .. }, Some(msg)) => {
                self.last_of_message(msg, |f| matches!(f, Fact::Pop(PopFact::AttemptFailed { .. }) | Fact::SendBackFailed { .. }));
                self.failure(msg, group);
            }
            (Reason::BehindInvisible { head, holder, .. }, _) => {
                self.delivered(head, holder);
                if holder.is_none() { self.lost_answer(head, group); }
            }
            (Reason::Invisible { holder, .. }, Some(msg)) => {
                self.delivered(msg, holder);
                if holder.is_none() { self.lost_answer(msg, group); }
            }
            (Reason::Held { client, .. }, Some(msg)) => self.delivered(msg, Some(client)),
            (Reason::Revives { .. } | Reason::Acting { .. }, Some(msg)) => self.delivered(msg, None),
            (Reason::Handled { attempt, .. }, Some(msg)) => {
                self.taken(msg, group);
                self.slowness(msg);
                if attempt > 1 {
                    self.failure(msg, group);
                }
            }
            (Reason::Next { .. }, Some(msg)) => {
                self.last_of_message(msg, |f| matches!(f, Fact::MessagesPulled { .. } | Fact::Pop(PopFact::Received { .. })));
            }
            (Reason::Scheduled { retry, round, .. }, Some(msg)) => {
                self.last_of_message(msg, |f| matches!(f, Fact::MessageScheduled { .. }));
                if round { self.limit(group); }
                if retry {
                    self.failure(msg, group);
                }
            }
            (Reason::Stranded { broker, .. }, Some(msg)) => {
                self.last_of_message(msg, |f| matches!(f, Fact::MessageScheduled { .. }));
                self.last_command(|c| matches!(c, Command::SetDelayLevels { .. }));
                self.broker_gone(broker, None);
            }
            (Reason::Dead, Some(msg)) => self.dead(msg, group),
            (Reason::SentNowhere, Some(msg)) => {
                self.last_of_message(msg, |f| matches!(f, Fact::SentNowhere { group: of, .. } if Some(*of) == group));
                self.failure(msg, group);
            }
            (Reason::Done | Reason::DoneBehind { .. }, Some(msg)) => {
                let run = self.run;
                self.last_of_message(msg, |f| match f {
                    Fact::MessageAcknowledged { client, .. } =>
                        run.world.clients.get(client.index()).map(|p| p.group()) == group,
                    Fact::SentBack { client, .. } =>
                        run.world.clients.get(client.index()).map(|p| p.group()) == group,
                    _ => false,
                });
            }
            (Reason::SendFailed { .. } | Reason::Late { .. } | Reason::HalfOpen { .. } | Reason::NeverVisible { .. } | Reason::Lost
                | Reason::Deleted | Reason::Travels { .. }, Some(msg)) => self.unstored(msg),
            (Reason::Passed { by }, Some(msg)) => self.passed(msg, group, by),
            _ => self.standstill(msg, group, reason),
        }
    }

    fn head(&mut self, head: MsgId, group: Option<GroupId>, client: ClientId, doing: Doing) {
        match doing {
            Doing::Suspended { .. } => self.suspended(head, group),
            Doing::BackOff { .. } | Doing::SendingBack => self.failure(head, group),
            Doing::LockMissing => {
                self.last_of_client(client, |f| {
                    matches!(f, Fact::LockMissing { .. } | Fact::LockRefused { .. })
                });
            }
            Doing::Handled { .. } | Doing::Acting | Doing::Waits => {
                self.taken(head, group);
                self.slowness(head);
                let run = self.run;
                if let Reason::Handled { attempt: 2.., .. } = message::reason(run, head, group) {
                    self.failure(head, group);
                }
            }
        }
    }

    /// The script that makes a call long.
    fn slowness(&mut self, msg: MsgId) {
        let label = self.run.world.shared.label(msg);
        self.last_command(|c| {
            matches!(c, Command::Handle(rule)
                if rule.handle_ms.is_some() && rule.label.as_ref() == Some(&label))
        });
    }

    fn suspended(&mut self, msg: MsgId, group: Option<GroupId>) {
        self.last_of_message(msg, |f| matches!(f, Fact::QueueSuspended { .. }));
        self.failure(msg, group);
        self.limit(group);
    }

    /// The limit of a group's attempts, where it was set.
    fn limit(&mut self, group: Option<GroupId>) {
        if let Some(name) = group.map(|g| self.run.world.shared.group(g).name.clone()) {
            self.last_command(|c| {
                matches!(c, Command::SetGroup { group, setting: GroupSetting::MaxReconsumeTimes(_) }
                    if *group == name)
            });
        }
    }

    fn dead(&mut self, msg: MsgId, group: Option<GroupId>) {
        self.last_of_message(
            msg,
            |f| matches!(f, Fact::DeadLettered { group: of, .. } if Some(*of) == group),
        );
        self.last_of_message(msg, |f| {
            matches!(
                f,
                Fact::Pop(PopFact::ForwardedToDeadLetter { .. } | PopFact::DeadOnReceive { .. })
            )
        });
        self.failure(msg, group);
    }

    fn delivered(&mut self, msg: MsgId, holder: Option<ClientId>) {
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

    fn unstored(&mut self, msg: MsgId) {
        self.refused_send(msg);
        self.last_of_message(msg, |f| {
            matches!(
                f,
                Fact::SendFailed { .. }
                    | Fact::MessageLost { .. }
                    | Fact::MessageDeleted { .. }
                    | Fact::TransactionEnded { .. }
                    | Fact::TransactionGivenUp { .. }
                    | Fact::TransactionPrepared { .. }
                    | Fact::SendStarted { .. }
            )
        });
        self.last_command(|c| matches!(c, Command::StopBroker { .. } | Command::SetDisk { .. }));
    }

    fn passed(&mut self, msg: MsgId, group: Option<GroupId>, by: PassedBy) {
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

/// The number of the last carried-out command of a kind.
pub(super) fn last_command(run: &Run<'_>, is_it: impl Fn(&Command) -> bool) -> Option<u32> {
    let mut found = None;
    for (index, (_, command)) in run.journal.iter().enumerate() {
        let index = index as u32;
        if is_it(command) {
            let fact = run.ledger.command(index, run.facts.len());
            found = found.max(fact.map(|fact| (fact, index)));
        }
    }
    found.map(|(_, index)| index)
}

/// Whether a command starts the consumer of a name.
pub(super) fn starts(command: &Command, wanted: &str) -> bool {
    match command {
        Command::StartConsumer { name, .. } | Command::Pop(PopCommand::Start { name, .. }) => {
            name == wanted
        }
        _ => false,
    }
}

/// Whether a command sends a message of this label by this producer.
pub(super) fn sends(command: &Command, by: &str, label: &Label) -> bool {
    match command {
        Command::Send { producer, messages, .. }
        | Command::Pop(PopCommand::SendTogether { producer, messages, .. }) => {
            producer == by && messages.iter().any(|m| m.label == *label)
        }
        Command::SendTransaction { producer, message, .. } => {
            producer == by && message.label == *label
        }
        _ => false,
    }
}
