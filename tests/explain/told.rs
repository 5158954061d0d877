//! Diagnoses that once named a wrong cause, wrong evidence or a repair that has nothing to do with it.

use lockstep_core::explain::diagnose::{diagnose, Finding, Problem};
use lockstep_core::explain::{reason, Change, Ledger, Reason, Run};
use lockstep_core::fact::Fact;
use lockstep_core::guarantee::{verdicts_at, Guarantee, Missing};
use lockstep_core::ids::{Ms, MsgId};
use lockstep_core::scenario::{load, play, Program};
use lockstep_core::session::Session;

use super::changes::changed;
use super::{all, scenarios};

fn diagnosed(program: &Program) -> (Session, Vec<Finding>) {
    let session = play(program);
    let ledger = Ledger::of(session.facts());
    let findings = diagnose(&session, &ledger, program.until_ms);
    (session, findings)
}

/// A legacy reset back to the beginning, and what happens to the one consumer in its pause.
const RESET: &str = "\
model    4.9
topic    orders FIFO 1 queue
group    billing reads orders orderly
producer p1
consumer c1 in billing

at 3s    p1 sends A1..A5
at 20s   reset billing to time 0
at 25s   c1 crashes
at 40s   c2 joins billing
run      until 2m
";

#[test]
fn a_legacy_reset_that_was_lost_in_the_pause_is_told_and_repeated() {
    let stopped = RESET.replace("c1 crashes", "c1 stops");
    let again = RESET.replace("c2 joins billing", "c1 starts");
    let unheard = RESET.replace("at 25s   c1 crashes", "at 19s   cut c1 from broker");
    let unheard = unheard.replace("at 40s   c2 joins billing", "at 100s  heal c1 and broker");
    for (text, in_pause) in [(RESET, true), (&stopped, true), (&again, true), (&unheard, false)] {
        let program = load(text).unwrap();
        let (session, findings) = diagnosed(&program);
        let lost = |f: &&Finding| matches!(f.problem, Problem::ResetLost { in_pause: of, .. } if of == in_pause);
        let one = findings.iter().find(lost).unwrap_or_else(|| panic!("{text}{findings:?}"));
        let wrong = |f: &Finding| matches!(f.problem, Problem::BeginsBehind { .. });
        assert!(!findings.iter().any(wrong), "{findings:?}");
        let first = session.facts()[one.evidence[0] as usize].fact;
        assert!(matches!(first, Fact::OffsetReset { .. }), "{first:?}");
        // What was handled stays handled, and the reset once more has it handled once more.
        let ledger = Ledger::of(session.facts());
        let group = session.world().shared.names.group("billing");
        assert_eq!(reason(&Run::of(&session, &ledger), MsgId(0), group), Reason::Done);
        let [change @ Change::Now(_)] = &one.repair[..] else { panic!("{:?}", one.repair) };
        let handled = |session: &Session| {
            let is_it = |r: &Fact| matches!(r, Fact::HandlingStarted { msg: MsgId(0), .. });
            session.facts().iter().filter(|r| is_it(&r.fact)).count()
        };
        assert_eq!((handled(&session), handled(&changed(&program, change))), (1, 2), "{text}");
    }
}

#[test]
fn a_legacy_reset_that_was_carried_out_is_not_lost() {
    let done = RESET.replace("at 25s   c1 crashes", "at 31s   c1 crashes");
    let second = RESET.replace(
        "at 40s   c2 joins billing",
        "at 40s   c2 joins billing\nat 110s  reset billing to time 0",
    );
    for text in [done, second.replace("until 2m", "until 3m")] {
        let (_, findings) = diagnosed(&load(&text).unwrap());
        let lost = |f: &Finding| matches!(f.problem, Problem::ResetLost { .. });
        assert!(!findings.iter().any(lost), "{text}{findings:?}");
    }
}

/// A2 is handled twice before A1, which lies on a broker that is down: only the first time breaks order.
const OVERTAKEN: &str = "\
model    5.3
set      pollNameServerInterval 500ms
set      rocketmq.client.rebalance.waitInterval 1s
add      broker a
topic    orders FIFO 4 queues
series   A message-group 123456
group    billing reads orders orderly, handles in 100ms
producer p1 selects by modulo
consumer c1 in billing

at 0     A2 fails once
at 500ms p1 sends A1
at 1s    a crashes
at 2s    p1 sends A2
at 10s   a starts
run      until 30s
";

#[test]
fn the_evidence_of_a_broken_order_is_the_pair_that_broke_it() {
    let (session, findings) = diagnosed(&load(OVERTAKEN).unwrap());
    let broken = |f: &&Finding| matches!(f.problem, Problem::Broken { .. });
    let one = findings.iter().find(broken).unwrap();
    let calls = one.evidence.iter().filter_map(|i| match session.facts()[*i as usize].fact {
        Fact::HandlingStarted { msg, attempt, .. } => Some((msg, attempt)),
        _ => None,
    });
    assert_eq!(calls.collect::<Vec<_>>(), [(MsgId(1), 1), (MsgId(0), 1)]);
}

/// Whatever breaks an order or has two owners is shown with both sides.
#[test]
fn every_broken_order_is_shown_with_both_messages() {
    let mut seen = 0;
    for (name, program) in all() {
        let (session, findings) = diagnosed(&program);
        for one in &findings {
            let facts = || one.evidence.iter().map(|i| session.facts()[*i as usize].fact);
            match one.problem {
                Problem::Broken { .. } => {
                    let mut messages: Vec<MsgId> =
                        facts().filter_map(|f| lockstep_core::view::log::named(&f).msg).collect();
                    messages.sort_unstable();
                    messages.dedup();
                    assert_eq!(messages.len(), 2, "{name}: {one:?}");
                }
                Problem::TwoOwners { from, by } => {
                    let calls = |of| move |f: Fact| matches!(f, Fact::HandlingStarted { client, .. } if client == of);
                    let both = facts().any(calls(from)) && facts().any(calls(by));
                    assert!(both, "{name}: {one:?}");
                }
                _ => continue,
            }
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn two_owners_are_kept_apart_by_what_fits_their_group_and_their_hand_over() {
    let (mut stops, mut rebalances) = (0, 0);
    for (name, program) in all() {
        for finding in diagnosed(&program).1 {
            let Problem::TwoOwners { from, by } = finding.problem else { continue };
            let waits = matches!(finding.needs, Some(Missing::AwaitTermination(_)));
            let text = format!("{name}: {finding:?}");
            for change in &finding.repair {
                let again = changed(&program, change);
                let ledger = Ledger::of(again.facts());
                let again = diagnose(&again, &ledger, program.until_ms);
                let same = |f: &Finding| f.problem == Problem::TwoOwners { from, by };
                assert!(!again.iter().any(same), "{text}");
            }
            assert!(!finding.repair.is_empty(), "{text}");
            *(if waits { &mut stops } else { &mut rebalances }) += 1;
        }
    }
    assert!(stops > 1 && rebalances > 3, "{stops} {rebalances}");
    let reports = scenarios("tests/reports");
    let of = |name: &str| {
        let (_, program) = reports.iter().find(|(of, _)| of == name).unwrap();
        diagnosed(program).1.into_iter().find_map(|f| f.needs)
    };
    assert!(matches!(of("R47-concurrent"), Some(Missing::OrderlyListener(_))));
    assert!(matches!(of("R79-no-wait"), Some(Missing::AwaitTermination(_))));
}

/// c1 stands still from 20 s on; A2 is nobody's business, because of its tag.
const FILTERED: &str = "\
topic    orders FIFO 1 queue
series   A message-group k
group    billing reads orders tagged x orderly, handles in 10ms
producer p1
consumer c1 in billing

at 4s    p1 sends A1, tag x
at 20s   c1 hangs
at 22s   p1 sends A2, tag y
at 100s  p1 sends A3, tag x
run      until 300s
";

/// The longest standstill of the only group at an instant: from, until, by which message, whether it
/// lasts.
fn longest(session: &Session, now_ms: Ms) -> (Ms, Ms, MsgId, bool) {
    let all = verdicts_at(session, now_ms).into_iter();
    let block = all.filter(|v| v.guarantee == Guarantee::Progress).find_map(|v| v.longest).unwrap();
    (block.from_ms, block.until_ms, block.by.unwrap(), block.lasts)
}

#[test]
fn a_standstill_lasts_to_the_present_and_begins_with_what_somebody_waits_for() {
    let program = load(FILTERED).unwrap();
    let (session, findings) = diagnosed(&program);
    let stands = findings.iter().find_map(|f| match f.problem {
        Problem::Stands { msg, waited_ms, .. } => Some((msg, waited_ms)),
        _ => None,
    });
    assert_eq!(stands, Some((MsgId(2), 200_000)), "{findings:?}");
    assert_eq!(longest(&session, program.until_ms), (100_000, 300_000, MsgId(2), true));

    let resumed = FILTERED.replace("run      until 300s", "at 200s  c1 resumes\nat 250s  p1 sends A4, tag y\nat 300s  p1 sends A5, tag x\nrun      until 400s");
    let program = load(&resumed).unwrap();
    let (session, findings) = diagnosed(&program);
    let hung = findings.iter().find_map(|f| match f.problem {
        Problem::Hung { msg, waited_ms, .. } => Some((msg, waited_ms)),
        _ => None,
    });
    assert_eq!(hung.map(|(msg, ms)| (msg, ms / 1_000)), Some((MsgId(2), 100)), "{findings:?}");
    let (from_ms, until_ms, by, lasts) = longest(&session, program.until_ms);
    assert_eq!((from_ms, until_ms / 1_000, by, lasts), (100_000, 200, MsgId(2), false));
}

#[test]
fn a_group_that_begins_late_has_not_stood_still_since_the_first_message_of_all() {
    let text = "topic orders FIFO 1 queue
series A message-group k
group billing reads orders orderly, from last, handles in 10ms
producer p1
set checkInMemByConsumeOffset 0
at 1s p1 sends A1 A2
at 200s c1 joins billing
at 300s p1 sends A3
run until 400s
";
    let program = load(text).unwrap();
    let session = play(&program);
    let (from_ms, until_ms, ..) = longest(&session, program.until_ms);
    assert!(until_ms - from_ms < 1_000, "{from_ms}..{until_ms}");
}
