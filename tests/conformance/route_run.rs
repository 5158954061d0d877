//! Queue ids that the broker accepts or refuses.

use crate::answer::{Answer, Outcome};
use crate::case::Case;
use crate::stage::{Stage, OWNER, TOPIC};
use crate::version::{parse, release_of};
use lockstep_core::command::{Command, ListenerKind};
use lockstep_core::event::{Event, Packet, PullStatus};
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
