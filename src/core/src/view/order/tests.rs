//! Strips of small runs.

use super::*;
use crate::ids::GroupId;
use crate::scenario;
use crate::session::Session;
use crate::view::routing::{grow_scenario, Function};

/// The strips of a text at an instant for its first consumer group, with the messages asked for.
fn at(text: &str, at_ms: Ms, messages: usize) -> OrderView {
    let program = scenario::load(text).unwrap_or_else(|p| panic!("{text}\n{p:?}"));
    let mut session = Session::new(program.seed, program.model.clone(), program.journal());
    session.run_until(at_ms);
    let mut order = Order::default();
    order.update(session.facts(), 1, session.world(), GroupId(0));
    let violations = session.violations();
    let options = Options { groups: 4, messages, selected: None, first: None, violations };
    let view = order.view(session.world(), GroupId(0), &options);
    // A step back and forward again ends in the same place.
    let half = &session.facts()[..session.facts().len() / 2];
    order.update(half, 1, session.world(), GroupId(0));
    order.update(session.facts(), 1, session.world(), GroupId(0));
    assert_eq!(order.view(session.world(), GroupId(0), &options), view);
    view
}

fn labels(view: &GroupStrips, strip: Strip) -> Vec<String> {
    view.strips[strip as usize].iter().map(|cell| cell.name.label.to_string()).collect()
}

fn parallel(links: &[Link]) -> bool {
    links.iter().all(|link| link.from == link.to)
}

const ORDERLY: &str = "\
topic orders FIFO 4 queues
series A message-group order-1007
series B message-group order-1003
group billing reads orders orderly, handles in 300ms
producer p1 to orders, selects by hash
consumer c1 in billing
at 3s A2 fails 2 times
at 3s p1 sends A1 A2 A3 B1
run until 60s
";

#[test]
fn order_kept_is_parallel_lines_and_failures_are_counted() {
    let view = at(ORDERLY, 60_000, 20);
    let a = &view.groups[0];
    assert_eq!((&*a.letter, &*a.key, a.messages, a.broken), ("A", "order-1007", 3, false));
    for strip in Strip::ALL {
        assert_eq!(labels(a, strip), ["A1", "A2", "A3"], "{strip:?}");
    }
    assert!(a.links.iter().all(|links| links.len() == 3 && parallel(links)));
    assert_eq!(a.links[2].iter().map(|link| link.failures).collect::<Vec<_>>(), [0, 2, 0]);
    assert_eq!(a.failed.as_ref().map(|(name, n)| (&*name.label, *n)), Some(("A2", 2)));
    assert!(a.overtaken.is_empty() && a.twice == 0);
    assert_eq!(&*a.strips[0][0].place, "p1");
    assert_eq!(&*a.strips[1][2].place, "q1 · 2");
    assert_eq!(&*a.strips[4][1].place, "c1");
}

#[test]
fn a_strip_shows_only_what_happened_until_the_present() {
    let view = at(ORDERLY, 3_900, 20);
    let a = &view.groups[0];
    assert_eq!(labels(a, Strip::Stored).len(), 3);
    assert_eq!(labels(a, Strip::Handled), ["A1"]);
    assert_eq!(a.strips[Strip::Delivered as usize][1].failures, 1);
}

#[test]
fn a_group_that_moves_is_overtaken_and_its_links_cross() {
    let list: Vec<String> = (1_001..1_005).map(|i| format!("order-{i}")).collect();
    let view = at(&grow_scenario(&list, Function::ByHash, 4, 8), 60_000, 20);
    let broken: Vec<&GroupStrips> = view.groups.iter().filter(|group| group.broken).collect();
    assert!(!broken.is_empty());
    for group in broken {
        let row = &group.overtaken[0];
        assert!(row.broken && row.crosses, "{row:?}");
        assert_eq!(row.strip, Strip::Delivered);
        let (earlier, later) = (&row.earlier.name, &row.later.name);
        let link = group.links[1].iter().find(|link| link.broken).expect("a red link");
        let cell = &group.strips[2][link.to];
        assert!(cell.late && cell.name == *earlier);
        // Late from there on, and not before.
        let late = |strip: usize| group.strips[strip].iter().any(|cell| cell.late);
        assert_eq!([0, 1, 2, 3, 4].map(late), [false, false, true, true, true]);
        let place = |strip: usize, name: &Named| {
            group.strips[strip].iter().position(|cell| cell.name == *name)
        };
        assert!(place(1, earlier) < place(1, later) && place(2, earlier) > place(2, later));
    }
    // Broken groups come first.
    let flags: Vec<bool> = view.groups.iter().map(|group| group.broken).collect();
    assert!(flags.is_sorted_by(|a, b| a >= b));
}

#[test]
fn what_a_dead_consumer_had_comes_a_second_time() {
    let text = "\
topic orders FIFO 1 queue
series A message-group order-1007
group billing reads orders orderly, handles in 5s
producer p1 to orders
consumer c1 in billing
consumer c2 in billing
at 3s p1 sends A1 A2
at 5s c1 crashes
run until 3m
";
    // Which of the two had the queue is the allocation's: one of both runs has the repetition.
    let twice: Vec<GroupStrips> = ["c1", "c2"]
        .map(|who| at(&text.replace("c1 crashes", &format!("{who} crashes")), 180_000, 20))
        .map(|view| view.groups[0].clone())
        .into_iter()
        .filter(|group| group.twice > 0)
        .collect();
    let [group] = &twice[..] else { panic!("{twice:?}") };
    assert_eq!(labels(group, Strip::Delivered), ["A1", "A1", "A2"]);
    assert_eq!(labels(group, Strip::Handled), ["A1", "A2"]);
    let again: Vec<(usize, bool)> = group.links[1].iter().map(|l| (l.from, l.again)).collect();
    assert_eq!(again, [(0, false), (0, true), (1, false)]);
    assert!(!group.broken && group.overtaken.is_empty());
}

#[test]
fn sends_that_overtake_each_other_cross_but_break_no_guarantee() {
    let text = "\
topic orders FIFO 1 queue
series A message-group order-1007
group billing reads orders orderly, handles in 100ms
producer p1 to orders, selects by hash, async
consumer c1 in billing
at 3s p1 sends A1, travel 80ms
at 3s p1 sends A2, travel 20ms
run until 20s
";
    let group = at(text, 20_000, 20).groups.remove(0);
    assert_eq!(labels(&group, Strip::Sent), ["A1", "A2"]);
    assert_eq!(labels(&group, Strip::Stored), ["A2", "A1"]);
    let [row] = &group.overtaken[..] else { panic!("{:?}", group.overtaken) };
    assert_eq!((row.strip, row.broken, row.crosses), (Strip::Stored, false, true));
    assert!(group.links.iter().flatten().all(|link| !link.broken));
}

#[test]
fn a_long_group_is_shown_in_a_window() {
    let text = ORDERLY.replace("A1 A2 A3 B1", "A1..A90 B1");
    let group = at(&text, 60_000, 12).groups.remove(0);
    assert_eq!((group.messages, group.before, group.after), (90, 78, 0));
    assert_eq!(labels(&group, Strip::Sent).len(), 12);
    assert!(group.strips.iter().all(|strip| strip.len() <= 12));
}

#[test]
fn concurrent_listeners_break_the_order_without_crossing_first() {
    let text = ORDERLY.replace("orderly", "concurrent").replace("at 3s A2 fails 2 times\n", "");
    let view = at(&text, 60_000, 20);
    let a = view.groups.iter().find(|group| &*group.letter == "A").expect("it was sent");
    assert!(a.broken, "{a:?}");
    assert!(a.overtaken.iter().all(|row| row.broken));
}

/// The same message group in two topics, which are read side by side.
const TWO_TOPICS: &str = "\
topic payments FIFO 1 queue
topic orders FIFO 1 queue
series A message-group order-1001
group billing reads payments and orders orderly, handles in 300ms
producer p1 to payments
consumer c1 in billing
at 3s p1 sends A1 A2
at 3500ms p1 sends A4 to orders
at 4s p1 sends A3
";

#[test]
fn a_message_group_has_strips_of_its_own_in_each_topic() {
    let view = at(TWO_TOPICS, 10_000, 20);
    let found: Vec<_> = view.groups.iter().map(|g| (g.topic_name.as_deref(), g.messages)).collect();
    assert_eq!(found, [(Some("payments"), 3), (Some("orders"), 1)]);
    for group in &view.groups {
        assert!(group.overtaken.is_empty() && !group.broken, "{:?}", group.overtaken);
        assert!(group.links.iter().all(|links| parallel(links)));
    }
    assert_eq!(labels(&view.groups[0], Strip::Handled), ["A1", "A2", "A3"]);
    assert_eq!(labels(&view.groups[1], Strip::Handled), ["A4"]);
    assert_eq!(at(ORDERLY, 60_000, 20).groups[0].topic_name, None);
}
