//! Why anything is as it is, and what would move what does not move.
//!
//! An explanation is typed data: the interface puts it into words and composes nothing. It is made
//! from the world at one instant and from the facts up to that instant; it changes neither, so the
//! same run gives the same explanations everywhere.
//!
//! - [`why`] explains a thing: its state as a [`Headline`], the [`Rule`] behind it, the values now,
//!   the facts that led there (a chain back to a command), who else waits, and what would move it.
//! - [`why_not`] explains why something wanted has not happened.
//! - [`attempt`] tries a [`Counterfactual`] in a branch; [`offers`] keeps those that do what they say.

mod also;
mod branch;
mod calls;
mod causes;
mod classic;
mod clocks;
mod collateral;
mod counter;
mod deciding;
mod detail;
pub mod diagnose;
mod disk;
mod faults;
mod finished;
mod grpc;
mod handover;
mod headline;
mod ledger;
mod lost;
mod message;
mod name;
mod owner;
mod parts;
mod passed;
mod reason;
mod resets;
mod rollback;
mod rule;
mod sending;
mod states;
mod subject;
mod timers;
mod transactions;
mod values;
pub mod violation;

pub use also::Also;
pub use branch::{
    attempt, gets_by_hand, offers, offers_at, with as with_change, Attempt, HORIZON_MS,
    MAX_BRANCH_EVENTS,
};
pub use causes::Cause;
pub use collateral::{Collateral, MOST_BEHIND};
pub use counter::{Change, Counterfactual, Effect};
pub use detail::{Doing, Longer, PassedBy, Refusing, Void};
pub use ledger::Ledger;
pub use message::{lies_at, lies_in, reason, waiting};
pub use name::{named, named_later, Counted, Unnamed};
pub(crate) use owner::first_unfinished;
pub use reason::{Bound, Reason};
pub use rule::{Constant, Rule};
pub use states::{GroupState, LevelState, LockState, Part, QueueState, TimerState, WorkState};
pub use subject::{About, Headline, Wanted, WhyNot};
pub use transactions::Undone;
pub use values::{Amount, Value, ValueName};

use crate::command::Command;
use crate::fact::FactRecord;
use crate::ids::{GroupId, Ms, MsgId};
use crate::session::Session;
use crate::world::World;

/// What explanations are made from: a run up to its present.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// The system now.
    pub world: &'a World,
    /// What happened so far.
    pub facts: &'a [FactRecord],
    /// The commands.
    pub journal: &'a [(Ms, Command)],
    /// The facts by what they are about. It may know more facts than have happened by now.
    pub ledger: &'a Ledger,
}

impl<'a> Run<'a> {
    /// A session up to its present. The ledger must have read the session's facts.
    pub fn of(session: &'a Session, ledger: &'a Ledger) -> Self {
        Self { world: session.world(), facts: session.facts(), journal: session.journal(), ledger }
    }

    fn now_ms(&self) -> Ms {
        self.world.now_ms()
    }
}

/// An explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// What is explained.
    pub about: About,
    /// Its state, one sentence.
    pub headline: Headline,
    /// The rule that decides it.
    pub rule: Rule,
    /// The constants of that rule with their values in this run.
    pub constants: Vec<Constant>,
    /// What else decides about it, beside that state.
    pub also: Vec<Also>,
    /// What the rule looks at, now.
    pub values: Vec<Value>,
    /// What led here, the newest first; the last one is a command where one stands behind it.
    pub causes: Vec<Cause>,
    /// Who else waits because of it.
    pub collateral: Collateral,
    /// What might move it, not yet tried; see [`offers`].
    pub counterfactuals: Vec<Counterfactual>,
}

impl Explanation {
    /// What else decides about it, by rules of its own, each rule once.
    pub fn other_rules(&self) -> impl Iterator<Item = &Also> {
        let known = |place: usize, rule: Rule| {
            self.rule == rule || self.also[..place].iter().any(|other| other.rule == rule)
        };
        let also = self.also.iter().enumerate();
        also.filter(move |(place, also)| !known(*place, also.rule)).map(|(_, also)| also)
    }
}

/// Explains a thing. None when the run has no such thing.
pub fn why(run: &Run<'_>, about: About) -> Option<Explanation> {
    let (headline, core) = subject::state(run, about)?;
    let rule = headline.rule(run);
    let also = also::of(run, &headline, core);
    Some(Explanation {
        about,
        headline,
        rule,
        constants: rule.constants(run, core.and_then(|(_, group)| group), headline.client()),
        values: values::of(run, about, core),
        causes: causes::of(run, about, &headline, core, &also),
        collateral: collateral::of(run, about, core),
        counterfactuals: counter::of(run, &headline, core, &also),
        also,
    })
}

/// Explains why something wanted is not so. The explanation is that of what stands in its way.
pub fn why_not(run: &Run<'_>, about: About, wanted: Wanted) -> Option<WhyNot> {
    subject::why_not(run, about, wanted)
}

/// The message that an explanation comes down to, and its consumer group.
type Core = Option<(MsgId, Option<GroupId>)>;
