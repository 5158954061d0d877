//! What the effect of a change looks like among the facts of a run.

use crate::check::Broken;
use crate::client::Status;
use crate::command::Label;
use crate::explain::Effect;
use crate::fact::Fact;
use crate::ids::{GroupId, MsgId};
use crate::pop::{GrpcKind, PopFact, SimpleMode};
use crate::process::Process;
use crate::world::World;

/// What an effect looks like in any run of the same names.
pub(super) enum Sign {
    Handled(Label, String),
    Finished(Label, String),
    SentBack(Label, String),
    Stored(Label),
    Applied(u32),
    Broken(String, String),
}

/// Whether the applications of a group get messages by hand, every one of them that runs: what they are
/// given counts as begun, and what they do with it then is theirs.
pub fn gets_by_hand(world: &World, group: GroupId) -> bool {
    let is_of = |c: &&Process| c.group() == group && !matches!(c.status(), Status::Ended(_));
    let mut running = world.clients.iter().filter(is_of).peekable();
    running.peek().is_some() && running.all(|c| is_by_hand(world, c.id()))
}

/// Whether an application gets messages by hand: what it is given it handles.
pub(in crate::explain) fn is_by_hand(world: &World, client: crate::ids::ClientId) -> bool {
    let client = world.clients.get(client.index()).and_then(Process::grpc);
    client.is_some_and(|c| matches!(c.kind, GrpcKind::Simple(SimpleMode::Scripted)))
}

/// Whether a message waits under a delay level: a client that counts it as consumed has only parted with
/// it, as orderly ones do from 5.0.0 to 5.1.0 when the attempts are used up.
fn comes_back(world: &World, msg: MsgId) -> bool {
    world.brokers.iter().any(|broker| {
        let levels = 1..=broker.delay.table.max_level().clamp(0, 255) as u8;
        levels.into_iter().any(|level| broker.waiting_under(level).any(|(r, _)| r.msg == msg))
    })
}

impl Sign {
    pub(super) fn of(world: &World, effect: Effect) -> Self {
        let shared = &world.shared;
        let group = |group: GroupId| shared.group(group).name.clone();
        match effect {
            Effect::Handled { msg, group: of } => Self::Handled(shared.label(msg), group(of)),
            Effect::Finished { msg, group: of } => Self::Finished(shared.label(msg), group(of)),
            Effect::SentBack { msg, group: of } => Self::SentBack(shared.label(msg), group(of)),
            Effect::Stored { msg } => Self::Stored(shared.label(msg)),
            Effect::Applied { index } => Self::Applied(index),
            Effect::OrderKept { series, group: of } => {
                Self::Broken(shared.names.series[series.index()].name.clone(), group(of))
            }
        }
    }

    pub(super) fn shows(&self, world: &World, fact: &Fact) -> bool {
        let shared = &world.shared;
        let is = |label: &Label, msg| shared.label(msg) == *label;
        let of = |name: &String, client: crate::ids::ClientId| {
            let group = world.clients.get(client.index()).map(|p| p.group());
            group.is_some_and(|g| shared.group(g).name == *name)
        };
        match (self, *fact) {
            (Self::Handled(label, group), Fact::HandlingStarted { client, msg, .. }) => {
                is(label, msg) && of(group, client)
            }
            (Self::Handled(label, group), Fact::Pop(PopFact::Received { client, msg, .. })) => {
                is(label, msg) && of(group, client) && is_by_hand(world, client)
            }
            (Self::Finished(label, group), Fact::MessageAcknowledged { client, msg, .. }) => {
                is(label, msg) && of(group, client) && !comes_back(world, msg)
            }
            (Self::Finished(label, group), Fact::DeadLettered { group: g, msg, .. }) => {
                is(label, msg) && shared.group(g).name == *group
            }
            (Self::SentBack(label, group), Fact::SentBack { client, msg, .. }) => {
                is(label, msg) && of(group, client)
            }
            (Self::Stored(label), Fact::MessageStored { msg, queue, .. }) => {
                is(label, msg) && shared.message(msg).topic == queue.topic
            }
            (Self::Applied(wanted), Fact::CommandApplied { index }) => index == *wanted,
            _ => false,
        }
    }

    pub(super) fn is_break(&self, world: &World, broken: &Broken, group: GroupId) -> bool {
        match (self, broken) {
            (Self::Broken(series, of), Broken::Order { series: id, .. }) => {
                world.shared.names.series[id.index()].name == *series
                    && world.shared.group(group).name == *of
            }
            _ => false,
        }
    }
}
