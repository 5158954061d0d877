//! Consumer groups, their members, filters, and copies that come back.

use lockstep_core::command::Command;
use lockstep_core::explain::{
    named, why, About, Change, GroupState, Headline, PassedBy, QueueState, Reason, Rule, Run,
    Unnamed, WorkState,
};
use lockstep_core::fact::Fact;
use lockstep_core::pop::PopFact;

use super::{explain, reason, run_to, POISON};

#[test]
fn an_ordered_group_by_pop_is_blocked_by_what_is_not_acknowledged() {
    let text = "\
group    billing reads orders fifo
consumer c1 in billing simple
at 1s    p1 sends A1 B1
at 3s    c1 receives max-message-num 1, invisible-duration 30s
run      until 60s
";
    assert!(matches!(reason(text, 5_000, "A1"), Reason::Held { until_ms: 33_000, .. }));
    match reason(text, 5_000, "B1") {
        Reason::BehindInvisible {
            holder: Some(_), until_ms: 33_000, same_group: false, ..
        } => {}
        other => panic!("{other:?}"),
    }
    let (session, ledger) = run_to(text, 5_000);
    let b1 = explain(&session, &ledger, "B1");
    assert_eq!(b1.rule, Rule::OrderedPop);
    let acks = |c: &Change| matches!(c, Change::Now(c) if matches!(c[0], Command::Pop(lockstep_core::pop::PopCommand::Ack { .. })));
    assert!(b1.counterfactuals.iter().any(|one| acks(&one.change)));
    let text = text.replace("model documents\n", "");
    let text = format!("model documents\n{text}");
    assert!(matches!(reason(&text, 5_000, "B1"), Reason::NotAsked { .. }));
}

#[test]
fn filters_and_new_groups_pass_messages_over() {
    let text = "\
group    billing reads orders tagged paid orderly
consumer c1 in billing
at 3s    p1 sends A1, tag open
at 3s    p1 sends A2, tag paid
run      until 30s
";
    assert_eq!(reason(text, 20_000, "A1"), Reason::Passed { by: PassedBy::Filter });
    assert_eq!(reason(text, 20_000, "A2"), Reason::Done);
}

/// Two groups read A1: by POP in order, and orderly with a limit of one attempt.
const TWO_GROUPS: &str = "\
group    billing reads orders fifo
group    audit reads orders orderly, max-reconsume-times 0
consumer c1 in billing grpc push
consumer c2 in audit
at 2s    A1 fails twice
at 3s    p1 sends A1 A2
run      until 30s
";

#[test]
fn a_back_off_names_the_attempt_that_failed() {
    for (at_ms, failed) in [(3_500, 1), (4_500, 2)] {
        match reason(TWO_GROUPS, at_ms, "A1") {
            Reason::BackOff { attempt, .. } => assert_eq!(attempt, failed, "at {at_ms}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_pending_reset_leaves_no_block() {
    let text = "\
group    billing reads orders fifo
consumer c1 in billing simple
at 0     p1 sends A1 A2 A3
at 1s    c1 receives max-message-num 2
at 3s    c1 acks A2
at 10s   reset billing in orders q0 to offset 2
at 12s   c1 receives
run      until 20s
";
    assert!(matches!(reason(text, 9_000, "A1"), Reason::Held { until_ms: 16_000, .. }));
    assert!(matches!(reason(text, 9_000, "A3"), Reason::BehindInvisible { .. }));
    assert_eq!(reason(text, 11_000, "A1"), Reason::Passed { by: PassedBy::Reset });
    assert_eq!(reason(text, 11_000, "A2"), Reason::Done);
    assert_eq!(reason(text, 11_000, "A3"), Reason::ResetPending { offset: 2, drops: None });
    assert!(matches!(reason(text, 13_000, "A3"), Reason::Held { .. }));
}

#[test]
fn what_another_group_stored_is_no_cause() {
    let (session, ledger) = run_to(TWO_GROUPS, 20_000);
    let topics = &session.world().shared.names.topics;
    let stored = |words: &str| -> Vec<String> {
        let causes = explain(&session, &ledger, words).causes;
        let facts = causes.iter().map(|c| session.facts()[c.fact as usize].fact);
        let queues = facts.filter_map(|fact| match fact {
            Fact::MessageStored { queue, .. } => Some(queue),
            _ => None,
        });
        queues.map(|queue| topics[queue.topic.index()].name.clone()).collect()
    };
    assert_eq!(stored("A1"), ["orders"], "billing has consumed it");
}

#[test]
fn threads_and_consumers_say_what_they_do() {
    let (session, ledger) = run_to(POISON, 3_100);
    let c1 = explain(&session, &ledger, "c1");
    assert!(matches!(c1.headline, Headline::Consumer { state: WorkState::Handles { .. }, .. }));
    let first = explain(&session, &ledger, "thread 1 of c1");
    assert!(matches!(
        first.headline,
        Headline::Thread { number: 0, state: WorkState::Handles { .. }, .. }
    ));
    let queue = explain(&session, &ledger, "q0");
    assert!(matches!(queue.headline, Headline::Queue { state: QueueState::Moves { .. }, .. }));
    let run = Run::of(&session, &ledger);
    let beyond = |words: &str| match named(&run, &words.split(' ').collect::<Vec<_>>(), None) {
        Err(Unnamed::Beyond { number, most, .. }) => (number, most),
        other => panic!("{words}: {other:?}"),
    };
    let commands = session.journal().len() as u32;
    assert_eq!(beyond("thread 99 of c1"), (99, 20));
    assert_eq!(beyond("thread 0 of c1"), (0, 20));
    assert_eq!(beyond("level 99"), (99, 18));
    assert_eq!(beyond("level 0"), (0, 18));
    assert_eq!(beyond("command 99"), (99, commands));
    assert_eq!(beyond("command 0"), (0, commands));
    assert!(named(&run, &["A77"], None).is_err());
    assert!(why(&run, About::Level(99)).is_none());
}

#[test]
fn the_proxy_renews_for_push_consumers_alone() {
    let names = |kind: &str| {
        let text = format!(
            "topic    orders FIFO 1 queue\ngroup    billing reads orders fifo, handles in 60s\n\
             producer p1\nconsumer c1 in billing {kind}\nat 2s    p1 sends A1\nat 8s    c1 crashes\n\
             run      until 60s\n"
        );
        let (session, ledger) = run_to(&text, 9_000);
        let explanation = explain(&session, &ledger, "A1");
        let reason = explanation.headline.reason();
        assert!(matches!(reason, Some(Reason::Invisible { .. })), "{kind}: {reason:?}");
        explanation.constants.iter().map(|c| c.name).collect::<Vec<_>>()
    };
    assert_eq!(names("simple in a loop invisible-duration 30s"), Vec::<&str>::new());
    assert_eq!(names("grpc push"), ["renewAheadTimeMillis"]);
}

#[test]
fn a_copy_in_the_pop_retry_topic_is_not_consumed_before_somebody_has_handled_it() {
    let text = "\
group    billing reads orders concurrent, handles in 300ms
consumer c1 in billing simple in a loop
at 2s    p1 sends A1
at 2s    A1 takes 1h once
at 5s    c1 crashes
at 100s  c2 joins billing grpc push
run      until 200s
";
    let (session, ledger) = run_to(text, 90_000);
    let a1 = explain(&session, &ledger, "A1");
    assert!(session.facts().iter().any(|r| matches!(r.fact, Fact::Pop(PopFact::Revived { .. }))));
    assert!(matches!(a1.headline.reason(), Some(Reason::NoConsumer { .. })), "{:?}", a1.headline);
    let group = explain(&session, &ledger, "group billing");
    assert!(
        matches!(group.headline, Headline::ConsumerGroup { state: GroupState::Waits { .. }, .. }),
        "{:?}",
        group.headline
    );
    assert_eq!(reason(text, 190_000, "A1"), Reason::Done);
}

#[test]
fn a_copy_that_came_back_is_not_consumed_by_what_happened_to_the_one_before() {
    let text = "\
topic    orders NORMAL 1 queue
series   A without message-group
group    billing reads orders concurrent, handles in 100ms
producer p1
consumer c1 in billing
at 2s    A1 fails once
at 2s    p1 sends A1
at 5s    c1 crashes
run      until 60s
";
    let reason = reason(text, 50_000, "A1");
    assert!(matches!(reason, Reason::NoConsumer { .. }), "{reason:?}");
}

#[test]
fn a_queue_that_its_topic_lost_is_read_until_its_consumer_gives_it_away() {
    let text = "\
topic    orders FIFO 4 queues
group    billing reads orders orderly, handles in 500ms
producer p1
consumer c1 in billing
at 3s    p1 sends A1..A6 B1..B6 C1..C6 D1..D6 E1..E6 F1..F6
at 5s    orders 1 write queue 1 read queue
run      until 120s
";
    assert!(matches!(reason(text, 8_000, "F6"), Reason::Handled { .. } | Reason::Behind { .. }));
    let (session, ledger) = run_to(text, 8_000);
    let q2 = explain(&session, &ledger, "orders q2");
    let state = match q2.headline {
        Headline::Queue { state, .. } => state,
        other => panic!("{other:?}"),
    };
    assert_ne!(state, QueueState::Empty);
    let run = Run::of(&session, &ledger);
    assert!(named(&run, &["q9"], None).is_err());
}
