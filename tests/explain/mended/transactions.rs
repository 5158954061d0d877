//! Decisions about transactions that were taken and came to nothing.

use lockstep_core::explain::diagnose::Problem;
use lockstep_core::explain::{Change, Reason, Undone};
use lockstep_core::fact::Fact;
use lockstep_core::pop::PopFact;

use super::{at, commands, find, handled_at, has_cause, left_out, played, with};

const TRANSACTION: &str = "\
topic orders TRANSACTION 1 queue
series A without message-group
group billing reads orders orderly, handles in 100ms
producer p1
consumer c1 in billing
at 3s p1 sends A1 in a transaction that commits after 2s
run until 12m
";

fn undone(text: &str) -> (Option<Undone>, Vec<Change>) {
    let one = find(text, |f| matches!(f.problem, Problem::Undecided { .. }));
    let Problem::Undecided { undone, .. } = one.problem else { panic!("{one:?}") };
    (undone, one.repair)
}

#[test]
fn a_decision_that_was_lost_is_told_with_what_lost_it() {
    let other = "at 100s cut c1 from broker\nat 101s heal c1 and broker\nrun until";
    let cut = |pair: (&str, &str)| {
        let (a, b) = pair;
        let text = format!("at 4s cut {a} from {b}\nat 6s heal {a} and {b}\nat 3s p1");
        TRANSACTION.replace("at 3s p1", &text).replace("run until", other)
    };
    let classic = cut(("p1", "broker")).replace("producer p1", "producer p1 selects by hash");
    for text in [cut(("p1", "proxy")), cut(("proxy", "broker")), classic] {
        let (why, repair) = undone(&text);
        assert!(matches!(why, Some(Undone::Lost { .. })), "{text}{why:?}");
        let [change] = &repair[..] else { panic!("{repair:?}") };
        assert_eq!(left_out(&played(&text), change).len(), 2, "the cut and its end: {change:?}");
        assert!(handled_at(&with(&text, change), "A1").is_some(), "{text}");
        for at_ms in [100_000, 700_000] {
            let one = at(&text, at_ms, "A1");
            assert!(has_cause(&one, |f| matches!(f, Fact::PacketLost { .. })), "{text}");
            let cuts = |c: &lockstep_core::command::Command| matches!(c, lockstep_core::command::Command::Cut { a, .. } if a != "c1");
            assert!(commands(&one).iter().any(cuts), "{text}{:?}", commands(&one));
        }
    }
}

#[test]
fn a_decision_that_the_proxy_no_longer_places_is_told_as_late_and_repaired_by_an_earlier_one() {
    let text = TRANSACTION.replace("after 2s", "after 5m");
    let (why, repair) = undone(&text);
    assert!(matches!(why, Some(Undone::Forgotten { .. })), "{why:?}");
    let [change @ Change::Instead(others)] = &repair[..] else { panic!("{repair:?}") };
    let session = played(&text);
    for (index, command) in others {
        assert_ne!(session.journal()[*index as usize].1, *command, "the very line");
    }
    assert!(handled_at(&with(&text, change), "A1").is_some());
    for at_ms in [400_000, 700_000] {
        let one = at(&text, at_ms, "A1");
        let unknown = |f: &Fact| matches!(f, Fact::Pop(PopFact::TransactionUnknown { .. }));
        assert!(has_cause(&one, unknown), "{at_ms}");
    }
}

#[test]
fn a_decision_that_a_full_disk_did_not_keep_is_told_with_the_disk() {
    let text = TRANSACTION
        .replace("at 3s p1", "at 59.8s disk 92% full\nat 62s disk 20% full\nat 59.5s p1");
    let (why, repair) = undone(&text);
    assert!(matches!(why, Some(Undone::NotWritten { .. })), "{why:?}");
    let [change] = &repair[..] else { panic!("{repair:?}") };
    assert!(handled_at(&with(&text, change), "A1").is_some());
}

#[test]
fn what_nobody_decided_is_still_told_as_never_decided() {
    let text = TRANSACTION.replace("commits after 2s", "stays open");
    let (why, repair) = undone(&text);
    assert_eq!(why, None);
    let [change] = &repair[..] else { panic!("{repair:?}") };
    assert!(handled_at(&with(&text, change), "A1").is_some());
    let one = at(&text, 700_000, "A1").1;
    assert_eq!(one.headline.reason(), Some(Reason::NeverVisible { given_up: true, undone: None }));
}
