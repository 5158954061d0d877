//! What is lit up on stage and timeline because the pointer or the focus is on something that is about
//! it: lanes, locks, consumers, their threads, delay levels, producers, rows and bands.
//!
//! One rule of style for each thing does it, so that nothing has to be drawn anew for a pointer that
//! passes.

use lockstep_core::fact::Fact;
use lockstep_core::view::compare::Side;
use lockstep_core::view::log::named;
use lockstep_core::view::Subject;

use super::stage::svg::subject_id;

/// What shapes read: the colour of their edges and its width, the line under their names, and the halo
/// of a lock, which leaves its lease to be seen.
const LIT: &str = "--lit:var(--ink);--lit-w:2.5;--lit-gate:9;--lit-line:underline;--lit-halo:color-mix(in srgb,var(--ink) 28%,transparent)";
/// The same for the thread of a consumer that works on a queue.
const ROW: &str = "--lit-row:var(--ink);--lit-row-w:2";
/// Bands of the timeline.
const BAND: &str = "outline:1.5px solid var(--ink);outline-offset:-1.5px";

/// The rules of style for what is lit up in a run; `side` says which of two it is.
pub fn rules(lit: &[Subject], side: Option<Side>) -> String {
    let (stage, run) = match side {
        None => (".stage", ""),
        Some(Side::First) => (".pair-run[data-run=\"1\"]", ":not([data-run])"),
        Some(Side::Second) => (".pair-run[data-run=\"2\"]", "[data-run=\"2\"]"),
    };
    lit.iter().map(|subject| {
        let id = subject_id(*subject);
        format!(
            "{stage} [data-subject=\"{id}\"],.tl-name{run}[data-subject=\"{id}\"]{{{LIT}}}\
             {stage} [data-of=\"{id}\"]{{{ROW}}}\
             .tl-row{run}[data-subject=\"{id}\"] .tl-band,.tl-row{run} .tl-band[data-subject=\"{id}\"]{{{BAND}}}"
        )
    }).collect()
}

/// What a fact is about, the most particular thing first.
pub fn subjects(fact: &Fact) -> Vec<Subject> {
    let named = named(fact);
    let lock = match fact {
        Fact::LockGranted { queue, .. }
        | Fact::LockRefused { queue, .. }
        | Fact::LockReleased { queue, .. }
        | Fact::LockMissing { queue, .. }
        | Fact::RelockScheduled { queue, .. } => Some(Subject::Lock(*queue)),
        _ => None,
    };
    let level = match fact {
        Fact::MessageScheduled { level, .. } | Fact::MessagePutBack { level, .. } => {
            Some(Subject::Level(*level))
        }
        _ => None,
    };
    let msg = named.msg.map(Subject::Message);
    let queue = named.queue.map(Subject::Queue);
    let client = named.client.map(Subject::Client);
    let producer = named.producer.map(Subject::Producer);
    [msg, lock, level, queue, client, producer].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::ids::{BrokerId, ClientId, GroupId, MessageQueue, MsgId, TopicId};

    const QUEUE: MessageQueue = MessageQueue { topic: TopicId(4), broker: BrokerId(0), id: 1 };

    #[test]
    fn a_fact_lights_up_everything_that_it_is_about() {
        let client = ClientId(0);
        let started =
            Fact::HandlingStarted { client, queue: QUEUE, offset: 0, msg: MsgId(2), attempt: 1 };
        let of_message =
            [Subject::Message(MsgId(2)), Subject::Queue(QUEUE), Subject::Client(client)];
        assert_eq!(subjects(&started), of_message);
        let released = Fact::LockReleased { group: GroupId(0), client, queue: QUEUE };
        let of_lock = [Subject::Lock(QUEUE), Subject::Queue(QUEUE), Subject::Client(client)];
        assert_eq!(subjects(&released), of_lock);
        let scheduled =
            Fact::MessageScheduled { msg: MsgId(2), level: 3, due_ms: 0, dead_for: None };
        assert_eq!(subjects(&scheduled), [Subject::Message(MsgId(2)), Subject::Level(3)]);
    }

    #[test]
    fn each_run_has_its_own_light() {
        let lit = [Subject::Queue(QUEUE)];
        assert!(rules(&[], None).is_empty());
        let (one, first, second) =
            (rules(&lit, None), rules(&lit, Some(Side::First)), rules(&lit, Some(Side::Second)));
        assert!(one.contains(".stage [data-subject=\"q4.0.1\"]") && !one.contains("data-run"));
        assert!(first.contains("[data-run=\"1\"]") && !first.contains("[data-run=\"2\"]"));
        assert!(second.contains("[data-run=\"2\"]") && !second.contains("[data-run=\"1\"]"));
    }
}
