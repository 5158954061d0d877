//! What the store answers: statuses, reads from disk, first offsets that depend on the memory or on
//! a time, POP's first offset, retention.

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use super::popper::Popper;
use super::run::Run;
use super::stage::{Stage, OWNER, ZERO_MS};
use super::version::release_of;
use super::Form;
use lockstep_core::broker::pop::init_offset;
use lockstep_core::broker::read::status_by_range;
use lockstep_core::broker::{corrected_min_offset, GetStatus, RECORD_OVERHEAD_BYTES};
use lockstep_core::command::{Command, FromWhere, GroupSetting, MessageSpec};
use lockstep_core::event::PullStatus;
use lockstep_core::fact::Fact;
use lockstep_core::grpc::InitMode;
use lockstep_core::ids::{Ms, RecordId};
use lockstep_core::message::Record;
use lockstep_core::model::{Model, Version};
use serde_json::Value;
use std::rc::Rc;

/// The forms of the offset area that need the whole store; they go before the others.
pub const FORMS: &[Form] = &[
    Form { fits: |c| c.has("request") && c.when.to_lowercase() == "pull", run: pull_status },
    Form { fits: |c| c.says("first pop"), run: first_pop },
    Form { fits: |c| c.says("correctMinOffset") || c.has("minPhy"), run: correct_min },
    Form { fits: |c| c.says("cleaner"), run: clean },
    Form {
        fits: |c| c.says("first offset") && c.peek("where") == Some(&Value::from("TIMESTAMP")),
        run: by_timestamp,
    },
    Form { fits: |c| c.says("new 4.x group starts") && c.has("head_in_memory"), run: new_group },
    Form { fits: |c| c.peek("in_memory") == Some(&Value::from(false)), run: disk_read },
];

/// A response as cases write it.
pub fn response(status: PullStatus) -> String {
    match status.name() {
        (_, 0) => "FOUND(0)".to_owned(),
        (name, code) => format!("{name}({code})"),
    }
}

fn count(value: i64) -> Result<u32, Trouble> {
    u32::try_from(value).map_err(|_| Trouble::Unsupported(format!("a count of {value}")))
}

/// A queue that holds messages up to `max`, and has lost those before `min`.
fn queue_with(
    case: &Case,
    min: i64,
    max: i64,
    change: impl FnOnce(&mut Model),
) -> Result<Run, Trouble> {
    let mut stage = Stage::new(release_of(case)?, 1);
    change(stage.model());
    stage.store(-60_000, 0, 0..count(max)?);
    let mut run = stage.run();
    run.until(-1)?;
    let queue = run.queue(0);
    run.set_min_offset(queue, min);
    Ok(run)
}

/// Which words say that the index still knows messages that are gone.
const GONE: [&str; 5] =
    ["message_gone", "message_removed", "message_deleted", "segment_deleted", "removed"];

/// A pull with any offset: the store's status, where it goes on, what the client is answered.
fn pull_status(case: &Case) -> Outcome {
    let request = case.int("request")?;
    let requested: usize = case.int_or("maxNums", 32)? as usize;
    let unknown = case.get("queue").is_some() || !case.flag_or("queue_exists", true)?;
    let (min, max) =
        if unknown && !case.has("max") { (0, 0) } else { (case.int("min")?, case.int("max")?) };
    let mut gone = false;
    for key in GONE {
        gone |= case.flag_or(key, false)?;
    }
    let range = (!unknown).then_some((min, max));
    let (status, next) = match status_by_range(Version(5, 3, 3), request, range) {
        Some(decided) => decided,
        None => {
            let mut run = queue_with(case, min, max, |model| {
                model.mapped_file_size_commit_log_bytes = 1;
            })?;
            if gone {
                // Every message has a segment of its own; the index is not corrected yet.
                let broker = Rc::make_mut(&mut run.world.brokers[0]);
                while broker.store.delete_oldest_segment().is_some() {}
                broker.store.truncate(RecordId(count(max - 1)?));
            }
            let shared = &run.world.shared;
            let read = run.world.brokers[0].read(shared, run.queue(0), request, requested, &[]);
            (read.store, read.next_offset)
        }
    };
    Ok(Answer::new()
        .with("status", status.name())
        .with("next_begin", next)
        .with("response", response(status.response(request))))
}

/// Where a POP of a new group begins, and what the broker records.
fn first_pop(case: &Case) -> Outcome {
    case.only_if("group_offset", Value::Null)?;
    let init = match case.text("initMode")? {
        "MAX" => InitMode::Max,
        "MIN" => InitMode::Min,
        other => return Trouble::unsupported(format!("init mode `{other}`")),
    };
    let retry = match case.get("topic") {
        Some(Value::String(text)) => text.contains("retry"),
        _ => false,
    };
    let min = case.int_or("min", 0)?;
    let max = case.int_or("max", min)?;
    let hot = case.flag_or("head_in_memory", max > 0)?;
    let model = Model::of(release_of(case)?);
    let start = init_offset(&model, init, retry, (min, max), hot);
    let mut answer = Answer::new().with("start_offset", start);
    if !retry && init == InitMode::Max && max > 0 {
        let run = queue_with(case, min, max, |model| {
            model.offset_zero_in_memory = i64::from(hot);
        })?;
        let mut popper = Popper::new(run, false);
        let first = popper.pop(1)?.first().map(|handle| handle.offset);
        if first != Some(start) {
            return Err(Trouble::Wrong(format!("the first POP gets {first:?}")));
        }
        let chosen = popper.run.facts.iter().find_map(|(_, fact)| match fact {
            Fact::OffsetCommitted { offset, .. } => Some(*offset),
            _ => None,
        });
        answer.set("committed", chosen);
    } else {
        answer.set("committed", start);
    }
    Ok(answer)
}

/// The minimum of a queue after the log lost its beginning.
fn correct_min(case: &Case) -> Outcome {
    let (entries, size) = (case.int("entries")?, case.int("message_size")?);
    let before = case.int_or("previous_min", 0)?;
    let min = corrected_min_offset(entries, size, case.int("minPhy")?).max(before);
    Ok(Answer::new()
        .with("min_offset", min)
        .with("max_offset", entries)
        .with("min", min)
        .with("max", entries))
}

const HOUR_MS: Ms = 3_600_000;

/// Segments of one message each, and runs of the cleaner.
fn clean(case: &Case) -> Outcome {
    let files = case.int(if case.has("files") { "files" } else { "segments" })?;
    let age_h = case.int_or("age_h", 100)?;
    let reserved_h = case.int_or("reserved_h", 72)?;
    let expired = case.int_or("expired", if age_h > reserved_h { files } else { 0 })?;
    let hour = match case.get("hour") {
        Some(Value::String(text)) => text == "deleteWhen",
        None => case.says("deleteWhen") || !case.says("other hour"),
        Some(_) => return Trouble::unsupported("hour"),
    };
    let mut stage = Stage::new(release_of(case)?, 1);
    // The cleaner's day: `age_h` hours after the oldest message it is, or is not, the hour.
    let begin_ms = ZERO_MS;
    let now_ms = begin_ms + age_h * HOUR_MS;
    let model = stage.model();
    model.mapped_file_size_commit_log_bytes = 1;
    model.delete_file_batch_max = case.int_or("batch", model.delete_file_batch_max)?;
    let wanted_h = if hour { model.delete_when_h } else { model.delete_when_h + 6 };
    model.start_time_of_day_ms = wanted_h * HOUR_MS - now_ms;
    // Nothing is deleted before the case's own run.
    model.file_reserved_time_h = age_h + 1;
    let tick_ms = model.clean_resource_interval_ms;
    stage.store(0, 0, 0..count(expired)?);
    stage.store((age_h - 1) * HOUR_MS, 0, count(expired)?..count(files)?);
    let at_ms = age_h * HOUR_MS;
    let (name, value) = ("fileReservedTime".to_owned(), reserved_h);
    stage.at(at_ms - 1, Command::SetConstant { name, value });
    for key in ["disk", "disk_used", "disk_ratio", "disk_used_percent"] {
        if let Some(used) = case.get(key).and_then(Value::as_f64) {
            let percent = if used <= 1.0 { used * 100.0 } else { used };
            let used_percent = percent.round().clamp(0.0, 100.0) as u8;
            stage.at(at_ms - 1, Command::SetDisk { broker: None, used_percent });
        }
    }
    let runs = case.asked_len("files_after_each_run").unwrap_or(1) as i64;
    let mut run = stage.run();
    run.until(at_ms - 1)?;
    let left = |run: &Run| run.world.brokers[0].store.segments().len() as i64;
    if left(&run) != files {
        return Err(Trouble::Wrong(format!("{} segments before the first run", left(&run))));
    }
    let mut after = Vec::new();
    for number in 0..runs {
        run.until(at_ms + number * tick_ms + tick_ms - 1)?;
        after.push(left(&run));
    }
    let last = after.last().copied().unwrap_or(files);
    Ok(Answer::new().with("files_after_each_run", after).with("deleted", files - last))
}

/// A group that begins at a time: on the topic a search, on the retry topic the end.
fn by_timestamp(case: &Case) -> Outcome {
    if case.int("stored")? >= 0 {
        return Trouble::unsupported("a stored offset");
    }
    case.only_if("where", "TIMESTAMP")?;
    let (found, max) = (case.int("search")?, case.int("max")?);
    let mut stage = Stage::new(release_of(case)?, 1);
    stage.model().offset_zero_in_memory = 0;
    let wanted_ms = ZERO_MS - 10_000;
    stage.set(GroupSetting::FromWhere(FromWhere::Timestamp(Some(wanted_ms))));
    stage.store(-60_000, 0, 0..1);
    stage.start(0, OWNER);
    let mut run = stage.run();
    run.until(-1)?;
    let (topic, retry) = (run.queue(0).topic, run.world.shared.names.groups[0].retry_topic);
    let broker = Rc::make_mut(&mut run.world.brokers[0]);
    let Some(sample) = broker.store.at(run_queue(topic), 0).copied() else {
        return Trouble::unsupported("no message");
    };
    for offset in 1..max {
        let store_ms = if offset < found { wanted_ms - 1 } else { wanted_ms };
        broker.store.append(Record { store_ms, ..sample }, 0);
    }
    for _ in 0..max {
        broker.store.append(Record { topic: retry, ..sample }, 0);
    }
    run.until(30_000)?;
    let added = |of| {
        run.facts.iter().find_map(|(_, fact)| match fact {
            Fact::QueueAdded { queue, offset, .. } if queue.topic == of => Some(*offset),
            _ => None,
        })
    };
    Ok(Answer::new().with("normal", added(topic)).with("retry", added(retry)))
}

fn run_queue(topic: lockstep_core::ids::TopicId) -> lockstep_core::ids::MessageQueue {
    let broker = lockstep_core::ids::BrokerId(0);
    lockstep_core::ids::MessageQueue { topic, broker, id: 0 }
}

/// A new classic group on a topic whose first message is, or is not, in memory.
fn new_group(case: &Case) -> Outcome {
    case.only_if("group_offset", Value::Null)?;
    let from = match case.text("where")? {
        "LAST_OFFSET" => FromWhere::Last,
        "FIRST_OFFSET" => FromWhere::First,
        other => return Trouble::unsupported(format!("where `{other}`")),
    };
    let hot = case.flag_or("head_in_memory", true)?;
    let (min, max) = (case.int("min")?, case.int("max")?);
    let mut stage = Stage::new(release_of(case)?, 1);
    stage.model().offset_zero_in_memory = i64::from(hot);
    stage.set(GroupSetting::FromWhere(from));
    stage.store(-60_000, 0, 0..count(max)?);
    stage.start(0, OWNER);
    let mut run = stage.run();
    run.until(-1)?;
    let queue = run.queue(0);
    run.set_min_offset(queue, min);
    run.until(30_000)?;
    let offset = run.facts.iter().find_map(|(_, fact)| match fact {
        Fact::QueueAdded { queue: q, offset, .. } if *q == queue => Some(i64::from(*offset)),
        _ => None,
    });
    Ok(Answer::new().with("start_offset", offset).with("surprise", offset != Some(max)))
}

/// How much one read from disk returns.
fn disk_read(case: &Case) -> Outcome {
    case.only_if("in_memory", false)?;
    let requested: usize = case.number("requested")?;
    let large = case.ints("record_bytes")?;
    let small = if case.has("small_messages") {
        vec![case.int("small_bytes")?; count(case.int("small_messages")?)? as usize]
    } else {
        Vec::new()
    };
    let mut model = Model::of(release_of(case)?);
    model.total_physical_memory_mib = 0;
    let mut returned = Vec::new();
    for sizes in [&large, &small] {
        let mut stage = Stage::new(model.version, 1);
        *stage.model() = model.clone();
        let body = |bytes: &i64| u32::try_from(*bytes).ok()?.checked_sub(RECORD_OVERHEAD_BYTES);
        let bodies: Option<Vec<u32>> = sizes.iter().map(body).collect();
        let Some(bodies) = bodies else { return Trouble::unsupported("record sizes") };
        let specs = (0..).zip(bodies).map(|(number, body_bytes)| MessageSpec {
            body_bytes,
            ..MessageSpec::new("m", number)
        });
        stage.store_specs(-1_000, 0, specs.collect());
        let mut run = stage.run();
        run.until(0)?;
        let shared = &run.world.shared;
        let read = run.world.brokers[0].read(shared, run.queue(0), 0, requested, &[]);
        if !read.messages.is_empty() && read.store != GetStatus::Found {
            return Err(Trouble::Wrong(read.store.name().to_owned()));
        }
        returned.push(read.messages.len());
    }
    let limit = format!(
        "{} bytes, {} messages",
        model.max_transfer_bytes_on_message_in_disk, model.max_transfer_count_on_message_in_disk
    );
    Ok(Answer::new()
        .with("returned", returned[0])
        .with("returned_large", returned[0])
        .with("returned_small", returned[1])
        .with("limit", limit))
}
