//! A queue passes from a running owner A to B, who joins.

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use super::run::Run;
use super::stage::{Script, Stage, JOINER, OWNER};
use super::version::release_of;
use lockstep_core::command::Attempts;
use lockstep_core::fact::{Fact, GrantKind, Outcome as Result_, StopKind};
use lockstep_core::ids::Ms;
use serde_json::Value;

/// Fails unless the instants are `first + period k`, as in `11000 + 1000 k`, from the first on.
pub fn check_grid(text: &str, seen: &[Ms]) -> Result<(), Trouble> {
    let plain = text.split('(').next().unwrap_or_default();
    let (first, step) = plain.split_once('+').unwrap_or(("", plain));
    let first = first.trim();
    let Ok(period) = step.trim().trim_end_matches('k').trim().parse::<Ms>() else {
        return Trouble::unsupported(format!("grid `{text}`"));
    };
    let start = match first.parse::<Ms>() {
        Ok(first) => Some(first),
        Err(_) if first.is_empty() => seen.first().map(|at| at - at % period),
        Err(_) => return Trouble::unsupported(format!("grid `{text}`")),
    };
    let fits = start.is_some_and(|start| (0..).zip(seen).all(|(k, at)| *at == start + k * period))
        || first.is_empty() && seen.iter().all(|at| at % period == 0);
    if fits {
        Ok(())
    } else {
        Err(Trouble::Wrong(format!("given {text}, the run has {seen:?}")))
    }
}

/// What A is doing when B comes.
enum Owner {
    /// Nothing.
    Idle,
    /// A listener call from, to.
    Listening(Ms, Ms),
    /// No call, but messages in the cache: the queue is suspended after a failure.
    Cached,
}

fn owner_of(case: &Case) -> Result<Owner, Trouble> {
    for key in
        ["cache_not_empty", "cached", "cached_messages", "cache", "A_cached", "A_cache_not_empty"]
    {
        match case.get(key) {
            None | Some(Value::Bool(false) | Value::Null) => {}
            Some(Value::Number(number)) if number.as_i64() == Some(0) => {}
            Some(_) => return Ok(Owner::Cached),
        }
    }
    match case.get("A_listener") {
        None | Some(Value::Null) => Ok(Owner::Idle),
        Some(Value::String(text)) if text.contains("no") => Ok(Owner::Idle),
        Some(_) => match case.ints("A_listener")?[..] {
            [from, to] => Ok(Owner::Listening(from, to)),
            _ => Trouble::unsupported("A_listener"),
        },
    }
}

/// Answers a case in which B registers while A owns the queue.
pub fn joins(case: &Case) -> Outcome {
    let version = release_of(case)?;
    let registers_ms = case.int("B_registers")?;
    let notified_ms = case.int_or("A_notified", registers_ms)?;
    let mut stage = Stage::new(version, 1);
    let renewal_ms = stage.model().lock_renewal_initial_delay_ms;
    let owner = owner_of(case)?;
    let mut busy_until_ms = notified_ms;
    stage.start(case.int("A_last_renew")? - renewal_ms, OWNER);
    stage.script(Script { client: Some(JOINER), handle_ms: Some(100), ..Script::default() });
    match owner {
        Owner::Idle => {}
        Owner::Listening(from_ms, to_ms) => {
            busy_until_ms = busy_until_ms.max(to_ms);
            stage.script(Script {
                client: Some(OWNER),
                handle_ms: Some(to_ms - from_ms),
                ..Script::default()
            });
            stage.store(from_ms, 0, 0..1);
        }
        Owner::Cached => {
            let outcome = Some(Result_::Later);
            stage.script(Script { client: Some(OWNER), outcome, ..Script::default() });
            stage.store(notified_ms - 300, 0, 0..2);
        }
    }
    if notified_ms > registers_ms {
        stage.delay_broker(registers_ms, OWNER, notified_ms - registers_ms);
    }
    stage.start(registers_ms, JOINER);
    let mut run = stage.run();
    run.until(busy_until_ms + 100_000)?;
    let notified = run.first(
        registers_ms,
        |fact| matches!(fact, Fact::MemberNotified { client } if *client == run.id(OWNER)),
    );
    if notified != Some(notified_ms) {
        return Err(Trouble::Wrong(format!("A is notified at {notified:?}")));
    }
    observe(case, &run, registers_ms)
}

fn observe(case: &Case, run: &Run, registers_ms: Ms) -> Outcome {
    let (a, b, queue) = (run.id(OWNER), run.id(JOINER), run.queue(0));
    let postponed: Vec<Ms> =
        run.all(|fact| matches!(fact, Fact::ReleasePostponed { client, queue: q } if *client == a && *q == queue));
    let locks = run.first(registers_ms, |fact| {
        matches!(fact, Fact::LockGranted { client, queue: q, how: GrantKind::Free | GrantKind::Expired { .. }, .. }
            if *client == b && *q == queue)
    });
    let refused: Vec<Ms> =
        run.all(|fact| matches!(fact, Fact::LockRefused { client, queue: q, .. } if *client == b && *q == queue));
    let renews: Vec<Ms> = run
        .all(|fact| {
            matches!(fact, Fact::LockGranted { client, queue: q, how: GrantKind::Renewed, .. }
                if *client == a && *q == queue)
        })
        .into_iter()
        .filter(|at_ms| *at_ms > registers_ms)
        .collect();
    let removal = run.facts.iter().find_map(|(at_ms, fact)| match fact {
        Fact::QueueRemoved { client, queue: q, forced }
            if *client == a && *q == queue && *at_ms >= registers_ms =>
        {
            Some((*at_ms, *forced))
        }
        _ => None,
    });
    let unlocks = run.first(registers_ms, |fact| {
        matches!(fact, Fact::LockReleased { client, queue: q, .. } if *client == a && *q == queue)
    });
    let b_rounds: Vec<Ms> = run
        .rounds(b)
        .into_iter()
        .filter(|at_ms| locks.is_none_or(|locks| *at_ms <= locks))
        .collect();
    if let Some(Value::String(grid)) = case.get("B_rounds") {
        check_grid(grid, &b_rounds)?;
    }
    let next_round =
        postponed.first().and_then(|&from| run.rounds(a).into_iter().find(|at_ms| *at_ms > from));
    let before_lock: Vec<Ms> = postponed
        .iter()
        .copied()
        .filter(|at_ms| locks.is_none_or(|locks| *at_ms < locks))
        .collect();
    let first_pull = locks.and_then(|at_ms| run.first_pull(at_ms, b, queue));
    let mut answer = Answer::new();
    for key in ["A_gives_up_waiting", "A_waits_until", "A_first_fail"] {
        answer.set(key, postponed.first().copied());
    }
    for key in ["A_fails", "A_fails_at", "A_gives_up_at", "A_failed_attempts"] {
        answer.set(key, prefix(case, key, &before_lock));
    }
    for key in ["A_renews", "A_renews_at", "A_renewals"] {
        answer.set(key, prefix(case, key, &renews));
    }
    for key in [
        "A_removes",
        "A_removes_entry",
        "A_entry_removed",
        "entry_removed",
        "A_removed",
        "A_releases",
    ] {
        answer.set(key, removal.map(|(at_ms, _)| at_ms));
    }
    for key in ["A_unlocks", "A_unlock_sent", "unlock_sent", "A_sends_unlock"] {
        answer.set(key, unlocks);
    }
    for key in ["B_locks", "B_locks_at"] {
        answer.set(key, locks);
    }
    for key in ["B_refused_until", "B_last_refused"] {
        answer.set(key, refused.last().copied());
    }
    let last_renewal = renews.last().copied();
    Ok(answer
        .with("A_next_round", next_round)
        .with("A_last_renewal", last_renewal)
        .with("A_renews_after_drop", last_renewal.is_some())
        .with("forced", removal.is_some_and(|(_, forced)| forced))
        .with("B_first_round", b_rounds.first().copied())
        .with("B_first_pull", first_pull)
        .with("overlap", run.overlap(queue)))
}

/// The first instants, as many as the case lists.
fn prefix(case: &Case, key: &str, all: &[Ms]) -> Vec<Ms> {
    all.iter().copied().take(case.asked_len(key).unwrap_or(all.len())).collect()
}

/// A queue comes back to its old owner before that could give it away.
pub fn bounce(case: &Case) -> Outcome {
    case.only_if("queue_dropped_and_pending", true)?;
    case.only_if("allocated_back", true)?;
    let last_pull_ms = case.int("last_pull")?;
    let mut stage = Stage::new(release_of(case)?, 1);
    stage.start(last_pull_ms - 10_000, OWNER);
    // The call that keeps A from giving the queue away; it is over long before the queue is idle.
    let attempts = Attempts::Only(1);
    stage.script(Script {
        client: Some(OWNER),
        number: Some(0),
        attempts,
        handle_ms: Some(9_000),
        outcome: None,
    });
    stage.store(last_pull_ms, 0, 0..1);
    stage.start(last_pull_ms + 2_000, JOINER);
    stage.stop(last_pull_ms + 5_000, JOINER, StopKind::Crash);
    stage.store(last_pull_ms + 30_000, 0, 1..2);
    let mut run = stage.run();
    run.until(last_pull_ms + 200_000)?;
    let (a, queue) = (run.id(OWNER), run.queue(0));
    let dropped = run.first(last_pull_ms, |fact| matches!(fact, Fact::QueueDropped { client, queue: q, .. } if *client == a && *q == queue));
    let back_ms = last_pull_ms + 5_000;
    let removed = run.first(back_ms, |fact| matches!(fact, Fact::QueueRemoved { client, queue: q, .. } if *client == a && *q == queue));
    let added = run.first(back_ms, |fact| matches!(fact, Fact::QueueAdded { client, queue: q, .. } if *client == a && *q == queue));
    let pulls = run.pulls(a, queue);
    let last = pulls
        .iter()
        .map(|(at_ms, _)| *at_ms)
        .filter(|at_ms| dropped.is_some_and(|dropped| *at_ms <= dropped))
        .max();
    if last != Some(last_pull_ms) {
        return Err(Trouble::Wrong(format!("the last pull before the drop is at {last:?}")));
    }
    if case.has("rounds") {
        let rounds: Vec<Ms> = run
            .rounds(a)
            .into_iter()
            .filter(|at_ms| (back_ms..=removed.unwrap_or(back_ms)).contains(at_ms))
            .collect();
        check_grid(case.text("rounds")?, &rounds)?;
    }
    let served = run.handled(queue).iter().any(|call| {
        call.client == a
            && call.from_ms > back_ms
            && removed.is_none_or(|at_ms| call.from_ms < at_ms)
    });
    let both =
        if removed == added { Value::from(removed) } else { Value::from(vec![removed, added]) };
    Ok(Answer::new()
        .with("served", served)
        .with("removed_at", removed)
        .with("added_at", added)
        .with("removed_and_added_at", both))
}

/// A listener call is running when its queue is dropped, and ends.
pub fn late_result(case: &Case) -> Outcome {
    let (from_ms, to_ms, dropped_ms) = if case.has("listener") {
        match case.ints("listener")?[..] {
            [from, to] => (from, to, case.int("dropped_at")?),
            _ => return Trouble::unsupported("listener"),
        }
    } else {
        (10_000, 10_900, 10_600)
    };
    let offset = case.int_or("commit", 1)? - 1;
    let dropped = case.flag_or("pq_dropped", true)?;
    let _ = case.get("message");
    let status = if case.has("result") { case.text("result")? } else { case.text("status")? };
    let Some(outcome) = super::orderly::outcome(&Value::from(status)) else {
        return Trouble::unsupported(format!("result `{status}`"));
    };
    let mut stage = Stage::new(release_of(case)?, 1);
    stage.set(lockstep_core::command::GroupSetting::AutoCommit(case.flag_or("autoCommit", true)?));
    let number = u32::try_from(offset).unwrap_or(0);
    let script = Script { number: Some(number), ..Script::default() };
    stage.script(Script {
        client: Some(OWNER),
        outcome: Some(outcome),
        handle_ms: Some(to_ms - from_ms),
        ..script
    });
    stage.script(Script { client: Some(JOINER), handle_ms: Some(10_000_000), ..script });
    stage.start(dropped_ms - 8_000, OWNER);
    stage.store(from_ms - 100, 0, 0..number);
    stage.store(from_ms, 0, number..number + 1);
    if dropped {
        stage.start(dropped_ms, JOINER);
    }
    let mut run = stage.run();
    run.until(to_ms + 100_000)?;
    let (queue, b) = (run.queue(0), run.id(JOINER));
    let drop_at = run
        .first(from_ms, |fact| matches!(fact, Fact::QueueDropped { queue: q, .. } if *q == queue));
    if dropped && drop_at != Some(dropped_ms) {
        return Err(Trouble::Wrong(format!("the queue is dropped at {drop_at:?}")));
    }
    let updated = run.any(|fact| {
        matches!(fact, Fact::OffsetCommitted { queue: q, offset: o, .. } if *q == queue && i64::from(*o) > offset)
    });
    let again = run.handled(queue).iter().any(|call| call.client == b && call.offset == offset);
    Ok(Answer::new()
        .with("offset_updated", updated)
        .with("offset_includes_x", updated)
        .with("x_delivered_again_to_new_owner", again)
        .with("delivered_again", again)
        .with("overlap", run.overlap(queue)))
}
