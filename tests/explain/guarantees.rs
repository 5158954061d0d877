//! What became of the guarantees, whether they were promised, and what would promise them.

use lockstep_core::guarantee::{verdicts, Guarantee, Missing, Promise, Verdict};
use lockstep_core::scenario::{load, play};
use lockstep_core::session::Session;

use super::scenarios;

fn played(name: &str) -> Session {
    let all = scenarios("tests/reports");
    let (_, program) = all.iter().find(|(file, _)| file == name).unwrap();
    play(program)
}

fn written(text: &str) -> Session {
    play(&load(text).unwrap())
}

fn of(session: &Session, guarantee: Guarantee) -> Verdict {
    verdicts(session).into_iter().find(|v| v.guarantee == guarantee).unwrap()
}

#[test]
fn a_guarantee_that_is_not_promised_names_the_setting_that_would() {
    let concurrent = of(&played("R49-concurrent"), Guarantee::OrderHandled);
    assert!(matches!(concurrent.promise, Promise::NotGiven(Missing::OrderlyListener(_))));
    assert!(concurrent.breaches > 0 && !concurrent.is_violated());
    let unordered = of(&played("R01-not-orderly"), Guarantee::OrderHandled);
    assert!(matches!(unordered.promise, Promise::NotGiven(Missing::OrderlyGroup(_))));
    let orderly = of(&played("R01-orderly"), Guarantee::OrderHandled);
    assert_eq!((orderly.promise, orderly.breaches), (Promise::Given, 0));
    let in_flight = of(&played("R10-in-flight"), Guarantee::OrderStored);
    assert!(matches!(in_flight.promise, Promise::NotGiven(Missing::SyncSends(_))));
    assert!(in_flight.breaches > 0);
    let awaited = of(&played("R10-awaited"), Guarantee::OrderStored);
    assert_eq!((awaited.promise, awaited.breaches), (Promise::Given, 0));
    let two = of(&played("R11"), Guarantee::OrderStored);
    assert!(matches!(two.promise, Promise::NotGiven(Missing::OneProducer(_))));
    let stopped = of(&played("R79-no-wait"), Guarantee::OneOwner);
    assert!(matches!(stopped.promise, Promise::NotGiven(Missing::AwaitTermination(_))));
    assert!(stopped.breaches > 0);
}

#[test]
fn messages_of_one_group_in_two_topics_have_no_order_among_each_other() {
    let lessons = scenarios("www/lessons");
    let (_, program) = lessons.iter().find(|(file, _)| file == "01-4-topic-types").unwrap();
    let topics = of(&play(program), Guarantee::OrderStored);
    assert_eq!((topics.breaches, topics.is_violated()), (0, false));
}

/// One message group in two topics, each with a producer and a thread of its own.
const EACH_ITS_TOPIC: &str = "\
topic orders FIFO 1 queue
topic payments FIFO 1 queue
series A message-group order-1001
group billing reads orders and payments orderly
producer p1 to orders, 2 threads
producer p2 to payments
consumer c1 in billing
at 3s p1 sends A1 A2
at 3s p2 sends A3 A4
at 4s p2 sends A5
run until 10s
";

#[test]
fn a_message_group_may_have_a_producer_and_a_thread_in_each_topic() {
    let promise = |text: &str| of(&play(&load(text).unwrap()), Guarantee::OrderStored).promise;
    assert_eq!(promise(EACH_ITS_TOPIC), Promise::Given);
    let threads =
        EACH_ITS_TOPIC.replace("p2 sends A3 A4", "p1 sends A3 A4 on thread 2 to payments");
    let threads = threads.replace("p2 sends A5", "p1 sends A5 on thread 2 to payments");
    assert_eq!(promise(&threads), Promise::Given);
    let mixed = EACH_ITS_TOPIC.replace("p2 sends A5", "p2 sends A5 to orders");
    assert!(matches!(promise(&mixed), Promise::NotGiven(Missing::OneProducer(_))));
    let mixed = threads.replace("A5 on thread 2 to payments", "A5 on thread 2 to orders");
    assert!(matches!(promise(&mixed), Promise::NotGiven(Missing::OneThread(_))));
}

#[test]
fn a_message_that_goes_to_the_retry_topic_is_not_done() {
    let session = played("R25-5.0");
    let handled = of(&session, Guarantee::OrderHandled);
    assert_eq!((handled.breaches, handled.is_violated()), (1, true));
    // A2 is acknowledged; A1 never is.
    let acknowledged = of(&session, Guarantee::OrderAcknowledged);
    assert_eq!(acknowledged.breaches, 0);
    let modern = of(&played("R25-modern"), Guarantee::OrderHandled);
    assert_eq!((modern.promise, modern.breaches), (Promise::Given, 0));
}

#[test]
fn duplicates_are_counted_by_what_caused_them() {
    let retried = of(&played("R25-modern"), Guarantee::AtLeastOnce);
    assert_eq!((retried.duplicates.retries, retried.duplicates.all()), (3, 3));
    let handed_over = of(&played("R47-orderly"), Guarantee::AtLeastOnce).duplicates;
    assert!(handed_over.hand_overs > 0 && handed_over.retries == 0, "{handed_over:?}");
    let back = of(&played("R58-backwards"), Guarantee::AtLeastOnce).duplicates;
    assert!(back.resets > 0, "{back:?}");
}

#[test]
fn the_longest_standstill_is_told_with_its_queue() {
    let session = played("R22-blocked");
    let blocked = of(&session, Guarantee::Progress);
    let longest = blocked.longest.unwrap();
    assert_eq!((longest.queue.id, longest.until_ms - longest.from_ms), (0, 60_000));
    assert!(matches!(blocked.promise, Promise::NotGiven(Missing::RetryLimit(_))));
}

#[test]
fn verdicts_of_the_past_do_not_know_the_future() {
    let mut session = played("R22-blocked");
    session.seek_time(3_500);
    let early = of(&session, Guarantee::AtLeastOnce);
    assert_eq!(early.duplicates.all(), 0);
    session.seek_time(10_500);
    assert_eq!(of(&session, Guarantee::AtLeastOnce).duplicates.retries, 7);
}

#[test]
fn what_became_of_a_guarantee_is_what_it_was_then() {
    let names = ["R22-blocked", "R25-modern", "R47-orderly", "R49-concurrent", "R58-backwards"];
    for (name, program) in scenarios("tests/reports") {
        if !names.contains(&&*name) {
            continue;
        }
        let mut session = Session::new(program.seed, program.model.clone(), program.journal());
        let mut then = Vec::new();
        while session.next_event_at().is_some_and(|at| at <= program.until_ms) && session.step() {
            if session.event().is_multiple_of(7) {
                then.push((session.event(), verdicts(&session)));
            }
        }
        assert!(then.len() > 5, "{name}");
        for (event, verdicts_then) in then.iter().rev() {
            session.seek_event(*event);
            assert_eq!(verdicts(&session), *verdicts_then, "{name}, event {event}");
        }
    }
}

#[test]
fn a_standstill_names_the_message_that_is_in_the_way() {
    let mut session = played("R22-blocked");
    let by = |session: &Session| {
        let longest = of(session, Guarantee::Progress).longest.unwrap();
        (session.world().shared.label(longest.by.unwrap()).to_string(), longest.lasts)
    };
    session.seek_time(40_000);
    assert_eq!(by(&session), ("A2".to_owned(), true));
}

#[test]
fn the_order_of_a_queue_is_not_promised_where_message_groups_run_side_by_side() {
    let rest = "topic orders FIFO 2 queues\ngroup billing reads orders orderly, handles in 200ms\n\
        producer p1\nconsumer c1 in billing\nat 3s p1 sends A1 A2 B1 B2\nat 3s A1 fails twice\n\
        run until 60s\n";
    for first in ["blocking message-group\n", "model documents\n"] {
        let session = written(&format!("{first}{rest}"));
        let order = of(&session, Guarantee::QueueOrder);
        assert_eq!(order.promise, Promise::NotGiven(Missing::QueueBlock), "{first}");
        assert!(order.breaches > 0 && !order.is_violated(), "{first}");
    }
    assert_eq!(of(&written(rest), Guarantee::QueueOrder).promise, Promise::Given);
    let fast = |on: &str| {
        written(&format!(
            "topic orders FIFO 4 queues\ngroup billing reads orders fifo, handles in 100ms{on}\n\
            producer p1\nconsumer c1 in billing grpc push\n\
            at 3s p1 sends 200 messages over 20 groups, 50 a second\nrun until 60s\n"
        ))
    };
    let order = of(&fast(", accelerator on"), Guarantee::QueueOrder);
    assert!(matches!(order.promise, Promise::NotGiven(Missing::NoAccelerator(_))));
    assert!(order.breaches > 0);
    let slow = of(&fast(""), Guarantee::QueueOrder);
    assert_eq!((slow.promise, slow.breaches), (Promise::Given, 0));
}

#[test]
fn what_was_refused_takes_no_promise_away() {
    let reset = |model: &str, place: &str| {
        written(&format!(
            "{model}topic orders FIFO 2 queues\ngroup billing reads orders orderly\nproducer p1\n\
            consumer c1 in billing\nat 3s p1 sends A1 A2 A3\nat 5s reset billing {place}\n\
            run until 60s\n"
        ))
    };
    let old = "model 4.9.7\nset useServerSideResetOffset 1\n";
    let refused = of(&reset(old, "in q0 to offset 0"), Guarantee::OrderHandled);
    assert_eq!(refused.promise, Promise::Given);
    let done = of(&reset("model 5.3.0\n", "in q0 to offset 0"), Guarantee::OrderHandled);
    assert!(matches!(done.promise, Promise::NotGiven(Missing::NoReset(_))));
}

#[test]
fn a_grpc_consumer_needs_no_setting_of_the_classic_one() {
    let owner = |kind: &str, way: &str| {
        let session = written(&format!(
            "topic orders FIFO 4 queues\ngroup billing reads orders {way}\nproducer p1\n\
            consumer c1 in billing{kind}\nconsumer c2 in billing{kind}\nat 3s p1 sends A1 A2\n\
            at 20s c2 stops\nrun until 60s\n"
        ));
        of(&session, Guarantee::OneOwner).promise
    };
    assert_eq!(owner(" grpc push", "fifo"), Promise::Given);
    assert!(matches!(owner("", "orderly"), Promise::NotGiven(Missing::AwaitTermination(_))));
}

#[test]
fn what_a_rollback_brings_back_comes_after_a_failure() {
    let session = written(
        "topic orders FIFO 1 queue\ngroup g reads orders orderly, autocommit off, handles in 100ms\n\
        producer p1\nconsumer c1 in g\nat 3s p1 sends A1 A2 A3\nat 3s A2 returns rollback once\n\
        run until 30s\n",
    );
    let again = of(&session, Guarantee::AtLeastOnce).duplicates;
    assert!(again.retries > 0, "{again:?}");
    assert_eq!(again.retries, again.all(), "{again:?}");
}

#[test]
fn what_goes_to_the_retry_topic_in_5_0_0_is_handled_too_often() {
    let played = |model: &str| {
        written(&format!(
            "model {model}\ntopic orders FIFO 1 queue\n\
            group billing reads orders orderly, max-reconsume-times 2\nproducer p1\n\
            consumer c1 in billing\nat 3s p1 sends A1 A2 A3\nat 3s A1 fails always\nrun until 200s\n"
        ))
    };
    let old = played("5.0.0");
    assert_eq!(of(&old, Guarantee::Attempts).breaches, 3);
    let again = of(&old, Guarantee::AtLeastOnce).duplicates;
    assert_eq!((again.retries, again.all()), (5, 5));
    let new = played("5.3.0");
    assert_eq!(of(&new, Guarantee::Attempts).breaches, 0);
}

#[test]
fn a_limit_is_tested_when_an_attempt_fails() {
    let session = written(
        "topic orders FIFO 1 queue\ngroup billing reads orders orderly\nproducer p1\n\
        consumer c1 in billing\nat 3s p1 sends A1 A2\nat 3s A1 fails always\n\
        at 20500ms billing max-reconsume-times 3\nrun until 60s\n",
    );
    assert_eq!(of(&session, Guarantee::Attempts).breaches, 0);
}

#[test]
fn what_was_passed_over_stands_nowhere() {
    let session = written(
        "topic orders FIFO 1 queue\ngroup billing reads orders tagged paid orderly, handles in 300ms\n\
        producer p1\nconsumer c1 in billing\nat 3s p1 sends A1\nat 3s p1 sends A2 tag paid\n\
        run until 120s\n",
    );
    let longest = of(&session, Guarantee::Progress).longest.unwrap();
    assert!(longest.until_ms - longest.from_ms <= 300 && !longest.lasts, "{longest:?}");
}
