//! Queue choice: hashes, selectors, round robin, the effect of a changed queue count.

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use super::{route_run, Form};
use lockstep_core::routing::{
    abs_hash, grpc_route, hash_remainder, java_hash, modulo, moved, node_hash, proxy_queue,
    proxy_routes_by_group, select_by_hash, selected, sip_floor_mod, sip_hash24, throttled_wait_ms,
    Permission, RoundRobin, RouteEntry, Sdk, GUAVA_SIP_K0, GUAVA_SIP_K1, SELECTOR_THREW,
};
use serde_json::{json, Map, Value};

/// The forms of this area.
pub const FORMS: &[Form] = &[
    Form { fits: |c| c.says("grpc client picks candidate queue"), run: sip_candidate },
    Form { fits: |c| c.says("proxy picks the stored queue"), run: proxy_stored },
    Form { fits: |c| c.says("abs-hash-mod"), run: abs_mod },
    Form { fits: |c| c.says("compare SelectMessageQueueByHash and naive"), run: both_selectors },
    Form { fits: |c| c.says("SelectMessageQueueByHash") && c.has("keys"), run: select_keys },
    Form { fits: |c| c.says("SelectMessageQueueByHash") && c.has("key"), run: select_key },
    Form { fits: |c| c.says("modulo selector"), run: plain_modulo },
    Form { fits: |c| c.says("multi-message") || c.has("messages"), run: several_messages },
    Form { fits: |c| c.says("proxy") && (c.has("group") || c.has("groups")), run: proxy_selects },
    Form { fits: |c| c.says("selectOne called"), run: select_one },
    Form { fits: |c| c.says("round robin") && c.has("start_index"), run: round_robin },
    Form { fits: |c| c.when == "hash" && c.has("text"), run: node_text },
    Form { fits: |c| c.says("client selects") && c.has("groups"), run: sdk_selects },
    Form { fits: |c| c.when == "siphash24", run: reference_vector },
    Form { fits: |c| c.says("fraction of groups"), run: fraction_moved },
    Form { fits: |c| c.says("route as seen by gRPC client"), run: route_view },
    Form { fits: |c| c.has("throttled"), run: throttled },
    Form { fits: |c| c.says("send with queueId"), run: route_run::send },
    Form { fits: |c| c.says("pull queue"), run: route_run::pull },
    Form { fits: |c| c.says("new queues") || c.says("topic changes"), run: route_run::propagation },
];

/// Answers every expected key `n<count>` with `pick(count)`.
fn per_count(case: &Case, pick: impl Fn(u32) -> i64) -> Outcome {
    let mut answer = Answer::new();
    for key in case.asked() {
        if let Some(Ok(n)) = key.strip_prefix('n').map(str::parse) {
            answer.set(key, pick(n));
        }
    }
    Ok(answer)
}

fn sip(text: &str) -> u64 {
    sip_hash24(text.as_bytes(), GUAVA_SIP_K0, GUAVA_SIP_K1)
}

fn java_candidate(group: &str, n: u32) -> i64 {
    Sdk::Java.candidate(group, n).map_or(-1, i64::from)
}

fn sip_candidate(case: &Case) -> Outcome {
    let group = case.text("group")?;
    case.must_be("sip_u64_hex", format!("0x{:016x}", sip(group)))?;
    per_count(case, |n| java_candidate(group, n))
}

fn proxy_stored(case: &Case) -> Outcome {
    let group = case.text("group")?;
    case.must_be("java_hash", java_hash(group))?;
    per_count(case, |n| i64::from(proxy_queue(group, n)))
}

fn abs_mod(case: &Case) -> Outcome {
    let key = case.text("key")?;
    case.must_be("java_hash", java_hash(key))?;
    per_count(case, |n| i64::from(abs_hash(java_hash(key), n)))
}

fn both_selectors(case: &Case) -> Outcome {
    let key = case.text("key")?;
    let hash = java_hash(key);
    case.must_be("java_hash", hash)?;
    let mut answer = Answer::new();
    for (name, pick) in
        [("select_by_hash", select_by_hash as fn(i32, u32) -> i32), ("naive_abs", abs_hash)]
    {
        let mut by_count = Map::new();
        for count in case.asked_in(name) {
            let n = count.parse().map_err(|_| Trouble::Unsupported(format!("count `{count}`")))?;
            by_count.insert(count.to_owned(), pick(hash, n).into());
        }
        answer.set(name, by_count);
    }
    // The sentence about the failure: it happens exactly when the count is no power of two.
    for n in 1..64_u32 {
        let throws = selected(i64::from(abs_hash(i32::MIN, n)), n).is_none();
        if throws == n.is_power_of_two() {
            return Err(Trouble::Wrong(format!("n = {n}: the naive selector throws: {throws}")));
        }
    }
    Ok(answer)
}

fn select_keys(case: &Case) -> Outcome {
    let n = case.number("n")?;
    let indexes: Vec<i32> =
        case.texts("keys")?.iter().map(|key| select_by_hash(java_hash(key), n)).collect();
    let throws = indexes.iter().any(|&index| selected(i64::from(index), n).is_none());
    Ok(Answer::new()
        .with("different", indexes.windows(2).all(|pair| pair[0] != pair[1]))
        .with("throws", throws)
        .with("indexes", indexes))
}

fn select_key(case: &Case) -> Outcome {
    let (key, n) = (case.text("key")?, case.number("n")?);
    let hash = java_hash(key);
    case.must_be("java_hash", hash)?;
    let index = select_by_hash(hash, n);
    Ok(Answer::new()
        .with("index", index)
        .with("raw_remainder", hash_remainder(hash, n))
        .with("throws", selected(i64::from(index), n).is_none()))
}

fn plain_modulo(case: &Case) -> Outcome {
    let n = case.number("n")?;
    let ids = if case.has("ids") { case.ints("ids")? } else { vec![case.int("id")?] };
    let indexes: Vec<i64> = ids.iter().map(|&id| modulo(id, n)).collect();
    let fails = indexes.iter().any(|&index| selected(index, n).is_none());
    let mut answer = Answer::new().with("throws", fails).with("accepted", !fails);
    if let [index] = indexes[..] {
        answer.set("index", index);
    }
    if fails {
        for key in ["error", "failure", "exception", "result"] {
            answer = answer.containing(key, SELECTOR_THREW);
        }
    }
    Ok(answer.with("indexes", indexes))
}

fn several_messages(case: &Case) -> Outcome {
    let (messages, group) = (case.number("messages")?, case.text("group")?);
    if proxy_routes_by_group(messages, group) {
        let n: u32 = case.number("n")?;
        return Ok(Answer::new().with("routing", "by group").with("queue", proxy_queue(group, n)));
    }
    let text = if group.is_empty() { "round-robin" } else { "round-robin, group ignored" };
    Ok(Answer::new().with("routing", text))
}

fn proxy_selects(case: &Case) -> Outcome {
    let n: u32 = case.number("n")?;
    // Whatever queue the client named: the rule does not look at it.
    let _ = case.get("client_queue_id");
    if !case.has("groups") {
        let group = case.text("group")?;
        let queue = proxy_queue(group, n);
        return Ok(Answer::new().with("queue", queue).with("same", queue == proxy_queue(group, n)));
    }
    let groups = case.texts("groups")?;
    let queues: Vec<u32> = groups.iter().map(|group| proxy_queue(group, n)).collect();
    let again: Vec<u32> = groups.iter().map(|group| proxy_queue(group, n)).collect();
    let mut distinct = queues.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let mut answer = Answer::new();
    for key in ["same", "same_group_same_queue", "same_queue_for_same_group", "stable"] {
        answer.set(key, queues == again);
    }
    for key in ["different", "different_queues"] {
        answer.set(key, distinct.len() == queues.len());
    }
    Ok(answer.with("queues", queues))
}

fn select_one(case: &Case) -> Outcome {
    let n: u32 = case.number("n")?;
    let mut agree = true;
    for fault_avoidance in [false, true] {
        for start in [0, 7, 1_000_000] {
            let mut turn = RoundRobin::proxy(start, fault_avoidance);
            let picks: Vec<u32> = (0..4).map(|_| turn.next(n)).collect();
            agree &= picks[0] == picks[3];
        }
    }
    Ok(Answer::new().with("fourth_equals_first", agree))
}

fn round_robin(case: &Case) -> Outcome {
    let (start, n) = (case.number("start_index")?, case.number("n")?);
    case.only_if("brokers", 1)?;
    let mut turn = if case.says("proxy") {
        RoundRobin::proxy(start, case.flag_or("fault_avoidance", false)?)
    } else if case.says("grpc") {
        RoundRobin::grpc_client(start)
    } else if case.says("4.x") || case.says("classic") {
        RoundRobin::classic(start)
    } else {
        return Trouble::unsupported("whose round robin");
    };
    let Some(&sends) = case.numbers_said().last() else {
        return Trouble::unsupported("how many sends");
    };
    let queues: Vec<u32> = (0..sends).map(|_| turn.next(n)).collect();
    Ok(Answer::new().with("queues", queues))
}

fn node_text(case: &Case) -> Outcome {
    let text = case.text("text")?;
    let (java, node) = (sip(text), node_hash(text));
    let by_three = json!({
        "java_go_signed_floor_mod": sip_floor_mod(java, 3),
        "unsigned_mod_of_java_hash": java % 3,
        "node": Sdk::Node.candidate(text, 3),
    });
    Ok(Answer::new()
        .with("java_u64", java.to_string())
        .with("node_u64", node.to_string())
        .with("node_is_byte_swapped", node == java.swap_bytes())
        .with("n3", by_three))
}

fn sdk_selects(case: &Case) -> Outcome {
    let n: u32 = case.number("n")?;
    let name = case.when.split_whitespace().next().unwrap_or_default().to_lowercase();
    let sdk = match name.as_str() {
        "java" => Sdk::Java,
        "go" => Sdk::Go,
        "node" | "nodejs" | "node.js" => Sdk::Node,
        "rust" => Sdk::Rust,
        "python" => Sdk::Python,
        _ => return Trouble::unsupported(format!("SDK `{name}`")),
    };
    let candidates: Vec<u32> =
        case.texts("groups")?.iter().filter_map(|group| sdk.candidate(group, n)).collect();
    let mut answer = Answer::new().with("indexes", candidates.clone());
    if case.has("queue_ids") {
        let ids = case.ints("queue_ids")?;
        let picked: Option<Vec<i64>> =
            candidates.iter().map(|&index| ids.get(index as usize).copied()).collect();
        answer.set("queue_ids", picked.map_or(Value::Null, Value::from));
    }
    Ok(answer)
}

fn reference_vector(case: &Case) -> Outcome {
    case.only_if("key", "000102..0f")?;
    case.only_if("data", "00 01 .. 0e (15 bytes)")?;
    let key: Vec<u8> = (0..16).collect();
    let half =
        |bytes: &[u8]| bytes.iter().rev().fold(0_u64, |sum, &byte| (sum << 8) | u64::from(byte));
    let data: Vec<u8> = (0..=0x0e).collect();
    let hash = sip_hash24(&data, half(&key[..8]), half(&key[8..]));
    Ok(Answer::new().with("u64_hex", format!("0x{hash:016x}")))
}

fn fraction_moved(case: &Case) -> Outcome {
    let (from, to) = (case.number("from")?, case.number("to")?);
    let groups = || (0..10_000).map(|i| format!("order-{i}"));
    let part = |pick: fn(&str, u32) -> i64| -> f64 {
        f64::from(moved(groups(), from, to, pick).per_ten_thousand()) / 10_000.0
    };
    Ok(Answer::new()
        .with("sip_mod", part(java_candidate))
        .with("abs_mod", part(|group, n| i64::from(abs_hash(java_hash(group), n))))
        .with("consistent_hash", part(|group, n| i64::from(proxy_queue(group, n)))))
}

fn route_view(case: &Case) -> Outcome {
    let permission = match case.text("perm")?.to_lowercase().as_str() {
        "rw" => Permission::ReadWrite,
        "r" => Permission::Read,
        "w" => Permission::Write,
        "" | "none" | "0" => Permission::None,
        other => return Trouble::unsupported(format!("permission `{other}`")),
    };
    let route = grpc_route(case.number("read")?, case.number("write")?, permission);
    let count =
        |wanted: Permission| route.iter().filter(|entry| entry.permission == wanted).count() as u64;
    Ok(Answer::new()
        .with("total", route.len())
        .with("none", count(Permission::None))
        .with("read_only", count(Permission::Read))
        .with("write_only", count(Permission::Write))
        .with("read_write", count(Permission::ReadWrite))
        .with("order", describe_order(&route)))
}

/// The runs of equal permission, as in `write-only ids 0..3 first, then read-write 4..7`.
fn describe_order(route: &[RouteEntry]) -> String {
    let mut runs = Vec::new();
    for run in route.chunk_by(|a, b| a.permission == b.permission) {
        let name = match run[0].permission {
            Permission::None => "no access",
            Permission::Read => "read-only",
            Permission::Write => "write-only",
            Permission::ReadWrite => "read-write",
        };
        let (first, last) = (run[0].id, run[run.len() - 1].id);
        runs.push(if runs.is_empty() {
            format!("{name} ids {first}..{last} first")
        } else {
            format!("then {name} {first}..{last}")
        });
    }
    runs.join(", ")
}

fn throttled(case: &Case) -> Outcome {
    let throttled = case.flag_or("throttled", false)?;
    let attempts: u32 = case.number("maxAttempts")?;
    let waits: Vec<i64> = (2..=attempts)
        .map(|attempt| if throttled { throttled_wait_ms(attempt) } else { 0 })
        .collect();
    Ok(Answer::new().with("ms", waits))
}
