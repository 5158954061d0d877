//! Comparisons of small runs.

mod standing;

use super::*;
use crate::explain::{Headline, Reason};
use crate::fact::Fact;
use crate::scenario::{self, Variant};

fn session(text: &str) -> (Session, Ms) {
    let program = scenario::load(text).unwrap_or_else(|p| panic!("{text}\n{p:?}"));
    let until_ms = program.until_ms;
    (Session::new(program.seed, program.model.clone(), program.journal()), until_ms)
}

/// The comparison of two texts, played to the end of the longer one.
fn compared(a: &str, b: &str) -> Comparison {
    let ((a, a_ms), (b, b_ms)) = (session(a), session(b));
    let mut whole = Comparison::new([&a, &b], a_ms.max(b_ms));
    assert!(whole.advance(usize::MAX));
    let mut pieces = Comparison::new([&a, &b], a_ms.max(b_ms));
    while !pieces.advance(37) {}
    assert_eq!(pieces.first(), whole.first(), "played in pieces it is the same");
    whole
}

fn varied(text: &str, variant: Variant) -> String {
    scenario::vary(text, variant).expect("it can be read").expect("it changes something")
}

/// The ends of both runs.
fn ends(compared: &Comparison) -> [u32; 2] {
    Side::BOTH.map(|side| compared.world(side).event())
}

fn label(compared: &Comparison, side: Side, msg: Option<MsgId>) -> String {
    compared.world(side).shared.label(msg.expect("it was built")).to_string()
}

const POISON: &str = "\
topic orders FIFO 1 queues
series A message-group order-1
series B message-group order-2
group billing reads orders orderly, handles in 300ms
producer p1 to orders, selects by hash
consumer c1 in billing
at 1s A2 throws always
at 1s p1 sends A1 B1 A2 B2 A3, every 50ms
run until 8s
";

#[test]
fn the_same_run_does_not_part() {
    let compared = compared(POISON, POISON);
    assert_eq!(compared.first(), None);
    let found = compared.differences(ends(&compared));
    assert_eq!((found.rows.len(), found.orders.len(), found.same), (0, 0, 5));
}

#[test]
fn queue_and_message_group_blocking_part_where_the_first_failure_ends() {
    let other = varied(POISON, Variant::BlocksMessageGroup);
    let compared = compared(POISON, &other);
    let first = *compared.first().expect("they part");
    // Here B2 is never begun, because A2 suspends the queue.
    assert_eq!((first.sides[0].how, first.sides[0].record), (How::Nothing, None));
    let Some(Headline::Message { msg, reason: Reason::Behind { head, .. }, .. }) =
        first.sides[0].why
    else {
        panic!("{first:?}")
    };
    let named = [msg, head].map(|msg| label(&compared, Side::First, Some(msg)));
    assert_eq!(named, ["B2", "A2"]);
    let Some(record) = first.sides[1].record else { panic!("{first:?}") };
    let Fact::HandlingStarted { msg, .. } = record.fact else { panic!("{first:?}") };
    assert_eq!(label(&compared, Side::Second, Some(msg)), "B2");
    assert_eq!((first.sides[1].how, first.sides[1].why), (How::Does, None));
    let found = compared.differences(ends(&compared));
    let row = |name: &str| {
        let of = |row: &&Difference| label(&compared, Side::First, row.sides[0].msg) == name;
        found.rows.iter().find(of).copied()
    };
    let b2 = row("B2").expect("B2 stands differently");
    assert_eq!(b2.sides.map(|side| side.state), [State::Waiting, State::Done]);
    assert_eq!(row("A1"), None);
    assert_eq!(row("A3"), None, "A3 waits in both");
    assert!(found.marked[1].contains(&b2.sides[1].msg.expect("it was built")));
}

const TWO_TOPICS: &str = "\
topic orders FIFO 1 queue
topic payments FIFO 1 queue
series A message-group order-1
group billing reads orders and payments orderly, handles in 100ms
producer p1 to orders
consumer c1 in billing
at 3s p1 sends A1 A2
at 4s p1 sends A3 A4 to payments
run until 8s
";

#[test]
fn one_message_group_in_two_topics_has_an_order_in_each() {
    let earlier = TWO_TOPICS.replace("at 4s p1", "at 2s p1");
    let compared = compared(TWO_TOPICS, &earlier);
    let found = compared.differences(ends(&compared));
    assert!(found.orders.is_empty(), "{:?}", found.orders);
}

#[test]
fn a_concurrent_group_begins_the_next_message_at_once() {
    let other = varied(POISON, Variant::Concurrent);
    let compared = compared(POISON, &other);
    let first = *compared.first().expect("they part");
    assert_eq!(first.sides[0].how, How::Later, "{first:?}");
    assert_eq!(first.sides[1].how, How::Does, "{first:?}");
    let later = first.sides[0].record.expect("it does so later");
    let Fact::HandlingStarted { msg, .. } = later.fact else { panic!("{first:?}") };
    assert_eq!(label(&compared, Side::First, Some(msg)), "B1");
    assert!(later.at_ms >= first.at_ms + TOLERANCE_MS, "{first:?}");
    // A2 goes back to the broker there, and A3 is handled before it.
    let found = compared.differences(ends(&compared));
    assert!(found.rows.iter().any(|row| row.sides[1].state == State::Done), "{found:?}");
}

#[test]
fn another_queue_is_named_and_small_differences_of_time_are_not() {
    let text = "\
topic orders 4 queues
series A message-group order-1
group billing reads orders orderly, handles in 10ms
producer p1 to orders, selects by hash
consumer c1 in billing
at 1s p1 sends A1 A2 A3, every 500ms
run until 5s
";
    let other = text.replace("selects by hash", "selects by round-robin");
    let parts = compared(text, &other);
    let first = *parts.first().expect("they part");
    for side in Side::BOTH {
        let Some(FactRecord { fact: Fact::MessageStored { .. }, .. }) =
            first.sides[side.index()].record
        else {
            panic!("{first:?}")
        };
    }
    let found = parts.differences(ends(&parts));
    assert!(found.rows.iter().all(|row| row.elsewhere), "{found:?}");
    // What the group did with it is the same, and is told.
    assert!(found.rows.iter().flat_map(|row| row.sides).all(|side| side.state == State::Done));
    // 40 ms are nothing that people see; 400 ms are.
    let slower = |ms: u32| text.replace("handles in 10ms", &format!("handles in {ms}ms"));
    assert_eq!(compared(text, &slower(50)).first(), None);
    let late = compared(text, &slower(410));
    assert_eq!(late.first().map(|first| first.sides[1].how), Some(How::Later));
}

#[test]
fn an_overtaking_of_a_few_milliseconds_is_seen() {
    let text = "\
topic orders 1 queues
series A message-group order-1
group billing reads orders concurrent, handles in 400ms
producer p1 to orders, selects by hash, async
consumer c1 in billing
at 1s p1 sends A1 A2, every 5ms
run until 3s
";
    let swapped = text.replace("sends A1 A2", "sends A2 A1");
    let compared = compared(text, &swapped);
    let first = compared.first().expect("they part");
    assert!(first.sides.iter().all(|did| did.how == How::Does), "{first:?}");
    let found = compared.differences(ends(&compared));
    let order = found.orders.first().expect("the order differs");
    let names = |side: Side| {
        let msgs = order.sides[side.index()].iter();
        msgs.map(|msg| label(&compared, side, Some(*msg))).collect::<Vec<String>>()
    };
    assert_eq!(names(Side::First), ["A1", "A2"]);
    assert_eq!(names(Side::Second), ["A2", "A1"]);
}

#[test]
fn differences_are_those_of_the_present() {
    let other = varied(POISON, Variant::BlocksMessageGroup);
    let compared = compared(POISON, &other);
    let first = *compared.first().expect("they part");
    let at = |at_ms: Ms| {
        [session(POISON).0, session(&other).0].map(|mut run| {
            run.seek_time(at_ms);
            run.event()
        })
    };
    assert_eq!(compared.differences(at(first.at_ms - 1)).rows, []);
    assert_eq!(compared.differences(at(first.at_ms)).rows.len(), 1);
}

#[test]
fn one_clock_goes_back_as_it_went_forward() {
    let other = varied(POISON, Variant::Concurrent);
    let (mut a, end_ms) = session(POISON);
    let (mut b, _) = session(&other);
    let mut runs = Runs { first: &mut a, second: Some(&mut b) };
    let state = |runs: &Runs<'_>| Side::BOTH.map(|side| runs.run(side).map(Session::event));
    let mut states = vec![state(&runs)];
    let mut times = Vec::new();
    while let Some(side) = runs.step(end_ms) {
        assert_eq!(runs.last(), Some(side));
        times.push(runs.now_ms());
        states.push(state(&runs));
    }
    assert!(times.is_sorted(), "events of both runs come in the order of their instants");
    let middle = states[states.len() / 2];
    for expected in states.iter().rev().skip(1) {
        assert!(runs.back().is_some());
        assert_eq!(state(&runs), *expected);
    }
    assert_eq!(runs.back(), None);
    // An event of a run, and the other run where it was then.
    for side in Side::BOTH {
        runs.seek_event(side, middle[side.index()].unwrap_or_default());
        assert!(states.contains(&state(&runs)), "{:?} was never there", state(&runs));
    }
    runs.seek_time(end_ms);
    assert_eq!(Some(&state(&runs)), states.last());
}

#[test]
fn a_thing_has_its_counterpart_by_name() {
    // Another consumer and another message come first in the second run, so every id is another.
    let other = POISON
        .replace("consumer c1", "consumer c0 in billing\nconsumer c1")
        .replace("sends A1 B1", "sends C1 A1 B1");
    let compared = compared(POISON, &other);
    let world = compared.world(Side::First);
    let c1 = world.shared.names.client("c1").expect("it joined");
    let there = compared.counterpart(Side::First, Subject::Client(c1));
    let Some(Subject::Client(there)) = there else { panic!("{there:?}") };
    assert_eq!(compared.world(Side::Second).shared.names.clients[there.index()], "c1");
    assert_ne!(there, c1);
    let a1 = compared.counterpart(Side::First, Subject::Message(MsgId(0)));
    let Some(Subject::Message(a1)) = a1 else { panic!("{a1:?}") };
    assert_eq!(label(&compared, Side::Second, Some(a1)), "A1");
    assert_ne!(a1, MsgId(0));
    assert_eq!(compared.counterpart(Side::Second, Subject::Message(MsgId(0))), None, "no C1 here");
}

#[test]
fn a_variant_changes_one_thing_or_says_that_it_changes_nothing() {
    assert_eq!(scenario::vary(POISON, Variant::Orderly), Ok(None));
    assert_eq!(scenario::vary(POISON, Variant::BlocksQueue), Ok(None));
    assert_eq!(scenario::vary(POISON, Variant::Model53), Ok(None));
    assert!(scenario::vary("nonsense", Variant::Orderly).is_err());
    let text = format!("model 5.3\n{POISON}expect A2 failed 5 times\n");
    let old = varied(&text, Variant::Model49);
    assert!(old.contains("4.9") && !old.contains("5.3"), "{old}");
    assert!(!old.contains("expect"), "what the one run expects, the other does not: {old}");
    let back = varied(&varied(&text, Variant::Concurrent), Variant::Orderly);
    let journal = |text: &str| scenario::load(text).map(|program| program.journal());
    assert_eq!(journal(&back), journal(&text));
    for variant in Variant::ALL {
        assert_eq!(Variant::of_name(variant.name()), Some(variant));
    }
}

const TWO_READERS: &str = "\
model 5.1
topic orders NORMAL 4 queues
series X without message-group
group billing reads orders concurrent
producer p1 selects queue 2
consumer c1 in billing
latency from broker to c1 300ms
at 0s X1 takes 900ms
at 9.7s p1 sends X1
at 10s c2 joins billing
at 10s latency from broker to c2 50ms
run until 16s
";

#[test]
fn a_message_in_two_hands_stands_differently_from_one_in_a_single_hand() {
    let other = varied(TWO_READERS, Variant::Orderly);
    let compared = compared(TWO_READERS, &other);
    let at = |at_ms: Ms| {
        let event = |text: &str| {
            let (mut run, _) = session(text);
            run.seek_time(at_ms);
            run.event()
        };
        compared.differences([event(TWO_READERS), event(&other)])
    };
    assert!(at(10_750).rows.is_empty(), "c1 alone has it in both");
    let found = at(10_800);
    let [row] = found.rows[..] else { panic!("{found:?}") };
    let client = |side: Side, id: ClientId| &compared.world(side).shared.names.clients[id.index()];
    let told = Side::BOTH.map(|side| {
        let Standing { state: State::InHand(last), also, .. } = row.sides[side.index()] else {
            panic!("{row:?}")
        };
        (client(side, last).clone(), also.map(|also| client(side, also).clone()))
    });
    let both = [("c2".to_owned(), Some("c1".to_owned())), ("c1".to_owned(), None)];
    assert_eq!(told, both);
    // c1 is done at 10.9 s; one consumer has it then, and another one than in the second run.
    let found = at(10_920);
    assert!(found.rows.iter().all(|row| row.sides[0].also.is_none()), "{found:?}");
}

/// The second run refuses one of the consumers, and the group is at work in both.
const SIMPLE: &str = "\
topic orders FIFO 1 queue
series A message-group order-1
group billing reads orders fifo, handles in 200ms
producer p1
consumer c1 in billing push
consumer c2 in billing simple
at 3s p1 sends A1 A2
at 5s c2 receives max-message-num 1, invisible-duration 10s
run until 12s
";

#[test]
fn a_consumer_that_one_run_refuses_is_where_they_part() {
    let other = varied(SIMPLE, Variant::Model49);
    let compared = compared(SIMPLE, &other);
    let first = compared.first().expect("they part");
    assert_eq!(first.at_ms, 0);
    let [does, refuses] = first.sides.map(|side| side.record.expect("both do something").fact);
    assert!(matches!(does, Fact::ConsumerStarted { .. }), "{does:?}");
    assert!(matches!(refuses, Fact::CommandRefused { .. }), "{refuses:?}");
    let command = compared.command(Side::Second, &refuses);
    let named = |command: &Command| format!("{command:?}").contains("\"c2\"");
    assert!(command.is_some_and(named), "{command:?}");
}
