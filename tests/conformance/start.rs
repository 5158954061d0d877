//! From `start()` of a consumer to its first message.

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use super::run::Run;
use super::stage::{Stage, OWNER};
use super::version::{parse, release_of};
use lockstep_core::command::{FromWhere, GroupSetting, ListenerKind};
use lockstep_core::event::{ClientTimer, Packet};
use lockstep_core::fact::{Fact, GrantKind};
use lockstep_core::ids::Ms;
use lockstep_core::model::Version;
use serde_json::Value;

/// How long a start is watched.
const WATCH_MS: Ms = 90_000;

fn listener_of(case: &Case) -> Result<ListenerKind, Trouble> {
    Ok(if case.flag_or("orderly", true)? {
        ListenerKind::Orderly
    } else {
        ListenerKind::Concurrent
    })
}

/// A consumer starts on a topic, alone.
pub fn starts(case: &Case) -> Outcome {
    case.only_if("other_members", 0)?;
    let created_ms = case.int("created_at")?;
    let mut stage = Stage::with(release_of(case)?, 1, 1, listener_of(case)?);
    if case.flag_or("backlog", false)? {
        stage.store(created_ms - 60_000, 0, 0..3);
    }
    stage.start(created_ms, OWNER);
    let mut run = stage.run();
    run.until(created_ms + WATCH_MS)?;
    let (me, queue) = (run.id(OWNER), run.queue(0));
    let locked = run.first(created_ms, |fact| {
        matches!(fact, Fact::LockGranted { client, queue: q, how: GrantKind::Free, .. } if *client == me && *q == queue)
    });
    let mut answer = Answer::new()
        .with("first_round_ms", run.rounds(me).first().copied())
        .with("lock_ms", locked)
        .with("first_pull_ms", run.first_pull(created_ms, me, queue))
        .with("first_listener_ms", run.handled(queue).first().map(|call| call.from_ms));
    let mut heartbeats = run.packets(me, |packet| matches!(packet, Packet::Heartbeat { .. }));
    heartbeats.dedup();
    for (key, all) in [
        ("rounds_ms", run.rounds(me)),
        ("heartbeats_ms", heartbeats),
        ("lock_renewals_ms", run.timers(me, |timer| *timer == ClientTimer::RenewLocks)),
        ("offset_pushes_ms", run.timers(me, |timer| *timer == ClientTimer::PushOffsets)),
        ("route_polls_ms", run.timers(me, |timer| *timer == ClientTimer::RoutePoll)),
    ] {
        let count = case.asked_len(key).unwrap_or(all.len());
        answer.set(key, all.into_iter().take(count).collect::<Vec<_>>());
    }
    Ok(answer)
}

fn from_where(case: &Case) -> Result<FromWhere, Trouble> {
    match case.text("where")? {
        "FIRST_OFFSET" => Ok(FromWhere::First),
        "LAST_OFFSET" => Ok(FromWhere::Last),
        other => Trouble::unsupported(format!("where `{other}`")),
    }
}

/// A new group on a queue that has lost its oldest messages.
struct OldQueue {
    min: i64,
    max: i64,
    from: FromWhere,
    created_ms: Ms,
}

impl OldQueue {
    fn run(
        &self,
        version: Version,
        listener: ListenerKind,
        later: Option<Ms>,
    ) -> Result<Run, Trouble> {
        let count =
            |n: i64| u32::try_from(n).map_err(|_| Trouble::Unsupported("offsets".to_owned()));
        let (max, created_ms) = (count(self.max)?, self.created_ms);
        let mut stage = Stage::with(version, 1, 1, listener);
        stage.set(GroupSetting::FromWhere(self.from));
        stage.store(created_ms - 60_000, 0, 0..max);
        stage.start(created_ms, OWNER);
        if let Some(at_ms) = later {
            stage.store(at_ms, 0, max..max + 1);
        }
        let mut run = stage.run();
        run.until(created_ms - 1)?;
        run.set_min_offset(run.queue(0), self.min);
        run.until(created_ms + WATCH_MS)?;
        Ok(run)
    }
}

/// The first pull asks for an offset that is gone: one column for each client.
pub fn corrected(case: &Case) -> Outcome {
    case.only_if("group_offset", Value::Null)?;
    let old = OldQueue {
        min: case.int("min")?,
        max: case.int("max")?,
        from: from_where(case)?,
        created_ms: case.int("created_at")?,
    };
    let kind = listener_of(case)?;
    let names =
        if case.has("clients") { case.texts("clients")? } else { vec![case.text("client")?] };
    let mut columns: [Vec<Option<Ms>>; 4] = Default::default();
    for name in names {
        let Some(version) = parse(name) else {
            return Trouble::unsupported(format!("release `{name}`"));
        };
        let run = old.run(version, kind, None)?;
        let (me, queue) = (run.id(OWNER), run.queue(0));
        let is = |q: &lockstep_core::ids::MessageQueue| *q == queue;
        let refused = run.first(
            old.created_ms,
            |fact| matches!(fact, Fact::OffsetCorrected { queue, .. } if is(queue)),
        );
        let corrected = run.first(old.created_ms, |fact| matches!(fact, Fact::OffsetCommitted { queue, offset, .. } if is(queue) && i64::from(*offset) == old.min));
        let round =
            corrected.and_then(|from_ms| run.rounds(me).into_iter().find(|at_ms| *at_ms > from_ms));
        let delivered =
            run.handled(queue).iter().find(|call| call.offset == old.min).map(|call| call.from_ms);
        for (column, value) in columns.iter_mut().zip([refused, corrected, round, delivered]) {
            column.push(value);
        }
    }
    let mut answer = Answer::new();
    for (key, column) in ["first_refused_pull_ms", "corrected_ms", "next_round_ms", "delivered_ms"]
        .into_iter()
        .zip(columns)
    {
        match column[..] {
            [one] if !case.has("clients") => answer.set(key, one),
            _ => answer.set(key, column),
        }
    }
    Ok(answer)
}

/// A message is stored between the rebalance round and the first pull.
pub fn start_offset(case: &Case) -> Outcome {
    case.only_if("group_offset", Value::Null)?;
    let old = OldQueue {
        min: case.int("min")?,
        max: case.int("max_at_0")?,
        from: from_where(case)?,
        created_ms: case.int("created_at")?,
    };
    let version = release_of(case)?;
    let stored_ms = case.int("message_stored_ms")?;
    let orderly = old.run(version, ListenerKind::Orderly, Some(stored_ms))?;
    let concurrent = old.run(version, ListenerKind::Concurrent, Some(stored_ms))?;
    let first = |run: &Run| run.pulls(run.id(OWNER), run.queue(0)).first().copied();
    let (orderly_first, concurrent_first) = (first(&orderly), first(&concurrent));
    let start = orderly_first.map_or(0, |(_, offset)| offset);
    let skipped: Vec<i64> = (old.max..start).collect();
    Ok(Answer::new()
        .with("round_ms", orderly.rounds(orderly.id(OWNER)).first().copied())
        .with("pull_ms", orderly_first.map(|(at_ms, _)| at_ms))
        .with("orderly_start", start)
        .with("orderly_skips", skipped)
        .with("concurrent_start", concurrent_first.map(|(_, offset)| offset)))
}
