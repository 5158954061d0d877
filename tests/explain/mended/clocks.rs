//! What ends by a clock that is set was not over before it was set.

use lockstep_core::explain::{Headline, LockState};
use lockstep_core::fact::Fact;
use lockstep_core::ids::Ms;

use super::{at, Explanation, Session};

/// The lease of c1 is over by the broker's clock alone.
const AHEAD: &str = "\
series A message-group order-1
group billing reads orders orderly
consumer c1 in billing
at 3s p1 sends A1
at 30s clock of broker 90s ahead
run until 60s
";

fn since_ms((_, one): &(Session, Explanation)) -> Ms {
    match one.headline {
        Headline::Lock { state: LockState::Expired { since_ms, .. }, .. } => since_ms,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_lease_that_a_clock_ended_was_over_when_the_clock_was_set() {
    let told = at(AHEAD, 35_000, "lock q0");
    assert_eq!(since_ms(&told), 30_000);
    let set =
        told.1.causes.iter().any(|cause| {
            matches!(told.0.facts()[cause.fact as usize].fact, Fact::ClockJumped { .. })
        });
    assert!(set, "{:?}", told.1.causes);
}

#[test]
fn a_lease_that_was_over_before_the_clock_was_set_stays_so() {
    // The lock is renewed at 1 s, and the lease is over at 61 s.
    let text = AHEAD
        .replace("at 30s clock", "at 90s clock")
        .replace("at 3s p1", "at 2s c1 hangs\nat 3s p1")
        .replace("until 60s", "until 120s");
    assert_eq!(since_ms(&at(&text, 95_000, "lock q0")), 61_000);
    let twice = AHEAD.replace("90s ahead", "40s ahead\nat 35s clock of broker 90s ahead");
    assert_eq!(since_ms(&at(&twice, 38_000, "lock q0")), 35_000);
}
