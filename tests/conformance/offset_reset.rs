//! Resets of consumer offsets.

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use super::offset_search::Stored;
use super::offset_store::response;
use super::popper::Popper;
use super::run::Run;
use super::stage::{Stage, GROUP, OWNER, TOPIC};
use super::version::release_of;
use super::Form;
use lockstep_core::command::{Command, Refusal, ResetTarget};
use lockstep_core::event::{Event, Packet, PullStatus, Rpc};
use lockstep_core::fact::Fact;
use lockstep_core::ids::{BrokerId, ClientId, GroupId, MessageQueue, Ms, Party};
use lockstep_core::model::Model;
use serde_json::Value;
use std::collections::BTreeSet;

/// The forms of this area.
pub const FORMS: &[Form] = &[
    Form { fits: |c| c.has("topic_exists") || c.has("group_exists"), run: unknown_names },
    Form { fits: |c| c.has("consumer_online") || c.has("stored_offsets"), run: legacy },
    Form { fits: |c| c.has("hold_start"), run: idle },
    Form { fits: |c| c.has("request_offset"), run: classic_pull },
    Form { fits: |c| c.has("pending_reset") && c.says("commit"), run: ignored_commit },
    Form { fits: |c| c.has("pending_reset"), run: pending_query },
    Form { fits: |c| c.has("after_count"), run: while_popping },
    Form { fits: |c| c.has("messages") && c.says("pop"), run: popping },
    Form { fits: |c| c.has("timestamp"), run: by_time },
    Form { fits: |c| c.has("min") && c.has("max"), run: to_offsets },
];

/// A response code as cases write it.
fn code_name(code: i32) -> String {
    let name = match code {
        0 => "SUCCESS",
        1 => "SYSTEM_ERROR",
        17 => "TOPIC_NOT_EXIST",
        26 => "SUBSCRIPTION_GROUP_NOT_EXIST",
        206 => "CONSUMER_NOT_ONLINE",
        _ => "CODE",
    };
    format!("{name}({code})")
}

fn reset(topic: &str, group: &str, queue: Option<u16>, target: ResetTarget) -> Command {
    Command::ResetOffset {
        group: group.to_owned(),
        topic: topic.to_owned(),
        broker: None,
        queue,
        target,
        force: true,
    }
}

/// Gives a reset at the present; the broker's refusal, if it refuses.
fn give(run: &mut Run, command: &Command) -> Result<(), (i32, String)> {
    const NUMBER: u32 = 1_000_000;
    run.world.apply_now(NUMBER, command);
    let now_ms = run.world.now_ms() - super::stage::ZERO_MS;
    for fact in run.world.facts() {
        run.facts.push((now_ms, *fact));
    }
    let refused =
        run.world.facts().iter().any(|f| matches!(f, Fact::CommandRefused { index: NUMBER }));
    match run.world.refusal(NUMBER) {
        Some(Refusal::Broker { code, text }) if refused => Err((*code, text.clone())),
        Some(other) if refused => Err((-1, format!("{other:?}"))),
        _ => Ok(()),
    }
}

fn queue_with(case: &Case, min: i64, max: i64) -> Result<Run, Trouble> {
    let mut stage = Stage::new(release_of(case)?, 1);
    let count = u32::try_from(max).map_err(|_| Trouble::Unsupported("max".to_owned()))?;
    stage.store(-60_000, 0, 0..count);
    let mut run = stage.run();
    run.until(0)?;
    let queue = run.queue(0);
    run.set_min_offset(queue, min);
    Ok(run)
}

fn answer_of(result: Result<(), (i32, String)>) -> Answer {
    match result {
        Ok(()) => Answer::new().with("code", code_name(0)).with("ok", true),
        Err((code, text)) => {
            Answer::new().with("code", code_name(code)).with("message", text).with("ok", false)
        }
    }
}

fn unknown_names(case: &Case) -> Outcome {
    let topic = if case.flag_or("topic_exists", true)? { TOPIC } else { "nothing" };
    let group = if case.flag_or("group_exists", true)? { GROUP } else { "nobody" };
    let mut run = queue_with(case, 0, 0)?;
    Ok(answer_of(give(&mut run, &reset(topic, group, Some(0), ResetTarget::Latest))))
}

/// One or several explicit offsets, each on a queue of its own.
fn to_offsets(case: &Case) -> Outcome {
    let (min, max) = (case.int("min")?, case.int("max")?);
    case.only_if("queue", 0)?;
    let key = ["offset", "target", "reset"].into_iter().find(|key| case.has(key));
    let targets = match key {
        Some(key) if case.value(key)?.is_array() => case.ints(key)?,
        Some(key) => vec![case.int(key)?],
        None => case.numbers_said(),
    };
    let mut results = Vec::new();
    for target in targets {
        let mut run = queue_with(case, min, max)?;
        let result = give(&mut run, &reset(TOPIC, GROUP, Some(0), ResetTarget::Offset(target)));
        if result.is_ok() && run.offset(run.queue(0)) != Some(target) {
            return Err(Trouble::Wrong(format!("offset {:?}", run.offset(run.queue(0)))));
        }
        results.push(result);
    }
    let several: Vec<bool> = results.iter().map(Result::is_ok).collect();
    let mut answer = match results.into_iter().next() {
        Some(first) => answer_of(first),
        None => return Trouble::unsupported("where to"),
    };
    if several.len() > 1 {
        answer.set("ok", several);
    }
    Ok(answer)
}

/// A timestamp: -1 is the end, anything else a search.
fn by_time(case: &Case) -> Outcome {
    let time_ms = case.int("timestamp")?;
    if case.has("store_times") {
        let model = Model::of(release_of(case)?);
        let stored = Stored::new(model, &case.ints("store_times")?);
        return Ok(Answer::new().with("offset", stored.search(time_ms)));
    }
    let mut run = queue_with(case, case.int_or("min", 0)?, case.int("max")?)?;
    let result = give(&mut run, &reset(TOPIC, GROUP, None, ResetTarget::Time(time_ms)));
    let queue = run.queue(0);
    let pending = run.world.brokers[0].pending_resets.get(&(GroupId(0), queue)).copied();
    Ok(answer_of(result).with("offset", pending))
}

/// The legacy way needs an offset for every queue and somebody who is online.
fn legacy(case: &Case) -> Outcome {
    let online = case.flag_or("consumer_online", true)?;
    let stored = case.flag_or("stored_offsets", true)?;
    let mut stage = Stage::new(release_of(case)?, 1);
    stage.model().use_server_side_reset_offset = 0;
    stage.store(-60_000, 0, 0..10);
    if online {
        stage.start(-30_000, OWNER);
    }
    let mut run = stage.run();
    run.until(0)?;
    let queue = run.queue(0);
    let current = case.int_or("current", 5)?;
    if stored {
        run.set_offset(queue, current);
    }
    let force = case.flag_or("force", true)?;
    let wanted = case.int_or("target", 0)?;
    let target = ResetTarget::Offset(wanted);
    let broker = &run.world.brokers[0];
    let queues = std::iter::once(queue);
    let table = broker.legacy_reset_table(&run.world.shared, GroupId(0), queues, target, force);
    Ok(match table {
        Ok(table) => answer_of(Ok(())).with("offset", table.first().map(|(_, offset)| *offset)),
        Err(Refusal::Broker { code, text }) => answer_of(Err((code, text))),
        Err(other) => return Err(Trouble::Wrong(format!("{other:?}"))),
    })
}

/// A pending reset: what a query answers.
fn pending_query(case: &Case) -> Outcome {
    let target = case.int("pending_reset")?;
    let mut run = queue_with(case, 0, target.max(20))?;
    give(&mut run, &reset(TOPIC, GROUP, Some(0), ResetTarget::Offset(target)))
        .map_err(|(_, text)| Trouble::Wrong(text))?;
    let offset = run.world.brokers[0].query_offset(&run.world.shared, GroupId(0), run.queue(0));
    Ok(Answer::new().with("offset", offset).with("code", code_name(0)))
}

fn arrive(run: &mut Run, packet: Packet) -> Result<(), Trouble> {
    let (from, to) = (Party::Client(ClientId(0)), Party::Broker(BrokerId(0)));
    let at_ms = run.world.now_ms();
    run.world.shared.agenda.schedule(at_ms, Event::Arrival { from, to, packet });
    run.step()
}

/// A client updates the offset while a reset is pending. The update is one-way; the broker's answer
/// is that it took it, whatever it did with it.
fn ignored_commit(case: &Case) -> Outcome {
    let target = case.get("pending_reset").and_then(Value::as_i64).unwrap_or(3);
    let mut run = queue_with(case, 0, 10)?;
    give(&mut run, &reset(TOPIC, GROUP, Some(0), ResetTarget::Offset(target)))
        .map_err(|(_, text)| Trouble::Wrong(text))?;
    let queue = run.queue(0);
    let before = run.offset(queue);
    let offsets = std::rc::Rc::new([(queue, 9)]);
    arrive(&mut run, Packet::PushOffsets { group: GroupId(0), offsets })?;
    Ok(Answer::new().with("code", code_name(0)).with("offset_changed", run.offset(queue) != before))
}

/// A classic pull of a queue with a pending reset.
fn classic_pull(case: &Case) -> Outcome {
    let (target, offset) = (case.int("pending_reset")?, case.int("request_offset")?);
    let mut run = queue_with(case, 0, target.max(offset).max(20))?;
    give(&mut run, &reset(TOPIC, GROUP, Some(0), ResetTarget::Offset(target)))
        .map_err(|(_, text)| Trouble::Wrong(text))?;
    let queue = run.queue(0);
    let rpc = Rpc { token: 1, deadline_ms: Ms::MAX, connection: 0 };
    let (group, commit) = (GroupId(0), 0);
    let subscriptions = run.world.shared.group(group).subscriptions.as_slice().into();
    arrive(&mut run, Packet::Heartbeat { rpc, group, versions: [0, 0].into(), subscriptions })?;
    let now_ms = run.world.now_ms() - super::stage::ZERO_MS;
    run.until(now_ms)?;
    arrive(&mut run, Packet::Pull { rpc, group, queue, offset, commit, version_ms: 0 })?;
    let consumed = run.any(|fact| matches!(fact, Fact::ResetConsumed { .. }));
    let answered = pulled(&mut run, queue)?;
    let pending = run.world.brokers[0].pending_resets.get(&(group, queue)).copied();
    let Some((status, next)) = answered else { return Trouble::unsupported("no answer") };
    Ok(Answer::new()
        .with("status", if consumed { "OFFSET_RESET" } else { "FOUND" })
        .with("response", response(status))
        .with("next_begin", next)
        .with("pending_reset_after", pending))
}

/// The broker's answer to a pull, when it is the next event.
fn pulled(run: &mut Run, of: MessageQueue) -> Result<Option<(PullStatus, i64)>, Trouble> {
    let now_ms = run.world.now_ms() - super::stage::ZERO_MS;
    run.until(now_ms)?;
    Ok(run.events.iter().rev().find_map(|(_, event)| match event {
        Event::Arrival { packet: Packet::Pulled { queue, status, next_offset, .. }, .. }
            if *queue == of =>
        {
            Some((*status, *next_offset))
        }
        _ => None,
    }))
}

/// A reset of an idle queue of a running classic consumer.
fn idle(case: &Case) -> Outcome {
    let (hold_ms, reset_ms) = (case.int("hold_start")?, case.int("reset_at")?);
    case.only_if("queue_idle", true)?;
    let mut stage = Stage::new(release_of(case)?, 1);
    let model = stage.model().clone();
    if case.has("ticks") {
        case.must_be("ticks", format!("{} k", model.pull_hold_check_ms))?;
    }
    stage.store(hold_ms - 60_000, 0, 0..10);
    stage.start(hold_ms - model.rebalance_min_interval_ms - model.first_pull_delay_ms, OWNER);
    stage.at(reset_ms, reset(TOPIC, GROUP, Some(0), ResetTarget::Offset(3)));
    let mut run = stage.run();
    run.until(reset_ms + 60_000)?;
    let (me, queue) = (run.id(OWNER), run.queue(0));
    let answered = run.events.iter().find_map(|(at_ms, event)| match event {
        Event::Arrival { packet: Packet::Pulled { queue: q, status, .. }, .. }
            if *q == queue && *at_ms > reset_ms =>
        {
            Some((*at_ms, *status))
        }
        _ => None,
    });
    let Some((answer_ms, status)) = answered else { return Trouble::unsupported("no answer") };
    let round = run.rounds(me).into_iter().find(|at_ms| *at_ms >= answer_ms);
    Ok(Answer::new()
        .with("pull_answered", answer_ms)
        .with("code", response(status))
        .with("round", round)
        .with("next_pull", run.first_pull(answer_ms, me, queue)))
}

fn orderly(case: &Case) -> bool {
    case.says("orderly") || case.has("popped_orderly")
}

fn popper(case: &Case) -> Result<Popper, Trouble> {
    let run = queue_with(case, 0, case.int("messages")?)?;
    Ok(Popper::new(run, orderly(case)))
}

fn give_to(popper: &mut Popper, target: i64) -> Result<(), Trouble> {
    give(&mut popper.run, &reset(TOPIC, GROUP, Some(0), ResetTarget::Offset(target)))
        .map_err(|(_, text)| Trouble::Wrong(text))
}

/// Everything is popped, or nothing yet; then the offset is reset and everything is popped again.
fn popping(case: &Case) -> Outcome {
    let mut popper = popper(case)?;
    let popped = ["popped", "popped_orderly"].into_iter().find(|key| case.has(key));
    let mut old = Vec::new();
    if let Some(key) = popped {
        old = popper.pop(case.number(key)?)?;
        if old.len() as i64 != case.int(key)? {
            return Err(Trouble::Wrong(format!("the first POP gets {}", old.len())));
        }
    }
    let target = case.int(if case.has("reset") { "reset" } else { "reset_before_first_pop" })?;
    give_to(&mut popper, target)?;
    // A later POP has a time of its own.
    later(&mut popper);
    let new = popper.pop(32)?;
    let mut answer = Answer::new().with("received", new.len()).with("blocked", popper.blocked());
    popper.ack(&old)?;
    answer.set("blocked_after_old_acks", popper.blocked());
    popper.ack(&new)?;
    answer.set("blocked_after_new_acks", popper.blocked());
    answer.set("blocked_after_ack_all", popper.blocked());
    Ok(answer)
}

/// Moves the clock of the run on by one millisecond.
fn later(popper: &mut Popper) {
    popper.run.world.shared.now_ms += 1;
}

/// Messages are popped and acknowledged a few at a time; after some of them the offset is reset.
fn while_popping(case: &Case) -> Outcome {
    let size: u32 = case.number("pop_size")?;
    case.only_if("ack_each", true)?;
    let after = case.int("after_count")?;
    let resets = case.ints("reset")?;
    let run = queue_with(case, 0, case.int("messages")?)?;
    let mut popper = Popper::new(run, true);
    let mut received: Vec<i64> = Vec::new();
    let mut given = false;
    for _ in 0..1_000 {
        let handles = popper.pop(size)?;
        if handles.is_empty() {
            break;
        }
        received.extend(handles.iter().map(|handle| handle.offset));
        popper.ack(&handles)?;
        if !given && received.len() as i64 >= after {
            given = true;
            for target in &resets {
                give_to(&mut popper, *target)?;
            }
        }
        later(&mut popper);
    }
    let set: BTreeSet<i64> = received.iter().copied().collect();
    Ok(Answer::new()
        .with("received_set", set.into_iter().collect::<Vec<_>>())
        .with("received", received.clone())
        .with("total", received.len()))
}
