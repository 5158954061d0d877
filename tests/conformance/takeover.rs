//! The owner of a queue is gone: when does another member of the group get its lock?

use crate::answer::{Answer, Outcome};
use crate::case::{Case, Trouble};
use crate::stage::{Stage, OWNER, WAITER};
use crate::version::release_of;
use lockstep_core::command::Command;
use lockstep_core::fact::{Fact, GrantKind, StopKind};
use lockstep_core::ids::Ms;

/// How the owner goes, by the key that says when.
const ENDS: [(&str, StopKind); 7] = [
    ("A_crash_at", StopKind::Crash),
    ("A_shutdown_at", StopKind::Clean),
    ("A_stops_at", StopKind::Clean),
    ("A_clean_stop_at", StopKind::Clean),
    ("A_silent_at", StopKind::Silent),
    ("A_partitioned_at", StopKind::Silent),
    ("A_hangs_at", StopKind::Hang),
];

/// Longest that a case may take after the owner has gone.
const PATIENCE_MS: Ms = 400_000;

/// Answers a case about B taking over from A.
pub fn takeover(case: &Case) -> Outcome {
    let version = release_of(case)?;
    let last_renew_ms = case.int("A_last_renew")?;
    let Some((key, how)) = ENDS.into_iter().find(|(key, _)| case.has(key)) else {
        return Trouble::unsupported("how A goes");
    };
    let end_ms = case.int(key)?;
    let mut stage = Stage::new(version, 1);
    let renewal_ms = stage.model().lock_renewal_initial_delay_ms;
    stage.store(-30_000, 0, 0..3);
    stage.start(last_renew_ms - renewal_ms, OWNER);
    stage.start(last_renew_ms - renewal_ms / 2, WAITER);
    let seen_ms = case.int_or("broker_detects_close_at", end_ms)?;
    if seen_ms > end_ms && how == StopKind::Crash {
        let (from, to) = (Some(OWNER.to_owned()), Some("broker".to_owned()));
        stage.at(end_ms, Command::SetLatency { from, to, ms: seen_ms - end_ms });
    }
    stage.stop(end_ms, OWNER, how);
    let mut run = stage.run();
    run.until(end_ms + PATIENCE_MS)?;
    let (queue, waiter) = (run.queue(0), run.id(WAITER));
    let granted = |fact: &Fact| {
        matches!(fact, Fact::LockGranted { client, queue: q, how: GrantKind::Free | GrantKind::Expired { .. }, .. }
            if *client == waiter && *q == queue)
    };
    let refused = |fact: &Fact| matches!(fact, Fact::LockRefused { client, queue: q, .. } if *client == waiter && *q == queue);
    let at_ms = run.first(end_ms, granted);
    let refusals: Vec<Ms> = run.all(refused).into_iter().filter(|at| *at >= end_ms).collect();
    let tries: Vec<Ms> = refusals.iter().copied().chain(at_ms).collect();
    check_rounds(case, &run.rounds(waiter), &tries, end_ms, at_ms)?;
    Ok(Answer::new()
        .with("at_ms", at_ms)
        .with("refused_at", refusals.last().copied())
        .with("first_pull_ms", at_ms.and_then(|at| run.first_pull(at, waiter, queue)))
        .with("tries_ms", tries.clone())
        .with("tries", tries.len()))
}

/// The conditions that a case states about B's rounds must hold in the run.
fn check_rounds(
    case: &Case,
    rounds: &[Ms],
    tries: &[Ms],
    end_ms: Ms,
    at_ms: Option<Ms>,
) -> Result<(), Trouble> {
    if case.has("B_tries_at") {
        let given = case.ints("B_tries_at")?;
        if given != tries {
            return Err(Trouble::Wrong(format!("B tries at {tries:?}, given {given:?}")));
        }
    }
    if case.has("B_last_round_before") {
        let text = case.text("B_last_round_before")?;
        let limit = text.trim_start_matches(['<', '=', ' ']).parse::<Ms>();
        let last = rounds.iter().copied().filter(|at| *at < end_ms).max();
        match (limit, last) {
            (Ok(limit), Some(last)) if last <= limit => {}
            _ => {
                return Err(Trouble::Wrong(format!(
                    "B's last round before is {last:?}, given {text}"
                )))
            }
        }
    }
    if case.has("B_rounds_at") {
        let given = case.text("B_rounds_at")?;
        let until = at_ms.unwrap_or(Ms::MAX);
        let seen: Vec<Ms> =
            rounds.iter().copied().filter(|at| (end_ms..=until).contains(at)).collect();
        crate::handover::check_grid(given, &seen)?;
    }
    Ok(())
}
