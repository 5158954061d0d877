//! Causes and repairs that a diagnosis told falsely or not at all.

use lockstep_core::command::Command;
use lockstep_core::explain::diagnose::{Held, Problem};
use lockstep_core::explain::violation::Guilt;
use lockstep_core::explain::Reason;
use lockstep_core::guarantee::Missing;

use super::{find, findings, handled_at, left_out, played, with};

fn has(text: &str, is_it: impl Fn(&Problem) -> bool) -> bool {
    findings(text).iter().any(|f| is_it(&f.problem))
}

/// What is delivered to c1 while it stands still is taken up when its invisible time is long over.
const READ_LATE: &str = "\
series A message-group order-1
group billing reads orders fifo, handles in 1s
consumer c1 in billing grpc push
at 5s c1 hangs
at 8s p1 sends A1 A2
at 200s c1 resumes
run until 350s
";

#[test]
fn an_answer_that_is_read_late_is_the_fault_of_the_standstill_and_not_of_the_invisible_time() {
    assert!(has(READ_LATE, |p| matches!(p, Problem::Hung { .. })));
    assert!(!has(READ_LATE, |p| matches!(p, Problem::InvisibleTooShort { .. })));
    let short = "\
series A message-group order-1
group billing reads orders fifo, handles in 20s
consumer c1 in billing simple in a loop invisible-duration 10s
at 8s p1 sends A1 A2
run until 60s
";
    assert!(
        has(short, |p| matches!(p, Problem::InvisibleTooShort { .. })),
        "without a standstill it is"
    );
}

/// Two answers with A1 are lost, and its attempts are used up.
const LOST: &str = "\
series A message-group order-1
group billing reads orders fifo, handles in 1s, retry-max-times 1
consumer c1 in billing simple in a loop
at 2900ms lose next 2 receive-answer from proxy to c1
at 3s p1 sends A1 A2
run until 150s
";

#[test]
fn what_died_before_it_was_begun_did_not_fail() {
    let one = find(LOST, |f| matches!(f.problem, Problem::DeadUnbegun { deliveries: 2, .. }));
    assert!(!has(LOST, |p| matches!(p, Problem::GivenUp { .. })));
    let [change] = &one.repair[..] else { panic!("{:?}", one.repair) };
    let gone = left_out(&played(LOST), change);
    assert!(matches!(gone[..], [Command::DropNext { .. }]), "{gone:?}");
    assert!(handled_at(&with(LOST, change), "A1").is_some());
}

#[test]
fn a_receive_that_got_no_answer_was_not_refused() {
    assert!(!has(LOST, |p| matches!(p, Problem::Held { by: Held::Refused { .. }, .. })));
    let refused = LOST.replace(
        "at 2900ms lose next 2 receive-answer from proxy to c1",
        "at 2900ms proxy answers receive with TOO_MANY_REQUESTS\nat 60s proxy serves receive",
    );
    assert!(has(&refused, |p| matches!(p, Problem::Held { by: Held::Refused { .. }, .. })));
}

/// One loop gets A2 to A4 by one receive, and A2 fails.
const LOOP: &str = "\
series A message-group order-1
group billing reads orders concurrent, handles in 3s
consumer c1 in billing simple in a loop
at 1s A2 fails once
at 3s p1 sends A1
at 3500ms p1 sends A2 A3 A4
run until 60s
";

#[test]
fn a_loop_that_handles_one_by_one_did_not_hold_several() {
    let came_back =
        |p: &Problem| matches!(p, Problem::Broken { guilt: Guilt::CameBack { .. }, .. });
    assert!(has(LOOP, came_back), "{:?}", findings(LOOP));
    assert!(!has(LOOP, |p| matches!(p, Problem::Broken { guilt: Guilt::Application { .. }, .. })));
    let one = find(LOOP, |f| came_back(&f.problem));
    let healed = with(LOOP, &one.repair[0]);
    assert!(handled_at(&healed, "A4") > handled_at(&healed, "A3"), "{:?}", one.repair);
}

/// The wheel drops A1, for which the disk has no room.
const DROPPED: &str = "\
topic orders DELAY 1 queue
series A without message-group
producer p1
group billing reads orders concurrent, handles in 1s
consumer c1 in billing
at 3s p1 sends A1 delay 100s
at 70s disk 95% full
run until 350s
";

#[test]
fn what_the_wheel_dropped_on_a_full_disk_wants_room_and_no_longer_retention() {
    let one = find(DROPPED, |f| matches!(f.problem, Problem::Lost { .. }));
    assert_eq!(one.needs, Some(Missing::Room));
    let [change] = &one.repair[..] else { panic!("{:?}", one.repair) };
    assert!(matches!(left_out(&played(DROPPED), change)[..], [Command::SetDisk { .. }]));
    assert!(
        !has(DROPPED, |p| matches!(p, Problem::NotPutBack { .. })),
        "it is not waited for any more"
    );
}

#[test]
fn a_poison_of_grpc_consumers_is_named_before_its_attempts_are_used_up() {
    let text = "\
series A message-group order-1
group billing reads orders fifo, handles in 100ms
consumer c1 in billing grpc push
at 1s A1 fails always
at 3s p1 sends A1 A2
at 100s c1 crashes
run until 150s
";
    let simple = text.replace("grpc push", "simple in a loop");
    for text in [text, &simple, &simple.replace("at 100s c1 crashes\n", "")] {
        let one = find(text, |f| {
            matches!(f.problem, Problem::Poison { failures: 5.., limit: Some(17), .. })
        });
        for change in &one.repair {
            assert!(handled_at(&with(text, change), "A2") < Some(100_000), "{change:?}");
        }
    }
}

#[test]
fn a_call_that_is_made_long_is_named_where_an_ordered_queue_waits_for_it() {
    let text = "\
series A message-group order-1
group billing reads orders orderly, handles in 1s
consumer c1 in billing
at 1s A1 takes 90s always
at 3s p1 sends A1 A2
run until 150s
";
    let slow = |p: &Problem| matches!(p, Problem::Slow { took_ms: 90_000, waited_ms: 90_000, .. });
    let one = find(text, |f| slow(&f.problem));
    let [change] = &one.repair[..] else { panic!("{:?}", one.repair) };
    assert_eq!(handled_at(&with(text, change), "A2"), Some(4_000));
    // Nobody waits where the listener is concurrent, or for what comes last.
    let any = |p: &Problem| matches!(p, Problem::Slow { .. });
    assert!(!has(&text.replace("orderly", "concurrent"), any));
    assert!(!has(&text.replace("sends A1 A2", "sends A1"), any));
}

/// c1 parts with its subscription.
const NOTHING: &str = "\
series A message-group order-1
group billing reads orders orderly
consumer c1 in billing
at 20s c1 reads nothing
at 60s p1 sends A1
run until 100s
";

#[test]
fn what_nobody_reads_any_more_is_told_and_moves_without_the_line_that_says_so() {
    let stands =
        |p: &Problem| matches!(p, Problem::Stands { reason: Reason::OfOtherReader { .. }, .. });
    let simple =
        NOTHING.replace("orderly", "fifo").replace("in billing\n", "in billing simple in a loop\n");
    for text in [NOTHING, &simple] {
        let one = find(text, |f| stands(&f.problem));
        let session = played(text);
        let is_it = |change| matches!(left_out(&session, change)[..], [Command::Subscribe { .. }]);
        assert!(one.repair.iter().any(is_it), "{:?}", one.repair);
    }
}
