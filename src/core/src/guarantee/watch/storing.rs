//! What is stored, lost or deleted, and from where on a group reads.

use super::state::{entry, queue_of, Series, Standing, Stored};
use super::Watch;
use crate::fact::{Fact, FactRecord, StoredKind};
use crate::guarantee::Guarantee;
use crate::ids::{GroupId, MessageQueue, MsgId};
use crate::world::World;

impl Watch {
    /// A group reads a queue from an offset on: what lies before it and was not finished is passed over.
    pub(super) fn on_position(
        &mut self,
        record: &FactRecord,
        group: GroupId,
        queue: MessageQueue,
        offset: u32,
    ) {
        let (own, _) = self.of_group(record, group, queue);
        own.begins = Some(own.begins.map_or(offset, |begins| begins.min(offset)));
        self.on_filtered(record, group, queue, (0, offset));
    }

    /// Nobody of a group waits for some records of a queue.
    pub(super) fn on_filtered(
        &mut self,
        record: &FactRecord,
        group: GroupId,
        queue: MessageQueue,
        (from, until): (u32, u32),
    ) {
        let of = queue_of(&mut self.queues, queue);
        let Some(own) = of.groups.iter_mut().find(|g| g.group == group) else { return };
        // What is behind it already needs no memory.
        if own.now().done < until {
            own.pass(from, until);
            own.skip(record.event, &of.stored);
        }
    }

    pub(super) fn on_stored(
        &mut self,
        world: &World,
        record: &FactRecord,
        msg: MsgId,
        (queue, offset): (MessageQueue, u32),
        kind: StoredKind,
    ) {
        let of = queue_of(&mut self.queues, queue);
        let done = of.stored.len() as u32;
        for group in of.groups.iter_mut().filter(|group| group.now().done >= done) {
            group.set(Standing { event: record.event, done, since_ms: record.at_ms });
        }
        of.stored.push((record.event, record.at_ms));
        let message = world.shared.message(msg);
        let again = matches!(kind, StoredKind::Retry | StoredKind::DeadLetter);
        if again || message.topic != queue.topic || entry(&mut self.stored, msg.index()).is_some() {
            return;
        }
        let keyed = world.shared.names.series[message.series.index()].key.is_some();
        let of = world.shared.names.order_of(message.series);
        // Numbers count within a series, places within the message group.
        let numbers = entry(entry(&mut self.numbers, queue.topic.index()), message.series.index());
        let own = *numbers;
        let newest = own.is_none_or(|(highest, _)| message.number >= highest);
        if newest {
            *numbers = Some((message.number, msg));
        }
        let series = entry(entry(&mut self.series, queue.topic.index()), of.index());
        let before = *series;
        let rank = before.map_or(0, |s| s.count);
        *series = Some(match before {
            Some(s) if !newest => Series { count: rank + 1, ..s },
            _ => Series { msg, queue, count: rank + 1 },
        });
        self.stored[msg.index()] = Some(Stored { queue, offset, of, rank, lost: false });
        if !keyed {
            return;
        }
        match (own, before) {
            // It is meant to come before what is stored already.
            (Some((_, later)), _) if !newest => {
                self.breach(record, Guarantee::OrderStored, (None, Some(msg), later));
            }
            (_, Some(before)) if before.queue != queue => {
                self.breach(record, Guarantee::OrderStored, (None, Some(before.msg), msg));
            }
            _ => {}
        }
    }

    /// The end of a queue from an offset on is lost with the machine. Its offsets are given to others,
    /// and what a group began of it comes before nothing any more.
    pub(super) fn on_lost(
        &mut self,
        record: &FactRecord,
        msg: MsgId,
        (queue, offset): (MessageQueue, u32),
    ) {
        let own = entry(&mut self.stored, msg.index()).as_mut();
        if let Some(own) = own.filter(|own| own.queue == queue) {
            own.lost = true;
        }
        let of = queue_of(&mut self.queues, queue);
        of.lose(record.event, offset);
        for own in of.groups.iter_mut().filter(|own| own.highest.is_some_and(|h| h.0 >= offset)) {
            let begun = self.seen.get(own.group.index()).map_or(&[][..], Vec::as_slice);
            let places = (0..).map(MsgId).zip(&self.stored).zip(begun);
            let stays = places.filter_map(|((msg, place), seen)| {
                let place = place.filter(|p| p.queue == queue && p.offset < offset)?;
                seen.begun.then_some((place.offset, msg))
            });
            own.highest = stays.max();
        }
    }

    /// A stored message is gone; whoever reads its topic and was not done with it has lost it.
    pub(super) fn on_gone(
        &mut self,
        world: &World,
        record: &FactRecord,
        msg: MsgId,
        (queue, offset): (MessageQueue, u32),
    ) {
        let names = &world.shared.names;
        for index in 0..names.groups.len() {
            let group = GroupId(index as u16);
            let reads = names.groups[index].subscriptions.iter().any(|s| s.topic == queue.topic);
            // What is removed by age from before the place where a group began to read, or from a queue that
            // it never read, is no loss to it; what a broker has confirmed and does not have is.
            let lost = matches!(record.fact, Fact::MessageLost { .. } | Fact::WheelGaveUp { .. });
            let of = queue_of(&mut self.queues, queue);
            let reads_it = |begins: Option<u32>| begins.is_none_or(|begins| begins <= offset);
            let own = of.groups.iter().find(|g| g.group == group);
            let began = lost || own.is_some_and(|own| reads_it(own.begins));
            let seen = *self.seen(group, msg);
            if !reads || !began || seen.done || seen.apart {
                continue;
            }
            match self.has_in_hand(group, msg, (queue, offset)) {
                Some(client) => self.keep((group, client), queue, msg),
                None => self.breach(record, Guarantee::NothingLost, (Some(group), None, msg)),
            }
        }
    }
}
