//! Explanations of single scenes, held against what the scenes are about.

use lockstep_core::command::{Command, GroupSetting};
use lockstep_core::explain::{
    named, named_later, offers, offers_at, why, why_not, About, Change, Collateral, Doing, Effect,
    Explanation, GroupState, Headline, Ledger, LockState, PassedBy, QueueState, Reason, Rule, Run,
    Unnamed, Wanted, WhyNot, WorkState,
};
use lockstep_core::fact::{Fact, StopKind};
use lockstep_core::ids::Ms;
use lockstep_core::pop::PopFact;
use lockstep_core::scenario::load;
use lockstep_core::session::Session;

/// A run up to an instant, and its facts by what they are about.
fn run_to(text: &str, at_ms: Ms) -> (Session, Ledger) {
    let program = load(text).unwrap();
    let mut session = Session::new(program.seed, program.model.clone(), program.journal());
    session.run_until(at_ms);
    let ledger = Ledger::of(session.facts());
    (session, ledger)
}

/// The explanation of the first thing of a name.
fn explain(session: &Session, ledger: &Ledger, words: &str) -> Explanation {
    let run = Run::of(session, ledger);
    let words: Vec<&str> = words.split(' ').collect();
    let about = named(&run, &words, None).unwrap()[0];
    why(&run, about).unwrap()
}

fn reason(text: &str, at_ms: Ms, words: &str) -> Reason {
    let (session, ledger) = run_to(text, at_ms);
    let explanation = explain(&session, &ledger, words);
    explanation.headline.reason().unwrap_or_else(|| panic!("{:?}", explanation.headline))
}

const POISON: &str = "\
topic    orders FIFO 1 queue
series   A message-group order-1
series   B message-group order-2
group    billing reads orders orderly, handles in 400ms
producer p1
consumer c1 in billing
at 2s    A2 fails always
at 3s    p1 sends A1 A2 A3 B1 B2
run      until 60s
";

#[test]
fn a_poison_message_is_told_with_its_chain_its_collateral_and_its_ways_out() {
    let (session, ledger) = run_to(POISON, 6_000);
    let b1 = explain(&session, &ledger, "B1");
    match b1.headline.reason() {
        Some(Reason::Behind {
            doing: Doing::Suspended { failures: 2, .. },
            same_group,
            between,
            ..
        }) => {
            assert!(!same_group);
            assert_eq!(between, 1);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(b1.rule, Rule::Suspend);
    let facts: Vec<Fact> =
        b1.causes.iter().map(|c| session.facts()[c.fact as usize].fact).collect();
    assert!(matches!(facts[0], Fact::QueueSuspended { failures: 2, .. }), "{facts:?}");
    assert!(matches!(facts[1], Fact::HandlingEnded { .. }), "{facts:?}");
    // The roots: the sends, and the script that makes A2 fail.
    let commands: Vec<u32> = b1.causes.iter().filter_map(|c| c.command).collect();
    assert_eq!(commands.len(), 2, "{commands:?}");
    assert!(matches!(session.journal()[commands[1] as usize].1, Command::Handle(_)));
    // A3 of the same message group, B2 of another one; B1 itself and A2 are not counted.
    let with = Collateral { same_group: 1, others: 1, other_groups: 1, more: false };
    assert_eq!(b1.collateral, with);
    let offered = offers(&session, &b1);
    let has = |wanted: &dyn Fn(&Change) -> bool| offered.iter().any(|(one, _)| wanted(&one.change));
    let limit = |c: &Change| {
        matches!(c, Change::Now(commands) if matches!(commands[0],
            Command::SetGroup { setting: GroupSetting::MaxReconsumeTimes(2), .. }))
    };
    let succeeds = |c: &Change| matches!(c, Change::Now(c) if matches!(c[0], Command::Handle(_)));
    let skips =
        |c: &Change| matches!(c, Change::Now(c) if matches!(c[0], Command::ResetOffset { .. }));
    assert!(has(&limit) && has(&succeeds) && has(&skips), "{offered:#?}");
    assert!(has(&|c| matches!(c, Change::Blocking(_))));
    for (one, tried) in &offered {
        assert!(matches!(one.effect, Effect::Handled { .. }));
        assert!(tried.works && tried.without_ms.is_none(), "{tried:?}");
    }
}

#[test]
fn in_the_articles_model_only_the_message_group_waits() {
    let text = format!("model documents\n{POISON}");
    match reason(&text, 6_000, "A3") {
        Reason::Behind { same_group: true, doing: Doing::Suspended { .. }, .. } => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(reason(&text, 9_000, "B2"), Reason::Done);
}

#[test]
fn a_dead_owner_is_named_with_its_lease() {
    let text = format!("{POISON}at 5s c1 crashes\nat 6s c2 joins billing\n");
    let (session, ledger) = run_to(&text, 10_000);
    let a2 = explain(&session, &ledger, "A2");
    match a2.headline.reason() {
        Some(Reason::LockHeld { gone: true, until_ms, .. }) => assert_eq!(until_ms, 61_000),
        other => panic!("{other:?}"),
    }
    assert_eq!(a2.rule, Rule::Lease);
    let facts: Vec<Fact> =
        a2.causes.iter().map(|c| session.facts()[c.fact as usize].fact).collect();
    assert!(facts.iter().any(|f| matches!(f, Fact::ConsumerStopped { how: StopKind::Crash, .. })));
    assert!(facts.iter().any(|f| matches!(f, Fact::LockRefused { .. })));
    let lock = explain(&session, &ledger, "lock q0");
    assert!(matches!(
        lock.headline,
        Headline::Lock { state: LockState::Held { gone: true, .. }, .. }
    ));
    let run = Run::of(&session, &ledger);
    let queue = named(&run, &["q0"], None).unwrap()[0];
    let c2 = session.world().shared.names.client("c2").unwrap();
    match why_not(&run, queue, Wanted::Owner(c2)).unwrap() {
        WhyNot::Because(because) => {
            let reason = because.headline.reason();
            assert!(matches!(reason, Some(Reason::LockHeld { gone: true, .. })), "{reason:?}");
        }
        WhyNot::ItIs => panic!("c2 has it"),
    }
}

#[test]
fn why_not_says_when_it_is_so() {
    let (session, ledger) = run_to(POISON, 3_100);
    let run = Run::of(&session, &ledger);
    let a1 = named(&run, &["A1"], None).unwrap()[0];
    assert_eq!(why_not(&run, a1, Wanted::Handled), Some(WhyNot::ItIs));
    assert!(matches!(why_not(&run, a1, Wanted::Finished), Some(WhyNot::Because(_))));
    assert_eq!(why_not(&run, a1, Wanted::Stored), Some(WhyNot::ItIs));
    let queue = named(&run, &["q0"], None).unwrap()[0];
    let c1 = session.world().shared.names.client("c1").unwrap();
    assert_eq!(why_not(&run, queue, Wanted::Owner(c1)), Some(WhyNot::ItIs));
}

#[test]
fn what_is_in_the_way_of_a_standing_group_is_told() {
    let base = POISON.replace("at 2s    A2 fails always\n", "");
    let with = |line: &str| format!("{base}{line}\n");
    let at = |text: &str, at_ms, words| reason(text, at_ms, words);
    assert_eq!(at(&with("at 1s billing pauses"), 30_000, "A1"), Reason::Paused);
    let text = with("at 2s c1 hangs");
    assert!(matches!(at(&text, 10_000, "A1"), Reason::Hangs { .. }));
    let text = with("at 2s cut c1 from broker");
    assert!(matches!(at(&text, 10_000, "A1"), Reason::CutOff { .. }));
    let text = with("at 3.5s broker stops").replace("consumer c1 in billing\n", "");
    assert!(matches!(at(&text, 10_000, "A1"), Reason::BrokerDown { .. }));
    let text = with("at 2s c1 stops");
    assert!(matches!(
        at(&text, 10_000, "A1"),
        Reason::NoConsumer { last: Some((_, StopKind::Clean)) }
    ));
    let text = base.replace("consumer c1 in billing\n", "");
    assert_eq!(at(&text, 10_000, "A1"), Reason::NoConsumer { last: None });
    let text = base.replace("consumer c1 in billing\n", "at 4s c1 joins billing\n");
    assert!(matches!(at(&text, 4_500, "A1"), Reason::Starting { at_ms: 5_000, .. }));
    let text = base.replace("reads orders orderly", "reads nothing orderly");
    let (session, ledger) = run_to(&text, 10_000);
    let a1 = explain(&session, &ledger, "A1");
    assert!(matches!(
        a1.headline,
        Headline::Message { group: None, reason: Reason::NotSubscribed, .. }
    ));
}

#[test]
fn delays_and_types_are_told() {
    let text = "\
topic    orders DELAY 2 queues
group    billing reads orders orderly
producer p1 selects by hash
consumer c1 in billing
at 3s    p1 sends A1, delay level 3
at 4s    p1 sends A2, delay level 3
";
    match reason(text, 5_000, "A2") {
        Reason::Scheduled { level: 3, before: 1, retry: false, .. } => {}
        other => panic!("{other:?}"),
    }
    let (session, ledger) = run_to(text, 5_000);
    let level = explain(&session, &ledger, "level 3");
    assert_eq!(level.rule, Rule::DelayLevel);
    let text = "\
topic    orders FIFO 2 queues
series   N without message-group
group    billing reads orders fifo
producer p1
at 3s    p1 sends N1
";
    let (session, ledger) = run_to(text, 4_000);
    let refused = explain(&session, &ledger, "N1");
    assert!(matches!(refused.headline.reason(), Some(Reason::SendFailed { .. })));
    assert_eq!(refused.rule, Rule::MessageType);
    assert_eq!(offers(&session, &refused).len(), 1);
}

#[test]
fn an_ordered_group_by_pop_is_blocked_by_what_is_not_acknowledged() {
    let text = "\
topic    orders FIFO 1 queue
group    billing reads orders fifo
producer p1
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
topic    orders FIFO 1 queue
group    billing reads orders tagged paid orderly
producer p1
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
topic    orders FIFO 1 queue
group    billing reads orders fifo
group    audit reads orders orderly, max-reconsume-times 0
producer p1
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
topic    orders FIFO 1 queue
group    billing reads orders fifo
producer p1
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
    assert_eq!(reason(text, 11_000, "A3"), Reason::ResetPending { offset: 2 });
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

const FILTERED: &str = "\
topic    orders FIFO 1 queue
group    billing reads orders tagged b orderly, handles in 100ms
producer p1
consumer c1 in billing
at 3s    p1 sends A1, tag a
at 3s    p1 sends A2, tag b
run      until 20s
";

/// What is offered that does what it says.
fn offered(text: &str, at_ms: Ms, words: &str) -> Vec<Change> {
    let (session, ledger) = run_to(text, at_ms);
    let explanation = explain(&session, &ledger, words);
    offers(&session, &explanation).into_iter().map(|(one, _)| one.change).collect()
}

#[test]
fn what_a_filter_passes_over_is_delivered_without_the_filter() {
    let reason = reason(FILTERED, 10_000, "A1");
    assert_eq!(reason, Reason::Passed { by: PassedBy::Filter });
    let changes = offered(FILTERED, 10_000, "A1");
    let [Change::Instead(others)] = &changes[..] else { panic!("{changes:?}") };
    let (_, Command::CreateGroup { subscriptions, .. }) = &others[0] else { panic!("{others:?}") };
    assert!(subscriptions.iter().all(|s| s.tags.is_empty()), "{subscriptions:?}");
}

#[test]
fn a_silent_member_comes_back_or_had_ended_cleanly() {
    let text = "\
topic    orders FIFO 2 queues
group    billing reads orders orderly, handles in 100ms
producer p1
consumer c1 in billing
consumer c2 in billing
at 3s    p1 sends A1 B1
at 10s   c1 vanishes
at 12s   p1 sends A2 B2 C1 D1
run      until 200s
";
    assert!(matches!(reason(text, 90_000, "B2"), Reason::OfAbsentMember { .. }));
    let changes = offered(text, 90_000, "B2");
    let starts =
        |c: &Change| matches!(c, Change::Now(c) if matches!(c[0], Command::StartConsumer { .. }));
    let clean = |c: &Change| {
        matches!(c, Change::Instead(others)
            if matches!(others[0].1, Command::StopConsumer { how: StopKind::Clean, .. }))
    };
    assert!(changes.iter().any(starts) && changes.iter().any(clean), "{changes:?}");
}

#[test]
fn a_copy_in_the_pop_retry_topic_is_not_consumed_before_somebody_has_handled_it() {
    let text = "\
topic    orders FIFO 1 queue
group    billing reads orders concurrent, handles in 300ms
producer p1
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

const TWO_BROKERS: &str = "\
topic    orders FIFO 1 queue
group    billing reads orders orderly, handles in 100ms
producer p1
consumer c1 in billing
at 5s    add broker b2
at 50s   p1 sends A1
run      until 60s
";

#[test]
fn a_queue_is_named_with_its_broker() {
    let (session, ledger) = run_to(TWO_BROKERS, 55_000);
    let run = Run::of(&session, &ledger);
    for words in [&["q0", "on", "b2"][..], &["orders", "q0", "on", "b2"]] {
        let found = named(&run, words, None).unwrap();
        assert!(matches!(found[..], [About::Queue { queue, .. }] if queue.broker.index() == 1));
    }
    let lock = named(&run, &["lock", "orders", "q0", "on", "b2"], None).unwrap();
    assert!(matches!(lock[..], [About::Lock { queue, .. }] if queue.broker.index() == 1));
    let unknown = named(&run, &["q0", "on", "b3"], None);
    assert_eq!(
        unknown,
        Err(Unnamed::Nothing { word: "b3".to_owned(), nearest: Some("b2".to_owned()) })
    );
}

#[test]
fn what_comes_later_is_told_with_its_instant() {
    let (mut session, _) = run_to(TWO_BROKERS, 60_000);
    let ledger = Ledger::of(session.facts());
    session.seek_time(10_000);
    let at = |session: &mut Session, words: &[&str]| named_later(session, &ledger, words, None);
    assert_eq!(at(&mut session, &["A1"]), Some(50_000));
    assert_eq!(at(&mut session, &["A2"]), None);
    session.seek_time(1_000);
    assert_eq!(at(&mut session, &["q0", "on", "b2"]), Some(5_000));
    assert!(session.world().now_ms() <= 1_000);
}

const BY_HAND: &str = "\
topic    orders FIFO 1 queue
group    billing reads orders fifo
producer p1
consumer s1 in billing simple
at 3s    p1 sends A1
at 5s    s1 receives invisible-duration 30s
run      until 60s
";

#[test]
fn an_act_is_tried_at_the_instant_that_is_asked_about() {
    for at_ms in [4_500, 15_000] {
        let (session, ledger) = run_to(BY_HAND, at_ms);
        assert!(session.world().now_ms() < at_ms, "an event stands at {at_ms}");
        let mut world = session.world().clone();
        world.wait_until(at_ms);
        let run = Run { world: &world, ..Run::of(&session, &ledger) };
        let about = named(&run, &["A1"], None).unwrap()[0];
        let a1 = why(&run, about).unwrap();
        let offered = offers_at(&session, &world, &a1.counterfactuals);
        let now = |c: &Change| matches!(c, Change::Now(_));
        let tried = offered.iter().find(|(one, _)| now(&one.change)).map(|(_, tried)| tried);
        assert_eq!(tried.and_then(|t| t.with_ms), Some(at_ms), "{offered:?}");
    }
}

#[test]
fn time_does_not_go_on_over_an_event() {
    let (session, _) = run_to(BY_HAND, 4_500);
    let mut world = session.world().clone();
    let now_ms = world.now_ms();
    for at_ms in [0, 5_000, 1_000_000] {
        world.wait_until(at_ms);
        assert_eq!(world.now_ms(), now_ms);
    }
}

#[test]
fn without_the_change_it_comes_after_the_instant_that_is_asked_about() {
    let push = "\
topic    orders FIFO 1 queue
group    billing reads orders fifo, handles in 300ms, retry-max-times 2
producer p1
consumer c1 in billing grpc push
at 4s    A2 fails twice
at 5s    p1 sends A1 A2 B1
run      until 60s
";
    let (session, ledger) = run_to(push, 5_500);
    let b1 = explain(&session, &ledger, "B1");
    let offered = offers(&session, &b1);
    assert!(offered.iter().any(|(one, _)| matches!(one.change, Change::Blocking(_))));
    for (one, tried) in offered {
        assert!(tried.without_ms.is_none_or(|ms| ms > 5_500), "{one:?}: {tried:?}");
    }
}

#[test]
fn a_long_handler_is_not_shortened_by_success() {
    let text = "\
topic    orders FIFO 2 queues
group    billing reads orders fifo, handles in 100ms
producer p1
consumer c1 in billing grpc push
consumer c2 in billing grpc push
at 2s    A1 takes 30s once
at 3s    p1 sends A1 A2 A3
at 5s    c1 vanishes
at 5s    c2 vanishes
run      until 300s
";
    let changes = offered(text, 40_000, "A1");
    let scripts = changes.iter().filter_map(|change| match change {
        Change::From { commands, .. } => match &commands[0] {
            Command::Handle(rule) => Some((rule.outcome, rule.handle_ms)),
            _ => None,
        },
        _ => None,
    });
    assert_eq!(scripts.collect::<Vec<_>>(), [(None, Some(0))], "{changes:?}");
}

#[test]
fn a_consumer_that_is_refused_the_lock_of_a_queue_waits() {
    let text = format!("{POISON}at 5s c1 crashes\nat 6s c2 joins billing\n");
    let (session, ledger) = run_to(&text, 10_000);
    let c2 = explain(&session, &ledger, "c2");
    assert!(matches!(c2.headline.reason(), Some(Reason::LockHeld { gone: true, .. })), "{c2:?}");
}

#[test]
fn a_rollback_suspends_its_queue_without_a_failure() {
    let text = "\
topic    orders FIFO 1 queue
group    g reads orders orderly, autocommit off, handles in 100ms
producer p1
consumer c1 in g
at 3s    p1 sends A1 A2 A3
at 3s    A2 returns rollback once
run      until 30s
";
    assert!(matches!(reason(text, 3_950, "A1"), Reason::Suspended { failures: 0, .. }));
    match reason(text, 3_950, "A2") {
        Reason::Behind { doing: Doing::Suspended { failures: 0, .. }, .. } => {}
        other => panic!("{other:?}"),
    }
}
