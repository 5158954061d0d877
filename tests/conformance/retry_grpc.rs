//! Attempts, acknowledgements and dead letters of gRPC consumers, played by the simulator.

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use super::pop_stage::{Plan, PopRun, GROUP};
use super::Form;
use lockstep_core::command::{Attempts, MessageSpec};
use lockstep_core::fact::{Fact, Outcome as Returned, RequestKind};
use lockstep_core::grpc::GrpcCode;
use lockstep_core::ids::Ms;
use lockstep_core::pop::{Backoff, GrpcKind, PopCommand, PopFact, PopSetting};
use lockstep_core::proxy::{filter, Filtered};
use lockstep_core::retry::{send_back, Landing, SendBack};
use serde_json::Value;

/// The forms of this area that need a gRPC consumer or a proxy.
pub const FORMS: &[Form] = &[
    Form { fits: |c| c.says("erase FIFO message"), run: erase },
    Form {
        fits: |c| c.says("forward to DLQ keeps failing") || c.has("dlq_response"),
        run: forward_fails,
    },
    Form { fits: |c| c.says("ack keeps failing") || c.has("ack_response"), run: ack_fails },
    Form { fits: |c| c.says("proxy filters pop result") || c.has("pop_result"), run: filtered },
    Form { fits: |c| c.when == "DLQ forward", run: dead_letter_without_queue },
    Form { fits: |c| c.has("reconsumeTimes") && c.has("maxAttempts"), run: on_receive },
    Form {
        fits: |c| {
            c.peek("mode").and_then(Value::as_str).is_some_and(|m| m.contains("PushConsumer"))
        },
        run: schedule,
    },
];

/// First listener call of a consumer that starts at 1 000.
const FIRST_MS: Ms = 2_000;

fn attempts_limit(max_attempts: i64) -> Result<PopSetting, Trouble> {
    let times = i32::try_from(max_attempts - 1).ok().filter(|times| *times >= 0);
    times
        .map(PopSetting::RetryMaxTimes)
        .ok_or_else(|| Trouble::Unsupported("maxAttempts".to_owned()))
}

fn returned(text: &str) -> Result<Returned, Trouble> {
    match text {
        "SUCCESS" => Ok(Returned::Success),
        "FAILURE" => Ok(Returned::Later),
        other => Trouble::unsupported(format!("result `{other}`")),
    }
}

/// A push consumer, one message, and what its listener returns in order; the last one is repeated.
fn push(max_attempts: i64, results: &[Returned]) -> Result<Plan, Trouble> {
    let mut plan = Plan::newest(1);
    plan.fill(0, 0, 1).set(attempts_limit(max_attempts)?);
    if let Some(last) = results.last() {
        plan.handle(None, Attempts::All, Some(*last), None);
    }
    for (attempt, result) in (1..).zip(results) {
        plan.handle(None, Attempts::Only(attempt), Some(*result), None);
    }
    plan.start(1_000, "c", GrpcKind::Push);
    Ok(plan)
}

fn count(run: &PopRun, wanted: impl Fn(&PopFact) -> bool) -> usize {
    run.when(wanted).len()
}

fn acks(run: &PopRun) -> usize {
    run.all(|f| matches!(f, Fact::MessageAcknowledged { .. })).len()
}

fn erase(case: &Case) -> Outcome {
    let max_attempts = case.int_or("maxAttempts", 17)?;
    let results = if case.has("results") {
        case.texts("results")?.into_iter().map(returned).collect::<Result<Vec<_>, _>>()?
    } else {
        vec![returned(case.text("result")?)?]
    };
    let delivery_attempt = case.int_or("deliveryAttempt", 1)?;
    if delivery_attempt != 1 {
        return Trouble::unsupported("a later delivery attempt");
    }
    let mut run = push(max_attempts, &results)?.run();
    run.until(60_000)?;
    let dead = count(&run, |f| matches!(f, PopFact::ForwardedToDeadLetter { .. }));
    let retries = count(&run, |f| matches!(f, PopFact::AttemptFailed { .. }));
    Ok(Answer::new()
        .with("acks", acks(&run))
        .with("dlq", dead)
        .with("dlq_forwards", dead)
        .with("local_retries", retries))
}

fn code_named(text: &str) -> Result<GrpcCode, Trouble> {
    let all = [
        GrpcCode::ProxyTimeout,
        GrpcCode::InternalServerError,
        GrpcCode::InvalidReceiptHandle,
        GrpcCode::TooManyRequests,
        GrpcCode::MessageNotFound,
    ];
    let found = all.into_iter().find(|code| code.named().1 == text);
    found
        .or((text == "INTERNAL_ERROR").then_some(GrpcCode::InternalServerError))
        .ok_or_else(|| Trouble::Unsupported(format!("code `{text}`")))
}

fn failing(request: RequestKind, code: GrpcCode) -> PopCommand {
    PopCommand::FailRequests { proxy: "proxy".to_owned(), request, code: Some(code) }
}

/// Attempts at 0, 1 000, … and how many there were at the instants that are asked for.
fn repeated(case: &Case, times: &[Ms], name: &str) -> Answer {
    let interval_ms = times.windows(2).map(|pair| pair[1] - pair[0]).next().unwrap_or(0);
    let mut answer =
        Answer::new().with("retry_interval_ms", interval_ms).with("interval_ms", interval_ms);
    let listed = case.asked_len(name).unwrap_or(times.len());
    answer.set(name, times.iter().copied().take(listed).collect::<Vec<Ms>>());
    let asked: Vec<String> = case.asked().map(str::to_owned).collect();
    for key in asked {
        if let Some(at_ms) = key.strip_prefix("count_at_").and_then(|text| text.parse::<Ms>().ok())
        {
            answer.set(&key, times.iter().filter(|ms| **ms <= at_ms).count());
        }
    }
    answer
}

fn forward_fails(case: &Case) -> Outcome {
    let code = code_named(case.text("dlq_response")?)?;
    let first_ms = case.int_or("first_forward_ms", 0)?;
    let mut plan = push(1, &[Returned::Later])?;
    plan.pop(0, failing(RequestKind::SendBack, code));
    let mut run = plan.run();
    run.until(30_000)?;
    let times: Vec<Ms> = run
        .when(|f| matches!(f, PopFact::ForwardedToDeadLetter { .. }))
        .iter()
        .map(|ms| ms - FIRST_MS + first_ms)
        .collect();
    Ok(repeated(case, &times, "forward_times_ms"))
}

fn ack_fails(case: &Case) -> Outcome {
    let code = code_named(case.text("ack_response")?)?;
    let first_ms = case.int_or("first_ack_ms", 0)?;
    let mut plan = push(17, &[Returned::Success])?;
    plan.pop(0, failing(RequestKind::Ack, code));
    let mut run = plan.run();
    run.until(30_000)?;
    let times: Vec<Ms> = run
        .when(|f| matches!(f, PopFact::ActFailed { .. }))
        .iter()
        .map(|ms| ms - FIRST_MS + first_ms)
        .collect();
    let repeats = times.len() > 1;
    let retries = times.len().saturating_sub(1);
    Ok(repeated(case, &times, "ack_times_ms").with("retried", repeats).with("retries", retries))
}

/// What the proxy does with each message of a POP.
fn filtered(case: &Case) -> Outcome {
    let words = case.text("filter")?;
    let Some((tag, limit)) = words.split_once(';') else { return Trouble::unsupported("`filter`") };
    let limit: u32 = limit
        .split('>')
        .nth(1)
        .and_then(|text| text.trim().parse().ok())
        .ok_or_else(|| Trouble::Unsupported("`filter`".to_owned()))?;
    let (mut delivered, mut acked, mut dead) = (Vec::new(), Vec::new(), Vec::new());
    for (place, entry) in case.list("pop_result")?.iter().enumerate() {
        let matches = entry.get("tag").and_then(Value::as_str) == Some(tag.trim());
        let reconsume = entry.get("reconsume").and_then(Value::as_u64).unwrap_or(0) as u32;
        match filter(matches, reconsume, limit + 1) {
            Filtered::Match => delivered.push(place),
            Filtered::NoMatch => acked.push(place),
            Filtered::ToDeadLetter => dead.push(place),
        }
    }
    let requested = case.int_or("requested", 32)?;
    // In a run: a receive of that many messages out of more.
    let mut plan = Plan::newest(1);
    plan.fill(0, 0, 100);
    let mode = lockstep_core::pop::SimpleMode::Scripted;
    plan.start(100, "s", GrpcKind::Simple(mode));
    let max = u32::try_from(requested).unwrap_or(32);
    let consumer = "s".to_owned();
    plan.pop(200, PopCommand::Receive { consumer, max, invisible_ms: 30_000, await_ms: 5_000 });
    let mut run = plan.run();
    run.until(300)?;
    Ok(Answer::new()
        .with("delivered", delivered)
        .with("acked", acked)
        .with("to_dlq", dead)
        .with("max_num_sent_to_broker", run.popped().len()))
}

/// A group without retry queue answers SUCCESS and stores nothing.
fn dead_letter_without_queue(case: &Case) -> Outcome {
    let queues: u16 = case.number("retryQueueNums")?;
    let _ = case.get("source");
    let landing = send_back(SendBack {
        reconsume_times: 0,
        delay_level: -1,
        max_reconsume_times: 0,
        retry_queue_nums: i32::from(queues),
    });
    let mut run = push(1, &[Returned::Later])?.run();
    run.until(500)?;
    let names = std::rc::Rc::make_mut(&mut run.world.shared.names);
    if let Some(group) = names.group(GROUP) {
        names.groups[group.index()].retry_queue_nums = queues;
    }
    run.until(60_000)?;
    let stored = !run.all(|f| matches!(f, Fact::DeadLettered { .. })).is_empty();
    if stored == (landing == Landing::Nowhere) {
        return Err(Trouble::Wrong(format!("{landing:?}, but stored: {stored}")));
    }
    let failed = count(&run, |f| matches!(f, PopFact::ActFailed { .. }));
    Ok(Answer::new()
        .with("answer", if failed == 0 { "SUCCESS(0)" } else { "error" })
        .with("stored", stored)
        .with("proxy_acks_original", run.committed(0) == Some(1)))
}

/// A message that was delivered so often is received once more.
fn on_receive(case: &Case) -> Outcome {
    let limit = case.int("maxAttempts")?;
    let limit = u32::try_from(limit).map_err(|_| Trouble::Unsupported("maxAttempts".to_owned()))?;
    let of = |times: i64| match filter(true, times as u32, limit) {
        Filtered::ToDeadLetter => "DLQ",
        _ => "delivered",
    };
    let value = case.value("reconsumeTimes")?;
    let answer = Answer::new();
    Ok(match value {
        Value::Array(_) => {
            let all: Vec<&str> = case.ints("reconsumeTimes")?.into_iter().map(of).collect();
            answer.with("outcome", all.clone()).with("result", all.clone()).with("per_case", all)
        }
        _ => {
            let one = of(case.int("reconsumeTimes")?);
            answer.with("outcome", one).with("result", one).with("dlq", one == "DLQ")
        }
    })
}

/// Every attempt of a message that always fails.
fn schedule(case: &Case) -> Outcome {
    let _ = case.get("mode");
    case.only_if("processing", 0)?;
    let attempts = case.int("maxAttempts")?;
    let first_s = case.int_or("first_delivery_s", 0)?;
    let mut plan = push(attempts, &[Returned::Later])?;
    if case.has("customized_s") {
        let waits: Vec<Ms> = case.ints("customized_s")?.iter().map(|s| s * 1_000).collect();
        plan.set(PopSetting::Backoff(Backoff::Customized(waits.into())));
    }
    let mut run = plan.run();
    let far_ms = 3_600_000 * 48;
    while run.all(|f| matches!(f, Fact::DeadLettered { .. })).is_empty()
        && run.world.now_ms() < far_ms
    {
        let next_ms = run.world.now_ms() + 600_000;
        run.until(next_ms)?;
        if run.world.now_ms() < next_ms - 600_000 {
            break;
        }
    }
    let label = MessageSpec::new("m", 0).label.to_string();
    let times: Vec<i64> = run
        .calls()
        .into_iter()
        .filter(|(_, l)| *l == label)
        .map(|(at_ms, _)| first_s + (at_ms - FIRST_MS) / 1_000)
        .collect();
    Ok(Answer::new().with("dlq_after_attempt", times.len()).with("attempt_times_s", times))
}
