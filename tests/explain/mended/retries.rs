//! Copies in the retry topic of POP: when they are tried again.

use lockstep_core::explain::Reason;
use lockstep_core::fact::Fact;
use lockstep_core::pop::PopFact;
use lockstep_i18n::sentence::Speaker;
use lockstep_i18n::Locale;

use super::{at, played, reason_at};

/// A1 fails; its copy comes into the retry topic while the receive of c1 waits at the broker.
const COPY: &str = "\
topic orders NORMAL 1 queue
series A without message-group
producer p1
group billing reads orders concurrent, handles in 3s
consumer c1 in billing grpc push
at 1s A1 fails once
at 3s p1 sends A1
run until 60s
";

#[test]
fn a_copy_waits_for_the_end_of_a_receive_that_nothing_wakes() {
    let session = played(COPY);
    let popped = |again: bool| {
        let mut all =
            session.facts().iter().filter(|r| matches!(r.fact, Fact::Pop(PopFact::Popped { .. })));
        all.nth(usize::from(again)).unwrap().at_ms
    };
    let again_ms = popped(true);
    let reason = reason_at(COPY, again_ms - 1_000, "A1");
    let Reason::PollSleeps { until_ms, .. } = reason else { panic!("{reason:?}") };
    assert_eq!(until_ms, again_ms);
}

#[test]
fn a_failed_attempt_that_nobody_repeats_by_itself_says_when_it_is_visible_again() {
    let told = |text: &str| {
        let (session, _) = at(text, 40_000, "A1");
        let speaker = Speaker { world: session.world(), locale: Locale::ALL[0] };
        let failed = session
            .facts()
            .iter()
            .find(|r| matches!(r.fact, Fact::Pop(PopFact::AttemptFailed { .. })));
        speaker.fact(&failed.unwrap().fact, None)
    };
    let hidden = told(COPY);
    assert!(hidden.contains("invisible time is over"), "{hidden}");
    let ordered = COPY
        .replace("orders NORMAL", "orders FIFO")
        .replace("without message-group", "message-group order-1")
        .replace("concurrent", "fifo");
    let kept = told(&ordered);
    assert!(kept.contains("the next one starts"), "{kept}");
}
