//! The chain of facts that led to a state, back to a command.

mod failing;
mod filtered;
mod placing;
mod standing;
mod things;
mod undelivered;
mod unstored;

use super::faults::Fault;
use super::ledger::Newest;
pub(super) use failing::{died_on_receive, is_foreign};

use super::{message, About, Also, Bound, Core, Headline, Reason, Run};
use crate::command::{Command, Label};
use crate::fact::Fact;
use crate::ids::{ClientId, GroupId, MessageQueue, MsgId};
use crate::pop::{PopCommand, PopFact};

/// A link to an earlier fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cause {
    /// Its index among the facts of the run.
    pub fact: u32,
    /// The command of the journal that it is about, if it is a command's.
    pub command: Option<u32>,
}

/// What led to the state of a thing, the newest first.
pub(super) fn of(
    run: &Run<'_>,
    about: About,
    headline: &Headline,
    core: Core,
    also: &[Also],
) -> Vec<Cause> {
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
    for one in also {
        chain.reason(Some(one.msg), headline.group(run), &one.reason);
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

    /// The last command of a kind that was carried out before a fact, or in its event: a command is told behind
    /// what it does.
    pub(super) fn last_command_before(
        &mut self,
        before: u32,
        is_it: impl Fn(&Command) -> bool,
    ) -> Option<u32> {
        let run = self.run;
        let event = run.facts.get(before as usize)?.event;
        let until = run.facts.partition_point(|record| record.event <= event);
        let done = run.facts[..until].iter().rposition(|record| match record.fact {
            Fact::CommandApplied { index } => {
                run.journal.get(index as usize).is_some_and(|(_, command)| is_it(command))
            }
            _ => false,
        })?;
        self.facts.push(done as u32);
        Some(done as u32)
    }

    /// The command that begins a disturbance, the last of some.
    pub(super) fn fault(&mut self, faults: &[Fault]) {
        let last = faults.iter().filter_map(|fault| fault.commands.first());
        let facts = last.filter_map(|index| self.run.ledger.command(*index, self.run.facts.len()));
        self.facts.extend(facts.max());
    }

    fn name(&self, client: ClientId) -> &str {
        &self.run.world.shared.names.clients[client.index()]
    }

    fn is_of(&self, client: ClientId, group: Option<GroupId>) -> bool {
        let of = self.run.world.clients.get(client.index()).map(|p| p.group());
        of.is_some() && of == group
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
            (Reason::Behind { head, doing, .. }, _) => self.head(head, group, doing),
            (Reason::Suspended { .. }, Some(msg)) => self.suspended(msg, group),
            (Reason::BackOff { .. } | Reason::LocalRetry { .. } | Reason::SendingBack { .. } | Reason::NotTaken { .. }, Some(msg)) => {
                if let Reason::NotTaken { broker, .. } = *reason { self.full_disk(broker); }
                self.sent_away(msg, group);
                self.failure(msg, group);
            }
            (Reason::BehindInvisible { head, holder, longer, .. }, _) => self.invisible(head, group, (holder, longer)),
            (Reason::Invisible { holder, longer, .. }, Some(msg)) => self.invisible(msg, group, (holder, longer)),
            (Reason::OwnTime { client, .. }, _) => self.last_delivery(client, msg, group),
            (Reason::Held { client, .. }, Some(msg)) => self.delivered(msg, group, Some(client)),
            (Reason::Revives { .. } | Reason::Acting { .. }, Some(msg)) => self.delivered(msg, group, None),
            (Reason::InVain { client, .. }, Some(msg)) => self.dropped_call(client, msg, group),
            (Reason::TooLong { client, .. }, Some(msg)) => {
                self.delivered(msg, group, None);
                self.taken_by(client, msg);
                self.slowness(msg, group);
                self.asked_for(client);
            }
            (Reason::VoidCall { client, .. }, Some(msg)) => self.void_call(client, msg, group),
            (Reason::Handled { client, attempt, .. }, Some(msg)) => {
                self.taken_by(client, msg);
                self.slowness(msg, group);
                if attempt > 1 {
                    self.failure(msg, group);
                }
            }
            (Reason::Next { .. }, Some(msg)) => {
                self.last_of_message(msg, |f| matches!(f, Fact::MessagesPulled { .. } | Fact::Pop(PopFact::Received { .. })));
            }
            (Reason::NoRoom { broker, .. }, Some(msg)) => {
                self.last_of_message(msg, |f| matches!(f, Fact::MessageScheduled { .. }));
                self.full_disk(broker);
            }
            (Reason::Scheduled { bound, .. }, Some(msg)) => {
                self.last_of_message(msg, |f| matches!(f, Fact::MessageScheduled { .. }));
                if matches!(bound, Bound::Round | Bound::DeadLetters) { self.limit(group); }
                if bound != Bound::Queue {
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
            (Reason::Done | Reason::DoneBehind { .. } | Reason::DoneLost, Some(msg)) => {
                let run = self.run;
                if let Reason::DoneLost = reason {
                    self.unstored(msg, reason);
                    self.taken(msg, group);
                }
                self.last_of_message(msg, |f| match f {
                    Fact::MessageAcknowledged { client, .. } =>
                        run.world.clients.get(client.index()).map(|p| p.group()) == group,
                    Fact::SentBack { client, .. } =>
                        run.world.clients.get(client.index()).map(|p| p.group()) == group,
                    _ => false,
                });
            }
            (Reason::SendFailed { .. } | Reason::Late { .. } | Reason::HalfOpen { .. } | Reason::NeverVisible { .. } | Reason::Lost | Reason::WheelGaveUp
                | Reason::Deleted | Reason::Travels { .. } | Reason::SendLost { .. }, Some(msg)) => self.unstored(msg, reason),
            (Reason::Passed { by }, Some(msg)) => self.passed(msg, group, by),
            _ => self.standstill(msg, group, reason),
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
