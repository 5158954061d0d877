//! What waits behind a message that waits itself: it is told why that one does, and what moves it.

use lockstep_core::command::Command;
use lockstep_core::explain::{Doing, Reason, Rule};
use lockstep_core::fact::Fact;
use lockstep_core::ids::Party;

use super::{at, now, offered, reason_at};

/// c1 cannot renew its lock of q0 from 5 s on; at 43 s it no longer trusts it.
const CUT: &str = "\
series A message-group order-1
group billing reads orders orderly, handles in 20s
consumer c1 in billing
at 3s p1 sends A1..A5
at 5s cut c1 from broker
at 100s heal c1 and broker
run until 150s
";

#[test]
fn behind_a_message_whose_consumer_is_cut_off_the_cut_is_told_and_can_be_healed() {
    let told = at(CUT, 44_000, "A4");
    let Some(Reason::Behind { doing: Doing::CutOff { from }, .. }) = told.1.headline.reason()
    else {
        panic!("{:?}", told.1.headline);
    };
    assert!(matches!(from, Party::Broker(_)));
    assert_eq!(told.1.rule, Rule::Network);
    let is_cut = |c: &Command| matches!(c, Command::Cut { .. });
    let cut = told.1.causes.iter().filter_map(|cause| cause.command);
    assert!(cut.into_iter().any(|index| is_cut(&told.0.journal()[index as usize].1)));
    assert!(now(&offered(&told), |c| matches!(c, Command::Heal { .. })));
}

#[test]
fn behind_a_lock_that_is_only_distrusted_nobody_says_that_it_is_not_held() {
    let text = CUT.replace("handles in 20s", "handles in 5s").replace(
        "at 5s cut c1 from broker\nat 100s heal c1 and broker\n",
        "at 6s clock of c1 40s ahead\n",
    );
    let told = at(&text, 8_000, "A3");
    let reason = told.1.headline.reason();
    let distrusted = Some(Doing::LockMissing { expired: true });
    let doing = match reason {
        Some(Reason::Behind { doing, .. }) => Some(doing),
        _ => None,
    };
    assert_eq!(doing, distrusted, "{reason:?}");
    let jumped =
        told.1.causes.iter().any(|cause| {
            matches!(told.0.facts()[cause.fact as usize].fact, Fact::ClockJumped { .. })
        });
    assert!(jumped, "{:?}", told.1.causes);
}

#[test]
fn behind_a_message_that_waits_for_a_thread_more_threads_are_offered() {
    let text = "\
topic orders FIFO 2 queues
series A message-group order-1
series B message-group order-2
series C message-group order-3
series D message-group order-4
series E message-group order-5
producer p1
group billing reads orders orderly, handles in 1s
consumer c1 in billing 1 thread
at 3s p1 sends A1 B1 C1 D1 E1 A2 B2 C2 D2 E2
run until 30s
";
    let labels = ["A2", "B2", "C2", "D2", "E2"];
    let behind = labels.into_iter().find(|label| {
        matches!(
            reason_at(text, 3_500, label),
            Reason::Behind { doing: Doing::NoThread { threads: 1 }, .. }
        )
    });
    let told = at(text, 3_500, behind.expect("a queue has no thread"));
    assert_eq!(told.1.rule, Rule::Threads);
    assert!(!offered(&told).is_empty());
    let max = told.1.constants.iter().find(|c| c.name == "consumeThreadMax").map(|c| c.amount);
    assert_eq!(max, Some(lockstep_core::explain::Amount::Count(1)), "its own threads count");
}

#[test]
fn nobody_waits_behind_what_was_handled_and_is_not_committed() {
    let text = "\
series A message-group order-1
group billing reads orders orderly, handles in 1s, autocommit off
consumer c1 in billing
at 3s p1 sends A1..A4
run until 30s
";
    let reason = reason_at(text, 4_500, "A3");
    let Reason::Behind { doing: Doing::Handled { .. }, head, .. } = reason else {
        panic!("{reason:?}");
    };
    let told = at(text, 4_500, "A3");
    assert_eq!(told.0.world().shared.label(head).to_string(), "A2");
}
