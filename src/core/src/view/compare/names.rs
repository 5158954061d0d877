//! The names of two runs in one numbering, so that things are the same when they are called the
//! same.

use std::collections::{BTreeMap, BTreeSet};

use super::Side;
use crate::ids::{ClientId, GroupId, MessageQueue, MsgId};
use crate::shared::Shared;
use crate::world::World;

/// A queue by its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Queue {
    topic: u32,
    broker: u32,
    id: u16,
}

/// The numbering.
#[derive(Default)]
pub(super) struct Names {
    names: BTreeMap<String, u32>,
    /// The names by their numbers.
    called: Vec<String>,
    /// The consumer groups of each run.
    groups: [BTreeSet<u32>; 2],
    messages: BTreeMap<(u32, u32, u32, u32), u32>,
    /// The messages of both runs, by their common number.
    both: Vec<[Option<MsgId>; 2]>,
    /// The common numbers of the messages of each run.
    numbers: [BTreeMap<MsgId, u32>; 2],
}

impl Names {
    /// The number of a name.
    pub fn name(&mut self, name: &str) -> u32 {
        if let Some(number) = self.names.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.insert(name.to_owned(), number);
        self.called.push(name.to_owned());
        number
    }

    /// The number of a name that was met already.
    pub fn known(&self, name: &str) -> Option<u32> {
        self.names.get(name).copied()
    }

    /// A consumer group as a run has it; None when there is no group of that name.
    pub fn group_in(&self, world: &World, group: u32) -> Option<GroupId> {
        world.shared.names.group(self.called.get(group as usize)?)
    }

    pub fn client(&mut self, world: &World, client: ClientId) -> u32 {
        self.name(&world.shared.names.clients[client.index()])
    }

    pub fn group(&mut self, side: Side, world: &World, group: GroupId) -> u32 {
        let number = self.name(&world.shared.names.groups[group.index()].name);
        self.groups[side.index()].insert(number);
        number
    }

    /// Whether a consumer group is at work in both runs.
    pub fn in_both(&self, group: u32) -> bool {
        self.groups.iter().all(|groups| groups.contains(&group))
    }

    /// The consumer group of a process.
    pub fn group_of(&mut self, side: Side, world: &World, client: ClientId) -> u32 {
        match world.clients.get(client.index()) {
            Some(process) => self.group(side, world, process.group()),
            None => self.name(""),
        }
    }

    pub fn queue(&mut self, shared: &Shared, queue: MessageQueue) -> Queue {
        Queue {
            topic: self.name(&shared.names.topics[queue.topic.index()].name),
            broker: self.name(&shared.names.brokers[queue.broker.index()]),
            id: queue.id,
        }
    }

    /// The topic and the message group of a message; None for a series of messages without message
    /// group, which have no order.
    pub fn series(&mut self, shared: &Shared, msg: MsgId) -> Option<(u32, u32)> {
        let message = shared.message(msg);
        let group = &shared.names.series[message.series.index()];
        group.key.as_ref()?;
        let topic = self.name(&shared.names.topics[message.topic.index()].name);
        Some((topic, self.name(&group.name)))
    }

    /// A message: by its topic and label, and among several of one label by their order.
    pub fn message(&mut self, side: Side, shared: &Shared, msg: MsgId) -> u32 {
        if let Some(number) = self.numbers[side.index()].get(&msg) {
            return *number;
        }
        let message = shared.message(msg);
        let topic = self.name(&shared.names.topics[message.topic.index()].name);
        let series = self.name(&shared.names.series[message.series.index()].name);
        let mut nth = 0;
        let number = loop {
            let fresh = self.both.len() as u32;
            let number =
                *self.messages.entry((topic, series, message.number, nth)).or_insert(fresh);
            if number == fresh {
                self.both.push([None, None]);
            }
            let place = &mut self.both[number as usize][side.index()];
            if place.is_none() {
                *place = Some(msg);
                break number;
            }
            nth += 1;
        };
        self.numbers[side.index()].insert(msg, number);
        number
    }

    /// A message of a run by its common number.
    pub fn msg(&self, side: Side, number: u32) -> Option<MsgId> {
        self.both.get(number as usize)?[side.index()]
    }

    /// The same message in the other run.
    pub fn counterpart(&self, side: Side, msg: MsgId) -> Option<MsgId> {
        self.msg(side.other(), *self.numbers[side.index()].get(&msg)?)
    }

    /// How many messages there are in either run.
    pub fn messages(&self) -> usize {
        self.both.len()
    }
}
