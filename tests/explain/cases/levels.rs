//! Delay levels that a shorter table left behind.

use lockstep_core::command::Command;
use lockstep_core::explain::diagnose::{diagnose, Problem};
use lockstep_core::explain::{
    named, Bound, Change, Headline, LevelState, Reason, Rule, Run, Unnamed,
};

use super::{explain, offered, reason, run_to};

/// A4 waits under level 4, A1 under level 1, when the broker is started with two levels.
const SHRUNK: &str = "\
topic    orders NORMAL 1 queue
group    billing reads orders orderly, handles in 10ms
producer p1 selects by hash
consumer c1 in billing
at 3s    p1 sends A4 A5, delay level 4
at 3s    p1 sends A1, delay level 1
at 4s    delay-levels 1s 5s
at 5s    broker stops
at 6s    broker starts
run      until 200s
";

#[test]
fn what_a_shorter_table_leaves_behind_is_stranded() {
    for at_ms in [7_000, 60_000, 190_000] {
        let said = reason(SHRUNK, at_ms, "A5");
        assert!(
            matches!(said, Reason::Stranded { level: 4, levels: 2, bound: Bound::Queue, .. }),
            "{said:?}"
        );
    }
    // While the broker still runs with the old table, nothing is stranded.
    assert!(matches!(reason(SHRUNK, 4_500, "A5"), Reason::Scheduled { level: 4, .. }));
    assert_eq!(reason(SHRUNK, 60_000, "A1"), Reason::Done);
    let (session, ledger) = run_to(SHRUNK, 60_000);
    let a4 = explain(&session, &ledger, "A4");
    assert_eq!(a4.rule, Rule::LevelTable);
    let shrinks = |f: u32| {
        session
            .journal()
            .get(f as usize)
            .is_some_and(|(_, c)| matches!(c, Command::SetDelayLevels { .. }))
    };
    assert!(a4.causes.iter().any(|c| c.command.is_some_and(shrinks)), "{:?}", a4.causes);
    let level = explain(&session, &ledger, "level 4");
    let Headline::Level { state: LevelState::Gone { waiting: 2, levels: 2, .. }, .. } =
        level.headline
    else {
        panic!("{:?}", level.headline)
    };
    assert_eq!(level.rule, Rule::LevelTable);
    let run = Run::of(&session, &ledger);
    assert!(matches!(named(&run, &["level", "3"], None), Err(Unnamed::Beyond { most: 2, .. })));
}

#[test]
fn a_table_with_the_level_again_delivers_what_was_stranded() {
    for thing in ["A4", "A5", "level 4"] {
        let changes = offered(SHRUNK, 60_000, thing);
        let restart = |c: &Change| matches!(c, Change::Now(c) if matches!(c[..], [Command::SetDelayLevels { .. }, Command::StopBroker { .. }, Command::StartBroker { .. }]));
        assert!(changes.iter().any(restart), "{thing}: {changes:?}");
        assert!(changes.iter().any(|c| matches!(c, Change::Without(_))), "{thing}: {changes:?}");
    }
}

#[test]
fn a_stranded_message_is_diagnosed() {
    let (session, ledger) = run_to(SHRUNK, 200_000);
    let findings = diagnose(&session, &ledger, 200_000);
    let stands = |p: &Problem| matches!(p, Problem::Stands { reason: Reason::Stranded { .. }, .. });
    let one =
        findings.iter().find(|f| stands(&f.problem)).unwrap_or_else(|| panic!("{findings:?}"));
    assert!(!one.repair.is_empty() && !one.evidence.is_empty(), "{one:?}");
}
