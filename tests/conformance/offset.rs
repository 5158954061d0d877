//! Cases about offsets that the run of a classic client decides. Those about the store's own
//! answers, about POP and about timestamps come later.

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use super::run::Run;
use super::stage::{Stage, OWNER};
use super::version::release_of;
use super::{pull, start, takeover, Form};
use lockstep_core::command::{FromWhere, GroupSetting};
use lockstep_core::fact::Fact;
use lockstep_core::ids::GroupId;
use lockstep_core::model::Model;
use serde_json::Value;

/// The forms of the offset area that are supported now.
pub const FORMS: &[Form] = &[
    Form { fits: |c| c.says("first delivery") && c.has("where"), run: start::corrected },
    Form {
        fits: |c| c.says("first offset") && c.has("message_stored_ms"),
        run: start::start_offset,
    },
    Form { fits: |c| c.says("first offset") && c.has("stored"), run: client_start },
    Form { fits: |c| c.says("new 4.x group starts"), run: new_group },
    Form { fits: |c| c.says("query offset for a new group"), run: query },
    Form { fits: |c| c.has("hold_start") && !c.has("reset_at"), run: pull::held },
    Form { fits: |c| c.has("record_bytes"), run: pull::one_read },
    Form { fits: |c| c.says("filtered read"), run: pull::filtered_read },
    Form { fits: |c| c.says("flow control"), run: pull::flow_control },
];

/// The forms of the lifecycle area that are supported now.
pub const LIFE_FORMS: &[Form] = &[
    Form { fits: |c| c.when == "message state in store", run: stays_stored },
    Form { fits: |c| c.has("consumed_offsets"), run: committed },
    Form { fits: takeover::is_restart, run: takeover::restart },
];

/// A queue with this range, before which a consumer starts.
struct Start {
    min: i64,
    max: i64,
    stored: Option<i64>,
    from: FromWhere,
}

impl Start {
    /// The run up to 30 s after the start of the consumer.
    fn run(&self, case: &Case) -> Result<Run, Trouble> {
        let mut stage = Stage::new(release_of(case)?, 1);
        stage.set(GroupSetting::FromWhere(self.from));
        let max = u32::try_from(self.max).map_err(|_| Trouble::Unsupported("max".to_owned()))?;
        stage.store(-60_000, 0, 0..max);
        stage.start(0, OWNER);
        let mut run = stage.run();
        run.until(-1)?;
        let queue = run.queue(0);
        run.set_min_offset(queue, self.min);
        if let Some(offset) = self.stored {
            run.set_offset(queue, offset);
        }
        run.until(30_000)?;
        Ok(run)
    }
}

/// The offset at which a consumer took a queue in: of the topic, or of the retry topic.
fn added(run: &Run, retry: bool) -> Option<u32> {
    let topic = run.queue(0).topic;
    run.facts.iter().find_map(|(_, fact)| match fact {
        Fact::QueueAdded { queue, offset, .. } if (queue.topic == topic) != retry => Some(*offset),
        _ => None,
    })
}

fn from_where(case: &Case) -> Result<FromWhere, Trouble> {
    match case.text("where")? {
        "LAST_OFFSET" => Ok(FromWhere::Last),
        "FIRST_OFFSET" => Ok(FromWhere::First),
        "TIMESTAMP" => Err(Trouble::Pending("consume from a timestamp")),
        other => Trouble::unsupported(format!("where `{other}`")),
    }
}

/// What the client begins with when the broker has, or has not, an offset for it. The queue has lost
/// its first message, so that the broker's own rule for young queues does not apply.
fn client_start(case: &Case) -> Outcome {
    let stored = Some(case.int("stored")?).filter(|offset| *offset >= 0);
    let max = case.int_or("max", 20)?;
    let ways = if case.has("where") {
        vec![from_where(case)?]
    } else {
        vec![FromWhere::Last, FromWhere::First]
    };
    let mut answers = Vec::new();
    for from in ways {
        let run = Start { min: 1, max, stored, from }.run(case)?;
        answers.push((added(&run, false), added(&run, true)));
    }
    answers.dedup();
    match answers[..] {
        [(normal, retry)] => {
            Ok(Answer::new().with("normal", normal).with("retry", retry).with("offset", normal))
        }
        _ => Err(Trouble::Wrong(format!("it depends on where: {answers:?}"))),
    }
}

/// A new group on a young or an old topic.
fn new_group(case: &Case) -> Outcome {
    case.only_if("group_offset", Value::Null)?;
    if !case.flag_or("head_in_memory", true)? {
        return Err(Trouble::Pending("reads from disk"));
    }
    let max = case.int("max")?;
    let start = Start { min: case.int("min")?, max, stored: None, from: from_where(case)? };
    let run = start.run(case)?;
    let offset = added(&run, false).map(i64::from);
    Ok(Answer::new().with("start_offset", offset).with("surprise", offset != Some(max)))
}

/// What the broker answers to a group that it does not know.
fn query(case: &Case) -> Outcome {
    case.only_if("group_offset", Value::Null)?;
    let (min, max) = (case.int("min")?, case.int("max")?);
    case.must_be("empty_queue", min == max)?;
    let ask = |model: Model| -> Result<Option<i64>, Trouble> {
        let mut stage = Stage::new(model.version, 1);
        *stage.model() = model;
        let count = u32::try_from(max).map_err(|_| Trouble::Unsupported("max".to_owned()))?;
        stage.store(-60_000, 0, 0..count);
        let mut run = stage.run();
        run.until(0)?;
        let queue = run.queue(0);
        run.set_min_offset(queue, min);
        Ok(run.world.brokers[0].query_offset(&run.world.shared, GroupId(0), queue))
    };
    let code = |offset: Option<i64>| match offset {
        Some(_) => "SUCCESS(0)",
        None => "QUERY_NOT_FOUND(22)",
    };
    let offset = ask(Model::of(release_of(case)?))?;
    let mut answer = Answer::new().with("returned_offset", offset).with("code", code(offset));
    for key in case.asked() {
        let version = key.strip_prefix("in_").and_then(|rest| rest.strip_suffix("_and_later"));
        if let Some(version) = version.and_then(super::version::parse) {
            answer = answer.beginning(key, code(ask(Model::of(version))?));
        }
    }
    Ok(answer)
}

/// A consumer that has consumed a few messages and pushed its offset.
fn consumed(case: &Case, count: u32) -> Result<Run, Trouble> {
    let mut stage = Stage::new(release_of(case)?, 1);
    stage.start(-30_000, OWNER);
    stage.store(0, 0, 0..count);
    let mut run = stage.run();
    run.until(30_000)?;
    Ok(run)
}

fn stays_stored(case: &Case) -> Outcome {
    case.only_if("acked", true)?;
    let run = consumed(case, 1)?;
    let queue = run.queue(0);
    let acked =
        run.any(|fact| matches!(fact, Fact::MessageAcknowledged { queue: q, .. } if *q == queue));
    let gone = run.world.brokers[0].store.at(queue, 0).is_none();
    let state = if acked { "Acked" } else { "In flight" };
    Ok(Answer::new().with("physically_deleted", gone).beginning("state", state))
}

fn committed(case: &Case) -> Outcome {
    let offsets = case.ints("consumed_offsets")?;
    if !(0..).zip(&offsets).all(|(place, offset)| place == *offset) {
        return Trouble::unsupported("offsets that do not begin at 0, or have gaps");
    }
    let run = consumed(case, offsets.len() as u32)?;
    let offset = run.offset(run.queue(0));
    let mut answer = Answer::new().with("offset", offset);
    for key in case.asked() {
        if let Some(Ok(max)) = key.strip_prefix("lag_if_max_").map(str::parse::<i64>) {
            answer.set(key, offset.map(|offset| max - offset));
        }
    }
    Ok(answer)
}
