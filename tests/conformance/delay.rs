//! Delay levels and arbitrary-time messages, as far as they need no run.

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use super::version::release_of;
use super::{delay_run, Form};
use lockstep_core::delay::{
    batch_refuses, correct_delay_offset, due_prefix, level_to_queue, proxy_accepts_delivery_time,
    queue_to_level, recheck_at, timer_delivery_ms, timer_slot_ms, DelayTable, DelayTableError,
    Timing, ILLEGAL_DELIVERY_TIME, MESSAGE_ILLEGAL,
};
use lockstep_core::model::{Model, Version};
use serde_json::{Map, Value};

/// The forms of this area.
pub const FORMS: &[Form] = &[
    Form { fits: |c| c.says("parse") && c.has("config"), run: parse },
    Form { fits: |c| c.when == "queueId2DelayLevel", run: level_of_queue },
    Form { fits: |c| c.says("computeDeliverTimestamp"), run: deliver_timestamp },
    Form { fits: |c| c.says("correctDelayOffset"), run: corrected_cursors },
    Form { fits: |c| c.has("tagsCode_deliver_ts"), run: corrected_due },
    Form { fits: |c| c.has("level_queue"), run: head_of_level },
    Form { fits: |c| c.when == "put" && c.has("topic"), run: delay_run::put_into_schedule_topic },
    Form { fits: |c| c.when == "put" && c.has("level"), run: put_level },
    Form { fits: |c| c.says("timer slot"), run: timer_slot },
    Form { fits: |c| c.has("props") && c.asks("used"), run: which_wins },
    Form { fits: |c| c.when.starts_with("put timer message"), run: put_timer },
    Form { fits: |c| c.says("gRPC delay message"), run: proxy_limit },
    Form { fits: |c| c.says("map interval to level"), run: interval_to_level },
    Form { fits: |c| c.has("first_seen_at"), run: delay_run::next_task },
    Form { fits: |c| c.has("broker_start"), run: delay_run::delivery_time },
    Form { fits: |c| c.says("then wait"), run: delay_run::waits },
    Form { fits: |c| c.has("props") && c.asks("after_due"), run: delay_run::keyed },
    Form { fits: |c| c.has("table_after_restart"), run: delay_run::fewer_levels },
    Form { fits: |c| c.says("batch"), run: batch },
    Form { fits: |c| c.says("put fails") || c.says("append fails"), run: failed_put },
];

fn newest() -> Model {
    Model::of(Version(5, 3, 3))
}

fn table_of(case: &Case) -> Result<DelayTable, Trouble> {
    if !case.has("config") {
        return Ok(DelayTable::default());
    }
    DelayTable::parse(case.text("config")?)
        .map_err(|_| Trouble::Unsupported("a bad table".to_owned()))
}

fn parse(case: &Case) -> Outcome {
    let result = match case.text("config")? {
        "default" => Ok(DelayTable::default()),
        config => DelayTable::parse(config),
    };
    let ok = result.is_ok();
    let table = result.unwrap_or_else(|DelayTableError { parsed, .. }| parsed);
    let mut by_level = Map::new();
    for (level, &delay_ms) in (1..).zip(table.delays_ms()) {
        by_level.insert(format!("{level}"), delay_ms.into());
    }
    let mut answer = Answer::new().with("ok", ok).with("max_level", table.max_level());
    for key in case.asked() {
        let level = key.strip_prefix("level").and_then(|rest| rest.strip_suffix("_ms"));
        if let Some(Ok(level)) = level.map(str::parse) {
            answer.set(key, table.delay_ms(level));
        }
    }
    if !ok {
        answer.set("broker_start", "fails (exit -3)");
    }
    let seconds: Vec<i64> = table.delays_ms().iter().map(|ms| ms / 1_000).collect();
    Ok(answer
        .with("levels_seconds", seconds)
        .with("count", table.delays_ms().len())
        .with("table_ms", by_level))
}

fn level_of_queue(case: &Case) -> Outcome {
    Ok(Answer::new().with("level", queue_to_level(case.number("queue_id")?)))
}

fn deliver_timestamp(case: &Case) -> Outcome {
    let table = table_of(case)?;
    Ok(Answer::new()
        .with("deliver_ts", table.deliver_timestamp(case.number("level")?, case.int("store_ts")?)))
}

/// Loads cursors into level queues whose bounds are given (the lower one is 0 unless it is given).
fn corrected_cursors(case: &Case) -> Outcome {
    let (min, max) = (case.int_or("schedule_cq_min", 0)?, case.int("schedule_cq_max")?);
    if case.has("persisted_delay_offsets") {
        let mut offsets = Map::new();
        for (level, offset) in case.object("persisted_delay_offsets")? {
            let Some(offset) = offset.as_i64() else { return Trouble::unsupported("offsets") };
            offsets.insert(level.clone(), correct_delay_offset(offset, min, max).into());
        }
        return Ok(Answer::new().with("offsets", offsets));
    }
    if !case.flag_or("random_offsets", false)? {
        return Trouble::unsupported("no cursors given");
    }
    let all: Vec<i64> = [-7, 0, 1, 5, 99, i64::from(u32::MAX)]
        .map(|offset| correct_delay_offset(offset, min, max))
        .to_vec();
    match all.iter().all(|offset| *offset == all[0]) {
        true => Ok(Answer::new().with("offsets_all", all[0])),
        false => Ok(Answer::new().with("offsets_all", all)),
    }
}

fn corrected_due(case: &Case) -> Outcome {
    let table = table_of(case)?;
    let (level, now_ms) = (case.number("level")?, case.int("now")?);
    let recorded = case.int("tagsCode_deliver_ts")?;
    let (delivered, next_due) = due_prefix(&table, level, &[recorded], now_ms);
    let mut answer = Answer::new().with("delivered", delivered == 1);
    match next_due {
        None => {
            answer.set("delivered_at", table.corrected_due(recorded, now_ms, level).min(now_ms))
        }
        Some(due) => answer.set("recheck_after_ms", recheck_at(&newest(), now_ms, due) - now_ms),
    }
    Ok(answer)
}

fn head_of_level(case: &Case) -> Outcome {
    let mut entries = Vec::new();
    for entry in case.list("level_queue")? {
        let field = |key: &str| entry.get(key).and_then(Value::as_i64);
        match (field("offset"), field("deliver_ts")) {
            (Some(offset), Some(due)) => entries.push((offset, due)),
            _ => return Trouble::unsupported("entry of the level queue"),
        }
    }
    let delay_ms = case.int("level_delay_ms")?;
    let table = DelayTable::default();
    let level = (1..=table.max_level()).find(|&level| table.delay_ms(level) == Some(delay_ms));
    let Some(level) = level else { return Trouble::unsupported("no level has this delay") };
    let dues: Vec<i64> = entries.iter().map(|entry| entry.1).collect();
    let (count, _) = due_prefix(&table, level, &dues, case.int("now")?);
    let delivered: Vec<i64> = entries[..count].iter().map(|entry| entry.0).collect();
    let cursor =
        entries.get(count).map_or_else(|| entries.last().map_or(0, |entry| entry.0 + 1), |e| e.0);
    Ok(Answer::new().with("delivered", delivered).with("offset_persisted", cursor))
}

fn put_level(case: &Case) -> Outcome {
    let table = table_of(case)?;
    case.must_be("max_level", table.max_level())?;
    let Some(level) = table.clamp(case.number("level")?) else {
        return Ok(Answer::new().with("delayed", false));
    };
    Ok(Answer::new()
        .with("delayed", true)
        .with("level_used", level)
        .with("clamped_level", level)
        .with("schedule_queue", level_to_queue(level))
        .with("delay_ms", table.delay_ms(level)))
}

fn timer_slot(case: &Case) -> Outcome {
    let (deliver_ms, precision_ms) = (case.int("deliver_ms")?, case.int("precision_ms")?);
    Ok(Answer::new()
        .with("slot_ms", timer_slot_ms(deliver_ms, precision_ms))
        .with("earliest_delivery_ms", timer_delivery_ms(deliver_ms, precision_ms)))
}

fn timing_of(model: &Model, now_ms: i64, props: &Map<String, Value>) -> Timing {
    Timing::of(model, now_ms, |name| props.get(name).and_then(Value::as_str))
}

fn which_wins(case: &Case) -> Outcome {
    let props = case.object("props")?;
    let timing = timing_of(&newest(), case.int_or("now", 0)?, props);
    let used = match timing {
        Timing::Level(level) => format!("delay level {level}"),
        Timing::Wheel { deliver_ms, .. } => format!("deliver at {deliver_ms}"),
        Timing::Immediate => "nothing".to_owned(),
        Timing::Illegal => "refused".to_owned(),
    };
    let mut answer = Answer::new().with("used", used);
    for name in props.keys().filter(|name| name.starts_with("TIMER_")) {
        answer.set(&format!("{name}_removed"), matches!(timing, Timing::Level(_)));
    }
    Ok(answer)
}

fn put_timer(case: &Case) -> Outcome {
    let mut model = newest();
    if case.has("timerMaxDelaySec") {
        model.timer_max_delay_ms = case.int("timerMaxDelaySec")? * 1_000;
    }
    let mut props = Map::new();
    for name in ["TIMER_DELAY_SEC", "TIMER_DELAY_MS", "TIMER_DELIVER_MS"] {
        if case.has(name) {
            props.insert(name.to_owned(), case.int(name)?.to_string().into());
        }
    }
    let now_ms = case.int("now")?;
    Ok(match timing_of(&model, now_ms, &props) {
        Timing::Illegal => Answer::new()
            .with("status", "WHEEL_TIMER_MSG_ILLEGAL")
            .with("remoting_code", MESSAGE_ILLEGAL)
            .with("accepted", false),
        Timing::Wheel { deliver_ms, slot_ms } => Answer::new()
            .with("status", "PUT_OK")
            .with("accepted", true)
            .with("slot_ms", slot_ms)
            .with("earliest_delivery_ms", timer_delivery_ms(deliver_ms, model.timer_precision_ms)),
        _ => Answer::new().with("status", "PUT_OK").with("accepted", true).with("immediate", true),
    })
}

fn proxy_limit(case: &Case) -> Outcome {
    let (now_ms, deliver_ms) = (case.int("now")?, case.int("deliveryTimestamp")?);
    if proxy_accepts_delivery_time(now_ms, deliver_ms, case.int("maxDelayTimeMills")?) {
        return Ok(Answer::new().with("accepted", true));
    }
    Ok(Answer::new()
        .with("accepted", false)
        .with("grpc_code", "ILLEGAL_DELIVERY_TIME")
        .with("grpc_number", ILLEGAL_DELIVERY_TIME))
}

fn interval_to_level(case: &Case) -> Outcome {
    let table = table_of(case)?;
    let levels: Vec<i32> = case
        .ints("intervals_ms")?
        .iter()
        .map(|&interval| table.compute_delay_level(interval))
        .collect();
    Ok(Answer::new().with("levels", levels))
}

/// A client builds a batch of messages with these delay levels.
fn batch(case: &Case) -> Outcome {
    let levels: Vec<i64> = if case.has("levels") {
        case.ints("levels")?
    } else if case.has("delay_level") {
        vec![case.int("delay_level")?]
    } else if case.has("delayLevel") {
        vec![case.int("delayLevel")?]
    } else {
        vec![case.int("level")?]
    };
    let refusal =
        levels.iter().find_map(|&level| batch_refuses(i32::try_from(level).unwrap_or(i32::MAX)));
    let mut answer = Answer::new().with("accepted", refusal.is_none());
    if let Some(text) = refusal {
        answer = answer.beginning("error", "UnsupportedOperationException");
        // A 4.x broker that gets one all the same refuses it.
        answer.set("code", format!("MESSAGE_ILLEGAL({MESSAGE_ILLEGAL})"));
        answer.set("remoting_code", MESSAGE_ILLEGAL);
        answer.set("message", text);
    }
    Ok(answer)
}

fn failed_put(case: &Case) -> Outcome {
    let model = Model::of(release_of(case)?);
    let wait_ms = lockstep_core::delay::failed_put_wait_ms(&model);
    for key in ["put", "append", "level"] {
        let _ = case.get(key);
    }
    let mut answer = Answer::new();
    for key in ["retry_after_ms", "recheck_after_ms", "again_after_ms", "next_try_after_ms"] {
        answer.set(key, wait_ms);
    }
    Ok(answer)
}
