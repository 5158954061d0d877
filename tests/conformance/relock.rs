//! A consume task finds its lock missing, or runs for too long.

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use super::run::Run;
use super::stage::{Script, Stage, OWNER};
use super::version::release_of;
use lockstep_core::fact::{Fact, Outcome as Listener};
use lockstep_core::ids::Ms;

const HORIZON_MS: Ms = 120_000;

fn relock_scheduled(fact: &Fact) -> bool {
    matches!(fact, Fact::RelockScheduled { .. })
}

fn scheduled_for(run: &Run, at_ms: Ms) -> Option<Ms> {
    run.facts.iter().find_map(|(at, fact)| match fact {
        Fact::RelockScheduled { at_ms: due, .. } if *at == at_ms => {
            Some(*due - super::stage::ZERO_MS)
        }
        _ => None,
    })
}

/// Answers with the delay between finding the lock missing and asking for it again, and with what
/// follows a refusal and a grant.
fn answer(stage: &Stage) -> Outcome {
    let mut run = stage.again().run();
    run.until(0)?;
    run.steal_lock(run.queue(0));
    let Some(found_ms) = run.until_fact(HORIZON_MS, relock_scheduled)? else {
        return Err(Trouble::Wrong("the lock is never found missing".to_owned()));
    };
    let delay_ms = scheduled_for(&run, found_ms).map(|at_ms| at_ms - found_ms);
    let mut freed = run;
    let asked_ms = found_ms + delay_ms.unwrap_or(0);
    let mut refused = stage.again().run();
    refused.until(0)?;
    refused.steal_lock(refused.queue(0));
    refused.until(asked_ms)?;
    let again_ms = refused.until_fact(HORIZON_MS, relock_scheduled)?;
    freed.free_locks();
    let handled_ms =
        freed.until_fact(HORIZON_MS, |fact| matches!(fact, Fact::HandlingStarted { .. }))?;
    let mut answer = Answer::new();
    let after = |at_ms: Option<Ms>| at_ms.map(|at_ms| at_ms - asked_ms);
    for key in ["relock_try_at", "try_lock_at", "relock_at"] {
        answer.set(key, delay_ms.map(|ms| format!("t+{ms}")));
    }
    for key in ["relock_after_ms", "relock_delay_ms", "try_after_ms"] {
        answer.set(key, delay_ms);
    }
    for key in
        ["granted_consume_after_ms", "if_granted_ms", "consume_after_grant_ms", "granted_after_ms"]
    {
        answer.set(key, after(handled_ms));
    }
    for key in
        ["refused_consume_after_ms", "if_refused_ms", "retry_after_refusal_ms", "refused_after_ms"]
    {
        answer.set(key, after(again_ms));
    }
    Ok(answer)
}

/// The lock is lost while the loop of a consume task runs.
pub fn in_loop(case: &Case) -> Outcome {
    case.only_if("lock_lost_mid_loop", true)?;
    let mut stage = Stage::new(release_of(case)?, 1);
    stage.script(Script { handle_ms: Some(1_000), ..Script::default() });
    stage.store(-20_000, 0, 0..100);
    stage.start(-10_000, OWNER);
    answer(&stage)
}

/// The lock is missing when a consume task starts.
pub fn at_start(case: &Case) -> Outcome {
    case.only_if("locked", false)?;
    let mut stage = Stage::new(release_of(case)?, 1);
    stage.script(Script { outcome: Some(Listener::Later), ..Script::default() });
    stage.store(-20_000, 0, 0..2);
    stage.start(-10_000, OWNER);
    answer(&stage)
}

/// A consume task has been busy from `begin` to `now` when it looks for its next message.
pub fn longest_run(case: &Case) -> Outcome {
    let (begin_ms, now_ms) = (case.int("begin")?, case.int("now")?);
    let mut stage = Stage::new(release_of(case)?, 1);
    stage.script(Script {
        number: Some(0),
        handle_ms: Some(now_ms - begin_ms),
        ..Script::default()
    });
    stage.start(begin_ms - 10_000, OWNER);
    stage.store(begin_ms, 0, 0..2);
    let mut run = stage.run();
    run.until(now_ms + 10_000)?;
    let queue = run.queue(0);
    let begun = run.handled(queue).first().map(|call| call.from_ms);
    if begun != Some(begin_ms) {
        return Err(Trouble::Wrong(format!("the task begins at {begun:?}")));
    }
    let yielded = run.first(begin_ms, |fact| matches!(fact, Fact::TaskYielded { .. }));
    let next = run.handled(queue).iter().find(|call| call.offset == 1).map(|call| call.from_ms);
    let resubmit = yielded.and_then(|at_ms| next.map(|next_ms| next_ms - at_ms));
    Ok(Answer::new().with("yield", yielded == Some(now_ms)).with("resubmit_after_ms", resubmit))
}
