//! Back-off, send-back and the limit of attempts, as far as they need no run.

use crate::answer::{Answer, Outcome};
use crate::case::{Case, Trouble};
use crate::stage::{Script, Stage, OWNER};
use crate::version::version_of;
use crate::{orderly, Form};
use lockstep_core::command::{Command, ListenerKind};
use lockstep_core::delay::DelayTable;
use lockstep_core::fact::{Fact, Outcome as Listener};
use lockstep_core::model::{Model, Version};
use lockstep_core::retry::{
    max_attempts, max_reconsume_times, orderly_header, retry_topic_landing, send_back, suspend_ms,
    CustomizedRetryPolicy, ExponentialRetryPolicy, GroupRetryPolicy, Landing, PolicyKind,
    RetryPolicy, RetrySend, SendBack,
};
use serde_json::{Map, Value};

const GRPC_CLIENT: &str = "gRPC client";
const PROXY: &str = "proxy";

/// The forms of this area.
pub const FORMS: &[Form] = &[
    Form { fits: |c| c.says("nextDelayDuration"), run: server_wait },
    Form { fits: |c| c.says("getNextAttemptDelay"), run: client_wait },
    Form { fits: |c| c.says("getRetryPolicy"), run: group_policy },
    Form { fits: |c| c.says("settings pushed to gRPC consumer"), run: settings },
    Form { fits: |c| c.when == "send back", run: send_back_lands },
    Form { fits: |c| c.says("effective max"), run: effective_max },
    Form { fits: |c| c.says("always suspends"), run: orderly::always_suspends },
    Form { fits: |c| c.says("suspend") && suspends(c).is_some(), run: suspend },
    Form { fits: |c| c.says("orderly send-back after max"), run: orderly_exhausted },
    Form { fits: |c| c.says("retry topic as a normal send"), run: normal_send },
    Form { fits: |c| c.says("send-back fails") || c.says("send back fails"), run: send_back_fails },
    Form { fits: |c| c.mentions("concurrent"), run: concurrent_schedule },
    Form {
        fits: |c| c.mentions("gRPC FIFO PushConsumer") && c.has("processing"),
        run: grpc_schedule,
    },
    Form { fits: |c| c.says("erase FIFO message"), run: |_| Err(Trouble::Pending(GRPC_CLIENT)) },
    Form {
        fits: |c| c.says("forward to DLQ keeps failing"),
        run: |_| Err(Trouble::Pending(GRPC_CLIENT)),
    },
    Form { fits: |c| c.says("proxy filters pop result"), run: |_| Err(Trouble::Pending(PROXY)) },
    Form { fits: |c| c.when == "DLQ forward", run: |_| Err(Trouble::Pending(PROXY)) },
];

fn newest() -> Model {
    Model::of(Version(5, 3, 3))
}

fn server_wait(case: &Case) -> Outcome {
    let policy = match case.text("policy")? {
        "customized default" => RetryPolicy::Customized(CustomizedRetryPolicy::default()),
        "exponential default 5s,x2,2h" => {
            RetryPolicy::Exponential(ExponentialRetryPolicy::default())
        }
        other => return Trouble::unsupported(format!("policy `{other}`")),
    };
    let waits: Result<Vec<i64>, _> = case
        .numbers_said()
        .iter()
        .map(|&r| i32::try_from(r).map(|r| policy.next_delay_ms(r)))
        .collect();
    match waits {
        Ok(waits) => Ok(Answer::new().with("ms", waits)),
        Err(_) => Trouble::unsupported("retry count out of range"),
    }
}

fn client_wait(case: &Case) -> Outcome {
    let policy = if case.has("durations_s") {
        let waits = case.ints("durations_s")?.iter().map(|s| s * 1_000).collect();
        // The limit of attempts does not change the waits.
        let _ = case.get("maxAttempts");
        let Some(policy) = CustomizedRetryPolicy::new(waits) else {
            return Trouble::unsupported("a policy without waits");
        };
        RetryPolicy::Customized(policy)
    } else {
        let multiplier = case.value("multiplier")?.as_f64();
        let multiplier =
            multiplier.ok_or_else(|| Trouble::Unsupported("`multiplier`".to_owned()))?;
        let _ = case.get("maxAttempts");
        RetryPolicy::Exponential(ExponentialRetryPolicy {
            initial_ms: case.int("initial_ms")?,
            max_ms: case.int("max_ms")?,
            multiplier,
        })
    };
    let attempts = case.numbers_said();
    if attempts.iter().any(|&attempt| attempt < 1) {
        return Trouble::unsupported("attempts count from 1");
    }
    let waits: Vec<i64> =
        attempts.iter().map(|&attempt| policy.next_attempt_delay_ms(attempt as u32)).collect();
    let seconds: Vec<i64> = waits.iter().map(|ms| ms / 1_000).collect();
    Ok(Answer::new().with("ms", waits).with("seconds", seconds))
}

fn group_policy(case: &Case) -> Outcome {
    let kind = match case.text("type")? {
        "EXPONENTIAL" => PolicyKind::Exponential,
        "CUSTOMIZED" => PolicyKind::Customized,
        other => return Trouble::unsupported(format!("type `{other}`")),
    };
    let set = |key: &str| case.get(key).is_some_and(|value| !value.is_null());
    let group = GroupRetryPolicy {
        kind: Some(kind),
        customized: set("customized").then(CustomizedRetryPolicy::default),
        exponential: set("exponential").then(ExponentialRetryPolicy::default),
    };
    let own = group.customized.is_some() && kind == PolicyKind::Customized;
    let name = match group.policy() {
        RetryPolicy::Exponential(_) => "ExponentialRetryPolicy",
        RetryPolicy::Customized(_) if own => "CustomizedRetryPolicy",
        RetryPolicy::Customized(_) => "CustomizedRetryPolicy (default)",
    };
    Ok(Answer::new().with("policy", name))
}

fn settings(case: &Case) -> Outcome {
    let times = case.number("retryMaxTimes")?;
    let mut answer = Answer::new().with("maxAttempts", max_attempts(times));
    if case.has("customized_ms") {
        if let Some(policy) = CustomizedRetryPolicy::new(case.ints("customized_ms")?) {
            let seconds: Vec<i64> = policy.waits_ms().iter().map(|ms| ms / 1_000).collect();
            answer.set("customizedBackoff_s", seconds);
        }
    }
    if case.has("exponential") {
        let [initial_ms, max_ms, multiplier] = exponential_of(case)?;
        let policy = ExponentialRetryPolicy { initial_ms, max_ms, multiplier: multiplier as f64 };
        let (first_ms, second_ms) =
            (policy.next_attempt_delay_ms(1), policy.next_attempt_delay_ms(2));
        for key in case.asked().filter(|key| key.starts_with("exponential")) {
            let unit_ms = if key.ends_with("_ms") { 1 } else { 1_000 };
            let parts = [first_ms / unit_ms, policy.max_ms / unit_ms, multiplier];
            let by_name = |name: &str| match name {
                "initial_ms" => first_ms,
                "initial" | "initial_s" => first_ms / 1_000,
                "max_ms" => policy.max_ms,
                "max" | "max_s" => policy.max_ms / 1_000,
                "second_ms" => second_ms,
                _ => multiplier,
            };
            let names = case.asked_in(key);
            if names.is_empty() {
                answer.set(key, parts.to_vec());
            } else {
                let map: Map<String, Value> =
                    names.iter().map(|name| ((*name).to_owned(), by_name(name).into())).collect();
                answer.set(key, map);
            }
        }
    }
    Ok(answer)
}

/// Initial wait, longest wait and factor, as a list or by name.
fn exponential_of(case: &Case) -> Result<[i64; 3], Trouble> {
    let value = case.value("exponential")?;
    let parts = match value {
        Value::Array(list) => list.iter().map(Value::as_i64).collect::<Option<Vec<i64>>>(),
        Value::Object(map) => {
            let named = |names: [&str; 2]| names.iter().find_map(|name| map.get(*name)?.as_i64());
            let (initial, max) = (named(["initial_ms", "initial"]), named(["max_ms", "max"]));
            let factor = named(["multiplier", "factor"]);
            initial.zip(max).zip(factor).map(|((initial, max), factor)| vec![initial, max, factor])
        }
        _ => None,
    };
    match parts.as_deref() {
        Some(&[initial, max, factor]) => Ok([initial, max, factor]),
        _ => Trouble::unsupported("`exponential`"),
    }
}

fn send_back_lands(case: &Case) -> Outcome {
    let request = SendBack {
        reconsume_times: case.number("reconsumeTimes")?,
        delay_level: case.number("delayLevel")?,
        max_reconsume_times: case.number("maxReconsumeTimes")?,
        retry_queue_nums: i32::try_from(case.int_or("retryQueueNums", 1)?).unwrap_or(i32::MAX),
    };
    Ok(match send_back(request) {
        Landing::Retry { level, reconsume_times } => Answer::new()
            .beginning("topic", "%RETRY%")
            .with("level", level)
            .with("queue", 0)
            .with("stored", true)
            .with("new_reconsumeTimes", reconsume_times),
        Landing::DeadLetter { reconsume_times } => Answer::new()
            .beginning("topic", "%DLQ%")
            .with("level", 0)
            .with("queue", 0)
            .with("stored", true)
            .with("new_reconsumeTimes", reconsume_times),
        Landing::Nowhere => Answer::new().with("topic", Value::Null).with("stored", false),
    })
}

fn effective_max(case: &Case) -> Outcome {
    let setting = case.number("maxReconsumeTimes")?;
    let kind =
        if case.says("concurrent") { ListenerKind::Concurrent } else { ListenerKind::Orderly };
    Ok(Answer::new().with("max", max_reconsume_times(&newest(), kind, setting)))
}

/// The key under which a case gives the suspend times that it asks about.
fn suspends(case: &Case) -> Option<&str> {
    if case.has("first_delivery") {
        return None;
    }
    let numeric =
        |key: &&str| case.peek(key).is_some_and(|value| value.is_array() || value.is_i64());
    let named = |key: &&str| {
        !key.contains("default") && (key.contains("suspend") || key.contains("context"))
    };
    case.given_keys().filter(numeric).find(named).or_else(|| case.given_keys().find(numeric))
}

fn suspend(case: &Case) -> Outcome {
    let key = suspends(case).unwrap_or_default();
    let several = case.value(key)?.is_array();
    let asked = if several { case.ints(key)? } else { vec![case.int(key)?] };
    let model = newest();
    let mut default_ms = model.suspend_current_queue_time_ms;
    for name in ["default_ms", "default", "consumer_default", "consumer_default_ms"] {
        default_ms = case.int_or(name, default_ms)?;
    }
    let waits: Vec<i64> = asked.iter().map(|&ms| suspend_ms(&model, ms, default_ms)).collect();
    let mut answer = Answer::new();
    // The form has one result, whatever it is called.
    for name in case.asked() {
        match waits[..] {
            [one] if !several => answer.set(name, one),
            _ => answer.set(name, waits.clone()),
        }
    }
    Ok(answer)
}

fn landed(landing: Landing) -> Answer {
    let answer = Answer::new();
    match landing {
        Landing::Retry { level, .. } => {
            let answer = answer.beginning("goes_to", "%RETRY%").with("dlq", false);
            answer.with("level", level).with("delay_level", level).with("delayLevel", level)
        }
        Landing::DeadLetter { .. } => answer.beginning("goes_to", "%DLQ%").with("dlq", true),
        Landing::Nowhere => answer.with("goes_to", Value::Null),
    }
}

fn orderly_exhausted(case: &Case) -> Outcome {
    let (broker, client) = (version_of(case, "broker")?, version_of(case, "client")?);
    let count: i32 = case.number("reconsumeTimes")?;
    let header = orderly_header(client, count);
    let landing = retry_topic_landing(
        broker,
        RetrySend {
            header_reconsume_times: header,
            max_reconsume_times: case.number("maxReconsumeTimes")?,
            delay_level: 3 + count,
            group_has_live_lock: case.flag_or("group_has_unexpired_lock", false)?,
        },
    );
    Ok(landed(landing).with("header_reconsumeTimes", header))
}

fn normal_send(case: &Case) -> Outcome {
    let broker = if case.has("broker") { version_of(case, "broker")? } else { Version(5, 3, 3) };
    let topic = case.text("topic")?;
    let Some(group) = topic.strip_prefix("%RETRY%") else {
        return Trouble::unsupported(format!("topic `{topic}`"));
    };
    let count: i32 = case.number("reconsumeTimes")?;
    let landing = retry_topic_landing(
        broker,
        RetrySend {
            header_reconsume_times: count,
            max_reconsume_times: case.number("max")?,
            delay_level: 3 + count,
            group_has_live_lock: case.flag_or("group_has_unexpired_lock", false)?,
        },
    );
    let name = match landing {
        Landing::Retry { .. } => format!("%RETRY%{group}"),
        _ => format!("%DLQ%{group}"),
    };
    Ok(landed(landing).beginning("goes_to", &name))
}

/// Every delivery of a message that a concurrent listener never accepts.
fn concurrent_schedule(case: &Case) -> Outcome {
    for key in ["mode", "listener", "client"] {
        let _ = case.get(key);
    }
    let model = newest();
    let setting = i32::try_from(case.int_or("maxReconsumeTimes", -1)?).unwrap_or(i32::MAX);
    let max = max_reconsume_times(&model, ListenerKind::Concurrent, setting);
    let table = DelayTable::default();
    let (mut count, mut elapsed_ms) = (0, case.int_or("first_delivery", 0)?);
    let (mut levels, mut delays, mut times) = (Vec::new(), Vec::new(), vec![elapsed_ms / 1_000]);
    let ask = |reconsume_times| {
        let delay_level = 0;
        send_back(SendBack {
            reconsume_times,
            delay_level,
            max_reconsume_times: max,
            retry_queue_nums: 1,
        })
    };
    while let Landing::Retry { level, reconsume_times } = ask(count) {
        let wait_ms = table.delay_ms(level.min(table.max_level())).unwrap_or(0);
        elapsed_ms += wait_ms;
        levels.push(level);
        delays.push(wait_ms / 1_000);
        times.push(elapsed_ms / 1_000);
        count = reconsume_times;
    }
    let mut answer = Answer::new().with("levels", levels).with("max", max).with("retries", count);
    for name in ["delays_s", "delays_seconds", "intervals_s"] {
        answer.set(name, delays.clone());
    }
    for name in ["cumulative_s", "total_s", "cumulative_seconds", "total_seconds", "sum_s"] {
        answer.set(name, elapsed_ms / 1_000);
    }
    for name in ["delivery_times_s", "times_s"] {
        answer.set(name, times.clone());
    }
    for name in ["deliveries", "dlq_after_delivery", "attempts"] {
        answer.set(name, times.len());
    }
    Ok(answer)
}

/// A concurrent consumer cannot send a failed message back: when does it try again by itself?
fn send_back_fails(case: &Case) -> Outcome {
    let _ = case.get("mode");
    let mut stage = Stage::with(crate::version::release_of(case)?, 1, 1, ListenerKind::Concurrent);
    let script =
        Script { outcome: Some(Listener::Later), handle_ms: Some(100), ..Script::default() };
    stage.script(script);
    stage.start(-30_000, OWNER);
    stage.store(0, 0, 0..1);
    // The broker is gone while the listener works, so that the send-back is refused.
    stage.at(50, Command::StopBroker { clean: true });
    let mut run = stage.run();
    run.until(60_000)?;
    let failed = run.first(0, |fact| matches!(fact, Fact::SendBackFailed { .. }));
    let again = run.handled(run.queue(0)).get(1).map(|call| call.from_ms);
    let wait = failed.zip(again).map(|(failed, again)| again - failed);
    let mut answer = Answer::new();
    for key in ["local_retry_after_ms", "retry_after_ms", "local_retry_ms"] {
        answer.set(key, wait);
    }
    Ok(answer)
}

/// Every attempt of a gRPC push consumer whose listener fails at once.
fn grpc_schedule(case: &Case) -> Outcome {
    let _ = case.get("mode");
    case.only_if("processing", 0)?;
    let attempts: u32 = case.number("maxAttempts")?;
    let first_s = case.int_or("first_delivery_s", 0)?;
    let times = GroupRetryPolicy::default().policy().attempt_times_ms(attempts);
    let seconds: Vec<i64> = times.iter().map(|ms| first_s + ms / 1_000).collect();
    Ok(Answer::new().with("dlq_after_attempt", times.len()).with("attempt_times_s", seconds))
}
