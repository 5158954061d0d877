//! Reasons, chains and findings that once said what was not so, each with its whole kind.

use lockstep_core::explain::diagnose::{diagnose, Finding, Problem};
use lockstep_core::explain::{named, why, Explanation, Headline, Ledger, Reason, Rule, Run};
use lockstep_core::fact::Fact;
use lockstep_core::ids::Ms;
use lockstep_core::scenario::{load, play};
use lockstep_core::session::Session;

/// A run up to an instant, with its explanation of the first thing of a name.
fn at(text: &str, at_ms: Ms, thing: &str) -> (Session, Explanation) {
    let program = load(text).unwrap();
    let mut session = Session::new(program.seed, program.model.clone(), program.journal());
    session.run_until(at_ms);
    let ledger = Ledger::of(session.facts());
    let mut world = session.world().clone();
    world.wait_until(at_ms);
    let run = Run { world: &world, ..Run::of(&session, &ledger) };
    let about = named(&run, &[thing], None).unwrap()[0];
    let explanation = why(&run, about).unwrap();
    (session, explanation)
}

fn reason_at(text: &str, at_ms: Ms, thing: &str) -> Reason {
    at(text, at_ms, thing).1.headline.reason().unwrap()
}

fn findings(text: &str) -> Vec<Finding> {
    let program = load(text).unwrap();
    let session = play(&program);
    diagnose(&session, &Ledger::of(session.facts()), program.until_ms)
}

/// Whether one of the causes is a fact of a kind.
fn has_cause((session, one): &(Session, Explanation), is_it: impl Fn(&Fact) -> bool) -> bool {
    one.causes.iter().any(|cause| is_it(&session.facts()[cause.fact as usize].fact))
}

/// c1 stands still for good with A5 in a call; c2 takes the queue when the lease is over.
const HANGS: &str = "\
topic orders FIFO 1 queue
series A message-group order-1
producer p1
group billing reads orders orderly, handles in 1s
consumer c1 in billing
consumer c2 in billing
at 3s p1 sends A1..A20
at 8s c1 hangs
run until 200s
";

#[test]
fn what_a_standing_consumer_had_in_hand_is_no_longer_its_own_when_another_has_taken_over() {
    let concurrent = HANGS.replace("orderly, handles in 1s", "concurrent, handles in 10s");
    let grpc = HANGS.replace("orderly, handles", "fifo, handles");
    let grpc = grpc.replace("c1 in billing", "c1 in billing grpc push");
    let grpc = grpc.replace("consumer c2 in billing\n", "");
    let grpc = grpc.replace("run until", "at 9s c2 joins billing grpc push\nrun until");
    for text in [HANGS, &concurrent, &grpc] {
        assert!(matches!(reason_at(text, 30_000, "A5"), Reason::Hangs { .. }), "{text}");
        assert_eq!(reason_at(text, 200_000, "A5"), Reason::Done, "{text}");
        let told = |f: &Finding| matches!(f.problem, Problem::Stands { .. });
        assert!(!findings(text).iter().any(told), "{text}");
    }
}

#[test]
fn what_a_broker_took_back_and_stored_nowhere_is_not_consumed() {
    let text = "\
topic orders FIFO 1 queue
series A message-group order-1
producer p1 selects by hash
group billing reads orders concurrent, handles in 100ms, retry-queue-nums 0
consumer c1 in billing
at 2s A1 fails always
at 3s p1 sends A1 A2
run until 200s
";
    let grpc = text.replace("concurrent,", "fifo, retry-max-times 2,");
    let grpc = grpc.replace("c1 in billing", "c1 in billing grpc push");
    for text in [text, &grpc] {
        let one = at(text, 200_000, "A1");
        assert_eq!(one.1.headline.reason(), Some(Reason::SentNowhere), "{text}");
        assert!(has_cause(&one, |f| matches!(f, Fact::SentNowhere { .. })), "{text}");
        assert!(has_cause(&one, |f| matches!(f, Fact::HandlingEnded { .. })), "{text}");
        assert_eq!(reason_at(text, 200_000, "A2"), Reason::Done, "{text}");
    }
}

#[test]
fn a_send_that_was_given_up_while_its_packet_travels_is_still_stored() {
    let text = "\
topic orders FIFO 1 queue
series A message-group order-1
producer p1 selects by hash
group billing reads orders orderly, handles in 100ms
consumer c1 in billing
at 3s p1 sends A1, travel 4s
run until 30s
";
    let late = reason_at(text, 6_500, "A1");
    assert!(matches!(late, Reason::Late { at_ms: 7_000, .. }), "{late:?}");
    assert_eq!(reason_at(text, 30_000, "A1"), Reason::Done);
    let lost = text.replace("at 3s p1", "at 2s cut p1 from broker\nat 3s p1");
    let lost = reason_at(&lost, 6_500, "A1");
    assert!(matches!(lost, Reason::SendFailed { .. }), "{lost:?}");
}

#[test]
fn the_rule_of_a_failed_send_is_that_of_its_sdk_mode_and_selector() {
    let text = "\
topic orders FIFO 1 queue
series A message-group order-1
producer p1 selects by hash
group billing reads orders orderly
at 2s cut p1 from broker
at 3s p1 sends A1
run until 30s
";
    let grpc = text.replace(" selects by hash", "");
    let grpc = grpc.replace("cut p1 from broker", "proxy answers send with INTERNAL_SERVER_ERROR");
    let cases = [
        (text.to_owned(), Rule::SelectorSends),
        (text.replace("selects by hash", "selects by round-robin"), Rule::SendAttempts),
        (text.replace("selects by hash", "selects by hash, async"), Rule::AsyncSends),
        (grpc, Rule::GrpcSends),
    ];
    for (text, rule) in cases {
        let (_, one) = at(&text, 30_000, "A1");
        assert!(matches!(one.headline.reason(), Some(Reason::SendFailed { .. })), "{text}");
        assert_eq!(one.rule, rule, "{text}");
        assert!(!one.constants.is_empty(), "{text}");
    }
}

#[test]
fn a_quoted_name_of_several_words_is_the_same_name() {
    let (_, quoted) = at(HANGS, 5_000, "lock q0");
    assert!(matches!(quoted.headline, Headline::Lock { .. }));
    let (_, thread) = at(HANGS, 5_000, "thread 1 of c1");
    assert!(matches!(thread.headline, Headline::Thread { .. }));
}
