//! What a consumer has in its cache when its record is gone, or its broker: it is handled all the same.

use lockstep_core::command::Command;
use lockstep_core::explain::diagnose::{Finding, Problem};
use lockstep_core::explain::{Doing, Reason, Rule};
use lockstep_core::fact::Fact;
use lockstep_core::guarantee::Guarantee;

use super::{at, commands, find, findings, handled_at, has_cause, now, offered, played, reason_at};

/// The machine dies while c1 has six messages that are not on its disk.
const POWER: &str = "\
series A message-group order-1
group billing reads orders orderly, handles in 2s
consumer c1 in billing
at 10s p1 sends A1..A6
at 10.1s broker loses power
at 25s broker starts
run until 60s
";

fn is_lost(finding: &Finding) -> bool {
    matches!(finding.problem, Problem::Lost { .. })
}

/// How many messages billing has lost, by the guarantees.
fn losses(text: &str) -> usize {
    let session = played(text);
    let group = session.world().shared.names.group("billing");
    session.watch().breaches(Guarantee::NothingLost, group).count()
}

#[test]
fn what_is_in_a_cache_when_its_broker_loses_it_waits_for_its_turn_and_is_consumed() {
    let concurrent =
        POWER.replace("orderly, handles in 2s", "concurrent, handles in 2s, threads 1");
    for text in [POWER, &concurrent] {
        for at_ms in [11_000, 13_900] {
            let reason = reason_at(text, at_ms, "A4");
            let waits = matches!(
                reason,
                Reason::Behind { doing: Doing::Handled { .. }, .. } | Reason::NoThread { .. }
            );
            assert!(waits, "{text}{reason:?}");
        }
        for at_ms in [20_000, 60_000] {
            let one = at(text, at_ms, "A4");
            assert_eq!(one.1.headline.reason(), Some(Reason::DoneLost), "{text}");
            assert_eq!(one.1.rule, Rule::Flush);
            assert!(has_cause(&one, |f| matches!(f, Fact::MessageAcknowledged { .. })));
            assert!(commands(&one).iter().any(|c| matches!(c, Command::StopBroker { .. })));
        }
        assert!(!findings(text).iter().any(is_lost), "{text}");
        assert_eq!(losses(text), 0, "{text}");
    }
}

#[test]
fn what_a_consumer_had_in_its_cache_is_lost_when_it_ends_before_its_turn() {
    let dies = POWER.replace("at 25s", "at 15s c1 crashes\nat 25s");
    assert!(matches!(reason_at(&dies, 14_500, "A5"), Reason::Behind { .. }));
    // A3 was in its call.
    for label in ["A3", "A4", "A6"] {
        assert_eq!(reason_at(&dies, 20_000, label), Reason::Lost, "{label}");
    }
    assert_eq!(reason_at(&dies, 20_000, "A2"), Reason::DoneLost);
    let one = find(&dies, is_lost);
    assert_eq!(one.problem, Problem::Lost { group: group(&dies), messages: 4 });
    // It is lost then, and not before.
    let session = played(&dies);
    let mut breaches = session.watch().breaches(Guarantee::NothingLost, Some(group(&dies)));
    assert!(breaches.all(|breach| breach.at_ms == 15_000));
    let stops = POWER.replace("at 25s", "at 15s c1 stops\nat 25s");
    assert!(losses(&stops) > 0);
}

fn group(text: &str) -> lockstep_core::ids::GroupId {
    played(text).world().shared.names.group("billing").unwrap()
}

#[test]
fn what_was_never_in_a_cache_is_lost_at_once() {
    let nobody = POWER
        .replace("consumer c1 in billing\n", "")
        .replace("at 25s", "at 30s c1 joins billing\nat 25s");
    assert_eq!(reason_at(&nobody, 11_000, "A4"), Reason::Lost);
    assert_eq!(losses(&nobody), 6);
    // By POP a batch of another consumer, or what no receive has brought.
    let grpc =
        POWER.replace("orderly,", "fifo,").replace("c1 in billing", "c1 in billing grpc push");
    let session = played(&grpc);
    let handled = ["A1", "A2", "A3", "A4", "A5", "A6"];
    let handled = handled.iter().filter(|label| handled_at(&session, label).is_some());
    assert_eq!(losses(&grpc), 6 - handled.count());
    assert_eq!(reason_at(&grpc, 60_000, "A1"), Reason::DoneLost);
    assert_eq!(reason_at(&grpc, 11_000, "A6"), Reason::Lost);
}

/// A step back and another command build the watch anew, from the facts alone.
#[test]
fn what_is_lost_is_the_same_when_the_run_goes_on_from_its_past() {
    let dies = POWER.replace("at 25s", "at 15s c1 crashes\nat 25s");
    let mut session = played(&dies);
    let of = Some(group(&dies));
    let before: Vec<_> = session.watch().breaches(Guarantee::NothingLost, of).copied().collect();
    session.seek_time(40_000);
    let on = Command::SetConstant { name: "pullBatchSize".to_owned(), value: 16 };
    session.inject(on);
    session.run_until(60_000);
    let after: Vec<_> = session.watch().breaches(Guarantee::NothingLost, of).copied().collect();
    assert_eq!(before, after);
    assert_eq!(before.len(), 4);
}

#[test]
fn what_is_in_a_cache_while_its_broker_is_down_waits_for_its_turn() {
    let crash = POWER.replace("loses power", "crashes").replace("at 25s broker starts\n", "");
    assert!(matches!(reason_at(&crash, 11_000, "A4"), Reason::Behind { .. }));
    assert!(matches!(reason_at(&crash, 16_500, "A4"), Reason::Handled { .. }));
    assert_eq!(reason_at(&crash, 30_000, "A4"), Reason::Done);
    // What the lock is needed for waits for the broker, which gives it.
    let slow = crash.replace("handles in 2s", "handles in 9s").replace("60s", "100s");
    let one = at(&slow, 60_000, "A6");
    let told = one.1.headline.reason().unwrap();
    assert!(matches!(told, Reason::Behind { doing: Doing::BrokerDown { .. }, .. }), "{told:?}");
    assert_eq!(one.1.rule, Rule::BrokerRuns);
    assert!(commands(&one).iter().any(|c| matches!(c, Command::StopBroker { .. })));
    assert!(now(&offered(&one), |c| matches!(c, Command::StartBroker { .. })));
    let head = at(&slow, 60_000, "A4").1.headline.reason().unwrap();
    assert!(matches!(head, Reason::BrokerDown { .. }), "{head:?}");
}
