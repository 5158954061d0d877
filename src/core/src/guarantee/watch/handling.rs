//! What a group begins and finishes.

use super::ended::limit;
use super::state::{entry, Seen, Standing};
use super::{Block, Breach, Watch};
use crate::fact::FactRecord;
use crate::guarantee::Guarantee;
use crate::ids::{ClientId, GroupId, MessageQueue, MsgId};
use crate::world::World;

impl Watch {
    pub(super) fn on_started(
        &mut self,
        world: &World,
        record: &FactRecord,
        client: ClientId,
        (queue, offset): (MessageQueue, u32),
        (msg, attempt): (MsgId, u32),
    ) {
        let process = &world.clients[client.index()];
        let group = process.group();
        let before = *self.seen(group, msg);
        let apart = before.apart && world.shared.message(msg).topic != queue.topic;
        let new = Seen { begun: true, failed_last: false, apart, attempt, ..before };
        *self.seen(group, msg) = new;
        if before.begun {
            self.repeat(world, record, (group, queue, msg), before);
        }
        let lost = self.is_lost(msg, queue);
        let (own, _) = self.of_group(record, group, queue);
        // What is handled from a cache and lies nowhere any more stands before nothing.
        let first = lost || own.highest.is_none_or(|(highest, _)| offset > highest);
        let ahead = own.highest;
        if first && !lost {
            own.highest = Some((offset, msg));
        }
        if let Some((_, later)) = ahead.filter(|_| !first && !before.begun) {
            self.breach(record, Guarantee::QueueOrder, (Some(group), Some(msg), later));
        }
        // The limit is tested when an attempt fails; of a gRPC consumer that says nothing, by the
        // proxy with the receipt.
        let again = before.used_up > 0 && attempt >= before.used_up;
        let unsaid = process.grpc().is_some() && !before.failed;
        if again || unsaid && limit(world, group, true).is_some_and(|limit| attempt > limit) {
            self.breach(record, Guarantee::Attempts, (Some(group), None, msg));
        }
        let message = world.shared.message(msg);
        if before.begun || world.shared.names.series[message.series.index()].key.is_none() {
            return;
        }
        let Some(stored) = self.stored.get(msg.index()).copied().flatten() else { return };
        let track = self.track(group, message.topic, stored.of);
        let highest = track.delivered;
        if highest.is_none_or(|(rank, _)| stored.rank > rank) {
            track.delivered = Some((stored.rank, msg));
        } else if let Some((_, later)) = highest {
            self.breach(record, Guarantee::OrderDelivered, (Some(group), Some(msg), later));
        }
    }

    /// A delivery that is not the first.
    fn repeat(
        &mut self,
        world: &World,
        record: &FactRecord,
        (group, queue, msg): (GroupId, MessageQueue, MsgId),
        before: Seen,
    ) {
        let reset = self.resets.contains(&(group, queue));
        let own = world.shared.message(msg).topic == queue.topic;
        let grpc = world.clients.iter().any(|p| p.group() == group && p.grpc().is_some());
        let place = group.index();
        let past = entry(&mut self.duplicates, place);
        let mut counts = past.last().map(|(_, counts)| *counts).unwrap_or_default();
        match before {
            Seen { failed: true, done: false, .. } => counts.retries += 1,
            Seen { failed_last: true, dead: false, .. } => counts.retries += 1,
            _ if reset && before.done => counts.resets += 1,
            _ if grpc || !own => counts.expiries += 1,
            _ => counts.hand_overs += 1,
        }
        past.push((record.event, counts));
        let (at_ms, event, guarantee) = (record.at_ms, record.event, Guarantee::AtLeastOnce);
        let group = Some(group);
        entry(&mut self.first_duplicates, place).get_or_insert(Breach {
            guarantee,
            at_ms,
            event,
            group,
            earlier: None,
            msg,
        });
    }

    pub(super) fn on_done(
        &mut self,
        record: &FactRecord,
        group: GroupId,
        msg: MsgId,
        queue: Option<MessageQueue>,
        world: &World,
    ) {
        let first = !std::mem::replace(&mut self.seen(group, msg).done, true);
        if let Some(queue) = queue {
            self.progress(record, group, queue, msg);
        }
        let message = world.shared.message(msg);
        if !first || world.shared.names.series[message.series.index()].key.is_none() {
            return;
        }
        let Some(stored) = self.stored.get(msg.index()).copied().flatten() else { return };
        let track = self.track(group, message.topic, stored.of);
        let highest = track.acknowledged;
        if highest.is_none_or(|(rank, _)| stored.rank > rank) {
            track.acknowledged = Some((stored.rank, msg));
        } else if let Some((_, later)) = highest {
            self.breach(record, Guarantee::OrderAcknowledged, (Some(group), Some(msg), later));
        }
    }

    /// Something was finished in a queue.
    pub(super) fn progress(
        &mut self,
        record: &FactRecord,
        group: GroupId,
        queue: MessageQueue,
        msg: MsgId,
    ) {
        if self.is_lost(msg, queue) {
            return;
        }
        let (event, until_ms) = (record.event, record.at_ms);
        let (own, stored) = self.of_group(record, group, queue);
        let Standing { done, since_ms: from_ms, .. } = own.now();
        let all = stored.len() as u32;
        own.set(Standing { event, done: (done + 1).min(all), since_ms: until_ms });
        own.skip(event, stored);
        let block = Block { queue, from_ms, until_ms, by: Some(msg), lasts: false };
        let longest = entry(&mut self.longest, group.index());
        if longest.last().is_none_or(|(_, b)| until_ms - from_ms > b.until_ms - b.from_ms) {
            longest.push((event, block));
        }
    }
}
