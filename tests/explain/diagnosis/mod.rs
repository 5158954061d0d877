//! Each symptom of the checklist, and the reports, by their causes; nothing about healthy runs.

mod healthy;
mod repairs;
mod silent;
mod traced;

use lockstep_core::explain::diagnose::{diagnose, Finding, Problem};
use lockstep_core::explain::Ledger;
use lockstep_core::session::Session;

/// The first word of a problem; of a broken order that of its guilt.
fn word(problem: &Problem) -> String {
    let debug = match problem {
        Problem::Broken { guilt, .. } => format!("{guilt:?}"),
        other => format!("{other:?}"),
    };
    debug.split([' ', '{']).next().unwrap().to_owned()
}

fn found(session: &Session, until_ms: lockstep_core::ids::Ms) -> Vec<Finding> {
    let ledger = Ledger::of(session.facts());
    diagnose(session, &ledger, until_ms)
}

/// The message that fails in a finding, and its group.
fn fails(finding: &Finding) -> Option<(lockstep_core::ids::MsgId, lockstep_core::ids::GroupId)> {
    match finding.problem {
        Problem::GivenUp { msg, group, .. } | Problem::Poison { msg, group, .. } => {
            Some((msg, group))
        }
        _ => None,
    }
}
