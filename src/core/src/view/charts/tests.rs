//! Charts of small runs.

use super::*;
use crate::scenario;
use crate::session::Session;

fn run(text: &str, at_ms: Ms) -> (Session, Charts) {
    let program = scenario::load(text).unwrap_or_else(|p| panic!("{text}\n{p:?}"));
    let mut session = Session::new(program.seed, program.model.clone(), program.journal());
    session.run_until(at_ms);
    let mut charts = Charts::default();
    charts.update(session.facts(), 1, session.world(), GroupId(0), 0);
    (session, charts)
}

fn view(session: &Session, charts: &Charts, at_ms: Ms) -> ChartsView {
    let world = session.world();
    let topic = world.shared.names.topics.iter().position(|t| t.name == "orders");
    let topic = crate::ids::TopicId(topic.expect("it is declared") as u16);
    let broker = crate::ids::BrokerId(0);
    let queues: Vec<MessageQueue> = (0..world.shared.names.topics[topic.index()].read_queues)
        .map(|id| MessageQueue { topic, broker, id })
        .collect();
    charts.view(world, &queues, at_ms)
}

const POISON: &str = "\
topic orders FIFO 2 queues
series A message-group order-1007
series B message-group order-1004
group billing reads orders orderly, handles in 200ms
producer p1 to orders, selects by hash
consumer c1 in billing
at 3s A2 fails 3 times
at 3s p1 sends A1..A6 B1 B2
run until 60s
";

#[test]
fn a_failed_message_raises_the_lag_of_its_queue_and_takes_its_time() {
    let (session, charts) = run(POISON, 5_000);
    let now = view(&session, &charts, 5_000);
    let [b, a] = &now.lag[..] else { panic!("{:?}", now.lag) };
    // A1 is done; A2 and what waits behind it is not.
    assert_eq!((&*a.name, a.now, &*b.name, b.now), ("q1", 5, "q0", 0));
    assert_eq!(now.ranked(None), [1, 0]);
    assert_eq!(now.ranked(Some(b.queue)), [0, 1]);
    assert!(a.stood.iter().any(|(from, to)| *from > 3_000 && to - from == 1_000), "{:?}", a.stood);
    assert!(now.time[1].spent.suspended_ms > 500);
    assert_eq!(now.time[0].spent.suspended_ms, 0);
    for time in &now.time {
        let Spent { handling_ms, suspended_ms, unowned_ms, idle_ms } = time.spent;
        assert_eq!(handling_ms + suspended_ms + unowned_ms + idle_ms, 5_000);
    }
    assert_eq!(now.time[0].spent.handling_ms, 400);
    let waiting: Vec<(&str, u32)> = now.waiting.iter().map(|w| (&*w.letter, w.messages)).collect();
    assert_eq!(waiting, [("A", 5)]);
    assert_eq!(now.waiting[0].oldest_ms, 2_000);
    assert_eq!(now.groups.iter().map(|g| (&*g.name, g.now)).collect::<Vec<_>>(), [("billing", 5)]);
}

#[test]
fn the_end_of_the_run_has_no_lag_and_every_latency() {
    let (session, charts) = run(POISON, 60_000);
    let end = view(&session, &charts, 60_000);
    assert!(end.lag.iter().all(|lag| lag.now == 0));
    assert_eq!(end.lag[1].peak, 6);
    assert!(end.waiting.is_empty());
    let sum = |f: fn(&Bucket) -> u32| end.buckets.iter().map(f).sum::<u32>();
    assert_eq!((sum(|b| b.stored), sum(|b| b.handled)), (8, 8));
    assert_eq!(sum(|b| b.latency.map_or(0, |q| q.count)), 8);
    // Eight messages and three failed attempts.
    assert_eq!(sum(|b| b.calls.map_or(0, |q| q.count)), 11);
    let calls = |b: &Bucket| b.calls.map_or(0, |q| q.max);
    assert_eq!(end.buckets.iter().map(calls).max(), Some(200));
    let longest = end.buckets.iter().filter_map(|b| b.latency).map(|q| q.max).max();
    assert!(longest > Some(3_000), "three pauses of a second: {longest:?}");
    assert_eq!(end.load.iter().map(|load| load.messages).collect::<Vec<_>>(), [2, 6]);
    let hottest = end.load[1].hottest.as_ref().expect("it has messages");
    assert_eq!((&*hottest.1, hottest.3), ("A", 6));
    // What a step back shows is what was there then.
    let mut back = charts.clone();
    let (early, _) = run(POISON, 5_000);
    back.update(early.facts(), 1, early.world(), GroupId(0), 0);
    assert_eq!(view(&early, &back, 5_000), view(&early, &run(POISON, 5_000).1, 5_000));
}

#[test]
fn a_long_run_has_few_points_and_loses_nothing() {
    let text = POISON
        .replace("A1..A6 B1 B2", "A1..A2000, every 300ms")
        .replace("run until 60s", "run until 20m");
    let (session, charts) = run(&text, 1_200_000);
    let end = view(&session, &charts, 1_200_000);
    assert!(end.lag.iter().all(|lag| lag.points.len() <= MAX_POINTS + 2));
    assert!(end.buckets.len() <= MAX_POINTS + 1);
    assert_eq!(end.buckets.iter().map(|b| b.stored).sum::<u32>(), 2_000);
    assert!(end.lag[1].points.is_sorted_by_key(|(at, _)| *at));
    // Read in one piece or as it comes: the same.
    let mut bit_by_bit = Charts::default();
    for until in (0..=session.facts().len()).step_by(97).chain([session.facts().len()]) {
        bit_by_bit.update(&session.facts()[..until], 1, session.world(), GroupId(0), 0);
    }
    assert_eq!(view(&session, &bit_by_bit, 1_200_000), end);
}

#[test]
fn the_lag_is_the_lag_of_the_lane() {
    for listener in ["orderly", "concurrent"] {
        let text = POISON.replace("orderly", listener);
        for at_ms in [3_050, 3_300, 4_000, 5_000, 7_500, 15_000, 40_000] {
            let (session, charts) = run(&text, at_ms);
            let history = crate::view::history::History::default();
            let options = crate::view::stage::Options {
                group: 0,
                topic: None,
                journal: session.journal(),
                columns: &|_| 8,
                opened: None,
                history: &history,
            };
            let stage = crate::view::stage::project(session.world(), &options);
            let now = view(&session, &charts, at_ms);
            for lag in &now.lag {
                let lane = stage.lanes.iter().find(|lane| lane.queue == lag.queue);
                let lane = lane.expect("each queue is a lane");
                assert_eq!(lag.now, lane.lag(), "{listener} {} at {at_ms}", lag.name);
            }
        }
    }
}

#[test]
fn a_range_shows_what_happened_in_it_and_how_things_stood_before() {
    let (session, charts) = run(POISON, 9_000);
    let whole = view(&session, &charts, 9_000);
    for from_ms in [1_000, 3_900, 5_050, 7_300, 8_999] {
        let mut part = Charts::default();
        part.update(session.facts(), 1, session.world(), GroupId(0), from_ms);
        let part = view(&session, &part, 9_000);
        assert_eq!(part.from_ms, from_ms);
        for (part, whole) in part.lag.iter().zip(&whole.lag) {
            assert_eq!((part.points[0].0, part.now), (from_ms, whole.now));
            let then = run(POISON, from_ms - 1);
            let then = view(&then.0, &then.1, from_ms - 1);
            let lag = then.lag.iter().find(|lag| lag.queue == whole.queue).map(|lag| lag.now);
            assert_eq!(Some(part.points[0].1), lag, "{} at {from_ms}", part.name);
        }
        for time in &part.time {
            let Spent { handling_ms, suspended_ms, unowned_ms, idle_ms } = time.spent;
            assert_eq!(handling_ms + suspended_ms + unowned_ms + idle_ms, 9_000 - from_ms);
        }
        assert_eq!(part.waiting, whole.waiting);
        let sum = |view: &ChartsView, f: fn(&Bucket) -> u32| -> u32 {
            view.buckets.iter().filter(|b| b.from_ms >= from_ms).map(f).sum()
        };
        assert!(sum(&part, |b| b.handled) >= sum(&whole, |b| b.handled));
        assert!(part.buckets.iter().all(|b| b.from_ms >= from_ms));
    }
    // Nothing happened since: the last value stands.
    let mut later = Charts::default();
    later.update(session.facts(), 1, session.world(), GroupId(0), 9_500);
    let later = view(&session, &later, 9_900);
    assert_eq!(later.lag[1].points, [(9_500, whole.lag[1].now), (9_900, whole.lag[1].now)]);
}
