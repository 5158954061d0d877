//! What happened instead, in English.

use super::evidence::Evidence;
use super::tell::{tell_at, time};
use super::{Finding, Instead};
use crate::check::Broken;
use crate::command::Refusal;
use crate::scenario::condition::{Condition, Term};

/// Most labels of a sequence that are written out.
const SEQUENCE_MAX: usize = 40;

/// What happened, as a sentence without full stop.
pub(super) fn finding(condition: &Condition, finding: &Finding, evidence: &Evidence<'_>) -> String {
    let facts = || {
        let told: Vec<String> =
            finding.facts.iter().map(|i| tell_at(&evidence.facts[*i], evidence.world)).collect();
        told.join("; ")
    };
    let with_facts =
        |text: String| if finding.facts.is_empty() { text } else { format!("{text}: {}", facts()) };
    match &finding.instead {
        Instead::Facts if finding.facts.is_empty() => "it did not".to_owned(),
        Instead::Facts => facts(),
        Instead::Never if finding.facts.is_empty() => "it never happened".to_owned(),
        Instead::Never => {
            let term = super::decide(condition, evidence).1;
            let (label, event) = missing(term, finding, evidence);
            format!("{label} was never {event}; the last of it: {}", facts())
        }
        Instead::Times(count) => {
            with_facts(format!("it happened {count} {}", plural(*count, "time")))
        }
        Instead::Messages(count) => {
            with_facts(format!("it happened to {count} {}", plural(*count, "message")))
        }
        Instead::Sequence(labels) => {
            let shown =
                labels.iter().take(SEQUENCE_MAX).map(String::as_str).collect::<Vec<_>>().join(" ");
            let more = labels.len().saturating_sub(SEQUENCE_MAX);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            match labels.is_empty() {
                true => "it never happened".to_owned(),
                false => with_facts(format!("the order was {shown}{more}")),
            }
        }
        Instead::Owners(owners) => {
            let names = &evidence.world.shared.names.clients;
            let held: Vec<&str> =
                owners.iter().filter_map(|c| names.get(c.index())).map(String::as_str).collect();
            let held = if held.is_empty() { "nobody".to_owned() } else { held.join(" and ") };
            with_facts(format!("{held} held it"))
        }
        Instead::Offset(value) => with_facts(format!("it was {value}")),
        Instead::Violations(list) => {
            let told: Vec<String> = list.iter().map(|index| violation(evidence, *index)).collect();
            told.join("; ")
        }
        Instead::MessageGroup(true) => with_facts("it has a message group".to_owned()),
        Instead::MessageGroup(false) => with_facts("it has no message group".to_owned()),
        Instead::NotBroken => "nothing was broken".to_owned(),
    }
}

fn plural(count: u32, word: &str) -> String {
    if count == 1 {
        word.to_owned()
    } else {
        format!("{word}s")
    }
}

/// The message for which it never happened, and what.
fn missing(
    term: Option<&Term>,
    finding: &Finding,
    evidence: &Evidence<'_>,
) -> (String, &'static str) {
    let message =
        finding.facts.first().and_then(|i| super::tell::message_of(&evidence.facts[*i].fact));
    let label = message.map(|m| evidence.world.shared.label(m).to_string());
    let event = match term {
        Some(Term::Messages { event, .. }) => event.word(),
        _ => "seen",
    };
    (label.unwrap_or_else(|| "it".to_owned()), event)
}

fn violation(evidence: &Evidence<'_>, index: usize) -> String {
    let violation = &evidence.violations[index];
    let shared = &evidence.world.shared;
    let at = time(violation.at_ms);
    let group = &shared.group(violation.group).name;
    match violation.broken {
        Broken::Order { earlier, later, .. } => {
            format!(
                "at {at} {} was handled before {} in {group}",
                shared.label(later),
                shared.label(earlier)
            )
        }
        Broken::TwoOwners { queue, first, second } => {
            let name = |client: crate::ids::ClientId| shared.names.clients[client.index()].as_str();
            let topic = &shared.names.topics[queue.topic.index()].name;
            format!(
                "at {at} {} and {} handled {topic} q{} at once",
                name(first),
                name(second),
                queue.id
            )
        }
    }
}

/// Why a statement was refused, in English.
pub(super) fn refusal(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Unknown { what, name } => format!("refused: there is no {what} called `{name}`"),
        Refusal::Exists { name } => format!("refused: `{name}` exists already"),
        Refusal::OutOfRange { what, value, min, max } => {
            format!("refused: {what} {value} is outside {min} to {max}")
        }
        Refusal::WrongState { name, .. } => {
            format!("refused: `{name}` is not in a state that allows it")
        }
        Refusal::BadDelayTable { token } => {
            format!("refused: the broker cannot read `{token}` in its delay levels")
        }
        Refusal::NoTopic { producer } => format!("refused: `{producer}` has no topic to send to"),
        Refusal::LimitReached { limit } => format!("refused: the limit {limit} is reached"),
        Refusal::Broker { code, text } => {
            format!("refused: the broker answered {code}, \"{text}\"")
        }
        Refusal::SkippedByTool => {
            "refused: the tool skips a queue whose offset comes out as 0".to_owned()
        }
        Refusal::NobodyToPause { group } => {
            format!("refused: no 4.x consumer of `{group}` runs, and gRPC clients cannot be paused")
        }
        Refusal::NotInThisVersion { what, since: Some(since) } => {
            format!("refused: RocketMQ has {what} since {since}")
        }
        Refusal::NotInThisVersion { what, since: None } => {
            format!("refused: the modelled release has no {what}")
        }
        Refusal::BadOrderConf { part } => {
            format!("refused: the order conf has a part that cannot be read, `{part}`")
        }
        Refusal::NotHeld { consumer, message } => {
            format!("refused: `{consumer}` does not hold {message}")
        }
    }
}
