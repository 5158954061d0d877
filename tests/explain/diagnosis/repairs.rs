//! What a diagnosis offers takes away what it found.

use lockstep_core::explain::diagnose::{Problem, Symptom};
use lockstep_core::explain::{attempt, Change, Counterfactual, Effect};
use lockstep_core::scenario::{load, play};

use super::{fails, found};
use crate::all;
use crate::changes::changed;

/// A handler that outlives the invisible time, of a consumer that is closed meanwhile.
const OVERLAP: &str = "\
topic    orders FIFO 1 queue
group    billing reads orders fifo, handles in 20s
producer p1
consumer c1 in billing simple in a loop invisible-duration 10s
at 1s    p1 sends A1
at 2s    c1 stops
at 5s    A1 takes 1s
at 12s   c2 joins billing simple in a loop
run      until 60s
";

#[test]
fn an_overlap_by_pop_is_repaired_by_a_longer_invisible_duration() {
    let program = load(OVERLAP).unwrap();
    let session = play(&program);
    let findings = found(&session, program.until_ms);
    let one = findings.iter().find(|f| f.symptom == Symptom::TwoOwners).unwrap();
    let [change @ Change::Instead(_)] = &one.repair[..] else { panic!("{:?}", one.repair) };
    let repaired = changed(&program, change);
    assert_eq!(session.violations().len(), 1);
    assert!(repaired.violations().is_empty(), "{:?}", repaired.violations());
}

#[test]
fn a_failing_message_is_never_given_contrary_advice() {
    let limits = |change: &Change| match change {
        Change::From { commands, .. } => {
            commands.iter().any(|c| matches!(c, lockstep_core::command::Command::SetGroup { .. }))
        }
        _ => false,
    };
    let (mut mended, mut limited) = (0, 0);
    for (name, program) in all() {
        for finding in found(&play(&program), program.until_ms) {
            let Some(of) = fails(&finding) else { continue };
            for change in &finding.repair {
                let again = found(&changed(&program, change), program.until_ms);
                let again = again.iter().find(|f| fails(f) == Some(of));
                if limits(change) && matches!(finding.problem, Problem::Poison { .. }) {
                    // The price of a limit is told, and nobody advises to take it back.
                    let back = again.is_some_and(|f| f.repair.iter().any(limits));
                    assert!(!back, "{name}: {change:?}, then {again:?}");
                    limited += 1;
                } else {
                    assert!(again.is_none(), "{name}: {change:?} leaves {again:?}");
                    mended += 1;
                }
            }
        }
    }
    assert!(mended > 10 && limited > 3, "{mended} {limited}");
}

#[test]
fn a_repair_of_a_broken_order_repairs_it() {
    for (name, program) in all() {
        let session = play(&program);
        for finding in found(&session, program.until_ms) {
            let Problem::Broken { series, .. } = finding.problem else { continue };
            let group = session.violations().iter().find_map(|v| match v.broken {
                lockstep_core::check::Broken::Order { series: of, .. } if of == series => {
                    Some(v.group)
                }
                _ => None,
            });
            let effect = Effect::OrderKept { series, group: group.unwrap() };
            for change in finding.repair {
                let one = Counterfactual { change, effect };
                assert!(attempt(&session, &one).works, "{name}: {one:?}");
            }
        }
    }
}
