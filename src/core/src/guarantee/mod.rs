//! Named guarantees and what became of them: watched with every fact, judged at any instant.
//!
//! [`crate::check`] stops a run at the first message that is handled out of its stored order and at
//! the second owner of a queue. This module watches the rest: where order was lost on the way
//! (stored, delivered, acknowledged), what was lost, what was handled twice and why, what stood
//! longest. A guarantee that the configuration does not give is told as such, with the setting that
//! would give it.

mod promise;
mod watch;

pub use promise::{promise, Missing, Promise};
pub use watch::{Block, Breach, Duplicates, Watch, MOST_BREACHES};

use crate::check::Broken;
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
    /// The longest time that a queue stood still (progress).
    pub longest: Option<Block>,
}

impl Verdict {
    /// True when it was promised and broken: this is red.
    pub fn is_violated(&self) -> bool {
        self.promise == Promise::Given && self.breaches > 0
    }
}

/// What became of all guarantees up to the present of a session.
pub fn verdicts(session: &Session) -> Vec<Verdict> {
    let world = session.world();
    let watch = session.watch();
    let groups = (0..world.shared.names.groups.len() as u16).map(GroupId);
    let mut verdicts = vec![verdict(session, &watch, Guarantee::OrderStored, None)];
    for group in groups {
        let own = Guarantee::ALL.into_iter().filter(|g| !g.is_of_topic());
        verdicts.extend(own.map(|guarantee| verdict(session, &watch, guarantee, Some(group))));
    }
    verdicts
}

/// What became of one guarantee; `watch` is [`Session::watch`].
pub fn verdict(
    session: &Session,
    watch: &Watch,
    guarantee: Guarantee,
    group: Option<GroupId>,
) -> Verdict {
    let breaches = match guarantee {
        Guarantee::OrderHandled | Guarantee::OneOwner => of_checks(session, guarantee, group),
        _ => watch.breaches(guarantee, group),
    };
    let now_ms = session.world().now_ms();
    Verdict {
        guarantee,
        group,
        promise: promise(session, guarantee, group),
        breaches: breaches.len() as u32,
        first: breaches.first().copied(),
        duplicates: match (guarantee, group) {
            (Guarantee::AtLeastOnce, Some(group)) => watch.duplicates(group),
            _ => Duplicates::default(),
        },
        longest: match (guarantee, group) {
            (Guarantee::Progress, Some(group)) => watch.longest(group, now_ms),
            _ => None,
        },
    }
}

/// Breaches that the checks found.
fn of_checks(session: &Session, guarantee: Guarantee, group: Option<GroupId>) -> Vec<Breach> {
    let found = session.violations().iter().filter(|v| group.is_none_or(|g| g == v.group));
    found
        .filter_map(|v| {
            let (at_ms, event): (Ms, u32) = (v.at_ms, v.event);
            let group = Some(v.group);
            match (guarantee, v.broken) {
                (Guarantee::OrderHandled, Broken::Order { earlier, later, .. }) => Some(Breach {
                    guarantee,
                    at_ms,
                    event,
                    group,
                    earlier: Some(earlier),
                    msg: later,
                }),
                (Guarantee::OneOwner, Broken::TwoOwners { .. }) => {
                    let facts = session.facts_of(v.event);
                    let msg = facts.iter().find_map(|r| match r.fact {
                        crate::fact::Fact::HandlingStarted { msg, .. } => Some(msg),
                        _ => None,
                    })?;
                    Some(Breach { guarantee, at_ms, event, group, earlier: None, msg })
                }
                _ => None,
            }
        })
        .collect()
}
