//! POP without order: what is not acknowledged is copied to the retry topic.

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use super::pop_stage::{Plan, PopRun};
use super::Form;
use lockstep_core::broker::pop::Checkpoint;
use lockstep_core::fact::Fact;
use lockstep_core::ids::Ms;
use lockstep_core::pop::{PopFact, PopSetting};
use serde_json::Value;

/// The forms of this area.
pub const FORMS: &[Form] = &[
    Form { fits: |c| c.has("put") || c.has("rePutTimes"), run: put_fails },
    Form { fits: |c| c.has("message") && c.says("revive"), run: revive },
    Form { fits: |c| c.has("popTime") && c.has("invisible"), run: idle },
];

/// A run in which one message is popped without order at `pop_ms`.
fn popped(pop_ms: Ms, invisible_ms: Ms) -> Result<PopRun, Trouble> {
    let mut plan = Plan::newest(1);
    plan.fill(0, 0, 1).set(PopSetting::Orderly(false));
    let mut run = plan.run();
    run.until(0)?;
    run.pop(pop_ms, |p| (p.ordered, p.invisible_ms) = (false, invisible_ms));
    run.until(pop_ms)?;
    Ok(run)
}

fn copies(run: &PopRun) -> Vec<Ms> {
    run.when(|f| matches!(f, PopFact::Revived { .. }))
}

/// The copy cannot be stored: the checkpoint is written anew for later, or dropped.
fn put_fails(case: &Case) -> Outcome {
    let _ = case.get("put");
    let rewritten: u8 = if case.has("rePutTimes") { case.number("rePutTimes")? } else { 0 };
    let give_up = case.flag_or("skipWhenMax", false)?;
    let invisible_ms = case.int_or("invisible_ms", 1_000)?;
    let pop_ms = case.int_or("popTime", 0)?;
    let point = Checkpoint { invisible_ms, open: vec![0], rewritten, shifted_ms: 0 };
    Ok(match point.rewrite(0, give_up) {
        None => Answer::new().with("rewrite_checkpoint", 0),
        Some(again) => {
            let next_ms = pop_ms + again.invisible_ms;
            Answer::new()
                .with("rewrite_checkpoint", 1)
                .with("new_revive_time_ms", next_ms)
                .with("new_rePutTimes", again.rewritten)
        }
    })
}

fn revive(case: &Case) -> Outcome {
    let found = match case.text("message")? {
        "found" => true,
        "missing" => false,
        other => return Trouble::unsupported(format!("message `{other}`")),
    };
    case.only_if("needRetry", false)?;
    let acked = match case.get("checkpoint") {
        Some(checkpoint) => {
            if checkpoint.get("num").and_then(Value::as_u64).is_some_and(|num| num != 1) {
                return Trouble::unsupported("more than one message");
            }
            checkpoint.get("acked").and_then(Value::as_bool).unwrap_or(false)
        }
        None => false,
    };
    let mut run = popped(1_000, 10_000)?;
    if acked {
        let handle = run.handle(0, 0).ok_or_else(|| Trouble::Wrong("nothing popped".to_owned()))?;
        let handle = lockstep_core::grpc::Handle { ordered: false, ..handle };
        run.settle(2_000, handle, None);
    }
    if !found {
        run.set_min(0, 1);
    }
    run.until(60_000)?;
    let count = copies(&run).len();
    let topic = run.facts.iter().find_map(|(_, fact)| match fact {
        Fact::Pop(PopFact::Revived { queue, .. }) => {
            run.world.shared.names.topics.get(queue.topic.index()).map(|topic| topic.name.clone())
        }
        _ => None,
    });
    let put_to = topic.map(|name| name.replace("G_T", "group_topic"));
    let open = run.world.brokers.first().map_or(0, |broker| broker.pop.checkpoints.iter().count());
    Ok(Answer::new()
        .with("put_to", put_to.map_or(Value::Null, Value::String))
        .with("times", count)
        .with("put", count)
        .with("rewrite_checkpoint", open))
}

/// When the copy comes on an idle broker, and whether a waiting POP sees it.
fn idle(case: &Case) -> Outcome {
    case.only_if("idle_broker", true)?;
    case.only_if("scan_running", true)?;
    let (pop_ms, invisible_ms) = (case.int("popTime")?, case.int("invisible")?);
    let mut run = popped(pop_ms, invisible_ms)?;
    run.pop(pop_ms + 10, |p| (p.ordered, p.poll_ms) = (false, invisible_ms * 2));
    run.until(pop_ms + invisible_ms * 2 - 1_000)?;
    let Some(at_ms) = copies(&run).first().copied() else {
        return Err(Trouble::Wrong("no copy".to_owned()));
    };
    let woken = run.when(|f| matches!(f, PopFact::PollWoken { .. })).iter().any(|ms| *ms >= at_ms);
    // The service looks once more than two seconds have passed, and every 100 ms.
    let earliest_ms = pop_ms + invisible_ms + 2_000 + 1;
    if at_ms < earliest_ms || at_ms > earliest_ms + 199 {
        return Err(Trouble::Wrong(format!("copied at {at_ms}")));
    }
    Ok(Answer::new()
        .with("not_before_ms", earliest_ms)
        .with("typically_by_ms", earliest_ms + 199)
        .with("waiting_pop_woken_by_copy", woken))
}
