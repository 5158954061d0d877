//! What happened to queues and consumers, who held what, offsets, broken guarantees.

use super::evidence::Evidence;
use super::window::Window;
use super::{Finding, Instead, State};
use crate::check::{Broken, Violation};
use crate::command::{Label, ListenerKind};
use crate::fact::Fact;
use crate::ids::{ClientId, GroupId, MessageQueue, Ms};
use crate::scenario::condition::{Filter, OffsetKind, QueueName, Times, When};
use crate::scenario::events::{ClientEvent, PartyEvent, QueueEvent};
use crate::scenario::span::{Name, Spanned};

/// Most facts that a finding names.
const NAMED_MAX: usize = 5;

fn judged(
    evidence: &Evidence<'_>,
    places: Vec<usize>,
    negated: bool,
    (when, times): (&When, Option<Times>),
) -> Finding {
    let state = Window::of(when, evidence).judge(evidence, &places, times);
    let state = if negated { state.turned() } else { state };
    let instead = match () {
        _ if times.is_some() => Instead::Times(u32::try_from(places.len()).unwrap_or(u32::MAX)),
        _ if places.is_empty() => Instead::Never,
        _ => Instead::Facts,
    };
    Finding::new(state, instead, places.into_iter().take(NAMED_MAX).collect())
}

/// `q0 locked by c2 at 81s`.
pub(super) fn queue(
    evidence: &Evidence<'_>,
    queue: &QueueName,
    negated: bool,
    (event, filter): (QueueEvent, &Filter),
    when: (&When, Option<Times>),
) -> Finding {
    let Some(queue) = evidence.queue_named(queue) else {
        return judged(evidence, Vec::new(), negated, when);
    };
    let filter = evidence.resolve(filter);
    let is = |fact: &Fact| {
        evidence.queue_event(fact).is_some_and(|(what, of, by)| {
            what == event && of == queue && evidence.passes(&filter, &by)
        })
    };
    let places =
        (0..evidence.facts.len()).filter(|place| is(&evidence.facts[*place].fact)).collect();
    judged(evidence, places, negated, when)
}

/// `c1 left after 120s`.
pub(super) fn client(
    evidence: &Evidence<'_>,
    name: &Name,
    negated: bool,
    (event, code): (ClientEvent, Option<i64>),
    when: (&When, Option<Times>),
) -> Finding {
    let is = |fact: &Fact| {
        Evidence::client_event(fact).is_some_and(|(what, client, with)| {
            what == event
                && code.is_none_or(|code| with == Some(code))
                && evidence.is_client(client, &name.value)
        })
    };
    let places =
        (0..evidence.facts.len()).filter(|place| is(&evidence.facts[*place].fact)).collect();
    judged(evidence, places, negated, when)
}

/// `p1 timed-out twice`.
pub(super) fn party(
    evidence: &Evidence<'_>,
    name: &Name,
    negated: bool,
    event: PartyEvent,
    when: (&When, Option<Times>),
) -> Finding {
    let is = |fact: &Fact| {
        Evidence::party_event(fact)
            .is_some_and(|(what, party)| what == event && evidence.is_party(party, &name.value))
    };
    let places =
        (0..evidence.facts.len()).filter(|place| is(&evidence.facts[*place].fact)).collect();
    judged(evidence, places, negated, when)
}

/// `q0 owned by c2 at 82s`.
pub(super) fn owner(
    evidence: &Evidence<'_>,
    queue: &QueueName,
    owner: Option<&Name>,
    at_ms: Ms,
    group: Option<&Name>,
) -> Finding {
    let ids = evidence.queue_named(queue).zip(group.and_then(|g| evidence.group_named(g)));
    let (owners, place) =
        ids.map_or((Vec::new(), None), |(queue, group)| owners(evidence, queue, group, at_ms));
    let fits = match owner {
        None => owners.is_empty(),
        Some(name) => owners.len() == 1 && evidence.is_client(owners[0], &name.value),
    };
    let state = if evidence.past(at_ms) { State::of(fits) } else { State::Open };
    Finding::new(state, Instead::Owners(owners), place.into_iter().collect())
}

/// Who holds a queue at the end of an instant, and the last fact that changed it.
fn owners(
    evidence: &Evidence<'_>,
    queue: MessageQueue,
    group: GroupId,
    at_ms: Ms,
) -> (Vec<ClientId>, Option<usize>) {
    let orderly = evidence.world.shared.group(group).listener == ListenerKind::Orderly;
    let lease_ms = evidence.world.shared.model.rebalance_lock_max_live_time_ms;
    let mut owners: Vec<ClientId> = Vec::new();
    let mut since_ms = 0;
    let mut place = None;
    let until = evidence.facts.partition_point(|record| record.at_ms <= at_ms);
    for (index, record) in evidence.facts[..until].iter().enumerate() {
        let before = owners.clone();
        match record.fact {
            Fact::LockGranted { group: g, client, queue: q, .. }
                if orderly && g == group && q == queue =>
            {
                owners = vec![client];
                since_ms = record.at_ms;
            }
            Fact::LockReleased { group: g, queue: q, .. }
                if orderly && g == group && q == queue =>
            {
                owners.clear()
            }
            Fact::BrokerStopped { broker, .. } if orderly && broker == queue.broker => {
                owners.clear();
            }
            Fact::QueueAdded { client, queue: q, .. }
                if !orderly && q == queue && evidence.group_of(client) == Some(group) =>
            {
                owners.push(client);
            }
            Fact::QueueDropped { client, queue: q, .. } if !orderly && q == queue => {
                owners.retain(|c| *c != client)
            }
            Fact::ConsumerStopped { client, .. } if !orderly => owners.retain(|c| *c != client),
            _ => {}
        }
        if owners != before {
            place = Some(index);
        }
    }
    if orderly && at_ms - since_ms > lease_ms {
        owners.clear();
    }
    (owners, place)
}

/// `offset of q1 is 2 at 30s`.
pub(super) fn offset(
    evidence: &Evidence<'_>,
    kind: OffsetKind,
    queue: &QueueName,
    value: i64,
    (at_ms, group): (Option<Ms>, Option<&Name>),
) -> Finding {
    let queue = evidence.queue_named(queue);
    let group = group.and_then(|g| evidence.group_named(g));
    let until = at_ms.map_or(evidence.facts.len(), |at| {
        evidence.facts.partition_point(|record| record.at_ms <= at)
    });
    let (mut min, mut max, mut consumer) = (0, 0, 0);
    let mut last = (None, None, None);
    for (index, record) in evidence.facts[..until].iter().enumerate() {
        match record.fact {
            Fact::MessageStored { queue: q, offset, .. } if Some(q) == queue => {
                (max, last.0) = (i64::from(offset) + 1, Some(index));
            }
            Fact::MessageLost { queue: q, offset, .. } if Some(q) == queue => {
                (max, last.0) = (max.min(i64::from(offset)), Some(index));
            }
            Fact::MinOffsetRaised { queue: q, min: to } if Some(q) == queue => {
                (min, last.2) = (i64::from(to), Some(index));
            }
            Fact::OffsetCommitted { group: g, queue: q, offset }
                if Some(q) == queue && Some(g) == group =>
            {
                (consumer, last.1) = (i64::from(offset), Some(index));
            }
            _ => {}
        }
    }
    let (found, facts) = match kind {
        OffsetKind::Consumer => (consumer, vec![last.1]),
        OffsetKind::Min => (min, vec![last.2]),
        OffsetKind::Max => (max, vec![last.0]),
        OffsetKind::Lag => (max - consumer, vec![last.0, last.1]),
    };
    let decided = at_ms.map_or(evidence.ended, |at| evidence.past(at));
    let state = if decided { State::of(found == value) } else { State::Open };
    Finding::new(state, Instead::Offset(found), facts.into_iter().flatten().collect())
}

/// `order kept in A, B`, `order broken in A at A3`.
pub(super) fn order(
    evidence: &Evidence<'_>,
    kept: bool,
    series: &[Name],
    at: Option<&Spanned<Label>>,
    group: Option<&Name>,
) -> Finding {
    let shared = &evidence.world.shared;
    let fits = |violation: &Violation| {
        let Broken::Order { series: of, later, .. } = violation.broken else { return false };
        let name = &shared.names.series[of.index()].name;
        (series.is_empty() || series.iter().any(|s| s.value == *name))
            && at.is_none_or(|label| shared.label(later) == label.value)
            && group.is_none_or(|g| evidence.group_named(g) == Some(violation.group))
    };
    broken(evidence, kept, fits, |v| matches!(v.broken, Broken::Order { .. }))
}

/// `one owner per queue`.
pub(super) fn one_owner(evidence: &Evidence<'_>, group: Option<&Name>) -> Finding {
    let is = |violation: &Violation| matches!(violation.broken, Broken::TwoOwners { .. });
    let fits = |violation: &Violation| {
        is(violation) && group.is_none_or(|g| evidence.group_named(g) == Some(violation.group))
    };
    broken(evidence, true, fits, is)
}

/// Judges whether violations that fit exist; `kin` are the ones to name when none fits.
fn broken(
    evidence: &Evidence<'_>,
    kept: bool,
    fits: impl Fn(&Violation) -> bool,
    kin: impl Fn(&Violation) -> bool,
) -> Finding {
    let all = evidence.violations;
    let found: Vec<usize> =
        (0..all.len()).filter(|index| fits(&all[*index])).take(NAMED_MAX).collect();
    let state = match (found.is_empty(), evidence.ended) {
        (false, _) => State::of(!kept),
        (true, true) => State::of(kept),
        (true, false) => State::Open,
    };
    let named = if found.is_empty() && !kept {
        (0..all.len()).filter(|index| kin(&all[*index])).take(NAMED_MAX).collect()
    } else {
        found
    };
    let instead = if named.is_empty() { Instead::NotBroken } else { Instead::Violations(named) };
    Finding::new(state, instead, Vec::new())
}
