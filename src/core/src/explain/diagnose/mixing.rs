//! Consumers of both stacks in one consumer group.

use std::collections::BTreeMap;

use super::super::violation::instead;
use super::super::Change;
use super::{Patient, Problem, Symptom};
use crate::command::Command;
use crate::fact::Fact;
use crate::ids::{ClientId, GroupId, MsgId};
use crate::pop::{GrpcKind, PopCommand};
use crate::process::Process;
use crate::session::Session;

/// Who began a message last in each stack, with the facts.
type Begun = BTreeMap<(GroupId, MsgId), [Option<(ClientId, u32)>; 2]>;

/// The first message of a group that consumers of both stacks were given: each with its fact.
struct Both {
    group: GroupId,
    classic: (ClientId, u32),
    grpc: (ClientId, u32),
}

impl Patient<'_> {
    /// A queue lock binds classic consumers only, and a POP reads from the same offset: both stacks are
    /// given the same messages.
    pub(super) fn mixing(&mut self) {
        for both in both(self.session) {
            let Both { group, classic, grpc } = both;
            let problem = Problem::MixedStacks { group, classic: classic.0, grpc: grpc.0 };
            let evidence = vec![classic.1, grpc.1];
            let repair = self.one_stack(group);
            self.find(Symptom::TwoOwners, problem, evidence, None, repair);
        }
    }

    /// Whether two consumers are of different stacks: what is between them is told by that.
    pub(super) fn are_mixed(&self, a: ClientId, b: ClientId) -> bool {
        let grpc = |c: ClientId| {
            self.run.world.clients.get(c.index()).map(|process| process.grpc().is_some())
        };
        grpc(a) != grpc(b)
    }

    /// All consumers of the group by one stack: those changes after which nobody is given the same.
    fn one_stack(&self, group: GroupId) -> Vec<Change> {
        let of = &self.run.world.shared.group(group).name;
        let classic = instead(&self.run, |c| match c {
            Command::Pop(PopCommand::Start { name, group, threads, .. }) if group == of => {
                let (name, group) = (name.clone(), group.clone());
                *c = Command::StartConsumer { name, group, threads: *threads };
                true
            }
            _ => false,
        });
        let grpc = instead(&self.run, |c| match c {
            Command::StartConsumer { name, group, threads } if group == of => {
                let (name, group) = (name.clone(), group.clone());
                let start =
                    PopCommand::Start { name, group, kind: GrpcKind::Push, threads: *threads };
                *c = Command::Pop(start);
                true
            }
            _ => false,
        });
        let changes = [grpc, classic].into_iter().flatten();
        let clean = |change: &Change| {
            let after = self.with(change);
            both(&after).is_empty() && after.violations().len() <= self.session.violations().len()
        };
        changes.filter(clean).collect()
    }
}

/// For each group in which it happened, the first message that both stacks began.
fn both(session: &Session) -> Vec<Both> {
    let world = session.world();
    let (mut begun, mut found) = (Begun::new(), Vec::<Both>::new());
    for (index, record) in session.facts().iter().enumerate() {
        let Fact::HandlingStarted { client, msg, queue, .. } = record.fact else { continue };
        let Some(process) = world.clients.get(client.index()) else { continue };
        let group = process.group();
        // What one stack sent to its retry topic is the other one's by right.
        if world.shared.message(msg).topic != queue.topic || found.iter().any(|b| b.group == group)
        {
            continue;
        }
        let place = usize::from(matches!(process, Process::Grpc(_)));
        let of_message = begun.entry((group, msg)).or_default();
        of_message[place] = Some((client, index as u32));
        if let [Some(classic), Some(grpc)] = *of_message {
            let other = if place == 0 { grpc.0 } else { classic.0 };
            let runs = world.clients.get(other.index()).is_some_and(|p| ran_at(session, p, index));
            if runs {
                found.push(Both { group, classic, grpc });
            }
        }
    }
    found
}

/// Whether a process had not ended before a fact: it did not merely come before the other one.
fn ran_at(session: &Session, process: &Process, fact: usize) -> bool {
    let mut before = session.facts()[..fact].iter();
    !before
        .any(|r| matches!(r.fact, Fact::ConsumerStopped { client, .. } if client == process.id()))
}
