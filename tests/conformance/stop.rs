//! The clean stop of an orderly consumer.

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use super::run::Run;
use super::stage::{Script, Stage, OWNER, WAITER};
use super::version::release_of;
use lockstep_core::client::Status;
use lockstep_core::command::GroupSetting;
use lockstep_core::fact::{Fact, LeaveReason, StopKind};
use lockstep_core::ids::Ms;

/// How long the listener of the first owner goes on when the case names no time.
const LONG_MS: Ms = 5_000;

/// A listener call is running when `shutdown()` is called; another member takes the queue over.
pub fn stops(case: &Case) -> Outcome {
    case.only_if("listener_ignores_interrupt", true)?;
    // A call that runs is the only thing that the model's listeners can do about an interrupt.
    let running = case.flag_or("listener_running", true)?;
    let left_ms = case.int_or("listener_remaining_ms", LONG_MS)?;
    let alone = case.flag_or("cache_otherwise_empty", true)?;
    let mut stage = Stage::new(release_of(case)?, 1);
    stage.set(GroupSetting::AwaitTerminationMs(case.int("await_ms")?));
    stage.script(Script {
        client: Some(OWNER),
        handle_ms: Some(left_ms + 500),
        ..Script::default()
    });
    // A message that is done before: without it the consumer has no offset to push.
    stage.script(Script { number: Some(0), handle_ms: Some(0), ..Script::default() });
    stage.store(-5_000, 0, 0..1);
    stage.script(Script { client: Some(WAITER), handle_ms: Some(60_000), ..Script::default() });
    stage.start(-10_000, OWNER);
    stage.start(-8_000, WAITER);
    if running {
        stage.store(-500, 0, 1..if alone { 2 } else { 4 });
    }
    stage.stop(0, OWNER, StopKind::Clean);
    let mut run = stage.run();
    run.until(0)?;
    let owner = run.id(OWNER);
    // New tasks end with the call of `shutdown()`, whatever the listener does.
    let told = run.client(owner).is_some_and(|client| client.status != Status::Running);
    run.until(40_000)?;
    observe(&run, told, running)
}

fn observe(run: &Run, told: bool, running: bool) -> Outcome {
    let (owner, waiter, queue) = (run.id(OWNER), run.id(WAITER), run.queue(0));
    let unlocked = run.first(0, |fact| matches!(fact, Fact::LockReleased { client, queue: q, .. } if *client == owner && *q == queue));
    let left = run.first(0, |fact| matches!(fact, Fact::MemberLeft { client, reason: LeaveReason::Unregistered, .. } if *client == owner));
    let Some(first) = run.handled(queue).into_iter().find(|call| call.offset == 1) else {
        return Ok(Answer::new()
            .with("unlock_after_ms", unlocked)
            .with("waits_for_listener", false));
    };
    let again =
        run.handled(queue).iter().any(|call| call.client == waiter && call.offset == first.offset);
    let committed = run.any(|fact| {
        matches!(fact, Fact::OffsetCommitted { queue: q, offset, .. } if *q == queue && i64::from(*offset) > first.offset)
    });
    let waits = running
        && left.is_some()
        && first.to_ms.is_some_and(|to_ms| left.is_some_and(|left| left >= to_ms));
    Ok(Answer::new()
        .with("order", steps(run, told)?)
        .with("unlock_after_ms", unlocked)
        .with("unregister_after_ms", left)
        .with("waits_for_listener", waits)
        .with("running_message_redelivered", again)
        .with("running_message_committed", committed)
        .with("overlap", run.overlap(queue))
        .with("overlap_possible", run.overlap(queue)))
}

/// The steps of the stop in the order in which the run shows them.
fn steps(run: &Run, told: bool) -> Result<Vec<&'static str>, Trouble> {
    use lockstep_core::event::Packet;
    let (owner, waiter) = (run.id(OWNER), run.id(WAITER));
    let mut steps = Vec::new();
    if told {
        steps.push("interrupt listener");
    }
    let mut seen: Vec<(usize, &'static str)> = Vec::new();
    for (place, (at_ms, event)) in run.events.iter().enumerate() {
        let lockstep_core::event::Event::Arrival { from, packet, .. } = event else { continue };
        if *at_ms < 0 || *from != lockstep_core::ids::Party::Client(owner) {
            continue;
        }
        match packet {
            Packet::Unlock { .. } => seen.push((place, "unlock all non-dropped")),
            Packet::PushOffsets { .. } => seen.push((place, "push offsets")),
            Packet::Unregister { .. } => seen.push((place, "unregister (others notified)")),
            _ => {}
        }
    }
    let notified =
        run.first(0, |fact| matches!(fact, Fact::MemberNotified { client } if *client == waiter));
    if notified.is_none() {
        return Err(Trouble::Wrong("nobody is notified".to_owned()));
    }
    for (_, step) in seen {
        if !steps.contains(&step) {
            steps.push(step);
        }
    }
    Ok(steps)
}
