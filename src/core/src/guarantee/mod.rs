//! Named guarantees and what became of them: watched with every fact, judged at any instant.
//!
//! [`crate::check`] stops a run at the first message that is handled out of its stored order and at
//! the second owner of a queue. This module watches the rest: where order was lost on the way
//! (stored, delivered, acknowledged), what was lost, what was handled twice and why, what stood
//! longest. A guarantee that the configuration does not give is told as such, with the setting that
//! would give it.

mod promise;
mod watch;

pub use promise::{Missing, Promise};
pub use watch::{Block, Breach, Duplicates, Watch, Watched, MOST_BREACHES};

use promise::Promises;

use crate::check::{Broken, Violation};
use crate::fact::Fact;
use crate::ids::{GroupId, Ms};
use crate::session::Session;

/// A named guarantee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Guarantee {
    /// Messages of a message group are stored in the order in which they are meant, in one queue.
    OrderStored,
    /// They are first delivered in their stored order.
    OrderDelivered,
    /// None is begun while one before it is unfinished. See [`Broken::Order`].
    OrderHandled,
    /// They are first acknowledged in their stored order.
    OrderAcknowledged,
    /// The records of a queue are first delivered in the order of their offsets.
    QueueOrder,
    /// Two consumers of a group never handle one queue at once. See [`Broken::TwoOwners`].
    OneOwner,
    /// What was stored is not gone before the groups that read it are done with it.
    NothingLost,
    /// What is delivered again is delivered again for a reason; every message is handled.
    AtLeastOnce,
    /// Something always moves: the longest time a queue stood still.
    Progress,
    /// No message is handled more often than the limit says.
    Attempts,
}

impl Guarantee {
    /// All guarantees, in the order in which they are shown.
    pub const ALL: [Self; 10] = [
        Self::OrderStored,
        Self::OrderDelivered,
        Self::OrderHandled,
        Self::OrderAcknowledged,
        Self::QueueOrder,
        Self::OneOwner,
        Self::NothingLost,
        Self::AtLeastOnce,
        Self::Progress,
        Self::Attempts,
    ];

    /// True when it is about the way to the broker and the same for all consumer groups.
    pub fn is_of_topic(self) -> bool {
        matches!(self, Self::OrderStored)
    }
}

/// What became of a guarantee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The guarantee.
    pub guarantee: Guarantee,
    /// For which consumer group; None = the way to the broker.
    pub group: Option<GroupId>,
    /// Whether the configuration gives it.
    pub promise: Promise,
    /// How often it was broken.
    pub breaches: u32,
    /// The first breach.
    pub first: Option<Breach>,
    /// Deliveries that were not the first (at least once).
    pub duplicates: Duplicates,
    /// The first of them.
    pub first_again: Option<Breach>,
    /// The longest time that a queue stood still (progress).
    pub longest: Option<Block>,
}

impl Verdict {
    /// True when it was promised and broken: this is red.
    pub fn is_violated(&self) -> bool {
        self.promise == Promise::Given && self.breaches > 0
    }
}

/// What became of all guarantees up to the present of a session, which is its last event. It looks at
/// every message once: not for each frame of a picture.
pub fn verdicts(session: &Session) -> Vec<Verdict> {
    verdicts_at(session, session.world().now_ms())
}

/// The same for somebody who stands at `now_ms`, in ms, behind the last event: what stands still stands
/// until then.
pub fn verdicts_at(session: &Session, now_ms: Ms) -> Vec<Verdict> {
    let now_ms = now_ms.max(session.world().now_ms());
    let promises = Promises::of(session);
    let groups = (0..session.world().shared.names.groups.len() as u16).map(GroupId);
    let mut verdicts = vec![verdict((session, now_ms), &promises, Guarantee::OrderStored, None)];
    for group in groups {
        let own = Guarantee::ALL.into_iter().filter(|g| !g.is_of_topic());
        verdicts.extend(own.map(|of| verdict((session, now_ms), &promises, of, Some(group))));
    }
    verdicts
}

/// What became of one guarantee.
fn verdict(
    (session, now_ms): (&Session, Ms),
    promises: &Promises<'_>,
    guarantee: Guarantee,
    group: Option<GroupId>,
) -> Verdict {
    let watched = session.watch();
    let breaches: Vec<Breach> = match guarantee {
        Guarantee::OrderHandled | Guarantee::OneOwner => of_checks(session, guarantee, group),
        _ => watched.breaches(guarantee, group).copied().collect(),
    };
    let (mut duplicates, mut first_again, mut longest) = (Duplicates::default(), None, None);
    match (guarantee, group) {
        (Guarantee::AtLeastOnce, Some(group)) => {
            duplicates = watched.duplicates(group);
            first_again = watched.first_duplicate(group);
        }
        (Guarantee::Progress, Some(group)) => {
            let world = session.world();
            let first = |queue| crate::explain::first_unfinished(world, group, queue);
            longest = watched.longest(group, now_ms, first);
        }
        _ => {}
    }
    Verdict {
        guarantee,
        group,
        promise: promises.promise(guarantee, group),
        breaches: breaches.len() as u32,
        first: breaches.first().copied(),
        duplicates,
        first_again,
        longest,
    }
}

/// Breaches that the checks found.
fn of_checks(session: &Session, guarantee: Guarantee, group: Option<GroupId>) -> Vec<Breach> {
    let found = session.violations().iter().filter_map(|v| of_check(session, v));
    found.filter(|b| b.guarantee == guarantee && (group.is_none() || b.group == group)).collect()
}

/// A violation that the checks found, as a breach of its guarantee.
pub fn of_check(session: &Session, violation: &Violation) -> Option<Breach> {
    let (guarantee, earlier, msg) = match violation.broken {
        Broken::Order { earlier, later, .. } => (Guarantee::OrderHandled, Some(earlier), later),
        Broken::TwoOwners { .. } => {
            let facts = session.facts_of(violation.event);
            let msg = facts.iter().find_map(|r| match r.fact {
                Fact::HandlingStarted { msg, .. } => Some(msg),
                _ => None,
            })?;
            (Guarantee::OneOwner, None, msg)
        }
    };
    let Violation { at_ms, event, group, .. } = *violation;
    Some(Breach { guarantee, at_ms, event, group: Some(group), earlier, msg })
}
