//! What became of an expectation, in every language of the page.

use lockstep_core::check::{Broken, Violation};
use lockstep_core::scenario::Instead;

use super::sentence::Speaker;
use super::{clock, number};

/// Most labels of a sequence that are written out.
const SEQUENCE_MAX: usize = 24;

crate::catalogue! {
    /// Sentences about expectations and broken guarantees.
    JudgedText;
    plain {
        did_not = "It did not happen.", "它没有发生。";
        never = "It never happened. The last of it:", "它从未发生。与之有关的最后记录：";
        once = "It happened once.", "它发生了一次。";
        one_message = "It happened to one message.", "发生在一条消息上。";
        nobody = "Nobody held it.", "无人持有。";
        grouped = "It has a message group.", "它带有消息组。";
        ungrouped = "It has no message group.", "它没有消息组。";
        not_broken = "Nothing was broken.", "没有违例。";
    }
    with {
        times(count: u32) = "It happened {count} ‹time|times›.", "它发生了 {count} 次。";
        messages(count: u32) = "It happened to {count} ‹message|messages›.", "发生在 {count} 条消息上。";
        sequence(labels: &str) = "The order was {labels}.", "实际顺序为 {labels}。";
        sequence_more(labels: &str, more: usize) = "The order was {labels} and {more} more.", "实际顺序为 {labels}，另有 {more} 条。";
        owners(names: &str) = "It was held by {names}.", "由 {names} 持有。";
        offset(value: &str) = "It was {value}.", "实际为 {value}。";
        order_broken(later: &str, earlier: &str, group: &str) = "{later} was handled before {earlier} in {group}.", "在 {group} 中，{later} 先于 {earlier} 被处理。";
        two_owners(first: &str, second: &str, queue: &str) = "{first} and {second} handled {queue} at once.", "{first} 与 {second} 同时处理 {queue}。";
    }
}

/// What happened instead; None when the facts speak for themselves.
pub fn instead(
    speaker: &Speaker<'_>,
    instead: &Instead,
    facts: usize,
    broken: &[Violation],
) -> Option<String> {
    let texts = JudgedText(speaker.locale);
    Some(match instead {
        Instead::Facts if facts > 0 => return None,
        Instead::Facts => texts.did_not().to_owned(),
        Instead::Never if facts > 0 => texts.never().to_owned(),
        Instead::Never => texts.did_not().to_owned(),
        Instead::Times(1) => texts.once().to_owned(),
        Instead::Times(count) => texts.times(*count),
        Instead::Messages(1) => texts.one_message().to_owned(),
        Instead::Messages(count) => texts.messages(*count),
        Instead::Sequence(labels) if labels.is_empty() => texts.did_not().to_owned(),
        Instead::Sequence(labels) => {
            let shown = labels[..labels.len().min(SEQUENCE_MAX)].join(" ");
            match labels.len().saturating_sub(SEQUENCE_MAX) {
                0 => texts.sequence(&shown),
                more => texts.sequence_more(&shown, more),
            }
        }
        Instead::Owners(owners) if owners.is_empty() => texts.nobody().to_owned(),
        Instead::Owners(owners) => {
            let names: Vec<&str> = owners.iter().map(|owner| speaker.client(*owner)).collect();
            texts.owners(&names.join(", "))
        }
        Instead::Offset(value) => texts.offset(&number(*value)),
        Instead::Violations(list) => {
            let told = list.iter().filter_map(|index| broken.get(*index));
            told.map(|each| violation(speaker, each)).collect::<Vec<_>>().join(" ")
        }
        Instead::MessageGroup(true) => texts.grouped().to_owned(),
        Instead::MessageGroup(false) => texts.ungrouped().to_owned(),
        Instead::NotBroken => texts.not_broken().to_owned(),
    })
}

/// A broken guarantee in a sentence with its instant.
pub fn violation(speaker: &Speaker<'_>, violation: &Violation) -> String {
    format!("{} {}", clock(violation.at_ms), broken(speaker, violation))
}

/// A broken guarantee in a sentence.
pub fn broken(speaker: &Speaker<'_>, violation: &Violation) -> String {
    let texts = JudgedText(speaker.locale);
    match violation.broken {
        Broken::Order { earlier, later, .. } => texts.order_broken(
            &speaker.msg(later),
            &speaker.msg(earlier),
            speaker.group(violation.group),
        ),
        Broken::TwoOwners { queue, first, second } => {
            texts.two_owners(speaker.client(first), speaker.client(second), &speaker.queue(queue))
        }
    }
}
