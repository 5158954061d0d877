//! Topic types, keys and rollbacks: what repairs them, and what does not.

use lockstep_core::command::{Command, GroupSetting, TopicType};
use lockstep_core::explain::diagnose::{Finding, Problem};
use lockstep_core::explain::{Change, Counterfactual};
use lockstep_core::fact::{Fact, Outcome};

use super::{at, commands, find, findings, handled_at, left_out, now, offered, played, with};

const TYPES: &str = "\
topic orders NORMAL 1 queue
series A without message-group
group billing reads orders orderly, handles in 100ms
producer p1
consumer c1 in billing
at 3s p1 sends A1
at 4s p1 sends A2 in a transaction that commits after 1s
run until 60s
";

fn kinds(change: &Change) -> Vec<TopicType> {
    let Change::Instead(others) = change else { panic!("{change:?}") };
    let kind = |c: &Command| match c {
        Command::CreateTopic { kind, .. } => Some(*kind),
        _ => None,
    };
    others.iter().filter_map(|(_, c)| kind(c)).collect()
}

#[test]
fn a_topic_that_gets_messages_of_two_types_is_repaired_by_mixed_or_not_at_all() {
    let mismatch = |f: &Finding| matches!(f.problem, Problem::TypeMismatch { .. });
    for text in [TYPES.to_owned(), TYPES.replace("NORMAL", "TRANSACTION")] {
        let one = find(&text, mismatch);
        let [change] = &one.repair[..] else { panic!("{:?}", one.repair) };
        assert_eq!(kinds(change), [TopicType::Mixed]);
        let after = with(&text, change);
        assert!(handled_at(&after, "A1").is_some() && handled_at(&after, "A2").is_some());
        let old = format!("model 5.1.0\n{text}");
        assert_eq!(find(&old, mismatch).repair, [], "there is no MIXED before 5.1.4");
        // Where there is a topic of the type, that is the place.
        let kind = if text == TYPES { "TRANSACTION" } else { "NORMAL" };
        let own = old.replace("series A", &format!("topic others {kind} 1 queue\nseries A"));
        let own = own.replace("producer p1", "producer p1 to orders");
        let one = find(&own, mismatch);
        let [change] = &one.repair[..] else { panic!("{own}{:?}", one.repair) };
        let Change::Instead(sends) = change else { panic!("{change:?}") };
        let to = |c: &Command| match c {
            Command::Send { topic, .. } | Command::SendTransaction { topic, .. } => {
                topic.as_deref() == Some("others")
            }
            _ => false,
        };
        assert!(sends.iter().all(|(_, c)| to(c)), "{sends:?}");
    }
    // One type alone is the topic's.
    let one_type = TYPES.replace("at 3s p1 sends A1\n", "");
    let [change] = &find(&one_type, mismatch).repair[..] else { panic!("no repair") };
    assert_eq!(kinds(change), [TopicType::Transaction]);
    let offers = offered(&at(TYPES, 30_000, "A2"));
    let all: Vec<TopicType> = offers.iter().flat_map(|one| kinds(&one.change)).collect();
    assert_eq!(all, [TopicType::Mixed]);
}

/// c1 fails whatever has another key than its own.
const KEYED: &str = "\
series A message-group order-1
group billing reads orders orderly, handles in 100ms
consumer c1 in billing
at 1s c1 handles only key k1 others fail
at 3s p1 sends A1 A2, key k2
run until 60s
";

#[test]
fn what_fails_for_its_key_is_told_with_the_rule_of_the_key_and_repaired_by_it() {
    let is_rule = |c: &Command| matches!(c, Command::OwnKey { .. });
    for label in ["A1", "A2"] {
        let one = at(KEYED, 20_500, label);
        assert!(commands(&one).iter().any(is_rule), "{:?}", commands(&one));
        let offers = offered(&one);
        assert!(now(&offers, is_rule), "{offers:?}");
        let without = |one: &Counterfactual| matches!(one.change, Change::Without(_));
        assert!(offers.iter().any(without), "{offers:?}");
        assert!(!now(&offers, |c| matches!(c, Command::Handle(_))), "{offers:?}");
    }
    let given_up = KEYED.replace("100ms", "100ms, max-reconsume-times 2");
    for text in [KEYED, &given_up] {
        let one =
            find(text, |f| matches!(f.problem, Problem::Poison { .. } | Problem::GivenUp { .. }));
        let session = played(text);
        assert!(left_out(&session, &one.repair[0]).iter().all(is_rule), "{one:?}");
        let healed = with(text, &one.repair[0]);
        let failed = healed
            .facts()
            .iter()
            .any(|r| matches!(r.fact, Fact::HandlingEnded { outcome: Outcome::Later, .. }));
        assert!(!failed);
        let shown = one.evidence.iter().any(|i| match session.facts()[*i as usize].fact {
            Fact::CommandApplied { index } => is_rule(&session.journal()[index as usize].1),
            _ => false,
        });
        assert!(shown, "{one:?}");
    }
    // Its own key it handles.
    let own = KEYED.replace("key k2", "key k1");
    assert!(!findings(&own).iter().any(|f| matches!(f.problem, Problem::Poison { .. })));
}

#[test]
fn what_a_rollback_takes_back_is_told_with_the_rollback_and_autocommit() {
    let text = "\
series A message-group order-1
group billing reads orders orderly, handles in 100ms, autocommit off
consumer c1 in billing
at 1s A2 returns rollback once
at 3s p1 sends A1 A2 A3
run until 60s
";
    for label in ["A1", "A2", "A3"] {
        let one = at(text, 3_700, label);
        let said = commands(&one);
        let off = |c: &Command| {
            matches!(c, Command::SetGroup { setting: GroupSetting::AutoCommit(false), .. })
        };
        assert!(said.iter().any(off), "{label}: {said:?}");
        let rolls = |c: &Command| matches!(c, Command::Handle(rule) if rule.outcome == Some(Outcome::Rollback));
        assert!(said.iter().any(rolls), "{label}: {said:?}");
        let commits = |c: &Command| matches!(c, Command::Handle(rule) if rule.outcome == Some(Outcome::Commit));
        let offers = offered(&one);
        // A2 itself is handled at the same instant whatever it says then.
        assert!(label == "A2" || now(&offers, commits), "{label}: {offers:?}");
    }
}
