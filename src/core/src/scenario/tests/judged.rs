//! Expectations against real runs: what holds, what fails, and what is said of it.

use super::*;
use crate::session::Session;

/// A2 fails twice, at 3 s and 4 s, and is handled at 5 s; B1 is in the other queue.
const RUN: &str = "\
topic orders FIFO 2 queues
series A message-group order-1002
series B message-group order-1003
group billing reads orders orderly
group audit reads orders orderly
producer p1 selects by hash
consumer c1 in billing
at 2s A2 fails twice, in billing
at 3s p1 sends A1 A2 A3 B1
run until 12s
";

fn state_at(now_ms: i64, ended: bool, condition: &str) -> (State, String) {
    let text = format!("{RUN}expect {condition}\n");
    let program = load(&text).unwrap_or_else(|problems| panic!("{condition}: {problems:#?}"));
    let mut session = Session::new(program.seed, program.model.clone(), program.journal());
    session.run_until(now_ms);
    let evidence = Evidence::of(&session, now_ms, ended);
    let verdicts = check(&program, &evidence);
    assert_eq!(verdicts.len(), 1, "{verdicts:#?}");
    (verdicts[0].finding.state, verdicts[0].describe(&program, &evidence))
}

#[test]
fn what_happened_holds_and_what_did_not_fails() {
    for (condition, holds) in [
        ("A2 handled at 5s", true),
        ("A2 handled before 5s", false),
        ("A2 handled before 5.001s", true),
        ("A2 handled after 5s", false),
        ("A2 handled after 4.999s", true),
        ("A2 delivered 3 times", true),
        ("A2 delivered 2 to 4 times", true),
        ("A2 delivered at least 4 times", false),
        ("A2 delivered at most 3 times", true),
        ("A2 delivered twice before 5s", true),
        ("A2 delivered once after 4s", true),
        ("A2 delivered on attempt 3 at 5s", true),
        ("A2 failed on attempt 2", true),
        ("A2 failed on attempt 3", false),
        ("A2 not dead-lettered", true),
        ("A1 A2 not delivered", false),
        ("A1 A3 not failed", true),
        ("A2 delivered between 4.5s and 6s", true),
        ("A1 B1 A3 handled in this order", true),
        ("A3 A1 handled in this order", false),
        ("A2 A2 A2 delivered in this order", true),
        ("A2 A2 A2 A2 delivered in this order", false),
        ("delivered exactly A1 A2 A2 A2 A3 in q0", true),
        ("delivered exactly A1 A2 A2 A2 in q0", false),
        ("delivered exactly A1 A2 A2 in q0 before 5s", true),
        ("every message handled", true),
        ("every message handled in billing before 5.1s", true),
        ("every message handled before 5s", false),
        ("no message dead-lettered", true),
        ("no message failed", false),
        ("4 messages handled", true),
        ("2 messages handled before 5s", true),
        ("3 messages handled", false),
        ("at least 2 messages handled", true),
        ("A3 handled after A2 handled", true),
        ("A3 handled before A2 handled", false),
        ("A1 handled before B1 dead-lettered", true),
        ("A1 handled by c1 in billing in q0 at offset 0", true),
        ("A1 handled in audit", false),
        ("A2 stored in q0 at offset 1", true),
        ("q0 locked by c1 at 1s", true),
        ("q0 locked once", true),
        ("q0 suspended twice", true),
        ("q1 not suspended", true),
        ("q0 owned by c1 at 12s", true),
        ("q0 owned by nobody at 0.5s in billing", true),
        ("q0 owned by nobody at 12s in audit", true),
        ("max-offset of q0 is 3", true),
        ("offset of q0 is 3 at 10s in billing", true),
        ("lag of q0 is 3 in audit", true),
        ("lag of q0 is 0 at 9s in billing", false),
        ("c1 joined at 0", true),
        ("c1 not left", true),
        ("order kept", true),
        ("order kept in A, B in billing", true),
        ("order broken in A", false),
        ("one owner per queue", true),
        ("statement at 3s refused", false),
        ("A1 handled and A2 dead-lettered", false),
        ("A2 dead-lettered or A1 handled", true),
        ("not A2 dead-lettered and not order broken", true),
    ] {
        let (state, told) = state_at(12_000, true, condition);
        let want = if holds { State::Holds } else { State::Fails };
        assert_eq!(state, want, "{condition}: {told}");
        assert!(!told.is_empty(), "{condition}");
    }
}

#[test]
fn what_can_still_happen_is_open() {
    for (condition, state) in [
        ("A2 handled at 5s", State::Open),
        ("A2 handled before 4s", State::Fails),
        ("A2 handled", State::Open),
        ("A1 handled", State::Holds),
        ("A1 handled once", State::Open),
        ("A2 delivered at least 2 times", State::Holds),
        ("A2 delivered once", State::Fails),
        ("A2 not dead-lettered", State::Open),
        ("order kept", State::Open),
        ("every message handled", State::Open),
        ("no message failed", State::Fails),
        ("A1 B1 A3 handled in this order", State::Open),
        ("delivered exactly A1 A2 A2 A2 A3 in q0", State::Open),
        ("delivered exactly A1 A3 in q0", State::Fails),
        ("q0 owned by c1 at 9s", State::Open),
        ("q0 owned by c1 at 2s", State::Holds),
        ("lag of q0 is 0 in billing", State::Open),
    ] {
        let (found, told) = state_at(4_500, false, condition);
        assert_eq!(found, state, "{condition}: {told}");
    }
}

#[test]
fn what_happened_instead_is_told() {
    let told = |condition: &str| state_at(12_000, true, condition).1;
    assert_eq!(told("A2 handled before 4s"), "A2 handled by c1 at 5s");
    assert_eq!(
        told("A2 dead-lettered"),
        "A2 was never dead-lettered; the last of it: A2 delivered to c1 from orders q0 (attempt 3) at 5s; \
         A2 handled by c1 at 5s; A2 acknowledged by c1 at 5s"
    );
    // Of several statements, the one that decides is told.
    for joined in [
        "A1 handled and A2 dead-lettered",
        "A1 handled and A2 dead-lettered and A3 failed",
        "A3 failed or A2 dead-lettered",
        "not A1 dead-lettered and A2 dead-lettered",
    ] {
        assert_eq!(told(joined), told("A2 dead-lettered"), "{joined}");
    }
    assert_eq!(told("A2 dead-lettered and A1 handled before 1s"), told("A2 dead-lettered"));
    assert_eq!(told("A2 handled and not A1 handled"), told("A1 not handled"));
    assert_eq!(told("A2 handled and max-offset of q1 is 0"), told("max-offset of q1 is 0"));
    assert!(told("A2 delivered 4 times").starts_with("it happened 3 times: A2 delivered"));
    assert!(told("q0 owned by nobody at 5s in billing").starts_with("c1 held it"));
    assert_eq!(told("max-offset of q1 is 0"), "it was 1: B1 stored in orders q1 at offset 0 at 3s");
    assert!(told("delivered exactly A1 A2 A3 in q0")
        .starts_with("the order was A1 A2 A2 A2 A3: A2 delivered"));
    assert_eq!(told("order broken"), "nothing was broken");
    assert_eq!(told("3 messages handled"), "it happened to 4 messages: A3 handled by c1 at 5s");
}

#[test]
fn a_refused_statement_fails_unless_it_is_expected() {
    let text = "topic t\ngroup g reads t orderly\nconsumer c1 in g\nat 5s c1 resumes\n";
    let program = load(text).expect("fine");
    let session = play(&program);
    let evidence = Evidence::of(&session, program.until_ms, true);
    let verdicts = check(&program, &evidence);
    assert_eq!(verdicts.len(), 1);
    assert_eq!(verdicts[0].line, 4);
    assert_eq!(
        verdicts[0].describe(&program, &evidence),
        "refused: `c1` is not in a state that allows it"
    );
    let program = load(&format!("{text}expect statement at 5s refused\n")).expect("fine");
    let session = play(&program);
    let verdicts = check(&program, &Evidence::of(&session, program.until_ms, true));
    assert!(verdicts.iter().all(|v| v.finding.state == State::Holds), "{verdicts:?}");
}

#[test]
fn a_goal_is_judged_by_what_happened_up_to_now() {
    let text = format!("{RUN}goal Get A3 handled.  when A3 handled and A2 not dead-lettered\n");
    let program = load(&text).expect("fine");
    let mut session = Session::new(program.seed, program.model.clone(), program.journal());
    session.run_until(4_500);
    assert!(!achieved(&program.goals[0], &Evidence::of(&session, 4_500, false)));
    session.run_until(5_500);
    assert!(achieved(&program.goals[0], &Evidence::of(&session, 5_500, false)));
}

#[test]
fn a_restarted_consumer_has_the_same_name() {
    let text = "topic t 1 queue\ngroup g reads t orderly\nconsumer c1 in g\nat 5s c1 stops\nat 6s c1 starts\n\
        expect c1 joined twice\nexpect q0 locked by c1 twice\n";
    let program = load(text).expect("fine");
    let session = play(&program);
    let verdicts = check(&program, &Evidence::of(&session, program.until_ms, true));
    assert!(verdicts.iter().all(|v| v.finding.state == State::Holds), "{verdicts:?}");
}

#[test]
fn whether_a_message_has_a_message_group_is_said_by_its_series() {
    let run = "topic t 2 queues\nseries A message-group order-1\nseries P without message-group\n\
        group g reads t orderly\nproducer p1\nconsumer c1 in g\nat 3s p1 sends A1 P1\nat 9s p1 sends P2\n";
    let state = |condition: &str, now_ms: i64| {
        let program = load(&format!("{run}expect {condition}\n")).expect("fine");
        let mut session = Session::new(program.seed, program.model.clone(), program.journal());
        session.run_until(now_ms);
        let evidence = Evidence::of(&session, now_ms, now_ms >= program.until_ms);
        let verdict = check(&program, &evidence).remove(0);
        (verdict.finding.state, verdict.describe(&program, &evidence))
    };
    for (condition, now_ms, wanted) in [
        ("A1 with message-group", 4_000, State::Holds),
        ("P1 with message-group", 4_000, State::Fails),
        ("A1 P1 with message-group", 4_000, State::Fails),
        ("P1 without message-group", 4_000, State::Holds),
        ("A1 without message-group", 4_000, State::Fails),
        // Not sent yet.
        ("P1 P2 without message-group", 4_000, State::Open),
        ("P1 P2 without message-group", 10_000, State::Holds),
        ("not P1 with message-group", 4_000, State::Holds),
    ] {
        assert_eq!(state(condition, now_ms).0, wanted, "{condition} at {now_ms}");
    }
    let told = state("P1 with message-group", 4_000).1;
    assert!(told.starts_with("it has no message group"), "{told}");
    // A goal may speak of what is never sent.
    let program = load(&format!("{run}goal g  when B1 without message-group\n")).expect("fine");
    let session = play(&program);
    assert!(!achieved(&program.goals[0], &Evidence::of(&session, program.until_ms, true)));
}
