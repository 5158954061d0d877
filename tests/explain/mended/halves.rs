//! Half messages that nobody decides about while something is in the way, and commits that come late.

use lockstep_core::command::{Command, TransactionScript};
use lockstep_core::explain::diagnose::{Finding, Problem};
use lockstep_core::explain::{Change, Counterfactual, Reason, Undone};
use lockstep_core::fact::{Decision, Fact};
use lockstep_core::guarantee::Guarantee;

use super::{at, commands, find, findings, has_cause, now, offered, with};

/// The commit and every check are lost, though the application would answer them.
const CUT: &str = "\
topic orders TRANSACTION 1 queue
series A without message-group
group billing reads orders orderly, handles in 100ms
producer p1
consumer c1 in billing
at 3s p1 sends A1 in a transaction that commits after 2s, checks answered commit
at 4s cut p1 from proxy
at 300s heal p1 and proxy
run until 12m
";

fn undone(reason: Reason) -> Option<Undone> {
    match reason {
        Reason::HalfOpen { undone, .. } | Reason::NeverVisible { undone, .. } => undone,
        _ => None,
    }
}

/// The scripts that offers put in place of the application's.
fn scripts(offers: &[Counterfactual]) -> Vec<TransactionScript> {
    let all = offers.iter().filter_map(|one| match &one.change {
        Change::Instead(others) => Some(others),
        _ => None,
    });
    let scripts = all.flatten().filter_map(|(_, c)| match c {
        Command::SendTransaction { script, .. } => Some(script.clone()),
        _ => None,
    });
    scripts.collect()
}

#[test]
fn a_cut_that_loses_the_commit_and_the_checks_is_told_and_offered_to_be_healed() {
    let inner = CUT
        .replace("p1 from proxy", "proxy from broker")
        .replace("p1 and proxy", "proxy and broker");
    let classic = CUT.replace("producer p1", "producer p1 selects by hash");
    let classic =
        classic.replace("p1 from proxy", "p1 from broker").replace("p1 and proxy", "p1 and broker");
    for text in [CUT, &inner, &classic] {
        for at_ms in [20_000, 50_000, 250_000] {
            let one = at(text, at_ms, "A1");
            let reason = one.1.headline.reason().unwrap();
            assert!(matches!(undone(reason), Some(Undone::Lost { .. })), "{text}{reason:?}");
            assert!(has_cause(&one, |f| matches!(f, Fact::PacketLost { .. })), "{text}");
            assert!(commands(&one).iter().any(|c| matches!(c, Command::Cut { .. })), "{text}");
            let offers = offered(&one);
            assert!(now(&offers, |c| matches!(c, Command::Heal { .. })), "{text}{offers:?}");
            let without = |one: &Counterfactual| matches!(one.change, Change::Without(_));
            assert!(offers.iter().any(without), "{text}{offers:?}");
        }
    }
    // Only a check's answer was lost, and the application says nothing before.
    let asked = CUT.replace("commits after 2s", "stays open").replace("at 300s", "at 40s");
    let one = at(&asked, 35_000, "A1");
    assert!(matches!(one.1.headline.reason().and_then(undone), Some(Undone::Lost { .. })));
    assert!(at(&asked, 20_000, "A1").1.headline.reason().and_then(undone).is_none());
}

#[test]
fn a_full_disk_and_a_broker_that_is_down_are_told_of_a_half_message() {
    let full = CUT.replace("at 3s p1", "at 59.5s p1");
    let full = full.replace("at 4s cut p1 from proxy", "at 59.8s disk 95% full");
    let full = full.replace("at 300s heal p1 and proxy", "at 300s disk 20% full");
    for at_ms in [90_000, 91_234] {
        let one = at(&full, at_ms, "A1");
        let reason = one.1.headline.reason().unwrap();
        assert!(matches!(undone(reason), Some(Undone::Full { .. })), "{reason:?}");
        assert!(commands(&one).iter().any(|c| matches!(c, Command::SetDisk { .. })));
        assert!(now(&offered(&one), |c| matches!(c, Command::SetDisk { used_percent: 50, .. })));
    }
    let down = CUT.replace("at 4s cut p1 from proxy", "at 4s broker crashes");
    let down = down.replace("at 300s heal p1 and proxy", "at 100s broker starts");
    let one = at(&down, 50_000, "A1");
    assert!(matches!(one.1.headline.reason(), Some(Reason::BrokerDown { .. })));
    assert!(commands(&one).iter().any(|c| matches!(c, Command::StopBroker { .. })));
    assert!(now(&offered(&one), |c| matches!(c, Command::StartBroker { .. })));
    // It is up again, and the commit was lost while it was not.
    let one = at(&down, 100_500, "A1");
    let reason = one.1.headline.reason().unwrap();
    assert!(matches!(undone(reason), Some(Undone::Lost { .. })), "{reason:?}");
    assert!(commands(&one).iter().any(|c| matches!(c, Command::StopBroker { .. })));
}

#[test]
fn what_nobody_decides_is_offered_a_commit_and_an_answer() {
    let open = CUT.replace("commits after 2s, checks answered commit", "stays open");
    let open: String =
        open.lines().filter(|l| !l.contains("proxy")).flat_map(|l| [l, "\n"]).collect();
    for (at_ms, given_up) in [(100_000, false), (700_000, true)] {
        let one = at(&open, at_ms, "A1");
        let reason = one.1.headline.reason().unwrap();
        let told = match reason {
            Reason::HalfOpen { .. } => !given_up,
            Reason::NeverVisible { given_up: told, .. } => given_up == told,
            _ => false,
        };
        assert!(told && undone(reason).is_none(), "{reason:?}");
        let scripts = scripts(&offered(&one));
        assert!(scripts.iter().any(|s| s.decision == Decision::Commit), "{scripts:?}");
        assert!(scripts.iter().any(|s| s.checks == [Decision::Commit]), "{scripts:?}");
    }
    // What is rolled back is the application's own will.
    let back = open.replace("stays open", "rolls back");
    let one = at(&back, 100_000, "A1");
    assert!(matches!(one.1.headline.reason(), Some(Reason::NeverVisible { given_up: false, .. })));
    assert!(one.1.counterfactuals.is_empty());
}

#[test]
fn a_half_message_that_still_waits_for_what_is_in_its_way_is_found() {
    let lasts = CUT.replace("at 300s heal p1 and proxy\n", "").replace("12m", "200s");
    let down = lasts.replace("cut p1 from proxy", "broker crashes");
    for text in [&lasts, &down] {
        let one = find(text, |f| matches!(f.problem, Problem::Stands { .. }));
        let Problem::Stands { reason, waited_ms, .. } = one.problem else { panic!("{one:?}") };
        assert!(undone(reason).is_some() || matches!(reason, Reason::BrokerDown { .. }));
        assert_eq!(waited_ms, 197_000, "{text}");
        assert!(!one.repair.is_empty(), "{text}");
    }
    let open = lasts.replace("commits after 2s, checks answered commit", "stays open");
    assert_eq!(findings(&open), [], "nobody decided, and the broker goes on to ask");
}

/// A1 is a half message in time, and its commit comes behind A2.
const LATE: &str = "\
topic orders MIXED 1 queue
series A message-group order-1
group billing reads orders orderly, handles in 100ms
producer p1 selects by hash
consumer c1 in billing
at 3s p1 sends A1 in a transaction that commits after 2s
at 4s p1 sends A2
run until 90s
";

fn late(finding: &Finding) -> bool {
    matches!(finding.problem, Problem::CommittedLate { .. })
}

#[test]
fn a_late_commit_is_no_late_send() {
    let both = LATE.replace("sends A2", "sends A2 in a transaction that commits");
    let asked = LATE.replace("commits after 2s", "stays open, checks answered unknown commit");
    let lost = LATE.replace("commits after 2s", "commits, checks answered commit");
    let lost = lost.replace("at 3s", "at 2s lose next 1 end-transaction from p1\nat 3s");
    for text in [LATE, &both, &asked, &lost] {
        let all = findings(text);
        let sent = |f: &Finding| matches!(f.problem, Problem::SentLate { .. });
        assert!(!all.iter().any(sent), "{text}{all:?}");
        let one = find(text, late);
        let [change] = &one.repair[..] else { panic!("{text}{:?}", one.repair) };
        let after = with(text, change);
        let breaches = after.watch().breaches(Guarantee::OrderStored, None);
        assert_eq!(breaches.count(), 0, "{text}{change:?}");
    }
    // One that is sent behind it is late.
    let sent = LATE.replace("at 3s", "at 5s").replace("after 2s", "after 1s");
    assert!(!findings(&sent).iter().any(late), "{:?}", findings(&sent));
    // One that is committed in time is not.
    let early = LATE.replace("after 2s", "after 500ms");
    assert_eq!(findings(&early), []);
}
