//! Reasons, chains and findings that once said what was not so, each with its whole kind.

use lockstep_core::command::Command;
use lockstep_core::explain::diagnose::{diagnose, Finding, Problem};
use lockstep_core::explain::{
    named, offers, why, Amount, Change, Explanation, Headline, Ledger, LockState, Longer, Reason,
    Rule, Run, WorkState,
};
use lockstep_core::fact::Fact;
use lockstep_core::ids::Ms;
use lockstep_core::pop::{PopCommand, PopFact};
use lockstep_core::scenario::{load, play};
use lockstep_core::session::Session;

use super::fifo;

/// A run up to an instant, with its explanation of the first thing of a name.
pub fn at(text: &str, at_ms: Ms, thing: &str) -> (Session, Explanation) {
    at_in(text, at_ms, thing, None)
}

/// The same for a consumer group.
pub fn at_in(text: &str, at_ms: Ms, thing: &str, group: Option<&str>) -> (Session, Explanation) {
    let program = load(&fifo(text)).unwrap();
    let mut session = Session::new(program.seed, program.model.clone(), program.journal());
    session.run_until(at_ms);
    let ledger = Ledger::of(session.facts());
    let mut world = session.world().clone();
    world.wait_until(at_ms);
    let run = Run { world: &world, ..Run::of(&session, &ledger) };
    let about = named(&run, &[thing], group).unwrap()[0];
    let explanation = why(&run, about).unwrap();
    (session, explanation)
}

pub fn reason_at(text: &str, at_ms: Ms, thing: &str) -> Reason {
    at(text, at_ms, thing).1.headline.reason().unwrap()
}

pub fn findings(text: &str) -> Vec<Finding> {
    let program = load(&fifo(text)).unwrap();
    let session = play(&program);
    diagnose(&session, &Ledger::of(session.facts()), program.until_ms)
}

/// Whether one of the causes is a fact of a kind.
pub fn has_cause((session, one): &(Session, Explanation), is_it: impl Fn(&Fact) -> bool) -> bool {
    one.causes.iter().any(|cause| is_it(&session.facts()[cause.fact as usize].fact))
}

/// c1 stands still for good with A5 in a call; c2 takes the queue when the lease is over.
const HANGS: &str = "\
series A message-group order-1
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

fn scenario(path: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(path).unwrap()
}

/// The commands among the causes, as the scenario's journal has them.
pub fn commands((session, one): &(Session, Explanation)) -> Vec<Command> {
    let journal = session.journal();
    one.causes.iter().filter_map(|c| Some(journal[c.command? as usize].1.clone())).collect()
}

#[test]
fn what_a_receive_filtered_is_told_of_the_receiver_and_not_of_who_wanted_it() {
    let text = scenario("tests/reports/R53-grpc.scn");
    let one = at(&text, 30_000, "B1");
    assert_eq!(one.1.rule, Rule::ReceiveFilter);
    let of = |c: &Command| match c {
        Command::Subscribe { consumer, .. } => Some(consumer.clone()),
        Command::Pop(PopCommand::Receive { consumer, .. }) => Some(consumer.clone()),
        _ => None,
    };
    let members: Vec<String> = commands(&one).iter().filter_map(of).collect();
    assert_eq!(members, ["c1", "c1"], "{:?}", commands(&one));
    let told = |f: &Finding| matches!(f.problem, Problem::Subscriptions { pop: true, .. });
    assert!(findings(&text).iter().any(told));

    let push = scenario("tests/reports/R53-push.scn");
    let one = at(&push, 30_000, "B1");
    assert_eq!(one.1.rule, Rule::TagFilter);
    let members: Vec<String> = commands(&one).iter().filter_map(of).collect();
    assert_eq!(members, ["c1"], "{:?}", commands(&one));
    let told = |f: &Finding| matches!(f.problem, Problem::Subscriptions { pop: false, .. });
    assert!(findings(&push).iter().any(told));
}

#[test]
fn a_batch_of_several_queues_holds_up_all_of_them() {
    let text = scenario("www/lessons/06-5-slow-lane.scn");
    for (thing, others) in [("B1", 49), ("q1", 49), ("c1", 50), ("A2", 50)] {
        let with = at(&text, 10_000, thing).1.collateral;
        assert_eq!((with.same_group, with.others, with.other_groups), (3, others, 1), "{thing}");
    }
}

#[test]
fn the_locks_of_a_broker_that_is_down_or_was_are_told_with_what_took_them() {
    let text = scenario("www/lessons/04-9-broker-restart.scn");
    let down = at(&text, 22_000, "lock q0");
    assert!(matches!(down.1.headline, Headline::Lock { state: LockState::Down { .. }, .. }));
    assert_eq!(down.1.rule, Rule::BrokerRuns);
    let free = at(&text, 24_000, "lock q0");
    assert!(matches!(free.1.headline, Headline::Lock { state: LockState::Free, .. }));
    for one in [&down, &free] {
        assert!(has_cause(one, |f| matches!(f, Fact::BrokerStopped { .. })));
        assert!(commands(one).iter().any(|c| matches!(c, Command::StopBroker { .. })));
        assert_eq!(one.1.counterfactuals, [], "c1 works on without the lock");
    }
    assert!(has_cause(&free, |f| matches!(f, Fact::BrokerStarted { .. })));
    let before = at(&text, 10_000, "lock q0");
    assert!(!has_cause(&before, |f| matches!(f, Fact::BrokerStopped { .. })));
}

#[test]
fn a_consumer_without_a_queue_is_told_why_it_has_none() {
    let state = |text: &str, at_ms, thing| match at(text, at_ms, thing).1.headline {
        Headline::Consumer { state, .. } => state,
        other => panic!("{other:?}"),
    };
    let text = scenario("www/lessons/04-9-broker-restart.scn");
    let s1 = state(&text, 22_000, "s1");
    assert!(matches!(s1, WorkState::NotMember { down: true, .. }), "{s1:?}");
    let s1 = state(&text, 24_000, "s1");
    assert!(matches!(s1, WorkState::NotMember { down: false, .. }), "{s1:?}");
    let idle = "\
group billing reads orders orderly
consumer c1 in billing
consumer c2 in billing
run until 30s
";
    assert_eq!(state(idle, 25_000, "c2"), WorkState::NoQueue { others: 1 });
    let fresh = idle.replace("run", "at 5s c0 joins billing\nrun");
    let states: Vec<_> = (5_001..7_000).step_by(50).map(|ms| state(&fresh, ms, "c0")).collect();
    assert!(states.contains(&WorkState::TakesQueues), "{states:?}");
}

#[test]
fn queues_that_were_taken_away_are_not_told_as_too_many_write_queues() {
    let taken = scenario("www/lessons/09-6-queues-taken-away.scn");
    let told = |f: &Finding| match f.problem {
        Problem::WriteAboveRead { removed, .. } => Some(removed),
        _ => None,
    };
    assert_eq!(findings(&taken).iter().find_map(told), Some(true));
    let wide = "\
topic orders FIFO 4 read queues, 8 write queues
series A message-group order-1
producer p1 selects queue 6
group billing reads orders orderly
consumer c1 in billing
at 3s p1 sends A1..A4
run until 30s
";
    assert_eq!(findings(wide).iter().find_map(told), Some(false));
}

#[test]
fn the_threads_of_a_grpc_consumer_are_those_of_its_sdk() {
    let text = scenario("www/lessons/06-5-slow-lane.scn");
    for thing in ["c1", "thread 1 of c1"] {
        assert_eq!(at(&text, 10_000, thing).1.rule, Rule::GrpcThreads);
    }
    assert_eq!(at(HANGS, 5_000, "c1").1.rule, Rule::Threads);
}

/// g1 is cut off from its proxy while A2 is delivered to it.
const CUT: &str = "\
series A message-group order-1
group audit reads orders fifo, handles in 200ms
consumer g1 in audit grpc push
at 3s p1 sends A1
at 33s cut g1 from proxy
at 40s p1 sends A2
at 50s heal g1 and proxy
at 51s p1 sends A3
run until 120s
";

#[test]
fn an_answer_that_was_lost_in_a_cut_is_told_with_the_cut_and_with_who_gets_it_earlier() {
    for thing in ["A2", "A3"] {
        let one = at(CUT, 55_000, thing);
        let longer = match one.1.headline.reason() {
            Some(Reason::Invisible { longer, .. } | Reason::BehindInvisible { longer, .. }) => {
                longer
            }
            other => panic!("{other:?}"),
        };
        assert!(matches!(longer, Longer::Repeatable { .. }), "{thing}: {longer:?}");
        assert!(has_cause(&one, |f| matches!(f, Fact::PacketLost { .. })), "{thing}");
        assert!(commands(&one).iter().any(|c| matches!(c, Command::Cut { .. })), "{thing}");
    }
    let crash = CUT.replace("at 33s cut g1 from proxy", "at 40.1s g1 crashes");
    let crash = crash.replace("at 50s heal g1 and proxy", "at 50s g2 joins audit grpc push");
    let one = at(&crash, 55_000, "A2");
    let longer = match one.1.headline.reason() {
        Some(Reason::Invisible { longer, .. }) => longer,
        other => panic!("{other:?}"),
    };
    assert_eq!(longer, Longer::Renewed);
    assert!(!has_cause(&one, |f| matches!(f, Fact::PacketLost { .. })));
}

#[test]
fn what_a_proxy_refuses_is_told_with_the_command_that_says_so_and_its_way_back() {
    let run = |refused: &str, code: &str| {
        format!(
            "\
series A message-group order-1
group billing reads orders fifo, handles in 100ms
consumer c1 in billing grpc push
at 2s proxy answers {refused} with {code}
at 30s p1 sends A1..A5
run until 100s
"
        )
    };
    let ack = run("ack", "INTERNAL_SERVER_ERROR");
    let receive = run("receive", "TOO_MANY_REQUESTS");
    let send = run("send", "INTERNAL_SERVER_ERROR");
    let cases = [(&ack, "A1"), (&ack, "A2"), (&receive, "A1"), (&send, "A1")];
    for (text, thing) in cases {
        let one = at(text, 50_000, thing);
        let refusals = commands(&one);
        let refuses =
            |c: &Command| matches!(c, Command::Pop(PopCommand::FailRequests { code: Some(_), .. }));
        assert!(refusals.iter().any(refuses), "{text}{thing}: {refusals:?}");
    }
    for (text, thing) in &cases[..3] {
        let (session, one) = at(text, 50_000, thing);
        let serves = |change: &Change| {
            let Change::Now(commands) = change else { return false };
            matches!(commands[..], [Command::Pop(PopCommand::FailRequests { code: None, .. })])
        };
        let kept = offers(&session, &one);
        assert!(kept.iter().any(|(o, _)| serves(&o.change)), "{text}{thing}: {kept:?}");
    }
    let (_, throttled) = at(&receive, 50_000, "A1");
    assert_eq!(throttled.rule, Rule::GrpcRequestAgain);
    let waits: Vec<Amount> = throttled.constants.iter().map(|c| c.amount).collect();
    assert!(waits.contains(&Amount::Ms(20)), "{waits:?}");
    let served = ack.replace("at 30s", "at 25s proxy serves ack\nat 30s");
    assert!(!has_cause(&at(&served, 50_000, "A5"), |f| matches!(
        f,
        Fact::Pop(PopFact::ActFailed { .. })
    )));
}

#[test]
fn a_receive_that_nobody_wakes_is_told_as_asleep() {
    let text = scenario("www/lessons/06-8-pause-after-batch.scn");
    let one = at(&text, 10_000, "A2");
    let reason = one.1.headline.reason();
    assert!(matches!(reason, Some(Reason::PollSleeps { until_ms: 32_960, .. })), "{reason:?}");
    assert!(has_cause(&one, |f| matches!(f, Fact::Pop(PopFact::PollParked { .. }))));
    let woken = text.replace("5.0.0", "5.3");
    assert_eq!(reason_at(&woken, 10_000, "A2"), Reason::Done);
}
