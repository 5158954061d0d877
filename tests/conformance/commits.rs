//! Listener results one after the other, with or without autocommit: what is put back, what stays
//! taken, what is committed.

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use super::orderly::{dead_letters, outcome};
use super::run::Run;
use super::stage::{Script, Stage, OWNER};
use lockstep_core::command::{Command, GroupSetting};
use lockstep_core::fact::{Fact, Outcome as Listener};
use lockstep_core::ids::Ms;

/// Duration of each call, so that calls begin at different instants.
const CALL_MS: Ms = 10;
/// How often "again and again" is.
const AGAIN: usize = 10;

/// The state of the cache around one call.
#[derive(Clone, Default)]
struct Turn {
    taken_before: Vec<i64>,
    taken_after: Vec<i64>,
    waiting_after: Vec<i64>,
    counts_after: Vec<(i64, u32)>,
}

impl Turn {
    fn put_back(&self) -> Vec<i64> {
        self.taken_before
            .iter()
            .copied()
            .filter(|offset| self.waiting_after.contains(offset))
            .collect()
    }
}

fn failing(result: Listener) -> bool {
    !matches!(result, Listener::Success | Listener::Commit)
}

/// Answers a case that lists results in order of the calls.
pub fn results(case: &Case) -> Outcome {
    let offsets = case.ints("offsets")?;
    let listed: Option<Vec<Listener>> = case.list("results")?.iter().map(outcome).collect();
    let Some(listed) = listed else { return Trouble::unsupported("results") };
    let repeats = if case.says("again and again") { AGAIN } else { 1 };
    let script: Vec<Listener> =
        listed.iter().copied().cycle().take(listed.len() * repeats).collect();
    let stage = stage(case, &offsets)?;
    let (run, turns) = play(&stage, &script)?;
    let (queue, first) = (run.queue(0), offsets.first().copied().unwrap_or(0));
    let calls = run.handled(queue);
    let last_failure = script.iter().rposition(|result| failing(*result));
    let failed = last_failure.and_then(|place| turns.get(place)).cloned().unwrap_or_default();
    let end = turns.last().cloned().unwrap_or_default();
    let memory = run.client(run.id(OWNER)).and_then(|client| client.offsets.get(&queue)).copied();
    let raised = failed.counts_after.iter().chain(&end.counts_after).any(|(_, count)| *count > 0);
    let next = calls.iter().map(|call| call.offset).nth(script.len());
    let mut answer = Answer::new()
        .with("put_back", failed.put_back())
        .with("still_taken_after_suspend", failed.taken_after.clone())
        .with("still_taken", failed.taken_after)
        .with("committed", memory.filter(|offset| *offset > first))
        .with("counts_raised", raised)
        .with("dlq", dead_letters(&run, 0, |_| true))
        .with("dlq_ever", !dead_letters(&run, 0, |_| true).is_empty())
        .with("next_taken", next);
    for key in case.asked() {
        if let Some(Ok(offset)) = key.strip_prefix("count_of_").map(str::parse::<i64>) {
            let count =
                failed.counts_after.iter().find(|(o, _)| *o == offset).map(|(_, count)| *count);
            answer.set(key, count);
        }
        if let Some(Ok(offset)) = key.strip_prefix("deliveries_of_").map(str::parse::<i64>) {
            answer.set(key, calls.iter().filter(|call| call.offset == offset).count());
        }
    }
    Ok(answer)
}

/// The messages before the case's are consumed first, with autocommit; then its own arrive together.
fn stage(case: &Case, offsets: &[i64]) -> Result<Stage, Trouble> {
    let number =
        |offset: i64| u32::try_from(offset).map_err(|_| Trouble::Unsupported("offsets".to_owned()));
    let (Some(&first), Some(&last)) = (offsets.first(), offsets.last()) else {
        return Trouble::unsupported("no offsets");
    };
    if last - first + 1 != offsets.len() as i64 {
        return Trouble::unsupported("offsets with gaps");
    }
    let (first, end) = (number(first)?, number(last)? + 1);
    let mut stage = Stage::new(super::version::release_of(case)?, 1);
    if case.has("maxReconsumeTimes") {
        stage.set(GroupSetting::MaxReconsumeTimes(case.number("maxReconsumeTimes")?));
    }
    stage.set(GroupSetting::BatchMax(u16::try_from(case.int_or("batch", 1)?).unwrap_or(1)));
    stage.start(-30_000, OWNER);
    if first > 0 {
        stage.store(-20_000, 0, 0..first);
    }
    let setting = GroupSetting::AutoCommit(case.flag_or("autoCommit", true)?);
    let group = super::stage::GROUP.to_owned();
    stage.at(-10_000, Command::SetGroup { group, setting });
    stage.script_at(-10_000, Script { handle_ms: Some(CALL_MS), ..Script::default() });
    stage.store(0, 0, first..end);
    Ok(stage)
}

/// Plays the results: the run is repeated with one more rule each time, given at the instant at which
/// the next call begins.
fn play(stage: &Stage, script: &[Listener]) -> Result<(Run, Vec<Turn>), Trouble> {
    let mut stage = stage.again();
    let mut turns = Vec::new();
    for result in script {
        let mut run = stage.again().run();
        let mut start_ms = None;
        run.until(-1)?;
        for _ in 0..=turns.len() {
            start_ms =
                run.until_fact(3_600_000, |fact| matches!(fact, Fact::HandlingStarted { .. }))?;
        }
        let Some(start_ms) = start_ms else {
            return Err(Trouble::Wrong(format!("only {} calls", turns.len())));
        };
        let script =
            Script { outcome: Some(*result), handle_ms: Some(CALL_MS), ..Script::default() };
        stage.script_at(start_ms, script);
        turns.push(turn(&stage, start_ms)?);
    }
    let mut last = stage.again().run();
    last.until(-1)?;
    // The calls of the preparation are not the case's.
    last.facts.clear();
    for _ in 0..=script.len() {
        last.until_fact(60_000, |fact| matches!(fact, Fact::HandlingStarted { .. }))?;
    }
    Ok((last, turns))
}

fn turn(stage: &Stage, start_ms: Ms) -> Result<Turn, Trouble> {
    let mut run = stage.again().run();
    run.until(start_ms)?;
    let queue = run.queue(0);
    let taken = |run: &Run| -> Vec<i64> {
        let entry = run.client(run.id(OWNER)).and_then(|client| client.process_queue(queue));
        entry.map_or_else(Vec::new, |entry| entry.taken().iter().map(|m| m.offset).collect())
    };
    let taken_before = taken(&run);
    run.until(start_ms + CALL_MS)?;
    let entry = run.client(run.id(OWNER)).and_then(|client| client.process_queue(queue));
    let Some(entry) = entry else { return Err(Trouble::Wrong("the queue is gone".to_owned())) };
    Ok(Turn {
        taken_before,
        taken_after: taken(&run),
        waiting_after: entry.waiting().map(|m| m.offset).collect(),
        counts_after: entry
            .waiting()
            .chain(entry.taken())
            .map(|m| (m.offset, m.reconsume_times))
            .collect(),
    })
}
