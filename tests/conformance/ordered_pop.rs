//! Ordered POP in the running simulator: what one POP returns, acknowledgements, invisible times,
//! assignments, push consumers.

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use super::pop_stage::{label, Plan, PopRun};
use super::{order_info, pop_wake, Form};
use lockstep_core::broker::pop::AttemptId;
use lockstep_core::command::{Attempts, TopicType};
use lockstep_core::fact::{Fact, Outcome as Returned, StopKind};
use lockstep_core::grpc::{AckCode, PopStatus};
use lockstep_core::ids::Ms;
use lockstep_core::model::{Model, Version};
use lockstep_core::pop::{Backoff, GrpcKind, PopFact, PopSetting};
use lockstep_core::proxy::validate::{check_change_invisible, check_receive_invisible};
use serde_json::Value;
use std::collections::BTreeMap;

/// The forms of this area.
pub const FORMS: &[Form] = &[
    Form { fits: |c| c.says("autoClean"), run: order_info::clean },
    Form { fits: |c| c.has("old"), run: order_info::old_record },
    Form { fits: |c| c.has("q0") && c.has("q1"), run: order_info::two_queues },
    Form {
        fits: |c| c.has("pops") && (c.asks("counts") || c.asks("queue_count")),
        run: order_info::pops,
    },
    Form { fits: pop_wake::fits, run: pop_wake::run },
    Form { fits: |c| c.has("maxMsgNums"), run: too_many },
    Form { fits: |c| c.has("invisible_s"), run: invisible_limits },
    Form { fits: |c| c.has("read") && c.says("assignment"), run: assignments },
    Form { fits: |c| c.asks("fifo"), run: fifo_flag },
    Form { fits: |c| c.has("scan_ticks") && c.has("crash"), run: crash },
    Form { fits: |c| c.has("scan_ticks"), run: renewals },
    Form { fits: |c| c.has("batch"), run: push_batch },
    Form { fits: |c| c.has("queues"), run: broker_wide },
    Form { fits: |c| c.has("queue") && c.has("popped"), run: blocked_queue },
    Form { fits: |c| c.has("committed") && c.has("popMax"), run: corrected },
    Form { fits: |c| c.has("messages") && c.has("pops"), run: attempts },
    Form { fits: |c| c.has("messages"), run: deliveries },
    Form { fits: |c| c.says("change invisible time"), run: change_outside },
    Form { fits: |c| c.asks("code") || c.has("committed"), run: acknowledge },
    Form { fits: |c| c.has("pop"), run: order_info::one_pop },
];

fn codes(case: &Case, codes: &[String]) -> Answer {
    match codes {
        [one] if case.asked_len("code").is_none() => Answer::new().with("code", one.clone()),
        all => Answer::new().with("code", all.to_vec()),
    }
}

fn code_text(code: AckCode) -> String {
    let name = match code {
        AckCode::Success => "SUCCESS",
        AckCode::MessageIllegal => "MESSAGE_ILLEGAL",
        AckCode::NoMessage => "NO_MESSAGE",
        AckCode::SystemError => "SYSTEM_ERROR",
    };
    format!("{name}({})", code.number())
}

fn too_many(case: &Case) -> Outcome {
    let max: u32 = case.number("maxMsgNums")?;
    let of = |version: Version| -> Result<String, Trouble> {
        let mut run = Plan::new(version, 1).run();
        run.until(0)?;
        let token = run.pop(10, |p| p.max = max);
        run.until(20)?;
        Ok(match (run.status(token), Model::of(version).illegal_queue_code) {
            (Some(PopStatus::Illegal), 29) => "INVALID_PARAMETER(29)".to_owned(),
            (Some(PopStatus::Illegal), 1) => "SYSTEM_ERROR(1)".to_owned(),
            (other, _) => format!("{other:?}"),
        })
    };
    Ok(Answer::new()
        .with("code", of(Version(5, 3, 3))?)
        .with("code_up_to_5.3.1", of(Version(5, 3, 1))?)
        .with("code_before_5.3.2", of(Version(5, 3, 1))?))
}

fn invisible_limits(case: &Case) -> Outcome {
    let model = Model::of(Version(5, 3, 3));
    case.must_be("min_s", model.min_invisible_time_for_recv_ms / 1_000)?;
    case.must_be("max_s", model.max_invisible_time_ms / 1_000)?;
    let change = case.says("change");
    let of = |seconds: i64| {
        let checked = match change {
            true => check_change_invisible(&model, seconds * 1_000),
            false => check_receive_invisible(&model, seconds * 1_000),
        };
        match checked {
            Ok(()) => "OK".to_owned(),
            Err(code) => format!("{}({})", code.named().1, code.number()),
        }
    };
    let seconds = match case.value("invisible_s")? {
        Value::Array(_) => case.ints("invisible_s")?,
        _ => vec![case.int("invisible_s")?],
    };
    let all: Vec<String> = seconds.into_iter().map(of).collect();
    let ok: Vec<bool> = all.iter().map(|code| code == "OK").collect();
    Ok(codes(case, &all).with("accepted", ok.clone()).with("ok", ok))
}

/// A push consumer asks: how many receive loops it gets, and for which queue ids.
fn assignments(case: &Case) -> Outcome {
    let read: u16 = case.number("read")?;
    let orderly = case.flag_or("consumeMessageOrderly", false)?;
    let version = super::version::release_of(case)?;
    let mut plan = Plan::new(version, read);
    plan.set(PopSetting::Orderly(orderly)).start(0, "c", GrpcKind::Push);
    let mut run = plan.run();
    run.until(2_000)?;
    let loops: Vec<Option<u16>> = run
        .world
        .clients
        .iter()
        .filter_map(|process| process.grpc())
        .flat_map(|client| &client.loops)
        .map(|l| l.from.queue)
        .collect();
    let ids: Vec<i64> = loops.iter().map(|id| id.map_or(-1, i64::from)).collect();
    let answer = Answer::new().with("assignments", loops.len()).with("queue_ids", ids.clone());
    Ok(match ids[..] {
        [one] => answer.with("queue_id", one),
        _ => answer.with("queue_id", ids),
    })
}

fn fifo_flag(case: &Case) -> Outcome {
    let kind = match case.get("topic_type").and_then(Value::as_str) {
        Some("NORMAL") => TopicType::Normal,
        _ => TopicType::Fifo,
    };
    let orderly = case.flag_or("consumeMessageOrderly", false)?;
    let mut plan = Plan::newest(1).kind(kind);
    plan.set(PopSetting::Orderly(orderly)).start(0, "c", GrpcKind::Push);
    let mut run = plan.run();
    run.until(2_000)?;
    let client = run.world.clients.iter().find_map(|process| process.grpc());
    let fifo = client.and_then(|client| client.fifo);
    Ok(Answer::new().with("fifo", fifo.map_or(Value::Null, Value::Bool)))
}

/// The instants at which the proxy extends a message that is handled for very long.
fn renewals(case: &Case) -> Outcome {
    case.only_if("scan_ticks", "5000 k")?;
    case.only_if("client_alive", true)?;
    let pop_ms = case.int("pop")?;
    case.must_be("invisible", 60_000)?;
    let version = super::version::release_of(case)?;
    let mut plan = Plan::new(version, 1);
    plan.fill(pop_ms, 0, 1).start(0, "c", GrpcKind::Push);
    plan.handle(None, Attempts::All, None, Some(20_000_000));
    let mut run = plan.run();
    run.until(pop_ms + 12_000_000)?;
    let all: Vec<(Ms, Ms)> = run
        .facts
        .iter()
        .filter_map(|(at_ms, fact)| match fact {
            Fact::Pop(PopFact::Renewed { until_ms, .. }) => Some((*at_ms, *until_ms)),
            _ => None,
        })
        .collect();
    let first = |count: Option<usize>| all.iter().take(count.unwrap_or(all.len()));
    Ok(Answer::new()
        .with(
            "renew_at",
            first(case.asked_len("renew_at")).map(|(at_ms, _)| *at_ms).collect::<Vec<Ms>>(),
        )
        .with(
            "visible_until",
            first(case.asked_len("visible_until"))
                .map(|(_, until_ms)| *until_ms)
                .collect::<Vec<Ms>>(),
        )
        .with("last_renewal_ms", all.last().map(|(at_ms, _)| *at_ms)))
}

/// A push consumer dies; when are its messages seen again?
fn crash(case: &Case) -> Outcome {
    let crash_ms = case.int("crash")?;
    let heartbeat_ms =
        ["heartbeat", "last_heartbeat", "heartbeat_ms"].into_iter().find(|key| case.has(key));
    let heartbeat_ms = case.int(heartbeat_ms.unwrap_or("heartbeat"))?;
    let _ = case.get("scan_ticks");
    // Heartbeats come one second after the start and then every 10 s.
    let start_ms = (heartbeat_ms - 1_000).rem_euclid(10_000);
    let mut plan = Plan::newest(1);
    plan.fill(0, 0, 1).start(start_ms, "c1", GrpcKind::Push);
    plan.handle(None, Attempts::All, None, Some(20_000_000));
    let how = StopKind::Crash;
    plan.at(crash_ms, lockstep_core::command::Command::StopConsumer { name: "c1".to_owned(), how });
    plan.start(crash_ms + 500, "c2", GrpcKind::Push);
    let mut run = plan.run();
    run.until(crash_ms + 300_000)?;
    let dropped = run.when(|f| matches!(f, PopFact::ClientDropped { silent: true, .. }));
    let visible = run.facts.iter().find_map(|(at_ms, fact)| match fact {
        Fact::Pop(PopFact::InvisibleChanged { until_ms, .. }) if dropped.contains(at_ms) => {
            Some(*until_ms)
        }
        _ => None,
    });
    let again = run.popped().into_iter().map(|(at_ms, ..)| at_ms).find(|ms| *ms > crash_ms);
    let mut answer = Answer::new();
    for name in ["dropped_at", "dropped_ms", "dropped_at_ms", "client_dropped_at"] {
        answer.set(name, dropped.first().copied());
    }
    for name in ["visible_at", "visible_ms", "visible_at_ms", "messages_visible_at"] {
        answer.set(name, visible);
    }
    for name in
        ["served_by", "served_by_ms", "waiter_served_by", "waiter_served_by_ms", "served_at"]
    {
        answer.set(name, again);
    }
    Ok(answer)
}

/// A push consumer and one batch over several queues.
fn push_batch(case: &Case) -> Outcome {
    let mut model = Plan::newest(1).model;
    model.pop_start_random = 0;
    let entries = case.texts("batch")?;
    let mut queues: BTreeMap<u16, Vec<(String, u32)>> = BTreeMap::new();
    for (place, entry) in entries.iter().enumerate() {
        let Some(label) = label(entry) else {
            return Trouble::unsupported(format!("message `{entry}`"));
        };
        let named =
            entry.split("(q").nth(1).and_then(|rest| rest.trim_end_matches(')').parse().ok());
        queues.entry(named.unwrap_or(place as u16)).or_default().push(label);
    }
    let mut plan = Plan::newest(queues.keys().max().map_or(1, |q| q + 1));
    plan.model = model;
    for (queue, labels) in &queues {
        plan.store(0, *queue, labels);
    }
    let backoff_ms = case.int_or("backoff_ms", 1_000)?;
    plan.set(PopSetting::Backoff(Backoff::Customized([backoff_ms].into())));
    plan.set(PopSetting::Accelerator(case.flag_or("accelerator", false)?));
    for entry in &entries {
        let Some((series, number)) = label(entry) else { continue };
        let name = format!("{series}{number}_fails");
        if case.has(&name) {
            let first = Attempts::First(case.number(&name)?);
            plan.handle(Some((series.as_str(), number)), first, Some(Returned::Later), None);
        }
    }
    plan.start(1_000, "c", GrpcKind::Push);
    let mut run = plan.run();
    run.until(30_000)?;
    let begin_ms = run.calls().first().map_or(0, |(at_ms, _)| *at_ms);
    let calls: Vec<Value> = run
        .calls()
        .into_iter()
        .map(|(at_ms, m)| serde_json::json!({ "t": at_ms - begin_ms, "m": m }))
        .collect();
    Ok(Answer::new().with("calls", calls))
}

/// What one POP of the whole broker returns, and then a second one.
fn broker_wide(case: &Case) -> Outcome {
    let max: u32 = case.number("max")?;
    let queues = case.object("queues")?.clone();
    let starts = match case.value("r")? {
        Value::Array(_) => case.ints("r")?,
        _ => vec![case.int("r")?],
    };
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for r in starts {
        let mut plan = Plan::newest(queues.len() as u16);
        plan.model.pop_start_random = r;
        for (queue, labels) in &queues {
            let queue: u16 =
                queue.parse().map_err(|_| Trouble::Unsupported(format!("queue `{queue}`")))?;
            let texts = labels.as_array().map(Vec::as_slice).unwrap_or_default();
            let labels: Vec<(String, u32)> =
                texts.iter().filter_map(|l| label(l.as_str()?)).collect();
            plan.store(0, queue, &labels);
        }
        let mut run = plan.run();
        run.until(5)?;
        run.pop(10, |p| p.max = max);
        run.until(10)?;
        let labels =
            |run: &PopRun| run.popped().into_iter().map(|(_, l, ..)| l).collect::<Vec<String>>();
        let got = labels(&run);
        run.pop(20, |p| p.max = max);
        run.until(20)?;
        second.push(labels(&run).split_off(got.len()));
        first.push(got);
    }
    let several = case.peek("r").is_some_and(Value::is_array);
    Ok(match several {
        true => Answer::new().with("first", first).with("second", second),
        false => Answer::new().with("first", first.concat()).with("second", second.concat()),
    })
}

/// A queue that several message groups share.
fn blocked_queue(case: &Case) -> Outcome {
    let split = |text: &str| -> Option<(String, u32)> {
        let (series, number) = text.split_once("-M")?;
        Some((format!("{series}x"), number.parse().ok()?))
    };
    let labels: Option<Vec<(String, u32)>> = case.texts("queue")?.into_iter().map(split).collect();
    let Some(labels) = labels else { return Trouble::unsupported("labels") };
    let max: u32 = case.number("max")?;
    let count = case.texts("popped")?.len() as u32;
    let mut plan = Plan::newest(1);
    plan.store(0, 0, &labels);
    let mut run = plan.run();
    run.until(5)?;
    run.pop(10, |p| p.max = count);
    run.until(10)?;
    run.pop(20, |p| p.max = max);
    run.until(20)?;
    let name = |l: &str| l.replacen("x", "-M", 1);
    let returned: Vec<String> =
        run.popped().into_iter().skip(count as usize).map(|(_, l, ..)| name(&l)).collect();
    Ok(Answer::new().with("returned", returned))
}

/// A POP below the minimum.
fn corrected(case: &Case) -> Outcome {
    let (committed, min, max) = (case.int("committed")?, case.int("min")?, case.int("max")?);
    let pop_max: u32 = case.number("popMax")?;
    let mut plan = Plan::newest(1);
    plan.fill(0, 0, u32::try_from(max).unwrap_or(0));
    let mut run = plan.run();
    run.until(5)?;
    run.set_min(0, min);
    run.set_committed(0, committed);
    run.pop(10, |p| p.max = pop_max);
    run.until(10)?;
    let returned: Vec<u32> = run.popped().into_iter().map(|(_, _, offset, _)| offset).collect();
    let mut answer = Answer::new()
        .with("returned", returned.clone())
        .with("committed_until_first_ack", run.committed(0));
    let mut at_ms = 20;
    for offset in returned {
        if let Some(handle) = run.handle(0, i64::from(offset)) {
            run.settle(at_ms, handle, None);
            run.until(at_ms)?;
            at_ms += 10;
        }
        answer.set(&format!("committed_after_ack_{offset}"), run.committed(0));
    }
    Ok(answer)
}

/// Deliveries to receives with attempt ids.
fn attempts(case: &Case) -> Outcome {
    let count: u32 = case.number("messages")?;
    let invisible_ms = case.int("invisible")?;
    let mut plan = Plan::newest(1);
    plan.fill(0, 0, count);
    let mut run = plan.run();
    run.until(0)?;
    let mut last_ms = 0;
    for entry in case.list("pops")? {
        let at_ms = entry.get("t").and_then(Value::as_i64).unwrap_or(0);
        let attempt = entry.get("attempt").and_then(Value::as_str).map(|text| {
            AttemptId(text.bytes().fold(7, |hash: u64, b| hash.wrapping_mul(31) + u64::from(b)))
        });
        run.pop(1_000 + at_ms, |p| {
            (p.max, p.invisible_ms, p.attempt) = (count, invisible_ms, attempt)
        });
        last_ms = 1_000 + at_ms;
    }
    run.until(last_ms)?;
    let counts: Vec<u32> = run.popped().into_iter().map(|(.., n)| n).collect();
    Ok(Answer::new().with("reconsume", counts.clone()).with("reconsume_seq", counts))
}

/// Offsets of messages that a case names `m1`, `m2`, … or by number.
fn named_offsets(case: &Case, key: &str) -> Result<Vec<u32>, Trouble> {
    let of = |value: &Value| match value {
        Value::String(text) => text.strip_prefix('m')?.parse::<u32>().ok()?.checked_sub(1),
        other => u32::try_from(other.as_u64()?).ok()?.checked_sub(1),
    };
    let all: Option<Vec<u32>> = case.list(key)?.iter().map(of).collect();
    all.ok_or_else(|| Trouble::Unsupported(format!("`{key}`")))
}

/// How long a message is postponed.
fn postponed_ms(postponed: &serde_json::Map<String, Value>, offset: u32) -> Option<Ms> {
    let name = format!("m{}", offset + 1);
    let value = postponed.get(&name).or_else(|| postponed.get(&(offset + 1).to_string()))?;
    value.as_i64().or_else(|| value.as_str()?.trim_start_matches('+').parse().ok())
}

/// Pops, acknowledgements and changes until nothing more comes.
fn deliveries(case: &Case) -> Outcome {
    let count: u32 = case.number("messages")?;
    let max: u32 = if case.has("max") { case.number("max")? } else { 1 };
    let invisible_ms = case.int_or("invisible", 30_000)?;
    // Either all are acknowledged or none, or those that are named, on their first delivery.
    let named = match case.peek("ack") {
        Some(Value::Array(_)) => Some(named_offsets(case, "ack")?),
        _ => None,
    };
    let acks = named.is_some() || case.flag_or("ack", true)?;
    let postponed = match case.get("change") {
        Some(Value::Object(map)) => map.clone(),
        _ => serde_json::Map::new(),
    };
    let ack_after_ms = case.int_or("ack_after_ms", 100)?;
    let change_ms = match case.get("change_ms") {
        Some(value) => value.as_i64(),
        None => None,
    };
    let mut plan = Plan::newest(1);
    plan.fill(0, 0, count);
    let mut run = plan.run();
    run.until(0)?;
    let until_deliveries = case.numbers_said().first().copied().unwrap_or(i64::MAX) as usize;
    let mut now_ms = 1_000;
    let mut known = 0;
    for _ in 0..200 {
        if known >= until_deliveries {
            break;
        }
        run.pop(now_ms, |p| (p.max, p.invisible_ms) = (max, invisible_ms));
        run.until(now_ms)?;
        let fresh = run.popped().split_off(known);
        known += fresh.len();
        for (_, _, offset, times) in &fresh {
            let Some(handle) = run.handle(0, i64::from(*offset)) else { continue };
            match change_ms {
                Some(ms) if *times == 0 => {
                    run.settle(now_ms + 1, handle, Some(ms));
                }
                _ if *times == 0 && postponed_ms(&postponed, *offset).is_some() => {
                    run.settle(now_ms + 1, handle, postponed_ms(&postponed, *offset));
                }
                _ if *times == 0
                    && named.as_ref().is_some_and(|n| !n.contains(offset))
                    && *offset < max => {}
                _ if acks => {
                    run.settle(now_ms + ack_after_ms, handle, None);
                }
                _ => {}
            }
        }
        now_ms += 500;
        run.until(now_ms - 1)?;
    }
    let all = run.popped();
    let mut each: BTreeMap<u32, u32> = BTreeMap::new();
    for (_, _, offset, _) in &all {
        *each.entry(*offset).or_default() += 1;
    }
    let mut times: Vec<u32> = all.iter().map(|(.., n)| *n).collect();
    times.dedup();
    let in_order = all.windows(2).all(|pair| pair[0].2 <= pair[1].2);
    let same = each.values().min() == each.values().max();
    let sequence: Vec<String> =
        all.iter().map(|(_, _, offset, _)| format!("m{}", offset + 1)).collect();
    Ok(Answer::new()
        .with("received", all.len())
        .with("deliveries", all.len())
        .with("in_order", in_order)
        .with("distinct", each.len())
        .with("each_delivered", if same { each.values().next().copied() } else { None })
        .with("sequence", sequence)
        .with("reconsume_seq", times))
}

/// Numbers in a text, with `min-1` and `max+1` for the given ends.
fn places(case: &Case, words: &str) -> Result<Vec<i64>, Trouble> {
    let mut found = Vec::new();
    for word in words.split(|c: char| c.is_whitespace() || ",;()".contains(c)) {
        let named = ["min", "max", "committed"]
            .into_iter()
            .find_map(|name| Some((name, word.strip_prefix(name)?)));
        if let Some((name, rest)) = named {
            let by = if rest.is_empty() { Some(0) } else { rest.parse::<i64>().ok() };
            if let (true, Some(by)) = (case.has(name), by) {
                found.push(case.int(name)? + by);
            }
        } else if let Ok(number) = word.parse() {
            found.push(number);
        }
    }
    Ok(found)
}

/// A run in which a queue reaches from `min` to `max` and `popped` was popped.
fn prepared(case: &Case) -> Result<PopRun, Trouble> {
    let popped = if case.has("pop") { case.ints("pop")? } else { Vec::new() };
    let committed = if case.has("committed") { Some(case.int("committed")?) } else { None };
    let min = case.int_or("min", 0)?;
    let top = popped.iter().chain(&committed).max().copied().unwrap_or(0) + 20;
    let max = case.int_or("max", top)?;
    let mut plan = Plan::newest(1);
    plan.fill(0, 0, u32::try_from(max).unwrap_or(0));
    let mut run = plan.run();
    run.until(5)?;
    if min > 0 {
        run.set_min(0, min);
    }
    let start = popped.first().copied().or(committed).unwrap_or(min);
    run.set_committed(0, start);
    let count = popped.len().max(1) as u32;
    run.pop(10, |p| p.max = count);
    run.until(10)?;
    Ok(run)
}

fn acknowledge(case: &Case) -> Outcome {
    let mut run = prepared(case)?;
    let words = case.when.split('(').next().unwrap_or_default().to_owned();
    let mut all = Vec::new();
    for (turn, offset) in places(case, &words)?.into_iter().enumerate() {
        let handle = run
            .handle(0, offset)
            .ok_or_else(|| Trouble::Unsupported("nothing popped".to_owned()))?;
        let at_ms = 20 + turn as Ms;
        let token = run.settle(at_ms, handle, None);
        run.until(at_ms + 1)?;
        all.extend(run.code(token).map(code_text));
    }
    Ok(codes(case, &all).with("committed", run.committed(0)))
}

fn change_outside(case: &Case) -> Outcome {
    let mut run = prepared(case)?;
    let words = case.when.split("offset").nth(1).unwrap_or_default().to_owned();
    let mut all = Vec::new();
    for (turn, offset) in places(case, &words)?.into_iter().enumerate() {
        let handle = run
            .handle(0, offset)
            .ok_or_else(|| Trouble::Unsupported("nothing popped".to_owned()))?;
        let at_ms = 20 + turn as Ms;
        let token = run.settle(at_ms, handle, Some(30_000));
        run.until(at_ms + 1)?;
        all.extend(run.code(token).map(code_text));
    }
    Ok(codes(case, &all))
}
