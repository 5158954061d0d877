//! What a reset is going to pass over does not wait.

use lockstep_core::explain::{PassedBy, Reason};

use super::reason_at;

/// A legacy reset to behind A8, whose consumer pauses; A2 is in a call.
const LEGACY: &str = "\
model 4.9
topic orders FIFO 1 queue
series A message-group order-1
producer p1
group billing reads orders orderly, handles in 1s
consumer c1 in billing
at 1s A2 takes 20s always
at 3s p1 sends A1..A8
at 11s reset billing to latest
run until 60s
";

#[test]
fn what_lies_before_the_place_of_a_reset_is_passed_over_at_once() {
    let by_reset = Reason::Passed { by: PassedBy::Reset };
    for at_ms in [12_000, 20_000, 40_000] {
        assert_eq!(reason_at(LEGACY, at_ms, "A8"), by_reset, "{at_ms}");
    }
    // What is to be read again still waits for the end of the pause.
    let back = LEGACY
        .replace("A2 takes 20s always", "A8 succeeds")
        .replace("at 11s reset billing to latest", "at 15s reset billing to time 0");
    let reason = reason_at(&back, 16_000, "A8");
    assert!(matches!(reason, Reason::ResetPause { .. }), "{reason:?}");
}
