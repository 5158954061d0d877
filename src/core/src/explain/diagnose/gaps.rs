//! Times in which a queue of a group stood still: something waited in it, and nobody was at work on it.

use std::collections::BTreeMap;

use super::super::{message, owner};
use super::Patient;
use crate::fact::{Fact, FactRecord};
use crate::ids::{ClientId, GroupId, MessageQueue, Ms, MsgId};
use crate::pop::{GrpcKind, PopFact, SimpleMode};
use crate::process::Process;

/// A queue that stood still.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    pub(super) group: GroupId,
    pub(super) queue: MessageQueue,
    /// The message that was begun at its end; where it lasts, the one that stands first.
    pub(super) msg: MsgId,
    pub(super) from_ms: Ms,
    pub(super) until_ms: Ms,
    /// The fact that ended it; None = it lasts.
    pub(super) end: Option<u32>,
}

impl Gap {
    /// How much of it lies in a time, in ms.
    pub(super) fn within(&self, (from_ms, until_ms): (Ms, Ms)) -> Ms {
        until_ms.min(self.until_ms) - from_ms.max(self.from_ms)
    }
}

/// A queue of a group, fact by fact.
#[derive(Default)]
struct Lane {
    /// What is not finished, with the instant since which nobody has been at work on it.
    open: BTreeMap<MsgId, Ms>,
    /// Who is at work on what.
    running: Vec<(ClientId, MsgId)>,
    /// The last sign of life, or the end of a pause that the group asked for.
    moved_ms: Ms,
}

type Lanes = BTreeMap<(GroupId, MessageQueue), Lane>;

impl Lane {
    fn moves(&mut self, at_ms: Ms) {
        self.moved_ms = self.moved_ms.max(at_ms);
    }

    /// A message is begun: since when it waited for that with nobody at work on the queue.
    fn begin(&mut self, at_ms: Ms, client: ClientId, msg: MsgId) -> Option<Ms> {
        let since_ms = self.open.insert(msg, at_ms).map(|ms| ms.max(self.moved_ms));
        let idle = self.running.iter().all(|(_, of)| *of == msg);
        self.running.retain(|(_, of)| *of != msg);
        self.running.push((client, msg));
        self.moves(at_ms);
        since_ms.filter(|_| idle)
    }

    fn end(&mut self, at_ms: Ms, msg: MsgId, finished: bool) {
        let before = self.running.len();
        self.running.retain(|(_, of)| *of != msg);
        if finished {
            self.open.remove(&msg);
        }
        // An acknowledgement that comes later moves nothing: the queue waited for it.
        if self.running.len() < before {
            self.moves(at_ms);
        }
    }
}

impl Patient<'_> {
    /// The times of at least `least_ms` in which a queue of a topic stood still.
    pub(super) fn gaps(&self, least_ms: Ms) -> Vec<Gap> {
        let (mut lanes, mut gaps) = (Lanes::new(), Vec::new());
        for (index, record) in self.run.facts.iter().enumerate() {
            let Some((key, client, msg)) = self.begun(&record.fact) else {
                self.follow(&mut lanes, record);
                continue;
            };
            let Some(lane) = lanes.get_mut(&key) else { continue };
            let since = lane.begin(record.at_ms, client, msg);
            if let Some(from_ms) = since.filter(|ms| record.at_ms - ms >= least_ms) {
                let (until_ms, end) = (record.at_ms, Some(index as u32));
                gaps.push(Gap { group: key.0, queue: key.1, msg, from_ms, until_ms, end });
            }
        }
        gaps.extend(self.lasting(&lanes).filter(|gap| gap.until_ms - gap.from_ms >= least_ms));
        gaps
    }

    /// The beginning of work on a message: a call, or that an application got it which is called by hand.
    fn begun(&self, fact: &Fact) -> Option<((GroupId, MessageQueue), ClientId, MsgId)> {
        let (client, queue, msg) = match *fact {
            Fact::HandlingStarted { client, queue, msg, .. } => (client, queue, msg),
            Fact::Pop(PopFact::Received { client, queue, msg, .. }) if self.is_by_hand(client) => {
                (client, queue, msg)
            }
            _ => return None,
        };
        Some(((self.group_of(client)?, queue), client, msg))
    }

    pub(super) fn is_by_hand(&self, client: ClientId) -> bool {
        let process = self.run.world.clients.get(client.index()).and_then(Process::grpc);
        process.is_some_and(|c| c.kind == GrpcKind::Simple(SimpleMode::Scripted))
    }

    fn lane<'l>(
        &self,
        lanes: &'l mut Lanes,
        client: ClientId,
        queue: MessageQueue,
    ) -> Option<&'l mut Lane> {
        lanes.get_mut(&(self.group_of(client)?, queue))
    }

    /// What else a fact means for the queues.
    fn follow(&self, lanes: &mut Lanes, record: &FactRecord) {
        let at_ms = record.at_ms;
        match record.fact {
            Fact::MessageStored { msg, queue, .. } => self.stored_for_all(lanes, at_ms, msg, queue),
            Fact::HandlingEnded { client, queue, msg, .. } => {
                if let Some(lane) = self.lane(lanes, client, queue) {
                    lane.end(at_ms, msg, false);
                }
            }
            Fact::MessageAcknowledged { client, queue, msg, .. } => {
                if let Some(lane) = self.lane(lanes, client, queue) {
                    lane.end(at_ms, msg, true);
                }
            }
            Fact::QueueSuspended { client, queue, until_ms, .. }
            | Fact::Pop(PopFact::AttemptFailed { client, queue, next_ms: until_ms, .. }) => {
                if let Some(lane) = self.lane(lanes, client, queue) {
                    lane.moves(until_ms);
                }
            }
            Fact::SentBack { client, msg, .. } => {
                let group = self.group_of(client);
                self.gone(lanes, group, at_ms, msg);
            }
            Fact::DeadLettered { group, msg, .. }
            | Fact::MessageScheduled { msg, dead_for: Some(group), .. }
            | Fact::SentNowhere { group, msg } => {
                self.gone(lanes, Some(group), at_ms, msg);
            }
            Fact::ConsumerStopped { client, .. } => {
                for lane in lanes.values_mut() {
                    let before = lane.running.len();
                    lane.running.retain(|(of, _)| *of != client);
                    if lane.running.len() < before {
                        lane.moves(at_ms);
                    }
                }
            }
            _ => {}
        }
    }

    /// A message that lies in a queue of its own topic waits for every group that wants it.
    fn stored_for_all(&self, lanes: &mut Lanes, at_ms: Ms, msg: MsgId, queue: MessageQueue) {
        if self.run.world.shared.message(msg).topic != queue.topic {
            return;
        }
        for group in owner::readers(self.run.world, queue.topic) {
            if owner::wants(self.run.world, group, queue, msg) {
                lanes.entry((group, queue)).or_default().open.entry(msg).or_insert(at_ms);
            }
        }
    }

    /// A group is done with a message, wherever its copy lies.
    fn gone(&self, lanes: &mut Lanes, group: Option<GroupId>, at_ms: Ms, msg: MsgId) {
        let of_group = lanes.iter_mut().filter(|((of, _), _)| Some(*of) == group);
        for (_, lane) in of_group.filter(|(_, lane)| lane.open.contains_key(&msg)) {
            lane.end(at_ms, msg, true);
        }
    }

    /// What stands still at the present.
    fn lasting<'s>(&'s self, lanes: &'s Lanes) -> impl Iterator<Item = Gap> + 's {
        let until_ms = self.until_ms;
        lanes.iter().filter(|(_, lane)| lane.running.is_empty()).filter_map(move |(key, lane)| {
            let (group, queue) = *key;
            let waits = |msg: &MsgId| !message::reason(&self.run, *msg, Some(group)).is_over();
            let (msg, since_ms) = lane.open.iter().find(|(msg, _)| waits(msg))?;
            let from_ms = lane.moved_ms.max(*since_ms);
            Some(Gap { group, queue, msg: *msg, from_ms, until_ms, end: None })
        })
    }
}
