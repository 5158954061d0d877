//! Why a message failed, and what its group makes of that.

use super::Chain;
use crate::command::{Command, GroupSetting};
use crate::explain::{message, Doing, Reason};
use crate::fact::{Fact, Outcome};
use crate::ids::{ClientId, GroupId, MsgId};
use crate::pop::PopFact;

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

    pub(super) fn head(
        &mut self,
        head: MsgId,
        group: Option<GroupId>,
        client: ClientId,
        doing: Doing,
    ) {
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
    pub(super) fn slowness(&mut self, msg: MsgId) {
        let label = self.run.world.shared.label(msg);
        self.last_command(|c| {
            matches!(c, Command::Handle(rule)
                if rule.handle_ms.is_some() && rule.label.as_ref() == Some(&label))
        });
    }

    pub(super) fn suspended(&mut self, msg: MsgId, group: Option<GroupId>) {
        self.last_of_message(msg, |f| matches!(f, Fact::QueueSuspended { .. }));
        self.failure(msg, group);
        self.limit(group);
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
}
