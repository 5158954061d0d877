//! Repairs of an order, judged by the order that they leave.

use lockstep_core::check::Broken;
use lockstep_core::explain::diagnose::{diagnose, Finding, Problem};
use lockstep_core::explain::{with_change, Ledger};
use lockstep_core::guarantee::Guarantee;
use lockstep_core::ids::{MessageGroupId, Ms, MsgId};
use lockstep_core::scenario::{play, Program};
use lockstep_core::session::Session;

use super::super::on_all;
use super::{find, findings, with};

/// The message group whose order a finding is about, and whether as it was stored.
fn order_of(session: &Session, problem: &Problem) -> Option<(MessageGroupId, bool)> {
    let of = |msg: MsgId| session.world().shared.message(msg).series;
    Some(match *problem {
        Problem::SeveralProducers { series }
        | Problem::SeveralThreads { series, .. }
        | Problem::Delays { series } => (series, true),
        Problem::SentLate { msg } | Problem::CommittedLate { msg } => (of(msg), true),
        Problem::Broken { series, .. } => (series, false),
        _ => return None,
    })
}

/// How many messages of a message group are out of order in a run.
fn out_of_order(session: &Session, (series, stored): (&str, bool)) -> usize {
    let shared = &session.world().shared;
    let is_it = |msg: MsgId| shared.label(msg).series == series;
    match stored {
        true => {
            let all = session.watch().breaches(Guarantee::OrderStored, None);
            all.filter(|breach| breach.earlier.is_some() && is_it(breach.msg)).count()
        }
        false => {
            let all = session.violations().iter();
            all.filter(|v| matches!(v.broken, Broken::Order { later, .. } if is_it(later))).count()
        }
    }
}

/// Repairs of a run that claim to keep an order and do not.
fn wrong(name: &str, program: &Program) -> (u32, Vec<String>) {
    let session = play(program);
    let ledger = Ledger::of(session.facts());
    let (mut tried, mut faults) = (0, Vec::new());
    for finding in diagnose(&session, &ledger, program.until_ms) {
        let Some((series, stored)) = order_of(&session, &finding.problem) else { continue };
        let series = session.world().shared.names.series[series.index()].name.clone();
        for change in &finding.repair {
            let mut after = with_change(&session, change, program.until_ms);
            after.run_until(program.until_ms + Ms::from(change.is_now()));
            let left = out_of_order(&after, (&series, stored));
            tried += 1;
            if (left > 0) != finding.leaves.is_some() {
                faults.push(format!("{name}: {:?}: {change:?} leaves {left}", finding.problem));
            }
        }
    }
    (tried, faults)
}

#[test]
fn a_repair_that_is_offered_for_an_order_keeps_it_or_says_what_it_leaves() {
    let (mut tried, mut faults) = (0, Vec::new());
    for (of_run, wrong) in on_all(wrong) {
        tried += of_run;
        faults.extend(wrong);
    }
    assert!(tried > 20, "only {tried} repairs of an order were offered");
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// Two producers send messages of one message group, neither in the order that is meant.
const TWO: &str = "\
topic orders FIFO 4 queues
group billing reads orders orderly, handles in 100ms, from first
producer p1
producer p2
consumer c1 in billing
at 1s p1 sends A2 A4
at 1s p2 sends A1 A3
run until 20s
";

#[test]
fn one_producer_sends_the_messages_in_their_order() {
    let late = TWO.replace("at 1s p2 sends A1 A3", "at 2s p2 sends A3 A1");
    let threads = TWO.replace("producer p2\n", "").replace("producer p1", "producer p1 2 threads");
    let threads = threads.replace("p1 sends A2 A4", "p1 sends A2 A4, on thread 2");
    let threads = threads.replace("p2 sends", "p1 sends");
    for text in [TWO, &late, &threads] {
        let found = find(text, |f| {
            matches!(
                f.problem,
                Problem::SeveralProducers { .. }
                    | Problem::SeveralThreads { .. }
                    | Problem::SentLate { .. }
            )
        });
        assert_eq!((found.repair.len(), found.leaves), (1, None), "{text}{found:?}");
        let after = with(text, &found.repair[0]);
        assert_eq!(after.watch().breaches(Guarantee::OrderStored, None).count(), 0, "{text}");
    }
}

#[test]
fn what_only_takes_one_of_two_causes_away_says_so() {
    let text = TWO.replace("billing reads orders orderly", "billing reads orders concurrent");
    let text = text.replace("producer p1\n", "producer p1 selects by round-robin\n");
    let text = text.replace("at 1s p2 sends A1 A3", "at 1.1s p2 sends A1 A3 A5 A7");
    let broken: Vec<Finding> = findings(&text)
        .into_iter()
        .filter(|f| matches!(f.problem, Problem::Broken { .. }))
        .collect();
    assert!(broken.len() > 1, "{broken:?}");
    let partial = broken.iter().filter(|f| f.leaves.is_some() && !f.repair.is_empty());
    assert!(partial.count() > 0, "{broken:?}");
}
