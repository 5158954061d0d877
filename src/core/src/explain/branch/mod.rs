//! Trying a change: the same run once as it is and once with the change, compared.

mod sign;

pub use sign::gets_by_hand;
pub(super) use sign::is_by_hand;

use sign::Sign;

use super::{Change, Counterfactual, Effect, Explanation};
use crate::command::Command;
use crate::event::Event;
use crate::fact::Fact;
use crate::ids::Ms;
use crate::model::Model;
use crate::session::{Injected, Session};
use crate::world::World;

/// How far behind the present a branch is followed, in ms of virtual time.
pub const HORIZON_MS: Ms = 600_000;
/// Most events that a branch takes; what has not happened by then is not claimed.
pub const MAX_BRANCH_EVENTS: u32 = 60_000;

/// A change that takes away less than one part in so many of what is left to wait is no help.
const LEAST_HELP: Ms = 20;

/// What came of trying a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// It does what it says, and that is worth it.
    pub works: bool,
    /// When the effect comes with the change; None = not within the horizon.
    pub with_ms: Option<Ms>,
    /// When it comes without.
    pub without_ms: Option<Ms>,
}

/// Tries a change in a branch. The session itself stays as it is.
pub fn attempt(session: &Session, one: &Counterfactual) -> Attempt {
    Branch { session, world: session.world() }.attempt(one, &mut Vec::new())
}

/// The counterfactuals of an explanation that do what they say, with what came of trying them, at the
/// present event. For a clock that stands behind it there is [`offers_at`].
pub fn offers(session: &Session, explanation: &Explanation) -> Vec<(Counterfactual, Attempt)> {
    offers_at(session, session.world(), &explanation.counterfactuals)
}

/// The same for any counterfactuals of an instant of the session, of which this is the world, waited to
/// that instant ([`World::wait_until`]). What is given now is given as the line of a text gives it that is
/// written for it ([`World::line_ms`]): behind all that happens at an instant which has begun.
pub fn offers_at(
    session: &Session,
    world: &World,
    ones: &[Counterfactual],
) -> Vec<(Counterfactual, Attempt)> {
    let branch = Branch { session, world };
    let mut known = Vec::new();
    let tried = ones.iter().map(|one| (one.clone(), branch.attempt(one, &mut known)));
    tried.filter(|(_, attempt)| attempt.works).collect()
}

/// When effects come in the run as it is, for changes at the present and for those of a run anew.
type Known = Vec<((Effect, bool), Option<Ms>)>;

/// Where branches leave the run.
struct Branch<'a> {
    session: &'a Session,
    world: &'a World,
}

impl Branch<'_> {
    fn attempt(&self, one: &Counterfactual, known: &mut Known) -> Attempt {
        let until_ms = self.world.now_ms() + HORIZON_MS;
        let key = (one.effect, one.change.is_now());
        let cached = known.iter().find(|(k, _)| *k == key).map(|(_, ms)| *ms);
        let without_ms = cached.unwrap_or_else(|| {
            let without_ms = self.unchanged(one, until_ms);
            known.push((key, without_ms));
            without_ms
        });
        let past = self.past(one);
        let with_ms = self.changed(one, until_ms, past);
        let works = match (one.effect, with_ms, without_ms) {
            // Kept: the instant is that of the first break.
            (Effect::OrderKept { .. }, with_ms, without_ms) => {
                with_ms.is_none() && without_ms.is_some()
            }
            (_, Some(with_ms), Some(without_ms)) => {
                let left_ms = without_ms - self.world.now_ms();
                (without_ms - with_ms) * LEAST_HELP > left_ms
            }
            (_, with_ms, None) => with_ms.is_some(),
            (_, None, Some(_)) => false,
        };
        Attempt { works, with_ms, without_ms }
    }

    /// How often what the effect looks like was there up to the present, where the run begins anew: it
    /// was not the last word, since it is still wanted now (a reset, an attempt that failed).
    fn past(&self, one: &Counterfactual) -> usize {
        if one.change.is_now() || matches!(one.effect, Effect::OrderKept { .. }) {
            return 0;
        }
        let (sign, event) = (Sign::of(self.world, one.effect), self.world.event());
        let past = self.session.recorded_facts().iter().take_while(|r| r.event <= event);
        past.filter(|r| sign.shows(self.world, &r.fact)).count()
    }

    /// When the effect comes in the run as it is, from the present on.
    fn unchanged(&self, one: &Counterfactual, until_ms: Ms) -> Option<Ms> {
        let (session, world) = (self.session, self.world);
        let (sign, event) = (Sign::of(world, one.effect), world.event());
        if let Effect::OrderKept { .. } = one.effect {
            let past = session.recorded_violations().iter().take_while(|v| v.event <= event);
            let mut broken = past.filter(|v| sign.is_break(world, &v.broken, v.group));
            return broken.next().map(|v| v.at_ms);
        }
        follow(world.clone(), (session.journal(), 0), &sign, until_ms)
    }

    /// When the effect comes with the change; in a run that begins anew after `past` times.
    fn changed(&self, one: &Counterfactual, until_ms: Ms, past: usize) -> Option<Ms> {
        let session = self.session;
        let sign = Sign::of(self.world, one.effect);
        let mut journal = session.journal().to_vec();
        let mut injected = session.injected().to_vec();
        let mut model = session.model().clone();
        match &one.change {
            Change::Now(commands) => {
                let mut world = self.world.clone();
                let line_ms = world.line_ms();
                for command in commands {
                    world.schedule_command(line_ms, journal.len() as u32);
                    journal.push((line_ms, command.clone()));
                }
                return follow(world, (&journal, commands.len()), &sign, until_ms);
            }
            other => apply(other, &mut journal, &mut injected, &mut model),
        }
        anew(Session::replay(session.seed(), model, journal, injected), &sign, until_ms, past)
    }
}

/// The run with a change, from its beginning: the whole run as it would have been, to be looked at
/// beside the run as it is. A change that is given now, at the instant `now_ms` of the session's clock
/// in ms, is given as the line gives it that is written for it: see [`offers_at`].
pub fn with(session: &Session, change: &Change, now_ms: Ms) -> Session {
    let mut journal = session.journal().to_vec();
    let mut injected = session.injected().to_vec();
    let mut model = session.model().clone();
    if let Change::Now(commands) = change {
        // What was injected behind the present belongs to another future.
        let scheduled = journal.len() - injected.len();
        let (after_event, line_ms) = before_line(session, now_ms);
        injected.retain(|i| i.after_event < session.event());
        journal.truncate(scheduled + injected.len());
        for (place, command) in (0..).zip(commands) {
            let index = journal.len() as u32;
            journal.push((line_ms, command.clone()));
            injected.push(Injected { after_event: after_event + place, index });
        }
    } else {
        apply(change, &mut journal, &mut injected, &mut model);
    }
    Session::replay(session.seed(), model, journal, injected)
}

/// The last event before a line that is written for the instant `now_ms` of a session's clock, and the
/// instant of that line. The text's own commands of that instant come before it.
fn before_line(session: &Session, now_ms: Ms) -> (u32, Ms) {
    let mut world = session.world().clone();
    world.wait_until(world.reachable(now_ms));
    let line_ms = world.line_ms();
    let is_before = |world: &World| match world.shared.agenda.peek() {
        Some((at_ms, Event::Command(_))) => at_ms <= line_ms,
        Some((at_ms, _)) => at_ms < line_ms,
        None => false,
    };
    while is_before(&world) && world.step(session.journal()) {}
    (world.event(), line_ms)
}

/// Makes a change that begins a run anew.
fn apply(
    change: &Change,
    journal: &mut Vec<(Ms, Command)>,
    injected: &mut Vec<Injected>,
    model: &mut Model,
) {
    match change {
        Change::Now(_) => {}
        Change::From { at_ms, commands } => {
            journal.extend(commands.iter().map(|c| (*at_ms, c.clone())));
        }
        Change::Instead(others) => {
            for (index, command) in others {
                if let Some(entry) = journal.get_mut(*index as usize) {
                    entry.1 = command.clone();
                }
            }
        }
        Change::Without(indices) => without(journal, injected, indices),
        Change::Moved(others) => {
            for (index, at_ms) in others {
                if let Some(entry) = journal.get_mut(*index as usize) {
                    entry.0 = *at_ms;
                }
            }
        }
        Change::Blocking(blocking) => model.blocking = *blocking,
        Change::Release(version) => *model = model.at_release(*version),
    }
}

fn without(journal: &mut Vec<(Ms, Command)>, injected: &mut Vec<Injected>, gone: &[u32]) {
    let stays = |index: u32| !gone.contains(&index);
    injected.retain(|i| stays(i.index));
    for i in injected.iter_mut() {
        i.index -= gone.iter().filter(|g| **g < i.index).count() as u32;
    }
    let mut index = 0;
    journal.retain(|_| {
        index += 1;
        stays(index - 1)
    });
}

/// Follows a world until the sign shows. The last `given` commands of the journal are those of a change,
/// which comes to nothing when one of them is refused.
fn follow(
    mut world: World,
    (journal, given): (&[(Ms, Command)], usize),
    sign: &Sign,
    until_ms: Ms,
) -> Option<Ms> {
    let first = (journal.len() - given) as u32;
    let refused =
        |f: &Fact| matches!(f, Fact::CommandRefused { index } if (first..).contains(index));
    for _ in 0..MAX_BRANCH_EVENTS {
        world.next_event_at().filter(|at_ms| *at_ms <= until_ms)?;
        if !world.step(journal) || world.facts().iter().any(refused) {
            return None;
        }
        if world.facts().iter().any(|f| sign.shows(&world, f)) {
            return Some(world.now_ms());
        }
    }
    None
}

/// Plays a changed run from its beginning until the sign shows once more than `past` times.
fn anew(mut session: Session, sign: &Sign, until_ms: Ms, mut past: usize) -> Option<Ms> {
    while session.event() < MAX_BRANCH_EVENTS {
        session.next_event_at().filter(|at_ms| *at_ms <= until_ms)?;
        if !session.step() {
            return None;
        }
        let world = session.world();
        let shown = session.facts_of(session.event()).iter();
        let shown = shown.filter(|r| sign.shows(world, &r.fact)).count();
        if shown > past {
            return Some(world.now_ms());
        }
        past -= shown;
        let last = session.recorded_violations().last();
        if last
            .is_some_and(|v| v.event == session.event() && sign.is_break(world, &v.broken, v.group))
        {
            return Some(world.now_ms());
        }
    }
    None
}
