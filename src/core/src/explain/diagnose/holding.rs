//! What held a queue still for long, and is over or can be: a dead consumer whose messages stay
//! invisible, a cut, requests that are refused, a broker or a proxy that is down.

use super::gaps::Gap;
use super::{Held, Patient, Problem, Symptom};
use crate::fact::{Fact, StopKind};
use crate::grpc::GrpcCode;
use crate::ids::{ClientId, Ms, MsgId, Party};
use crate::pop::PopFact;
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
            Held::HandOver { .. } | Held::Returned { .. } => HAND_OVER_MS,
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
            let overlaps = |f: &super::Finding| matches!((f.problem, by), (Problem::TwoOwners { from, .. }, Held::HandOver { client, .. }) if from == client);
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
            self.threads_taken(gap),
        ];
        causes.into_iter().flatten().find(|cause| cause.waited_ms >= cause.least_ms())
    }

    /// The facts before the end of a gap.
    pub(super) fn before(&self, gap: &Gap) -> usize {
        gap.end.map_or(self.run.facts.len(), |end| end as usize)
    }

    /// The message of a queue that had been handed out and was not acknowledged for the most of a gap, who
    /// had it, and the fact by which it was handed out.
    pub(super) fn handed_out(&self, gap: &Gap) -> Option<(MsgId, Option<ClientId>, u32)> {
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
