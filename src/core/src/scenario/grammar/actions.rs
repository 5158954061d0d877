//! What can be done during a run.

use super::declarations::{queue_counts, JOINS};
use super::options::{send_options, settings};
use super::{form, Make, Section};
use crate::command::Attempts;
use crate::fact::{Outcome, StopKind};
use crate::scenario::ast::Action;
use crate::scenario::caps::Caps;

/// Sentences after `at` and a time.
pub(super) const ACTIONS: Section = Section {
    name: "actions",
    title: "What can happen at an instant",
    intro: "",
    forms: &[
        form(
            "<producer> sends <labels> {send}",
            "The application hands these messages to a producer's thread, in this order. A letter is a series, A1 A2 are its messages in the order in which they are meant to be handled.",
            "",
            "at 3s p1 sends A1 B1 A2 every 200ms",
            Make::Action(|c| Some(Action::Send { producer: c.name("producer")?, labels: c.labels("labels")?, options: send_options(c) })),
        ),
        form(
            "<producer> sends <messages:total> (messages | message) {load}",
            "A load: messages that the producer makes itself, drawn from the seed.",
            "",
            "at 1s p1 sends 10000 messages over 500 groups, 200 a second",
            Make::Action(load),
        ),
        form(
            "(every message | <labels>) (fails | throws | succeeds | returns (null | commit | rollback)) [always | once | twice | <count:first> times | on attempt <count:only>] {rule}",
            "How listener calls for these messages end from now on; later rules win. fails: SUSPEND_CURRENT_QUEUE_A_MOMENT or RECONSUME_LATER. throws: an exception.",
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
        form("broker (stops | crashes | starts)", "stops: files are written first. crashes: the newest records of offsets and delay levels are lost.", "", "at 5s broker crashes", Make::Action(broker)),
        form("<consumer> joins <group> [push] {consumer}", "The same as `consumer c2 in billing`.", "push; the group's number of threads", "at 2s c2 joins billing", Make::Action(JOINS)),
        form(
            "<consumer> (stops | crashes | vanishes | hangs)",
            "stops: shutdown(), with unlock, offsets and farewell. crashes: the process dies and its connection closes. vanishes: the machine is gone, nobody is told. hangs: the process stands still.",
            "",
            "at 25s c1 crashes",
            Make::Action(stop),
        ),
        form("<consumer> starts", "A consumer that has ended starts again, as a new process with a new client id.", "", "at 30s c1 starts", Make::Action(|c| Some(Action::Start { name: c.name("consumer")? }))),
        form("<consumer> resumes", "A hanging consumer goes on.", "", "at 40s c1 resumes", Make::Action(|c| Some(Action::Resume { name: c.name("consumer")? }))),
        form("<group> pauses", "suspend(): its consumers stop pulling.", "", "at 5s billing pauses", Make::Action(|c| Some(Action::Pause { group: c.name("group")? }))),
        form("<group> resumes", "resume(): its consumers pull again.", "", "at 9s billing resumes", Make::Action(|c| Some(Action::Resume { name: c.name("group")? }))),
        form("<group> {group}+", "Settings of a consumer group change.", "", "at 20s billing max-reconsume-times 3", Make::Action(|c| Some(Action::Settings { group: c.name("group")?, settings: settings(c) }))),
        form("<topic> {queue-counts}+", "The topic's numbers of queues change.", "", "at 20s orders 8 write queues", Make::Action(|c| Some(Action::Queues { topic: c.name("topic")?, queues: queue_counts(c) }))),
        form("cut <party:a> from <party:b>", "Nothing gets through between the two; what is on the way is lost.", "", "at 20s cut c1 from broker", Make::Action(|c| Some(Action::Cut { a: c.name("a")?, b: c.name("b")? }))),
        form("heal <party:a> and <party:b>", "The end of a cut.", "", "at 65s heal c1 and broker", Make::Action(|c| Some(Action::Heal { a: c.name("a")?, b: c.name("b")? }))),
        form("set <constant> <value>", "A constant of the model changes.", "", "at 5s set pullBatchSize 1", Make::Action(|c| Some(Action::Set { constant: c.name("constant")?, value: c.number("value")? }))),
    ],
};

fn load(c: &Caps) -> Option<Action> {
    Some(Action::Load {
        producer: c.name("producer")?,
        topic: c.name("topic"),
        count: c.number("total")?,
        groups: c.number("groups").unwrap_or(0),
        per_second: c.number("rate").unwrap_or(100),
        skew_percent: c.number("skew").unwrap_or(0),
    })
}

fn handle(c: &Caps) -> Option<Action> {
    let outcome = [
        ("fails", Outcome::Later),
        ("throws", Outcome::Exception),
        ("succeeds", Outcome::Success),
        ("null", Outcome::Null),
        ("commit", Outcome::Commit),
        ("rollback", Outcome::Rollback),
    ]
    .into_iter()
    .find(|(word, _)| c.has(word))
    .map(|(_, outcome)| outcome);
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
        outcome,
        handle_ms: c.ms("takes"),
        group: c.name("group"),
        client: c.name("consumer"),
    })
}

fn stop(c: &Caps) -> Option<Action> {
    let how = match () {
        _ if c.has("stops") => StopKind::Clean,
        _ if c.has("crashes") => StopKind::Crash,
        _ if c.has("vanishes") => StopKind::Silent,
        _ => StopKind::Hang,
    };
    Some(Action::Stop { name: c.name("consumer")?, how })
}

fn broker(c: &Caps) -> Option<Action> {
    Some(if c.has("starts") {
        Action::StartBroker
    } else {
        Action::StopBroker { clean: c.has("stops") }
    })
}
