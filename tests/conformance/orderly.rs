//! Results of an orderly listener, and what becomes of the messages.

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use super::run::Run;
use super::stage::{Script, Stage, OWNER};
use super::version::parse;
use super::{cache, handover, pull, Form};
use lockstep_core::command::{Attempts, GroupSetting};
use lockstep_core::fact::{Fact, Outcome as Listener};
use lockstep_core::ids::Ms;
use lockstep_core::model::Version;
use lockstep_core::retry::direct_result;
use serde_json::Value;

/// The forms of this area.
pub const FORMS: &[Form] = &[
    Form { fits: |c| c.says("dispatch flag"), run: cache::dispatch },
    Form {
        fits: |c| c.says("flow control") || c.says("pull turn") && !c.has("locked"),
        run: pull::flow_control,
    },
    Form { fits: |c| c.says("contains") && c.has("put"), run: cache::contains },
    Form { fits: |c| c.has("put") || c.has("offsets") && !c.has("results"), run: cache::steps },
    Form { fits: |c| c.has("taken_uncommitted") || c.has("cached"), run: cache::steps },
    Form {
        fits: |c| c.says("queue was dropped") || c.has("dropped_at"),
        run: handover::late_result,
    },
    Form { fits: |c| c.has("batch") && c.says("batch"), run: failing_batch },
    Form { fits: |c| c.says("consumeMessageDirectly"), run: directly },
    Form { fits: |c| c.when == "treated as", run: treated_as },
    Form { fits: |c| c.has("results") && c.has("autoCommit"), run: super::commits::results },
    Form { fits: |c| c.says("pull turn") && c.has("locked"), run: pull::not_locked },
    Form { fits: |c| c.has("attached_offset"), run: pull::attached_offset },
];

/// A listener's result as a case writes it.
pub fn outcome(value: &Value) -> Option<Listener> {
    match value.as_str() {
        None if value.is_null() => Some(Listener::Null),
        None => None,
        Some("SUCCESS" | "CONSUME_SUCCESS") => Some(Listener::Success),
        Some("SUSPEND_CURRENT_QUEUE_A_MOMENT" | "SUSPEND" | "RECONSUME_LATER") => {
            Some(Listener::Later)
        }
        Some("COMMIT") => Some(Listener::Commit),
        Some("ROLLBACK") => Some(Listener::Rollback),
        Some("null") => Some(Listener::Null),
        Some("throws" | "exception" | "throws exception") => Some(Listener::Exception),
        Some(_) => None,
    }
}

/// A listener that suspends its queue for ever, up to the limit.
pub fn always_suspends(case: &Case) -> Outcome {
    let version = match case.get("mode").and_then(Value::as_str) {
        Some(mode) if mode.contains("4.x") => Version(4, 9, 8),
        Some(mode) => mode.split_whitespace().find_map(parse).unwrap_or(Version(5, 3, 3)),
        None => super::version::release_of(case)?,
    };
    let first_ms = case.int("first_delivery")?;
    let max: i32 = case.number("maxReconsumeTimes")?;
    let mut stage = Stage::new(version, 1);
    stage.set(GroupSetting::MaxReconsumeTimes(max));
    stage.set(GroupSetting::SuspendMs(case.int("suspend_ms")?));
    stage.script(Script { number: Some(0), outcome: Some(Listener::Later), ..Script::default() });
    stage.start(first_ms - 30_000, OWNER);
    stage.store(first_ms, 0, 0..2);
    let mut run = stage.run();
    run.until(first_ms + 60_000 + i64::from(max.clamp(0, 100)) * 30_000)?;
    let calls = run.handled(run.queue(0));
    let times: Vec<Ms> =
        calls.iter().filter(|call| call.offset == 0).map(|call| call.from_ms).collect();
    let next = calls.iter().find(|call| call.offset == 1).map(|call| call.from_ms);
    // The case is the consumer's: when its message is taken for a dead letter. Up to 4.9.8 the broker
    // keeps it under the delay level of the send until it is stored as one.
    let dead = run.first(first_ms, |fact| {
        matches!(fact, Fact::DeadLettered { .. } | Fact::MessageScheduled { dead_for: Some(_), .. })
    });
    let delayed = run.facts.iter().find_map(|(_, fact)| match fact {
        Fact::MessageScheduled { level, .. } => Some(*level),
        _ => None,
    });
    Ok(Answer::new()
        .with("deliveries", times.len())
        .with("delivery_times_ms", times)
        .with("dlq_at_ms", dead)
        .with("next_message_ms", next)
        .with("next_message_at_ms", next)
        .with("retry_level", delayed))
}

/// A batch fails whose messages have failed before: `o` is the offset, `rt` how often.
fn failing_batch(case: &Case) -> Outcome {
    let mut batch: Vec<(u32, i64)> = Vec::new();
    for entry in case.list("batch")? {
        let field = |key: &str| entry.get(key).and_then(Value::as_i64);
        match (field("o").and_then(|o| u32::try_from(o).ok()), field("rt")) {
            (Some(offset), Some(times)) if offset as usize == batch.len() => {
                batch.push((offset, times))
            }
            _ => return Trouble::unsupported("batch"),
        }
    }
    let Some(&(_, most)) = batch.first() else { return Trouble::unsupported("an empty batch") };
    if batch.windows(2).any(|pair| pair[0].1 < pair[1].1) {
        return Trouble::unsupported("a later message that failed more often than an earlier one");
    }
    let size = u16::try_from(batch.len()).unwrap_or(u16::MAX);
    let mut stage = Stage::new(super::version::release_of(case)?, 1);
    stage.set(GroupSetting::MaxReconsumeTimes(case.number("maxReconsumeTimes")?));
    stage.set(GroupSetting::BatchMax(size));
    stage.script(Script { outcome: Some(Listener::Later), ..Script::default() });
    stage.start(-30_000, OWNER);
    // One failure each second; who failed less often comes later.
    for (offset, times) in &batch {
        let late_ms = if *times == most { 0 } else { (most - times) * 1_000 - 500 };
        stage.store(late_ms, 0, *offset..offset + 1);
    }
    let fails_ms = most * 1_000;
    let mut run = stage.run();
    run.until(fails_ms + 1_000)?;
    let queue = run.queue(0);
    let calls = run.handled(queue);
    let together: Vec<(i64, i64)> = calls
        .iter()
        .filter(|call| call.from_ms == fails_ms)
        .map(|call| (call.offset, i64::from(call.attempt) - 1))
        .collect();
    let wanted: Vec<(i64, i64)> =
        batch.iter().map(|(offset, times)| (i64::from(*offset), *times)).collect();
    if together != wanted {
        return Err(Trouble::Wrong(format!("the run's batch is {together:?}")));
    }
    let again: Vec<i64> = calls
        .iter()
        .filter(|call| call.from_ms == fails_ms + 1_000)
        .map(|call| call.offset)
        .collect();
    let dead = dead_letters(&run, 0, |at_ms| at_ms <= fails_ms);
    Ok(Answer::new().with("sent_to_dlq", dead).with("requeued", again))
}

/// Offsets of the messages that became dead letters at these instants.
pub fn dead_letters(run: &Run, queue: u16, when: impl Fn(Ms) -> bool) -> Vec<i64> {
    let calls = run.handled(run.queue(queue));
    let dead = |(at_ms, fact): &(Ms, Fact)| match fact {
        Fact::DeadLettered { msg, .. } if when(*at_ms) => {
            calls.iter().find(|call| call.msg == *msg).map(|call| call.offset)
        }
        _ => None,
    };
    run.facts.iter().filter_map(dead).collect()
}

fn directly(case: &Case) -> Outcome {
    if case.has("listener") {
        let Some(outcome) = outcome(case.value("listener")?) else {
            return Trouble::unsupported("listener");
        };
        return Ok(Answer::new().with("result", direct_result(outcome)));
    }
    let outcomes: Option<Vec<Listener>> = case.list("statuses")?.iter().map(outcome).collect();
    let Some(outcomes) = outcomes else { return Trouble::unsupported("statuses") };
    let results: Vec<&str> = outcomes.into_iter().map(direct_result).collect();
    Ok(Answer::new().with("results", results))
}

/// Everything that follows from one result, without the result itself.
fn consequences(outcome: Listener, auto_commit: bool) -> Result<Vec<String>, Trouble> {
    let mut stage = Stage::new(Version(5, 3, 3), 1);
    stage.set(GroupSetting::AutoCommit(auto_commit));
    stage.set(GroupSetting::MaxReconsumeTimes(2));
    let attempts = Attempts::All;
    stage.script(Script { number: Some(0), attempts, outcome: Some(outcome), ..Script::default() });
    stage.start(-30_000, OWNER);
    stage.store(0, 0, 0..2);
    let mut run = stage.run();
    run.until(60_000)?;
    let told = |(at_ms, fact): &(Ms, Fact)| match fact {
        Fact::HandlingEnded { .. } => None,
        fact => Some(format!("{at_ms} {fact:?}")),
    };
    Ok(run.facts.iter().filter_map(told).collect())
}

/// Which status do null and an exception amount to?
fn treated_as(case: &Case) -> Outcome {
    let auto_commit = case.flag_or("autoCommit", true)?;
    let listener = case.text("listener")?;
    let mut outcomes = Vec::new();
    if listener.contains("null") {
        outcomes.push(Listener::Null);
    }
    if listener.contains("throws") {
        outcomes.push(Listener::Exception);
    }
    let mut names = Vec::new();
    for outcome in outcomes {
        let seen = consequences(outcome, auto_commit)?;
        for (name, status) in
            [("SUCCESS", Listener::Success), ("SUSPEND_CURRENT_QUEUE_A_MOMENT", Listener::Later)]
        {
            if consequences(status, auto_commit)? == seen {
                names.push(name);
            }
        }
    }
    names.dedup();
    match names[..] {
        [one] => Ok(Answer::new().with("status", one)),
        _ => Ok(Answer::new().with("status", names)),
    }
}
