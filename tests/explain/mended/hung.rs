//! Consumers that stand still with messages in hand.

use lockstep_core::explain::diagnose::Problem;
use lockstep_core::explain::Reason;
use lockstep_core::fact::{Fact, StopKind};

use super::{find, left_out, played, reason_at};

/// c1 stands still with A1 in a call; a copy of it goes to the retry topic, where c2 would get it.
const POP: &str = "\
topic orders NORMAL 1 queue
series A without message-group
group billing reads orders concurrent, handles in 20s
producer p1
consumer c1 in billing grpc push
at 3s p1 sends A1 A2
at 5s c1 hangs
at 100s c2 joins billing grpc push
at 110s c2 hangs
run until 500s
";

#[test]
fn a_copy_in_the_retry_topic_is_not_passed_over_for_the_call_of_a_consumer_that_stands_still() {
    for at_ms in [150_000, 300_000, 500_000] {
        for label in ["A1", "A2"] {
            let reason = reason_at(POP, at_ms, label);
            assert!(matches!(reason, Reason::Hangs { .. }), "{label} at {at_ms}: {reason:?}");
        }
    }
    let goes_on = POP.replace("at 110s c2 hangs\n", "");
    assert_eq!(reason_at(&goes_on, 400_000, "A1"), Reason::Done);
}

#[test]
fn what_was_in_a_call_when_its_consumer_came_to_stand_still_waited_for_it() {
    let one = find(POP, |f| matches!(f.problem, Problem::Stands { .. }));
    let session = played(POP);
    let stops = one.evidence.iter().any(|i| {
        matches!(
            session.facts()[*i as usize].fact,
            Fact::ConsumerStopped { how: StopKind::Hang, .. }
        )
    });
    assert!(stops, "a standstill is shown with what stands still: {one:?}");

    let classic = "\
series A message-group order-1
group billing reads orders orderly, handles in 20s
consumer c1 in billing
at 3s p1 sends A1
at 5s c1 hangs
at 100s c1 resumes
run until 200s
";
    // Its call would have lasted until 23 s anyway.
    let one = find(classic, |f| matches!(f.problem, Problem::Hung { waited_ms: 77_000, .. }));
    let [change] = &one.repair[..] else { panic!("{:?}", one.repair) };
    assert_eq!(left_out(&played(classic), change).len(), 2, "it neither hangs nor resumes");
}
