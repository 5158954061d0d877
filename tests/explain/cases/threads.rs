//! Threads of a consumer that wait for an answer.

use lockstep_core::client::Thread;
use lockstep_core::explain::{Reason, Rule};

use super::{explain, reason, run_to};

#[test]
fn a_pull_waits_for_the_offset_of_another_queue() {
    let text = "\
topic    orders FIFO 2 queues
series   A without message-group
series   B without message-group
group    billing reads orders orderly
producer p0 to orders, selects queue 0, type-check off
producer p1 to orders, selects queue 1, type-check off
consumer c1 in billing
latency  100ms
at 0     p0 sends A1
at 0     p1 sends B1
run      until 10s
";
    // Both pauses end at 2.5 s; the first queue's offset is read until 2.7 s.
    let told = reason(text, 2_600, "B1");
    assert!(matches!(told, Reason::ThreadWaits { thread: Thread::Pull, .. }), "{told:?}");
    let told = reason(text, 2_800, "B1");
    assert!(matches!(told, Reason::NotFetchedYet { .. }), "{told:?}");
}

#[test]
fn a_pause_lasts_until_a_renewal_elsewhere_is_given_up() {
    let text = "\
topic    orders FIFO 1 queue
add      broker b2
group    billing reads orders orderly
producer p1 selects queue 0
consumer c1 in billing
at 0     A1 fails always
at 0     p1 sends A1 A2
at 20.9s cut c1 from broker
run      until 24s
";
    let told = reason(text, 21_400, "A1");
    assert!(matches!(told, Reason::Suspended { .. }), "{told:?}");
    let (session, ledger) = run_to(text, 21_700);
    let told = explain(&session, &ledger, "A1");
    let reason_now = told.headline.reason();
    assert!(
        matches!(reason_now, Some(Reason::ThreadWaits { thread: Thread::OrderlyTimers, .. })),
        "{reason_now:?}"
    );
    assert_eq!(told.rule, Rule::OneThread);
}

#[test]
fn a_stop_that_waits_for_answers_takes_nothing_more() {
    let text = "\
topic    orders FIFO 1 queue
group    billing reads orders orderly
producer p1
consumer c1 in billing
at 10s   cut c1 from broker
at 11s   c1 stops
at 12s   p1 sends A1
run      until 20s
";
    let told = reason(text, 13_000, "A1");
    assert!(matches!(told, Reason::Leaving { .. }), "{told:?}");
}
