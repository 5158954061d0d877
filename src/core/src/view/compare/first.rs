//! The first divergence.

use super::strand::{Item, Key, Strand, What};
use super::{Comparison, Side, TOLERANCE_MS};
use crate::explain::{why, About, Headline, Ledger, Run};
use crate::fact::FactRecord;
use crate::ids::{ClientId, GroupId, Ms};
use crate::view::log::named;
use crate::view::Subject;

/// Where two runs part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The earliest instant at which one run does what the other does not do then, in ms.
    pub at_ms: Ms,
    /// What each run does.
    pub sides: [Did; 2],
}

/// What a run does where it parts from the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Did {
    /// How that relates to the other run.
    pub how: How,
    /// The fact; None when nothing more happens.
    pub record: Option<FactRecord>,
    /// Why it does not do at that instant what the other run does to a message.
    pub why: Option<Headline>,
}

/// How what a run does relates to the other run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It does this then, and the other one does not.
    Does,
    /// It does the same as the other one, at another time.
    Later,
    /// What it does next to the same thing, later.
    Next,
    /// It does nothing more to the same thing.
    Nothing,
}

impl Divergence {
    /// What a run's fact is about.
    pub fn subject(&self, side: Side) -> Option<Subject> {
        named(&self.sides[side.index()].record?.fact).subject()
    }
}

/// What a run does at the divergence: by how much people see it, then in its order.
fn rank(item: &Item) -> (u8, Ms, u32) {
    let seen = match item.what {
        What::Started | What::Stopped(_) | What::Down => 0,
        What::Begun { .. } | What::Received { .. } | What::Next { .. } => 1,
        What::Suspended | What::Dead | What::SentBack | What::Stored { .. } => 2,
        _ => 3,
    };
    (seen, item.at_ms, item.fact)
}

impl Comparison {
    /// Finds what can be said as far as the runs were played.
    pub(super) fn settle(&mut self) {
        let reached = |run: &crate::session::Session| run.world().now_ms();
        let horizon_ms = match self.done {
            true => self.until_ms,
            false => self.runs.iter().map(reached).min().unwrap_or(0),
        };
        if self.first.is_none() {
            self.first = self.find(horizon_ms);
            self.explain();
        }
        if self.done {
            let parts = |(key, strand): (&Key, &Strand)| {
                let items = strand.parting(horizon_ms)?;
                Some((items.iter().flatten().map(|item| item.at_ms).min()?, *key))
            };
            self.parted = self.strands.iter().filter_map(parts).collect();
            self.parted.sort_unstable();
        }
    }

    /// Asks the run that does not do what the other does, why not.
    fn explain(&mut self) {
        let Some(first) = self.first else { return };
        for side in Side::BOTH {
            let other = side.other();
            let (mine, theirs) = (first.sides[side.index()], first.sides[other.index()]);
            let (How::Later | How::Next | How::Nothing, Some(record)) = (mine.how, theirs.record)
            else {
                continue;
            };
            let about = self.about(other, &record);
            let run = &mut self.runs[side.index()];
            run.seek_time(first.at_ms);
            // A message that is not built yet has no place to be explained from.
            let known = |about: &About| match about {
                About::Message { msg, .. } => msg.index() < run.world().shared.messages.len(),
                _ => true,
            };
            let reason = about.filter(known).and_then(|about| {
                let ledger = Ledger::of(run.facts());
                why(&Run::of(run, &ledger), about)
            });
            run.seek_event(run.recorded_events());
            if let Some(first) = &mut self.first {
                first.sides[side.index()].why = reason.map(|reason| reason.headline);
            }
        }
    }

    /// The message of a run's fact as the other run has it, in the consumer group of that fact.
    fn about(&self, side: Side, record: &FactRecord) -> Option<About> {
        let (world, other) = (self.world(side), self.world(side.other()));
        let named = named(&record.fact);
        let group_of = |client: ClientId| world.clients.get(client.index()).map(|c| c.group());
        let group: Option<GroupId> = named.group.or_else(|| group_of(named.client?));
        let group = group.and_then(|group| {
            other.shared.names.group(&world.shared.names.groups[group.index()].name)
        });
        let msg = self.names.counterpart(side, named.msg?)?;
        Some(About::Message { msg, group })
    }

    fn find(&self, horizon_ms: Ms) -> Option<Divergence> {
        let partings: Vec<(&Strand, [Option<&Item>; 2])> = self
            .strands
            .values()
            .filter_map(|strand| Some((strand, strand.parting(horizon_ms)?)))
            .collect();
        let items = |side: Side| partings.iter().filter_map(move |(_, i)| i[side.index()]);
        let at_ms = Side::BOTH.into_iter().flat_map(items).map(|item| item.at_ms).min()?;
        // The earliest of a strand that is not judged yet may still be found in the other run.
        let now = |item: &&Item| item.at_ms < at_ms + TOLERANCE_MS;
        let does = Side::BOTH.map(|side| items(side).filter(now).min_by_key(|item| rank(item)));
        let did = |side: Side| {
            let record = |item: &Item| self.record(side, item.fact);
            if let Some(item) = does[side.index()] {
                return Did { how: How::Does, record: record(item), why: None };
            }
            // The other run's deed, looked for in this one.
            let theirs = does[side.other().index()];
            let strand = theirs.and_then(|item| {
                let same = |i: &Option<&Item>| i.is_some_and(|i| std::ptr::eq(i, item));
                partings.iter().find(|(_, i)| same(&i[side.other().index()]))
            });
            let Some((strand, mine)) = strand else {
                return Did { how: How::Nothing, record: None, why: None };
            };
            if let Some(item) = theirs.and_then(|item| strand.later(side, item)) {
                return Did { how: How::Later, record: record(item), why: None };
            }
            match mine[side.index()] {
                Some(item) => Did { how: How::Next, record: record(item), why: None },
                None => Did { how: How::Nothing, record: None, why: None },
            }
        };
        Some(Divergence { at_ms, sides: Side::BOTH.map(did) })
    }
}
