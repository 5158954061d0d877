//! Watches a run fact by fact. Everything that is looked up with each fact is a place in a vector.
//! What is asked for afterwards is kept with its events, so that any past of the run is known as well
//! as its present; see [`Watched`].

mod cached;
mod ended;
mod found;
mod handling;
mod past;
mod state;
mod storing;

use cached::InHand;
pub use found::{Block, Breach, Duplicates, MOST_BREACHES};
pub use past::Watched;
use state::{entry, queue_of, OfGroup, Queue, Seen, Series, Standing, Stored, Track};

use super::Guarantee;
use crate::fact::{Fact, FactRecord, StopKind};
use crate::ids::{ClientId, GroupId, MessageGroupId, MessageQueue, Ms, MsgId, TopicId};
use crate::pop::PopFact;
use crate::world::World;

/// The watch of a run.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    stored: Vec<Option<Stored>>,
    /// By topic and message group: order is promised within a topic.
    series: Vec<Vec<Option<Series>>>,
    /// By consumer group, topic and message group.
    tracks: Vec<Vec<Vec<Track>>>,
    /// By topic and series the highest number that was stored, with its message.
    numbers: Vec<Vec<Option<(u32, MsgId)>>>,
    seen: Vec<Vec<Seen>>,
    /// By topic, broker and id.
    queues: Vec<Vec<Vec<Queue>>>,
    resets: Vec<(GroupId, MessageQueue)>,
    /// Commands that were refused, each with its event.
    refused: Vec<(u32, u32)>,
    /// What was handled without autocommit and waits for a commit.
    uncommitted: Vec<(ClientId, MessageQueue, MsgId)>,
    /// Of each group the blocks that were longer than all before them, with their events.
    longest: Vec<Vec<(u32, Block)>>,
    /// Of each group the numbers with the events since which they hold.
    duplicates: Vec<Vec<(u32, Duplicates)>>,
    first_duplicates: Vec<Option<Breach>>,
    breaches: Vec<Breach>,
    /// What is gone from the store and still in a consumer's hands.
    in_hand: Vec<InHand>,
    /// Consumers that ended.
    ended: Vec<ClientId>,
}

impl Watch {
    /// What was seen up to an event.
    pub fn until(&self, event: u32) -> Watched<'_> {
        Watched::new(self, event)
    }

    fn breach(
        &mut self,
        record: &FactRecord,
        guarantee: Guarantee,
        of: (Option<GroupId>, Option<MsgId>, MsgId),
    ) {
        if self.breaches.len() < MOST_BREACHES {
            let (group, earlier, msg) = of;
            let (at_ms, event) = (record.at_ms, record.event);
            self.breaches.push(Breach { guarantee, at_ms, event, group, earlier, msg });
        }
    }

    /// Looks at a fact that has just happened.
    pub fn observe(&mut self, world: &World, record: &FactRecord) {
        match record.fact {
            Fact::MessageStored { msg, queue, offset, kind } => {
                self.on_stored(world, record, msg, (queue, offset), kind);
            }
            Fact::HandlingStarted { client, queue, offset, msg, attempt } => {
                self.on_started(world, record, client, (queue, offset), (msg, attempt));
            }
            Fact::HandlingEnded { client, queue, msg, outcome, .. } => {
                self.on_ended(world, client, queue, (msg, outcome));
            }
            Fact::MessageAcknowledged { client, queue, msg, .. } => {
                self.on_acknowledged(world, record, client, queue, msg);
            }
            Fact::DeadLettered { group, msg, .. }
            | Fact::MessageScheduled { msg, dead_for: Some(group), .. } => {
                let own = self.stored.get(msg.index()).copied().flatten().map(|s| s.queue);
                self.seen(group, msg).dead = true;
                self.on_done(record, group, msg, own, world);
            }
            Fact::SentBack { client, msg, .. } => {
                let group = world.clients[client.index()].group();
                self.on_sent_back(group, msg);
                let own = self.stored.get(msg.index()).copied().flatten().map(|s| s.queue);
                if let Some(queue) = own {
                    self.progress(record, group, queue, msg);
                }
            }
            Fact::SentNowhere { group, msg } => {
                self.seen(group, msg).nowhere = true;
                self.breach(record, Guarantee::NothingLost, (Some(group), None, msg));
            }
            Fact::QueueAdded { client, queue, offset } => {
                let group = world.clients[client.index()].group();
                self.on_position(record, group, queue, offset);
            }
            Fact::Pop(PopFact::PopOffsetChosen { group, queue, offset })
            | Fact::ResetConsumed { group, queue, offset } => {
                self.on_position(record, group, queue, offset);
            }
            Fact::MessagesPulled { client, queue, offset, count } => {
                let group = world.clients[client.index()].group();
                self.on_read((group, client), queue, (offset, count.into()), None);
            }
            Fact::Pop(PopFact::Received { client, msg, .. }) => {
                let group = world.clients[client.index()].group();
                self.seen(group, msg).given = Some(client);
            }
            Fact::QueueDropped { client, queue, .. } | Fact::QueueRemoved { client, queue, .. } => {
                let group = world.clients[client.index()].group();
                self.on_dropped(record, group, client, Some(queue));
            }
            Fact::ConsumerStopped { client, how } if how != StopKind::Hang => {
                let group = world.clients[client.index()].group();
                self.on_dropped(record, group, client, None);
            }
            Fact::MessagesFiltered { client, queue, offset, count, by } => {
                let group = world.clients[client.index()].group();
                self.on_read((group, client), queue, (offset, count.into()), Some(by));
                self.on_filtered(record, group, queue, (offset, offset + u32::from(count)));
            }
            Fact::Pop(PopFact::FilteredOnReceive { group, msg, .. }) => {
                if let Some(at) = self.stored.get(msg.index()).copied().flatten() {
                    self.on_filtered(record, group, at.queue, (at.offset, at.offset + 1));
                }
            }
            Fact::OffsetReset { group, queue, .. } => self.resets.push((group, queue)),
            Fact::CommandRefused { index } => self.refused.push((record.event, index)),
            Fact::MessageLost { msg, queue, offset } => {
                self.on_gone(world, record, msg, (queue, offset));
                self.on_lost(record, msg, (queue, offset));
            }
            Fact::MessageDeleted { msg, queue, offset } => {
                self.on_gone(world, record, msg, (queue, offset));
            }
            // It lies nowhere any more, so that its place does not count.
            Fact::WheelGaveUp { msg, queue } => {
                self.on_gone(world, record, msg, (queue, 0));
            }
            _ => {}
        }
    }

    fn seen(&mut self, group: GroupId, msg: MsgId) -> &mut Seen {
        entry(entry(&mut self.seen, group.index()), msg.index())
    }

    fn of_group(
        &mut self,
        record: &FactRecord,
        group: GroupId,
        queue: MessageQueue,
    ) -> (&mut OfGroup, &[(u32, Ms)]) {
        let of = queue_of(&mut self.queues, queue);
        let place = of.groups.iter().position(|g| g.group == group).unwrap_or_else(|| {
            let since_ms = of.stored.first().map_or(record.at_ms, |(_, at_ms)| (*at_ms).max(0));
            let standing = Standing { event: record.event, done: 0, since_ms };
            of.groups.push(OfGroup::new(group, standing));
            of.groups.len() - 1
        });
        (&mut of.groups[place], &of.stored)
    }

    fn track(&mut self, group: GroupId, topic: TopicId, series: MessageGroupId) -> &mut Track {
        let of_group = entry(&mut self.tracks, group.index());
        entry(entry(of_group, topic.index()), series.index())
    }

    /// Whether a message is no more in the queue in which it was stored first.
    fn is_lost(&self, msg: MsgId, queue: MessageQueue) -> bool {
        let own = self.stored.get(msg.index()).copied().flatten();
        own.is_some_and(|own| own.lost && own.queue == queue)
    }
}
