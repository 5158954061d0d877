//! What is told of a lock whose lease is over.

use lockstep_core::explain::{Headline, LockState, ValueName};

use super::at;

/// c1 dies with the lock, and nobody asks for it.
const DIES: &str = "\
series A message-group order-1
group billing reads orders orderly, handles in 1s
consumer c1 in billing
at 5s c1 crashes
run until 200s
";

#[test]
fn a_lock_whose_lease_is_over_has_no_owner() {
    let held = |at_ms| {
        let (_, one) = at(DIES, at_ms, "lock q0");
        let told = one.values.iter().any(|value| value.name == ValueName::LockOwner);
        let left = one.values.iter().any(|value| value.name == ValueName::LockLeft);
        let expired =
            matches!(one.headline, Headline::Lock { state: LockState::Expired { .. }, .. });
        assert_eq!((told, left), (!expired, !expired), "{:?}", one.headline);
        told
    };
    assert!(held(20_000));
    assert!(!held(150_000));
}
