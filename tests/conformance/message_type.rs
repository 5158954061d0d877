//! Types of topics and messages, their check, and message groups.

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use super::pop_stage::{Plan, TOPIC};
use super::Form;
use lockstep_core::command::{Command, MessageSpec, Selector, SendMode, TopicType};
use lockstep_core::fact::{Fact, SendFailure};
use lockstep_core::grpc::{GrpcCode, SendRefusal};
use lockstep_core::model::{Model, Version};
use lockstep_core::pop::{PopCommand, ProducerSetting};
use lockstep_core::proxy::validate::{
    check_message_group, check_type, message_type, type_conflict_text, type_name, Properties,
    TYPE_CONFLICT_REMOTING_CODE,
};
use serde_json::Value;

/// The forms of this area.
pub const FORMS: &[Form] = &[
    Form { fits: |c| c.has("properties"), run: classify },
    Form { fits: |c| c.says("read topic type"), run: topic_type },
    Form { fits: |c| c.has("builder"), run: builder },
    Form { fits: |c| c.says("message group") || c.says("character in group"), run: group },
    Form { fits: |c| c.has("topic_type"), run: send },
];

fn newest() -> Model {
    Model::of(Version(5, 3, 3))
}

fn classify(case: &Case) -> Outcome {
    let given = case.object("properties")?;
    let has = |key: &str| given.contains_key(key);
    let kind = message_type(Properties {
        transaction: given.get("TRAN_MSG").and_then(Value::as_str) == Some("true"),
        delay: ["DELAY", "TIMER_DELIVER_MS", "TIMER_DELAY_SEC", "TIMER_DELAY_MS"]
            .into_iter()
            .any(has),
        sharding_key: has("__SHARDINGKEY"),
    });
    Ok(Answer::new().with("type", type_name(Some(kind))))
}

/// A topic without the attribute is NORMAL.
fn topic_type(case: &Case) -> Outcome {
    let attributes = match case.get("attributes") {
        Some(Value::Object(map)) => map.clone(),
        _ => serde_json::Map::new(),
    };
    let name =
        ["message.type", "+message.type"].into_iter().find_map(|key| attributes.get(key)?.as_str());
    let kind = match name {
        None => TopicType::Normal,
        Some(name) => {
            type_named(name)?.ok_or_else(|| Trouble::Unsupported("UNSPECIFIED".to_owned()))?
        }
    };
    Ok(Answer::new().with("type", type_name(Some(kind))))
}

/// A type by its name; None = UNSPECIFIED.
fn type_named(text: &str) -> Result<Option<TopicType>, Trouble> {
    Ok(Some(match text.split_whitespace().next().unwrap_or_default() {
        "UNSPECIFIED" => return Ok(None),
        "NORMAL" => TopicType::Normal,
        "FIFO" => TopicType::Fifo,
        "DELAY" => TopicType::Delay,
        "TRANSACTION" => TopicType::Transaction,
        "MIXED" => TopicType::Mixed,
        other => return Trouble::unsupported(format!("type `{other}`")),
    }))
}

fn refused(refusal: SendRefusal) -> Answer {
    let (number, name) = refusal.code.named();
    let mut answer =
        Answer::new().with("accepted", false).with("grpc_code", name).with("grpc_number", number);
    if let Some((expected, actual)) = refusal.types {
        answer.set("message", type_conflict_text(expected, actual));
        answer.set("remoting_code", TYPE_CONFLICT_REMOTING_CODE);
    }
    answer
}

/// A message of a type through the proxy's gRPC port; None when the run cannot make such a message.
fn spec(kind: TopicType) -> Option<(MessageSpec, Option<&'static str>)> {
    let plain = MessageSpec::new("n", 1);
    Some(match kind {
        TopicType::Normal => (plain, None),
        TopicType::Fifo => (plain, Some("g")),
        TopicType::Delay => (MessageSpec { timer_delay_ms: 5_000, ..plain }, None),
        TopicType::Transaction | TopicType::Mixed => return None,
    })
}

/// A run in which one message is sent: whether it was stored, and how it failed.
fn play(
    topic: TopicType,
    message: TopicType,
    through: bool,
) -> Result<Option<SendFailure>, Trouble> {
    let Some((message, key)) = spec(message) else {
        return Trouble::unsupported("type of the message");
    };
    let mut plan = Plan::newest(4).kind(topic);
    let selector = if through { Selector::MessageGroup } else { Selector::RoundRobin };
    let create = Command::CreateProducer {
        name: "p".to_owned(),
        topic: Some(TOPIC.to_owned()),
        selector,
        mode: SendMode::Sync,
        threads: 1,
    };
    plan.at(0, create);
    plan.at(0, Command::NameMessageGroup { series: "n".to_owned(), key: key.map(str::to_owned) });
    if through {
        let setting = ProducerSetting::ChecksTypes(false);
        plan.pop(0, PopCommand::SetProducer { producer: "p".to_owned(), setting });
    }
    let (producer, messages) = ("p".to_owned(), vec![message]);
    plan.at(10, Command::Send { producer, topic: None, thread: 0, messages, every_ms: 0 });
    let mut run = plan.run();
    run.until(10_000)?;
    let failed = |(_, fact): &(i64, Fact)| match fact {
        Fact::SendFailed { reason, .. } => Some(*reason),
        _ => None,
    };
    let failure = run.facts.iter().find_map(failed);
    let stored = !run
        .all(|f| matches!(f, Fact::MessageStored { .. } | Fact::MessageScheduled { .. }))
        .is_empty();
    match (failure, stored) {
        (None, true) => Ok(None),
        (Some(failure), false) => Ok(Some(failure)),
        _ => Err(Trouble::Wrong("neither stored nor refused".to_owned())),
    }
}

fn send(case: &Case) -> Outcome {
    let topic = type_named(case.text("topic_type")?)?;
    let message = type_named(case.text("message_type")?)?;
    let name = if case.has("topic") { case.text("topic")? } else { TOPIC };
    let through = case.flag_or("proxy_check", !case.says("directly to broker"))?;
    let checked = through && !name.starts_with("%RETRY%") && !name.starts_with("%DLQ%");
    let Some(message) = message else {
        let refusal = SendRefusal { code: GrpcCode::MessagePropertyConflictWithType, types: None };
        return Ok(refused(refusal));
    };
    let rule = if checked { check_type(topic, message) } else { Ok(()) };
    // The same in the running simulator, where it can be played.
    if let (Some(topic), Some(_), true) = (topic, spec(message), name == TOPIC) {
        let failure = play(topic, message, through)?;
        let conflict = matches!(failure, Some(SendFailure::TypeConflict { .. }));
        if conflict != rule.is_err() {
            return Err(Trouble::Wrong(format!("the run says {failure:?}")));
        }
    }
    match rule {
        Ok(()) => Ok(Answer::new().with("accepted", true)),
        Err(refusal) => Ok(refused(refusal)),
    }
}

/// The SDK's builder refuses combinations.
fn builder(case: &Case) -> Outcome {
    let steps = case.texts("builder")?;
    let has = |word: &str| steps.iter().any(|step| step.to_lowercase().contains(word));
    let (group, delay) = (has("group"), has("delivery"));
    let transaction = has("transaction");
    let mut error = Value::Null;
    if group && delay {
        // In a run: the producer reports it and nothing is sent.
        let spec = MessageSpec { timer_delay_ms: 5_000, ..MessageSpec::new("g", 1) };
        let mut plan = Plan::newest(1);
        let create = Command::CreateProducer {
            name: "p".to_owned(),
            topic: Some(TOPIC.to_owned()),
            selector: Selector::MessageGroup,
            mode: SendMode::Sync,
            threads: 1,
        };
        plan.at(0, create);
        let (producer, messages) = ("p".to_owned(), vec![spec]);
        plan.at(1, Command::Send { producer, topic: None, thread: 0, messages, every_ms: 0 });
        let mut run = plan.run();
        run.until(100)?;
        let reason = SendFailure::GroupWithDelay;
        if !run.all(|f| matches!(f, Fact::SendFailed { reason: r, .. } if *r == reason)).is_empty()
        {
            error = "IllegalArgumentException".into();
        }
    } else if transaction && (group || delay) || group && (has("lite") || has("priority")) {
        error = "IllegalArgumentException".into();
    }
    Ok(Answer::new().with("error", error))
}

fn group(case: &Case) -> Outcome {
    let model = newest();
    let verdict = |group: &str| check_message_group(&model, group);
    if case.has("cases") {
        let mut per_case = Vec::new();
        for entry in case.list("cases")? {
            let text = match (entry.get("group_bytes").and_then(Value::as_u64), entry.get("group"))
            {
                (Some(bytes), _) => "x".repeat(bytes as usize),
                (None, Some(Value::String(text))) => text.clone(),
                _ => return Trouble::unsupported(format!("group `{entry}`")),
            };
            let ok = verdict(&text).is_ok();
            if entry.get("ok").and_then(Value::as_bool).is_some_and(|expected| expected != ok) {
                return Err(Trouble::Wrong(format!("{entry}")));
            }
            per_case.push(ok);
        }
        return Ok(Answer::new().with("per_case", per_case));
    }
    let text = match case.get("group_bytes").and_then(Value::as_u64) {
        Some(bytes) => "x".repeat(bytes as usize),
        None => case.text("group")?.to_owned(),
    };
    match verdict(&text) {
        Ok(()) => Ok(Answer::new().with("accepted", true).with("ok", true)),
        Err(refusal) => Ok(refused(refusal).with("ok", false)),
    }
}
