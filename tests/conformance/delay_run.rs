//! Delayed messages in a run of the broker.

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use super::run::Run;
use super::stage::{Stage, TOPIC, ZERO_MS};
use super::version::release_of;
use lockstep_core::command::{Command, MessageSpec, Selector, SendMode};
use lockstep_core::delay::{level_to_queue, DEFAULT_DELAY_LEVELS};
use lockstep_core::fact::{Fact, StoredKind};
use lockstep_core::ids::Ms;
use lockstep_core::routing::{java_hash, select_by_hash};
use serde_json::Value;

fn delayed(level: u8) -> Vec<MessageSpec> {
    vec![MessageSpec { delay_level: level, ..MessageSpec::new("m", 0) }]
}

/// Level and due time under which the first message was put aside.
fn scheduled(run: &Run) -> Option<(u8, Ms)> {
    run.facts.iter().find_map(|(_, fact)| match fact {
        Fact::MessageScheduled { level, due_ms, .. } => Some((*level, *due_ms - ZERO_MS)),
        _ => None,
    })
}

fn put_back(run: &Run) -> Option<Ms> {
    run.first(Ms::MIN, |fact| matches!(fact, Fact::MessageStored { kind: StoredKind::PutBack, .. }))
}

fn levels(table: &str) -> Command {
    Command::SetDelayLevels { table: table.to_owned() }
}

/// A delayed message is stored; later it is looked for in its own queue.
pub fn waits(case: &Case) -> Outcome {
    let Some(&seconds) = case.numbers_said().first() else {
        return Trouble::unsupported("how long");
    };
    let mut stage = Stage::new(release_of(case)?, 1);
    if case.has("config") {
        stage.at(-ZERO_MS, levels(case.text("config")?));
    }
    stage.store_specs(0, 0, delayed(case.number("level")?));
    let mut run = stage.run();
    run.until(0)?;
    let look = |run: &Run| match run.world.brokers[0].store.range(run.queue(0)) {
        (_, 0) => "NO_MESSAGE_IN_QUEUE",
        _ => "FOUND",
    };
    let before = look(&run);
    run.until(seconds * 1_000)?;
    let (level, due_ms) = scheduled(&run).unwrap_or_default();
    Ok(Answer::new()
        .with("clamped_level", level)
        .with("schedule_queue", level_to_queue(i32::from(level)))
        .with("delay_ms", due_ms)
        .with("before", before)
        .with("after", look(&run)))
}

/// A broker that started at a given instant stores a delayed message.
pub fn delivery_time(case: &Case) -> Outcome {
    let (start_ms, stored_ms) = (case.int("broker_start")?, case.int("store_ts")?);
    let mut stage = Stage::new(release_of(case)?, 1);
    stage.restart_broker(start_ms - 1, start_ms);
    stage.store_specs(stored_ms, 0, delayed(case.number("level")?));
    let mut run = stage.run();
    run.until(stored_ms + 8_000_000)?;
    let at_ms = put_back(&run);
    Ok(Answer::new()
        .with("deliver_ts", scheduled(&run).map(|(_, due_ms)| due_ms))
        .with("put_into_real_queue_at", at_ms)
        .with("delivered_at", at_ms))
}

/// The task of a level looks at a head that is not due yet at `first_seen_at`; when does it run again
/// with something to do? The grid of its runs is moved so that one falls on that instant.
pub fn next_task(case: &Case) -> Outcome {
    let (stored_ms, seen_ms) = (case.int("store_ts")?, case.int("first_seen_at")?);
    let mut stage = Stage::new(release_of(case)?, 1);
    let model = stage.model();
    let period_ms = model.delay_for_a_while_ms.max(1);
    model.delay_first_delay_ms = period_ms * 10 + seen_ms.rem_euclid(period_ms);
    stage.store_specs(stored_ms, 0, delayed(case.number("level")?));
    let mut run = stage.run();
    run.until(stored_ms + 8_000_000)?;
    Ok(Answer::new().with("next_task_scheduled_for", put_back(&run)))
}

/// A message with a sharding key and a delay level, sent straight to the broker.
pub fn keyed(case: &Case) -> Outcome {
    let props = case.object("props")?;
    let text = |name: &str| props.get(name).and_then(Value::as_str).unwrap_or_default();
    let (key, Ok(level)) = (text("__SHARDINGKEY"), text("DELAY").parse::<u8>()) else {
        return Trouble::unsupported("props");
    };
    let queues: u16 = 4;
    let mut stage = Stage::new(release_of(case)?, queues);
    stage.at(-1, Command::NameMessageGroup { series: "m".to_owned(), key: Some(key.to_owned()) });
    stage.at(
        -1,
        Command::CreateProducer {
            name: "p".to_owned(),
            topic: Some(TOPIC.to_owned()),
            selector: Selector::Hash,
            mode: SendMode::Sync,
            threads: 1,
        },
    );
    let (thread, every_ms) = (0, 0);
    stage.at(
        0,
        Command::Send {
            producer: "p".to_owned(),
            topic: None,
            thread,
            messages: delayed(level),
            every_ms,
        },
    );
    let mut run = stage.run();
    run.until(8_000_000)?;
    let accepted = run.any(|fact| matches!(fact, Fact::SendCompleted { .. }));
    let due_ms = scheduled(&run).map(|(_, due_ms)| due_ms);
    let original = run.queue(select_by_hash(java_hash(key), u32::from(queues)) as u16);
    let back = run.first(Ms::MIN, |fact| {
        matches!(fact, Fact::MessageStored { queue, kind: StoredKind::PutBack, .. } if *queue == original)
    });
    let text = if back.is_some() && back == due_ms {
        "appended to the original queue at due time"
    } else {
        "appended elsewhere or at another time"
    };
    Ok(Answer::new().with("accepted", accepted).with("after_due", text))
}

/// Messages wait under levels that the table does not have after the next start.
pub fn fewer_levels(case: &Case) -> Outcome {
    let mut stage = Stage::new(release_of(case)?, 1);
    let mut pending = Vec::new();
    for (level, count) in case.object("pending")? {
        let (Ok(level), Some(count)) = (level.parse::<u8>(), count.as_u64()) else {
            return Trouble::unsupported("pending");
        };
        for _ in 0..count {
            stage.store_specs(0, 0, delayed(level));
        }
        pending.push((level, count as usize));
    }
    let hour_ms = 3_600_000;
    stage.at(100, levels(case.text("table_after_restart")?));
    stage
        .at(101, Command::StopBroker { broker: None, how: lockstep_core::fact::BrokerStop::Clean });
    stage.at(102, Command::StartBroker { broker: None });
    stage.at(10 * hour_ms, levels(DEFAULT_DELAY_LEVELS));
    stage.at(
        10 * hour_ms + 1,
        Command::StopBroker { broker: None, how: lockstep_core::fact::BrokerStop::Clean },
    );
    stage.at(10 * hour_ms + 2, Command::StartBroker { broker: None });
    let mut run = stage.run();
    run.until(10 * hour_ms)?;
    let delivered = |run: &Run, wanted: u8| {
        run.all(|fact| matches!(fact, Fact::MessagePutBack { level, .. } if *level == wanted)).len()
    };
    let early: Vec<usize> = pending.iter().map(|(level, _)| delivered(&run, *level)).collect();
    run.until(20 * hour_ms)?;
    let mut answer = Answer::new();
    let mut restored = true;
    for ((level, count), early) in pending.iter().zip(early) {
        answer.set(&format!("level_{level}_message_delivered"), early == *count);
        restored &= delivered(&run, *level) == *count;
    }
    Ok(answer.with("delivered_after_restoring_levels", restored))
}

/// Where a delayed message is put: topic, queue, and what it remembers.
pub fn put_into_schedule_topic(case: &Case) -> Outcome {
    let level: u8 = case.number("level")?;
    let queue: u16 = match ["queue", "queue_id"].into_iter().find(|key| case.has(key)) {
        Some(key) => case.number(key)?,
        None => 0,
    };
    let name = case.text("topic")?;
    let at_ms = case.int_or("store_ts", 0)?;
    let mut stage = Stage::new(release_of(case)?, queue + 1);
    stage.store_specs(at_ms, queue, delayed(level));
    let mut run = stage.run();
    run.until(at_ms)?;
    let names = &run.world.shared.names;
    let Some((level, due_ms)) = scheduled(&run) else {
        return Ok(Answer::new().with("delayed", false));
    };
    let broker = &run.world.brokers[0];
    let Some((record, tags_code)) = broker.waiting_under(level).next() else {
        return Err(Trouble::Wrong("nothing waits under the level".to_owned()));
    };
    let real = match names.topics[record.real.0.index()].name.as_str() {
        TOPIC => name,
        other => other,
    };
    Ok(Answer::new()
        .with("delayed", true)
        .with("level_used", level)
        .with("topic", names.topics[record.topic.index()].name.clone())
        .with("schedule_topic", names.topics[record.topic.index()].name.clone())
        .with("queue", record.queue)
        .with("schedule_queue", record.queue)
        .with("REAL_TOPIC", real)
        .with("REAL_QID", record.real.1.to_string())
        .with("tags_code", tags_code - ZERO_MS)
        .with("tagsCode", tags_code - ZERO_MS)
        .with("deliver_ts", due_ms))
}
