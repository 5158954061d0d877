//! When something was over that ends by a party's clock: a clock that is set puts an end before the present,
//! and it was not over before the clock was set.

use super::Run;
use crate::fact::Fact;
use crate::ids::{Ms, Party};

/// When something was over that ends at `end_ms` of the run, as the party's clock stands now; None while it
/// is not over. All in ms.
pub(super) fn over_since(run: &Run<'_>, party: Party, end_ms: Ms) -> Option<Ms> {
    let mut end_ms = Some(end_ms).filter(|end_ms| *end_ms < run.now_ms())?;
    for (at_ms, by_ms) in jumps(run, party).into_iter().rev() {
        if end_ms >= at_ms {
            break;
        }
        // Before the clock was set, the end lay so much later.
        end_ms += by_ms;
        if end_ms > at_ms {
            return Some(at_ms);
        }
    }
    Some(end_ms)
}

/// The instants at which the clock of a party was set, and by how much, in ms.
fn jumps(run: &Run<'_>, of: Party) -> Vec<(Ms, Ms)> {
    let mut before_ms = 0;
    let set = run.facts.iter().filter_map(|record| match record.fact {
        Fact::ClockJumped { party, ahead_ms } if party == of => Some((record.at_ms, ahead_ms)),
        _ => None,
    });
    set.map(|(at_ms, ahead_ms)| (at_ms, ahead_ms - std::mem::replace(&mut before_ms, ahead_ms)))
        .collect()
}
