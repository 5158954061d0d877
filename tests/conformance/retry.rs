//! Send-back, suspension and the limit of attempts.

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use super::stage::{Script, Stage, OWNER};
use super::version::version_of;
use super::{orderly, policy, Form};
use lockstep_core::command::{Command, GroupSetting, ListenerKind};
use lockstep_core::fact::{Fact, Outcome as Listener};
use lockstep_core::model::{Model, Version};
use lockstep_core::retry::{
    max_reconsume_times, orderly_header, retry_topic_landing, send_back, suspend_ms,
    GroupRetryPolicy, Landing, RetrySend, SendBack,
};
use serde_json::Value;

const GRPC_CLIENT: &str = "gRPC client";
const PROXY: &str = "proxy";

/// The forms of this area.
pub const FORMS: &[Form] = &[
    Form { fits: |c| c.says("nextDelayDuration"), run: policy::server_wait },
    Form { fits: |c| c.says("getNextAttemptDelay"), run: policy::client_wait },
    Form { fits: |c| c.says("getRetryPolicy"), run: policy::group_policy },
    Form { fits: |c| c.says("settings pushed to gRPC consumer"), run: policy::settings },
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
        Landing::DeadLetter { reconsume_times, .. } => Answer::new()
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

/// Every delivery of a message that a concurrent listener never accepts, in a run.
fn concurrent_schedule(case: &Case) -> Outcome {
    for key in ["mode", "listener", "client"] {
        let _ = case.get(key);
    }
    let setting = i32::try_from(case.int_or("maxReconsumeTimes", -1)?).unwrap_or(i32::MAX);
    let first_ms = case.int_or("first_delivery", 0)?;
    let mut stage = Stage::with(Version(5, 3, 3), 1, 1, ListenerKind::Concurrent);
    stage.set(GroupSetting::MaxReconsumeTimes(setting));
    stage.script(Script { outcome: Some(Listener::Later), ..Script::default() });
    stage.start(first_ms - 30_000, OWNER);
    stage.store(first_ms, 0, 0..1);
    let mut run = stage.run();
    run.until(first_ms + 100_000_000)?;
    let started = run.all(|fact| matches!(fact, Fact::HandlingStarted { .. }));
    let times: Vec<i64> = started.iter().map(|ms| ms / 1_000).collect();
    let delays: Vec<i64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let scheduled = |(_, fact): &(i64, Fact)| match fact {
        Fact::MessageScheduled { level, .. } => Some(*level),
        _ => None,
    };
    let levels: Vec<u8> = run.facts.iter().filter_map(scheduled).collect();
    let dead = run.first(first_ms, |fact| matches!(fact, Fact::DeadLettered { .. }));
    let total = times.last().copied().unwrap_or(0) - first_ms / 1_000;
    let max = max_reconsume_times(&newest(), ListenerKind::Concurrent, setting);
    let mut answer =
        Answer::new().with("levels", levels).with("max", max).with("retries", delays.len());
    for name in ["delays_s", "delays_seconds", "intervals_s"] {
        answer.set(name, delays.clone());
    }
    for name in ["cumulative_s", "total_s", "cumulative_seconds", "total_seconds", "sum_s"] {
        answer.set(name, total);
    }
    for name in ["delivery_times_s", "times_s"] {
        answer.set(name, times.clone());
    }
    for name in ["deliveries", "attempts", "dlq_after_delivery"] {
        answer.set(name, times.len());
    }
    Ok(answer.with("dlq_at_s", dead.map(|ms| ms / 1_000)))
}

/// A concurrent consumer cannot send a failed message back: when does it try again by itself?
fn send_back_fails(case: &Case) -> Outcome {
    let _ = case.get("mode");
    let mut stage = Stage::with(super::version::release_of(case)?, 1, 1, ListenerKind::Concurrent);
    let script =
        Script { outcome: Some(Listener::Later), handle_ms: Some(100), ..Script::default() };
    stage.script(script);
    stage.start(-30_000, OWNER);
    stage.store(0, 0, 0..1);
    // The broker is gone while the listener works, so that the send-back is refused.
    stage.at(50, Command::StopBroker { broker: None, how: lockstep_core::fact::BrokerStop::Clean });
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
