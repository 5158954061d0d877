//! What can be done during a run.

use super::declarations::queue_counts;
use super::options::settings;
use super::{form, Make, Section};
use crate::command::Attempts;
use crate::fact::Outcome;
use crate::scenario::action::Action;
use crate::scenario::caps::Caps;

/// Sentences after `at` and a time.
pub(super) const ACTIONS: Section = Section {
    name: "actions",
    title: "What can happen at an instant",
    intro: "",
    forms: &[
        form(
            "(every message | <labels>) (fails | throws | succeeds | returns (null | commit | rollback)) [always | once | twice | <count:first> times | on attempt <count:only>] {rule}",
            "How listener calls for these messages end from now on; later rules win. fails: SUSPEND_CURRENT_QUEUE_A_MOMENT or RECONSUME_LATER. throws: an exception. A message's attempts are counted by the messages' own reconsume counts, which a rollback does not raise: with autocommit off, rollback once or twice comes back for ever.",
            "always",
            "at 3s A2 fails always",
            Make::Action(handle),
        ),
        form(
            "(every message | <labels>) takes <duration:takes> [always | once | twice | <count:first> times | on attempt <count:only>] {where-rule}",
            "How long listener calls for these messages take from now on.",
            "always",
            "at 3s A2 takes 2s once, at c1",
            Make::Action(handle),
        ),
        form("<group> pauses", "suspend(): the 4.x consumers of the group that run stop pulling and rebalancing; gRPC consumers have no suspend(). A process that starts later is not paused.", "", "at 5s billing pauses", Make::Action(|c| Some(Action::Pause { group: c.name("group")? }))),
        form("<group> resumes", "resume(): the 4.x consumers of the group rebalance and pull again.", "", "at 9s billing resumes", Make::Action(|c| Some(Action::Resume { name: c.name("group")? }))),
        form("<group> {group}+", "Settings of a consumer group change.", "", "at 20s billing max-reconsume-times 3", Make::Action(|c| Some(Action::Settings { group: c.name("group")?, settings: settings(c) }))),
        form("<topic> {queue-counts}+", "The topic's numbers of queues change.", "", "at 20s orders 8 write queues", Make::Action(|c| Some(Action::Queues { topic: c.name("topic")?, queues: queue_counts(c) }))),
        form("set <constant> <value>", "A constant of the model changes.", "", "at 5s set pullBatchSize 1", Make::Action(|c| Some(Action::Set { constant: c.name("constant")?, value: c.placed_number("value")? }))),
    ],
};

/// The outcome that a sentence names.
pub(super) fn outcome(c: &Caps) -> Option<Outcome> {
    let words = [
        ("fails", Outcome::Later),
        ("fail", Outcome::Later),
        ("throws", Outcome::Exception),
        ("throw", Outcome::Exception),
        ("succeeds", Outcome::Success),
        ("succeed", Outcome::Success),
        ("null", Outcome::Null),
        ("commit", Outcome::Commit),
        ("rollback", Outcome::Rollback),
    ];
    words.into_iter().find(|(word, _)| c.has(word)).map(|(_, outcome)| outcome)
}

fn handle(c: &Caps) -> Option<Action> {
    let attempts = match (c.number("first"), c.number("only")) {
        (Some(n), _) => Attempts::First(n),
        (_, Some(n)) => Attempts::Only(n),
        _ if c.has("once") => Attempts::First(1),
        _ if c.has("twice") => Attempts::First(2),
        _ => Attempts::All,
    };
    Some(Action::Handle {
        labels: c.labels("labels"),
        attempts,
        outcome: outcome(c),
        handle_ms: c.ms("takes"),
        group: c.name("group"),
        client: c.name("consumer"),
    })
}
