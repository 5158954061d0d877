//! Why a message failed, and what its group makes of that.

use super::Chain;
use crate::command::{Command, GroupSetting};
use crate::explain::{faults, message, rollback, Doing, Reason, Run};
use crate::fact::{Fact, Outcome};
use crate::ids::{BrokerId, ClientId, GroupId, MsgId};
use crate::pop::PopFact;

/// Whether the listener of a consumer handles one key only, and a message has another.
pub(in crate::explain) fn is_foreign(run: &Run<'_>, client: ClientId, msg: MsgId) -> bool {
    let names = &run.world.shared.names;
    let own = names.clients.get(client.index()).and_then(|name| names.own_keys.get(name));
    own.is_some_and(|(key, _)| *key != run.world.shared.message(msg).key)
}

/// Whether a proxy made a message a dead letter of a group while it was received.
pub(in crate::explain) fn died_on_receive(run: &Run<'_>, msg: MsgId, group: GroupId) -> bool {
    let mut newest = run.ledger.newest_of(msg, run.facts.len());
    let last = newest.find_map(|index| match run.facts.get(index as usize)?.fact {
        Fact::Pop(PopFact::DeadOnReceive { group: of, .. }) if of == group => Some(true),
        Fact::Pop(PopFact::ForwardedToDeadLetter { client, .. }) => {
            let of = run.world.clients.get(client.index()).map(|p| p.group());
            (of == Some(group)).then_some(false)
        }
        _ => None,
    });
    last.unwrap_or_default()
}

impl Chain<'_, '_> {
    /// Why a message failed: its last failed call, and the script that says so.
    pub(super) fn failure(&mut self, msg: MsgId, group: Option<GroupId>) {
        let run = self.run;
        let failed = |f: &Fact| match f {
            Fact::HandlingEnded { client, outcome, .. } => {
                let of = run.world.clients.get(client.index()).map(|p| p.group());
                of == group && !matches!(outcome, Outcome::Success | Outcome::Commit)
            }
            _ => false,
        };
        let failed = self.last_of_message(msg, failed);
        let by = failed.and_then(|index| match run.facts[index as usize].fact {
            Fact::HandlingEnded { client, .. } => Some(client),
            _ => None,
        });
        let consumer = by.map(|client| self.name(client).to_owned());
        if by.is_some_and(|client| is_foreign(run, client, msg)) {
            self.last_command(|c| matches!(c, Command::OwnKey { consumer: of, .. } if Some(of) == consumer.as_ref()));
            return;
        }
        let label = run.world.shared.label(msg);
        let name = group.map(|g| run.world.shared.group(g).name.clone());
        self.last_command(|c| match c {
            Command::Handle(rule) => {
                rule.outcome.is_some_and(|o| !matches!(o, Outcome::Success | Outcome::Commit))
                    && rule.label.as_ref().is_none_or(|l| *l == label)
                    && (rule.group.is_none() || rule.group == name)
                    && (rule.client.is_none() || consumer.is_none() || rule.client == consumer)
            }
            _ => false,
        });
    }

    /// What became of the try to send a failed message away, or when it is tried again.
    pub(super) fn sent_away(&mut self, msg: MsgId, group: Option<GroupId>) {
        let run = self.run;
        self.last_of_message(msg, |f| match f {
            Fact::Pop(
                PopFact::AttemptFailed { client, .. } | PopFact::ActFailed { client, .. },
            )
            | Fact::SendBackFailed { client, .. } => {
                run.world.clients.get(client.index()).map(|p| p.group()) == group
            }
            Fact::Pop(PopFact::DeadOnReceive { group: of, .. }) => Some(*of) == group,
            _ => false,
        });
    }

    /// The command that filled the disk of a broker.
    pub(super) fn full_disk(&mut self, broker: BrokerId) {
        let run = self.run;
        self.last_command(|c| match c {
            Command::SetDisk { broker: of, used_percent } => {
                faults::is_too_full(run, *used_percent)
                    && (of.is_none() || faults::is_of_broker(run, of, broker))
            }
            _ => false,
        });
    }

    /// The command that had filled the disk of a broker when a fact happened.
    pub(super) fn full_disk_at(&mut self, broker: BrokerId, fact: u32) {
        let run = self.run;
        self.last_command_before(fact, |c| match c {
            Command::SetDisk { broker: of, used_percent } => {
                faults::is_too_full(run, *used_percent)
                    && (of.is_none() || faults::is_of_broker(run, of, broker))
            }
            _ => false,
        });
    }

    pub(super) fn head(&mut self, head: MsgId, group: Option<GroupId>, doing: Doing) {
        if doing.stands_still() {
            let own = message::reason(self.run, head, group);
            return self.reason(Some(head), group, &own);
        }
        match doing {
            Doing::Suspended { .. } => self.suspended(head, group),
            Doing::BackOff { .. } | Doing::SendingBack => {
                self.not_taken(head, group);
                self.failure(head, group);
            }
            _ => {
                self.taken(head, group);
                self.slowness(head, group);
                let run = self.run;
                if let Reason::Handled { attempt: 2.., .. } = message::reason(run, head, group) {
                    self.failure(head, group);
                }
            }
        }
    }

    /// The script that makes a call long.
    pub(super) fn slowness(&mut self, msg: MsgId, group: Option<GroupId>) {
        let label = self.run.world.shared.label(msg);
        let name = group.map(|g| self.run.world.shared.group(g).name.clone());
        self.last_command(|c| match c {
            Command::Handle(rule) => {
                rule.handle_ms.is_some()
                    && rule.label.as_ref() == Some(&label)
                    && (rule.group.is_none() || rule.group == name)
            }
            _ => false,
        });
    }

    /// Why a queue pauses before a message: what suspended it last, which may be a later message that was
    /// rolled back, and with it all that was taken and not committed.
    pub(super) fn suspended(&mut self, msg: MsgId, group: Option<GroupId>) {
        let run = self.run;
        let by = group.and_then(|group| rollback::suspended_by(run, msg, group));
        self.facts.extend(by.map(|(_, fact)| fact));
        if let Some((other, _)) = by.filter(|(by, _)| *by != msg) {
            self.failure(other, group);
        }
        if group.is_some_and(|group| rollback::rolled_back_by(run, msg, group).is_some()) {
            self.autocommit_off(group);
        }
        self.not_taken(msg, group);
        self.failure(msg, group);
        self.limit(group);
    }

    /// Why a failed message is not taken back, if it is not.
    pub(super) fn not_taken(&mut self, msg: MsgId, group: Option<GroupId>) {
        if let Reason::NotTaken { broker, .. } = message::reason(self.run, msg, group) {
            self.sent_away(msg, group);
            self.full_disk(broker);
        }
    }

    /// Where a group's autocommit was switched off.
    fn autocommit_off(&mut self, group: Option<GroupId>) {
        if let Some(name) = group.map(|g| self.run.world.shared.group(g).name.clone()) {
            self.last_command(|c| {
                matches!(c, Command::SetGroup { group, setting: GroupSetting::AutoCommit(false) }
                    if *group == name)
            });
        }
    }

    /// The limit of a group's attempts, where it was set.
    pub(super) fn limit(&mut self, group: Option<GroupId>) {
        if let Some(name) = group.map(|g| self.run.world.shared.group(g).name.clone()) {
            self.last_command(|c| {
                matches!(c, Command::SetGroup { group, setting: GroupSetting::MaxReconsumeTimes(_) }
                    if *group == name)
            });
        }
    }

    pub(super) fn dead(&mut self, msg: MsgId, group: Option<GroupId>) {
        let run = self.run;
        self.last_of_message(
            msg,
            |f| matches!(f, Fact::DeadLettered { group: of, .. } if Some(*of) == group),
        );
        self.last_of_message(msg, |f| match f {
            Fact::Pop(PopFact::ForwardedToDeadLetter { client, .. }) => {
                run.world.clients.get(client.index()).map(|p| p.group()) == group
            }
            Fact::Pop(PopFact::DeadOnReceive { group: of, .. }) => Some(*of) == group,
            _ => false,
        });
        self.failure(msg, group);
    }
}
