//! The pull loop: turns, holds, reads.

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use super::run::Run;
use super::stage::{Script, Stage, OWNER};
use super::version::release_of;
use lockstep_core::broker::RECORD_OVERHEAD_BYTES;
use lockstep_core::command::MessageSpec;
use lockstep_core::event::{ClientTimer, Event, Packet, PullStatus};
use lockstep_core::fact::{Fact, PullPause};
use lockstep_core::ids::{MessageQueue, Ms};
use serde_json::Value;

/// A pull answer as cases write it.
fn code(status: PullStatus) -> &'static str {
    match status {
        PullStatus::Found => "FOUND(0)",
        PullStatus::NotFound => "PULL_NOT_FOUND(19)",
        PullStatus::RetryImmediately => "PULL_RETRY_IMMEDIATELY(20)",
        PullStatus::OffsetMoved => "PULL_OFFSET_MOVED(21)",
        PullStatus::IllegalQueue => "illegal queue id",
        PullStatus::SubscriptionNotExist => "SUBSCRIPTION_NOT_EXIST(24)",
        PullStatus::SubscriptionNotLatest => "SUBSCRIPTION_NOT_LATEST(25)",
    }
}

/// An orderly client finds at its pull turn that the queue is not locked.
pub fn not_locked(case: &Case) -> Outcome {
    case.only_if("locked", false)?;
    let pull_ms = case.int("pull_at")?;
    let mut stage = Stage::new(release_of(case)?, 1);
    stage.start(-30_000, OWNER);
    // Each message ends the hold of a pull and so brings about a turn.
    stage.store(pull_ms, 0, 0..1);
    let mut run = stage.run();
    run.until(-20_000)?;
    let queue = run.queue(0);
    run.steal_lock(queue);
    run.until(pull_ms + 10_000)?;
    let me = run.id(OWNER);
    let turns = run.timers(me, |timer| is_turn(timer, queue));
    let turns: Vec<Ms> = turns.into_iter().filter(|at_ms| *at_ms >= pull_ms).collect();
    if turns.first() != Some(&pull_ms) || run.first_pull(pull_ms, me, queue).is_some() {
        return Err(Trouble::Wrong(format!("turns at {turns:?}")));
    }
    Ok(Answer::new().with("next_turn_ms", turns.get(1).copied()).with("turns_ms", turns))
}

/// A client whose listener does not return has so many messages cached: does it pull on?
pub fn flow_control(case: &Case) -> Outcome {
    let key = ["cached", "cached_count", "cached_messages", "msg_count"]
        .into_iter()
        .find(|key| case.has(key));
    let Some(key) = key else { return Trouble::unsupported("how many are cached") };
    let several = case.value(key)?.is_array();
    let counts = if several { case.ints(key)? } else { vec![case.int(key)?] };
    let (mut pulls, mut waits, mut most) = (Vec::new(), Vec::new(), 0);
    for count in counts {
        let count =
            u32::try_from(count).map_err(|_| Trouble::Unsupported("a count below 0".to_owned()))?;
        let mut stage = Stage::new(release_of(case)?, 1);
        let limit = stage.model().pull_threshold_for_queue;
        case.must_be("threshold", limit)?;
        case.must_be("pullThresholdForQueue", limit)?;
        stage.script(Script { handle_ms: Some(3_600_000), ..Script::default() });
        stage.store(-60_000, 0, 0..count);
        stage.start(-30_000, OWNER);
        let mut run = stage.run();
        run.until(0)?;
        let (me, queue) = (run.id(OWNER), run.queue(0));
        let cached = run
            .client(me)
            .and_then(|client| client.process_queue(queue))
            .map_or(0, |entry| entry.count());
        if cached != count as usize {
            return Trouble::unsupported(format!("the cache holds {cached} of {count}"));
        }
        most = most.max(cached);
        let postponed = run
            .any(|fact| matches!(fact, Fact::PullPostponed { reason: PullPause::CachedCount, .. }));
        let turns = run.timers(me, |timer| is_turn(timer, queue));
        let last = turns.windows(2).last().map(|pair| pair[1] - pair[0]);
        pulls.push(!postponed);
        waits.push(last.filter(|_| postponed));
    }
    let mut answer = Answer::new();
    for (keys, list) in [
        (["pulls", "pull", "pulls_on", "pull_sent"], Value::from(pulls)),
        (
            ["next_turn_ms", "again_after_ms", "next_turn_after_ms", "retry_after_ms"],
            Value::from(waits),
        ),
    ] {
        for key in keys {
            match list.as_array().map(Vec::as_slice) {
                Some([one]) if !several => answer.set(key, one.clone()),
                _ => answer.set(key, list.clone()),
            }
        }
    }
    Ok(answer)
}

/// A pull that carries an offset is evaluated when it arrives, held, and evaluated again.
pub fn attached_offset(case: &Case) -> Outcome {
    let attached = case.int("attached_offset")?;
    case.only_if("evaluations", serde_json::json!(["first", "after wake-up"]))?;
    let count = u32::try_from(attached).unwrap_or(0);
    let mut stage = Stage::new(release_of(case)?, 1);
    stage.store(-60_000, 0, 0..count);
    stage.start(-30_000, OWNER);
    let carries = |event: &Event| matches!(event, Event::Arrival { packet: Packet::Pull { commit, .. }, .. } if *commit == attached);
    let found = stage.again().run().until_before(0, carries)?;
    let Some(arrives_ms) = found else {
        return Err(Trouble::Wrong("no pull carries the offset".to_owned()));
    };
    stage.store(arrives_ms + 1, 0, count..count + 1);
    let mut run = stage.run();
    run.until_before(0, carries)?;
    let queue = run.queue(0);
    // The broker holds something else each time, so that storing the attached offset shows.
    let other = attached + 100;
    let mut stored = Vec::new();
    run.set_offset(queue, other);
    run.until(arrives_ms)?;
    stored.push(run.offset(queue) == Some(attached));
    run.set_offset(queue, other);
    let pulled =
        run.until_fact(arrives_ms + 1, |fact| matches!(fact, Fact::MessagesPulled { .. }))?;
    if pulled.is_none() {
        return Err(Trouble::Wrong("the held pull is not woken".to_owned()));
    }
    stored.push(run.offset(queue) == Some(attached));
    Ok(Answer::new().with("stored", stored))
}

/// An empty pull is held: what answers it, and when?
pub fn held(case: &Case) -> Outcome {
    let hold_ms = case.int("hold_start")?;
    let version = release_of(case)?;
    let mut stage = Stage::new(version, 1);
    let model = stage.model().clone();
    case.must_be("suspend", model.broker_suspend_max_time_ms)?;
    if case.has("ticks") {
        case.must_be("ticks", format!("{} k", model.pull_hold_check_ms))?;
    }
    let matches = ["tag_matches", "matching", "filter_matches", "tag_match"]
        .into_iter()
        .find(|key| case.has(key))
        .map_or(Ok(true), |key| case.flag_or(key, true))?;
    if !matches {
        stage = Stage::tagged(version, 1, "wanted");
    }
    stage.start(hold_ms - model.rebalance_min_interval_ms - model.first_pull_delay_ms, OWNER);
    let arrives = match case.get("message_arrives") {
        None | Some(Value::Null) => None,
        Some(_) => Some(case.int("message_arrives")?),
    };
    if let Some(at_ms) = arrives {
        let tag = if matches { None } else { Some("other".to_owned()) };
        stage.store_specs(at_ms, 0, vec![MessageSpec { tag, ..MessageSpec::new("m", 0) }]);
    }
    let mut run = stage.run();
    run.until(hold_ms + 60_000)?;
    let queue = run.queue(0);
    let held =
        run.first(hold_ms, |fact| matches!(fact, Fact::PullHeld { queue: q, .. } if *q == queue));
    if held != Some(hold_ms) {
        return Err(Trouble::Wrong(format!("the pull is held from {held:?}")));
    }
    let answers: Vec<(Ms, PullStatus)> = run
        .events
        .iter()
        .filter_map(|(at_ms, event)| match event {
            Event::Arrival { packet: Packet::Pulled { queue: q, status, .. }, .. }
                if *q == queue =>
            {
                Some((*at_ms, *status))
            }
            _ => None,
        })
        .filter(|(at_ms, _)| *at_ms >= hold_ms)
        .collect();
    let first = answers.first().copied();
    let mut answer = Answer::new().with("answer_ms", first.map(|(at_ms, _)| at_ms));
    for key in ["code", "response"] {
        answer.set(key, first.map(|(_, status)| code(status)));
    }
    for key in case.asked() {
        if let Some(Ok(at_ms)) = key.strip_prefix("not_at_").map(str::parse::<Ms>) {
            answer.set(key, answers.iter().all(|(at, _)| *at != at_ms));
        }
    }
    Ok(answer)
}

/// A queue that holds these messages, and nobody who reads it.
fn stored(case: &Case, messages: Vec<MessageSpec>, tag: Option<&str>) -> Result<Run, Trouble> {
    let version = release_of(case)?;
    let mut stage = match tag {
        Some(tag) => Stage::tagged(version, 1, tag),
        None => Stage::new(version, 1),
    };
    stage.store_specs(-1_000, 0, messages);
    let mut run = stage.run();
    run.until(0)?;
    Ok(run)
}

/// How much one read returns.
pub fn one_read(case: &Case) -> Outcome {
    if !case.flag_or("in_memory", true)? {
        return Err(Trouble::Pending("reads from disk"));
    }
    let body = |bytes: i64| {
        u32::try_from(bytes).ok().and_then(|bytes| bytes.checked_sub(RECORD_OVERHEAD_BYTES))
    };
    let sizes: Option<Vec<u32>> = case.ints("record_bytes")?.into_iter().map(body).collect();
    let Some(sizes) = sizes else { return Trouble::unsupported("record sizes") };
    let specs = (0..)
        .zip(sizes)
        .map(|(number, body_bytes)| MessageSpec { body_bytes, ..MessageSpec::new("m", number) });
    let run = stored(case, specs.collect(), None)?;
    let read = run.world.brokers[0].read(
        &run.world.shared,
        run.queue(0),
        0,
        case.number("requested")?,
        &[],
    );
    let model = &run.world.shared.model;
    let (bytes, count) = (
        model.max_transfer_bytes_on_message_in_memory,
        model.max_transfer_count_on_message_in_memory,
    );
    Ok(Answer::new()
        .with("returned", read.messages.len())
        .with("next_begin", read.next_offset)
        .with("limit", format!("{bytes} bytes, {count} messages")))
}

/// A read whose filter matches nothing.
pub fn filtered_read(case: &Case) -> Outcome {
    case.only_if("matching", "none")?;
    let count: u32 = case.number("max")?;
    let specs = (0..count).map(|number| MessageSpec {
        tag: Some("other".to_owned()),
        ..MessageSpec::new("m", number)
    });
    let run = stored(case, specs.collect(), Some("wanted"))?;
    let shared = &run.world.shared;
    let wanted: Vec<u16> = shared
        .names
        .groups
        .first()
        .map_or_else(Vec::new, |group| group.subscriptions[0].tags.clone());
    let read = run.world.brokers[0].read(
        shared,
        run.queue(0),
        case.int("request")?,
        case.number("requested")?,
        &wanted,
    );
    let status = match read.status {
        PullStatus::RetryImmediately if read.messages.is_empty() => "NO_MATCHED_MESSAGE",
        PullStatus::Found => "FOUND",
        _ => "OTHER",
    };
    Ok(Answer::new()
        .with("status", status)
        .with("next_begin", read.next_offset)
        .with("response", code(read.status)))
}

/// Whether a timer gives the pull request of a queue its turn.
fn is_turn(timer: &ClientTimer, queue: MessageQueue) -> bool {
    match timer {
        ClientTimer::Pull { queue: of, .. } | ClientTimer::PullLater { queue: of, .. } => {
            *of == queue
        }
        _ => false,
    }
}
