//! What would have let go of a queue that was held, tried on the run anew.

use super::super::counter::SHORT_IDLE_MS;
use super::super::violation::{instead, without};
use super::super::{faults, Change, Ledger, Run};
use super::holding::HAND_OVER_MS;
use super::{Held, Patient};
use crate::command::Command;
use crate::fact::{Fact, RequestKind};
use crate::ids::{ClientId, GroupId, Ms, Party};
use crate::pop::{GrpcKind, PopCommand, SimpleMode};
use crate::session::Session;

/// The shortest invisible duration.
const SHORTEST_MS: Ms = 10_000;

impl Patient<'_> {
    /// What takes it away, tried: those changes after which nothing of the kind holds the group.
    pub(super) fn released(&self, group: GroupId, by: Held, waited_ms: Ms) -> Vec<Change> {
        let names = &self.run.world.shared.names;
        let changes = match by {
            Held::Dead { client } => vec![self.clean_end(client), self.shorter_invisible(client)],
            Held::Cut { a, b } => {
                let (a, b) = (names.party_name(a), names.party_name(b));
                vec![without(&self.run, |c| match c {
                    Command::Cut { a: x, b: y } | Command::Heal { a: x, b: y } => {
                        (&**x, &**y) == (a, b) || (&**y, &**x) == (a, b)
                    }
                    _ => false,
                })]
            }
            Held::Down { party: Party::Proxy(proxy) } => {
                let name = &names.proxies[proxy.index()];
                vec![without(
                    &self.run,
                    |c| matches!(c, Command::Pop(PopCommand::RunProxy { proxy, .. }) if proxy == name),
                )]
            }
            Held::Down { party } => {
                let is_it = |of: &Option<String>| {
                    of.as_deref().and_then(|of| names.party(of)).is_none_or(|of| of == party)
                };
                vec![without(&self.run, |c| match c {
                    Command::StopBroker { broker, .. } | Command::StartBroker { broker } => {
                        is_it(broker)
                    }
                    _ => false,
                })]
            }
            Held::HandOver { delayed_ms, .. } => {
                let (rounds, at_once) = (rounds_each_second(), unlocks_at_once());
                let late = delayed_ms > 0;
                let both = late.then(|| together(&[rounds.clone(), at_once.clone()]));
                vec![Some(rounds), late.then_some(at_once), both]
            }
            Held::Returned { .. } => vec![Some(lets_go_earlier())],
            Held::Threads { client, .. } => vec![self.more_threads(client)],
            Held::Refused { .. } => vec![self.served(RequestKind::Receive)],
            Held::Lost { from, to } => {
                return self.lost_answers(group, (from, to)).into_iter().collect()
            }
        };
        let kind = std::mem::discriminant(&by);
        let changes = changes.into_iter().flatten();
        let least_ms = match by {
            // What remains of it is a matter of the release.
            Held::HandOver { .. } | Held::Returned { .. } => waited_ms / 2,
            _ => 0,
        };
        let holds = |after: &Session| is_held(after, (self.until_ms, least_ms), group, kind);
        let mut released = changes.filter(|change| !holds(&self.with(change)));
        // Two settings at once are for where neither of them is enough.
        match by {
            Held::HandOver { .. } => released.next().into_iter().collect(),
            _ => released.collect(),
        }
    }

    /// What answers between two parties were lost in, left out.
    fn lost_answers(&self, group: GroupId, (from, to): (Party, Party)) -> Option<Change> {
        let lost = self.run.facts.iter().find(
            |r| matches!(r.fact, Fact::PacketLost { from: x, to: y } if (x, y) == (from, to)),
        );
        let at_ms = lost?.at_ms;
        let faults = faults::between(&self.run, &[from, to], RequestKind::Receive, (at_ms, at_ms));
        let kind = std::mem::discriminant(&Held::Lost { from, to });
        self.left_out(&faults, |after| !is_held(after, (self.until_ms, 0), group, kind))
    }

    /// A consumer with the threads that RocketMQ gives it, or twice as many.
    fn more_threads(&self, client: ClientId) -> Option<Change> {
        let of = &self.run.world.shared.names.clients[client.index()];
        let most = u16::try_from(self.run.world.shared.model.consume_threads).unwrap_or(20);
        instead(&self.run, |command| match command {
            Command::StartConsumer { name, threads, .. } if name == of => {
                *threads = Some(threads.map_or(most, |n| most.max(n.saturating_mul(2))));
                true
            }
            _ => false,
        })
    }

    /// Requests of a kind are never refused by a proxy.
    pub(super) fn served(&self, kind: RequestKind) -> Option<Change> {
        without(
            &self.run,
            |c| matches!(c, Command::Pop(PopCommand::FailRequests { request, .. }) if *request == kind),
        )
    }

    /// The receives of a SimpleConsumer with the shortest invisible duration.
    fn shorter_invisible(&self, client: ClientId) -> Option<Change> {
        let name = &self.run.world.shared.names.clients[client.index()];
        instead(&self.run, |command| match command {
            Command::Pop(
                PopCommand::Receive { consumer: of, invisible_ms, .. }
                | PopCommand::Start {
                    name: of,
                    kind: GrpcKind::Simple(SimpleMode::Loops { invisible_ms, .. }),
                    ..
                },
            ) if of == name && *invisible_ms > SHORTEST_MS => {
                *invisible_ms = SHORTEST_MS;
                true
            }
            _ => false,
        })
    }
}

/// Rebalance rounds as often as they can be.
fn rounds_each_second() -> Change {
    let name = "rocketmq.client.rebalance.waitInterval".to_owned();
    Change::From { at_ms: 0, commands: vec![Command::SetConstant { name, value: 1_000 }] }
}

/// Locks are given back as soon as a queue was parted with.
fn unlocks_at_once() -> Change {
    let name = "rocketmq.client.unlockDelayTimeMills".to_owned();
    Change::From { at_ms: 0, commands: vec![Command::SetConstant { name, value: 0 }] }
}

/// A queue that is not pulled leaves a client's table earlier, and is taken anew.
fn lets_go_earlier() -> Change {
    let name = "rocketmq.client.pull.pullMaxIdleTime".to_owned();
    Change::From { at_ms: 0, commands: vec![Command::SetConstant { name, value: SHORT_IDLE_MS }] }
}

/// Settings from the beginning on, all of them.
fn together(changes: &[Change]) -> Change {
    let commands = changes.iter().flat_map(|change| match change {
        Change::From { commands, .. } => commands.clone(),
        _ => Vec::new(),
    });
    Change::From { at_ms: 0, commands: commands.collect() }
}

/// Whether a queue of a group stood still for a cause of a kind, for at least `least_ms`.
fn is_held(
    session: &Session,
    (until_ms, least_ms): (Ms, Ms),
    group: GroupId,
    kind: std::mem::Discriminant<Held>,
) -> bool {
    let ledger = Ledger::of(session.facts());
    let run = Run::of(session, &ledger);
    let patient = Patient { run, session, until_ms, findings: Vec::new() };
    let gaps = patient.gaps(HAND_OVER_MS);
    let mut causes = gaps.iter().filter(|g| g.group == group).filter_map(|g| patient.held_by(g));
    causes.any(|cause| cause.waited_ms >= least_ms && std::mem::discriminant(&cause.by) == kind)
}
