//! What happened to messages.

use std::collections::BTreeMap;

use super::evidence::Evidence;
use super::window::Window;
use super::{Finding, Instead, State};
use crate::command::Label;
use crate::ids::{Ms, MsgId};
use crate::scenario::condition::{Filter, Times, When, Who};
use crate::scenario::events::MessageEvent;
use crate::scenario::span::{Name, Spanned};

/// Most facts that a finding names.
const NAMED_MAX: usize = 5;

/// An event and where it should have happened.
type Event<'a> = (MessageEvent, &'a Filter);

/// `A1 A2 handled before 5s`, `every message handled`, `no message dead-lettered`,
/// `100 messages handled`.
pub(super) fn messages(
    evidence: &Evidence<'_>,
    who: &Who,
    negated: bool,
    event: Event<'_>,
    (when, times): (&When, Option<Times>),
) -> Finding {
    let window = Window::of(when, evidence);
    let occurrences = evidence.occurrences(event.0, event.1);
    if let Who::Each(labels) = who {
        return each(evidence, labels, negated, event, (window, times, &occurrences));
    }
    let mut by_message: BTreeMap<MsgId, Vec<usize>> = BTreeMap::new();
    for (place, msg) in occurrences {
        by_message.entry(msg).or_default().push(place);
    }
    let judge = |places: &[usize]| window.judge(evidence, places, times);
    match who {
        Who::Every => every(evidence, &by_message, judge),
        Who::None => none(evidence, &by_message, judge),
        Who::Count(count) => counted(evidence, &by_message, *count, judge, window),
        Who::Each(_) => Finding::new(State::Holds, Instead::Facts, Vec::new()),
    }
}

fn each(
    evidence: &Evidence<'_>,
    labels: &[Spanned<Label>],
    negated: bool,
    (event, filter): Event<'_>,
    (window, times, occurrences): (Window, Option<Times>, &[(usize, MsgId)]),
) -> Finding {
    let messages = evidence.labelled(labels.iter().map(|l| &l.value));
    let mut open = None;
    let mut holds = Finding::new(State::Holds, Instead::Facts, Vec::new());
    for label in labels {
        let of_label = |msg: &MsgId| messages.get(msg) == Some(&label.value);
        let places: Vec<usize> =
            occurrences.iter().filter(|(_, msg)| of_label(msg)).map(|(p, _)| *p).collect();
        let state = window.judge(evidence, &places, times);
        let state = if negated { state.turned() } else { state };
        match state {
            State::Holds => holds.facts.extend(places.first()),
            State::Fails => {
                let own: BTreeMap<MsgId, Label> = messages
                    .iter()
                    .filter(|(msg, _)| of_label(msg))
                    .map(|(m, l)| (*m, l.clone()))
                    .collect();
                return failed(evidence, places, &own, (event, filter), times.is_some());
            }
            State::Open => open = Some(Finding::new(state, Instead::Facts, places)),
        }
    }
    holds.facts.truncate(NAMED_MAX);
    open.unwrap_or(holds)
}

/// What happened to a message instead.
fn failed(
    evidence: &Evidence<'_>,
    mut places: Vec<usize>,
    messages: &BTreeMap<MsgId, Label>,
    (event, filter): Event<'_>,
    counted: bool,
) -> Finding {
    let count = u32::try_from(places.len()).unwrap_or(u32::MAX);
    if places.is_empty() && *filter != Filter::default() {
        // The same event under other circumstances is nearer than any other event.
        let anywhere = evidence.occurrences(event, &Filter::default());
        places = anywhere
            .into_iter()
            .filter(|(_, msg)| messages.contains_key(msg))
            .map(|(p, _)| p)
            .collect();
    }
    let instead = match () {
        _ if counted => Instead::Times(count),
        _ if places.is_empty() => Instead::Never,
        _ => Instead::Facts,
    };
    if places.is_empty() {
        places = evidence.last_about(messages, 3);
    }
    places.truncate(NAMED_MAX);
    Finding::new(State::Fails, instead, places)
}

fn every(
    evidence: &Evidence<'_>,
    by_message: &BTreeMap<MsgId, Vec<usize>>,
    judge: impl Fn(&[usize]) -> State,
) -> Finding {
    let total = evidence.world.shared.messages.len();
    let mut open = !evidence.ended || total == 0;
    for index in 0..total {
        let msg = MsgId(index as u32);
        let places = by_message.get(&msg).map_or(&[][..], Vec::as_slice);
        match judge(places) {
            State::Holds => {}
            State::Open => open = true,
            State::Fails => {
                let own = BTreeMap::from([(msg, evidence.world.shared.label(msg))]);
                let near =
                    if places.is_empty() { evidence.last_about(&own, 3) } else { places.to_vec() };
                let instead = if places.is_empty() { Instead::Never } else { Instead::Facts };
                return Finding::new(State::Fails, instead, near);
            }
        }
    }
    let state = match (open, evidence.ended) {
        (false, _) => State::Holds,
        (true, true) => State::Fails,
        (true, false) => State::Open,
    };
    Finding::new(state, Instead::Messages(by_message.len() as u32), Vec::new())
}

fn none(
    evidence: &Evidence<'_>,
    by_message: &BTreeMap<MsgId, Vec<usize>>,
    judge: impl Fn(&[usize]) -> State,
) -> Finding {
    for places in by_message.values() {
        if judge(places) == State::Holds {
            return Finding::new(
                State::Fails,
                Instead::Facts,
                places.iter().copied().take(NAMED_MAX).collect(),
            );
        }
    }
    let state = if evidence.ended { State::Holds } else { State::Open };
    Finding::new(state, Instead::Messages(0), Vec::new())
}

fn counted(
    evidence: &Evidence<'_>,
    by_message: &BTreeMap<MsgId, Vec<usize>>,
    count: Times,
    judge: impl Fn(&[usize]) -> State,
    window: Window,
) -> Finding {
    let holding: Vec<&Vec<usize>> =
        by_message.values().filter(|places| judge(places) == State::Holds).collect();
    let found = u32::try_from(holding.len()).unwrap_or(u32::MAX);
    let enough = found >= count.min;
    let too_many = count.max.is_some_and(|max| found > max);
    let state = match () {
        _ if too_many => State::Fails,
        _ if enough && count.max.is_none() => State::Holds,
        _ if window.closed(evidence) => State::of(enough),
        _ => State::Open,
    };
    let last = holding.iter().filter_map(|places| places.first().copied()).max();
    Finding::new(state, Instead::Messages(found), last.into_iter().collect())
}

/// `A1 A2 B1 handled in this order`: the first times, or the n-th time of a label that is
/// repeated n times.
pub(super) fn in_order(
    evidence: &Evidence<'_>,
    labels: &[Spanned<Label>],
    (event, filter): Event<'_>,
    when: &When,
) -> Finding {
    let window = Window::of(when, evidence);
    let messages = evidence.labelled(labels.iter().map(|l| &l.value));
    let mut places: BTreeMap<&Label, Vec<usize>> = BTreeMap::new();
    for (place, msg) in evidence.occurrences(event, filter) {
        if let (Some(label), true) = (messages.get(&msg), window.holds(evidence, place)) {
            places.entry(label).or_default().push(place);
        }
    }
    let mut used: BTreeMap<&Label, usize> = BTreeMap::new();
    let mut found = Vec::new();
    let mut missing = false;
    for label in labels {
        let nth = used.entry(&label.value).or_default();
        match places.get(&label.value).and_then(|all| all.get(*nth)) {
            Some(place) => found.push(*place),
            None => missing = true,
        }
        *nth += 1;
    }
    let sorted = found.windows(2).all(|pair| pair[0] < pair[1]);
    let state = match (sorted, missing) {
        (false, _) => State::Fails,
        (true, false) => State::Holds,
        (true, true) if window.closed(evidence) => State::Fails,
        (true, true) => State::Open,
    };
    let mut in_time = found.clone();
    in_time.sort_unstable();
    let sequence = sequence(evidence, &in_time);
    let place = found.windows(2).position(|pair| pair[0] > pair[1]).map(|index| found[index + 1]);
    Finding::new(state, Instead::Sequence(sequence), place.into_iter().collect())
}

/// `delivered exactly A1 A2 A2`.
pub(super) fn exactly(
    evidence: &Evidence<'_>,
    labels: &[Spanned<Label>],
    (event, filter): Event<'_>,
    when: &When,
) -> Finding {
    let window = Window::of(when, evidence);
    let all = evidence.occurrences(event, filter).into_iter();
    let places: Vec<usize> = all.map(|(p, _)| p).filter(|p| window.holds(evidence, *p)).collect();
    let found = sequence(evidence, &places);
    let differs =
        found.iter().zip(labels).position(|(found, label)| *found != label.value.to_string());
    let state = match differs {
        Some(_) => State::Fails,
        None if found.len() > labels.len() => State::Fails,
        None if found.len() == labels.len() && window.closed(evidence) => State::Holds,
        None if window.closed(evidence) => State::Fails,
        None => State::Open,
    };
    let first_wrong = differs.or((found.len() > labels.len()).then_some(labels.len()));
    let place = first_wrong.and_then(|index| places.get(index).copied());
    Finding::new(state, Instead::Sequence(found), place.into_iter().collect())
}

/// `A1 invisible at 12s`.
pub(super) fn invisible(
    evidence: &Evidence<'_>,
    labels: &[Spanned<Label>],
    negated: bool,
    at_ms: Ms,
    group: Option<&Name>,
) -> Finding {
    let messages = evidence.labelled(labels.iter().map(|l| &l.value));
    let group = group.map(|name| evidence.group_named(name));
    let mut facts = Vec::new();
    let mut holds = true;
    for label in labels {
        let mut of_label = messages.iter().filter(|(_, l)| **l == label.value).map(|(m, _)| *m);
        let found = match group {
            Some(None) => None,
            group => of_label.find_map(|msg| evidence.invisible(msg, group.flatten(), at_ms)),
        };
        holds &= found.is_some() != negated;
        facts.extend(found.map(|(_, place)| place));
    }
    let state = if evidence.past(at_ms) { State::of(holds) } else { State::Open };
    if facts.is_empty() {
        facts = evidence.last_about(&messages, 3);
    }
    facts.truncate(NAMED_MAX);
    let instead = if facts.is_empty() { Instead::Never } else { Instead::Facts };
    Finding::new(state, instead, facts)
}

/// `P1 with message-group`. What nobody has sent yet can still go either way.
pub(super) fn grouped(
    evidence: &Evidence<'_>,
    labels: &[Spanned<Label>],
    negated: bool,
) -> Finding {
    let messages = evidence.labelled(labels.iter().map(|l| &l.value));
    let shared = &evidence.world.shared;
    let (mut missing, mut wrong) = (false, BTreeMap::new());
    for label in labels {
        let mut of_label = messages.iter().filter(|(_, l)| **l == label.value).peekable();
        missing |= of_label.peek().is_none();
        let unfit = of_label.filter(|(msg, _)| shared.message_group(**msg).is_some() == negated);
        wrong.extend(unfit.map(|(msg, label)| (*msg, label.clone())));
    }
    let state = match () {
        () if !wrong.is_empty() || (missing && evidence.ended) => State::Fails,
        () if missing => State::Open,
        () => State::Holds,
    };
    let facts = evidence.last_about(if wrong.is_empty() { &messages } else { &wrong }, 1);
    let instead = match wrong.is_empty() {
        false => Instead::MessageGroup(negated),
        true if missing => Instead::Never,
        true => Instead::Facts,
    };
    Finding::new(state, instead, facts)
}

/// The labels of the messages that facts are about.
fn sequence(evidence: &Evidence<'_>, places: &[usize]) -> Vec<String> {
    let shared = &evidence.world.shared;
    let label = |place: &usize| {
        super::tell::message_of(&evidence.facts[*place].fact).map(|m| shared.label(m).to_string())
    };
    places.iter().filter_map(label).collect()
}
