//! Changes by which a consumer parts with a queue, or takes it anew.

use super::{Change, Making};
use crate::client::Status;
use crate::command::Command;
use crate::explain::{causes, handover, message};
use crate::fact::{Fact, StopKind};
use crate::ids::{ClientId, GroupId, Ms, MsgId};

/// Longer than a pull is held (`BROKER_SUSPEND_MAX_TIME_MILLIS`) and answered.
pub(in crate::explain) const SHORT_IDLE_MS: Ms = 30_000;

impl Making<'_, '_> {
    /// A queue is given away: the call that stood in the way were shorter, the next try came sooner, or its
    /// consumer stops.
    pub(super) fn parting(&mut self, msg: MsgId, group: GroupId, client: ClientId) {
        let run = self.run;
        let queue = message::lies_in(run, msg, group);
        let Some(part) = queue.and_then(|queue| handover::last(run, client, queue)) else { return };
        let call = part.call.and_then(|fact| run.facts.get(fact as usize));
        if let Some(Fact::HandlingStarted { msg, .. }) = call.map(|record| record.fact) {
            self.shorter(msg, group);
        }
        self.rounds(group);
        let name = self.name(client);
        self.now(Command::StopConsumer { name, how: StopKind::Clean });
    }

    /// A queue that its consumer dropped and is allocated again: a member that has left comes back and takes it, the
    /// call had been shorter, or such a queue leaves the table earlier.
    pub(super) fn returned(&mut self, msg: MsgId, group: GroupId, client: ClientId) {
        let run = self.run;
        let left = run.world.clients.iter().rev().filter(|process| {
            process.group() == group && matches!(process.status(), Status::Ended(_))
        });
        for name in left.map(|process| self.name(process.id())).collect::<Vec<_>>() {
            if let Some(index) = causes::last_command(run, |c| causes::starts(c, &name)) {
                self.now(run.journal[index as usize].1.clone());
            }
        }
        let (new, of) = ("c-new".to_owned(), self.group_name(group));
        self.now(Command::StartConsumer { name: new, group: of, threads: None });
        let queue = message::lies_in(run, msg, group);
        let part = queue.and_then(|queue| handover::last(run, client, queue));
        let call = part.and_then(|part| run.facts.get(part.call? as usize));
        if let Some(Fact::HandlingStarted { msg, .. }) = call.map(|record| record.fact) {
            self.shorter(msg, group);
        }
        let name = "rocketmq.client.pull.pullMaxIdleTime".to_owned();
        let idle = Command::SetConstant { name, value: SHORT_IDLE_MS };
        self.add(Change::From { at_ms: 0, commands: vec![idle] });
    }

    /// Rounds come more often, or one begins because somebody joins.
    pub(super) fn rounds(&mut self, group: GroupId) {
        let rounds = "rocketmq.client.rebalance.waitInterval";
        let name = rounds.to_owned();
        self.now(Command::SetConstant { name, value: 1_000 });
        let group = self.group_name(group);
        self.now(Command::StartConsumer { name: "c-new".to_owned(), group, threads: None });
        let begin = Command::SetConstant { name: rounds.to_owned(), value: 1_000 };
        self.add(Change::From { at_ms: 0, commands: vec![begin] });
    }
}
