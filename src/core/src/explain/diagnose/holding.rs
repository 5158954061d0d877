//! What held a queue still for long, and is over or can be: a dead consumer whose messages stay
//! invisible, a cut, requests that are refused, a broker or a proxy that is down.

use super::gaps::Gap;
use super::{Held, Patient, Problem, Symptom};
use crate::command::Command;
use crate::fact::{Fact, StopKind};
use crate::grpc::GrpcCode;
use crate::ids::{ClientId, Ms, MsgId, Party};
use crate::pop::{PopCommand, PopFact};
use crate::process::Process;

/// A queue that stands still for less heals as it is meant to: a hand-over, a short invisible time.
pub(super) const HELD_MS: Ms = 30_000;
/// A hand-over that makes a queue stand for longer than this has failed at its first try.
pub(super) const HAND_OVER_MS: Ms = 15_000;

/// A queue that was held: when, by what, and the facts that show it.
pub(super) struct Cause {
    pub(super) by: Held,
    pub(super) waited_ms: Ms,
    pub(super) evidence: Vec<u32>,
}

impl Cause {
    /// From when on it is told, in ms.
    fn least_ms(&self) -> Ms {
        match self.by {
            Held::HandOver { .. } => HAND_OVER_MS,
            _ => HELD_MS,
        }
    }
}

impl Patient<'_> {
    pub(super) fn holding(&mut self) {
        self.delayed_by_down();
        let mut gaps = self.gaps(HAND_OVER_MS);
        gaps.sort_by_key(|gap| (gap.end.is_none(), gap.from_ms - gap.until_ms));
        for gap in gaps {
            let told = |f: &super::Finding| matches!(f.problem, Problem::Stands { group, .. } if group == gap.group);
            if gap.end.is_none() && self.findings.iter().any(told) {
                continue;
            }
            let Some(Cause { by, waited_ms, mut evidence }) = self.held_by(&gap) else { continue };
            // A listener that outlasts the hand-over works on, and that is told with the two owners.
            let overlaps = |f: &super::Finding| matches!((f.problem, by), (Problem::TwoOwners { from, .. }, Held::HandOver { client }) if from == client);
            if self.findings.iter().any(overlaps) {
                continue;
            }
            let known = |f: &super::Finding| matches!(f.problem, Problem::Held { group, by: of, .. } if (group, of) == (gap.group, by));
            if self.findings.iter().any(known) {
                continue;
            }
            evidence.extend(gap.end);
            let repair = self.released(gap.group, by, waited_ms);
            let problem = Problem::Held { msg: gap.msg, group: gap.group, by, waited_ms };
            if matches!(by, Held::Cut { .. } | Held::Down { .. } | Held::Lost { .. }) {
                self.no_expiry_of(&gap);
            }
            self.find(Symptom::StandsStill, problem, evidence, None, repair);
        }
    }

    /// What did not get through in a time came too late: that an invisible time was over before is no
    /// finding of its own.
    fn no_expiry_of(&mut self, gap: &Gap) {
        let from = self.run.facts.partition_point(|r| r.at_ms < gap.from_ms) as u32;
        self.findings.retain(|finding| {
            let expired = matches!(finding.problem, Problem::InvisibleTooShort { group, .. } if group == gap.group);
            !expired || finding.evidence.iter().all(|fact| *fact < from)
        });
    }

    /// What a queue stood still for, if it is one of these.
    pub(super) fn held_by(&self, gap: &Gap) -> Option<Cause> {
        let causes = [
            self.dead_holder(gap),
            self.cut(gap),
            self.down(gap),
            self.refused_requests(gap),
            self.lost_answer(gap),
            self.hand_over(gap),
        ];
        causes.into_iter().flatten().find(|cause| cause.waited_ms >= cause.least_ms())
    }

    /// The facts before the end of a gap.
    pub(super) fn before(&self, gap: &Gap) -> usize {
        gap.end.map_or(self.run.facts.len(), |end| end as usize)
    }

    /// The message of a queue that had been handed out and was not acknowledged for the most of a gap, who
    /// had it, and the fact by which it was handed out.
    fn handed_out(&self, gap: &Gap) -> Option<(MsgId, Option<ClientId>, u32)> {
        let until_ms = gap.until_ms - HELD_MS;
        let count = self.run.facts.partition_point(|r| r.at_ms <= until_ms);
        let facts = &self.run.facts[..count];
        let popped = facts.iter().rposition(|r| {
            matches!(r.fact, Fact::Pop(PopFact::Popped { group, queue, .. })
                if (group, queue) == (gap.group, gap.queue))
        })?;
        let Fact::Pop(PopFact::Popped { msg, .. }) = facts[popped].fact else { return None };
        let mut client = None;
        for record in &facts[popped..] {
            match record.fact {
                Fact::Pop(PopFact::Acked { group, msg: of, .. })
                    if (group, of) == (gap.group, msg) =>
                {
                    return None;
                }
                Fact::Pop(
                    PopFact::Received { client: by, msg: of, .. }
                    | PopFact::Renewed { client: by, msg: of, .. }
                    | PopFact::RenewalEnded { client: by, msg: of, .. },
                ) if of == msg && self.group_of(by) == Some(gap.group) => {
                    client = client.or(Some(by));
                }
                _ => {}
            }
        }
        Some((msg, client, popped as u32))
    }

    /// A gRPC consumer that died with messages in hand, which stayed invisible although others ran.
    fn dead_holder(&self, gap: &Gap) -> Option<Cause> {
        let (_, client, popped) = self.handed_out(gap)?;
        let facts = &self.run.facts[..self.before(gap)];
        let died = facts.iter().rposition(|r| match r.fact {
            Fact::ConsumerStopped { client: of, how: StopKind::Crash | StopKind::Silent } => {
                let process = self.run.world.clients.get(of.index()).and_then(Process::grpc);
                let own = process.is_some_and(|p| p.group == gap.group);
                own && client.is_none_or(|client| client == of)
            }
            _ => false,
        })?;
        let Fact::ConsumerStopped { client, .. } = facts[died].fact else { return None };
        let from_ms = facts[died].at_ms.max(facts[popped as usize].at_ms);
        let from_ms = from_ms.max(self.others_run(gap, client, from_ms)?);
        let waited_ms = gap.within((from_ms, gap.until_ms));
        let evidence = vec![popped, died as u32];
        Some(Cause { by: Held::Dead { client }, waited_ms, evidence })
    }

    /// From when on another consumer of the group ran, from an instant on.
    fn others_run(&self, gap: &Gap, but: ClientId, from_ms: Ms) -> Option<Ms> {
        let mut alive: Vec<ClientId> = Vec::new();
        for record in &self.run.facts[..self.before(gap)] {
            if record.at_ms > from_ms && !alive.is_empty() {
                return Some(from_ms);
            }
            match record.fact {
                Fact::ConsumerStarted { client } | Fact::ConsumerResumed { client }
                    if client != but && self.group_of(client) == Some(gap.group) =>
                {
                    alive.push(client);
                    if record.at_ms >= from_ms {
                        return Some(record.at_ms);
                    }
                }
                Fact::ConsumerStopped { client, .. } => alive.retain(|of| *of != client),
                _ => {}
            }
        }
        (!alive.is_empty()).then_some(from_ms)
    }

    /// A cut between parties that the group needs for the queue.
    fn cut(&self, gap: &Gap) -> Option<Cause> {
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
    fn down(&self, gap: &Gap) -> Option<Cause> {
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

    /// The answer by which a message was handed out was lost: nobody had it, and it was invisible.
    fn lost_answer(&self, gap: &Gap) -> Option<Cause> {
        let (msg, client, popped) = self.handed_out(gap)?;
        if client.is_some() {
            return None;
        }
        let facts = &self.run.facts[popped as usize..self.before(gap)];
        let of_group = |client: ClientId| self.group_of(client) == Some(gap.group);
        let mut lost = facts.iter().enumerate().map_while(|(place, record)| match record.fact {
            // It was handed out anew, or somebody got it.
            Fact::Pop(PopFact::Popped { group, msg: of, .. }) if place > 0 => {
                ((group, of) != (gap.group, msg)).then_some(None)
            }
            Fact::Pop(PopFact::Received { client, msg: of, .. }) if of == msg => {
                (!of_group(client)).then_some(None)
            }
            Fact::PacketLost { from: from @ (Party::Broker(_) | Party::Proxy(_)), to } => {
                let is_its = match to {
                    Party::Client(client) => of_group(client),
                    Party::Proxy(_) => true,
                    _ => false,
                };
                Some(is_its.then_some((place, from, to)))
            }
            _ => Some(None),
        });
        let (place, from, to) = lost.find_map(|lost| lost)?;
        let from_ms = self.run.facts[popped as usize].at_ms;
        let waited_ms = gap.within((from_ms, gap.until_ms));
        let evidence = vec![popped, popped + place as u32];
        Some(Cause { by: Held::Lost { from, to }, waited_ms, evidence })
    }

    /// Whether what a fact tells was answered. What nobody answered is no refusal, whatever the client
    /// makes of it.
    pub(super) fn is_answered(&self, fact: usize) -> bool {
        let unanswered =
            |f: &Fact| matches!(f, Fact::RequestTimedOut { .. } | Fact::RequestFailed { .. });
        let event = self.run.facts[fact].event;
        let before = self.run.facts[..fact].last().filter(|before| before.event == event);
        !before.is_some_and(|before| unanswered(&before.fact))
    }

    /// Receives of the group that were refused with one code again and again.
    fn refused_requests(&self, gap: &Gap) -> Option<Cause> {
        let facts = self.run.facts[..self.before(gap)].iter().enumerate();
        let refused = facts.filter_map(|(fact, record)| match record.fact {
            Fact::Pop(PopFact::ReceivedNothing { client, code })
                if self.group_of(client) == Some(gap.group) && record.at_ms >= gap.from_ms =>
            {
                let fine = matches!(code, GrpcCode::Ok | GrpcCode::MessageNotFound);
                (!fine && self.is_answered(fact)).then_some((fact as u32, record.at_ms, code))
            }
            _ => None,
        });
        let all: Vec<_> = refused.collect();
        let ((first, from_ms, code), (last, until_ms, _)) = (*all.first()?, *all.last()?);
        let by = Held::Refused { code };
        Some(Cause { by, waited_ms: until_ms - from_ms, evidence: vec![first, last] })
    }
}
