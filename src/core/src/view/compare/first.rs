//! The first divergence.

use super::strand::{Item, Key, Strand, What};
use super::{Comparison, Side, TOLERANCE_MS};
use crate::explain::{why, About, Headline, Ledger, Reason, Run};
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

/// A strand in which the runs part, with what each run does there.
struct Parting<'a> {
    key: Key,
    strand: &'a Strand,
    items: [Option<&'a Item>; 2],
}

impl Parting<'_> {
    fn at_ms(&self) -> Option<Ms> {
        self.items.iter().flatten().map(|item| item.at_ms).min()
    }

    /// By how much people see it, then by its instant and place.
    fn rank(&self, until_ms: Ms) -> (u8, Ms, Key) {
        let now = |item: &&&Item| item.at_ms < until_ms;
        let both = self.items.iter().flatten().filter(now).count() == 2;
        let seen = |item: &&Item| match item.what {
            What::Started | What::Refused | What::Stopped(_) | What::Down => 0,
            What::Next { .. } if both => 1,
            What::Begun { .. } | What::Received { .. } => 2,
            What::Suspended | What::Dead | What::SentBack | What::Stored { .. } => 3,
            _ => 4,
        };
        let seen = self.items.iter().flatten().filter(now).map(seen).min().unwrap_or(u8::MAX);
        (seen, self.at_ms().unwrap_or(Ms::MAX), self.key)
    }
}

/// Whether a message needs nothing more, by what is said of it.
fn is_done(headline: &Headline) -> bool {
    let Headline::Message { reason, .. } = headline else { return false };
    matches!(reason, Reason::Done | Reason::DoneBehind { .. } | Reason::DoneLost)
}

impl Comparison {
    /// Finds where the runs part, once both are over: whether the one does later what the other does
    /// now is known only then.
    pub(super) fn settle(&mut self) {
        let parts = |(key, strand): (&Key, &Strand)| {
            let items = strand.parting(self.until_ms)?;
            Some((items.iter().flatten().map(|item| item.at_ms).min()?, *key))
        };
        self.parted = self.strands.iter().filter_map(parts).collect();
        self.parted.sort_unstable();
        self.first = self.find();
        self.explain();
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
            let queue = self.queue_about(other, &record).filter(|_| mine.how == How::Later);
            let run = &mut self.runs[side.index()];
            run.seek_time(first.at_ms);
            // A message that is not built yet has no place to be explained from.
            let known = |about: &About| match about {
                About::Message { msg, .. } => msg.index() < run.world().shared.messages.len(),
                _ => true,
            };
            let ledger = Ledger::of(run.facts());
            // The last event of this run may be long past; leases and times have run on since.
            let mut world = run.world().clone();
            world.wait_until(first.at_ms);
            let now = Run { world: &world, ..Run::of(run, &ledger) };
            let asked = |about| why(&now, about).map(|reason| reason.headline);
            let reason = about.filter(known).and_then(asked);
            // That it was consumed before is no reason why it is handled again only later: its
            // queue has one.
            let reason = reason.filter(|headline| queue.is_none() || !is_done(headline));
            let reason = reason.or_else(|| queue.and_then(asked));
            run.seek_event(run.recorded_events());
            if let Some(first) = &mut self.first {
                first.sides[side.index()].why = reason;
            }
        }
    }

    /// Whether it is only a process or a consumer group that the other run does not have: a setting,
    /// and nothing that happens.
    fn is_setting(&self, parting: &Parting<'_>) -> bool {
        match parting.key {
            Key::Party(_) => {
                parting.strand.sides.iter().any(Vec::is_empty) && parting.at_ms() == Some(0)
            }
            Key::Work { group, .. } | Key::Order { group, .. } => !self.names.in_both(group),
            Key::Message(_) => false,
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

    /// The queue of a run's fact as the other run has it, in the consumer group of that fact.
    fn queue_about(&self, side: Side, record: &FactRecord) -> Option<About> {
        let Some(About::Message { group: Some(group), .. }) = self.about(side, record) else {
            return None;
        };
        match self.counterpart(side, Subject::Queue(named(&record.fact).queue?))? {
            Subject::Queue(queue) => Some(About::Queue { queue, group }),
            _ => None,
        }
    }

    fn find(&self) -> Option<Divergence> {
        let parting = |(_, key): &(Ms, Key)| {
            let strand = self.strands.get(key)?;
            Some(Parting { key: *key, strand, items: strand.parting(self.until_ms)? })
        };
        let partings = self.parted.iter().filter_map(parting);
        let (settings, events): (Vec<_>, Vec<_>) =
            partings.partition(|parting| self.is_setting(parting));
        // Where nothing else differs, a group that one run does not have is what differs.
        let partings = if events.is_empty() { settings } else { events };
        let at_ms = partings.iter().filter_map(Parting::at_ms).min()?;
        let until_ms = at_ms + TOLERANCE_MS;
        let now = |parting: &&Parting<'_>| parting.at_ms().is_some_and(|ms| ms < until_ms);
        let telling = partings.iter().filter(now).min_by_key(|parting| parting.rank(until_ms))?;
        let at_ms = telling.at_ms()?;
        let did = |side: Side| {
            let (mine, theirs) = (telling.items[side.index()], telling.items[side.other().index()]);
            let later = theirs.and_then(|item| telling.strand.later(side, item));
            let (how, item) = match (mine, later) {
                (Some(item), _) if item.at_ms < at_ms + TOLERANCE_MS => (How::Does, Some(item)),
                (_, Some(item)) => (How::Later, Some(item)),
                (Some(item), None) => (How::Next, Some(item)),
                (None, None) => (How::Nothing, None),
            };
            Did { how, record: item.and_then(|item| self.record(side, item.fact)), why: None }
        };
        Some(Divergence { at_ms, sides: Side::BOTH.map(did) })
    }
}
