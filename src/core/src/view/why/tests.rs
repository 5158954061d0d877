use super::*;
use crate::command::Label;
use crate::scenario;
use crate::session::Session;
use crate::view::history::History;
use crate::view::stage::{project, Options};

const POISON: &str = "\
topic orders FIFO 1 queue
group billing reads orders orderly, handles in 400ms
producer p1
consumer c1 in billing
at 3s A2 throws always
at 3s p1 sends A1 A2 B1
run until 9s
";

fn reason(text: &str, at_ms: Ms, series: &str, number: u32) -> Option<Why> {
    let program = scenario::load(text).unwrap();
    let mut session = Session::new(program.seed, program.model.clone(), program.journal());
    session.run_until(at_ms);
    let world = session.world();
    let label = Label { series: series.to_owned(), number };
    let count = world.shared.messages.len() as u32;
    let msg = (0..count).map(MsgId).find(|msg| world.shared.label(*msg) == label).unwrap();
    let journal = program.journal();
    let history = History::default();
    let options =
        Options { group: 0, journal: &journal, columns: &|_| 10, opened: None, history: &history };
    why(&project(world, &options), msg)
}

#[test]
fn what_waits_behind_a_failed_message_says_so() {
    let why = reason(POISON, 4_000, "B", 1).unwrap();
    match why.reason {
        Reason::Behind { head, doing: HeadState::Suspended { failures, until_ms }, .. } => {
            assert_eq!((&*head.label, failures, until_ms), ("A2", 1, 4_800));
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(
        reason(POISON, 4_000, "A", 2).unwrap().reason,
        Reason::Suspended { failures: 1, until_ms: 4_800 }
    ));
}

#[test]
fn what_is_handled_and_what_is_consumed_says_so() {
    assert!(matches!(
        reason(POISON, 3_200, "A", 1).unwrap().reason,
        Reason::Handled { from_ms: 3_000, until_ms: 3_400, again: false, .. }
    ));
    assert_eq!(reason(POISON, 4_000, "A", 1).unwrap().reason, Reason::Done);
    assert!(matches!(
        reason(POISON, 3_200, "B", 1).unwrap().reason,
        Reason::Behind { doing: HeadState::Handled, same_group: false, .. }
    ));
}

#[test]
fn the_owner_of_a_lock_that_is_gone_is_named() {
    let text = POISON.replace("run until 9s", "at 5s c1 crashes\nrun until 9s");
    match reason(&text, 6_000, "A", 2).unwrap().reason {
        Reason::OwnerGone { owner, .. } => assert_eq!(&*owner, "c1"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_second_stack_says_who_has_a_message_and_what_holds_a_queue_back() {
    const FIFO: &str = "\
topic orders FIFO 1 queue
group billing reads orders fifo
producer p1
consumer c1 in billing simple
at 1s p1 sends A1 A2 A3
at 2s c1 receives max-message-num 1, invisible-duration 10s
at 4s c1 crashes
run until 30s
";
    let of = |at_ms, number| reason(FIFO, at_ms, "A", number).unwrap().reason;
    match of(3_000, 1) {
        Reason::Held { client, attempt, state: HoldState::InHand, head: None, visible_ms } => {
            assert_eq!((&*client, attempt, visible_ms), ("c1", 1, 12_000));
        }
        other => panic!("{other:?}"),
    }
    assert!(
        matches!(of(3_000, 2), Reason::Blocked { head, until_ms: 12_000 } if &*head.label == "A1")
    );
    assert_eq!(of(5_000, 1), Reason::Invisible { until_ms: 12_000 });
    assert_eq!(of(13_000, 1), Reason::Deliverable);
    assert_eq!(of(13_000, 2), Reason::Deliverable);
}

#[test]
fn a_message_in_a_batch_waits_for_the_one_before_it() {
    const FIFO: &str = "\
topic orders FIFO 1 queue
group billing reads orders fifo, handles in 600ms, retry-policy customized 2s
producer p1
consumer c1 in billing grpc push
at 3s A2 fails once
at 3s p1 sends A1 B1 A2 B2
run until 20s
";
    let of = |label, number| reason(FIFO, 5_000, label, number).unwrap().reason;
    assert!(matches!(
        of("A", 2),
        Reason::Held {
            attempt: 2,
            state: HoldState::BackOff { until_ms: 6_900, .. },
            head: None,
            ..
        }
    ));
    assert!(matches!(of("B", 2), Reason::Held { head: Some(head), .. } if &*head.label == "A2"));
}
