//! A hand-over that did not come about at once: the queue's listener ran.

use super::gaps::Gap;
use super::holding::Cause;
use super::{Held, Patient};
use crate::command::Command;
use crate::explain::owner;
use crate::fact::{Fact, StopKind};
use crate::ids::{ClientId, Ms};
use crate::model::NEVER;

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
                    (self.group_of(by) == Some(gap.group)).then_some((place, r.at_ms, by))
                }
                _ => None,
            });
        let taken = taken.next();
        let until_ms = taken.map_or(gap.until_ms, |(_, at_ms, _)| at_ms);
        // Whoever could have taken it may not read it any more: that has its own finding.
        let until_ms = until_ms.min(self.unreadable_ms(gap, postponed).unwrap_or(until_ms));
        // Another fault of its, or of others, has its own finding.
        let ends = facts[postponed..].iter().take(taken.map_or(facts.len(), |(place, ..)| place));
        let broken = ends.filter(|r| match r.fact {
            Fact::ConsumerStopped { how, .. } => how != StopKind::Clean,
            Fact::PacketLost { .. } | Fact::BrokerStopped { .. } => true,
            _ => false,
        });
        if broken.count() > 0 {
            return None;
        }
        let waited_ms = gap.within((facts[postponed].at_ms, until_ms));
        let owner = taken.map(|(_, _, by)| by);
        let owner = owner.or_else(|| owner::allocated(self.run.world, gap.group, gap.queue));
        if owner == Some(client) {
            let evidence = vec![postponed as u32];
            return Some(Cause { by: Held::Returned { client }, waited_ms, evidence });
        }
        let (delayed_ms, removed) = self.unlocked_later(gap, (client, postponed));
        let evidence = [postponed as u32].into_iter().chain(removed).collect();
        Some(Cause { by: Held::HandOver { client, delayed_ms }, waited_ms, evidence })
    }

    /// How long after a consumer had parted with the queue it gave its lock back, in ms, and the fact by which it
    /// parted. Source: `RebalancePushImpl.unlockDelay`, up to 5.1.4.
    fn unlocked_later(&self, gap: &Gap, (client, from): (ClientId, usize)) -> (Ms, Option<u32>) {
        let facts = &self.run.facts[..self.before(gap)];
        let removed = facts[from..].iter().position(|r| {
            matches!(r.fact, Fact::QueueRemoved { client: of, queue, .. }
                if (of, queue) == (client, gap.queue))
        });
        let Some(removed) = removed.map(|place| from + place) else { return (0, None) };
        let given = facts[removed..].iter().find(|r| {
            matches!(r.fact, Fact::LockReleased { group, queue, .. }
                if (group, queue) == (gap.group, gap.queue))
        });
        let until_ms = given.map_or(gap.until_ms, |record| record.at_ms);
        let delayed_ms = self.run.world.shared.model.delayed_unlock_ms;
        // It is posted late or not at all: what is lost on the way is no delay of this kind.
        let is_late = delayed_ms != NEVER && until_ms - facts[removed].at_ms >= delayed_ms;
        match is_late && delayed_ms > 0 {
            true => (delayed_ms, Some(removed as u32)),
            false => (0, None),
        }
    }

    /// When the queue stopped being a read queue of its topic behind a fact, in ms.
    fn unreadable_ms(&self, gap: &Gap, from: usize) -> Option<Ms> {
        let topic = &self.run.world.shared.names.topics[gap.queue.topic.index()].name;
        let ended = self.run.facts[from..self.before(gap)].iter().find(|r| match r.fact {
            Fact::CommandApplied { index } => {
                matches!(self.run.journal.get(index as usize),
                    Some((_, Command::UpdateTopic { name, read_queues, .. }))
                        if name == topic && *read_queues <= gap.queue.id)
            }
            _ => false,
        });
        ended.map(|record| record.at_ms)
    }
}
