//! Long polling in the running simulator: who is woken, by what, when.

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use super::pop_stage::{Plan, PopRun};
use super::version::release_of;
use lockstep_core::fact::Fact;
use lockstep_core::ids::Ms;
use lockstep_core::pop::{PopFact, Wake};
use serde_json::Value;

/// Whether a case is about waiting receives.
pub fn fits(case: &Case) -> bool {
    let asks = [
        "notified",
        "waiter",
        "woken",
        "fresh_receive",
        "long_poll",
        "second_run",
        "answer",
        "served",
    ];
    case.asked().any(|name| asks.iter().any(|part| name.contains(part))) && !case.has("crash")
        || case.has("waiters")
}

/// Runs the form that fits.
pub fn run(case: &Case) -> Outcome {
    if case.has("waiters") {
        return several(case);
    }
    if case.asked().any(|name| name.contains("notified")) {
        return notified(case);
    }
    if case.has("last_ack") || case.has("last_acks") {
        return last_ack(case);
    }
    if case.has("change") {
        return hidden_longer(case);
    }
    if case.has("pop") && case.has("invisible") {
        return runs_out(case);
    }
    idle(case)
}

fn woken(run: &PopRun, wanted: impl Fn(Wake) -> bool) -> Vec<Ms> {
    run.when(|f| matches!(f, PopFact::PollWoken { why, .. } if wanted(*why)))
}

/// Waiters with different ends; one message arrives.
fn several(case: &Case) -> Outcome {
    let mut plan = Plan::newest(1);
    plan.fill(1_000, 0, 1);
    let mut run = plan.run();
    run.until(0)?;
    let mut names = Vec::new();
    for waiter in case.list("waiters")? {
        let expiry_ms = waiter.get("expiry").and_then(Value::as_i64);
        let Some(expiry_ms) = expiry_ms else {
            return Trouble::unsupported(format!("waiter `{waiter}`"));
        };
        let arrival_ms = waiter.get("arrival").and_then(Value::as_i64).unwrap_or(0);
        let token = run.pop(arrival_ms, |p| p.poll_ms = expiry_ms - arrival_ms);
        names.push((
            token,
            waiter.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(),
        ));
    }
    run.until(1_000)?;
    let polls = run.world.brokers.first().map(|broker| &broker.pop.polls);
    let left: Vec<u32> = polls.map_or_else(Vec::new, |p| p.iter().map(|r| r.rpc.token).collect());
    let gone: Vec<String> = names
        .into_iter()
        .filter(|(token, _)| !left.contains(token))
        .map(|(_, name)| name)
        .collect();
    Ok(Answer::new().with("woken", gone))
}

/// A receive on an idle broker.
fn idle(case: &Case) -> Outcome {
    let at_ms = case.int_or("poll", case.int_or("poll_at", 0)?)?;
    let wait_ms = ["poll_time", "poll_ms", "wait", "timeout", "long_poll"]
        .into_iter()
        .find(|key| case.has(key));
    let wait_ms = case.int(wait_ms.unwrap_or("poll_time"))?;
    for name in ["scan_phase", "phase"] {
        case.only_if(name, 0)?;
    }
    let mut run = Plan::newest(1).run();
    run.until(0)?;
    run.pop(at_ms, |p| p.poll_ms = wait_ms);
    run.until(at_ms + wait_ms + 1_000)?;
    let last = woken(&run, |why| why == Wake::Expiry).first().copied();
    let mut answer = Answer::new();
    for name in
        ["second_run_ms", "answer_ms", "answered_ms", "waiter_runs_ms", "second_run", "answer_at"]
    {
        answer.set(name, last);
    }
    Ok(answer)
}

/// A record whose un-acknowledged messages become visible by themselves or are acknowledged: when the
/// waiting receive is told.
fn notified(case: &Case) -> Outcome {
    let invisible_ms = case.int("invisible")?;
    let restart = case.flag_or("restart", false)?;
    let mut plan = Plan::newest(1);
    plan.fill(0, 0, 2);
    if restart {
        let clean = lockstep_core::fact::BrokerStop::Clean;
        plan.at(1_020, lockstep_core::command::Command::StopBroker { broker: None, how: clean });
        plan.at(1_030, lockstep_core::command::Command::StartBroker { broker: None });
    }
    let mut run = plan.run();
    run.until(900)?;
    run.pop(1_000, |p| (p.max, p.invisible_ms) = (1, invisible_ms));
    run.until(1_000)?;
    let handle = run.handle(0, 0).ok_or_else(|| Trouble::Wrong("nothing popped".to_owned()))?;
    if case.has("change_to") {
        let change_ms = case.int("change_to")?;
        run.settle(1_010, handle, Some(change_ms));
    } else if case.says("ack") && !case.says("no ack") {
        run.settle(1_010, handle, None);
    }
    // It waits before anything changes; after a restart it has to come again.
    let waits_ms = if restart { 1_050 } else { 1_005 };
    run.pop(waits_ms, |p| p.poll_ms = 20_000);
    run.until(30_000)?;
    let told = woken(&run, |why| matches!(why, Wake::LockFree | Wake::Acked)).first().copied();
    let Some(told_ms) = told else { return Err(Trouble::Wrong("never told".to_owned())) };
    let after_ms = told_ms - 1_000;
    let mut answer = Answer::new();
    let asked: Vec<String> = case.asked().map(str::to_owned).collect();
    for name in asked {
        answer = match case.asked_len(&name) {
            Some(2) => answer.between(&name, after_ms),
            _ => answer.at_most(&name, after_ms),
        };
    }
    Ok(answer)
}

/// The last message of a record is acknowledged.
fn last_ack(case: &Case) -> Outcome {
    let origin_ms = case.int_or("T0", 0)?;
    let version = release_of(case)?;
    let instants = match case.has("last_acks") {
        true => case.ints("last_acks")?,
        false => match case.value("last_ack")? {
            Value::Array(_) => case.ints("last_ack")?,
            _ => vec![case.int("last_ack")?],
        },
    };
    let id = case.int_or("waiter_queue_id", -1)?;
    let queue = u16::try_from(id).ok();
    let acked: u16 =
        if case.has("acked_queue") { case.number("acked_queue")? } else { queue.unwrap_or(0) };
    let expiry_ms = case.int_or("waiter_expiry", 20_000)?;
    let mut all = Vec::new();
    let mut by_ack = false;
    let mut at_expiry = false;
    for ack_ms in instants {
        let mut plan = Plan::new(version, acked + 1);
        plan.fill(0, acked, 2);
        let mut run = plan.run();
        run.until(0)?;
        run.set_committed(acked, 0);
        run.set_wheel_origin(origin_ms);
        run.pop(10, |p| (p.max, p.queue) = (1, Some(acked)));
        run.until(10)?;
        run.pop(20, |p| (p.queue, p.poll_ms) = (queue, expiry_ms - 20));
        let handle =
            run.handle(acked, 0).ok_or_else(|| Trouble::Wrong("nothing popped".to_owned()))?;
        run.settle(ack_ms, handle, None);
        run.until(expiry_ms + 1_000)?;
        let told = woken(&run, |why| matches!(why, Wake::Acked | Wake::LockFree)).first().copied();
        by_ack |= told.is_some();
        at_expiry |= told.is_none() && !woken(&run, |why| why == Wake::Expiry).is_empty();
        all.push(told.or_else(|| woken(&run, |why| why == Wake::Expiry).first().copied()));
    }
    let mut answer =
        Answer::new().with("woken_by_ack", by_ack).with("waiter_runs_at_expiry", at_expiry);
    for name in ["waiter_runs_ms", "waiter_served_ms", "served_ms", "waiter_served_at"] {
        match all[..] {
            [one] if case.asked_len(name).is_none() => answer.set(name, one),
            _ => answer.set(name, all.clone()),
        }
    }
    Ok(answer)
}

/// Nobody acknowledges; the record becomes visible.
fn runs_out(case: &Case) -> Outcome {
    let origin_ms = case.int_or("T0", 0)?;
    let (pop_ms, invisible_ms) = (case.int("pop")?, case.int("invisible")?);
    let free_ms = pop_ms + invisible_ms;
    let play = |fresh: bool| -> Result<PopRun, Trouble> {
        let mut plan = Plan::newest(1);
        plan.fill(0, 0, 1);
        let mut run = plan.run();
        run.until(0)?;
        run.set_wheel_origin(origin_ms);
        run.pop(pop_ms, |p| (p.max, p.invisible_ms) = (1, invisible_ms));
        run.pop(free_ms - 10_000, |p| p.poll_ms = 20_000);
        if fresh {
            run.pop(free_ms, |p| p.max = 1);
        }
        run.until(free_ms + 30_000)?;
        Ok(run)
    };
    let again = |run: &PopRun| run.popped().get(1).map(|(at_ms, ..)| *at_ms);
    let waiter = again(&play(false)?);
    let mut answer = Answer::new().with("fresh_receive_served_ms", again(&play(true)?));
    for name in
        ["waiter_runs_if_no_fresh_receive_ms", "waiter_runs_ms", "waiter_served_ms", "served_ms"]
    {
        answer.set(name, waiter);
    }
    Ok(answer)
}

/// The first message of a record is visible before a later one.
fn hidden_longer(case: &Case) -> Outcome {
    let popped = case.ints("pop")?;
    let invisible_ms = case.int("invisible")?;
    let pop_ms = case.int_or("popTime", 0)?;
    let expiry = ["waiter_expiry", "expiry"].into_iter().find(|key| case.has(key));
    let expiry_ms = match expiry {
        Some(key) => case.int(key)?,
        None => 20_000,
    };
    let _ = case.get("T0");
    let changes = case.object("change")?.clone();
    let (Some(first), Some(last)) = (popped.first().copied(), popped.last().copied()) else {
        return Trouble::unsupported("nothing popped");
    };
    let mut plan = Plan::newest(1);
    plan.fill(0, 0, u32::try_from(last + 2).unwrap_or(0));
    let mut run = plan.run();
    run.until(0)?;
    run.set_committed(0, first);
    run.set_wheel_origin(case.int_or("T0", 0)?);
    run.pop(pop_ms, |p| (p.max, p.invisible_ms) = (popped.len() as u32, invisible_ms));
    run.until(pop_ms)?;
    for (offset, ms) in changes {
        let (Ok(offset), Some(ms)) = (offset.parse::<i64>(), ms.as_i64()) else {
            return Trouble::unsupported("change");
        };
        let handle =
            run.handle(0, offset).ok_or_else(|| Trouble::Wrong("not popped".to_owned()))?;
        run.settle(pop_ms, handle, Some(ms - pop_ms));
    }
    run.pop(pop_ms, |p| p.poll_ms = expiry_ms - pop_ms);
    run.until(expiry_ms + 1_000)?;
    let told = woken(&run, |why| why == Wake::LockFree);
    let served = run
        .facts
        .iter()
        .filter(|(at_ms, fact)| {
            *at_ms > pop_ms && matches!(fact, Fact::Pop(PopFact::Popped { .. }))
        })
        .map(|(at_ms, _)| *at_ms)
        .next();
    let mut answer = Answer::new()
        .with("woken_ms", told.clone())
        .with("woken_at", told.clone())
        .with("still_blocked", told.first().is_some_and(|ms| Some(*ms) != served));
    for name in ["served_ms", "served_at", "waiter_served_ms", "waiter_runs_ms"] {
        answer.set(name, served);
    }
    Ok(answer)
}
