//! Retry policies of a consumer group.

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use lockstep_core::retry::{
    max_attempts, CustomizedRetryPolicy, ExponentialRetryPolicy, GroupRetryPolicy, PolicyKind,
    RetryPolicy,
};
use serde_json::{Map, Value};

/// The wait of broker and proxy after so many failures.
pub fn server_wait(case: &Case) -> Outcome {
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

/// The wait of a gRPC client after an attempt.
pub fn client_wait(case: &Case) -> Outcome {
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

/// Which policy a group gets.
pub fn group_policy(case: &Case) -> Outcome {
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

/// What the proxy tells a gRPC consumer.
pub fn settings(case: &Case) -> Outcome {
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
