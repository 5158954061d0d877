//! Who else waits because of the same thing.

use std::collections::{BTreeMap, BTreeSet};

use super::{message, owner, About, Core, Reason, Run};
use crate::command::ListenerKind;
use crate::ids::{GroupId, MessageGroupId, MessageQueue, MsgId};
use crate::model::Blocking;
use crate::process::Process;

/// Most records behind the cause that are looked at.
pub const MOST_BEHIND: i64 = 2_000;

/// Messages that wait because of the same thing, the explained one not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Collateral {
    /// The message behind which they wait: the cause, which may be another than the explained one.
    pub behind: Option<MsgId>,
    /// Of the message group that holds them up.
    pub same_group: u32,
    /// Of other message groups, or of none.
    pub others: u32,
    /// How many other message groups.
    pub other_groups: u32,
    /// There are more than `MOST_BEHIND` records behind the cause; only those were counted.
    pub more: bool,
}

/// Who waits with what is explained.
pub(super) fn of(run: &Run<'_>, about: About, core: Core) -> Collateral {
    let Some((msg, Some(group))) = core else { return Collateral::default() };
    if matches!(about, About::Level(_) | About::Command(_)) {
        return Collateral::default();
    }
    let reason = message::reason(run, msg, Some(group));
    if reason.is_over() {
        return Collateral::default();
    }
    let cause = match reason {
        Reason::Behind { head, .. } | Reason::BehindInvisible { head, .. } => head,
        _ => msg,
    };
    match message::place(run, cause, Some(group)) {
        message::Place::Queue(queue, offset) => {
            behind(run, group, (queue, offset), cause, msg, &reason)
        }
        _ => Collateral::default(),
    }
}

/// Counts what waits behind the message that holds others up.
fn behind(
    run: &Run<'_>,
    group: GroupId,
    (queue, offset): (MessageQueue, i64),
    cause: MsgId,
    explained: MsgId,
    reason: &Reason,
) -> Collateral {
    let shared = &run.world.shared;
    let mut found = Collateral { behind: Some(cause), ..Collateral::default() };
    let ordered = match owner::is_grpc(run.world, group) {
        true => shared.group(group).pop.orderly,
        false => shared.group(group).listener == ListenerKind::Orderly,
    };
    let of_message = is_of_message(reason);
    if of_message && !ordered {
        return found;
    }
    let by_group = shared.model.blocking == Blocking::MessageGroup;
    let series_of = |msg: MsgId| shared.message_group(msg);
    let own = series_of(cause);
    let mut others: BTreeSet<MessageGroupId> = BTreeSet::new();
    for (queue, offset) in queues_behind(run, group, cause, (queue, offset)) {
        let Some(broker) = run.world.brokers.get(queue.broker.index()) else { continue };
        let max = broker.store.range(queue).1;
        found.more |= max - offset > MOST_BEHIND;
        for at in offset..max.min(offset + MOST_BEHIND) {
            let Some(msg) = broker.store.at(queue, at).map(|r| r.msg) else { continue };
            if msg == explained || msg == cause {
                continue;
            }
            if message::place(run, msg, Some(group)) != message::Place::Queue(queue, at) {
                continue;
            }
            if message::reason(run, msg, Some(group)).is_over() {
                continue;
            }
            let series = series_of(msg);
            if own.is_some() && series == own {
                found.same_group += 1;
            } else if !(by_group && of_message) {
                found.others += 1;
                others.extend(series);
            }
        }
    }
    found.other_groups = others.len() as u32;
    found
}

/// Where what waits begins: the cause's own place, and the places of what a push consumer received with
/// it and handles after it. A batch may come from several queues, and blocks them all (the reference, 11.6).
fn queues_behind(
    run: &Run<'_>,
    group: GroupId,
    cause: MsgId,
    own: (MessageQueue, i64),
) -> BTreeMap<MessageQueue, i64> {
    let mut begins = BTreeMap::from([own]);
    let lanes = owner::processes(run.world, group).filter_map(Process::grpc).flat_map(|c| &c.lanes);
    let held_up = lanes.filter(|l| l.messages.front().is_some_and(|d| d.handle.msg == cause));
    for handle in held_up.flat_map(|l| &l.messages).map(|d| d.handle) {
        let begin = begins.entry(handle.queue).or_insert(handle.offset);
        *begin = (*begin).min(handle.offset);
    }
    begins
}

/// True when one message holds others up; otherwise the whole queue stands.
fn is_of_message(reason: &Reason) -> bool {
    matches!(
        reason,
        Reason::Behind { .. }
            | Reason::BehindInvisible { .. }
            | Reason::Suspended { .. }
            | Reason::Handled { .. }
            | Reason::TooLong { .. }
            | Reason::Invisible { .. }
            | Reason::Held { .. }
            | Reason::BackOff { .. }
            | Reason::Acting { .. }
            | Reason::SendingBack { .. }
            | Reason::LocalRetry { .. }
            | Reason::Next { .. }
    )
}
