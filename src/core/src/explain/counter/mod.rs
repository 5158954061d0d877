//! What would move what does not move: the smallest changes that could, each with what it does.

mod change;
mod consumers;
mod deciding;
mod listeners;
mod parting;
mod senders;

pub use change::{Change, Counterfactual, Effect};
pub(super) use listeners::other_key;
pub(super) use parting::SHORT_IDLE_MS;
pub(super) use senders::fitting_type;

use super::{
    causes, message, rollback, Also, Bound, Core, Doing, Headline, LockState, Longer, PassedBy,
    Reason, Run,
};
use crate::command::{Command, GroupSetting};
use crate::fact::{Fact, RequestKind, StopKind};
use crate::ids::{ClientId, GroupId, MsgId, Party};
use crate::pop::PopCommand;
use crate::process::Process;

struct Making<'r, 'a> {
    run: &'r Run<'a>,
    effect: Effect,
    found: Vec<Counterfactual>,
}

/// What might move a thing.
pub(super) fn of(
    run: &Run<'_>,
    headline: &Headline,
    core: Core,
    also: &[Also],
) -> Vec<Counterfactual> {
    if let Headline::Refused { index } = *headline {
        return senders::refused(run, index);
    }
    let Some((msg, group)) = core else { return Vec::new() };
    let reason = match headline.reason() {
        Some(reason) => reason,
        None => message::reason(run, msg, group),
    };
    // Whoever works on without the lock does not wait for it.
    let unlocked =
        matches!(headline, Headline::Lock { state: LockState::Free | LockState::Down { .. }, .. });
    if unlocked && reason.is_working() {
        return Vec::new();
    }
    let effect = match (group, reason) {
        (
            Some(group),
            Reason::Suspended { .. }
            | Reason::BackOff { .. }
            | Reason::Handled { .. }
            | Reason::InVain { .. }
            | Reason::TooLong { .. }
            | Reason::Held { .. }
            | Reason::Acting { .. }
            | Reason::SendingBack { .. }
            | Reason::LocalRetry { .. }
            | Reason::NotTaken { .. }
            | Reason::Uncommitted { .. }
            | Reason::Invisible { .. }
            | Reason::Revives { .. },
        ) => Effect::Finished { msg, group },
        // What is rolled back again and again is begun anew without help.
        (Some(group), Reason::Behind { doing: Doing::Suspended { .. }, .. })
            if rollback::rolled_back_by(run, msg, group) == Some(msg) =>
        {
            Effect::Finished { msg, group }
        }
        // What waits to become a dead letter is handled by nobody any more.
        (Some(group), Reason::Stranded { bound: Bound::DeadLetters, .. }) => {
            Effect::Finished { msg, group }
        }
        (Some(group), Reason::NoRoom { .. }) if message::dies(run, msg, group) => {
            Effect::Finished { msg, group }
        }
        (
            _,
            Reason::Scheduled { bound: Bound::Queue, .. }
            | Reason::Stranded { bound: Bound::Queue, .. },
        ) => Effect::Stored { msg },
        (Some(group), Reason::Scheduled { .. }) => Effect::Finished { msg, group },
        (Some(group), Reason::Stranded { .. }) => Effect::Handled { msg, group },
        // What lay in its queue before is under a delay because it failed.
        (Some(group), Reason::NoRoom { .. }) if was_stored(run, msg) => {
            Effect::Handled { msg, group }
        }
        // What it was handling when it came to stand still it does not begin anew.
        (Some(group), Reason::Hangs { client }) if has_in_hands(run, client, msg) => {
            Effect::Finished { msg, group }
        }
        (None, _)
        | (
            _,
            Reason::AtProducer { .. }
            | Reason::Travels { .. }
            | Reason::SendFailed { .. }
            | Reason::Late { .. }
            | Reason::SendLost { .. }
            | Reason::HalfOpen { .. }
            | Reason::NeverVisible { .. }
            | Reason::Wheel { .. }
            | Reason::NoRoom { .. },
        ) => Effect::Stored { msg },
        (Some(group), _) => Effect::Handled { msg, group },
    };
    let mut making = Making { run, effect, found: Vec::new() };
    making.reason(msg, group, &reason);
    for one in also {
        making.reason(one.msg, group, &one.reason);
    }
    making.found
}

/// Whether a message was ever stored in a queue of its topic.
fn was_stored(run: &Run<'_>, msg: MsgId) -> bool {
    let topic = run.world.shared.message(msg).topic;
    run.ledger.places_of(msg, run.facts.len()).any(|index| {
        run.facts.get(index as usize).is_some_and(
            |r| matches!(r.fact, Fact::MessageStored { queue, .. } if queue.topic == topic),
        )
    })
}

/// Whether a process has a message in a listener call.
fn has_in_hands(run: &Run<'_>, client: ClientId, msg: MsgId) -> bool {
    match run.world.clients.get(client.index()) {
        Some(Process::Classic(client)) => {
            client.calls.iter().any(|call| call.batch.iter().any(|m| m.msg == msg))
        }
        Some(Process::Grpc(client)) => {
            client.calls.iter().any(|call| call.delivery.handle.msg == msg)
        }
        None => false,
    }
}

use super::violation::{longer_invisible, WITH_DEAD_LETTERS};

impl Making<'_, '_> {
    fn add(&mut self, change: Change) {
        let one = Counterfactual { change, effect: self.effect };
        if !self.found.contains(&one) {
            self.found.push(one);
        }
    }

    fn now(&mut self, command: Command) {
        self.add(Change::Now(vec![command]));
    }

    fn name(&self, client: ClientId) -> String {
        self.run.world.shared.names.clients[client.index()].clone()
    }

    fn group_name(&self, group: GroupId) -> String {
        self.run.world.shared.group(group).name.clone()
    }

    #[rustfmt::skip]
    fn reason(&mut self, msg: MsgId, group: Option<GroupId>, reason: &Reason) {
        match (*reason, group) {
            (Reason::SendFailed { failure, full, .. }, _) => self.send_failed(msg, failure, full),
            (Reason::AtProducer { before, .. }, _) => {
                self.shorter_way(before.unwrap_or(msg));
                self.sender_faster(before.unwrap_or(msg));
                self.asynchronous(msg);
            }
            (Reason::Travels { .. } | Reason::Late { .. } | Reason::SendLost { .. }, _) => {
                self.shorter_way(msg);
                self.sender_faster(msg);
            }
            (Reason::HalfOpen { undone, .. } | Reason::NeverVisible { given_up: true, undone }, _) => {
                self.undecided(msg, undone);
            }
            (Reason::NoRoom { broker, .. }, _) => self.room(broker),
            (Reason::NotTaken { broker, .. }, Some(group)) => self.not_taken(msg, group, broker),
            (Reason::AnswerLost { client, .. }, _) => self.reader_faster(client),
            (Reason::Scheduled { bound: Bound::Queue, .. } | Reason::Wheel { .. }, _) => {
                self.less_delay(msg, group);
            }
            (Reason::Scheduled { bound, .. }, Some(group)) => {
                if bound != Bound::Retry {
                    self.add(Change::Release(WITH_DEAD_LETTERS));
                }
                self.succeeds(msg, group);
                self.less_delay(msg, Some(group));
            }
            (Reason::Stranded { broker, level, .. }, _) => self.level_again(broker, level),
            (Reason::NotReadable { queue, .. }, _) => self.readable(queue),
            (Reason::Suspended { .. }, Some(group)) => self.failing(msg, group),
            (Reason::BackOff { .. } | Reason::LocalRetry { .. } | Reason::SendingBack { .. }, Some(group)) => {
                self.succeeds(msg, group);
            }
            (Reason::Behind { head, doing, .. }, Some(group)) => self.behind(msg, head, group, doing),
            (Reason::BehindInvisible { head, holder, longer, .. }, Some(group)) => {
                self.reached_again(head, group, (holder, longer));
                if let Some(holder) = holder {
                    self.serve(holder, RequestKind::Ack);
                }
                self.room_for(head, group);
                self.acknowledge(head, holder);
                self.less_invisible(holder);
                self.message_group_only(msg, head);
                self.succeeds_from_start(head, group);
            }
            (Reason::Invisible { holder, longer, .. }, Some(group)) => {
                self.reached_again(msg, group, (holder, longer));
                self.acknowledge(msg, holder);
                self.less_invisible(holder);
                self.succeeds_from_start(msg, group);
            }
            (Reason::Held { client, .. }, _) => self.acknowledge(msg, Some(client)),
            (Reason::Handled { attempt, .. }, Some(group)) => {
                if attempt > 1 {
                    self.failing(msg, group);
                }
                self.shorter(msg, group);
            }
            (Reason::LockHeld { owner, gone, .. }, _) => self.lock_held(owner, gone),
            (Reason::OfAbsentMember { client, .. }, _) => self.absent(client),
            (Reason::Rebalancing { .. }, Some(group)) => self.rounds(group),
            (Reason::InVain { client, heir, .. }, Some(group)) if heir == Some(client) => {
                self.returned(msg, group, client);
            }
            (Reason::InVain { client, .. }, Some(group)) => {
                self.parting(msg, group, client);
                self.shorter(msg, group);
            }
            (Reason::TooLong { client, .. }, Some(group)) => {
                let longer = longer_invisible(self.run, client);
                longer.into_iter().for_each(|change| self.add(change));
                self.shorter(msg, group);
            }
            (Reason::Returned { client, .. }, Some(group)) => self.returned(msg, group, client),
            (Reason::Leaving { client, .. }, Some(group)) => self.parting(msg, group, client),
            (Reason::NoConsumer { last }, Some(group)) => self.consumer(group, last.map(|(c, _)| c)),
            (Reason::Hangs { client }, _) => {
                let name = self.name(client);
                self.now(Command::ResumeConsumer { name });
            }
            (Reason::CutOff { client, from }, _) => {
                let a = self.name(client);
                let b = self.run.world.shared.names.party_name(from).to_owned();
                if let Party::Broker(_) = from {
                    self.heal_broker(client, &a, &b);
                } else {
                    self.now(Command::Heal { a, b });
                }
            }
            (Reason::BrokerDown { broker, .. }, _) => {
                let broker = Some(self.run.world.shared.names.brokers[broker.index()].clone());
                self.now(Command::StartBroker { broker });
            }
            (Reason::ProxyDown { proxy, .. }, _) => {
                let proxy = self.run.world.shared.names.proxies[proxy.index()].clone();
                self.now(Command::Pop(PopCommand::RunProxy { proxy, up: true }));
            }
            (Reason::Paused, Some(group)) => {
                let group = self.group_name(group);
                self.now(Command::SetGroup { group, setting: GroupSetting::Paused(false) });
            }
            (Reason::NotAsked { client }, _) => self.receive(client),
            (Reason::NoThread { client, .. }, Some(group)) => self.threads(client, group),
            (Reason::Refused { client, by }, _) => self.refused(msg, group, client, by),
            (Reason::Unwanted { .. }, Some(group)) => self.passed(msg, group, PassedBy::Filter),
            (Reason::PullFailed { client }, _) => self.serve(client, RequestKind::Receive),
            (Reason::Acting { client, .. }, _) => {
                if let Some(group) = group {
                    self.reached_again(msg, group, (Some(client), Longer::No));
                }
                self.serve(client, RequestKind::Ack);
            }
            (Reason::CacheFull { .. }, _) => {
                // As many as `checkConfig` lets through.
                let name = "pullThresholdForQueue".to_owned();
                self.now(Command::SetConstant { name, value: 65_535 });
            }
            (Reason::Passed { by }, Some(group)) => self.passed(msg, group, by),
            (Reason::OfOtherReader { client }, _) => {
                let name = self.name(client);
                let own = causes::last_command(
                    self.run,
                    |c| matches!(c, Command::Subscribe { consumer, .. } if *consumer == name),
                );
                own.into_iter().for_each(|index| self.add(Change::Without(vec![index])));
                self.now(Command::StopConsumer { name, how: StopKind::Clean });
            }
            (Reason::Uncommitted { .. }, Some(group)) => {
                let group = self.group_name(group);
                let setting = GroupSetting::AutoCommit(true);
                let commands = vec![Command::SetGroup { group: group.clone(), setting }];
                self.at_creation_of(&group, commands);
            }
            _ => {}
        }
    }
}
