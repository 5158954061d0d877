//! Queue ids that the broker accepts or refuses.

use super::answer::{Answer, Outcome};
use super::case::{Case, Trouble};
use super::stage::{Stage, OWNER, TOPIC};
use super::version::{parse, release_of};
use lockstep_core::command::{Command, ListenerKind};
use lockstep_core::event::{ClientTimer, Event, Packet, PullStatus};
use lockstep_core::fact::{Fact, SendFailure};
use lockstep_core::model::Model;

fn answer(case: &Case, accepted: bool) -> Outcome {
    let mut answer = Answer::new().with("accepted", accepted);
    if !accepted {
        answer.set("code", Model::of(release_of(case)?).illegal_queue_code);
        for key in case.asked() {
            if let Some(version) = key.strip_prefix("code_up_to_").and_then(parse) {
                answer.set(key, Model::of(version).illegal_queue_code);
            }
        }
    }
    Ok(answer)
}

/// A message is sent to a queue id.
pub fn send(case: &Case) -> Outcome {
    let id: u16 = case.number("queue_id")?;
    let (read, write) = (case.number("read")?, case.number("write")?);
    let mut stage = Stage::with(release_of(case)?, read, write, ListenerKind::Orderly);
    stage.store(0, id, 0..1);
    let mut run = stage.run();
    run.until(10_000)?;
    let stored =
        run.any(|fact| matches!(fact, Fact::SendCompleted { queue, .. } if queue.id == id));
    let refused = run
        .any(|fact| matches!(fact, Fact::SendFailed { reason: SendFailure::IllegalQueueId, .. }));
    answer(case, stored && !refused)
}

/// A consumer pulls a queue that it was allocated before the topic got its queue counts.
pub fn pull(case: &Case) -> Outcome {
    let id: u16 = case.number("queue_id")?;
    let (read, write): (u16, u16) = (case.number("read")?, case.number("write")?);
    let mut stage = Stage::with(release_of(case)?, read.max(id + 1), write, ListenerKind::Orderly);
    stage.start(-10_000, OWNER);
    stage.at(
        0,
        Command::UpdateTopic { name: TOPIC.to_owned(), read_queues: read, write_queues: write },
    );
    if id < read.max(write) {
        // Ends the hold of the pull, so that the next one is made now.
        stage.store(1, id, 0..1);
    }
    let mut run = stage.run();
    run.until(30_000)?;
    let queue = run.queue(id);
    let refused = run.events.iter().any(|(_, event)| {
        matches!(event, Event::Arrival { packet: Packet::Pulled { queue: q, status: PullStatus::IllegalQueue, .. }, .. }
            if *q == queue)
    });
    answer(case, !refused)
}

/// Words of expected keys, and which instant of the run they ask for.
const LEARNING: [(&str, usize); 8] = [
    ("poll", 0),
    ("route", 0),
    ("learn", 0),
    ("round", 1),
    ("rebalance", 1),
    ("lock", 2),
    ("pull", 3),
    ("read", 3),
];

/// A topic gets more queues while a consumer runs: when does the consumer learn it, when does it act
/// on it, when does it read the new queues?
pub fn propagation(case: &Case) -> Outcome {
    let key = |words: &[&str]| {
        let whole = |key: &&str| case.peek(key).is_some_and(serde_json::Value::is_i64);
        case.given_keys().filter(whole).find(|key| words.iter().any(|word| key.contains(word)))
    };
    let (Some(created), Some(changed)) =
        (key(&["created", "start"]), key(&["chang", "updat", "grow", "alter"]))
    else {
        return Trouble::unsupported("when the topic changes");
    };
    let (created_ms, changed_ms) = (case.int(created)?, case.int(changed)?);
    let count =
        |names: [&str; 2], otherwise: u16| match names.into_iter().find(|name| case.has(name)) {
            Some(name) => case.number(name),
            None => Ok(otherwise),
        };
    let (before, after) = (count(["read_before", "from"], 4)?, count(["read_after", "to"], 8)?);
    let mut stage = Stage::new(release_of(case)?, before);
    stage.start(created_ms, OWNER);
    stage.at(
        changed_ms,
        Command::UpdateTopic { name: TOPIC.to_owned(), read_queues: after, write_queues: after },
    );
    let mut run = stage.run();
    run.until(changed_ms + 120_000)?;
    let (me, new) = (run.id(OWNER), run.queue(before));
    let poll = run
        .timers(me, |timer| *timer == ClientTimer::RoutePoll)
        .into_iter()
        .find(|at| *at >= changed_ms);
    let added = run
        .first(changed_ms, |fact| matches!(fact, Fact::QueueAdded { queue, .. } if *queue == new));
    let locked = run
        .first(changed_ms, |fact| matches!(fact, Fact::LockGranted { queue, .. } if *queue == new));
    let instants = [poll, added, locked, run.first_pull(changed_ms, me, new)];
    for (name, wanted) in [
        ("rounds", run.rounds(me)),
        ("route_polls", run.timers(me, |timer| *timer == ClientTimer::RoutePoll)),
    ] {
        if case.has(name) {
            super::handover::check_grid(case.text(name)?, &wanted)?;
        }
    }
    let mut answer = Answer::new();
    for key in case.asked() {
        if let Some((_, place)) = LEARNING.iter().find(|(word, _)| key.contains(word)) {
            answer.set(key, instants[*place]);
        }
    }
    Ok(answer)
}
