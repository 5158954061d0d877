//! Work whose result will count for nothing, and queues that come back to a consumer which has dropped them.

use lockstep_core::command::Command;
use lockstep_core::explain::diagnose::{Held, Problem};
use lockstep_core::explain::{Change, Explanation, Headline, LockState, Reason, Rule, WorkState};
use lockstep_core::fact::Fact;
use lockstep_core::ids::{ClientId, Ms};
use lockstep_core::pop::{GrpcKind, PopCommand, SimpleMode};
use lockstep_core::session::Session;

use super::{at, commands, find, has_cause, now, offered, played, reason_at};

/// c2 joins while c1 handles A1, whose queue falls to c2.
const JOINS: &str = "\
topic orders FIFO 2 queues
series A message-group order-1001
producer p1 selects by hash
group billing reads orders orderly
consumer c1 in billing
at 3s A1 takes 10s once
at 4s p1 sends A1 A2
at 5s c2 joins billing
run until 60s
";

/// The same, and c2 leaves again while the call runs.
const BOUNCES: &str = "\
topic orders FIFO 2 queues
series A message-group order-1001
producer p1 selects by hash
group billing reads orders orderly, handles in 200ms
consumer c1 in billing
at 2s A2 takes 30s once
at 3s p1 sends A1 A2 A3
at 10s c2 joins billing
at 12s c2 stops
run until 250s
";

fn name(session: &Session, client: ClientId) -> &str {
    &session.world().shared.names.clients[client.index()]
}

/// When c1 lets go of the queue of a message, behind an instant.
fn removed_ms(text: &str, label: &str, from_ms: Ms) -> Ms {
    let session = played(text);
    let of = session.facts().iter().find_map(|r| match r.fact {
        Fact::MessageStored { msg, queue, .. } => {
            (session.world().shared.label(msg).to_string() == label).then_some(queue)
        }
        _ => None,
    });
    let mut all = session.facts().iter().filter(|r| r.at_ms >= from_ms);
    let gone =
        all.find(|r| matches!(r.fact, Fact::QueueRemoved { queue, .. } if Some(queue) == of));
    gone.unwrap().at_ms
}

#[test]
fn a_call_in_a_queue_that_was_taken_away_is_told_with_the_heir_and_the_instant() {
    for (text, at_ms, call_ms) in [
        (JOINS.to_owned(), 7_000, 14_000),
        (format!("model 4.9\n{JOINS}"), 7_000, 14_000),
        (format!("model 5.1\n{JOINS}"), 7_000, 14_000),
        // It is not waited for longer than 20 s behind the last renewal.
        (JOINS.replace("takes 10s", "takes 45s"), 20_000, 49_000),
    ] {
        for thing in ["A1", "q1", "c1", "thread 1 of c1", "message-group A"] {
            let one = at(&text, at_ms, thing);
            let Some(Reason::InVain { until_ms, heir: Some(heir), gives_ms, .. }) =
                one.1.headline.reason()
            else {
                panic!("{text}{thing}: {:?}", one.1.headline)
            };
            assert_eq!(until_ms, call_ms, "{text}{thing}");
            assert_eq!(name(&one.0, heir), "c2", "{thing}");
            assert_eq!(gives_ms, Some(removed_ms(&text, "A1", at_ms)), "{text}{thing}");
            assert_eq!(one.1.rule, Rule::HandOver, "{thing}");
            assert!(has_cause(&one, |f| matches!(f, Fact::QueueDropped { .. })), "{thing}");
            let joins =
                |c: &Command| matches!(c, Command::StartConsumer { name, .. } if name == "c2");
            assert!(commands(&one).iter().any(joins), "{thing}");
        }
        let lock = at(&text, at_ms, "lock q1");
        let Headline::Lock { state: LockState::Held { gives_ms, .. }, .. } = lock.1.headline else {
            panic!("{:?}", lock.1.headline)
        };
        assert_eq!(gives_ms, Some(removed_ms(&text, "A1", at_ms)), "{text}");
        assert!(lock.1.also.iter().any(|also| matches!(also.reason, Reason::InVain { .. })));
    }
}

#[test]
fn a_call_is_ordinary_work_before_its_queue_is_taken_away() {
    assert!(matches!(reason_at(JOINS, 4_500, "A1"), Reason::Handled { .. }));
    let c1 = at(JOINS, 4_500, "c1").1;
    assert!(matches!(c1.headline, Headline::Consumer { state: WorkState::Handles { .. }, .. }));
}

#[test]
fn a_queue_that_comes_back_while_its_call_runs_is_told_with_the_instant_of_its_return() {
    for text in [BOUNCES.to_owned(), BOUNCES.replace("takes 30s", "takes 60s")] {
        let gone_ms = removed_ms(&text, "A2", 13_000);
        let called = reason_at(&text, 20_000, "A2");
        assert!(
            matches!(called, Reason::InVain { client, heir: Some(heir), gives_ms: Some(ms), .. }
                if heir == client && ms == gone_ms),
            "{called:?}"
        );
        for (thing, at_ms) in [("A3", 20_000), ("A2", 100_000), ("q1", 100_000)] {
            let one = at(&text, at_ms, thing);
            let Some(Reason::Returned { at_ms: told_ms, .. }) = one.1.headline.reason() else {
                panic!("{thing}: {:?}", one.1.headline)
            };
            assert_eq!(told_ms, gone_ms, "{thing}");
            assert_eq!(one.1.rule, Rule::PullIdle, "{thing}");
            let member = |c: &Command| match c {
                Command::StartConsumer { name, .. } | Command::StopConsumer { name, .. } => {
                    name == "c2"
                }
                _ => false,
            };
            assert_eq!(commands(&one).into_iter().filter(member).count(), 2, "{thing}");
            let joins =
                |c: &Command| matches!(c, Command::StartConsumer { name, .. } if name == "c2");
            assert!(now(&offered(&one), joins), "{thing}: {:?}", offered(&one));
        }
    }
    // What c2 has kept does not come back.
    let stays = BOUNCES.replace("at 12s c2 stops\n", "");
    assert!(matches!(reason_at(&stays, 20_000, "A3"), Reason::Leaving { .. }));
}

#[test]
fn a_queue_that_came_back_is_found_with_what_lets_go_of_it_earlier() {
    let one = find(
        BOUNCES,
        |f| matches!(f.problem, Problem::Held { by: Held::Returned { .. }, waited_ms, .. } if waited_ms > 60_000),
    );
    let idle = |change: &Change| {
        matches!(change, Change::From { commands, .. }
        if matches!(&commands[..], [Command::SetConstant { name, .. }] if name.ends_with("pullMaxIdleTime")))
    };
    assert!(one.repair.iter().any(idle), "{one:?}");
}

/// s1 asks for 10 s and needs 12 s.
pub(super) const SHORT: &str = "\
series A message-group order-1001
group billing reads orders fifo, retry-max-times 2, from first
consumer s1 in billing simple in a loop max-message-num 1 invisible-duration 10s
at 2s A1 takes 12s always
at 3s p1 sends A1 A2
run until 120s
";

fn is_too_long(one: &(Session, Explanation)) -> bool {
    matches!(
        one.1.headline.reason(),
        Some(Reason::TooLong { over_ms: 25_000, until_ms: 27_000, .. })
    )
}

#[test]
fn a_call_that_outlasts_its_receipt_handle_is_told_with_its_end_and_a_longer_one() {
    for at_ms in [20_000, 26_000] {
        for thing in ["A1", "q0", "s1"] {
            let one = at(SHORT, at_ms, thing);
            assert!(is_too_long(&one), "{thing} at {at_ms}: {:?}", one.1.headline);
            assert_eq!(one.1.rule, Rule::Invisible);
            let longer = |change: &Change| match change {
                Change::Instead(list) => list.iter().any(|(_, command)| {
                    matches!(command, Command::Pop(PopCommand::Start {
                        kind: GrpcKind::Simple(SimpleMode::Loops { invisible_ms, .. }), ..
                    }) if *invisible_ms > 12_000)
                }),
                _ => false,
            };
            assert!(offered(&one).iter().any(|o| longer(&o.change)), "{thing}");
        }
    }
    // What is renewed lasts.
    let push =
        SHORT.replace(" simple in a loop max-message-num 1 invisible-duration 10s", " grpc push");
    let push = push.replace("takes 12s", "takes 120s");
    assert!(matches!(reason_at(&push, 70_000, "A1"), Reason::Handled { .. }));
}
