//! Searches of a queue by time.

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use super::version::release_of;
use super::Form;
use lockstep_core::ids::{BrokerId, MessageQueue, Ms, MsgId, TopicId};
use lockstep_core::message::Record;
use lockstep_core::model::Model;
use lockstep_core::world::World;
use serde_json::Value;
use std::rc::Rc;

/// The forms of this area.
pub const FORMS: &[Form] = &[
    Form { fits: |c| c.has("store_times"), run: by_times },
    Form { fits: |c| c.has("queue"), run: missing },
    Form { fits: |c| c.has("messages") && c.says("storeTime("), run: skewed },
    Form { fits: |c| c.has("messages") && c.says("store time of"), run: skewed },
];

/// A broker whose queue has messages with these store times.
pub struct Stored {
    world: World,
    model: Model,
    queue: MessageQueue,
}

impl Stored {
    pub fn new(model: Model, times: &[Ms]) -> Self {
        let mut world = World::new(1, model.clone());
        let (topic, queue) = (TopicId(4), 0);
        let broker = Rc::make_mut(&mut world.brokers[0]);
        for &store_ms in times {
            let record = Record {
                msg: MsgId(0),
                topic,
                queue,
                offset: 0,
                position: 0,
                store_ms,
                reconsume_times: 0,
                delay_level: 0,
                real: (topic, queue),
                bytes: 100,
            };
            broker.store.append(record, 0);
        }
        Self { world, model, queue: MessageQueue { topic, broker: BrokerId(0), id: queue } }
    }

    pub fn set_min(&mut self, min: i64) {
        Rc::make_mut(&mut self.world.brokers[0]).store.set_min_offset(self.queue, min);
    }

    pub fn search(&self, time_ms: Ms) -> i64 {
        self.world.brokers[0].offset_by_time(&self.model, self.queue, time_ms)
    }
}

fn model_of(case: &Case) -> Result<Model, Trouble> {
    Ok(Model::of(release_of(case)?))
}

/// One or several searches in a queue whose store times are given.
fn by_times(case: &Case) -> Outcome {
    let mut stored = Stored::new(model_of(case)?, &case.ints("store_times")?);
    if case.has("min") {
        stored.set_min(case.int("min")?);
    }
    let key = ["t", "time", "timestamp", "times", "timestamps"].into_iter().find(|k| case.has(k));
    let (asked, several) = match key {
        Some(key) if case.value(key)?.is_array() => (case.ints(key)?, true),
        Some(key) => (vec![case.int(key)?], false),
        None => (case.numbers_said(), case.asks("offsets")),
    };
    let found: Vec<i64> = asked.into_iter().map(|t| stored.search(t)).collect();
    let mut answer = Answer::new().with("offsets", found.clone());
    match found[..] {
        [one] if !several => answer.set("offset", one),
        _ => answer.set("offset", found),
    }
    Ok(answer)
}

fn missing(case: &Case) -> Outcome {
    case.only_if("queue", "missing")?;
    let stored = Stored::new(model_of(case)?, &[]);
    let at = if case.has("timestamp") { case.int("timestamp")? } else { 1_000 };
    Ok(Answer::new().with("offset", stored.search(at)))
}

/// The time added to the store time of the i-th message, from the words of `when`.
fn skew_said(when: &str) -> Option<Ms> {
    let Some((_, rest)) = when.split_once("storeTime(i)") else { return Some(0) };
    let text: String = rest
        .chars()
        .filter(|c| !c.is_whitespace())
        .take_while(|c| c.is_ascii_digit() || *c == '-' || *c == '+')
        .collect();
    if text.is_empty() {
        Some(0)
    } else {
        text.parse().ok()
    }
}

/// A search near the store time of each message: the answer in terms of its number.
fn skewed(case: &Case) -> Outcome {
    let count: i64 = case.int("messages")?;
    case.only_if("distinct_store_times", true)?;
    let Some(skew) = skew_said(&case.when) else { return Trouble::unsupported("which time") };
    if case.has("skew_ms") && case.int("skew_ms")? != skew.abs() {
        return Trouble::unsupported("a skew that `when` does not name");
    }
    let spacing = match case.get("spacing_ms") {
        None => 10,
        Some(Value::Number(n)) => n.as_i64().unwrap_or(10),
        Some(Value::String(text)) => match text.trim_start_matches(['>', ' ']).parse::<Ms>() {
            Ok(least) => least + 1,
            Err(_) => return Trouble::unsupported("spacing"),
        },
        Some(_) => return Trouble::unsupported("spacing"),
    };
    let times: Vec<Ms> = (0..count).map(|i| 1_000_000 + i * spacing).collect();
    let stored = Stored::new(model_of(case)?, &times);
    let found: Vec<i64> = times.iter().map(|t| stored.search(t + skew)).collect();
    let by_number = |add: i64| (0..).zip(&found).all(|(i, offset)| *offset == i + add);
    let offset = match found.first() {
        Some(first) if found.iter().all(|offset| offset == first) => Value::from(*first),
        _ if by_number(0) => Value::from("i"),
        _ if by_number(1) => Value::from("i+1"),
        _ => Value::from(found),
    };
    Ok(Answer::new().with("offset", offset))
}
