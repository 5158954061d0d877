//! What a consumer group could not reach while its queue stood still: across a cut, or because it was down.

use super::gaps::Gap;
use super::holding::Cause;
use super::{Held, Patient};
use crate::command::Command;
use crate::fact::Fact;
use crate::ids::{ClientId, Ms, Party};
use crate::pop::PopCommand;
use crate::process::Process;

impl Patient<'_> {
    /// A cut between parties that the group needs for the queue.
    pub(super) fn cut(&self, gap: &Gap) -> Option<Cause> {
        let facts = self.run.facts[..self.before(gap)].iter().enumerate();
        let cuts = facts.filter_map(|(fact, record)| {
            let Fact::CommandApplied { index } = record.fact else { return None };
            let (_, Command::Cut { a, b }) = self.run.journal.get(index as usize)? else {
                return None;
            };
            let names = &self.run.world.shared.names;
            let pair = (names.party(a)?, names.party(b)?);
            let healed = self.ends(fact, |c| matches!(c, Command::Heal { a: x, b: y } if (x, y) == (a, b) || (y, x) == (a, b)));
            let waited_ms = gap.within((record.at_ms, healed));
            self.is_between(gap, pair).then_some(Cause {
                by: Held::Cut { a: pair.0, b: pair.1 },
                waited_ms,
                evidence: vec![fact as u32],
            })
        });
        cuts.max_by_key(|cause| cause.waited_ms)
    }

    /// When a command behind a fact takes back what began with it; the present if none does.
    fn ends(&self, fact: usize, is_end: impl Fn(&Command) -> bool) -> Ms {
        let ends = self.run.facts[fact..].iter().find(|r| match r.fact {
            Fact::CommandApplied { index } => {
                self.run.journal.get(index as usize).is_some_and(|(_, c)| is_end(c))
            }
            _ => false,
        });
        ends.map_or(self.until_ms, |r| r.at_ms)
    }

    /// Whether a queue's messages or their acknowledgements have to pass between two parties.
    fn is_between(&self, gap: &Gap, (a, b): (Party, Party)) -> bool {
        let broker = Party::Broker(gap.queue.broker);
        match (a, b) {
            (Party::Client(client), other) | (other, Party::Client(client)) => {
                let name = &self.run.world.shared.names.clients[client.index()];
                self.reads_through(gap, name, other, broker)
            }
            (Party::Proxy(proxy), other) | (other, Party::Proxy(proxy)) => {
                let mut clients = self.run.world.clients.iter().filter_map(Process::grpc);
                other == broker && clients.any(|c| c.group == gap.group && c.proxy == proxy)
            }
            _ => false,
        }
    }

    /// Whether a consumer reads a queue through a party: a classic one that has the queue, from its
    /// broker; a gRPC one that has what was handed out of it, or is alone, from its proxy.
    fn reads_through(&self, gap: &Gap, name: &str, other: Party, broker: Party) -> bool {
        let names = &self.run.world.shared.names;
        let is_it = |client: ClientId| names.clients[client.index()] == name;
        let mut members = self.run.world.clients.iter().filter(|p| p.group() == gap.group);
        let Some(process) = members.clone().find(|p| is_it(p.id())) else { return false };
        match process {
            Process::Classic(_) => {
                let list = self.run.ledger.queue(gap.queue, self.before(gap));
                let owner =
                    list.iter().rev().find_map(|i| match self.run.facts[*i as usize].fact {
                        Fact::QueueAdded { client, .. }
                            if self.group_of(client) == Some(gap.group) =>
                        {
                            Some(client)
                        }
                        _ => None,
                    });
                other == broker && owner.is_none_or(is_it)
            }
            Process::Grpc(grpc) => {
                let holds = self.handed_out(gap).and_then(|(_, client, _)| client);
                let holds = holds.map_or_else(|| members.all(|p| is_it(p.id())), is_it);
                other == Party::Proxy(grpc.proxy) && holds
            }
        }
    }

    /// A broker or a proxy that was down.
    pub(super) fn down(&self, gap: &Gap) -> Option<Cause> {
        let names = &self.run.world.shared.names;
        let facts = self.run.facts[..self.before(gap)].iter().enumerate();
        let downs = facts.filter_map(|(fact, record)| {
            let (party, until_ms) = match record.fact {
                Fact::BrokerStopped { broker, .. } if broker == gap.queue.broker => {
                    let up = |r: &&crate::fact::FactRecord| matches!(r.fact, Fact::BrokerStarted { broker: of } if of == broker);
                    let up = self.run.facts[fact..].iter().find(up);
                    (Party::Broker(broker), up.map_or(self.until_ms, |r| r.at_ms))
                }
                Fact::CommandApplied { index } => {
                    let (_, command) = self.run.journal.get(index as usize)?;
                    let Command::Pop(PopCommand::RunProxy { proxy, up: false }) = command else {
                        return None;
                    };
                    let party = Party::Proxy(names.proxy(proxy)?);
                    let is_end = |c: &Command| matches!(c, Command::Pop(PopCommand::RunProxy { proxy: of, up: true }) if of == proxy);
                    (party, self.ends(fact, is_end))
                }
                _ => return None,
            };
            let mut clients = self.run.world.clients.iter().filter_map(Process::grpc);
            let needed = match party {
                Party::Proxy(proxy) => clients.any(|c| c.group == gap.group && c.proxy == proxy),
                _ => true,
            };
            let waited_ms = gap.within((record.at_ms, until_ms));
            let by = Held::Down { party };
            needed.then_some(Cause { by, waited_ms, evidence: vec![fact as u32] })
        });
        downs.max_by_key(|cause| cause.waited_ms)
    }
}
