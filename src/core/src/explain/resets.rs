//! What became of a legacy reset: the broker only sends it to the consumers, and whoever has the
//! queue writes the offset after its pause of ten seconds. When that consumer ends before, nobody does.
//! Source: `Broker2Client.resetOffset`, `MQClientInstance.resetOffset`.

use super::{owner, Reason, Run};
use crate::fact::{Fact, ResetHow, StopKind};
use crate::ids::{ClientId, GroupId, MessageQueue, Ms, Party};

/// What became of a reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// The offset is set, or will be.
    Counts,
    /// Nobody carries it out any more: `client`, who had the queue, ended or never heard of it.
    Lost {
        /// Who had the queue.
        client: ClientId,
        /// The fact by which it was lost.
        by: u32,
    },
}

/// A reset that was set and has not taken effect yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Awaited {
    /// Where the group goes on.
    pub(super) offset: i64,
    /// The consumer that holds still for a legacy reset, and until when in ms; None = the broker keeps it
    /// for the next read.
    by: Option<(ClientId, Ms)>,
}

impl Awaited {
    /// Why a message that is to be read again waits, where that is known; None = what stands in the
    /// way of the next read says it.
    pub(super) fn pause(self) -> Option<Reason> {
        self.by.map(|(client, until_ms)| Reason::ResetPause { client, until_ms })
    }
}

/// The reset of a queue that a group has yet to take up.
pub(super) fn awaited(run: &Run<'_>, group: GroupId, queue: MessageQueue) -> Option<Awaited> {
    let broker = run.world.brokers.get(queue.broker.index())?;
    if let Some(offset) = broker.pending_resets.get(&(group, queue)) {
        return Some(Awaited { offset: *offset, by: None });
    }
    let (client, entry) = owner::holder(run.world, group, queue)?;
    let until_ms = client.reset_until_ms(run.world, queue).filter(|_| entry.dropped)?;
    let history = run.ledger.newest_of_queue(queue, run.facts.len());
    let mut facts = history.filter_map(|index| run.facts.get(index as usize));
    let offset = facts.find_map(|record| match record.fact {
        Fact::OffsetReset { group: of, offset, how: ResetHow::Clients, .. } if of == group => {
            Some(i64::from(offset))
        }
        _ => None,
    })?;
    Some(Awaited { offset, by: Some((client.id, until_ms)) })
}

/// What became of the reset that fact `index` tells of. Other facts count.
pub(super) fn fate(run: &Run<'_>, index: u32) -> Fate {
    let Some(record) = run.facts.get(index as usize) else { return Fate::Counts };
    let Fact::OffsetReset { group, queue, how: ResetHow::Clients, .. } = record.fact else {
        return Fate::Counts;
    };
    if is_written(run, index, group, queue) {
        return Fate::Counts;
    }
    let Some(client) = owner(run, index, group, queue) else { return Fate::Counts };
    let by = ended(run, client, index, run.facts.len()).or_else(|| packet_lost(run, index, client));
    by.map_or(Fate::Counts, |by| Fate::Lost { client, by })
}

/// True when a reset has no effect and will have none.
pub(super) fn is_lost(run: &Run<'_>, index: u32) -> bool {
    fate(run, index) != Fate::Counts
}

/// The first fact behind `index`, of the first `count`, by which a process ended.
fn ended(run: &Run<'_>, client: ClientId, index: u32, count: usize) -> Option<u32> {
    let after = run.ledger.newest_of_client(client, count).take_while(|i| *i > index);
    let ends =
        |fact: &Fact| matches!(fact, Fact::ConsumerStopped { how, .. } if *how != StopKind::Hang);
    after.filter(|i| run.facts.get(*i as usize).is_some_and(|r| ends(&r.fact))).last()
}

/// Whether a consumer that heard of the reset has parted with the queue after its pause: it wrote the
/// offset with that.
fn is_written(run: &Run<'_>, index: u32, group: GroupId, queue: MessageQueue) -> bool {
    let after = run.ledger.newest_of_queue(queue, run.facts.len()).take_while(|i| *i > index);
    let mut removed = after.filter_map(|i| match run.facts.get(i as usize)?.fact {
        Fact::QueueRemoved { client, .. } if of_group(run, client, group) => Some((i, client)),
        _ => None,
    });
    removed.any(|(at, client)| {
        let heard = run.ledger.newest_of_client(client, at as usize).take_while(|i| *i > index);
        let at_ms = run.facts[at as usize].at_ms;
        heard.filter_map(|i| run.facts.get(i as usize)).any(|r| {
            matches!(r.fact, Fact::ResetReceived { topic, until_ms, .. }
                if topic == queue.topic && until_ms <= at_ms)
        })
    })
}

/// Who had the queue when the reset was sent.
fn owner(run: &Run<'_>, index: u32, group: GroupId, queue: MessageQueue) -> Option<ClientId> {
    let before = run.ledger.newest_of_queue(queue, index as usize);
    for i in before {
        match run.facts.get(i as usize)?.fact {
            Fact::QueueAdded { client, .. } if of_group(run, client, group) => {
                return ended(run, client, i, index as usize).is_none().then_some(client);
            }
            Fact::QueueRemoved { client, .. } if of_group(run, client, group) => return None,
            _ => {}
        }
    }
    None
}

/// The loss of the packet that should have told a consumer.
fn packet_lost(run: &Run<'_>, index: u32, client: ClientId) -> Option<u32> {
    let event = run.facts.get(index as usize)?.event;
    let after = run.facts.iter().enumerate().skip(index as usize);
    let mut same = after.take_while(|(_, r)| r.event == event);
    let is_it = |fact: &Fact| matches!(fact, Fact::PacketLost { from: Party::Broker(_), to } if *to == Party::Client(client));
    same.find(|(_, r)| is_it(&r.fact)).map(|(i, _)| i as u32)
}

fn of_group(run: &Run<'_>, client: ClientId, group: GroupId) -> bool {
    run.world.clients.get(client.index()).is_some_and(|process| process.group() == group)
}
