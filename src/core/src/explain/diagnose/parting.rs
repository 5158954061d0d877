//! A hand-over that did not come about at once: the queue's listener ran.

use super::gaps::Gap;
use super::holding::Cause;
use super::{Held, Patient};
use crate::fact::{Fact, StopKind};

impl Patient<'_> {
    /// The owner of the queue could not give it away at once.
    pub(super) fn hand_over(&self, gap: &Gap) -> Option<Cause> {
        let facts = &self.run.facts[..self.before(gap)];
        let postponed = facts.iter().rposition(|r| {
            matches!(r.fact, Fact::ReleasePostponed { client, queue }
                if queue == gap.queue && self.group_of(client) == Some(gap.group))
        })?;
        let Fact::ReleasePostponed { client, .. } = facts[postponed].fact else { return None };
        let mut taken =
            facts[postponed..].iter().enumerate().filter_map(|(place, r)| match r.fact {
                Fact::QueueAdded { client: by, queue, .. } if queue == gap.queue => {
                    (self.group_of(by) == Some(gap.group)).then_some((place, r.at_ms))
                }
                _ => None,
            });
        let taken = taken.next();
        let until_ms = taken.map_or(gap.until_ms, |(_, at_ms)| at_ms);
        // Another fault of its, or of others, has its own finding.
        let ends = facts[postponed..].iter().take(taken.map_or(facts.len(), |(place, _)| place));
        let broken = ends.filter(|r| match r.fact {
            Fact::ConsumerStopped { how, .. } => how != StopKind::Clean,
            Fact::PacketLost { .. } | Fact::BrokerStopped { .. } => true,
            _ => false,
        });
        if broken.count() > 0 {
            return None;
        }
        let waited_ms = gap.within((facts[postponed].at_ms, until_ms));
        let evidence = vec![postponed as u32];
        Some(Cause { by: Held::HandOver { client }, waited_ms, evidence })
    }
}
