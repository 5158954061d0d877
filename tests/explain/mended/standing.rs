//! gRPC consumers that stand still, are cut off, or stop: what they were delivered, what brings them back,
//! and what their own cards say.

use lockstep_core::command::Command;
use lockstep_core::explain::{Longer, Reason, Rule};
use lockstep_core::fact::{Fact, StopKind};
use lockstep_core::session::Session;

use super::{at, now, offered, reason_at};

/// The broker answers the receive of c1, which stands still.
const HANGS: &str = "\
series A message-group order-1
group billing reads orders fifo, handles in 1s
consumer c1 in billing grpc push
at 5s c1 hangs
at 8s p1 sends A1 A2
at 100s c1 resumes
run until 150s
";

/// The same with a cut.
fn cut() -> String {
    HANGS.replace("c1 hangs", "cut c1 from proxy").replace("c1 resumes", "heal c1 and proxy")
}

fn client(session: &Session, name: &str) -> lockstep_core::ids::ClientId {
    session.world().shared.names.client(name).unwrap()
}

#[test]
fn what_was_delivered_to_a_consumer_that_stands_still_waits_for_it_and_not_for_a_repeat() {
    for label in ["A1", "A2"] {
        let told = at(HANGS, 20_000, label);
        let longer = match told.1.headline.reason() {
            Some(Reason::Invisible { longer, .. } | Reason::BehindInvisible { longer, .. }) => {
                longer
            }
            other => panic!("{label}: {other:?}"),
        };
        assert_eq!(longer, Longer::Standing { client: client(&told.0, "c1") }, "{label}");
        let hangs = told.1.causes.iter().any(|cause| {
            let fact = told.0.facts()[cause.fact as usize].fact;
            matches!(fact, Fact::ConsumerStopped { how: StopKind::Hang, .. })
        });
        assert!(hangs, "{label}: {:?}", told.1.causes);
        assert!(now(&offered(&told), |c| matches!(c, Command::ResumeConsumer { .. })), "{label}");
    }
}

#[test]
fn a_receive_that_was_cut_off_is_repeated_when_the_cut_is_healed() {
    for label in ["A1", "A2"] {
        let told = at(&cut(), 20_000, label);
        let longer = match told.1.headline.reason() {
            Some(Reason::Invisible { longer, .. } | Reason::BehindInvisible { longer, .. }) => {
                longer
            }
            other => panic!("{label}: {other:?}"),
        };
        assert_eq!(longer, Longer::Repeatable { client: client(&told.0, "c1") }, "{label}");
        assert!(now(&offered(&told), |c| matches!(c, Command::Heal { .. })), "{label}");
    }
}

#[test]
fn nobody_repeats_the_receive_of_a_consumer_that_has_ended() {
    let text = cut().replace("run until", "at 12s c1 crashes\nrun until");
    let reason = reason_at(&text, 20_000, "A1");
    assert!(matches!(reason, Reason::Invisible { longer: Longer::Unheard, .. }), "{reason:?}");
}

#[test]
fn what_a_consumer_was_handling_when_it_was_cut_off_moves_with_the_heal() {
    let text = cut().replace("at 8s p1", "at 4500ms p1");
    let told = at(&text, 20_000, "A1");
    assert!(
        matches!(told.1.headline.reason(), Some(Reason::Acting { .. })),
        "{:?}",
        told.1.headline
    );
    assert!(now(&offered(&told), |c| matches!(c, Command::Heal { .. })));
}

#[test]
fn the_card_of_a_consumer_that_is_cut_off_tells_its_own_reason() {
    let two = cut()
        .replace("at 5s", "consumer c2 in billing grpc push\nat 5s")
        .replace("handles in 1s", "handles in 30s");
    let of = |at_ms, name| at(&two, at_ms, name).1.headline.reason();
    let own = of(20_000, "c1");
    assert!(matches!(own, Some(Reason::CutOff { .. })), "{own:?}");
    // c2 waits for what c1 was delivered, and has nothing to do with the cut.
    let other = of(20_000, "c2");
    assert!(!matches!(other, Some(Reason::CutOff { .. })), "{other:?}");
    let told = at(&two, 20_000, "c1");
    assert_eq!(told.1.rule, Rule::GrpcNetwork);
    assert!(now(&offered(&told), |c| matches!(c, Command::Heal { .. })));
}

#[test]
fn the_card_of_a_consumer_does_not_tell_what_another_one_has_in_its_hands() {
    let text = "\
series A message-group order-1
group billing reads orders fifo, handles in 60s
consumer c1 in billing grpc push
consumer c2 in billing grpc push
at 5s p1 sends A1
run until 90s
";
    let headline = |name| at(text, 20_000, name).1.headline;
    let cards = [headline("c1"), headline("c2")];
    let idle = |h: &&lockstep_core::explain::Headline| {
        use lockstep_core::explain::{Headline, WorkState};
        matches!(h, Headline::Consumer { state: WorkState::Idle, .. })
    };
    assert_eq!(cards.iter().filter(idle).count(), 1, "{cards:?}");
}

#[test]
fn a_grpc_consumer_that_stands_still_or_stops_has_no_locks() {
    assert_eq!(at(HANGS, 20_000, "c1").1.rule, Rule::GrpcStandingProcess);
    let stops = HANGS.replace("c1 hangs", "c1 stops").replace("at 100s c1 resumes\n", "");
    assert_eq!(at(&stops, 5_500, "c1").1.rule, Rule::GrpcStop);
    let classic = HANGS.replace(" grpc push", "");
    assert_eq!(at(&classic, 20_000, "c1").1.rule, Rule::StandingProcess);
}
